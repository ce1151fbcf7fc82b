"""Settings of every figure: size, file formats, font, title and caption."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from metaeval.components.figure import Figure
from metaeval.errors import UsageError, unknown
from metaeval.parameters.fields import parameter
from metaeval.report.figures.style import SETTINGS

# Inches, by name: a column and the text of a journal's page, and of the templates of ACL and NeurIPS.
WIDTHS = {"column": 3.3, "page": 6.9, "acl": 3.03, "acl-page": 6.3, "neurips": 5.5}
# Inches, by unit.
_INCHES_PER_UNIT = {"in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4}
_MIN_INCHES = 2.0
_MAX_INCHES = 40.0
FORMATS = ("pdf", "png", "svg")
Setting = str | float | int | bool


class NoRoom(UsageError):
    """Raised when a figure has no room for what it shows, before any of it is written."""


@dataclass(frozen=True)
class Look:
    """Settings of the look of a figure."""

    width: float | str | None = parameter(
        None,
        doc="inches, a length such as `12cm`, `120mm` or `4.7in`, or `column` (3.3), `page` (6.9), `acl` (3.03), "
        "`acl-page` (6.3) or `neurips` (5.5), so that a paper includes it without scaling; by default as the figure "
        "needs",
        minimum=_MIN_INCHES,
        maximum=_MAX_INCHES,
    )
    height: float | None = parameter(
        None,
        doc="inches; figures whose height follows from their rows, such as tables, have at most so many",
        minimum=1.0,
        maximum=40.0,
    )
    formats: tuple[str, ...] = parameter(("pdf", "png"), doc="of its files: pdf, png, svg", choices=FORMATS)
    dpi: int = parameter(200, doc="dots per inch of png", minimum=20, maximum=2400)
    font: str = parameter("", doc="a font of this machine, such as `Times New Roman`; by default DejaVu Sans")
    font_size: float = parameter(8.0, doc="points of the names of axes; all other sizes follow", minimum=4, maximum=40)
    rc: Mapping[str, Setting] = parameter(
        factory=dict, doc='any settings of matplotlib, such as `{"lines.linewidth" = 2}`'
    )
    title: bool = parameter(False, doc="whether a heading stands in the figure, above the panels")
    caption: bool = parameter(
        False, doc="whether the caption stands in the figure too, below the panels, and not only in the files beside it"
    )

    def __post_init__(self) -> None:
        if isinstance(self.width, str) and self.width not in WIDTHS:
            inches = _inches(self.width)
            if inches is None:
                known = unknown("width", self.width, WIDTHS)
                raise UsageError(f"{known} Or give inches, such as 3.03, or a length such as 12cm, 120mm or 4.7in.")
            if not _MIN_INCHES <= inches <= _MAX_INCHES:
                raise UsageError(
                    f"`width` must be from {_MIN_INCHES:g} to {_MAX_INCHES:g} inches ({2.54 * _MIN_INCHES:.4g} to "
                    f"{2.54 * _MAX_INCHES:.4g} cm); {self.width} is {inches:.3g} inches."
                )
        if not self.formats:
            raise UsageError(f"`formats` must name at least one of {', '.join(FORMATS)}.")

    @property
    def inches(self) -> float | None:
        """The width that was asked for; None as the figure needs."""
        if not isinstance(self.width, str):
            return self.width
        return WIDTHS[self.width] if self.width in WIDTHS else _inches(self.width)

    @property
    def of_width(self) -> str:
        """The width in the name of a file; "" for none."""
        if isinstance(self.width, str):
            return self.width.replace(" ", "")
        return f"{self.width:g}in" if self.width else ""

    @property
    def large(self) -> float:
        """Points of a heading."""
        return self.font_size * 1.1

    @property
    def text(self) -> float:
        """Points of the names of axes and panels."""
        return self.font_size

    @property
    def small(self) -> float:
        """Points of numbers and names beside data."""
        return self.font_size * 0.9

    @property
    def tiny(self) -> float:
        """Points of notes and captions."""
        return self.font_size * 0.85

    @contextmanager
    def settings(self) -> Iterator[None]:
        """Apply its settings for a while, on matplotlib's own defaults.

        A ``matplotlibrc`` of the user or of the current directory changes no figure.

        Raises
        ------
        UsageError
            If there is no such font or setting.
        """
        import matplotlib as mpl

        with mpl.rc_context():
            mpl.rcdefaults()
            settings: Any = mpl.rcParams
            sizes = dict.fromkeys(("font.size", "axes.labelsize", "axes.titlesize"), self.text)
            sizes |= dict.fromkeys(("xtick.labelsize", "ytick.labelsize"), self.small)
            settings.update({**SETTINGS, **sizes})
            if self.font:
                settings["font.sans-serif"] = [_font(self.font), "DejaVu Sans"]
            for name, value in self.rc.items():
                _set(settings, name, value)
            yield


@dataclass(frozen=True)
class SizedFigure(Look, Figure):
    """Base class of all kinds of figures."""


def _inches(length: str) -> float | None:
    """Return a length such as 12cm in inches; None where it is not one."""
    match = re.fullmatch(rf"([0-9]+(?:\.[0-9]+)?) ?({'|'.join(_INCHES_PER_UNIT)})", length)
    return float(match[1]) * _INCHES_PER_UNIT[match[2]] if match else None


def _font(name: str) -> str:
    from matplotlib.font_manager import fontManager

    known = sorted(set(fontManager.get_font_names()))
    if name not in known:
        raise UsageError(unknown("font", name, known))
    return name


def _set(settings: Any, name: str, value: Setting) -> None:
    try:
        settings[name] = value
    except KeyError:
        raise UsageError(unknown("setting of matplotlib", name, settings)) from None
    except (ValueError, TypeError) as error:
        raise UsageError(f"`rc`: matplotlib refuses {name} = {value!r}: {error}.") from None
