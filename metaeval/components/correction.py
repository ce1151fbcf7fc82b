"""The base class of corrections of p-values."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from metaeval.components.component import Component

if TYPE_CHECKING:
    import numpy.typing as npt

    from metaeval.datamodel.corpus import FloatArray


class Correction(Component):
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
