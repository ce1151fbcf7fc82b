"""A run: its typed tables, its grids of arrays, its scores, and what it says of itself."""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, overload

from metaeval.datamodel.corpus import FloatArray, IntArray
from metaeval.results.grid import Grid, JudgmentSet, setting_of
from metaeval.results.keys import Key
from metaeval.results.rows import (
    Band,
    BandTest,
    Ceiling,
    Claim,
    Correlation,
    Example,
    Filtered,
    Influence,
    MetricRank,
    MinimumDifference,
    Published,
    TaskAverage,
    TaskScore,
    TaskTest,
    TestResult,
)
from metaeval.results.tables import Record, hints_of, records


@dataclass
class Tables:
    """The tables of a run but for its scores, each by the name of its file."""

    correlations: list[Correlation] = field(default_factory=list)
    tests: list[TestResult] = field(default_factory=list)
    rankings: list[MetricRank] = field(default_factory=list)
    minimum_significant_differences: list[MinimumDifference] = field(default_factory=list)
    influence: list[Influence] = field(default_factory=list)
    bands: list[Band] = field(default_factory=list)
    band_tests: list[BandTest] = field(default_factory=list)
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


class ScoresWhenAsked(Sequence[ScoreBlock]):
    """The scores of a run, made when they are first asked for: most views of a run show none.

    Parameters
    ----------
    make : callable
        Returns them.
    """

    def __init__(self, make: Callable[[], list[ScoreBlock]]) -> None:
        self._make = make

    @cached_property
    def _blocks(self) -> list[ScoreBlock]:
        return self._make()

    def __len__(self) -> int:
        return len(self._blocks)

    @overload
    def __getitem__(self, index: int) -> ScoreBlock: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[ScoreBlock]: ...
    def __getitem__(self, index: int | slice) -> ScoreBlock | Sequence[ScoreBlock]:
        return self._blocks[index]


@dataclass(frozen=True)
class CorpusFacts:
    """Facts about a corpus in a run: its contents, its source, and the signatures of its scores.

    Attributes
    ----------
    name, title, source, citation, digest : str
        As in the metadata of the corpus; `digest` is a hexadecimal SHA-256.
    systems, segments, judgments : int
        How many there are.
    references : tuple of str
        Their names.
    simulated : bool
    signatures : mapping of str to str
        Of the scores, by ``PREPROCESSING/METRIC``.
    inputs : mapping of str to str
        The input of each metric: ``tokens`` of preprocessed texts, ``texts`` as they are, or ``scores`` that others
        computed.
    sources : mapping of str to tuple of str
        What to cite for each metric and preprocessing, by name: keys of the bibliography, or words.
    """

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
    inputs: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class SettingFacts:
    """Settings of an experiment on a corpus, and counts there, that are in no row of a table.

    Attributes
    ----------
    panel, corpus, judges : str
        As in the keys of rows.
    judgments : mapping of str to int
        How many judgments of the segments and systems that count the chosen judges gave, by criterion.
    n_judges : int
        How many judges gave them.
    judges_are_persons : bool
        False where some of them are slots, which different annotators filled.
    n_named_documents : int
        Real documents that the segments belong to; 0 where the corpus names none.
    rule, normalise, require, metric_over : str
        The keys of ``judgments`` in the config, with their defaults filled in.
    mean_references : mapping of str to float
        How many references a segment has on average, by reference subset.
    combine : str
        How several reference subsets make one line; "" where there is one subset.
    replacement : bool
        Whether a pseudo-document may hold a segment twice.
    orientation, undefined : str
        The keys of ``correlation`` in the config.
    n_resamples : int
        Replicates of the bootstrap or permutation.
    alphas : mapping of str to float
        The significance level of each test, by ``TEST over AXIS``.
    left_out : mapping of str to str
        The metrics that have no results here although they were asked for, and why in a few words, such as ``failed``.
    """

    panel: str
    corpus: str
    judges: str
    judgments: Mapping[str, int]
    n_judges: int
    judges_are_persons: bool
    n_named_documents: int
    rule: str
    normalise: str
    require: str
    metric_over: str
    mean_references: Mapping[str, float]
    combine: str
    replacement: bool
    orientation: str
    undefined: str
    n_resamples: int
    alphas: Mapping[str, float]
    left_out: Mapping[str, str] = field(default_factory=dict)


