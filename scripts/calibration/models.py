"""The models that calibrate_defaults.py draws corpora from, and the coefficients that are true of them.

Of drawn systems s there is a population of segments i, and a corpus is n of these, drawn independently, so that the
truth is known: the mean coefficient over test sets of n segments for these very systems (E1), here over 4,000 sets.

    latent[s, i] = quality[s] + difficulty[i] + interaction[s, i]
    human[s, i]  = mean of two judgments, each round(3 + latent + judge noise) on a scale from 1 to 5
    metric[s, i] = latent[s, i] + bias[s] + noise[s, i]

All terms are normal. In the nulls, metrics A and B have the same E1: they are exchangeable, which is made exact by a
population that holds each segment once more with A and B exchanged, or the noise of A is chosen so that E1 is equal for
the systems drawn (and for each coefficient). Systems for which no noise of A does that are drawn again, and counted.

    exchangeable  no bias, noise 1.2 in both        outlier    as unequal; one system is far below the others
    biased        bias .15 in both, B noise 1.2     documents  as unequal; in documents of 10, with effects of document
    unequal       A no bias; B bias .25, noise .3              and system in the texts, the metrics and the judgments
    mqm           as unequal; human errors are      judged     as unequal; half of the items were judged, at random
                  Poisson, majors count 5, at       tied       as unequal; human scores of systems rounded to .2, so
                  most 25                                      that some tie
    ratio         A is a sum of matches over one    near       noise 1.2 in common, and .1 in each: exchangeable
                  of lengths; B as in unequal
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from metaeval.components.registries import COEFFICIENTS
from metaeval.correlation.soft_pairwise_accuracy import SoftOfSystems
from metaeval.datamodel.corpus import FloatArray, IntArray
from metaeval.runtime.randomness import generator

QUALITY, DIFFICULTY, INTERACTION, JUDGE = 0.35, 0.6, 0.6, 0.9
NOISE, LENGTH, EFFECT = 1.2, 10, 0.3
POPULATION, SETS, ATTEMPTS = 20_000, 4_000, 100
# A share of the population is enough for the spread of its differences.
MOMENTS = 4_000
SOFT = "soft-pairwise-accuracy"


@dataclass(frozen=True)
class Model:
    """What corpora are drawn from; biases are standard deviations, and a noise of A that is None is equalised."""

    name: str
    bias_a: float = 0.0
    bias_b: float = 0.25
    noise_a: float | None = None
    noise_b: float = 0.3
    common: float = 0.0
    errors: bool = False
    outlier: float = 0.0
    ratio: bool = False
    documents: bool = False
    judged: float = 1.0
    rounding: float = 0.0

    @property
    def is_exchangeable(self) -> bool:
        """Whether the metrics can be exchanged."""
        return self.noise_a == self.noise_b and self.bias_b == 0.0 and not self.bias_a


EXCHANGEABLE = Model("exchangeable", bias_b=0.0, noise_a=NOISE, noise_b=NOISE)
NULLS = (
    EXCHANGEABLE,
    Model("biased", bias_a=0.15, bias_b=0.15, noise_b=NOISE),
    Model("unequal"),
    Model("mqm", errors=True),
    Model("ratio", ratio=True),
    Model("near", bias_b=0.0, noise_a=0.1, noise_b=0.1, common=NOISE),
    Model("outlier", outlier=1.5),
    Model("documents", documents=True),
    Model("judged", judged=0.5),
    Model("tied", rounding=0.2),
)
SEGMENT_NULLS = tuple(
    replace(EXCHANGEABLE, name=name, **changes)
    for name, changes in (
        ("exchangeable", {}),
        ("mqm", {"errors": True}),
        ("documents", {"documents": True}),
        ("judged", {"judged": 0.5}),
    )
)
ALTERNATIVES = (
    replace(EXCHANGEABLE, name="noise of B x 1.5", noise_b=1.5 * NOISE),
    replace(EXCHANGEABLE, name="noise of B x 2.5", noise_b=2.5 * NOISE),
    replace(EXCHANGEABLE, name="bias .1 v. .2", bias_a=0.1, bias_b=0.2),
)


def effects(shape: tuple[int, int], rng: np.random.Generator) -> FloatArray:
    """Return standard normal effects that the segments of a document share: (segments, systems)."""
    return np.repeat(rng.standard_normal((shape[0] // LENGTH, shape[1])), LENGTH, axis=0)


def segments(model: Model, quality: FloatArray, n: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Return the latent quality and the human score of n segments: (segments, systems) each."""
    shape = n, len(quality)
    latent = quality + DIFFICULTY * rng.standard_normal((n, 1)) + INTERACTION * rng.standard_normal(shape)
    if model.documents:
        latent += EFFECT * effects(shape, rng)
    if model.errors:
        rate = np.exp(-0.5 - latent)
        return latent, -np.minimum(25.0, rng.poisson(0.75 * rate) + 5.0 * rng.poisson(0.25 * rate))
    seen = 3.0 + latent + (EFFECT * effects(shape, rng) if model.documents else 0.0)
    judgments = [np.clip(np.rint(seen + JUDGE * rng.standard_normal(shape)), 1.0, 5.0) for _ in range(2)]
    return latent, (judgments[0] + judgments[1]) / 2.0


