"""Krippendorff's alpha.

alpha = 1 - observed disagreement / disagreement expected by chance. Both are means of a squared difference between two
scores: of the same item by different judges, and of any two scores that have a partner. An item with m judgments has
m (m - 1) ordered pairs, which weigh 1 / (m - 1) each, so that every judgment counts once (Krippendorff 2011).

=========  ====================================================
level      difference of two scores
=========  ====================================================
nominal    0 if equal, else 1
ordinal    of their mid-ranks among all scores with a partner
interval   of the scores themselves
=========  ====================================================

Confidence intervals come from the alphas without each segment (the jackknife); docs/calibration.md has how many of them
contain the true alpha.

Sources, by their keys in `bibliography.toml`: krippendorff2004, krippendorff2011.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from metaeval.datamodel.corpus import FloatArray, IntArray
from metaeval.ratings.agreement.items import ItemJudgments

LEVELS = ("nominal", "ordinal", "interval")

# How many numbers a block of replicates may hold at once.
_MAX_VALUES_PER_BLOCK = 4_000_000


def krippendorff_alpha(judgments: ItemJudgments, level: str, weights: IntArray | None = None) -> FloatArray:
    """Return Krippendorff's alpha, of the judgments as they are or of replicates of the segments.

    Parameters
    ----------
    judgments : ItemJudgments
    level : "nominal", "ordinal" or "interval"
        What the scores are taken for; see the module.
    weights : (replicates, segments) int array, optional
        How often each segment, with all its judgments, is in each replicate. Once each if not given.

    Returns
    -------
    (replicates,) or (1,) float array
        1 for perfect agreement, 0 for what chance gives, below 0 for less; ``nan`` where no item has two judgments or
        all scores are equal.
    """
    if level not in LEVELS:
        raise ValueError(f"`level` must be one of {LEVELS}; got {level!r}.")
    if weights is None:
        weights = np.ones((1, judgments.n_segments), dtype=np.int64)
    if not (judgments.counts > 1).any():
        return np.full(len(weights), np.nan)
    cells = _Cells(judgments)
    rows = max(1, _MAX_VALUES_PER_BLOCK // len(cells.code if level == "ordinal" else cells.values))
    return np.concatenate([cells.alpha(level, weights[start : start + rows]) for start in range(0, len(weights), rows)])


def alpha_without_each_segment(judgments: ItemJudgments, level: str) -> FloatArray:
    """Return alpha without each of the segments that have an item with two judgments: (those segments,)."""
    paired = np.unique(judgments.segment[judgments.counts > 1])
    weights = np.ones((len(paired), judgments.n_segments), dtype=np.int64)
    weights[np.arange(len(paired)), paired] = 0
    return krippendorff_alpha(judgments, level, weights)


class _Cells:
    """The judgments of items that have at least two, as alpha needs them."""

    def __init__(self, judgments: ItemJudgments):
        from scipy.sparse import coo_array

        paired = judgments.counts > 1
        self.counts = judgments.counts[paired]
        self.segment = judgments.segment[paired]
        self.values, self.code = np.unique(judgments.score[paired[judgments.item]], return_inverse=True)
        self.starts = np.concatenate([[0], np.cumsum(self.counts)[:-1]])
        ones = np.ones(len(self.code))

        def frequencies(units: IntArray, n_units: int) -> Any:
            """Count how often each unit has each value, the units being those of items: (units, values)."""
            places = (np.repeat(units, self.counts), self.code)
            return coo_array((ones, places), shape=(n_units, len(self.values))).tocsr()

        self.by_item = frequencies(np.arange(len(self.counts)), len(self.counts))
        self.by_segment = frequencies(self.segment, judgments.n_segments)

    def alpha(self, level: str, weights: IntArray) -> FloatArray:
        """Return alpha for some replicates: (replicates,)."""
        weights = weights.astype(np.float64)
        frequencies = np.asarray((self.by_segment.T @ weights.T).T)
        total = frequencies.sum(axis=1)
        if level == "nominal":
            squares = np.asarray(self.by_item.multiply(self.by_item).sum(axis=1)).ravel()
            disagreement = (self.counts**2 - squares) / (self.counts - 1)
            observed = weights[:, self.segment] @ disagreement
            expected = total**2 - np.square(frequencies).sum(axis=1)
        elif level == "interval":
            observed = weights[:, self.segment] @ self._within(self.values[self.code][None, :])[0]
            expected = total * _squares(frequencies, self.values[None, :])
        else:
            ranks = np.cumsum(frequencies, axis=1) - frequencies / 2
            within = self._within(ranks[:, self.code])
            observed = np.einsum("ri,ri->r", weights[:, self.segment], within)
            expected = total * _squares(frequencies, ranks)
        # Both sums leave out the same factor of 2 for interval and ordinal.
        alpha = np.full(len(weights), np.nan)
        several = (frequencies > 0).sum(axis=1) > 1
        np.divide(observed * (total - 1), expected, out=alpha, where=several)
        return np.asarray(1.0 - alpha)

    def _within(self, x: FloatArray) -> FloatArray:
        """Return the squared differences between the judgments of each item, weighted: (replicates, items)."""
        means = np.add.reduceat(x, self.starts, axis=1) / self.counts
        centred = x - np.repeat(means, self.counts, axis=1)
        return np.asarray(np.add.reduceat(centred**2, self.starts, axis=1) * (self.counts / (self.counts - 1)))


def _squares(frequencies: FloatArray, x: FloatArray) -> FloatArray:
    """Return the sums of squares of values (replicates or 1, values) about their means: (replicates,)."""
    means = (frequencies * x).sum(axis=1, keepdims=True) / frequencies.sum(axis=1, keepdims=True).clip(min=1)
    return np.asarray((frequencies * (x - means) ** 2).sum(axis=1))
