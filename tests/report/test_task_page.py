"""The page of a shared task: the matrix first, and no more rows than a page can hold."""

from __future__ import annotations

import json
import re

from metaeval.report.page import render
from metaeval.report.page.columns import FIRST_ROWS
from tests.report.test_page import Page
from tests.support.results import correlation, many_tasks, task_score


def test_the_matrix_has_the_cells_of_the_terminal_and_is_sorted_by_values():
    run = many_tasks(4, 2)
    page = Page(render(run))
    assert page.texts("matrix") == [
        ["metric", "avg", "rank", "system level", "segment level"],
        ["metric-1", "1 0.900", "1.00", "1 0.900", "1 0.890"],
        ["metric-2", "1 0.880", "1.00", "1 0.880", "1 0.870"],
        ["metric-3", "1 0.860", "1.00", "1 0.860", "1 0.850"],
        ["_metric-4", "2 0.840", "2.00", "2 0.840", "2 0.830"],
    ]
    columns = json.loads(page.raw["script"][0])["tables"]["matrix"]["columns"]
    assert columns[4]["values"] == [row.value for row in run.tables.tasks if row.level == "segment"]
    assert "Average of 2 tasks: metric-1 (0.90), metric-2 and metric-3 share WMT rank 1 (by WMT's rule" in page.words
    assert "All of it is in tasks.tsv and averages.tsv." in page.words
    ids = [attributes["id"] for tag, attributes in page.elements if tag == "section"]
    assert ids == ["answer", "ranking", "matrix", "tasks", "methods", "files", "run"]


def test_a_value_that_is_not_there_sorts_last():
    run = many_tasks(2, 2)
    run.tables.tasks[0] = task_score("en-c0, system", "metric-1", float("nan"), corpora="en-c0", missing="undefined")
    page = Page(render(run))
    assert [row[3] for row in page.texts("matrix")] == ["system level", "--", "1 0.880"]
    assert json.loads(page.raw["script"][0])["tables"]["matrix"]["columns"][3]["values"] == [None, 0.88]


def test_rows_beyond_what_a_page_holds_stay_in_their_files():
    run = many_tasks(60, 48)
    run.tables.correlations = [
        correlation(0.5, metric=row.metric, panel=row.task, corpus=row.corpora) for row in run.tables.tasks
    ]
    text = render(run)
    page = Page(text)
    # 60 metrics are 1770 pairs, on average and in one task.
    assert "task_tests.tsv: every two metrics compared, in each task and on the average (3540 rows)" in page.words
    assert re.search(r"correlations\.tsv: .* \(2880 rows\)", page.words)
    assert set(json.loads(page.raw["script"][0])["tables"]) == {"matrix", "tasks"}
    assert len(page.texts("matrix")) == 1 + FIRST_ROWS
    # All pictures of a page are 2 MB at most, a third more as text, and each of the two 0.5 MB: 1.3 MB.
    assert len(text.encode()) < 1_600_000


def test_tasks_have_no_curves():
    run = many_tasks(2, 2)
    run.tables.correlations = [correlation(0.5, panel="en-c0, system", corpus="en-c0")]
    page = Page(render(run))
    assert json.loads(page.raw["script"][0])["curves"]["parts"] == []
    assert not [one for tag, one in page.elements if one.get("id") in ("curves", "disagreements")]


def test_the_ranking_of_tasks_is_that_of_their_average():
    average = json.loads(Page(render(many_tasks(4, 2))).raw["script"][0])["average"]
    assert [(one["metric"], one["words"]) for one in average] == [
        ("metric-1", "0.900"),
        ("metric-2", "0.880"),
        ("metric-3", "0.860"),
        ("metric-4", "0.840"),
    ]
