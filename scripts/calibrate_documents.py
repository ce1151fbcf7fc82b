"""Calibrate intervals and tests where segments share documents: corpora whose truth is known, many times over.

Prints tables in Markdown for docs/calibration.md. Segment i of system s, in document d, has

    latent[s, i] = quality[s] + effect[s, d] + noise        human[s, i] = latent[s, i] + own effect and noise
    metric[s, i] = latent[s, i] + own effect[s, d] + level[d] * noise

All terms are normal. Metrics A and B have one law, so that their mean coefficients over test sets of these sizes are
equal, for these very systems. Under the strong law the effects of documents have a standard deviation of .3, and the
level of a metric's noise one of .8 between documents, on the scale of its logarithm; under the weak one .15 and .3.

With --independent, segments are taken as independent, as by `--resample segments`, where there are few documents.

Usage: python scripts/calibrate_documents.py [--corpora N] [--program N] [--seed N] [--jobs N] [--independent]
"""

from __future__ import annotations

import argparse
import os
import tempfile
import warnings
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from joblib import Parallel, delayed

import metaeval
from metaeval.contracts import ConfidenceInterval, MeanCoefficient
from metaeval.correlation.averages import correlate
from metaeval.correlation.denoised import Denoised
from metaeval.correlation.denoised_inference import DenoisedInterval, DenoisedTest
from metaeval.correlation.standard_error import PairedT, StandardError, StandardErrorTest, Student, effective
from metaeval.kinds import COEFFICIENTS
from metaeval.randomness import generator
from metaeval.records import FloatArray, IntArray
from metaeval.sampling.documents import draw_documents
from metaeval.sampling.resamples import draw_halves, draw_resamples

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
    quality: FloatArray, sizes: list[int], law: str, noisier: float, rng: np.random.Generator
) -> tuple[FloatArray, IntArray]:
    """Return the scores of A, B and people, (3, segments, systems), and the document of each segment."""
    effect, spread = LAWS[law]
    documents = np.repeat(np.arange(len(sizes)), sizes)
    n, k = len(documents), len(quality)

    def effects() -> FloatArray:
        return effect * rng.standard_normal((len(sizes), k))[documents]

    latent = quality + 0.6 * rng.standard_normal((n, k)) + effects()
    level = np.exp(spread * rng.standard_normal((2, len(sizes), 1)))[:, documents] * NOISE
    level[1] *= noisier
    metrics = [latent + effects() + one * rng.standard_normal((n, k)) for one in level]
    return np.stack([*metrics, latent + effects() + 0.6 * rng.standard_normal((n, k))]), documents


def pearson(x: FloatArray, y: FloatArray) -> FloatArray:
    return COEFFICIENTS.named("pearson")(np.ascontiguousarray(x), np.broadcast_to(y, x.shape).copy())


Outcome = tuple[list[float], list[ConfidenceInterval], float, tuple[float, float]]


def of_systems(scores: FloatArray, documents: IntArray, rng: np.random.Generator) -> Outcome:
    """Return what the default says of Pearson's coefficient of whole systems: values, intervals, p and the interval."""
    kind, sizes = COEFFICIENTS.named("pearson"), np.bincount(documents)
    values, sums = scores.mean(axis=1), np.zeros((len(sizes), 3, scores.shape[2]))
    np.add.at(sums, documents, scores.transpose(1, 0, 2))
    drawn = draw_resamples("segments", len(sizes), 0, REPLICATES, rng_segments=rng, rng_systems=rng)
    counts = np.asarray(drawn.segments[:], dtype=np.float64)
    replicates = np.einsum("bd,dmk->bmk", counts, sums) / (counts @ sizes)[:, None, None]
    denoised = Denoised(values, replicates, drawn.weights)
    rs = [float(pearson(values[[m]], values[2])[0]) for m in (0, 1)]
    unit = "segments" if len(sizes) == len(documents) else "documents"
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
            replace(base, coefficients=base.coefficients[m : m + 1], replicates=denoised.of([m], [kind]))
        )
        for m in (0, 1)
    ]
    tested = DenoisedTest().compare(replace(base, replicates=denoised.of([0, 1], [kind] * 2)))
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


