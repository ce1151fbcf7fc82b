"""The matrix of a shared task: rows made by hand, and what is printed of them written by hand."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
from dataclasses import replace

import pytest

from metaeval.report.answers import answers_of
from metaeval.report.latex import tables_latex
from metaeval.report.results import Results
from metaeval.report.tables import tables_markdown
from metaeval.report.task_matrix import task_matrix
from metaeval.report.views import result_tables
from metaeval.results.model import RunData
from metaeval.results.rows import TaskAverage, TaskScore
from metaeval.results.store import read_run, write_run
from tests.support.results import correlation, many_tasks, run_of, task_average, task_score, task_test

RANKING = {"baselines": ["lex_ic"], "permutations": 200, "alpha": 0.05, "alpha_joint": 0.01}
FACTS = {"config": "x", "title": "x", "seed": 1, "metaeval": "0.2.0", "ranking": RANKING}
SYSTEM, ALL = {"corpora": "en-de"}, {"corpora": "en-de, ja-zh", "coefficient": "pairwise-accuracy"}
# Of "half" a value is known, but not in all systems; of "const" there is none.
SCORES = [
    task_score("all", "neural", 0.91449, rank=1, cluster=1, **ALL),
    task_score("all", "lex_ic", 0.9, rank=2, cluster=1, **ALL),
    task_score("all", "half", 0.8, missing="no scores of 's07'", **ALL),
    task_score("all", "const", float("nan"), missing="undefined", **ALL),
    task_score("en-de", "lex_ic", 0.75, rank=1, cluster=1, **SYSTEM),
    task_score("en-de", "neural", -0.00049, rank=2, cluster=2, **SYSTEM),
    task_score("en-de", "half", -0.125, missing="no scores of 's07'", **SYSTEM),
    task_score("en-de", "const", float("nan"), missing="undefined", **SYSTEM),
]
AVERAGES = [
    task_average("lex_ic", 0.8876, average_rank=1.0, rank=1, cluster=1, rank_joint=1, cluster_joint=1, n_tasks=2),
    task_average("neural", 0.7072, average_rank=1.5, rank=2, cluster=2, rank_joint=2, cluster_joint=1, n_tasks=2),
    task_average("const", missing="'all', 'en-de'", n_tasks=0),
    task_average("half", missing="'all', 'en-de'", n_tasks=0),
]


def made(scores: list[TaskScore] = SCORES, averages: list[TaskAverage] = AVERAGES, **facts: object) -> RunData:
    return run_of(tasks=scores, averages=averages, facts={**FACTS, **facts})


TEXT = """\
2 tasks, 4 metrics, system level
                          en-de,
                           ja-zh    en-de
                        pairwise
metric       avg  rank  accuracy  Pearson
-------  -------  ----  --------  -------
_lex_ic  1 0.888  1.00   1 0.900  1 0.750
neural   2 0.707  1.50   1 0.914  2 0.000
const         --    --        --       --
half          --    --     0.800   -0.125
In a cell: WMT rank and value; _: a baseline; a value alone has no rank, -- is
  none. avg: the weighted mean, of correlations as (r + 1) / 2; rank: that of
  the WMT ranks. WMT rank: by the published rule, a new one where some metric
  above is significantly better (PERM-BOTH, one-sided, uncorrected, 200
  permutations, p <= 0.05).
