"""What signatures and labels say, in words."""

from __future__ import annotations

import pytest

from metaeval.report.words import in_lines, interval_words, with_limits


@pytest.mark.parametrize(
    ("signature", "expected"),
    [
        ("M|interval:normal(0.9)", "90 % interval of the mean for this corpus"),
        ("M|interval:fisher(0.95)", "95 % interval for other systems, by formula"),
        (
            "M|interval:percentile(0.95)|resample:systems+segments",
            "95 % interval for other systems and segments, by bootstrap",
        ),
        ("M|interval:none", ""),
        ("M", ""),
    ],
)
def test_what_an_interval_speaks_about(signature, expected):
    assert interval_words(signature) == expected


def test_lines_are_broken_between_words_alone():
    assert in_lines("one two-three four-five-six", 12, "1. ", "   ") == ["1. one", "   two-three", "   four-five-six"]


def test_numbers_with_limits_have_no_negative_zero():
    assert with_limits(-1e-9, float("nan"), float("nan")) == "0.000"
    assert with_limits(0.5, -0.0001, 0.9) == "0.500 [0.000, 0.900]"
    assert with_limits(-0.5, -0.9, -0.1) == "-0.500 [-0.900, -0.100]"
