"""Worked examples of a paper as text for people."""

from __future__ import annotations

import math
from dataclasses import replace

from metaeval.report.examples import examples_text
from metaeval.results.rows import Example

HOLDS = Example(
    example=1,
    paper="The first is better.",
    metric="bleu",
    preprocessing="case",
    candidate="a b",
    references="a b | a c",
    quantity="score",
    value="0.50",
    ours=0.5041,
    difference=0.0041,
    reading=False,
    verdict="holds",
    signature="BLEU|version:1",
)


def test_an_example_that_holds_is_told_in_a_line_and_one_that_fails_with_its_texts():
    # Two digits are printed, so ours has four.
    fails = replace(HOLDS, example=2, value="0.60", difference=-0.0959, verdict="fails", candidate="")
    lines = examples_text([HOLDS, fails]).split("\n")

    assert lines[0] == "Worked examples of the paper: 1 of 2 hold."
    assert lines[4:] == [
        " 1. HOLDS  The first is better. (bleu, score: 0.50 in the paper, 0.5041 here)",
        " 2. FAILS  The first is better.",
        "    metric      bleu; tokens at white space, case kept",
        "    candidate   (empty)",
        "    references  a b | a c",
        "    score       0.60 in the paper, 0.5041 here: -0.0959",
    ]


def test_a_score_that_is_undefined_is_told():
    undefined = replace(HOLDS, ours=math.nan, difference=math.nan, verdict="fails")
    assert examples_text([undefined]).split("\n")[-1] == "    score       0.50 in the paper, undefined here"


def test_without_examples_there_is_nothing_to_say():
    assert examples_text([]) == ""
