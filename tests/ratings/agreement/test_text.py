"""What `metaeval agreement` says first: an answer for each criterion, and short tables in the words of the field."""

from __future__ import annotations

import pytest

import metaeval
from metaeval.cli import main
from metaeval.errors import judgments_per_item


@pytest.fixture(scope="module")
def demo():
    return metaeval.agreement("demo", metrics=["bleu", "gtm(exponent=2)"], n_resamples=50, n_draws=3)


def two_judges(differences):
    """Return judgments of two judges, of whom Ann gives as much more than Bob as the differences say."""
    rows = []
    for number, difference in enumerate(differences):
        item = {"segment": number // 2 + 1, "system": "AB"[number % 2], "criterion": "adequacy"}
        rows.append({**item, "judge": "Ann", "score": 2 + number % 3 + difference})
        rows.append({**item, "judge": "Bob", "score": 2 + number % 3})
    return rows


def line_of(text, start):
    """Return the cells of the first line that begins with a text."""
    return next(line.split() for line in text.split("\n") if line.startswith(start))


def test_the_first_screen_has_one_ceiling_a_criterion(demo):
    text = demo.text(width=80)
    below = text.partition("The noise ceiling")[2].partition("\n\n")[0]
    assert [line.split()[0] for line in below.split("\n") if "whole test set" in line] == ["adequacy", "fluency"]
    assert "segments, pooled" not in below
    assert "Pearson" in below
    assert "--table" not in text  # which Python has not
    assert "`tables` chooses ceiling (other documents and coefficients), pairs, judges, systems" in " ".join(
        text.split()
    )
    # All of it where it is asked for: three coefficients of three kinds of documents.
    for whole in (demo.text(tables=["ceiling"]), demo.text(width=80, verbose=True)):
        assert whole.count("segments, pooled") == 6
        assert sum(whole.count(f"whole test set    {name}") for name in ("Pearson", "Spearman", "Kendall")) == 6


def test_interval_alpha_is_first_and_a_phrase_says_when_another_is_right(demo):
    text = demo.text(width=80)
    assert line_of(text, "criterion  interval") == ["criterion", "interval", "ordinal", "nominal"]
    assert "ordinal for grades of few steps whose distances say little, and nominal for labels." in " ".join(
        text.split()
    )


def test_metrics_and_coefficients_are_called_as_the_field_does(demo):
    lines = demo.text(tables=["metrics"]).split("\n")
    assert any(line.split()[:4] == ["adequacy", "judge01", "GTM,", "e=2"] for line in lines)
    assert line_of(demo.text(tables=["metrics"]), "criterion")[5:9] == ["Pearson", "rank", "by", "Pearson"]
    head = line_of(demo.text(tables=["pairs"]), "criterion")
    assert head[:9] == ["criterion", "judge", "a", "judge", "b", "shared", "items", "Pearson", "Spearman"]


def test_judgments_per_item_are_said_alike_by_agreement_and_by_corpus_show(demo, capsys):
    # Of 960 items of demo 501 were judged twice and 459 three times: 2 * 501 + 3 * 459 = 2379 judgments.
    assert "2 on 501 items, 3 on 459" in demo.text(width=120)
    assert main(["corpus", "show", "demo"]) == 0
    shown = capsys.readouterr().out
    assert "judgments per item" in shown
    assert "2 on 501 items, 3 on 459" in shown
    assert [judgments_per_item(one) for one in ({}, {1: 1}, {1: 1, 2: 7})] == ["", "1 on 1 item", "1 on 1 item, 2 on 7"]


@pytest.mark.filterwarnings("ignore::metaeval.MetaevalWarning")
@pytest.mark.parametrize(
    ("differences", "said"),
    [
        # Mean 0.5, standard error sqrt(20 / 4 / 19 / 20) = 0.1147, t(19) = 2.093.
        ([0, 1] * 10, "On the same items Ann gives 0.50 [0.26, 0.74] more than Bob."),
        ([0, -1] * 10, "On the same items Bob gives 0.50 [0.26, 0.74] more than Ann."),
        # Mean 0.1, standard error sqrt((20 - 0.2) / 19 / 20) = 0.2283.
        ([1] * 11 + [-1] * 9, "On the same items Ann and Bob are not shown to differ: by 0.10 [-0.38, 0.58]."),
    ],
)
def test_of_two_judges_it_is_said_how_far_they_lie_apart(differences, said):
    rows = two_judges(differences)
    texts = {name: ["x"] * 10 for name in "AB"}
    corpus = metaeval.corpus(rows, outputs=texts, references=["x"] * 10)
    text = " ".join(metaeval.agreement(corpus, n_draws=2).text(width=120).split())
    assert said in text
    assert "of 2 judges" not in text
