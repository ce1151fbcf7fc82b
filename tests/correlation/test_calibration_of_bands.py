"""The calibration of bands counts what it says, on a few corpora."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.scripts import load_script


@pytest.fixture
def script():
    return load_script("calibrate_bands")


def test_metrics_are_equal_among_the_good_and_differ_among_the_bad(script):
    corpus = script.made(script.DESIGNS[0], np.random.default_rng(1))
    first, second, quality = corpus.true
    assert (first[4:] == second[4:]).all()
    # People put the four bad systems at -4 to -1; the second metric takes them for as good as the worst good one.
    assert quality[:4].tolist() == first[:4].tolist() == [-4, -3, -2, -1]
    assert second[:4].tolist() == [0, 0, 0, 0]


def test_the_noise_of_a_system_is_that_of_its_documents(script):
    # Half of the variance of a document is shared by people and metrics: of 25 documents, 1/25 in all, 1/50 shared.
    corpus = script.made(script.DESIGNS[0], np.random.default_rng(1))
    scores = script.drawn(corpus, 25, 20_000, np.random.default_rng(2))
    noise = scores - corpus.true
    assert noise.var() == pytest.approx(1 / 25, rel=0.03)
    assert (noise[:, 0] * noise[:, -1]).mean() == pytest.approx(1 / 50, rel=0.05)


def test_metrics_that_are_equal_among_all_are_so(script):
    design = script.DESIGNS[5]
    assert design.truth == "equal among all"
    corpus = script.made(design, np.random.default_rng(3))
    scores = script.drawn(corpus, design.documents, 4000, np.random.default_rng(4))
    everything = np.ones(15, dtype=bool)
    first, second = (script.pearson_of(scores, metric, everything).mean() for metric in (0, 1))
    assert first == pytest.approx(second, abs=0.01)


def test_rows_have_a_rate_for_each_column(script):
    row = script.order_row(script.DESIGNS[0], sets=3, seed=1)
    assert len(row) == len(script.ORDER_HEAD)
    assert all(0 <= float(rate) <= 100 for rate in row[5:])
    row = script.range_row(script.RANGE_DESIGNS[3], sets=3, seed=1)
    assert len(row) == len(script.RANGE_HEAD)
