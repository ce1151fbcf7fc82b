"""[[examples]]: scores of short texts that a paper works out, compared with ours."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from metaeval.components.registries import DEFAULT_PREPROCESSING
from metaeval.errors import MetaevalError, UsageError, unknown
from metaeval.metrics import get_metric
from metaeval.parameters.fields import parameter
from metaeval.report.tables import on_one_line
from metaeval.results.rows import Example
from metaeval.results.tables import fields_of
from metaeval.text.preprocessing import get_preprocessing

SCORE = "score"
_DECIMAL = re.compile(r"[+-]?([0-9]+(\.[0-9]+)?|\.[0-9]+)")
# What the rounding of a computer adds to or takes from a score; no paper prints that many digits.
_TOLERANCE = Decimal("1e-9")


def _check_printed(value: str) -> None:
    if not _DECIMAL.fullmatch(value):
        raise UsageError(
            '`value` must be a plain decimal number in quotes, with the digits that the paper prints, such as "0.750"; '
            f"got {value!r}."
        )


@dataclass(frozen=True)
class ExampleSettings:
    """[[examples]]: what a paper says that a metric gives on a short text."""

    paper: str = parameter(doc="what the paper says, in our words")
    metric: str = parameter(doc="the metric, with parameters", check=get_metric)
    candidate: str = parameter(doc="the text that is scored")
    references: tuple[str, ...] = parameter(doc="the texts it is compared with, at least one")
    value: str = parameter(doc="the number as printed, in quotes, so that its digits are known", check=_check_printed)
    preprocessing: str = parameter(DEFAULT_PREPROCESSING, doc="the preprocessing of the texts", check=get_preprocessing)
    quantity: str = parameter(SCORE, doc="the score, or a statistic of the metric such as matches_1 or edits")
    reading: bool = parameter(False, doc="whether the paper leaves open what we fill in")

    def __post_init__(self) -> None:
        if not self.paper.strip():
            raise UsageError("`paper` of an example must say what the paper says; got an empty text.")
        is_list = bool(self.references) and not isinstance(self.references, str)
        if not is_list:
            raise UsageError(f"`references` of an example must be a list of at least one; got {self.references!r}.")
        statistics = get_metric(self.metric).statistic_names
        if self.quantity not in (SCORE, *statistics):
            message = unknown("statistic", self.quantity, statistics)
            raise UsageError(
                f"`quantity` of an example: {message} These are the statistics of {self.metric!r}; {SCORE!r} is its "
                "score."
            )


def check_examples(examples: Sequence[ExampleSettings]) -> list[Example]:
    """Compute each worked example of a paper and compare it with what is printed.

    Parameters
    ----------
    examples : sequence of ExampleSettings

    Returns
    -------
    list of Example
        An example holds if ours lies within half a unit of the last printed digit, both ends included; a number printed
        without a fraction must be equal. Both are granted 1e-9 for rounding. In texts, each run of white space is one
        blank, and references are joined by `` | ``.

    Raises
    ------
    UsageError
        If a metric cannot score texts, as one whose scores came with a corpus.
    MetricError
        If a metric of the user's own fails.
    """
    return [_checked(number, example) for number, example in enumerate(examples, start=1)]


def _checked(number: int, example: ExampleSettings) -> Example:
    from metaeval.experiment.score import score_texts

    references = {f"ref{position}": [text] for position, text in enumerate(example.references, start=1)}
    preprocessing = get_preprocessing(example.preprocessing)
    try:
        (scores,) = score_texts(
            [example.metric], {"candidate": [example.candidate]}, references, preprocessing, "corpus"
        )
    except MetaevalError as error:
        raise type(error)(f"example {number} ({on_one_line(example.paper)}): {error}") from error
    if example.quantity == SCORE:
        ours = float(scores.values[0, 0])
    else:
        ours = float(scores.statistics[0, 0, scores.statistic_names.index(example.quantity)])
    return Example(
        example=number,
        paper=on_one_line(example.paper),
        candidate=on_one_line(example.candidate),
        references=" | ".join(map(on_one_line, example.references)),
        **fields_of(example, "metric", "preprocessing", "quantity", "value", "reading"),
        ours=ours,
        difference=ours - float(example.value),
        verdict="holds" if agrees(ours, example.value) else "fails",
        signature=str(scores.signature),
    )


def agrees(ours: float, printed: str) -> bool:
    """Return whether a number lies within half a unit of the last digit of a printed one; an integer must be equal.

    Parameters
    ----------
    ours : float
        ``nan`` agrees with nothing.
    printed : str
        A plain decimal number such as ``0.750``.
    """
    number = Decimal(printed)
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    allowed = Decimal(5).scaleb(exponent - 1) if exponent < 0 else Decimal(0)
    exact = Decimal(ours)
    return exact.is_finite() and abs(exact - number) <= allowed + _TOLERANCE
