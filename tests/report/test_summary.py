"""The tables for people: what stands across, and which limits and equals are shown."""

from __future__ import annotations

import pandas as pd

from metaeval.report.summary import SummaryTable, summary_tables

PLACE = {
    "corpus": "c",
    "condition": "case",
    "subset": "a",
    "criterion": "adequacy",
    "grouping": "system",
    "coefficient": "pearson",
    "length": 9,
}


def row(metric, mean, **others):
    own = {"metric": metric, "mean": mean, "lower": mean - 0.1, "upper": mean + 0.1}
    return {**PLACE, **own, "signature": "M|interval:percentile(0.95)", **others}


def test_a_run_without_a_coefficient_has_no_table():
    assert summary_tables(pd.DataFrame(), pd.DataFrame()) == []


def test_limits_stand_behind_the_values_and_equals_are_marked():
    rankings = [{**PLACE, "metric": name, "method": "intervals", "equals_best": "yes"} for name in ("bleu", "ter")]
    rows = [row("bleu", 0.75), row("ter", 0.7), row("wer", 0.3)]
    (table,) = summary_tables(pd.DataFrame(rows), pd.DataFrame(rankings))

    assert table.heading == "c: correlation by system, references a, 9 segments"
    assert [cells["pearson"] for cells in table.rows] == [
        "0.750 [0.650, 0.850]*",
        "0.700 [0.600, 0.800]*",
        "0.300 [0.200, 0.400]",
    ]
    assert table.note.startswith("[ ] limits by bootstrap.")


def test_lengths_stand_across_where_they_vary():
    rows = [row("bleu", mean, length=length) for length, mean in ((1, 0.25), (10, 0.5))]
    (table,) = summary_tables(pd.DataFrame(rows), pd.DataFrame())

    assert list(table.rows) == [{"metric": "bleu", "1": 0.25, "10": 0.5}]


def test_columns_are_those_of_any_row():
    table = SummaryTable("", [{"metric": "bleu", "1": 0.5}, {"metric": "ter", "10": 0.25}])
    assert table.columns == ["metric", "1", "10"]
    assert table.to_markdown().split("\n")[2:] == ["| bleu | 0.500 |  |", "| ter |  | 0.250 |"]
