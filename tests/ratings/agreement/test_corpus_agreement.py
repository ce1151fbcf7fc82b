"""The verb ``agreement``: tables of a small corpus and the demo corpus, text, errors, the commands of the docs."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import metaeval
from metaeval.cli import main
from metaeval.components.registries import DEFAULT_PREPROCESSING
from metaeval.correlation.kendall import Kendall
from metaeval.errors import UsageError
from metaeval.ratings.agreement.items import sort_by_item
from metaeval.ratings.agreement.krippendorff import krippendorff_alpha
from metaeval.results.agreement import KINDS
from tests.support.corpus import JUDGES, judgments, write

QUICK = {"n_resamples": 40, "n_draws": 4}
TEXT = (Path(__file__).parents[3] / "docs" / "agreement.md").read_text(encoding="utf-8")
# The beginning of the page, on tables of ratings, is played in tests/docs.
CORPUS_PART = TEXT.partition("## A corpus")[2]
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", CORPUS_PART, re.DOTALL) for line in block.splitlines()]


@pytest.fixture(scope="module")
def demo():
    return metaeval.agreement("demo", criteria="adequacy", metrics=["bleu(order=1)", "ter"], **QUICK)


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_of_the_docs(command, capsys):
    arguments = shlex.split(command, comments=True)[1:]
    assert main([*arguments, "--resamples", "20", "--draws", "3"]) == 0
    assert "judge0" in capsys.readouterr().out or "--table ceiling" in command


def test_figures_of_the_docs():
    found = metaeval.agreement("demo", criteria="adequacy", metrics=["bleu", "ter"])
    (alpha,) = (row for row in found.tables["alpha"] if row["level"] == "interval")
    assert f"{alpha['alpha']:.2f} [{alpha['lower']:.2f}, {alpha['upper']:.2f}]" in TEXT
    values = {
        (row["documents"], row["average_by"], row["kind"]): f"{row['value']:.2f}"
        for row in found.tables["ceiling"]
        if row["coefficient"] == "pearson"
    }
    assert f"with another by {values['corpus', 'item', 'inter-judge']} (Pearson)" in " ".join(TEXT.split())
    assert f"the ceiling for a metric is {values['corpus', 'item', 'ceiling']}:" in TEXT
    assert f"pooled, it is {values['segment', 'none', 'ceiling']}." in " ".join(TEXT.split())
    offsets = {row["judge"]: row["offset"] for row in found.tables["judges"]}
    assert (round(offsets["judge07"], 1), round(offsets["judge05"], 1)) == (-0.6, 0.5)
    metrics = {(row["left_out"], row["metric"]): row["pearson"] for row in found.tables["metrics"]}
    assert (round(metrics["", "bleu"], 3), round(metrics["", "ter"], 3)) == (0.966, 0.940)
    assert (round(metrics["judge07", "bleu"], 3), round(metrics["judge07", "ter"], 3)) == (0.941, 0.942)
    assert (
        "reaches 0.966 on the whole test set, ahead of TER with 0.940. Without judge 7 they have 0.941 and 0.942"
        in " ".join(TEXT.split())
    )
    turned = [judge for judge, metric in metrics if metric == "bleu" and metrics[judge, "ter"] > metrics[judge, "bleu"]]
    assert turned == ["judge07"]


def test_tables_are_those_of_the_judgments(demo):
    corpus = metaeval.load_corpus("demo")
    rows = corpus.judgments.where(corpus.judgments.criterion == 0)
    items = sort_by_item(rows, corpus.criteria[0], corpus.systems, corpus.n_segments)
    assert tuple(demo.tables) == tuple(KINDS)
    (design,) = demo.tables["design"]
    # Counted with: grep -c adequacy data/demo/judgments.tsv.
    assert (design["judgments"], design["judges"], design["items"]) == (2379, 11, 960)
    for row in demo.tables["alpha"]:
        assert row["alpha"] == krippendorff_alpha(items, row["level"])[0]
        assert row["lower"] < row["alpha"] < row["upper"]
        assert (row["segments"], row["replicates"], row["undefined"]) == (120, 120, 0)
    pairs, (means,) = demo.tables["pairs"], demo.tables["pair-means"]
    assert len(pairs) == means["pairs_sharing"] == 55
    few = [row for row in pairs if row["shared"] < 10]
    assert len(few) == means["too_few_shared"] == 2
    assert all(np.isnan(row["spearman"]) for row in few)
    kept = [row for row in pairs if row["shared"] >= 10]
    shared = sum(row["shared"] for row in kept)
    assert means["spearman"] == pytest.approx(sum(row["spearman"] * row["shared"] for row in kept) / shared, abs=1e-12)
    assert means["absolute_difference"] == pytest.approx(
        sum(abs(row["difference"]) * row["shared"] for row in kept) / shared, abs=1e-12
    )
    assert sum(row["n"] for row in demo.tables["judges"]) == 2379
    ceiling = demo.tables["ceiling"]
    # Three ways to split judgments, reliability and ceiling.
    assert len(ceiling) == 9 * 5
    assert {(row["items"], row["share_of_items"]) for row in ceiling} == {(960, 1.0)}


def test_rows_are_records_whose_fields_are_the_columns(demo):
    for name, kind in KINDS.items():
        assert all(type(row) is kind for row in demo.rows[name])
        assert repr([vars(row) for row in demo.rows[name]]) == repr(list(demo.tables[name]))
        assert list(demo.to_frame(name)) == list(vars(demo.rows[name][0]))


def test_the_order_of_systems_is_that_of_the_judgments_left(demo):
    corpus = metaeval.load_corpus("demo")
    rows = corpus.judgments.where(corpus.judgments.criterion == 0)

    def means(kept):
        some = rows.where(kept)
        key = some.system * 1000 + some.segment
        items, inverse = np.unique(key, return_inverse=True)
        values = np.bincount(inverse, weights=some.score) / np.bincount(inverse)
        return np.array([values[items // 1000 == system].mean() for system in range(8)])

    whole = means(np.ones(len(rows), bool))
    for row in demo.tables["systems"]:
        place = corpus.judgments.judges.index(row["left_out"])
        without = means(rows.judge != place)
        assert row["kendall"] == pytest.approx(float(Kendall()(whole, without)), abs=1e-9)
        assert row["largest_change"] == pytest.approx(np.abs(without - whole).max(), abs=1e-9)
        before, after = ((-x).argsort().argsort() + 1 for x in (whole, without))
        moved = {f"{name} {a}>{b}" for name, a, b in zip(corpus.systems, before, after, strict=True) if a != b}
        assert set(row["moved"].split("; ")) - {""} == moved
        assert row["n_moved"] == len(moved)


def test_metrics_without_a_judge_are_a_run_by_the_others(demo, tmp_path):
    run = metaeval.run(
        "system-level",
        overrides=[
            'metrics=["bleu(order=1)", "ter"]',
            'criteria=["adequacy"]',
            f"preprocessing=['{DEFAULT_PREPROCESSING}']",
            'uncertainty.method="none"',
            f"judgments.judges={[f'judge{k:02}' for k in range(1, 12) if k != 5]}".replace("'", '"'),
        ],
        output=tmp_path / "run",
    ).correlations
    rows = [row for row in demo.tables["metrics"] if row["left_out"] == "judge05"]
    for row in rows:
        for name in ("pearson", "spearman"):
            (expected,) = run.query("metric == @row['metric'] and coefficient == @name")["mean"]
            assert row[name] == expected
    assert sorted(row["rank_pearson"] for row in rows) == [1.0, 2.0]
    assert len(demo.tables["metrics"]) == 2 * 12


def test_low_scores_can_be_good(tmp_path):
    # Errors rise from A to C. Without either judge the order stays.
    found = metaeval.agreement(write(tmp_path), criteria="errors", min_shared=2, **QUICK)
    assert [row["kendall"] for row in found.tables["systems"]] == [1.0, 1.0]
    assert [row["n_moved"] for row in found.tables["systems"]] == [0, 0]
    # Bob finds one error more than Ann on every item.
    (pair,) = found.tables["pairs"]
    assert (pair["judge_a"], pair["judge_b"], pair["shared"], pair["difference"]) == (*JUDGES, 12, -1.0)
    assert pair["pearson"] == pytest.approx(1.0)
    assert [row["offset"] for row in found.tables["judges"]] == [-1.0, 1.0]
    # All orders of systems and segments agree where the errors differ by more than one judge adds.
    corpus = [row for row in found.tables["ceiling"] if row["documents"] == "corpus"]
    assert {row["value"] for row in corpus if row["coefficient"] == "spearman"} == {1.0}


def test_what_is_not_known_of_a_judge_has_no_sign():
    # z shares no item with x and y, who differ by 1 on each of two.
    rows = [("A", 1, "x", 3), ("A", 1, "y", 4), ("B", 2, "x", 1), ("B", 2, "y", 2), ("B", 3, "z", 2)]
    frame = pd.DataFrame(rows, columns=["system", "segment", "judge", "score"])
    found = metaeval.agreement(frame, n_resamples=5).text(tables=["judges"], verbose=True)
    (line,) = [one for one in found.split("\n") if one.split()[1:2] == ["z"]]
    assert line.split()[-3:] == ["--", "--", "--"]
    (line,) = [one for one in found.split("\n") if one.split()[1:2] == ["x"]]
    assert "-1.00" in line


def test_judges_of_opposite_views_leave_the_ceiling_unknown_and_say_why():
    # x and y see the systems in opposite orders: whichever judgment of a system is drawn, the other is far from it.
    grades = {"A": (5, 1), "B": (4, 2), "C": (2, 4), "D": (1, 5)}
    rows = [
        (system, segment, judge, grade + (segment + k) % 2)
        for system, both in grades.items()
        for segment in range(1, 13)
        for k, (judge, grade) in enumerate(zip("xy", both, strict=True))
    ]
    frame = pd.DataFrame(rows, columns=["system", "segment", "judge", "score"])
    found = metaeval.agreement(frame, **QUICK)
    values = {
        (row["documents"], row["average_by"], row["kind"]): row["value"]
        for row in found.tables["ceiling"]
        if row["coefficient"] == "pearson"
    }
    for place in (("segment", "none"), ("corpus", "item")):
        assert values[*place, "split-half"] < 0
        assert np.isnan([values[*place, "reliability"], values[*place, "ceiling"]]).all()
    assert (
        "What a perfect metric would reach on the whole test set is not known: two halves of the judgments correlate "
        f"below 0 there ({values['corpus', 'item', 'split-half']:.3f})."
    ) in " ".join(found.text().split())


def one_judge_an_item():
    """Return judgments of which Ann has every other one, and Bob the rest."""
    head, *rows = judgments()
    return [head, *(row for row in rows if ("\tann\t" in row) == (int(row.split("\t")[0]) % 2 == 0))]


def test_items_judged_once_say_why_there_is_no_agreement(tmp_path, capsys):
    corpus = write(tmp_path, judgments="\n".join(one_judge_an_item()) + "\n")
    assert main(["agreement", "--corpus", str(corpus), "--resamples", "5", "--draws", "2"]) == 0
    out, err = capsys.readouterr()
    assert "note: tiny, adequacy, errors: no agreement can be measured, because every one of the 12 judged items" in err
    assert "was judged once, by one of 2 judges; two judgments of the same items are needed." in err
    assert "alpha" not in out
    assert out.startswith("No item has two judgments: agreement is not known.\n\n")
    assert "--table shows judges, systems; " in out
    assert main(["agreement", "--corpus", str(corpus), "--table", "alpha"]) == 2
    assert "there is no table 'alpha', because tiny, adequacy" in capsys.readouterr().err


def test_one_judge_and_judges_without_a_criterion(tmp_path):
    alone = metaeval.agreement(write(tmp_path / "a"), judges=["ann"], **QUICK)
    assert "was judged by one judge" in alone.warnings[0]
    assert "systems" not in alone.tables
    head, *rows = judgments()
    kept = [row for row in rows if not ("\tbob\t" in row and "errors" in row)]
    half = metaeval.agreement(write(tmp_path / "b", judgments="\n".join([head, *kept]) + "\n"), judges="bob", **QUICK)
    assert half.warnings[-1] == "tiny, errors: there is no judgment by any of these judges."
    assert {row["criterion"] for row in half.tables["judges"]} == {"adequacy"}


def test_judges_who_share_nothing_and_systems_nobody_judged(tmp_path):
    head, *rows = judgments()
    cat = [row.replace("\tann\t", "\tcat\t").replace("\tbob\t", "\tdan\t") for row in rows if row[0] in "12"]
    kept = [row for row in cat + [row for row in rows if row[0] in "34"] if "\tC\t" not in row]
    corpus = write(tmp_path, judgments="\n".join([head, *kept]) + "\n")
    found = metaeval.agreement(corpus, criteria=["adequacy"], min_shared=3, **QUICK)
    text = "\n".join(found.warnings)
    assert "the judges fall into 2 groups that share no item, the largest of 2" in text
    assert "1 of 3 systems have no judgment and are left out." in text
    assert [row["shared"] for row in found.tables["pairs"]] == [4, 4]
    assert {row["systems"] for row in found.tables["systems"]} == {2}
    assert {row["items"] for row in found.tables["ceiling"]} == {8}


def test_a_metric_without_any_segment_left_has_no_coefficient(tmp_path):
    # Each segment has an item that only Ann judged.
    head, *rows = judgments()
    kept = [row for row in rows if "\tbob\t" not in row or "\tA\t" not in row]
    corpus = write(tmp_path, judgments="\n".join([head, *kept]) + "\n")
    found = metaeval.agreement(corpus, criteria=["adequacy"], metrics="bleu(order=1)", min_shared=2, **QUICK)
    by_judge = {row["left_out"]: row for row in found.tables["metrics"]}
    assert [by_judge[name]["segments"] for name in ("", "ann", "bob")] == [4, 0, 4]
    assert np.isnan([by_judge["ann"]["pearson"], by_judge["ann"]["rank_pearson"]]).all()
    assert by_judge["bob"]["rank_pearson"] == 1.0
    # System A has no judgment without Ann.
    left_out = {row["left_out"]: row for row in found.tables["systems"]}
    assert np.isnan(left_out["ann"]["kendall"])
    assert left_out["bob"]["kendall"] == pytest.approx(1.0)
    assert " 1 " in found.text().splitlines()[-3]  # one judge whose absence leaves something


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--criterion", "adequecy"], "corpus 'tiny': unknown criterion 'adequecy'; did you mean 'adequacy'?"),
        (["--judges", "expert*"], "corpus 'tiny': unknown judge 'expert*'. Known judges: 'ann', 'bob'."),
        (["-m", "blue"], "unknown metric 'blue'; did you mean 'bleu'?"),
        (["--table", "metrics"], "there is no table 'metrics', because no metric was named."),
        (["--confidence", "95"], "--confidence must lie between 0 and 1; got 95."),
    ],
)
def test_wrong_arguments_are_errors_that_name_them(arguments, message, tmp_path, capsys):
    quick = [] if "--resamples" in arguments or "--draws" in arguments else ["--resamples", "5", "--draws", "2"]
    assert main(["agreement", "--corpus", str(write(tmp_path)), *quick, *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err


@pytest.mark.parametrize("name", ["n_resamples", "min_shared"])
def test_numbers_that_are_too_small(name):
    with pytest.raises(UsageError, match=f"`{name}` must be at least 2; got 1."):
        metaeval.agreement("demo", **{name: 1})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--draws", "0"], "--draws must be a whole number from 1 on; got '0'."),
        (["--resamples", "1"], "--resamples must be a whole number from 2 on; got '1'."),
        (["--min-shared", "1"], "--min-shared must be a whole number from 2 on; got '1'."),
        (["--table", "alphas"], "--table must be design, alpha, "),
    ],
)
def test_what_no_corpus_is_read_for(arguments, message, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["agreement", "--corpus", "demo", *arguments])
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


def test_metrics_are_named_before_any_corpus_is_read():
    for metrics, message in (
        ("blue", r"^unknown metric 'blue'; did you mean 'bleu'\?"),
        (["bleu", "bleu"], r"^the metric 'bleu' is named twice; name it once\.$"),
        (["bleu", "bleu(order=4)"], r"^'bleu' and 'bleu\(order=4\)' are the same metric, BLEU\|.*; name it once\.$"),
    ):
        with pytest.raises(UsageError, match=message):
            metaeval.agreement("there is no such corpus", metrics=metrics)


def test_a_loaded_corpus_is_as_good_as_its_name(demo):
    steps = []
    found = metaeval.agreement(
        metaeval.load_corpus("demo"),
        criteria="adequacy",
        metrics=["bleu(order=1)", "ter"],
        progress=steps.append,
        **QUICK,
    )
    assert repr(found.tables) == repr(demo.tables)
    assert "read" not in {step.stage for step in steps}


def test_a_metric_that_fails_is_an_error_with_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("def bad(candidate, references): return references[7]\n")
    with pytest.raises(metaeval.MetricError, match=r"^metric 'mine\.py:bad', system 'A'.*IndexError"):
        metaeval.agreement(write(tmp_path / "corpus"), metrics="mine.py:bad", **QUICK)


def test_metrics_need_a_segment_that_all_judges_together_have_judged_for_every_system(tmp_path):
    # A is judged on segments 1 and 2, B and C on 3 and 4.
    head, *rows = judgments()
    kept = [row for row in rows if ("\tA\t" in row) == (row[0] in "12")]
    corpus = write(tmp_path, judgments="\n".join([head, *kept]) + "\n")
    assert "alpha" in metaeval.agreement(corpus, criteria="adequacy", min_shared=2, **QUICK).tables
    with pytest.raises(UsageError, match=r"adequacy, references ref1\+ref2: no document can be made from 0 eligible"):
        metaeval.agreement(corpus, criteria="adequacy", metrics="bleu(order=1)", min_shared=2, **QUICK)


def test_a_corpus_without_judgments(tmp_path):
    with pytest.raises(UsageError, match="the corpus 'tiny' has no judgments, so there is no agreement to measure"):
        metaeval.agreement(write(tmp_path, judgments=None))


def test_text_for_programs_reads_back_to_the_same_numbers(demo):
    shown = json.loads(demo.text("json"))
    assert tuple(shown) == tuple(KINDS)
    assert shown["alpha"][0]["alpha"] == demo.tables["alpha"][0]["alpha"]
    assert shown["pairs"][7]["spearman"] is None  # judges 1 and 9 share six items
    head, *lines = demo.text("tsv", ["judges"]).split("\n")
    assert head.split("\t")[:3] == ["criterion", "judge", "n"]
    assert [float(line.split("\t")[3]) for line in lines] == [row["mean"] for row in demo.tables["judges"]]
    blocks = demo.text("tsv", ["design", "alpha"]).split("\n\n")
    assert [block.split("\n")[1].split("\t")[0] for block in blocks] == ["design", "alpha"]


def test_text_for_people_cuts_long_tables_and_says_so(demo):
    text = demo.text()
    assert "... and 49 more: `text(tables=['pairs'])` shows all." in text
    assert max(map(len, text.split("\n"))) <= 120
    whole = demo.text(tables=["pairs"])
    assert "more:" not in whole
    assert whole.count("\nadequacy") == 55
    metrics = demo.text(tables=["metrics"])
    assert metrics.count("\nadequacy") == 24
    assert "Texts: 13a tokens, case kept." in " ".join(metrics.split())
    assert {row["preprocessing"] for row in demo.tables["metrics"]} == {DEFAULT_PREPROCESSING}
    alpha = demo.tables["alpha"][0]
    assert f"{alpha['alpha']:.3f} [{alpha['lower']:.3f}, {alpha['upper']:.3f}]" in text


def test_the_seed_alone_decides_and_criteria_do_not_meddle(demo):
    both = metaeval.agreement("demo", **QUICK)
    for name in ("alpha", "ceiling", "pairs", "judges"):
        again = [row for row in both.tables[name] if row["criterion"] == "adequacy"]
        assert repr(tuple(again)) == repr(demo.tables[name])
    other = metaeval.agreement("demo", criteria="adequacy", seed=2, **QUICK)
    assert other.tables["ceiling"][0]["value"] != demo.tables["ceiling"][0]["value"]


def ratings_of(n_segments, *, shared=None):
    """Return ratings of one system by two judges, the second of whom judges the first `shared` segments."""
    shared = n_segments if shared is None else shared
    rows = [("A", segment, "x", segment % 5) for segment in range(1, n_segments + 1)]
    rows += [("A", segment, "y", (segment + (segment % 3 == 0)) % 5) for segment in range(1, shared + 1)]
    return pd.DataFrame(rows, columns=["system", "segment", "judge", "score"])


@pytest.mark.parametrize(("n_segments", "shared"), [(9, 9), (30, 9)])
def test_alpha_of_fewer_than_ten_segments_has_no_interval_and_says_why(n_segments, shared):
    found = metaeval.agreement(ratings_of(n_segments, shared=shared), **QUICK)
    for row in found.tables["alpha"]:
        assert row["alpha"] > 0
        assert np.isnan([row["lower"], row["upper"]]).all()
        assert (row["segments"], row["replicates"], row["undefined"]) == (9, 0, 0)
    (why,) = (one for one in found.warnings if "confidence interval" in one)
    assert why.endswith(
        "Krippendorff's alpha (interval, ordinal, nominal) has no confidence interval: it needs at least 10 segments, "
        "and there are 9."
    )
    assert "(1 perfect, 0 chance), without a confidence interval." in " ".join(found.text().split())


def test_alpha_of_few_segments_says_how_seldom_its_interval_may_hold():
    found = metaeval.agreement(ratings_of(10), **QUICK)
    assert not np.isnan([row["lower"] for row in found.tables["alpha"]]).any()
    (note,) = (
        one for one in found.warnings if "confidence intervals of Krippendorff's alpha rest on 10 segments" in one
    )
    assert "as few as 71 %" in note
    assert not [one for one in metaeval.agreement(ratings_of(100), **QUICK).warnings if "rest on" in one]
    assert "Student's t, from alpha without each segment" in " ".join(found.text(verbose=True).split())


def test_alpha_that_rests_on_one_segment_has_no_interval():
    # All scores but one are 1: without its segment alpha is 0 / 0.
    frame = ratings_of(12).assign(score=1)
    frame.loc[3, "score"] = 2
    found = metaeval.agreement(frame, **QUICK)
    assert np.isnan([row["lower"] for row in found.tables["alpha"]]).all()
    assert [(row["replicates"], row["undefined"]) for row in found.tables["alpha"]] == [(11, 1)] * 3
    assert [one for one in found.warnings if "without one of the segments all ratings are equal" in one]


def test_alpha_of_many_segments_has_the_interval_of_a_bootstrap(monkeypatch):
    monkeypatch.setattr("metaeval.ratings.agreement.criterion.MAX_SEGMENTS_LEFT_OUT", 39)
    monkeypatch.setattr("metaeval.report.agreement.MAX_SEGMENTS_LEFT_OUT", 39)
    first, second = (metaeval.agreement(ratings_of(40), **QUICK, seed=seed) for seed in (1, 2))
    for one, other in zip(first.tables["alpha"], second.tables["alpha"], strict=True):
        assert one["replicates"] == other["replicates"] == 40  # those asked for
        assert one["lower"] != other["lower"]
    assert "bootstrap over segments, 40 replicates" in " ".join(first.text(verbose=True).split())


def test_tables_for_papers_and_notebooks_have_words_and_no_names_of_columns():
    found = metaeval.agreement("demo", metrics=["bleu"], criteria=["adequacy"], n_draws=5)
    for text in (found.to_markdown(), found._repr_html_(), found.to_latex().replace(r"\_", "_")):
        assert "judgments per item" in text
        assert "whole test set" in text
        assert "BLEU" in text
        for name in (
            "possible_items",
            "average_by",
            "kappa_linear",
            "judge_a",
            "share_of_items",
            "True",
            "nan",
            "pearson",
        ):
            assert name not in text, name
    # The numbers are those of the terminal, whole: each pair of judges has a row.
    pairs = found.tables["pairs"]
    assert sum(line.startswith("| adequacy | judge") for line in found.to_markdown().split("\n")) >= len(pairs)
