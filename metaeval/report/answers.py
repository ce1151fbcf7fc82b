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
    named_in_sentence,
    preprocessing_words,
    quoted_name,
    subset_words,
)
from metaeval.report.rankings import RankedMetric, Ranking
from metaeval.report.tables import Estimated, fixed
from metaeval.report.task_matrix import TaskMatrix, task_matrix
from metaeval.results.model import RunData
from metaeval.results.rows import BY_INTERVALS

# What makes settings of one criterion and coefficient differ.
_SETTING_NAMES = {
    "corpus": "corpus",
    "preprocessing": "preprocessing",
    "subset": "references",
    "length": "document length",
}
# How it stands in a label, where it is not as it is written.
_SETTING_WORDS: Mapping[str, Callable[[Any], str]] = {
    "preprocessing": preprocessing_words,
    "subset": subset_words,
    "length": lambda length: f"{length} segment{'' if length == 1 else 's'}",
    "coefficient": coefficient_words,
}
_AMONG_THE_BEST = "(no other metric significantly better)"
_NOT_APART = "with no significant difference"
_WMT_RANK_1 = "WMT rank 1 (by WMT's rule, computed here)"


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
    # The first line of all says what simulated data are no evidence of.
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
    for number, ((panel, criterion, coefficient), places) in enumerate(places_by_question.items()):
        where = [panel, criterion, *([coefficient_words(coefficient)] if has_several_coefficients or not panel else [])]
        lines.append(f"{_labelled(where, places[0], brief=is_said or number > 0)}: {_across_settings(places)}")
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
    # The first line of several says what simulated data are no evidence of.
    return overall + [
        f"{_labelled(labels[n], place, brief=brief or n > 0 or overall != [])}: {finding_of(place)}"
        for n, place in enumerate(places)
    ]


def _labelled(where: Iterable[str], place: Place, *, brief: bool = False) -> str:
    """Return the subject of a sentence, and that its corpus is simulated if it is."""
    words = SIMULATED_DATA if brief else SIMULATED
    return ", ".join(filter(None, where)) + (f" ({words})" if place.simulated else "")


def labels_of(places: Sequence[Place]) -> list[list[str]]:
    """Return the settings that distinguish each of some places, and its criterion."""
    keys = [place.key for place in places]
    panels = {key.panel for key in keys}
    varied = [name for name in ("panel", *_SETTING_NAMES) if len({getattr(key, name) for key in keys}) > 1]
    always = ["criterion", *(["coefficient"] if len({key.coefficient for key in keys}) > len(panels) else [])]

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
    return f"{_labelled([place.key.criterion], place)}: {finding_of(place)}"


def finding_of(place: Place) -> str:
    """Name the metrics that lead at a place, and how sure that is."""
    if nothing := _no_agreement(place):
        return f"{nothing}.{in_part(place.ranked)}"
    parts = [*_leaders(place), *_untested(place), *_influential_systems(place), *_beside_uninformative(place)]
    return f"{'; '.join(parts)}.{in_part(place.ranked)}"


def _leaders(place: Place) -> list[str]:
    """Name the metrics of a place that lead, those that are worse, and those of which neither is known."""
    best, *others = place.ranking.metrics
    if not others:
        return [f"{best.metric} has {_value_words(best)}; it is the only metric{_that_could_be_scored([place])}"]
    if not place.ranking.is_tested:
        return [*_highest(place.ranking), *_by_intervals(place)]
    undecided = _undecided(place)
    parts = []
    if math.isnan(best.p):
        parts.append(f"{best.metric} has the highest coefficient, {_value_words(best)}, but could not be tested: ")
        parts[-1] += _reason(place, best.metric)
    elif not best.star:
        # The most certain one of those that are better.
        above = [row.key.metric for row, _ in place.significantly_better(best.metric, math.inf)]
        parts.append(f"{best.metric} has the highest mean ({_value_words(best)}), but agrees less well than ")
        parts[-1] += f"{above[0] if above else 'another'} on the documents where both have a coefficient"

    def better_than(metric: str) -> list[str]:
        return [row.key.metric for row, _ in place.significantly_better(metric, place.alpha)]

    return [*parts, *_by_tests(place.ranking, place.alpha, better_than, list(undecided))]


