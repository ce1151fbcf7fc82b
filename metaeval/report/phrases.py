"""Phrases for labels and signatures in tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from metaeval.components.registries import COEFFICIENTS, INTERVALS, PREPROCESSING
from metaeval.datamodel.corpus import NO_REFERENCES
from metaeval.parameters.calls import parse_call
from metaeval.sampling.references import names_of

if TYPE_CHECKING:
    from metaeval.results.rows import Correlation

RowT = TypeVar("RowT")
GroupT = TypeVar("GroupT", bound=Hashable)


def grouped(rows: Iterable[RowT], group_of: Callable[[RowT], GroupT]) -> dict[GroupT, list[RowT]]:
    """Return rows by their group, in the order in which they come up."""
    groups: dict[GroupT, list[RowT]] = {}
    for row in rows:
        groups.setdefault(group_of(row), []).append(row)
    return groups


def joined_names(names: Iterable[str], last: str = " and ") -> str:
    """Return names in a sentence, each once, however many there are."""
    *others, end = dict.fromkeys(names)
    return f"{', '.join(others)}{last}{end}" if others else end


def named_in_sentence(names: Sequence[str], word: str = "and") -> str:
    """Return names in a sentence: the first three where there are more than four; the table has all."""
    shown = [*names[:3], f"{len(names) - 3} others"] if len(names) > 4 else names
    return joined_names(shown, f" {word} ")


def quoted_name(metric: str) -> str:
    """Return the name of a metric in a sentence: in quotes where it would look like several, as one with a comma."""
    return f'"{metric}"' if any(mark in metric for mark in (",", " and ", " or ")) else metric


SIMULATED_DATA = "simulated data"
SIMULATED = f"{SIMULATED_DATA}: no evidence about real metrics"


def corpus_words(corpus: str, *, simulated: bool) -> str:
    """Return the name of a corpus for a heading, and that it is simulated if it is."""
    return f"{corpus} ({SIMULATED_DATA})" if simulated else corpus


def short_name(coefficient: str) -> str:
    """Return a coefficient as written, but acc_eq where it is calibrated, and a user's function without its file."""
    kind = COEFFICIENTS.named(coefficient)
    return kind.title if kind.is_fitted or kind.is_user_function else coefficient


def quantity(coefficient: str) -> str:
    """Return the name of a coefficient on an axis: ``Pearson correlation``; an accuracy is no correlation."""
    kind = COEFFICIENTS.named(coefficient)
    name, parameters = _name_and_parameters(coefficient)
    is_correlation = not (kind.is_user_function or kind.title != kind.name or kind.name.endswith("accuracy"))
    return f"{name} correlation{parameters}" if is_correlation else f"{name}{parameters}"


def taken(coefficient: str, where: str) -> str:
    """Return the name of a coefficient, and across what it is taken, for a heading."""
    words = quantity(coefficient)
    return f"{words}{',' if _name_and_parameters(coefficient)[1] else ''} {where}"


def coefficient_words(coefficient: str) -> str:
    """Return the name of a coefficient in a sentence: ``Pearson``, ``Spearman with ties in random order``, ``acc_eq``.

    Two coefficients that differ have different words.
    """
    return "".join(_name_and_parameters(coefficient))


# What stands behind the name of a coefficient for a parameter that is written, with the value in the place of {}.
_PARAMETER_WORDS = {
    "ties=average": " corrected for ties",
    "ties=uncorrected": " without correction for ties",
    "ties=ordinal": " with ties in random order",
    "variant=b": ", tau-b",
    "variant=c": ", tau-c",
    "variant=wmt10": ", variant of WMT 2010",
    "variant=wmt13": ", variant of WMT 2013",
    "variant=wmt14": ", variant of WMT 2014",
    "pairs=human-significant": ", pairs that people tell apart",
    "epsilon": ", ties within {}",
}


def _name_and_parameters(coefficient: str) -> tuple[str, str]:
    """Return the name of a coefficient, and its parameters in words; those of one with a title are part of that."""
    kind = COEFFICIENTS.named(coefficient)
    if kind.is_user_function or kind.title != kind.name:
        return kind.title, ""
    call = parse_call(coefficient)
    name = call.name.replace("-", " ")
    name = name if name.endswith("accuracy") else name.capitalize()
    words = [
        _PARAMETER_WORDS.get(f"{key}={value}", _PARAMETER_WORDS.get(key, f", {key.replace('_', ' ')} {{}}")).format(
            value
        )
        for key, value in call.arguments.items()
    ]
    # What needs no comma belongs to the name.
    return name, "".join(sorted(words, key=lambda part: part.startswith(",")))


_CASE_WORDS = {(False, False): "case kept", (True, False): "lower-cased", (True, True): "lower-cased and stemmed"}


def case_words(name: str) -> str:
    """Return what a preprocessing does to letters: ``case kept``."""
    return _CASE_WORDS[PREPROCESSING[name]]


