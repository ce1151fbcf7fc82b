"""Count how often 95 % intervals of kappa, Scott's pi, AC1 and alpha contain it: ratings whose value is known.

Prints tables in Markdown: how many cells fail, for docs/calibration.md, and every cell, for docs/calibration-tables.md.

Labels: an item has a label that is right, drawn with the shares of the labels, and a rater gives it with the chance
sqrt(k), else one drawn with the same shares; so kappa, Scott's pi and alpha of two raters are k. Where items are in
documents of five, half of the right labels are that of the document, and k is the document's own, drawn from a beta
distribution of mean k. Grades: a normal latent value of variance 1, of which the share k is that of the item and the
rest a rater's own, cut into four grades. In documents of five, half of the variance of items is that of documents.
Shares are equal, or one label or grade has 85 %, and the others the rest in equal parts.

In each cell stand, in percent: how often the intervals of three kinds contain the value, and in brackets how many data
sets have an interval of the last kind.

Fisher  on Fisher's scale, Student's t with as many degrees of freedom as clusters less 1
t       Student's t with as many degrees of freedom as clusters of equal influence less 1; the jackknife's standard
        error, as that of Fisher
used    the last one, but none of kappa, Scott's pi and alpha where one answer is more than 75 % of the ratings of fewer
        than 100 items: what the program gives

No interval of any kind is given where the coefficient is 1, or the same without any cluster, or undefined without one.
Bold: of 30 sets or more that have an interval, the rate lies further below 93 % than chance explains. The true values
are those of 400,000 items.

Usage: python scripts/calibrate_kappa.py [--sets N] [--seed N]
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from scipy.special import ndtri, stdtrit

from metaeval.datamodel.corpus import BoolArray, FloatArray
from metaeval.ratings.agreement.coefficients import MOVED_BY_UNSEEN_ANSWERS, Sums, coefficients, sums_by_cluster
from metaeval.ratings.jackknife import MIN_SKEWED_ITEMS, SKEWED_SHARE
from metaeval.runtime.randomness import generator

POPULATION, GATE = 400_000, 0.93
# Of fewer data sets with an interval a rate says nothing.
MIN_GIVEN = 30
KINDS = ("Fisher", "t", "used")
# The coefficients of labels and of grades, and of how many raters.
MEASURED = {
    "labels": (("kappa", 2), ("scott", 2), ("ac1", 2), ("alpha_nominal", 3), ("ac1", 3)),
    "grades": (
        ("kappa_linear", 2),
        ("kappa_quadratic", 2),
        ("alpha_nominal", 3),
        ("alpha_ordinal", 3),
        ("alpha_interval", 3),
    ),
}


class Design(NamedTuple):
    """A design of simulated ratings: answers, the share k, whether one answer has 85 %, and items of a document."""

    kind: str
    answers: int
    k: float
    skewed: bool
    size: int


# Chosen before the first run.
DESIGNS = tuple(
    Design(kind, answers, k, skewed, size)
    for kind, answers in (("labels", 2), ("labels", 3), ("labels", 4), ("grades", 4))
    for k, skewed, size in product((0.3, 0.6, 0.8), (False, True), (1, 5))
)
ITEMS = {1: (10, 20, 30, 50, 100, 200), 5: (50, 100, 200)}


def made(design: Design, sets: int, n: int, rng: np.random.Generator) -> FloatArray:
    """Return the answers of three raters, numbered from 0 on: (sets, items, raters)."""
    q = design.answers
    shares = np.array([0.85] + [0.15 / (q - 1)] * (q - 1)) if design.skewed else np.full(q, 1 / q)
    document = np.arange(n) // design.size
    n_documents = int(document[-1]) + 1
    if design.kind == "grades":
        quality = rng.standard_normal((sets, n))
        if design.size > 1:
            quality = np.sqrt(0.5) * (quality + rng.standard_normal((sets, n_documents))[:, document])
        own = rng.standard_normal((sets, n, 3))
        latent = np.sqrt(design.k) * quality[..., None] + np.sqrt(1 - design.k) * own
        return np.searchsorted(ndtri(np.cumsum(shares[::-1])[:-1]), latent)

    def drawn(*shape: int) -> np.ndarray:
        return np.searchsorted(np.cumsum(shares)[:-1], rng.random(shape), side="right")

    right, chance = drawn(sets, n), np.full((sets, n), design.k)
    if design.size > 1:
        right = np.where(rng.random((sets, n)) < 0.5, drawn(sets, n_documents)[:, document], right)
        chance = rng.beta(4 * design.k, 4 * (1 - design.k), (sets, n_documents))[:, document]
    is_right = rng.random((sets, n, 3)) < np.sqrt(chance)[..., None]
    return np.where(is_right, right[..., None], drawn(sets, n, 3))


def sums_of(answers: FloatArray, design: Design) -> Sums:
    """Return the sums of each cluster of each set: (sets, clusters) and so on."""
    sets, n, raters = answers.shape
    n_clusters = n // design.size
    item = np.repeat(np.arange(sets * n), raters)
    rater = np.tile(np.arange(raters), sets * n)
    cluster = np.arange(sets * n) // design.size
    made_of = sums_by_cluster(item, rater, answers.ravel(), cluster, sets * n_clusters, design.answers)
    parts = (made_of.paired, made_of.table, made_of.items, made_of.rated, made_of.agreeing, made_of.shares)
    return Sums(*(one.reshape(sets, n_clusters, *one.shape[1:]) for one in parts))


def intervals(value: FloatArray, without: FloatArray) -> tuple[dict[str, FloatArray], BoolArray]:
    """Return the ends of the intervals by `Fisher` and `t`, (2, sets), and which sets have one."""
    n = without.shape[1]
    squares = np.square(without - without.mean(axis=1, keepdims=True))
    error = np.sqrt((n - 1) / n * squares.sum(axis=1))
    is_given = np.isfinite(without).all(axis=1) & (np.ptp(without, axis=1) > 1e-9) & (np.abs(value) < 1 - 1e-9)
    sides = np.array([[-1.0], [1.0]])
    with np.errstate(divide="ignore", invalid="ignore"):
        equal = squares.sum(axis=1) ** 2 / np.square(squares).sum(axis=1)
        by_fisher = np.tanh(np.arctanh(value) + sides * stdtrit(n - 1, 0.975) * error / (1 - value**2))
        by_t = value + sides * stdtrit(np.maximum(equal - 1, 1), 0.975) * error
    return {"Fisher": by_fisher, "t": np.clip(by_t, -1, 1)}, is_given


class Cell(NamedTuple):
    """The rates of a coefficient in a design with n items: by the kinds of intervals, and how many sets have one."""

    design: Design
    n: int
    coefficient: str
    raters: int
    rates: dict[str, float]
    given: dict[str, int]

    def fails(self, kind: str) -> bool:
        """Return whether the rate of a kind of intervals lies below the gate by more than chance explains."""
        rate, given = self.rates[kind], self.given[kind]
        return given >= MIN_GIVEN and rate + 1.96 * np.sqrt(rate * (1 - rate) / given) < GATE


def cells(design: Design, sets: int, seed: int) -> Iterator[Cell]:
    """Give the cells of a design."""
    values = np.arange(1.0, design.answers + 1)
    population = made(design, 1, POPULATION, generator(0, "population", *map(str, design)))
    truth = {
        raters: coefficients(sums_of(population[..., :raters], design).total(), values, design.answers)
        for raters in (2, 3)
    }
    for n in ITEMS[design.size]:
        answers = made(design, sets, n, generator(seed, *map(str, design), n))
        for raters in (2, 3):
            sums = sums_of(answers[..., :raters], design)
            whole = coefficients(sums.total(), values, design.answers)
            without = coefficients(sums.without_each(), values, design.answers)
            largest = (sums.total().shares / n).max(axis=-1)
            for name in (one for one, of_raters in MEASURED[design.kind] if of_raters == raters):
                ends, is_given = intervals(whole[name], without[name])
                is_skewed = (n < MIN_SKEWED_ITEMS) & (largest > SKEWED_SHARE)
                is_used = is_given & (~is_skewed | (name in MOVED_BY_UNSEEN_ANSWERS))
                rates, given = {}, {}
                for kind in KINDS:
                    lower, upper = ends["t" if kind == "used" else kind]
                    chosen = is_used if kind == "used" else is_given
                    true = truth[raters][name][0]
                    given[kind] = int(chosen.sum())
                    rates[kind] = float(((lower <= true) & (true <= upper))[chosen].mean()) if chosen.any() else np.nan
                yield Cell(design, n, name, raters, rates, given)


def summary(found: list[Cell]) -> Iterator[str]:
    """Give the rows of the table of how many cells fail, by clusters, their size and skew."""
    yield f"| clusters | items of each | shares | {' | '.join(f'{kind}: cells that fail, lowest' for kind in KINDS)} |"
    yield "| --- | --- | --- |" + " --- |" * len(KINDS)
    groups = sorted({(one.n // one.design.size, one.design.size, one.design.skewed) for one in found})
    for group in groups:
        of_group = [one for one in found if (one.n // one.design.size, one.design.size, one.design.skewed) == group]
        words = []
        for kind in KINDS:
            counted = [one for one in of_group if one.given[kind] >= MIN_GIVEN]
            lowest = f"{100 * min(one.rates[kind] for one in counted):.1f}" if counted else "-"
            words.append(f"{sum(one.fails(kind) for one in counted)} of {len(counted)}, {lowest}")
        yield f"| {group[0]} | {group[1]} | {'85:15' if group[2] else 'equal'} | {' | '.join(words)} |"


def rows(found: list[Cell], sets: int) -> Iterator[str]:
    """Give the rows of the table of all cells."""
    for kind, measured in MEASURED.items():
        names = [f"{name.replace('_', ' ')}, {raters}" for name, raters in measured]
        yield f"| {kind} | k | shares | items of a document | items | {' | '.join(names)} |"
        yield "|" + " --- |" * (5 + len(names))
        of_kind = [one for one in found if one.design.kind == kind]
        for design, n in dict.fromkeys((one.design, one.n) for one in of_kind):
            in_row = {(one.coefficient, one.raters): one for one in of_kind if (one.design, one.n) == (design, n)}
            head = [design.answers, design.k, "85:15" if design.skewed else "equal", design.size, n]
            words = [_written(in_row[one], sets) for one in measured]
            yield f"| {' | '.join(map(str, [*head, *words]))} |"
        yield ""


def _written(cell: Cell, sets: int) -> str:
    numbers = []
    for kind in KINDS:
        text = f"{100 * cell.rates[kind]:.1f}" if cell.given[kind] else "-"
        numbers.append(f"**{text}**" if cell.fails(kind) else text)
    return f"{', '.join(numbers)} ({100 * cell.given['used'] / sets:.0f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=1000, help="data sets of a cell")
    parser.add_argument("--seed", type=int, default=11)
    options = parser.parse_args()
    found = [cell for design in DESIGNS for cell in cells(design, options.sets, options.seed)]
    print("\n".join([*summary(found), "", *rows(found, options.sets)]))


if __name__ == "__main__":
    main()
