"""Scores of metrics that read texts: of all systems at once, or of blocks of systems in parallel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from metaeval.datamodel.corpus import Corpus, FloatArray
from metaeval.metrics import is_built_in
from metaeval.metrics.text_metric import TextMetric
from metaeval.runtime.parallel import Call, Executor


def measure_texts(
    corpus: Corpus, subsets: Sequence[Sequence[str]], metric: TextMetric, executor: Executor
) -> list[FloatArray]:
    """Score the systems of a corpus with a metric, against each of several reference subsets.

    Parameters
    ----------
    corpus : Corpus
    subsets : sequence of sequences of str
        Names of references.
    metric : TextMetric
    executor : Executor

    Returns
    -------
    list of (systems, segments, statistics) float arrays
        One for each subset; the same object for all that have the same scores.

    Raises
    ------
    MetricError
        If the metric fails.
    """
    kind = metric.side_by_side
    n_systems = len(corpus.systems)
    if not is_built_in(metric):  # other machines may lack the file of a user
        executor = replace(executor, cluster=None)
    n_jobs = executor.n_workers if kind == "processes" else executor.jobs
    if not kind or n_jobs < 2 or n_systems < 2:
        return list(metric.measure_subsets(corpus, subsets))
    # Only what the metric reads is sent.
    sent = replace(corpus, scores=(), whole=None)
    calls = [
        Call(_measure, (sent, metric, block, subsets), f"metric {metric.title!r}")
        for block in np.array_split(np.arange(n_systems), min(n_jobs, n_systems))
    ]
    blocks = list(executor.run(calls, kind))
    if not metric.uses_references:
        return [np.concatenate([of_subsets[0] for of_subsets in blocks])] * len(blocks[0])
    return [np.concatenate([of_subsets[number] for of_subsets in blocks]) for number in range(len(subsets))]


def _measure(
    corpus: Corpus, metric: TextMetric, systems: Sequence[int], subsets: Sequence[Sequence[str]]
) -> list[FloatArray]:
    return list(metric.measure_subsets(corpus.of_systems(np.asarray(systems)), subsets))
