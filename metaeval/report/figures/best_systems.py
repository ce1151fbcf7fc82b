"""Figure of each coefficient among the best systems, against how many these are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from metaeval.components.registries import COEFFICIENTS, DOCUMENTS
from metaeval.config.bands import MIN_SYSTEMS
from metaeval.correlation.bands import best_systems, equally_good_metrics, number_of_simulated
from metaeval.datamodel.corpus import CONSTANT, FloatArray
from metaeval.errors import UsageError
from metaeval.parameters.fields import parameter
from metaeval.report.figures.captions import quantity_words
from metaeval.report.figures.lines import Line, LinesFigure, XAxis, draw_lines
from metaeval.report.figures.per_part import FigurePart
from metaeval.report.figures.run_frames import FigureData, figure_data
from metaeval.report.figures.style import line_styles
from metaeval.results.rows import ALL_SYSTEMS, BEST_SYSTEMS
from metaeval.runtime.randomness import generator

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from metaeval.report.figures.picture import Picture

# More lines in a panel have no second line for what the narrower range alone does.
_MAX_LINES_WITH_RANGE = 3
# Systems between the bars of two metrics at one place.
_BETWEEN_BARS = 0.1
# Of more metrics, the best over all systems have panels.
_MAX_METRICS = 24
# So many lines share a panel; of more, each has one of its own.
_MAX_TOGETHER = 5


@dataclass(frozen=True)
class BestSystems(LinesFigure):
    """Each coefficient among the best systems by people, against their number, from five on.

    One line a metric, one figure a criterion. Of more than 24 metrics, those that are lower over all systems are grey,
    unless `metrics` names them. Thin dotted lines: what the narrower range alone would make of the coefficient over all
    systems. Bars: confidence intervals, where the run has bands.
    """

    kind: ClassVar[str] = "best-systems"
    of_tasks: ClassVar[bool | None] = None
    in_tasks: ClassVar[Mapping[str, Any]] = MappingProxyType({"from_systems": 12})
    columns: ClassVar[tuple[str, ...]] = (
        *("panel", "corpus", "preprocessing", "subset", "criterion", "average_by", "coefficient"),
    )

    from_systems: int = parameter(
        MIN_SYSTEMS + 1, doc="drawn only where the run has so many systems", minimum=MIN_SYSTEMS + 1
    )

    def is_wanted(self, data: FigureData) -> bool:
        """Return whether there are coefficients across so many whole systems."""
        table = _whole_system_rows(_with_tasks(data).of_metrics)
        return bool(len(table)) and int(table["n_systems"].max()) >= self.from_systems

    def draw(self, data: FigureData, title: str) -> dict[str, Any]:
        """Return the figures by their names, in the order of the rows; of a shared task, those of all tasks."""
        return super().draw(_with_tasks(data), title)

    def table(self, data: FigureData) -> pd.DataFrame:
        """Return the correlations of metrics across whole systems.

        Raises
        ------
        UsageError
            If the run has none, or too few systems.
        """
        if not self.is_wanted(data):
            table = _whole_system_rows(data.of_metrics)
            contents = (
                f"{int(table['n_systems'].max())} systems" if len(table) else "no coefficient across whole systems"
            )
            raise UsageError(
                f"the figure {self.kind!r} shows coefficients across whole systems (`documents.kind` = 'all'), "
                f"{self.from_systems} or more; the run has {contents}."
            )
        return _whole_system_rows(data.of_metrics)

    def draw_part(self, part: FigurePart) -> Picture | None:
        """Draw the lines of metrics."""
        whole = part.rows[part.rows["metric"] != CONSTANT].dropna(subset=["mean"])
        best = _among_the_best(part, whole)
        if not len(best):
            return None
        # The noise ceiling is that of all systems.
        part = replace(part, rows=whole, data=replace(part.data, ceiling=pd.DataFrame()))
        styles = line_styles(part.metrics, self.colours, part.data.style_numbers)
        lines = [
            Line(metric, part.data.label(metric), styles[metric], best[best["metric"] == metric])
            for metric in part.metrics
            if metric in set(best["metric"])
        ]
        in_grey: list[Line] = []
        if len(lines) > _MAX_METRICS:
            means = whole.set_index("metric")["mean"]
            shown_metrics = set(self.metrics or means.sort_values(ascending=False).index[:_MAX_METRICS])
            in_grey = [line for line in lines if line.metric not in shown_metrics]
            lines = [line for line in lines if line.metric in shown_metrics]
        simulated = _medians_of_equally_good(part, best[best["metric"].isin([line.metric for line in lines])])
        intervals = part.select(pd.DataFrame(part.data.run.tables.records("bands")))
        if len(intervals):
            intervals = intervals[intervals["band"].isin([ALL_SYSTEMS, BEST_SYSTEMS])]

        shown_range = len(lines) <= _MAX_LINES_WITH_RANGE or len(lines) > _MAX_TOGETHER
        values = [*intervals["lower"], *intervals["upper"]] if len(intervals) else []
        if shown_range:
            values += [median for _, medians in simulated.values() for median in medians]

        def also(axes: Axes, criterion: str) -> None:
            shown = [str(line.get_gid()) for line in axes.get_lines() if line.get_gid() in styles]
            for number, metric in enumerate(shown):
                look = {"color": styles[metric]["color"], "linewidth": 0.9}
                if len(intervals):
                    intervals_of_metric = intervals[
                        (intervals["metric"] == metric) & (intervals["criterion"] == criterion)
                    ]
                    beside = intervals_of_metric["n_systems"] + _BETWEEN_BARS * (number - (len(shown) - 1) / 2)
                    axes.vlines(beside, intervals_of_metric["lower"], intervals_of_metric["upper"], zorder=2, **look)
                if len(shown) <= _MAX_LINES_WITH_RANGE and (metric, criterion) in simulated:
                    sizes, medians = simulated[metric, criterion]
                    axes.plot(sizes, medians, linestyle=(0, (1, 1.5)), zorder=1.8, **look)

        numbers = sorted({int(number) for number in best["x"]})
        ticks = [(float(number), str(number)) for number in numbers]
        room = 0.04 * (numbers[-1] - numbers[0]) or 0.5
        x = XAxis(numbers[0] - room, numbers[-1] + room, ticks, "best systems by human judgments")
        words = f"{part.quantity} among the best systems" + (part.setting and f" ({part.setting})")
        named = ["" if part.title else part.data.title(part.values["panel"]), part.data.label(part.values["criterion"])]
        heading = part.heading(": ".join(filter(None, [*named, words])))
        caption = _caption(
            numbers[-1], len(in_grey), has_bars=len(intervals) > 0, has_range=bool(simulated) and shown_range
        )
        return draw_lines(
            self,
            part,
            lines,
            x,
            heading=heading,
            caption=caption,
            also=also,
            also_shown=values,
            in_grey=in_grey,
            label=quantity_words(part.values["coefficient"], parameters=False),
        )


def _caption(n_systems: int, n_grey: int, *, has_bars: bool, has_range: bool) -> str:
    caption = f"Points: coefficients over so many of the best systems, {n_systems} being all."
    if n_grey:
        caption += f" Grey in all panels: {n_grey} metrics that are lower over all systems."
    if has_bars:
        caption += " Bars: confidence intervals for these systems."
    if has_range:
        return (
            f"{caption} Dotted: what the narrower range alone would make of the coefficient over all systems (median "
            "of simulated metrics that agree equally well everywhere)."
        )
    return f"{caption} A narrower range by itself lowers any coefficient."


def _with_tasks(data: FigureData) -> FigureData:
    """Return the data of a shared task with the coefficients of its tasks, which other figures do not show."""
    if not data.run.tables.tasks or len(data.correlations):
        return data
    return figure_data(data.whole, data.style_numbers)


def _whole_system_rows(table: pd.DataFrame) -> pd.DataFrame:
    if not len(table):
        return table
    return table[[DOCUMENTS[kind].is_whole for kind in table["documents"]]]


def _among_the_best(part: FigurePart, whole: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each metric, criterion and number of systems, with columns as lines have them."""
    influence = part.select(pd.DataFrame(part.data.run.tables.records("influence")))
    if not len(influence):
        return influence
    best = influence[influence["left_out"] == ""].rename(columns={"value": "mean"})
    rows = pd.concat([best, whole], ignore_index=True)
    rows = rows[rows["metric"].isin(set(whole["metric"])) & (rows["n_systems"] >= MIN_SYSTEMS)]
    rows = rows.drop_duplicates(["metric", "criterion", "n_systems"]).dropna(subset=["mean"])
    return rows.assign(x=rows["n_systems"].astype(float), lower=np.nan, upper=np.nan)


