"""Calibrate the tests and intervals of metaeval by simulation: corpora whose truth is known, many times over.

Prints tables in Markdown: how often each test finds a difference between two metrics that are equal, and between two
that are not, and how often each 95 % interval covers its target. They are in
docs/calibration-tables.md; docs/calibration.md says what they mean.

The corpora are drawn in numpy from the model below, not by `metaeval corpus simulate`, which writes sentences: 0.3 s
for each of these 15,600 corpora, before a metric has seen them. For system s and segment i:

    latent[s, i] = quality[s] + difficulty[i] + interaction[s, i]
    human[s, i]  = mean of two judgments, each round(3 + latent + judge noise) on a scale from 1 to 5
    metric[s, i] = latent[s, i] + bias[s] + shared[i] + noise[s, i]

All terms are normal and drawn anew for each corpus; bias, shared and noise also for each metric.

Usage: python scripts/calibrate_tests.py [--simulations N] [--power N] [--companion N] [--jobs N] [--seed N] [--quick]
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from dataclasses import dataclass, replace

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from calibration.tables import table, wilson
from joblib import Parallel, delayed
from scipy import special

from metaeval.correlation.bootstrap_intervals import bootstrap_interval
from metaeval.correlation.coefficients import Pearson, Spearman
from metaeval.correlation.fisher_intervals import fisher_interval
from metaeval.correlation.influence import leave_one_out
from metaeval.correlation.paired_bootstrap import bootstrap_test
from metaeval.correlation.permutation import permutation_test
from metaeval.correlation.wilcoxon import Wilcoxon
from metaeval.correlation.williams import Williams
from metaeval.datamodel.corpus import FloatArray
from metaeval.datamodel.resampling import Resamples
from metaeval.runtime.randomness import generator
from metaeval.sampling.documents import draw_documents
from metaeval.sampling.resamples import draw_resamples, draw_swaps

SIZES = (5, 10, 20)
SEGMENTS = 200
QUALITY, DIFFICULTY, INTERACTION = 0.35, 0.6, 0.6
JUDGE, JUDGMENTS = 0.9, 2
SHARED, NOISE = 0.5, 1.2

DOCUMENTS, LENGTH = 1000, 10
REPLICATES = 999
COMPANION_REPLICATES = 199
FRESH = 40
WHAT = ("segments", "systems", "both")
COMPANION = "bootstrap of the 1000 pseudo-documents"


@dataclass(frozen=True)
class Model:
    """What a corpus is drawn from; `bias` is a standard deviation, `factor` multiplies bias and noise of metric B."""

    name: str
    systems: int
    bias: float
    factor: float = 1.0


@dataclass(frozen=True)
class Sample:
    """A drawn corpus: scores (segments, systems); quality of the systems and bias of metric A (systems,)."""

    human: FloatArray
    a: FloatArray
    b: FloatArray
    quality: FloatArray
    bias: FloatArray


MODELS = (Model("items", 0, 0.0), Model("systems", 0, 0.15))
EFFECTS = (1.5, 2.5)


def draw(model: Model, rng: np.random.Generator) -> Sample:
    """Draw the systems of a corpus, and its segments."""
    n = model.systems
    quality, bias_a, bias_b = rng.standard_normal((3, n)) * np.array([[QUALITY], [model.bias], [model.bias]])
    human, latent = draw_segments(quality, rng)
    a = latent + bias_a + metric_noise(1.0, n, rng)
    b = latent + model.factor * bias_b + metric_noise(model.factor, n, rng)
    return Sample(human, a, b, quality, bias_a)


def draw_segments(quality: FloatArray, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Draw what people say of systems on new segments, and the latent qualities: (segments, systems) each."""
    n = len(quality)
    difficulty = DIFFICULTY * rng.standard_normal((SEGMENTS, 1))
    latent = quality + difficulty + INTERACTION * rng.standard_normal((SEGMENTS, n))
    seen = 3.0 + latent[..., None] + JUDGE * rng.standard_normal((SEGMENTS, n, JUDGMENTS))
    return np.clip(np.rint(seen), 1.0, 5.0).mean(axis=-1), latent


def metric_noise(factor: float, n: int, rng: np.random.Generator) -> FloatArray:
    return SHARED * rng.standard_normal((SEGMENTS, 1)) + factor * NOISE * rng.standard_normal((SEGMENTS, n))


