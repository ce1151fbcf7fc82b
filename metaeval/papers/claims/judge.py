"""The claims of a paper, judged on what an experiment found."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from metaeval.papers.claims.matching import NotApplicableError, choose_values
from metaeval.papers.claims.places import compare_terms
from metaeval.papers.claims.points import Point, Spread, correlation_points, share_points, top_cluster_points
from metaeval.papers.claims.settings import CORRELATION, LISTS, MINIMUM, SHARE, TOP_CLUSTER, ClaimSettings
from metaeval.papers.claims.statement import NUMBER
from metaeval.papers.claims.verdicts import (
    AGAINST,
    FOR,
    NOT_APPLICABLE,
    OPEN,
    Comparison,
    Judged,
    judge,
)
from metaeval.results.model import RunData
from metaeval.results.rows import Claim, MinimumDifference

SIMULATED = "simulation: no evidence about the claim"


def judge_claims(
    claims: Sequence[ClaimSettings],
    run: RunData,
    *,
    confidence_level: float = 0.95,
    read_as: Mapping[str, str] = MappingProxyType({}),
) -> list[Claim]:
    """Judge the claims of a paper on each corpus of a finished experiment.

    The difference between two terms is that of the reported means. Its standard error comes from the replicates of a
    bootstrap where there are any, which draw the same units for all metrics; else from the coefficients of
    documents, which answers for these segments alone; and of single coefficients without replicates there is none, so
    that they leave a claim undecided. See `metaeval.papers.claims.verdicts` for what follows from the intervals.

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
        For each corpus and claim. The limits are those that were decisive, corrected for as many comparisons as `notes`
        says. Those for and against are counted in the same way. The label says so where the corpus is simulated.
    """
    rows = []
    for described in run.corpora:
        corpus = described.name
        points: dict[str, list[Point]] = {}
        sources: dict[str, Callable[[RunData, str], list[Point]]] = {
            CORRELATION: correlation_points,
            SHARE: share_points,
            TOP_CLUSTER: top_cluster_points,
        }
        for number, written in enumerate(claims, start=1):
            claim = written.read_as(read_as)
            labels = [SIMULATED] if described.simulated else []
            if claim is not written:
                labels.extend(f"{name} read as {other}" for name, other in read_as.items())
            judged: Judged | str
            notes: list[str] = []
            try:
                if claim.quantity != SHARE:
                    _check_orientation(run, corpus)
                if claim.quantity == MINIMUM:
                    comparisons, notes = _minimum_significant_differences(claim, run, corpus)
                else:
                    if claim.quantity not in points:
                        points[claim.quantity] = sources[claim.quantity](run, corpus)
                    comparisons, notes = _compared(claim, points[claim.quantity])
                judged = judge(comparisons, claim.over, confidence_level)
            except NotApplicableError as reason:
                judged = str(reason)
            rows.append(
                Claim(
                    corpus=corpus,
                    claim=number,
                    paper=claim.paper,
                    statement=claim.statement,
                    chosen=claim.chosen,
                    over=claim.over,
                    quantity=claim.quantity,
                    reading=claim.reading,
                    **_found(judged, claim, notes),
                    label="; ".join(labels),
                )
            )
    return rows


def _check_orientation(run: RunData, corpus: str) -> None:
    if any(series.key.corpus == corpus and series.orientation == "raw" for series in run.series):
        raise NotApplicableError("high is not always good here: `correlation.orientation` is 'raw'")


def _compared(claim: ClaimSettings, points: Sequence[Point]) -> tuple[list[Comparison], list[str]]:
    if not points and claim.quantity == SHARE:
        raise NotApplicableError("the experiment has no nist of two orders or more with every order below the highest")
    if not points and claim.quantity == TOP_CLUSTER:
        raise NotApplicableError("the experiment has no intervals (`uncertainty.method`)")
    return compare_terms(claim, points)


def _found(judged: Judged | str, claim: ClaimSettings, told: Sequence[str]) -> dict[str, Any]:
    """Return the fields of a row that tell the verdict and what it rests on."""
    if isinstance(judged, str):
        nothing: dict[str, Any] = dict.fromkeys(("difference", "lower", "upper"), math.nan)
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
    claim: ClaimSettings, run: RunData, corpus: str
) -> tuple[list[Comparison], list[str]]:
    """Compare a number with the largest difference that is not significant, a test at a time.

    A pair that differs by as much as the number without being significant refutes it. Where no pair differs by so
    much, nothing is shown.
    """
    rows = [row for row in run.tables.minimum_significant_differences if row.key.corpus == corpus]
    if not rows:
        raise NotApplicableError("the experiment has no test between metrics")
    told = ["test", "criterion", "preprocessing", "subset", "coefficient", "panel"]
    notes: list[str] = []
    varying = [key for key in told if len({_value(row, key) for row in rows}) > 1]
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
        where = [f"panel {value!r}" if key == "panel" else str(value) for key in varying if (value := _value(row, key))]
        miss, largest = row.largest_not_significant, row.largest_difference
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


def _value(row: MinimumDifference, key: str) -> Any:
    if key == "references":
        return None if math.isnan(row.n_references) else row.n_references
    return row.test if key == "test" else getattr(row.key, key)
