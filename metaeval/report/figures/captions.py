"""Words in captions, axes and legends for preprocessing, references, coefficients, intervals and tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from metaeval.components.registries import COEFFICIENTS, CORRECTIONS, DOCUMENTS, TESTS
from metaeval.datamodel.corpus import NO_REFERENCES
from metaeval.parameters.calls import parse_call
from metaeval.report.phrases import interval_caption, preprocessing_words, quantity, reference_words
from metaeval.sampling.references import names_of

if TYPE_CHECKING:
    import pandas as pd

# More references are counted and not named.
_MAX_NAMES = 3


def references_words(subset: str) -> str:
    """Return a reference subset in words: its names, or how many there are, and how several subsets are drawn."""
    if not subset:
        return ""
    if subset == NO_REFERENCES:
        return ""  # a metric that has none, or scores that others computed
    kind, names = names_of(subset)
    if not kind:
        return reference_words(subset) if len(names) == 1 else _counted(names)
    if not names:
        sizes: dict[str, Any] = dict(parse_call(subset).arguments)
        return f"{_number(sizes['size'], 'reference')}, {_number(sizes['count'], f'{_SUBSET_WORDS[kind]} choice')}"
    return _COMBINATION_WORDS.get(kind, "{} in listed subsets").format(_number(len(names), "reference"))


_SUBSET_WORDS = {"every": "possible", "random": "random"}
_COMBINATION_WORDS = {"each": "each of {} by itself", "leave-one-out": "all but one of {}", "all": "all of {}"}


def _counted(names: Sequence[str]) -> str:
    return f"references {', '.join(names)}" if len(names) <= _MAX_NAMES else f"{len(names)} references"


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' if count != 1 else ''}"


def quantity_words(coefficient: str, *, parameters: bool = True) -> str:
    """Return a coefficient as captions have it, ``Pearson correlation``; for axes without parameters."""
    kind = COEFFICIENTS.named(coefficient)
    if parameters or kind.is_user_function or kind.is_fitted:
        return quantity(coefficient)
    return quantity(parse_call(coefficient).name)


def test_words(test: str, correction: str) -> str:
    """Return a test and how its p-values are corrected: ``Williams's test, Holm``."""
    return ", ".join(filter(None, [TESTS.named(test).words, CORRECTIONS[correction].title]))


def interval_words(rows: pd.DataFrame) -> tuple[str, str]:
    """Describe the intervals of correlations, such as ``95 % confidence intervals (bootstrap over segments)``.

    And if none has one, why; each is "" where there is nothing to say.
    """
    words, why_none = interval_caption(rows.to_dict("records"), about=False)
    return words.replace("denoised ", "").replace("confidence interval ", "confidence intervals "), why_none


def points_words(rows: pd.DataFrame) -> str:
    """Describe the points, from the first row of correlations."""
    first = rows.iloc[0]
    units = DOCUMENTS[first["documents"]]
    average_by = first["average_by"]
    if units.is_whole:
        return f"Points: coefficients over {_number(int(first['n_systems']), 'system')}."
    several = " of each length" if rows["length"].nunique() > 1 else ""
    documents = f"{first['n_documents']} {units.title}{several}" if units.is_drawn else units.title
    if average_by == "none":
        return f"Points: coefficients over {documents} and all systems."
    if average_by == "system":
        return f"Points: means over the systems of the coefficient across {documents}."
    return f"Points: means over {documents}."


def decimals(value: float) -> str:
    """Return a coefficient as the table behind a figure has it; "" where it is undefined."""
    return "" if value != value else f"{value:.3f}"


def setting_words(values: Mapping[str, str], documents: str = "") -> str:
    """Return preprocessing, references and the length of documents in words, as far as they are among the values.

    Parameters
    ----------
    values : mapping of str to str
    documents : str
        Their kind; whole corpora have no length here. "" where it is not known.
    """
    length = values.get("length", "")
    units = DOCUMENTS[documents] if documents else None
    long = f" of {_number(int(length), 'segment')}" if length else ""
    if units is not None and (units.is_whole or units.is_single):
        sized = units.title if units.is_single else ""
    else:
        sized = f"{'documents' if units is None else units.title}{long}" if long else ""
    parts = [
        preprocessing_words(values["preprocessing"]) if values.get("preprocessing") else "",
        references_words(values.get("subset", "")),
        sized,
    ]
    return ", ".join(filter(None, parts))
