"""Scores of files, found by system and segment.

Never by position alone: only formats whose segments have no name are read by the order of their rows, must have as many
as there are segments, and must have the texts of the corpus where they have texts. A directory may have a file for
each system, or for each metric.
"""

from __future__ import annotations

import hashlib
import itertools
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np

from metaeval.corpora.segment_index import SegmentIndex
from metaeval.corpora.tables.headers import criterion_named, names_rating
from metaeval.corpora.text_files import visible
from metaeval.datamodel.corpus import Corpus, FloatArray, IntArray
from metaeval.errors import CorpusError, MetricError, UsageError, listing
from metaeval.metrics.text_metric import TextMetric, better
from metaeval.parameters.calls import Signature
from metaeval.parameters.fields import parameter
from metaeval.scores.precomputed import Precomputed, are_means, without_scores
from metaeval.scores.score_files import FileRows, read_content, read_rows
from metaeval.scores.score_tables import (
    ScoreRow,
    ScoreTable,
    columns_of_numbers,
    counts_errors,
    metrics_of,
    score_table,
    system_named,
)
from metaeval.version import VERSION

_MAX_SHOWN_ERRORS = 5
_MAX_SHOWN_LINES = 3
# Ways to identify segments, in words.
_WAYS_TO_IDENTIFY = {"ids": "id", "numbers": "number", "document": "number in the document"}
# Files of a run: its scores, and one that every run has.
_RUN_FILES = ("scores.tsv", "manifest.json")


