"""Coefficients of agreement, against other programs and by hand."""

from __future__ import annotations

import numpy as np
import pytest

from metaeval import stats
from metaeval.ratings.agreement.coefficients import (
    alpha_of_numbers,
    coefficients,
    coefficients_without_each,
    quadratic_kappa_of_numbers,
    sums_by_cluster,
    sums_of_numbers,
    sums_of_two,
)

NAN = np.nan
# Grades of twenty items by three raters, of which the third left out three.
A = [1, 2, 3, 3, 2, 1, 4, 1, 2, 5, 2, 4, 3, 1, 1, 5, 2, 3, 4, 2]
B = [1, 2, 3, 4, 2, 2, 4, 1, 2, 4, 2, 4, 3, 1, 2, 5, 3, 3, 5, 2]
C = [1, 3, 3, 3, 2, 1, 5, 1, NAN, 5, 1, NAN, 3, 1, 1, 4, 2, NAN, 4, 3]


def of(*raters, possible=5, clusters=None):
    """Return the coefficients of grades from 1 to 5 by each rater."""
    table = np.array(raters, dtype=float)
    rater, item = np.nonzero(~np.isnan(table))
    answer = table[rater, item].astype(int) - 1
    cluster = np.arange(table.shape[1]) if clusters is None else np.array(clusters)
    sums = sums_by_cluster(item, rater, answer, cluster, cluster.max() + 1, 5)
    values = np.arange(1.0, 6.0)
    without = coefficients(sums.without_each(), values, possible)
    return {name: float(one) for name, one in coefficients(sums.total(), values, possible).items()}, without


def test_cohens_kappas_are_those_of_another_program():
    found, _ = of(A, B)
    # sklearn 1.9.1, cohen_kappa_score with weights None, "linear" and "quadratic".
    expected = [0.6141479099678457, 0.7864768683274022, 0.905511811023622]
    assert [found[name] for name in ("kappa", "kappa_linear", "kappa_quadratic")] == pytest.approx(expected, abs=1e-12)


def test_coefficients_of_two_raters_are_those_of_another_program():
    # irrCAC 0.4.4 with twelve digits, CAC(...).fleiss(), .gwet() and .bp(); the last two also with six categories.
    found, _ = of(A, B)
    assert found["raw"] == pytest.approx(0.7, abs=1e-12)
    assert found["scott"] == pytest.approx(0.612277867528, abs=1e-11)
    assert found["ac1"] == pytest.approx(0.628051142968, abs=1e-11)
    assert found["brennan_prediger"] == pytest.approx(0.625, abs=1e-11)
    more, _ = of(A, B, possible=6)
    assert more["ac1"] == pytest.approx(0.645075421473, abs=1e-11)
    assert more["brennan_prediger"] == pytest.approx(0.64, abs=1e-11)
    assert {name for name in found if not np.isclose(found[name], more[name])} == {"ac1", "brennan_prediger"}


def test_coefficients_of_three_raters_of_incomplete_ratings_are_those_of_another_program():
    found, _ = of(A, B, C)
    # irrCAC 0.4.4
    assert found["raw"] == pytest.approx(0.633333333333, abs=1e-11)
    assert found["scott"] == pytest.approx(0.53125, abs=1e-11)
    assert found["ac1"] == pytest.approx(0.544198895028, abs=1e-11)
    assert found["brennan_prediger"] == pytest.approx(0.541666666667, abs=1e-11)


@pytest.mark.parametrize(
    ("raters", "expected"),
    [
        # krippendorff 0.9.0, levels nominal, ordinal and interval
        ((A, B), (0.6219709208400646, 0.9132751937984496, 0.9072900158478605)),
        ((A, B, C), (0.5153422501966956, 0.895143697864127, 0.8868479059515062)),
    ],
)
def test_alphas_are_those_of_another_program(raters, expected):
    found, _ = of(*raters)
    assert [found[f"alpha_{level}"] for level in ("nominal", "ordinal", "interval")] == pytest.approx(
        expected, abs=1e-12
    )


