"""Configs in which features meet: each runs, is read again as it was written, and has numbers computed another way."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from functools import cache
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest
from sacrebleu import corpus_bleu
from scipy import stats

import metaeval
from metaeval.errors import MetaevalWarning, UsageError
from metaeval.results.store import FILES, read_run, write_run
from tests.crossings.corpora import make_corpus
from tests.support.grids import grid_of

CONFIGS = {path.stem: path for path in sorted(Path(__file__).parent.glob("*.toml"))}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Write the corpora and the configs side by side; return their directory."""
    directory = tmp_path_factory.mktemp("crossings")
    for name, path in CONFIGS.items():
        (directory / f"{name}.toml").write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    return directory


@pytest.fixture(scope="module")
def corpora(place):
    """Write the corpora; return what they hold, by name."""
    return {
        "talks": make_corpus(place / "talks", seed=1),
        "holes": make_corpus(place / "holes", missing=0.15, seed=2),
        "plain": make_corpus(place / "plain", n_systems=8, names_documents=False, seed=3),
    }


@pytest.fixture(scope="module")
def run(place, corpora):
    """Return a function that gives the run of a config, each made once."""
    return cache(lambda name: metaeval.run(place / f"{name}.toml", output=place / "runs" / name))


def contents(directory):
    return {path.name: path.read_bytes() for path in directory.iterdir() if path.name in {*FILES} - {"manifest.json"}}


@pytest.mark.parametrize("name", CONFIGS)
def test_the_labels_of_a_run_name_all_arrays_of_its_file(name, run):
    found = run(name)
    with np.load(found.directory / "grids.npz") as file:
        labels = json.loads(file["labels.json"])
        named = {member for kind in labels.values() for one in kind for member in one["arrays"].values()}
        assert {f"{member}.npy" for member in file.files if member != "labels.json"} == named
    assert len(labels["grids"]) == len(found.grids)


@pytest.mark.parametrize("name", CONFIGS)
def test_every_array_has_the_axes_that_its_grid_names(name, run):
    for grid in run(name).grids:
        n_metrics, n_systems = len(grid.metrics), len(grid.systems)
        n_documents = len(grid.human)
        assert grid.human.shape == (n_documents, n_systems)
        assert len(grid.documents) in (0, n_documents)
        units = {"item": n_documents, "system": n_systems, "none": 1}[grid.key.average_by]
        length = grid.key.length
        assert grid.segments is None or grid.segments.shape == (n_documents, length)
        for coefficient in grid.coefficient_names:
            assert grid.coefficients(coefficient).shape == (n_metrics, units)
            replicates, pairs = grid.replicates(coefficient), grid.pairs(coefficient)
            assert pairs is None or pairs.shape == (n_systems, n_systems)
            assert (replicates is not None) <= bool(grid.draws)
            if replicates is not None:
                n_replicates = int(grid.draws.split()[0])
                assert replicates.shape == (n_metrics, n_replicates)
                assert grid.weights is None or grid.weights.shape == (n_replicates,)
                assert grid.human_replicates is None or grid.human_replicates.shape == (n_replicates, n_systems)
        for position in range(n_metrics):
            scores, replicates = grid.scores(position), grid.score_replicates(position)
            assert scores.shape in ((n_documents, n_systems), (len(grid.subsets), n_documents, n_systems))
            assert replicates is None or replicates.shape == grid.human_replicates.shape
            assert grid.position(grid.key_of(position)) == position


@pytest.mark.parametrize("name", CONFIGS)
def test_every_row_has_the_title_of_a_panel_or_task(name, run):
    found, config = run(name).data, tomllib.loads(CONFIGS[name].read_text(encoding="utf-8"))
    panels = {one["title"] for one in config.get("panels", [])} or {""}
    titles = {row.task for row in found.tables.tasks} if "tasks" in config else panels
    tables = [rows for rows in vars(found.tables).values() if rows and hasattr(rows[0], "key")]
    for rows in (*tables, found.grids, found.scores):
        assert {row.key.panel for row in rows} <= titles
    assert {row.key.panel for row in found.tables.correlations} == titles


@pytest.mark.parametrize("name", CONFIGS)
def test_a_run_that_is_read_and_written_again_has_the_same_bytes(name, run, tmp_path):
    found = run(name)
    write_run(read_run(found.directory), tmp_path)
    assert contents(tmp_path) == contents(found.directory)


