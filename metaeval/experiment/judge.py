"""Judgments to human scores: which segments may be drawn, the documents, and the human scores of each."""

from __future__ import annotations

import itertools
import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from metaeval.config.schema import Experiment
from metaeval.correlation.coefficients import Pearson
from metaeval.correlation.fisher_intervals import fisher_interval
from metaeval.datamodel.corpus import BoolArray, Corpus, Criterion, Documents, FloatArray, IntArray, Judgments
from metaeval.datamodel.pooling import JudgedValues, mean_of_sums, pool
from metaeval.errors import UsageError, as_typed, counted, listing, percent, unknown
from metaeval.experiment.eligible import check_eligible, missing_words, scorable_segments, segments_that_count
from metaeval.judgments.combining import group_by_item, pool_judgments, reduce_items, restrict
from metaeval.judgments.confounding import JudgeDesign, find_design
from metaeval.judgments.groups import choose_judges, judged_by
from metaeval.judgments.normalisation import z_scores
from metaeval.parameters.calls import spelt_as
from metaeval.report.phrases import subset_words
from metaeval.runtime.randomness import generator
from metaeval.sampling.documents import draw_documents
from metaeval.sampling.references import ReferenceGroup, count_references

# Judges and systems are confounded where the share `JudgeDesign.kept_share` is below these: no z-scores; a warning.
MIN_KEPT_BY_Z_SCORES = 0.25
MIN_KEPT_WITHOUT_WARNING = 0.5
# The mean severity of two groups of so many judges is about the same.
MANY_JUDGES = 10


