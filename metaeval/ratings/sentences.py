"""Sentences about judges that claim no more than the confidence intervals support."""

from __future__ import annotations

import math
from collections.abc import Sequence

from metaeval.errors import counted
from metaeval.ratings.alternative_annotator import AlternativeAnnotator
from metaeval.ratings.dependence import LENGTH, Dependence
from metaeval.ratings.judge_comparison import PLANNED_MARGIN, JudgedJudge, JudgeFindings
from metaeval.ratings.means import CONFIDENCE_LEVEL, Interval
from metaeval.ratings.position import FirstShare
from metaeval.ratings.table import Ratings
from metaeval.report.phrases import named_in_sentence
from metaeval.report.tables import fixed

ORDER_UNKNOWN = (
    "In which order outputs were shown is not said, so that nothing is known of position: a column that names which "
    "stood first would tell (role first), or answers in both orders."
)
# Of more judges than this, the answer has a line for the first ones alone.
MAX_JUDGES = 4


def measured(value: float, ratings: Ratings, *, signed: bool = False) -> str:
    """Return a likeness or a difference without its unit: in points of 100 where it is a share."""
    if math.isnan(value):
        return "--"
    sign = "+" if signed and value > 0 else ""
    if not ratings.is_ordered:
        return f"{sign}{fixed(100 * value, 1)}"
    return f"{sign}{fixed(value, 2)}" if ratings.kind == "grade" else f"{sign}{value:.3g}"


def unit(ratings: Ratings) -> str:
    """Name the unit of differences."""
    return {"grade": "grades", "number": "units of the scale"}.get(ratings.kind, "points")


def with_ends(interval: Interval, ratings: Ratings, *, noun: bool = True) -> str:
    """Return a difference with its sign and interval, and with its unit unless this stands elsewhere."""
    text = measured(interval.value, ratings, signed=True)
    if noun:
        text += f" {unit(ratings)}"
    if interval.has_ends:
        ends = ", ".join(measured(end, ratings, signed=True) for end in (interval.lower, interval.upper))
        text += f" [{ends}]"
    return text


def answer_of(findings: JudgeFindings, ratings: Ratings, *, truth: str, margin: float | None) -> str:
    """Describe all judges, a line each, and say whether one is better than the others."""
    shown = findings.judges[:MAX_JUDGES]
    if truth:
        lines = [_against_truth(judged, ratings, truth) for judged in shown]
    else:
        lines = [_against_person(judged, ratings, margin) for judged in shown]
    if len(findings.judges) > len(shown):
        n_others = len(findings.judges) - len(shown)
        lines.append(f"{counted(n_others, 'other judge')} {'stands' if n_others == 1 else 'stand'} in the table.")
    return "\n".join(dict.fromkeys([*lines, *_best(findings, truth=truth)]))


def _against_person(judge: JudgedJudge, ratings: Ratings, margin: float | None) -> str:
    """Compare a judge with one person, in words."""
    name, difference = judge.judge, judge.difference
    if judge.nothing_to_validate:
        two = " against ".join(_level(of, ratings, ends=False) for of in (judge.person, judge.constant))
        return f"Nothing can be validated on these items: {judge.nothing_to_validate} ({two})."
    if math.isnan(difference.value):
        unknown = f"whether it is as good as a person cannot be said: {difference.missing_because}"
        return f"{name} {_agrees(judge, ratings)}; {unknown}."
    if not difference.has_ends:
        with_interval = with_ends(difference, ratings)
        return (
            f"It cannot be said whether {name} is as good as a person ({with_interval}): {difference.missing_because}."
        )
    with_interval = with_ends(difference, ratings)
    if margin is not None:
        return _within_margin(judge, ratings, margin, with_interval)
    if difference.lower > 0:
        return f"{name} agrees with a person more than people do with one another: {with_interval}."
    if difference.upper < 0:
        less = f"{name} agrees with a person less than people do with one another: {with_interval}"
        return f"{less}; {_as_good(judge, ratings, only=True)}."
    none = f"No significant difference between {name} and a person: {with_interval}"
    return f"{none}; {_as_good(judge, ratings)}."


