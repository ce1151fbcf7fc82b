"""Verdicts on claims: when they hold, when they fail, and when nothing can be said."""

from __future__ import annotations

import math

import numpy as np
import pytest

from metaeval.experiments.claims import ClaimSettings, judge_claims
from metaeval.experiments.claims.judge import is_simulated
from metaeval.experiments.scores import ScoreBlock
from metaeval.report.claims import claims_text
from tests.experiments.claims.support import Made, counts

# Standard deviation 0.1 around any mean: limits are 0.196 away, and 0.224 where two comparisons share the error
# (z 2.241403), 0.239 for three (z 2.393980).
WIDE = [-0.1, 0.1, 0.0]


def made_of(**differences):
    """Return results in which gtm is above bleu by so much, at lengths 1, 2 and so on, with a standard error of 0.1."""
    made = Made()
    for length, difference in enumerate(differences.values(), start=1):
        made.add("bleu", 0.1, replicates=[0.1] * 3, length=length)
        made.add("gtm", 0.1 + difference, replicates=[0.1 + difference + one for one in WIDE], length=length)
    return made


def test_the_columns_of_a_row():
    row = made_of(a=0.5).judge("gtm above bleu", reading=True, margin=0.1)
    columns = "corpus claim paper statement chosen over quantity reading verdict why difference lower upper margin"
    assert " ".join(row) == f"{columns} evidence n_comparisons n_for n_against n_open label"
    assert [row[key] for key in ("claim", "paper", "over", "quantity", "reading", "margin", "label")] == [
        1,
        "words of the paper",
        "everywhere",
        "correlation",
        "yes",
        0.1,
        "",
    ]


@pytest.mark.parametrize(
    ("statement", "difference", "margin", "verdict"),
    [
        ("gtm above bleu", 0.2, 0.0, "holds"),
        ("gtm above bleu", 0.2, 0.1, "undecided"),
        ("gtm above bleu", 0.1, 0.0, "undecided"),
        ("gtm above bleu", 0.1, 0.3, "fails"),
        ("gtm above bleu", -0.2, 0.0, "fails"),
        ("gtm below bleu", -0.2, 0.0, "holds"),
        ("gtm at least bleu", 0.2, 0.0, "holds"),
        ("gtm at most bleu", 0.2, 0.0, "fails"),
        ("gtm equals bleu", 0.05, 0.25, "holds"),
        ("gtm equals bleu", 0.05, 0.24, "undecided"),
        ("gtm equals bleu", -0.3, 0.1, "fails"),
        ("bleu equals gtm", -0.3, 0.11, "undecided"),
    ],
)
def test_one_comparison(statement, difference, margin, verdict):
    assert made_of(a=difference).judge(statement, margin=margin)["verdict"] == verdict


@pytest.mark.parametrize(("relation", "verdict"), [("above", "undecided"), ("at least", "holds")])
def test_at_least_is_satisfied_with_no_difference_at_all(relation, verdict):
    made = Made().add("gtm", 0.5, replicates=[0.4, 0.5, 0.6]).add("bleu", 0.5, replicates=[0.4, 0.5, 0.6])
    assert made.judge(f"gtm {relation} bleu")["verdict"] == verdict


def test_everywhere_holds_without_a_correction():
    # 0.2 - 0.196 is above 0 at both places; with a correction it would not be.
    row = made_of(a=0.2, b=0.25).judge("gtm above bleu")
    assert (row["verdict"], counts(row)) == ("holds", (2, 0, 0))
    assert row["lower"] == pytest.approx(0.2 - 0.1959964, abs=1e-6)
    assert row["why"].endswith("1 segment")


