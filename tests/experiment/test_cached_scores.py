"""What a cache holds of one experiment is never taken for what another one needs."""

from __future__ import annotations

import pytest

import metaeval
from metaeval import store
from tests.crossings.corpora import make_corpus

DRAWN_TWICE = {"documents": {"kind": "all"}, "judgments": {"rule": "draw", "inter_judge": True}}
# A constant metric has a value here, since people tie some pairs.
WITH_TIES = {
    "documents": {"kind": "pseudo", "lengths": [2], "count": 15},
    "judgments": {"rule": "median"},
    "correlation": {"coefficients": ["pairwise-accuracy"]},
}


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    """Write a corpus of six systems beside an empty cache, which is on."""
    monkeypatch.setenv("METAEVAL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("METAEVAL_CACHE_LIMIT", "1G")
    return make_corpus(tmp_path / "made", n_documents=12, length=1, names_documents=False).directory


def correlate(corpus, without=(), **settings):
    settings = {"uncertainty": {"n_resamples": 60}, "tests": [], "filter": {"without": list(without)}, **settings}
    found = metaeval.correlate(corpus, ["precomputed:near"], **settings)
    columns = ["criterion", "metric", "mean", "lower", "upper"]
    return found.correlations[columns].to_dict("list")


def without_cache(*arguments, **settings):
    with store.nothing_kept():
        return correlate(*arguments, **settings)


def test_two_draws_of_a_criterion_are_not_those_of_another(corpus):
    expected = without_cache(corpus, **DRAWN_TWICE)
    assert {*zip(expected["criterion"], expected["metric"], strict=True)} >= {
        (criterion, "inter-judge") for criterion in ("adequacy", "errors")
    }
    assert correlate(corpus, **DRAWN_TWICE) == expected
    assert correlate(corpus, **DRAWN_TWICE) == expected


def test_two_draws_with_another_seed_are_others(corpus):
    first, second = (correlate(corpus, seed=seed, **DRAWN_TWICE) for seed in (1, 2))
    assert first != second
    assert second == without_cache(corpus, seed=2, **DRAWN_TWICE)


@pytest.mark.parametrize("settings", [DRAWN_TWICE, WITH_TIES], ids=["judges", "constant"])
def test_fewer_systems_have_scores_of_their_own(corpus, settings):
    correlate(corpus, **settings)
    assert correlate(corpus, ["S2"], **settings) == without_cache(corpus, ["S2"], **settings)


@pytest.mark.parametrize("documents", [{"kind": "all"}, {"kind": "pseudo", "lengths": [3], "count": 15}], ids=str)
def test_human_scores_to_the_last_bit_are_not_those_that_are_rounded(corpus, documents):
    # Means of z-scores are no round numbers. They are rounded, so that what is equal mathematically is equal.
    def replicates(ties):
        settings = {"documents": documents, "judgments": {"normalise": "z", "ties": ties}, "criteria": ["adequacy"]}
        settings |= {"uncertainty": {"n_resamples": 60, "method": "bootstrap"}, "tests": []}
        found = metaeval.correlate(corpus, ["precomputed:near"], **settings)
        return [array.tobytes() for name, array in sorted(found.arrays.items()) if "replicates" in name]

    rounded = replicates("rounded")
    with store.nothing_kept():
        expected = replicates("exact")
    assert replicates("exact") == expected != rounded
