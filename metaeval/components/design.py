"""The facts of an experiment, which components check before it is run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from metaeval.components.coefficient import Coefficient
    from metaeval.components.documents import DocumentUnits
    from metaeval.parameters.fields import Named


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