half: no scores of 's07' in all tasks.
const: undefined in all tasks."""


def test_the_matrix_by_hand():
    assert str(Results(made())) == TEXT


def test_a_run_that_was_read_has_the_same_matrix(tmp_path):
    write_run(made(), tmp_path)
    assert str(Results(read_run(tmp_path))) == str(Results(made()))


def test_markdown_and_latex_by_hand():
    results = Results(made())
    markdown = results.text("md").split("\n\n")
    assert markdown[1].splitlines() == [
        "| metric | avg | rank | en-de, ja-zh pairwise accuracy | en-de Pearson |",
        "| --- | ---: | ---: | ---: | ---: |",
        "| *lex_ic* | **1 0.888** | 1.00 | **1 0.900** | **1 0.750** |",
        "| neural | 2 0.707 | 1.50 | **1 0.914** | 2 0.000 |",
        "| const | -- | -- | -- | -- |",
        "| half | -- | -- | 0.800 | -0.125 |",
    ]
    assert "WMT rank and value; bold: WMT rank 1; italic: a baseline" in " ".join(markdown[2].split())
    latex = results.text("latex").splitlines()
    assert latex[latex.index(r"\toprule") :] == [
        r"\toprule",
        r" &  &  & en-de, &  \\",
        r" &  &  & ja-zh & en-de \\",
        r" &  &  & pairwise &  \\",
        r"metric & avg & rank & accuracy & Pearson \\",
        r"\midrule",
        # Ranks hang behind their values and take no room.
        rf"\underline{{lex\_ic}} & {first('0.888')} & 1.00 & {first('0.900')} & {first('0.750')} \\",
        rf"neural & 0.707{raised(2)} & 1.50 & {first('0.914')} & 0.000{raised(2)} \\",
        r"const & -- & -- & -- & -- \\",
        r"half & -- & -- & 0.800 & \ensuremath{-0.125} \\",
        r"\bottomrule",
        r"\end{tabular}}",
        *latex[-3:],
    ]
    raised_rank = "In a cell: the value, raised the WMT rank; bold: WMT rank 1; underlined: a baseline"
    assert latex[-3].startswith(rf"\caption{{2 tasks, 4 metrics, system level. {raised_rank}")
    assert str(results) == results.text()


def raised(rank):
    return rf"\rlap{{\textsuperscript{{{rank}}}}}"


def first(value):
    return rf"\textbf{{{value}}}{raised(1)}"


def test_where_there_is_no_published_test_values_have_stars_and_with_both_asked_for_they_have_both():
    scores = [
        task_score("t", name, value, rank=rank, cluster=cluster, p_worse=p)
        for rank, (name, value, cluster, p) in enumerate(
            [("a", 0.9, None, 1.0), ("b", 0.8, None, 0.3), ("c", 0.7, None, 0.01)], 1
        )
    ]
    tests = [task_test("t", "a", "b", p_joint=0.3)]

    def cells(rows, **asked):
        matrix = task_matrix(run_of(tasks=rows, averages=[task_average(name) for name in "abc"], task_tests=tests))
        return [str(row["Pearson"]) for row in matrix.rows(**asked)]

    assert cells(scores) == ["1 0.900*", "2 0.800*", "3 0.700 "]
    published = [replace(row, cluster=k) for k, row in enumerate(scores, 1)]
    assert cells(published) == ["1 0.900", "2 0.800", "3 0.700"]
    assert cells(published, both=True) == ["1 0.900*", "2 0.800*", "3 0.700 "]


def test_programs_get_exact_numbers():
    results = Results(made())
    rows = json.loads(results.text("json"))
    assert rows[1] == {
        "metric": "neural",
        "baseline": "no",
        "average_correlation": 0.7072,
        "average_rank": 1.5,
        "cluster": 2,
        "star": False,
        "p_worse": None,
        "all": 0.91449,
        "all: rank": 1,
        "all: cluster": 1,
        "all: star": False,
        "all: p_worse": None,
        "en-de": -0.00049,
        "en-de: rank": 2,
        "en-de: cluster": 2,
        "en-de: star": False,
        "en-de: p_worse": None,
    }
    assert rows[2]["all"] is None
    lines = [line.split("\t") for line in results.text("tsv").splitlines()]
    assert lines[0] == list(rows[0])
    untested = ["", "", "False", "nan"]
    assert lines[4] == ["half", "no", "nan", "nan", "", "False", "nan", "0.8", *untested, "-0.125", *untested]


def test_other_runs_have_their_correlations():
    results = Results(run_of(correlation(0.25, kind="all", length=None)))
    assert "c: correlation across 8 systems" in results.text()
    assert json.loads(results.text("json"))[0]["mean"] == 0.25


@pytest.mark.parametrize(
    ("settings", "heads"),
    [
        # Only what differs stands in the heads; `average_by` where nothing else does, then the titles.
        ([{"corpora": "a"}, {"corpora": "b"}], ["a", "b"]),
        ([{"level": "segment"}, {"average_by": "none"}], ["segment", "system"]),
        ([{}, {"average_by": "none"}], ["across systems", "pooled"]),
        ([{"level": "segment"}, {"level": "segment", "average_by": "system"}], ["across systems", "across segments"]),
        ([{"corpora": "a"}, {}, {}], ["a\none", "en-de\ntwo", "en-de\nthree"]),
        ([{}], ["Pearson"]),
        # A corpus that is called as the column of the average is.
        ([{"corpora": "avg"}, {}], ["avg\none", "en-de\ntwo"]),
    ],
)
def test_heads_have_what_tells_tasks_apart(settings, heads):
    titles = ["one", "two", "three"]
    scores = [task_score(title, "m", **own) for title, own in zip(titles, settings, strict=False)]
    matrix = task_matrix(made(scores, [task_average("m", 0.5)]))
    assert ["\n".join(task.head) for task in matrix.tasks] == heads


def test_columns_stay_together_by_the_first_thing_that_neighbours_share():
    """Corpora that alternate make no groups: levels do, so that each table has both corpora of a level."""
    places = [(corpus, level) for level in ("system", "segment") for corpus in ("zh-en", "de-en")]
    scores = [
        task_score(f"{corpus}, {level}", "m", 0.5, corpora=corpus, level=level, coefficient="pearson", cluster=1)
        for corpus, level in places
    ]
    matrix = task_matrix(made(scores, [task_average("m", 0.75, average_rank=1.0, rank=1)]))
    # "metric", "avg" and "rank" take 18 letters, each task 9: three tasks would fit.
    tables = matrix.tables(45)
    assert [table.columns[-2:] for table in tables] == [
        ["zh-en\nsystem", "de-en\nsystem"],
        ["zh-en\nsegment", "de-en\nsegment"],
    ]


@pytest.mark.parametrize(("n_metrics", "n_tasks"), [(7, 6), (30, 15), (60, 48)])
def test_no_line_is_wider_than_a_terminal_and_no_task_is_lost(n_metrics, n_tasks):
    run = many_tasks(n_metrics, n_tasks)
    tables = result_tables(run)
    lines = [line for table in tables for line in str(table).splitlines()]
    assert max(map(len, lines)) <= 80
    columns = [name for table in tables for name in table.columns]
    assert [name for name in columns if name != "metric"] == [
        "avg",
        "rank",
        *(f"en-c{n // 2}\n{level}" for n, level in zip(range(n_tasks), ["system", "segment"] * 24, strict=False)),
    ]
    assert columns.count("metric") == len(tables)
    # As few blocks as can be: both tasks of the next corpus had no room together.
    rules = [next(line for line in str(table).splitlines() if line.startswith("--")) for table in tables]
    for one, after in itertools.pairwise(rules):
        assert len(one) + 2 + len("  ".join(after.split()[1:3])) > 80
    heads = [[name.partition("\n")[0] for name in table.columns if "\n" in name] for table in tables]
    assert not any(before[-1] == after[0] for before, after in itertools.pairwise(heads))
    assert [bool(table.note_in("table")) for table in tables] == [False] * (len(tables) - 1) + [True]
    parts = f"; part 1 of {len(tables)}" if len(tables) > 1 else ""
    # The levels differ, the coefficient does not, so that no column says it.
    assert tables[0].heading == f"{n_tasks} tasks, {n_metrics} metrics, Pearson{parts}"


def test_without_the_test_cells_have_ranks():
    scores = [task_score("t", name, value, rank=rank) for rank, (name, value) in enumerate([("a", 0.9), ("b", 0.8)], 1)]
    text = str(Results(made(scores, [task_average("a", 0.95), task_average("b", 0.9)], ranking={})))
    assert text == (
        """\
