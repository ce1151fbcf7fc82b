"""The paragraph that says how a metric is computed: it leaves out no parameter and fills in every value."""

from __future__ import annotations

import itertools
import re

import pytest

from metaeval import api
from metaeval.bibliography import bibliography
from metaeval.errors import UsageError
from metaeval.kinds import METRICS
from metaeval.metrics import get_metric
from metaeval.metrics.contract import Metric
from metaeval.names import Call
from metaeval.parameters import Description, describe

# Values to try for parameters that declare no choices.
VALUES: dict[str, tuple[object, ...]] = {
    "beam": (7, None),
    "char_order": (3,),
    "beta": (2.5, "auto"),
    "exponent": (2.0, 2.5),
    "gap": (0.25,),
    "order": (1, 2, 7),
    "orders": ([2, 3], [2]),
    "shift_choices": (77, None),
    "shift_distance": (7, None),
    "shift_size": (7, None),
    "skip": (0, 4),
    "smooth_value": (0.25, 2.0),
    "time_limit": (3.5,),
    "weight": (1.7, 2.0),
    "word_order": (1, 2),
}
# The same word may mean numbers of another kind.
VALUES_OF: dict[tuple[str, str], tuple[object, ...]] = {("chrf", "beta"): (1, 3)}
# A parameter that belongs to a value of another one is tried beside that value.
BESIDE: dict[tuple[str, str], dict[str, object]] = {
    ("bleu", "smooth_value"): {"smooth": "floor"},
    ("sacrebleu-bleu", "smooth_value"): {"smooth": "floor"},
    ("gtm", "time_limit"): {"exponent": 2, "search": "exact"},
    ("rouge-s", "program"): {"unigram": True},
    ("rouge-w", "gap"): {"weighting": "linear"},
    ("per", "references"): {"normalise": "reference"},
    ("ter", "references"): {"normalise": "reference"},
}
PARAMETERS = [(name, item) for name, metric in METRICS.items() for item in describe(metric)]


def values(name: str, item: Description) -> tuple[object, ...]:
    """Return the values of a parameter to try beside its default."""
    if item.choices:
        found = item.choices
    elif isinstance(item.default, bool):
        found = (not item.default,)
    else:
        found = VALUES_OF.get((name, item.name)) or VALUES[item.name]
    return tuple(value for value in found if value != item.default)


def make(name: str, **arguments: object) -> Metric:
    return get_metric(str(Call(name, arguments, "")))


# What a paragraph must say for a value of a parameter, and does not say for its default; of a metric, or of all that
# have the parameter.
ROUGE_FORMULAS = {"A": "is added up over them before anything is divided", "B": "the first of equals"}
ROUGE_MEANS = {"precision": "is the precision", "recall": "is the recall"}
RATES = {
    "average": "divided by the average length of all of them",
    "closest": "the length of the one closest in length to the candidate",
    "shortest": "divided by the length of the shortest one",
    "longest": "divided by the length of the longest one",
}
PHRASES: dict[str, dict[object, str]] = {
    "asian_support": {True: "each Asian character by itself"},
    "beta": {2.5: "beta = 2.5", "auto": "beta = P / R"},
    "brevity": {False: "is not penalised"},
    "cap": {"whole": "is rounded down"},
    "case_sensitive": {True: "with case"},
    "char_order": {3: "up to order 3"},
    "chrf beta": {1: "beta = 1", 3: "beta = 3"},
    "effective_order": {True: "left out"},
    "eps_smoothing": {True: "the mean over the orders of their F scores"},
    "exponent": {2.0: "(sum of length^2)^(1/2)", 2.5: "(sum of length^2.5)^(1/2.5)"},
    "formula": ROUGE_FORMULAS,
    "gap": {0.25: "k - 0.25"},
    "gtm mean": {"precision": "The score is precision", "recall": "The score is recall"},
    "information": {False: "A match counts 1"},
    "bleu length": {
        "shortest": "the length of the shortest reference",
        "average": "the average length of the references",
    },
    "lowercase": {True: "lower-cas"},
    "bleu mean": {"arithmetic": "The arithmetic mean"},
    "mean": ROUGE_MEANS,
    "no_punct": {True: "without punctuation"},
    "normalise": RATES,
    "ter normalise": {"closest": "that closest in length to the candidate", "reference": "divided by its length"},
    "normalized": {True: "with punctuation set apart"},
    "order": {1: "order 1 that", 2: "order 1 to 2 ", 7: "order 1 to 7 "},
    "sacrebleu-bleu order": {1: "order 1 to 1,", 2: "order 1 to 2,", 7: "order 1 to 7,"},
    "orders": {(2, 3): "order 2, 3 ", (2,): "order 2 "},
    "pooling": {"counts": "adds up what recall and precision are made of"},
    "program": {"1.5.5": "tokens but the last of each text"},
    "rouge-w program": {"1.5.5": "as the script ROUGE-1.5.5 does"},
    "references": {"lowest-rate": "with the lowest rate counts"},
    "search": {"exact": "the exact search"},
    "beam": {7: "over 7 more than the cheapest", None: "no way of editing"},
    "shift_choices": {77: "after 77 ", None: "no limit of"},
    "shift_distance": {7: "past at most 7 words", None: "past any number of words"},
    "shift_size": {7: "moves at most 7 words", None: "moves any number of words"},
    "shifts": {"aligned": "only to places behind words aligned to"},
    "skip": {0: "at most 0 tokens between them", 4: "at most 4 tokens between them"},
    "bleu smooth": {
        "mteval": "a precision of 1",
        "floor": "counts as 0.1 matches",
        "add-k": "1 is added to matches and n-grams of each order above 1",
        "exp": "where anything matches, the k-th order without a match counts as 1 / 2^k matches",
    },
    "smooth": {"floor": "0.1 matches", "add-k": "matches and n-grams more", "none": "makes the score 0"},
    "smooth_value": {0.25: "0.25 matches", 2.0: "2 matches"},
    "ties": {"first": "on ties the first"},
    "time_limit": {3.5: "3.5 seconds"},
    "tokenize": {"intl": "intl", "char": "char", "zh": "zh", "none": "none"},
    "unigram": {True: "and the single tokens"},
    "weight": {1.7: "k^1.7", 2.0: "k^2"},
    "weighting": {"linear": "plus 0.5"},
    "ter weighting": {"candidate": "weighted by the length of the candidate"},
    "whitespace": {True: "(with "},
    "word_order": {1: "of words up to order 1", 2: "of words up to order 2"},
}


