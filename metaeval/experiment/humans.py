"""Judgments to human scores: which segments may be drawn, the documents, and the human scores of each."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from metaeval.correlation.coefficients import Pearson
from metaeval.correlation.fisher import fisher_interval
from metaeval.errors import UsageError, listing, percent, unknown
from metaeval.experiment.measure import count_references
from metaeval.judgments.groups import choose_judges, judged_by
from metaeval.judgments.normalise import z_scores
from metaeval.judgments.rules import draw_judgments, group_by_item, reduce_items, restrict
from metaeval.pooling import mean_of_sums, pool, pool_drawn
from metaeval.randomness import generator
from metaeval.records import BoolArray, Corpus, Criterion, Documents, FloatArray, IntArray, JudgedValues, JudgeGroup
from metaeval.sampling.documents import draw_documents
from metaeval.sampling.references import ReferenceGroup
from metaeval.schema import Experiment


@dataclass(frozen=True)
class JudgedCriterion:
    """The judgments on one criterion, grouped by item."""

    criterion: Criterion
    judged: JudgedValues
    judges: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class HumanScores:
    """The documents of one length and their human scores.

    Attributes
    ----------
    length : int or None
        Segments in a document; None where that varies.
    segments : (eligible,) int array
        The segments that documents are made of; `documents` points into it.
    documents : Documents
    human : (documents, systems) float array
        ``nan`` where nobody judged.
    mean_references : float
        References of the subset that the segments have, on average.
    items : JudgedValues
        The judgments of the systems and segments.
    second : (documents, systems) float array or None
        The scores by another judgment of each item, for the inter-judge line.
    metric_items : (systems, eligible) bool array, or None
        The items that metrics score, where these are not all.
    """

    length: int | None
    segments: IntArray
    documents: Documents
    human: FloatArray
    mean_references: float
    items: JudgedValues
    second: FloatArray | None = None
    metric_items: BoolArray | None = None


@dataclass(frozen=True)
class JudgedDocuments:
    """All documents for one criterion and one group of reference subsets.

    Attributes
    ----------
    systems : (kept,) int array
        The positions of the systems that somebody judged; the others are left out.
    scores : list of HumanScores
        One for each length, for the lines of the metrics.
    inter_judge : list of HumanScores
        One for each length, both draws filled; empty where no such line can be drawn.
    warnings : list of str
        What can mislead a reader of the results.
    """

    criterion: Criterion
    group: ReferenceGroup
    judges: str
    systems: IntArray
    scores: list[HumanScores]
    inter_judge: list[HumanScores]
    warnings: list[str] = field(default_factory=list)


def chosen_criteria(corpus: Corpus, experiment: Experiment) -> tuple[int, ...]:
    """Return the positions of the criteria that the experiment asks for.

    Raises
    ------
    UsageError
        If a criterion is unknown, the corpus has no judgments, or too few systems to correlate.
    """
    if not len(corpus.judgments):
        raise UsageError(
            f"the corpus {corpus.name!r} has no judgments, so nothing can be correlated; add judgments.tsv "
            "(columns segment, system, judge, criterion, score)."
        )
    if experiment.correlation.average_by == "item" and len(corpus.systems) < 2:
        raise UsageError(
            f"the corpus {corpus.name!r} has one system, and a correlation across systems needs two; see "
            "`correlation.average_by`."
        )
    names = [criterion.name for criterion in corpus.criteria]
    if experiment.criteria == "all":
        judged = judged_by(corpus, experiment.judgments.judges).judgments.criterion
        return tuple(position for position in range(len(names)) if (judged == position).any())
    for name in experiment.criteria:
        if name not in names:
            raise UsageError(
                f"corpus {corpus.name!r}: {unknown('criterion', name, names, 'criteria')} Choose them with "
                f"--criterion, or --set 'criteria=[\"{names[0]}\"]' of `metaeval run`."
            )
    return tuple(names.index(name) for name in experiment.criteria)


def judge_criterion(corpus: Corpus, position: int, experiment: Experiment) -> JudgedCriterion:
    """Choose the judges, normalise their scores on one criterion and group them by item."""
    settings = experiment.judgments
    chosen = choose_judges(corpus, settings.judges)
    rows = corpus.judgments.where((corpus.judgments.criterion == position) & chosen.members[corpus.judgments.judge])
    criterion = corpus.criteria[position]
    normalisation = settings.normalise.kind
    if normalisation.name == "z" and chosen.slots:
        raise UsageError(
            f"corpus {corpus.name!r}: `judgments.normalise` must be 'none' for judges that are slots; got "
            f"{settings.normalise.written!r} and {listing(chosen.slots)}. Different annotators filled such a slot, so "
            "it has no scale of its own that could be removed. Take other judges with --judges or `judgments.judges`, "
            "or set judgments.normalise='none'."
        )
    values, messages = rows.score, []
    if normalisation.name == "z":
        # A judge's own scale shows in all that he or she scored, human texts included.
        index = {name: number for number, name in enumerate(rows.judges)}
        others = corpus.reference_judgments
        same_judge = np.array([index.get(name, -1) for name in others.judges], dtype=np.int32)[others.judge]
        more = (others.criterion == position) & (same_judge >= 0)
        scores = np.concatenate([rows.score, others.score[more]])
        by = np.concatenate([rows.judge, same_judge[more]])
        z, flat = z_scores(scores, by, len(rows.judges), normalisation.ddof)
        values = z[: len(rows)]
        flat = tuple(judge for judge in flat if (rows.judge == judge).any())
        if flat:
            messages.append(
                f"{corpus.name}, {criterion.name}: {len(flat)} of {len(np.unique(rows.judge))} judges gave a single "
                f"score or always the same one, which were only centred: {listing(rows.judges[k] for k in flat)}."
            )
    judged = group_by_item(rows.system, rows.segment, rows.judge, values, (len(corpus.systems), corpus.n_segments))
    return JudgedCriterion(criterion, judged, chosen.words, tuple(messages))


def group_notes(corpus: Corpus, positions: Sequence[int], request: str | Sequence[str] | None) -> list[str]:
    """Return whose judgments are used, where a corpus has groups of judges, and which are not shown to agree.

    Two groups agree on a criterion where Pearson's correlation of their system means is shown to be positive: the 95 %
    interval (Fisher) over the systems that both judged lies above 0. Where there is no such interval (three systems or
    fewer, or a coefficient of 1 or -1), only a coefficient of 0 or less is reported.
    """
    groups = [group for group in corpus.judge_groups if group.members(corpus.judgments.judges).any()]
    chosen, notes = choose_judges(corpus, request), []
    if groups and not chosen.members.all():
        used = f"{int(chosen.members.sum())} of {len(chosen.members)} judges"
        notes.append(f"{corpus.name}: judgments of {chosen.words} ({used}); --judges takes others, or all.")
    for first, second in itertools.combinations(groups, 2):
        told = []
        for position in positions:
            means = np.stack([_system_means(corpus, position, group) for group in (first, second)])
            means = means[:, np.isfinite(means).all(axis=0)]
            r = float(Pearson()(*means)) if means.shape[1] > 1 else np.nan
            if r <= 0 or fisher_interval(r, means.shape[1], Pearson()).lower <= 0:
                told.append(f"{corpus.criteria[position].name} {r:.2f} over {means.shape[1]} systems")
        if told:
            notes.append(
                f"{corpus.name}: no significant agreement between the judge groups {first.name} and {second.name} "
                f"(Pearson of their system means: {', '.join(told)}; no 95 % confidence interval above 0), so a mean "
                "of both may have no clear meaning."
            )
    return notes


def _system_means(corpus: Corpus, position: int, group: JudgeGroup) -> FloatArray:
    """Return the mean score that a group gave each system: (systems,), nan where it gave none."""
    of_group = group.members(corpus.judgments.judges)[corpus.judgments.judge]
    rows = corpus.judgments.where((corpus.judgments.criterion == position) & of_group)
    sums = np.bincount(rows.system, weights=rows.score, minlength=len(corpus.systems))
    counts = np.bincount(rows.system, minlength=len(corpus.systems))
    return np.asarray(np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0))


def judge_documents(
    corpus: Corpus, judged: JudgedCriterion, group: ReferenceGroup, experiment: Experiment
) -> JudgedDocuments:
    """Make the documents for one criterion and one reference subset, and their human scores.

    Raises
    ------
    UsageError
        If no segment may be drawn, or fewer than a document needs.
    """
    scorable = scorable_segments(corpus, group, experiment)
    has = judged.judged.counts > 0
    systems: IntArray = np.flatnonzero((has & scorable).any(axis=1))
    eligible = scorable & _judged_enough(has[systems], experiment)
    _check_eligible(corpus, judged, group, scorable, eligible, systems, experiment)
    twice = eligible & (judged.judged.counts[systems] > 1).all(axis=0)
    place = f"{corpus.name}, {judged.criterion.name}, references {group}"
    result = JudgedDocuments(judged.criterion, group, judged.judges, systems, [], [])
    result.warnings.extend(
        f"{place}: {note}" for note in _missing(corpus, has, scorable, eligible, systems, experiment)
    )
    shared = experiment.judgments.inter_judge and bool((twice == eligible).all())
    for length in experiment.documents.lengths or (None,):
        scores = _score(corpus, judged, result, eligible, length, experiment, two=shared)
        result.scores.append(scores)
        if shared:
            result.inter_judge.append(scores)
    if experiment.judgments.inter_judge and not shared:
        result.warnings.extend(_own_inter_judge(corpus, judged, result, eligible, twice, experiment))
    return result


def _judged_enough(has: BoolArray, experiment: Experiment) -> BoolArray:
    """Return which segments count, of those that can be scored.

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


