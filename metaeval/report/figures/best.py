"""Figure of the probability of each rank for each metric, from the replicates of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from metaeval.datamodel.corpus import CONSTANT, FloatArray
from metaeval.errors import UsageError
from metaeval.report.figures.intervals import in_order
from metaeval.report.figures.matrix import Cell, matrix
from metaeval.report.figures.per_part import FigurePart, MetricsFigure

if TYPE_CHECKING:
    import pandas as pd

    from metaeval.report.figures.picture import Picture
    from metaeval.report.figures.run_frames import FigureData


@dataclass(frozen=True)
class Best(MetricsFigure):
    """The share of bootstrap replicates in which each metric has each rank: the first column is that of the best.

    Metrics down, in the order of the ranking, ranks across. Metrics that are equal in a replicate share its ranks.
    """

    kind: ClassVar[str] = "best"
    columns: ClassVar[tuple[str, ...]] = (
        *("corpus", "preprocessing", "subset", "criterion", "average_by", "length", "coefficient"),
    )

    def table(self, data: FigureData) -> pd.DataFrame:
        """Return the correlations of metrics with people, of a run that has replicates.

        Raises
        ------
        UsageError
            If the run has no replicates.
        """
        table = data.of_metrics
        if not any(
            grid.replicates(coefficient) is not None
            for grid in data.run.grids
            if not grid.is_of_judges
            for coefficient in table["coefficient"].unique()
        ):
            raise UsageError(
                f"the figure {self.kind!r} needs bootstrap replicates, and the run has none. Run it with "
                '`uncertainty.method = "bootstrap"` or "denoised".'
            )
        return table

    def draw_part(self, part: FigurePart) -> Picture | None:
        """Draw a cell for each metric and rank; nothing where there are no replicates."""
        data = part.data
        rows = part.rows[part.rows["metric"] != CONSTANT]
        metrics = list(rows["metric"])
        replicates = _replicates(part, metrics)
        if replicates is None or len(replicates[1]) < 2:
            return None
        values, known, weights = replicates
        names = [metric for metric in self.metrics or in_order(rows) if metric in known]
        shares = shares_of_ranks(values[[known.index(metric) for metric in names]], weights)
        cells = {
            (row, column): Cell((f"{100 * share:.0f}", ""))
            for (row, column), share in np.ndenumerate(shares)
            if share >= 0.005
        }
        ranks = [str(rank) for rank in range(1, len(names) + 1)]
        canvas = matrix(self, [data.label(metric) for metric in names], ranks, shares, cells, darkest=0.6)
        canvas.panels[0].set_label("ranks")
        words = ", ".join(filter(None, (data.label(part.values["criterion"]), part.quantity)))
        caption = (
            "Columns: ranks, 1 for the best. Cells: the percentage of bootstrap replicates in which a metric has the "
            "rank; empty below 0.5 %."
        )
        return canvas.finish(part.heading(f"{words}, ranks" + (part.setting and f" ({part.setting})")), caption)


def _replicates(part: FigurePart, metrics: list[str]) -> tuple[FloatArray, list[str], FloatArray | None] | None:
    """Return the replicates of the metrics of a part (metrics, replicates), the metrics, and any weights.

    None where the run has no replicates of these.
    """
    for grid in part.data.run.grids:
        key = grid.key
        of_grid = {"corpus": key.corpus, "subset": key.subset, "criterion": key.criterion}
        if grid.is_of_judges or any(part.values[column] != value for column, value in of_grid.items()):
            continue
        values = grid.replicates(part.values["coefficient"])
        numbers = [
            number
            for number, metric in enumerate(grid.metrics)
            if metric.name in metrics and metric.preprocessing == part.values["preprocessing"]
        ]
        if values is not None and numbers and part.values["length"] in ("", str(key.documents.length)):
            return values[numbers], [grid.metrics[number].name for number in numbers], grid.weights
    return None


def shares_of_ranks(values: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """Return in which share of replicates each metric has each rank.

    Parameters
    ----------
    values : (metrics, replicates) float array
        Replicates in which some metric is undefined do not count.
    weights : (replicates,) float array, optional
        Their probabilities; equal unless given.

    Returns
    -------
    (metrics, metrics) float array
        By metric and rank, the best first. Equal metrics share the ranks that they take.
    """
    is_defined = np.isfinite(values).all(axis=0)
    values = values[:, is_defined]
    n_metrics, n_replicates = values.shape
    if not n_replicates:
        return np.zeros((n_metrics, n_metrics))
    probabilities = np.full(n_replicates, 1 / n_replicates) if weights is None else weights[is_defined]
    above = (values[None] > values[:, None]).sum(axis=1)  # (metrics, replicates)
    equal = (values[None] == values[:, None]).sum(axis=1)
    ranks = np.arange(n_metrics)[:, None, None]
    has_rank = (ranks >= above) & (ranks < above + equal)
    shares: FloatArray = np.moveaxis((has_rank / equal) @ (probabilities / probabilities.sum()), 0, 1)
    return shares
