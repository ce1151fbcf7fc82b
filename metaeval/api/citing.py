"""The verb that tells how to cite."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from metaeval.arguments import names as named
from metaeval.arguments import text


def cite(names: str | Path | Iterable[str | Path] = (), *, form: str = "text") -> str:
    """Return how to cite metaeval, and what was used with it.

    Parameters
    ----------
    names : str or Path, or iterable of them
        Metrics, preprocessing, tokenizers, coefficients, tests, intervals, corrections, corpora, configs, and
        directories of runs: ``["bleu", "pairwise-accuracy", "runs/mine"]``.
    form : {"text", "bibtex"}, default "text"
        One source a paragraph, with what it is cited for; or a file of BibTeX.

    Returns
    -------
    str
        The citations; metaeval itself comes first, and every source stands there once.

    Raises
    ------
    UsageError
        If a name is none of these, or the form is another.
    CorpusError
        If the files of a corpus are wrong.

    Examples
    --------
    >>> [line.strip() for line in cite("wer").splitlines() if line.startswith(" ")]
    ['for metaeval', 'for wer', 'for wer']
    """
    from metaeval.papers.cite import citations, formatted

    return formatted(citations(named("names", names, path=True)), text("form", form))