def test_everywhere_fails_only_by_corrected_limits():
    row = made_of(a=0.9, b=-0.21).judge("gtm above bleu")
    assert (row["verdict"], counts(row)) == ("undecided", (1, 0, 1))
    # The limits are those that leave it undecided.
    assert row["upper"] == pytest.approx(-0.21 + 0.2241403, abs=1e-6)
    row = made_of(a=0.9, b=-0.23).judge("gtm above bleu")
    assert (row["verdict"], counts(row)) == ("fails", (1, 1, 0))
    assert row["upper"] == pytest.approx(-0.23 + 0.2241403, abs=1e-6)
    assert row["why"].endswith("2 segments; limits corrected for 2 comparisons")
    assert made_of(a=-0.21).judge("gtm above bleu")["verdict"] == "fails"


def test_somewhere_holds_only_by_corrected_limits():
    assert made_of(a=0.21, b=-0.9).judge("gtm above bleu", over="somewhere")["verdict"] == "undecided"
    row = made_of(a=-0.9, b=0.23, c=0.25).judge("gtm above bleu", over="somewhere")
    assert (row["verdict"], counts(row)) == ("holds", (1, 1, 1))
    assert row["lower"] == pytest.approx(0.25 - 0.2393980, abs=1e-6)
    assert "3 segments; limits corrected for 3 comparisons" in row["why"]


def test_somewhere_fails_where_every_place_is_against_it():
    row = made_of(a=-0.2, b=-0.3).judge("gtm above bleu", over="somewhere")
    assert (row["verdict"], row["difference"]) == ("fails", pytest.approx(-0.2))
    row = made_of(a=-0.1, b=-0.9).judge("gtm above bleu", over="somewhere")
    assert (row["verdict"], row["difference"]) == ("undecided", pytest.approx(-0.1))


def test_a_chain_holds_somewhere_only_where_all_its_pairs_do():
    made = made_of(a=0.5, b=0.5)
    for length, nist in ((1, 0.9), (2, 0.3)):
        made.add("nist", nist, replicates=[nist] * 3, length=length)
    # At 1 segment nist lies above gtm (0.6), at 2 between the two.
    row = made.judge("gtm above nist above bleu", over="somewhere")
    assert (row["verdict"], row["n_comparisons"]) == ("holds", 4)
    assert row["why"].startswith("gtm - nist, adequacy, case, 1 reference, 2 segments")
    assert made.judge("gtm above nist above bleu")["verdict"] == "fails"
    assert made.judge("nist above bleu above gtm", over="somewhere")["verdict"] == "fails"


def test_average_may_hold_where_everywhere_does_not():
    made = made_of(a=0.9, b=-0.3)
    row = made.judge("gtm above bleu", over="average")
    assert (row["verdict"], row["difference"], counts(row)) == ("holds", pytest.approx(0.3), (1, 0, 0))
    assert made.judge("gtm above bleu")["verdict"] == "fails"


def three():
    made = Made()
    for references, (gtm, nist, ter) in {"r1": (0.5, 0.4, 0.3), "r1+r2+r3": (0.7, 0.3, 0.2)}.items():
        for name, mean in (("gtm(exponent=2)", gtm), ("nist", nist), ("ter", ter)):
            made.add(name, mean, replicates=[mean] * 3, subset=references)
    return made


def test_each_metric_is_a_comparison_of_its_own():
    made = three()
    row = made.judge("each[references=3] above each[references=1]")
    assert (row["verdict"], counts(row)) == ("fails", (1, 2, 0))
    assert row["why"].startswith("nist[references=3] - nist[references=1], adequacy, case, 5 segments")
    row = made.judge("each[references=3] above each[references=1]", each=("gtm( exponent = 2 )",))
    assert (row["verdict"], counts(row)) == ("holds", (1, 0, 0))
    most = made.judge("each[references=most] above each[references=1]", each=("gtm(exponent=2)",))
    assert most["difference"] == row["difference"]
    row = made.judge("each[references=3] above each[references=1]", over="somewhere")
    assert (row["verdict"], row["difference"]) == ("holds", pytest.approx(0.2))
    # A metric is not compared with itself.
    assert made.judge("ter at most each")["n_comparisons"] == 4


