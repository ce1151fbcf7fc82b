"""Texts to statistics: preprocess every text, score it with each metric and reference subset."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval import _kernels as kernels
from metaeval.errors import MetricError
from metaeval.experiment.executor import SERIAL, Call, Executor, Kind, LostError
from metaeval.experiment.measure_texts import measure_texts
from metaeval.experiment.measured import Measured, Shelf
from metaeval.metrics.contract import UNFINISHED, Metric, measure, measure_subsets, unfinished
from metaeval.metrics.named import NamedMetric
from metaeval.metrics.ngrams import NgramMetric
from metaeval.metrics.text_metric import TextMetric
from metaeval.names import Signature
from metaeval.plugins.guards import GuardedTokens
from metaeval.pooling import Statistics
from metaeval.progress import Tally
from metaeval.records import Corpus, FloatArray, IntArray, Segments, TreatedTexts
from metaeval.sampling.references import ReferenceGroup, ReferenceSubset
from metaeval.store import digest, get, limit, put, surroundings
from metaeval.text.encoding import treat
from metaeval.text.preprocessing import Preprocessing


@dataclass(frozen=True)
class MeasuredReference:
    """A reference scored like a system: human performance as the metrics see it."""

    name: str
    measured: Measured

    def narrowed(self, named: NamedMetric, columns: Sequence[int]) -> MeasuredReference:
        """Return what another metric, whose statistics are some of these, has."""
        return replace(self, measured=self.measured.narrowed(named, columns))


# Metrics that failed, and the message that says how.
Failures = MutableMapping[NamedMetric, str]

# What is scored at once: a preprocessing, a metric and the positions of systems.
_Cell = tuple[str, NamedMetric, IntArray]


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
    shelf: Shelf | None = None,
) -> list[Measured]:
    """Return the statistics of every preprocessing, metric and reference subset, each subset once.

    Metrics that read texts score once, and stand under every preprocessing. Each job scores some
    of the systems, and their number changes no bit.

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
        preprocessing and each block of systems that is scored at once.
    shelf : Shelf, optional
        What was measured before, and so is not again.

    Raises
    ------
    MetricError
        If a metric fails and there is no `failures`.
    """
    subsets = tuple(dict.fromkeys(subset for group in groups for subset in group.subsets))
    failed: Failures = {}
    found: list[Measured] = []
    tally, shelf = tally or Tally(), shelf or Shelf(executor.memory)
    treatments = {name: texts.preprocessing for name, texts in treated.items()}
    of_texts = [(named, named.kind) for named in metrics if isinstance(named.kind, TextMetric)]
    of_tokens = []
    for named in metrics:
        if not isinstance(named.kind, TextMetric):
            before = shelf.find(corpus, treatments, subsets, named)
            found.extend(before)
            of_tokens += [] if before else [named]
    names = [subset.names for subset in subsets]
    known = _kept(corpus, treated, of_tokens, names)
    shared = _shared(of_tokens, known)
    alone = [named for named in of_tokens if named not in shared]
    cells, n_ours = _cells(corpus, treated, alone, executor.jobs, known)
    tally.expect(len(cells) + len(of_texts) * len(subsets))
    # These first: what they read from files may be wrong, which is better known soon.
    for named, metric in of_texts:
        try:
            of_subsets = measure_texts(corpus, names, metric, executor)
        except (MetricError, LostError) as error:
            failed[named] = str(error)
            continue
        tally.add(len(subsets))
        found.extend(
            Measured(preprocessing, Signature(""), subset, named, Statistics(values, metric.statistic_names))
            for preprocessing in treated
            for subset, values in zip(subsets, of_subsets, strict=True)
        )
    of_all = _measure_tokens(corpus, treated, subsets, cells, n_ours, executor, failed, tally, known, shared)
    shelf.join(of_all)
    found.extend(of_all)
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
        elif isinstance(metric, GuardedTokens):
            notes = metric.guard.where
        for note in notes:
            found.setdefault(note, []).append(named.written)
    return [f"{', '.join(names)}: {note}" for note, names in found.items()]


# The statistics of a preprocessing, a metric and a system, (subsets, segments, statistics), and where they are kept.
_Known = dict[tuple[str, NamedMetric, int], tuple[str, FloatArray | None]]


def _kept(
    corpus: Corpus, treated: Mapping[str, Treated], metrics: Sequence[NamedMetric], subsets: Sequence[Sequence[str]]
) -> _Known:
    """Return what was counted before."""
    if not limit():
        every = itertools.product(treated, metrics, range(len(corpus.systems)))
        return dict.fromkeys(every, ("", None))
    of_systems = [digest(texts) for texts in corpus.candidates]
    of_references = digest([corpus.references[name] for names in subsets for name in names], subsets)
    found: _Known = {}
    for named in metrics:
        metric = named.kind
        own = (metric.written, *metric.packages) if isinstance(metric, GuardedTokens) else ()
        shape = (len(subsets), corpus.n_segments, len(metric.statistic_names))
        for preprocessing, texts in treated.items():
            common = (surroundings(), str(metric.signature), own, str(texts.preprocessing), of_references)
            for system, of_system in enumerate(of_systems):
                name = digest(*common, of_system)
                found[preprocessing, named, system] = name, get("statistics", name, shape)
    return found


# Metrics whose statistics are some of those of another one: which, and the columns there.
_Shared = dict[NamedMetric, tuple[NamedMetric, list[int]]]


def _shared(metrics: Sequence[NamedMetric], known: _Known) -> _Shared:
    """Return them, and the one that has most; none where any was kept."""
    if any(kept is not None for _, kept in known.values()):
        return {}
    counting = [(named, named.kind) for named in metrics if isinstance(named.kind, NgramMetric)]
    counting.sort(key=lambda one: -len(one[1].statistic_names))
    found: _Shared = {}
    for place, (named, metric) in enumerate(counting):
        for other, wider in counting[:place]:
            if named not in found and (columns := metric.columns_in(wider)):
                found[named] = other, columns
    return found


def _cells(
    corpus: Corpus, treated: Mapping[str, Treated], metrics: Sequence[NamedMetric], jobs: int, known: _Known
) -> tuple[list[_Cell], int]:
    """Return what is scored at once, and how much of it, at the beginning, is of built-in metrics."""
    # Plug-ins last: one system at a time, so that an error names it, and here, where what they print is seen.
    ours = [named for named in metrics if not isinstance(named.kind, GuardedTokens)]
    theirs = [named for named in metrics if named not in ours]
    cells: list[_Cell] = []
    for named in (*ours, *theirs):
        for preprocessing in treated:
            systems = range(len(corpus.systems))
            left = np.array([k for k in systems if known[preprocessing, named, k][1] is None], dtype=np.int64)
            n_blocks = len(left) if named in theirs else min(jobs, len(left))
            cells += [(preprocessing, named, block) for block in np.array_split(left, max(1, n_blocks)) if len(block)]
    return cells, sum(named in ours for _, named, _ in cells)


def _measure_tokens(
    corpus: Corpus,
    treated: Mapping[str, Treated],
    subsets: Sequence[ReferenceSubset],
    cells: Sequence[_Cell],
    n_ours: int,
    executor: Executor,
    failed: Failures,
    tally: Tally,
    known: _Known,
    shared: _Shared,
) -> list[Measured]:
    names = [subset.names for subset in subsets]
    calls = [
        Call(
            _measure_block,
            (
                named.kind,
                [treated[preprocessing].candidates[k] for k in block],
                treated[preprocessing].references,
                names,
                executor.of_each,
            ),
            what=f"metric {named.written.strip()!r}",
            stands_alone=True,
        )
        for preprocessing, named, block in cells
    ]
    # Kernels run side by side in threads; the plain definitions, which Python runs one at a time, need processes.
    kind: Kind = "threads" if kernels.COMPILED else "processes"
    results = itertools.chain(executor.run(calls[:n_ours], kind), SERIAL.run(calls[n_ours:], kind))
    found: dict[tuple[str, NamedMetric], list[Statistics]] = {}

    def fill(preprocessing: str, named: NamedMetric, system: int, of_subsets: Iterable[FloatArray]) -> None:
        """Put the statistics of a system in their place, one after the other, so that few are there twice."""
        shape = (len(corpus.systems), corpus.n_segments, len(named.kind.statistic_names))
        if (preprocessing, named) not in found:
            names = named.kind.statistic_names
            found[preprocessing, named] = [Statistics(np.empty(shape), names) for _ in subsets]
        for whole, one in zip(found[preprocessing, named], of_subsets, strict=True):
            whole.table[system] = one

    def spoiled(error: MetricError | LostError, named: NamedMetric, preprocessing: str, block: IntArray) -> None:
        where = f"system {corpus.systems[block[0]]!r}, preprocessing {preprocessing!r}"
        failed.setdefault(named, _placed(error, named, where))

    for (preprocessing, named, block), of_subsets in zip(cells, results, strict=True):
        tally.add()
        narrower = [(one, columns) for one, (other, columns) in shared.items() if other == named]
        if isinstance(of_subsets, MetricError | LostError):
            for one in (named, *(one for one, _ in narrower)):
                spoiled(of_subsets, one, preprocessing, block)
            continue
        is_whole = len(block) == len(corpus.systems)
        if is_whole:
            found[preprocessing, named] = of_subsets
        for place, system in enumerate(block.tolist()):
            values = [one.table[place] for one in of_subsets]
            if limit():
                every = np.stack(values)
                put("statistics", known[preprocessing, named, system][0], every)
                for one, columns in narrower:
                    put("statistics", known[preprocessing, one, system][0], every[..., columns])
            if not is_whole:
                fill(preprocessing, named, system, values)
    for (preprocessing, named, system), (_, kept) in known.items():
        if kept is not None:
            fill(preprocessing, named, system, kept)
    for one, (other, columns) in shared.items():
        for preprocessing in treated:
            wider = found.get((preprocessing, other), ())
            found[preprocessing, one] = [each.narrowed(one.kind.statistic_names, columns) for each in wider]
    return [
        Measured(preprocessing, treated[preprocessing].preprocessing, subset, named, statistics)
        for (preprocessing, named), of_subsets in found.items()
        if named not in failed
        for subset, statistics in zip(subsets, of_subsets, strict=True)
    ]


def _measure_block(
    metric: Metric,
    candidates: Sequence[Segments],
    references: Mapping[str, Segments],
    subsets: Sequence[Sequence[str]],
    memory: int,
) -> list[Statistics] | MetricError:
    """Score some systems; an error of a metric is a result, because others go on."""
    try:
        return measure_subsets(metric, candidates, references, subsets, memory)
    except MetricError as error:
        return error


def _placed(error: MetricError | LostError, named: NamedMetric, where: str) -> str:
    """Return the message of an error with the system in it."""
    metric, subject = named.kind, f"metric {named.written.strip()!r}"
    if isinstance(metric, GuardedTokens):
        subject = metric.guard.subject
    return str(error).replace(subject, f"{subject}, {where}", 1)


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
    shared = _shared([named for named in metrics if not isinstance(named.kind, TextMetric)], {})
    found: list[MeasuredReference] = []
    for preprocessing, texts in treated.items():
        measured: dict[NamedMetric, list[MeasuredReference]] = {}
        # What others are taken from first.
        for named in sorted(metrics, key=shared.__contains__):
            wider, columns = shared.get(named, (named, []))
            try:
                if wider in measured:
                    measured[named] = [one.narrowed(named, columns) for one in measured[wider]]
                else:
                    each = [_measure_reference(corpus, preprocessing, texts, named, *pair, memory) for pair in pairs]
                    measured[named] = [one for one in each if one is not None]
            except MetricError as error:
                failures.setdefault(named, str(error))
        found.extend(one for named in metrics for one in measured.get(named, ()))
    return found


def _measure_reference(
    corpus: Corpus,
    preprocessing: str,
    texts: Treated,
    named: NamedMetric,
    name: str,
    subset: ReferenceSubset,
    memory: int | None,
) -> MeasuredReference | None:
    metric = named.kind
    if isinstance(metric, TextMetric):
        if not metric.scores_system(corpus, name):
            return None
        human = replace(corpus, systems=(name,), candidates=(corpus.references[name],))
        values = metric.measure(human, subset.names)
        statistics, treatment = Statistics(values, metric.statistic_names), Signature("")
    else:
        others = [texts.references[other] for other in subset.names]
        statistics, treatment = measure(metric, [texts.references[name]], others, memory), texts.preprocessing
    return MeasuredReference(name, Measured(preprocessing, treatment, subset, named, statistics))


def unfinished_searches(measured: Sequence[Measured]) -> list[str]:
    """Return a message for each metric and reference subset with searches that ended early."""
    return [
        f"{item.named.written}, references {item.subset}: {sentence}"
        for item in measured
        if any(name in UNFINISHED for name in item.statistics.names)
        for sentence in unfinished(
            item.statistics.names, item.statistics.values, f"of {item.statistics.table[..., 0].size} texts"
        )
    ]
