"""Coefficients among good systems: against scipy, an experiment on these systems alone, and laws."""

from __future__ import annotations

import csv
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import metaeval
from metaeval.components.registries import FIGURES
from metaeval.errors import UsageError
from metaeval.report.figures.run_frames import figure_data
from metaeval.results.rows import BandName
from tests.support.gold import of_others

ALL = BandName("all")
N_SEGMENTS = 120


def corpus_of(human, metrics, *, seed=0, noise=1.0, higher=True):
    """Return a corpus of given true qualities, (systems,), with normal noise of segments, in documents of three.

    A metric with fewer qualities has no scores of the last systems.
    """
    rng = np.random.default_rng(seed)
    names = [f"s{number:02}" for number in range(len(human))]
    judged = np.asarray(human)[:, None] + rng.normal(size=(len(names), N_SEGMENTS))
    judgments = [
        {"system": system, "segment": segment + 1, "quality": float(value)}
        for system, row in zip(names, judged if higher else -judged, strict=True)
        for segment, value in enumerate(row)
    ]
    scored = {
        metric: {
            system: (quality + noise * rng.normal(size=N_SEGMENTS)).tolist()
            for system, quality in zip(names, qualities, strict=False)
        }
        for metric, qualities in metrics.items()
    }
    outputs = pd.DataFrame(
        {
            "segment": range(1, N_SEGMENTS + 1),
            "document": [f"d{segment // 3}" for segment in range(N_SEGMENTS)],
            **{system: [f"{system} text {segment}" for segment in range(N_SEGMENTS)] for system in names},
        }
    )
    criteria = {"quality": metaeval.Criterion("quality", -1000, 1000, higher_is_better=higher)}
    return metaeval.corpus(judgments, outputs=outputs, scores=scored, criteria=criteria, name="made")


# Six bad systems far apart, and six good ones that are close.
QUALITIES = np.array([0, 4, 8, 12, 16, 20, 30, 31, 32, 33, 34, 35], dtype=float)
# Right about the whole range, and the wrong way round among the good ones; and right among these alone.
WIDE = np.concatenate([QUALITIES[:6], 64 - QUALITIES[6:]])
FINE = np.concatenate([[24, 30, 25, 29, 26, 28], QUALITIES[6:]])


@pytest.fixture(scope="module")
def crossing():
    return corpus_of(QUALITIES, {"wide": WIDE, "fine": FINE})


@pytest.fixture(scope="module")
def compared(crossing):
    return metaeval.compare(crossing, ["precomputed:wide", "precomputed:fine"], bands=(8, 6), ceiling=0)


def bands_of(found):
    return {(str(row.name), row.key.metric, row.key.coefficient): row for row in found.data.tables.bands}


