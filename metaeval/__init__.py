"""metaeval meta-evaluates MT and NLG metrics: how well they correlate with human judgments.

Is my metric better, and how certain is that?

    metaeval.compare("demo", ["bleu", "chrf", my_metric], criteria="adequacy")

compare, correlate, run       metrics and human judgments: a table with tests, coefficients, a whole experiment
score, score_files, grid      metrics of texts, without judgments
judge, agreement              is a judge as good as a person; do the annotators agree
corpus, load_corpus           a corpus from a table, by name or from files; fetch_, simulate_, convert_,
                              check_, describe_corpus; list_corpora, list_formats, describe_format
list_metrics                  metrics by name; describe_metric, and check_metric for one of your own
load_run                      what `run` has written; report_run, draw_run, export_run, diff_runs
stats                         coefficients on plain arrays
cite                          what to cite
cache_info                    what is kept on disk; verify_cache, prune_cache

Results have `to_frame`, and print as text. For details see the help of each, such as `help(metaeval.compare)`.

>>> import metaeval
>>> corpus = metaeval.load_corpus("demo")
>>> len(corpus.systems)
8

The names in ``metaeval.__all__`` are the public API. Everything else may change without notice, except what authors
of metrics build on: `metaeval.metrics.contract`, `metaeval.metrics.text_metric`, `metaeval.parameters` and
`metaeval.datamodel.corpus`.
"""

from __future__ import annotations

from pathlib import Path

from metaeval.components.registry import exported, load
from metaeval.version import VERSION

__version__ = VERSION

# Type checkers read the names in the same file.
_PLACES = exported(Path(__file__).with_suffix(".pyi"))
__all__ = sorted([*_PLACES, "__version__"])


def __getattr__(name: str) -> object:
    """Import the public verbs when they are first used, so that the command line answers at once."""
    if name in _PLACES:
        found: object = load(_PLACES[name])
        globals()[name] = found
        return found
    raise AttributeError(f"module 'metaeval' has no attribute {name!r}")


# Types of results, which are needed in annotations alone.
_RESULT_TYPES = {
    "Agreement",
    "Block",
    "Compared",
    "ComparisonTable",
    "Estimate",
    "Finding",
    "Grid",
    "JudgeReport",
    "Key",
    "Lengths",
    "MetricReport",
    "Problem",
    "Problems",
    "Results",
    "Run",
    "RunsDiff",
    "ScoreTable",
    "Scores",
    "Step",
}


def __dir__() -> list[str]:
    return [name for name in __all__ if name not in _RESULT_TYPES]
