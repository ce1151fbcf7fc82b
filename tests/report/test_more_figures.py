"""Figures of ranks, of single systems, of metrics against each other and of claims, on tables made by hand."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import metaeval
from metaeval.errors import UsageError
from metaeval.report.drawable import asked_figure
from metaeval.report.figures.best import shares_of_ranks
from metaeval.report.results import Results
from metaeval.results.rows import Influence
from metaeval.results.tables import record_of, records
from metaeval.runs.figures import draw_figures
from tests.support.figures import figures, heads_of, key_of_lines, names_of, shades
from tests.support.pictures import misplaced
from tests.support.results import claim, correlation, run_of, test_result


def points(panel):
    """Return the name, the value and whether it is filled of each point of a panel, from top to bottom."""
    names = dict(zip(panel.get_yticks(), names_of(panel), strict=True))
    found = [
        (place, names[place], value, line.get_gid() == "points")
        for line in panel.get_lines()
        if line.get_gid() in ("points", "hollow points")
        for value, place in zip(*line.get_data(), strict=True)
    ]
    return [one[1:] for one in sorted(found)]


def lines(panel):
    """Return the ends of the lines of a panel, from top to bottom."""
    (found,) = (one for one in panel.collections if one.get_gid() == "intervals")
    ends = [path.vertices for path in found.get_paths()]
    return [tuple(one[:, 0].tolist()) for one in sorted(ends, key=lambda one: one[0, 1])]


def test_ranks_in_replicates_are_counted_and_equal_metrics_share_theirs():
    # Four replicates of a, b and c: a first, a first, a and b equal and first, b first; c is always last. So a has rank
    # 1 in (1 + 1 + 1/2) / 4 = 0.625 and rank 2 in (1/2 + 1) / 4 = 0.375.
    values = np.array([[0.9, 0.8, 0.7, 0.5], [0.5, 0.6, 0.7, 0.8], [0.1, 0.2, 0.3, 0.4]])
    expected = np.array([[0.625, 0.375, 0.0], [0.375, 0.625, 0.0], [0.0, 0.0, 1.0]])
    assert shares_of_ranks(values) == pytest.approx(expected)
    # A replicate where a metric is undefined does not count, and weights are those of the others: a is first in the
    # first two of three, with 0.2 and 0.2 of 0.2 + 0.2 + 0.4.
    values[1, 2] = np.nan
    weighted = shares_of_ranks(values, np.array([0.2, 0.2, 0.2, 0.4]))
    assert weighted[0] == pytest.approx([0.5, 0.5, 0.0])


def test_best_without_replicates_says_what_it_needs():
    table = pd.DataFrame(records([correlation(0.5, metric="bleu")]))
    with pytest.raises(UsageError, match="the figure 'best' needs bootstrap replicates"):
        figures("best", correlations=table)


def test_influence_is_the_range_without_any_one_system():
    rows = [correlation(mean, metric=name, kind="all", n_systems=3) for name, mean in (("ter", 0.5), ("bleu", 0.8))]
    without = [
        Influence(row.key, f"without {system}", system, n, value, value - row.mean)
        for row, values in zip(rows, ((0.4, 0.6, 0.45), (0.7, 0.9, 0.75)), strict=True)
        for system, n, value in zip(("a", "b", "c"), (2, 2, 2), values, strict=True)
    ]
    # Without both outliers there are fewer systems: this is no single one.
    without.append(Influence(rows[0].key, "without the outliers", "a+b", 1, -1.0, -1.5))
    run = run_of(*rows, influence=without)
    (figure,) = figures("influence", correlations=pd.DataFrame(records(rows)), run=run).values()
    (panel,) = figure.axes

    assert points(panel) == [("BLEU", 0.8, False), ("TER", 0.5, False)]
    assert lines(panel) == [(0.7, 0.9), (0.4, 0.6)]
    assert figure.caption.startswith("Points: all 3 systems. Lines: the range without any one of them.")
    with pytest.raises(UsageError, match="the figure 'influence' shows whole systems, left out one at a time"):
        figures("influence", correlations=pd.DataFrame(records(rows)), run=replace(run, tables=run_of(*rows).tables))


def test_metrics_that_say_the_same_correlate_though_lower_is_better():
    # x and y = 2 x are one; z = -x, of which lower is better, too; w = (1, 0, 1, 0) against (1, 2, 3, 4): centred
    # products -1.5/2 + .5/2 + ... = -1, of sqrt(5 * 1): -0.447.
    scores = {"x": [1, 2, 3, 4], "y": [2, 4, 6, 8], "z": [-1, -2, -3, -4], "w": [1, 0, 1, 0]}
    place = {"corpus": "c", "preprocessing": "case", "subset": "r", "criterion": "adequacy"}
    documents = pd.DataFrame(
        {**place, "metric": name, "system": system, "score": float(value), "human": 1.0}
        for name, values in scores.items()
        for system, value in zip("abcd", values, strict=True)
    )
    rows = [
        correlation(mean, metric=name, kind="all", corpus="c", preprocessing="case", subset="r", criterion="adequacy")
        for name, mean in zip("xyzw", (0.9, 0.8, 0.7, 0.1), strict=True)
    ]
    signs = {("c", "adequacy", "z"): (-1, 1)}
    table = pd.DataFrame(records(rows))
    (figure,) = figures("metric-correlation", documents=documents, correlations=table, signs=signs).values()
    (panel,) = figure.axes

    assert names_of(panel) == ["x", "y", "z", "w"]
    assert figure.numbers[0] == ("name", "x", "y", "z", "w")
    assert figure.numbers[1][4] == "\N{MINUS SIGN}.45"
    texts = {text.get_gid(): text.get_text() for text in panel.texts}
    assert {texts["x, y"], texts["y, x"], texts["x, z"]} == {"1.00"}
    assert texts["x, w"] == "\N{MINUS SIGN}.45"
    assert shades(panel)[0, 1:] == pytest.approx([0.42, 0.42, 0.0])


def test_claims_are_a_forest_plot_with_their_verdicts():
    claims = [
        claim(
            1, "bleu above ter", "holds", difference=0.2, lower=0.1, upper=0.3,
            compared="bleu above ter with 1 reference (adequacy)",
        ),
        claim(
            2, "ter equals bleu", "fails", difference=-0.1, lower=-0.3, upper=-0.05, margin=0.02,
            compared="ter below bleu (adequacy, mean of 9 lengths)",
        ),
        claim(
            3, "inter-judge below 0.5", "undecided", difference=0.05, lower=-0.1, upper=0.2, margin=0.03,
            compared="inter-judge below 0.5 (adequacy, 3 segments)",
        ),
        claim(4, "chrf above ter", "not applicable", difference=float("nan")),
    ]  # fmt: skip
    # The metrics of a claim stand in several panels, and the figure is drawn of all of them at once.
    rows = [correlation(0.5, metric="bleu", panel="P"), correlation(0.4, metric="ter", panel="Q")]
    whole = run_of(*rows, claims=claims)
    (figure,) = figures("claims", run=whole.of_panel("P"), whole_run=whole).values()
    (panel,) = figure.axes

    names = ["1. BLEU above TER with 1 reference (adequacy)", "2. TER below BLEU (adequacy, mean of 9 lengths)"]
    names.append("3. inter-judge below 0.5 (adequacy, 3 segments)")
    assert points(panel) == [(names[0], 0.2, True), (names[1], -0.1, False), (names[2], 0.05, False)]
    assert lines(panel) == [(0.1, 0.3), (-0.3, -0.05), (-0.1, 0.2)]
    assert figure.numbers[:2] == [
        ("name", "point", "lower end", "upper end", "mark"),
        (names[0], "0.200", "0.100", "0.300", "holds"),
    ]
    assert key_of_lines(figure) == ["holds", "undecided", "fails"]
    # A claim that two are equal has its margin on both sides.
    margins = [
        (str(one.get_gid()), one.get_paths()[0].vertices[0, 0])
        for one in panel.collections
        if str(one.get_gid()).startswith("margin of ")
    ]
    assert margins == [(f"margin of {names[1]}", x) for x in (-0.02, 0.02)] + [(f"margin of {names[2]}", 0.03)]
    assert figure.caption.endswith("Short lines: the margin of a claim. 1 claim has no difference.")
    with pytest.raises(UsageError, match="the figure 'claims' needs the claims of a paper, and the run has none"):
        figures("claims", run=run_of())


def test_names_of_claims_stand_above_their_points_where_a_column_has_no_room_beside():
    pairs = [f"F with {k} references above BLEU with {k + 1} references (adequacy, mean of 9 lengths)" for k in (1, 2)]
    claims = [
        claim(k, "a above b", "holds", difference=0.2, lower=0.1, upper=0.3, margin=0.05, compared=pair)
        for k, pair in enumerate(pairs, start=1)
    ]
    names = [f"{k}. {pair}" for k, pair in enumerate(pairs, start=1)]
    data = run_of(correlation(0.5, metric="bleu"), claims=claims)
    (narrow,), (wide,) = (
        figures("claims", run=data, whole_run=data, asked={"width": width}).values() for width in (3.03, 6.3)
    )

    assert names_of(wide.axes[0]) == names
    (panel,) = narrow.axes
    assert names_of(panel) == ["", ""]
    assert [text.get_text().replace("\n", " ") for text in panel.texts] == names
    # From the top: a name, its point, the next name, its point.
    heights = [text.get_position()[1] for text in panel.texts]
    places = sorted(height for line in panel.get_lines() if line.get_gid() == "points" for height in line.get_ydata())
    assert heights[0] < places[0] < heights[1] < places[1]
    assert not misplaced(narrow)


def test_of_many_metrics_the_square_has_the_rows_and_columns_of_those_that_differ():
    # Of 14 metrics the first is better than the last two, the second than the last; one pair has no p.
    names = [f"m{k:02d}" for k in range(14)]
    small = {("m00", "m12"): 0.03, ("m00", "m13"): 0.0001, ("m01", "m13"): 0.009, ("m03", "m04"): float("nan")}
    pairs = itertools.combinations(names, 2)
    tests = [record_of(test_result(*pair, small.get(pair, 0.5), correction="holm")) for pair in pairs]
    rows = [correlation(0.9 - 0.01 * k, metric=name) for k, name in enumerate(names)]
    table = pd.DataFrame(map(record_of, rows))

    (figure,) = figures("significance", correlations=table, tests=pd.DataFrame(tests), run=run_of(*rows)).values()
    (panel,) = figure.axes
    assert (names_of(panel), heads_of(panel)) == (["m00", "m01"], ["m12", "m13"])
    # p below 0.05, 0.01 and 0.001: shades 0.37, 0.67 and 1 of 0.75.
    assert shades(panel) == pytest.approx(np.array([[0.2775, 0.75], [0.0, 0.5025]]))
    assert figure.caption.endswith(
        " Of 14 metrics, the 12 without a row are significantly better than none, and the 12 without a column are "
        "significantly worse than none. 1 of their pairs has no p."
    )
    assert figure.numbers == [("p", "m12", "m13"), ("m00", "0.030", "< 0.001"), ("m01", "0.500", "0.009")]
    # Twelve are a square, whatever stands in it.
    few = [row for row in tests if {row["metric_a"], row["metric_b"]} <= {*names[:12]}]
    (figure,) = figures("significance", correlations=table[:12], tests=pd.DataFrame(few), run=run_of(*rows)).values()
    assert names_of(figure.axes[0]) == heads_of(figure.axes[0]) == names[:12]
    assert "without a row" not in figure.caption


def test_panels_of_differences_have_the_best_below_their_title():
    rows = [
        correlation(value, metric=metric, criterion=criterion)
        for metric, values in (("bleu", (0.9, 0.4)), ("ter", (0.5, 0.6)))
        for criterion, value in zip(("coherence", "relevance"), values, strict=True)
    ]
    tests = [test_result("bleu", "ter", criterion=one, correction="holm") for one in ("coherence", "relevance")]
    (figure,) = figures(
        "intervals", correlations=pd.DataFrame(map(record_of, rows)), tests=pd.DataFrame(map(record_of, tests)),
        run=run_of(*rows), asked={"of": "differences", "width": 3.03},
    ).values()  # fmt: skip

    assert [panel.get_title(loc="left") for panel in figure.axes] == ["coherence", "relevance"]
    assert [panel.texts[0].get_text() for panel in figure.axes] == ["best: BLEU", "best: TER"]


def test_claims_are_drawn_once_for_all_panels():
    rows = [correlation(0.5, metric="bleu", panel="P"), correlation(0.4, metric="ter", panel="Q")]
    run = run_of(*rows, claims=[claim(1, "bleu above ter", "holds", difference=0.2, lower=0.1, upper=0.3)])
    asked = (asked_figure("claims", {}),)

    assert [one.name for one in draw_figures({"P": asked, "Q": asked}, run)] == ["claims"]
    assert list(Results(run).figures("claims")) == ["claims"]


def test_offsets_of_judges_are_their_differences_from_the_others_on_the_same_items():
    # Three judges of two items: 5, 3, 1 and 4, 3, 2. Anna less the mean of the others: 5 - 2 = 3 and 4 - 2.5 = 1.5, so
    # 2.25 with a standard deviation of 1.5 / sqrt 2, and a half width of 12.7062 (t of 1 degree, a table) * 0.75.
    # Ben: 3 - 3 = 0 twice. Cleo: 1 - 4 = -3 and 2 - 3.5 = -1.5. The item of Dora alone compares nobody.
    scores = {"Ben": (3, 3), "Anna": (5, 4), "Cleo": (1, 2)}
    rows = [
        {"corpus": "c", "criterion": "adequacy", "system": "s", "segment": k, "judge": judge, "score": float(score)}
        for judge, both in scores.items()
        for k, score in enumerate(both, start=1)
    ]
    alone = [{**rows[0], "judge": "Dora", "segment": 3}]
    (figure,) = figures("judge-offsets", judgments=pd.DataFrame([*rows, *alone])).values()
    (panel,) = figure.axes

    # An interval of no width, as Ben's, holds 0 too.
    assert points(panel) == [("Anna", 2.25, False), ("Ben", 0.0, False), ("Cleo", -2.25, False)]
    half = 12.7062 * 0.75
    expected = [(2.25 - half, 2.25 + half), (0.0, 0.0), (-2.25 - half, -2.25 + half)]
    assert lines(panel) == [pytest.approx(ends, abs=1e-4) for ends in expected]
    with pytest.raises(UsageError, match="the figure 'judge-offsets' compares judges on the same items, and no two"):
        figures("judge-offsets", judgments=pd.DataFrame(alone))


def test_offsets_of_judges_are_those_of_the_table():
    found = metaeval.agreement("demo", criteria="adequacy", n_resamples=20)
    table = {row["judge"]: row for row in found.tables["judges"]}
    (panel,) = found.figure("judge-offsets").axes
    assert {name: value for name, value, _ in points(panel)} == {
        name: pytest.approx(row["offset"]) for name, row in table.items()
    }
    ends = [(row["offset_lower"], row["offset_upper"]) for row in table.values()]
    assert sorted(lines(panel)) == [pytest.approx(one) for one in sorted(ends)]
