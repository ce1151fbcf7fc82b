"""Which scores of a file are meant: of one metric, language pair, test set, reference and level, on one corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from metaeval.components.registries import METRICS
from metaeval.corpora.judgment_columns import NUMBER
from metaeval.corpora.tables.headers import names_rating
from metaeval.datamodel.corpus import Corpus
from metaeval.errors import CorpusError, UsageError, listing, unknown
from metaeval.metrics import get_metric
from metaeval.scores.score_files import Rows, is_score, score_of

if TYPE_CHECKING:
    from metaeval.scores.file_scores import FileScores

# What the rows of a whole system have in the place of a segment.
_WHOLE = ("", "all")
# What the scores of a submission are of, in its own words.
_STATED = ("lp", "testset", "reference")
# Columns of which rows must have one value: the first that fits the corpus is taken, the others the user chooses.
_FITTING = ("corpus", "lp", "testset")
_ONE_VALUE = (*_FITTING, "reference", "panel", "preprocessing", "subset")


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A score of a file with its place; None where it is missing. A segment without a name has its number."""

    where: str
    system: str
    document: str
    segment: str
    value: float | None
    text: str | None


@dataclass(frozen=True)
class ScoreTable:
    """The scores of one metric in a file.

    Attributes
    ----------
    place : str
        The file, for messages.
    level : {"segment", "system"}
    ordered : bool
        Whether segments are identified by their order alone.
    rows : tuple of ScoreRow
        Those of the level.
    of_systems : mapping of str to float
        The scores of whole systems that stand beside those of segments.
    notes : tuple of str
        What was chosen, or left out.
    """

    place: str
    level: str
    ordered: bool
    rows: tuple[ScoreRow, ...]
    of_systems: dict[str, float]
    notes: tuple[str, ...]


def system_named(file: str, systems: Sequence[str]) -> str | None:
    """Return the system after which a file is called, such as ``out/A.de-en.txt`` after ``A``; None if after none."""
    name = PurePath(file).name
    return max((one for one in systems if name == one or name.startswith(f"{one}.")), key=len, default=None)


def score_table(found: Rows, place: str, name: str, corpus: Corpus, wanted: FileScores) -> ScoreTable:
    """Return the scores that a user wants.

    Parameters
    ----------
    found : Rows
        What stands in the file.
    place : str
        The file as messages name it.
    name : str
        Of the file, after which the system is called where nothing else names it.
    corpus : Corpus
    wanted : FileScores
        Its parameters say what the user wants of the file.

    Raises
    ------
    CorpusError
        If a row is wrong; with file, line and value.
    UsageError
        If the file holds scores of several metrics, language pairs or references and nothing says which to take.
    """
    notes = list(found.notes)
    found = _chosen(found, place, corpus, wanted, notes)
    column = _value_column(found, place, wanted)
    metrics = metrics_of(found)
    if len(metrics) > 1 and "metric" in found.columns:
        one, every = (wanted.typed(metric=metric) for metric in (metrics[0], "*"))
        raise UsageError(f"{place}: holds several metrics, {listing(metrics)}; name one, {one}, or all, {every}.")
    found = found.at(row for row, level in enumerate(found.of("level")) if level != "document")
    made = list(_rows(found, column, name, corpus))
    if found.by_file and not any(row.system in corpus.systems for row in made):
        names = listing(dict.fromkeys(row.system for row in made), 3)
        raise CorpusError(
            f"{place}: names files of outputs, {names}, none called after a system of corpus {corpus.name!r}; call "
            f"them {corpus.systems[0]}.txt and so on, in {place} too."
        )
    whole, parts = [row for row in made if not row.segment], [row for row in made if row.segment]
    if found.ordered and parts == []:
        counts = Counter(row.system for row in whole)
        if max(counts.values(), default=0) > 1 or (corpus.n_segments == 1 and wanted.level != "system"):
            whole, parts = [], _numbered(whole)
    level = wanted.level or ("segment" if parts else "system")
    columns = listing(found.columns.values())
    if level == "segment" and not parts:
        raise CorpusError(f"{place}: has no column `segment` (it has {columns}), so no scores of segments.")
    if level == "system" and not whole:
        raise CorpusError(f"{place}: every row has a segment, so there are no system-level scores.")
    if level == "segment" and whole and {row.system for row in parts} - {row.system for row in whole}:
        raise CorpusError(f"{whole[0].where}: has no segment, and others have; fill it in.")
    if level == "system" and parts:
        typed = wanted.typed(level="segment")
        notes.append(f"{place}: its scores of whole systems are used; the means of those of segments are {typed}.")
    of_systems = {row.system: row.value for row in whole if row.value is not None} if level == "segment" else {}
    if wanted.higher_is_better and (found.columns.get("score") == "prediction" or any(map(counts_errors, metrics))):
        what = f"the metric {metrics[0]!r}" if metrics else "MetricX, whose predictions go from 0 to 25,"
        typed = wanted.typed(higher_is_better=False)
        notes.append(f"{place}: {what} counts errors, so that a low score is good: type {typed}.")
    return ScoreTable(place, level, found.ordered, tuple(parts if level == "segment" else whole), of_systems, (*notes,))


