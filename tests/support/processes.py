"""Processes that a test starts, ended whatever happens in it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from typing import Any

# Only a program that hangs is still at work after so many seconds, on however busy a machine.
HANGS = 300


@contextlib.contextmanager
def started(command: Sequence[str], **settings: Any) -> Iterator[subprocess.Popen[Any]]:
    """Start a program; after the block end it with all that it started, and close its pipes."""
    with subprocess.Popen(command, start_new_session=True, preexec_fn=heed_all, **settings) as process:
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def heed_all() -> None:
    """Let a process heed Ctrl-C and the loss of its terminal.

    A shell lets what it starts in the background ignore the one, and nohup the other, and programs inherit that.
    """
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
