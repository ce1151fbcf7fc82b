"""Metrics that count the same n-grams are measured together."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from metaeval.datamodel.corpus import Corpus
from metaeval.errors import MetricError
from metaeval.experiment.measure import measure_all, measure_references, treat_all
from metaeval.metrics import contract, get_metric
from metaeval.metrics.contract import measure
from metaeval.metrics.ngram_metric import JointCounter, NgramCounter
from metaeval.parameters.calls import Signature
from metaeval.parameters.fields import Named
from metaeval.runtime.parallel import Executor
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
        (table,) = {one.statistics.tables for one in together if one.subset == subset and one.named.written != "wer"}
        # Matches of orders 1 to 9, information of 1 to 5, n-grams of 1 to 9, two rules for the length, and one length.
        assert [one.values.shape[-1] for one in table] == [9 + 5 + 9 + 2 + 1]


def counting(monkeypatch):
    """Return a list that gets what counts, each time that it does."""
    counters = []

    def measure_subsets(metric, *others):
        counters.append(metric)
        return contract.measure_subsets(metric, *others)

    monkeypatch.setenv("METAEVAL_CACHE_LIMIT", "0")
    monkeypatch.setattr("metaeval.experiment.measure.measure_subsets", measure_subsets)
    return counters


def named(*names):
    return [Named(name, get_metric(name)) for name in names]


def measured(corpus, metrics, counted, **options):
    treated = treat_all(corpus, [get_preprocessing("case")])
    group = ReferenceGroup("", (ReferenceSubset(("r",)),))
    found = measure_all(corpus, treated, [group], metrics, counted=counted, **options)
    for one in found:
        alone = measure(one.named.kind, treated["case"].candidates, [treated["case"].references["r"]])
        np.testing.assert_array_equal(one.statistics.values, alone.values)
    return found


def test_what_was_counted_is_not_counted_again(monkeypatch):
    corpus = Corpus.of_texts({"X": ["a b a", "b c d"], "Y": ["b a a b", ""]}, {"r": ["a b", "b c"]})
    counters, counted = counting(monkeypatch), {}
    measured(corpus, named("bleu(order=2)", "gtm"), counted)
    assert [[*map(str, one.statistic_keys)] for one in counters if isinstance(one, JointCounter)] == [
        ["matches_1", "matches_2", "totals_1", "totals_2", "candidate_length", "reference_length(closest)"]
    ]
    counters.clear()
    # The first two need nothing more, and the others share what is new; GTM has counted the average length.
    measured(corpus, named("bleu(order=1)", "gtm(mean='recall')", "bleu(order=3)", "nist(order=1)"), counted)
    (joint,) = counters
    assert [*map(str, joint.statistic_keys)] == ["matches_3", "totals_3", "information_1"]
    counters.clear()
    measured(corpus, named("bleu(order=3,length='shortest')"), counted)
    (joint,) = counters
    assert [*map(str, joint.statistic_keys)] == ["reference_length(shortest)"]
    counters.clear()
    # Other texts are counted.
    other = replace(Corpus.of_texts({"X": ["c", "c"], "Y": ["b", "c"]}, {"r": ["c", "b"]}), digest="other")
    measured(other, named("bleu(order=2)"), counted)
    assert len(counters) == 1


def test_what_takes_more_than_a_quarter_of_the_memory_is_not_held(monkeypatch):
    corpus = Corpus.of_texts({"X": ["a b a", "b c d"], "Y": ["b a a b", ""]}, {"r": ["a b", "b c"]})
    counters, counted = counting(monkeypatch), {}
    # Two systems with two segments, and six columns of eight bytes: 192 bytes.
    for memory, n_times in ((4 * 192, 1), (4 * 192 - 1, 2)):
        counters.clear()
        counted.clear()
        for _ in range(2):
            measured(corpus, named("bleu(order=2)"), counted, executor=Executor(1, memory=memory))
        assert len(counters) == n_times


def test_metrics_of_others_share_nothing():
    @dataclass(frozen=True)
    class Length:
        statistic_names = ("candidate_length", "reference_length")
        signature = Signature("length")

        def prepare(self, references):
            return None

        def statistics(self, candidates, prepared):
            return np.tile([7.0, 8.0], (len(candidates), 1))

    corpus = Corpus.of_texts({"X": ["a b a", "b c d"]}, {"r": ["a b", "b c"]})
    found = measured(corpus, [*named("bleu"), Named("mine", Length())], {})
    assert found[1].statistics.values.tolist() == [[[7, 8], [7, 8]]]
    assert not {*found[0].statistics.tables} & {*found[1].statistics.tables}


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
        raise MetricError("n-gram metrics: no")

    monkeypatch.setenv("METAEVAL_CACHE_LIMIT", "0")
    monkeypatch.setattr(NgramCounter, "combine_all", fail)
    failures: dict = {}
    found_for(1, failures)
    # Each by its own name, with the place.
    expected = {name: f"metric {name!r}, system 'X', preprocessing 'case': no" for name in NAMES[:-1]}
    assert {named.written: message for named, message in failures.items()} == expected
