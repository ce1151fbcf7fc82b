"""What was found at each place of a comparison: its metrics from the best to the worst, and their tests."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from metaeval.kinds import CORRECTIONS
from metaeval.records import CONSTANT, FloatArray
from metaeval.report.summary import EQUAL
from metaeval.report.words import grouped
from metaeval.results.keys import Key
from metaeval.results.model import RunData
from metaeval.results.rows import BEST_OF_CHANCE, FRACTION, Ceiling, Correlation, Influence, Ranking, TestResult

RowT = TypeVar("RowT", Correlation, TestResult, Ceiling, Influence, Ranking)


@dataclass(frozen=True, eq=False)
class Place:
    """The results at one place: the metrics from the best to the worst, and what the first of the tests shows of them.

    Those that lack a system come last, and a constant metric, which some coefficients reward, is none of them.
    """

    ranked: Sequence[Correlation]
    constant: Correlation | None
    tests: Sequence[TestResult]
    ceiling: Sequence[Ceiling]
    influence: Sequence[Influence]
    rankings: Mapping[str, Ranking]
    run: RunData

    @property
    def key(self) -> Key:
        """The place, with its best metric."""
        return self.ranked[0].key

    @property
    def simulated(self) -> bool:
        """Whether the corpus is simulated."""
        return self.key.corpus in self.run.simulated

    @cached_property
    def human(self) -> FloatArray:
        """The human scores."""
        return np.asarray(self.run.grid(self.key).human, dtype=np.float64)

    @cached_property
    def ties(self) -> Mapping[str, float]:
        """The share of pairs of systems, within documents, to which each metric gives equal scores."""
        return {row.key.metric: _ties(self.run, row.key) for row in self.rows}

    @property
    def best(self) -> str:
        """The metric that agrees best."""
        return self.key.metric

    @property
    def rows(self) -> list[Correlation]:
        """The metrics, and the constant one if there is one."""
        return [*self.ranked, *([] if self.constant is None else [self.constant])]

    def test(self, metric: str, other: str) -> Against:
        """Return the test of a metric against another."""
        for row in self.tests:
            if {row.metric_a, row.metric_b} == {metric, other}:
                return Against.of(row, turned=row.metric_a == other)
        return Against(0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0) if metric == other else Against()

    def against_best(self, metric: str) -> Against:
        """Return the test of the best against another metric."""
        return self.test(self.best, metric)

    def mark(self, metric: str) -> str:
        """Return the star of a metric that is not significantly worse than the best, where a test tells."""
        ranking = self.rankings.get(metric)
        return EQUAL if ranking is not None and ranking.top_cluster and len(self.rankings) > 1 else ""

    @property
    def star_words(self) -> str:
        """What a star says of its metric."""
        # Hsu's comparison with the best has its error rate for one metric, not for all that lack a star.
        is_of_each = len(self.ranked) > 2 and bool(self.tests) and CORRECTIONS[self.tests[0].correction].bounds_any
        return f"not significantly worse than the best{', each metric by itself' if is_of_each else ''}"

    def cluster(self, metric: str) -> int | None:
        """Return the cluster of a metric; None where there is no test."""
        return self.rankings[metric].cluster if metric in self.rankings else None

    def significantly_better(self, metric: str, alpha: float) -> list[tuple[Correlation, Against]]:
        """Return which metrics are better than a metric, with p corrected below alpha, the most certain one first."""
        tested = [(row, self.test(row.key.metric, metric)) for row in self.ranked if row.key.metric != metric]
        found = [(row, test) for row, test in tested if test.p_corrected < alpha and test.difference > 0]
        return sorted(found, key=lambda pair: pair[1].p)

    def p_worse(self, metric: str) -> float:
        """Return the p that a metric is as good as the best."""
        return self.rankings[metric].p_worse if metric in self.rankings else math.nan

    @property
    def chance(self) -> float:
        """What the best of metrics that know nothing exceeds in 5 % of tables; ``nan`` if that is not known."""
        return next((row.upper for row in self.ceiling if row.kind == BEST_OF_CHANCE), math.nan)

    def fraction(self, metric: str) -> float:
        """Return the fraction of the noise ceiling that a metric reaches; ``nan`` where it is unknown."""
        fractions = (row.value for row in self.ceiling if (row.key.metric, row.kind) == (metric, FRACTION))
        return next(fractions, math.nan)


@dataclass(frozen=True)
class Against:
    """A metric less another one; nan where nothing was tested."""

    difference: float = math.nan
    lower: float = math.nan
    upper: float = math.nan
    adjusted_lower: float = math.nan
    adjusted_upper: float = math.nan
    p: float = math.nan
    p_corrected: float = math.nan
    needs_resamples: int | None = None
    untested_because: str = ""

    @classmethod
    def of(cls, row: TestResult, *, turned: bool) -> Against:
        """Return a test with the best first."""
        bounds = (row.difference, row.lower, row.upper, row.adjusted_lower, row.adjusted_upper)
        if turned:
            bounds = (-row.difference, -row.upper, -row.lower, -row.adjusted_upper, -row.adjusted_lower)
        return cls(*bounds, row.p, row.p_corrected, row.needs_resamples, row.untested_because)

    @property
    def cell(self) -> str:
        """The corrected p for a table."""
        if self.needs_resamples is not None:
            return "undecided"
        p = self.p_corrected
        return "" if math.isnan(p) else "< 0.001" if p < 0.001 else f"{p:.3f}"


def places_of(run: RunData) -> list[Place]:
    """Return what was found at each place: corpus, preprocessing, reference subset, criterion and length."""
    tables = run.tables
    places = _by_place([row for row in tables.correlations if not row.key.is_of_judges])
    tests, ceiling, rankings = _by_place(tables.tests), _by_place(tables.ceiling), _by_place(tables.rankings)
    influence = _by_place(tables.influence)
    found = []
    for key, rows in places.items():
        own = tests.get(key, [])
        kind = next(((one.test, one.over) for one in own), None)
        metrics = [row for row in rows if row.key.metric != CONSTANT]
        if not metrics:
            continue
        most = max(row.n_systems for row in metrics)
        ranked = sorted(metrics, key=lambda row: (row.n_systems == most, sortable(row.mean)), reverse=True)
        found.append(
            Place(
                ranked=ranked,
                constant=next((row for row in rows if row.key.metric == CONSTANT), None),
                tests=[one for one in own if (one.test, one.over) == kind],
                ceiling=[*ceiling.get(key.of(preprocessing=""), []), *ceiling.get(key, [])],
                influence=influence.get(key, []),
                rankings={row.key.metric: row for row in rankings.get(key, []) if (row.method, row.over) == kind},
                run=run,
            )
        )
    return found


def sortable(value: float) -> float:
    """Return a number, and one below all others where there is none."""
    return -math.inf if math.isnan(value) else value


def _by_place(rows: Sequence[RowT]) -> dict[Key, list[RowT]]:
    """Return rows by their keys without a metric."""
    return grouped(rows, lambda row: row.key.of(metric=""))


def _ties(run: RunData, key: Key) -> float:
    """Return the share of pairs of systems, within documents, to which a metric gives equal scores."""
    scores: FloatArray = np.asarray(run.grid(key).scores(key), dtype=np.float64)
    scores = scores.reshape(-1, scores.shape[-1])
    scores = scores[:, np.isfinite(scores).any(axis=0)]
    scores = scores[np.isfinite(scores).all(axis=1)]
    if not len(scores):
        return float("nan")
    n = scores.shape[-1]
    tied = sum(int((scores[:, system + 1 :] == scores[:, system, np.newaxis]).sum()) for system in range(n))
    return float(np.float64(tied) / (len(scores) * n * (n - 1) / 2))
