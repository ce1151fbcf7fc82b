"""Mutated bytes end in a corpus or in a report: `scripts/fuzz_readers.py` does the same with many more."""

from __future__ import annotations

import resource

import pytest

from tests.support.fuzz import SLOWEST, SOURCES, fuzz

COUNT = 300
MOST_MB = 500


@pytest.mark.parametrize("name", SOURCES)
def test_mutated_files_never_crash_a_reader(name, tmp_path):
    if name == "table.parquet":
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    results = list(fuzz(name, tmp_path / "case", seed=20031, count=COUNT))
    assert {outcome for outcome, _ in results} == {"corpus", "errors"}  # both ways are walked
    assert max(seconds for _, seconds in results) < SLOWEST
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 < MOST_MB
