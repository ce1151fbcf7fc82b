"""Every kind of figure, from one to thirty metrics, in every width: nothing is cut off or stands over anything else."""

from __future__ import annotations

import pytest

from metaeval.errors import UsageError
from metaeval.kinds import FIGURES
from metaeval.report.figures import measure
from metaeval.report.figures.drawing import draw_figure
from metaeval.report.figures.measure import broken, inches, wrapped
from metaeval.report.figures.sheet import NoRoom, round_numbers
from tests.support.pictures import misplaced, picture_data

FIELD = ["bleu", "gtm(exponent=2)", "nist(information=False)", "ter", "chrf", "rouge-l", "wer", "per"]
LONGEST = 60
# What a page of a journal has.
TALLEST = 9.5


def names(n, letters, word):
    """Return names as the field has them, or names of so many letters."""
    if not letters:
        return [FIELD[k] if word == "m" and k < len(FIELD) else f"{word}{k}" for k in range(n)]
    return [
        f"{word}{k:02d}-the_name(of=a_metric,with_path/to/file.py:function)_which_is_quite_long"[:letters]
        for k in range(n)
    ]


# A few of all places in each run of the tests, the others in the long tests.
SHORT = [(2, 3.03, 1, LONGEST), (6, 3.03, 2, 0), (4, None, 2, 0)]
LONG = [
    *((n, width, 8, letters) for n in (1, 5) for width in (3.03, 6.3) for letters in (0, LONGEST)),
    *((n, width, 2, letters) for n in (15, 30) for width in (3.03, 6.3) for letters in (0, LONGEST)),
    (2, 12.0, 8, 0), (30, None, 2, LONGEST), (5, 4.5, 8, LONGEST),
]  # fmt: skip
PLACES = [*SHORT, *(pytest.param(*one, marks=pytest.mark.long) for one in LONG)]


@pytest.mark.parametrize(("n", "width", "n_criteria", "letters"), PLACES)
@pytest.mark.parametrize("kind", FIGURES)
def test_everything_has_its_place(kind, n, width, n_criteria, letters):
    data = picture_data(kind, names(n, letters, "m"), names(n_criteria, letters, "c"))
    if n == 1 and kind in ("differences", "significance", "task-significance", "judges", "agreement"):
        with pytest.raises(UsageError):
            draw_figure(FIGURES[kind](width=width), data)
        return
    figures = draw_figure(FIGURES[kind](width=width), data)
    for name, figure in figures.items():
        assert not misplaced(figure), name
        assert width is None or figure.get_figwidth() == width
        assert figure.get_figheight() <= TALLEST
        assert all(min(axes.bbox.width, axes.bbox.height) > 0.1 * figure.dpi for axes in figure.axes)


@pytest.mark.parametrize("settings", [{"font_size": 12.0, "title": False, "caption": False}, {"height": 3.5}])
@pytest.mark.parametrize("kind", FIGURES)
def test_so_it_has_with_other_settings(kind, settings):
    data = picture_data(kind, names(4, 0, "m"), names(2, 0, "c"))
    for figure in draw_figure(FIGURES[kind](width=6.3, **settings), data).values():
        assert not misplaced(figure)
        assert figure.get_figheight() <= settings.get("height", TALLEST) + 1e-6
        words = [figure.get_suptitle(), figure.get_supxlabel()]
        assert all(words) == settings.get("title", True)


def test_a_height_that_holds_nothing_says_what_it_takes():
    data = picture_data("judges", ["ann", "bob"], ["adequacy"])
    with pytest.raises(NoRoom, match=r"the figure 'judges': height = 1 leaves no room; give at least \d\.\d\.$"):
        draw_figure(FIGURES["judges"](width=3.03, height=1.0), data)


def test_a_figure_of_one_row_has_the_height_that_was_asked_for():
    data = picture_data("correlation-by-length", ["bleu", "ter"], ["adequacy"])
    (figure,) = draw_figure(FIGURES["correlation-by-length"](width=3.03, height=3.2), data).values()
    assert figure.get_figheight() == pytest.approx(3.2)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 1, ["0.00", "0.25", "0.50", "0.75", "1.00"]),
        (-0.3, 0.42, ["\N{MINUS SIGN}0.2", "0.0", "0.2", "0.4"]),
        (3, 3, ["3"]),
    ],
)
def test_round_numbers(low, high, expected):
    assert [text for _, text in round_numbers(low, high)] == expected


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ('bleu(orders=[1,2],mean="arithmetic")', ["bleu(orders=[1,2],", 'mean="arithmetic")']),
        ('gtm(mean="precisions")', ['gtm(mean="precisions")']),
        ("path/to/my_metric.py:function", ["path/to/my_metric.py:", "function"]),
        ("x" * 30, None),
        ("NIST, unweighted and long", ["NIST, unweighted and", "long"]),
        ("a\nb", ["a", "b"]),
    ],
)
def test_names_are_broken_at_blanks_before_parameters_or_behind_signs(name, lines):
    with FIGURES["intervals"]().settings():
        found = broken(name, 1.5, 8).split("\n")
        assert all(inches(line, 8) <= 1.5 for line in found)
        assert inches(wrapped(f"{name} {name}", 3.0, 8), 8) <= 3.0
    assert "".join(found).replace(" ", "") == name.replace("\n", "").replace(" ", "")
    assert lines is None or found == lines


@pytest.mark.parametrize("name", ["x" * 2500, "word " * 500, "key=1," * 400])
def test_a_long_name_is_broken_in_few_tries(name, monkeypatch):
    tries = []
    parts = measure._parts
    monkeypatch.setattr(measure, "_parts", lambda *given: tries.append(given) or parts(*given))
    lines = measure.broken(name, 1.5, 8).split("\n")
    # Half of 2,500 letters, half of the rest and so on: 2 ** 12 is more than 2,500.
    assert len(tries) <= 12
    assert max(measure.inches(line, 8) for line in lines) <= 1.5
    assert "".join(lines).replace(" ", "") == name.replace(" ", "")


def test_a_name_is_broken_where_not_even_two_letters_fit():
    assert measure.broken("WW", 0.12, 8) == "W\nW"
