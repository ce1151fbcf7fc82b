"""The site, built once for all tests that look at it."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def site(tmp_path_factory, worker_id) -> Path:
    """Build the site as `make docs` does, warnings being errors, and return its directory."""
    for package in ("sphinx", "myst_parser", "furo", "numpydoc"):
        pytest.importorskip(package, reason="the site needs the extra docs: pip install '.[docs]'")
    if worker_id == "master":
        return build(tmp_path_factory.mktemp("site"))
    # Tests run in several processes: the first that gets here builds, the others wait for its word.
    shared = tmp_path_factory.getbasetemp().parent / "site"
    try:
        shared.mkdir()
    except FileExistsError:
        while not (shared / "told").exists():
            time.sleep(0.1)
        told = (shared / "told").read_text(encoding="utf-8")
        assert told == "", told
        return shared / "html"
    told = "the build of the site failed in another process"
    try:
        html = build(shared)
        told = ""
    finally:
        (shared / "part").write_text(told, encoding="utf-8")
        (shared / "part").rename(shared / "told")
    return html


def build(directory: Path) -> Path:
    options = ["-W", "--keep-going", "-n", "-q", "-b", "html", "-d", str(directory / "doctrees")]
    command = [sys.executable, "-m", "sphinx", *options, str(ROOT / "docs"), str(directory / "html")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return directory / "html"