@dataclass
class RunData:
    """The content of a run, just computed or read from its directory.

    Attributes
    ----------
    tables : Tables
    grids : list of Grid
        The arrays of each setting.
    scores : sequence of ScoreBlock
    judgments : list of JudgmentSet
    corpora : list of CorpusFacts
    settings : list of SettingFacts
        One for each panel or task and corpus.
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
    grids: list[Grid] = field(default_factory=list)
    scores: Sequence[ScoreBlock] = field(default_factory=list)
    judgments: list[JudgmentSet] = field(default_factory=list)
    corpora: list[CorpusFacts] = field(default_factory=list)
    settings: list[SettingFacts] = field(default_factory=list)
    disagreements: Mapping[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    config: str = ""
    _grids_by_key: dict[Key, Grid] = field(default_factory=dict, init=False, repr=False)

    @property
    def simulated(self) -> tuple[str, ...]:
        """The names of the corpora that are simulated."""
        return tuple(corpus.name for corpus in self.corpora if corpus.simulated)

    def grid(self, key: Key) -> Grid:
        """Return the grid of a row with this key.

        Raises
        ------
        KeyError
            If the run has none, or its grid lacks the metric.
        """
        grid = self.find_grid(key)
        if grid is None:
            raise KeyError(key)
        return grid

    def find_grid(self, key: Key) -> Grid | None:
        """Return the grid of a row with this key; None where the run has none, or its grid lacks the metric."""
        if len(self._grids_by_key) != len(self.grids):
            self._grids_by_key = {grid.key: grid for grid in self.grids}
        grid = self._grids_by_key.get(setting_of(key))
        return grid if grid is not None and grid.has(key) else None

    def replicates(self, key: Key) -> FloatArray | None:
        """Return the mean coefficient of a key in the replicates, (replicates,); None where it has none."""
        grid = self.find_grid(key)
        means = None if grid is None else grid.replicates(key.coefficient)
        return None if grid is None or means is None else means[grid.position(key)]

    def system_scores(self) -> Iterator[Record]:
        """Yield the scores of whole systems and references, as rows of scores.tsv."""
        for block in self.scores:
            if block.level == "system":
                yield from score_records(block)

    def extend(self, other: RunData) -> None:
        """Add what was found on another corpus, or in another panel."""
        self.tables.extend(other.tables)
        self.grids.extend(other.grids)
        self.scores = [*self.scores, *other.scores]
        self.judgments.extend(
            judgment_set for judgment_set in other.judgments if not any(map(judgment_set.equals, self.judgments))
        )
        self.corpora = _merged([*self.corpora, *other.corpora])
        self.settings.extend(other.settings)
        self.warnings.extend(other.warnings)
        self.failures.extend(other.failures)
        for stage, seconds in other.seconds.items():
            self.seconds[stage] = self.seconds.get(stage, 0.0) + seconds

    def of_panel(self, title: str) -> RunData:
        """Return the tables and grids of a panel alone, with the scores and judgments of all."""
        grids = [grid for grid in self.grids if grid.key.panel == title]
        return replace(self, tables=self.tables.of_panel(title), grids=grids)


# The columns of scores.tsv; the first are those of the key of what was scored.
SCORE_KEY = ("panel", "corpus", "preprocessing", "subset", "metric")
SCORE_COLUMNS = (*SCORE_KEY, "level", "unit", "segments", "kind", "system", "n_references", "score", "signature")


def score_records(block: ScoreBlock) -> Iterator[Record]:
    """Yield a row for each score."""
    key = block.key
    head = {name: getattr(key, name) for name in SCORE_KEY}
    for unit, size, of_names in zip(block.units, block.sizes.tolist(), block.values.tolist(), strict=True):
        for name, score in zip(block.names, of_names, strict=True):
            unit_values = {"level": block.level, "unit": unit, "segments": size, "kind": block.kind, "system": name}
            yield {
                **head,
                **unit_values,
                "n_references": block.n_references,
                "score": score,
                "signature": block.signature,
            }


def _merged(corpora: Iterable[CorpusFacts]) -> list[CorpusFacts]:
    """Return the facts of corpora, each once; of one that several panels use, those of all metrics."""
    known: dict[str, CorpusFacts] = {}
    for corpus in corpora:
        same = known.get(corpus.name)
        of_metrics: dict[str, Any] = {
            name: {**(getattr(same, name) if same else {}), **getattr(corpus, name)}
            for name in ("signatures", "inputs", "sources")
        }
        known[corpus.name] = replace(same or corpus, **of_metrics)
    return list(known.values())
