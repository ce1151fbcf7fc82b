"""Laws that verdicts obey, whatever the numbers are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.papers.claims.support import Made

HUNDREDTHS = st.integers(-100, 100).map(lambda number: number / 100)
OVER = st.sampled_from(["everywhere", "somewhere", "average"])
TURNED = {"above": "below", "at least": "at most", "below": "above", "at most": "at least", "equals": "equals"}


@st.composite
def results(draw, names=("bleu", "gtm")):
    """Give results of some metrics at one to three lengths, with three replicates or none."""
    made = Made()
    has_replicates = draw(st.booleans())
    for length in range(1, draw(st.integers(1, 3)) + 1):
        for name in names:
            mean = draw(HUNDREDTHS)
            near = [mean + draw(HUNDREDTHS) / 10 for _ in range(3)] if has_replicates else None
            made.add(name, mean, replicates=near, length=length)
    return made


@given(results(), st.sampled_from(sorted(TURNED)), OVER, st.sampled_from([0.1, 0.3]))
def test_a_claim_and_the_same_turned_round_get_the_same_verdict(made, relation, over, margin):
    row = made.judge(f"gtm {relation} bleu", over=over, margin=margin)
    other = made.judge(f"bleu {TURNED[relation]} gtm", over=over, margin=margin)
    same = ["verdict", "notes", "n_comparisons", "n_for", "n_against", "n_open"]
    assert [getattr(row, key) for key in same] == [getattr(other, key) for key in same]
    if relation == "equals":
        # The difference is turned round as well; which of two alike places decides is left open.
        assert abs(row.difference) == pytest.approx(abs(other.difference), abs=1e-12)
    else:
        found, turned = ([getattr(one, key) for key in ("difference", "lower", "upper")] for one in (row, other))
        np.testing.assert_allclose(found, turned, atol=1e-12)
        assert row.why == other.why


@given(results(), OVER, st.sampled_from([0.8, 0.95]))
def test_no_claim_holds_together_with_its_contrary(made, over, level):
    # At one place they exclude each other; somewhere, both can be so.
    verdicts = {
        made.judge(f"gtm {relation} bleu", over=over, confidence_level=level).verdict for relation in ("above", "below")
    }
    assert verdicts != {"holds"} or over == "somewhere"


@given(results(), st.sampled_from(["above", "below", "equals"]), OVER)
def test_more_confidence_turns_no_verdict_into_another_but_undecided(made, relation, over):
    low, high = (
        made.judge(f"gtm {relation} bleu", over=over, margin=0.1, confidence_level=level).verdict
        for level in (0.9, 0.99)
    )
    assert high in (low, "undecided")


@given(results(), st.sampled_from(["above", "at least", "equals"]))
def test_what_holds_everywhere_does_not_fail_somewhere(made, relation):
    everywhere, somewhere = (
        made.judge(f"gtm {relation} bleu", over=over, margin=0.1).verdict for over in ("everywhere", "somewhere")
    )
    assert (everywhere, somewhere) not in {("holds", "fails")}


@given(results(("bleu", "gtm", "ter")), st.permutations(["bleu", "gtm", "ter"]), OVER)
def test_in_a_chain_of_equals_the_order_does_not_matter(made, order, over):
    rows = [
        made.judge(" equals ".join(names), over=over, margin=0.3) for names in (("bleu", "gtm", "ter"), tuple(order))
    ]
    same = ["verdict", "n_comparisons", "n_for", "n_against", "n_open"]
    assert [getattr(rows[0], key) for key in same] == [getattr(rows[1], key) for key in same]
