"""Tables as people keep them in spreadsheets, read by `judge`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import metaeval
from metaeval.errors import CorpusError, UsageError
from metaeval.ratings.reading import Asked, read_frame, read_tables
from tests.corpora.strangers.write import new_workbook
from tests.ratings.support import answers_by_rater

NAN = float("nan")


@pytest.fixture
def book(tmp_path):
    def write(**sheets: list[list[Any]]):
        path = tmp_path / "book.xlsx"
        workbook = new_workbook(path)
        for name, rows in sheets.items():
            sheet = workbook.add_worksheet(name)
            for at, row in enumerate(rows):
                for column, cell in enumerate(row):
                    if cell is not None:
                        sheet.write(at, column, cell)
        workbook.close()
        return path

    return write


def rows_of(text: str) -> list[dict[str, str]]:
    head, *rows = [line.split(";") for line in text.splitlines()]
    return [dict(zip(head, row, strict=True)) for row in rows]


def test_a_title_a_total_and_words_written_in_many_ways(book):
    path = book(
        Sheet=[
            ["Evaluation of answers"], [], ["ID", "Question", "Anna", "Ben", "GPT-4", "Notes"],
            [1, "q1", "yes", "Yes ", "no", "unclear"], [2, "q2", "No", "N/A", "YES", None],
            [3, "q3", " yes", "no", "no", None], [None, None, "2 yes", None, None, None],
        ]
    )  # fmt: skip
    found = read_tables([path], Asked(people=("Anna", "Ben")))
    # no is 0 and yes 1
    expected = {"Anna": [1, 0, 1], "Ben": [1, NAN, 0], "GPT-4": [0, 1, 0]}
    for name, column in expected.items():
        np.testing.assert_array_equal(answers_by_rater(found)[name], column)
    assert found.notes[:2] == ("1 row without 'ID' left out, in line 7", "1 cell 'N/A' taken for a missing rating")


def test_cells_that_were_merged_are_filled_from_above(book):
    rows: list[list[Any]] = [["Question", "Rater", "Score"]]
    for at in (1, 2):
        rows += [[f"q{at}", "Anna", at], [None, "Ben", 3], [None, "GPT-4", 5]]
    found = read_tables([book(Sheet=rows)], Asked())
    assert answers_by_rater(found) == {"Anna": [1, 2], "Ben": [3, 3], "GPT-4": [5, 5]}
    assert found.notes[0] == "4 empty cells of 'Question' filled from the row above, as where cells were merged"
    # Twice the same rater below one item is no merged cell.
    twice = [{"item": "a", "rater": "anna", "score": 1}, {"item": "", "rater": "anna", "score": 2}]
    twice += [{"item": "a", "rater": "gpt", "score": 1}]
    assert read_frame(twice, Asked()).notes[0] == "1 row without 'item' left out, in line 2"


def test_sheets_of_people_and_of_the_judge_are_joined(book):
    path = book(
        Read=[["How to rate"], ["Give 1 to 5."]],
        People=[["ID", "Anna", "Ben"], [1, 4, 5], [2, 3, 3]],
        Judge=[["question_id", "GPT-4"], [2, 1], [1, 5]],
    )
    found = read_tables([path], Asked(people=("Anna", "Ben")))
    assert answers_by_rater(found) == {"Anna": [4, 3], "Ben": [5, 3], "GPT-4": [5, 1]}
    assert any("sheets in which no ratings were found are not read: 'Read'" in note for note in found.notes)


def test_a_sheet_for_each_rater(book):
    sheets = {name: [["ID", "Score"], [1, score], [2, 3]] for name, score in (("Anna", 4), ("Ben", 5), ("GPT-4", 1))}
    found = read_tables([book(**sheets)], Asked())
    assert answers_by_rater(found) == {"Anna": [4, 3], "Ben": [5, 3], "GPT-4": [1, 3]}
    assert any("each sheet is taken for a rater of its name: 'Anna', 'Ben', 'GPT-4'" in note for note in found.notes)


@pytest.mark.parametrize(
    ("text", "expected", "note"),
    [
        ("id;h1;gpt\n1;50 %;60%\n2;12,5%;0 %", {"h1": [50, 12.5], "gpt": [60, 0]}, "ratings are in percent"),
        (
            "id;h1;gpt\n1;50 %;0,6\n2;12,5%;0", {"h1": [0.5, 0.125], "gpt": [0.6, 0]},
            "ratings in percent are read as shares from 0 to 1, as others are written",
        ),
        ("id;h1;gpt\n1;4/5;3\n2;1/5;2", {"h1": [4, 1], "gpt": [3, 2]}, "'4/5' is read as 4"),
        ("id;h1;gpt\n1;4 - good;4\n2;1 - poor;2", {"h1": [4, 1], "gpt": [4, 2]}, "'4 - good' is read as 4"),
        ("id;h1;gpt\n1;TRUE;1\n2;FALSE;1", {"h1": [1, 0], "gpt": [1, 1]}, "'FALSE' is read as 0, 'TRUE' is read as 1"),
        ("id;h1;gpt\n1;correct;yes\n2;true;no", {"h1": [1, 1], "gpt": [1, 0]}, "'no' is read as 0"),
    ],
)  # fmt: skip
def test_numbers_are_read_as_people_write_them(text, expected, note):
    found = read_frame(rows_of(text), Asked())
    assert answers_by_rater(found) == expected
    assert any(note in one for one in found.notes)


def test_what_may_be_read_in_two_ways_is_left_or_refused():
    # 4 out of 5 and 4 out of 10 are not the same.
    assert read_frame(rows_of("id;h1;gpt\n1;4/5;4/10\n2;4/10;4/5"), Asked()).kind == "label"
    # The words of a number differ: these are labels.
    assert read_frame(rows_of("id;h1;gpt\n1;1 - a;1 - b\n2;1 - b;1 - a"), Asked()).kind == "label"
    with pytest.raises(
        CorpusError, match="a rating of 'gpt' must be in percent, as others are, or a share from 0 to 1; "
    ):
        read_frame(rows_of("id;h1;gpt\n1;50 %;60\n2;12%;0"), Asked())


def test_parts_of_one_table_in_several_files_are_its_rows(tmp_path):
    paths = [tmp_path / f"{name}.csv" for name in ("first", "second")]
    for at, path in enumerate(paths):
        path.write_text(f"id,human,gpt\n{2 * at},1,2\n{2 * at + 1},3,4\n", encoding="utf-8")
    assert answers_by_rater(read_tables(paths, Asked())) == {"human": [1, 3, 1, 3], "gpt": [2, 4, 2, 4]}


def test_a_file_that_is_not_there_is_no_corpus():
    with pytest.raises(UsageError, match=r"^there is no file 'ratings.xlsx': a table of ratings, or a corpus, must be"):
        metaeval.judge("ratings.xlsx")
