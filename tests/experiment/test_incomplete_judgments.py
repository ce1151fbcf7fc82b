"""Campaigns that judge a part of the items: what is correlated, what is left out, and what is said of it."""

from __future__ import annotations

import re
import shutil

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import metaeval
from metaeval.errors import UsageError, percent
from metaeval.metrics import get_metric
from metaeval.metrics.selection import named_metrics
from metaeval.parameters.fields import Named
from metaeval.runtime.files import shipped
from metaeval.runtime.randomness import generator
from metaeval.sampling.resamples import draw_resamples
from tests.support.corpus import REFERENCES, SYSTEMS, TOML, write
from tests.support.grids import grid_of

QUIET = {"criteria": ["adequacy"], "preprocessing": "case"}
# Of three systems and four segments, who judged what: nobody the third segment of A, B the first alone, C all but one.
JUDGED = {"A": {1: 5, 2: 3, 4: 4}, "B": {1: 2}, "C": {2: 1, 3: 4, 4: 2}}


def corpus(directory, judged=JUDGED, **files):
    lines = [f"{k}\t{name}\tann\tadequacy\t{score}" for name, row in judged.items() for k, score in row.items()]
    return write(
        directory / "tiny",
        corpus=TOML,
        judgments="\n".join(["segment\tsystem\tjudge\tcriterion\tscore", *lines]) + "\n",
        **files,
    )


def score(metric, system, segments):
    texts = {system: [SYSTEMS[system][k - 1] for k in segments]}
    # An empty line of a reference is none.
    references = {name: [rows[k - 1] or None for k in segments] for name, rows in REFERENCES.items()}
    (found,) = metaeval.score([metric], texts, references, preprocessing="case")
    return float(found.values[0, 0])


@pytest.mark.parametrize("over", ["all", "judged"])
@pytest.mark.parametrize("metric", ["bleu(order=1)", "ter", "rouge-l", "gtm"])
def test_whole_systems_are_judged_where_they_were(tmp_path, metric, over):
    found = metaeval.correlate(
        corpus(tmp_path), metric, judgments={"metric_over": over}, uncertainty={"method": "none"}, **QUIET
    )
    # (5 + 3 + 4) / 3, 2 / 1, (1 + 4 + 2) / 3
    people = [4.0, 2.0, 7 / 3]
    scores = [score(metric, name, (1, 2, 3, 4) if over == "all" else JUDGED[name]) for name in "ABC"]
    sign = -1 if metric == "ter" else 1
    value = {one.coefficient: one.value for one in found.estimates}
    assert value["pearson"] == pytest.approx(sign * stats.pearsonr(scores, people).statistic, abs=1e-9)
    assert value["spearman"] == pytest.approx(sign * stats.spearmanr(scores, people).statistic, abs=1e-9)
    (row, _) = found.correlations.to_dict("records")
    assert (row["n_judged"], row["n_items"], row["n_segments"]) == (7, 12, 4)
    assert f"judged:any(7/12){',metric-over=judged' if over == 'judged' else ''}" in row["signature"]
    over_what = "all of them" if over == "all" else "the same segments"
    assert any(
        f"7 of 12 items were judged (58 %): a human score is the mean over the segments where the system was judged, 1 "
        f"to 3 of 4, and metrics score {over_what}." in text
        for text in found.warnings
    )


def test_single_segments_use_the_cells_that_were_judged(tmp_path):
    settings = {"documents": {"kind": "segments"}, "uncertainty": {"method": "none"}, **QUIET}
    of = {"coefficients": ["pearson"]}
    found = metaeval.correlate(corpus(tmp_path), "rouge-l", correlation=of, **settings)
    # Segment 3 was judged for C alone: left out, and counted. The others are judged for two systems each.
    pairs = {1: "AB", 2: "AC", 4: "AC"}
    values = [
        np.sign(score("rouge-l", a, [k]) - score("rouge-l", b, [k])) * np.sign(JUDGED[a][k] - JUDGED[b][k])
        for k, (a, b) in pairs.items()
    ]
    (row,) = found.correlations.to_dict("records")
    assert row["mean"] == pytest.approx(np.mean(values), abs=1e-12)
    assert (row["n_used"], row["n_segments"]) == (3, 3)
    assert any("made of 3 of 4 segments; 1 lacks a judgment of two systems" in text for text in found.warnings)
    # All cells together: those that were judged, of every segment.
    together = metaeval.correlate(corpus(tmp_path), "rouge-l", correlation={**of, "average_by": "none"}, **settings)
    cells = [(score("rouge-l", name, [k]), judged) for name, row in JUDGED.items() for k, judged in row.items()]
    assert together.correlations["mean"][0] == pytest.approx(stats.pearsonr(*zip(*cells, strict=True))[0], abs=1e-12)


