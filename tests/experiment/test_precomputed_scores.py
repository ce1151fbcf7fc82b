"""Scores that came with a corpus, in experiments: to the last bit, and those of whole systems as they were given."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr

from metaeval import api
from metaeval.results.rows import Undefined
from tests.support.corpus import TOML, write
from tests.support.gold import of_others

TOGETHER = {"uncertainty": {"method": "none"}, "criteria": ["adequacy"]}
# Of four segments, from 1e-101 to 1e-21: no sum could be rounded to a common grid without losing their order.
TAILS = {"A": ["3e-101", "2e-60", "5e-40", "1e-21"], "B": ["1e-101", "3e-60", "4e-40", "2e-21"]}
TAILS["C"] = ["2e-101", "1e-60", "6e-40", "3e-21"]
PEOPLE = {"A": [5, 4, 4, 1], "B": [1, 5, 2, 2], "C": [3, 1, 5, 5]}


def tiny(directory, **scores):
    judged = [f"{k + 1}\t{name}\tann\tadequacy\t{value}" for name, row in PEOPLE.items() for k, value in enumerate(row)]
    given = [f"{name}\t{k + 1}\t{value}" for name, row in TAILS.items() for k, value in enumerate(row)]
    return write(
        directory / "tiny",
        corpus=TOML,
        judgments="\n".join(["segment\tsystem\tjudge\tcriterion\tscore", *judged]) + "\n",
        metrics__mine="\n".join(["system\tsegment\tscore", *given]) + "\n",
        **{f"metrics__{name}.system": text for name, text in scores.items()},
    )


def test_single_scores_of_very_different_sizes_keep_their_order(tmp_path):
    found = api.correlate(
        tiny(tmp_path),
        "precomputed:mine",
        documents={"kind": "segments"},
        correlation={"coefficients": ["kendall", "spearman"]},
        **TOGETHER,
    ).correlations
    taus = [
        kendalltau([float(TAILS[name][k]) for name in "ABC"], [PEOPLE[name][k] for name in "ABC"]).statistic
        for k in range(4)
    ]
    assert found.set_index("coefficient").loc["kendall", "mean"] == pytest.approx(np.mean(taus), abs=1e-12)
    assert found["n_undefined"].tolist() == [0, 0]


def test_documents_of_scores_of_very_different_sizes_keep_their_order(tmp_path):
    # The mean of all four segments is a quarter of the last score, to 19 digits: 1, 2, 3 times 1e-21.
    found = api.correlate(tiny(tmp_path), "precomputed:mine", documents={"kind": "all"}, **TOGETHER).estimates
    people = [np.mean(PEOPLE[name]) for name in "ABC"]
    (value,) = (one.value for one in found if one.coefficient == "pearson")
    assert value == pytest.approx(pearsonr([1, 2, 3], people).statistic, abs=1e-9)


def test_means_of_scores_of_both_signs_are_equal_where_they_are_mathematically(tmp_path):
    # Each row adds up to 0, in floating point to 5.6e-17, -2.8e-17 and 2.8e-17.
    rows = {"A": (0.1, 0.2, -0.3, 0), "B": (0.3, -0.2, -0.1, 0), "C": (-0.3, 0.2, 0.1, 0)}
    corpus = tiny(tmp_path)
    given = [f"{name}\t{k + 1}\t{value}" for name, row in rows.items() for k, value in enumerate(row)]
    (corpus / "metrics" / "mine.tsv").write_text("\n".join(["system\tsegment\tscore", *given]) + "\n")
    found = api.correlate(corpus, "precomputed:mine", documents={"kind": "all"}, **TOGETHER).estimates
    assert all(one.undefined == Undefined(metric_constant=1) for one in found)


def test_whole_systems_have_the_scores_that_were_given_for_them(tmp_path):
    corpus = tiny(tmp_path, mine="system\tscore\nA\t7\nB\t1\nC\t3\n")
    people = [np.mean(PEOPLE[name]) for name in "ABC"]
    both = api.correlate(
        corpus, ["precomputed:mine", 'precomputed:mine(system="mean")'], documents={"kind": "all"}, **TOGETHER
    )
    value = {one.metric: one.value for one in both.estimates if one.coefficient == "pearson"}
    assert value["precomputed:mine"] == pytest.approx(pearsonr([7, 1, 3], people).statistic, abs=1e-9)
    assert value['precomputed:mine(system="mean")'] == pytest.approx(pearsonr([1, 2, 3], people).statistic, abs=1e-9)
    assert [
        text
        for text in both.warnings
        if text.startswith("precomputed:mine: the scores stored for whole systems are used")
    ]
    # On segments those of segments serve, and nothing needs to be said.
    single = api.correlate(corpus, "precomputed:mine", documents={"kind": "segments"}, **TOGETHER)
    assert not any("system-level" in text for text in single.warnings)
    assert all(math.isfinite(one.value) for one in single.estimates)


def test_a_metric_that_lacks_a_system_is_left_out_there(tmp_path):
    corpus = tiny(tmp_path, mine="system\tscore\nA\t7\nB\t1\n", other="system\tscore\nA\t7\n")
    metrics = ["precomputed:mine", "precomputed:other", 'precomputed:mine(system="mean")']
    settings = {**TOGETHER, "tests": [{"method": "bootstrap"}], "uncertainty": {"resample": "systems"}}
    found = api.correlate(corpus, metrics, documents={"kind": "all"}, **settings)
    # A metric of one system is left out; one of two correlates across these, and is in no test.
    assert found.failures == (
        "tiny: left out: the scores 'other' of corpus 'tiny' lack the systems 'B', 'C'; they have 'A'.",
    )
    rows = {(one.metric, one.coefficient): one for one in found.estimates}
    people = [np.mean(PEOPLE[name]) for name in "AB"]
    assert rows["precomputed:mine", "pearson"].value == np.sign(people[0] - people[1])
    (test,) = found.tests[found.tests["coefficient"] == "pearson"].to_dict("records")
    assert math.isnan(test["p"])
    assert test["untested_because"] == "one of them lacks scores of some system"
    assert any("has no scores of 'C'" in text for text in found.warnings)


def test_stored_scores_have_no_interval_over_segments(tmp_path):
    scores = "system\tscore\nA\t7\nB\t1\nC\t3\n"
    corpus = tiny(tmp_path, one=scores, two=scores.replace("7", "2"))
    settings = {**TOGETHER, "uncertainty": {"method": "bootstrap", "n_resamples": 20}}
    found = api.correlate(corpus, ["precomputed:one", "precomputed:two"], documents={"kind": "all"}, **settings)
    reason = "scores of whole systems alone have no replicates over segments"
    (told,) = [text for text in found.warnings if reason in text]
    assert "4 of 4 coefficients have no confidence interval" in told
    settings["uncertainty"]["resample"] = "systems"
    found = api.correlate(corpus, ["precomputed:one", "precomputed:two"], documents={"kind": "all"}, **settings)
    assert not any(reason in text for text in found.warnings)


def test_published_scores_keep_their_digits_and_their_segments_are_drawn_again(tmp_path):
    # The means of A, B and C are 2.25, 1.375 and 3; that of B was published with two digits.
    scores = {"A": (2, 2.5, 2.25, 2.25), "B": (1, 1, 2, 1.5), "C": (4, 3, 2, 3)}
    rows = [f"{name}\t{k}\t{value}" for name, row in scores.items() for k, value in enumerate(row, start=1)]
    published = "system\tscore\nA\t2.25\nB\t1.38\nC\t3\n"
    corpus = tiny(tmp_path, mine=published)
    (corpus / "metrics" / "mine.tsv").write_text("\n".join(["system\tsegment\tscore", *rows]) + "\n", encoding="utf-8")
    found = {}
    for system in ("stored", "mean"):
        settings = {
            "documents": {"kind": "all"},
            "correlation": {"coefficients": ["pearson"]},
            "criteria": ["adequacy"],
        }
        name = f'precomputed:mine(system="{system}")'
        found[system] = api.correlate(corpus, name, uncertainty={"n_resamples": 60, "method": "bootstrap"}, **settings)
    people = [np.mean(PEOPLE[name]) for name in "ABC"]
    values = {name: one.correlations["mean"].item() for name, one in found.items()}
    assert values["stored"] == pytest.approx(pearsonr([2.25, 1.38, 3], people).statistic, abs=1e-12)
    assert values["mean"] == pytest.approx(pearsonr([2.25, 1.375, 3], people).statistic, abs=1e-12)
    stored, mean = (found[name].estimates[0].replicates for name in ("stored", "mean"))
    assert np.isfinite(stored).any()
    np.testing.assert_array_equal(stored, mean)


@pytest.mark.parametrize(("ties", "accuracy"), [("rounded", 2 / 3), ("exact", 1.0)])
def test_human_scores_that_differ_by_rounding_only_are_tied_unless_exact(tmp_path, ties, accuracy):
    # One segment: people give -66.2, the same sum added in another order, and 0; the metric has 1, 2, 3. Of three pairs
    # the first is tied by people and not by the metric, or it is ordered alike.
    people = {"A": "-66.2", "B": "-66.19999999999999", "C": "0"}
    judged = [f"1\t{name}\tann\tadequacy\t{value}" for name, value in people.items()]
    corpus = write(
        tmp_path / "sums",
        corpus=TOML.replace("low = 1", "low = -100"),
        judgments="\n".join(["segment\tsystem\tjudge\tcriterion\tscore", *judged]) + "\n",
        metrics__mine="system\tsegment\tscore\nA\t1\t1\nB\t1\t2\nC\t1\t3\n",
    )
    found = api.correlate(
        corpus,
        "precomputed:mine",
        documents={"kind": "segments"},
        judgments={"ties": ties},
        correlation={"coefficients": ["pairwise-accuracy"]},
        **TOGETHER,
    )
    row = next(one for one in found.estimates if one.metric == "precomputed:mine")
    assert row.value == pytest.approx(accuracy, abs=1e-15)
    assert ("ties:exact" in row.signature) == (ties == "exact")


def test_opinsummeval_has_its_published_coefficients():
    # Origin: metric_evaluation/results/summ_corr.xlsx of A-Chicharito-S/OpinSummEval (01fc980): scipy's tau-b of each
    # text across 14 systems, averaged over 100 texts, for 64 metrics and 4 criteria. Scores go down to 1e-101.
    directory = of_others("corpora/opinsummeval")
    with (directory / "published" / "summ_corr.tsv").open(encoding="utf-8") as file:
        published = {row["metric"]: row for row in csv.DictReader(file, delimiter="\t")}
    names = sorted({one.name for one in api.load_corpus(directory).scores} & published.keys())
    assert len(names) == 64
    found = api.correlate(
        directory,
        [f'precomputed(name="{name}")' for name in names],
        documents={"kind": "segments"},
        correlation={"coefficients": ["kendall"], "orientation": "raw"},
        uncertainty={"method": "none"},
    ).correlations
    assert len(found) == 256
    named = found[["metric", "criterion"]].itertuples(index=False)
    expected = [
        float(published[metric[len('precomputed(name="') : -len('")')]][criterion]) for metric, criterion in named
    ]
    np.testing.assert_allclose(found["mean"], expected, rtol=0, atol=1e-12)
