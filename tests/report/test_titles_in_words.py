"""People read the titles that metaeval makes in words, and those of the user as they were given."""

from __future__ import annotations

import json

import pytest

import metaeval
from metaeval.report.display_names import labelled, labels_in_messages, messages_with_labels
from metaeval.report.places_in_words import Wording, listed_in_sentence, varying_columns
from metaeval.report.results import Results
from metaeval.report.titles_in_words import titles_in_sentence, titles_in_words
from tests.support.corpus import write
from tests.support.results import correlation, run_of, task_score

KENDALL = {"corpora": "zh-en", "level": "segment", "coefficient": "kendall"}


def run_with_task(title, *, rows=(), **values):
    return run_of(*rows, tasks=[task_score(title, "bleu", **{**KENDALL, **values})])


@pytest.mark.parametrize(
    ("title", "values", "words"),
    [
        ("zh-en, segment, kendall", {}, "zh-en, segment level, Kendall"),
        ("zh-en, segment, kendall, item", {}, "zh-en, segment level, Kendall, across systems"),
        ("zh-en, segment, kendall, system", {"average_by": "system"}, "zh-en, segment level, Kendall, across segments"),
        ("zh-en, system, pearson", {"level": "system", "coefficient": "pearson"}, "zh-en, system level, Pearson"),
        # The title of a calibrated accuracy is what tables call it.
        ("zh-en, segment, acc_eq", {"coefficient": "acc_eq"}, "zh-en, segment level, acc_eq"),
        (
            "zh-en, segment, kendall, domain = news",
            {"variant": "domain = news"},
            "zh-en, segment level, Kendall, domain = news",
        ),
        # The user gave the first part, and what tells the tasks of one table apart stands behind it.
        ("Overall, kendall", {"variant": "Overall"}, "Overall, Kendall"),
        (
            "Overall, kendall, outliers = mad",
            {"variant": "Overall; outliers = mad"},
            "Overall, Kendall, outliers = mad",
        ),
    ],
)
def test_titles_of_tasks_are_in_words(title, values, words):
    assert titles_in_words(run_with_task(title, **values)) == {title: words}


@pytest.mark.parametrize("title", ["zh-en, segment, kendall", "kendall", "system, pearson"])
def test_titles_of_the_user_stay_as_given(title):
    # A task has the title of its table in `variant`.
    task = run_with_task(title, variant=title, rows=[correlation(0.5, panel=title)])
    assert titles_in_words(task) == {}
    assert titles_in_sentence(task) == {title: f'"{title}"'}
    # A panel of a config is no part of a comparison.
    panels = run_of(correlation(0.5, panel=title), facts={"config": "mine"})
    assert titles_in_words(panels) == {}


def test_a_corpus_of_several_stays_in_brackets():
    title = "zh-en, de-en, segment, kendall"
    rows = [
        correlation(0.5, panel=f"{title} ({name})", coefficient='kendall(variant="c")') for name in ("zh-en", "de-en")
    ]
    assert titles_in_words(run_with_task(title, rows=rows, corpora="zh-en, de-en")) == {
        title: "zh-en, de-en, segment level, Kendall, tau-c",
        f"{title} (zh-en)": "zh-en, de-en, segment level, Kendall, tau-c (zh-en)",
        f"{title} (de-en)": "zh-en, de-en, segment level, Kendall, tau-c (de-en)",
    }


def test_two_titles_that_would_have_the_same_words_stay_as_they_are():
    # The second was given by the user.
    title, same = "zh-en, segment, kendall", "zh-en, segment level, Kendall"
    tasks = [task_score(title, "bleu", **KENDALL), task_score(same, "bleu", **KENDALL, variant=same)]
    assert titles_in_words(run_of(tasks=tasks)) == {}


@pytest.mark.parametrize(
    ("kind", "length", "title", "coefficients", "words"),
    [
        ("all", 120, "system, pearson", ["pearson"], "system level, Pearson"),
        ("segments", 1, "segment, acc_eq", ['pairwise-accuracy(epsilon="auto")'], "segment level, acc_eq"),
        # The coefficients of a part with several stand beside its title.
        ("segments", 1, "segment, pearson, kendall", ["pearson", "kendall"], "segment level"),
        ("pseudo", 10, "documents(length=10), pearson", ["pearson"], "pseudo-documents of 10 segments, Pearson"),
    ],
)
def test_parts_of_a_comparison_are_in_words(kind, length, title, coefficients, words):
    rows = [correlation(0.5, panel=title, kind=kind, length=length, coefficient=name) for name in coefficients]
    other = correlation(0.5, panel="other")
    run = run_of(*rows, other, facts={"config": "compare"})
    assert titles_in_words(run) == {title: words}
    assert titles_in_words(labelled(run)) == {}
    assert titles_in_sentence(run) == {title: f'"{words}"', "other": '"other"'}