def counts_errors(metric: str) -> bool:
    """Return whether a name in a file is that of a metric of ours of which a low score is good."""
    try:
        return metric.partition("(")[0] in METRICS and not get_metric(metric).higher_is_better
    except UsageError:
        return False


def metrics_of(found: Rows) -> list[str]:
    """Return the metrics that rows name."""
    return [str(metric) for metric in dict.fromkeys(found.of("metric")) if metric is not None]


def columns_of_numbers(found: Rows) -> list[str]:
    """Return the columns of a file that hold numbers, but for those that say whose they are, by their names in it."""
    named = ("system", "document", "segment", "lp", "text", "metric", "testset", "reference", *_ONE_VALUE)
    cells = {name: found.texts(column) for column, name in found.columns.items() if column not in named}
    numbers = [name for name, of in cells.items() if any(map(NUMBER.fullmatch, of)) and all(map(is_score, of))]
    return sorted(numbers, key=names_rating)  # people may have filled in those that are called as ratings


def _rows(found: Rows, column: str, name: str, corpus: Corpus) -> Iterator[ScoreRow]:
    """Give the rows with what they say, systems by their names in the corpus."""
    known: dict[str, str] = {}
    columns = (found.of("system", name), *map(found.of, ("segment", "document", "text", column)))
    for where, given, segment, document, text, value in zip(found.places, *columns, strict=True):
        segment = "" if segment is None else segment
        if not isinstance(given, str) or not given.strip():
            raise CorpusError(f"{where}: the system must be a name; got {given!r}.")
        if isinstance(segment, bool) or not isinstance(segment, str | int):
            raise CorpusError(f"{where}: the segment must be an id or a number; got {segment!r}.")
        given = given.strip()
        if given not in known:
            by_file = found.by_file or "system" not in found.columns
            named = [system_named(one, corpus.systems) for one in (given, name)] if by_file else []
            known[given] = next(filter(None, named), given)
        shown = str(segment).strip()
        document = "" if found.ordered else str(document or "").strip()
        text = text if isinstance(text, str) else None
        yield ScoreRow(where, known[given], document, "" if shown in _WHOLE else shown, score_of(value, where), text)


def _numbered(rows: Sequence[ScoreRow]) -> list[ScoreRow]:
    """Return the rows of segments without a name, by their numbers: those of each system in their order."""
    counts, made = Counter[str](), []
    for row in rows:
        counts[row.system] += 1
        made.append(ScoreRow(row.where, row.system, "", str(counts[row.system]), row.value, row.text))
    return made


