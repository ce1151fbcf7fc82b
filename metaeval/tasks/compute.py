"""Compute a shared task: corpus by corpus, each read once, all its tasks; then ranks, clusters and averages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial

from metaeval.corpora.catalogue import read_corpus
from metaeval.errors import UsageError, as_typed, listing, nearest
from metaeval.experiment.execute import compute_experiment
from metaeval.experiment.panels import computed
from metaeval.experiment.tasks import RankingSettings, SharedTask
from metaeval.progress import Progress, silent
from metaeval.results.model import KINDS, RunData, Tables
from metaeval.runtime.parallel import SERIAL, Executor
from metaeval.tasks.cells import CellScores, cell_scores
from metaeval.tasks.ranking import rank_tasks

# What is kept of the experiments: arrays and tests of all tasks would be gigabytes.
_KEPT = ("correlations", "filtered")


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
    found: dict[str, list[CellScores]] = {task.title: [] for task in shared.tasks}
    for number, run in computed(whole, "task", parts, progress):
        task, cell = cells[number]
        found[task.title].append(cell_scores(run, cell, task.title))
        kept = Tables(**{name: getattr(run.tables, name) for name in _KEPT if name in KINDS})
        whole.extend(replace(run, tables=kept, grids=[], scores=[], judgments=[]))
    rank_tasks(whole, shared, found, executor, progress)
    metrics = sorted(row.metric for row in whole.tables.averages)
    for key in ("primary", "baselines"):
        whole.warnings += _unfit(f"ranking.{key}", getattr(shared.ranking, key), metrics)
    return whole


def _unfit(key: str, patterns: Sequence[str], metrics: Sequence[str]) -> list[str]:
    """Return which names or patterns no metric that is ranked fits, each with the name most like it."""
    unfit = [one for one in patterns if not any(RankingSettings.fits(metric, one) for metric in metrics)]
    told = [f"{one!r}" + (f" (did you mean {near!r}?)" if (near := nearest(one, metrics)) else "") for one in unfit]
    return [f"`{key}`: no metric that is ranked fits {', '.join(told)}; there are {listing(metrics)}."] if told else []
