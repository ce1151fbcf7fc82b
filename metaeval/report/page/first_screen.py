"""The first screen of a page: the question, the answer, the metrics in a picture, the corpus, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from metaeval.errors import counted
from metaeval.report.answer import answers_of
from metaeval.report.claims import verdicts_of
from metaeval.report.folded_messages import folded, names_of
from metaeval.report.page.systems import scores_at
from metaeval.report.places import Place, places_of
from metaeval.report.rankings import STAR, RankedMetric
from metaeval.report.task_matrix import TaskMatrix
from metaeval.report.words import (
    across,
    corpus_words,
    interval_caption,
    named_in_sentence,
    preprocessing_words,
    quantity,
    subset_words,
)
from metaeval.results.keys import DocumentKind
from metaeval.results.model import RunData
from metaeval.results.tables import record_of

# Answers, criteria, metrics of each, and warnings that a first screen shows; all are further down.
_ANSWERS, _CRITERIA, _METRICS, _WARNINGS = 2, 2, 6, 2
# The width of a picture of one metric, and its edge.
_WIDTH, _EDGE = 220, 8
_DIGITS = 3


@dataclass(frozen=True)
class Dot:
    """A metric in a picture: its name, number and interval in words, and where they stand; None where nowhere."""

    metric: str
    words: str
    at: float | None
    ends: tuple[float, float] | None


@dataclass(frozen=True)
class Dots:
    """The best metrics at a place, from the best down, on one scale with the others of the page."""

    title: str
    quantity: str
    dots: Sequence[Dot]
    more: int
    scale: tuple[str, str]
    zero: float | None


@dataclass(frozen=True)
class First:
    """What the first screen shows.

    Attributes
    ----------
    question : str
    answers, more : list of str
        A sentence each, and those that are shown on request.
    pictures : list of Dots
    facts : list of (str, list of str)
        What stands beside: a name and sentences.
    """

    question: str
    answers: list[str]
    more: list[str]
    pictures: list[Dots]
    facts: list[tuple[str, list[str]]]


def first_screen(run: RunData, matrix: TaskMatrix | None) -> First:
    """Return what the first screen of a run shows.

    Parameters
    ----------
    run : RunData
    matrix : TaskMatrix or None
        Of its tasks, if it has any.
    """
    places = [] if matrix else places_of(run)
    answers = answers_of(run)
    n_first = len(verdicts_of(run.tables.claims)) + _ANSWERS
    shown = _shown(places)
    found = [("Corpus" if len(run.corpora) < 2 else "Corpora", list(_corpora(run)))]
    treatments = dict.fromkeys(row.key.preprocessing for row in run.tables.correlations if row.key.preprocessing)
    found.append(("Preprocessing", [f"{preprocessing_words(name)}." for name in treatments]))
    # What holds everywhere comes last.
    found.append(("Uncertainty", [*_sure(shown, matrix), *folded(run.warnings, names_of(run))[-_WARNINGS:]]))
    found.append(("Where the best metric fails most", [one for place in shown if (one := _fails(run, place))]))
    return First(
        _question(run, places, matrix),
        answers[:n_first],
        answers[n_first:],
        _of_tasks(matrix) if matrix else _pictures(shown),
        [(name, sentences) for name, sentences in found if sentences],
    )


def _question(run: RunData, places: Sequence[Place], matrix: TaskMatrix | None) -> str:
    corpora = [corpus.name for corpus in run.corpora]
    where = f" on {named_in_sentence(corpora)}" if 0 < len(corpora) < 4 else ""
    if matrix:
        tasks = counted(len(matrix.tasks), "task")
        return f"Which of {len(matrix.averages)} metrics agrees best with human judgments in {tasks}?"
    criteria = list(dict.fromkeys(place.key.criterion for place in places))
    metrics = {row.key.metric for place in places for row in place.ranked}
    if not places:
        return f"What do scores and judgments say{where}?"
    of = f" of {named_in_sentence(criteria)}" if len(criteria) < 4 else f" of {len(criteria)} criteria"
    which = (
        f"Which of {len(metrics)} metrics agrees best" if len(metrics) > 1 else f"How well does {metrics.pop()} agree"
    )
    return f"{which} with human judgments{of}{where}?"


def _shown(places: Sequence[Place]) -> list[Place]:
    """Return the places of the first part, one a criterion: the longest documents, or the most references."""
    found: dict[str, Place] = {}
    for place in places:
        alike = place.key.of(criterion="", metric="", subset="", documents=DocumentKind(place.key.documents.kind))
        first = places[0].key
        if alike != first.of(criterion="", metric="", subset="", documents=DocumentKind(first.documents.kind)):
            continue
        known = found.setdefault(place.key.criterion, place)
        if _size(place) > _size(known):
            found[place.key.criterion] = place
    return list(found.values())[:_CRITERIA]


def _size(place: Place) -> tuple[float, int]:
    return place.ranked[0].n_references, place.key.length or 0


def _pictures(places: Sequence[Place]) -> list[Dots]:
    chosen = [(place, [row for row in place.ranked if not math.isnan(row.mean)]) for place in places]
    rows = [row for _, own in chosen for row in own[:_METRICS]]
    scale = _Scale([value for row in rows for value in (row.mean, row.lower, row.upper)])
    found = []
    for place, own in chosen:
        key = place.key
        documents = f"documents of {key.length} segments, " if key.documents.units.is_drawn else ""
        title = f"{key.criterion} ({documents}{subset_words(key.subset)})"
        dots = [
            scale.dot(f"{row.key.metric}{place.mark(row.key.metric)}", row.mean, row.lower, row.upper)
            for row in own[:_METRICS]
        ]
        found.append(scale.dots(title, quantity(key.coefficient), dots, len(own)))
    return found


def _of_tasks(matrix: TaskMatrix) -> list[Dots]:
    ranking = matrix.average or matrix.tasks[0].ranking
    rows = [row for row in ranking.metrics if not math.isnan(row.value)]
    best, with_stars = rows[:_METRICS], matrix.shows_stars()
    scale = _Scale([value for row in best for value in (row.value, row.lower, row.upper)])

    def name(row: RankedMetric) -> str:
        place = f"{row.cluster} " if matrix.has_clusters and row.cluster else ""
        return f"{place}{row.metric}{STAR if with_stars and row.star else ''}"

    dots = [scale.dot(name(row), row.value, row.lower, row.upper) for row in best]
    title, what = (
        ("all tasks", "Weighted mean of the coefficients") if matrix.average else (ranking.task or "", "Value")
    )
    return [scale.dots(title, what, dots, len(rows))] if rows else []


class _Scale:
    """The common scale of pictures."""

    def __init__(self, values: Sequence[float]) -> None:
        known = [value for value in values if math.isfinite(value)]
        low, high = (min(known), max(known)) if known else (0.0, 1.0)
        room = 0 if high > low else 0.1
        self.low, self.high = low - room, high + room

    def _x(self, value: float) -> float:
        return round(_EDGE + (_WIDTH - 2 * _EDGE) * (value - self.low) / (self.high - self.low), 1)

    def dot(self, metric: str, value: float, lower: float, upper: float) -> Dot:
        """Return a metric on the scale."""
        has = math.isfinite(lower) and math.isfinite(upper)
        words = f"{value:.{_DIGITS}f}" + (f" [{lower:.{_DIGITS}f}, {upper:.{_DIGITS}f}]" if has else "")
        return Dot(metric, words, self._x(value), (self._x(lower), self._x(upper)) if has else None)

    def dots(self, title: str, name: str, dots: Sequence[Dot], n: int) -> Dots:
        """Return metrics with the ends of the scale, and how many of n are not shown."""
        ends = f"{self.low:.2f}", f"{self.high:.2f}"
        return Dots(title, name, dots, n - len(dots), ends, self._x(0.0) if self.low < 0 < self.high else None)


def _corpora(run: RunData) -> Iterator[str]:
    for corpus in run.corpora:
        judges = {name for one in run.judgments if one.corpus == corpus.name for name in one.names}
        criteria = dict.fromkeys(name for one in run.judgments if one.corpus == corpus.name for name in one.criteria)
        counts = [counted(corpus.systems, "system"), counted(corpus.segments, "segment")]
        counts.append(counted(len(corpus.references), "reference"))
        by = f" by {counted(len(judges), 'judge')}" if judges else ""
        of = f" of {named_in_sentence(list(criteria))}" if 0 < len(criteria) < 5 else ""
        counts.append(f"{counted(corpus.judgments, 'judgment')}{of}{by}")
        yield f"{corpus_words(corpus.name, simulated=corpus.simulated)}: {', '.join(counts)}."


def _sure(places: Sequence[Place], matrix: TaskMatrix | None) -> Iterator[str]:
    if matrix:
        if matrix.has_clusters:
            yield "Before a name: the WMT rank, by the published test."
        elif matrix.shows_stars():
            yield "* not significantly worse than the best, by the joint tests."
    for place in places[:1]:
        row = place.ranked[0]
        drawn = [record_of(one) for shown in places for one in shown.ranked[:_METRICS]]
        how, why_none = interval_caption(drawn)
        said = f"bars: {how}" if how else why_none
        yield "; ".join(filter(None, [f"{quantity(row.key.coefficient)} {across(row.key.average_by)}", said])) + "."
        if any(place.mark(one.key.metric) for one in place.ranked):
            yield f"* {place.ranking.star_words}."
        elif not place.tests and not place.run.tables.tests:
            yield "Differences between metrics were not tested in this run, so small ones can be chance."


def _fails(run: RunData, place: Place) -> str:
    """Return which system the best metric places most wrongly."""
    found = scores_at(run, place.key)
    if found is None or math.isnan(place.ranked[0].mean):
        return ""
    ranks, n = found.ranks()
    worst = max(ranks, key=lambda one: abs(one[1] - one[2]), default=None)
    if worst is None or worst[1] == worst[2]:
        same = f"{place.best} puts all {n} systems in the order of the judgments of {place.key.criterion}."
        return same if n > 1 else ""
    system, by_metric, by_people = worst
    return f"{system}: {place.best} ranks it {by_metric} of {n}, human judgments of {place.key.criterion} {by_people}."
