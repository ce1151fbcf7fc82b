"""The verbs of the cache: arrays that were computed, and corpora that were made or fetched."""

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal, TypedDict

from metaeval.api.verbs import Argument, verb
from metaeval.errors import as_typed
from metaeval.parameters.arguments import names

Kind = Literal["scores", "statistics"]


class CacheRow(TypedDict):
    """A kind of what is in the cache, as :func:`cache_info` gives it.

    Attributes
    ----------
    kind : str
        ``scores`` of users' metrics, ``statistics`` of texts, or ``corpora``; ``obsolete`` for a directory of another
        version, which this one does not use and which :func:`prune_cache` removes.
    entries : int
        Files, or corpora.
    bytes : int
        Their size.
    directory : str
        Where they are.
    """

    kind: str
    entries: int
    bytes: int
    directory: str


class FlawRow(TypedDict):
    """A damaged file, as :func:`verify_cache` gives it.

    Attributes
    ----------
    file : str
        Its path.
    flaw : str
        What was wrong with it.
    """

    file: str
    flaw: str


@verb
def cache_info() -> list[CacheRow]:
    """Return the size of the cache, by kind, and its directories.

    Returns
    -------
    list of CacheRow
        Dicts with the keys ``kind``, ``entries``, ``bytes`` and ``directory``.

    Raises
    ------
    UsageError
        If METAEVAL_CACHE_LIMIT is no size.

    Examples
    --------
    >>> from metaeval import cache_info
    >>> [row["kind"] for row in cache_info()]
    ['scores', 'statistics', 'corpora']
    """
    from metaeval.corpora.catalogue import cached_corpora
    from metaeval.runtime import cache
    from metaeval.runtime.files import cache_directory

    sizes_of: dict[str, list[int]] = {kind: [] for kind in cache.KINDS}
    for entry in cache.entries():
        sizes_of[entry.kind].append(entry.size)
    rows = [
        CacheRow(kind=kind, entries=len(sizes), bytes=sum(sizes), directory=str(cache.directory() / kind))
        for kind, sizes in sizes_of.items()
    ]
    corpora = cached_corpora()
    size = sum(path.lstat().st_size for directory in corpora for path in directory.rglob("*") if not path.is_dir())
    rows.append(CacheRow(kind="corpora", entries=len(corpora), bytes=size, directory=str(cache_directory())))
    for folder in _obsolete_folders():
        files = cache.files_in(folder)
        size = sum(path.stat().st_size for path in files)
        rows.append(CacheRow(kind="obsolete", entries=len(files), bytes=size, directory=str(folder)))
    return rows


def _obsolete_folders() -> list[Path]:
    """Return the folders of the cache in which other versions kept arrays and corpora."""
    from metaeval.corpora.catalogue import earlier_corpora
    from metaeval.runtime import cache

    return [folder for folder in (cache.earlier_directory(), *earlier_corpora()) if folder.is_dir()]


@verb
def verify_cache() -> list[FlawRow]:
    """Read every array in the cache, and remove those that are damaged; they are computed again when needed.

    Corpora are verified each time that they are used.

    Returns
    -------
    list of FlawRow
        Dicts with the keys ``file`` and ``flaw``.

    Examples
    --------
    >>> from metaeval import verify_cache
    >>> verify_cache()
    []
    """
    from metaeval.runtime import cache

    rows = []
    for entry in cache.entries():
        if flaw := cache.damage(entry.path):
            rows.append(FlawRow(file=str(entry.path), flaw=flaw))
            cache.remove(entry.path)
    return rows


@verb
def prune_cache(
    kinds: Annotated[Kind | Iterable[Kind], Argument("KIND")] = (),
    *,
    size: Annotated[str, Argument("SIZE", "--to")] = "",
) -> list[Path]:
    """Remove the arrays that were used least recently, and unless kinds are named all that other versions kept.

    Parameters
    ----------
    kinds
        scores (of your own metrics, which can take long) or statistics; both unless given.
    size
        What may stay of them together, such as 500M or 0; unless given, three quarters of METAEVAL_CACHE_LIMIT (or 5G)
        of scores, and a quarter of statistics.

    Returns
    -------
    list of Path
        What was removed.

    Raises
    ------
    UsageError
        If a kind is unknown, or the size cannot be read as one.

    Examples
    --------
    >>> from metaeval import prune_cache
    >>> prune_cache("scores", size="1G")
    []
    """
    from metaeval.runtime import cache
    from metaeval.runtime.byte_sizes import size_of

    chosen = names("kinds", kinds)
    most = size_of(size, as_typed(terminal="--to", python="`size`")) if size else None
    removed = list[Path]()
    for folder in () if chosen else _obsolete_folders():
        removed += cache.files_in(folder)
        shutil.rmtree(folder, ignore_errors=True)
    return [*removed, *cache.prune(chosen or cache.KINDS, most)]
