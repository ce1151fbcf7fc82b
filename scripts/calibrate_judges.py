"""Count how often what `metaeval judge` says of a judge is right: ratings whose truth is known, many times over.

Prints a table in Markdown for docs/calibration.md, a row for each of twelve designs. An item has a true answer; every
person gives it with the same chance, else another at random, and so does the judge. Where items are in documents of
five, the judge's chance to err is that of the document, drawn from a beta distribution, so that its errors are shared.
Grades from 1 to 5 are a true value with a normal error, rounded; the judge's errors have heavier tails (t with 4
degrees of freedom), and it is too high by 0.2. Numbers are a normal truth with normal errors, of which the judge has
those of k people.

Columns, in percent; the first line is the standard error of a rate near 5 or 95 %:

one-sided    how often the test that the judge loses no more than it does in truth says that it loses less: by Hall's
             transformed t, which is used, and by Student's t beside it. Nominal: 5
coverage     how often the 95 % interval of the difference contains it, by both
share        the same of the judge's agreement (Wilson's interval for the effective number of items)
persons      the same of person equivalents (Fieller's interval)
refused      data sets in which the test of the difference, and person equivalents, are refused

The true values are those of 400,000 items.

With --length, a row for each of eight designs of what a judge gives for length. Quality is a normal truth and half a
standard deviation for each of length: people like length too. People err (0.8 standard deviations of the truth; of
documents of five, all items have a part of their length and of the judge's errors in common), the judge is on a scale
of its own (0.6) and errs less (0.5). Grades are these rounded, labels whether they are above 0, preferences between two
outputs their signs. Columns, in percent:

found without   how often a judge that gives nothing for length beyond people is said to, at p < 0.05: by the slope of
                J - kappa H, and by the regression of the judge on length and on the mean of people beside it
coverage        how often the 95 % interval contains the slope of a judge that gives 0.25 standard deviations
found           how often that judge is found to
refused         data sets in which people are not shown to agree

Usage: python scripts/calibrate_judges.py [--length] [--sets N] [--seed N]
"""

from __future__ import annotations

import argparse
import math
import os
from typing import NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from calibration.tables import print_table
from scipy.special import stdtr, stdtrit

from metaeval.datamodel.corpus import FloatArray, IntArray
from metaeval.ratings.dependence import slope_beyond_people
from metaeval.ratings.equivalents import person_equivalents
from metaeval.ratings.likeness import PeopleRatings
from metaeval.ratings.means import Difference, clustered_mean, share_interval, skewed_mean
from metaeval.ratings.table import Ratings
from metaeval.runtime.randomness import generator

POPULATION = 400_000


class Design(NamedTuple):
    """A design of simulated ratings: n items in documents of a size, each rated by all people and the judge.

    `person` and `judge` are chances to err of labels, standard deviations of errors of grades, and of numbers the
    reliability of a person and the number of persons that the judge is worth.
    """

    kind: str
    n: int
    people: int
    labels: int
    size: int
    person: float
    judge: float


# Chosen before the first run.
DESIGNS = (
    Design("labels", 30, 3, 2, 1, 0.15, 0.15),
    Design("labels", 30, 5, 3, 1, 0.25, 0.30),
    Design("labels", 50, 3, 2, 1, 0.15, 0.20),
    Design("labels", 50, 5, 4, 1, 0.30, 0.30),
    Design("labels", 100, 3, 3, 1, 0.20, 0.30),
    Design("labels", 200, 3, 2, 1, 0.10, 0.10),
    Design("labels", 100, 3, 2, 5, 0.15, 0.20),
    Design("labels", 200, 3, 3, 5, 0.25, 0.25),
    Design("grades", 50, 3, 5, 1, 0.7, 0.8),
    Design("grades", 100, 3, 5, 1, 0.7, 0.7),
    Design("numbers", 50, 3, 0, 1, 0.5, 1.0),
    Design("numbers", 200, 2, 0, 1, 0.25, 0.5),
)


