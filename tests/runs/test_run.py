"""Whole runs: against plain loops with other programs, and against themselves."""

from __future__ import annotations

import csv
import json
import math

import numpy as np
import pandas as pd
import pytest
import sacrebleu
from matplotlib.figure import Figure
from scipy import stats

import metaeval
from metaeval.parameters.calls import Signature
from tests.support.configs import BY_LENGTH
from tests.support.corpus import judgments, write
from tests.support.gold import of_others
from tests.support.grids import grid_of

SMALL = [
    "documents.count=40",
    "documents.lengths=[1, 3, 8]",
    'metrics=["bleu(order=1)", "bleu(order=2)", "bleu"]',
    "tests=[{method='wilcoxon(method=\"approx\")'}]",
    "figures=[]",
]


def run(tmp_path, name, *overrides, config=BY_LENGTH, **options):
    return metaeval.run(config, overrides=[*SMALL, *overrides], output=tmp_path / name, **options)


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    return run(tmp_path_factory.mktemp("runs"), "demo")


def test_scores_and_coefficients_equal_a_plain_loop_with_sacrebleu_and_scipy(demo):
    # Concatenate the segments of each document, call sacreBLEU's corpus_score and scipy's spearmanr.
    corpus, saved = metaeval.load_corpus("demo"), metaeval.load_run(demo.directory)
    compared = 0
    for criterion in ("adequacy", "fluency"):
        for length in (1, 3, 8):
            grid = grid_of(saved, criterion=criterion, length=length)
            documents, human = grid.segments - 1, grid.human
            for order, name in ((1, "bleu(order=1)"), (2, "bleu(order=2)"), (4, "bleu")):
                bleu = sacrebleu.BLEU(tokenize="13a", smooth_method="none", max_ngram_order=order, force=True)
                scores = np.array(
                    [
                        [
                            bleu.corpus_score(
                                [texts[segment] for segment in document],
                                [[str(corpus.references["ref1"][segment]) for segment in document]],
                            ).score
                            / 100
                            for texts in corpus.candidates
                        ]
                        for document in documents
                    ]
                )
                np.testing.assert_allclose(grid.scores(name), scores, atol=1e-9)
                # Scores that differ by the rounding of logarithms alone are tied, so they are rounded before ranking.
                expected = np.array(
                    [
                        math.nan if np.ptp(s) == 0 or np.ptp(h) == 0 else stats.spearmanr(s, h).statistic
                        for s, h in zip(np.round(scores, 12), human, strict=True)
                    ]
                )
                own = grid.coefficients("spearman")[grid.position(name)]
                np.testing.assert_allclose(own, expected, atol=1e-9)
                row = demo.correlations.query("metric == @name and criterion == @criterion and length == @length")
                assert float(np.nanmean(expected)) == pytest.approx(row["mean"].item(), abs=1e-9)
                assert int(np.isnan(expected).sum()) == row["n_undefined"].item()
                compared += 1
    assert compared == 18


def test_human_scores_are_means_of_drawn_z_scores(demo):
    corpus, saved = metaeval.load_corpus("demo"), metaeval.load_run(demo.directory)
    table = pd.DataFrame(
        {
            "criterion": corpus.judgments.criterion,
            "system": corpus.judgments.system,
            "segment": corpus.judgments.segment,
            "judge": corpus.judgments.judge,
            "score": corpus.judgments.score,
        }
    )
    table["z"] = table.groupby(["criterion", "judge"])["score"].transform(lambda one: (one - one.mean()) / one.std())
    items = table[table["criterion"] == 0].groupby(["system", "segment"])["z"].agg(list)
    grid = grid_of(saved, criterion="adequacy", length=1)
    human, documents = grid.human, grid.segments - 1
    judges = grid_of(saved, criterion="adequacy", length=1, is_of_judges=True)
    first, second = judges.human, judges.scores("inter-judge")
    for document in range(40):
        for system in range(8):
            possible = items[system, documents[document, 0]]
            drawn = [
                min(possible, key=lambda z, h=h: abs(z - h))
                for h in (first[document, system], second[document, system])
            ]
            assert drawn == pytest.approx([first[document, system], second[document, system]], abs=1e-9)
    # Every item of this corpus has two judgments, so the metrics' draw is the first draw of the inter-judge line.
    np.testing.assert_array_equal(human, first)
    # Long documents average over judgments: means of the items' means at the most.
    means = items.map(np.mean).unstack().to_numpy()
    lower, upper = items.map(min).unstack().to_numpy(), items.map(max).unstack().to_numpy()
    grid = grid_of(saved, criterion="adequacy", length=8)
    long, of = grid.human, grid.segments - 1
    assert means.shape == (8, 120)
    assert (long <= upper[:, of].mean(axis=2).T + 1e-9).all()
    assert (long >= lower[:, of].mean(axis=2).T - 1e-9).all()


