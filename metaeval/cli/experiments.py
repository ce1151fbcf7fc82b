"""The verbs ``run``, ``compare`` and ``agreement``: printing only."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

from metaeval.cli.command import Call, Form, Quiet, command, printed_as
from metaeval.cli.shared import print_text
from metaeval.cli.terminal import tell
from metaeval.declarations import Argument

if TYPE_CHECKING:
    from metaeval.report.frames import Run

_VERDICTS = {r"\bHOLDS(?=: |  )": "green", r"\bFAILS(?=: |  )": "red", r"\bUNDECIDED(?=: )": "yellow"}
_TABLES = ("design", "alpha", "ceiling", "pair-means", "pairs", "judges", "systems", "metrics")


@command("run", "run", "run an experiment", "metaeval run turian2003-chinese --set documents.count=200 --jobs 2")
def run(call: Call, *, shard: Annotated[str, Argument("K/N")] = "", quiet: Quiet = False) -> int:
    """Run an experiment.

    Tables, figures and an HTML report go to a directory of their own, and the tables to the terminal.

    Parameters
    ----------
    shard
        Only compute the K-th of N parts, into the directory that METAEVAL_CACHE names, which all share; once all have
        ended, the same command without `--shard` finds them there and computes what is missing; all unless given.
    """
    if shard:
        from metaeval.api import run_shard

        part = call(run_shard, shard=shard)
        for message in part.warnings:
            tell(f"note: {message}")
        print_text(str(part))
        return 1 if part.failures else 0
    result = call()
    for message in result.warnings:
        tell(f"note: {message}")
    if not quiet:
        times = ", ".join(f"{name} {seconds:.2f}" for name, seconds in result.seconds.items())
        tell(f"done     {sum(result.seconds.values()):.2f} s ({times})")
    print_text(str(result))
    for text in _against_paper(result):
        print_text(f"\n{text}", words=_VERDICTS)
    print(f"\nTables and figures: {result.directory}")
    return 1 if result.failures else 0


def _against_paper(result: "Run") -> Iterator[str]:
    """Give what a paper says beside what was found, as far as the config has it."""
    from metaeval.report.claims import claims_text
    from metaeval.report.examples import examples_text

    tables = result.data.tables
    if tables.claims:
        yield claims_text(tables.claims)
    if tables.examples:
        yield examples_text(tables.examples)
    if tables.published:
        yield f"{len(tables.published)} printed numbers beside ours: {result.directory / 'published.tsv'}"


@command(
    "compare",
    "compare",
    "which metric correlates best with human judgments, with intervals and tests",
    'metaeval compare --corpus demo -m bleu ter "gtm(exponent=2)"',
    "metaeval compare --corpus demo -m bleu my_metric.py:score --level segment",
)
def compare(
    call: Call, *, output: str = "", form: Annotated[str, printed_as("table", "tsv", "json", "md", "latex")] = "table"
) -> int:
    """Show which metric correlates best with human judgments, with confidence intervals and tests."""
    found = call()
    for message in found.results.warnings:
        tell(f"note: {message}")
    print_text(found.text(form), form)
    if output and form == "table":
        print(f"\nTables and figures: {output}")
    return 1 if found.results.failures else 0


@command(
    "agreement",
    "agreement",
    "inter-annotator agreement of a corpus",
    "metaeval agreement --corpus demo --criterion adequacy -m bleu ter",
)
def agreement(
    call: Call,
    *,
    tables: Annotated[Iterable[str], Argument("TABLE", "--table", choices=_TABLES)] = (),
    form: Form = "table",
) -> None:
    """Measure inter-annotator agreement, and the noise ceiling that it sets for metrics.

    Parameters
    ----------
    tables
        Show these, each whole: design, alpha, ceiling, pair-means, pairs, judges, systems, metrics; all there are, long
        ones cut, unless given.
    """
    result = call()
    print_text(result.text(form, tables), form)
    for message in result.warnings:
        tell(f"note: {message}")
