"""The scripts, which nobody calls from the package: what they import from it is there."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from scipy import stats

from tests.support.scripts import SCRIPTS, load_script

NAMES = sorted(path.stem for path in SCRIPTS.glob("*.py"))


@pytest.mark.parametrize("name", NAMES)
def test_a_script_can_be_imported_and_begins_at_main(name):
    assert callable(load_script(name).main)


@pytest.mark.parametrize("level", ["interval", "ordinal", "nominal"])
def test_the_calibration_of_agreement_has_the_alpha_of_another_program(level):
    script = load_script("calibrate_agreement")
    scores = script.ratings("grades", 0.8, (2, 12, 2, 3), np.random.default_rng(1))
    own = script.alpha(script.sums(scores, level).sum(axis=1), level)
    # krippendorff 0.9.0
    others = [krippendorff.alpha(one.reshape(24, 3).T, level_of_measurement=level) for one in scores]
    np.testing.assert_allclose(own, others, atol=1e-12)


def test_the_calibration_tests_the_metrics_of_a_simulated_corpus(monkeypatch):
    outcomes = load_script("calibration.outcomes")
    models = load_script("calibration.models")
    rng = np.random.default_rng(1)
    grid = rng.normal(size=8) + rng.normal(size=(100, 3, 8))
    drawn = rng.multinomial(100, np.full(100, 0.01), size=100)
    replicates, lines = np.einsum("rs,slk->rlk", drawn / 100, grid), grid.mean(axis=0)
    for coefficient in ("pearson", models.SOFT):
        found = outcomes.by_system(coefficient, lines, replicates, grid, {"segments": 100}, (0.0, 0.0))
        assert found["lower"] <= found["d"] <= found["upper"]
        assert 0 < found["p"] <= 1
        if coefficient == "pearson":
            assert found["a"] == pytest.approx(stats.pearsonr(lines[0], lines[2]).statistic, abs=1e-12)
    # Two metrics on 100 segments, a coefficient in each: Student's paired t.
    monkeypatch.setattr(models, "POPULATION", 200)
    ((text, rows),) = outcomes.simulate_segments(models.EXCHANGEABLE, 8, 100, {"pearson": 2}, 0, 1)[0].items()
    assert (text, rows.shape) == ("pearson", (2, len(outcomes.FIELDS)))
    assert np.isfinite(rows[:, outcomes.FIELDS.index("p")]).all()
    ((_, _, _, _, size, _),) = outcomes.family(3, False, range(1), 1)
    assert 1 <= size <= 3
    # All metrics of 10 systems are tested by Williams, and have both intervals.
    truth, sizes, inside, widths = outcomes.for_new_systems(False, models.Model("unequal"), 10, 2, 50, 1)
    assert np.isfinite([truth, *sizes, *inside.ravel(), *widths]).all()


def test_the_calibration_of_tests_has_a_p_and_limits_of_each(monkeypatch):
    script = load_script("calibrate_tests")
    for name in ("REPLICATES", "DOCUMENTS"):
        monkeypatch.setattr(script, name, 99)
    model = script.Model("items", 6, 0.0)
    ((found, limits),) = script.simulate(model, range(1), 1, 0, intervals=True)
    assert {*found} == {
        *(f"Wilcoxon over 1000 pseudo-documents, {name}" for name in ("Pearson", "Spearman")),
        "Williams",
        *(f"{test} {what}" for test in ("permutation of", "paired bootstrap over") for what in script.WHAT),
        "difference",
    }
    assert all(0 < p <= 1 for name, p in found.items() if name != "difference")
    assert all(lower < upper for name, (lower, upper) in limits.items() if name != "truth")


def test_the_calibration_of_widths_compares_both_intervals_of_a_difference():
    script = load_script("calibrate_defaults")
    # Four corpora with a true difference of 0.1. The third has no interval, and percentiles beside its estimate of
    # 0.06; in the second, percentiles exclude 0 although p does not; the fourth misses the truth by both.
    columns = {
        "true_a": [0.9] * 4,
        "true_b": [0.8] * 4,
        "true_d": [0.1] * 4,
        "d": [0.10, 0.12, 0.06, 0.30],
        "p": [0.01, 0.20, 0.50, 0.001],
        "lower": [0.02, -0.08, np.nan, 0.20],
        "upper": [0.22, 0.32, np.nan, 0.40],
        "percentile_lower": [0.05, 0.01, -0.05, 0.25],
        "percentile_upper": [0.15, 0.21, 0.05, 0.35],
    }
    found = script.widths_of({name: np.array(one) for name, one in columns.items()})
    assert found[:3] == ["0.900, 0.800", "50.0", "75.0"]
    assert found[3:6] == ["66.7 (0.200)", "25.0", "50.0 (0.100)"]
    assert found[6:] == ["25.0", "25.0", "2.00"]


def test_the_calibration_of_families_counts_what_is_said_of_a_table(monkeypatch):
    families = load_script("calibrate_families")
    monkeypatch.setattr(families, "REPLICATES", 100)
    assert families.scores("one good", 4, 8, 100, np.random.default_rng(1)).shape == (100, 5, 8)
    # A metric that agrees, with three of noise: both rules see it, and metrics without a star are no fewer than those
    # that are worse by p corrected for all pairs.
    agreed, agrees, differed, differs, no_star, before, now = families.family("one good", 4, 8, 100, 0, 1)
    assert (agreed, agrees) == (True, True)
    assert before >= now >= 0
    assert (no_star, differed, differs) == (before > 0, before > 0, now > 0)
    # One metric has no rival.
    assert families.family("noise", 1, 8, 100, 0, 1)[2:] == [0, 0, 0, 0, 0]
    assert families.said("one good", 3, 8, 40, 0, 1)[0]


def test_the_calibration_of_documents_does_what_the_program_does():
    script = load_script("calibrate_documents")
    rng = np.random.default_rng(1)
    scores, documents = script.corpus(rng.normal(size=5), [4, 8, 12, 6], "strong", 1.8, rng)
    scores[2] = np.rint(2 * scores[2]) / 2
    # Means over segments take no replicates, so that both are the same but for rounding.
    _, _, p, (lower, upper) = script.of_segments(scores, documents, rng)
    assert script.compared("segments, acc_eq", scores, documents) == pytest.approx((p, upper - lower), rel=1e-9)
