"""Worked examples of papers: what is printed against what we compute, to the digits printed."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.components.registries import DEFAULT_PREPROCESSING
from metaeval.errors import UsageError
from metaeval.papers.examples import ExampleSettings, agrees, check_examples
from metaeval.parameters.fields import build
from metaeval.report.examples import examples_text
from metaeval.results.rows import Example

GUNMAN = ("police killed the gunman",)
LETTERS = ("A B C D E F G",)
# Seven letters in runs of 4, 2 and 1.
GRID = ("E F x A B C D y G",)


def example(metric, candidate, references, value, **others):
    said = {"paper": "it says so", "metric": metric, "candidate": candidate, "references": references, "value": value}
    return ExampleSettings(**said, **others)


# Lin and Och (2004); and as in Turian et al. (2003) and Melamed et al. (2003) the sizes of grids, on letters of ours:
# 7 for e = 1, sqrt(4^2 + 2^2 + 1^2) = 4.58 for e = 2, and 5 where two references have 5 tokens on average.
PRINTED = [
    example("rouge-l", "police kill the gunman", GUNMAN, "0.75"),
    example("rouge-l", "the gunman kill police", GUNMAN, "0.5"),
    example("rouge-l", "the gunman police killed", GUNMAN, "0.5"),
    example("rouge-s", "police kill the gunman", GUNMAN, "0.5"),
    example("rouge-s", "the gunman kill police", GUNMAN, "0.167"),
    example("rouge-s", "the gunman police killed", GUNMAN, "0.333"),
    example("rouge-w(weight=2.0)", "A B C D H I K", LETTERS, "0.571"),
    example("rouge-w(weight=2.0)", "A H B K C I D", LETTERS, "0.286"),
    example("gtm(exponent=1)", "A B C D E F G", GRID, "7", quantity="match_size"),
    example("gtm(exponent=2)", "A B C D E F G", GRID, "4.6", quantity="match_size"),
    example("gtm", "A B C D E F G", ("A B C D", "D E F G y z"), "5", quantity="match_size"),
]


@pytest.mark.parametrize("printed", PRINTED, ids=lambda one: f"{one.metric}, {one.candidate}")
def test_the_papers_examples_hold(printed):
    (row,) = check_examples([printed])
    assert row.verdict == "holds", row


@pytest.mark.parametrize(
    ("metric", "value"),
    # With the weight of Table 1 the scattered letters get more, and with the script both candidates get the same.
    [("rouge-w", "0.286"), ("rouge-w(weight=2.0, program='1.5.5')", "0.286"), ("rouge-l", "0.286")],
)
def test_another_metric_fails(metric, value):
    (row,) = check_examples([example(metric, "A H B K C I D", LETTERS, value)])
    assert row.verdict == "fails"


def test_a_row_tells_all_there_is_to_know():
    spaced = example("wer", "the  Cat\tsat", ("the cat sat", "a cat"), "1", quantity="edits", reading=True)
    (row,) = check_examples([spaced])
    assert row == Example(
        example=1,
        paper="it says so",
        metric="wer",
        preprocessing=DEFAULT_PREPROCESSING,
        candidate="the Cat sat",
        references="the cat sat | a cat",
        quantity="edits",
        value="1",
        ours=1.0,
        difference=0.0,
        reading=True,
        verdict="holds",
        signature=row.signature,
    )
    assert row.signature.startswith("WER|")
    assert re.search(r"\|case:kept\|tok:13a-metaeval[\d.]+\|stem:none\|nrefs:2$", row.signature)


def test_the_preprocessing_treats_the_texts():
    texts = ("The Dogs", ("the dog",), "2")
    found = check_examples(
        [example("bleu", *texts, quantity="matches_1", preprocessing=name) for name in ("case", "stem")]
    )
    assert [(row.ours, row.verdict) for row in found] == [(0.0, "fails"), (2.0, "holds")]


@pytest.mark.parametrize(
    ("matches", "value", "verdict"),
    # 0.1665 and 0.1675 lie exactly half a unit of the third digit from 0.167; 0.1664 and 0.1676 lie farther.
    [(333, "0.167", "holds"), (335, "0.167", "holds"), (332, "0.167", "fails"), (336, "0.167", "fails")],
)
def test_half_a_unit_of_the_last_digit(matches, value, verdict):
    candidate = " ".join(["a"] * matches + ["b"] * (2000 - matches))
    reference = " ".join(["a"] * matches + ["c"] * (2000 - matches))
    (row,) = check_examples([example("bleu(order=1)", candidate, (reference,), value)])
    assert row.ours == pytest.approx(matches / 2000, abs=1e-12)
    assert row.verdict == verdict


@pytest.mark.parametrize(
    ("ours", "printed", "expected"),
    [
        (0.7499, "0.75", True),
        (0.7499, "0.750", True),
        (0.7494, "0.750", False),
        (0.755, "0.75", True),
        (0.7551, "0.75", False),
        (0.74, ".7", True),
        (-0.125, "-0.12", True),
        (0.12, "-0.12", False),
        (7.0, "7", True),
        (7.0 + 1e-10, "7", True),
        (7.4, "7", False),
        (1e-8, "0", False),
        (math.nan, "0", False),
        (math.inf, "1", False),
    ],
)
def test_agreement(ours, printed, expected):
    assert agrees(ours, printed) is expected


@given(st.floats(-10, 10), st.integers(1, 8))
def test_a_number_agrees_with_itself_printed_and_with_no_neighbour(number, digits):
    assert agrees(number, f"{number:.{digits}f}")
    assert not agrees(number, f"{number + 1.6 * 10**-digits:.{digits}f}")


WRITTEN = {"paper": "p", "metric": "bleu", "candidate": "a", "references": ["a"], "value": "1"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"value": 0.75}, "example: `value` must be text; got 0.75."),
        (
            {"value": "75 %"},
            "`value` must be a plain decimal number in quotes, with the digits that the paper prints, such as "
            "\"0.750\"; got '75 %'.",
        ),
        ({"value": "1e-3"}, "`value` must be a plain decimal number"),
        ({"value": ""}, "`value` must be a plain decimal number"),
        ({"value": "\N{ARABIC-INDIC DIGIT ONE}"}, "`value` must be a plain decimal number"),
        ({"references": []}, "`references` of an example must be a list of at least one; got ()."),
        ({"paper": " "}, "`paper` of an example must say what the paper says"),
        ({"metric": "blue"}, "unknown metric 'blue'; did you mean 'bleu'?"),
        ({"preprocessing": "lower"}, "unknown preprocessing 'lower'"),
        (
            {"metric": "wer", "quantity": "edit"},
            "`quantity` of an example: unknown statistic 'edit'; did you mean 'edits'? Known statistics: 'edits', "
            "'reference_length'. These are the statistics of 'wer'; 'score' is its score.",
        ),
    ],
)
def test_mistakes_are_told(changes, message):
    with pytest.raises(UsageError) as caught:
        build(ExampleSettings, WRITTEN | changes, subject="example")
    assert message in str(caught.value)


@pytest.mark.parametrize("missing", ["paper", "metric", "candidate", "references", "value"])
def test_what_an_example_must_have(missing):
    with pytest.raises(UsageError, match=f"`{missing}` is missing"):
        build(ExampleSettings, {key: value for key, value in WRITTEN.items() if key != missing}, subject="example")


def test_a_list_instead_of_a_text_is_no_reference():
    with pytest.raises(UsageError, match="must be a list of at least one; got 'abc'"):
        example("bleu", "a", "abc", "1")


def test_a_metric_without_texts_is_told_with_the_example():
    with pytest.raises(UsageError, match=r"^example 2 \(it says so\): "):
        check_examples([PRINTED[0], example("precomputed:BLEU", "a", ("a",), "1")])


def test_people_read_what_holds_and_what_fails():
    said = (
        ExampleSettings(
            "ROUGE-L of S2 is 0.75.", "rouge-l", "police kill the gunman", GUNMAN, "0.75", preprocessing="nocase"
        ),
        ExampleSettings("Three words of four.", "bleu(order=1)", "", ("a b c d", "a b"), "0.8", reading=True),
        ExampleSettings("All seven letters match.", "gtm", "A B C D E F G", GRID, "6", quantity="match_size"),
        ExampleSettings("The mark.", "rouge-w(weight=2.0)", "A B C D H I K", LETTERS, "0.56"),
    )
    assert examples_text(check_examples(said)) == (
        "Worked examples of the paper: 1 of 4 hold.\n"
        "An example holds if our number rounds to the printed one: it lies within half a unit of the last\n"
        "digit that the paper prints; a whole number must be equal. [R] marks our reading where the paper is\n"
        "silent.\n"
        "\n"
        " 1. HOLDS  ROUGE-L of S2 is 0.75. (rouge-l, score: 0.75 in the paper, 0.7500 here)\n"
        " 2. FAILS  Three words of four. [R]\n"
        "    metric      bleu(order=1); 13a tokens, case kept\n"
        "    candidate   (empty)\n"
        "    references  a b c d | a b\n"
        "    score       0.8 in the paper, 0.000 here: -0.800\n"
        " 3. FAILS  All seven letters match.\n"
        "    metric      gtm; 13a tokens, case kept\n"
        "    candidate   A B C D E F G\n"
        "    reference   E F x A B C D y G\n"
        "    match size  6 in the paper, 7 here\n"
        " 4. FAILS  The mark.\n"
        "    metric      rouge-w(weight=2.0); 13a tokens, case kept\n"
        "    candidate   A B C D H I K\n"
        "    reference   A B C D E F G\n"
        "    score       0.56 in the paper, 0.5714 here: +0.0114"
    )
    assert examples_text([]) == ""
