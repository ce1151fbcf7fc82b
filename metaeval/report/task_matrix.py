"""The matrix of a shared task: metrics down, the average and the tasks across, with what the tests say of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from metaeval.report.letters import in_lines
from metaeval.report.summary import in_part, summary_tables
from metaeval.report.tables import BOLD, UNDERLINED, Styled, SummaryTable, fixed, in_blocks
from metaeval.report.words import corpus_words, grouped
from metaeval.results.model import RunData
from metaeval.results.rows import TaskAverage, TaskScore
from metaeval.results.tables import Record

# By what tasks differ, for the heads of their columns: only as much as tells them apart.
_ATTRIBUTES = ("corpora", "level", "coefficient", "average_by", "variant", "task")
_ALWAYS = 3
_WIDTH = 80
# Lines of what metrics lack; the table of the tasks has all.
_MOST_LACKS = 10
# What stands for bold and for underlined letters.
_SIGNS = {"table": (BOLD, UNDERLINED), "md": ("bold", "italic"), "latex": ("bold", "underlined")}
METRIC, AVERAGE, AVERAGE_RANK = "metric", "avg", "rank"
_TAKEN = {(METRIC,), (AVERAGE,), (AVERAGE_RANK,)}


@dataclass(frozen=True)
class TaskColumn:
    """A task: its title, the lines of its head, and its rows by metric."""

    title: str
    head: tuple[str, ...]
    rows: Mapping[str, TaskScore]


@dataclass(frozen=True)
class TaskMatrix:
    """What a shared task found, for tables and figures.

    Attributes
    ----------
    averages : mapping of str to TaskAverage
        By metric, in order; those without an average last, by name.
    tasks : tuple of TaskColumn
        In the order of the config.
    settings : mapping
        What the run says of the ranking: ``baselines``, ``permutations``, ``alpha``, ``alpha_joint``.
    simulated : bool
        Whether a corpus is.
    in_part : str
        Which metrics have scores of some texts alone.
    """

    averages: Mapping[str, TaskAverage]
    tasks: tuple[TaskColumn, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    simulated: bool = False
    in_part: str = ""

    @property
    def heading(self) -> str:
        """How many tasks and metrics there are."""
        n = f"{len(self.tasks)} task{'s' if len(self.tasks) > 1 else ''}, {len(self.averages)} metrics"
        return corpus_words(n, simulated=self.simulated)

    @property
    def baselines(self) -> Sequence[str]:
        """Those of the metrics that are baselines."""
        return [metric for metric in self.averages if metric in self.settings.get("baselines", ())]

    @property
    def has_clusters(self) -> bool:
        """Whether the published test was made."""
        return any(row.cluster for task in self.tasks for row in task.rows.values())

    @cached_property
    def placed(self) -> dict[str, dict[str, tuple[int | None, float]]]:
        """Cluster and value by column and metric; ranks where a column has no clusters, None without any."""
        rows = self.averages
        order = [metric for metric, row in rows.items() if not math.isnan(row.average_correlation)]
        ranks = {metric: place for place, metric in enumerate(order, start=1)}
        found: dict[str, dict[str, tuple[int | None, float]]] = {}
        if len(self.tasks) > 1:
            found[AVERAGE] = _placed(
                {one: (row.cluster, ranks.get(one), row.average_correlation) for one, row in rows.items()}
            )
            found[AVERAGE_RANK] = {one: (None, row.average_rank) for one, row in rows.items()}
        for task in self.tasks:
            found["\n".join(task.head)] = _placed(
                {one: (row.cluster, row.rank, row.value) for one, row in task.rows.items()}
            )
        return found

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows for people, from column to cell."""
        return [
            {METRIC: Styled(metric, "underlined", is_number=False) if metric in self.baselines else metric}
            | {column: self._cell(metric, column) for column in self.placed}
            for metric in self.averages
        ]

    def _cell(self, metric: str, column: str) -> Styled:
        place, value = self.placed[column].get(metric, (None, math.nan))
        if math.isnan(value):
            return Styled("--")
        text = fixed(value, 2 if column == AVERAGE_RANK else 3)
        return Styled(f"{place} {text}" if place else text, "bold" if place == 1 else "")

    def exact_rows(self) -> list[Record]:
        """Return the rows for programs: a value and a cluster for each task, by its title."""
        found = []
        for metric, row in self.averages.items():
            record: Record = {METRIC: metric, "baseline": "yes" if metric in self.baselines else "no"}
            record |= {name: getattr(row, name) for name in ("average_correlation", "average_rank", "cluster")}
            for task in self.tasks:
                own = task.rows.get(metric)
                record |= {task.title: math.nan if own is None else own.value}
                record |= {f"{task.title}: {name}": own and getattr(own, name) for name in ("rank", "cluster")}
            found.append(record)
        return found

    def tables(self, width: int = _WIDTH, *, told: bool = False) -> list[SummaryTable]:
        """Return the matrix as tables that fit a terminal and a page: metrics down, as many tasks across as fit.

        The note on the top cluster is left out where that was `told` before.
        """
        rows = self.rows()
        blocks = in_blocks(rows, [METRIC, *self.placed], width)
        notes = "\n".join(_lines(note, width) for note in self.notes()[told:])
        below = notes, {form: _lines(self.legend(form), width) for form in _SIGNS}
        found = []
        for number, columns in enumerate(blocks, start=1):
            part = f"{self.heading}; part {number} of {len(blocks)}" if len(blocks) > 1 else self.heading
            of_part = [{name: row[name] for name in columns} for row in rows]
            found.append(SummaryTable(part, of_part, *(below if number == len(blocks) else ())))
        return found

    def legend(self, form: str) -> str:
        """Return what a cell is, and what clusters rest on, in a form: ``table``, ``md`` or ``latex``."""
        bold, underlined = _SIGNS[form]
        place = "cluster" if self.has_clusters else "rank"
        baselines = f", {underlined} a baseline" if self.baselines else ""
        columns = [own for name, own in self.placed.items() if name != AVERAGE_RANK]
        unplaced = any(place is None for own in columns for place, _ in own.values())
        others = ", a value alone is not ranked, -- is none" if unplaced else ""
        mean = f" {AVERAGE}: the weighted mean, of correlations as (r + 1) / 2; {AVERAGE_RANK}: that of the {place}s."
        n, alpha = (self.settings.get(name) for name in ("permutations", "alpha"))
        how = f", {n} permutations, p <= {alpha:g}" if n and alpha else ""
        test = f"Clusters: by the published test (PERM-BOTH, one-sided, uncorrected{how})."
        if not self.has_clusters:
            test = "There are no clusters without the published test."
        return (
            f"In a cell: {place} and value; {bold} is {place} 1{baselines}{others}."
            f"{mean if len(self.tasks) > 1 else ''} {test}"
        )

    def notes(self) -> list[str]:
        """Return which metrics are in the top cluster, and what metrics lack, a sentence each."""
        return [self._top() + self.in_part, *self._lacks()]

    def _top(self) -> str:
        """Return which metrics are in the top cluster, by the published rule and by the joint tests."""
        alpha = self.settings.get("alpha_joint")
        level = f", p < {alpha:g}" if alpha else ""
        found = {
            "by the published rule": [row.cluster for row in self.averages.values()],
            f"by the joint tests (texts resampled, corrected for all pairs{level})": [
                row.cluster_joint for row in self.averages.values()
            ],
        }
        words = "; ".join(f"{how}, {self._those(places)}" for how, places in found.items())
        return f"In the top cluster{' of the average' if len(self.tasks) > 1 else ''}: {words}."

    def _those(self, clusters: Sequence[int | None]) -> str:
        known = [place for place in clusters if place is not None]
        if not known:
            return "none, for there is no such test"
        top = [metric for metric, place in zip(self.averages, clusters, strict=True) if place == 1]
        if len(top) == len(known):
            those = "all of them" if len(known) == len(clusters) else "all that are ranked"
            return f"{those}, for no difference is significant" if len(top) > 1 else f"{top[0]}, the only one"
        return ", ".join(top)

    def _lacks(self) -> list[str]:
        """Return what metrics lack, those that lack the same together."""
        of_metric = grouped(
            ((metric, row) for task in self.tasks for metric, row in task.rows.items() if row.missing),
            lambda one: (one[0], one[1].missing),
        )
        alike = grouped(of_metric, lambda one: (one[1], tuple(row.task for _, row in of_metric[one])))
        said = []
        for (missing, tasks), metrics in alike.items():
            corpora = dict.fromkeys(row.corpora for _, row in of_metric[metrics[0]])
            n = f"{len(tasks)} task{'s' if len(tasks) > 1 else ''}"
            where = "in all tasks" if 1 < len(tasks) == len(self.tasks) else f"in {'; '.join(corpora)} ({n})"
            said.append(f"{', '.join(metric for metric, _ in metrics)}: {missing} {where}.")
        more = len(said) - _MOST_LACKS
        return [*said[:_MOST_LACKS], f"And {more} more such lines: tasks.tsv has all."] if more > 1 else said


