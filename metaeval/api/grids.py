"""The verb that shows the matching of a segment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from metaeval.api.arguments import listed

if TYPE_CHECKING:
    from metaeval.report.grid import Grid


def grid(
    candidate: str,
    references: str | Sequence[str],
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
    references : str or sequence of str
        The texts of its references.
    exponent : float, default 2
        How much long runs are rewarded.
    search : "greedy" or "exact"
    cap : "float" or "whole"
        Whether the cap on hits may leave a fraction of a hit.
    tokenizer : str, default "none"
        How a text is cut into tokens; ``none`` splits at white space.
    lowercase, stem : bool
        Lower-case; lower-case and stem with Porter's algorithm.

    Returns
    -------
    Grid
        It prints as text; ``save`` writes it as .svg, .pdf or .png.

    Raises
    ------
    UsageError
        If a parameter is wrong or there is no reference.

    Examples
    --------
    >>> found = grid("police killed the gunman", "the gunman police killed")
    >>> [block.length for block in found.blocks], round(found.size, 3)
    ([2, 2], 2.828)
    """
    from metaeval.experiments.grid import make_grid
    from metaeval.text.conditions import make_condition

    condition = make_condition(tokenizer=tokenizer, lowercase=lowercase, stem=stem)
    settings = {"exponent": exponent} | ({"search": search} if search != "greedy" else {})
    settings |= {"cap": cap} if cap != "float" else {}
    written = ",".join(f"{name}={value!r}" for name, value in settings.items())
    return make_grid(candidate, listed(references), condition, f"gtm({written})")