@dataclass(frozen=True)
class JudgedCriterion:
    """The judgments on one criterion, grouped by item."""

    criterion: Criterion
    judged: JudgedValues
    judges: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class JudgedDocuments:
    """The documents of one length and their human scores.

    Attributes
    ----------
    length : int or None
        Segments in a document; None where that varies.
    segments : (eligible,) int array
        The segments that documents are made of.
    weights : Documents
        How often each document has each of these segments.
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
    weights: Documents
    human: FloatArray
    mean_references: float
    items: JudgedValues
    second: FloatArray | None = None
    metric_items: BoolArray | None = None


@dataclass(frozen=True)
class CriterionDocuments:
    """The documents for one criterion and one group of reference subsets.

    Attributes
    ----------
    criterion : Criterion
    group : ReferenceGroup
    judges : str
        Who judged, in words.
    systems : (kept,) int array
        The positions of the systems that somebody judged; the others are left out.
    documents : list of JudgedDocuments
        One for each length, which metrics score.
    inter_judge : list of JudgedDocuments
        One for each length, with both draws of judgments; empty where no such line can be drawn.
    warnings : list of str
        What can mislead a reader of the results.
    """

    criterion: Criterion
    group: ReferenceGroup
    judges: str
    systems: IntArray
    documents: list[JudgedDocuments]
    inter_judge: list[JudgedDocuments]
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
            "`correlation.average_by`. Its segments are correlated by "
            + as_typed(
                terminal='`metaeval run system-level --corpus CORPUS --set \'metrics=["bleu", "chrf"]\' '
                "--set 'documents.kind=\"segments\"' --set 'correlation.average_by=\"none\"'`.",
                python='`metaeval.correlate(corpus, ["bleu", "chrf"], documents={"kind": "segments"}, '
                'correlation={"average_by": "none"})`.',
            )
        )
    names = [criterion.name for criterion in corpus.criteria]
    if experiment.criteria == "all":
        judged = judged_by(corpus, experiment.judgments.judges).judgments.criterion
        return tuple(position for position in range(len(names)) if (judged == position).any())
    chosen = [spelt_as(name, names) for name in experiment.criteria]
    for name in chosen:
        if name not in names:
            raise UsageError(
                f"corpus {corpus.name!r}: {unknown('criterion', name, names, 'criteria')} Choose them with "
                + as_typed(
                    terminal=f"--criterion, or --set 'criteria=[\"{names[0]}\"]' of `metaeval run`",
                    python=f"`criteria=[{names[0]!r}]`",
                )
                + "; where corpora differ, with [by_corpus] of a config."
            )
    return tuple(dict.fromkeys(names.index(name) for name in chosen))


def judge_criterion(corpus: Corpus, position: int, experiment: Experiment) -> JudgedCriterion:
    """Choose the judges, normalise their scores on one criterion and group them by item.

    Raises
    ------
    UsageError
        If scores are to become z-scores by judge, and the judges are slots, or judges and systems are confounded.
    """
    settings = experiment.judgments
    chosen = choose_judges(corpus, settings.judges)
    rows = _judgments_on(corpus, position, chosen.members)
    criterion = corpus.criteria[position]
    normalisation = settings.normalise.kind
    if normalisation.name == "z" and chosen.slots:
        raise UsageError(
            f"corpus {corpus.name!r}: `judgments.normalise` must be 'none' for judges that are slots; got "
            f"{settings.normalise.written!r} and {listing(chosen.slots)}. Different annotators filled such a slot, so "
            "it has no scale of its own that could be removed. Take other judges with "
            f"{as_typed(terminal='--judges', python='`judges`')} or `judgments.judges` of a config, or set "
            "judgments.normalise='none'."
        )
    values = rows.score
    messages = []
    if normalisation.name == "z":
        # A judge's own scale shows in all that he or she scored, human texts included.
        texts = _judgments_of_human_texts(corpus, position, rows.judges)
        design = find_design(rows, texts)
        if design.kept_share < MIN_KEPT_BY_Z_SCORES:
            lost = (
                f"a difference between these groups would shrink to {percent(design.kept_share)}, relative to others"
                if design.kept_share
                else "every difference between these groups would be taken away"
            )
            alone = _one_group_alone(corpus, design)
            raise UsageError(
                f"corpus {corpus.name!r}, {criterion.name}: `judgments.normalise` must be 'none' where judges and "
                f"systems are confounded; got {settings.normalise.written!r}. {_groups_in_words(corpus, design)} "
                f"A z-score is relative to the mean of all that the judge scored, so {lost}. Take scores as they are: "
                + as_typed(
                    terminal="`--set 'judgments.normalise=\"none\"'`",
                    python='`judgments={"normalise": "none"}` (in `overrides` of `run`)',
                )
                + (f"; or compare the systems of one group: {alone}." if alone else ".")
            )
        scores = np.concatenate([rows.score, texts.score])
        by = np.concatenate([rows.judge, texts.judge])
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


def _judgments_on(corpus: Corpus, position: int, members: BoolArray) -> Judgments:
    """Return the judgments of systems on one criterion by some judges, (judges,)."""
    return corpus.judgments.where((corpus.judgments.criterion == position) & members[corpus.judgments.judge])


def _judgments_of_human_texts(corpus: Corpus, position: int, judges: Sequence[str]) -> Judgments:
    """Return the judgments of human texts on one criterion by those who judged systems, counted as `judges`."""
    index = {name: number for number, name in enumerate(judges)}
    others = corpus.reference_judgments
    same_judge = np.array([index.get(name, -1) for name in others.judges], dtype=np.int32)[others.judge]
    numbered = replace(others, judges=tuple(judges), judge=same_judge)
    return numbered.where((others.criterion == position) & (same_judge >= 0))


def confounding_notes(corpus: Corpus, positions: Sequence[int], experiment: Experiment) -> list[str]:
    """Return notes on criteria where judges and systems are confounded, with the groups of systems, and the effect.

    Without z-scores, there is no note on groups that each have many judges, whose severity averages out, nor on judges
    that are slots, each of which may be many people.
    """
    chosen = choose_judges(corpus, experiment.judgments.judges)
    uses_z_scores = experiment.judgments.normalise.kind.name == "z"
    notes: dict[str, list[str]] = {}
    for position in positions:
        rows = _judgments_on(corpus, position, chosen.members)
        design = find_design(rows, _judgments_of_human_texts(corpus, position, rows.judges))
        fewest = min((len(group.judges) for group in design.groups), default=0)
        if design.kept_share >= MIN_KEPT_WITHOUT_WARNING or (
            not uses_z_scores and (chosen.slots or fewest >= MANY_JUDGES)
        ):
            continue
        note = f"judges and systems are confounded. {_groups_in_words(corpus, design)} "
        if uses_z_scores:
            share = percent(design.kept_share)
            note += f"By z-scores a difference between these groups shrinks to {share}, relative to others."
        else:
            note += "A difference between groups may be that between severe and lenient judges."
        if alone := _one_group_alone(corpus, design):
            note += f" One group is compared alone by {alone}."
        notes.setdefault(note, []).append(corpus.criteria[position].name)
    return [f"{corpus.name}, {', '.join(names)}: {note}" for note, names in notes.items()]


def _groups_in_words(corpus: Corpus, design: JudgeDesign) -> str:
    """Return the groups of systems that judges do not connect, or hardly: their systems, items and judges."""
    shown = [
        f"{listing((corpus.systems[k] for k in group.systems), 8)} ({counted(group.n_items, 'item')}, "
        f"{percent(group.share) + ' of the' if design.kept_share else 'all'} judgments by "
        f"{counted(len(group.judges), 'judge')}: "
        f"{listing((corpus.judgments.judges[k] for k in group.judges), 4)})"
        for group in design.groups[:4]
    ]
    if more := len(design.groups) - len(shown):
        shown.append(f"and {counted(more, 'more group')}")
    connect = "few judgments connect" if design.kept_share else "no judge connects"
    return f"The systems fall into {len(design.groups)} groups that {connect}: {'; '.join(shown)}."


def _one_group_alone(corpus: Corpus, design: JudgeDesign) -> str:
    """Return the words to type to compare the systems of the largest group; "" where no group has two systems."""
    largest = max(design.groups, key=lambda group: len(group.systems))
    names = [corpus.systems[k] for k in largest.systems]
    if len(names) < 2:
        return ""
    return as_typed(
        terminal=f"`--filter {shlex.quote('systems=' + ','.join(names))}`",
        python=f'`filter={{"systems": {json.dumps(names, ensure_ascii=False)}}}`',
    )


def group_notes(corpus: Corpus, positions: Sequence[int], request: str | Sequence[str] | None) -> list[str]:
    """Return notes on the judges taken, where a corpus has groups of judges, and on groups not shown to agree.

    Two groups agree on a criterion where Pearson's correlation of their system means is shown to be positive: the 95 %
    interval (Fisher) over the systems that both judged lies above 0. Where there is no such interval (three systems or
    fewer, or a coefficient of 1 or -1), only a coefficient of 0 or less is reported.
    """
    judges = corpus.judgments.judges
    groups = [group for group in corpus.judge_groups if group.members(judges).any()]
    chosen = choose_judges(corpus, request)
    notes = []
    if groups and not chosen.members.all():
        used = f"{int(chosen.members.sum())} of {len(chosen.members)} judges"
        option = as_typed(terminal="--judges", python="`judges`")
        notes.append(f"{corpus.name}: judgments of {chosen.words} ({used}); {option} takes others, or all.")
    for first, second in itertools.combinations(groups, 2):
        low = []
        for position in positions:
            means = np.stack([system_means(corpus, position, group.members(judges)) for group in (first, second)])
            means = means[:, np.isfinite(means).all(axis=0)]
            r = float(Pearson()(*means)) if means.shape[1] > 1 else np.nan
            if r <= 0 or fisher_interval(r, means.shape[1], Pearson())[0] <= 0:
                low.append(f"{corpus.criteria[position].name} {r:.2f} over {means.shape[1]} systems")
        if low:
            notes.append(
                f"{corpus.name}: no significant agreement between the judge groups {first.name} and {second.name} "
                f"(Pearson of their system means: {', '.join(low)}; no 95 % confidence interval above 0), so a mean "
                "of both may have no clear meaning."
            )
    return notes


def system_means(corpus: Corpus, position: int, members: BoolArray) -> FloatArray:
    """Return the mean score on a criterion that some judges, (judges,), gave each system; nan where they gave none."""
    rows = corpus.judgments.where((corpus.judgments.criterion == position) & members[corpus.judgments.judge])
    sums = np.bincount(rows.system, weights=rows.score, minlength=len(corpus.systems))
    counts = np.bincount(rows.system, minlength=len(corpus.systems))
    return np.asarray(np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0))


def judge_documents(
    corpus: Corpus, judged: JudgedCriterion, group: ReferenceGroup, experiment: Experiment
) -> CriterionDocuments:
    """Make the documents for one criterion and one reference subset, and their human scores.

    Raises
    ------
    UsageError
        If no segment may be drawn, or fewer than a document needs.
    """
    scorable = scorable_segments(corpus, group, experiment)
    has = judged.judged.counts > 0
    systems: IntArray = np.flatnonzero((has & scorable).any(axis=1))
    if experiment.judgments.rule == "stored":
        systems = systems[np.isfinite(stored_scores(corpus, judged.criterion.name)[systems])]
    eligible = scorable & segments_that_count(has[systems], experiment)
    name = judged.criterion.name
    check_eligible(corpus, name, judged.judges, group, scorable, eligible, systems, experiment)
    twice = eligible & (judged.judged.counts[systems] > 1).all(axis=0)
    result = CriterionDocuments(judged.criterion, group, judged.judges, systems, [], [])
    subject = f"{corpus.name}, {name}, {subset_words(str(group))}"
    notes = missing_words(corpus, has, scorable, eligible, systems, experiment)
    result.warnings.extend(f"{subject}: {note}" for note in notes)
    shared = experiment.judgments.inter_judge and bool((twice == eligible).all())
    lengths = experiment.documents.lengths or (None,)
    make = partial(_judged_documents, corpus, judged, result, experiment)
    result.documents.extend(make(eligible, length, two=shared) for length in lengths)
    if shared:
        result.inter_judge.extend(result.documents)
    elif experiment.judgments.inter_judge:
        n_twice = int(twice.sum())
        subject = f"{corpus.name}, {name}"
        result.warnings.append(f"{subject}: {_inter_judge_note(judged.judged, systems, eligible, n_twice)}.")
        for length in lengths if n_twice else ():
            if length is not None and length > n_twice and not experiment.documents.replacement:
                note = f"no inter-judge coefficient for {length} segments, which are more than there are"
                result.warnings.append(f"{subject}: {note}.")
            else:
                result.inter_judge.append(make(twice, length, two=True, name="inter-judge"))
    return result


def _inter_judge_note(judged: JudgedValues, systems: IntArray, eligible: BoolArray, n_twice: int) -> str:
    """Return a note on the segments of an inter-judge line that has segments of its own, or why there is no line."""
    if n_twice:
        rests_on = f"the {n_twice} of {int(eligible.sum())} segments where every system has two judgments"
        return f"the inter-judge line is drawn from {rests_on}"
    items = judged.counts[np.ix_(systems, np.flatnonzero(eligible))]
    never = f", {int((items == 0).sum())} never" if (items == 0).any() else ""
    once = f"{int((items == 1).sum())} of {items.size} items were judged once{never}"
    return f"no inter-judge line, because no segment has two judgments of every system ({once})"


def _judged_documents(
    corpus: Corpus,
    judged: JudgedCriterion,
    result: CriterionDocuments,
    experiment: Experiment,
    eligible: BoolArray,
    length: int | None,
    *,
    two: bool,
    name: str = "documents",
) -> JudgedDocuments:
    """Return the documents of one length that are made of eligible segments, with their human scores."""
    segments = np.flatnonzero(eligible)
    kind = experiment.documents.units
    settings = experiment.documents

    def draw(n_segments: int, length: int) -> Documents:
        rng = generator(experiment.seed, name, length)
        return draw_documents(n_segments, length, settings.count, rng, replacement=settings.replacement)

    documents = kind.make(corpus, segments, length, draw)
    items = restrict(judged.judged, result.systems, segments)
    n_references = float(np.mean([count_references(corpus, subset)[segments] for subset in result.group.subsets]))
    names = ("judgments", name, judged.criterion.name, length or 0)
    systems = [corpus.systems[k] for k in result.systems]
    human, second = human_scores(items, documents, experiment, systems, [names], two=two)
    if experiment.judgments.rule == "stored":
        human = stored_scores(corpus, judged.criterion.name)[np.newaxis, result.systems]
    length = kind.fixed_length(len(segments), length)
    metric_items = None
    if experiment.require == "any" and experiment.metric_over == "judged" and not kind.is_single:
        metric_items = items.counts > 0
    return JudgedDocuments(length, segments, documents, human, n_references, items, second, metric_items)


def stored_scores(corpus: Corpus, criterion: str) -> FloatArray:
    """Return the human scores of whole systems that came with the corpus: (systems,), ``nan`` where there is none.

    Raises
    ------
    UsageError
        If there are none.
    """
    of_systems = [scores for scores in corpus.scores if (scores.origin, scores.level) == ("human", "system")]
    for scores in of_systems:
        if scores.name == criterion:
            by_system = dict(zip(scores.systems, scores.values[:, 0].tolist(), strict=True))
            return np.array([by_system.get(name, np.nan) for name in corpus.systems])
    lost = " Scores of whole systems do not hold for the segments that a filter leaves." if corpus.whole else ""
    raise UsageError(
        f"corpus {corpus.name!r}: `judgments.rule` = 'stored' needs human scores of whole systems named {criterion!r}; "
        f"it came with {listing(scores.name for scores in of_systems)}.{lost} Choose rule = 'mean'."
    )


def human_scores(
    items: JudgedValues,
    documents: Documents,
    experiment: Experiment,
    systems: Sequence[str],
    names: Sequence[tuple[str | int, ...]],
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
    names : sequence of tuple of str and int
        Names of the random generators, one tuple for each of the equal parts that documents come in; every system has a
        generator of its own.
    two : bool
        Whether scores by another judgment of each item are drawn as well.

    Returns
    -------
    (documents, systems) float array
        ``nan`` where no item of a document was judged.
    (documents, systems) float array, or None
        The second scores.
    """
    is_exact = experiment.judgments.ties == "exact"
    scale = None if is_exact else float(np.abs(items.values).max(initial=0.0))
    if experiment.judgments.rule != "draw":
        # An item without a judgment adds nothing, to the sum and to the count.
        fixed = np.nan_to_num(reduce_items(items, experiment.judgments.rule), nan=0.0)
        return mean_of_sums(pool(fixed, documents), scale), None
    assert documents.indices is not None
    streams = [[(*name, system) for system in systems] for name in names]
    draws = pool_judgments(items, documents.indices, experiment.seed, streams, two=two)
    human, *second = (mean_of_sums(sums, scale) for sums in draws)
    return human, second[0] if two else None
