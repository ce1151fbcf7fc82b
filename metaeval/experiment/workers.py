"""What goes to another process, once, and how calls are made there."""

from __future__ import annotations

import importlib
import io
import os
import pickle
import platform
import threading
import traceback
import uuid
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from metaeval import _kernels as kernels
from metaeval.errors import MetaevalError, as_typed
from metaeval.numerics import fingerprint
from metaeval.version import VERSION

# Arrays begin at multiples of so many bytes, as numpy's own do.
_ALIGNMENT = 64
# Without this, no processor need be able to read them.
_NEEDED = 16
# What a process keeps of what was sent: that of a part of a run that ends, and of the next.
_KEPT = 2

# The name of a value, all its bytes or the file that has them, and where each part begins and how long it is; the first
# is the pickle.
Sent: TypeAlias = tuple[str, npt.NDArray[np.uint8] | str, tuple[tuple[int, int], ...]]
# What must be the same in all processes of a run.
Facts: TypeAlias = tuple[str, bool, str]


class WorkerError(MetaevalError):
    """Another process would compute other numbers, so it does not work for this one."""


class Shared:
    """A value that many calls take: it goes to each process once, and its arrays are memory that processes share.

    Parameters
    ----------
    value : object
        Its classes and functions need not be of the top level of a module.
    """

    def __init__(self, value: Any) -> None:
        self.value = value
        self._file: Sent | None = None
        self._lock = threading.Lock()

    @cached_property
    def sent(self) -> Sent:
        """What is sent to other machines; it raises what pickle raises if the value cannot be sent."""
        parts, places = self._parts()
        last, length = places[-1]
        whole = np.zeros(last + length, np.uint8)
        for part, (start, length) in zip(parts, places, strict=True):
            whole[start : start + length] = part
        return uuid.uuid4().hex, whole, places

    def file(self, folder: str) -> Sent:
        """Return what is sent to processes of this machine: the name of a file, which is there as long as this is."""
        with self._lock:
            if self._file is None:
                parts, places = self._parts()
                name = uuid.uuid4().hex
                path = os.path.join(folder, name)
                weakref.finalize(self, _remove, path)
                try:
                    with open(path, "xb") as file:
                        for part, (start, _) in zip(parts, places, strict=True):
                            file.seek(start)
                            file.write(part)
                except OSError as error:
                    raise MetaevalError(
                        f"{folder}: what processes share cannot be written ({error.strerror}); the environment "
                        "variable JOBLIB_TEMP_FOLDER names another directory, and "
                        f"{as_typed(terminal='--jobs 1', python='`jobs=1`')} needs none."
                    ) from error
                self._file = name, path, places
        return self._file

    def _parts(self) -> tuple[list[memoryview], tuple[tuple[int, int], ...]]:
        """Return the parts of the value, and where each of them begins and how long it is."""
        try:
            import cloudpickle
        except ImportError:  # older versions of joblib bring their own
            from joblib.externals import cloudpickle

        buffers: list[pickle.PickleBuffer] = []
        stream = io.BytesIO()
        cloudpickle.CloudPickler(stream, protocol=5, buffer_callback=buffers.append).dump(self.value)
        parts = [stream.getbuffer(), *(one.raw() for one in buffers)]
        places, end = [], 0
        for part in parts:
            places.append((end, part.nbytes))
            end += -(-part.nbytes // _ALIGNMENT) * _ALIGNMENT
        return parts, tuple(places)


def _remove(path: str) -> None:
    with suppress(OSError):  # where it is open on Windows; its directory vanishes in the end
        os.unlink(path)


_OPENED: dict[str, Any] = {}


def _open(sent: Sent) -> Any:
    """Return the value that was sent; its arrays are views of the bytes."""
    name, whole, places = sent
    if name not in _OPENED:
        while len(_OPENED) >= _KEPT:
            del _OPENED[next(iter(_OPENED))]
        whole = np.memmap(whole, np.uint8, "r") if isinstance(whole, str) else _aligned(whole)
        first, *others = (whole[start : start + length].data for start, length in places)
        _OPENED[name] = pickle.loads(first, buffers=others)
    return _OPENED[name]


def _aligned(whole: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return bytes in memory where arrays may begin: what came over a network can lie anywhere."""
    if whole.ctypes.data % _NEEDED == 0:
        return whole
    room = np.empty(len(whole) + _NEEDED, np.uint8)
    start = -room.ctypes.data % _NEEDED
    copy = room[start : start + len(whole)]
    copy[:] = whole
    copy.flags.writeable = False
    return copy


def facts() -> Facts:
    """Return what decides which numbers this process computes: version, compiled kernels or not, and fingerprint."""
    return VERSION, kernels.COMPILED is not None, fingerprint()


def _check(expected: Facts) -> None:
    """Refuse to work for a process that would compute other numbers than this one."""
    version, compiled, rounding = facts()
    where = f"the worker on {platform.node()}"
    if version != expected[0]:
        why = f"has metaeval {version}, and this process {expected[0]}; install the same version there."
    elif compiled != expected[1]:
        with_, without = (where, "this process") if compiled else ("this process", where)
        raise WorkerError(
            f"{with_} uses the compiled kernels, and {without} does not; install metaeval again where a C compiler is "
            f"found, and set {kernels.VARIABLE} alike on both."
        )
    elif rounding != expected[2]:
        why = (
            f"rounds otherwise (fingerprint {rounding}, here {expected[2]}), because its processor, or a library, is "
            "another; take workers of one kind of processor, with the same versions of numpy and scipy."
        )
    else:
        return
    raise WorkerError(f"{where} {why}")


class Raised:
    """What a call has raised: joblib would raise the first in time, and not in the order of the calls.

    Parameters
    ----------
    error : Exception
    """

    def __init__(self, error: Exception) -> None:
        if not isinstance(error, MetaevalError):
            error.add_note("".join(traceback.format_exception(error)))
        self.error = error


def make(expected: Facts, sent: Sent | None, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Make a call in this process, unless its numbers would be others; return what it returns, or `Raised`."""
    try:
        _check(expected)
        return function(*(() if sent is None else (_open(sent),)), *arguments)
    except Exception as error:
        return Raised(error)


def load(modules: Sequence[str]) -> None:
    """Import what calls need."""
    for name in modules:
        importlib.import_module(name)
