"""Verdicts on claims: when they hold, when they fail, and when nothing can be said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from metaeval.datamodel.corpus import Corpus
from metaeval.papers.claims import ClaimSettings, judge_claims
from metaeval.papers.claims.verdicts import ComparisonWords
from metaeval.report.claims import claims_text
from tests.papers.claims.support import Made, compared, counts, near
from tests.support.results import facts_of

# Three replicates with a standard deviation of 0.05: limits are 0.2151 away (4.302653 by scipy.stats.t of 2 degrees of
# freedom), 0.3103 where two comparisons share the error (6.205347), 0.3824 for three (7.648804), 0.4430 for four
# (8.860200).
WIDE = [-0.05, 0.05, 0.0]


def made_of(**differences):
    """Return results in which gtm is above bleu by so much, at lengths 1, 2 and so on; standard error 0.05."""
    made = Made()
    for length, difference in enumerate(differences.values(), start=1):
        made.add("bleu", 0.1, replicates=[0.1] * 3, length=length)
        made.add("gtm", 0.1 + difference, replicates=[0.1 + difference + one for one in WIDE], length=length)
    return made


def test_a_row_tells_what_the_claim_says():
    row = made_of(a=0.5).judge("gtm above bleu", reading=True, margin=0.1)
    assert [getattr(row, key) for key in ("claim", "paper", "over", "quantity", "reading", "margin", "label")] == [
        1,
        "words of the paper",
        "everywhere",
        "correlation",
        True,
        0.1,
        "",
    ]


@pytest.mark.parametrize(
    ("statement", "difference", "margin", "verdict"),
    [
        ("gtm above bleu", 0.22, 0.0, "holds"),
        ("gtm above bleu", 0.22, 0.1, "undecided"),
        ("gtm above bleu", 0.21, 0.0, "undecided"),
        ("gtm above bleu", 0.1, 0.32, "fails"),
        ("gtm above bleu", 0.1, 0.31, "undecided"),
        ("gtm above bleu", -0.22, 0.0, "fails"),
        ("gtm below bleu", -0.22, 0.0, "holds"),
        ("gtm at least bleu", 0.22, 0.0, "holds"),
        ("gtm at most bleu", 0.22, 0.0, "fails"),
        # From -0.165 to 0.265; from -0.515 to -0.085.
        ("gtm equals bleu", 0.05, 0.27, "holds"),
        ("gtm equals bleu", 0.05, 0.26, "undecided"),
        ("gtm equals bleu", -0.3, 0.08, "fails"),
        ("bleu equals gtm", -0.3, 0.09, "undecided"),
    ],
)
def test_one_comparison(statement, difference, margin, verdict):
    assert made_of(a=difference).judge(statement, margin=margin).verdict == verdict


@pytest.mark.parametrize(("relation", "verdict"), [("above", "undecided"), ("at least", "holds")])
def test_at_least_is_satisfied_with_no_difference_at_all(relation, verdict):
    made = Made().add("gtm", 0.5, replicates=[0.4, 0.5, 0.6]).add("bleu", 0.5, replicates=[0.4, 0.5, 0.6])
    assert made.judge(f"gtm {relation} bleu").verdict == verdict


def test_everywhere_holds_without_a_correction():
    # 0.25 - 0.2151 is above 0 at both places; with a correction it would not be.
    row = made_of(a=0.25, b=0.3).judge("gtm above bleu")
    assert (row.verdict, counts(row)) == ("holds", (2, 0, 0))
    assert row.lower == pytest.approx(0.25 - 0.05 * 4.302653, abs=1e-6)
    assert compared(row).endswith("1 segment")
    assert row.notes == ""


def test_everywhere_fails_only_by_corrected_limits():
    row = made_of(a=0.9, b=-0.25).judge("gtm above bleu")
    assert (row.verdict, counts(row)) == ("undecided", (1, 0, 1))
    # The limits are those that leave it undecided.
    assert row.upper == pytest.approx(-0.25 + 0.05 * 6.205347, abs=1e-6)
    row = made_of(a=0.9, b=-0.32).judge("gtm above bleu")
    assert (row.verdict, counts(row)) == ("fails", (1, 1, 0))
    assert row.upper == pytest.approx(-0.32 + 0.05 * 6.205347, abs=1e-6)
    assert compared(row).endswith("2 segments")
    assert row.notes == "interval corrected for 2 comparisons"
    assert made_of(a=-0.25).judge("gtm above bleu").verdict == "fails"


def test_somewhere_holds_only_by_limits_that_share_the_error_among_the_places():
    assert made_of(a=0.3, b=-0.9).judge("gtm above bleu", over="somewhere").verdict == "undecided"
    row = made_of(a=-0.9, b=0.32, c=0.4).judge("gtm above bleu", over="somewhere")
    assert (row.verdict, counts(row)) == ("holds", (1, 1, 1))
    assert row.lower == pytest.approx(0.4 - 0.05 * 7.648804, abs=1e-6)
    assert compared(row).endswith("3 segments")
    assert row.notes == "interval corrected for 3 comparisons"


def test_somewhere_fails_where_every_place_is_against_it():
    # One pair at each place: nothing is corrected.
    row = made_of(a=-0.22, b=-0.3).judge("gtm above bleu", over="somewhere")
    assert (row.verdict, row.difference, row.notes) == ("fails", pytest.approx(-0.22), "")
    assert row.upper == pytest.approx(-0.22 + 0.05 * 4.302653, abs=1e-6)
    row = made_of(a=-0.1, b=-0.9).judge("gtm above bleu", over="somewhere")
    assert (row.verdict, row.difference) == ("undecided", pytest.approx(-0.1))


def chained(*differences):
    """Return results in which nist is above bleu, and gtm above nist, by so much, each with a standard error of 0.05.

    The lengths are 1, 2 and so on.
    """
    made = Made()
    for length, (nist, gtm) in enumerate(differences, start=1):
        made.add("bleu", 0.1, replicates=[0.1] * 3, length=length)
        made.add("nist", 0.1 + nist, replicates=[0.1 + nist + one for one in WIDE], length=length)
        made.add("gtm", 0.1 + nist + gtm, replicates=[0.1 + nist + gtm + 2 * one for one in WIDE], length=length)
    return made


def test_a_chain_holds_somewhere_only_where_all_its_pairs_do():
    # At 1 segment nist lies above gtm, at 2 between the two.
    made = chained((0.9, -0.5), (0.4, 0.35))
    row = made.judge("gtm above nist above bleu", over="somewhere")
    # The error is shared by two places; by four comparisons 0.35 - 0.4430 would be below 0.
    assert (row.verdict, counts(row)) == ("holds", (3, 1, 0))
    assert compared(row) == "gtm - nist, adequacy, case, 1 reference, 2 segments"
    assert row.notes == "interval corrected for 2 comparisons"
    assert row.lower == pytest.approx(0.35 - 0.05 * 6.205347, abs=1e-6)
    # Everywhere it fails by limits for four comparisons: -0.5 + 0.4430.
    row = made.judge("gtm above nist above bleu")
    assert (row.verdict, row.notes) == ("fails", "interval corrected for 4 comparisons")
    assert chained((0.9, -0.44), (0.4, 0.35)).judge("gtm above nist above bleu").verdict == "undecided"


@pytest.mark.parametrize(("second", "verdict"), [(-0.32, "fails"), (-0.3, "undecided")])
def test_a_chain_fails_somewhere_by_limits_that_share_the_error_among_the_pairs_of_a_place(second, verdict):
    # One pair of two is against it at each of three places: 0.3103 counts, not 0.2151 (one), nor 0.3824 (three).
    made = chained((0.9, -0.32), (second, 0.9), (0.9, -0.34))
    row = made.judge("gtm above nist above bleu", over="somewhere")
    assert (row.verdict, row.n_comparisons) == (verdict, 6)
    if verdict == "fails":
        assert row.notes == "interval corrected for 2 comparisons"
        assert row.upper == pytest.approx(-0.32 + 0.05 * 6.205347, abs=1e-6)


def test_in_a_chain_of_equals_all_pairs_are_compared():
    # Neighbours differ by 0.4 and are within 0.75 of each other by 0.4 + 0.3103; bleu and gtm differ by 0.8, with a
    # standard error of 0.1.
    made = chained((0.4, 0.4))
    row = made.judge("bleu equals nist equals gtm", margin=0.75)
    assert (row.verdict, counts(row)) == ("undecided", (2, 0, 1))
    assert (compared(row).split(",")[0], row.difference) == ("bleu - gtm", pytest.approx(-0.8))
    row = chained((0.1, 0.1)).judge("bleu equals nist equals gtm", margin=0.64)
    # The widest limit is 0.2 + 0.4303.
    assert (row.verdict, counts(row), row.lower) == ("holds", (3, 0, 0), pytest.approx(-0.6302653, abs=1e-6))
    made = made.add("ter", 0.0, replicates=[0, 0.01, 0.02], length=1)
    # Three of equals, and the neighbours gtm and ter; an order carries over by itself.
    assert made.judge("bleu equals nist equals gtm above ter", margin=0.1).n_comparisons == 4
    assert made.judge("gtm at least nist at least bleu at least ter").n_comparisons == 3
    # In its turn as `each`, nist would be compared with itself, and bleu likewise.
    assert made.judge("each equals bleu equals nist", margin=0.1).n_comparisons == 2 * 3


def test_average_may_hold_where_everywhere_does_not():
    made = made_of(a=0.9, b=-0.35)
    row = made.judge("gtm above bleu", over="average")
    assert (row.verdict, row.difference, counts(row)) == ("holds", pytest.approx(0.275), (1, 0, 0))
    assert made.judge("gtm above bleu").verdict == "fails"


@pytest.mark.parametrize(
    ("source", "simulated"), [("metaeval corpus simulate demo --seed 20031", True), ("newswire", False), ("", False)]
)
def test_a_simulation_is_no_evidence(source, simulated):
    texts = Corpus.of_texts({"a": ["x"]}, {})
    assert replace(texts, facts={"name": "c", "source": source}).is_simulated == simulated
    assert replace(texts, facts={"name": "c"}).is_simulated is False
    row = Made(simulated=simulated).add("bleu", 0.5).judge("bleu above 0.1")
    assert row.label == ("simulation: no evidence about the claim" if simulated else "")


def test_the_text_for_people():
    made = made_of(a=0.9, b=-0.35)
    made.run.corpora = [facts_of(simulated=True)]
    paper = "BLEU lies close to GTM, however short or long the documents are that people judge, "
    claims = [
        ClaimSettings("GTM is best.", "gtm above bleu", reading=True),
        ClaimSettings(paper * 2, "gtm equals bleu", margin=0.4, over="average"),
        ClaimSettings("NIST is better.", "nist above bleu"),
    ]
    text = claims_text(judge_claims(claims, made.run))
    assert text == TEXT
    assert max(map(len, text.split("\n"))) <= 100
    assert claims_text([]) == ""


# On average 0.275; replicates 0.05 around it at both lengths, so the limits are 0.275 -+ 0.2151.
# Those of -0.35 alone are 0.3103 away.
TEXT = """\
c (simulated data: no evidence about real metrics): 3 claims of the paper; 1 fails, 1 undecided, 1
  not applicable

  1  GTM is best.
     gtm above bleu, everywhere (our reading)
     FAILS: gtm is below bleu by 0.350 [0.040, 0.660] (adequacy, case, 1 reference, 2 segments);
       interval from replicates; interval corrected for 2 comparisons; of 2 comparisons 1 agrees
       with the claim and 1 contradicts it

  2  BLEU lies close to GTM, however short or long the documents are that people judge, BLEU lies
     close to GTM, however short or long the documents are that people judge,
     gtm within 0.4 of bleu, on average
     UNDECIDED: gtm is above bleu by 0.275 [0.060, 0.490] (adequacy, case, mean of 2 lengths);
       interval from replicates

  3  NIST is better.
     nist above bleu, everywhere
     NOT APPLICABLE: the experiment has no metric 'nist'; it has 'bleu', 'gtm'"""


def test_criteria_can_have_other_names_in_the_corpus():
    claim = ClaimSettings("words", "gtm[criterion=adequacy] above bleu[criterion=fluency]", reading=True)
    assert claim.read_as({"adequacy": "accuracy"}).statement == "gtm[criterion=accuracy] above bleu[criterion=fluency]"
    listed = ClaimSettings("words", "gtm above bleu", criteria=("adequacy", "fluency"))
    assert listed.read_as({"adequacy": "accuracy"}).chosen == "criterion: accuracy, fluency"
    assert listed.read_as({"other": "accuracy"}) is listed


def spread_out(*differences):
    """Return results in which gtm is above bleu by so much, with a standard error of so much, at lengths 1, 2, ..."""
    made = Made()
    for length, (difference, size) in enumerate(differences, start=1):
        made.add("bleu", 0.1, replicates=[0.1] * 3, length=length)
        made.add("gtm", 0.1 + difference, replicates=near(0.1 + difference, size), length=length)
    return made


def test_what_is_shown_of_an_undecided_claim_does_not_speak_for_it():
    # 0.05 - 4.302653 * 0.005 = 0.028 is for the claim; 0.10 - 4.302653 * 0.05 = -0.115 leaves it open.
    row = spread_out((0.05, 0.005), (0.1, 0.05)).judge("gtm above bleu")
    assert (row.verdict, counts(row)) == ("undecided", (1, 0, 1))
    assert compared(row) == "gtm - bleu, adequacy, case, 1 reference, 2 segments"
    assert (row.difference, row.lower) == (pytest.approx(0.1), pytest.approx(0.1 - 0.05 * 4.302653, abs=1e-6))


def test_what_is_shown_of_a_claim_undecided_somewhere_is_not_a_place_against_it():
    # At the first place -0.05 + 4.302653 * 0.005 = -0.028 is against it; at the others nothing is. Of these -0.10 is
    # nearer to the claim than -0.12.
    row = spread_out((-0.05, 0.005), (-0.1, 0.05), (-0.12, 0.05)).judge("gtm above bleu", over="somewhere")
    assert (row.verdict, counts(row)) == ("undecided", (0, 1, 2))
    assert compared(row) == "gtm - bleu, adequacy, case, 1 reference, 2 segments"


@pytest.mark.parametrize(
    ("difference", "lower", "upper", "words"),
    [
        (0.0124, -0.01, 0.03, "a is above b by 0.012 [-0.010, 0.030] (adequacy)"),
        (-0.0124, -0.03, 0.01, "a is below b by 0.012 [-0.010, 0.030] (adequacy)"),
        # What is rounded to 0.000 has an order all the same.
        (-0.0001, -0.03, 0.01, "a is below b by less than 0.0005 [-0.010, 0.030] (adequacy)"),
        (0.0, -0.02, 0.02, "a is equal to b, with a difference of 0.000 [-0.020, 0.020] (adequacy)"),
        (0.0, np.nan, np.nan, "a is equal to b (adequacy)"),
        (np.nan, np.nan, np.nan, "the difference of a and b has no value (adequacy)"),
    ],
)
def test_a_difference_is_said_with_its_side_and_size(difference, lower, upper, words):
    assert ComparisonWords("a", "b", place="adequacy").sentence_with(difference, lower, upper) == words
