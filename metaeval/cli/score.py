"""The verb ``score``: parsing and printing only."""

from __future__ import annotations

import argparse
from typing import Any

from metaeval.cli import completers
from metaeval.cli.completers import completed_by
from metaeval.cli.shared import MANY, add_format, add_metrics, add_source_format, add_treatment, print_rows
from metaeval.cli.terminal import tell, tell_error


def add(verbs: Any) -> None:
    """Add the verb to those there are."""
    verb = verbs.add_parser(
        "score",
        help="score text files",
        description="Scores text files with one segment a line, or the systems of a corpus.",
        examples=[
            "metaeval score -m bleu ter -c system.txt -r ref1.txt ref2.txt",
            'metaeval score -m "gtm(exponent=2)" -c system.txt -r ref1.txt --level segment',
            "metaeval score -m bleu --corpus demo -r ref1 ref2 --tokenize 13a",
        ],
    )
    option = verb.add_argument
    corpus = option("--corpus", metavar="NAME|DIR", help="a corpus, whose systems are scored, instead of files")
    completed_by(corpus, completers.corpora, completers.paths)
    add_source_format(verb)
    add_metrics(verb, 'such as bleu or "gtm(exponent=2)"; `metaeval metrics list` names those known', required=True)
    candidate = option("-c", "--candidate", metavar="FILE", help="texts to score (default: a corpus)", **MANY)
    completed_by(candidate, completers.paths)
    reference = option(
        "-r",
        "--reference",
        metavar="PATH",
        help="references, an empty line being an empty one; of a directory all .txt files; with a corpus, their names "
        "in it (default: all of the corpus)",
        **MANY,
    )
    completed_by(reference, completers.paths)

    add_treatment(verb)
    option(
        "--level",
        choices=("segment", "corpus"),
        default="corpus",
        help="one score for each segment, or for each file (default: corpus)",
    )
    option("--statistics", action="store_true", help="also what the scores are computed from, a table for each metric")
    option("--signature", action="store_true", help="also what determined each score")
    add_format(verb)
    verb.set_defaults(verb_function=_score)


def _score(options: argparse.Namespace) -> int:
    from metaeval.api import score_files
    from metaeval.errors import UsageError

    if options.corpus is None and not (options.candidate and options.reference):
        raise UsageError("-c/--candidate and -r/--reference must be given, or --corpus.")
    found = score_files(
        options.metrics,
        options.candidate or (),
        options.reference or (),
        corpus=options.corpus,
        source_formats=options.source_formats,
        tokenizer=options.tokenize,
        lowercase=options.lowercase,
        stem=options.stem is not None,
        level=options.level,
    )
    blocks = [list(one.rows(statistics=options.statistics, signature=options.signature)) for one in found]
    if options.format == "json" or not options.statistics:
        # Only the statistics of metrics differ in their columns.
        blocks = [[row for rows in blocks for row in rows]]
    for number, rows in enumerate(blocks):
        if number:
            print()
        print_rows(rows, options.format)
    for message in found.warnings:
        tell(f"note: {message}")
    for failure in found.failures:
        tell_error(failure)
    return 1 if found.failures else 0
