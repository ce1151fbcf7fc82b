"""Mean correlation against document length (Turian, Shen and Melamed 2003)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
import pandas as pd

from metaeval.components.design import Design
from metaeval.components.documents import DocumentUnits
from metaeval.components.registries import DOCUMENTS
from metaeval.datamodel.corpus import INTER_JUDGE
from metaeval.errors import UsageError
from metaeval.parameters.fields import parameter
from metaeval.report.figures.captions import points_words, quantity_words, references_words, setting_words
from metaeval.report.figures.lines import Line, LinesFigure, XAxis, draw_lines
from metaeval.report.figures.per_part import FigurePart
from metaeval.report.figures.run_frames import FigureData
from metaeval.report.figures.style import line_styles, paler
from metaeval.report.phrases import coefficient_words

if TYPE_CHECKING:
    from metaeval.report.figures.picture import Picture

_COEFFICIENTS = "coefficients"
# What subsets of one number of references have in common.
_SUBSET_COLUMNS = ("corpus", "preprocessing", "average_by", "coefficient", "metric", "criterion", "length")


@dataclass(frozen=True)
class CorrelationByLength(LinesFigure):
    """Mean correlation against the segments in a document, with intervals as bands.

    One line a metric, one panel a criterion; the length has a logarithmic axis. The band is the interval of the table;
    the inter-judge line is black and dotted, and its label has the number of segments it rests on where that is not the
    metrics'. ``together = "references"`` draws all reference subsets in one figure, ``"coefficients"`` all coefficients
    and subsets: a metric has one colour, marker and dash, and fewer references, or later coefficients, make a line
    paler and its markers hollow. Subsets of one number of references are one then: lines of their means, without a
    band.
    """

    kind: ClassVar[str] = "correlation-by-length"
    columns: ClassVar[tuple[str, ...]] = ("corpus", "preprocessing", "subset", "average_by", "coefficient")

    together: Literal["references", "coefficients"] | None = parameter(
        None, doc="lines of all reference subsets, or of all coefficients, in the same panels"
    )

    @property
    def words(self) -> tuple[str, ...]:
        """Word in the file name for what shares a panel."""
        return ("together",) if self.together else ()

    @property
    def parted_by(self) -> tuple[str, ...]:
        """Without what is drawn together."""
        left_out = {"references": "subset", _COEFFICIENTS: "coefficient"}.get(self.together or "")
        return tuple(column for column in self.columns if column != left_out)

    def check(self, design: Design) -> None:
        """Check that there are documents of several lengths."""
        _check(design.documents)

    def table(self, data: FigureData) -> pd.DataFrame:
        """Return the correlations of metrics; errors as `check`."""
        for name in dict.fromkeys(data.of_metrics.get("documents", ())):
            _check(DOCUMENTS[name])
        return _by_number(data.of_metrics) if self.together else data.of_metrics

    def draw_part(self, part: FigurePart) -> Picture:
        """Draw the lines of metrics and judges."""
        by = "coefficient" if self.together == _COEFFICIENTS else "subset"
        metrics = part.rows
        of_judges = part.data.of_judges
        judges = part.select(_by_number(of_judges) if self.together else of_judges, besides=["preprocessing"])
        subsets = list(dict.fromkeys(metrics["subset"]))
        lines = self._lines(part, metrics.assign(x=metrics["length"]), judges.assign(x=judges["length"]), by)
        lengths = sorted({int(length) for line in lines for length in line.rows["length"].dropna()}) or [1]
        room = (lengths[-1] / lengths[0]) ** 0.04 if len(lengths) > 1 else 1.5
        ticks = [(float(length), str(length)) for length in lengths]
        x = XAxis(lengths[0] / room, lengths[-1] * room, ticks, "segments in a document", is_log=True)
        setting = setting_words(part.values | {"subset": subsets[0] if len(subsets) == 1 else ""})
        quantity = quantity_words(next(iter(part.rows["coefficient"])))
        subject = "correlations" if part.rows["coefficient"].nunique() > 1 else quantity
        heading = part.heading(
            f"{subject} by document length ({setting})" if setting else f"{subject} by document length"
        )
        caption = points_words(metrics)
        if set(subsets) - set(part.data.of_metrics["subset"]):
            caption += " Lines: means over the reference subsets of one size."
        return draw_lines(self, part, lines, x, heading=heading, caption=caption)

    def _lines(self, part: FigurePart, metrics: pd.DataFrame, judges: pd.DataFrame, by: str) -> list[Line]:
        """Return a line for each metric and each of what is drawn together, and those of the judges."""
        words = _words(metrics, by)
        names = list(dict.fromkeys(metrics["metric"]))
        styles = line_styles([*names, INTER_JUDGE], self.colours, part.data.style_numbers)
        lines = [
            Line(
                metric,
                f"{part.data.label(metric)}{words[value]}",
                paler(styles[metric], number, len(words)),
                metrics[(metrics["metric"] == metric) & (metrics[by] == value)],
            )
            for metric in names
            for number, value in enumerate(words)
        ]
        lines = [line for line in lines if len(line.rows)]
        of_judges = {str(value): rows for value, rows in judges.groupby(by, sort=False)} if len(judges) else {}
        means = [rows.sort_values(["criterion", "length"])["mean"].to_numpy() for rows in of_judges.values()]
        label = part.data.user_labels.get(INTER_JUDGE, INTER_JUDGE)
        if means and by == "subset" and all(np.array_equal(means[0], mean, equal_nan=True) for mean in means):
            # The references do not matter to people.
            rows = next(iter(of_judges.values()))
            return [*lines, Line(INTER_JUDGE, _judges_label(label, metrics, rows), styles[INTER_JUDGE], rows)]
        for number, (value, rows) in enumerate(of_judges.items()):
            name = f"{label}{words.get(value, f', {references_words(value)}')}"
            lines.append(Line(INTER_JUDGE, name, paler(styles[INTER_JUDGE], number, len(of_judges)), rows))
        return lines


def _check(documents: type[DocumentUnits] | DocumentUnits) -> None:
    if not documents.is_drawn:
        raise UsageError(
            "the figure 'correlation-by-length' needs pseudo-documents: `documents.kind = \"pseudo\"`; got kind "
            f"{documents.name!r}."
        )


def _by_number(table: pd.DataFrame) -> pd.DataFrame:
    """Return rows whose subsets of one number of references are one, with the mean of their means and no interval.

    Where every subset has a number of its own, nothing changes.
    """
    if not len(table):
        return table
    numbered = table.assign(number=table["n_references"])
    subsets = {number: list(names) for number, names in numbered.groupby("number")["subset"].unique().items()}
    if all(len(names) == 1 for names in subsets.values()):
        return table
    groups = numbered.groupby([*_SUBSET_COLUMNS, "number"], sort=False)
    averaged = groups.first().assign(mean=groups["mean"].mean()).reset_index()
    several = [len(subsets[number]) > 1 for number in averaged["number"]]
    averaged.loc[several, ["lower", "upper"]] = np.nan
    labels = {
        number: f"every(size={number:g},count={len(names)})" if len(names) > 1 else names[0]
        for number, names in subsets.items()
    }
    return averaged.assign(subset=averaged["number"].map(labels))


def _words(metrics: pd.DataFrame, by: str) -> Mapping[str, str]:
    """Return the words behind the name of a metric, the palest first: the number of references, or the coefficient."""
    first = metrics.drop_duplicates(by)
    if by == "coefficient":
        # The first coefficient is the darkest.
        names = {coefficient: f", {coefficient_words(coefficient)}" for coefficient in reversed(list(first[by]))}
    else:
        counts = dict(zip(first[by], first["n_references"], strict=True))
        names = {
            subset: f", {references_words(subset)}" for subset in sorted(counts, key=lambda subset: counts[subset])
        }
        if len(set(counts.values())) == len(counts):
            names = {subset: f", {counts[subset]:g} ref{'s' if counts[subset] != 1 else ''}" for subset in names}
    return names if len(names) > 1 else dict.fromkeys(names, "")


def _judges_label(label: str, metrics: pd.DataFrame, judges: pd.DataFrame) -> str:
    """Return the label of the inter-judge line, with its segments where they are not those of the metrics."""
    if set(judges["n_segments"]) <= set(metrics["n_segments"]):
        return label
    return f"{label}\n({' and '.join(map(str, dict.fromkeys(judges['n_segments'])))} segments)"
