"""Whole jobs, from the command line to its results: CPU seconds and peak memory, with one job and nothing stored.

    python scripts/bench_jobs.py [--corpora DIR] [--jobs NAME ...] [--rounds N] [--profile]

DIR has webnlg2020-en and wmt21-ted-zhen in the neutral layout; jobs on them are left out without it. A first round,
which is not counted, compiles what Python compiles. With --profile each job is run once more under cProfile, which
names what takes most. At last all presets run with two processes. The table of docs/performance.md has the functions in
words.
"""

from __future__ import annotations

import argparse
import os
import pstats
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

FOUR = ["-m", "bleu", "ter", "wer", "rouge-l"]
WEBNLG, WMT = "webnlg2020-en", "wmt21-ted-zhen"
COMPARE, RUN = ["compare", "--corpus"], ["run", "--output", "OUT"]
PRESETS = ("turian2003-chinese", "turian2003-arabic", "melamed2003", "finch2004", "linoch2004", "morgenroth2011")
JOBS = {
    f"compare, BLEU, TER, WER, ROUGE-L, {WEBNLG}": [*COMPARE, WEBNLG, *FOUR],
    f"compare, chrF too, {WEBNLG}": [*COMPARE, WEBNLG, *FOUR, "chrf"],
    f"compare, segments, {WMT}": [*COMPARE, WMT, *FOUR, "--level", "segment"],
    f"compare, pseudo-documents of 10, {WEBNLG}": [*COMPARE, WEBNLG, *FOUR, "--level", "documents(length=10)"],
    f"run, turian2003-chinese, {WEBNLG}": [*RUN, "turian2003-chinese", "--corpus", WEBNLG],
    **{f"run, {name}, demo": [*RUN, name, "--corpus", "demo"] for name in PRESETS[1:4]},
    **{f"run, {name}": [*RUN, name] for name in PRESETS},
}


def run(arguments: Sequence[str], environment: Mapping[str, str], profile: Path | None = None) -> tuple[float, float]:
    """Return CPU seconds and peak megabytes of a command."""
    watched = [] if profile is None else ["-m", "cProfile", "-o", str(profile)]
    command = [sys.executable, *watched, "-m", "metaeval", *arguments, "--quiet"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)} failed")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def costs(profile: Path) -> str:
    """Return the three functions in which most time was spent, with their shares."""
    found = pstats.Stats(str(profile)).stats  # type: ignore[attr-defined]
    whole = sum(one[2] for one in found.values())
    most = sorted(found.items(), key=lambda item: -item[1][2])[:3]
    return ", ".join(f"{key[2].strip('<>').replace('built-in method ', '')} {one[2] / whole:.0%}" for key, one in most)


def main() -> None:
    """Time the jobs, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpora", type=Path, help="where the public corpora are")
    parser.add_argument("--jobs", nargs="*", default=[], help="words of the names of jobs; all unless given")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--profile", action="store_true", help="name what takes most")
    options = parser.parse_args()
    if not any(all(word in name for word in options.jobs) for name in JOBS):
        parser.error(f"no job has all words of {options.jobs}; there are: {'; '.join(JOBS)}")
    print("| job | CPU s | peak MB |" + " most time in |" * options.profile)
    print("| --- | ---: | ---: |" + " --- |" * options.profile, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment |= {"METAEVAL_CACHE_LIMIT": "0", "METAEVAL_CACHE": folder, "OPENBLAS_NUM_THREADS": "1"}
        environment["PYTHONPYCACHEPREFIX"] = folder
        for name, job in JOBS.items():
            needed = [one for one in (WEBNLG, WMT) if one in job]
            if (needed and not options.corpora) or not all(word in name for word in options.jobs):
                continue
            arguments = [str(options.corpora / one) if one in needed else one for one in job]
            arguments = [str(Path(folder, "run")) if one == "OUT" else one for one in arguments]
            rounds = [run(arguments, environment) for _ in range(1 + options.rounds)][1:]
            seconds, peaks = zip(*rounds, strict=True)
            spread = f"{statistics.median(seconds):.1f} [{min(seconds):.1f} {max(seconds):.1f}]"
            row = f"| {name} | {spread} | {max(peaks):.0f} |"
            if options.profile:
                run(arguments, environment, Path(folder, "profile"))
                row += f" {costs(Path(folder, 'profile'))} |"
            print(row, flush=True)
        if not options.jobs:
            start = time.perf_counter()
            for name in PRESETS:
                run(["run", name, "--jobs", "2", "--output", str(Path(folder, "run"))], environment)
            print(f"\nThe {len(PRESETS)} presets with two processes: {time.perf_counter() - start:.1f} s on the clock")


if __name__ == "__main__":
    main()
