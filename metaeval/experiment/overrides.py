"""Panels of an experiment, settings by corpus, and the location of a value in a config."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from metaeval.config.schema import Experiment
from metaeval.corpora.catalogue import each_corpus
from metaeval.corpora.mtme_pairs import fits
from metaeval.errors import UsageError, unknown
from metaeval.parameters.fields import Locate, merged

# Keys that [by_corpus] cannot set: a run has one of each.
_NOT_BY_CORPUS = ("title", "source", "seed", "corpora")


@dataclass(frozen=True)
class Panel:
    """A part of an experiment, with settings of its own; a config without panels is a single one without a title.

    Attributes
    ----------
    title : str
    experiments : tuple of Experiment
        One; more where corpora have settings of their own, each with its corpora, in the order of the config.
    """

    title: str
    experiments: tuple[Experiment, ...]

    @property
    def corpora(self) -> list[tuple[str, tuple[str, ...], Experiment]]:
        """The corpora, those of a tree one by one, each with its formats and its experiment."""
        return [
            (name, formats, experiment)
            for experiment in self.experiments
            for name, formats in each_corpus(experiment.corpora, experiment.formats_of)
        ]


class ByCorpus:
    """The tables of ``[by_corpus]``: settings for the corpora that match a name or a pattern; later ones win.

    Parameters
    ----------
    tables : object
        As in a config.
    locate : callable
        Returns where a value stands, for messages.

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
                    message = f"`by_corpus.{pattern}`: {unknown('key', key, known)}"
                    raise UsageError(message, place=locate(("by_corpus", pattern, key)))
        self._tables: Mapping[str, Mapping[str, Any]] = tables

    def tables_of(self, corpus: str) -> list[Mapping[str, Any]]:
        """Return the tables of a corpus."""
        return [self._tables[pattern] for pattern in self._patterns(corpus)]

    def _patterns(self, corpus: str) -> list[str]:
        return [pattern for pattern in self._tables if fits(corpus, pattern)]

    def split(self, table: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        """Return the table of an experiment as several: one for each run of corpora that have the same settings."""
        if not self._tables:
            return [table]
        parts = list[Mapping[str, Any]]()
        for _, group in itertools.groupby(corpora_of(table), lambda corpus: self._patterns(corpus[0])):
            names, formats = zip(*group, strict=True)
            corpora = {"corpora": [*names], "source_formats": [*itertools.chain(*formats)]}
            parts.append(merged(table, *self.tables_of(names[0]), corpora))
        return parts or [table]


def corpora_of(table: Mapping[str, Any]) -> list[tuple[str, tuple[str, ...]]]:
    """Return the corpora that the table of an experiment names, those of a tree one by one, each with its formats."""
    names, formats = table.get("corpora", ()), table.get("source_formats", ())
    if not all(isinstance(value, list | tuple) for value in (names, formats)):
        return []
    if len(formats) == len(names):
        formats_of = {name: (own_format,) for name, own_format in zip(names, formats, strict=True)}
    else:
        formats_of = dict.fromkeys(names, tuple(formats))
    return each_corpus(names, lambda name: formats_of[name])


def inside_of(table: Mapping[str, Any], table_keys: tuple[str | int, ...], locate: Locate) -> Locate:
    """Return a function that locates a value: in a table at `place` in a config, or in what all tables share."""

    def locate_inside(keys: tuple[str | int, ...]) -> str:
        inside: Any = table
        for key in keys[:2]:
            if not (isinstance(inside, Mapping) and key in inside):
                # A list is replaced as a whole, so its places are those of the table.
                in_table = isinstance(inside, list)
                break
            inside = inside[key]
        else:
            in_table = True
        return locate((*table_keys, *keys) if in_table and keys else keys)

    return locate_inside
