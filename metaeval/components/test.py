"""The base class of tests of two metrics."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from metaeval.components.component import Component
from metaeval.components.replicates_in_words import generalises_to
from metaeval.parameters.calls import Signature
from metaeval.parameters.fields import check_fields

if TYPE_CHECKING:
    from metaeval.components.coefficient import Coefficient
    from metaeval.components.design import Design
    from metaeval.components.documents import DocumentUnits
    from metaeval.components.mean_coefficient import MeanCoefficient


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
        The interval of the difference; ``nan`` for tests that give none.
    untested_because : str
        Why there is no p; "" where there is one, or a coefficient is undefined.
    """

    difference: float
    p: float
    n_used: int
    n_zero: int
    n_undefined: int
    distribution: str
    statistic: float = float("nan")
    lower: float = float("nan")
    upper: float = float("nan")
    untested_because: str = ""


class Test(Component):
    """A test of whether two metrics agree equally well with human judgments.

    Attributes
    ----------
    axes : tuple of str
        What can pair two metrics, the default first.
    cell_axes : tuple of str
        Those of them along which lie several cells of an experiment.
    needs_replicates : bool
        Whether it needs bootstrap replicates.
    exchanges : bool
        Whether it exchanges the scores of two metrics.
    is_random : bool
        Whether its p counts random replicates.
    needs_scores : bool
        Whether it reads the scores, of which a metric must have one for each document and system.
    of_one_document : bool
        Whether it is about the whole corpus alone.
    is_denoised : bool
        Whether its replicates are those with a denoised centre; see `metaeval.correlation.denoised`.
    gives_interval : bool
        Whether it gives an interval of the difference.
    words : str
        What the field calls it.
    tested : str
        In a few words what p tests, with ``{axis}`` for what pairs the metrics.
    alternative : str
        Which differences count against equality.
    """

    axes: ClassVar[tuple[str, ...]]
    cell_axes: ClassVar[tuple[str, ...]] = ()
    needs_replicates: ClassVar[bool] = False
    exchanges: ClassVar[bool] = False
    is_random: ClassVar[bool] = False
    needs_scores: ClassVar[bool] = False
    of_one_document: ClassVar[bool] = False
    is_denoised: ClassVar[bool] = False
    gives_interval: ClassVar[bool] = False
    words: ClassVar[str]
    tested: ClassVar[str]

    alternative: str

    def __post_init__(self) -> None:
        check_fields(self, f"test {self.name!r}")

    @property
    def signature(self) -> Signature:
        """Name and parameters."""
        return Signature(self.name).with_items(**vars(self))

    @property
    def sides(self) -> int:
        """The number of sides that p counts: 2 where it takes twice the smaller side."""
        return 1

    def check(self, design: Design, axis: str) -> None:  # most need nothing
        """Raise UsageError if an experiment lacks what the test needs."""

    def hypothesis(self, axis: str) -> str:
        """Return in a few words what p tests, where the metrics are paired so."""
        return self.tested.format(axis=axis)

    def described(
        self, replicates: str, resampled: str, axis: str, documents: DocumentUnits, coefficient: Coefficient
    ) -> str:
        """Describe the test behind "compared by" in a paper: ``a paired t test over segments``.

        Parameters
        ----------
        replicates : str
            What `replicates_in_words` says of them; of a permutation test, how many exchanges there are.
        resampled : str
            What a bootstrap draws again, or what is taken as independent, as tables have it; "" for neither.
        axis : str
            What pairs the metrics.
        documents : DocumentUnits
        coefficient : Coefficient
        """
        return f"the test {self.name!r} of {self.hypothesis(axis)}"

    def generalises_to(self, axis: str, unit: str, resampled: str) -> str:
        """Return the population that p generalises to.

        Parameters
        ----------
        axis : str
            What pairs the metrics.
        unit : str
            What documents are to a bootstrap over text: segments, or documents.
        resampled : str
            What a bootstrap draws again, as tables have it.
        """
        return generalises_to(resampled or unit)

    def warnings(self, design: Design, axis: str, others: Sequence[Test]) -> tuple[str, ...]:
        """Return warnings of what can mislead in the test, given the other tests of the experiment."""
        return ()

    @abstractmethod
    def compare(self, estimate: MeanCoefficient) -> Comparison:
        """Test two metrics against each other; raise UsageError if that cannot be done with what they have."""
