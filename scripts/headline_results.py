"""Print the table of the README: how well metrics agree with people on public corpora.

System-level Pearson correlation with the human judgments of each corpus; of SummEval, those of the experts. All
references are used; of WMT23, those of its metrics task. A star stands at the metrics of a column that are
not significantly worse than the best, at 5 %, each looked at by itself.

Usage: python scripts/headline_results.py [--tree DIR] [--resamples N]

SummEval and WebNLG are those of `metaeval corpus fetch`; DIR is the directory wmt23 of the data of mt-metrics-eval
(https://github.com/google-research/mt-metrics-eval).
"""

from __future__ import annotations

import argparse
from pathlib import Path

import metaeval
from metaeval.report.tables import formatted

METRICS = ("bleu", "nist", "gtm(exponent=2)", "ter", "wer", "rouge-l", "chrf")
TREE = "wmt23"
# Corpus (a language pair of the tree after a point), criterion, references.
COLUMNS = {
    ("summeval", "relevance", "all"): "summaries, relevance (SummEval)",
    ("webnlg2020-en", "Correctness", "all"): "data to text, correctness (WebNLG 2020)",
    (f"{TREE}.en-de", "mqm", ("refA",)): "English to German, MQM (WMT23)",
    (f"{TREE}.zh-en", "mqm", ("refA",)): "Chinese to English, MQM (WMT23)",
}
ALPHA = 0.05


def headline_rows(tree: Path, n_resamples: int | None = None) -> list[dict[str, str]]:
    """Return a row for each metric.

    Parameters
    ----------
    tree : Path
        The directory wmt23 of the data of mt-metrics-eval.
    n_resamples : int, optional
    """
    cells: dict[str, dict[str, str]] = {metric: {} for metric in METRICS}
    for (name, criterion, references), title in COLUMNS.items():
        corpus = str(tree.with_name(name)) if name.startswith(f"{TREE}.") else name
        settings = {"criteria": [criterion], "references": {"subsets": references}}
        found = metaeval.compare(corpus, METRICS, n_resamples=n_resamples, ceiling=0, **settings).to_frame()
        for metric, value, p in zip(found["metric"], found["value"], found["p_worse"], strict=True):
            cells[metric][title] = f"{value:.2f}" + ("\\*" if p >= ALPHA else "")
    return [{"metric": metric, **row} for metric, row in cells.items()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tree", type=Path, default=Path("mt-metrics-eval-v2") / TREE)
    parser.add_argument("--resamples", type=int)
    options = parser.parse_args()
    print(formatted(headline_rows(options.tree, options.resamples), "md"))


if __name__ == "__main__":
    main()
