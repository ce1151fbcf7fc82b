"""The workers of dask as a backend of joblib, and a scheduler that ends; imported where dask is wanted alone."""

from __future__ import annotations

import logging
import pickle
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager
from typing import Any

from distributed.comm.core import CommClosedError
from joblib import parallel_config
from joblib._dask import DaskDistributedBackend

from metaeval.errors import MetaevalError
from metaeval.experiment.workers import WorkerError, make
from metaeval.version import VERSION


@contextmanager
def used(client: Any, scheduler: str, patience: float) -> Iterator[None]:
    """Let calls go to the workers of a scheduler, one of which must be there in so many seconds; close the client."""
    with client:
        try:
            backend = _Backend(client=client, wait_for_workers_timeout=patience)
            backend.check_workers()
            with parallel_config(backend=backend):
                yield
        except MetaevalError:
            raise
        except Exception as error:
            # What was under way may hear of it before the client does.
            if client.status == "running" and not isinstance(error, (CancelledError, CommClosedError)):
                raise
            _close_silently(client)
            raise MetaevalError(
                f"the scheduler at {scheduler} is gone; start it again and give the same command: what was computed is "
                "kept."
            ) from error


def _close_silently(client: Any) -> None:
    """Close a client whose scheduler is gone; it would print the traceback of how it cannot reach it."""
    log = logging.getLogger("distributed.client")
    log.disabled = True
    try:
        client.close()
    finally:
        log.disabled = False


# joblib has no public name for it.
class _Backend(DaskDistributedBackend):  # type: ignore[misc]
    """That of joblib, which leaves all calls to workers, and hears of those that no worker could begin."""

    checked: frozenset[str] = frozenset()

    def effective_n_jobs(self, n_jobs: int) -> int:
        number: int = super().effective_n_jobs(n_jobs)
        self.check_workers()
        return max(2, number)  # joblib makes the calls of one job here

    def check_workers(self) -> None:
        """Refuse workers that cannot find our functions: the first call would end them, and they could not say why."""
        new = self.client.ncores().keys() - self.checked
        asked = self.client.run(pickle.loads, pickle.dumps(make), workers=list(new), on_error="return")
        for place, found in asked.items():
            if isinstance(found, (ImportError, AttributeError)):
                raise WorkerError(f"the worker at {place} has no metaeval ({found}); install metaeval {VERSION} there.")
        self.checked |= new

    def submit(self, func: Any, callback: Any = None) -> Any:
        def tell(done: Future[Any]) -> None:
            if error := done.exception():
                callback(error)

        # Without that, joblib would wait for ever.
        future = super().submit(func, callback)
        future.add_done_callback(tell)
        return future