def demo(directory, segments):
    """Write the demo with the judgments of some segments alone: a function of the number of a system and a segment."""
    shutil.copytree(shipped("data") / "demo", directory)
    table = pd.read_csv(directory / "judgments.tsv", sep="\t")
    numbers = {name: number for number, name in enumerate(sorted(set(table["system"])))}
    chosen = [segments(numbers[name], k) for name, k in zip(table["system"], table["segment"], strict=True)]
    table[chosen].to_csv(directory / "judgments.tsv", sep="\t", index=False)
    return str(directory)


@pytest.mark.parametrize(
    ("resample", "reason"),
    [
        ("segments", "a test needs at least 10 segments, and there are 3"),
        ("documents", "2 documents, as good as 1.8 of equal size, are too few"),
    ],
)
def test_three_judged_segments_of_many_give_no_interval_and_no_test(tmp_path, resample, reason):
    # Segments 4, 5 and 6; the first document of the demo has segments 1 to 4: 1 and 2 segments say as much as
    # 3 ** 2 / (1 + 4) = 1.8 documents of equal size.
    corpus = demo(tmp_path / "few", lambda system, k: 4 <= k <= 6)
    compared = metaeval.compare(corpus, ["bleu", "ter"], criteria=["adequacy"], resample=resample, ceiling=0)
    frame = compared.to_frame()
    assert frame["lower"].isna().all()
    assert frame["p_worse"].isna().all()
    assert f"could not be tested: {reason}" in compared.tables[0].sentence


def test_intervals_have_the_freedom_of_the_segments_that_were_judged(tmp_path):
    # Four systems with the first 30 segments and four with 60: 8 / (4 / 30 + 4 / 60) = 40.
    corpus = demo(tmp_path / "half", lambda system, k: k <= (30 if system < 4 else 60))
    compared = metaeval.compare(corpus, ["bleu"], criteria=["adequacy"], resample="segments", ceiling=0)
    (grid,) = compared.results.grids
    assert grid.sample_size == pytest.approx(40, rel=1e-12)


def test_stored_scores_that_are_means_of_three_segments_give_no_interval(tmp_path):
    corpus = demo(tmp_path / "few", lambda system, k: 4 <= k <= 6)
    table = pd.read_csv(tmp_path / "few" / "judgments.tsv", sep="\t")
    means = (
        table[table["criterion"] == "adequacy"].groupby(["system", "segment"])["score"].mean().groupby("system").mean()
    )
    (tmp_path / "few" / "human").mkdir()
    means.rename("score").to_csv(tmp_path / "few" / "human" / "adequacy.system.tsv", sep="\t")
    settings = {"criteria": ["adequacy"], "resample": "segments", "ceiling": 0, "judgments": {"rule": "stored"}}
    compared = metaeval.compare(corpus, ["bleu", "ter"], **settings)
    assert "a test needs at least 10 segments, and there are 3" in compared.tables[0].sentence


def test_a_bootstrap_draws_from_documents_whatever_their_sizes(tmp_path):
    # Six documents, one with 115 of 120 segments: as good as 120 ** 2 / (115 ** 2 + 5) of equal size, but six to draw.
    corpus = demo(tmp_path / "unequal", lambda system, k: True)
    lines = [f"{k}\t{'long' if k <= 115 else k}\n" for k in range(1, 121)]
    (tmp_path / "unequal" / "documents.tsv").write_text("segment\tdocument\n" + "".join(lines))
    uncertainty = {"method": "bootstrap", "n_resamples": 200}
    found = metaeval.correlate(corpus, "bleu", documents={"kind": "all"}, uncertainty=uncertainty, **QUIET)
    assert found.grids[0].sample_size == pytest.approx(120**2 / (115**2 + 5), rel=1e-12)
    assert np.isfinite(found.estimates[0].lower)


