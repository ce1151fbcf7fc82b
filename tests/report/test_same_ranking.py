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


def expected_stars(run):
    """Return what people should see at each place: the metrics in order, and whether each has a star."""
    stars = {}
    for ranking in rankings_of(labelled(run)):
        constant = [(ranking.constant.metric, False)] if ranking.constant else []
        stars[ranking.key] = [*((metric.metric, metric.star) for metric in ranking.metrics), *constant]
    return stars


def expected_rows(run):
    """Return metric, rank and star as programs read them, a list for each place."""
    return [[(metric.metric, metric.rank, metric.star) for metric in ranking.metrics] for ranking in rankings_of(run)]


def split_cells(line):
    return re.split(r"\s{2,}", line.strip())


def text_tables(text):
    """Return the tables in a text for a terminal, each its columns and its rows."""
    lines = text.split("\n")
    tables = []
    for number, line in enumerate(lines):
        if re.fullmatch(r"-+( +-+)+", line):
            below = lines[number + 1 :]
            rows = itertools.takewhile(
                lambda row: row and not row.startswith(("[ ]", STAR, "In the order", "  ")), below
            )
            tables.append((split_cells(lines[number - 1]), [split_cells(row) for row in rows]))
    return tables


def markdown_tables(text):
    """Return the tables in Markdown."""
    parts = [part.split("\n") for part in text.split("\n\n") if part.startswith("| ")]
    tables = [[[cell.strip() for cell in line.strip("|").split("|")] for line in part if line] for part in parts]
    return [(head, rows) for head, _, *rows in tables]


def latex_tables(text):
    """Return the tables in LaTeX; signs that LaTeX would read are as they were, and what is left out is as above."""
    tables = []
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
        tables.append((plain[0], plain[1:]))
    return tables


def stars_of(tables):
    """Return metrics and their stars, from tables with a row for each metric, and its coefficient right behind it."""
    return [[(row[0], STAR in row[1]) for row in rows] for _, rows in tables]


def check_tables_of_places(comparison):
    """Compare the tables of a comparison of up to two criteria with the ranking."""
    expected = list(expected_stars(comparison.results.data).values())
    for tables in (
        text_tables(comparison.text(width=WIDE)),
        text_tables(comparison.text()),
        markdown_tables(comparison.to_markdown()),
        latex_tables(comparison.to_latex()),
    ):
        assert stars_of(tables) == expected
    assert [
        [(row["metric"], STAR in str(list(row.values())[1])) for row in table.rows] for table in comparison.tables
    ] == expected


def check_matrix(comparison):
    """Compare the one table of many criteria with the ranking: in the order of the first, and a star in each cell."""
    rankings = expected_stars(comparison.results.data)
    first = next(iter(rankings.values()))
    for tables in (
        text_tables(comparison.text(width=WIDE)),
        markdown_tables(comparison.to_markdown()),
        latex_tables(comparison.to_latex()),
    ):
        ((head, rows),) = tables
        assert [row[0] for row in rows] == [metric for metric, _ in first]
        for key, ranking in rankings.items():
            column = head.index(key.criterion)
            assert {row[0]: STAR in row[column] for row in rows} == dict(ranking)


def check_programs(comparison):
    """Compare what programs read of a comparison with the ranking."""
    expected = list(itertools.chain(*expected_rows(comparison.results.data)))
    assert any(star for _, _, star in expected)
    tsv = list(csv.DictReader(io.StringIO(comparison.text("tsv")), delimiter="\t"))
    frame = comparison.to_frame().to_dict("records")
    rows = [row for row in json.loads(comparison.text("json")) if row["metric"] != CONSTANT]
    assert [(row["metric"], row["rank"], row["star"]) for row in rows] == expected
    assert [(row["metric"], int(row["rank"]) if row["rank"] else None, row["star"] == "True") for row in tsv
            if row["metric"] != CONSTANT] == expected  # fmt: skip
    assert [(row["metric"], None if math.isnan(row["rank"] or math.nan) else row["rank"], row["star"]) for row in frame
            if row["metric"] != CONSTANT] == expected  # fmt: skip


def check_drawn(results):
    """Compare the rows of a drawn figure with the ranking: in the order of the first criterion, filled if starred."""
    rankings = expected_stars(results.data)
    order = [metric for metric, _ in next(iter(rankings.values())) if metric != CONSTANT]
    _, *rows = results.figure("intervals").numbers
    assert [(row[0], row[-1]) for row in rows] == [
        (f"{metric}, {key.criterion}", "filled" if dict(ranking)[metric] else "hollow")
        for key, ranking in rankings.items()
        for metric in order
    ]


def check_rows(run):
    """Compare the rows that figures and the page get with the ranking."""
    ranked = {
        ranking.key: {metric.metric: (metric.rank, metric.star) for metric in ranking.metrics}
        for ranking in rankings_of(run)
    }
    keys = [row.key for row in run.tables.correlations]
    expected = [ranked.get(key.place, {}).get(key.metric, (None, False)) for key in keys]
    table = figure_data(run).correlations
    ranks = [None if rank is None or math.isnan(rank) else int(rank) for rank in table["rank"]]
    assert list(zip(ranks, table["star"].tolist(), strict=True)) == expected
    assert set(figure_data(run).of_metrics["metric"]) == set(table["metric"]) - {INTER_JUDGE}
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', render(run), re.DOTALL)[1]
    columns = json.loads(unescape(data))["rows"]
    assert list(zip(columns["rank"], map(bool, columns["star"]), strict=True)) == expected


