"""Run an experiment: read, treat, measure, judge and sample, relate, show."""

from __future__ import annotations

import importlib.metadata
import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from metaeval import _kernels as kernels
from metaeval.bibliography import find_source
from metaeval.corpora.catalogue import find_corpus, read_corpus
from metaeval.errors import UsageError, listing
from metaeval.experiments import directory as run_directory
from metaeval.experiments.config import CorrelationSettings, Experiment, LoadedConfig
from metaeval.experiments.humans import JudgedDocuments, chosen_criteria, judge_criterion, judge_documents
from metaeval.experiments.measure import (
    Measured,
    NamedMetric,
    measure_all,
    measure_references,
    named_metrics,
    treat_all,
    unfinished_searches,
)
from metaeval.experiments.relate import Related, Row, relate_all
from metaeval.experiments.scores import score_rows
from metaeval.randomness import generator
from metaeval.records import Corpus
from metaeval.report.figures import FIGURES, save_figures
from metaeval.report.tables import tsv
from metaeval.sampling.references import ReferenceGroup, reference_groups
from metaeval.text.conditions import Condition, get_condition
from metaeval.version import VERSION

_PACKAGES = ("numpy", "scipy", "pandas", "matplotlib", "joblib", "sacrebleu", "snowballstemmer")


@dataclass(frozen=True)
class Run:
    """A finished run.

    Attributes
    ----------
    directory : Path
        Where everything was written.
    correlations : DataFrame
        The rows of correlations.tsv: a mean coefficient with its interval for each corpus, condition, reference subset,
        metric, criterion and length.
    tests : DataFrame
        The rows of tests.tsv: a comparison of two metrics each.
    messages : tuple of str
        What a reader of the numbers must know.
    seconds : mapping of str to float
        Wall time of each stage.
    """

    directory: Path
    correlations: pd.DataFrame
    tests: pd.DataFrame
    messages: tuple[str, ...]
    seconds: Mapping[str, float]


@dataclass
class _Results:
    related: Related = field(default_factory=Related)
    scores: list[Row] = field(default_factory=list)
    corpora: list[dict[str, Any]] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str, progress: Callable[[str], None], what: str) -> Iterator[None]:
        """Time a stage and tell that it begins."""
        progress(f"{name:<8} {what}")
        start = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start


def run_experiment(
    config: LoadedConfig, output: Path, *, jobs: int = 1, progress: Callable[[str], None] = lambda line: None
) -> Run:
    """Run an experiment and write its directory.

    Parameters
    ----------
    config : LoadedConfig
    output : Path
        The directory of the run; an earlier run there is replaced when this one is complete.
    jobs : int
        How many measure at once; the results are the same bits for any number.
    progress : callable
        Told a line at the beginning of each stage.

    Raises
    ------
    UsageError
        If the experiment cannot be run on these corpora.
    CorpusError
        If the files of a corpus are wrong.
    """
    experiment, results = config.experiment, _Results()
    started = datetime.now(UTC)
    if jobs < 1:
        raise UsageError(f"`jobs` must be at least 1; got {jobs}.")
    run_directory.check_output(output)
    plain = kernels.missing()
    if plain:
        results.messages.append(plain)
    metrics = named_metrics(experiment.metrics)
    conditions = _conditions(experiment.conditions)
    for name in experiment.corpora:
        find_corpus(name)
    for name in experiment.corpora:
        _run_corpus(name, experiment, metrics, conditions, jobs, progress, results)
    correlations, tests = pd.DataFrame(results.related.correlations), pd.DataFrame(results.related.tests)
    results.messages.extend(_undefined(correlations, experiment.correlation))
    with run_directory.new_run(output) as partial:
        with results.stage("show", progress, "tables and figures"):
            _write_tables(partial, config, results)
            for figure in experiment.figures:
                save_figures(FIGURES[figure.kind](correlations), partial / "figures")
        manifest = _manifest(config, results, started, jobs)
        run_directory.write_manifest(partial / run_directory.MANIFEST, manifest)
    return Run(output, correlations, tests, tuple(results.messages), dict(results.seconds))