def _missing(
    corpus: Corpus, has: BoolArray, scorable: BoolArray, eligible: BoolArray, systems: IntArray, experiment: Experiment
) -> list[str]:
    """Return what is left out because it was not judged or cannot be scored, with numbers."""
    notes = []
    if len(systems) < len(corpus.systems):
        unjudged = [name for place, name in enumerate(corpus.systems) if place not in systems]
        notes.append(f"nobody judged {listing(unjudged)}, which {'are' if len(unjudged) > 1 else 'is'} left out.")
    if not eligible.all():
        references = "references" if corpus.complete.all() else "references or the output of some system"
        judgments = f"a judgment of {'some system' if experiment.require == 'all' else _enough(experiment)}"
        lacking = {references: int((~scorable).sum()), judgments: int((scorable & ~eligible).sum())}
        told = " and ".join(f"{number} lack {what}" for what, number in lacking.items() if number)
        notes.append(f"documents are made of {int(eligible.sum())} of {corpus.n_segments} segments; {told}.")
    items = has[np.ix_(systems, np.flatnonzero(eligible))]
    if not items.all():
        found = f"{int(items.sum())} of {items.size} items were judged ({percent(items.mean())})"
        if experiment.documents.units.is_single:
            notes.append(f"{found}; each coefficient is over those.")
        else:
            by_system = items.sum(axis=1)
            over = "all of them" if experiment.metric_over == "all" else "the same segments"
            notes.append(
                f"{found}: a human score is the mean over the segments where the system was judged, "
                f"{by_system.min()} to {by_system.max()} of {items.shape[1]}, and metrics score {over}."
            )
    return notes


