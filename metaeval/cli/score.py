"""The verb ``score``: parsing and printing only."""

from __future__ import annotations

import argparse
from typing import Any

from metaeval.cli.shared import add_format, print_rows, tell


def add(verbs: Any) -> None:
    """Add the verb to those there are."""
    verb = verbs.add_parser(
        "score",
        help="score text files",
        description="Score text files with one segment a line.",
        epilog='example:\n  metaeval score -m bleu "gtm(exponent=2)" -c system.txt -r ref1.txt ref2.txt',
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    option = verb.add_argument
    many: dict[str, Any] = {"nargs": "+", "action": "extend", "required": True}
    option(
        "-m", "--metric", metavar="METRIC", help='such as bleu or "gtm(exponent=2)"; `metaeval metrics list`', **many
    )
    option("-c", "--candidate", metavar="FILE", help="texts to score", **many)
    option(
        "-r",
        "--reference",
        metavar="FILE|DIR",
        help="references, an empty line being an empty one; of a directory all .txt files",
        **many,
    )
    option("--tokenize", default="none", metavar="NAME", help="none (white space), 13a, intl, rouge-1.5.5, ... (none)")
    option("--lowercase", action="store_true", help="lower-case everything")
    option("--stem", choices=("porter",), help="lower-case and stem")
    option("--level", choices=("segment", "corpus"), default="corpus", help="one score a segment or a file (corpus)")
    option("--statistics", action="store_true", help="also what the scores are computed from, a table for each metric")
    option("--signature", action="store_true", help="also what determined each score")
    add_format(verb)
    verb.set_defaults(verb_function=_score)


def _score(options: argparse.Namespace) -> int:
    from metaeval.api import score_files

    results = score_files(
        options.metric,
        options.candidate,
        options.reference,
        tokenizer=options.tokenize,
        lowercase=options.lowercase,
        stem=options.stem is not None,
        level=options.level,
        progress=lambda message: tell(f"note: {message}"),
    )
    blocks = [list(result.rows(statistics=options.statistics, signature=options.signature)) for result in results]
    if options.format == "json" or not options.statistics:
        # Only the statistics of metrics differ in their columns.
        blocks = [[row for rows in blocks for row in rows]]
    for number, rows in enumerate(blocks):
        if number:
            print()
        print_rows(rows, options.format)
    for result in results:
        for sentence in (*result.notes, *result.unfinished):
            tell(f"note: {result.metric}: {sentence}")
    return 0
