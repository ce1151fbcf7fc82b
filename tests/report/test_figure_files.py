"""The files of figures."""

from __future__ import annotations

import io
import re
import zlib

from fontTools import subset, ttLib
from matplotlib.figure import Figure

from metaeval.report.figures.drawing import figure_bytes
from metaeval.report.figures.settings import Look


def test_fonts_of_a_pdf_are_embedded_as_truetype_without_tables_for_layout():
    figure = Figure(figsize=(2, 1))
    figure.text(0.1, 0.5, "WAVE fi")  # pairs that are kerned, and a ligature
    before = list(subset.Options._drop_tables_default)
    content = figure_bytes(figure, "pdf", Look(formats=("pdf",)))

    streams = [zlib.decompress(one) for one in re.findall(rb"stream\r?\n(x.*?)\r?\nendstream", content, re.DOTALL)]
    fonts = [ttLib.TTFont(io.BytesIO(one)) for one in streams if one[:4] == b"\0\1\0\0"]
    assert fonts
    assert b"/CIDFontType2" in content
    assert b"/Type3" not in content
    assert not {"GDEF", "GPOS", "GSUB", "kern"} & {table for font in fonts for table in font.keys()}  # noqa: SIM118
    assert subset.Options._drop_tables_default == before
