"""The examples with >>> in docstrings and pages give what they show."""

from __future__ import annotations

import doctest
import importlib
import inspect

import pytest

import metaeval
from tests.docs.pages import DOCS, ROOT, blocks, written

MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted((ROOT / "metaeval").rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


def failures(test: doctest.DocTest) -> str:
    """Run an example and return what is told of it, nothing if it gives what it shows."""
    told: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=told.append)
    return "".join(told)


def test_modules_with_examples_were_found():
    assert "metaeval" in MODULES
    assert "metaeval.api.experiments" in MODULES


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(name)
    found = [test for test in doctest.DocTestFinder(exclude_empty=True).find(module, name) if test.examples]
    assert found
    assert [failures(test) for test in found if failures(test)] == []


def test_examples_of_what_is_exported_are_among_them():
    for name in metaeval.__all__:
        item = getattr(metaeval, name)
        if ">>> " in (getattr(item, "__doc__", None) or "") and not isinstance(item, str):
            assert (item.__name__ if inspect.ismodule(item) else item.__module__) in MODULES


def pages() -> dict[str, str]:
    found = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in written()}
    return {name: text for name, text in found.items() if any(">>>" in block.text for block in blocks(text))}


@pytest.mark.parametrize("name", pages())
def test_examples_of_pages(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    examples = "\n".join(block.text for block in blocks(pages()[name]) if ">>>" in block.text)
    assert failures(doctest.DocTestParser().get_doctest(examples, {}, name, name, 0)) == ""


def test_examples_of_pages_made_from_the_code(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS / "extensions"))
    pytest.importorskip("sphinx")
    import families
    import schemas

    made = {**families.metric_pages(), **schemas.api_pages()}
    made = {name: text for name, text in made.items() if "\n>>> " in text}
    assert len(made) >= 13
    for name, text in made.items():
        examples = "\n".join(block.text for block in blocks(text) if ">>>" in block.text)
        test = doctest.DocTestParser().get_doctest(examples, {}, name, name, 0)
        assert len(test.examples) >= 5
        assert failures(test) == ""