def test_coefficients_by_hand():
    # Yes in 3 of 4 by the one, 2 of 4 by the other; equal on 3. By chance .75 * .5 + .25 * .5 = .5 (Cohen); the mean
    # shares are .625 and .375: .53125 (Scott), 2 * .625 * .375 / 1 = .46875 (AC1), .5 (Brennan and Prediger).
    found, _ = of([1, 1, 1, 2], [1, 1, 2, 2], possible=2)
    assert found["raw"] == 0.75
    assert found["kappa"] == pytest.approx(0.25 / 0.5)
    assert found["scott"] == pytest.approx((0.75 - 0.53125) / 0.46875)
    assert found["ac1"] == pytest.approx((0.75 - 0.46875) / 0.53125)
    assert found["brennan_prediger"] == pytest.approx(0.5)


def test_where_all_answers_are_the_same_agreement_beyond_chance_is_not_defined():
    found, without = of([2, 2, 2], [2, 2, 2], possible=1)
    assert {name for name, value in found.items() if np.isnan(value)} == {
        "kappa", "kappa_linear", "kappa_quadratic", "scott", "alpha_nominal", "alpha_ordinal", "alpha_interval",
    }  # fmt: skip
    assert found["raw"] == found["ac1"] == found["brennan_prediger"] == 1
    assert np.isnan(without["kappa"]).all()
    assert found == pytest.approx(of([2, 2, 2], [2, 2, 2], possible=7)[0], nan_ok=True)


def test_a_rater_with_one_answer_has_a_kappa_of_0():
    found, _ = of([1, 1, 1, 1], [1, 2, 1, 2], possible=2)
    assert found["kappa"] == pytest.approx(0, abs=1e-12)
    assert found["raw"] == 0.5


def test_coefficients_without_a_cluster_are_those_of_the_others():
    clusters = np.arange(20) // 4
    _, without = of(A, B, C, clusters=clusters)
    table = np.array([A, B, C], dtype=float)
    for one in range(5):
        expected, _ = of(*table[:, clusters != one])
        for name in expected:
            assert without[name][one] == pytest.approx(expected[name], abs=1e-12), name


def test_coefficients_without_each_are_computed_in_blocks(monkeypatch):
    item, rater = np.repeat(np.arange(20), 2), np.tile([0, 1], 20)
    sums = sums_by_cluster(item, rater, np.array([A, B]).T.ravel() - 1, np.arange(20), 20, 5)
    values = np.arange(1.0, 6.0)
    expected = coefficients(sums.without_each(), values, 5)
    monkeypatch.setattr("metaeval.ratings.agreement.coefficients._MAX_CELLS", 80)
    for name, found in coefficients_without_each(sums, values, 5).items():
        np.testing.assert_array_equal(found, expected[name])
    labels = coefficients_without_each(sums, values, 5, is_ordered=False)
    assert {name for name, found in labels.items() if np.isnan(found).all()} == {
        "kappa_linear", "kappa_quadratic", "alpha_ordinal", "alpha_interval",
    }  # fmt: skip
    np.testing.assert_array_equal(labels["alpha_nominal"], expected["alpha_nominal"])


def test_numbers_have_the_alpha_and_the_kappa_of_grades():
    table = np.array([A, B, C], dtype=float)
    rater, item = np.nonzero(~np.isnan(table))
    sums = sums_of_numbers(item, 10 * table[rater, item] + 7, np.arange(20), 20)
    # krippendorff 0.9.0; alpha does not change with origin and unit.
    assert alpha_of_numbers(sums.sum(axis=0)) == pytest.approx(0.8868479059515062, abs=1e-12)
    expected = stats.krippendorff_alpha(table[:, 1:])
    assert alpha_of_numbers(sums.sum(axis=0) - sums[0]) == pytest.approx(expected, abs=1e-12)
    two = sums_of_two(table[0], table[1], np.arange(20), 20)
    # sklearn 1.9.1
    assert quadratic_kappa_of_numbers(two.sum(axis=0)) == pytest.approx(0.905511811023622, abs=1e-12)
    expected = stats.cohen_kappa(A[1:], B[1:], weights="quadratic")
    assert quadratic_kappa_of_numbers(two.sum(axis=0) - two[0]) == pytest.approx(expected, abs=1e-12)


def test_equal_numbers_have_no_alpha():
    sums = sums_of_numbers(np.array([0, 0, 1, 1]), np.full(4, 0.1), np.arange(2), 2)
    assert np.isnan(alpha_of_numbers(sums.sum(axis=0)))
    assert np.isnan(quadratic_kappa_of_numbers(sums_of_two(np.ones(3), np.ones(3), np.arange(3), 3).sum(axis=0)))