def _within_margin(judge: JudgedJudge, ratings: Ratings, margin: float, with_interval: str) -> str:
    """Return whether a margin that was named holds."""
    margin_words = f"{measured(margin, ratings)} {unit(ratings)}, the margin named in advance"
    worse, is_held = judge.difference.upper < 0, holds(judge, margin)
    as_good = _as_good(judge, ratings, only=worse or not is_held)
    if is_held:
        beginning = "is worse than a person, but by less than" if worse else "is no worse than a person, within"
        return f"{judge.judge} {beginning} {margin_words}: {with_interval}; {as_good}."
    return f"{judge.judge} is not shown to be as good as a person within {margin_words}: {with_interval}; {as_good}."


def holds(judge: JudgedJudge, margin: float) -> bool:
    """Return whether it is shown that a judge is no worse than a person by more than a margin."""
    return judge.smallest_margin <= margin


def _as_good(judge: JudgedJudge, ratings: Ratings, *, only: bool = False) -> str:
    """Say the smallest margin that holds; it is one-sided, and may lie inside of the two-sided interval."""
    if judge.smallest_margin <= 0:
        return "it is no worse than a person (one-sided)"
    return (
        f"it is as good {'only ' if only else ''}to within {measured(judge.smallest_margin, ratings)} {unit(ratings)} "
        "(one-sided)"
    )


def _agrees(judge: JudgedJudge, ratings: Ratings) -> str:
    """Describe the agreement of a judge with a person."""
    if ratings.is_ordered:
        return f"is {_level(judge.agreement, ratings)} away from a person on average"
    return f"agrees with a person in {_level(judge.agreement, ratings)} of {counted(judge.items, 'item')}"


def _level(level: Interval, ratings: Ratings, *, ends: bool = True) -> str:
    """Return a likeness in words: a share in percent, or a distance."""
    if not ratings.is_ordered:
        interval = f" [{fixed(100 * level.lower, 1)}, {fixed(100 * level.upper, 1)}]" if ends and level.has_ends else ""
        return f"{fixed(100 * level.value, 1)} %{interval}"
    interval = ""
    if ends and level.has_ends:
        interval = f" [{measured(-level.upper, ratings)}, {measured(-level.lower, ratings)}]"
    return f"{measured(-level.value, ratings)} {unit(ratings)}{interval}"


def _against_truth(judge: JudgedJudge, ratings: Ratings, truth: str) -> str:
    """Describe how often a judge is right."""
    if ratings.is_ordered:
        sentence = f"{judge.judge} is {_level(judge.agreement, ratings)} away from {truth} on average"
    else:
        sentence = f"{judge.judge} is right in {_level(judge.agreement, ratings)} of {counted(judge.items, 'item')}"
    baseline = "a coin" if judge.constant.missing_because else f"always answering {judge.constant_answer!r}"
    gain = judge.over_constant
    if not gain.has_ends or gain.lower > 0:
        return f"{sentence}."
    if ratings.is_ordered:
        comparison = "farther than" if gain.upper < 0 else "not shown to be nearer than"
    else:
        comparison = "less than" if gain.upper < 0 else "not shown to be better than"
    return f"{sentence}, which is {comparison} {baseline}."


def _best(findings: JudgeFindings, *, truth: str) -> list[str]:
    """Return sentences on the first of several judges: which others it is better than, over all pairs by Holm."""
    if len(findings.judges) < 2 or all(judged.nothing_to_validate for judged in findings.judges):
        return []
    first = findings.judges[0].judge
    significant = [pair for pair in findings.pairs if pair.is_significant]
    beaten = [pair.worse for pair in significant if pair.better == first]
    better = [pair.better for pair in significant if pair.worse == first]
    by_test = f"(Holm, p < {1 - CONFIDENCE_LEVEL:.2g})"
    sentences = []
    if beaten:
        beaten_words = "every other judge" if len(beaten) == len(findings.judges) - 1 > 1 else named_in_sentence(beaten)
        sentences.append(f"{first} {_agrees_more([first], truth)} than {beaten_words} {by_test}.")
    if better:
        words = f"{named_in_sentence(better)} {_agrees_more(better, truth)} than {first}"
        sentences.append(f"{words} on the items that both rated {by_test}.")
    if not sentences:
        none = f"{first} comes first among the judges, but its difference from each other one is not significant."
        sentences.append(none)
    return sentences


