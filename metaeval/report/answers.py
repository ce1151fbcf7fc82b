"""Answers of a run or comparison in plain words: which metrics lead, how sure that is, and what it rests on.

A sentence that speaks of all metrics of a table keeps its error rate for the table (Holm over all pairs). Metrics
with a star lead; one that has no star and is not significantly worse than another either is named as such.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from metaeval.components.registries import COEFFICIENTS
from metaeval.config.defaults import ALPHA
from metaeval.correlation.tolerances import EQUAL
from metaeval.datamodel.corpus import CONSTANT
from metaeval.errors import as_typed
from metaeval.report.bands import band_answers
from metaeval.report.claims import verdicts_of
from metaeval.report.comparisons_at import Place, places_of
from metaeval.report.correlation_tables import in_part
from metaeval.report.influence import best_without
from metaeval.report.phrases import (
    SIMULATED,
    SIMULATED_DATA,
    coefficient_words,
    grouped,
    joined_names,
    named_in_sentence,
    preprocessing_words,
    quoted_name,
    subset_words,
)
from metaeval.report.rankings import RankedMetric, Ranking
from metaeval.report.tables import Estimated, fixed
from metaeval.report.task_matrix import TaskMatrix, task_matrix
from metaeval.results.model import RunData
from metaeval.results.rows import BY_INTERVALS, LACKS_SYSTEMS, Correlation

# What makes settings of one criterion and coefficient differ, and several that differ in this alone.
_SETTING_NAMES = {
    "corpus": "corpus",
    "preprocessing": "preprocessing",
    "subset": "references",
    "length": "document length",
}
_SEVERAL_SETTINGS = {
    "corpus": ("on", "corpora"),
    "preprocessing": ("with", "kinds of preprocessing"),
    "subset": ("with", "sets of references"),
    "length": ("at", "document lengths"),
    "coefficient": ("by", "coefficients"),
    "panel": ("in", "panels"),
}
# How it stands in a label, where it is not as it is written.
_SETTING_WORDS: Mapping[str, Callable[[Any], str]] = {
    "preprocessing": preprocessing_words,
    "subset": subset_words,
    "length": lambda length: f"{length} segment{'' if length == 1 else 's'}",
    "coefficient": coefficient_words,
}
_NOT_APART = "with no significant difference"
_WMT_RANK_1 = "WMT rank 1 (by WMT's rule, not the published rank)"
_TO_AGREE = "to agree with people"
_TO_BEAT_A_CONSTANT = "to do better than a constant score"
# Of more metrics that lead, only the first is named.
_MAX_LEADERS = 6
# All orders of so many systems, or fewer, are too few for a level that chance exceeds in 5 % of them.
_FEW_SYSTEMS = 3


def answers_of(run: RunData) -> list[str]:
    """Return the results of a run, a line each: verdicts on claims of its paper, and which metrics lead.

    Parameters
    ----------
    run : RunData
        Live or loaded.

    Returns
    -------
    list of str
        Where there are several places, such as criteria, a line for all of them comes before theirs. Where a criterion
        has several settings, such as lengths of documents: how often a metric has the highest coefficient. A line says
        so where the corpus is simulated.
    """
    lines = [f"{of_corpus}." for of_corpus in verdicts_of(run.tables.claims)]
    # The first line on simulated data says what they are no evidence of.
    is_said = any(row.simulated for row in run.tables.claims)
    matrix = task_matrix(run)
    if matrix is not None:
        return [*lines, _tasks_sentence(run, matrix), *band_answers(run)]
    places_by_question = grouped(
        places_of(run), lambda place: (place.key.panel, place.key.criterion, place.key.coefficient)
    )
    if all(len(places) == 1 for places in places_by_question.values()):
        return [
            *lines,
            *sentences_of([places[0] for places in places_by_question.values()], brief=is_said),
            *band_answers(run),
        ]
    panels = {panel for panel, *_ in places_by_question}
    has_several_coefficients = len({(panel, coefficient) for panel, _, coefficient in places_by_question}) > len(panels)
    for (panel, criterion, coefficient), places in places_by_question.items():
        where = [panel, criterion, *([coefficient_words(coefficient)] if has_several_coefficients or not panel else [])]
        finding = _across_settings(places) if len(places) > 1 else finding_of(places[0], _why_no_agreement(places[0]))
        lines.append(f"{_labelled(where, places, brief=is_said)}: {finding}")
        is_said |= any(place.simulated for place in places)
    return [*lines, *band_answers(run)]


def sentences_of(places: Sequence[Place], *, brief: bool = False) -> list[str]:
    """Return the results at some places, a line each; where there are several, one for all of them comes first.

    Parameters
    ----------
    places : sequence of Place
    brief : bool
        Whether it was already said what simulated data are no evidence of.
    """
    labels = labels_of(places)
    overall = _overall(places, brief=brief)
    # The first line on simulated data says what they are no evidence of, and each explanation is given once.
    is_said = brief or (overall != [] and any(place.simulated for place in places))
    lines = []
    explanations = {""}
    for label, place in zip(labels, places, strict=True):
        why = _why_no_agreement(place)
        finding = finding_of(place, "" if why in explanations else why)
        explanations.add(why)
        lines.append(f"{_labelled(label, [place], brief=is_said)}: {finding}")
        is_said |= place.simulated
    return [*overall, *lines]


def _labelled(where: Iterable[str], places: Sequence[Place], *, brief: bool = False) -> str:
    """Return the subject of a sentence, and that its corpus, or one of several, is simulated if it is."""
    subject = ", ".join(filter(None, where))
    n_simulated = sum(place.simulated for place in places)
    if not n_simulated:
        return subject
    return f"{subject} ({'' if n_simulated == len(places) else 'in part '}{SIMULATED_DATA if brief else SIMULATED})"


def labels_of(places: Sequence[Place]) -> list[list[str]]:
    """Return the settings that distinguish each of some places, and its criterion."""
    keys = [place.key for place in places]
    panels = {key.panel for key in keys}
    varied = [name for name in ("panel", *_SETTING_NAMES) if len({getattr(key, name) for key in keys}) > 1]
    always = [
        "criterion",
        *(["coefficient"] if len({(key.panel, key.coefficient) for key in keys}) > len(panels) else []),
    ]

    def tells_apart(names: Iterable[str]) -> int:
        return len({tuple(getattr(key, name) for name in (*names, *always)) for key in keys})

    # A panel has its length, and a corpus its references: where they say it all, the rest goes without saying.
    for name in ("length", "subset", "preprocessing"):
        others = [other for other in varied if other != name]
        if tells_apart(others) == tells_apart(varied):
            varied = others
    return [[_SETTING_WORDS.get(name, str)(getattr(key, name)) for name in (*varied, *always)] for key in keys]


def labelled_finding(place: Place) -> str:
    """Return the result at a place, with its criterion."""
    return f"{_labelled([place.key.criterion], [place])}: {finding_of(place, _why_no_agreement(place))}"


def finding_of(place: Place, why_no_agreement: str) -> str:
    """Name the metrics that lead at a place, and how sure that is; where none is shown to agree, with the reason."""
    if nothing := _no_agreement(place):
        return f"{nothing}.{why_no_agreement}{in_part(place.ranked)}"
    lead, *others = _leaders(place)
    parts = [lead, *_influential_systems(place), *others, *_untested(place), *_beside_uninformative(place)]
    return f"{'; '.join(parts)}.{in_part(place.ranked)}"


def _leaders(place: Place) -> list[str]:
    """Name the metrics of a place that lead, those that are worse, and those of which neither is known."""
    best, *others = place.ranking.metrics
    if not others:
        only = f"it is the only metric{_that_could_be_scored([place])}"
        return [f"{quoted_name(best.metric)} has {_value_words(best)}; {only}"]
    if not place.ranking.is_tested:
        return [*_highest(place.ranking), *_by_intervals(place)]
    if why := _why_none_was_tested(place):
        return [*_highest(place.ranking), f"differences could not be tested: {why}"]
    undecided = _undecided(place)
    parts = []
    if math.isnan(best.p):
        parts.append(f"{quoted_name(best.metric)} has the highest coefficient, {_value_words(best)}, but could not be ")
        parts[-1] += f"tested: {_reason(place, best.metric)}"
    elif not best.star:
        # The most certain one of those that are better.
        above = [row.key.metric for row, _ in place.significantly_better(best.metric, math.inf)]
        rival = quoted_name(above[0]) if above else "another"
        parts.append(f"{quoted_name(best.metric)} has the highest mean ({_value_words(best)}), but agrees less well ")
        parts[-1] += f"than {rival} on the documents where both have a coefficient"

    better, better_alone = (
        {
            ranked.metric: [
                row.key.metric for row, _ in place.significantly_better(ranked.metric, place.alpha, corrected=corrected)
            ]
            for ranked in place.ranking.metrics
        }
        for corrected in (True, False)
    )
    return [*parts, *_by_tests(place.ranking, place.alpha, better, better_alone, list(undecided))]


def _that_could_be_scored(places: Sequence[Place]) -> str:
    """Say of the only metric which others have no results, and why; "" where no other was asked for."""
    left_out = {name: why for place in places for name, why in place.left_out.items()}
    reasons = [f"{quoted_name(name)} {why}" for name, why in left_out.items()]
    return f" that could be scored ({named_in_sentence(reasons)})" if reasons else ""


def _by_tests(
    ranking: Ranking,
    alpha: float,
    better: Mapping[str, Sequence[str]],
    better_alone: Mapping[str, Sequence[str]],
    undecided: Sequence[str] = (),
) -> list[str]:
    """Name the metrics that lead by the stars of a ranking, the worse ones, and those of which that is not known.

    Parameters
    ----------
    ranking : Ranking
    alpha : float
    better, better_alone : mapping of str to sequence of str
        By metric, those that are significantly better: by p corrected for all pairs, and by p of each pair by itself.
    undecided : sequence of str
        Metrics of which too few replicates leave open whether they are worse than the best.
    """
    best = ranking.metrics[0]
    tested = [ranked for ranked in ranking.metrics if not math.isnan(ranked.p) and ranked.metric not in undecided]
    starred = [ranked for ranked in tested if ranked.star]
    unstarred = [ranked for ranked in tested if not ranked.star]
    worse = [ranked.metric for ranked in unstarred if better[ranked.metric]]
    between = [ranked.metric for ranked in unstarred if not better[ranked.metric] and ranked.p < alpha]
    parts = []
    if starred == [best] and undecided:
        parts += _highest(ranking)
    elif len(starred) == 1:
        parts.append(f"{quoted_name(starred[0].metric)} is the best, with {_value_words(starred[0])}")
    elif starred and len(starred) == len(tested):
        two = " and ".join(quoted_name(ranked.metric) for ranked in starred)
        metric_words = f"between {two}" if len(starred) == 2 else f"among the {len(starred)} metrics"
        parts.append("; ".join([f"no significant difference {metric_words}", *_highest(ranking)]))
    elif starred:
        first = f"{quoted_name(starred[0].metric)} ({_value_words(starred[0])})"
        names = [first, *(quoted_name(ranked.metric) for ranked in starred[1:])]
        leaders = joined_names(names if len(names) <= _MAX_LEADERS else [first, f"{len(names) - 1} others"])
        parts.append(f"{leaders} share the lead, {_NOT_APART} {'between' if len(names) == 2 else 'among'} them")
    if worse:
        rival = _rival(worse, better, ranking, starred)
        than = quoted_name(rival)
        if rival and starred and rival != starred[0].metric:
            than += f" (not than {quoted_name(starred[0].metric)})"
        elif not rival:
            is_below_leader = all(any(leader.metric in better[metric] for leader in starred) for metric in worse)
            than = "at least one of these" if is_below_leader else "another metric"
        each = "" if rival or len(worse) == 1 else "each "
        parts.append(f"{_quoted_names(worse)} {_is_or_are(worse)} {each}significantly worse than {than}")
    if between:
        rival = _rival(between, better_alone, ranking, starred)
        each = "" if rival or len(between) == 1 else "each "
        difference = "the difference is" if len(between) == 1 else "the differences are"
        parts.append(
            f"{_quoted_names(between)} may {each}be worse than {quoted_name(rival) or 'another metric'}: {difference} "
            "significant only before correction for all pairs of metrics"
        )
    return parts


def _rival(
    worse: Sequence[str], better: Mapping[str, Sequence[str]], ranking: Ranking, leaders: Sequence[RankedMetric]
) -> str:
    """Return a metric that is better than each of some others: the first leader, or if that beats none, another.

    "" where no metric is, or where the first leader is better than some of them alone.
    """
    order = dict.fromkeys(ranked.metric for ranked in (*leaders, *ranking.metrics))
    rivals = [name for name in order if all(name in better[metric] for metric in worse)]
    n_below_first = sum(leaders[0].metric in better[metric] for metric in worse) if leaders else 0
    return rivals[0] if rivals and n_below_first in (0, len(worse)) else ""


def _is_tested(ranking: Ranking) -> bool:
    """Return whether a test has a p-value of some metric."""
    return ranking.is_tested and any(not math.isnan(metric.p) for metric in ranking.metrics)


def _tasks_sentence(run: RunData, matrix: TaskMatrix) -> str:
    """Name the metrics that lead on the average of the tasks of a run, or in its only one."""
    ranking = matrix.average or matrix.tasks[0].ranking
    title = f"Average of {len(matrix.tasks)} tasks" if matrix.average else matrix.tasks[0].title
    label = f"{title} ({SIMULATED})" if run.simulated else title
    ranked = [metric_rank for metric_rank in ranking.metrics if metric_rank.rank is not None]
    n = len(ranking.metrics)
    without = sum(math.isnan(metric.value) for metric in ranking.metrics)
    if not ranked:
        return f"{label}: no metric has a rank.{matrix.in_part}"
    if len(ranked) == 1:
        parts = [f"{quoted_name(ranked[0].metric)} has {_value_words(ranked[0])}; it is the only metric with a rank"]
    elif any(metric_rank.cluster for metric_rank in ranked):
        first = [metric_rank.metric for metric_rank in ranked if metric_rank.cluster == 1]
        best = f"{quoted_name(ranked[0].metric)} ({_value_words(ranked[0])})"
        named = named_in_sentence([best, *map(quoted_name, first[1:])])
        among = "between" if len(first) == 2 else "among"
        verb = f"share {_WMT_RANK_1}, {_NOT_APART} {among} them" if len(first) > 1 else f"alone has {_WMT_RANK_1}"
        if len(first) == sum(metric_rank.cluster is not None for metric_rank in ranked) > 1:
            named = f"{_all_of(len(first))} metrics that were tested"
        parts = [f"{named} {verb}"]
    elif _is_tested(ranking):
        alpha = matrix.settings.get("alpha_joint", ALPHA)
        tests = [row for row in run.tables.task_tests if row.task == (ranking.task or "")]
        better = {
            metric.metric: [row.better for row in tests if row.worse == metric.metric and row.p_joint < alpha]
            for metric in ranking.metrics
        }
        parts = _by_tests(ranking, alpha, better, dict.fromkeys(better, ()))
    else:
        parts = [*_highest(ranking), "differences were not tested"]
    if without:
        have = "have scores for all tasks" if matrix.average else "have a value"
        parts[0] = f"only {n - without} of {n} metrics {have}; of these, {parts[0]}"
    return f"{label}: {'; '.join(parts)}.{matrix.in_part}"


def _highest(ranking: Ranking) -> list[str]:
    """Name the metric that has the highest coefficient, or those that share it."""
    best = ranking.metrics[0]
    # Metrics that lack systems have no rank among those that do not.
    ranked = [metric for metric in ranking.metrics if metric.rank is not None] or [best]
    names = [metric.metric for metric in ranked if best.value - metric.value <= EQUAL]
    if len(names) > 1:
        return [f"{_quoted_names(names)} have the same highest coefficient, {_value_words(best, interval=False)}"]
    return [f"{_quoted_names(names)} has the highest coefficient, {_value_words(best)}"]


def _why_no_test(place: Place) -> str:
    """Say that differences at a place were not tested, or why they could not be."""
    reasons = dict.fromkeys(test.untested_because for test in place.tests if test.untested_because)
    if reasons:
        return f"differences could not be tested: {'; '.join(map(_of_a_test, reasons))}"
    # Tests of several settings together have a place without what differs.
    same = ("panel", "corpus", "criterion", "preprocessing", "coefficient")
    together = any(
        all(getattr(row.key, name) == getattr(place.key, name) for name in same) for row in place.run.tables.tests
    )
    if together and not place.tests:
        return "differences are tested over all settings together (tests.tsv)"
    return "differences were not tested"


def _by_intervals(place: Place) -> list[str]:
    """Describe at a place without a test which intervals overlap, and that or why nothing was tested."""
    tested_words = _why_no_test(place)
    others = [name for name in place.ranking.starred if name != place.best]
    if place.ranking.method != BY_INTERVALS or not others:
        return [tested_words]
    if len(others) == len(place.ranking.metrics) - 1 > 1:
        those = "those of all other metrics"
    else:
        those = f"{'that' if len(others) == 1 else 'those'} of {_quoted_names(others)}"
    is_shared = any(place.metric(name).rank == 1 for name in others)
    whose = "the confidence interval of the first" if is_shared else "its confidence interval"
    return [f"{tested_words}, and {whose} overlaps with {those}"]


def _untested(place: Place) -> list[str]:
    """Name the metrics that have no rank, those that could not be tested, and those that are undecided."""
    parts = []
    without = [metric.metric for metric in place.ranking.metrics if math.isnan(metric.value)]
    if without:
        parts.append(f"{_quoted_names(without)} cannot be ranked: no coefficient")
    if not place.ranking.is_tested or _why_none_was_tested(place):
        return parts
    untested = [
        metric.metric for metric in place.ranking.metrics if math.isnan(metric.p) and not math.isnan(metric.value)
    ]
    reasons = grouped([name for name in untested if name != place.best], lambda name: _reason(place, name))
    for reason, names in reasons.items():
        why = reason if len(names) == 1 else reason.replace("it has scores", "they have scores")
        parts.append(f"{_quoted_names(names)} could not be tested: {why}")
    if undecided := _undecided(place):
        n = max(undecided.values())
        option = as_typed(terminal=f"--resamples {n}", python=f"n_resamples={n}")
        whether = f"whether {_quoted_names(list(undecided))} {_is_or_are(list(undecided))} worse"
        parts.append(f"{whether} is undecided: that takes {n:,} replicates ({option})")
    return parts


def _reason(place: Place, metric: str) -> str:
    """Return the reason why a metric could not be tested."""
    row = next(row for row in place.ranked if row.key.metric == metric)
    most = max(other.n_systems for other in place.ranked)
    if row.n_systems < most:
        return f"it has scores of {row.n_systems} of {most} systems"
    tests = [test for test in place.tests if metric in (test.metric_a, test.metric_b) and test.untested_because]
    # The reason beside the best first; that another metric lacks a system is no reason of its own.
    tests.sort(key=lambda test: place.best not in (test.metric_a, test.metric_b))
    reasons = [test.untested_because for test in tests]
    reason = next((reason for reason in reasons if reason != LACKS_SYSTEMS), "")
    if not reason and reasons:
        return f"no other metric has scores of the same {row.n_systems} systems"
    return _of_a_test(reason or "the test gives no p-value")


def _of_a_test(reason: str) -> str:
    """Return why there is no test as the end of a sentence about metrics, in which "it" would be the metric."""
    option = as_typed(terminal="--resamples 2000", python="n_resamples=2000")
    words = reason.removeprefix("undecided: ").replace("it needs", "a test needs", 1)
    return words + (f" (to draw more: {option})" if reason.endswith("were drawn") else "")


def _why_none_was_tested(place: Place) -> str:
    """Return the reason why no metric could be tested, where all have the same; else ""."""
    metrics = [metric for metric in place.ranking.metrics if not math.isnan(metric.value)]
    if any(not math.isnan(metric.p) for metric in metrics):
        return ""
    reasons = {_reason(place, metric.metric) for metric in metrics}
    return reasons.pop().replace("no other metric has", "no two metrics have") if len(reasons) == 1 else ""


def _undecided(place: Place) -> dict[str, int]:
    """Return the metrics that are neither worse than the best nor not, with the replicates that it takes to decide."""
    against = {row.key.metric: place.test_against_best(row.key.metric).needs_resamples for row in place.ranked}
    return {name: needed for name, needed in against.items() if needed is not None}


def _influential_systems(place: Place) -> list[str]:
    """Name the systems without which another metric than those with a star would be the best."""
    winners = best_without(place.ranked, place.influence)
    parts = []
    for metric, systems in winners.items():
        if place.metric(metric).star and len(place.ranking.starred) > 1:
            continue
        first, *others = systems
        if len(systems) > 2:
            others = [f"any one of {len(others)} others"]
        kind = "" if first.startswith("the outlier systems (") else "system "
        value = "" if others else f", {fixed(systems[first], 2)} (not tested)"
        without = named_in_sentence([first, *others], "or")
        parts.append(f"without {kind}{without}, {quoted_name(metric)} has the highest coefficient{value}")
    return parts


def _no_agreement(place: Place) -> str:
    """Explain that no metric is shown to agree with the judgments; "" where one is."""
    best, *others = place.ranked
    constant = place.constant
    # Those that lack a system cannot be compared with it.
    scored = "" if others == [] or others[-1].n_systems == best.n_systems else " that scored all systems"
    if math.isnan(best.mean):
        return "no metric has a coefficient"
    if constant is not None and best.n_systems == constant.n_systems and not _is_above_constant(place, constant):
        level, highest = _distinct_digits(constant.mean, best.mean)
        same_score = "one that gives every text the same score"
        constant_words = f"no more than {same_score}" if level == highest else f"and {same_score} has {level}"
        if best.mean > constant.mean:
            digits = len(level.partition(".")[2])
            highest = Estimated(best.mean, best.lower, best.upper).written(lambda value: fixed(value, digits))
            constant_words += ", which lies within that interval"
        return (
            f"no metric{scored} is shown {_TO_BEAT_A_CONSTANT}: the best, {quoted_name(place.best)}, has {highest}, "
            f"{constant_words}"
        )
    if best.mean <= place.chance + EQUAL:
        level, highest = _distinct_digits(place.chance, best.mean)
        return (
            f"no metric{scored} is shown {_TO_AGREE}: the highest coefficient, {highest} ({quoted_name(place.best)}), "
            f"is not above the level of chance, {level}"
        )
    return ""


def _is_above_constant(place: Place, constant: Correlation) -> bool:
    """Return whether the best metric is shown to be better than one that gives every text the same score.

    Calibrated ties give no metric less than that, not even noise, so that it takes an interval or two metrics of which
    one is significantly better: what is above another one is above a constant score too.
    """
    best = place.ranked[0]
    if not COEFFICIENTS.named(place.key.coefficient).is_fitted or math.isnan(best.lower):
        return best.mean > constant.mean
    # The constant score is that of all systems.
    comparable = {row.key.metric for row in place.ranked if row.n_systems == constant.n_systems}
    return best.lower > constant.mean or any(
        test.p_corrected < place.alpha for test in place.tests if {test.metric_a, test.metric_b} <= comparable
    )


def _why_no_agreement(place: Place) -> str:
    """Explain the level of chance, or why a constant score is hard to beat and what to ask instead; else ""."""
    nothing = _no_agreement(place)
    best = place.ranked[0]
    if _TO_AGREE in nothing:
        n = sum(row.n_systems == best.n_systems and not math.isnan(row.mean) for row in place.ranked)
        winner = f"the best of the {n} metrics" if n > 1 else "the metric"
        if best.n_systems <= _FEW_SYSTEMS:
            return f" With human scores in another order of the {best.n_systems} systems, {winner} reaches that level."
        shuffled = f" With human scores shuffled among the {best.n_systems} systems"
        return f"{shuffled}, {winner} exceeds that level in at most 5 % of shuffles."
    if _TO_BEAT_A_CONSTANT in nothing and COEFFICIENTS.named(place.key.coefficient).is_fitted:
        kendall = as_typed(terminal="--coefficient kendall", python='coefficients=["kendall"]')
        return (
            f" {coefficient_words(place.key.coefficient)} is the share of pairs that a metric orders, or ties, as "
            f"people do: a constant score is right on all pairs that people tie. {kendall} counts no tie as right."
        )
    return ""


def _across_settings(places: Sequence[Place]) -> str:
    """Count in how many of several settings the best metric is the same, and better than all others."""
    n = len(places)
    best = Counter[str]()
    n_clear = 0
    n_tested = 0
    n_agreeing = 0
    is_each_tested = True
    for place in places:
        first, *others = place.ranked
        agrees = not _no_agreement(place)
        n_agreeing += agrees
        # Of two with the same coefficient, none is the best.
        if not math.isnan(first.mean) and all(not first.mean - row.mean <= EQUAL for row in others):
            best[place.best] += 1
        against = [place.test_against_best(row.key.metric) for row in others]
        tested = [test for test in against if not math.isnan(test.p_corrected)]
        if tested:
            n_tested += 1
            n_clear += agrees and all(test.p_corrected < place.alpha and test.difference > 0 for test in tested)
            is_each_tested &= len(tested) == len(others)
    varied = [name for name in _SETTING_NAMES if len({getattr(place.key, name) for place in places}) > 1]
    where, noun = _SEVERAL_SETTINGS[varied[0]] if len(varied) == 1 else ("in", "settings")
    in_brackets = f" ({', '.join(_SETTING_NAMES[name] for name in varied)})" if len(varied) > 1 else ""
    settings, all_settings = f"{n} {noun}{in_brackets}", f"{_all_of(n)} {noun}{in_brackets}"
    part = in_part([row for place in places for row in place.ranked])
    if not n_agreeing:
        any_of = "either" if n == 2 else "any"
        return f"no metric is shown {_unshown(places)} {where} {any_of} of {settings}.{part}"
    unshown = f" No metric is shown {_unshown(places)} {where} {n - n_agreeing} of {n}." if n_agreeing < n else ""
    if all(len(place.ranked) == 1 for place in places):
        (only_metric, n_places), *other_metrics = Counter(place.best for place in places).items()
        only = f"is the only metric{_that_could_be_scored(places)}"
        if not other_metrics:
            return f"{quoted_name(only_metric)} {only}, {where} {settings}.{unshown}{part}"
        rest = "".join(f", {quoted_name(metric)} {where} {times_only}" for metric, times_only in other_metrics)
        return f"{quoted_name(only_metric)} is the only metric {where} {n_places} of {settings}{rest}.{unshown}{part}"
    highest = [f"several metrics have the same highest coefficient {where} {all_settings}"]
    if best:
        (first_metric, first_times), *next_metrics = best.most_common(3)
        setting_words = all_settings if first_times == n else f"{first_times} of {settings}"
        highest = [f"{quoted_name(first_metric)} has the highest coefficient {where} {setting_words}"]
        highest += [f"{quoted_name(metric)} {where} {times}" for metric, times in next_metrics]
    if len(best) > 3:
        n_others = len(best) - 3
        highest += [f"{'another one' if n_others == 1 else f'{n_others} others'} {where} the rest"]
    highest += [f"no single one {where} {shared}"] if best and (shared := n - sum(best.values())) else []
    if n_tested and not best:
        return f"{highest[0]}.{unshown}{part}"
    test_words = _why_no_test(places[0])
    if n_tested:
        times = _all_of(n) if n_clear == n else f"{n_clear or 'none'} of {n_tested}"
        if n_tested < n:
            times += " that could be tested"
        winner = "it" if len(best) == 1 else "the best metric"
        other = "every other metric" if is_each_tested else "every other metric that was tested"
        test_words = f"{winner} is significantly better than {other} {where} {times}"
    return f"{', '.join(highest)}; {test_words}.{unshown}{part}"


def _overall(places: Sequence[Place], *, brief: bool) -> list[str]:
    """Return a line on several places: which metrics are among the best at all of them."""
    if len(places) < 2:
        return []
    agreeing = [place for place in places if not _no_agreement(place)]
    n = len(agreeing)
    keys = [place.key for place in places]
    varied = [
        name for name in ("panel", "coefficient", *_SETTING_NAMES) if len({getattr(key, name) for key in keys}) > 1
    ]
    on, noun = ("in", "settings") if varied else ("on", "criteria")
    if len(varied) == 1 and len({key.criterion for key in keys}) == 1:
        on, noun = _SEVERAL_SETTINGS[varied[0]]
    label = _labelled(["Overall"], places, brief=brief)
    if not agreeing:
        of_any = "either" if len(places) == 2 else "any"
        return [f"{label}: no metric is shown {_unshown(places)} {on} {of_any} of the {len(places)} {noun}."]
    if not all(_is_tested(place.ranking) and len(place.ranking.metrics) > 1 for place in places):
        return []
    if any(_undecided(place) for place in places):
        return []
    # Where the highest coefficient could not be tested, nothing is known of leaders.
    if not all(place.ranking.starred for place in agreeing):
        return []
    star_counts = Counter(name for place in agreeing for name in place.ranking.starred)
    unshown = ""
    if n < len(places):
        others = [place.key.criterion for place in places if place not in agreeing]
        where = f"{on} {len(others)} of the {len(places)} {noun}" if varied else f"{on} {named_in_sentence(others)}"
        unshown = f"{where} no metric is shown {_unshown(places)}"
        if n == 1:
            rest = f"{on} the other one" if varied else f"on {agreeing[0].key.criterion}"
            return [f"{label}: {unshown}; {rest} {_lead_in_brief(agreeing[0].ranking)}."]
        noun, unshown = f"other {noun}", f"{unshown}; "
    metrics = {metric.metric for place in places for metric in place.ranking.metrics}
    of_all, of_any = _all_of(n), "either" if n == 2 else "any"
    most_frequent = [name for name, times in star_counts.items() if times == max(star_counts.values())]
    if all(star_counts[name] == n for name in metrics):
        among_all = f"{'between' if len(metrics) == 2 else 'among'} the {len(metrics)} metrics"
        sentence = f"no significant difference {among_all} {on} {of_any} of the {n} {noun}"
    elif star_counts[most_frequent[0]] == n:
        is_each_tested = all(not math.isnan(metric.p) for place in agreeing for metric in place.ranking.metrics)
        only = "only " if len(most_frequent) < len(metrics) and is_each_tested else ""
        leads = "leads" if len(most_frequent) == 1 else "lead"
        often_starred = f"{only}{_quoted_names(most_frequent)} {leads}"
        sentence = f"{often_starred}, alone or with others, {on} {of_all} {noun}"
    else:
        sentence = f"no metric leads, alone or with others, {on} {of_all} {noun}"
        if star_counts[most_frequent[0]] > 1:
            leads = "does" if len(most_frequent) == 1 else "do"
            sentence += f"; {_quoted_names(most_frequent)} {leads} {on} {star_counts[most_frequent[0]]}"
    return [f"{label}: {unshown}{sentence}."]


def _unshown(places: Iterable[Place]) -> str:
    """Return what no metric is shown to do at some of these places: to agree, or to do better than a constant score."""
    reasons = [reason for place in places if (reason := _no_agreement(place))]
    return _TO_BEAT_A_CONSTANT if all(_TO_BEAT_A_CONSTANT in reason for reason in reasons) else _TO_AGREE


def _lead_in_brief(ranking: Ranking) -> str:
    """Return which metrics lead by the stars of a ranking, without a number."""
    leaders = ranking.starred
    n = len(ranking.metrics)
    if len(leaders) == 1:
        return f"{quoted_name(leaders[0])} is the best"
    if len(leaders) == n:
        return f"there is no significant difference {'between' if n == 2 else 'among'} the {n} metrics"
    names = [quoted_name(name) for name in leaders]
    return f"{joined_names(names) if len(names) <= _MAX_LEADERS else f'{len(names)} of {n} metrics'} share the lead"


def _beside_uninformative(place: Place) -> list[str]:
    """Name the metrics that are not shown to be better than a constant one, or than noise with as many ties."""
    parts = []
    if place.constant is not None:
        level = place.constant.mean
        comparable = [row for row in place.ranked if row.n_systems == place.constant.n_systems]
        below = [row.key.metric for row in comparable if row.mean <= level]
        unclear = [
            row.key.metric
            for row in comparable
            if row.mean > level and place.test(row.key.metric, CONSTANT).p_corrected >= place.alpha
        ]
        same = f"better than a constant score ({fixed(level)})"
        if below:
            parts.append(f"{_quoted_names(below)} {_is_or_are(below)} no {same}")
        if unclear:
            parts.append(f"{_quoted_names(unclear)} {_is_or_are(unclear)} not significantly {same}")
    noisy = _no_better_than_noise(place)
    if noisy:
        parts.append(f"{_quoted_names(noisy)} {_is_or_are(noisy)} no better than random scores with as many ties")
    return parts


def _quoted_names(metrics: Sequence[str]) -> str:
    return named_in_sentence([quoted_name(metric) for metric in metrics])


def _all_of(n: int) -> str:
    return "both" if n == 2 else f"all {n}"


def _is_or_are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _no_better_than_noise(place: Place) -> list[str]:
    """Return the metrics that do as well as noise with their ties, which orders half of the pairs that people do."""
    if not COEFFICIENTS.named(place.key.coefficient).is_fitted:
        return []
    # A constant metric has the share of pairs that people tie; where they tie none, it has no line.
    tied = 0.0 if place.constant is None else place.constant.mean
    metrics = []
    for row in place.ranked:
        ties = place.ties[row.key.metric]
        noise = ties * tied + (1 - ties) * (1 - tied) / 2
        if row.lower <= noise and noise > tied:
            metrics.append(row.key.metric)
    return metrics


def _value_words(metric: RankedMetric, *, interval: bool = True) -> str:
    """Return a coefficient and its interval, if it has one, with two digits; with three where two would say 1.00."""
    digits = 3 if f"{abs(metric.value):.2f}" == "1.00" and abs(metric.value) < 1 - EQUAL else 2
    lower, upper = (metric.lower, metric.upper) if interval else (math.nan, math.nan)
    return Estimated(metric.value, lower, upper).written(lambda value: fixed(value, digits))


def _distinct_digits(best: float, other: float) -> tuple[str, str]:
    """Return two coefficients with two digits, or up to four where fewer would print the same."""
    different = (digits for digits in (2, 3, 4) if f"{best:.{digits}f}" != f"{other:.{digits}f}")
    digits = 3 if best == other else next(different, 4)
    return fixed(best, digits), fixed(other, digits)
