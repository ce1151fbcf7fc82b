"""GTM against the General Text Matcher 1.4 and an oracle by integer programming (README of the gold)."""

from __future__ import annotations

from functools import cache

import pytest

from metaeval.datamodel.corpus import FloatArray
from metaeval.metrics.gtm import Gtm
from tests.support.gold import inputs, rows

N_SEGMENT_ROWS = {"edge1": 135, "edge2": 225, "seg60": 4320}
N_ORACLE_ROWS = {"edge1": 135, "edge2": 75, "seg60": 240}


@cache
def statistics(name: str, candidate: str, references: str, metric: Gtm) -> FloatArray:
    candidates, known = inputs(name)
    prepared = metric.prepare([known[reference] for reference in references.split("+")])
    return metric.statistics(candidates[candidate], prepared)


@pytest.mark.parametrize("name", N_SEGMENT_ROWS)
def test_segments_equal_gtm(name):
    table = rows(f"gtm/{name}.gtm14.segment.tsv")
    assert len(table) == N_SEGMENT_ROWS[name]
    for row in table:
        e = float(row["e"])
        own = statistics(name, row["hyp"], row["refs"], Gtm(exponent=e))[int(row["seg"]) - 1]
        expected = [float(row[key]) for key in ("match_size", "len_hyp", "len_ref_mean", "P", "R", "F")]
        scores = [float(Gtm(exponent=e, mean=mean).score(own)) for mean in ("precision", "recall", "f")]
        assert expected == pytest.approx([*own, *scores], abs=1e-9)


@pytest.mark.parametrize("name", N_SEGMENT_ROWS)
def test_corpora_equal_gtm(name):
    for row in rows(f"gtm/{name}.gtm14.corpus.tsv"):
        e = float(row["e"])
        pooled = statistics(name, row["hyp"], row["refs"], Gtm(exponent=e)).sum(axis=0)
        expected = [float(row[key]) for key in ("sum_match_size", "len_hyp", "len_ref_mean_sum", "P", "R", "F")]
        scores = [float(Gtm(exponent=e, mean=mean).score(pooled)) for mean in ("precision", "recall", "f")]
        assert expected == pytest.approx([*pooled, *scores], abs=1e-9)


@pytest.mark.parametrize("name", N_ORACLE_ROWS)
def test_searches_and_caps_equal_the_oracle(name):
    table = rows(f"gtm/{name}.exact_oracle.segment.tsv")
    assert len(table) == N_ORACLE_ROWS[name]
    for row in table:
        e = float(row["e"])
        variants = {
            "greedy_capped_float": Gtm(exponent=e),
            "greedy_capped_floor": Gtm(exponent=e, cap="whole"),
            "exact_capped_floor": Gtm(exponent=e, cap="whole", search="exact"),
        }
        for column, metric in variants.items():
            own = statistics(name, row["hyp"], row["refs"], metric)[int(row["seg"]) - 1]
            assert float(row[column]) == pytest.approx(own[0] ** e, abs=1e-6, rel=1e-9), (row, column)
            assert own[3:].sum() == 0
        # The largest matching without a cap is that with a cap that does not bind.
        if float(row["cap"]) >= float(row["exact_uncapped"]) ** (1 / e):
            assert float(row["exact_uncapped"]) >= float(row["exact_capped_floor"])
