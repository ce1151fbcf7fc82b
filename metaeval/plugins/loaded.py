"""Users' objects, each loaded in a process of its own: what it is, and whether its files have changed since."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import os
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from metaeval.errors import listing
from metaeval.metrics.plugin_names import Target
from metaeval.plugins import worker
from metaeval.plugins.conversation import Conversation
from metaeval.plugins.sentences import refuse, say
from metaeval.resources import file_digest

TIMEOUT = "METAEVAL_METRIC_TIMEOUT"
DEFAULT_TIMEOUT = 600.0
_DIGITS = 8


def time_limit() -> float:
    """Return how many seconds a plug-in may take for an answer.

    Raises
    ------
    UsageError
        If the environment variable is no positive number.
    """
    text = os.environ.get(TIMEOUT, "")
    try:
        seconds = float(text) if text else DEFAULT_TIMEOUT
    except ValueError:
        seconds = 0.0
    refuse(not 0 < seconds <= threading.TIMEOUT_MAX, "timeout", name=TIMEOUT, given=text)
    return seconds


@dataclass
class Loaded:
    """An object in its own process.

    Attributes
    ----------
    target : Target
        Where it is from.
    process : Conversation
    facts : mapping of str to object
        What the process has found out about it.
    digests : mapping of str to str
        Of its files, by path.
    seen : dict of str to object
        What it does beside scoring: how many characters it has ``printed``, a ``sample`` of them, and which argument
        it has ``changed``.
    """

    target: Target
    process: Conversation
    facts: Mapping[str, Any] = field(default_factory=dict)
    digests: Mapping[str, str] = field(default_factory=dict)
    seen: dict[str, Any] = field(default_factory=dict)

    @property
    def fresh(self) -> bool:
        """Whether the process still answers, and no file has changed since it was started."""
        return self.process.running and self.digests == _digests(list(self.digests))

    @property
    def digest(self) -> str:
        """SHA-256 of the file, or of the list of all files if there are several."""
        if len(self.digests) == 1:
            return next(iter(self.digests.values()))
        lines = (f"{Path(file).name}\t{digest}\n" for file, digest in self.digests.items())
        return hashlib.sha256("".join(lines).encode()).hexdigest()

    @property
    def packages(self) -> Sequence[str]:
        """What its files use, with versions: see :func:`packages_used`."""
        from metaeval.plugins.packages import packages_used  # only plug-ins have to wait for it

        return packages_used(self.digests, self.target.module)

    def again(self, subject: str, digest: str) -> Loaded:
        """Return what is loaded now of the same place; errors as :func:`load_same`."""
        return load_same(self.target, subject, digest)

    @property
    def notes(self) -> tuple[str, ...]:
        """What to say of where it runs."""
        return ()

    @property
    def origin(self) -> tuple[tuple[str, str], ...]:
        """What a signature says of where the code is from: an installed package, and a digest."""
        # The other modules of a package are not digested, so its version must stand for them.
        package = () if self.target.file else (("package", self.target.place.replace(" ", "-")),)
        return (*package, ("file", self.digest[:_DIGITS]))


# Objects by their place and the number of their process.
_LOADED: dict[tuple[Target, int], Loaded] = {}
_LANE: ContextVar[int] = ContextVar("_LANE", default=0)  # the number of the processes that serve this thread
_TAKEN: set[int] = set()
_LOCK = threading.Lock()


@contextlib.contextmanager
def lane() -> Iterator[int]:
    """Let this thread have processes of its own beside those of other threads; give their number."""
    with _LOCK:
        number = next(one for one in itertools.count() if one not in _TAKEN)
        _TAKEN.add(number)
    token = _LANE.set(number)
    try:
        yield number
    finally:
        _LANE.reset(token)
        with _LOCK:
            _TAKEN.discard(number)


def lane_number() -> int:
    """Return the number of the processes that serve this thread; 0 unless it is one of several."""
    return _LANE.get()


def _digests(files: Sequence[str]) -> dict[str, str]:
    found = {}
    for file in files:
        try:
            found[file] = file_digest(Path(file))
        except OSError:
            found[file] = ""
    return found


def hear(process: Conversation, doing: str) -> dict[str, Any]:
    """Return the next answer of a process.

    Raises
    ------
    MetricError
        If there is none in time.
    """
    answer: dict[str, Any] = json.loads(process.hear(doing, time_limit(), f"environment variable {TIMEOUT}"))
    return answer


def load(target: Target, subject: str) -> Loaded:
    """Return an object, loaded in a process of its own; again if its files have changed.

    Raises
    ------
    UsageError
        If the file has no such object, or it is no metric.
    MetricError
        If the file cannot be imported.
    """
    known = _LOADED.get((target, lane_number()))
    if known is not None:
        if known.fresh:
            return known
        known.process.close()
    script = worker.__file__ if target.use == "metric" else str(Path(worker.__file__).with_name("tokenizing.py"))
    found = Loaded(target, Conversation([sys.executable, "-P", "-B", script]))
    path = [os.path.abspath(entry) if entry else os.getcwd() for entry in sys.path]
    request = {"path": path, "file": target.file or None, "module": target.module or None, "name": target.name}
    with found.process.asked():
        found.process.send(json.dumps(request))
        found.facts = facts = hear(found.process, f"{subject}: {target.place}: loading it")
        refuse("error" in facts, "loading", subject=subject, place=target.place, error=facts.get("error"))
        refuse("refused" in facts, "is_refused", subject=subject, why=facts.get("refused"))
        if facts["kind"] == "nothing":
            first, names = (facts["has"] or ["name"])[0], listing(facts["has"])
            raise say.error("object_unnamed", subject=subject, place=target.place, first=first, names=names)
    found.digests = _digests(facts["files"])
    found.seen.update(facts.get("seen", {}))
    _LOADED[target, lane_number()] = found
    return found


def load_same(target: Target, subject: str, digest: str) -> Loaded:
    """Return an object that was loaded before, whose process may have ended; errors as :func:`load`.

    Raises
    ------
    MetricError
        If it is another one now.
    """
    found = load(target, subject)
    refuse(found.digest != digest, "changed", subject=subject, target=target)
    return found


def latest(loaded: Loaded) -> Loaded:
    """Return what is loaded of the same place now: after an error, an object has a new process."""
    return _LOADED.get((loaded.target, lane_number()), loaded)
