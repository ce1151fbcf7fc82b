"""Judges that were asked in both orders have the published accuracies and agreements of their orders."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from metaeval.ratings.position import position_of
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
            {"item": row["item"], "model_a": "a", "model_b": "b", "label": labels[key[0], row["item"]],
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
    assert position_of(ratings.where(ratings.shown == 1), 0) is None
