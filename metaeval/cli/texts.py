"""The verbs ``score`` and ``grid``: printing only."""

from collections.abc import Sequence
from typing import Annotated

from metaeval.api.verbs import Argument
from metaeval.cli.command import Call, Form, Quiet, command
from metaeval.cli.console import tell, width
from metaeval.cli.shared import print_rows, print_text, tell_notes
from metaeval.errors import UsageError


@command(
    name="score",
    calls="score_files",
    summary="score text files, or the systems of a corpus",
    examples=[
        "metaeval score -m bleu ter -c system.txt -r ref1.txt ref2.txt",
        'metaeval score -m "gtm(exponent=2)" -c system.txt -r ref1.txt --level segment',
        "metaeval score -m bleu --corpus demo -r ref1 ref2 --output scores.tsv",
    ],
)
def score(
    call: Call,
    *,
    corpus: str = "",
    candidates: Sequence[str] = (),
    references: Sequence[str] = (),
    output: str = "",
    statistics: Annotated[bool, Argument()] = False,
    signature: Annotated[bool, Argument()] = False,
    scale: Annotated[str | None, Argument(choices=("field", "raw"))] = None,
    form: Form = "table",
    quiet: Quiet = False,
) -> int:
    """Score text files with one segment a line, or the systems of a corpus.

    Parameters
    ----------
    statistics
        Also print what the scores are computed from, a table for each metric.
    signature
        Also print what determined each score.
    scale
        Scale of scores in a table for reading: by default field, on which sacreBLEU prints BLEU, TER and chrF; or raw,
        that of the metric, which other formats have.
    """
    if scale == "field" and form != "table":
        raise UsageError(
            f"--scale field belongs to --format table; --format {form} has the scores of the metric itself (raw), such "
            "as BLEU from 0 to 1. Leave --scale out."
        )
    if not corpus and not (candidates and references):
        raise UsageError("-c/--candidate and -r/--reference must be given, or --corpus.")
    scores = call()
    if form == "table":
        print_text(scores.text(width(), scale or "field"))
    blocks = [list(metric_scores.rows(statistics=statistics, signature=signature)) for metric_scores in scores]
    if form == "table" and not statistics:
        blocks = (
            [[{"metric": metric_scores.metric, "signature": str(metric_scores.signature)} for metric_scores in scores]]
            if signature
            else []
        )
    elif form == "json" or not statistics:
        # Only the statistics of metrics differ in their columns.
        blocks = [[row for rows in blocks for row in rows]]
    for number, rows in enumerate(blocks):
        if number or form == "table":
            print()
        print_rows(rows, form)
    tell_notes(scores, quiet=quiet)
    if output:
        tell(f"the scores are in {output}; all its metrics are named 'scores:{output}(metric=\"*\")'.")
    return 1 if scores.failures else 0


@command(
    name="grid",
    calls="grid",
    summary="the bitext grid of a segment, with the runs that GTM matches",
    examples=['metaeval grid -c "the cat sat" -r "the cat sat down" --output grid.svg'],
)
def grid(call: Call, *, output: Annotated[str, Argument("FILE", complete="paths")] = "") -> None:
    """Show the bitext grid of a segment, with the runs that GTM matches and the score they make.

    Parameters
    ----------
    output
        Also write a picture: .svg, .pdf or .png.
    """
    bitext_grid = call()
    # The picture first: if its name is wrong, that is all that is printed.
    try:
        path = bitext_grid.save(output) if output else None
    except OSError as error:
        raise UsageError(f"--output {output}: cannot be written: {error.strerror}.") from error
    print(bitext_grid)
    if path is not None:
        tell(f"the picture is in {path}.")
