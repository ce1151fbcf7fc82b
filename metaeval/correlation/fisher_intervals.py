r"""Intervals of a correlation by formula: Fisher's transformation.

.. math:: \tanh\left(\operatorname{artanh} r \pm z \sqrt{v / (n - m)}\right)

=================  ============  ===
coefficient        v             m
=================  ============  ===
pearson            1             3
spearman           1 + r^2 / 2   3
kendall (b)        0.437         4
=================  ============  ===

The formula presumes n independent pairs of normal scores; for Spearman's and Kendall's coefficient it was fitted to
normal scores without ties, and holds up to about .95 and .8. Segments of one system, and systems on one test set, are
not such pairs: the interval is then that of an unrelated sample of the same size.

Sources
-------
In `bibliography.toml`: fisher1921; fieller1957 (Kendall); bonett2000 (Spearman, and how far the formulas hold).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from metaeval.components.coefficient import Coefficient
from metaeval.components.design import Design
from metaeval.components.documents import DocumentUnits
from metaeval.components.interval import ConfidenceInterval, Interval
from metaeval.components.mean_coefficient import MeanCoefficient
from metaeval.correlation.coefficients import Pearson, Spearman
from metaeval.correlation.kendall import Kendall
from metaeval.datamodel.corpus import FloatArray
from metaeval.errors import UsageError
from metaeval.scipy_parts import special


@dataclass(frozen=True)
class Fisher(Interval, name="fisher", sources=("fisher1921", "fieller1957", "bonett2000")):
    """The interval of one correlation over systems, by Fisher's transformation."""

    made: ClassVar[str] = "Fisher's transformation, over systems"
    # A formula for one coefficient over systems can be about nothing else.
    about: ClassVar[str] = "systems"

    def described(self, replicates: str, resampled: str, documents: DocumentUnits, coefficient: Coefficient) -> str:
        """Return by what formula they are made, and of what."""
        return "are those of Fisher's z transformation, with the systems as the sample"

    def check(self, design: Design) -> None:
        """Check that there is one coefficient, which has a formula."""
        if not design.documents.is_whole:
            raise UsageError(
                '`uncertainty.method = "fisher"` is for one coefficient over systems: `documents.kind` must be '
                f"'all'; got {design.documents.name!r}."
            )
        for coefficient in design.coefficients:
            fisher_interval(0.0, 10, coefficient.kind)  # refuses those that have no formula

    def confidence_interval(self, estimate: MeanCoefficient) -> ConfidenceInterval:
        """Return the interval of the coefficient."""
        r, n, level = estimate.value, estimate.n_systems, estimate.confidence_level
        lower, upper = fisher_interval(r, n, estimate.coefficient, confidence_level=level)
        return ConfidenceInterval(float(lower), float(upper))


def fisher_interval(
    r: npt.ArrayLike, n: npt.ArrayLike, coefficient: Coefficient, *, confidence_level: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """Return the interval of a correlation by Fisher's transformation.

    Parameters
    ----------
    r : (...) array_like
        Values of the coefficient, from -1 to 1; ``nan`` where undefined. A mean of coefficients over documents may be
        given with the n of one document, as nlpstats does at its input level; the interval is then that of one
        document, and far too wide for the mean.
    n : (...) array_like of int
        How many pairs were correlated: systems; documents times systems where all are pooled.
    coefficient : Coefficient
        Pearson's, Spearman's or Kendall's b.
    confidence_level : float
        Between 0 and 1.

    Returns
    -------
    (...) float array, (...) float array
        The bounds, from -1 to 1; ``nan`` where r is undefined, n is 3 or less (Kendall: 4), or r is 1 or -1, where the
        formula would claim certainty.

    Raises
    ------
    ValueError
        If a correlation lies outside -1 to 1.
    UsageError
        If the coefficient has no such formula, or the confidence level is not between 0 and 1.
    """
    if not 0.0 < confidence_level < 1.0:
        raise UsageError(f"`confidence_level` must be between 0 and 1; got {confidence_level!r}.")
    values, size = np.broadcast_arrays(np.asarray(r, dtype=np.float64), np.asarray(n, dtype=np.float64))
    if (outside := np.abs(values) > 1.0).any():
        raise ValueError(f"`r` must be a correlation from -1 to 1; got {values[outside].flat[0]}.")
    variance, lost = _variance(coefficient, values)
    defined = (size > lost) & (np.abs(values) < 1.0)
    z = np.arctanh(np.where(defined, values, np.nan))
    half = float(special.ndtri(0.5 + confidence_level / 2.0)) * np.sqrt(
        variance / np.where(defined, size - lost, np.nan)
    )
    return np.tanh(z - half), np.tanh(z + half)


def _variance(coefficient: Coefficient, r: FloatArray) -> tuple[FloatArray, int]:
    """Return v and m of the formula."""
    if coefficient not in (Pearson(), Spearman(), Kendall()):
        raise UsageError(
            f"no interval by formula is known for {coefficient!r}; it is for 'pearson', 'spearman' (ties 'average') "
            "and 'kendall' (variant 'b', epsilon 0). A bootstrap interval takes any coefficient."
        )
    if coefficient == Pearson():
        return np.ones(r.shape), 3
    return (1.0 + np.square(r) / 2.0, 3) if coefficient == Spearman() else (np.full(r.shape, 0.437), 4)
