"""Lines of mean correlations, a panel for each criterion: what figures against length and against references share."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from metaeval.kinds import DOCUMENTS
from metaeval.parameters import parameter
from metaeval.records import INTER_JUDGE
from metaeval.report.figures.parts import FigurePart, MetricsFigure
from metaeval.report.figures.sheet import Axis, Entry, Panel, Sheet
from metaeval.report.figures.style import GREY, MOST_LINES, LineStyle
from metaeval.report.words import interval_caption, quantity

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# More lines than that are drawn in small multiples, and have no bands, unless asked otherwise.
_MOST_TOGETHER, _MOST_BANDS = 5, 3


@dataclass(frozen=True)
class LinesFigure(MetricsFigure):
    """A kind that shows lines of correlations."""

    range: tuple[float, float] | None = parameter(None, doc="the ends of the axis of correlations, such as [0, 1]")
    bands: Literal["auto", "all", "last", "none"] = parameter(
        "auto",
        doc="confidence intervals at all points, at the last, or none; auto: all of up to three lines, else none",
    )
    small_multiples: Literal["auto"] | bool = parameter(
        "auto", doc="whether each metric has panels of its own, the others grey in them; auto: above five lines"
    )
    colours: Mapping[str, str] = parameter(
        factory=dict, doc='of metrics, such as `{bleu = "red", "*" = "grey"}`, where `*` stands for all others'
    )


@dataclass(frozen=True)
class Line:
    """A line in all panels: whose it is, its name, how it is drawn, and its rows with a column `x`."""

    metric: str
    name: str
    style: LineStyle
    rows: pd.DataFrame


def line_sheet(
    figure: LinesFigure,
    part: FigurePart,
    lines: Sequence[Line],
    x: Axis,
    *,
    heading: str,
    caption: str,
    also: Callable[[Axes, str], None] | None = None,
) -> Sheet:
    """Return panels of lines: one for each criterion, or small multiples.

    Parameters
    ----------
    figure : LinesFigure
        What was asked for.
    part : FigurePart
    lines : sequence of Line
    x : Axis
    heading, caption : str
    also : callable, optional
        Adds to a panel what there is besides lines; called with its Axes and its criterion.
    """
    data = part.data
    places = list(dict.fromkeys(itertools.chain(*(line.rows["criterion"] for line in lines))))
    metrics = [line for line in lines if line.metric != INTER_JUDGE]
    has_bands = figure.bands in ("all", "last") or (figure.bands == "auto" and len(metrics) <= _MOST_BANDS)
    bands = ("all" if figure.bands == "auto" else figure.bands) if has_bands else "none"
    multiple = len(metrics) > _MOST_TOGETHER if figure.small_multiples == "auto" else figure.small_multiples
    ceilings = ceiling_of(part)
    columns = ["mean", "lower", "upper"] if bands != "none" else ["mean"]
    values = [line.rows[columns].to_numpy(float) for line in lines]
    bounds = [*(one.ravel() for one in values), *(rows["value"].to_numpy(float) for rows in ceilings.values())]
    low, high = figure.range or _around(np.concatenate(bounds))
    several = len({part.values.get("coefficient"), *part.rows["coefficient"]} - {None, ""}) > 1
    label = "mean correlation" if several else f"mean {quantity(part.rows['coefficient'].iloc[0])}"
    y = Axis(low, high, label=label)

    def panel(place: str, shown: Sequence[Line], grey: Sequence[Line], title: str, note: str = "") -> Panel:
        def paint(axes: Axes) -> None:
            for line in grey:
                rows = line.rows[line.rows["criterion"] == place].sort_values("x")
                axes.plot(rows["x"], rows["mean"], color=GREY, linewidth=0.8, zorder=1.5)
            for line in shown:
                _paint(axes, line, line.rows[line.rows["criterion"] == place].sort_values("x"), bands)
            if (ceiling := ceilings.get(place)) is not None:
                _paint_ceiling(axes, ceiling)
            if also is not None:
                also(axes, place)

        return Panel(f"{place}: {title}" if multiple else place, x, y, paint, title, note)

    judges = [line for line in lines if line.metric == INTER_JUDGE]
    words = ""
    if multiple:
        owners = list(dict.fromkeys(line.metric for line in metrics))
        panels = [
            panel(
                place,
                [*(line for line in metrics if line.metric == owner), *judges],
                [line for line in metrics if line.metric != owner],
                data.label(owner),
                data.label(place) if len(places) > 1 else "",
            )
            for owner in owners
            for place in places
        ]
        own = [line for line in metrics if line.metric == owners[0]]
        entries = [Entry(line.name.removeprefix(f"{data.label(owners[0])}, "), line.style) for line in own] * (
            len(own) > 1
        )
        key = [*entries, *(Entry(line.name, line.style) for line in judges)]
        words = " Grey: the other metrics." if len(owners) > 1 else ""
        heading = heading if len(places) > 1 else f"{heading}, {data.label(places[0])}"
    else:
        groups = [metrics[k : k + MOST_LINES] for k in range(0, len(metrics), MOST_LINES)] or [[]]
        panels = [
            panel(
                place,
                [*group, *judges],
                [],
                data.label(place) + (f" ({k} of {len(groups)})" if len(groups) > 1 else ""),
            )
            for place in places
            for k, group in enumerate(groups, start=1)
        ]
        ends = {line.name: _end(line, line.rows[line.rows["criterion"] == places[-1]], y) for line in lines}
        key = [Entry(line.name, line.style, end=ends[line.name] if len(groups) == 1 else None) for line in lines]
    if ceilings:
        key.append(Entry("noise ceiling", CEILING, end=_ceiling_end(ceilings, places[-1], x, y)))
        words += f" {CEILING_WORDS}"
    caption += words
    # Lines through means have no bands, whatever intervals their parts have.
    drawn = any(one.shape[1] > 1 and np.isfinite(one[:, 1:]).any() for one in values)
    said = _band_words(part.rows, drawn=drawn) if bands != "none" else ""
    return Sheet(
        heading,
        f"{caption} {said}".strip(),
        panels,
        key,
        wide=2.6 if not multiple else 1.7,
        least=1.15 if not multiple else 0.62,
        ratio=0.92 if not multiple else 0.75,
        most=3 if not multiple else 4,
    )


CEILING: LineStyle = {"color": "#444444", "linestyle": (0, (8, 2)), "marker": "", "linewidth": 1.0}
CEILING_WORDS = "Long dashes: noise ceiling, with the spread (sd) of single splits of the judgments."


def ceiling_of(part: FigurePart) -> dict[str, pd.DataFrame]:
    """Return the noise ceiling by criterion, where the run has one for what is drawn: length, value and sd."""
    table = part.data.ceiling
    if not len(table):
        return {}
    rows = part.select(table, besides=["preprocessing", *(["subset"] if "length" not in part.values else [])])
    for kind in ("ceiling of one judgment", "ceiling"):
        of_kind = rows[rows["kind"] == kind]
        if len(of_kind):
            found = of_kind[np.isfinite(of_kind["value"].astype(float))]
            by_criterion = found.drop_duplicates(["criterion", "length"]).groupby("criterion", sort=False)
            return {str(criterion): one for criterion, one in by_criterion}
    return {}


def _paint_ceiling(axes: Axes, rows: pd.DataFrame) -> None:
    look = {name: value for name, value in CEILING.items() if name != "marker"}
    value, sd = rows[["value", "sd"]].to_numpy(float).T
    low, high = value - np.nan_to_num(sd), value + np.nan_to_num(sd)
    if len(rows) > 1:
        axes.plot(rows["length"].astype(float), value, zorder=1.8, label="noise ceiling", gid="noise ceiling", **look)
        axes.fill_between(rows["length"].astype(float), low, high, color="#444444", alpha=0.1, linewidth=0, zorder=1)
    else:
        axes.axhline(value[0], zorder=1.8, label="noise ceiling", gid="noise ceiling", **look)
        axes.axhspan(low[0], high[0], color="#444444", alpha=0.1, linewidth=0, zorder=1)


def _paint(axes: Axes, line: Line, rows: pd.DataFrame, bands: str) -> None:
    if not len(rows):
        return
    places, means, lower, upper = rows[["x", "mean", "lower", "upper"]].to_numpy(dtype=float).T
    axes.plot(places, means, label=line.name, gid=line.metric, **{"zorder": 3, **line.style})
    if bands == "all":
        axes.fill_between(places, lower, upper, color=line.style["color"], alpha=0.16, linewidth=0, zorder=2)
    elif bands == "last" and np.isfinite([lower[-1], upper[-1]]).all():
        axes.vlines(places[-1], lower[-1], upper[-1], color=line.style["color"], linewidth=1.0, zorder=2)


def _end(line: Line, rows: pd.DataFrame, y: Axis) -> tuple[float, float] | None:
    defined = rows.sort_values("x").dropna(subset=["mean"])
    return (
        (float(defined["x"].iloc[-1]), float(np.clip(defined["mean"].iloc[-1], y.low, y.high)))
        if len(defined)
        else None
    )


def _ceiling_end(ceilings: Mapping[str, pd.DataFrame], place: str, x: Axis, y: Axis) -> tuple[float, float] | None:
    if place not in ceilings:
        return None
    rows = ceilings[place]
    at = float(rows["length"].iloc[-1]) if len(rows) > 1 else x.high
    return at, float(np.clip(rows["value"].iloc[-1], y.low, y.high))


def _around(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> tuple[float, float]:
    """Return the ends of an axis that shows all values, with some room."""
    defined = values[np.isfinite(values)]
    low, high = (float(defined.min()), float(defined.max())) if len(defined) else (0.0, 1.0)
    room = 0.05 * (high - low) or 0.05
    return low - room, high + room


def points_words(rows: pd.DataFrame) -> str:
    """Return what points are, from the first row."""
    first = rows.iloc[0]
    units, average_by = DOCUMENTS[first["documents"]], first["average_by"]
    drawn, several = units.is_drawn, rows["length"].nunique() > 1
    documents = f"{first['n_documents']} {units.title}{' of each length' if several else ''}" if drawn else units.title
    if units.is_whole:
        return f"Points: one coefficient over {units.title}."
    if average_by == "none":
        return f"Points: one coefficient over {documents} and all systems."
    if average_by == "system":
        return f"Points: mean over the systems of the coefficient across {documents}."
    return f"Points: mean over {documents}."


def _band_words(rows: pd.DataFrame, *, drawn: bool) -> str:
    # Room is scarce below several panels.
    words, why_none = interval_caption(rows.to_dict("records"), about=False)
    if drawn and words and rows["average_by"].iloc[0] == "item":
        return f"Bands: {words}."
    return f"{why_none[0].upper()}{why_none[1:]}." if why_none else ""