def test_values_are_those_of_scipy_on_the_best_systems(compared):
    grid = compared.results.grids[0]
    people = grid.human[0]
    order = np.argsort(-people)
    rows = bands_of(compared.results)
    for k, name in ((12, "all"), (8, "best 8"), (6, "best 6")):
        for metric in ("precomputed:wide", "precomputed:fine"):
            chosen = order[:k]
            row = rows[name, metric, "pearson"]
            expected = stats.pearsonr(grid.scores(metric)[0][chosen], people[chosen])[0]
            assert row.value == pytest.approx(expected, abs=1e-12)
            assert (row.n_systems, row.n_pairs, row.n_segments) == (k, k * (k - 1) // 2, N_SEGMENTS)
            assert row.systems == ", ".join(grid.systems[place] for place in chosen)
            assert row.lower <= row.value <= row.upper
            assert row.resampled == "documents"


def test_a_band_is_an_experiment_on_these_systems_alone(crossing, compared):
    best = bands_of(compared.results)["best 8", "precomputed:wide", "pearson"].systems.split(", ")
    alone = metaeval.compare(
        crossing, ["precomputed:wide", "precomputed:fine"], filter={"systems": best}, ceiling=0
    ).results.data.tables
    rows = {row.key.metric: row for row in compared.results.data.tables.bands if row.name == BandName("best", 8)}
    for row in alone.correlations:
        assert (rows[row.key.metric].value, rows[row.key.metric].lower, rows[row.key.metric].upper) == pytest.approx(
            (row.mean, row.lower, row.upper), abs=1e-12
        )
    (test,) = [row for row in compared.results.data.tables.band_tests if row.name == BandName("best", 8)]
    (expected,) = alone.tests
    assert (test.difference, test.lower, test.upper, test.p) == pytest.approx(
        (expected.difference, expected.lower, expected.upper, expected.p), abs=1e-12
    )


def test_the_band_of_all_systems_is_the_whole(crossing):
    metrics = ["precomputed:wide", "precomputed:fine"]
    found = metaeval.compare(crossing, metrics, bands=12, coefficient=["pearson", "kendall"], ceiling=0).results
    rows = bands_of(found)
    for row in found.data.tables.correlations:
        for name in ("all", "best 12"):
            band = rows[name, row.key.metric, row.key.coefficient]
            assert (band.value, band.lower, band.upper) == (row.mean, row.lower, row.upper)
    p = {row.key.coefficient: row.p for row in found.data.tables.tests}
    assert [row.p for row in found.data.tables.band_tests] == [
        p[row.key.coefficient] for row in found.data.tables.band_tests
    ]


def test_other_numbers_do_not_change(crossing, compared):
    without = metaeval.compare(crossing, ["precomputed:wide", "precomputed:fine"], ceiling=0)
    for name in ("correlations", "tests", "rankings", "influence"):
        assert getattr(without.results, name).equals(getattr(compared.results, name))
    assert without.results.data.tables.bands == without.results.data.tables.band_tests == []
    assert "range alone" not in str(without)


def test_a_changed_order_is_one_sentence(compared):
    told = [line for table in compared._tables_for_people() for line in table.answers if "among all 12" in line]
    assert told == [
        "quality, Pearson: among all 12, wide agrees better than fine, and among the best 8 fine better than wide "
        "(p < 0.05 each, Holm over all 3 pairs and bands).",
        "quality, Pearson: among all 12, wide agrees better than fine, and among the best 6 fine better than wide "
        "(p < 0.05 each, Holm over all 3 pairs and bands).",
    ]
    # Three bands with one pair each; Holm multiplies the smallest p by three.
    tests = compared.results.data.tables.band_tests
    assert [row.family for row in tests] == [3, 3, 3]
    smallest = min(tests, key=lambda row: row.p)
    assert smallest.p_corrected == pytest.approx(min(1.0, 3 * smallest.p))


def test_a_metric_beside_itself_never_changes_its_order():
    rng = np.random.default_rng(4)
    for seed in range(3):
        noise = rng.normal(size=12)
        both = corpus_of(QUALITIES, {"one": WIDE + noise, "two": WIDE + noise}, seed=seed, noise=0.0)
        found = metaeval.compare(both, ["precomputed:one", "precomputed:two"], bands=(8, 6), ceiling=0)
        assert [row.difference for row in found.results.data.tables.band_tests] == [0.0, 0.0, 0.0]
        assert not any(row.p_corrected < 1 for row in found.results.data.tables.band_tests)
        assert "change their order" in str(found)
        assert "and among the best" not in str(found)


@pytest.mark.parametrize("seed", range(8))
def test_people_who_know_nothing_show_no_change(seed):
    # Qualities that people do not see: a sentence would need two errors at 5 % in one family.
    rng = np.random.default_rng(seed)
    shuffled = corpus_of(np.zeros(12), {"wide": rng.permutation(WIDE), "fine": rng.permutation(FINE)}, seed=seed)
    found = metaeval.compare(shuffled, ["precomputed:wide", "precomputed:fine"], bands=(8, 6), ceiling=0)
    assert "no two metrics change their order significantly among the best 8 or among the best 6" in str(found)


def test_lower_can_be_better():
    turned = corpus_of(QUALITIES, {"wide": WIDE}, higher=False)
    found = metaeval.compare(turned, ["precomputed:wide"], bands=6, ceiling=0)
    row = bands_of(found.results)["best 6", "precomputed:wide", "pearson"]
    assert sorted(row.systems.split(", ")) == [f"s{number:02}" for number in range(6, 12)]
    assert row.value < -0.9


def test_pairs_within_a_distance_are_counted(crossing):
    found = metaeval.compare(
        crossing, ["precomputed:wide"], coefficient=["pairwise-accuracy", "pearson"], pairs_within=2.5, ceiling=0
    ).results
    grid = found.grids[0]
    people, metric = grid.human[0], grid.scores("precomputed:wide")[0]
    right = [
        (people[a] - people[b]) * (metric[a] - metric[b]) > 0
        for a in range(12)
        for b in range(a)
        if abs(people[a] - people[b]) <= 2.5
    ]
    rows = bands_of(found)
    near = rows["pairs within 2.5", "precomputed:wide", "pairwise-accuracy"]
    assert (near.value, near.n_pairs) == (pytest.approx(np.mean(right)), len(right))
    # Pearson counts no pairs: it has the coefficient of all systems alone.
    assert ("pairs within 2.5", "precomputed:wide", "pearson") not in rows


def test_a_metric_that_scored_too_few_of_the_best_has_no_coefficient_there():
    fewer = corpus_of(QUALITIES, {"wide": WIDE, "fine": FINE[:8]})
    found = metaeval.compare(fewer, ["precomputed:wide", "precomputed:fine"], bands=6, ceiling=0)
    row = bands_of(found.results)["best 6", "precomputed:fine", "pearson"]
    assert math.isnan(row.value)
    assert (row.n_systems, row.no_interval_because) == (2, "it has scores of 2 of these systems")
    assert "best 6: 2" in str(found)


def test_programs_get_columns(compared):
    frame = compared.to_frame().set_index("metric")
    row = bands_of(compared.results)["best 6", "precomputed:fine", "pearson"]
    columns = ["best_6", "best_6_lower", "best_6_upper", "best_6_range_alone"]
    assert frame.loc["precomputed:fine", columns].tolist() == [row.value, row.lower, row.upper, row.range_alone]
    assert "best_8_range_alone_lower" in compared.text("tsv").split("\n")[0].split("\t")


def test_a_run_keeps_its_bands(tmp_path, crossing):
    metrics = ["precomputed:wide", "precomputed:fine"]
    metaeval.compare(crossing, metrics, bands=(8, 6), ceiling=0, output=tmp_path / "run")
    again = metaeval.load_run(tmp_path / "run")
    assert {str(row.name) for row in again.data.tables.bands} == {"all", "best 8", "best 6"}
    assert len(again.bands) == 6
    assert len(again.band_tests) == 3
    assert "among the best 6" in (tmp_path / "run" / "tables.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"bands": (8, 4)}, "`bands.best` must be 5 systems or more; got 4"),
        ({"bands": (8, 8)}, "`bands.best` names one number twice"),
        ({"bands": 13}, "made, quality: `bands.best` must be at most the 12 systems that were judged; got 13"),
        ({"bands": 6.5}, "`bands` must be a whole number; got 6.5"),
        ({"bands": 6, "level": "segment"}, "`bands.best` is of coefficients across whole systems"),
        ({"bands": 6, "coefficient": "spa"}, "`bands.best` is of coefficients across whole systems"),
        ({"segments_above": 3}, "`bands.segments_above` is of single segments"),
        ({"segments_above": 38.5, "level": "segment"}, "must leave segments of 5 systems or more; better than 38.5"),
        ({"bands": 6, "resample": "systems"}, "`uncertainty.resample` must be 'text', 'segments' or 'documents'"),
        ({"bands": 6, "correlation": {"orientation": "raw"}}, "`correlation.orientation` must be 'aligned'"),
        ({"bands": 6, "interval": "jackknife"}, "`bands` have intervals over texts"),
        ({"bands": 6, "test": "williams"}, "`bands` are compared over texts"),
        ({"pairs_within": 2}, "`bands.pairs_within` chooses pairs of whole systems.* pairwise-accuracy"),
        ({"pairs_within": 0.001, "coefficient": "pairwise-accuracy"}, "leaves no pair of systems: the closest two are"),
    ],
)
def test_what_has_no_bands_is_refused(crossing, settings, message):
    with pytest.raises(UsageError, match=message):
        metaeval.compare(crossing, ["precomputed:wide"], ceiling=0, **settings)


