"""Count how often what is said of metrics among good systems is right: corpora whose truth is known, many times over.

Prints three tables in Markdown for docs/calibration.md. Fifteen systems: eleven good ones, whose true qualities lie
evenly over a range, and four bad ones far below. In each document a system has a deviation of its own from its quality,
half of whose variance people and metrics share; each has as much noise again. A metric has a fixed error for each
system (a bias) beside that. The best 8 and the best 6 are chosen by the human scores of each corpus, as users do.
What is true is the mean coefficient over 2,000 other test sets of this size, of the systems that were chosen.

1. A changed order that is false, in six designs. In five, two metrics (or six) have the same errors for all good
   systems and others for the bad ones, so that one is better among all, and none among the best; in one, they are
   equally good among all, and one is better among the best. Columns: how often some order is said to change, which is
   an error, and how often the interval of a coefficient contains its true value, in each band. A seventh design has a
   true change: how often it is found.
2. How often a metric that agrees equally well everywhere is marked as lower than the narrower range explains, and how
   often the middle 95 % contain its coefficient.

Rates are in percent; the first line says the standard error of a rate near 5 or 95 %.

Usage: python scripts/calibrate_bands.py [--sets N] [--seed N]
"""

from __future__ import annotations

import argparse
import itertools
import math
import os
from typing import NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from calibration.tables import print_table

from metaeval.components.mean_coefficient import MeanCoefficient
from metaeval.components.registries import COEFFICIENTS
from metaeval.correlation.bands import best_systems, equally_good_metrics
from metaeval.correlation.denoised import Denoised
from metaeval.correlation.denoised_inference import DenoisedInterval, DenoisedTest
from metaeval.correlation.multiple_tests import holm
from metaeval.datamodel.corpus import BoolArray, FloatArray
from metaeval.runtime.randomness import generator

N_GOOD, N_BAD = 11, 4
N_RESAMPLES = 2000
N_TEST_SETS = 2000
ALPHA = 0.05
# The standard deviation of a metric's error for a system.
BIAS = 0.3
ALL = "all"


class Design(NamedTuple):
    """A design: documents, the range of the good systems' qualities, metrics, bands, and the truth.

    `truth` is ``equal among the best``, ``equal among all``, or ``changed``. `noise` multiplies the noise of the first
    metric, whose errors are then those that make it as good among the best 8 as the second one.
    """

    documents: int
    span: float
    metrics: int = 2
    bands: tuple[int, ...] = (8, 6)
    truth: str = "equal among the best"
    noise: float = 1.0


# Chosen before the first run.
DESIGNS = (
    Design(30, 1.5),
    Design(100, 1.5),
    # People hardly tell the good systems apart, so that chance puts many into a band.
    Design(60, 0.0),
    Design(100, 3.0, bands=(8,), noise=3.0),
    Design(100, 1.5, metrics=6),
    Design(60, 1.5, truth="equal among all"),
    Design(60, 1.5, truth="changed"),
)


class Corpus(NamedTuple):
    """The true scores of metrics and people, (lines, systems), people last, and the noise of metrics, (lines - 1,)."""

    true: FloatArray
    noise: FloatArray


def drawn(corpus: Corpus, documents: int, sets: int, rng: np.random.Generator) -> FloatArray:
    """Return the scores of systems in test sets: (sets, lines, systems), the means of documents."""
    lines, systems = corpus.true.shape
    size = 1 / math.sqrt(documents)
    shared = rng.standard_normal((sets, 1, systems)) * size / math.sqrt(2)
    own = rng.standard_normal((sets, lines, systems)) * size / math.sqrt(2)
    own *= np.append(corpus.noise, 1.0)[:, np.newaxis]
    return corpus.true + shared + own


def document_scores(corpus: Corpus, documents: int, rng: np.random.Generator) -> FloatArray:
    """Return the scores of systems in each document of a corpus: (documents, lines, systems)."""
    return drawn(corpus, 1, documents, rng)


def pearson_of(scores: FloatArray, metric: int, systems: BoolArray) -> FloatArray:
    """Return the coefficients of a metric in test sets: (sets,)."""
    return COEFFICIENTS.named("pearson")(scores[:, metric][:, systems], scores[:, -1][:, systems])


