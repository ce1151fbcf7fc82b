"""Figures: each is one function from a tidy table to matplotlib figures.

Figures are drawn without a display, and the same table gives the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from metaeval.names import Signature
from metaeval.records import INTER_JUDGE
from metaeval.report.style import figure_style, line_styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = ("svg", "pdf", "png")
_PANEL_WIDTH, _PANEL_HEIGHT, _LABEL_WIDTH = 3.1, 3.0, 1.3


def correlation_by_length(correlations: pd.DataFrame) -> dict[str, Figure]:
    """Draw mean correlation against document length, one line a metric, one panel a criterion.

    Parameters
    ----------
    correlations : DataFrame
        With the columns of correlations.tsv; rows of random documents.

    Returns
    -------
    dict of str to Figure
        One figure for each corpus, condition, reference subset, grouping and coefficient, by a name that tells which of
        these vary. The length has a logarithmic axis; the band is the interval of the table; the inter-judge line is
        black and dotted, and its label tells the number of segments it rests on where that is not the metrics'.
    """
    figures = {}
    judges = correlations[correlations["metric"] == INTER_JUDGE]
    metrics = correlations[correlations["metric"] != INTER_JUDGE]
    columns = ["corpus", "condition", "subset", "grouping", "coefficient"]
    varying = [column for column in columns if metrics[column].nunique() > 1]
    for key, part in metrics.groupby(columns, sort=False):
        values = dict(zip(columns, map(str, key), strict=True))
        same = judges
        for column in ("corpus", "subset", "grouping", "coefficient"):
            same = same[same[column] == values[column]]
        name = "_".join(["correlation-by-length", *(_file_part(values[column]) for column in varying)])
        while name in figures:  # what differs may be lost in a file name
            name += "-2"
        references = values["subset"].replace("+", " + ")
        heading = f"{values['corpus']} \N{EN DASH} {values['condition']}, reference {references}"
        figures[name] = _draw_lengths(part, same, heading, values["coefficient"])
    return figures


def intervals(correlations: pd.DataFrame) -> dict[str, Figure]:
    """Draw each metric's coefficient as a point with its interval, one panel a criterion, the best on top.

    Parameters
    ----------
    correlations : DataFrame
        With the columns of correlations.tsv.

    Returns
    -------
    dict of str to Figure
        One figure for each corpus, condition, reference subset, grouping, length and coefficient, by a name that tells
        which of these vary. Metrics stand in the order of the first criterion in all panels.
    """
    figures = {}
    metrics = correlations[correlations["metric"] != INTER_JUDGE]
    columns = ["corpus", "condition", "subset", "grouping", "length", "coefficient"]
    varying = [column for column in columns if metrics[column].nunique() > 1]
    for key, part in metrics.groupby(columns, sort=False, dropna=False):
        values = dict(zip(columns, map(str, key), strict=True))
        name = "_".join(["intervals", *(_file_part(values[column]) for column in varying)])
        while name in figures:
            name += "-2"
        references = values["subset"].replace("+", " + ")
        heading = f"{values['corpus']} \N{EN DASH} {values['condition']}, references {references}"
        figures[name] = _draw_intervals(part, heading, values["coefficient"])
    return figures


def _draw_intervals(metrics: pd.DataFrame, heading: str, coefficient: str) -> Figure:
    from matplotlib.figure import Figure

    criteria = list(dict.fromkeys(metrics["criterion"]))
    first = metrics[metrics["criterion"] == criteria[0]].sort_values("mean", ascending=False, na_position="last")
    names = list(dict.fromkeys([*first["metric"], *metrics["metric"]]))
    places = {name: -place for place, name in enumerate(names)}
    with figure_style():
        width = 2.4 * len(criteria) + 1.6
        figure = Figure(figsize=(width, 0.28 * len(names) + 1.5), layout="constrained")
        panels = figure.subplots(1, len(criteria), sharex=True, sharey=True, squeeze=False)[0]
        for panel, criterion in zip(panels, criteria, strict=True):
            part = metrics[metrics["criterion"] == criterion]
            heights = [places[name] for name in part["metric"]]
            panel.hlines(heights, part["lower"], part["upper"], color="#777777", linewidth=1.6, zorder=2)
            panel.plot(part["mean"], heights, linestyle="none", marker="o", color="black", markersize=4.5, zorder=3)
            panel.set_title(criterion)
            panel.set_yticks([places[name] for name in names], names)
            panel.set_ylim(-len(names) + 0.4, 0.6)
        figure.supxlabel(_quantity(coefficient), fontsize=9)
        figure.suptitle(f"{heading}\n{_interval_caption(metrics)}", x=0.01, ha="left", fontsize=8.5)
    return figure


def _interval_caption(metrics: pd.DataFrame) -> str:
    signature = metrics["signature"].iloc[0]
    interval = re.fullmatch(r"(\w+)\((.*)\)", _signed(signature, "interval"))
    if interval is None:
        return "Points: mean coefficients."
    level = f"{100 * float(interval.group(2)):g} % interval"
    if interval.group(1) == "normal":
        return f"Lines: {level} of the mean for this corpus."
    return f"Lines: {level} for {_resampled(signature)}, by bootstrap."


def _resampled(signature: str) -> str:
    what = _signed(signature, "resample").replace("+", " and ")
    return f"other {what}"


def _quantity(coefficient: str) -> str:
    """Return what a coefficient is called on an axis: an accuracy is no correlation, and its name is two words."""
    if coefficient.startswith("pairwise-accuracy"):
        return coefficient.replace("-", " ", 1)
    return f"{coefficient.capitalize()} correlation"


FIGURES: dict[str, Callable[[pd.DataFrame], dict[str, Any]]] = {
    "correlation-by-length": correlation_by_length,
    "intervals": intervals,
}


def save_figures(figures: dict[str, Figure], directory: Path, formats: Sequence[str] = FORMATS) -> list[Path]:
    """Write each figure in each format and return the paths; no date is written, so that bytes can be compared."""
    directory.mkdir(parents=True, exist_ok=True)
    metadata: dict[str, dict[str, Any]] = {
        "svg": {"Date": None, "Creator": "metaeval"},
        "pdf": {"CreationDate": None, "Creator": "metaeval"},
        "png": {"Software": "metaeval"},
    }
    paths = []
    for name, figure in figures.items():
        for suffix in formats:
            path = directory / f"{name}.{suffix}"
            with figure_style():
                figure.savefig(path, format=suffix, metadata=metadata[suffix])
            paths.append(path)
    return paths


def _draw_lengths(metrics: pd.DataFrame, judges: pd.DataFrame, heading: str, coefficient: str) -> Figure:
    from matplotlib.figure import Figure

    table = pd.concat([metrics, judges])
    criteria = list(dict.fromkeys(metrics["criterion"]))
    names = list(dict.fromkeys(table["metric"]))
    styles = line_styles(names)
    with figure_style():
        width = _PANEL_WIDTH * len(criteria) + _LABEL_WIDTH + 0.5
        figure = Figure(figsize=(width, _PANEL_HEIGHT + 0.9), layout="constrained")
        panels = figure.subplots(1, len(criteria), sharey=True, squeeze=False)[0]
        for panel, criterion in zip(panels, criteria, strict=True):
            for name in names:
                line = table[(table["metric"] == name) & (table["criterion"] == criterion)].sort_values("length")
                if len(line):
                    _draw_line(panel, line, name, styles[name])
            lengths = sorted({int(length) for length in table["length"]})
            panel.set_xscale("log")
            panel.set_xticks(lengths, [str(length) for length in lengths])
            panel.minorticks_off()
            panel.set_title(criterion)
            panel.set_xlabel("segments in a document")
        panels[0].set_ylabel(f"mean {_quantity(coefficient)}")
        handles = {handle.get_label(): handle for panel in panels for handle in panel.get_lines()}
        # The last panel's ends order the legend, so that it reads from the highest line to the lowest.
        order = _by_last_value(table, names, criteria[-1])
        labels = [_judges_label(metrics, judges) if name == INTER_JUDGE else name for name in order]
        figure.legend(
            [handles[name] for name in order], labels, loc="outside right center", handlelength=3.2, labelspacing=0.8
        )
        figure.suptitle(heading, x=0.01, ha="left", fontsize=10.5)
        figure.supxlabel(_caption(metrics), x=0.01, ha="left", fontsize=7.5, color="#555555")
    return figure


def _judges_label(metrics: pd.DataFrame, judges: pd.DataFrame) -> str:
    """Return the label of the inter-judge line, with its segments where they are not those of the metrics."""
    own, theirs = ([_signed(text, "eligible") for text in table["signature"]] for table in (judges, metrics))
    if set(own) <= set(theirs):
        return INTER_JUDGE
    numbers = dict.fromkeys(eligible.partition("/")[0] for eligible in own)
    return f"{INTER_JUDGE}\n({' and '.join(numbers)} segments)"


def _caption(metrics: pd.DataFrame) -> str:
    signature = metrics["signature"].iloc[0]
    documents = f"{_signed(signature, 'count')} random documents"
    if _signed(signature, "grouping") == "pooled":
        return f"Points: one coefficient over {documents} of each length and all systems."
    if _signed(signature, "grouping") == "document":
        return f"Points: mean over the systems of the coefficient across {documents} of each length."
    points = f"Points: mean over {documents} of each length."
    interval = re.fullmatch(r"(normal|percentile)\((.*)\)", _signed(signature, "interval"))
    if interval is None:
        return points
    level = f"{100 * float(interval.group(2)):g} %"
    if interval.group(1) == "normal":
        return f"{points} Bands: {level} interval of that mean for this corpus."
    return f"{points} Bands: {level} interval for {_resampled(signature)}, by bootstrap."


def _signed(signature: str, key: str) -> str:
    return dict(Signature.parse(signature).items).get(key, "")


def _draw_line(panel: Axes, line: pd.DataFrame, name: str, style: Any) -> None:
    lengths = line["length"].to_numpy(dtype=float)
    panel.plot(
        lengths,
        line["mean"].to_numpy(dtype=float),
        color=style.color,
        marker=style.marker,
        linestyle=style.linestyle,
        label=name,
        zorder=3,
    )
    lower, upper = line["lower"].to_numpy(dtype=float), line["upper"].to_numpy(dtype=float)
    panel.fill_between(lengths, lower, upper, color=style.color, alpha=0.18, linewidth=0, zorder=2)


def _by_last_value(table: pd.DataFrame, names: Sequence[str], criterion: str) -> list[str]:
    def height(name: str) -> float:
        line = table[(table["metric"] == name) & (table["criterion"] == criterion)].sort_values("length")
        values = line["mean"].dropna()
        return float(values.iloc[-1]) if len(values) else -np.inf

    present = [name for name in names if (table["metric"] == name).any()]
    return sorted(present, key=height, reverse=True)


def _file_part(text: str) -> str:
    """Return a text as part of a file name: letters and digits of any script, dots, plus signs and hyphens."""
    return re.sub(r"[^\w.+-]+", "-", text).strip("-")
