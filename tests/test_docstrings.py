"""The docstrings of the public API and of what authors of metrics build on: complete, and true of the code."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import re
import typing

import pytest
from numpydoc.docscrape import FunctionDoc
from numpydoc.validate import validate

import metaeval
from metaeval import api, errors, stats
from metaeval.datamodel import corpus, pooling
from metaeval.results import grid

# What authors of metrics build on.
CONTRACTS = (
    "metaeval.metrics.contract",
    "metaeval.metrics.text_metric",
    "metaeval.parameters.fields",
    "metaeval.runtime.progress",
)
RECORDS_OF_METRICS = (corpus.Segments, corpus.TreatedTexts, pooling.Statistics)
# What public attributes hold that have no name in the package itself.
RECORDS_OF_RESULTS = (grid.Grid, grid.GridMetric)
# Off: an extended summary (ES01), other functions to see (SA01) and examples (EX01), which not everything needs; verbs
# have examples by a test of their own. The parameters of records (PR01 of a class) are their attributes, checked below.
OFF = {"ES01", "SA01", "EX01"}
# These write a page or a long table, or need a network.
WITHOUT_EXAMPLE = {"export_run", "fetch_corpus", "report_run"}


def full_name(item):
    return f"{item.__module__}.{item.__qualname__}"


def members(cls):
    """Give the public methods and properties of a class that metaeval defines."""
    for name in dir(cls):
        member = inspect.getattr_static(cls, name)
        function = getattr(member, "fget", None) or getattr(member, "__func__", member)
        if not name.startswith("_") and getattr(function, "__module__", "").startswith("metaeval"):
            yield f"{full_name(cls)}.{name}", function


def public():
    """Give the names of all that is checked, with the classes and functions themselves."""
    items = [getattr(metaeval, name) for name in metaeval.__all__ if name != "__version__"]
    items += [getattr(api, name) for name in api.__all__]
    items = [item for item in items if not inspect.ismodule(item)]
    items += [getattr(stats, name) for name in stats.__all__]
    items += [*RECORDS_OF_METRICS, *RECORDS_OF_RESULTS]
    for module in map(importlib.import_module, CONTRACTS):
        found = (item for name, item in vars(module).items() if not name.startswith("_"))
        items += [
            item
            for item in found
            if (inspect.isclass(item) or inspect.isfunction(item)) and item.__module__ == module.__name__
        ]
    checked = {}
    for item in items:
        checked[full_name(item)] = item
        if inspect.isclass(item):
            checked.update(members(item))
    return checked


PUBLIC = public()
RECORDS = {
    name: item
    for name, item in PUBLIC.items()
    if dataclasses.is_dataclass(item) or typing.is_typeddict(item) or hasattr(item, "_fields")
}


def of_the_package():
    """Give the functions, methods and classes of all modules, by their full names."""
    for module in pkgutil.walk_packages(metaeval.__path__, "metaeval."):
        if module.name.endswith("__main__"):
            continue
        for item in vars(importlib.import_module(module.name)).values():
            if getattr(item, "__module__", "") != module.name:
                continue
            for member in [item, *(vars(item).values() if inspect.isclass(item) else ())]:
                function = getattr(member, "fget", None) or getattr(member, "__func__", member)
                if inspect.isclass(function) or inspect.isfunction(function):
                    yield full_name(function), function


def known_names(item):
    """Return the parameters of a function, or those and the attributes of a class."""
    try:
        names = set(inspect.signature(item).parameters)
    except ValueError:  # of a class that is built in
        names = set()
    if inspect.isclass(item):
        names |= set(dir(item))
        for cls in item.__mro__:
            names |= set(vars(cls).get("__annotations__", ()))
            if cls.__module__.startswith("metaeval"):
                names |= set(re.findall(r"self\.(\w+)", inspect.getsource(cls)))
    return names


def test_docstrings_name_parameters_and_attributes_that_exist():
    checked = dict(of_the_package())
    assert len(checked) > 2000
    unknown = {}
    for name, item in checked.items():
        doc = FunctionDoc(None, doc=inspect.cleandoc(item.__doc__ or ""))
        entries = [*doc["Parameters"], *(doc["Attributes"] if inspect.isclass(item) else ())]
        told = {part.strip().lstrip("*") for entry in entries for part in entry.name.split(",")}
        if told - known_names(item):
            unknown[name] = sorted(told - known_names(item))
    assert unknown == {}


def test_enough_was_found():
    assert len(PUBLIC) > 100
    assert len(RECORDS) > 25


def test_docstrings_are_complete():
    found = []
    for name, item in PUBLIC.items():
        off = OFF | ({"PR01"} if inspect.isclass(item) else set())
        # numpydoc takes a parameter of this name for the class of a class method.
        errors = [error for error in validate(name)["errors"] if error != ("PR02", "Unknown parameters {'cls'}")]
        found += [(name, *error) for error in errors if error[0] not in off]
    assert found == []


@pytest.mark.parametrize("name", RECORDS)
def test_every_attribute_of_a_record_is_told(name):
    record = RECORDS[name]
    own = record.__annotations__
    inherited = {name for one in record.__mro__ for name in vars(one).get("__annotations__", ())}
    doc = inspect.getdoc(record) or ""
    parsed = FunctionDoc(None, doc=doc)
    entries = [*parsed["Attributes"], *parsed["Parameters"]]
    told = {one for entry in entries for one in entry.name.split(", ")}
    assert told >= set(own)
    assert all("".join(entry.desc).strip() for entry in entries)
    assert told <= {*inherited, *dir(record)}


def raises(doc):
    return [entry.type or entry.name for entry in FunctionDoc(None, doc=doc)["Raises"]]


def raised_in(function):
    """Return the names of the exceptions that a function raises itself."""
    tree = inspect.getsource(function)
    return {name for name in ERRORS if f"raise {name}(" in tree}


ERRORS = {name for name in vars(errors) if name.endswith("Error")}


def test_what_functions_raise_exists_and_is_told():
    for name, item in PUBLIC.items():
        if not inspect.isclass(item):
            told = raises(inspect.getdoc(item) or "")
            assert set(told) <= ({"ValueError"} if item.__module__ == stats.__name__ else ERRORS), name
            assert raised_in(item) <= set(told), name


VERBS = {name: getattr(metaeval, name) for name in metaeval.__all__ if inspect.isfunction(getattr(metaeval, name))}
STATISTICS = {name: getattr(stats, name) for name in stats.__all__ if inspect.isfunction(getattr(stats, name))}


def test_verbs_have_examples_that_a_reader_can_copy():
    assert {name for name, verb in VERBS.items() if not FunctionDoc(verb)["Examples"]} == WITHOUT_EXAMPLE


def test_verbs_that_can_be_called_wrongly_say_so():
    with_parameters = {name: verb for name, verb in VERBS.items() if inspect.signature(verb).parameters}
    assert len(with_parameters) > 20
    told = {name for name, verb in with_parameters.items() if "UsageError" in raises(inspect.getdoc(verb))}
    assert told == {*with_parameters}


def test_statistics_have_examples_and_say_what_they_raise():
    for name, function in STATISTICS.items():
        assert FunctionDoc(function)["Examples"], name
        assert raises(inspect.getdoc(function)) == ["ValueError"], name
