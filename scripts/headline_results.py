"""Print the table of the README: how well metrics agree with people on the public corpora.

Pearson's correlation across whole systems, all references but the one of WMT21 TED that people rate below every
system. A star stands at the metrics of a column that are not significantly worse than the best, at 5 %.

Usage: python scripts/headline_results.py [--resamples N]. The corpora are those of `metaeval corpus fetch`, with
the judges that they have by default: of SummEval the experts.
"""

from __future__ import annotations

import argparse

import metaeval
from metaeval.report.tables import formatted

METRICS = ("bleu", "nist", "gtm(exponent=2)", "ter", "wer", "rouge-l", "chrf")
# Corpus, criterion, references.
COLUMNS = {
    ("summeval", "relevance", "all"): "summaries, relevance (SummEval)",
    ("webnlg2020-en", "Correctness", "all"): "data to text, correctness (WebNLG 2020)",
    ("wmt21-ted-zhen", "mqm", ("refB",)): "translation, MQM (WMT21 TED)",
}
ALPHA = 0.05


def headline_rows(n_resamples: int | None = None) -> list[dict[str, str]]:
    """Return a row for each metric."""
    cells: dict[str, dict[str, str]] = {metric: {} for metric in METRICS}
    for (corpus, criterion, references), title in COLUMNS.items():
        settings = {"criteria": [criterion], "references": {"subsets": references}}
        found = metaeval.compare(corpus, METRICS, n_resamples=n_resamples, ceiling=0, **settings).to_frame()
        for metric, value, p in zip(found["metric"], found["value"], found["p_worse"], strict=True):
            cells[metric][title] = f"{value:.2f}" + ("\\*" if p >= ALPHA else "")
    return [{"metric": metric, **row} for metric, row in cells.items()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--resamples", type=int)
    options = parser.parse_args()
    print(formatted(headline_rows(options.resamples), "md"))


if __name__ == "__main__":
    main()
