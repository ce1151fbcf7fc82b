"""Replicates of pseudo-documents, in blocks of a fixed size: cells with the same documents share what they need.

A replicate is a whole experiment on the segments and systems that it draws: pseudo-documents are drawn again from them,
as many as in the experiment. The draws of a block are made once for all cells, the scores of a metric once for all
criteria and panels, and the human scores once for all reference subsets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from metaeval.contracts import Coefficient
from metaeval.correlation.averages import Relation, in_lines, in_rows
from metaeval.correlation.vectors import parts
from metaeval.experiment.cells import Cell, Line, scores_of_lines
from metaeval.experiment.humans import human_scores
from metaeval.experiment.redrawn import filled, of_draw, paired_means
from metaeval.randomness import generator
from metaeval.records import Documents, FloatArray, IntArray
from metaeval.replicates import Resamples
from metaeval.sampling.documents import draw_documents
from metaeval.store import digest

# The most replicates that are computed together, and in how many blocks of them few are, so that several processes have
# work; other sizes give the same numbers.
_SIZE, _BLOCKS = 25, 5
# Scores that are correlated at once; another number gives the same coefficients.
_AT_ONCE = 1 << 17


def size_of_blocks(n: int) -> int:
    """Return how many of n replicates a block has at most."""
    return min(_SIZE, -(-n // _BLOCKS))


class Redrawn(NamedTuple):
    """A cell whose replicates are computed.

    Attributes
    ----------
    cell : Cell
    lines : sequence of Line
    origins : sequence of str
        Of the lines: see `Line.origin`.
    resamples : Resamples
        All replicates.
    """

    cell: Cell
    lines: Sequence[Line]
    origins: Sequence[str]
    resamples: Resamples


def same_documents(cells: Sequence[Redrawn]) -> list[list[int]]:
    """Return the places of the cells whose replicates have the same documents, those of the same subsets in a row."""
    found: dict[object, list[int]] = {}
    for place, one in enumerate(cells):
        travels = all(line.travels for line in one.lines)
        key = *replicate_name(one), len(one.cell.scores.segments), id(one.resamples), travels
        found.setdefault(key, []).append(place)
    return [sorted(places, key=lambda place: str(cells[place].cell.judged.group)) for places in found.values()]


def block_means(cells: Sequence[Redrawn], places: Sequence[int], numbers: range) -> list[FloatArray]:
    """Return the means of a block of replicates, `numbers`, of each of some cells: see `Block.means`.

    What several of them need is made once: the documents, the scores of a metric for all criteria, and the human scores
    for all reference subsets.
    """
    known: dict[str, dict[str, Any]] = {}
    alike: dict[str, list[Block]] = {}
    blocks = [Block(*cells[place], numbers, known, alike) for place in places]
    for one in blocks:
        alike.setdefault(one.scored, []).append(one)
    needed = Counter(name for one in blocks for name in one.origins_of_all)
    found: list[FloatArray] = []
    for one in blocks:
        found.append(one.means())
        alike[one.scored].pop(0)
        # What none of the others needs goes: all of it together may be large.
        needed.subtract(one.origins_of_all)
        for name in one.origins_of_all:
            if not needed[name]:
                known.pop(name, None)
    return found


def replicate_name(one: Redrawn) -> tuple[str | int, ...]:
    """Return what the draws of a cell are for."""
    # The inter-judge line can have segments, and so draws, of its own.
    assert one.cell.scores.length is not None
    return ("replicates", "documents" if one.lines[0].preprocessing else "inter-judge", one.cell.scores.length)


@dataclass(frozen=True)
class Block:
    """Some replicates of a cell, one after the other.

    Attributes
    ----------
    cell, lines, origins, resamples
        See `Redrawn`.
    numbers : range
        Those of the block.
    known : dict of dict
        What other cells have needed too, by the digest of what determines it: documents, or scores of a metric or of
        people with what coefficients make of them.
    alike : dict of lists
        The blocks, as far as they have not been looked at, by their `scored`.
    """

    cell: Cell
    lines: Sequence[Line]
    origins: Sequence[str]
    resamples: Resamples
    numbers: range
    known: dict[str, dict[str, Any]]
    alike: dict[str, list[Block]]

    def means(self) -> FloatArray:
        """Return the mean coefficients of the lines: (numbers, coefficients, lines, lines), as `paired_means` does."""
        undefined = self.cell.experiment.correlation.undefined
        of_texts = (np.stack(self._coefficients(text), axis=1) for text in self.lines[0].relations)
        return np.stack([paired_means(filled(one, undefined)) for one in of_texts], axis=1)

    @cached_property
    def _name(self) -> tuple[str | int, ...]:
        return replicate_name(Redrawn(self.cell, self.lines, self.origins, self.resamples))

    @cached_property
    def _drawn(self) -> str:
        """A digest of all that determines the documents."""
        rows = slice(self.numbers.start, self.numbers.stop)
        resamples, settings = self.resamples, self.cell.experiment.documents
        return digest(
            (self.cell.experiment.seed, self._name, self.numbers.start, len(self.numbers)),
            (settings.count, settings.replacement, len(self.cell.scores.segments)),
            None if resamples.segments is None else resamples.segments[rows],
        )

    @cached_property
    def origins_of_all(self) -> set[str]:
        """The digests of what determines the documents, the human scores, and the scores of each line."""
        return {self._drawn, self._of_people, *self._of_lines}

    @cached_property
    def _documents(self) -> Documents:
        """The documents of all replicates, one replicate after the other."""
        of_drawn = self.known.setdefault(self._drawn, {})
        if "documents" not in of_drawn:
            indices = np.concatenate([self._draw(number) for number in self.numbers])
            of_drawn["documents"] = Documents(indices=indices)
        documents: Documents = of_drawn["documents"]
        return documents

    def _draw(self, number: int) -> IntArray:
        """Return the documents of a replicate, made of the segments that were drawn for it, if any were."""
        settings, scores, resamples = self.cell.experiment.documents, self.cell.scores, self.resamples
        rng = generator(self.cell.experiment.seed, *self._name, number)
        drawn = np.arange(len(scores.segments), dtype=np.int32)
        if resamples.segments is not None:
            drawn = np.repeat(drawn, resamples.segments[number])

        def draw(n_segments: int, length: int) -> Documents:
            return draw_documents(n_segments, length, settings.count, rng, replacement=settings.replacement)

        documents = settings.units.make(self.cell.corpus, scores.segments[drawn], scores.length, draw)
        assert documents.indices is not None
        return drawn[documents.indices]

    @cached_property
    def _of_people(self) -> str:
        """A digest of all that determines the human scores."""
        cell, items = self.cell, self.cell.scores.items
        drawn = (cell.judged.criterion.name, cell.corpus.systems) if cell.experiment.judgments.rule == "draw" else ()
        settings, two = cell.experiment.judgments, cell.scores.second is not None
        return digest(self._drawn, items.values, items.counts, settings.rule, settings.ties, drawn, two)

    @cached_property
    def _people(self) -> FloatArray:
        """The human scores, and those by other judgments if there are any: (numbers, 1 or 2, documents, systems)."""
        of_people = self.known.setdefault(self._of_people, {})
        if "scores" not in of_people:
            of_people["scores"] = self._judge()
        people: FloatArray = of_people["scores"]
        return people

    def _judge(self) -> FloatArray:
        cell, two = self.cell, self.cell.scores.second is not None
        names = [("judgments", *self._name, number, cell.judged.criterion.name) for number in self.numbers]
        sides = human_scores(cell.scores.items, self._documents, cell.experiment, cell.corpus.systems, names, two=two)
        found = np.stack([one for one in sides if one is not None])
        return found.reshape(len(found), len(self.numbers), -1, found.shape[2]).swapaxes(0, 1)

    @cached_property
    def scored(self) -> str:
        """A digest of what is scored; lines of blocks where this is the same are scored together."""
        scores, group = self.cell.scores, self.cell.judged.group
        return digest(self._drawn, scores.segments, scores.metric_items, group.label, len(group.subsets), group.combine)

    def _scores(self, place: int) -> FloatArray:
        """Return the scores of a line: (numbers, subsets or 1, documents, systems)."""
        if self._are_of_people[place]:
            return self._people[:, 1:]
        of_line = self.known.setdefault(self._of_lines[place], {})
        if "scores" not in of_line:
            self._score_together(place)
        scores: FloatArray = of_line["scores"]
        return scores

    def _score_together(self, own: int) -> None:
        """Score the documents by a line, and by all others of this block and those like it that are not scored."""
        missing = {self._of_lines[own]: self.lines[own]}
        for block in self.alike[self.scored]:
            missing |= {
                name: line
                for line, name, is_of_people in zip(block.lines, block._of_lines, block._are_of_people, strict=True)
                if not is_of_people and "scores" not in self.known.setdefault(name, {})
            }
        repeated = replace(self.cell.scores, documents=self._documents, repeats=len(self.numbers))
        for name, one in zip(missing, scores_of_lines([*missing.values()], repeated), strict=True):
            scores = one.reshape(len(one), len(self.numbers), -1, one.shape[2]).swapaxes(0, 1)
            self.known[name]["scores"] = scores

    @cached_property
    def _are_of_people(self) -> list[bool]:
        """Whether the scores of each line are those of people."""
        return [not line.is_metric and line.preprocessing == "" for line in self.lines]

    @cached_property
    def _of_lines(self) -> list[str]:
        """A digest of all that determines the scores of each line."""
        items = self.cell.scores.metric_items
        return [
            self._of_people if is_of_people else digest(self._drawn, origin, self.cell.scores.segments, items)
            for is_of_people, origin in zip(self._are_of_people, self.origins, strict=True)
        ]

    def _side(self, kind: Coefficient, scores: FloatArray, place: int | None = None) -> FloatArray | None:
        """Return what a coefficient makes of the scores of a line, or of people, in rows: (numbers, ..., rows, n).

        None where a score is missing.
        """
        known = self.known.setdefault(self._of_people if place is None else self._of_lines[place], {})
        average_by = self.cell.experiment.correlation.average_by
        # The judges' line has other scores under the digest of the human ones.
        name = f"{kind!r}, {average_by}, {'metric' if place is not None else 'human'}"
        if name not in known:
            rows = in_rows(scores, average_by)
            known[name] = kind.of_side(rows, is_human=place is None) if np.isfinite(scores).all() else None
        side: FloatArray | None = known[name]
        return side

    def _coefficients(self, text: str) -> list[FloatArray]:
        """Return the coefficients of all lines: for each one (numbers, documents), or systems, or 1."""
        drawn = self.resamples.systems
        drawn = None if drawn is None else drawn[self.numbers.start : self.numbers.stop]
        systems: Sequence[slice | IntArray] = [slice(None)] * len(self.numbers) if drawn is None else list(drawn)
        average_by = self.cell.experiment.correlation.average_by
        relations = [line.relations[text] for line in self.lines]

        def relate(places: list[int]) -> list[FloatArray]:
            scores, human = {place: self._scores(place) for place in places}, self._people[:, 0]
            kind = relations[0].coefficient
            found: dict[int, FloatArray] = {}
            each = drawn is None and not (kind.is_fitted or kind.takes_grid)
            people = self._side(kind, human) if each else None
            if people is not None:
                sides = {place: self._side(relations[place].coefficient, scores[place], place) for place in places}
                whole = {place: (relations[place], side) for place, side in sides.items() if side is not None}
                found = dict(zip(whole, _in_rows([*whole.values()], people), strict=True))
            for place in places:
                if place not in found:
                    of_each = zip(scores[place], human, systems, strict=True)
                    found[place] = np.stack([of_draw(*one, relations[place], average_by) for one in of_each])
            return [found[place] for place in places]

        # Cells of other panels may have some of them.
        held = [self.known.setdefault(name, {}) for name in self._of_lines]
        names = [f"{relation!r}, {average_by}, with {self._of_people}" for relation in relations]
        missing = [place for place, (of_line, name) in enumerate(zip(held, names, strict=True)) if name not in of_line]
        for place, values in zip(missing, relate(missing) if missing else (), strict=True):
            held[place][names[place]] = values
        return [of_line[name] for of_line, name in zip(held, names, strict=True)]


def _in_rows(lines: Sequence[tuple[Relation, FloatArray]], human: FloatArray) -> list[FloatArray]:
    """Return the coefficients of lines that have all scores: for each one (numbers, rows).

    No row depends on another, in whichever replicate it is, so that all replicates and lines are correlated together.

    Parameters
    ----------
    lines : sequence of (Relation, (numbers, subsets or 1, rows, n) float array)
    human : (numbers, rows, n) float array
    """
    if not lines:
        return []
    relations = [relation for relation, scores in lines for _ in range(scores.shape[1])]
    found = []
    for some in parts(len(human), max(1, _AT_ONCE // max(1, human[0].size * len(relations)))):
        metrics = [of_subset for _, scores in lines for of_subset in scores[some].swapaxes(0, 1)]
        found.append(in_lines(relations, metrics, human[some]))
    ends = np.cumsum([scores.shape[1] for _, scores in lines])[:-1]
    of_lines = np.array_split(np.concatenate(found, axis=1), ends)
    return [one[0] if len(one) == 1 else one.mean(axis=0) for one in of_lines]
