"""Campaigns that judge a part of the items: what is correlated, what is left out, and what is said of it."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import stats

import metaeval
from metaeval.errors import UsageError, percent
from metaeval.randomness import generator
from metaeval.sampling.resamples import draw_resamples
from tests.support.corpus import REFERENCES, SYSTEMS, TOML, write

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
    assert any("made of 3 of 4 segments; 1 lack a judgment of two systems" in text for text in found.warnings)
    # All cells together: those that were judged, of every segment.
    together = metaeval.correlate(corpus(tmp_path), "rouge-l", correlation={**of, "average_by": "none"}, **settings)
    cells = [(score("rouge-l", name, [k]), judged) for name, row in JUDGED.items() for k, judged in row.items()]
    assert together.correlations["mean"][0] == pytest.approx(stats.pearsonr(*zip(*cells, strict=True))[0], abs=1e-12)


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
    (series, *_) = found.results.data.series
    assert series.systems == ("A", "C")
    with pytest.raises(UsageError, match="judged one system, 'A', and a correlation across systems needs two"):
        metaeval.compare(corpus(tmp_path / "one", {"A": {1: 5, 2: 1}}), ["rouge-l"], n_resamples=20, **QUIET)


def test_pseudo_documents_stop_where_less_than_half_remains(tmp_path):
    directory = corpus(tmp_path, {"A": {1: 5, 2: 1, 3: 3}, "B": {1: 3, 2: 4}, "C": {1: 2, 4: 4}})
    documents = {"kind": "pseudo", "lengths": [1], "count": 20}
    with pytest.raises(UsageError) as stopped:
        metaeval.correlate(directory, "rouge-l", documents=documents, **QUIET)
    for line in ("1 of 4 segments have a judgment of every system", "--require any (or", "--require all (or"):
        assert line in str(stopped.value)
    every = metaeval.correlate(directory, "rouge-l", documents=documents, judgments={"require": "all"}, **QUIET)
    assert set(every.correlations["n_segments"]) == {1}
    some = metaeval.correlate(directory, "rouge-l", documents=documents, judgments={"require": "any"}, **QUIET)
    assert set(some.correlations["n_segments"]) == {4}
    # A drawn judgment of an item is one there is, or none.
    drawn = metaeval.correlate(
        directory, "rouge-l", documents=documents, judgments={"require": "any", "rule": "draw"}, **QUIET
    )
    arrays = [{name: array for name, array in one.arrays.items() if name.endswith("/human")} for one in (some, drawn)]
    for one, other in zip(arrays[0].values(), arrays[1].values(), strict=True):
        np.testing.assert_array_equal(one, other)
        assert np.isnan(one).any()


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
    settings = {"resample": resample, "n_resamples": 40, "coefficient": "pearson", **QUIET}
    if level.startswith("documents"):
        with pytest.raises(UsageError, match=r"have a judgment of every system|no document can be made"):
            metaeval.compare(directory, ["ter", "gtm"], level=level, **settings)
        settings["require"] = "any"
    found = metaeval.compare(directory, ["ter", "gtm"], level=level, **settings)
    n_judged = sum(map(len, judged.values()))
    (table,) = found.tables
    assert f"of 480 items were judged ({100 * n_judged / 480:.0f} %)" in table.note or level == "segment"
    values = [(row["value"], row["lower"], row["upper"]) for row in found.to_frame().to_dict("records")]
    assert np.isfinite(values).all()
    assert all(lower < upper for _, lower, upper in values)


@pytest.mark.parametrize(
    ("share", "words"),
    [(0, "0 %"), (1, "100 %"), (0.41, "41 %"), (0.004, "0.4 %"), (2847 / 2848, "99.96 %"), (1e-9, "0.0000 %")],
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
