"""BLEU against mteval v13a (without its normalisation), v11b, sacreBLEU 2.6.0 and arithmetic from the counts.

Origin of the figures: README of the gold; tolerances are its own. Programs that tokenize by themselves stand in
test_bleu_programs.py.
"""

from __future__ import annotations

import numpy as np
import pytest

from metaeval.metrics import get_metric
from metaeval.metrics.bleu import Bleu
from tests.support.gold import rows, statistics_of

SETS = ("edge1", "edge2", "seg60")
# Segments compared in all three sets, so that a table that went missing cannot pass.
N_SEGMENT_ROWS = {"edge1": 90, "edge2": 150, "seg60": 2880}


@pytest.mark.parametrize("name", SETS)
def test_segments_equal_mteval_for_both_lengths_with_and_without_smoothing(name):
    table = rows(f"bleu_nist/{name}.mteval13m_nonorm.bleu.segment.tsv")
    assert len(table) == N_SEGMENT_ROWS[name]
    for order in range(1, 10):
        worst = 0.0
        for row in table:
            length, smooth = row["config"].split("+")
            metric = Bleu(order=order, length=length, smooth="mteval" if smooth == "smooth" else "none")
            own = statistics_of(name, row["hyp"], row["refs"], metric)[int(row["seg"]) - 1]
            assert own[-1] == float(row["ref_len"])
            worst = max(worst, abs(float(metric.score(own)) - float(row[f"bleu_cum{order}"])))
        assert worst < 1e-8


@pytest.mark.parametrize("name", SETS)
def test_counts_are_exact(name):
    metric = Bleu(order=9)
    for row in rows(f"bleu_nist/{name}.ngram_counts.segment.tsv"):
        own = statistics_of(name, row["hyp"], row["refs"], metric)[int(row["seg"]) - 1]

        assert [int(row[f"match{n}"]) for n in range(1, 10)] == own[:9].tolist()
        assert [int(row[f"total{n}"]) for n in range(1, 10)] == own[9:18].tolist()


@pytest.mark.parametrize("name", ["edge2", "seg60"])
def test_effective_reference_lengths_of_a_corpus(name):
    compared = 0
    for row in rows(f"bleu_nist/{name}.bleu_brevity_variants.corpus.tsv"):
        if row["effective_ref_length"] == "longest":
            continue  # a variant that no paper uses and metaeval does not have
        metric = Bleu(order=int(row["N"]), length=row["effective_ref_length"])
        pooled = statistics_of(name, row["hyp"], row["refs"], metric).sum(axis=0)

        assert float(row["cand_len"]) == pooled[-2]
        assert float(row["ref_len"]) == pytest.approx(pooled[-1], abs=1e-9)
        assert float(row["BLEU_N"]) == pytest.approx(float(metric.score(pooled)), abs=1e-9)
        compared += 1
    assert compared > 5


MTEVAL = {
    "mteval-v13m --no-norm -c": Bleu(order=9, smooth="mteval"),
    "mteval-v13m --no-norm -c --no-smoothing": Bleu(order=9),
    "mteval-v13m --no-norm -c --brevity-penalty shortest": Bleu(order=9, smooth="mteval", length="shortest"),
    "mteval-v13m --no-norm -c --no-smoothing --brevity-penalty shortest": Bleu(order=9, length="shortest"),
}


@pytest.mark.parametrize("name", SETS)
def test_corpus_scores_equal_mteval_on_white_space_tokens(name):
    compared = 0
    for row in rows(f"bleu_nist/{name}.mteval.corpus.tsv"):
        base = MTEVAL.get(row["program_options"])
        if base is None or row["metric"] != "BLEU":
            continue
        for n in range(1, 10):
            orders = {"order": n} if row["kind"] == "cum" else {"orders": (n,)}
            metric = Bleu(**orders, length=base.length, smooth=base.smooth)
            pooled = statistics_of(name, row["hyp"], row["refs"], metric).sum(axis=0)
            # An individual figure of mteval is the precision without the brevity penalty.
            own = metric.score(pooled) if row["kind"] == "cum" else pooled[0] / pooled[1]
            if row["kind"] == "ind" and pooled[0] == 0:
                continue  # smoothed individual figures are checked through the cumulative ones
            assert float(row[f"n{n}"]) == pytest.approx(float(own), abs=1e-8)
            compared += 1
    assert compared > 30


SACREBLEU = {
    f"sacrebleu tok=none smooth={smooth} eff={effective}": get_metric(
        f'bleu(smooth="{smooth.partition("[")[0]}",effective_order={effective == "yes"})'
    )
    for smooth in ("none", "exp", "floor[0.1]", "add-k[1]")
    for effective in ("no", "yes")
}


@pytest.mark.parametrize("name", SETS)
def test_segments_equal_sacrebleu_with_all_its_smoothings(name):
    compared = 0
    for row in rows(f"bleu_nist/{name}.libraries.segment.tsv"):
        metric = SACREBLEU.get(row["program"])
        if metric is None:
            continue
        own = statistics_of(name, row["hyp"], row["refs"], metric)[int(row["seg"]) - 1]
        assert float(row["score_0_100"]) == pytest.approx(100 * float(metric.score(own)), abs=1e-6)
        compared += 1
    assert compared == 8 * {"edge1": 45, "edge2": 50, "seg60": 480}[name]


@pytest.mark.parametrize("name", SETS)
def test_corpus_scores_equal_sacrebleu(name):
    compared = 0
    for row in rows(f"bleu_nist/{name}.libraries.corpus.tsv"):
        metric = SACREBLEU.get(row["program"])
        if metric is None:
            continue
        pooled = statistics_of(name, row["hyp"], row["refs"], metric).sum(axis=0)
        assert float(row["score_0_100_or_nist"]) == pytest.approx(100 * float(metric.score(pooled)), abs=1e-6)
        assert [float(row["sys_len"]), float(row["ref_len"])] == pooled[-2:].tolist()
        compared += 1
    assert compared == 8 * {"edge1": 1, "edge2": 2, "seg60": 8}[name]


@pytest.mark.parametrize("tokenizer", ["13a", "intl"])
@pytest.mark.parametrize("name", SETS)
def test_tokenizers_equal_sacrebleu(name, tokenizer):
    metric = Bleu(smooth="exp")
    preprocessing = f'case(tokenizer="{tokenizer}")'
    compared = 0
    for row in rows(f"bleu_nist/{name}.libraries.segment.tsv"):
        if row["program"] == f"sacrebleu tok={tokenizer} smooth=exp eff=no":
            own = statistics_of(name, row["hyp"], row["refs"], metric, preprocessing)[int(row["seg"]) - 1]
            assert float(row["score_0_100"]) == pytest.approx(100 * float(metric.score(own)), abs=1e-6)
            compared += 1
    assert compared


def test_statistics_of_any_partition_add_up_to_the_corpus():
    metric = Bleu()
    whole = statistics_of("seg60", "sys0", "0+1+2+3", metric)
    parts = np.split(whole, [7, 20, 21])

    assert whole.sum(axis=0).tolist() == sum(part.sum(axis=0) for part in parts).tolist()
