"""Replicates: the experiment made again from segments, documents or systems that are drawn again.

The definition: a replicate draws as many units as there are, with replacement, makes the whole experiment from them
again (documents, judgments, human and metric scores, coefficients), and keeps the mean coefficient of each metric. So
the spread of the replicates is that of the published number on new text. Three functions follow it, one for each kind
of documents:

``_system_level``
    The whole corpus is one document, a row of segment weights; a replicate is another row. So a thousand replicates are
    a thousand documents, which are pooled and scored at once, and nothing is scored twice.
``_item_by_item``
    Segments and real documents are drawn as they are, and their scores stay the same: replicates are weights on
    coefficients where each document has one, and are correlated again elsewhere
    (`metaeval.correlation.replicated_means`).
``_pseudo_documents``
    To the letter: pseudo-documents are drawn again from the segments of a replicate, as many as in the experiment, and
    are scored and correlated again. What several settings need of the same documents is made once. Where the corpus
    names documents, a replicate has the segments of half of them, none twice, and is stretched (`_stretched`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from metaeval.contracts import Coefficient, DocumentUnits, Interval, Test
from metaeval.correlation.averages import Oriented, Relation, in_lines, in_rows, line_coefficients, systems_scored
from metaeval.correlation.denoised import Denoised
from metaeval.correlation.replicated_means import (
    PairedMeans,
    blocks,
    coefficients_of_draw,
    filled,
    paired_means,
    parts_of_calls,
    replicated_means,
    without_copies,
)
from metaeval.correlation.vectors import parts
from metaeval.experiment.judge import JudgedDocuments, human_scores
from metaeval.experiment.scorers import Scorer, score_documents
from metaeval.experiment.setting import Setting
from metaeval.progress import Tally
from metaeval.randomness import generator
from metaeval.records import Documents, FloatArray, IntArray
from metaeval.resampling import Resamples
from metaeval.runtime.parallel import SERIAL, Call, Executor, Kind
from metaeval.sampling.documents import draw_documents
from metaeval.sampling.resamples import OfGroups, draw_halves, draw_resamples

# The most replicates of pseudo-documents that are made together (fewer where their scores would take a quarter of the
# memory of a process), and in how many batches few of them are made, so that several processes have work; other sizes
# give the same numbers.
_BATCH, _FEWEST_BATCHES = 25, 5
# Scores of pseudo-documents that are correlated at once, and of whole corpora that are made at once; other sizes give
# the same numbers.
_CORRELATED_AT_ONCE, _SCORED_AT_ONCE = 1 << 17, 1 << 24

T = TypeVar("T")


@dataclass(frozen=True)
class Replicates:
    """The mean coefficients of a setting in bootstrap replicates.

    Attributes
    ----------
    resamples : Resamples
        What each replicate draws.
    means : mapping of str to PairedMeans
        Of the scorers, by the coefficient; ``nan`` where undefined. Nothing, but of whole systems, where
        denoised ones alone are needed.
    denoised : DenoisedReplicates or None
        The coefficients in the same replicates with a denoised centre, where an interval or a test asks for them.
    jackknife : sequence of mappings of str to PairedMeans
        Without each segment or document, and without each system, as far as these are resampled; none unless asked for.
    scores : mapping of int to (replicates, systems) float array
        Of whole corpora, the scores of a scorer where segments are resampled and it has one.
    human : (replicates, systems) float array or None
        The human scores that go with them.
    """

    resamples: Resamples
    means: Mapping[str, PairedMeans]
    denoised: DenoisedReplicates | None = None
    jackknife: Sequence[Mapping[str, PairedMeans]] = ()
    scores: Mapping[int, FloatArray] = field(default_factory=dict)
    human: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.resamples)

    def of(self, numbers: Sequence[int], text: str, *, denoised: bool) -> list[FloatArray]:
        """Return the means of a coefficient for a scorer, or of two where both have a value: (replicates,) each."""
        if denoised:
            assert self.denoised is not None
            return self.denoised.of(numbers, text)
        return [
            np.ascontiguousarray(self.means[text].beside(*pair))
            for pair in zip(numbers, reversed(numbers), strict=True)
        ]


@dataclass(frozen=True)
class DenoisedReplicates:
    """Denoised replicates of a setting, for each group of scorers that have scores of the same systems."""

    groups: Sequence[_DenoisedGroup]
    n_replicates: int

    def of(self, numbers: Sequence[int], text: str) -> list[FloatArray]:
        """Return the replicates of some scorers, centred together: (replicates,) each.

        They are undefined where a scorer has no scores of parts, or they have scores of different systems.
        """
        for group in self.groups:
            if all(number in group.places for number in numbers):
                places = [group.places[number] for number in numbers]
                return group.denoised.of(places, [group.relations[text][number] for number in numbers])
        return [np.full(self.n_replicates, np.nan) for _ in numbers]


@dataclass(frozen=True)
class _DenoisedGroup:
    """Scorers with scores of the same systems: the places of their numbers, and their coefficients by name."""

    places: Mapping[int, int]
    denoised: Denoised
    relations: Mapping[str, Mapping[int, Relation]]


def make_replicates(settings: Sequence[Setting], executor: Executor = SERIAL, tally: Tally | None = None) -> None:
    """Make the replicates of settings that need some, which then have them as `replicates`.

    Parameters
    ----------
    settings : sequence of Setting
        Those of one corpus; together they share what they have in common.
    executor : Executor
        Makes calls side by side.
    tally : Tally, optional
        Counts the replicates of each setting.

    Raises
    ------
    MetricError
        If a metric fails in a replicate.
    """
    tally = tally or Tally()
    drawn: dict[Hashable, Resamples] = {}
    places = [
        (one, _resamples(one, drawn, executor.memory // 2)) for one in settings if one.experiment.needs_replicates
    ]
    means = _pseudo_documents([one for one in places if _units(one).is_drawn], executor, tally)
    items = [one for one in places if not (_units(one).is_drawn or _units(one).is_whole)]
    means |= _item_by_item([one for one in items if _needs_means(one[0])], executor)
    for setting, resamples in places:
        if setting.experiment.documents.units.is_whole:
            found = _system_level(setting, resamples)
        else:
            found = Replicates(resamples, means.get(id(setting), {}))
        if any(one.is_denoised for one in _asking(setting)):
            found = replace(found, denoised=_denoise(setting, found))
        if setting.experiment.uncertainty.interval.needs_jackknife:
            found = replace(found, jackknife=_jackknife(setting, resamples))
        setting.replicates = found
        # Those of pseudo-documents are counted as they are made; there are fewer where all possible ones are listed.
        counted = len(found) if setting.experiment.documents.units.is_drawn else 0
        tally.add(setting.experiment.uncertainty.replicates - counted)


# A setting, and what its replicates draw.
Place: TypeAlias = tuple[Setting, Resamples]


def _units(place: Place) -> DocumentUnits:
    return place[0].experiment.documents.units


def _asking(setting: Setting) -> list[Interval | Test]:
    """Return the interval and the tests of a setting that need replicates."""
    kinds: list[Interval | Test] = [
        setting.experiment.uncertainty.interval,
        *(one.test for one in setting.experiment.tests),
    ]
    return [one for one in kinds if one.needs_replicates]


def _needs_means(setting: Setting) -> bool:
    """Return whether something needs the mean coefficients in replicates, and not denoised ones alone."""
    return not all(one.is_denoised for one in _asking(setting))


def _resamples(setting: Setting, drawn: dict[Hashable, Resamples], memory: int) -> Resamples:
    """Return what the replicates of a setting draw, the same for all with equally many units; `drawn` keeps it.

    Counts that would not fit into so many bytes are made whenever they are asked for.
    """
    seed, documents = setting.experiment.seed, setting.documents_of_segments
    what = "segments" if setting.resample == "documents" else setting.resample
    n_systems = setting.human.shape[1]
    sizes = what, setting.n_units, n_systems, setting.experiment.uncertainty.replicates
    # Halves of documents are drawn again where too few segments are in them.
    length = setting.documents.length if setting.experiment.documents.units.is_drawn else None
    key = *sizes, seed, None if documents is None else (documents.tobytes(), length)
    if key not in drawn:
        held = (one.segments for one in drawn.values() if isinstance(one.segments, np.ndarray))
        memory -= sum(one.nbytes for one in held)
        if documents is not None and setting.experiment.documents.units.is_drawn:
            assert length is not None
            found = draw_halves(documents, sizes[-1], length, generator(seed, "halves of documents"))
        else:
            found = draw_resamples(
                *sizes,
                rng_segments=generator(seed, "bootstrap", "segments"),
                rng_systems=generator(seed, "bootstrap", "systems"),
                memory=memory,
                # Corpora of few documents are averaged replicate by replicate.
                listed=documents is None,
            )
            if documents is not None and found.segments is not None:
                of_segments = OfGroups(found.segments, documents)
                is_small = 2 * math.prod(of_segments.shape) <= memory
                found = replace(found, segments=of_segments[:] if is_small else of_segments)
        drawn[key] = found
    return drawn[key]


def _jackknife(setting: Setting, resamples: Resamples) -> list[Mapping[str, PairedMeans]]:
    """Return the means without each unit that is drawn."""
    without = _without_each(resamples, setting.documents_of_segments)
    if setting.experiment.documents.units.is_whole:
        return [_system_level(setting, one).means for one in without]
    return [_item_by_item([(setting, one)], SERIAL)[id(setting)] for one in without]


def _without_each(resamples: Resamples, documents: IntArray | None) -> list[Resamples]:
    """Return replicates that leave out one segment each, or one document, and one system each."""
    found = []
    if documents is not None:
        left_out = np.arange(int(documents.max()) + 1)[:, None]
        found.append(Resamples((documents != left_out).astype(np.uint16), None))
    elif resamples.segments is not None:
        n_segments = resamples.segments.shape[1]
        # Row i has its 0 at place i: a window that moves over one row of ones, so that the square is never made.
        ones = np.ones(2 * n_segments - 1, np.uint16)
        ones[n_segments - 1] = 0
        found.append(Resamples(sliding_window_view(ones, n_segments)[::-1], None))
    if resamples.systems is not None:
        n_systems = resamples.systems.shape[1]
        others = [[other for other in range(n_systems) if other != system] for system in range(n_systems)]
        found.append(Resamples(None, np.array(others, dtype=np.int32)))
    return found


def _system_level(setting: Setting, resamples: Resamples) -> Replicates:
    """Return the replicates of whole corpora, each of which is a document: a row of segment weights."""
    average_by, rule = setting.experiment.correlation.average_by, setting.experiment.judgments.rule
    # Each replicate is a document of its own, whatever the one document is averaged by.
    average_by = "item" if average_by == "none" else average_by
    scorers, n = setting.scorers, len(resamples)
    means = {text: np.full((len(scorers), n), np.nan) for text in setting.coefficients}
    scores: dict[int, list[FloatArray]] = {}
    people: list[FloatArray] = []
    documents = setting.documents
    if setting.has_stored_people and resamples.segments is not None:
        nothing = np.full((n, len(setting.corpus.systems)), np.nan)
        return Replicates(resamples, {text: PairedMeans.alone(one) for text, one in means.items()}, human=nothing)
    n_drawn = documents.items.counts.size if rule == "draw" else len(documents.segments)
    for rows in blocks(n, n_drawn):
        systems = None if resamples.systems is None else resamples.systems[rows]
        replicate, again = documents, iter(setting.scores)
        if resamples.segments is not None:
            replicate = _weighted(setting, resamples.segments[rows], rows.start)
            again = _scored_in_parts([one for one in scorers if not one.is_stored], replicate, len(setting.scores[0]))
            people.append(replicate.human)
        for number, scorer in enumerate(scorers):
            if scorer.is_stored and resamples.segments is not None:
                continue
            found = next(again)
            if resamples.segments is not None and len(found) == 1:
                scores.setdefault(number, []).append(found[0])
            metric, human = _with_systems(found, replicate.human, systems)
            unjudged, scored = ~np.isfinite(human).all(axis=1), systems_scored(found)
            if systems is not None and not scored.all():
                human = np.where(scored[systems], human, np.nan)
            for text, relation in scorer.relations.items():
                values = line_coefficients(metric, human, relation, average_by)
                if systems is not None:
                    values = without_copies(values, np.isfinite(human), systems, relation, average_by)
                # A replicate that drew no judgment of some system is no replicate of the corpus.
                values[unjudged] = np.nan
                means[text][number, rows] = values
    return Replicates(
        resamples,
        {text: PairedMeans.alone(of_text) for text, of_text in means.items()},
        scores={number: np.concatenate(some) for number, some in scores.items()},
        human=np.concatenate(people) if people else None,
    )


def _weighted(setting: Setting, counts: npt.NDArray[np.uint16], start: int) -> JudgedDocuments:
    """Return documents that have each segment as often as `counts` (replicates, segments) says, from a replicate on."""
    documents = setting.documents
    two, systems, name = documents.second is not None, setting.corpus.systems, "judgments of replicates"
    weights = Documents(counts=counts)
    drawn = [(weights, start)]
    if setting.experiment.judgments.rule == "draw":
        everything = np.broadcast_to(np.arange(counts.shape[1], dtype=np.int32), counts.shape)
        lengths = counts.sum(axis=1, dtype=np.int64)
        if (lengths == lengths[0]).all():
            weights = Documents(indices=np.repeat(everything.ravel(), counts.ravel()).reshape(len(counts), -1))
            drawn = [(weights, start)]
        else:  # whole documents differ in length, and judgments are drawn for as many places at once as there are
            each = (np.repeat(everything[0], row)[np.newaxis] for row in counts)
            drawn = [(Documents(indices=one), start + number) for number, one in enumerate(each)]
    judged = [
        human_scores(documents.items, one, setting.experiment, systems, [(name, setting.criterion.name, at)], two=two)
        for one, at in drawn
    ]
    human = np.concatenate([one for one, _ in judged])
    second = np.concatenate([other for _, other in judged if other is not None]) if two else None
    return replace(documents, weights=weights, human=human, second=second)


def _scored_in_parts(scorers: Sequence[Scorer], documents: JudgedDocuments, n_subsets: int) -> Iterator[FloatArray]:
    """Give the scores of documents by each scorer, as :func:`score_documents` does."""
    # What several metrics count is added once, but few scores are held at once that nobody keeps.
    for some in parts(len(scorers), max(1, _SCORED_AT_ONCE // max(1, n_subsets * documents.human.size))):
        yield from score_documents(scorers[some], documents)


def _with_systems(metric: FloatArray, human: FloatArray, systems: IntArray | None) -> tuple[FloatArray, FloatArray]:
    """Return scores (subsets or 1, documents, systems) and (documents, systems) of the systems of each replicate."""
    if systems is None:
        return metric, human
    if len(human) == 1:
        return metric[:, 0][:, systems], human[0][systems]
    return np.take_along_axis(metric, np.broadcast_to(systems, (len(metric), *systems.shape)), axis=2), (
        np.take_along_axis(human, systems, axis=1)
    )


def _denoise(setting: Setting, replicates: Replicates) -> DenoisedReplicates:
    """Return the denoised replicates of whole systems, whose scores are there, or are means over drawn documents."""
    resamples, people, scores = replicates.resamples, setting.human, setting.scores
    drawn, human = replicates.scores, replicates.human
    is_grid = next(iter(setting.scorers[0].relations.values())).coefficient.takes_grid
    if is_grid:
        assert resamples.segments is not None
        means: dict[int, list[FloatArray]] = {}
        for rows in blocks(len(resamples), 4 * len(people), len(resamples)):
            counts = resamples.segments[rows]
            weights = counts / counts.sum(axis=1, keepdims=True, dtype=np.float64)
            for number, one in enumerate([*scores, people[np.newaxis]]):
                if len(one) == 1:
                    means.setdefault(number, []).append(weights @ one[0])
        together = {number: np.concatenate(each) for number, each in means.items()}
        human = together.pop(len(scores))
        drawn = together
    assert human is not None
    by_systems: dict[bytes, list[int]] = {}
    for number in drawn:
        if len(scores[number]) == 1:
            by_systems.setdefault(systems_scored(scores[number]).tobytes(), []).append(number)
    groups = []
    for numbers in by_systems.values():
        kept = systems_scored(scores[numbers[0]])
        values = np.stack([one[:, kept].mean(axis=0) for one in [*(scores[number][0] for number in numbers), people]])
        moved = np.stack([drawn[number][:, kept] for number in numbers] + [human[:, kept]], axis=1)
        relations = {
            text: {
                number: relation.among_systems(scores[number][0][:, kept], people[:, kept]) if is_grid else relation
                for number in numbers
                for relation in (setting.scorers[number].relations[text].of_systems(kept),)
            }
            for text in setting.coefficients
        }
        places = {number: place for place, number in enumerate(numbers)}
        groups.append(_DenoisedGroup(places, Denoised(values, moved, resamples.weights), relations))
    return DenoisedReplicates(groups, len(resamples))


def _item_by_item(places: Sequence[Place], executor: Executor) -> dict[int, dict[str, PairedMeans]]:
    """Return the mean coefficients of settings whose documents are drawn as they are, by the id of the setting."""
    calls, told = [], list[tuple[int, str, int, slice]]()
    for setting, resamples in places:
        how, n = setting.experiment.correlation, len(resamples)
        given = setting.scores, setting.human, resamples
        for text in setting.coefficients:
            relations = [one.relations[text] for one in setting.scorers]
            for part in parts_of_calls(n, len(setting.human)):
                calls.append(Call(_means, (*given, relations, how.average_by, how.undefined, part), text))
                told.append((id(setting), text, n, part))
    # Products and kernels run side by side in threads; where systems are drawn, each replicate is many short calls.
    kind: Kind = "processes" if any(one.systems is not None for _, one in places) else "threads"
    found: dict[int, dict[str, PairedMeans]] = {}
    with closing(executor.run(calls, kind)) as made:
        for (name, text, n, part), means in zip(told, made, strict=True):
            of_setting = found.setdefault(name, {})
            if len(means.means) == n:
                of_setting[text] = means
            else:
                of_setting.setdefault(text, PairedMeans.empty(n, means.groups)).means[part] = means.means
    return found


def _means(
    scores: Sequence[FloatArray],
    human: FloatArray,
    resamples: Resamples,
    relations: Sequence[Relation],
    average_by: str,
    undefined: str,
    part: slice,
) -> PairedMeans:
    return replicated_means(scores, human, relations, average_by, undefined, resamples, part)


def _pseudo_documents(places: Sequence[Place], executor: Executor, tally: Tally) -> dict[int, dict[str, PairedMeans]]:
    """Return the mean coefficients of settings whose documents are drawn again, by the id of the setting.

    Replicates are made in batches, each for all settings that draw the same documents.
    """
    same: dict[Hashable, list[int]] = {}
    for number, (setting, resamples) in enumerate(places):
        can_be_sent = all(one.can_be_sent for one in setting.scorers)
        same.setdefault((*_documents_key(setting), id(resamples), can_be_sent), []).append(number)
    batches = []
    for numbers in same.values():
        n = len(places[numbers[0]][1])
        n_scores = max(places[number][0].human.size * len(places[number][0].scorers) for number in numbers)
        size = min(_BATCH, -(-n // _FEWEST_BATCHES), max(1, executor.of_each // (4 * 8 * n_scores)))
        batches += [(numbers, range(n)[start : start + size]) for start in range(0, n, size)]
    # What others have written may not be there in another process, so it stays here.
    stays = [not all(one.can_be_sent for one in setting.scorers) for setting, _ in places]
    sent = [
        None if here else (setting.for_replicates(), resamples)
        for here, (setting, resamples) in zip(stays, places, strict=True)
    ]
    calls = [
        Call(_batch, (sent, numbers, rows), f"{places[numbers[0]][0].name}: replicates {rows[0] + 1} to {rows[-1] + 1}")
        for numbers, rows in batches
        if not stays[numbers[0]]
    ]
    # A replicate beside another one, in the order in which they are read.
    room = [
        np.empty((len(setting.coefficients), len(setting.scorers), len(setting.scorers), len(resamples)))
        for setting, resamples in places
    ]
    # Processes: a replicate is many short calls, which threads would make wait for one another.
    with closing(executor.run(calls, "processes")) as made:
        for numbers, rows in batches:
            found = _batch(places, numbers, rows) if stays[numbers[0]] else next(made)
            for number, means in zip(numbers, found, strict=True):
                room[number][..., rows.start : rows.stop] = means
            tally.add(len(numbers) * len(rows))
    return {
        id(setting): {
            text: PairedMeans(np.moveaxis(_stretched(setting, text, of_text, resamples), -1, 0), every)
            for text, of_text in zip(setting.coefficients, of_setting, strict=True)
            for every in (np.arange(len(setting.scorers)),)
        }
        for (setting, resamples), of_setting in zip(places, room, strict=True)
    }


def _stretched(setting: Setting, text: str, means: FloatArray, resamples: Resamples) -> FloatArray:
    """Return means (scorers, scorers, replicates) that vary as those of the whole corpus do, where each had a part.

    A replicate of a share f of the segments, drawn without replacement, is off by f / (1 - f) too much or too little.
    """
    if resamples.shares is None:
        return means
    values = filled(np.stack(setting.values[text]), setting.experiment.correlation.undefined)
    centre = paired_means(values)[:, :, np.newaxis]
    return np.asarray(centre + np.sqrt(resamples.shares / (1.0 - resamples.shares)) * (means - centre))


def _documents_key(setting: Setting) -> tuple[Hashable, ...]:
    """Return all that pseudo-documents of a replicate depend on, beside the replicate."""
    corpus, settings, segments = setting.corpus, setting.experiment.documents, setting.documents.segments.tobytes()
    of_corpus = corpus.name, corpus.digest, corpus.filter, segments
    return *of_corpus, settings.kind.written, settings.count, settings.replacement, *_generator_name(setting)


def _generator_name(setting: Setting) -> tuple[int, str, str, int]:
    """Return the seed, and what the documents of replicates are drawn for."""
    assert setting.documents.length is not None
    # The judges can have segments, and so documents, of their own.
    purpose = "inter-judge" if setting.is_of_judges else "documents"
    return setting.experiment.seed, "replicates", purpose, setting.documents.length


def _batch(places: Sequence[Place], numbers: Sequence[int], rows: range) -> list[FloatArray]:
    """Return the mean coefficients in some replicates of settings that draw the same documents.

    What several of them need is made once: the documents, the human scores for all reference subsets, the scores of a
    metric for all criteria and panels.

    Parameters
    ----------
    places : sequence of (Setting, Resamples)
    numbers : sequence of int
        Which of them.
    rows : range
        Which replicates.

    Returns
    -------
    list of (coefficients, scorers, scorers, rows) float arrays
        For each setting, of each scorer over the documents where the other one has a coefficient too.
    """
    first, resamples = places[numbers[0]]
    weights = Documents(indices=np.concatenate([_drawn_again(first, resamples, row) for row in rows]))
    by_score: dict[Hashable, list[int]] = {}
    for number in numbers:
        by_score.setdefault(places[number][0].score_key, []).append(number)
    people: dict[Hashable, FloatArray] = {}
    human_sides: dict[Hashable, FloatArray | None] = {}
    found: dict[int, FloatArray] = {}
    for some in by_score.values():
        settings = [places[number][0] for number in some]
        scorers = {one.key: one for setting in settings for one in setting.scorers if not one.is_judges}
        documents = replace(settings[0].documents, weights=weights)
        scored = score_documents([*scorers.values()], documents, len(rows))
        scores = {key: _by_replicate(one, len(rows)) for key, one in zip(scorers, scored, strict=True)}
        of_scorers: dict[Hashable, FloatArray] = {}
        sides: dict[Hashable, FloatArray | None] = {}
        for number, setting in zip(some, settings, strict=True):
            batch = _Batch(setting, resamples, rows, weights, people, human_sides, scores, sides, of_scorers)
            found[number] = batch.means()
    return [found[number] for number in numbers]


def _drawn_again(setting: Setting, resamples: Resamples, row: int) -> IntArray:
    """Return the documents of a replicate, made of the segments that it draws, if it draws any."""
    settings, documents = setting.experiment.documents, setting.documents
    rng = generator(*_generator_name(setting), row)
    drawn = np.arange(len(documents.segments), dtype=np.int32)
    if resamples.segments is not None:
        drawn = np.repeat(drawn, resamples.segments[row])

    def draw(n_segments: int, length: int) -> Documents:
        return draw_documents(n_segments, length, settings.count, rng, replacement=settings.replacement)

    made = settings.units.make(setting.corpus, documents.segments[drawn], documents.length, draw)
    assert made.indices is not None
    return drawn[made.indices]


def _by_replicate(scores: FloatArray, n: int) -> FloatArray:
    """Return scores (subsets or 1, documents, systems) of n replicates as (n, subsets or 1, documents, systems)."""
    return scores.reshape(len(scores), n, -1, scores.shape[2]).swapaxes(0, 1)


def _once(made: dict[Hashable, T], key: Hashable, make: Callable[[], T]) -> T:
    """Return what was made under a key, and make it where it is not there."""
    if key not in made:
        made[key] = make()
    return made[key]


@dataclass(frozen=True)
class _Batch:
    """Some replicates of a setting, and what was made of the same documents for other settings.

    Attributes
    ----------
    setting : Setting
    resamples : Resamples
    rows : range
        Which replicates.
    weights : Documents
        Of all of them, one replicate after the other.
    people : dict of (rows, 1 or 2, documents, systems) float arrays
        The human scores, and those by other judgments if there are any, by `Setting.human_key`.
    human_sides, sides : dict
        What a coefficient makes of human scores, and of those of a scorer, before the two are correlated; None where a
        score is missing.
    scores : dict of (rows, subsets or 1, documents, systems) float arrays
        By `Scorer.key`, for one `Setting.score_key`.
    coefficients : dict of (rows, documents or systems or 1) float arrays
        By what was correlated.
    """

    setting: Setting
    resamples: Resamples
    rows: range
    weights: Documents
    people: dict[Hashable, FloatArray]
    human_sides: dict[Hashable, FloatArray | None]
    scores: Mapping[Hashable, FloatArray]
    sides: dict[Hashable, FloatArray | None]
    coefficients: dict[Hashable, FloatArray]

    def means(self) -> FloatArray:
        """Return the mean coefficients of the scorers: (coefficients, scorers, scorers, rows)."""
        undefined = self.setting.experiment.correlation.undefined
        of_texts = (np.stack(self._coefficients(text), axis=1) for text in self.setting.coefficients)
        means = np.stack([paired_means(filled(one, undefined)) for one in of_texts])
        return np.moveaxis(means, 1, -1)

    @property
    def _people(self) -> FloatArray:
        return _once(self.people, self.setting.human_key, self._judge)

    def _judge(self) -> FloatArray:
        setting, documents = self.setting, self.setting.documents
        name = _generator_name(setting)[1:]
        names = [("judgments", *name, row, setting.criterion.name) for row in self.rows]
        two, systems = documents.second is not None, setting.corpus.systems
        sides = human_scores(documents.items, self.weights, setting.experiment, systems, names, two=two)
        return _by_replicate(np.stack([one for one in sides if one is not None]), len(self.rows))

    def _coefficients(self, text: str) -> list[FloatArray]:
        """Return the values of a coefficient for each scorer: (rows, documents), or (rows, systems), or (rows, 1)."""
        setting = self.setting
        how = text, setting.experiment.correlation.average_by, setting.human_key
        keys = [(one.key, one.is_judges, isinstance(one.relations[text], Oriented), how) for one in setting.scorers]
        missing = [place for place, key in enumerate(keys) if key not in self.coefficients]
        for place, values in zip(missing, self._correlated(missing, text) if missing else (), strict=True):
            self.coefficients[keys[place]] = values
        return [self.coefficients[key] for key in keys]

    def _correlated(self, places: Sequence[int], text: str) -> list[FloatArray]:
        """Return the values of a coefficient for some scorers."""
        average_by = self.setting.experiment.correlation.average_by
        scorers = [self.setting.scorers[place] for place in places]
        human = self._people[:, 0]
        scores = [self._people[:, 1:] if one.is_judges else self.scores[one.key] for one in scorers]
        relations = [one.relations[text] for one in scorers]
        drawn = None if self.resamples.systems is None else self.resamples.systems[self.rows.start : self.rows.stop]
        kind = relations[0].coefficient
        found: dict[int, FloatArray] = {}
        if drawn is None and not (kind.is_fitted or kind.takes_grid):
            how = text, average_by, self.setting.human_key
            people = _once(self.human_sides, how, lambda: _side(kind, human, average_by, is_human=True))
            if people is not None:
                sides = []
                for one, of_scorer, relation in zip(scorers, scores, relations, strict=True):
                    key = (text, average_by, one.key, self.setting.human_key if one.is_judges else None)
                    sides.append(_once(self.sides, key, partial(_side, relation.coefficient, of_scorer, average_by)))
                whole = {place: (relations[place], side) for place, side in enumerate(sides) if side is not None}
                found = dict(zip(whole, _in_rows([*whole.values()], people), strict=True))
        systems: Sequence[slice | IntArray] = [slice(None)] * len(self.rows) if drawn is None else list(drawn)
        for place, (of_scorer, relation) in enumerate(zip(scores, relations, strict=True)):
            if place not in found:
                of_each = zip(of_scorer, human, systems, strict=True)
                found[place] = np.stack([coefficients_of_draw(*one, relation, average_by) for one in of_each])
        return [found[place] for place in range(len(scorers))]


def _side(kind: Coefficient, scores: FloatArray, average_by: str, *, is_human: bool = False) -> FloatArray | None:
    """Return what a coefficient makes of one side's scores in rows, before both are correlated; None if one lacks."""
    return kind.prepare(in_rows(scores, average_by), is_human=is_human) if np.isfinite(scores).all() else None


def _in_rows(metrics: Sequence[tuple[Relation, FloatArray]], human: FloatArray) -> list[FloatArray]:
    """Return the coefficients of metrics that have all scores: for each one (replicates, rows).

    No row depends on another, in whichever replicate it is, so that all replicates and metrics are correlated together.

    Parameters
    ----------
    metrics : sequence of (Relation, (replicates, subsets or 1, rows, n) float array)
    human : (replicates, rows, n) float array
    """
    if not metrics:
        return []
    relations = [relation for relation, scores in metrics for _ in range(scores.shape[1])]
    found = []
    for some in parts(len(human), max(1, _CORRELATED_AT_ONCE // max(1, human[0].size * len(relations)))):
        of_subsets = [of_subset for _, scores in metrics for of_subset in scores[some].swapaxes(0, 1)]
        found.append(in_lines(relations, of_subsets, human[some]))
    ends = np.cumsum([scores.shape[1] for _, scores in metrics])[:-1]
    of_metrics = np.array_split(np.concatenate(found, axis=1), ends)
    return [one[0] if len(one) == 1 else one.mean(axis=0) for one in of_metrics]
