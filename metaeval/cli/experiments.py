"""The verbs ``run``, ``compare`` and ``agreement``: printing only."""

from collections.abc import Iterable
from typing import Annotated

from metaeval.api.verbs import Argument
from metaeval.cli.command import Call, Form, Methods, Quiet, Verbose, command, printed_as
from metaeval.cli.console import tell, width
from metaeval.cli.shared import print_answer, print_methods, print_text, tell_notes
from metaeval.errors import UsageError

_VERDICTS = {r"\bHOLDS(?=: |  )": "green", r"\bFAILS(?=: |  )": "red", r"\bUNDECIDED(?=: )": "yellow"}
_TABLES = ("design", "alpha", "ceiling", "pair-means", "pairs", "judges", "systems", "metrics")


@command("run", "run", "run an experiment", "metaeval run turian2003-chinese --set documents.count=200 --jobs 2")
def run(call: Call, *, methods: Methods = False, verbose: Verbose = False, quiet: Quiet = False) -> int:
    """Run an experiment.

    Tables, figures and an HTML report go to a directory of their own, and the tables to the terminal.
    """
    result = call()
    print_answer(result.text(width=width(), verbose=verbose), _VERDICTS)
    if methods:
        print_methods(result)
    print(f"\nTables and figures: {result.directory}")
    tell_notes(result, verbose=verbose, quiet=quiet)
    if not quiet:
        times = ", ".join(f"{name} {seconds:.2f}" for name, seconds in result.seconds.items())
        tell(f"done     {sum(result.seconds.values()):.2f} s ({times})")
    return 1 if result.failures else 0


@command(
    "compare",
    "compare",
    "which metric correlates best with human judgments, with intervals and tests",
    'metaeval compare --corpus demo -m bleu ter "gtm(exponent=2)"',
    "metaeval compare --corpus demo -m bleu my_metric.py:score --level segment",
)
def compare(
    call: Call,
    *,
    output: str = "",
    methods: Methods = False,
    verbose: Verbose = False,
    quiet: Quiet = False,
    form: Annotated[str, printed_as("table", "tsv", "json", "md", "latex")] = "table",
) -> int:
    """Show which metric correlates best with human judgments, with confidence intervals and tests."""
    if methods and form in ("tsv", "json"):
        raise UsageError(
            f"--methods prints a paragraph for readers, and --format {form} a table for programs: leave one of them "
            "out, or choose --format table, md or latex."
        )
    found = call()
    if form == "table":
        print_answer(found.text(width=width(), verbose=verbose))
    else:
        print_text(found.text(form), form)
    if methods:
        print_methods(found, form)
    tell_notes(found, verbose=verbose, quiet=quiet)
    if output and form == "table":
        print(f"\nTables and figures: {output}")
    return 1 if found.failures else 0


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
    verbose: Verbose = False,
    quiet: Quiet = False,
    form: Form = "table",
) -> int:
    """Measure inter-annotator agreement, and the noise ceiling that it sets for metrics.

    Parameters
    ----------
    tables
        Show these, each whole: design, alpha, ceiling, pair-means, pairs, judges, systems, metrics; all there are, long
        ones cut, unless given.
    """
    result = call()
    if form == "table":
        print_answer(result.text(form, tables, width(), verbose=verbose))
    else:
        print_text(result.text(form, tables), form)
    tell_notes(result, verbose=verbose, quiet=quiet)
    return 1 if result.failures else 0
