"""Corpora by name or by path."""

from __future__ import annotations

from pathlib import Path

from metaeval.corpora.neutral import read_neutral
from metaeval.corpora.problems import Problems
from metaeval.errors import UsageError, unknown
from metaeval.records import Corpus
from metaeval.resources import shipped


def shipped_corpora() -> dict[str, Path]:
    """Return the corpora that come with metaeval, by name."""
    return {path.parent.name: path.parent for path in sorted(shipped("data").glob("*/corpus.toml"))}


def find_corpus(name_or_path: str | Path) -> Path:
    """Return the directory of a corpus that is named or whose path is given.

    Raises
    ------
    UsageError
        If there is no corpus of that name and no directory at that path.
    """
    known = shipped_corpora()
    if str(name_or_path) in known:
        return known[str(name_or_path)]
    path = Path(name_or_path)
    if path.exists():
        return path
    raise UsageError(f"{unknown('corpus', name_or_path, known, 'corpora')} There is no directory of that path either.")


def check_corpus(name_or_path: str | Path) -> tuple[Corpus | None, Problems]:
    """Read a corpus and return it, if it is usable, with all that was found."""
    return read_neutral(find_corpus(name_or_path))


def load_corpus(name_or_path: str | Path) -> Corpus:
    """Read a corpus.

    Parameters
    ----------
    name_or_path : str or Path
        The name of a corpus that ships, such as ``demo``, or a corpus directory.

    Raises
    ------
    UsageError
        If there is no such corpus.
    CorpusError
        If its files are wrong; the message tells every error with its place.
    """
    return read_corpus(name_or_path)[0]


def read_corpus(name_or_path: str | Path) -> tuple[Corpus, list[str]]:
    """Read a corpus and return it with the warnings about its files; errors as :func:`load_corpus`."""
    corpus, problems = check_corpus(name_or_path)
    problems.raise_errors()
    assert corpus is not None
    return corpus, [str(problem) for problem in problems.found if problem.severity == "warning"]
