"""The interval and the test of denoised replicates: these systems on other test sets of this size.

Pearson's and Spearman's coefficients are taken on Fisher's scale, z = atanh r, where the spread of a good metric is not
lost beside that of a poor one. There the statistic of a difference is the mean of its replicates over their standard
deviation, and its interval the inversion of that. With m the mean of both z, and a difference d of these,

    d  ->  tanh(m + d/2) - tanh(m - d/2)

takes it back to coefficients; it is 0 exactly where d is, so that the interval excludes 0 exactly where p is
significant. Other coefficients take few values, of which means and standard deviations say more than percentiles do:
their interval is the estimate -+ t standard deviations, and so is that of a difference. Where they count pairs, half of
what one pair changes is added, and taken off the statistic: two metrics that are nearly alike may differ in one pair of
systems, which nearly all replicates then show.

The interval of one coefficient on Fisher's scale covers t standard deviations around the estimate as well as around the
mean of its replicates, which both aim at the mean over test sets of this size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from metaeval.contracts import (
    Coefficient,
    Comparison,
    ConfidenceInterval,
    Design,
    Evidence,
    Interval,
    Sample,
    Test,
    refuse,
)
from metaeval.correlation.bootstrap import generalises_to
from metaeval.correlation.intervals import EQUAL
from metaeval.correlation.standard_error import (
    StandardError,
    StandardErrorTest,
    freedom,
    half_width,
    p_of,
    too_few,
    untested,
    why_no_error,
)
from metaeval.parameters import parameter
from metaeval.records import FloatArray


def _check(what: str, design: Design) -> None:
    of_systems = design.documents.is_whole or (design.takes_grid and design.coefficients[0].kind.needs_all_cells)
    refuse(
        not of_systems or not design.one_score,
        f"the {what} 'denoised' is for scores of whole systems, of which a metric has one each. Leave it out for the "
        "default.",
    )
    refuse(
        design.resample in ("systems", "both"),
        f"the {what} 'denoised' takes off the noise of segments: `uncertainty.resample` must be 'segments', "
        f"'documents' or 'text'; got {design.resample!r}. Leave it out for the default.",
    )


def on_fisher_scale(values: FloatArray, coefficient: Coefficient, n_systems: int) -> FloatArray:
    """Return atanh of a coefficient across systems; 1 is taken as halfway to the next value, or as nearly 1."""
    most = coefficient.most_stretched(n_systems)
    return np.asarray(np.arctanh(np.clip(values, -most, most)))


def from_fisher_scale(z: float, coefficient: Coefficient, n_systems: int) -> float:
    """Return the coefficient of a bound on Fisher's scale; what reaches the last value of the scale reaches 1."""
    r = float(np.tanh(z))
    return float(np.sign(r)) if abs(r) >= coefficient.most_stretched(n_systems) - EQUAL else r


@dataclass(frozen=True)
class DenoisedInterval(Interval):
    """What the mean coefficient of these systems may be on other test sets of this size."""

    name: ClassVar[str] = "denoised"
    sources: ClassVar[tuple[str, ...]] = ("efron1979", "fisher1921")
    needs_replicates: ClassVar[bool] = True
    is_denoised: ClassVar[bool] = True

    def check(self, design: Design) -> None:
        """Check that there are scores of whole systems."""
        _check("interval", design)

    def made_by(self, resampled: str) -> str:
        """Return in words how it is made."""
        return f"denoised bootstrap over {resampled}"

    def of(self, sample: Sample) -> ConfidenceInterval:
        """Return the interval from denoised replicates."""
        assert sample.replicates is not None
        used = sample.replicates[~np.isnan(sample.replicates)]
        counts = len(used), len(sample.replicates) - len(used)
        if np.isnan(sample.mean):
            return ConfidenceInterval(np.nan, np.nan, *counts)
        because = too_few({**sample.drawn, "systems": sample.n_systems}) or why_no_error(sample.replicates, None)
        if because:
            return ConfidenceInterval(np.nan, np.nan, *counts, because)
        if not sample.coefficient.is_stretched:
            return StandardError().of(sample)
        z = on_fisher_scale(used, sample.coefficient, sample.n_systems)
        estimate = float(on_fisher_scale(np.asarray(sample.mean), sample.coefficient, sample.n_systems))
        half = half_width(float(z.std(ddof=1)), freedom(sample.drawn, len(used)), sample.confidence_level)
        low, high = min(estimate, float(z.mean())) - half, max(estimate, float(z.mean())) + half
        lower, upper = (from_fisher_scale(bound, sample.coefficient, sample.n_systems) for bound in (low, high))
        return ConfidenceInterval(lower, upper, *counts)