def check_first_screen(run):
    """Compare the lists that a page has without a script, one a criterion, with the ranking."""
    rankings = {key.criterion: stars for key, stars in expected_stars(run).items()}
    lists = first_screen(labelled(run), None).rankings
    assert lists
    for ranked_list in lists:
        ranking = rankings[ranked_list.title.partition(": ")[2].partition(", ")[0]]
        best = [(metric, star) for metric, star in ranking if metric != CONSTANT]
        assert [(row.metric.rstrip(STAR), row.metric.endswith(STAR)) for row in ranked_list.rows] == best


def check_comparison(comparison, check_tables):
    """Compare each view of a comparison with the ranking."""
    check_tables(comparison)
    check_programs(comparison)
    check_rows(comparison.results.data)
    check_first_screen(comparison.results.data)
    check_drawn(comparison.results)


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
    check_comparison(metaeval.compare("demo", **{**SMALL, **settings}), check_tables_of_places)


def test_a_comparison_of_many_metrics_and_of_other_systems_shows_one_ranking():
    corpus = of_others("corpora/wmt20-to-english/zh-en")
    comparison = metaeval.compare(str(corpus), ["precomputed:*"], criteria=["da-z"], resample="systems", ceiling=0)
    (ranking,) = rankings_of(comparison.results.data)
    assert len(ranking.metrics) > 30
    assert 0 < len(ranking.starred) < len(ranking.metrics)
    check_comparison(comparison, check_tables_of_places)


def test_one_table_of_five_criteria_shows_each_ranking():
    comparison = metaeval.compare(
        str(of_others("corpora/webnlg2020-en")), ["bleu", "chrf", "ter"], n_resamples=200, ceiling=0
    )
    rankings = rankings_of(comparison.results.data)
    assert [ranking.key.criterion for ranking in rankings] == [
        "Correctness", "DataCoverage", "Relevance", "Fluency", "TextStructure"
    ]  # fmt: skip
    check_comparison(comparison, check_matrix)


def coefficients(table):
    """Return, by the criterion, the metrics of a table of a run, each with the cells of its coefficients."""
    head, rows = table
    labels = [name for name in ("criterion", "metric", "preprocessing") if name in head]
    cells_by_criterion = {}
    for row in rows:
        cells = dict(zip(head, row, strict=True))
        if cells["metric"] != INTER_JUDGE:
            of_metric = cells_by_criterion.setdefault(cells.get("criterion", ""), {})
            of_metric[cells["metric"]] = {name: cells[name] for name in head if name not in labels}
    return cells_by_criterion


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
    (ranking,) = expected_stars(run.data).values()
    assert any(star for _, star in ranking)
    for tables in views_of(run):
        (cells_by_metric,) = coefficients(tables[0]).values()
        assert [(metric, STAR in cells["Pearson"]) for metric, cells in cells_by_metric.items()] == ranking
    check_rows(run.data)
    check_first_screen(run.data)
    check_drawn(run)


def test_lengths_stand_in_the_order_of_the_longest():
    run = metaeval.correlate(
        "demo",
        ["bleu", "ter", "nist"],
        criteria=["adequacy", "fluency"],
        documents={"kind": "pseudo", "lengths": [1, 5, 20], "count": 30},
        correlation={"coefficients": ["pearson"]},
        uncertainty={"method": "none"},
    )
    rankings = {(key.criterion, key.length): stars for key, stars in expected_stars(run.data).items()}
    for tables in views_of(run):
        assert len(tables) == 2
        for table, criterion in zip(tables, ("adequacy", "fluency"), strict=True):
            (cells_by_metric,) = coefficients(table).values()
            assert list(cells_by_metric) == [metric for metric, _ in rankings[criterion, 20]]
            # There is no room for a star beside each number.
            assert not any(STAR in cell for cells in cells_by_metric.values() for cell in cells.values())
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
    names = [metric.metric for metric in average.metrics]
    assert average.metrics[0].cluster == 1  # the matrix has WMT ranks
    for (_, rows), *_ in (text_tables(str(run)), markdown_tables(run.to_markdown()), latex_tables(run.to_latex())):
        rows = [row for row in rows if row[0].partition(" ")[0] in names]  # heads can have several lines
        assert [row[0].partition(" ")[0] for row in rows[: len(names)]] == names
        assert not any(STAR in cell.replace("**", "") for row in rows[: len(names)] for cell in row)
    matrix = task_matrix(labelled(run.data))
    assert list(run.averages["metric"]) == [metric.metric for metric in rankings_of(run.data)[0].metrics]
    (ranking,) = first_screen(labelled(run.data), matrix).rankings
    assert [(row.rank, row.metric) for row in ranking.rows] == [
        (str(metric.cluster), metric.metric) for metric in average.metrics
    ]
