"""BLEU beside programs that tokenize or smooth in their own ways: equal, or different for a known reason."""

from __future__ import annotations

import numpy as np
import pytest

from metaeval.metrics.bleu import Bleu
from tests.metrics.test_bleu_gold import SETS
from tests.support.gold import rows, statistics_of

# v11b takes the shortest reference and does not smooth; 13a takes the closest and smooths; without -c, lower-cased.
MTEVAL = {
    "mteval-v11b -c": ("shortest", "none", 'case(tokenizer="13a")'),
    "mteval-v13a -c": ("closest", "mteval", 'case(tokenizer="13a")'),
    "mteval-v14 -c": ("closest", "mteval", 'case(tokenizer="13a")'),
    "mteval-v14": ("closest", "mteval", 'nocase(tokenizer="13a")'),
    "mteval-v14 -c --international-tokenization": ("closest", "mteval", 'case(tokenizer="intl")'),
}
NLTK = {
    "nltk sentence_bleu smooth=none": Bleu(),
    "nltk sentence_bleu smooth=method1_eps0.1": Bleu(smooth="floor"),
    "nltk sentence_bleu smooth=method2_add1": Bleu(smooth="add-k"),
    "nltk sentence_bleu smooth=method3_geometric": Bleu(smooth="exp"),
}


@pytest.mark.parametrize("name", SETS)
def test_segments_equal_mteval_with_its_own_tokenization(name):
    compared = 0
    for row in rows(f"bleu_nist/{name}.mteval_tokenizing.segment.tsv"):
        if row["metric"] != "BLEU":
            continue
        length, smooth, preprocessing = MTEVAL[row["program_options"]]
        metric = Bleu(length=length, smooth=smooth)
        own = statistics_of(name, row["hyp"], row["refs"], metric, preprocessing)[int(row["seg"]) - 1]
        assert float(row["score"]) == pytest.approx(float(metric.score(own)), abs=1e-8)
        compared += 1
    assert compared == {"edge1": 180, "edge2": 206, "seg60": 6000}[name]


@pytest.mark.parametrize("name", SETS)
def test_corpora_equal_mteval_with_its_own_tokenization(name):
    compared = 0
    for row in rows(f"bleu_nist/{name}.mteval.corpus.tsv"):
        if row["program_options"] not in MTEVAL or row["metric"] != "BLEU" or row["kind"] != "cum":
            continue
        length, smooth, preprocessing = MTEVAL[row["program_options"]]
        for order in range(1, 10):
            metric = Bleu(order=order, length=length, smooth=smooth)
            pooled = statistics_of(name, row["hyp"], row["refs"], metric, preprocessing).sum(axis=0)
            assert float(row[f"n{order}"]) == pytest.approx(float(metric.score(pooled)), abs=1e-8)
            compared += 1
    assert compared == 9 * 5 * {"edge1": 1, "edge2": 2, "seg60": 20}[name]


@pytest.mark.parametrize("name", SETS)
def test_individual_figures_of_mteval_are_precisions_without_the_penalty(name):
    compared = unmatched = 0
    for row in rows(f"bleu_nist/{name}.mteval.corpus.tsv"):
        if row["program_options"] not in MTEVAL or row["metric"] != "BLEU" or row["kind"] != "ind":
            continue
        length, smooth, preprocessing = MTEVAL[row["program_options"]]
        pooled = statistics_of(name, row["hyp"], row["refs"], Bleu(order=9, length=length), preprocessing).sum(axis=0)
        without_match = 0
        for order in range(1, 10):
            matches, total = pooled[order - 1], pooled[9 + order - 1]
            without_match += matches == 0
            if matches == 0 and smooth == "mteval":
                matches = 0.5**without_match
            assert float(row[f"n{order}"]) == pytest.approx(matches / total, abs=1e-8)
            compared += 1
        unmatched += without_match
    assert compared == 9 * 5 * {"edge1": 1, "edge2": 2, "seg60": 20}[name]
    assert unmatched == {"edge1": 0, "edge2": 20, "seg60": 25}[name]


@pytest.mark.parametrize("name", SETS)
def test_corpora_equal_multi_bleu_as_far_as_it_prints(name):
    for row in rows(f"bleu_nist/{name}.libraries.corpus.tsv"):
        if row["program"] == "multi-bleu.perl":
            metric = Bleu()
            score = float(metric.score(statistics_of(name, row["hyp"], row["refs"], metric).sum(axis=0)))
            assert float(row["score_0_100_or_nist"]) == pytest.approx(100 * score, abs=0.005001)


@pytest.mark.parametrize("name", SETS)
def test_nltk_differs_only_where_a_candidate_is_shorter_than_the_order(name):
    # NLTK 3.10.4 takes an order without n-grams for 0 of 1 n-grams and smooths that; sacreBLEU leaves such an order 0,
    # or adds to 0 of 0, and metaeval's smoothing is sacreBLEU's. They agree where a candidate has four tokens or none.
    different, equal = set(), set()
    for row in rows(f"bleu_nist/{name}.libraries.segment.tsv"):
        metric = NLTK.get(row["program"])
        if metric is None:
            continue
        own = statistics_of(name, row["hyp"], row["refs"], metric)[int(row["seg"]) - 1]
        same = abs(float(row["score_0_100"]) - 100 * float(metric.score(own))) < 1e-6
        short = 1 <= own[-2] <= 3 and metric.smooth != "none" and own[0] > 0
        (equal if same else different).add(short)
    assert different == {True}
    assert equal == {False}


@pytest.mark.parametrize("name", SETS)
def test_nltk_counts_an_n_gram_in_segments_that_have_none(name):
    # NLTK 3.10.4 adds max(1, n-grams) over the segments, so the precisions of a corpus are lower where a candidate is
    # shorter than the order; with these totals our formula gives its figures.
    compared = 0
    for row in rows(f"bleu_nist/{name}.libraries.corpus.tsv"):
        metric = NLTK.get(row["program"].replace("corpus_bleu", "sentence_bleu"))
        if metric is None:
            continue
        own = statistics_of(name, row["hyp"], row["refs"], metric)
        theirs = own.copy()
        theirs[:, 4:8] = np.maximum(own[:, 4:8], 1)
        score = float(row["score_0_100_or_nist"])
        assert score == pytest.approx(100 * float(metric.score(theirs.sum(axis=0))), abs=1e-6)
        assert score < 100 * float(metric.score(own.sum(axis=0))) - 1e-3
        compared += 1
    assert compared == 4 * {"edge1": 1, "edge2": 2, "seg60": 8}[name]


@pytest.mark.parametrize("tokenizer", ["13a", "intl"])
@pytest.mark.parametrize("name", SETS)
def test_corpora_equal_sacrebleu_with_its_tokenizers(name, tokenizer):
    metric = Bleu(smooth="exp")
    compared = 0
    for row in rows(f"bleu_nist/{name}.libraries.corpus.tsv"):
        if row["program"] == f"sacrebleu tok={tokenizer} smooth=exp eff=no":
            pooled = statistics_of(name, row["hyp"], row["refs"], metric, f'case(tokenizer="{tokenizer}")').sum(axis=0)
            assert float(row["score_0_100_or_nist"]) == pytest.approx(100 * float(metric.score(pooled)), abs=1e-6)
            assert [float(row["sys_len"]), float(row["ref_len"])] == pooled[-2:].tolist()
            compared += 1
    assert compared == {"edge1": 1, "edge2": 2, "seg60": 8}[name]
