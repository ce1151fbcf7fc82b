"""Bootstrap replicates of experiments, recomputed from the published parts one replicate at a time."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import metaeval
from metaeval.correlation import replicated_means as module
from metaeval.correlation.array_helpers import parts
from metaeval.correlation.averages import Oriented
from metaeval.correlation.bootstrap_intervals import bootstrap_interval
from metaeval.correlation.coefficients import Pearson
from metaeval.correlation.kendall import Kendall
from metaeval.correlation.pairwise_accuracy import CalibratedAccuracy
from metaeval.correlation.replicated_means import filled, paired_means, parts_of_calls, replicated_means
from metaeval.errors import UsageError
from metaeval.runtime.parallel import Executor
from metaeval.runtime.randomness import generator
from metaeval.sampling.resamples import draw_resamples
from tests.support.corpus import SYSTEMS, write
from tests.support.gold import stats_gold, stats_scores
from tests.support.grids import grid_of

NUMBER = 12


def drawn(what, n_segments, n_systems, seed=1, count=NUMBER):
    return draw_resamples(
        what,
        n_segments,
        n_systems,
        count,
        rng_segments=generator(seed, "bootstrap", "segments"),
        rng_systems=generator(seed, "bootstrap", "systems"),
    )


def correlate(metrics=("bleu(order=2)", "ter"), uncertainty=None, **settings):
    uncertainty = {"method": "bootstrap", "resample": "segments", "n_resamples": NUMBER, **(uncertainty or {})}
    settings = {"criteria": ["adequacy"], "preprocessing": ["case"], "tests": [], **settings}
    return metaeval.correlate("demo", list(metrics), uncertainty=uncertainty, **settings)


def human_means(corpus):
    """Return the mean judgment of each item on adequacy: (systems, segments)."""
    rows = corpus.judgments.where(corpus.judgments.criterion == 0)
    total, number = np.zeros((2, len(corpus.systems), corpus.n_segments))
    np.add.at(total, (rows.system, rows.segment), rows.score)
    np.add.at(number, (rows.system, rows.segment), 1)
    return total / number


@pytest.mark.parametrize("resample", ["segments", "systems", "both"])
def test_whole_systems_are_scored_again_from_the_texts_of_each_replicate(resample):
    # Each replicate is written out as texts and scored by itself; TER counts edits, so low is good.
    found = correlate(uncertainty={"resample": resample})
    corpus, human = metaeval.load_corpus("demo"), human_means(metaeval.load_corpus("demo"))
    replicates = drawn(resample, corpus.n_segments, len(corpus.systems))
    for number in range(0, NUMBER, 4):
        counts = np.ones(corpus.n_segments, int) if resample == "systems" else replicates.segments[number].astype(int)
        segments = np.repeat(np.arange(corpus.n_segments), counts)
        systems = np.arange(8) if resample == "segments" else replicates.systems[number]
        candidates = {
            name: [corpus.candidates[place][k] for k in segments] for place, name in enumerate(corpus.systems)
        }
        references = {name: [texts[k] for k in segments] for name, texts in corpus.references.items()}
        people = human[:, segments].mean(axis=1)[systems]
        for metric, sign in (("bleu(order=2)", 1), ("ter", -1)):
            (scored,) = metaeval.score([metric], candidates, references, preprocessing="case")
            expected = sign * stats.pearsonr(scored.values[systems, 0], people).statistic
            (one,) = (one for one in found.estimates if (one.metric, one.coefficient) == (metric, "pearson"))
            assert one.replicates[number] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("resample", ["segments", "systems", "both"])
@pytest.mark.parametrize("average_by", ["item", "system", "none"])
def test_single_segments_are_drawn_again_as_they_are(resample, average_by):
    found = correlate(
        ["bleu(order=1)"],
        {"resample": resample},
        documents={"kind": "segments"},
        correlation={"average_by": average_by, "coefficients": ["spearman"]},
    )
    (one,) = found.estimates
    grid = grid_of(found)
    metric, human = grid.scores("bleu(order=1)"), grid.human
    replicates = drawn(resample, 120, 8)
    for number in range(0, NUMBER, 5):
        x, y = metric, human
        if resample != "systems":
            segments = np.repeat(np.arange(120), replicates.segments[number])
            x, y = x[segments], y[segments]
        if resample != "segments":
            x, y = x[:, replicates.systems[number]], y[:, replicates.systems[number]]
        if average_by == "none":
            pairs = [(x.ravel(), y.ravel())]
        else:
            pairs = list(zip(x.T, y.T, strict=True)) if average_by == "system" else list(zip(x, y, strict=True))
        values = [stats.spearmanr(a, b).statistic for a, b in pairs if np.ptp(a) > 0 and np.ptp(b) > 0]
        assert one.replicates[number] == pytest.approx(np.mean(values), abs=1e-9)


@pytest.mark.parametrize(("theirs", "resample"), [("systems", "systems"), ("inputs", "segments"), ("both", "both")])
def test_limits_of_segments_equal_nlpstats(theirs, resample):
    # Origin: nlpstats, 3000 resamples; tolerance 0.02.
    gold = stats_gold("gold.json")["bootstrap_and_fisher"]
    expected = gold[f"nlpstats A vs human level=input pearson resample={theirs} 95%"]
    metric, human = stats_scores("metricA"), stats_scores("human")
    drawn = draw_resamples(
        resample, 30, 8, 3000, rng_segments=generator(1, "segments"), rng_systems=generator(1, "systems")
    )
    paired = replicated_means(
        [metric.T[np.newaxis]], human.T, [Pearson()], "item", "exclude", drawn, slice(0, len(drawn))
    )
    replicates = paired.beside(0, 0)
    found = bootstrap_interval(0.0, replicates)
    assert found.lower == pytest.approx(expected["lower"], abs=0.02)
    assert found.upper == pytest.approx(expected["upper"], abs=0.02)


def test_real_documents_are_drawn_again_whole(tmp_path):
    documents = "segment\tdocument\n1\tone\n2\tone\n3\ttwo\n4\ttwo\n"
    corpus = write(tmp_path / "corpus", documents=documents)
    found = metaeval.correlate(
        corpus,
        ["bleu(order=1)"],
        criteria=["adequacy"],
        preprocessing=["case"],
        documents={"kind": "real"},
        correlation={"coefficients": ["pearson"]},
        uncertainty={"method": "bootstrap", "n_resamples": 5},
        tests=[],
    )
    (one,) = found.estimates
    grid = grid_of(found)
    (each,) = grid.coefficients("pearson")
    # Of two documents there are three replicates: the first twice, one of each, the second twice.
    assert one.replicates == pytest.approx([each[0], each.mean(), each[1]])
    assert grid.weights == pytest.approx([0.25, 0.5, 0.25])
    assert "resample:documents" in one.signature


def random_documents(documents=None, **settings):
    return correlate(
        ["bleu(order=1)", "ter"],
        criteria=["adequacy"],
        documents={"kind": "pseudo", **(documents or {"lengths": [4], "count": 30})},
        judgments={"normalise": "z", "rule": "draw", "inter_judge": True},
        correlation={"coefficients": ["spearman"]},
        tests=[{"method": "wilcoxon"}, {"method": "bootstrap"}],
        **settings,
    )


def test_random_documents_are_drawn_from_the_segments_of_each_replicate():
    found = random_documents()
    wilcoxon, bootstrap = found.tests.to_dict("records")
    bleu, ter, judges = found.estimates
    assert judges.metric == "inter-judge"
    assert all(one.replicates_undefined == 0 and len(set(one.replicates)) == NUMBER for one in found.estimates)
    assert bootstrap["difference"] == pytest.approx(wilcoxon["difference"])
    differences = bleu.replicates - ter.replicates
    assert [bootstrap["lower"], bootstrap["upper"]] == pytest.approx(np.quantile(differences, [0.025, 0.975]))
    below, above = (differences <= 0).sum(), (differences >= 0).sum()
    assert bootstrap["p"] == pytest.approx(min(1, 2 * (min(below, above) + 1) / (NUMBER + 1)))


def test_the_memory_of_a_process_changes_no_replicate(monkeypatch):
    plain = random_documents()
    monkeypatch.setattr(Executor, "of_each", 1)  # each replicate is a batch of its own
    alone = random_documents()
    for one, other in zip(plain.estimates, alone.estimates, strict=True):
        np.testing.assert_array_equal(one.replicates, other.replicates)


def test_the_spread_over_new_text_exceeds_that_of_the_draw():
    # The normal interval of the mean knows the draw of the documents alone; the replicates know the segments as well.
    # 300 documents of 20 of 120 segments overlap so much that the first is several times smaller.
    by_draw = random_documents({"lengths": [20], "count": 300})
    spread = [one.sd / np.sqrt(one.n_used) for one in by_draw.estimates]
    whole = [one.replicates.std(ddof=1) for one in by_draw.estimates]
    assert all(more > 2 * less for more, less in zip(whole, spread, strict=True))


@pytest.mark.parametrize(
    ("kind", "uncertainty"),
    [
        ("all", {"resample": "both"}),
        ("segments", {"resample": "both"}),
        ("pseudo", {"resample": "both"}),
        ("all", {"method": "denoised"}),
        ("all", {"method": "denoised", "resample": "documents"}),
    ],
)
def test_the_same_bits_for_any_number_of_jobs(kind, uncertainty):
    def table(jobs):
        lengths = {"lengths": [3, 5], "count": 20} if kind == "pseudo" else {}
        rule = "mean" if kind == "segments" or uncertainty.get("resample") == "documents" else "draw"
        return correlate(
            documents={"kind": kind, **lengths}, judgments={"rule": rule}, uncertainty=uncertainty, jobs=jobs
        )

    one, three = table(1), table(3)
    assert one.correlations.equals(three.correlations)
    for first, second in zip(one.estimates, three.estimates, strict=True):
        assert first.replicates.tobytes() == second.replicates.tobytes()


@pytest.mark.parametrize("method", ["bootstrap", "denoised"])
def test_metrics_and_criteria_share_their_replicates(method):
    # Adding a metric, a criterion or a preprocessing changes no number of the others.
    settings = {"method": method, "n_resamples": 60}
    alone = correlate(["ter"], settings).correlations
    others = {"criteria": ["fluency", "adequacy"], "preprocessing": ["nocase", "case"]}
    among = correlate(["bleu", "ter"], settings, **others).correlations
    among = among.query("metric == 'ter' and criterion == 'adequacy' and preprocessing == 'case'")
    assert alone["lower"].tolist() == among["lower"].tolist()
    assert alone["upper"].tolist() == among["upper"].tolist()
    assert not alone["lower"].isna().any()


@pytest.mark.parametrize("method", ["bootstrap", "denoised"])
def test_blocks_of_replicates_change_no_number(method, monkeypatch):
    # BLEU counts whole numbers, which add exactly in any block; human means are settled.
    whole = correlate(["bleu"], {"method": method}).estimates
    monkeypatch.setattr("metaeval.correlation.replicated_means._BATCH_COUNTS", 5 * 120)
    parts = correlate(["bleu"], {"method": method}).estimates
    for first, second in zip(whole, parts, strict=True):
        np.testing.assert_allclose(first.replicates, second.replicates, rtol=0, atol=1e-11)


def test_degenerate_replicates_are_counted(tmp_path):
    # Of three systems, 3 of 10 replicates hold one system alone, with a chance of 3/27.
    found = metaeval.correlate(
        write(tmp_path / "corpus"),
        ["bleu(order=1)"],
        criteria=["adequacy"],
        correlation={"coefficients": ["pearson"]},
        uncertainty={"method": "bootstrap", "resample": "systems", "n_resamples": 10},
        tests=[],
    )
    (one,) = found.estimates
    row = found.correlations.iloc[0]
    assert (row["replicates_used"], row["replicates_undefined"]) == (7, 3)
    assert np.isnan(one.replicates).sum() == one.replicates_undefined == 3
    assert len(SYSTEMS) == 3


def test_corrected_limits_are_those_of_scipy():
    # scipy is given our replicates, and makes its own values without each system.
    found = correlate(["bleu"], {"resample": "systems", "limits": "bca", "n_resamples": 2000})
    (one,) = (one for one in found.estimates if one.coefficient == "pearson")
    grid = grid_of(found)
    metric, human = grid.scores("bleu")[0], grid.human[0]

    class Given:
        bootstrap_distribution = one.replicates[~np.isnan(one.replicates)].round(12)

    expected = stats.bootstrap(
        (metric, human),
        # Replicates that draw each system once are equal to the value, and count as that, but for rounding errors.
        lambda x, y, axis=-1: np.round(stats.pearsonr(x, y, axis=axis).statistic, 12),
        paired=True,
        n_resamples=0,
        bootstrap_result=Given,
        method="BCa",
        vectorized=True,
    ).confidence_interval
    assert (one.lower, one.upper) == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert "interval:bca(0.95)|resample:systems|resamples:2000" in one.signature


def test_corrected_limits_of_segments_leave_out_one_segment_each():
    # scipy is given our replicates of the segments, and makes its own values without each segment.
    found = correlate(["rouge-l"], {"limits": "bca", "n_resamples": 500}, documents={"kind": "segments"})
    (one,) = (one for one in found.estimates if one.coefficient == "pearson")
    (each,) = grid_of(found).coefficients("pearson")
    assert not np.isnan(each).any()

    class Given:
        bootstrap_distribution = one.replicates

    expected = stats.bootstrap(
        (each,), np.mean, n_resamples=0, bootstrap_result=Given, method="BCa", vectorized=True
    ).confidence_interval
    assert (one.lower, one.upper) == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert one.lower != pytest.approx(np.quantile(one.replicates, 0.025), abs=1e-9)


def test_random_documents_of_systems_drawn_again_are_drawn_from_all_segments():
    found = correlate(
        ["bleu(order=1)"],
        {"resample": "systems"},
        documents={"kind": "pseudo", "lengths": [120], "count": 2},
        correlation={"coefficients": ["pearson"]},
    )
    (one,) = found.estimates
    # A document of all segments is the whole corpus, however it is drawn.
    grid = grid_of(found)
    metric, human = grid.scores("bleu(order=1)")[0], grid.human[0]
    systems = drawn("systems", 120, 8).systems
    assert one.replicates == pytest.approx([stats.pearsonr(metric[k], human[k]).statistic for k in systems], abs=1e-9)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"documents": {"kind": "pseudo", "lengths": [3]}, "uncertainty": {"method": "bootstrap", "limits": "bca"}},
            r"pseudo-documents do not have it: they are drawn again in each replicate\. Choose \"percentile\"",
        ),
        (
            {"judgments": {"rule": "draw"}, "uncertainty": {"method": "bootstrap", "limits": "bca"}},
            r"needs the rule 'mean' or 'median'",
        ),
        ({"correlation": {"average_by": "system"}}, "correlates across the documents of a system, and"),
        ({"uncertainty": {"resample": "judges"}}, "`uncertainty.resample` must be one of"),
        ({"uncertainties": {}}, "unknown keyword 'uncertainties'; did you mean 'uncertainty'"),
    ],
)
def test_what_cannot_be_resampled_is_refused(settings, message):
    with pytest.raises(UsageError, match=message):
        metaeval.correlate("demo", ["bleu"], **settings)


@pytest.mark.parametrize("average_by", ["none", "system"])
@pytest.mark.parametrize("undefined", ["exclude", "zero"])
def test_pearson_of_sums_is_that_of_the_documents_drawn(average_by, undefined):
    # The definition: documents stand as often as they were drawn. Some cells were not judged, a metric lacks a system,
    # another is constant but on one document, and one is an error rate.
    rng = np.random.default_rng(3)
    human = rng.normal(size=(9, 4))
    human[rng.random(human.shape) < 0.2] = np.nan
    metrics = 100 + rng.normal(size=(4, 1, 9, 4))
    metrics[1, ..., 2], metrics[2, :, 1:] = np.nan, 7.0
    relations = [Pearson(), Pearson(), Pearson(), Oriented(Pearson())]
    resamples = drawn("segments", 9, 4, count=60)
    found = replicated_means(
        list(metrics), human, relations, average_by, undefined, resamples, slice(0, len(resamples))
    )
    for number, counts in enumerate(resamples.segments):
        rows = np.repeat(np.arange(9), counts)
        values = []
        for metric, sign in zip(metrics[:, 0], (1, 1, 1, -1), strict=True):
            x, y = metric[rows], np.where(np.isnan(metric).all(axis=0), np.nan, human[rows])
            pairs = [(x.ravel(), y.ravel())] if average_by == "none" else zip(x.T, y.T, strict=True)
            each = []
            for a, b in pairs:
                a, b = a[~np.isnan(b)], b[~np.isnan(b)]
                defined = len(a) > 1 and np.ptp(a) > 0 and np.ptp(b) > 0
                each.append(sign * stats.pearsonr(a, b).statistic if defined else np.nan)
            values.append(filled(np.array(each), undefined))
        np.testing.assert_allclose(found.means[number], paired_means(np.stack(values)), atol=1e-9)


@pytest.mark.parametrize("undefined", ["exclude", "zero"])
def test_means_of_segments_are_over_what_both_lines_have(undefined):
    # By hand: the mean of the coefficients of the documents drawn, as often as drawn, where both lines have one.
    rng = np.random.default_rng(5)
    human, metrics = rng.normal(size=(6, 5)), rng.normal(size=(4, 1, 6, 5))
    metrics[1:3, 0, 2], metrics[3, 0, 4] = 1.0, 1.0  # constant, so that two lines lack one document, and one another
    resamples = drawn("segments", 6, 5, count=40)
    found = replicated_means(list(metrics), human, [Pearson()] * 4, "item", undefined, resamples, slice(0, 40))
    assert found.groups.tolist() == ([0, 0, 0, 0] if undefined == "zero" else [0, 1, 1, 2])
    each = [
        [stats.pearsonr(*pair).statistic if np.ptp(pair[0]) else np.nan for pair in zip(one[0], human, strict=True)]
        for one in metrics
    ]
    each = np.nan_to_num(each) if undefined == "zero" else np.array(each)
    for number, counts in enumerate(resamples.segments):
        for line, other in np.ndindex(4, 4):
            values = np.repeat(np.where(np.isnan(each[other]), np.nan, each[line]), counts)
            assert found.beside(line, other)[number] == pytest.approx(np.nanmean(values), abs=1e-12)


@pytest.mark.parametrize(
    ("average_by", "coefficient", "what"),
    [
        ("item", Pearson(), "segments"),
        ("none", Pearson(), "segments"),
        ("system", Kendall(), "segments"),
        ("item", Kendall(), "systems"),
        ("item", Pearson(), "both"),
        ("item", CalibratedAccuracy(), "segments"),
    ],
)
def test_shares_of_replicates_are_parts_of_the_whole(monkeypatch, average_by, coefficient, what):
    rng = np.random.default_rng(8)
    human, metrics = rng.integers(4, size=(7, 8)).astype(float), rng.normal(size=(3, 1, 7, 8))
    metrics[2, 0, 3] = 1.0
    resamples = drawn(what, 7, 8, count=250)
    given = list(metrics), human, [coefficient] * 3, average_by, "exclude", resamples
    whole = replicated_means(*given, slice(0, 250)).means
    monkeypatch.setattr(module, "blocks", lambda n, _: parts(n, 40))
    monkeypatch.setattr(module, "_BATCHES_PER_CALL", 3)
    shares = [*parts_of_calls(250, 7)]
    assert shares == [slice(0, 120), slice(120, 240), slice(240, 250)]
    np.testing.assert_allclose(
        np.concatenate([replicated_means(*given, one).means for one in shares]), whole, rtol=1e-12
    )
