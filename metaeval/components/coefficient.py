"""The base class of coefficients."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from metaeval.components.component import Component
from metaeval.parameters.fields import check_fields

if TYPE_CHECKING:
    import numpy.typing as npt

    from metaeval.components.design import Design
    from metaeval.datamodel.corpus import BoolArray, FloatArray, IntArray


class Coefficient(Component):
    """A measure of agreement between metric scores and human scores: the larger, the better they agree.

    A coefficient is a frozen dataclass, whose fields are its parameters. It must have `correlate` and say `is_odd`; all
    else has a default that is right for most. All below `check` is needed by a few coefficients only.

    Attributes
    ----------
    is_odd : bool
        Whether c(-x, y) = -c(x, y), which turns a metric whose low numbers are good. Without it there is no noise
        ceiling.
    lowest : float
        Its smallest possible value; the largest is 1.
    changes_with_scale : bool
        Whether its value changes when a metric is multiplied by a positive number, or a number is added to all its
        scores. Intervals and tests that put metrics on one scale, or take off what all systems have in common, then
        refuse it.
    has_fisher_scale : bool
        Whether intervals and tests take it on Fisher's scale, z = atanh r, on which values near 1 lie as far apart as
        others. Not for coefficients that take few values.
    counts_ties : bool
        Whether it is a mean over pairs that gives 1 for those that are tied on both sides. It rewards a constant metric
        for human ties; and a system that a bootstrap draws twice is such a pair.
    takes_grid : bool
        Whether it takes the scores of all documents and systems, (documents, systems), instead of vectors. A cell that
        is ``nan`` on either side is missing.
    needs_all_cells : bool
        Of one that takes a grid: whether every system must have scores of every document.
    is_user_function : bool
        Whether it is a user's function.
    """

    lowest: ClassVar[float] = -1.0
    has_fisher_scale: ClassVar[bool] = False
    takes_grid: ClassVar[bool] = False
    needs_all_cells: ClassVar[bool] = False
    is_user_function: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_fields(self, f"coefficient {self.name!r}")

    @property
    @abstractmethod
    def is_odd(self) -> bool:
        """True if c(-x, y) = -c(x, y)."""

    @property
    def changes_with_scale(self) -> bool:
        """True if its value changes with the scale or the origin of a metric."""
        return False

    @property
    def counts_ties(self) -> bool:
        """True if it is a mean over pairs that gives 1 for those that are tied on both sides."""
        return False

    @property
    def title(self) -> str:
        """The name in tables: that of configs, or the usual one of the literature."""
        return self.name

    @property
    def described(self) -> str:
        """The name for a methods section, such as ``Pearson's correlation coefficient``."""
        return self.title

    @property
    def coefficient(self) -> Coefficient:
        """Itself: so it can stand where an `Oriented` coefficient may stand."""
        return self

    @property
    def signature_items(self) -> tuple[tuple[str, str], ...]:
        """The parameters in signatures, as (key, value) pairs."""
        return ()

    def prepare(self, scores: FloatArray, *, is_human: bool = False) -> FloatArray:
        """Transform the scores of one side alone, such as into ranks: (..., n) to (..., n).

        The result serves for all correlations with this side. The scores of a metric may be prepared before they are
        turned so that high means good; so only a coefficient that `is_odd` may change them.
        """
        return scores

    @abstractmethod
    def correlate(self, metric: FloatArray, human: FloatArray) -> FloatArray:
        """Correlate two prepared arrays (..., n) along their last axis: (...), ``nan`` where it is undefined.

        One that takes a grid gets (documents, systems) and returns ().
        """

    def __call__(self, x: npt.ArrayLike, y: npt.ArrayLike) -> FloatArray:
        """Correlate unprepared metric scores with human scores: prepare both sides, then `correlate`.

        Raises
        ------
        ValueError
            If the shapes differ or a number is not finite.
        """
        import numpy as np  # help must not wait for it

        from metaeval.datamodel.array_checks import checked

        sides = (np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)) if self.takes_grid else checked(x, y)
        return self.correlate(self.prepare(sides[0]), self.prepare(sides[1], is_human=True))

    def check(self, design: Design) -> None:  # most need nothing
        """Raise UsageError if an experiment lacks what the coefficient needs."""

    # Intervals and tests of coefficients that take few values. --------------------------------------------------------

    def largest_on_fisher_scale(self, n: int) -> float:
        """Return the largest value below 1, of n pairs, that Fisher's scale shows; all above are taken as this."""
        return 1.0 - 1e-6

    def step(self, n: int) -> float:
        """Return by how much it changes if one pair among n values is ordered the other way; 0 if it counts none."""
        return 0.0

    # Coefficients that are fitted to the scores, so that each replicate must fit them anew. ---------------------------

    @property
    def is_fitted(self) -> bool:
        """True if a parameter of it, such as a threshold, is fitted to all the scores it is taken over."""
        return False

    def fitted(self, metric: FloatArray, human: FloatArray, where: BoolArray | None = None) -> Coefficient:
        """Return the coefficient fitted to scores; itself if there is nothing to fit.

        Parameters
        ----------
        metric, human : (rows, n) float arrays
            All the rows that it is taken over.
        where : (rows, n) bool array, optional
            The cells that are present; others may hold ``nan``.
        """
        return self

    def replicated_means(
        self, metric: FloatArray, human: FloatArray, counts: npt.ArrayLike, where: BoolArray | None = None
    ) -> FloatArray:
        """Return the mean over the rows in replicates that draw rows, fitted anew in each; of a kind that is fitted.

        Parameters
        ----------
        metric, human : (rows, n) float arrays
        counts : (replicates, rows) array_like of int
            How often each row is drawn, up to 65,535 times.
        where : (rows, n) bool array, optional
            As in `fitted`.

        Returns
        -------
        (replicates,) float array
            ``nan`` where no row with a value is drawn.

        Raises
        ------
        ValueError
            If nothing of it is fitted: then its mean in a replicate is that of its values, weighted by `counts`.
        """
        raise ValueError(f"{self.name} is not fitted to anything")

    # Coefficients over only those pairs of systems that people tell apart. --------------------------------------------

    @property
    def needs_items(self) -> bool:
        """True if it needs the human scores of the items that documents are made of: see `of_items`."""
        return False

    def of_items(self, human: FloatArray) -> Coefficient:
        """Return the coefficient for human scores of items, (items, systems); ``nan`` where there is no judgment."""
        return self

    @property
    def chosen_pairs(self) -> BoolArray:
        """The pairs of systems that it takes, (systems, systems), where human scores of items have chosen them.

        Raises
        ------
        ValueError
            If it takes all.
        """
        raise ValueError(f"{self.name} takes all pairs")

    def of_systems(self, systems: BoolArray | IntArray) -> Coefficient:
        """Return the coefficient for some of the systems, where its values depend on which these are."""
        return self

    def among_pairs(self, pairs: BoolArray) -> Coefficient:
        """Return the coefficient that counts some pairs of systems alone, (systems, systems); of one that pools pairs.

        Raises
        ------
        ValueError
            If it does not count pairs.
        """
        raise ValueError(f"{self.name} counts no pairs")

    # Counted over several corpora. ------------------------------------------------------------------------------------

    # Whether several corpora are taken together by counting the pairs of all.
    pools_pairs: ClassVar[bool] = False

    # For speed only: the numbers are those of `correlate`. ------------------------------------------------------------

    # Whether it is Pearson's: replicates and permutation tests then take its formula, from sums of products.
    of_moments: ClassVar[bool] = False

    @property
    def per_right_pair(self) -> float | None:
        """Its slope in pairwise accuracy, the share of pairs with the same order on both sides; None if it has none.

        Permutation tests of those that are linear are faster.
        """
        return None

    def correlate_metrics(
        self, kinds: Sequence[Coefficient], metrics: Sequence[FloatArray], human: FloatArray
    ) -> FloatArray:
        """Correlate several metrics (..., n), each by one of its kind, with the same human scores: (metrics, ...).

        All are prepared.
        """
        import numpy as np  # help must not wait for it

        return np.stack([kind.correlate(metric, human) for kind, metric in zip(kinds, metrics, strict=True)])

    def among_systems(self, metric: FloatArray, human: FloatArray) -> Coefficient:
        """Return a coefficient that takes a grid with all cells, for the scores of whole systems in replicates.

        Parameters
        ----------
        metric, human : (documents, systems) float arrays
            The grid; a system's score is its mean.
        """
        return self