@pytest.mark.parametrize("name", [name for name, path in CONFIGS.items() if "figures" in path.read_text("utf-8")])
def test_figures_that_are_drawn_again_have_the_same_bytes(name, run, tmp_path):
    found = run(name)
    drawn = {path.name: path.read_bytes() for path in metaeval.draw_run(found.directory, output=tmp_path)}
    assert drawn == {path.name: path.read_bytes() for path in (found.directory / "figures").iterdir()}


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("nist-share", "needs the scores of nist of every order"),
        ("judges", r"a run of \[\[tasks\]\] keeps no judgments"),
        ("scatter", r"a run of \[\[tasks\]\] keeps no scores of documents"),
    ],
)
def test_figures_of_what_tasks_do_not_keep_are_refused(kind, message, run):
    with pytest.raises(UsageError, match=message):
        metaeval.draw_run(run("tasks-with-missing-judgments").directory, kind)


def edits(candidate, reference):
    """Return the word edits between two texts, by the textbook recurrence."""
    a, b = candidate.split(), reference.split()
    row = list(range(len(b) + 1))
    for i, one in enumerate(a, start=1):
        above, row[0] = row[0], i
        for j, other in enumerate(b, start=1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (one != other))
    return row[-1]


def edits_and_lengths(made, reference="ref1"):
    """Return the word edits against a reference, (systems, segments), and its lengths, (segments,)."""
    texts = made.references[reference]
    counts = [[edits(a, b) for a, b in zip(made.texts[name], texts, strict=True)] for name in made.systems]
    return np.array(counts, dtype=float), np.array([len(text.split()) for text in texts], dtype=float)


def pearson(a, b):
    return stats.pearsonr(a, b).statistic


def spearman(a, b):
    return stats.spearmanr(a, b).statistic


def kendall(a, b):
    return stats.kendalltau(a, b).statistic


def of_columns(coefficient, scores, human):
    """Return a coefficient across the systems that were judged of each segment or document, (columns,)."""
    judged = ~np.isnan(human)
    return np.array([coefficient(scores[one, k], human[one, k]) for k, one in enumerate(judged.T)])


def table(run, panel="", **columns):
    """Return the rows of correlations.tsv of a panel that have these values, by metric."""
    rows = run.correlations[run.correlations["panel"] == panel]
    for name, value in columns.items():
        rows = rows[rows[name] == value]
    assert rows["metric"].is_unique
    return rows.set_index("metric")


def test_claims_of_panels_of_single_segments_compare_documents(run, corpora):
    found, made = run("panels-single-segments"), corpora["talks"]
    counts, lengths = edits_and_lengths(made)
    wer = of_columns(pearson, -counts / lengths, made.human())
    far = of_columns(pearson, made.scores["far"], made.human())
    means = table(found, "one")["mean"]
    assert [means["wer"], means["precomputed:far"]] == pytest.approx([wer.mean(), far.mean()], abs=1e-12)
    # The units are 12 documents of 3 segments each, so this is the t interval of the means of documents.
    of_documents = (wer - far).reshape(12, 3).mean(axis=1)
    mean, half = of_documents.mean(), stats.t.ppf(0.975, 11) * stats.sem(of_documents)
    (claim,) = found.data.tables.claims
    assert [claim.difference, claim.lower, claim.upper] == pytest.approx([mean, mean - half, mean + half], abs=1e-9)
    assert claim.verdict == "holds"


def test_whole_systems_are_scored_on_what_was_judged_of_them(run, corpora):
    found, made = run("whole-systems-with-missing-judgments"), corpora["holes"]
    judged = ~np.isnan(made.human())
    for criterion in ("adequacy", "errors"):
        human = np.nanmean(made.human(criterion), axis=1)
        for reference in ("ref1", "ref2"):
            counts, lengths = edits_and_lengths(made, reference)
            scores = {
                "wer": -(counts * judged).sum(axis=1) / (lengths * judged).sum(axis=1),
                "precomputed:near": np.nanmean(np.where(judged, made.scores["near"], np.nan), axis=1),
            }
            chosen = [np.flatnonzero(row).tolist() for row in judged]
            scores['bleu(smooth="none")'] = [
                corpus_bleu(
                    [made.texts[name][k] for k in segments],
                    [[made.references[reference][k] for k in segments]],
                    smooth_method="none",
                    tokenize="none",
                    force=True,
                ).score
                for name, segments in zip(made.systems, chosen, strict=True)
            ]
            for name, coefficient in (("pearson", pearson), ("kendall", kendall)):
                means = table(found, criterion=criterion, subset=reference, coefficient=name)["mean"]
                for metric, values in scores.items():
                    assert means[metric] == pytest.approx(coefficient(values, human), abs=1e-9), (criterion, metric)