def test_a_level_takes_the_bands_that_it_has(crossing):
    found = metaeval.compare(crossing, ["precomputed:wide"], bands=6, level=["system", "segment"], ceiling=0)
    assert {(row.key.panel, str(row.name)) for row in found.results.data.tables.bands} == {
        ("system, pearson", "all"),
        ("system, pearson", "best 6"),
    }


def test_the_figure_shows_the_rows_of_bands(compared):
    figure = FIGURES["best-systems"](bands="none")
    (drawn,) = figure.draw(figure_data(compared.results.data), "").values()
    (panel,) = drawn.axes
    rows = bands_of(compared.results)
    dotted = [line for line in panel.get_lines() if line.get_marker() == "None"]
    colours = {line.get_color(): line.get_gid() for line in panel.get_lines() if line.get_gid()}
    assert sorted(colours[line.get_color()] for line in dotted) == ["precomputed:fine", "precomputed:wide"]
    for line in dotted:
        medians = dict(zip(*line.get_data(), strict=True))
        for k in (8, 6):
            row = rows[f"best {k}", colours[line.get_color()], "pearson"]
            assert medians[k] == pytest.approx(row.range_alone, abs=1e-9)


@pytest.mark.parametrize(("n_systems", "is_drawn"), [(12, True), (11, False)])
def test_a_comparison_draws_it_from_twelve_systems_on(tmp_path, n_systems, is_drawn):
    corpus = corpus_of(QUALITIES[-n_systems:], {"wide": WIDE[-n_systems:]})
    run = metaeval.compare(corpus, ["precomputed:wide"], ceiling=0, output=tmp_path / "run").results
    assert (run.directory / "figures" / "best-systems.png").exists() == is_drawn
    assert not any("best-systems" in one for one in run.warnings)


WMT20 = [("de-en", 9), ("ja-en", 7), ("pl-en", 13), ("ru-en", 10), ("ta-en", 12), ("zh-en", 15)]


