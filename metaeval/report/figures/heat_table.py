"""Coefficients as a table of numbers on grey."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from metaeval.report.figures.data import FigureData
from metaeval.report.figures.layout import add_words, broken_names, inches
from metaeval.report.figures.parts import FigurePart, PartedFigure, written
from metaeval.report.figures.style import MARKS
from metaeval.report.summary import EQUAL, top_clusters
from metaeval.report.words import interval_words, quantity, subset_words, without_common_parameters

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PLACE = ("corpus", "preprocessing", "subset", "criterion", "average_by", "length", "coefficient", "metric")


@dataclass(frozen=True)
class HeatTable(PartedFigure):
    """Coefficients as numbers on grey: the best of a column framed, those not significantly worse starred.

    Metrics down, criteria and preprocessing across. A darker cell is a higher coefficient. Without a test, metrics
    whose intervals overlap with that of the best are starred, as in Lin and Och (2004).
    """

    kind: ClassVar[str] = "heat-table"
    columns: ClassVar[tuple[str, ...]] = ("corpus", "subset", "average_by", "length", "coefficient")

    def draw_part(self, part: FigurePart, data: FigureData) -> Figure:
        """Draw a cell for each number, and heads above."""
        from matplotlib.figure import Figure

        short, common = without_common_parameters(list(dict.fromkeys(part.rows["preprocessing"])))
        rows = part.rows.assign(shown=part.rows["preprocessing"].map(short))
        names = list(dict.fromkeys(rows["metric"]))
        heads = list(dict.fromkeys(zip(rows["criterion"], rows["shown"], strict=True)))
        several = rows["shown"].nunique() > 1
        broken, lines = broken_names(names, self.beside)
        tops = np.cumsum(lines) - lines - 0.5
        margin = max(inches(name, 8) for name in broken) + 0.25
        cell, width = 0.72, max(margin + 0.72 * len(heads) + 0.1, 2.6)
        if self.inches is not None:
            cell, width = min(0.72, (self.inches - margin - 0.1) / len(heads)), self.inches
        longest = max(inches(preprocessing if several else criterion, 8) for criterion, preprocessing in heads)
        turned = longest + 0.06 > cell
        above = (0.3 if several else 0.15) + (longest if turned else 0.1)
        figure = Figure(figsize=(width, 0.26 * float(lines.sum()) + above + 0.75), layout="constrained")
        panel = figure.subplots()
        rankings = data.rankings.to_dict("records")
        equals = top_clusters((_place(row), (row["method"], row["over"]), row["top_cluster"]) for row in rankings)
        low, high = rows["mean"].min(), rows["mean"].max()
        best = rows.groupby(["criterion", "shown"])["mean"].transform("max")
        for row, top in zip(rows.to_dict("records"), best, strict=True):
            x, number = heads.index((row["criterion"], row["shown"])), names.index(row["metric"])
            place = (x, float(tops[number]), float(lines[number]))
            share = (row["mean"] - low) / (high - low) if high > low else 0.0
            is_best = row["mean"] == top
            mark = EQUAL if _place(row) in equals and not is_best else ""
            _draw_cell(panel, place, row["mean"], share, mark, is_best=is_best, digits=3 if cell > 0.5 else 2)
        panel.set_xlim(-0.5, len(heads) - 0.5)
        panel.set_ylim(lines.sum() - 0.5, -0.5)
        panel.set_yticks(tops + lines / 2, broken)
        panel.tick_params(length=0, top=False, bottom=False, labeltop=True, labelbottom=False)
        panel.grid(visible=False)
        panel.spines[:].set_visible(False)
        _write_heads(panel, heads, several=several, turned=turned, above=above)
        caption = "Framed: the best of a column."
        if equals:
            tests = [written(one) for one in dict.fromkeys(data.rankings["method"]) if one != "intervals"]
            overlaps = f"overlaps with the interval of the best ({interval_words(rows.iloc[0])})"
            caption += f" {EQUAL} {f'not significantly worse (test {tests[0]!r})' if tests else overlaps}."
        words = [quantity(part.values["coefficient"]), subset_words(part.values["subset"]), common]
        add_words(figure, part.heading(", ".join(filter(None, words))), caption)
        return figure


def _place(row: Mapping[Any, Any]) -> tuple[str, ...]:
    # The length of documents that have none is None in one table, and not a number in another.
    return tuple(written(row[key]) for key in _PLACE)


def _draw_cell(
    panel: Axes, place: tuple[int, float, float], value: float, share: float, mark: str, *, is_best: bool, digits: int
) -> None:
    """Draw a cell at a place: its column, the top of its row and how high that is."""
    from matplotlib.patches import Rectangle

    defined = value == value
    grey = str(1 - 0.42 * share) if defined else "white"
    x, top, height = place
    y = top + height / 2
    panel.add_patch(Rectangle((x - 0.5, top), 1, height, facecolor=grey, edgecolor="white", linewidth=0.8))
    if is_best:
        corner = (x - 0.46, top + 0.06)
        frame = Rectangle(corner, 0.92, height - 0.12, fill=False, edgecolor="black", linewidth=1.2, zorder=3)
        panel.add_patch(frame)
    text = f"{value:.{digits}f}" if defined else "undefined"
    if digits < 3:
        text = text.replace("0.", ".", 1)
    panel.text(
        x, y, text, ha="center", va="center", fontsize=8 if defined else 6, weight="bold" if is_best else "normal"
    )
    if mark:
        panel.text(x + 0.44, y, mark, ha="right", va="center", fontsize=9)


def _write_heads(panel: Axes, heads: list[tuple[str, str]], *, several: bool, turned: bool, above: float) -> None:
    """Write the criteria above the columns, or the preprocessing there and the criteria over groups of columns."""
    if turned:
        panel.tick_params(axis="x", labelrotation=90)
    panel.set_xticks(range(len(heads)), [preprocessing if several else criterion for criterion, preprocessing in heads])
    for criterion in dict.fromkeys(criterion for criterion, _ in heads if several):
        places = [place for place, head in enumerate(heads) if head[0] == criterion]
        place, above_it = (sum(places) / len(places), 1), (0, 72 * (above - 0.12))
        panel.annotate(criterion, place, above_it, ("data", "axes fraction"), **MARKS["head of columns"])
        if places[0]:
            panel.axvline(places[0] - 0.5, color="white", linewidth=4, zorder=2.5)
