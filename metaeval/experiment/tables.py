"""The tables of an experiment on a corpus, from its settings: a function for the rows of each table."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from metaeval.components.coefficient import Coefficient
from metaeval.correlation.averages import arrange_rows, summarise, systems_scored
from metaeval.datamodel.corpus import FloatArray
from metaeval.experiment.bands import band_rows, check_bands
from metaeval.experiment.ceiling import ceiling_parts, ceiling_rows
from metaeval.experiment.estimate import interval_of
from metaeval.experiment.grid import grid_of, without_scores
from metaeval.experiment.influence import influence_rows
from metaeval.experiment.ranking import ranking_rows
from metaeval.experiment.replicates import make_replicates
from metaeval.experiment.setting import Setting
from metaeval.experiment.testing import minimum_difference_rows, significance_rows, significance_rows_across
from metaeval.results.model import RunData
from metaeval.results.rows import Correlation
from metaeval.runtime.parallel import SERIAL, Executor
from metaeval.runtime.progress import Tally


def make_tables(
    settings: Sequence[Sequence[Setting]], executor: Executor = SERIAL, tally: Tally | None = None
) -> RunData:
    """Make the tables of an experiment on a corpus, and the grids that they rest on.

    Parameters
    ----------
    settings : sequence of sequences of Setting
        For each criterion and group of reference subsets those of metrics, one for each length, and those of judges.
        Missing replicates are made.
    executor : Executor
        Makes calls side by side.
    tally : Tally, optional
        Counts the steps: of each setting the coefficients, each replicate of them, the ceiling, and the tests under
        each preprocessing.

    Raises
    ------
    MetricError
        If a metric fails in a replicate.
    """
    tally = tally or Tally()
    all_settings = [setting for group in settings for setting in group]
    of_metrics = [setting for setting in all_settings if not setting.is_of_judges]
    experiment = all_settings[0].experiment
    for setting in of_metrics:
        check_bands(setting)
    without_replicates = []
    if experiment.needs_replicates:
        without_replicates = [setting for setting in all_settings if setting.replicates is None]
    treatments = list(dict.fromkeys(scorer.preprocessing for scorer in of_metrics[0].scorers))
    n_replicates = sum(setting.experiment.uncertainty.replicates for setting in without_replicates)
    n_of_metrics = bool(experiment.judgments.ceiling) + len(treatments)
    tally.expect(len(all_settings) + n_replicates + n_of_metrics * len(of_metrics))
    # Ceilings first: they run in processes, as replicates of pseudo-documents do, so the workers stay in use.
    ceilings = iter(ceiling_parts(of_metrics, executor, tally))
    make_replicates(without_replicates, executor, tally)
    run = RunData()
    shared: dict[Hashable, FloatArray] = {}
    tables = run.tables

    def add_grid(setting: Setting) -> None:
        run.warnings.extend(without_scores(setting))
        run.grids.append(grid_of(setting, shared))
        tally.add()

    for group in settings:
        metrics = [setting for setting in group if not setting.is_of_judges]
        judges = [setting for setting in group if setting.is_of_judges]
        for setting in metrics:
            add_grid(setting)
        if experiment.judgments.ceiling:
            for setting in metrics:
                tables.ceiling.extend(ceiling_rows(setting, next(ceilings)))
        for setting in judges:
            add_grid(setting)
        # Preprocessing by preprocessing, as the tables show them; the judges, who have none, last.
        for preprocessing in treatments:
            for setting in metrics:
                rows = correlation_rows(setting, preprocessing)
                tests = significance_rows(setting, preprocessing, executor)
                tables.correlations.extend(rows)
                tables.tests.extend(tests)
                tables.rankings.extend(ranking_rows(experiment, rows, tests))
                tables.influence.extend(influence_rows(setting, preprocessing))
                if experiment.bands.keys:
                    bands, band_tests = band_rows(setting, preprocessing, executor)
                    tables.bands.extend(bands)
                    tables.band_tests.extend(band_tests)
                tally.add()
        for setting in judges:
            tables.correlations.extend(correlation_rows(setting, ""))
    tables.tests.extend(significance_rows_across(of_metrics))
    tables.minimum_significant_differences.extend(minimum_difference_rows(experiment, of_metrics, tables.tests))
    return run


def correlation_rows(setting: Setting, preprocessing: str) -> list[Correlation]:
    """Return the rows of correlations.tsv for the scorers of a preprocessing in a setting."""
    uncertainty = setting.experiment.uncertainty
    documents = setting.documents
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
            limits = interval_of(setting, number, text)
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
    """Return a coefficient fitted to the scores, so that its signature has the fitted values."""
    scores = setting.scores[number]
    relation = setting.scorers[number].relations[text]
    if not coefficient.is_fitted or len(scores) > 1:
        return coefficient
    scored = systems_scored(scores)
    rows = scores[0][:, scored]
    human = setting.human[:, scored]
    whole = (np.isfinite(rows) | ~np.isfinite(human)).all(axis=1)
    average_by = setting.experiment.correlation.average_by
    rows = arrange_rows(rows[whole], average_by)
    human = arrange_rows(human[whole], average_by)
    return relation.fitted(rows, human, np.isfinite(human)).coefficient
