"""Compute an experiment: read, judge, sample, preprocess and score, pool and correlate, and make scores.tsv."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import cached_property

from metaeval import kernels
from metaeval.config.schema import Experiment
from metaeval.corpora.catalogue import each_corpus, find_corpus, read_corpus
from metaeval.datamodel.corpus import Corpus
from metaeval.errors import MetricError, UsageError, as_typed, counted, listing, unknown
from metaeval.experiment.corpus_facts import corpus_facts, judgments_taken, setting_facts
from metaeval.experiment.filtering import Filters, check_filters, filters_of, named_references
from metaeval.experiment.judge import (
    CriterionDocuments,
    chosen_criteria,
    confounding_notes,
    group_notes,
    judge_criterion,
    judge_documents,
)
from metaeval.experiment.measure import (
    MeasuredReference,
    measure_all,
    measure_references,
    metric_notes,
    treat_all,
    unfinished_searches,
)
from metaeval.experiment.overrides import Panel
from metaeval.experiment.replicates import make_replicates
from metaeval.experiment.score_blocks import score_blocks
from metaeval.experiment.setting import Setting, settings_of
from metaeval.experiment.statistics_by_metric import CountedOnCorpus, Measured
from metaeval.experiment.tables import make_tables
from metaeval.experiment.tasks import RankingSettings
from metaeval.experiment.warnings import notes_on_documents, undefined_coefficients, warnings_of, without_interval
from metaeval.metrics.selection import (
    NamedMetric,
    at_level,
    bare_name,
    check_texts,
    expanded,
    named_metrics,
    of_whole_systems,
)
from metaeval.parameters.fields import Named
from metaeval.results.model import CorpusFacts, RunData
from metaeval.runtime.parallel import SERIAL, Executor
from metaeval.runtime.progress import Progress, Step, Tally, silent
from metaeval.runtime.randomness import generator
from metaeval.sampling.references import ReferenceGroup, reference_groups
from metaeval.text.preprocessing import Preprocessing

# Reads a corpus, from its name and formats.
Reader = Callable[[str, tuple[str, ...]], tuple[Corpus, Sequence[str]]]


@contextmanager
def stage(run: RunData, name: str, progress: Progress, what: str) -> Iterator[Tally]:
    """Time a stage, report that it begins, and yield a tally of its parts."""
    step = Step(name, what)
    progress(step)
    start = time.perf_counter()
    yield Tally(progress, step)
    run.seconds[name] = run.seconds.get(name, 0.0) + time.perf_counter() - start


def compute_experiment(
    experiment: Experiment,
    *,
    panel: str = "",
    read: Reader = read_corpus,
    chosen: Sequence[str] | None = None,
    executor: Executor = SERIAL,
    progress: Progress = silent,
) -> RunData:
    """Compute an experiment.

    Parameters
    ----------
    experiment : Experiment
    panel : str
        The title of the panel or task that it is, for the keys of all rows; "" for neither.
    read : callable
        Reads a corpus, from its name and formats.
    chosen : sequence of str, optional
        Of scores that came with a corpus, the metrics to take, by name or pattern; they are called by short names.
    executor : Executor
        Makes its calls; the results are the same bits for any number of jobs.
    progress : callable
        Called with a :class:`~metaeval.runtime.progress.Step` at the beginning of each stage and as its work is done.

    Raises
    ------
    UsageError
        If the experiment cannot be run on these corpora.
    CorpusError
        If the files of a corpus are wrong.
    MetricError
        If every metric fails on every corpus; if some do, the others go on.
    """
    run = PanelRun(Panel(panel, (experiment,)), executor, progress, read, chosen)
    ((_, results),) = compute_side_by_side([run], executor)
    return results


@dataclass(frozen=True)
class Prepared:
    """A corpus of a panel that was read, judged and scored, and whose scores are not correlated yet.

    Attributes
    ----------
    execution : Execution
        The experiment that it belongs to.
    corpus : Corpus
    metrics : sequence of NamedMetric
        All that are scored, in the order of the config.
    without : sequence of NamedMetric
        Those that are not, because they have scores of whole systems alone.
    groups : sequence of ReferenceGroup
    judged : sequence of CriterionDocuments
    measured : sequence of Measured
        The statistics of systems.
    references : sequence of MeasuredReference
        Those of references that are scored as systems.
    failures : dict of NamedMetric to str
        Metrics that failed, and why; those that fail later are added.
    settings : list of lists of Setting
        For each criterion and group of reference subsets; empty if every metric failed.
    """

    execution: Execution
    corpus: Corpus
    metrics: Sequence[NamedMetric]
    without: Sequence[NamedMetric]
    groups: Sequence[ReferenceGroup]
    judged: Sequence[CriterionDocuments]
    measured: Sequence[Measured]
    references: Sequence[MeasuredReference]
    failures: dict[NamedMetric, str]
    settings: list[list[Setting]]

    @property
    def left_out(self) -> dict[str, str]:
        """The metrics that are not correlated, and why."""
        failed = {named.written: "failed" for named in self.failures}
        return failed | {bare_name(named): "has scores of whole systems alone" for named in self.without}

    @property
    def draws_documents(self) -> bool:
        """True if it has replicates of pseudo-documents, which other panels on the same corpus may share."""
        experiment = self.execution.experiment
        return bool(self.settings) and experiment.needs_replicates and experiment.documents.units.is_drawn


class PanelRun:
    """The experiments of a panel while they are computed, corpus by corpus.

    Parameters
    ----------
    panel : Panel
    executor, progress, read, chosen
        As for :func:`compute_experiment`, which also lists the errors.
    counted : dict, optional
        As for :func:`~metaeval.experiment.measure.measure_all`.
    """

    def __init__(
        self,
        panel: Panel,
        executor: Executor,
        progress: Progress,
        read: Reader,
        chosen: Sequence[str] | None = None,
        counted: CountedOnCorpus | None = None,
    ) -> None:
        self.results = RunData()
        several = len(panel.corpora) > 1
        self._executions = [
            Execution(panel.title, experiment, several, executor, progress, self.results, read, chosen, counted)
            for experiment in panel.experiments
        ]
        # Each corpus with the number of its experiment.
        self.corpora = [
            (number, name, formats)
            for number, experiment in enumerate(panel.experiments)
            for name, formats in each_corpus(experiment.corpora, experiment.formats_of)
        ]
        # Of each corpus that is done: the number of its experiment, the rows of its correlations, its facts.
        self._correlated: list[tuple[int, range, CorpusFacts | None]] = []
        self._progress = progress

    def prepare(self, position: int) -> Prepared:
        """Read, judge and score a corpus; before the first one, check that all can be found."""
        if position == 0:
            if plain := kernels.missing():
                self.results.warnings.append(plain)
            for _, name, _ in self.corpora:
                find_corpus(name, self._progress)
        number, name, formats = self.corpora[position]
        return self._executions[number].prepare(name, formats)

    @property
    def is_done(self) -> bool:
        """True once all corpora were correlated."""
        return len(self._correlated) == len(self.corpora)

    def correlate(self, prepared: Prepared) -> None:
        """Correlate the scores of a corpus, with replicates that were made for several panels if there are any."""
        before = len(self.results.tables.correlations)
        facts = prepared.execution.correlate(prepared)
        rows = range(before, len(self.results.tables.correlations))
        self._correlated.append((self._executions.index(prepared.execution), rows, facts))

    def conclude(self) -> RunData:
        """Return the results, with the warnings about all of them."""
        results = self.results
        warnings = list[str]()
        if self._executions[0].chosen is None:
            check_filters([execution.filters for execution in self._executions])
        if results.failures and not results.corpora:
            raise MetricError("\n".join(results.failures))
        for number, execution in enumerate(self._executions):
            experiment = execution.experiment
            corpora = [(rows, facts) for owner, rows, facts in self._correlated if owner == number]
            correlations = [results.tables.correlations[row] for rows, _ in corpora for row in rows]
            results.warnings.extend(undefined_coefficients(correlations, experiment.correlation))
            # A name in the config may stand for several metrics: their number is that on the corpus that has most.
            n_signatures = max((len(facts.signatures) for _, facts in corpora if facts is not None), default=0)
            warnings += warnings_of(experiment, n_signatures // len(_treatments(experiment.preprocessing)))
        results.warnings.extend(without_interval(results.tables.correlations))
        results.warnings.extend(dict.fromkeys(warnings))
        return results


def compute_side_by_side(
    runs: Sequence[PanelRun],
    executor: Executor,
    within: Callable[[int], AbstractContextManager[object]] = lambda position: nullcontext(),
) -> Iterator[tuple[int, RunData]]:
    """Compute panels corpus by corpus, so that replicates of the same pseudo-documents are made once for all of them.

    Parameters
    ----------
    runs : sequence of PanelRun
    executor : Executor
        Makes the replicates. Where the statistics of the panels that wait for these take a quarter of its memory,
        theirs are made before those of other panels.
    within : callable
        Returns the context in which something is done for a panel, from its position in `runs`. If that suppresses an
        error, the panel is left out.

    Yields
    ------
    int, RunData
        The position of a panel and its results, as soon as it is done.
    """
    failed: set[int] = set()

    @contextmanager
    def guarded(position: int) -> Iterator[None]:
        failed.add(position)
        with within(position):
            yield
            failed.discard(position)

    def correlated(position: int, prepared: Prepared) -> RunData | None:
        """Return the results of a panel, if this was its last corpus and it has not failed."""
        run = runs[position]
        with guarded(position):
            run.correlate(prepared)
            if run.is_done:
                return run.conclude()
        return None

    for number in range(max(len(run.corpora) for run in runs)):
        ready: list[tuple[int, Prepared]] = []
        waiting: list[tuple[int, Prepared]] = []
        for position, run in enumerate(runs):
            if position not in failed and number < len(run.corpora):
                with guarded(position):
                    prepared = run.prepare(number)
                    (waiting if prepared.draws_documents else ready).append((position, prepared))
                    del prepared  # frees its statistics, as below
            if position == len(runs) - 1 or 4 * _bytes_of_statistics(waiting) >= executor.memory:
                _make_shared_replicates([prepared_corpus for _, prepared_corpus in waiting])
                ready = ready + waiting
                waiting = []
            while ready:
                done, prepared = ready.pop(0)
                results = correlated(done, prepared)
                del prepared
                if results is not None:
                    yield done, results


def _make_shared_replicates(waiting: Sequence[Prepared]) -> None:
    """Make the replicates of several panels; a single one makes its own, as do all where a metric of one fails."""
    if len(waiting) < 2:
        return
    settings = [setting for prepared in waiting for group in prepared.settings for setting in group]
    execution = waiting[0].execution
    with execution.stage("correlate", f"replicates of {len(waiting)} panels") as tally, suppress(MetricError):
        tally.expect(sum(setting.experiment.uncertainty.replicates for setting in settings))
        make_replicates(settings, execution.executor, tally)


def _bytes_of_statistics(waiting: Sequence[tuple[int, Prepared]]) -> int:
    """Count the bytes that the statistics of prepared corpora take."""
    tables = {table for _, prepared in waiting for item in prepared.measured for table in item.statistics.tables}
    return sum(table.values.nbytes for table in tables)


@dataclass(frozen=True)
class Execution:
    """An experiment that is being computed: read, judge and sample, preprocess, score, correlate.

    Attributes
    ----------
    panel : str
        The title of the panel or task that it belongs to; "" where there are none.
    experiment : Experiment
    several : bool
        Whether the panel has several corpora: then it is enough that a name fits in one of them.
    executor, progress, read_corpus, chosen
        As for :func:`compute_experiment`.
    results : RunData
        Gets the results.
    counted : dict or None
        As for :func:`~metaeval.experiment.measure.measure_all`.
    """

    panel: str
    experiment: Experiment
    several: bool
    executor: Executor
    progress: Progress
    results: RunData
    read_corpus: Reader
    chosen: Sequence[str] | None
    counted: CountedOnCorpus | None

    @cached_property
    def filters(self) -> Filters:
        """The filter of the systems and segments of each corpus."""
        return filters_of(self.experiment, several=self.several or self.chosen is not None, panel=self.panel)

    def stage(self, name: str, what: str) -> AbstractContextManager[Tally]:
        """Time a stage of it."""
        return stage(self.results, name, self.progress, what)

    def prepare(self, name: str, formats: tuple[str, ...]) -> Prepared:
        """Read, judge and score a corpus."""
        results = self.results
        experiment = self.experiment
        metrics: Sequence[NamedMetric] = named_metrics(
            experiment.metrics, [named.written for named in experiment.preprocessing]
        )
        treatments = _treatments(experiment.preprocessing)
        with self.stage("read", f"corpus {name}"):
            corpus, metrics, without, groups, criteria = self.read(name, formats, metrics)
            if experiment.uncertainty.resample == "documents" and corpus.documents is None:
                raise UsageError(
                    f"the corpus {corpus.name!r} has no documents: `uncertainty.resample` must be 'text', 'segments', "
                    "'systems' or 'both'; got 'documents'."
                )
        # Judgments first: where some are missing it fails, before anything that takes long.
        what = f"{counted(len(corpus.judgments), 'judgment')}, {counted(len(criteria), 'criterion', 'criteria')}"
        with self.stage("judge", what):
            by_criterion = [judge_criterion(corpus, position, experiment) for position in criteria]
            results.warnings.extend(message for item in by_criterion for message in item.warnings)
            results.warnings.extend(group_notes(corpus, criteria, experiment.judgments.judges))
            results.warnings.extend(confounding_notes(corpus, criteria, experiment))
        what = f"documents ({experiment.documents.kind}) and their judgments"
        with self.stage("sample", what) as tally:
            tally.expect(len(by_criterion) * len(groups))
            judged = []
            for item, group in itertools.product(by_criterion, groups):
                judged.append(judge_documents(corpus, item, group, experiment))
                tally.add()
        results.warnings.extend(dict.fromkeys(message for item in judged for message in item.warnings))
        failures: dict[NamedMetric, str] = {}
        n_subsets = len({subset for group in groups for subset in group.subsets})
        numbers = {"metric": len(metrics), "preprocessing": len(treatments), "reference subset": n_subsets}
        what = ", ".join(counted(number, noun) for noun, number in numbers.items())
        with self.stage("score", what) as tally:
            treated = treat_all(corpus, treatments)
            results.warnings.extend(f"{corpus.name}: {note}" for kind in treatments for note in kind.notes)
            measured = measure_all(corpus, treated, groups, metrics, self.executor, failures, tally, self.counted)
            working = [named for named in metrics if named not in failures]
            references = measure_references(corpus, treated, groups, working, failures, self.executor.memory)
            del treated  # the tokens are as large as the texts, and no longer needed
            settings = self.score(corpus, measured, judged, failures)
        return Prepared(self, corpus, metrics, without, groups, judged, measured, references, failures, settings)

    def correlate(self, prepared: Prepared) -> CorpusFacts | None:
        """Correlate a corpus that is prepared; return its facts, None if every metric has failed."""
        results = self.results
        corpus = prepared.corpus
        failures = prepared.failures
        with self.stage("correlate", "metrics with human judgments") as tally:
            related = self._tables(prepared, tally)
        left_out = [f"{corpus.name}: left out: {message}" for message in failures.values()]
        results.failures.extend(left_out)
        results.warnings.extend(left_out)
        notes = metric_notes(corpus, [named for named in prepared.metrics if named not in failures])
        results.warnings.extend(note for note in notes if note not in results.warnings)
        if related is None:
            return None
        sizes = [setting.sample_size for settings in prepared.settings for setting in settings]
        document_notes = notes_on_documents(corpus, self.experiment, max(sizes), related.tables)
        results.warnings.extend(f"{corpus.name}: {note}" for note in document_notes)
        measured = [item for item in prepared.measured if item.named not in failures]
        references = [item for item in prepared.references if item.measured.named not in failures]
        with self.stage("pool", "scores of segments and systems"):
            related.scores = list(score_blocks(corpus, prepared.groups, measured, references, panel=self.panel))
        facts = corpus_facts(corpus, measured, _treatments(self.experiment.preprocessing))
        related.corpora.append(facts)
        related.settings.append(
            setting_facts(self.panel, corpus, self.experiment, prepared.groups, prepared.judged, prepared.left_out)
        )
        related.warnings.extend(unfinished_searches(measured))
        results.extend(related)
        results.extend(RunData(judgments=[judgments_taken(corpus, self.experiment)]))
        return facts

    def read(
        self, name: str, formats: tuple[str, ...], metrics: Sequence[NamedMetric]
    ) -> tuple[Corpus, Sequence[NamedMetric], Sequence[NamedMetric], tuple[ReferenceGroup, ...], tuple[int, ...]]:
        """Read a corpus.

        Returns
        -------
        Corpus
        sequence of NamedMetric
            The metrics as they score it.
        sequence of NamedMetric
            Those that have scores of whole systems alone, where parts of the corpus are scored.
        tuple of ReferenceGroup
            The reference subsets.
        tuple of int
            The positions of the criteria.
        """
        results = self.results
        experiment = self.experiment
        corpus, warnings = self.read_corpus(name, formats)
        results.warnings.extend(warnings)
        if corpus.name in (other.name for other in results.corpora):
            raise UsageError(f"two corpora have the name {corpus.name!r}; change `name` in a corpus.toml.")
        corpus, rows, notes = self.filters.apply(corpus)
        results.tables.filtered.extend(rows)
        results.warnings.extend(notes)
        references = named_references(experiment.references)
        short = self.chosen is not None
        metrics, notes = expanded(corpus, metrics, several=self.several, references=references, short=short)
        if self.chosen is not None:
            metrics, left_out = _chosen(metrics, self.chosen)
            if not metrics:
                every = as_typed(terminal="--set 'ranking.primary=[\"*\"]'", python="`ranking.primary` = ['*']")
                why = f", but of {left_out}; {every} ranks all." if left_out else f": {'; '.join(notes)}"
                raise MetricError(f"corpus {corpus.name!r} has no scores of a metric that is ranked{why}")
            if left_out:
                notes = [
                    *notes,
                    f"metrics were left out, because they are not among those to rank: {left_out}.",
                ]
        results.warnings.extend(f"{corpus.name}: {note}" for note in notes)
        check_texts(corpus, metrics)
        groups = groups_of(corpus, experiment)
        metrics = at_level(corpus, metrics, experiment.documents.units)
        without = of_whole_systems(corpus, metrics, experiment.documents.units)
        if without:
            whole = ", ".join(map(bare_name, without))
            results.warnings.append(f"{corpus.name}: left out, because only whole systems have scores: {whole}.")
        metrics = [named for named in metrics if named not in without]
        criteria = chosen_criteria(corpus, experiment)
        if len(corpus.systems) == 2 and experiment.correlation.average_by == "item":
            results.warnings.append(f"{corpus.name}: across two systems a correlation is 1, -1 or undefined.")
        if experiment.criteria == "all" and len(criteria) < len(corpus.criteria):
            unjudged = [
                criterion.name for position, criterion in enumerate(corpus.criteria) if position not in criteria
            ]
            message = f"criteria without any judgment by the chosen judges are left out: {listing(unjudged)}."
            results.warnings.append(f"{corpus.name}: {message}")
        return corpus, metrics, without, groups, criteria

    def score(
        self,
        corpus: Corpus,
        measured: Sequence[Measured],
        judged: Sequence[CriterionDocuments],
        failures: dict[NamedMetric, str],
    ) -> list[list[Setting]]:
        """Return the settings, with the scores of the metrics that have not failed; none if no metric is left.

        A metric that fails here is added to `failures`.
        """
        while working := [item for item in measured if item.named not in failures]:
            try:
                return [[*settings_of(corpus, working, item, self.experiment, self.panel)] for item in judged]
            except MetricError as error:
                _leave_out(error, measured, failures)
        return []

    def _tables(self, prepared: Prepared, tally: Tally) -> RunData | None:
        """Make the tables of a corpus; None if no metric is left. A metric that fails in replicates is left out too."""
        settings = prepared.settings
        while settings:
            try:
                return make_tables(settings, self.executor, tally)
            except MetricError as error:
                _leave_out(error, prepared.measured, prepared.failures)
                settings = self.score(prepared.corpus, prepared.measured, prepared.judged, prepared.failures)
        return None


def _leave_out(error: MetricError, measured: Sequence[Measured], failures: dict[NamedMetric, str]) -> None:
    """Add the metric that an error names to the failures; raise the error if it names none."""
    failed = {item.named for item in measured if item.named.written == error.metric} - {*failures}
    if not failed:
        raise error
    failures.update(dict.fromkeys(failed, str(error)))


def _chosen(metrics: Sequence[NamedMetric], patterns: Sequence[str]) -> tuple[list[NamedMetric], str]:
    """Return the metrics whose names fit a pattern, whether or not they take references, and the others in words."""
    chosen: list[NamedMetric] = []
    others: list[NamedMetric] = []
    for named in metrics:
        fits = any(RankingSettings.fits(named.written, pattern) for pattern in patterns)
        (chosen if fits else others).append(named)
    return chosen, ", ".join(map(bare_name, others))


def groups_of(corpus: Corpus, experiment: Experiment) -> tuple[ReferenceGroup, ...]:
    """Return the reference subsets of an experiment on a corpus, in groups; each call gives the same."""
    settings = experiment.references
    names = tuple(corpus.references) if settings.names == "all" else settings.names
    for name in names:
        if name not in corpus.references:
            raise UsageError(f"`references.names`: {unknown('reference', name, corpus.references)}")
    return reference_groups(
        settings.subsets,
        names,
        sizes=tuple(range(1, len(names) + 1)) if settings.sizes == "all" else settings.sizes,
        count=settings.count,
        combine=settings.combine,
        rng_of=lambda size: generator(experiment.seed, "references", size),
    )


def _treatments(names: Sequence[Named[Preprocessing]]) -> tuple[Preprocessing, ...]:
    treatments = tuple(named.kind for named in names)
    seen: dict[tuple[bool, bool, str], str] = {}
    for preprocessing in treatments:
        treatment = (preprocessing.lowercase, preprocessing.stem, preprocessing.tokenizer)
        if treatment in seen:
            raise UsageError(
                f"{seen[treatment]!r} and {preprocessing.written!r} are the same preprocessing; name it once."
            )
        seen[treatment] = preprocessing.written
    return treatments
