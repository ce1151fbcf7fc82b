"""The scripts of the repository as modules."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from types import ModuleType
from unittest import mock

SCRIPTS = Path(__file__).parents[2] / "scripts"


def load_script(name: str) -> ModuleType:
    """Return a script as it is when it is run: what stands beside it can be imported."""
    # Benchmarks set the number of threads, which tests of other things keep.
    with mock.patch.object(sys, "path", [str(SCRIPTS), *sys.path]), mock.patch.dict(os.environ):
        return importlib.import_module(name)
