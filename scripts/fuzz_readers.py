"""Read many mutated inputs with each reader, and report outcomes, the slowest one and the largest memory.

    python scripts/fuzz_readers.py --count 100000

Each must end in a corpus or in errors that name their place; anything else stops the script with a traceback.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.fuzz import EXPORTS, SLOWEST, SOURCES, fuzz, peak_mb


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000, help="inputs for each reader (1000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("formats", nargs="*", choices=[[], *SOURCES, *EXPORTS], help="all if none is named")
    options = parser.parse_args()
    print("format\tinputs\tcorpora\treports\tslowest_seconds\tseconds\tpeak_MB")
    for name in options.formats or (*SOURCES, *EXPORTS):
        start = time.perf_counter()
        slowest = 0.0
        outcomes = Counter[str]()
        with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as scratch:
            for outcome, seconds in fuzz(name, Path(scratch) / "case", options.seed, options.count):
                outcomes[outcome] += 1
                slowest = max(slowest, seconds)
        if slowest > SLOWEST:
            sys.exit(f"{name}: one input took {slowest:.1f} s")
        peak = peak_mb()
        took = time.perf_counter() - start
        counts = f"{outcomes['corpus']}\t{outcomes['errors']}"
        print(f"{name}\t{options.count}\t{counts}\t{slowest:.3f}\t{took:.0f}\t{peak:.0f}", flush=True)


if __name__ == "__main__":
    main()
