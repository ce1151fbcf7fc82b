"""Every kind of figure, from one to thirty metrics, in every width: nothing is cut off or stands over anything else."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from metaeval.components.registries import FIGURES
from metaeval.errors import UsageError
from metaeval.report.figures import text_sizes as measure
from metaeval.report.figures.canvas import PAGE_HEIGHT_INCHES, Canvas
from metaeval.report.figures.drawing import draw_figure
from metaeval.report.figures.scatter import name_outliers
from metaeval.report.figures.settings import Look, NoRoom
from metaeval.report.figures.text_sizes import inches, wrapped
from tests.support.pictures import misplaced, picture_data

FIELD = ["bleu", "gtm(exponent=2)", "nist(information=False)", "ter", "chrf", "rouge-l", "wer", "per"]
LONGEST = 60
KINDS = [*FIGURES, *FIGURES.unlisted]
# What shows pairs.
OF_PAIRS = ("significance", "task-significance", "judges", "agreement", "judge-offsets", "best", "metric-correlation")


def names(n, letters, word):
    """Return names as the field has them, or names of so many letters."""
    if not letters:
        return [FIELD[k] if word == "m" and k < len(FIELD) else f"{word}{k}" for k in range(n)]
    return [
        f"{word}{k:02d}-the_name(of=a_metric,with_path/to/file.py:function)_which_is_quite_long"[:letters]
        for k in range(n)
    ]


# Metrics, width, criteria, letters of a name: a few in each run of the tests, the others in the long tests.
SHORT = [(2, 3.03, 1, LONGEST), (6, 3.03, 2, 0), (4, None, 2, 0)]
LONG = [
    *((n, width, 5, letters) for n in (1, 5) for width in (3.03, 6.3) for letters in (0, LONGEST)),
    *((15, width, n, 0) for n in (1, 2) for width in (3.03, 6.3)), (15, 6.3, 1, LONGEST), (2, 12.0, 8, 0),
]  # fmt: skip
PLACES = [*SHORT, *(pytest.param(*one, marks=pytest.mark.long) for one in LONG)]


@pytest.mark.parametrize(("n", "width", "n_criteria", "letters"), PLACES)
@pytest.mark.parametrize("kind", KINDS)
def test_everything_has_its_place(kind, n, width, n_criteria, letters):
    data = picture_data(kind, names(n, letters, "m"), names(n_criteria, letters, "c"))
    if n == 1 and kind in OF_PAIRS:
        with pytest.raises(UsageError):
            draw_figure(FIGURES[kind](width=width), data)
        return
    if (n, width, kind) == (15, 3.03, "agreement") or (width, n_criteria, kind) == (3.03, 5, "judges"):
        # Judges are no metrics; squares of 15 could not be read, and five panels of pairs are higher than a page.
        with pytest.raises(NoRoom, match=r"inches|give `width` = \d\.\d"):
            draw_figure(FIGURES[kind](width=width), data)
        return
    for name, figure in draw_figure(FIGURES[kind](width=width), data).items():
        assert not misplaced(figure), name
        # Those who do not see it have a table, each row as long as its heads.
        assert len(figure.numbers) > 1
        assert {len(row) for row in figure.numbers} == {len(figure.numbers[0])}
        assert width is None or figure.get_figwidth() == width
        assert figure.get_figheight() <= PAGE_HEIGHT_INCHES + 1e-6
        assert all(min(axes.bbox.width, axes.bbox.height) > 0.1 * figure.dpi for axes in figure.axes)


# What has no room for thirty metrics, by the width and the letters of a name: many lines or panels, squares in a
# column, and rows whose names take several lines.
SQUARES = {"significance", "best", "metric-correlation", "agreement", "task-significance"}
LINES = {"correlation-by-length", "correlation-by-references"}
ROWS = {"intervals", "influence", "heat-table", "judge-offsets", "task-table", "best-systems"}
NO_ROOM_FOR_THIRTY = {
    (3.03, 0): {*LINES, *SQUARES, "scatter"},
    (3.03, LONGEST): {*LINES, *SQUARES, *ROWS, "scatter"},
    (6.3, 0): {"scatter"},
    (6.3, LONGEST): {*LINES, "agreement", "scatter"},
    (None, 0): {*LINES, "scatter"},
}


def proposed_width(kind, width, data):
    """Return the width that the message proposes, None if it says the height that a page lacks."""
    with pytest.raises(NoRoom, match="inches") as error:
        draw_figure(FIGURES[kind](width=width), data)
    proposed = re.search(r"give `width` = (\d+\.\d)\.$", str(error.value))
    return float(proposed[1]) if proposed else None


@pytest.mark.long
@pytest.mark.parametrize(("width", "letters"), NO_ROOM_FOR_THIRTY)
@pytest.mark.parametrize("kind", KINDS)
def test_thirty_metrics_have_their_place_or_the_figure_says_what_it_takes(kind, width, letters):
    data = picture_data(kind, names(30, letters, "m"), names(2, letters, "c"))
    if kind in NO_ROOM_FOR_THIRTY[width, letters]:
        width = proposed_width(kind, width, data)
        assert bool(width) == (kind in SQUARES)
        if width is None or (letters and kind != "agreement" and proposed_width(kind, width, data) is None):
            return  # names of three lines make thirty rows higher than a page
    figures = draw_figure(FIGURES[kind](width=width), data)
    assert figures
    assert [problem for figure in figures.values() for problem in misplaced(figure)] == []


def test_the_width_that_a_square_asks_for_is_enough():
    data = picture_data("agreement", names(30, 0, "m"), ["adequacy"])
    figures = draw_figure(FIGURES["agreement"](width=proposed_width("agreement", 3.03, data)), data)
    assert [problem for figure in figures.values() for problem in misplaced(figure)] == []


@pytest.mark.parametrize(
    "settings", [{"font_size": 12.0}, {"title": True, "caption": True}, {"height": 3.5, "title": True}]
)
@pytest.mark.parametrize("kind", KINDS)
def test_so_it_has_with_other_settings(kind, settings):
    data = picture_data(kind, names(4, 0, "m"), names(2, 0, "c"))
    for figure in draw_figure(FIGURES[kind](width=6.3, **settings), data).values():
        assert not misplaced(figure)
        assert figure.get_figheight() <= settings.get("height", PAGE_HEIGHT_INCHES) + 1e-6
        assert bool(figure.get_suptitle()) == settings.get("title", False)
        captions = [text for text in figure.texts if text.get_gid() == "caption"]
        assert len(captions) == settings.get("caption", False)
        assert figure.heading
        assert figure.caption


def test_a_height_that_holds_nothing_says_what_it_takes():
    data = picture_data("scatter", names(6, 0, "m"), ["adequacy"])
    with pytest.raises(NoRoom, match=r"the figure 'scatter': `height` = 1 leaves no room; give at least \d\.\d inches"):
        draw_figure(FIGURES["scatter"](width=3.03, height=1.0), data)


def test_a_figure_of_free_height_has_the_height_that_was_asked_for():
    data = picture_data("correlation-by-length", ["bleu", "ter"], ["adequacy"])
    (figure,) = draw_figure(FIGURES["correlation-by-length"](width=3.03, height=3.2), data).values()
    assert figure.get_figheight() == pytest.approx(3.2)


@pytest.mark.parametrize(("low", "high", "least"), [(0, 1, 3), (-0.3, 0.42, 3), (0.6, 0.7, 3)])
@pytest.mark.parametrize("across", [1, 3])
def test_axes_have_more_than_two_numbers_where_these_have_room(low, high, least, across):
    look = Look(width=3.03)
    with look.settings():
        canvas = Canvas(look, across, least=0.85)
        for panel in canvas.panels:
            panel.set(xlim=(low, high), ylim=(low, high))
        figure = canvas.finish("", "")
    assert not misplaced(figure)
    for panel in canvas.panels:
        assert len([tick for tick in panel.get_xticks() if low - 1e-9 <= tick <= high + 1e-9]) >= least
        assert len([tick for tick in panel.get_yticks() if low - 1e-9 <= tick <= high + 1e-9]) >= 3


def test_panels_have_the_height_that_they_are_to_have():
    # Rows of a table are as high as their letters need, whatever stands around them.
    look = Look(width=6.3, title=True, caption=True)
    with look.settings():
        canvas = Canvas(look, 2, tall=1.7, names=1.0)
        canvas.labels = {"x": "a label", "y": "another"}
        figure = canvas.finish("A heading", "A caption. " * 30)
    heights = [panel.get_position().height * figure.get_figheight() for panel in canvas.panels]
    assert heights == pytest.approx([1.7, 1.7], abs=0.01)


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ('bleu(orders=[1,2],mean="arithmetic")', ["bleu(orders=[1,2],", 'mean="arithmetic")']),
        ('gtm(mean="precisions")', ['gtm(mean="precisions")']),
        ("path/to/my_metric.py:function", ["path/to/my_metric.py:", "function"]),
        ("TheDataCoverageOfAllSystems", ["TheDataCoverageOfAll", "Systems"]),
        ("x" * 30, None),
        ("NIST, unweighted and long", ["NIST, unweighted and", "long"]),
        ("a\nb", ["a", "b"]),
    ],
)
def test_names_are_broken_at_blanks_before_parameters_or_behind_signs(name, lines):
    with FIGURES["intervals"]().settings():
        found = wrapped(name, 1.5, 8).split("\n")
        assert all(inches(line, 8) <= 1.5 for line in found)
    assert "".join(found).replace(" ", "") == name.replace("\n", "").replace(" ", "")
    assert lines is None or found == lines


@pytest.mark.parametrize("name", ["x" * 2500, "word " * 500, "key=1," * 400])
def test_a_long_name_is_broken_in_time_that_grows_with_its_length(name, monkeypatch):
    measured = []
    inches = measure.inches
    monkeypatch.setattr(measure, "inches", lambda text, size: measured.append(len(text)) or inches(text, size))
    lines = measure.wrapped(name, 1.5, 8).split("\n")
    # Lines of about 25 letters, each tried piece by piece: no square of 2,500.
    assert len(measured) <= 2500
    assert max(inches(line, 8) for line in lines) <= 1.5
    assert "".join(lines).replace(" ", "") == name.replace(" ", "")


def test_a_name_is_broken_where_not_even_two_letters_fit():
    assert measure.wrapped("WW", 0.12, 8) == "W\nW"


def test_a_missing_panel_leaves_the_numbers_of_the_panel_above():
    look = Look(width=3.03)
    with look.settings():
        canvas = Canvas(look, 3, least=1.1)
        canvas.finish("", "")
    assert canvas.across == 2
    shown = [[bool(label.get_visible()) for label in panel.get_xticklabels()] for panel in canvas.panels]
    # The second panel has no panel below it; the first one has.
    assert [any(one) for one in shown] == [False, True, True]
    assert np.isfinite(canvas.figure.get_figheight())


def test_names_without_room_say_nothing_on_standard_output(capsys):
    # 900 points leave room for no name.
    axes = Figure(figsize=(1, 1)).add_subplot()
    side = np.linspace(0, 1, 30)
    rows = pd.DataFrame([(f"system-{k}", *point) for k, point in enumerate(itertools.product(side, side))])
    rows.columns = ["system", "score", "human"]
    name_outliers(axes, rows, {}, 6.0)
    assert not axes.texts
    assert not capsys.readouterr().out
