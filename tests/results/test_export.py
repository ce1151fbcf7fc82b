"""Everything behind the figures of a run, as tidy rows."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import metaeval
from metaeval.cli import main
from metaeval.errors import UsageError
from metaeval.results.export import export_rows
from tests.support.configs import BY_LENGTH


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return metaeval.run(
        BY_LENGTH,
        overrides=[
            "documents.count=12",
            "documents.lengths=[2, 5]",
            'metrics=["bleu", "ter"]',
            "figures=[]",
            'preprocessing=["case"]',
        ],
        output=tmp_path_factory.mktemp("runs") / "mine",
    )


def table(run, *arguments, path):
    assert main(["export", str(run.directory), *arguments, "--output", str(path)]) == 0
    return pd.read_csv(path, sep="\t", keep_default_na=False, quoting=3)


def test_mean_coefficients_follow_from_the_exported_scores(run, tmp_path):
    from scipy import stats

    scores = table(run, path=tmp_path / "all.tsv")
    # 2 lengths, 12 documents, 8 systems; 2 metrics and the judges; 2 criteria.
    assert len(scores) == 2 * 12 * 8 * 3 * 2
    assert set(scores["metric"]) == {"bleu", "ter", "inter-judge"}
    for row in run.correlations.to_dict("records"):
        part = scores[(scores.metric == row["metric"]) & (scores.criterion == row["criterion"])]
        part = part[part.length == row["length"]]
        sign = -1 if row["metric"] == "ter" else 1
        values = [
            sign * stats.spearmanr(one.score, one.human).statistic
            for _, one in part.groupby("document")
            if one.score.nunique() > 1 and one.human.nunique() > 1
        ]
        assert len(values) == row["n_used"]
        assert np.mean(values) == pytest.approx(row["mean"], abs=1e-12)
        assert all(len(segments.split()) == row["length"] for segments in part.segments)


def test_scores_are_those_of_the_named_segments(run, tmp_path):
    corpus = metaeval.load_corpus("demo")
    scores = table(run, "-m", "bleu", "--length", "5", "--criterion", "fluency", path=tmp_path / "some.tsv")
    assert set(zip(scores.metric, scores.length, scores.criterion, strict=True)) == {("bleu", 5, "fluency")}
    for row in scores.sample(10, random_state=1).to_dict("records"):
        segments = [int(number) - 1 for number in row["segments"].split()]
        texts = corpus.candidates[corpus.systems.index(row["system"])]
        reference = corpus.references["ref1"]
        (scored,) = metaeval.score(
            "bleu", [texts[k] for k in segments], [reference[k] for k in segments], preprocessing="case"
        )
        assert row["score"] == pytest.approx(scored.values[0, 0], abs=1e-11)


def test_coefficients_are_those_behind_the_means(run, tmp_path):
    values = table(run, "--what", "coefficients", "--metric", "ter", path=tmp_path / "ter.tsv")
    means = run.correlations.set_index(["metric", "criterion", "length"])["mean"]
    for (criterion, length), part in values.groupby(["criterion", "length"]):
        assert part["value"].astype(float).mean() == pytest.approx(means["ter", criterion, length], abs=1e-12)
        assert len(part) == 12


@pytest.mark.parametrize(
    ("average_by", "units"), [("system", {"system": 8, "document": 1}), ("none", {"system": 1, "document": 1})]
)
def test_other_averages_name_what_a_coefficient_is_of(average_by, units):
    run = metaeval.correlate(
        "demo",
        ["bleu"],
        criteria=["fluency"],
        documents={"kind": "segments"},
        correlation={"average_by": average_by},
        uncertainty={"method": "none"},
    ).data
    rows = list(export_rows(run, "coefficients"))
    assert {key: len({row[key] for row in rows}) for key in units} == units
    scores = list(export_rows(run, lengths=[1]))
    assert [row["document"] for row in scores[::8]] == [str(number) for number in range(1, 121)]
    assert [row["document"] for row in scores[::8]] == [row["segments"] for row in scores[::8]]


def test_json_lines_hold_the_same(run, tmp_path, capsys):
    assert main(["export", str(run.directory), "--format", "jsonl", "-m", "ter", "--length", "2"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    expected = table(run, "-m", "ter", "--length", "2", path=tmp_path / "ter.tsv")
    assert [row["score"] for row in rows] == pytest.approx(expected["score"].tolist(), abs=1e-15)
    assert [row["human"] for row in rows] == pytest.approx(expected["human"].tolist(), abs=1e-15)


def test_what_is_no_run_is_refused(run, tmp_path):
    with pytest.raises(UsageError, match="is no directory of a run"):
        metaeval.export_run(tmp_path)
    with pytest.raises(UsageError, match=r"unknown metric 'blue'; did you mean 'bleu'\?"):
        list(export_rows(run.data, metrics=["blue"]))
    with pytest.raises(UsageError, match=r"unknown length '3'"):
        list(export_rows(run.data, lengths=[3]))
    with pytest.raises(UsageError, match="unknown table 'score'"):
        list(export_rows(run.data, "score"))
