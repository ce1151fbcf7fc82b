"""What differs between two runs, in words."""

from __future__ import annotations

import pytest

from metaeval.report.diff import differences_text

NOTHING = {"inputs": [], "signatures": [], "numbers": [], "tests": [], "claims": [], "tables": []}


@pytest.mark.parametrize(
    ("n_compared", "line"),
    [(3, "no difference (3 correlations in both)"), (1, "no difference (1 correlation in both)")],
)
def test_equal_runs_are_told_in_a_line(n_compared, line):
    assert differences_text("a", "b", n_compared, NOTHING) == f"old: a\nnew: b\n{line}"


def test_claims_with_other_verdicts_stand_below_one_another():
    place = {"corpus": "c", "panel": "", "claim": 1}
    claims = [
        {**place, "statement": "gtm above bleu", "found": "both", "old": "holds", "new": "fails"},
        {**place, "statement": "ter above bleu", "found": "only new", "old": None, "new": "undecided"},
    ]
    text = differences_text("a", "b", 3, {**NOTHING, "claims": claims})

    assert text.split("\n\n")[1:] == [
        "3 correlations in both runs; none moved.",
        "Claims with other verdicts (corpus c)\n"
        "statement       found     old    new\n"
        "--------------  --------  -----  ---------\n"
        "gtm above bleu  both      holds  fails\n"
        "ter above bleu  only new         undecided",
    ]
