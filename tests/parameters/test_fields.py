from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pytest

from metaeval.errors import UsageError
from metaeval.parameters.fields import build, describe, parameter


@dataclass(frozen=True)
class Inner:
    depth: int = parameter(1, doc="how deep", minimum=1)


@dataclass(frozen=True)
class Thing:
    name: str = parameter(doc="its name")
    size: float = parameter(1.0, doc="its size", minimum=0.0, maximum=2.0)
    colour: str = parameter("red", doc="its colour", choices=("red", "blue"))
    flag: bool = parameter(False, doc="up or down")
    parts: Literal["all"] | tuple[str, ...] = parameter("all", doc="its parts")
    limit: int | None = parameter(None, doc="its limit")
    inner: Inner = parameter(factory=Inner, doc="what is in it")


def make(**values: object) -> Thing:
    return build(Thing, {"name": "x", **values}, subject="thing", locate=lambda path: f"at {path}: ")


def test_values_become_the_declared_types():
    thing = make(size=2, parts=["a", "b"], limit=3, inner={"depth": 4})

    assert Thing("x", 2.0, "red", False, ("a", "b"), 3, Inner(4)) == thing
    assert isinstance(thing.size, float)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"nam": "x"},
            r"at \('nam',\): thing: unknown parameter 'nam'; did you mean 'name'\? Known parameters: 'name'",
        ),
        ({"size": 3}, r"`size` must be at least 0 and at most 2; got 3\.0"),
        ({"size": float("nan")}, r"`size` must be at least 0 and at most 2; got nan"),
        ({"size": "2"}, r"`size` must be a number; got '2'"),
        ({"size": True}, r"`size` must be a number; got True"),
        *(
            ({"size": far}, r"`size` must be at most 1e300 in size; got a whole number of more than 300 digits\.")
            for far in (10**300 + 1, -(10**300) - 1, 10**5000, -(10**5000))
        ),
        ({"colour": "green"}, r"`colour` must be one of 'red', 'blue'; got 'green'"),
        ({"flag": 1}, r"`flag` must be true or false; got 1"),
        ({"limit": 1.5}, r"`limit` must be a whole number; got 1\.5"),
        ({"parts": "some"}, r"`parts` must be 'all' or a list; got 'some'"),
        ({"parts": ["a", 1]}, r"at \('parts', 1\): thing: `parts\[1\]` must be text; got 1"),
        ({"inner": {"dept": 1}}, r"at \('inner', 'dept'\): thing: `inner`: unknown parameter 'dept'; did you mean"),
        ({"inner": {"depth": 0}}, r"at \('inner', 'depth'\): thing: `inner\.depth` must be at least 1; got 0"),
        ({"inner": 3}, r"`inner` must be a table; got 3"),
    ],
)
def test_wrong_values_are_refused_with_place_rule_and_value(values, message):
    with pytest.raises(UsageError, match=message):
        make(**values)


def test_a_missing_parameter_is_named_with_its_meaning():
    with pytest.raises(UsageError, match=r"`name` is missing \(its name\)"):
        build(Thing, {}, subject="thing")


def test_every_parameter_is_described():
    assert [item.name for item in describe(Thing)] == ["name", "size", "colour", "flag", "parts", "limit", "inner"]
    assert all(item.doc for item in describe(Thing))
