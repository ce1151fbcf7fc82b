"""The tasks of a shared task as a table of numbers on grey."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from metaeval.errors import UsageError, unknown
from metaeval.parameters import parameter
from metaeval.report.figures.cells import Cell, Head, number, table_sheet
from metaeval.report.figures.data import FigureData
from metaeval.report.figures.look import SizedFigure
from metaeval.report.figures.parts import numbered
from metaeval.report.figures.placing import pages
from metaeval.report.task_matrix import AVERAGE, AVERAGE_RANK, TaskMatrix, task_matrix

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class TasksFigure(SizedFigure):
    """A kind that shows the metrics of a shared task."""

    of_tasks: ClassVar[bool] = True

    metrics: tuple[str, ...] = parameter((), doc="only these metrics, in this order, as the run writes them")

    def names(self, matrix: TaskMatrix) -> list[str]:
        """Return the metrics that are shown.

        Raises
        ------
        UsageError
            If the run has no such metric.
        """
        known = list(matrix.averages)
        for name in self.metrics:
            if name not in known:
                raise UsageError(f"the run has no such metric: {unknown('metric', name, known)}")
        return list(self.metrics) or known


@dataclass(frozen=True)
class TaskTable(TasksFigure):
    """The value of each metric in each task, as numbers on grey, and its cluster as a small raised number.

    Metrics down, the average and the tasks across. A darker cell is a higher value, of those of its task. The top
    cluster is bold, baselines are in italics.
    """

    kind: ClassVar[str] = "task-table"

    def draw(self, data: FigureData, title: str) -> dict[str, Any]:
        """Draw a cell for each metric and task."""
        matrix = matrix_of(data)
        names = self.names(matrix)
        shown = {name: placed for name, placed in matrix.placed.items() if name != AVERAGE_RANK}
        cells = {}
        for column, placed in enumerate(shown.values()):
            defined = [value for _, value in placed.values() if value == value]
            low, high = min(defined, default=0.0), max(defined, default=0.0)
            for metric, (place, value) in placed.items():
                if metric in names:
                    share = (value - low) / (high - low) if high > low and value == value else 0.0
                    raised = str(place).translate(_SUPERSCRIPTS) if place and value == value else ""
                    long, *short = number(value)
                    if abs(value) < 1:  # a zero before the point, where there is room
                        long = long.replace(".", "0.", 1)
                    texts = (long, *short)
                    cells[names.index(metric), column] = Cell(share, texts, bold=place == 1, mark=raised)
        heads = [Head("average") if one == AVERAGE else Head(one.replace("\n", ", ")) for one in shown]
        kind = "cluster" if matrix.has_clusters else "rank"
        caption = f"Darker: higher. Raised: the {kind}. Bold: {kind} 1. A number without one is not ranked."
        sheet = table_sheet(
            self, [data.label(one) for one in names], heads, cells, heading=matrix.heading,
            caption=caption + " Italic: baselines." * bool(matrix.baselines),
            italic=[data.label(one) for one in matrix.baselines],
        )  # fmt: skip
        return numbered(self.kind, pages(sheet, self))


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
