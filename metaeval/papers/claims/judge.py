"""Verdicts on claims, from the first step to the last.

1. `points` gives the numbers of a corpus: mean correlations with their replicates, or what else the claim is about.
2. `places` compares the terms of the statement wherever all of them have a number. A comparison is a difference,
   positive where it supports the claim, with what its interval is made of.
3. `verdicts` calls each comparison for the claim, against it or open, by the interval of its difference and the
   margin, and makes one verdict of all of them.
4. What was found is a row of claims.tsv, with the comparison that decided.

A claim about minimum significant differences has no terms to compare, only a number; its comparisons are made here.
What an experiment lacks for a claim is a `NotApplicableError` of any step, and the verdict ``not applicable``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any

from metaeval.components.registries import TESTS
from metaeval.papers.claims.metric_names import NotApplicableError, choose_values
from metaeval.papers.claims.places import compare_terms
from metaeval.papers.claims.points import Point, Spread, correlation_points, share_points, top_cluster_points
from metaeval.papers.claims.settings import CORRELATION, LISTS, MINIMUM, SHARE, TOP_CLUSTER, ClaimSettings
from metaeval.papers.claims.verdicts import (
    AGAINST,
    FOR,
    NOT_APPLICABLE,
    OPEN,
    Comparison,
    ComparisonWords,
    Decision,
    decide,
)
from metaeval.report.claim_words import with_panel_title
from metaeval.report.phrases import subset_words
from metaeval.results.model import RunData
from metaeval.results.rows import NO_EVIDENCE, Claim, MinimumDifference
from metaeval.results.tables import fields_of

# What tells the tests apart, by which all differences from some number on are significant.
_MINIMUM_KEYS = ("test", "criterion", "preprocessing", "subset", "coefficient", "panel")
_POINTS: Mapping[str, Callable[[RunData, str], list[Point]]] = {
    CORRELATION: correlation_points,
    SHARE: share_points,
    TOP_CLUSTER: top_cluster_points,
}
# What an experiment lacks where it has no points.
_LACKS = {
    SHARE: "no nist of two orders or more with every order below the highest",
    TOP_CLUSTER: "no intervals (`uncertainty.method`)",
}


def judge_claims(
    claims: Sequence[ClaimSettings],
    run: RunData,
    *,
    confidence_level: float = 0.95,
    read_as: Mapping[str, str] = MappingProxyType({}),
) -> list[Claim]:
    """Judge the claims of a paper on each corpus of a finished experiment.

    The difference between two terms is that of the reported means. Its standard error comes from the replicates of a
    bootstrap where there are any, which draw the same units for all metrics; else from the coefficients of documents,
    and then inference is to documents of these segments alone; a single coefficient without replicates has none, so
    that it leaves a claim undecided. See `metaeval.papers.claims.verdicts` for what follows from the intervals.

    Parameters
    ----------
    claims : sequence of ClaimSettings
    run : RunData
    confidence_level : float
        Of the intervals of differences; 0 to 1.
    read_as : mapping of str to str
        Criteria that the claims name, and what the corpora call them.

    Returns
    -------
    list of Claim
        For each corpus and claim. The bounds are those that were decisive, corrected for as many comparisons as `notes`
        says. Those for and against are counted in the same way. The label says so where the corpus is simulated.
    """
    rows = []
    for described in run.corpora:
        corpus = described.name

        @cache
        def points(quantity: str, corpus: str = corpus) -> list[Point]:
            return _POINTS[quantity](run, corpus)

        for number, written in enumerate(claims, start=1):
            claim = written.read_as(read_as)
            labels = [NO_EVIDENCE] if described.simulated else []
            if claim is not written:
                labels.extend(f"{name} read as {other}" for name, other in read_as.items())
            try:
                comparisons, notes = _compared(claim, run, corpus, points)
                outcome = _fields_with_verdict(claim, decide(comparisons, claim.over, confidence_level), notes)
            except NotApplicableError as reason:
                outcome = _fields_without_verdict(str(reason))
            rows.append(
                Claim(
                    corpus=corpus,
                    claim=number,
                    label="; ".join(labels),
                    **fields_of(claim, "paper", "statement", "chosen", "over", "quantity", "reading", "margin"),
                    **outcome,
                )
            )
    return rows


def _compared(
    claim: ClaimSettings, run: RunData, corpus: str, points: Callable[[str], list[Point]]
) -> tuple[list[Comparison], list[str]]:
    """Return the comparisons that decide a claim, and notes on them."""
    raw = any(grid.key.corpus == corpus and grid.orientation == "raw" for grid in run.grids)
    if raw and claim.quantity != SHARE:
        raise NotApplicableError("high is not always good here: `correlation.orientation` is 'raw'")
    if claim.quantity == MINIMUM:
        rows = [row for row in run.tables.minimum_significant_differences if row.key.corpus == corpus]
        return _minimum_significant_differences(claim, rows)
    quantities = points(claim.quantity)
    if not quantities and claim.quantity in _LACKS:
        raise NotApplicableError(f"the experiment has {_LACKS[claim.quantity]}")
    return compare_terms(claim, quantities)


def _minimum_significant_differences(
    claim: ClaimSettings, rows: list[MinimumDifference]
) -> tuple[list[Comparison], list[str]]:
    """Compare a number with the largest difference that is not significant, a test at a time.

    A pair that differs by as much as the number without being significant refutes it. Where no pair differs by so
    much, nothing is shown.
    """
    if not rows:
        raise NotApplicableError("the experiment has no test between metrics")
    varying = [key for key in _MINIMUM_KEYS if len({_value(row, key) for row in rows}) > 1]
    lists = {key: getattr(claim, name) for key, name in LISTS.items()} | {"test": (claim.test,) if claim.test else ()}
    notes: list[str] = []
    for key, values in lists.items():
        if values:
            chosen, lacking = choose_values(key, values, [_value(row, key) for row in rows])
            notes.extend(lacking)
            rows = [row for row in rows if _value(row, key) in chosen]
    number = claim.parsed.terms[1].number
    comparisons = []
    for candidate, row in enumerate(rows):
        where = [_place_words(key, value) for key in varying if (value := _value(row, key)) and key != "panel"]
        miss = row.largest_not_significant
        all_significant = math.isnan(row.largest_not_significant)
        if all_significant:
            short = "all differences are significant"
            sentence = "the only difference is significant"
            if row.n_pairs > 1:
                sentence = f"all {row.n_pairs} differences are significant"
        else:
            side = "not below"
            if miss != number:
                side = "above" if miss > number else "below"
            sentence = f"the largest difference that is not significant is {miss:.3f}, {side} {number:g}"
            short = f"the largest difference that is not significant is {side} {number:g}"
        difference = number if all_significant else number - miss
        limits: tuple[float, float] | None = (difference, difference)
        if not miss >= number and not row.largest_difference >= number:
            sentence = short = f"no difference is as large as {number:g}"
            limits = None
        # Where some are not significant, one of just that size is too large.
        relation = "at most" if all_significant else "below"
        spread = Spread(math.nan, "none", limits=limits)
        words = ComparisonWords(
            place=with_panel_title(row.key.panel if "panel" in varying else "", ", ".join(where)),
            sentence=sentence,
            short_sentence=short,
            short_place=row.key.criterion if "criterion" in varying else "",
        )
        comparisons.append(Comparison(relation, words, candidate, difference, spread, claim.margin))
    # A place where no difference is as large says nothing; others may decide.
    return [comparison for comparison in comparisons if comparison.spread.is_exact] or comparisons, notes


def _place_words(key: str, value: Any) -> str:
    words: Mapping[str, Callable[[str], str]] = {
        "test": lambda name: TESTS.named(name).words,
        "subset": subset_words,
    }
    return words.get(key, str)(str(value))


def _value(row: MinimumDifference, key: str) -> Any:
    if key == "references":
        return None if math.isnan(row.n_references) else row.n_references
    return row.test if key == "test" else getattr(row.key, key)


def _fields_with_verdict(claim: ClaimSettings, decision: Decision, notes: list[str]) -> dict[str, Any]:
    """Return the fields of a row that hold the verdict and what it rests on."""
    deciding = decision.deciding
    spread = decision.deciding.spread
    outcomes = decision.outcomes
    if math.isnan(deciding.difference) and claim.quantity != MINIMUM:
        notes.append("no coefficient is defined")
    if decision.corrected > 1 and not math.isnan(spread.standard_error):
        notes.append(f"interval corrected for {decision.corrected} comparisons")
    if spread.standard_error == 0 and deciding.difference != 0:
        notes.append(f"all {spread.evidence} are alike, which shows nothing")
    if not spread.paired:
        notes.append("interval at its widest, because not all values are paired")
    if spread.undefined:
        notes.append(f"{spread.undefined} values of {spread.evidence} undefined")
    limits = (math.nan, math.nan) if spread.evidence == "none" else (decision.lower, decision.upper)
    return {
        "verdict": decision.verdict,
        "why": deciding.words.sentence_with(deciding.difference, *limits),
        "compared": deciding.words.compared(deciding.difference),
        "notes": "; ".join(notes),
        "difference": deciding.difference,
        "lower": limits[0],
        "upper": limits[1],
        "evidence": spread.evidence,
        "n_comparisons": len(outcomes),
        "n_for": outcomes.count(FOR),
        "n_against": outcomes.count(AGAINST),
        "n_open": outcomes.count(OPEN),
    }


def _fields_without_verdict(why: str) -> dict[str, Any]:
    """Return the same fields for a claim that the experiment cannot decide."""
    return {
        "verdict": NOT_APPLICABLE,
        "why": why,
        "compared": "",
        "notes": "",
        "evidence": "none",
        **dict.fromkeys(("difference", "lower", "upper"), math.nan),
        **dict.fromkeys(("n_comparisons", "n_for", "n_against", "n_open"), 0),
    }
