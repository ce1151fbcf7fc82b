"""Time jobs that take half a minute or more with one process, with one and with two: wall clock and use of processors.

Each runs in a process of its own with an empty store, once with --jobs 1 and once with --jobs 2, after each other. The
user's metric is a function in Python that says ``parallel = True``. One job is short: it should not be slower with two.
The same run with one process is also made twice at the same time: two runs that share nothing show how much faster two
processes can be on this machine, whose processors may be two threads of one core.
With --dask also a scheduler of dask with two workers, beside one process.

Run it on a machine that does nothing else: two processors are all that it uses, for about fifteen minutes, and two
more with --dask.

Usage: python scripts/bench_parallel.py [--only NAME ...] [--dask] [--corpus DIR]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

METRICS = (
    "bleu",
    "ter",
    "wer",
    "per",
    "gtm",
    "gtm(exponent=2)",
    "rouge-l",
    "rouge-s",
    "rouge-w",
    "nist",
    "chrf",
    "chrf(word_order=2)",
)
METRIC = """
def slow(candidate, references):
    total = 0
    for _ in range(1500):
        for one in references:
            total += len(set(candidate.split()) & set(one.split()))
    return float(total)


slow.parallel = True
"""
TASKS = f"""
title = "Two language pairs"
corpora = ["pair-0", "pair-1"]
metrics = {[*METRICS[:10]]}
criteria = ["adequacy"]
figures = []

[ranking]
permutations = 5000

[[tasks]]
level = "system"
coefficient = ["pearson", "soft-pairwise-accuracy"]

[[tasks]]
level = "segment"
coefficient = ["acc_eq", "pearson"]
"""
FEW = ("--set", "figures=[]")
# The commands; CORPUS is webnlg2020-en where its directory is given, else a simulated corpus.
JOBS = {
    "Turian": ("run", "turian2003-chinese", "--corpus", "CORPUS", *FEW, "--set", "documents.count=3500"),
    "Melamed": ("run", "melamed2003", "--corpus", "demo", *FEW, "--set", "documents.count=1800"),
    "segments": (
        "compare", "--corpus", "CORPUS", "--level", "segment", "--coefficient", "pearson", "kendall",
        "--test", "bootstrap", "--resamples", "400000", "-m", *METRICS,
    ),
    "task set": ("run", "tasks.toml"),
    "user's metric": ("compare", "--corpus", "CORPUS", "-m", "mine.py:slow", "--ceiling", "0"),
    "short": ("compare", "--corpus", "CORPUS", "-m", "bleu", "ter"),
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", default=list(JOBS), choices=list(JOBS))
    parser.add_argument("--dask", action="store_true", help="also two workers of dask, beside one process")
    parser.add_argument("--corpus", help="the directory of webnlg2020-en; a simulated corpus unless given")
    options = parser.parse_args()
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.2f}")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        prepare(place)
        corpus = str(Path(options.corpus).resolve()) if options.corpus else "simulated"
        commands = {name: [one.replace("CORPUS", corpus) for one in job] for name, job in JOBS.items()}
        print("job\tone process\ttwo\ttimes faster\ttwo runs that share nothing\tprocessors used by one\tby two")
        for name in options.only:
            one, two = (timed([*commands[name], "--jobs", jobs], place) for jobs in "12")
            apart = timed([*commands[name], "--jobs", "1"], place, runs=2)
            print(
                name,
                *(f"{x:.1f}" for x in (one[0], two[0])),
                *(f"{x:.2f}" for x in (one[0] / two[0], 2 * one[0] / apart[0])),
                *map(used, (one, two)),
                sep="\t",
                flush=True,
            )
        if options.dask:
            print("way\twall clock")
            print(f"one process\t{timed(commands['Turian'], place)[0]:.1f}")
            print(f"dask, two workers\t{with_dask(commands['Turian'], place):.1f}")


def prepare(place: Path) -> None:
    """Write what the commands read."""
    (place / "mine.py").write_text(METRIC)
    (place / "tasks.toml").write_text(TASKS)
    made = {
        "simulated": ["--systems", "16", "--segments", "180", "--seed", "1"],
        **{f"pair-{n}": ["--systems", "12", "--segments", "400", "--seed", str(n)] for n in (0, 1)},
    }
    for name, settings in made.items():
        metaeval(["corpus", "simulate", "mtc-chinese", name, *settings], place, place / "cache-of-preparing")


def started(command: Sequence[str], place: Path, cache: Path) -> subprocess.Popen[bytes]:
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    environment = {**os.environ, **threads, "METAEVAL_CACHE": str(cache), "METAEVAL_CACHE_LIMIT": "20G"}
    with (place / "log.txt").open("ab") as log:
        line = [sys.executable, "-m", *command]
        return subprocess.Popen(line, cwd=place, env=environment, stdout=subprocess.DEVNULL, stderr=log)


def metaeval(command: Sequence[str], place: Path, cache: Path) -> None:
    if started(["metaeval", *command], place, cache).wait():
        raise SystemExit((place / "log.txt").read_text())


def timed(command: Sequence[str], place: Path, runs: int = 1) -> tuple[float, float]:
    """Return wall clock and processor seconds of a command with an empty store, or of several at the same time."""
    with tempfile.TemporaryDirectory(dir=place) as cache:
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        both = []
        for n in range(runs):
            where = ["--output", str(Path(cache, f"run-{n}"))] if command[0] == "run" else []
            both.append(started(["metaeval", *command, *where], place, Path(cache, f"cache-{n}")))
        if max(abs(one.wait()) for one in both):
            raise SystemExit((place / "log.txt").read_text())
        wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def used(found: tuple[float, float]) -> str:
    return f"{found[1] / found[0]:.2f}"


def with_dask(command: Sequence[str], place: Path) -> float:
    """Return the wall clock of a run by a scheduler of dask and two workers."""
    with tempfile.TemporaryDirectory(dir=place) as cache:
        where = Path(cache, "scheduler.json")
        common = ["--scheduler-file", str(where), "--no-dashboard"]
        dask = [
            started(
                ["distributed.cli.dask_scheduler", *common, "--host", "127.0.0.1", "--port", "0"], place, Path(cache)
            )
        ]
        while not where.exists():
            if dask[0].poll() is not None:
                raise SystemExit((place / "log.txt").read_text())
            time.sleep(0.1)
        dask += [
            started(
                ["distributed.cli.dask_worker", *common, "--nthreads", "1", "--no-nanny"], place, Path(cache, str(n))
            )
            for n in (1, 2)
        ]
        try:
            address = json.loads(where.read_text())["address"]
            return timed([*command, "--scheduler", address], place)[0]
        finally:
            for one in reversed(dask):
                one.kill()
                one.wait()


if __name__ == "__main__":
    main()
