"""Several judgments of one item become one number: their mean, their median, or one drawn at random.

An item is a segment of a system. A rule comes before pooling, so an item with three judgments weighs no more than one
with two. ``mean`` and ``median`` give fixed statistics (value, 1); ``draw`` (Turian, Shen and Melamed 2003) chooses a
judgment anew for each place in a document and each system.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metaeval.datamodel.corpus import FloatArray, IntArray
from metaeval.datamodel.pooling import JudgedValues, pool_drawn
from metaeval.kernels import pool_documents as kernels
from metaeval.runtime.randomness import generator, seed_words


def group_by_item(
    systems: IntArray, segments: IntArray, judges: IntArray, values: FloatArray, shape: tuple[int, int]
) -> JudgedValues:
    """Sort judgments by item and judge, so that their order in a file does not matter.

    Parameters
    ----------
    systems, segments, judges : (judgments,) int arrays
    values : (judgments,) float array
    shape : (int, int)
        The numbers of systems and segments.
    """
    items = np.ravel_multi_index((systems, segments), shape)
    order = np.lexsort((judges, items))
    counts = np.bincount(items, minlength=shape[0] * shape[1])
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    return JudgedValues(values[order], starts.reshape(shape), counts.reshape(shape))


def restrict(judged: JudgedValues, systems: IntArray, segments: IntArray) -> JudgedValues:
    """Return the judgments of some systems and segments, in this order."""
    items = np.ix_(systems, segments)
    return JudgedValues(judged.values, judged.starts[items], judged.counts[items])


def reduce_items(judged: JudgedValues, rule: str) -> FloatArray:
    """Return the value of each item: the median of its judgments by that rule, else their mean.

    Parameters
    ----------
    judged : JudgedValues
    rule : str
        As an experiment has it. By the rule ``draw`` an item has a value of its own in each document, and by ``stored``
        none; the mean stands for both.

    Returns
    -------
    (systems, segments, 2) float array
        The value and 1; ``nan`` and 0 where an item has no judgment.
    """
    counts = judged.counts
    reduced = np.full((*counts.shape, 2), np.nan)
    reduced[..., 1] = counts > 0
    for count in np.unique(counts[counts > 0]):
        items = counts == count
        values = judged.values[judged.starts[items][:, None] + np.arange(count)]
        reduced[items, 0] = np.median(values, axis=1) if rule == "median" else values.mean(axis=1)
    return reduced


@dataclass(frozen=True)
class DrawnJudgments:
    """A judgment for each place in a document and each system.

    Attributes
    ----------
    first : (documents, systems, length) int array
        Positions in `JudgedValues.values`; one beyond the last where the item has no judgment.
    second : the same, or None
        Another judgment of the same item, never the first.
    """

    first: npt.NDArray[np.int32]
    second: npt.NDArray[np.int32] | None


def draw_judgments(
    judged: JudgedValues, segments: IntArray, generators: Sequence[np.random.Generator], *, two: bool
) -> DrawnJudgments:
    """Draw one judgment, or two different ones, for each place in a document and each system.

    Parameters
    ----------
    judged : JudgedValues
        Every drawn item has two judgments, if two are drawn.
    segments : (documents, length) int array
        The segments of the documents.
    generators : sequence of Generator
        One for each system, so that the draws for a system do not depend on the others.
    two : bool
        Whether a second judgment is drawn too. The first ones are the same either way.
    """
    n_systems = len(generators)
    first = np.empty((segments.shape[0], n_systems, segments.shape[1]), dtype=np.int32)
    second = np.empty_like(first) if two else None
    for system, rng in enumerate(generators):
        starts, counts = judged.starts[system][segments], judged.counts[system][segments]
        chosen = (rng.random(segments.shape) * counts).astype(np.int32)
        first[:, system] = np.where(counts > 0, starts + chosen, len(judged.values))
        if second is not None:
            step = 1 + (rng.random(segments.shape) * (counts - 1)).astype(np.int32)
            second[:, system] = starts + (chosen + step) % counts
    return DrawnJudgments(first, second)


def pool_judgments(
    judged: JudgedValues,
    segments: IntArray,
    seed: int,
    streams: Sequence[Sequence[tuple[str | int, ...]]],
    *,
    two: bool,
) -> list[FloatArray]:
    """Return the sums and counts of the judgments that :func:`draw_judgments` draws for each document and system.

    Parameters
    ----------
    judged, segments, two
        See there.
    seed : int
    streams : sequence of sequence of tuple of str and int
        The names of the generators of the systems, for each of the equal parts that documents come in.

    Returns
    -------
    list of (documents, systems, 2) float arrays
        Of the first judgments, and of the second if two are drawn.
    """
    words = seed_words(seed, [name for names in streams for name in names]).reshape(
        len(streams), len(judged.counts), -1
    )
    pooled = kernels.draw_judgments(judged.values, judged.starts, judged.counts, segments, words, two=two)
    if pooled is not None:
        return list(pooled)
    drawn = [
        draw_judgments(judged, part, [generator(seed, *name) for name in names], two=two)
        for part, names in zip(np.split(segments, len(streams)), streams, strict=True)
    ]
    first = [part.first for part in drawn]
    second = [part.second for part in drawn if part.second is not None]
    return [pool_drawn(judged.values, np.concatenate(side)) for side in (first, second) if side]
