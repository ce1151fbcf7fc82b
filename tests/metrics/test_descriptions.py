"""The paragraph that says how a metric is computed: it leaves out no parameter and fills in every value."""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
import types
import typing
from functools import cache

import pytest

from metaeval import api
from metaeval.components.registries import METRICS
from metaeval.errors import UsageError
from metaeval.metrics import get_metric
from metaeval.metrics.contract import Metric
from metaeval.parameters.calls import Call, parse_call

# Numbers to try, of which those are taken that a parameter allows.
WHOLE_NUMBERS = (7, 2, 1, 0)
FRACTIONS = (2.5, 1.7, 0.25)


def values(metric: type, item: dataclasses.Field) -> tuple[object, ...]:
    """Return values of a parameter beside its default, by what it declares: choices, kind and range."""
    hint = typing.get_type_hints(metric)[item.name]
    kinds = typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else (hint,)
    found = list(item.metadata["choices"] or ())
    low = -math.inf if item.metadata["minimum"] is None else item.metadata["minimum"]
    high = math.inf if item.metadata["maximum"] is None else item.metadata["maximum"]
    for kind in kinds if not found else ():
        if kind is bool:
            found += [False, True]
        elif kind in (int, float):
            numbers = [n for n in (WHOLE_NUMBERS if kind is int else FRACTIONS) if low <= n <= high]
            found += numbers[:2]
        elif kind is type(None):
            found.append(None)
        elif typing.get_origin(kind) is typing.Literal:
            found += typing.get_args(kind)
        elif typing.get_origin(kind) is tuple:
            found += [(2, 3), (2,)]
        else:
            raise TypeError(f"{metric.__name__}: values of {item.name!r}, which is {kind}")
    return tuple(value for value in found if value != item.default)


def make(name: str, **arguments: object) -> Metric:
    return get_metric(str(Call(name, arguments, "")))


