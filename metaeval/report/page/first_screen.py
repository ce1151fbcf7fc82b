"""The first screen of a page: the question, the answer, the ranking, the corpus, how sure that is, and warnings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from metaeval.errors import counted
from metaeval.report.answers import answers_of
from metaeval.report.claims import verdicts_of
from metaeval.report.comparisons_at import Place, places_of
from metaeval.report.display_names import messages_with_labels
from metaeval.report.folded_messages import folded, names_of, number_shown, order
from metaeval.report.page.columns import NONE, limits, p_value
from metaeval.report.page.curves import documents_words
from metaeval.report.page.systems import scores_at
from metaeval.report.phrases import (
    across,
    corpus_words,
    interval_caption,
    named_in_sentence,
    preprocessing_words,
    quantity,
    subset_words,
)
from metaeval.report.rankings import STAR, Ranking
from metaeval.report.tables import fixed
from metaeval.report.task_matrix import TaskMatrix
from metaeval.results.keys import DocumentKind, Key
from metaeval.results.model import RunData
from metaeval.results.tables import record_of

# Answers that are shown at once, fewer beside verdicts on the claims of a paper; others are folded away.
_MAX_ANSWERS = 7
_MAX_ANSWERS_BESIDE_VERDICTS = 2
# Criteria of which the system is named that the best metric places most wrongly.
_MAX_CRITERIA_WITH_SYSTEM = 2


@dataclass(frozen=True)
class RankedRow:
    """A metric in a list: its rank, its name with a star if it has one, its value with the interval, and p."""

    rank: str
    metric: str
    value: str
    p: str = ""


@dataclass(frozen=True)
class RankedList:
    """The metrics at a place, from the best to the worst."""

    title: str
    rows: Sequence[RankedRow]
    note: str


@dataclass(frozen=True)
class First:
    """Content of the first screen.

    Attributes
    ----------
    question : str
    answers, more : list of str
        A sentence each, and those that are shown on request.
    rankings : list of RankedList
        What is shown without a script: a list for each criterion.
    facts : list of (str, list of str)
        What stands beside: a name and sentences.
    warnings, more_warnings : list of str
        The most important ones, and those that are shown on request.
    """

    question: str
    answers: list[str]
    more: list[str]
    rankings: list[RankedList]
    facts: list[tuple[str, list[str]]]
    warnings: list[str]
    more_warnings: list[str]


def first_screen(run: RunData, matrix: TaskMatrix | None) -> First:
    """Return the content of the first screen of a run.

    Parameters
    ----------
    run : RunData
    matrix : TaskMatrix or None
        Of its tasks, if it has any.
    """
    places = [] if matrix else places_of(run)
    answers = answers_of(run)
    n_verdicts = len(verdicts_of(run.tables.claims))
    n_first = n_verdicts + _MAX_ANSWERS_BESIDE_VERDICTS if n_verdicts else _MAX_ANSWERS
    shown = _shown(places)
    facts = [("Corpus" if len(run.corpora) < 2 else "Corpora", list(_corpora(run)))]
    treatments = dict.fromkeys(row.key.preprocessing for row in run.tables.correlations if row.key.preprocessing)
    facts.append(("Preprocessing", [f"{preprocessing_words(name)}." for name in treatments]))
    facts.append(("How sure that is", list(_sure(shown, matrix))))
    failures = [failure for place in shown[:_MAX_CRITERIA_WITH_SYSTEM] if (failure := _fails(run, place))]
    facts.append(("Where the best metric fails most", failures))
    warnings = messages_with_labels(sorted(folded(run.warnings, names_of(run)), key=order), run.labels)
    n_warnings = number_shown(warnings)
    return First(
        _question(run, places, matrix),
        answers[:n_first],
        answers[n_first:],
        [_average_list(matrix)] if matrix else [_list_at_place(place) for place in shown],
        [(name, sentences) for name, sentences in facts if sentences],
        warnings[:n_warnings],
        warnings[n_warnings:],
    )


def _question(run: RunData, places: Sequence[Place], matrix: TaskMatrix | None) -> str:
    corpora = [corpus.name for corpus in run.corpora]
    where = f" on {named_in_sentence(corpora)}" if 0 < len(corpora) < 4 else ""
    if n_claims := len({row.claim for row in run.tables.claims}):
        question = (
            "Does the claim of the paper hold" if n_claims == 1 else f"Do the {n_claims} claims of the paper hold"
        )
        return f"{question}{where}?"
    if matrix:
        tasks = counted(len(matrix.tasks), "task")
        return f"Which of {len(matrix.averages)} metrics agrees best with human judgments in {tasks}?"
    criteria = list(dict.fromkeys(place.key.criterion for place in places))
    metrics = {row.key.metric for place in places for row in place.ranked}
    if not places:
        return f"What do scores and judgments say{where}?"
    criteria_words = f" of {named_in_sentence(criteria)}" if len(criteria) < 4 else f" of {len(criteria)} criteria"
    question_start = (
        f"Which of {len(metrics)} metrics agrees best" if len(metrics) > 1 else f"How well does {metrics.pop()} agree"
    )
    return f"{question_start} with human judgments{criteria_words}{where}?"


def _shown(places: Sequence[Place]) -> list[Place]:
    """Return the places of the first part, one a criterion: the longest documents, or the most references."""
    place_of: dict[str, Place] = {}
    for place in places:
        if _part(place.key) != _part(places[0].key):
            continue
        current = place_of.setdefault(place.key.criterion, place)
        if _size(place) > _size(current):
            place_of[place.key.criterion] = place
    return list(place_of.values())


def _part(key: Key) -> Key:
    """Return the key of the part of the run that a place belongs to, with all criteria, references and lengths."""
    return key.with_names(criterion="", metric="", subset="", documents=DocumentKind(key.documents.kind))


def _size(place: Place) -> tuple[float, int]:
    return place.ranked[0].n_references, place.key.length or 0


def _list_at_place(place: Place) -> RankedList:
    key = place.key
    ranking = place.ranking
    title = f"{quantity(key.coefficient)}: {key.criterion}, {documents_words(key)}, {subset_words(key.subset)}"
    return _list(title, ranking, f"{STAR} {ranking.star_words}." if ranking.star_words else "")


def _average_list(matrix: TaskMatrix) -> RankedList:
    ranking = matrix.average or matrix.tasks[0].ranking
    title = "Weighted mean of the coefficients in all tasks" if matrix.average else ranking.task or ""
    if matrix.has_clusters:
        return _list(
            title, _with_wmt_ranks(ranking), "The rank is the WMT rank, by the published test.", with_stars=False
        )
    note = f"{STAR} {ranking.star_words}, by the joint tests." if ranking.star_words else ""
    return _list(title, ranking, note)


def _with_wmt_ranks(ranking: Ranking) -> Ranking:
    """Return a ranking whose ranks are its clusters."""
    return replace(
        ranking, metrics=tuple(replace(metric, rank=metric.cluster, p=math.nan) for metric in ranking.metrics)
    )


def _list(title: str, ranking: Ranking, note: str, *, with_stars: bool = True) -> RankedList:
    rows = [
        RankedRow(
            "" if row.rank is None else str(row.rank),
            f"{row.metric}{STAR if row.star and with_stars else ''}",
            " ".join(filter(None, [NONE if math.isnan(row.value) else fixed(row.value), limits(row.lower, row.upper)])),
            "" if math.isnan(row.p) else p_value(row.p),
        )
        for row in ranking.metrics
    ]
    return RankedList(title, rows, note)


def _corpora(run: RunData) -> Iterator[str]:
    for corpus in run.corpora:
        of_corpus = [judgments for judgments in run.judgments if judgments.corpus == corpus.name]
        judges = {name for judgments in of_corpus for name in judgments.names}
        criteria = dict.fromkeys(name for judgments in of_corpus for name in judgments.criteria)
        counts = [counted(corpus.systems, "system"), counted(corpus.segments, "segment")]
        counts.append(counted(len(corpus.references), "reference"))
        by = f" by {counted(len(judges), 'judge')}" if judges else ""
        of = f" of {named_in_sentence(list(criteria))}" if 0 < len(criteria) < 5 else ""
        counts.append(f"{counted(corpus.judgments, 'judgment')}{of}{by}")
        yield f"{corpus_words(corpus.name, simulated=corpus.simulated)}: {', '.join(counts)}."


def _sure(places: Sequence[Place], matrix: TaskMatrix | None) -> Iterator[str]:
    if matrix and matrix.has_clusters:
        yield "Ranks are WMT ranks, by the published test."
    for place in places[:1]:
        row = place.ranked[0]
        drawn = [record_of(ranked) for shown in places for ranked in shown.ranked]
        how, why_none = interval_caption(drawn)
        said = f"bars: {how}" if how else why_none
        yield "; ".join(filter(None, [f"{quantity(row.key.coefficient)} {across(row.key.average_by)}", said])) + "."
        without = sum(
            math.isnan(ranked.lower) and not math.isnan(ranked.mean) for shown in places for ranked in shown.ranked
        )
        if how and without:
            yield f"{without} of {len(drawn)} coefficients have no interval, and no bar."
        if not place.ranking.starred and not place.tests and not place.run.tables.tests:
            yield "Differences between metrics were not tested in this run, so small ones can be chance."


def _fails(run: RunData, place: Place) -> str:
    """Name the system that the best metric places most wrongly; "" where it places none wrongly."""
    scores = scores_at(run, place.key)
    if scores is None or math.isnan(place.ranked[0].mean):
        return ""
    ranks, n = scores.ranks()
    worst = max(ranks, key=lambda system_ranks: abs(system_ranks[1] - system_ranks[2]), default=None)
    if worst is None or worst[1] == worst[2]:
        return ""
    system, by_metric, by_people = worst
    return f"{system}: {place.best} ranks it {by_metric} of {n}, human judgments of {place.key.criterion} {by_people}."
