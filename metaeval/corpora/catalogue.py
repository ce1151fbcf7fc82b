"""Corpora by name or by path."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import platformdirs

from metaeval.corpora.description import Description, read_description
from metaeval.corpora.fetch import ABANDONED_AFTER, download
from metaeval.corpora.lines import Files
from metaeval.corpora.problems import Problems
from metaeval.corpora.public import PublicCorpus, public_corpora
from metaeval.corpora.read import read_sources
from metaeval.corpora.simulation.presets import PRESETS
from metaeval.corpora.simulation.write import describe_simulation, simulate
from metaeval.corpora.write import write_neutral
from metaeval.errors import MetaevalError, UsageError, unknown
from metaeval.records import Corpus
from metaeval.resources import shipped
from metaeval.version import VERSION

Progress = Callable[[str], None]


def shipped_corpora() -> dict[str, Path]:
    """Return the corpora that come with metaeval, by name."""
    return {path.parent.name: path.parent for path in sorted(shipped("data").glob("*/corpus.toml"))}


def known_corpora() -> tuple[str, ...]:
    """Return the names of the corpora that ship, are made when they are first used, or can be fetched."""
    return tuple(dict.fromkeys([*shipped_corpora(), *PRESETS, *public_corpora()]))


def cache_directory() -> Path:
    """Return the directory of what is made or fetched: that of METAEVAL_CACHE, or the platform's for caches."""
    chosen = os.environ.get("METAEVAL_CACHE")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("metaeval"))


def preset_directory(name: str) -> Path:
    """Return where the simulated corpus of a preset lies once it is made; another version makes it again."""
    return cache_directory() / f"simulated-{VERSION}" / name


def public_directory(name: str) -> Path:
    """Return where a public corpus lies once it is fetched; another version converts it again."""
    return cache_directory() / f"public-{VERSION}" / name


def find_corpus(name_or_path: str | Path) -> Path:
    """Return the place of a corpus that is named or whose path is given; a preset is simulated when first used.

    Raises
    ------
    UsageError
        If there is no corpus of that name and nothing at that path, if it must be fetched first, or the cache cannot be
        written.
    """
    name = str(name_or_path)
    shipped_here = shipped_corpora()
    if name in shipped_here:
        return shipped_here[name]
    if name in PRESETS:
        directory = preset_directory(name)
        if not (directory / "corpus.toml").exists():
            _make(directory, lambda: simulate(PRESETS[name], directory, seed=1))
        return directory
    path = Path(name_or_path)
    if name in public_corpora():
        directory = public_directory(name)
        if (directory / "corpus.toml").exists():
            return directory
        if not path.exists():
            raise UsageError(
                f"corpus {name!r} is public but not on this disk; `metaeval corpus fetch {name}` brings it "
                f"({public_corpora()[name].bytes / 1e6:.1f} MB)."
            )
    if path.exists():
        return path
    raise UsageError(
        f"{unknown('corpus', name_or_path, known_corpora(), 'corpora')} There is no file or directory of that path "
        "either."
    )


def _make(directory: Path, make: Callable[[], object]) -> None:
    """Make a corpus that another process may be making at the same time; the first one wins."""
    try:
        make()
    except (MetaevalError, OSError):
        if not (directory / "corpus.toml").exists():
            raise


def fetch_corpus(name: str, origin: str | Path | None = None, progress: Progress | None = None) -> Path:
    """Fetch a public corpus, check its files, convert it, and return its directory.

    Parameters
    ----------
    name : str
    origin : str or Path, optional
        A directory or address that holds the owners' files at REPOSITORY/PATH, instead of the owners' own addresses.
    progress : callable, optional
        Told a line now and then.

    Raises
    ------
    UsageError
        If there is no public corpus of that name, the origin is wrong, or the cache cannot be written.
    CorpusError
        If a file is missing or is not the one that was published.
    FetchError
        If the network fails.
    """
    known = public_corpora()
    if name not in known:
        raise UsageError(unknown("public corpus", name, known, "public corpora"))
    directory = public_directory(name)
    if (directory / "corpus.toml").exists():
        return directory
    _make(directory, lambda: _fetch_public(known[name], directory, origin, progress))
    return directory


def _fetch_public(entry: PublicCorpus, directory: Path, origin: str | Path | None, progress: Progress | None) -> None:
    """Fetch and convert a public corpus in a place of its own, so that other processes may do the same."""
    fetched = cache_directory() / "fetched"
    try:
        fetched.mkdir(parents=True, exist_ok=True)
        for left in fetched.iterdir():
            # Another process may be faster.
            with suppress(FileNotFoundError):
                if time.time() - left.stat().st_mtime > ABANDONED_AFTER:
                    shutil.rmtree(left, ignore_errors=True)
        private = Path(tempfile.mkdtemp(dir=fetched, prefix=f"{entry.name}-"))
    except OSError as error:
        raise UsageError(f"{fetched}: cannot be written: {error.strerror}.") from error
    try:
        download(entry, private / "files", origin, progress)
        _convert_public(entry, private / "files", directory)
    finally:
        shutil.rmtree(private, ignore_errors=True)


