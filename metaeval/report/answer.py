"""The answer of a run or comparison, in plain words: which metric is best, and whether that is significant."""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Mapping, Sequence

from metaeval.defaults import ALPHA
from metaeval.errors import as_typed, listing
from metaeval.kinds import COEFFICIENTS
from metaeval.records import CONSTANT
from metaeval.report.claims import verdicts_of
from metaeval.report.places import Place, places_of
from metaeval.report.summary import in_part
from metaeval.report.task_matrix import task_matrix
from metaeval.report.words import SIMULATED, grouped, named_in_sentence
from metaeval.resources import tables_of
from metaeval.results.model import RunData
from metaeval.results.rows import Correlation

_TEXTS: Mapping[str, str] = tables_of(__file__)
_ORDER = list(_TEXTS)
# What makes settings of one criterion and coefficient differ.
_VARIED = {"corpus": "corpus", "preprocessing": "preprocessing", "subset": "references", "length": "document length"}
# Coefficients that differ by less are the same.
_SAME = 1e-12


def answers_of(run: RunData) -> list[str]:
    """Return what a run has found, in a few sentences: claims of its paper, and for each criterion the best metric.

    Parameters
    ----------
    run : RunData
        Live or loaded.

    Returns
    -------
    list of str
        A sentence each, the last of which says so where the corpus is simulated. Where a criterion has several
        settings, such as lengths of documents, how often a metric is the best of all.
    """
    found = [f"{of_corpus}." for of_corpus in verdicts_of(run.tables.claims)]
    matrix = task_matrix(run)
    if matrix is not None:
        found.append(matrix.notes()[0])
    else:
        of_one = grouped(places_of(run), lambda place: (place.key.panel, place.key.criterion, place.key.coefficient))
        # A panel of one coefficient names it.
        several = len({(panel, coefficient) for panel, _, coefficient in of_one}) > len({panel for panel, *_ in of_one})
        for (panel, _, coefficient), places in of_one.items():
            sentence = sentence_of(places[0]) if len(places) == 1 else _often(places)
            where = [panel, coefficient if len(places) == 1 and several else ""]
            found.append(": ".join([*filter(None, where), sentence]))
    return [*found, *([f"{SIMULATED.capitalize()}."] if run.simulated else [])]


def sentence_of(place: Place) -> str:
    """Say in plain words what the tests show of the best metric."""
    best, *others = place.ranked
    criterion = best.key.criterion
    if nothing := _no_agreement(place):
        return nothing + in_part(place.ranked)
    if not others:
        return f"{place.best} is the only metric.{_besides(place)}"
    if not place.tests:
        return f"{_highest(place)} with {criterion} ({best.mean:.2f}); {_untested(place)}.{_besides(place)}"
    shown = grouped((_shown(place, row) for row in others), operator.itemgetter(0, 1))
    parts: list[str] = []
    for (kind, detail), rows in sorted(shown.items(), key=lambda item: _ORDER.index(item[0][0])):
        words = [one for _, _, one in rows]
        several = {1: "", 2: "either of "}.get(len(words), "any of ")
        among = f"between {place.best} and {several}{named_in_sentence(words)}"
        part = _TEXTS[kind].format(
            best=place.best,
            highest=_highest(place),
            criterion=criterion,
            metrics=named_in_sentence(words),
            among=among,
            detail=detail,
            option=as_typed(terminal=f"--resamples {detail}", python=f"n_resamples={detail}"),
        )
        # A name keeps its spelling at the beginning of a sentence.
        parts.append(part if parts or _TEXTS[kind][0] == "{" else part[:1].upper() + part[1:])
    return "; ".join(parts) + "." + _besides(place)


def _highest(place: Place) -> str:
    """Say which metric has the highest coefficient, or which share it."""
    best = place.ranked[0].mean
    names = [row.key.metric for row in place.ranked if best - row.mean <= _SAME]
    return f"{named_in_sentence(names)} {'has' if len(names) == 1 else 'share'} the highest coefficient"


def _no_agreement(place: Place) -> str:
    """Say that no metric is shown to agree with the judgments; "" where one is."""
    best, *others = place.ranked
    criterion, constant = best.key.criterion, place.constant
    # Those that lack a system cannot be compared with it.
    scored = "" if others == [] or others[-1].n_systems == best.n_systems else " that scored all systems"
    if math.isnan(best.mean):
        return f"No metric has a coefficient with {criterion}."
    if constant is not None and best.n_systems == constant.n_systems and not best.mean > constant.mean:
        level, highest = _two(constant.mean, best.mean)
        return (
            f"No metric{scored} agrees better with {criterion} than a constant one ({level}); the highest is "
            f"{place.best} ({highest})."
        )
    if best.mean <= place.chance + _SAME:
        n = sum(row.n_systems == best.n_systems for row in place.ranked)
        level, highest = _two(place.chance, best.mean)
        return (
            f"No metric{scored} is shown to agree with {criterion}: the highest coefficient, that of {place.best} "
            f"({highest}), is within what exchanged systems give{f' the best of {n} metrics' if n > 1 else ''} (up to "
            f"{level})."
        )
    return ""


