"""What a release tells of itself, in several files, is the same everywhere."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import distributions
from pathlib import Path

from packaging.specifiers import SpecifierSet

from metaeval.bibliography import find_source
from metaeval.version import VERSION

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


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
    extras = [one for requirements in PROJECT["optional-dependencies"].values() for one in requirements]
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