def _agrees_more(judges: Sequence[str], truth: str) -> str:
    """Return the verb of a sentence on judges that are better than others."""
    if truth:
        return "are right more often" if len(judges) > 1 else "is right more often"
    return "agree more with people" if len(judges) > 1 else "agrees more with people"


def below_the_table(findings: JudgeFindings, ratings: Ratings, *, truth: str, n_people: int) -> list[str]:
    """Return the lines below the table: what intervals are over, each person, and what cannot be said."""
    judged = findings.compared_judge
    noun, n = ratings.cluster_noun, judged.clusters
    over = f"{CONFIDENCE_LEVEL * 100:g} % intervals over {counted(n, noun)}"
    if not judged.agreement.has_ends:
        over = f"No intervals over {counted(n, noun)}"
    if truth:
        said = f'{over}. One truth and no second person: "as good as a person" cannot be said.'
        return [said, *dependence_lines(findings, ratings, truth=truth)]
    lines = [f"{over}, for {'this person' if n_people == 1 else f'these {n_people} people'}."]
    if len(findings.judges) > 1:
        lines[0] = f"{lines[0][:-1]}, and for each judge by itself."
        return [*lines, *dependence_lines(findings, ratings, truth=truth)]
    if (
        judged.equivalents.missing_because
        and not judged.nothing_to_validate
        and not math.isnan(judged.difference.value)
    ):
        lines.append(f"Worth in persons is not known: {judged.equivalents.missing_because}.")
    off = judged.difference_without_offset
    has_offset = judged.offset.lower > 0 or judged.offset.upper < 0
    # Whole grades that are moved by less than one are equal to no other, which may cost more than the offset did.
    if has_offset and off.has_ends and off.value > judged.difference.value and not judged.nothing_to_validate:
        lines.append(f"With its offset taken off, judge less one person would be {with_ends(off, ratings)}.")
    if judged.population.has_ends:
        lines.append(f"For people like these: {with_ends(judged.population, ratings)}.")
    by_person = [row for row in findings.people if not math.isnan(row.difference.value)]
    if 1 < len(by_person) <= 8 and judged.difference.has_ends and not judged.nothing_to_validate:
        each = ", ".join(f"{row.person} {measured(row.difference.value, ratings, signed=True)}" for row in by_person)
        lines.append(f"Against each person, both compared with the others: {each} {unit(ratings)}.")
    if _asks_for_more(judged, ratings):
        needed = f"{judged.items_needed:,}"
        lines.append(
            f"About {needed} items like these would show a judge that is as good as a person to be so within "
            f"{measured(PLANNED_MARGIN, ratings)} {unit(ratings)}."
        )
    return [*lines, *dependence_lines(findings, ratings, truth=truth)]


def _asks_for_more(judge: JudgedJudge, ratings: Ratings) -> bool:
    """Return whether more items would tell more: no significant difference from a person, and a wide margin."""
    undecided = judge.difference.has_ends and judge.difference.lower < 0 < judge.difference.upper
    return undecided and not ratings.is_ordered and judge.smallest_margin > PLANNED_MARGIN


def dependence_lines(findings: JudgeFindings, ratings: Ratings, *, truth: str) -> list[str]:
    """Describe what judges give for length and to their own systems beyond people, a line for each of the first."""
    known = [dependence for dependence in findings.dependences if not math.isnan(dependence.slope.value)]
    unknown = [dependence for dependence in findings.dependences if math.isnan(dependence.slope.value)]
    lines = []
    for judged in findings.judges[:MAX_JUDGES]:
        of_judge = [dependence for dependence in known if dependence.judge == judged.judge]
        sentences = [_beyond_people(dependence, findings, ratings, truth=truth) for dependence in of_judge]
        lines += [" ".join(sentences)] if sentences else []
    if any(dependence.is_scale_assumed for dependence in known):
        lines.append("Each item has one person; people and judges were said to use the scale alike.")
    reasons = dict[tuple[str, tuple[str, ...], str], list[str]]()
    for dependence in unknown:
        reasons.setdefault((dependence.on, dependence.systems, dependence.slope.missing_because), []).append(
            dependence.judge
        )
    for (on, systems, because), judges in reasons.items():
        lines.append(f"{_head(on, systems)}: not known for {named_in_sentence(judges)}, because {because}.")
    return lines


