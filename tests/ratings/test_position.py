"""Judges that were asked in both orders have the published accuracies and agreements of their orders."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest

import metaeval
from metaeval.errors import CorpusError, UsageError
from metaeval.ratings.position import first_share, position_of
from metaeval.ratings.reading import Asked, read_frame, read_tables
from metaeval.ratings.table import Ratings
from tests.support import tasks
from tests.support.gold import of_others


def test_the_figures_of_the_gold():
    ratings = read_tables([of_others("gold/tasks/inputs/preferences.tsv")], Asked())
    found = position_of(ratings, ratings.raters.index("judge"))
    expected = {row["figure"]: float(row["value"]) for row in tasks.table("preference_groups")}
    assert found.items == 260
    for name, value in (
        ("consistent_after_swap", found.consistent.value),
        ("first_both_times", found.first_twice.value),
        ("second_both_times", found.second_twice.value),
        ("tie_once", found.tie_once.value),
        ("first_rate_of_decided", found.first_of_decided),
    ):
        assert value == pytest.approx(expected[f"judge.{name}"], abs=1e-8), name


def test_the_published_figures_of_llmbar():
    # princeton-nlp/LLMBar at 900616b: accuracy in each order and its average, in percent, and how many orders agree.
    labels = {(row["subset"], row["item"]): row["label"] for row in tasks.table("labels", "ratings/llmbar")}
    verdicts = defaultdict(list)
    for row in tasks.table("verdicts", "ratings/llmbar"):
        verdicts[row["subset"], row["evaluator"], row["strategy"]].append(row)
    n_accuracies = n_agreements = 0
    for printed in tasks.table("published_statistics", "ratings/llmbar"):
        key = (printed["subset"], printed["evaluator"], printed["strategy"])
        rows = [
            {"item": row["item"], "label": labels[key[0], row["item"]],
             "gpt": row["winner"], "gpt_swapped": row["winner_swapped"]}
            for row in verdicts[key]
        ]  # fmt: skip
        ratings = read_frame(rows, Asked(truth="label", judges=("gpt",), swapped="outputs"))
        people, _ = ratings.matrix()
        found = position_of(ratings, ratings.raters.index("gpt"), people[:, 0])
        # No verdict counts as wrong there, and as a tie where both orders are compared.
        n = len(rows)
        gave = [sum(row[name] not in ("", "None") for row in rows) for name in ("gpt", "gpt_swapped")]
        right = [of * one for of, one in zip(gave, (found.accuracy_first, found.accuracy_swapped), strict=True)]
        for column, value in (("correct_False", right[0] / n), ("correct_True", right[1] / n)):
            if printed[column]:
                n_accuracies += 1
                assert value * 100 == pytest.approx(float(printed[column].split("= ")[1].rstrip("%")), abs=0.06), key
        if printed["correct_average"]:
            n_accuracies += 1
            average = float(printed["correct_average"].rstrip("%"))
            assert sum(right) / n * 50 == pytest.approx(average, abs=0.06), key
        if printed["equal"]:
            n_agreements += 1
            # There, no verdict in both orders is the same verdict.
            neither = sum({row["gpt"], row["gpt_swapped"]} <= {"", "None"} for row in rows)
            assert round(found.consistent.value * found.items) + neither == int(printed["equal"].split()[0]), key
    assert (n_accuracies, n_agreements) == (609, 203)


def test_a_judge_that_always_takes_the_first_by_hand():
    n = 20
    ratings = Ratings(
        tuple(f"i{at}" for at in range(n)), ("judge",), ("automatic",), np.repeat(np.arange(n), 2),
        np.zeros(2 * n, dtype=int), np.tile([1.0, -1.0], n), "preference", shown=np.tile([1, -1], n),
    )  # fmt: skip
    found = position_of(ratings, 0)
    assert (found.consistent.value, found.first_twice.value, found.preference_for_first.value) == (0, 1, 1)
    # 20 of 20 by Wilson with t(19): 20 / (20 + 2.0930241^2).
    assert found.first_twice.lower == pytest.approx(0.8203193, abs=1e-6)
    in_one_order = replace(
        ratings, **{name: getattr(ratings, name)[::2] for name in ("item", "rater", "value", "shown")}
    )
    assert position_of(in_one_order, 0) is None


def in_one_order(judge, human="b", **more):
    """Return pairs x and y of which the first stands first, with the answers of a person and of a judge."""
    columns = {"human": human if isinstance(human, list) else [human] * len(judge), "gpt": judge, **more}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return [{"id": at, "system_a": "x", "system_b": "y", **row} for at, row in enumerate(rows)]


def test_the_share_of_the_first_in_one_order_by_hand():
    judge = ["first"] * 14 + ["second"] * 4 + ["tie"] * 2 + [""] * 3
    ratings = read_frame(in_one_order(judge, ["a"] * 10 + ["b"] * 13), Asked())
    found = first_share(ratings, ratings.raters.index("gpt"))
    assert (found.decided, found.ties, found.lost) == (18, 2, 3)
    assert found.first.value == pytest.approx(14 / 18)
    # Wilson with t(17) = 2.109816 for p (1 - p) / error^2 = 17 verdicts, for the error has n - 1.
    t2 = 2.109816**2
    middle = (17 * 14 / 18 + t2 / 2) / (17 + t2)
    half = 2.109816 * np.sqrt(17 * 14 / 18 * 4 / 18 + t2 / 4) / (17 + t2)
    assert (found.first.lower, found.first.upper) == pytest.approx((middle - half, middle + half), abs=1e-6)
    # Of the 18 decided pairs the person prefers a, which stood first, in ten.
    assert found.people == pytest.approx(10 / 18)


def test_who_stood_first_may_be_in_a_column():
    judge = ["x", "y"] * 15
    first = ["x", "y"] * 10 + ["y", "x"] * 5
    found = metaeval.judge(in_one_order(judge, "y", shown_first=first))
    (share,) = found.findings.first_shares
    # In the first 20 pairs the judge takes what stood first, in the last ten what stood second.
    assert share.first.value == pytest.approx(20 / 30)
    (line,) = [one for one in found.text().splitlines() if one.startswith("Shown in one order: ")]
    assert line.startswith("Shown in one order: gpt prefers what stands first in 66.7 % [")
    assert "that may be the outputs and not their place" in " ".join(found.text().split())
    frame = found.to_frame("first")
    assert (frame["first"][0], frame["decided"][0]) == (share.first.value, 30)
    with pytest.raises(
        CorpusError, match="table:1: what was shown first must be the name of one of the two systems, or a or b"
    ):
        metaeval.judge(in_one_order(judge, "y", shown_first=["z"] * 30))
    # Where a place is answered, it is turned to the output that stood there.
    places = metaeval.judge(in_one_order(["first"] * 30, ["x", "y"] * 15, shown_first=["x", "y"] * 15))
    assert places.to_frame()["agreement"][0] == 1


def test_an_order_that_is_not_said_is_not_guessed():
    found = metaeval.judge(in_one_order(["a", "b", "a"] * 10))
    assert not found.findings.first_shares
    assert "In which order outputs were shown is not said" not in found.text()
    assert "In which order outputs were shown is not said" in found.text(verbose=True)


def test_verdicts_that_are_lost_in_one_order_are_counted():
    rows = in_one_order(["first"] * 30, gpt_swapped=[""] + ["first"] * 29)
    found = metaeval.judge(rows)
    assert "Without a verdict in one of the orders, and left out here: 1 pair." in found.text()
    assert not found.findings.first_shares


def test_a_judge_of_one_order_that_always_finds_a_tie():
    rows = [
        {"id": at, "system_a": "x", "system_b": "y", "shown_first": "xy"[at % 2], "ann": "xy"[at % 3 > 0], "gpt": "tie"}
        for at in range(60)
    ]
    text = metaeval.judge(rows, people="ann", judges="gpt").text()
    assert "Shown in one order: gpt has no verdict for one output of a pair; 60 ties." in text


def test_a_judge_that_was_asked_in_one_order_of_each_pair_is_compared_with_the_truth():
    # 40 pairs, the first half in one order, the others in the other one; wrong on every fourth.
    rows = [
        {
            "item": item,
            "label": "ab"[item % 2],
            "gpt": "ab"[(item + (item % 4 == 0)) % 2] if item < 20 else "",
            "gpt_swapped": "ab"[(item + (item % 4 == 0)) % 2] if item >= 20 else "",
        }
        for item in range(40)
    ]
    (judged,) = metaeval.judge(rows, truth="label", judges=["gpt"], swapped="outputs").findings.judges
    assert (judged.items, judged.agreement.value) == (40, 0.75)


def test_a_judge_with_both_orders_of_other_pairs_alone_is_refused_with_those_pairs():
    rows = [
        {"item": item, "label": "" if item == 9 else "ab"[item % 2], "gpt": "a", "gpt_swapped": ""} for item in range(9)
    ]
    rows += [{"item": 9, "label": "", "gpt": "a", "gpt_swapped": "b"}]
    message = "none of them in both orders; people rated '0', '1', '2' and 6 more, and the judge '9' in both orders"
    with pytest.raises(UsageError, match=message):
        metaeval.judge(rows, truth="label", judges=["gpt"], swapped="outputs")
