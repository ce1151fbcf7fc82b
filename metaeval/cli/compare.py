"""The verb ``compare``: parsing and printing only."""

from __future__ import annotations

import argparse
from typing import Any

from metaeval.cli import completers
from metaeval.cli.completers import completed_by
from metaeval.cli.shared import (
    MANY,
    add_criteria,
    add_format,
    add_jobs,
    add_judges,
    add_metrics,
    add_output,
    add_preprocessing,
    add_quiet,
    add_seed,
    add_source_format,
    not_negative,
    positive,
    print_text,
)
from metaeval.cli.terminal import shown_progress, tell


def add(verbs: Any) -> None:
    """Add the verb to those there are."""
    verb = verbs.add_parser(
        "compare",
        help="which metric agrees best with people, and how sure is that?",
        description="Tells which metric agrees best with people, and how sure that is.",
        examples=[
            'metaeval compare --corpus demo -m bleu ter "gtm(exponent=2)"',
            "metaeval compare --corpus demo -m bleu my_metric.py:score --level segment",
        ],
    )
    option = verb.add_argument
    corpus = option(
        "--corpus", metavar="NAME|DIR", required=True, help="corpora; `metaeval corpus list` names those known", **MANY
    )
    completed_by(corpus, completers.corpora, completers.paths)
    add_source_format(verb)
    add_metrics(verb, 'such as bleu, "gtm(exponent=2)", my_metric.py:function or scores:FILE', required=True)
    add_criteria(verb)
    add_judges(verb)
    option(
        "--references",
        metavar="SUBSET",
        help="subsets such as ref1 or ref1+ref2, a table for each (default: all references together)",
        **MANY,
    )
    add_preprocessing(verb)
    level = option(
        "--level",
        metavar="LEVEL",
        default="system",
        help='system, segment or "documents(length=10)" (default: system)',
    )
    completed_by(level, lambda prefix, arguments: ("system", "segment", "documents"))
    coefficient = option(
        "--coefficient",
        metavar="NAME",
        default="pearson",
        help="pearson, spearman, kendall, pairwise-accuracy or soft-pairwise-accuracy (default: pearson)",
    )
    completed_by(coefficient, completers.coefficients)
    option(
        "--resample",
        choices=("segments", "systems", "both"),
        default="segments",
        help="what intervals and the p of bootstrap and permutation speak about: other segments, other systems, or "
        "both, where a permutation speaks about segments (default: segments)",
    )
    test = option(
        "--test",
        metavar="NAME",
        default="bootstrap",
        help="bootstrap; permutation, over what is resampled; for whole systems also williams, which speaks about "
        "other systems (default: bootstrap)",
    )
    completed_by(test, completers.tests)
    option(
        "--ceiling",
        type=not_negative,
        default=100,
        metavar="N",
        help="random splits of the judgments for the noise ceiling; 0: none (default: 100)",
    )
    option(
        "--resamples",
        type=positive,
        metavar="N",
        help="replicates (default: 10,000; 1000 for pseudo-documents)",
    )
    add_seed(verb)
    add_jobs(verb)
    add_output(verb, "DIR", "also write a run: tables, figures, everything behind them")
    add_format(verb, ("table", "tsv", "json", "md", "latex"))
    add_quiet(verb)
    verb.set_defaults(verb_function=_compare)


def _compare(options: argparse.Namespace) -> int:
    from metaeval.api import compare

    settings: dict[str, Any] = {"references": {"subsets": options.references}} if options.references else {}
    if options.source_formats:
        settings["source_formats"] = options.source_formats
    with shown_progress(quiet=options.quiet) as progress:
        found = compare(
            options.corpus,
            options.metrics,
            criteria=options.criteria or "all",
            judges=options.judges,
            preprocessing=options.preprocessing,
            level=options.level,
            coefficient=options.coefficient,
            resample=options.resample,
            n_resamples=options.resamples,
            test=options.test,
            ceiling=options.ceiling,
            seed=options.seed,
            jobs=options.jobs,
            output=options.output,
            progress=progress,
            **settings,
        )
    for message in found.results.warnings:
        tell(f"note: {message}")
    print_text(found.text(options.format), options.format)
    if options.output and options.format == "table":
        print(f"\nTables and figures: {options.output}")
    return 1 if found.results.failures else 0
