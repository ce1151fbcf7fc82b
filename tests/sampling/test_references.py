from __future__ import annotations

import pytest

from metaeval.errors import UsageError
from metaeval.sampling.references import reference_subsets

KNOWN = ["ref1", "ref2", "a+b"]


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ("all", [("ref1", "ref2", "a+b")]),
        ("each", [("ref1",), ("ref2",), ("a+b",)]),
        (["ref2"], [("ref2",)]),
        (["ref1", "ref2+ref1"], [("ref1",), ("ref2", "ref1")]),
        (["a+b"], [("a+b",)]),
    ],
)
def test_subsets(request_, expected):
    assert expected == [subset.names for subset in reference_subsets(request_, KNOWN)]


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (["ref3"], "unknown reference 'ref3'"),
        (["ref1+ref1"], "twice in the subset"),
        (["ref1", "ref1"], "subset stands twice"),
        (["a+b", "a + b"], "unknown reference 'a'"),
        ("some", "must be 'all', 'each' or a list"),
    ],
)
def test_other_requests_are_refused(request_, message):
    with pytest.raises(UsageError, match=message):
        reference_subsets(request_, KNOWN)


def test_a_corpus_without_references_is_refused():
    with pytest.raises(UsageError, match="has no references"):
        reference_subsets("all", [])
