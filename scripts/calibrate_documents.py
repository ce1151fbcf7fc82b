"""Calibrate intervals and tests where segments share documents: corpora whose truth is known, many times over.

Prints tables in Markdown for docs/calibration-tables.md. Segment i of system s, in document d, has

    latent[s, i] = quality[s] + effect[s, d] + noise        human[s, i] = latent[s, i] + own effect and noise
    metric[s, i] = latent[s, i] + own effect[s, d] + level[d] * noise

All terms are normal. Metrics A and B have one law, so that their mean coefficients over test sets of these sizes are
equal, for these very systems. Under the strong law the effects of documents have a standard deviation of .3, and the
level of a metric's noise one of .8 between documents, on the scale of its logarithm; under the weak one .15 and .3.

There are four tables, each with a number of corpora of its own; 0 leaves it out:

--corpora   the procedure of the defaults, by the functions that the program calls
--program   the same beside `metaeval.compare`, on the same corpora
--averages  the average of two language pairs, as of a metrics task
--power     power where documents have no effect, beside that of segments that are taken as independent

With --independent, the first table takes segments as independent, as by `--resample segments`, where documents are few.

Usage: python scripts/calibrate_documents.py [--corpora N] [--program N] [--averages N] [--power N] [--seed N]
    [--jobs N] [--independent]
"""

from __future__ import annotations

import argparse
import os
import tempfile
import warnings
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from calibration.tables import print_table
from joblib import Parallel, delayed

import metaeval
from metaeval.components.interval import ConfidenceInterval
from metaeval.components.mean_coefficient import MeanCoefficient
from metaeval.components.registries import COEFFICIENTS
from metaeval.correlation.averages import correlate
from metaeval.correlation.denoised import Denoised
from metaeval.correlation.denoised_inference import DenoisedInterval, DenoisedTest
from metaeval.correlation.standard_error import (
    PairedT,
    StandardError,
    StandardErrorTest,
    Student,
    effective,
    half_width,
)
from metaeval.datamodel.corpus import FloatArray, IntArray
from metaeval.datamodel.resampling import Resamples
from metaeval.runtime.randomness import generator
from metaeval.sampling.documents import draw_documents
from metaeval.sampling.resamples import draw_halves, draw_resamples
from metaeval.shared_tasks.joint import JointErrors, joint_family

# The standard deviation of effects of documents, and that of the logarithm of a metric's noise between documents.
LAWS = {"strong": (0.3, 0.8), "weak": (0.15, 0.3), "none": (0.0, 0.0)}
QUALITY, NOISE, N = 0.35, 1.2, 200
SIZES = {
    "3": [66] * 3,
    "5": [40] * 5,
    "9": [23] * 2 + [22] * 7,
    "16 unequal": [max(1, round(N * k * k / 1496)) for k in range(1, 17)],
    "20": [10] * 20,
    "none named": [1] * N,
}
# How many times as large the noise of B is, for the power.
NOISIER = 1.8
DRAWS, REPLICATES, DRAWN_REPLICATES, COUNT, LENGTH = 8, 800, 60, 150, 10
HEADER = (
    "level | systems | documents (equal) | law | corpora | found different | difference held (width) | r held (width) "
    "| power"
)


def corpus(
    quality: FloatArray,
    sizes: list[int],
    law: str,
    noisier: float,
    rng: np.random.Generator,
    rng_documents: np.random.Generator | None = None,
) -> tuple[FloatArray, IntArray]:
    """Return the scores of A, B and people, (3, segments, systems), and the document of each segment.

    With a generator of their own, documents have the effects that it draws.
    """
    effect, spread = LAWS[law]
    rng_documents = rng_documents or rng
    documents = np.repeat(np.arange(len(sizes)), sizes)
    n, k = len(documents), len(quality)

    def effects() -> FloatArray:
        return effect * rng_documents.standard_normal((len(sizes), k))[documents]

    latent = quality + 0.6 * rng.standard_normal((n, k)) + effects()
    level = np.exp(spread * rng_documents.standard_normal((2, len(sizes), 1)))[:, documents] * NOISE
    level[1] *= noisier
    metrics = [latent + effects() + one * rng.standard_normal((n, k)) for one in level]
    return np.stack([*metrics, latent + effects() + 0.6 * rng.standard_normal((n, k))]), documents


