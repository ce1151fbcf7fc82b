"""Statistics and human scores to correlations, with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from metaeval.contracts import Coefficient, ConfidenceInterval, MeanCoefficient
from metaeval.correlation.averages import in_rows, summarise, systems_scored
from metaeval.correlation.influence import leave_one_out
from metaeval.experiment.cells import STORED, Cell, constant_line, judges_line, metric_line
from metaeval.experiment.estimate import mean_coefficient, with_replicates
from metaeval.experiment.executor import SERIAL, Executor
from metaeval.experiment.fractions import ceiling_calls, ceiling_rows
from metaeval.experiment.grid import Grid
from metaeval.experiment.humans import JudgedDocuments
from metaeval.experiment.influence import influence_rows
from metaeval.experiment.measured import Measured, of_systems
from metaeval.experiment.ranking import ranking_rows
from metaeval.experiment.resample import Replicates, Resampler
from metaeval.experiment.testing import compare_cell, compare_cells, minimum_difference_rows
from metaeval.progress import Tally
from metaeval.records import CONSTANT, INTER_JUDGE, Corpus, FloatArray
from metaeval.results.grid import Grid as Arrays
from metaeval.results.grid import GridMetric
from metaeval.results.model import RunData
from metaeval.results.rows import Correlation
from metaeval.schema import Experiment
from metaeval.store import digest


def correlate_all(
    corpus: Corpus,
    measured: Sequence[Measured],
    judged: Sequence[JudgedDocuments],
    experiment: Experiment,
    *,
    executor: Executor = SERIAL,
    tally: Tally | None = None,
) -> RunData:
    """Correlate every metric with every criterion, and the judges with one another.

    This plans the replicates of its own cells; :func:`plan_cells` and :func:`correlate_cells` do the same in two steps.

    Parameters
    ----------
    corpus : Corpus
    measured : sequence of Measured
    judged : sequence of JudgedDocuments
    experiment : Experiment
    executor : Executor
        Makes the replicates of pseudo-documents.
    tally : Tally, optional
        Counts what is correlated: for each criterion, length and group of reference subsets the coefficients, each
        replicate of them, the ceiling, and the tests under each preprocessing.
    """
    tally = tally or Tally()
    planned = plan_cells(corpus, measured, judged, experiment)
    resampler = Resampler(executor)
    resampler.plan(planned.cells)
    return correlate_cells(planned, experiment, resampler, executor, tally)


class Planned(NamedTuple):
    """The cells of an experiment.

    Attributes
    ----------
    of_each : sequence of pairs
        For each criterion and group of reference subsets the cells of metrics, and those of judges.
    treatments : sequence of str
        The names of the preprocessing.
    tables : mapping of int to int
        The bytes of each table of statistics that replicates need, by its identity: panels share them.
    """

    of_each: Sequence[tuple[Sequence[Grid], Sequence[Grid]]]
    treatments: Sequence[str]
    tables: Mapping[int, int]

    @property
    def cells(self) -> list[Grid]:
        """All cells, in the order in which they are looked at."""
        return [one for both in self.of_each for one in chain(*both)]


def plan_cells(
    corpus: Corpus,
    measured: Sequence[Measured],
    judged: Sequence[JudgedDocuments],
    experiment: Experiment,
    *,
    panel: str = "",
) -> Planned:
    """Return the cells that :func:`correlate_cells` correlates.

    Parameters
    ----------
    corpus, measured, judged, experiment
        As for :func:`correlate_all`.
    panel : str
        The title of the panel or task that the cells belong to; "" where there are none.
    """
    of_each = [_lines(corpus, measured, documents, experiment, panel) for documents in judged]
    tables = {id(item.statistics.table): item.statistics.table.nbytes for item in measured}
    treatments = [*dict.fromkeys(item.preprocessing for item in measured)]
    return Planned(of_each, treatments, tables)


def correlate_cells(
    planned: Planned, experiment: Experiment, resampler: Resampler, executor: Executor, tally: Tally
) -> RunData:
    """Correlate cells, whose replicates the resampler has planned."""
    resampler.tally = tally
    shared: dict[str, FloatArray] = {}
    related = RunData()
    found: list[Grid] = []
    tally.expect(_n_parts(planned, experiment, resampler))
    # All before the replicates, so that nobody waits in between.
    of_people = iter(_made([one for of_metrics, _ in planned.of_each for one in of_metrics], executor, tally))
    for of_metrics, of_judges in planned.of_each:
        for one in of_metrics:
            _record(related, shared, one, resampler, tally)
        if experiment.judgments.ceiling:
            for one in of_metrics:
                related.tables.ceiling.extend(ceiling_rows(one, resampler, next(of_people)))
        for one in of_judges:
            _record(related, shared, one, resampler, tally)
        # Preprocessing by preprocessing, as the tables show them; the judges, who know no preprocessing, last.
        for preprocessing in planned.treatments:
            for one in of_metrics:
                rows, tests = _rows(one, preprocessing), compare_cell(one, preprocessing, executor)
                related.tables.correlations.extend(rows)
                related.tables.tests.extend(tests)
                related.tables.rankings.extend(ranking_rows(experiment, rows, tests))
                related.tables.influence.extend(influence_rows(one, preprocessing))
                tally.add()
        for one in of_judges:
            related.tables.correlations.extend(_rows(one, ""))
        found.extend(of_metrics)
    tables = related.tables
    tables.tests.extend(compare_cells(found))
    tables.minimum_significant_differences.extend(minimum_difference_rows(experiment, found, tables.tests))
    return related


def _made(cells: Sequence[Grid], executor: Executor, tally: Tally) -> list[list[Any]]:
    """Return what takes long of the ceilings of cells; nothing if none is wanted."""
    if not (cells and cells[0].cell.experiment.judgments.ceiling):
        return []
    calls = [ceiling_calls(one) for one in cells]
    made = []
    # Processes: many short calls of numpy.
    with closing(executor.run([*chain(*calls)], "processes")) as found:
        for of_cell in calls:
            made.append([next(found) for _ in of_cell])
            tally.add()
    return made


def _lines(
    corpus: Corpus,
    measured: Sequence[Measured],
    documents: JudgedDocuments,
    experiment: Experiment,
    panel: str,
) -> tuple[list[Grid], list[Grid]]:
    """Return the cells of metrics, and those of judges, of a criterion and a group of reference subsets."""
    kept, subsets = corpus.of_systems(documents.systems), {*documents.group.subsets}
    own = of_systems([item for item in measured if item.subset in subsets], documents.systems)
    by_subset = {(item.preprocessing, item.named, item.subset): item for item in own}
    metrics = list(dict.fromkeys((item.preprocessing, item.named) for item in own))
    found = []
    for scores in documents.scores:
        cell = Cell(kept, documents, scores, experiment, panel)
        lines = [
            metric_line(cell, [by_subset[preprocessing, named, subset] for subset in documents.group.subsets])
            for preprocessing, named in metrics
        ]
        if cell.rewards_constants:
            treatments = dict.fromkeys(preprocessing for preprocessing, _ in metrics)
            lines.extend(constant_line(preprocessing, cell) for preprocessing in treatments)
        found.append(Grid(cell, lines))
    judges = (Cell(kept, documents, scores, experiment, panel) for scores in documents.inter_judge)
    return found, [Grid(cell, [judges_line(cell)]) for cell in judges]


def _n_parts(planned: Planned, experiment: Experiment, resampler: Resampler) -> int:
    """Return how many parts :func:`correlate_cells` counts."""
    metrics = sum(len(of_metrics) for of_metrics, _ in planned.of_each)
    of_cells = metrics * (bool(experiment.judgments.ceiling) + len(planned.treatments))
    return len(planned.cells) * (1 + _n_counted(experiment)) + of_cells + resampler.n_left


def _n_counted(experiment: Experiment) -> int:
    """Return how many replicates are counted with each cell; those of pseudo-documents are as they are made."""
    is_counted = experiment.needs_replicates and not experiment.documents.units.is_drawn
    return experiment.uncertainty.replicates if is_counted else 0


def _record(related: RunData, shared: dict[str, FloatArray], grid: Grid, resampler: Resampler, tally: Tally) -> None:
    """Add the arrays of a grid to a run, after its replicates are made where an interval or a test needs these.

    `shared` holds the scores in replicates that were added before, which all criteria on the same items have in common.
    """
    cell, lines = grid.cell, grid.lines
    settings, human = cell.experiment.correlation, cell.scores.human
    for line, one in zip(lines, grid.scores, strict=True):
        lacking = np.isfinite(human) & systems_scored(one) & ~np.isfinite(one)
        if lacking.any():
            undefined = int(lacking.any(axis=(0, 2)).sum())
            related.warnings.append(
                f"{cell.path}, {line.name}: {undefined} of {len(human)} documents have no score for some system, "
                "because their references are empty or the metric gives none; they are left out."
            )
    coefficients = {
        text: np.stack([grid.coefficients[n, text] for n in range(len(lines))]) for text in cell.coefficients
    }
    tally.add()
    of_replicates: dict[str, Any] = {}
    if cell.experiment.needs_replicates:
        grid.replicates = resampler.replicates(grid)
        of_replicates = _replicates_of(cell, len(lines), grid.replicates, shared)
        tally.add(_n_counted(cell.experiment))
    for_judges = lines[0].name == INTER_JUDGE and lines[0].preprocessing == ""
    has_subsets = any(len(one) > 1 for one in grid.scores)
    related.grids.append(
        Arrays.from_arrays(
            key=cell.key(metric=INTER_JUDGE if for_judges else ""),
            metrics=tuple(GridMetric(line.preprocessing, line.name, line.signs) for line in lines),
            systems=tuple(cell.corpus.systems),
            documents=tuple(cell.scores.documents.labels),
            subsets=tuple(map(str, cell.judged.group.subsets)) if has_subsets else (),
            orientation=settings.orientation,
            undefined=settings.undefined,
            human=human,
            scores=[one[0] if len(one) == 1 else one for one in grid.scores],
            coefficients=coefficients,
            segments=cell.segment_numbers(),
            documents_of_segments=cell.groups if cell.experiment.documents.units.is_single else None,
            pairs={text: one.chosen_pairs for text, one in cell.coefficients.items() if one.needs_items},
            **of_replicates,
        )
    )


def _replicates_of(cell: Cell, n_lines: int, replicates: Replicates, shared: dict[str, FloatArray]) -> dict[str, Any]:
    """Return what the grid of a cell has of its replicates, by the arguments of `Grid.from_arrays`."""
    denoised = cell.experiment.uncertainty.interval.is_denoised
    means = {}
    if denoised or replicates.values:
        for text in cell.coefficients:
            means[text] = np.stack([replicates.of([n], text, denoised=denoised)[0] for n in range(n_lines)])
    return {
        "draws": f"{len(replicates)} of {cell.n_units} {cell.resampled}, seed {cell.experiment.seed}",
        "n_units": cell.n_units,
        "replicates": means,
        "weights": replicates.weights,
        "human_replicates": replicates.human,
        "score_replicates": {n: shared.setdefault(digest(one), one) for n, one in replicates.scores.items()},
    }


def _rows(one: Grid, preprocessing: str) -> list[Correlation]:
    """Return the rows of correlations.tsv for the lines of a preprocessing in a cell."""
    cell = one.cell
    settings, scores = cell.experiment.uncertainty, cell.scores
    interval = settings.interval
    coefficients = cell.coefficients
    rows = []
    for number, line in enumerate(one.lines):
        if line.preprocessing != preprocessing:
            continue
        scored = systems_scored(one.scores[number])
        n_scored = int(scored.sum()) * len(scores.segments)
        if line.holes is not None:
            n_scored -= int(line.holes[np.ix_(scored, scores.segments)].sum())
        for text in line.relations:
            coefficient = coefficients[text].of_systems(scored)
            summary = summarise(one.coefficients[number, text], undefined=cell.experiment.correlation.undefined)
            if line.name == CONSTANT and not line.is_metric and np.isnan(one.coefficients[number, text]).all():
                continue
            if line.is_stored and interval.needs_replicates and settings.resample != "systems":
                limits = ConfidenceInterval(undefined_because=STORED)
            else:
                limits = interval.of(_estimate(one, number, text))
            rows.append(
                Correlation(
                    key=cell.key(preprocessing, text, line.name),
                    **vars(summary),
                    lower=limits.lower,
                    upper=limits.upper,
                    interval=interval.name,
                    confidence_level=None if interval.is_none else settings.confidence_level,
                    resampled=cell.resampled if interval.needs_replicates or interval.of_values else "",
                    undefined=one.reasons(number, text),
                    no_interval_because=limits.undefined_because,
                    replicates_used=limits.n_used,
                    replicates_undefined=limits.n_undefined,
                    n_systems=int(scored.sum()),
                    n_documents=len(scores.human),
                    n_segments=len(scores.segments),
                    n_items=scores.items.counts.size,
                    n_judged=int((scores.items.counts > 0).sum()),
                    n_scored=n_scored,
                    n_references=cell.n_references,
                    signature=str(cell.signature(line.signature, _fitted(one, number, text, coefficient))),
                )
            )
    return rows


def _fitted(one: Grid, number: int, text: str, coefficient: Coefficient) -> Coefficient:
    """Return a coefficient with what was fitted to the scores of a line, which its signature says."""
    scores, relation = one.scores[number], one.lines[number].relations[text]
    if not coefficient.is_fitted or len(scores) > 1:
        return coefficient
    scored = systems_scored(scores)
    rows, human = scores[0][:, scored], one.cell.scores.human[:, scored]
    whole = (np.isfinite(rows) | ~np.isfinite(human)).all(axis=1)
    average_by = one.cell.experiment.correlation.average_by
    rows, human = in_rows(rows[whole], average_by), in_rows(human[whole], average_by)
    return relation.fitted(rows, human, np.isfinite(human)).coefficient


def _estimate(one: Grid, number: int, text: str) -> MeanCoefficient:
    """Return what the interval of a line is made of."""
    cell = one.cell
    estimate, interval = mean_coefficient(one, [number], text), cell.experiment.uncertainty.interval
    if interval.leaves_out_systems:
        line, systems = one.lines[number], systems_scored(one.scores[number])
        scores, human = one.scores[number][0][0][systems], cell.scores.human[0][systems]
        return replace(estimate, jackknife=[leave_one_out(scores, human, line.relations[text])])
    return with_replicates(estimate, one, [number], text, interval) if interval.needs_replicates else estimate