def test_every_other_metric():
    made = three()
    row = made.judge("ter below every other")
    assert (row["verdict"], counts(row)) == ("holds", (4, 0, 0))
    row = made.judge("every other below nist", over="average")
    assert (row["verdict"], row["n_comparisons"]) == ("fails", 2)
    # Somewhere means a place at which every other one is below.
    assert made.judge("nist above every other", over="somewhere")["verdict"] == "fails"
    made.add("nist", 0.9, replicates=[0.9] * 3, subset="r1+r2")
    made.add("ter", 0.2, replicates=[0.2] * 3, subset="r1+r2")
    assert made.judge("nist above every other", over="somewhere")["verdict"] == "holds"


def test_the_judges_stand_in_every_condition():
    made = Made().add("inter-judge", 0.6, replicates=[0.6] * 3, condition="")
    made.add("inter-judge", 0.9, replicates=[0.9] * 3, condition="", subset="r1+r2")
    for condition, mean in (("case", 0.5), ("stem", 0.4)):
        made.add("bleu", mean, replicates=[mean] * 3, condition=condition)
        made.add("nist", mean - 0.1, replicates=[mean] * 3, condition=condition)
    row = made.judge("inter-judge above bleu")
    assert (row["n_comparisons"], row["difference"]) == (2, pytest.approx(0.1))
    row = made.judge("inter-judge above each", conditions=("stem",))
    assert (row["n_comparisons"], row["difference"]) == (2, pytest.approx(0.2))
    assert made.judge("inter-judge above 0.5")["n_comparisons"] == 2
    row = made.judge("inter-judge above bleu[references=1, condition=case]")
    assert (row["n_comparisons"], row["difference"]) == (1, pytest.approx(0.1))
    assert made.judge("bleu below every other", conditions=("case",))["why"].startswith("nist - bleu")


def test_the_judges_without_such_references_stand_for_all_they_have():
    # (0.6 + 0.8) / 2 - 0.5, the same where the claim chooses the references.
    made = Made().add("inter-judge", 0.6, replicates=[0.6] * 3, condition="")
    made.add("inter-judge", 0.8, replicates=[0.8] * 3, condition="", subset="r2")
    made.add("bleu", 0.5, replicates=[0.5] * 3, subset="r1+r2+r3")
    assert made.judge("inter-judge above bleu[references=3]")["difference"] == pytest.approx(0.2)
    assert made.judge("inter-judge above bleu", references=(3,))["difference"] == pytest.approx(0.2)


def test_names_are_compared_by_what_they_mean():
    made = Made().add("gtm( exponent=2 )", 0.7, replicates=[0.7] * 3, condition='stem(tokenizer="13a")')
    made.add("gtm(exponent=1)", 0.5, replicates=[0.5] * 3, condition='stem(tokenizer="13a")')
    assert made.judge("gtm(exponent=2.0) above gtm")["verdict"] == "holds"
    assert made.judge("gtm(exponent=2) above gtm", conditions=("stem",))["verdict"] == "holds"
    assert made.judge("gtm(exponent=2) above gtm", conditions=("stem( tokenizer='13a' )",))["verdict"] == "holds"


