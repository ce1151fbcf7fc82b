"""Texts to statistics: preprocess every text, score it with each metric and reference subset."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval import _kernels as kernels
from metaeval.errors import MetricError
from metaeval.experiment.measure_texts import measure_texts
from metaeval.experiment.measured import Counted, CountedOnCorpus, Measured
from metaeval.metrics.contract import UNFINISHED, Metric, measure, measure_subsets, unfinished
from metaeval.metrics.keys import StatisticKey
from metaeval.metrics.ngram_metric import JointCounter, NgramMetric
from metaeval.metrics.reference_metric import ByReference
from metaeval.metrics.selection import NamedMetric
from metaeval.metrics.text_metric import TextMetric
from metaeval.names import Signature
from metaeval.plugins.guards import GuardedTokens
from metaeval.pooling import Column, Statistics, StatisticsTable
from metaeval.progress import Tally
from metaeval.records import Corpus, FloatArray, IntArray, Segments, TreatedTexts
from metaeval.runtime import cache
from metaeval.runtime.cache import digest, environment_digest
from metaeval.runtime.parallel import SERIAL, Call, Executor, Kind
from metaeval.sampling.references import ReferenceGroup, ReferenceSubset
from metaeval.text.encoding import treat
from metaeval.text.preprocessing import Preprocessing


@dataclass(frozen=True)
class MeasuredReference:
    """A reference scored like a system: human performance as the metrics see it."""

    name: str
    measured: Measured


# Metrics that failed, and the message that says how.
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
        """Add the columns of a table that it has filled, but for those of statistics that are there."""
        for number, key in enumerate(self.keys):
            counted.setdefault(key, Column(table, number))

    @property
    def subject(self) -> str:
        """The subject of messages about it."""
        return "n-gram metrics" if isinstance(self.kind, JointCounter) else _subject(self.metrics[0])


def _keys(named: NamedMetric) -> tuple[StatisticKey, ...]:
    """Return what each statistic of a metric depends on."""
    if isinstance(named.kind, ByReference):
        return named.kind.statistic_keys
    return tuple(StatisticKey(name, named) for name in named.kind.statistic_names)


def _statistics(named: NamedMetric, counted: Counted) -> Statistics:
    """Return the statistics of a metric from what was counted."""
    return Statistics(tuple(counted[key] for key in _keys(named)), named.kind.statistic_names)


def _counters(metrics: Sequence[NamedMetric], is_known: Callable[[StatisticKey], bool]) -> list[_Counter]:
    """Return what counts the statistics that are not known yet, for the metrics that read tokens."""
    left = {
        named: [key for key in _keys(named) if not is_known(key)]
        for named in metrics
        if not isinstance(named.kind, TextMetric)
    }
    found: list[_Counter] = []
    if ngrams := [named for named, keys in left.items() if keys and isinstance(named.kind, NgramMetric)]:
        keys = tuple(dict.fromkeys(key for named in ngrams for key in left.pop(named)))
        found.append(_Counter(JointCounter(keys), keys, ngrams))
    for named, missing in left.items():
        counting = [counter for counter in found if {*missing} & {*counter.keys}]
        if {*missing} <= {key for counter in counting for key in counter.keys}:
            for counter in counting:
                counter.metrics.append(named)
        elif not isinstance(kind := named.kind, TextMetric):
            found.append(_Counter(kind, _keys(named), [named]))
    return found


def _subject(named: NamedMetric) -> str:
    """Return what a metric is in messages."""
    metric = named.kind
    return metric.guard.subject if isinstance(metric, GuardedTokens) else f"metric {named.written.strip()!r}"


# What is counted in one call: a preprocessing, what counts, and the positions of systems.
_Block = tuple[str, _Counter, IntArray]


class Treated:
    """The texts of a corpus under a preprocessing, as `TreatedTexts` has them; they are made when they are needed.

    Parameters
    ----------
    preprocessing : Preprocessing
    corpus : Corpus
    """

    def __init__(self, preprocessing: Preprocessing, corpus: Corpus) -> None:
        self.preprocessing = preprocessing.signature
        self._make = functools.partial(treat, preprocessing, corpus.candidates, corpus.references)
        if preprocessing.takes_notes:
            self.candidates  # noqa: B018 - whose texts it has notes of, kept statistics or not

    @functools.cached_property
    def _texts(self) -> TreatedTexts:
        return self._make()

    @property
    def candidates(self) -> tuple[Segments, ...]:
        """Of the systems."""
        return self._texts.candidates

    @property
    def references(self) -> Mapping[str, Segments]:
        """By name."""
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

    Metrics that read texts score once, and stand under every preprocessing. What several metrics of ours count is
    counted once. Each job scores some of the systems, and their number changes no bit.

    Parameters
    ----------
    corpus : Corpus
    treated : mapping of str to Treated
        By the names of the preprocessings.
    groups : sequence of ReferenceGroup
    metrics : sequence of NamedMetric
    executor : Executor
    failures : mapping of NamedMetric to str, optional
        Where it is noted which metrics failed, which are then left out.
    tally : Tally, optional
        Counts what is scored: a metric that reads texts once for each reference subset, another once for each
        preprocessing and each block of systems that is scored at once; n-gram metrics are one.
    counted : dict, optional
        What was counted before, and so is not again, such as for other panels on the corpus; it gets what is counted
        here, unless all of it takes more than a quarter of the memory.

    Raises
    ------
    MetricError
        If a metric fails and there is no `failures`.
    """
    subsets = tuple(dict.fromkeys(subset for group in groups for subset in group.subsets))
    failed: Failures = {}
    found: list[Measured] = []
    tally = tally or Tally()
    of_texts = [(named, named.kind) for named in metrics if isinstance(named.kind, TextMetric)]
    counted = {} if counted is None else counted
    texts = corpus.name, corpus.digest, corpus.filter
    for place in [place for place in counted if place[0] != texts]:
        del counted[place]
    of_place = {
        (name, subset): counted.setdefault((texts, one.preprocessing, subset), {})
        for name, one in treated.items()
        for subset in subsets
    }
    counters = _counters(metrics, lambda key: all(key in one for one in of_place.values()))
    names = [subset.names for subset in subsets]
    stored = _look_up(corpus, treated, counters, names)
    blocks, n_ours = _blocks(corpus, treated, counters, executor.jobs, stored)
    tally.expect(len(blocks) + len(of_texts) * len(subsets))
    # These first: what they read from files may be wrong, which is better known soon.
    for named, metric in of_texts:
        try:
            of_subsets = measure_texts(corpus, names, metric, executor)
        except MetricError as error:
            failed[named] = str(error)
            continue
        tally.add(len(subsets))
        found.extend(
            Measured(preprocessing, Signature(""), subset, named, Statistics.of_values(values, metric.statistic_names))
            for preprocessing in treated
            for subset, values in zip(subsets, of_subsets, strict=True)
        )
    tables = _count(corpus, treated, names, blocks, n_ours, executor, failed, tally, stored)
    for (preprocessing, counter), of_counter in tables.items():
        for subset, table in zip(subsets, of_counter, strict=True):
            counter.add_to(of_place[preprocessing, subset], table)
    found.extend(
        Measured(name, treated[name].preprocessing, subset, named, _statistics(named, one))
        for named in metrics
        if named not in failed and not isinstance(named.kind, TextMetric)
        for (name, subset), one in of_place.items()
    )
    held = {column.table for one in counted.values() for column in one.values()}
    if 4 * sum(table.values.nbytes for table in held) > executor.memory:
        counted.clear()
    if failures is None and failed:
        raise MetricError("\n".join(failed.values()))
    if failures is not None:
        failures.update(failed)
    order = {named: place for place, named in enumerate(metrics)}
    places = {name: place for place, name in enumerate(treated)}
    return sorted(found, key=lambda item: (places[item.preprocessing], order[item.named]))


