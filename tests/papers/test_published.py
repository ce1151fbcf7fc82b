"""Printed numbers: the tables that hold them, and which of ours stand beside them."""

from __future__ import annotations

import csv

import pytest

from metaeval.errors import UsageError
from metaeval.papers.published import PublishedNumber, beside_published, read_published
from metaeval.results.rows import Published
from metaeval.runtime.files import shipped
from tests.support.gold import of_others
from tests.support.results import NAN, correlation

HEADER = "criterion\tpreprocessing\tmetric\tcoefficient\tvalue"


def table(tmp_path, *lines, header=HEADER):
    path = tmp_path / "printed.tsv"
    path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    return path


def message(path):
    with pytest.raises(UsageError) as caught:
        read_published(path)
    return str(caught.value).replace(str(path), "FILE")


def ours(mean=0.5, **changes):
    """Return a row of correlations, without an interval unless one is given."""
    plain = {"corpus": "demo", "subset": "ref1+ref2", "length": None, "lower": NAN, "upper": NAN}
    return correlation(mean, **{**plain, **changes})


def number(**changes):
    known = {
        "criterion": "adequacy",
        "preprocessing": "case",
        "metric": "bleu",
        "coefficient": "pearson",
        "value": 0.75,
    }
    return PublishedNumber(**known | changes)


def beside(number, *rows):
    """Return ours for a printed number, and the messages."""
    found, messages = beside_published([number], rows)
    return [row.ours for row in found], messages


def test_lin_and_ochs_table_is_the_papers():
    with of_others("published/lin_och_2004_table1.tsv").open(encoding="utf-8", newline="\n") as file:
        printed = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    found = read_published(shipped("configs") / "linoch2004.tsv")
    metrics = {
        "BLEU1": "bleu(order=1)",
        "BLEU4": "bleu",
        "BLEU12": "bleu(order=12)",
        "NIST": "nist",
        "WER": "wer",
        "PER": "per",
        "ROUGE-L": "rouge-l",
        "ROUGE-W": "rouge-w",
        "ROUGE-S*": "rouge-s",
        "ROUGE-S0": "rouge-s(skip=0)",
        "ROUGE-S4": "rouge-s(skip=4)",
        "ROUGE-S9": "rouge-s(skip=9)",
        "GTM10": "gtm(exponent=1)",
        "GTM20": "gtm(exponent=2)",
        "GTM30": "gtm(exponent=3)",
    }
    assert len(printed) == len(found) == 180
    assert {
        (row["criterion"], row["condition"], metrics[row["metric"]], row["coefficient"], row["metric"]): tuple(
            float(row[name]) for name in ("value", "lower95", "upper95")
        )
        for row in printed
    } == {
        (one.criterion, one.preprocessing, one.metric, one.coefficient, one.printed_as): (
            one.value,
            one.lower,
            one.upper,
        )
        for one in found
    }


def test_all_columns_in_any_order(tmp_path):
    header = "printed_as\treferences\tlength\tupper\tlower\tvalue\tcoefficient\tmetric\tpreprocessing\tcriterion"
    lines = [
        "BLEU4\t3\t10\t0.9\t-.25\t0.50\tpearson\tbleu\tstem\tadequacy",
        "\t\t\t\t\t-1\tspearman\twer\tcase\tfluency",
    ]
    found = read_published(table(tmp_path, *lines, "", header=header))
    assert found == [
        PublishedNumber("adequacy", "stem", "bleu", "pearson", 0.5, -0.25, 0.9, "BLEU4", 10, 3),
        PublishedNumber("fluency", "case", "wer", "spearman", -1.0),
    ]


def test_what_editors_of_tables_add_is_no_mistake(tmp_path):
    path = tmp_path / "windows.tsv"
    path.write_bytes(f"\ufeff{HEADER}\tlower\tupper\r\nadequacy\tcase\tbleu\tpearson\t0.75\t\t\r\n".encode())
    assert read_published(path) == [number()]


