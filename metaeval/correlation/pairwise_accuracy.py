"""Pairwise accuracy: on how many pairs a metric decides as human scores do, and which metric differences are ties.

A pair tied on both sides counts as right, one tied on a single side as wrong. Over all pairs the accuracy is then (1 +
tau) / 2, tau being Kendall's variant 23 (kendall.py). A constant side is no reason to be undefined.

Sources
-------
Kocmi, Federmann, Grundkiewicz, Junczys-Dowmunt, Matsushita and Menezes (2021): To ship or not to ship: An extensive
evaluation of automatic metrics for machine translation. The pairs are of systems.
Deutsch, Foster and Freitag (2023): Ties matter: Meta-evaluating modern metrics with pairwise accuracy and tie
calibration. The pairs are of translations.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from metaeval.components.coefficient import Coefficient
from metaeval.components.design import Design
from metaeval.correlation.pair_counts import count_pairs
from metaeval.correlation.significant_pairs import HUMAN_TESTS, PAIRS, SignificantPairs
from metaeval.correlation.tolerances import EQUAL
from metaeval.datamodel.array_checks import checked
from metaeval.datamodel.corpus import BoolArray, FloatArray, IntArray
from metaeval.errors import UsageError
from metaeval.kernels.largest_running_sums import largest_running_sums
from metaeval.parameters.fields import parameter

# Differences in a batch of pairs: bounds the memory, whatever the number of values.
_BATCH_DIFFERENCES = 1 << 20
# Whole numbers below this differ by more than EQUAL, as a share.
_MAX_EXACT_COUNT = 1 << 32
# Draws of a document in a replicate, at most.
_MAX_DRAWS = np.iinfo(np.uint16).max


@dataclass(frozen=True)
class PairwiseAccuracy(Coefficient, name="pairwise-accuracy", sources=("kocmi2021", "deutsch2023")):
    """The share of pairs that the metric orders, or leaves tied, as human scores do."""

    # With the sign flipped, an ordered pair that was right is wrong, but a tie that was right stays right.
    is_odd: ClassVar[bool] = False
    lowest: ClassVar[float] = 0.0
    pools_pairs: ClassVar[bool] = True

    epsilon: float | Literal["auto"] = parameter(
        0.0, doc="metric scores that differ by no more are tied; auto: calibrated on the scores themselves", minimum=0
    )
    pairs: str = parameter(
        "all", doc="of whole systems: all pairs, or those that people tell apart (human-significant)", choices=PAIRS
    )
    human_test: str = parameter(
        "rank-sum",
        doc="of human-significant pairs, on the human scores of items: of independent samples (rank-sum), or of items "
        "that were judged for both systems (signed-rank); two-sided",
        choices=tuple(HUMAN_TESTS),
    )
    alpha: float = parameter(
        0.05, doc="people tell a pair apart if p is less; of human-significant pairs", minimum=0.000001, maximum=1
    )

    def __post_init__(self) -> None:
        is_number = isinstance(self.epsilon, float | int) and self.epsilon >= 0
        if not is_number and self.epsilon != "auto":
            raise UsageError(
                f"coefficient 'pairwise-accuracy': `epsilon` must be at least 0 or 'auto'; got {self.epsilon!r}."
            )
        super().__post_init__()
        chooses = (self.human_test, self.alpha) != ("rank-sum", 0.05)
        if chooses and not self.needs_items:
            raise UsageError(
                "coefficient 'pairwise-accuracy': `human_test` and `alpha` choose the pairs that people tell apart; "
                f'write pairwise-accuracy(pairs="human-significant", human_test="{self.human_test}", '
                f"alpha={self.alpha:g}), or leave them out."
            )
        if self.needs_items and self.is_fitted:
            raise UsageError(
                "coefficient 'pairwise-accuracy': `epsilon` = 'auto' is for scores of segments, and `pairs` = "
                f"{self.pairs!r} for whole systems; give a number, or leave one of them out."
            )

    @property
    def counts_ties(self) -> bool:
        """Yes, of all pairs: those that people tell apart are not tied."""
        return not self.needs_items

    @property
    def needs_items(self) -> bool:
        """True if only pairs that people tell apart count."""
        return self.pairs != "all"

    def check(self, design: Design) -> None:
        """Check that there are whole systems, always the same, if people must tell pairs apart."""
        if self.needs_items and not design.documents.is_whole:
            raise UsageError(
                "the coefficient 'pairwise-accuracy' with `pairs` = 'human-significant' compares whole systems: "
                f"`documents.kind` must be 'all' (level 'system' of compare); got {design.documents.name!r}."
            )
        if self.needs_items and design.resample in ("systems", "both"):
            raise UsageError(
                "the coefficient 'pairwise-accuracy' with `pairs` = 'human-significant' chooses pairs of these "
                f"systems: `uncertainty.resample` must be 'text', 'segments' or 'documents'; got {design.resample!r}."
            )

    def of_items(self, human: FloatArray) -> Coefficient:
        """Return the accuracy on the pairs that people tell apart, if so wanted."""
        if not self.needs_items or isinstance(self.epsilon, str):
            return self
        return SignificantPairs.from_items(human, self.epsilon, self.human_test, self.alpha)

    def among_pairs(self, pairs: BoolArray) -> Coefficient:
        """Return the accuracy on some pairs of systems, whether or not people tell them apart."""
        if self.needs_items or isinstance(self.epsilon, str):
            return super().among_pairs(pairs)
        return SignificantPairs(pairs, self.epsilon, self.human_test, self.alpha)

    @property
    def title(self) -> str:
        """acc_eq with a calibrated threshold."""
        return "acc_eq" if self.epsilon == "auto" else self.name

    @property
    def described(self) -> str:
        """Pairwise accuracy: of which pairs, and which differences of a metric are ties."""
        if self.epsilon == "auto":
            return "acc_eq, the pairwise accuracy with tie calibration"
        tied = f" where metric scores within {self.epsilon:g} are ties" if self.epsilon else ""
        of = f" on pairs of systems that the {self.human_test} test of human scores tells apart (p < {self.alpha:g})"
        return f"pairwise accuracy{of if self.needs_items else ''}{tied}"

    @property
    def is_fitted(self) -> bool:
        """True if the threshold is calibrated."""
        return self.epsilon == "auto"

    def step(self, n: int) -> float:
        """Return 1 of n (n - 1) / 2 pairs."""
        return 2.0 / (n * (n - 1)) if n > 1 else 0.0

    @property
    def per_right_pair(self) -> float | None:
        """1: it is the share of the right ones."""
        return 1.0 if self.epsilon == 0 and not self.needs_items else None

    @property
    def signature_items(self) -> tuple[tuple[str, str], ...]:
        """The difference that is a tie."""
        return (("epsilon", self.epsilon if isinstance(self.epsilon, str) else f"{self.epsilon:.15g}"),)

    def correlate(self, metric: FloatArray, human: FloatArray) -> FloatArray:
        """Correlate metric scores with human scores (..., n) along their last axis: (...)."""
        if self.needs_items:
            raise UsageError(
                "the pairs that people tell apart depend on the human scores of items; give them by `of_items`."
            )
        if isinstance(self.epsilon, str):
            return self.fitted(metric, human).correlate(metric, human)
        counts = count_pairs(metric, human, epsilon=self.epsilon)
        right = counts.concordant + counts.both_ties
        total = counts.total
        return np.asarray(np.divide(right, total, out=np.full(total.shape, np.nan), where=total > 0))

    def fitted(self, metric: FloatArray, human: FloatArray, where: BoolArray | None = None) -> PairwiseAccuracy:
        """Return the accuracy with the threshold that `tie_calibration` finds, if it is to be calibrated."""
        if self.epsilon != "auto":
            return self
        enough = np.full(metric.shape, True) if where is None else where
        if not (metric.size and (enough.sum(axis=-1) > 1).any()):
            return CalibratedAccuracy(0.0)
        return CalibratedAccuracy(tie_calibration(metric, human, where=where).epsilon)

    def replicated_means(
        self, metric: FloatArray, human: FloatArray, counts: npt.ArrayLike, where: BoolArray | None = None
    ) -> FloatArray:
        """Return the mean accuracy in replicates that draw rows, with the threshold calibrated in each."""
        if self.epsilon != "auto":
            return super().replicated_means(metric, human, counts, where)
        return calibrated_means(metric, human, counts, where=where)


@dataclass(frozen=True)
class CalibratedAccuracy(PairwiseAccuracy):
    """Pairwise accuracy with a threshold that was calibrated; each digit of it counts."""

    @property
    def title(self) -> str:
        """As that of the one that was fitted."""
        return "acc_eq"

    @property
    def per_right_pair(self) -> float | None:
        """None: the threshold depends on all scores."""
        return None

    @property
    def signature_items(self) -> tuple[tuple[str, str], ...]:
        """The calibrated threshold, for signatures."""
        return (("epsilon", "auto"), ("threshold", repr(float(self.epsilon))))


@dataclass(frozen=True)
class TieCalibration:
    """The threshold that suits a metric best, and what it gives.

    Attributes
    ----------
    epsilon : float
        Scores of the metric that differ by no more are best taken as tied; the smallest such threshold.
    accuracy : float
        The mean pairwise accuracy of the rows with it, from 0 to 1.
    n_rows : int
        The rows that the mean is taken over: those with at least two values.
    """

    epsilon: float
    accuracy: float
    n_rows: int


def tie_calibration(
    metric: npt.ArrayLike, human: npt.ArrayLike, *, where: npt.ArrayLike | None = None
) -> TieCalibration:
    """Find the threshold for ties with the highest mean pairwise accuracy (Deutsch et al. 2023).

    The definition: take each difference between two scores of the metric as the threshold in turn, and 0; the best is
    the one with the highest mean accuracy over the rows. All pairs are considered, none is sampled, but
    no accuracy is computed again: while the threshold grows, a pair that is tied in human scores becomes right once its
    difference is reached, and a pair that both sides ordered alike becomes wrong. So two sorted lists of differences
    count the right pairs of every threshold. Time grows as n^2 log(n), memory as the pairs tied in human scores.

    The accuracy is that on the data that chose the threshold, as ``pairwise-accuracy(epsilon="auto")`` is; for other
    data, give the threshold to ``pairwise-accuracy``.

    The mean is taken over rows, so a pair in a row where values are missing weighs more than one in a full row.

    Parameters
    ----------
    metric, human : (..., n) array_like
        Finite numbers where present. One threshold is found for all rows together; pairs are formed inside rows.
    where : (..., n) array_like of bool, optional
        The values that are present; all of them by default. A row of fewer than two is left out of the mean.

    Raises
    ------
    ValueError
        If the shapes differ, a number that is present is not finite, or there is no pair.
    """
    x, y, present = _checked_scores(metric, human, where)
    blocks = [block for _, *block in rows_of_one_length(x, y, present)]
    n_rows = sum(len(values) for values, _ in blocks)
    if not n_rows:
        raise ValueError(f"`metric` and `human` must hold at least one pair; got the shape {np.shape(metric)}.")
    # Only the difference of a pair that is tied in human scores makes anything right; all others need not be tried.
    gains = [_sorted_ties(block) for block in blocks]
    thresholds = np.concatenate([[0.0], *gains])
    if len(blocks) > 1:
        thresholds.sort()
    pairs = [_n_pairs(values.shape[1]) for values, _ in blocks]
    unit = _unit(pairs, n_rows)
    right = np.zeros(len(thresholds))
    for block, gained, n_pairs in zip(blocks, gains, pairs, strict=True):
        lost, agreed = _counts_up_to(block, thresholds)
        right += (np.searchsorted(gained, thresholds, side="right") + agreed - lost) * (unit / n_pairs)
    best = int(np.argmax(right >= right.max() * (1 - EQUAL)))
    return TieCalibration(float(thresholds[best]), float(right[best]) / (n_rows * unit), n_rows)


def calibrated_means(
    metric: npt.ArrayLike, human: npt.ArrayLike, counts: npt.ArrayLike, *, where: npt.ArrayLike | None = None
) -> FloatArray:
    """Return the highest mean accuracy that a threshold for ties gives, in replicates that draw rows.

    What `tie_calibration` finds for the rows of each replicate, each as often as it was drawn. The pairs whose verdict
    changes while the threshold grows are sorted once; a replicate is a running sum over them, in which a pair weighs as
    often as its row was drawn.

    Parameters
    ----------
    metric, human : (rows, n) array_like
        Finite numbers where present.
    counts : (replicates, rows) array_like of int
        How often each row is drawn, up to 65,535 times.
    where : (rows, n) array_like of bool, optional
        The values that are present; all of them by default.

    Returns
    -------
    (replicates,) float array
        From 0 to 1; ``nan`` where no row with a pair is drawn.

    Raises
    ------
    ValueError
        If the shapes differ, a number that is present is not finite, or a count is not from 0 to 65,535.
    """
    x, y, present = _checked_scores(metric, human, where)
    drawn = np.asarray(counts)
    if drawn.ndim != 2 or drawn.shape[1] != len(x):
        raise ValueError(f"`counts` must be (replicates, rows) for {len(x)} rows; got {drawn.shape}.")
    if drawn.size and not (drawn.min() >= 0 and drawn.max() <= _MAX_DRAWS):
        raise ValueError(f"`counts` must be from 0 to {_MAX_DRAWS}; got {drawn.min()} to {drawn.max()}.")
    pairs = _n_pairs(present.sum(axis=1))
    used = pairs > 0
    n_used = drawn[:, used].sum(axis=1, dtype=np.int64)
    unit = _unit(pairs[used].tolist(), int(n_used.max(initial=0)))
    weights = np.divide(unit, pairs, out=np.zeros(len(pairs)), where=used)
    steps, right = _verdicts(x, y, present)
    largest = _largest_sums(steps, right * weights, weights, np.ascontiguousarray(drawn, dtype=np.uint16))
    return np.asarray(np.divide(largest, n_used * unit, out=np.full(len(drawn), np.nan), where=n_used > 0))


_Block: TypeAlias = Sequence[FloatArray]
# The sizes of the differences of pairs, and the changes of their verdicts.
_Changes: TypeAlias = tuple[FloatArray, npt.NDArray[np.int32]]


def _checked_scores(
    metric: npt.ArrayLike, human: npt.ArrayLike, where: npt.ArrayLike | None
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return scores and what is present of them as (rows, n); raise ValueError if they do not fit."""
    present = None if where is None else np.asarray(where, dtype=bool)
    shape = np.shape(metric)
    if present is not None and present.shape != shape:
        raise ValueError(f"`where` must have the shape of `metric`, {shape}; got {present.shape}.")
    x, y = checked(metric, human, where=present)
    present = np.ones(x.shape, dtype=bool) if present is None else present
    shape = math.prod(x.shape[:-1]), x.shape[-1]
    return x.reshape(shape), y.reshape(shape), present.reshape(shape)


