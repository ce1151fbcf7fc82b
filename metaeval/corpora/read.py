"""Files of any format become a corpus: each source is read into one draft."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from metaeval.components.registries import READERS
from metaeval.corpora.builder import Draft
from metaeval.corpora.description import SourceEntry
from metaeval.corpora.directories import temporary_directory
from metaeval.corpora.download.unpack import is_archive, unpack
from metaeval.corpora.formats import recognise
from metaeval.corpora.formats.base import MAX_FILES, Glimpse, Reader
from metaeval.corpora.formats.mtme import MtMetricsEval
from metaeval.corpora.mtme_pairs import tree_of
from metaeval.corpora.problems import Problems
from metaeval.corpora.text_files import Files, stem_of
from metaeval.datamodel.corpus import Corpus
from metaeval.errors import CorpusError, UsageError


def read_sources(
    paths: Sequence[Path],
    formats: Sequence[str] = (),
    *,
    whole: bool = False,
    name: str = "",
    texts: bool = False,
) -> tuple[Corpus | None, Problems]:
    """Read a corpus from one or several sources, such as texts and a table of judgments.

    Parameters
    ----------
    paths : sequence of Path
        Files, directories or archives.
    formats : sequence of str
        The format of each source, one for all, or none: then they are recognised. ``""`` for one that is recognised.
    whole : bool
        Whether the scores that came with the corpus are read now, not when they are first asked for.
    name : str
        What the corpus is called where nothing says it; the name of the first source unless given.
    texts : bool
        Whether judgments alone, without texts, are an error.

    Returns
    -------
    Corpus or None
        None if anything makes it unusable.
    Problems
        Everything that is wrong or unusual, each with its place.

    Raises
    ------
    UsageError
        If a format is unknown, or their number does not fit.
    """
    if len(formats) not in (0, 1, len(paths)):
        raise UsageError(f"give one format for all sources, or one for each of the {len(paths)}; got {len(formats)}.")
    chosen = list(formats) * len(paths) if len(formats) == 1 else list(formats) or [""] * len(paths)
    readers = [READERS.named(format_) if format_ else None for format_ in chosen]
    problems = Problems()
    draft = Draft(Files(paths[0] if paths[0].is_dir() else paths[0].parent, problems), needs_texts=texts)
    draft.files.formats = chosen
    for number, (path, reader) in enumerate(zip(paths, readers, strict=True)):
        draft.files.source = number
        with _opened(path, draft.files) as inside:
            _read_one(inside, reader, draft)
            listed = draft.listed
            draft.listed = []
            draft.files.source = None
            for toml, entry in listed:
                _read_listed(toml, entry, draft)
    draft.name = draft.name or name or stem_of(paths[0].resolve())
    corpus = draft.finish()
    if corpus is not None and whole:
        for scores in corpus.scores:
            with suppress(CorpusError):  # it stands among the problems
                _ = scores.values
    return (None if problems.errors else corpus), problems


@contextmanager
def _opened(path: Path, files: Files) -> Iterator[Path | None]:
    """Yield a path as it is, or that of what an archive holds; None after noting why it cannot be unpacked."""
    if not (path.is_file() and is_archive(path)):
        yield path
        return
    with temporary_directory(Path(tempfile.gettempdir()), "metaeval-") as scratch:
        directory = scratch / "inside"
        try:
            unpack(path, directory)
        except CorpusError as error:
            files.error(path, str(error).removeprefix(f"{path}: "))
            yield None
            return
        held = list(directory.iterdir())
        inside = held[0] if len(held) == 1 else directory
        files.show_as(inside, path)
        yield inside


def _read_listed(toml: Path, entry: SourceEntry, draft: Draft) -> None:
    """Read a file that a corpus.toml lists."""
    files = draft.files
    path = toml.parent / entry.path
    archive = files.archive_of(toml)
    if archive is not None and not path.resolve().is_relative_to(archive.resolve()):
        files.error(toml, f"lists {entry.path!r}, which lies outside the archive.")
        return
    try:
        reader = READERS.named(entry.format) if entry.format else None
    except UsageError as error:
        files.error(toml, f"{entry.path!r}: {error}")
        return
    with _opened(path, files) as inside:
        _read_one(inside, reader, draft)
    if draft.listed:
        files.error(toml, f"lists {entry.path!r}, whose own corpus.toml lists files.")
        draft.listed.clear()


def _read_one(path: Path | None, reader: Reader | None, draft: Draft) -> None:
    """Read one file or directory into the draft, if there is one."""
    files = draft.files
    if path is None:
        return
    tree = tree_of(path)
    if tree is not None:
        given = reader if isinstance(reader, MtMetricsEval) else MtMetricsEval()
        path = tree[0]
        reader = replace(given, pair=tree[1])
    if not path.exists():
        files.error(path, "does not exist.")
        return
    try:
        glimpse = Glimpse.from_path(path)
        reader = reader or recognise(glimpse)
        if reader is not None:
            reader.read(path, draft)
            if files.archive_of(path) is not None:
                draft.read_scores()
            return
    except OSError as error:
        # It may be a file of the directory that cannot be read.
        files.error(Path(error.filename) if error.filename else path, f"cannot be read: {error.strerror}.")
        return
    if path.is_file() and files.content(path) is None:
        return  # a broken gzip file, which was noted
    formats = "; ".join(f"{name}: {cls.expects}" for name, cls in READERS.items())
    part = f", by the first {MAX_FILES:,} of its files" if glimpse.has_more_files else ""
    files.error(
        path,
        f"is in no format that is recognised{part}. Name the format, with parameters where it needs some: {formats}.",
    )
