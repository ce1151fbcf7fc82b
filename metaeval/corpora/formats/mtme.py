"""Directories of mt-metrics-eval, version 2: a test set with line-aligned files of one or more language pairs.

::

    sources/LP.txt  documents/LP.docs  references/LP.NAME.txt  system-outputs/LP/NAME.txt
    human-scores/LP.NAME.LEVEL.score  human-scores/LP.NAME.seg.rating  metric-scores/LP/NAME.LEVEL.score

Texts may be JSON Lines too (``.jsonl``), with the text under ``source``, ``target`` (references) or ``hypothesis``
(outputs). Of the two words in a line of ``.docs`` the first is the domain, a fact of the segment, the second the
document. How scores and ratings stand in their files is described in mtme_scores.py.

Source: README and data.py of google-research/mt-metrics-eval.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metaeval.corpora.builder import Draft
from metaeval.corpora.formats.base import DESCRIBED, Glimpse, Reader, common_length
from metaeval.corpora.formats.mqm import get_weights
from metaeval.corpora.formats.mtme_scores import ScoreFiles, name_and_level
from metaeval.corpora.judgment_rows import REFERENCE, SOURCE, SYSTEM
from metaeval.corpora.tables.delimited import json_objects
from metaeval.corpora.text_files import Files, existing, packed_or_not, visible
from metaeval.errors import counted, listing, unknown
from metaeval.parameters.fields import parameter

_DOCS = DESCRIBED["mt-metrics-eval"]

# What distinguishes the parts of one collection of ratings.
_RATER_SUFFIX = re.compile(r"\.(rater\d+|merged)$")
# Files and their texts, by name.
Texts = dict[str, tuple[Path, tuple[str | None, ...]]]
_TEXT_SUFFIXES = (".txt", ".jsonl")
_NO_TEXT = "[No translation supplied]"


@dataclass(frozen=True)
class MtMetricsEval(Reader, name="mt-metrics-eval"):
    """mt-metrics-eval v2: sources, references, system-outputs, human-scores, metric-scores."""

    pair: str = parameter("", doc=_DOCS["pair"])
    weights: tuple[str, ...] | None = parameter(None, doc=_DOCS["weights"])

    def __post_init__(self) -> None:
        get_weights(self.weights)

    @classmethod
    def recognises(cls, glimpse: Glimpse) -> bool:
        """Return whether a directory has the folders."""
        return {"sources", "system-outputs"} <= set(glimpse.entries)

    def read(self, path: Path, draft: Draft) -> None:
        """Read all of one language pair."""
        files = draft.files
        pair = self._pair(path, files)
        if pair is None:
            return
        if files.archive_of(path) is None:
            draft.name = draft.name or f"{path.resolve().name}.{pair}"
        sources = _texts(files, path / "sources", pair, "source")
        if not sources:
            files.error(path / "sources" / f"{pair}.txt", "is missing.")
        outputs = _texts(files, path / "system-outputs" / pair, "", "hypothesis")
        references = _texts(files, path / "references", f"{pair}.", "target")
        if not outputs:
            files.error(path / "system-outputs" / pair, "holds no text file (.txt or .jsonl).")
        everything = [*outputs.values(), *references.values(), *sources.values()]
        lengths = {file.relative_to(path).as_posix(): len(lines) for file, lines in everything}
        n = common_length(path, lengths, files)
        if len(set(lengths.values())) != 1 or not outputs or n is None:
            return
        domains, documents = self._documents(path, pair, files, n)
        segments = [draft.segment(document, str(number)) for number, document in enumerate(documents, start=1)]
        if any(domains):
            draft.fact("domain", segments, domains)
        for name in [name for name in outputs if name in references]:
            file, lines = outputs.pop(name)
            reference, texts = references[name]
            if lines != texts:
                files.warning(file, f"has another text than {files.location(reference)}; the latter is taken.")
        for kind, texts_by_name in ((SOURCE, sources), (REFERENCE, references), (SYSTEM, outputs)):
            for name, (file, lines) in texts_by_name.items():
                draft.texts(kind, name, segments, lines, files.location(file))
        units: dict[str, Sequence[Any]] = {"segment": segments, "system": [""]}
        units["document"] = list(dict.fromkeys(filter(None, documents)))
        units["domain"] = sorted(set(filter(None, domains)))
        scores = ScoreFiles(draft, units, path / "documents" / f"{pair}.docs")
        self._human(path / "human-scores", pair, files, scores)
        if (path / "metric-scores" / pair).is_dir():
            scores.read(visible(path / "metric-scores" / pair), "", "metric")
        elif (path / "metric-scores").is_dir():
            files.note(path / "metric-scores", f"has no scores for {pair}.")

    def _pair(self, path: Path, files: Files) -> str | None:
        """Return the language pair that is asked for, or the only one."""
        pairs = pairs_of(path)
        if self.pair in pairs or (not self.pair and len(pairs) == 1):
            return self.pair or pairs[0]
        wrong = "has no language pair: sources/ holds no text file."
        if self.pair:
            wrong = unknown("language pair", self.pair, pairs)
        elif pairs:
            wrong = f"has the language pairs {listing(pairs)}; name one of them, as in {path}.{pairs[0]}."
        files.error(path, wrong)
        return None

    def _documents(self, path: Path, pair: str, files: Files, n: int) -> tuple[list[str], list[str]]:
        """Return the domain and the document of each segment, "" where they are not known."""
        table = existing(path / "documents" / f"{pair}.docs")
        nothing = [""] * n
        lines = files.lines(table) if table else None
        if table is None or lines is None:
            return nothing, nothing
        parts = [line.split() for line in lines]
        bad = [number for number, part in enumerate(parts, start=1) if len(part) != 2]
        for number in bad:
            files.error(f"{files.location(table)}:{number}", "must have a domain and a document.")
        if len(parts) != n:
            files.error(table, f"has {counted(len(parts), 'line')} but must have {n}, one for each segment.")
        if bad or len(parts) != n:
            return nothing, nothing
        return [domain for domain, _ in parts], [document for _, document in parts]

    def _human(self, folder: Path, pair: str, files: Files, scores: ScoreFiles) -> None:
        """Read human scores, and ratings: those of raters where they are there, else the merged ones."""
        score_files = [file for file in visible(folder) if file.name.startswith(f"{pair}.")]
        judges = {
            file: name_and_level(file, pair)[0] for file in score_files if packed_or_not(file).suffix == ".rating"
        }
        collections = {file: _RATER_SUFFIX.sub("", judge) for file, judge in judges.items()}
        by_rater = {collections[file] for file, judge in judges.items() if not judge.endswith("merged")}
        merged = [file for file in judges if judges[file].endswith("merged") and collections[file] in by_rater]
        if merged:
            names = listing(file.name for file in merged)
            files.note(folder, f"has ratings by rater, so that these merged ones were not needed: {names}.")
        scores.read([file for file in score_files if file not in judges], pair, "human")
        weights = get_weights(self.weights)
        for file in (file for file in judges if file not in merged):
            scores.ratings(
                file, judges[file], f"{collections[file]}-errors", weights, takes_scores=self.weights is None
            )


def pairs_of(path: Path) -> list[str]:
    """Return the language pairs of a directory, in alphabetical order; none if it is in another format."""
    source_files = [packed_or_not(file) for file in visible(path / "sources")]
    return list(dict.fromkeys(file.stem for file in source_files if file.suffix in _TEXT_SUFFIXES))


def _texts(files: Files, folder: Path, prefix: str, key: str) -> Texts:
    """Return the texts of files whose names begin with a prefix, by the rest of their names."""
    texts_by_name: Texts = {}
    for path in visible(folder):
        plain = packed_or_not(path)
        if not plain.name.startswith(prefix):
            continue
        name = plain.stem.removeprefix(prefix)
        if plain.suffix not in _TEXT_SUFFIXES:
            files.note(path, "is not read: only files that end in .txt or .jsonl are texts.")
        elif key == "source" and name:
            continue  # of another pair, whose name begins like this one
        elif name in texts_by_name:
            files.error(path, f"is there beside {texts_by_name[name][0].name}; remove one of the two.")
        elif (lines := _lines(files, path, key if plain.suffix == ".jsonl" else "")) is not None:
            texts_by_name[name] = path, lines
    return texts_by_name


def _lines(files: Files, path: Path, key: str) -> tuple[str | None, ...] | None:
    """Return the text of each segment, None where it says that there is none."""
    lines: Sequence[str] | None = None
    if not key:
        lines = files.lines(path)
    else:
        objects = list(json_objects(*files.opened(path)))
        for number, row in objects:
            if not isinstance(row.get(key), str):
                files.error(
                    f"{files.location(path)}:{number}", f"must have a text under {key!r}; it has {listing(row)}."
                )
        lines = [str(row.get(key)) for _, row in objects]
    if lines is None:
        return None
    return tuple(None if line.rstrip() == _NO_TEXT else line for line in lines)
