"""What a coefficient must be; the contracts of all other kinds stand in `metaeval.contracts`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from metaeval.parameters import check_fields

if TYPE_CHECKING:
    import numpy.typing as npt

    from metaeval.records import BoolArray, FloatArray, IntArray


class Kind(ABC):
    """What has a name in a config, and sources to cite."""

    name: ClassVar[str]

    def __init_subclass__(cls, *, name: str = "", sources: tuple[str, ...] = ()) -> None:
        """Take the name and the sources of a kind from behind its bases, ``class Holm(Correction, name="holm")``."""
        super().__init_subclass__()
        own = {"name": name, "sources": sources}
        for fact in filter(own.get, own):
            setattr(cls, fact, own[fact])

    @property
    def sources(self) -> tuple[str, ...]:
        """What to cite: keys of the bibliography."""
        return ()


class Coefficient(Kind):
    """A measure of agreement between two vectors, metric before human, higher where both rise together.

    Attributes
    ----------
    takes_grid : bool
        Whether it takes the scores of all documents and systems, (documents, systems), instead of vectors.
    needs_all_cells : bool
        Of one that takes a grid: whether every system must have scores of every document. In the grid of another, a
        cell that is ``nan`` on either side is missing.
    is_odd : bool
        Whether c(-x, y) = -c(x, y).
    is_fitted : bool
        Whether something of it is fitted to all the scores it is taken over, so that each replicate must fit it anew.
    of_moments : bool
        Whether it is Pearson's: replicates and permutation tests then take its formula, from sums of products.
    pools_pairs : bool
        Whether several corpora are taken together by counting the pairs of all.
    lowest : float
        Its smallest possible value.
    is_stretched : bool
        Whether intervals and tests take it on Fisher's scale, atanh r, because it takes nearly all values to 1.
    counts_ties : bool
        Whether it is a mean over pairs that gives 1 for those that are tied on both sides. It rewards a constant metric
        for human ties; and a system that a bootstrap draws twice is such a pair.
    """

    takes_grid: ClassVar[bool] = False
    needs_all_cells: ClassVar[bool] = False
    of_moments: ClassVar[bool] = False
    pools_pairs: ClassVar[bool] = False
    lowest: ClassVar[float] = -1.0
    is_stretched: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_fields(self, f"coefficient {self.name!r}")

    @property
    def coefficient(self) -> Coefficient:
        """Itself, which an oriented one has too."""
        return self

    def most_stretched(self, n: int) -> float:
        """Return the largest value below 1, of n pairs, that Fisher's scale shows; all above are taken as this."""
        return 1.0 - 1e-6

    def step(self, n: int) -> float:
        """Return by how much it changes if one pair among n values is ordered the other way; 0 if it counts none."""
        return 0.0

    @property
    @abstractmethod
    def is_odd(self) -> bool:
        """Whether c(-x, y) = -c(x, y)."""

    @property
    def counts_ties(self) -> bool:
        """Whether it is a mean over pairs that gives 1 for those that are tied on both sides."""
        return False

    @property
    def is_fitted(self) -> bool:
        """Whether something of it is fitted to all the scores it is taken over."""
        return False

    @property
    def needs_items(self) -> bool:
        """Whether it needs the human scores of the items that documents are made of: see `of_items`."""
        return False

    @property
    def title(self) -> str:
        """What tables may call it: the name, or what the field says instead."""
        return self.name

    @property
    def per_right_pair(self) -> float | None:
        """Its slope in pairwise accuracy, the share of pairs with the same order on both sides; None if it has none.

        Permutation tests of those that are linear are faster.
        """
        return None

    @property
    def signature_items(self) -> tuple[tuple[str, str], ...]:
        """What signatures say of it beside its name."""
        return ()

    @abstractmethod
    def __call__(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Correlate two arrays (..., n) along their last axis: (...).

        One that takes a grid gets (documents, systems) and returns ().
        """

    def check(self, documents: str, is_whole: bool, resample: str) -> None:
        """Check that it fits an experiment; a UsageError says why not.

        Parameters
        ----------
        documents : str
            Their kind, as the config has it.
        is_whole : bool
            Whether the whole corpus is one document.
        resample : str
            What is generalised to.
        """
        return

    def of_items(self, human: FloatArray) -> Coefficient:
        """Return what it is for these human scores of items, (items, systems), ``nan`` where nobody judged."""
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
        """Return what it is for some of the systems, where its values depend on which these are."""
        return self

    def of_side(self, scores: FloatArray, *, is_human: bool = False) -> FloatArray:
        """Return what it makes of the scores of one side alone (..., n), which can serve for many others: (..., n).

        It is made before the coefficient of a line is turned, so only one that `is_odd` may make anything else than the
        scores themselves.
        """
        return scores

    def of_lines(self, lines: Sequence[Coefficient], metrics: Sequence[FloatArray], human: FloatArray) -> FloatArray:
        """Correlate lines (..., n), each by one of this kind, with the same human scores: (lines, ...).

        Both sides are what `of_side` makes of the scores.
        """
        import numpy as np  # help must not wait for it

        return np.stack([one(metric, human) for one, metric in zip(lines, metrics, strict=True)])

    def fitted(self, metric: FloatArray, human: FloatArray, where: BoolArray | None = None) -> Coefficient:
        """Return the coefficient with what is fitted to scores, if anything is.

        Parameters
        ----------
        metric, human : (rows, n) float arrays
            All the rows that it is taken over.
        where : (rows, n) bool array, optional
            The cells that are present; others may hold ``nan``.
        """
        return self

    def among_systems(self, metric: FloatArray, human: FloatArray) -> Coefficient:
        """Return what correlates the scores of whole systems in replicates, of a kind that takes a grid with all cells.

        Parameters
        ----------
        metric, human : (documents, systems) float arrays
            The grid; a system's score is its mean.
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
