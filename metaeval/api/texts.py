"""The verbs that score texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from metaeval.api.arguments import listed

if TYPE_CHECKING:
    from metaeval.experiments.score import Scores


def score(
    metrics: Sequence[str],
    candidates: Mapping[str, Sequence[str]],
    references: Mapping[str, Sequence[str | None]],
    *,
    condition: str = "case",
    level: str = "corpus",
) -> list[Scores]:
    """Score texts.

    Parameters
    ----------
    metrics : sequence of str
        Names with parameters: ``["bleu", "gtm(exponent=2)"]``.
    candidates : mapping of str to sequence of str
        The segments of each text to score, by name.
    references : mapping of str to sequence of (str or None)
        The segments of each reference, by name; None is an absent reference, "" an empty one.
    condition : str, default "case"
        The treatment of the texts: ``nocase``, ``case(tokenizer="13a")``.
    level : "corpus" or "segment"

    Returns
    -------
    list of Scores
        One for each metric: values (candidates, units), statistics (candidates, units, statistics), signature.

    Raises
    ------
    UsageError
        If a metric or condition is unknown, or the texts have different numbers of segments.

    Examples
    --------
    >>> (bleu,) = score(["bleu(order=1)"], {"mine": ["a b c d"]}, {"ref": ["a b x d"]})
    >>> bleu.values
    array([[0.75]])
    """
    from metaeval.experiments.score import score_texts
    from metaeval.text.conditions import get_condition

    return score_texts(listed(metrics), candidates, references, get_condition(condition), level)


def score_files(
    metrics: Sequence[str],
    candidates: Sequence[str | Path],
    references: Sequence[str | Path],
    *,
    tokenizer: str = "none",
    lowercase: bool = False,
    stem: bool = False,
    level: str = "corpus",
    progress: Callable[[str], None] = lambda line: None,
) -> list[Scores]:
    """Score text files with one segment a line.

    Parameters
    ----------
    metrics : sequence of str
        Names with parameters.
    candidates : sequence of str or Path
        Files to score.
    references : sequence of str or Path
        Files, or directories of .txt files. An empty line is an empty reference.
    tokenizer : str, default "none"
        How lines are cut into tokens; ``none`` splits at white space.
    lowercase, stem : bool
        Lower-case; lower-case and stem with Porter's algorithm.
    level : "corpus" or "segment"
    progress : callable, optional
        Told what is remarkable in the files.

    Returns
    -------
    list of Scores
        As from :func:`score`.

    Raises
    ------
    UsageError
        If a metric or tokenizer is unknown.
    CorpusError
        If a file cannot be read, or the numbers of lines differ.
    """
    from metaeval import _kernels as kernels
    from metaeval.corpora.plain import read_plain
    from metaeval.experiments.measure import named_metrics
    from metaeval.experiments.score import score_texts
    from metaeval.text.conditions import make_condition

    condition = make_condition(tokenizer=tokenizer, lowercase=lowercase, stem=stem)
    named_metrics(listed(metrics))  # a misspelt metric is told before large files are read
    texts, reference_texts, messages = read_plain(listed(candidates), listed(references))
    for message in (*filter(None, [kernels.missing()]), *messages):
        progress(message)
    return score_texts(listed(metrics), texts, reference_texts, condition, level)