def _that_could_be_scored(places: Sequence[Place]) -> str:
    """Say of the only metric which others have no results, and why; "" where no other was asked for."""
    reasons = [
        f"{name} {why}" for name, why in {name: why for place in places for name, why in place.left_out.items()}.items()
    ]
    return f" that could be scored ({named_in_sentence(reasons)})" if reasons else ""


def _by_tests(
    ranking: Ranking, alpha: float, better_than: Callable[[str], Sequence[str]], undecided: Sequence[str] = ()
) -> list[str]:
    """Name the metrics that lead by the stars of a ranking, the worse ones, and those of which that is not known.

    Parameters
    ----------
    ranking : Ranking
    alpha : float
    better_than : callable
        Gives the metrics that are significantly better than one, by p corrected for all pairs.
    undecided : sequence of str
        Metrics of which too few replicates leave open whether they are worse than the best.
    """
    best = ranking.metrics[0]
    tested = [ranked for ranked in ranking.metrics if not math.isnan(ranked.p) and ranked.metric not in undecided]
    starred = [ranked for ranked in tested if ranked.star]
    names = [ranked.metric for ranked in starred]
    better = {ranked.metric: better_than(ranked.metric) for ranked in tested if not ranked.star}
    worse = [name for name, others in better.items() if others]
    between = [ranked.metric for ranked in tested if not ranked.star and not better[ranked.metric] and ranked.p < alpha]
    parts = []
    if starred == [best] and undecided:
        parts += _highest(ranking)
    elif len(starred) == 1:
        parts.append(f"{quoted_name(starred[0].metric)} is the best, with {_value_words(starred[0])}")
    elif starred and len(starred) == len(tested):
        metric_words = " and ".join(map(quoted_name, names)) if len(names) == 2 else f"the {len(names)} metrics"
        parts += [
            f"no significant difference {'between' if len(names) == 2 else 'among'} {metric_words}",
            *_highest(ranking),
        ]
    elif len(starred) > 4:
        first = f"from {quoted_name(starred[0].metric)} ({_value_words(starred[0])}) down"
        parts.append(
            f"{len(starred)} of {len(ranking.metrics)} metrics, {first}, share the lead, {_NOT_APART} among them"
        )
    elif starred:
        first = f"{quoted_name(starred[0].metric)} ({_value_words(starred[0])})"
        them = "between them" if len(starred) == 2 else "among them"
        parts.append(f"{named_in_sentence([first, *map(quoted_name, names[1:])])} share the lead, {_NOT_APART} {them}")
    if worse:
        # Worse than the best, or than whatever metric.
        if not starred:
            better_words = "another metric"
        elif all(names[0] in better[name] for name in worse):
            better_words = names[0]
        else:
            better_words = "one of these"
        parts.append(f"{_quoted_names(worse)} {_is_or_are(worse)} significantly worse than {quoted_name(better_words)}")
    if between:
        parts.append(
            f"whether {_quoted_names(between)} {_is_or_are(between)} worse is uncertain (p < {alpha:g} when tested "
            "alone, but not when all pairs of metrics are corrected for)"
        )
    return parts


def _is_tested(ranking: Ranking) -> bool:
    """Return whether a test has a p-value of some metric."""
    return ranking.is_tested and any(not math.isnan(metric.p) for metric in ranking.metrics)