def _describe_public(entry: PublicCorpus) -> Description:
    """Return what the catalogue tells of a public corpus."""
    return Description(
        name=entry.name,
        title=entry.title,
        language=entry.language,
        source_language=entry.source_language,
        license=entry.license,
        source=entry.source,
        citation=entry.citation,
        notes=entry.notes,
        criteria=entry.criteria,
    )


def _convert_public(entry: PublicCorpus, files: Path, directory: Path) -> None:
    """Convert fetched files; what the catalogue tells of the corpus goes with it."""
    common = Path(os.path.commonpath([files / file.name for file in entry.files]))
    corpus, problems = read_sources([common], [entry.format], _describe_public(entry))
    problems.raise_errors()
    assert corpus is not None
    write_neutral(corpus, directory)


def check_corpus(
    sources: str | Path | Sequence[str | Path], formats: Sequence[str] = ()
) -> tuple[Corpus | None, Problems]:
    """Read a corpus and return it, if it is usable, with all that was found.

    Parameters
    ----------
    sources : str or Path, or a sequence of them
        The name of a corpus, or files, directories or archives; several are read into one corpus.
    formats : sequence of str
        The format of each source, one for all, or none if they are to be recognised.

    Raises
    ------
    UsageError
        If there is no such corpus, or a format is unknown.
    """
    listed = [sources] if isinstance(sources, str | Path) else list(sources)
    return read_sources([find_corpus(source) for source in listed], formats)


def load_corpus(sources: str | Path | Sequence[str | Path], formats: Sequence[str] = ()) -> Corpus:
    """Read a corpus.

    Parameters
    ----------
    sources : str or Path, or a sequence of them
        The name of a corpus that ships, such as ``demo``; of a preset, such as ``mtc-chinese``, which is simulated when
        it is first used; or of a public corpus that was fetched. Or files, directories or archives in one of the known
        formats; several, such as texts and a table of judgments, are read into one corpus.
    formats : sequence of str
        The format of each source, one for all, or none if they are to be recognised.

    Raises
    ------
    UsageError
        If there is no such corpus, or a format is unknown.
    CorpusError
        If its files are wrong; the message tells every error with its place.
    """
    return read_corpus(sources, formats)[0]


def read_corpus(sources: str | Path | Sequence[str | Path], formats: Sequence[str] = ()) -> tuple[Corpus, list[str]]:
    """Read a corpus and return it with the warnings about its files; errors as :func:`load_corpus`."""
    corpus, problems = check_corpus(sources, formats)
    problems.raise_errors()
    assert corpus is not None
    return corpus, [str(problem) for problem in problems.found if problem.severity == "warning"]


def describe_source(name_or_path: str | Path) -> Description:
    """Return what is told of a corpus, its source and citation among it, without making, fetching or checking it.

    Raises
    ------
    UsageError
        If there is no such corpus.
    CorpusError
        If the corpus must be read, because it has no corpus.toml or a wrong one, and its files are wrong.
    """
    name = str(name_or_path)
    if name in public_corpora():
        return _describe_public(public_corpora()[name])
    if name in PRESETS and name not in shipped_corpora():
        told = describe_simulation(PRESETS[name], seed=1)
        return Description(name=told["name"], title=told["title"], source=told["source"])
    path = find_corpus(name_or_path)
    if (path / "corpus.toml").is_file():
        described = read_description(Files(path, Problems()), path / "corpus.toml")
        if described is not None and described.name:
            return described
    corpus = load_corpus(path)
    source, citation = (corpus.facts.get(key, "") for key in ("source", "citation"))
    return Description(name=corpus.name, title=corpus.title, source=source, citation=citation)


def convert_corpus(
    sources: Sequence[str | Path], directory: str | Path, formats: Sequence[str] = ()
) -> tuple[Corpus, Problems]:
    """Write a corpus in the neutral layout and return it with what was found; the directory is whole or not there.

    Raises
    ------
    UsageError
        If there is no such corpus, a format is unknown, or the directory holds something or cannot be written.
    CorpusError
        If the files are wrong.
    """
    corpus, problems = check_corpus(sources, formats)
    problems.raise_errors()
    assert corpus is not None
    write_neutral(corpus, Path(directory))
    return corpus, problems


def list_corpora() -> list[dict[str, Any]]:
    """Return a row for each corpus that is known by name."""
    rows = []
    for name in known_corpora():
        public = public_corpora().get(name)
        if public is not None:
            here = (public_directory(name) / "corpus.toml").exists()
            rows.append(
                {
                    "name": name,
                    "systems": public.systems,
                    "segments": public.segments,
                    "references": public.references,
                    "judges": public.judges,
                    "criteria": ", ".join(entry.name for entry in public.criteria),
                    "license": public.license,
                    "origin": public.source,
                    "on_disk": "yes" if here else "no: metaeval corpus fetch",
                }
            )
            continue
        shape = PRESETS[name]
        here = name in shipped_corpora() or (preset_directory(name) / "corpus.toml").exists()
        rows.append(
            {
                "name": name,
                "systems": shape.systems,
                "segments": shape.segments,
                "references": shape.references,
                "judges": shape.judges,
                "criteria": ", ".join(shape.criteria),
                "license": "MIT",
                "origin": "simulated",
                "on_disk": "yes" if here else "made when first used",
            }
        )
    return rows
