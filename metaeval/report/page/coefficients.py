"""The coefficients of a run for the script of a page: numbers, words, and where they stand in their ranking."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from metaeval.report.page.columns import NONE, limits, p_value
from metaeval.report.page.systems import short
from metaeval.report.rankings import rankings_of
from metaeval.report.tables import fixed
from metaeval.report.task_matrix import TaskMatrix
from metaeval.results.keys import Key
from metaeval.results.model import RunData
from metaeval.results.rows import Cause, Correlation, Undefined
from metaeval.results.tables import columns_of, fields_of, record_of

# What the script finds the scores of segments and the disagreements of a coefficient by.
_TEXTS_KEY = ("panel", "corpus", "preprocessing", "subset", "average_by", "length", "metric")
_CAUSE_WORDS = {column.name: str(cause) for column, cause in zip(columns_of(Undefined), Cause, strict=True)}


def coefficients_of(run: RunData) -> dict[str, Any]:
    """Return the coefficients of a run, a list each, in the order of the table of correlations.

    Parameters
    ----------
    run : RunData
        With labels.

    Returns
    -------
    dict
        ``mean``, ``lower``, ``upper``: numbers, None where undefined; ``words`` and ``limits``: how they are shown;
        ``facts``: what else is known of each. ``order``: its place in its ranking, from 0, None of judges; ``rank``,
        ``star`` and ``p`` are those of the ranking. ``places``: where each belongs, and ``place``, which of these.
        ``stars``: what the star says in each ranking, and ``ranking``, which of these; None of judges.
    """
    rows = run.tables.correlations
    places: dict[tuple[tuple[str, Any], ...], int] = {}
    place_numbers = [places.setdefault(tuple(fields_of(row.key, *_TEXTS_KEY).items()), len(places)) for row in rows]
    return {
        "mean": [short(row.mean) for row in rows],
        "lower": [short(row.lower) for row in rows],
        "upper": [short(row.upper) for row in rows],
        "words": [fixed(row.mean) if math.isfinite(row.mean) else NONE for row in rows],
        "limits": [limits(row.lower, row.upper) for row in rows],
        "facts": [_facts(row) for row in rows],
        "undefined": [_undefined(row) for row in rows],
        **_ranks(run),
        "places": [dict(fields) for fields in places],
        "place": place_numbers,
    }


def _ranks(run: RunData) -> dict[str, list[Any]]:
    rankings = rankings_of(run) if not run.tables.tasks else []
    positions: dict[Key, tuple[int, int]] = {}
    for number, ranking in enumerate(rankings):
        all_metrics = [*ranking.metrics, *([] if ranking.constant is None else [ranking.constant])]
        positions |= {
            ranking.key.with_names(metric=ranked.metric): (number, order) for order, ranked in enumerate(all_metrics)
        }
    columns: dict[str, list[Any]] = {name: [] for name in ("ranking", "order", "rank", "star", "p")}
    for row in run.tables.correlations:
        position = None if row.key.is_of_judges else positions.get(row.key)
        ranked = None if position is None else rankings[position[0]].find(row.key.metric)
        columns["ranking"].append(None if position is None else position[0])
        columns["order"].append(None if position is None else position[1])
        columns["rank"].append(None if ranked is None else ranked.rank)
        columns["star"].append(int(ranked is not None and ranked.star))
        columns["p"].append(None if ranked is None or math.isnan(ranked.p) else p_value(ranked.p))
    return {**columns, "stars": [ranking.star_words for ranking in rankings]}


def _undefined(row: Correlation) -> str:
    """Explain why coefficients are undefined, and how many; "" where none is."""
    counts: Mapping[str, int] = record_of(row.undefined)
    return "; ".join(f"{words}: {counts[name]}" for name, words in _CAUSE_WORDS.items() if counts[name])


def _facts(row: Correlation) -> list[str]:
    """Return the facts of a coefficient besides its value and interval."""
    facts = []
    if row.n_used + row.n_undefined > 1:
        of = "mean of" if not row.n_undefined else f"{row.n_undefined} undefined; mean of the other"
        facts.append(f"{of} {row.n_used} coefficients")
    if math.isfinite(row.sd):
        facts.append(f"standard deviation {fixed(row.sd)}")
    if row.no_interval_because:
        facts.append(f"no interval: {row.no_interval_because}")
    return facts


def average_of(matrix: TaskMatrix | None) -> list[dict[str, Any]]:
    """Return the metrics of a set of tasks by their average, or of its only task, in order.

    Parameters
    ----------
    matrix : TaskMatrix or None
    """
    if matrix is None:
        return []
    ranking = matrix.average or matrix.tasks[0].ranking
    with_stars = matrix.shows_stars()
    return [
        {
            "metric": row.metric,
            "rank": row.cluster if matrix.has_clusters else row.rank,
            "star": int(row.star and with_stars),
            "p": None if math.isnan(row.p) or matrix.has_clusters else p_value(row.p),
            "mean": short(row.value),
            "lower": short(row.lower),
            "upper": short(row.upper),
            "words": fixed(row.value) if math.isfinite(row.value) else NONE,
            "limits": limits(row.lower, row.upper),
        }
        for row in ranking.metrics
    ]