def denoised_replicates(values, replicates):
    """Return Pearson's coefficients of all lines but the last with the last one in replicates with a denoised centre.

    Lines are (lines, systems), replicates (replicates, lines, systems). The scores are moved so that their covariance
    lacks that of the noise, by the symmetric root as seen from the covariance that there is.
    """
    noise = replicates - replicates.mean(axis=0)
    noise -= noise.mean(axis=2, keepdims=True)
    noise = sum(one @ one.T for one in noise) / ((len(noise) - 1) * (values.shape[1] - 1))
    centred = values - values.mean(axis=1, keepdims=True)
    root = np.linalg.cholesky(np.cov(values))
    inverse = np.linalg.inv(root)
    # Where there is more noise than variance, no variance is left.
    sizes, directions = np.linalg.eigh(inverse @ (np.cov(values) - noise) @ inverse.T)
    left = sum(max(size, 0) ** 0.5 * np.outer(one, one) for size, one in zip(sizes, directions.T, strict=True))
    moved = replicates + root @ left @ inverse @ centred - centred
    return np.array([[pearson(one[line], one[-1]) for one in moved] for line in range(len(values) - 1)])


@pytest.mark.parametrize("panel", ["raw", "z", "fewer"])
def test_the_default_interval_and_test_of_whole_systems(panel, run, corpora):
    # Another implementation of the same definition gave the same replicates and statistics on these data, to 1e-13.
    found, made = run("whole-systems-in-panels"), corpora["plain"]
    n_systems = 7 if panel == "fewer" else 8
    judged = made.judgments["adequacy"][:n_systems]
    if panel == "fewer":
        judged = judged[..., :1]  # of ann
    elif panel == "z":
        by_judge = judged.reshape(-1, 2)
        judged = (judged - by_judge.mean(axis=0)) / by_judge.std(axis=0, ddof=1)
    values = {"human": judged.mean(axis=(1, 2))}
    values |= {name: made.scores[name][:n_systems].mean(axis=1) for name in ("near", "far")}
    rows = table(found, panel, criterion="adequacy")
    grid = grid_of(found, panel=panel, criterion="adequacy")
    names = {"near": "precomputed:near", "far": "precomputed:far"}
    replicates = {name: grid.score_replicates(metric) for name, metric in names.items()}
    replicates["human"] = grid.human_replicates
    items = {"human": judged.mean(axis=2), **{name: made.scores[name][:n_systems] for name in names}}
    for name, drawn in replicates.items():
        # Drawing 36 segments again: the mean and the standard error of a mean. Of 200 replicates, five standard errors.
        error = items[name].std(axis=1) / 6
        assert drawn.shape == (200, n_systems)
        np.testing.assert_allclose(drawn.mean(axis=0), values[name], rtol=0, atol=5 * error.max() / np.sqrt(200))
        np.testing.assert_allclose(drawn.std(axis=0, ddof=1), error, rtol=5 / np.sqrt(2 * 199))

    def lines(*wanted):
        chosen = [*wanted, "human"]
        return np.stack([values[one] for one in chosen]), np.stack([replicates[one] for one in chosen], axis=1)

    half = stats.t.ppf(0.975, 35)  # 36 segments
    for name, metric in names.items():
        (drawn,) = denoised_replicates(*lines(name))
        np.testing.assert_allclose(found.data.replicates(grid.key_of(metric, "pearson")), drawn, atol=1e-9)
        value, z = pearson(values[name], values["human"]), np.arctanh(drawn)
        ends = [min(np.arctanh(value), z.mean()), max(np.arctanh(value), z.mean())]
        expected = [value, *np.tanh([ends[0] - half * z.std(ddof=1), ends[1] + half * z.std(ddof=1)])]
        assert rows.loc[metric, ["mean", "lower", "upper"]].tolist() == pytest.approx(expected, abs=1e-9)
    z = np.arctanh(denoised_replicates(*lines("near", "far")))
    difference, middle = z[0] - z[1], z.mean()
    statistic = difference.mean() / difference.std(ddof=1)
    bounds = difference.mean() + np.array([-half, half]) * difference.std(ddof=1)
    (test,) = [
        one
        for one in found.data.tables.tests
        if (one.key.panel, one.key.criterion, one.metric_a, one.metric_b) == (panel, "adequacy", *names.values())
    ]
    assert test.statistic == pytest.approx(statistic, abs=1e-7)
    assert test.p == pytest.approx(2 * stats.t.sf(statistic, 35), rel=1e-6)
    expected = (np.tanh(middle + bounds / 2) - np.tanh(middle - bounds / 2)).tolist()
    assert [test.lower, test.upper] == pytest.approx(expected, abs=1e-9)


