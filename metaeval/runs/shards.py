"""One of several processes that compute an experiment together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache, partial

import numpy as np

from metaeval import store
from metaeval.corpora.catalogue import each_corpus, read_corpus
from metaeval.errors import MetricError, UsageError, listing
from metaeval.experiment.executor import SERIAL, Executor
from metaeval.experiment.load import LoadedConfig
from metaeval.experiment.measured import Shelf
from metaeval.experiment.partial import Account, PartialExecution
from metaeval.experiment.parts import Part, given_part
from metaeval.experiment.steps import completed
from metaeval.progress import Progress, silent
from metaeval.results.model import RunData
from metaeval.tasks.compute import compute_tasks


@dataclass(frozen=True)
class Shard:
    """What one of several processes has done of an experiment.

    Attributes
    ----------
    part : str
        Such as ``2/4``.
    made, tasks : int
        How many tasks it has done, and how many there are on the corpora that it works at: a system scored by a metric,
        a block of replicates, or the rest of a cell.
    corpora : tuple of str
        What it has worked at.
    n_corpora : int
        How many there are.
    warnings, failures : tuple of str
        As of a run.
    """

    part: str
    made: int
    tasks: int
    corpora: tuple[str, ...]
    n_corpora: int
    warnings: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()

    def __str__(self) -> str:
        if not self.corpora:
            return f"shard {self.part}: there is nothing left for it, of {self.n_corpora} corpora."
        of = (
            f"on {listing(self.corpora)}, of {self.n_corpora} corpora"
            if self.n_corpora > 1
            else f"on {self.corpora[0]}"
        )
        return (
            f"shard {self.part}: {self.made} of {self.tasks} tasks {of}. Once all shards have ended, the same command "
            "without --shard puts the run together, and computes what is missing."
        )


def compute_shard(
    config: LoadedConfig, shard: str, *, executor: Executor = SERIAL, progress: Progress = silent
) -> Shard:
    """Compute a part of an experiment, which the store keeps.

    Parameters
    ----------
    config : LoadedConfig
    shard : str
        Which, and of how many: ``2/4``.
    executor, progress
        As for :func:`~metaeval.runs.run.run_experiment`.

    Raises
    ------
    UsageError
        If it is none, or nothing or too little is kept; and as for a run.
    CorpusError
        If the files of a corpus are wrong.
    """
    part = given_part(shard)
    _check_store(part)
    results = RunData()
    if config.shared is None:
        account = _of_panels(config, part, executor, progress, results)
    else:
        account = _of_tasks(config, part, executor, progress, results)
    told = [tuple(dict.fromkeys(texts)) for texts in (results.warnings, results.failures)]
    return Shard(str(part), account.made, account.tasks, tuple(account.seen), account.n_groups, *told)


def _of_panels(config: LoadedConfig, part: Part, executor: Executor, progress: Progress, results: RunData) -> Account:
    names = [
        name for one in config.panels for name, _ in each_corpus(one.experiment.corpora, one.experiment.formats_of)
    ]
    parts = part.of_groups([*dict.fromkeys(names)])
    account, shelf = Account(part, len({*names})), Shelf(executor.memory)
    for one in config.panels:
        given = (one.experiment, executor, progress, results, read_corpus, None, shelf, account, parts.get)
        completed(PartialExecution(*given).run(one.variants), executor)
    return account


def _of_tasks(config: LoadedConfig, part: Part, executor: Executor, progress: Progress, results: RunData) -> Account:
    assert config.shared is not None
    tasks, taken = config.shared.tasks, config.shared.ranking.taken
    corpora = [tuple(cell.corpus for cell in task.cells) for task in tasks]
    parts = part.of_groups([*dict.fromkeys(corpora)])
    account, shelf = Account(part, len({*corpora})), Shelf(executor.memory)
    read = lru_cache(maxsize=1)(read_corpus)
    # The tasks of a corpus one after the other, so that it is read once.
    for group, own in parts.items():
        mine = [task for task, names in zip(tasks, corpora, strict=True) if names == group]
        for cell in (cell for task in mine for cell in task.cells):
            given = (executor, progress, results, read, taken, shelf, account, partial(_part_of, own), ", ".join(group))
            completed(PartialExecution(cell.experiment, *given).run({}), executor)
        # The tests between all metrics of a task, which are kept too.
        try:
            if whole := tuple(own.of_many(mine)):
                compute_tasks(replace(config.shared, tasks=whole), executor=executor, progress=progress)
        except MetricError as error:
            results.failures.append(str(error))
    return account


def _part_of(part: Part, corpus: str) -> Part:
    return part


def _check_store(part: Part) -> None:
    """Refuse to compute what nobody would find.

    Raises
    ------
    UsageError
        If the store keeps nothing.
    """
    name = store.digest("shard", str(part))
    store.put("checks", name, np.zeros(1))
    if store.get("checks", name, (1,)) is None:
        why = (
            "nothing can be written there; METAEVAL_CACHE=DIR names another directory, which all shards share"
            if store.limit() >= 1 << 20
            else f"{store.LIMIT} lets it keep nothing; set it to such as 20G, for all shards and for the run in the end"
        )
        raise UsageError(f"--shard {part}: what a shard computes is found by others in {store.directory()}, and {why}.")
