"""Every kind of figure, with short and long names, at every width: whole, with nothing over anything else."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

import metaeval
from metaeval.kinds import FIGURES
from metaeval.report.figures.data import FigureData
from metaeval.report.figures.drawing import NoRoom, draw_figure
from metaeval.report.figures.layout import broken_name, inches
from metaeval.report.figures.placing import Unplaced, misplaced, settle
from metaeval.report.figures.style import figure_style
from metaeval.results.tables import records
from tests.support.corpus import judgments, write
from tests.support.results import correlation, many_tasks, ranking

LONG = "a_metric_of_somebody_else/with_a_very_long_path/and_file.py:the_function_with_quite_a_long_name_too"[:98]
VARIANTS = [
    f"bleu(orders={orders}{length}{mean})"
    for orders in ("[1,2,3,4]", "[2,3]")
    for length in ("", ',length="shortest"')
    for mean in ("", ',mean="arithmetic"')
]
NAMES = {"short": ["bleu", "ter", "nist"], "98 letters": ["bleu", LONG, "ter"], "morgenroth2011": VARIANTS}
# A name of a judge, or of a metric, heads a column too, and has several lines there.
NO_ROOM = {
    (kind, "column", names) for kind in ("agreement", "task-significance") for names in ("98 letters", "morgenroth2011")
}
SYSTEMS = [f"system-{k}" for k in range(6)]


def data(kind, names):
    """Return tables in which whatever this kind of figure writes beside its data has the names."""
    varied = {
        "correlation-by-length": [("ref1", length) for length in (1, 10, 100)],
        "correlation-by-references": [("ref1", 10), ("ref1+ref2", 10)],
    }
    correlations = [
        correlation(
            0.9 - 0.07 * k, metric=name, subset=subset, criterion=criterion, length=length, lower=0.8 - 0.07 * k,
            upper=0.95 - 0.07 * k, interval="percentile", resampled="segments", n_used=9,
        )
        for k, name in enumerate(names)
        for criterion in ("adequacy", "fluency")
        for subset, length in varied.get(kind, [("ref1", 10)])
    ]  # fmt: skip
    place = {"corpus": "c", "preprocessing": "case", "subset": "ref1", "criterion": "adequacy"}
    documents = pd.DataFrame(
        {**place, "metric": name, "system": one, "score": k, "human": k}
        for name in names
        for k, one in enumerate(SYSTEMS)
    )
    judgments = pd.DataFrame(
        {"corpus": "c", "system": one, "segment": n, "judge": judge, "criterion": "adequacy", "score": (j + k * n) % 5}
        for j, judge in enumerate(names)
        for k, one in enumerate(SYSTEMS)
        for n in (1, 2)
    )
    scores = pd.DataFrame(
        {
            "corpus": "c", "preprocessing": preprocessing, "subset": subset, "system": one, "level": "system",
            "kind": "system", "n_references": 1 + subset.count("+"), "metric": f"nist(order={order})", "score": order,
            "signature": "NIST",
        }
        for preprocessing in names
        for subset in ("ref1", "ref1+ref2")
        for one in SYSTEMS
        for order in (1, 2, 3)
    )  # fmt: skip
    rankings = [ranking(key=row.key) for row in correlations]
    tables = (pd.DataFrame(records(rows)) for rows in (correlations, rankings))
    tasks = many_tasks(len(names), 3, names)
    return FigureData(*tables, lambda: scores, lambda: documents, lambda: judgments, 1, run=tasks)


def drawn_texts(figure):
    """Return the texts that matplotlib draws, as it draws them."""
    found = []
    draw = Text.draw
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Text, "draw", lambda text, renderer: (found.append(text), draw(text, renderer)))
        figure.draw_without_rendering()
    return [text for text in found if text.get_visible() and text.get_text().strip()]


# The longest names in the narrowest figure are looked at each time, the other sheets in the long tests.
SHEETS = [
    pytest.param(label, width, marks=() if (label, width) == ("morgenroth2011", "column") else pytest.mark.long)
    for label in NAMES
    for width in ("column", "page")
]


@pytest.mark.parametrize(("label", "width"), SHEETS)
@pytest.mark.parametrize("kind", FIGURES)
def test_nothing_is_cut_off_or_covered(kind, label, width):
    figure = FIGURES[kind](width=width)
    figures, refused = {}, ""
    try:
        figures = draw_figure(figure, data(kind, NAMES[label]))
    except NoRoom as error:
        refused = str(error)
    if (kind, width, label) in NO_ROOM:
        # With some versions of matplotlib there is room for these, with names that are shortened in the heads.
        assert not refused or re.search(
            rf"'{kind}' of width = \"{width}\" .* has no room: .* would stand over", refused
        )
        return
    assert not refused
    for figure in figures.values():
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        pixels = np.asarray(canvas.buffer_rgba())[..., :3]
        edges = [pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]]
        assert all((edge == 255).all() for edge in edges)
        texts = drawn_texts(figure)
        words = "".join(text.get_text().replace("\n", "") for text in texts)
        # Of the judges a figure shows two.
        shown = [name for name in NAMES[label] if name in words]
        assert len(shown) >= 2 if kind == "judges" else shown == NAMES[label]
        boxes = [Text.get_window_extent(text, canvas.get_renderer()).shrunk(0.95, 0.85) for text in texts]
        assert not [one for one, other in itertools.combinations(boxes, 2) if one.overlaps(other)]
        titles = [panel.title for panel in figure.axes] + [panel._left_title for panel in figure.axes]
        for title, panel in itertools.product(titles, figure.axes):
            assert not title.get_text() or not title.get_window_extent().overlaps(panel.get_window_extent())


@pytest.mark.parametrize("kind", ["intervals", "correlation-by-length"])
@pytest.mark.parametrize("width", [None, "column", "page"])
def test_long_names_of_criteria_are_titles_in_lines(kind, width):
    tables = data(kind, NAMES["short"])
    criterion = "how natural and how clear a reader finds the whole text"
    tables.correlations["criterion"] = tables.correlations["criterion"].replace("fluency", criterion)
    (figure,) = draw_figure(FIGURES[kind](width=width), tables).values()
    assert criterion in {text.get_text().replace("\n", "") for text in drawn_texts(figure)}


def figure_of(**settings):
    figure = Figure(figsize=(3, 2), **settings)
    panel = figure.add_axes((0.2, 0.2, 0.6, 0.6))
    panel.set_xticks([0, 1], ["", ""])
    panel.set_yticks([])
    return figure, panel


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda figure, panel: None, ""),
        (lambda figure, panel: figure.text(0.9, 0.05, "too far to the right"), "would be cut off"),
        (lambda figure, panel: panel.set_xticks([0, 1], ["", "a label that is wider than this margin"]), "cut off"),
        (lambda figure, panel: panel.set_xticks([0, 9], ["", "cut off, but not drawn"]) and panel.set_xlim(0, 1), ""),
        (
            lambda figure, panel: (panel.set_title("one"), figure.text(0.5, 0.84, "other")),
            "'other' would stand over 'o",
        ),
        (lambda figure, panel: figure.text(0.4, 0.4, "words"), "'words' would stand over the data"),
        (lambda figure, panel: panel.text(0.4, 0.4, "words"), ""),
        (lambda figure, panel: panel.text(-0.1, 0.4, "words"), "'words' would stand over the data"),
        (lambda figure, panel: figure.legend(panel.plot([0, 1]), ["a line"], loc="center"), "'a line' would stand ov"),
        (lambda figure, panel: panel.set_position((0.2, 0.2, 0.05, 0.6)), "hardly anything is left for the data"),
    ],
)
def test_what_has_no_room_is_found(spoil, told):
    figure, panel = figure_of()
    spoil(figure, panel)
    figure.draw_without_rendering()
    found = misplaced(figure)
    assert told in found
    assert bool(told) == bool(found)


def test_matplotlib_giving_up_is_an_error():
    figure = Figure(figsize=(2, 2), layout="constrained")
    figure.subplots().set_yticks([0], ["m" * 98])
    with pytest.raises(Unplaced, match=r"nothing is left for the data. The longest name in it is 'm{98}'"):
        settle(figure)


@pytest.mark.parametrize(
    ("width", "told"),
    [
        ("column", r'of width = "column" \(3.3 in\) has no room: .* Choose width = "page", or leave width out, or s'),
        ("page", r'of width = "page" \(6.9 in\) has no room: .* Leave width out, or shorten'),
        (None, r"the figure 'heat-table' has no room: .* Draw fewer, or shorten"),
    ],
)
def test_a_figure_without_room_says_what_to_type(width, told):
    tables = data("heat-table", ["bleu"])
    many = [
        tables.correlations.assign(preprocessing=f"{k:02d}" * 40, criterion=f"criterion {k}" * 9) for k in range(60)
    ]
    tables = FigureData(pd.concat(many), tables.rankings, tables.scores, tables.documents, tables.judgments, 1)
    with pytest.raises(NoRoom, match=told):
        draw_figure(FIGURES["heat-table"](width=width), tables)


def test_a_run_tells_that_a_figure_has_no_room_and_writes_none_of_it(tmp_path):
    overrides = [
        'metrics=["bleu"]',
        "uncertainty.n_resamples=20",
        'figures=[{kind="agreement",width="column"},{kind="intervals",width="column"}]',
    ]
    rows = "\n".join(judgments()).replace("ann", LONG).replace("bob", LONG[::-1])
    corpus = write(tmp_path / "corpus", judgments=f"{rows}\n")
    run = metaeval.run("system-level", corpora=corpus, overrides=overrides, output=tmp_path / "run")

    (failure,) = run.failures
    assert "the figure 'agreement' is missing: " in failure
    assert failure in run.warnings
    assert {path.name.partition("-")[0] for path in (tmp_path / "run" / "figures").iterdir()} == {"intervals"}


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ('bleu(orders=[1,2],mean="arithmetic")', ["bleu(orders=[1,2],", 'mean="arithmetic")']),
        ('gtm(mean="precisions")', ['gtm(mean="precisions")']),
        ("path/to/my_metric.py:function", ["path/to/my_metric.py:", "function"]),
        ("x" * 30, None),
        ("a\nb", ["a", "b"]),
    ],
)
def test_names_are_broken_before_parameters_or_behind_signs(name, lines):
    with figure_style():
        found = broken_name(name, 1.45, 8).split("\n")
        assert all(inches(line, 8) <= 1.45 for line in found)
    assert "".join(found) == name.replace("\n", "")
    assert lines is None or found == lines
