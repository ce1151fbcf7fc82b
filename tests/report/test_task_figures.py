"""The figures of a shared task: what they show is what the rows hold."""

from __future__ import annotations

import numpy as np
import pytest

from metaeval.components.registries import FIGURES
from metaeval.errors import UsageError
from metaeval.report.figures.drawing import draw_figure
from metaeval.report.figures.run_frames import figure_data
from metaeval.report.figures.settings import WIDTHS, NoRoom
from metaeval.results.store import read_run, write_run
from metaeval.runs.figures import draw_figures, write_figures
from tests.support.figures import heads_of, names_of, shades
from tests.support.results import NAN, facts_of, many_tasks, run_of, task_average, task_score, task_test

KINDS = sorted(name for name, kind in FIGURES.items() if kind.of_tasks)
RANKING = {"baselines": ["b"], "alpha": 0.05, "alpha_joint": 0.05}
SCORES = [
    task_score("one", "a", 0.9, rank=1, cluster=1),
    task_score("one", "b", 0.7, rank=2, cluster=1),
    task_score("one", "c", 0.5, rank=3, cluster=2),
    task_score("two", "b", 0.25, corpora="ja-zh", rank=1, cluster=1),
    task_score("two", "a", -0.25, corpora="ja-zh", rank=2, cluster=2),
    task_score("two", "c", corpora="ja-zh", value=NAN, missing="undefined"),
]
AVERAGES = [task_average("b", 0.7375, cluster=1), task_average("a", 0.6625, cluster=2), task_average("c")]
# Published and joint: at 0.05 exactly the one is significant, the other is not.
TESTS = [
    task_test("", "b", "a", 0.05, 0.05),
    task_test("one", "a", "b", 0.2, NAN),
    task_test("one", "a", "c", 0.01, 0.0499),
    task_test("one", "b", "c", 0.0101, 0.001),
]


def data_of(**tables):
    run = run_of(**{"tasks": SCORES, "averages": AVERAGES, "task_tests": TESTS, **tables})
    run.facts["ranking"] = RANKING
    return figure_data(run)


def drawn(kind, data, **asked):
    ((_, figure),) = draw_figure(FIGURES[kind](**asked), data).items()
    return figure


def labels(axis):
    return [text.get_text() for text in axis.get_ticklabels()]


def places(panel, artists):
    """Return artists of cells by column and row, from 0."""
    columns, rows = labels(panel.xaxis), labels(panel.yaxis)
    heads = {
        f"{row}, {column.replace(chr(10), ' ')}": (x, y)
        for x, column in enumerate(columns)
        for y, row in enumerate(rows)
    }
    return {heads[one.get_gid()]: one for one in artists if one.get_gid()}


def raised(panel):
    """Return the small raised numbers of cells, in the order in which they were written."""
    return [text for text in panel.texts if not text.get_gid()]


def test_the_table_has_values_with_raised_clusters_and_is_darker_for_better():
    (panel,) = drawn("task-table", data_of()).axes
    assert labels(panel.xaxis) == ["average", "en-de", "ja-zh"]
    assert labels(panel.yaxis) == ["b", "a", "c"]
    texts = places(panel, panel.texts)
    assert {place: (text.get_text(), text.get_weight()) for place, text in texts.items()} == {
        (0, 0): (".738", "bold"),
        (0, 1): (".662", "normal"),
        (0, 2): ("\N{EN DASH}", "normal"),
        (1, 0): (".700", "bold"),
        (1, 1): (".900", "bold"),
        (1, 2): (".500", "normal"),
        (2, 0): (".250", "bold"),
        (2, 1): ("\N{MINUS SIGN}.250", "normal"),
        (2, 2): ("\N{EN DASH}", "normal"),
    }
    # No number can be read with the value behind it, 1 and .700 as 1.700. Column by column; c has one cluster.
    assert [text.get_text() for text in raised(panel)] == ["1", "2", "1", "1", "2", "1", "2"]
    # They can be read in print, and stand higher than the value.
    assert all(text.get_fontsize() >= 5.5 and text.get_position()[1] > 0 for text in raised(panel))
    # From white, the lowest of a task, to 0.42, the highest; b is half way in the first.
    assert shades(panel)[:, 1] == pytest.approx([0.21, 0.42, 0.0])
    assert shades(panel)[:, 2] == pytest.approx([0.42, 0.0, 0.0])
    assert [label.get_fontstyle() for label in panel.get_yticklabels()] == ["italic", "normal", "normal"]


