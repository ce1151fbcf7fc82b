"""The one call from texts to a table with intervals, and its records."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import metaeval
from metaeval.errors import UsageError
from tests.support.grids import grid_of

SMALL = {"n_resamples": 60}


@pytest.fixture(scope="module")
def found():
    settings = {"preprocessing": ["case"], "uncertainty": SMALL, "tests": [{"method": "bootstrap"}]}
    return metaeval.correlate("demo", ["bleu(order=1)", "ter"], **settings)


def test_it_equals_the_run_of_the_same_settings(tmp_path, found):
    run = metaeval.run(
        "system-level",
        overrides=[
            'metrics=["bleu(order=1)", "ter"]',
            'preprocessing=["case"]',
            "uncertainty.n_resamples=60",
            'tests=[{method="bootstrap"}]',
        ],
        output=tmp_path / "run",
    )
    assert run.correlations.equals(found.correlations)
    assert run.tests.equals(found.tests)
    assert run.influence.equals(found.influence)
    assert (run.directory / "influence.tsv").read_text().count("\n") == len(found.influence) + 1


def test_records_hold_a_number_and_all_that_is_known_of_it(found):
    one = found.estimates[0]
    assert (one.metric, one.criterion, one.coefficient, one.length) == ("bleu(order=1)", "adequacy", "pearson", 120)
    assert one.lower < one.value < one.upper
    assert one.replicates.shape == (60,)
    assert (one.n_used, one.n_undefined, str(one.undefined), one.replicates_undefined) == (1, 0, "", 0)
    assert one.signature == found.correlations["signature"][0]
    with pytest.raises(AttributeError):
        one.value = 1.0
    assert found.to_frame()["mean"].tolist() == found.correlations["mean"].tolist()


def test_tables_show_limits_and_mark_the_best_and_its_equals(found):
    text, latex, markdown = str(found), found.to_latex(), found.to_markdown()
    bleu = found.correlations.iloc[0]
    cell = f"{bleu['mean']:.3f} [{bleu['lower']:.3f}, {bleu['upper']:.3f}]"
    assert cell in text
    assert cell in latex
    assert cell in markdown
    best = found.rankings.query("method == 'intervals' and top_cluster")
    assert text.count("]*") == len(best) > 0
    assert latex.count(r"\toprule") == 1
    assert "n_resamples" not in text


def test_influence_of_single_systems_equals_scipy_without_them(found):
    corpus = metaeval.load_corpus("demo")
    grid = grid_of(found, criterion="fluency")
    metric, human = grid.scores("ter")[0], grid.human[0]
    rows = found.influence.query("metric == 'ter' and criterion == 'fluency' and coefficient == 'pearson'")
    by_name = {row["left_out"]: row for row in rows.to_dict("records")}
    for place, name in enumerate(corpus.systems):
        row = by_name[name]
        expected = -stats.pearsonr(np.delete(metric, place), np.delete(human, place)).statistic
        assert row["value"] == pytest.approx(expected, abs=1e-12)
        assert row["n_systems"] == 7
    best = np.argsort(-human)[:4]
    (row,) = rows.query("systems == 'best 4'").to_dict("records")
    assert row["value"] == pytest.approx(-stats.pearsonr(metric[best], human[best]).statistic, abs=1e-12)
    whole = -stats.pearsonr(metric, human).statistic
    assert row["change"] == pytest.approx(row["value"] - whole, abs=1e-12)


def test_settings_of_a_table_add_to_the_defaults(found):
    settings = {"uncertainty": {**SMALL, "resample": "segments"}, "criteria": ["fluency"]}
    other = metaeval.correlate("demo", "ter", **settings)
    assert "docs:all" in other.estimates[0].signature
    assert "interval:denoised(0.95)|resample:segments|resamples:60" in other.estimates[0].signature
    # One metric is in no pair, though there is a test by default.
    assert len(other.tests) == 0
    assert len(metaeval.correlate("demo", ["ter", "bleu"], **settings).tests) == 2
    assert len(metaeval.correlate("demo", ["ter", "bleu"], tests=[], **settings).tests) == 0
    with pytest.raises(UsageError, match=r"correlate: `uncertainty`: unknown key 'n'"):
        metaeval.correlate("demo", "ter", uncertainty={"n": 3})
    with pytest.raises(UsageError, match=r"`uncertainty` must be a table; got 3"):
        metaeval.correlate("demo", "ter", uncertainty=3)
