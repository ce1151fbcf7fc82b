"""Scores of a metric that were computed with several references, and systems that a metric lacks."""

from __future__ import annotations

import numpy as np
import pytest

from metaeval.datamodel.annotations import GivenScores
from metaeval.errors import UsageError
from metaeval.metrics.selection import expanded, named_metrics
from tests.support.score_files import corpus

# Of the systems A and B, the segments d1 to d3; the text r is the reference, h was one and is a system by now.
NAMES = ("BLEU-r", "BLEU-h", "BLEU-r.h", "chrF-all", "qe-src", "up-to-date", "plain")


def made(**changes):
    values = np.array([[1.0, 2, 3], [4, 5, 6]])
    scores = [GivenScores.of(name, "metric", "segment", ("A", "B"), ("d1", "d2", "d3"), values) for name in NAMES]
    scores += [GivenScores.of(NAMES[0], "metric", "system", ("A", "B"), (), values[:, :1])]
    return corpus(scores=tuple(scores), judged_references=("h",), **changes)


def written(*metrics, one=None, **asked):
    found, notes = expanded(one or made(), named_metrics(metrics), **asked)
    return [named.written for named in found], notes


@pytest.mark.parametrize(
    ("references", "left_out"),
    [
        (None, ()),
        (("r", "h"), ()),
        # All references that there are: r alone.
        (("r",), ("BLEU-h", "BLEU-r.h")),
        (("h",), ("BLEU-r", "BLEU-r.h", "chrF-all")),
    ],
)
def test_a_pattern_stands_for_scores_by_the_references_that_are_named(references, left_out):
    found, notes = written("precomputed:*", references=references)
    # What follows the hyphen of `up-to-date` is no reference, so nothing is known of it.
    assert found == [f"precomputed:{name}" for name in NAMES if name not in left_out]
    assert len(notes) == bool(left_out)
    for name in left_out:
        assert name in notes[0].rpartition(": ")[2].rstrip(".").split(", ")


def test_scores_that_are_named_are_taken_by_whatever_references():
    assert written("precomputed:BLEU-h", references=("r",)) == (["precomputed:BLEU-h"], [])


def test_short_names():
    found, _ = written("precomputed:*", "bleu", references=("r",), short=True)
    assert found == ["BLEU", "chrF", "qe[noref]", "up-to-date", "plain", "bleu"]
    with pytest.raises(
        UsageError,
        match=r"'precomputed:BLEU-r' and 'precomputed:BLEU-h' are both called 'BLEU'; .*`references\.names` = ",
    ):
        written("precomputed:BLEU-*", short=True)


def test_scores_that_are_called_as_the_constant_metric_are_refused():
    """In tables of tasks they would be left out as the metric that every comparison has beside its own."""
    values = np.array([[1.0, 2, 3], [4, 5, 6]])
    score = GivenScores.of("constant-r", "metric", "segment", ("A", "B"), ("d1", "d2", "d3"), values)
    one = corpus(scores=(score,))
    assert written("precomputed:*", one=one) == (["precomputed:constant-r"], [])
    with pytest.raises(
        UsageError, match="'constant' is that of a constant metric beside yours; give your metric anoth"
    ):
        written("precomputed:*", one=one, short=True)


def test_a_system_that_a_metric_lacks_has_zeros_if_asked():
    one = made(candidates=(("x",) * 3,) * 3, systems=("A", "C", "B"))
    (plain, zero, stored), _ = expanded(
        one,
        named_metrics(
            [f"precomputed:{name}" for name in ("qe-src", 'qe-src(missing="zero")', 'BLEU-r(missing="zero")')]
        ),
    )
    assert np.isnan(plain.kind.values(one)[0][1]).all()
    scores, notes = zero.kind.values(one)
    np.testing.assert_array_equal(scores, [[1, 2, 3], [0, 0, 0], [4, 5, 6]])
    assert notes == ("has no scores of 'C'; they count 0, as asked by missing = 'zero'.",)
    whole = stored.kind.at_level(one, whole=True)
    np.testing.assert_array_equal(whole.values(one)[0], [[1], [0], [4]])
    # Signatures of scores without zeros are what they were.
    assert "missing" not in str(plain.kind.signature)
    assert "|missing:zero|" in str(zero.kind.signature)


def test_scores_that_one_of_several_corpora_lacks_are_left_out_there():
    found, notes = written("precomputed:other", "precomputed:plain", several=True)
    assert found == ["precomputed:plain"]
    assert notes[0].startswith("precomputed: corpus 'texts': unknown scores 'other'")
    with pytest.raises(UsageError, match="unknown scores 'other'"):
        written("precomputed:other", "precomputed:plain")
