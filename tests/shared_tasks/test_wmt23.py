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
