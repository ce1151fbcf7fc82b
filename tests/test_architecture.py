"""The layers of the package: base, stages that do not know each other, experiments, api, cli."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from metaeval import api

PACKAGE = Path(__file__).parents[1] / "metaeval"
STAGES = {"corpora", "text", "metrics", "judgments", "sampling", "correlation", "report"}
LAYERS = [
    {"renames"},
    {"errors", "version", "resources", "randomness", "progress"},
    {"names", "parameters", "arguments", "_kernels"},
    {"records", "bibliography"},
    {"pooling", "replicates"},
    STAGES,
    {"experiments"},
    {"api"},
    {"cli", "__init__"},
    {"__main__"},
]
LONGEST = 450
FILES = sorted(PACKAGE.rglob("*.py"))


def allowed(name: str) -> set[str]:
    height = next(index for index, layer in enumerate(LAYERS) if name in layer)
    return {name}.union(*LAYERS[:height])


def imported(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}:{node.lineno}: write an absolute import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name.split(".")[1] for name in found if name.startswith("metaeval.")}


def test_the_package_was_found():
    assert len(FILES) > 30


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_one_way(path):
    name = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    assert imported(path) - allowed(name) == set()


def test_no_file_of_the_api_hides_a_verb():
    assert {path.stem for path in (PACKAGE / "api").glob("*.py")} & set(api.__all__) == set()


# A list of words is looked up, not read.
READ = [path for path in FILES if path.name != "lexicon.py"]


@pytest.mark.parametrize("path", READ, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_file_fits_in_one_reading(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST
