"""Print the table of the README: metrics of the metrics task of WMT23 on two of its three language pairs.

The best five by their average over the tasks and three well-known baselines: the average with its interval and its rank
by WMT's rule, and Pearson's correlation over all systems from Chinese to English, and over the best of them by people.

Usage: python scripts/headline_results.py TREE

TREE is the directory wmt23 of the data of mt-metrics-eval (https://github.com/google-research/mt-metrics-eval). It must
have English to German and Chinese to English; Hebrew to English is left out, so that this is not the published ranking.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import metaeval
from metaeval.report.tables import formatted

PAIRS = ("en-de", "zh-en")
N_BEST = 5
BASELINES = ("COMET", "chrF", "BLEU")
BANDS = (8, 6)
# What mt-metrics-eval calls the scores of a metric that reads no reference, and of one that reads refA.
NO_REFERENCE, SUFFIX_WITHOUT, SUFFIX_WITH = "[noref]", "-src", "-refA"


def headline_rows(tree: Path, permutations: int = 1000) -> list[dict[str, str]]:
    """Return a row for each metric.

    Parameters
    ----------
    tree : Path
        The directory wmt23 of the data of mt-metrics-eval.
    permutations : int
        Of WMT's test, on which the ranks rest.
    """
    corpora = [str(tree.with_name(f"{tree.name}.{pair}")) for pair in PAIRS]
    run = metaeval.run("wmt23", corpora=corpora, overrides={"ranking.permutations": permutations, "figures": []})
    averages = run.averages.set_index("metric")
    metrics = [*averages.index[:N_BEST], *BASELINES]

    files = {}
    for metric in metrics:
        has_no_reference = metric.endswith(NO_REFERENCE)
        name = metric.removesuffix(NO_REFERENCE) + (SUFFIX_WITHOUT if has_no_reference else SUFFIX_WITH)
        files[metric] = f'precomputed:{name}(system="stored")'
    bands = metaeval.compare(
        corpora[PAIRS.index("zh-en")],
        list(files.values()),
        bands=BANDS,
        criteria=["mqm"],
        references=["refA"],
        judgments={"rule": "stored"},
        ceiling=0,
        n_resamples=100,  # the coefficients alone are shown
    )
    values = bands.results.bands
    rows = []
    for metric in averages.index.intersection(metrics):
        average, lower, upper = averages.loc[metric, ["average_correlation", "lower", "upper"]]
        interval = "" if math.isnan(lower) else f" [{lower:.2f}, {upper:.2f}]"
        row = {
            "metric": metric.removesuffix(NO_REFERENCE),
            "average [95 % interval]": f"{average:.2f}{interval}",
            "WMT rank": str(averages.loc[metric, "cluster"]),
        }
        of_metric = values[values["metric"] == files[metric]]
        for band, n_systems, value in zip(of_metric["band"], of_metric["n_systems"], of_metric["value"], strict=True):
            row[f"{band} {n_systems} systems"] = f"{value:.2f}"
        rows.append(row)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tree", type=Path)
    options = parser.parse_args()
    print(formatted(headline_rows(options.tree), "md"))


if __name__ == "__main__":
    main()