# What a paragraph must say for a value of a parameter, and does not say without it: of some metrics, named with what
# else they need.
ROUGE = ("rouge-l", "rouge-s", "rouge-w")
RATES = {
    "average": "divided by the average length of all of them",
    "closest": "the length of the one closest in length to the candidate",
    "shortest": "divided by the length of the shortest one",
    "longest": "divided by the length of the longest one",
}
PHRASES: list[tuple[tuple[str, ...], str, dict[object, str]]] = [
    (("bleu", "nist"), "order", {1: "order 1 that", 2: "order 1 to 2 ", 7: "order 1 to 7 "}),
    (("bleu",), "orders", {(2, 3): "order 2, 3 ", (2,): "order 2 "}),
    (("bleu",), "mean", {"arithmetic": "The arithmetic mean"}),
    (
        ("bleu",),
        "length",
        {"shortest": "the length of the shortest reference", "average": "the average length of the references"},
    ),
    (
        ("bleu",),
        "smooth",
        {
            "mteval": "1 / 2^k matches, and an order of which the candidate has no n-grams as a precision of 1",
            "floor": "counts as 0.1 matches",
            "add-k": "1 is added to matches and n-grams of each order above 1",
            "exp": "where anything matches, the k-th order without a match counts as 1 / 2^k matches",
        },
    ),
    (
        ("bleu(smooth='floor')", "sacrebleu-bleu(smooth='floor')"),
        "smooth_value",
        {0.25: "0.25 matches", 2.0: "2 matches"},
    ),
    (("bleu", "sacrebleu-bleu"), "effective_order", {True: "left out"}),
    (("nist",), "information", {False: "A match counts 1"}),
    (("nist",), "brevity", {False: "is not penalised"}),
    (("gtm",), "exponent", {2.0: "(sum of length^2)^(1/2)", 2.5: "(sum of length^2.5)^(1/2.5)"}),
    (("gtm",), "search", {"exact": "the exact search"}),
    (("gtm",), "cap", {"whole": "is rounded down"}),
    (("gtm",), "mean", {"precision": "The score is precision", "recall": "The score is recall"}),
    (("gtm(exponent=2,search='exact')",), "time_limit", {3.5: "3.5 seconds"}),
    (("wer", "per"), "normalise", RATES),
    (("wer", "per"), "references", {"lowest-rate": "with the lowest rate counts"}),
    (("wer", "per"), "ties", {"first": "on ties the first"}),
    (
        ("ter",),
        "normalise",
        {"closest": "that closest in length to the candidate", "reference": "divided by its length"},
    ),
    (("ter(normalise='reference')",), "references", {"lowest-rate": "with the lowest rate counts"}),
    (("ter",), "weighting", {"candidate": "weighted by the length of the candidate"}),
    (("ter",), "shifts", {"aligned": "only to places behind words aligned to"}),
    (("ter",), "shift_size", {7: "moves at most 7 words", None: "moves any number of words"}),
    (("ter",), "shift_distance", {7: "past at most 7 words", None: "past any number of words"}),
    (("ter",), "beam", {7: "over 7 more than the cheapest", None: "no way of editing"}),
    (("ter",), "shift_choices", {77: "after 77 ", None: "no limit of"}),
    (ROUGE, "mean", {"precision": "is the precision", "recall": "is the recall"}),
    (ROUGE, "beta", {2.5: "beta = 2.5", "auto": "beta = P / R"}),
    (ROUGE, "formula", {"A": "is added up over them before anything is divided", "B": "the first of equals"}),
    (ROUGE, "pooling", {"counts": "adds up what recall and precision are made of"}),
    (("rouge-s",), "skip", {0: "at most 0 tokens between them", 4: "at most 4 tokens between them"}),
    (("rouge-s",), "unigram", {True: "and the single tokens"}),
    (("rouge-s(unigram=True)",), "program", {"1.5.5": "tokens but the last of each text"}),
    (("rouge-w",), "weight", {1.7: "k^1.7", 2.0: "k^2"}),
    (("rouge-w",), "weighting", {"linear": "plus 0.5"}),
    (("rouge-w(weighting='linear')",), "gap", {0.25: "k - 0.25"}),
    (("rouge-w",), "program", {"1.5.5": "as the script ROUGE-1.5.5 does"}),
    (("chrf",), "char_order", {3: "up to order 3"}),
    (("chrf",), "word_order", {1: "of words up to order 1", 2: "of words up to order 2"}),
    (("chrf",), "beta", {1: "beta = 1", 3: "beta = 3"}),
    (("chrf", "sacrebleu-bleu"), "lowercase", {True: "lower-cas"}),
    (("chrf",), "whitespace", {True: "(with "}),
    (("chrf",), "eps_smoothing", {True: "the mean over the orders of their F scores"}),
    (("sacrebleu-bleu",), "tokenize", {"intl": "intl", "char": "char", "zh": "zh", "none": "none"}),
    (("sacrebleu-bleu",), "order", {1: "order 1 to 1,", 2: "order 1 to 2,", 7: "order 1 to 7,"}),
    (
        ("sacrebleu-bleu",),
        "smooth",
        {"floor": "0.1 matches", "add-k": "matches and n-grams more", "none": "makes the score 0"},
    ),
    (("sacrebleu-ter",), "asian_support", {True: "each Asian character by itself"}),
    (("sacrebleu-ter",), "case_sensitive", {True: "with case"}),
    (("sacrebleu-ter",), "no_punct", {True: "without punctuation"}),
    (("sacrebleu-ter",), "normalized", {True: "with punctuation set apart"}),
]


