"""Signals end a command cleanly, and child processes end with it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack

import pytest

from metaeval.cli import main
from metaeval.runtime import shutdown
from metaeval.runtime.shutdown import Ended, child_process, handled_signals, removed_at_exit
from tests.support.processes import HANGS, started

PIPES = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "bufsize": 0}

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")


def handlers():
    return [signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)]


def report(error):
    pytest.fail(f"reported although the block ends by itself: {error!r}")


def wait_until(condition):
    start = time.monotonic()
    while not condition():
        assert time.monotonic() < start + HANGS
        time.sleep(0.01)


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_raises_an_exception_so_that_blocks_clean_up(number, code, tmp_path):
    given = signal.signal(number, signal.SIG_DFL)  # nohup lets programs ignore one of them
    before = handlers()
    path = tmp_path / "temporary"

    def work():
        path.mkdir()
        (path / "file").write_text("x")
        signal.raise_signal(number)

    try:
        with pytest.raises(Ended) as error, handled_signals(report), removed_at_exit(path):
            work()
        assert (error.value.code, error.value.name, path.exists()) == (code, number.name, False)
        assert handlers() == before
    finally:
        signal.signal(number, given)


def test_ctrl_c_stays_a_keyboard_interrupt():
    with pytest.raises(KeyboardInterrupt) as error, handled_signals(report):
        signal.raise_signal(signal.SIGINT)
    assert type(error.value) is KeyboardInterrupt


@pytest.mark.parametrize("handler", [signal.SIG_IGN, lambda *_: None])
def test_a_signal_that_is_ignored_or_handled_by_others_stays_so(handler):
    before = signal.signal(signal.SIGHUP, handler)
    try:
        with handled_signals(report):
            signal.raise_signal(signal.SIGHUP)
            assert signal.getsignal(signal.SIGHUP) is handler
        assert signal.getsignal(signal.SIGHUP) is handler
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_thread_changes_no_handler():
    before, found = handlers(), []

    def run():
        with handled_signals(report):
            found.extend(handlers())

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(HANGS)
    assert found == before


def raise_another_error_while_cleaning_up():
    try:
        signal.raise_signal(signal.SIGTERM)
    finally:
        raise RuntimeError("cannot join thread before it is started")


@pytest.mark.parametrize("work", [lambda: signal.raise_signal(signal.SIGTERM), raise_another_error_while_cleaning_up])
def test_the_command_line_says_which_signal_ended_it(monkeypatch, capsys, work):
    monkeypatch.setattr("metaeval.api.cite", work)
    before = handlers()
    assert main(["cite"]) == 143
    assert capsys.readouterr().err == "metaeval: ended by SIGTERM; what was not finished is not kept.\n"
    assert handlers() == before


def test_ctrl_c_gives_the_exit_code_of_a_shell(monkeypatch, capsys):
    monkeypatch.setattr("metaeval.api.cite", lambda: signal.raise_signal(signal.SIGINT))
    assert main(["cite"]) == 130
    assert capsys.readouterr().err == "metaeval: interrupted; what was not finished is not kept.\n"


# A program that catches every first signal, as code of users may.
STUBBORN = """
import sys, time
from pathlib import Path
from metaeval.corpora.directories import temporary_directory
from metaeval.runtime.atomic_directory import locked
from metaeval.runtime.shutdown import child_process, handled_signals

def report(error):
    print(type(error).__name__, "reported", file=sys.stderr, flush=True)

