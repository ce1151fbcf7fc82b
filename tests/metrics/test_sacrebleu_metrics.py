"""Metrics of sacreBLEU inside metaeval: its own scores, on real text and under any parameters."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF, TER

from metaeval import load_corpus
from metaeval.datamodel.corpus import Corpus
from metaeval.errors import UsageError
from metaeval.metrics import get_metric
from metaeval.metrics.chrf import Chrf, with_punctuation_apart
from metaeval.metrics.sacrebleu_bleu import SacreBleu
from metaeval.metrics.sacrebleu_metrics import EngineMetric
from tests.support.gold import lines, of_others

PAIRS = {
    "chrf": CHRF(),
    "chrf(word_order=2)": CHRF(word_order=2),
    "chrf(char_order=3,word_order=1,beta=3,lowercase=True,whitespace=True)": CHRF(3, 1, 3, True, True),
    "chrf(eps_smoothing=True)": CHRF(eps_smoothing=True),
    "sacrebleu-bleu": BLEU(),
    "sacrebleu-bleu(effective_order=True)": BLEU(effective_order=True),
    "sacrebleu-bleu(smooth='floor',smooth_value=0.2,tokenize='intl')": BLEU(
        smooth_method="floor", smooth_value=0.2, tokenize="intl"
    ),
    "sacrebleu-bleu(smooth='add-k',order=2,lowercase=True)": BLEU(
        smooth_method="add-k", max_ngram_order=2, lowercase=True
    ),
    "sacrebleu-bleu(smooth='none',tokenize='char')": BLEU(smooth_method="none", tokenize="char"),
    "sacrebleu-ter": TER(),
    "sacrebleu-ter(normalized=True,case_sensitive=True)": TER(normalized=True, case_sensitive=True),
    "sacrebleu-ter(no_punct=True,asian_support=True)": TER(no_punct=True, asian_support=True),
}
TEXTS = {
    "candidate": ["The cat sat on the mat .", "A dog, barking!", "", "we go home", "猫 on it"],
    "ref1": ["the cat sat on a mat.", "A dog barked!", "nothing", "we go home", "the cat on it"],
    "ref2": ["A cat was on the mat .", "The dog, it barked", "", "We all go home", "猫猫 on it"],
}


def corpus(**texts: list[str | None]) -> Corpus:
    references = {name: text for name, text in texts.items() if name.startswith("ref")}
    return Corpus.of_texts({name: text for name, text in texts.items() if name not in references}, references)


def scores(name: str, made: Corpus) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores of whole systems and of segments."""
    metric = get_metric(name)
    statistics = metric.measure(made, tuple(made.references))
    return metric.score(statistics.sum(axis=1)), metric.score(statistics)


@cache
def real_corpus(name: str) -> Corpus:
    return load_corpus(of_others("corpora") / name)


def test_the_version_that_figures_are_compared_with():
    assert sacrebleu.__version__ in str(get_metric("chrf").signature)


@pytest.mark.parametrize("name", PAIRS)
def test_scores_are_those_of_sacrebleu(name):
    whole, single = scores(name, corpus(**TEXTS))
    references = [TEXTS["ref1"], TEXTS["ref2"]]
    expected = PAIRS[name].corpus_score(TEXTS["candidate"], references).score
    assert whole[0] == pytest.approx(expected, abs=1e-9)
    for i, candidate in enumerate(TEXTS["candidate"]):
        alone = PAIRS[name].sentence_score(candidate, [text[i] for text in references]).score
        assert single[0, i] == pytest.approx(alone, abs=1e-9), i