def made(design: Design, n: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return the answers of people, (people, n), and of the judge, (n,), and the document of each item."""
    document = np.arange(n) // design.size
    shape = (design.people, n)
    if design.kind == "labels":
        truth = rng.integers(design.labels, size=n)
        rates = np.full(n, design.judge)
        if design.size > 1:
            of_documents = rng.beta(4 * design.judge, 4 * (1 - design.judge), size=document[-1] + 1)
            rates = of_documents[document]

        def answered(err: np.ndarray) -> FloatArray:
            others = (truth + rng.integers(1, design.labels, size=err.shape)) % design.labels
            return np.where(err, others, truth).astype(np.float64)

        return answered(rng.random(shape) < design.person), answered(rng.random(n) < rates), document
    truth = rng.standard_normal(n)
    if design.kind == "grades":
        people = 3 + 1.2 * truth + design.person * rng.standard_normal(shape)
        judge = 3.2 + 1.2 * truth + design.judge * rng.standard_t(4, size=n) / math.sqrt(2)
        return np.clip(np.round(people), 1, 5), np.clip(np.round(judge), 1, 5), document
    error = math.sqrt(1 / design.person - 1)
    return (
        truth + error * rng.standard_normal(shape),
        truth + error / math.sqrt(design.judge) * rng.standard_normal(n),
        document,
    )


def people_of(people: FloatArray, kind: str) -> PeopleRatings:
    """Return complete ratings of people."""
    m, n = people.shape
    ratings = Ratings(
        tuple(map(str, range(n))), tuple(map(str, range(m))), ("person",) * m, np.tile(np.arange(n), m),
        np.repeat(np.arange(m), n), people.reshape(-1), "label" if kind == "labels" else "number",
        tuple("abcdefgh") if kind == "labels" else (),
    )  # fmt: skip
    return PeopleRatings.from_ratings(ratings, np.ones(m * n, dtype=bool))


def row(design: Design, sets: int, seed: int) -> list[str]:
    """Return the rates of a design."""
    is_label = design.kind == "labels"
    people, judge, document = made(design, POPULATION, generator(0, "population", *map(str, design)))
    whole = people_of(people, design.kind)
    alike = whole.likeness_to(judge)
    difference, share = float((alike - whole.among).mean()), float(alike.mean())
    worth = person_equivalents(judge, whole, document, is_label=is_label).value
    rng = generator(seed, *map(str, design))
    counts = dict.fromkeys(("hall", "student", "in hall", "in student", "share", "persons", "refused", "unknown"), 0)
    for _ in range(sets):
        people, judge, document = made(design, design.n, rng)
        drawn = people_of(people, design.kind)
        alike = drawn.likeness_to(judge)
        values = alike - drawn.among
        found, mean = skewed_mean(values, document), clustered_mean(values, document)
        if math.isnan(found.p):
            counts["refused"] += 1
        else:
            one, two = (float(stdtrit(mean.effective - 1, at)) for at in (0.95, 0.975))
            counts["hall"] += found.bound > difference
            counts["student"] += mean.value - one * mean.error > difference
            counts["in hall"] += found.lower <= difference <= found.upper
            counts["in student"] += abs(mean.value - difference) <= two * mean.error
        if is_label:
            of_share = share_interval(alike, document, people.size)
            counts["share"] += of_share.lower <= share <= of_share.upper
        persons = person_equivalents(judge, drawn, document, is_label=is_label)
        counts["unknown"] += math.isnan(persons.value)
        counts["persons"] += persons.lower <= worth <= persons.upper
    tested, known = sets - counts["refused"], sets - counts["unknown"]

    def rate(name: str, of: int) -> str:
        return f"{100 * counts[name] / of:.1f}" if of else "-"

    words = f"{design.labels} labels" if is_label else design.kind
    return [
        words, str(design.n), str(design.people), str(design.size), f"{difference:+.3f}", rate("hall", tested),
        rate("student", tested), rate("in hall", tested), rate("in student", tested),
        rate("share", sets) if is_label else "-", f"{worth:.2f}", rate("persons", known), rate("refused", sets),
        rate("unknown", sets),
    ]  # fmt: skip


class LengthDesign(NamedTuple):
    """A design of what a judge gives for length: n items in documents of a size, rated by all people and the judge."""

    kind: str
    n: int
    people: int
    size: int


# Chosen before the first run.
LENGTH_DESIGNS = (
    LengthDesign("numbers", 100, 3, 1),
    LengthDesign("numbers", 300, 3, 1),
    LengthDesign("numbers", 300, 2, 1),
    LengthDesign("grades", 300, 3, 1),
    LengthDesign("labels", 300, 3, 1),
    LengthDesign("numbers", 300, 3, 5),
    LengthDesign("labels", 100, 2, 1),
    LengthDesign("pairs", 300, 3, 1),  # added afterwards
)
FOR_LENGTH = 0.25


def with_lengths(
    design: LengthDesign, n: int, for_length: float, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray, IntArray]:
    """Return ratings of people, (people, n), and of the judge, (n,), standardised lengths, and documents of items."""
    document = np.arange(n) // design.size

    def normal() -> FloatArray:
        """Return standard normal values, half of whose variance is shared by the items of a document."""
        if design.size == 1:
            return rng.standard_normal(n)
        shared = rng.standard_normal(int(document[-1]) + 1)[document]
        return (shared + rng.standard_normal(n)) / math.sqrt(2)

    length = normal()
    quality = rng.standard_normal(n) + 0.5 * length
    people = quality + 0.8 * rng.standard_normal((design.people, n))
    judge = 0.6 * quality + for_length * length + 0.5 * normal()
    if design.kind == "grades":
        return np.clip(np.round(3 + people), 1, 5), np.clip(np.round(3 + judge), 1, 5), length, document
    if design.kind == "labels":
        return (people > 0) * 1.0, (judge > 0) * 1.0, length, document
    if design.kind == "pairs":
        return np.sign(people) / 2, np.sign(judge) / 2, length, document
    return people, judge, length, document


def usual_p(people: FloatArray, judge: FloatArray, length: FloatArray) -> float:
    """Return p of length in the regression of the judge on length and the mean of people."""
    columns = np.column_stack([np.ones(len(judge)), length, people.mean(axis=0)])
    inverse = np.linalg.inv(columns.T @ columns)
    slopes = inverse @ columns.T @ judge
    rest = judge - columns @ slopes
    degrees = len(judge) - columns.shape[1]
    error = math.sqrt(float(rest @ rest) / degrees * float(inverse[1, 1]))
    return float(2 * stdtr(degrees, -abs(float(slopes[1])) / error))


def length_row(design: LengthDesign, sets: int, seed: int) -> list[str]:
    """Return the rates of a design of length."""

    def found(people: FloatArray, judge: FloatArray, length: FloatArray, document: IntArray) -> Difference:
        of_people = people_of(people, "numbers")
        return slope_beyond_people(judge, of_people, length, document, around_zero=design.kind == "pairs")[0]

    population = with_lengths(design, POPULATION, FOR_LENGTH, generator(0, "lengths", *map(str, design)))
    slope = found(*population).value
    rng = generator(seed, "length", *map(str, design))
    counts = dict.fromkeys(("wrong", "usual", "covered", "right", "refused"), 0)
    for _ in range(sets):
        without = with_lengths(design, design.n, 0.0, rng)
        none = found(*without)
        counts["wrong"] += none.p < 0.05
        counts["usual"] += usual_p(*without[:3]) < 0.05
        some = found(*with_lengths(design, design.n, FOR_LENGTH, rng))
        counts["covered"] += some.lower <= slope <= some.upper
        counts["right"] += some.p < 0.05 and some.value > 0
        counts["refused"] += math.isnan(none.value) or math.isnan(some.value)
    rates = [f"{100 * counts[name] / sets:.1f}" for name in ("wrong", "usual", "covered", "right", "refused")]
    words = "2 labels" if design.kind == "labels" else design.kind
    return [words, str(design.n), str(design.people), str(design.size), f"{slope:+.3f}", *rates]


LENGTH_HEAD = (
    "ratings", "items", "people", "items a document", "true slope", "found without", "the usual regression", "coverage",
    "found", "refused",
)  # fmt: skip
HEAD = (
    "ratings", "items", "people", "items a document", "true difference", "one-sided, Hall", "Student",
    "coverage, Hall", "Student", "share", "true persons", "persons", "refused", "persons refused",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--length", action="store_true", help="what judges give for length")
    parser.add_argument("--sets", type=int, default=1000, help="data sets of a design")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    error = 100 * math.sqrt(0.05 * 0.95 / options.sets)
    print(f"Standard error of a rate near 5 or 95 %: {error:.1f}\n")
    if options.length:
        print_table(LENGTH_HEAD, (length_row(one, options.sets, options.seed) for one in LENGTH_DESIGNS))
    else:
        print_table(HEAD, (row(design, options.sets, options.seed) for design in DESIGNS))


if __name__ == "__main__":
    main()
