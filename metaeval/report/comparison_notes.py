"""Notes below a table of a comparison: how to read it, and where its data mislead (docs/calibration.md)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from metaeval.components.registries import COEFFICIENTS, CORRECTIONS, INTERVALS, TESTS
from metaeval.correlation.tolerances import EQUAL
from metaeval.datamodel.corpus import CONSTANT
from metaeval.errors import UsageError, as_typed
from metaeval.metrics import get_metric, is_built_in
from metaeval.report.calibrated import note_on_calibration
from metaeval.report.comparisons_at import Place
from metaeval.report.influence import best_without
from metaeval.report.phrases import estimand, grouped, named_in_sentence
from metaeval.report.rankings import STAR
from metaeval.results.rows import ONLY_SYSTEM_SCORES, Correlation, Influence, TestResult

# Ties in one pair of twenty. On single segments of the corpora of this project, smoothing BLEU moved its pairwise
# accuracy by 0.01 to 0.06 where BLEU tied more pairs than this, and by less where it tied fewer.
_MANY_TIES_SHARE = 0.05
# The calibration has 5, 10 and 20 systems. Fewer than this are nearer to 5, where hardly anything can be found.
_MIN_SYSTEMS = 8


def reading_of(place: Place) -> list[str]:
    """Explain the table of a place: what intervals and p are, and to what they generalise."""
    return _interval_and_p_notes(place.ranked, place.tests)


def legend_of(place: Place) -> str:
    """Return the same in a line or two."""
    ranking = place.ranking
    ranked = place.ranked
    row = ranked[0]
    parts = list[str]()
    if not all(math.isnan(row.lower) for row in ranked):
        level = "" if row.confidence_level is None else f"{100 * row.confidence_level:g} % "
        parts.append(f"[ ] {level}confidence interval")
    if ranking.star_words:
        parts.append(f"{STAR} {ranking.star_words}")
    if any(not math.isnan(metric.p) for metric in ranking.metrics[1:]):
        parts.append("p: that no other metric is better")
    if not parts:
        return ""
    about = estimand(row, brief=True)
    return f"{'; '.join(parts)}." + (f" All for {about}." if about else "")


def warnings_of(place: Place) -> list[str]:
    """Warn of what misleads in the data of the table of a place."""
    ranked = place.ranked
    tests = place.tests
    notes: list[str] = []
    turned = [row.key.metric for row in ranked if row.upper < 0]
    if turned:
        notes.append(
            f"The higher the human judgments, the lower the scores of {', '.join(turned)}: if low scores are good, say "
            "so with higher_is_better."
        )
    notes += [*_without_interval(ranked, tests), *note_on_influence(ranked, place.influence)]
    if any(not math.isnan(row.lower) for row in ranked) or any(not math.isnan(row.p) for row in tests):
        notes += _few_systems_notes(ranked[0], tests, place.human.shape[-1])
    notes += note_on_calibration(ranked[0], tests[0].test if tests else "")
    if ranked[0].key.documents.units.is_single:
        names = {label: name for name, label in place.run.labels.items()}
        shares = {row.key.metric: place.ties[row.key.metric] for row in ranked}
        notes += _ties_notes(
            {metric: share for metric, share in shares.items() if _can_be_smoothed(names.get(metric, metric))}
        )
    if len({row.n_used for row in ranked if row.n_used}) > 1 and any(not math.isnan(test.p) for test in tests):
        units = ranked[0].key.documents.units.title.removeprefix("single ")
        notes.append(
            f"Two metrics are compared on the {units} where both have a coefficient, so that a difference need not be "
            "that of their means."
        )
    if place.constant is not None:
        if COEFFICIENTS.named(ranked[0].key.coefficient).is_fitted:
            consequence = "calibrated ties give no metric less, not even noise, so there is no test against it."
        else:
            consequence = (
                "metrics that scored all systems are tested against it, and these p corrected for their number."
            )
        notes.append(f"{CONSTANT}: a metric that gives every text the same score; {consequence}")
    return notes


def _interval_and_p_notes(ranked: Sequence[Correlation], tests: Sequence[TestResult]) -> list[str]:
    row = ranked[0]
    notes: list[str] = []
    has_interval = not all(math.isnan(row.lower) for row in ranked)
    has_p = not all(math.isnan(test.p_corrected) for test in tests)
    if (has_interval or has_p) and (about := estimand(row)):
        notes.append(f"Estimated: {about}.")
    if has_interval:
        level = "" if row.confidence_level is None else f"{100 * row.confidence_level:g} % "
        notes.append(f"[ ]: {level}confidence interval ({INTERVALS[row.interval]().made_by(row.resampled)}).")
    tested = [test for test in tests if not math.isnan(test.p_corrected)]
    if not tested:
        return notes
    test = tested[0]
    kind = TESTS.named(test.test)
    n_pairs = sum(test.metric_b != CONSTANT for test in tested)
    target = kind.generalises_to(test.over, test.key.documents.units.unit, test.resampled)
    tests_note = f"Tests of pairs (tests.tsv): {kind.words} of {kind.hypothesis(test.over)} ({target})"
    correction = CORRECTIONS[test.correction]
    if n_pairs > 1 and correction.title:
        widened = " and intervals of differences" if any(not math.isnan(test.adjusted_lower) for test in tested) else ""
        tests_note += f"; p{widened} corrected for all {n_pairs} pairs that were tested"
    elif n_pairs > 1:
        tests_note += "; not corrected"
    tests_note += "."
    if test.alternative != "two-sided":
        tests_note += f" One-sided ({test.alternative}), of two metrics in the order in which they were given."
    if needed := max((test.needs_resamples or 0 for test in tested), default=0):
        option = as_typed(terminal=f"--resamples {needed}", python=f"n_resamples={needed}")
        tests_note += f" undecided: no p of so few replicates can be significant; {option} can decide."
    star = f"{STAR}: not significantly worse than the best. p: of the hypothesis that no other metric is better"
    if correction.bounds_any:
        star += (
            " (Hsu's comparison with the best, for each metric by itself: the truly best has its star in 95 % of test "
            "sets; of many metrics, some can lack theirs by chance, so that one without a star can be in cluster 1)"
        )
    corrected = " corrected for all pairs" if correction.title else ""
    star += f". cluster: by p{corrected}; a new one starts when some member of the current one is significantly better."
    return [*notes, star, tests_note] if n_pairs > 1 or len(ranked) > 1 else [*notes, tests_note]


def _without_interval(ranked: Sequence[Correlation], tests: Sequence[TestResult]) -> list[str]:
    """Explain why coefficients, or differences of two, have no confidence interval."""
    rows_by_reason = grouped((row for row in ranked if row.no_interval_because), lambda row: row.no_interval_because)
    notes = []
    for because, rows in rows_by_reason.items():
        whose = "any metric" if 1 < len(rows) == len(ranked) else ", ".join(row.key.metric for row in rows)
        option = as_typed(terminal="--resample systems", python='`resample="systems"`')
        instead = f"; {option} draws systems" if because == ONLY_SYSTEM_SCORES else ""
        notes.append(f"No confidence interval of {whose}: {because}{instead}.")
    # Only some tests give an interval of a difference; for the others its absence needs no note.
    if not tests or not TESTS.named(tests[0].test).gives_interval:
        return notes
    without = [
        test for test in tests if test.metric_b != CONSTANT and not math.isnan(test.p) and math.isnan(test.lower)
    ]
    equal = [test for test in without if test.p == 1 and abs(test.difference) <= EQUAL]
    # Coefficients without an interval have differences without one, for the reason that was just given.
    if equal and not rows_by_reason:
        notes.append(
            f"No confidence interval of the difference of {_pairs_in_sentence(equal)}: the two agree equally with "
            "people wherever they were compared."
        )
    unreached = [test for test in without if test.needs_resamples is None and test not in equal]
    if unreached:
        notes.append(
            f"No confidence interval of the difference of {_pairs_in_sentence(unreached)}: its replicates do not reach "
            "the difference, so that an interval by which p decides would not contain it."
        )
    return notes


def _pairs_in_sentence(tests: Sequence[TestResult]) -> str:
    """Return the first three pairs of metrics and how many more there are."""
    pairs = "; ".join(f"{test.metric_a} and {test.metric_b}" for test in tests[:3])
    return f"{pairs}; and {len(tests) - 3} more" if len(tests) > 3 else pairs


def _few_systems_notes(row: Correlation, tests: Sequence[TestResult], n_systems: int) -> list[str]:
    is_grid = COEFFICIENTS.named(row.key.coefficient).takes_grid
    across = row.key.average_by == "item" or is_grid or row.key.documents.units.is_whole
    resampled = row.resampled or "systems"
    if not across or n_systems >= _MIN_SYSTEMS or "systems" in resampled:
        return []
    of_systems = bool(tests) and ("systems" in tests[0].resampled or tests[0].over == "systems")
    subject = f"intervals{' and p-values' if tests and not of_systems else ''} over {resampled}"
    note = (
        f"{n_systems} systems: {subject} do not generalise to new systems. With so few, tests have little power: in "
        "the calibration, with 5 systems, none that controls its Type I error for new systems rejected in more than 6 "
        "% of the corpora (docs/calibration.md)."
    )
    return [note]


def _ties_notes(ties: Mapping[str, float]) -> list[str]:
    many = {name: share for name, share in ties.items() if share > _MANY_TIES_SHARE}
    if not many:
        return []
    shares = " and ".join(f"{name} in {100 * share:.1f} %" for name, share in many.items())
    note = (
        f"Many pairs of systems are tied: by {shares} of the pairs. Without smoothing, a segment that lacks matches of "
        'some order scores 0. Smoothing separates those with some matches: bleu(smooth="exp").'
    )
    return [note]


def note_on_influence(ranked: Sequence[Correlation], influence: Sequence[Influence]) -> list[str]:
    """Name the systems that decide which metric is the best, where single ones or the outliers do.

    Parameters
    ----------
    ranked : sequence of Correlation
        The metrics of one place, from the best to the worst.
    influence : sequence of Influence
        Their coefficients without some systems.

    Returns
    -------
    list of str
        One line, or nothing.
    """
    winners = best_without(ranked, influence)
    if not winners:
        return []
    winner_words = "; ".join(
        f"without {named_in_sentence(list(systems), 'or')}, {metric}" for metric, systems in winners.items()
    )
    return [f"Which metric is the best depends on single systems: {winner_words}."]


def _can_be_smoothed(name: str) -> bool:
    """Return whether a metric has a smoothing, and it is off."""
    try:
        metric: Any = get_metric(name)
        if not is_built_in(metric) or getattr(metric, "smooth", None) != "none":
            return False
        replace(metric, smooth="exp")
    except UsageError:  # it is called by a title; or other parameters, such as an arithmetic mean, make it needless
        return False
    return True