def _chosen(rows: Rows, place: str, corpus: Corpus, wanted: FileScores, notes: list[str]) -> Rows:
    """Return the rows that the user wants, of one metric, language pair, test set and reference."""
    columns = rows.columns
    by_name = {name: column for column, name in columns.items()}
    for item in wanted.only:
        column, equals, value = item.partition("=")
        column = by_name.get(column, column)
        if not equals or column not in columns:
            raise UsageError(f"{place}: `only` must be column=value; {unknown('column', column, columns)}")
        values = rows.values(column)
        if value not in values:
            raise UsageError(f"{place}: `only`: column {column!r} has no {value!r}; it has {listing(values)}.")
        rows = rows.where(column, value)
    if wanted.metric and "metric" in columns and wanted.metric not in by_name:
        names = metrics_of(rows)
        if wanted.metric not in names:
            raise UsageError(f"{place}: {unknown('metric', wanted.metric, names)}")
        rows = rows.where("metric", wanted.metric)
    for column in _ONE_VALUE:
        # Beside the text of an output, `reference` is a text too.
        values = [] if column == "reference" and "text" in columns else rows.values(column)
        if len(values) < 2:
            continue
        fitting = _fitting(rows, column, values, corpus) if column in _FITTING else None
        if fitting is None:
            typed = wanted.typed(only=[*wanted.only, f"{column}={values[0]}"])
            raise UsageError(f"{place}: holds several values of {column!r}, {listing(values)}; type {typed}.")
        rows = rows.where(column, fitting)
        if column != "corpus":
            others = listing([value for value in values if value != fitting], 3)
            notes.append(f"{place}: of the column {column!r} the rows of {fitting!r} fit the corpus, not {others}.")
    stated = {column: rows.values(column) for column in _STATED if "text" not in columns}
    if any(stated.values()):
        # Systems of other test sets may have the same names.
        shown = ", ".join(f"{column} {values[0]!r}" for column, values in stated.items() if values)
        notes.append(f"{place}: the scores are of {shown}, as the file says.")
    if "segment" not in columns and "all" in rows.values("domain"):
        # Systems have a score for each domain, and one for all.
        rows = rows.where("domain", "all")
    return rows


def _fitting(rows: Rows, column: str, values: Sequence[str], corpus: Corpus) -> str | None:
    """Return the value that is the name of a corpus; or of those of its languages, if any, the one with its systems."""
    if column == "corpus":
        return corpus.name if corpus.name in values else None
    languages = [corpus.facts.get(name, "") for name in ("source language", "language")] * (column == "lp")
    # A country may follow the language, as in en-de_DE.
    ours = [
        value
        for value in values
        if all(
            not one or one in (two, two.partition("_")[0])
            for one, two in zip(languages, value.partition("-")[::2], strict=False)
        )
    ]
    systems: dict[str, set[str]] = {value: set() for value in ours or values}
    for value, system in zip(rows.texts(column), rows.of("system"), strict=True):
        if value in systems and system in corpus.systems:
            systems[value].add(system)
    most = max(map(len, systems.values()))
    fitting = [value for value, found in systems.items() if len(found) == most]
    return fitting[0] if len(fitting) == 1 and most else None


def _value_column(found: Rows, place: str, wanted: FileScores) -> str:
    """Return the column of the scores: that of a metric that the user names, or `score`."""
    by_name = {name: column for column, name in found.columns.items()}
    if wanted.metric and wanted.metric in by_name:
        return by_name[wanted.metric]
    if "score" not in found.columns:
        numbers = [] if wanted.metric else columns_of_numbers(found)
        typed = f" Type {wanted.typed(metric=numbers[0])} for the first of its columns of numbers." if numbers else ""
        raise CorpusError(
            f"{place}: has neither a column `score` nor one that `metric` names (got {wanted.metric!r}); it has "
            f"{listing(found.columns.values())}.{typed}"
        )
    if wanted.metric and "metric" not in found.columns:
        raise UsageError(f"{place}: has no column `metric`, so `metric` has nothing to choose from.")
    return "score"
