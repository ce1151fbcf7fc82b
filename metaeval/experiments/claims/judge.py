"""The claims of a paper, judged on what an experiment found."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from metaeval.experiments.claims.matching import NotApplicableError, choose_values
from metaeval.experiments.claims.places import compare_terms
from metaeval.experiments.claims.points import Point, Spread, correlation_points, share_points, top_cluster_points
from metaeval.experiments.claims.settings import CORRELATION, LISTS, MINIMUM, SHARE, TOP_CLUSTER, ClaimSettings
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
from metaeval.experiments.simulated import is_simulated
from metaeval.report.words import n_references, signed

if TYPE_CHECKING:
    from metaeval.experiments.compute import Computed

Row = dict[str, Any]
SIMULATED = "simulation: no evidence about the claim"


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
        nothing could be decided), notes, difference, lower, upper, margin, evidence (replicates, documents, systems or
        none), n_comparisons, n_for, n_against, n_open, and label, which says so where the corpus is simulated. The
        limits are those that were decisive, corrected for as many comparisons as `notes` says. Those for and against
        are counted in the same way.
    """
    rows = []
    for described in computed.corpora:
        corpus = str(described["name"])
        points: dict[str, list[Point]] = {}
        sources: dict[str, Callable[[Computed, str], list[Point]]] = {
            CORRELATION: correlation_points,
            SHARE: share_points,
            TOP_CLUSTER: top_cluster_points,
        }
        for number, written in enumerate(claims, start=1):
            claim = written.read_as(read_as)
            labels = [SIMULATED] if is_simulated(described) else []
            if claim is not written:
                labels.extend(f"{name} read as {other}" for name, other in read_as.items())
            judged: Judged | str
            notes: list[str] = []
            try:
                if claim.quantity != SHARE:
                    _check_orientation(computed, corpus)
                if claim.quantity == MINIMUM:
                    comparisons, notes = _minimum_significant_differences(claim, computed, corpus)
                else:
                    if claim.quantity not in points:
                        points[claim.quantity] = sources[claim.quantity](computed, corpus)
                    comparisons, notes = _compared(claim, points[claim.quantity])
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
                    **_found(judged, claim, notes),
                    "label": "; ".join(labels),
                }
            )
    return rows


def _check_orientation(computed: Computed, corpus: str) -> None:
    signatures = (str(row["signature"]) for row in computed.related.correlations if row["corpus"] == corpus)
    if any(signed(signature, "orientation") == "raw" for signature in signatures):
        raise NotApplicableError("high is not always good here: `correlation.orientation` is 'raw'")


def _compared(claim: ClaimSettings, points: Sequence[Point]) -> tuple[list[Comparison], list[str]]:
    if not points and claim.quantity == SHARE:
        raise NotApplicableError("the experiment has no nist of two orders or more with every order below the highest")
    if not points and claim.quantity == TOP_CLUSTER:
        raise NotApplicableError("the experiment has no intervals (`uncertainty.method`)")
    return compare_terms(claim, points)


def _found(judged: Judged | str, claim: ClaimSettings, told: Sequence[str]) -> Row:
    if isinstance(judged, str):
        nothing: Row = dict.fromkeys(("difference", "lower", "upper"), math.nan)
        counts = dict.fromkeys(("n_comparisons", "n_for", "n_against", "n_open"), 0)
        return {
            "verdict": NOT_APPLICABLE,
            "why": judged,
            "notes": "",
            **nothing,
            "margin": claim.margin,
            "evidence": "none",
            **counts,
        }
    deciding = judged.deciding
    spread = deciding.spread
    notes = list(told)
    if math.isnan(deciding.difference) and claim.quantity != MINIMUM:
        notes.append("no coefficient is defined")
    if judged.corrected > 1 and not math.isnan(spread.standard_error):
        notes.append(f"limits corrected for {judged.corrected} comparisons")
    if spread.standard_error == 0 and deciding.difference != 0:
        notes.append(f"all {spread.evidence} are alike, which shows nothing")
    if not spread.paired:
        notes.append("limits at their widest, for not all values are paired")
    if spread.undefined:
        notes.append(f"{spread.undefined} values of {spread.evidence} undefined")
    has_limits = spread.evidence != "none"
    return {
        "verdict": judged.verdict,
        "why": deciding.words,
        "notes": "; ".join(notes),
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


def _minimum_significant_differences(
    claim: ClaimSettings, computed: Computed, corpus: str
) -> tuple[list[Comparison], list[str]]:
    """Compare a number with the largest difference that is not significant, a test at a time.

    A pair that differs by as much as the number without being significant refutes it. Where no pair differs by so
    much, nothing is shown.
    """
    rows = [row for row in computed.related.minimum_significant_differences if row["corpus"] == corpus]
    if not rows:
        raise NotApplicableError("the experiment has no test between metrics")
    told = ["test", "criterion", "preprocessing", "subset", "coefficient", "panel"]
    notes: list[str] = []
    varying = [key for key in told if len({row.get(key, "") for row in rows}) > 1]
    for key, name in (*LISTS.items(), ("test", "test")):
        wanted = getattr(claim, name)
        wanted = (wanted,) if isinstance(wanted, str) and wanted else wanted
        if wanted:
            chosen, lacking = choose_values(key, wanted, [_value(row, key) for row in rows])
            notes.extend(lacking)
            rows = [row for row in rows if _value(row, key) in chosen]
    (number,) = (term.number for term in claim.parsed.terms if term.kind == NUMBER)
    comparisons = []
    for place, row in enumerate(rows):
        where = [
            f"panel {row[key]!r}" if key == "panel" else str(row[key])
            for key in told
            if key in varying and row.get(key)
        ]
        miss, largest = row["largest_not_significant"], row["largest_difference"]
        # Without a pair that is not significant, all differences are; one of just that size is too large.
        relation = "at most" if math.isnan(miss) else "below"
        difference = number - (0.0 if math.isnan(miss) else miss)
        limits: tuple[float, float] | None = (difference, difference)
        words = f"{number:g} - the largest difference that is not significant"
        if not miss >= number and not largest >= number:
            where.append(f"no difference is as large as {number:g}")
            limits = None
        spread = Spread(math.nan, "none", limits=limits)
        comparisons.append(Comparison(relation, ", ".join([words, *where]), place, difference, spread, claim.margin))
    # Where no difference is as large, nothing speaks for or against it; other places may decide.
    return [one for one in comparisons if one.spread.is_exact] or comparisons, notes


def _value(row: Row, key: str) -> Any:
    if key == "references":
        number = n_references(row["subset"], "") if row["subset"] else math.nan
        return number if number == number else None
    return row.get(key, "")
