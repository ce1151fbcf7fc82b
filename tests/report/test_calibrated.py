"""Figures of the calibration are printed where they are outside what defaults promise."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest

import metaeval
from metaeval.report.calibrated import note_on_calibration

CELLS = Path(metaeval.__file__).parent / "report" / "calibrated.tsv"


@pytest.fixture(name="rows", scope="module")
def _rows():
    found = {}
    for coefficient in ("pearson", "soft-pairwise-accuracy"):
        compared = metaeval.compare(
            "demo", ["wer"], criteria=["adequacy"], coefficient=coefficient, n_resamples=60, ceiling=0
        )
        found[coefficient] = compared.results.data.tables.correlations[0]
    return found


def test_a_cell_outside_is_told_and_one_inside_is_not(rows):
    with CELLS.open(encoding="utf-8", newline="") as file:
        cells = list(csv.DictReader(file, delimiter="\t"))
    told = 0
    for cell in cells:
        if cell["coefficient"] not in rows:
            continue
        size, side, coverage = (float(cell[name]) for name in ("size", "side", "coverage"))
        row = replace(rows[cell["coefficient"]], n_systems=int(cell["systems"]), n_segments=int(cell["segments"]))
        note = note_on_calibration(row, row.interval)
        assert bool(note) == (size > 6 or side > 4.5 or coverage < 93)
        if note:
            told += 1
            assert f"with {cell['systems']} systems and {cell['segments']} segments" in note[0]
            assert f"{size:g} % are found different at 5 %, {side:g} % in one direction" in note[0]
            assert f"{coverage:g} % of the 95 % intervals hold the truth" in note[0]
    assert told


def test_the_gate_of_the_defaults():
    """Pearson with 8 systems and 200 segments or more is within what was set beforehand, in every model."""
    with CELLS.open(encoding="utf-8", newline="") as file:
        cells = [row for row in csv.DictReader(file, delimiter="\t") if row["coefficient"] == "pearson"]
    gated = [row for row in cells if int(row["systems"]) >= 8 and int(row["segments"]) >= 200]
    assert len(gated) == 6
    assert all(float(row["size"]) <= 6 and float(row["side"]) <= 4.5 and float(row["coverage"]) >= 93 for row in gated)


def test_other_intervals_and_tests_have_no_such_figures(rows):
    row = replace(rows["soft-pairwise-accuracy"], n_systems=5, n_segments=100)
    assert note_on_calibration(row, "denoised")
    assert note_on_calibration(row, "bootstrap") == []
    assert note_on_calibration(replace(row, interval="percentile"), "bootstrap") == []
    assert note_on_calibration(replace(row, lower=float("nan")), "denoised") == []
