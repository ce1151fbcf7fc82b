from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import UsageError
from metaeval.report.tables import Estimated, aligned, formatted, row_writer, tsv

ROWS = [{"name": "bleu", "mean": 0.123456, "n": 10}, {"name": "a longer name", "mean": float("nan"), "n": None}]


def test_people_get_aligned_columns():
    assert aligned(ROWS) == (
        "name            mean   n\n-------------  -----  --\nbleu           0.123  10\na longer name     --"
    )


def test_programs_get_tab_separated_values():
    assert tsv(ROWS) == "name\tmean\tn\nbleu\t0.123456\t10\na longer name\tnan\t\n"


def test_json_has_null_for_what_is_undefined():
    assert json.loads(formatted(ROWS, "json")) == [ROWS[0], {"name": "a longer name", "mean": None, "n": None}]


@given(st.floats(allow_nan=False))
def test_numbers_read_back_to_the_same_bits(number):
    assert float(tsv([{"x": number}]).split("\n")[1]) == number


def test_papers_get_latex_that_needs_no_edits():
    rows = [{"name": "a_b & 5 % {x}~\\", "mean": -0.5}, {"name": "<#$^>", "mean": 0.25}]
    assert formatted(rows, "latex").split("\n") == [
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"name & mean \\",
        r"\midrule",
        r"a\_b \& 5 \% \{x\}\textasciitilde{}\textbackslash{} & \ensuremath{-0.500} \\",
        r"\textless{}\#\$\textasciicircum{}\textgreater{} & 0.250 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_a_hyphen_before_a_number_is_a_minus_sign_and_in_a_name_none():
    cells = {"en-de-5": "0.010 [-0.112, 0.5]", "-.5": "x(y=-1)", "--": "3-4"}
    lines = formatted([{"a": name, "b": cell} for name, cell in cells.items()], "latex").split("\n")
    assert lines[4:7] == [
        r"en-de-5 & 0.010 [\ensuremath{-0.112}, 0.5] \\",
        r"\ensuremath{-.5} & x(y=\ensuremath{-1}) \\",
        r"-- & 3-4 \\",
    ]


def test_markdown_keeps_bars_inside_a_cell():
    assert formatted([{"name": "a|b", "n": 3}], "md") == "| name | n |\n| --- | ---: |\n| a\\|b | 3 |"


def test_rows_are_written_one_by_one_in_two_formats_alone():
    for form, expected in (("tsv", "x\ty\n0.5\t\n"), ("jsonl", '{"x": 0.5, "y": null}\n')):
        file = io.StringIO()
        row_writer(form)(iter([{"x": 0.5, "y": None}]), file)
        assert file.getvalue() == expected
    with pytest.raises(UsageError, match="unknown format 'json'; did you mean 'jsonl'"):
        row_writer("json")


@pytest.mark.parametrize("kind", ["table", "tsv", "json", "md", "latex"])
def test_nothing_is_a_table_too(kind):
    assert not set(formatted([], kind)) & set("0123456789")


def test_numbers_with_intervals_have_no_negative_zero():
    assert str(Estimated(-1e-9, float("nan"), float("nan"))) == "0.000"
    assert str(Estimated(0.5, -0.0001, 0.9)) == "0.500 [0.000, 0.900]"
    assert str(Estimated(-0.5, -0.9, -0.1, "*")) == "-0.500 [-0.900, -0.100]*"
