"""The base class of confidence intervals."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from metaeval.components.component import Component

if TYPE_CHECKING:
    from metaeval.components.coefficient import Coefficient
    from metaeval.components.design import Design
    from metaeval.components.documents import DocumentUnits
    from metaeval.components.mean_coefficient import MeanCoefficient


@dataclass(frozen=True)
class ConfidenceInterval:
    """A confidence interval.

    Attributes
    ----------
    lower, upper : float
        ``nan`` where there is no interval.
    n_used, n_undefined : int or None
        Replicates with a value, and degenerate ones without, as with one system drawn all over again; None without any.
    undefined_because : str
        Why a bootstrap gives no interval; "" if it does, or if the value itself is undefined.
    """

    lower: float = float("nan")
    upper: float = float("nan")
    n_used: int | None = None
    n_undefined: int | None = None
    undefined_because: str = ""


class Interval(Component):
    """A kind of confidence interval of a mean coefficient.

    Attributes
    ----------
    needs_replicates, needs_jackknife : bool
        What must be computed for it: bootstrap replicates, and the values without each unit.
    is_none : bool
        Whether there is no interval.
    is_of_new : bool
        Whether it generalises to other texts or systems.
    is_denoised : bool
        Whether its replicates are those with a denoised centre; see `metaeval.correlation.denoised`.
    of_values : bool
        Whether it comes from the values that the mean is over.
    leaves_out_systems : bool
        Whether it needs the value without each system, though nothing is drawn again.
    about : str
        What it generalises to, where it is not what a bootstrap draws again.
    made : str
        In words how it is made, with ``{resampled}`` for what is drawn again.
    """

    needs_replicates: ClassVar[bool] = False
    needs_jackknife: ClassVar[bool] = False
    is_none: ClassVar[bool] = False
    is_of_new: ClassVar[bool] = True
    is_denoised: ClassVar[bool] = False
    leaves_out_systems: ClassVar[bool] = False
    of_values: ClassVar[bool] = False
    about: ClassVar[str] = ""
    made: ClassVar[str] = ""

    def check(self, design: Design) -> None:  # most need nothing
        """Raise UsageError if an experiment lacks what the interval needs."""

    def warnings(self, design: Design) -> tuple[str, ...]:
        """Return warnings of what can mislead in the interval."""
        return ()

    def made_by(self, resampled: str) -> str:
        """Return in words how it is made, where a bootstrap draws this again."""
        return self.made.format(resampled=resampled.replace("+", " and "))

    def described(self, replicates: str, resampled: str, documents: DocumentUnits, coefficient: Coefficient) -> str:
        """Describe the interval behind "The intervals" in a paper: ``are percentiles of 2,000 replicates``.

        Parameters
        ----------
        replicates : str
            What `replicates_in_words` says of them.
        resampled : str
            What is drawn again, or taken as independent, as tables have it.
        documents : DocumentUnits
        coefficient : Coefficient
        """
        return f"were made by this method: {self.made_by(resampled)}"

    @abstractmethod
    def confidence_interval(self, estimate: MeanCoefficient) -> ConfidenceInterval:
        """Return the interval of a mean coefficient, or of the difference of two."""