def test_tests_equal_scipy(demo):
    grid = grid_of(metaeval.load_run(demo.directory), criterion="fluency", length=8)
    for row in demo.tests.query("length == 8 and criterion == 'fluency'").to_dict("records"):
        x, y = (grid.coefficients("spearman")[grid.position(row[key])] for key in ("metric_a", "metric_b"))
        both = ~(np.isnan(x) | np.isnan(y))
        differences = np.round(x[both] - y[both], 12)
        result = stats.wilcoxon(differences, zero_method="wilcox", method="approx")
        assert result.pvalue == pytest.approx(row["p"], abs=1e-9)
        assert row["difference"] == pytest.approx(differences.mean(), abs=1e-9)


COLUMNS = [
    *("panel", "corpus", "preprocessing", "subset", "criterion", "judges", "documents", "length", "average_by"),
    *("coefficient", "metric", "mean", "sd", "lower", "upper", "interval", "confidence_level", "resampled", "n_used"),
    *("n_undefined", "n_no_score", "n_both_constant", "n_metric_constant", "n_human_constant", "n_too_few"),
    *("no_interval_because", "replicates_used", "replicates_undefined", "n_systems", "n_documents", "n_segments"),
    *("n_items", "n_judged", "n_scored", "n_references", "signature"),
]


def test_correlations_have_the_promised_columns_and_read_back_to_the_same_bits(demo):
    with (demo.directory / "correlations.tsv").open(encoding="utf-8") as file:
        header, *table = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)

    assert header == COLUMNS
    assert [float(row[header.index("mean")]) for row in table] == demo.correlations["mean"].tolist()
    assert (demo.correlations["n_used"] + demo.correlations["n_undefined"] == 40).all()


def test_signatures_say_all_that_determined_a_number(demo):
    row = demo.correlations.query("metric == 'bleu' and criterion == 'fluency' and length == 8").iloc[0]
    keys = dict(Signature.parse(row["signature"]).items)
    expected = {"order": "4", "case": "kept", "refs": "ref1", "criterion": "fluency", "judges": "all", "rule": "draw"}
    expected |= {"normalise": "z(ddof=1)", "docs": "pseudo", "segments": "8", "count": "40", "replacement": "no"}
    expected |= {"eligible": "120/120", "coefficient": "spearman", "ties": "average", "average_by": "item"}
    expected |= {"orientation": "aligned", "undefined": "exclude", "seed": "2003", "interval": "normal(0.95)"}

    assert expected.items() <= keys.items()
    assert keys["corpus"].startswith("demo@")


def test_the_directory_of_a_run_is_complete(demo):
    manifest = json.loads((demo.directory / "manifest.json").read_text())
    names = {path.name for path in demo.directory.iterdir()}

    tables = {"correlations.tsv", "tests.tsv", "rankings.tsv", "minimum_significant_differences.tsv", "scores.tsv"}
    for_papers = {"tables.md", "tables.tex", "numbers.tex", "methods.tex", "methods.bib"}
    for_people = {"disagreements.json", "report.html"}
    assert names == {
        "config.toml",
        "manifest.json",
        "times.json",
        "grids.npz",
        *tables,
        *for_papers,
        *for_people,
    }
    assert manifest["seed"] == 2003
    assert manifest["corpora"][0]["digest"] == metaeval.load_corpus("demo").digest
    assert metaeval.run(demo.directory / "config.toml", output=demo.directory.parent / "again").correlations.equals(
        demo.correlations
    )


