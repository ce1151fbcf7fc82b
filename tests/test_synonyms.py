"""What the field calls a kind beside its name."""

from __future__ import annotations

import re

import pytest

from metaeval.components.registries import COEFFICIENTS
from metaeval.components.registry import Registry
from metaeval.errors import UsageError


@pytest.mark.parametrize(
    ("synonym", "meant"),
    [
        ("acc_eq", 'pairwise-accuracy(epsilon="auto")'),
        ("spa", "soft-pairwise-accuracy"),
        ("pce", 'soft-pairwise-accuracy(tails="wmt")'),
        ("pce(n_resamples=50)", 'soft-pairwise-accuracy(tails="wmt", n_resamples=50)'),
        ("pdp", "pairwise-difference-pearson"),
    ],
)
def test_a_synonym_is_what_it_stands_for(synonym, meant):
    assert COEFFICIENTS.named(synonym) == COEFFICIENTS.named(meant)


def test_a_synonym_is_no_kind_of_its_own():
    assert COEFFICIENTS.knows("spa")
    assert COEFFICIENTS.knows("pearson")
    assert not COEFFICIENTS.knows("spam")
    assert not set(COEFFICIENTS.synonyms) & set(COEFFICIENTS)


def test_a_kind_goes_before_a_synonym():
    registry: Registry[object] = Registry("coefficient", {"spa": COEFFICIENTS.places[0]}, {"spa": "kendall"})
    assert registry.named("spa") == COEFFICIENTS.named("pearson")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("acc_eq(epsilon=1)", "is pairwise-accuracy(epsilon=\"auto\"), so that it has no parameter 'epsilon'"),
        ("acc_eq(gap=1)", "coefficient 'acc_eq': unknown parameter 'gap'"),
        ("acc_ep", "unknown coefficient 'acc_ep'; did you mean 'acc_eq'? Known coefficients: 'pearson', "),
        ("nothing", "'pairwise-difference-pearson', 'acc_eq' and "),
    ],
)
def test_what_is_wrong_is_told(name, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        COEFFICIENTS.named(name)
