"""Mean correlation against document length (Turian, Shen and Melamed 2003)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd

from metaeval.contracts import Design, refuse
from metaeval.parameters import parameter
from metaeval.records import INTER_JUDGE
from metaeval.report.figures.data import FigureData
from metaeval.report.figures.lines import Line, caption_of, draw_lines
from metaeval.report.figures.parts import FigurePart, PartedFigure
from metaeval.report.figures.style import line_styles, paler
from metaeval.report.words import subset_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class CorrelationByLength(PartedFigure):
    """Mean correlation against the segments in a document, with intervals as bands.

    One line a metric, one panel a criterion; the length has a logarithmic axis. The band is the interval of the table;
    the inter-judge line is black and dotted, and its label has the number of segments it rests on where that is not the
    metrics'. With ``together`` one figure has all reference subsets: a metric has one colour, marker and dash, and
    fewer references make a line paler and its markers hollow. Subsets of one number of references are one line then, of
    their means and without a band.
    """

    kind: ClassVar[str] = "correlation-by-length"
    columns: ClassVar[tuple[str, ...]] = ("corpus", "preprocessing", "subset", "average_by", "coefficient")

    together: bool = parameter(False, doc="lines of several reference subsets on the same axes")

    @property
    def words(self) -> tuple[str, ...]:
        """Whether subsets are drawn together."""
        return ("together",) if self.together else ()

    @property
    def parted_by(self) -> tuple[str, ...]:
        """Without the subset, where subsets are drawn together."""
        return tuple(column for column in self.columns if not (self.together and column == "subset"))

    def check(self, design: Design) -> None:
        """Check that there are documents of several lengths."""
        refuse(
            not design.documents.is_drawn,
            f"the figure 'correlation-by-length' needs pseudo-documents; got kind {design.documents.name!r}.",
        )

    def draw_part(self, part: FigurePart, data: FigureData) -> Figure:
        """Draw the lines of metrics and judges."""
        metrics, judges = part.rows, part.select(data.of_judges, besides=["preprocessing"])
        if self.together:
            metrics, judges = _by_number(metrics), _by_number(judges)
        subsets = list(dict.fromkeys(metrics["subset"]))
        references = "" if len(subsets) > 1 else f", {subset_words(subsets[0])}"
        lines = _lines(metrics.assign(x=metrics["length"]), judges.assign(x=judges["length"]))
        lengths = sorted({int(length) for line in lines for length in line.rows["length"]})

        def dress(panel: Axes, _: str) -> None:
            panel.set_xscale("log")
            panel.set_xticks(lengths, [str(length) for length in lengths])
            panel.minorticks_off()
            panel.set_xlabel("segments in a document")

        heading = part.heading(f"{part.values['preprocessing']}{references}")
        return draw_lines(lines, metrics, dress, width=self.width, heading=heading, caption=caption_of(metrics))


def _by_number(table: pd.DataFrame) -> pd.DataFrame:
    """Return rows whose subsets of one number of references are one, with the mean of their means and no interval.

    Where every subset has a number of its own, nothing changes.
    """
    numbered = table.assign(number=table["n_references"])
    subsets = {number: list(names) for number, names in numbered.groupby("number")["subset"].unique().items()}
    if all(len(names) == 1 for names in subsets.values()):
        return table
    groups = numbered.groupby(["metric", "criterion", "length", "number"], sort=False)
    found = groups.first().assign(mean=groups["mean"].mean()).reset_index()
    several = [len(subsets[number]) > 1 for number in found["number"]]
    found.loc[several, ["lower", "upper"]] = np.nan
    labels = {
        number: f"every(size={number:g},count={len(names)})" if len(names) > 1 else names[0]
        for number, names in subsets.items()
    }
    return found.assign(subset=found["number"].map(labels))


def _lines(metrics: pd.DataFrame, judges: pd.DataFrame) -> list[Line]:
    """Return a line for each metric and reference subset, those of fewer references paler, and of the judges."""
    first = metrics.drop_duplicates("subset")
    counts = dict(zip(first["subset"], first["n_references"], strict=True))
    words = {one: f", {one}" for one in sorted(counts, key=lambda subset: counts[subset])}
    if len(words) == 1:
        words = dict.fromkeys(words, "")
    elif len(set(counts.values())) == len(counts):
        words = {one: f", {counts[one]:g} ref{'s' if counts[one] != 1 else ''}" for one in words}
    styles = line_styles(list(dict.fromkeys(metrics["metric"])))
    lines = [
        Line(
            f"{metric}{words[subset]}",
            paler(styles[metric], place, len(words)),
            metrics[(metrics["metric"] == metric) & (metrics["subset"] == subset)],
        )
        for metric in dict.fromkeys(metrics["metric"])
        for place, subset in enumerate(words)
    ]
    of_judges = {str(subset): rows for subset, rows in judges.groupby("subset", sort=False)}
    means = [rows.sort_values(["criterion", "length"])["mean"].to_numpy() for rows in of_judges.values()]
    if means and all(np.array_equal(means[0], one, equal_nan=True) for one in means):
        # The references do not matter to people.
        rows = next(iter(of_judges.values()))
        return [*lines, Line(_judges_label(metrics, rows), styles[INTER_JUDGE], rows)]
    for place, (subset, rows) in enumerate(of_judges.items()):
        name = f"{INTER_JUDGE}{words.get(subset, f', {subset}')}"
        lines.append(Line(name, paler(styles[INTER_JUDGE], place, len(of_judges)), rows))
    return lines


def _judges_label(metrics: pd.DataFrame, judges: pd.DataFrame) -> str:
    """Return the label of the inter-judge line, with its segments where they are not those of the metrics."""
    if set(judges["n_segments"]) <= set(metrics["n_segments"]):
        return INTER_JUDGE
    return f"{INTER_JUDGE}\n({' and '.join(map(str, dict.fromkeys(judges['n_segments'])))} segments)"