def metric_notes(corpus: Corpus, metrics: Sequence[NamedMetric]) -> list[str]:
    """Return the warnings about the metrics of plug-ins, each once for all metrics that it is about."""
    found: dict[str, list[str]] = {}
    for named in metrics:
        metric = named.kind
        notes: tuple[str, ...] = ()
        if isinstance(metric, TextMetric):
            notes = metric.notes(corpus)
        for note in notes:
            found.setdefault(note, []).append(named.written)
    return [f"{', '.join(names)}: {note}" for note, names in found.items()]


# By preprocessing, counter and system: a name in the cache, and the array there, (subsets, segments, statistics).
_Stored = dict[tuple[str, _Counter, int], tuple[str, FloatArray | None]]


def _look_up(
    corpus: Corpus, treated: Mapping[str, Treated], counters: Sequence[_Counter], subsets: Sequence[Sequence[str]]
) -> _Stored:
    """Return what the cache has of what was counted before."""
    if not cache.limit():
        every = itertools.product(treated, counters, range(len(corpus.systems)))
        return dict.fromkeys(every, ("", None))
    of_systems = [digest(texts) for texts in corpus.candidates]
    of_references = digest([corpus.references[name] for names in subsets for name in names], subsets)
    found: _Stored = {}
    for counter in counters:
        kind = counter.kind
        own = (kind.written, *kind.packages) if isinstance(kind, GuardedTokens) else ()
        shape = (len(subsets), corpus.n_segments, len(kind.statistic_names))
        for preprocessing, texts in treated.items():
            common = (environment_digest(), str(kind.signature), own, str(texts.preprocessing), of_references)
            for system, of_system in enumerate(of_systems):
                name = digest(*common, of_system)
                found[preprocessing, counter, system] = name, cache.read("statistics", name, shape)
    return found