def of_pseudo_documents(scores: FloatArray, documents: IntArray, rng: np.random.Generator) -> Outcome:
    """Return what the default says of the mean Pearson coefficient over pseudo-documents of ten segments."""
    kind, n = COEFFICIENTS.named("pearson"), len(documents)

    def means(segments: IntArray) -> list[float]:
        indices = segments[draw_documents(len(segments), LENGTH, COUNT, rng).indices]
        pooled = scores[:, indices].mean(axis=2)
        return [float(pearson(pooled[m], pooled[2]).mean()) for m in (0, 1)]

    rs = means(np.arange(n))
    is_named = len(np.unique(documents)) < n
    if is_named:
        drawn = draw_halves(documents, DRAWN_REPLICATES, LENGTH, rng)
        stretch = np.sqrt(drawn.shares / (1 - drawn.shares))
    else:
        drawn = draw_resamples("segments", n, 0, DRAWN_REPLICATES, rng_segments=rng, rng_systems=rng)
        stretch = np.ones(DRAWN_REPLICATES)
    again = np.array([means(np.repeat(np.arange(n), row)) for row in drawn.segments[:]]).T
    again = np.array(rs)[:, None] + stretch * (again - np.array(rs)[:, None])
    base = MeanCoefficient(
        coefficients=[np.full(COUNT, r) for r in rs],
        coefficient=kind,
        n_documents=COUNT,
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
        means = scores.mean(axis=1)
        return [float(pearson(means[[m]], means[2])[0]) for m in (0, 1)]
    if of is of_segments:
        return of(scores, documents, rng)[0]
    indices = draw_documents(len(documents), LENGTH, COUNT, rng).indices
    pooled = scores[:, indices].mean(axis=2)
    return [float(pearson(pooled[m], pooled[2]).mean()) for m in (0, 1)]


def percent(values: FloatArray) -> str:
    defined = values[~np.isnan(values)]
    return f"{100 * defined.mean():.1f}" if len(defined) else "-"


def row(level: str, n_systems: int, named: str, law: str, options: argparse.Namespace) -> str:
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
    return " | ".join([*cells, f"{held} ({widths[1]})", percent(np.where(np.isnan(power), np.nan, power < 0.05))])


def of_program(level: str, named: str, law: str, count: int, seed: int) -> str:
    """Return how often `metaeval.compare` finds two equal metrics different, and how often its interval has 0."""
    how = {
        "systems": "system",
        "segments, acc_eq": "segment",
        "pseudo-documents of 10": f"documents(length={LENGTH},count={COUNT})",
    }
    found, held = [], []
    for number in range(count):
        rng = generator(seed, "program", level, named, law, number)
        scores, documents = corpus(QUALITY * rng.standard_normal(8), SIZES[named], law, 1.0, rng)
        with tempfile.TemporaryDirectory() as directory, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            written(scores, documents, Path(directory))
            coefficient = {"segments, acc_eq": 'pairwise-accuracy(epsilon="auto")'}.get(level, "pearson")
            compared = metaeval.compare(
                directory, ["precomputed:a", "precomputed:b"], level=how[level], coefficient=coefficient, ceiling=0
            )
        (test,) = compared.results.data.tables.tests
        found.append(test.p < 0.05)
        held.append(test.lower <= 0 <= test.upper)
    return " | ".join([level, "8", named, law, str(count), f"{100 * np.mean(found):.1f}", f"{100 * np.mean(held):.1f}"])


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
    people = np.rint(2 * scores[2]) / 2
    lines = [f"{i + 1}\t{names[s]}\tj\tquality\t{people[i, s]:g}" for i in range(n) for s in range(k)]
    (directory / "judgments.tsv").write_text("\n".join(["segment\tsystem\tjudge\tcriterion\tscore", *lines]) + "\n")
    for name, values in zip("ab", scores, strict=False):
        lines = [f"{names[s]}\t{i + 1}\t{values[i, s]!r}" for i in range(n) for s in range(k)]
        text = "\n".join(["system\tsegment\tscore", *lines]) + "\n"
        (directory / "metrics" / f"{name}.tsv").write_text(text.replace("np.float64(", "").replace(")", ""))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=int, default=400, help="corpora of a cell")
    parser.add_argument("--program", type=int, default=100, help="corpora of a cell that the program itself compares")
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
    print(f"| {HEADER} |\n|{' --- |' * (HEADER.count('|') + 1)}")
    for cell in cells if options.corpora else ():
        print(f"| {row(*cell, options)} |", flush=True)
    header = "level | systems | documents | law | corpora | found different | difference held"
    print(f"\nThe program itself:\n\n| {header} |\n|{' --- |' * 7}")
    for level, n_systems, named, law in cells if options.program else ():
        if n_systems == 8 and law != "weak" and named in ("5", "20"):
            print(f"| {of_program(level, named, law, options.program, options.seed)} |", flush=True)


if __name__ == "__main__":
    main()
