"""The verb ``compare``: parsing and printing only."""

from __future__ import annotations

import argparse
from typing import Any

from metaeval.cli.shared import positive, tell


def add(verbs: Any) -> None:
    """Add the verb to those there are."""
    verb = verbs.add_parser(
        "compare",
        help="which metric agrees best with people, and how sure is that?",
        description="Tells which metric agrees best with people, and how sure that is.",
        epilog='example:\n  metaeval compare --corpus demo -m bleu "gtm(exponent=2)" my.py:score --level segment',
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_argument = verb.add_argument
    many: dict[str, Any] = {"nargs": "+", "action": "extend"}
    add_argument("--corpus", metavar="NAME|DIR", required=True, help="`metaeval corpus list` names those known", **many)
    add_argument(
        "-m",
        "--metric",
        metavar="METRIC",
        required=True,
        help='such as bleu, "gtm(exponent=2)", my_metric.py:function, scores:FILE',
        **many,
    )
    add_argument("--criterion", dest="criteria", metavar="NAME", help="what was judged (all)", **many)
    add_argument("--condition", default='case(tokenizer="13a")', help='treatment of texts (case(tokenizer="13a"))')
    add_argument("--level", default="system", help='system, segment or "documents(length=10)" (system)')
    add_argument("--coefficient", default="pearson", help="pearson, spearman, pairwise-accuracy, ... (pearson)")
    add_argument(
        "--resample",
        choices=("segments", "systems", "both"),
        default="segments",
        help="what intervals and p speak about (segments)",
    )
    add_argument("--test", default="bootstrap", help="bootstrap; for systems also williams, permutation (bootstrap)")
    add_argument("--resamples", type=positive, metavar="N", help="replicates (10,000; 1000 for random documents)")
    add_argument("--ceiling", type=int, default=100, metavar="N", help="splits for the noise ceiling; 0: none (100)")
    add_argument("--references", metavar="SUBSET", help="such as ref1 or ref1+ref2, a table each (all)", **many)
    add_argument("--seed", type=int, default=1, metavar="N", help="all chance comes from it (1)")
    add_argument("--jobs", type=positive, default=1, metavar="N", help="how many measure or resample at once (1)")
    add_argument("--output", metavar="DIR", help="also write a run: tables, figures, everything behind them")
    add_argument(
        "--format", choices=("table", "tsv", "json", "md", "latex"), default="table", help="of the output (table)"
    )
    add_argument("--quiet", action="store_true", help="no progress on stderr")
    verb.set_defaults(verb_function=_compare)


def _compare(options: argparse.Namespace) -> int:
    from metaeval.api import compare

    settings: dict[str, Any] = {"references": {"subsets": options.references}} if options.references else {}
    found = compare(
        options.corpus,
        options.metric,
        criteria=options.criteria or "all",
        condition=options.condition,
        level=options.level,
        coefficient=options.coefficient,
        resample=options.resample,
        n_resamples=options.resamples,
        test=options.test,
        ceiling=options.ceiling,
        seed=options.seed,
        jobs=options.jobs,
        output=options.output,
        progress=(lambda line: None) if options.quiet else tell,
        **settings,
    )
    for message in found.results.messages:
        tell(f"note: {message}")
    print(found.text(options.format))
    if options.output and options.format == "table":
        print(f"\nTables and figures: {options.output}")
    return 1 if found.results.failures else 0
