"""The claims of a paper, judged on what an experiment found."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from metaeval.experiments.claims.matching import NotApplicableError, find_values
from metaeval.experiments.claims.places import compare_terms
from metaeval.experiments.claims.points import Point, Spread, correlation_points, share_points
from metaeval.experiments.claims.settings import CORRELATION, LISTS, SHARE, SMALLEST, ClaimSettings
from metaeval.experiments.claims.statement import NUMBER
from metaeval.experiments.claims.verdicts import (
    AGAINST,
    FOR,
    NOT_APPLICABLE,
    OPEN,
    Comparison,
    Judged,
    judge,
)
from metaeval.report.words import n_references

if TYPE_CHECKING:
    from metaeval.experiments.compute import Computed

Row = dict[str, Any]
SIMULATED = "simulation: no evidence about the claim"
_FALLING = ("below", "at most")


def is_simulated(corpus: Mapping[str, Any]) -> bool:
    """Return whether a corpus of `Computed.corpora` was made by ``metaeval corpus simulate``, as the demo was."""
    return str(corpus.get("source", "")).startswith("metaeval corpus simulate")


def judge_claims(
    claims: Sequence[ClaimSettings],
    computed: Computed,
    *,
    confidence_level: float = 0.95,
    read_as: Mapping[str, str] = MappingProxyType({}),
) -> list[Row]:
    """Judge the claims of a paper on each corpus of a finished experiment.

    The difference between two terms is that of the reported means. Its standard error comes from the replicates of a
    bootstrap where there are any, which draw the same units for all metrics; else from the coefficients of
    documents, which answers for these segments alone; and of single coefficients without replicates there is none, so
    that they leave a claim undecided. See `metaeval.experiments.claims.verdicts` for what follows from the intervals.

    Parameters
    ----------
    claims : sequence of ClaimSettings
    computed : Computed
    confidence_level : float
        Of the intervals of differences; 0 to 1.
    read_as : mapping of str to str
        Criteria that the claims name, and what the corpora call them.

    Returns
    -------
    list of rows
        For each corpus and claim, with the columns corpus, claim (its number, from 1), paper, statement, chosen (what
        `each` stands for, and the places), over, quantity, reading (yes or no), verdict, why (what was decisive, or why
        nothing could be decided), difference, lower, upper, margin, evidence (replicates, documents, systems or none),
        n_comparisons, n_for, n_against, n_open, and label, which says so where the corpus is simulated. The limits are
        those that were decisive: corrected for the number of comparisons where `why` says so. Those for and against are
        counted in the same way.
    """
    rows = []
    for described in computed.corpora:
        corpus = str(described["name"])
        points: dict[str, list[Point]] = {}
        sources: dict[str, Callable[[Computed, str], list[Point]]] = {
            CORRELATION: correlation_points,
            SHARE: share_points,
        }
        for number, written in enumerate(claims, start=1):
            claim = written.read_as(read_as)
            labels = [SIMULATED] if is_simulated(described) else []
            if claim is not written:
                labels.extend(f"{name} read as {other}" for name, other in read_as.items())
            judged: Judged | str
            try:
                if claim.quantity == SMALLEST:
                    comparisons = _smallest_differences(claim, computed, corpus)
                else:
                    if claim.quantity not in points:
                        points[claim.quantity] = sources[claim.quantity](computed, corpus)
                    comparisons = _compared(claim, points[claim.quantity])
                judged = judge(comparisons, claim.over, confidence_level)
            except NotApplicableError as reason:
                judged = str(reason)
            rows.append(
                {
                    "corpus": corpus,
                    "claim": number,
                    "paper": claim.paper,
                    "statement": claim.statement,
                    "chosen": claim.chosen,
                    "over": claim.over,
                    "quantity": claim.quantity,
                    "reading": "yes" if claim.reading else "no",
                    **_found(judged, claim),
                    "label": "; ".join(labels),
                }
            )
    return rows


def _compared(claim: ClaimSettings, points: Sequence[Point]) -> list[Comparison]:
    if not points and claim.quantity == SHARE:
        raise NotApplicableError("the experiment has no nist of two orders or more with every order below the highest")
    return compare_terms(claim, points)


def _found(judged: Judged | str, claim: ClaimSettings) -> Row:
    if isinstance(judged, str):
        nothing: Row = dict.fromkeys(("difference", "lower", "upper"), math.nan)
        counts = dict.fromkeys(("n_comparisons", "n_for", "n_against", "n_open"), 0)
        return {
            "verdict": NOT_APPLICABLE,
            "why": judged,
            **nothing,
            "margin": claim.margin,
            "evidence": "none",
            **counts,
        }
    deciding = judged.deciding
    spread = deciding.spread
    notes = [deciding.words]
    if math.isnan(deciding.difference) and claim.quantity != SMALLEST:
        notes.append("no coefficient is defined")
    if judged.corrected and not math.isnan(spread.standard_error):
        notes.append(f"limits corrected for {len(judged.outcomes)} comparisons")
    if not spread.paired:
        notes.append("limits at their widest, for not all values are paired")
    if spread.undefined:
        notes.append(f"{spread.undefined} values of {spread.evidence} undefined")
    has_limits = spread.evidence != "none"
    return {
        "verdict": judged.verdict,
        "why": "; ".join(notes),
        "difference": deciding.difference,
        "lower": judged.lower if has_limits else math.nan,
        "upper": judged.upper if has_limits else math.nan,
        "margin": claim.margin,
        "evidence": spread.evidence,
        "n_comparisons": len(judged.outcomes),
        "n_for": judged.outcomes.count(FOR),
        "n_against": judged.outcomes.count(AGAINST),
        "n_open": judged.outcomes.count(OPEN),
    }


def _smallest_differences(claim: ClaimSettings, computed: Computed, corpus: str) -> list[Comparison]:
    """Compare the differences from which on all pairs are significant with a number; a row each.

    Where there is none, for the pair of the largest difference is not significant, that is against any number.
    """
    rows = [row for row in computed.related.smallest_differences if row["corpus"] == corpus]
    if not rows:
        raise NotApplicableError("the experiment has no test between metrics")
    told = ["test", "criterion", "condition", "subset", "coefficient", "panel"]
    varying = [key for key in told if len({row.get(key, "") for row in rows}) > 1]
    for key, name in (*LISTS.items(), ("test", "test")):
        wanted = getattr(claim, name)
        wanted = (wanted,) if isinstance(wanted, str) and wanted else wanted
        if wanted:
            known = [_value(row, key) for row in rows]
            chosen = [value for one in wanted for value in find_values(key, one, known)]
            rows = [row for row in rows if _value(row, key) in chosen]
    if not rows:
        raise NotApplicableError("no test has all the values that the claim names")
    statement = claim.parsed
    relation = statement.relations[0]
    first, second = (term.number if term.kind == NUMBER else None for term in statement.terms)
    sign = -1.0 if relation in _FALLING else 1.0
    ordered = statement.terms[::-1] if relation in _FALLING else statement.terms
    words = " - ".join(term.bare for term in ordered)
    comparisons = []
    for place, row in enumerate(rows):
        found = row["smallest_difference"]
        value = float(found) if found is not None and math.isfinite(found) else math.nan
        difference = sign * ((value if first is None else first) - (value if second is None else second))
        where = [
            f"panel {row[key]!r}" if key == "panel" else str(row[key])
            for key in told
            if key in varying and row.get(key)
        ]
        limits = (difference, difference)
        if math.isnan(difference):
            where.append("no difference from which on all pairs are significant")
            limits = (-math.inf, -math.inf)
        spread = Spread(math.nan, "none", limits=limits)
        comparisons.append(Comparison(relation, ", ".join([words, *where]), place, difference, spread, claim.margin))
    return comparisons


def _value(row: Row, key: str) -> Any:
    if key == "references":
        number = n_references(row["subset"], "") if row["subset"] else math.nan
        return number if number == number else None
    return row.get(key, "")
