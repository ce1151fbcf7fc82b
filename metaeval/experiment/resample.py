"""Replicates of an experiment: the same documents, scores and coefficients from segments or systems drawn again.

The definition: a replicate draws as many segments, systems or both as there are, with replacement, makes the whole
experiment from them again (documents, judgments, human and metric scores, coefficients), and keeps the mean coefficient
of each line. So the spread of the replicates is that of the published number on new text. Three functions follow it:

``blocks.Block``
    To the letter, for one replicate: pseudo-documents are drawn again from its segments, as many as in the experiment.
``wholes.of_whole``
    The whole corpus is one document, a row of segment weights; a replicate is another row. So a thousand replicates are
    a thousand documents, which are pooled and scored at once, and nothing is scored twice.
``of_units``
    Segments and real documents are drawn as they are, and their scores stay the same. Where each has a coefficient of
    its own, that stays the same too: a replicate is the mean of the coefficients, weighted by how often each document
    was drawn, and all replicates are one product of counts and coefficients.

Means of two lines are compared over the documents where both have a coefficient, so each way but that of whole corpora
gives the means of all pairs of lines (``Paired``).
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from metaeval.contracts import Interval, Test
from metaeval.correlation.averages import Relation
from metaeval.errors import MetricError
from metaeval.experiment.blocks import Redrawn, block_means, same_documents, size_of_blocks
from metaeval.experiment.cells import Cell
from metaeval.experiment.denoised import DenoisedCell, denoise
from metaeval.experiment.executor import SERIAL, Call, Executor, Kind
from metaeval.experiment.grid import Grid
from metaeval.experiment.redrawn import Paired, of_units, shares
from metaeval.experiment.wholes import PEOPLE, Values, of_whole
from metaeval.experiment.workers import Shared
from metaeval.progress import Tally
from metaeval.randomness import generator
from metaeval.records import FloatArray, IntArray
from metaeval.replicates import Resamples
from metaeval.sampling.resamples import OfGroups, draw_resamples


@dataclass(frozen=True)
class Replicates:
    """The coefficients of the lines of a cell in bootstrap replicates.

    Attributes
    ----------
    values : mapping of (line, coefficient) to (replicates,) float array
        Mean coefficients, by the position of the line and the name of the coefficient; ``nan`` where undefined.
    weights : (replicates,) float array, or None
        See `Resamples`.
    denoised : DenoisedCell, or None
        The coefficients in the same replicates with a denoised centre, where an interval or a test asks for them.
    paired : mapping of coefficient to Paired
        Nothing for a whole corpus, which is one document.
    jackknife : mapping of (line, coefficient) to list of (units,) float arrays
        Without each segment, without each system, as far as these are resampled; empty unless asked for.
    scores : mapping of int to (replicates, systems) float array
        The scores of the systems by the position of the line, where segments are resampled and each line has one;
        8 bytes for each replicate, system and line.
    human : (replicates, systems) float array or None
        The human scores.
    """

    values: Values
    weights: FloatArray | None
    denoised: DenoisedCell | None = None
    paired: Mapping[str, Paired] = field(default_factory=dict)
    jackknife: Mapping[tuple[int, str], Sequence[FloatArray]] = field(default_factory=dict)
    scores: Mapping[int, FloatArray] = field(default_factory=dict)
    human: FloatArray | None = None

    def __len__(self) -> int:
        return len(next(iter(self.values.values()))) if self.denoised is None else self.denoised.n_replicates

    def of(self, numbers: Sequence[int], text: str, *, denoised: bool) -> list[FloatArray]:
        """Return the replicates of a line, or of two over the documents where both have a value: (replicates,) each."""
        if denoised:
            assert self.denoised is not None
            return self.denoised.of(numbers, text)
        if len(numbers) == 1 or text not in self.paired:
            return [self.values[number, text] for number in numbers]
        first, second = numbers
        return [self.paired[text].of(first, second), self.paired[text].of(second, first)]


class Resampler:
    """Draws the replicates of a corpus once, and computes the coefficients of cells in them.

    Parameters
    ----------
    executor : Executor
        Makes the replicates of pseudo-documents.

    Attributes
    ----------
    tally : Tally
        Counts the replicates of pseudo-documents, which take long.
    """

    def __init__(self, executor: Executor = SERIAL) -> None:
        self.tally = Tally()
        self._executor = executor
        self._drawn: dict[tuple[str, int, int, int, int, bytes], Resamples] = {}
        self._coming: Iterator[dict[str, Paired]] = iter(())
        self._pseudo: _Pseudo | None = None

    def plan(self, cells: Sequence[Grid]) -> None:
        """Take the cells whose replicates :meth:`replicates` will return, in this order; pseudo-documents in any.

        While one cell is looked at, the replicates of the next ones are made.
        """
        if cells and cells[0].cell.experiment.needs_replicates:
            if cells[0].cell.experiment.documents.units.is_drawn:
                self._pseudo = _Pseudo(cells, self)
            else:
                self._coming = self._of_units(cells)

    def replicates(self, one: Grid) -> Replicates:
        """Return the coefficients of lines in the replicates of a cell, the next one of the plan.

        Raises
        ------
        MetricError
            If a metric fails, in this cell or in another one of the plan.
        """
        cell, lines, scores = one.cell, one.lines, one.scores
        interval, kind = cell.experiment.uncertainty.interval, cell.experiment.documents.units
        resamples = self.resamples(cell)
        kept: dict[int, list[FloatArray]] = {}
        values: Values = {}
        paired: dict[str, Paired] = {}
        kinds: list[Interval | Test] = [interval, *(one.test for one in cell.experiment.tests)]
        plain = any(one.needs_replicates and not one.is_denoised for one in kinds)
        if kind.is_whole:
            values = of_whole(cell, lines, scores, resamples, kept)
        elif self._pseudo is not None:
            values, paired = _by_line(self._pseudo.of(one))
        elif plain or cell.experiment.bounds_fractions:
            values, paired = _by_line(next(self._coming))
        together = {number: np.concatenate(parts) for number, parts in kept.items()}
        human = together.pop(PEOPLE, None)
        found = Replicates(values, resamples.weights, paired=paired, scores=together, human=human)
        if any(one.is_denoised for one in kinds):
            found = replace(found, denoised=denoise(cell, lines, scores, resamples, together, human))
        if not interval.needs_jackknife:
            return found
        left_out = [
            of_whole(cell, lines, scores, without, None)
            if kind.is_whole
            else _by_line(_joined(one, without, (call.make() for call in _unit_calls(one, without))))[0]
            for without in _without_each(resamples, cell.groups)
        ]
        return replace(found, jackknife={key: [part[key] for part in left_out] for key in values})

    def resamples(self, cell: Cell) -> Resamples:
        """Return what the replicates of a cell draw again; the same for all cells with equally many units."""
        seed, groups = cell.experiment.seed, cell.groups
        what = "segments" if cell.resample == "documents" else cell.resample
        n_resamples = cell.experiment.uncertainty.replicates
        sizes = what, cell.n_units, cell.scores.human.shape[1], n_resamples
        key = (*sizes, seed, b"" if groups is None else groups.tobytes())
        if key not in self._drawn:
            # Half of the memory is for what is made of them.
            kept = (one.segments for one in self._drawn.values() if isinstance(one.segments, np.ndarray))
            memory = self._executor.memory // 2 - sum(one.nbytes for one in kept)
            drawn = draw_resamples(
                *sizes,
                rng_segments=generator(seed, "bootstrap", "segments"),
                rng_systems=generator(seed, "bootstrap", "systems"),
                memory=memory,
            )
            if groups is not None and drawn.segments is not None:
                of_segments = OfGroups(drawn.segments, groups)
                is_small = 2 * math.prod(of_segments.shape) <= memory
                drawn = replace(drawn, segments=of_segments[:] if is_small else of_segments)
            self._drawn[key] = drawn
        return self._drawn[key]

    @property
    def n_left(self) -> int:
        """How many replicates of pseudo-documents of the plan have not been made."""
        return 0 if self._pseudo is None else self._pseudo.n_left

    def _of_units(self, cells: Sequence[Grid]) -> Iterator[dict[str, Paired]]:
        """Give the means of each cell by the coefficient, as `of_units` does."""
        resamples = [self.resamples(one.cell) for one in cells]
        calls = [call for one, drawn in zip(cells, resamples, strict=True) for call in _unit_calls(one, drawn)]
        # Products and kernels run side by side in threads; where systems are drawn, each replicate is many short calls.
        kind: Kind = "processes" if cells[0].cell.resample in ("systems", "both") else "threads"
        with closing(self._executor.run(calls, kind)) as found:
            for one, drawn in zip(cells, resamples, strict=True):
                yield _joined(one, drawn, found)

    def blocks(self, cells: Sequence[Grid]) -> tuple[list[Redrawn], list[tuple[list[int], range]]]:
        """Return what the replicates of cells are made of, and all blocks of them: places of cells, and which."""
        redrawn = []
        for one in cells:
            cell, lines = one.cell, one.lines
            # What origins are made of may not travel to a process either.
            own, origins = [replace(line, origin=str) for line in lines], [line.origin() for line in lines]
            redrawn.append(Redrawn(cell.for_replicates(), own, origins, self.resamples(cell)))
        return redrawn, [
            (places, range(n)[start : start + size_of_blocks(n)])
            for places in same_documents(redrawn)
            for n in [len(redrawn[places[0]].resamples)]
            for start in range(0, n, size_of_blocks(n))
        ]

    def means(
        self, redrawn: Sequence[Redrawn], blocks: Sequence[tuple[list[int], range]]
    ) -> Generator[Iterator[tuple[int, FloatArray]], None, None]:
        """Give the means of blocks, in their order: of each of its cells, with its place."""
        # What others have written may not travel to a process, so it stays here.
        travels = [all(line.travels for line in one.lines) for one in redrawn]
        shared = Shared([one if goes else None for one, goes in zip(redrawn, travels, strict=True)])
        calls = [
            Call(block_means, (places, numbers), shared, _said(redrawn[places[0]].cell, numbers))
            for places, numbers in blocks
            if travels[places[0]]
        ]
        # Processes: a replicate is many short calls, which threads would make wait for one another.
        with closing(self._executor.run(calls, "processes")) as found:
            for places, numbers in blocks:
                means = next(found) if travels[places[0]] else block_means(redrawn, places, numbers)
                self.tally.add(len(places) * len(numbers))
                yield zip(places, means, strict=True)


class _Pseudo:
    """The replicates of cells of pseudo-documents, each block of them made for all cells that have the same documents.

    Parameters
    ----------
    cells : sequence of Grid
    resampler : Resampler
    """

    def __init__(self, cells: Sequence[Grid], resampler: Resampler) -> None:
        redrawn, blocks = resampler.blocks(cells)
        self._places = {id(one.cell): place for place, one in enumerate(cells)}
        self._lengths = [len(one.resamples) for one in redrawn]
        self.n_left = sum(self._lengths)
        self._of_cells: list[list[FloatArray]] = [[] for _ in cells]
        self._coming = resampler.means(redrawn, blocks)
        self._failure: MetricError | None = None

    def of(self, one: Grid) -> dict[str, Paired]:
        """Return the means of a cell by the coefficient, as `Block.means` does."""
        place = self._places[id(one.cell)]
        own = self._of_cells[place]
        while sum(map(len, own)) < self._lengths[place]:
            if self._failure is not None:
                raise self._failure
            try:
                found = next(self._coming)
            except MetricError as error:
                self._failure = error
                raise
            for other, of_block in found:
                self._of_cells[other].append(of_block)
                self.n_left -= len(of_block)
        if not self.n_left:
            self._coming.close()  # it holds statistics, and others that would go on
        whole = np.concatenate(own)
        return {text: Paired.of_each(whole[:, number]) for number, text in enumerate(one.lines[0].relations)}


def _unit_calls(one: Grid, resamples: Resamples) -> list[Call]:
    """Return what computes the replicates of real documents or segments: for each coefficient, their shares."""
    cell, lines, scores = one.cell, one.lines, one.scores
    how, people = cell.experiment.correlation, cell.scores.human
    shared = Shared((scores, people, resamples))
    return [
        Call(_of_share, ([line.relations[text] for line in lines], how.average_by, how.undefined, share), shared, text)
        for text in lines[0].relations
        for share in shares(len(resamples), len(people))
    ]


def _of_share(
    given: tuple[Sequence[FloatArray], FloatArray, Resamples],
    relations: Sequence[Relation],
    average_by: str,
    undefined: str,
    share: slice,
) -> Paired:
    scores, people, resamples = given
    return of_units(scores, people, relations, average_by, undefined, resamples, share)


def _joined(one: Grid, resamples: Resamples, found: Iterator[Paired]) -> dict[str, Paired]:
    """Return all replicates of a cell by the coefficient, from the results of its calls."""
    joined = {}
    for text in one.lines[0].relations:
        for share in shares(len(resamples), len(one.cell.scores.human)):
            part = next(found)
            if len(part.means) == len(resamples):
                joined[text] = part
            else:
                joined.setdefault(text, Paired.empty(len(resamples), part.groups)).means[share] = part.means
    return joined


def _said(cell: Cell, numbers: range) -> str:
    return f"{cell.path}: replicates {numbers.start + 1} to {numbers.stop}"


def _by_line(paired: dict[str, Paired]) -> tuple[Values, dict[str, Paired]]:
    """Return the means of each line, beside itself, and all paired means."""
    values = {
        (number, text): np.ascontiguousarray(means.of(number, number))
        for text, means in paired.items()
        for number in range(len(means.groups))
    }
    return values, paired


def _without_each(resamples: Resamples, groups: IntArray | None) -> list[Resamples]:
    """Return replicates that leave out one segment each, or one of the `groups` of segments, and one system each."""
    found = []
    if groups is not None:
        left_out = np.arange(int(groups.max()) + 1)[:, None]
        found.append(Resamples((groups != left_out).astype(np.uint16), None))
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
