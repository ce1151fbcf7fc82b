"""A batch of replicates gives the bits that each of its replicates gives alone."""

from __future__ import annotations

import numpy as np
import pytest

from metaeval.correlation.averages import Oriented, arrange_rows, line_coefficients
from metaeval.correlation.coefficients import Pearson, Spearman
from metaeval.correlation.kendall import Kendall
from metaeval.datamodel.corpus import Documents
from metaeval.datamodel.pooling import Statistics
from metaeval.experiment import replicates
from metaeval.experiment.scorers import pooled_scores


@pytest.mark.parametrize("average_by", ["item", "system", "none"])
@pytest.mark.parametrize("kind", [Pearson(), Spearman(), Spearman(ties="ordinal"), Kendall()], ids=repr)
@pytest.mark.parametrize("at_once", [1, 100, 1 << 17])
def test_coefficients_of_a_batch_are_those_of_each_replicate(monkeypatch, average_by, kind, at_once):
    rng = np.random.default_rng(7)
    human = rng.integers(0, 4, (5, 6, 7)) / 3
    lines = [
        (relation, rng.integers(0, 9, (5, n_subsets, 6, 7)) / 7)
        for relation, n_subsets in ((kind, 1), (Oriented(kind), 3), (kind, 2))
    ]
    monkeypatch.setattr(replicates, "_CORRELATED_BATCH_SCORES", at_once)
    sides = [(relation, kind.prepare(arrange_rows(scores, average_by))) for relation, scores in lines]
    found = replicates._in_rows(sides, kind.prepare(arrange_rows(human, average_by), is_human=True))
    assert len(found) == len(lines)
    for (relation, scores), of_line in zip(lines, found, strict=True):
        alone = [line_coefficients(*one, relation, average_by) for one in zip(scores, human, strict=True)]
        np.testing.assert_array_equal(of_line, np.stack(alone))


@pytest.mark.parametrize("combine", ["documents", "scores", "separate"])
def test_each_replicate_begins_with_the_first_reference_subset(combine):
    # One statistic, the number of the subset: document k of each replicate is scored against subset k of 3.
    of_subsets = [Statistics.of_values(np.full((2, 4, 1), float(subset)), ("number",)) for subset in (1, 2, 3)]
    held = Documents(indices=np.zeros((8, 1), dtype=np.int32))
    (found,) = pooled_scores([(lambda sums: sums[..., 0], of_subsets)], combine, np.arange(4), held, repeats=2)
    expected = {"documents": [[1, 2, 3, 1, 1, 2, 3, 1]], "scores": [[2] * 8], "separate": [[1] * 8, [2] * 8, [3] * 8]}
    assert found[..., 0].tolist() == found[..., 1].tolist() == expected[combine]
