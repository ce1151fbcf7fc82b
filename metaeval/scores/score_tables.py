"""The choice of scores in a file: of one metric, language pair, test set, reference and level, on one corpus."""

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
from metaeval.scores.score_files import FileRows, is_score, score_of

if TYPE_CHECKING:
    from metaeval.scores.file_scores import FileScores

# Cells of rows of a whole system in the column of segments.
_NO_SEGMENT = ("", "all")
# Columns of a submission that say what its scores are of.
_STATED_COLUMNS = ("lp", "testset", "reference")
# Columns of which rows must have one value: the first that fits the corpus is taken, the others the user chooses.
_CORPUS_COLUMNS = ("corpus", "lp", "testset")
_SINGLE_VALUE_COLUMNS = (*_CORPUS_COLUMNS, "reference", "panel", "preprocessing", "subset")


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
    location : str
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

    location: str
    level: str
    ordered: bool
    rows: tuple[ScoreRow, ...]
    of_systems: dict[str, float]
    notes: tuple[str, ...]


def system_named(file: str, systems: Sequence[str]) -> str | None:
    """Return the system after which a file is called, such as ``out/A.de-en.txt`` after ``A``; None if after none."""
    name = PurePath(file).name
    return max((system for system in systems if name == system or name.startswith(f"{system}.")), key=len, default=None)


