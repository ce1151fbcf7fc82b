"""Fixtures of the tests of readers and of fetching."""

from __future__ import annotations

import pytest

from metaeval.errors import worded_for_terminal
from tests.support.public import isolated, write_copy


@pytest.fixture(autouse=True)
def _terminal():
    """Messages are read as the command line shows them; tests/api has those of Python."""
    with worded_for_terminal():
        yield


@pytest.fixture
def waits(monkeypatch):
    """No proxy of the environment stands between, and waits are noted here instead of being waited."""
    return isolated(monkeypatch)


@pytest.fixture
def into(tmp_path):
    """Where the files of the tiny public corpus are to lie."""
    return tmp_path / "cache" / "tiny"


@pytest.fixture
def copy(tmp_path):
    """A directory with the files of the tiny public corpus."""
    return write_copy(tmp_path / "copy")
