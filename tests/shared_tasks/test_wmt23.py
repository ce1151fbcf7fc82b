"""The metrics task of WMT23 on its real data, beside the figures of mt-metrics-eval."""

from __future__ import annotations

import json
import re
import tarfile

import pytest

import metaeval
from tests.support.gold import of_others


def test_the_preset_gives_the_digits_of_mt_metrics_eval(tmp_path):
    # Origin: tasks.WMT23(k=0) of mt-metrics-eval 68a481a on the published tree of en-de and zh-en.
    data = of_others("corpora/wmt23")
    for pair in ("en-de", "zh-en"):
        with tarfile.open(data / f"wmt23-{pair}.tar.xz") as archive:
            archive.extractall(tmp_path, filter="data")
    quick = {"ranking": {"permutations": 0}, "uncertainty": {"n_resamples": 60}, "figures": []}
    found = metaeval.run("wmt23", corpora=tmp_path / "wmt23", overrides=quick, output=tmp_path / "run")
    ours = {(row.corpora, row.level, row.coefficient, row.metric): row.value for row in found.data.tables.tasks}
    published = json.loads((data / "mtme_values.json").read_text(encoding="utf-8"))
    theirs = {}
    for name, values in published.items():
        key = {word: re.search(rf"{word}=(\S+)", name)[1] for word in ("lang", "level", "corr_fcn")}
        level = {"sys": "system", "seg": "segment"}[key["level"]]
        coefficient = {"pearson": "pearson", "KendallWithTiesOpt": "acc_eq"}[key["corr_fcn"]]
        theirs |= {(key["lang"], level, coefficient, metric): value for metric, (value,) in values.items()}
    assert len(theirs) == 192
    assert {key: ours[key] for key in theirs} == pytest.approx(theirs, abs=1e-9)


def test_metrics_among_the_best_systems(tmp_path):
    # By hand from the published scores of whole systems (zh-en.mqm.sys.score, METRIC.sys.score): Pearson's correlation
    # over all 15 systems, the best 8 and the best 6 by MQM.
    expected = {
        "GEMBA-MQM-src": (0.99, 0.97, 0.97),
        "XCOMET-Ensemble-refA": (0.93, 0.86, 0.81),
        "COMET-refA": (0.90, 0.19, -0.12),
        "chrF-refA": (0.81, -0.15, -0.54),
        "BLEU-refA": (0.73, -0.08, -0.60),
    }
    with tarfile.open(of_others("corpora/wmt23") / "wmt23-zh-en.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    settings = {"criteria": ["mqm"], "references": ["refA"], "judgments": {"rule": "stored"}, "ceiling": 0}
    metrics = [f'precomputed:{name}(system="stored")' for name in expected]
    found = metaeval.compare(tmp_path / "wmt23.zh-en", metrics, bands=(8, 6), **settings)
    rows = found.results.data.tables.bands
    for name, metric in zip(expected, metrics, strict=True):
        values = {str(row.name): round(row.value, 2) for row in rows if row.key.metric == metric}
        assert tuple(values.values()) == expected[name]
    (best,) = {row.systems for row in rows if str(row.name) == "best 6"}
    assert best == "Lan-BridgeMT, GPT4-5shot, Yishu, ONLINE-B, HW-TSC, ONLINE-A"
    # The narrower range alone lowers these coefficients too, but not so far.
    below = {row.key.metric for row in rows if row.is_below_range_alone}
    assert below == set(metrics[2:])
