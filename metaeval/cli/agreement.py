"""The verb ``agreement``: parsing and printing only."""

from __future__ import annotations

import argparse
from typing import Any

from metaeval.cli.shared import add_format, tell

_NUMBERS = (
    ("--resamples", "n_resamples", 1000, "bootstrap replicates of the segments"),
    ("--draws", "n_draws", 100, "random splits of the judgments of each item"),
    ("--min-shared", "min_shared", 10, "items that two judges must share to be compared"),
    ("--seed", "seed", 1, "all chance comes from it"),
)


def add(verbs: Any) -> None:
    """Add the verb to those there are."""
    verb = verbs.add_parser(
        "agreement",
        help="how well the judges of a corpus agree",
        description="Tells how well the judges of a corpus agree, and what that allows a metric.",
        epilog="example:\n  metaeval agreement --corpus demo --criterion adequacy -m bleu ter",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    option = verb.add_argument
    many: dict[str, Any] = {"nargs": "+", "action": "extend", "default": []}
    option("--corpus", required=True, metavar="NAME|DIR", help="a corpus; `metaeval corpus list` names those known")
    option("--criterion", dest="criteria", metavar="NAME", help="these criteria (all)", **many)
    option("--judges", metavar="PATTERN", help="these judges, by name or pattern such as 'expert*' (all)", **many)
    option(
        "-m", "--metric", dest="metrics", metavar="METRIC", help="also what their order owes to single judges", **many
    )
    option(
        "--table",
        dest="tables",
        metavar="TABLE",
        help="these tables, each whole: design, alpha, ceiling, pair-means, pairs, judges, systems, metrics",
        **many,
    )
    for flag, name, default, what in _NUMBERS:
        option(flag, dest=name, type=int, default=default, metavar="N", help=f"{what} ({default})")
    option("--confidence", dest="confidence_level", type=float, default=0.95, metavar="X", help="of intervals (0.95)")
    add_format(verb)
    verb.set_defaults(verb_function=_agreement)


def _agreement(options: argparse.Namespace) -> int:
    from metaeval.api import agreement

    names = ("criteria", "judges", "metrics", "confidence_level", *(name for _, name, _, _ in _NUMBERS))
    result = agreement(options.corpus, **{name: getattr(options, name) for name in names}, progress=tell)
    print(result.text(options.format, options.tables))
    for message in result.messages:
        tell(f"note: {message}")
    return 0
