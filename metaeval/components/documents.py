"""The base class of kinds of documents: how they are made of segments."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from metaeval.components.component import Component

if TYPE_CHECKING:
    from metaeval.datamodel.corpus import Documents


class DocumentUnits(Component):
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
        """Return the number of segments of each document; None where that varies."""
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
