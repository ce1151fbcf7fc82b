"""Corpora by name or by path."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypedDict

from metaeval.corpora.checksums import damage, listed_damage
from metaeval.corpora.description import Description, read_description
from metaeval.corpora.directories import writing
from metaeval.corpora.download.fetch import checksums_of, fetch_files
from metaeval.corpora.download.public import public_corpora, public_names
from metaeval.corpora.mtme_pairs import parts_of, tree_of
from metaeval.corpora.problems import Problems
from metaeval.corpora.read import read_sources
from metaeval.corpora.simulation.presets import PRESETS
from metaeval.corpora.text_files import Files, visible
from metaeval.corpora.write_native import write_neutral
from metaeval.datamodel.corpus import Corpus
from metaeval.errors import FetchError, MetaevalError, MetaevalWarning, UsageError, unknown
from metaeval.parameters.arguments import held, names, path_of
from metaeval.parameters.named_objects import Held
from metaeval.runtime.files import cache_directory, shipped
from metaeval.runtime.progress import Progress, silent
from metaeval.version import VERSION


class CorpusRow(TypedDict):
    """A row of :func:`list_corpora`: one corpus.

    Attributes
    ----------
    name : str
        As it is written: ``demo``.
    systems, segments, references, judges : int
        How many there are.
    criteria : str
        What was judged, with commas.
    license : str
        What may be done with it.
    origin : str
        ``simulated``, or where it comes from.
    on_disk : str
        ``yes``, or how it gets there.
    """

    name: str
    systems: int
    segments: int
    references: int
    judges: int
    criteria: str
    license: str
    origin: str
    on_disk: str


def shipped_corpora() -> dict[str, Path]:
    """Return the corpora that come with metaeval, by name."""
    return {path.parent.name: path.parent for path in sorted(shipped("data").glob("*/corpus.toml"))}


def known_corpora() -> tuple[str, ...]:
    """Return the names of the corpora that ship, are made when they are first used, or can be fetched."""
    return tuple(dict.fromkeys([*shipped_corpora(), *PRESETS, *public_names()]))


def _simulated_folder() -> Path:
    """Return the folder of the corpora that are simulated when they are first used; another version makes its own."""
    return cache_directory() / f"simulated-{VERSION}"


def _public_folder() -> Path:
    """Return the folder of the public corpora, for all versions."""
    return cache_directory() / "public"


def preset_directory(name: str) -> Path:
    """Return the directory of the simulated corpus of a preset."""
    return _simulated_folder() / name


def public_directory(name: str) -> Path:
    """Return the directory of the files of a public corpus."""
    return _public_folder() / name


def cached_corpora() -> list[Path]:
    """Return the directories of the corpora that were made or fetched."""
    return [*visible(_simulated_folder()), *visible(_public_folder())]


def earlier_corpora() -> list[Path]:
    """Return the folders in which other versions kept corpora that were simulated, fetched or converted."""
    version = "[0-9]*.[0-9]*.[0-9]*"  # not all that begins so: the directory may hold files of the user too
    folders = [folder for name in ("simulated", "public") for folder in cache_directory().glob(f"{name}-{version}")]
    fetched = [cache_directory() / "fetched" / name for name in public_names()]
    return sorted(folder for folder in [*folders, *fetched] if folder.is_dir() and folder != _simulated_folder())


def find_corpus(name_or_path: str | Path, progress: Progress = silent) -> Path:
    """Return the place of a corpus that is named or whose path is given; a preset is simulated when first used.

    Parameters
    ----------
    name_or_path : str or Path
    progress : callable, optional
        Called with a :class:`~metaeval.runtime.progress.Step` when a corpus is simulated, and as its segments are made.

    Raises
    ------
    UsageError
        If there is no corpus of that name and nothing at that path, if it must be fetched first, or the cache cannot be
        written.
    """
    name = str(name_or_path)
    path = Path(name_or_path)
    if held(name_or_path, "corpora") is not None:
        return path
    if name in shipped_corpora():
        return shipped_corpora()[name]
    if name in PRESETS:
        return _simulated(name, progress)
    if name in public_names():
        if (public_directory(name) / "corpus.toml").exists():
            return _sound_or_fetched(name, progress)
        if not path.exists():
            raise UsageError(
                f"corpus {name!r} is public but not downloaded yet; `metaeval corpus fetch {name}` downloads it "
                f"({public_corpora()[name].bytes / 1e6:.1f} MB)."
            )
    if path.exists() or tree_of(path) is not None:
        return path
    message = unknown("corpus", name_or_path, known_corpora(), "corpora")
    raise UsageError(f"{message} There is no file or directory at that path either.")


def _simulated(name: str, progress: Progress) -> Path:
    """Return the directory of a preset, which is simulated unless it is there as it was made."""
    directory = preset_directory(name)
    if listed_damage(directory) is None:
        return directory
    from filelock import FileLock

    from metaeval.corpora.simulation.write import simulate  # most corpora are not

    with writing(directory):
        directory.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(directory.with_name(f".{name}.lock")):
            # Another process may have made it meanwhile.
            fault = listed_damage(directory)
            if fault is None:
                return directory
            if os.path.lexists(directory):
                message = f"{directory}: the corpus in the cache is damaged ({fault}); it is made again."
                warnings.warn(message, MetaevalWarning, stacklevel=2)
            target = directory.resolve()
            if target.is_dir():
                shutil.rmtree(target)
            else:
                target.unlink(missing_ok=True)
            simulate(PRESETS[name], target, seed=1, progress=progress, checksums=True)
    return directory


def _sound_or_fetched(name: str, progress: Progress) -> Path:
    """Return the directory of a public corpus that was fetched; files of it that are damaged are fetched again."""
    directory = public_directory(name)
    fault = damage(directory, checksums_of(public_corpora()[name]))
    if fault is None:
        return directory
    try:
        return fetch_corpus(name, progress=progress)
    except MetaevalError as error:
        raise FetchError(
            f"corpus {name!r}: its files in the cache are damaged ({directory}: {fault}), and they cannot be fetched "
            f"again. {error} `metaeval corpus fetch {name}` tries once more."
        ) from error


def fetch_corpus(name: str, origin: str | Path | None = None, progress: Progress = silent) -> Path:
    """Fetch a public corpus and return its directory; parameters and errors are those of the public verb."""
    corpora = public_corpora()
    if name not in corpora:
        raise UsageError(unknown("public corpus", name, corpora, "public corpora"))
    directory = public_directory(name)
    fault = damage(directory, checksums_of(corpora[name]))
    if fault is None:
        return directory
    if (directory / "corpus.toml").exists():
        message = (
            f"{directory}: the corpus in the cache is damaged, or another version's ({fault}); it is fetched again."
        )
        warnings.warn(message, MetaevalWarning, stacklevel=2)
    fetch_files(corpora[name], directory, origin, progress)
    return directory


def check_corpus(
    sources: str | Path | Iterable[str | Path],
    formats: str | Iterable[str] = (),
    *,
    whole: bool = True,
    name: str = "",
    texts: bool = False,
) -> tuple[Corpus | None, Problems]:
    """Read a corpus, with all that is wrong or remarkable in its files; see the public verb."""
    listed = names("sources", sources, path=True)
    if not listed:
        raise UsageError("`sources` must name a corpus, or at least one file; got none.")
    paths = [find_corpus(source) for source in listed]
    return read_sources(paths, names("formats", formats), whole=whole, name=name, texts=texts)


def each_corpus(corpora: Iterable[str], formats: Callable[[str], tuple[str, ...]]) -> list[tuple[str, tuple[str, ...]]]:
    """Return the corpora of an experiment, those of a tree one by one, each with its formats."""
    named = known_corpora()
    parts = []
    for name in corpora:
        is_one = name in named or isinstance(name, Held)
        parts += [(part, formats(name)) for part in ([name] if is_one else parts_of(name, formats(name)))]
    return parts


def load_corpus(sources: str | Path | Iterable[str | Path], formats: str | Iterable[str] = ()) -> Corpus:
    """Read a corpus; parameters and errors are those of the public verb."""
    return read_corpus(sources, formats)[0]


def read_corpus(
    sources: str | Path | Iterable[str | Path], formats: str | Iterable[str] = ()
) -> tuple[Corpus, list[str]]:
    """Read a corpus and return it with the warnings about its files; errors as :func:`load_corpus`."""
    if isinstance(sources, str) and (held_corpus := held(sources, "corpora")) is not None:
        return held_corpus, list(held_corpus.warnings)
    corpus, problems = _sound(*check_corpus(sources, formats, whole=False))
    object.__setattr__(corpus, "warnings", problems.reading_notes())
    object.__setattr__(corpus, "notes", problems.with_severity("note"))
    return corpus, list(corpus.warnings)


def _sound(corpus: Corpus | None, problems: Problems) -> tuple[Corpus, Problems]:
    """Return the corpus that was read, unless there are errors, which are raised."""
    problems.raise_errors()
    assert corpus is not None
    return corpus, problems


def describe_source(name_or_path: str | Path) -> Description:
    """Return name, title, source and citation of a corpus, without making, fetching or checking it.

    Raises
    ------
    UsageError
        If there is no such corpus.
    CorpusError
        If the corpus must be read, because it has no corpus.toml or a wrong one, and its files are wrong.
    """
    name = str(name_or_path)
    if name in public_corpora():
        public = public_corpora()[name]
        return Description(name=name, title=public.title, source=public.source, citation=public.citation)
    if name in PRESETS and name not in shipped_corpora():
        from metaeval.corpora.simulation.write import describe_simulation

        facts = describe_simulation(PRESETS[name], seed=1)
        return Description(name=facts["name"], title=facts["title"], source=facts["source"])
    path = find_corpus(name_or_path)
    if (path / "corpus.toml").is_file():
        described = read_description(Files(path, Problems()), path / "corpus.toml")
        if described is not None and described.name:
            return described
    corpus = load_corpus(path)
    source, citation = (corpus.facts.get(key, "") for key in ("source", "citation"))
    return Description(name=corpus.name, title=corpus.title, source=source, citation=citation)


def convert_corpus(
    sources: str | Path | Iterable[str | Path], directory: str | Path, formats: str | Iterable[str] = ()
) -> tuple[Corpus, Problems]:
    """Write a corpus in the neutral layout; parameters and errors are those of the public verb."""
    target = path_of("directory", directory)
    corpus, problems = _sound(*check_corpus(sources, formats, name=target.resolve().name, texts=True))
    write_neutral(corpus, target)
    return corpus, problems


def list_corpora() -> list[CorpusRow]:
    """Return a row for each corpus that is known by name.

    Returns
    -------
    list of CorpusRow
        Dicts with the keys ``name``, ``systems``, ``segments``, ``references``, ``judges``, ``criteria``, ``license``,
        ``origin`` and ``on_disk``.

    Examples
    --------
    >>> [row["name"] for row in list_corpora() if row["on_disk"] == "yes"][0]
    'demo'
    """
    rows = []
    for name in known_corpora():
        public = public_corpora().get(name)
        shape = public or PRESETS[name]
        directory = public_directory(name) if public else preset_directory(name)
        if name in shipped_corpora() or (directory / "corpus.toml").exists():
            on_disk = "yes"
        elif public:
            on_disk = "no: metaeval corpus fetch"
        else:
            on_disk = "made when first used"
        rows.append(
            CorpusRow(
                name=name,
                systems=shape.systems,
                segments=shape.segments,
                references=shape.references,
                judges=shape.judges,
                criteria=", ".join(
                    criterion if isinstance(criterion, str) else criterion.name for criterion in shape.criteria
                ),
                license=public.license if public else "MIT",
                origin=public.source if public else "simulated",
                on_disk=on_disk,
            )
        )
    return rows
