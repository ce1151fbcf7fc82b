"""The verb ``run``: parsing and printing only."""

from __future__ import annotations

import argparse
from typing import Any

from metaeval.cli.shared import positive, tell


def add(verbs: Any) -> None:
    """Add the verb to those there are."""
    verb = verbs.add_parser("run", help="run an experiment", description="Run an experiment.", allow_abbrev=False)
    verb.add_argument("config", help="a config that ships, such as turian2003-chinese, or a TOML file")
    verb.add_argument(
        "--corpus",
        action="append",
        default=[],
        metavar="NAME|DIR",
        help="use this corpus instead of the config's; may be repeated",
    )
    verb.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="another value for a key of the config, in TOML: documents.count=200, 'criteria=[\"Fluency\"]'",
    )
    verb.add_argument("--jobs", type=positive, default=1, metavar="N", help="how many measure at once (1)")
    verb.add_argument("--output", metavar="DIR", help="the directory of the run (runs/NAME of the config)")
    verb.add_argument("--quiet", action="store_true", help="no progress on stderr")
    verb.set_defaults(verb_function=_run)


def _run(options: argparse.Namespace) -> int:
    from metaeval.api import run
    from metaeval.report.summary import summary_tables, summary_text

    def progress(line: str) -> None:
        if not options.quiet:
            tell(line)

    result = run(
        options.config,
        corpora=options.corpus,
        overrides=options.set,
        output=options.output,
        jobs=options.jobs,
        progress=progress,
    )
    for message in result.messages:
        tell(f"note: {message}")
    times = ", ".join(f"{name} {seconds:.2f}" for name, seconds in result.seconds.items())
    progress(f"done     {sum(result.seconds.values()):.2f} s ({times})")
    print(summary_text(summary_tables(result.correlations, result.rankings)))
    print(f"\nTables and figures: {result.directory}")
    return 1 if result.failures else 0
