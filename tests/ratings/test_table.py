"""The record of ratings: its checks, its views, and ratings that a rater repeats."""

from __future__ import annotations

import numpy as np
import pytest

from metaeval.errors import UsageError
from metaeval.ratings.table import Ratings

NAN = float("nan")


def ratings(item, rater, value, **changes):
    """Return ratings of items 0, 1, ... by two people and a judge."""
    n = max(item) + 1
    given = {
        "items": tuple(f"i{at}" for at in range(n)), "raters": ("anna", "ben", "gpt"),
        "rater_kinds": ("person", "person", "automatic"), "item": np.array(item), "rater": np.array(rater),
        "value": np.array(value, dtype=float), "kind": "grade", "source": "table.csv",
    }  # fmt: skip
    return Ratings(**{**given, **changes})


def test_views_have_people_and_judges_apart():
    found = ratings([0, 0, 1, 1], [0, 2, 1, 2], [3, 4, 5, 2])
    people, judges = found.matrix()
    np.testing.assert_array_equal(people, [[3, NAN], [NAN, 5]])
    np.testing.assert_array_equal(judges, [[4], [2]])
    assert (found.people, found.judges) == (("anna", "ben"), ("gpt",))
    assert found.to_frame()["rater_kind"].tolist() == ["person", "automatic", "person", "automatic"]


def test_what_is_drawn_again_is_the_document_else_the_segment_else_the_item():
    rows = ([0, 1, 2], [0, 0, 0], [1, 2, 3])
    assert ratings(*rows).cluster.tolist() == [0, 1, 2]
    by_segment = ratings(*rows, facts={"segment": ("s", "t", "s")})
    assert (by_segment.cluster.tolist(), by_segment.cluster_noun) == ([0, 1, 0], "segment")
    by_document = ratings(*rows, facts={"segment": ("s", "t", "s"), "document": ("d", "d", "e")})
    assert (by_document.cluster.tolist(), by_document.cluster_noun) == ([0, 0, 1], "document")


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        ("grade", [2, 4, 5], [3, 5]),  # the mean
        ("label", [0, 1, 1], [NAN, 1]),  # labels that differ are left out
        ("label", [1, 1, 0], [1, 0]),
        ("preference", [1, -1, 1], [0, 1]),  # a contradiction is a tie
    ],
)
def test_ratings_that_are_repeated_become_one(kind, values, expected):
    found = ratings([0, 0, 1], [0, 0, 0], values, kind=kind, categories=("a", "b") if kind == "label" else ())
    np.testing.assert_array_equal(found.matrix()[0][:, 0], expected)
    assert found.once()[1].startswith("1 item rated several times by the same rater")
    assert found.once()[0].once()[1] == ""


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"items": ("i", "i")}, "the names of items must differ; got 'i' twice"),
        ({"rater_kinds": ("person",)}, "`rater_kinds` must have one of person, crowd, automatic for each of 3 raters"),
        ({"kind": "rank"}, "`kind` must be one of number, grade, label, preference; got 'rank'"),
        ({"facts": {"colour": ("red", "blue")}}, "`facts` must have a value for each of 2 items under system, "),
        ({"value": np.array([1.0, NAN])}, "ratings must be finite numbers; a missing rating has no row"),
        ({"value": np.array([1.0])}, "the arrays of ratings must be equally long; got item"),
        ({"rater": np.array([0, 3])}, "`rater` must be from 0 to 2; got 3"),
        ({"rater": np.array([0, -1])}, "`rater` must be from 0 to 2; got -1"),
        ({"kind": "preference"}, "values of a preference must be 1, 0 or -1; got 4"),
        ({"kind": "label", "categories": ("a", "b")}, "values of a label must be places of 2 categories; got 4"),
    ],
)
def test_what_is_wrong_in_a_record_is_told(changes, message):
    given = {"item": [0, 1], "rater": [0, 1], "value": [1, 4], **changes}
    with pytest.raises(UsageError, match=message):
        ratings(given.pop("item"), given.pop("rater"), given.pop("value"), **given)


def test_arrays_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        ratings([0], [0], [1]).value[0] = 2
