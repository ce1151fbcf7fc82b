from __future__ import annotations

import numpy as np
import pytest

from metaeval.errors import UsageError
from metaeval.judgments.normalisation import get_normalisation, z_scores
from tests.support.gold import rows, stats_gold


@pytest.mark.parametrize("ddof", [0, 1])
def test_z_scores_equal_scipy(ddof):
    # gold/stats, znorm: scipy.stats.zscore 1.17.1 of the adequacy of system s00.
    expected = stats_gold("gold.json")["znorm"][f"adequacy_s00_ddof{ddof}"]
    scores = np.array([float(row["adequacy"]) for row in rows("stats/scores.tsv") if row["system"] == "s00"])
    z, flat = z_scores(scores, np.zeros(len(scores), dtype=int), 1, ddof)

    assert expected == pytest.approx(z, abs=1e-9)
    assert flat == ()


def test_each_judge_has_a_scale_of_his_own():
    # Judge 0 gave 1, 2, 3 (mean 2, s.d. 1); judge 1 gave 10, 30 (mean 20, s.d. sqrt(200)).
    z, _ = z_scores(np.array([1.0, 10.0, 2.0, 30.0, 3.0]), np.array([0, 1, 0, 1, 0]), 2, ddof=1)

    assert z == pytest.approx([-1.0, -10 / np.sqrt(200), 0.0, 10 / np.sqrt(200), 1.0], abs=1e-12)


def test_judges_without_spread_are_centred_and_reported():
    # Judge 0 always gave 0.1, whose mean of three is not exactly 0.1; judge 1 gave one score; judge 2 gave none.
    z, flat = z_scores(np.array([0.1, 0.1, 0.1, 4.0, 1.0, 3.0]), np.array([0, 0, 0, 1, 3, 3]), 4, ddof=0)

    assert z.tolist() == [0.0, 0.0, 0.0, 0.0, -1.0, 1.0]
    assert flat == (0, 1)


@pytest.mark.parametrize(("text", "printed"), [("none", "none"), ("z", "z(ddof=1)"), ("z(ddof=0)", "z(ddof=0)")])
def test_normalisations_by_name(text, printed):
    assert printed == str(get_normalisation(text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("zz", "unknown normalisation 'zz'"),
        ("z(ddof=2)", "`ddof` must be one of 0, 1; got 2"),
        ("none(ddof=0)", "'none' has no parameters"),
    ],
)
def test_other_normalisations_are_refused(text, message):
    with pytest.raises(UsageError, match=message):
        get_normalisation(text)
