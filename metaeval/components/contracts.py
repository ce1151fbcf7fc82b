"""Base classes of components: intervals, tests, corrections, documents and figures.

A kind states as class attributes what it is and what it needs, and checks a :class:`Design` itself. No other module
compares its name. `metaeval.components.registries` has the registries.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from metaeval.components.coefficient import Coefficient as Coefficient
from metaeval.components.coefficient import Kind as Kind
from metaeval.parameters.calls import Signature
from metaeval.parameters.fields import Named, check_fields

if TYPE_CHECKING:
    import numpy.typing as npt

    from metaeval.datamodel.corpus import Documents, FloatArray, IntArray
    from metaeval.datamodel.resampling import Swaps


@dataclass(frozen=True)
class Design:
    """The facts of an experiment that its intervals, tests and figures check.

    Attributes
    ----------
    documents : DocumentUnits
        What is scored and correlated.
    lengths : tuple of int
        Segments in a pseudo-document; empty for other documents.
    coefficients : tuple of Named of Coefficient
    average_by : {"item", "system", "none"}
    orientation : {"aligned", "raw"}
        Whether signs are flipped where lower is better.
    draws_judgments : bool
        Whether one judgment of an item is drawn, where several were given.
    resample : {"text", "segments", "documents", "systems", "both"}
        What is generalised to.
    metrics : tuple of Named
    one_score : bool
        Whether a metric has one score for each document and system, not one for each reference subset.
    subsets : object
        The reference subsets that were asked for.
    several_sizes : bool
        Whether these may have several sizes; a list always may.
    """

    documents: DocumentUnits
    lengths: tuple[int, ...]
    coefficients: tuple[Named[Coefficient], ...]
    average_by: str
    orientation: str
    draws_judgments: bool
    resample: str
    metrics: tuple[Named[Any], ...]
    one_score: bool
    subsets: object
    several_sizes: bool

    @property
    def takes_grid(self) -> bool:
        """True if the coefficients take all documents and systems together."""
        return self.coefficients[0].kind.takes_grid


class DocumentUnits(Kind):
    """A kind of documents: how they are made of segments, and what may be done with them. It has no parameters.

    Attributes
    ----------
    title : str
        As tables have it.
    is_whole : bool
        Whether there is one document, the whole corpus.
    is_drawn : bool
        Whether documents are drawn at random: such a kind takes lengths, a count and replacement, its documents share
        segments, so that they are no independent units, and each replicate draws them anew.
    is_single : bool
        Whether each document is one segment.
    unit : str
        What a bootstrap over text draws again: segments, or documents.
    require : {"all", "any"}
        Which segments count where judgments are incomplete, unless the experiment says it.
    """

    title: ClassVar[str]
    is_whole: ClassVar[bool] = False
    is_drawn: ClassVar[bool] = False
    is_single: ClassVar[bool] = False
    unit: ClassVar[str] = "segments"
    require: ClassVar[str] = "all"

    def fixed_length(self, n_segments: int, length: int | None) -> int | None:
        """Return how many segments each document has; None where that varies."""
        return length

    @abstractmethod
    def make(self, corpus: Any, segments: Any, length: int | None, draw: Any) -> Documents:
        """Return the documents that are made of some segments.

        Parameters
        ----------
        corpus : Corpus
            In replicates without its texts.
        segments : (eligible,) int array
            The positions of the segments in the corpus; in replicates some come more than once.
        length : int or None
            Segments in a document, of a kind that is drawn.
        draw : callable
            Gives documents drawn at random, from the number of segments to draw from, and that in a document.

        Returns
        -------
        Documents
            Whose indices, or columns of counts, are places in `segments`.
        """


class OrientedScores(NamedTuple):
    """The scores of metrics A and B and of people, high where they mean good, so that the coefficient needs no sign.

    Attributes
    ----------
    metric_a, metric_b, human : (documents, systems) float arrays
        Of the documents where both metrics have scores.
    average_by : {"item", "system", "none", "averages"}
        What is correlated: the systems of each document, the documents of each system, all of them together, or the
        means of the systems over the documents.
    swaps : Swaps or None
        Where a permutation test exchanges the scores of the metrics.
    """

    metric_a: FloatArray
    metric_b: FloatArray
    human: FloatArray
    average_by: str
    swaps: Swaps | None = None


@dataclass(frozen=True, kw_only=True)
class MeanCoefficient:
    """The mean coefficient of one metric, or of two on the same documents: the input of intervals and tests.

    A row of a table that users get, with its interval, is a `metaeval.Estimate`.

    Attributes
    ----------
    coefficients : sequence of one or two (n,) float arrays
        Of each metric the coefficients that are averaged, along the axis that a test pairs: of documents, of systems,
        or one. Where undefined ``nan``, or 0 if the experiment counts them so.
    coefficient : Coefficient
        What they are.
    n_documents, n_systems : int
        How many documents and systems have scores of the metrics; where several cells are paired, in the first cell.
    confidence_level : float
        Of the interval, between 0 and 1.
    replicates : sequence of one or two (replicates,) float arrays
        The mean coefficient of each metric in bootstrap replicates, over the documents where all the metrics have one;
        ``nan`` where undefined. Empty unless asked for.
    weights : (replicates,) float array or None
        The probability of each replicate, where every possible one is listed once.
    n_units : int or None
        The fewest units, such as segments, that the replicates were drawn from.
    jackknife : sequence of (units,) float arrays
        The mean coefficient of one metric without each unit, an array for each kind of unit; empty unless asked for.
    sample_sizes : mapping of {"segments", "documents", "systems"} to float
        How many independent units there are of each kind that is drawn again, or else that the mean is over; of
        documents, how many of equal size would say as much.
    groups : (n,) int array or None
        Of coefficients of single segments, the real document of each, where documents are the independent units.
    pooled : bool
        Whether a coefficient pools segments, of which there must be more then.
    scores : OrientedScores or None
        Of two metrics, for a test that needs them. The others get none, as all pairs of metrics may be held at once.
    """

    coefficients: Sequence[FloatArray]
    coefficient: Coefficient
    n_documents: int
    n_systems: int
    confidence_level: float = 0.95
    replicates: Sequence[FloatArray] = ()
    weights: FloatArray | None = None
    n_units: int | None = None
    jackknife: Sequence[FloatArray] = ()
    sample_sizes: Mapping[str, float] = field(default_factory=dict)
    groups: IntArray | None = None
    pooled: bool = False
    scores: OrientedScores | None = None

    @property
    def is_difference(self) -> bool:
        """True if it has two metrics, so that value, replicates and interval are those of A - B."""
        return len(self.coefficients) > 1

    @property
    def values(self) -> FloatArray:
        """The coefficients, or the differences A - B; ``nan`` where undefined: (n,)."""
        return _one_or_difference(self.coefficients)

    @property
    def replicate_values(self) -> FloatArray:
        """The mean coefficient, or the difference A - B, in each replicate; ``nan`` where undefined: (replicates,)."""
        return _one_or_difference(self.replicates)

    @property
    def value(self) -> float:
        """The mean coefficient, or the mean difference where both are defined; ``nan`` where none is."""
        defined = self._defined
        return float(defined.mean()) if len(defined) else math.nan

    @property
    def sd(self) -> float:
        """The standard deviation of the values (n - 1); ``nan`` for fewer than two."""
        defined = self._defined
        return float(defined.std(ddof=1)) if len(defined) > 1 else math.nan

    @property
    def n_used(self) -> int:
        """The number of values that are defined."""
        return len(self._defined)

    @property
    def _defined(self) -> FloatArray:
        import numpy as np  # help must not wait for it

        values = self.values
        defined: FloatArray = values[~np.isnan(values)]
        return defined


def _one_or_difference(metrics: Sequence[FloatArray]) -> FloatArray:
    """Return the array of one metric, or the difference of two."""
    first, *others = metrics
    return first - others[0] if others else first


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


class Interval(Kind):
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
        """Return how it is made, behind "The intervals" in a paper: ``are percentiles of 2,000 replicates``.

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