def test_judges_and_metrics_in_files_have_their_names(tmp_path):
    lines = ["adequacy\t\tinter-judge\tspearman\t0.3", "adequacy\tcase\tmy_metric.py:best\tspearman\t0.4"]
    assert [one.metric for one in read_published(table(tmp_path, *lines))] == ["inter-judge", "my_metric.py:best"]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ("\tcase\tbleu\tpearson\t0.5", "`criterion` must be a name such as adequacy; got ''."),
        ("a\tcased\tbleu\tpearson\t0.5", "`preprocessing`: unknown preprocessing 'cased'; did you mean 'case'?"),
        ("a\tcase\tblue\tpearson\t0.5", "`metric`: unknown metric 'blue'; did you mean 'bleu'?"),
        ("a\tcase\tbleu(order=0)\tpearson\t0.5", "`metric`: metric 'bleu': `order` must be at least 1"),
        ("a\tcase\tbleu\tpaerson\t0.5", "`coefficient`: unknown coefficient 'paerson'; did you mean 'pearson'?"),
        ("a\tcase\tinter-judge\tpearson\t0.5", "`preprocessing` must be empty for inter-judge, which reads no text"),
        ("a\tcase\tbleu\tpearson\t", "`value` must be a number from -1 to 1; got ''."),
        ("a\tcase\tbleu\tpearson\t0,5", "`value` must be a plain decimal number such as 0.86; got '0,5'."),
        ("a\tcase\tbleu\tpearson\tnan", "`value` must be a plain decimal number such as 0.86; got 'nan'."),
        (
            "a\tcase\tbleu\tpearson\t86",
            "`value` must be from -1 to 1, as coefficients are; is the point missing, or is it a percentage?; "
            "got '86'.",
        ),
        (
            "a case bleu pearson 0.5",
            "has 1 cells where the header has 5; is a tab missing, or are there blanks in its place?",
        ),
    ],
)  # fmt: skip
def test_a_wrong_cell_is_told_with_its_line(tmp_path, cells, expected):
    found = message(table(tmp_path, cells))
    assert found.startswith(f"FILE:2: {expected}")


@pytest.mark.parametrize(
    ("name", "cells", "expected"),
    [
        ("lower\tupper", "0.4\t", "`upper` must be given where the other bound is, or both must be empty; got ''."),
        ("lower", "0.4", "`upper` must be given where the other bound is, or both must be empty; got ''."),
        ("lower\tupper", "0.6\t0.4", "`lower` must be at most the upper bound, 0.4; are the two exchanged?"),
        ("length", "2.5", "`length` must be a whole number from 1 on, or empty for any; got '2.5'."),
        ("references", "0", "`references` must be a whole number from 1 on, or empty for any; got '0'."),
    ],
)  # fmt: skip
def test_a_wrong_optional_cell_is_told(tmp_path, name, cells, expected):
    path = table(tmp_path, f"a\tcase\tbleu\tpearson\t0.5\t{cells}", header=f"{HEADER}\t{name}")
    assert message(path).startswith(f"FILE:2: {expected}")


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (HEADER.replace("value", "valve"), "FILE:1: unknown column 'valve'; did you mean 'value'?"),
        (HEADER.replace("\t", " "), "Are the columns separated by tabs?"),
        (f"{HEADER}\tvalue", "FILE:1: has the column 'value' twice."),
        ("criterion\tmetric\tvalue", "FILE:1: lacks 'preprocessing', 'coefficient'; the columns 'criterion'"),
        (HEADER, "FILE: holds no numbers, only a header."),
    ],
)
def test_a_wrong_header_is_told(tmp_path, header, expected):
    assert expected in message(table(tmp_path, header=header))


def test_a_number_stands_once_however_it_is_written(tmp_path):
    lines = ["a\tcase\tbleu\tpearson\t0.5", "a\tcase\tnist\tpearson\t0.5", "a\tcase\tbleu( order = 4 )\tpearson\t0.6"]
    assert message(table(tmp_path, *lines)) == (
        "FILE:4: this number is already in line 2: a, case, bleu( order = 4 ), pearson; is one of the two another "
        "metric or preprocessing?"
    )


def test_a_dozen_mistakes_are_told_at_once(tmp_path):
    found = message(table(tmp_path, *(f"a\tcase\tbleu\tpearson\t{n}" for n in range(2, 16))))
    assert [line.partition(":")[2].partition(":")[0] for line in found.split("\n")[:-1]] == [*map(str, range(2, 14))]
    assert found.endswith("\n... and 2 more.")


def test_files_that_cannot_be_read(tmp_path):
    assert message(tmp_path / "none.tsv").startswith("FILE: is missing; `published` of a config names a TSV file")
    assert message(tmp_path).startswith("FILE: cannot be read")
    (tmp_path / "latin.tsv").write_bytes(b"criterion\xe9")
    assert message(tmp_path / "latin.tsv") == "FILE: is not UTF-8, at byte 9; save the table as UTF-8 text."


def test_a_printed_number_stands_beside_ours():
    printed = number(preprocessing="stem", lower=0.7, upper=0.8, printed_as="BLEU4")
    row = ours(
        preprocessing='stem(tokenizer="13a")', metric="bleu(order=4)", length=120, mean=0.5, lower=0.25, upper=0.625
    )
    assert beside_published([printed], [ours(), row]) == (
        [
            Published(
                key=row.key,
                printed_as="BLEU4",
                published=0.75,
                published_lower=0.7,
                published_upper=0.8,
                ours=0.5,
                lower=0.25,
                upper=0.625,
                difference=-0.25,
                overlap=False,
            )
        ],
        [],
    )


