"""Lines of mean correlations, one panel a criterion: what figures against length and against references share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from metaeval.kinds import DOCUMENTS
from metaeval.report.figures.layout import add_words, panels_of
from metaeval.report.figures.style import LineStyle
from metaeval.report.words import interval_words, quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PANEL, _EXTRA = (3.1, 3.0), (1.8, 0.9)


@dataclass(frozen=True)
class Line:
    """A line in all panels: its name, how it is drawn, and its rows of correlations.tsv with a column `x`."""

    name: str
    style: LineStyle
    rows: pd.DataFrame


def draw_lines(
    lines: Sequence[Line],
    metrics: pd.DataFrame,
    dress: Callable[[Axes, str], None],
    *,
    width: str | None,
    heading: str,
    caption: str,
) -> Figure:
    """Draw lines with bands, one panel a criterion, and name each at its end or in a legend.

    Parameters
    ----------
    lines : sequence of Line
    metrics : DataFrame
        The rows that are shown, for criteria and coefficient.
    dress : callable
        Adds to a panel, of a criterion, what the figure has besides lines: its ticks and the label below.
    width : str or None
        One of `metaeval.report.figures.layout.WIDTHS`.
    heading, caption : str
    """
    criteria = list(dict.fromkeys(metrics["criterion"]))
    sheet = panels_of(len(criteria), width, panel=_PANEL, extra=_EXTRA, sharey=True)
    for panel, criterion in zip(sheet.panels, criteria, strict=True):
        for line in lines:
            rows = line.rows[line.rows["criterion"] == criterion].sort_values("x")
            if len(rows):
                _draw_line(panel, rows, line, band=min(0.18, 0.7 / len(lines)))
        panel.tick_params(labelleft=True)
    sheet.set_titles(criteria, 10, beside=0.6 if width == "column" else _EXTRA[0])
    for panel, criterion in zip(sheet.panels, criteria, strict=True):
        dress(panel, criterion)
        if panel in sheet.first:
            panel.set_ylabel(f"mean {quantity(metrics['coefficient'].iloc[0])}")
        if panel not in sheet.bottom:
            panel.set_xlabel("")
    handles: dict[str, Any] = {
        str(handle.get_label()): handle for panel in sheet.panels for handle in reversed(panel.get_lines())
    }
    ends = {}
    for line in lines:
        if line.name in handles:
            last = line.rows[line.rows["criterion"] == criteria[-1]].sort_values("x")["mean"].dropna()
            ends[line.name] = float(last.iloc[-1]) if len(last) else float("nan")
    add_words(sheet.figure, heading, caption)
    sheet.label_ends(ends, handles, can_grow=width is None)
    sheet.thin_out(sheet.panels)
    return sheet.figure


def _draw_line(panel: Axes, rows: pd.DataFrame, line: Line, band: float) -> None:
    places, means, lower, upper = rows[["x", "mean", "lower", "upper"]].to_numpy(dtype=float).T
    panel.plot(places, means, label=line.name, zorder=3, **line.style)
    panel.fill_between(places, lower, upper, color=line.style["color"], alpha=band, linewidth=0, zorder=2)


def caption_of(metrics: pd.DataFrame, *, bands: bool = True) -> str:
    """Return what points and bands are, from the first row."""
    first = metrics.iloc[0]
    units, average_by = DOCUMENTS[first["documents"]], first["average_by"]
    documents = f"{first['n_documents']} {units.title} of each length" if units.is_drawn else units.title
    if units.is_whole:
        points = f"Points: one coefficient over {units.title}."
    elif average_by == "none":
        points = f"Points: one coefficient over {documents} and all systems."
    elif average_by == "system":
        points = f"Points: mean over the systems of the coefficient across {documents}."
    else:
        points = f"Points: mean over {documents}."
    # Room is scarce below several panels.
    words = interval_words(first, about=False)
    has_bands = bands and metrics["lower"].notna().any() and average_by == "item"
    return f"{points} Bands: {words}." if words and has_bands else points
