"""Output to a terminal: colours, and a progress bar that vanishes; a pipe or a file gets plain lines.

No colour is used where NO_COLOR is set and not empty (no-color.org), and neither colour nor bar where the terminal
calls itself dumb.
"""

from __future__ import annotations

import codecs
import itertools
import os
import re
import shutil
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from io import TextIOWrapper
from typing import Any, ClassVar, TextIO

from metaeval.errors import MetaevalWarning
from metaeval.runtime.progress import Progress, Step, silent

_STYLES = {"bold": "1", "red": "1;31", "yellow": "33", "green": "32"}
# What moves the cursor, changes colours or titles, or turns letters round; lines and tabs are kept.
_CONTROL_CHARACTERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_PYTHON_FORMAT = warnings.formatwarning
# The line above one of dashes is the head of a table.
_TABLE_HEAD = re.compile(r"^(.+)(?=\n *-+(?: +-+)*$)", re.MULTILINE)

_LINE = re.compile(".+")


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether a stream is a terminal that can do more than write one letter after the other.

    Parameters
    ----------
    stream : TextIO or None
        None where a process has no such stream.
    """
    try:
        return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"
    except ValueError:  # it was closed
        return False


def width() -> int:
    """Return the width of a line on stdout in letters: as COLUMNS or the terminal says, or as a page has."""
    from metaeval.report.tables import WIDTH  # help must not wait for it

    return (
        shutil.get_terminal_size((WIDTH, 24)).columns if is_terminal(sys.stdout) or "COLUMNS" in os.environ else WIDTH
    )


def has_colours(stream: TextIO | None) -> bool:
    """Return whether what is written to a stream may have colours.

    Parameters
    ----------
    stream : TextIO or None
    """
    return not os.environ.get("NO_COLOR") and is_terminal(stream)


def shown(text: str) -> str:
    """Return a text with control characters escaped: names and errors may come from the code and data of others.

    Parameters
    ----------
    text : str
    """
    return _CONTROL_CHARACTERS.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def styled(text: str, style: str, stream: TextIO | None) -> str:
    """Return a text in a style for a stream that has colours; else as it is.

    Parameters
    ----------
    text : str
    style : {"bold", "red", "yellow", "green"}
    stream : TextIO or None
    """
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if text and has_colours(stream) else text


def for_people(text: str, words: Mapping[str, str] | None = None, stream: TextIO | None = None) -> str:
    """Return a text that is laid out for people with bold heads of tables, and some words in colour.

    The text is complete before it gets its colours, which take no room, so what is aligned stays aligned. Words inside
    bold ones are bold and in colour. Each line ends its own styles.

    Parameters
    ----------
    text : str
    words : mapping of str to str, optional
        Regular expressions of words, and their styles; ``^`` is the beginning of a line.
    stream : TextIO, optional
        Where it is written; stdout unless given.
    """
    stream = stream or sys.stdout
    text = shown(text)
    if not has_colours(stream):
        return text
    changes: defaultdict[int, Counter[str]] = defaultdict(Counter)
    patterns = [
        (_TABLE_HEAD, "bold"),
        *((re.compile(word, re.MULTILINE), style) for word, style in (words or {}).items()),
    ]
    for pattern, style in patterns:
        for match in pattern.finditer(text):
            for line in _LINE.finditer(text, *match.span()):
                changes[line.start()].update(_STYLES[style].split(";"))
                changes[line.end()].subtract(_STYLES[style].split(";"))
    active: Counter[str] = Counter()
    parts = []
    for begin, end in itertools.pairwise(sorted({0, *changes, len(text)})):
        active.update(changes.get(begin, {}))
        codes = ";".join(sorted((code for code, count in active.items() if count > 0), key=int))
        part = text[begin:end]
        parts.append(f"\x1b[{codes}m{part}\x1b[0m" if codes else part)
    return "".join(parts)


def tell(line: str) -> None:
    """Print a line, such as a note, to stderr; a bar that is shown there makes room for it.

    Parameters
    ----------
    line : str
    """
    with nullcontext() if _Bar.shown is None else _Bar.shown.aside():
        print(f"metaeval: {shown(line)}", file=sys.stderr)


def tell_error(line: str, who: str = "metaeval") -> None:
    """Print what went wrong to stderr.

    Parameters
    ----------
    line : str
    who : str
        The command.
    """
    text = shown(line)
    if is_terminal(sys.stderr):
        text = _in_rows(text, shutil.get_terminal_size().columns - 1, len(who) + 2)
    print(f"{styled(f'{who}:', 'red', sys.stderr)} {text}", file=sys.stderr)


def _in_rows(text: str, columns: int, used: int) -> str:
    """Break a text between words into rows of a terminal; what is between backquotes stays whole, to be copied.

    Parameters
    ----------
    text : str
    columns : int
        Of a row.
    used : int
        Columns of the first row that are taken.
    """
    from metaeval.report.letter_widths import in_lines

    # Stands for a blank that is no place to break; no text has it, for it is no character.
    joined = "\ufdd1"
    whole = re.sub("`[^`\n]+`", lambda match: match[0].replace(" ", joined), text)
    rows: list[str] = []
    for line in whole.split("\n"):
        first, *others = in_lines(line, columns, " " * (0 if rows else used)) or [""]
        rows += [first if rows else first[used:], *others]
    return "\n".join(rows).replace(joined, " ")


@contextmanager
def escaped_letters() -> Iterator[None]:
    """Write letters that the encoding of stdout or stderr lacks as escapes, and say it once.

    On Windows, what is redirected to a file has the encoding of the system, which has few letters.
    """
    is_reported = False

    def escaped(error: UnicodeError) -> tuple[str | bytes, int]:
        nonlocal is_reported
        if not is_reported:
            is_reported = True
            tell(
                f"note: the output has the encoding {sys.stdout.encoding}, which lacks some letters; they are written "
                "as escapes such as \\u4e2d. Set PYTHONUTF8=1 in the environment for UTF-8."
            )
        return codecs.backslashreplace_errors(error)

    codecs.register_error("metaeval-escaped", escaped)
    changed = [
        stream for stream in (sys.stdout, sys.stderr) if isinstance(stream, TextIOWrapper) and stream.errors == "strict"
    ]
    for stream in changed:
        stream.reconfigure(errors="metaeval-escaped")
    try:
        yield
    finally:
        for stream in changed:
            if not stream.closed:
                stream.reconfigure(errors="strict")


@contextmanager
def shown_progress(*, quiet: bool = False) -> Iterator[Progress]:
    """Yield a function that shows on stderr how far work has come.

    A terminal is shown one bar until the work is done, anything else a line for the beginning of each stage.

    Parameters
    ----------
    quiet : bool
        Show nothing.

    Yields
    ------
    callable
        It is called with each :class:`~metaeval.runtime.progress.Step`.
    """
    formatted = warnings.formatwarning
    warnings.formatwarning = _formatted
    try:
        if quiet:
            yield silent
        elif not is_terminal(sys.stderr):
            yield lambda step: None if step.done else tell(str(step))
        else:
            with _Bar() as bar:
                yield bar
    finally:
        warnings.formatwarning = formatted


def _formatted(message: Warning | str, category: type[Warning], *location: Any, **named: Any) -> str:
    """Return a warning as a line; those that are not ours with their place in the code."""
    if issubclass(category, MetaevalWarning):
        return f"metaeval: {shown(str(message))}\n"
    return _PYTHON_FORMAT(message, category, *location, **named)


class _Bar:
    """Progress bar on stderr for all stages, which vanishes in the end.

    A stage that does not count is shown by its line.
    """

    shown: ClassVar[_Bar | None] = None

    def __init__(self) -> None:
        from tqdm import tqdm

        # The thread that would look after slow bars is not needed, and threads disturb processes that are forked.
        tqdm.monitor_interval = 0
        self._bar = tqdm(file=sys.stderr, leave=False, dynamic_ncols=True, bar_format="{desc}", miniters=1)
        self._before = ""
        self._panels: dict[str, int] = {}
        self._stage = ("", "", False)
        self._show_warning = warnings.showwarning

    def __call__(self, step: Step) -> None:
        if step.stage == "panel" and step.total is not None:
            number = self._panels.setdefault(step.what, len(self._panels) + 1)
            self._before = "" if step.done else f"panel {number} of {step.total}: "
        counts = bool(step.done and step.total)
        if (step.stage, step.what, counts) != self._stage:
            self._stage = (step.stage, step.what, counts)
            self._begin(step, counts)
        elif counts:
            self._bar.update(step.done - self._bar.n)

    def _begin(self, step: Step, counts: bool) -> None:
        bar = self._bar
        line = f"{self._before}{step.stage}" if counts else _cut(f"{self._before}{step}")
        bar.bar_format = "{desc} {percentage:3.0f}%|{bar}| {elapsed}<{remaining}" if counts else "{desc}"
        bar.set_description_str(line, refresh=False)
        bar.total = step.total if counts else None
        bar.reset()
        bar.update(step.done)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Make room for something else that is printed."""
        with self._bar.external_write_mode(file=sys.stderr):
            yield

    def _warn(self, *arguments: Any, **named: Any) -> None:
        with self.aside():
            self._show_warning(*arguments, **named)

    def __enter__(self) -> _Bar:
        _Bar.shown = self
        warnings.showwarning = self._warn
        return self

    def __exit__(self, *error: object) -> None:
        warnings.showwarning = self._show_warning
        _Bar.shown = None
        self._bar.close()


def _cut(line: str) -> str:
    """Return as much of a line as a row of the terminal holds: what wraps could not be taken away."""
    from tqdm.utils import disp_trim

    return str(disp_trim(line, shutil.get_terminal_size().columns - 1))
