"""The verb that shows the matching of a segment."""

from typing import TYPE_CHECKING, Annotated, Literal

from metaeval.api.shared import Lowercase, Names, Stem, Tokenizer
from metaeval.api.verbs import Argument, verb
from metaeval.components.registries import DEFAULT_TOKENIZER
from metaeval.parameters.arguments import names

if TYPE_CHECKING:
    from metaeval.report.grid import Grid


@verb
def grid(
    candidate: Annotated[str, Argument("TEXT", "-c --candidate")],
    references: Annotated[Names, Argument("TEXT", "-r --reference")],
    *,
    tokenizer: Tokenizer = DEFAULT_TOKENIZER,
    lowercase: Lowercase = False,
    stem: Stem = False,
    exponent: Annotated[float, Argument("E")] = 2,
    search: Annotated[Literal["greedy", "exact"], Argument()] = "greedy",
    cap: Annotated[Literal["float", "whole"], Argument()] = "float",
) -> "Grid":
    """Show what GTM sees in a segment: the bitext grid with the runs of its matching.

    Parameters
    ----------
    candidate
        The text of the candidate.
    references
        The texts of its references.
    exponent
        How much long runs are rewarded, from 1 (not at all) on.
    search
        Whether the longest runs are taken first, or the matching of the largest size is searched for.
    cap
        Whether the cap on hits may leave a fraction of a hit: float may.

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
    >>> bitext = grid("police killed the gunman", "the gunman police killed")
    >>> [block.length for block in bitext.blocks], round(bitext.size, 3)
    ([2, 2], 2.828)
    """
    from metaeval.experiment.bitext import make_grid
    from metaeval.text.preprocessing import make_preprocessing

    preprocessing = make_preprocessing(tokenizer=tokenizer, lowercase=lowercase, stem=stem)
    settings: dict[str, float | str] = {"exponent": exponent}
    if search != "greedy":
        settings["search"] = search
    if cap != "float":
        settings["cap"] = cap
    written = ",".join(f"{name}={value!r}" for name, value in settings.items())
    return make_grid(candidate, names("references", references, noun="a text"), preprocessing, f"gtm({written})")
