"""What a release tells of itself, in several files, is the same everywhere."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from importlib.metadata import distributions
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from metaeval.bibliography import find_source
from metaeval.version import VERSION

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = SETTINGS["project"]


def named(requirement: str) -> str:
    return re.split(r"[><=\[]", requirement)[0].lower().replace("-", "_")


def pins(name: str) -> dict[str, str]:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    found = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert len(found) == sum(not line.startswith("#") for line in lines)
    return {named(key): version for key, version in found.items()}


def test_the_citation_file_tells_title_version_and_licence():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    facts = dict(re.findall(r'^(title|version|license): "?(.*?)"?$', text, re.MULTILINE))
    assert facts == {"title": find_source("metaeval").title, "version": VERSION, "license": PROJECT["license"]}


def test_the_changelog_begins_with_this_version():
    # Above it stands, at most, what is not released.
    heads = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert heads[heads[0] == "Unreleased"] == VERSION


def test_every_requirement_has_a_version_that_is_tested():
    optional = [*PROJECT["optional-dependencies"].values(), *SETTINGS["dependency-groups"].values()]
    extras = [requirement for requirements in optional for requirement in requirements]
    known = pins("constraints.txt")
    assert {named(one) for one in (*PROJECT["dependencies"], *extras)} - set(known) == set()


def test_every_pinned_version_runs_on_the_lowest_python():
    # Debian 12 has Python 3.11.2, which a package that needs 3.11.5 does not install on. Packages say so themselves.
    lowest, pinned = PROJECT["requires-python"].removeprefix(">="), pins("constraints.txt")
    needs = {
        found.name: found.metadata.get("Requires-Python") or ""
        for found in distributions()
        if pinned.get(named(found.name)) == found.version
    }
    assert "numpy" in needs
    assert {name for name, python in needs.items() if lowest not in SpecifierSet(python)} == set()


def test_the_lowest_versions_tested_are_those_that_are_asked_for():
    asked = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["parquet"]]
    wanted = {named(one): one.partition(">=")[2] for one in asked}
    lowest = pins("constraints-lowest.txt")
    assert set(lowest) == set(wanted)
    for name, version in wanted.items():
        assert re.fullmatch(re.escape(version) + r"(\.0)*", lowest[name]), name


def absolute_links(readme: str) -> str:
    spec = importlib.util.spec_from_file_location("metaeval_setup", ROOT / "setup.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.absolute_links(readme, "https://example.org/metaeval", "1.0")


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("[a page](docs/a.md#part)", "[a page](https://example.org/metaeval/blob/v1.0/docs/a.md#part)"),
        ("![picture](docs/a.png)", "![picture](https://example.org/metaeval/raw/v1.0/docs/a.png)"),
        ("[elsewhere](https://example.com/x)", "[elsewhere](https://example.com/x)"),
        ("[above](#limits)", "[above](#limits)"),
        ("f(x) [0.62, 0.68]", "f(x) [0.62, 0.68]"),
    ],
)
def test_links_of_the_readme_are_absolute_in_a_release(link, expected):
    assert absolute_links(link) == expected


def test_no_link_of_the_readme_is_left_relative_in_a_release():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)]*)\)", absolute_links(readme))
    assert len(links) > 40
    assert [link for link in links if not link.startswith(("https://", "#"))] == []


def test_the_citation_file_names_the_repository_of_the_release():
    named_there = re.findall(r'^repository-code: "?(.*?)"?$', (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    repository = SETTINGS["tool"]["metaeval"]["repository"]
    assert named_there == ([repository] if repository else [])