def documents_of(found, panel, length):
    """Return the segments that the pseudo-documents of a run have, from 0, (documents, length), and their grid."""
    grid = grid_of(found, panel=panel, length=length)
    return grid.segments - 1, grid


@pytest.mark.parametrize("length", [2, 7])
def test_pseudo_documents_are_means_of_the_segments_that_were_drawn(length, run, corpora):
    found, made = run("pseudo-documents-in-panels"), corpora["plain"]
    near, human = made.scores["near"][1:], made.human()[1:]  # without S1
    drawn, grid = documents_of(found, "by item", length)
    assert drawn.shape == (40, length)
    assert all(len({*row}) == length for row in drawn.tolist())
    scores, people = near[:, drawn].mean(axis=2), human[:, drawn].mean(axis=2)
    np.testing.assert_allclose(grid.human, people.T, atol=1e-12)
    expected = of_columns(spearman, scores, people).mean()
    assert table(found, "by item", length=length).loc["precomputed:near", "mean"] == pytest.approx(expected, abs=1e-9)
    drawn, _ = documents_of(found, "pooled", length)
    assert length == 2 or any(len({*row}) < length for row in drawn.tolist())  # with replacement
    expected = pearson(near[:, drawn].mean(axis=2).ravel(), human[:, drawn].mean(axis=2).ravel())
    assert table(found, "pooled", length=length).loc["precomputed:near", "mean"] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("length", [2, 7])
def test_two_draws_of_two_judgments_are_both_of_them(length, run, corpora):
    found, made = run("pseudo-documents-in-panels"), corpora["plain"]
    drawn, _ = documents_of(found, "two draws", length)
    grid = grid_of(found, length=length, is_of_judges=True)
    first, second = grid.human, grid.scores("inter-judge")
    # Every item has two judges, so that both draws together are its mean twice.
    np.testing.assert_allclose(first + second, 2 * made.human()[1:, drawn].mean(axis=2).T, atol=1e-9)
    expected = np.mean([spearman(a, b) for a, b in zip(first, second, strict=True)])
    assert table(found, "two draws", length=length).loc["inter-judge", "mean"] == pytest.approx(expected, abs=1e-9)


def test_real_documents_pool_what_was_judged(run, corpora):
    found, made = run("real-documents-with-missing-judgments"), corpora["holes"]
    kept = [0, 2, 3, 4, 5]  # without S2
    human = made.human("errors")[kept]
    scores = {name: np.where(np.isnan(human), np.nan, made.scores[name][kept]) for name in ("near", "far")}

    def pooled(values):
        """Return the means of documents over the segments that have a value, (systems, documents)."""
        return np.stack([np.nanmean(values[:, made.documents == one], axis=1) for one in range(12)], axis=1)

    values = {name: of_columns(pearson, pooled(one), pooled(human)) for name, one in scores.items()}
    rows = table(found)
    for name, of_documents in values.items():
        assert rows.loc[f"precomputed:{name}", "mean"] == pytest.approx(of_documents.mean(), abs=1e-12)
    # The paired t test over 12 documents.
    t = stats.ttest_rel(values["near"], values["far"])
    tests = {(one.test, one.metric_a, one.metric_b): one for one in found.data.tables.tests}
    assert tests["t", "precomputed:near", "precomputed:far"].p == pytest.approx(t.pvalue, rel=1e-9)
    ps = [one.p for one in found.data.tables.tests if one.test == "t"]
    corrected = [one.p_corrected for one in found.data.tables.tests if one.test == "t"]
    assert corrected == pytest.approx(stats.false_discovery_control(ps), rel=1e-9)