def scorable_segments(corpus: Corpus, group: ReferenceGroup, experiment: Experiment) -> BoolArray:
    """Return which segments have the output of every system and the references of every subset: (segments,)."""
    scorable = corpus.complete
    for subset in group.subsets:
        needed = len(subset.names) if experiment.references.require == "all" else min(1, len(subset.names))
        scorable &= count_references(corpus, subset) >= needed
    return scorable


def _own_inter_judge(
    corpus: Corpus,
    judged: JudgedCriterion,
    found: JudgedDocuments,
    eligible: BoolArray,
    twice: BoolArray,
    experiment: Experiment,
) -> list[str]:
    """Draw the inter-judge line from the segments where every system has two judgments; say what it rests on."""
    place = f"{corpus.name}, {judged.criterion.name}"
    n_twice, n_eligible = int(twice.sum()), int(eligible.sum())
    items = judged.judged.counts[np.ix_(found.systems, np.flatnonzero(eligible))]
    if not n_twice:
        reason = (
            "no segment has two judgments of every system "
            f"({int((items == 1).sum())} of {items.size} items were judged once)"
        )
        return [f"{place}: no inter-judge line, because {reason}."]
    rests_on = f"the {n_twice} of {n_eligible} segments where every system has two judgments"
    messages = [f"{place}: the inter-judge line is drawn from {rests_on}."]
    for length in experiment.documents.lengths or (None,):
        if length is not None and length > n_twice and not experiment.documents.replacement:
            messages.append(
                f"{place}: no inter-judge coefficient for {length} segments, which are more than there are."
            )
        else:
            scores = _score(corpus, judged, found, twice, length, experiment, two=True, name="inter-judge")
            found.inter_judge.append(scores)
    return messages


def _score(
    corpus: Corpus,
    judged: JudgedCriterion,
    found: JudgedDocuments,
    eligible: BoolArray,
    length: int | None,
    experiment: Experiment,
    *,
    two: bool,
    name: str = "documents",
) -> HumanScores:
    segments = np.flatnonzero(eligible)
    kind, settings = experiment.documents.units, experiment.documents

    def draw(n_segments: int, length: int) -> Documents:
        rng = generator(experiment.seed, name, length)
        return draw_documents(n_segments, length, settings.count, rng, replacement=settings.replacement)

    documents = kind.make(corpus, segments, length, draw)
    items = restrict(judged.judged, found.systems, segments)
    n_references = float(np.mean([count_references(corpus, subset)[segments] for subset in found.group.subsets]))
    names = ("judgments", name, judged.criterion.name, length or 0)
    systems = [corpus.systems[place] for place in found.systems]
    human, second = human_scores(items, documents, experiment, systems, names, two=two)
    length = kind.fixed_length(len(segments), length)
    metric_items = None
    if experiment.require == "any" and experiment.metric_over == "judged" and not kind.is_single:
        metric_items = items.counts > 0
    return HumanScores(length, segments, documents, human, n_references, items, second, metric_items)


