"""Tables that set the claims, examples and printed numbers of a paper beside the results."""

from __future__ import annotations

import math

from metaeval.report.claim_words import statement_words
from metaeval.report.claims import labels_of_claims
from metaeval.report.examples import number_here, quantity_words
from metaeval.report.phrases import coefficient_words, corpus_words, grouped, preprocessing_columns
from metaeval.report.tables import Estimated, SummaryTable
from metaeval.results.model import Tables


def tables_beside_paper(tables: Tables) -> list[SummaryTable]:
    """Return claims, examples and printed numbers as tables; none where there are no rows."""
    tables_found = []
    for corpus, claims in grouped(tables.claims, lambda row: row.corpus).items():
        cells = [
            {
                "claim": f"{row.claim}*" if row.reading else str(row.claim),
                "statement": statement_words(row),
                "verdict": row.verdict,
                "difference": Estimated(row.difference, row.lower, row.upper),
            }
            for row in claims
        ]
        labels = [f"{label[:1].upper()}{label[1:]}." for label in labels_of_claims(claims)]
        note = " ".join(["Differences that decided, with their confidence intervals. * our reading.", *labels])
        name = corpus_words(corpus, simulated=any(row.simulated for row in claims))
        tables_found.append(SummaryTable(f"{name}: the claims of the paper", cells, note))
    if tables.examples:
        cells = [
            {
                "example": str(row.example),
                "metric": row.metric,
                "quantity": quantity_words(row.quantity),
                "printed": row.value,
                "ours": number_here(row),
                "verdict": row.verdict,
            }
            for row in tables.examples
        ]
        tables_found.append(SummaryTable("Worked examples of the paper", cells))
    for corpus, printed in grouped(tables.published, lambda row: row.key.corpus).items():
        words, in_common = preprocessing_columns([row.key.preprocessing for row in printed])
        treated = f"; {in_common or next(iter(words.values()))}" if in_common or len(words) == 1 else ""
        cells = [
            {
                "criterion": row.key.criterion,
                "coefficient": coefficient_words(row.key.coefficient),
                **({"preprocessing": words[row.key.preprocessing]} if len(words) > 1 else {}),
                "metric": row.printed_as or row.key.metric,
                "printed": _estimated(row.published, row.published_lower, row.published_upper),
                "ours": _estimated(row.ours, row.lower, row.upper),
                "difference": row.difference,
            }
            for row in printed
        ]
        tables_found.append(SummaryTable(f"{corpus}: numbers that the paper printed, beside ours{treated}", cells))
    return tables_found


def _estimated(value: float, lower: float | None, upper: float | None) -> Estimated:
    return Estimated(value, math.nan if lower is None else lower, math.nan if upper is None else upper)
