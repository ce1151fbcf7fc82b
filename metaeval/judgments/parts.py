"""The judgments of each item in two parts that share none: what one half of the people say, and what the other.

================  ==============================================================
kind              the two parts of an item with m judgments
================  ==============================================================
inter-judge       one judgment; another one
one-against-rest  one judgment; the mean of the other m - 1
split-half        the means of two halves; of an odd m, a draw says which half
                  has one judgment more
================  ==============================================================

Every draw puts the judgments of each item in a random order anew, and makes the parts of all three kinds from it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metaeval.records import BoolArray, FloatArray, IntArray, JudgedValues

KINDS = ("inter-judge", "one-against-rest", "split-half")


@dataclass(frozen=True)
class Parts:
    """Two values for each item with two or more judgments, in each draw.

    Attributes
    ----------
    first, second : mapping of kind to (draws, systems, segments) float array
        0 where an item has fewer than two judgments.
    """

    first: dict[str, FloatArray]
    second: dict[str, FloatArray]


def usable(judged: JudgedValues) -> BoolArray:
    """Return which items have two judgments or more: (systems, segments)."""
    return np.asarray(judged.counts > 1)


def draw_parts(judged: JudgedValues, n_draws: int, rng: np.random.Generator) -> Parts:
    """Draw the parts of all items.

    Parameters
    ----------
    judged : JudgedValues
        Items with fewer than two judgments are left out.
    n_draws : int
    rng : Generator
        Only uniform numbers are taken from it.
    """
    shape = (n_draws, *judged.counts.shape)
    parts = Parts({kind: np.zeros(shape) for kind in KINDS}, {kind: np.zeros(shape) for kind in KINDS})
    for count in np.unique(judged.counts[judged.counts > 1]):
        items = judged.counts == count
        values = judged.values[judged.starts[items][:, None] + np.arange(count)]
        order = rng.random((n_draws, *values.shape)).argsort(axis=-1)
        values = np.take_along_axis(values[None], order, axis=-1)
        total = values.sum(axis=-1)
        one = values[..., 0]
        small = count // 2
        half = values[..., :small].sum(axis=-1)
        sizes = np.full(half.shape, small)
        if count % 2:
            longer = rng.random(half.shape) < 0.5
            half = np.where(longer, half + values[..., small], half)
            sizes += longer
        for kind, first, second in (
            ("inter-judge", one, values[..., 1]),
            ("one-against-rest", one, (total - one) / (count - 1)),
            ("split-half", half / sizes, (total - half) / (count - sizes)),
        ):
            parts.first[kind][:, items], parts.second[kind][:, items] = first, second
    return parts


def length_factor(counts: IntArray) -> float:
    """Return how many times more judgments all of them are than a random half of them, on average.

    The error variance of a mean of k judgments is proportional to 1 / k. So the factor is the mean of 1 / k over both
    halves of all items, divided by that over all items: 2 where all numbers are even, 2.25 where all are three.

    Parameters
    ----------
    counts : (items,) int array
        The numbers of judgments, each at least 2.
    """
    small = counts // 2
    return float((0.5 / small + 0.5 / (counts - small)).mean() / (1.0 / counts).mean())
