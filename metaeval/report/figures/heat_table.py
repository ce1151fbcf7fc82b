"""Coefficients as a table of numbers on grey."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
        short, common = without_common_parameters(list(dict.fromkeys(part.rows["preprocessing"])))
        rows = part.rows.assign(shown=part.rows["preprocessing"].map(short))
        several = rows["shown"].nunique() > 1
        heads = list(dict.fromkeys(zip(rows["criterion"], rows["shown"], strict=True)))
        rankings = data.rankings.to_dict("records")
        equals = top_clusters((_place(row), (row["method"], row["over"]), row["top_cluster"]) for row in rankings)
        low, high = rows["mean"].min(), rows["mean"].max()
        best = rows.groupby(["criterion", "shown"])["mean"].transform("max")
        cells = [
            HeatCell(
                row["metric"],
                heads.index((row["criterion"], row["shown"])),
                row["mean"],
                (row["mean"] - low) / (high - low) if high > low else 0.0,
                is_bold=is_best,
                is_framed=is_best,
                mark=EQUAL if _place(row) in equals and not is_best else "",
            )
            for row, is_best in zip(rows.to_dict("records"), rows["mean"] == best, strict=True)
        ]
        labels = heads if several else [("", criterion) for criterion, _ in heads]
        figure = draw_heat(list(dict.fromkeys(rows["metric"])), labels, cells, width=self.inches, beside=self.beside)
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


@dataclass(frozen=True)
class HeatCell:
    """A cell of a table on grey: its row, its column, its value, and how dark it is, from 0 to 1."""

    row: str
    column: int
    value: float
    share: float
    is_bold: bool
    is_framed: bool = False
    mark: str = ""
    before: str = ""
    undefined: str = "undefined"


def draw_heat(
    names: Sequence[str],
    heads: Sequence[tuple[str, str]],
    cells: Sequence[HeatCell],
    *,
    width: float | None,
    beside: float,
) -> Figure:
    """Draw a table of numbers on grey.

    Parameters
    ----------
    names : sequence of str
        Of the rows.
    heads : sequence of (str, str)
        Of the columns: what stands over a group of them, or nothing, and what over each.
    cells : sequence of HeatCell
    width : float or None
        In inches; None as it needs.
    beside : float
        The inches that names take at most.
    """
    from matplotlib.figure import Figure

    broken, lines = broken_names(names, beside)
    tops = np.cumsum(lines) - lines - 0.5
    margin = max(inches(name, 8) for name in broken) + 0.25
    side, total = 0.72, max(margin + 0.72 * len(heads) + 0.1, 2.6)
    if width is not None:
        side, total = min(0.72, (width - margin - 0.1) / len(heads)), width
    longest = max(inches(label, 8) for _, label in heads)
    turned = longest + 0.06 > side
    above = (0.3 if heads[0][0] else 0.15) + (longest if turned else 0.1)
    figure = Figure(figsize=(total, 0.26 * float(lines.sum()) + above + 0.75), layout="constrained")
    panel = figure.subplots()
    for cell in cells:
        row = names.index(cell.row)
        _draw_cell(panel, cell, float(tops[row]), float(lines[row]), digits=3 if side > 0.5 else 2)
    panel.set_xlim(-0.5, len(heads) - 0.5)
    panel.set_ylim(lines.sum() - 0.5, -0.5)
    panel.set_yticks(tops + lines / 2, broken)
    panel.tick_params(length=0, top=False, bottom=False, labeltop=True, labelbottom=False)
    panel.grid(visible=False)
    panel.spines[:].set_visible(False)
    _write_heads(panel, heads, turned=turned, above=above)
    return figure


def _draw_cell(panel: Axes, cell: HeatCell, top: float, height: float, *, digits: int) -> None:
    """Draw a cell whose row has a top and a height."""
    from matplotlib.patches import Rectangle

    defined = cell.value == cell.value
    grey = str(1 - 0.42 * cell.share) if defined else "white"
    x, y = cell.column, top + height / 2
    panel.add_patch(Rectangle((x - 0.5, top), 1, height, facecolor=grey, edgecolor="white", linewidth=0.8))
    if cell.is_framed:
        corner = (x - 0.46, top + 0.06)
        panel.add_patch(Rectangle(corner, 0.92, height - 0.12, **MARKS["frame of the best"]))
    text = f"{cell.value:.{digits}f}" if defined else cell.undefined
    if digits < 3:
        text = text.replace("0.", ".", 1)
    look: dict[str, Any] = {"fontsize": 8 if defined else 6, "weight": "bold" if cell.is_bold else "normal"}
    panel.text(x, y, f"{cell.before}{text}", ha="center", va="center", **look)
    if cell.mark:
        panel.text(x + 0.44, y, cell.mark, ha="right", va="center", fontsize=9)


def _write_heads(panel: Axes, heads: Sequence[tuple[str, str]], *, turned: bool, above: float) -> None:
    """Write what stands above each column, and over groups of columns."""
    if turned:
        panel.tick_params(axis="x", labelrotation=90)
    panel.set_xticks(range(len(heads)), [label for _, label in heads])
    for group in dict.fromkeys(group for group, _ in heads if group):
        places = [place for place, head in enumerate(heads) if head[0] == group]
        place, above_it = (sum(places) / len(places), 1), (0, 72 * (above - 0.12))
        panel.annotate(group, place, above_it, ("data", "axes fraction"), **MARKS["head of columns"])
        if places[0]:
            panel.axvline(places[0] - 0.5, color="white", linewidth=4, zorder=2.5)
