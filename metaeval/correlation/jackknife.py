"""The jackknife over systems: what a coefficient may be with other systems.

The standard error is that of the values without each system, on Fisher's scale (z = atanh r) where the coefficient is a
correlation. Unlike Fisher's formula it does not presume that scores are normal, so that a system far from the others
makes it wide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from metaeval.components.coefficient import Coefficient
from metaeval.components.design import Design
from metaeval.components.documents import DocumentUnits
from metaeval.components.interval import ConfidenceInterval, Interval
from metaeval.components.mean_coefficient import MeanCoefficient
from metaeval.correlation.denoised_inference import from_fisher_scale, on_fisher_scale
from metaeval.correlation.standard_error import half_width, too_few
from metaeval.correlation.tolerances import EQUAL
from metaeval.errors import UsageError


@dataclass(frozen=True)
class Jackknife(Interval, name="jackknife", sources=("tukey1958", "fisher1921")):
    """The jackknife interval of one coefficient over systems."""

    made: ClassVar[str] = "jackknife over systems"
    about: ClassVar[str] = "systems"
    leaves_out_systems: ClassVar[bool] = True

    def described(self, replicates: str, resampled: str, documents: DocumentUnits, coefficient: Coefficient) -> str:
        """Return of what it is, and on which scale."""
        scale = " on Fisher's z scale" if coefficient.has_fisher_scale else ""
        return f"are those of Student's t with the jackknife's standard error over systems{scale}"

    def check(self, design: Design) -> None:
        """Check that there is one coefficient across systems."""
        is_one = design.documents.is_whole and design.one_score and design.orientation != "raw"
        if not is_one:
            raise UsageError(
                "the interval 'jackknife' is for one coefficient over systems: `documents.kind` must be 'all', with "
                "one score of a metric for each system and aligned coefficients. Leave it out for the default."
            )
        if any(coefficient.kind.needs_items for coefficient in design.coefficients):
            raise UsageError(
                "the interval 'jackknife' leaves out systems, and a coefficient has chosen pairs of them: leave it out."
            )

    def confidence_interval(self, estimate: MeanCoefficient) -> ConfidenceInterval:
        """Return the interval from the values without each system."""
        value, kind = estimate.value, estimate.coefficient
        if np.isnan(value):
            return ConfidenceInterval()
        if because := too_few({"systems": estimate.n_systems}):
            return ConfidenceInterval(undefined_because=because)
        (values,) = estimate.jackknife
        if np.isnan(values).any():
            return ConfidenceInterval(undefined_because="there is no coefficient without some system")
        n = len(values)
        scaled, centre = (on_fisher_scale(side, kind, n) for side in (values, np.asarray(value)))
        error = float(np.sqrt((n - 1) / n * np.square(scaled - scaled.mean()).sum()))
        if error <= EQUAL:
            return ConfidenceInterval(undefined_because="it is the same without each system")
        half = half_width(error, n - 2, estimate.confidence_level)
        lower, upper = (from_fisher_scale(float(centre + side), kind, n) for side in (-half, half))
        return ConfidenceInterval(lower, upper)
