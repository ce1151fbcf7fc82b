"""Find the segments of a corpus by what tables of judgments and files of scores call them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence

import numpy as np

from metaeval.corpora.judgment_columns import Rows, look_up, unknown_name, whole_number
from metaeval.corpora.problems import Problems
from metaeval.datamodel.corpus import Corpus, IntArray
from metaeval.errors import listing

# The document, "" where it is not known, and the id of a segment; or None and the 1-based number of its line.
Key = tuple[str | None, str]


class SegmentIndex:
    """The segments of a corpus, by document and id, by their numbers, and by their numbers in documents.

    Parameters
    ----------
    segments : mapping of (str, str) to int
        Indices by document, "" where there is none, and id.
    """

    def __init__(self, segments: Mapping[tuple[str, str], int]) -> None:
        self.segments = segments
        self.by_id: dict[str, int | None] = {}  # None for an id that several segments have
        for (document, id_), segment in segments.items():
            self.by_id[id_] = segment if id_ not in self.by_id else None
            if document:
                self.by_id.setdefault(f"{document}:{id_}", segment)
        self.have_documents = any(document for document, _ in segments)
        self.known = [segment_name(*key) for key in segments]
        self.checked: set[str] = set()  # places where it was noted that their documents are of no use

    @classmethod
    def from_corpus(cls, corpus: Corpus) -> SegmentIndex:
        """Return the segments of a corpus that was read."""
        documents = corpus.documents or ("",) * corpus.n_segments
        return cls({key: index for index, key in enumerate(zip(documents, corpus.segment_ids, strict=True))})

    def find(self, key: Key, first_line: int = 1) -> int | None:
        """Return a segment by document and id, by an id that is unique, by ``document:id``, or by its line.

        Parameters
        ----------
        key : (str, str), or (None, str)
            The document, "" where it is not known, and the id; or None and the number of a line.
        first_line : int, default 1
            The number of the first line.
        """
        document, id_ = key
        if document is None:
            number = whole_number(id_)
            return None if number is None or not 0 <= number - first_line < len(self.segments) else number - first_line
        exact = self.segments.get((document, id_))
        if exact is not None:
            return exact
        if document and self.have_documents:
            # The ids of a converted corpus may hold the document already.
            return self.segments.get((document, f"{document}:{id_}"))
        return self.by_id.get(id_)

    def ways(self, keys: Sequence[tuple[str, str]], *, check_documents: bool) -> dict[str, dict[tuple[str, str], int]]:
        """Return the segments that keys may mean, by each way to understand an id: those that are found.

        Parameters
        ----------
        keys : sequence of (str, str)
            Documents, "" where they are not known, and ids.
        check_documents : bool
            Whether a segment must be in the document that its key names.

        Returns
        -------
        dict of str to dict
            ``ids``: as ids; ``numbers``: as numbers in the corpus; ``document``: as numbers in their documents.
        """
        documents = [document for document, _ in self.segments]
        counts: dict[str, int] = {}
        in_document: dict[tuple[str, str], int] = {}
        for position, document in enumerate(documents):
            if document:
                counts[document] = counts.get(document, 0) + 1
                in_document[document, str(counts[document])] = position

        segments_by_way: dict[str, dict[tuple[str, str], int]] = {"ids": {}, "numbers": {}, "document": {}}
        for key in keys:
            document, id_ = key
            named = self.by_id.get(f"{document}:{id_}") if document else None
            by_id = named if named is not None else self.find(key)
            if by_id is None and not check_documents:
                by_id = self.by_id.get(id_)
            for way, index in (("ids", by_id), ("numbers", self.find((None, id_)))):
                if index is None:
                    continue
                if not check_documents or not document or documents[index] in ("", document):
                    segments_by_way[way][key] = index
            if key in in_document:
                segments_by_way["document"][key] = in_document[key]
        return segments_by_way

    def look_up(
        self, keys: Sequence[Key] | IntArray, rows: Rows, problems: Problems, hint: str = "", first_line: int = 1
    ) -> IntArray:
        """Return the segments of the rows of a table, -1 for those that are unknown, which are noted."""
        if isinstance(keys, np.ndarray):
            return keys
        index: dict[Hashable, int | None] = {key: self.find(key, first_line) for key in set(keys)}
        return look_up(keys, index, rows, problems, self._unknown(hint, first_line))

    def check_documents(self, location: str, keys: Sequence[Key], problems: Problems) -> None:
        """Note a table that names documents where the texts have none: an id may mean several segments there."""
        documents = [] if self.have_documents else sorted({document for document, _ in set(keys) if document})
        if len(documents) > 1 and location not in self.checked:
            self.checked.add(location)
            problems.error(
                location,
                f"names {len(documents)} documents ({listing(documents, 3)}), but the texts have none, so that the ids "
                "cannot be matched. Give texts with documents, or a table whose ids are those of the texts.",
            )

    def _unknown(self, hint: str, first_line: int) -> Callable[[Key], str]:
        """Return a function that says why a segment is unknown."""
        say = unknown_name("segment", self.known, hint=f". {hint}" if hint else "")

        def words(key: Key) -> str:
            document, id_ = key
            if document is None:
                last = len(self.segments) + first_line - 1
                return (
                    f"the segment must be a line number from {first_line} to {last}; got {id_[:40]!r}. {hint}".rstrip()
                )
            if not document and id_ in self.by_id:
                return f"segment {id_!r} is in several documents; the table must name the document too."
            return say(segment_name(document, id_))

        return words


def segment_name(document: str, id_: str) -> str:
    """Return the name of a segment with that of its document, once."""
    return f"{document}:{id_}" if document and not id_.startswith(f"{document}:") else id_
