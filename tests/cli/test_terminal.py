"""What a terminal is shown: a bar that vanishes, colours; and nothing of it elsewhere."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import warnings
from types import SimpleNamespace

import pytest

from metaeval.cli import console as terminal
from metaeval.cli import shared
from metaeval.cli.console import for_people, shown_progress, tell
from metaeval.errors import MetaevalWarning
from metaeval.runtime.progress import Step
from tests.support.corpus import write
from tests.support.terminals import METAEVAL, in_terminal, screen

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo terminals are of Unix")

SMALL = ["--set", "documents.count=5", "--set", "documents.lengths=[1, 2]", "--set", "figures=[]"]
ESCAPE = b"\x1b["


def experiment(tmp_path, *more):
    return ["run", "turian2003-chinese", "--corpus", "demo", *SMALL, "--output", str(tmp_path / "run"), *more]


def test_a_bar_is_shown_and_only_what_matters_stays(tmp_path):
    written, code = in_terminal(experiment(tmp_path))
    rows = screen(written)

    assert code == 0
    assert re.search(rb"correlate +\d+%\|.*\| 00:\d\d<", written)
    assert "\rread       corpus demo" in written.decode()
    # The answer, the tables, then the notes: no stage, no bar, and no row before them that was only wiped.
    messages = [row for row in rows if row.startswith("metaeval: ")]
    assert rows[0].startswith("demo (simulated data: no evidence about real metrics): 7 claims of the paper; ")
    assert messages[-1].startswith("metaeval: done ")
    assert all(row.startswith("metaeval: note: ") for row in messages[:-1])
    assert rows.index(messages[0]) > rows.index(next(row for row in rows if row.startswith("Tables and figures: ")))
    assert "%|" not in "".join(rows)


@pytest.mark.parametrize("columns", [30, 200])
def test_the_bar_fits_the_terminal(tmp_path, columns):
    written, code = in_terminal([*experiment(tmp_path), "--set", "tests=[]"], columns=columns)
    before = written.decode().partition("demo (")[0]

    assert code == 0
    # What reaches the last column would wrap, and could not be taken away.
    assert max(map(len, before.split("\r"))) <= columns
    assert max(map(len, before.split("\r"))) > columns * 0.8


@pytest.mark.parametrize("environment", [{"TERM": "dumb"}])
def test_a_dumb_terminal_gets_lines_without_control_characters(tmp_path, environment):
    written, code = in_terminal(experiment(tmp_path), **environment)
    rows = written.decode().split("\r\n")

    assert code == 0
    assert ESCAPE not in written
    assert "\r" not in "".join(rows)
    assert rows[0] == "metaeval: read       corpus demo"
    assert "metaeval: correlate  metrics with human judgments" in rows


def test_without_a_terminal_each_stage_is_a_line(tmp_path):
    done = subprocess.run([*METAEVAL, *experiment(tmp_path)], capture_output=True, check=True)
    stages = [line.split()[1] for line in done.stderr.decode().splitlines()]

    assert stages[:6] == ["read", "judge", "sample", "score", "correlate", "pool"]
    for unwanted in (b"\r", b"\x1b", b"%|"):
        assert unwanted not in done.stderr + done.stdout


def test_quiet_shows_neither(tmp_path):
    plain = ["--set", "tests=[]", "--set", 'uncertainty.method="normal"']  # no note is called for
    written, code = in_terminal([*experiment(tmp_path, "--quiet"), *plain])
    assert code == 0
    assert screen(written)[0].startswith(
        "demo (simulated data: no evidence about real metrics): 7 claims of the paper; "
    )
    assert b"\rread" not in written


def test_panels_are_numbered(monkeypatch):
    stderr = Terminal()
    monkeypatch.setattr(sys, "stderr", stderr)
    with shown_progress() as progress:
        for number, title in enumerate(["one", "two"], start=1):
            progress(Step("panel", title, total=2))
            progress(Step("read", "corpus demo"))
            progress(Step("panel", title, number, 2))
        progress(Step("write", "tables"))

    shown = [part.strip() for part in stderr.getvalue().split("\r")]
    assert "panel 1 of 2: read       corpus demo" in shown
    assert "panel 2 of 2: read       corpus demo" in shown
    assert "write      tables" in shown


class Terminal(io.StringIO):
    """A stream that calls itself a terminal."""

    def isatty(self):
        return True


def test_notes_fill_the_lines_of_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr(shared, "is_terminal", lambda stream: True)
    monkeypatch.setattr(shared, "width", lambda: 70)
    shared.tell_notes(SimpleNamespace(notes=("word " * 29 + "word.",)))
    # 70 letters have room for 11 words behind "metaeval: note: ", and for 13 behind two spaces.
    assert [len(line.split("note: ")[-1].split()) for line in capsys.readouterr().err.splitlines()] == [11, 13, 6]


def test_a_note_and_a_warning_are_not_torn_by_the_bar(monkeypatch):
    stderr = Terminal()
    monkeypatch.setattr(sys, "stderr", stderr)
    # As Python prints them; pytest would keep them.
    monkeypatch.setattr(
        warnings, "showwarning", lambda text, kind, *_: print(f"{kind.__name__}: {text}", file=sys.stderr)
    )
    with warnings.catch_warnings(), shown_progress() as progress:
        warnings.simplefilter("always")
        progress(Step("measure", "metrics", 1, 4))
        tell("note: one thing.")
        warnings.warn("another thing", RuntimeWarning, stacklevel=1)
        progress(Step("measure", "metrics", 2, 4))

    rows = screen(stderr.getvalue().encode() + b"\n")
    assert rows[0] == "metaeval: note: one thing."
    assert rows[1] == "RuntimeWarning: another thing"
    assert rows[-1] == ""


def test_after_a_failure_the_bar_is_gone(tmp_path):
    corpus = write(tmp_path / "corpus", systems__A="x\n")
    written, code = in_terminal(["run", "turian2003-chinese", "--corpus", str(corpus), "--output", str(tmp_path / "r")])
    assert code == 3
    # The error has several rows; none is left of the bar, nor is one before it that was only wiped.
    assert "%|" not in "".join(screen(written))
    assert screen(written)[0].startswith("metaeval: ")


# Colours

TABLE = "heading\nname    score\n----  -------\nbleu    0.500"


@pytest.mark.parametrize(
    ("environment", "tty", "expected"),
    [
        ({}, True, True),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"TERM": "dumb"}, True, False),
        ({}, False, False),
    ],
)
def test_when_there_are_colours(monkeypatch, environment, tty, expected):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    stream = Terminal() if tty else io.StringIO()
    assert ("\x1b[1mname    score\x1b[0m\n" in for_people(TABLE, stream=stream)) is expected
    assert terminal.has_colours(stream) is expected


def test_colours_take_no_room(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    text = f"{TABLE}\nok     one\nfails  two"
    shown = for_people(text, {"^ok(?=  )": "green", "^fails(?=  )": "red"}, Terminal())
    assert "\x1b[32mok\x1b[0m     one\n\x1b[1;31mfails\x1b[0m  two" in shown
    assert re.sub(r"\x1b\[[0-9;]*m", "", shown) == text


def test_words_in_colour_leave_the_rest_of_a_bold_line_bold(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    words = {"^a.*$": "bold", r"simulated\s+data": "yellow", "^b.*$": "bold"}
    assert for_people("a (simulated data): x", words, Terminal()) == (
        "\x1b[1ma (\x1b[0m\x1b[1;33msimulated data\x1b[0m\x1b[1m): x\x1b[0m"
    )
    # Over two lines, of which each ends its styles.
    assert for_people("a simulated\nb data\nb simulated\ndata c", words, Terminal()) == (
        "\x1b[1ma simulated\x1b[0m\n\x1b[1mb data\x1b[0m\n"
        "\x1b[1mb \x1b[0m\x1b[1;33msimulated\x1b[0m\n\x1b[33mdata\x1b[0m c"
    )


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["corpus", "check", "{corpus}"], "\x1b[1;31merror\x1b[0m: "),
        (["metrics", "check", "wer", "--quiet"], "\x1b[32mok\x1b[0m     "),
        (["corpus", "list"], "\x1b[1mname "),
        (["metrics", "show", "blue"], "\x1b[1;31mmetaeval:\x1b[0m unknown metric"),
        (["run"], "\x1b[1;31mmetaeval run:\x1b[0m CONFIG must be given."),
    ],
)
def test_colours_of_the_verbs(tmp_path, arguments, shown):
    corpus = write(tmp_path, systems__A="x\n")
    arguments = [argument.format(corpus=corpus) for argument in arguments]
    with_colours, code = in_terminal(arguments)
    without, same_code = in_terminal(arguments, NO_COLOR="1")

    assert shown in with_colours.decode()
    assert ESCAPE not in without
    assert code == same_code
    if arguments != ["metrics", "check", "wer", "--quiet"]:  # tells how fast it was
        assert re.sub(rb"\x1b\[[0-9;]*m", b"", with_colours) == without


@pytest.mark.parametrize("form", ["tsv", "json"])
def test_formats_for_programs_have_no_colours(form):
    written, _ = in_terminal(["corpus", "list", "--format", form])
    assert b"demo" in written
    assert ESCAPE not in written


def test_what_others_have_written_moves_no_cursor(tmp_path, capsys):
    hostile = "\x1b[2J\x1b]0;title\x07\rred\x9b31m\u202e"
    shown = r"\x1b[2J\x1b]0;title\x07\rred\x9b31m\u202e"
    tell(hostile)
    terminal.tell_error(hostile)
    assert capsys.readouterr().err == f"metaeval: {shown}\nmetaeval: {shown}\n"
    assert for_people(f"a\tb\n{hostile} \u00e9 \u4e2d\n") == f"a\tb\n{shown} \u00e9 \u4e2d\n"
    (tmp_path / "mine.py").write_text(f"def f(candidate): raise ValueError({hostile!r})\n")
    (tmp_path / "a.txt").write_text("a\n")
    text = str(tmp_path / "a.txt")
    written, code = in_terminal(
        ["score", "-m", f"{tmp_path}/mine.py:f", "-c", text, "-r", text], NO_COLOR="1", columns=500
    )
    assert code == 1
    # The error stands on one line, so that its white space, here a carriage return, is a blank.
    assert b"ValueError: " + shown.replace(r"\r", " ").encode() in written
    assert b"\x1b" not in written


def test_an_error_is_broken_between_words_and_what_is_typed_stays_whole():
    rows = screen(in_terminal(["compare", "--corpus", "demo", "-m", "xyzzy"], columns=60)[0])
    assert rows[0].startswith("metaeval: unknown metric 'xyzzy'. Known metrics: 'bleu',")
    assert len(rows) > 2
    assert max(map(len, rows)) < 60
    assert any("`metaeval metrics list`" in row for row in rows)
    words = " ".join(rows).split()
    assert words[-4:] == ["file", "of", "scores", "scores:FILE."]


def test_an_error_that_is_no_terminal_s_is_one_line(capsys):
    long = " ".join(["word"] * 100)
    terminal.tell_error(long)
    assert capsys.readouterr().err == f"metaeval: {long}\n"


def test_a_warning_of_ours_is_a_line_and_others_have_their_place():
    before = warnings.formatwarning
    with shown_progress(quiet=True):
        ours = warnings.formatwarning(MetaevalWarning("a \x1b program"), MetaevalWarning, "file.py", 3)
        other = warnings.formatwarning("overflow", RuntimeWarning, "file.py", 3, line="")
    assert (ours, other) == ("metaeval: a \\x1b program\n", "file.py:3: RuntimeWarning: overflow\n")
    assert warnings.formatwarning is before


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_letters_that_an_encoding_lacks_are_escaped_and_said_once(tmp_path, encoding):
    # On Windows, what is redirected to a file has such an encoding.
    for name in ("\u4e2d.txt", "\u6587.txt"):
        (tmp_path / name).write_text("a b\n")
    command = [*METAEVAL, "score", "-m", "wer", "-c", "\u4e2d.txt", "\u6587.txt", "-r", "\u4e2d.txt", "--format", "tsv"]
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True)
    rows = done.stdout.decode("ascii").splitlines()
    assert [row.split("\t")[0] for row in rows[1:]] == ["\\u4e2d.txt", "\\u6587.txt"]
    assert done.stderr.decode("ascii").count(f"the output has the encoding {encoding}, which lacks some letters") == 1
    assert done.returncode == 0
