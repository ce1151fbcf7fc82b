"""What labels and signatures say, in words and numbers for tables and figures; and words in lines for a terminal."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from metaeval.names import Signature
from metaeval.records import NO_REFERENCES


def in_lines(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """Return a text in lines of a width, the first of them with one indent and the rest with another."""
    return textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


def signed(signature: str, key: str) -> str:
    """Return the value of a key of a signature; "" if there is none."""
    return dict(Signature.parse(signature).items).get(key, "")


SIMULATED = "simulated: no evidence"


def corpus_words(corpus: str, signature: str) -> str:
    """Return the name of a corpus for a heading; of one that is simulated, as a signature says, that it is."""
    return f"{corpus} ({SIMULATED})" if signed(signature, "simulated") == "yes" else corpus


def simulated_corpora(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the names of the corpora of some rows that are simulated, as their signatures say."""
    first = {row["corpus"]: row["signature"] for row in rows}
    return [corpus for corpus, signature in first.items() if signed(signature, "simulated") == "yes"]


def n_references(subset: str, signature: str) -> float:
    """Return the number of references of a subset, as its label tells it; the mean of the signature if that does not.

    Parameters
    ----------
    subset : str
        Such as ``ref1+ref2`` or ``random(size=4,count=100)``.
    signature : str
        With the key ``nrefs``.
    """
    if subset == NO_REFERENCES:
        return 0.0
    sized = re.fullmatch(r"(?:random|every)\(size=(\d+),count=\d+\)", subset)
    if sized:
        return float(sized.group(1))
    grouped = re.fullmatch(r"([a-z-]+)\((.+)\)", subset)
    if grouped is None:
        return 1.0 + subset.count("+")
    known = {"each": 1.0, "leave-one-out": float(grouped.group(2).count("+"))}
    return known[grouped.group(1)] if grouped.group(1) in known else float(signed(signature, "nrefs") or "nan")


def quantity(coefficient: str) -> str:
    """Return what a coefficient is called on an axis: an accuracy is no correlation, and its name is several words."""
    name = coefficient.partition("(")[0]
    if name.endswith("accuracy"):
        return coefficient.replace("-", " ", name.count("-"))
    return f"{coefficient.capitalize()} correlation"


def across(average_by: str) -> str:
    """Return what one coefficient is taken across."""
    return {"item": "across systems", "system": "across documents", "none": "over documents and systems pooled"}[
        average_by
    ]


def subset_words(subset: str) -> str:
    """Return a reference subset in words that fit a heading: its names, or how many there are."""
    if subset == NO_REFERENCES:
        return "no references"
    found = re.fullmatch(r"([a-z-]+)\((.+)\)", subset)
    kind, names = (f"{found.group(1)} of ", found.group(2)) if found else ("", subset)
    number = 1 + names.count("+")
    if "=" in names or number == 1:
        return f"reference{'s' if found else ''} {subset}"
    if number > 5:
        return f"{kind}{number} references"
    return f"references {kind}{names.replace('+', ' + ')}"


def without_common_parameters(names: Sequence[str]) -> tuple[dict[str, str], str]:
    """Return names without the parameters that all of them have, and these: ``case``, ``stem`` and ``tokenizer="13a"``.

    Parameters
    ----------
    names : sequence of str
        Such as ``case(tokenizer="13a")``. A single one stays as it is.
    """
    parts = [name.partition("(") for name in names]
    same = len(parts) > 1 and len({rest for _, _, rest in parts}) == 1 and parts[0][2].endswith(")")
    if not same:
        return {name: name for name in names}, ""
    return {name: head for name, (head, _, _) in zip(names, parts, strict=True)}, parts[0][2].removesuffix(")")


def with_limits(value: float, lower: float, upper: float) -> str:
    """Return a number with its limits, if it has any; with three digits, and no negative zero."""
    mean, *limits = (f"{round(number, 3) + 0.0:.3f}" for number in (value, lower, upper))
    return mean if "nan" in limits else f"{mean} [{', '.join(limits)}]"


def interval_words(signature: str) -> str:
    """Return what the interval of a mean coefficient says, such as ``95 % interval for other segments``; or ""."""
    found = re.fullmatch(r"(\w+)\((.*)\)", signed(signature, "interval"))
    if found is None:
        return ""
    level = f"{100 * float(found.group(2)):g} % interval"
    if found.group(1) == "normal":
        return f"{level} of the mean for this corpus"
    if found.group(1) == "fisher":
        return f"{level} for other systems, by formula"
    return f"{level} for other {signed(signature, 'resample').replace('+', ' and ')}, by bootstrap"
