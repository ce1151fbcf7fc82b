"""Tables that say too little, or the wrong thing: the message names the cause, and what to type."""

from __future__ import annotations

import pytest

import metaeval
from metaeval.errors import CorpusError, MetaevalError


def table(n=60, **columns):
    """Return a table of items, with a column for each rater: a function of the place of the item."""
    return [{"id": at, **{name: answer(at) for name, answer in columns.items()}} for at in range(n)]


def good(at):
    return "good" if at % 2 else "bad"


def mostly(period):
    """Return answers that are wrong on one item of some."""
    return lambda at: good(at + (at % period == 0))


LONG = [{"item": at, "rater": "anna", "label": good(at)} for at in range(5)]

REFUSED = {
    "no item in common": (
        [*LONG, *({"item": f"q{at}", "rater": "gpt-4", "label": good(at)} for at in range(5))], {},
        r"rated none of them; people rated '0', '1', '2' and 2 more, and the judge 'q0', 'q1', 'q2' and 2 more\. "
        r"Call an item the same in the rows of both, or name the column in which it is: columns=\[\"item=COLUMN\"\]",
    ),
    "a judge that is empty": (
        table(human1=good, gpt4=lambda at: ""), {}, "'gpt4' is called like a rater and not used, for it is empty",
    ),
    "a judge that is empty and was named": (
        table(human1=good, gpt4=lambda at: ""), {"judges": ["gpt4"]}, "column 'gpt4' must have ratings; it is empty",
    ),
    "people who wrote texts": (
        table(human=lambda at: f"I find answer {at} quite good", gpt4=good), {},
        "'human' is called like a rater and not used, for it holds texts, and no ratings. If they have a file",
    ),
    "the same item twice": (
        [{**row, "id": int(row["id"]) // 2} for row in table(human1=good, gpt4=good)], {},
        "the item '0' stands in line 1 already. Where each rater has a column, an item has one row. If 'id' does not",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_wrong_is_said_with_what_to_type(case):
    rows, asked, message = REFUSED[case]
    with pytest.raises(MetaevalError, match=message):
        metaeval.judge(rows, **asked)


def test_a_text_is_no_table(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("We met on Monday.\nNothing was rated.\n", encoding="utf-8")
    with pytest.raises(MetaevalError, match=r"notes.txt: must be a table of ratings: a file of CSV, .*none of them\.$"):
        metaeval.judge(path)


def test_one_person_is_no_person_to_compare_with():
    found = metaeval.judge(table(human=good, gpt4=mostly(6)))
    # The judge is wrong on 10 of 60 items.
    assert found.answer.startswith("gpt4 agrees with a person in 83.3 % [")
    assert "each item with a verdict was rated by one person, and it takes two" in found.answer


def test_a_label_that_people_never_use_is_counted():
    rows = table(human1=good, human2=mostly(7), gpt4=lambda at: "unsure" if at % 9 == 0 else good(at))
    expected = (
        "gpt4 says 'unsure', which people never say, on 7 items; each counts as a disagreement. If it is no answer"
    )
    with pytest.warns(metaeval.MetaevalWarning, match=expected):
        metaeval.judge(rows)


def test_rows_that_are_copies_are_left_out_and_counted():
    rows = table(human1=good, human2=mostly(7), gpt4=mostly(5))
    found = metaeval.judge([*rows, rows[3]])
    assert len(found.ratings.items) == 60
    assert "1 row is a copy of one above and left out" in found.ratings.notes


def test_a_label_that_stands_once_may_be_misspelt():
    rows = table(human1=lambda at: "goood" if at == 7 else good(at), human2=mostly(7), gpt4=mostly(5))
    found = metaeval.judge(rows)
    assert "the label 'goood' stands once, in line 8, and may be meant as 'good'" in found.ratings.notes


def test_twelve_items_are_too_few_for_a_verdict():
    found = metaeval.judge(table(12, human1=good, human2=mostly(6), gpt4=mostly(4)))
    assert "and a test needs 10" in found.answer


def test_reading_preferences_as_a_corpus_names_the_functions_that_read_them(tmp_path):
    path = tmp_path / "arena.csv"
    path.write_text("question,judge,model_a,model_b,winner\n1,ann,x,y,model_a\n2,ann,x,y,tie\n", encoding="utf-8")
    with pytest.raises(CorpusError, match=r"; `metaeval\.judge\(\)` and `metaeval\.agreement\(\)` read preferences\."):
        metaeval.load_corpus(path)
