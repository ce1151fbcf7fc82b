"""The comparison of metrics: every number by scipy from the texts and judgments themselves, on several corpora."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

import metaeval
from metaeval.cli import main
from metaeval.errors import UsageError
from tests.support.corpus import write
from tests.support.gold import of_others
from tests.support.grids import grid_of
from tests.support.scores import human_means

METRICS = ["bleu(order=2)", "ter", "rouge-l"]
# What the field calls them.
CALLED = {"bleu(order=2)": "BLEU-2", "ter": "TER", "rouge-l": "ROUGE-L"}
PREPROCESSING = 'case(tokenizer="13a")'
SEGMENT = {"level": "segment", "coefficient": "pearson"}
# The bootstrap of segments, by name.
NAMED = {"interval": "percentile", "test": "bootstrap", "resample": "segments"}
LEVELS = ["system", "segment", "documents(length=5,count=40)"]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", ["demo", "wmt21-ted-zhen"])
def test_coefficients_and_differences_equal_scipy(name, level):
    name = name if name == "demo" else str(of_others(f"corpora/{name}"))
    corpus = metaeval.load_corpus(name)
    criterion = corpus.criteria[0]
    settings = {"level": level, "coefficient": "pearson", "n_resamples": 20, "ceiling": 5}
    found = metaeval.compare(name, METRICS, criteria=[criterion.name], **settings, **NAMED)
    human = human_means(corpus, criterion.name)
    eligible = np.flatnonzero(~np.isnan(human).any(axis=0))
    length = {"system": len(eligible), "segment": 1}.get(level, 5)
    grid = grid_of(found.results, subset="+".join(corpus.references), criterion=criterion.name, length=length)
    documents = grid.segments - 1
    assert set(documents.ravel()) <= set(eligible)
    people = np.stack([human[:, segments].mean(axis=1) for segments in documents])
    direction = 1 if criterion.higher_is_better else -1
    values = {}
    for metric, good in zip(METRICS, (1, -1, 1), strict=True):
        scores = np.empty(people.shape)
        for place_of, segments in enumerate(documents):
            (scored,) = (
                metaeval.score(
                    [metric],
                    {
                        system: [texts[k] for k in segments]
                        for system, texts in zip(corpus.systems, corpus.candidates, strict=True)
                    },
                    {ref: [texts[k] for k in segments] for ref, texts in corpus.references.items()},
                    preprocessing=PREPROCESSING,
                )
                if level == "system" or place_of < 12
                else (None,)
            )
            if scored is not None:
                scores[place_of] = scored.values[:, 0]
        checked = slice(None) if level == "system" else slice(12)
        own = grid.scores((PREPROCESSING, metric))
        np.testing.assert_allclose(own[checked], scores[checked], rtol=0, atol=1e-9)
        values[metric] = np.array(
            [
                good * direction * stats.pearsonr(x, y).statistic if np.ptp(x) > 0 and np.ptp(y) > 0 else np.nan
                for x, y in zip(own, people, strict=True)
            ]
        )
    expected = {metric: np.nanmean(of_metric) for metric, of_metric in values.items()}
    (table,) = found.tables
    (rows,) = [json.loads(found.text("json"))]
    best = max(expected, key=expected.get)
    assert [row["metric"] for row in rows] == sorted(expected, key=expected.get, reverse=True)
    for row in rows:
        assert row["value"] == pytest.approx(expected[row["metric"]], abs=1e-9)
        # Where one of the two has no coefficient, a document tells nothing about their difference.
        paired = values[best] - values[row["metric"]]
        assert row["best_minus_this"] == pytest.approx(np.nanmean(paired), abs=1e-9)
        if not np.isnan(paired).any():
            replicates = {one.metric: one.replicates for one in found.results.estimates}
            differences = replicates[best] - replicates[row["metric"]]
            limits = np.quantile(differences[~np.isnan(differences)], [0.025, 0.975])
            assert (row["difference_lower"], row["difference_upper"]) == pytest.approx(tuple(limits), abs=1e-9)
    # Of a table in which no metric is shown to agree, or none is worse, the best alone is named.
    sentence = table.sentence.partition(": ")[2] if name != "demo" else table.sentence.partition("): ")[2]
    alike = sentence.startswith(("no metric is shown to agree", "no significant difference among"))
    assert all(CALLED[metric] in sentence for metric in ({best} if alike else METRICS))
    # Each row has its own number, and how far below the best it was tested to be.
    for row, shown in zip(rows, table.rows, strict=True):
        assert (shown["metric"], shown["Pearson"].split()[0]) == (CALLED[row["metric"]], f"{row['value']:.3f}")
        below = "" if row["metric"] == best else row["best_minus_this"]
        assert shown["below the best"] == (pytest.approx(below, abs=1e-12) if below else "")


def test_ties_are_counted_over_pairs_of_systems():
    found = metaeval.compare("demo", ["bleu"], criteria=["adequacy"], n_resamples=5, ceiling=0, **SEGMENT)
    scores = grid_of(found.results).scores("bleu")
    pairs = [(x[i], x[j]) for x in scores for i in range(8) for j in range(i)]
    assert found.tables[0].rows[0]["ties"] == pytest.approx(np.mean([a == b for a, b in pairs]), abs=1e-12)
    assert found.tables[0].details[0]["fraction of ceiling"] == ""
    (value,), (lower,), (upper,) = (found.to_frame()[name] for name in ("value", "lower", "upper"))
    assert found.tables[0].sentence == (
        f"adequacy (simulated data: no evidence about real metrics): BLEU has {value:.2f} [{lower:.2f}, {upper:.2f}]; "
        "it is the only metric."
    )
    # At system level no scores are equal, and there is no column of ties.
    found = metaeval.compare("demo", ["bleu"], criteria=["adequacy"], n_resamples=5, ceiling=0)
    assert "ties" not in found.tables[0].rows[0]
    assert found.to_frame()["ties"].tolist() == [0.0]


def test_what_is_printed_waits_for_nothing_that_only_frames_pictures_and_runs_need():
    code = (
        "import sys; from metaeval.cli import main\n"
        "main(['compare', '--corpus', 'demo', '-m', 'bleu', 'ter', '--resamples', '50', '--quiet'])\n"
        "packages = {'pandas', 'matplotlib', 'joblib', 'numpy.f2py', 'numpy.testing'}\n"
        "ours = {'metaeval.runs.run', 'metaeval.report.page', 'metaeval.report.figures.per_part'}\n"
        "print(sorted((packages | ours) & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("\n[]\n")


def test_the_command_prints_tables_and_writes_a_run(tmp_path, capsys):
    arguments = ["compare", "--corpus", "demo", "-m", "bleu", "ter", "--criterion", "fluency", "--resamples", "50"]
    assert main([*arguments, "--output", str(tmp_path / "run"), "--references", "ref1", "ref2+ref3"]) == 0
    out, err = capsys.readouterr()
    out = " ".join(out.split())
    answer = "fluency (simulated data): no significant difference between BLEU and TER; "
    overall = (
        "Overall (simulated data: no evidence about real metrics): no significant difference between the 2 metrics"
    )
    assert out.startswith(f"{overall} with either of the 2 sets of references. ")
    assert f" reference ref1, {answer}" in out
    assert f" references ref2 + ref3, {answer}" in out
    heading = "demo (simulated data), fluency: Pearson correlation across 8 systems;"
    assert f"{heading} reference ref1, 13a tokens, case kept" in out
    assert f"{heading} 2 references, 13a tokens, case kept" in out
    assert "metaeval: correlate" in err
    assert (tmp_path / "run" / "figures" / "intervals_ref1.pdf").exists()
    again = metaeval.run(tmp_path / "run" / "config.toml", output=tmp_path / "again")
    assert (tmp_path / "again" / "correlations.tsv").read_bytes() == (
        tmp_path / "run" / "correlations.tsv"
    ).read_bytes()
    assert len(again.correlations) == 4
    for kind, expected in (("latex", r"\toprule"), ("md", "| metric |"), ("tsv", "best_minus_this")):
        assert main([*arguments, "--format", kind, "--quiet"]) == 0
        out, err = capsys.readouterr()
        assert expected in out
        assert "correlate" not in err


def test_another_test_has_its_p_and_no_paired_limits():
    found = metaeval.compare("demo", ["bleu", "ter"], criteria=["adequacy"], test="williams", n_resamples=60, ceiling=0)
    (row,) = found.results.tests.to_dict("records")
    best, other = found.tables[0].rows
    assert row["test"] == "williams"
    # Of two metrics, that no other is better than the worse one is the hypothesis of the pair.
    assert other["p"] == f"{row['p']:.3f}"
    assert other["below the best"] == abs(row["difference"])
    assert (best["p"], best["below the best"]) == ("", "")


def test_a_coefficient_of_grids_takes_segments_and_has_no_ceiling(tmp_path):
    found = metaeval.compare(
        write(tmp_path / "tiny"),
        ["bleu(order=1)", "ter"],
        criteria=["adequacy"],
        level="segment",
        coefficient="soft-pairwise-accuracy",
        n_resamples=20,
    )
    alone = metaeval.correlate(
        tmp_path / "tiny",
        ["bleu(order=1)", "ter"],
        criteria=["adequacy"],
        preprocessing=[PREPROCESSING],
        documents={"kind": "segments"},
        correlation={"coefficients": ["soft-pairwise-accuracy"]},
        uncertainty={"method": "none"},
    )
    assert sorted(found.to_frame()["value"]) == pytest.approx(sorted(alone.correlations["mean"]), abs=1e-12)
    assert len(found.results.ceiling) == 0
    assert "ceiling" not in found.tables[0].note


def test_metrics_without_scores_or_coefficients_are_no_best(tmp_path):
    corpus = write(tmp_path / "tiny")
    lines = [f"{system}\t{segment}\t{2 * segment}" for system in "ABC" for segment in range(1, 5)]
    (tmp_path / "equal.tsv").write_text("\n".join(["system\tsegment\tscore", *lines]) + "\n")
    (tmp_path / "partly.tsv").write_text(
        "\n".join(["system\tsegment\tscore", *lines[:3], *lines[4:7], lines[11]]) + "\n"
    )
    names = [f"scores:{tmp_path / name}.tsv" for name in ("equal", "partly")]
    found = metaeval.compare(corpus, names, criteria=["adequacy"], n_resamples=20, ceiling=0, **SEGMENT)
    (table,) = found.tables
    # Of 3 systems and 4 segments there are 12 texts, of which the second has 3, 3 and 1.
    part = "Scored for a part of the texts, and measured on these: partly (7 of 12 texts)."
    assert table.sentence == f"adequacy: no metric has a coefficient. {part}"
    assert {row["metric"]: row["scored"] for row in table.rows} == {"equal": "all", "partly": "7 of 12"}
    assert dict(found.results.correlations[["metric", "n_scored"]].values) == {names[0]: 12, names[1]: 7}
    # All pairs of systems are tied by the first; the second has no segment with a score of every system.
    assert {row["metric"]: row["ties"] for row in table.rows} == {
        "equal": 1.0,
        "partly": pytest.approx(float("nan"), nan_ok=True),
    }


def test_several_corpora_have_a_table_each(tmp_path):
    found = metaeval.compare(["demo", write(tmp_path / "tiny")], ["bleu(order=1)", "ter"], n_resamples=10, ceiling=0)
    assert [table.heading.partition(": P")[0] for table in found.tables] == [
        "demo (simulated data), adequacy",
        "demo (simulated data), fluency",
        "tiny, adequacy",
        "tiny, errors",
    ]
    # In the sentence and in the heading, which is a caption in LaTeX; there the packages come first.
    for kind, first in (("table", 0), ("latex", 1)):
        assert [text.count("simulated data") for text in found.text(kind).split("\n\n")[first:]][:4] == [2, 2, 0, 0]
    # Sentence, heading and table are paragraphs in Markdown: words right below a table would be a row of it. With ten
    # replicates there is neither an interval nor a test, and so no legend.
    parts = [part for part in found.text("md").split("\n\n") if not part.startswith("Note: ")]
    assert [part.count("simulated data") for part in parts] == [1, 1, 0] * 2 + [0, 0, 0] * 2
    assert [part[0] == "|" for part in parts] == [False, False, True] * 4
    assert [list(table.rows[0]) for table in found.tables] == [["metric", "Pearson", "below the best", "p"]] * 4
    assert found.text("md").count("| metric | Pearson | below the best |\n") == 4
    # A note says what it is about, and gives the reason why there is no interval once.
    assert [note.partition(": ")[0] for note in found.notes] == ["demo, adequacy", "demo, fluency"]
    assert "(and 3 more like this)" in found.notes[0]
    for kind, text in (("md", found.to_markdown()), ("latex", found.to_latex()), ("table", str(found))):
        assert found.text(kind) == text
    rows = json.loads(found.text("json"))
    assert {(row["corpus"], row["simulated"]) for row in rows} == {("demo", True), ("tiny", False)}


def by_systems_and_segments(path, values):
    lines = [f"{s}\t{i}\t{one}" for s, row in zip("ABC", values, strict=True) for i, one in enumerate(row, start=1)]
    path.write_text("\n".join(["system\tsegment\tscore", *lines]) + "\n")
    return f"scores:{path}"


def test_a_permutation_exchanges_what_is_resampled(tmp_path):
    corpus = write(tmp_path / "tiny")
    names = [
        by_systems_and_segments(tmp_path / "good.tsv", [[9, 8, 7, 9], [5, 5, 4, 3], [1, 2, 3, 4]]),
        by_systems_and_segments(tmp_path / "poor.tsv", [[2, 1, 7, 5], [5, 6, 4, 9], [1, 4, 2, 3]]),
    ]
    found = {
        resample: metaeval.compare(
            corpus,
            names,
            criteria=["adequacy"],
            **SEGMENT,
            resample=resample,
            test="permutation",
            n_resamples=500,
            ceiling=0,
        )
        for resample in ("segments", "systems", "both")
    }
    assert {name: one.results.tests["over"].item() for name, one in found.items()} == {name: name for name in found}
    # To exchange a segment turns the sign of its difference, for Pearson's coefficient knows no scale.
    grid = grid_of(found["segments"].results)
    of_segments = [grid.coefficients("pearson")[grid.position(name)] for name in names]
    differences = of_segments[0] - of_segments[1]
    signs = np.array(list(itertools.product([1, -1], repeat=4)))
    as_large = np.abs((signs * differences).mean(axis=1)) >= abs(differences.mean()) - 1e-12
    assert found["segments"].results.tests["p"].item() == pytest.approx(as_large.mean())
    tested = "paired permutation test of equal make-up of two metrics over {}, not only equal correlation ({})."
    assert tested.format("systems", "new systems, same texts") in found["systems"].tables[0].note
    # By the calibration, the exchange of single cells says nothing of other systems.
    assert tested.format("both", "new segments, same systems") in found["both"].tables[0].note


def test_settings_for_the_bootstrap_choose_what_a_permutation_exchanges_too(tmp_path):
    found = metaeval.compare(
        write(tmp_path / "tiny"),
        ["ter", "wer"],
        criteria=["adequacy"],
        test="permutation",
        uncertainty={"resample": "systems", "n_resamples": 20},
        ceiling=0,
    )
    assert found.results.tests["over"].item() == "systems"


def test_several_levels_and_coefficients_are_compared_in_one_call(tmp_path):
    corpus = write(tmp_path / "tiny")
    settings = {"criteria": ["adequacy"], "n_resamples": 20, "ceiling": 0}
    asked = {"level": ["system", "segment"], "coefficient": ["kendall", "segment:darr(gap=1)", "segment:spearman"]}
    found = metaeval.compare(corpus, ["ter", "wer"], output=tmp_path / "run", **asked, **settings)
    headings = [table.heading.split(": ")[1].partition("; ")[0] for table in found.tables]
    assert headings == [
        "Kendall correlation across 3 systems",
        "Kendall correlation across 3 systems, mean over 4 segments",
        "Spearman correlation across 3 systems, mean over 4 segments",
        "daRR over pairs of 3 systems, on 4 segments",
    ]
    # Each is what it is by itself.
    for table, level, coefficient in zip(
        found.tables, ["system", *["segment"] * 3], ["kendall", "kendall", "spearman", "darr(gap=1)"], strict=True
    ):
        alone = metaeval.compare(corpus, ["ter", "wer"], level=level, coefficient=coefficient, **settings)
        assert alone.tables[0].rows == table.rows
    again = metaeval.run(tmp_path / "run" / "config.toml", output=tmp_path / "again")
    assert again.correlations.to_csv() == found.results.correlations.to_csv()
    default = metaeval.compare(corpus, ["ter", "wer"], level=["system", "segment"], **settings)
    assert [row["coefficient"] for row in json.loads(default.text("json"))[::3]] == [
        "pearson",
        'pairwise-accuracy(epsilon="auto")',
    ]
    assert [list(table.rows[0])[1] for table in default.tables] == ["Pearson", "acc_eq"]
    text = default.text(width=120)
    assert text.startswith("system level, Pearson, adequacy: ")
    assert "\nsegment level, acc_eq, adequacy: " in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"level": "sentence"}, r"unknown level 'sentence'"),
        ({"level": "documents(size=3)"}, r"level 'documents': unknown parameter 'size'"),
        ({"level": "system(length=3)"}, r"unknown level"),
        ({"coefficient": "person"}, r"unknown coefficient 'person'; did you mean 'pearson'\?"),
        ({"criteria": ["accuracy"]}, r"unknown criterion 'accuracy'"),
        ({"metrics": ["blue"]}, r"unknown metric 'blue'"),
        ({"resample": "judges"}, r"`uncertainty.resample` must be one of"),
        ({"resample": "judges", "test": "permutation"}, r"`uncertainty.resample` must be one of"),
        ({"documents": "segments", "test": "permutation"}, r"documents"),
        (
            {"test": "williams", "level": "segment"},
            r"the test 'williams' is for the level 'system'; got the level 'segment'\.",
        ),
        (
            {"test": "permutation", "level": "documents(length=5)"},
            r"the test 'permutation' over segments .* pseudo-documents share segments; choose to resample 'systems'",
        ),
        (
            {"test": "permutation", "metrics": ["bleu", "ter"]},
            r"the test 'permutation' over segments .* the corpus score of bleu is not the mean of these",
        ),
        (
            {"coefficient": "soft-pairwise-accuracy", "level": "documents(length=5)"},
            r"'soft-pairwise-accuracy' is for the levels 'system' and 'segment'; got the level 'documents\(length=5",
        ),
        (
            {"coefficient": ["segment:kendall"]},
            r"the coefficient 'segment:kendall' is for the level 'segment', which is not among \['system'\]",
        ),
        ({"level": ["system", "system"]}, r"`level` must name at least one, each once; got"),
        ({"level": "segment", "test": "permutation"}, r"'permutation' does not take the coefficient .* calibrated"),
    ],
)
def test_wrong_requests_are_refused(arguments, message):
    with pytest.raises(UsageError, match=message):
        metaeval.compare("demo", **{"metrics": ["bleu"], "n_resamples": 5, **arguments})


@pytest.mark.parametrize("kind", [["pseudo"], 3])
def test_a_kind_of_documents_that_is_no_text_is_refused(kind):
    with pytest.raises(UsageError, match=r"`documents\.kind` must be text; got"):
        metaeval.compare("demo", ["bleu", "ter"], test="permutation", documents={"kind": kind})


@pytest.mark.parametrize("tests", [[{"method": "williams"}, {"method": "denoised"}], [{"alpha": 0.2}]])
def test_tests_that_the_words_of_a_comparison_do_not_fit_are_refused(tests):
    with pytest.raises(UsageError, match=r"a comparison has one test, at 0\.05"):
        metaeval.compare("demo", ["ter", "wer"], tests=tests)


def test_a_run_of_a_comparison_has_the_tables_that_the_comparison_prints(tmp_path):
    asked = {"n_resamples": 60, "labels": ["ter=T"]}
    found = metaeval.compare("demo", ["bleu", "ter"], **asked, output=tmp_path / "run")
    written = (tmp_path / "run" / "tables.tex").read_text("utf-8")
    printed, notes, _ = found.to_latex().partition("% note: ")
    assert notes
    assert written == printed.rstrip("\n") + "\n"
    assert "T & 0." in written
    loaded = metaeval.load_run(tmp_path / "run")
    assert loaded.to_latex().startswith(printed.rstrip("\n"))
    rows = loaded.to_frame().sort_values(["criterion", "rank"])
    assert list(zip(rows["metric"], rows["star"], rows["p_worse"], strict=True)) == [
        (row["metric"], row["star"], row["p_worse"])
        for row in sorted(found.to_frame().to_dict("records"), key=lambda row: (row["criterion"], row["rank"]))
    ]
