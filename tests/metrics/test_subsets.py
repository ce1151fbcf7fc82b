"""Reference subsets: what is compared once and chosen for each subset equals what each subset gives by itself."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from metaeval.components.registries import METRICS
from metaeval.metrics import get_metric
from metaeval.metrics.contract import measure, measure_subsets
from metaeval.metrics.reference_metric import ByReference, PairMetric
from metaeval.metrics.text_metric import TextMetric
from metaeval.text.encoding import encode
from metaeval.text.preprocessing import get_preprocessing

TEXTS = {
    "candidate 1": ["the cat sat on the mat", "a a a b", "", None, "so it goes"],
    "candidate 2": ["on the mat sat the cat", "a b", "x", "four", "so so"],
    "ref 1": ["the cat sat on a mat", "a b a b", "one", "four or five", None],
    "ref 2": ["a cat was sitting on the mat", None, "", "four", None],
    "ref 3": ["the mat", "a a", "x y", "", "it goes so"],
}
VARIANTS = [
    "bleu(orders=[2,3],length='average',smooth='add-k')",
    "wer(ties='first')",
    "wer(normalise='closest')",
    "per(normalise='average')",
    "ter(normalise='closest')",
    "rouge-l(formula='A')",
    "rouge-l(formula='B',pooling='counts')",
    "rouge-s(skip=4,unigram=True)",
]


# Metrics that read texts are measured in another way.
OF_TOKENS = [name for name in METRICS if not issubclass(METRICS[name], TextMetric)]


SYSTEMS = ("candidate 1", "candidate 2")


@pytest.mark.parametrize("name", [*OF_TOKENS, *VARIANTS])
def test_a_subset_has_the_statistics_that_it_has_alone(name):
    metric = get_metric(name)
    encoded = dict(zip(TEXTS, encode(get_preprocessing("case"), list(TEXTS.values())), strict=True))
    candidates = [encoded[name] for name in SYSTEMS]
    references = {text: encoded[text] for text in ("ref 1", "ref 2", "ref 3")}
    subsets = [subset for size in (1, 2, 3) for subset in itertools.permutations(references, size)]
    found = measure_subsets(metric, candidates, references, subsets)
    for subset, statistics in zip(subsets, found, strict=True):
        alone = measure(metric, candidates, [references[text] for text in subset])
        np.testing.assert_array_equal(statistics.values, alone.values)
        # What is absent has no statistics and no score, and all else has both.
        present = np.any([references[text].present for text in subset], axis=0)
        absent = [
            [text is None or not here for text, here in zip(TEXTS[name], present, strict=True)] for name in SYSTEMS
        ]
        assert np.isnan(statistics.values).all(axis=-1).tolist() == absent
        assert np.isnan(statistics.values).any(axis=-1).tolist() == absent
        assert np.isnan(metric.score(statistics.values[absent])).all()


@pytest.mark.parametrize("memory", [1, 4000, 9000])
@pytest.mark.parametrize("name", [*OF_TOKENS, *VARIANTS])
def test_systems_and_segments_that_are_compared_in_parts_have_the_same_statistics(name, memory):
    metric = get_metric(name)
    encoded = dict(zip(TEXTS, encode(get_preprocessing("case"), list(TEXTS.values())), strict=True))
    candidates, references = [encoded[name] for name in SYSTEMS], {text: encoded[text] for text in ("ref 1", "ref 2")}
    subsets = [("ref 1", "ref 2"), ("ref 2",)]
    expected = measure_subsets(metric, candidates, references, subsets)
    found = measure_subsets(metric, candidates, references, subsets, memory)
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_array_equal(one.values, other.values)


@pytest.mark.parametrize("name", ["bleu", "wer", "per", "ter", "rouge-l", "rouge-w", "rouge-s"])
def test_references_are_compared_once_for_all_subsets(name, monkeypatch):
    metric = get_metric(name)
    assert isinstance(metric, ByReference)
    seen, compare_all = [], type(metric).compare_all

    def counting(self, candidates, references):
        seen.extend(references)
        return compare_all(self, candidates, references)

    monkeypatch.setattr(type(metric), "compare_all", counting)
    encoded = dict(zip(TEXTS, encode(get_preprocessing("case"), list(TEXTS.values())), strict=True))
    references = {text: encoded[text] for text in ("ref 1", "ref 2", "ref 3")}
    subsets = [subset for size in (1, 2, 3) for subset in itertools.combinations(references, size)]
    measure_subsets(metric, [encoded["candidate 2"]], references, subsets)
    assert len(seen) == 3


class FirstToken(PairMetric[list[int]]):
    """Whether two texts begin alike: a metric of somebody who wrote no kernel."""

    statistic_names = ("same", "count")

    def compare(self, candidate, reference):
        return (float(candidate[:1] == reference[:1]),)

    def combine(self, pairs):
        best = np.nanmax(pairs[..., 0], axis=0)
        return np.stack([best, np.ones_like(best)], axis=1)


def test_a_comparison_of_two_segments_needs_no_kernel():
    encoded = dict(zip(TEXTS, encode(get_preprocessing("case"), list(TEXTS.values())), strict=True))
    found = measure(FirstToken(), [encoded["candidate 1"]], [encoded["ref 1"], encoded["ref 2"]])
    # "the", as the first reference; "a", as the first; nothing, as the second; no text; no reference.
    assert found.values[0, :3].tolist() == [[1, 1], [1, 1], [1, 1]]
    assert np.isnan(found.values[0, 3:]).all()
    alone = measure(FirstToken(), [encoded["candidate 1"]], [encoded["ref 2"]])
    assert alone.values[0, 0].tolist() == [0, 1]