def test_systems_that_were_judged_on_different_segments_are_counted_on_average(tmp_path):
    # Seven systems with 9 segments and one with 18: 8 / (7 / 9 + 1 / 18) = 9.6.
    corpus = demo(tmp_path / "few", lambda system, k: k <= (9 if system < 7 else 18))
    compared = metaeval.compare(corpus, ["bleu", "ter"], criteria=["adequacy"], resample="segments", ceiling=0)
    assert "a test needs at least 10 segments, and a system was judged on 9.6 on average" in compared.tables[0].sentence


def test_replicates_draw_segments_with_the_holes_they_have(tmp_path):
    directory = corpus(tmp_path)
    uncertainty = {"method": "bootstrap", "n_resamples": 30}
    found = metaeval.correlate(directory, "rouge-l", uncertainty=uncertainty, **QUIET)
    # Of four units all 35 samples would be listed; 30 are drawn.
    drawn = draw_resamples(
        "segments", 4, 3, 30, rng_segments=generator(1, "bootstrap", "segments"), rng_systems=generator(1, "unused")
    ).segments
    scores = {name: [score("rouge-l", name, [k]) for k in (1, 2, 3, 4)] for name in "ABC"}
    expected = []
    for counts in drawn.tolist():
        people, metric = [], []
        for name in "ABC":
            weights = [counts[k - 1] for k in JUDGED[name]]
            people.append(np.average(list(JUDGED[name].values()), weights=weights) if sum(weights) else np.nan)
            metric.append(np.average(scores[name], weights=counts))
        defined = np.isfinite(people).all() and np.ptp(people) > 1e-9 and np.ptp(metric) > 1e-9
        expected.append(stats.pearsonr(metric, people).statistic if defined else np.nan)
    (estimate,) = (one for one in found.estimates if one.coefficient == "pearson")
    # Rouge-L of a corpus is the mean of its segments here, as the test of the estimate shows.
    np.testing.assert_allclose(estimate.replicates, expected, atol=1e-9)
    assert np.isnan(expected).any()
    assert np.isfinite(expected).any()


def test_a_system_that_nobody_judged_is_left_out_and_named(tmp_path):
    found = metaeval.compare(
        corpus(tmp_path, {"A": {1: 5, 2: 1}, "C": {1: 2, 2: 4}}), ["rouge-l", "ter"], n_resamples=20, **QUIET
    )
    assert any("nobody judged 'B', which is left out." in text for text in found.results.warnings)
    assert set(found.results.correlations["n_systems"]) == {2}
    assert found.results.grids[0].systems == ("A", "C")
    with pytest.raises(UsageError, match="judged one system, 'A', and a correlation across systems needs two"):
        metaeval.compare(corpus(tmp_path / "one", {"A": {1: 5, 2: 1}}), ["rouge-l"], n_resamples=20, **QUIET)


def test_pseudo_documents_stop_where_less_than_half_remains(tmp_path):
    directory = corpus(tmp_path, {"A": {1: 5, 2: 1, 3: 3}, "B": {1: 3, 2: 4}, "C": {1: 2, 4: 4}})
    documents = {"kind": "pseudo", "lengths": [1], "count": 20}
    with pytest.raises(UsageError) as stopped:
        metaeval.correlate(directory, "rouge-l", documents=documents, **QUIET)
    for line in ("1 of 4 segments have a judgment of every system", "`require='any'` (or", "`require='all'` (or"):
        assert line in str(stopped.value)
    every = metaeval.correlate(directory, "rouge-l", documents=documents, judgments={"require": "all"}, **QUIET)
    assert set(every.correlations["n_segments"]) == {1}
    some = metaeval.correlate(directory, "rouge-l", documents=documents, judgments={"require": "any"}, **QUIET)
    assert set(some.correlations["n_segments"]) == {4}
    # A drawn judgment of an item is one there is, or none.
    drawn = metaeval.correlate(
        directory, "rouge-l", documents=documents, judgments={"require": "any", "rule": "draw"}, **QUIET
    )
    for one, other in zip(some.grids, drawn.grids, strict=True):
        np.testing.assert_array_equal(one.human, other.human)
        assert np.isnan(one.human).any()


