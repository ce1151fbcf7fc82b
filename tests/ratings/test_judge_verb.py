"""`metaeval judge` and `metaeval.judge`: what they print, their exit codes, and what they say to wrong input."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest

import metaeval
from metaeval.cli import main
from metaeval.errors import UsageError
from metaeval.ratings.judge_comparison import judge_findings
from metaeval.ratings.sentences import answer_of
from tests.ratings.support import NAN, of_matrix, random_labels

WORDS = np.array(["fail", "pass"])


def labels(n=120, seed=2, errors=(0.08, 0.08, 0.08, 0.08)):
    """Return a table of three people and a judge who err at random."""
    raters = dict(zip(["annotator1", "annotator2", "annotator3", "gpt4"], errors, strict=True))
    return random_labels(raters, n, seed, share=0.45, words=("fail", "pass"))


@pytest.fixture
def run(run_verb):
    return partial(run_verb, "judge")


def test_the_answer_comes_first_then_how_the_table_was_read(run):
    code, out, _ = run(labels())
    lines = out.splitlines()
    assert code == 0
    assert lines[0].startswith("No significant difference between gpt4 and a person: ")
    assert lines[3] == (
        "ratings.csv: labels fail, pass, 120 items; people: annotator1, annotator2, annotator3; judges: gpt4."
    )
    assert [line.partition("  ")[0] for line in lines[8:11]] == ["gpt4", "one person", 'always "fail"']


def test_the_answer_claims_no_more_than_its_interval():
    found = metaeval.judge(labels())
    one = found.findings.judges[0]
    assert one.difference.lower < 0 < one.difference.upper
    assert found.answer == (
        f"No significant difference between gpt4 and a person: {100 * one.difference.value:+.1f} points "
        f"[{100 * one.difference.lower:+.1f}, {100 * one.difference.upper:+.1f}]; it is as good to within "
        f"{100 * one.smallest_margin:.1f} points (one-sided)."
    )
    worse = metaeval.judge(labels(errors=(0.02, 0.02, 0.02, 0.4)))
    assert worse.answer.startswith("gpt4 agrees with a person less than people do with one another: -")
    better = metaeval.judge(labels(n=400, errors=(0.2, 0.2, 0.2, 0.02)))
    assert better.answer.startswith("gpt4 agrees with a person more than people do with one another: +")


def test_a_judge_that_is_better_on_the_items_that_both_rated_is_not_called_worse():
    # "some" rated the first 100 items and errs on 10 of them, 90 %; "all" rated all 200 and errs on each second one of
    # the others, 75 %: "all" is better on the items that both rated.
    truth = np.arange(200) % 2
    some = np.where(np.arange(200) % 10 == 0, 1 - truth, truth).astype(float)
    some[100:] = NAN
    all_items = np.where((np.arange(200) >= 100) & (np.arange(200) // 2 % 2 == 0), 1 - truth, truth)
    answer = answer_of(
        judge_findings(of_matrix([truth] * 2, {"all": all_items, "some": some})),
        of_matrix([truth] * 2, {"all": all_items, "some": some}), truth="", margin=None,
    )  # fmt: skip
    assert answer.splitlines()[-1] == (
        "all agrees more with people than some on the items that both rated (Holm, p < 0.05)."
    )


def test_grades_of_a_judge_that_is_farther_from_the_truth_than_a_constant_answer():
    # The truth is 2, 3 and 4 in turn, always 3 is 2/3 away; the judge says 5 and 1 in turn and is 2 away.
    rows = [{"id": at, "cleo": 2 + at % 3, "gpt": 5 - 4 * (at % 2)} for at in range(60)]
    answer = metaeval.judge(rows, truth="cleo", judges="gpt").answer
    assert answer.startswith("gpt is 2.00 grades [")
    assert answer.endswith("] away from cleo on average, which is farther than always answering '3'.")


def test_where_people_do_not_agree_no_judge_is_called_the_best():
    rng = np.random.default_rng(8)
    columns = ["annotator1", "annotator2", "annotator3", "gpt4", "claude"]
    table = pd.DataFrame({"id": range(200)} | {name: rng.choice(WORDS, 200) for name in columns})
    found = metaeval.judge(table)
    assert found.answer.startswith("Nothing can be validated on these items: people are not shown to agree")
    assert found.answer.count("\n") == 0
    assert [note for note in found.warnings if "validated" in note] == [
        "Nothing can be validated on these items: people are not shown to agree with one another more than with a "
        "constant answer."
    ]
    # It stands in the answer, and not below it again.
    assert not [note for note in found.notes if "validated" in note]


def test_one_person_an_item_is_told_what_it_takes():
    found = metaeval.judge(labels(40)[["id", "annotator1", "gpt4"]])
    assert found.answer.endswith(
        "of 40 items; whether it is as good as a person cannot be said: each item with a verdict was rated "
        "by one person, and it takes two."
    )
    assert math.isnan(found.to_frame()["difference"][0])


def test_what_a_judge_loses_stands_in_the_answer_with_the_margin_that_holds():
    worse = metaeval.judge(labels(errors=(0.02, 0.02, 0.02, 0.4)))
    margin = worse.findings.judges[0].smallest_margin
    assert worse.answer.endswith(f"it is as good only to within {100 * margin:.1f} points (one-sided).")


def test_a_judge_whose_one_sided_bound_is_above_0_is_no_worse_than_a_person():
    found = metaeval.judge(labels())
    ratings, one = found.ratings, found.findings.judges[0]
    difference = replace(one.difference, value=0.089, lower=-0.001, upper=0.179, bound=0.004)
    better = replace(one, difference=difference)
    assert answer_of(replace(found.findings, judges=(better,)), ratings, truth="", margin=None) == (
        "No significant difference between gpt4 and a person: +8.9 points [-0.1, +17.9]; it is no worse than a person "
        "(one-sided)."
    )


def test_a_judge_that_is_too_strict_is_also_shown_without_its_offset():
    rng = np.random.default_rng(2)
    grade = rng.integers(2, 5, 90)
    people = [np.where(rng.random(90) < 0.2, grade + 1, grade) for _ in range(2)]
    found = metaeval.judge(of_matrix(people, {"m": grade - 1}, "grade"))
    one = found.findings.judges[0]
    assert one.difference_without_offset.value > one.difference.value
    (line,) = [line for line in found.text().splitlines() if line.startswith("With its offset taken off")]
    assert f"{one.difference_without_offset.value:+.2f} grades [" in line
    # One that is too high by less than a grade is equal to nobody once it is moved.
    near = metaeval.judge(of_matrix(people, {"m": np.where(rng.random(90) < 0.4, grade + 1, grade)}, "grade"))
    assert "With its offset taken off" not in near.text()


def test_a_margin_holds_or_not_and_fail_has_an_exit_code(run):
    bound = metaeval.judge(labels()).findings.judges[0].smallest_margin
    wide, narrow = f"{bound + 0.001:.4f}", f"{bound - 0.001:.4f}"
    code, out, _ = run(labels(), "--margin", wide, "--fail")
    assert (code, out.startswith("gpt4 is no worse than a person, within ")) == (0, True)
    code, out, _ = run(labels(), "--margin", narrow, "--fail")
    assert (code, out.startswith("gpt4 is not shown to be as good as a person within ")) == (1, True)
    assert run(labels(), "--margin", narrow)[0] == 0
    # Where no margin can be known, none holds.
    assert run(labels(12), "--margin", "0.5", "--fail")[0] == 1


def test_formats_for_programs_have_all_numbers(run):
    frame = metaeval.judge(labels()).to_frame()
    _, out, _ = run(labels(), "--format", "tsv")
    head, row = (line.split("\t") for line in out.splitlines())
    assert head == list(frame.columns)
    assert float(row[head.index("difference")]) == frame["difference"][0]
    _, out, _ = run(labels(), "--format", "json")
    found = json.loads(out)
    assert list(found) == ["answer", "reading", "judges", "people", "labels", "severity"]
    assert [one["person"] for one in found["people"]] == ["annotator1", "annotator2", "annotator3"]
    for form, sign in (("md", "| rater |"), ("latex", r"\begin{tabular}")):
        assert sign in run(labels(), "--format", form)[1]


def test_frames_have_the_columns_that_are_documented():
    found = metaeval.judge(labels(), rule="alt-test", epsilon=0.2)
    judges = found.to_frame()
    assert {"agreement", "agreement_lower", "agreement_of_person", "agreement_of_constant", "smallest_margin"} <= {
        *judges.columns
    }
    assert found.to_frame("labels")["label"].tolist() == ["fail", "pass"]
    assert found.to_frame("alt-test")["people"].tolist() == [3]
    with pytest.raises(UsageError, match="there is no table 'pairs', because there is one judge"):
        found.to_frame("pairs")
    with pytest.raises(UsageError, match="unknown table 'judge'; did you mean 'judges'"):
        found.to_frame("judge")
    grades = metaeval.judge(of_matrix([[1, 2, 3] * 9, [1, 3, 3] * 9], {"m": [2, 2, 3] * 9}, "grade"))
    # Distances from the people: 1 | .5 | 0, and of people 0 | 1 | 0.
    assert grades.to_frame()[["distance", "distance_of_person"]].values.tolist() == [
        [pytest.approx(0.5), pytest.approx(1 / 3)]
    ]


def test_all_tables_are_shown_where_they_are_asked_for(run):
    table = labels().assign(claude=labels()["annotator1"])
    _, out, _ = run(table, "--verbose")
    assert "Judges in pairs" in out
    assert "Judge and person, both compared with the others" in out
    assert "Judges in pairs" not in run(table)[1]


def test_a_judge_that_was_asked_in_both_orders(run):
    rng = np.random.default_rng(4)
    first = rng.choice(["a", "b"], 60)
    rows = pd.DataFrame({"id": range(60), "system_a": "x", "system_b": "y", "label": first,
                         "gpt_ab": np.where(first == "a", "first", "second"), "gpt_ba": "first"})  # fmt: skip
    code, out, _ = run(rows, "--truth", "label")
    assert code == 0
    assert "in both orders" in out
    found = metaeval.judge(rows, truth="label").to_frame("position")
    # In the second order the judge always takes what stands first, y.
    assert found["accuracy_first_order"][0] == 1
    assert found["accuracy_swapped"][0] == (first == "b").mean()


def test_the_better_output_is_named_by_the_columns():
    rows = [{"id": at, "chosen": "x", "rejected": "y", "results": int(at % 5 > 0)} for at in range(50)]
    found = metaeval.judge(rows, judges="results")
    assert found.answer.startswith("results is right in 80.0 % [")
    assert found.answer.endswith("of 50 items.")
    few = metaeval.judge(rows[:25] + [{**row, "id": row["id"], "results": 0} for row in rows[25:]], judges="results")
    assert "coin" in few.answer


def test_a_corpus_is_judged_by_name(run):
    found = metaeval.judge(metaeval.load_corpus("demo"), judges=["judge07"], criterion="fluency")
    assert found.reading.startswith(
        "corpus demo: grades 1 to 5 of fluency, 960 items in 16 documents; people: judge01,"
    )
    with pytest.raises(UsageError, match="`document` says how a table of ratings is read, and corpus demo is none"):
        metaeval.judge("demo", judges="judge07", criterion="fluency", document="domain")
    assert main(["judge", "demo", "--judge", "judge07", "--criterion", "fluency"]) == 0


def test_ratings_that_were_read_are_taken_as_they_are():
    ratings = metaeval.judge(labels()).ratings
    assert isinstance(ratings, metaeval.Ratings)
    again = metaeval.judge(ratings, margin=0.2)
    assert again.margin_holds
    with pytest.raises(UsageError, match="Ratings were read already"):
        metaeval.judge(ratings, judges="gpt4")


def test_several_tables_of_the_same_items(run, tmp_path):
    table = labels()
    table[["id", "gpt4"]].to_csv(tmp_path / "judge.csv", index=False)
    people = table.drop(columns="gpt4")
    _, out, _ = run(people, "judge.csv", "--format", "json")
    assert json.loads(out)["judges"] == json.loads(run(table, "--format", "json")[1])["judges"]
    assert json.loads(out)["reading"].startswith("ratings.csv + judge.csv: labels fail, pass, 120 items; ")
    assert "of which 'demo' is none" in run(people, "demo")[2]


def test_what_misleads_is_a_warning():
    table = labels().assign(gpt4="pass")
    with pytest.warns(metaeval.MetaevalWarning, match="gpt4 always answers 'pass'"):
        found = metaeval.judge(table)
    assert "gpt4 always answers 'pass'." in found.warnings


def test_a_paragraph_for_a_paper_says_what_was_done(run):
    _, out, _ = run(labels(), "--methods", "--margin", "0.1")
    words = " ".join(out.split())
    assert (
        "120 items were rated by 3 people and by 1 automatic judge, each item by 3.0 people; ratings are labels."
        in words
    )
    assert "Hall's transformed t (Hall, 1992)" in words
    assert "a loss of 0.1 was taken for acceptable before the results were seen" in words
    assert "Holm" not in words
    two = metaeval.judge(labels().assign(claude="pass"), truth="annotator1", rule="alt-test", epsilon=0.1)
    paragraph = two.methods("latex")
    assert r"with Holm's correction~\citep{holm1979}." in paragraph
    assert r"\citep{calderon2025}" in paragraph
    assert "fieller1954" not in two.methods("bibtex")


WRONG = {
    "no table": ("", (), "ratings.csv: has no rows."),
    "fail without margin": (labels(), ("--fail",), "--fail asks whether a margin holds: name it"),
    "methods for programs": (labels(), ("--methods", "--format", "tsv"), "--methods prints a paragraph for readers"),
    "points": (labels(), ("--margin", "5"), "--margin must be a share of items, such as 0.05 for 5 points; got 5."),
    "no epsilon": (labels(), ("--rule", "alt-test"), "--epsilon is missing: how much worse than a person"),
    "epsilon alone": (labels(), ("--epsilon", "0.2"), "--epsilon belongs to a rule, and none was named"),
    "both": (labels(), ("--truth", "annotator1", "--people", "annotator2"), "--truth names who is right by definition"),
    "margin and truth": (labels(), ("--truth", "annotator1", "--margin", "0.1"), "--margin is what a judge may lose"),
    "nobody is a judge": (
        "item,rater,score\n1,anna,2\n1,ben,3\n", (),
        "the raters are 'anna', 'ben', none of whom has the name of a judge or a model. Name it: --judge NAME.",
    ),
    "only judges": (
        "item,gpt4,claude\n1,2,3\n2,3,3\n", (),
        "all raters are automatic: 'gpt4', 'claude'. If they have a file of their own, name it too. Name who is a",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_is_told_with_what_to_type(case, run):
    table, words, message = WRONG[case]
    code, out, err = run(table, *words)
    assert code in (2, 3)
    assert message in " ".join(err.split())
    assert out == ""
