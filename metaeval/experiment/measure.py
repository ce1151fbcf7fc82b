"""Texts to statistics: preprocess every text, score it with each metric and reference subset."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval import kernels
from metaeval.datamodel.corpus import Corpus, FloatArray, IntArray, Segments, TreatedTexts
from metaeval.datamodel.pooling import Column, Statistics, StatisticsTable
from metaeval.errors import MetricError
from metaeval.experiment.measure_texts import measure_texts
from metaeval.experiment.statistics_by_metric import Counted, CountedOnCorpus, Measured
from metaeval.metrics.contract import UNFINISHED, Metric, measure, measure_subsets, unfinished
from metaeval.metrics.keys import StatisticKey
from metaeval.metrics.ngram_metric import JointCounter, NgramMetric
from metaeval.metrics.reference_metric import ByReference
from metaeval.metrics.selection import NamedMetric
from metaeval.metrics.text_metric import TextMetric
from metaeval.parameters.calls import Signature
from metaeval.runtime import cache
from metaeval.runtime.cache import digest, environment_digest
from metaeval.runtime.parallel import SERIAL, Call, Executor, Kind
from metaeval.runtime.progress import Tally
from metaeval.sampling.references import ReferenceGroup, ReferenceSubset
from metaeval.text.encoding import treat
from metaeval.text.preprocessing import Preprocessing
from metaeval.user_code.guards import GuardedTokens


@dataclass(frozen=True)
class MeasuredReference:
    """A reference scored like a system: human performance as the metrics see it."""

    name: str
    measured: Measured


# Metrics that failed, with the message of the error.
Failures = MutableMapping[NamedMetric, str]


@dataclass(frozen=True, eq=False)
class _Counter:
    """Count statistics in one pass over the texts, for a metric or for all n-gram metrics together.

    Attributes
    ----------
    kind : Metric or JointCounter
    keys : sequence of StatisticKey
        Of its statistics.
    metrics : list of NamedMetric
        Those that have some of these.
    """

    kind: Metric | JointCounter
    keys: Sequence[StatisticKey]
    metrics: list[NamedMetric]

    def add_to(self, counted: Counted, table: StatisticsTable) -> None:
        """Add the columns of a table that it has filled, except statistics that were counted before."""
        for number, key in enumerate(self.keys):
            counted.setdefault(key, Column(table, number))

    @property
    def subject(self) -> str:
        """Its name in messages."""
        return "n-gram metrics" if isinstance(self.kind, JointCounter) else _subject(self.metrics[0])


def _keys(named: NamedMetric) -> tuple[StatisticKey, ...]:
    """Return the keys of what each statistic of a metric depends on."""
    if isinstance(named.kind, ByReference):
        return named.kind.statistic_keys
    return tuple(StatisticKey(name, named) for name in named.kind.statistic_names)


def _statistics(named: NamedMetric, counted: Counted) -> Statistics:
    """Return the statistics of a metric from what was counted."""
    return Statistics(tuple(counted[key] for key in _keys(named)), named.kind.statistic_names)


def _counters(metrics: Sequence[NamedMetric], is_counted: Callable[[StatisticKey], bool]) -> list[_Counter]:
    """Return counters of the statistics that were not counted before, for the metrics that read tokens."""
    missing_of = {
        named: [key for key in _keys(named) if not is_counted(key)]
        for named in metrics
        if not isinstance(named.kind, TextMetric)
    }
    counters: list[_Counter] = []
    if ngrams := [named for named, keys in missing_of.items() if keys and isinstance(named.kind, NgramMetric)]:
        keys = tuple(dict.fromkeys(key for named in ngrams for key in missing_of.pop(named)))
        counters.append(_Counter(JointCounter(keys), keys, ngrams))
    for named, missing in missing_of.items():
        counting = [counter for counter in counters if {*missing} & {*counter.keys}]
        if {*missing} <= {key for counter in counting for key in counter.keys}:
            for counter in counting:
                counter.metrics.append(named)
        elif not isinstance(kind := named.kind, TextMetric):
            counters.append(_Counter(kind, _keys(named), [named]))
    return counters


def _subject(named: NamedMetric) -> str:
    """Return the name of a metric in messages."""
    metric = named.kind
    return metric.guard.subject if isinstance(metric, GuardedTokens) else f"metric {named.written.strip()!r}"


# One call: a preprocessing, a counter, and the positions of systems.
_Block = tuple[str, _Counter, IntArray]


class Treated:
    """The texts of a corpus under a preprocessing, as in `TreatedTexts`; made when they are first needed.

    Parameters
    ----------
    preprocessing : Preprocessing
    corpus : Corpus
    """

    def __init__(self, preprocessing: Preprocessing, corpus: Corpus) -> None:
        self.preprocessing = preprocessing.signature
        self._make = functools.partial(treat, preprocessing, corpus.candidates, corpus.references)
        if preprocessing.takes_notes:
            self.candidates  # noqa: B018 - makes the notes, even where all statistics are in the cache

    @functools.cached_property
    def _texts(self) -> TreatedTexts:
        return self._make()

    @property
    def candidates(self) -> tuple[Segments, ...]:
        """The texts of the systems."""
        return self._texts.candidates

    @property
    def references(self) -> Mapping[str, Segments]:
        """The references, by name."""
        return self._texts.references


def treat_all(corpus: Corpus, treatments: Sequence[Preprocessing]) -> dict[str, Treated]:
    """Return the texts of a corpus under each preprocessing, by its name."""
    return {preprocessing.written: Treated(preprocessing, corpus) for preprocessing in treatments}


def measure_all(
    corpus: Corpus,
    treated: Mapping[str, Treated],
    groups: Sequence[ReferenceGroup],
    metrics: Sequence[NamedMetric],
    executor: Executor = SERIAL,
    failures: Failures | None = None,
    tally: Tally | None = None,
    counted: CountedOnCorpus | None = None,
) -> list[Measured]:
    """Return the statistics of every preprocessing, metric and reference subset, each subset once.

    Metrics that read texts score once, and are listed under every preprocessing. Statistics that several built-in
    metrics have in common are counted once. Each job scores some of the systems; the results are the same bits for any
    number of jobs.

    Parameters
    ----------
    corpus : Corpus
    treated : mapping of str to Treated
        By the names of the preprocessings.
    groups : sequence of ReferenceGroup
    metrics : sequence of NamedMetric
    executor : Executor
    failures : mapping of NamedMetric to str, optional
        Gets the metrics that fail, which are left out.
    tally : Tally, optional
        Counts what is scored: a metric that reads texts once for each reference subset, another once for each
        preprocessing and each block of systems that is scored at once; n-gram metrics are one.
    counted : dict, optional
        Statistics that were counted before, such as for other panels on the corpus, and are not counted again. Those
        that are counted here are added, unless all of them take more than a quarter of the memory.

    Raises
    ------
    MetricError
        If a metric fails and there is no `failures`.
    """
    subsets = tuple(dict.fromkeys(subset for group in groups for subset in group.subsets))
    failed: Failures = {}
    measured: list[Measured] = []
    tally = tally or Tally()
    of_texts = [(named, named.kind) for named in metrics if isinstance(named.kind, TextMetric)]
    counted = {} if counted is None else counted
    corpus_key = corpus.name, corpus.digest, corpus.filter
    for other in [key for key in counted if key[0] != corpus_key]:
        del counted[other]
    columns_of = {
        (name, subset): counted.setdefault((corpus_key, texts.preprocessing, subset), {})
        for name, texts in treated.items()
        for subset in subsets
    }
    counters = _counters(metrics, lambda key: all(key in columns for columns in columns_of.values()))
    names = [subset.names for subset in subsets]
    stored = _look_up(corpus, treated, counters, names)
    blocks, n_built_in = _blocks(corpus, treated, counters, executor.jobs, stored)
    tally.expect(len(blocks) + len(of_texts) * len(subsets))
    # Metrics that read texts come first: their files may be wrong, and such an error should come early.
    for named, metric in of_texts:
        try:
            of_subsets = measure_texts(corpus, names, metric, executor)
        except MetricError as error:
            failed[named] = str(error)
            continue
        tally.add(len(subsets))
        measured.extend(
            Measured(preprocessing, Signature(""), subset, named, Statistics.of_values(values, metric.statistic_names))
            for preprocessing in treated
            for subset, values in zip(subsets, of_subsets, strict=True)
        )
    tables = _count(corpus, treated, names, blocks, n_built_in, executor, failed, tally, stored)
    for (preprocessing, counter), of_counter in tables.items():
        for subset, table in zip(subsets, of_counter, strict=True):
            counter.add_to(columns_of[preprocessing, subset], table)
    measured.extend(
        Measured(name, treated[name].preprocessing, subset, named, _statistics(named, columns))
        for named in metrics
        if named not in failed and not isinstance(named.kind, TextMetric)
        for (name, subset), columns in columns_of.items()
    )
    in_memory = {column.table for columns in counted.values() for column in columns.values()}
    if 4 * sum(table.values.nbytes for table in in_memory) > executor.memory:
        counted.clear()
    if failures is None and failed:
        raise MetricError("\n".join(failed.values()))
    if failures is not None:
        failures.update(failed)
    order_of_metrics = {named: number for number, named in enumerate(metrics)}
    order_of_treatments = {name: number for number, name in enumerate(treated)}
    return sorted(measured, key=lambda item: (order_of_treatments[item.preprocessing], order_of_metrics[item.named]))


def metric_notes(corpus: Corpus, metrics: Sequence[NamedMetric]) -> list[str]:
    """Return the notes of metrics that read texts, each once with the names of its metrics."""
    metrics_of: dict[str, list[str]] = {}
    for named in metrics:
        metric = named.kind
        for note in metric.notes(corpus) if isinstance(metric, TextMetric) else ():
            metrics_of.setdefault(note, []).append(named.written)
    return [f"{', '.join(names)}: {note}" for note, names in metrics_of.items()]


# By preprocessing, counter and system: a name in the cache, and the array there, (subsets, segments, statistics).
_Stored = dict[tuple[str, _Counter, int], tuple[str, FloatArray | None]]


def _look_up(
    corpus: Corpus, treated: Mapping[str, Treated], counters: Sequence[_Counter], subsets: Sequence[Sequence[str]]
) -> _Stored:
    """Return the statistics that are in the cache."""
    if not cache.limit():
        every = itertools.product(treated, counters, range(len(corpus.systems)))
        return dict.fromkeys(every, ("", None))
    of_systems = [digest(texts) for texts in corpus.candidates]
    of_references = digest([corpus.references[name] for names in subsets for name in names], subsets)
    stored: _Stored = {}
    for counter in counters:
        kind = counter.kind
        of_plugin = (kind.written, *kind.packages) if isinstance(kind, GuardedTokens) else ()
        shape = (len(subsets), corpus.n_segments, len(kind.statistic_names))
        for preprocessing, texts in treated.items():
            common = (environment_digest(), str(kind.signature), of_plugin, str(texts.preprocessing), of_references)
            for system, of_system in enumerate(of_systems):
                name = digest(*common, of_system)
                stored[preprocessing, counter, system] = name, cache.read("statistics", name, shape)
    return stored


def _blocks(
    corpus: Corpus, treated: Mapping[str, Treated], counters: Sequence[_Counter], jobs: int, stored: _Stored
) -> tuple[list[_Block], int]:
    """Return the blocks to count, each in one call, and how many of them, which come first, are of built-in metrics."""
    # Plug-ins last: one system at a time, so that an error names it, and in this process, so that their output is seen.
    built_in = [counter for counter in counters if not isinstance(counter.kind, GuardedTokens)]
    plugins = [counter for counter in counters if counter not in built_in]
    blocks: list[_Block] = []
    for counter in (*built_in, *plugins):
        for preprocessing in treated:
            systems = range(len(corpus.systems))
            missing = np.array([k for k in systems if stored[preprocessing, counter, k][1] is None], dtype=np.int64)
            n_blocks = len(missing) if counter in plugins else min(jobs, len(missing))
            if n_blocks:
                blocks.extend((preprocessing, counter, block) for block in np.array_split(missing, n_blocks))
    return blocks, sum(counter in built_in for _, counter, _ in blocks)


def _count(
    corpus: Corpus,
    treated: Mapping[str, Treated],
    subsets: Sequence[Sequence[str]],
    blocks: Sequence[_Block],
    n_built_in: int,
    executor: Executor,
    failed: Failures,
    tally: Tally,
    stored: _Stored,
) -> dict[tuple[str, _Counter], list[StatisticsTable]]:
    """Return the tables of each preprocessing and counter that has not failed, one for each reference subset."""
    calls = [
        Call(
            _measure_block,
            (
                counter.kind,
                [treated[preprocessing].candidates[k] for k in block],
                treated[preprocessing].references,
                subsets,
                executor.of_each,
            ),
            label=counter.subject,
        )
        for preprocessing, counter, block in blocks
    ]
    # Kernels run side by side in threads; the plain definitions, which Python runs one at a time, need processes.
    kind: Kind = "threads" if kernels.COMPILED else "processes"
    results = itertools.chain(executor.run(calls[:n_built_in], kind), SERIAL.run(calls[n_built_in:], kind))
    tables: dict[tuple[str, _Counter], list[StatisticsTable]] = {}

    def fill(preprocessing: str, counter: _Counter, system: int, of_subsets: Iterable[FloatArray]) -> None:
        """Copy the statistics of a system into the tables, so that few of them are in memory twice."""
        shape = (len(corpus.systems), corpus.n_segments, len(counter.kind.statistic_names))
        if (preprocessing, counter) not in tables:
            tables[preprocessing, counter] = [StatisticsTable(np.empty(shape)) for _ in subsets]
        for table, values in zip(tables[preprocessing, counter], of_subsets, strict=True):
            table.values[system] = values

    for (preprocessing, counter, block), of_subsets in zip(blocks, results, strict=True):
        tally.add()
        if isinstance(of_subsets, MetricError):
            where = f"system {corpus.systems[block[0]]!r}, preprocessing {preprocessing!r}"
            for named in counter.metrics:
                failed.setdefault(named, str(of_subsets).replace(counter.subject, f"{_subject(named)}, {where}", 1))
            continue
        is_whole = len(block) == len(corpus.systems)
        if is_whole:
            tables[preprocessing, counter] = of_subsets
        for row, system in enumerate(block.tolist()):
            values = [table.values[row] for table in of_subsets]
            if cache.limit():
                cache.write("statistics", stored[preprocessing, counter, system][0], np.stack(values))
            if not is_whole:
                fill(preprocessing, counter, system, values)
    for (preprocessing, counter, system), (_, counts) in stored.items():
        if counts is not None:
            fill(preprocessing, counter, system, counts)
    return {key: of_subsets for key, of_subsets in tables.items() if key[1].metrics[0] not in failed}


def _measure_block(
    metric: Metric | JointCounter,
    candidates: Sequence[Segments],
    references: Mapping[str, Segments],
    subsets: Sequence[Sequence[str]],
    memory: int,
) -> list[StatisticsTable] | MetricError:
    """Score some systems; return an error of the metric instead of raising it, so that other metrics go on."""
    try:
        statistics = measure_subsets(metric, candidates, references, subsets, memory)
    except MetricError as error:
        return error
    return [table for of_subset in statistics for table in of_subset.tables]


def measure_references(
    corpus: Corpus,
    treated: Mapping[str, Treated],
    groups: Sequence[ReferenceGroup],
    metrics: Sequence[NamedMetric],
    failures: Failures,
    memory: int | None = None,
) -> list[MeasuredReference]:
    """Return the statistics of each reference that a subset leaves out, scored like a system against the others.

    Metrics without scores of references are left out, as are those that fail, which are added to `failures`.
    """
    pairs = dict.fromkeys(
        (name, subset) for group in groups for name, subset in zip(group.left_out, group.subsets, strict=False)
    )
    counters = _counters(metrics, lambda key: False)
    measured_references: list[MeasuredReference] = []
    for preprocessing, texts in treated.items():
        of_pairs: dict[tuple[str, ReferenceSubset], Counted] = {pair: {} for pair in pairs}
        for counter in counters:
            try:
                for (name, subset), counted in of_pairs.items():
                    others = [texts.references[other] for other in subset.names]
                    (table,) = measure(counter.kind, [texts.references[name]], others, memory).tables
                    counter.add_to(counted, table)
            except MetricError as error:
                for named in counter.metrics:
                    failures.setdefault(named, str(error))
        for named in metrics:
            if isinstance(named.kind, TextMetric):
                try:
                    measured_references.extend(_score_references(corpus, preprocessing, named, named.kind, pairs))
                except MetricError as error:
                    failures.setdefault(named, str(error))
            elif named not in failures:
                for (name, subset), counted in of_pairs.items():
                    statistics = _statistics(named, counted)
                    measured = Measured(preprocessing, texts.preprocessing, subset, named, statistics)
                    measured_references.append(MeasuredReference(name, measured))
    return measured_references


def _score_references(
    corpus: Corpus,
    preprocessing: str,
    named: NamedMetric,
    metric: TextMetric,
    pairs: Iterable[tuple[str, ReferenceSubset]],
) -> list[MeasuredReference]:
    """Return the scores of the references that a metric of texts can score."""
    measured_references = []
    for name, subset in pairs:
        if metric.scores_system(corpus, name):
            human = replace(corpus, systems=(name,), candidates=(corpus.references[name],))
            statistics = Statistics.of_values(metric.measure(human, subset.names), metric.statistic_names)
            measured = Measured(preprocessing, Signature(""), subset, named, statistics)
            measured_references.append(MeasuredReference(name, measured))
    return measured_references


def unfinished_searches(measured: Sequence[Measured]) -> list[str]:
    """Return a message for each metric and reference subset with searches that ended early."""
    return [
        f"{item.named.written}, references {item.subset}: {sentence}"
        for item in measured
        if any(name in UNFINISHED for name in item.statistics.names)
        for sentence in unfinished(
            item.statistics.names, item.statistics.values, f"of {item.statistics.values[..., 0].size} texts"
        )
    ]
