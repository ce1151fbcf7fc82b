"""Human scores against metric scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd

from metaeval.contracts import Design, DocumentUnits, refuse
from metaeval.kinds import DOCUMENTS
from metaeval.records import CONSTANT, INTER_JUDGE
from metaeval.report.figures.data import FigureData
from metaeval.report.figures.parts import FigurePart, MetricsFigure
from metaeval.report.figures.points import write_numbers
from metaeval.report.figures.sheet import Axis, Entry, Panel, Sheet
from metaeval.report.words import quantity, short_name, subset_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INVERTED = "\n(axis inverted: lower is better)"


@dataclass(frozen=True)
class Scatter(MetricsFigure):
    """Human scores against the score of each metric, a numbered point a system; a key below names the numbers.

    One panel a metric. The coefficients stand above each; points rise where these are positive, because an axis is
    inverted where the coefficients take its scores as negated.
    """

    kind: ClassVar[str] = "scatter"
    columns: ClassVar[tuple[str, ...]] = ("corpus", "preprocessing", "subset", "criterion")

    def check(self, design: Design) -> None:
        """Check that whole systems have one score each."""
        _check(design.documents)
        refuse(
            not design.one_score,
            "the figure 'scatter' needs one score for each system, and `references.combine = \"correlations\"` has one "
            'for each subset; choose "scores".',
        )

    def table(self, data: FigureData) -> pd.DataFrame:
        """Return the scores of systems by metrics; the one document is the whole corpus. Errors as `check`."""
        for name in dict.fromkeys(data.of_metrics.get("documents", ())):
            _check(DOCUMENTS[name])
        documents = data.documents()
        return documents[~documents["metric"].isin([INTER_JUDGE, CONSTANT])]

    def sheet(self, part: FigurePart) -> Sheet:
        """Return a panel for each metric."""
        table, values, data = part.rows, part.values, part.data
        correlations = part.select(data.correlations)
        defined = table[np.isfinite(table[["score", "human"]].astype(float)).all(axis=1)]
        systems = [one for one in dict.fromkeys(table["system"]) if one in set(defined["system"])]
        numbers = {system: str(k) for k, system in enumerate(systems, start=1)}
        human = _limits(defined["human"])

        def panel(metric: str) -> Panel:
            rows = defined[defined["metric"] == metric]
            found = correlations[correlations["metric"] == metric]
            note = ", ".join(
                f"{_short(name)} {mean:.3f}" for name, mean in zip(found["coefficient"], found["mean"], strict=True)
            )
            of_metric, of_people = data.signs.get((values["corpus"], values["criterion"], metric), (1, 1))

            def paint(axes: Axes) -> None:
                axes.plot(rows["score"], rows["human"], linestyle="none", marker="o", markersize=3.5, color="#333333")
                places = rows[["score", "human"]].to_numpy(dtype=float)
                write_numbers(axes, places, [numbers[one] for one in rows["system"]], 0.72 * self.font_size)

            x = Axis(*_limits(rows["score"]), label=f"score{INVERTED * (of_metric < 0)}", is_inverted=of_metric < 0)
            said = f"human score{INVERTED * (of_people < 0)}"
            return Panel(
                metric, x, Axis(*human, label=said, is_inverted=of_people < 0), paint, data.label(metric), note
            )

        lost = table[~table.index.isin(defined.index)]["system"].nunique()
        caption = "Points: systems, numbered as below." if systems else "No system has both scores."
        caption += f" {lost} without a metric or human score are left out." if lost else ""
        key = [Entry(data.own.get(system, system), mark=number) for system, number in numbers.items()]
        words = (data.label(values["criterion"]), values["preprocessing"], subset_words(values["subset"]))
        heading = part.heading(", ".join(words))
        panels = [panel(metric) for metric in part.metrics]
        return Sheet(heading, caption, panels, key, wide=2.2, least=0.8, ratio=0.95)


def _check(documents: type[DocumentUnits] | DocumentUnits) -> None:
    refuse(
        not documents.is_whole,
        f"the figure 'scatter' shows whole systems and needs `documents.kind = \"all\"`; got kind {documents.name!r}.",
    )


def _short(coefficient: str) -> str:
    name = short_name(coefficient)
    return quantity(coefficient).removesuffix(" correlation") if name == coefficient else name


def _limits(values: pd.Series) -> tuple[float, float]:
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    room = 0.12 * (high - low) or 0.5
    return low - room, high + room
