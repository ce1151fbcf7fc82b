"""Scores as a terminal shows them: a row for each candidate, on the scales on which the field prints scores."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import PurePath

from metaeval.report.tables import SummaryTable, fixed
from metaeval.report.terminal_table import fitted, wrapped

# Scores above this are on a scale to 100, of which the field prints one digit.
_MAX_UNIT_SCORE = 20


def scores_text(table: SummaryTable, times: Mapping[str, int], width: int, *, of_files: bool, raw: bool) -> str:
    """Return scores in lines of a width; the head of a column says what its scores were multiplied by.

    Parameters
    ----------
    table : SummaryTable
        With the column ``candidate`` and one for each metric.
    times : mapping of str to int
        What the field multiplies the scores of each metric by.
    width : int
    of_files : bool
        Whether the candidates are files: they are called by their own names where these differ.
    raw : bool
        Whether scores are shown as the metric gives them.
    """
    short = {str(row["candidate"]): PurePath(str(row["candidate"])).name for row in table.rows}
    if not of_files or len({*short.values()}) < len(short):
        short = {name: name for name in short}
    rows = [{**row, "candidate": short[str(row["candidate"])]} for row in table.rows]
    for metric, factor in times.items():
        factor = 1 if raw else factor
        values = [factor * float(row.pop(metric)) for row in rows]
        largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
        digits = 1 if not raw and (factor > 1 or largest > _MAX_UNIT_SCORE) else 3
        head = metric if factor == 1 else f"{metric} x{factor}"
        for row, value in zip(rows, values, strict=True):
            row[head] = fixed(value, digits)
    return "\n".join([wrapped(table.heading, width, "  "), *fitted(rows, width, first=["segment"])])
