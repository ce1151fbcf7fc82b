"""What a paper says, works out and prints, beside what was found: as tables for papers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from metaeval.report.summary import SummaryTable
from metaeval.report.tables import Rows


def tables_beside_paper(claims: Rows, examples: Rows, published: Rows) -> list[SummaryTable]:
    """Return the rows of claims.tsv, examples.tsv and published.tsv as tables; none where there are no rows."""
    return [*_claims(claims), *_examples(examples), *_published(published)]


def _claims(rows: Rows) -> Iterator[SummaryTable]:
    for corpus in dict.fromkeys(row["corpus"] for row in rows):
        own = [row for row in rows if row["corpus"] == corpus]
        labels = dict.fromkeys(row["label"] for row in own if row["label"])
        yield SummaryTable(
            f"{corpus}: the claims of the paper",
            [
                {
                    "claim": str(row["claim"]) + ("*" if row["reading"] == "yes" else ""),
                    "statement": row["statement"],
                    "verdict": row["verdict"],
                    "difference": _with_limits(row, "difference", "lower", "upper"),
                }
                for row in own
            ],
            " ".join(["Differences that decided, with their limits. * our reading.", *(f"{one}." for one in labels)]),
        )


def _examples(rows: Rows) -> Iterator[SummaryTable]:
    if rows:
        kept = [
            {
                "example": str(row["example"]),
                "metric": row["metric"],
                "quantity": row["quantity"],
                "printed": row["value"],
                "ours": f"{row['ours']:.6g}",
                "verdict": row["verdict"],
            }
            for row in rows
        ]
        yield SummaryTable("Worked examples of the paper", kept)


def _published(rows: Rows) -> Iterator[SummaryTable]:
    for corpus in dict.fromkeys(row["corpus"] for row in rows):
        kept = [
            {
                "criterion": row["criterion"],
                "coefficient": row["coefficient"],
                "preprocessing": row["preprocessing"],
                "metric": row["printed_as"] or row["metric"],
                "printed": _with_limits(row, "published", "published_lower", "published_upper"),
                "ours": _with_limits(row, "ours", "lower", "upper"),
                "difference": float(row["difference"]),
            }
            for row in rows
            if row["corpus"] == corpus
        ]
        yield SummaryTable(f"{corpus}: numbers that the paper printed, beside ours", kept)


def _with_limits(row: Mapping[str, Any], value: str, lower: str, upper: str) -> str:
    numbers = [row[name] for name in (value, lower, upper)]
    found = ["nan" if number is None or number != number else f"{number:.3f}" for number in numbers]
    return found[0] if "nan" in found[1:] else f"{found[0]} [{found[1]}, {found[2]}]"
