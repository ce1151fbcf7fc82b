"""How well judges agree on a criterion: who judged what, and Krippendorff's alpha.

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

Sources, by their keys in `bibliography.toml`: krippendorff2004, krippendorff2011.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metaeval.records import FloatArray, IntArray, Judgments

LEVELS = ("nominal", "ordinal", "interval")

# How many numbers a block of replicates may hold at once.
_BLOCK = 4_000_000


@dataclass(frozen=True)
class ItemJudgments:
    """The judgments on one criterion, sorted by item and then by judge; an item is a segment of a system.

    Attributes
    ----------
    judge : (judgments,) int array
        Indices into all judges of the corpus.
    score : (judgments,) float array
    position : (judgments,) int array
        The place of each judgment among those of its judge on this criterion, in the order of the file, from 0.
    item : (judgments,) int array
        Indices into the judged items.
    system, segment : (items,) int arrays
        Of each judged item.
    starts, counts : (items,) int arrays
        Where the judgments of each item begin, and how many there are.
    n_judges, n_systems, n_segments : int
        The numbers of the corpus.
    """

    judge: IntArray
    score: FloatArray
    position: IntArray
    item: IntArray
    system: IntArray
    segment: IntArray
    starts: IntArray
    counts: IntArray
    n_judges: int
    n_systems: int
    n_segments: int

    def __len__(self) -> int:
        return len(self.score)


def sort_by_item(judgments: Judgments, n_systems: int, n_segments: int) -> ItemJudgments:
    """Sort judgments on one criterion by item and judge.

    Parameters
    ----------
    judgments : Judgments
        Of one criterion, in the order of the file; a judge gives one score to an item.
    n_systems, n_segments : int
    """
    keys = np.ravel_multi_index((judgments.system, judgments.segment), (n_systems, n_segments))
    order = np.lexsort((judgments.judge, keys))
    items, starts, item, counts = np.unique(keys[order], return_index=True, return_inverse=True, return_counts=True)
    system, segment = np.divmod(items, n_segments)
    return ItemJudgments(
        judgments.judge[order],
        judgments.score[order],
        _positions(judgments.judge)[order],
        item,
        system,
        segment,
        starts,
        counts,
        len(judgments.judges),
        n_systems,
        n_segments,
    )


def _positions(judge: IntArray) -> IntArray:
    """Return the place of each judgment among those of its judge: (judgments,)."""
    by_judge = np.argsort(judge, kind="stable")
    _, starts, counts = np.unique(judge[by_judge], return_index=True, return_counts=True)
    positions = np.empty(len(judge), dtype=np.int64)
    positions[by_judge] = np.arange(len(judge)) - np.repeat(starts, counts)
    return positions


def judgment_pairs(judgments: ItemJudgments) -> tuple[IntArray, IntArray]:
    """Return every two judgments of the same item: two (pairs,) arrays of places, the lower judge first."""
    first: list[IntArray] = []
    second: list[IntArray] = []
    for count in np.unique(judgments.counts[judgments.counts > 1]):
        places = judgments.starts[judgments.counts == count][:, None] + np.arange(count)
        one, other = np.triu_indices(count, 1)
        first.append(places[:, one].ravel())
        second.append(places[:, other].ravel())
    if not first:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    return np.concatenate(first), np.concatenate(second)


@dataclass(frozen=True)
class Design:
    """Who judged what.

    Attributes
    ----------
    n_judgments, n_judges, n_items : int
        Those there are on the criterion.
    n_possible : int
        Systems times segments.
    items_by_count : tuple of (int, int)
        How many items have 1, 2, ... judgments.
    n_pairs, n_sharing : int
        Pairs of judges, and those of them with an item in common.
    median_shared : float
        Items in common, over the pairs that have any; ``nan`` without such a pair.
    n_groups : int
        Groups of judges that nothing connects: with more than one, no comparison of a judge of one group with a judge
        of another rests on the same items, not even by way of a third.
    largest_group : int
        Judges in the largest of them.
    """

    n_judgments: int
    n_judges: int
    n_items: int
    n_possible: int
    items_by_count: tuple[tuple[int, int], ...]
    n_pairs: int
    n_sharing: int
    median_shared: float
    n_groups: int
    largest_group: int


def describe_design(judgments: ItemJudgments) -> Design:
    """Count judgments, items and judges, and see which judges are connected."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    judges, code = np.unique(judgments.judge, return_inverse=True)
    first, second = judgment_pairs(judgments)
    keys, shared = np.unique(code[first] * len(judges) + code[second], return_counts=True)
    links = coo_array((shared, np.divmod(keys, max(len(judges), 1))), shape=(len(judges), len(judges)))
    group = connected_components(links, directed=False)[1] if len(judges) else np.empty(0, dtype=np.int64)
    sizes = np.bincount(group)
    counts, n_items = np.unique(judgments.counts, return_counts=True)
    return Design(
        len(judgments),
        len(judges),
        len(judgments.counts),
        judgments.n_systems * judgments.n_segments,
        tuple(zip(counts.tolist(), n_items.tolist(), strict=True)),
        len(judges) * (len(judges) - 1) // 2,
        len(keys),
        float(np.median(shared)) if len(shared) else np.nan,
        len(sizes),
        int(sizes.max(initial=0)),
    )


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
    paired = judgments.counts > 1
    kept = paired[judgments.item]
    if not kept.any():
        return np.full(len(weights), np.nan)
    values, code = np.unique(judgments.score[kept], return_inverse=True)
    cells = _Cells(values, code, judgments.counts[paired], judgments.segment[paired], judgments.n_segments)
    rows = max(1, _BLOCK // len(code)) if level == "ordinal" else max(1, _BLOCK // len(values))
    return np.concatenate([cells.alpha(level, weights[start : start + rows]) for start in range(0, len(weights), rows)])


class _Cells:
    """The judgments of items that have at least two, as alpha needs them."""

    def __init__(self, values: FloatArray, code: IntArray, counts: IntArray, segment: IntArray, n_segments: int):
        from scipy.sparse import coo_array

        self.values, self.code, self.counts, self.segment = values, code, counts, segment
        self.starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
        of_item = np.repeat(np.arange(len(counts)), counts)
        ones = np.ones(len(code))
        # How often each item has each value, and the same for segments.
        self.by_item = coo_array((ones, (of_item, code)), shape=(len(counts), len(values))).tocsr()
        places = (np.repeat(segment, counts), code)
        self.by_segment = coo_array((ones, places), shape=(n_segments, len(values))).tocsr()

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
