"""Colours, markers and dashes of lines, and how single things are drawn.

Lines differ in colour, marker and dash, so they are read without colour too. The colours are those of Okabe and Ito
(2008, Color universal design), ordered so that neighbours also differ in lightness.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeAlias

from metaeval.datamodel.corpus import CONSTANT, INTER_JUDGE
from metaeval.errors import UsageError
from metaeval.runtime.files import tables_of

_STYLE = tables_of(__file__)
# The settings of matplotlib that all figures have.
SETTINGS: Mapping[str, Any] = _STYLE["settings"]
# How single things are drawn, by what they are: arguments of matplotlib.
MARKS: Mapping[str, dict[str, Any]] = _STYLE["marks"]
_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#7F7F7F", "#8C6D00")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")
_DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (6, 2, 1.5, 2)), (0, (1, 1)))
# More lines than that cannot be known by their styles.
MAX_LINES = len(_MARKERS)
# So many pairs of a colour and a marker there are.
_N_STYLES = len(_COLOURS) * len(_MARKERS)
GREY = "#C4C4C4"

# How one line is drawn: arguments of matplotlib.
LineStyle: TypeAlias = Mapping[str, Any]


def style_numbers(panels: Sequence[Collection[str]]) -> dict[str, int]:
    """Return the number of the style of each metric: one for all figures of a run and its page.

    It is the place of the metric in the run, or the next number whose colour and marker no other metric of its panels
    has, as long as there is one.

    Parameters
    ----------
    panels : sequence of collection of str
        The metrics of each panel of the experiment, without the judges.
    """
    numbers: dict[str, int] = {}
    for position, metric in enumerate(dict.fromkeys(itertools.chain(*panels))):
        beside = set(itertools.chain(*(panel for panel in panels if metric in panel)))
        looks = [_colour_and_marker(number) for other, number in numbers.items() if other in beside]
        colours, markers = ({look[k] for look in looks} for k in (0, 1))

        unused = set(range(position, 2 * position + _N_STYLES)) - set(numbers.values())
        ranked = []
        for number in unused:
            colour, marker = _colour_and_marker(number)
            ranked.append((colour in colours, marker in markers, number))
        numbers[metric] = min(ranked)[-1]
    return numbers


def _colour_and_marker(number: int) -> tuple[str, str]:
    """Return the colour and the marker of a style; no two of the first `_N_STYLES` have the same of both."""
    n_colours, n_markers = len(_COLOURS), len(_MARKERS)
    return _COLOURS[number % n_colours], _MARKERS[(number + number // n_colours) % n_markers]


def line_styles(
    names: Sequence[str], colours: Mapping[str, str] | None = None, numbers: Mapping[str, int] | None = None
) -> dict[str, LineStyle]:
    """Return a style for each line; those of judges and of a constant metric are the same in every figure.

    Parameters
    ----------
    names : sequence of str
        Of lines.
    colours : mapping of str to str, optional
        What some lines are coloured; ``*`` stands for all others.
    numbers : mapping of str to int, optional
        Of the styles of metrics, from `style_numbers`; their places among the names unless given.

    Raises
    ------
    UsageError
        If something is no colour.
    """
    colours = colours or {}
    metrics = [name for name in names if name not in (INTER_JUDGE, CONSTANT)]
    numbers = numbers or {}
    looks: dict[str, tuple[str, str, Any]] = {
        name: (colours.get("*", colour), marker, _DASHES[number % len(_DASHES)])
        for position, name in enumerate(metrics)
        for number in [numbers.get(name, position)]
        for colour, marker in [_colour_and_marker(number)]
    }
    looks |= {INTER_JUDGE: ("#000000", "*", (0, (1, 1.5))), CONSTANT: ("#7f7f7f", "x", (0, (1, 1.5)))}
    return {
        name: {"color": colour, "marker": marker, "linestyle": dash, "markerfacecolor": colour}
        # What a user colours stands before all else.
        | ({"zorder": 3.5} if name in colours else {})
        for name, (default, marker, dash) in looks.items()
        for colour in [hexadecimal(colours.get(name, default))]
    }


def hexadecimal(colour: str) -> str:
    """Return a colour by its red, green and blue.

    Raises
    ------
    UsageError
        If it is none.
    """
    from matplotlib.colors import to_hex

    try:
        return to_hex(colour)
    except ValueError:
        raise UsageError(f"`colours`: {colour!r} is no colour; name one, such as red, or write #D55E00.") from None


def paler(style: LineStyle, index: int, number: int) -> LineStyle:
    """Return a style for the line at a place, from 0, of a number of lines that belong together.

    The last has the style itself; those before it are paler, and their markers hollow.
    """
    left = number - 1 - index
    if left == 0:
        return style
    mixed = 0.55 * left / (number - 1)
    parts = (int(style["color"][k : k + 2], 16) for k in (1, 3, 5))
    colour = "#" + "".join(f"{round(part + (255 - part) * mixed):02X}" for part in parts)
    return {**style, "color": colour, "markerfacecolor": "#FFFFFF"}
