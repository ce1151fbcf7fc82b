"""The wheel holds the package with configs and data, and runs from where it was unpacked."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in ("metaeval", "configs", "data"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--wheel-dir", target, source], check=True, capture_output=True)
    (wheel,) = target.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target / "site")
    return target / "site"


def test_everything_that_ships_is_in_the_wheel(unpacked):
    found = {path.relative_to(unpacked / "metaeval") for path in (unpacked / "metaeval").rglob("*") if path.is_file()}
    compiled = {path for path in found if path.suffix in (".so", ".pyd")}
    assert len(compiled) == 1  # the kernels
    found -= compiled
    expected = {Path("py.typed")}
    for folder in ("configs", "data"):
        expected |= {path.relative_to(ROOT) for path in (ROOT / folder).rglob("*") if path.is_file()}
    expected |= {
        path.relative_to(ROOT / "metaeval")
        for path in (ROOT / "metaeval").rglob("*.*")
        if path.suffix in (".py", ".pyi", ".toml", ".tsv", ".txt", ".css", ".jinja", ".js")
    }

    assert expected == found


def test_the_page_of_a_registry_has_the_readme_and_no_link_to_nowhere(unpacked):
    (metadata,) = unpacked.glob("*.dist-info/METADATA")
    text = metadata.read_text(encoding="utf-8")
    assert "Description-Content-Type: text/markdown" in text
    assert text.endswith((ROOT / "README.md").read_text(encoding="utf-8"))  # while no address is filled in
    assert "Project-URL" not in text


def test_an_experiment_runs_by_name_from_the_wheel(unpacked, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(unpacked)}
    command = [sys.executable, "-m", "metaeval", "run", "turian2003-chinese", "--set", "documents.count=5"]
    done = subprocess.run(
        [*command, "--set", "figures=[]"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    where = subprocess.run(
        [sys.executable, "-c", "import metaeval; print(metaeval.__file__)"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert where.stdout.startswith(str(unpacked))
    assert "runs/turian2003-chinese" in done.stdout
    assert (tmp_path / "runs" / "turian2003-chinese" / "correlations.tsv").exists()
