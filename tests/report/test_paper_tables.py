"""The paper's claims, examples and numbers as tables for papers."""

from __future__ import annotations

import math
from dataclasses import replace

from metaeval.report.latex import tables_latex
from metaeval.report.latex_numbers import numbers_tex
from metaeval.report.paper_tables import tables_beside_paper
from metaeval.report.tables import Estimated, tables_markdown
from metaeval.results.model import Tables
from metaeval.results.rows import Example, Published
from tests.support.results import claim, key_of, run_of

CLAIM = claim(
    2,
    "gtm above bleu",
    "holds",
    reading=True,
    difference=0.12,
    lower=0.05,
    upper=0.19,
    label="simulation: no evidence about the claim",
)
EXAMPLE = Example(
    example=1,
    paper="The score is 0.4002.",
    metric="bleu",
    preprocessing="case",
    candidate="a b",
    references="a b",
    quantity="score",
    value="0.4002",
    ours=0.400187,
    difference=-0.000013,
    reading=False,
    verdict="holds",
    signature="BLEU|version:1",
)
PRINTED = Published(
    key=key_of(metric="bleu(order=1)"),
    printed_as="BLEU1",
    published=0.86,
    published_lower=0.83,
    published_upper=0.89,
    ours=0.9,
    lower=None,
    upper=None,
    difference=0.04,
    overlap=None,
)
TABLES = Tables(claims=[CLAIM], examples=[EXAMPLE], published=[PRINTED])


def test_an_undefined_example_and_one_below_zero_are_so_in_each_file():
    examples = [replace(EXAMPLE, ours=math.nan), replace(EXAMPLE, example=2, value="-0.25", ours=-0.25)]
    (table,) = tables_beside_paper(Tables(examples=examples))
    assert [row["ours"] for row in table.rows] == ["--", "-0.25"]
    assert numbers_tex(run_of(examples=examples)).splitlines()[-4:] == [
        r"\metaevalnumber{example/1}{--}",
        r"\metaevalnumber{example/1/printed}{0.4002}",
        r"\metaevalnumber{example/2}{\ensuremath{-0.25}}",
        r"\metaevalnumber{example/2/printed}{\ensuremath{-0.25}}",
    ]


def test_each_kind_is_a_table_of_its_own():
    tables = tables_beside_paper(TABLES)
    assert [list(table.rows) for table in tables] == [
        [{"claim": "2*", "statement": "gtm above bleu", "verdict": "holds", "difference": Estimated(0.12, 0.05, 0.19)}],
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
                "coefficient": "Pearson",
                "metric": "BLEU1",
                "printed": Estimated(0.86, 0.83, 0.89),
                "ours": Estimated(0.9, math.nan, math.nan),
                "difference": 0.04,
            }
        ],
    ]
    # All numbers have the same preprocessing, which needs no column.
    assert tables[2].heading.endswith("beside ours; tokens at white space, case kept")
    assert tables[0].note.endswith("* our reading. Simulated data, no evidence about the claims.")
    assert tables_beside_paper(Tables()) == []


def test_they_are_in_the_files_for_papers():
    tables = tables_beside_paper(TABLES)
    assert "| 2* | gtm above bleu | holds | 0.120 [0.050, 0.190] |" in tables_markdown(tables)
    text = tables_latex(tables)
    assert r"2* & gtm above bleu & holds & 0.120 [0.050, 0.190] \\" in text
    assert text.count(r"\begin{table}") == 3