def made(design: Design, rng: np.random.Generator) -> Corpus:
    """Return the truth of a corpus: errors for systems are drawn anew."""
    good = np.linspace(0.0, design.span, N_GOOD)
    bad = -1.0 - np.arange(N_BAD)[::-1]
    quality = np.concatenate([bad, good])
    errors = BIAS * rng.standard_normal(len(quality))
    errors[:N_BAD] = 0.0
    # The later metrics take bad systems for as good as the worst of the good ones.
    wrong = np.where(np.arange(len(quality)) < N_BAD, -quality, 0.0)
    shares = np.linspace(0.0, 1.0, design.metrics)
    metrics = np.array([quality + errors + share * wrong for share in shares])
    noise = np.ones(design.metrics)
    if design.truth == "equal among all":
        # The second has no errors among the good, and just so much among the bad that both are as good among all.
        def without_errors(share: float) -> Corpus:
            return Corpus(np.array([metrics[0], quality + share * wrong, quality]), noise)

        everything = np.ones(len(quality), dtype=bool)
        return without_errors(equal_at(without_errors, 1, 0, everything, design.documents, rng))
    if design.truth == "changed":
        metrics = np.array([quality + 2 * errors, quality + wrong])
    if design.noise != 1.0:
        noise[0] = design.noise
        best = best_systems(quality, 8)

        def with_errors(factor: float) -> Corpus:
            return Corpus(np.array([quality, quality + factor * errors + wrong, quality]), noise)

        return with_errors(equal_at(with_errors, 1, 0, best, design.documents, rng, most=8.0))
    return Corpus(np.vstack([metrics, quality]), noise)


def equal_at(
    corpus_of, metric: int, other: int, systems: BoolArray, documents: int, rng: np.random.Generator, most: float = 4.0
) -> float:  # fmt: skip
    """Return the factor at which a metric, which is the worse the greater it is, is as good as another."""
    seed = int(rng.integers(2**31))

    def difference(factor: float) -> float:
        scores = drawn(corpus_of(factor), documents, 1000, np.random.default_rng(seed))
        return float(np.mean(pearson_of(scores, metric, systems) - pearson_of(scores, other, systems)))

    low, high = 0.0, most
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (middle, high) if difference(middle) > 0 else (low, middle)
    return (low + high) / 2


def estimate(values: FloatArray, replicates: list[FloatArray], metrics: list[int], documents: int) -> MeanCoefficient:
    """Return the input of an interval or a test of the coefficients of some metrics: values are (lines, systems)."""
    pearson = COEFFICIENTS.named("pearson")
    return MeanCoefficient(
        coefficients=[pearson(values[[metric]], values[[-1]]) for metric in metrics],
        coefficient=pearson,
        n_documents=1,
        n_systems=values.shape[1],
        replicates=replicates,
        n_units=documents,
        sample_sizes={"documents": documents},
    )


def said_of(design: Design, corpus: Corpus, rng: np.random.Generator) -> tuple[bool, dict[str, list[bool]]]:
    """Return whether an order is said to change, and by band whether the intervals of metrics contain the truth."""
    scores = document_scores(corpus, design.documents, rng)
    values = scores.mean(axis=0)
    counts = rng.multinomial(design.documents, np.full(design.documents, 1 / design.documents), size=N_RESAMPLES)
    replicates = (counts @ scores.reshape(design.documents, -1) / design.documents).reshape(N_RESAMPLES, *values.shape)
    bands = {ALL: np.ones(values.shape[1], dtype=bool)}
    bands |= {str(k): best_systems(values[-1], k) for k in design.bands}
    pearson = COEFFICIENTS.named("pearson")
    pairs = list(itertools.combinations(range(design.metrics), 2))
    differences: list[float] = []
    p_values: list[float] = []
    inside: dict[str, list[bool]] = {}
    others = drawn(corpus, design.documents, N_TEST_SETS, rng)
    for name, systems in bands.items():
        denoised = Denoised(values[:, systems], replicates[:, :, systems])
        inside[name] = []
        for metric in range(design.metrics):
            one = estimate(values[:, systems], denoised.coefficients([metric], [pearson]), [metric], design.documents)
            limits = DenoisedInterval().confidence_interval(one)
            truth = float(pearson_of(others, metric, systems).mean())
            inside[name].append(limits.lower <= truth <= limits.upper)
        for pair in pairs:
            two = estimate(
                values[:, systems], denoised.coefficients(list(pair), [pearson, pearson]), list(pair), design.documents
            )
            result = DenoisedTest().compare(two)
            differences.append(result.difference)
            p_values.append(result.p)
    corrected = holm(p_values).reshape(len(bands), len(pairs))
    better = np.where(corrected < ALPHA, np.sign(differences).reshape(corrected.shape), 0.0)
    return bool((better[1:] * better[0] < 0).any()), inside


