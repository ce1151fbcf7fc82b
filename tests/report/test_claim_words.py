"""Claims of a paper in words: what each statement of a config says to people."""

from __future__ import annotations

import pytest

from metaeval.report.claim_words import count_words, statement_words, with_panel_title
from metaeval.report.claims import decision_of, labels_of_claims, statement_of, verdicts_of
from tests.support.results import claim

# Statements as the shipped configs have them, with what a reader is to meet.
STATEMENTS = {
    "nist[references=most] below nist[references=4]": "nist with the most references below nist with 4",
    "nist[references=1] below nist[references=most]": "nist with 1 reference below nist with the most references",
    "each[references=3] above each[references=1]": "each metric with 3 references above the same with 1",
    "each[criterion=fluency] below each[criterion=adequacy]": "each metric for fluency below the same for adequacy",
    "gtm[references=1] at least bleu[references=3]": "gtm with 1 reference at least as high as bleu with 3",
    "gtm above every other": "gtm above every other metric",
    "inter-judge above every other": "inter-judge above every metric",
    "inter-judge at most 0.5": "inter-judge at most 0.5",
    "gtm above 2 * bleu": "gtm above 2 times bleu",
    "0.5 * gtm above 0.3": "0.5 times gtm above 0.3",
    "each[preprocessing=nocase] below each[preprocessing=stem] above each[preprocessing=case]": (
        "each metric lower-cased below the same lower-cased and stemmed above the same with case kept"
    ),
    'bleu[preprocessing=case(tokenizer="13a")] above 0': "bleu on 13a tokens, case kept above 0",
    'bleu[coefficient=spearman(ties="ordinal")] below bleu[coefficient=pearson]': (
        "bleu by Spearman with ties in random order below bleu by Pearson"
    ),
    "bleu[length=most] above bleu[length=1]": "bleu on the longest documents above bleu on 1 segment",
    "bleu[length=50] above bleu[length=25]": "bleu on 50 segments above bleu on 25",
    "bleu[length=50] below bleu[length=most]": "bleu on 50 segments below bleu on the longest documents",
    'bleu[panel="A, B"] above bleu[panel=C]': 'bleu in "A, B" above bleu in "C"',
    '"GTM, e=1" above NIST': '"GTM, e=1" above NIST',
    # What no experiment has.
    "bleu[coefficient=nothing] above bleu[coefficient=pearson]": (
        "bleu with the coefficient nothing above bleu by Pearson"
    ),
    "no statement": "no statement",
}


@pytest.mark.parametrize(("statement", "words"), STATEMENTS.items())
def test_a_statement_is_a_sentence(statement, words):
    assert statement_words(claim(1, statement, "holds")) == words


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("a equals b", "a within 0.02 of b"),
        ("a equals b equals c", "a within 0.02 of b within 0.02 of c"),
        ("a above b", "a above b by more than 0.02"),
        ("a above b below c", "a above b below c, margin 0.02"),
        ("a at least b", "a at least as high as b, margin 0.02"),
    ],
)
def test_a_statement_says_its_margin(statement, words):
    assert statement_words(claim(1, statement, "holds", margin=0.02)) == words


def test_few_metrics_stand_in_the_statement_and_many_behind_it():
    few = claim(1, "each above bleu", "holds", chosen='each: ter, "GTM, e=1", gtm(exponent=2,mean="f"); criterion: a')
    assert statement_of(few) == (
        'each of ter, "GTM, e=1" and gtm(exponent=2,mean="f") above bleu, everywhere; criterion: a'
    )
    several = claim(1, "each[references=2] above each[references=1]", "holds", chosen="each: a, b, c, d, e")
    assert statement_words(several) == "each of 5 metrics with 2 references above the same with 1"
    assert statement_of(several).endswith("; metrics: a, b, c, d, e")


def test_choices_are_in_words():
    row = claim(1, "a above b", "holds", over="average", reading=True, chosen="preprocessing: stem, mine; length: 1, 2")
    assert statement_of(row) == (
        "a above b, on average (our reading); preprocessing: lower-cased and stemmed, mine; document length: 1, 2"
    )


def test_quantities_other_than_correlations_are_named():
    share = claim(1, "nist(order=1) below 0.9", "holds", quantity="nist-share")
    assert statement_words(share) == "shares of the NIST score: nist(order=1) below 0.9"
    statement = "minimum-significant-difference at most 0.01"
    smallest = claim(1, statement, "holds", quantity="minimum-significant-difference")
    assert statement_words(smallest) == "the smallest significant difference at most 0.01"
    metrics = "metrics whose interval overlaps with that of the best"
    for statement, words in {
        "top-cluster[coefficient=spearman] above top-cluster[coefficient=pearson]": "more by Spearman than by Pearson",
        "top-cluster[references=1] equals top-cluster[references=4]": (
            "as many with 1 reference as with 4 references, margin 1"
        ),
        "top-cluster[coefficient=pearson] below 3": "fewer than 3 by Pearson, margin 1",
        "3 at most top-cluster": "3 or more",
        "3 below top-cluster": "more than 3",
    }.items():
        row = claim(1, statement, "holds", quantity="top-cluster", margin=float("margin" in words))
        assert statement_words(row) == f"{metrics}: {words}"
    assert count_words("equals", "", "", number=2) == "2"


def test_a_panel_stands_before_what_it_has():
    assert with_panel_title("F and BLEU", "adequacy, 3 references") == "F and BLEU: adequacy, 3 references"
    assert with_panel_title("", "adequacy") == "adequacy"
    assert with_panel_title("F and BLEU", "") == "F and BLEU"


def test_simulated_data_are_labelled_where_verdicts_are_counted_and_listed():
    rows = [
        claim(1, "a above b", "holds", label="simulation: no evidence about the claim; adequacy read as accuracy"),
        claim(2, "b above a", "fails", label="simulation: no evidence about the claim"),
    ]
    corpus = rows[0].corpus
    (line,) = verdicts_of(rows)
    assert line == (
        f"{corpus} (simulated data: no evidence about real metrics): 2 claims of the paper; 1 holds, 1 fails"
    )
    assert labels_of_claims(rows) == ["simulated data, no evidence about the claims", "adequacy read as accuracy"]
    assert labels_of_claims(rows, without_evidence=False) == ["adequacy read as accuracy"]
    (line,) = verdicts_of([claim(1, "a above b", "holds")])
    assert line == f"{corpus}: 1 claim of the paper; 1 holds"
    assert decision_of(claim(1, "a above b", "not applicable", why="no judges")) == "no judges"
