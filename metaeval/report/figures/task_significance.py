"""Which metrics are significantly better than which, in a task or on the average of all."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from metaeval.errors import UsageError, unknown
from metaeval.parameters import parameter
from metaeval.report.figures.data import FigureData
from metaeval.report.figures.layout import add_words, broken_names, file_part, inches
from metaeval.report.figures.parts import SizedFigure
from metaeval.report.figures.squares import fill_cell, square_figure
from metaeval.report.figures.task_table import mark_baselines, matrix_of
from metaeval.report.words import corpus_words

# A p-value below these shares of alpha is darker: at 0.05, below 0.05, 0.01 and 0.001.
_SHARES = (1.0, 0.2, 0.02)
_GREYS = ("0.8", "0.55", "0.25")
_ALPHA = 0.05
_EDGE: Mapping[str, Any] = {"edge": "#BBBBBB", "linewidth": 0.5}


@dataclass(frozen=True)
class TaskSignificance(SizedFigure):
    """Which metrics are significantly better than which: a square of metrics in order.

    Above the diagonal a grey cell says that the metric of its row is better than that of its column by the published
    test; below it, that the metric of its column is better than that of its row by the tests that are corrected for all
    pairs. A dash: there is no test.
    """

    kind: ClassVar[str] = "task-significance"
    of_tasks: ClassVar[bool] = True

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
            raise UsageError(f"the figure {self.kind!r}: {unknown('task', self.task, titles, limit=len(titles))}")
        tests = [row for row in data.run.tables.task_tests if row.task == self.task]
        if all(row.p != row.p and row.p_joint != row.p_joint for row in tests):
            raise UsageError(f"there is no test between metrics {f'in {self.task!r}' if self.task else 'on average'}.")
        names = list(dict.fromkeys([*(row.better for row in tests), *(row.worse for row in tests)]))
        broken, _ = broken_names(names, 0.3 * (self.inches or 9.0))
        margin = max(inches(name, 8) for name in broken) + 0.25
        lines = 1 + max(name.count("\n") for name in broken)
        cell = max(0.28, 0.16 * lines)
        if self.inches is not None:
            cell = min(cell, (self.inches - margin - 0.1) / len(names))
        side = cell * len(names)
        figure, panel = square_figure(broken, (self.inches or max(side + margin, 3.6), side + margin + 0.6))
        alphas = [matrix.settings.get(name, _ALPHA) for name in ("alpha", "alpha_joint")]
        for place in range(len(names)):
            fill_cell(panel, place, place, "#F2F2F2", **_EDGE)
        for row in tests:
            better, worse = names.index(row.better), names.index(row.worse)
            published, joint = (worse, better, row.p, operator.le), (better, worse, row.p_joint, operator.lt)
            for (x, y, p, is_below), alpha in zip((published, joint), alphas, strict=True):
                level = sum(is_below(p, share * alpha) for share in _SHARES)
                fill_cell(panel, x, y, _GREYS[level - 1] if level else "white", **_EDGE)
                if p != p:
                    panel.text(x, y, "\N{EN DASH}", ha="center", va="center", fontsize=6)
        # Names are no higher than a cell; where they could not be read, they have no room.
        panel.tick_params(labelsize=min(8.0, max(4.0, 60 * cell / lines)))
        for labels in (panel.get_yticklabels(), panel.get_xticklabels()):
            italic = mark_baselines(matrix, names, labels)
        steps = " or ".join(dict.fromkeys(", ".join(f"{share * alpha:.3g}" for share in _SHARES) for alpha in alphas))
        heading = self.task or f"Average of {len(titles)} task{'s' * (len(titles) > 1)}"
        caption = (
            "Grey above the diagonal: the metric of the row is better than that of the column, by the published test. "
            "Grey below: that of the column is better than that of the row, by the tests corrected for all pairs. "
            f"Darker: p up to {steps}. Dash: no test.{italic}"
        )
        add_words(figure, corpus_words(heading, simulated=matrix.simulated), caption)
        return {self.kind: figure}