def expected_grade(quality: FloatArray) -> FloatArray:
    """Return the mean grade of a system over unlimited segments and judgments."""
    spread = np.sqrt(DIFFICULTY**2 + INTERACTION**2 + JUDGE**2)
    return 1.0 + sum(special.ndtr((3.0 + quality - limit) / spread) for limit in (1.5, 2.5, 3.5, 4.5))


def true_over_both(model: Model, factor: float) -> float:
    """Return the correlation over unlimited systems and segments, of a metric with `factor` times the bias."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    weights, quality = weights / weights.sum(), QUALITY * nodes
    grade = expected_grade(quality)
    grade = grade - weights @ grade
    spread = np.sqrt((QUALITY**2 + (factor * model.bias) ** 2) * (weights @ grade**2))
    return float(weights @ (quality * grade) / spread)


def true_over_systems(model: Model, seed: int, sets: int, systems: int) -> FloatArray:
    """Return the correlations of A and B over nearly unlimited systems on sets of segments: (sets, 2)."""
    found = []
    for number in range(sets):
        one = draw(replace(model, systems=systems), generator(seed, "truth", model.name, str(model.factor), number))
        found.append([float(Pearson()(metric.mean(axis=0), one.human.mean(axis=0))) for metric in (one.a, one.b)])
    return np.array(found)


def replicates(sample: Sample, drawn: Resamples) -> tuple[FloatArray, FloatArray]:
    """Return the coefficients of A and B in bootstrap replicates: (replicates,) each."""
    stacked = np.concatenate([sample.a, sample.b, sample.human], axis=1)
    counts = np.full((1, SEGMENTS), 1.0) if drawn.segments is None else drawn.segments.astype(np.float64)
    means = (counts @ stacked / SEGMENTS).reshape(len(counts), 3, -1)
    if drawn.systems is not None:
        means = np.broadcast_to(means, (len(drawn), *means.shape[1:]))
        means = np.take_along_axis(means, drawn.systems[:, None, :].astype(np.intp), axis=2)
    return Pearson()(means[:, 0], means[:, 2]), Pearson()(means[:, 1], means[:, 2])


def documents_of(sample: Sample, slots: np.ndarray, rng: np.random.Generator) -> FloatArray:
    """Return the scores of pseudo-documents made of the segments in `slots`: (A, B and human, documents, systems)."""
    indices = draw_documents(len(slots), LENGTH, DOCUMENTS, rng).indices
    assert indices is not None
    places = slots[indices] + np.arange(DOCUMENTS)[:, None] * SEGMENTS
    counts = np.bincount(places.ravel(), minlength=DOCUMENTS * SEGMENTS).reshape(DOCUMENTS, SEGMENTS)
    # Sums serve as well as means: no coefficient sees the length, which is that of all documents.
    sums = counts.astype(np.float64) @ np.concatenate([sample.a, sample.b, sample.human], axis=1)
    return np.ascontiguousarray(sums.reshape(DOCUMENTS, 3, -1).transpose(1, 0, 2))


def over_documents(sample: Sample, rng: np.random.Generator, *, companion: bool) -> dict[str, float]:
    """Return the p-values of the tests over pseudo-documents."""
    scores = documents_of(sample, np.arange(SEGMENTS), rng)
    a, b = Pearson()(scores[0], scores[2]), Pearson()(scores[1], scores[2])
    found = {
        "Wilcoxon over 1000 pseudo-documents, Pearson": Wilcoxon()(a, b).p,
        "Wilcoxon over 1000 pseudo-documents, Spearman": Wilcoxon()(
            Spearman()(scores[0], scores[2]), Spearman()(scores[1], scores[2])
        ).p,
    }
    if companion:
        means = np.empty((2, COMPANION_REPLICATES))
        for number in range(COMPANION_REPLICATES):
            again = documents_of(sample, rng.integers(SEGMENTS, size=SEGMENTS), rng)
            means[:, number] = np.nanmean(Pearson()(again[:2], np.stack([again[2], again[2]])), axis=1)
        found[COMPANION] = bootstrap_test(float(np.nanmean(a) - np.nanmean(b)), means[0], means[1]).p
    return found


def p_values(sample: Sample, rng: np.random.Generator, *, companion: bool) -> tuple[dict[str, float], dict]:
    """Return the p-value of each test, and the bootstrap replicates of metric A with their weights."""
    n = sample.a.shape[1]
    means = [scores.mean(axis=0) for scores in (sample.a, sample.b, sample.human)]
    found = over_documents(sample, rng, companion=companion)
    found["Williams"] = Williams()(*means, Pearson()).p
    for what in WHAT:
        swaps = draw_swaps(what, 1 if what == "systems" else SEGMENTS, n, REPLICATES, rng=rng)
        scores = [one[None] for one in means] if what == "systems" else [sample.a, sample.b, sample.human]
        average_by = "item" if what == "systems" else "averages"
        found[f"permutation of {what}"] = permutation_test(*scores, Pearson(), average_by, swaps).p
    kept = {}
    difference = float(Pearson()(means[0], means[2]) - Pearson()(means[1], means[2]))
    for what in WHAT:
        drawn = draw_resamples(what, SEGMENTS, n, REPLICATES, rng_segments=rng, rng_systems=rng)
        a, b = replicates(sample, drawn)
        kept[what] = a, drawn.weights
        found[f"paired bootstrap over {what}"] = bootstrap_test(difference, a, b, weights=drawn.weights).p
    found["difference"] = difference
    return found, kept


def limits_of(sample: Sample, kept: dict) -> dict[str, tuple[float, float]]:
    """Return the limits of each 95 % interval of metric A."""
    a, human = sample.a.mean(axis=0), sample.human.mean(axis=0)
    value = float(Pearson()(a, human))
    without = [(SEGMENTS * whole - scores) / (SEGMENTS - 1) for whole, scores in ((a, sample.a), (human, sample.human))]
    jackknife = {"segments": Pearson()(*without), "systems": leave_one_out(a, human, Pearson())}
    found = {}
    for what in WHAT:
        parts = [jackknife[unit] for unit in ("segments", "systems") if what in (unit, "both")]
        for kind in ("percentile", "bca"):
            one = bootstrap_interval(value, kept[what][0], limits=kind, weights=kept[what][1], jackknife=parts)
            found[f"{'BCa' if kind == 'bca' else kind} over {what}"] = one.lower, one.upper
    lower, upper = fisher_interval(value, len(a), Pearson())
    found["Fisher"] = float(lower), float(upper)
    return found


def mean_on_fresh_segments(sample: Sample, rng: np.random.Generator) -> float:
    """Return the mean coefficient of A for the same systems on other sets of as many segments."""
    values = []
    for _ in range(FRESH):
        human, latent = draw_segments(sample.quality, rng)
        a = latent + sample.bias + metric_noise(1.0, len(sample.quality), rng)
        values.append(float(Pearson()(a.mean(axis=0), human.mean(axis=0))))
    return float(np.mean(values))


def simulate(model: Model, numbers: range, seed: int, n_companion: int, *, intervals: bool) -> list[tuple[dict, dict]]:
    """Draw corpora and return, for each, its p-values, and the limits of its intervals with two truths."""
    rows = []
    for number in numbers:
        rng = generator(seed, model.name, model.systems, str(model.factor), number)
        sample = draw(model, rng)
        found, kept = p_values(sample, rng, companion=number < n_companion)
        limits = {}
        if intervals:
            limits = limits_of(sample, kept)
            limits["truth"] = (
                float(Pearson()(sample.quality + sample.bias, expected_grade(sample.quality))),
                mean_on_fresh_segments(sample, rng),
            )
        rows.append((found, limits))
    return rows


def standardising(options: argparse.Namespace) -> str:
    """Return what standardising does to the permutation of 10 systems, all 1,024 patterns, on one scale beforehand."""
    n, corpora = 10, 100 if options.quick else 4000
    swapped = (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(bool)
    rng = generator(options.seed, "standardising")
    found = np.empty((2, corpora))
    for number in range(corpora):
        latent, human, *noises = rng.standard_normal((4, n)) / np.sqrt(SEGMENTS)
        latent = QUALITY * rng.standard_normal(n) + INTERACTION * latent
        human = np.broadcast_to(latent + JUDGE / np.sqrt(JUDGMENTS) * human, swapped.shape)
        for row in (0, 1):
            a, b = (latent + NOISE * noise for noise in noises)
            if row:
                a, b = ((one - one.mean()) / one.std() for one in (a, b))
            differences = Pearson()(np.where(swapped, b, a), human) - Pearson()(np.where(swapped, a, b), human)
            found[row, number] = np.mean(np.abs(differences) >= abs(differences[0]) - 1e-12)
    parts = [share(int((row <= 0.05).sum()), corpora, 0.05, bad="above") for row in found]
    return (
        "## Standardisation\n\nPermutation of 10 systems whose scores are on one scale by construction (model items "
        f"without shared noise and without rounded grades, {corpora:,} corpora), percent with p at most 5 %: as they "
        f"are {parts[0]}, each metric first standardised over the 10 systems {parts[1]}.\n"
    )


def share(k: int, n: int, nominal: float, *, bad: str) -> str:
    """Return a share in percent with its limits; bold if they lie on the bad side of the nominal level, else italic."""
    if not n:
        return "-"
    low, high = wilson(k, n)
    mark = "" if low <= nominal <= high else "**" if (bad == "above") == (low > nominal) else "*"
    return f"{mark}{100 * k / n:.1f}{mark} ({100 * low:.1f} to {100 * high:.1f})"


def size_table(results: dict[int, list[tuple[dict, dict]]]) -> str:
    header = ["test"] + [f"{n} systems, {level} %" for n in SIZES for level in (5, 1)]
    rows = []
    for name in [key for key in results[SIZES[0]][0][0] if key != "difference"]:
        row = [name]
        for n in SIZES:
            p = np.array([found[name] for found, _ in results[n] if name in found])
            row += [share(int((p <= level).sum()), len(p), level, bad="above") for level in (0.05, 0.01)]
        rows.append(row)
    return table(header, rows)


def undefined_of(results: dict[int, list[tuple[dict, dict]]]) -> str:
    """Return a sentence on the undefined tests and intervals."""
    parts = []
    for n in SIZES:
        for place in (0, 1):
            for name in results[n][0][place]:
                values = np.array([np.min(row[place][name]) for row in results[n] if name in row[place]])
                if missing := int(np.isnan(values).sum()):
                    parts.append(f"{name}, {n} systems: {missing} of {len(values)}")
    return "Undefined: " + ("; ".join(parts) if parts else "none") + ".\n"


def too_often(rows: list[tuple[dict, dict]], name: str) -> bool:
    """Tell whether a test finds equal metrics different more often than in 5 %, beyond the error of the simulation."""
    p = np.array([found[name] for found, _ in rows if name in found])
    return wilson(int((p <= 0.05).sum()), len(p))[0] > 0.05


def power_table(
    results: dict[tuple[float, int], list[tuple[dict, dict]]],
    truths: dict[float, str],
    sizes: dict[int, list[tuple[dict, dict]]],
) -> str:
    header = ["test"] + [f"noise times {effect:g}, {n} systems" for effect in EFFECTS for n in SIZES]
    rows = []
    for name in [key for key in results[EFFECTS[0], SIZES[0]][0][0] if key != "difference"]:
        row = [name]
        for effect in EFFECTS:
            for n in SIZES:
                p = np.array([found[name] for found, _ in results[effect, n] if name in found])
                cell = f"{100 * np.mean(p <= 0.05):.0f}" if len(p) else "-"
                row.append(f"({cell})" if too_often(sizes[n], name) else cell)
        rows.append(row)
    observed = ["mean difference observed"]
    for effect in EFFECTS:
        observed += [f"{np.mean([found['difference'] for found, _ in results[effect, n]]):.3f}" for n in SIZES]
    true = "; ".join(f"noise times {effect:g}: {text}" for effect, text in truths.items())
    return f"True differences: {true}.\n\n" + table(header, [observed, *rows])


def coverage_table(results: dict[int, list[tuple[dict, dict]]], over_systems: float, over_both: float) -> str:
    here, fresh = "these systems, unlimited segments", "these systems, mean of sets of 200 segments"
    new, both = "unlimited systems, 200 segments", "unlimited systems and segments"
    constant = {new: over_systems, both: over_both}
    meant = [
        (f"{kind} over {what}", target)
        for what, targets in (("segments", (here, fresh)), ("systems", (new,)), ("both", (both, new)))
        for kind in ("percentile", "BCa")
        for target in targets
    ]
    rows = []
    for name, target in [*meant, ("Fisher", new), ("Fisher", both)]:
        row, widths = [name, target], []
        for n in SIZES:
            limits = np.array([found[name] for _, found in results[n]])
            truths = np.array([found["truth"] for _, found in results[n]])
            truth = truths[:, 0] if target == here else truths[:, 1] if target == fresh else constant[target]
            inside = (limits[:, 0] <= truth) & (truth <= limits[:, 1])
            row.append(share(int(inside.sum()), len(inside), 0.95, bad="below"))
            widths.append(f"{np.nanmedian(limits[:, 1] - limits[:, 0]):.2f}")
        rows.append([*row, ", ".join(widths)])
    return table(["interval", "target", *(f"{n} systems" for n in SIZES), "median widths"], rows)


def run(model: Model, count: int, options: argparse.Namespace, *, intervals: bool, companion: int) -> list:
    """Simulate in chunks; chunks and jobs change no number."""
    size = 10
    chunks = [range(start, min(start + size, count)) for start in range(0, count, size)]
    parts = Parallel(n_jobs=options.jobs)(
        delayed(simulate)(model, chunk, options.seed, companion, intervals=intervals) for chunk in chunks
    )
    print(f"{model}: {count} corpora, {time.perf_counter() - STARTED:.0f} s", file=sys.stderr)
    return [row for part in parts for row in part]


def report(model: Model, options: argparse.Namespace) -> None:
    sets, systems = (2, 2000) if options.quick else (10, 20000)
    truth = true_over_systems(model, options.seed, sets, systems)
    over_both = true_over_both(model, 1.0)
    sizes = {
        n: run(replace(model, systems=n), options.simulations, options, intervals=True, companion=options.companion)
        for n in SIZES
    }
    print(f"## Model {model.name}: Type I error\n\n{size_table(sizes)}\n{undefined_of(sizes)}")
    print(f"## Model {model.name}: coverage\n")
    error = truth[:, 0].std(ddof=1) / np.sqrt(sets)
    print(
        f"True correlation of A over unlimited systems: {over_both:.4f} on unlimited segments; on 200 segments "
        f"{truth[:, 0].mean():.4f} (standard error {error:.4f}; {truth[:, 0].min():.4f} to {truth[:, 0].max():.4f} on "
        f"{sets} sets of segments with {systems:,} systems each).\n"
    )
    print(coverage_table(sizes, float(truth[:, 0].mean()), over_both))
    powers, truths = {}, {}
    for effect in EFFECTS:
        worse = replace(model, factor=effect)
        differences = -np.diff(true_over_systems(worse, options.seed, sets, systems), axis=1)
        limit = over_both - true_over_both(model, effect)
        truths[effect] = f"{differences.mean():.3f} on 200 segments, {limit:.3f} on unlimited ones"
        for n in SIZES:
            count, few = options.power, min(options.power, options.companion // 3)
            powers[effect, n] = run(replace(worse, systems=n), count, options, intervals=False, companion=few)
    print(f"## Model {model.name}: power at 5 %, in percent\n\n{power_table(powers, truths, sizes)}")


STARTED = time.perf_counter()


def main() -> None:
    parser = argparse.ArgumentParser(description="Calibrate tests and intervals by simulation.")
    parser.add_argument("--simulations", type=int, default=2000, help="corpora for Type I error and coverage")
    parser.add_argument("--power", type=int, default=300, help="corpora for each power")
    parser.add_argument("--companion", type=int, default=150, help=f"so many also for the {COMPANION}, which is slow")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="a trial of the script: its figures mean nothing")
    options = parser.parse_args()
    if options.quick:
        options.simulations, options.power, options.companion = 20, 10, 6
    print(
        f"`python scripts/calibrate_tests.py --simulations {options.simulations} --power {options.power} --companion "
        f"{options.companion} --seed {options.seed}`\n"
    )
    for model in MODELS:
        report(model, options)
    print(standardising(options))
    print(f"In all {(time.perf_counter() - STARTED) / 60:.0f} minutes of wall time with {options.jobs} processes.")


if __name__ == "__main__":
    main()
