"""WER and PER against WER.pl and PER.pl 1.0, jiwer 4.0.0, rapidfuzz 3.14.6 and an oracle for several references.

Origin of the figures: README of the gold.
"""

from __future__ import annotations

from functools import cache

import pytest

from metaeval.datamodel.corpus import FloatArray
from metaeval.metrics import get_metric
from metaeval.metrics.error_rate import ErrorRate
from metaeval.metrics.per import Per
from metaeval.metrics.wer import Wer
from tests.support.gold import inputs, rows

N_SINGLE_ROWS = {"edge1": 45, "edge2": 50, "seg60": 960}
N_SEVERAL_ROWS = {"edge2": 50, "seg60": 480}
TOLERANCE = 1e-9

# Columns of the figures for several references: corpus rate, edits and length of a segment, and the parameters. The
# gold keeps the first of equally good references.
VARIANTS = {
    "rate_min": ("rate_min_num", "rate_min_den", "references='lowest-rate',ties='first'"),
    "rate_argmin": ("min_edits", "argmin_first_len", "ties='first'"),
    "rate_avg": ("min_edits", "avg_len", "normalise='average'"),
    "rate_closest": ("min_edits", "closest_len", "normalise='closest'"),
    "rate_shortest": ("min_edits", "shortest_len", "normalise='shortest'"),
    "rate_longest": ("min_edits", "longest_len", "normalise='longest'"),
}
NAMES = {"mWER": "wer", "mPER": "per"}


@cache
def statistics(name: str, candidate: str, references: str, metric: ErrorRate) -> FloatArray:
    candidates, known = inputs(name)
    chosen = sorted(known) if references == "all" else references.split("+")
    return metric.statistics(candidates[candidate], metric.prepare([known[reference] for reference in chosen]))


@pytest.mark.parametrize("name", N_SINGLE_ROWS)
def test_segments_with_one_reference(name):
    table = rows(f"wer_per/{name}.single_ref.segment.tsv")
    assert len(table) == N_SINGLE_ROWS[name]
    for row in table:
        for metric, edits, rate in ((Wer(), "edits", "WER"), (Per(), "per_dist", "PER")):
            own = statistics(name, row["hyp"], row["ref"], metric)[int(row["seg"]) - 1]

            assert [float(row[edits]), float(row["len_ref"])] == own.tolist()
            assert float(row[rate]) == pytest.approx(float(metric.score(own)), abs=TOLERANCE)


@pytest.mark.parametrize("name", N_SINGLE_ROWS)
def test_corpora_with_one_reference(name):
    table = rows(f"wer_per/{name}.single_ref.corpus.tsv")
    assert len(table) == {"edge1": 1, "edge2": 2, "seg60": 16}[name]
    for row in table:
        wer, per = (statistics(name, row["hyp"], row["ref"], metric) for metric in (Wer(), Per()))

        assert [float(row["edits"]), float(row["ref_words"])] == wer.sum(axis=0).tolist()
        assert float(row["WER_micro"]) == pytest.approx(float(Wer().score(wer.sum(axis=0))), abs=TOLERANCE)
        assert float(row["WER_jiwer"]) == pytest.approx(float(Wer().score(wer.sum(axis=0))), abs=TOLERANCE)
        assert float(row["WER_macro"]) == pytest.approx(float(Wer().score(wer).mean()), abs=TOLERANCE)
        pooled = float(Per().score(per.sum(axis=0)))
        assert float(row["PER_micro_sum_of_segments"]) == pytest.approx(pooled, abs=TOLERANCE)
        assert float(row["PER_macro"]) == pytest.approx(float(Per().score(per).mean()), abs=TOLERANCE)
        # Surpluses of whole corpora cancel out: another, lower figure.
        assert float(row["PER_UA_script_corpus"]) < pooled


@pytest.mark.parametrize("column", VARIANTS)
@pytest.mark.parametrize("name", N_SEVERAL_ROWS)
def test_several_references_with_every_denominator(name, column):
    edits, length, parameters = VARIANTS[column]
    table = rows(f"wer_per/{name}.multi_ref.segment.tsv")
    assert len(table) == N_SEVERAL_ROWS[name]
    for row in table:
        metric = get_metric(f"{NAMES[row['metric']]}({parameters})")
        own = statistics(name, row["hyp"], "all", metric)[int(row["seg"]) - 1]
        assert [float(row[edits]), float(row[length])] == own.tolist()
    table = rows(f"wer_per/{name}.multi_ref.corpus.tsv")
    assert len(table) == {"edge2": 2, "seg60": 8}[name]
    for row in table:
        metric = get_metric(f"{NAMES[row['metric']]}({parameters})")
        pooled = statistics(name, row["hyp"], "all", metric).sum(axis=0)
        assert float(row[column]) == pytest.approx(float(metric.score(pooled)), abs=TOLERANCE)
        if edits == "min_edits":
            assert float(row["min_edits"]) == pooled[0]


@pytest.mark.parametrize("name", N_SEVERAL_ROWS)
@pytest.mark.parametrize(("metric", "column"), [("wer", "edits"), ("per", "per_dist")])
def test_ties_between_references_are_settled_without_their_order(name, metric, column):
    # From the gold's edits and lengths of each single reference: fewest edits, then the longest of those; lowest rate,
    # then the fewest edits. The gold's figures for several references take the first instead.
    pairs: dict[tuple[str, int], list[tuple[float, float]]] = {}
    for row in rows(f"wer_per/{name}.single_ref.segment.tsv"):
        pairs.setdefault((row["hyp"], int(row["seg"])), []).append((float(row[column]), float(row["len_ref"])))
    fewest, lowest = get_metric(metric), get_metric(f"{metric}(references='lowest-rate')")
    n_ties = 0
    for (candidate, segment), of_references in pairs.items():
        by_edits = min(of_references, key=lambda pair: (pair[0], -pair[1]))
        by_rate = min(of_references, key=lambda pair: (pair[0] / pair[1], pair[0]))
        assert list(by_edits) == statistics(name, candidate, "all", fewest)[segment - 1].tolist()
        assert list(by_rate) == statistics(name, candidate, "all", lowest)[segment - 1].tolist()
        n_ties += by_edits[1] != next(length for edits, length in of_references if edits == by_edits[0])
    assert n_ties > 0
