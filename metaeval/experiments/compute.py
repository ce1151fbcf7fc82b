"""Compute an experiment: read, treat, measure, judge and sample, relate."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from metaeval import _kernels as kernels
from metaeval.corpora.catalogue import find_corpus, read_corpus
from metaeval.errors import MetricError, UsageError, listing, unknown
from metaeval.experiments.cells import Row
from metaeval.experiments.config import CorrelationSettings, Experiment
from metaeval.experiments.humans import JudgedDocuments, chosen_criteria, group_notes, judge_criterion, judge_documents
from metaeval.experiments.measure import (
    Measured,
    NamedMetric,
    at_level,
    check_levels,
    check_references,
    measure_all,
    measure_references,
    metric_notes,
    named_metrics,
    treat_all,
    unfinished_searches,
)
from metaeval.experiments.relate import Related, relate_all
from metaeval.experiments.scores import ScoreBlock, score_blocks, system_rows
from metaeval.experiments.warnings import warnings_of, without_limits
from metaeval.progress import Progress, Step, Tally, silent
from metaeval.randomness import generator
from metaeval.records import Corpus
from metaeval.sampling.references import ReferenceGroup, reference_groups
from metaeval.text.preprocessing import Preprocessing, get_preprocessing


@dataclass
class Computed:
    """All that an experiment gives, before any of it is shown.

    Attributes
    ----------
    related : Related
    blocks : list of ScoreBlock
        Of scores.tsv.
    claims, examples, published : list of rows
        What a paper says, held against what was found; of claims.tsv, examples.tsv and published.tsv.
    corpora : list of dict
        What the manifest tells of each corpus.
    warnings : list of str
        What a reader of the numbers must know.
    failures : list of str
        Of metrics that others have brought and that are left out because they failed, and of figures that have no room;
        also among the messages.
    seconds : dict of str to float
        Wall time of each stage.
    """

    related: Related = field(default_factory=Related)
    blocks: list[ScoreBlock] = field(default_factory=list)
    claims: list[Row] = field(default_factory=list)
    examples: list[Row] = field(default_factory=list)
    published: list[Row] = field(default_factory=list)
    corpora: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str, progress: Progress, what: str) -> Iterator[Tally]:
        """Time a stage, tell that it begins, and give what counts its parts."""
        step = Step(name, what)
        progress(step)
        start = time.perf_counter()
        yield Tally(progress, step)
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start

    @property
    def scores(self) -> list[Row]:
        """The scores of whole systems, as rows of scores.tsv."""
        return system_rows(self.blocks)

    @property
    def tables(self) -> dict[str, list[Row]]:
        """The tables but for scores.tsv, by the names of their files."""
        related = self.related
        return {
            "correlations": related.correlations,
            "tests": related.tests,
            "rankings": related.rankings,
            "minimum_significant_differences": related.minimum_significant_differences,
            "influence": related.influence,
            "ceiling": related.ceiling,
            "claims": self.claims,
            "examples": self.examples,
            "published": self.published,
        }


def compute_experiment(experiment: Experiment, *, jobs: int = 1, progress: Progress = silent) -> Computed:
    """Compute an experiment.

    Parameters
    ----------
    experiment : Experiment
    jobs : int
        How many measure or resample at once; the results are the same bits for any number.
    progress : callable
        Told a :class:`~metaeval.progress.Step` at the beginning of each stage and as its work is done.

    Raises
    ------
    UsageError
        If the experiment cannot be run on these corpora.
    CorpusError
        If the files of a corpus are wrong.
    MetricError
        If every metric fails; if some do, the others go on.
    """
    if jobs < 1:
        raise UsageError(f"`jobs` must be at least 1; got {jobs}.")
    results = Computed()
    plain = kernels.missing()
    if plain:
        results.warnings.append(plain)
    metrics = named_metrics(experiment.metrics)
    treatments = _treatments(experiment.preprocessing)
    for name in experiment.corpora:
        find_corpus(name, progress)
    for name in experiment.corpora:
        _run_corpus(name, experiment, metrics, treatments, jobs, progress, results)
    if results.failures and not results.corpora:
        raise MetricError("\n".join(results.failures))
    results.warnings.extend(_undefined(pd.DataFrame(results.related.correlations), experiment.correlation))
    results.warnings.extend(without_limits(results.related.correlations))
    results.warnings.extend(warnings_of(experiment))
    return results


def _run_corpus(
    name: str,
    experiment: Experiment,
    metrics: Sequence[NamedMetric],
    treatments: Sequence[Preprocessing],
    jobs: int,
    progress: Progress,
    results: Computed,
) -> None:
    with results.stage("read", progress, f"corpus {name}"):
        corpus, warnings = read_corpus(name, experiment.formats_of(name))
        results.warnings.extend(warnings)
        if corpus.name in (other["name"] for other in results.corpora):
            raise UsageError(f"two corpora have the name {corpus.name!r}; change `name` in a corpus.toml.")
        check_references(corpus, metrics)
        groups = groups_of(corpus, experiment)
        metrics = at_level(corpus, metrics, experiment.documents.kind)
        check_levels(corpus, metrics, experiment.documents.kind)
        criteria = chosen_criteria(corpus, experiment)
        if len(corpus.systems) == 2 and experiment.correlation.average_by == "item":
            results.warnings.append(f"{corpus.name}: across two systems a correlation is 1, -1 or undefined.")
        if experiment.criteria == "all" and len(criteria) < len(corpus.criteria):
            unjudged = [one.name for place, one in enumerate(corpus.criteria) if place not in criteria]
            told = f"left out, without any judgment by the judges asked for: {listing(unjudged)}."
            results.warnings.append(f"{corpus.name}: {told}")
    # What can fail for want of judgments comes before what takes long.
    judged: list[JudgedDocuments] = []
    with results.stage("judge", progress, f"{len(corpus.judgments)} judgments, {len(criteria)} criteria"):
        by_criterion = [judge_criterion(corpus, position, experiment) for position in criteria]
        results.warnings.extend(message for item in by_criterion for message in item.warnings)
        results.warnings.extend(group_notes(corpus, criteria, experiment.judgments.judges))
    with results.stage("sample", progress, f"documents ({experiment.documents.kind}) and their judgments") as tally:
        tally.expect(len(by_criterion) * len(groups))
        for item in by_criterion:
            for group in groups:
                judged.append(judge_documents(corpus, item, group, experiment))
                tally.add()
    results.warnings.extend(dict.fromkeys(message for item in judged for message in item.warnings))
    with results.stage("treat", progress, f"{len(treatments)} preprocessing(s)"):
        treated = treat_all(corpus, treatments)
    n_subsets = len({subset for group in groups for subset in group.subsets})
    with results.stage("measure", progress, f"{len(metrics)} metrics, {n_subsets} reference subset(s)") as tally:
        failures: dict[NamedMetric, str] = {}
        measured = measure_all(corpus, treated, groups, metrics, jobs, failures, tally)
        working = [named for named in metrics if named not in failures]
        references = measure_references(corpus, treated, groups, working, failures)
    with results.stage("relate", progress, "metrics to people") as tally:
        related = _relate(corpus, measured, judged, experiment, jobs, failures, tally)
    left_out = [f"{corpus.name}: left out: {message}" for message in failures.values()]
    results.failures.extend(left_out)
    results.warnings.extend(left_out)
    resampled = experiment.uncertainty.resample if experiment.uncertainty.method == "bootstrap" else ""
    notes = metric_notes(corpus, [named for named in metrics if named not in failures], resampled)
    results.warnings.extend(note for note in notes if note not in results.warnings)
    if related is None:
        return
    measured = [item for item in measured if item.named not in failures]
    references = [item for item in references if item.measured.named not in failures]
    with results.stage("score", progress, "segments and systems"):
        results.blocks.extend(score_blocks(corpus, groups, measured, references))
    results.related.extend(related)
    results.warnings.extend(related.warnings)
    results.warnings.extend(unfinished_searches(measured))
    results.corpora.append(_described(corpus, measured))


def _relate(
    corpus: Corpus,
    measured: Sequence[Measured],
    judged: Sequence[JudgedDocuments],
    experiment: Experiment,
    jobs: int,
    failures: dict[NamedMetric, str],
    tally: Tally,
) -> Related | None:
    """Relate the metrics that have not failed; None if none is left. One that fails now is left out too."""
    while True:
        working = [item for item in measured if item.named not in failures]
        if not working:
            return None
        try:
            return relate_all(corpus, working, judged, experiment, jobs=jobs, tally=tally)
        except MetricError as error:
            failed = {item.named for item in working if item.named.written == error.metric}
            if not failed:
                raise
            failures.update(dict.fromkeys(failed, str(error)))


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


def _described(corpus: Corpus, measured: Sequence[Measured]) -> dict[str, Any]:
    signatures = {
        f"{item.preprocessing}/{item.named.written}": str(
            item.named.metric.signature.with_pairs(item.preprocessing_signature.items)
        )
        for item in measured
    }
    return {
        "name": corpus.name,
        "title": corpus.title,
        **{key: corpus.facts[key] for key in ("source", "citation") if corpus.facts.get(key)},
        "digest": corpus.digest,
        "systems": len(corpus.systems),
        "segments": corpus.n_segments,
        "references": list(corpus.references),
        "judgments": len(corpus.judgments),
        "signatures": signatures,
    }


def _treatments(names: Sequence[str]) -> tuple[Preprocessing, ...]:
    treatments = tuple(get_preprocessing(name) for name in names)
    seen: dict[tuple[bool, bool, str], str] = {}
    for preprocessing in treatments:
        treatment = (preprocessing.lowercase, preprocessing.stem, preprocessing.tokenizer)
        if treatment in seen:
            raise UsageError(
                f"{seen[treatment]!r} and {preprocessing.written!r} are the same preprocessing; name it once."
            )
        seen[treatment] = preprocessing.written
    return treatments


def _undefined(correlations: pd.DataFrame, settings: CorrelationSettings) -> list[str]:
    """Return a message for each metric whose coefficients are partly undefined."""
    messages = []
    keys = ["corpus", "subset", "criterion", "preprocessing", "metric", "coefficient"]
    for key, part in correlations.groupby(keys, sort=False):
        undefined = int(part["n_undefined"].sum())
        if undefined:
            corpus, _, criterion, _, metric, coefficient = map(str, key)
            total = int(part["n_used"].sum()) + (undefined if settings.undefined == "exclude" else 0)
            reasons: Counter[str] = Counter()
            for text in filter(None, part["undefined_because"]):
                for reason, number in (item.rsplit(": ", 1) for item in text.split("; ")):
                    reasons[reason] += int(number)
            listed = ", ".join(f"{reason} {number}" for reason, number in reasons.items())
            messages.append(
                f"{corpus}, {criterion}, {metric}: {undefined} of {total} {coefficient} coefficients are undefined "
                f"({listed})."
            )
    return messages
