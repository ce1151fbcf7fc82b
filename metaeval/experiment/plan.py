"""What of a config holds on which corpus, and where in a config a value stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from metaeval.corpora.catalogue import each_corpus
from metaeval.corpora.trees import fits
from metaeval.errors import UsageError, unknown
from metaeval.parameters import Locate
from metaeval.schema import Experiment

# A run has one of each, and a table by corpus is of corpora already.
_NOT_BY_CORPUS = ("title", "source", "seed", "corpora")


@dataclass(frozen=True)
class Panel:
    """One part of an experiment, with settings of its own; a config without panels is one without a title.

    Attributes
    ----------
    title : str
    experiment : Experiment
    variants : mapping of str to Experiment
        The experiment as it is made on corpora that have settings of their own.
    """

    title: str
    experiment: Experiment
    variants: Mapping[str, Experiment] = field(default_factory=dict)

    def on(self, corpus: str) -> Experiment:
        """Return the experiment as it is made on a corpus."""
        return self.variants.get(corpus, self.experiment)


class ByCorpus:
    """The tables of ``[by_corpus]``: settings for the corpora that a name or a pattern fits, later ones over earlier.

    Parameters
    ----------
    tables : object
        As in a config.
    locate : callable
        Says where a value stands.

    Raises
    ------
    UsageError
        If something is no table, or a key is unknown.
    """

    def __init__(self, tables: Any, locate: Locate) -> None:
        if not isinstance(tables, Mapping) or not all(isinstance(table, Mapping) for table in tables.values()):
            message = f"`by_corpus` must hold tables by the names of corpora, as [by_corpus.en-de]; got {tables!r}."
            raise UsageError(message, place=locate(("by_corpus",)))
        known = [item.name for item in fields(Experiment) if item.name not in _NOT_BY_CORPUS]
        for pattern, table in tables.items():
            for key in table:
                if key not in known:
                    message = f"`by_corpus.{pattern}`: {unknown('key', key, known, limit=len(known))}"
                    raise UsageError(message, place=locate(("by_corpus", pattern, key)))
        self._tables: Mapping[str, Mapping[str, Any]] = tables

    def of(self, corpus: str) -> list[Mapping[str, Any]]:
        """Return the tables of a corpus."""
        return [table for pattern, table in self._tables.items() if fits(corpus, pattern)]


def corpora_of(table: Mapping[str, Any]) -> list[tuple[str, tuple[str, ...]]]:
    """Return the corpora that the table of an experiment names, those of a tree one by one, each with its formats."""
    names, formats = table.get("corpora", ()), table.get("source_formats", ())
    if not all(isinstance(one, list | tuple) for one in (names, formats)):
        return []
    of_each = [(one,) for one in formats] if len(formats) == len(names) else [tuple(formats)] * len(names)
    formats_of = dict(zip(names, of_each, strict=True))
    return each_corpus(names, lambda name: formats_of[name])


def inside_of(table: Mapping[str, Any], place: tuple[str | int, ...], locate: Locate) -> Locate:
    """Return what finds where a value stands: in a table that is at some place of a config, or in what all share."""

    def found(keys: tuple[str | int, ...]) -> str:
        inside: Any = table
        for key in keys[:2]:
            if not (isinstance(inside, Mapping) and key in inside):
                # A list is replaced as a whole, so its places are those of the table.
                own = isinstance(inside, list)
                break
            inside = inside[key]
        else:
            own = True
        return locate((*place, *keys) if own and keys else keys)

    return found