@dataclass(frozen=True)
class FileScores(Precomputed):
    """Scores of a file, or of a directory with a file for each system or metric, in many formats."""

    name: ClassVar[str] = "scores"
    prefix: ClassVar[str] = "scores"

    file: str = parameter(doc="the file or directory; relative to the current directory")
    metric: str = parameter("", doc="which metric to take, where the file holds several; * stands for any letters")
    level: str = parameter("", doc="segment or system; recognised if not given", choices=("", "segment", "system"))
    segments: str = parameter(
        "",
        doc="how segments are identified: by their ids, by their numbers in the corpus, or by their numbers in the "
        "document; recognised if not given",
        choices=("", *_WAYS_TO_IDENTIFY),
    )
    only: tuple[str, ...] = parameter((), doc='column=value: which rows to take, as in only=["lp=en-de"]')
    higher_is_better: bool = parameter(True, doc="whether a high score is good")

    def __post_init__(self) -> None:
        if not os.path.exists(self.path):  # unlike that of Path, it takes a name of any length
            raise UsageError(f"scores: there is no file {self.file!r} (the current directory is {str(Path.cwd())!r}).")

    @property
    def path(self) -> Path:
        """The file, or the directory."""
        return Path(self.file).expanduser()

    @cached_property
    def _files(self) -> tuple[Path, ...]:
        """The file alone, or the visible ones of the directory and the directories in it."""
        if not self.path.is_dir():
            return (self.path,)
        if all((self.path / name).is_file() for name in _RUN_FILES):
            return (self.path / _RUN_FILES[0],)
        try:
            files = tuple(visible(self.path))
        except OSError as error:
            raise CorpusError(f"{self.file}: cannot be read: {error.strerror}.") from error
        if not files:
            raise UsageError(f"scores: the directory {self.file!r} is empty.")
        return files

    @cached_property
    def _contents(self) -> dict[Path, bytes]:
        # Read once, so that scores and digest are of the same file, whatever becomes of it.
        return {path: read_content(path, self._shown(path)) for path in self._files if not path.is_dir()}

    @cached_property
    def _tables(self) -> dict[tuple[object, ...], ScoreTable]:
        return {}

    def _shown(self, path: Path) -> str:
        """Return a file as messages name it: as the user wrote it."""
        return self.file if path == self.path else str(Path(self.file) / path.relative_to(self.path))

    def table(self, corpus: Corpus) -> ScoreTable:
        """Return the wanted scores of the file, or of the files of a directory that are called after systems."""
        corpus = corpus.whole[0] if corpus.whole else corpus
        key = (corpus.name, corpus.digest, corpus.systems, corpus.n_segments)
        if key not in self._tables:
            self._tables[key] = _joined(
                [self._table_of(path, corpus) for path in self._system_files(corpus)], self.file
            )
        return self._tables[key]

    def _system_files(self, corpus: Corpus) -> list[Path]:
        """Return the files that are called after systems, where the directory has any; else all."""
        named = [path for path in self._files if system_named(path.name, corpus.systems) and not path.is_dir()]
        return named if self.path.is_dir() and named else list(self._files)

    def _read(self, path: Path, corpus: Corpus) -> FileRows:
        return read_rows(self._contents[path], self._shown(path), corpus.systems)

    def _table_of(self, path: Path, corpus: Corpus) -> ScoreTable:
        location = self._shown(path)
        rows = self._read(path, corpus)
        is_named = "system" in rows.columns or len(corpus.systems) == 1 or system_named(path.name, corpus.systems)
        if not is_named:
            raise CorpusError(f"{location}: names no system.{_one_each(corpus)}")
        name = corpus.systems[0] if len(corpus.systems) == 1 else path.name
        return score_table(rows, location, name, corpus, self)

    def metrics_in(self, corpus: Corpus, notes: list[str]) -> Mapping[str, TextMetric] | None:
        """Return the metrics that a directory or a pattern stands for, by the names that a user writes.

        None where it is one metric. Adds to `notes` what was left out.
        """
        if self.path.is_dir():
            return self._metrics_in_directory(corpus, notes)
        return self._metrics_in_file(corpus, notes) if "*" in self.metric else None

    def _metrics_in_file(self, corpus: Corpus, notes: list[str]) -> Mapping[str, TextMetric]:
        """Return the metrics of the file that the pattern fits; adds to `notes` what was left out."""
        rows = self._read(self.path, corpus)
        names = metrics_of(rows)
        if not names:
            # A column for each metric, beside others that people have filled in.
            criteria = {criterion.name.lower() for criterion in corpus.criteria}
            ratings: list[str] = []
            for column in columns_of_numbers(rows):
                if names_rating(column) or criterion_named(column).lower() in criteria:
                    ratings.append(column)
                else:
                    names.append(column)
            if ratings:
                notes.append(f"{self.file}: columns of ratings are left out: {listing(ratings)}.")
        metrics = [
            replace(self, metric=name, higher_is_better=self.higher_is_better and not counts_errors(name))
            for name in names
            if fnmatchcase(name, self.metric)
        ]
        if not metrics:
            raise UsageError(f"{self.file}: has no metric {self.metric!r}; it has {listing(names)}.")
        return {metric.typed(): metric for metric in metrics}

    def _metrics_in_directory(self, corpus: Corpus, notes: list[str]) -> Mapping[str, TextMetric] | None:
        """Return the metrics of the files, unless these are called after systems; adds to `notes` what was left out."""
        of_systems = self._system_files(corpus)
        if of_systems != list(self._files):
            others = listing(path.name for path in self._files if path not in of_systems)
            notes.append(f"{self.file}: files that are not called after a system are left out: {others}.")
        if any(system_named(path.name, corpus.systems) for path in of_systems):
            return None
        metrics: dict[str, TextMetric] = {}
        for path in of_systems:
            of_file = replace(self, file=self._shown(path))
            if not path.is_dir() and len(metrics_of(of_file._read(path, corpus))) > 1:
                of_file = replace(of_file, metric=self.metric or "*")
            several = of_file.metrics_in(corpus, notes)
            metrics |= {of_file.typed(): of_file} if several is None else several
        return metrics

    def at_level(self, corpus: Corpus, *, whole: bool) -> TextMetric:
        """Return the system-level scores that stand beside those of segments, unless they are their means."""
        if not whole or self.level or corpus.whole or not (of_systems := self.table(corpus).of_systems):
            return self
        scores, _ = self.values(corpus)
        stored = np.array([of_systems.get(name, np.nan) for name in corpus.systems])
        return self if are_means(stored, scores) else replace(self, level="system")

    @property
    def title(self) -> str:
        """The name of the metric in the file, or the name of the file."""
        return self.metric or self.path.name.partition(".")[0] or self.file

    @cached_property
    def signature(self) -> Signature:
        """File and its digest, what is taken of it, direction, version."""
        total = hashlib.sha256()
        for path, content in self._contents.items():
            # One file is identified by what stands in it, whatever it is called.
            if len(self._contents) > 1:
                total.update(f"{path.name}\n".encode())
            total.update(content)
        digest = total.hexdigest()[:8]
        pairs: list[tuple[str, object]] = [("file", f"{self.path.name}@{digest}")]
        pairs += [
            (name, value)
            for name in ("metric", "level", "segments", "only")
            if (value := getattr(self, name)) not in ("", ())
        ]
        return Signature(self.name).with_pairs((*pairs, ("better", better(self)), ("version", VERSION)))

    @property
    def described(self) -> str:
        """The making of the score of a document, in sentences."""
        return (
            f"Scores that were computed before, of the file {self.path.name}. The score of a document is the mean of "
            f"the scores of its segments that are present; {better(self)} is better."
        )

    def of_whole_systems(self, corpus: Corpus) -> bool:
        """Return whether the file has system-level scores."""
        return self.table(corpus).level == "system"

    def scores_system(self, corpus: Corpus, name: str) -> bool:
        """Return whether the file has scores of that name."""
        return any(row.system == name for row in self.table(corpus).rows)

    def values(self, corpus: Corpus) -> tuple[FloatArray, tuple[str, ...]]:
        """Return the scores of the systems of a corpus and what to note.

        Raises
        ------
        CorpusError
            If at most one system has some, a segment is unknown, one has two scores, or segments can be understood in
            two ways.
        """
        if corpus.whole is not None:
            return self._part_scores(corpus, *corpus.whole)
        table = self.table(corpus)
        errors: list[str] = []
        notes = list(table.notes)
        self._check_systems(table, corpus, notes)
        rows = [row for row in table.rows if row.system in corpus.systems]
        if table.level == "system":
            width = 1
            index: Mapping[tuple[str, str], int] = dict.fromkeys(((row.document, row.segment) for row in rows), 0)
        else:
            width = corpus.n_segments
            index = self._segments(table, corpus, rows, errors, notes)
        scores = np.full((len(corpus.systems), width), np.nan)
        seen: dict[tuple[int, int], ScoreRow] = {}
        other_texts: list[tuple[ScoreRow, str]] = []
        repeated = 0
        for row in rows:
            segment = index.get((row.document, row.segment))
            if segment is None:
                continue
            cell = (corpus.systems.index(row.system), segment)
            other = seen.setdefault(cell, row)
            if other is not row and other.value != row.value:
                errors.append(
                    f"{row.where}: scores system {row.system!r}, segment {row.segment!r} a second time, with "
                    f"{row.value} after {other.value} at {other.where}."
                )
            repeated += other is not row
            output = corpus.candidates[cell[0]][segment] if table.level == "segment" else None
            if row.text is not None and output is not None and row.text.split() != output.split():
                other_texts.append((row, output))
            scores[cell] = np.nan if row.value is None else row.value
        if other_texts:
            row, output = other_texts[0]
            count = len(other_texts)
            theirs, ours = _first_difference(str(row.text), output)
            difference = (
                f"{row.where}: the output of system {row.system!r} for segment {row.segment!r} is {theirs} in the file "
                f"and {ours} in corpus {corpus.name!r}"
            )
            if table.ordered:
                errors.append(f"{difference}; {count} texts differ, and nothing but the order tells the segments.")
            else:
                notes.append(f"{difference}; {count} texts differ.")
        if errors:
            more = f"\n... and {len(errors) - _MAX_SHOWN_ERRORS} more" if len(errors) > _MAX_SHOWN_ERRORS else ""
            raise CorpusError("\n".join(errors[:_MAX_SHOWN_ERRORS]) + more)
        if repeated:
            notes.append(f"{table.location}: {repeated} rows repeat an earlier one, with the same score.")
        return scores, (*notes, *self._missing(scores, corpus))

    def _part_scores(self, corpus: Corpus, whole: Corpus, segments: IntArray) -> tuple[FloatArray, tuple[str, ...]]:
        """Return the scores of some segments: the file has those of the whole corpus."""
        scores, notes = self.values(whole)
        if self.of_whole_systems(whole):
            raise MetricError(
                f"{self.file}: has scores of whole systems alone, which do not hold for the {corpus.n_segments} of "
                f"{whole.n_segments} segments that the filter leaves."
            )
        return scores[[whole.systems.index(name) for name in corpus.systems]][:, segments], notes

    def _check_systems(self, table: ScoreTable, corpus: Corpus, notes: list[str]) -> None:
        """Note which systems a file lacks, and what it has beyond them; refuse one that has none or one of them."""
        rows_of: dict[str, list[ScoreRow]] = {}
        for row in table.rows:
            rows_of.setdefault(row.system, []).append(row)
        others = {name: rows for name, rows in rows_of.items() if name not in corpus.systems}
        lacking = [name for name in corpus.systems if name not in rows_of]
        shown = "; ".join(f"{name!r} ({rows[0].where}, {len(rows)} rows)" for name, rows in list(others.items())[:5])
        other = f" It has other systems: {shown}. Are names spelt alike?" if others else ""
        if len(corpus.systems) - len(lacking) < min(2, len(corpus.systems)):
            hint = _one_each(corpus) if len(rows_of) == 1 else ""
            raise CorpusError(
                f"{table.location}: has no scores of the systems {listing(lacking)} of corpus {corpus.name!r}."
                f"{other}{hint}"
            )
        if lacking:
            notes.append(f"{table.location}: {without_scores(lacking)}.{other}")
        elif others:
            notes.append(f"{table.location}: {len(others)} systems are not in the corpus and were left out: {shown}.")

    def _segments(
        self, table: ScoreTable, corpus: Corpus, rows: Sequence[ScoreRow], errors: list[str], notes: list[str]
    ) -> Mapping[tuple[str, str], int]:
        """Return the index of each segment of the file, by its document and its name there."""
        if table.ordered:
            counts = dict.fromkeys(corpus.systems, 0)
            for row in rows:
                counts[row.system] += 1
            errors += [
                f"{table.location}: has {count} lines of system {name!r} but must have {corpus.n_segments}, one for "
                "each segment, because this format identifies segments by their order."
                for name, count in counts.items()
                if count not in (0, corpus.n_segments)
            ]
            notes.append(f"{table.location}: segments are identified by the order of the lines, as in this format.")
            return {("", str(number)): number - 1 for number in range(1, corpus.n_segments + 1)}
        keys = list(dict.fromkeys((row.document, row.segment) for row in rows))
        # Where the user does not say how segments are identified, documents must agree too.
        segments_by = SegmentIndex.from_corpus(corpus).ways(keys, check_documents=not self.segments)
        chosen = self.segments
        if not chosen:
            complete = [way for way in _WAYS_TO_IDENTIFY if len(segments_by[way]) == len(keys)]
            for way in complete[1:]:
                first, other = segments_by[complete[0]], segments_by[way]
                if first != other:
                    key = next(key for key in keys if first[key] != other[key])
                    raise CorpusError(
                        f"{table.location}: segment {key[1]!r} may be segment {first[key] + 1} of corpus "
                        f"{corpus.name!r} (by {_WAYS_TO_IDENTIFY[complete[0]]}) or segment {other[key] + 1} (by "
                        f"{_WAYS_TO_IDENTIFY[way]}); type {self.typed(segments=complete[0])} or "
                        f"{self.typed(segments=way)}."
                    )
            chosen = complete[0] if complete else max(_WAYS_TO_IDENTIFY, key=lambda way: len(segments_by[way]))
        unknown_keys = [key for key in keys if key not in segments_by[chosen]]
        if unknown_keys:
            lines = [row for row in rows if (row.document, row.segment) == unknown_keys[0]]
            shown = listing(("/".join(filter(None, key)) for key in unknown_keys), 3)
            locations = [row.where for row in lines[:_MAX_SHOWN_LINES]]
            if len(lines) > _MAX_SHOWN_LINES:
                locations.append(f"and {len(lines) - _MAX_SHOWN_LINES} more lines")
            error = (
                f"{locations[0]}: {len(unknown_keys)} of {len(keys)} segments are none of corpus {corpus.name!r}, "
                f"which has {corpus.n_segments} (identified by {_WAYS_TO_IDENTIFY[chosen]}): {shown} "
                f"({', '.join(locations)}). Its ids look like {listing(corpus.segment_ids[:2])}."
            )
            if any(segment == "0" for _, segment in unknown_keys):
                error += " Segments are counted from 1; where the file counts from 0, add 1 to each of its numbers."
            errors.append(error)
        return segments_by[chosen]


