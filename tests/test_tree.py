"""What the repository holds: what people wrote, and nothing that a tool left behind."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TOP = {
    ".ci", ".github", ".gitignore", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "MANIFEST.in",
    "Makefile", "README.md", "SECURITY.md", "configs", "constraints-lowest.txt", "constraints.txt", "data", "docs",
    "metaeval", "notebooks", "pyproject.toml", "scripts", "setup.py", "tests",
}  # fmt: skip
MAX_BYTES = 1_000_000


def git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", "ls-files", "-z", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.split("\0")[:-1]


@pytest.fixture(scope="module")
def tracked() -> list[str]:
    if not (ROOT / ".git").exists():
        pytest.skip("the tests stand in no clone, so what is tracked is unknown")
    return git()


def test_nothing_that_is_ignored_is_tracked(tracked):
    assert len(tracked) > 500
    assert git("--cached", "--ignored", "--exclude-standard") == []


def test_what_tools_leave_behind_is_ignored(tracked):
    left = [
        ".coverage", ".coverage.host.pid1.x", "htmlcov/index.html", ".venv-bench/pyvenv.cfg", "runs/demo/report.html",
        "metaeval/kernels/_compiled.abi3.so", "core.123", "x.pyc", "notebooks/.ipynb_checkpoints/x.ipynb",
    ]  # fmt: skip
    done = subprocess.run(["git", "check-ignore", *left], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.split() == left


def test_no_file_is_large(tracked):
    sizes = {name: (ROOT / name).stat().st_size for name in tracked if (ROOT / name).exists()}
    assert {name: size for name, size in sizes.items() if size > MAX_BYTES} == {}


def test_the_top_level_is_short(tracked):
    assert {name.partition("/")[0] for name in tracked} <= TOP


def test_the_source_distribution_asks_for_what_exists():
    lines = (ROOT / "MANIFEST.in").read_text(encoding="utf-8").splitlines()
    words = [line.split() for line in lines if line and not line.startswith("#")]
    files = [name for verb, *names in words if verb == "include" for name in names]
    folders = [names[0] for verb, *names in words if verb in {"graft", "recursive-include"}]
    assert [name for name in files if not (ROOT / name).is_file()] == []
    assert [name for name in folders if not (ROOT / name).is_dir()] == []
    # A folder of which files are taken by their ending must hold some.
    patterns = [
        (folder, one)
        for verb, *names in words
        if verb == "recursive-include"
        for folder, *some in [names]
        for one in some
    ]
    assert patterns
    assert [pair for pair in patterns if not list((ROOT / pair[0]).rglob(pair[1]))] == []