def z_of_items(judgments):
    """Return the mean z-score of each item, (systems, segments), of judgments (systems, segments, judges)."""
    of_judges = judgments.reshape(-1, judgments.shape[2])
    return ((judgments - of_judges.mean(axis=0)) / of_judges.std(axis=0, ddof=1)).mean(axis=2)


def stems(made):
    """Return the texts of a corpus with each word without its plural."""

    def stem(lines):
        return [" ".join(word.removesuffix("s") for word in line.split()) for line in lines]

    return replace(
        made,
        texts={name: stem(lines) for name, lines in made.texts.items()},
        references={name: stem(lines) for name, lines in made.references.items()},
    )


@pytest.mark.parametrize("preprocessing", ["case", "stem"])
def test_each_corpus_has_settings_of_its_own_in_every_panel(preprocessing, run, corpora):
    found = run("two-corpora-with-settings-of-their-own")
    holes, plain = (stems(corpora[name]) if preprocessing == "stem" else corpora[name] for name in ("holes", "plain"))
    rates = [
        (counts / lengths, lengths) for counts, lengths in (edits_and_lengths(holes, one) for one in ("ref1", "ref2"))
    ]
    counts, lengths = edits_and_lengths(plain)
    # Against several references, WER is that against the nearest.
    of_each = {
        "holes": (-np.minimum(rates[0][0], rates[1][0]), holes.scores["near"], holes.human()),
        "plain": (-counts / lengths, plain.scores["near"], z_of_items(plain.judgments["adequacy"])),
    }
    for corpus, (wer, near, human) in of_each.items():
        for metric, scores in (("wer", wer), ("precomputed:near", near)):
            judged = ~np.isnan(human)
            for name, coefficient in (("kendall", kendall), ("spearman", spearman)):
                by_system = of_columns(coefficient, scores.T, human.T).mean()
                pooled = coefficient(scores[judged], human[judged])
                for panel, expected in (("by system", by_system), ("all together", pooled)):
                    rows = table(found, panel, corpus=corpus, preprocessing=preprocessing, coefficient=name)
                    assert rows.loc[metric, "mean"] == pytest.approx(expected, abs=1e-9), (corpus, metric, panel)


def test_warnings_are_of_what_was_made_of_each_corpus(place, corpora):
    own = {
        "holes": {"tests": [{"method": "t"}], "correlation": {"undefined": "zero"}},
        "plain": {"tests": [{"method": "bootstrap"}]},
    }
    config = {
        "title": "Tests by corpus",
        "corpora": [str(place / name) for name in own],
        "metrics": ["precomputed:near", "bleu(order=9)"],
        "criteria": ["adequacy"],
        "documents": {"kind": "segments"},
        "correlation": {"coefficients": ["kendall"]},
        # Of no corpus.
        "tests": [{"method": "bootstrap"}],
        "uncertainty": {"resample": "systems"},
        "by_corpus": {name: {**one, "uncertainty": {"resample": "text"}} for name, one in own.items()},
    }
    with pytest.warns(MetaevalWarning):
        found = metaeval.run(config, output=place / "runs" / "warnings")
    assert {*found.tests["test"]} == {"t", "bootstrap"}
    told = [text.partition(",")[0] for text in found.warnings if "p-values" in text or "Type I error" in text]
    assert told == ["p-values of the bootstrap over segments"]
    # 36 segments, whether an undefined coefficient is left out or counts 0.
    undefined = [text for text in found.warnings if "coefficients (Kendall) are undefined" in text]
    assert [text.partition(",")[0] for text in undefined] == ["holes", "plain"]
    assert all(" of 36 coefficients (Kendall) are undefined" in text for text in undefined)


def test_disagreements_are_those_of_each_corpus_with_its_own_settings(run, corpora):
    found, made = run("two-corpora-with-settings-of-their-own"), corpora["plain"]
    human = z_of_items(made.judgments["adequacy"])
    places = [one for one in found.data.disagreements["places"] if one["corpus"] == "plain"]
    assert {one["panel"] for one in places} == {"all together"}
    assert len(places) == 4  # two metrics, two ways of preprocessing
    for place in places:
        for document in place["documents"]:
            assert document["references"] == ["ref1"]
            (cause,) = document["causes"]
            assert cause["people"] == pytest.approx(human[document["systems"], cause["segment"] - 1].tolist(), abs=1e-9)


