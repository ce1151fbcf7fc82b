"""Ratings of items by raters: one record for people, crowds and automatic judges, with or without texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from metaeval.corpora.judgment_columns import NUMBER
from metaeval.datamodel.annotations import read_only
from metaeval.datamodel.corpus import FloatArray, IntArray
from metaeval.errors import UsageError, counted, listing

if TYPE_CHECKING:
    import pandas as pd

RaterKind = Literal["person", "crowd", "automatic"]
ScaleKind = Literal["number", "grade", "label", "preference"]
RATER_KINDS: tuple[RaterKind, ...] = ("person", "crowd", "automatic")
SCALE_KINDS: tuple[ScaleKind, ...] = ("number", "grade", "label", "preference")
# What may be known of an item, and which of them say what is drawn again, the largest first.
LENGTHS = ("length", "length_a", "length_b")
ITEM_FACTS = ("system", "system_a", "system_b", "segment", "document", *LENGTHS)
CLUSTERS = ("document", "segment")
# What the values of preferences mean.
PREFERENCES = {1.0: "first system", 0.0: "neither", -1.0: "second system"}


@dataclass(frozen=True, eq=False, repr=False)
class Ratings:
    """Ratings of items on one criterion, as parallel arrays with a row each, which cannot be written to.

    Attributes
    ----------
    items : tuple of str
        Names of what was rated, all different: a segment of a system, a question with its answer, a pair of outputs.
    raters : tuple of str
        Names of who rated, all different.
    rater_kinds : tuple of {"person", "crowd", "automatic"}
        Of each rater. A crowd is a place that different people filled, such as the first worker of each item.
    item, rater : (ratings,) int arrays
        Indices into `items` and `raters`.
    value : (ratings,) float array
        A number; a grade; the place of a label in `categories`; of a preference 1 for system_a, 0 for neither and -1
        for system_b, whatever the order in which they were shown.
    kind : {"number", "grade", "label", "preference"}
        What the values are, which decides what can be asked of them.
    categories : tuple of str
        The names of labels, or of grades that are words, from the lowest on. Empty where values speak for themselves.
    shown : (ratings,) int array
        Of preferences: 1 where system_a stood first, -1 where system_b did, 0 where that is not known.
    criterion : str
        What was asked; "" where the table does not say.
    facts : mapping of str to (items,) tuple of str
        What is known of the items: ``system``, ``system_a``, ``system_b``, ``segment``, ``document``; and ``length``,
        ``length_a``, ``length_b``, numbers as text, "" where one is not known.
    source : str
        The file or table that they come from, for messages.
    notes : tuple of str
        How they were read, and what was left out.
    """

    items: tuple[str, ...]
    raters: tuple[str, ...]
    rater_kinds: tuple[RaterKind, ...]
    item: IntArray
    rater: IntArray
    value: FloatArray
    kind: ScaleKind
    categories: tuple[str, ...] = ()
    shown: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    criterion: str = ""
    facts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    source: str = "ratings"
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not len(self.shown) and len(self.value):
            object.__setattr__(self, "shown", np.zeros(len(self.value), dtype=np.int64))
        self._check_names()
        self._check_arrays()
        read_only(self.item, self.rater, self.value, self.shown)

    def _check_names(self) -> None:
        for noun, names in (("items", self.items), ("raters", self.raters)):
            if len(set(names)) < len(names):
                twice = sorted({name for name in names if names.count(name) > 1})
                raise UsageError(f"{self.source}: the names of {noun} must differ; got {listing(twice, 3)} twice.")
        if len(self.rater_kinds) != len(self.raters) or set(self.rater_kinds) - set(RATER_KINDS):
            must = f"`rater_kinds` must have one of {', '.join(RATER_KINDS)} for each of {len(self.raters)} raters"
            raise UsageError(f"{self.source}: {must}; got {self.rater_kinds!r}.")
        if self.kind not in SCALE_KINDS:
            raise UsageError(f"{self.source}: `kind` must be one of {', '.join(SCALE_KINDS)}; got {self.kind!r}.")
        for name, values in self.facts.items():
            if name not in ITEM_FACTS or len(values) != len(self.items):
                must = f"`facts` must have a value for each of {len(self.items)} items under {', '.join(ITEM_FACTS)}"
                raise UsageError(f"{self.source}: {must}; got {len(values)} under {name!r}.")
            wrong = [value for value in values if value and not NUMBER.fullmatch(value)] if name in LENGTHS else []
            if wrong:
                raise UsageError(f"{self.source}: `facts` must have numbers under {name!r}; got {wrong[0]!r}.")

    def _check_arrays(self) -> None:
        arrays = {"item": self.item, "rater": self.rater, "value": self.value, "shown": self.shown}
        if len({array.shape for array in arrays.values()}) > 1 or self.value.ndim != 1:
            shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
            raise UsageError(f"{self.source}: the arrays of ratings must be equally long; got {shapes}.")
        for name, index, names in (("item", self.item, self.items), ("rater", self.rater, self.raters)):
            outside = index[(index < 0) | (index >= len(names))]
            if len(outside):
                raise UsageError(f"{self.source}: `{name}` must be from 0 to {len(names) - 1}; got {outside[0]}.")
        if not np.isfinite(self.value).all():
            raise UsageError(f"{self.source}: ratings must be finite numbers; a missing rating has no row.")
        allowed = {"preference": (-1.0, 0.0, 1.0), "label": range(len(self.categories))}.get(self.kind)
        if allowed is not None and not np.isin(self.value, list(allowed)).all():
            wrong = self.value[~np.isin(self.value, list(allowed))][0]
            allowed_words = (
                "1, 0 or -1" if self.kind == "preference" else f"places of {len(self.categories)} categories"
            )
            raise UsageError(f"{self.source}: values of a {self.kind} must be {allowed_words}; got {wrong:g}.")

    def __len__(self) -> int:
        return len(self.value)

    def __repr__(self) -> str:
        items, raters = counted(len(self.items), "item"), counted(len(self.raters), "rater")
        return f"Ratings({len(self)} of {items} by {raters})"

    @property
    def people(self) -> tuple[str, ...]:
        """The raters that are people, or places of a crowd."""
        return tuple(name for name, kind in zip(self.raters, self.rater_kinds, strict=True) if kind != "automatic")

    @property
    def judges(self) -> tuple[str, ...]:
        """The raters that are automatic."""
        return tuple(name for name, kind in zip(self.raters, self.rater_kinds, strict=True) if kind == "automatic")

    @property
    def is_ordered(self) -> bool:
        """True for values whose distances mean something: numbers and grades, but not labels and preferences."""
        return self.kind in ("number", "grade")

    @cached_property
    def cluster(self) -> IntArray:
        """Resampling cluster of each item, (items,): its document, else its segment, else the item itself."""
        for name in CLUSTERS:
            if name in self.facts:
                codes: IntArray = np.unique(np.array(self.facts[name]), return_inverse=True)[1]
                return codes
        return np.arange(len(self.items))

    @property
    def cluster_noun(self) -> str:
        """Unit of the resampling clusters: document, segment or item."""
        return next((name for name in CLUSTERS if name in self.facts), "item")

    def words(self, value: float) -> str:
        """Return the words for a value.

        Parameters
        ----------
        value : float
            One that `value` may have.

        Returns
        -------
        str
            A label, a grade in words, a number, or which of two systems is preferred.
        """
        if self.kind == "preference":
            return PREFERENCES[value]
        return self.categories[int(value)] if self.categories else f"{value:g}"

    def once(self) -> tuple[Ratings, str]:
        """Return the ratings with one for each item and rater, and what to say of those that were several.

        Repeated numbers and grades become their mean. Of preferences and labels that differ, the preference becomes
        neither, as where a judge that was asked in both orders contradicts itself, and the label is left out.

        Returns
        -------
        Ratings
            The same where there was one already.
        str
            How many items were rated several times by the same rater, and what became of them; "" where there are none.
        """
        key = self.item.astype(np.int64) * len(self.raters) + self.rater
        _, first, codes, counts = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
        if (counts == 1).all():
            return self, ""
        mean = np.bincount(codes, self.value) / counts
        differ = np.bincount(codes, np.abs(self.value - mean[codes])) > 1e-9
        keep = np.ones(len(first), dtype=bool)
        if not self.is_ordered:
            mean = np.where(differ, 0.0, self.value[first])
            keep = ~differ if self.kind == "label" else keep
        shown = np.where(counts > 1, 0, self.shown[first])
        made = replace(self, item=self.item[first][keep], rater=self.rater[first][keep], value=mean[keep],
                       shown=shown[keep])  # fmt: skip
        several = int((counts > 1).sum())
        n_differ = int(differ.sum())
        what = "their mean was taken" if self.is_ordered else f"{n_differ} of them with answers that differ"
        if self.is_ordered or not n_differ:
            then = ""
        elif self.kind == "preference":
            then = ", taken for neither"
        else:
            then = ", which are left out"
        return made, f"{counted(several, 'item')} rated several times by the same rater: {what}{then}."

    def matrix(self) -> tuple[FloatArray, FloatArray]:
        """Return the values as (items, people) and (items, judges), ``nan`` where an item was not rated.

        Ratings of an item by the same rater are brought together as in :meth:`once`.

        Returns
        -------
        (items, people) float array
            In the order of `people`.
        (items, judges) float array
            In the order of `judges`.
        """
        once, _ = self.once()
        values = np.full((len(self.items), len(self.raters)), np.nan)
        values[once.item, once.rater] = once.value
        automatic = np.array([kind == "automatic" for kind in self.rater_kinds], dtype=bool)
        return values[:, ~automatic], values[:, automatic]

    def to_frame(self) -> pd.DataFrame:
        """Return the ratings as a new data frame, a row each, with the facts of their items.

        Returns
        -------
        DataFrame
            Columns ``item``, ``rater``, ``rater_kind``, ``value``, of preferences ``shown``, and the facts.
        """
        import pandas as pd  # scoring must not wait for it

        items, raters, kinds = (
            np.array(values, dtype=object) for values in (self.items, self.raters, self.rater_kinds)
        )
        columns = {"item": items[self.item], "rater": raters[self.rater], "rater_kind": kinds[self.rater]}
        columns["value"] = self.value.copy()
        if self.categories:
            columns["value"] = np.array(self.categories, dtype=object)[self.value.astype(int)]
        if self.kind == "preference":
            columns["shown"] = self.shown.copy()
        facts = {
            name: _lengths(of)[self.item] if name in LENGTHS else np.array(of, dtype=object)[self.item]
            for name, of in self.facts.items()
        }
        return pd.DataFrame({**columns, **facts})

    def description(self, truth: str = "") -> str:
        """Describe how the table was read, in a line: ratings of what kind, who is a person and who a judge.

        Parameters
        ----------
        truth : str
            The rater that is right by definition; "" for none.

        Returns
        -------
        str
            A sentence that begins with the file.
        """
        words = {"number": "numbers", "grade": "grades", "label": "labels", "preference": "preferences"}[self.kind]
        scale = ""
        if self.kind == "grade" and not self.categories and len(self.value):
            scale = f" {self.value.min():g} to {self.value.max():g}"
        elif self.categories:
            scale = f" {', '.join(self.categories[:6])}{', ...' if len(self.categories) > 6 else ''}"
        on = f" of {self.criterion}" if self.criterion else ""
        noun = "people" if "person" in self.rater_kinds or "crowd" not in self.rater_kinds else "places of a crowd"
        noun = "right by definition" if truth else noun
        return (
            f"{self.source}: {words}{scale}{on}, {counted(len(self.items), 'item')}"
            f"{self._cluster_words()}; {noun}: {_some(self.people)}; judges: {_some(self.judges)}."
        )

    def _cluster_words(self) -> str:
        noun = self.cluster_noun
        n = len(np.unique(self.cluster))
        return "" if noun == "item" or n == len(self.items) else f" in {counted(n, noun)}"


def as_sentences(notes: Iterable[str]) -> str:
    """Return notes as sentences, each with a blank before it."""
    return "".join(f" {note[:1].upper()}{note[1:]}." for note in notes)


def unused_columns(ratings: Ratings) -> str:
    """Return the notes that say which columns of the table were not used, as sentences."""
    return as_sentences(note for note in ratings.notes if "not used" in note)


def _lengths(of_items: Sequence[str]) -> FloatArray:
    """Return lengths as numbers, ``nan`` where one is not known."""
    return np.array([float(length or "nan") for length in of_items])


def _some(names: Sequence[str]) -> str:
    """Return names in a line: few of them, and how many more there are."""
    if not names:
        return "none"
    return ", ".join(names) if len(names) <= 6 else f"{', '.join(names[:4])} and {len(names) - 4} more"
