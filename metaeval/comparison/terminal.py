"""A comparison as a terminal shows it: answers, tables or one table of all criteria, a legend, and warnings folded."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from metaeval.errors import as_typed
from metaeval.report.folded_messages import folded, names_of
from metaeval.report.places import Place, places_of
from metaeval.report.tables import fixed, in_blocks
from metaeval.report.widths import NARROWEST, fitted, wrapped
from metaeval.report.words import SIMULATED, grouped
from metaeval.results.model import RunData

if TYPE_CHECKING:
    from metaeval.comparison.table import ComparisonTable

# From so many criteria on, one table has all; so many answers are given.
_MANY, _MOST = 3, 8
_MATRIX_LEGEND = (
    "Cluster and coefficient; * not significantly worse than the best, each metric by itself. Metrics in the order of "
    "their mean rank."
)


def brief_text(run: RunData, tables: Sequence[ComparisonTable], width: int, *, verbose: bool) -> str:
    """Return a comparison in lines of a width.

    Parameters
    ----------
    run : RunData
    tables : sequence of ComparisonTable
        Those of the run.
    width : int
    verbose : bool
        Whether there is a table for each criterion, and all that is to be known of it below.
    """
    of_table = dict(zip(places_of(run), tables, strict=True))
    parts = [_answers(of_table, width, verbose=verbose)]
    below: dict[str, None] = {}
    for places in grouped(of_table, lambda place: place.key.of(criterion="", metric="")).values():
        if verbose:
            full = [of_table[place] for place in places]
            parts += [f"{_table(table, width)}\n{wrapped(table.note, width, '  ')}" for table in full]
        elif len(places) >= _MANY:
            parts += _matrix(places, of_table[places[0]].heading, width)
            below[f"{_MATRIX_LEGEND} Intervals and p: {_one_criterion()}."] = None
        else:
            parts += [_table(of_table[place], width) for place in places]
            below |= dict.fromkeys(legend for place in places if (legend := of_table[place].legend))
    if verbose:
        return "\n\n".join(parts)
    names = names_of(run)
    warnings = [f"warning: {one}" for one in folded([one for table in tables for one in table.warnings], names)]
    details = f"{_verbose()} explains the table and has every warning."
    return "\n\n".join(parts) + "\n" + "\n".join(wrapped(one, width, "  ") for one in [*below, *warnings, details])


def _verbose() -> str:
    """Return what is typed to see everything."""
    return as_typed(terminal="--verbose", python="`verbose=True`")


def _one_criterion() -> str:
    """Return what is typed to see a table of one criterion."""
    return as_typed(terminal="--criterion NAME, or --verbose", python="`criteria=[NAME]`, or `verbose=True`")


def _answers(of_table: Mapping[Place, ComparisonTable], width: int, *, verbose: bool) -> str:
    """Return what was found at each place, with what distinguishes the places, and whether it is evidence."""
    attributes = ("panel", "corpus", "preprocessing", "subset", "length")
    varied = [name for name in attributes if len({getattr(place.key, name) for place in of_table}) > 1]
    panels = {place.key.panel for place in of_table}
    if len(panels) > 1 and len({(place.key.panel, place.key.length) for place in of_table}) == len(panels):
        varied = [name for name in varied if name != "length"]  # the level says it
    several = len({place.key.coefficient for place in of_table}) > len(panels)
    lines = []
    for place, table in of_table.items():
        where = ", ".join(str(getattr(place.key, name)) for name in [*varied, *(["coefficient"] if several else [])])
        lines.append(f"{where}: {table.sentence}" if where else table.sentence)
    said = f" {SIMULATED.capitalize()}."
    simulated = bool(lines) and all(place.simulated for place in of_table)
    if simulated:
        lines = [line.removesuffix(said) for line in lines]
    if len(lines) > _MOST and not verbose:
        lines = [*lines[: _MOST - 1], f"And {len(lines) - _MOST + 1} more: {_verbose()} has all."]
    if simulated:
        lines[-1] += said
    return "\n".join(wrapped(line, width, "  " if len(lines) > 1 else "") for line in lines)


def _table(table: ComparisonTable, width: int) -> str:
    """Return the table of a place; columns that say nothing are left out."""
    names = list(table.rows[0])
    of_name = {name: {row[name] for row in table.rows} for name in names}
    # One number of documents for all, and no ties at all, tell nothing of one metric.
    idle = {"documents": len(of_name["documents"]) == 1, "ties": not any(of_name["ties"])}
    filled = [name for name in names if of_name[name] - {"", None} and not idle.get(name)]
    return "\n".join([wrapped(table.heading, width, "  "), *fitted(table.rows, width, filled)])


def _matrix(places: Sequence[Place], heading: str, width: int) -> list[str]:
    """Return one table of all criteria: metrics down, criteria across, in as many blocks as it takes."""
    cells: dict[str, dict[str, Any]] = {}
    ranks: dict[str, list[int]] = {}
    for place in places:
        for rank, row in enumerate(place.rows):
            metric = row.key.metric
            cells.setdefault(metric, {"metric": metric})[row.key.criterion] = _cell(place, metric, row.mean)
            ranks.setdefault(metric, []).append(rank)
    order = sorted(cells, key=lambda metric: sum(ranks[metric]) / len(ranks[metric]))
    columns = ["metric", *(place.key.criterion for place in places)]
    rows = [{name: cells[metric].get(name, "") for name in columns} for metric in order]
    what = heading.replace(f", {places[0].key.criterion}:", ":", 1)
    blocks = in_blocks(rows, columns, max(width, NARROWEST))
    return [
        "\n".join([*([wrapped(what, width, "  ")] if not number else []), *fitted(rows, width, block)])
        for number, block in enumerate(blocks)
    ]


def _cell(place: Place, metric: str, value: float) -> str:
    if math.isnan(value):
        return "--"
    cluster = place.metric(metric).cluster
    return f"{'' if cluster is None else f'{cluster} '}{fixed(value)}{place.mark(metric) or ' '}"
