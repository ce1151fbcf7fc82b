"""Figure of the correlation of every two metrics over the systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from metaeval.components.design import Design
from metaeval.components.registries import DOCUMENTS
from metaeval.datamodel.corpus import CONSTANT, INTER_JUDGE
from metaeval.errors import UsageError
from metaeval.report.figures.intervals import in_order
from metaeval.report.figures.matrix import Cell, matrix, number
from metaeval.report.figures.per_part import FigurePart, MetricsFigure

if TYPE_CHECKING:
    import pandas as pd

    from metaeval.report.figures.picture import Picture
    from metaeval.report.figures.run_frames import FigureData


@dataclass(frozen=True)
class MetricCorrelation(MetricsFigure):
    """Pearson's correlation of the scores that every two metrics give to the systems: which of them say the same.

    Metrics in the order of the ranking by the first criterion; darker is more alike. Scores where lower is better are
    taken as negated.
    """

    kind: ClassVar[str] = "metric-correlation"
    columns: ClassVar[tuple[str, ...]] = ("corpus", "preprocessing", "subset")

    def check(self, design: Design) -> None:
        """Check that whole systems have one score each."""
        if not design.documents.is_whole or not design.one_score:
            raise UsageError(
                f'the figure {self.kind!r} shows whole systems with one score each: `documents.kind = "all"`, and not '
                '`references.combine = "correlations"`.'
            )

    def table(self, data: FigureData) -> pd.DataFrame:
        """Return the scores of systems by metrics.

        Raises
        ------
        UsageError
            If the run is not about whole systems.
        """
        for name in dict.fromkeys(data.of_metrics.get("documents", ())):
            if not DOCUMENTS[name].is_whole:
                raise UsageError(
                    f'the figure {self.kind!r} shows whole systems: `documents.kind = "all"`; got {name!r}.'
                )
        documents = data.documents()
        return documents[~documents["metric"].isin([INTER_JUDGE, CONSTANT])]

    def draw_part(self, part: FigurePart) -> Picture | None:
        """Draw a square of all pairs of metrics; nothing where there is one metric."""
        data = part.data
        first = part.rows["criterion"].iloc[0]
        rows = part.rows[part.rows["criterion"] == first]
        known = set(rows["metric"])
        ranked = part.select(data.of_metrics)
        names = [metric for metric in self.metrics or in_order(ranked[ranked["metric"] != CONSTANT]) if metric in known]
        if len(names) < 2:
            return None
        scores = rows.pivot_table(index="system", columns="metric", values="score", dropna=False)[names]
        signs = [data.signs.get((part.values["corpus"], first, metric), (1, 1))[0] for metric in names]
        values = (scores * signs).corr().to_numpy(copy=True)
        cells = {
            (row, column): Cell((*number(value)[-1:], ""))
            for (row, column), value in np.ndenumerate(values)
            if row != column and value == value
        }
        shades = np.clip(values, 0, 1)
        np.fill_diagonal(shades, np.nan)
        labels = [data.label(metric) for metric in names]
        canvas = matrix(self, labels, labels, shades, cells, square=True)
        canvas.panels[0].set_label("square")
        caption = f"Pearson correlation of the scores of two metrics over {len(scores)} systems. Darker: more alike."
        heading = part.heading("correlation between metrics" + (part.setting and f" ({part.setting})"))
        return canvas.finish(heading, caption)
