"""Coefficients, or their differences to the best, as points with their intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import pandas as pd

from metaeval.config.defaults import ALPHA
from metaeval.datamodel.corpus import CONSTANT
from metaeval.errors import UsageError
from metaeval.parameters.fields import parameter
from metaeval.report.figures.captions import interval_words, quantity_words, test_words
from metaeval.report.figures.dots import Dots, draw_dots
from metaeval.report.figures.lines import ceiling_of, ceiling_words
from metaeval.report.figures.per_part import FigurePart, MetricsFigure
from metaeval.report.rankings import rankings_of

if TYPE_CHECKING:
    from metaeval.report.figures.picture import Picture
    from metaeval.report.figures.run_frames import FigureData

_DIFFERENCES = "differences"
_HOLLOW_WORDS = "Hollow: the best metric is significantly better, by p corrected for all pairs."
_TEST_COLUMNS = ("test", "over")


@dataclass(frozen=True)
class Intervals(MetricsFigure):
    """Each coefficient as a point with its interval, or how far each metric is below the best: a forest plot.

    One panel a criterion, all in the order of the ranking by the first one unless metrics are named. A filled point:
    not significantly worse than the best of the panel; a hollow one: worse. The noise ceiling is a broken line where
    the run has one. ``of = "differences"`` shows the coefficient of the best less that of each metric, with the
    interval at the level of the corrected p, so that it excludes 0 where the best is significantly better.
    """

    kind: ClassVar[str] = "intervals"
    columns: ClassVar[tuple[str, ...]] = ("corpus", "preprocessing", "subset", "average_by", "length", "coefficient")

    of: Literal["coefficients", "differences"] = parameter(
        "coefficients", doc="what is shown: coefficients, or differences to the best by a test between metrics"
    )
    range: tuple[float, float] | None = parameter(None, doc="the ends of the axis of correlations, such as [0, 1]")

    @property
    def words(self) -> tuple[str, ...]:
        """Word in the file name for the quantity, empty for coefficients."""
        return (_DIFFERENCES,) if self.of == _DIFFERENCES else ()

    @property
    def parted_by(self) -> tuple[str, ...]:
        """With the test, where it is asked for."""
        return (*self.columns, *(_TEST_COLUMNS if self.of == _DIFFERENCES else ()))

    def table(self, data: FigureData) -> pd.DataFrame:
        """Return the correlations of metrics, or the tests.

        Raises
        ------
        UsageError
            If the run has no tests.
        """
        if self.of != _DIFFERENCES:
            return data.of_metrics
        if not len(data.tests):
            raise UsageError("differences to the best need tests between metrics, and the run has none: `tests`.")
        return data.tests

    def draw_part(self, part: FigurePart) -> Picture | None:
        """Draw a panel for each criterion; nothing where no metric has a coefficient."""
        data = part.data
        rows = part.rows if self.of != _DIFFERENCES else part.select(data.of_metrics, across=True)
        metrics = rows[rows["metric"] != CONSTANT]
        order = list(self.metrics) or in_order(metrics)
        if not order or not metrics["mean"].notna().any():
            return None
        ceilings = {} if self.of == _DIFFERENCES else ceiling_of(part)
        panels = []
        for criterion in part.criteria:
            of_criterion = metrics[metrics["criterion"] == criterion]
            note = ""
            if self.of == _DIFFERENCES:
                of_criterion, best = _differences(of_criterion, part.rows[part.rows["criterion"] == criterion])
                note = f"best: {data.label(best)}" if best else ""
            ceiling = ceilings.get(criterion)
            line, spread = (
                (np.nan, 0.0) if ceiling is None else map(float, ceiling[["value", "sd"]].iloc[0].fillna(0.0))
            )
            shown = of_criterion.assign(name=of_criterion["metric"].map(data.label), filled=of_criterion["star"])
            panels.append(Dots(criterion, data.label(criterion), shown, line, spread, note=note))
        words = [self._meaning(part), _HOLLOW_WORDS if self.of == _DIFFERENCES else star_words(part)]
        words += [ceiling_words(ceilings)] if ceilings else []
        words += _constant_words(rows[rows["metric"] == CONSTANT], data)
        quantity = quantity_words(part.values["coefficient"])
        subject = f"differences in {quantity} to the best metric" if self.of == _DIFFERENCES else quantity
        label = quantity_words(part.values["coefficient"], parameters=False)
        return draw_dots(
            self, panels, [data.label(metric) for metric in order if metric in set(metrics["metric"])],
            label=f"difference in {label}" if self.of == _DIFFERENCES else label,
            heading=part.heading(subject + (part.setting and f" ({part.setting})")),
            caption=" ".join(filter(None, words)), limits=self.range, zero=self.of == _DIFFERENCES,
        )  # fmt: skip

    def _meaning(self, part: FigurePart) -> str:
        if self.of == _DIFFERENCES:
            has_lines = part.rows["adjusted_lower"].notna().any()
            lines = "Lines: confidence intervals at the level of the corrected p" if has_lines else "No intervals"
            test = test_words(part.values["test"], part.rows["correction"].iloc[0])
            return f"Points: the coefficient of the best metric less that of the row. {lines} ({test})."
        words, why_none = interval_words(part.rows)
        return f"Lines: {words}." if words else f"Points: coefficients{why_none and '; '}{why_none}."


def in_order(rows: pd.DataFrame) -> list[str]:
    """Return the metrics of correlations in the order of the ranking by the first criterion, then by the others."""
    metrics: dict[str, None] = {}
    for _, of_criterion in rows.groupby("criterion", sort=False):
        keys = of_criterion.assign(
            place=of_criterion["rank"].astype(float).fillna(np.inf) if "rank" in of_criterion else -of_criterion["mean"]
        )
        best = keys.groupby("metric", sort=False).agg({"place": "mean", "mean": "mean"})
        ordered = best.sort_values(["place", "mean"], ascending=[True, False], kind="stable", na_position="last")
        metrics |= dict.fromkeys(map(str, ordered.index))
    return list(metrics)


def _differences(rows: pd.DataFrame, tests: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Return the distance of each metric from the best, with the interval of the test, and the best.

    Not starred is what the best is significantly better than by the p that the interval goes with.
    """
    means = rows.groupby("metric", sort=False).agg({"mean": "mean"}).dropna(subset=["mean"])
    if not len(means):
        return pd.DataFrame(columns=["metric", "mean", "lower", "upper", "star"]), ""
    best = str(means["mean"].idxmax())
    pairs: Any = tests.to_dict("records")
    differences = [_against(best, row) for row in pairs if best in (row["metric_a"], row["metric_b"])]
    columns = ["metric", "mean", "lower", "upper", "star"]
    return pd.DataFrame([(best, 0.0, np.nan, np.nan, True), *differences], columns=columns), best


def _against(best: str, row: Mapping[str, Any]) -> tuple[str, float, float, float, bool]:
    """Return the other metric of a test, how much the best is above it, with the interval, and whether that is open."""
    difference, lower, upper = (row[name] for name in ("difference", "adjusted_lower", "adjusted_upper"))
    is_open = not row["p_corrected"] < ALPHA
    if row["metric_a"] == best:
        return row["metric_b"], difference, lower, upper, is_open
    return row["metric_a"], -difference, -upper, -lower, is_open


def star_words(part: FigurePart) -> str:
    """Describe filled points."""
    shown = dict.fromkeys(ranking.star_words for ranking in rankings_of(part.data.run) if ranking.starred)
    if not shown:
        return ""
    return f"Filled: {'; or '.join(shown)}."


def _constant_words(rows: pd.DataFrame, data: FigureData) -> list[str]:
    """Describe a metric that gives all texts the same score, which is no point of the figure."""
    means = rows.dropna(subset=["mean"])
    values = ", ".join(
        f"{mean:.3f} ({data.label(criterion)})" if len(means) > 1 else f"{mean:.3f}"
        for criterion, mean in zip(means["criterion"], means["mean"], strict=True)
    )
    return [f"A metric that gives all texts the same score: {values}."] if values else []
