r"""BLEU: modified n-gram precision with a brevity penalty.

.. math:: \mathrm{BLEU} = \exp(\min(0, 1 - r/c)) \cdot \Big(\prod_n m_n / t_n\Big)^{1/N}

m_n are the clipped matches of order n, t_n the candidate's n-grams, c its length and r the effective reference length,
all added over the segments of a document. Scores are from 0 to 1.

Conventions. A match is clipped at the largest count in any one reference. The effective reference length is chosen for
each segment before adding. Unsmoothed, an order without a match gives 0; in the arithmetic mean it contributes 0. An
empty candidate scores 0.

Sources
-------
In `bibliography.toml`: papineni2002; finch2004 (average reference length); morgenroth2011 (arithmetic mean, lists of
orders); mteval (its smoothing); chen2014, post2018 (the other smoothings, as in sacreBLEU 2).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from metaeval.datamodel.corpus import FloatArray
from metaeval.errors import UsageError
from metaeval.metrics.division import quotient
from metaeval.metrics.ngram_metric import NgramMetric
from metaeval.parameters.calls import Signature
from metaeval.parameters.fields import parameter
from metaeval.version import VERSION

# Products of up to this many counts of a test set stay far below the largest double.
MAX_ORDER = 30
# The kinds of smoothing that have a number, and which it is unless another is given.
DEFAULT_SMOOTH_VALUES = {"floor": 0.1, "add-k": 1.0}


@dataclass(frozen=True)
class Bleu(NgramMetric, name="bleu", title="BLEU"):
    """BLEU of order 4 as in the original paper, and its published variants."""

    printed_times: ClassVar[int] = 100

    order: int = parameter(
        4, doc="the longest n-grams; all orders from 1 to this one count", minimum=1, maximum=MAX_ORDER
    )
    orders: tuple[int, ...] | None = parameter(
        None, doc="the orders that count, such as [2, 3], instead of 1 to `order`", minimum=1, maximum=MAX_ORDER
    )
    mean: str = parameter("geometric", doc="the mean over the orders", choices=("geometric", "arithmetic"))
    length: str = parameter(
        "closest",
        doc="the effective reference length of a segment; closest takes the shorter one on ties",
        choices=("closest", "shortest", "average"),
    )
    smooth: str = parameter(
        "none", doc="what an order without a match counts", choices=("none", "mteval", "floor", "add-k", "exp")
    )
    smooth_value: float | None = parameter(
        None, doc="the number of floor (0.1 where none is given) or add-k (1)", minimum=0.0, maximum=1000.0
    )
    effective_order: bool = parameter(
        False, doc="whether orders of which the candidate has no n-grams are left out of the mean, as sacreBLEU may"
    )

    def __post_init__(self) -> None:
        if self.orders is not None:
            if not 0 < len(self.orders) <= MAX_ORDER or len(set(self.orders)) < len(self.orders):
                raise UsageError(
                    f"metric 'bleu': `orders` must be a list of different orders, such as [2, 3]; got {self.orders!r}."
                )
            if self.order != type(self).order:
                raise UsageError(
                    f"metric 'bleu': give `order` or `orders`, not both; got order={self.order} and "
                    f"orders={list(self.orders)}."
                )
        if self.smooth != "none" and self.mean == "arithmetic":
            raise UsageError(
                f"metric 'bleu': `smooth` needs the geometric mean; got smooth={self.smooth!r} with the arithmetic "
                "mean, which needs no smoothing."
            )
        if self.effective_order and (self.mean == "arithmetic" or self.smooth == "mteval"):
            raise UsageError(
                "metric 'bleu': `effective_order` belongs to the geometric mean with sacreBLEU's smoothing or none; "
                "the arithmetic mean and mteval's smoothing have rules of their own for absent orders."
            )
        if self.smooth_value is not None and self.smooth not in DEFAULT_SMOOTH_VALUES:
            raise UsageError(f"metric 'bleu': `smooth_value` belongs to floor and add-k, not to {self.smooth!r}.")

    @cached_property
    def used_orders(self) -> tuple[int, ...]:
        """List the orders that count, ascending."""
        return tuple(sorted(self.orders)) if self.orders is not None else tuple(range(1, self.order + 1))

    @property
    def length_rule(self) -> str:
        """Name the rule for the length that stands for those of several references."""
        return self.length

    @cached_property
    def used_smooth_value(self) -> float:
        """Return the number of the smoothing; 0 where it has none."""
        return DEFAULT_SMOOTH_VALUES.get(self.smooth, 0.0) if self.smooth_value is None else self.smooth_value

    @property
    def signature(self) -> Signature:
        """Name, parameters and version."""
        smooth = f"{self.smooth}[{self.used_smooth_value:g}]" if self.used_smooth_value else self.smooth
        orders = {"orders": "+".join(map(str, self.used_orders))} if self.orders else {"order": str(self.order)}
        effective = {"eff": self.effective_order} if self.mean == "geometric" else {}
        return Signature("BLEU").with_items(
            **orders, mean=self.mean, length=self.length, smooth=smooth, **effective, version=VERSION
        )

    def score(self, statistics: FloatArray) -> FloatArray:
        """Return BLEU, 0 to 1, of pooled statistics: (..., statistics) to (...)."""
        n = len(self.used_orders)
        matches = [statistics[..., k] for k in range(n)]
        totals = [statistics[..., n + k] for k in range(n)]
        candidate, reference = statistics[..., -2], statistics[..., -1]
        if self.mean == "arithmetic":
            average = sum(quotient(m, t) for m, t in zip(matches, totals, strict=True)) / n
        else:
            # Products of counts are exact, so equal precisions give equal scores and ties stay ties; logarithms do not.
            above, below = self._smoothed(matches, totals)
            if self.effective_order:
                average = self._mean_of_effective_orders(above, below)
            else:
                average = _root(quotient(_product(above), _product(below)), n)
        shortfall = np.minimum(0.0, 1.0 - quotient(reference, candidate, otherwise=np.inf))
        return np.asarray(average * np.exp(shortfall))

    def _mean_of_effective_orders(self, above: list[FloatArray], below: list[FloatArray]) -> FloatArray:
        absent = [b == 0 for b in below]
        n_present = len(below) - np.sum(absent, axis=0)
        product = quotient(
            _product([np.where(skip, 1.0, a) for skip, a in zip(absent, above, strict=True)]),
            _product([np.where(skip, 1.0, b) for skip, b in zip(absent, below, strict=True)]),
        )
        return np.asarray(np.where(n_present > 0, product ** (1.0 / np.maximum(n_present, 1)), 0.0))

    def _smoothed(self, matches: list[FloatArray], totals: list[FloatArray]) -> tuple[list[FloatArray], ...]:
        """Return numerators and denominators of the precisions, an array (...) for each order."""
        if self.smooth == "none":
            return matches, totals
        above, below = [], []
        unmatched_so_far = np.zeros(matches[0].shape)
        any_match = np.logical_or.reduce([m > 0 for m in matches])
        for order, m, t in zip(self.used_orders, matches, totals, strict=True):
            unmatched = (m == 0) & (t > 0)
            unmatched_so_far = unmatched_so_far + unmatched
            if self.smooth == "add-k":
                added = self.used_smooth_value if order > 1 else 0.0
                numerator, denominator = m + added, t + added
            elif self.smooth == "floor":
                numerator, denominator = np.where(unmatched, self.used_smooth_value, m), t
            else:
                numerator = np.where(unmatched, 1.0, m)
                denominator = np.where(unmatched, t * np.exp2(unmatched_so_far), t)
            if self.smooth == "mteval":
                numerator, denominator = np.where(t == 0, 1.0, numerator), np.where(t == 0, 1.0, denominator)
            else:
                # sacreBLEU: no match at all is 0, whatever the smoothing.
                numerator = np.where(any_match, numerator, 0.0)
            above.append(numerator)
            below.append(denominator)
        return above, below


def _product(factors: Sequence[FloatArray]) -> FloatArray:
    return functools.reduce(np.multiply, factors)


def _root(x: FloatArray, degree: int) -> FloatArray:
    """Return the root, by square roots as far as these go: they are faster than powers and rounded exactly."""
    while degree % 2 == 0:
        x, degree = np.sqrt(x), degree // 2
    return np.asarray(x if degree == 1 else x ** (1.0 / degree))