def test_tasks_take_what_was_judged_at_each_level(run, corpora):
    found = run("tasks-with-missing-judgments")
    values = {}
    for name, kept in (("holes", slice(None)), ("plain", slice(7))):
        made = corpora[name]
        human, counts = made.human()[kept], edits_and_lengths(made)[0][kept]
        lengths = edits_and_lengths(made)[1]
        segments = {"near": made.scores["near"][kept], "far": made.scores["far"][kept], "wer": -counts / lengths}
        systems = {**{one: segments[one].mean(axis=1) for one in ("near", "far")}, "wer": -counts.sum(axis=1)}
        for metric in segments:
            values[f"{name}, system, pearson", metric] = pearson(systems[metric], np.nanmean(human, axis=1))
            taus = of_columns(kendall, segments[metric], human)
            values[f"{name}, segment, kendall, item", metric] = np.nanmean(taus)
    tasks = {(one.task, one.metric): one.value for one in found.data.tables.tasks}
    assert tasks == pytest.approx(values, abs=1e-9)
    for one in found.data.tables.averages:
        mean = np.mean([(value + 1) / 2 for (_, metric), value in values.items() if metric == one.metric])
        assert one.average_correlation == pytest.approx(mean, abs=1e-9)


@pytest.mark.parametrize(("panel", "kept"), [("all systems", slice(None)), ("without the best", slice(1, None))])
def test_stored_human_scores_are_those_that_came_with_the_corpus(panel, kept, run, corpora):
    found, made = run("stored-human-scores"), corpora["plain"]
    human = made.stored[kept]
    for name, coefficient in (("kendall", kendall), ("pearson", pearson)):
        means = table(found, panel, coefficient=name)["mean"]
        for metric in ("near", "far"):
            expected = coefficient(made.scores[metric][kept].mean(axis=1), human)
            assert means[f"precomputed:{metric}"] == pytest.approx(expected, abs=1e-9)
    values = [made.scores[metric][kept].mean(axis=1) for metric in ("near", "far")]
    (test,) = [
        one
        for one in found.data.tables.tests
        if (one.key.panel, one.key.coefficient) == (panel, "pearson") and "ter" not in (one.metric_a, one.metric_b)
    ]
    assert test.p == pytest.approx(williams(*values, human), rel=1e-7)


def test_stored_human_scores_that_are_no_means_have_no_replicates_of_the_texts(place, corpora):
    # Means of the judgments, on a scale of their own, would stand in the place of the scores that came.
    assert not np.allclose(
        corpora["plain"].stored, np.nanmean(corpora["plain"].judgments["adequacy"], axis=(1, 2)), rtol=0.1
    )
    found = metaeval.correlate(
        place / "plain",
        ["precomputed:near", "precomputed:far"],
        criteria=["adequacy"],
        documents={"kind": "all"},
        judgments={"rule": "stored"},
        tests=[{"method": "denoised"}],
    )
    assert found.correlations["lower"].isna().all()
    assert "scores of whole systems alone have no replicates" in found.correlations["no_interval_because"].iloc[0]
    assert found.tests["untested_because"].str.contains("scores of whole systems alone have no replicates").all()


def williams(a, b, human):
    """Return the two-sided p of Williams's test of two dependent correlations (Steiger 1980, eq. 7)."""
    r_a, r_b, r_ab, n = pearson(a, human), pearson(b, human), pearson(a, b), len(human)
    whole = 1 - r_a**2 - r_b**2 - r_ab**2 + 2 * r_a * r_b * r_ab
    mean = (r_a + r_b) / 2
    t = (r_a - r_b) * np.sqrt((n - 1) * (1 + r_ab) / (2 * (n - 1) / (n - 3) * whole + mean**2 * (1 - r_ab) ** 3))
    return 2 * stats.t.sf(abs(t), n - 3)


