"""ROUGE-L, ROUGE-W and ROUGE-S: the paper's examples, hand calculations, and laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import metaeval
from metaeval.errors import UsageError
from metaeval.metrics import get_metric
from tests.support.scores import corpus_score, statistics

words = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=8).map(" ".join)
pairs = st.lists(st.tuples(words, words), min_size=1, max_size=4)
# Some references, twice: in one order and in another.
orders = st.lists(words, min_size=1, max_size=4).flatmap(lambda each: st.tuples(st.just(each), st.permutations(each)))
# Every parameter in every metric; the first group gives a text against itself 1.
PERFECT = [
    "rouge-l",
    "rouge-l(beta=2)",
    "rouge-l(beta='auto')",
    "rouge-l(mean='recall',pooling='counts')",
    "rouge-w",
    "rouge-w(weight=2,formula='A')",
    "rouge-w(weighting='linear',formula='B')",
    "rouge-w(weighting='linear',gap=0.9,pooling='counts')",
    "rouge-s",
    "rouge-s(skip=0,formula='A',pooling='counts')",
    "rouge-s(skip=2,mean='precision',formula='B')",
    "rouge-s(unigram=True)",
    "rouge-s(skip=1,unigram=True,program='1.5.5',beta=0.5)",
]
ALL = [*PERFECT, "rouge-w(program='1.5.5')", "rouge-w(weight=2,program='1.5.5',formula='B',pooling='counts')"]


def score(metric: str, candidate: str, *references: str) -> float:
    """Return the score of one segment through the public API."""
    texts = {str(number): [text] for number, text in enumerate(references)}
    (result,) = metaeval.score([metric], {"candidate": [candidate]}, texts)
    return float(result.values[0, 0])


# The paper's examples: Lin and Och (2004).


@pytest.mark.parametrize(
    ("candidate", "lcs", "skip_bigrams"),
    [
        ("police kill the gunman", 3 / 4, 3 / 6),
        ("the gunman kill police", 2 / 4, 1 / 6),
        ("the gunman police killed", 2 / 4, 2 / 6),
    ],
)
def test_lin_and_ochs_gunman(candidate, lcs, skip_bigrams):
    # ROUGE-L cannot tell the last two apart; ROUGE-S prefers the last of them.
    assert score("rouge-l", candidate, "police killed the gunman") == pytest.approx(lcs, abs=1e-15)
    assert score("rouge-s", candidate, "police killed the gunman") == pytest.approx(skip_bigrams, abs=1e-15)


@pytest.mark.parametrize(
    # f(k) = k ** 2: sqrt(4 ** 2 / 7 ** 2) = 0.571 and sqrt(4 * 1 / 7 ** 2) = 0.286, as the paper prints them.
    ("candidate", "expected", "printed"),
    [("A B C D H I K", 4 / 7, 0.571), ("A H B K C I D", 2 / 7, 0.286)],
)
def test_lin_and_ochs_consecutive_matches(candidate, expected, printed):
    assert expected == pytest.approx(printed, abs=5e-4)
    assert score("rouge-l", candidate, "A B C D E F G") == pytest.approx(4 / 7, abs=1e-15)
    for mean in ("precision", "recall", "f"):
        own = score(f"rouge-w(weight=2,mean='{mean}')", candidate, "A B C D E F G")
        assert own == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("candidate", ["A B C D H I K", "A H B K C I D"])
def test_the_scripts_weighting_does_not_tell_them_apart(candidate):
    # A run of 4 in the reference either way: P = (4 ** 1.2 / 7 ** 1.2) ** (1 / 1.2) = 4 / 7; R = 4 / 7 ** 1.2 because
    # 7 is weighted twice. F = 0.46162, which ROUGE-1.5.5 prints for both.
    precision, recall = 4 / 7, 4 / 7**1.2
    expected = 2 * precision * recall / (precision + recall)
    assert expected == pytest.approx(0.46162, abs=5e-6)
    assert score("rouge-w(program='1.5.5')", candidate, "A B C D E F G") == pytest.approx(expected, abs=1e-12)


# F, several references, documents: by hand.


@pytest.mark.parametrize(
    ("parameters", "expected"),
    # "a b c d" against "a b x": LCS 2, R = 2/3, P = 1/2. With beta = 2: 5/3 / (2/3 + 2) = 5/8. With beta = P / R = 3/4:
    # (25/16 * 1/3) / (2/3 + 9/16 * 1/2) = 50/91. With beta = 0 F is P.
    [
        ("mean='recall'", 2 / 3),
        ("mean='precision'", 1 / 2),
        ("beta=1", 4 / 7),
        ("beta=2", 5 / 8),
        ("beta='auto'", 50 / 91),
        ("beta=0", 1 / 2),
    ],
)
def test_recall_precision_and_f(parameters, expected):
    for pooling in ("scores", "counts"):
        name = f"rouge-l({parameters},pooling='{pooling}')"
        assert score(name, "a b c d", "a b x") == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("formula", "recall", "precision"),
    # "a b c" against "a b" (LCS 2) and "a b c d e" (LCS 3). Paper: R from the first, P from the second. A: 5 hits, 7
    # reference tokens, 6 candidate tokens. B: the first reference, whose recall is 1.
    [("paper", 1, 1), ("A", 5 / 7, 5 / 6), ("B", 1, 2 / 3)],
)
def test_formulas_of_several_references(formula, recall, precision):
    f = 2 * recall * precision / (recall + precision)
    for mean, expected in (("recall", recall), ("precision", precision), ("f", f)):
        name = f"rouge-l(formula='{formula}',mean='{mean}')"
        assert score(name, "a b c", "a b", "a b c d e") == pytest.approx(expected, abs=1e-15)


def test_formula_b_takes_the_first_of_equal_recalls_and_formula_a_counts_a_reference_twice():
    # Recall is 1 with "a" and with "a b"; ROUGE-1.5.5 keeps the first, so precision depends on the order.
    assert score("rouge-l(formula='B',mean='precision')", "a b c", "a", "a b") == pytest.approx(1 / 3)
    assert score("rouge-l(formula='B',mean='precision')", "a b c", "a b", "a") == pytest.approx(2 / 3)
    # "a b" against "a b" and "c d": 2 of 4; with the first twice: 4 of 6.
    assert score("rouge-l(formula='A')", "a b", "a b", "c d") == pytest.approx(2 / 4)
    assert score("rouge-l(formula='A')", "a b", "a b", "a b", "c d") == pytest.approx(4 / 6)


def test_the_script_chooses_the_reference_before_it_weights_twice():
    # weight=2, candidate "a b c d e": "a b c x" has recall 3/4 before, 3 / 4 ** 2 = 3/16 after the second weighting;
    # "a y" has 1/2 before and 1 / 2 ** 2 = 1/4 after. B takes the first all the same.
    name = "rouge-w(weight=2,program='1.5.5',formula='B',mean='recall')"
    assert score(name, "a b c d e", "a b c x", "a y") == pytest.approx(3 / 16, abs=1e-15)
    assert score(name.replace("B", "paper"), "a b c d e", "a b c x", "a y") == pytest.approx(1 / 4, abs=1e-15)


@pytest.mark.parametrize(
    ("name", "scores", "counts"),
    # Segments: two tokens of two, one token of four. ROUGE-L: mean of 1 and 1/4; (2 + 1) / (2 + 4). ROUGE-W with weight
    # 2: the same segment scores; sqrt((4 + 1) / (4 + 16)). Linear: no second run, so as ROUGE-L. ROUGE-S with unigrams:
    # 3 of 3 and 1 of 10; mean of 1 and 1/10; 4/13.
    [
        ("rouge-l", 5 / 8, 1 / 2),
        ("rouge-w(weight=2)", 5 / 8, 1 / 2),
        ("rouge-w(weighting='linear')", 5 / 8, 1 / 2),
        ("rouge-s(unigram=True)", 11 / 20, 4 / 13),
    ],
)
def test_documents_add_scores_or_counts(name, scores, counts):
    texts = ["a b", "c d e f"], ["a b", "c x y z"]
    pooled = name.replace(")", ",pooling='counts')") if "(" in name else f"{name}(pooling='counts')"
    assert corpus_score(name, *texts) == pytest.approx(scores, abs=1e-15)
    assert corpus_score(pooled, *texts) == pytest.approx(counts, abs=1e-15)


def test_statistics_are_named():
    assert get_metric("rouge-l").statistic_names == ("score_sum", "count")
    assert statistics("rouge-l", ["a b c", ""], ["a b", "a"]).tolist() == [[0.8, 1], [0, 1]]
    names = ("recall_hits", "reference_total", "precision_hits", "candidate_total")
    assert get_metric("rouge-l(pooling='counts')").statistic_names == names
    # The best recall is with "a b", the best precision with "a b c d e".
    rows = statistics("rouge-l(pooling='counts')", ["a b c"], ["a b"], ["a b c d e"])
    assert rows.tolist() == [[2, 2, 3, 3]]


def test_no_segments_have_no_mean():
    assert math.isnan(get_metric("rouge-l").score(np.zeros(2)))


# Weights, pairs and single tokens: by hand.


@pytest.mark.parametrize(
    ("gap", "expected"),
    # "a b x c" against "a b c d": runs of 2 and 1. One run more than the first costs one gap: (3 - gap) / 4.
    [(0, 3 / 4), (0.5, 2.5 / 4), (0.9, 2.1 / 4)],
)
def test_linear_weighting_charges_for_each_further_run(gap, expected):
    assert score(f"rouge-w(weighting='linear',gap={gap})", "a b x c", "a b c d") == pytest.approx(expected, abs=1e-15)


def test_repeated_skip_bigrams_count_as_often_as_both_texts_have_them():
    # "a b b" has ab twice and bb; "a b a b" has ab three times, aa, bb, ba: 2 + 1 hits of 3 and of 6.
    assert score("rouge-s(mean='precision')", "a b b", "a b a b") == pytest.approx(3 / 3)
    assert score("rouge-s(mean='recall')", "a b b", "a b a b") == pytest.approx(3 / 6)


def test_unigrams_of_the_paper_and_of_the_script():
    # "a b" against "a c": a of a, b and the pair; the script has no unigram for the last token.
    assert score("rouge-s(unigram=True)", "a b", "a c") == pytest.approx(1 / 3, abs=1e-15)
    assert score("rouge-s(unigram=True,program='1.5.5')", "a b", "a c") == pytest.approx(1 / 2, abs=1e-15)
    assert score("rouge-s(unigram=True)", "a", "a") == 1.0
    assert score("rouge-s(unigram=True,program='1.5.5')", "a", "a") == 0.0
    assert score("rouge-s", "a", "a") == 0.0


# Absent and empty texts, hostile texts.


@pytest.mark.parametrize("name", ALL)
def test_absent_references_are_not_empty_ones(name):
    rows = statistics(name, ["a b", "a b", "a b"], ["a b", None, ""], [None, None, None])

    assert np.isnan(rows[1]).all()
    assert not np.isnan(rows[[0, 2]]).any()
    assert get_metric(name).score(rows)[2] == 0.0


@pytest.mark.parametrize("program", ["", "rouge-w(program='1.5.5',", "rouge-s(unigram=True,"])
def test_an_absent_reference_is_never_the_one_chosen_where_nothing_matches(program):
    # Nothing of "x" is in "a b": recall 0 of what is in that reference, precision 0 of 1. The reference has 2 tokens;
    # ROUGE-W of the script weights this length twice; ROUGE-SU has a pair and two tokens.
    name = f"{program or 'rouge-l('}formula='B',pooling='counts')"
    total = {"": 2, "rouge-w(program='1.5.5',": (2**1.2) ** 1.2, "rouge-s(unigram=True,": 3}[program]
    for references in ([[None], ["a b"]], [["a b"], [None]]):
        assert statistics(name, ["x"], *references)[0] == pytest.approx([0, total, 0, 1])


def test_empty_references_beside_others():
    # "a b" against "" and "a b c d": recall 2/4 and precision 1 from the second; A adds the candidate twice: P = 2/4.
    for formula, precision in (("paper", 1), ("A", 2 / 4), ("B", 1)):
        name = f"rouge-l(formula='{formula}'"
        assert score(f"{name},mean='recall')", "a b", "", "a b c d") == pytest.approx(2 / 4)
        assert score(f"{name},mean='precision')", "a b", "", "a b c d") == pytest.approx(precision)


@pytest.mark.parametrize("name", ALL)
def test_nothing_in_common_scores_zero(name):
    candidates, references = ["", "a b", "", "a", "a b"], ["a b", "", "", "b", "c d"]
    metric = get_metric(name)
    assert metric.score(statistics(name, candidates, references)).tolist() == [0.0] * 5
    assert metric.score(statistics(name, candidates, references, references)).tolist() == [0.0] * 5


@pytest.mark.parametrize(
    ("name", "expected"),
    # 1,000 tokens of 2,000 equal ones: LCS 1000; 999 * 500 of 1999 * 1000 pairs; 4 * 1000 - 10 of 4 * 2000 - 10 pairs
    # with up to 3 between. F = 2 R / (R + 1), since P = 1.
    [
        ("rouge-l", 2 / 3),
        ("rouge-w", 2 / 3),
        ("rouge-s", 2 * 499500 / (499500 + 1999000)),
        ("rouge-s(skip=3)", 2 * 3990 / (3990 + 7990)),
    ],
)
def test_long_texts_of_one_token(name, expected):
    assert score(name, " ".join(["a"] * 1000), " ".join(["a"] * 2000)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", ["rouge-l", "rouge-w(weight=2,formula='A')", "rouge-s(unigram=True)"])
@pytest.mark.parametrize(
    "text",
    [
        "🙂 👩‍👩‍👧 🙂 e\u0301 é",  # emoji, one of them joined; a combined and a composed letter
        "שלום עולם \u202eabc\u202c مرحبا",
        " ".join(str(number % 97) for number in range(2000)),
    ],
    ids=["emoji", "right-to-left", "2000 tokens"],
)
def test_hostile_texts_against_themselves(name, text):
    assert score(name, text, text) == 1.0


# Laws.


@pytest.mark.parametrize("name", PERFECT)
@given(st.lists(st.lists(st.sampled_from("abc"), min_size=2, max_size=8).map(" ".join), min_size=1, max_size=4))
def test_a_text_against_itself_is_perfect(name, texts):
    assert corpus_score(name, texts, texts) == 1.0
    assert corpus_score(name, texts, texts, texts) == 1.0


@pytest.mark.parametrize("name", ALL)
@given(pairs, st.randoms(use_true_random=False))
def test_scores_are_from_0_to_1(name, texts, random):
    candidates, references = (list(column) for column in zip(*texts, strict=True))
    shuffled = random.sample(references, len(references))
    assert 0 <= corpus_score(name, candidates, references) <= 1 + 1e-12
    assert 0 <= corpus_score(name, candidates, references, shuffled) <= 1 + 1e-12


METRICS = [
    "rouge-l",
    "rouge-w",
    "rouge-w(weighting='linear')",
    "rouge-w(program='1.5.5')",
    "rouge-s",
    "rouge-s(skip=1)",
]


def variant(name: str, **parameters: str) -> str:
    inner = ",".join(f"{key}={value!r}" for key, value in parameters.items())
    return f"{name[:-1]},{inner})" if name.endswith(")") else f"{name}({inner})"


@pytest.mark.parametrize("name", METRICS)
@given(words, orders)
def test_order_and_repetition_of_references_do_not_matter_to_the_papers_formula(name, candidate, two_orders):
    one, other = ([[text] for text in order] for order in two_orders)
    for pooling in ("scores", "counts"):
        metric = variant(name, pooling=pooling)
        expected = statistics(metric, [candidate], *one).tolist()

        assert expected == statistics(metric, [candidate], *other).tolist()
        assert expected == statistics(metric, [candidate], *other, *one).tolist()


@pytest.mark.parametrize("name", METRICS)
@given(words, orders)
def test_order_of_references_matters_to_formula_b_only_where_recalls_are_equal(name, candidate, two_orders):
    one, other = ([[text] for text in order] for order in two_orders)
    metric = variant(name, formula="B", pooling="counts")
    expected = statistics(metric, [candidate], *one).tolist()

    assert expected == statistics(metric, [candidate], *one, *other).tolist()
    rows = np.concatenate([statistics(metric, [candidate], text) for text in one])
    recalls = rows[:, 0] / np.maximum(rows[:, 1], 1)
    if "1.5.5" in name:
        recalls *= np.maximum(rows[:, 1], 1) ** (1 - 1 / 1.2)  # hits over f(|r|), not f(f(|r|))
    if np.diff(np.sort(recalls)).min(initial=1) > 1e-9:
        assert expected == statistics(metric, [candidate], *other).tolist()


@pytest.mark.parametrize("name", METRICS)
@given(words, words, words)
def test_formula_a_has_no_order_and_weighs_references_by_how_often_they_are_given(name, candidate, first, second):
    metric = variant(name, formula="A")
    expected = pytest.approx(corpus_score(metric, [candidate], [first], [second]), abs=1e-12)

    assert expected == corpus_score(metric, [candidate], [second], [first])
    assert expected == corpus_score(metric, [candidate], [first], [second], [first], [second])


@pytest.mark.parametrize("name", METRICS)
@given(words, words)
def test_the_formulas_agree_on_one_reference(name, candidate, reference):
    scores = {corpus_score(variant(name, formula=formula), [candidate], [reference]) for formula in ("paper", "A", "B")}
    assert len(scores) == 1


@pytest.mark.parametrize("name", ALL)
@given(pairs, pairs)
def test_statistics_of_parts_are_those_of_the_whole(name, first, second):
    def measured(part):
        candidates, references = zip(*part, strict=True)
        return statistics(name, candidates, references, references[::-1] if len(part) == 1 else references)

    whole = measured(first + second)
    assert whole.sum(axis=0) == pytest.approx(measured(first).sum(axis=0) + measured(second).sum(axis=0), abs=1e-9)


@given(words, words)
def test_rouge_l_is_never_above_gtm_without_reward_for_runs(candidate, reference):
    # A common subsequence is a matching of the two bags of tokens.
    assert corpus_score("rouge-l", [candidate], [reference]) <= corpus_score("gtm", [candidate], [reference]) + 1e-12


@given(words, words, st.sampled_from(["weight=1.2", "weight=3", "weighting='linear',gap=0.7"]))
def test_rouge_w_is_never_above_rouge_l_and_equal_without_reward_for_runs(candidate, reference, weighting):
    longest = corpus_score("rouge-l", [candidate], [reference])

    assert corpus_score(f"rouge-w({weighting})", [candidate], [reference]) <= longest + 1e-12
    assert corpus_score("rouge-w(weight=1)", [candidate], [reference]) == pytest.approx(longest, abs=1e-12)
    linear = corpus_score("rouge-w(weighting='linear',gap=0)", [candidate], [reference])
    assert linear == pytest.approx(longest, abs=1e-12)


@given(words.filter(lambda text: " " in text), words)
def test_rouge_s_without_skips_is_the_bigram_precision_of_bleu(candidate, reference):
    matches, total, *_ = statistics("bleu(orders=[2])", [candidate], [reference])[0].tolist()
    expected = pytest.approx(matches / total, abs=1e-15)
    assert expected == corpus_score("rouge-s(skip=0,mean='precision')", [candidate], [reference])


@given(words, words, st.integers(6, 20))
def test_a_skip_beyond_the_text_is_no_limit(candidate, reference, skip):
    limited = corpus_score(f"rouge-s(skip={skip})", [candidate], [reference])
    assert limited == corpus_score("rouge-s", [candidate], [reference])


def test_score_takes_any_leading_axes():
    rows = np.random.default_rng(0).integers(1, 9, (3, 4, 4)).astype(float)
    for name in ("rouge-l", "rouge-w", "rouge-w(weighting='linear')", "rouge-s(beta='auto')"):
        metric = get_metric(variant(name, pooling="counts"))
        assert [[float(metric.score(cell)) for cell in row] for row in rows] == metric.score(rows).tolist()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rouge-l(beta=-1)", r"`beta` must be at least 0 and at most 1000; got -1"),
        ("rouge-l(beta='P/R')", r"`beta` must be a number or 'auto'; got 'P/R'"),
        ("rouge-s(beta=2,mean='recall')", r"metric 'rouge-s': `beta` belongs to F, not to recall"),
        ("rouge-l(formula='C')", r"`formula` must be one of 'paper', 'A', 'B'; got 'C'"),
        ("rouge-l(pooling='sum')", r"`pooling` must be one of 'scores', 'counts'; got 'sum'"),
        ("rouge-l(skip=4)", r"unknown parameter 'skip'"),
        ("rouge-l(program='1.5.5')", r"unknown parameter 'program'"),
        ("rouge-w(weight=0.5)", r"`weight` must be at least 1 and at most 5; got 0\.5"),
        ("rouge-w(weighting='linear',weight=2)", r"`weight` belongs to the power weighting"),
        ("rouge-w(gap=0.1)", r"`gap` belongs to the linear weighting"),
        ("rouge-w(weighting='linear',gap=1)", r"`gap` must be below 1, or a run of one token weighs nothing; got 1\.0"),
        ("rouge-w(weighting='linear',program='1.5.5')", r"the program 1\.5\.5 has the power weighting only"),
        ("rouge-s(skip=-1)", r"`skip` must be at least 0; got -1"),
        ("rouge-s(program='1.5.5')", r"`program` changes unigrams only; it needs unigram=True"),
        ("rouge", r"unknown metric 'rouge'"),
    ],
)
def test_impossible_variants_are_refused(name, message):
    with pytest.raises(UsageError, match=message):
        get_metric(name)


def test_signatures_tell_variants_apart():
    assert len({str(get_metric(name).signature) for name in ALL}) == len(ALL)
    assert "|formula:paper|mean:f|beta:1|pooling:scores|version:" in str(get_metric("rouge-l").signature)
    assert str(get_metric("rouge-w").signature).startswith("ROUGE-W|weighting:power[1.2]|program:paper|formula:paper|")
    assert str(get_metric("rouge-w").signature) == str(get_metric("rouge-w(weight=1.2)").signature)
    linear = get_metric("rouge-w(weighting='linear',mean='recall')").signature
    assert str(linear).startswith("ROUGE-W|weighting:linear[0.5]|program:paper|formula:paper|mean:recall|pooling:")
    assert str(get_metric("rouge-s").signature).startswith("ROUGE-S|skip:any|unigram:no|formula:paper|")
    script = get_metric("rouge-s(skip=4,unigram=True,program='1.5.5')").signature
    assert str(script).startswith("ROUGE-S|skip:4|unigram:yes[1.5.5]|formula:paper|")
