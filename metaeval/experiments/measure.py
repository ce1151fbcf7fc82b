"""Texts to statistics: treat every text under each condition, measure it with each metric and reference subset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval import _kernels as kernels
from metaeval.errors import UsageError
from metaeval.metrics import get_metric
from metaeval.metrics.contract import Metric, measure, measure_subsets
from metaeval.metrics.text_metric import TextMetric
from metaeval.names import Signature
from metaeval.records import Corpus, FloatArray, IntArray, Statistics, TreatedTexts
from metaeval.sampling.references import ReferenceGroup, ReferenceSubset
from metaeval.text.conditions import Condition
from metaeval.text.encoding import treat


@dataclass(frozen=True)
class NamedMetric:
    """A metric and its name as the user wrote it."""

    written: str
    metric: Metric | TextMetric


@dataclass(frozen=True)
class Measured:
    """The statistics of one metric under one condition and one reference subset."""

    condition: str
    condition_signature: Signature
    subset: ReferenceSubset
    named: NamedMetric
    statistics: Statistics


@dataclass(frozen=True)
class MeasuredReference:
    """A reference measured like a system: the human performance that metrics see."""

    name: str
    measured: Measured


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
    corpus: Corpus,
    treated: Mapping[str, TreatedTexts],
    groups: Sequence[ReferenceGroup],
    metrics: Sequence[NamedMetric],
    jobs: int,
) -> list[Measured]:
    """Return the statistics of every condition, metric and reference subset, each subset once.

    Metrics that read texts are measured once, and stand under every condition. The number of jobs, each of which
    measures some of the systems, changes no bit of the others.
    """
    subsets = tuple(dict.fromkeys(subset for group in groups for subset in group.subsets))
    of_tokens = [named for named in metrics if not isinstance(named.metric, TextMetric)]
    found = _measure_tokens(treated, subsets, of_tokens, jobs)
    for named in metrics:
        if isinstance(named.metric, TextMetric):
            found.extend(_measure_texts(corpus, tuple(treated), subsets, named, named.metric))
    order = {named: place for place, named in enumerate(metrics)}
    conditions = list(treated)
    return sorted(found, key=lambda item: (conditions.index(item.condition), order[item.named]))


def _measure_texts(
    corpus: Corpus,
    conditions: Sequence[str],
    subsets: Sequence[ReferenceSubset],
    named: NamedMetric,
    metric: TextMetric,
) -> list[Measured]:
    """Measure a metric that reads texts, once for each subset of the references that it uses."""
    values: dict[ReferenceSubset, FloatArray] = {}
    for subset in subsets:
        first = next(iter(values.values()), None)
        again = metric.uses_references or first is None
        values[subset] = metric.measure(corpus, subset.names) if again else first  # type: ignore[assignment]
    return [
        Measured(condition, Signature(""), subset, named, Statistics(found, metric.statistic_names))
        for condition in conditions
        for subset, found in values.items()
    ]


def _measure_tokens(
    treated: Mapping[str, TreatedTexts],
    subsets: Sequence[ReferenceSubset],
    metrics: Sequence[NamedMetric],
    jobs: int,
) -> list[Measured]:
    from joblib import Parallel, delayed

    names = [subset.names for subset in subsets]
    cells = [
        (condition, texts, named, block)
        for condition, texts in treated.items()
        for named in metrics
        for block in np.array_split(np.arange(len(texts.candidates)), min(jobs, len(texts.candidates)))
    ]
    # Kernels run side by side in threads; the plain definitions, which Python runs one at a time, need processes.
    results = Parallel(n_jobs=jobs, prefer="threads" if kernels.COMPILED else "processes")(
        delayed(measure_subsets)(named.metric, [texts.candidates[k] for k in block], texts.references, names)
        for _, texts, named, block in cells
    )
    blocks: dict[tuple[str, NamedMetric], list[list[Statistics]]] = {}
    for (condition, _, named, _), of_subsets in zip(cells, results, strict=True):
        blocks.setdefault((condition, named), []).append(of_subsets)
    return [
        Measured(
            condition,
            treated[condition].condition,
            subset,
            named,
            Statistics(np.concatenate([block[place].values for block in found]), named.metric.statistic_names),
        )
        for (condition, named), found in blocks.items()
        for place, subset in enumerate(subsets)
    ]


def measure_references(
    corpus: Corpus,
    treated: Mapping[str, TreatedTexts],
    groups: Sequence[ReferenceGroup],
    metrics: Sequence[NamedMetric],
) -> list[MeasuredReference]:
    """Return the statistics of each reference that a subset leaves out, measured like a system against the others."""
    pairs = dict.fromkeys(
        (name, subset) for group in groups for name, subset in zip(group.left_out, group.subsets, strict=False)
    )
    found = []
    for condition, texts in treated.items():
        for named in metrics:
            for name, subset in pairs:
                if isinstance(named.metric, TextMetric):
                    human = replace(corpus, systems=(name,), candidates=(corpus.references[name],))
                    values = named.metric.measure(human, subset.names)
                    statistics, treatment = Statistics(values, named.metric.statistic_names), Signature("")
                else:
                    others = [texts.references[other] for other in subset.names]
                    statistics, treatment = measure(named.metric, [texts.references[name]], others), texts.condition
                found.append(MeasuredReference(name, Measured(condition, treatment, subset, named, statistics)))
    return found


def count_references(corpus: Corpus, subset: ReferenceSubset) -> IntArray:
    """Return how many references of a subset each segment has: (segments,)."""
    present = np.array([[text is not None for text in corpus.references[name]] for name in subset.names])
    return np.asarray(present.sum(axis=0))


# Statistics that are 1 for a text where a search ended early, and what this means.
_UNFINISHED = {
    "unproven": "the exact search did not finish for {texts}; their size is the best matching found, a lower bound, "
    "and may differ on another machine (statistic `unproven`; parameter `time_limit`).",
    "stopped": "the search met more electable shifts than the limit in {texts}; their edits are those with the shifts "
    "made until then (statistic `stopped`; parameter `shift_choices`).",
}


def unfinished(names: Sequence[str], statistics: FloatArray, texts: str) -> list[str]:
    """Return a sentence for each kind of search that ended early.

    Parameters
    ----------
    names : sequence of str
        Of the statistics.
    statistics : (..., statistics) float array
        Of texts or pooled; ``nan`` where there is no reference.
    texts : str
        What the searches are of, such as ``segment(s)``.
    """
    counts = {name: int(np.nansum(statistics[..., names.index(name)])) for name in _UNFINISHED if name in names}
    return [_UNFINISHED[name].format(texts=f"{count} {texts}") for name, count in counts.items() if count]


def unfinished_searches(measured: Sequence[Measured]) -> list[str]:
    """Return a message for each metric and reference subset with searches that ended early."""
    return [
        f"{item.named.written}, references {item.subset}: {sentence}"
        for item in measured
        for sentence in unfinished(
            item.statistics.names, item.statistics.values, f"of {item.statistics.values[..., 0].size} texts"
        )
    ]