def human_scores(
    items: JudgedValues,
    documents: Documents,
    experiment: Experiment,
    systems: Sequence[str],
    names: tuple[str | int, ...],
    *,
    two: bool,
) -> tuple[FloatArray, FloatArray | None]:
    """Return the human scores of documents.

    Parameters
    ----------
    items : JudgedValues
        The judgments of the segments that documents point to.
    documents : Documents
        As indices where the rule is ``draw``.
    experiment : Experiment
        The rule and the seed.
    systems : sequence of str
    names : tuple of str and int
        What the draws are for; each system has a generator of its own.
    two : bool
        Whether scores by another judgment of each item are drawn as well.

    Returns
    -------
    (documents, systems) float array
        ``nan`` where no item of a document was judged.
    (documents, systems) float array, or None
        The second scores.
    """
    scale = float(np.abs(items.values).max(initial=0.0))
    if experiment.judgments.rule != "draw":
        # An item without a judgment adds nothing, to the sum and to the count.
        fixed = np.nan_to_num(reduce_items(items, experiment.judgments.rule), nan=0.0)
        return mean_of_sums(pool(fixed, documents), scale), None
    assert documents.indices is not None
    generators = [generator(experiment.seed, *names, system) for system in systems]
    drawn = draw_judgments(items, documents.indices, generators, two=two)
    human = mean_of_sums(pool_drawn(items.values, drawn.first), scale)
    second = mean_of_sums(pool_drawn(items.values, drawn.second), scale) if drawn.second is not None else None
    return human, second


def _check_eligible(
    corpus: Corpus,
    judged: JudgedCriterion,
    group: ReferenceGroup,
    scorable: BoolArray,
    eligible: BoolArray,
    systems: IntArray,
    experiment: Experiment,
) -> None:
    """Check that there are systems to correlate and segments enough, and that few of them are lost unasked."""
    n_eligible, n_scorable = int(eligible.sum()), int(scorable.sum())
    place = f"corpus {corpus.name!r}, {judged.criterion.name}, references {group}"
    if n_scorable and len(systems) == 1 and experiment.correlation.average_by == "item":
        raise UsageError(
            f"{place}: the chosen judges ({judged.judges}) judged one system, {corpus.systems[systems[0]]!r}, and a "
            "correlation across systems needs two."
        )
    needed = 1 if experiment.documents.replacement else max(experiment.documents.lengths, default=1)
    every = experiment.require == "all"
    if n_eligible < needed:
        found = f"{n_eligible} eligible segment{'' if n_eligible == 1 else 's'}"
        want = f"documents of {needed} segments cannot be drawn" if n_eligible else "no document can be made"
        needs = "the references" if corpus.complete.all() else "the references and the outputs of all systems"
        raise UsageError(
            f"{place}: {want} from {found}. Eligible are segments with {needs} ({n_scorable} of {corpus.n_segments}) "
            f"and a judgment of {_enough(experiment)} by the chosen judges ({judged.judges})."
            f"{_rare(corpus, group, needed)}{_or_any(experiment) if every and len(systems) else ''}"
        )
    if every and experiment.judgments.require is None and 2 * n_eligible < n_scorable:
        raise UsageError(
            f"{place}: {n_eligible} of {n_scorable} segments have a judgment of every system by the chosen judges "
            f"({judged.judges}); less than half would be left.{_or_any(experiment)} --require all (or "
            f'judgments.require = "all") takes these {n_eligible} segments.'
        )


def _enough(experiment: Experiment) -> str:
    """Return which systems must have been judged on a segment."""
    if experiment.require == "all":
        return "every system"
    is_item = experiment.documents.units.is_single and experiment.correlation.average_by == "item"
    return "two systems" if is_item else "some system"


def _or_any(experiment: Experiment) -> str:
    """Return what takes each system over the segments where it was judged, as a sentence."""
    grids = [one.written for one in experiment.correlation.coefficients if one.kind.needs_all_cells]
    if grids:
        return f" {grids[0]} needs every system on each segment; another coefficient may take the judgments there are."
    return (
        ' --require any (or judgments.require = "any" in a config) takes each system over the segments where it was '
        "judged."
    )


def _rare(corpus: Corpus, group: ReferenceGroup, needed: int) -> str:
    """Return a sentence about references that too few segments have, or nothing."""
    names = {name for subset in group.subsets for name in subset.names}
    counts = {name: sum(text is not None for text in corpus.references[name]) for name in corpus.references}
    rare = [f"{name!r} ({counts[name]})" for name in counts if name in names and counts[name] < needed]
    if not rare or len(rare) == len(counts):
        return ""
    return f" Few segments have {', '.join(rare)}; `references.names` chooses the references."
