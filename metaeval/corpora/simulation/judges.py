"""Judges see latent quality through severity, spread and noise, on a scale from 1 to 5."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from statistics import NormalDist

_NORMAL = NormalDist()


@dataclass(frozen=True)
class Judge:
    """A person who judges.

    Attributes
    ----------
    name : str
    severity : float
        Added to every grade; negative for the severe.
    spread : float
        How much of the scale the judge uses; 1 for all of it.
    noise : float
        Standard deviation of what differs from grade to grade without reason.
    """

    name: str
    severity: float
    spread: float
    noise: float


def normal(rng: Random) -> float:
    """Return a standard normal number from one uniform number."""
    return _NORMAL.inv_cdf(min(max(rng.random(), 1e-12), 1 - 1e-12))


def make_judge(rng: Random, name: str, noise: float) -> Judge:
    """Draw a judge."""
    return Judge(name, 0.35 * normal(rng), 0.8 + 0.4 * rng.random(), noise * (0.75 + 0.5 * rng.random()))


def perceived(adequacy: float, fluency: float) -> tuple[float, float]:
    """Return the adequacy and fluency that judges see, from 0 to 1: what is said badly is harder to understand."""
    meaning = max(0.0, 1.0 - 1.6 * (1.0 - adequacy))
    form = max(0.0, 1.0 - 2.0 * (1.0 - fluency))
    return 0.88 * meaning + 0.12 * form, 0.15 * meaning + 0.85 * form


def grade(rng: Random, judge: Judge, quality: float) -> int:
    """Return a grade from 1 to 5 for a perceived quality from 0 to 1."""
    score = 3.0 + judge.spread * (4.0 * quality - 2.0) + judge.severity + judge.noise * normal(rng)
    return max(1, min(5, round(score)))
