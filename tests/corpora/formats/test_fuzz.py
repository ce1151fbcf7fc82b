"""Mutated bytes end in a corpus or in a report: `scripts/fuzz_readers.py` does the same with many more."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.fuzz import EXPORTS, NEEDS, SLOWEST, SOURCES, fuzz

COUNT = 150
MAX_MB = 400  # Python with numpy and pyarrow takes some 150

# A process of its own, because the peak of this one may be that of another test.
CHILD = """if True:
    import sys
    from pathlib import Path
    from tests.support.fuzz import fuzz, peak_mb
    for name in sys.argv[3:]:
        for _ in fuzz(name, Path(sys.argv[1]) / "case", seed=20031, count=int(sys.argv[2])):
            pass
    print(peak_mb())
"""


@pytest.mark.parametrize("name", SOURCES)
def test_mutated_files_never_crash_a_reader(name, tmp_path):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name], reason=f"{NEEDS[name]} is not installed")
    results = list(fuzz(name, tmp_path / "case", seed=20031, count=COUNT))
    assert {outcome for outcome, _ in results} == {"corpus", "errors"}  # both ways are walked
    assert max(seconds for _, seconds in results) < SLOWEST


@pytest.mark.parametrize("name", EXPORTS)
def test_mutated_exports_never_crash_a_reader(name, tmp_path):
    pytest.importorskip("xlsxwriter", reason="xlsxwriter is not installed")
    results = list(fuzz(name, tmp_path / "case", seed=20031, count=COUNT // 5))
    assert {outcome for outcome, _ in results} == {"corpus", "errors"}
    assert max(seconds for _, seconds in results) < SLOWEST


def test_mutated_files_never_fill_the_memory(tmp_path):
    names = [name for name in SOURCES if name not in NEEDS]
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(tmp_path), str(COUNT // 3), *names],
        cwd=Path(__file__).parents[3],
        check=True,
        capture_output=True,
        text=True,
    )
    assert 20 < float(done.stdout) < MAX_MB
