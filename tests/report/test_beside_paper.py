"""The paper's claims, examples and numbers as tables for papers."""

from __future__ import annotations

import math

from metaeval.report.beside_paper import tables_beside_paper
from metaeval.report.paper import tables_latex, tables_markdown

CLAIM = {
    "corpus": "c",
    "claim": 2,
    "statement": "gtm above bleu",
    "verdict": "holds",
    "reading": "yes",
    "difference": 0.12,
    "lower": 0.05,
    "upper": 0.19,
    "label": "simulation: no evidence about the claim",
}
EXAMPLE = {"example": 1, "metric": "bleu", "quantity": "score", "value": "0.4002", "ours": 0.400187, "verdict": "holds"}
PRINTED = {
    "corpus": "c",
    "criterion": "adequacy",
    "coefficient": "pearson",
    "preprocessing": "case",
    "metric": "bleu(order=1)",
    "printed_as": "BLEU1",
    "published": 0.86,
    "published_lower": 0.83,
    "published_upper": 0.89,
    "ours": 0.9,
    "lower": math.nan,
    "upper": math.nan,
    "difference": 0.04,
}


def test_each_kind_is_a_table_of_its_own():
    tables = tables_beside_paper([CLAIM], [EXAMPLE], [PRINTED])
    assert [list(table.rows) for table in tables] == [
        [
            {
                "claim": "2*",
                "statement": "gtm above bleu",
                "verdict": "holds",
                "difference": "0.120 [0.050, 0.190]",
            }
        ],
        [
            {
                "example": "1",
                "metric": "bleu",
                "quantity": "score",
                "printed": "0.4002",
                "ours": "0.400187",
                "verdict": "holds",
            }
        ],
        [
            {
                "criterion": "adequacy",
                "coefficient": "pearson",
                "preprocessing": "case",
                "metric": "BLEU1",
                "printed": "0.860 [0.830, 0.890]",
                "ours": "0.900",
                "difference": 0.04,
            }
        ],
    ]
    assert tables[0].note.endswith("* our reading. simulation: no evidence about the claim.")
    assert tables_beside_paper([], [], []) == []


def test_they_are_in_the_files_for_papers():
    tables = tables_beside_paper([CLAIM], [EXAMPLE], [PRINTED])
    assert "| 2* | gtm above bleu | holds | 0.120 [0.050, 0.190] |" in tables_markdown(tables)
    text = tables_latex(tables)
    assert r"2* & gtm above bleu & holds & 0.120 [0.050, 0.190] \\" in text
    assert text.count(r"\begin{table}") == 3
