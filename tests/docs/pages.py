"""The pages of the documentation, cut into blocks, and how a block is run."""

from __future__ import annotations

import doctest
import io
import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from metaeval.cli import main

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_HEAD = re.compile(r"# ([\w./-]+\.\w+)\n")


def with_long(commands: list[str], word: str) -> list[object]:
    """Return commands as parameters of a test, marked as long where they hold a word."""
    return [pytest.param(command, marks=pytest.mark.long if word in command else ()) for command in commands]


@dataclass(frozen=True)
class Block:
    """A fenced block: `follows` tells whether only blank lines stand between it and the block before."""

    kind: str
    text: str
    follows: bool

    @property
    def file(self) -> str | None:
        """The file that the block shows, as its first line says."""
        head = _HEAD.match(self.text)
        return None if head is None or self.kind == "sh" else head[1]

    def write(self) -> None:
        """Write the file; a line that names it stays where it is a comment."""
        path = Path(self.file)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = self.text if path.suffix in (".py", ".toml") else self.text.partition("\n")[2]
        path.write_text(text, encoding="utf-8")


def blocks(text: str) -> list[Block]:
    """Return the blocks of a page."""
    found, end = [], None
    for match in _BLOCK.finditer(text):
        follows = end is not None and not text[end : match.start()].strip()
        found.append(Block(match[1], match[2], follows))
        end = match.end()
    return found


def commands(text: str) -> list[str]:
    """Return the lines of the shell blocks of a page that call metaeval."""
    lines = (line for block in blocks(text) if block.kind == "sh" for line in block.text.splitlines())
    return [line for line in lines if line.startswith("metaeval ")]


def written() -> Iterator[Path]:
    """Give every page that somebody wrote: those made from the code are left out."""
    yield ROOT / "README.md"
    yield ROOT / "CONTRIBUTING.md"
    yield from (path for path in sorted(DOCS.rglob("*.md")) if "generated" not in path.parts)


def play(text: str, *, with_commands: bool) -> None:
    """Run the blocks of a page in their order in the current directory, and compare what they print.

    Files are written, commands and Python are run; a block of text right behind one of these shows what it prints. In
    Python all blocks of a page share their names.
    """
    names: dict[str, object] = {}
    printed = ""
    for block in blocks(text):
        if block.file is not None:
            block.write()
        elif block.kind == "sh" and with_commands:
            for line in block.text.splitlines():
                if line.startswith("metaeval "):
                    printed = _printed(lambda line=line: _run(line))
        elif block.kind == "python" and ">>>" not in block.text:
            printed = _printed(lambda block=block: exec(compile(block.text, "page", "exec"), names))
        elif block.kind == "text" and block.follows and printed:
            same = doctest.OutputChecker().check_output(block.text, printed, doctest.ELLIPSIS)
            assert same, f"the page shows\n{block.text}\nand this is printed:\n{printed}"
            printed = ""


def _run(line: str) -> None:
    assert main(shlex.split(line, comments=True)[1:]) == 0, line


def _printed(run) -> str:
    out = io.StringIO()
    with redirect_stdout(out):
        run()
    return out.getvalue()
