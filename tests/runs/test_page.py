"""The page of a run, made from its directory: what has no room or cannot be written."""

from __future__ import annotations

import html
import re
import shutil
from pathlib import Path

import pytest

import metaeval
from metaeval.errors import UsageError
from metaeval.results.store import read_run
from metaeval.runs import page as report
from metaeval.runs.figures import Shown


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    overrides = ['metrics=["bleu", "ter"]', "uncertainty.n_resamples=10", 'figures=[{kind="intervals"}]']
    overrides += ['criteria=["adequacy"]', 'correlation.coefficients=["pearson"]']
    return metaeval.run("system-level", overrides=overrides, output=tmp_path_factory.mktemp("runs") / "mine").directory


def test_the_caption_of_a_figure_names_the_files_that_were_written(run):
    # The page holds a drawing as SVG, of which there is no file: figures are written as PDF and PNG unless asked.
    (caption,) = re.findall("<figcaption>(.*)</figcaption>", (run / "report.html").read_text(encoding="utf-8"))
    links = dict(re.findall('<a href="([^"]*)">([^<]*)</a>', caption))
    assert links == {"figures/intervals.pdf": "PDF", "figures/intervals.png": "PNG"}
    # The words are those that lie beside the figure.
    words = (run / "figures" / "intervals.txt").read_text(encoding="utf-8").strip()
    assert html.unescape(re.sub("<[^>]*>", "", caption)) == f"{words} PDF, PNG"
    written = {f"figures/{path.name}" for path in (run / "figures").iterdir()}
    assert written == {*links, "figures/intervals.txt", "figures/intervals.tex"}


@pytest.mark.parametrize(
    ("limits", "shown"),
    [
        # The drawing of lines is made larger than that of points, which takes its place where it is too large.
        (lambda svg, png: {}, 'src="data:image/svg+xml;base64,'),
        (lambda svg, png: {"_MAX_PICTURE_BYTES": svg - 1}, 'src="data:image/png;base64,'),
        (lambda svg, png: {"_MAX_PICTURES_BYTES": svg - 1}, 'src="data:image/png;base64,'),
        (lambda svg, png: {"_MAX_PICTURE_BYTES": png - 1}, ""),
        (lambda svg, png: {"_MAX_PICTURES_BYTES": png - 1}, ""),
    ],
)
def test_a_picture_that_is_too_large_is_named(run, tmp_path, monkeypatch, limits, shown):
    here = Path(shutil.copytree(run, tmp_path / "run"))
    (png,) = (here / "figures").glob("*.png")
    size = png.stat().st_size
    drawn = {png.stem: b"<svg>" + b" " * 2 * size}
    for name, value in limits(len(drawn[png.stem]), size).items():
        monkeypatch.setattr(report, name, value)
    shown_figures = {name: Shown(svg, "Intervals.") for name, svg in drawn.items()}
    page = report.write_report(read_run(here), here, shown_figures).read_text(encoding="utf-8")
    assert page.count('src="data:image/') == bool(shown)
    assert shown in page
    told = f"<p>Too large for this page: figures/{png.stem}.pdf, figures/{png.stem}.png.</p>"
    assert (told in re.sub("</?a[^>]*>", "", page)) == (not shown)


def test_a_page_that_cannot_be_written_is_told(run, monkeypatch):
    def refused(path, *_, **__):
        raise PermissionError(13, "Permission denied", str(path))

    before = contents(run)
    monkeypatch.setattr(Path, "write_bytes", refused)
    with pytest.raises(UsageError, match=r"mine: cannot be written: Permission denied"):
        metaeval.report_run(run)
    assert contents(run) == before


def contents(run):
    return {path.relative_to(run): path.read_bytes() for path in run.rglob("*") if path.is_file()}