1 task, 2 metrics
metric  Pearson
------  -------
a       1 0.900
b       2 0.800
In a cell: rank and value."""
    )


def test_a_metric_that_the_published_test_does_not_tell_has_no_place_beside_ranks():
    """A rank by value must not be read as a WMT rank, nor "all" as those without one."""
    scores = [task_score("t", name, 0.5, rank=k, cluster=1) for k, name in enumerate(["a", "b"], 1)]
    scores.append(task_score("t", "untested", 0.4, rank=3))
    averages = [task_average(name, 0.5, cluster=1) for name in ("a", "b")] + [task_average("untested", 0.4)]
    run = made(scores, averages)
    text = str(Results(run))
    assert [line for line in text.splitlines() if line.startswith("untested")] == ["untested    0.400"]
    assert "a value alone has no rank" in " ".join(text.split())
    assert answers_of(run) == [
        "t: both metrics that were tested share WMT rank 1 (by WMT's rule, not the published rank), with no "
        "significant difference between them."
    ]


def test_the_answer_says_who_has_the_first_wmt_rank():
    alone = made([task_score("t", "a", 0.9, cluster=1)], [task_average("a", 0.9, cluster=1, cluster_joint=1)])
    assert answers_of(alone) == ["t: a has 0.90; it is the only metric with a rank."]
    alone.tables.tasks.append(task_score("t", "b", 0.8, missing="no scores of 's'"))
    assert answers_of(alone) == ["t: a has 0.90; it is the only metric with a rank."]
    assert answers_of(made()) == [
        "Average of 2 tasks: only 2 of 4 metrics have scores for all tasks; of these, lex_ic (0.89) alone has WMT rank "
        "1 (by WMT's rule, not the published rank)."
    ]


def test_without_the_published_test_the_answer_rests_on_the_joint_tests():
    scores = [
        task_score("t", name, value, rank=rank, p_worse=p)
        for rank, (name, value, p) in enumerate(
            [("a", 0.9, 1.0), ("b", 0.8, 0.3), ("c", 0.7, 0.01), ("d", 0.6, 0.04)], 1
        )
    ]
    # c is beaten by a, and d by nobody at p corrected for all pairs.
    tests = [task_test("t", "a", "b", p_joint=0.3), task_test("t", "a", "c", p_joint=0.02)]
    tests.append(task_test("t", "a", "d", p_joint=0.06))
    run = run_of(tasks=scores, averages=[task_average(name) for name in "abcd"], task_tests=tests)
    assert answers_of(run) == [
        "t: a (0.90) and b share the lead, with no significant difference between them; c is significantly worse than "
        "a; d may be worse than another metric: the difference is significant only before correction for all pairs of "
        "metrics."
    ]


def test_metrics_that_lack_the_same_stand_together_and_many_are_counted():
    def lacking(metric, n, missing):
        return [task_score(f"t{k}", metric, 0.5, corpora=f"c{k}", missing=missing) for k in range(n)]

    scores = [row for n in range(12) for row in lacking(f"m{n}", 1 + n % 2, f"no scores of 's{n}'")]
    scores += lacking("a", 2, "no scores") + lacking("b", 2, "no scores") + lacking("z", 1, "undefined")
    names = dict.fromkeys(row.metric for row in scores)
    lines = str(result_tables(made(scores, [task_average(name) for name in names]))[-1]).splitlines()
    assert lines[-11:-8] == [
        "m0: no scores of 's0' in c0 (1 task).",
        "m1: no scores of 's1' in all tasks.",
        "m2: no scores of 's2' in c0 (1 task).",
    ]
    # 12 metrics of their own, two together, and one: 14 lines, of which 10 are shown.
    assert lines[-1] == "And 4 more such lines: tasks.tsv has all."
    few = [*lacking("a", 2, "no scores"), *lacking("b", 2, "no scores"), *[task_score("t2", "a")]]
    said = str(result_tables(made(few, [task_average("a"), task_average("b")]))[-1])
    assert said.endswith("\na, b: no scores in c0; c1 (2 tasks).")


def test_the_files_for_papers_compile(tmp_path):
    """In one document, with the class and the packages that the file names; names have signs of TeX."""
    text = tables_latex([*result_tables(made()), *result_tables(many_tasks(50, 15))])
    assert rf"\underline{{metric-50}} & \ensuremath{{-0.080}}{raised(17)} & 17.00 &" in text
    # Columns of 9 letters, the ranks 6: beside the names of 10, 4 tasks, then 6 and 5; each of 45 rows and of 5.
    assert text.count(r"\end{table}") == 1 + 2 * 3
    assert "bold: WMT rank 1; underlined: a baseline" in text
    assert tables_markdown(result_tables(made())).count("| --- | ---: |") == 1
    if not shutil.which("pdflatex"):
        pytest.skip("pdflatex is not installed")
    head = "\\documentclass{article}\n\\usepackage{booktabs,graphicx}\n\\begin{document}\n"
    (tmp_path / "tables.tex").write_text(f"{head}{text}\n\\end{{document}}\n", encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "tables.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