def test_what_does_not_go_together_is_refused(tmp_path):
    directory = corpus(tmp_path)
    with pytest.raises(UsageError, match=r"`judgments.metric_over` = 'all' belongs to `judgments.require` = 'any'"):
        metaeval.compare(directory, ["ter"], require="all", metric_over="all", **QUIET)
    with pytest.raises(UsageError, match="'soft-pairwise-accuracy' needs segments where every system was judged"):
        metaeval.compare(directory, ["ter"], coefficient="soft-pairwise-accuracy", require="any", **QUIET)
    with pytest.raises(UsageError, match="exchanges the scores of all items, and not all of them were judged"):
        metaeval.compare(
            directory,
            ["ter", "gtm"],
            level="segment",
            coefficient="pearson",
            test="permutation",
            n_resamples=20,
            **QUIET,
        )
    with pytest.raises(UsageError, match=re.escape("unknown judgments.require") + "|must be one of 'all', 'any'"):
        metaeval.compare(directory, ["ter"], require="some", **QUIET)


@pytest.mark.parametrize("resample", ["segments", "systems", "both"])
@pytest.mark.parametrize("level", ["system", "segment", "documents(length=5,count=50)"])
def test_eight_systems_with_two_fifths_of_the_items_judged(tmp_path, level, resample):
    # Every number here is chance: what must hold is that something is said, and by how much it rests on.
    rng = np.random.default_rng(5)
    names = [f"s{k}" for k in range(8)]
    words = ["a", "b", "c", "d"]
    texts = {f"systems__{name}": "\n".join(" ".join(rng.choice(words, 5)) for _ in range(60)) + "\n" for name in names}
    texts |= {f"systems__{name}": None for name in SYSTEMS}
    texts |= {"references__ref1": "\n".join(" ".join(rng.choice(words, 5)) for _ in range(60)) + "\n"}
    texts["references__ref2"] = None
    judged = {name: {k: int(rng.integers(1, 6)) for k in range(1, 61) if rng.random() < 0.4} for name in names}
    directory = corpus(tmp_path, judged, **texts)
    settings = {"resample": resample, "n_resamples": 60, "coefficient": "pearson", **QUIET}
    if level.startswith("documents"):
        with pytest.raises(UsageError, match=r"have a judgment of every system|no document can be made"):
            metaeval.compare(directory, ["ter", "gtm"], level=level, **settings)
        settings["require"] = "any"
    found = metaeval.compare(directory, ["ter", "gtm"], level=level, **settings)
    n_judged = sum(map(len, judged.values()))
    share = f"of 480 items were judged ({100 * n_judged / 480:.0f} %)"
    assert any(share in note for note in found.notes) or level == "segment"
    values = [(row["value"], row["lower"], row["upper"]) for row in found.to_frame().to_dict("records")]
    assert np.isfinite(values).all()
    assert all(lower < upper for _, lower, upper in values)


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0, "0 %"),
        (1, "100 %"),
        (0.41, "41 %"),
        (0.004, "0.4 %"),
        (2847 / 2848, "99.96 %"),
        (1e-9, "< 0.001 %"),
        (1 - 1e-9, "> 99.999 %"),
    ],
)
def test_what_is_nearly_all_or_nothing_is_not_told_as_such(share, words):
    assert percent(share) == words


