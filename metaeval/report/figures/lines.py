"""Lines of mean correlations, a panel for each criterion: what figures against length and against references share."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from metaeval.datamodel.corpus import INTER_JUDGE, FloatArray
from metaeval.parameters.fields import parameter
from metaeval.report.figures.canvas import Canvas, Entry, limits_around
from metaeval.report.figures.captions import decimals, interval_words, quantity_words
from metaeval.report.figures.per_part import FigurePart, MetricsFigure
from metaeval.report.figures.style import GREY, MAX_LINES, LineStyle

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from metaeval.report.figures.picture import Picture

# More lines are drawn in small multiples, and more have no bands, unless asked otherwise.
_MAX_LINES_TOGETHER = 5
_MAX_LINES_WITH_BANDS = 3
# So many panels stand in rows of four.
_MAX_PANELS_IN_FOURS = 24
# Inches of a panel whose markers are small.
_NARROW_PANEL_INCHES = 1.6
CEILING: LineStyle = {"color": "#444444", "linestyle": (0, (8, 2)), "marker": "", "linewidth": 1.0}
CEILING_WORDS = "Long dashes: noise ceiling."
_BAND_WORDS = "Long dashes: noise ceiling; grey band: standard deviation of single splits of the judgments."
# A band that is narrower cannot be seen.
_MIN_BAND_WIDTH = 0.005


@dataclass(frozen=True)
class LinesFigure(MetricsFigure):
    """A kind that shows lines of correlations."""

    range: tuple[float, float] | None = parameter(None, doc="the ends of the axis of correlations, such as [0, 1]")
    bands: Literal["auto", "all", "none"] = parameter(
        "auto", doc="confidence intervals of all lines, or none; auto: all of up to three lines, else none"
    )
    small_multiples: Literal["auto"] | bool = parameter(
        "auto", doc="whether each metric has panels of its own, the others grey in them; auto: above five lines"
    )
    colours: Mapping[str, str] = parameter(
        factory=dict, doc='of metrics, such as `{bleu = "red", "*" = "grey"}`, where `*` stands for all others'
    )


# The end of a line, where another follows in the same artist.
_GAP = np.full((1, 2), np.nan)


@dataclass(frozen=True)
class Line:
    """A line in all panels: whose it is, its name, how it is drawn, and its rows with a column `x`."""

    metric: str
    name: str
    style: LineStyle
    rows: pd.DataFrame

    @cached_property
    def by_criterion(self) -> Mapping[str, pd.DataFrame]:
        """The rows of each criterion, from left to right."""
        return {str(name): rows.sort_values("x") for name, rows in self.rows.groupby("criterion", sort=False)}

    @cached_property
    def points(self) -> Mapping[str, FloatArray]:
        """The points (x, mean) of each criterion, from left to right, with a gap behind them: (points + 1, 2)."""
        return {
            name: np.concatenate([rows[["x", "mean"]].to_numpy(dtype=float), _GAP])
            for name, rows in self.by_criterion.items()
        }

    def rows_of(self, criterion: str) -> pd.DataFrame:
        """Return the rows of a criterion, from left to right; none where it has none."""
        return self.by_criterion.get(criterion, self.rows.iloc[:0])


@dataclass(frozen=True)
class XAxis:
    """The x axis of all panels: its ends, where something is written at it and what, and its label."""

    low: float
    high: float
    ticks: Sequence[tuple[float, str]]
    label: str
    is_log: bool = False


@dataclass(frozen=True)
class _Panel:
    """A panel: its criterion, its lines, those that are grey in it, its title and a note below that."""

    criterion: str
    lines: Sequence[Line]
    grey: Sequence[Line]
    title: str
    note: str = ""


def draw_lines(
    figure: LinesFigure,
    part: FigurePart,
    lines: Sequence[Line],
    x: XAxis,
    *,
    heading: str,
    caption: str,
    also: Callable[[Axes, str], None] | None = None,
    also_shown: Sequence[float] = (),
    label: str = "",
    in_grey: Sequence[Line] = (),
) -> Picture:
    """Draw panels of lines: one for each criterion, or small multiples.

    Parameters
    ----------
    figure : LinesFigure
        What was asked for.
    part : FigurePart
    lines : sequence of Line
    x : XAxis
    heading, caption : str
    also : callable, optional
        Adds to a panel what there is besides lines; called with its Axes and its criterion.
    also_shown : sequence of float
        The values that it adds, for which the axis has room too.
    label : str
        What the y axis shows; by default the mean of the coefficient.
    in_grey : sequence of Line
        Lines that are grey in all panels, and have none of their own.
    """
    places = list(dict.fromkeys(itertools.chain(*(line.by_criterion for line in lines))))
    metrics = [line for line in lines if line.metric != INTER_JUDGE]
    has_bands = len(metrics) <= _MAX_LINES_WITH_BANDS if figure.bands == "auto" else figure.bands == "all"
    multiple = len(metrics) > _MAX_LINES_TOGETHER if figure.small_multiples == "auto" else figure.small_multiples
    panels = _small_multiples(part, lines, places) if multiple else _together(part, lines, places)
    ceilings = ceiling_of(part)
    columns = ["mean", "lower", "upper"] if has_bands else ["mean"]
    if in_grey:
        panels = [replace(panel, grey=[*panel.grey, *in_grey]) for panel in panels]
    values = [line.rows[columns].to_numpy(float).ravel() for line in [*lines, *in_grey]]
    low, high = figure.range or limits_around(
        np.concatenate(
            [*values, *(ceiling["value"] for ceiling in ceilings.values()), np.asarray(also_shown, dtype=float)]
        )
    )

    shape: dict[str, Any] = (
        {"least": 0.62, "wide": 1.5, "most": 4 if len(panels) <= _MAX_PANELS_IN_FOURS else 8}
        if multiple
        else {"least": 1.1, "wide": 2.3}
    )
    canvas = Canvas(figure, len(panels), **shape)
    for axes, panel in zip(canvas.panels, panels, strict=True):
        criterion = panel.criterion
        name = f"{criterion}: {panel.title}" if multiple else criterion
        canvas.title(axes, name, panel.title, panel.note)
        if x.is_log:
            axes.set_xscale("log")
        axes.set(xlim=(x.low, x.high), ylim=(low, high))
        axes.set_xticks([position for position, _ in x.ticks], [text for _, text in x.ticks])
        axes.set_xticks([], minor=True)
        if panel.grey:
            # One line with gaps: thirty of their own in each of thirty panels took a third of the time of the figure.
            at, means = np.concatenate([line.points.get(criterion, _GAP) for line in panel.grey]).T
            axes.plot(at, means, color=GREY, linewidth=0.8, zorder=1.5)
        for line in panel.lines:
            size = 3.8 if canvas.data > _NARROW_PANEL_INCHES else 2.8
            _paint(axes, line, line.rows_of(criterion), size, has_band=has_bands)
        if criterion in ceilings:
            _paint_ceiling(axes, ceilings[criterion])
        if also is not None:
            also(axes, criterion)
    canvas.labels = {"x": x.label, "y": label or _quantity(part)}
    canvas.figure.numbers = _numbers(part, lines, x, ceilings, has_bands=has_bands)

    caption += " Grey: the other metrics." if any(panel.grey for panel in panels) else ""
    caption += f" {ceiling_words(ceilings)}" if ceilings else ""
    band_words = _band_words(part.rows, lines) if has_bands else ""
    key = _key(part, lines, places, (low, high), multiple=multiple, n_panels=len(panels))
    if ceilings:
        end = None if multiple else _ceiling_end(ceilings, places[-1], x, (low, high))
        key.append(Entry("noise ceiling", CEILING, end))
    return canvas.finish(heading, f"{caption} {band_words}".strip(), key)


def _numbers(
    part: FigurePart, lines: Sequence[Line], x: XAxis, ceilings: Mapping[str, pd.DataFrame], *, has_bands: bool
) -> list[tuple[str, ...]]:
    """Return the drawn numbers as a table: lines down, places of the x axis across, the heads first."""
    criteria = list(dict.fromkeys(itertools.chain(*(line.by_criterion for line in lines))))
    table = [(x.label, *(text for _, text in x.ticks))]
    for criterion in criteria:
        criterion_words = f", {part.data.label(criterion)}" if len(criteria) > 1 else ""
        for line in lines:
            if criterion in line.by_criterion:
                numbers = line.rows_of(criterion)[["x", "mean", "lower", "upper"]].to_numpy(dtype=float).tolist()
                cells = {at: _cell(*values, has_band=has_bands) for at, *values in numbers}
                table.append(
                    (f"{line.name}{criterion_words}".replace("\n", " "), *(cells.get(at, "") for at, _ in x.ticks))
                )
        if criterion in ceilings:
            rows = ceilings[criterion].set_index("length")
            values = [rows["value"].get(at, np.nan) if len(rows) > 1 else rows["value"].iloc[0] for at, _ in x.ticks]
            table.append((f"noise ceiling{criterion_words}", *map(decimals, values)))
    return table


def _cell(mean: float, lower: float, upper: float, *, has_band: bool) -> str:
    """Return a number of a line, with its interval where one is drawn."""
    return decimals(mean) + (f" [{decimals(lower)}, {decimals(upper)}]" if has_band and lower == lower else "")


def _quantity(part: FigurePart) -> str:
    """Return the label of the y axis."""
    several = dict.fromkeys(part.rows["coefficient"])
    if len(several) > 1:
        return "mean correlation"
    return f"mean {quantity_words(next(iter(several)), parameters=False)}"


def _together(part: FigurePart, lines: Sequence[Line], places: Sequence[str]) -> list[_Panel]:
    """Return a panel for each criterion, and for each eight metrics, as no more styles can be known."""
    judges = [line for line in lines if line.metric == INTER_JUDGE]
    metrics = [line for line in lines if line.metric != INTER_JUDGE]
    groups = [metrics[k : k + MAX_LINES] for k in range(0, len(metrics), MAX_LINES)] or [[]]
    panels = []
    for criterion in places:
        for number, group in enumerate(groups, start=1):
            count = f" ({number} of {len(groups)})" if len(groups) > 1 else ""
            panels.append(_Panel(criterion, [*group, *judges], [], f"{part.data.label(criterion)}{count}"))
    return panels


def _small_multiples(part: FigurePart, lines: Sequence[Line], places: Sequence[str]) -> list[_Panel]:
    """Return a panel for each metric and criterion."""
    judges = [line for line in lines if line.metric == INTER_JUDGE]
    metrics = [line for line in lines if line.metric != INTER_JUDGE]
    return [
        _Panel(
            criterion,
            [*(line for line in metrics if line.metric == owner), *judges],
            [line for line in metrics if line.metric != owner],
            part.data.label(owner),
            part.data.label(criterion) if len(places) > 1 else "",
        )
        for owner in dict.fromkeys(line.metric for line in metrics)
        for criterion in places
    ]


def _key(
    part: FigurePart,
    lines: Sequence[Line],
    places: Sequence[str],
    limits: tuple[float, float],
    *,
    multiple: bool,
    n_panels: int,
) -> list[Entry]:
    """Return the key: all lines, or in small multiples what lines of one metric differ in."""
    if not multiple:
        are_all_there = n_panels == len(places)
        return [
            Entry(line.name, line.style, _end(line, places[-1], limits) if are_all_there else None) for line in lines
        ]
    metrics = [line for line in lines if line.metric != INTER_JUDGE]
    of_first_metric = [line for line in metrics if line.metric == metrics[0].metric]
    owner = f"{part.data.label(metrics[0].metric)}, "
    entries = [
        Entry(line.name.removeprefix(owner), line.style) for line in of_first_metric * (len(of_first_metric) > 1)
    ]
    return [*entries, *(Entry(line.name, line.style) for line in lines if line.metric == INTER_JUDGE)]


def ceiling_of(part: FigurePart) -> dict[str, pd.DataFrame]:
    """Return the noise ceiling by criterion, where the run has one for what is drawn: length, value and sd."""
    table = part.data.ceiling
    if not len(table):
        return {}
    rows = part.select(table, besides=["preprocessing", *(["subset"] if "length" not in part.values else [])])
    for kind in ("ceiling of one judgment", "ceiling"):
        of_kind = rows[rows["kind"] == kind]
        if len(of_kind):
            defined = of_kind[np.isfinite(of_kind["value"].astype(float))]
            by_criterion = defined.drop_duplicates(["criterion", "length"]).groupby("criterion", sort=False)
            return {str(criterion): ceiling for criterion, ceiling in by_criterion}
    return {}


def ceiling_words(ceilings: Mapping[str, pd.DataFrame]) -> str:
    """Describe the line of the noise ceiling, and its band where that can be seen."""
    widest = max((float(rows["sd"].fillna(0).max()) for rows in ceilings.values()), default=0.0)
    return _BAND_WORDS if widest >= _MIN_BAND_WIDTH else CEILING_WORDS


def _paint_ceiling(axes: Axes, rows: pd.DataFrame) -> None:
    look = {name: value for name, value in CEILING.items() if name != "marker"}
    value, sd = rows[["value", "sd"]].to_numpy(float).T
    low = value - np.nan_to_num(sd)
    high = value + np.nan_to_num(sd)
    if len(rows) > 1:
        axes.plot(rows["length"].astype(float), value, zorder=1.8, label="noise ceiling", gid="noise ceiling", **look)
        axes.fill_between(rows["length"].astype(float), low, high, color="#444444", alpha=0.1, linewidth=0, zorder=1)
    else:
        axes.axhline(value[0], zorder=1.8, label="noise ceiling", gid="noise ceiling", **look)
        axes.axhspan(low[0], high[0], color="#444444", alpha=0.1, linewidth=0, zorder=1)


def _paint(axes: Axes, line: Line, rows: pd.DataFrame, size: float, *, has_band: bool) -> None:
    if not len(rows):
        return
    places, means, lower, upper = rows[["x", "mean", "lower", "upper"]].to_numpy(dtype=float).T
    axes.plot(places, means, label=line.name, gid=line.metric, markersize=size, **{"zorder": 3, **line.style})
    if has_band:
        axes.fill_between(places, lower, upper, color=line.style["color"], alpha=0.16, linewidth=0, zorder=2)


def _end(line: Line, criterion: str, limits: tuple[float, float]) -> tuple[float, float] | None:
    rows = line.rows_of(criterion).dropna(subset=["mean"])
    return (float(rows["x"].iloc[-1]), float(np.clip(rows["mean"].iloc[-1], *limits))) if len(rows) else None


def _ceiling_end(
    ceilings: Mapping[str, pd.DataFrame], criterion: str, x: XAxis, limits: tuple[float, float]
) -> tuple[float, float] | None:
    if criterion not in ceilings:
        return None
    rows = ceilings[criterion]
    at = float(rows["length"].iloc[-1]) if len(rows) > 1 else x.high
    return at, float(np.clip(rows["value"].iloc[-1], *limits))


def _band_words(rows: pd.DataFrame, lines: Sequence[Line]) -> str:
    """Describe the bands, and where none is drawn, why; lines through means have none."""
    drawn = any(np.isfinite(line.rows[["lower", "upper"]].to_numpy(float)).any() for line in lines)
    words, why_none = interval_words(rows)
    if drawn and words:
        return f"Bands: {words}."
    return f"{why_none[0].upper()}{why_none[1:]}." if why_none else ""
