"""Similarity of ratings, item by item: between a judge and people, and among people.

The likeness of two labels or preferences is 1 where they are equal and 0 elsewhere; that of two grades or numbers is
minus their absolute difference, in the units of the ratings. Both are averaged over people, and then over items.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from metaeval.datamodel.corpus import BoolArray, FloatArray, IntArray
from metaeval.ratings.table import Ratings


@dataclass(frozen=True, eq=False)
class PeopleRatings:
    """The ratings of people, sorted by item, one for each person and item.

    Attributes
    ----------
    is_ordered : bool
        Whether values are grades or numbers.
    n_items : int
        That `item` counts.
    item, rater : (ratings,) int arrays
    value : (ratings,) float array
    counts : (items,) int array
        How many people rated each item.
    rest : (ratings,) float array
        How alike each rating is to the others of its item, on average; ``nan`` where there is no other.
    among : (items,) float array
        How alike the people of an item are to one another, over all pairs of them; ``nan`` for fewer than two.
    """

    is_ordered: bool
    n_items: int
    item: IntArray
    rater: IntArray
    value: FloatArray
    counts: IntArray
    rest: FloatArray
    among: FloatArray

    @classmethod
    def from_ratings(cls, ratings: Ratings, mask: BoolArray) -> PeopleRatings:
        """Return some of the ratings of a table, of which each person rated an item once."""
        order = np.argsort(ratings.item[mask], kind="stable")
        item = ratings.item[mask][order]
        rater = ratings.rater[mask][order]
        value = ratings.value[mask][order]
        counts = np.bincount(item, minlength=len(ratings.items))
        rest = np.full(len(item), np.nan)
        among = np.full(len(ratings.items), np.nan)
        of_row = counts[item]
        for count in np.unique(counts[counts > 1]).tolist():
            rows = np.flatnonzero(of_row == count).reshape(-1, count)
            values = value[rows]
            alike = likeness(values[:, :, None], values[:, None, :], is_ordered=ratings.is_ordered)
            total = alike.sum(axis=2) - alike[:, range(count), range(count)]
            rest[rows] = total / (count - 1)
            among[item[rows[:, 0]]] = (total / (count - 1)).mean(axis=1)
        return cls(
            is_ordered=ratings.is_ordered,
            n_items=len(ratings.items),
            item=item,
            rater=rater,
            value=value,
            counts=counts,
            rest=rest,
            among=among,
        )

    def likeness_to(self, answers: FloatArray) -> FloatArray:
        """Measure the likeness of an answer to the people of each item, (items,); ``nan`` if one of them is missing."""
        return self.mean_by_item(likeness(answers[self.item], self.value, is_ordered=self.is_ordered))

    def mean_by_item(self, values: FloatArray) -> FloatArray:
        """Return the mean of values of the ratings of each item; ``nan`` where there is none."""
        sums = np.bincount(self.item, values, minlength=self.n_items)
        return np.where(self.counts > 0, sums / np.maximum(self.counts, 1), np.nan)

    def where(self, items: BoolArray) -> PeopleRatings:
        """Return the ratings of some items."""
        rows = items[self.item]
        return replace(
            self,
            item=self.item[rows],
            rater=self.rater[rows],
            value=self.value[rows],
            counts=np.where(items, self.counts, 0),
            rest=self.rest[rows],
            among=np.where(items, self.among, np.nan),
        )

    def constant_answer(self) -> float:
        """Return the best answer that looks at no item: the most frequent one, or the median of grades and numbers.

        Of answers that are equally frequent it is the lowest. The median of grades is the lower of two in the middle.
        """
        if not len(self.value):
            return float("nan")
        if self.is_ordered:
            return float(np.sort(self.value)[(len(self.value) - 1) // 2])
        different, counts = np.unique(self.value, return_counts=True)
        return float(different[np.argmax(counts)])


def likeness(x: FloatArray, y: FloatArray, *, is_ordered: bool) -> FloatArray:
    """Measure the likeness of two ratings; ``nan`` where one is missing. Arrays are broadcast against each other."""
    if is_ordered:
        return -np.abs(x - y)
    return np.where(np.isnan(x) | np.isnan(y), np.nan, (x == y) * 1.0)


def without_person(people: PeopleRatings, person: int) -> FloatArray:
    """Measure the likeness of the people of an item to one another without one of them, (items,)."""
    # The pairs of an item without those of the person: m (m - 1) among - 2 (m - 1) rest of the person.
    m = people.counts.astype(float)
    _, rest = own_ratings(people, person)
    is_rated = ~np.isnan(rest)
    pairs = np.where(is_rated, (m - 1) * (m - 2), m * (m - 1))
    total = m * (m - 1) * people.among - np.where(is_rated, 2 * (m - 1) * rest, 0.0)
    return np.where(pairs > 0, total / np.maximum(pairs, 1), np.nan)


def own_ratings(people: PeopleRatings, person: int) -> tuple[FloatArray, FloatArray]:
    """Return the ratings of a person, and how alike each is to the others of its item: (items,) each."""
    is_own = people.rater == person
    own_values = np.full(people.n_items, np.nan)
    own_values[people.item[is_own]] = people.value[is_own]
    rest = np.full(people.n_items, np.nan)
    rest[people.item[is_own]] = people.rest[is_own]
    return own_values, rest
