"""The verbs that score texts."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from metaeval.api.objects import metric_names, one_corpus
from metaeval.api.shared import (
    Formats,
    Frame,
    Lowercase,
    Memory,
    Metrics,
    Paths,
    Preprocessing,
    Stem,
    Texts,
    Tokenizer,
    with_warnings,
)
from metaeval.api.verbs import Argument, verb
from metaeval.components.registries import DEFAULT_PREPROCESSING, DEFAULT_TOKENIZER
from metaeval.datamodel.columns import named_texts
from metaeval.errors import UsageError
from metaeval.parameters.arguments import names, path_of
from metaeval.runtime.byte_sizes import DEFAULT_MEMORY, memory_size

if TYPE_CHECKING:
    from metaeval.datamodel.corpus import Corpus
    from metaeval.experiment.score import ScoreTable


_LEVEL = (
    "one score for each text or system, which is computed from the statistics of all segments and is not the mean of "
    "their scores; or one for each segment"
)
Level = Annotated[Literal["corpus", "segment"], Argument(doc=_LEVEL)]


@verb
def score(
    metrics: Metrics,
    candidates: "Mapping[str, Sequence[str]] | Sequence[str] | Frame | Corpus",
    references: Mapping[str, Texts] | Texts | Sequence[Sequence[str | None]] | Frame | None = None,
    *,
    preprocessing: Preprocessing = DEFAULT_PREPROCESSING,
    level: Level = "corpus",
    memory: Memory = DEFAULT_MEMORY,
) -> "ScoreTable":
    """Score texts, or the systems of a corpus.

    Parameters
    ----------
    candidates : mapping of str to sequence of str, or sequence of str, or data frame, or Corpus
        The segments of each text to score, by its name, or in a column each; one text alone needs no name. Or a corpus,
        whose systems are scored.
    references : mapping of str to sequence of (str or None), or sequence of them, or data frame, optional
        The segments of each reference, by its name, or in a column each; one reference alone needs no name, and as for
        sacreBLEU a list of lists is one list for each. None is an absent reference, "" an empty one. With a corpus: the
        names of some of its references; all unless given.
    preprocessing
        How the texts are preprocessed; ``case`` for texts that were tokenized before, ``nocase(tokenizer="13a")`` to
        lower-case them. By themselves, ``case``, ``nocase`` and ``stem`` split at white space.

    Returns
    -------
    ScoreTable
        A sequence with a :class:`Scores` for each metric: values (candidates, units), statistics, and the signature
        with all that determined them.

    Raises
    ------
    UsageError
        If a metric, reference or preprocessing is unknown, the texts have different numbers of segments, a
        segment is not text, or a segment of plain texts has no reference.
    CorpusError
        If scores that a metric reads from a file do not fit the corpus.
    MetricError
        If every metric fails; if some do, the others have scores, and `failures` lists them.

    Examples
    --------
    >>> (bleu,) = score("bleu(order=1)", ["a b c d"], ["a b x d"])
    >>> bleu.values
    array([[0.75]])

    As sacreBLEU has it, with two references:

    >>> score(["bleu"], ["a b c d"], [["a b x d"], ["a b c d"]])["bleu"].values
    array([[1.]])

    The segments of all systems of a corpus, against two of its references:

    >>> from metaeval import load_corpus
    >>> score(["wer", "ter"], load_corpus("demo"), ["ref1", "ref2"], level="segment")["ter"].values.shape
    (8, 120)
    """
    from metaeval.datamodel.corpus import Corpus
    from metaeval.experiment.score import score_corpus, score_texts
    from metaeval.text.preprocessing import get_preprocessing

    named = metric_names(metrics)
    treatment = get_preprocessing(preprocessing)
    at_most = memory_size("memory", memory)
    if isinstance(candidates, Corpus):
        if isinstance(references, Mapping):
            raise UsageError("`references` must be names of references of the corpus, or nothing; got a mapping.")
        chosen = [] if references is None else names("references", references)
        return with_warnings(score_corpus(named, one_corpus(candidates), chosen, treatment, level, memory=at_most))
    if references is None and isinstance(candidates, str | Path) and _is_corpus(candidates):
        raise UsageError(
            f"`candidates` must be texts, or a corpus that was read; got the name {str(candidates)!r}. To score its "
            f"systems, give metaeval.load_corpus({str(candidates)!r})."
        )
    if references is None:
        raise UsageError("`references` is missing: texts are scored against references; only a corpus has its own.")
    texts: Any = named_texts("candidates", candidates)
    given = named_texts("references", references, absent=True)
    return with_warnings(score_texts(named, texts, given, treatment, level, at_most))


@verb
def score_files(
    metrics: Metrics,
    candidates: Annotated[Paths, Argument("FILE", "-c --candidate", "paths")] = (),
    references: Annotated[Paths, Argument("PATH", "-r --reference --references", "paths")] = (),
    *,
    corpus: Annotated[str | Path | None, Argument("NAME|DIR", complete="corpora paths")] = None,
    source_formats: Formats = (),
    tokenizer: Tokenizer = DEFAULT_TOKENIZER,
    lowercase: Lowercase = False,
    stem: Stem = False,
    level: Level = "corpus",
    memory: Memory = DEFAULT_MEMORY,
    output: Annotated[str | Path | None, Argument("FILE", complete="paths")] = None,
) -> "ScoreTable":
    r"""Score text files with one segment a line, or the systems of a corpus.

    Parameters
    ----------
    candidates
        Files to score; the systems of a corpus unless given.
    references
        Files, or directories of .txt files, where an empty line is an empty reference. With a corpus: names of some of
        its references; all unless given.
    corpus
        A corpus, by name or its files, whose systems are scored instead of files.
    output
        With a corpus: also write a table of the scores of all systems and segments, a metric for scores:FILE.

    Returns
    -------
    ScoreTable
        As from :func:`score`; the names of texts are the paths. Its `warnings` say what is remarkable in the files.

    Raises
    ------
    UsageError
        If a metric or tokenizer is unknown, or there are neither texts and references nor a corpus.
    CorpusError
        If a file cannot be read, or the numbers of lines differ.
    MetricError
        If every metric fails.

    Examples
    --------
    >>> from pathlib import Path
    >>> Path("system.txt").write_text("the cat sat\n")
    12
    >>> Path("human.txt").write_text("the cat sat down\n")
    17
    >>> score_files("wer", "system.txt", "human.txt")["wer"].values
    array([[0.25]])
    """
    from dataclasses import replace

    from metaeval.corpora.line_files import read_plain
    from metaeval.experiment.score import score_corpus, score_texts
    from metaeval.metrics.selection import named_metrics
    from metaeval.text.preprocessing import make_preprocessing

    preprocessing = make_preprocessing(tokenizer=tokenizer, lowercase=lowercase, stem=stem)
    named = metric_names(metrics)
    at_most = memory_size("memory", memory)
    named_metrics(named)  # a misspelt metric is an error before large files are read
    files = names("candidates", candidates, path=True), names("references", references, path=True)
    formats = names("source_formats", source_formats)
    if corpus is not None:
        from metaeval.corpora.catalogue import read_corpus

        if files[0]:
            raise UsageError("`candidates` are files and `corpus` has systems of its own; give one of the two.")
        target = None if output is None else path_of("output", output)
        if target is not None and (target.is_dir() or not target.parent.is_dir()):
            raise UsageError(f"`output` must be a file in a directory that exists; got {str(target)!r}.")
        read, remarkable = read_corpus(path_of("corpus", corpus, must="a corpus, its name or its files"), formats)
        scores = score_corpus(named, read, files[1], preprocessing, level, target, memory=at_most)
    else:
        if output is not None:
            raise UsageError("`output` belongs to `corpus`, which is not given: scores:FILE finds systems of a corpus.")
        if formats:
            raise UsageError(
                "`source_formats` belong to `corpus`, which is not given; text files have one segment a line."
            )
        for argument, paths in zip(("candidates", "references"), files, strict=True):
            if not paths:
                raise UsageError(f"`{argument}` must name at least one file, or `corpus` a corpus; got none.")
        texts, reference_texts, remarkable = read_plain(*files)
        scores = score_texts(named, texts, reference_texts, preprocessing, level, at_most)
    return with_warnings(replace(scores, warnings=(*remarkable, *scores.warnings)))


def _is_corpus(name: str | Path) -> bool:
    """Return whether a text is the name of a corpus, or a directory."""
    from metaeval.corpora.catalogue import known_corpora

    return str(name) in known_corpora() or os.path.isdir(name)  # unlike that of Path, it takes a text of any length