@pytest.mark.parametrize(
    ("name", "corpus_name", "n"),
    [
        *((name, "wmt21-ted-zhen", 60) for name in PAIRS if "ter" not in name),
        # Where references are absent, and where there are eleven.
        *((name, "webnlg2020-en", 60) for name in PAIRS if name.startswith("sacrebleu-bleu")),
        *((name, "summeval", 15) for name in PAIRS if name.startswith("sacrebleu-bleu")),
    ],
)
def test_scores_are_those_of_sacrebleu_on_real_text(name, corpus_name, n):
    whole_corpus = real_corpus(corpus_name)
    candidates = {whole_corpus.systems[k]: whole_corpus.candidates[k][:n] for k in (0, 1)}
    references = {k: text[:n] for k, text in whole_corpus.references.items()}
    whole, single = scores(name, Corpus.of_texts(candidates, references))
    texts = list(references.values())
    for k, candidate in enumerate(candidates.values()):
        assert whole[k] == pytest.approx(PAIRS[name].corpus_score(candidate, texts).score, abs=1e-12)
        for i in range(0, n, 7):
            present = [text[i] for text in texts if text[i] is not None]
            expected = PAIRS[name].sentence_score(candidate[i], present).score
            assert single[k, i] == pytest.approx(expected, abs=1e-12), i


def test_ter_is_that_of_sacrebleu_on_real_text():
    folder = of_others("corpora") / "wmt21-ted-zhen"
    candidate = list(lines(folder / "systems" / "metricsystem1.txt")[:8])
    references = {k: list(lines(folder / "references" / f"{k}.txt")[:8]) for k in ("refA", "refB")}
    whole, single = scores("sacrebleu-ter", Corpus.of_texts({"one": candidate}, references))
    assert whole[0] == pytest.approx(TER().corpus_score(candidate, list(references.values())).score, abs=1e-9)
    expected = [TER().sentence_score(c, list(r)).score for c, *r in zip(candidate, *references.values(), strict=True)]
    np.testing.assert_allclose(single[0], expected, atol=1e-9)


@pytest.mark.parametrize("name", [name for name in PAIRS if "bleu(" not in name and name != "sacrebleu-bleu"])
@given(st.lists(st.integers(0, 5) | st.integers(0, 5000), min_size=24, max_size=24))
def test_our_formula_is_theirs(name, counts):
    metric = get_metric(name)
    row = [float(count) for count in counts[: len(metric.statistic_names)]]
    if "chrf" in name:  # no more matches than either side has n-grams
        row = [min(row[k - 2 : k + 1]) if k % 3 == 2 else value for k, value in enumerate(row)]
    theirs = PAIRS[name]._compute_score_from_stats(list(row)).score
    assert float(metric.score(np.array(row))) == pytest.approx(theirs, abs=1e-9)


def bleu_of_sacrebleu(metric: SacreBleu) -> EngineMetric:
    """Return sacreBLEU's own BLEU with the parameters of ours."""
    engine = BLEU(
        lowercase=metric.lowercase,
        tokenize=metric.tokenize,
        smooth_method=metric.smooth,
        smooth_value=metric.smooth_value,
        max_ngram_order=metric.order,
        effective_order=metric.effective_order,
    )
    return EngineMetric.from_engine("theirs", engine)


bleus = st.builds(
    lambda tokenize, lowercase, smoothing, order, effective: SacreBleu(
        tokenize, lowercase, *smoothing, order, effective
    ),
    st.sampled_from(["13a", "intl", "char", "zh", "none"]),
    st.booleans(),
    st.sampled_from([("exp", None), ("none", None), ("floor", None), ("floor", 0.0125), ("add-k", None), ("add-k", 3)]),
    st.sampled_from([1, 2, 4, 9, 30]),
    st.booleans(),
)


@given(bleus, st.lists(st.integers(0, 5) | st.integers(0, 5000), min_size=62, max_size=62))
def test_the_formula_of_bleu_is_that_of_sacrebleu(metric, counts):
    n = metric.order
    # The longer n-grams are, the fewer, and no more of them match.
    totals = sorted(counts[:n], reverse=True)
    matches = [min(pair) for pair in zip(counts[n : 2 * n], totals, strict=True)]
    # A candidate has at least as many tokens as unigrams.
    lengths = [max(counts[-2], totals[0]), counts[-1]]
    theirs = bleu_of_sacrebleu(metric).score(np.array([[*lengths, *matches, *totals]], dtype=float))
    ours = metric.score(np.array([[*matches, *totals, *lengths]], dtype=float))
    np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)


