"""How the time of a task set grows with systems, segments, references, metrics and replicates; what a large one takes.

A language pair is a simulated corpus with four tasks: Pearson's correlation and soft pairwise accuracy of systems,
pairwise accuracy with tie calibration and Pearson's correlation of segments, with intervals, tests and the permutation
test of WMT. One size is changed at a time, and each stage gets an exponent for each size: the slope of the logarithm of
its processor seconds. Then the sizes of a large task set are put in, for one process that does one thing at a time.
Sizes are taken as independent, which they are not quite.

Usage: python scripts/scaling.py [--quick]
"""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
os.environ["METAEVAL_CACHE_LIMIT"] = "1G"

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

BASE = {"systems": 10, "segments": 200, "references": 1, "metrics": 6, "replicates": 500}
OTHERS = {
    "systems": (20, 30),
    "segments": (400, 1000),
    "references": (2, 4),
    "metrics": (12, 18),
    "replicates": (1000, 2000),
}
LARGE, PAIRS = {**BASE, "systems": 30, "segments": 2000, "metrics": 60, "replicates": 1000}, 50
# Metrics of n-grams, which cost about the same.
METRICS = [f"{name}(order={order})" for order in range(1, 13) for name in ("bleu", "nist")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="half of the sizes")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measured(json.loads(options.one))))
        return
    base = in_a_process(BASE)
    show("base", BASE, base)
    points = {}
    for name, sizes in OTHERS.items():
        for size in sizes[-1:] if options.quick else sizes:
            points[name, size] = in_a_process({**BASE, name: size})
            show(f"{name} {size}", BASE, points[name, size])
    stages = list(base)
    print("\nexponent\t" + "\t".join(stages))
    exponents = {name: [slope(name, stage, base, points) for stage in stages] for name in OTHERS}
    for name, found in exponents.items():
        print(name, *(f"{one:.2f}" for one in found), sep="\t")
    print(f"\n{LARGE}, {PAIRS} language pairs, one process")
    for place, stage in enumerate(stages):
        grown = base[stage] * np.prod([(LARGE[name] / BASE[name]) ** exponents[name][place] for name in OTHERS])
        of_all = f"{grown:.1f} GB" if stage == "memory" else f"{grown * PAIRS / 3600:.1f} hours"
        print(stage, of_all, sep="\t")


def show(words: str, sizes: dict[str, int], found: dict[str, float]) -> None:
    print(words, *(f"{stage} {value:.2f}" for stage, value in found.items()), sep="\t", flush=True)


def slope(name: str, stage: str, base: dict[str, float], points: dict) -> float:
    """Return the exponent of a size: that of the largest against the smallest, and of all between."""
    sizes = [BASE[name], *(size for other, size in points if other == name)]
    values = [base[stage], *(points[name, size][stage] for size in sizes[1:])]
    return float(np.polyfit(np.log(sizes), np.log(np.maximum(values, 0.01)), 1)[0])


def in_a_process(sizes: dict[str, int]) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, __file__, "--one", json.dumps(sizes)], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def measured(sizes: dict[str, int]) -> dict[str, float]:
    """Return the processor seconds of each stage of a task set on one language pair, and gigabytes at most."""
    import metaeval

    spent, stage = dict.fromkeys(("read", "score", "correlate", "rank"), 0.0), ["", 0.0]

    def progress(step: metaeval.Step) -> None:
        now = time.process_time()
        if stage[0] in spent:
            spent[stage[0]] += now - stage[1]
        # What comes between belongs to what was read.
        stage[:] = "read" if step.stage in ("judge", "sample") else step.stage, now

    names = METRICS[: sizes["metrics"]]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["METAEVAL_CACHE"] = folder
        where = Path(folder, "pair")
        shape = {name: sizes[name] for name in ("systems", "segments", "references")}
        metaeval.simulate_corpus("mtc-chinese", where, seed=1, **shape)
        config = {
            "title": "scaling",
            "metrics": names,
            "criteria": ["adequacy"],
            "figures": [],
            "uncertainty": {"n_resamples": sizes["replicates"]},
            "ranking": {"permutations": sizes["replicates"]},
            "tasks": [
                {"level": "system", "coefficient": ["pearson", "soft-pairwise-accuracy"]},
                {"level": "segment", "coefficient": ["acc_eq", "pearson"]},
            ],
        }
        metaeval.run(config, corpora=where, output=Path(folder, "run"), progress=progress)
    return {**spent, "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6}


if __name__ == "__main__":
    main()
