"""The figures that are given to users: those of matplotlib, which notebooks show as they are."""

from __future__ import annotations

import io

from matplotlib.figure import Figure

from metaeval.report.figures.drawing import WRITTEN


class Picture(Figure):
    """A figure of matplotlib, with its heading and its caption, whether or not they stand in it."""

    heading = ""
    caption = ""

    def _repr_png_(self) -> bytes:
        content = io.BytesIO()
        self.savefig(content, format="png", dpi=100, **WRITTEN["png"])
        return content.getvalue()
