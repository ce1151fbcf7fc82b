"""The verb ``agreement`` of the command line: parsing and printing only."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

_NUMBERS = (
    ("--resamples", "n_resamples", 1000, "bootstrap replicates of the segments"),
    ("--draws", "n_draws", 100, "random splits of the judgments of each item"),
    ("--min-shared", "min_shared", 10, "items that two judges must share to be compared"),
    ("--seed", "seed", 1, "all chance comes from it"),
)


def add_agreement(verbs: Any, add_format: Callable[[argparse.ArgumentParser], None]) -> None:
    """Add the verb to those there are; `add_format` adds the option ``--format``."""
    verb = verbs.add_parser(
        "agreement",
        help="how well the judges of a corpus agree",
        description="Tells how well the judges of a corpus agree, and what that allows a metric.",
        epilog="example:\n  metaeval agreement --corpus demo --criterion adequacy -m bleu ter",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = verb.add_argument
    many: dict[str, Any] = {"nargs": "+", "action": "extend", "default": []}
    add("--corpus", required=True, metavar="NAME|DIR", help="a corpus; `metaeval corpus list` names those known")
    add("--criterion", dest="criteria", metavar="NAME", help="these criteria (all)", **many)
    add("--judges", metavar="PATTERN", help="these judges, by name or pattern such as 'expert*' (all)", **many)
    add("-m", "--metric", dest="metrics", metavar="METRIC", help="also what their order owes to single judges", **many)
    add(
        "--table",
        dest="tables",
        metavar="TABLE",
        help="these tables, each whole: design, alpha, ceiling, pair-means, pairs, judges, systems, metrics",
        **many,
    )
    for option, name, default, what in _NUMBERS:
        add(option, dest=name, type=int, default=default, metavar="N", help=f"{what} ({default})")
    add("--confidence", dest="confidence_level", type=float, default=0.95, metavar="X", help="of intervals (0.95)")
    add_format(verb)
    verb.set_defaults(verb_function=_agreement)


def _agreement(options: argparse.Namespace) -> int:
    from metaeval.api import agreement

    names = ("criteria", "judges", "metrics", "confidence_level", *(name for _, name, _, _ in _NUMBERS))
    result = agreement(
        options.corpus,
        **{name: getattr(options, name) for name in names},
        progress=lambda line: print(f"metaeval: {line}", file=sys.stderr),
    )
    print(result.text(options.format, options.tables))
    for message in result.messages:
        print(f"metaeval: note: {message}", file=sys.stderr)
    return 0
