"""What a run does with each setting, end to end: a test for every choice that changes numbers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import ClassVar

import matplotlib.collections
import numpy as np
import pandas as pd
import pytest
from scipy import stats

import metaeval
from metaeval.components.registries import METRICS
from metaeval.metrics.bleu import Bleu
from metaeval.parameters.calls import Signature
from tests.support.configs import BY_LENGTH
from tests.support.corpus import REFERENCES, SYSTEMS, judgments, write
from tests.support.figures import by_length
from tests.support.grids import grid_of

BASE = [
    "documents.count=60",
    "documents.lengths=[1, 6]",
    'metrics=["bleu(order=1)", "bleu(order=2)", "bleu"]',
    "figures=[]",
]


def run(tmp_path, *overrides, config=BY_LENGTH, corpus="demo"):
    base = BASE if config == BY_LENGTH else []
    return metaeval.run(config, corpora=[corpus], overrides=[*base, *overrides], output=tmp_path / "run")


def means(result):
    return result.correlations.set_index(["metric", "criterion", "length"])["mean"]


def signed(result, key):
    return [dict(Signature.parse(text).items)[key] for text in result.correlations["signature"]]


def test_the_inter_judge_line_relates_two_different_draws(tmp_path):
    result = run(tmp_path)
    for criterion in ("adequacy", "fluency"):
        grid = grid_of(result, criterion=criterion, length=6, is_of_judges=True)
        first, second = grid.human, grid.scores("inter-judge")
        expected = [stats.spearmanr(x, y).statistic for x, y in zip(second, first, strict=True)]
        assert means(result)["inter-judge", criterion, 6] == pytest.approx(np.mean(expected), abs=1e-9)
        assert (first != second).any()


def test_holm_corrects_the_pairs_of_one_comparison(tmp_path):
    result = run(tmp_path)
    for _, family in result.tests.groupby(["criterion", "length", "coefficient"]):
        # Holm by its definition: the k-th smallest p times (n - k + 1), never less than the one before, at most 1.
        p = sorted(family["p"])
        steps = np.minimum(1, np.maximum.accumulate([value * (len(p) - k) for k, value in enumerate(p)]))
        assert len(p) == 3
        assert sorted(family["p_corrected"]) == pytest.approx(list(steps))
    plain = run(tmp_path, 'tests=[{method="wilcoxon", correction="none"}]').tests
    assert plain["p_corrected"].tolist() == plain["p"].tolist() == result.tests["p"].tolist()
    assert set(dict(Signature.parse(result.tests["signature"][0]).items)) >= {"family", "corpus", "criterion", "seed"}


def test_z_scores_are_taken_over_human_texts_too(tmp_path):
    # Ann gave the systems grades; she also gave the reference a 5 on segment 1, which moves her mean and spread.
    human = "segment\treference\tjudge\tcriterion\tscore\n1\tref1\tann\tadequacy\t5\n1\tref1\tcleo\tadequacy\t1\n"
    corpus = write(tmp_path / "corpus", reference_judgments=human)
    result = run(
        tmp_path,
        'judgments.normalise="z(ddof=0)"',
        'documents.kind="segments"',
        'criteria=["adequacy"]',
        'judgments.judges=["ann"]',
        config="system-level",
        corpus=corpus,
    )
    rows = [row.split("\t") for row in judgments()[1:]]
    grades = {(row[1], int(row[0])): float(row[4]) for row in rows if row[2:4] == ["ann", "adequacy"]}
    everything = [*grades.values(), 5.0]
    expected = [[(grades[s, n] - np.mean(everything)) / np.std(everything) for s in "ABC"] for n in range(1, 5)]

    np.testing.assert_allclose(grid_of(result).human, expected, atol=1e-9)


def test_requiring_all_references_leaves_out_segments_that_lack_one(tmp_path):
    corpus = write(tmp_path / "corpus")  # ref2 lacks segment 2
    any_, all_ = (
        run(
            tmp_path,
            f'references.require="{require}"',
            'uncertainty.method="none"',
            config="system-level",
            corpus=corpus,
        )
        for require in ("any", "all")
    )
    assert set(signed(any_, "eligible")) == {"4/4"}
    assert set(signed(any_, "nrefs")) == {"1.75"}
    assert set(signed(all_, "eligible")) == {"3/4"}
    assert set(signed(all_, "nrefs")) == {"2"}
    assert any_.warnings == ()
    assert all_.warnings[0].endswith("made of 3 of 4 segments; 1 lacks references.")


def test_with_replacement_a_document_may_hold_a_segment_twice(tmp_path):
    once = grid_of(run(tmp_path), criterion="adequacy", length=6).segments
    result = run(tmp_path, "documents.replacement=true", "documents.lengths=[6, 150]")
    often = {length: grid_of(result, criterion="adequacy", length=length).segments for length in (6, 150)}

    assert all(len(set(document)) == 6 for document in once.tolist())
    assert any(len(set(document)) < 6 for document in often[6].tolist())
    assert often[150].shape == (60, 150)


def test_the_confidence_level_sets_the_width_of_the_interval(tmp_path):
    wide, narrow, none = (
        run(tmp_path, f"uncertainty.{key}").correlations
        for key in ("confidence_level=0.95", "confidence_level=0.5", "method='none'")
    )
    ratio = (wide["upper"] - wide["lower"]) / (narrow["upper"] - narrow["lower"])

    # Quantiles of the normal distribution: 1.959964 and 0.674490.
    assert ratio.to_numpy() == pytest.approx(1.959964 / 0.674490, abs=1e-4)
    assert none["lower"].isna().all()


def test_undefined_coefficients_can_count_zero_in_means_and_tests(tmp_path):
    metrics = 'metrics=["bleu(order=1)", "bleu(order=9)"]'
    out, zero = (run(tmp_path, f'correlation.undefined="{one}"', metrics) for one in ("exclude", "zero"))
    key = ("bleu(order=9)", "adequacy", 1)
    row = out.correlations.set_index(["metric", "criterion", "length"]).loc[key]
    assert row["n_undefined"] > 0
    assert means(zero)[key] == pytest.approx(row["mean"] * row["n_used"] / 60, abs=1e-12)
    pairs = "criterion == 'adequacy' and length == 1"
    assert (out.tests.query(pairs)["n_used"] == row["n_used"]).all()
    assert (zero.tests.query(pairs)["n_used"] == 60).all()
    both = out.correlations.query("metric == 'bleu(order=9)' and criterion == 'adequacy'")["n_undefined"].sum()
    assert any(f"bleu(order=9): {both} of 120 coefficients (Spearman)" in message for message in out.warnings)


def test_messages_are_kept_in_the_manifest(tmp_path):
    rows = [row for row in judgments() if "\tann\tadequacy\t" not in row]
    rows += [f"{n}\t{s}\tann\tadequacy\t3" for s in "ABC" for n in range(1, 5)]
    corpus = write(tmp_path / "corpus", judgments="\n".join(rows) + "\n", systems__A="\ufeff" + "x\ny\nz\nw\n")
    result = run(
        tmp_path, "documents.lengths=[1]", 'criteria=["adequacy"]', 'references.subsets=["ref1"]', corpus=corpus
    )
    manifest = json.loads((result.directory / "manifest.json").read_text())
    told = "\n".join(result.warnings)

    assert manifest["warnings"] == list(result.warnings)
    assert "1 of 2 judges gave a single score or always the same one, which were only centred: 'ann'" in told
    assert "systems/A.txt:1: contains a byte order mark" in told


def test_a_criterion_without_judgments_is_left_out_and_that_is_told(tmp_path):
    rows = [row for row in judgments() if "\terrors\t" not in row]
    result = run(tmp_path, config="system-level", corpus=write(tmp_path / "corpus", judgments="\n".join(rows) + "\n"))

    assert set(result.correlations["criterion"]) == {"adequacy"}
    assert "tiny: criteria without any judgment by the chosen judges are left out: 'errors'." in result.warnings


def test_criteria_and_systems_have_draws_of_their_own(tmp_path):
    # The same grades under two names, and from system to system: equal draws would give equal scores.
    grades = [f"{n}\t{s}\t{j}\t{c}\t{k}" for n in range(1, 5) for s in "ABC" for k, j in enumerate("uvwx", 1)
              for c in ("adequacy", "errors")]  # fmt: skip
    corpus = write(tmp_path / "corpus", judgments="\n".join([judgments()[0], *grades]) + "\n")
    plain = ["documents.lengths=[1]", 'criteria="all"', 'judgments.normalise="none"']
    result = run(tmp_path, *plain, corpus=corpus)
    adequacy, errors = (grid_of(result, criterion=name, length=1).human for name in ("adequacy", "errors"))

    assert (adequacy != errors).any()
    assert (adequacy[:, 0] != adequacy[:, 1]).any()


@dataclass(frozen=True)
class Badness(Bleu):
    """BLEU, called bad."""

    name: ClassVar[str] = "badness"
    higher_is_better: ClassVar[bool] = False


@pytest.mark.parametrize(("orientation", "sign"), [("aligned", -1), ("raw", 1)])
def test_a_metric_where_lower_is_better_is_aligned(tmp_path, monkeypatch, orientation, sign):
    monkeypatch.setitem(METRICS, "badness", Badness)
    options = [f'correlation.orientation="{orientation}"', "preprocessing=['case']"]
    good = run(tmp_path, *options, 'metrics=["bleu"]', config="system-level").correlations["mean"]
    bad = run(tmp_path, *options, 'metrics=["badness"]', config="system-level").correlations["mean"]

    assert bad.tolist() == (sign * good).tolist()


def test_bands_are_the_intervals_of_the_table_and_the_caption_says_which(tmp_path):
    table = run(tmp_path, "uncertainty.confidence_level=0.9").correlations
    (figure,) = by_length(table).values()
    bands = [
        (panel.get_title(loc="left"), band.get_paths()[0].vertices[:, 1])
        for panel in figure.axes
        for band in panel.collections
        if isinstance(band, matplotlib.collections.PolyCollection)
    ]
    drawn = sorted((criterion, round(y.min(), 9), round(y.max(), 9)) for criterion, y in bands)
    by_line = table.groupby(["criterion", "metric"])
    expected = sorted((key[0], round(part["lower"].min(), 9), round(part["upper"].max(), 9)) for key, part in by_line)

    assert drawn == expected
    assert "Bands: 90 % confidence intervals" in figure.caption


def test_equal_sums_in_another_order_stay_ties(tmp_path):
    # Three references of 2, 2 and 3 words: mean lengths of 7/3 add up with rounding that must not order the systems.
    texts = {f"references__r{k}": "\n".join(["a b c" if k == 2 else "a b"] * 12) + "\n" for k in range(3)}
    same = "\n".join(["a b", "x y"] * 6) + "\n"
    turned = "\n".join(["x y", "a b"] * 6) + "\n"
    rows = [f"{n}\t{s}\tann\tadequacy\t{k}" for n in range(1, 13) for k, s in enumerate("ABC", 1)]
    corpus = write(
        tmp_path / "corpus",
        **texts,
        references__ref1=None,
        references__ref2=None,
        systems__A=same,
        systems__B=turned,
        systems__C="x\n" * 12,
        judgments="\n".join([judgments()[0], *rows]) + "\n",
    )
    result = run(
        tmp_path,
        'metrics=["gtm"]',
        'criteria=["adequacy"]',
        "preprocessing=['case']",
        config="system-level",
        corpus=corpus,
    )
    scores = grid_of(result).scores("gtm")[0]

    assert scores[0] == scores[1] > scores[2]


def test_unfinished_exact_searches_are_told(tmp_path):
    # Words "a" and "b" by the parity of squares and cubes: no time is enough for a grid without any time.
    text = " ".join("ab"[(n * n) % 7 % 2] for n in range(60))
    other = " ".join("ab"[(n * n * n) % 11 % 2] for n in range(60))
    corpus = write(
        tmp_path / "corpus",
        systems__A=f"{text}\nx\ny\nz\n",
        references__ref1=f"{other}\nx\ny\nz\n",
        references__ref2=None,
    )
    metric = "metrics=['gtm(exponent=2,search=\"exact\",time_limit=0)']"
    result = run(tmp_path, metric, config="system-level", corpus=corpus)

    assert "the exact search did not finish for 1 of 12 texts" in "\n".join(result.warnings)


def test_stopped_searches_for_shifts_are_told(tmp_path):
    # Two shifts lead from "b a" to "a b".
    corpus = write(
        tmp_path / "corpus", systems__A="b a\nx\ny\nz\n", references__ref1="a b\nx\ny\nz\n", references__ref2=None
    )
    metrics = "metrics=['ter(shift_choices=1)','ter(shift_choices=2)']"
    messages = run(tmp_path, metrics, config="system-level", corpus=corpus).warnings

    told = [message for message in messages if "more electable shifts than the limit in 1 of 12 texts" in message]
    assert [message.partition(",")[0] for message in told] == ["ter(shift_choices=1)"]


def test_system_scores_stand_with_their_segments_and_signature(tmp_path):
    corpus = write(tmp_path / "corpus")
    result = run(
        tmp_path, 'references.subsets=["ref2"]', "preprocessing=['case']", config="system-level", corpus=corpus
    )
    table = pd.read_csv(result.directory / "scores.tsv", sep="\t", keep_default_na=False)
    system = table.query("level == 'system' and metric == 'bleu(order=1)'")

    assert set(system["segments"]) == {3}  # ref2 lacks one of four
    assert system["signature"].str.contains("refs:ref2").all()
    # Segments 1, 3 and 4 of system A and of ref2 both have 12 words, so there is no brevity penalty.
    matches = [
        sum(min(a.split().count(w), r.split().count(w)) for w in set(a.split()))
        for a, r in zip(SYSTEMS["A"], REFERENCES["ref2"], strict=True) if r
    ]  # fmt: skip
    (value,) = system.query("system == 'A'")["score"]
    assert value == pytest.approx(sum(matches) / 12, abs=1e-12)
