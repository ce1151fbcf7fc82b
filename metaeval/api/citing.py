"""The verb that shows how to cite."""

from typing import Annotated, Literal

from metaeval.api.shared import Paths
from metaeval.api.verbs import Argument, verb
from metaeval.parameters.arguments import names as named


@verb
def cite(
    names: Annotated[
        Paths,
        Argument("NAME|PATH", complete="metrics preprocessing tokenizers coefficients tests corpora configs paths"),
    ] = (),
    *,
    form: Annotated[Literal["text", "bibtex"], Argument(flags="--format")] = "text",
) -> str:
    """Return the sources to cite for metaeval, and for what was used with it.

    Parameters
    ----------
    names
        Metrics, preprocessing, tokenizers, coefficients, tests, intervals, corrections, corpora, configs, and
        directories of runs; metaeval itself unless given.
    form
        One source a paragraph, with what it is cited for; or a file of BibTeX.

    Returns
    -------
    str
        The citations, metaeval itself first, and every source once.

    Raises
    ------
    UsageError
        If a name or the form is unknown.
    CorpusError
        If the files of a corpus are wrong.

    Examples
    --------
    >>> [line.strip() for line in cite("wer").splitlines() if line.startswith(" ")]
    ['for metaeval', 'for wer', 'for wer']
    """
    from metaeval.papers.cite import citations, formatted

    return formatted(citations(named("names", names, path=True)), form)