class Test(Kind):
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
        """Return what it is, behind "compared by" in a paper: ``a paired t test over segments``.

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


class Correction(Kind):
    """A correction of p-values for the number of tests in a family.

    Attributes
    ----------
    title : str
        As sentences have it.
    bounds_any : bool
        Whether it controls the family-wise error rate, so that the smallest p is multiplied by the number of tests.
    """

    title: ClassVar[str] = ""
    bounds_any: ClassVar[bool] = False

    @abstractmethod
    def __call__(self, p: npt.ArrayLike) -> FloatArray:
        """Return corrected p-values: (hypotheses,)."""


class Figure(ABC):
    """A kind of figure, with its settings.

    Attributes
    ----------
    kind : str
        As configs have it.
    of_tasks : bool
        Whether it shows the tasks of a shared task, and not the correlations of an experiment.
    of_run : bool
        Whether it shows the whole run, so that it is drawn once for all panels of an experiment.
    width : {"column", "page"} or None
        How wide it is; None as it needs.
    """

    kind: ClassVar[str]
    of_tasks: ClassVar[bool] = False
    of_run: ClassVar[bool] = False
    width: str | None

    @property
    def words(self) -> tuple[str, ...]:
        """The settings besides width and title, for the name of its file."""
        return ()

    def check(self, design: Design) -> None:  # noqa: B027  # most need nothing
        """Raise UsageError if an experiment lacks what the figure shows; before it is run."""

    @abstractmethod
    def draw(self, data: Any, title: str) -> Mapping[str, Any]:
        """Return matplotlib figures by the names of their files, which begin with the kind.

        The title is that of the panel; `data` is a `metaeval.report.figures.run_frames.FigureData`.
        """


# The words of a sentence for what a bootstrap draws again.
_RESAMPLED_WORDS = {"segments": "segments", "documents": "whole documents", "systems": "systems"}


def replicates_in_words(n: int, resampled: str, documents: DocumentUnits, *, denoised: bool) -> str:
    """Describe bootstrap replicates for a paper.

    Parameters
    ----------
    n : int
    resampled : str
        What they draw again, as tables have it.
    documents : DocumentUnits
    denoised : bool
        Whether their centre is denoised; see `metaeval.correlation.denoised`.
    """
    drawn = " and ".join(words for name, words in _RESAMPLED_WORDS.items() if name in resampled)
    made = f"in each of which {drawn} are drawn with replacement"
    if documents.is_drawn and "documents" in resampled:
        made = (
            "in each of which half of the real documents are drawn without replacement and pseudo-documents are made "
            "anew of their segments; deviations from the estimate are scaled to the size of the whole corpus"
        )
    elif documents.is_drawn and "segments" in resampled:
        made += " and pseudo-documents are made anew of these segments"
    if denoised:
        made += (
            "; since the observed scores contain sampling noise already, its variance is first removed from the scores "
            "around which those of the replicates vary"
        )
    return f"{n:,} bootstrap replicates, {made}"


def generalises_to(resampled: str) -> str:
    """Return the population that a bootstrap generalises to; "" where nothing is drawn again."""
    if "+" in resampled or not resampled:
        return resampled and f"new {resampled.replace('+', ' and ')}"
    return f"new {resampled}, same {'texts' if resampled == 'systems' else 'systems'}"
