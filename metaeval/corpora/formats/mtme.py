"""Directories of mt-metrics-eval, version 2: a test set with line-aligned files of one or more language pairs.

::

    sources/LP.txt  documents/LP.docs  references/LP.NAME.txt  system-outputs/LP/NAME.txt
    human-scores/LP.NAME.LEVEL.score  human-scores/LP.NAME.seg.rating  metric-scores/LP/NAME.LEVEL.score

Scores stand in blocks, one for each system, in the order of the lines or of the documents; None is a missing score.
Human scores of segments are judgments of the judge NAME, one for an item. Ratings are errors by rater, and become a
penalty: the sum of the scores of the errors, or of their weights (see mqm.py) where they have none. Its criterion has
the name of the collection: ``mqm-errors`` for ``mqm.rater1`` and ``mqm.merged``, ``esa-errors`` for ``esa.merged``.
Scores of metrics, and human scores of whole documents and systems, come with the corpus.

Source: README of google-research/mt-metrics-eval.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from metaeval.corpora.columns import NUMBER, Rows
from metaeval.corpora.draft import Draft, ScoreRows
from metaeval.corpora.formats.contract import Glimpse, common_length
from metaeval.corpora.formats.delimited import BROKEN, json_number, parse_json
from metaeval.corpora.formats.mqm import PUBLISHED_WEIGHTS, Weights
from metaeval.corpora.judged import REFERENCE, SOURCE, SYSTEM, Judgment, JudgmentRows
from metaeval.corpora.lines import Files, existing, packed_or_not, split_lines
from metaeval.corpora.problems import counted
from metaeval.errors import listing, unknown
from metaeval.parameters import parameter
from metaeval.records import Criterion

_LEVELS = {"seg": "segment", "doc": "document", "sys": "system"}
# What distinguishes the parts of one collection of ratings.
_PART = re.compile(r"\.(rater\d+|merged)$")


# Files and their lines, by name.
Texts = dict[str, tuple[Path, tuple[str, ...]]]


@dataclass(frozen=True)
class MtMetricsEval:
    """mt-metrics-eval v2: sources, references, system-outputs, human-scores, metric-scores."""

    name: ClassVar[str] = "mt-metrics-eval"
    title: ClassVar[str] = "test set directory of mt-metrics-eval, version 2"
    expects: ClassVar[str] = "a directory with sources/, references/, system-outputs/ and human-scores/"

    pair: str = parameter("", doc="the language pair, such as en-de, where the test set has several")
    metrics: bool = parameter(True, doc="whether the scores of metrics are read too")
    weights: tuple[str, ...] | None = parameter(
        None,
        doc="of the errors in ratings, as for mqm; if not given, the scores of the errors count where they have any",
    )

    @cached_property
    def _weights(self) -> Weights:
        return Weights(PUBLISHED_WEIGHTS if self.weights is None else self.weights)

    def __post_init__(self) -> None:
        _ = self._weights

    @classmethod
    def recognises(cls, glimpse: Glimpse) -> bool:
        """Return whether a directory has the folders."""
        return {"sources", "system-outputs"} <= set(glimpse.entries)

    def read(self, path: Path, files: Files, draft: Draft) -> None:
        """Read all of one language pair."""
        pair = self._pair(path, files)
        if pair is None:
            return
        source = existing(path / "sources" / f"{pair}.txt") or path / "sources" / f"{pair}.txt"
        lines = files.lines(source)
        sources = {} if lines is None else {"": (source, lines)}
        outputs = _texts(files, path / "system-outputs" / pair, "")
        references = _texts(files, path / "references", f"{pair}.")
        if not outputs:
            files.error(path / "system-outputs" / pair, "holds no text file (.txt).")
        everything = [*outputs.values(), *references.values(), *sources.values()]
        lengths = {file.relative_to(path).as_posix(): len(lines) for file, lines in everything}
        n = common_length(path, lengths, files)
        if len(set(lengths.values())) != 1 or not outputs or n is None:
            return
        documents = self._documents(path, pair, files, n)
        segments = [draft.segment(document, str(number)) for number, document in enumerate(documents, start=1)]
        for name in [name for name in outputs if name in references]:
            file, lines = outputs.pop(name)
            reference, texts = references[name]
            if lines != texts:
                files.warning(file, f"has another text than {files.place(reference)}; the latter is taken.")
        for kind, found in ((SOURCE, sources), (REFERENCE, references), (SYSTEM, outputs)):
            for name, (file, lines) in found.items():
                draft.texts(kind, name, segments, lines, files.place(file))
        scores = _Scores(files, draft, segments, documents, path / "documents" / f"{pair}.docs")
        self._human(path / "human-scores", pair, files, scores)
        if self.metrics and (path / "metric-scores" / pair).is_dir():
            scores.read(_sorted(path / "metric-scores" / pair), "", "metric")
        elif self.metrics and (path / "metric-scores").is_dir():
            files.note(path / "metric-scores", f"has no scores for {pair}.")

    def _pair(self, path: Path, files: Files) -> str | None:
        """Return the language pair that is asked for, or the only one."""
        folder = path / "sources"
        pairs = [packed_or_not(file).stem for file in _sorted(folder)] if folder.is_dir() else []
        if self.pair in pairs or (not self.pair and len(pairs) == 1):
            return self.pair or pairs[0]
        if self.pair:
            files.error(path, unknown("language pair", self.pair, pairs))
        else:
            files.error(
                path,
                f'has the language pairs {listing(pairs)}; name one in the format, as in mt-metrics-eval(pair="...").',
            )
        return None

    def _documents(self, path: Path, pair: str, files: Files, n: int) -> list[str]:
        table = existing(path / "documents" / f"{pair}.docs")
        lines = files.lines(table) if table else None
        if table is None or lines is None:
            return [""] * n
        place, parts = files.place(table), [line.split() for line in lines]
        bad = [number for number, part in enumerate(parts, start=1) if len(part) != 2]
        for number in bad:
            files.error(f"{place}:{number}", "must have a domain and a document.")
        if len(parts) != n:
            files.error(place, f"has {counted(len(parts), 'line')} but must have {n}, one for each segment.")
        return [""] * n if bad or len(parts) != n else [document for _, document in parts]

    def _human(self, folder: Path, pair: str, files: Files, scores: _Scores) -> None:
        found = [file for file in _sorted(folder) if file.name.startswith(f"{pair}.")] if folder.is_dir() else []
        ratings = [file for file in found if packed_or_not(file).suffix == ".rating"]
        collections = {file: _PART.sub("", _name_and_level(file, pair)[0]) for file in ratings}
        by_rater = {collections[file] for file in ratings if not _is_merged(file, pair)}
        merged = [file for file in ratings if _is_merged(file, pair) and collections[file] in by_rater]
        if merged:
            names = listing(file.name for file in merged)
            files.note(folder, f"has ratings by rater, so that these merged ones were not needed: {names}.")
        scores.read([file for file in found if file not in ratings], pair, "human")
        for file in ratings:
            if file not in merged:
                judge = _name_and_level(file, pair)[0]
                scores.ratings(file, judge, f"{collections[file]}-errors", self._weights, own=self.weights is None)


class _Scores:
    """Reads files of scores into a draft."""

    def __init__(
        self, files: Files, draft: Draft, segments: Sequence[int], documents: Sequence[str], table_of_documents: Path
    ) -> None:
        self.files, self.draft, self.table_of_documents = files, draft, table_of_documents
        named = list(dict.fromkeys(document for document in documents if document))
        self.units: dict[str, Sequence[Any]] = {"segment": segments, "document": named, "system": [""]}

    def read(self, paths: Sequence[Path], pair: str, origin: str) -> None:
        """Read files of scores, human ones of segments as judgments; note those of levels that a corpus has not."""
        unread = []
        for path in paths:
            name, level = _name_and_level(path, pair)
            if not level:
                unread.append(path)
            elif level == "segment" and origin == "human":
                self.judgments(path, name)
            else:
                self.given(path, name, level, origin)
        if unread:
            names = listing((path.name for path in unread), 3)
            self.files.note(
                unread[0].parent,
                f"has {len(unread)} file(s) that are not read, because they hold no scores of segments, documents or "
                f"systems: {names}.",
            )

    def _blocks(self, path: Path, level: str, columns: Sequence[int]) -> Iterator[tuple[int, str, Any, list[str]]]:
        """Give the number, system, unit and scores of each line; a system must have a line for each unit."""
        lines, place, units = split_lines(self.files.text(path) or ""), self.files.place(path), self.units[level]
        if level == "document" and not units:
            table = self.files.place(self.table_of_documents)
            self.files.error(place, f"has scores of documents, but {table}, which lists them, is missing.")
            return
        blocks: dict[str, list[tuple[int, list[str]]]] = {}
        right = True
        for number, line in enumerate(lines, start=1):
            parts = line.split("\t") if "\t" in line else line.split()
            if len(parts) not in columns:
                self.files.error(f"{place}:{number}", f"must have {columns[0]} columns; got {line[:60]!r}.")
                right = False
            else:
                blocks.setdefault(parts[0].strip(), []).append((number, parts[1:]))
        for name, block in blocks.items() if right else ():
            if len(block) != len(units):
                self.files.error(
                    f"{place}:{block[0][0]}",
                    f"has {counted(len(block), 'line')} of {name!r} but must have {len(units)}, one for each {level}.",
                )
                right = False
        for name, block in blocks.items() if right else ():
            for unit, (number, parts) in zip(units, block, strict=True):
                yield number, name, unit, parts

    def _values(self, path: Path, level: str) -> list[tuple[int, str, Any, float]]:
        """Return line, system, unit and value of each score that is not missing."""
        found = []
        for number, name, unit, (text,) in self._blocks(path, level, (2,)):
            value = text.strip()
            if NUMBER.fullmatch(value) and abs(float(value)) < 1e300:
                found.append((number, name, unit, float(value)))
            elif value.lower() not in ("none", "nan"):
                place = f"{self.files.place(path)}:{number}"
                self.files.error(place, f"the score must be a number or None; got {value[:40]!r}.")
        return found

    def judgments(self, path: Path, name: str) -> None:
        """Read human scores of segments: the judge and the criterion have the name of the file."""
        place = self.files.place(path)
        self.draft.declare(Criterion(name, float("-inf"), float("inf"), higher_is_better=True), place)
        values = self._values(path, "segment")
        found = [Judgment(line, unit, system, name, name, value) for line, system, unit, value in values]
        self.draft.judge(JudgmentRows.of(place, found))

    def given(self, path: Path, name: str, level: str, origin: str) -> None:
        """Read scores that come with the corpus."""
        found = self._values(path, level)
        rows = Rows(self.files.place(path), [line for line, _, _, _ in found])
        systems, units = [system for _, system, _, _ in found], [unit for _, _, unit, _ in found]
        values = [value for _, _, _, value in found]
        self.draft.score(ScoreRows(rows, name, origin, level, systems, units, values))

    def ratings(self, path: Path, name: str, criterion: str, weights: Weights, *, own: bool) -> None:
        """Read errors: the judge is the rater of the line, or has the name of the file; `own` scores may count."""
        place = self.files.place(path)
        strange: dict[str, list[int]] = {}
        self.draft.declare(Criterion(criterion, 0.0, float("inf"), higher_is_better=False), place)
        found = []
        for number, system, segment, parts in self._blocks(path, "segment", (2, 3)):
            if parts[0].strip() == "None":
                continue
            penalty = self._penalty(parts[0], place, number, weights, strange, own)
            if penalty is not None:
                judge = parts[1].strip() if len(parts) > 1 else name
                found.append(Judgment(number, segment, system, judge, criterion, penalty))
        weights.note_unknown(strange, "error", place, self.files)
        self.draft.judge(JudgmentRows.of(place, found))

    def _penalty(
        self, text: str, file: str, line: int, weights: Weights, strange: dict[str, list[int]], own: bool
    ) -> float | None:
        """Return the sum of the scores or weights of the errors in a rating; strange severities are counted."""
        place = f"{file}:{line}"
        rating = parse_json(self.files, text, place)
        if rating is BROKEN:
            return None
        errors = rating.get("errors") if isinstance(rating, dict) else None
        if not isinstance(errors, list) or not all(isinstance(error, dict) for error in errors):
            self.files.error(place, f'a rating must look like {{"errors": [...]}}; got {text[:60]!r}.')
            return None
        total = Fraction(0)
        for error in errors:
            if own and error.get("score") is not None:
                score = json_number(self.files, error["score"], place, "the score of an error")
                total += Fraction(repr(score or 0.0))
                continue
            severity, category = str(error.get("severity") or ""), str(error.get("category") or "")
            weight = weights.of(severity, category)
            if weight is None:
                strange.setdefault(severity, []).append(line)
            total += weight or 0
        return float(total)


def _is_merged(path: Path, pair: str) -> bool:
    return _name_and_level(path, pair)[0].endswith("merged")


def _sorted(folder: Path) -> list[Path]:
    return sorted((path for path in folder.iterdir() if not path.name.startswith(".")), key=lambda path: path.name)


def _texts(files: Files, folder: Path, prefix: str) -> Texts:
    """Return the text files whose names begin with a prefix, and their lines, by the rest of their names."""
    found: Texts = {}
    for path in _sorted(folder) if folder.is_dir() else ():
        plain = packed_or_not(path).name
        if plain.startswith(prefix) and not plain.endswith(".txt"):
            files.note(path, "is not read: only files that end in .txt are texts.")
        elif plain.startswith(prefix) and (lines := files.lines(path)) is not None:
            found[plain.removeprefix(prefix).removesuffix(".txt")] = path, lines
    return found


def _name_and_level(path: Path, pair: str) -> tuple[str, str]:
    """Return the name of a file of scores and its level; "" for a level that a corpus has not, such as domains."""
    stem = packed_or_not(path).name.removeprefix(f"{pair}." if pair else "")
    parts = stem.split(".")
    if len(parts) < 3 or parts[-1] not in ("score", "rating"):
        return stem, ""
    return ".".join(parts[:-2]), _LEVELS.get(parts[-2], "")
