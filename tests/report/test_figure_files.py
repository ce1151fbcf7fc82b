"""The files of figures."""

from __future__ import annotations

import io
import re
import zlib

import pytest
from fontTools import subset, ttLib
from matplotlib.figure import Figure
from PIL import Image

from metaeval.report.figures.drawing import figure_bytes
from metaeval.report.figures.look import Look


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


@pytest.mark.parametrize("rc", [{}, {"savefig.bbox": "tight"}, {"savefig.transparent": True}])
def test_a_png_has_the_pixels_and_the_words_of_matplotlibs_own(rc):
    figure = Figure(figsize=(2.03, 1.01), facecolor="#FFEEDD")
    figure.add_axes((0.1, 0.2, 0.8, 0.7), facecolor="#EEFFDD80").plot([1, 3, 2], color="#0072B2")
    look = Look(dpi=123, rc=rc)
    content, expected = figure_bytes(figure, "png", look), io.BytesIO()
    with look.settings():
        figure.savefig(expected, format="png", dpi=123, metadata={"Software": "metaeval"})

    made, own = Image.open(io.BytesIO(content)), Image.open(expected)
    assert (made.mode, made.size, made.tobytes()) == (own.mode, own.size, own.tobytes())
    assert made.info == own.info
    Image.open(io.BytesIO(content)).verify()
