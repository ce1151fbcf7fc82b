"""The verb ``judge``: printing only."""

from typing import Annotated

from metaeval.api.verbs import Argument
from metaeval.cli.command import Call, Methods, Verbose, command, printed_as
from metaeval.cli.console import tell, width
from metaeval.cli.shared import print_answer, print_methods, print_text, tell_notes
from metaeval.errors import UsageError


@command(
    name="judge",
    calls="judge",
    summary="whether an automatic judge is as good as a person",
    examples=[
        "metaeval judge labels.csv --judge gpt4 --people anna ben",
        "metaeval judge labels.csv --judge gpt4 --people anna ben --margin 0.2 --fail",
    ],
)
def judge(
    call: Call,
    *,
    margin: float | None = None,
    fail: Annotated[bool, Argument()] = False,
    figure: Annotated[str, Argument("FILE", complete="paths")] = "",
    page: Annotated[str, Argument("FILE", complete="paths")] = "",
    methods: Methods = False,
    verbose: Verbose = False,
    form: Annotated[str, printed_as("table", "tsv", "json", "md", "latex")] = "table",
) -> int:
    """Compare automatic judges with people: say whether a judge is as good as a person.

    Parameters
    ----------
    fail
        End with exit code 1 where the margin does not hold.
    figure
        Also write a figure of judges, people and the constant answer, .svg, .pdf or .png; none unless given.
    page
        Also write all of it as one page, .html, that needs no network; none unless given.
    """
    if fail and margin is None:
        raise UsageError("--fail asks whether a margin holds: name it, such as --margin 0.05.")
    if methods and form in ("tsv", "json"):
        raise UsageError(
            f"--methods prints a paragraph for readers, and --format {form} numbers: leave one of them out."
        )
    if figure:
        from metaeval.report.grid import checked_picture

        checked_picture(figure)  # before anything that takes long
    if page:
        from metaeval.ratings.report import checked_page

        checked_page(page)
    report = call()
    if form == "table":
        print_answer(report.text(width=width(), verbose=verbose))
    else:
        print_text(report.text(form), form)
    if methods:
        print_methods(report, form)
    tell_notes(report, verbose=verbose)
    if figure:
        tell(f"the figure is in {report.save_figure(figure)}.")
    if page:
        tell(f"the page is in {report.save_page(page)}.")
    return 1 if fail and not report.margin_holds else 0
