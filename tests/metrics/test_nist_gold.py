"""NIST against mteval v11b, v13a, v13m and v14, NLTK 3.10.4 on one reference, and arithmetic from the counts.

Origin of the figures: README of the gold. v13m takes white-space tokens as they are; the others tokenize, as the named
tokenizers do. mteval takes a prefix that is the token ``0`` as if it were empty, so edge1, where one segment has such a
prefix, differs by a known amount.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from metaeval.datamodel.corpus import FloatArray
from metaeval.metrics.nist import Nist
from tests.support.gold import gold, lines, rows, statistics_of

SETS = ("edge1", "edge2", "seg60")
N_SEGMENT_ROWS = {"edge1": 45, "edge2": 50, "seg60": 1200}
TOLERANCE = 1e-9
ORDERS = range(1, 10)


@cache
def token_zero() -> int:
    """Return the number of the segment of edge1 that has a prefix ``0``."""
    return lines(gold("inputs/edge1/ids.txt")).index("token_zero") + 1


@pytest.mark.parametrize("name", SETS)
def test_segments_equal_mteval_with_the_information_of_the_whole_corpus(name):
    table = rows(f"bleu_nist/{name}.mteval13m_nonorm.nist.segment.tsv")
    assert len(table) == N_SEGMENT_ROWS[name]
    skipped = 0
    for row in table:
        if name == "edge1" and int(row["seg"]) == token_zero():
            skipped += 1
            continue
        whole = statistics_of(name, row["hyp"], row["refs"], Nist(order=9))[int(row["seg"]) - 1]
        assert float(row["avg_ref_len"]) == pytest.approx(whole[-1], abs=TOLERANCE)
        assert [float(row[f"matched_info{n}"]) for n in ORDERS] == pytest.approx(whole[:9].tolist(), abs=TOLERANCE)
        scores = [0.0]
        for n in ORDERS:
            metric = Nist(order=n)
            own = statistics_of(name, row["hyp"], row["refs"], metric)[int(row["seg"]) - 1]
            scores.append(float(metric.score(own)))
            assert float(row[f"nist_cum{n}"]) == pytest.approx(scores[n], abs=TOLERANCE)
            # An individual figure of mteval is what one order adds, penalty and all.
            assert float(row[f"nist_ind{n}"]) == pytest.approx(scores[n] - scores[n - 1], abs=TOLERANCE)
    assert skipped == (name == "edge1")


def test_the_token_0_is_a_token_like_all_others():
    # "0 0 items found" for "0 items found here". "0" occurs once in the references of edge1 and "0 items" once:
    # log2(1/1) = 0 bits. mteval takes the prefix "0" as empty, and so the 264 words of the references instead of the
    # count of "0": log2(264/1) bits.
    row = rows("bleu_nist/edge1.mteval13m_nonorm.nist.segment.tsv")[token_zero() - 1]
    own = statistics_of("edge1", "sys0", "0", Nist(order=9))[token_zero() - 1]

    assert int(row["seg"]) == token_zero()
    assert own[1] == 0.0
    assert float(row["matched_info2"]) == pytest.approx(math.log2(264), abs=TOLERANCE)
    others = [n for n in ORDERS if n != 2]
    assert [float(row[f"matched_info{n}"]) for n in others] == pytest.approx(
        [own[n - 1] for n in others], abs=TOLERANCE
    )


PREPROCESSING = {
    "mteval-v13m --no-norm -c": "case",
    "mteval-v13m --no-norm -c --no-smoothing": "case",
    "mteval-v13m --no-norm -c --brevity-penalty shortest": "case",
    "mteval-v13m --no-norm -c --no-smoothing --brevity-penalty shortest": "case",
    "mteval-v11b -c": 'case(tokenizer="13a")',
    "mteval-v13a -c": 'case(tokenizer="13a")',
    "mteval-v14 -c": 'case(tokenizer="13a")',
    "mteval-v14": 'nocase(tokenizer="13a")',
    "mteval-v14 -c --international-tokenization": 'case(tokenizer="intl")',
}


def bug(pooled: FloatArray) -> float:
    """Return what the token ``0`` adds to mteval's figures of edge1: the information of one bigram match."""
    candidate, reference = pooled[-2:]
    penalty = 0.5 ** (math.log(min(candidate / reference, 1)) / math.log(1.5)) ** 2
    return float(math.log2(reference) / pooled[9 + 1] * penalty)