def test_a_metric_that_lacks_a_system_is_resampled_over_the_others(tmp_path):
    names = [f"s{k}" for k in range(6)]
    files = {f"systems__{name}": f"a {name}\n" for name in names} | {f"systems__{name}": None for name in SYSTEMS}
    files |= {"references__ref1": "a b\n", "references__ref2": None}
    people, scores = [1, 2, 4, 3, 5, 2], [0.1, 0.3, 0.2, 0.5, 0.4]
    files["metrics__mine.system"] = "system\tscore\n" + "".join(f"s{k}\t{one}\n" for k, one in enumerate(scores))
    directory = corpus(tmp_path, {name: {1: one} for name, one in zip(names, people, strict=True)}, **files)
    found = metaeval.correlate(
        directory,
        "precomputed:mine",
        correlation={"coefficients": ["pearson"]},
        uncertainty={"method": "bootstrap", "resample": "systems", "n_resamples": 50},
        **QUIET,
    )
    drawn = draw_resamples(
        "systems", 1, 6, 50, rng_segments=generator(1, "unused"), rng_systems=generator(1, "bootstrap", "systems")
    ).systems
    expected = []
    for systems in drawn.tolist():
        x, y = zip(*((scores[k], people[k]) for k in systems if k < 5), strict=True)
        expected.append(stats.pearsonr(x, y).statistic if len({*x}) > 1 and len({*y}) > 1 else np.nan)
    (estimate,) = found.estimates
    np.testing.assert_allclose(estimate.replicates, expected, atol=1e-9)
    assert estimate.value == pytest.approx(stats.pearsonr(scores, people[:5]).statistic, abs=1e-9)
    assert found.correlations["n_systems"].tolist() == [5]


SCORES = "system\tsegment\tscore\n"


def scored(directory, name, values):
    """Write scores of segments, {system: scores}; None is a segment without one."""
    lines = [
        f"{system}\t{k}\t{one}" for system, row in values.items() for k, one in enumerate(row, 1) if one is not None
    ]
    (directory / f"{name}.tsv").write_text(SCORES + "\n".join(lines) + "\n")
    return f"scores:{directory / name}.tsv"


FULL = {"A": {1: 5, 2: 3, 3: 4, 4: 5}, "B": {1: 2, 2: 4, 3: 3, 4: 3}, "C": {1: 1, 2: 1, 3: 2, 4: 2}}


def test_metrics_that_lack_a_system_have_no_rank_among_those_that_do_not(tmp_path):
    directory = corpus(tmp_path, FULL)
    perfect = {name: list(row.values()) for name, row in FULL.items()}
    lacking = {name: perfect[name] for name in "AB"}
    poor = {"A": [1, 2, 1, 2], "B": [2, 1, 2, 1], "C": [1, 3, 2, 1]}
    metrics = [scored(tmp_path, "first", lacking), scored(tmp_path, "second", lacking), scored(tmp_path, "poor", poor)]
    metrics.append(scored(tmp_path, "other", {**poor, "A": [2, 2, 3, 2]}))
    # Of kinds that take four segments.
    kinds = {"interval": "percentile", "test": "bootstrap"}
    found = metaeval.compare(directory, metrics, level="segment", n_resamples=60, ceiling=2, **kinds, **QUIET)
    ranks = found.results.rankings.set_index(["method", "metric"])["rank"]
    for method in ("bootstrap", "intervals"):
        assert ranks[method, metrics[0]] is None or np.isnan(ranks[method, metrics[0]])
        assert sorted(ranks[method, name] for name in metrics[2:]) == [1, 2]
    table = found.tables[0]
    assert [row["systems"] for row in table.rows] == [3, 3, 2, 2]
    assert "first" not in table.sentence.partition("the highest coefficient")[0]
    assert not any(name in table.sentence.partition("constant metric")[2] for name in ("first", "second"))
    assert not any(row.get("fraction of ceiling") for row in table.rows if row["systems"] == 2)


