"""The verb that shows the matching of a segment."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from metaeval.arguments import names, shown, text
from metaeval.errors import UsageError

if TYPE_CHECKING:
    from metaeval.report.grid import Grid


def grid(
    candidate: str,
    references: str | Iterable[str],
    *,
    exponent: float = 2.0,
    search: str = "greedy",
    cap: str = "float",
    tokenizer: str = "none",
    lowercase: bool = False,
    stem: bool = False,
) -> Grid:
    """Show what GTM sees in a segment: the bitext grid with the runs of its matching.

    Parameters
    ----------
    candidate : str
        The text of the candidate.
    references : str or iterable of str
        The texts of its references.
    exponent : float, default 2
        How much long runs are rewarded, from 1 (not at all) on.
    search : {"greedy", "exact"}, default "greedy"
        Whether the longest runs are taken first, or the matching of the largest size is searched for.
    cap : {"float", "whole"}, default "float"
        Whether the cap on hits may leave a fraction of a hit.
    tokenizer : str, default "none"
        How a text is cut into tokens; ``none`` splits at white space.
    lowercase : bool, default False
        Whether to lower-case.
    stem : bool, default False
        Whether to lower-case, and stem with Porter's algorithm.

    Returns
    -------
    Grid
        It prints as text; ``save`` writes it as .svg, .pdf or .png.

    Raises
    ------
    UsageError
        If a parameter is wrong or there is no reference.

    References
    ----------
    I. Dan Melamed, Ryan Green and Joseph P. Turian (2003), Precision and recall of machine translation, section 3.

    Examples
    --------
    >>> found = grid("police killed the gunman", "the gunman police killed")
    >>> [block.length for block in found.blocks], round(found.size, 3)
    ([2, 2], 2.828)
    """
    from metaeval.api.matching import make_grid
    from metaeval.text.preprocessing import make_preprocessing

    preprocessing = make_preprocessing(tokenizer=text("tokenizer", tokenizer), lowercase=lowercase, stem=stem)
    settings = {"exponent": exponent} | ({"search": search} if text("search", search) != "greedy" else {})
    settings |= {"cap": cap} if text("cap", cap) != "float" else {}
    written = ",".join(f"{name}={value!r}" for name, value in settings.items())
    if not isinstance(candidate, str):
        raise UsageError(f"`candidate` must be the text of one segment; got {shown(candidate)}.")
    return make_grid(candidate, names("references", references, noun="a text"), preprocessing, f"gtm({written})")
