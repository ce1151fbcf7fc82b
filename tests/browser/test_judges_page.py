"""The page of judges beside people in a browser: on each width, in light and dark, and for everybody."""

from __future__ import annotations

from importlib import resources

import pytest

import metaeval
from tests.ratings.test_dependence import grades
from tests.ratings.test_judge_verb import labels
from tests.support.browser import NEEDS_BROWSER

pytestmark = NEEDS_BROWSER

WIDTHS = "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
AXE = """
return axe.run(document, {resultTypes: ["violations"]}).then((found) =>
  found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).slice(0, 2).join(" ")}`))
"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Write a page of several judges of systems, and one of a judge beside a truth."""
    directory = tmp_path_factory.mktemp("pages")
    both = {
        "judges": metaeval.judge(grades(own=0.8), own="gpt=gpt-4"),
        "truth": metaeval.judge(labels(), truth="annotator1"),
    }
    return [report.save_page(directory / f"{name}.html").as_uri() for name, report in both.items()]


@pytest.mark.parametrize("width", [360, 768, 1400])
def test_no_page_is_wider_than_the_window(window, pages, width):
    window.size(width)
    for address in pages:
        window.open(address)
        needed, has = window.run(WIDTHS)
        assert needed <= has == width
        assert window.log() == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_checker_of_accessibility_finds_nothing(window, pages, scheme):
    checker = resources.files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    window.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    try:
        for address in pages:
            window.open(address)
            window.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            window.run(f"{checker}; window.axe = axe;")
            assert window.run(AXE) == []
    finally:
        window.devtools("Emulation.setEmulatedMedia", features=[])


def test_a_page_asks_for_nothing_else(window, pages):
    window.requests()
    window.open(pages[0])
    assert set(window.requests()) <= {pages[0]}
