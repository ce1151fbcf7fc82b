"""The files of scores and ratings in directories of mt-metrics-eval.

Scores stand in blocks, one for each system, in the order of the lines or of the documents; None is a missing score.
Those of domains begin with the domain. Human scores of segments are judgments of the judge NAME, one for an item.
Ratings are errors by rater. They are kept as spans, and become a penalty: the sum of the scores of the errors, or of
their weights (see mqm.py) where they have none. Its criterion has the name of the collection: ``mqm-errors`` for
``mqm.rater1`` and ``mqm.merged``, ``esa-errors`` for ``esa.merged``. Scores of metrics, and human scores of whole
documents, domains and systems, come with the corpus.

Source: README, data.py and ratings.py of google-research/mt-metrics-eval.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from metaeval.corpora.builder import Draft
from metaeval.corpora.formats.base import Source
from metaeval.corpora.formats.mqm import Weights
from metaeval.corpora.judgment_columns import Rows, numbers
from metaeval.corpora.judgment_rows import Judgment, JudgmentRows
from metaeval.corpora.stored_scores import ScoreFile, ScoreRows
from metaeval.corpora.tables.delimited import BROKEN, json_number, parse_json
from metaeval.corpora.text_files import packed_or_not, split_lines
from metaeval.datamodel.corpus import Criterion
from metaeval.errors import counted, listing

_LEVEL_BY_SUFFIX = {"seg": "segment", "doc": "document", "domain": "domain", "sys": "system"}
_MISSING_SCORES = ("none", "nan")


class _Line(NamedTuple):
    """A line of a file of scores: its number, the system, the unit that has the score, and the cells behind these."""

    number: int
    system: str
    unit: Any
    cells: list[str]


class ScoreFiles:
    """Reads the files of scores of one language pair into a draft.

    Parameters
    ----------
    draft : Draft
    units : mapping of str to sequence
        By level: the indices of the segments in the draft, the documents and domains, and "" for a whole system.
    table : Path
        The file that lists documents and domains.
    """

    def __init__(self, draft: Draft, units: Mapping[str, Sequence[Any]], table: Path) -> None:
        self.files = draft.files
        self.draft = draft
        self.units = units
        self.table = table

    def read(self, paths: Sequence[Path], pair: str, origin: str) -> None:
        """Take files of scores, human ones of segments as judgments; note those of levels that a corpus has not."""
        unread = []
        for path in paths:
            name, level = name_and_level(path, pair)
            if not level:
                unread.append(path)
            elif level == "segment" and origin == "human":
                self._judgments(path, name)
            elif level in ("document", "domain") and not self.units[level]:
                table = self.files.location(self.table)
                self.files.error(path, f"has scores of {level}s, but {table}, which lists them, is missing.")
            else:
                self.files.seal(path)
                read = partial(self._values, path, level)
                self.draft.scores.append(ScoreFile(self.files.location(path), name, origin, level, read))
        if unread:
            names = listing((path.name for path in unread), 3)
            self.files.note(
                unread[0].parent,
                f"has {counted(len(unread), 'file')} without scores of segments, documents, domains or systems, left "
                f"unread: {names}.",
            )

    def _values(self, path: Path, level: str) -> ScoreRows | None:
        """Return the scores of a file that are not missing."""
        text, location, problems = self.files.opened(path)
        if text is None:
            return None
        regular = self._regular(location, level, text)
        if regular is not None:
            return regular
        rows = self._blocks(path, level, text, (3,) if level == "domain" else (2,))
        present = [row for row in rows if row.cells[0].strip().lower() not in _MISSING_SCORES]
        lines = Rows(location, [row.number for row in present])
        values = numbers([row.cells[0].strip() for row in present], lines, problems, hint="A missing score is None.")
        units = [row.unit for row in present]
        of_rows = np.array(units, dtype=np.int32) if level == "segment" else units
        return ScoreRows(lines, [row.system for row in present], of_rows, values)

    def _regular(self, location: str, level: str, text: str) -> ScoreRows | None:
        """Return the scores of a file as nearly all are, faster: whole blocks that follow each other; else None."""
        words = text.split()
        units = self.units[level]
        names = words[::2]
        scores = words[1::2]
        n = len(units)
        n_lines = text.count("\n") + (not text.endswith("\n"))
        if level == "domain" or len(words) != 2 * n_lines or not n or n_lines % n:
            return None
        systems = names[::n]
        whole = (names[start : start + n].count(names[start]) == n for start in range(0, n_lines, n))
        # Python takes underscores and the digits of other scripts in numbers, which are none here.
        plain = text.count("_") == n * sum(name.count("_") for name in systems)
        plain = plain and (text.isascii() or "".join(scores).isascii())
        if not plain or not all(whole) or len({*systems}) < len(systems):
            return None
        try:
            values = np.fromiter(map(float, scores), np.float64, n_lines)
        except ValueError:
            return None
        of_rows = np.tile(np.asarray(units), len(systems)) if level == "segment" else [*units] * len(systems)
        # One string for all rows of a system, whose hash is computed once.
        named = [name for name in systems for _ in range(n)]
        score_rows = ScoreRows(Rows(location, range(1, n_lines + 1)), named, of_rows, values)
        return score_rows if np.isfinite(values).all() else None

    def _blocks(self, path: Path, level: str, text: str, columns: Sequence[int]) -> Iterator[_Line]:
        """Yield the lines of a file; a system must have a line for each unit."""
        location = self.files.location(path)
        units = self.units[level]
        blocks: dict[str, list[tuple[int, list[str]]]] = {}
        wrong: list[tuple[int, str]] = []
        for number, line in enumerate(split_lines(text), start=1):
            parts = line.split("\t") if "\t" in line else line.split()
            if len(parts) not in columns:
                wrong.append((number, f"must have {columns[0]} columns; got {line[:60]!r}."))
            elif level != "domain":
                blocks.setdefault(parts[0].strip(), []).append((number, parts[1:]))
            elif parts[0].strip() not in units:
                wrong.append((number, f"the domain must be one of {listing(units)}; got {parts[0].strip()!r}."))
            elif not wrong:
                yield _Line(number, parts[1].strip(), parts[0].strip(), parts[2:])
        for name, block in blocks.items() if not wrong else ():
            if len(block) != len(units):
                lines = (
                    f"has {counted(len(block), 'line')} of {name!r} but must have {len(units)}, one for each {level}."
                )
                wrong.append((block[0][0], lines))
        for number, message in wrong:
            self.files.error(f"{location}:{number}", message)
        for name, block in blocks.items() if not wrong else ():
            for unit, (number, parts) in zip(units, block, strict=True):
                yield _Line(number, name, unit, parts)

    def _judgments(self, path: Path, name: str) -> None:
        """Read human scores of segments: the judge and the criterion have the name of the file."""
        self.draft.declare(Criterion(name, -np.inf, np.inf, higher_is_better=True), self.files.location(path))
        score_rows = self._values(path, "segment")
        if score_rows is not None:
            names = [name] * len(score_rows.systems)
            keys = np.asarray(score_rows.units, dtype=np.int32)
            self.draft.judgments.append(
                JudgmentRows(score_rows.rows, keys, score_rows.systems, names, names, score_rows.values)
            )

    def ratings(self, path: Path, name: str, criterion: str, weights: Weights, *, takes_scores: bool) -> None:
        """Read errors: the judge is the rater of the line, or has the name of the file.

        Where `takes_scores`, an error counts with the score that it has, and with its weight where it has none.
        """
        file = Source(path, self.draft)
        strange = dict[str, list[int]]()
        self.draft.declare(Criterion(criterion, 0.0, np.inf, higher_is_better=False), file.location)
        for number, system, segment, cells in self._blocks(path, "segment", self.files.text(path) or "", (2, 3)):
            errors = None if cells[0].strip() == "None" else self._errors(cells[0], file.at(number))
            if errors is None:
                continue
            total = Fraction(0)
            judge = cells[1].strip() if len(cells) > 1 else name
            for error in errors:
                if takes_scores and error.get("score") is not None:
                    score = json_number(self.files, error["score"], file.at(number), "the score of an error")
                    total += Fraction(repr(score or 0.0))
                    continue
                severity = str(error.get("severity") or "")
                weight = weights.weight(severity, str(error.get("category") or ""))
                if weight is None:
                    strange.setdefault(severity, []).append(number)
                total += weight or 0
            self.draft.spans.extend(file.spans(errors, number, segment, system, judge, "start end"))
            file.judged.append(Judgment(number, segment, system, judge, criterion, float(total)))
        weights.note_unknown(strange, "error", file.location, self.files)
        file.judge()

    def _errors(self, text: str, location: str) -> list[dict[str, Any]] | None:
        """Return the errors of a rating, or None after noting that it is none."""
        rating = parse_json(text, location, self.files.problems)
        errors = rating.get("errors") if isinstance(rating, dict) else None
        if isinstance(errors, list) and all(isinstance(error, dict) for error in errors):
            return errors
        if rating is not BROKEN:
            self.files.error(location, f'a rating must look like {{"errors": [...]}}; got {text[:60]!r}.')
        return None


def name_and_level(path: Path, pair: str) -> tuple[str, str]:
    """Return the name of a file of scores and its level; "" for a level that a corpus has not."""
    stem = packed_or_not(path).name.removeprefix(f"{pair}." if pair else "")
    parts = stem.split(".")
    if len(parts) < 3 or parts[-1] not in ("score", "rating"):
        return stem, ""
    return ".".join(parts[:-2]), _LEVEL_BY_SUFFIX.get(parts[-2], "")