def _run_corpus(
    name: str,
    experiment: Experiment,
    metrics: Sequence[NamedMetric],
    conditions: Sequence[Condition],
    jobs: int,
    progress: Callable[[str], None],
    results: _Results,
) -> None:
    with results.stage("read", progress, f"corpus {name}"):
        corpus, warnings = read_corpus(name)
        results.messages.extend(warnings)
        if corpus.name in (other["name"] for other in results.corpora):
            raise UsageError(f"two corpora have the name {corpus.name!r}; change `name` in a corpus.toml.")
        groups = _groups(corpus, experiment)
        criteria = chosen_criteria(corpus, experiment)
        if experiment.criteria == "all" and len(criteria) < len(corpus.criteria):
            unjudged = [one.name for place, one in enumerate(corpus.criteria) if place not in criteria]
            results.messages.append(f"{corpus.name}: left out, for want of any judgment: {listing(unjudged)}.")
    # What can fail for want of judgments comes before what takes long.
    judged: list[JudgedDocuments] = []
    with results.stage("judge", progress, f"{len(corpus.judgments)} judgments, {len(criteria)} criteria"):
        by_criterion = [judge_criterion(corpus, position, experiment) for position in criteria]
        results.messages.extend(message for item in by_criterion for message in item.messages)
    with results.stage("sample", progress, f"documents ({experiment.documents.kind}) and their judgments"):
        for item in by_criterion:
            judged.extend(judge_documents(corpus, item, group, experiment) for group in groups)
    results.messages.extend(dict.fromkeys(message for item in judged for message in item.messages))
    with results.stage("treat", progress, f"{len(conditions)} condition(s)"):
        treated = treat_all(corpus, conditions)
    n_subsets = len({subset for group in groups for subset in group.subsets})
    with results.stage("measure", progress, f"{len(metrics)} metrics, {n_subsets} reference subset(s)"):
        measured = measure_all(treated, groups, metrics, jobs)
        references = measure_references(treated, groups, metrics)
    with results.stage("relate", progress, "metrics to people"):
        related = relate_all(corpus, measured, judged, experiment)
    with results.stage("score", progress, "segments and systems"):
        results.scores.extend(score_rows(corpus, groups, measured, references))
    results.related.correlations.extend(related.correlations)
    results.related.tests.extend(related.tests)
    results.related.arrays.update(related.arrays)
    results.messages.extend(related.messages)
    results.messages.extend(unfinished_searches(measured))
    results.corpora.append(_described(corpus, measured))


def _groups(corpus: Corpus, experiment: Experiment) -> tuple[ReferenceGroup, ...]:
    settings = experiment.references
    return reference_groups(
        settings.subsets,
        list(corpus.references),
        sizes=settings.sizes,
        count=settings.count,
        combine=settings.combine,
        rng_of=lambda size: generator(experiment.seed, "references", size),
    )


def _described(corpus: Corpus, measured: Sequence[Measured]) -> dict[str, Any]:
    signatures = {
        f"{item.condition}/{item.named.written}": str(
            item.named.metric.signature.with_pairs(item.condition_signature.items)
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


def _conditions(names: Sequence[str]) -> tuple[Condition, ...]:
    conditions = tuple(get_condition(name) for name in names)
    seen: dict[tuple[bool, bool, str], str] = {}
    for condition in conditions:
        other = seen.setdefault((condition.lowercase, condition.stem, condition.tokenizer), condition.written)
        if other is not condition.written:
            raise UsageError(f"{other!r} and {condition.written!r} are the same condition; name it once.")
    return conditions


def _undefined(correlations: pd.DataFrame, settings: CorrelationSettings) -> list[str]:
    """Return a message for each metric whose coefficients are partly undefined."""
    across = {"system": "systems of a document", "document": "documents of a system", "pooled": "scores"}[
        settings.grouping
    ]
    messages = []
    keys = ["corpus", "subset", "criterion", "condition", "metric", "coefficient"]
    for key, part in correlations.groupby(keys, sort=False):
        undefined = int(part["n_undefined"].sum())
        if undefined:
            corpus, _, criterion, _, metric, coefficient = map(str, key)
            total = int(part["n_used"].sum()) + (undefined if settings.undefined == "exclude" else 0)
            messages.append(
                f"{corpus}, {criterion}, {metric}: {undefined} of {total} {coefficient} coefficients are undefined, "
                f"because all {across} have the same score on one side (column n_undefined)."
            )
    return messages


def _write_tables(partial: Path, config: LoadedConfig, results: _Results) -> None:
    run_directory.write_config(partial / "config.toml", config.content)
    related = results.related
    for name, rows in (("correlations", related.correlations), ("tests", related.tests), ("scores", results.scores)):
        if rows:
            (partial / f"{name}.tsv").write_text(tsv(rows), encoding="utf-8")
    run_directory.write_arrays(partial / "documents.npz", related.arrays)


def _manifest(config: LoadedConfig, results: _Results, started: datetime, jobs: int) -> dict[str, Any]:
    return {
        "config": config.name,
        "title": config.experiment.title,
        **({"source": str(find_source(config.experiment.source))} if config.experiment.source else {}),
        "seed": config.experiment.seed,
        "metaeval": VERSION,
        "python": platform.python_version(),
        "packages": {name: importlib.metadata.version(name) for name in _PACKAGES},
        "numpy_bit_generator": type(np.random.PCG64()).__name__,
        "corpora": results.corpora,
        "messages": results.messages,
        "started": started.isoformat(timespec="seconds"),
        "jobs": jobs,
        "seconds": {name: round(value, 3) for name, value in results.seconds.items()},
    }
