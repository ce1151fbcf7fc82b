"""A run: its typed tables, its arrays by key, its scores, and what it says of itself."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from metaeval.records import FloatArray, IntArray
from metaeval.results.keys import Key
from metaeval.results.rows import (
    Ceiling,
    Claim,
    Correlation,
    Example,
    Filtered,
    Influence,
    MinimumDifference,
    Published,
    Ranking,
    TaskAverage,
    TaskScore,
    TaskTest,
    TestResult,
)
from metaeval.results.tables import Record, hints_of, records

Array = np.ndarray[Any, Any]


@dataclass
class Tables:
    """The tables of a run but for its scores, each by the name of its file."""

    correlations: list[Correlation] = field(default_factory=list)
    tests: list[TestResult] = field(default_factory=list)
    rankings: list[Ranking] = field(default_factory=list)
    minimum_significant_differences: list[MinimumDifference] = field(default_factory=list)
    influence: list[Influence] = field(default_factory=list)
    ceiling: list[Ceiling] = field(default_factory=list)
    filtered: list[Filtered] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    examples: list[Example] = field(default_factory=list)
    published: list[Published] = field(default_factory=list)
    tasks: list[TaskScore] = field(default_factory=list)
    task_tests: list[TaskTest] = field(default_factory=list)
    averages: list[TaskAverage] = field(default_factory=list)

    def extend(self, other: Tables) -> None:
        """Add the rows of other tables."""
        for name in KINDS:
            getattr(self, name).extend(getattr(other, name))

    def of_panel(self, title: str) -> Tables:
        """Return the rows of a panel, and those that belong to none."""
        return Tables(
            **{
                name: [row for row in rows if not hasattr(row, "key") or row.key.panel == title]
                for name, rows in vars(self).items()
            }
        )

    def records(self, name: str) -> list[Record]:
        """Return a table as values by the names of its columns."""
        return records(getattr(self, name))


# The kind of row of each table, in the order of the files.
KINDS: Mapping[str, type] = {name: typing.get_args(hint)[0] for name, hint in hints_of(Tables).items()}


@dataclass(frozen=True)
class Series:
    """The arrays of one line at one place: a metric, or the judges, over documents of one length.

    Attributes
    ----------
    key : Key
        Without a coefficient.
    signs : (int, int)
        What metric and human scores are multiplied by so that high means good on both sides; (1, 1) if the orientation
        is ``raw``.
    orientation, undefined : str
        As the experiment has them.
    systems, documents : tuple of str
        Their names; documents may have none.
    subsets : tuple of str
        The reference subsets that the scores are of, where each has its own.
    scores, human : str
        The names of the arrays ([subsets,] documents, systems) and (documents, systems).
    segments : str or None
        The name of the array (documents, length) of segment numbers, from 1; None where lengths differ.
    coefficients : mapping of str to str
        For each coefficient the name of its array: (documents,), (systems,) or (1,).
    draws : str
        What the replicates draw: lines of equal draws are paired replicate by replicate; "" without replicates.
    weights : str or None
        The name of the array (replicates,) of their probabilities, where all possible ones are listed.
    score_replicates : str or None
        The name of the array (replicates, systems) of scores in the replicates, where whole corpora are resampled by
        segments; 8 bytes each, one array for all criteria on the same segments. Those of people have the name of
        their scores with ``/replicates`` behind it.
    n_units : int or None
        How many segments or documents there were to draw; None without replicates.
    pairs : mapping of str to str
        For a coefficient that takes some pairs of systems alone, the name of the array (systems, systems) of these.
    groups : str or None
        Of single segments, the name of the array (segments,) of their real documents, where these are the units.
    """

    key: Key
    signs: tuple[int, int]
    orientation: str
    undefined: str
    systems: tuple[str, ...]
    documents: tuple[str, ...]
    subsets: tuple[str, ...]
    scores: str
    human: str
    segments: str | None
    coefficients: Mapping[str, str]
    draws: str
    weights: str | None
    score_replicates: str | None
    n_units: int | None = None
    groups: str | None = None
    pairs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ScoreBlock:
    """The scores of one metric on one level, which can be very many.

    Attributes
    ----------
    key : Key
        What was scored: panel, corpus, preprocessing, subset and metric.
    level, kind : str
        ``system``, ``document`` or ``segment``; whether systems were scored, or references.
    units : tuple of str
        A segment number, the name of a document, or ``all``.
    sizes : (units,) int array
        How many segments a unit has.
    names : tuple of str
        Of the systems or references.
    values : (units, names) float array
    n_references : int
        References of the subset.
    signature : str
        Kept for whole systems.
    """

    key: Key
    level: str
    kind: str
    units: tuple[str, ...]
    sizes: IntArray
    names: tuple[str, ...]
    values: FloatArray
    n_references: int
    signature: str


# The arrays of a set of judgments, all (judgments,); segments are counted from 0, the others point into names.
JUDGMENT_ARRAYS = ("system", "segment", "judge", "criterion", "score")


@dataclass(frozen=True)
class JudgmentSet:
    """The judgments of some judges of a corpus, as published.

    Attributes
    ----------
    corpus, judges : str
        Whose.
    systems, names, criteria : tuple of str
        The names that the arrays point into; `names` are those of judges.
    arrays : str
        What the names of the arrays begin with; one of `JUDGMENT_ARRAYS` follows after a slash.
    """

    corpus: str
    judges: str
    systems: tuple[str, ...]
    names: tuple[str, ...]
    criteria: tuple[str, ...]
    arrays: str


@dataclass(frozen=True)
class CorpusFacts:
    """What a run tells of a corpus: what it holds, where it comes from, and the signatures of its scores."""

    name: str
    title: str
    source: str
    citation: str
    digest: str
    systems: int
    segments: int
    references: tuple[str, ...]
    judgments: int
    simulated: bool
    signatures: Mapping[str, str]


@dataclass
class RunData:
    """What a run is, whether it was just computed or is read from its directory.

    Attributes
    ----------
    tables : Tables
    series : list of Series
        Which arrays belong where.
    arrays : mapping of str to array
        By path-like names. Replicates of means have the name of their coefficient with ``/replicates`` behind it,
        (replicates,); where pairs of lines have other documents in common, the means of each line over what it shares
        with those of a group are ``COEFFICIENT/paired replicates``, (replicates, lines, groups), and the group of each
        line is in ``COEFFICIENT/groups of lines``, (lines,).
    scores : sequence of ScoreBlock
    judgments : list of JudgmentSet
    corpora : list of CorpusFacts
    disagreements : mapping
        The documents in which a metric and people disagree most, with their texts.
    warnings, failures : list of str
        What a reader of the numbers must know; and of these, metrics that were left out because they failed, and
        figures that have no room.
    seconds : dict of str to float
        Wall time of each stage.
    labels : mapping of str to str
        What the user calls metrics, criteria, corpora and systems where people read of them.
    facts : dict of str to object
        What else determined the run: its config by name, title, seed, versions.
    config : str
        The config as it was run, as TOML; "" where nothing was written.
    """

    tables: Tables = field(default_factory=Tables)
    series: list[Series] = field(default_factory=list)
    arrays: Mapping[str, Array] = field(default_factory=dict)
    scores: Sequence[ScoreBlock] = field(default_factory=list)
    judgments: list[JudgmentSet] = field(default_factory=list)
    corpora: list[CorpusFacts] = field(default_factory=list)
    disagreements: Mapping[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    config: str = ""
    _known: dict[Key, Series] = field(default_factory=dict, init=False, repr=False)

    @property
    def simulated(self) -> tuple[str, ...]:
        """The names of the corpora that are simulated."""
        return tuple(one.name for one in self.corpora if one.simulated)

    def series_at(self, key: Key) -> Series:
        """Return the series of a place, whatever the coefficient of the key."""
        return self._series_by_key()[key.of(coefficient="")]

    def find_series(self, key: Key) -> Series | None:
        """Return the series of a place; None where it has none."""
        return self._series_by_key().get(key.of(coefficient=""))

    def _series_by_key(self) -> dict[Key, Series]:
        if len(self._known) != len(self.series):
            self._known = {one.key: one for one in self.series}
        return self._known

    def replicates(self, key: Key) -> FloatArray | None:
        """Return the mean coefficient of a key in the replicates, (replicates,); None where it has none."""
        series = self.find_series(key)
        return None if series is None else self.arrays.get(f"{series.coefficients[key.coefficient]}/replicates")

    def system_scores(self) -> Iterator[Record]:
        """Give the scores of whole systems and references, as rows of scores.tsv."""
        for block in self.scores:
            if block.level == "system":
                yield from score_records(block)

    def extend(self, other: RunData) -> None:
        """Add what was found on another corpus, or in another panel."""
        self.tables.extend(other.tables)
        self.series.extend(other.series)
        self.arrays = {**self.arrays, **other.arrays}
        self.scores = [*self.scores, *other.scores]
        self.judgments.extend(one for one in other.judgments if one not in self.judgments)
        self.corpora = _merged([*self.corpora, *other.corpora])
        self.warnings.extend(other.warnings)
        self.failures.extend(other.failures)
        for stage, seconds in other.seconds.items():
            self.seconds[stage] = self.seconds.get(stage, 0.0) + seconds

    def of_panel(self, title: str) -> RunData:
        """Return the tables and series of a panel alone, with the arrays and scores of all."""
        own = [one for one in self.series if one.key.panel == title]
        return replace(self, tables=self.tables.of_panel(title), series=own)


# The columns of scores.tsv; the first are those of the key of what was scored.
SCORE_KEY = ("panel", "corpus", "preprocessing", "subset", "metric")
SCORE_COLUMNS = (*SCORE_KEY, "level", "unit", "segments", "kind", "system", "n_references", "score", "signature")


def score_records(block: ScoreBlock) -> Iterator[Record]:
    """Give a row for each score."""
    key = block.key
    head = {name: getattr(key, name) for name in SCORE_KEY}
    for unit, size, of_names in zip(block.units, block.sizes.tolist(), block.values.tolist(), strict=True):
        for name, score in zip(block.names, of_names, strict=True):
            place = {"level": block.level, "unit": unit, "segments": size, "kind": block.kind, "system": name}
            yield {**head, **place, "n_references": block.n_references, "score": score, "signature": block.signature}


def _merged(corpora: Iterable[CorpusFacts]) -> list[CorpusFacts]:
    """Return the facts of corpora, each once; of one that several panels use, all signatures."""
    known: dict[str, CorpusFacts] = {}
    for corpus in corpora:
        same = known.get(corpus.name)
        signatures = {**(same.signatures if same else {}), **corpus.signatures}
        known[corpus.name] = replace(same or corpus, signatures=signatures)
    return list(known.values())
