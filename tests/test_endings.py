"""How signals end what runs, and what ends with a process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from metaeval import endings
from metaeval.cli import main
from metaeval.endings import Ended, heeding_signals
from tests.support.processes import HANGS, started

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")


def heeded():
    return [signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)]


def silent(error):
    pytest.fail(f"the block has ended by itself: {error!r}")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_a_block_and_another_does_not_end_the_end(number, code):
    given, cleared = signal.signal(number, signal.SIG_DFL), []  # nohup lets programs ignore one of them
    before = heeded()

    def work():
        try:
            signal.raise_signal(number)
        finally:
            signal.raise_signal(signal.SIGTERM)
            cleared.append(number)

    try:
        with pytest.raises(Ended) as error, heeding_signals(silent):
            work()
        assert (cleared, error.value.code, error.value.name) == ([number], code, number.name)
        assert heeded() == before
    finally:
        signal.signal(number, given)


def test_ctrl_c_stays_what_it_is():
    with pytest.raises(KeyboardInterrupt) as error, heeding_signals(silent):
        signal.raise_signal(signal.SIGINT)
    assert type(error.value) is KeyboardInterrupt


@pytest.mark.parametrize("how", [signal.SIG_IGN, lambda *_: None])
def test_a_signal_that_is_ignored_or_heeded_by_others_stays_so(how):
    before = signal.signal(signal.SIGHUP, how)
    try:
        with heeding_signals(silent):
            signal.raise_signal(signal.SIGHUP)
            assert signal.getsignal(signal.SIGHUP) is how
        assert signal.getsignal(signal.SIGHUP) is how
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_thread_heeds_no_signals():
    before, found = heeded(), []

    def run():
        with heeding_signals(silent):
            found.extend(heeded())

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(HANGS)
    assert found == before


def failing_in_its_turn():
    try:
        signal.raise_signal(signal.SIGTERM)
    finally:
        raise RuntimeError("cannot join thread before it is started")


@pytest.mark.parametrize("ended", [lambda: signal.raise_signal(signal.SIGTERM), failing_in_its_turn])
def test_the_command_line_says_what_has_ended_it(monkeypatch, capsys, ended):
    monkeypatch.setattr("metaeval.api.cite", ended)
    before = heeded()
    assert main(["cite"]) == 143
    assert capsys.readouterr().err == "metaeval: ended by SIGTERM; what was not finished is not kept.\n"
    assert heeded() == before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_what_threads_lose_with_their_workers_is_not_shown(number, capsys):
    before = threading.excepthook

    def lose():
        raise RuntimeError("the worker is gone")

    def work():
        try:
            signal.raise_signal(number)
        finally:
            thread = threading.Thread(target=lose)
            thread.start()
            thread.join()

    with pytest.raises(KeyboardInterrupt), heeding_signals(silent):
        work()
    assert capsys.readouterr().err == ""
    assert threading.excepthook is before


def test_nothing_stays_of_heeding(monkeypatch):
    with heeding_signals(silent):
        pass
    threads, files = threading.active_count(), len(os.listdir("/dev/fd"))
    for _ in range(50):
        with heeding_signals(silent):
            pass
    start = time.monotonic()
    while (threading.active_count(), len(os.listdir("/dev/fd"))) > (threads, files):
        assert time.monotonic() < start + HANGS
        time.sleep(0.01)


# It does not hear that it is to end; what it prints, nobody may read.
DEAF = """
import sys, time
from pathlib import Path
from metaeval.corpora.directories import temporary_directory
from metaeval.endings import heeding_signals
from metaeval.runtime.run_directory import locked

def tell(error):
    print(type(error).__name__, "told", file=sys.stderr, flush=True)
    while {mute}:
        time.sleep(1)

there = Path(sys.argv[1])
with heeding_signals(tell), temporary_directory(there, "x-"), locked(there):
    while True:
        try:
            print(flush=True)
            time.sleep(1000)
        except KeyboardInterrupt:
            pass
"""


@pytest.mark.parametrize("mute", [False, True])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 1)])
def test_what_does_not_hear_ends_all_the_same(tmp_path, number, code, mute):
    command = [sys.executable, "-c", DEAF.format(mute=mute), str(tmp_path)]
    with started(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"\n"
        assert len(list(tmp_path.iterdir())) == 3
        process.send_signal(number)
        _, told = process.communicate(timeout=HANGS)
    assert process.returncode == code
    assert told == (b"KeyboardInterrupt told\n" if number == signal.SIGINT else b"Ended told\n")
    assert list(tmp_path.iterdir()) == []


def group():
    """Start something with a process group of its own."""
    return subprocess.Popen(["sleep", "1000"], start_new_session=True)


def test_a_watch_that_somebody_has_ended_begins_again():
    first, second = group(), group()
    try:
        endings.keep(first.pid)
        watch = endings._WATCHED.process
        assert watch is not None
        watch.kill()
        watch.wait(HANGS)
        # Who hears that nobody reads begins again.
        endings.keep(second.pid)
        assert endings._WATCHED.process not in (None, watch)
        endings._WATCHED.close()
        assert [one.wait(HANGS) for one in (first, second)] == [-signal.SIGKILL] * 2
    finally:
        for one in (first, second):
            one.kill()
            one.wait(HANGS)
            endings.release(one.pid)


def test_without_a_watch_a_plugin_runs_all_the_same(monkeypatch):
    def refused(*_, **__):
        raise BlockingIOError(11, "Resource temporarily unavailable")

    watch = endings._Watch()
    monkeypatch.setattr(subprocess, "Popen", refused)
    files = len(os.listdir("/dev/fd"))
    watch.groups[1] = None
    for _ in range(10):
        watch.tell()
    assert (watch.process, len(os.listdir("/dev/fd"))) == (None, files)


KEEPS = """
import os, subprocess, sys, time
from metaeval import endings
kept, released = (subprocess.Popen(["sleep", "1000"], start_new_session=True) for _ in range(2))
endings.keep(kept.pid)
endings.keep(released.pid)
endings.release(released.pid)
other = os.fork()
if other == 0:
    # A copy of this process must not keep the watch from its end, nor tell it anything.
    endings.release(kept.pid)
    time.sleep(1000)
print(kept.pid, released.pid, other, flush=True)
time.sleep(1000)
"""


def test_only_what_is_kept_ends_with_a_process_that_is_killed():
    with started([sys.executable, "-c", KEEPS], stdout=subprocess.PIPE) as process:
        kept, released, other = map(int, process.stdout.readline().split())
        try:
            process.kill()
            process.wait(HANGS)
            start = time.monotonic()
            while lives(kept):
                assert time.monotonic() < start + HANGS
                time.sleep(0.01)
            assert lives(released)
            assert lives(other)
        finally:
            for pid in (kept, released, other):
                if lives(pid):
                    os.kill(pid, signal.SIGKILL)


def lives(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
