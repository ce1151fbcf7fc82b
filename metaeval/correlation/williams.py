r"""Williams' test of whether two metrics correlate equally with the same human scores.

.. math:: t = (r_a - r_b) \sqrt{\frac{(n - 1)(1 + r_{ab})}{2 \frac{n - 1}{n - 3} K + \bar r^2 (1 - r_{ab})^3}}

with :math:`K = 1 - r_a^2 - r_b^2 - r_{ab}^2 + 2 r_a r_b r_{ab}`, the determinant of the correlation matrix, and
:math:`\bar r = (r_a + r_b) / 2`. Under equality t has about Student's distribution with n - 3 degrees of freedom.

The test presumes n independent units (systems) with normal scores, and Pearson's correlation. To put Spearman's or
Kendall's coefficient into it is an approximation for which nothing has been proved; it is offered because others do so.

Conventions. The direction is kept: where a is worse, ``greater`` gives p > 1/2. (mt-metrics-eval takes the magnitude of
t, so its one-sided p is that of the better metric, whichever that is.) Coefficients enter with their signs, so scores
that are low for good must be negated first; nlpstats takes the magnitudes of the coefficients instead.

Sources
-------
In `bibliography.toml`: williams1959; steiger1980 (which of the tests to take); graham2014 (for metrics).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from metaeval.components.coefficient import Coefficient
from metaeval.components.design import Design
from metaeval.components.documents import DocumentUnits
from metaeval.components.mean_coefficient import MeanCoefficient
from metaeval.components.test import Comparison
from metaeval.correlation.alternatives import Sided, check_alternative, p_by
from metaeval.correlation.coefficients import Pearson, Spearman
from metaeval.correlation.kendall import Kendall
from metaeval.correlation.tolerances import EQUAL, SINGULAR
from metaeval.datamodel.array_checks import checked
from metaeval.datamodel.corpus import FloatArray
from metaeval.errors import UsageError
from metaeval.scipy_parts import special


@dataclass(frozen=True)
class WilliamsResult:
    """The outcome of Williams' tests, several of which may be made at once.

    Attributes
    ----------
    difference : (...) float array
        r_a - r_b; ``nan`` where one of them is undefined.
    statistic : (...) float array
        Student's t: positive where a correlates higher; 0 for equal metrics; ``nan`` where the test is undefined.
    p : (...) float array
        From 0 to 1; 1 for equal metrics; ``nan`` where the test is undefined.
    """

    difference: FloatArray
    statistic: FloatArray
    p: FloatArray


def williams(
    r_a: npt.ArrayLike, r_b: npt.ArrayLike, r_ab: npt.ArrayLike, n: npt.ArrayLike, *, alternative: str = "two-sided"
) -> WilliamsResult:
    """Test from three correlations whether metric a and metric b correlate equally with the human scores.

    Parameters
    ----------
    r_a, r_b : (...) array_like
        Correlations of the two metrics with the human scores, from -1 to 1; ``nan`` where undefined.
    r_ab : (...) array_like
        Correlation of the two metrics with each other.
    n : (...) array_like of int
        How many units, such as systems, were correlated.
    alternative : "two-sided", "less" or "greater"
        ``greater``: a correlates higher than b.

    Returns
    -------
    WilliamsResult
        Of arrays (...). p is 1 for equal metrics (r_ab = 1 and r_a = r_b), whatever the alternative. It is ``nan``
        where n is 3 or less, a coefficient is undefined, or the determinant is not positive, as where a metric
        correlates perfectly with human scores: the formula then rests on a spread of 0.

    Raises
    ------
    ValueError
        If a correlation lies outside -1 to 1.
    UsageError
        If the alternative is unknown.
    """
    check_alternative(alternative)
    a, b, ab, size = np.broadcast_arrays(*(np.asarray(values, dtype=np.float64) for values in (r_a, r_b, r_ab, n)))
    for name, values in (("r_a", a), ("r_b", b), ("r_ab", ab)):
        if (outside := np.abs(values) > 1.0 + EQUAL).any():
            raise ValueError(f"`{name}` must be a correlation from -1 to 1; got {values[outside].flat[0]}.")
    difference = a - b
    # The determinant, without the cancellation that its usual form has near 0.
    determinant = (1.0 - ab) * (1.0 + ab) * (1.0 - a) * (1.0 + a) - np.square(b - a * ab)
    equal = (size > 3) & (ab >= 1.0 - EQUAL) & (np.abs(difference) <= EQUAL)
    defined = (size > 3) & (determinant > SINGULAR) & ~equal
    with np.errstate(divide="ignore", invalid="ignore"):
        noise = 2.0 * (size - 1) / (size - 3) * determinant + np.square((a + b) / 2.0) * (1.0 - ab) ** 3
        t = np.where(defined, difference * np.sqrt((size - 1) * (1.0 + ab) / noise), np.where(equal, 0.0, np.nan))
    freedom = np.maximum(size - 3, 1)
    p = p_by(alternative, less=special.stdtr(freedom, t), greater=special.stdtr(freedom, -t))
    return WilliamsResult(difference, t, np.where(equal, 1.0, p))


@dataclass(frozen=True)
class Williams(Sided, name="williams", sources=("williams1959", "steiger1980", "graham2014")):
    """Williams' test of whether two metrics correlate equally with the same human scores."""

    axes: ClassVar[tuple[str, ...]] = ("systems",)
    needs_scores: ClassVar[bool] = True
    of_one_document: ClassVar[bool] = True
    words: ClassVar[str] = "Williams's test"
    tested: ClassVar[str] = "equal correlations across all systems like these, if scores are normal"

    def described(
        self, replicates: str, resampled: str, axis: str, documents: DocumentUnits, coefficient: Coefficient
    ) -> str:
        """Return its name, and what its sample is."""
        return "Williams' test of dependent correlations, with the systems as the sample"

    def check(self, design: Design, axis: str) -> None:
        """Check that there are the coefficients of one document."""
        if not design.documents.is_whole or design.average_by == "system":
            raise UsageError(
                "the test 'williams' compares two coefficients over the systems of one document: `documents.kind` must "
                f"be 'all' and `correlation.average_by` 'item' or 'none'; got {design.documents.name!r} and "
                f"{design.average_by!r}."
            )
        others = [coefficient.written for coefficient in design.coefficients if not coefficient.kind.is_odd]
        if others:
            raise UsageError(
                f"the test 'williams' compares correlations, and {others[0]!r} is none. Leave the test out for the "
                "default."
            )

    def generalises_to(self, axis: str, unit: str, resampled: str) -> str:
        """Name what p is an inference to: other systems."""
        return "new systems, same texts, if scores are normal"

    def compare(self, estimate: MeanCoefficient) -> Comparison:
        """Test two metrics by their scores of systems."""
        scores, coefficient = estimate.scores, estimate.coefficient
        assert scores is not None
        if len(scores.human) != 1:
            raise UsageError(
                "test 'williams' compares coefficients over systems, and needs one document, `documents.kind = "
                f'"all"`; got {len(scores.human)} documents.'
            )
        if not coefficient.is_odd:
            raise UsageError(f"test 'williams' compares correlations, and {coefficient.name!r} is none.")
        return self(scores.metric_a[0], scores.metric_b[0], scores.human[0], coefficient)

    def __call__(
        self, metric_a: npt.ArrayLike, metric_b: npt.ArrayLike, human: npt.ArrayLike, coefficient: Coefficient
    ) -> Comparison:
        """Test two metrics on the same units.

        Parameters
        ----------
        metric_a, metric_b, human : (n,) array_like
            Finite numbers, one for each unit, such as a system; high for good on all three sides.
        coefficient : Coefficient
            Pearson's; or, as an approximation, Spearman's or Kendall's b.

        Returns
        -------
        Comparison
            ``greater`` means that a correlates higher than b.

        Raises
        ------
        ValueError
            If these are not vectors of equal length, or a number is not finite.
        UsageError
            If the coefficient is no correlation.
        """
        if coefficient not in (Pearson(), Spearman(), Kendall()):
            raise UsageError(
                "test 'williams': the coefficient must be 'pearson', 'spearman' (ties 'average') or 'kendall' (variant "
                f"'b', epsilon 0); got {coefficient!r}. A permutation test takes any coefficient."
            )
        a, people = checked(metric_a, human)
        b, people = checked(metric_b, people)
        if people.ndim != 1:
            raise ValueError(f"`metric_a`, `metric_b` and `human` must be vectors; got the shape {people.shape}.")
        r_a, r_b, r_ab = coefficient(np.stack([a, b, a]), np.stack([people, people, b]))
        n = len(people)
        comparison = williams(r_a, r_b, r_ab, len(people), alternative=self.alternative)
        undefined = bool(np.isnan(comparison.p))
        because = ""
        if undefined and not np.isnan(comparison.difference):
            because = "scores that are correlated perfectly, or too few systems, leave the formula no value"
        counts = (0, 0, n) if undefined else (n, 0, 0)
        difference, p, t = (float(number) for number in (comparison.difference, comparison.p, comparison.statistic))
        return Comparison(difference, p, *counts, f"t({n - 3})", t, untested_because=because)
