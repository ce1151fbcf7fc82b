"""Which values a text stands for, and what becomes of scores when segments are left out twice."""

from __future__ import annotations

import numpy as np
import pytest

import metaeval
from metaeval.corpora.filtering import fitting, with_segments
from tests.support import filtered as tiny


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("a", ["a"]),
        ("[b]", ["b", "[b]"]),
        ("*", ["a", "b", "[b]", "7", "007", "12", "-3.5", "x..y", ""]),
        ("7", ["7"]),
        ("7.0", ["7", "007"]),
        ("7..12", ["7", "007", "12"]),
        ("8..", ["12"]),
        ("..-3", ["-3.5"]),
        ("..", []),
        ("x..y", ["x..y"]),
        ("", [""]),
    ],
)
def test_what_a_text_stands_for(asked, found):
    values = ("a", "b", "[b]", "7", "007", "12", "-3.5", "x..y", "")
    assert [one for one, fits in zip(values, fitting(values, asked).tolist(), strict=True) if fits] == found


def test_segments_left_out_twice_are_those_left_out_at_once(tmp_path):
    corpus = metaeval.load_corpus(tiny.write(tmp_path / "mine"))
    # First the documents d1, d2 and half of d3; of these, what is news: d1 and the half.
    twice = with_segments(with_segments(corpus, np.arange(5)), np.array([0, 1, 4]))
    once = with_segments(corpus, np.array([0, 1, 4]))
    assert twice.segment_ids == once.segment_ids == ("s1", "s2", "s5")
    assert twice.numbers.tolist() == once.numbers.tolist() == [1, 2, 5]
    for one in (twice, once):
        assert {scores.level: scores.units for scores in one.scores if scores.origin == "metric"} == {
            "segment": ("s1", "s2", "s5"),
            "document": ("d1",),
            "domain": (),
        }
