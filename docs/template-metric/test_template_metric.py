"""The metric by itself, and as metaeval finds it once it is installed."""

from __future__ import annotations

import pytest
from template_metric import length_ratio

import metaeval


def test_by_itself() -> None:
    """Two of four characters are missing; the nearer reference counts."""
    assert length_ratio("ab", ["abcd", "abcdefgh"]) == 0.5
    assert length_ratio("ab", ["abcd"], power=2.0) == 0.25


def test_in_metaeval() -> None:
    """The score of a text is the mean over its segments: (0.5 + 1) / 2."""
    (scores,) = metaeval.score(["length-ratio"], {"mine": ["ab", "abc"]}, {"ref": ["abcd", "xyz"]})
    assert scores.values[0, 0] == pytest.approx(0.75)