def order_row(design: Design, sets: int, seed: int) -> list[str]:
    """Return the rates of a design."""
    rng = generator(seed, "bands", *map(str, design))
    changes = 0
    inside: dict[str, list[bool]] = {ALL: [], "8": [], "6": []}
    for _ in range(sets):
        changed, contained = said_of(design, made(design, rng), rng)
        changes += changed
        for name, which in contained.items():
            inside[name] += which
    covered = [f"{100 * np.mean(which):.1f}" if which else "-" for which in inside.values()]
    noise = "1" if design.noise == 1 else f"{design.noise:g} and 1"
    words = [str(design.documents), f"{design.span:g}", str(design.metrics), noise, design.truth]
    return [*words, f"{100 * changes / sets:.1f}", *covered]


class RangeDesign(NamedTuple):
    """A design of a metric that agrees equally well everywhere: its coefficient, and how human scores are spread."""

    coefficient: str
    error: float
    spread: str


RANGE_DESIGNS = (
    RangeDesign("pearson", 0.3, "even"),
    RangeDesign("pearson", 0.7, "even"),
    RangeDesign("pearson", 0.5, "three far below"),
    RangeDesign("spearman", 0.5, "even"),
    RangeDesign("kendall", 0.5, "normal"),
    RangeDesign("pearson", 0.5, "normal"),
)


def range_row(design: RangeDesign, sets: int, seed: int) -> list[str]:
    """Return the rates of a design of metrics that agree equally well everywhere."""
    rng = generator(seed, "range", *map(str, design))
    coefficient = COEFFICIENTS.named(design.coefficient)
    rates: dict[int, list[tuple[bool, bool]]] = {8: [], 6: []}
    for _ in range(sets):
        human = np.linspace(-1.5, 1.5, 15)
        if design.spread == "normal":
            human = rng.standard_normal(15)
        elif design.spread == "three far below":
            human[:3] -= 3.0
        metric = human + design.error * rng.standard_normal(15)
        simulated = equally_good_metrics(metric, human, coefficient, n_draws=400, rng=rng)
        for k, found in rates.items():
            inside = best_systems(human, k)
            alone = coefficient(simulated[:, inside], np.tile(human[inside], (len(simulated), 1)))
            low, high = np.nanpercentile(alone, [2.5, 97.5])
            value = float(coefficient(metric[inside], human[inside]))
            found.append((value < low, low <= value <= high))
    columns = [f"{100 * np.mean([one[place] for one in found]):.1f}" for found in rates.values() for place in (0, 1)]
    return [design.coefficient, f"{design.error:g}", design.spread, *columns]


ORDER_HEAD = (
    "documents", "range of the good", "metrics", "noise", "truth", "order said to change", "coverage, all", "best 8",
    "best 6",
)  # fmt: skip
RANGE_HEAD = (
    "coefficient", "error", "human scores", "best 8: said to be lower", "in the middle 95 %",
    "best 6: said to be lower", "in the middle 95 %",
)  # fmt: skip


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="Count how often what is said of metrics among good systems is right.")
    parser.add_argument("--sets", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    error = 100 * math.sqrt(0.05 * 0.95 / options.sets)
    print(f"{options.sets} corpora a row; standard error of a rate near 5 or 95 %: {error:.1f}\n")
    print_table(ORDER_HEAD, (order_row(design, options.sets, options.seed) for design in DESIGNS))
    print_table(RANGE_HEAD, (range_row(design, options.sets, options.seed) for design in RANGE_DESIGNS))


if __name__ == "__main__":
    main()
