"""The verbs ``run``, ``compare`` and ``agreement``: printing only."""

from collections.abc import Iterable
from typing import Annotated

from metaeval.api.verbs import Argument
from metaeval.cli.command import Call, Form, Methods, Quiet, Verbose, command, printed_as
from metaeval.cli.console import tell, width
from metaeval.cli.shared import print_answer, print_methods, print_text, tell_notes
from metaeval.errors import UsageError

_VERDICTS = {r"\bHOLDS(?=: |  )": "green", r"\bFAILS(?=: |  )": "red", r"\bUNDECIDED(?=: )": "yellow"}
_TABLES = ("design", "alpha", "ceiling", "pair-means", "pairs", "judges", "systems", "metrics", "groups")


@command(
    name="run",
    calls="run",
    summary="run an experiment",
    examples=["metaeval run turian2003-chinese --set documents.count=200 --jobs 2"],
)
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
    name="compare",
    calls="compare",
    summary="which metric correlates best with human judgments, with intervals and tests",
    examples=[
        'metaeval compare --corpus demo -m bleu ter "gtm(exponent=2)"',
        "metaeval compare --corpus demo -m bleu my_metric.py:score --level segment",
    ],
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
    compared = call()
    if form == "table":
        print_answer(compared.text(width=width(), verbose=verbose))
    else:
        print_text(compared.text(form), form)
    if methods:
        print_methods(compared, form)
    tell_notes(compared, verbose=verbose, quiet=quiet)
    if output and form == "table":
        print(f"\nTables and figures: {output}")
    return 1 if compared.failures else 0


@command(
    name="agreement",
    calls="agreement",
    summary="how far people and automatic judges agree with one another",
    examples=[
        "metaeval agreement labels.csv --people anna ben",
        "metaeval agreement --corpus demo --criterion adequacy -m bleu ter",
    ],
)
def agreement(
    call: Call,
    ratings: Annotated[Iterable[str], Argument("TABLE|CORPUS", complete="paths corpora")] = (),
    *,
    corpus: Annotated[str, Argument("NAME|DIR", "--corpus", "corpora paths")] = "",
    tables: Annotated[Iterable[str], Argument("TABLE", "--table", choices=_TABLES)] = (),
    verbose: Verbose = False,
    quiet: Quiet = False,
    form: Form = "table",
) -> int:
    """Measure how far raters agree: of a table of ratings, or of a corpus.

    Of a table of items, raters and what they said: how often they say the same, kappa, alpha and AC1, with intervals.
    Of a corpus, also the noise ceiling that its judges set for metrics.

    Parameters
    ----------
    ratings
        A table of ratings, in a file or several, or a corpus by name or directory.
    corpus
        A corpus, by name (`metaeval corpus list` shows the names) or directory; the same as TABLE|CORPUS.
    tables
        Show these, each whole: of a table of ratings groups, pairs; of a corpus design, alpha, ceiling, pair-means,
        pairs, judges, systems, metrics. All there are, long ones cut, unless given.
    """
    given = [*ratings, *([corpus] if corpus else [])]
    if not given or (ratings and corpus):
        both = "got both" if given else "got neither"
        raise UsageError(f"TABLE|CORPUS must be given, a table of ratings or a corpus, or --corpus instead; {both}.")
    result = call(corpus=given[0] if len(given) == 1 else given)
    if form == "table":
        print_answer(result.text(form, tables, width(), verbose=verbose))
    else:
        print_text(result.text(form, tables), form)
    tell_notes(result, verbose=verbose, quiet=quiet)
    return 1 if result.failures else 0