def _tasks_sentence(run: RunData, matrix: TaskMatrix) -> str:
    """Name the metrics that lead on the average of the tasks of a run, or in its only one."""
    ranking = matrix.average or matrix.tasks[0].ranking
    title = f"Average of {len(matrix.tasks)} tasks" if matrix.average else matrix.tasks[0].title
    label = f"{title} ({SIMULATED})" if run.simulated else title
    ranked = [metric_rank for metric_rank in ranking.metrics if metric_rank.rank is not None]
    if not ranked:
        return f"{label}: no metric has a rank.{matrix.in_part}"
    if len(ranked) == 1:
        parts = [f"{ranked[0].metric} has {_value_words(ranked[0])}; it is the only metric with a rank"]
    elif any(metric_rank.cluster for metric_rank in ranked):
        first = [metric_rank.metric for metric_rank in ranked if metric_rank.cluster == 1]
        named = named_in_sentence([f"{ranked[0].metric} ({_value_words(ranked[0])})", *first[1:]])
        verb = f"alone has {_WMT_RANK_1}" if len(first) == 1 else f"share {_WMT_RANK_1}: no significant difference"
        if len(first) == sum(metric_rank.cluster is not None for metric_rank in ranked) > 1:
            named = f"all {len(first)} metrics that were tested"
        parts = [f"{named} {verb}"]
    elif _is_tested(ranking):
        alpha = matrix.settings.get("alpha_joint", ALPHA)
        tests = [row for row in run.tables.task_tests if row.task == (ranking.task or "")]
        parts = _by_tests(
            ranking, alpha, lambda metric: [row.better for row in tests if row.worse == metric and row.p_joint < alpha]
        )
    else:
        parts = [*_highest(ranking), "differences were not tested"]
    return f"{label}: {'; '.join(parts)}.{matrix.in_part}"


def _highest(ranking: Ranking) -> list[str]:
    """Name the metric that has the highest coefficient, or those that share it."""
    best = ranking.metrics[0]
    # Metrics that lack systems have no rank among those that do not.
    ranked = [metric for metric in ranking.metrics if metric.rank is not None] or [best]
    names = [metric.metric for metric in ranked if best.value - metric.value <= EQUAL]
    verb = "has" if len(names) == 1 else "share"
    return [f"{_quoted_names(names)} {verb} the highest coefficient, {_value_words(best)}"]


def _by_intervals(place: Place) -> list[str]:
    """Describe at a place without a test which intervals overlap, and that or why nothing was tested."""
    over = dict.fromkeys(row.over for row in place.run.tables.tests if row.key.criterion == place.key.criterion)
    reasons = dict.fromkeys(test.untested_because for test in place.tests if test.untested_because)
    if reasons:
        tested_words = f"no test between metrics: {'; '.join(reasons)}"
    elif over and not place.tests:
        tested_words = "differences are tested over all settings together (tests.tsv)"
    else:
        tested_words = "differences were not tested"
    equal = [name for name in place.ranking.starred if name != place.best]
    if place.ranking.method == BY_INTERVALS and equal:
        whose = f"interval{'' if len(equal) == 1 else 's'} of {_quoted_names(equal)}"
        return [
            f"the confidence {whose} overlap{'s' if len(equal) == 1 else ''} with that of {quoted_name(place.best)}",
            tested_words,
        ]
    return [tested_words]


def _untested(place: Place) -> list[str]:
    """Name the metrics that have no rank, those that could not be tested, and those that are undecided."""
    parts = []
    without = [metric.metric for metric in place.ranking.metrics if math.isnan(metric.value)]
    if without:
        parts.append(f"{_quoted_names(without)} cannot be ranked: no coefficient")
    if not place.ranking.is_tested:
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
    # That another metric lacks a system is no reason of its own.
    with_best = [test.untested_because for test in tests if place.best in (test.metric_a, test.metric_b)]
    return next(iter(with_best or [test.untested_because for test in tests]), "the test gives no p-value")


def _undecided(place: Place) -> dict[str, int]:
    """Return the metrics that are neither worse than the best nor not, with the replicates that it takes to decide."""
    against = {row.key.metric: place.test_against_best(row.key.metric).needs_resamples for row in place.ranked}
    return {name: needed for name, needed in against.items() if needed is not None}


def _influential_systems(place: Place) -> list[str]:
    """Name the systems without which another metric than those with a star would be the best."""
    winners = best_without(place.ranked, place.influence)
    parts = []
    for metric, systems in winners.items():
        if place.ranking.starred and place.metric(metric).star and len(place.ranking.starred) > 1:
            continue
        system_words = systems if len(systems) <= 2 else [systems[0], f"any of {len(systems) - 1} others"]
        systems_named = named_in_sentence(system_words, "or")
        parts.append(f"if {systems_named} is left out, {quoted_name(metric)} has the highest coefficient")
    return parts


