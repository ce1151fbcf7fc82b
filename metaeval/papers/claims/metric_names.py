"""Names of a paper's config, matched with metrics and values of an experiment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from metaeval.errors import MetaevalError, UsageError, listing
from metaeval.metrics import get_metric
from metaeval.metrics.naming import is_file, without_directory
from metaeval.parameters.calls import parse_call, spelt_as
from metaeval.parameters.claim_statements import MOST, NUMBERS


class NotApplicableError(Exception):
    """Raised when an experiment lacks what a claim is about; the text says what."""


def find_metric(name: str, known: Sequence[str]) -> str:
    """Return the metric of the experiment that a claim names.

    Parameters
    ----------
    name : str
        In whatever form: ``gtm`` and ``gtm( exponent = 1 )`` are the same metric.
    known : sequence of str
        As the experiment writes them.

    Raises
    ------
    NotApplicableError
        If there is none.
    """
    for form in (str, metric_identity):
        for candidate in known:
            if form(candidate) == form(name):
                return candidate
    raise NotApplicableError(f"the experiment has no metric {name!r}; it has {listing(known)}")


@cache
def metric_identity(name: str) -> str:
    """Return the identity of a metric, however its name is written; the code of a metric in a file is not run."""
    try:
        if is_file(name):
            return without_directory(name)
        return str(get_metric(name).signature)
    except MetaevalError:
        return _canonical(name)


def _canonical(name: str) -> str:
    """Return a name with its parameters in their canonical form; as it is where it has none."""
    try:
        return str(parse_call(name))
    except UsageError:
        return name


def find_values(key: str, meant: Any, known: Iterable[Any]) -> list[Any]:
    """Return the values of a key that a claim means.

    ``most`` is the largest number of references or segments. Preprocessing and coefficients are found by their name
    without parameters too, where none is written exactly so, and criteria whatever their capitals.

    Raises
    ------
    NotApplicableError
        If there is none.
    """
    values = [value for value in dict.fromkeys(known) if value is not None]
    if key in NUMBERS and meant == MOST and values:
        return [max(values)]
    if key == "criterion":
        meant = spelt_as(meant, values)
    matching = [value for value in values if value == meant]
    if not matching and key in ("preprocessing", "coefficient"):
        text = _canonical(meant)
        matching = [value for value in values if _canonical(value) == text]
        matching = matching or [value for value in values if value and parse_call(value).name == text]
    if not matching:
        raise NotApplicableError(f"no results {_lacking(key, meant, values)}")
    return matching


def choose_values(key: str, meant: Sequence[Any], known: Sequence[Any]) -> tuple[list[Any], list[str]]:
    """Return the values of a key that a list of a claim means, and a note of those that are not there.

    Of numbers of references and of lengths, those count that there are.

    Raises
    ------
    NotApplicableError
        If there is none; of anything but numbers, if one of them is not there.
    """
    present = [value for value in meant if value in known] if key in NUMBERS else list(meant)
    lacking = [value for value in meant if value not in present]
    notes = []
    if present and lacking:
        noun = {"references": "reference", "length": "segment"}[key]
        words = f"{', '.join(f'{value:g}' for value in lacking)} {noun}{'' if lacking == [1] else 's'}"
        notes.append(f"without {words}, which {'is' if lacking == [1] else 'are'} not there")
    return [found_value for value in (present or meant) for found_value in find_values(key, value, known)], notes


def _lacking(key: str, meant: Any, values: Sequence[Any]) -> str:
    if key in NUMBERS:
        number = meant if meant == MOST else f"{meant:g}"
        values_there = ", ".join(f"{value:g}" for value in sorted(values))
        if key == "references":
            return f"with {number} reference{'' if meant == 1 else 's'}; there are {values_there or 'none'}"
        what_there_is = f"there are {values_there}" if values_there else "documents have no length here"
        return f"for documents of {number} segments; {what_there_is}"
    named = [value for value in values if value != ""]
    what_there_is = f"; there are {listing(named)}" if named else ""
    hint = " (`read_as` says what the corpus calls it)" if key == "criterion" else ""
    return f"for the {key} {meant!r}{what_there_is}{hint}"
