"""Count how often 95 % intervals of Krippendorff's alpha contain it: ratings whose alpha is known, many times over.

Prints a table in Markdown for docs/calibration-tables.md. Judge j gives item i of a segment the latent score

    latent[i, j] = sqrt(share) * quality[i] + sqrt(1 - share) * noise[i, j] + offset[j]

All are normal with variance 1; where a segment has several items, half of the variance of their qualities is that of
the segment. The offsets of judges reach from -0.2 to 0.2 and stay. There are five kinds of ratings:

normal          the latent scores
grades          five grades of them, the middle one the most frequent
skewed grades   five grades of them, most of them the best
penalties       a Poisson number of errors, of mean exp(sqrt(share) * quality + offset); a quarter of them count five
                times, and all together at most 25
rare penalties  the same, of mean exp(2 * sqrt(share) * quality + offset - 1)

Every judge rates every item. The true alpha is that of 200,000 items.

Usage: python scripts/calibrate_agreement.py [--sets N] [--seed N]
"""

from __future__ import annotations

import argparse
import os
import warnings
from itertools import product

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from calibration.tables import print_table
from scipy.special import stdtrit

from metaeval.datamodel.corpus import FloatArray
from metaeval.runtime.randomness import generator

# Where the grades end on the latent scale, from the worst to the second best.
CUTS = {"grades": [-1.5, -0.5, 0.5, 1.5], "skewed grades": [-2.2, -1.8, -1.3, -0.7]}
# By the ratings, the base and the factor of the logarithm of the mean number of errors.
ERRORS = {"penalties": (0.0, 1.0), "rare penalties": (-1.0, 2.0)}
LEVELS = dict.fromkeys(("normal", *ERRORS), ("interval",)) | dict.fromkeys(CUTS, ("interval", "ordinal", "nominal"))
SEGMENTS, JUDGES, ITEMS, SHARES = (10, 20, 40, 100, 200), (2, 3, 5), (1, 4), (0.4, 0.8)
REPLICATES, POPULATION, GATE = 400, 200_000, 0.93
# Percentiles of a bootstrap, and t with n - 1 degrees of freedom and with as many as few decisive segments leave.
METHODS = ("percentile", "t, n - 1", "t")


def ratings(model: str, share: float, shape: tuple[int, ...], rng: np.random.Generator) -> FloatArray:
    """Return ratings of a shape (sets, segments, items, judges)."""
    sets, segments, items, judges = shape
    quality = rng.standard_normal((sets, segments, items, 1))
    if items > 1:
        quality = np.sqrt(0.5) * (quality + rng.standard_normal((sets, segments, 1, 1)))
    offset = np.linspace(-0.2, 0.2, judges)
    if model in ERRORS:
        base, factor = ERRORS[model]
        rate = np.exp(base + factor * np.sqrt(share) * quality + offset)
        major = rng.poisson(0.25 * rate).astype(np.float64)
        return np.minimum(rng.poisson(0.75 * rate) + 5.0 * major, 25.0)
    latent = np.sqrt(share) * quality + np.sqrt(1.0 - share) * rng.standard_normal(shape) + offset
    return latent if model == "normal" else np.searchsorted(CUTS[model], latent).astype(np.float64)


def sums(scores: FloatArray, level: str) -> FloatArray:
    """Return what alpha needs of each segment, numbers that can be added: (sets, segments, numbers)."""
    judges = scores.shape[-1]
    if level == "interval":
        within = scores.var(axis=-1, ddof=1) * judges
        parts = [np.full(within.shape, float(judges)), scores.sum(axis=-1), np.square(scores).sum(axis=-1), within]
        return np.stack(parts, axis=-1).sum(axis=2)
    counts = np.stack([(scores == grade).sum(axis=-1) for grade in range(5)], axis=-1).astype(np.float64)
    both = (counts[..., :, None] * counts[..., None, :] - counts[..., None] * np.eye(5)) / (judges - 1)
    return both.sum(axis=2).reshape(*scores.shape[:2], 25)


