"""What a metric counts in plain texts, segment by segment, what it makes of their sum, and what people gave."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metaeval.datamodel.corpus import Corpus, FloatArray
from metaeval.metrics import get_metric
from tests.support.gold import encode


def statistics(name: str, candidates: Sequence[str], *references: Sequence[str | None]) -> FloatArray:
    """Return the statistics of each segment: (segments, statistics)."""
    metric = get_metric(name)
    first, *others = encode(candidates, *references)
    return metric.statistics(first, metric.prepare(others))


def corpus_score(name: str, candidates: Sequence[str], *references: Sequence[str | None]) -> float:
    """Return the score of all segments together."""
    return float(get_metric(name).score(statistics(name, candidates, *references).sum(axis=0)))


def human_means(corpus: Corpus, criterion: str) -> FloatArray:
    """Return the mean judgment of each system and segment, (systems, segments); nan where there is none."""
    position = [one.name for one in corpus.criteria].index(criterion)
    rows = corpus.judgments.where(corpus.judgments.criterion == position)
    total, number = np.zeros((2, len(corpus.systems), corpus.n_segments))
    np.add.at(total, (rows.system, rows.segment), rows.score)
    np.add.at(number, (rows.system, rows.segment), 1)
    with np.errstate(invalid="ignore"):
        return total / number
