"""The filter of an experiment: which systems, segments and judgments of a corpus take part, all counted."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from metaeval.corpora.filtering import facts_of, fitting, is_pattern, of_segments, of_systems, with_humans
from metaeval.errors import UsageError, listing, unknown
from metaeval.experiment.judge import system_means
from metaeval.filters import FilterSettings
from metaeval.judgments.groups import choose_judges
from metaeval.names import spelt_as
from metaeval.records import BoolArray, Corpus
from metaeval.results.keys import Key
from metaeval.results.rows import Filtered
from metaeval.sampling.references import names_of
from metaeval.schema import Experiment, ReferenceSettings

# Systems that a note names.
_MOST_NAMED = 12


def named_references(settings: ReferenceSettings) -> tuple[str, ...] | None:
    """Return the references that an experiment names; None where it takes those of the corpus."""
    if settings.names != "all":
        return settings.names
    if isinstance(settings.subsets, str):
        return None
    return tuple(dict.fromkeys(name for text in settings.subsets for name in names_of(text)[1]))


@dataclass
class Filters:
    """A filter, applied to one corpus after the other.

    Attributes
    ----------
    settings : FilterSettings
    references : tuple of str, or None
        Those that texts are compared with, where they are named.
    judges : str or sequence of str, optional
        Whose judgments are taken, as in `choose_judges`.
    criteria : "all", or sequence of str
        On which a system may be an outlier.
    several : bool
        Whether there are several corpora: a name need fit in one of them alone.
    panel : str
        The title of the panel or task whose corpora these are; "" where there are none.
    unfit : dict
        By key and name, why that fits in none of the corpora so far; None where it fits in one.
    """

    settings: FilterSettings
    references: tuple[str, ...] | None = None
    judges: str | Sequence[str] | None = None
    criteria: str | Sequence[str] = "all"
    several: bool = False
    panel: str = ""
    unfit: dict[tuple[str, str], str | None] = field(default_factory=dict)

    def apply(self, corpus: Corpus) -> tuple[Corpus, list[Filtered], list[str]]:
        """Return a corpus with what takes part, rows that count what does not, and notes.

        Raises
        ------
        UsageError
            If a name fits nothing in the only corpus, or too little is left.
        """
        rows, systems = list[Filtered](), list[str]()
        made, key = corpus, Key(panel=self.panel, corpus=corpus.name)
        for rule, what, changed, names in self._steps(corpus):
            _check_left(corpus.name, rule, made, changed)
            before, left = (len(one.systems) if what == "systems" else one.n_segments for one in (made, changed))
            made = changed
            rows += [Filtered(key, what, rule, before - left, before, ", ".join(names))] if what else []
            systems += names
        notes = self._notes(corpus, made, rows, systems)
        if n := len(made.judgments):
            judges = choose_judges(made, self.judges)
            left = n - int(judges.members[made.judgments.judge].sum())
            rows += [Filtered(key, "judgments", f"judges = {judges.words}", left, n, "")] if left else []
        text = str(self.settings)
        if text:
            digest = hashlib.sha256(f"{made.digest}\n{text}".encode()).hexdigest()
            made = replace(made, filter=text, digest=digest)
        return made, rows, notes

    def _steps(self, corpus: Corpus) -> Iterator[tuple[str, str, Corpus, Sequence[str]]]:
        """Give each rule, what it leaves out, the corpus after it, and the names of systems that it leaves out."""
        settings, items = self.settings, self.settings.items
        rules = {key: f"{key.replace('.', ' ')} = {', '.join(values)}" for key, values in items.items()}
        humans = self._humans(corpus) if settings.humans else []
        corpus = with_humans(corpus, humans)
        if settings.humans:
            yield rules["humans"], "", corpus, ()
        for key in ("systems", "without"):
            if key in items:
                found = self._choose(corpus, key, "system", corpus.systems, needed=key == "systems")
                kept = found if key == "systems" else ~found
                names = _names(corpus, ~kept)
                corpus = of_systems(corpus, np.flatnonzero(kept))
                yield rules[key], "systems", corpus, names
        facts = facts_of(corpus)
        for key in items:
            fact = "document" if key == "documents" else key.removeprefix("where.")
            if key != "documents" and fact == key:
                continue
            if fact not in facts:
                why = unknown("fact of segments", fact, facts, "facts of segments")
                raise UsageError(
                    f"corpus {corpus.name!r}: `filter.{key}`: {why} Of the columns of a table, lp and domain are such "
                    f'facts; the format table(columns=["lp={fact}"]) takes another for lp, and where.lp asks for it.'
                )
            kept = self._choose(corpus, key, fact, facts[fact], needed=True)
            corpus = of_segments(corpus, np.flatnonzero(kept))
            facts = facts_of(corpus)
            yield rules[key], "segments", corpus, ()
        if "outliers" in items:
            # On each criterion among all systems, also those that are outliers on another.
            known = [one.name for one in corpus.criteria]
            chosen = known if self.criteria == "all" else [spelt_as(name, known) for name in self.criteria]
            found_on = {
                name: _names(corpus, self._outliers(corpus, position, humans))
                for position, name in enumerate(known)
                if name in chosen
            }
            for criterion, names in found_on.items():
                kept = np.array([name not in names for name in corpus.systems], dtype=bool)
                left_out = _names(corpus, ~kept)
                corpus = of_systems(corpus, np.flatnonzero(kept))
                yield f"{rules['outliers']} on {criterion}", "systems", corpus, left_out

    def _humans(self, corpus: Corpus) -> list[str]:
        """Return the references that are systems."""
        references = self.references or ()
        both = [name for name in self.settings.humans if name in references]
        if both:
            raise UsageError(
                f"corpus {corpus.name!r}: `filter.humans` makes {listing(both)} a system, and `references` compares "
                "with it; name it once."
            )
        free = [name for name in corpus.judged_references if name not in references]
        found = dict[str, None]()
        for asked in self.settings.humans:
            known = free if is_pattern(asked) else list(corpus.references)
            fits = fitting(known, asked)
            if asked != "*":  # it stands for all there are, which may be none
                self._note(corpus, "humans", asked, fits, "judged reference", free)
            found |= dict.fromkeys(name for name, fit in zip(known, fits.tolist(), strict=True) if fit)
        return list(found)

    def _choose(self, corpus: Corpus, key: str, noun: str, values: Sequence[str], *, needed: bool) -> BoolArray:
        """Return which values a key asks for: (values,); at least one if it is needed."""
        fits = [fitting(values, asked) for asked in self.settings.items[key]]
        for asked, one in zip(self.settings.items[key], fits, strict=True):
            self._note(corpus, key, asked, one, noun, values)
        found: BoolArray = np.logical_or.reduce(fits)
        if needed and not found.any():
            raise UsageError(
                f"corpus {corpus.name!r}: `filter.{key}` leaves nothing; it has {listing(_in_order(values))}."
            )
        return found

    def _note(self, corpus: Corpus, key: str, asked: str, fits: BoolArray, noun: str, known: Sequence[str]) -> None:
        """Keep whether a name fits something; refuse one that does not, in the only corpus."""
        if fits.any():
            self.unfit[key, asked] = None
        elif not self.several:
            why = unknown(noun, asked, _in_order(known))
            raise UsageError(f"corpus {corpus.name!r}: `filter.{key}`: {why}")
        else:
            self.unfit.setdefault((key, asked), unknown(noun, asked, _in_order(known)))

    def _outliers(self, corpus: Corpus, position: int, humans: Sequence[str]) -> BoolArray:
        """Return which systems, but for human texts, are outliers by their mean judgment on a criterion: (systems,)."""
        means = system_means(corpus, position, choose_judges(corpus, self.judges).members)
        found = np.zeros(len(corpus.systems), dtype=bool)
        judged = np.isfinite(means) & ~np.isin(corpus.systems, humans)
        found[judged] = self.settings.outliers.kind.outliers(means[judged])
        return found

    def _notes(self, corpus: Corpus, made: Corpus, rows: Sequence[Filtered], systems: Sequence[str]) -> list[str]:
        """Return a short note on what the filter did; none without a filter."""
        if not self.settings.items:
            return []
        told = []
        for what in ("systems", "segments"):
            of_it = [row for row in rows if row.what == what and row.n_left_out]
            if of_it:
                which = list(systems) if what == "systems" else [row.rule for row in of_it]
                which[_MOST_NAMED:] = [f"and {len(which) - _MOST_NAMED} more"] if len(which) > _MOST_NAMED else []
                n = sum(row.n_left_out for row in of_it)
                told.append(f"{n} of {of_it[0].n_before} {what} ({', '.join(which)})")
        humans = [name for name in made.systems if name in corpus.references]
        parts = [f"taken as systems: {', '.join(humans)}"] if humans else []
        parts += [f"left out by the filter: {', '.join(told)}"] if told else []
        return [f"{corpus.name}: {'; '.join(parts)}."] if parts else []


def check_filters(filters: Iterable[Filters]) -> None:
    """Refuse names that fit in no corpus, when all have been read.

    Raises
    ------
    UsageError
        If there is one.
    """
    found: dict[tuple[str, str], str | None] = {}
    for one in filters:
        found |= {key: why for key, why in one.unfit.items() if why is None or key not in found}
    for (key, _), why in found.items():
        if why is not None:
            raise UsageError(f"`filter.{key}`, in none of the corpora: {why}")


def filters_of(experiment: Experiment, *, several: bool, panel: str = "") -> Filters:
    """Return what chooses the systems and segments of the corpora of an experiment."""
    return Filters(
        experiment.filter,
        references=named_references(experiment.references),
        judges=experiment.judgments.judges,
        criteria=experiment.criteria,
        several=several,
        panel=panel,
    )


def _in_order(values: Sequence[str]) -> list[str]:
    """Return different values, numbers by size."""
    return sorted(set(values), key=lambda one: (len(one), one))


def _names(corpus: Corpus, chosen: BoolArray) -> list[str]:
    return [name for name, one in zip(corpus.systems, chosen.tolist(), strict=True) if one]


def _check_left(name: str, rule: str, before: Corpus, after: Corpus) -> None:
    """Refuse a filter that leaves too little.

    Raises
    ------
    UsageError
        If fewer than two systems are left, or no judgment.
    """
    if len(after.systems) < min(2, len(before.systems)):
        raise UsageError(
            f"corpus {name!r}: the filter ({rule}) leaves {len(after.systems)} of {len(before.systems)} systems "
            f"({listing(after.systems)}); a correlation needs two."
        )
    if len(before.judgments) and not len(after.judgments):
        raise UsageError(
            f"corpus {name!r}: the filter ({rule}) leaves none of {len(before.judgments)} judgments: nothing that is "
            "left was judged."
        )