def preprocessing_words(name: str) -> str:
    """Describe the preprocessing of texts: ``13a tokens, case kept``; a user's tokenizer as it is written."""
    call = parse_call(name)
    if call.name not in PREPROCESSING:
        return name
    tokenizer = call.arguments.get("tokenizer", "none")
    others = [f"{key}={value}" for key, value in call.arguments.items() if key != "tokenizer"]
    tokens = "tokens at white space" if tokenizer == "none" else f"{tokenizer} tokens"
    return ", ".join([tokens, case_words(call.name), *others])


def across(average_by: str, n_systems: int | None = None) -> str:
    """Name the units that one coefficient is taken across, and how many systems these are if that is given."""
    words = {
        "item": f"across {'' if n_systems is None else f'{n_systems} '}systems",
        "system": "across documents",
        "none": "over documents and systems pooled",
    }
    return words.get(average_by, average_by)


# Groups of reference subsets, by how they were chosen.
_SUBSET_WORDS = {"every": "subsets", "random": "random subsets", "leave-one-out": "subsets"}


def subset_words(subset: str) -> str:
    """Return a reference subset in words that fit a heading: its names, or how many there are."""
    if subset == NO_REFERENCES:
        return "no references"
    kind, names = names_of(subset)
    if kind in _SUBSET_WORDS and not names:
        call = parse_call(subset)
        size, count = (call.arguments.get(name) for name in ("size", "count"))
        if size is not None and count is not None:
            return f"{count} {_SUBSET_WORDS[kind]} of {size} reference{'' if size == 1 else 's'}"
    if len(names) < 2:
        return f"references {subset}" if kind else reference_words(subset)
    of = f"{kind} of " if kind else ""
    if len(names) > 5:
        return f"{of}{len(names)} references"
    return f"references {of}{' + '.join(names)}"


def reference_words(name: str) -> str:
    """Return the name of a single reference in a sentence: ``reference ref1``."""
    return name if name.lower().startswith("reference") else f"reference {name}"


def preprocessing_columns(names: Sequence[str]) -> tuple[dict[str, str], str]:
    """Return the words for several kinds of preprocessing in a column, and what all have in common, for a heading.

    Parameters
    ----------
    names : sequence of str
        As a run writes them.
    """
    parts_by_name = {name: preprocessing_words(name).split(", ") for name in dict.fromkeys(names)}
    first, *others = parts_by_name.values()
    in_common = [part for part in first if others and all(part in parts for parts in others)]
    words = {name: ", ".join(part for part in parts if part not in in_common) for name, parts in parts_by_name.items()}
    # One that differs from another by what it lacks would have no words.
    if not all(words.values()):
        return {name: preprocessing_words(name) for name in words}, ""
    return words, ", ".join(in_common)


# What an interval is about, by what is drawn again; "both" stands for text and systems.
_ESTIMAND_WORDS = {
    "segments": "these systems on other test sets of this size",
    "documents": "these systems on other test sets of this size",
    "systems": "other systems like these on these texts",
    "both": "other systems like these on other test sets of this size",
}


def estimand(row: Correlation, *, brief: bool = False) -> str:
    """Return the estimand of the interval of a coefficient; "" where it has none."""
    drawn = INTERVALS[row.interval].about or row.resampled
    if not drawn:
        return ""
    about = "both" if "+" in drawn else drawn
    words = _ESTIMAND_WORDS[about].replace("these systems", f"these {row.n_systems} systems")
    if brief:
        return words
    by = " drawn by document" if "documents" in row.resampled else ""
    size = "" if about == "systems" else f", {row.n_segments} segments{by}"
    return f"the coefficient of {words}{size}"


def interval_words(row: Any, *, about: bool = True) -> str:
    """Describe an interval, such as ``95 % confidence interval (bootstrap over segments)``; "" if there is none.

    Parameters
    ----------
    row : mapping
        Of correlations, with the keys interval, confidence_level and resampled.
    about : bool
        Whether to say what it generalises to.
    """
    kind = INTERVALS[row["interval"]]()
    if kind.is_none:
        return ""
    # Imported here, because whoever scores texts needs no statistics.
    from metaeval.components.replicates_in_words import generalises_to

    to = generalises_to(INTERVALS[row["interval"]].about or row["resampled"]) if about else ""
    made_by = ": ".join(filter(None, [kind.made_by(row["resampled"]), to]))
    return f"{100 * row['confidence_level']:g} % confidence interval ({made_by})"


def interval_caption(rows: Sequence[Mapping[Any, Any]], *, about: bool = True) -> tuple[str, str]:
    """Describe the intervals of coefficients, and if none has one, the reason.

    Parameters
    ----------
    rows : sequence of mapping
        Of correlations.
    about : bool
        As `interval_words` has it.

    Returns
    -------
    (str, str)
        The words of `interval_words`, "" where no coefficient has an interval; then the reasons, such as ``no
        confidence intervals: all replicates are equal``, or "" where there is none to give.
    """
    for row in rows:
        if row["lower"] == row["lower"] and row["upper"] == row["upper"]:
            return interval_words(row, about=about), ""
    reasons = "; ".join(dict.fromkeys(filter(None, (row["no_interval_because"] for row in rows))))
    return "", f"no confidence intervals: {reasons}" if reasons else ""