def _medians_of_equally_good(
    part: FigurePart, best: pd.DataFrame
) -> dict[tuple[str, str], tuple[list[int], list[float]]]:
    """Return the median coefficient of simulated, equally good metrics among the k best systems, for each k.

    It shows what a narrower range alone does. By metric and criterion: the numbers of systems k, and the medians. There
    is nothing where the run has no scores of the systems, as of a shared task.
    """
    names = ("panel", "corpus", "preprocessing", "subset", "coefficient")
    rows_here = [
        row
        for row in part.data.run.tables.correlations
        if row.key.documents.units.is_whole and all(getattr(row.key, name) == part.values[name] for name in names)
    ]
    coefficient = COEFFICIENTS.named(part.values["coefficient"])
    by_line = {}
    for key in (row.key for row in rows_here):
        rows = best[(best["metric"] == key.metric) & (best["criterion"] == key.criterion)]
        grid = part.data.run.find_grid(key)
        if not len(rows) or grid is None or grid.scores(key).ndim > 2 or coefficient.needs_items:
            continue
        sign, human_sign = grid.metrics[grid.position(key)].signs
        scores, human = grid.scores(key)[0] * sign, grid.human[0] * human_sign
        scored = np.isfinite(scores) & np.isfinite(human)
        scores, human = scores[scored], human[scored]
        drawn = equally_good_metrics(
            scores, human, coefficient, n_draws=number_of_simulated(coefficient), rng=generator(part.data.seed, "bands")
        )
        if np.isnan(drawn).any():
            continue
        sizes = sorted({int(number) for number in rows["x"]})
        inside: list[FloatArray] = [drawn[:, best_systems(human, k)] for k in sizes]
        people = [human[best_systems(human, k)] for k in sizes]
        medians = [
            float(np.nanmedian(coefficient(np.ascontiguousarray(x), np.broadcast_to(y, x.shape))))
            for x, y in zip(inside, people, strict=True)
        ]
        by_line[key.metric, key.criterion] = sizes, medians
    return by_line
