"""The tasks of a shared task as a table of numbers on grey."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from metaeval.errors import UsageError
from metaeval.report.figures.data import FigureData
from metaeval.report.figures.heat_table import HeatCell, draw_heat
from metaeval.report.figures.layout import add_words
from metaeval.report.figures.parts import SizedFigure
from metaeval.report.task_matrix import AVERAGE, AVERAGE_RANK, TaskMatrix, task_matrix


@dataclass(frozen=True)
class TaskTable(SizedFigure):
    """The value and the cluster of each metric in each task, as numbers on grey.

    Metrics down, the average and the tasks across. A darker cell is a higher value, of those of its task. The top
    cluster is bold, baselines are in italics.
    """

    kind: ClassVar[str] = "task-table"
    of_tasks: ClassVar[bool] = True

    def draw(self, data: FigureData, title: str) -> dict[str, Any]:
        """Draw a cell for each metric and task."""
        matrix = matrix_of(data)
        names = list(matrix.averages)
        shown = {name: placed for name, placed in matrix.placed.items() if name != AVERAGE_RANK}
        cells = []
        for column, placed in enumerate(shown.values()):
            defined = [value for _, value in placed.values() if value == value]
            low, high = min(defined, default=0.0), max(defined, default=0.0)
            for metric, (place, value) in placed.items():
                share = (value - low) / (high - low) if high > low else 0.0
                before = f"{place} " if place else ""
                cell = HeatCell(metric, column, value, share, place == 1, before=before, undefined="\N{EN DASH}")
                cells.append(cell)
        heads = [("", "average" if name == AVERAGE else name.replace("\n", ", ")) for name in shown]
        figure = draw_heat(names, heads, cells, width=self.inches, beside=self.beside)
        (panel,) = figure.axes
        if AVERAGE in shown:
            panel.axvline(0.5, color="white", linewidth=4, zorder=2.5)
        kind = "cluster" if matrix.has_clusters else "rank"
        caption = f"In a cell: {kind} and value. Bold: {kind} 1. A number alone is not ranked."
        add_words(figure, matrix.heading, caption + mark_baselines(matrix, names, panel.get_yticklabels()))
        return {self.kind: figure}


def matrix_of(data: FigureData) -> TaskMatrix:
    """Return the matrix of the run that a figure is of.

    Raises
    ------
    UsageError
        If it has no tasks.
    """
    matrix = task_matrix(data.run)
    if matrix is None:
        raise UsageError("the run has no tasks to show; they are the [[tasks]] of a config.")
    return matrix


def mark_baselines(matrix: TaskMatrix, names: list[str], labels: list[Any]) -> str:
    """Set the names of baselines in italics, and return what a caption says of that."""
    for name, label in zip(names, labels, strict=True):
        if name in matrix.baselines:
            label.set_fontstyle("italic")
    return " Italic: baselines." if matrix.baselines else ""