def noise(model: Model, shape: tuple[int, int], rng: np.random.Generator) -> FloatArray:
    return rng.standard_normal(shape) + (EFFECT * effects(shape, rng) if model.documents else 0.0)


def draw_quality(n_systems: int, rng: np.random.Generator, outlier: float = 0.0) -> FloatArray:
    quality = QUALITY * rng.standard_normal(n_systems)
    if outlier:
        quality[0] = quality[1:].mean() - outlier
    return quality


@dataclass(frozen=True)
class Parts:
    """What scores are made of, in segments or as means over them: (..., systems) each.

    A is (fixed + its noise * z) / length, and people's score human / judged, rounded if need be.
    """

    human: FloatArray
    judged: FloatArray
    fixed: FloatArray
    z: FloatArray
    length: FloatArray
    b: FloatArray
    rounding: float

    def stacked(self) -> FloatArray:
        """Return the parts side by side."""
        return np.concatenate([self.human, self.judged, self.fixed, self.z, self.length, self.b], axis=-1)

    def like(self, stacked: FloatArray) -> Parts:
        """Return other parts of these systems."""
        human, judged, fixed, z, length, b = np.split(stacked, 6, axis=-1)
        return Parts(human, judged, fixed, z, length, b, self.rounding)

    def lines(self, noise_a: float) -> FloatArray:
        """Return the scores of A, B and people: (..., 3, systems)."""
        human = self.human / self.judged
        if self.rounding:
            human = np.rint(human / self.rounding) * self.rounding
        return np.stack([(self.fixed + noise_a * self.z) / self.length, self.b, human], axis=-2)


def population(model: Model, n_systems: int, rng: np.random.Generator) -> Parts:
    """Draw systems, and their population of segments."""
    size = POPULATION // 2 if model.is_exchangeable else POPULATION
    quality = draw_quality(n_systems, rng, model.outlier)
    bias_a, bias_b = np.array([[model.bias_a], [model.bias_b]]) * rng.standard_normal((2, n_systems))
    latent, human = segments(model, quality, size, rng)
    shape = latent.shape
    length = np.ones(shape)
    if model.ratio:
        length = np.exp(3.0 + 0.5 * rng.standard_normal((size, 1)) + 0.1 * rng.standard_normal(shape))
    z, of_b = length * noise(model, shape, rng), noise(model, shape, rng)
    shared = latent + model.common * rng.standard_normal(shape) if model.common else latent
    # Noise is no bias: none is left in the mean of the population.
    fixed, z = length * (shared + bias_a), z - z.mean(axis=0)
    b = shared + bias_b + model.noise_b * (of_b - of_b.mean(axis=0))
    judged = np.ones(shape) if model.judged == 1 else (rng.random(shape) < model.judged).astype(np.float64)
    parts = Parts(human * judged, judged, fixed, z, length, b, model.rounding)
    if not model.is_exchangeable:
        return parts
    assert model.noise_a is not None
    exchanged = replace(parts, fixed=b, z=np.zeros(shape), b=fixed + model.noise_a * z)
    return parts.like(np.concatenate([parts.stacked(), exchanged.stacked()]))