@pytest.mark.parametrize("name", SETS)
def test_corpora_equal_mteval_of_all_versions(name):
    compared = 0
    for row in rows(f"bleu_nist/{name}.mteval.corpus.tsv"):
        if row["metric"] != "NIST":
            continue
        preprocessing = PREPROCESSING[row["program_options"]]
        whole = statistics_of(name, row["hyp"], row["refs"], Nist(order=9), preprocessing).sum(axis=0)
        scores = [0.0]
        for n in ORDERS:
            pooled = np.concatenate([whole[:n], whole[9 : 9 + n], whole[-2:]])
            scores.append(float(Nist(order=n).score(pooled)) + (bug(whole) if name == "edge1" and n > 1 else 0.0))
            own = scores[n] if row["kind"] == "cum" else scores[n] - scores[n - 1]
            assert float(row[f"n{n}"]) == pytest.approx(own, abs=TOLERANCE)
            compared += 1
    # 2 kinds of figure, 9 orders, 7 programs on each pair of texts and 2 more on those with several references.
    assert compared == 18 * {"edge1": 7, "edge2": 7 * 2 + 2, "seg60": 7 * 20 + 2 * 4}[name]


@pytest.mark.parametrize("name", SETS)
def test_corpora_equal_nltk_on_one_reference_and_differ_on_several(name):
    # NLTK treats "0" as we do, so edge1 needs no allowance. Its NIST is wrong for several references.
    compared = 0
    for row in rows(f"bleu_nist/{name}.libraries.corpus.tsv"):
        if row["program"] != "nltk corpus_nist n=5":
            continue
        score = float(Nist().score(statistics_of(name, row["hyp"], row["refs"], Nist()).sum(axis=0)))
        equal = float(row["score_0_100_or_nist"]) == pytest.approx(score, abs=1e-6)
        assert equal == ("+" not in row["refs"])
        compared += 1
    assert compared == {"edge1": 1, "edge2": 2, "seg60": 8}[name]


@pytest.mark.parametrize("name", SETS)
def test_unweighted_nist_is_the_sum_of_precisions_times_the_penalty_of_nist(name):
    # Five readings of what Turian et al. (2003) call unweighted NIST without a formula. Ours is the first; the mean
    # over the orders is a fifth of it; without the penalty, the third. The two with BLEU's penalty are others.
    compared = 0
    for row in rows(f"bleu_nist/{name}.nist_unweighted_candidates.corpus.tsv"):
        pooled = statistics_of(name, row["hyp"], row["refs"], Nist(information=False)).sum(axis=0)
        score = float(Nist(information=False).score(pooled))
        bare = float(Nist(information=False, brevity=False).score(pooled))

        assert float(row["sum_of_precisions_1to5_x_nist_penalty"]) == pytest.approx(score, abs=TOLERANCE)
        assert float(row["mean_x_nist_penalty"]) == pytest.approx(score / 5, abs=TOLERANCE)
        assert float(row["mean_of_precisions"]) == pytest.approx(bare / 5, abs=TOLERANCE)
        compared += 1
    assert compared == {"edge1": 1, "edge2": 2, "seg60": 8}[name]


def test_the_matches_without_weights_are_those_of_the_counts():
    metric = Nist(order=9, information=False)
    for row in rows("bleu_nist/seg60.ngram_counts.segment.tsv"):
        own = statistics_of("seg60", row["hyp"], row["refs"], metric)[int(row["seg"]) - 1]

        assert [int(row[f"match{n}"]) for n in ORDERS] == own[:9].tolist()
        assert [int(row[f"total{n}"]) for n in ORDERS] == own[9:18].tolist()
