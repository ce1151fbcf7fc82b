"""The verb that computes a part of an experiment."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from metaeval.api.objects import loaded_config
from metaeval.api.shared import Backend, Jobs, Memory, Scheduler, Steps, executor_of
from metaeval.declarations import Argument, verb
from metaeval.errors import UsageError, unknown
from metaeval.progress import silent
from metaeval.sizes import DEFAULT_MEMORY

if TYPE_CHECKING:
    from metaeval.runs.shards import Shard


@verb
def run_shard(
    config: Annotated[str | Path | Mapping[str, Any], Argument("CONFIG", doc="as for :func:`run`")],
    shard: Annotated[str, Argument("K/N")],
    *,
    jobs: Jobs = 1,
    backend: Backend = "processes",
    scheduler: Scheduler = None,
    memory: Memory = DEFAULT_MEMORY,
    progress: Steps = silent,
    **settings: Any,
) -> "Shard":
    """Compute a part of an experiment, for :func:`run`, which finds it in the store and computes what is missing.

    Parameters
    ----------
    shard
        Which part, and how many there are: ``2/4``. Processes on several machines that share METAEVAL_CACHE take one
        each, in any order, at any time.
    **settings
        All else that :func:`run` is given; ``output`` is not used.

    Returns
    -------
    Shard
        How much was done; it prints as a sentence.

    Raises
    ------
    UsageError
        As for :func:`run`, or if it is no such part, or the store keeps nothing or too little.
    CorpusError
        If the files of a corpus are wrong.
    MetricError
        If every metric fails on a corpus whose tasks are whole.
    """
    from metaeval.api.experiments import run
    from metaeval.runs.shards import compute_shard

    known = run.arguments  # type: ignore[attr-defined]
    for name in settings:
        if name not in known:
            raise UsageError(f"run_shard: {unknown('keyword', name, known, limit=len(known))}")
    loaded = loaded_config(config, **{key: value for key, value in settings.items() if key != "output"})
    with executor_of(jobs, memory, backend, scheduler) as executor:
        return compute_shard(loaded, shard, executor=executor, progress=progress)
