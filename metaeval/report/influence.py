"""Best metrics with some of the systems left out."""

from __future__ import annotations

import math
from collections.abc import Sequence

from metaeval.correlation.tolerances import EQUAL
from metaeval.results.rows import Correlation, Influence


def best_without(ranked: Sequence[Correlation], influence: Sequence[Influence]) -> dict[str, dict[str, float]]:
    """Return the metrics that would be the best if some systems were left out, with these systems.

    Parameters
    ----------
    ranked : sequence of Correlation
        The metrics of one place, from the best to the worst.
    influence : sequence of Influence
        Their coefficients without some systems.

    Returns
    -------
    dict of str to dict of str to float
        By metric, its coefficient without each: a system, or ``the outlier systems (A, B)``.
    """
    best = ranked[0].key.metric
    most = ranked[0].n_systems
    rivals = {row.key.metric for row in ranked if row.n_systems == most}
    without: dict[tuple[str, str], dict[str, float]] = {}
    for row in influence:
        if row.left_out and row.key.metric in rivals and not math.isnan(row.value):
            without.setdefault((row.systems, row.left_out), {})[row.key.metric] = row.value
    winners: dict[str, dict[str, float]] = {}
    for (systems, left_out), values in without.items():
        other = max(values, key=lambda metric: values[metric])
        if best in values and values[other] > values[best] + EQUAL:
            n_left = next(row.n_systems for row in influence if (row.systems, row.left_out) == (systems, left_out))
            words = left_out if n_left == most - 1 else f"the outlier systems ({left_out})"
            winners.setdefault(other, {})[words] = values[other]
    return winners
