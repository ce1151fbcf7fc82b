"""Compute a shared task: corpus by corpus, each read once, all its tasks; then ranks, clusters and averages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial

from metaeval.corpora.catalogue import read_corpus
from metaeval.errors import ReadingNote, UsageError, as_typed, listing, nearest
from metaeval.experiment.execute import compute_experiment
from metaeval.experiment.panels import computed
from metaeval.experiment.tasks import RankingSettings, SharedTask, Task
from metaeval.results.model import KINDS, RunData, Tables
from metaeval.runtime.parallel import SERIAL, Executor
from metaeval.runtime.progress import Progress, silent
from metaeval.shared_tasks.cells import CellScores, cell_scores
from metaeval.shared_tasks.ranking import rank_tasks

# Tables of the experiments that the run has: arrays and tests of all tasks would be gigabytes.
_TABLES_TO_KEEP = ("correlations", "bands", "band_tests", "filtered")


def compute_tasks(shared: SharedTask, *, executor: Executor = SERIAL, progress: Progress = silent) -> RunData:
    """Compute the tasks of a config, and rank the metrics.

    Parameters
    ----------
    shared : SharedTask
    executor, progress
        As for :func:`~metaeval.experiment.execute.compute_experiment`, which also lists the errors; they name the task.

    Returns
    -------
    RunData
        With the tables ``tasks``, ``task_tests`` and ``averages``; the panel of every other row is the task's title. It
        has no arrays.
    """
    if not shared.has_corpora:
        raise UsageError(
            f"tasks need corpora: {as_typed(terminal='--corpus TREE', python='corpora=TREE')}, a directory of "
            "mt-metrics-eval such as mt-metrics-eval-v2/wmt23, or several corpora."
        )
    whole = RunData()
    cells = [(task, cell) for task in shared.tasks for cell in task.cells]
    # The tasks of a corpus one after the other, so that it is read once.
    corpora = list(dict.fromkeys(cell.corpus for _, cell in cells))
    cells.sort(key=lambda pair: corpora.index(pair[1].corpus))
    read = lru_cache(maxsize=1)(read_corpus)
    compute = partial(compute_experiment, read=read, chosen=shared.ranking.taken, executor=executor, progress=progress)
    titles = [f"{task.title} ({cell.corpus})" if task.settings.together else task.title for task, cell in cells]
    parts = [
        (title, partial(compute, cell.experiment, panel=title)) for title, (_, cell) in zip(titles, cells, strict=True)
    ]
    cells_of: dict[str, list[CellScores]] = {task.title: [] for task in shared.tasks}
    for number, run in computed(whole, "task", parts, progress):
        task, cell = cells[number]
        cells_of[task.title].append(cell_scores(run, cell, task.title))
        tables = Tables(**{name: getattr(run.tables, name) for name in _TABLES_TO_KEEP if name in KINDS})
        # Of those without some systems, the coefficients among the best, which a figure shows.
        tables.influence = [row for row in run.tables.influence if not row.left_out]
        whole.extend(replace(run, tables=tables, grids=[], scores=[], judgments=[]))
    whole.warnings += _repeated_tasks([task for task in shared.tasks if cells_of[task.title]], whole)
    rank_tasks(whole, shared, cells_of, executor, progress)
    metrics = sorted(row.metric for row in whole.tables.averages)
    for key in ("primary", "baselines"):
        whole.warnings += _unfit(f"ranking.{key}", getattr(shared.ranking, key), metrics)
    return whole


def _repeated_tasks(tasks: Sequence[Task], run: RunData) -> list[str]:
    """Return a note on each filter that leaves out nothing of some corpora, so that two tasks have the same numbers."""

    def contents(task: Task) -> object:
        """Return what decides which systems and segments a task has."""
        titles = {task.title, *(f"{task.title} ({cell.corpus})" for cell in task.cells)}
        rows = [row for row in run.tables.filtered if row.key.panel in titles and row.n_left_out]
        left_out = {(row.key.corpus, row.what, row.rule, row.n_left_out, row.names) for row in rows}
        return left_out, [cell.experiment.filter.humans for cell in task.cells]

    def others(task: Task) -> tuple[str, ...]:
        """Return what a task has in common with those that differ from it in their filter alone."""
        return (task.settings.title, *(value for name, value in task.attributes.items() if name != "filter"))

    unfiltered = {others(task): task for task in tasks if not task.attributes["filter"]}
    of_filters: dict[str, dict[str, bool]] = {}
    for task in tasks:
        if task.attributes["filter"] and others(task) in unfiltered:
            repeats = contents(task) == contents(unfiltered[others(task)])
            of_corpora = of_filters.setdefault(task.attributes["filter"], {})
            for cell in task.cells:
                of_corpora[cell.corpus] = of_corpora.get(cell.corpus, False) or repeats
    notes = list[str]()
    for words, of_corpora in of_filters.items():
        repeated = [name for name, repeats in of_corpora.items() if repeats]
        changed = json.dumps([name for name, repeats in of_corpora.items() if not repeats], ensure_ascii=False)
        if repeated:
            once = "leave the filter out"
            if len(repeated) < len(of_corpora):
                once = f"give the filter a [[tasks]] of its own with `corpora = {changed}`"
            notes.append(
                ReadingNote(
                    f"The filter `{words}` leaves out nothing of {listing(repeated)}: there the tasks with it have the "
                    f"numbers of those without it, and both count in the averages. To count them once, {once}."
                )
            )
    return notes


def _unfit(key: str, patterns: Sequence[str], metrics: Sequence[str]) -> list[str]:
    """Return a warning about names or patterns that match no ranked metric, each with the most similar name."""
    unfit = []
    for pattern in patterns:
        if not any(RankingSettings.fits(metric, pattern) for metric in metrics):
            near = nearest(pattern, metrics)
            unfit.append(f"{pattern!r} (did you mean {near!r}?)" if near else f"{pattern!r}")
    if not unfit:
        return []
    return [f"`{key}`: no metric that is ranked fits {', '.join(unfit)}; there are {listing(metrics)}."]
