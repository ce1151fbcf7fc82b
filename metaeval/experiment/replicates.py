"""Bootstrap replicates: the experiment repeated on segments, documents or systems that are resampled.

The definition: a replicate draws as many units as there are, with replacement, repeats the whole experiment on them
(documents, judgments, human and metric scores, coefficients), and has the mean coefficient of each metric. So the
spread of the replicates is that of the published number on new text. Three functions follow it, one for each kind of
documents:

``_system_level``
    The whole corpus is one document, a row of segment weights; a replicate is another row. So a thousand replicates are
    a thousand documents, which are pooled and scored at once, and nothing is scored twice.
``_item_by_item``
    Segments and real documents are drawn as they are, and their scores stay the same: replicates are weights on
    coefficients where each document has one, and are correlated again elsewhere
    (`metaeval.correlation.replicated_means`).
``_pseudo_documents``
    To the letter: pseudo-documents are drawn again from the segments of a replicate, as many as in the experiment, and
    are scored and correlated again. Settings that draw the same documents share them. Where the corpus names documents,
    a replicate has the segments of half of them, none twice, and is stretched (`_stretched`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from metaeval.components.coefficient import Coefficient
from metaeval.components.documents import DocumentUnits
from metaeval.components.interval import Interval
from metaeval.components.test import Test
from metaeval.correlation.array_helpers import parts
from metaeval.correlation.averages import (
    Oriented,
    Relation,
    arrange_rows,
    correlate_lines,
    line_coefficients,
    systems_scored,
)
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
from metaeval.datamodel.corpus import BoolArray, Documents, FloatArray, IntArray
from metaeval.datamodel.resampling import Resamples
from metaeval.experiment.judge import JudgedDocuments, human_scores
from metaeval.experiment.scorers import Scorer, score_documents
from metaeval.experiment.setting import Setting
from metaeval.runtime.parallel import SERIAL, Call, Executor, Kind
from metaeval.runtime.progress import Tally
from metaeval.runtime.randomness import generator
from metaeval.sampling.documents import draw_documents
from metaeval.sampling.resamples import OfGroups, draw_halves, draw_resamples

# Replicates of pseudo-documents in a batch, at most: fewer where their scores would take a quarter of the memory of a
# process. A replicate of pseudo-documents has the same bits in a batch of any size, so that neither the memory nor the
# number of jobs changes numbers.
_BATCH_REPLICATES = 25
# Few replicates are split into so many batches, so that several processes have work.
_MIN_BATCHES = 5
# Scores of pseudo-documents that are correlated in one call, and of whole corpora that are computed in one; neither
# changes numbers. The batches of whole corpora, and of documents that are drawn as they are, (`blocks`) would change
# them: judgments of whole systems are drawn by the name of the first replicate of a batch, and a product may have other
# last digits. So these depend on sizes of the data alone.
_CORRELATED_BATCH_SCORES = 1 << 17
_SCORED_BATCH_SCORES = 1 << 24

T = TypeVar("T")


@dataclass(frozen=True)
class Replicates:
    """The mean coefficients of a setting in bootstrap replicates.

    Attributes
    ----------
    resamples : Resamples
        The units that each replicate draws.
    means : mapping of str to PairedMeans
        Of the scorers, by the coefficient; ``nan`` where undefined. Empty where only denoised replicates are needed,
        except for whole systems.
    denoised : DenoisedReplicates or None
        The coefficients in the same replicates with a denoised centre, where an interval or a test needs them.
    jackknife : sequence of mappings of str to PairedMeans
        Without each segment or document, and without each system, as far as these are resampled; empty if not needed.
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

    def means_of(self, numbers: Sequence[int], text: str, *, denoised: bool) -> list[FloatArray]:
        """Return the means of a coefficient for a scorer, or of two where both have a value: (replicates,) each."""
        if denoised:
            assert self.denoised is not None
            return self.denoised.means_of(numbers, text)
        return [
            np.ascontiguousarray(self.means[text].beside(*pair))
            for pair in zip(numbers, reversed(numbers), strict=True)
        ]


