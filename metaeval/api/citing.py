"""The verb that tells how to cite."""

from __future__ import annotations

from collections.abc import Sequence

from metaeval.api.arguments import listed


def cite(names: Sequence[str] = (), *, form: str = "text") -> str:
    """Return how to cite metaeval, and what was used with it.

    Parameters
    ----------
    names : sequence of str
        Metrics, conditions, tokenizers, corpora, configs, and directories of runs: ``["bleu", "runs/mine"]``.
    form : "text" or "bibtex"
        One source a paragraph, with what it is cited for; or a file of BibTeX.

    Raises
    ------
    UsageError
        If a name is none of these, or the format is another.
    CorpusError
        If the files of a corpus are wrong.
    """
    from metaeval.experiments.cite import citations, formatted

    return formatted(citations(listed(names)), form)
