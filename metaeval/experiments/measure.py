"""Texts to statistics: treat every text under each condition, measure it with each metric and reference subset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed

from metaeval.errors import UsageError
from metaeval.metrics import get_metric
from metaeval.metrics.contract import Metric, measure
from metaeval.names import Signature
from metaeval.records import Corpus, IntArray, Statistics, TreatedTexts
from metaeval.sampling.references import ReferenceSubset
from metaeval.text.conditions import Condition
from metaeval.text.encoding import treat


@dataclass(frozen=True)
class NamedMetric:
    """A metric and its name as the user wrote it."""

    written: str
    metric: Metric


@dataclass(frozen=True)
class Measured:
    """The statistics of one metric under one condition and one reference subset."""

    condition: str
    condition_signature: Signature
    subset: ReferenceSubset
    named: NamedMetric
    statistics: Statistics


def named_metrics(names: Sequence[str]) -> tuple[NamedMetric, ...]:
    """Return the metrics of an experiment.

    Raises
    ------
    UsageError
        If a name is wrong, or two names mean the same metric.
    """
    found: dict[str, str] = {}
    metrics = []
    for name in names:
        metric = get_metric(name)
        other = found.setdefault(str(metric.signature), name)
        if other is not name:
            raise UsageError(f"{other!r} and {name!r} are the same metric, {metric.signature}; name it once.")
        metrics.append(NamedMetric(name, metric))
    return tuple(metrics)


def treat_all(corpus: Corpus, conditions: Sequence[Condition]) -> dict[str, TreatedTexts]:
    """Treat the texts of a corpus under each condition, by the name of the condition."""
    return {condition.written: treat(condition, corpus.candidates, corpus.references) for condition in conditions}


def measure_all(
    treated: Mapping[str, TreatedTexts],
    subsets: Sequence[ReferenceSubset],
    metrics: Sequence[NamedMetric],
    jobs: int,
) -> list[Measured]:
    """Return the statistics of every condition, subset and metric; the number of jobs changes no bit of them."""
    cells = [(name, texts, subset, named) for name, texts in treated.items() for subset in subsets for named in metrics]
    results = Parallel(n_jobs=jobs)(
        delayed(measure)(named.metric, texts.candidates, [texts.references[name] for name in subset.names])
        for _, texts, subset, named in cells
    )
    return [
        Measured(name, texts.condition, subset, named, statistics)
        for (name, texts, subset, named), statistics in zip(cells, results, strict=True)
    ]


def count_references(corpus: Corpus, subset: ReferenceSubset) -> IntArray:
    """Return how many references of a subset each segment has: (segments,)."""
    present = np.array([[text is not None for text in corpus.references[name]] for name in subset.names])
    return np.asarray(present.sum(axis=0))


def unproven(measured: Sequence[Measured]) -> list[str]:
    """Return a message for each metric whose exact search left sizes unproven."""
    messages = []
    for item in measured:
        if "unproven" in item.statistics.names:
            column = item.statistics.values[..., item.statistics.names.index("unproven")]
            count = int(np.nansum(column))
            if count:
                messages.append(
                    f"{item.named.written}, references {item.subset}: the exact search did not finish for {count} of "
                    f"{column.size} texts; their size is the best matching found, and may differ on another machine."
                )
    return messages
