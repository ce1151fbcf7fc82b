"""What the tests show of the best metric of a comparison, in plain words."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence

from metaeval.comparison.places import Place
from metaeval.kinds import COEFFICIENTS
from metaeval.records import CONSTANT
from metaeval.report.words import grouped
from metaeval.resources import tables_of
from metaeval.results.rows import Correlation

# The level of all tests of a comparison.
ALPHA = 0.05
_TEXTS: Mapping[str, str] = tables_of(__file__)
_ORDER = list(_TEXTS)


def sentence_of(place: Place) -> str:
    """Say in plain words what the tests show of the best metric."""
    best, *others = place.ranked
    criterion, constant = best.key.criterion, place.constant
    if math.isnan(best.mean):
        return f"No metric has a coefficient with {criterion}."
    if constant is not None and best.n_systems == constant.n_systems and not best.mean > constant.mean:
        level, highest = _two(constant.mean, best.mean)
        # Those that lack a system cannot be compared with it.
        scored = "" if others == [] or others[-1].n_systems == best.n_systems else " that scored all systems"
        return (
            f"No metric{scored} agrees better with {criterion} than a constant one ({level}); the highest is "
            f"{place.best} ({highest})."
        )
    if not others:
        return f"{place.best} is the only metric.{_beside_constant(place)}"
    if not place.tests:
        highest = f"{place.best} has the highest coefficient with {criterion} ({best.mean:.2f}); nothing was tested"
        return f"{highest}.{_beside_constant(place)}"
    shown = grouped((_shown(place, row) for row in others), operator.itemgetter(0, 1))
    parts: list[str] = []
    for (kind, detail), rows in sorted(shown.items(), key=lambda item: _ORDER.index(item[0][0])):
        words = [one for _, _, one in rows]
        among = f"between {place.best} and {'any of ' if len(words) > 1 else ''}{_listed(words)}"
        part = _TEXTS[kind].format(
            best=place.best, criterion=criterion, metrics=_listed(words), among=among, detail=detail
        )
        # A name keeps its spelling at the beginning of a sentence.
        parts.append(part if parts or _TEXTS[kind][0] == "{" else part[:1].upper() + part[1:])
    return "; ".join(parts) + "." + _beside_constant(place)


def _shown(place: Place, row: Correlation) -> tuple[str, str | int, str]:
    """Return what the tests show of a metric that is not the best: a name of `_TEXTS`, and words that it takes."""
    best, metric = place.ranked[0], row.key.metric
    test, p = place.against_best(metric), place.p_worse(metric)
    against = f"{metric} ({' against '.join(_two(best.mean, row.mean))}, {_p_words(test.p_corrected)})"
    if math.isnan(row.mean) and (math.isnan(test.p_corrected) or math.isnan(p)):
        return "unranked", "", metric
    if math.isnan(test.p_corrected) or math.isnan(p):
        nothing = all(math.isnan(one.p_corrected) for one in place.tests)
        return "all_untested" if nothing else "untested", test.untested_because or "the test gives no p", metric
    if test.p_corrected < ALPHA and test.difference < 0:
        return "turned", "", f"{metric} (by {-test.difference:.3f}, {_p_words(test.p_corrected)})"
    if test.p_corrected < ALPHA:
        return "better", "", against
    if p < ALPHA:
        rival = next((one for one in place.ranked if one.key.metric == place.rival(metric)), best)
        means = " against ".join(reversed(_two(rival.mean, row.mean)))
        return "worse_elsewhere", "", f"{metric} ({means} of {rival.key.metric}, {_p_words(p)})"
    if test.needs_resamples is not None:
        return "undecided", test.needs_resamples, metric
    return "unclear", "", against


def _beside_constant(place: Place) -> str:
    """Say which metrics are no better than a constant one, or not shown to be."""
    if place.constant is None:
        return ""
    level = place.constant.mean
    beside = [row for row in place.ranked if row.n_systems == place.constant.n_systems]
    below = [f"{row.key.metric} ({row.mean:.4f})" for row in beside if row.mean <= level]
    unclear = [
        f"{row.key.metric} ({row.mean:.4f})"
        for row in beside
        if row.mean > level and place.test(row.key.metric, CONSTANT).p_corrected >= ALPHA
    ]
    told = f" Not better than a constant metric ({level:.4f}): {_listed(below)}." if below else ""
    if COEFFICIENTS.named(place.constant.key.coefficient).is_fitted and beside and not below:
        told = f" A constant metric has {level:.4f}."
    if unclear:
        told += f" Not significantly better than a constant metric ({level:.4f}): {_listed(unclear)}."
    return told


def _two(best: float, other: float) -> tuple[str, str]:
    """Return two coefficients with two digits, or up to four where fewer would print the same."""
    different = (digits for digits in (2, 3, 4) if f"{best:.{digits}f}" != f"{other:.{digits}f}")
    digits = 3 if best == other else next(different, 4)
    return f"{best:.{digits}f}", f"{other:.{digits}f}"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _p_words(p: float) -> str:
    if p < 0.001:
        return "p < 0.001"
    # What is significant must not look as if it were not.
    return f"p = {p:.4f}" if p < ALPHA and f"{p:.3f}" == f"{ALPHA:.3f}" else f"p = {p:.3f}"
