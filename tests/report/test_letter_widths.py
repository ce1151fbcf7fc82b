"""Names of other scripts stand in columns of a terminal: widths by Unicode Standard Annex 11, counted by hand."""

import pytest

from metaeval.report.letter_widths import display_width, in_lines
from metaeval.report.tables import aligned
from metaeval.report.terminal_table import cut, fitted, in_pieces, wrapped

# Two wide letters each; an e and its accent apart; an emoji.
WIDTHS = {"评测": 4, "ひらがな": 8, "한국": 4, "e\u0301": 1, "\N{GRINNING FACE}": 2, "bleu": 4, "é": 1, "ﾊﾝ": 2}


@pytest.mark.parametrize("text", WIDTHS)
def test_the_width_of_a_text(text):
    assert display_width(text) == WIDTHS[text]


def test_columns_stand_below_one_another():
    rows = [{"metric": "评测", "value": 1.0}, {"metric": "bleu-2", "value": 0.5}, {"metric": "e\u0301", "value": 0.25}]
    expected = """\
metric  value
------  -----
评测    1.000
bleu-2  0.500
e\u0301       0.250"""
    assert aligned(rows) == expected
    assert fitted(rows, 60) == expected.split("\n")


def test_what_is_too_long_is_cut_between_letters():
    """Of nine columns three are dots, three are left before them, where one letter fits, and three behind."""
    assert cut("一二三四五六", 9) == "一...六"
    assert cut("一二 三四五六", 9) == "一二..."
    assert cut("一二三四", 8) == "一二三四"
    # No letter loses its mark.
    assert cut("e\u0301" * 9, 5) == "e\u0301...e\u0301"


def test_names_go_on_below_where_they_have_no_room():
    assert in_pieces("一二三四五", 5, " ") == ["一二", " 三四", " 五"]
    assert in_pieces("系统-一二", 6) == ["系统-", "一二"]


def test_lines_are_as_long_as_a_terminal_and_not_as_many_letters():
    words = " ".join(["评测"] * 20)
    # Twelve words of four columns and eleven blanks are 59.
    assert wrapped(words, 60).split("\n") == [" ".join(["评测"] * 12), " ".join(["评测"] * 8)]
    assert in_lines("一二三四五", 4, break_long=True) == ["一二", "三四", "五"]
