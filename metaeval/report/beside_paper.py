"""What a paper says, works out and prints, beside what was found: as tables for papers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from metaeval.report.summary import SummaryTable
from metaeval.results.model import Tables
from metaeval.results.rows import Claim, Example, Published


def tables_beside_paper(tables: Tables) -> list[SummaryTable]:
    """Return claims, examples and printed numbers as tables; none where there are no rows."""
    return [*_claims(tables.claims), *_examples(tables.examples), *_published(tables.published)]


def _claims(rows: Sequence[Claim]) -> Iterator[SummaryTable]:
    for corpus in dict.fromkeys(row.corpus for row in rows):
        own = [row for row in rows if row.corpus == corpus]
        labels = dict.fromkeys(row.label for row in own if row.label)
        yield SummaryTable(
            f"{corpus}: the claims of the paper",
            [
                {
                    "claim": str(row.claim) + ("*" if row.reading else ""),
                    "statement": row.statement,
                    "verdict": row.verdict,
                    "difference": _with_limits(row, "difference", "lower", "upper"),
                }
                for row in own
            ],
            " ".join(["Differences that decided, with their limits. * our reading.", *(f"{one}." for one in labels)]),
        )


def _examples(rows: Sequence[Example]) -> Iterator[SummaryTable]:
    if rows:
        kept = [
            {
                "example": str(row.example),
                "metric": row.metric,
                "quantity": row.quantity,
                "printed": row.value,
                "ours": f"{row.ours:.6g}",
                "verdict": row.verdict,
            }
            for row in rows
        ]
        yield SummaryTable("Worked examples of the paper", kept)


def _published(rows: Sequence[Published]) -> Iterator[SummaryTable]:
    for corpus in dict.fromkeys(row.key.corpus for row in rows):
        kept = [
            {
                "criterion": row.key.criterion,
                "coefficient": row.key.coefficient,
                "preprocessing": row.key.preprocessing,
                "metric": row.printed_as or row.key.metric,
                "printed": _with_limits(row, "published", "published_lower", "published_upper"),
                "ours": _with_limits(row, "ours", "lower", "upper"),
                "difference": float(row.difference),
            }
            for row in rows
            if row.key.corpus == corpus
        ]
        yield SummaryTable(f"{corpus}: numbers that the paper printed, beside ours", kept)


def _with_limits(row: Claim | Published, value: str, lower: str, upper: str) -> str:
    numbers = [getattr(row, name) for name in (value, lower, upper)]
    found = ["nan" if number is None or number != number else f"{number:.3f}" for number in numbers]
    return found[0] if "nan" in found[1:] else f"{found[0]} [{found[1]}, {found[2]}]"
