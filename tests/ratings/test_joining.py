"""Tables of people and judges in files of their own are joined where their values leave no doubt."""

from __future__ import annotations

import pandas as pd
import pytest

import metaeval
from metaeval.errors import CorpusError, MetaevalError, UsageError
from metaeval.ratings.reading import Asked, read_tables
from tests.ratings.support import answers_by_rater

PEOPLE = Asked(people=("anna", "ben"))
QUESTIONS = [f"What is {at}?" for at in range(12)]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(**texts):
        for name, text in texts.items():
            (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
        return [(tmp_path / f"{name}.csv").relative_to(tmp_path) for name in texts]

    return write


def table(head, rows):
    return "\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n"


# Grades of the items 0, 1, ..., 11; in the file of the judge they stand in the opposite order.
ANNA = [at % 5 + 1 for at in range(12)]
GPT = [at % 3 + 1 for at in range(12)]
BACKWARDS = [*reversed(range(12))]


@pytest.mark.parametrize(
    ("people", "judge", "how"),
    [
        (
            table("id,anna", ((f"q{at}", ANNA[at]) for at in range(12))),
            table("question_id,gpt4", ((f"q{at}", GPT[at]) for at in BACKWARDS)),
            "joined with gpt.csv by its 'question_id' and 'id' of people.csv, which share 12 values",
        ),
        (
            table("id,question,anna", ((at, QUESTIONS[at], ANNA[at]) for at in range(12))),
            table("prompt,response,gpt4", ((QUESTIONS[at], "x", GPT[at]) for at in BACKWARDS)),
            "joined with gpt.csv by its 'prompt' and 'question' of people.csv, which share 12 values",
        ),
        (
            table("Nr,anna", ((f"q{at}", ANNA[at]) for at in range(12))),
            table("id,gpt4", ((f"q{at}", GPT[at]) for at in BACKWARDS)),
            "joined with gpt.csv by its 'id' and 'Nr' of people.csv, which share 12 values",
        ),
        (  # pandas writes whole numbers of a column with gaps so
            table("id,anna", ((at, ANNA[at]) for at in range(12))),
            table("id,gpt4", ((f"{at}.0", GPT[at]) for at in BACKWARDS)),
            "joined with gpt.csv by 'id', of which 12 values are in both",
        ),
        (
            table("id,anna", ((at, ANNA[at]) for at in range(12))),
            table("question_id,evaluator,rating", ((at, "gpt4", GPT[at]) for at in BACKWARDS)),
            "joined with gpt.csv by its 'question_id' and 'id' of people.csv, which share 12 values",
        ),
        (
            table("item,rater,score", ((at, "anna", ANNA[at]) for at in range(12))),
            table("id,model,gpt4", ((at, "x", GPT[at]) for at in BACKWARDS)),
            "joined with gpt.csv by its 'id' and 'item' of people.csv, which share 12 values",
        ),
    ],
)
def test_columns_of_items_may_have_different_names(files, people, judge, how):
    found = read_tables(files(people=people, gpt=judge), Asked(people=("anna",)))
    assert answers_by_rater(found) == {"anna": ANNA, "gpt4": GPT}
    assert found.notes[0] == how


def test_items_of_one_table_alone_are_counted(files):
    people = table("id,anna,ben", ((f"q{at}", ANNA[at], 1) for at in range(12)))
    judge = table("question_id,gpt4", ((f"q{at}", 2) for at in range(2, 13)))
    found = read_tables(files(people=people, gpt=judge), PEOPLE)
    # q0 and q1 have no verdict, and q12 has no person.
    assert found.notes[:3] == (
        "joined with gpt.csv by its 'question_id' and 'id' of people.csv, which share 10 values",
        "of 12 items of people.csv, 2 are in no other table",
        "of 11 items of gpt.csv, 1 is in no other table",
    )


def test_a_user_names_the_columns_of_the_items(files):
    people = table("Nr,anna,ben", ((f"q{at}", 1, 2) for at in range(3)))
    judge = table("Frage,gpt4", ((f"q{at}", 3) for at in range(3)))
    asked = Asked(people=("anna", "ben"), columns=("item=Frage", "item=Nr"))
    assert answers_by_rater(read_tables(files(people=people, gpt=judge), asked))["gpt4"] == [3, 3, 3]
    with pytest.raises(UsageError, match="unknown column 'nr'"):
        read_tables(files(people=people, gpt=judge), Asked(people=("anna",), columns=("item=nr",)))


def test_data_frames_are_joined_as_files_are():
    people = pd.DataFrame({"id": range(12), "anna": ANNA, "ben": 1})
    judge = pd.DataFrame({"question_id": BACKWARDS, "gpt4": [GPT[at] for at in BACKWARDS]})
    found = metaeval.judge([people, judge], people=["anna", "ben"]).ratings
    assert answers_by_rater(found) == {"anna": ANNA, "ben": [1] * 12, "gpt4": GPT}
    assert found.notes[0] == "joined with table 2 by its 'question_id' and 'id' of table 1, which share 12 values"


def test_the_same_answers_in_two_tables_count_once(files):
    # As where two logs of a data set each repeat what people said of its items.
    both = [table(f"id,human,{name}", ((at, ANNA[at], GPT[at]) for at in range(12))) for name in ("gpt4", "claude")]
    found = read_tables(files(first=both[0], second=both[1]), Asked())
    assert answers_by_rater(found) == {"human": ANNA, "gpt4": GPT, "claude": GPT}
    assert len(found) == 36


PEOPLE_OF_12 = table("id,anna,ben", ((at, ANNA[at], 1) for at in range(12)))
REFUSED = {
    "one counts from 0 and the other from 1": (
        {"people": PEOPLE_OF_12, "gpt": table("question_id,gpt4", ((at + 1, 3) for at in range(12)))},
        r"people.csv has 'id' with '0', '1', .* and gpt.csv has 'question_id' with '1', '2', .* One seems to count "
        r"from 0 and the other from 1: add 1 to the smaller ones\.",
    ),
    "no ids in common": (
        {"people": PEOPLE_OF_12, "gpt": table("question_id,gpt4", ((f"q{at}", 3) for at in range(12)))},
        r'name them, in any order: columns=\["item=COLUMN1", "item=COLUMN2"\]',
    ),
    "several ways": (
        {
            "people": table("a_name,z_name,anna,ben", ((f"q{at}", f"q{11 - at}", 1, 2) for at in range(12))),
            "gpt": table("its_name,gpt4", ((f"q{at}", 3) for at in range(12))),
        },
        "can be joined in several ways, which pair different rows: 'a_name' with 'its_name'; 'z_name' with 'its_name'",
    ),
    "numbers of rows": (
        {
            "people": table("row,question,anna,ben", ((at, f"What is {at}?", 1, 2) for at in range(12))),
            "gpt": table("row_of_run,text,gpt4", ((at, f"Please say {at}.", 3) for at in range(12))),
        },
        "people.csv has no column of ids, but 'row', 'question', 'anna', 'ben' and gpt.csv has no column of ids, but",
    ),
    "several systems": (
        {"people": PEOPLE_OF_12, "gpt": table("id,model,gpt4", ((at, m, 3) for at in range(12) for m in "xy"))},
        "gpt.csv: the item '0' has several values of 'model', 'x' and 'y', and people.csv does not say which of them",
    ),
    "two judges of one name": (
        {
            "people": PEOPLE_OF_12,
            "gpt": table("id,judge", ((at, 3) for at in range(12))),
            "claude": table("id,judge", ((at, 2) for at in range(12))),
        },
        "gpt.csv and claude.csv both have ratings of 'judge', and they differ: of the item '0' '3' in gpt.csv and '2' "
        "in claude.csv. If these are two raters, give them different names, which are those of their columns, such as",
    ),
    "two people of one name": (
        {
            "first": table("item,rater,score", ((at, "worker1", 3) for at in range(12))),
            "second": table("item,rater,score", ((at, "worker1", 2) for at in range(12))),
        },
        "give them different names in the column of raters, such as 'worker1_1' and 'worker1_2'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_open_is_refused_with_what_to_type(case, files):
    texts, message = REFUSED[case]
    with pytest.raises(MetaevalError, match=message):
        read_tables(files(**texts), PEOPLE if "people" in texts else Asked())


def test_a_file_without_rows_is_named(files):
    paths = files(people=table("id,anna,ben", ((at, 1, 2) for at in range(5))), gpt="id,gpt4\n")
    with pytest.raises(CorpusError, match=r"gpt\.csv: must have a row for each rating or item; it has none"):
        read_tables(paths, PEOPLE)


def test_a_column_of_systems_that_holds_the_items_of_another_file(files):
    # Each model has one row in both files; the people call it Name.
    people = table("Name,anna,ben", ((f"model-{at}", ANNA[at], GPT[at]) for at in range(12)))
    judge = table("model,gpt4", ((f"model-{at}", GPT[at]) for at in BACKWARDS))
    found = read_tables(files(people=people, gpt=judge), PEOPLE)
    assert answers_by_rater(found) == {"anna": ANNA, "ben": GPT, "gpt4": GPT}


def test_equal_ratings_are_not_taken_for_the_same_items(files):
    # The judge says what the person says, in another order, and nothing tells which row is on which item.
    scores = [f"0.{at}7" for at in range(12)]
    paths = files(people=table("human_score", ([score] for score in scores)), gpt=table("gpt4", ([s] for s in scores)))
    with pytest.raises(UsageError, match="must share values that say which rows are on the same item"):
        read_tables(paths, Asked())
