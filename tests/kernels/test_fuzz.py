"""The script that fuzzes the kernels runs with the package as it is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from metaeval import kernels

SCRIPT = Path(__file__).parents[2] / "scripts" / "fuzz_kernels.py"


@pytest.mark.skipif(kernels.COMPILED is None, reason="nothing was compiled")
def test_a_short_fuzz_finds_nothing():
    # One round of each kind is made even where no time is left after it.
    command = [sys.executable, str(SCRIPT), "--minutes", "0.001", "--seed", "3"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert " documents" in done.stdout
