"""What a user finds after a signal: `metaeval run` and `compare` ended in each stage, and given again.

    python scripts/interrupt_runs.py [--jobs 2]

Each command works in a directory, a cache and a temporary directory of its own. When it says that a stage begins, it
gets a signal. The table says how it ended, what is left of it, and whether the same command then gives the bytes of an
undisturbed one. Linux only.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

RUN = ["run", "turian2003-chinese", "--corpus", "demo", "--set", "documents.count=300", "--output", "out"]
COMPARE = ["compare", "--corpus", "demo", "-m", "bleu", "ter", "slow.py:slow", "--output", "out"]
# Stages by the words with which a command announces them.
STAGES = {"run": ("read", "score", "correlate", "write"), "compare": ("read", "score", "correlate", "pool")}
SIGNALS = ("SIGINT", "SIGTERM")
# A metric that takes a while for each system, so that a signal meets it at work.
SLOW = """
import os, time
def slow(candidates, references):
    with open(os.environ["CALLS"], "a") as calls:
        calls.write("call\\n")
    time.sleep(0.3)
    return [len(one) for one in candidates]
"""
# Seconds from the beginning of a stage to the signal: in the fifth of eight systems, and at once.
WAIT = {("compare", "score"): 1.4, ("run", "write"): 0.0}
# Seconds in which children must be gone, and after which a command is given up.
PATIENCE, LONGEST = 10.0, 300.0


class Sandbox:
    """A directory with everything that a command reads and writes."""

    def __init__(self, root: Path) -> None:
        self.root, self.calls = root, root / "calls"
        for name in ("home", "cache", "tmp"):
            (root / name).mkdir()
        self.calls.write_text("")
        (root / "slow.py").write_text(SLOW)
        places = {"HOME": "home", "METAEVAL_CACHE": "cache", "TMPDIR": "tmp", "CALLS": "calls"}
        self.environment = {**os.environ, **{name: str(root / of) for name, of in places.items()}}

    def start(self, arguments: Sequence[str]) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "metaeval", *arguments]
        return subprocess.Popen(
            command,
            cwd=self.root,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def finish(self, arguments: Sequence[str]) -> None:
        process = self.start(arguments)
        _, said = process.communicate(timeout=LONGEST)
        if process.returncode:
            raise SystemExit(f"{' '.join(arguments)}: exit code {process.returncode}\n{said}")

    def digest(self) -> str:
        """Return a digest of all files of the output but the times of the run."""
        out, total = self.root / "out", hashlib.sha256()
        for path in sorted(one for one in out.rglob("*") if one.is_file() and one.name != "times.json"):
            total.update(str(path.relative_to(out)).encode() + path.read_bytes())
        return total.hexdigest()[:12]

    def left(self, process: int) -> list[str]:
        """Return what a process has left beside the cache and the output, but for what is matplotlib's."""
        found = [path for path in (self.root / "tmp").rglob("*") if path.is_file()]
        found += [path for path in (self.root / "home").rglob("*") if path.is_file() and "matplotlib" not in path.parts]
        found += [*(self.root / "cache").rglob(".new-*"), *self.root.glob(".*")]
        # joblib and loky call theirs after the process.
        found += [path for path in Path("/dev/shm").glob("*") if str(process) in re.split(r"[-_]", path.name)]
        return sorted(map(str, found))


def session_processes(session: int) -> list[int]:
    """Return the processes of a session that still live."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(int(entry.name))
    return found


def interrupt(box: Sandbox, arguments: Sequence[str], stage: str, name: str) -> tuple[int, str, float, int, list[str]]:
    """Send a signal to a command in a stage; return exit code, last line, seconds, and children and files left."""
    process = box.start(arguments)
    assert process.stderr is not None
    last = ""
    for line in process.stderr:
        last = line.strip() or last
        if line.startswith(f"metaeval: {stage} "):
            break
    else:
        raise SystemExit(f"{' '.join(arguments)}: no stage {stage!r}; the last line is {last!r}")
    time.sleep(WAIT.get((arguments[0], stage), 0.3))
    began = time.monotonic()
    os.kill(process.pid, getattr(signal, name))
    said = process.stderr.read().strip().split("\n")
    code = process.wait(LONGEST)
    seconds = time.monotonic() - began
    end = time.monotonic() + PATIENCE
    while session_processes(process.pid) and time.monotonic() < end:
        time.sleep(0.1)
    alive = session_processes(process.pid)
    for pid in alive:
        os.kill(pid, signal.SIGKILL)
    return code, said[-1], seconds, len(alive), box.left(process.pid)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--jobs", type=int, default=2)
    jobs = ["--jobs", str(parser.parse_args().jobs)]
    print("| command | stage | signal | exit code, seconds | last line | left: processes, files | output | again |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as scratch:
        for command in (RUN, COMPARE):
            verb = command[0]
            whole = Sandbox(_made(Path(scratch) / f"{verb}-whole"))
            whole.finish([*command, *jobs])
            expected = whole.digest()
            cases = [(stage, name) for stage in STAGES[verb] for name in SIGNALS]
            for stage, name in [*cases, *([("write", "SIGKILL")] if verb == "run" else [])]:
                box = Sandbox(_made(Path(scratch) / f"{verb}-{stage}-{name}"))
                code, last, seconds, alive, files = interrupt(box, [*command, *jobs], stage, name)
                state = _state(box.root / "out")
                before = box.calls.read_text().count("call")
                box.finish([*command, *jobs])
                after = box.calls.read_text().count("call") - before
                same = "the same bytes" if box.digest() == expected else "OTHER BYTES"
                asked = f"; {before} + {after} calls of the slow metric" if verb == "compare" else ""
                print(
                    f"| {verb} | {stage} | {name} | {code}, {seconds:.1f} | {last} | {alive}, {len(files)} | {state} | "
                    f"{same}{asked} |",
                    flush=True,
                )
                for path in files:
                    print(f"left: {path}", file=sys.stderr)
                shutil.rmtree(box.root)


def _made(path: Path) -> Path:
    path.mkdir()
    return path


def _state(out: Path) -> str:
    """Return what has become of the output."""
    if not out.exists():
        return "none"
    return "whole" if (out / "manifest.json").exists() else f"incomplete, {len([*out.iterdir()])} files"


if __name__ == "__main__":
    main()