@pytest.mark.parametrize(
    ("written", "parameter", "phrases"),
    [(name, parameter, phrases) for names, parameter, phrases in PHRASES for name in names],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_a_paragraph_says_what_each_value_of_a_parameter_does(written, parameter, phrases):
    call = parse_call(written)
    default = get_metric(written).described
    for value, phrase in phrases.items():
        argument = list(value) if isinstance(value, tuple) else value
        assert phrase in make(call.name, **{**call.arguments, parameter: argument}).described
        assert phrase not in default


@cache
def combinations(name: str) -> list[tuple[dict[str, object], Metric]]:
    """Return a metric with all combinations that it allows of the values to try, at most two at once."""
    cls = METRICS[name]
    changes = [(item.name, value) for item in dataclasses.fields(cls) if item.init for value in values(cls, item)]
    found = []
    for chosen in ((), *((change,) for change in changes), *itertools.combinations(changes, 2)):
        try:
            found.append((dict(chosen), cls(**dict(chosen))))
        except UsageError:
            continue  # values that exclude each other
    return found


@pytest.mark.parametrize("name", METRICS)
def test_what_has_another_signature_has_another_paragraph(name):
    signatures: dict[str, str] = {}
    for _, metric in combinations(name):
        assert signatures.setdefault(metric.described, str(metric.signature)) == str(metric.signature)


@pytest.mark.parametrize("name", METRICS)
def test_a_number_that_changes_the_signature_stands_in_the_paragraph(name):
    found = {tuple(arguments.items()): metric for arguments, metric in combinations(name)}
    for arguments, metric in found.items():
        for parameter, value in arguments:
            without = found.get(tuple(pair for pair in arguments if pair[0] != parameter))
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if is_number and without is not None and str(without.signature) != str(metric.signature):
                assert re.search(rf"(?<![\d.]){re.escape(f'{value:g}')}(?![\d]|\.\d)", metric.described), arguments


@pytest.mark.parametrize("name", METRICS)
def test_paragraphs_are_two_to_five_whole_sentences(name):
    for _, metric in combinations(name):
        text = metric.described
        sentences = re.split(r"(?<=\.) (?=[A-Z])", text)
        assert 2 <= len(sentences) <= 5, text
        assert text.endswith("."), text
        assert not re.search(r"[{}<>\[\]_]|\bNone\b|\bTrue\b|\bFalse\b|  |\.\.|,,| [,.;]", text), text
        assert text.count("(") == text.count(")"), text
        assert f"{'higher' if metric.higher_is_better else 'lower'} is better" in text


def test_orders_are_told_in_their_order():
    assert "order 2, 3 " in make("bleu", orders=[3, 2]).described


def test_variants_cite_who_published_them():
    assert make("bleu").sources == ("papineni2002",)
    assert "finch2004" in make("bleu", length="average").sources
    assert "morgenroth2011" in make("bleu", mean="arithmetic").sources
    assert "chen2014" in make("bleu", smooth="exp").sources
    assert "turian2003" in make("nist", information=False).sources
    assert "lin2004" in make("rouge-s", unigram=True).sources
    assert "lin2004" in make("rouge-w", program="1.5.5").sources
    assert "morgenroth2011" in make("ter", shifts="aligned").sources


def test_paragraph_and_sources_are_facts_of_a_metric():
    facts, _ = api.describe_metric("bleu(order=2)")
    assert facts["computed"] == (
        "Counts the n-grams of order 1 to 2 that the candidate shares with the references, each at most as often as in "
        "any one reference, and divides them by all n-grams of the candidate of that order. The geometric mean of "
        "these precisions is taken over the orders; an order without a match or without n-grams makes the score 0. It "
        "is multiplied by exp(1 - r / c) where the candidate's length c is below r, which is, for each segment, the "
        "length of the closest reference (the shorter one on ties). A document adds up counts and lengths over its "
        "segments before anything is divided. Scores are from 0 to 1; higher is better."
    )
    assert facts["source"] == (
        "Kishore Papineni, Salim Roukos, Todd Ward, Wei-Jing Zhu (2002): BLEU: a method for automatic evaluation of "
        "machine translation. Proceedings of the 40th Annual Meeting of the Association for Computational Linguistics "
        "(ACL), pages 311-318. doi:10.3115/1073083.1073135"
    )
