"""Metrics that count the same n-grams are measured together."""

from __future__ import annotations

import numpy as np
import pytest

from metaeval.errors import MetricError
from metaeval.experiment.executor import Executor
from metaeval.experiment.measure import measure_all, measure_references, treat_all
from metaeval.metrics import get_metric
from metaeval.metrics.bleu import Bleu
from metaeval.metrics.contract import measure
from metaeval.parameters import Named
from metaeval.records import Corpus
from metaeval.sampling.references import ReferenceGroup, ReferenceSubset
from metaeval.text.preprocessing import get_preprocessing

NAMES = (
    "bleu(order=2)", "bleu", "bleu(smooth='exp')", "bleu(orders=[1,3])", "bleu(length='average')", "bleu(order=9)",
    "nist(order=1)", "nist", "nist(brevity=False)", "nist(order=2,information=False)", "wer",
)  # fmt: skip


METRICS = [Named(name, get_metric(name)) for name in NAMES]


def found_for(jobs, failures):
    corpus = Corpus.of_texts({"X": ["a b a", "b c d"], "Y": ["b a a b", ""]}, {"r": ["a b", "b c"], "s": ["a b", None]})
    treated = treat_all(corpus, [get_preprocessing("case")])
    groups = [ReferenceGroup("", (ReferenceSubset(("s",)), ReferenceSubset(("r", "s"))))]
    return treated["case"], measure_all(corpus, treated, groups, METRICS, Executor(jobs), failures)


@pytest.mark.parametrize("jobs", [1, 2])
def test_each_metric_has_the_statistics_that_it_has_alone(jobs, monkeypatch):
    monkeypatch.setenv("METAEVAL_CACHE_LIMIT", "0")
    texts, together = found_for(jobs, None)
    assert len(together) == 2 * len(NAMES)
    for one in together:
        alone = measure(one.named.kind, texts.candidates, [texts.references[name] for name in one.subset.names])
        assert one.statistics.names == alone.names
        np.testing.assert_array_equal(one.statistics.values, alone.values)
    for subset in {one.subset for one in together}:
        (table,) = {id(one.statistics.table): one.statistics.table for one in together if one.subset == subset}.values()
        assert len({column.tobytes() for column in np.moveaxis(table, -1, 0)}) == table.shape[-1]


def test_a_reference_has_the_statistics_that_it_has_alone():
    corpus = Corpus.of_texts(
        {"X": ["a b a", "b c d"]}, {"r": ["a b a", "b c"], "s": ["a b", "c b c"], "t": ["b a", ""]}
    )
    treated = treat_all(corpus, [get_preprocessing("case")])
    texts, subsets = treated["case"].references, (ReferenceSubset(("s", "t")), ReferenceSubset(("r",)))
    found = measure_references(corpus, treated, [ReferenceGroup("", subsets, left_out=("r", "s"))], METRICS, {})
    assert [(one.measured.named, one.name) for one in found] == [(named, name) for named in METRICS for name in "rs"]
    for name, one in ((one.name, one.measured) for one in found):
        alone = measure(one.named.kind, [texts[name]], [texts[other] for other in one.subset.names])
        assert one.statistics.names == alone.names
        np.testing.assert_array_equal(one.statistics.values, alone.values)


def test_a_metric_fails_with_the_one_that_it_is_measured_with(monkeypatch):
    def fail(self, *_):
        raise MetricError("no")

    monkeypatch.setenv("METAEVAL_CACHE_LIMIT", "0")
    monkeypatch.setattr(Bleu, "combine_all", fail)
    failures: dict = {}
    found_for(1, failures)
    assert [named.written[:4] for named in failures] == ["bleu"] * 6