there = Path(sys.argv[1])
with handled_signals(report), temporary_directory(there, "x-"), locked(there), child_process(["cat"]) as child:
    while True:
        try:
            print(child.pid, flush=True)
            time.sleep(1000)
        except KeyboardInterrupt:
            pass
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)])
def test_a_second_signal_ends_what_catches_the_first(tmp_path, number, code):
    command = [sys.executable, "-c", STUBBORN, str(tmp_path)]
    with started(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        child = int(process.stdout.readline())
        assert len(list(tmp_path.iterdir())) == 3
        process.send_signal(number)
        process.stdout.readline()
        wait_until(lambda: not is_running(child))
        process.send_signal(number)
        _, err = process.communicate(timeout=HANGS)
    assert process.returncode == code
    assert err == (b"KeyboardInterrupt reported\n" if number == signal.SIGINT else b"Ended reported\n")
    assert list(tmp_path.iterdir()) == []


# Prints the id of what it has started.
TREE = "import subprocess; print(subprocess.Popen(['sleep', '1000']).pid, flush=True); input()"


def test_a_child_ends_after_the_block_with_all_that_it_has_started():
    command = [sys.executable, "-c", TREE]
    with child_process(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        grandchild = int(child.stdout.readline())
        assert child.poll() is None
        assert is_running(grandchild)
    assert child.returncode == -signal.SIGKILL
    assert child.stdout.closed
    wait_until(lambda: not is_running(grandchild))


def test_a_signal_kills_children_and_workers_at_once():
    worker = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(1000,))
    worker.start()

    def work(child):
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            codes.append(child.wait(HANGS))

    codes = []
    with pytest.raises(Ended), handled_signals(report), child_process(["sleep", "1000"]) as child:
        work(child)
    worker.join(HANGS)
    assert [*codes, worker.exitcode] == [-signal.SIGKILL] * 2
    worker.close()


FORKS = """
import os, signal, subprocess, sys, time
from pathlib import Path
from metaeval.runtime.shutdown import child_process, handled_signals, removed_at_exit
path = Path(sys.argv[1])
path.mkdir()
with handled_signals(print), child_process(["sleep", "1000"]) as child, removed_at_exit(path):
    fork = os.fork()
    if fork == 0:
        signal.raise_signal(signal.SIGTERM)
    print(os.waitstatus_to_exitcode(os.waitpid(fork, 0)[1]), child.poll(), path.exists(), flush=True)
"""


def test_a_fork_that_is_ended_leaves_what_is_not_its_own(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", FORKS, str(tmp_path / "x")], capture_output=True, text=True, timeout=HANGS, check=True
    )
    assert (done.stdout, done.stderr) == ("-15 None True\n", "")


STARTS = """
import subprocess, sys, time
from metaeval.runtime.shutdown import child_process
worker = subprocess.Popen([sys.executable, "-c", '''
import os, time
from metaeval.runtime.shutdown import die_with_parent
die_with_parent()
print(os.getpid(), flush=True)
time.sleep(1000)
'''], stdout=subprocess.PIPE)
with child_process(["sleep", "1000"]) as child:
    print(child.pid, int(worker.stdout.readline()), flush=True)
    time.sleep(1000)
"""


def test_children_and_workers_end_with_a_process_that_is_killed():
    with started([sys.executable, "-c", STARTS], stdout=subprocess.PIPE) as process:
        child, worker = map(int, process.stdout.readline().split())
        try:
            process.kill()
            process.wait(HANGS)
            if sys.platform == "linux":
                wait_until(lambda: not is_running(child))
            wait_until(lambda: not is_running(worker))
        finally:
            for pid in (child, worker):
                if is_running(pid):
                    os.kill(pid, signal.SIGKILL)


def test_a_worker_whose_parent_is_gone_already_ends():
    code = (
        "import time; from metaeval.runtime.shutdown import die_with_parent; die_with_parent(1 << 30); time.sleep(1000)"
    )
    with started([sys.executable, "-c", code]) as process:
        assert process.wait(HANGS) == 1


def test_a_child_outlives_the_thread_that_has_started_it():
    children = []
    with ExitStack() as stack:
        thread = threading.Thread(target=lambda: children.append(stack.enter_context(child_process(["cat"], **PIPES))))
        thread.start()
        thread.join()
        (child,) = children
        child.stdin.write(b"here\n")
        assert child.stdout.readline() == b"here\n"


def test_ctrl_c_of_a_terminal_does_not_reach_workers():
    code = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))"
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    with shutdown.terminal_signals_blocked():
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=HANGS, check=True)
    assert done.stdout == "True\n"
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before
