"""The calibration of judges counts what it says, on a few data sets."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from metaeval.ratings.jackknife import jackknife_interval
from tests.support.scripts import load_script


@pytest.fixture
def script():
    return load_script("calibrate_judges")


def test_the_true_values_are_those_of_the_design(script):
    # Two labels; people err in 15 %, the judge in 20 %: two people agree in .85^2 + .15^2 = .745, judge and person in
    # .8 * .85 + .2 * .15 = .71, so that the difference is -.035.
    design = script.DESIGNS[2]
    assert (design.labels, design.person, design.judge) == (2, 0.15, 0.20)
    people, judge, _ = script.made(design, 200_000, np.random.default_rng(1))
    drawn = script.people_of(people, design.kind)
    assert drawn.among.mean() == pytest.approx(0.745, abs=0.004)
    assert drawn.likeness_to(judge).mean() == pytest.approx(0.71, abs=0.004)


def test_people_like_length_and_a_judge_gives_more_for_it(script):
    # Quality is a truth and half of the length; the judge has 0.6 of it, and 0.25 of the length.
    design = script.LENGTH_DESIGNS[1]
    people, judge, length, _ = script.with_lengths(design, 200_000, 0.25, np.random.default_rng(1))
    assert np.polyfit(length, people.mean(axis=0), 1)[0] == pytest.approx(0.5, abs=0.01)
    assert np.polyfit(length, judge, 1)[0] == pytest.approx(0.6 * 0.5 + 0.25, abs=0.01)
    assert np.corrcoef(people)[0, 1] == pytest.approx(1.25 / (1.25 + 0.64), abs=0.01)


def test_the_usual_regression_is_that_of_what_people_leave_over(script):
    # Frisch, Waugh and Lovell: the slope on what the mean of people leaves of the length; n - 3 degrees of freedom.
    rng = np.random.default_rng(3)
    length, judge, *people = rng.standard_normal((4, 50))
    mean = np.mean(people, axis=0)
    x, y = (one - np.polyval(np.polyfit(mean, one, 1), mean) for one in (length, judge))
    slope = x @ y / (x @ x)
    t = slope / np.sqrt(((y - slope * x) ** 2).sum() / 47 / (x @ x))
    assert script.usual_p(np.array(people), judge, length) == pytest.approx(2 * stats.t.sf(abs(t), 47))


def test_a_row_of_length_has_a_rate_for_each_column(script, monkeypatch):
    monkeypatch.setattr(script, "POPULATION", 4000)
    for design in (script.LENGTH_DESIGNS[3], script.LENGTH_DESIGNS[-1]):
        row = script.length_row(design, 5, 1)
        assert len(row) == len(script.LENGTH_HEAD)
        assert 0 <= float(row[script.LENGTH_HEAD.index("coverage")]) <= 100


def test_a_row_has_a_rate_for_each_column(script, monkeypatch):
    monkeypatch.setattr(script, "POPULATION", 4000)
    row = script.row(script.DESIGNS[6], 20, 1)
    assert len(row) == len(script.HEAD)
    assert 0 <= float(row[script.HEAD.index("coverage, Hall")]) <= 100


@pytest.fixture
def kappa_script():
    return load_script("calibrate_kappa")


@pytest.mark.parametrize(("answers", "skewed", "size"), [(2, False, 1), (3, True, 5), (4, True, 1)])
def test_the_true_kappa_of_labels_is_that_of_the_design(kappa_script, answers, skewed, size):
    design = kappa_script.Design("labels", answers, 0.6, skewed, size)
    drawn = kappa_script.made(design, 1, 100_000, np.random.default_rng(4))
    table = kappa_script.sums_of(drawn[..., :2], design).total()
    found = kappa_script.coefficients(table, np.arange(float(answers)), answers)
    assert [float(found[name][0]) for name in ("kappa", "scott", "alpha_nominal")] == pytest.approx([0.6] * 3, abs=0.02)


def test_the_intervals_that_are_counted_are_those_of_the_program(kappa_script):
    design = kappa_script.Design("labels", 3, 0.6, False, 5)
    sums = kappa_script.sums_of(kappa_script.made(design, 6, 100, np.random.default_rng(5)), design)
    values = np.arange(3.0)
    value, without = (kappa_script.coefficients(one, values, 3)["scott"] for one in (sums.total(), sums.without_each()))
    ends, is_given = kappa_script.intervals(value, without)
    assert is_given.all()
    for one in range(6):
        expected = jackknife_interval(float(value[one]), without[one], 0.95)
        assert ends["t"][:, one] == pytest.approx((expected.lower, expected.upper), abs=1e-12)


def test_every_cell_is_printed(kappa_script, monkeypatch):
    monkeypatch.setattr(kappa_script, "POPULATION", 4000)
    found = list(kappa_script.cells(kappa_script.DESIGNS[3], 40, 1))
    assert len(found) == 5 * len(kappa_script.ITEMS[5])
    assert all(0 <= one.rates["t"] <= 1 for one in found)
    assert len(list(kappa_script.summary(found))) == 2 + 3
    labels = [line for line in kappa_script.rows(found, 40) if "85:15 | 5" in line]
    assert len(labels) == 3
