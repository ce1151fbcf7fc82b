"""The tables of an experiment on a corpus, from its settings: one function makes the rows of each."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np

from metaeval.contracts import Coefficient, ConfidenceInterval, MeanCoefficient
from metaeval.correlation.averages import in_rows, summarise, systems_scored
from metaeval.correlation.influence import leave_one_out
from metaeval.experiment.ceiling import ceiling_parts, ceiling_rows
from metaeval.experiment.estimate import mean_coefficient, with_replicates
from metaeval.experiment.grid import grid_of, without_scores
from metaeval.experiment.influence import influence_rows
from metaeval.experiment.ranking import ranking_rows
from metaeval.experiment.replicates import make_replicates
from metaeval.experiment.setting import STORED, Setting
from metaeval.experiment.testing import minimum_difference_rows, significance_rows, significance_rows_across
from metaeval.progress import Tally
from metaeval.records import FloatArray
from metaeval.results.model import RunData
from metaeval.results.rows import Correlation
from metaeval.runtime.parallel import SERIAL, Executor


def make_tables(
    settings: Sequence[Sequence[Setting]], executor: Executor = SERIAL, tally: Tally | None = None
) -> RunData:
    """Make the tables of an experiment on a corpus, and the grids that they rest on.

    Parameters
    ----------
    settings : sequence of sequences of Setting
        For each criterion and group of reference subsets those of metrics, one for each length, and those of judges.
        Replicates that are not there yet are made.
    executor : Executor
        Makes calls side by side.
    tally : Tally, optional
        Counts what is made: of each setting the coefficients, each replicate of them, the ceiling, and the tests under
        each preprocessing.

    Raises
    ------
    MetricError
        If a metric fails in a replicate.
    """
    tally = tally or Tally()
    every = [one for some in settings for one in some]
    of_metrics = [one for one in every if not one.is_of_judges]
    without = [one for one in every if one.replicates is None and one.experiment.needs_replicates]
    experiment = every[0].experiment
    treatments = list(dict.fromkeys(one.preprocessing for one in of_metrics[0].scorers))
    n_replicates = sum(one.experiment.uncertainty.replicates for one in without)
    n_of_metrics = bool(experiment.judgments.ceiling) + len(treatments)
    tally.expect(len(every) + n_replicates + n_of_metrics * len(of_metrics))
    # Ceilings take processes, as replicates of pseudo-documents do, so that nobody waits in between.
    ceilings = iter(ceiling_parts(of_metrics, executor, tally))
    make_replicates(without, executor, tally)
    run, shared = RunData(), dict[Hashable, FloatArray]()
    tables = run.tables
    for some in settings:
        metrics, judges = ([one for one in some if one.is_of_judges == of_judges] for of_judges in (False, True))
        for one in metrics:
            run.warnings.extend(without_scores(one))
            run.grids.append(grid_of(one, shared))
            tally.add()
        if experiment.judgments.ceiling:
            for one in metrics:
                tables.ceiling.extend(ceiling_rows(one, next(ceilings)))
        for one in judges:
            run.warnings.extend(without_scores(one))
            run.grids.append(grid_of(one, shared))
            tally.add()
        # Preprocessing by preprocessing, as the tables show them; the judges, who know no preprocessing, last.
        for preprocessing in treatments:
            for one in metrics:
                rows, tests = correlation_rows(one, preprocessing), significance_rows(one, preprocessing, executor)
                tables.correlations.extend(rows)
                tables.tests.extend(tests)
                tables.rankings.extend(ranking_rows(experiment, rows, tests))
                tables.influence.extend(influence_rows(one, preprocessing))
                tally.add()
        for one in judges:
            tables.correlations.extend(correlation_rows(one, ""))
    tables.tests.extend(significance_rows_across(of_metrics))
    tables.minimum_significant_differences.extend(minimum_difference_rows(experiment, of_metrics, tables.tests))
    return run


def correlation_rows(setting: Setting, preprocessing: str) -> list[Correlation]:
    """Return the rows of correlations.tsv for the scorers of a preprocessing in a setting."""
    uncertainty, documents = setting.experiment.uncertainty, setting.documents
    interval = uncertainty.interval
    rows = []
    for number, scorer in enumerate(setting.scorers):
        if scorer.preprocessing != preprocessing:
            continue
        scored = systems_scored(setting.scores[number])
        n_scored = int(scored.sum()) * len(documents.segments)
        if scorer.unscored is not None:
            n_scored -= int(scorer.unscored[np.ix_(scored, documents.segments)].sum())
        for text in scorer.relations:
            coefficient = setting.coefficients[text].of_systems(scored)
            summary = summarise(setting.values[text][number], undefined=setting.experiment.correlation.undefined)
            if scorer.is_constant and np.isnan(setting.values[text][number]).all():
                continue
            is_stored = scorer.is_stored or setting.has_stored_people
            if is_stored and interval.needs_replicates and uncertainty.resample != "systems":
                limits = ConfidenceInterval(undefined_because=STORED)
            elif interval.needs_replicates and setting.why_no_replicates:
                limits = ConfidenceInterval(undefined_because=setting.why_no_replicates)
            else:
                limits = interval.confidence_interval(_estimate(setting, number, text))
            rows.append(
                Correlation(
                    key=setting.key(preprocessing, text, scorer.name),
                    **vars(summary),
                    lower=limits.lower,
                    upper=limits.upper,
                    interval=interval.name,
                    confidence_level=None if interval.is_none else uncertainty.confidence_level,
                    resampled=setting.resampled if interval.needs_replicates or interval.of_values else "",
                    undefined=setting.reasons(number, text),
                    no_interval_because=limits.undefined_because,
                    replicates_used=limits.n_used,
                    replicates_undefined=limits.n_undefined,
                    n_systems=int(scored.sum()),
                    n_documents=len(documents.human),
                    n_segments=len(documents.segments),
                    n_items=documents.items.counts.size,
                    n_judged=int((documents.items.counts > 0).sum()),
                    n_scored=n_scored,
                    n_references=setting.n_references,
                    signature=str(setting.signature(scorer.signature, _fitted(setting, number, text, coefficient))),
                )
            )
    return rows


def _fitted(setting: Setting, number: int, text: str, coefficient: Coefficient) -> Coefficient:
    """Return a coefficient with what was fitted to the scores, which its signature says."""
    scores, relation = setting.scores[number], setting.scorers[number].relations[text]
    if not coefficient.is_fitted or len(scores) > 1:
        return coefficient
    scored = systems_scored(scores)
    rows, human = scores[0][:, scored], setting.human[:, scored]
    whole = (np.isfinite(rows) | ~np.isfinite(human)).all(axis=1)
    average_by = setting.experiment.correlation.average_by
    rows, human = in_rows(rows[whole], average_by), in_rows(human[whole], average_by)
    return relation.fitted(rows, human, np.isfinite(human)).coefficient


def _estimate(setting: Setting, number: int, text: str) -> MeanCoefficient:
    """Return what the interval of a metric is made of."""
    estimate, interval = mean_coefficient(setting, [number], text), setting.experiment.uncertainty.interval
    if interval.leaves_out_systems:
        scorer, systems = setting.scorers[number], systems_scored(setting.scores[number])
        scores, human = setting.scores[number][0][0][systems], setting.human[0][systems]
        return replace(estimate, jackknife=[leave_one_out(scores, human, scorer.relations[text])])
    return with_replicates(estimate, setting, [number], text, interval) if interval.needs_replicates else estimate