def test_a_constant_metric_is_compared_with_those_of_the_same_systems(tmp_path):
    tied = {**FULL, "B": {**FULL["B"], 1: FULL["A"][1]}}
    same = scored(tmp_path, "same", {name: [1, 1, 1, 1] for name in "ABC"})
    lacking = scored(tmp_path, "lacking", {name: list(FULL[name].values()) for name in "AB"})
    settings = {"level": "segment", "n_resamples": 20, "ceiling": 0, **QUIET}
    both = metaeval.compare(corpus(tmp_path, tied), [same, lacking], **settings)
    # Of the three pairs of one of four segments, human scores tie one.
    assert both.tables[0].sentence.startswith(
        "adequacy: no metric that scored all systems is shown to do better than a constant score: the best, same, has "
        "0.083, no more than one that gives every text the same score. acc_eq is the share of pairs"
    )
    alone = metaeval.compare(corpus(tmp_path, tied), lacking, **settings)
    assert alone.tables[0].sentence == "adequacy: lacking has 0.75; it is the only metric."
    assert [row["metric"] for row in alone.tables[0].rows] == ["lacking", "constant"]


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_the_threshold_of_a_signature_is_the_calibrated_one(tmp_path, better):
    rng = np.random.default_rng(3)
    values = {name: [*rng.integers(0, 5, size=4).tolist()] for name in "ABC"}
    values["B"][1] = None
    sign = 1 if better == "higher" else -1
    metric = scored(tmp_path, "mine", {n: [None if v is None else sign * v for v in row] for n, row in values.items()})
    metric = f'scores(file="{metric.removeprefix("scores:")}",higher_is_better={better == "higher"})'
    people = {"A": {1: 5, 2: 3, 3: 4, 4: 5}, "B": {1: 5, 2: 4, 3: 3}, "C": {1: 1, 2: 1, 4: 2}}
    found = metaeval.correlate(
        corpus(tmp_path, people),
        metric,
        documents={"kind": "segments"},
        correlation={"coefficients": ["acc_eq"]},
        uncertainty={"method": "none"},
        **QUIET,
    )
    row = found.correlations[found.correlations["metric"] == metric].to_dict("records")[0]
    # Segment 2 is left out, where the metric lacks a judged system.
    best = {}
    for threshold in range(5):
        accuracies = []
        for k in (1, 3, 4):
            here = [(values[name][k - 1], people[name][k]) for name in "ABC" if k in people[name]]
            pairs = [(x - a, y - b) for i, (x, y) in enumerate(here) for a, b in here[:i]]
            right = [np.sign(dx) * (abs(dx) > threshold) == np.sign(dy) for dx, dy in pairs]
            accuracies.append(np.mean(right))
        best[threshold] = np.mean(accuracies)
    assert row["mean"] == pytest.approx(max(best.values()), abs=1e-12)
    smallest = min(one for one, value in best.items() if value > max(best.values()) - 1e-9)
    assert f"threshold:{float(smallest)!r}|" in row["signature"]


def test_a_system_drawn_twice_is_no_pair_with_itself(tmp_path):
    directory = corpus(tmp_path, FULL)
    metric = scored(tmp_path, "mine", {"A": [1, 2, 3, 1], "B": [2, 1, 2, 1], "C": [1, 3, 2, 1]})
    for kind, coefficient in (
        ("segments", "pairwise-accuracy"),
        ("segments", 'kendall(variant="23")'),
        ("all", "pairwise-accuracy"),
    ):
        found = metaeval.correlate(
            directory,
            metric,
            documents={"kind": kind},
            correlation={"coefficients": [coefficient]},
            uncertainty={"method": "bootstrap", "resample": "systems", "n_resamples": 10},
            **QUIET,
        )
        estimate = next(one for one in found.estimates if one.metric == metric)
        grid = grid_of(found)
        scores, human = grid.scores(metric), grid.human
        expected = []
        # All 10 draws of three systems: AAA, AAB, AAC, ABB, ...
        for draw in (
            (0, 0, 0),
            (0, 0, 1),
            (0, 0, 2),
            (0, 1, 1),
            (0, 1, 2),
            (0, 2, 2),
            (1, 1, 1),
            (1, 1, 2),
            (1, 2, 2),
            (2, 2, 2),
        ):
            pairs = [(i, j) for n, i in enumerate(draw) for j in draw[:n] if i != j]
            right = [
                [np.sign(s[i] - s[j]) == np.sign(h[i] - h[j]) for i, j in pairs]
                for s, h in zip(scores, human, strict=True)
            ]
            value = np.mean(right) if pairs else np.nan
            expected.append(value if coefficient == "pairwise-accuracy" else 2 * value - 1)
        np.testing.assert_allclose(estimate.replicates, expected, atol=1e-12)


