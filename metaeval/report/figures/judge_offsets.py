"""Figure of judge offsets: how much higher each judge scores than the other judges of the same items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd

from metaeval.errors import UsageError, listing
from metaeval.report.figures.dots import Dots, draw_dots
from metaeval.report.figures.per_part import FigurePart, PartedFigure

if TYPE_CHECKING:
    from metaeval.report.figures.picture import Picture
    from metaeval.report.figures.run_frames import FigureData

MAX_JUDGES = 40
_CONFIDENCE_LEVEL = 0.95


@dataclass(frozen=True)
class JudgeOffsets(PartedFigure):
    """The mean difference of each judge's scores from the mean of the other judges of the same item, with intervals.

    One panel a criterion, all in the order of the first one, the judge with the highest offset on top. A filled point:
    the interval, by Student's t over the judge's items, does not hold 0. At most 40 judges, those who share the most
    items; the caption counts the rest.
    """

    kind: ClassVar[str] = "judge-offsets"
    columns: ClassVar[tuple[str, ...]] = ("corpus",)

    def table(self, data: FigureData) -> pd.DataFrame:
        """Return the judgments as published."""
        return data.judgments()

    def draw(self, data: FigureData, title: str) -> dict[str, Any]:
        """Return the figures by their names.

        Raises
        ------
        UsageError
            If no two judges of any corpus have judged the same item.
        """
        figures = super().draw(data, title)
        if not figures:
            corpora = listing(dict.fromkeys(data.judgments()["corpus"]))
            raise UsageError(
                f"the figure {self.kind!r} compares judges on the same items, and no two judges of {corpora} share one."
            )
        return figures

    def draw_part(self, part: FigurePart) -> Picture | None:
        """Draw a panel for each criterion; nothing where no two judges share an item."""
        offsets = judge_offsets(part.rows)
        if not len(offsets):
            return None
        counts = offsets.groupby("judge")["n"].sum().sort_values(ascending=False, kind="stable")
        shown = offsets[offsets["judge"].isin(counts.index[:MAX_JUDGES])]
        ranked = shown[shown["criterion"] == shown["criterion"].iloc[0]].sort_values("mean", ascending=False)
        names = list(dict.fromkeys([*ranked["judge"], *shown["judge"]]))
        shown = shown.assign(name=shown["judge"], filled=(shown["lower"] > 0) | (shown["upper"] < 0))
        panels = [
            Dots(criterion, part.data.label(criterion), shown[shown["criterion"] == criterion])
            for criterion in dict.fromkeys(shown["criterion"])
        ]
        caption = (
            "Points: mean difference of a judge's scores from the mean of the others on the same items. Lines: "
            f"{100 * _CONFIDENCE_LEVEL:g} % confidence intervals (t over items). Filled: the interval is without 0."
        )
        n_left = len(counts) - len(names)
        caption += f" Without {n_left} judges who share fewer items." if n_left else ""
        return draw_dots(
            self, panels, names, label="difference from the other judges", heading=part.heading("offsets of judges"),
            caption=caption, zero=True,
        )  # fmt: skip


def judge_offsets(judgments: pd.DataFrame) -> pd.DataFrame:
    """Return the mean difference of each judge from the other judges of the same items.

    Parameters
    ----------
    judgments : DataFrame
        With the columns criterion, system, segment, judge and score.

    Returns
    -------
    DataFrame
        With the columns criterion, judge, mean, lower, upper and n, of the judges who share an item; no interval where
        n is 1.
    """
    from scipy.stats import t

    items = judgments.groupby(["criterion", "system", "segment"], sort=False)["score"]
    counts, totals = items.transform("count"), items.transform("sum")
    score = judgments["score"]
    shared = judgments.assign(difference=score - (totals - score) / (counts - 1))[counts > 1]
    table = shared.groupby(["criterion", "judge"], sort=False)["difference"].agg(["mean", "std", "count"]).reset_index()
    n = table["count"]
    half = t.ppf((1 + _CONFIDENCE_LEVEL) / 2, (n - 1).where(n > 1)) * table["std"] / n**0.5
    return table.assign(lower=table["mean"] - half, upper=table["mean"] + half, n=n)
