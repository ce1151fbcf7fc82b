"""Scales of judges: z-scores by judge, or the scores as they are.

z = (score - mean of the judge) / standard deviation of the judge, on each criterion apart, over all that the judge
scored in a corpus after its filters, human texts included (Turian, Shen and Melamed 2003). A judge whose scores have no
spread is centred only, and reported.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metaeval.datamodel.corpus import FloatArray, IntArray
from metaeval.errors import UsageError, unknown
from metaeval.parameters.calls import Call, parse_call
from metaeval.parameters.fields import build, parameter

NORMALISATIONS = ("none", "z")


@dataclass(frozen=True)
class _ZParameters:
    ddof: int = parameter(1, doc="0 divides by the number of scores, 1 by one less", choices=(0, 1))


@dataclass(frozen=True)
class Normalisation:
    """A normalisation of the scores of each judge: `name` is ``none`` or ``z``."""

    name: str
    ddof: int

    def __str__(self) -> str:
        return f"z(ddof={self.ddof})" if self.name == "z" else "none"


def get_normalisation(text: str) -> Normalisation:
    """Return the normalisation of a name: ``none``, ``z`` or ``z(ddof=0)``.

    Raises
    ------
    UsageError
        If the name or a parameter is unknown.
    """
    call: Call = parse_call(text)
    if call.name not in NORMALISATIONS:
        raise UsageError(unknown("normalisation", call.name, NORMALISATIONS))
    if call.name == "none" and call.arguments:
        raise UsageError(f"the normalisation 'none' has no parameters; got {call.written!r}.")
    return Normalisation(call.name, build(_ZParameters, call.arguments, subject="normalisation 'z'").ddof)


def z_scores(scores: FloatArray, judges: IntArray, n_judges: int, ddof: int) -> tuple[FloatArray, tuple[int, ...]]:
    """Return the z-scores of all scores by judge.

    An experiment gives those of one criterion by the judges that were chosen, of human texts too where the judge scored
    some (`metaeval.experiment.judge.judge_criterion`).

    Parameters
    ----------
    scores : (judgments,) float array
        On one criterion.
    judges : (judgments,) int array
        The judge of each score.
    n_judges : int
    ddof : int
        The variance is divided by n - ddof.

    Returns
    -------
    (judgments,) float array
        Without unit.
    tuple of int
        The judges with a single score or without spread: their scores are centred only.
    """
    counts = np.bincount(judges, minlength=n_judges)
    means = np.bincount(judges, weights=scores, minlength=n_judges) / np.maximum(counts, 1)
    centred = scores - means[judges]
    squares = np.bincount(judges, weights=centred**2, minlength=n_judges)
    spread = np.sqrt(squares / np.maximum(counts - ddof, 1))
    # Rounding can leave squares of equal scores above 0, so the extremes show whether there is a spread.
    low = np.full(n_judges, np.inf)
    high = np.full(n_judges, -np.inf)
    np.minimum.at(low, judges, scores)
    np.maximum.at(high, judges, scores)
    flat = ~(high > low)
    centred[flat[judges]] = 0.0
    return centred / np.where(flat, 1.0, spread)[judges], tuple(np.flatnonzero(flat & (counts > 0)).tolist())
