"""A comparison as people read it: what it found, tables or one table of all criteria, and a legend."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from metaeval.errors import as_typed
from metaeval.report.answers import sentences_of
from metaeval.report.bands import band_tables
from metaeval.report.comparisons_at import Place, places_of
from metaeval.report.phrases import grouped
from metaeval.report.rankings import STAR
from metaeval.report.tables import Estimated, SummaryTable, in_blocks
from metaeval.report.terminal_table import NARROWEST, fitted, wrapped
from metaeval.results.model import RunData

if TYPE_CHECKING:
    from metaeval.report.comparison_tables import ComparisonTable

# From this number of criteria on, one table has all of them.
_MIN_CRITERIA_OF_MATRIX = 3
# Answers that are shown without `verbose`.
_MAX_ANSWERS = 8


def brief_text(run: RunData, tables: Sequence[ComparisonTable], width: int, *, verbose: bool) -> str:
    """Return a comparison in lines of a width: answers, tables, and a legend.

    Parameters
    ----------
    run : RunData
        With labels.
    tables : sequence of ComparisonTable
        Those of the run.
    width : int
    verbose : bool
        Whether there is a table for each criterion, with all columns, and how to read it.
    """
    of_table = dict(zip(places_of(run), tables, strict=True))
    parts = [_answers(list(of_table), width, verbose=verbose)]
    legends: dict[str, None] = {}
    for group in _groups(of_table):
        if verbose:
            full = [of_table[place] for place in group]
            parts += [f"{_table(table, width, verbose=True)}\n{wrapped(table.note, width, '  ')}" for table in full]
        elif len(group) >= _MIN_CRITERIA_OF_MATRIX:
            table = matrix_of([(place, of_table[place]) for place in group])
            blocks = in_blocks(table.rows, table.columns, max(width, NARROWEST))
            for number, block in enumerate(blocks):
                heading = [wrapped(table.heading, width, "  ")] if not number else []
                parts.append("\n".join([*heading, *fitted(table.rows, width, block)]))
            legends[f"{table.note} Intervals and p: {_one_criterion()}."] = None
        else:
            parts += [_table(of_table[place], width) for place in group]
            legends |= dict.fromkeys(legend for place in group if (legend := of_table[place].legend))
    of_metrics = "\n".join(["\n\n".join(parts), *(wrapped(legend, width, "  ") for legend in legends)])
    return "\n\n".join([of_metrics, *(part for table in band_tables(run) for part in _band_paragraphs(table, width))])


def _band_paragraphs(table: SummaryTable, width: int) -> list[str]:
    """Return the sentences of a table of bands, and the table with its heading and note."""
    coefficients = [name for name in table.columns if "\n" not in name]
    lines = [wrapped(table.heading, width, "  "), *fitted(table.rows, width, table.columns, coefficients)]
    below = wrapped(table.note, width, "  ")
    return ["\n".join(wrapped(answer, width, "  ") for answer in table.answers), "\n".join([*lines, below])]


def tables_for_people(run: RunData, tables: Sequence[ComparisonTable]) -> list[SummaryTable]:
    """Return the tables of a comparison for a page: one of each place, or from three criteria on one of all.

    Parameters
    ----------
    run : RunData
        With labels.
    tables : sequence of ComparisonTable
        Those of the run.
    """
    of_table = dict(zip(places_of(run), tables, strict=True))
    tables_shown = []
    for group in _groups(of_table):
        if len(group) >= _MIN_CRITERIA_OF_MATRIX:
            matrix = matrix_of([(place, of_table[place]) for place in group])
            tables_shown.append(replace(matrix, answers=sentences_of(group)))
        else:
            tables_shown += [table for place in group for table in of_table[place]._tables_for_people()]
    return tables_shown


def _groups(places: Iterable[Place]) -> list[list[Place]]:
    """Return places that differ in their criterion alone together."""
    return list(grouped(places, lambda place: place.key.with_names(criterion="", metric="")).values())


def _verbose() -> str:
    """Return the words to type to see everything."""
    return as_typed(terminal="--verbose", python="`verbose=True`")


def _one_criterion() -> str:
    """Return the words to type to see a table of one criterion."""
    return as_typed(terminal="--criterion NAME, or --verbose", python="`criteria=[NAME]`, or `verbose=True`")


def _answers(places: Sequence[Place], width: int, *, verbose: bool) -> str:
    """Return the answers at each place; of many the first, and how many more there are."""
    lines = sentences_of(places)
    if len(lines) > _MAX_ANSWERS and not verbose:
        lines = [*lines[: _MAX_ANSWERS - 1], f"And {len(lines) - _MAX_ANSWERS + 1} more: {_verbose()} has all."]
    return "\n".join(wrapped(line, width, "  ") for line in lines)


def _table(table: ComparisonTable, width: int, *, verbose: bool = False) -> str:
    """Return the table of a place; columns that are empty or the same in all rows are left out."""
    rows = [{**row, **(details if verbose else {})} for row, details in zip(table.cells, table.details, strict=True)]
    of_name = {name: {row[name] for row in rows} for name in rows[0]}
    same = {"documents": len(of_name.get("documents", ())) == 1}
    filled = [name for name in rows[0] if of_name[name] - {"", None} and not same.get(name)]
    return "\n".join([wrapped(table.heading, width, "  "), *fitted(rows, width, filled)])


def matrix_of(tables: Sequence[tuple[Place, ComparisonTable]]) -> SummaryTable:
    """Return one table of several criteria, metrics down and criteria across, in the order of the first criterion.

    Parameters
    ----------
    tables : sequence of (Place, ComparisonTable)
        Of places that differ in their criterion alone.
    """
    rows: dict[str, dict[str, Any]] = {}
    for place, _ in tables:
        for row in place.rows:
            metric = row.key.metric
            rows.setdefault(metric, {"metric": metric})[place.key.criterion] = _cell(place, metric, row.mean)
    columns = ["metric", *(place.key.criterion for place, _ in tables)]
    first, table = tables[0]
    heading = table.heading.replace(f", {first.key.criterion}:", ":", 1)
    stars = dict.fromkeys(place.ranking.star_words for place, _ in tables if place.ranking.star_words)
    legend = f"{STAR} {'; or '.join(stars)}. " if stars else ""
    note = f"{legend}In the order of {first.key.criterion}."
    return SummaryTable(heading, [{name: row.get(name, "") for name in columns} for row in rows.values()], note)


def _cell(place: Place, metric: str, value: float) -> Estimated | str:
    return "--" if math.isnan(value) else Estimated(value, math.nan, math.nan, place.mark(metric) or " ")