def pearson(x: FloatArray, y: FloatArray) -> FloatArray:
    return COEFFICIENTS.named("pearson")(np.ascontiguousarray(x), np.broadcast_to(y, x.shape).copy())


def of_whole_systems(scores: FloatArray) -> list[float]:
    """Return Pearson's coefficient of whole systems of both metrics."""
    means = scores.mean(axis=1)
    return [float(pearson(means[[m]], means[2])[0]) for m in (0, 1)]


def denoised_of(scores: FloatArray, documents: IntArray, drawn: Resamples) -> Denoised:
    """Return the scores of whole systems in replicates of documents."""
    sizes = np.bincount(documents)
    sums = np.zeros((len(sizes), 3, scores.shape[2]))
    np.add.at(sums, documents, scores.transpose(1, 0, 2))
    counts = np.asarray(drawn.segments[:], dtype=np.float64)
    replicates = np.einsum("bd,dmk->bmk", counts, sums) / (counts @ sizes)[:, None, None]
    return Denoised(scores.mean(axis=1), replicates, drawn.weights)


Outcome = tuple[list[float], list[ConfidenceInterval], float, tuple[float, float]]


def of_systems(scores: FloatArray, documents: IntArray, rng: np.random.Generator) -> Outcome:
    """Return what the default says of Pearson's coefficient of whole systems: values, intervals, p and the interval."""
    kind, n_documents = COEFFICIENTS.named("pearson"), int(documents.max()) + 1
    drawn = draw_resamples("segments", n_documents, 0, REPLICATES, rng_segments=rng, rng_systems=rng)
    denoised, rs = denoised_of(scores, documents, drawn), of_whole_systems(scores)
    unit = "segments" if n_documents == len(documents) else "documents"
    base = MeanCoefficient(
        coefficients=[np.array([r]) for r in rs],
        coefficient=kind,
        n_documents=1,
        n_systems=scores.shape[2],
        sample_sizes={unit: effective(documents)},
        groups=documents,
        weights=drawn.weights,
    )
    intervals = [
        DenoisedInterval().confidence_interval(
            replace(base, coefficients=base.coefficients[m : m + 1], replicates=denoised.coefficients([m], [kind]))
        )
        for m in (0, 1)
    ]
    tested = DenoisedTest().compare(replace(base, replicates=denoised.coefficients([0, 1], [kind] * 2)))
    return rs, intervals, tested.p, (tested.lower, tested.upper)


def of_segments(scores: FloatArray, documents: IntArray, rng: np.random.Generator) -> Outcome:
    """Return what the default says of acc_eq by segment."""
    kind = COEFFICIENTS.named('pairwise-accuracy(epsilon="auto")')
    people = np.rint(2 * scores[2]) / 2
    each = [correlate(scores[m], people, kind, "item", where=np.ones(people.shape, bool)) for m in (0, 1)]
    unit = "segments" if len(np.unique(documents)) == len(documents) else "documents"
    base = MeanCoefficient(
        coefficients=each,
        coefficient=kind,
        n_documents=len(documents),
        n_systems=people.shape[1],
        sample_sizes={unit: effective(documents)},
        groups=documents,
    )
    intervals = [Student().confidence_interval(replace(base, coefficients=[one])) for one in each]
    tested = PairedT().compare(base)
    return [float(one.mean()) for one in each], intervals, tested.p, (tested.lower, tested.upper)