# What differs in cutting, counting or lower-casing: marks, white space, letters of several bytes, half pairs.
texts = st.text(st.sampled_from("aabA .,(!İß猫\x00\x1c\u3000\U0001f600\ud800"), max_size=12)
columns = st.integers(1, 3).flatmap(
    lambda n: st.tuples(
        st.lists(st.lists(texts, min_size=n, max_size=n), min_size=1, max_size=2),
        st.lists(st.lists(texts | st.none(), min_size=n, max_size=n), min_size=1, max_size=18),
    )
)


@given(
    columns, st.sampled_from([1, 6, 40]), st.sampled_from([0, 1, 2, 9]), st.sampled_from([1, 2, 1000]),
    st.tuples(st.booleans(), st.booleans(), st.booleans()),
)  # fmt: skip
def test_chrf_counts_and_scores_as_sacrebleu(made, char_order, word_order, beta, flags):
    candidates, references = (
        {f"{kind}{k}": text for k, text in enumerate(part)} for kind, part in zip("cr", made, strict=True)
    )
    metric = Chrf(char_order, word_order, beta, *flags)
    theirs = EngineMetric.from_engine("theirs", CHRF(char_order, word_order, beta, *flags))
    texts, names = Corpus.of_texts(candidates, references), tuple(references)
    subsets = [names, names[::-1], names[-1:]]
    found = list(metric.measure_subsets(texts, subsets))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("metaeval.kernels.COMPILED", None)
        plain = list(metric.measure_subsets(texts, subsets))
    for subset, of_kernels, of_definition in zip(subsets, found, plain, strict=True):
        expected = theirs.measure(texts, subset)
        np.testing.assert_array_equal(of_kernels, expected)
        np.testing.assert_array_equal(of_definition, expected)
        np.testing.assert_array_equal(metric.score(of_kernels), theirs.score(expected))
    assert metric.signature == theirs.signature


def test_the_plain_definition_of_chrf_by_hand():
    # "ab ab" has the letters a b a b; "ab b" has a b b. Both have an a and two b, and of the pairs ab ba ab and ab bb
    # one ab. Of words they share one ab, and no pair.
    metric = Chrf(char_order=2, word_order=2)
    counts = metric.compare(metric.ngrams("ab ab"), metric.ngrams("ab b"))
    assert counts == [(4, 3, 3), (3, 2, 1), (2, 2, 1), (1, 1, 0)]
    # P = (3/4 + 1/3 + 1/2 + 0) / 4 = 19/48, R = (1 + 1/2 + 1/2 + 0) / 4 = 1/2; 5 P R / (4 P + R) = 95/96 / (25/12).
    made = Corpus.of_texts({"c": ["ab ab"]}, {"r": ["ab b"]})
    assert metric.score(metric.measure(made, ("r",)))[0, 0] == pytest.approx(100 * 95 / 200, rel=1e-14)
    # A mark at the end of a word stands apart, or else one at its beginning; a mark alone is a word.
    assert with_punctuation_apart("(hi) -x y! ! e.g.") == ["(hi", ")", "-", "x", "y", "!", "!", "e.g", "."]


@given(columns, bleus)
def test_bleu_counts_and_scores_as_sacrebleu(made, metric):
    candidates, references = (
        {f"{kind}{k}": text for k, text in enumerate(part)} for kind, part in zip("cr", made, strict=True)
    )
    texts, names = Corpus.of_texts(candidates, references), tuple(references)
    theirs, n = bleu_of_sacrebleu(metric), metric.order
    subsets = [names, names[::-1], names[-1:]]
    for subset, found in zip(subsets, metric.measure_subsets(texts, subsets), strict=True):
        expected = theirs.measure(texts, subset)
        # sacreBLEU has the lengths first.
        np.testing.assert_array_equal(found, np.concatenate([expected[..., 2:], expected[..., :2]], axis=-1))
        assert found.shape[-1] == len(metric.statistic_names) == 2 * n + 2
        np.testing.assert_allclose(metric.score(found), theirs.score(expected), rtol=1e-12, atol=1e-12)


