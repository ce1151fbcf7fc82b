"""What a metric counts in plain texts, segment by segment, and what it makes of their sum."""

from __future__ import annotations

from collections.abc import Sequence

from metaeval.metrics import get_metric
from metaeval.records import FloatArray
from tests.support.gold import encode


def statistics(name: str, candidates: Sequence[str], *references: Sequence[str | None]) -> FloatArray:
    """Return the statistics of each segment: (segments, statistics)."""
    metric = get_metric(name)
    first, *others = encode(candidates, *references)
    return metric.statistics(first, metric.prepare(others))


def corpus_score(name: str, candidates: Sequence[str], *references: Sequence[str | None]) -> float:
    """Return the score of all segments together."""
    return float(get_metric(name).score(statistics(name, candidates, *references).sum(axis=0)))
