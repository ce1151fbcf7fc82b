"""Coefficients of segments as mt-metrics-eval's tasks have them: averages, missing scores, and which systems count."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from metaeval.components.registries import COEFFICIENTS
from metaeval.correlation.averages import correlate, mean_of_defined
from tests.support import tasks

# Their functions and arguments, and what they are here.
NAMES = {
    ("pearson", ()): "pearson",
    ("pearson", (("pdp", True),)): "pdp",
    ("spearman", ()): "spearman",
    ("kendall", ()): "kendall",
    ("KendallVariants", (("variant", "b"),)): "kendall",
    ("KendallVariants", (("variant", "23"),)): 'kendall(variant="23")',
    ("KendallVariants", (("variant", "acc23"),)): "pairwise-accuracy",
    ("KendallWithTiesOpt", (("sample_rate", 1.0),)): "acc_eq",
    ("KendallWithTiesOpt", (("sample_rate", 1.0), ("variant", "23"))): "acc_eq",
}


@pytest.mark.parametrize("pair", ["cs-uk", "en-de", "ja-zh"])
def test_tasks_of_segments(pair):
    rows = tasks.where(tasks.table("tasks_k0"), lang=pair, level="seg", domain="None", refs="refA", close_refs="")
    rows = [row for row in rows if row["corr_fcn"] != "pce" and row["metric"] != "ERROR"]
    seen = set()
    for row in rows:
        arguments = ast.literal_eval(row["corr_fcn_args"])
        name = NAMES[row["corr_fcn"], tuple(sorted(arguments.items()))]
        systems, human = tasks.human(pair, row["gold"], outliers=row["use_outliers"] == "True")
        if row["human"] == "False":
            kept = [place for place, system in enumerate(systems) if system != "refB"]
            systems, human = [systems[place] for place in kept], human[:, kept]
        metric = tasks.metric(pair, row["metric"].removeprefix("*"), systems)
        average_by = {"sys": "system"}.get(row["avg_by"], row["avg_by"])
        values = correlate(metric, human, COEFFICIENTS.named(name), average_by, where=~np.isnan(human))
        if row["replace_nans_with_zeros"] == "True":
            # A row with one score or none has no correlation to replace.
            enough = (~np.isnan(human)).sum(axis={"item": 1, "system": 0}.get(average_by)) > 1
            values = np.nan_to_num(values[np.atleast_1d(enough)])
        mean = float(mean_of_defined(values, axis=0))
        if arguments.get("variant") == "23" and name == "acc_eq":
            mean = 2 * mean - 1
        # All undefined is 0 there.
        assert float(row["corr"]) == pytest.approx(np.nan_to_num(mean), abs=1e-9), row
        seen.add((name, average_by))
    # PDP, and each other kind averaged in two or three ways.
    assert len(seen) == 18