@pytest.mark.parametrize(("name", "item"), PARAMETERS, ids=lambda part: getattr(part, "name", part))
def test_a_paragraph_says_what_each_value_of_a_parameter_does(name, item):
    beside = BESIDE.get((name, item.name), {})
    phrases = PHRASES.get(f"{name} {item.name}") or PHRASES[item.name]
    default = make(name, **beside).described
    assert values(name, item)
    for value in values(name, item):
        phrase = phrases[tuple(value) if isinstance(value, list) else value]
        assert phrase in make(name, **beside, **{item.name: value}).described
        assert phrase not in default


def combinations(name: str) -> list[Metric]:
    """Return the metric with all combinations that it allows of the values to try, at most two at once."""
    changes = [(item.name, value) for item in describe(METRICS[name]) for value in values(name, item)]
    found = [get_metric(name)]
    for chosen in (*((change,) for change in changes), *itertools.combinations(changes, 2)):
        arguments = {**BESIDE.get((name, chosen[0][0]), {}), **dict(chosen)}
        try:
            found.append(make(name, **arguments))
        except UsageError:
            continue  # values that exclude each other
    return found


@pytest.mark.parametrize("name", METRICS)
def test_what_has_another_signature_has_another_paragraph(name):
    metrics = combinations(name)
    assert len(metrics) > 5
    signatures: dict[str, str] = {}
    for metric in metrics:
        assert signatures.setdefault(metric.described, str(metric.signature)) == str(metric.signature)


@pytest.mark.parametrize("name", METRICS)
def test_paragraphs_are_two_to_five_whole_sentences(name):
    for metric in combinations(name):
        text = metric.described
        sentences = re.split(r"(?<=\.) (?=[A-Z])", text)
        assert 2 <= len(sentences) <= 5, text
        assert text.endswith("."), text
        assert not re.search(r"[{}<>\[\]_]|\bNone\b|\bTrue\b|\bFalse\b|  |\.\.|,,| [,.;]", text), text
        assert text.count("(") == text.count(")"), text
        assert f"{'higher' if metric.higher_is_better else 'lower'} is better" in text


def test_values_are_filled_in():
    assert "order 1 to 2 " in make("bleu", order=2).described
    assert "order 2, 3 " in make("bleu", orders=[3, 2]).described
    assert "1 / 2^k matches" in make("bleu", smooth="mteval").described
    assert "counts as 0.25 matches" in make("bleu", smooth="floor", smooth_value=0.25).described
    assert "(sum of length^2.5)^(1/2.5)" in make("gtm", exponent=2.5).described
    assert "3.5 seconds" in make("gtm", exponent=2, search="exact", time_limit=3.5).described
    assert "beta = 2.5" in make("rouge-l", beta=2.5).described
    assert "at most 4 tokens between them" in make("rouge-s", skip=4).described
    assert "k^1.7" in make("rouge-w", weight=1.7).described
    assert "at most 7 words past" in make("ter", shift_size=7).described


@pytest.mark.parametrize("name", METRICS)
def test_sources_are_keys_of_the_bibliography(name):
    for metric in combinations(name):
        assert metric.sources
        assert set(metric.sources) <= set(bibliography())
        assert len(set(metric.sources)) == len(metric.sources)


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
