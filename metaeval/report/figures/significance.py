"""Figure of significant differences between metrics, by the tests of an experiment."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from metaeval.config.defaults import ALPHA
from metaeval.errors import UsageError
from metaeval.report.figures.captions import test_words
from metaeval.report.figures.intervals import in_order
from metaeval.report.figures.matrix import Cell, matrix
from metaeval.report.figures.per_part import FigurePart, MetricsFigure

if TYPE_CHECKING:
    import pandas as pd

    from metaeval.report.figures.canvas import Canvas
    from metaeval.report.figures.picture import Picture
    from metaeval.report.figures.run_frames import FigureData
    from metaeval.report.figures.settings import Look

# Of more metrics the square would be nearly empty where few differ significantly.
MAX_METRICS_IN_SQUARE = 12
# A p-value below these shares of alpha is darker: at 0.05, below 0.05, 0.01 and 0.001.
_SHARES = (1.0, 0.2, 0.02)
_GREYS = (0.0, 0.37, 0.67, 1.0)


@dataclass(frozen=True)
class Significance(MetricsFigure):
    """Significant differences between metrics, as a square of metrics with the best on top.

    A grey cell says that the metric of its row has a significantly higher coefficient than that of its column, by the
    p-value corrected for all pairs; darker is smaller. White: not significant. A dash: the pair has no p. Of more than
    12 metrics, rows and columns without any grey cell are left out if that halves the square; the caption counts them.
    """

    kind: ClassVar[str] = "significance"
    columns: ClassVar[tuple[str, ...]] = (
        *("corpus", "preprocessing", "subset", "criterion", "average_by", "length", "coefficient", "test", "over"),
    )

    def table(self, data: FigureData) -> pd.DataFrame:
        """Return the tests.

        Raises
        ------
        UsageError
            If the run has none.
        """
        if not len(data.tests):
            raise UsageError(f"the figure {self.kind!r} needs tests between metrics, and the run has none: `tests`.")
        return data.tests

    def draw_part(self, part: FigurePart) -> Picture:
        """Draw a square for all pairs of metrics."""
        data = part.data
        rows = part.rows
        tested = {*rows["metric_a"], *rows["metric_b"]}
        order = list(self.metrics) or in_order(part.select(data.of_metrics, besides=["test", "over"], across=True))
        names = [name for name in order if name in tested]
        smallest = data.run.tables.minimum_significant_differences
        alpha = next((row.alpha for row in smallest if row.test == part.values["test"]), ALPHA)
        pairs = {}
        for row in rows.to_dict("records"):
            pair = (row["metric_a"], row["metric_b"])
            pairs[pair if row["difference"] >= 0 else pair[::-1]] = row["p_corrected"]
        canvas, left_out = square(self, names, [data.label(name) for name in names], pairs, alpha)
        test = test_words(part.values["test"], rows["correction"].iloc[0])
        caption = (
            f"The best on top. Grey: the metric of the row is significantly better than that of the column ({test}). "
            f"Darker: p below {steps(alpha)}.{left_out}"
        )
        words = ", ".join(filter(None, (data.label(part.values["criterion"]), part.quantity)))
        return canvas.finish(part.heading(words + (part.setting and f" ({part.setting})")), caption)


def square(
    look: Look, names: Sequence[str], labels: Sequence[str], pairs: Mapping[tuple[str, str], float], alpha: float,
    *, strictly: bool = True, italic: Collection[str] = (),
) -> tuple[Canvas, str]:  # fmt: skip
    """Paint a square of metrics; of many metrics, the rows and columns with something grey if these are less than half.

    Parameters
    ----------
    look : Look
    names, labels : sequence of str
        The metrics, from the best, and what they are called.
    pairs : mapping of (str, str) to float
        p by the better and the worse metric of a pair; ``nan`` where there is none.
    alpha : float
    strictly : bool
        Whether p must be below alpha, or may be alpha.
    italic : collection of str
        The labels in italics.

    Returns
    -------
    canvas : Canvas
    left_out : str
        What a caption says of the metrics that have no row or column; "" if all have.
    """
    places = {name: k for k, name in enumerate(names)}
    shades = np.full((len(names), len(names)), np.nan)
    cells = {}
    for (better_one, worse_one), p in pairs.items():
        position = places[better_one], places[worse_one]
        shades[position] = _grey(p, alpha, strictly=strictly)
        if math.isnan(p):
            cells[position] = Cell(("\N{EN DASH}",), faint=True)
    rows = columns = list(range(len(names)))
    left_out = ""
    better, worse = (np.flatnonzero((shades > 0).any(axis=axis)).tolist() for axis in (1, 0))
    if len(names) > MAX_METRICS_IN_SQUARE and 0 < len(better) * len(worse) < len(names) ** 2 / 2:
        rows, columns = better, worse
        cells = {
            (rows.index(row), columns.index(column)): cell
            for (row, column), cell in cells.items()
            if row in rows and column in columns
        }
        left_out = _left_out(len(names), len(rows), len(columns), sum(map(math.isnan, pairs.values())) - len(cells))
    down, across = [labels[k] for k in rows], [labels[k] for k in columns]
    canvas = matrix(look, down, across, shades[np.ix_(rows, columns)], cells, darkest=0.75, square=True, italic=italic)
    canvas.panels[0].set_label("square")
    canvas.figure.numbers = [
        ("p", *across),
        *((labels[row], *(_p_words(pairs.get((names[row], names[column]))) for column in columns)) for row in rows),
    ]
    return canvas, left_out


def _p_words(p: float | None) -> str:
    """Return the p of a pair as the table behind the square has it; "" where the row is not the better of the two."""
    if p is None:
        return ""
    if math.isnan(p):
        return "\N{EN DASH}"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _left_out(n: int, n_rows: int, n_columns: int, n_unknown: int) -> str:
    """Describe the metrics without a row or column, and their pairs without p, for a caption."""
    words = f" Of {n} metrics, the {n - n_rows} without a row are significantly better than none, and the "
    words += f"{n - n_columns} without a column are significantly worse than none."
    return words + (f" {n_unknown} of their pairs ha{'s' if n_unknown == 1 else 've'} no p." if n_unknown else "")


def _grey(p: float, alpha: float, *, strictly: bool) -> float:
    return _GREYS[sum(p < share * alpha or (not strictly and p == share * alpha) for share in _SHARES)]


def steps(alpha: float) -> str:
    """Return the steps of grey in words."""
    return ", ".join(f"{share * alpha:.3g}" for share in _SHARES)
