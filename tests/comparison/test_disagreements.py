"""Disagreements: the pair of systems that metric and people order most differently, and the segments that cause it."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import metaeval
from metaeval.comparison import disagreements
from metaeval.correlation.disagreements import causes_of, find_disagreements
from tests.support.configs import SEGMENTS
from tests.support.corpus import write

# A is the reference; B has one word of four wrong, C two; only of segment 2 people think the reverse.
TEXTS = {"A": "a b c d", "B": "a b c x", "C": "a b x y"}
ADEQUACY = {"A": (5, 1, 5, 5), "B": (4, 2, 4, 4), "C": (2, 4, 2, 3)}


def rows():
    found = ["segment\tsystem\tjudge\tcriterion\tscore"]
    for system, scores in ADEQUACY.items():
        for segment, score in enumerate(scores, start=1):
            found.append(f"{segment}\t{system}\tann\tadequacy\t{score}")
            found.append(f"{segment}\t{system}\tbob\tadequacy\t{score}")
            # Low is good.
            found.append(f"{segment}\t{system}\tann\terrors\t{10 - score}")
    return "\n".join(found) + "\n"


def run(tmp_path, config=SEGMENTS, **files):
    systems = {f"systems__{name}": f"{text}\n" * 4 for name, text in TEXTS.items()}
    write(
        tmp_path / "corpus",
        **{**systems, "references__ref1": "a b c d\n" * 4, "references__ref2": None, "judgments": rows(), **files},
    )
    (tmp_path / "mine.toml").write_text(config)
    return metaeval.run(tmp_path / "mine.toml", output=tmp_path / "run")


def read(result):
    return json.loads((result.directory / "disagreements.json").read_text(encoding="utf-8"))


def test_the_largest_product_of_opposite_differences_is_found():
    metric = np.array([[[3.0, 2.0, 1.0], [1.0, 2.0, 3.0], [2.0, 1.0, 3.0]]])
    people = np.array([[30.0, 20.0, 10.0]] * 3)
    # Of three equally spaced scores z is (sqrt(1.5), 0, -sqrt(1.5)). In the second document the first and the last are
    # reversed, by 2 sqrt(1.5) on both sides. In the third the last stands above the first by sqrt(1.5), and people put
    # it below by 2 sqrt(1.5); with the second it is the other way round: equal, and the first pair counts.
    second, third = find_disagreements(metric, people)
    whole, half = 2 * math.sqrt(1.5), math.sqrt(1.5)

    assert (second.document, second.preferred, second.other) == (1, 2, 0)
    assert (second.by_metric, second.by_people) == pytest.approx((whole, whole))
    assert (third.document, third.preferred, third.other) == (2, 2, 0)
    assert (third.by_metric, third.by_people) == pytest.approx((half, whole))
    assert (second.contradiction, third.contradiction) == pytest.approx((6.0, 3.0))


def test_documents_without_scores_or_with_equal_ones_have_no_flip():
    metric = np.array([[[1.0, 1.0, 1.0], [np.nan, 2.0, 1.0], [0.1 + 0.2, 0.3, 0.3]]])
    people = np.array([[1.0, 2.0, 3.0]] * 3)
    found = find_disagreements(metric, people)

    # The last has a difference in the last bit: it is one.
    assert [one.document for one in found] == [2]
    assert find_disagreements(metric[:, :2], people[:2]) == []
    assert find_disagreements(metric[:, 1:2], people[:1]) == []


scores = st.lists(st.integers(-9, 9), min_size=4, max_size=4)


@given(st.lists(scores, min_size=1, max_size=5), st.lists(scores, min_size=5, max_size=5), st.booleans())
def test_scales_do_not_count_and_pairs_are_truly_opposite(by_metric, by_people, pooled):
    metric = np.array([by_metric], dtype=float)
    people = np.array(by_people[: len(by_metric)], dtype=float)
    found = find_disagreements(metric, people, pooled=pooled)

    scaled = find_disagreements(4 * metric - 2, 0.5 * people + 8, pooled=pooled)
    assert [one.contradiction for one in scaled] == pytest.approx([one.contradiction for one in found])
    assert [one.document for one in found] == sorted(
        {one.document for one in found}, key=[one.document for one in found].index
    )
    for one in found:
        assert metric[0, one.document, one.preferred] > metric[0, one.document, one.other]
        assert people[one.document, one.other] > people[one.document, one.preferred]
    opposite = [
        row
        for row, (m, h) in enumerate(zip(metric[0], people, strict=True))
        if any((m[i] - m[j]) * (h[i] - h[j]) < 0 for i in range(4) for j in range(4))
    ]
    assert len(found) == min(3, len(opposite))


def test_pooled_scores_are_standardised_over_all():
    # Three equally spaced scores are at most sqrt(6) apart, two equal ones and a third 1 / sqrt(2/9) = sqrt(4.5).
    metric = np.array([[[1.0, 2.0, 3.0], [10.0, 20.0, 10.0]]])
    people = np.array([[3.0, 2.0, 1.0], [20.0, 10.0, 20.0]])

    within = find_disagreements(metric, people)
    assert [(one.document, pytest.approx(one.contradiction)) for one in within] == [(0, 6.0), (1, 4.5)]
    # Over all, the second reversal is ten times as large as the first on both sides.
    metric, people = metric[..., :2], np.array([[2.0, 1.0], [20.0, 10.0]])
    pooled = find_disagreements(metric, people, pooled=True)
    assert [one.document for one in pooled] == [1, 0]
    assert pooled[0].contradiction == pytest.approx(100 * pooled[1].contradiction)


def test_equally_large_contradictions_of_two_systems_are_ordered_by_their_differences_over_all():
    # In a document two systems are always 2 standard deviations apart: each contradiction is 4. Over all documents
    # the products of the raw differences are 0.25, 4 and 1, whatever the scales are.
    metric = np.array([[[1.0, 0.5], [7.0, 5.0], [0.1, 0.0]]])
    people = np.array([[3.0, 3.5], [1.0, 3.0], [0.0, 10.0]])
    found = find_disagreements(metric, people)

    assert [one.document for one in found] == [1, 2, 0]
    assert [one.contradiction for one in found] == pytest.approx([4.0, 4.0, 4.0])


def test_causes_are_ordered_by_both_differences_and_then_by_that_of_people():
    metric = np.array([[0.5, 0.4], [0.9, 0.1], [0.2, 0.8], [0.3, 0.3], [0.9, 0.0]])
    people = np.array([[1.0, 4.0], [2.0, 3.0], [1.0, 5.0], [2.0, 4.0], [5.0, 1.0]])

    # Products: 0.3, 0.8, none, 0; the last agrees with neither. Three at most.
    assert causes_of(metric, people).tolist() == [1, 0, 2]
    assert causes_of(None, people).tolist() == [2, 0, 3]
    # A document is not left without any segment.
    assert causes_of(metric[4:], people[4:]).tolist() == [0]


def test_a_flip_known_by_hand_is_found_with_its_texts_judgments_and_grid(tmp_path):
    found = read(run(tmp_path))

    assert found["systems"] == {"tiny": ["A", "B", "C"]}
    assert found["notes"] == []
    assert [(place["criterion"], place["metric"]) for place in found["places"]] == [
        (criterion, metric) for criterion in ("adequacy", "errors") for metric in ("wer", "bleu(order=1)")
    ]
    for place in found["places"]:
        (document,) = place["documents"]
        assert (document["document"], document["segments"]) == ("2", [2])
        assert document["systems"] == [0, 2]
        assert document["metric_ranks"] == [1, 3]
        assert document["people_ranks"] == [3, 1]
        assert document["references"] == ["ref1"]
        (cause,) = document["causes"]
        assert cause["segment"] == 2
        # Two of four words are wrong.
        assert document["metric"] == cause["metric"] == ([0.0, 0.5] if place["metric"] == "wer" else [1.0, 0.5])
        assert document["people"] == cause["people"] == ([1.0, 4.0] if place["criterion"] == "adequacy" else [9.0, 6.0])
        # Metric: 0, 1, 2 errors, so A and C are 2 sqrt(1.5) apart. People: 1, 2, 4, with the standard deviation
        # sqrt(14 / 9), so 3 / sqrt(14 / 9).
        assert document["by_metric"] == pytest.approx(2 * math.sqrt(1.5), rel=1e-14)
        assert document["by_people"] == pytest.approx(3 / math.sqrt(14 / 9), rel=1e-14)
        assert document["contradiction"] == pytest.approx(6 * math.sqrt(1.5) / math.sqrt(14 / 9), rel=1e-14)

    strings, kept = found["strings"], found["segments"]["tiny"]["2"]
    # What disagrees comes first; the others can be searched.
    assert list(found["segments"]["tiny"]) == ["2", "1", "3", "4"]
    assert {system: strings[text] for system, text in kept["systems"].items()} == dict(
        zip("012", TEXTS.values(), strict=True)
    )
    assert {name: strings[text] for name, text in kept["references"].items()} == {"ref1": "a b c d"}
    assert kept["judgments"]["adequacy"] == {
        system: [["ann", score], ["bob", score]] for system, score in {"0": 1.0, "1": 2.0, "2": 4.0}.items()
    }
    assert kept["judgments"]["errors"] == {"0": [["ann", 9.0]], "1": [["ann", 8.0]], "2": [["ann", 6.0]]}
    grids = [found["grids"][number] for number in document["causes"][0]["grids"]]
    assert [strings[grid["candidate"]] for grid in grids] == ["a b c d", "a b x y"]
    # Rows, columns, lengths and kept hits of the runs.
    assert [grid["runs"] for grid in grids] == [[[0, 0, 4, 4.0]], [[0, 0, 2, 2.0]]]


def test_real_documents_name_their_segments(tmp_path):
    documents = "segment\tdocument\n1\tone\n2\ttwo\n3\tone\n4\tone\n"
    found = read(run(tmp_path, SEGMENTS.replace('"segments"', '"real"'), documents=documents))

    for place in found["places"]:
        (document,) = place["documents"]
        assert (document["document"], document["segments"]) == ("two", [2])


def test_a_real_document_has_no_segment_without_a_reference(tmp_path):
    documents = "segment\tdocument\n1\tone\n2\ttwo\n3\ttwo\n4\tone\n"
    references = "a b c d\na b c d\n\na b c d\n"
    config = SEGMENTS.replace('"segments"', '"real"')
    found = read(run(tmp_path, config, documents=documents, references__ref1=references))

    for place in found["places"]:
        (document,) = place["documents"]
        assert (document["document"], document["n_segments"], document["segments"]) == ("two", 1, [2])


def test_a_system_that_nobody_judged_takes_no_segment_away(tmp_path):
    documents = "segment\tdocument\n1\tone\n2\ttwo\n3\tone\n4\tone\n"
    config = SEGMENTS.replace('"segments"', '"real"')
    found = read(run(tmp_path, config, documents=documents, systems__D="a x y z\n" * 4))
    for place in found["places"]:
        (document,) = place["documents"]
        assert (document["document"], document["n_segments"], document["segments"]) == ("two", 1, [2])
        assert [cause["segment"] for cause in document["causes"]] == [2]


def test_where_coefficients_compare_no_systems_there_are_no_disagreements_and_it_is_said_why(tmp_path):
    found = read(run(tmp_path, SEGMENTS.replace("[correlation]", '[correlation]\naverage_by = "system"')))

    assert found["places"] == []
    (note,) = found["notes"]
    assert (
        note == "Coefficients averaged by system are across documents, so there are no disagreements about two systems."
    )


def test_what_has_no_room_is_told_without_its_texts(tmp_path, monkeypatch):
    monkeypatch.setattr(disagreements, "MAX_LETTERS", 0)
    found = read(run(tmp_path))

    assert found["segments"] == {}
    assert found["strings"] == []
    assert found["notes"] == ["4 segments are listed without their texts, because the report must stay small."]
    assert {cause["grids"] for place in found["places"] for cause in place["documents"][0]["causes"]} == {None}


def test_of_very_many_places_the_first_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(disagreements, "MAX_DOCUMENTS", 3)
    found = read(run(tmp_path))

    assert [(place["criterion"], place["metric"]) for place in found["places"]] == [
        ("adequacy", "wer"),
        ("adequacy", "bleu(order=1)"),
        ("errors", "wer"),
    ]
    assert found["most_documents"] == 1
    assert found["notes"] == ["Disagreements are listed for the first 3 of 4 places; the run is large."]


def test_the_same_run_gives_the_same_bytes(tmp_path):
    first = run(tmp_path).directory.joinpath("disagreements.json").read_bytes()
    assert run(tmp_path).directory.joinpath("disagreements.json").read_bytes() == first
