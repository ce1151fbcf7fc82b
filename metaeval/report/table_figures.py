"""Correlations as pictures of a table: points with intervals, and numbers on grey."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from metaeval.records import INTER_JUDGE
from metaeval.report.figure_data import PLAIN, Drawn, FigureData, FigureOptions, figure_parts
from metaeval.report.layout import (
    WIDTHS,
    add_words,
    at_bottom,
    broken_names,
    inches,
    panel_figure,
    set_titles,
    thin_out,
)
from metaeval.report.style import figure_style
from metaeval.report.summary import EQUAL
from metaeval.report.words import interval_words, quantity, subset_words, without_common_parameters

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PLACE = ("corpus", "preprocessing", "subset", "criterion", "average_by", "length", "coefficient", "metric")


@dataclass(frozen=True)
class Intervals(Drawn):
    """Each coefficient as a point with its interval, the best on top."""

    kind: ClassVar[str] = "intervals"

    def draw(self, data: FigureData, title: str) -> dict[str, Any]:
        """Return the figures by their names; see :func:`intervals`."""
        return intervals(data.correlations, self.options(data, title))


@dataclass(frozen=True)
class HeatTable(Drawn):
    """Coefficients as numbers on grey: the best of a column framed, those with overlapping intervals starred."""

    kind: ClassVar[str] = "heat-table"

    def draw(self, data: FigureData, title: str) -> dict[str, Any]:
        """Return the figures by their names; see :func:`heat_table`."""
        return heat_table(data.correlations, data.rankings, self.options(data, title))


def intervals(correlations: pd.DataFrame, options: FigureOptions = PLAIN) -> dict[str, Figure]:
    """Draw each metric's coefficient as a point with its interval, one panel a criterion, the best on top.

    Parameters
    ----------
    correlations : DataFrame
        With the columns of correlations.tsv.
    options : FigureOptions

    Returns
    -------
    dict of str to Figure
        One figure for each corpus, preprocessing, reference subset, average, length and coefficient, by a name that
        tells which of these vary. Metrics stand in the order of the first criterion in all panels.
    """
    figures: dict[str, Figure] = {}
    metrics = correlations[correlations["metric"] != INTER_JUDGE]
    columns = ["corpus", "preprocessing", "subset", "average_by", "length", "coefficient"]
    for part in figure_parts(metrics, "intervals", columns, options.simulated):
        values = part.values
        heading = options.titled(
            f"{part.corpus} \N{EN DASH} {values['preprocessing']}, {subset_words(values['subset'])}"
        )
        with figure_style():
            figures[part.name] = _draw_intervals(part.rows, heading, values["coefficient"], options)
    return figures


def _draw_intervals(metrics: pd.DataFrame, heading: str, coefficient: str, options: FigureOptions) -> Figure:
    from matplotlib.ticker import MaxNLocator

    criteria = list(dict.fromkeys(metrics["criterion"]))
    first = metrics[metrics["criterion"] == criteria[0]].sort_values("mean", ascending=False, na_position="last")
    names = list(dict.fromkeys([*first["metric"], *metrics["metric"]]))
    broken, lines = broken_names(names, _share_of_names(options))
    places = dict(zip(names, (0.5 - np.cumsum(lines) + lines / 2).tolist(), strict=True))
    beside = max(inches(name, 8) for name in broken) + 0.3
    figure, panels = panel_figure(
        len(criteria),
        options.width,
        panel=(2.4, 0.28 * float(lines.sum()) + 0.5),
        extra=(beside, 0.9),
        narrowest=1.6,
        sharex=True,
        sharey=True,
    )
    for panel, criterion in zip(panels, criteria, strict=True):
        part = metrics[metrics["criterion"] == criterion]
        heights = [places[name] for name in part["metric"]]
        panel.hlines(heights, part["lower"], part["upper"], color="#777777", linewidth=1.6, zorder=2)
        panel.plot(part["mean"], heights, linestyle="none", marker="o", color="black", markersize=4.5, zorder=3)
        panel.set_yticks([places[name] for name in names], broken)
        panel.set_ylim(0.4 - lines.sum(), 0.6)
    set_titles(figure, panels, criteria, 10, beside=beside)
    words = interval_words(metrics.iloc[0])
    caption = f"Lines: {words}." if words and metrics["lower"].notna().any() else "Points: mean coefficients."
    for panel in at_bottom(panels):
        panel.set_xlabel(quantity(coefficient))
        panel.tick_params(labelbottom=True)
        low, high = panel.get_xlim()
        ticks = [tick for tick in MaxNLocator(4, steps=[1, 2, 5, 10]).tick_values(low, high) if low <= tick <= high]
        panel.set_xticks(ticks, panel.xaxis.get_major_formatter().format_ticks(ticks))
    add_words(figure, heading, caption)
    thin_out(figure, at_bottom(panels))
    return figure


def _share_of_names(options: FigureOptions) -> float:
    """Return the inches that names beside rows take at most."""
    return 0.4 * WIDTHS[options.width] if options.width else 3.6


def heat_table(correlations: pd.DataFrame, rankings: pd.DataFrame, options: FigureOptions = PLAIN) -> dict[str, Figure]:
    """Draw coefficients as a table of numbers on grey: metrics down, criteria and preprocessing across.

    Parameters
    ----------
    correlations, rankings : DataFrame
        With the columns of correlations.tsv and rankings.tsv.
    options : FigureOptions

    Returns
    -------
    dict of str to Figure
        One figure for each corpus, reference subset, average, length and coefficient, by a name that tells which of
        these vary. A darker cell is a higher coefficient; the best of a column is framed and bold, and its equals,
        whose intervals overlap with its (Lin and Och 2004), bear a star.
    """
    figures: dict[str, Figure] = {}
    metrics = correlations[correlations["metric"] != INTER_JUDGE]
    columns = ["corpus", "subset", "average_by", "length", "coefficient"]
    equals = _equals(rankings)
    for part in figure_parts(metrics, "heat-table", columns, options.simulated):
        values = part.values
        references = subset_words(values["subset"])
        short, common = without_common_parameters(list(dict.fromkeys(part.rows["preprocessing"])))
        rows = part.rows.assign(shown=part.rows["preprocessing"].map(short))
        treated = f", {common}" if common else ""
        heading = f"{part.corpus} \N{EN DASH} {quantity(values['coefficient'])}, {references}{treated}"
        heading = options.titled(heading)
        with figure_style():
            figures[part.name] = _draw_table(rows, heading, equals, options)
    return figures


def _equals(rankings: pd.DataFrame) -> set[tuple[Any, ...]]:
    """Return the places of the metrics whose intervals overlap with that of the best."""
    if not len(rankings):
        return set()
    rows = rankings[(rankings["method"] == "intervals") & rankings["top_cluster"]]
    return {_place(row) for row in rows.to_dict("records")}


def _place(row: dict[Any, Any]) -> tuple[str, ...]:
    # The length of documents that have none is None in one table, and not a number in another.
    return tuple("" if row[key] is None or row[key] != row[key] else str(row[key]).removesuffix(".0") for key in _PLACE)


def _draw_table(part: pd.DataFrame, heading: str, equals: set[tuple[Any, ...]], options: FigureOptions) -> Figure:
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(part["metric"]))
    heads = list(dict.fromkeys(zip(part["criterion"], part["shown"], strict=True)))
    several = part["shown"].nunique() > 1
    broken, lines = broken_names(names, _share_of_names(options))
    tops = np.cumsum(lines) - lines - 0.5
    margin = max(inches(name, 8) for name in broken) + 0.25
    cell = 0.72 if options.width is None else min(0.72, (WIDTHS[options.width] - margin - 0.1) / len(heads))
    width = max(margin + cell * len(heads) + 0.1, 2.6) if options.width is None else WIDTHS[options.width]
    longest = max(inches(preprocessing if several else criterion, 8) for criterion, preprocessing in heads)
    turned = longest + 0.06 > cell
    above = (0.3 if several else 0.15) + (longest if turned else 0.1)
    figure = Figure(figsize=(width, 0.26 * float(lines.sum()) + above + 0.75), layout="constrained")
    panel = figure.subplots()
    low, high = part["mean"].min(), part["mean"].max()
    best = part.groupby(["criterion", "shown"])["mean"].transform("max")
    for row, top in zip(part.to_dict("records"), best, strict=True):
        x, number = heads.index((row["criterion"], row["shown"])), names.index(row["metric"])
        place = (x, float(tops[number]), float(lines[number]))
        share = (row["mean"] - low) / (high - low) if high > low else 0.0
        mark = EQUAL if _place(row) in equals and row["mean"] != top else ""
        _draw_cell(panel, place, row["mean"], share, mark, is_best=row["mean"] == top, digits=3 if cell > 0.5 else 2)
    panel.set_xlim(-0.5, len(heads) - 0.5)
    panel.set_ylim(lines.sum() - 0.5, -0.5)
    panel.set_yticks(tops + lines / 2, broken)
    panel.tick_params(length=0, top=False, bottom=False, labeltop=True, labelbottom=False)
    panel.grid(visible=False)
    panel.spines[:].set_visible(False)
    _write_heads(panel, heads, several=several, turned=turned, above=above)
    caption = "Framed: the best of a column."
    if equals:
        words = interval_words(part.iloc[0])
        caption += f" {EQUAL} its equals, whose intervals overlap with its ({words})."
    add_words(figure, heading, caption)
    return figure


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
    criteria = list(dict.fromkeys(criterion for criterion, _ in heads))
    if turned:
        panel.tick_params(axis="x", labelrotation=90)
    if not several:
        panel.set_xticks(range(len(heads)), [criterion for criterion, _ in heads])
        return
    panel.set_xticks(range(len(heads)), [preprocessing for _, preprocessing in heads])
    for criterion in criteria:
        places = [place for place, head in enumerate(heads) if head[0] == criterion]
        panel.annotate(
            criterion,
            xy=(sum(places) / len(places), 1),
            xycoords=("data", "axes fraction"),
            xytext=(0, 72 * (above - 0.12)),
            textcoords="offset points",
            ha="center",
            va="bottom",
            fontsize=9,
        )
        if places[0]:
            panel.axvline(places[0] - 0.5, color="white", linewidth=4, zorder=2.5)
