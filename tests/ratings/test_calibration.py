"""The calibration of judges counts what it says, on a few data sets."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "scripts"))
    yield importlib.import_module("calibrate_judges")
    sys.modules.pop("calibrate_judges", None)


def test_the_true_values_are_those_of_the_design(script):
    # Two labels; people err in 15 %, the judge in 20 %: two people agree in .85^2 + .15^2 = .745, judge and person in
    # .8 * .85 + .2 * .15 = .71, so that the difference is -.035.
    design = script.DESIGNS[2]
    assert (design.labels, design.person, design.judge) == (2, 0.15, 0.20)
    people, judge, _ = script.made(design, 200_000, np.random.default_rng(1))
    drawn = script.people_of(people, design.kind)
    assert drawn.among.mean() == pytest.approx(0.745, abs=0.004)
    assert drawn.likeness_to(judge).mean() == pytest.approx(0.71, abs=0.004)


def test_a_row_has_a_rate_for_each_column(script, monkeypatch):
    monkeypatch.setattr(script, "POPULATION", 4000)
    row = script.row(script.DESIGNS[6], 20, 1)
    assert len(row) == len(script.HEAD)
    assert 0 <= float(row[script.HEAD.index("coverage, Hall")]) <= 100