def alpha(total: FloatArray, level: str) -> FloatArray:
    """Return alpha of sums over segments, (..., numbers): (...)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        if level == "interval":
            n, first, second, within = np.moveaxis(total, -1, 0)
            return 1.0 - within * (n - 1.0) / (n * second - first**2)
        both = total.reshape(*total.shape[:-1], 5, 5)
        counts = both.sum(axis=-1)
        n = counts.sum(axis=-1)
        if level == "nominal":
            agreed = np.trace(both, axis1=-2, axis2=-1)
            return 1.0 - (n - agreed) * (n - 1.0) / (n**2 - np.square(counts).sum(axis=-1))
        ranks = np.cumsum(counts, axis=-1) - counts / 2.0
        squares = np.square(ranks[..., :, None] - ranks[..., None, :])
        expected = (squares * counts[..., :, None] * counts[..., None, :]).sum(axis=(-2, -1))
        return 1.0 - (squares * both).sum(axis=(-2, -1)) * (n - 1.0) / expected


def intervals(segments: FloatArray, level: str, rng: np.random.Generator) -> list[FloatArray]:
    """Return the ends of the interval of each set by each of the `METHODS`: (2, sets) arrays."""
    n = segments.shape[1]
    total = segments.sum(axis=1)
    value = alpha(total, level)
    drawn = rng.multinomial(n, np.full(n, 1 / n), REPLICATES).astype(np.float64)
    replicates = alpha(np.einsum("rn,snk->srk", drawn, segments, optimize=True), level)
    without = alpha(total[:, None] - segments, level)
    squares = np.square(without - without.mean(axis=1, keepdims=True))
    error = np.sqrt((n - 1) / n * squares.sum(axis=1))
    with np.errstate(invalid="ignore"):
        equal = squares.sum(axis=1) ** 2 / np.square(squares).sum(axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # no replicate has a value
        percentiles = np.nanpercentile(replicates, [2.5, 97.5], axis=1)
    sides = np.array([[-1.0], [1.0]])
    halves = [stdtrit(n - 1, 0.975) * error, stdtrit(np.clip(equal - 1, 1, n - 1), 0.975) * error]
    return [percentiles, *(np.clip(value + sides * half, -1.0, 1.0) for half in halves)]


def coverage(model: str, level: str, share: float, items: int, n: int, judges: int, sets: int, seed: int) -> str:
    """Return in words, by each method, how many intervals contain alpha, in percent, and their median width."""
    law = model, level, share, items, judges
    many = ratings(model, share, (1, POPULATION // items, items, judges), generator(0, "population", *map(str, law)))
    truth = alpha(sums(many, level).sum(axis=1), level)[0]
    rng = generator(seed, *map(str, law), n)
    of_methods = intervals(sums(ratings(model, share, (sets, n, items, judges), rng), level), level, rng)
    words = []
    for lower, upper in of_methods:
        given = lower < upper
        rate = ((lower <= truth) & (truth <= upper))[given].mean()
        # A cell fails if its rate lies further below the gate than chance explains.
        fails = rate + 1.96 * np.sqrt(rate * (1 - rate) / given.sum()) < GATE
        words.append(f"**{100 * rate:.1f}**" if fails else f"{100 * rate:.1f}")
    return f"{', '.join(words)} ({np.median((upper - lower)[given]):.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=1000, help="sets of ratings of a cell")
    parser.add_argument("--seed", type=int, default=2)
    options = parser.parse_args()
    header = ["ratings", "level", "share", "items", "segments", *(f"{judges} judges" for judges in JUDGES)]
    rows = (
        [model, *map(str, cell), *(coverage(model, *cell, judges, options.sets, options.seed) for judges in JUDGES)]
        for model, levels in LEVELS.items()
        for cell in product(levels, SHARES, ITEMS, SEGMENTS)
    )
    print_table(header, rows)


if __name__ == "__main__":
    main()
