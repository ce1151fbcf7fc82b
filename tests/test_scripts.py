"""The scripts, which nobody calls from the package: what they import from it is there."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from unittest import mock

import pytest

SCRIPTS = sorted((Path(__file__).parents[1] / "scripts").glob("*.py"))


def test_the_scripts_were_found():
    assert len(SCRIPTS) > 10


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_can_be_imported_and_begins_at_main(path, monkeypatch):
    # As when it is run: what stands beside it can be imported.
    monkeypatch.setattr(sys, "path", [str(path.parent), *sys.path])
    spec = importlib.util.spec_from_file_location(f"script_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up; benchmarks set the number of threads.
    monkeypatch.setitem(sys.modules, spec.name, module)
    with mock.patch.dict(os.environ):
        spec.loader.exec_module(module)
    assert callable(module.main)
