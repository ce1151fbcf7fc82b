"""The verb ``agreement``: parsing and printing only."""

from __future__ import annotations

import argparse
from typing import Any

from metaeval.cli import completers
from metaeval.cli.completers import completed_by
from metaeval.cli.shared import (
    MANY,
    add_criteria,
    add_format,
    add_judges,
    add_metrics,
    add_quiet,
    add_seed,
    add_source_format,
    number,
    positive,
    print_text,
)
from metaeval.cli.terminal import shown_progress, tell

_TABLES = ("design", "alpha", "ceiling", "pair-means", "pairs", "judges", "systems", "metrics")
_NUMBERS = (
    ("--min-shared", "min_shared", 10, "items that two judges must share to be compared"),
    ("--draws", "n_draws", 100, "random splits of the judgments of each item"),
    ("--resamples", "n_resamples", 1000, "bootstrap replicates of the segments"),
)


def add(verbs: Any) -> None:
    """Add the verb to those there are."""
    verb = verbs.add_parser(
        "agreement",
        help="inter-annotator agreement of a corpus",
        description="Measures inter-annotator agreement, and the noise ceiling that it sets for metrics.",
        examples=["metaeval agreement --corpus demo --criterion adequacy -m bleu ter"],
    )
    option = verb.add_argument
    corpus = option(
        "--corpus", required=True, metavar="NAME|DIR", help="a corpus; `metaeval corpus list` names those known"
    )
    completed_by(corpus, completers.corpora, completers.paths)
    add_source_format(verb)
    add_metrics(verb, "also show how far the order of these metrics depends on single judges", default=[])
    add_criteria(verb)
    add_judges(verb)
    option(
        "--table",
        dest="tables",
        metavar="TABLE",
        choices=_TABLES,
        default=[],
        help=f"show these, each whole: {', '.join(_TABLES)} (default: all there are, long ones cut)",
        **MANY,
    )
    for flag, name, default, what in _NUMBERS:
        option(flag, dest=name, type=positive, default=default, metavar="N", help=f"{what} (default: {default})")
    option(
        "--confidence",
        dest="confidence_level",
        type=number,
        default=0.95,
        metavar="X",
        help="level of the intervals, between 0 and 1 (default: 0.95)",
    )
    add_seed(verb)
    add_format(verb)
    add_quiet(verb)
    verb.set_defaults(verb_function=_agreement)


def _agreement(options: argparse.Namespace) -> int:
    from metaeval.api import agreement

    numbers = (name for _, name, _, _ in _NUMBERS)
    names = ("criteria", "judges", "metrics", "source_formats", "confidence_level", "seed", *numbers)
    with shown_progress(quiet=options.quiet) as progress:
        result = agreement(options.corpus, **{name: getattr(options, name) for name in names}, progress=progress)
    print_text(result.text(options.format, options.tables), options.format)
    for message in result.warnings:
        tell(f"note: {message}")
    return 0