def _head(on: str, systems: Sequence[str]) -> str:
    return "Length" if on == LENGTH else f"Own system{'s' * (len(systems) > 1)} {named_in_sentence(systems)}"


def _beyond_people(dependence: Dependence, findings: JudgeFindings, ratings: Ratings, *, truth: str) -> str:
    """Return whether a judge gives more for length, or to its own system, than people do."""
    slope = dependence.slope
    is_length = dependence.on == LENGTH
    of_it = "" if is_length else " it" if len(dependence.systems) == 1 else " them"
    if ratings.kind == "preference":
        preferred = of_it or " it"
        words = [f"prefers{preferred} more", f"prefers{preferred} less", f"prefer{preferred} more or less"]
        where = "where one output is twice as long as the other, " if is_length else ""
    else:
        where = "where it doubles, " if is_length else ""
        words = [f"gives{of_it} more", f"gives{of_it} less", f"give{of_it} more or less"]
        if ratings.kind == "label":
            answer = f'"{ratings.words(float(ratings.value.max()))}"{" of" if of_it else ""}{of_it}'
            words = [f"says {answer} more often", f"says {answer} less often", f"say {answer} more or less often"]
    than = "than is right" if truth else "than people do"
    amount = with_ends(slope, ratings)
    if not slope.has_ends:
        amount += f"; no interval: {slope.missing_because}"
    head = f"{_head(dependence.on, dependence.systems)}: {where}{dependence.judge}"
    if dependence.p_corrected < 1 - CONFIDENCE_LEVEL:
        return f"{head} {words[0 if slope.value > 0 else 1]} {than}: {amount}."
    n_judges = sum(row.on == dependence.on for row in findings.dependences)
    over = f" (Holm over {n_judges} judges)" if slope.p < 1 - CONFIDENCE_LEVEL else ""
    return f"{head} is not shown to {words[2]} {than}{over}: {amount}."


def first_share_words(first_share: FirstShare, *, truth: str) -> str:
    """Describe how often a judge that was asked in one order prefers what stood first, and what that cannot say."""
    share = first_share.first
    interval = f" [{fixed(100 * share.lower, 1)}, {fixed(100 * share.upper, 1)}]" if share.has_ends else ""
    whom = "it is right" if truth else "people"
    beside = "" if math.isnan(first_share.people) else f" ({whom} in {fixed(100 * first_share.people, 1)} %)"
    rest = [counted(first_share.ties, "tie")] if first_share.ties else []
    rest += [counted(first_share.lost, "pair without verdict", "pairs without verdict")] if first_share.lost else []
    others = f"; {' and '.join(rest)}" if rest else ""
    if not first_share.decided:
        return f"Shown in one order: {first_share.judge} has no verdict for one output of a pair{others}."
    verdicts = counted(first_share.decided, "verdict")
    return (
        f"Shown in one order: {first_share.judge} prefers what stands first in {fixed(100 * share.value, 1)} %"
        f"{interval} of {verdicts}{beside}{others}. Unless the order was drawn by chance, that may be the outputs and "
        "not their place."
    )


def alternative_words(result: AlternativeAnnotator) -> str:
    """Describe the result of the alternative annotator test for a judge."""
    head = f"{result.judge}, alternative annotator test (epsilon {result.epsilon:g})"
    if result.missing_because:
        return f"{head}: no result, {result.missing_because}."
    verdict = "passed" if result.passed else "failed"
    return f"{head}: {verdict}, winning rate {result.winning_rate:.2f}, advantage probability {result.advantage:.2f}."
