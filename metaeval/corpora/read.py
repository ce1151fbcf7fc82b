"""Files of any format become a corpus: each source is read into one draft."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from metaeval.corpora.archives import is_archive, unpack
from metaeval.corpora.description import Description, read_description
from metaeval.corpora.draft import Draft
from metaeval.corpora.formats import get_reader, recognise
from metaeval.corpora.formats.contract import Glimpse, Reader
from metaeval.corpora.lines import Files, stem_of
from metaeval.corpora.neutral import UNJUDGED, read_neutral
from metaeval.corpora.problems import Problem, Problems
from metaeval.errors import CorpusError, UsageError
from metaeval.kinds import READERS
from metaeval.records import Corpus

NEUTRAL = "neutral"
NEUTRAL_TITLE = "directory in the neutral layout"
NEUTRAL_EXPECTS = "a directory with corpus.toml, systems/ and references/, or whose corpus.toml lists files"


def read_sources(
    paths: Sequence[Path], formats: Sequence[str] = (), description: Description | None = None
) -> tuple[Corpus | None, Problems]:
    """Read a corpus from one or several sources, such as texts and a table of judgments.

    Parameters
    ----------
    paths : sequence of Path
        Files, directories or archives.
    formats : sequence of str
        The format of each source, one for all, or none: then they are recognised. ``""`` for one that is recognised.
    description : Description, optional
        What is told of the corpus, which goes before what the sources tell.

    Returns
    -------
    Corpus or None
        None if anything makes it unusable.
    Problems
        Everything that is wrong or remarkable, each with its place.

    Raises
    ------
    UsageError
        If a format is unknown, or their number does not fit.
    """
    if len(formats) not in (0, 1, len(paths)):
        raise UsageError(f"give one format for all sources, or one for each of the {len(paths)}; got {len(formats)}.")
    chosen = list(formats) * len(paths) if len(formats) == 1 else list(formats) or [""] * len(paths)
    readers = [get_reader(format_) if format_ not in ("", NEUTRAL) else None for format_ in chosen]
    if len(paths) == 1 and description is None and _is_neutral(paths[0], chosen[0]) and not _lists_files(paths[0]):
        return read_neutral(paths[0])
    problems = Problems()
    draft = Draft(Files(paths[0] if paths[0].is_dir() else paths[0].parent, problems))
    if description is not None:
        _tell(description, draft)
    for path, format_, reader in zip(paths, chosen, readers, strict=True):
        _read_source(path, format_, reader, draft)
    draft.name = draft.name or stem_of(paths[0].resolve())
    corpus = draft.finish()
    # One source may bring the judgments that another lacks; of a source that cannot be read nobody knows.
    if draft.is_judged or problems.errors:
        problems.withdraw(UNJUDGED)
    return corpus, problems


def _tell(description: Description, draft: Draft) -> None:
    """Put what is told of the corpus into the draft, where nothing was told before."""
    draft.name, draft.title = draft.name or description.name, draft.title or description.title
    for fact, value in description.facts().items():
        draft.facts[fact] = draft.facts.get(fact) or value
    for entry in description.criteria:
        draft.declare(entry.criterion())
    draft.told_groups = draft.told_groups or description.judge_groups


def _read_source(path: Path, format_: str, reader: Reader | None, draft: Draft, bounds: Path | None = None) -> None:
    """Read a file, a directory or an archive into the draft; `bounds` is what an archive was unpacked into."""
    if not (path.is_file() and is_archive(path)):
        _read_one(path, format_, reader, draft, bounds)
        return
    with tempfile.TemporaryDirectory(prefix="metaeval-") as scratch:
        inside = _unpacked(path, Path(scratch) / "inside", draft.files)
        if inside is not None:
            draft.files.show_as(inside, path)
            _read_one(inside, format_, reader, draft, inside)


def _is_neutral(path: Path, format_: str) -> bool:
    # A directory with systems/ but without corpus.toml deserves the message that corpus.toml is missing.
    return format_ == NEUTRAL or (
        not format_ and path.is_dir() and ((path / "corpus.toml").exists() or (path / "systems").is_dir())
    )


def _lists_files(directory: Path) -> bool:
    """Return whether a corpus.toml lists files; what is wrong with it is told when it is read."""
    path = directory / "corpus.toml"
    if not path.is_file():
        return False
    description = read_description(Files(directory, Problems()), path)
    return description is not None and bool(description.files)


def _read_listed(directory: Path, draft: Draft, bounds: Path | None) -> None:
    """Read the files that a corpus.toml lists."""
    files, path = draft.files, directory / "corpus.toml"
    description = read_description(files, path)
    assert description is not None, "it was read before, to see whether it lists files"
    if description.names:
        files.problems.error(
            files.place(path), "`names` is for files in the neutral layout; those of [[files]] tell names themselves."
        )
    _tell(description, draft)
    if bounds is None:
        draft.name = draft.name or directory.resolve().name
    for entry in description.files:
        source = directory / entry.path
        if bounds is not None and not source.resolve().is_relative_to(bounds.resolve()):
            files.problems.error(files.place(path), f"lists {entry.path!r}, which lies outside the archive.")
            continue
        if source.is_dir() and _lists_files(source):
            files.problems.error(files.place(path), f"lists {entry.path!r}, whose own corpus.toml lists files.")
            continue
        try:
            reader = get_reader(entry.format) if entry.format not in ("", NEUTRAL) else None
        except UsageError as error:
            files.problems.error(files.place(path), f"{entry.path!r}: {error}")
            continue
        _read_source(source, entry.format, reader, draft, bounds)


def _take_neutral(directory: Path, draft: Draft, bounds: Path | None) -> None:
    """Read a directory in the neutral layout."""
    files = draft.files
    place = files.place(directory)
    corpus, problems = read_neutral(directory)
    for found in problems.found:
        # What lies in an archive is told with the name of the archive.
        files.problems.found.append(
            Problem(
                found.severity,
                found.place.replace(str(directory), place, 1),
                found.message.replace(str(directory), place),
            )
        )
    if corpus is not None:
        files.note_digest(directory / "corpus.toml", corpus.digest)
        if bounds is not None and corpus.name == directory.resolve().name:
            corpus = replace(corpus, name="")  # the name of a temporary directory is none
        draft.take(corpus, place)


def _unpacked(archive: Path, directory: Path, files: Files) -> Path | None:
    """Unpack an archive and return what it holds, or None after noting why it cannot be unpacked."""
    try:
        unpack(archive, directory)
    except CorpusError as error:
        files.problems.error(files.place(archive), str(error).removeprefix(f"{archive}: "))
        return None
    inside = list(directory.iterdir())
    return inside[0] if len(inside) == 1 else directory


def _read_one(path: Path, format_: str, reader: Reader | None, draft: Draft, bounds: Path | None) -> None:
    """Read one file or directory into the draft."""
    files, problems = draft.files, draft.files.problems
    place = files.place(path)
    if not path.exists():
        problems.error(place, "does not exist.")
        return
    if _is_neutral(path, format_):
        (_read_listed if _lists_files(path) else _take_neutral)(path, draft, bounds)
        return
    try:
        reader = reader or recognise(Glimpse.of(path))
        if reader is not None:
            reader.read(path, files, draft)
            return
    except OSError as error:
        # It may be a file of the directory that cannot be read.
        where = files.place(Path(error.filename)) if error.filename else place
        problems.error(where, f"cannot be read: {error.strerror}.")
        return
    if path.is_file() and files.content(path) is None:
        return  # a broken gzip file, of which it was told
    problems.error(
        place,
        "is in no format that is recognised. Name the format, with parameters where it needs some: "
        + "; ".join(f"{name}: {cls.expects}" for name, cls in READERS.items())
        + ".",
    )
