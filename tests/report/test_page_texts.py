"""What a page holds of texts, and what its first screen says."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata

import metaeval
from metaeval.report.page import render
from metaeval.report.page.curves import parts_of
from metaeval.report.page.first_screen import first_screen
from metaeval.report.page.systems import SystemScores, scores_at, systems_of
from metaeval.report.page.texts import texts_of
from metaeval.report.phrases import interval_words
from metaeval.results.tables import record_of
from tests.report.test_page import Page
from tests.support.grids import made_grid
from tests.support.results import NAN, correlation, many_tasks, run_of

ROW = correlation(corpus="c", metric="bleu")


def disagreements(n_segments, letters, caused):
    """Return disagreements of a place whose causes are the last segments, each with one text of so many letters."""
    causes = [{"segment": one, "metric": [0.123456789, 1.0], "people": [1.0, None], "grids": None} for one in caused]
    numbers = dict.fromkeys(("by_metric", "by_people", "contradiction"), 1.0)
    lists = {"metric": [0.1, 0.2], "people": [2.0, 1.0], "metric_ranks": [2, 1], "people_ranks": [1, 2]}
    document = {"document": "all", "n_segments": n_segments, "segments": [], "systems": [0, 1], "references": []}
    key = {"panel": "", "corpus": "c", "preprocessing": "case", "subset": "r1", "criterion": "adequacy"}
    place = {**key, "average_by": "item", "length": 9, "metric": "bleu"}
    segments = {
        str(number): {"id": str(number), "references": {}, "systems": {"0": number - 1}, "judgments": {}}
        for number in range(1, n_segments + 1)
    }
    return {
        "notes": [],
        "most_documents": 1,
        "most_segments": 3,
        "grid_metric": "gtm",
        "systems": {"c": ["A", "B"]},
        "places": [{**place, "documents": [{**document, **numbers, **lists, "causes": causes}]}],
        "segments": {"c": segments},
        "grids": [],
        "strings": [f"{number:04d}" + (letters - 4) * "x" for number in range(n_segments)],
    }


def test_texts_that_have_no_room_are_left_out_and_counted_the_causes_of_disagreements_last():
    # 60 texts of 100,000 letters are twice what a page may have.
    run = run_of(ROW, disagreements=disagreements(60, 100_000, caused=(58, 59, 60)))
    text = render(run)
    page = Page(text)
    data = json.loads(page.raw["script"][0])["texts"]

    assert 2_800_000 < len(text.encode()) <= 3_000_000
    numbers = list(data["segments"]["c"])
    assert numbers[:3] == ["58", "59", "60"]
    assert numbers[3:] == [str(one) for one in range(1, len(numbers) - 2)]
    assert f"The texts of {60 - len(numbers)} of 60 segments have no room on this page." in page.words
    # Each has the text of its number.
    strings = data["strings"]
    assert all(strings[one["systems"]["0"]][:4] == f"{int(n) - 1:04d}" for n, one in data["segments"]["c"].items())


def test_signs_that_a_page_spells_out_take_the_room_that_they_take():
    # A < is six letters of a page.
    held = disagreements(8, 100_000, caused=(1,))
    held["strings"] = ["<" * 100_000 for _ in held["strings"]]
    held["strings"] = [text + str(number) for number, text in enumerate(held["strings"])]
    assert len(render(run_of(ROW, disagreements=held)).encode()) <= 3_000_000


@pytest.mark.parametrize("room", [20_000, 60_000, 200_000])
def test_texts_keep_to_their_room_with_the_rows_that_lead_to_them(room):
    rows = [correlation(corpus="c", metric="bleu", coefficient=f"c{number}") for number in range(1000)]
    found, _ = texts_of(run_of(*rows, disagreements=disagreements(40, 4000, caused=(1,))), room)
    # The names of what the parts are take less than 200 letters.
    assert len(json.dumps(found, separators=(",", ":"))) <= room + 200
    assert len(found["of"]) == 1000


def test_documents_stand_at_the_rows_of_their_place_with_the_digits_that_are_shown():
    other = correlation(corpus="c", metric="ter")
    found, told = texts_of(run_of(other, ROW, disagreements=disagreements(2, 10, caused=(2,))), 100_000)
    assert told == []
    assert found["of"] == {"1": 0}
    assert found["documents"][0][0]["causes"][0]["metric"] == [0.12346, 1.0]


def test_without_room_there_are_no_documents_either_and_it_is_said():
    found, told = texts_of(run_of(ROW, disagreements=disagreements(2, 10, caused=(2,))), 10)
    assert (found["of"], found["segments"]) == ({}, {})
    assert len(told) == 2


def test_the_ranks_of_systems_are_among_those_that_both_scored_and_high_is_good():
    # Of an error rate 0.1 is best; D has no human score.
    scores = SystemScores(
        ("A", "B", "C", "D"), np.array([0.3, 0.1, 0.2, 0.0]), np.array([2.0, 5.0, 1.0, np.nan]), (-1, 1)
    )
    assert scores.ranks() == ([("A", 3, 2), ("B", 1, 1), ("C", 2, 3)], 3)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    overrides = ['metrics=["bleu", "ter"]', "uncertainty.n_resamples=60", 'criteria=["adequacy"]']
    overrides += ['correlation.coefficients=["pearson"]', 'tests=[{method="bootstrap"}]']
    return metaeval.run("system-level", overrides=overrides, output=tmp_path_factory.mktemp("first") / "run")


def test_the_first_screen_has_question_answer_corpus_and_what_was_done(run):
    first = first_screen(run.data, None)
    assert first.question == "Which of 2 metrics agrees best with human judgments of adequacy on demo?"
    # The sentence of `metaeval compare`, for the same coefficients and tests: who has a star leads.
    (answer,) = first.answers
    of = run.rankings.query("method == 'bootstrap'").sort_values("mean", ascending=False)
    starred = of.loc[of["top_cluster"], "metric"].tolist()
    both = " and ".join(of["metric"])
    leads = f"{starred[0]} is the best, with " if len(starred) == 1 else f"no significant difference between {both}; "
    assert answer.startswith(f"adequacy (simulated data: no evidence about real metrics): {leads}")
    facts = dict(first.facts)
    assert facts["Corpus"] == [
        "demo (simulated data): 8 systems, 120 segments, 4 references, 4758 judgments of adequacy and fluency "
        "by 11 judges."
    ]
    assert facts["Preprocessing"] == ["13a tokens, case kept."]
    (ranking,) = first.rankings
    in_order = run.correlations.sort_values("mean", ascending=False)
    assert [row.metric.rstrip("*") for row in ranking.rows] == list(in_order["metric"])
    assert [row.rank for row in ranking.rows] == ["1", "2"]
    assert [row.value.partition(" ")[0] for row in ranking.rows] == [f"{mean:.3f}" for mean in in_order["mean"]]


def test_a_best_metric_that_places_no_system_wrongly_is_not_said_to_fail():
    row = correlation(length=9, metric="bleu")
    scores = {"bleu": np.array([[0.1, 0.2, 0.3]])}
    for human, fails in ((np.array([[1.0, 2.0, 3.0]]), False), (np.array([[1.0, 3.0, 2.0]]), True)):
        grid = made_grid(row.key, human=human, scores=scores, systems=("A", "B", "C"), signs=(1, 1))
        facts = dict(first_screen(run_of(row, grids=[grid]), None).facts)
        assert ("Where the best metric fails most" in facts) == fails


def test_the_system_that_is_placed_most_wrongly_is_named(run):
    scores = pd.read_csv(run.directory / "scores.tsv", sep="\t").query("level == 'system' and kind == 'system'")
    best = run.correlations.sort_values("mean")["metric"].iloc[-1]
    key = next(row.key for row in run.data.tables.correlations if row.key.metric == best)
    own = scores[scores["metric"] == best].set_index("system")["score"]
    found = scores_at(run.data, key)
    assert dict(zip(found.systems, found.metric.tolist(), strict=True)) == pytest.approx(dict(own))
    # The best system, with the highest score, has rank 1.
    sides = [
        rankdata(-sign * side, method="min")
        for sign, side in zip(found.signs, (found.metric, found.human), strict=True)
    ]
    ranks, n = list(zip(found.systems, *(side.astype(int).tolist() for side in sides), strict=True)), len(found.systems)
    worst = max(abs(by_metric - by_people) for _, by_metric, by_people in ranks)
    assert worst > 0
    (sentence,) = dict(first_screen(run.data, None).facts)["Where the best metric fails most"]
    fitting = [f"{one}: {best} ranks it {a} of {n}, human judgments of adequacy {b}." for one, a, b in ranks
               if abs(a - b) == worst]  # fmt: skip
    assert sentence in fitting


def test_of_documents_of_several_lengths_the_longest_have_the_points():
    lengths = (1, 9, 3)
    rows = [correlation(length=length, metric="bleu") for length in lengths]
    # Two documents of each length: the scores of A are length and length + 2, those of B 0; of human judges 2 and 4.
    human = np.array([[2.0, 4.0], [2.0, 4.0]])
    grids = [
        made_grid(
            row.key,
            human=human,
            scores={"bleu": np.array([[length, 0.0], [length + 2, 0.0]])},
            systems=("A", "B"),
            signs=(1, -1),
        )
        for row, length in zip(rows, lengths, strict=True)
    ]
    found = systems_of(run_of(*rows, grids=grids))
    assert list(found["rows"]) == ["1"]
    names, metric, human, *signs = found["rows"]["1"]
    assert [list(found["lists"][place]) for place in (names, metric, human)] == [["A", "B"], [10.0, 0.0], [2.0, 4.0]]
    assert signs == [1, -1]


def test_a_set_of_tasks_asks_for_all_tasks():
    page = Page(render(many_tasks(4, 2)))
    assert "Which of 4 metrics agrees best with human judgments in 2 tasks?" in page.words
    assert (
        "Average of 2 tasks: metric-1 (0.90), metric-2 and metric-3 share WMT rank 1"
        in page.words.partition("In a cell:")[0].partition("2 tasks?")[2]
    )


TOO_FEW = "it needs at least 10 segments, and there are 8"


def test_a_first_screen_promises_bars_only_where_one_is_drawn():
    missing = {"lower": NAN, "upper": NAN, "no_interval_because": TOO_FEW}
    rows = [correlation(0.9, metric="bleu", **missing), correlation(0.8, metric="ter", **missing)]
    ((pearson, *_),) = [dict(first_screen(run_of(*rows), None).facts)["How sure that is"]]
    assert pearson == f"Pearson correlation across systems; no confidence intervals: {TOO_FEW}."
    (part,) = parts_of(run_of(*rows))["parts"]
    assert (part["interval"], part["no_interval"]) == ("", f"no confidence intervals: {TOO_FEW}")

    rows[1] = correlation(0.8, metric="ter")
    ((pearson, *_),) = [dict(first_screen(run_of(*rows), None).facts)["How sure that is"]]
    words = interval_words(record_of(rows[1]))
    assert words.startswith("95 % confidence interval")
    assert pearson == f"Pearson correlation across systems; bars: {words}."
    (part,) = parts_of(run_of(*rows))["parts"]
    assert (part["interval"], part["no_interval"]) == (words, "")
