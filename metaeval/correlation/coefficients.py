"""Correlation coefficients, computed for many pairs of vectors at once.

Every coefficient takes two arrays of equal shape and correlates them along the last axis. A pair of which one side is
constant has no correlation: the result is ``nan``, except of Spearman's formula without correction for ties, which has
a value (0.5 beside values that all differ). Coefficients that count pairs are in kendall.py and pairwise_accuracy.py;
some of them have a value there, because a missed order is a mistake. Soft pairwise accuracy
(soft_pairwise_accuracy.py), and those that pool the pairs within documents (within_documents.py), take a grid of
documents and systems instead of vectors.

Sources
-------
Spearman's coefficient is Pearson's of mid-ranks, which is what its correction for ties amounts to (Kendall 1945, The
treatment of ties in ranking problems). The formula without correction is 1 - 6 sum(d**2) / (n**3 - n).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from metaeval.components.coefficient import Coefficient
from metaeval.correlation.array_helpers import sums_of_products
from metaeval.correlation.tolerances import MIN_SUM_OF_SQUARES
from metaeval.datamodel.corpus import FloatArray
from metaeval.errors import UsageError
from metaeval.kernels import rank_correlations as kernels
from metaeval.parameters.fields import parameter

TIES = ("average", "uncorrected", "ordinal")
_DEFAULT_SEED = 1
# Up to this many values, counting comparisons is faster than sorting.
_MAX_VALUES_TO_COUNT = 64
# 2**64 divided by the golden ratio: multiples of it are spread evenly over 64-bit words.
_GOLDEN_STEP = np.uint64(0x9E3779B97F4A7C15)


def _spearman(x: FloatArray, y: FloatArray, ties: str) -> FloatArray:
    """Correlate lines (lines, ..., n) with the same human scores (..., n), which are ranked once: (lines, ...)."""
    n = x.shape[-1]
    values = kernels.spearman(x, y, corrected=ties == "average")
    if values is not None:
        return values
    # Twice the ranks, centred, are whole numbers: all sums below are exact.
    first = _double_ranks(x) - n
    second = _double_ranks(y)[:, np.newaxis] - n
    if ties == "uncorrected":
        return np.asarray(1.0 - 1.5 * np.square(first - second).sum(axis=0) / (n**3 - n))
    squares = np.square(first).sum(axis=0) * np.square(second).sum(axis=0)
    products = (first * second).sum(axis=0)
    r: FloatArray = np.divide(products, np.sqrt(squares), out=np.full(products.shape, np.nan), where=squares > 0)
    return np.asarray(np.clip(r, -1.0, 1.0))


def midranks(x: npt.ArrayLike) -> FloatArray:
    """Return the ranks 1 to n along the last axis; equal values share the mean of their ranks."""
    return np.moveaxis((_double_ranks(np.asarray(x, dtype=np.float64)) + 1.0) / 2.0, 0, -1)


@dataclass(frozen=True)
class Pearson(Coefficient, name="pearson"):
    """Pearson's product-moment correlation."""

    is_odd: ClassVar[bool] = True
    has_fisher_scale: ClassVar[bool] = True
    of_moments: ClassVar[bool] = True

    @property
    def described(self) -> str:
        """Pearson's correlation coefficient."""
        return "Pearson's correlation coefficient"

    def prepare(self, scores: FloatArray, *, is_human: bool = False) -> FloatArray:
        """Return scores of length 1, ``nan`` where they are constant."""
        if scores.shape[-1] < 2:
            return scores
        # Equal numbers can differ from their mean by rounding, so constancy is judged before centring.
        constant = (scores == scores[..., :1]).all(axis=-1)
        scaled = of_length_one(scores)
        scaled[constant] = np.nan
        return scaled

    def correlate(self, metric: FloatArray, human: FloatArray) -> FloatArray:
        """Correlate two arrays (..., n) of length 1 along their last axis: (...)."""
        if human.shape[-1] < 2:
            return np.full(np.broadcast_shapes(metric.shape, human.shape)[:-1], np.nan)
        return np.asarray(np.clip(sums_of_products(metric, human), -1.0, 1.0))


