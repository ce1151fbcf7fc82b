"""The verbs of what is kept: corpora that were made or fetched, and arrays that were computed once."""

from pathlib import Path
from typing import Annotated, TypedDict

from metaeval.api.shared import Names
from metaeval.arguments import names
from metaeval.declarations import Argument, verb
from metaeval.errors import as_typed


class CacheRow(TypedDict):
    """What :func:`cache_info` says of a kind of what is kept.

    Attributes
    ----------
    kind : str
        ``scores`` of metrics of others, ``statistics`` of texts, ``figures``, ``checks`` of corpora for damage, or
        ``corpora``.
    entries : int
        Files, or corpora.
    bytes : int
        Their size.
    directory : str
        Where they lie.
    """

    kind: str
    entries: int
    bytes: int
    directory: str


class FlawRow(TypedDict):
    """What :func:`verify_cache` has found and removed.

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
    """Return what is kept, by its kind.

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
    ['scores', 'statistics', 'figures', 'checks', 'corpora']
    """
    from metaeval import store
    from metaeval.corpora.catalogue import cached_corpora
    from metaeval.resources import cache_directory

    found: dict[str, list[int]] = {kind: [] for kind in store.KINDS}
    for one in store.entries():
        found[one.kind].append(one.size)
    rows = [
        CacheRow(kind=kind, entries=len(sizes), bytes=sum(sizes), directory=str(store.directory() / kind))
        for kind, sizes in found.items()
    ]
    corpora = cached_corpora()
    size = sum(path.lstat().st_size for one in corpora for path in one.rglob("*") if not path.is_dir())
    return [*rows, CacheRow(kind="corpora", entries=len(corpora), bytes=size, directory=str(cache_directory()))]


@verb
def verify_cache() -> list[FlawRow]:
    """Read every array that is kept, and remove what is not what was written; it is computed again when needed.

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
    from metaeval import store

    rows = []
    for one in store.entries():
        if flaw := store.flaw(one):
            rows.append(FlawRow(file=str(one.path), flaw=flaw))
            store.remove(one.path)
    return rows


@verb
def prune_cache(
    kinds: Annotated[Names, Argument("KIND", choices=("scores", "statistics", "figures", "checks"))] = (),
    *,
    size: Annotated[str, Argument("SIZE", "--to")] = "",
) -> list[Path]:
    """Remove the arrays that were used least recently.

    Parameters
    ----------
    kinds
        scores (of metrics of others, which can take long), statistics, figures or checks (of corpora for damage); all
        of them unless given.
    size
        What may stay of them together, such as 500M or 0; unless given, three quarters of METAEVAL_CACHE_LIMIT (or 5G)
        of scores, and a quarter of all others.

    Returns
    -------
    list of Path
        What was removed.

    Raises
    ------
    UsageError
        If a kind is unknown, or the size is none.

    Examples
    --------
    >>> from metaeval import prune_cache
    >>> prune_cache("scores", size="1G")
    []
    """
    from metaeval import store
    from metaeval.sizes import size_of

    chosen = names("kinds", kinds) or store.KINDS
    if not size:
        return [one.path for one in store.prune_to_limits(chosen)]
    return [one.path for one in store.prune(size_of(size, as_typed(terminal="--to", python="`size`")), chosen)]
