"""Leave-one-judge-out analysis: the ranking of the metrics with the judgments of one judge removed at a time."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from metaeval.components import registries
from metaeval.config.schema import (
    CorrelationSettings,
    DocumentSettings,
    Experiment,
    JudgmentSettings,
    UncertaintySettings,
)
from metaeval.correlation.coefficients import midranks
from metaeval.datamodel.corpus import EVERYBODY, Corpus
from metaeval.errors import MetricError, UsageError
from metaeval.experiment.judge import judge_criterion, judge_documents
from metaeval.experiment.measure import Failures, measure_all, treat_all, unfinished_searches
from metaeval.experiment.setting import settings_of
from metaeval.experiment.tables import make_tables
from metaeval.metrics.selection import NamedMetric, check_texts
from metaeval.parameters.fields import Named
from metaeval.ratings.agreement.criterion import COEFFICIENTS
from metaeval.results.agreement import MetricWithoutJudge
from metaeval.runtime.progress import Progress, Step, Tally
from metaeval.sampling.documents import Whole
from metaeval.sampling.references import reference_groups
from metaeval.text.preprocessing import get_preprocessing


def metrics_without_judges(
    corpus: Corpus, criteria: Sequence[int], judges: Sequence[str], named: Sequence[NamedMetric], progress: Progress
) -> tuple[list[MetricWithoutJudge], list[str], list[str]]:
    """Correlate metrics with human scores on the whole test set, with all judges and without each.

    Parameters
    ----------
    corpus : Corpus
    criteria : sequence of int
        Positions of the criteria.
    judges : sequence of str
        The judges who take part.
    named : sequence of NamedMetric
        Texts have the default preprocessing, and all references.
    progress : callable
        Called with a :class:`~metaeval.runtime.progress.Step` at the beginning of each stage and as its work is done.

    Returns
    -------
    list of MetricWithoutJudge
        One for each criterion, judge left out ("" for none) and metric.
    list of str
        Warnings.
    list of str
        Of metrics that failed; they have no rows.

    Raises
    ------
    UsageError
        If no segment has the references and a judgment of every system.
    MetricError
        If every metric fails.
    """
    check_texts(corpus, named)
    experiment = _experiment(corpus, named, judges)
    groups = reference_groups("all", list(corpus.references))
    (group,) = groups
    step = Step("score", f"{len(named)} metrics")
    progress(step)
    treated = treat_all(corpus, [get_preprocessing(registries.DEFAULT_PREPROCESSING)])
    failures: Failures = {}
    measured = measure_all(corpus, treated, groups, named, failures=failures, tally=Tally(progress, step))
    if not measured:
        raise MetricError("\n".join(failures.values()))
    metrics = [item.written for item in named if item not in failures]
    rows: list[MetricWithoutJudge] = []
    messages = list(unfinished_searches(measured))
    step = Step("correlate", f"metrics with human judgments, without each of {len(judges)} judges")
    progress(step)
    tally = Tally(progress, step, len(criteria) * (1 + len(judges)))
    for number, position in enumerate(criteria):
        criterion = corpus.criteria[position].name
        active = _judges_of(corpus, position, judges)
        n_systems = 0
        for step_number, left_out in enumerate(("", *(active if len(active) > 1 else ()))):
            tally.reach(number * (1 + len(judges)) + step_number)
            others = replace(experiment, judgments=_only([name for name in active if name != left_out]))
            try:
                documents = judge_documents(corpus, judge_criterion(corpus, position, others), group, others)
            except UsageError:
                if not left_out:
                    raise
                documents = None
            if not left_out and documents is not None:
                n_systems = len(documents.systems)
                messages.extend(documents.warnings)
            # Ranks across fewer systems could not be compared.
            if documents is None or len(documents.systems) < n_systems:
                rows.extend(_ranked(criterion, left_out, metrics, 0, {}))
                continue
            tables = make_tables([[*settings_of(corpus, measured, documents, others)]]).tables
            coefficients = {(row.key.metric, row.key.coefficient): row.mean for row in tables.correlations}
            rows.extend(_ranked(criterion, left_out, metrics, len(documents.documents[0].segments), coefficients))
    tally.reach(len(criteria) * (1 + len(judges)))
    return rows, messages, list(failures.values())


def _experiment(corpus: Corpus, named: Sequence[NamedMetric], judges: Sequence[str]) -> Experiment:
    """Return the experiment on the whole test set that is made with all judges and without each."""
    coefficients = tuple(Named(name, registries.COEFFICIENTS.named(name)) for name in COEFFICIENTS)
    return Experiment(
        title="without single judges",
        corpora=(corpus.name,),
        metrics=tuple(named),
        documents=DocumentSettings(kind=Named(Whole.name, Whole())),
        judgments=_only(judges),
        correlation=CorrelationSettings(coefficients),
        uncertainty=UncertaintySettings(method="none"),
    )


def _judges_of(corpus: Corpus, criterion: int, judges: Sequence[str]) -> list[str]:
    """Return those of some judges who judged a criterion."""
    of_criterion = corpus.judgments.judge[corpus.judgments.criterion == criterion]
    active = {corpus.judgments.judges[judge] for judge in np.unique(of_criterion)}
    return [name for name in judges if name in active]


def _only(judges: Sequence[str]) -> JudgmentSettings:
    """Return settings for these judges; their names are not patterns."""
    patterns = tuple("[a]ll" if name == EVERYBODY else glob.escape(name) for name in judges)
    return JudgmentSettings(judges=patterns, require="all")


def _ranked(
    criterion: str, left_out: str, metrics: Sequence[str], n_segments: int, coefficients: dict[tuple[str, str], float]
) -> list[MetricWithoutJudge]:
    """Return the rows of all metrics, with the ranks by each coefficient."""
    columns = []
    for name in COEFFICIENTS:
        values = np.array([coefficients.get((metric, name), np.nan) for metric in metrics])
        ranks = np.full(len(values), np.nan)
        defined = ~np.isnan(values)
        # Coefficients of equal rank orders may differ by rounding.
        ranks[defined] = midranks(-np.round(values[defined], 12))
        columns += [values.tolist(), ranks.tolist()]
    return [
        MetricWithoutJudge(criterion, left_out, metric, registries.DEFAULT_PREPROCESSING, n_segments, *numbers)
        for metric, *numbers in zip(metrics, *columns, strict=True)
    ]
