"""Is one metric better than another? Every test by its name, with the axis along which the two are paired.

===========================================  ==================================================================
test, paired along                           its p speaks about
===========================================  ==================================================================
wilcoxon, documents (Turian, Finch)          other draws of documents from the same segments, which overlap
wilcoxon, lengths, subsets, cells (Melamed)  other cells of the same experiment
williams, systems                            other systems, if scores are normal; one document
permutation, systems                         other systems
permutation, segments, both                  other segments for these systems
bootstrap, replicates                        what the replicates draw again: segments, systems or both
===========================================  ==================================================================

How far each of them keeps its level is measured in docs/calibration.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from metaeval.correlation.coefficients import Coefficient
from metaeval.correlation.intervals import bootstrap_test
from metaeval.correlation.permutation import permutation_test
from metaeval.correlation.vectors import ALTERNATIVES
from metaeval.correlation.wilcoxon import Wilcoxon
from metaeval.correlation.williams import Williams
from metaeval.errors import UsageError, unknown
from metaeval.names import Signature, parse_call
from metaeval.parameters import build, parameter
from metaeval.records import FloatArray
from metaeval.replicates import Swaps


@dataclass(frozen=True)
class Evidence:
    """What is known of two metrics, A and B, on the same documents.

    Attributes
    ----------
    coefficients_a, coefficients_b : (n,) float arrays
        Along the axis that is paired; ``nan`` where undefined.
    difference : float
        A - B: the mean over the axis where both are defined.
    scores_a, scores_b, human : (documents, systems) float arrays
        High where they mean good, so that the coefficient needs no sign.
    coefficient : Coefficient
    average_by : str
    replicates_a, replicates_b : (replicates,) float arrays, or None
        Bootstrap replicates of the mean coefficients, over the documents where both are defined.
    weights : (replicates,) float array, or None
        See `Resamples`.
    n_units : int, or None
        How many units the replicates draw from, at least; see `bootstrap_test`.
    confidence_level : float
        Of the limits of the difference.
    swaps : Swaps, or None
        For a permutation test.
    """

    coefficients_a: FloatArray
    coefficients_b: FloatArray
    difference: float
    scores_a: FloatArray
    scores_b: FloatArray
    human: FloatArray
    coefficient: Coefficient
    average_by: str
    replicates_a: FloatArray | None = None
    replicates_b: FloatArray | None = None
    weights: FloatArray | None = None
    n_units: int | None = None
    confidence_level: float = 0.95
    swaps: Swaps | None = None


@dataclass(frozen=True)
class Comparison:
    """The outcome of a test between metrics A and B.

    Attributes
    ----------
    difference : float
        A - B, of the coefficients that were compared.
    p : float
        1 for equal metrics; ``nan`` where nothing could be tested.
    n_used, n_zero, n_undefined : int
        Pairs, systems or replicates that entered; those of them without any difference; those without a value.
    distribution : str
        What p was taken from.
    statistic : float
        The test's own, such as the sum of the positive ranks; ``nan`` where there is none but the difference.
    lower, upper : float
        Limits of the difference; ``nan`` for tests that give none.
    """

    difference: float
    p: float
    n_used: int
    n_zero: int
    n_undefined: int
    distribution: str
    statistic: float = np.nan
    lower: float = np.nan
    upper: float = np.nan


@dataclass(frozen=True)
class Permutation:
    """The scores of two metrics are exchanged at random (Deutsch, Dror and Roth 2021; PERM-BOTH over both)."""

    name: ClassVar[str] = "permutation"

    alternative: str = parameter("two-sided", doc="which differences count against equality", choices=ALTERNATIVES)

    @property
    def signature(self) -> Signature:
        """Name and parameters."""
        return Signature(self.name).with_items(alternative=self.alternative)


@dataclass(frozen=True)
class PairedBootstrap:
    """The difference in replicates of the data, drawn once for all metrics.

    On pseudo-documents each replicate draws the segments again and then the documents from these: the honest companion
    of the signed-rank test over documents, because its p speaks about new text.
    """

    name: ClassVar[str] = "bootstrap"

    alternative: str = parameter("two-sided", doc="which differences count against equality", choices=ALTERNATIVES)

    @property
    def signature(self) -> Signature:
        """Name and parameters."""
        return Signature(self.name).with_items(alternative=self.alternative)


Test = Wilcoxon | Williams | Permutation | PairedBootstrap


def _wilcoxon(test: Any, evidence: Evidence) -> Comparison:
    result = test(evidence.coefficients_a, evidence.coefficients_b)
    return Comparison(
        difference=result.difference,
        p=result.p,
        n_used=result.n_pairs,
        n_zero=result.n_zero,
        n_undefined=len(evidence.coefficients_a) - result.n_pairs,
        distribution=result.method,
        statistic=result.positive,
    )


def _williams(test: Any, evidence: Evidence) -> Comparison:
    if evidence.human.shape[0] != 1:
        raise UsageError(
            "test 'williams' compares coefficients over systems, and needs one document, `documents.kind = \"all\"`; "
            f"got {len(evidence.human)} documents."
        )
    if not evidence.coefficient.is_odd:
        raise UsageError(f"test 'williams' compares correlations, and {evidence.coefficient.name!r} is none.")
    result = test(evidence.scores_a[0], evidence.scores_b[0], evidence.human[0], evidence.coefficient)
    undefined = int(np.isnan(result.p))
    n_systems = evidence.human.shape[1]
    return Comparison(
        difference=float(result.difference),
        p=float(result.p),
        n_used=0 if undefined else n_systems,
        n_zero=0,
        n_undefined=n_systems if undefined else 0,
        distribution=f"t({n_systems - 3})",
        statistic=float(result.statistic),
    )


def _permutation(test: Any, evidence: Evidence) -> Comparison:
    assert evidence.swaps is not None
    result = permutation_test(
        evidence.scores_a,
        evidence.scores_b,
        evidence.human,
        evidence.coefficient,
        evidence.average_by,
        evidence.swaps,
        alternative=test.alternative,
    )
    return Comparison(
        difference=result.difference,
        p=result.p,
        n_used=len(evidence.swaps) - result.n_undefined,
        n_zero=0,
        n_undefined=result.n_undefined,
        distribution="exact" if evidence.swaps.exact else "random",
    )


def _bootstrap(test: Any, evidence: Evidence) -> Comparison:
    assert evidence.replicates_a is not None
    assert evidence.replicates_b is not None
    result = bootstrap_test(
        evidence.difference,
        evidence.replicates_a,
        evidence.replicates_b,
        alternative=test.alternative,
        confidence_level=evidence.confidence_level,
        weights=evidence.weights,
        n_units=evidence.n_units,
    )
    return Comparison(
        difference=result.difference,
        p=result.p,
        n_used=result.n_used,
        n_zero=0,
        n_undefined=result.n_undefined,
        distribution="random" if evidence.weights is None else "exact",
        lower=result.lower,
        upper=result.upper,
    )


@dataclass(frozen=True)
class _Entry:
    made: type[Any]
    axes: tuple[str, ...]
    compare: Callable[[Any, Evidence], Comparison]


# The first axis is the default.
TESTS: dict[str, _Entry] = {
    "wilcoxon": _Entry(Wilcoxon, ("documents", "lengths", "subsets", "cells"), _wilcoxon),
    "williams": _Entry(Williams, ("systems",), _williams),
    "permutation": _Entry(Permutation, ("systems", "segments", "both"), _permutation),
    "bootstrap": _Entry(PairedBootstrap, ("replicates",), _bootstrap),
}


def get_test(text: str) -> Test:
    """Return the test of a name such as ``wilcoxon`` or ``wilcoxon(zeros="pratt")``.

    Raises
    ------
    UsageError
        If the name or a parameter is unknown.
    """
    call = parse_call(text)
    if call.name not in TESTS:
        raise UsageError(unknown("test", call.name, TESTS))
    return build(TESTS[call.name].made, call.arguments, subject=f"test {call.name!r}")  # type: ignore[no-any-return]


def axes_of(test: Test) -> tuple[str, ...]:
    """Return the axes along which a test can pair two metrics, the default first."""
    return TESTS[test.name].axes


def compare(test: Test, evidence: Evidence) -> Comparison:
    """Test two metrics against each other.

    Raises
    ------
    UsageError
        If the test cannot be made on such evidence.
    """
    return TESTS[test.name].compare(test, evidence)
