"""Directories of mt-metrics-eval, version 2: a test set with line-aligned files of one or more language pairs.

::

    sources/LP.txt  documents/LP.docs  references/LP.NAME.txt  system-outputs/LP/NAME.txt
    human-scores/LP.NAME.LEVEL.score  human-scores/LP.NAME.seg.rating  metric-scores/LP/NAME.LEVEL.score

Scores stand in blocks, one for each system, in the order of the lines or of the documents; None is a missing score.
Human scores of segments are judgments of the judge NAME, one for an item. Ratings are errors by rater, and become a
penalty: the sum of the scores of the errors, or of their weights (see mqm.py) where they have none. Its criterion has
the name of the collection: ``mqm-errors`` for ``mqm.rater1`` and ``mqm.merged``, ``esa-errors`` for ``esa.merged``.
Scores of metrics, and of people for whole documents and systems, come with the corpus.

Source: README of google-research/mt-metrics-eval.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from metaeval.corpora.columns import Rows
from metaeval.corpora.draft import Draft, ScoreRows
from metaeval.corpora.formats.contract import Glimpse
from metaeval.corpora.formats.delimited import BROKEN, json_number, parse_json
from metaeval.corpora.formats.mqm import PUBLISHED_WEIGHTS, Weights
from metaeval.corpora.judged import REFERENCE, SOURCE, SYSTEM, JudgmentRows
from metaeval.corpora.lines import Files, packed_or_not, split_lines
from metaeval.corpora.problems import counted
from metaeval.errors import listing, unknown
from metaeval.parameters import parameter
from metaeval.records import Criterion

_LEVELS = {"seg": "segment", "doc": "document", "sys": "system"}
# What tells the parts of one collection of ratings.
_PART = re.compile(r"\.(rater\d+|merged)$")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


class _Text(NamedTuple):
    """The lines of a file."""

    place: str
    lines: Sequence[str]


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
        sources = _texts(files, path / "sources", f"{pair}.txt")
        outputs = _named_texts(files, path / "system-outputs" / pair, "")
        references = _named_texts(files, path / "references", f"{pair}.")
        if not outputs:
            files.problems.error(files.place(path / "system-outputs" / pair), "holds no text file (.txt).")
        everything = [*outputs.values(), *references.values(), *sources.values()]
        lengths = Counter(len(text.lines) for text in everything)
        n = lengths.most_common(1)[0][0] if lengths else 0
        for text in everything:
            if len(text.lines) != n:
                files.problems.error(
                    text.place,
                    f"has {counted(len(text.lines), 'line')} but must have {n}, as {lengths[n]} other texts of {pair}.",
                )
        if len(lengths) != 1 or not outputs:
            return
        documents = self._documents(path, pair, files, n)
        keys = [(document, str(number)) for number, document in enumerate(documents, start=1)]
        for key in keys:
            draft.segment(*key)
        for name in [name for name in outputs if name in references]:
            output = outputs.pop(name)
            if output.lines != references[name].lines:
                files.problems.warning(
                    output.place, f"has another text than {references[name].place}; the latter is taken."
                )
        for kind, texts in ((SOURCE, sources), (REFERENCE, references), (SYSTEM, outputs)):
            for name, text in texts.items():
                for index, line in enumerate(text.lines):
                    draft.text(kind, "" if kind == SOURCE else name, index, line, text.place, index + 1)
        scores = _Scores(files, draft, keys, files.place(path / "documents" / f"{pair}.docs"))
        self._human(path / "human-scores", pair, files, scores)
        if self.metrics and (path / "metric-scores" / pair).is_dir():
            unread = []
            for file in _sorted(path / "metric-scores" / pair):
                name, level = _name_and_level(file, "")
                if level:
                    scores.given(file, name, level, "metric")
                else:
                    unread.append(file)
            _note_unread(unread, files)
        elif self.metrics and (path / "metric-scores").is_dir():
            files.problems.note(files.place(path / "metric-scores"), f"has no scores for {pair}.")

    def _pair(self, path: Path, files: Files) -> str | None:
        """Return the language pair that is asked for, or the only one."""
        folder = path / "sources"
        pairs = [packed_or_not(file).stem for file in _sorted(folder)] if folder.is_dir() else []
        if self.pair in pairs or (not self.pair and len(pairs) == 1):
            return self.pair or pairs[0]
        if self.pair:
            files.problems.error(files.place(path), unknown("language pair", self.pair, pairs))
        else:
            files.problems.error(
                files.place(path),
                f'has the language pairs {listing(pairs)}; name one in the format, as in mt-metrics-eval(pair="...").',
            )
        return None

    def _documents(self, path: Path, pair: str, files: Files, n: int) -> list[str]:
        text = _texts(files, path / "documents", f"{pair}.docs", required=False).get(f"{pair}.docs")
        if text is None:
            return [""] * n
        parts = [line.split() for line in text.lines]
        bad = [number for number, part in enumerate(parts, start=1) if len(part) != 2]
        for number in bad:
            files.problems.error(f"{text.place}:{number}", "must have a domain and a document.")
        if len(parts) != n:
            files.problems.error(
                text.place, f"has {counted(len(parts), 'line')} but must have {n}, one for each segment."
            )
        if bad or len(parts) != n:
            return [""] * n
        return [document for _, document in parts]

    def _human(self, folder: Path, pair: str, files: Files, scores: _Scores) -> None:
        found = [file for file in _sorted(folder) if file.name.startswith(f"{pair}.")] if folder.is_dir() else []
        ratings = [file for file in found if packed_or_not(file).suffix == ".rating"]
        collections = {file: _PART.sub("", _name_and_level(file, pair)[0]) for file in ratings}
        by_rater = {collections[file] for file in ratings if not _is_merged(file, pair)}
        merged = [file for file in ratings if _is_merged(file, pair) and collections[file] in by_rater]
        if merged:
            names = listing(file.name for file in merged)
            files.problems.note(
                files.place(folder), f"has ratings by rater, so that these merged ones were not needed: {names}."
            )
        unread = []
        for file in found:
            name, level = _name_and_level(file, pair)
            if file in ratings:
                continue
            if not level:
                unread.append(file)
            elif level == "segment":
                scores.judgments(file, name)
            else:
                scores.given(file, name, level, "human")
        _note_unread(unread, files)
        for file in ratings:
            if file not in merged:
                judge = _name_and_level(file, pair)[0]
                scores.ratings(file, judge, f"{collections[file]}-errors", self._weights, own=self.weights is None)


class _Scores:
    """Reads files of scores into a draft."""

    def __init__(self, files: Files, draft: Draft, keys: Sequence[tuple[str, str]], table_of_documents: str) -> None:
        self.files, self.draft, self.keys, self.table_of_documents = files, draft, keys, table_of_documents
        documents = list(dict.fromkeys(document for document, _ in keys if document))
        self.units: dict[str, Sequence[Any]] = {"segment": keys, "document": documents, "system": [""]}

    def _blocks(self, path: Path, level: str, columns: Sequence[int]) -> dict[str, list[tuple[int, list[str]]]]:
        """Return the lines of each system, with their numbers; each must have as many as there are units."""
        lines = split_lines(self.files.text(path) or "")
        place, blocks = self.files.place(path), dict[str, list[tuple[int, list[str]]]]()
        if level == "document" and not self.units[level]:
            self.files.problems.error(
                place, f"has scores of documents, but {self.table_of_documents}, which tells them, is missing."
            )
            return {}
        bad = False
        for number, line in enumerate(lines, start=1):
            parts = line.split("\t") if "\t" in line else line.split()
            if len(parts) not in columns:
                self.files.problems.error(f"{place}:{number}", f"must have {columns[0]} columns; got {line[:60]!r}.")
                bad = True
                continue
            blocks.setdefault(parts[0].strip(), []).append((number, parts[1:]))
        units = self.units[level]
        if bad:
            return {}
        for name, block in blocks.items():
            if len(block) != len(units):
                self.files.problems.error(
                    f"{place}:{block[0][0]}",
                    f"has {counted(len(block), 'line')} of {name!r} but must have {len(units)}, one for each {level}.",
                )
                bad = True
        return {} if bad else blocks

    def _values(self, path: Path, level: str) -> dict[str, list[tuple[int, Any, float]]]:
        """Return line, unit and value of each score that is not missing, by system."""
        found: dict[str, list[tuple[int, Any, float]]] = {}
        for name, block in self._blocks(path, level, (2,)).items():
            rows = found.setdefault(name, [])
            for unit, (number, (text,)) in zip(self.units[level], block, strict=True):
                value = text.strip()
                if _NUMBER.fullmatch(value) and abs(float(value)) < 1e300:
                    rows.append((number, unit, float(value)))
                elif value.lower() not in ("none", "nan"):
                    self.files.problems.error(
                        f"{self.files.place(path)}:{number}", f"the score must be a number or None; got {value[:40]!r}."
                    )
        return found

    def judgments(self, path: Path, name: str) -> None:
        """Read human scores of segments: the judge and the criterion have the name of the file."""
        values = [(system, *row) for system, rows in self._values(path, "segment").items() for row in rows]
        place = self.files.place(path)
        self.draft.declare(Criterion(name, float("-inf"), float("inf"), higher_is_better=True), place)
        self.draft.judge(
            JudgmentRows(
                Rows(place, [line for _, line, _, _ in values]),
                [key for _, _, key, _ in values],
                [system for system, _, _, _ in values],
                [name] * len(values),
                [name] * len(values),
                [value for _, _, _, value in values],
            )
        )

    def given(self, path: Path, name: str, level: str, origin: str) -> None:
        """Read scores that come with the corpus."""
        values = {
            system: {unit: value for _, unit, value in rows} for system, rows in self._values(path, level).items()
        }
        self.draft.score(ScoreRows(self.files.place(path), name, origin, level, values))

    def ratings(self, path: Path, name: str, criterion: str, weights: Weights, *, own: bool) -> None:
        """Read errors: the judge is the rater of the line, or has the name of the file; `own` scores may count."""
        place = self.files.place(path)
        strange: dict[str, tuple[int, int]] = {}
        self.draft.declare(Criterion(criterion, 0.0, float("inf"), higher_is_better=False), place)
        rows: list[tuple[int, tuple[str, str], str, str, float]] = []
        for system, block in self._blocks(path, "segment", (2, 3)).items():
            for key, (number, parts) in zip(self.keys, block, strict=True):
                if parts[0].strip() == "None":
                    continue
                penalty = self._penalty(parts[0], place, number, weights, strange, own)
                if penalty is not None:
                    rows.append((number, key, system, parts[1].strip() if len(parts) > 1 else name, penalty))
        for severity, (number, count) in strange.items():
            self.files.problems.error(
                f"{place}:{number}",
                f"{unknown('severity', severity, weights.severities, 'severities')} The parameter `weights` gives it a "
                f"weight ({count} error(s) in all).",
            )
        self.draft.judge(
            JudgmentRows(
                Rows(place, [row[0] for row in rows]),
                [row[1] for row in rows],
                [row[2] for row in rows],
                [row[3] for row in rows],
                [criterion] * len(rows),
                [row[4] for row in rows],
            )
        )

    def _penalty(
        self, text: str, file: str, line: int, weights: Weights, strange: dict[str, tuple[int, int]], own: bool
    ) -> float | None:
        """Return the sum of the scores or weights of the errors in a rating; strange severities are counted."""
        place = f"{file}:{line}"
        rating = parse_json(self.files, text, place)
        if rating is BROKEN:
            return None
        errors = rating.get("errors") if isinstance(rating, dict) else None
        if not isinstance(errors, list) or not all(isinstance(error, dict) for error in errors):
            self.files.problems.error(place, f'a rating must look like {{"errors": [...]}}; got {text[:60]!r}.')
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
                first, count = strange.get(severity, (line, 0))
                strange[severity] = (first, count + 1)
            total += weight or 0
        return float(total)


def _note_unread(paths: Sequence[Path], files: Files) -> None:
    if paths:
        names = listing((path.name for path in paths), 3)
        files.problems.note(
            files.place(paths[0].parent),
            f"has {len(paths)} file(s) that are not read, because they hold no scores of segments, documents or "
            f"systems: {names}.",
        )


def _is_merged(path: Path, pair: str) -> bool:
    return _name_and_level(path, pair)[0].endswith("merged")


def _sorted(folder: Path) -> list[Path]:
    return sorted((path for path in folder.iterdir() if not path.name.startswith(".")), key=lambda path: path.name)


def _texts(files: Files, folder: Path, name: str, *, required: bool = True) -> dict[str, _Text]:
    """Return the text of one file by its name, nothing if there is none."""
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            lines = files.lines(path)
            return {} if lines is None else {name: _Text(files.place(path), lines)}
    if required:
        files.problems.error(files.place(folder / name), "is missing.")
    return {}


def _named_texts(files: Files, folder: Path, prefix: str) -> dict[str, _Text]:
    """Return the text files whose names begin with a prefix, by the rest of their names."""
    found: dict[str, _Text] = {}
    paths: Iterable[Path] = _sorted(folder) if folder.is_dir() else ()
    for path in paths:
        plain = packed_or_not(path)
        if not plain.name.startswith(prefix):
            continue
        if plain.suffix != ".txt":
            files.problems.note(files.place(path), "is not read: only files that end in .txt are texts.")
            continue
        lines = files.lines(path)
        if lines is not None:
            found[plain.name.removeprefix(prefix).removesuffix(".txt")] = _Text(files.place(path), lines)
    return found


def _name_and_level(path: Path, pair: str) -> tuple[str, str]:
    """Return the name of a file of scores and its level; "" for a level that a corpus has not, such as domains."""
    stem = packed_or_not(path).name.removeprefix(f"{pair}." if pair else "")
    parts = stem.split(".")
    if len(parts) < 3 or parts[-1] not in ("score", "rating"):
        return stem, ""
    return ".".join(parts[:-2]), _LEVELS.get(parts[-2], "")