def drawn_segments(model: Model, shape: tuple[int, ...], rng: np.random.Generator) -> IntArray:
    """Draw segments of the population, or whole documents of them: the shape, whose last axis is the segments."""
    if not model.documents:
        return rng.integers(POPULATION, size=shape)
    documents = rng.integers(POPULATION // LENGTH, size=(*shape[:-1], shape[-1] // LENGTH))
    return (documents[..., None] * LENGTH + np.arange(LENGTH)).reshape(shape)


def means_of_sets(model: Model, parts: Parts, n: int, rng: np.random.Generator) -> Parts:
    """Return the parts of test sets of n segments: (sets, systems) each."""
    stacked, found, step = parts.stacked(), [], 500
    for _ in range(0, SETS, step):
        places = drawn_segments(model, (step, n), rng).ravel()
        ones = np.full(len(places), 1.0 / n)
        drawn = sparse.csr_matrix((ones, places, np.arange(0, len(places) + 1, n)), shape=(step, len(stacked)))
        found.append(drawn @ stacked)
    return parts.like(np.concatenate(found))


def mean_coefficients(text: str, parts: Parts, sets: Parts, n: int, noise_a: float) -> tuple[float, float]:
    """Return the mean coefficients of A and B over test sets."""
    lines, coefficient = sets.lines(noise_a), COEFFICIENTS.named(text)
    relations = [coefficient, coefficient]
    if text == SOFT:
        few = parts.like(parts.stacked()[:MOMENTS]).lines(noise_a)
        relations = []
        for line in (0, 1):
            found = coefficient.among_systems(few[:, line], few[:, 2])
            assert isinstance(found, SoftOfSystems)
            scale = math.sqrt(MOMENTS / n)
            relations.append(SoftOfSystems(scale * found.metric_errors, scale * found.human_errors))
    a, b = (float(np.nanmean(relations[line](lines[:, line], lines[:, 2]))) for line in (0, 1))
    return a, b


def equal_noise(above: Callable[[float], bool]) -> float | None:
    """Return the noise up to which A is above B; None if that holds nowhere or everywhere."""
    low, high = 0.02, 100.0
    if not above(low) or above(high):
        return None
    for _ in range(16):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if above(middle) else (low, middle)
    return math.sqrt(low * high)


def equalised(text: str, parts: Parts, sets: Parts, n: int) -> float | None:
    """Return the noise with which A has the mean coefficient of B; None if there is none."""

    def above(noise_a: float) -> bool:
        a, b = mean_coefficients(text, parts, sets, n, noise_a)
        return a > b

    return equal_noise(above)


def draw_systems(
    model: Model, n_systems: int, n: int, texts: Sequence[str], number: int, seed: int
) -> tuple[Parts, dict[str, tuple[float, float, float]], int]:
    """Draw systems: their population, the noise of A and the true coefficients by name, and how many were discarded."""
    for attempt in range(ATTEMPTS):
        rng = generator(seed, "systems", model.name, n_systems, n, number, attempt)
        parts = population(model, n_systems, rng)
        sets = means_of_sets(model, parts, n, rng)
        found = {}
        for text in texts:
            noise_a = equalised(text, parts, sets, n) if model.noise_a is None else model.noise_a
            if noise_a is None:
                break
            a, b = mean_coefficients(text, parts, sets, n, noise_a)
            found[text] = (noise_a, *(((a + b) / 2.0,) * 2 if model.is_exchangeable else (a, b)))
        else:
            return parts, found, attempt
    raise RuntimeError(f"no systems of model {model.name} could be equalised")
