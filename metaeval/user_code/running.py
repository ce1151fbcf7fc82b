"""Run the code of a user in this process: what it prints goes to stderr, and its exceptions become messages."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import io
import os
import sys
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from metaeval.errors import MetricError
from metaeval.user_code.returned import UnusableError

# One thread at a time: stdout, the path and the modules are those of the whole process.
LOCK = threading.RLock()
_SAMPLE_CHARACTERS = 100
_MAX_MESSAGE_CHARACTERS = 500
_OUR_FOLDER = str(Path(__file__).parents[1])
_STDLIB = (os.path.dirname(os.__file__), "<")
# Modules that authors of metrics and coefficients were told to import, and where they are now.
_MOVED_MODULES = {
    "metaeval.names": "metaeval.parameters.calls (Signature is also metaeval.Signature)",
    "metaeval.records": "metaeval.datamodel.corpus (Corpus is also metaeval.Corpus)",
    "metaeval.coefficient": "metaeval.components.coefficient",
    "metaeval.contracts": "metaeval.components (interval, test, correction, documents, figure and others)",
}


class StderrWriter(io.TextIOBase):
    """Stands for stdout: writes to stderr, counts the characters and keeps the first of them.

    Attributes
    ----------
    printed : int
        How many characters were written.
    sample : str
        The first of them.
    """

    printed = 0
    sample = ""

    def write(self, text: str) -> int:
        """Write to stderr."""
        self.printed += len(text)
        self.sample += text[: _SAMPLE_CHARACTERS - len(self.sample)]
        with contextlib.suppress(AttributeError, OSError, ValueError):  # there is no stderr, or it was closed
            sys.stderr.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush stderr."""
        with contextlib.suppress(AttributeError, OSError, ValueError):
            sys.stderr.flush()

    def writable(self) -> bool:
        """Return that it can be written to."""
        return True


@contextlib.contextmanager
def stdout_on_stderr(writer: StderrWriter) -> Iterator[None]:
    """Send to stderr what is printed inside the block, also by compiled code and by processes that are started."""
    with LOCK, _descriptor_on_stderr(), contextlib.redirect_stdout(writer):
        yield


@contextlib.contextmanager
def _descriptor_on_stderr() -> Iterator[None]:
    _flush()
    try:
        stdout = os.dup(1)
    except OSError:  # there is no stdout
        yield
        return
    try:
        with contextlib.suppress(OSError):  # there is no stderr
            os.dup2(2, 1)
        yield
    finally:
        _flush()
        os.dup2(stdout, 1)
        os.close(stdout)


def _flush() -> None:
    """Write out what Python and C hold back of what was printed."""
    for stream in (sys.stdout, sys.__stdout__):
        with contextlib.suppress(AttributeError, OSError, ValueError):
            stream.flush()  # type: ignore[union-attr]
    if (library := _c_library()) is not None:
        library.fflush(None)


@functools.cache
def _c_library() -> Any:
    return ctypes.CDLL(None) if os.name == "posix" else None


@contextlib.contextmanager
def errors_named(where: str, passing: tuple[type[BaseException], ...] = (MetricError,)) -> Iterator[None]:
    """Raise a `MetricError` for any exception inside the block, also for the end of the program.

    Parameters
    ----------
    where : str
        What the message begins with.
    passing : tuple of classes
        Exceptions that are raised as they are, beside Ctrl-C.

    Raises
    ------
    MetricError
        With the kind of the exception, its text, and the file and line that raised it.
    """
    try:
        yield
    except BaseException as error:
        if isinstance(error, (KeyboardInterrupt, *passing)):
            raise
        raise MetricError(f"{where}: {reason(error)}.") from error


def reason(error: BaseException) -> str:
    """Describe an exception, with the file and line that raised it, without a full stop."""
    if isinstance(error, UnusableError):
        return str(error)
    last = " ".join(traceback.format_exception_only(error)[-1].split())
    if isinstance(error, SystemExit):
        last = f"it called for the end of the program, SystemExit({error.code!r})"
    elif isinstance(error, ModuleNotFoundError) and error.name in _MOVED_MODULES:
        last = f"{last}; {error.name} is now {_MOVED_MODULES[error.name]}"
    # The lines of ours that call the user's code do not help its author.
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not os.path.abspath(frame.filename).startswith(_OUR_FOLDER + os.sep)
    ]
    outside = [frame for frame in frames if not frame.filename.startswith(_STDLIB)]
    places = [(frame.filename, frame.lineno) for frame in outside or frames]
    if isinstance(error, SyntaxError) and error.filename:
        places.append((error.filename, error.lineno))
    location = f" ({_relative(places[-1][0])}:{places[-1][1]})" if places else ""
    return f"{last[:_MAX_MESSAGE_CHARACTERS].rstrip('.')}{location}"


def _relative(file: str) -> str:
    try:
        relative = os.path.relpath(file)
    except ValueError:  # pragma: no cover - on Windows, a file of another drive
        return file
    return file if relative.startswith("..") else relative
