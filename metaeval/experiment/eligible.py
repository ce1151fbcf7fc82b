"""Eligible segments of a corpus, and messages about the others."""

from __future__ import annotations

import numpy as np

from metaeval.config.schema import Experiment
from metaeval.datamodel.corpus import BoolArray, Corpus, IntArray
from metaeval.errors import UsageError, as_typed, listing, percent
from metaeval.sampling.references import ReferenceGroup, count_references


def scorable_segments(corpus: Corpus, group: ReferenceGroup, experiment: Experiment) -> BoolArray:
    """Mark the segments with the output of every system and the references of every subset: (segments,)."""
    scorable = corpus.complete
    for subset in group.subsets:
        needed = len(subset.names) if experiment.references.require == "all" else min(1, len(subset.names))
        scorable &= count_references(corpus, subset) >= needed
    return scorable


def segments_that_count(has: BoolArray, experiment: Experiment) -> BoolArray:
    """Mark the segments that count, of those that can be scored.

    Parameters
    ----------
    has : (systems, segments) bool array
        Which items somebody judged.
    experiment : Experiment

    Returns
    -------
    (segments,) bool array
    """
    if experiment.require == "all":
        return np.asarray(has.all(axis=0))
    if experiment.documents.units.is_single:
        return np.asarray(has.sum(axis=0) >= (2 if experiment.correlation.average_by == "item" else 1))
    return np.ones(has.shape[1], bool) if experiment.metric_over == "all" else np.asarray(has.any(axis=0))


def missing_words(
    corpus: Corpus, has: BoolArray, scorable: BoolArray, eligible: BoolArray, systems: IntArray, experiment: Experiment
) -> list[str]:
    """Return notes on what is left out because it was not judged or cannot be scored, with numbers."""
    notes = []
    if len(systems) < len(corpus.systems):
        for judged in (False, True):
            # A system may have been judged only where no metric can score.
            absent = [k for k in range(len(corpus.systems)) if k not in systems and bool(has[k].any()) == judged]
            where = " where it can be scored" if judged else ""
            if absent:
                names = listing(corpus.systems[k] for k in absent)
                verb = "are" if len(absent) > 1 else "is"
                notes.append(f"nobody judged {names}{where}, which {verb} left out.")
    if not eligible.all():
        references = "references" if corpus.complete.all() else "references or the output of some system"
        judgments = f"a judgment of {'some system' if experiment.require == 'all' else _enough(experiment)}"
        lacking = {references: int((~scorable).sum()), judgments: int((scorable & ~eligible).sum())}
        reasons = " and ".join(
            f"{number} lack{'s' if number == 1 else ''} {missing}" for missing, number in lacking.items() if number
        )
        notes.append(f"documents are made of {int(eligible.sum())} of {corpus.n_segments} segments; {reasons}.")
    items = has[np.ix_(systems, np.flatnonzero(eligible))]
    if not items.all():
        judged_share = f"{int(items.sum())} of {items.size} items were judged ({percent(items.mean())})"
        if experiment.documents.units.is_single:
            notes.append(f"{judged_share}; each coefficient is over those.")
        else:
            by_system = items.sum(axis=1)
            least, most = int(by_system.min()), int(by_system.max())
            n_judged = str(least) if least == most else f"{least} to {most}"
            over = "all of them" if experiment.metric_over == "all" else "the same segments"
            notes.append(
                f"{judged_share}: a human score is the mean over the segments where the system was judged, "
                f"{n_judged} of {items.shape[1]}, and metrics score {over}."
            )
    return notes


def check_eligible(
    corpus: Corpus,
    criterion: str,
    judges: str,
    group: ReferenceGroup,
    scorable: BoolArray,
    eligible: BoolArray,
    systems: IntArray,
    experiment: Experiment,
) -> None:
    """Check that there are systems to correlate and enough segments, and that a default leaves out less than half."""
    n_eligible = int(eligible.sum())
    n_scorable = int(scorable.sum())
    subject = f"corpus {corpus.name!r}, {criterion}, references {group}"
    if n_scorable and len(systems) == 1 and experiment.correlation.average_by == "item":
        raise UsageError(
            f"{subject}: the chosen judges ({judges}) judged one system, {corpus.systems[systems[0]]!r}, and a "
            "correlation across systems needs two."
        )
    needed = 1 if experiment.documents.replacement else max(experiment.documents.lengths, default=1)
    needs_all = experiment.require == "all"
    if n_eligible < needed:
        there_are = f"{n_eligible} eligible segment{'' if n_eligible == 1 else 's'}"
        want = f"documents of {needed} segments cannot be drawn" if n_eligible else "no document can be made"
        needs = "the references" if corpus.complete.all() else "the references and the outputs of all systems"
        raise UsageError(
            f"{subject}: {want} from {there_are}. Eligible are segments with {needs} ({n_scorable} of "
            f"{corpus.n_segments}) and a judgment of {_enough(experiment)} by the chosen judges ({judges})."
            f"{_rare(corpus, group, needed)}{_or_any(experiment) if needs_all and len(systems) else ''}"
        )
    if needs_all and experiment.judgments.require is None and 2 * n_eligible < n_scorable:
        raise UsageError(
            f"{subject}: {n_eligible} of {n_scorable} segments have a judgment of every system by the chosen judges "
            f"({judges}); less than half would be left.{_or_any(experiment)} {_option('all')} takes "
            f"these {n_eligible} segments."
        )


def _enough(experiment: Experiment) -> str:
    """Name the systems that must have been judged on a segment."""
    if experiment.require == "all":
        return "every system"
    is_item = experiment.documents.units.is_single and experiment.correlation.average_by == "item"
    return "two systems" if is_item else "some system"


def _or_any(experiment: Experiment) -> str:
    """Return a sentence that says how to take each system over the segments where it was judged."""
    grids = [named.written for named in experiment.correlation.coefficients if named.kind.needs_all_cells]
    if experiment.judgments.require is not None:
        return ""
    if grids:
        return f" {grids[0]} needs every system on each segment; another coefficient may take the judgments there are."
    return f" {_option('any')} takes each system over the segments where it was judged."


def _option(require: str) -> str:
    """Return the words to type to choose a rule for missing judgments."""
    python = f"`require={require!r}`"
    in_config = f'judgments.require = "{require}"'
    return f"{as_typed(terminal=f'--require {require}', python=python)} (or {in_config} in a config)"


def _rare(corpus: Corpus, group: ReferenceGroup, needed: int) -> str:
    """Return a sentence about references that too few segments have, or nothing."""
    names = {name for subset in group.subsets for name in subset.names}
    counts = {name: sum(text is not None for text in corpus.references[name]) for name in corpus.references}
    rare = [f"{name!r} ({counts[name]})" for name in counts if name in names and counts[name] < needed]
    if not rare or len(rare) == len(counts):
        return ""
    return f" Few segments have {', '.join(rare)}; `references.names` chooses the references."