def _no_agreement(place: Place) -> str:
    """Explain that no metric is shown to agree with the judgments; "" where one is."""
    best, *others = place.ranked
    constant = place.constant
    # Those that lack a system cannot be compared with it.
    scored = "" if others == [] or others[-1].n_systems == best.n_systems else " that scored all systems"
    if math.isnan(best.mean):
        return "no metric has a coefficient"
    if constant is not None and best.n_systems == constant.n_systems and not best.mean > constant.mean:
        level, highest = _distinct_digits(constant.mean, best.mean)
        return (
            f"no metric{scored} does better than one that gives every text the same score ({level}); the highest is "
            f"{quoted_name(place.best)} ({highest}){_ask_instead(place)}"
        )
    if best.mean <= place.chance + EQUAL:
        n = sum(row.n_systems == best.n_systems for row in place.ranked)
        level, highest = _distinct_digits(place.chance, best.mean)
        luck = f"the best of {n} random metrics" if n > 1 else "a random metric"
        return (
            f"no metric{scored} is shown to agree with people: the highest coefficient, {highest} of "
            f"{quoted_name(place.best)}, is no more than {luck} gets by chance (up to {level} in 95 % of cases)"
        )
    return ""


def _ask_instead(place: Place) -> str:
    """Explain why a coefficient cannot tell metrics from a constant one, and name one that can."""
    if not COEFFICIENTS.named(place.key.coefficient).is_fitted or place.constant is None:
        return ""
    accuracy = coefficient_words(place.key.coefficient)
    return (
        f". {accuracy} is a share of pairs that are ordered, or tied, as people do; they tie "
        f"{100 * place.constant.mean:.0f} %, so that ties are always right there. {_kendall()} looks only at the "
        "pairs that people do not tie"
    )


def _kendall() -> str:
    """Return the coefficient to ask for where ties decide, as it is typed."""
    return as_typed(terminal="--coefficient kendall", python='coefficients=["kendall"]')


def _across_settings(places: Sequence[Place]) -> str:
    """Count in how many of several settings the best metric is the same, and better than all others."""
    n = len(places)
    best = Counter[str]()
    n_clear = 0
    n_tested = 0
    n_agreeing = 0
    for place in places:
        first, *others = place.ranked
        agrees = not _no_agreement(place)
        n_agreeing += agrees
        # Of two with the same coefficient, none is the best.
        if not math.isnan(first.mean) and all(not first.mean - row.mean <= EQUAL for row in others):
            best[place.best] += 1
        if place.tests and others:
            n_tested += 1
            against = [place.test_against_best(row.key.metric) for row in others]
            n_clear += agrees and all(test.p_corrected < place.alpha and test.difference > 0 for test in against)
    varied = [
        setting_name
        for name, setting_name in _SETTING_NAMES.items()
        if len({getattr(place.key, name) for place in places}) > 1
    ]
    settings = f"{n} settings" + (f" ({', '.join(varied)})" if varied else "")
    part = in_part([row for place in places for row in place.ranked])
    if not n_agreeing:
        return f"no metric is shown to agree with people in any of {settings}.{part}"
    unshown = f" No metric is shown to agree with people in {n - n_agreeing} of {n}." if n_agreeing < n else ""
    if all(len(place.ranked) == 1 for place in places):
        return f"{places[0].best} is the only metric{_that_could_be_scored(places)}, in {settings}.{unshown}{part}"
    highest = [f"several metrics share the highest coefficient in all {settings}"]
    if best:
        (first_metric, first_times), *next_metrics = best.most_common(3)
        setting_words = f"all {settings}" if first_times == n else f"{first_times} of {settings}"
        highest = [f"{quoted_name(first_metric)} has the highest coefficient in {setting_words}"]
        highest += [f"{quoted_name(metric)} in {times}" for metric, times in next_metrics]
    if len(best) > 3:
        n_others = len(best) - 3
        highest += ["another one in the rest" if n_others == 1 else f"{n_others} others in the rest"]
    highest += [f"no single one in {shared}"] if best and (shared := n - sum(best.values())) else []
    test_words = _by_intervals(places[0])[-1]
    if n_tested and not best:
        return f"{highest[0]}.{unshown}{part}"
    if n_tested:
        if n_clear == n:
            times = f"all {n}"
        elif n_clear:
            times = f"{n_clear} of {n_tested}"
        else:
            times = f"none of {n_tested}"
        test_words = f"the highest is significantly better than each other metric in {times}"
    return f"{', '.join(highest)}; {test_words}.{unshown}{part}"