@pytest.mark.parametrize(("pair", "k"), WMT20)
def test_without_the_worst_systems_are_the_published_values_without_outliers(pair, k):
    # Mathur et al. 2020, three digits. In these pairs, all outliers of the task are worse than all other systems.
    folder = of_others("corpora/wmt20-to-english")
    with (folder / "published" / "pearson_without_outliers.tsv").open(encoding="utf-8") as file:
        published = {row["metric"]: row["value"] for row in csv.DictReader(file, delimiter="\t") if row["pair"] == pair}
    found = metaeval.compare(
        folder / "system-level" / pair, ["precomputed:*"], bands=k, interval="none", tests=[], ceiling=0
    )
    rows = {
        row.key.metric.removeprefix("precomputed:"): row
        for row in found.results.data.tables.bands
        if row.name == BandName("best", k)
    }
    assert len(published) >= 29
    # Some tables of the task print no sign.
    assert {name: f"{abs(row.value):.3f}" for name, row in rows.items()} == {
        name: value.removeprefix("-") for name, value in published.items()
    }


@pytest.mark.parametrize("average_by", ["item", "none"])
def test_good_segments_are_those_that_people_score_as_better(crossing, average_by):
    found = metaeval.compare(
        crossing,
        ["precomputed:wide"],
        level="segment",
        coefficient="pearson",
        correlation={"average_by": average_by},
        segments_above=30.5,
        ceiling=0,
    ).results
    grid = found.grids[0]
    human, scores = grid.human, grid.scores("precomputed:wide")
    good = human > 30.5
    if average_by == "none":
        expected = stats.pearsonr(scores[good], human[good])[0]
        n_pairs = good.sum() * (good.sum() - 1) // 2
    else:
        values = [stats.pearsonr(scores[row, at], human[row, at])[0] for row, at in enumerate(good) if at.sum() > 1]
        expected, counts = np.mean(values), good.sum(axis=1)
        n_pairs = (counts * (counts - 1)).sum() // 2
    row = bands_of(found)["segments better than 30.5", "precomputed:wide", "pearson"]
    assert row.value == pytest.approx(expected, abs=1e-12)
    assert row.lower < row.value < row.upper
    assert (row.n_items, row.n_segments, row.n_pairs) == (good.sum(), good.any(axis=1).sum(), n_pairs)
    assert math.isnan(row.range_alone)
    whole = bands_of(found)["all", "precomputed:wide", "pearson"]
    assert (whole.value, whole.n_items) == (found.estimates[0].value, human.size)


def test_a_limit_below_all_segments_changes_nothing(crossing):
    metrics = ["precomputed:wide", "precomputed:fine"]
    found = metaeval.compare(crossing, metrics, level="segment", segments_above=-500, ceiling=0).results
    rows = list(bands_of(found).values())
    assert len(rows) == 4
    for all_segments, good in zip(rows[::2], rows[1::2], strict=True):
        assert (all_segments.value, all_segments.lower, all_segments.upper) == (good.value, good.lower, good.upper)
        assert all_segments.n_items == good.n_items
    first, second = found.data.tables.band_tests
    assert (first.difference, first.p) == (second.difference, second.p)


def test_tasks_take_the_bands_that_they_have(tmp_path):
    table = {"corpora": ["demo"], "metrics": ["bleu", "ter"], "criteria": ["adequacy"]}
    tasks = [{"level": "system"}, {"level": "segment"}]
    config = {"title": "Two tasks", **table, "bands": {"best": [5]}, "tasks": tasks, "ranking": {"permutations": 0}}
    run = metaeval.run(config, output=tmp_path / "run")
    found = {(row.key.documents.kind, str(row.name)) for row in run.data.tables.bands}
    assert found == {("all", "all"), ("all", "best 5")}
    assert "among the best 5" in run.text()
    with pytest.raises(UsageError, match=r"`bands.pairs_within` chooses pairs .*; there is no such level here"):
        metaeval.run({**config, "bands": {"pairs_within": 0.2}}, output=tmp_path / "other")


def test_a_shared_task_draws_it_too(tmp_path):
    corpus = corpus_of(QUALITIES, {"wide": WIDE, "fine": FINE})
    settings = {
        "title": "One task",
        "metrics": ["precomputed:wide", "precomputed:fine"],
        "tasks": [{"level": "system"}],
    }
    run = metaeval.run({**settings, "ranking": {"permutations": 0}}, corpora=corpus, output=tmp_path / "run")
    assert (run.directory / "figures" / "best-systems.png").exists()
    assert run.failures == ()
    # Only what the figure shows is kept of the coefficients without some systems.
    assert {row.left_out for row in run.data.tables.influence} == {""}
    figure = metaeval.load_run(run.directory).figure("best-systems")
    assert figure.caption.startswith("Points: coefficients over so many of the best systems, 12 being all.")
