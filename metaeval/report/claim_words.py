"""Statements of claims in words: the two sides that a claim compares, and where each is taken."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from metaeval.components.registries import PREPROCESSING
from metaeval.errors import MetaevalError, UsageError
from metaeval.parameters.calls import parse_call
from metaeval.parameters.claim_statements import (
    EACH,
    EVERY_OTHER,
    METRIC,
    MOST,
    NUMBER,
    Statement,
    Term,
    Value,
    parse_statement,
)
from metaeval.report.phrases import case_words, coefficient_words, joined_names, preprocessing_words, quoted_name
from metaeval.results.rows import Claim

# The metrics of a top cluster, as they are said to be.
TOP_CLUSTER_WORDS = "metrics whose interval overlaps with that of the best"
_TOP_CLUSTER = "top-cluster"
_MINIMUM = "minimum-significant-difference"
_QUANTITY_WORDS = {"nist-share": "shares of the NIST score: "}
_RELATION_WORDS = {"at least": "at least as high as", "at most": "at most as high as"}
_TURNED_RELATIONS = {"above": "below", "below": "above", "at least": "at most", "at most": "at least"}
# How many metrics there are at one place, and how many at another; or beside a number.
_COUNT_WORDS = {
    "above": ("more {} than {}", "more than {1}{0}"),
    "below": ("fewer {} than {}", "fewer than {1}{0}"),
    "at least": ("at least as many {} as {}", "{1} or more{0}"),
    "at most": ("at most as many {} as {}", "{1} or fewer{0}"),
    "equals": ("as many {} as {}", "{1}{0}"),
}
# How the choice of the metrics that `each` stands for begins, and how many of them a statement lists.
_EACH_LIST = "each: "
_MAX_METRICS = 4
_CHOICE_WORDS = {"each": "metrics", "length": "document length"}


def statement_words(row: Claim) -> str:
    """Return the statement of a claim in words, with its margin: ``NIST with the most references below NIST with 4``.

    A statement that cannot be read stays as it is.
    """
    try:
        statement = parse_statement(row.statement)
    except UsageError:
        return row.statement
    if row.quantity == _MINIMUM:
        return f"the smallest significant difference at most {statement.terms[-1].number:g}"
    if row.quantity == _TOP_CLUSTER and len(statement.terms) == 2:
        return f"{TOP_CLUSTER_WORDS}: {_counts_words(statement, row.margin)}"
    return _QUANTITY_WORDS.get(row.quantity, "") + _chain_words(statement, row.margin, _metrics_of_each(row))


def _metrics_of_each(row: Claim) -> list[str]:
    """Return the metrics that ``each`` stands for, where the claim lists them."""
    lists = [part.removeprefix(_EACH_LIST) for part in row.chosen.split("; ") if part.startswith(_EACH_LIST)]
    # A comma in quotes or parentheses is one of a name.
    return [name.strip() for names in lists for name in re.findall(r'(?:"[^"]*"|\([^()]*\)|[^,])+', names)]


def _counts_words(statement: Statement, margin: float) -> str:
    """Return in words how many metrics are compared with how many: ``more by Spearman than by Pearson``."""
    if any(term.factor != 1 for term in statement.terms):
        return _chain_words(statement, margin)
    (first, second), (relation,) = statement.terms, statement.relations
    if first.kind == NUMBER:
        first, second, relation = second, first, _TURNED_RELATIONS.get(relation, relation)
    number = second.number if second.kind == NUMBER else None
    margin_words = f", margin {margin:g}" if margin else ""
    places = qualifier_words(first.qualifiers), qualifier_words(second.qualifiers)
    return count_words(relation, *places, number=number) + margin_words


def count_words(relation: str, first: str, second: str, *, number: float | None = None) -> str:
    """Return in words how many there are at one place, compared with another or with a number.

    Parameters
    ----------
    relation : str
        Of `metaeval.parameters.claim_statements.RELATIONS`.
    first, second : str
        Places in words, such as ``by Spearman``.
    number : float, or None
        In place of the second.
    """
    places, beside_number = _COUNT_WORDS[relation]
    if number is None:
        return places.format(first, second)
    return beside_number.format(f" {first}" if first else "", f"{number:g}")


def _chain_words(statement: Statement, margin: float, each: Sequence[str] = ()) -> str:
    words = [_term_words(statement, 0, each)]
    for position, relation in enumerate(statement.relations, start=1):
        term = statement.terms[position]
        if relation == "equals":
            relation_words = f"within {margin:g} of"
        else:
            relation_words = relation if term.kind == NUMBER else _RELATION_WORDS.get(relation, relation)
        words += [relation_words, _term_words(statement, position, each)]
    text = " ".join(words)
    if not margin or set(statement.relations) == {"equals"}:
        return text
    return (
        f"{text} by more than {margin:g}"
        if statement.relations in (("above",), ("below",))
        else (f"{text}, margin {margin:g}")
    )


def _term_words(statement: Statement, position: int, each: Sequence[str]) -> str:
    """Return a term in words; what another term before it says goes without saying."""
    term = statement.terms[position]
    before = statement.terms[:position]
    if term.kind == NUMBER:
        return f"{term.number * term.factor:g}"
    if term.kind == EACH:
        name = "the same" if EACH in [other.kind for other in before] else _each_words(each)
    elif term.kind == EVERY_OTHER:
        name = "every other metric" if statement.has(METRIC) else "every metric"
    elif term.kind == METRIC:
        name = TOP_CLUSTER_WORDS if term.name == _TOP_CLUSTER else quoted_name(term.name)
    else:
        name = term.kind
    # "The longest documents" says no noun that a number could be of.
    said = {key for other in before for key, value in other.qualifiers if (key, value) != ("length", MOST)}
    return f"{_factor_words(term)}{' '.join(filter(None, [name, qualifier_words(term.qualifiers, said)]))}"


def _each_words(metrics: Sequence[str]) -> str:
    if not metrics:
        return "each metric"
    return f"each of {joined_names(metrics) if len(metrics) <= _MAX_METRICS else f'{len(metrics)} metrics'}"


def _factor_words(term: Term) -> str:
    return f"{term.factor:g} times " if term.factor != 1 else ""


def qualifier_words(qualifiers: Iterable[tuple[str, Value]], said: Iterable[str] = ()) -> str:
    """Return in words where a number is taken: ``by Spearman``, ``with 3 references``.

    Parameters
    ----------
    qualifiers : iterable of (str, str or float)
        As terms have them.
    said : iterable of str
        Keys whose noun goes without saying: ``with 3``.
    """
    return " ".join(_one_qualifier_words(key, value, brief=key in said) for key, value in qualifiers)


def _one_qualifier_words(key: str, value: Value, *, brief: bool) -> str:
    if key == "references":
        return "with the most references" if value == MOST else f"with {_counted(value, 'reference', brief=brief)}"
    if key == "length":
        return "on the longest documents" if value == MOST else f"on {_counted(value, 'segment', brief=brief)}"
    words: Mapping[str, Callable[[str], str]] = {
        "criterion": "for {}".format,
        "preprocessing": _text_words,
        "coefficient": lambda name: f"by {coefficient_words(name)}",
        "panel": 'in "{}"'.format,
    }
    try:
        return words[key](str(value))
    except MetaevalError:
        # A claim may name what no experiment has.
        return f"with the {key} {value}"


def _counted(value: Value, noun: str, *, brief: bool) -> str:
    number = f"{value:g}" if isinstance(value, float) else str(value)
    return number if brief else f"{number} {noun}{'' if value == 1 else 's'}"


def _text_words(preprocessing: str) -> str:
    """Return how texts were preprocessed, behind the name of a metric."""
    call = parse_call(preprocessing)
    if call.name in PREPROCESSING and not call.arguments:
        words = case_words(call.name)
        return f"with {words}" if words == "case kept" else words
    return f"on {preprocessing_words(preprocessing)}" if call.name in PREPROCESSING else f"with {preprocessing}"


def with_panel_title(panel: str, place: str) -> str:
    """Return a place with the title of the panel that it belongs to, if it has one: ``Measures: grade``."""
    return ": ".join(filter(None, [panel, place]))


def with_labels(statement: str, labels: Mapping[str, str]) -> str:
    """Return a statement, which can be read again, with labels for the metrics and criteria that it names."""
    try:
        parsed = parse_statement(statement)
    except UsageError:
        return statement
    label_of = {_canonical(name): label for name, label in labels.items()}
    terms = []
    for term in parsed.terms:
        places = [
            (key, labels.get(str(value), value) if key == "criterion" else value) for key, value in term.qualifiers
        ]
        terms.append(replace(term, name=label_of.get(_canonical(term.name), term.name), qualifiers=tuple(places)))
    return str(Statement(tuple(terms), parsed.relations))


def _canonical(name: str) -> str:
    """Return a name with its parameters in their canonical form; as it is where it has none."""
    try:
        return str(parse_call(name))
    except UsageError:
        return name


def choice_words(row: Claim) -> str:
    """Return what a claim chooses, in words: ``criterion: adequacy``; and metrics that the statement does not list."""
    parts = []
    for part in row.chosen.split("; ") if row.chosen else ():
        if part.startswith(_EACH_LIST) and len(_metrics_of_each(row)) <= _MAX_METRICS:
            continue
        key, colon, values = part.partition(": ")
        if key == "preprocessing":
            values = ", ".join(case_words(value) if value in PREPROCESSING else value for value in values.split(", "))
        parts.append(f"{_CHOICE_WORDS.get(key, key)}{colon}{values}")
    return "; ".join(parts)
