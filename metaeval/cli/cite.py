"""The verb ``cite``: parsing and printing only."""

from __future__ import annotations

import argparse
from typing import Any


def add(verbs: Any) -> None:
    """Add the verb to those there are."""
    verb = verbs.add_parser(
        "cite",
        help="how to cite metaeval and what was used with it",
        description="Prints how to cite metaeval, and the sources of whatever is named.",
        epilog="example:\n  metaeval cite bleu 'stem(tokenizer=\"13a\")' turian2003-chinese runs/mine --format bibtex",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    verb.add_argument(
        "names", nargs="*", metavar="NAME|PATH", help="metrics, conditions, tokenizers, corpora, configs, runs"
    )
    verb.add_argument("--format", choices=("text", "bibtex"), default="text", help="of the output (text)")
    verb.set_defaults(verb_function=_cite)


def _cite(options: argparse.Namespace) -> int:
    from metaeval.api import cite

    print(cite(options.names, form=options.format))
    return 0
