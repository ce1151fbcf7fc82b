"""The verb ``run``: parsing and printing only."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from metaeval.cli.shared import positive, tell

if TYPE_CHECKING:
    from pandas import DataFrame

    from metaeval.experiments.run import Run


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


def _against_paper(result: Run) -> Iterator[str]:
    """Give what a paper says beside what was found, as far as the config tells it."""
    from metaeval.report.claims import claims_text
    from metaeval.report.examples import examples_text

    def rows_of(table: DataFrame) -> list[dict[str, Any]]:
        return [{str(key): value for key, value in row.items()} for row in table.to_dict("records")]

    if len(result.claims):
        yield claims_text(rows_of(result.claims))
    if len(result.examples):
        yield examples_text(rows_of(result.examples))
    if len(result.published):
        yield f"{len(result.published)} printed numbers beside ours: {result.directory / 'published.tsv'}"


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
    for text in _against_paper(result):
        print(f"\n{text}")
    print(f"\nTables and figures: {result.directory}")
    return 1 if result.failures else 0
