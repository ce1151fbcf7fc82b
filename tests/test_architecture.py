"""The layers of the package: base, stages that do not know each other, results, report, experiment, its uses, api."""

from __future__ import annotations

import ast
import itertools
import re
from pathlib import Path

import pytest

from metaeval import api
from metaeval.components import registries

PACKAGE = Path(__file__).parents[1] / "metaeval"
STAGES = {"corpora", "metrics", "judgments", "sampling", "correlation"}
USES = {"comparison", "papers", "ratings", "shared_tasks"}
LAYERS = [
    {"errors", "version", "scipy_parts"},
    {"kernels"},
    {"runtime"},
    {"parameters"},
    {"datamodel", "bibliography"},
    {"components"},
    {"config"},
    {"text"},
    STAGES,
    {"scores", "user_code"},
    {"conformance"},
    {"results"},
    {"report"},
    {"experiment"},
    USES,
    {"runs"},
    {"api", "stats"},
    {"cli", "__init__"},
    {"__main__"},
]
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


def test_imports_point_one_way():
    wrong = {
        str(path.relative_to(PACKAGE)): sorted(names)
        for path in FILES
        if (names := imported(path) - allowed(path.relative_to(PACKAGE).parts[0].removesuffix(".py")))
    }
    assert wrong == {}
    assert len(FILES) > 30


def test_no_file_of_the_api_hides_a_verb():
    assert {path.stem for path in (PACKAGE / "api").glob("*.py")} & set(api.__all__) == set()


def test_signatures_are_printed_and_never_read():
    readers = [path for path in FILES if "Signature.parse(" in path.read_text(encoding="utf-8")]
    assert [path.name for path in readers] == ["calls.py"]


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_the_files_that_a_guide_names_exist(page):
    root = PACKAGE.parent
    text = (root / page).read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:[\w-]+/)+[\w-]+\.(?:py|toml|c))`", text))
    named = {one for one in named if "NAME" not in one}  # the place of a file that somebody adds
    assert len(named) > 10
    assert [one for one in sorted(named) if not (root / one).exists() and not (PACKAGE / one).exists()] == []


def members_of_classes() -> dict[str, set[str]]:
    """Return the methods and attributes of all classes, with those of the classes that they derive from."""
    nodes = itertools.chain.from_iterable(ast.walk(ast.parse(path.read_text(encoding="utf-8"))) for path in FILES)
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    members: dict[str, set[str]] = {}
    for node in classes:
        named = [item.target if isinstance(item, ast.AnnAssign) else item for item in node.body]
        members.setdefault(node.name, set()).update(getattr(item, "name", getattr(item, "id", "")) for item in named)
    for node in classes * 3:  # no class derives from a fourth one
        members[node.name].update(*(members.get(ast.unparse(base), ()) for base in node.bases))
    return members


def test_the_methods_that_guides_name_exist():
    members = members_of_classes()
    for page in ("CONTRIBUTING.md", "docs/architecture.md"):
        text = (PACKAGE.parent / page).read_text(encoding="utf-8")
        named = {(name, member) for name, member in re.findall(r"`([A-Z]\w+)\.(\w+)`", text) if name != "CITATION"}
        assert len(named) > 3
        assert {(name, member) for name, member in named if member not in members[name]} == set()


# Kinds whose names mean nothing else, and words beside which the other names mean a kind.
REGISTRIES = [registries.DOCUMENTS, registries.INTERVALS, registries.TESTS, registries.CORRECTIONS, registries.FIGURES]
AMBIGUOUS = {"all", "segments", "none", "intervals", "judges", "agreement", "best", "claims", "influence"}
ASKED = {"kind", "documents", "limits", "interval", "correction", "test"}


def names_compared(path: Path) -> list[str]:
    """Return the comparisons with the name of a kind that stands in another module."""
    module = ".".join(("metaeval", *path.relative_to(PACKAGE).with_suffix("").parts))
    elsewhere = {
        name
        for registry in REGISTRIES
        for name, place in zip((*registry, *registry.unlisted), registry.places, strict=True)
        if place.partition(":")[0] != module
    } | {"bootstrap"} - ({"bootstrap"} if module == "metaeval.correlation.paired_bootstrap" else set())
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Compare):
            parts = [part for side in (node.left, *node.comparators) for part in ast.walk(side)]
            texts = {part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)}
            words = {part.attr for part in parts if isinstance(part, ast.Attribute)}
            words |= {part.id for part in parts if isinstance(part, ast.Name)} | texts
            if texts & elsewhere - AMBIGUOUS or (texts & elsewhere and words & ASKED):
                found.append(f"{path.relative_to(PACKAGE)}:{node.lineno}: {ast.unparse(node)}")
    return found


def test_nobody_asks_for_the_name_of_a_kind():
    assert [one for path in FILES for one in names_compared(path)] == []
