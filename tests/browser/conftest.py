"""A run, a browser, and the page of the run in it."""

from __future__ import annotations

import pytest

import metaeval
from tests.support.browser import browser
from tests.support.configs import BY_LENGTH

SMALL = ["documents.count=60", "documents.lengths=[1, 3, 8]"]


@pytest.fixture(scope="package")
def result(tmp_path_factory):
    return metaeval.run(BY_LENGTH, overrides=SMALL, output=tmp_path_factory.mktemp("report") / "run")


@pytest.fixture(scope="package")
def window():
    with browser() as one:
        yield one


@pytest.fixture
def page(window, result):
    """Open the page, and look afterwards that nothing went wrong and nothing else was asked for."""
    window.size(1200)
    window.requests()
    address = (result.directory / "report.html").as_uri()
    window.open(address)
    yield window
    assert window.log() == []
    assert set(window.requests()) <= {address}
