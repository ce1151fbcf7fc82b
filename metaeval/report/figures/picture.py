"""The figures that are given to users: those of matplotlib, which notebooks show as they are."""

from __future__ import annotations

import io
from collections.abc import Sequence

from matplotlib.figure import Figure

from metaeval.report.figures.drawing import WRITTEN


class Picture(Figure):
    """A figure of matplotlib, with its heading and its caption, whether or not they stand in it.

    Attributes
    ----------
    heading, caption : str
    numbers : sequence of sequence of str
        What it shows as a table, the heads first, for readers who do not see it; empty where it has none.
    """

    heading = ""
    caption = ""
    numbers: Sequence[Sequence[str]] = ()

    def _repr_png_(self) -> bytes:
        content = io.BytesIO()
        self.savefig(content, format="png", dpi=100, **WRITTEN["png"])
        return content.getvalue()
