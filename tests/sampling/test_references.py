from __future__ import annotations

import itertools
import math

import pytest

from metaeval.errors import UsageError
from metaeval.runtime.randomness import generator
from metaeval.sampling.references import ReferenceSubset, reference_groups

KNOWN = ["ref1", "ref2", "a+b"]
SIXTEEN = [f"r{number}" for number in range(16)]


def rng_of(size: int):
    return generator(1, "references", size)


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
def test_subsets_are_lines_of_their_own(request_, expected):
    groups = reference_groups(request_, KNOWN)
    assert expected == [group.subsets[0].names for group in groups]
    assert [str(group) for group in groups] == ["+".join(names) for names in expected]
    assert {group.combine for group in groups} == {"separate"}


def test_the_jackknife_leaves_out_each_reference_once_and_averages_scores():
    (group,) = reference_groups("leave-one-out", KNOWN)
    assert [subset.names for subset in group.subsets] == [("ref2", "a+b"), ("ref1", "a+b"), ("ref1", "ref2")]
    assert (group.combine, group.left_out) == ("scores", ("ref1", "ref2", "a+b"))
    assert str(group) == "leave-one-out(ref1+ref2+a+b)"


def test_one_reference_has_no_jackknife():
    (group,) = reference_groups("leave-one-out", ["only"])
    assert ([subset.names for subset in group.subsets], group.left_out) == ([("only",)], ())


def test_single_references_can_be_averaged():
    (group,) = reference_groups("each", KNOWN, combine="correlations")
    assert [subset.names for subset in group.subsets] == [("ref1",), ("ref2",), ("a+b",)]
    assert str(group) == "each(ref1+ref2+a+b)"


@pytest.mark.parametrize("size", [1, 2, 3])
def test_every_subset_of_a_size(size):
    (group,) = reference_groups("every", KNOWN, sizes=[size])
    assert [subset.names for subset in group.subsets] == list(itertools.combinations(KNOWN, size))
    assert group.combine == ("documents" if len(group.subsets) > 1 else "separate")


def test_random_subsets_are_different_of_their_size_and_always_the_same():
    groups = reference_groups("random", SIXTEEN, sizes=[2, 8], count=50, rng_of=rng_of)
    assert [str(group) for group in groups] == ["random(size=2,count=50)", "random(size=8,count=50)"]
    for group, size in zip(groups, (2, 8), strict=True):
        assert len(set(group.subsets)) == 50
        assert {len(set(subset.names)) for subset in group.subsets} == {size}
    assert groups == reference_groups("random", SIXTEEN, sizes=[2, 8], count=50, rng_of=rng_of)
    # A size is drawn by a generator of its own, so that another size changes nothing.
    assert groups[1:] == reference_groups("random", SIXTEEN, sizes=[8], count=50, rng_of=rng_of)


def test_each_reference_is_drawn_about_equally_often():
    """Of 400 subsets of 4 of 16, each reference is in 100 on average, with a deviation of sqrt(400/4*3/4) = 8.7."""
    (group,) = reference_groups("random", SIXTEEN, sizes=[4], count=400, rng_of=rng_of)
    counts = [sum(name in subset.names for subset in group.subsets) for name in SIXTEEN]
    assert max(abs(count - 100) for count in counts) < 5 * math.sqrt(75)


def test_where_there_are_no_more_every_subset_is_taken():
    (group,) = reference_groups("random", KNOWN, sizes=[2], count=50, rng_of=rng_of)
    assert [subset.names for subset in group.subsets] == list(itertools.combinations(KNOWN, 2))
    assert str(group) == "every(size=2,count=3)"


def test_every_subset_of_a_size_can_be_a_line_of_its_own():
    groups = reference_groups("every", KNOWN, sizes=[1, 2], combine="separate")

    assert [str(group) for group in groups] == ["ref1", "ref2", "a+b", "ref1+ref2", "ref1+a+b", "ref2+a+b"]
    assert {(len(group.subsets), group.combine) for group in groups} == {(1, "separate")}


@pytest.mark.parametrize(
    ("request_", "settings", "message"),
    [
        (["ref3"], {}, "unknown reference 'ref3'"),
        (["ref1+ref1"], {}, "twice in the subset"),
        (["ref1", "ref1"], {}, "subset is listed twice"),
        (["a+b", "a + b"], {}, "unknown reference 'a'"),
        ("some", {}, "must be one of all, each, leave-one-out, every, random or a list"),
        ("random", {}, "needs `references.sizes`"),
        ("all", {"sizes": [1]}, "belongs to the subsets 'every' and 'random'"),
        ("every", {"sizes": [4]}, "must be at most 3, the references of the corpus; got 4"),
    ],
)
def test_other_requests_are_refused(request_, settings, message):
    with pytest.raises(UsageError, match=message):
        reference_groups(request_, KNOWN, **settings)


def test_a_corpus_without_references_has_one_empty_subset_and_no_others():
    (group,) = reference_groups("all", [])
    assert (str(group), group.subsets) == ("none", (ReferenceSubset(()),))
    for request, sizes in (("each", ()), ("leave-one-out", ()), (["ref1"], ()), ("every", (1,))):
        with pytest.raises(UsageError, match="has no references"):
            reference_groups(request, [], sizes=sizes)


@pytest.mark.parametrize(("request_", "count"), [("every", 1), ("random", 100_000)])
def test_more_subsets_than_can_be_measured_are_refused(request_, count):
    # 2**16 - 1 subsets of 16 references, of which 16 + 120 + 560 + 1820 + 4368 = 6884 have at most five.
    with pytest.raises(UsageError, match=r"makes 65,535 subsets of 16 references in the sizes .*; at most 10,000 can"):
        reference_groups(request_, SIXTEEN, sizes=range(1, 17), count=count, rng_of=rng_of)
    with pytest.raises(UsageError, match=r'references\.subsets = "random" with references\.count = 100\.$'):
        reference_groups(request_, SIXTEEN, sizes=[7, 8], count=count, rng_of=rng_of)  # 11,440 + 12,870
    few = reference_groups(request_, SIXTEEN, sizes=[1, 2, 3, 4, 5], count=count, rng_of=rng_of)
    assert sum(len(group.subsets) for group in few) == 6884