def _overall(places: Sequence[Place], *, brief: bool) -> list[str]:
    """Return a line on several places: which metrics are among the best at all of them."""
    if len(places) < 2 or not all(_is_tested(place.ranking) and len(place.ranking.metrics) > 1 for place in places):
        return []
    if any(_undecided(place) for place in places):
        return []
    agreeing = [place for place in places if not _no_agreement(place)]
    n = len(agreeing)
    star_counts = Counter(name for place in agreeing for name in place.ranking.starred)
    if not star_counts:
        return []
    metrics = {metric.metric for place in places for metric in place.ranking.metrics}
    keys = [place.key for place in places]
    varied = [
        name for name in ("panel", "coefficient", *_SETTING_NAMES) if len({getattr(key, name) for key in keys}) > 1
    ]
    noun, on = ("settings", "in") if varied else ("criteria", "on")
    simulated = SIMULATED_DATA if brief else SIMULATED
    label = f"Overall ({simulated})" if all(place.simulated for place in places) else "Overall"
    unshown = ""
    if n < len(places):
        others = [place.key.criterion for place in places if place not in agreeing]
        where = f"{on} {len(others)} of the {len(places)} {noun}" if varied else f"{on} {named_in_sentence(others)}"
        unshown = f"{where} no metric is shown to agree with people"
        if n == 1:
            return [f"{label}: {unshown}."]
        noun, unshown = f"other {noun}", f"{unshown}; "
    of_all, of_any = ("both", "either") if n == 2 else (f"all {n}", "any")
    most_frequent = [name for name, times in star_counts.items() if times == max(star_counts.values())]
    if all(star_counts[name] == n for name in metrics):
        among_all = f"{'between' if len(metrics) == 2 else 'among'} the {len(metrics)} metrics"
        sentence = f"no significant difference {among_all} {on} {of_any} of the {n} {noun}"
    elif star_counts[most_frequent[0]] == n:
        only = "only " if len(most_frequent) < len(metrics) else ""
        often_starred = f"{only}{_quoted_names(most_frequent)} {_is_or_are(most_frequent)}"
        sentence = f"{often_starred} among the best {on} {of_all} {noun} {_AMONG_THE_BEST}"
    else:
        sentence = f"no metric is among the best {on} {of_all} {noun} {_AMONG_THE_BEST}"
        if star_counts[most_frequent[0]] > 1:
            often_starred = f"{_quoted_names(most_frequent)} {_is_or_are(most_frequent)}"
            sentence += f"; {often_starred} {on} {star_counts[most_frequent[0]]}"
    return [f"{label}: {unshown}{sentence}."]


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
        score = f"a constant score ({fixed(level)})"
        if below:
            parts.append(f"{_quoted_names(below)} {_is_or_are(below)} no better than {score}")
        if unclear:
            parts.append(f"{_quoted_names(unclear)} {_is_or_are(unclear)} not significantly better than {score}")
        if place.metric(place.best).lower <= level and COEFFICIENTS.named(place.key.coefficient).is_fitted:
            if not below and not unclear:
                parts.append(f"{score} is within that interval")
            parts[-1] += f": {_kendall()} would look only at the pairs that people do not tie"
    noisy = _no_better_than_noise(place)
    if noisy:
        parts.append(f"{_quoted_names(noisy)} {_is_or_are(noisy)} no better than random scores with as many ties")
    return parts


def _quoted_names(metrics: Sequence[str]) -> str:
    return named_in_sentence([quoted_name(metric) for metric in metrics])


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


def _value_words(metric: RankedMetric) -> str:
    """Return a coefficient with two digits and its interval, if it has one."""
    return Estimated(metric.value, metric.lower, metric.upper).written(lambda value: fixed(value, 2))


def _distinct_digits(best: float, other: float) -> tuple[str, str]:
    """Return two coefficients with two digits, or up to four where fewer would print the same."""
    different = (digits for digits in (2, 3, 4) if f"{best:.{digits}f}" != f"{other:.{digits}f}")
    digits = 3 if best == other else next(different, 4)
    return f"{best:.{digits}f}", f"{other:.{digits}f}"
