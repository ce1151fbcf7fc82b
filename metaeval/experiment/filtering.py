"""The filter of an experiment: which systems, segments and judgments of a corpus take part, all counted."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from metaeval.config.filters import FilterSettings
from metaeval.config.schema import Experiment, ReferenceSettings
from metaeval.corpora.filtering import facts_of, fitting, is_pattern, with_humans, with_segments, with_systems
from metaeval.datamodel.corpus import BoolArray, Corpus
from metaeval.errors import UsageError, listing, unknown
from metaeval.experiment.judge import system_means
from metaeval.judgments.groups import choose_judges
from metaeval.parameters.calls import spelt_as
from metaeval.results.keys import Key
from metaeval.results.rows import Filtered
from metaeval.sampling.references import names_of

# Systems that a note names at most.
_MAX_NAMES = 12


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
        Whether there are several corpora: then it is enough that a name fits in one of them.
    panel : str
        The title of the panel or task whose corpora these are; "" where there are none.
    unfit : dict
        By key and name, the reason why it fits in none of the corpora so far; None where it fits in one.
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
        rows: list[Filtered] = []
        systems: list[str] = []
        filtered = corpus
        key = Key(panel=self.panel, corpus=corpus.name)
        for rule, unit, changed, names in self._steps(corpus):
            _check_left(corpus.name, rule, filtered, changed)
            if unit:
                before, after = _count(filtered, unit), _count(changed, unit)
                rows.append(Filtered(key, unit, rule, before - after, before, ", ".join(names)))
            filtered = changed
            systems += names
        notes = self._notes(corpus, filtered, rows, systems)
        if n := len(filtered.judgments):
            judges = choose_judges(filtered, self.judges)
            n_left_out = n - int(judges.members[filtered.judgments.judge].sum())
            if n_left_out:
                rows.append(Filtered(key, "judgments", f"judges = {judges.words}", n_left_out, n, ""))
        text = str(self.settings)
        if text:
            digest = hashlib.sha256(f"{filtered.digest}\n{text}".encode()).hexdigest()
            filtered = replace(filtered, filter=text, digest=digest)
        return filtered, rows, notes

    def _steps(self, corpus: Corpus) -> Iterator[tuple[str, str, Corpus, Sequence[str]]]:
        """Yield each rule, the noun of what it leaves out, the corpus after it, and the names of systems left out."""
        settings = self.settings
        items = self.settings.items
        rules = {key: f"{key.replace('.', ' ')} = {', '.join(values)}" for key, values in items.items()}
        humans = self._humans(corpus) if settings.humans else []
        corpus = with_humans(corpus, humans)
        if settings.humans:
            yield rules["humans"], "", corpus, ()
        for key in ("systems", "without"):
            if key in items:
                named = self._choose(corpus, key, "system", corpus.systems, needed=key == "systems")
                chosen_systems = named if key == "systems" else ~named
                names = _names(corpus, ~chosen_systems)
                corpus = with_systems(corpus, np.flatnonzero(chosen_systems))
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
            chosen_segments = self._choose(corpus, key, fact, facts[fact], needed=True)
            corpus = with_segments(corpus, np.flatnonzero(chosen_segments))
            facts = facts_of(corpus)
            yield rules[key], "segments", corpus, ()
        if "outliers" in items:
            # On each criterion among all systems, also those that are outliers on another.
            criteria = [criterion.name for criterion in corpus.criteria]
            chosen = criteria if self.criteria == "all" else [spelt_as(name, criteria) for name in self.criteria]
            outliers = {
                name: _names(corpus, self._outliers(corpus, position, humans))
                for position, name in enumerate(criteria)
                if name in chosen
            }
            for criterion, names in outliers.items():
                is_no_outlier = np.array([name not in names for name in corpus.systems], dtype=bool)
                left_out = _names(corpus, ~is_no_outlier)
                corpus = with_systems(corpus, np.flatnonzero(is_no_outlier))
                yield f"{rules['outliers']} on {criterion}", "systems", corpus, left_out

    def _humans(self, corpus: Corpus) -> list[str]:
        """Return the references that are systems."""
        references = self.references or ()
        repeated = [name for name in self.settings.humans if name in references]
        if repeated:
            raise UsageError(
                f"corpus {corpus.name!r}: `filter.humans` makes {listing(repeated)} a system, and `references` "
                "compares with it; name it once."
            )
        free = [name for name in corpus.judged_references if name not in references]
        humans = dict[str, None]()
        for asked in self.settings.humans:
            names = free if is_pattern(asked) else list(corpus.references)
            fits = fitting(names, asked)
            if asked != "*":  # may fit none
                self._note(corpus, "humans", asked, fits, "judged reference", free)
            humans |= dict.fromkeys(name for name, fit in zip(names, fits.tolist(), strict=True) if fit)
        return list(humans)

    def _choose(self, corpus: Corpus, key: str, noun: str, values: Sequence[str], *, needed: bool) -> BoolArray:
        """Return a mask of the values that a key chooses, (values,); at least one if it is `needed`."""
        masks = []
        for asked in self.settings.items[key]:
            masks.append(fitting(values, asked))
            self._note(corpus, key, asked, masks[-1], noun, values)
        chosen: BoolArray = np.logical_or.reduce(masks)
        if needed and not chosen.any():
            raise UsageError(
                f"corpus {corpus.name!r}: `filter.{key}` leaves nothing; it has {listing(_in_order(values))}."
            )
        return chosen

    def _note(self, corpus: Corpus, key: str, asked: str, fits: BoolArray, noun: str, known: Sequence[str]) -> None:
        """Record whether a name fits something; one that does not is an error if there is a single corpus."""
        if fits.any():
            self.unfit[key, asked] = None
        elif not self.several:
            why = unknown(noun, asked, _in_order(known))
            raise UsageError(f"corpus {corpus.name!r}: `filter.{key}`: {why}")
        else:
            self.unfit.setdefault((key, asked), unknown(noun, asked, _in_order(known)))

    def _outliers(self, corpus: Corpus, position: int, humans: Sequence[str]) -> BoolArray:
        """Mark the systems, human texts aside, that are outliers by their mean judgment on a criterion: (systems,)."""
        means = system_means(corpus, position, choose_judges(corpus, self.judges).members)
        outliers = np.zeros(len(corpus.systems), dtype=bool)
        judged = np.isfinite(means) & ~np.isin(corpus.systems, humans)
        outliers[judged] = self.settings.outliers.kind.outliers(means[judged])
        return outliers

    def _notes(self, corpus: Corpus, filtered: Corpus, rows: Sequence[Filtered], systems: Sequence[str]) -> list[str]:
        """Return a short note on what the filter did; none without a filter."""
        if not self.settings.items:
            return []
        left_out = []
        for unit in ("systems", "segments"):
            steps = [row for row in rows if row.what == unit and row.n_left_out]
            if steps:
                names = list(systems) if unit == "systems" else [row.rule for row in steps]
                if len(names) > _MAX_NAMES:
                    names[_MAX_NAMES:] = [f"and {len(names) - _MAX_NAMES} more"]
                n = sum(row.n_left_out for row in steps)
                left_out.append(f"{n} of {steps[0].n_before} {unit} ({', '.join(names)})")
        parts = []
        if humans := [name for name in filtered.systems if name in corpus.references]:
            parts.append(f"taken as systems: {', '.join(humans)}")
        if left_out:
            parts.append(f"left out by the filter: {', '.join(left_out)}")
        return [f"{corpus.name}: {'; '.join(parts)}."] if parts else []


def _count(corpus: Corpus, unit: str) -> int:
    return len(corpus.systems) if unit == "systems" else corpus.n_segments


def check_filters(filters: Iterable[Filters]) -> None:
    """Check, once all corpora have been read, that each name of a filter fits in one of them.

    Raises
    ------
    UsageError
        If one does not.
    """
    reasons: dict[tuple[str, str], str | None] = {}
    for panel_filters in filters:
        for name, why in panel_filters.unfit.items():
            if why is None or name not in reasons:
                reasons[name] = why
    for (key, _), why in reasons.items():
        if why is not None:
            raise UsageError(f"`filter.{key}`, in none of the corpora: {why}")


def filters_of(experiment: Experiment, *, several: bool, panel: str = "") -> Filters:
    """Return the filter of the systems and segments of the corpora of an experiment."""
    return Filters(
        experiment.filter,
        references=named_references(experiment.references),
        judges=experiment.judgments.judges,
        criteria=experiment.criteria,
        several=several,
        panel=panel,
    )


def _in_order(values: Sequence[str]) -> list[str]:
    """Return the distinct values, numbers by size."""
    return sorted(set(values), key=lambda value: (len(value), value))


def _names(corpus: Corpus, chosen: BoolArray) -> list[str]:
    return [corpus.systems[position] for position in np.flatnonzero(chosen)]


def _check_left(name: str, rule: str, before: Corpus, after: Corpus) -> None:
    """Check that a filter leaves enough to correlate.

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