def test_replicates_of_scores_are_those_of_the_systems_of_a_criterion(tmp_path):
    lines = [
        f"{k}\t{name}\tann\t{criterion}\t{score}"
        for criterion, names in (("adequacy", "ABC"), ("errors", "AC"))
        for name in names
        for k, score in FULL[name].items()
    ]
    directory = write(
        tmp_path / "two", judgments="\n".join(["segment\tsystem\tjudge\tcriterion\tscore", *lines]) + "\n"
    )
    found = metaeval.correlate(directory, "rouge-l", uncertainty={"n_resamples": 20}, preprocessing="case")
    shapes = {one.key.criterion: one.score_replicates("rouge-l").shape[1] for one in found.grids}
    assert shapes == {"adequacy": 3, "errors": 2}


def test_the_ceiling_of_single_segments_takes_the_systems_judged_twice(tmp_path):
    # Judges ann and bob: two systems a segment, never all three; they agree in full.
    pairs = {1: "AB", 2: "AC", 3: "BC", 4: "AB"}
    lines = [
        f"{k}\t{name}\t{judge}\tadequacy\t{FULL[name][k]}"
        for k, pair in pairs.items()
        for name in pair
        for judge in ("ann", "bob")
    ]
    directory = write(
        tmp_path / "twice",
        corpus=TOML,
        judgments="\n".join(["segment\tsystem\tjudge\tcriterion\tscore", *lines]) + "\n",
    )
    found = metaeval.compare(
        directory, ["rouge-l"], level="segment", coefficient="pearson", n_resamples=20, ceiling=4, **QUIET
    )
    rows = found.results.ceiling.set_index("kind")["value"]
    np.testing.assert_allclose(rows[["split-half", "ceiling"]], 1.0, rtol=1e-15)


def test_claims_compare_metrics_of_the_same_systems_and_no_constant(tmp_path):
    directory = corpus(tmp_path, FULL)
    perfect = {name: list(row.values()) for name, row in FULL.items()}
    metrics = [scored(tmp_path, "lacking", {name: perfect[name] for name in "AB"})]
    metrics += [scored(tmp_path, "whole", {**perfect, "A": [5, 3, 4, 1]})]
    config = tmp_path / "claims.toml"
    listed = ", ".join(f"'{name}'" for name in metrics)
    config.write_text(
        f"""title = "t"
corpora = ["{directory}"]
metrics = [{listed}]
criteria = ["adequacy"]
[documents]
kind = "segments"
[correlation]
coefficients = ["pairwise-accuracy"]
[uncertainty]
method = "bootstrap"
n_resamples = 50
[[claims]]
paper = "each"
statement = "each above 0.01"
[[claims]]
paper = "two"
statement = "{metrics[0]} above {metrics[1]}"
"""
    )
    found = metaeval.run(config, output=tmp_path / "run")
    each, two = found.claims.to_dict("records")
    assert (each["verdict"], "constant" in str(each)) == ("holds", False)
    assert two["verdict"] not in ("holds", "fails")


def test_the_name_of_the_constant_metric_is_no_other_ones():
    with pytest.raises(UsageError, match="the name 'constant' is that of a constant metric beside yours"):
        named_metrics([Named("constant", get_metric("ter"))])


def test_noise_is_not_told_to_be_better_than_a_constant_metric(tmp_path):
    # Calibrated ties may tie everything, so that noise has at least what a constant metric has, in each replicate.
    rng = np.random.default_rng(7)
    people = {name: {k: int(rng.integers(1, 6)) for k in range(1, 5)} for name in "ABC"}
    noise = scored(tmp_path, "noise", {name: rng.normal(size=4).tolist() for name in "ABC"})
    settings = {"level": "segment", "n_resamples": 100, "ceiling": 0, **QUIET}
    found = metaeval.compare(corpus(tmp_path, people), [noise, "ter"], **settings)
    assert "constant" not in set(found.results.tests["metric_b"])
    assert "not even noise, so there is no test against it" in found.tables[0].note
    assert "better than a constant metric" not in found.tables[0].sentence.replace("No metric agrees", "")
    plain = metaeval.compare(corpus(tmp_path, people), [noise, "ter"], coefficient="pairwise-accuracy", **settings)
    assert (plain.results.tests["metric_b"] == "constant").sum() == 2
