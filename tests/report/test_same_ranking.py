"""The order and the stars of metrics are those of the ranking of a run in all that shows them."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import re
from html import unescape

import pytest

import metaeval
from metaeval.datamodel.corpus import CONSTANT, INTER_JUDGE
from metaeval.report.display_names import labelled
from metaeval.report.figures.run_frames import figure_data
from metaeval.report.page import render
from metaeval.report.page.first_screen import first_screen
from metaeval.report.rankings import STAR, rankings_of
from metaeval.report.task_matrix import task_matrix
from tests.support.corpus import write
from tests.support.gold import of_others

# How wide a terminal is: nothing is left out.
WIDE = 500


def shown(run):
    """Return what people should see at each place: the metrics in order, and whether each has a star."""
    found = {}
    for ranking in rankings_of(labelled(run)):
        of = [(one.metric, one.star) for one in ranking.metrics]
        found[ranking.key] = [*of, *([(ranking.constant.metric, False)] if ranking.constant else [])]
    return found


def raw(run):
    """Return the same with the names that programs read."""
    return [[(one.metric, one.rank, one.star) for one in ranking.metrics] for ranking in rankings_of(run)]


def cells_of_text(line):
    return re.split(r"\s{2,}", line.strip())


def text_tables(text):
    """Return the tables in a text for a terminal, each its columns and its rows."""
    lines = text.split("\n")
    found = []
    for at, line in enumerate(lines):
        if re.fullmatch(r"-+( +-+)+", line):
            rows = []
            for row in lines[at + 1 :]:
                if not row or row.startswith(("[ ]", STAR, "In the order", "  ")):
                    break
                rows.append(cells_of_text(row))
            found.append((cells_of_text(lines[at - 1]), rows))
    return found


def markdown_tables(text):
    """Return the tables in Markdown."""
    parts = [part.split("\n") for part in text.split("\n\n") if part.startswith("| ")]
    of = [[[cell.strip() for cell in line.strip("|").split("|")] for line in part if line] for part in parts]
    return [(part[0], part[2:]) for part in of]


def latex_tables(text):
    """Return the tables in LaTeX; signs that LaTeX would read are as they were, and what is left out is as above."""
    found = []
    for part in re.findall(r"\\toprule\n(.*?)\\bottomrule", text, re.DOTALL):
        # Gaps have the width of what a cell lacks.
        printed = part.replace(r"\phantom{*}", "").replace(r"\phantom{\ensuremath{-}}", "")
        head, body = printed.replace("\\addlinespace\n", "").split("\\midrule\n")
        plain = [
            [re.sub(r"\\([&%$#_{}])", r"\1", cell.strip()) for cell in line.removesuffix(" \\\\").split(" & ")]
            for line in (head + body).strip().split("\n")
        ]
        for above, row in itertools.pairwise(plain):
            row[0] = row[0] or above[0]
        found.append((plain[0], plain[1:]))
    return found


def stars_of(tables):
    """Return metrics and their stars, from tables with a row for each metric, and its coefficient right behind it."""
    return [[(row[0], STAR in row[1]) for row in rows] for _, rows in tables]


def check_tables_of_places(found):
    """Compare the tables of a comparison of up to two criteria with the ranking."""
    expected = list(shown(found.results.data).values())
    for tables in (
        text_tables(found.text(width=WIDE)),
        text_tables(found.text()),
        markdown_tables(found.to_markdown()),
        latex_tables(found.to_latex()),
    ):
        assert stars_of(tables) == expected
    assert [
        [(row["metric"], STAR in str(list(row.values())[1])) for row in one.rows] for one in found.tables
    ] == expected


def check_matrix(found):
    """Compare the one table of many criteria with the ranking: in the order of the first, and a star in each cell."""
    run = found.results.data
    rankings = shown(run)
    first = next(iter(rankings.values()))
    for tables in (
        text_tables(found.text(width=WIDE)),
        markdown_tables(found.to_markdown()),
        latex_tables(found.to_latex()),
    ):
        ((head, rows),) = tables
        assert [row[0] for row in rows] == [metric for metric, _ in first]
        for key, ranking in rankings.items():
            at = head.index(key.criterion)
            assert {row[0]: STAR in row[at] for row in rows} == dict(ranking)


def check_programs(found):
    """Compare what programs read of a comparison with the ranking."""
    expected = raw(found.results.data)
    assert any(star for of in expected for _, _, star in of)
    tsv = list(csv.DictReader(io.StringIO(found.text("tsv")), delimiter="\t"))
    frame = found.to_frame().to_dict("records")
    rows = [row for row in json.loads(found.text("json")) if row["metric"] != CONSTANT]
    flat = [one for of in expected for one in of]
    assert [(row["metric"], row["rank"], row["star"]) for row in rows] == flat
    assert [(row["metric"], int(row["rank"]) if row["rank"] else None, row["star"] == "True") for row in tsv
            if row["metric"] != CONSTANT] == flat  # fmt: skip
    assert [(row["metric"], None if math.isnan(row["rank"] or math.nan) else row["rank"], row["star"]) for row in frame
            if row["metric"] != CONSTANT] == flat  # fmt: skip


def check_rows(run):
    """Compare the rows that figures and the page get with the ranking."""
    of_raw = {
        ranking.key: {one.metric: (one.rank, one.star) for one in ranking.metrics} for ranking in rankings_of(run)
    }
    keys = [row.key for row in run.tables.correlations]
    expected = [of_raw.get(key.place, {}).get(key.metric, (None, False)) for key in keys]
    table = figure_data(run).correlations
    ranks = [None if rank is None or math.isnan(rank) else int(rank) for rank in table["rank"]]
    assert list(zip(ranks, table["star"].tolist(), strict=True)) == expected
    assert set(figure_data(run).of_metrics["metric"]) == set(table["metric"]) - {INTER_JUDGE}
    page = re.search(r'<script type="application/json" id="data">(.*?)</script>', render(run), re.DOTALL)[1]
    of_page = json.loads(unescape(page))["rows"]
    assert list(zip(of_page["rank"], map(bool, of_page["star"]), strict=True)) == expected


def check_first_screen(run):
    """Compare the lists that a page has without a script, one a criterion, with the ranking."""
    rankings = {key.criterion: of for key, of in shown(run).items()}
    named = labelled(run)
    lists = first_screen(named, None).rankings
    assert lists
    for one in lists:
        ranking = rankings[one.title.partition(": ")[2].partition(", ")[0]]
        best = [(metric, star) for metric, star in ranking if metric != CONSTANT]
        assert [(row.metric.rstrip(STAR), row.metric.endswith(STAR)) for row in one.rows] == best


SMALL = {"n_resamples": 60, "ceiling": 0}


@pytest.mark.parametrize(
    "settings",
    [
        {"metrics": ["bleu", "ter", "gtm(exponent=1)"], "n_resamples": 200},
        # Many are tied, and a constant metric has a row.
        {"metrics": ["bleu", "nist", "wer", "chrf"], "level": "segment"},
        {"metrics": ["nist", "ter", "wer"], "level": "segment", "coefficient": "pearson", "criteria": ["adequacy"]},
        # Undecided: too few replicates.
        {"metrics": ["nist", "ter", "wer"], "level": "segment", "coefficient": "pearson", "test": "bootstrap"},
        {"metrics": ["bleu", "ter", "wer"], "resample": "systems"},
    ],
)
def test_a_comparison_shows_one_ranking(settings):
    found = metaeval.compare("demo", **{**SMALL, **settings})
    check_tables_of_places(found)
    check_programs(found)
    check_rows(found.results.data)
    check_first_screen(found.results.data)


def test_a_comparison_of_many_metrics_and_of_other_systems_shows_one_ranking():
    corpus = of_others("corpora/wmt20-to-english/zh-en")
    found = metaeval.compare(str(corpus), ["precomputed:*"], criteria=["da-z"], resample="systems", ceiling=0)
    (ranking,) = rankings_of(found.results.data)
    assert len(ranking.metrics) > 30
    assert 0 < len(ranking.starred) < len(ranking.metrics)
    check_tables_of_places(found)
    check_programs(found)
    check_rows(found.results.data)
    check_first_screen(found.results.data)


def test_one_table_of_five_criteria_shows_each_ranking():
    found = metaeval.compare(
        str(of_others("corpora/webnlg2020-en")), ["bleu", "chrf", "ter"], n_resamples=200, ceiling=0
    )
    rankings = rankings_of(found.results.data)
    assert [ranking.key.criterion for ranking in rankings] == [
        "Correctness", "DataCoverage", "Relevance", "Fluency", "TextStructure"
    ]  # fmt: skip
    check_matrix(found)
    check_programs(found)
    check_rows(found.results.data)
    check_first_screen(found.results.data)


def coefficients(table):
    """Return, by the criterion, the metrics of a table of a run, each with the cells of its coefficients."""
    head, rows = table
    labels = [name for name in ("criterion", "metric", "preprocessing") if name in head]
    found = {}
    for row in rows:
        of = dict(zip(head, row, strict=True))
        if of["metric"] != INTER_JUDGE:
            cells = {name: of[name] for name in head if name not in labels}
            found.setdefault(of.get("criterion", ""), {})[of["metric"]] = cells
    return found


def views_of(run):
    return (text_tables(run.text(width=WIDE)), markdown_tables(run.to_markdown()), latex_tables(run.to_latex()))


@pytest.mark.parametrize("tests", [[], [{"method": "bootstrap"}], [{"method": "williams"}, {"method": "bootstrap"}]])
def test_a_run_shows_one_ranking_by_intervals_and_by_tests(tests, tmp_path):
    run = metaeval.correlate(
        "demo",
        ["ter", "bleu", "gtm(exponent=1)", "wer"],
        criteria=["adequacy"],
        documents={"kind": "all"},
        correlation={"coefficients": ["pearson"]},
        uncertainty={"n_resamples": 200},
        tests=tests,
    )
    (ranking,) = shown(run.data).values()
    assert any(star for _, star in ranking)
    for tables in views_of(run):
        (of,) = coefficients(tables[0]).values()
        assert [(metric, STAR in cells["Pearson"]) for metric, cells in of.items()] == ranking
    check_rows(run.data)
    check_first_screen(run.data)


def test_lengths_stand_in_the_order_of_the_longest():
    run = metaeval.correlate(
        "demo",
        ["bleu", "ter", "nist"],
        criteria=["adequacy", "fluency"],
        documents={"kind": "pseudo", "lengths": [1, 5, 20], "count": 30},
        correlation={"coefficients": ["pearson"]},
        uncertainty={"method": "none"},
    )
    rankings = {(key.criterion, key.length): of for key, of in shown(run.data).items()}
    for tables in views_of(run):
        assert len(tables) == 2
        for table, criterion in zip(tables, ("adequacy", "fluency"), strict=True):
            (of,) = coefficients(table).values()
            assert list(of) == [metric for metric, _ in rankings[criterion, 20]]
            # There is no room for a star beside each number.
            assert not any(STAR in cell for cells in of.values() for cell in cells.values())
    check_rows(run.data)


def test_tasks_stand_in_the_order_of_their_average(tmp_path):
    config = {
        "title": "Two tasks",
        "corpora": ["demo", str(write(tmp_path / "tiny"))],
        "metrics": ["ter", "bleu(order=1)", "wer"],
        "criteria": ["adequacy"],
        "uncertainty": {"n_resamples": 60},
        "ranking": {"permutations": 60},
        "tasks": [{"coefficient": "pearson"}, {"level": "segment", "coefficient": "kendall", "average_by": "item"}],
    }
    run = metaeval.run(config, output=tmp_path / "run")
    average, *tasks = rankings_of(labelled(run.data))
    assert average.task == ""
    assert len(tasks) > 1
    names = [one.metric for one in average.metrics]
    assert average.metrics[0].cluster == 1  # the matrix has WMT ranks
    for (_, rows), *_ in (text_tables(str(run)), markdown_tables(run.to_markdown()), latex_tables(run.to_latex())):
        rows = [row for row in rows if row[0].partition(" ")[0] in names]  # heads can have several lines
        assert [row[0].partition(" ")[0] for row in rows[: len(names)]] == names
        assert not any(STAR in cell.replace("**", "") for row in rows[: len(names)] for cell in row)
    matrix = task_matrix(labelled(run.data))
    assert list(run.averages["metric"]) == [one.metric for one in rankings_of(run.data)[0].metrics]
    (ranking,) = first_screen(labelled(run.data), matrix).rankings
    assert [(row.rank, row.metric) for row in ranking.rows] == [
        (str(one.cluster), one.metric) for one in average.metrics
    ]
