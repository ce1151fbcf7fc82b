"""The interval of kappa, alpha and AC1, by hand, and where there is none."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import metaeval
from metaeval.ratings.jackknife import jackknife_interval, too_skewed


def test_the_jackknife_interval_by_hand():
    # Mean .65, all distances .05: the standard error is sqrt(3 / 4 * 4 * .0025), and 4 segments of equal influence have
    # 3 degrees of freedom, of which t is 3.18245 at 97.5 %.
    found = jackknife_interval(0.6, np.array([0.6, 0.6, 0.7, 0.7]), 0.95)
    half = 3.18245 * np.sqrt(3 * 0.0025)
    np.testing.assert_allclose([found.lower, found.upper], [0.6 - half, 0.6 + half], atol=1e-5)
    # Distances .01, .01, .01, .03: the standard error is sqrt(3 / 4 * .0012) = .03, and 12 ** 2 / 84 = 1.7 segments of
    # equal influence have one degree of freedom, the least there is; t is 12.7062.
    found = jackknife_interval(0.1, np.array([0.0, 0.0, 0.0, 0.04]), 0.95)
    np.testing.assert_allclose([found.lower, found.upper], [0.1 - 0.03 * 12.7062, 0.1 + 0.03 * 12.7062], atol=1e-5)
    # Ten times as far: there is no alpha below -1 or above 1.
    found = jackknife_interval(0.1, np.array([0.0, 0.0, 0.0, 0.4]), 0.95)
    assert (found.lower, found.upper) == (-1.0, 1.0)


def test_alphas_that_are_all_equal_give_no_interval():
    found = jackknife_interval(1.0, np.ones(12), 0.95)
    assert np.isnan([found.lower, found.upper]).all()
    assert found.undefined_because == "it is the same without any one of the segments"


def test_skewed_answers_need_a_hundred_items():
    assert too_skewed(100, 0.99) == too_skewed(10, 0.75) == ""
    assert too_skewed(99, 0.756).startswith("76 % of the ratings are the same answer, and with fewer than 100 items")


def test_the_alpha_of_a_corpus_has_no_interval_where_few_ratings_are_skewed():
    # Of 20 items one in five has the grade 2, of one judge.
    rows = [
        {"system": "A", "segment": at, "judge": name, "score": 1 + (at % 5 == 0 and name == "x")}
        for at in range(20)
        for name in "xy"
    ]
    with pytest.warns(metaeval.MetaevalWarning, match="90 % of the ratings are the same answer"):
        found = metaeval.agreement(pd.DataFrame(rows), n_resamples=10, n_draws=2)
    assert np.isnan(found.to_frame("alpha")["lower"]).all()


def test_the_kappa_of_a_judge_has_no_interval_where_few_answers_are_skewed():
    few, many = (
        metaeval.judge(
            [
                {"item": at, "human1": at % 9 == 0, "human2": at % 10 == 0, "gpt": at % 8 == 0}
                for at in range(n)
            ]
        ).findings.judges[0].kappa
        for n in (90, 180)
    )  # fmt: skip
    assert many.has_ends
    assert np.isnan([few.lower, few.upper]).all()
    assert "are the same answer" in few.missing_because
