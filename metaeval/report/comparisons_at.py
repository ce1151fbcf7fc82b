"""Results of a run for one combination of settings: ranking, tests between metrics, and noise ceiling."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from metaeval.config.defaults import ALPHA
from metaeval.datamodel.corpus import CONSTANT, FloatArray
from metaeval.report.rankings import STAR, RankedMetric, Ranking, by_place, in_order, rankings_of
from metaeval.results.keys import Key
from metaeval.results.model import RunData
from metaeval.results.rows import BEST_OF_CHANCE, FRACTION, Ceiling, Correlation, Influence, TestResult

# Below one tied pair in a hundred of each metric, a column of ties would be nearly empty.
_MIN_TIES_SHOWN = 0.01


@dataclass(frozen=True, eq=False)
class Place:
    """The results at one place.

    Attributes
    ----------
    ranking : Ranking
    ranked : sequence of Correlation
        The rows of its metrics, in its order; a constant metric, which some coefficients reward, is none of them.
    constant : Correlation or None
    tests : sequence of TestResult
        Of the test that decides who has a star.
    ceiling, influence : sequence of Ceiling, sequence of Influence
    run : RunData
    """

    ranking: Ranking
    ranked: Sequence[Correlation]
    constant: Correlation | None
    tests: Sequence[TestResult]
    ceiling: Sequence[Ceiling]
    influence: Sequence[Influence]
    run: RunData

    @property
    def key(self) -> Key:
        """The place, with its best metric."""
        return self.ranked[0].key

    @property
    def simulated(self) -> bool:
        """True if the corpus is simulated."""
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
    def shown_ties(self) -> Mapping[Key, float]:
        """The share of ties of each metric, by key; nothing where none ties as many pairs as a column is worth."""
        if not any(self.ties[row.key.metric] >= _MIN_TIES_SHOWN for row in self.ranked):
            return {}
        return {row.key: self.ties[row.key.metric] for row in self.rows}

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
                return Against.from_test(row, turned=row.metric_a == other)
        return Against(0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0) if metric == other else Against()

    def test_against_best(self, metric: str) -> Against:
        """Return the test of the best against another metric."""
        return self.test(self.best, metric)

    def metric(self, name: str) -> RankedMetric:
        """Return a metric of the ranking, or the constant one."""
        ranked = self.ranking.find(name)
        assert ranked is not None, name
        return ranked

    def mark(self, metric: str) -> str:
        """Return the star of a metric, if it has one."""
        return STAR if self.metric(metric).star else ""

    def significantly_better(
        self, metric: str, alpha: float, *, corrected: bool = True
    ) -> list[tuple[Correlation, Against]]:
        """Return the metrics that are better than a metric, with p corrected below alpha, the most certain first."""
        tested = [(row, self.test(row.key.metric, metric)) for row in self.ranked if row.key.metric != metric]
        better = [
            (row, test)
            for row, test in tested
            if (test.p_corrected if corrected else test.p) < alpha and test.difference > 0
        ]
        return sorted(better, key=lambda pair: pair[1].p)

    @property
    def alpha(self) -> float:
        """The level of its test."""
        rows = self.run.tables.minimum_significant_differences
        of_test = (self.key.panel, self.ranking.method, self.ranking.over)
        return next((row.alpha for row in rows if (row.key.panel, row.test, row.over) == of_test), ALPHA)

    @property
    def left_out(self) -> Mapping[str, str]:
        """The metrics that have no results here although they were asked for, and why in a few words."""
        settings = self.run.settings
        return next(
            (one.left_out for one in settings if (one.panel, one.corpus) == (self.key.panel, self.key.corpus)), {}
        )

    @property
    def chance(self) -> float:
        """95th percentile of the best of as many uninformative metrics; ``nan`` if it is unknown."""
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
    def from_test(cls, row: TestResult, *, turned: bool) -> Against:
        """Return a test with the best first."""
        bounds = (row.difference, row.lower, row.upper, row.adjusted_lower, row.adjusted_upper)
        if turned:
            bounds = (-row.difference, -row.upper, -row.lower, -row.adjusted_upper, -row.adjusted_lower)
        return cls(*bounds, row.p, row.p_corrected, row.needs_resamples, row.untested_because)


def places_of(run: RunData) -> list[Place]:
    """Return rankings, tests and ceilings by place: corpus, preprocessing, reference subset, criterion, length."""
    tables = run.tables
    rows = by_place([row for row in tables.correlations if not row.key.is_of_judges])
    tests = by_place(tables.tests)
    ceiling = by_place(tables.ceiling)
    influence = by_place(tables.influence)
    places = []
    for ranking in rankings_of(run):
        key = ranking.key
        place_tests = tests.get(ranking.key, [])
        # Tests that gave no metric a rank are those that tell why.
        kind = (
            (ranking.method, ranking.over)
            if ranking.is_tested
            else next(((test.test, test.over) for test in place_tests), None)
        )
        places.append(
            Place(
                ranking=ranking,
                ranked=in_order([row for row in rows[key] if row.key.metric != CONSTANT]),
                constant=next((row for row in rows[key] if row.key.metric == CONSTANT), None),
                tests=[test for test in place_tests if (test.test, test.over) == kind],
                ceiling=[*ceiling.get(key.with_names(preprocessing=""), []), *ceiling.get(key, [])],
                influence=influence.get(key, []),
                run=run,
            )
        )
    return places


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
