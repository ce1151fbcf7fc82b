"""The kernels of ranks equal their plain definitions bit for bit, and refuse arrays that do not fit."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from metaeval.correlation.coefficients import Spearman
from metaeval.correlation.pair_counts import count_pairs
from metaeval.kernels import COMPILED

pytestmark = pytest.mark.skipif(COMPILED is None, reason="nothing was compiled")


@given(
    st.integers(1, 3),
    st.integers(1, 20),
    st.integers(2, 70),
    st.integers(1, 40),
    st.sampled_from(["average", "uncorrected", "ordinal"]),
    st.integers(0, 2**32 - 1),
)
def test_they_equal_the_definitions(lines, rows, n, levels, ties, seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(-levels, levels, (lines, rows, n)) / 3.0, rng.integers(-levels, levels, (rows, n)) * -0.5
    kind = Spearman(ties)
    found = kind.correlate_metrics([kind] * lines, kind.prepare(x), kind.prepare(y, is_human=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("metaeval.kernels.COMPILED", None)
        expected = kind.correlate_metrics([kind] * lines, kind.prepare(x), kind.prepare(y, is_human=True))
    assert found.tobytes() == expected.tobytes()
    assert all(kind(one, y).tobytes() == of_line.tobytes() for one, of_line in zip(x, found, strict=True))


def test_they_equal_scipy():
    rng = np.random.default_rng(1)
    x, y = rng.random((9, 30)).round(1), rng.random((9, 30)).round(1)
    expected = [scipy.stats.spearmanr(*one).statistic for one in zip(x, y, strict=True)]
    assert Spearman()(x, y) == pytest.approx(expected, abs=1e-14)


ROWS = {
    "near one another": lambda rng, n: rng.normal(size=n),
    "few": lambda rng, n: rng.integers(-3, 4, n) / 3.0,
    "equal": lambda rng, n: np.full(n, -0.5),
    "zeros": lambda rng, n: rng.random(n) * (rng.random(n) < 0.7) * rng.choice([-1.0, 1.0], n),
    "far from one another": lambda rng, n: rng.choice([-1.0, 1.0], n) * np.exp2(rng.uniform(-1070, 1020, n)),
    "near, and one far": lambda rng, n: np.append(1e300, 1 + rng.integers(0, n // 2 + 1, n - 1) * 2.0**-52),
    "out of range together": lambda rng, n: rng.choice([-1.7e308, 1.7e308, 1.0, 2.0], n),
    "least of all": lambda rng, n: rng.integers(-4, 5, n) * 5e-324,
}


@pytest.mark.parametrize("kind", ROWS)
@pytest.mark.parametrize("n", [2, 9, 24, 25, 70, 1000, 5000])
def test_long_rows_have_the_order_of_the_definition(kind, n):
    rng = np.random.default_rng(n)
    x = np.stack([ROWS[kind](rng, n) for _ in range(3)])
    found = Spearman("ordinal").prepare(x)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("metaeval.kernels.COMPILED", None)
        np.testing.assert_array_equal(found, Spearman("ordinal").prepare(x))
    assert (np.sort(found) == np.arange(1, n + 1)).all()
    assert (found >= scipy.stats.rankdata(x, "min", axis=1)).all()
    assert (found <= scipy.stats.rankdata(x, "max", axis=1)).all()


@given(
    st.integers(0, 20),
    st.integers(0, 70),
    st.integers(1, 40),
    st.sampled_from([0.0, 0.5, 5e-324, 7.0]),
    st.sampled_from([0.0, 0.75, 5e-324]),
    st.sampled_from([1.0, 5e-324, 1.7e307]),
    st.integers(0, 2**32 - 1),
)
def test_pairs_are_those_of_the_definition(rows, n, levels, epsilon, gap, unit, seed):
    rng = np.random.default_rng(seed)
    x, y = (rng.integers(-levels, levels, (rows, n)).clip(-9, 9) * unit for _ in range(2))
    found = count_pairs(x, y, epsilon=epsilon, gap=gap)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("metaeval.kernels.COMPILED", None)
        expected = count_pairs(x, y, epsilon=epsilon, gap=gap)
    for kind, counts in vars(expected).items():
        assert np.array_equal(getattr(found, kind), counts), kind
    assert (found.total == n * (n - 1) // 2).all()


def test_pairs_counted_by_hand():
    metric, human = np.array([[0.0, 2.0, 2.0, 1.0, 2.0]]), np.array([[0.0, 3.0, 3.0, 0.0, -1.0]])
    # 12, 13, 24 and 34 agree, 15 and 45 do not; 25 and 35 are tied in the metric, 14 for people, 23 on both sides.
    assert [int(counts[0]) for counts in vars(count_pairs(metric, human)).values()] == [4, 2, 2, 1, 1]
    # Now 12, 13 and 15 are tied for people alone, 25 and 35 in the metric alone, all others on both sides.
    found = count_pairs(metric, human, epsilon=1.0, gap=4.0)
    assert [int(counts[0]) for counts in vars(found).values()] == [0, 0, 2, 3, 5]


def good(name):
    return {
        "spearman": {"x": np.ones(12), "y": np.ones(6), "lines": 2, "n": 3, "corrected": 1, "found": np.empty(4)},
        "count_pairs": {
            "x": np.ones(6),
            "y": np.ones(6),
            "n": 3,
            "epsilon": 0.0,
            "gap": 0.0,
            "counts": np.empty(10, np.int64),
        },
        "ordinal_ranks": {"x": np.ones(6), "start": np.ones(1, np.uint64), "n": 3, "ranks": np.empty(6)},
    }[name]


@pytest.mark.parametrize(
    ("name", "argument", "bad"),
    [
        ("spearman", "x", np.ones(6)),
        ("spearman", "y", np.ones(5)),
        ("spearman", "lines", -2),
        ("spearman", "lines", 2**62),
        ("spearman", "n", 1),
        ("spearman", "n", 65),
        ("spearman", "found", np.empty(3)),
        ("count_pairs", "x", np.ones(5)),
        ("count_pairs", "y", np.ones(3)),
        ("count_pairs", "n", 0),
        ("count_pairs", "n", 65),
        ("count_pairs", "counts", np.empty(9, np.int64)),
        ("ordinal_ranks", "x", np.ones(5)),
        ("ordinal_ranks", "start", np.ones(2, np.uint64)),
        ("ordinal_ranks", "n", 0),
        ("ordinal_ranks", "n", 2**29 + 1),
        ("ordinal_ranks", "ranks", np.empty(5)),
    ],
)
def test_arrays_that_do_not_fit_are_refused(name, argument, bad):
    getattr(COMPILED, name)(*good(name).values())
    with pytest.raises(ValueError, match="must"):
        getattr(COMPILED, name)(*{**good(name), argument: bad}.values())
