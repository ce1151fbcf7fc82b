"""Files of any format become a corpus: each source is read into one draft."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from metaeval.corpora.archives import is_archive, unpack
from metaeval.corpora.description import Description, read_description
from metaeval.corpora.draft import Draft
from metaeval.corpora.formats import READERS, get_reader, recognise
from metaeval.corpora.formats.contract import Glimpse, Reader
from metaeval.corpora.lines import Files, stem_of
from metaeval.corpora.neutral import read_neutral
from metaeval.corpora.problems import Problems
from metaeval.errors import CorpusError, UsageError
from metaeval.records import Corpus

NEUTRAL = "neutral"


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
    if len(paths) == 1 and description is None and _is_neutral(paths[0], chosen[0]):
        listed = _listed_files(paths[0])
        return read_sources(*listed) if listed else read_neutral(paths[0])
    problems = Problems()
    files = Files(paths[0] if paths[0].is_dir() else paths[0].parent, problems)
    draft = Draft(files)
    if description is not None:
        draft.name, draft.title = description.name, description.title
        draft.facts.update(description.facts())
        for entry in description.criteria:
            draft.declare(entry.criterion())
    for path, format_, reader in zip(paths, chosen, readers, strict=True):
        if path.is_file() and is_archive(path):
            with tempfile.TemporaryDirectory(prefix="metaeval-") as scratch:
                inside = _unpacked(path, Path(scratch) / "inside", problems)
                if inside is not None:
                    files.show_as(inside, path)
                    _read_one(inside, format_, reader, draft)
        else:
            _read_one(path, format_, reader, draft)
    draft.name = draft.name or stem_of(paths[0].resolve())
    return draft.finish(), problems


def _is_neutral(path: Path, format_: str) -> bool:
    # A directory with systems/ but without corpus.toml deserves the message that corpus.toml is missing.
    return format_ == NEUTRAL or (
        not format_ and path.is_dir() and ((path / "corpus.toml").exists() or (path / "systems").is_dir())
    )


def _listed_files(directory: Path) -> tuple[list[Path], list[str], Description] | None:
    """Return the files that a corpus.toml lists, with their formats, or None if it lists none or is wrong."""
    description = read_description(Files(directory, Problems()), directory / "corpus.toml")
    if description is None or not description.files:
        return None
    paths = [directory / entry.path for entry in description.files]
    return paths, [entry.format for entry in description.files], description


def _unpacked(archive: Path, directory: Path, problems: Problems) -> Path | None:
    """Unpack an archive and return what it holds, or None after noting why it cannot be unpacked."""
    try:
        unpack(archive, directory)
    except CorpusError as error:
        problems.error(archive, str(error).removeprefix(f"{archive}: "))
        return None
    inside = list(directory.iterdir())
    return inside[0] if len(inside) == 1 else directory


def _read_one(path: Path, format_: str, reader: Reader | None, draft: Draft) -> None:
    """Read one source into the draft."""
    files, problems = draft.files, draft.files.problems
    place = files.place(path)
    if not path.exists():
        problems.error(place, "does not exist.")
        return
    if _is_neutral(path, format_):
        corpus, found = read_neutral(path)
        problems.found.extend(found.found)
        if corpus is not None:
            files.note_digest(path / "corpus.toml", corpus.digest)
            draft.take(corpus)
        return
    try:
        reader = reader or recognise(Glimpse.of(path))
    except OSError as error:
        problems.error(place, f"cannot be read: {error.strerror}.")
        return
    if reader is None:
        problems.error(
            place,
            "is in no format that is recognised. Name one with --format, with its parameters: "
            + "; ".join(f"{name}: {cls.expects}" for name, cls in READERS.items())
            + ".",
        )
        return
    reader.read(path, files, draft)