def _placed(column: Mapping[str, tuple[int | None, int | None, float]]) -> dict[str, tuple[int | None, float]]:
    """Return place and value of each metric of a column: its cluster, or its rank where no metric has a cluster."""
    has_clusters = any(cluster for cluster, _, _ in column.values())
    return {one: (cluster if has_clusters else rank, value) for one, (cluster, rank, value) in column.items()}


def _lines(text: str, width: int) -> str:
    return "\n".join(in_lines(text, width, rest="  "))


def task_matrix(run: RunData) -> TaskMatrix | None:
    """Return the matrix of a run, live or loaded; None where it has no tasks.

    Parameters
    ----------
    run : RunData
    """
    by_task = grouped(run.tables.tasks, lambda row: row.task)
    if not by_task:
        return None
    first = [rows[0] for rows in by_task.values()]
    for n in range(_ALWAYS, len(_ATTRIBUTES) + 1):
        varying = [name for name in _ATTRIBUTES[:n] if len({getattr(row, name) for row in first}) > 1]
        heads = [tuple(getattr(row, name) for name in varying) for row in first]
        if len(set(heads)) == len(heads) and _TAKEN.isdisjoint(heads):
            break
    columns = [
        TaskColumn(title, head or (rows[0].coefficient,), {row.metric: row for row in rows})
        for (title, rows), head in zip(by_task.items(), heads, strict=True)
    ]
    averages = {row.metric: row for row in run.tables.averages}
    settings, part = run.facts.get("ranking", {}), in_part(run.tables.correlations)
    return TaskMatrix(averages, tuple(columns), settings, bool(run.simulated), part)


def result_tables(run: RunData) -> list[SummaryTable]:
    """Return the tables of a run for people: the matrix of its tasks, or its correlations.

    Parameters
    ----------
    run : RunData
    """
    matrix = task_matrix(run)
    return summary_tables(run) if matrix is None else matrix.tables()
