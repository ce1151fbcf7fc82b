"""Tests between metrics in experiments: by scipy on the published parts, by hand, and what must be refused."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import metaeval
from metaeval.config.schema import DocumentSettings, Experiment
from metaeval.config.schema import TestSettings as Wilcoxon
from metaeval.correlation.paired_bootstrap import bootstrap_test
from metaeval.correlation.standard_error import PairedT
from metaeval.correlation.williams import williams
from metaeval.errors import UsageError
from metaeval.experiment.testing import minimum_difference_rows
from metaeval.results.keys import DocumentKind
from metaeval.results.rows import MinimumDifference
from tests.support.corpus import write
from tests.support.grids import grid_of
from tests.support.results import key_of
from tests.support.results import test_result as a_test

METRICS = ["bleu(order=1)", "ter", "gtm(exponent=1)"]


def correlate(tests, **settings):
    settings = {
        "criteria": ["adequacy"],
        "preprocessing": ["case"],
        "correlation": {"coefficients": ["pearson"]},
        **settings,
    }
    settings["uncertainty"] = {"n_resamples": 200, **settings.get("uncertainty", {})}
    return metaeval.correlate("demo", METRICS, tests=tests, **settings)


def test_williams_takes_correlations_that_are_turned_towards_agreement():
    found = correlate([{"method": "williams", "correction": "none"}]).tests
    grid = grid_of(correlate([]), criterion="adequacy")
    human = grid.human[0]
    scores = {name: grid.scores(name)[0] for name in METRICS}
    scores["ter"] = -scores["ter"]
    for row in found.to_dict("records"):
        a, b = scores[row["metric_a"]], scores[row["metric_b"]]
        r = [stats.pearsonr(x, y).statistic for x, y in ((a, human), (b, human), (a, b))]
        assert row["p"] == pytest.approx(float(williams(*r, 8).p), abs=1e-9)
        assert row["difference"] == pytest.approx(r[0] - r[1], abs=1e-9)
        assert (row["n_used"], row["over"]) == (8, "systems")


def test_all_exchanges_of_whole_systems_are_listed_where_they_are_few():
    # 2^8 = 256 patterns of 8 systems; every one is made here by hand.
    found = correlate(
        [{"method": "permutation", "correction": "none"}], uncertainty={"method": "none", "n_resamples": 256}
    )
    grid = grid_of(found, criterion="adequacy")
    human = grid.human[0]
    scores = {name: grid.scores(name)[0] for name in METRICS}
    scores["ter"] = -scores["ter"]
    for row in found.tests.to_dict("records"):
        a, b = (stats.zscore(scores[row[key]]) for key in ("metric_a", "metric_b"))
        observed = stats.pearsonr(a, human).statistic - stats.pearsonr(b, human).statistic
        differences = []
        for pattern in itertools.product([False, True], repeat=8):
            x, y = np.where(pattern, b, a), np.where(pattern, a, b)
            differences.append(stats.pearsonr(x, human).statistic - stats.pearsonr(y, human).statistic)
        expected = np.mean(np.abs(differences) >= abs(observed) - 1e-9)
        assert row["p"] == pytest.approx(expected, abs=1e-12)
        assert "distribution:exact" in row["signature"]


def test_segments_are_exchanged_only_where_a_corpus_score_is_their_mean():
    of_segments = {"metrics_of_segments": ["rouge-l", "rouge-s"], "over": "both"}
    found = metaeval.correlate(
        "demo",
        of_segments["metrics_of_segments"],
        criteria=["adequacy"],
        correlation={"coefficients": ["pearson"]},
        uncertainty={"n_resamples": 99},
        tests=[{"method": "permutation", "over": "both"}, {"method": "permutation", "over": "segments"}],
    )
    assert found.tests["over"].tolist() == ["both", "segments"]
    assert found.tests["difference"][0] == pytest.approx(found.tests["difference"][1], abs=1e-12)
    assert found.tests["difference"][0] == pytest.approx(found.correlations["mean"][0] - found.correlations["mean"][1])
    with pytest.raises(
        UsageError, match=r"the corpus score of bleu\(order=1\) is not the mean of these, with equal weights; choose"
    ):
        correlate([{"method": "permutation", "over": "both"}])


def test_over_lengths_subsets_and_cells_the_pairs_are_mean_coefficients():
    settings = {
        "documents": {"kind": "pseudo", "lengths": [2, 4, 8], "count": 25},
        "references": {"subsets": ["ref1", "ref2", "ref3"]},
        "correlation": {"coefficients": ["spearman"]},
        "uncertainty": {"method": "normal"},
    }
    found = correlate([{"method": "wilcoxon", "over": axis} for axis in ("lengths", "subsets", "cells")], **settings)
    means = found.correlations.set_index(["metric", "subset", "length"])["mean"]
    for row in found.tests.query("metric_a == 'bleu(order=1)' and metric_b == 'ter'").to_dict("records"):
        subsets = [row["subset"]] if row["subset"] else ["ref1", "ref2", "ref3"]
        lengths = [2, 4, 8] if np.isnan(row["length"]) else [row["length"]]
        x, y = (
            [means[row[key], subset, length] for length in lengths for subset in subsets]
            for key in ("metric_a", "metric_b")
        )
        assert row["n_used"] == len(x) == {"lengths": 3, "subsets": 3, "cells": 9}[row["over"]]
        assert row["p"] == pytest.approx(stats.wilcoxon(x, y, method="exact").pvalue, abs=1e-12)
    # Three subsets, three lengths, one of all cells, each with the three pairs of metrics.
    assert found.tests["over"].value_counts().to_dict() == {"lengths": 9, "subsets": 9, "cells": 3}


def test_over_lengths_a_metric_without_coefficients_has_no_difference(tmp_path):
    constant = scores_file(tmp_path, {(system, segment): 1 for system in "ABC" for segment in range(1, 5)})
    found = metaeval.correlate(
        write(tmp_path / "corpus"),
        ["bleu(order=1)", constant],
        criteria=["adequacy"],
        documents={"kind": "pseudo", "lengths": [1, 2, 3], "count": 20},
        correlation={"coefficients": ["pearson"]},
        uncertainty={"method": "none"},
        tests=[{"method": "wilcoxon", "over": "lengths"}],
    )
    (row,) = found.tests.to_dict("records")
    assert np.isnan([row["difference"], row["p"], row["p_corrected"]]).all()
    assert row["n_used"] == 0


def test_a_bootstrap_of_real_documents_has_no_more_units_than_documents(tmp_path):
    # One of two documents drawn twice: the bootstrap knows how few these are, and shows nothing.
    documents = "segment\tdocument\n1\tone\n2\tone\n3\ttwo\n4\ttwo\n"
    found = metaeval.correlate(
        write(tmp_path / "corpus", documents=documents),
        ["bleu(order=1)", "ter"],
        criteria=["adequacy"],
        preprocessing=["case"],
        documents={"kind": "real"},
        correlation={"average_by": "none", "coefficients": ["pearson"]},
        uncertainty={"n_resamples": 50},
        tests=[{"method": "bootstrap"}],
    )
    grid = grid_of(found)
    human, weights = grid.human, grid.weights
    assert weights == pytest.approx([0.25, 0.5, 0.25])
    replicates = {
        name: [
            sign * stats.pearsonr(grid.scores(name)[drawn].ravel(), human[drawn].ravel()).statistic
            for drawn in ([0, 0], [0, 1], [1, 1])
        ]
        for name, sign in (("bleu(order=1)", 1), ("ter", -1))
    }
    first, second = (np.array(replicates[name]) for name in ("bleu(order=1)", "ter"))
    (row,) = found.tests.to_dict("records")
    expected = bootstrap_test(row["difference"], first, second, n_units=2, weights=weights)
    assert row["p"] == pytest.approx(expected.p, abs=1e-12)
    assert row["p"] != pytest.approx(bootstrap_test(row["difference"], first, second, n_units=4, weights=weights).p)


def test_rankings_tell_clusters_and_the_equals_of_the_best():
    settings = {"documents": {"kind": "pseudo", "lengths": [10], "count": 300}, "judgments": {"normalise": "z"}}
    found = correlate([{"method": "wilcoxon", "alpha": 0.001}], uncertainty={"method": "none"}, **settings)
    ranking = found.rankings
    assert ranking["mean"].is_monotonic_decreasing
    assert ranking["rank"].tolist() == [1, 2, 3]
    p = {
        frozenset(row[key] for key in ("metric_a", "metric_b")): row["p_corrected"] for _, row in found.tests.iterrows()
    }
    first, second, third = ranking["metric"]
    assert ranking["top_cluster"].tolist() == [
        True,
        *(not p[frozenset((first, other))] < 0.001 for other in (second, third)),
    ]
    opens = p[frozenset((first, second))] < 0.001
    assert ranking["cluster"].tolist()[:2] == [1, 2 if opens else 1]


def test_minimum_significant_differences_by_hand():
    settings = {"documents": {"kind": "pseudo", "lengths": [3, 6, 12], "count": 200}}
    found = correlate([{"method": "wilcoxon"}], uncertainty={"method": "none"}, **settings)
    (row,) = found.minimum_significant_differences.to_dict("records")
    pairs = sorted(zip(found.tests["difference"].abs(), found.tests["p_corrected"], strict=True), reverse=True)
    significant = list(itertools.takewhile(lambda pair: pair[1] < 0.05, pairs))
    assert significant
    assert row["minimum_significant_difference"] == significant[-1][0]
    assert (row["n_pairs"], row["n_significant"]) == (9, int((found.tests["p_corrected"] < 0.05).sum()))
    missed = [size for size, p in pairs if not p < 0.05]
    np.testing.assert_equal(row["largest_not_significant"], max(missed, default=np.nan))
    assert (row["largest_difference"], row["n_references"]) == (pairs[0][0], 4)


@pytest.mark.parametrize(
    ("pairs", "smallest", "missed", "largest"),
    [
        # Differences with their p: what is larger than 0.1, whose p is not below 0.05, is significant.
        ([(-0.3, 0.01), (0.2, 0.02), (0.1, 0.05), (-0.05, 0.01)], 0.2, 0.1, 0.3),
        ([(0.2, 0.01), (-0.1, 0.01)], 0.1, np.nan, 0.2),
        ([(0.2, 0.01), (-0.3, 0.2)], np.inf, 0.3, 0.3),
        # Pairs without a difference or a p were not compared.
        ([(0.2, 0.01), (0.1, 0.3), (-0.4, np.nan), (np.nan, 0.9)], 0.2, 0.1, 0.2),
        ([(np.nan, np.nan)], np.nan, np.nan, np.nan),
    ],
)
def test_the_columns_of_minimum_significant_differences(pairs, smallest, missed, largest):
    experiment = Experiment(
        title="t",
        corpora=("demo",),
        metrics=("bleu", "ter"),
        documents=DocumentSettings(kind="all"),
        tests=(Wilcoxon("wilcoxon"),),
    )
    cell = {"test": "wilcoxon", "over": experiment.tests[0].axis}
    tests = [
        a_test("bleu", "ter", p / 2, p_corrected=p, difference=difference, length=length, **cell)
        for length, (difference, p) in enumerate(pairs)
    ]
    (row,) = minimum_difference_rows(experiment, [], tests)
    assert row == MinimumDifference(
        key=replace(key_of(metric=""), documents=DocumentKind("pseudo")),
        test="wilcoxon",
        over=cell["over"],
        alpha=0.05,
        minimum_significant_difference=pytest.approx(smallest, nan_ok=True),
        largest_not_significant=pytest.approx(missed, nan_ok=True),
        largest_difference=pytest.approx(largest, nan_ok=True),
        n_pairs=len(pairs),
        n_significant=sum(p < 0.05 for _, p in pairs),
        n_references=pytest.approx(np.nan, nan_ok=True),
    )


def test_a_false_discovery_rate_on_request():
    plain, corrected = (
        correlate([{"method": "wilcoxon", "correction": one}], documents={"kind": "segments"}).tests
        for one in ("none", "benjamini-hochberg")
    )
    assert corrected["p_corrected"].tolist() == pytest.approx(stats.false_discovery_control(plain["p"]).tolist())
    assert "correction:benjamini-hochberg" in corrected["signature"][0]


def test_what_a_test_does_not_show_is_told():
    random = {"documents": {"kind": "pseudo", "lengths": [3], "count": 20}, "uncertainty": {"n_resamples": 150}}
    alone = correlate([{"method": "wilcoxon"}], **random).warnings
    beside = correlate([{"method": "wilcoxon"}, {"method": "bootstrap"}], **random).warnings
    assert any('add [[tests]] method = "bootstrap" for that' in message for message in alone)
    assert any("the rows of the test 'bootstrap' do" in message for message in beside)
    assert any(message.startswith("p-values of the bootstrap over segments") for message in beside)
    assert not any(message.startswith("p-values") for message in alone)
    systems = correlate([{"method": "permutation"}], uncertainty={"resample": "systems"}).warnings
    assert [message.partition(" have")[0] for message in systems] == ["tests that resample or permute few systems"]
    percentiles = {"method": "bootstrap", "resample": "segments"}
    intervals = correlate([], uncertainty=percentiles).warnings
    assert [message.partition(". ")[0] for message in intervals] == [
        "the intervals generalise to new segments, not to new systems"
    ]
    # Those that keep their coverage mislead in nothing.
    assert correlate([]).warnings == ()
    assert correlate([{"method": "wilcoxon"}], documents={"kind": "segments"}).warnings == ()


def test_a_test_that_cannot_find_anything_says_what_it_needs():
    # Three pairs: the smallest corrected p is 2 * 3 / (n + 1), which is below 0.05 from 120 replicates on.
    few, enough = (
        [one for one in correlate([{"method": "bootstrap"}], uncertainty={"n_resamples": n}).warnings if "Holm" in one]
        for n in (119, 120)
    )
    assert few == [
        "the test 'bootstrap': with 119 replicates and 3 pairs of metrics, no p-value corrected by Holm can be "
        "below 0.05, so nothing can be significant at 0.05; set uncertainty.n_resamples to 120 or more."
    ]
    assert enough == []


def test_equal_metrics_are_equal(tmp_path):
    # Without clipping differences, unigram BLEU of these texts and unigram BLEU with another smoothing are the same.
    found = metaeval.correlate(
        "demo",
        ["bleu(order=1)", 'bleu(order=1,smooth="mteval")'],
        criteria=["adequacy"],
        correlation={"coefficients": ["pearson", "spearman", "pairwise-accuracy"]},
        uncertainty={"n_resamples": 50},
        tests=[{"method": name} for name in ("wilcoxon", "permutation", "bootstrap")],
    )
    assert (found.tests["p"] == 1).all()
    assert (found.tests["difference"] == 0).all()
    assert (found.rankings["cluster"].dropna() == 1).all()
    assert found.rankings["top_cluster"].all()


@pytest.mark.parametrize(
    ("tests", "settings", "message"),
    [
        ([{"method": "williams"}], {"documents": {"kind": "segments"}}, "`documents.kind` must be 'all'"),
        (
            [{"method": "wilcoxon", "over": "systems"}],
            {},
            r"pairs metrics over documents or lengths or subsets or cells; ",
        ),
        ([{"method": "wilcoxon", "over": "lengths"}], {}, r"needs several `documents.lengths`; got 0"),
        ([{"method": "wilcoxon", "over": "subsets"}], {}, r"needs several of them; demo, adequacy has one"),
        ([{"method": "wilcoxon"}, {"method": "wilcoxon"}], {}, "`tests` names one twice"),
        ([{"method": "no-such"}], {}, "unknown test 'no-such'"),
        ([{"method": "t"}], {}, "the test 't' is for a mean over segments or real documents"),
        (
            [{"method": "permutation", "over": "both"}],
            {"documents": {"kind": "pseudo", "lengths": [2]}},
            "pseudo-documents share segments; choose over = 'systems'",
        ),
        (
            [{"method": "williams"}],
            {"correlation": {"coefficients": ["pairwise-accuracy"]}},
            "compares correlations, and 'pairwise-accuracy' is none",
        ),
        (
            [{"method": "williams"}],
            {"references": {"subsets": "each", "combine": "correlations"}},
            r'with references.combine = "correlations" there is one for each reference subset; choose "scores"',
        ),
    ],
)
def test_what_cannot_be_tested_is_refused(tests, settings, message):
    with pytest.raises(UsageError, match=message):
        correlate(tests, **settings)


def test_coefficients_without_value_tell_why(tmp_path):
    # Of the four segments, people see no difference between systems on none; order 9 matches nothing anywhere.
    found = metaeval.correlate(
        write(tmp_path / "corpus"),
        ["bleu(order=9)", "bleu(order=1)"],
        criteria=["adequacy"],
        documents={"kind": "segments"},
        uncertainty={"method": "none"},
        correlation={"coefficients": ["spearman"]},
    )
    nine, one = found.estimates
    assert (nine.n_undefined, str(nine.undefined)) == (4, "metric scores all equal: 4")
    assert (one.n_undefined, str(one.undefined)) == (0, "")


def test_a_pooled_coefficient_leaves_out_documents_without_a_score_and_tells_why_it_has_no_value(tmp_path):
    # The file orders the systems of segments 1 and 2; segment 3 lacks a score of C. All others are 1 everywhere.
    corpus = write(tmp_path / "corpus")
    partly = {("A", 1): 3, ("B", 1): 2, ("C", 1): 1, ("A", 2): 5, ("B", 2): 4, ("C", 2): 3, ("A", 3): 9, ("B", 3): 8}
    settings = {"criteria": ["adequacy"], "documents": {"kind": "segments"}, "uncertainty": {"method": "none"}}
    settings["correlation"] = {"average_by": "none", "coefficients": ["pearson"]}
    found = metaeval.correlate(corpus, [scores_file(tmp_path, partly)], **settings)
    (one,) = found.estimates
    human = grid_of(found).human
    expected = stats.pearsonr([3, 2, 1, 5, 4, 3], human[:2].ravel()).statistic
    assert one.value == pytest.approx(expected, abs=1e-12)
    constant = {(system, segment): 1 for system in "ABC" for segment in range(1, 5)}
    (none,) = metaeval.correlate(corpus, [scores_file(tmp_path, constant)], **settings).estimates
    assert (none.n_used, none.n_undefined, str(none.undefined)) == (0, 1, "metric scores all equal: 1")


def scores_file(directory, cells):
    """Write scores of the tiny corpus for some (system, segment) pairs, and return the name of the metric."""
    path = directory / "scores.tsv"
    rows = [f"{system}\t{segment}\t{score}" for (system, segment), score in cells.items()]
    path.write_text("\n".join(["system\tsegment\tscore", *rows]) + "\n")
    return f"scores:{path}"


def test_metrics_are_compared_where_both_have_a_coefficient(tmp_path):
    # The file scores segment 1 alone, where it orders the systems as people do.
    corpus = write(tmp_path / "corpus")
    name = scores_file(tmp_path, {("A", 1): 3, ("B", 1): 2, ("C", 1): 1})
    settings = {"criteria": ["adequacy"], "preprocessing": ["case"], "correlation": {"coefficients": ["spearman"]}}
    for documents in ({"kind": "segments"}, {"kind": "pseudo", "lengths": [1], "count": 40}):
        found = metaeval.correlate(
            corpus,
            ["bleu(order=1)", name],
            documents=documents,
            uncertainty={"n_resamples": 400},
            tests=[{"method": "bootstrap"}],
            **settings,
        )
        (row,) = found.tests.to_dict("records")
        grid = grid_of(found)
        own, bleu = (grid.coefficients("spearman")[grid.position(one)] for one in (name, "bleu(order=1)"))
        both = ~np.isnan(own) & ~np.isnan(bleu)
        assert 0 < both.sum() < len(own)
        assert row["difference"] == pytest.approx((bleu - own)[both].mean(), abs=1e-12)
    # One segment can show nothing, whatever the replicates say.
    segments = metaeval.correlate(
        corpus, ["ter", name], documents={"kind": "segments"}, tests=[{"method": "bootstrap"}], **settings
    )
    assert segments.tests["p"].tolist() == [1.0]


def test_few_units_show_no_more_than_a_sign_test():
    # Three units that all point the same way: every replicate does, and the sign test has 2 * 2^-3.
    first, second = np.full(50, 0.4), np.full(50, 0.1)
    assert bootstrap_test(0.3, first, second, n_units=3).p == pytest.approx(0.25)
    assert bootstrap_test(0.3, first, second, n_units=3, alternative="greater").p == pytest.approx(0.125)
    assert bootstrap_test(0.3, first, second, n_units=1).p == 1.0
    exact = np.full(50, 1 / 50)
    assert bootstrap_test(0.3, first, second, n_units=3, weights=exact).p == pytest.approx(0.25)


def test_a_metric_without_a_coefficient_has_no_rank(tmp_path):
    constant = scores_file(tmp_path, {(system, segment): 1 for system in "ABC" for segment in range(1, 5)})
    found = metaeval.compare(
        write(tmp_path / "corpus"),
        ["bleu(order=1)", "ter", constant],
        criteria=["adequacy"],
        n_resamples=200,
        ceiling=0,
    )
    rows = found.results.rankings[found.results.rankings["metric"] == constant]
    assert rows["rank"].isna().all()
    assert rows["cluster"].isna().all()
    assert not rows["top_cluster"].any()
    assert "scores cannot be ranked: no coefficient" in found.tables[0].sentence
    assert any(
        "1 of 1 coefficients (Pearson) are undefined (metric scores all equal: 1)" in one
        for one in found.results.warnings
    )


def test_zero_for_undefined_does_not_make_degenerate_replicates_zero(tmp_path):
    found = metaeval.correlate(
        write(tmp_path / "corpus"),
        ["bleu(order=1)"],
        criteria=["adequacy"],
        correlation={"coefficients": ["pearson"], "undefined": "zero"},
        uncertainty={"method": "bootstrap", "resample": "systems", "n_resamples": 10},
    )
    assert found.correlations["replicates_undefined"].tolist() == [3]


def test_the_coefficients_of_all_pairs_are_those_of_the_metrics_and_no_copies(tmp_path, monkeypatch):
    # 6 metrics are 15 pairs. On their scores, (40 segments, 5 systems), each pair needs the coefficients of the
    # segments alone, which it shares with the other pairs of its metrics: together not even the scores of one metric.
    rng = np.random.default_rng(5)
    quality = rng.normal(size=(5, 40))
    table = [
        {"system": f"s{s}", "segment": n + 1, "candidate": "a", "quality": quality[s, n]} for s, n in np.ndindex(5, 40)
    ]
    names = []
    for number in range(6):
        sign = -1 if number % 2 else 1
        scores = sign * (quality + rng.normal(size=quality.shape))
        path = tmp_path / f"M{number}.tsv"
        rows = [f"s{s}\t{n + 1}\t{scores[s, n]}" for s, n in np.ndindex(5, 40)]
        path.write_text("\n".join(["system\tsegment\tscore", *rows]) + "\n")
        names.append(f"scores:{path}" + ("(higher_is_better=False)" if sign < 0 else ""))
    held = []
    compare = PairedT.compare

    def recorded(self, estimate):
        held.append(estimate)
        return compare(self, estimate)

    monkeypatch.setattr(PairedT, "compare", recorded)
    metaeval.correlate(
        metaeval.corpus(pd.DataFrame(table)),
        names,
        documents={"kind": "segments"},
        correlation={"coefficients": ["pearson"]},
        uncertainty={"method": "none"},
        tests=[{"method": "t"}],
    )
    fields = [value for one in held for value in vars(one).values()]
    arrays = [one for value in fields for one in (value if isinstance(value, list | tuple) else [value])]
    arrays = [one for one in arrays if isinstance(one, np.ndarray)]
    assert len({one.value for one in held}) == 15
    assert len(arrays) == 2 * len(held)
    assert len({array.__array_interface__["data"][0] for array in arrays}) == 6
    assert sum({array.__array_interface__["data"][0]: array.nbytes for array in arrays}.values()) == 6 * 40 * 8