@given(bleus)
def test_the_signature_of_bleu_is_that_of_sacrebleu(metric):
    theirs = bleu_of_sacrebleu(metric).signature
    if metric.smooth_value == 0.0125:  # of which sacreBLEU prints two digits, as of 0.01
        assert "|smooth:floor[0.0125]|" in str(metric.signature)
        assert "|smooth:floor[0.01]|" in str(theirs)
    else:
        assert metric.signature == theirs


def test_bleu_takes_n_grams_of_30_tokens_at_most():
    with pytest.raises(UsageError, match="`order` must be at least 1 and at most 30; got 31"):
        get_metric("sacrebleu-bleu(order=31)")


def test_chrf_is_the_same_in_parts_and_without_kernels(monkeypatch):
    made = corpus(**TEXTS)
    metric = get_metric("chrf(word_order=2)")
    whole = metric.measure(made, ("ref1", "ref2"))
    monkeypatch.setattr("metaeval.metrics.chrf._CHARACTERS_AT_ONCE", 30)
    np.testing.assert_array_equal(metric.measure(made, ("ref1", "ref2")), whole)
    monkeypatch.setattr("metaeval.kernels.COMPILED", None)
    assert metric.side_by_side == "processes"
    for found in metric.measure_subsets(made, [("ref1", "ref2")]):
        np.testing.assert_array_equal(found, whole)


def test_references_that_a_segment_lacks_are_left_out():
    made = corpus(candidate=["a b", "c d", "e f", None], ref1=["a b", None, None, "x"], ref2=["x", "c e", None, "y"])
    statistics = get_metric("chrf").measure(made, ("ref1", "ref2"))
    assert np.isnan(statistics[0, 2:]).all()
    (alone,) = get_metric("chrf").measure(corpus(candidate=["c d"], ref2=["c e"]), ("ref2",))
    np.testing.assert_array_equal(statistics[0, 1], alone[0])
    # A subset of the references is scored against that subset.
    first = get_metric("chrf").measure(made, ("ref1",))
    assert np.isnan(first[0, 1:]).all()


def test_signatures_hold_those_of_sacrebleu_whatever_was_scored():
    metric = get_metric("chrf(word_order=2)")
    before = str(metric.signature)
    metric.measure(corpus(**TEXTS), ("ref1", "ref2"))
    assert str(metric.signature) == before
    assert before.startswith(f"chrF2++|case:mixed|eff:yes|nc:6|nw:2|space:no|version:{sacrebleu.__version__}|")
    bleu = str(get_metric("sacrebleu-bleu(smooth='floor')").signature)
    assert bleu.startswith(f"BLEU|case:mixed|eff:no|tok:13a|smooth:floor[0.10]|version:{sacrebleu.__version__}|")


def test_segments_of_bleu_want_effective_order():
    made = corpus(candidate=["we go home"], ref1=["we go home"])
    assert scores("sacrebleu-bleu", made)[1][0, 0] == 0
    assert scores("sacrebleu-bleu(effective_order=True)", made)[1][0, 0] == pytest.approx(100)


def test_a_smoothing_value_needs_its_method():
    with pytest.raises(UsageError, match="belongs to smooth 'floor' and 'add-k', not to 'exp'"):
        get_metric("sacrebleu-bleu(smooth_value=1)")


def test_a_system_alone_has_the_statistics_that_it_has_among_others():
    made = Corpus.of_texts({"a": TEXTS["candidate"], "b": TEXTS["ref2"]}, {"r": TEXTS["ref1"]})
    metric = get_metric("chrf")
    both = metric.measure(made, ("r",))
    alone = metric.measure(replace(made, systems=("b",), candidates=made.candidates[1:]), ("r",))
    np.testing.assert_array_equal(both[1], alone[0])