def of_pseudo_documents(
    scores: FloatArray,
    documents: IntArray,
    rng: np.random.Generator,
    count: int = COUNT,
    n_replicates: int = DRAWN_REPLICATES,
) -> Outcome:
    """Return what the default says of the mean Pearson coefficient over pseudo-documents of ten segments."""
    kind, n = COEFFICIENTS.named("pearson"), len(documents)

    def means(segments: IntArray) -> list[float]:
        indices = segments[draw_documents(len(segments), LENGTH, count, rng).indices]
        pooled = scores[:, indices].mean(axis=2)
        return [float(pearson(pooled[m], pooled[2]).mean()) for m in (0, 1)]

    rs = means(np.arange(n))
    is_named = len(np.unique(documents)) < n
    if is_named:
        drawn = draw_halves(documents, n_replicates, LENGTH, rng)
        stretch = np.sqrt(drawn.shares / (1 - drawn.shares))
    else:
        drawn = draw_resamples("segments", n, 0, n_replicates, rng_segments=rng, rng_systems=rng)
        stretch = np.ones(n_replicates)
    again = np.array([means(np.repeat(np.arange(n), row)) for row in drawn.segments[:]]).T
    again = np.array(rs)[:, None] + stretch * (again - np.array(rs)[:, None])
    base = MeanCoefficient(
        coefficients=[np.full(count, r) for r in rs],
        coefficient=kind,
        n_documents=count,
        n_systems=scores.shape[2],
        sample_sizes={"documents" if is_named else "segments": effective(documents)},
        groups=documents,
    )
    intervals = [
        StandardError().confidence_interval(
            replace(base, coefficients=base.coefficients[m : m + 1], replicates=[again[m]])
        )
        for m in (0, 1)
    ]
    tested = StandardErrorTest().compare(replace(base, replicates=[*again]))
    return rs, intervals, tested.p, (tested.lower, tested.upper)


LEVELS = {"systems": of_systems, "segments, acc_eq": of_segments, "pseudo-documents of 10": of_pseudo_documents}


def simulate(
    level: str, n_systems: int, named: str, law: str, number: int, count: int, seed: int, independent: bool
) -> FloatArray:
    """Return a row for each corpus of a draw of systems: p, whether the intervals hold, their widths, p with power."""
    rng = generator(seed, "documents", level, n_systems, named, law, number)
    quality, sizes, of = QUALITY * rng.standard_normal(n_systems), SIZES[named], LEVELS[level]

    def outcome(noisier: float) -> Outcome:
        scores, documents = corpus(quality, sizes, law, noisier, rng)
        return of(scores, np.arange(len(documents)) if independent else documents, rng)

    outcomes = [outcome(1.0) for _ in range(count)]
    powers = [outcome(NOISIER)[2] for _ in range(count)]
    # The metrics have one law; the truth is their mean over these corpora and more of the same systems.
    more = [value for _ in range(count) for value in _values(of, *corpus(quality, sizes, law, 1.0, rng), rng)]
    truth = float(np.mean([*more, *(value for outcome in outcomes for value in outcome[0])]))
    rows = []
    for (_, intervals, p, (lower, upper)), power in zip(outcomes, powers, strict=True):
        held = [float(one.lower <= truth <= one.upper) if one.lower == one.lower else np.nan for one in intervals]
        of_d = float(lower <= 0 <= upper) if lower == lower else np.nan
        rows.append([p, of_d, upper - lower, *held, intervals[0].upper - intervals[0].lower, power])
    return np.array(rows)


def _values(of, scores: FloatArray, documents: IntArray, rng: np.random.Generator) -> list[float]:
    if of is of_systems:
        return of_whole_systems(scores)
    if of is of_segments:
        return of(scores, documents, rng)[0]
    indices = draw_documents(len(documents), LENGTH, COUNT, rng).indices
    pooled = scores[:, indices].mean(axis=2)
    return [float(pearson(pooled[m], pooled[2]).mean()) for m in (0, 1)]


def percent(values: FloatArray) -> str:
    defined = values[~np.isnan(values)]
    return f"{100 * defined.mean():.1f}" if len(defined) else "-"