@dataclass(frozen=True)
class Spearman(Coefficient, name="spearman", sources=("spearman1904",)):
    """Spearman's rank correlation, corrected for ties by default.

    With ties in a random order, that order depends on the seed, on the side, and on the values and places of the vector
    itself, and on nothing else: it is another one in each row, but a row gives the same alone and among others. A
    constant side then has a value, which is 0 in the mean over seeds.
    """

    # Also where ties are put in an order: the sign is flipped then, and no other order is drawn for negated scores.
    is_odd: ClassVar[bool] = True
    has_fisher_scale: ClassVar[bool] = True

    ties: str = parameter("average", doc="how equal values are ranked", choices=TIES)
    seed: int = parameter(_DEFAULT_SEED, doc='for ties="ordinal": draws the order of equal values', minimum=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.seed != _DEFAULT_SEED and self.ties != "ordinal":
            raise UsageError(
                f"coefficient 'spearman': `seed` is for ties='ordinal', which draws an order; got {self.seed!r} with "
                f"ties={self.ties!r}."
            )

    @property
    def described(self) -> str:
        """Spearman's coefficient, and how ties count if it is not corrected for them."""
        ties = {"average": "", "uncorrected": " without correction for ties", "ordinal": " with ties in random order"}
        return f"Spearman's rank correlation coefficient{ties[self.ties]}"

    @property
    def signature_items(self) -> tuple[tuple[str, str], ...]:
        """The treatment of ties, and the seed where their order is drawn."""
        return (("ties", self.ties), *((("seed", str(self.seed)),) if self.ties == "ordinal" else ()))

    def largest_on_fisher_scale(self, n: int) -> float:
        """Return halfway from 1 to the next value without ties, 1 - 12 / (n**3 - n)."""
        return 1.0 - 6.0 / (n**3 - n) if n > 2 else 0.5

    def prepare(self, scores: FloatArray, *, is_human: bool = False) -> FloatArray:
        """Return ranks where ties are put in an order; the others are ranked where they are correlated."""
        if self.ties != "ordinal":
            return scores
        return _ordinal_ranks(scores, np.random.SeedSequence(self.seed).generate_state(2, np.uint64)[int(is_human)])

    def correlate(self, metric: FloatArray, human: FloatArray) -> FloatArray:
        """Correlate two arrays (..., n) along their last axis: (...)."""
        return np.asarray(self.correlate_metrics([self], [metric], human)[0])

    def correlate_metrics(
        self, kinds: Sequence[Coefficient], metrics: Sequence[FloatArray], human: FloatArray
    ) -> FloatArray:
        """Correlate metrics (..., n) with human scores, which are ranked once for all of them: (metrics, ...)."""
        n = human.shape[-1]
        if n < 2:
            return np.full((len(metrics), *human.shape[:-1]), np.nan)
        if self.ties != "ordinal":
            return _spearman(np.asarray(metrics), human, self.ties)
        # The squares of the distances are the squares of all ranks less twice the products: whole numbers, exact up to
        # 2**53, which is some 300,000 scores.
        distances = n * (n + 1) * (2 * n + 1) // 3 - 2.0 * np.stack(
            [sums_of_products(metric, human) for metric in metrics]
        )
        return np.asarray(1.0 - 6.0 * distances / (n**3 - n))


def of_length_one(x: FloatArray) -> FloatArray:
    """Return x (..., n) centred and scaled to length 1 along the last axis; anything where it is constant."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        centred = x - x.mean(axis=-1, keepdims=True)
        squares = sums_of_products(centred, centred)
        scaled = np.asarray(centred / np.sqrt(squares)[..., None])
    # Squares of huge and tiny numbers leave the range, and so must be made of smaller or greater ones.
    far = ~((squares > MIN_SUM_OF_SQUARES) & (squares < 1.0 / MIN_SUM_OF_SQUARES))
    if far.any():
        x = x[far]
        largest = np.abs(x).max(axis=-1, keepdims=True)
        x = x / np.where(largest > 0, largest, 1.0)
        x = x - x.mean(axis=-1, keepdims=True)
        spread = np.abs(x).max(axis=-1, keepdims=True)
        x /= np.where(spread > 0, spread, 1.0)
        norm = np.sqrt(sums_of_products(x, x))[..., None]
        scaled[far] = x / np.where(norm > 0, norm, 1.0)
    return scaled


def _ordinal_ranks(x: FloatArray, start: np.uint64) -> FloatArray:
    """Return the ranks 1 to n along the last axis; equal values stand in an order drawn from `start` and the vector."""
    ranks = kernels.ordinal_ranks(x, start)
    if ranks is not None:
        return ranks
    n = x.shape[-1]
    bits = (x + 0.0).view(np.uint64)  # 0 and -0 are equal numbers, and become equal bits
    steps = np.arange(1, n + 1, dtype=np.uint64) * _GOLDEN_STEP
    vector = _mixed(bits + steps).sum(axis=-1, keepdims=True) + start
    order = np.lexsort((_mixed(_mixed(vector) + steps), x), axis=-1)
    ranks = np.empty(x.shape)
    np.put_along_axis(ranks, order, np.broadcast_to(np.arange(1.0, n + 1.0), x.shape), axis=-1)
    return ranks


def _mixed(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Spread the bits of 64-bit words, one to one, so that neighbours look unrelated.

    The last steps of the generator SplitMix64 (Steele, Lea and Flood 2014, Fast splittable pseudorandom number
    generators).
    """
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def _double_ranks(x: FloatArray) -> FloatArray:
    """Return 2 * midrank - 1 of x (..., n) with the ranked axis first: (n, ...), whole numbers from 1 to 2n - 1."""
    columns = np.ascontiguousarray(np.moveaxis(x, -1, 0))
    if len(columns) <= _MAX_VALUES_TO_COUNT:
        return _double_ranks_by_counting(columns)
    n = len(columns)
    flat = columns.reshape(n, -1)
    order = np.argsort(flat, axis=0, kind="stable")
    ordered = np.take_along_axis(flat, order, axis=0)
    starts = np.ones(flat.shape, dtype=bool)
    starts[1:] = ordered[1:] != ordered[:-1]
    is_end = np.ones(flat.shape, dtype=bool)
    is_end[:-1] = starts[1:]
    positions = np.arange(n)[:, None]
    first = np.maximum.accumulate(np.where(starts, positions, 0), axis=0)
    last = np.minimum.accumulate(np.where(is_end, positions, n)[::-1], axis=0)[::-1]
    ranks = np.empty(flat.shape)
    np.put_along_axis(ranks, order, (first + last + 1).astype(np.float64), axis=0)
    return ranks.reshape(columns.shape)


def _double_ranks_by_counting(columns: FloatArray) -> FloatArray:
    """Count, for each value, the values below it and the values not above it; `columns` is (n, ...)."""
    counts = np.zeros(columns.shape, dtype=np.int8)  # at most 2 * _MAX_VALUES_TO_COUNT - 1 = 127
    for column in columns:
        counts += (columns > column).view(np.int8)
        counts += (columns >= column).view(np.int8)
    return counts.astype(np.float64)