def _untested(place: Place) -> str:
    """Say that the metrics of a place were not tested against each other, or where else tests are."""
    over = dict.fromkeys(row.over for row in place.run.tables.tests if row.key.criterion == place.key.criterion)
    return f"tests are over {listing(over)}, see tests.tsv" if over else "nothing was tested"


def _often(places: Sequence[Place]) -> str:
    """Say of several settings how often the best metric is the same, and better than all others."""
    key, n = places[0].key, len(places)
    best, clear, tested, shown = Counter[str](), 0, 0, 0
    for place in places:
        first, *others = place.ranked
        agrees = not _no_agreement(place)
        shown += agrees
        # Of two with the same coefficient, none is the best.
        if not math.isnan(first.mean) and all(not first.mean - row.mean <= _SAME for row in others):
            best[place.best] += 1
        if place.tests and others:
            tested += 1
            against = [place.against_best(row.key.metric) for row in others]
            clear += agrees and all(test.p_corrected < ALPHA and test.difference > 0 for test in against)
    varied = [said for name, said in _VARIED.items() if len({getattr(place.key, name) for place in places}) > 1]
    of = f"{n} settings" + (f" ({', '.join(varied)})" if varied else "")
    highest = [f"{metric} in {times}" for metric, times in best.most_common(3)]
    highest += [f"{len(best) - 3} others"] if len(best) > 3 else []
    highest += [f"no single one in {shared}"] if (shared := n - sum(best.values())) else []
    sure = f"significantly better than all others in {clear} of {tested}" if tested else _untested(places[0])
    where = f"{key.criterion}, {key.coefficient}"
    part = in_part([row for place in places for row in place.ranked])
    if not shown:
        return f"{where}: no metric is shown to agree in any of {of}.{part}"
    unshown = (f" No metric is shown to agree in {n - shown} of {n}." if shown < n else "") + part
    if all(len(place.ranked) == 1 for place in places):
        return f"{where}: {places[0].best} is the only metric, in {of}.{unshown}"
    return f"{where}: highest coefficient in {of}: {', '.join(highest)}; {sure}.{unshown}"


def _shown(place: Place, row: Correlation) -> tuple[str, str | int, str]:
    """Return what the tests show of a metric that is not the best: a name of `_TEXTS`, and words that it takes."""
    best, metric = place.ranked[0], row.key.metric
    test, p = place.against_best(metric), place.metric(metric).p
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
    if rivals := place.significantly_better(metric, ALPHA):
        rival, by = rivals[0]
        means = " against ".join(reversed(_two(rival.mean, row.mean)))
        return "worse_elsewhere", "", f"{metric} ({means} of {rival.key.metric}, {_p_words(by.p_corrected)})"
    if test.needs_resamples is not None:
        return "undecided", test.needs_resamples, metric
    return "unclear", "", against


def _besides(place: Place) -> str:
    """Say which metrics are not shown to be better than those that know nothing, and which rest on a part."""
    return _beside_constant(place) + _beside_noise(place) + in_part(place.ranked)


def _beside_noise(place: Place) -> str:
    """Say which metrics have what noise with their ties has, which orders half of the pairs that people tell apart."""
    if not COEFFICIENTS.named(place.key.coefficient).is_fitted:
        return ""
    alike = []
    # A constant metric has the share of pairs that people tie; where they tie none, it has no line.
    tied = 0.0 if place.constant is None else place.constant.mean
    for row in place.ranked:
        ties = place.ties[row.key.metric]
        noise = ties * tied + (1 - ties) * (1 - tied) / 2
        if row.lower <= noise and noise > tied:
            alike.append(f"{row.key.metric} ({row.mean:.4f}, and noise {noise:.4f})")
    return f" Not shown to be better than noise with as many ties: {named_in_sentence(alike)}." if alike else ""


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
    told = f" Not better than a constant metric ({level:.4f}): {named_in_sentence(below)}." if below else ""
    if COEFFICIENTS.named(place.constant.key.coefficient).is_fitted and beside and not below:
        told = f" A constant metric has {level:.4f}."
    if unclear:
        told += f" Not significantly better than a constant metric ({level:.4f}): {named_in_sentence(unclear)}."
    return told


def _two(best: float, other: float) -> tuple[str, str]:
    """Return two coefficients with two digits, or up to four where fewer would print the same."""
    different = (digits for digits in (2, 3, 4) if f"{best:.{digits}f}" != f"{other:.{digits}f}")
    digits = 3 if best == other else next(different, 4)
    return f"{best:.{digits}f}", f"{other:.{digits}f}"


def _p_words(p: float) -> str:
    if p < 0.001:
        return "p < 0.001"
    # What is significant must not look as if it were not.
    return f"p = {p:.4f}" if p < ALPHA and f"{p:.3f}" == f"{ALPHA:.3f}" else f"p = {p:.3f}"