def test_another_metric_length_or_criterion_changes_no_other_number(tmp_path, demo):
    more = run(tmp_path, "more", 'metrics=["bleu(order=3)","bleu(order=1)","bleu"]', "documents.lengths=[8, 1, 5]")
    keys = ["metric", "criterion", "length"]
    joined = demo.correlations.merge(more.correlations, on=keys, suffixes=("", "_more"))

    assert len(joined) == 2 * 2 * 3
    assert joined["mean"].tolist() == joined["mean_more"].tolist()
    fewer = run(tmp_path, "fewer", 'criteria=["fluency"]')
    assert fewer.correlations["mean"].tolist() == demo.correlations.query("criterion == 'fluency'")["mean"].tolist()


def test_another_seed_changes_the_documents(tmp_path, demo):
    assert run(tmp_path, "other", "seed=4").correlations["mean"].tolist() != demo.correlations["mean"].tolist()


def test_criteria_where_lower_is_better_are_aligned_and_can_be_left_raw(tmp_path):
    corpus = write(tmp_path / "corpus")
    means = {}
    for orientation in ("aligned", "raw"):
        result = metaeval.run(
            "system-level",
            corpora=[corpus],
            overrides=[f'correlation.orientation="{orientation}"', 'metrics=["bleu(order=1)"]'],
            output=tmp_path / orientation,
        )
        table = result.correlations.query("coefficient == 'pearson'").set_index("criterion")["mean"]
        means[orientation] = table
    # System A is best by text, adequacy (high) and errors (low): all agree.
    assert means["aligned"]["adequacy"] > 0.5
    assert means["aligned"]["errors"] > 0.5
    assert means["raw"]["errors"] == -means["aligned"]["errors"]


def test_the_median_and_pooled_average_by(tmp_path):
    corpus = write(tmp_path / "corpus")
    result = metaeval.run(
        "system-level",
        corpora=[corpus],
        overrides=[
            'judgments.rule="median"',
            'documents.kind="segments"',
            'correlation.average_by="none"',
            'metrics=["bleu(order=1)"]',
            'criteria=["adequacy"]',
            'preprocessing=["case"]',
        ],
        output=tmp_path / "run",
    )
    grid = grid_of(metaeval.load_run(result.directory))
    # Ann's and Bob's grades are 1 apart (or cut at the ends of the scale); the median of two is their mean.
    expected = [
        [(max(1, min(5, 5 - 2 * s - n % 2)) + max(1, min(5, 6 - 2 * s - n % 2))) / 2 for s in range(3)]
        for n in range(1, 5)
    ]
    np.testing.assert_allclose(grid.human, expected, atol=1e-9)
    scores = grid.scores("bleu(order=1)")
    assert stats.pearsonr(scores.ravel(), np.ravel(expected)).statistic == pytest.approx(
        result.correlations.query("coefficient == 'pearson'")["mean"].item(), abs=1e-9
    )


def test_real_documents(tmp_path):
    corpus = write(tmp_path / "corpus", documents="segment\tdocument\n1\tx\n2\ty\n3\ty\n4\tx\n")
    result = metaeval.run(
        "system-level", corpora=[corpus], overrides=['documents.kind="real"'], output=tmp_path / "run"
    )
    scores = pd.read_csv(result.directory / "scores.tsv", sep="\t", keep_default_na=False)

    assert result.correlations["length"].isna().all()
    assert result.correlations["n_used"].max() == 2
    assert scores.query("level == 'document'")["unit"].unique().tolist() == ["x", "y"]


def test_a_segment_without_reference_or_judgment_is_not_drawn_and_that_is_told(tmp_path):
    rows = (write(tmp_path / "whole") / "judgments.tsv").read_text().splitlines()
    kept = [row for row in rows if not row.startswith("4\tC\tbob\tadequacy")]
    corpus = write(tmp_path / "corpus", judgments="\n".join(kept) + "\n")
    result = metaeval.run(
        BY_LENGTH,
        corpora=[corpus],
        overrides=["documents.lengths=[1, 3]", "figures=[]", 'criteria=["adequacy"]', 'references.subsets=["ref2"]'],
        output=tmp_path / "run",
    )
    told = {dict(Signature.parse(text).items)["eligible"] for text in result.correlations["signature"]}

    # ref2 lacks segment 2; segment 4 of C has one judgment, so the judges' line has two segments and no length 3.
    assert told == {"3/4", "2/4"}
    messages = "\n".join(result.warnings)
    assert "the inter-judge line is drawn from the 2 of 3 segments where every system has two judgments" in messages
    assert "no inter-judge coefficient for 3 segments, which are more than there are" in messages
    assert set(grid_of(result, length=1).segments.ravel()) == {1, 3, 4}
    assert set(grid_of(result, length=1, is_of_judges=True).segments.ravel()) == {1, 3}