def test_the_square_has_the_published_test_above_the_diagonal_and_nothing_below():
    figure = drawn("task-significance", data_of(), task="one")
    (panel,) = figure.axes
    assert names_of(panel) == heads_of(panel) == ["a", "b", "c"]
    found = shades(panel)
    # p = 0.2, 0.01 and 0.0101: white, then the steps up to 0.01 and up to 0.05, 0.67 and 0.37 of 0.75.
    assert found[np.triu_indices(3, 1)] == pytest.approx([0.0, 0.5025, 0.2775])
    assert found[np.tril_indices(3, -1)] == pytest.approx([0.0, 0.0, 0.0])
    assert not panel.texts
    assert "by the permutation test of the WMT metrics tasks (PERM-BOTH" in figure.caption


def test_where_the_published_test_was_not_made_the_corrected_one_is_shown():
    rows = [task_test("one", "a", "b", NAN, 0.05), task_test("one", "a", "c", NAN, 0.0499)]
    figure = drawn("task-significance", data_of(task_tests=rows), task="one")
    # The published rule counts p = 0.05, this one does not.
    assert shades(figure.axes[0])[0, 1:] == pytest.approx([0.0, 0.2775])
    assert "by the test that is corrected for all pairs" in figure.caption


def test_on_average_is_what_nobody_names():
    figure = drawn("task-significance", data_of())
    assert figure.heading == "Average of 2 tasks"
    # The published rule counts p = 0.05.
    assert shades(figure.axes[0])[0, 1] == pytest.approx(0.2775)


def test_a_simulated_corpus_is_told():
    data = data_of(corpora=[facts_of("en-de", simulated=True)])
    assert drawn("task-table", data).heading == "2 tasks, 3 metrics, system level, Pearson (simulated data)"


def test_without_the_test_cells_have_ranks():
    scores = [
        task_score("one", name, value, rank=rank) for rank, (name, value) in enumerate([("a", 0.9), ("b", 0.8)], 1)
    ]
    figure = drawn("task-table", data_of(tasks=scores, averages=[task_average("a", 0.95), task_average("b", 0.9)]))
    assert [text.get_text() for text in figure.axes[0].texts] == [".900", "1", ".800", "2"]
    # Those who do not see it read no 0.9001.
    assert [row[-1] for row in figure.numbers[1:]] == [".900¹", ".800²"]
    assert "Raised: the rank." in figure.caption


@pytest.mark.parametrize(
    ("kind", "asked", "tables", "message"),
    [
        ("task-table", {}, {"tasks": []}, "the run has no tasks to show"),
        ("task-significance", {"task": "on"}, {}, "unknown task 'on'; did you mean 'one'"),
        ("task-significance", {"task": "two"}, {}, "there is no test between metrics in 'two'"),
        ("task-significance", {}, {"task_tests": [task_test("", "a", "b")]}, "no test between metrics on average"),
    ],
)
def test_what_cannot_be_drawn_is_told(kind, asked, tables, message):
    with pytest.raises(UsageError, match=message):
        draw_figure(FIGURES[kind](**asked), data_of(**tables))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n_metrics", "n_tasks"), [(7, 6), (30, 15)])
def test_everything_has_room(kind, n_metrics, n_tasks):
    """What has none raises an error when it is drawn."""
    data = figure_data(many_tasks(n_metrics, n_tasks))
    assert len(drawn(kind, data).axes[0].get_yticklabels()) == n_metrics
    assert drawn(kind, data, width="page").get_figwidth() == WIDTHS["page"]


def test_more_tasks_than_a_column_has_room_for_say_what_they_take():
    data = figure_data(many_tasks(7, 15))
    with pytest.raises(NoRoom, match=r"its 16 columns have no room in 3.3 inches; give `width` = 4\.5\."):
        drawn("task-table", data, width="column")
    assert drawn("task-table", data, width=4.5).get_figwidth() == 4.5


def test_a_named_task_is_in_the_name_of_the_file():
    assert list(draw_figure(FIGURES["task-significance"](task="one"), data_of())) == ["task-significance-one"]


def test_figures_of_a_read_run_have_the_same_bytes(tmp_path):
    run = many_tasks(4, 3)
    write_run(run, tmp_path)
    found = []
    for number, one in enumerate((run, read_run(tmp_path))):
        wanted = {"": [FIGURES[kind]() for kind in KINDS]}
        write_figures(draw_figures(wanted, one), one, tmp_path / str(number))
        found.append({path.name: path.read_bytes() for path in (tmp_path / str(number)).iterdir()})
    assert found[0] == found[1]
    # Each as PDF and PNG, with its caption as text and LaTeX.
    assert len(found[0]) == 8