@dataclass(frozen=True)
class DenoisedTest(Test):
    """Whether two metrics agree equally well with human judgments on other test sets of this size."""

    name: ClassVar[str] = "denoised"
    sources: ClassVar[tuple[str, ...]] = ("efron1979", "fisher1921")
    axes: ClassVar[tuple[str, ...]] = ("replicates",)
    needs_replicates: ClassVar[bool] = True
    is_denoised: ClassVar[bool] = True
    gives_interval: ClassVar[bool] = True

    alternative: str = parameter(
        "two-sided", doc="which differences count against equality", choices=("two-sided", "less", "greater")
    )

    def check(self, design: Design, axis: str) -> None:
        """Check that there are scores of whole systems."""
        _check("test", design)

    def hypothesis(self, axis: str) -> str:
        """Return what is tested."""
        return "equal mean coefficients on other test sets of this size"

    def generalises_to(self, axis: str, unit: str, resampled: str) -> str:
        """Return what p is an inference to: other units of what is drawn again."""
        return generalises_to(resampled)

    def compare(self, evidence: Evidence) -> Comparison:
        """Test two metrics by denoised replicates that are centred together."""
        assert evidence.replicates_a is not None
        assert evidence.replicates_b is not None
        coefficient, n_systems = evidence.coefficient, evidence.human.shape[1]
        if because := too_few({"systems": n_systems}):
            return untested(evidence, because)
        if not coefficient.is_stretched:
            return StandardErrorTest(alternative=self.alternative).compare(evidence)
        differences = evidence.replicates_a - evidence.replicates_b
        defined = ~np.isnan(differences)
        n_undefined = int((~defined).sum())
        because = too_few(evidence.drawn) or why_no_error(differences, None)
        if because and because != "all replicates are equal":
            return untested(evidence, because, n_undefined)
        z_a, z_b = (
            on_fisher_scale(one[defined], coefficient, n_systems)
            for one in (evidence.replicates_a, evidence.replicates_b)
        )
        z = z_a - z_b
        counts, error = (len(z), int((np.abs(z) <= EQUAL).sum()), n_undefined), float(z.std(ddof=1))
        df = freedom(evidence.drawn, len(z))
        if error <= EQUAL:
            if abs(evidence.difference) <= EQUAL:
                return Comparison(evidence.difference, 1.0, *counts, f"t({df})")
            return untested(evidence, "the difference is the same in all replicates", n_undefined)
        mean, middle = float(z.mean()), float((z_a.mean() + z_b.mean()) / 2.0)
        half = half_width(error, df, evidence.confidence_level)
        lower, upper = (np.tanh(middle + d / 2.0) - np.tanh(middle - d / 2.0) for d in (mean - half, mean + half))
        if not lower <= evidence.difference <= upper:
            # Rank correlations of metrics that are nearly alike take one value in most replicates.
            lower = upper = np.nan
        # Replicates that point the other way than the estimate show neither.
        statistic = mean / error if mean * evidence.difference > 0 else 0.0
        return Comparison(
            evidence.difference,
            p_of(statistic, df, self.alternative),
            *counts,
            f"t({df})",
            statistic,
            float(lower),
            float(upper),
        )