@dataclass(frozen=True)
class DenoisedReplicates:
    """Denoised replicates of a setting, for each group of scorers that have scores of the same systems."""

    groups: Sequence[_DenoisedGroup]
    n_replicates: int

    def means_of(self, numbers: Sequence[int], text: str) -> list[FloatArray]:
        """Return the replicates of some scorers, centred together: (replicates,) each.

        They are undefined where a scorer has no scores of parts, or they have scores of different systems.
        """
        for group in self.groups:
            if all(number in group.positions for number in numbers):
                positions = [group.positions[number] for number in numbers]
                return group.denoised.coefficients(positions, [group.relations[text][number] for number in numbers])
        return [np.full(self.n_replicates, np.nan) for _ in numbers]


@dataclass(frozen=True)
class _DenoisedGroup:
    """Scorers with scores of the same systems: their positions in `denoised`, and their coefficients by name."""

    positions: Mapping[int, int]
    denoised: Denoised
    relations: Mapping[str, Mapping[int, Relation]]


def make_replicates(settings: Sequence[Setting], executor: Executor = SERIAL, tally: Tally | None = None) -> None:
    """Make the replicates of the settings that need some, and store them in their `replicates`.

    Parameters
    ----------
    settings : sequence of Setting
        Those of one corpus; they share draws, documents and scores.
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
    draws = [
        (setting, _resamples(setting, drawn, executor.memory // 2))
        for setting in settings
        if setting.experiment.needs_replicates
    ]
    means = _pseudo_documents([draw for draw in draws if _units(draw).is_drawn], executor, tally)
    items = [draw for draw in draws if not (_units(draw).is_drawn or _units(draw).is_whole)]
    means |= _item_by_item([draw for draw in items if _needs_means(draw[0])], executor)
    for setting, resamples in draws:
        if setting.experiment.documents.units.is_whole:
            replicates = _system_level(setting, resamples)
        else:
            replicates = Replicates(resamples, means.get(id(setting), {}))
        if any(kind.is_denoised for kind in _kinds_with_replicates(setting)):
            replicates = replace(replicates, denoised=_denoise(setting, replicates))
        if setting.experiment.uncertainty.interval.needs_jackknife:
            replicates = replace(replicates, jackknife=_jackknife(setting, resamples))
        setting.replicates = replicates
        # Those of pseudo-documents are counted as they are made; there are fewer where all possible ones are listed.
        counted = len(replicates) if setting.experiment.documents.units.is_drawn else 0
        tally.add(setting.experiment.uncertainty.replicates - counted)


# A setting, and the units that its replicates draw.
_Draw: TypeAlias = tuple[Setting, Resamples]


def _units(draw: _Draw) -> DocumentUnits:
    return draw[0].experiment.documents.units


def _kinds_with_replicates(setting: Setting) -> list[Interval | Test]:
    """Return the interval and the tests of a setting that need replicates."""
    kinds: list[Interval | Test] = [
        setting.experiment.uncertainty.interval,
        *(settings.test for settings in setting.experiment.tests),
    ]
    return [kind for kind in kinds if kind.needs_replicates]


def _needs_means(setting: Setting) -> bool:
    """Return whether an interval or a test needs mean coefficients in replicates that are not denoised."""
    return not all(kind.is_denoised for kind in _kinds_with_replicates(setting))


def _resamples(setting: Setting, drawn: dict[Hashable, Resamples], memory: int) -> Resamples:
    """Return the units that the replicates of a setting draw, the same for all settings with equally many units.

    `drawn` has those of settings before. Counts that would take more than `memory` bytes are made whenever they are
    used.
    """
    seed = setting.experiment.seed
    documents = setting.documents_of_segments
    unit = "segments" if setting.resampled_axis == "documents" else setting.resampled_axis
    n_systems = setting.human.shape[1]
    n_replicates = setting.experiment.uncertainty.replicates
    sizes = unit, setting.n_units, n_systems, n_replicates
    # Halves of documents are drawn again where too few segments are in them.
    length = setting.documents.length if setting.experiment.documents.units.is_drawn else None
    key = *sizes, seed, None if documents is None else (documents.tobytes(), length)
    if key not in drawn:
        in_memory = (other.segments for other in drawn.values() if isinstance(other.segments, np.ndarray))
        memory -= sum(counts.nbytes for counts in in_memory)
        if documents is not None and setting.experiment.documents.units.is_drawn:
            assert length is not None
            resamples = draw_halves(documents, n_replicates, length, generator(seed, "halves of documents"))
        else:
            resamples = draw_resamples(
                *sizes,
                rng_segments=generator(seed, "bootstrap", "segments"),
                rng_systems=generator(seed, "bootstrap", "systems"),
                memory=memory,
                # For few documents, means are computed replicate by replicate.
                listed=documents is None,
            )
            if documents is not None and resamples.segments is not None:
                of_segments = OfGroups(resamples.segments, documents)
                is_small = 2 * math.prod(of_segments.shape) <= memory
                resamples = replace(resamples, segments=of_segments[:] if is_small else of_segments)
        drawn[key] = resamples
    return drawn[key]


def _jackknife(setting: Setting, resamples: Resamples) -> list[Mapping[str, PairedMeans]]:
    """Return the mean coefficients without each of the units that are resampled."""
    without = _without_each(resamples, setting.documents_of_segments)
    if setting.experiment.documents.units.is_whole:
        return [_system_level(setting, rest).means for rest in without]
    return [_item_by_item([(setting, rest)], SERIAL)[id(setting)] for rest in without]


def _without_each(resamples: Resamples, documents: IntArray | None) -> list[Resamples]:
    """Return replicates that leave out one segment each, or one document, and one system each."""
    replicates = []
    if documents is not None:
        left_out = np.arange(int(documents.max()) + 1)[:, None]
        replicates.append(Resamples((documents != left_out).astype(np.uint16), None))
    elif resamples.segments is not None:
        n_segments = resamples.segments.shape[1]
        # Row i has its 0 in column i: a window that moves over one row of ones, so that the square is never in memory.
        ones = np.ones(2 * n_segments - 1, np.uint16)
        ones[n_segments - 1] = 0
        replicates.append(Resamples(sliding_window_view(ones, n_segments)[::-1], None))
    if resamples.systems is not None:
        n_systems = resamples.systems.shape[1]
        others = [[other for other in range(n_systems) if other != system] for system in range(n_systems)]
        replicates.append(Resamples(None, np.array(others, dtype=np.int32)))
    return replicates


def _system_level(setting: Setting, resamples: Resamples) -> Replicates:
    """Return the replicates of whole corpora, each of which is a document: a row of segment weights."""
    average_by = setting.experiment.correlation.average_by
    rule = setting.experiment.judgments.rule
    if average_by == "none":
        # Each replicate is a document, and has a coefficient of its own.
        average_by = "item"
    scorers = setting.scorers
    n = len(resamples)
    means = {text: np.full((len(scorers), n), np.nan) for text in setting.coefficients}
    scores: dict[int, list[FloatArray]] = {}
    human_scores_of_batches: list[FloatArray] = []
    documents = setting.documents
    if setting.has_stored_people and resamples.segments is not None:
        nothing = np.full((n, len(setting.corpus.systems)), np.nan)
        undefined = {text: PairedMeans.alone(values) for text, values in means.items()}
        return Replicates(resamples, undefined, human=nothing)
    n_drawn = documents.items.counts.size if rule == "draw" else len(documents.segments)
    for rows in blocks(n, n_drawn):
        systems = None if resamples.systems is None else resamples.systems[rows]
        replicate = documents
        of_scorers = iter(setting.scores)
        if resamples.segments is not None:
            replicate = _weighted(setting, resamples.segments[rows], rows.start)
            has_scores = [scorer for scorer in scorers if not scorer.is_stored]
            of_scorers = _scored_in_parts(has_scores, replicate, len(setting.scores[0]))
            human_scores_of_batches.append(replicate.human)
        for number, scorer in enumerate(scorers):
            if scorer.is_stored and resamples.segments is not None:
                continue
            of_scorer = next(of_scorers)
            if resamples.segments is not None and len(of_scorer) == 1:
                scores.setdefault(number, []).append(of_scorer[0])
            metric, human = _with_systems(of_scorer, replicate.human, systems)
            unjudged = ~np.isfinite(human).all(axis=1)
            scored = systems_scored(of_scorer)
            if systems is not None and not scored.all():
                human = np.where(scored[systems], human, np.nan)
            for text, relation in scorer.relations.items():
                values = line_coefficients(metric, human, relation, average_by)
                if systems is not None:
                    values = without_copies(values, np.isfinite(human), systems, relation, average_by)
                # A replicate without a judgment of some system has no value.
                values[unjudged] = np.nan
                means[text][number, rows] = values
    return Replicates(
        resamples,
        {text: PairedMeans.alone(of_text) for text, of_text in means.items()},
        scores={number: np.concatenate(batches) for number, batches in scores.items()},
        human=np.concatenate(human_scores_of_batches) if human_scores_of_batches else None,
    )


def replicates_of_systems(setting: Setting, replicates: Replicates, systems: BoolArray) -> Replicates:
    """Return the replicates of a setting that has some of the systems of another, from those of the other.

    Parameters
    ----------
    setting : Setting
        With whole systems, of which segments or documents are drawn.
    replicates : Replicates
        Of the setting with all systems.
    systems : (systems,) bool array
        Which of these the setting has.
    """
    assert replicates.human is not None
    scores = {number: of_all[:, systems] for number, of_all in replicates.scores.items()}
    human = replicates.human[:, systems]
    unjudged = ~np.isfinite(human).all(axis=1)
    means = {text: np.full((len(setting.scorers), len(replicates)), np.nan) for text in setting.coefficients}
    for text, of_text in means.items():
        for number, of_scorer in scores.items():
            values = line_coefficients(of_scorer[np.newaxis], human, setting.scorers[number].relations[text], "item")
            values[unjudged] = np.nan
            of_text[number] = values
    paired = {text: PairedMeans.alone(of_text) for text, of_text in means.items()}
    of_systems = Replicates(replicates.resamples, paired, scores=scores, human=human)
    if any(kind.is_denoised for kind in _kinds_with_replicates(setting)):
        return replace(of_systems, denoised=_denoise(setting, of_systems))
    return of_systems


def _weighted(setting: Setting, counts: npt.NDArray[np.uint16], start: int) -> JudgedDocuments:
    """Return documents with each segment as often as in `counts`, (replicates, segments), from replicate `start` on."""
    documents = setting.documents
    two = documents.second is not None
    systems = setting.corpus.systems
    name = "judgments of replicates"
    weights = Documents(counts=counts)
    drawn = [(weights, start)]
    if setting.experiment.judgments.rule == "draw":
        everything = np.broadcast_to(np.arange(counts.shape[1], dtype=np.int32), counts.shape)
        lengths = counts.sum(axis=1, dtype=np.int64)
        if (lengths == lengths[0]).all():
            weights = Documents(indices=np.repeat(everything.ravel(), counts.ravel()).reshape(len(counts), -1))
            drawn = [(weights, start)]
        else:  # whole documents differ in length, and judgments are drawn for documents of equal lengths
            rows = (np.repeat(everything[0], row)[np.newaxis] for row in counts)
            drawn = [(Documents(indices=row), start + number) for number, row in enumerate(rows)]
    judged = []
    for part, first in drawn:
        names = [(name, setting.criterion.name, first)]
        judged.append(human_scores(documents.items, part, setting.experiment, systems, names, two=two))
    human = np.concatenate([scores for scores, _ in judged])
    second = np.concatenate([other for _, other in judged if other is not None]) if two else None
    return replace(documents, weights=weights, human=human, second=second)


def _scored_in_parts(scorers: Sequence[Scorer], documents: JudgedDocuments, n_subsets: int) -> Iterator[FloatArray]:
    """Yield the scores of documents by each scorer, as :func:`score_documents` does."""
    # Metrics that share statistics are scored together, but few of the scores are in memory at a time.
    for some in parts(len(scorers), max(1, _SCORED_BATCH_SCORES // max(1, n_subsets * documents.human.size))):
        yield from score_documents(scorers[some], documents)


def _with_systems(metric: FloatArray, human: FloatArray, systems: IntArray | None) -> tuple[FloatArray, FloatArray]:
    """Return scores (subsets or 1, documents, systems) and (documents, systems) of the systems of each replicate."""
    if systems is None:
        return metric, human
    if len(human) == 1:
        return metric[:, 0][:, systems], human[0][systems]
    drawn = np.take_along_axis(metric, np.broadcast_to(systems, (len(metric), *systems.shape)), axis=2)
    return drawn, np.take_along_axis(human, systems, axis=1)


def _denoise(setting: Setting, replicates: Replicates) -> DenoisedReplicates:
    """Return the denoised replicates of whole systems.

    They are made of the systems' scores; for a coefficient that takes the grid of documents and systems, of the mean
    scores over the documents that each replicate draws.
    """
    resamples = replicates.resamples
    human = setting.human
    scores = setting.scores
    replicated_scores = replicates.scores
    replicated_human = replicates.human
    is_grid = next(iter(setting.scorers[0].relations.values())).coefficient.takes_grid
    if is_grid:
        assert resamples.segments is not None
        means: dict[int, list[FloatArray]] = {}
        # A weight has 8 bytes, four times as many as a count.
        for rows in blocks(len(resamples), 4 * len(human), len(resamples)):
            counts = resamples.segments[rows]
            weights = counts / counts.sum(axis=1, keepdims=True, dtype=np.float64)
            for scorer_number, of_subsets in enumerate([*scores, human[np.newaxis]]):
                if len(of_subsets) == 1:
                    means.setdefault(scorer_number, []).append(weights @ of_subsets[0])
        replicated_scores = {scorer_number: np.concatenate(batches) for scorer_number, batches in means.items()}
        replicated_human = replicated_scores.pop(len(scores))
    assert replicated_human is not None
    # A config that gives a metric several scores of a system (references.combine = "correlations") is refused with a
    # denoised interval or test, so that no metric is left out here.
    numbers_by_mask: dict[bytes, list[int]] = {}
    for scorer_number in replicated_scores:
        if len(scores[scorer_number]) == 1:
            mask = systems_scored(scores[scorer_number]).tobytes()
            numbers_by_mask.setdefault(mask, []).append(scorer_number)
    groups = []
    for scorer_numbers in numbers_by_mask.values():
        scored = systems_scored(scores[scorer_numbers[0]])
        tables = [*(scores[scorer_number][0] for scorer_number in scorer_numbers), human]
        values = np.stack([table[:, scored].mean(axis=0) for table in tables])
        tables = [*(replicated_scores[scorer_number] for scorer_number in scorer_numbers), replicated_human]
        replicated = np.stack([table[:, scored] for table in tables], axis=1)
        relations: dict[str, dict[int, Relation]] = {coefficient: {} for coefficient in setting.coefficients}
        for coefficient, scorer_number in itertools.product(relations, scorer_numbers):
            relation = setting.scorers[scorer_number].relations[coefficient].of_systems(scored)
            if is_grid:
                relation = relation.among_systems(scores[scorer_number][0][:, scored], human[:, scored])
            relations[coefficient][scorer_number] = relation
        positions = {scorer_number: position for position, scorer_number in enumerate(scorer_numbers)}
        groups.append(_DenoisedGroup(positions, Denoised(values, replicated, resamples.weights), relations))
    return DenoisedReplicates(groups, len(resamples))


def _item_by_item(draws: Sequence[_Draw], executor: Executor) -> dict[int, dict[str, PairedMeans]]:
    """Return the mean coefficients of settings whose documents are drawn as they are, by the id of the setting."""
    calls: list[Call] = []
    # Of each call: the setting, the coefficient, the number of replicates, and those of the call.
    parts_called: list[tuple[int, str, int, slice]] = []
    for setting, resamples in draws:
        correlation = setting.experiment.correlation
        n = len(resamples)
        for text in setting.coefficients:
            relations = [scorer.relations[text] for scorer in setting.scorers]
            for part in parts_of_calls(n, len(setting.human)):
                arguments = (
                    setting.scores,
                    setting.human,
                    relations,
                    correlation.average_by,
                    correlation.undefined,
                    resamples,
                    part,
                )
                calls.append(Call(replicated_means, arguments, text))
                parts_called.append((id(setting), text, n, part))
    # Products and kernels run side by side in threads; where systems are drawn, each replicate is many short calls.
    kind: Kind = "processes" if any(resamples.systems is not None for _, resamples in draws) else "threads"
    means_of: dict[int, dict[str, PairedMeans]] = {}
    with closing(executor.run(calls, kind)) as results:
        for (name, text, n, part), means in zip(parts_called, results, strict=True):
            of_setting = means_of.setdefault(name, {})
            if len(means.means) == n:
                of_setting[text] = means
            else:
                of_setting.setdefault(text, PairedMeans.empty(n, means.groups)).means[part] = means.means
    return means_of


def _pseudo_documents(draws: Sequence[_Draw], executor: Executor, tally: Tally) -> dict[int, dict[str, PairedMeans]]:
    """Return the mean coefficients of settings whose documents are drawn again, by the id of the setting.

    Replicates are made in batches, each for all settings that draw the same documents.
    """
    by_documents: dict[Hashable, list[int]] = {}
    # The code of user metrics may be missing in other processes, so their replicates are made in this one.
    is_local = [not all(scorer.can_be_sent for scorer in setting.scorers) for setting, _ in draws]
    for number, (setting, resamples) in enumerate(draws):
        by_documents.setdefault((*_documents_key(setting), id(resamples), is_local[number]), []).append(number)
    batches = []
    for numbers in by_documents.values():
        n = len(draws[numbers[0]][1])
        n_scores = max(draws[number][0].human.size * len(draws[number][0].scorers) for number in numbers)
        size = min(_BATCH_REPLICATES, -(-n // _MIN_BATCHES), max(1, executor.of_each // (4 * 8 * n_scores)))
        batches += [(numbers, range(n)[start : start + size]) for start in range(0, n, size)]
    sent = [
        None if local else (setting.for_replicates(), resamples)
        for local, (setting, resamples) in zip(is_local, draws, strict=True)
    ]
    calls = []
    for numbers, rows in batches:
        if not is_local[numbers[0]]:
            label = f"{draws[numbers[0]][0].name}: replicates {rows[0] + 1} to {rows[-1] + 1}"
            calls.append(Call(_batch, (sent, numbers, rows), label))
    # The replicates of a scorer lie next to one another, in the order in which they are read.
    means_of = [
        np.empty((len(setting.coefficients), len(setting.scorers), len(setting.scorers), len(resamples)))
        for setting, resamples in draws
    ]
    # Processes: a replicate is many short calls, for which threads would wait for one another.
    with closing(executor.run(calls, "processes")) as results:
        for numbers, rows in batches:
            of_batch = _batch(draws, numbers, rows) if is_local[numbers[0]] else next(results)
            for number, means in zip(numbers, of_batch, strict=True):
                means_of[number][..., rows.start : rows.stop] = means
            tally.add(len(numbers) * len(rows))
    paired: dict[int, dict[str, PairedMeans]] = {}
    for (setting, resamples), of_setting in zip(draws, means_of, strict=True):
        paired[id(setting)] = {}
        for text, of_text in zip(setting.coefficients, of_setting, strict=True):
            stretched = np.moveaxis(_stretched(setting, text, of_text, resamples), -1, 0)
            paired[id(setting)][text] = PairedMeans(stretched, np.arange(len(setting.scorers)))
    return paired


def _stretched(setting: Setting, text: str, means: FloatArray, resamples: Resamples) -> FloatArray:
    """Return means (scorers, scorers, replicates) with the spread of the whole corpus, where each is of a part of it.

    A replicate of a share f of the segments, drawn without replacement, is off by f / (1 - f) too much or too little.
    """
    if resamples.shares is None:
        return means
    values = filled(np.stack(setting.values[text]), setting.experiment.correlation.undefined)
    centre = paired_means(values)[:, :, np.newaxis]
    return np.asarray(centre + np.sqrt(resamples.shares / (1.0 - resamples.shares)) * (means - centre))


def _documents_key(setting: Setting) -> tuple[Hashable, ...]:
    """Return a key of everything but the replicate that the pseudo-documents of a replicate depend on."""
    corpus = setting.corpus
    settings = setting.experiment.documents
    segments = setting.documents.segments.tobytes()
    of_corpus = corpus.name, corpus.digest, corpus.filter, segments
    return *of_corpus, settings.kind.written, settings.count, settings.replacement, *_generator_name(setting)


def _generator_name(setting: Setting) -> tuple[int, str, str, int]:
    """Return the name of the generator of the documents of replicates, without the replicate."""
    assert setting.documents.length is not None
    # The inter-judge line can have other segments, and so other documents.
    purpose = "inter-judge" if setting.is_of_judges else "documents"
    return setting.experiment.seed, "replicates", purpose, setting.documents.length


def _batch(draws: Sequence[_Draw], numbers: Sequence[int], rows: range) -> list[FloatArray]:
    """Return the mean coefficients in some replicates of settings that draw the same documents.

    They share the documents, the human scores for all reference subsets, and the scores of a metric for all criteria
    and panels.

    Parameters
    ----------
    draws : sequence of (Setting, Resamples)
    numbers : sequence of int
        Positions of the settings in `draws`.
    rows : range
        Numbers of the replicates.

    Returns
    -------
    list of (coefficients, scorers, scorers, rows) float arrays
        For each setting, of each scorer over the documents where the other one has a coefficient too.
    """
    first, resamples = draws[numbers[0]]
    weights = Documents(indices=np.concatenate([_drawn_again(first, resamples, row) for row in rows]))
    by_score: dict[Hashable, list[int]] = {}
    for number in numbers:
        by_score.setdefault(draws[number][0].score_key, []).append(number)
    people: dict[Hashable, FloatArray] = {}
    human_sides: dict[Hashable, FloatArray | None] = {}
    means: dict[int, FloatArray] = {}
    for same_scores in by_score.values():
        settings = [draws[number][0] for number in same_scores]
        scorers = {scorer.key: scorer for setting in settings for scorer in setting.scorers if not scorer.is_judges}
        documents = replace(settings[0].documents, weights=weights)
        scored = score_documents([*scorers.values()], documents, len(rows))
        scores = {key: _by_replicate(values, len(rows)) for key, values in zip(scorers, scored, strict=True)}
        of_scorers: dict[Hashable, FloatArray] = {}
        sides: dict[Hashable, FloatArray | None] = {}
        for number, setting in zip(same_scores, settings, strict=True):
            batch = _Batch(setting, resamples, rows, weights, people, human_sides, scores, sides, of_scorers)
            means[number] = batch.means()
    return [means[number] for number in numbers]


def _drawn_again(setting: Setting, resamples: Resamples, row: int) -> IntArray:
    """Return the documents of a replicate, made of the segments that it draws, or of all if it draws systems only."""
    settings = setting.experiment.documents
    documents = setting.documents
    rng = generator(*_generator_name(setting), row)
    drawn = np.arange(len(documents.segments), dtype=np.int32)
    if resamples.segments is not None:
        drawn = np.repeat(drawn, resamples.segments[row])

    def draw(n_segments: int, length: int) -> Documents:
        return draw_documents(n_segments, length, settings.count, rng, replacement=settings.replacement)

    documents_again = settings.units.make(setting.corpus, documents.segments[drawn], documents.length, draw)
    assert documents_again.indices is not None
    return drawn[documents_again.indices]


def _by_replicate(scores: FloatArray, n: int) -> FloatArray:
    """Return scores (subsets or 1, documents, systems) of n replicates as (n, subsets or 1, documents, systems)."""
    return scores.reshape(len(scores), n, -1, scores.shape[2]).swapaxes(0, 1)


def _once(values: dict[Hashable, T], key: Hashable, make: Callable[[], T]) -> T:
    """Return the value of a key, and make it first if it is missing."""
    if key not in values:
        values[key] = make()
    return values[key]


@dataclass(frozen=True)
class _Batch:
    """A batch of replicates of a setting, with values that it shares with other settings on the same documents.

    Attributes
    ----------
    setting : Setting
    resamples : Resamples
    rows : range
        Numbers of the replicates.
    weights : Documents
        Those of all replicates, one replicate after the other.
    people : dict of (rows, 1 or 2, documents, systems) float arrays
        The human scores, and those by other judgments if there are any, by `Setting.human_key`.
    human_sides, sides : dict
        Human scores, and those of a scorer, as a coefficient prepares them before the two are correlated; None where a
        score is missing.
    scores : dict of (rows, subsets or 1, documents, systems) float arrays
        By `Scorer.key`, for one `Setting.score_key`.
    coefficients : dict of (rows, documents or systems or 1) float arrays
        The values of coefficients, by scorer and human scores.
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
        means = np.stack([paired_means(filled(values, undefined)) for values in of_texts])
        return np.moveaxis(means, 1, -1)

    @property
    def _people(self) -> FloatArray:
        return _once(self.people, self.setting.human_key, self._judge)

    def _judge(self) -> FloatArray:
        setting = self.setting
        documents = self.setting.documents
        name = _generator_name(setting)[1:]
        names = [("judgments", *name, row, setting.criterion.name) for row in self.rows]
        two = documents.second is not None
        systems = setting.corpus.systems
        sides = human_scores(documents.items, self.weights, setting.experiment, systems, names, two=two)
        return _by_replicate(np.stack([scores for scores in sides if scores is not None]), len(self.rows))

    def _coefficients(self, text: str) -> list[FloatArray]:
        """Return the values of a coefficient for each scorer: (rows, documents), or (rows, systems), or (rows, 1)."""
        setting = self.setting
        shared_key = text, setting.experiment.correlation.average_by, setting.human_key
        keys = [
            (scorer.key, scorer.is_judges, isinstance(scorer.relations[text], Oriented), shared_key)
            for scorer in setting.scorers
        ]
        missing = [number for number, key in enumerate(keys) if key not in self.coefficients]
        if missing:
            for number, values in zip(missing, self._correlated(missing, text), strict=True):
                self.coefficients[keys[number]] = values
        return [self.coefficients[key] for key in keys]

    def _correlated(self, numbers: Sequence[int], text: str) -> list[FloatArray]:
        """Return the values of a coefficient for some scorers."""
        average_by = self.setting.experiment.correlation.average_by
        scorers = [self.setting.scorers[number] for number in numbers]
        human = self._people[:, 0]
        scores = [self._people[:, 1:] if scorer.is_judges else self.scores[scorer.key] for scorer in scorers]
        relations = [scorer.relations[text] for scorer in scorers]
        drawn = None if self.resamples.systems is None else self.resamples.systems[self.rows.start : self.rows.stop]
        kind = relations[0].coefficient
        coefficients: dict[int, FloatArray] = {}
        if drawn is None and not (kind.is_fitted or kind.takes_grid):
            human_key = text, average_by, self.setting.human_key
            people = _once(self.human_sides, human_key, lambda: _side(kind, human, average_by, is_human=True))
            if people is not None:
                complete = {}
                for position, (scorer, relation) in enumerate(zip(scorers, relations, strict=True)):
                    key = (text, average_by, scorer.key, self.setting.human_key if scorer.is_judges else None)
                    prepare = partial(_side, relation.coefficient, scores[position], average_by)
                    side = _once(self.sides, key, prepare)
                    if side is not None:
                        complete[position] = relation, side
                coefficients = dict(zip(complete, _in_rows([*complete.values()], people), strict=True))
        systems: Sequence[slice | IntArray] = [slice(None)] * len(self.rows) if drawn is None else list(drawn)
        for position, (of_scorer, relation) in enumerate(zip(scores, relations, strict=True)):
            if position not in coefficients:
                draws = zip(of_scorer, human, systems, strict=True)
                values = [coefficients_of_draw(*draw, relation, average_by) for draw in draws]
                coefficients[position] = np.stack(values)
        return [coefficients[position] for position in range(len(scorers))]


