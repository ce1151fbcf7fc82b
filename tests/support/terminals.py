"""Programs in a pseudo terminal, and what a person would see of what they write."""

from __future__ import annotations

import os
import re
import struct
import sys

METAEVAL = [sys.executable, "-m", "metaeval"]


def in_terminal(arguments: list[str], *, columns: int = 80, **environment: str) -> tuple[bytes, int]:
    """Run metaeval in a pseudo terminal; return all that it wrote, and its exit code."""
    import fcntl
    import pty
    import termios

    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
    child, terminal = pty.fork()
    if child == 0:
        os.execve(METAEVAL[0], [*METAEVAL, *arguments], {**kept, "TERM": "xterm", **environment})
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    written = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # Linux says so when the program has ended
            break
        if not part:
            break
        written += part
    os.close(terminal)
    return written, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def screen(written: bytes) -> list[str]:
    """Return the rows that stay on a screen: a carriage return goes back, and what follows overwrites."""
    rows = []
    for line in re.sub(r"\x1b\[[0-9;]*m", "", written.decode()).split("\n"):
        row: list[str] = []
        for part in line.split("\r"):
            row[: len(part)] = part
        rows.append("".join(row).rstrip())
    return rows[:-1]
