"""A kind of documents that is drawn decides how, in replicates too."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import pearsonr

import metaeval
from metaeval.datamodel.corpus import Documents
from metaeval.runtime.randomness import generator
from metaeval.sampling.documents import Pseudo
from metaeval.sampling.resamples import draw_resamples
from tests.support.scores import human_means

COUNT, LENGTH, REPLICATES = 3, 7, 50


def test_replicates_of_a_drawn_kind_are_made_by_itself(monkeypatch):
    def firsts(self, corpus, segments, length, draw):
        """Make documents that are all the first segments: any other draw would show."""
        return Documents(indices=np.tile(np.arange(length, dtype=np.int32), (COUNT, 1)))

    monkeypatch.setattr(Pseudo, "make", firsts)
    found = metaeval.correlate(
        "demo",
        ["wer"],
        criteria=["adequacy"],
        documents={"kind": "pseudo", "lengths": [LENGTH], "count": COUNT},
        correlation={"coefficients": ["pearson"]},
        uncertainty={"n_resamples": REPLICATES, "method": "bootstrap", "resample": "segments"},
        tests=[],
    )
    (row,) = found.estimates
    corpus = metaeval.load_corpus("demo")
    human = human_means(corpus, "adequacy")
    scored = metaeval.score(["wer"], corpus, level="segment")["wer"]
    names = list(scored.statistic_names)
    edits, lengths = (scored.statistics[..., names.index(name)] for name in names[:2])

    def agreement(segments):
        # The word error rate of a document is its edits by its words; fewer are better.
        rate = edits[:, segments].sum(axis=1) / lengths[:, segments].sum(axis=1)
        return -pearsonr(rate, human[:, segments].mean(axis=1)).statistic

    everything = np.arange(corpus.n_segments)
    assert row.value == pytest.approx(agreement(everything[:LENGTH]), abs=1e-9)  # scores are rounded to 40 bits
    n_segments, n_systems = corpus.n_segments, len(corpus.systems)
    drawn = draw_resamples(
        "segments",
        n_segments,
        n_systems,
        REPLICATES,
        rng_segments=generator(1, "bootstrap", "segments"),
        rng_systems=generator(1, "bootstrap", "systems"),
    )
    expected = [agreement(np.repeat(everything, counts)[:LENGTH]) for counts in drawn.segments[:]]
    np.testing.assert_allclose(row.replicates, expected, atol=1e-9)
