"""The matrix of a shared task: metrics down, the average and the tasks across, with the rank of each value."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from metaeval.errors import UsageError, counted
from metaeval.report.correlation_tables import in_part
from metaeval.report.letter_widths import in_lines
from metaeval.report.phrases import coefficient_words, corpus_words, grouped
from metaeval.report.rankings import STAR, Ranking, rankings_of
from metaeval.report.tables import UNDERLINED, RankedValue, Styled, SummaryTable, fixed, in_blocks
from metaeval.report.titles_in_words import averaging_words
from metaeval.results.model import RunData
from metaeval.results.rows import TaskAverage, TaskScore
from metaeval.results.tables import Record

# By what tasks differ, for the heads of their columns: only as much as tells them apart.
_TASK_ATTRIBUTES = ("corpora", "level", "coefficient", "average_by", "variant", "task")
_N_SHOWN_ALWAYS = 3
_MAX_HEAD_WIDTH = 80
# Lines of what metrics lack; the table of the tasks has all.
_MAX_LACKS = 10
# What marks rank 1, and what a baseline, in each form.
_LEGEND_STYLES = {"table": ("", UNDERLINED), "md": ("bold", "italic"), "latex": ("bold", "underlined")}
METRIC = "metric"
AVERAGE = "avg"
AVERAGE_RANK = "rank"
_RESERVED_HEADS = {(METRIC,), (AVERAGE,), (AVERAGE_RANK,)}


@dataclass(frozen=True)
class TaskColumn:
    """A task: its title, the lines of its head, its rows by metric, its ranking, and its head on one line."""

    title: str
    head: tuple[str, ...]
    rows: Mapping[str, TaskScore]
    ranking: Ranking
    words: str


@dataclass(frozen=True)
class TaskMatrix:
    """Results of a shared task, for tables and figures.

    Attributes
    ----------
    averages : mapping of str to TaskAverage
        By metric, in order; those without an average last, by name.
    tasks : tuple of TaskColumn
        In the order of the config.
    average : Ranking or None
        Of the average; None of one task.
    settings : mapping
        What the run says of the ranking: ``baselines``, ``permutations``, ``alpha``, ``alpha_joint``.
    simulated : bool
        Whether a corpus is.
    in_part : str
        Which metrics have scores of some texts alone.
    """

    averages: Mapping[str, TaskAverage]
    tasks: tuple[TaskColumn, ...]
    average: Ranking | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    simulated: bool = False
    in_part: str = ""

    @property
    def heading(self) -> str:
        """Heading with the numbers of tasks and metrics, and what all tasks have in common: no column says it then."""
        n = f"{counted(len(self.tasks), 'task')}, {counted(len(self.averages), 'metric')}"
        rows = [next(iter(task.rows.values())) for task in self.tasks]
        if len(rows) > 1:
            levels, coefficients = ({_head(row, name) for row in rows} for name in ("level", "coefficient"))
            in_common = [f"{level} level" for level in levels] if len(levels) == 1 else []
            in_common += coefficients if len(coefficients) == 1 else []
            n = ", ".join([n, *in_common])
        return corpus_words(n, simulated=self.simulated)

    @property
    def baselines(self) -> Sequence[str]:
        """Those of the metrics that are baselines."""
        return [metric for metric in self.averages if metric in self.settings.get("baselines", ())]

    @property
    def has_clusters(self) -> bool:
        """True if the published significance test was run."""
        return any(row.cluster for task in self.tasks for row in task.rows.values())

    @cached_property
    def placed(self) -> dict[str, dict[str, tuple[int | None, float]]]:
        """WMT rank and value by column and metric; ranks where a column has no clusters, None without any."""
        placed: dict[str, dict[str, tuple[int | None, float]]] = {}
        if self.average is not None:
            placed[AVERAGE] = _placed(self.average)
            placed[AVERAGE_RANK] = {metric: (None, row.average_rank) for metric, row in self.averages.items()}
        return placed | {"\n".join(task.head): _placed(task.ranking) for task in self.tasks}

    @property
    def column_words(self) -> dict[str, str]:
        """The head of each column on one line."""
        words = {} if self.average is None else {AVERAGE: AVERAGE, AVERAGE_RANK: AVERAGE_RANK}
        return words | {"\n".join(task.head): task.words for task in self.tasks}

    @property
    def rankings(self) -> dict[str, Ranking]:
        """The ranking of each column that has one."""
        rankings = {} if self.average is None else {AVERAGE: self.average}
        return rankings | {"\n".join(task.head): task.ranking for task in self.tasks}

    def shows_stars(self, *, both: bool = False) -> bool:
        """Return whether values have stars: without WMT ranks, or if both are asked for."""
        return (both or not self.has_clusters) and any(ranking.starred for ranking in self.rankings.values())

    def rows(self, *, both: bool = False) -> list[dict[str, Any]]:
        """Return the rows for people, from column to cell: a value with its WMT rank, or its star, or both."""
        with_stars = self.shows_stars(both=both)
        stars = {name: ranking.starred for name, ranking in self.rankings.items()}

        def cell(metric: str, column: str) -> RankedValue:
            rank, value = self.placed[column].get(metric, (None, math.nan))
            star = ""
            if with_stars:
                star = STAR if metric in stars.get(column, ()) else " "
            if math.isnan(value):
                return RankedValue("--", None, star)
            return RankedValue(fixed(value, 2 if column == AVERAGE_RANK else 3), rank, star)

        return [
            {METRIC: Styled(metric, "underlined", is_number=False) if metric in self.baselines else metric}
            | {column: cell(metric, column) for column in self.placed}
            for metric in self.averages
        ]

    def exact_rows(self) -> list[Record]:
        """Return the rows for programs: value, WMT rank and star of the average and, by its title, of each task."""
        records = []
        for metric, row in self.averages.items():
            record: Record = {METRIC: metric, "baseline": "yes" if metric in self.baselines else "no"}
            record |= {name: getattr(row, name) for name in ("average_correlation", "average_rank", "cluster")}
            if self.average is not None:
                ranked = self.average.find(metric)
                record |= {"star": bool(ranked and ranked.star), "p_worse": row.p_worse}
            for task in self.tasks:
                task_row = task.rows.get(metric)
                ranked = task.ranking.find(metric)
                record |= {task.title: math.nan if task_row is None else task_row.value}
                record |= {
                    f"{task.title}: {name}": task_row and getattr(task_row, name) for name in ("rank", "cluster")
                }
                record |= {f"{task.title}: star": bool(ranked and ranked.star)}
                record |= {f"{task.title}: p_worse": math.nan if task_row is None else task_row.p_worse}
            records.append(record)
        return records

    def tables(self, width: int = _MAX_HEAD_WIDTH, *, both: bool = False) -> list[SummaryTable]:
        """Return the matrix as tables that fit a terminal and a page: metrics down, as many tasks across as fit.

        Neighbours of the same corpora stay together where they fit; where corpora alternate, those of the same level or
        coefficient. `both` gives values WMT rank and star.
        """
        rows = self.rows(both=both)
        groups = self._groups()
        blocks = in_blocks(rows, [METRIC, *self.placed], width, ["", *[""] * (len(self.placed) - len(groups)), *groups])
        notes = "\n".join(_lines(note, width) for note in self.notes())
        below = notes, {form: _lines(self.legend(form, both=both), width) for form in _LEGEND_STYLES}
        tables = []
        for number, columns in enumerate(blocks, start=1):
            part = f"{self.heading}; part {number} of {len(blocks)}" if len(blocks) > 1 else self.heading
            of_part = [{name: row[name] for name in columns} for row in rows]
            tables.append(SummaryTable(part, of_part, *(below if number == len(blocks) else ())))
        return tables

    def _groups(self) -> Sequence[str]:
        """Return the first line of the heads of the tasks that neighbours share."""
        lines = [*zip(*(task.head for task in self.tasks), strict=True)]
        shared = (line for line in lines if any(left == right for left, right in itertools.pairwise(line)))
        return next(shared, lines[0])

    def legend(self, form: str, *, both: bool = False) -> str:
        """Explain a cell, and what ranks and stars rest on, in a form: ``table``, ``md`` or ``latex``."""
        bold, underlined = _LEGEND_STYLES[form]
        rank_noun = "WMT rank" if self.has_clusters else "rank"
        marks = [
            *([f"{bold}: {rank_noun} 1"] if bold else []),
            *([f"{underlined}: a baseline"] if self.baselines else []),
        ]
        columns = [column for name, column in self.placed.items() if name != AVERAGE_RANK]
        if any(rank is None for column in columns for rank, _ in column.values()):
            marks.append("a value alone has no rank, -- is none")
        raised = f"the value, raised the {rank_noun}" if form == "latex" else f"{rank_noun} and value"
        parts = [f"In a cell: {'; '.join([raised, *marks])}."]
        if len(self.tasks) > 1:
            parts.append(
                f"{AVERAGE}: the weighted mean, of correlations as (r + 1) / 2; "
                f"{AVERAGE_RANK}: that of the {rank_noun}s."
            )
        n, alpha = (self.settings.get(name) for name in ("permutations", "alpha"))
        how = f", {n} permutations, p <= {alpha:g}" if n and alpha else ""
        if self.has_clusters:
            parts.append(
                "WMT rank: by the published rule, a new one where some metric above is significantly better "
                f"(PERM-BOTH, one-sided, uncorrected{how})."
            )
        if self.shows_stars(both=both):
            words = next(ranking.star_words for ranking in self.rankings.values() if ranking.starred)
            parts.append(f"{STAR} {words}, by the joint tests.")
        return " ".join(parts)

    def notes(self) -> list[str]:
        """List the gaps of metrics, a sentence each."""
        return [*([self.in_part.strip()] if self.in_part else []), *self._lacks()]

    def _lacks(self) -> list[str]:
        """List the gaps of metrics, those of the same gap together."""
        rows_by_metric = grouped(
            ((metric, row) for task in self.tasks for metric, row in task.rows.items() if row.missing),
            lambda metric_and_row: (metric_and_row[0], metric_and_row[1].missing),
        )
        metrics_by_missing = grouped(
            rows_by_metric,
            lambda metric_and_missing: (
                metric_and_missing[1],
                tuple(row.task for _, row in rows_by_metric[metric_and_missing]),
            ),
        )
        lines = []
        for (missing, tasks), metrics in metrics_by_missing.items():
            corpora = dict.fromkeys(row.corpora for _, row in rows_by_metric[metrics[0]])
            n = f"{len(tasks)} task{'s' if len(tasks) > 1 else ''}"
            where = "in all tasks" if 1 < len(tasks) == len(self.tasks) else f"in {'; '.join(corpora)} ({n})"
            lines.append(f"{', '.join(metric for metric, _ in metrics)}: {missing} {where}.")
        n_further = len(lines) - _MAX_LACKS
        return [*lines[:_MAX_LACKS], f"And {n_further} more such lines: tasks.tsv has all."] if n_further > 1 else lines


def _placed(ranking: Ranking) -> dict[str, tuple[int | None, float]]:
    """Return place and value of each metric: its cluster, or its rank where no metric has a cluster."""
    has_clusters = any(metric.cluster for metric in ranking.metrics)
    return {
        metric.metric: (metric.cluster if has_clusters else metric.rank, metric.value) for metric in ranking.metrics
    }


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
    for n in range(_N_SHOWN_ALWAYS, len(_TASK_ATTRIBUTES) + 1):
        varying = [name for name in _TASK_ATTRIBUTES[:n] if len({getattr(row, name) for row in first}) > 1]
        heads = [tuple(_head(row, name) for name in varying) for row in first]
        if len(set(heads)) == len(heads) and _RESERVED_HEADS.isdisjoint(heads):
            break
    rankings = {ranking.task: ranking for ranking in rankings_of(run)}
    columns = []
    for (title, rows), parts in zip(by_task.items(), heads, strict=True):
        head = parts or (_head(rows[0], "coefficient"),)
        words = ", ".join(
            f"{part} level" if name == "level" else part for name, part in zip(varying or [""], head, strict=True)
        )
        columns.append(TaskColumn(title, head, {row.metric: row for row in rows}, rankings[title], words))
    averages = {row.metric: row for row in run.tables.averages}
    settings = run.facts.get("ranking", {})
    part = in_part(run.tables.correlations)
    return TaskMatrix(averages, tuple(columns), rankings.get(""), settings, bool(run.simulated), part)


def _head(row: TaskScore, attribute: str) -> str:
    """Return the value of an attribute of a task, for the head of its column."""
    value: str = getattr(row, attribute)
    if attribute == "average_by":
        return "pooled" if value == "none" else averaging_words(row)
    try:
        return coefficient_words(value) if attribute == "coefficient" else value
    except UsageError:  # a title, such as daRR
        return value
