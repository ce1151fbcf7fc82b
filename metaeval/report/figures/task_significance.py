"""Which metrics are significantly better than which, in a task or on the average of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from metaeval.errors import UsageError, unknown
from metaeval.names import file_part
from metaeval.parameters import parameter
from metaeval.report.figures.cells import Cell, Head, table_sheet
from metaeval.report.figures.data import FigureData
from metaeval.report.figures.parts import numbered
from metaeval.report.figures.placing import pages
from metaeval.report.figures.squares import DIAGONAL, cell_of, steps
from metaeval.report.figures.task_table import TasksFigure, matrix_of
from metaeval.report.words import corpus_words

_ALPHA = 0.05


@dataclass(frozen=True)
class TaskSignificance(TasksFigure):
    """Which metrics are significantly better than which: a square of metrics in order.

    Above the diagonal a grey cell says that the metric of its row is better than that of its column by the published
    test; below it, that the metric of its column is better than that of its row by the tests that are corrected for all
    pairs. A dash: there is no test.
    """

    kind: ClassVar[str] = "task-significance"

    task: str = parameter("", doc="the title of a task; by default the average of all tasks")

    @property
    def words(self) -> tuple[str, ...]:
        """The task that was named."""
        return (file_part(self.task),)

    def draw(self, data: FigureData, title: str) -> dict[str, Any]:
        """Draw a square for all pairs of metrics.

        Raises
        ------
        UsageError
            If there is no such task, or no test in it.
        """
        matrix = matrix_of(data)
        titles = [one.title for one in matrix.tasks]
        if self.task and self.task not in titles:
            raise UsageError(f"the figure {self.kind!r}: {unknown('task', self.task, titles)}")
        chosen = self.names(matrix)
        of_task = [row for row in data.run.tables.task_tests if row.task == self.task]
        tests = [row for row in of_task if {row.better, row.worse} <= {*chosen}]
        if all(row.p != row.p and row.p_joint != row.p_joint for row in tests):
            raise UsageError(f"there is no test between metrics {f'in {self.task!r}' if self.task else 'on average'}.")
        names = list(dict.fromkeys([*(row.better for row in tests), *(row.worse for row in tests)]))
        alphas = [matrix.settings.get(name, _ALPHA) for name in ("alpha", "alpha_joint")]
        cells: dict[tuple[int, int], Cell] = {(k, k): DIAGONAL for k in range(len(names))}
        for row in tests:
            better, worse = names.index(row.better), names.index(row.worse)
            cells[better, worse] = cell_of(row.p, alphas[0], strictly=False)
            cells[worse, better] = cell_of(row.p_joint, alphas[1])
        of_steps = " or ".join(dict.fromkeys(map(steps, alphas)))
        caption = (
            "Grey above the diagonal: the metric of the row is better than that of the column, by the published test. "
            "Grey below: that of the column is better than that of the row, by the tests corrected for all pairs. "
            f"Darker: p up to {of_steps}. Dash: no test.{' Italic: baselines.' * bool(matrix.baselines)}"
        )
        labels = [data.label(one) for one in names]
        heading = self.task or f"Average of {len(titles)} task{'s' * (len(titles) > 1)}"
        sheet = table_sheet(
            self, labels, [Head(label) for label in labels], cells, square=True, caption=caption,
            heading=corpus_words(heading, simulated=matrix.simulated),
            italic=[data.label(one) for one in matrix.baselines],
        )  # fmt: skip
        return numbered(self.kind, pages(sheet, self))
