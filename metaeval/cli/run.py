"""The verb ``run``: parsing and printing only."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from metaeval.cli import completers
from metaeval.cli.completers import completed_by
from metaeval.cli.shared import add_jobs, add_judges, add_output, add_quiet, add_source_format, print_text
from metaeval.cli.terminal import shown_progress, tell

if TYPE_CHECKING:
    from metaeval.report.frames import Run

_VERDICTS = {r"\bHOLDS(?=: |  )": "green", r"\bFAILS(?=: |  )": "red", r"\bUNDECIDED(?=: )": "yellow"}


def add(verbs: Any) -> None:
    """Add the verb to those there are."""
    verb = verbs.add_parser(
        "run",
        help="run an experiment",
        description="Runs an experiment: tables, figures and a page for a browser go to a directory of their own, and "
        "the tables to the terminal.",
        examples=["metaeval run turian2003-chinese --set documents.count=200 --jobs 2"],
    )
    config = verb.add_argument(
        "config", metavar="CONFIG", help="a config that ships, such as turian2003-chinese, or a TOML file"
    )
    completed_by(config, completers.configs, completers.toml_files)
    corpus = verb.add_argument(
        "--corpus",
        action="append",
        default=[],
        metavar="NAME|DIR",
        help="a corpus instead of the config's; may be repeated (default: those of the config)",
    )
    completed_by(corpus, completers.corpora, completers.paths)
    add_source_format(verb)
    add_judges(verb)
    keys = verb.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="another value for a key of the config, in TOML, such as documents.count=200 or "
        "'criteria=[\"fluency\"]'; may be repeated",
    )
    completed_by(keys, completers.config_keys)
    add_jobs(verb)
    add_output(verb, "DIR", "the directory of the run; an earlier run there is replaced (default: runs/NAME)")
    add_quiet(verb)
    verb.set_defaults(verb_function=_run)


def _against_paper(result: Run) -> Iterator[str]:
    """Give what a paper says beside what was found, as far as the config tells it."""
    from metaeval.report.claims import claims_text
    from metaeval.report.examples import examples_text

    tables = result.data.tables
    if tables.claims:
        yield claims_text(tables.claims)
    if tables.examples:
        yield examples_text(tables.examples)
    if tables.published:
        yield f"{len(tables.published)} printed numbers beside ours: {result.directory / 'published.tsv'}"


def _run(options: argparse.Namespace) -> int:
    from metaeval.api import run
    from metaeval.report.summary import summary_tables, summary_text

    with shown_progress(quiet=options.quiet) as progress:
        result = run(
            options.config,
            corpora=options.corpus,
            judges=options.judges,
            source_formats=options.source_formats,
            overrides=options.set,
            output=options.output,
            jobs=options.jobs,
            progress=progress,
        )
    for message in result.warnings:
        tell(f"note: {message}")
    if not options.quiet:
        times = ", ".join(f"{name} {seconds:.2f}" for name, seconds in result.seconds.items())
        tell(f"done     {sum(result.seconds.values()):.2f} s ({times})")
    print_text(summary_text(summary_tables(result.data)))
    for text in _against_paper(result):
        print_text(f"\n{text}", words=_VERDICTS)
    print(f"\nTables and figures: {result.directory}")
    return 1 if result.failures else 0