ALONE = [row for row in judgments() if "\tB\t" not in row and "\tC\t" not in row]


@pytest.mark.parametrize(
    ("files", "overrides", "message"),
    [
        ({"judgments": None}, [], "has no judgments, so nothing can be correlated"),
        (
            {"systems__B": None, "systems__C": None, "judgments": "\n".join(ALONE) + "\n"},
            [],
            "has one system, and a correlation across systems needs two",
        ),
        ({}, ['criteria=["fluency"]'], "unknown criterion 'fluency'"),
        ({}, ['references.subsets=["ref3"]'], "unknown reference 'ref3'"),
        ({}, ['judgments.judges=["cleo"]'], "unknown judge 'cleo'. Known judges: 'ann', 'bob'"),
        ({}, ["documents.lengths=[5]"], r"documents of 5 segments cannot be drawn from 4 eligible segments"),
        (
            {},
            ['documents.kind="real"', "documents.lengths=[]", 'judgments.rule="mean"', "judgments.inter_judge=false"],
            "has no documents; add documents.tsv",
        ),
        ({}, ['metrics=["bleu", "bleu(order=4)"]'], "are the same metric"),
        ({}, ['preprocessing=["case", "case(tokenizer=\\"none\\")"]'], "are the same preprocessing"),
    ],
)
def test_impossible_experiments_are_refused(tmp_path, files, overrides, message):
    corpus = write(tmp_path / "corpus", **files)
    base = ["documents.lengths=[1]", "figures=[]", 'criteria="all"']
    with pytest.raises(metaeval.UsageError, match=message):
        metaeval.run(BY_LENGTH, corpora=[corpus], overrides=[*base, *overrides], output=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_corpus_without_any_judgment_of_a_system_names_it(tmp_path):
    rows = (write(tmp_path / "whole") / "judgments.tsv").read_text().splitlines()
    corpus = write(tmp_path / "corpus", judgments="\n".join(row for row in rows if "\tB\t" not in row) + "\n")
    found = metaeval.run("system-level", corpora=[corpus], output=tmp_path / "run")
    assert any("nobody judged 'B', which is left out." in text for text in found.warnings)
    assert set(found.correlations["n_systems"]) == {2}


def test_an_earlier_run_is_replaced(tmp_path):
    first = run(tmp_path, "run", "seed=1", 'figures=[{kind="correlation-by-length"}]')
    second = run(tmp_path, "run", "seed=2")

    assert first.directory == second.directory
    assert "seed = 2" in (tmp_path / "run" / "config.toml").read_text()
    assert not (tmp_path / "run" / "figures").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"thesis.txt": "x"}, r"holds files but no manifest\.json of a run"),
        ({"manifest.json": '{"name": "an app"}', "app.js": "x"}, r"holds files but no manifest\.json of a run"),
        ({"manifest.json": "no json", "app.js": "x"}, r"holds files but no manifest\.json of a run"),
    ],
)
def test_a_directory_of_something_else_is_never_replaced(tmp_path, files, message):
    (tmp_path / "mine").mkdir()
    for name, text in files.items():
        (tmp_path / "mine" / name).write_text(text)
    with pytest.raises(metaeval.UsageError, match=message):
        run(tmp_path, "mine")
    assert {path.name: path.read_text() for path in (tmp_path / "mine").iterdir()} == files


def test_notes_kept_in_the_directory_of_a_run_are_not_lost(tmp_path):
    run(tmp_path, "run")
    (tmp_path / "run" / "notes.md").write_text("mine")
    with pytest.raises(metaeval.UsageError, match=r"holds what no run has written: 'notes\.md'"):
        run(tmp_path, "run")


def test_the_output_may_be_a_link_or_the_current_directory_but_not_a_file(tmp_path, monkeypatch):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    run(tmp_path, "link")
    assert (tmp_path / "real" / "manifest.json").exists()
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    metaeval.run(BY_LENGTH, overrides=SMALL, output=".")
    assert (tmp_path / "here" / "correlations.tsv").exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(metaeval.UsageError, match="is a file"):
        run(tmp_path, "file")
    with pytest.raises(metaeval.UsageError, match=r"file/run: cannot be written: (Not a|File exists)"):
        run(tmp_path / "file", "run")