def _blocks(
    corpus: Corpus, treated: Mapping[str, Treated], counters: Sequence[_Counter], jobs: int, stored: _Stored
) -> tuple[list[_Block], int]:
    """Return what is counted at once, and how much of it, at the beginning, is of built-in metrics."""
    # Plug-ins last: one system at a time, so that an error names it, and here, where what they print is seen.
    ours = [counter for counter in counters if not isinstance(counter.kind, GuardedTokens)]
    theirs = [counter for counter in counters if counter not in ours]
    blocks: list[_Block] = []
    for counter in (*ours, *theirs):
        for preprocessing in treated:
            systems = range(len(corpus.systems))
            left = np.array([k for k in systems if stored[preprocessing, counter, k][1] is None], dtype=np.int64)
            n_blocks = len(left) if counter in theirs else min(jobs, len(left))
            blocks += [
                (preprocessing, counter, block) for block in np.array_split(left, max(1, n_blocks)) if len(block)
            ]
    return blocks, sum(counter in ours for _, counter, _ in blocks)


def _count(
    corpus: Corpus,
    treated: Mapping[str, Treated],
    subsets: Sequence[Sequence[str]],
    blocks: Sequence[_Block],
    n_ours: int,
    executor: Executor,
    failed: Failures,
    tally: Tally,
    stored: _Stored,
) -> dict[tuple[str, _Counter], list[StatisticsTable]]:
    """Return the table of each preprocessing and reference subset, of what has not failed."""
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
            what=counter.subject,
        )
        for preprocessing, counter, block in blocks
    ]
    # Kernels run side by side in threads; the plain definitions, which Python runs one at a time, need processes.
    kind: Kind = "threads" if kernels.COMPILED else "processes"
    results = itertools.chain(executor.run(calls[:n_ours], kind), SERIAL.run(calls[n_ours:], kind))
    found: dict[tuple[str, _Counter], list[StatisticsTable]] = {}

    def fill(preprocessing: str, counter: _Counter, system: int, of_subsets: Iterable[FloatArray]) -> None:
        """Put the statistics of a system in their place, one after the other, so that few are there twice."""
        shape = (len(corpus.systems), corpus.n_segments, len(counter.kind.statistic_names))
        if (preprocessing, counter) not in found:
            found[preprocessing, counter] = [StatisticsTable(np.empty(shape)) for _ in subsets]
        for whole, one in zip(found[preprocessing, counter], of_subsets, strict=True):
            whole.values[system] = one

    for (preprocessing, counter, block), of_subsets in zip(blocks, results, strict=True):
        tally.add()
        if isinstance(of_subsets, MetricError):
            where = f"system {corpus.systems[block[0]]!r}, preprocessing {preprocessing!r}"
            for named in counter.metrics:
                failed.setdefault(named, str(of_subsets).replace(counter.subject, f"{_subject(named)}, {where}", 1))
            continue
        is_whole = len(block) == len(corpus.systems)
        if is_whole:
            found[preprocessing, counter] = of_subsets
        for place, system in enumerate(block.tolist()):
            values = [one.values[place] for one in of_subsets]
            if cache.limit():
                cache.write("statistics", stored[preprocessing, counter, system][0], np.stack(values))
            if not is_whole:
                fill(preprocessing, counter, system, values)
    for (preprocessing, counter, system), (_, counts) in stored.items():
        if counts is not None:
            fill(preprocessing, counter, system, counts)
    return {place: tables for place, tables in found.items() if place[1].metrics[0] not in failed}


