"""Commands that are ended in the middle: nothing of them stays, and they can be repeated."""

from __future__ import annotations

import functools
import os
import signal
import sys
import time

import pytest

from tests.support.kills import COMMANDS, Moment, Started, check, draw, end, finish, prepare

pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="processes are found in /proc")

# Computes for ever.
FOREVER = """
import os
def f(candidate, references):
    with open(f"pid-{os.getpid()}", "w") as file:
        file.write("here")
    while True:
        pass
f.higher_is_better = True
"""
# A program that does so too, and has started something else that does.
PROGRAM = """
import json, subprocess, sys
child = subprocess.Popen(["sleep", "1000"])
print(sys.stdin.readline()[:10], file=sys.stderr)
open("pid-0", "w").write("here")
while True:
    pass
"""
PSEUDO = ("run", "by_length.toml", "--output", "out", "--jobs", "2", "--set", "uncertainty.n_resamples=1000000")


@pytest.fixture(scope="session")
def disturbed(tmp_path_factory):
    """Ends a command and repeats it where it was run before, because runs write down where plug-ins are."""
    directory = tmp_path_factory.mktemp("disturbed")
    undisturbed = functools.cache(lambda name: finish(COMMANDS[name], prepare(directory)))

    def check_one(name, moment):
        expected = undisturbed(name)
        found = check(COMMANDS[name], prepare(directory), moment, expected)
        # Shown by `pytest -rP`.
        print(f"{name}, {moment}: {found.code} in {found.seconds:.2f} s, all in {found.seconds_left:.2f} s more")

    return check_one


@pytest.mark.parametrize(
    ("name", "moment"),
    [
        ("run", Moment(0.8, signal.SIGKILL, group=True)),
        ("compare", Moment(0.7, signal.SIGTERM, group=True)),
        ("convert", Moment(0.6, signal.SIGKILL, group=False)),
        ("simulate", Moment(0.7, signal.SIGHUP, group=False)),
        ("first use", Moment(0.7, signal.SIGKILL, group=False)),
    ],
    ids=str,
)
def test_a_command_that_was_ended_gives_the_same_bytes_when_it_is_repeated(disturbed, name, moment):
    disturbed(name, moment)


@pytest.mark.long
@pytest.mark.parametrize(("name", "moment"), draw(60, seed=2003), ids=str)
def test_whenever_a_command_is_ended(disturbed, name, moment):
    disturbed(name, moment)


def wait_for(started, there):
    while not there():
        assert started.process.poll() is None, started.told
        time.sleep(0.02)


CODES = {signal.SIGKILL: -9, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGINT: 130}
FUNCTION = ("compare", "--corpus", "demo", "-m", "forever.py:f")
OTHER = ("compare", "--corpus", "demo", "-m", f"program(command='{sys.executable} forever_program.py')")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
@pytest.mark.parametrize("arguments", [FUNCTION, OTHER], ids=["function", "program"])
def test_plugins_end_with_metaeval(tmp_path, arguments, number):
    prepare(tmp_path)
    (tmp_path / "forever.py").write_text(FOREVER)
    (tmp_path / "forever_program.py").write_text(PROGRAM)
    started = Started(arguments, tmp_path)
    try:
        wait_for(started, lambda: any(path.read_text() for path in tmp_path.glob("pid-*")))
        # What the program has started is there, but for a moment the system may not know its environment.
        wait_for(started, lambda: arguments == FUNCTION or any("sleep 1000" in one for one in started.living()))
        found = end(started, number)
    finally:
        started.end()
    # What a program has started itself ends with every signal that metaeval can handle.
    expected = ["sleep 1000 "] if number == signal.SIGKILL and arguments == OTHER else []
    assert (found.living, found.temporary) == (expected, [])
    assert found.code == CODES[number]
    if number != signal.SIGKILL:
        by = "interrupted" if number == signal.SIGINT else f"ended by {signal.Signals(number).name}"
        assert [line for line in found.told.splitlines() if ": " in line][-1] == (
            f"metaeval: {by}; what was not finished is not kept."
        )


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_workers_end_with_metaeval(tmp_path, number):
    prepare(tmp_path)
    started = Started(PSEUDO, tmp_path)
    try:
        wait_for(started, lambda: sum("popen_loky_posix" in one for one in started.living()) == 2)
        wait_for(started, lambda: any((tmp_path / "shared").iterdir()))
        # A terminal sends Ctrl-C to all processes, and SIGHUP when it goes away.
        found = end(started, number, group=number in (signal.SIGHUP, signal.SIGINT))
    finally:
        started.end()
    assert found.living == []
    assert found.code == CODES[number]
    assert "resource_tracker" not in found.told
    if number != signal.SIGKILL:
        assert found.temporary == []
        assert "Traceback" not in found.told
        assert "what was not finished is not kept" in found.told.splitlines()[-1]