def test_after_an_error_the_earlier_run_stands(tmp_path, monkeypatch):
    run(tmp_path, "run", "seed=1")
    monkeypatch.setattr("metaeval.runs.run.write_report", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run(tmp_path, "run", "seed=2")
    assert "seed = 1" in (tmp_path / "run" / "config.toml").read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_two_corpora_of_one_name_are_refused(tmp_path):
    corpora = [write(tmp_path / "a"), write(tmp_path / "b")]
    with pytest.raises(metaeval.UsageError, match="two corpora have the name 'tiny'"):
        metaeval.run("system-level", corpora=corpora, output=tmp_path / "run")


def test_one_text_alone_is_a_list_of_one():
    with pytest.raises(metaeval.UsageError, match="unknown corpus 'deno'"):
        metaeval.run("system-level", corpora="deno")
    with pytest.raises(metaeval.UsageError, match="unknown key 'sed'"):
        metaeval.run("system-level", overrides="sed=3")
    with pytest.raises(metaeval.UsageError, match="`jobs` must be at least 1; got 0"):
        metaeval.run("system-level", jobs=0)


@pytest.mark.parametrize(
    ("corpus", "criterion", "subsets", "judges", "pearson", "spearman"),
    # Figures to two digits by sacreBLEU 2.6 and scipy over all segments (README of the corpora). Of DataCoverage one
    # segment lacks a judgment of one system.
    [
        ("webnlg2020-en", "Fluency", '"all"', '"all"', 0.88, 0.84),
        ("webnlg2020-en", "DataCoverage", '"all"', '"all"', 0.50, 0.27),
        ("summeval", "relevance", '"all"', '["expert*"]', 0.54, 0.52),
        ("summeval", "coherence", '"all"', '["expert*"]', 0.18, 0.30),
        ("wmt21-ted-zhen", "mqm", '"all"', '"all"', 0.19, 0.38),
        ("wmt21-ted-zhen", "mqm", '["refA"]', '"all"', -0.37, None),
        ("wmt21-ted-zhen", "mqm", '["refB"]', '"all"', 0.33, None),
    ],
)
def test_system_level_figures_of_the_real_corpora(tmp_path, corpus, criterion, subsets, judges, pearson, spearman):
    result = metaeval.run(
        "system-level",
        corpora=[of_others("corpora") / corpus],
        overrides=[
            f'criteria=["{criterion}"]',
            f"references.subsets={subsets}",
            f"judgments.judges={judges}",
            'metrics=["bleu"]',
        ],
        output=tmp_path / "run",
    )
    means = result.correlations.set_index("coefficient")["mean"]
    assert pearson == pytest.approx(means["pearson"], abs=0.005)
    if spearman is not None:
        assert spearman == pytest.approx(means["spearman"], abs=0.005)


def test_one_judge_an_item_gives_no_inter_judge_line_and_the_run_says_why(tmp_path):
    result = run(
        tmp_path,
        "ted",
        'criteria=["mqm"]',
        'references.subsets=["refB"]',
        corpora=[of_others("corpora") / "wmt21-ted-zhen"],
    )
    assert (result.correlations["metric"] != "inter-judge").all()
    assert result.warnings[0] == (
        "wmt21-ted-zhen, mqm: no inter-judge line, because no segment has two judgments of every system "
        "(6877 of 6877 items were judged once)."
    )


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_figure_that_matplotlib_cannot_draw_costs_no_run(tmp_path, monkeypatch, jobs):
    def failing(self, *arguments, **keywords):
        raise IndexError("string index out of range")

    monkeypatch.setattr(Figure, "savefig", failing)
    compared = metaeval.compare("demo", ["wer", "per"], n_resamples=100, ceiling=0, output=tmp_path / "run", jobs=jobs)
    (failure,) = compared.results.failures
    assert "is missing: it cannot be drawn (IndexError: string index out of range); is a name in it unusual?" in failure
    assert failure in compared.results.warnings
    files = {path.name for path in (tmp_path / "run").iterdir()}
    assert {"correlations.tsv", "report.html", "manifest.json"} <= files
    assert len(metaeval.load_run(tmp_path / "run").correlations) == 4
