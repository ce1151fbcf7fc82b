"""What a second run costs where the first has been kept: CPU seconds of whole commands, as shares of the first.

    python scripts/bench_cache.py [--corpus DIR ...] [--presets]

Each first run begins with an empty cache. Prints the table of docs/performance.md; with `--presets` that of
docs/cache.md: the experiments of the papers on demo, each run twice. What the second run costs is what is lost by a
run that is killed at its end.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

FOUR = ["bleu", "nist", "ter", "rouge-l"]
RUN = ["--set", "figures=[]", "--output", "out"]
TURIAN, MELAMED = ["run", "turian2003-chinese", *RUN], ["run", "melamed2003", *RUN]
PRESETS = ("melamed2003", "turian2003-chinese", "turian2003-arabic", "finch2004", "linoch2004", "morgenroth2011")
SLOW = """
import math
def slow(candidate, references):
    return sum(math.sin(n) for n in range(20_000)) + len(candidate)
"""


def cpu(arguments: Sequence[str], directory: Path, limit: str = "20G") -> float:
    """Return the CPU seconds of a command, with those of all that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "METAEVAL_CACHE": str(directory / "cache"), "METAEVAL_CACHE_LIMIT": limit}
    command = [sys.executable, "-m", "metaeval", *arguments, "--quiet"]
    subprocess.run(command, cwd=directory, env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def jobs(corpora: Sequence[str]) -> list[tuple[str, list[str], list[str]]]:
    """Return what is run first and second, with what it is called."""
    found = []
    for corpus in ["demo", *corpora]:
        name, of = Path(corpus).name, ["--corpus", corpus]
        compare = ["compare", *of, "-m"]
        found += [
            (f"compare, 4 metrics, {name}; chrF too", [*compare, *FOUR], [*compare, *FOUR, "chrf"]),
            (f"compare with a slow function, {name}; one metric more",
             [*compare, *FOUR[:3], "slow.py:slow"], [*compare, *FOUR, "slow.py:slow"]),
            (f"Turian, {name}; nothing", [*TURIAN, *of], [*TURIAN, *of]),
            (f"Melamed, {name}; nothing", [*MELAMED, *of], [*MELAMED, *of]),
        ]  # fmt: skip
    return found


def print_presets() -> None:
    """Run each paper's experiment twice, and print the CPU seconds."""
    print("| experiment | CPU seconds | the same again |")
    print("| --- | ---: | ---: |")
    for preset in PRESETS:
        with tempfile.TemporaryDirectory() as folder:
            arguments = ["run", preset, "--corpus", "demo", "--output", "out"]
            first, second = (cpu(arguments, Path(folder)) for _ in range(2))
        print(f"| {preset} | {first:.1f} | {second:.1f} |", flush=True)


def main() -> None:
    """Run each pair, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", nargs="*", default=[], help="corpora beside demo")
    parser.add_argument("--presets", action="store_true", help="the experiments of the papers instead")
    arguments = parser.parse_args()
    if arguments.presets:
        print_presets()
        return
    print("| job; what the second run has otherwise | first run | no cache | second run | share | cache |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |", flush=True)
    for name, first, second in jobs(arguments.corpus):
        with tempfile.TemporaryDirectory() as folder:
            directory = Path(folder)
            (directory / "slow.py").write_text(SLOW)
            plain = cpu(second, directory, "0")
            costs = [cpu(first, directory), cpu(second, directory)]
            size = sum(path.stat().st_size for path in (directory / "cache" / "arrays").rglob("*.npy")) / 1e6
        share = f"{costs[1] / costs[0]:.0%} | {size:.0f} MB"
        print(f"| {name} | {costs[0]:.1f} s | {plain:.1f} s | {costs[1]:.1f} s | {share} |", flush=True)


if __name__ == "__main__":
    main()
