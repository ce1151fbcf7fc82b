"""The kernels of ranks equal their plain definitions bit for bit, and refuse arrays that do not fit."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from metaeval._kernels import COMPILED
from metaeval.correlation.coefficients import Spearman

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
    found = kind.of_lines([kind] * lines, kind.of_side(x), kind.of_side(y, is_human=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("metaeval._kernels.COMPILED", None)
        expected = kind.of_lines([kind] * lines, kind.of_side(x), kind.of_side(y, is_human=True))
    assert found.tobytes() == expected.tobytes()
    assert all(kind(one, y).tobytes() == of_line.tobytes() for one, of_line in zip(x, found, strict=True))


def test_they_equal_scipy():
    rng = np.random.default_rng(1)
    x, y = rng.random((9, 30)).round(1), rng.random((9, 30)).round(1)
    expected = [scipy.stats.spearmanr(*one).statistic for one in zip(x, y, strict=True)]
    assert Spearman()(x, y) == pytest.approx(expected, abs=1e-14)


def good(name):
    return {
        "spearman": {"x": np.ones(12), "y": np.ones(6), "lines": 2, "n": 3, "corrected": 1, "found": np.empty(4)},
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
        ("ordinal_ranks", "x", np.ones(5)),
        ("ordinal_ranks", "start", np.ones(2, np.uint64)),
        ("ordinal_ranks", "n", 0),
        ("ordinal_ranks", "ranks", np.empty(5)),
    ],
)
def test_arrays_that_do_not_fit_are_refused(name, argument, bad):
    getattr(COMPILED, name)(*good(name).values())
    with pytest.raises(ValueError, match="must"):
        getattr(COMPILED, name)(*{**good(name), argument: bad}.values())
