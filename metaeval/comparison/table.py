"""The tables of a comparison of metrics, each with a sentence on what the tests show of the best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from metaeval.comparison.notes import note_on_influence, notes_on_table
from metaeval.experiment.fractions import FRACTION
from metaeval.kinds import COEFFICIENTS
from metaeval.records import CONSTANT, NO_REFERENCES, FloatArray
from metaeval.report.summary import SummaryTable
from metaeval.report.tables import Estimated, formatted, on_one_line
from metaeval.report.tabular import Tabular
from metaeval.report.words import SIMULATED, corpus_words
from metaeval.results.keys import Key
from metaeval.results.model import RunData
from metaeval.results.rows import Ceiling, Correlation, Influence, Ranking, TestResult

ALPHA = 0.05
RowT = TypeVar("RowT", Correlation, TestResult, Ceiling, Influence, Ranking)


@dataclass(frozen=True, eq=False, repr=False)
class ComparisonTable(Tabular):
    """The metrics of one corpus, preprocessing, reference subset and criterion, from the best to the worst.

    Attributes
    ----------
    heading : str
        What was compared.
    criterion : str
        What was judged.
    rows : tuple of rows
        metric; coefficient with its interval; difference to best, with paired interval and p, corrected for all pairs;
        cluster; fraction of the noise ceiling; ties: the share of pairs of systems with equal scores. They are text for
        reading; :meth:`Compared.to_frame` has the numbers.
    sentence : str
        What the tests show of the best.
    note : str
        How to read the table, and what in its data misleads: a line each.
    """

    heading: str
    criterion: str
    rows: tuple[Mapping[str, Any], ...]
    sentence: str
    note: str = ""

    def text(self, kind: str = "table") -> str:
        """Return the table as text.

        Parameters
        ----------
        kind : {"table", "tsv", "json", "md", "latex"}, default "table"
            ``table``, ``md`` and ``latex`` have heading and sentence around the table.

        Returns
        -------
        str
            The table.
        """
        body = formatted(self.rows, kind)
        if kind == "latex":
            heading, note, sentence = (f"% {on_one_line(text)}" for text in (self.heading, self.note, self.sentence))
            return f"{heading}\n{body}\n{note}\n{sentence}"
        return body if kind in ("tsv", "json") else f"{self.heading}\n{body}\n{self.note}\n{self.sentence}"

    def to_frame(self) -> pd.DataFrame:
        """Return the rows as a new data frame, formatted for reading.

        Returns
        -------
        DataFrame
            The columns of `rows`: text, but for ``cluster`` and ``documents`` (Int64) and ``ties`` (float). The numbers
            are in :meth:`Compared.to_frame`.
        """
        return pd.DataFrame(list(self.rows)).astype({"cluster": "Int64", "documents": "Int64"})

    def _tables_for_people(self) -> list[SummaryTable]:
        return [SummaryTable(self.heading, self.rows, on_one_line(f"{self.note} {self.sentence}"))]

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"ComparisonTable({self.heading!r})"


def _references(subset: str) -> str:
    """Return what the reference subset is called in a heading; many names are a number."""
    if subset == NO_REFERENCES:
        return "no references"
    number = subset.count("+") + 1
    return f"references {subset}" if number <= 4 else f"{number} references"


def _heading_of(key: Key, *, simulated: bool) -> str:
    """Return the heading of the table of a place."""
    corpus = corpus_words(key.corpus, simulated=simulated)
    return f"{corpus}, {key.criterion}: {_what(key)}, {key.preprocessing}, {_references(key.subset)}"


def _what(key: Key) -> str:
    """Return which coefficient was taken, across what, and over what it is a mean."""
    units, coefficient = key.documents.units, COEFFICIENTS.named(key.coefficient)
    title = coefficient.title
    name = key.coefficient if title in (coefficient.name, key.coefficient) else f"{title}, {key.coefficient},"
    if units.is_whole:
        return f"{name} across systems, {units.title}"
    documents = f"{units.title} of {key.length} segments" if units.is_drawn else units.title
    if coefficient.takes_grid:
        return f"{name} over pairs of systems, on {documents}"
    return {
        "item": f"{name} across systems, mean over {documents}",
        "system": f"{name} across {documents}, mean over systems",
        "none": f"{name} across {documents} of all systems together",
    }[key.average_by]


@dataclass(frozen=True)
class _Place:
    """The results at one place: the metrics from the best to the worst, and what the tests show of them.

    Those that lack a system come last, and a constant metric, which some coefficients reward, is none of them.
    """

    ranked: Sequence[Correlation]
    constant: Correlation | None
    tests: Sequence[TestResult]
    ceiling: Sequence[Ceiling]
    influence: Sequence[Influence]
    clusters: Mapping[str, int | None]
    ties: Mapping[str, float]
    human: FloatArray
    simulated: bool

    @property
    def ties_of_metrics(self) -> dict[str, float]:
        """The share of pairs of systems that each metric ties."""
        return {row.key.metric: self.ties[row.key.metric] for row in self.ranked}

    @property
    def best(self) -> str:
        """The metric that agrees best."""
        return self.ranked[0].key.metric

    @property
    def rows(self) -> list[Correlation]:
        """The metrics, and the constant one if there is one."""
        return [*self.ranked, *([] if self.constant is None else [self.constant])]

    def test(self, metric: str, other: str) -> _Against:
        """Return the test of a metric against another."""
        for row in self.tests:
            if {row.metric_a, row.metric_b} == {metric, other}:
                return _Against.of(row, turned=row.metric_a == other)
        p = 1.0 if metric == other else math.nan
        nothing = 0.0 if metric == other else math.nan
        return _Against(nothing, nothing, nothing, p, p, False)

    def against_best(self, metric: str) -> _Against:
        """Return the test of the best against another metric."""
        return self.test(self.best, metric)

    def fraction(self, metric: str) -> tuple[float, float, float]:
        """Return the fraction of the noise ceiling a metric reaches, with its interval; ``nan`` where it is unknown."""
        for row in self.ceiling:
            if (row.key.metric, row.kind) == (metric, FRACTION):
                return row.value, row.lower, row.upper
        return (math.nan,) * 3


@dataclass(frozen=True)
class _Against:
    """The best metric less another one."""

    difference: float
    lower: float
    upper: float
    p: float
    p_corrected: float
    is_smallest: bool
    untested_because: str = ""

    @classmethod
    def of(cls, row: TestResult, *, turned: bool) -> _Against:
        """Return a test with the best first."""
        bounds = (-row.difference, -row.upper, -row.lower) if turned else (row.difference, row.lower, row.upper)
        return cls(*bounds, row.p, row.p_corrected, row.is_smallest_p, row.untested_because)

    @property
    def words(self) -> str:
        """A corrected p with its sign: ``<=`` where the replicates can give no smaller one."""
        p = self.p_corrected
        return "< 0.001" if p < 0.001 else f"{'<=' if self.is_smallest and p < 1 else '='} {p:.3f}"

    @property
    def cell(self) -> str:
        """The same for a table; a number by itself has no sign."""
        p = self.p_corrected
        if math.isnan(p):
            return ""
        return f"{p:.3f}" if p >= 0.001 and not (self.is_smallest and p < 1) else self.words


def _places(run: RunData) -> list[_Place]:
    """Return what was found at each place: corpus, preprocessing, reference subset, criterion and length."""
    tables = run.tables
    places = _by_place([row for row in tables.correlations if not row.key.is_of_judges])
    tests, ceiling, rankings = _by_place(tables.tests), _by_place(tables.ceiling), _by_place(tables.rankings)
    influence = _by_place(tables.influence)
    found = []
    for key, rows in places.items():
        metrics = [row for row in rows if row.key.metric != CONSTANT]
        most = max(row.n_systems for row in metrics)
        ranked = sorted(metrics, key=lambda row: (row.n_systems == most, _least(row.mean)), reverse=True)
        found.append(
            _Place(
                ranked=ranked,
                constant=next((row for row in rows if row.key.metric == CONSTANT), None),
                tests=tests.get(key, []),
                ceiling=[*ceiling.get(key.of(preprocessing=""), []), *ceiling.get(key, [])],
                influence=influence.get(key, []),
                clusters={row.key.metric: row.cluster for row in rankings.get(key, []) if row.method != "intervals"},
                ties={row.key.metric: _ties(run, row.key) for row in rows},
                human=np.asarray(run.arrays[run.series_at(ranked[0].key).human], dtype=np.float64),
                simulated=key.corpus in run.simulated,
            )
        )
    return found


def _least(value: float) -> float:
    """Return a number that comes below all others where there is none."""
    return -math.inf if math.isnan(value) else value


def _by_place(rows: Sequence[RowT]) -> dict[Key, list[RowT]]:
    """Return rows by their keys without a metric."""
    found: dict[Key, list[RowT]] = {}
    for row in rows:
        found.setdefault(row.key.of(metric=""), []).append(row)
    return found


def comparison_tables(run: RunData) -> list[ComparisonTable]:
    """Return the tables of a comparison, for reading.

    Parameters
    ----------
    run : RunData
        Of an experiment with one coefficient, a bootstrap, and one test.

    Returns
    -------
    list of ComparisonTable
        One for each corpus, preprocessing, reference subset, criterion and length.
    """
    tables = []
    for place in _places(run):
        rows = [_row(place, row) for row in place.rows]
        criterion = place.ranked[0].key.criterion
        sentence = _sentence(place)
        if place.simulated:
            sentence += f" {SIMULATED.capitalize()}."
        is_beside = place.constant is not None
        notes = notes_on_table(place.ranked, place.tests, place.human, place.ties_of_metrics, constant=is_beside)
        notes += note_on_influence(place.ranked, place.influence)
        heading = _heading_of(place.ranked[0].key, simulated=place.simulated)
        tables.append(
            ComparisonTable(heading, criterion, tuple(rows), sentence, "\n".join([*notes, *_no_fraction(place)]))
        )
    return tables


def exact_rows(run: RunData) -> list[dict[str, Any]]:
    """Return the rows of all tables of a comparison, for programs: bounds of intervals have columns of their own."""
    found = []
    for place in _places(run):
        for row in place.rows:
            key, test, fraction = row.key, place.against_best(row.key.metric), place.fraction(row.key.metric)
            found.append(
                {
                    "corpus": key.corpus,
                    "preprocessing": key.preprocessing,
                    "subset": key.subset,
                    "criterion": key.criterion,
                    "simulated": place.simulated,
                    "documents": key.documents.kind,
                    "length": key.length,
                    "average_by": key.average_by,
                    "metric": key.metric,
                    "coefficient": key.coefficient,
                    "value": row.mean,
                    "lower": row.lower,
                    "upper": row.upper,
                    "best_minus_this": test.difference,
                    "difference_lower": test.lower,
                    "difference_upper": test.upper,
                    "p": test.p,
                    "p_corrected": test.p_corrected,
                    "cluster": place.clusters.get(key.metric),
                    "fraction_of_ceiling": fraction[0],
                    "fraction_lower": fraction[1],
                    "fraction_upper": fraction[2],
                    "ties": place.ties[key.metric],
                    "n_undefined": row.n_undefined,
                    "signature": row.signature,
                }
            )
    return found


def _no_fraction(place: _Place) -> list[str]:
    """Return why a table has no fraction of a ceiling, where it has none."""
    if not place.ceiling or any(not math.isnan(place.fraction(row.key.metric)[0]) for row in place.ranked):
        return []
    if any(row.items_used == 0 for row in place.ceiling):
        why = "no item has two judgments"
    elif not any(row.kind == FRACTION for row in place.ceiling):
        why = "it is not known for this coefficient"
    else:
        reasons = dict.fromkeys(str(row.undefined) for row in place.ranked if math.isnan(row.mean))
        without = all(math.isnan(row.value) for row in place.ceiling if row.kind == "split-half")
        why = "no document has two judgments of enough systems" if without else "the judges do not agree beyond chance"
        if reasons:
            why = f"no coefficient is defined ({'; '.join(reasons)})"
    return [f"No fraction of the noise ceiling: {why}."]


def _row(place: _Place, row: Correlation) -> dict[str, Any]:
    metric = row.key.metric
    test, is_best = place.against_best(metric), metric == place.best
    return {
        "metric": metric,
        COEFFICIENTS.named(row.key.coefficient).title: _bracketed(row.mean, row.lower, row.upper),
        "difference to best": "" if is_best else _bracketed(test.difference, test.lower, test.upper),
        "p (Holm)": "" if is_best else test.cell,
        "cluster": place.clusters.get(metric),
        **({"systems": row.n_systems} if len({one.n_systems for one in place.ranked}) > 1 else {}),
        "fraction of ceiling": _bracketed(*place.fraction(metric)),
        "ties": place.ties[metric],
        "documents": row.n_used,
    }


def _bracketed(value: float, lower: float, upper: float) -> str:
    return "" if math.isnan(value) else str(Estimated(value, lower, upper))


def _ties(run: RunData, key: Key) -> float:
    """Return the share of pairs of systems, within documents, to which a metric gives equal scores."""
    scores: FloatArray = np.asarray(run.arrays[run.series_at(key).scores], dtype=np.float64)
    scores = scores.reshape(-1, scores.shape[-1])
    scores = scores[:, np.isfinite(scores).any(axis=0)]
    scores = np.sort(scores[np.isfinite(scores).all(axis=1)], axis=-1)
    if not len(scores):
        return float("nan")
    n = scores.shape[-1]
    # In sorted order, equal scores stand together: the k-th of a run makes k pairs with those before it.
    places = np.arange(n)
    starts = np.concatenate([np.ones((len(scores), 1), bool), scores[:, 1:] != scores[:, :-1]], axis=1)
    runs = places - np.maximum.accumulate(np.where(starts, places, 0), axis=1)
    return float(runs.sum() / (len(scores) * n * (n - 1) / 2))


def _sentence(place: _Place) -> str:
    """Say in plain words what the tests show of the best metric."""
    best, *others = place.ranked
    criterion, constant = best.key.criterion, place.constant
    if math.isnan(best.mean):
        return f"No metric has a coefficient with {criterion}."
    if constant is not None and best.n_systems == constant.n_systems and not best.mean > constant.mean:
        level, highest = _two(constant.mean, best.mean)
        # Those that lack a system cannot be compared with it.
        scored = "" if others == [] or others[-1].n_systems == best.n_systems else " that scored all systems"
        return (
            f"No metric{scored} agrees better with {criterion} than a constant one ({level}); the highest is "
            f"{place.best} ({highest})."
        )
    parts = []
    better: list[str] = []
    unclear: list[str] = []
    without: dict[str, list[str]] = {}
    for row in others:
        test = place.against_best(row.key.metric)
        against = f"{row.key.metric} ({' against '.join(_two(best.mean, row.mean))}, p {test.words})"
        if math.isnan(test.p_corrected):
            why = "" if math.isnan(row.mean) else test.untested_because or "the test gives no p"
            without.setdefault(why, []).append(row.key.metric)
        elif test.p_corrected < ALPHA:
            better.append(against)
        else:
            unclear.append(against)
    if not others:
        parts.append(f"{place.best} is the only metric")
    if better:
        parts.append(f"{place.best} agrees better with {criterion} than {_listed(better)}")
    if unclear:
        whom = f"{place.best} and {'any of ' if len(unclear) > 1 else ''}{_listed(unclear)}"
        # A name keeps its spelling at the beginning of a sentence; this is none.
        no = "no" if better else "No"
        parts.append(f"{no} significant difference in agreement with {criterion} between {whom}")
    for why, metrics in without.items():
        if why:
            no = "no" if parts else "No"
            whom = f"{place.best} and {'any of ' if len(metrics) > 1 else ''}{_listed(metrics)}"
            nothing = all(math.isnan(one.p_corrected) for one in place.tests)
            parts.append(f"{no} test between {'metrics' if nothing else whom}: {why}")
        else:
            parts.append(f"{_listed(metrics)} cannot be ranked: no coefficients")
    return "; ".join(parts) + "." + _beside_constant(place)


def _beside_constant(place: _Place) -> str:
    """Say which metrics are no better than a constant one, or not shown to be."""
    if place.constant is None:
        return ""
    level = place.constant.mean
    beside = [row for row in place.ranked if row.n_systems == place.constant.n_systems]
    below = [f"{row.key.metric} ({row.mean:.4f})" for row in beside if row.mean <= level]
    unclear = [
        f"{row.key.metric} ({row.mean:.4f})"
        for row in beside
        if row.mean > level and place.test(row.key.metric, CONSTANT).p_corrected >= ALPHA
    ]
    told = f" Not better than a constant metric ({level:.4f}): {_listed(below)}." if below else ""
    if COEFFICIENTS.named(place.constant.key.coefficient).is_fitted and beside and not below:
        told = f" A constant metric has {level:.4f}."
    if unclear:
        told += f" Not significantly better than a constant metric ({level:.4f}): {_listed(unclear)}."
    return told


def _two(best: float, other: float) -> tuple[str, str]:
    """Return two coefficients with two digits, or up to four where fewer would print the same."""
    different = (digits for digits in (2, 3, 4) if f"{best:.{digits}f}" != f"{other:.{digits}f}")
    digits = 3 if best == other else next(different, 4)
    return f"{best:.{digits}f}", f"{other:.{digits}f}"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
