"""Human scores against metric scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd

from metaeval.contracts import Design, refuse
from metaeval.records import CONSTANT, INTER_JUDGE
from metaeval.report.figures.data import FigureData
from metaeval.report.figures.labels import write_names
from metaeval.report.figures.layout import add_words, broken_name, panels_of, write_caption
from metaeval.report.figures.parts import FigurePart, PartedFigure
from metaeval.report.figures.style import MARKS
from metaeval.report.words import short_name, subset_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INVERTED = "\n(axis inverted: lower is better)"


@dataclass(frozen=True)
class Scatter(PartedFigure):
    """Human scores against the score of each metric, a named point a system.

    One panel a metric. The coefficients stand above each; points rise where these are positive, because an axis is
    inverted where the coefficients take its scores as negated.
    """

    kind: ClassVar[str] = "scatter"
    columns: ClassVar[tuple[str, ...]] = ("corpus", "preprocessing", "subset", "criterion")

    def check(self, design: Design) -> None:
        """Check that whole systems have one score each."""
        refuse(
            not design.documents.is_whole,
            "the figure 'scatter' shows whole systems and needs `documents.kind = \"all\"`; "
            f"got kind {design.documents.name!r}.",
        )
        refuse(
            not design.one_score,
            "the figure 'scatter' needs one score for each system, and `references.combine = \"correlations\"` has one "
            'for each subset; choose "scores".',
        )

    def table(self, data: FigureData) -> pd.DataFrame:
        """Return the scores of systems by metrics; the one document is the whole corpus."""
        documents = data.documents()
        return documents[~documents["metric"].isin([INTER_JUDGE, CONSTANT])]

    def draw_part(self, part: FigurePart, data: FigureData) -> Figure:
        """Draw a panel for each metric."""
        table, values, correlations = part.rows, part.values, part.select(data.correlations)
        metrics = list(dict.fromkeys(table["metric"]))
        defined = table[np.isfinite(table[["score", "human"]].astype(float)).all(axis=1)]
        is_column = self.width == "column"
        sheet = panels_of(
            len(metrics), self.width, panel=(2.7, 2.5), extra=(0.4, 0.6), narrowest=1.4, most=3, sharey=True
        )
        across = (sheet.figure.get_figwidth() - 0.4) / sheet.across - 0.2
        points, n_lines = [], 0
        for panel, metric in zip(sheet.panels, metrics, strict=True):
            rows = defined[defined["metric"] == metric]
            points.append((panel, rows))
            panel.plot(rows["score"], rows["human"], linestyle="none", marker="o", markersize=4, color="#333333")
            found = correlations[correlations["metric"] == metric]
            lines = [
                f"{short_name(name)} {mean:.3f}" for name, mean in zip(found["coefficient"], found["mean"], strict=True)
            ]
            lines = lines if is_column else [", ".join(lines)]
            n_lines = max(n_lines, len(lines))
            text = panel.text(0, 1.02, "\n".join(lines), transform=panel.transAxes, **MARKS["coefficients"])
            text.set_in_layout(False)
            panel.margins(0.12)
            panel.locator_params(axis="x", nbins=3 if is_column else 5)
            of_metric, of_people = data.signs.get((values["corpus"], values["criterion"], metric), (1, 1))
            if panel in sheet.first:
                panel.set_ylabel(broken_name(f"human score: {values['criterion']}{INVERTED * (of_people < 0)}", 2.1, 9))
            panel.set_xlabel(broken_name(f"score{INVERTED * (of_metric < 0)}", across, 9))
            panel.xaxis.set_inverted(of_metric < 0)
            panel.yaxis.set_inverted(of_people < 0)
        sheet.set_titles(metrics, 9, beside=0.4, below=n_lines)
        lost = table[~table.index.isin(defined.index)]["system"].nunique()
        caption = "Points: systems."
        if lost:
            caption += f" {lost} without a metric or human score are left out."
        add_words(sheet.figure, part.heading(f"{values['preprocessing']}, {subset_words(values['subset'])}"), caption)
        unnamed = write_names(sheet.figure, points)
        if unnamed:
            write_caption(sheet.figure, f"{caption} {unnamed} names have no room.")
        return sheet.figure
