"""Which metrics are significantly better than which, by the tests of an experiment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from metaeval.report.figures.cells import Cell, Head, table_sheet
from metaeval.report.figures.parts import FigurePart, TestsFigure
from metaeval.report.figures.sheet import Sheet
from metaeval.report.figures.squares import DIAGONAL, cell_of, steps
from metaeval.report.words import quantity, subset_words

_ALPHA = 0.05


@dataclass(frozen=True)
class Significance(TestsFigure):
    """Which metrics are significantly better than which: a square of metrics, the best on top.

    A grey cell says that the metric of its row has a significantly higher coefficient than that of its column, by the
    p-value corrected for all pairs; darker is smaller. White: not significant. A dash: the pair has no p.
    """

    kind: ClassVar[str] = "significance"
    columns: ClassVar[tuple[str, ...]] = (
        *("corpus", "preprocessing", "subset", "criterion", "average_by", "length", "coefficient", "test", "over"),
    )

    def sheet(self, part: FigurePart) -> Sheet:
        """Return a square for all pairs of metrics."""
        data, rows = part.data, part.rows
        correlations = part.select(data.of_metrics, besides=["test", "over"])
        names = list(correlations.sort_values("mean", ascending=False, na_position="last", kind="stable")["metric"])
        smallest = data.run.tables.minimum_significant_differences
        alpha = next((row.alpha for row in smallest if row.test == part.values["test"]), _ALPHA)
        cells: dict[tuple[int, int], Cell] = {(k, k): DIAGONAL for k in range(len(names))}
        for row in rows.to_dict("records"):
            one, other = names.index(row["metric_a"]), names.index(row["metric_b"])
            better, worse = (one, other) if row["difference"] >= 0 else (other, one)
            cells[better, worse] = cell_of(row["p_corrected"], alpha)
            cells[worse, better] = (
                Cell(faint=True) if row["p_corrected"] == row["p_corrected"] else cell_of(float("nan"), alpha)
            )
        labels = [data.label(one) for one in names]
        caption = (
            "Grey: the metric of the row is significantly better than that of the column "
            f"({part.values['test']}, {rows['correction'].iloc[0]} over all pairs). Darker: p below {steps(alpha)}."
        )
        words = (
            data.label(part.values["criterion"]),
            quantity(part.values["coefficient"]),
            part.values["preprocessing"],
        )
        heading = part.heading(f"{', '.join(words)}, {subset_words(part.values['subset'])}")
        heads = [Head(label) for label in labels]
        return table_sheet(self, labels, heads, cells, square=True, heading=heading, caption=caption)
