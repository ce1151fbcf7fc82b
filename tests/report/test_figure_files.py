"""The files of figures."""

from __future__ import annotations

import io
import re
import zlib

import pytest
from fontTools import subset, ttLib
from matplotlib.backends import _backend_pdf_ps
from matplotlib.figure import Figure
from PIL import Image

from metaeval.report.figures.drawing import figure_bytes
from metaeval.report.figures.look import Look


def fonts_of(content):
    streams = [zlib.decompress(one) for one in re.findall(rb"stream\r?\n(x.*?)\r?\nendstream", content, re.DOTALL)]
    return [ttLib.TTFont(io.BytesIO(one)) for one in streams if one[:4] == b"\0\1\0\0"]


def test_fonts_of_a_pdf_are_embedded_as_truetype_without_tables_for_layout():
    figure = Figure(figsize=(2, 1))
    figure.text(0.1, 0.5, "WAVE fi")  # pairs that are kerned, and a ligature
    before = subset.load_font, _backend_pdf_ps.get_glyphs_subset
    content = figure_bytes(figure, "pdf", Look(formats=("pdf",)))

    fonts = fonts_of(content)
    assert fonts
    assert b"/CIDFontType2" in content
    assert b"/Type3" not in content
    assert not {"GDEF", "GPOS", "GSUB", "kern"} & {table for font in fonts for table in font.keys()}  # noqa: SIM118
    assert (subset.load_font, _backend_pdf_ps.get_glyphs_subset) == before


@pytest.mark.parametrize(
    "text", ["WAVE efficient \u2212.5 \xc5ngstr\xf6m", "\N{GREEK SMALL LETTER RHO} = .5", "\u65e5"]
)
@pytest.mark.filterwarnings("ignore:Glyph")
def test_a_pdf_has_the_bytes_that_it_has_with_glyphs_taken_from_the_whole_font(text, monkeypatch):
    figure = Figure(figsize=(2, 1))
    figure.text(0.1, 0.5, text)
    look, expected = Look(formats=("pdf",)), io.BytesIO()
    content = figure_bytes(figure, "pdf", look)

    dropped = [*subset.Options._drop_tables_default, "GDEF", "GPOS", "GSUB", "kern"]
    monkeypatch.setattr(subset.Options, "_drop_tables_default", dropped)
    with look.settings():
        figure.savefig(expected, format="pdf", metadata={"CreationDate": None, "Creator": "metaeval"})
    assert len(fonts_of(content)) > 0
    assert content == expected.getvalue()


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
