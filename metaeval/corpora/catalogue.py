"""Corpora by name or by path."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

from metaeval.corpora.neutral import read_neutral
from metaeval.corpora.problems import Problems
from metaeval.corpora.simulation.presets import PRESETS
from metaeval.corpora.simulation.write import simulate
from metaeval.errors import UsageError, unknown
from metaeval.records import Corpus
from metaeval.resources import shipped
from metaeval.version import VERSION


def shipped_corpora() -> dict[str, Path]:
    """Return the corpora that come with metaeval, by name."""
    return {path.parent.name: path.parent for path in sorted(shipped("data").glob("*/corpus.toml"))}


def known_corpora() -> tuple[str, ...]:
    """Return the names of the corpora that ship or are made when they are first used."""
    return tuple(dict.fromkeys([*shipped_corpora(), *PRESETS]))


def cache_directory() -> Path:
    """Return the directory of what is made on demand: that of METAEVAL_CACHE, or the platform's for caches."""
    chosen = os.environ.get("METAEVAL_CACHE")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("metaeval"))


def preset_directory(name: str) -> Path:
    """Return where the simulated corpus of a preset lies once it is made; another version makes it again."""
    return cache_directory() / f"simulated-{VERSION}" / name


def find_corpus(name_or_path: str | Path) -> Path:
    """Return the directory of a corpus that is named or whose path is given; a preset is simulated when first used.

    Raises
    ------
    UsageError
        If there is no corpus of that name and no directory at that path, or the cache cannot be written.
    """
    name = str(name_or_path)
    shipped_here = shipped_corpora()
    if name in shipped_here:
        return shipped_here[name]
    if name in PRESETS:
        directory = preset_directory(name)
        if not (directory / "corpus.toml").exists():
            simulate(PRESETS[name], directory, seed=1)
        return directory
    path = Path(name_or_path)
    if path.exists():
        return path
    raise UsageError(
        f"{unknown('corpus', name_or_path, known_corpora(), 'corpora')} There is no directory of that path either."
    )


def check_corpus(name_or_path: str | Path) -> tuple[Corpus | None, Problems]:
    """Read a corpus and return it, if it is usable, with all that was found."""
    return read_neutral(find_corpus(name_or_path))


def load_corpus(name_or_path: str | Path) -> Corpus:
    """Read a corpus.

    Parameters
    ----------
    name_or_path : str or Path
        The name of a corpus that ships, such as ``demo``, or of a preset, such as ``mtc-chinese``, which is simulated
        when it is first used; or a corpus directory.

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
