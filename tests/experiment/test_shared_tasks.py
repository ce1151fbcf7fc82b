"""Whole metrics tasks through the public way in: mt-metrics-eval's own figures, and the official tables of WMT20."""

from __future__ import annotations

import math

import pytest

import metaeval
from tests.support import tasks
from tests.support.gold import of_others

# Their functions and ours; of segments, the plain ones, and the one that is calibrated.
COEFFICIENTS = {
    ("pearson", "{}"): "pearson",
    ("kendall", "{}"): "kendall",
    ("spearman", "{}"): "spearman",
    ("accuracy", "{}"): "pairwise-accuracy",
    ("KendallVariants", "{'variant':'23'}"): 'kendall(variant="23")',
    ("KendallVariants", "{'variant':'acc23'}"): "pairwise-accuracy",
    ("KendallWithTiesOpt", "{'sample_rate':1.0}"): 'pairwise-accuracy(epsilon="auto")',
    ("pearson", "{'pdp':True}"): "pairwise-difference-pearson",
}
AVERAGE_BY = {"item": "item", "none": "none", "sys": "system"}
# Scores of whole systems as they are stored, and 0 for a system that a metric lacks.
METRICS = 'precomputed:*(missing="zero",system="stored")'


def named(row: dict[str, str]) -> str:
    """Return the scores that a row of the tables is of."""
    name = row["metric"].removeprefix("*")
    name = f"{name.partition('[')[0]}-src" if name.endswith("[noref]") else f"{name}-{row['refs'].partition('+')[0]}"
    return METRICS.replace("*", name)


def chosen(human: str, outliers: str, domain: str, refs: str, close_refs: str) -> dict[str, object]:
    """Return the filter and the references of a task."""
    found: dict[str, object] = {"humans": ["*"]} if human == "True" and not close_refs else {}
    if outliers == "False":
        found["without"] = [f"{tasks.OUTLIER}*"]
    if domain != "None":
        found["where"] = {"domain": domain}
    return {"filter": found, "references": {"names": refs.split("+")}}


# What distinguishes the calls by which all figures are made.
TASK = ("human", "use_outliers", "domain", "refs", "close_refs", "gold", "avg_by")


@pytest.mark.parametrize("pair", ["cs-uk", "en-de", "ja-zh"])
@pytest.mark.parametrize("level", ["sys", "seg"])
def test_figures_of_mt_metrics_eval(pair, level):
    rows = tasks.where(tasks.table("tasks_k0"), lang=pair, replace_nans_with_zeros="False")
    # Of one domain, theirs are the same figures at the levels sys and domain.
    rows = [row for row in rows if row["level"] in ({"sys": ("sys", "domain"), "seg": ("seg",)}[level])]
    rows = [row for row in rows if (row["corr_fcn"], row["corr_fcn_args"]) in COEFFICIENTS and row["metric"] != "ERROR"]
    # Which of its two variants has the name there is chance.
    rows = [row for row in rows if (row["refs"], row["metric"]) != ("refA+refB", "lexic")]
    groups: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in TASK), []).append(row)
    equal = undefined = 0
    for (*task, gold, by), part in groups.items():
        if pair != "en-de":
            assert task[1] == "False"  # no outlier is known there
            task[1] = "True"
        asked = {COEFFICIENTS[row["corr_fcn"], row["corr_fcn_args"]] for row in part}
        grids = asked & {"pairwise-difference-pearson"}
        values = {}
        for coefficients in (asked - grids, grids):
            if coefficients:
                found = metaeval.correlate(
                    f"{of_others('gold/tasks/inputs/synth')}.{pair}",
                    [METRICS],
                    **chosen(*task),
                    criteria=[gold],
                    documents={"kind": "all" if level == "sys" else "segments"},
                    judgments={"rule": "stored" if level == "sys" else "mean"},
                    correlation={
                        "coefficients": sorted(coefficients),
                        "average_by": "none" if coefficients is grids else "item" if level == "sys" else AVERAGE_BY[by],
                    },
                    uncertainty={"method": "none"},
                    tests=[],
                )
                values |= {(one.metric, one.coefficient): one.value for one in found.estimates}
        for row in part:
            value = values[named(row), COEFFICIENTS[row["corr_fcn"], row["corr_fcn_args"]]]
            if math.isnan(value):
                # Where no coefficient is defined, they have 0.
                undefined += 1
                assert float(row["corr"]) == 0
            else:
                assert value == pytest.approx(float(row["corr"]), abs=1e-9), row
                equal += 1
    assert (equal, undefined) == EXPECTED[pair, level]


