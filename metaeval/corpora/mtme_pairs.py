"""Test sets of several language pairs: the tree stands for all of them, and ``TREE.PAIR`` for one."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from metaeval.components.registries import READERS
from metaeval.corpora.formats.base import Glimpse
from metaeval.corpora.formats.mtme import MtMetricsEval, pairs_of
from metaeval.errors import UsageError, unknown
from metaeval.parameters.named_objects import written_of


def tree_of(path: Path) -> tuple[Path, str] | None:
    """Return the tree and the language pair that a path such as ``wmt23.en-de`` names; None if it is a path, or none.

    Raises
    ------
    UsageError
        If there is such a tree without such a language pair.
    """
    name, dot, pair = path.name.rpartition(".")
    tree = path.with_name(name) if name else path
    if (
        not dot
        or not name
        or path.exists()
        or not tree.is_dir()
        or not MtMetricsEval.recognises(Glimpse.from_path(tree))
    ):
        return None
    known = pairs_of(tree)
    if pair not in known:
        raise UsageError(f"{tree}: {unknown('language pair', pair, known)}")
    return tree, pair


def parts_of(corpus: str, formats: Sequence[str] = ()) -> list[str]:
    """Return the corpora that a path stands for: those of all language pairs of a tree, unless a format names one."""
    path = Path(corpus)
    readers = [READERS.named(format_) for format_ in formats if format_]
    if any(isinstance(reader, MtMetricsEval) and reader.pair for reader in readers):
        return [corpus]
    if not path.is_dir() or not MtMetricsEval.recognises(Glimpse.from_path(path)):
        return [corpus]
    pairs = pairs_of(path)
    return [f"{path}.{pair}" for pair in pairs] if len(pairs) > 1 else [corpus]


def short_name(corpus: str) -> str:
    """Return the name of a corpus in tables of tasks: its language pair in a tree, else the name of its directory."""
    path = Path(written_of(corpus))
    tree = tree_of(path)
    return path.name if tree is None else tree[1]


def fits(corpus: str, pattern: str) -> bool:
    """Return whether a name or a pattern means a corpus, by its path, its name or its language pair."""
    return any(fnmatchcase(name, pattern) for name in (corpus, Path(written_of(corpus)).name, short_name(corpus)))
