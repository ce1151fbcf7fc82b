"""Count how often a sentence about a whole table of metrics is false, or true: `compare` with many metrics.

Draws corpora with a family of metrics of which is known what is true, and counts the sentences that `compare` prints of
the table: that some metric agrees with people at all, that the best is better than some other, and that a metric is
significantly worse than some other. docs/calibration.md has the figures.

    noise         no metric knows anything: noise in each segment
    in common     the same, and what is in one metric is in the others too (nuisance)
    preferences   no metric knows anything, but each likes some systems, in every segment
    one good      one metric that agrees, the others noise
    all good      all agree equally well
    differing     three agree best, and the others the less the more noise they have
    two kinds     one half agrees equally well, the other half is noise

Beside each figure stands what is said by the rules of metaeval before decision 52: a metric was said to agree by its
own exchanges alone, and worse if it had no star. With `--program`, `metaeval.compare` itself is called on the first
corpora of each law, and its sentences are read.

Usage: python scripts/calibrate_families.py [--families N] [--program N] [--jobs N] [--seed N]
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Callable, Sequence

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from calibration.models import EXCHANGEABLE, NOISE, draw_quality, segments
from calibration.outcomes import better_than, tested_pairs
from calibration.tables import table
from joblib import Parallel, delayed

import metaeval
from metaeval.components.registries import COEFFICIENTS
from metaeval.correlation.chance_level import best_of_chance, means_in_orders, orders_of_systems
from metaeval.correlation.multiple_tests import against_best, holm
from metaeval.datamodel.corpus import FloatArray
from metaeval.runtime.randomness import generator

ALPHA, REPLICATES, ORDERS = 0.05, 2000, 1000
# The law; metrics, systems, segments; and how many of all families are drawn of it.
CASES = (
    ("noise", 1, 8, 100, 1.0),
    ("noise", 15, 8, 100, 1.0),
    ("noise", 15, 20, 200, 0.3),
    ("in common", 15, 8, 100, 1.0),
    ("preferences", 15, 8, 100, 1.0),
    ("all good", 15, 8, 100, 1.0),
    ("one good", 15, 8, 100, 1.0),
    ("two kinds", 16, 8, 100, 0.5),
    ("differing", 10, 12, 300, 0.3),
)
# Laws of which some families are given to the program, of 15 metrics and 8 systems.
OF_PROGRAM = ("noise", "preferences", "one good")
# Of metrics that agree, the noise in a segment; of those that differ, from the best to the poorest.
_SPREAD = np.concatenate([np.ones(3), np.linspace(1.5, 6.0, 7)])
HEADER = (
    "law | metrics | systems, segments | families | some metric agrees: before | now "
    "| some difference is reported: before | now | some metric has no star "
    "| metrics said to be worse, of all: before | now"
)
PROGRAM_HEADER = (
    "law | metrics | systems, segments | families | some metric agrees: compare | this script "
    "| some difference is reported: compare | this script | both the same"
)


def scores(law: str, n_metrics: int, n_systems: int, n: int, rng: np.random.Generator) -> FloatArray:
    """Return scores of segments by metrics, and last by people: (segments, metrics and people, systems)."""
    latent, human = segments(EXCHANGEABLE, draw_quality(n_systems, rng), n, rng)
    noise = NOISE * rng.standard_normal((n, n_metrics, n_systems))
    if law == "in common":
        noise += NOISE * rng.standard_normal((n, 1, n_systems))
    elif law == "preferences":
        noise += 0.35 * rng.standard_normal((n_metrics, n_systems))
    elif law == "differing":
        noise *= _SPREAD[:, None]
    n_good = {"one good": 1, "all good": n_metrics, "differing": n_metrics, "two kinds": n_metrics // 2}.get(law, 0)
    noise[:, :n_good] += latent[:, None]
    return np.concatenate([noise, human[:, None]], axis=1)


def family(law: str, n_metrics: int, n_systems: int, n: int, number: int, seed: int) -> list[float]:
    """Return what is said of a family, before and now, in the order of the columns of the table."""
    rng = generator(seed, "family", law, n_metrics, n_systems, number)
    stacked = scores(law, n_metrics, n_systems, n, rng)
    lines, coefficient = stacked.mean(axis=0)[:, None], COEFFICIENTS.named("pearson")
    orders, exact = orders_of_systems(n_systems, ORDERS, rng)
    means = np.array([means_in_orders(one, lines[-1], orders, coefficient, "item") for one in lines[:-1]])
    values, pairs, d, p = tested_pairs(stacked, rng, REPLICATES)
    best = int(values.argmax())
    agrees = [
        values[best] > np.quantile(means[best], 1 - ALPHA / 2),
        values[best] > best_of_chance(means, exact=exact)[1],
    ]
    if not pairs:
        return [*agrees, 0, 0, 0, 0, 0]
    plain, corrected = (better_than(pairs, d, one, n_metrics) for one in (p, holm(p)))
    worse = np.nanmin(corrected, axis=0) < ALPHA
    no_star = np.nanmin(against_best(plain, corrected), axis=0) < ALPHA
    told = [no_star & agrees[0], worse & agrees[1]]
    return [*agrees, *(one.any() for one in told), no_star.any(), *(one.mean() for one in told)]


def said(law: str, n_metrics: int, n_systems: int, n: int, number: int, seed: int) -> list[bool]:
    """Return whether :func:`metaeval.compare` prints of a family that some metric agrees, and some difference."""
    stacked = scores(law, n_metrics, n_systems, n, generator(seed, "family", law, n_metrics, n_systems, number))
    places = {f"s{system}x{segment}": (segment, system) for system in range(n_systems) for segment in range(n)}
    rows = [
        (str(segment + 1), f"s{system}", "people", stacked[segment, -1, system], text, "none")
        for text, (segment, system) in places.items()
    ]
    frame = pd.DataFrame(rows, columns=["segment", "system", "judge", "score", "candidate", "reference"])

    def metric_of(metric: int) -> Callable[[str, Sequence[str]], float]:
        def score(candidate: str, references: Sequence[str]) -> float:
            segment, system = places[candidate]
            return float(stacked[segment, metric, system])

        score.__name__ = f"m{metric}"
        return score

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # The column has texts, and no names of references.
        found = metaeval.compare(
            frame,
            [metric_of(metric) for metric in range(n_metrics)],
            source_formats='table(reference_texts=["reference"])',
            level="system",
            seed=number,
        )
    (one,) = found.tables
    sentence = one.sentence
    differs = " agrees better with " in sentence or "ignificantly worse than some other metric" in sentence
    return ["is shown to agree" not in sentence, differs]


def decided(law: str, n_metrics: int, n_systems: int, n: int, number: int, seed: int) -> list[bool]:
    """Return the same by what this script computes."""
    _, agrees, _, told, *_ = family(law, n_metrics, n_systems, n, number, seed)
    return [bool(agrees), bool(told)]


def share(values: Sequence[float]) -> str:
    """Return a mean in percent with its standard error."""
    found = 100 * np.asarray(values, dtype=float)
    return f"{found.mean():.1f} ({found.std(ddof=1) / len(found) ** 0.5:.1f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--families", type=int, default=1000)
    parser.add_argument("--program", type=int, default=0, help="families of each law given to metaeval.compare")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    parallel = Parallel(n_jobs=options.jobs)
    rows = []
    print("Percent of families, with the standard error\n")
    for *case, part in CASES:
        count = max(2, round(options.families * part))
        found = np.array(parallel(delayed(family)(*case, number, options.seed) for number in range(count)))
        rows.append([*named(case), str(count), *(share(column) for column in found.T.astype(float))])
    print(table(HEADER.split(" | "), rows))
    if not options.program:
        return
    rows = []
    for *case, _ in CASES:
        numbers = range(options.program)
        if case[0] in OF_PROGRAM and case[1:3] == [15, 8]:
            printed = np.array(parallel(delayed(said)(*case, number, options.seed) for number in numbers))
            law = np.array(parallel(delayed(decided)(*case, number, options.seed) for number in numbers))
            shares = [share(one) for pair in zip(printed.T, law.T, strict=True) for one in pair]
            rows.append([*named(case), str(options.program), *shares, f"{(printed == law).all(axis=1).sum()}"])
    print("The sentences that metaeval.compare prints\n")
    print(table(PROGRAM_HEADER.split(" | "), rows))


def named(case: Sequence[object]) -> list[str]:
    """Return the first cells of a row: the law, metrics, and systems with segments."""
    law, n_metrics, n_systems, n = case
    return [str(law), str(n_metrics), f"{n_systems}, {n}"]


if __name__ == "__main__":
    main()