def _one_each(corpus: Corpus) -> str:
    """Explain what to do with files that hold one system each."""
    names = ", ".join(f"DIR/{name}.txt" for name in corpus.systems[:2])
    return f" Where a file holds one system, put one for each into a directory, {names}, ..., and type scores:DIR."


def _joined(tables: Sequence[ScoreTable], location: str) -> ScoreTable:
    """Return the scores of several files as one table."""
    first, *others = tables
    for other in others:
        if (other.level, other.ordered) != (first.level, first.ordered):
            kinds = [f"scores of {table.level}s{' in order' if table.ordered else ''}" for table in (other, first)]
            raise CorpusError(
                f"{other.location}: holds {kinds[0]}, and {first.location} {kinds[1]}; they must be alike."
            )
    if not others:
        return first
    of_systems = {name: value for table in tables for name, value in table.of_systems.items()}
    notes = tuple(dict.fromkeys(note for table in tables for note in table.notes))
    rows = tuple(row for table in tables for row in table.rows)
    return ScoreTable(location, first.level, first.ordered, rows, of_systems, notes)


def _first_difference(*texts: str) -> list[str]:
    """Return the parts of texts where they begin to differ, with what stands shortly before."""
    same = itertools.takewhile(lambda letters: len(set(letters)) == 1, zip(*texts, strict=False))
    start = max(0, sum(1 for _ in same) - 20)
    end = start + 60
    before = "..." if start > 0 else ""
    return [f"{before}{text[start:end]!r}{'...' if len(text) > end else ''}" for text in texts]