def test_pairs_within_documents_are_those_that_were_judged(run, corpora):
    found, made = run("pairs-within-documents"), corpora["holes"]
    human = made.human("errors")
    for metric in ("near", "far"):
        concordant = discordant = 0
        for scores, people in zip(made.scores[metric].T, human.T, strict=True):
            for a, b in combinations(np.flatnonzero(~np.isnan(people)), 2):
                if abs(people[a] - people[b]) >= 4:
                    agrees = (scores[a] - scores[b]) * (people[a] - people[b]) > 0
                    concordant, discordant = concordant + agrees, discordant + (not agrees)
        expected = (concordant - discordant) / (concordant + discordant)
        assert table(found, "segments").loc[f"precomputed:{metric}", "mean"] == pytest.approx(expected, abs=1e-12)
    # Of documents, the segments where every system was judged.
    judged = ~np.isnan(human).any(axis=0)
    for metric in ("near", "far"):
        first, second = [], []
        for one in np.unique(made.documents[judged]):
            chosen = judged & (made.documents == one)
            scores, people = made.scores[metric][:, chosen].mean(axis=1), human[:, chosen].mean(axis=1)
            for a, b in permutations(range(6), 2):
                first.append(scores[a] - scores[b])
                second.append(people[a] - people[b])
        rows = table(found, "documents")
        assert rows.loc[f"precomputed:{metric}", "mean"] == pytest.approx(pearson(first, second), abs=1e-9)


def test_correlations_of_several_subsets_are_averaged(run, corpora):
    found, made = run("subsets-with-everything-drawn-again"), corpora["holes"]
    for criterion in ("adequacy", "errors"):
        human = np.nanmean(made.human(criterion), axis=1)
        wer = [-edits_and_lengths(made, one)[0].sum(axis=1) for one in ("ref1", "ref2")]
        bleu = [
            [
                corpus_bleu(
                    made.texts[name], [made.references[one]], smooth_method="none", tokenize="none", force=True
                ).score
                for name in made.systems
            ]
            for one in ("ref1", "ref2")
        ]
        means = table(found, criterion=criterion)["mean"]
        assert means["wer"] == pytest.approx(np.mean([pearson(one, human) for one in wer]), abs=1e-9)
        assert means['bleu(smooth="none")'] == pytest.approx(np.mean([pearson(one, human) for one in bleu]), abs=1e-9)


def calibrated_accuracies(scores, human):
    """Return the pairwise accuracy of each segment with the best threshold of ties, all thresholds being tried."""
    pairs = [*combinations(range(len(scores)), 2)]
    a, b = np.array(pairs).T
    # Equal differences of fractions are made equal numbers.
    metric, people = np.round(scores[a] - scores[b], 9), human[a] - human[b]  # (pairs, segments)
    best = np.zeros(scores.shape[1])
    for threshold in np.unique(abs(metric)):
        order = np.where(abs(metric) <= threshold, 0, np.sign(metric))
        right = (order == np.sign(people)).mean(axis=0)
        best = right if right.mean() > best.mean() else best
    return best


def test_the_default_interval_and_test_of_means_over_segments(run, corpora):
    found, made = run("calibrated-ties-and-ceilings"), corpora["plain"]
    counts, lengths = edits_and_lengths(made)
    scores = {"precomputed:near": made.scores["near"], "wer": -counts / lengths}
    ann = made.judgments["adequacy"][..., 0]

    def taus(values):
        """Return Kendall's coefficient of each segment; 0 where one side is constant."""
        return np.nan_to_num(of_columns(kendall, values, ann))

    values = {
        "calibrated": {name: calibrated_accuracies(one, made.human()) for name, one in scores.items()},
        "zero": {name: taus(one) for name, one in scores.items()},
        "ceiling": {name: of_columns(pearson, one, made.human()) for name, one in scores.items()},
    }
    for panel, of_metrics in values.items():
        rows = table(found, panel)
        for metric, one in of_metrics.items():
            half = stats.t.ppf(0.975, len(one) - 1) * stats.sem(one)
            expected = [one.mean(), one.mean() - half, one.mean() + half]
            assert rows.loc[metric, ["mean", "lower", "upper"]].tolist() == pytest.approx(expected, abs=1e-9), panel
        (test,) = [row for row in found.data.tables.tests if row.key.panel == panel and row.metric_b != "constant"]
        a, b = of_metrics["precomputed:near"], of_metrics["wer"]
        low, high = stats.ttest_rel(a, b).confidence_interval(0.95)
        assert test.p == pytest.approx(stats.ttest_rel(a, b).pvalue, rel=1e-7)
        assert [test.difference, test.lower, test.upper] == pytest.approx([(a - b).mean(), low, high], abs=1e-9)
    assert {one.key.panel for one in found.data.tables.ceiling} == {"ceiling"}
