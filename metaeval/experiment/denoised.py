"""The replicates of a cell whose centre is denoised: scores of whole systems, whatever is correlated across them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.correlation.averages import Relation, systems_scored
from metaeval.correlation.denoised import Denoised
from metaeval.experiment.cells import Cell, Line
from metaeval.experiment.redrawn import blocks
from metaeval.records import FloatArray
from metaeval.replicates import Resamples


@dataclass(frozen=True)
class _Group:
    """Lines that have scores of the same systems: the places of their numbers, and their coefficients by name."""

    places: Mapping[int, int]
    denoised: Denoised
    relations: Mapping[str, Mapping[int, Relation]]


@dataclass(frozen=True)
class DenoisedCell:
    """The denoised replicates of a cell."""

    groups: Sequence[_Group]
    n_replicates: int

    def of(self, numbers: Sequence[int], text: str) -> list[FloatArray]:
        """Return the replicates of some lines, centred together: (replicates,) each.

        They are undefined where a line has no scores of parts, or the lines have scores of different systems.
        """
        for group in self.groups:
            if all(number in group.places for number in numbers):
                places = [group.places[number] for number in numbers]
                return group.denoised.of(places, [group.relations[text][number] for number in numbers])
        return [np.full(self.n_replicates, np.nan) for _ in numbers]


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
    is_grid = next(iter(lines[0].relations.values())).coefficient.takes_grid
    if is_grid:
        assert resamples.segments is not None
        found = dict[int, list[FloatArray]]()
        for rows in blocks(len(resamples), 4 * len(people), len(resamples)):
            counts = resamples.segments[rows]
            weights = counts / counts.sum(axis=1, keepdims=True, dtype=np.float64)
            for number, one in enumerate([*scores, people[np.newaxis]]):
                if len(one) == 1:
                    found.setdefault(number, []).append(weights @ one[0])
        together = {number: np.concatenate(each) for number, each in found.items()}
        human = together.pop(len(scores))
        replicates = together
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
                for relation in (lines[number].relations[text].of_systems(kept),)
            }
            for text in lines[0].relations
        }
        places = {number: place for place, number in enumerate(numbers)}
        groups.append(_Group(places, Denoised(values, drawn), relations))
    return DenoisedCell(groups, len(resamples))