# Figures that are equal; undefined here and 0 there.
EXPECTED = {
    ("cs-uk", "sys"): (158, 47),
    ("en-de", "sys"): (290, 83),
    ("ja-zh", "sys"): (158, 47),
    ("cs-uk", "seg"): (271, 39),
    ("en-de", "seg"): (415, 63),
    ("ja-zh", "seg"): (271, 39),
}

PAIRS = ["cs-en", "de-en", "iu-en", "ja-en", "km-en", "pl-en", "ps-en", "ru-en", "ta-en", "zh-en"]


@pytest.mark.parametrize("pair", PAIRS)
def test_official_coefficients_of_wmt20(pair):
    # Mathur et al. 2020: Pearson with three digits, Kendall's with all, Williams' one-sided p.
    folder = "corpora/wmt20-to-english"
    corpus = metaeval.load_corpus(of_others(f"{folder}/{pair}"))
    official = {row["metric"]: row for row in tasks.where(tasks.table("pearson_all", f"{folder}/published"), pair=pair)}
    kendall = tasks.where(tasks.table("kendall_all", f"{folder}/published"), pair=pair.replace("-", ""))
    williams = tasks.where(tasks.table("williams", f"{folder}/published"), pair=pair.replace("-", ""))
    names = [one.name for one in corpus.scores if (one.origin, one.level) == ("metric", "system")]
    found = metaeval.compare(
        of_others(f"{folder}/{pair}"),
        ["precomputed:*"],
        criteria=["da-z"],
        coefficient=["pearson", "kendall"],
        n_resamples=2,
        ceiling=0,
        tests=[{"method": 'williams(alternative="greater")', "correction": "none"}],
        resample="systems",
    )
    rows = found.to_frame()
    value = {
        (row["metric"].removeprefix("precomputed:"), row["coefficient"]): row["value"] for _, row in rows.iterrows()
    }
    assert len(official) == len(names)
    for name in official:
        # Some tables of the task print no sign.
        assert official[name]["value"].removeprefix("-") == f"{abs(value[name, 'pearson']):.3f}"
        assert int(official[name]["n_systems"]) == len(corpus.systems)
    of_kendall = {row["metric"]: float(row["kendall"]) for row in kendall}
    checked = [abs(of_kendall[name] - value[name, "kendall"]) for name in names if name in of_kendall]
    assert len(checked) == len(names)
    assert max(checked) < 1e-12
    tests = found.results.tests[found.results.tests["coefficient"] == "pearson"]
    p = {}
    for row in tests.to_dict("records"):
        first, second = (row[name].removeprefix("precomputed:") for name in ("metric_a", "metric_b"))
        p[first, second], p[second, first] = row["p"], 1 - row["p"]
    compared = [row for row in williams if (row["better"], row["worse"]) in p]
    assert compared
    for row in compared:
        assert p[row["better"], row["worse"]] == pytest.approx(float(row["p"]), abs=1e-9)


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("level", ["seglevel_allsys", "seglevel_excloutl"])
def test_official_darr_of_wmt20(pair, level):
    # The published values have four digits. Metrics that only systems have are left out of the segments.
    folder = "corpora/wmt20-to-english"
    corpus = metaeval.load_corpus(of_others(f"{folder}/{pair}"))
    table = tasks.table("darr", f"{folder}/published")
    official = tasks.where(table, level=level, pair=pair.replace("-", ""))
    names = [one.name for one in corpus.scores if (one.origin, one.level) == ("metric", "segment")]
    (listed,) = tasks.where(tasks.table("pairs", folder), pair=pair)
    outliers = listed["outliers"].split() if level == "seglevel_excloutl" else []
    found = metaeval.compare(
        of_others(f"{folder}/{pair}"),
        ["precomputed:*"],
        criteria=["da-raw"],
        filter={"without": outliers},
        level="segment",
        coefficient="darr",
        n_resamples=2,
    ).to_frame()
    value = dict(zip(found["metric"], found["value"], strict=True))
    expected = {row["metric"]: float(row["darr_tau"]) for row in official if row["metric"] in names}
    assert len(expected) == len(names)
    for name, tau in expected.items():
        assert value[f"precomputed:{name}"] == pytest.approx(tau, abs=5.1e-5)
    # A constant metric ties every pair, and has the least value there is.
    assert "constant" not in value