def _measure_block(
    metric: Metric | JointCounter,
    candidates: Sequence[Segments],
    references: Mapping[str, Segments],
    subsets: Sequence[Sequence[str]],
    memory: int,
) -> list[StatisticsTable] | MetricError:
    """Score some systems; an error of a metric is a result, because others go on."""
    try:
        found = measure_subsets(metric, candidates, references, subsets, memory)
    except MetricError as error:
        return error
    return [table for one in found for table in one.tables]


def measure_references(
    corpus: Corpus,
    treated: Mapping[str, Treated],
    groups: Sequence[ReferenceGroup],
    metrics: Sequence[NamedMetric],
    failures: Failures,
    memory: int | None = None,
) -> list[MeasuredReference]:
    """Return the statistics of each reference that a subset leaves out, scored like a system against the others.

    Metrics that have no scores of references are left out, and those that fail, which is noted in `failures`.
    """
    pairs = dict.fromkeys(
        (name, subset) for group in groups for name, subset in zip(group.left_out, group.subsets, strict=False)
    )
    counters = _counters(metrics, lambda key: False)
    found: list[MeasuredReference] = []
    for preprocessing, texts in treated.items():
        of_pairs: dict[tuple[str, ReferenceSubset], Counted] = {pair: {} for pair in pairs}
        for counter in counters:
            try:
                for (name, subset), counted in of_pairs.items():
                    others = [texts.references[one] for one in subset.names]
                    (table,) = measure(counter.kind, [texts.references[name]], others, memory).tables
                    counter.add_to(counted, table)
            except MetricError as error:
                for named in counter.metrics:
                    failures.setdefault(named, str(error))
        for named in metrics:
            if isinstance(named.kind, TextMetric):
                try:
                    found.extend(_score_references(corpus, preprocessing, named, named.kind, pairs))
                except MetricError as error:
                    failures.setdefault(named, str(error))
            elif named not in failures:
                for (name, subset), counted in of_pairs.items():
                    statistics = _statistics(named, counted)
                    measured = Measured(preprocessing, texts.preprocessing, subset, named, statistics)
                    found.append(MeasuredReference(name, measured))
    return found


def _score_references(
    corpus: Corpus,
    preprocessing: str,
    named: NamedMetric,
    metric: TextMetric,
    pairs: Iterable[tuple[str, ReferenceSubset]],
) -> list[MeasuredReference]:
    """Return the scores of references by a metric that reads texts, of those that it can score."""
    found = []
    for name, subset in pairs:
        if metric.scores_system(corpus, name):
            human = replace(corpus, systems=(name,), candidates=(corpus.references[name],))
            statistics = Statistics.of_values(metric.measure(human, subset.names), metric.statistic_names)
            found.append(MeasuredReference(name, Measured(preprocessing, Signature(""), subset, named, statistics)))
    return found


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
