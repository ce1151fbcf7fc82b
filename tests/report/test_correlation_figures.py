"""Lines of correlations on tables made by hand: which lines there are, and where their words stand."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from metaeval.datamodel.corpus import INTER_JUDGE
from metaeval.report.drawable import asked_figure
from metaeval.report.page.curves import parts_of
from metaeval.results.keys import DocumentKind
from metaeval.results.model import RunData, Tables
from metaeval.results.rows import Ceiling
from metaeval.results.tables import record_of, records
from metaeval.runs.figures import draw_figures
from tests.support.figures import by_length, figures, has_key_beside, key_of_lines
from tests.support.results import correlation, key_of


def row(metric, subset, length, mean, **others):
    return record_of(correlation(mean, metric=metric, subset=subset, length=length, **others))


def by_references(table):
    return figures("correlation-by-references", correlations=table)


def drawn(panel):
    """Return the points of each line of a panel by its name."""
    return {line.get_label(): list(zip(*line.get_data(), strict=True)) for line in panel.get_lines()}


def overlaps(panel):
    """Tell whether two numbers below a panel touch; the figure has been drawn."""
    renderer = FigureCanvasAgg(panel.figure).get_renderer()
    shown = [label.get_window_extent(renderer) for label in panel.get_xticklabels() if label.get_text()]
    return any(one.x1 >= other.x0 for one, other in itertools.pairwise(sorted(shown, key=lambda box: box.x0)))


def test_subsets_of_one_number_are_one_line_of_their_means_without_a_band():
    # With one reference the means are .2 and .4 for one segment, .5 and .7 for ten; with two .6 and .9.
    of_one = [
        row("bleu", name, n, mean) for name, n, mean in (("a", 1, 0.2), ("b", 1, 0.4), ("a", 10, 0.5), ("b", 10, 0.7))
    ]
    of_two = [row("bleu", "a+b", n, mean) for n, mean in ((1, 0.6), (10, 0.9))]
    (figure,) = by_length(pd.DataFrame(of_one + of_two), together="references").values()
    panel = figure.axes[0]

    found = drawn(panel)
    assert set(found) == {"BLEU, 1 ref", "BLEU, 2 refs"}
    assert [value for _, value in found["BLEU, 1 ref"]] == pytest.approx([0.3, 0.6])
    assert [value for _, value in found["BLEU, 2 refs"]] == [0.6, 0.9]
    bands = [band.get_paths() for band in panel.collections]
    assert [len(paths) for paths in bands] == [0, 1]


def test_subsets_of_one_number_alone_are_told_in_the_heading():
    table = pd.DataFrame([row("bleu", name, n, 0.5) for name in "ab" for n in (1, 10)])
    (figure,) = by_length(table, together="references").values()

    assert list(drawn(figure.axes[0])) == ["BLEU"]
    setting = "tokens at white space, case kept, 1 reference, 2 possible choices"
    assert figure.heading == f"c: Pearson correlation by document length ({setting})"


def test_judges_have_a_line_for_each_subset_where_their_numbers_differ():
    # Segments without a reference are not drawn, so that subsets can rest on other segments.
    rows = [row("bleu", subset, n, 0.5) for subset in ("a", "a+b") for n in (1, 10)]
    rows += [row(INTER_JUDGE, "a", n, 0.6, preprocessing="") for n in (1, 10)]
    rows += [row(INTER_JUDGE, "a+b", n, 0.7, preprocessing="") for n in (1, 10)]
    (figure,) = by_length(pd.DataFrame(rows), together="references").values()
    lines = {line.get_label(): line for line in figure.axes[0].get_lines()}

    few, many = lines[f"{INTER_JUDGE}, 1 ref"], lines[f"{INTER_JUDGE}, 2 refs"]
    assert (few.get_ydata().tolist(), many.get_ydata().tolist()) == ([0.6, 0.6], [0.7, 0.7])
    assert (few.get_markerfacecolor(), many.get_color()) == ("#FFFFFF", "#000000")


def test_a_line_is_left_out_where_it_has_no_rows():
    # Two judgments of an item may be there on one criterion only, and a metric with one subset only.
    rows = [row("bleu", subset, 1, 0.5, criterion=name) for name in ("adequacy", "fluency") for subset in ("a", "a+b")]
    rows += [row("ter", "a+b", 1, 0.4, criterion=name) for name in ("adequacy", "fluency")]
    rows += [row(INTER_JUDGE, subset, 1, 0.6, preprocessing="", criterion="adequacy") for subset in ("a", "a+b")]
    (figure,) = by_length(pd.DataFrame(rows), together="references").values()
    first, second = figure.axes

    of_metrics = {"BLEU, 1 ref", "BLEU, 2 refs", "TER, 2 refs"}
    assert set(drawn(first)) == of_metrics | {INTER_JUDGE}
    assert set(drawn(second)) == of_metrics
    assert set(key_of_lines(figure)) == of_metrics | {INTER_JUDGE}


def test_documents_without_a_length_are_not_told_to_have_one():
    table = pd.DataFrame([row("bleu", subset, None, 0.5) for subset in ("a", "a+b")])
    ((name, figure),) = by_references(table).items()

    assert name == "correlation-by-references"
    assert figure.heading == "c: Pearson correlation by number of references (tokens at white space, case kept)"


def test_names_tell_whole_lengths():
    # Where some documents have no length, those of the others come as floats.
    table = pd.DataFrame([row("bleu", subset, n, 0.5) for subset in ("a", "a+b") for n in (10, None)])
    assert list(by_references(table)) == ["correlation-by-references_10", "correlation-by-references"]


@pytest.mark.parametrize(("width", "step"), [(6.3, 1), (3.03, 2), (2.0, 3)])
def test_numbers_of_references_are_written_at_equal_distances(width, step):
    names = [f"r{k:02d}" for k in range(16)]
    table = pd.DataFrame([row("bleu", "+".join(names[: k + 1]), 1, 0.5) for k in range(16)])
    (figure,) = figures("correlation-by-references", correlations=table, asked={"width": width}).values()
    figure.draw_without_rendering()
    (panel,) = figure.axes
    shown = [label.get_text() for label in panel.get_xticklabels() if label.get_text()]

    assert shown == [str(k) for k in range(1, 17, step)]
    assert not overlaps(panel)


def test_what_all_axes_are_is_written_once():
    table = pd.DataFrame(
        [row("bleu", "a", n, 0.5, criterion=name) for name in ("adequacy", "fluency") for n in (1, 10)]
    )
    (figure,) = by_length(table, width="column").values()

    assert [panel.get_xlabel() for panel in figure.axes] == ["", ""]
    assert figure.get_supxlabel() == "segments in a document"
    assert figure.get_supylabel().replace("\n", " ") == "mean Pearson correlation"


LONG = ['gtm(exponent=2,mean="precision")', 'gtm(exponent=2,mean="recall",search="exact")', "bleu"]


def test_long_names_do_not_take_the_room_of_the_panels():
    criteria = ("adequacy", "fluency")
    table = pd.DataFrame([row(name, "a", n, 0.5, criterion=one) for name in LONG for n in (1, 10) for one in criteria])
    (figure,) = by_length(table).values()
    figure.draw_without_rendering()
    widths = [panel.get_position().width * figure.get_figwidth() for panel in figure.axes]

    assert set(key_of_lines(figure)) == {"GTM precision, e=2", "GTM recall, e=2, search=exact", "BLEU"}
    assert min(widths) > 1.9


@pytest.mark.parametrize("width", [None, "page", 2.6])
def test_names_stand_beside_the_lines_where_there_is_room_and_else_below(width):
    criteria = ("adequacy", "fluency")
    rows = [row(name, "a", n, 0.5, criterion=one) for name in ("bleu", "ter") for n in (1, 10) for one in criteria]
    (figure,) = by_length(pd.DataFrame(rows), width=width).values()

    assert has_key_beside(figure) == (width != 2.6)
    assert key_of_lines(figure) == ["BLEU", "TER"]


def test_more_than_five_lines_are_small_multiples_with_the_others_in_grey():
    names = [f"m{k}" for k in range(6)]
    rows = [row(name, "a", n, 0.1 * k, criterion="adequacy") for k, name in enumerate(names) for n in (1, 10)]
    table = pd.DataFrame(rows)
    (figure,) = by_length(table).values()
    (together,) = by_length(table, small_multiples=False).values()

    assert [panel.get_title(loc="left") for panel in figure.axes] == names
    for name, panel in zip(names, figure.axes, strict=True):
        own = [line for line in panel.get_lines() if line.get_gid() == name]
        assert [line.get_label() for line in own] == [name]
        # The others are one line with gaps.
        (grey,) = [line for line in panel.get_lines() if line not in own]
        expected = [(n, 0.1 * k) for k in range(6) if names[k] != name for n in (1, 10, np.nan)]
        expected = [(n, np.nan if np.isnan(n) else mean) for n, mean in expected]
        np.testing.assert_array_equal(grey.get_xydata(), expected)
    assert set(drawn(together.axes[0])) == set(names)


def test_no_panel_has_more_than_eight_styles():
    names = [f"m{k:02d}" for k in range(17)]
    table = pd.DataFrame([row(name, "a", n, 0.5) for name in names for n in (1, 10)])
    (figure,) = by_length(table, small_multiples=False).values()

    assert [panel.get_title(loc="left") for panel in figure.axes] == [f"adequacy ({k} of 3)" for k in (1, 2, 3)]
    assert [list(drawn(panel)) for panel in figure.axes] == [names[:8], names[8:16], names[16:]]


@pytest.mark.parametrize(("n", "bands", "expected"), [(3, "auto", 3), (4, "auto", 0), (4, "all", 4), (2, "none", 0)])
def test_bands_are_drawn_of_up_to_three_lines_unless_asked_otherwise(n, bands, expected):
    table = pd.DataFrame([row(f"m{k}", "a", length, 0.5) for k in range(n) for length in (1, 10)])
    (figure,) = by_length(table, bands=bands).values()

    assert len(figure.axes[0].collections) == expected
    assert ("Bands" in figure.caption) == bool(expected)


def test_two_statistics_stand_in_one_graph():
    rows = [
        row("bleu", "a", n, mean, coefficient=one)
        for one, mean in (("pearson", 0.6), ("spearman", 0.4))
        for n in (1, 10)
    ]
    (figure,) = by_length(pd.DataFrame(rows), together="coefficients").values()
    found = drawn(figure.axes[0])

    assert {name: points[0][1] for name, points in found.items()} == {"BLEU, Spearman": 0.4, "BLEU, Pearson": 0.6}
    assert figure.get_supylabel() == "mean correlation"


def test_the_noise_ceiling_is_a_line_with_its_band():
    key = key_of(metric="", subset="a")
    ceilings = [
        Ceiling(key.with_names(documents=DocumentKind("pseudo", n)), "ceiling", v, sd=0.1)
        for n, v in ((1, 0.7), (10, 0.9))
    ]
    table = pd.DataFrame([row("bleu", "a", n, 0.5) for n in (1, 10)])
    ceiling = pd.DataFrame(records(ceilings))
    (figure,) = figures("correlation-by-length", correlations=table, ceiling=ceiling, asked={"bands": "none"}).values()
    lines = {line.get_label(): line.get_ydata().tolist() for line in figure.axes[0].get_lines()}
    (band,) = figure.axes[0].collections

    assert lines["noise ceiling"] == [0.7, 0.9]
    heights = band.get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == pytest.approx((0.6, 1.0))
    assert "noise ceiling" in key_of_lines(figure)


@pytest.mark.parametrize("width", [None, "column", "page"])
def test_numbers_below_an_axis_do_not_touch_and_the_ends_are_there(width):
    lengths = [1, 2, 3, 5, 7, 10, 15, 20, 25, 30, 35, 40, 95, 100]
    table = pd.DataFrame([row("bleu", "a", n, 0.5, criterion=one) for n in lengths for one in ("adequacy", "fluency")])
    (figure,) = by_length(table, width=width).values()
    figure.draw_without_rendering()

    for panel in figure.axes:
        assert panel.get_xticks().tolist() == lengths
        shown = [label.get_text() for label in panel.get_xticklabels() if label.get_text()]
        assert shown[0] == "1"
        assert shown[-1] == "100"
        assert {"2", "10"} <= set(shown) < set(map(str, lengths))
        assert not overlaps(panel)


@pytest.mark.parametrize("kind", ["correlation-by-length", "correlation-by-references"])
def test_a_metric_looks_the_same_in_all_panels_of_a_run_and_on_its_page(kind):
    # As in Melamed's experiment: BLEU is the second of the first panel and the last of the second one.
    places = [{"length": length, "subset": subset} for length in (1, 5) for subset in ("r1", "r1+r2")]
    of_panels = {"few": ["gtm", "bleu"], "many": ["gtm", "recall", "precision", "bleu"]}
    rows = [
        correlation(0.5, panel=panel, metric=metric, **place)
        for panel, metrics in of_panels.items()
        for metric in metrics
        for place in places
    ]
    run = RunData(tables=Tables(correlations=rows))
    seen = {}
    for drawn in draw_figures({panel: [asked_figure(kind, {})] for panel in of_panels}, run):
        for line in (
            line for axes in drawn.figure.axes for line in axes.get_lines() if line.get_gid() in of_panels["many"]
        ):
            seen.setdefault(line.get_gid(), set()).add((line.get_color(), line.get_marker()))
    # Blue circle, amber square, green triangle, vermilion diamond, in the order of the run.
    assert seen == {
        "gtm": {("#0072b2", "o")},
        "bleu": {("#e69f00", "s")},
        "recall": {("#009e73", "^")},
        "precision": {("#d55e00", "D")},
    }
    assert parts_of(run)["style_numbers"] == {"gtm": 0, "bleu": 1, "recall": 2, "precision": 3}


@pytest.mark.parametrize("kind", ["intervals", "correlation-by-length"])
def test_a_caption_tells_of_intervals_only_where_some_are_drawn_and_else_why_not(kind):
    why = "it needs at least 10 segments, and there are 8"
    missing = {"lower": float("nan"), "upper": float("nan"), "no_interval_because": why}
    lengths = (1, 5) if kind == "correlation-by-length" else (5,)
    some = [row("bleu", "r1", length, 0.5) for length in lengths]
    none = [row("ter", "r1", length, 0.4, **missing) for length in lengths]

    def caption(rows):
        (figure,) = figures(kind, correlations=pd.DataFrame(rows)).values()
        return figure.caption

    assert "95 % confidence interval" in caption([*none, *some])
    assert "confidence intervals:" not in caption([*none, *some])
    assert f"o confidence intervals: {why}." in caption(none)
    assert "95 %" not in caption(none)


def test_lines_have_their_numbers_as_a_table():
    rows = [
        row(metric, "a", n, mean, criterion=criterion, lower=mean - 0.1, upper=mean + 0.1)
        for metric, means in (("bleu", (0.5, 0.75)), ("ter", (0.25, 0.375)))
        for criterion in ("adequacy", "fluency")
        for n, mean in zip((1, 10), means, strict=True)
    ]
    # A length that one of them lacks, and a noise ceiling of one criterion.
    del rows[-1]
    ceiling = pd.DataFrame(
        record_of(Ceiling(key_of(metric="", subset="a", criterion="adequacy", length=n), "ceiling", 0.875, sd=0.02))
        for n in (1, 10)
    )
    table = pd.DataFrame(rows)
    (figure,) = figures("correlation-by-length", correlations=table, ceiling=ceiling, asked={"bands": "all"}).values()
    assert figure.numbers == [
        ("segments in a document", "1", "10"),
        ("BLEU, adequacy", "0.500 [0.400, 0.600]", "0.750 [0.650, 0.850]"),
        ("TER, adequacy", "0.250 [0.150, 0.350]", "0.375 [0.275, 0.475]"),
        ("noise ceiling, adequacy", "0.875", "0.875"),
        ("BLEU, fluency", "0.500 [0.400, 0.600]", "0.750 [0.650, 0.850]"),
        ("TER, fluency", "0.250 [0.150, 0.350]", ""),
    ]
