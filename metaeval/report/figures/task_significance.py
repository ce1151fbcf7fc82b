"""Figure of significant differences between metrics, in a task or on the average of all tasks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from metaeval.config.defaults import ALPHA
from metaeval.errors import UsageError, counted, unknown
from metaeval.parameters.calls import file_part
from metaeval.parameters.fields import parameter
from metaeval.report.figures.significance import square, steps
from metaeval.report.figures.task_table import TasksFigure, matrix_of
from metaeval.report.phrases import corpus_words, named_in_sentence

if TYPE_CHECKING:
    from metaeval.report.figures.run_frames import FigureData


@dataclass(frozen=True)
class TaskSignificance(TasksFigure):
    """Significant differences between metrics, as a square of metrics in the order of the ranking.

    A grey cell says that the metric of its row is significantly better than that of its column by the published test,
    on which the clusters rest; or, where that was not made, by the test that is corrected for all pairs. A dash: there
    is no p.
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
        titles = [task.title for task in matrix.tasks]
        if self.task and self.task not in titles:
            raise UsageError(f"the figure {self.kind!r}: {unknown('task', self.task, titles)}")
        chosen = self.names(matrix)
        of_task = [row for row in data.run.tables.task_tests if row.task == self.task]
        tests = [row for row in of_task if {row.better, row.worse} <= {*chosen}]
        is_published = any(not math.isnan(row.p) for row in tests)
        if not is_published and all(math.isnan(row.p_joint) for row in tests):
            raise UsageError(f"there is no test between metrics {f'in {self.task!r}' if self.task else 'on average'}.")
        names = list(dict.fromkeys([*(row.better for row in tests), *(row.worse for row in tests)]))
        alpha = matrix.settings.get("alpha" if is_published else "alpha_joint", ALPHA)
        pairs = {(row.better, row.worse): row.p if is_published else row.p_joint for row in tests}
        baselines = [data.label(metric) for metric in matrix.baselines]
        canvas, left_out = square(
            self,
            names,
            [data.label(metric) for metric in names],
            pairs,
            alpha,
            strictly=not is_published,
            italic=baselines,
        )
        test = (
            "the permutation test of the WMT metrics tasks (PERM-BOTH, p not corrected)"
            if is_published
            else "the test that is corrected for all pairs"
        )
        italic_words = " Italic: baselines." if baselines else ""
        caption = (
            f"The best on top. Grey: the metric of the row is significantly better than that of the column, by {test}. "
            f"Darker: p up to {steps(alpha)}.{left_out}{italic_words}"
        )
        corpora = [data.label(corpus.name) for corpus in data.run.corpora]
        of = f" of {named_in_sentence(corpora)}" if corpora else ""
        heading = data.title(self.task) or f"Average of {counted(len(titles), 'task')}{of}"
        return {self.kind: canvas.finish(corpus_words(heading, simulated=matrix.simulated), caption)}