def _n_pairs(n: Any) -> Any:
    """Return the number of pairs of n values."""
    return n * (n - 1) // 2


def _unit(pairs: Sequence[int], n_rows: int) -> int:
    """Return the unit to count accuracies in, of rows that have so many pairs.

    In whole numbers as far as possible: thresholds that are equally good must be equal to the last bit.
    """
    common = math.lcm(*pairs)
    return common if common * n_rows < _MAX_EXACT_COUNT else 1


def _verdicts(x: FloatArray, y: FloatArray, present: BoolArray) -> tuple[npt.NDArray[np.int32], IntArray]:
    """Return the changes of verdicts on pairs while the threshold grows, and how many are right without one, by row.

    A change is the number r of the row of a pair that becomes right, or ``~r`` of one that becomes wrong. Of equal
    differences the latter come first: no sum up to a place among them is above those up to their ends.
    """
    right = np.zeros(len(x), dtype=np.int64)
    losses, gains = list[_Changes](), list[_Changes]()
    for rows, *block in rows_of_one_length(x, y, present):
        for dx, dy in _differences(block, _BATCH_DIFFERENCES):
            # Differences come place by place, each of all rows.
            row = np.tile(rows.astype(np.int32), len(dx) // len(rows))
            size = np.abs(dx)
            both_tied = (dx == 0) & (dy == 0)
            agrees = ((dx > 0) == (dy > 0)) & (dx != 0) & (dy != 0)
            becomes_right = (dy == 0) & (dx != 0)
            right += np.bincount(row[agrees | both_tied], minlength=len(x))
            losses.append((size[agrees], ~row[agrees]))
            gains.append((size[becomes_right], row[becomes_right]))
    # Pairs that become right stand last, so that they do among equals.
    sizes = np.concatenate([np.empty(0), *(size for size, _ in (*losses, *gains))])
    changes = np.concatenate([np.empty(0, np.int32), *(change for _, change in (*losses, *gains))])
    changes = changes[np.argsort(sizes, kind="stable")]
    last_gain = int(np.flatnonzero(changes >= 0).max(initial=-1))
    return changes[: last_gain + 1], right


def _largest_sums(
    steps: npt.NDArray[np.int32], starts: FloatArray, weights: FloatArray, counts: npt.NDArray[np.uint16]
) -> FloatArray:
    """Return the largest of the running sums of steps in each replicate: (replicates,).

    A step r adds the weight of row r, as often as it was drawn; ``~r`` takes it away. The first sum is that of the
    starts of the rows.
    """
    largest = largest_running_sums(steps, starts, weights, counts)
    if largest is not None:
        return largest
    rows = np.where(steps < 0, ~steps, steps)
    signs = np.where(steps < 0, -1.0, 1.0)
    largest = np.empty(len(counts))
    for replicate, drawn in enumerate(counts):
        # Added one after the other, as the kernel does.
        first = np.cumsum(np.concatenate([[0.0], starts * drawn]))[-1:]
        largest[replicate] = np.cumsum(np.concatenate([first, signs * (weights * drawn)[rows]])).max()
    return largest


def rows_of_one_length(
    x: FloatArray, y: FloatArray, present: BoolArray
) -> Iterator[tuple[IntArray, FloatArray, FloatArray]]:
    """Yield the rows of equally many values, at least two, and these: (rows,), (rows, values), (rows, values)."""
    lengths = present.sum(axis=1)
    for length in np.unique(lengths[lengths > 1]).tolist():
        rows = np.flatnonzero(lengths == length)
        values_present = present[rows]
        yield rows, x[rows][values_present].reshape(-1, length), y[rows][values_present].reshape(-1, length)


def _differences(block: _Block, at_once: int) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield the differences of x and of y (pairs), about so many at once, but never fewer than of one place."""
    first, second = (np.ascontiguousarray(values.T) for values in block)
    n, n_rows = first.shape
    position = 0
    with np.errstate(over="ignore"):
        while position < n - 1:
            last = position + 1
            while last < n - 1 and (last - position) * (n - position) * n_rows < at_once:
                last += 1
            yield (
                np.concatenate([(first[i + 1 :] - first[i]).ravel() for i in range(position, last)]),
                np.concatenate([(second[i + 1 :] - second[i]).ravel() for i in range(position, last)]),
            )
            position = last


def _sorted_ties(block: _Block) -> FloatArray:
    """Return the differences, without sign, of the pairs that are tied in human scores, from the least."""
    return np.sort(np.concatenate([np.abs(dx[dy == 0]) for dx, dy in _differences(block, _BATCH_DIFFERENCES)]))


def _counts_up_to(block: _Block, thresholds: FloatArray) -> tuple[IntArray, int]:
    """Count the pairs ordered alike that differ by no more than each threshold, and all of them."""
    counts = np.zeros(len(thresholds), dtype=np.int64)
    total = 0
    # Each part is searched for every threshold, so the parts grow with the number of thresholds.
    for dx, dy in _differences(block, max(_BATCH_DIFFERENCES, len(thresholds))):
        agreed = np.sort(np.abs(dx[((dx > 0) == (dy > 0)) & (dx != 0) & (dy != 0)]))
        counts += np.searchsorted(agreed, thresholds, side="right")
        total += len(agreed)
    return counts, total