@pytest.mark.parametrize(
    ("statement", "settings", "reason"),
    [
        ("blue above nist", {}, "the experiment has no metric 'blue'; it has 'bleu', 'nist'"),
        ("each above nist", {"each": ("ter",)}, "the experiment has no metric 'ter'"),
        ("bleu above inter-judge", {}, "the experiment has no inter-judge line (`judgments.inter_judge`)"),
        ("bleu above nist", {"criteria": ("fluency",)}, "no results for the criterion 'fluency'; there are 'adequacy'"),
        ("bleu above nist", {"conditions": ("case",)}, "[conditions]"),
        ("bleu above nist", {"references": (1, 16)}, "no results with 16 references; there are 1, 2"),
        ("bleu above nist", {"lengths": (7,)}, "no results for documents of 7 segments; there are 5"),
        ("bleu above nist", {"coefficients": ("pearson",)}, "no results for the coefficient 'pearson'; there are 's"),
        ("bleu above nist", {"panels": ("B",)}, "no results for the panel 'B'"),
        ("bleu[references=4] above nist[references=1]", {}, "no results with 4 references; there are 1, 2"),
        (
            "bleu[condition=stem] above nist[condition=nocase]",
            {},
            "[condition=stem] of bleu[condition=stem] can be 'stem(tokenizer=\"a\")' or 'stem(tokenizer=\"b\")'",
        ),
        ("bleu above nist", {"references": (2,)}, "no place has a number for every term of 'bleu above nist'"),
        ("each above 0.5", {"each": ("bleu", "nist"), "references": (2,)}, "no place has a number for every term"),
    ],
)
def test_what_cannot_be_decided_says_why(statement, settings, reason):
    made = Made()
    for condition in ('stem(tokenizer="a")', 'stem(tokenizer="b")', "nocase"):
        made.add("bleu", 0.5, condition=condition).add("nist", 0.5, condition=condition)
    made.add("bleu", 0.5, condition="nocase", subset="r1+r2")
    if reason == "[conditions]":
        reason = "no results for the condition 'case'; there are 'stem(tokenizer=\"a\")', 'stem(tokenizer=\"b\")', 'noc"
    row = made.judge(statement, **settings)
    assert (row["verdict"], counts(row)) == ("not applicable", (0, 0, 0))
    assert row["why"].startswith(reason)


def test_the_only_metric_has_no_others():
    row = Made().add("bleu", 0.5).judge("bleu below every other")
    assert row["why"] == "the experiment has no metric besides bleu"


def test_a_number_in_two_panels_counts_once():
    made = Made()
    for panel, coefficient in (("A", "spearman"), ("B", "spearman"), ("B", "pearson")):
        for name, mean in (("bleu", 0.4), ("gtm", 0.5)):
            made.add(name, mean, replicates=[mean] * 3, panel=panel, coefficient=coefficient)
    made.add("nist", 0.1, replicates=[0.1] * 3, panel="B")
    row = made.judge("gtm above bleu")
    assert (row["n_comparisons"], row["verdict"]) == (2, "holds")
    assert row["why"] == "gtm - bleu, adequacy, case, 1 reference, 5 segments, spearman, panel 'A'"
    assert made.judge("gtm above bleu", panels=("B",))["n_comparisons"] == 2
    assert made.judge("gtm above nist")["why"].endswith("spearman, panel 'B'")
    assert made.judge("gtm[panel=A] above nist[panel=B]", coefficients=("spearman",))["verdict"] == "holds"


def smallest(*values):
    made = Made()
    for criterion, test, value in values:
        made.computed.related.smallest_differences.append(
            {
                "corpus": "c",
                "condition": "case",
                "subset": "r1",
                "criterion": criterion,
                "grouping": "system",
                "coefficient": "spearman",
                "test": test,
                "over": "documents",
                "alpha": 0.001,
                "smallest_difference": value,
            }
        )
    return made


