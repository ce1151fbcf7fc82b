"""The replicates of a cell whose centre is denoised: scores of whole systems, whatever is correlated across them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.correlation.averages import Relation
from metaeval.correlation.denoised import Denoised
from metaeval.experiment.cells import Cell, Line, systems_scored
from metaeval.records import FloatArray
from metaeval.replicates import Resamples


@dataclass(frozen=True)
class _Group:
    """Lines that have scores of the same systems; `places` are their positions among the lines of the cell."""

    places: Mapping[int, int]
    denoised: Denoised
    relations: Mapping[str, Mapping[int, Relation]]


@dataclass(frozen=True)
class DenoisedCell:
    """The denoised replicates of a cell."""

    groups: Sequence[_Group]
    n_replicates: int

    def of_line(self, number: int, text: str) -> FloatArray:
        """Return the replicates of a line; all undefined where it has no scores of parts."""
        for group in self.groups:
            if number in group.places:
                return group.denoised.of_line(group.places[number], group.relations[text][number])
        return np.full(self.n_replicates, np.nan)

    def of_pairs(self, pairs: Sequence[tuple[int, int]], text: str) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Give the replicates of pairs of lines, each pair centred together; undefined across different systems."""
        nothing = np.full(self.n_replicates, np.nan)
        of_group: list[Iterator[tuple[FloatArray, FloatArray]]] = []
        where = []
        for group in self.groups:
            places, relations = group.places, group.relations[text]
            inside = [pair for pair in pairs if pair[0] in places and pair[1] in places]
            by_place = {place: relations[number] for number, place in places.items()}
            own = [(places[first], places[second]) for first, second in inside]
            of_group.append(group.denoised.of_pairs(own, [by_place[place] for place in range(len(places))]))
            where.append(set(inside))
        for pair in pairs:
            found = next((one for one, own in zip(of_group, where, strict=True) if pair in own), None)
            yield (nothing, nothing) if found is None else next(found)


def denoise(
    cell: Cell,
    lines: Sequence[Line],
    scores: Sequence[FloatArray],
    resamples: Resamples,
    replicates: Mapping[int, FloatArray],
    human: FloatArray | None,
) -> DenoisedCell:
    """Return the denoised replicates of a cell.

    Parameters
    ----------
    cell : Cell
    lines : sequence of Line
    scores : sequence of (1, documents, systems) float arrays
        Of a coefficient that takes a grid, those of all its documents; else of one, the whole corpus.
    resamples : Resamples
        Of segments or documents.
    replicates : mapping of int to (replicates, systems) float array
        Of whole corpora, the scores of the systems, by the line; made here from a grid.
    human : (replicates, systems) float array or None
    """
    people = cell.scores.human
    is_grid = next(iter(lines[0].relations.values())).takes_grid
    if is_grid:
        assert resamples.segments is not None
        weights = resamples.segments / resamples.segments.sum(axis=1, keepdims=True, dtype=np.float64)
        replicates = {number: weights @ one[0] for number, one in enumerate(scores) if len(one) == 1}
        human = weights @ people
    assert human is not None
    by_systems: dict[bytes, list[int]] = {}
    for number in replicates:
        if len(scores[number]) == 1:
            by_systems.setdefault(systems_scored(scores[number]).tobytes(), []).append(number)
    groups = []
    for numbers in by_systems.values():
        kept = systems_scored(scores[numbers[0]])
        each = [*(scores[number][0] for number in numbers), people]
        values = np.stack([one[:, kept].mean(axis=0) for one in each])
        drawn = np.stack([replicates[number][:, kept] for number in numbers] + [human[:, kept]], axis=1)
        relations = {
            text: {
                number: relation.among_systems(scores[number][0][:, kept], people[:, kept]) if is_grid else relation
                for number in numbers
                for relation in (lines[number].relations[text],)
            }
            for text in lines[0].relations
        }
        places = {number: place for place, number in enumerate(numbers)}
        groups.append(_Group(places, Denoised(values, drawn), relations))
    return DenoisedCell(groups, len(resamples))
