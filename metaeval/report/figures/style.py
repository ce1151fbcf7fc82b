"""Colours, markers and sizes of all figures.

Lines differ in colour, marker and dash, so they can be told apart without colour. The colours are those of Okabe and
Ito (2008, Color universal design), ordered so that neighbours also differ in lightness.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias

from metaeval.records import CONSTANT, INTER_JUDGE
from metaeval.resources import tables_of

_STYLE = tables_of(__file__)
# How single things are drawn, by what they are: arguments of matplotlib.
MARKS: Mapping[str, dict[str, Any]] = _STYLE["marks"]
_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#7F7F7F", "#8C6D00")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")
_DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (6, 2, 1.5, 2)), (0, (1, 1)))


# How one line is drawn: arguments of matplotlib.
LineStyle: TypeAlias = Mapping[str, Any]


def line_styles(names: list[str]) -> dict[str, LineStyle]:
    """Return a style for each line; those of judges and of a constant metric are the same in every figure."""
    metrics = [name for name in names if name not in (INTER_JUDGE, CONSTANT)]
    looks = dict(zip(metrics, zip(*map(itertools.cycle, (_COLOURS, _MARKERS, _DASHES)), strict=False), strict=False))
    looks |= {INTER_JUDGE: ("#000000", "*", (0, (1, 1.5))), CONSTANT: ("#7f7f7f", "x", (0, (1, 1.5)))}
    return {
        name: {"color": color, "marker": marker, "linestyle": dash, "markerfacecolor": color}
        for name, (color, marker, dash) in looks.items()
    }


def paler(style: LineStyle, place: int, number: int) -> LineStyle:
    """Return a style for the line at a place, from 0, of a number of lines that belong together.

    The last has the style itself; those before it are paler, and their markers hollow.
    """
    left = number - 1 - place
    if left == 0:
        return style
    mixed = 0.55 * left / (number - 1)
    parts = (int(style["color"][k : k + 2], 16) for k in (1, 3, 5))
    color = "#" + "".join(f"{round(part + (255 - part) * mixed):02X}" for part in parts)
    return {**style, "color": color, "markerfacecolor": "#FFFFFF"}


@contextmanager
def figure_style() -> Iterator[None]:
    """Apply the settings of all figures for a while, on matplotlib's own defaults.

    A ``matplotlibrc`` of the user or of the current directory changes no figure.
    """
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE["settings"])
        yield
