r"""The greedy search of TER for shifts: a block of words moves to another place at the cost of one edit.

The fewest edits with shifts cannot be found in reasonable time, so Snover et al. search greedily. In each round the
text (the candidate as far as it has been shifted) is aligned with the reference, and of the electable shifts the one is
made after which the edit distance is least. The search ends when no shift pays for itself. What counts is the shifts
made, and the edit distance of what they lead to.

The alignment. A row of the table of edit distances belongs to each word of the text. From equally cheap ways the
alignment takes the one that matches or substitutes, rather than one that inserts, rather than one that deletes, decided
from the end backwards. With a beam, a row forgets the cells that cost more than the cheapest way to match or substitute
its word, plus the beam; the last row forgets nothing. So edits can be overlooked where lengths differ by more than the
beam.

The electable shifts. A block can move if

- it has at most `size` words, and the reference has the same words in a row (its aim);
- at least one word of the block is wrong where it is, and at least one word of the aim is not matched;
- the first word of the aim has its place outside the block, at most `distance` words from the block's first word.

The place of a reference word is the word of the text to which it is aligned, or if it is deleted, the last one before
it. The block may go behind the place of each word of the aim and behind that of the word before the aim; where the aim
is the beginning of the reference, to the front. With ``places="aligned"`` a deleted word offers no place, and the front
is none. Places within the block arise where the first word of the aim is placed before it: the block then moves as
many words to the right as that place lies behind its first word.

Ties. Of equally good shifts the longest is made, then the one that starts first, then that with the first aim, then
that with the first place. A shift may save nothing but its own cost. Tercom tries long blocks first and stops as soon
as the best shift saves, its own cost deducted, twice as much as the block now tried has words. An edit distance without
a beam never allows that, but one with a beam does; so this rule is part of the definition.

A text is a list of token ids throughout.

Sources
-------
In `bibliography.toml`: snover2006 (the search); morgenroth2011 (her definition 11: shifts to aligned places only, in
our reading). Tercom 0.8.0: beam, places, order of ties, stopping rule; it names insertions and deletions from the
reference's side, so that a word missing from the candidate is deleted.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from metaeval.metrics.gtm_matching import column_positions

Costs = npt.NDArray[np.int32]

# Above all costs, and far enough below the largest int32 that costs can be added.
_FORGOTTEN_COST = 1 << 29
# Cells of a row that are computed at once; more of them need memory and gain no time.
_MAX_CELLS_AT_ONCE = 1 << 18


@dataclass(frozen=True)
class EditCount:
    """Count the edits from a candidate to a reference.

    Attributes
    ----------
    insertions, deletions, substitutions, shifts : int
        Named from the reference's side: a surplus word of the candidate is an insertion.
    words_shifted : int
        The words in all blocks shifted.
    stopped : bool
        Whether the limit on electable shifts ended the search.
    """

    insertions: int
    deletions: int
    substitutions: int
    shifts: int
    words_shifted: int
    stopped: bool

    @property
    def edits(self) -> int:
        """The number of edits: each costs 1."""
        return self.insertions + self.deletions + self.substitutions + self.shifts


class Shift(NamedTuple):
    """A block of a text, `length` words from `start` on, which is to begin at `position` of the text without it."""

    start: int
    length: int
    position: int

    @property
    def unchanged(self) -> int:
        """The number of words before the block and before its new position."""
        return min(self.start, self.position)

    def apply(self, text: Sequence[int]) -> list[int]:
        """Return the text after the shift."""
        end = self.start + self.length
        rest = [*text[: self.start], *text[end:]]
        return [*rest[: self.position], *text[self.start : end], *rest[self.position :]]


@dataclass(frozen=True)
class Alignment:
    """Hold how a text is edited into a reference without shifts.

    Attributes
    ----------
    table : (words + 1, reference words + 1) int array
        The costs from the first words of the text to the first words of the reference.
    places : list of int
        For each reference word the word of the text that it is aligned to, or if it is deleted, the last one before
        it; -1 where there is none.
    deleted : list of bool
        Whether each reference word is.
    unmatched_reference, unmatched_text : list of bool
        Whether each word is anything but matched.
    insertions, deletions, substitutions : int
    """

    table: Costs
    places: list[int]
    deleted: list[bool]
    unmatched_reference: list[bool]
    unmatched_text: list[bool]
    insertions: int
    deletions: int
    substitutions: int

    @property
    def distance(self) -> int:
        """The cost of all edits."""
        return int(self.table[-1, -1])


@dataclass(frozen=True)
class ShiftSearch:
    """The search with its limits; None: no limit.

    Attributes
    ----------
    places : {"tercom", "aligned"}
        Where a block may go: see the module.
    size, distance : int or None
        The longest block, and how far off its place may be, in words.
    beam : int or None
        How much more than the cheapest a cell may cost.
    choices : int or None
        The search ends, with the shifts made so far, when it has met more electable shifts than this in all rounds.
    """

    places: str = "tercom"
    size: int | None = 10
    distance: int | None = 50
    beam: int | None = 20
    choices: int | None = None

    def count(self, candidate: Sequence[int], reference: Sequence[int]) -> EditCount:
        """Return the edits from a candidate to a reference."""
        text = list(candidate)
        words = np.array(reference, dtype=np.int64)
        aims = column_positions([reference])
        room = math.inf if self.choices is None else self.choices
        shifts = words_shifted = 0
        known = np.arange(len(words) + 1, dtype=np.int32)[None]
        while True:
            alignment = align(text, words, self.beam, known)
            electable: dict[Shift, None] = {}
            for shift in self._electable(text, reference, aims, alignment):
                electable[shift] = None
                if len(electable) > room:
                    break
            room -= len(electable)
            best = self._best(electable, text, words, alignment) if room >= 0 else None
            if best is None:
                edits = (alignment.insertions, alignment.deletions, alignment.substitutions)
                return EditCount(*edits, shifts, words_shifted, stopped=room < 0)
            text = best.apply(text)
            known = alignment.table[: best.unchanged + 1]
            shifts, words_shifted = shifts + 1, words_shifted + best.length

    def _electable(
        self, text: Sequence[int], reference: Sequence[int], aims: Mapping[int, Sequence[int]], alignment: Alignment
    ) -> Iterator[Shift]:
        """Yield the electable shifts, those of one length in the order in which ties are settled, some repeatedly."""
        distance = math.inf if self.distance is None else self.distance
        wrong_before = list(accumulate(alignment.unmatched_text, initial=0))
        open_before = list(accumulate(alignment.unmatched_reference, initial=0))
        for start, word in enumerate(text):
            for aim in aims.get(word, ()):
                place = alignment.places[aim]
                if abs(place - start) > distance:
                    continue
                for length in range(1, self._run_length(text, start, reference, aim) + 1):
                    end = start + length
                    if (
                        wrong_before[end] > wrong_before[start]
                        and open_before[aim + length] > open_before[aim]
                        and not start <= place < end
                    ):
                        for behind in self._offered(alignment, aim, length):
                            position = _landing(behind, start, length, len(text))
                            if position != start:
                                yield Shift(start, length, position)

    def _run_length(self, text: Sequence[int], start: int, reference: Sequence[int], aim: int) -> int:
        """Count the words that the text from `start` on shares with the reference from `aim` on, up to the limit."""
        most = min(len(text) - start, len(reference) - aim)
        if self.size is not None:
            most = min(most, self.size)
        length = 0
        while length < most and text[start + length] == reference[aim + length]:
            length += 1
        return length

    def _offered(self, alignment: Alignment, aim: int, length: int) -> Iterator[int]:
        """Yield the words of the text behind which a block may go, from left to right; -1 is the front."""
        if aim == 0 and self.places == "tercom":
            yield -1
        for k in range(max(0, aim - 1), aim + length):
            if self.places == "tercom" or not alignment.deleted[k]:
                yield alignment.places[k]

    def _best(
        self, electable: Collection[Shift], text: Sequence[int], reference: npt.NDArray[np.int64], alignment: Alignment
    ) -> Shift | None:
        """Return the shift after which the edits, itself included, are fewest; None where all make them more."""
        best, saved = None, -1
        longest_first = sorted(electable, key=lambda shift: -shift.length)
        for shift, cost in self._costs(longest_first, text, reference, alignment):
            if saved >= 2 * shift.length:
                break
            if alignment.distance - cost - 1 > saved:
                best, saved = shift, alignment.distance - cost - 1
        return best

    def _costs(
        self, shifts: Sequence[Shift], text: Sequence[int], reference: npt.NDArray[np.int64], alignment: Alignment
    ) -> Iterator[tuple[Shift, int]]:
        """Yield each shift with the edit distance after it."""
        at_once = max(1, _MAX_CELLS_AT_ONCE // (len(reference) + 1))
        for begin in range(0, len(shifts), at_once):
            several = shifts[begin : begin + at_once]
            texts = np.array([shift.apply(text) for shift in several])
            # What stands before all of them is as it was, and so are its rows.
            first = min(shift.unchanged for shift in several)
            *_, row = edit_rows(texts, reference, self.beam, first, alignment.table[first])
            yield from zip(several, row[:, -1].tolist(), strict=True)


def _landing(behind: int, start: int, length: int, n_words: int) -> int:
    """Return the start of a block, in the text without it, when it goes behind a word."""
    if behind < start:
        return behind + 1
    if behind < start + length:
        return min(behind, n_words - length)
    return behind + 1 - length


def edit_rows(
    texts: npt.NDArray[np.int64], reference: npt.NDArray[np.int64], beam: int | None, first: int, row: Costs
) -> Iterator[Costs]:
    """Yield the rows of the tables of edit distances of several texts of one length to one reference.

    Parameters
    ----------
    texts : (texts, words) int array
    reference : (reference words,) int array
    beam : int or None
        See the module; None: no cell is forgotten.
    first : int
        The number of words whose rows are known already.
    row : (reference words + 1,) int array
        The row after these words, common to all texts.

    Yields
    ------
    (texts, reference words + 1) int array
        The row after `first` words, then after each further word.
    """
    n_texts, n_words = texts.shape
    columns = np.arange(len(reference) + 1, dtype=np.int32)
    rows = np.broadcast_to(row, (n_texts, len(columns)))
    yield rows
    for k in range(first, n_words):
        aligned = rows[:, :-1] + (texts[:, k, None] != reference)
        reached = rows + 1
        np.minimum(reached[:, 1:], aligned, out=reached[:, 1:])
        # Column j can also be reached from any column i before it by j - i deletions: the least cost - i, plus j.
        rows = np.minimum.accumulate(reached - columns, axis=1) + columns
        if beam is not None and k < n_words - 1:
            least = aligned.min(axis=1, keepdims=True, initial=_FORGOTTEN_COST)
            rows[rows > least + beam] = _FORGOTTEN_COST
        yield rows


def align(text: Sequence[int], reference: npt.NDArray[np.int64], beam: int | None, known: Costs) -> Alignment:
    """Return the alignment of a text with a reference, as the module describes it.

    Parameters
    ----------
    text : sequence of int
    reference : (reference words,) int array
    beam : int or None
    known : (known words + 1, reference words + 1) int array
        The rows of the table that are known already: at least the first, which belongs to no word.
    """
    n_words, n_reference = len(text), len(reference)
    one_text = np.array([text], dtype=np.int64).reshape(1, n_words)
    table = np.concatenate([known[:-1], *edit_rows(one_text, reference, beam, len(known) - 1, known[-1])])
    costs, words = table.tolist(), reference.tolist()
    places, deleted, unmatched_reference = [-1] * n_reference, [True] * n_reference, [True] * n_reference
    unmatched_text = [True] * n_words
    i, j = n_words, n_reference
    insertions = deletions = substitutions = 0
    while i or j:
        if i and j and costs[i][j] == costs[i - 1][j - 1] + (text[i - 1] != words[j - 1]):
            i, j = i - 1, j - 1
            places[j], deleted[j] = i, False
            unmatched_reference[j] = unmatched_text[i] = text[i] != words[j]
            substitutions += unmatched_text[i]
        elif i and costs[i][j] == costs[i - 1][j] + 1:
            i -= 1
            insertions += 1
        else:
            j -= 1
            places[j] = i - 1
            deletions += 1
    return Alignment(table, places, deleted, unmatched_reference, unmatched_text, insertions, deletions, substitutions)
