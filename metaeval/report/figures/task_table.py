"""The tasks of a shared task as a table of numbers on grey."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from metaeval.errors import UsageError, unknown
from metaeval.parameters.fields import parameter
from metaeval.report.figures.matrix import Cell, by_column, matrix, number
from metaeval.report.figures.run_frames import FigureData
from metaeval.report.figures.settings import SizedFigure
from metaeval.report.task_matrix import AVERAGE, AVERAGE_RANK, TaskMatrix, task_matrix


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
        tasks = matrix_of(data)
        names = self.names(tasks)
        shown = {name: placed for name, placed in tasks.placed.items() if name != AVERAGE_RANK}
        values = np.full((len(names), len(shown)), np.nan)
        cells = {}
        for column, placed in enumerate(shown.values()):
            for metric, (rank, value) in placed.items():
                if metric in names:
                    row = names.index(metric)
                    raised = str(rank) if rank and value == value else ""
                    values[row, column] = value
                    cells[row, column] = Cell(number(value), raised=raised, bold=rank == 1)
        heads = ["average" if name == AVERAGE else tasks.column_words[name] for name in shown]
        kind = "WMT rank" if tasks.has_clusters else "rank"
        caption = f"Darker: higher, within a column. Raised: the {kind}. Bold: {kind} 1."
        if any(rank is None for placed in shown.values() for rank, _ in placed.values()):
            caption += " Without one: not ranked."
        if AVERAGE in shown:
            caption += " Average: of correlations as (r + 1) / 2."
        baselines = [data.label(metric) for metric in tasks.baselines]
        canvas = matrix(
            self, [data.label(metric) for metric in names], heads, by_column(values), cells, italic=baselines
        )
        canvas.panels[0].set_label("table")
        if baselines:
            caption += " Italic: baselines."
        return {self.kind: canvas.finish(tasks.heading, caption)}


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
