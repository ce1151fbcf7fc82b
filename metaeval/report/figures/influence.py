"""Figure of the influence of single systems on each coefficient."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import pandas as pd

from metaeval.datamodel.corpus import CONSTANT
from metaeval.errors import UsageError
from metaeval.report.figures.captions import quantity_words
from metaeval.report.figures.dots import Dots, draw_dots
from metaeval.report.figures.intervals import in_order, star_words
from metaeval.report.figures.per_part import FigurePart, MetricsFigure

if TYPE_CHECKING:
    from metaeval.report.figures.picture import Picture
    from metaeval.report.figures.run_frames import FigureData


@dataclass(frozen=True)
class InfluenceOfSystems(MetricsFigure):
    """Each coefficient over all systems as a point, and as a line the range that it has without any one of them.

    One panel a criterion, all in the order of the ranking by the first one. A filled point: not significantly worse
    than the best of the panel.
    """

    kind: ClassVar[str] = "influence"
    columns: ClassVar[tuple[str, ...]] = ("corpus", "preprocessing", "subset", "average_by", "length", "coefficient")

    def table(self, data: FigureData) -> pd.DataFrame:
        """Return the correlations of metrics.

        Raises
        ------
        UsageError
            If the run did not leave out systems.
        """
        if not data.run.tables.influence:
            raise UsageError(
                f"the figure {self.kind!r} shows whole systems, left out one at a time, and the run has none of that: "
                'it needs `documents.kind = "all"`, and four systems or more.'
            )
        return data.of_metrics

    def draw_part(self, part: FigurePart) -> Picture | None:
        """Draw a panel for each criterion."""
        data = part.data
        metrics = part.rows[part.rows["metric"] != CONSTANT].dropna(subset=["mean"])
        without = part.select(pd.DataFrame(data.run.tables.records("influence")))
        keys = ["criterion", "metric"]
        one_less = metrics.set_index(keys)["n_systems"] - 1
        is_one_less = (
            without["n_systems"].to_numpy() == one_less.reindex(pd.MultiIndex.from_frame(without[keys])).to_numpy()
        )
        ranges = without[is_one_less].groupby(keys)["value"].agg(["min", "max"])
        if not len(ranges):
            return None
        names = [metric for metric in self.metrics or in_order(metrics) if metric in set(metrics["metric"])]
        points = metrics.drop(columns=["lower", "upper"]).join(ranges, on=keys)
        points = points.rename(columns={"min": "lower", "max": "upper"})
        points = points.assign(name=points["metric"].map(data.label), filled=points["star"])
        panels = [
            Dots(criterion, data.label(criterion), points[points["criterion"] == criterion])
            for criterion in part.criteria
        ]
        n_systems = int(metrics["n_systems"].max())
        caption = f"Points: all {n_systems} systems. Lines: the range without any one of them. {star_words(part)}"
        heading = part.heading(f"{part.quantity} without single systems" + (part.setting and f" ({part.setting})"))
        return draw_dots(
            self, panels, [data.label(metric) for metric in names], heading=heading, caption=caption.strip(),
            label=quantity_words(part.values["coefficient"], parameters=False),
        )  # fmt: skip
