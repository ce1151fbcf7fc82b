"""What the tests show of the best metric of a comparison, in plain words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from metaeval.comparison.places import Place
from metaeval.kinds import COEFFICIENTS
from metaeval.records import CONSTANT

# The level of all tests of a comparison.
ALPHA = 0.05


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
    parts: list[str] = []
    better, elsewhere, turned, unclear = list[str](), list[str](), list[str](), list[str]()
    undecided: dict[int, list[str]] = {}
    without: dict[str, list[str]] = {}
    for row in others:
        metric = row.key.metric
        test, p = place.against_best(metric), place.p_worse(metric)
        against = f"{metric} ({' against '.join(_two(best.mean, row.mean))}, {_p_words(test.p_corrected)})"
        if math.isnan(test.p_corrected) or math.isnan(p):
            why = "" if math.isnan(row.mean) else test.untested_because or "the test gives no p"
            without.setdefault(why, []).append(metric)
        elif test.p_corrected < ALPHA and test.difference < 0:
            turned.append(f"{metric} (by {-test.difference:.3f}, {_p_words(test.p_corrected)})")
        elif test.p_corrected < ALPHA:
            better.append(against)
        elif p < ALPHA:
            rival = next((one for one in place.ranked if one.key.metric == place.rival(metric)), best)
            means = " against ".join(reversed(_two(rival.mean, row.mean)))
            elsewhere.append(f"{metric} ({means} of {rival.key.metric}, {_p_words(p)})")
        elif test.needs_resamples is not None:
            undecided.setdefault(test.needs_resamples, []).append(metric)
        else:
            unclear.append(against)

    def first(word: str) -> str:
        # A name keeps its spelling at the beginning of a sentence; this is none.
        return word if parts else word.capitalize()

    def among(metrics: Sequence[str]) -> str:
        return f"between {place.best} and {'any of ' if len(metrics) > 1 else ''}{_listed(metrics)}"

    if not others:
        parts.append(f"{place.best} is the only metric")
    elif not place.tests:
        highest = f"{place.best} has the highest coefficient with {criterion} ({best.mean:.2f}); nothing was tested"
        return f"{highest}.{_beside_constant(place)}"
    if better:
        parts.append(f"{place.best} agrees better with {criterion} than {_listed(better)}")
    if elsewhere:
        worse = "worse than some other metric, and so not the best"
        parts.append(f"{first('significantly')} {worse}: {_listed(elsewhere)}")
    if turned:
        where = f"{first('on')} the documents where both have a coefficient"
        parts.append(f"{where}, {place.best} agrees less well with {criterion} than {_listed(turned)}")
    if unclear:
        parts.append(f"{first('no')} significant difference in agreement with {criterion} {among(unclear)}")
    for needed, metrics in undecided.items():
        how = f"needs {needed:,} replicates (--resamples {needed})"
        parts.append(f"{first('undecided')} {among(metrics)}: {how}")
    for why, metrics in without.items():
        if why:
            nothing = all(math.isnan(one.p_corrected) for one in place.tests)
            parts.append(f"{first('no')} test {'between metrics' if nothing else among(metrics)}: {why}")
        else:
            parts.append(f"{_listed(metrics)} cannot be ranked: no coefficients")
    return "; ".join(parts) + "." + _beside_constant(place)


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