def score_table(rows: FileRows, location: str, name: str, corpus: Corpus, wanted: FileScores) -> ScoreTable:
    """Return the scores that a user wants.

    Parameters
    ----------
    rows : FileRows
        Those of the file.
    location : str
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
    notes = list(rows.notes)
    rows = _chosen(rows, location, corpus, wanted, notes)
    column = _value_column(rows, location, wanted)
    metrics = metrics_of(rows)
    if len(metrics) > 1 and "metric" in rows.columns:
        first, every = (wanted.typed(metric=metric) for metric in (metrics[0], "*"))
        raise UsageError(f"{location}: holds several metrics, {listing(metrics)}; name one, {first}, or all, {every}.")
    rows = rows.at(row for row, level in enumerate(rows.column("level")) if level != "document")
    score_rows = list(_rows(rows, column, name, corpus))
    if rows.by_file and not any(row.system in corpus.systems for row in score_rows):
        names = listing(dict.fromkeys(row.system for row in score_rows), 3)
        raise CorpusError(
            f"{location}: names files of outputs, {names}, none called after a system of corpus {corpus.name!r}; call "
            f"them {corpus.systems[0]}.txt and so on, in {location} too."
        )
    whole = [row for row in score_rows if not row.segment]
    parts = [row for row in score_rows if row.segment]
    if rows.ordered and parts == []:
        counts = Counter(row.system for row in whole)
        if max(counts.values(), default=0) > 1 or (corpus.n_segments == 1 and wanted.level != "system"):
            parts = _numbered(whole)
            whole = []
    level = wanted.level or ("segment" if parts else "system")
    columns = listing(rows.columns.values())
    if level == "segment" and not parts:
        raise CorpusError(f"{location}: has no column `segment` (it has {columns}), so no scores of segments.")
    if level == "system" and not whole:
        raise CorpusError(f"{location}: every row has a segment, so there are no system-level scores.")
    if level == "segment" and whole and {row.system for row in parts} - {row.system for row in whole}:
        raise CorpusError(f"{whole[0].where}: has no segment, and others have; fill it in.")
    if level == "system" and parts:
        typed = wanted.typed(level="segment")
        notes.append(f"{location}: its scores of whole systems are used; the means of those of segments are {typed}.")
    of_systems = {row.system: row.value for row in whole if row.value is not None} if level == "segment" else {}
    if wanted.higher_is_better and (rows.columns.get("score") == "prediction" or any(map(counts_errors, metrics))):
        metric = f"the metric {metrics[0]!r}" if metrics else "MetricX, whose predictions go from 0 to 25,"
        typed = wanted.typed(higher_is_better=False)
        notes.append(f"{location}: {metric} counts errors, so that a low score is good: type {typed}.")
    return ScoreTable(
        location, level, rows.ordered, tuple(parts if level == "segment" else whole), of_systems, (*notes,)
    )


def counts_errors(metric: str) -> bool:
    """Return whether a name in a file is that of a metric of ours of which a low score is good."""
    try:
        return metric.partition("(")[0] in METRICS and not get_metric(metric).higher_is_better
    except UsageError:
        return False


def metrics_of(rows: FileRows) -> list[str]:
    """Return the metrics that rows name."""
    return [str(metric) for metric in dict.fromkeys(rows.column("metric")) if metric is not None]


def columns_of_numbers(rows: FileRows) -> list[str]:
    """Return the columns of a file that hold numbers, but for those that say whose they are, by their names in it."""
    named = ("system", "document", "segment", "lp", "text", "metric", "testset", "reference", *_SINGLE_VALUE_COLUMNS)
    cells = {name: rows.texts(column) for column, name in rows.columns.items() if column not in named}
    numbers = [name for name, texts in cells.items() if any(map(NUMBER.fullmatch, texts)) and all(map(is_score, texts))]
    return sorted(numbers, key=names_rating)  # people may have filled in those that are called as ratings


def _rows(rows: FileRows, column: str, name: str, corpus: Corpus) -> Iterator[ScoreRow]:
    """Yield the rows with what they say, systems by their names in the corpus."""
    name_in_corpus: dict[str, str] = {}
    columns = (rows.column("system", name), *map(rows.column, ("segment", "document", "text", column)))
    for where, system, segment, document, text, value in zip(rows.locations, *columns, strict=True):
        segment = "" if segment is None else segment
        if not isinstance(system, str) or not system.strip():
            raise CorpusError(f"{where}: the system must be a name; got {system!r}.")
        if isinstance(segment, bool) or not isinstance(segment, str | int):
            raise CorpusError(f"{where}: the segment must be an id or a number; got {segment!r}.")
        written = system.strip()
        if written not in name_in_corpus:
            by_file = rows.by_file or "system" not in rows.columns
            named = [system_named(written_name, corpus.systems) for written_name in (written, name)] if by_file else []
            name_in_corpus[written] = next(filter(None, named), written)
        shown = str(segment).strip()
        document = "" if rows.ordered else str(document or "").strip()
        text = text if isinstance(text, str) else None
        yield ScoreRow(
            where,
            name_in_corpus[written],
            document,
            "" if shown in _NO_SEGMENT else shown,
            score_of(value, where),
            text,
        )


def _numbered(rows: Sequence[ScoreRow]) -> list[ScoreRow]:
    """Return the rows of segments without a name, by their numbers: those of each system in their order."""
    counts = Counter[str]()
    numbered = []
    for row in rows:
        counts[row.system] += 1
        numbered.append(ScoreRow(row.where, row.system, "", str(counts[row.system]), row.value, row.text))
    return numbered


def _chosen(rows: FileRows, location: str, corpus: Corpus, wanted: FileScores, notes: list[str]) -> FileRows:
    """Return the rows that the user wants, of one metric, language pair, test set and reference."""
    columns = rows.columns
    by_name = {name: column for column, name in columns.items()}
    for item in wanted.only:
        column, equals, value = item.partition("=")
        column = by_name.get(column, column)
        if not equals or column not in columns:
            raise UsageError(f"{location}: `only` must be column=value; {unknown('column', column, columns)}")
        values = rows.values(column)
        if value not in values:
            raise UsageError(f"{location}: `only`: column {column!r} has no {value!r}; it has {listing(values)}.")
        if column == "lp" and (pair := _pair_in_name(corpus, values)) not in (None, value):
            raise UsageError(
                f"{location}: `only` takes the rows of {value!r} for the corpus {corpus.name!r}, whose name says "
                f"{pair!r}, a language pair of the file too; leave out `only`, and each corpus gets its own rows."
            )
        rows = rows.where(column, value)
    if wanted.metric and "metric" in columns and wanted.metric not in by_name:
        names = metrics_of(rows)
        if wanted.metric not in names:
            raise UsageError(f"{location}: {unknown('metric', wanted.metric, names)}")
        rows = rows.where("metric", wanted.metric)
    for column in _SINGLE_VALUE_COLUMNS:
        # Beside the text of an output, `reference` is a text too.
        values = [] if column == "reference" and "text" in columns else rows.values(column)
        if len(values) < 2:
            continue
        fitting = _fitting(rows, column, values, corpus) if column in _CORPUS_COLUMNS else None
        if fitting is None:
            typed = wanted.typed(only=[*wanted.only, f"{column}={values[0]}"])
            hint = (
                " For corpora of several language pairs, call each as its pair, or give it `source_language` and "
                "`language`; each then gets its own rows."
                if column == "lp"
                else ""
            )
            raise UsageError(f"{location}: holds several values of {column!r}, {listing(values)}; type {typed}.{hint}")
        rows = rows.where(column, fitting)
        if column != "corpus":
            others = listing([value for value in values if value != fitting], 3)
            notes.append(f"{location}: of the column {column!r} the rows of {fitting!r} fit the corpus, not {others}.")
    stated = {column: rows.values(column) for column in _STATED_COLUMNS if "text" not in columns}
    if any(stated.values()):
        # Systems of other test sets may have the same names.
        shown = ", ".join(f"{column} {values[0]!r}" for column, values in stated.items() if values)
        notes.append(f"{location}: the scores are of {shown}, as the file says.")
    if "segment" not in columns and "all" in rows.values("domain"):
        # Systems have a score for each domain, and one for all.
        rows = rows.where("domain", "all")
    return rows


def _fitting(rows: FileRows, column: str, values: Sequence[str], corpus: Corpus) -> str | None:
    """Return the value that is the name of a corpus; or of those of its languages, if any, the one with its systems."""
    if column == "corpus":
        return corpus.name if corpus.name in values else None
    candidates = values
    if column == "lp" and (pair := _pair_in_name(corpus, values)):
        return pair
    if column == "lp":
        candidates = [value for value in values if _is_language_pair(value, corpus)] or values
    systems: dict[str, set[str]] = {value: set() for value in candidates}
    for value, system in zip(rows.texts(column), rows.column("system"), strict=True):
        if value in systems and system in corpus.systems:
            systems[value].add(system)
    most = max(map(len, systems.values()))
    fitting = [value for value, names in systems.items() if len(names) == most]
    return fitting[0] if len(fitting) == 1 and most else None


def _pair_in_name(corpus: Corpus, pairs: Sequence[str]) -> str | None:
    """Return the language pair after which a corpus is called, ``de-en`` or ``wmt23.de-en``."""
    return next((pair for pair in pairs if corpus.name == pair or corpus.name.endswith(f".{pair}")), None)


def _is_language_pair(pair: str, corpus: Corpus) -> bool:
    """Return whether a pair such as ``en-de`` or ``en-de_DE`` has the languages that a corpus states."""
    source, _, target = pair.partition("-")
    for fact, language in (("source language", source), ("language", target)):
        stated = corpus.facts.get(fact, "")
        if stated and stated not in (language, language.partition("_")[0]):
            return False
    return True


def _value_column(rows: FileRows, location: str, wanted: FileScores) -> str:
    """Return the column of the scores: that of a metric that the user names, or `score`."""
    by_name = {name: column for column, name in rows.columns.items()}
    if wanted.metric and wanted.metric in by_name:
        return by_name[wanted.metric]
    if "score" not in rows.columns:
        numbers = [] if wanted.metric else columns_of_numbers(rows)
        typed = f" Type {wanted.typed(metric=numbers[0])} for the first of its columns of numbers." if numbers else ""
        raise CorpusError(
            f"{location}: has neither a column `score` nor one that `metric` names (got {wanted.metric!r}); it has "
            f"{listing(rows.columns.values())}.{typed}"
        )
    if wanted.metric and "metric" not in rows.columns:
        raise UsageError(f"{location}: has no column `metric`, so `metric` has nothing to choose from.")
    return "score"