@pytest.mark.parametrize(
    ("statement", "settings", "verdict"),
    [
        ("smallest-difference at most 0.01", {}, "fails"),
        ("smallest-difference at most 0.01", {"criteria": ("adequacy",)}, "fails"),
        ("smallest-difference at most 0.01", {"criteria": ("adequacy",), "test": "wilcoxon"}, "holds"),
        ("smallest-difference at most 0.01", {"over": "somewhere"}, "holds"),
        ("0.01 at least smallest-difference", {"criteria": ("adequacy",), "test": "wilcoxon"}, "holds"),
        ("smallest-difference below 0.01", {"criteria": ("adequacy",), "test": "wilcoxon"}, "fails"),
        ("smallest-difference above 0", {"criteria": ("fluency",)}, "fails"),
        ("smallest-difference at most 0.01", {"references": (2,)}, "not applicable"),
        ("smallest-difference at most 0.01", {"test": "bootstrap"}, "not applicable"),
    ],
)
def test_smallest_differences_are_compared_as_they_are(statement, settings, verdict):
    made = smallest(
        ("adequacy", "wilcoxon", 0.01), ("adequacy", "permutation", 0.02), ("fluency", "wilcoxon", math.inf)
    )
    row = made.judge(statement, quantity="smallest-difference", **settings)
    assert row["verdict"] == verdict
    assert math.isnan(row["lower"])
    if settings == {}:
        assert row["why"] == (
            "0.01 - smallest-difference, wilcoxon, fluency, no difference from which on all pairs are significant"
        )
        assert counts(row) == (1, 2, 0)


def test_without_tests_there_is_no_smallest_difference():
    row = Made().judge("smallest-difference at most 0.01", quantity="smallest-difference")
    assert (row["verdict"], row["why"]) == ("not applicable", "the experiment has no test between metrics")


def nist_scores(*scores):
    """Return results with the scores of nist up to order 1 and up to order 2, by reference subset and system."""
    made = Made()
    for subset in dict.fromkeys(subset for subset, *_ in scores):
        of_systems = {system: both for one, system, *both in scores if one == subset}
        for place, order in enumerate((1, 2)):
            made.computed.blocks.append(
                ScoreBlock(
                    head={"corpus": "c", "condition": "case", "subset": subset, "metric": f"nist(order={order})"},
                    level="system",
                    kind="system",
                    units=("all",),
                    sizes=np.array([9], dtype=np.int32),
                    names=tuple(of_systems),
                    values=np.array([[both[place] for both in of_systems.values()]], dtype=float),
                    signature=f"NIST|order:{order}|information:yes|brevity:yes|refs:{subset}",
                )
            )
    return made


def test_shares_of_the_nist_score_are_compared_system_by_system():
    # Shares of order 1 with r1: 0.8 and 0.9; with r2: 0.6 and 0.9, so 0.7 and 0.9 with one reference. With both: 0.5
    # and 0.6. They fall by 0.2 and 0.3.
    made = nist_scores(
        ("r1", "A", 4, 5),
        ("r1", "B", 9, 10),
        ("r2", "A", 3, 5),
        ("r2", "B", 9, 10),
        ("r1+r2", "A", 3, 6),
        ("r1+r2", "B", 6, 10),
    )
    row = made.judge("nist(order=1)[references=1] above nist(order=1)[references=2]", quantity="nist-share")
    assert (row["verdict"], row["evidence"], row["n_comparisons"]) == ("holds", "systems", 1)
    assert (row["difference"], row["lower"], row["upper"]) == pytest.approx((0.25, 0.2, 0.3))
    # Order 2 has the rest, so it gains the same.
    row = made.judge(
        "nist(order=2)[references=2] above nist(order=2)[references=1]", quantity="nist-share", margin=0.22
    )
    assert (row["verdict"], row["difference"]) == ("undecided", pytest.approx(0.25))
    row = made.judge("nist(order=1) above 0.55", quantity="nist-share", over="average")
    # A: (0.7 + 0.5) / 2 - 0.55 = 0.05; B: (0.9 + 0.6) / 2 - 0.55 = 0.2.
    assert (row["lower"], row["upper"]) == pytest.approx((0.05, 0.2))
    assert made.judge("nist(order=3) above 0.1", quantity="nist-share")["verdict"] == "not applicable"


def test_without_lower_orders_there_are_no_shares():
    row = Made().add("bleu", 0.5).judge("nist(order=1) above 0.5", quantity="nist-share")
    assert row["why"] == "the experiment has no nist of two orders or more with every order below the highest"