def test_records_messages_and_differences_have_titles_in_words():
    title, words = "zh-en, segment, kendall", "zh-en, segment level, Kendall"
    # A metric may be called as a task of the user: it has its label, and the task none.
    given = task_score("bleu", "bleu", variant="bleu")
    run = run_of(
        correlation(0.5, panel=title, coefficient="kendall", metric="bleu"),
        tasks=[task_score(title, "bleu", **KENDALL), given],
    )
    shown = labelled(run)
    assert [(row.task, row.metric) for row in shown.tables.tasks] == [(words, "BLEU"), ("bleu", "BLEU")]
    assert shown.tables.correlations[0].key.panel == words
    assert run.tables.tasks[0].task == title
    message = f"{title}: c, adequacy, bleu: 3 of 9 coefficients (Kendall) are undefined."
    assert messages_with_labels([message], labels_in_messages(run)) == [
        f"{words}: c, adequacy, BLEU: 3 of 9 coefficients (Kendall) are undefined."
    ]
    wording = Wording.from_runs(run, run)
    assert wording.heading("Ranks", {"task": title}) == f"Ranks on {words}"
    assert wording.cell("panel", title) == words


def test_answers_of_a_part_with_several_coefficients_name_each(tmp_path):
    corpus = write(tmp_path / "tiny")
    asked = {"level": ["system", "segment"], "coefficient": ["pearson", "kendall"], "criteria": ["adequacy"]}
    found = metaeval.compare(corpus, ["ter", "wer"], **asked, n_resamples=20, ceiling=0)
    lines = [line for line in found.text(width=500).splitlines() if " level, adequacy, " in line and ": " in line]
    subjects = [
        f"{level} level, adequacy, {name}" for level in ("system", "segment") for name in ("Pearson", "Kendall")
    ]
    assert [line.partition(":")[0] for line in lines if not line.startswith("metaeval")][:4] == subjects
    assert {row["panel"] for row in json.loads(found.results.text("json"))} == {
        "system, pearson, kendall",
        "segment, pearson, kendall",
    }


def test_a_comparison_has_its_levels_in_words_in_its_title():
    levels = ["system", "segment", "documents(length=10)"]
    found = metaeval.compare("demo", "ter", level=levels, criteria=["adequacy"], n_resamples=20, ceiling=0)
    assert found.results.data.facts["title"] == (
        "Comparison of metrics, system level, segment level, pseudo-documents of 10 segments"
    )


def test_a_panel_stands_for_the_documents_that_it_has():
    rows = [
        {"panel": panel, "criterion": criterion, "documents": kind, "length": length}
        for panel, kind, length in (("a", "all", 120), ("b", "segments", 1))
        for criterion in ("x", "y")
    ]
    columns = ["panel", "criterion", "documents", "length"]
    assert varying_columns(rows, columns) == ["panel", "criterion"]
    # Panels of several kinds do not.
    assert varying_columns([*rows, {**rows[0], "documents": "segments"}], columns) == [
        "panel",
        "criterion",
        "documents",
    ]


def test_titles_in_a_sentence_have_semicolons_between_them():
    one, other = "zh-en, segment level, Kendall", "de-en, segment level, Kendall"
    assert listed_in_sentence([one, other, "all"], 5) == f"{one}; {other}; and all"
    assert listed_in_sentence([one, other, "all"], 1) == f"{one}; and 2 more"
    # In quotes a comma separates nothing.
    assert listed_in_sentence(['"GTM, e=2"', "BLEU", "TER"], 5) == '"GTM, e=2", BLEU and TER'


def test_what_was_left_out_is_told_with_titles_in_words():
    title = "zh-en, segment, kendall"
    left_out = f"{title}: c: left out, because only whole systems have scores: bleu."
    run = run_with_task(title, rows=[correlation(0.5, panel=title, coefficient="kendall", metric="bleu")])
    run.warnings = [left_out, "intervals are wide."]
    run.failures = [f"{title}: the figure 'scatter' is missing"]
    assert Results(run).left_out_notes == (
        "zh-en, segment level, Kendall: the figure 'scatter' is missing",
        "zh-en, segment level, Kendall: c: left out, because only whole systems have scores: BLEU.",
    )
