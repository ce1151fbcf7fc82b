"""Claims are judged by the intervals that tables show."""

from __future__ import annotations

import pytest

import metaeval

CONFIG = """
title = "Same"
corpora = ["demo"]
metrics = ["bleu", "ter", "rouge-l"]
preprocessing = ['case(tokenizer="13a")']
criteria = ["adequacy"]
documents = {kind = "all"}
correlation = {coefficients = ["pearson", "kendall"]}
uncertainty = {n_resamples = 200, resample = "segments"}

[[claims]]
paper = "BLEU is above TER."
statement = "bleu above ter"
coefficients = ["pearson"]

[[claims]]
paper = "TER is below ROUGE-L."
statement = "ter below rouge-l"
coefficients = ["kendall"]
"""


def test_a_claim_about_two_metrics_has_the_interval_of_their_test(tmp_path):
    (tmp_path / "same.toml").write_text(CONFIG)
    found = metaeval.run(tmp_path / "same.toml", output=tmp_path / "run")
    tests = {(row["metric_a"], row["metric_b"], row["coefficient"]): row for row in found.tests.to_dict("records")}
    pearson, kendall = found.claims.to_dict("records")
    for claim, test, sign in (
        (pearson, tests["bleu", "ter", "pearson"], 1),
        (kendall, tests["ter", "rouge-l", "kendall"], -1),
    ):
        bounds = sorted([sign * test["lower"], sign * test["upper"]])
        assert claim["difference"] == pytest.approx(sign * test["difference"], abs=1e-12)
        assert [claim["lower"], claim["upper"]] == pytest.approx(bounds, abs=1e-9)
        assert (claim["verdict"] == "undecided") == (bounds[0] <= 0 <= bounds[1])


def test_a_claim_about_segments_of_documents_has_the_interval_of_its_test(tmp_path):
    settings = CONFIG.replace('documents = {kind = "all"}', 'documents = {kind = "segments"}').replace(
        '"pearson", "kendall"', '"pearson"'
    )
    settings = settings.replace(', resample = "segments"', "").replace(
        'coefficients = ["kendall"]', 'coefficients = ["pearson"]'
    )
    (tmp_path / "segments.toml").write_text(
        settings.replace('metrics = ["bleu", ', 'metrics = ["nist", ').replace("bleu above", "nist above")
    )
    found = metaeval.run(tmp_path / "segments.toml", output=tmp_path / "run")
    (claim, _), tests = found.claims.to_dict("records"), found.tests.to_dict("records")
    (test,) = (row for row in tests if {row["metric_a"], row["metric_b"]} == {"nist", "ter"})
    assert test["resampled"] == "documents"
    assert [claim["lower"], claim["upper"]] == pytest.approx([test["lower"], test["upper"]], abs=1e-9)
