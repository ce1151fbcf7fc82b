"""Lines of mean correlations: against document length, and against the number of references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from metaeval.contracts import Design, refuse
from metaeval.kinds import DOCUMENTS
from metaeval.parameters import parameter
from metaeval.records import INTER_JUDGE
from metaeval.report.figure_data import PLAIN, Drawn, FigureData, FigureOptions, figure_parts
from metaeval.report.layout import (
    add_words,
    at_bottom,
    label_ends,
    panel_figure,
    set_titles,
    thin_out,
)
from metaeval.report.style import LineStyle, figure_style, line_styles, paler
from metaeval.report.words import interval_words, quantity, subset_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PANEL, _EXTRA = (3.1, 3.0), (1.8, 0.9)


@dataclass(frozen=True)
class _Line:
    """A line in all panels: its name, how it is drawn, and its rows of correlations.tsv with a column `x`."""

    name: str
    style: LineStyle
    rows: pd.DataFrame


@dataclass(frozen=True)
class CorrelationByLength(Drawn):
    """Mean correlation against the segments in a document, with intervals as bands."""

    kind: ClassVar[str] = "correlation-by-length"

    together: bool = parameter(False, doc="lines of several reference subsets on the same axes")

    @property
    def words(self) -> tuple[str, ...]:
        """Whether subsets are drawn together."""
        return ("together",) if self.together else ()

    def check(self, design: Design) -> None:
        """Check that there are documents of several lengths."""
        refuse(
            not design.documents.is_drawn,
            f"the figure 'correlation-by-length' needs pseudo-documents; got kind {design.documents.name!r}.",
        )

    def draw(self, data: FigureData, title: str) -> dict[str, Any]:
        """Return the figures by their names; see :func:`correlation_by_length`."""
        return correlation_by_length(data.correlations, replace(self.options(data, title), together=self.together))


@dataclass(frozen=True)
class CorrelationByReferences(Drawn):
    """Mean correlation against the number of references."""

    kind: ClassVar[str] = "correlation-by-references"

    def check(self, design: Design) -> None:
        """Check that there are subsets of several sizes."""
        refuse(
            not design.several_sizes,
            "the figure 'correlation-by-references' needs subsets of several sizes: `references.subsets` "
            f"'every' or 'random' with several `references.sizes`, or a list; got {design.subsets!r}.",
        )

    def draw(self, data: FigureData, title: str) -> dict[str, Any]:
        """Return the figures by their names; see :func:`correlation_by_references`."""
        return correlation_by_references(data.correlations, self.options(data, title))


def correlation_by_length(correlations: pd.DataFrame, options: FigureOptions = PLAIN) -> dict[str, Figure]:
    """Draw mean correlation against document length, one line a metric, one panel a criterion.

    Parameters
    ----------
    correlations : DataFrame
        With the columns of correlations.tsv; rows of pseudo-documents.
    options : FigureOptions

    Returns
    -------
    dict of str to Figure
        One figure for each corpus, preprocessing, reference subset, average and coefficient, by a name that tells
        which of these vary; with ``together``, one for all reference subsets, where a metric has one colour, marker and
        dash, and fewer references make a line paler and its markers hollow. Subsets of one number of references are one
        line then, of their means and without a band. The length has a logarithmic axis; the band is the interval of the
        table; the inter-judge line is black and dotted, and its label tells the number of segments it rests on where
        that is not the metrics'.
    """
    figures: dict[str, Figure] = {}
    judges = correlations[correlations["metric"] == INTER_JUDGE]
    metrics = correlations[correlations["metric"] != INTER_JUDGE]
    columns = ["corpus", "preprocessing", "subset", "average_by", "coefficient"]
    if options.together:
        columns.remove("subset")
    for figure_part in figure_parts(metrics, "correlation-by-length", columns, options.simulated):
        part, values, same = figure_part.rows, figure_part.values, judges
        for column in columns:
            if column != "preprocessing":
                same = same[same[column] == values[column]]
        if options.together:
            part, same = _by_number(part), _by_number(same)
        subsets = list(dict.fromkeys(part["subset"]))
        lines = _lines_by_subset(part, same) if len(subsets) > 1 else _lines(part, same)
        references = "" if len(subsets) > 1 else f", {subset_words(subsets[0])}"
        heading = options.titled(f"{figure_part.corpus} \N{EN DASH} {values['preprocessing']}{references}")
        with figure_style():
            figure, panels = _draw(lines, list(dict.fromkeys(part["criterion"])), "length", options)
            lengths = sorted({int(length) for line in lines for length in line.rows["length"]})
            for panel in panels:
                panel.set_xscale("log")
                panel.set_xticks(lengths, [str(length) for length in lengths])
                panel.minorticks_off()
                panel.set_xlabel("segments in a document")
            _finish(figure, panels, lines, values["coefficient"], (heading, _caption(part)), options)
        figures[figure_part.name] = figure
    return figures


def correlation_by_references(correlations: pd.DataFrame, options: FigureOptions = PLAIN) -> dict[str, Figure]:
    """Draw mean correlation against the number of references, one line a metric, one panel a criterion.

    Parameters
    ----------
    correlations : DataFrame
        With the columns of correlations.tsv.
    options : FigureOptions

    Returns
    -------
    dict of str to Figure
        One figure for each corpus, preprocessing, average, length and coefficient, by a name that tells which of
        these vary. The number of references is that of the subset, or the mean that segments have where subsets differ.
        The band is the interval of the table. Where several subsets have the same number, each is a dot, and the line
        goes through their means without a band.
    """
    figures: dict[str, Figure] = {}
    table = correlations[correlations["metric"] != INTER_JUDGE]
    columns = ["corpus", "preprocessing", "average_by", "length", "coefficient"]
    for figure_part in figure_parts(table, "correlation-by-references", columns, options.simulated):
        part, values = figure_part.rows, figure_part.values
        part = part.assign(x=part["n_references"].astype(float))
        several = part.duplicated(["metric", "criterion", "x"]).any()
        drawn = part
        if several:
            place = ["metric", "criterion", "x"]
            drawn = part.groupby(place, sort=False, as_index=False)["mean"].mean().assign(lower=np.nan, upper=np.nan)
        styles = line_styles(list(dict.fromkeys(part["metric"])))
        lines = [
            _Line(metric, styles[metric], drawn[drawn["metric"] == metric])
            for metric in styles
            if metric != INTER_JUDGE
        ]
        is_whole = DOCUMENTS[part["documents"].iloc[0]].is_whole
        of_length = f", documents of {values['length']} segments" if values["length"] and not is_whole else ""
        heading = options.titled(f"{figure_part.corpus} \N{EN DASH} {values['preprocessing']}{of_length}")
        with figure_style():
            figure, panels = _draw(lines, list(dict.fromkeys(part["criterion"])), "x", options)
            for panel in panels:
                if several:
                    _draw_subsets(panel, part[part["criterion"] == panel.get_title(loc="left")], styles)
                _whole_ticks(panel, sorted(set(part["x"])))
                panel.set_xlabel("references")
            caption = _caption(part, bands=not several)
            if several:
                caption += " Small dots: single reference subsets; lines: the means of those of one size."
            _finish(figure, panels, lines, values["coefficient"], (heading, caption), options)
        figures[figure_part.name] = figure
    return figures


def _lines(metrics: pd.DataFrame, judges: pd.DataFrame) -> list[_Line]:
    table = pd.concat([metrics, judges])
    styles = line_styles(list(dict.fromkeys(table["metric"])))
    labels = {INTER_JUDGE: _judges_label(metrics, judges)}
    return [
        _Line(labels.get(name, name), styles[name], table[table["metric"] == name])
        for name in dict.fromkeys(table["metric"])
    ]


def _by_number(table: pd.DataFrame) -> pd.DataFrame:
    """Return rows whose subsets of one number of references are one, with the mean of their means and no interval.

    Where every subset has a number of its own, nothing changes.
    """
    counts = table["n_references"]
    names = table.assign(number=counts).drop_duplicates("subset").groupby("number")["subset"]
    if not (names.nunique() > 1).any():
        return table
    subsets = {number: list(of) for number, of in names}
    one_line = ["metric", "criterion", "length", "number"]
    groups = table.assign(number=counts).groupby(one_line, sort=False)
    found = groups.first().assign(mean=groups["mean"].mean()).reset_index()
    together = [subsets[number] for number in found["number"]]
    found.loc[[len(of) > 1 for of in together], ["lower", "upper"]] = np.nan
    labels = [
        f"every(size={number:g},count={len(of)})" if len(of) > 1 else of[0]
        for number, of in zip(found["number"], together, strict=True)
    ]
    return found.assign(subset=labels)


def _lines_by_subset(metrics: pd.DataFrame, judges: pd.DataFrame) -> list[_Line]:
    """Return a line for each metric and reference subset, those of fewer references paler."""
    first = metrics.drop_duplicates("subset")
    counts = dict(zip(first["subset"], first["n_references"], strict=True))
    subsets = sorted(counts, key=lambda subset: counts[subset])
    told = len(set(counts.values())) == len(counts)
    words = {one: f"{counts[one]:g} ref{'s' if counts[one] != 1 else ''}" if told else one for one in subsets}
    styles = line_styles(list(dict.fromkeys(metrics["metric"])))
    lines = []
    for metric in dict.fromkeys(metrics["metric"]):
        for place, subset in enumerate(subsets):
            rows = metrics[(metrics["metric"] == metric) & (metrics["subset"] == subset)]
            style = paler(styles[metric], place, len(subsets))
            lines.append(_Line(f"{metric}, {words[subset]}", style, rows))
    for place, (subset, rows) in enumerate(judges.groupby("subset", sort=False)):
        values = rows.sort_values(["criterion", "length"])["mean"].to_numpy()
        alike = judges.sort_values(["criterion", "length"]).groupby("subset", sort=False)["mean"]
        if all(np.array_equal(values, one.to_numpy(), equal_nan=True) for _, one in alike):
            # The references do not matter to people.
            return [*lines, _Line(_judges_label(metrics, rows), styles[INTER_JUDGE], rows)]
        style = paler(styles[INTER_JUDGE], place, judges["subset"].nunique())
        lines.append(_Line(f"{INTER_JUDGE}, {words.get(str(subset), subset)}", style, rows))
    return lines


def _judges_label(metrics: pd.DataFrame, judges: pd.DataFrame) -> str:
    """Return the label of the inter-judge line, with its segments where they are not those of the metrics."""
    own, theirs = (list(dict.fromkeys(table["n_segments"])) for table in (judges, metrics))
    if set(own) <= set(theirs):
        return INTER_JUDGE
    return f"{INTER_JUDGE}\n({' and '.join(map(str, own))} segments)"


def _draw(lines: Sequence[_Line], criteria: Sequence[str], x: str, options: FigureOptions) -> tuple[Figure, list[Axes]]:
    figure, panels = panel_figure(len(criteria), options.width, panel=_PANEL, extra=_EXTRA, sharey=True)
    for panel, criterion in zip(panels, criteria, strict=True):
        for line in lines:
            rows = line.rows[line.rows["criterion"] == criterion].sort_values(x)
            if len(rows):
                _draw_line(panel, rows, x, line, band=min(0.18, 0.7 / len(lines)))
        panel.tick_params(labelleft=True)
    set_titles(figure, panels, criteria, 10, beside=0.6 if options.width == "column" else _EXTRA[0])
    return figure, panels


def _draw_line(panel: Axes, rows: pd.DataFrame, x: str, line: _Line, band: float) -> None:
    places = rows[x].to_numpy(dtype=float)
    style = line.style
    panel.plot(
        places,
        rows["mean"].to_numpy(dtype=float),
        color=style.color,
        marker=style.marker,
        linestyle=style.linestyle,
        markerfacecolor=style.face or style.color,
        label=line.name,
        zorder=3,
    )
    lower, upper = rows["lower"].to_numpy(dtype=float), rows["upper"].to_numpy(dtype=float)
    panel.fill_between(places, lower, upper, color=style.color, alpha=band, linewidth=0, zorder=2)


def _draw_subsets(panel: Axes, rows: pd.DataFrame, styles: dict[str, LineStyle]) -> None:
    for metric, part in rows.groupby("metric", sort=False):
        panel.scatter(part["x"], part["mean"], s=9, color=styles[str(metric)].color, alpha=0.8, linewidth=0, zorder=2)


def _whole_ticks(panel: Axes, places: Sequence[float]) -> None:
    from matplotlib.ticker import MaxNLocator

    if len(places) <= 16:
        panel.set_xticks(places, [f"{place:g}" for place in places])
    else:
        panel.xaxis.set_major_locator(MaxNLocator(8, integer=True))


def _finish(
    figure: Figure,
    panels: Sequence[Axes],
    lines: Sequence[_Line],
    coefficient: str,
    words: tuple[str, str],
    options: FigureOptions,
) -> None:
    """Write labels, heading and caption, and the names of the lines."""
    of_grid = [panel.get_subplotspec() for panel in panels]
    lowest = at_bottom(panels)
    for panel, place in zip(panels, of_grid, strict=True):
        if place is not None and place.is_first_col():
            panel.set_ylabel(f"mean {quantity(coefficient)}")
        if panel not in lowest:
            panel.set_xlabel("")
    handles: dict[str, Any] = {
        str(handle.get_label()): handle for panel in panels for handle in reversed(panel.get_lines())
    }
    ends = {}
    last = panels[-1].get_title(loc="left")
    for line in lines:
        if line.name in handles:
            rows = line.rows[line.rows["criterion"] == last]
            rows = rows.sort_values("x" if "x" in rows else "length")
            values = rows["mean"].dropna()
            ends[line.name] = float(values.iloc[-1]) if len(values) else float("nan")
    add_words(figure, *words)
    label_ends(figure, panels, ends, handles, can_grow=options.width is None)
    thin_out(figure, panels)


def _caption(metrics: pd.DataFrame, *, bands: bool = True) -> str:
    """Return what points and bands are, from the first row."""
    first = metrics.iloc[0]
    units, average_by = DOCUMENTS[first["documents"]], first["average_by"]
    documents = f"{first['n_documents']} {units.title}" if units.is_drawn else units.title
    if units.is_whole:
        points = f"Points: one coefficient at {units.title}."
    elif average_by == "none":
        points = f"Points: one coefficient over {documents} of each length and all systems."
    elif average_by == "system":
        points = f"Points: mean over the systems of the coefficient across {documents} of each length."
    else:
        points = f"Points: mean over {documents} of each length."
    if not units.is_drawn:
        points = points.replace(" of each length", "")
    words = interval_words(first)
    has_bands = bands and metrics["lower"].notna().any() and average_by == "item"
    return f"{points} Bands: {words}." if words and has_bands else points
