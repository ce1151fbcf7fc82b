"""A corpus becomes a directory in the neutral layout."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import tomli_w

from metaeval.corpora.directories import whole_directory
from metaeval.datamodel.annotations import ErrorSpans, GivenScores
from metaeval.datamodel.corpus import Corpus, Judgments

# The folders of scores with the origin of these, and the columns that stand before the score.
ORIGINS = {"metrics": "metric", "human": "human"}
LEVELS = {
    "segment": ("system", "segment"),
    "document": ("system", "document"),
    "domain": ("system", "domain"),
    "system": ("system",),
}
SPANS = "error_spans.tsv"
SPAN_COLUMNS = ("segment", "system", "judge", "text", "start", "end", "severity", "category")
# What a span is of.
PARTS = ("output", "source")
# What every file system takes; everything else in the name of a file becomes a hyphen.
_UNSAFE_CHARACTERS = re.compile(r"[^\w.-]+|^\.+")
# The end of the name of a file of scores shows the level of the scores.
_LEVEL_SUFFIX = re.compile(rf"\.({'|'.join(LEVELS)})$")
_MAX_NAME_CHARACTERS = 200  # bytes; most file systems take 255, of which suffixes take some


def write_neutral(corpus: Corpus, directory: Path) -> None:
    """Write a corpus; the directory is there only when it is whole, and reading it gives the same corpus again.

    Parameters
    ----------
    corpus : Corpus
    directory : Path
        A directory that does not exist yet, or is empty.

    Raises
    ------
    UsageError
        If the directory holds something, or cannot be written.
    """
    with whole_directory(directory) as partial:
        _Writer(corpus, partial).write()


def file_names(names: Iterable[str]) -> dict[str, str]:
    """Return the name of a file, without suffix, for each different name; no two differ in case alone."""
    file_of: dict[str, str] = {}
    taken: set[str] = set()
    for name in dict.fromkeys(names):
        plain = _UNSAFE_CHARACTERS.sub("-", name).encode()[:_MAX_NAME_CHARACTERS].decode(errors="ignore")
        plain = _LEVEL_SUFFIX.sub(r"-\1", plain.strip("-.")) or "unnamed"
        candidate, number = plain, 2
        while candidate.casefold() in taken:
            candidate = f"{plain}-{number}"
            number = number + 1
        taken.add(candidate.casefold())
        file_of[name] = candidate
    return file_of


class _Writer:
    """Writes one corpus into a directory that exists."""

    def __init__(self, corpus: Corpus, directory: Path) -> None:
        self.corpus, self.directory = corpus, directory
        self.outputs = dict(zip(corpus.systems, corpus.candidates, strict=True))
        scores = [stored.name for stored in corpus.scores]
        self.files = file_names([*corpus.systems, *corpus.references, *corpus.judged_references, *scores])

    def write(self) -> None:
        """Write all files."""
        corpus = self.corpus
        self._toml()
        if has_line_feeds(corpus):
            self._objects()
        else:
            self._texts()
        self._judgments("judgments.tsv", "system", corpus.judgments, corpus.systems)
        self._judgments("reference_judgments.tsv", "reference", corpus.reference_judgments, corpus.judged_references)
        for stored in corpus.scores:
            self._scores(stored)
        if corpus.spans is not None:
            self._spans(corpus.spans)

    def _texts(self) -> None:
        """Write a file for each text, of which each segment is a line."""
        corpus = self.corpus
        if corpus.sources is not None:
            self._lines("source.txt", corpus.sources)
        # What an empty line does not mean stands in a table: a missing output, an empty reference.
        for kind, of_kind, table, listed in (
            ("system", self.outputs, "missing_outputs.tsv", None),
            ("reference", corpus.references, "empty_references.tsv", ""),
        ):
            rows = []
            for name, texts in of_kind.items():
                self._lines(f"{kind}s/{self.files[name]}.txt", [text or "" for text in texts])
                rows += [(self.files[name], number) for number, text in enumerate(texts, start=1) if text == listed]
            self._table(table, (kind, "segment"), rows)
        self._segments()

    def _objects(self) -> None:
        """Write an object for each segment, whose texts may have several lines."""
        corpus = self.corpus
        lines = []
        for index, id_ in enumerate(corpus.segment_ids):
            references = {self.files[name]: texts[index] for name, texts in corpus.references.items()}
            row: dict[str, object] = {
                "id": id_,
                **({} if corpus.documents is None else {"document": corpus.documents[index]}),
                **({} if corpus.sources is None else {"source": corpus.sources[index]}),
                "systems": {self.files[name]: texts[index] for name, texts in self.outputs.items()},
                "references": {name: text for name, text in references.items() if text is not None},
            }
            if corpus.segment_facts:
                row["facts"] = {name: values[index] for name, values in corpus.segment_facts.items()}
            lines.append(json.dumps(row, ensure_ascii=False))
        self._lines("texts.jsonl", lines)

    def _toml(self) -> None:
        """Write corpus.toml."""
        corpus = self.corpus
        facts = {name.replace(" ", "_"): value for name, value in corpus.facts.items() if value}
        content: dict[str, object] = {"name": corpus.name, **({"title": corpus.title} if corpus.title else {}), **facts}
        ranges = {
            criterion.name: {"low": _plain(criterion.low), "high": _plain(criterion.high)}
            for criterion in corpus.criteria
        }
        content["criteria"] = [
            {
                "name": criterion.name,
                **ranges[criterion.name],
                "direction": "higher" if criterion.higher_is_better else "lower",
            }
            for criterion in corpus.criteria
        ]
        if corpus.judge_groups:
            content["judge_groups"] = [asdict(group) for group in corpus.judge_groups]
        names = {file: name for name, file in self.files.items() if file != name}
        if names:
            content["names"] = names
        (self.directory / "corpus.toml").write_bytes(tomli_w.dumps(content).encode())

    def _lines(self, name: str, texts: Sequence[str]) -> None:
        path = self.directory / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes("".join(f"{text}\n" for text in texts).encode())

    def _table(self, name: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Write a table that has rows."""
        lines = ["\t".join(map(str, row)) for row in rows]
        if lines:
            self._lines(name, ["\t".join(columns), *lines])

    def _segments(self) -> None:
        corpus = self.corpus
        numbers = [str(number) for number in range(1, corpus.n_segments + 1)]
        ids: dict[str, Sequence[str]] = {"segment": numbers, "id": corpus.segment_ids}
        facts = {**({} if corpus.documents is None else {"document": corpus.documents}), **corpus.segment_facts}
        if list(corpus.segment_ids) == numbers and "document" in facts:
            del ids["id"]
        if list(corpus.segment_ids) != numbers or facts:
            name = "segments.tsv" if "id" in ids else "documents.tsv"
            self._table(name, [*ids, *facts], zip(*ids.values(), *facts.values(), strict=True))

    def _judgments(self, name: str, kind: str, judgments: Judgments, names: Sequence[str]) -> None:
        """Write a table of judgments, system by system."""
        files = [self.files[system] for system in names]
        criteria = [criterion.name for criterion in self.corpus.criteria]
        text = {score: repr(_plain(score)) for score in np.unique(judgments.score).tolist()}
        # System by system, in the order in which they were judged; of one item the order stays as it was.
        rank = {system: position for position, system in enumerate(dict.fromkeys(judgments.system.tolist()))}
        ranks = np.array([rank[system] for system in judgments.system.tolist()], dtype=np.int64)
        judgments = judgments.where(np.lexsort((judgments.segment, ranks)))
        rows = zip(
            (judgments.segment + 1).tolist(),
            (files[system] for system in judgments.system.tolist()),
            (judgments.judges[judge] for judge in judgments.judge.tolist()),
            (criteria[criterion] for criterion in judgments.criterion.tolist()),
            (text[score] for score in judgments.score.tolist()),
            strict=True,
        )
        self._table(name, ("segment", kind, "judge", "criterion", "score"), rows)

    def _scores(self, scores: GivenScores) -> None:
        """Write a file of scores that came with the corpus."""
        folder = next(name for name, origin in ORIGINS.items() if origin == scores.origin)
        suffix = "" if scores.level == "segment" else f".{scores.level}"
        units: Sequence[object] = scores.units
        if scores.level == "segment":
            number: Mapping[str, int] = {id_: n for n, id_ in enumerate(self.corpus.segment_ids, start=1)}
            units = [number[unit] for unit in scores.units]
        rows = [
            (self.files[system], *(() if scores.level == "system" else (units[column],)), repr(_plain(value)))
            for system, row in zip(scores.systems, scores.values.tolist(), strict=True)
            for column, value in enumerate(row)
            if value == value  # nan is not equal to itself
        ]
        self._table(f"{folder}/{self.files[scores.name]}{suffix}.tsv", (*LEVELS[scores.level], "score"), rows)

    def _spans(self, spans: ErrorSpans) -> None:
        columns = (
            spans.segment + 1,
            [self.files[spans.names[index]] for index in spans.text],
            [spans.judges[index] for index in spans.judge],
            [PARTS[int(index)] for index in spans.in_source],
            spans.start,
            spans.end,
            [spans.severities[index] for index in spans.severity],
            [spans.categories[index] for index in spans.category],
        )
        self._table(SPANS, SPAN_COLUMNS, zip(*columns, strict=True))


def has_line_feeds(corpus: Corpus) -> bool:
    """Return whether some text has several lines, so that a line of a file cannot hold it."""
    texts = itertools.chain(*corpus.candidates, *corpus.references.values(), corpus.sources or ())
    return any("\n" in text for text in texts if text)


def _plain(number: float) -> float | int:
    """Return a whole number as an int, so that it is written as the source has it: 5, not 5.0."""
    return int(number) if number == number // 1 and abs(number) < 1e15 else number