def row(level: str, n_systems: int, named: str, law: str, options: argparse.Namespace) -> list[str]:
    count = -(-options.corpora // DRAWS)
    parts = Parallel(n_jobs=options.jobs)(
        delayed(simulate)(level, n_systems, named, law, number, count, options.seed, options.independent)
        for number in range(DRAWS)
    )
    p, of_d, wide, a, b, wide_r, power = np.concatenate(parts).T
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of medians of nothing
        widths = [f"{np.nanmedian(one):.3f}" for one in (wide, wide_r)]
    held = min((percent(one) for one in (a, b)), key=lambda text: float(text) if text != "-" else 0.0)
    sizes = SIZES[named]
    equal = sum(sizes) ** 2 / sum(size * size for size in sizes)
    documents = named if named == "none named" else f"{named} ({equal:.1f})"
    found = percent(np.where(np.isnan(p), np.nan, p < 0.05))
    cells = [level, str(n_systems), documents, law, str(len(p)), found, f"{percent(of_d)} ({widths[0]})"]
    return [*cells, f"{held} ({widths[1]})", percent(np.where(np.isnan(power), np.nan, power < 0.05))]


PROGRAM_HEADER = (
    "level | systems | documents | law | corpora | found different: functions | program | width: functions | program "
    "| same result"
)


def beside_program(level: str, n_systems: int, named: str, law: str, count: int, seed: int) -> list[str]:
    """Return how often equal metrics are found different by the functions above and by the program, beside each other.

    Both compare the same corpora, whose human scores are rounded to halves.
    """
    rows = []
    for number in range(count):
        rng = generator(seed, "program", level, n_systems, named, law, number)
        scores, documents = corpus(QUALITY * rng.standard_normal(n_systems), SIZES[named], law, 1.0, rng)
        scores[2] = np.rint(2 * scores[2]) / 2
        _, _, p, (lower, upper) = LEVELS[level](scores, documents, rng)
        rows.append([p, upper - lower, *compared(level, scores, documents)])
    p, wide, own_p, own_wide = np.array(rows).T
    found = [one < 0.05 for one in (p, own_p)]
    cells = [level, str(n_systems), named, law, str(count), *(f"{100 * one.mean():.1f}" for one in found)]
    widths = [f"{np.nanmedian(one):.3f}" for one in (wide, own_wide)]
    return [*cells, *widths, f"{100 * (found[0] == found[1]).mean():.1f}"]


def compared(level: str, scores: FloatArray, documents: IntArray) -> tuple[float, float]:
    """Return the p of `metaeval.compare`, and the width of its interval of the difference."""
    how = {
        "systems": "system",
        "segments, acc_eq": "segment",
        "pseudo-documents of 10": f"documents(length={LENGTH},count={COUNT})",
    }
    coefficient = {"segments, acc_eq": 'pairwise-accuracy(epsilon="auto")'}.get(level, "pearson")
    with tempfile.TemporaryDirectory() as directory, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        written(scores, documents, Path(directory))
        found = metaeval.compare(
            directory, ["precomputed:a", "precomputed:b"], level=how[level], coefficient=coefficient, ceiling=0
        )
    (test,) = found.results.data.tables.tests
    return test.p, test.upper - test.lower


def written(scores: FloatArray, documents: IntArray, directory: Path) -> None:
    """Write a corpus of these scores."""
    n, k = scores.shape[1:]
    names = [f"s{system}" for system in range(k)]
    criteria = '[{ name = "quality", low = -100, high = 100, direction = "higher" }]'
    (directory / "corpus.toml").write_text(f'name = "made"\ntitle = "made"\nlanguage = "en"\ncriteria = {criteria}\n')
    for folder in ("systems", "references", "metrics"):
        (directory / folder).mkdir()
    for name in names:
        (directory / "systems" / f"{name}.txt").write_text("x\n" * n)
    (directory / "references" / "ref.txt").write_text("x\n" * n)
    if len(np.unique(documents)) < n:
        lines = [f"{i + 1}\td{document}" for i, document in enumerate(documents)]
        (directory / "documents.tsv").write_text("\n".join(["segment\tdocument", *lines]) + "\n")
    lines = [f"{i + 1}\t{names[s]}\tj\tquality\t{scores[2][i, s]:g}" for i in range(n) for s in range(k)]
    (directory / "judgments.tsv").write_text("\n".join(["segment\tsystem\tjudge\tcriterion\tscore", *lines]) + "\n")
    for name, values in zip("ab", scores, strict=False):
        lines = [f"{names[s]}\t{i + 1}\t{values[i, s]!r}" for i in range(n) for s in range(k)]
        text = "\n".join(["system\tsegment\tscore", *lines]) + "\n"
        (directory / "metrics" / f"{name}.tsv").write_text(text.replace("np.float64(", "").replace(")", ""))


AVERAGES_HEADER = (
    "systems | documents | law | documents in common | corpora | found different | if taken as others | value held "
    "| difference held, one noisier | power"
)
Pair = tuple[FloatArray, IntArray]


class Average(NamedTuple):
    """What the joint tests of a metrics task say of two averages."""

    p: float
    half: float  # the width of the interval of the difference
    lower: FloatArray
    upper: FloatArray


def averages(n_systems: int, named: str, law: str, in_common: bool, number: int, count: int, seed: int) -> FloatArray:
    """Return a row for each corpus of two language pairs, whose documents may be the same ones.

    All that the same documents do to a system or to the noise of a metric, they do in both pairs. A row is p, p if they
    are taken as other documents, whether the intervals of both averages and that of the difference hold, and p with
    power.
    """
    rng = generator(seed, "averages", n_systems, named, law, str(in_common), number)
    qualities, sizes = QUALITY * rng.standard_normal((2, n_systems)), SIZES[named]

    def pairs(noisier: float) -> list[Pair]:
        effects = int(rng.integers(2**62))
        return [
            corpus(one, sizes, law, noisier, rng, np.random.default_rng(effects) if in_common else None)
            for one in qualities
        ]

    equal, unequal = ([pairs(noisier) for _ in range(count)] for noisier in (1.0, NOISIER))
    values, of_unequal = (
        np.array([np.mean([of_whole_systems(scores) for scores, _ in one], axis=0) for one in corpora])
        for corpora in (equal, unequal)
    )
    differences = of_unequal[:, 0] - of_unequal[:, 1]
    rows = []
    for number, (one, other) in enumerate(zip(equal, unequal, strict=True)):
        drawn = replicates_of(one, rng)
        found, alone = (of_average(drawn, one, values[number], same) for same in (in_common, False))
        power = of_average(replicates_of(other, rng), other, of_unequal[number], in_common)
        held = (found.lower <= values.mean()) & (values.mean() <= found.upper)
        difference_held = abs(differences[number] - differences.mean()) <= power.half
        rows.append([found.p, alone.p, *held, difference_held, power.p])
    return np.array(rows, dtype=np.float64)


def replicates_of(pairs: list[Pair], rng: np.random.Generator) -> list[dict[str, FloatArray]]:
    """Return the coefficients of both metrics in replicates, which draw the same documents in all pairs."""
    kind, n_documents = COEFFICIENTS.named("pearson"), int(pairs[0][1].max()) + 1
    drawn = draw_resamples("segments", n_documents, 0, REPLICATES, rng_segments=rng, rng_systems=rng)
    made = [denoised_of(*pair, drawn) for pair in pairs]
    return [{name: one.coefficients([m], [kind])[0] for m, name in enumerate("ab")} for one in made]


def of_average(replicates: list[dict[str, FloatArray]], pairs: list[Pair], values: FloatArray, same: bool) -> Average:
    """Return what the joint tests say, if the documents of the pairs are the same ones or if they are not."""
    errors = JointErrors(["a", "b"])
    for number, (one, (_, documents)) in enumerate(zip(replicates, pairs, strict=True)):
        names = tuple(f"{'' if same else number} {document}" for document in np.unique(documents))
        errors.add(str(number), "documents", one, 1 / len(pairs), effective(documents), names)
    joint = joint_family(values, errors, alpha=0.05, confidence_level=0.95)
    half = half_width(float(errors.errors()[1][0, 1]), errors.degrees, 0.95)
    return Average(float(joint.p[0, 1]), half, joint.lower, joint.upper)


def averages_row(n_systems: int, named: str, law: str, in_common: bool, options: argparse.Namespace) -> list[str]:
    count = -(-options.averages // DRAWS)
    parts = Parallel(n_jobs=options.jobs)(
        delayed(averages)(n_systems, named, law, in_common, number, count, options.seed) for number in range(DRAWS)
    )
    p, alone, a, b, difference, power = np.concatenate(parts).T
    held = min(float(one.mean()) for one in (a, b))
    shares = [(p < 0.05).mean(), (alone < 0.05).mean(), held, difference.mean(), (power < 0.05).mean()]
    documents = "the same" if in_common else "none"
    return [str(n_systems), named, law, documents, str(len(p)), *(f"{100 * one:.1f}" for one in shares)]


POWER_HEADER = (
    "level | systems | documents | noise of B | corpora | power: documents | segments | width of the difference | of r"
)
POWER_SIZES = {"20": SIZES["20"], "40": [5] * 40}
# Level, systems, how many times as large the noise of B is, pseudo-documents and their replicates.
POWER_CELLS = [
    ("systems", 8, 3.0, 0, 0),
    ("systems", 20, NOISIER, 0, 0),
    ("segments, acc_eq", 8, 1.3, 0, 0),
    ("pseudo-documents of 10", 8, NOISIER, COUNT, DRAWN_REPLICATES),
    # As many as the program draws.
    ("pseudo-documents of 10", 8, NOISIER, 1000, 100),
]


def power_row(
    level: str, n_systems: int, noisier: float, count: int, n_replicates: int, named: str, options: argparse.Namespace
) -> list[str]:
    """Return the power of drawing documents beside that of drawing segments, on the same corpora, without effects."""
    draws = Parallel(n_jobs=options.jobs)(
        delayed(powers)(
            level, n_systems, noisier, count, n_replicates, named, number, -(-options.power // DRAWS), options.seed
        )
        for number in range(DRAWS)
    )
    p, own_p, wide, own_wide, wide_r, own_wide_r = np.concatenate(draws).T
    ratios = [f"{np.nanmedian(one / other):.3f}" for one, other in ((wide, own_wide), (wide_r, own_wide_r))]
    shares = [f"{100 * (one < 0.05).mean():.1f}" for one in (p, own_p)]
    name = level if not count else f"{count} {level}"
    return [name, str(n_systems), named, f"{noisier:g}", str(len(p)), *shares, *ratios]


def powers(
    level: str,
    n_systems: int,
    noisier: float,
    count: int,
    n_replicates: int,
    named: str,
    number: int,
    n_corpora: int,
    seed: int,
) -> FloatArray:
    """Return a row for each corpus: p, the width of the difference and that of r, of documents and of segments."""
    rng = generator(seed, "power", level, n_systems, count, named, number)
    quality, how = QUALITY * rng.standard_normal(n_systems), {}
    if count:
        how = {"count": count, "n_replicates": n_replicates}
    rows = []
    for _ in range(n_corpora):
        scores, documents = corpus(quality, POWER_SIZES[named], "none", noisier, rng)
        both = [LEVELS[level](scores, one, rng, **how) for one in (documents, np.arange(len(documents)))]
        ps = [p for _, _, p, _ in both]
        wide = [upper - lower for _, _, _, (lower, upper) in both]
        rows.append([*ps, *wide, *(intervals[0].upper - intervals[0].lower for _, intervals, _, _ in both)])
    return np.array(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=int, default=400, help="corpora of a cell")
    parser.add_argument(
        "--program", type=int, default=100, help="corpora of a cell of 8 systems that the program compares"
    )
    parser.add_argument("--averages", type=int, default=400, help="corpora of a cell of averages")
    parser.add_argument(
        "--power", type=int, default=400, help="corpora of a cell of power without effects of documents"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="", help="a level")
    parser.add_argument("--independent", action="store_true", help="take segments as independent; 5 and 9 documents")
    options = parser.parse_args()
    cells = [
        (level, n_systems, named, law)
        for level in LEVELS
        if options.only in level
        for n_systems in ((8, 20) if level == "systems" else (8,))
        for named in (("5", "9") if options.independent else SIZES)
        for law in (LAWS if named != "none named" else ["none"])
    ]
    if options.corpora:
        print_table(HEADER.split(" | "), (row(*cell, options) for cell in cells))
    if options.program:
        of_program = [cell for cell in cells if cell[1] == 8]
        print_table(
            PROGRAM_HEADER.split(" | "), (beside_program(*cell, options.program, options.seed) for cell in of_program)
        )
    if options.averages:
        of_averages = [
            (n_systems, named, law, in_common)
            for n_systems in (8, 20)
            for named in ("9", "16 unequal", "20")
            for law in ("strong", "weak")
            for in_common in (True, False)
        ]
        print_table(AVERAGES_HEADER.split(" | "), (averages_row(*cell, options) for cell in of_averages))
    if options.power:
        of_power = [(*cell, named) for cell in POWER_CELLS if options.only in cell[0] for named in POWER_SIZES]
        print_table(POWER_HEADER.split(" | "), (power_row(*cell, options) for cell in of_power))


if __name__ == "__main__":
    main()
