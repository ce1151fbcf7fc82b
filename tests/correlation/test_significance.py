"""Tests by their names: what they are made on, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

from metaeval.components.mean_coefficient import MeanCoefficient, OrientedScores
from metaeval.components.registries import COEFFICIENTS, TESTS
from metaeval.errors import UsageError


def estimate(n_documents: int, coefficient: str = "pearson") -> MeanCoefficient:
    """Return two metrics on some documents of four systems; the second is people themselves."""
    human = np.tile([1.0, 2, 3, 4], (n_documents, 1))
    return MeanCoefficient(
        coefficients=[np.full(n_documents, 0.8), np.ones(n_documents)],
        coefficient=COEFFICIENTS.named(coefficient),
        n_documents=n_documents,
        n_systems=4,
        scores=OrientedScores(np.tile([1.0, 3, 2, 4], (n_documents, 1)), human, human, "item"),
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (estimate(2), r"needs one document, `documents\.kind = \"all\"`; got 2 documents"),
        (estimate(1, "pairwise-accuracy"), "compares correlations, and 'pairwise-accuracy' is none"),
    ],
)
def test_williams_is_refused_where_it_has_no_meaning(given, message):
    with pytest.raises(UsageError, match=message):
        TESTS.named("williams").compare(given)


def test_williams_counts_the_systems_and_tells_its_distribution():
    # r = .8 and 1: a metric that agrees perfectly leaves no spread to compare with.
    undefined = TESTS.named("williams").compare(estimate(1))
    assert np.isnan(undefined.p)
    assert (undefined.n_used, undefined.n_undefined, undefined.distribution) == (0, 4, "t(1)")
    assert undefined.difference == pytest.approx(-0.2)


@pytest.mark.parametrize(
    ("name", "first"),
    [("wilcoxon", "documents"), ("williams", "systems"), ("permutation", "systems"), ("bootstrap", "replicates")],
)
def test_the_default_axis_of_a_test(name, first):
    assert TESTS.named(name).axes[0] == first
