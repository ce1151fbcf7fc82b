"""The words of a paper for bootstrap replicates."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metaeval.components.documents import DocumentUnits


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
