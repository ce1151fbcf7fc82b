"""Criteria keep the capitals of the user's file, and are chosen whatever the capitals that are typed."""

from __future__ import annotations

import json

import pytest

import metaeval
from metaeval.papers.claims.metric_names import find_values

WORDS = ["a b c d e", "a b c d x", "a b c x x", "a b x x x"]


@pytest.fixture
def sheet(tmp_path):
    """Return the path of a table of four systems, whose ratings fall with the words that they have in common."""
    rows = ["segment,system,text,reference,judge,Adequacy,Fluency"]
    for segment in range(12):
        for place, text in enumerate(WORDS):
            for judge in ("Anna", "Ben"):
                rating = 5 - place - (segment + len(judge)) % 2
                rows.append(f"{segment},S{place},{segment} {text},{segment} a b c d e,{judge},{rating},{6 - rating}")
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.mark.filterwarnings("ignore::metaeval.MetaevalWarning")
@pytest.mark.parametrize("typed", ["adequacy", "Adequacy", "ADEQUACY"])
def test_a_criterion_is_chosen_whatever_its_capitals(typed, sheet):
    found = metaeval.correlate(sheet, ["bleu"], criteria=[typed], documents={"kind": "segments"})
    assert {one.criterion for one in found.estimates} == {"Adequacy"}
    agreed = metaeval.agreement(sheet, criteria=typed, n_resamples=20, n_draws=2)
    assert [row.criterion for row in agreed.rows["design"]] == ["Adequacy"]


@pytest.mark.filterwarnings("ignore::metaeval.MetaevalWarning")
def test_runs_are_drawn_and_exported_by_criteria_whatever_their_capitals(sheet, tmp_path):
    config = {"title": "t", "corpora": [str(sheet)], "metrics": ["bleu", "wer"], "documents": {"kind": "segments"}}
    metaeval.run({**config, "figures": []}, output=tmp_path / "run")
    metaeval.export_run(tmp_path / "run", criteria="fluency", form="jsonl", output=tmp_path / "rows.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert {row["criterion"] for row in rows} == {"Fluency"}
    metaeval.draw_run(tmp_path / "run", "intervals", criteria="fluency", output=tmp_path / "figures")
    with pytest.raises(metaeval.UsageError, match=r"'grammar'. Known criteria: 'Adequacy', 'Fluency'"):
        metaeval.export_run(tmp_path / "run", criteria="grammar")


@pytest.mark.filterwarnings("ignore::metaeval.MetaevalWarning")
def test_of_criteria_that_differ_in_capitals_alone_the_same_is_meant(sheet):
    sheet.write_text(sheet.read_text().replace("Fluency", "adequacy", 1))
    for name in ("adequacy", "Adequacy"):
        found = metaeval.correlate(sheet, ["bleu"], criteria=[name], documents={"kind": "segments"})
        assert {one.criterion for one in found.estimates} == {name}
    with pytest.raises(metaeval.UsageError, match="unknown criterion 'ADEQUACY'"):
        metaeval.correlate(sheet, ["bleu"], criteria=["ADEQUACY"])


def test_a_claim_finds_a_criterion_whatever_its_capitals():
    assert find_values("criterion", "adequacy", ["Fluency", "Adequacy"]) == ["Adequacy"]