@pytest.mark.parametrize(
    ("limits", "overlap"),
    [((0.8, 0.9), True), ((0.1, 0.7), True), ((0.72, 0.73), True), ((0.81, 0.9), False), ((NAN, NAN), None)],
)
def test_intervals_overlap_where_they_share_a_number(limits, overlap):
    (row,), _ = beside_published([number(lower=0.7, upper=0.8)], [ours(lower=limits[0], upper=limits[1])])
    assert row.overlap is overlap
    (bare,), _ = beside_published([number()], [ours(lower=limits[0], upper=limits[1])])
    assert (bare.overlap, bare.published_lower, bare.published_upper) == (None, None, None)


def test_parameters_that_are_given_must_be_ours():
    row = ours(preprocessing='case(tokenizer="13a")', coefficient='spearman(ties="uncorrected")')
    assert beside(number(coefficient="spearman"), row)[0] == [0.5]
    assert beside(number(coefficient='spearman( ties = "uncorrected" )'), row)[0] == [0.5]
    assert beside(number(coefficient='spearman(ties="ordinal")'), row)[0] == []
    assert beside(number(preprocessing='case(tokenizer="intl")', coefficient="spearman"), row)[0] == []


def test_the_plain_name_comes_before_names_with_parameters():
    rows = [
        ours(preprocessing='case(tokenizer="13a")', mean=0.1),
        ours(mean=0.2),
        ours(preprocessing="nocase", mean=0.3),
    ]
    assert beside(number(), *rows)[0] == [0.2]
    assert beside(number(), ours(coefficient='spearman(ties="ordinal")', mean=0.3), *rows)[0] == [0.2]


def test_length_and_number_of_references_choose():
    lengths = [ours(length=1, mean=0.1), ours(length=10, mean=0.2)]
    assert beside(number(length=10), *lengths)[0] == [0.2]
    sizes = [
        ours(subset="every(size=1,count=2)", n_references=1.0, mean=0.1),
        ours(mean=0.2),
        ours(subset="leave-one-out(a+b+c+d)", n_references=3.0, mean=0.3),
    ]
    assert [beside(number(references=n), *sizes)[0] for n in (1, 2, 3, 4)] == [[0.1], [0.2], [0.3], []]


def test_what_several_of_ours_fit_is_told_and_left_out():
    rows = [ours(length=1), ours(length=10), ours(metric="nist")]
    assert beside_published([number(), number(metric="nist"), number(metric="wer")], rows)[1] == [
        "demo: 1 of 3 printed numbers have no counterpart in this run: no metric 'wer' (1).",
        "demo: 1 of 3 printed numbers are left out, because several results match each: they differ in "
        "length '1', '10'.",
    ]
    assert beside(number(), ours(), ours(subset="ref1"))[1] == [
        "demo: 1 of 1 printed numbers are left out, because several results match each: they differ in references "
        "'ref1+ref2', 'ref1'."
    ]


def test_numbers_that_ours_lacks_are_counted_by_reason():
    printed = [
        number(),
        number(criterion="fluency"),
        number(preprocessing="nocase"),
        number(preprocessing="stem", metric="nist"),
        number(metric="wer"),
        number(coefficient="spearman"),
        number(length=7),
        number(references=9),
        number(metric="nist", coefficient="kendall"),
    ]
    rows = [ours(), ours(metric="nist", coefficient="kendall", preprocessing="stem"), ours(corpus="other")]
    found, messages = beside_published(printed, rows)
    assert [(row.key.corpus, row.key.metric) for row in found] == [("demo", "bleu"), ("other", "bleu")]
    demo, other = messages
    assert demo == (
        "demo: 8 of 9 printed numbers have no counterpart in this run: no criterion 'fluency' (1); no preprocessing "
        "'nocase' (1); all that they name is there, but not together (2); no metric 'wer' (1); no coefficient "
        "'spearman' (1); no length '7' (1); no '9' references (1)."
    )
    assert other == (
        "other: 8 of 9 printed numbers have no counterpart in this run: no criterion 'fluency' (1); no preprocessing "
        "'nocase', 'stem' (2); no metric 'wer', 'nist' (2); no coefficient 'spearman' (1); no length '7' (1); "
        "no '9' references (1)."
    )


def test_a_number_is_looked_for_in_every_panel():
    rows = [
        ours(panel="A", mean=0.1),
        ours(panel="B", mean=0.2),
        ours(panel="B", criterion="fluency", mean=0.3),
        ours(panel="A", corpus="other", mean=0.4),
    ]
    found, messages = beside_published([number(criterion="fluency"), number()], rows)
    assert [(row.key.panel, row.key.corpus, row.key.criterion, row.ours) for row in found] == [
        ("A", "demo", "adequacy", 0.1),
        ("B", "demo", "fluency", 0.3),
        ("B", "demo", "adequacy", 0.2),
        ("A", "other", "adequacy", 0.4),
    ]
    assert messages == ["other: 1 of 2 printed numbers have no counterpart in this run: no criterion 'fluency' (1)."]


def test_judges_stand_beside_judges():
    row = ours(preprocessing="", metric="inter-judge", coefficient="spearman")
    assert beside(number(preprocessing="", metric="inter-judge", coefficient="spearman"), ours(), row)[0] == [0.5]
