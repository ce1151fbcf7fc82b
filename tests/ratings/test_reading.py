"""Tables of ratings as users have them are read as they mean them, or refused with what to type."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import metaeval
from metaeval.errors import CorpusError, MetaevalError, UsageError
from metaeval.ratings.reading import Asked, ratings_of_corpus, read_frame, read_tables
from tests.ratings import shapes
from tests.support import tasks
from tests.support.gold import of_others

NAN = float("nan")


@pytest.fixture
def read(tmp_path):
    def reader(text, name="table.csv", **asked):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return read_tables([path], Asked(**asked))

    return reader


def values(found):
    """Return what each rater said, by item, in the order of the table; ``nan`` where nothing."""
    people, judges = found.matrix()
    names = [*found.people, *found.judges]
    return {name: column.tolist() for name, column in zip(names, np.hstack([people, judges]).T, strict=True)}


def same(found, expected):
    assert values(found).keys() == expected.keys()
    for name, column in expected.items():
        np.testing.assert_array_equal(values(found)[name], column, err_msg=name)


def test_a_row_an_item_without_a_system(read):
    found = read(shapes.WIDE)
    same(found, {"human": [1, 0], "judge": [1, 1]})
    assert (found.kind, found.categories, found.items) == ("label", ("0", "1"), ("1", "2"))
    assert found.description().endswith("labels 0, 1, 2 items; people: human; judges: judge.")
    assert found.notes == ("columns that are not used: 'question', 'answer'",)


def test_words_are_labels_and_reasons_are_not(read):
    found = read(shapes.WIDE_PEOPLE)
    same(found, {"annotator_1": [1, 0], "annotator_2": [1, NAN], "gpt-4o": [0, 0]})
    assert found.categories == ("bad", "good")
    assert found.notes == ("1 blank cell is a missing rating", "columns that are not used: 'gpt-4o_reason'")


def test_words_with_an_order_are_grades(read):
    text = "item,anna,ben,llm\n1,fair,good,Good\n2,bad,fair,bad\n"
    found = read(text, people=("anna", "ben"), order=("bad", "fair", "good"))
    assert (found.kind, found.categories) == ("grade", ("bad", "fair", "good"))
    same(found, {"anna": [1, 0], "ben": [2, 1], "llm": [2, 0]})
    with pytest.raises(CorpusError, match=r"table.csv:2: the rating 'fair' is not among 'bad', 'good'"):
        read(text, people=("anna", "ben"), order=("bad", "good"))


def test_a_column_of_a_judge_may_repeat_its_answer_on_every_row(read):
    found = read(shapes.MIXED)
    same(found, {"anna": [1, 0], "ben": [0, NAN], "gpt4o": [1, 0], "llama": [0, 0]})
    with pytest.raises(CorpusError, match=r"table.csv:3: .* with another answer of 'gpt4o': 'yes' there, 'no' here"):
        read(shapes.MIXED.replace("ben,no,yes", "ben,no,no"))


def test_pairs_of_mt_bench_in_either_order(read):
    found = read(shapes.MT_BENCH, "human.jsonl")
    # The first system of question 81 is alpaca: both people prefer gpt-4, the second.
    same(found, {"expert_17": [-1, 0], "author_2": [-1, NAN], "gpt4_pair": [0, 1]})
    assert found.facts["system_a"] == ("alpaca", "alpaca")
    assert found.items == ("81 / 1 / alpaca / gpt-4", "82 / 1 / alpaca / gpt-4")


def test_pairs_of_fastchat_in_both_orders(read):
    found = read(shapes.FASTCHAT_PAIRS, "pairs.jsonl")
    assert found.shown.tolist() == [1, -1, 1, -1, -1]
    assert found.value.tolist() == [1, -1, 1, 1, 0]
    same(found, {"gpt-4": [0, 1, 0]})
    assert "1 answer (error) taken for no verdict" in found.notes


def test_votes_of_an_arena(read):
    found = read(shapes.ARENA, "arena.jsonl")
    assert found.value.tolist() == [1, 0, -1]
    assert len(found.people) == 3


def test_chosen_and_rejected(read):
    found = read(shapes.REWARD_BENCH, "scores.jsonl")
    same(found, {"chosen": [1, 1, 1], "judge": [1, -1, 0]})
    correct = read("id,chosen,rejected,results\n1,x,y,1\n2,x,y,0\n3,x,y,0.5\n", judges=("results",))
    same(correct, {"chosen": [1, 1, 1], "results": [1, -1, 0]})


def test_pandalm_has_0_for_neither(read):
    found = read(shapes.PANDALM, "testset.json")
    same(found, {"annotator1": [1, -1], "annotator2": [1, 0], "annotator3": [0, -1], "pandalm_result": [1, -1]})
    # -1 beside 0, 1 and 2 is no verdict; beside 0 and 1 alone it is the second.
    assert (
        "1 answer (-1) taken for no verdict"
        in read(shapes.PANDALM.replace('result": 2', 'result": -1'), "t.json").notes
    )
    minus = read("id,model_a,model_b,h1,gpt\n1,x,y,1,-1\n2,x,y,0,1\n")
    same(minus, {"h1": [1, 0], "gpt": [-1, 1]})


def test_items_without_ids_are_told_apart_by_their_texts(read):
    found = read(shapes.ALPACA_CROSS, "cross.json")
    assert found.raters == ("15", "3", "8")
    assert found.items == ("Say hi / hi / ho",)
    assert found.value.tolist() == [1, -1, 1]


def test_people_that_cannot_be_recognised_are_named(read):
    found = read(shapes.RAGAS, people=("target",))
    same(found, {"target": [1, 0], "judge_label": [1, 1]})
    expected = {"feedback.human_correctness": [1, 0], "feedback.llm_correctness": [1, 1]}
    same(read(shapes.LANGSMITH), expected)
    same(read(shapes.LANGSMITH, people=("*human*",), judges=("*llm*",)), expected)


def test_assessments_of_mlflow_and_samples_with_nested_values(read):
    found = read(shapes.MLFLOW)
    same(found, {"anna": [1, 0], "gpt-4o": [1, 1]})
    assert found.criterion == "correct"
    same(read(shapes.LM_EVAL, "samples.jsonl", judges=("acc",)), {"human": [1, 0], "acc": [1, 1]})


def test_answers_in_both_orders_that_may_be_outputs_or_places(read):
    pairs = (
        shapes.LLMBAR.replace("item,", "item,model_a,model_b,").replace("\n1,", "\n1,x,y,").replace("\n2,", "\n2,x,y,")
    )
    with pytest.raises(UsageError, match=r"table.csv:2: 'gpt4' was shown the outputs in exchanged order"):
        read(pairs, truth="label")
    assert read(pairs, truth="label", swapped="outputs").value.tolist() == [1, 1, 1, -1, -1, 1]
    assert read(pairs, truth="label", swapped="places").value.tolist() == [1, 1, -1, -1, -1, -1]
    # Names of the systems are outputs, and first and second are places.
    named = "id,system_a,system_b,h1,gpt_ab,gpt_ba\n1,x,y,x,x,x\n2,x,y,y,y,x\n"
    assert read(named).value.tolist() == [1, 1, 1, -1, -1, 1]
    placed = "id,system_a,system_b,h1,gpt_ab,gpt_ba\n1,x,y,a,first,second\n2,x,y,b,second,second\n"
    assert read(placed).value.tolist() == [1, 1, 1, -1, -1, 1]


def test_the_same_pair_in_both_orders_in_rows(read):
    text = "id,model_a,model_b,judge,winner\n1,x,y,gpt-4,model_a\n1,y,x,gpt-4,model_a\n1,x,y,anna,model_b\n"
    found = read(text)
    assert (found.value.tolist(), found.shown.tolist()) == ([1, -1, -1], [1, -1, 0])


def test_rows_of_a_pair_with_its_systems_exchanged_are_both_orders(read):
    # In both rows the person prefers x; the judge takes what stands first, x and then y.
    found = read("id,model_a,model_b,h1,gpt\n1,x,y,a,a\n1,y,x,b,a\n2,x,y,b,b\n")
    assert found.items == ("1 / x / y", "2 / x / y")
    same(found, {"h1": [1, -1], "gpt": [0, -1]})
    judge = found.rater == found.raters.index("gpt")
    assert (found.value[judge].tolist(), found.shown[judge].tolist()) == ([1, -1, -1], [1, -1, 0])
    with pytest.raises(CorpusError, match=r"table.csv:3: the item '1 / x / y' stands in line 2 already"):
        read("id,model_a,model_b,h1,gpt\n1,x,y,a,a\n1,x,y,b,a\n")


def test_a_question_with_several_outputs_is_what_is_drawn_again(read):
    text = "question_id,model,human,judge\n1,x,3,4\n1,y,2,2\n2,x,5,5\n2,y,1,3\n"
    found = read(text)
    assert (found.facts["segment"], found.cluster.tolist()) == (("1", "1", "2", "2"), [0, 0, 1, 1])
    text = text.replace("question_id,", "question_id,text,").replace("\n1,", "\n1,d,").replace("\n2,", "\n2,e,")
    with_documents = read(text, document="text")
    assert with_documents.cluster_noun == "document"


def test_one_criterion_of_several_is_chosen(read):
    text = "item,rater,criterion,score\n1,anna,fluency,3\n1,gpt-4,fluency,2\n1,anna,style,5\n1,gpt-4,style,1\n"
    with pytest.raises(UsageError, match="has ratings on 'fluency', 'style'; choose one of them"):
        read(text)
    found = read(text, criterion="Style")
    assert (found.criterion, found.value.tolist()) == ("style", [5, 1])
    with pytest.raises(UsageError, match="unknown criterion 'tone'"):
        read(text, criterion="tone")


def test_checks_and_tutorials_of_tools_are_no_items(read):
    text = "item,rater,score\nattention_check_1,anna,3\n1,anna,3\n1_#_tutorial_#_,ben,2\n1,gpt-4,4\n"
    found = read(text)
    assert found.items == ("1",)
    assert found.notes[:2] == ("1 row of attention checks left out", "1 row of tutorials left out")


def test_raters_that_were_not_named_are_left_out_and_said(read):
    text = "item,rater,score\n1,anna,3\n1,ben,3\n1,gpt-4,2\n2,ben,1\n"
    found = read(text, people=("anna",))
    assert (found.raters, found.items) == (("anna", "gpt-4"), ("1",))
    assert found.notes[-1] == "raters that were not named are left out: 'ben'"


def test_columns_of_raters_that_were_not_named_are_said(read):
    text = "id,annotator1,annotator2,gpt4,claude\n1,1,2,3,4\n2,2,2,1,4\n"
    found = read(text, people=("annotator1",), judges=("gpt4",))
    assert found.raters == ("annotator1", "gpt4")
    assert found.notes == ("columns that are not used: 'annotator2', 'claude'",)
    assert read(text, truth="annotator2").notes == ("columns that are not used: 'annotator1'",)


def test_decimal_commas_are_numbers(read):
    found = read("id;human;judge\n1;3,5;4\n2;2;1,25\n")
    same(found, {"human": [3.5, 2], "judge": [4, 1.25]})
    assert (found.kind, found.notes) == ("number", ("commas in numbers are read as decimal points",))


@pytest.mark.parametrize(
    ("people", "judge", "note"),
    [
        (("3,5", "2,5", "-"), ("4", "1,25", "3"), "commas in numbers are read as decimal points"),
        (("80 %", "?", "70 %"), ("75 %", "80 %", "60 %"), "ratings are in percent"),
        (("4/5", "2/5", "--"), ("4/5", "3/5", "1/5"), "'4/5' is read as 4"),
    ],
)
def test_a_sign_for_a_missing_rating_leaves_numbers_numbers(read, people, judge, note):
    rows = "".join(f"{at};{person};{rating}\n" for at, (person, rating) in enumerate(zip(people, judge, strict=True)))
    found = read(f"id;human;judge\n{rows}")
    assert found.kind in ("number", "grade")
    assert len(found) == 5
    sign = next(answer for answer in people if answer in ("-", "?", "--"))
    assert found.notes == (note, f"1 cell {sign!r} taken for a missing rating")


def test_signs_alone_are_labels(read):
    found = read("id,human,judge\n1,-,?\n2,?,?\n3,-,-\n")
    assert (found.kind, len(found), found.notes) == ("label", 6, ())
    assert set(found.categories) == {"-", "?"}


def test_numbers_of_a_frame(read):
    frame = pd.DataFrame({"id": [1, 2, 3], "human": [0.5, NAN, 0.25], "my_metric": [0.4, 0.1, 0.2]})
    found = read_frame(frame, Asked(judges=("my_metric",)), "frame")
    same(found, {"human": [0.5, NAN, 0.25], "my_metric": [0.4, 0.1, 0.2]})
    assert found.kind == "number"


def test_preferences_of_the_gold():
    found = read_tables([of_others("gold/tasks/inputs/preferences.tsv")], Asked())
    assert (found.people, found.judges, len(found.items)) == (("h1", "h2", "h3"), ("judge",), 260)
    rows = tasks.table("preferences", "gold/tasks/inputs")
    systems = [(row["system_a"], row["system_b"]) for row in rows]
    assert list(zip(found.facts["system_a"], found.facts["system_b"], strict=True)) == systems
    # The judge answers by place: in the second order, first is b.
    by_place = {"first": 1.0, "second": -1.0, "tie": 0.0}
    expected = [[by_place[row["judge_ab"]], -by_place[row["judge_ba"]]] for row in rows]
    rows_of_judge = found.rater == found.raters.index("judge")
    assert found.value[rows_of_judge].reshape(-1, 2).tolist() == expected


def test_the_judgments_of_a_corpus():
    corpus = metaeval.load_corpus("demo")
    found = ratings_of_corpus(corpus, Asked(judges=("judge07",), criterion="Adequacy"))
    of_it = corpus.judgments.where(corpus.judgments.criterion == [c.name for c in corpus.criteria].index("adequacy"))
    assert len(found) == len(of_it)
    assert found.judges == ("judge07",)
    assert (len(found.people), found.cluster_noun) == (10, "document" if corpus.documents else "segment")
    assert found.value.sum() == of_it.score.sum()
    with pytest.raises(UsageError, match="corpus demo: has judgments on 'adequacy', "):
        ratings_of_corpus(corpus, Asked())


def test_people_and_judges_in_files_of_their_own(tmp_path):
    def files(**texts):
        paths = [tmp_path / f"{name}.csv" for name in texts]
        for path, text in zip(paths, texts.values(), strict=True):
            path.write_text(text, encoding="utf-8")
        return paths

    wide = files(people="id,anna,ben\n1,3,4\n2,2,\n", judge="id,gpt4,doc\n2,1,d\n1,5,d\n3,2,e\n")
    found = read_tables(wide, Asked(people=("anna", "ben")))
    same(found, {"anna": [3, 2, NAN], "ben": [4, NAN, NAN], "gpt4": [5, 1, 2]})
    assert found.facts["document"] == ("d", "d", "e")
    assert "3 blank cells are missing ratings" in found.notes
    head = "question_id,model_a,model_b,judge,winner\n"
    long = files(human=f"{head}1,x,y,anna,model_a\n", gpt=f"{head}1,y,x,gpt-4,model_a\n")
    same(read_tables(long, Asked()), {"anna": [1], "gpt-4": [-1]})
    twice = files(first="id,human,gpt4\n1,3,4\n", second="id,human\n1,2\n")
    with pytest.raises(
        UsageError, match=r"first.csv and .*second.csv both have ratings of 'human', and they differ: of"
    ):
        read_tables(twice, Asked())
    with pytest.raises(UsageError, match="must share values that say which rows are on the same item"):
        read_tables(files(one="human\n3\n", two="gpt4\n4\n"), Asked())


REFUSED = {
    "no raters": ("a,b\n1,2\n", {}, r"table.csv: must have ratings: a column for each rater"),
    "no items": (
        "rater,score\nanna,1\ngpt-4,2\n", {},
        r"table.csv: must say which item each rating is of, .* name the one with the ids: columns=\[\"item=COLUMN\"\]",
    ),
    "systems alone": (
        "system,rater,score\nx,anna,1\nx,gpt-4,2\n", {}, "table.csv: must say which item each rating is of",
    ),
    "pairs of systems alone": (
        "model_a,model_b,judge,winner\nx,y,anna,model_a\nx,y,gpt-4,tie\n", {}, "must say which item each rating is of",
    ),
    "a word among numbers": (
        "id,human,judge\n1,3,4\n2,good,2\n3,1,1\n", {},
        "table.csv:3: a rating of 'human' must be a number, as most others are; got 'good'. Leave the cell empty",
    ),
    "0 and 1 in pairs": (
        "id,model_a,model_b,h1,gpt\n1,x,y,0,1\n2,x,y,1,1\n", {}, "0 and 1 may stand for the second and the first",
    ),
    "an unknown preference": (
        "id,model_a,model_b,h1,gpt\n1,x,y,a,z\n", {},
        "table.csv:2: a preference of 'gpt' must be the name of one of the two systems, a, b or tie, .*; got 'z'",
    ),
    "the same item twice": (
        "id,human,judge\n1,3,4\n1,2,2\n", {}, r"table.csv:3: the item '1' stands in line 2 already\. Where each",
    ),
    "an unknown column": (shapes.WIDE, {"columns": ("item=nr",)}, "table.csv: unknown column 'nr'"),
    "an unknown role": (shapes.WIDE, {"columns": ("Nr=item",)}, "`columns` must hold ROLE=COLUMN with a role of item"),
    "an unknown judge": (shapes.WIDE, {"judges": ("judgge",)}, "unknown judge 'judgge'; did you mean 'judge'"),
    "no criteria": (shapes.WIDE, {"criterion": "style"}, "has no column of criteria, so that 'style' is none"),
    "lists of scores": (
        shapes.PROMETHEUS, {}, "What 'human_score', 'gpt4_score' hold are lists or objects: write a column for each",
    ),
    "two documents of an item": (
        "item,doc,rater,score\n1,d,anna,1\n1,e,gpt-4,2\n", {}, "table.csv:3: the item '1' must have one document; got",
    ),
    "an id in two documents, with a column of each rater": (
        "id,doc,anna,gpt4\n1,d,3,4\n1,e,1,2\n", {}, "table.csv:3: the item '1' must have one document; got 'e'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_known_is_refused_with_what_to_type(case, read):
    text, asked, message = REFUSED[case]
    with pytest.raises(MetaevalError, match=message):
        read(text, "table.jsonl" if text.startswith("{") else "table.csv", **asked)


def with_systems(text):
    """Return a table with columns of two systems, x and y, after that of items."""
    head, *rows = text.splitlines()
    rows = [row.replace(",", ",x,y,", 1) for row in rows]
    return "\n".join([head.replace(",", ",model_a,model_b,", 1), *rows]) + "\n"


@pytest.mark.parametrize(
    "columns", ["gpt4,gpt4_swapped", "gpt4_ab,gpt4_ba", "gpt4,gpt4_reversed", "winner,winner_swapped",
                "g1_winner,g2_winner"]
)  # fmt: skip
def test_answers_in_both_orders_are_those_of_pairs_without_columns_of_systems(read, columns):
    # The columns of systems name nothing that the answers do, and so may not change what is read.
    text = shapes.LLMBAR.replace("gpt4,gpt4_swapped", columns).replace("label", "human")
    with pytest.raises(UsageError, match=r"was shown the outputs in exchanged order.*swapped="):
        read(text, truth="human")
    expected = {"outputs": [1, 1, 1, -1, -1, 1], "places": [1, 1, -1, -1, -1, -1]}
    for swapped, values in expected.items():
        for table in (text, with_systems(text)):
            found = read(table, truth="human", swapped=swapped)
            assert (found.kind, found.value.tolist()) == ("preference", values)
            assert found.shown.tolist() == [0, 1, -1, 0, 1, -1]
            assert (len(found.people), len(found.judges)) == (1, 1)
    # The word first is a place: in the swapped order it names the second output.
    words = text.replace(",1", ",first").replace(",2", ",second")
    for swapped, values in {None: expected["places"], **expected}.items():
        for table in (words, with_systems(words)):
            assert read(table, truth="human", swapped=swapped).value.tolist() == values


@pytest.mark.parametrize(
    "text", ["item,human,gpt\n1,1,2\n2,2,2\n", "item,model_a,model_b,human,gpt\n1,x,y,a,b\n2,x,y,b,b\n",
             "item,human,gpt,gpt_swapped\n1,1,5,4\n2,2,2,1\n"]
)  # fmt: skip
def test_a_swapped_order_must_be_there_where_one_says_what_its_answers_name(read, text):
    with pytest.raises(UsageError, match=r"`swapped` says what preferences in swapped order name, and the table has"):
        read(text, swapped="outputs")


def test_lengths_beside_answers_in_both_orders_are_those_of_the_two_outputs(read):
    found = read("item,human,gpt,gpt_swapped,length_a,length_b\n1,a,a,a,10,20\n2,b,b,a,5,7\n", swapped="outputs")
    assert found.facts["length_a"] == ("10", "5")
    assert found.facts["length_b"] == ("20", "7")


def test_grades_and_labels_in_both_orders_stay_what_they_are(read):
    # The order of what was asked, such as of the options, may be swapped where a single output is graded.
    assert read("item,human,gpt,gpt_swapped\n1,1,5,4\n2,2,2,1\n").kind == "grade"
    assert read("item,human,gpt,gpt_swapped\n1,good,good,bad\n2,bad,bad,bad\n").kind == "label"


def test_grades_that_may_be_numbers_of_preferences_are_said_with_how_to_make_them_labels(read):
    said = "if 0, 1 and 2 are labels without an order, write words for them, such as a, b and tie"
    text = "item,h1,h2,gpt\n1,0,1,2\n2,2,1,0\n"
    assert read(text).kind == "grade"
    assert said in read(text).notes
    assert "if 1 and 2 are labels" in read("item,h1,h2,gpt\n1,1,1,2\n2,2,1,1\n").notes[0]
    assert not read("item,h1,h2,gpt\n1,0,1,2\n2,2,1,3\n").notes
    words = text.replace(",0", ",tie").replace(",1", ",a").replace(",2", ",b")
    assert (read(words).kind, read(words).categories) == ("label", ("a", "b", "tie"))