@pytest.mark.parametrize(
    ("source", "simulated"),
    [("metaeval corpus simulate demo --seed 20031", True), ("newswire", False), ("", False)],
)
def test_a_simulation_is_no_evidence(source, simulated):
    assert is_simulated({"name": "c", "source": source}) == simulated
    assert is_simulated({"name": "c"}) is False
    row = Made(source).add("bleu", 0.5).judge("bleu above 0.1")
    assert row["label"] == ("simulation: no evidence about the claim" if simulated else "")


def test_the_text_for_people():
    made = made_of(a=0.9, b=-0.23)
    made.computed.corpora[0]["source"] = "metaeval corpus simulate demo --seed 1"
    paper = "BLEU lies close to GTM, however short or long the documents are that people judge, "
    claims = [
        ClaimSettings("GTM is best.", "gtm above bleu", reading=True),
        ClaimSettings(paper * 2, "gtm equals bleu", margin=0.5, over="average"),
        ClaimSettings("NIST is better.", "nist above bleu"),
    ]
    text = claims_text(judge_claims(claims, made.computed))
    assert text == TEXT
    assert max(map(len, text.split("\n"))) <= 100
    assert claims_text([]) == ""


# On average 0.335; replicates 0.1 around it at both lengths, so the limits are 0.335 -+ 0.196.
TEXT = """\
c: 3 claims of the paper; 1 fails, 1 undecided, 1 not applicable

  1  GTM is best.
     gtm above bleu, everywhere (our reading)
     FAILS: gtm - bleu, adequacy, case, 1 reference, 2 segments: -0.230 [-0.454, -0.006] from
       replicates (limits corrected for 2 comparisons); 1 of 2 comparisons for, 1 against

  2  BLEU lies close to GTM, however short or long the documents are that people judge, BLEU lies
     close to GTM, however short or long the documents are that people judge,
     gtm equals bleu, on average, margin 0.5
     UNDECIDED: gtm - bleu, mean over 2 places: +0.335 [+0.139, +0.531] from replicates

  3  NIST is better.
     nist above bleu, everywhere
     NOT APPLICABLE: the experiment has no metric 'nist'; it has 'bleu', 'gtm'

c: simulation: no evidence about the claim."""


def test_the_text_tells_where_limits_come_from():
    made = nist_scores(("r1", "A", 4, 5), ("r1", "B", 9, 10)).add("bleu", 0.5)
    shares = claims_text([made.judge("nist(order=1) above 0.5", quantity="nist-share")])
    # 0.8 and 0.9, less 0.5.
    assert "     shares of the NIST score: nist(order=1) above 0.5, everywhere\n" in shares
    assert "HOLDS: nist(order=1) - 0.5, case, 1 reference: +0.350 [+0.300, +0.400] over the systems" in shares
    single = claims_text([made.judge("bleu above 0.1")])
    assert "UNDECIDED: bleu - 0.1, adequacy, case, 1 reference, 5 segments: +0.400, without an interval" in single
    found = smallest(("adequacy", "wilcoxon", None)).judge(
        "smallest-difference below 1", quantity="smallest-difference"
    )
    assert claims_text([found]).endswith(
        "FAILS: 1.0 - smallest-difference, no difference from which on all pairs are significant: none"
    )


def test_criteria_can_have_other_names_in_the_corpus():
    claim = ClaimSettings("words", "gtm[criterion=adequacy] above bleu[criterion=fluency]", reading=True)
    assert claim.read_as({"adequacy": "accuracy"}).statement == "gtm[criterion=accuracy] above bleu[criterion=fluency]"
    listed = ClaimSettings("words", "gtm above bleu", criteria=("adequacy", "fluency"))
    assert listed.read_as({"adequacy": "accuracy"}).chosen == "criterion: accuracy, fluency"
    assert listed.read_as({"other": "accuracy"}) is listed