def _side(kind: Coefficient, scores: FloatArray, average_by: str, *, is_human: bool = False) -> FloatArray | None:
    """Return the scores of one side as a coefficient prepares them, in rows; None if a score is missing."""
    return kind.prepare(arrange_rows(scores, average_by), is_human=is_human) if np.isfinite(scores).all() else None


def _in_rows(metrics: Sequence[tuple[Relation, FloatArray]], human: FloatArray) -> list[FloatArray]:
    """Return the coefficients of metrics that have all scores: for each one (replicates, rows).

    Rows do not depend on one another, so all replicates and metrics are correlated together.

    Parameters
    ----------
    metrics : sequence of (Relation, (replicates, subsets or 1, rows, n) float array)
    human : (replicates, rows, n) float array
    """
    if not metrics:
        return []
    relations = [relation for relation, scores in metrics for _ in range(scores.shape[1])]
    batches = []
    for some in parts(len(human), max(1, _CORRELATED_BATCH_SCORES // max(1, human[0].size * len(relations)))):
        of_subsets = [of_subset for _, scores in metrics for of_subset in scores[some].swapaxes(0, 1)]
        batches.append(correlate_lines(relations, of_subsets, human[some]))
    ends = np.cumsum([scores.shape[1] for _, scores in metrics])[:-1]
    of_metrics = np.array_split(np.concatenate(batches, axis=1), ends)
    return [of_subsets[0] if len(of_subsets) == 1 else of_subsets.mean(axis=0) for of_subsets in of_metrics]
