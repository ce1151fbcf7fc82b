"""Places of two runs in words: in sentences, in headings and in the cells of tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from metaeval.components.registries import DOCUMENTS, TESTS
from metaeval.errors import MetaevalError
from metaeval.report.claims import statement_of
from metaeval.report.display_names import labelled_claims, labels_of_two
from metaeval.report.phrases import across as across_words
from metaeval.report.phrases import (
    coefficient_words,
    corpus_words,
    joined_names,
    preprocessing_words,
    quantity,
    quoted_name,
    subset_words,
    taken,
)
from metaeval.report.titles_in_words import titles_in_words
from metaeval.results.across import listed
from metaeval.results.differences import CLAIM_COLUMNS
from metaeval.results.model import RunData

# The place of the average of all tasks, where tasks have their titles.
AVERAGE_OF_TASKS = "average of all tasks"
# Between the value of the old run and that of the new one.
_ARROW = " -> "
# What columns are called in a sentence and above a column, where it is not the name of the column.
_COLUMN_WORDS = {"subset": "references", "length": "document length", "average_by": "averaging"}
_COLUMNS = {"references": "subset"}
_COLUMN_HEADS = {"subset": "references", "average_by": "taken", "metric_a": "metric", "metric_b": "other metric"}


def _documents_words(kind: str) -> str:
    return DOCUMENTS[kind]().title if kind in DOCUMENTS else kind


def _is_whole(documents: str) -> bool:
    return documents in DOCUMENTS and DOCUMENTS[documents].is_whole


def _are_drawn(documents: str) -> bool:
    """Return whether documents of a kind are drawn, so that their length is that of each."""
    return any(kind in DOCUMENTS and DOCUMENTS[kind].is_drawn for kind in documents.split(_ARROW))


def _listed_documents(values: Sequence[str]) -> str:
    """List kinds of documents with their lengths: ``pseudo-documents of 5, 10 segments``, ``system level``."""
    lengths_of_kind: dict[str, list[str]] = {}
    for value in values:
        kind, _, length = value.partition(" of length ")
        lengths_of_kind.setdefault(kind, []).append(length)
    words = []
    for kind, lengths in lengths_of_kind.items():
        sizes = _segments_words(listed(lengths)) if lengths != [""] else ""
        if _are_drawn(kind):
            words.append(f"{_documents_words(kind)}{f' of {sizes}' if sizes else ''}")
        else:
            # The size of the corpus, where documents are no parts of it.
            words.append(f"{_documents_words(kind)}{f' ({sizes})' if sizes and _is_whole(kind) else ''}")
    return ", ".join(words)


def _judges_words(judges: str) -> str:
    return "all judges" if judges == "all" else f"judges {judges}"


def _segments_words(length: str) -> str:
    return f"{length} segment{'' if length == '1' else 's'}"


_VALUE_WORDS: Mapping[str, Callable[[str], str]] = {
    "preprocessing": preprocessing_words,
    "subset": subset_words,
    "judges": _judges_words,
    "documents": _documents_words,
    "length": _segments_words,
    "average_by": across_words,
    "coefficient": coefficient_words,
    "test": lambda test: TESTS.named(test).words,
}


@dataclass(frozen=True)
class Wording:
    """Names of metrics, criteria, corpora and claims for two runs that are compared.

    Attributes
    ----------
    labels : mapping of str to str
        Display names.
    simulated : frozenset of str
        The corpora that are simulated, by name.
    titles : mapping of str to str
        Titles of tasks and panels in words, where metaeval made them.
    claims : mapping of tuple to str
        Statements of claims in words, by the columns that identify a claim.
    """

    labels: Mapping[str, str]
    simulated: frozenset[str]
    titles: Mapping[str, str]
    claims: Mapping[tuple[Any, ...], str]

    @classmethod
    def from_runs(cls, old: RunData, new: RunData) -> Wording:
        """Return the wording of two runs.

        Parameters
        ----------
        old, new : RunData
        """
        labels = labels_of_two(old, new)
        claims = {
            tuple(getattr(row, name) for name in CLAIM_COLUMNS): statement_of(shown)
            for run in (old, new)
            for row, shown in zip(run.tables.claims, labelled_claims(run, labels), strict=True)
        }
        titles = {**titles_in_words(old), **titles_in_words(new)}
        return cls(labels, frozenset({*old.simulated, *new.simulated}), titles, claims)

    def name(self, name: str) -> str:
        """Return the display name of a metric, criterion or corpus."""
        return self.labels.get(name, name)

    def metric(self, name: str) -> str:
        """Return the display name of a metric in a sentence: in quotes where it has a comma."""
        return quoted_name(self.name(name))

    def claim(self, row: Mapping[str, Any]) -> str:
        """Return the statement of a claim as people read it."""
        # Of a corpus that was left out of the place, that of the new run.
        claim = {name: row[name] for name in CLAIM_COLUMNS} | {"corpus": row["corpus"].rpartition(_ARROW)[2]}
        return self.claims.get(tuple(claim.values()), row["statement"])

    def value(self, column: str, value: Any) -> str:
        """Return the value of a column of a place in words; both values where it was left out of the place."""
        return _ARROW.join(self._value(column, part) for part in str(value).split(_ARROW))

    def _value(self, column: str, value: str) -> str:
        if not value:
            return ""
        if column in ("panel", "task"):
            return f"the {value}" if value == AVERAGE_OF_TASKS else self.titles.get(value, value)
        try:
            return _VALUE_WORDS[column](value) if column in _VALUE_WORDS else self.name(value)
        except MetaevalError:
            # Of a plug-in, a file, or another version.
            return value

    def cell(self, column: str, value: Any) -> Any:
        """Return the value of a column of a place below its head: in words, and a length as a number."""
        if isinstance(value, int) or column == "judges":
            return value
        words = self.value(column, value)
        return words.removeprefix("references ").removeprefix("reference ") if column == "subset" else words

    def setting_values(self, setting: str, values: Sequence[str]) -> str:
        """List values of a setting, or metrics: ``13a tokens, case kept; tokens at white space, case kept``."""
        if setting == "documents":
            return _listed_documents(values)
        words = [
            self.metric(value) if setting == "metrics" else str(self.cell(_COLUMNS.get(setting, setting), value))
            for value in values
        ]
        return listed(words, separator="; " if any("," in word for word in words) else ", ")

    def heading(self, title: str, place: Mapping[str, Any]) -> str:
        """Return the heading of a table: a title, and the columns of places that are the same in all its rows.

        Parameters
        ----------
        title : str
        place : mapping of str to str
            From column to value.
        """
        words = {column: self.value(column, value) for column, value in place.items() if value not in ("", None)}
        if "corpus" in words:
            words["corpus"] = corpus_words(words["corpus"], simulated=place["corpus"] in self.simulated)
        subject = ", ".join(words[column] for column in ("panel", "task", "corpus", "criterion") if column in words)
        documents = "" if _is_whole(place.get("documents", "")) else words.get("documents", "")
        if "length" in words and _are_drawn(place.get("documents", "")):
            documents += f" of {words['length']}"
        tested = " over ".join(words[column] for column in ("test", "over") if column in words)
        parts = [
            self._taken(place),
            documents,
            *(words.get(column, "") for column in ("subset", "preprocessing")),
            words.get("judges", "") if place.get("judges") != "all" else "",
            tested,
        ]
        rest = "; ".join(filter(None, parts))
        return f"{title}{f' on {subject}' if subject else ''}{f': {rest}' if rest else ''}"

    def _taken(self, place: Mapping[str, Any]) -> str:
        """Return the coefficient, and across what it is taken, where these are the same in all rows."""
        where = self.value("average_by", place.get("average_by", ""))
        coefficient = place.get("coefficient", "")
        if not coefficient:
            return where
        try:
            return taken(coefficient, where) if where else quantity(coefficient)
        except MetaevalError:
            return f"{coefficient} {where}".rstrip()


def varying_columns(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> list[str]:
    """Return the columns of places that tell rows apart; the size of corpora that have names is none of them."""
    varying = [name for name in columns if len({row[name] for row in rows}) > 1]
    # A panel whose documents are of one kind stands for it.
    panels = {(row.get("panel"), row["documents"]) for row in rows}
    if "panel" in varying and len(panels) == len({panel for panel, _ in panels}):
        varying = [name for name in varying if name != "documents"]
    if "length" not in varying or any(_are_drawn(row["documents"]) for row in rows):
        return varying
    others = [name for name in varying if name != "length"]
    n_places, n_without = (len({tuple(row[name] for name in names) for row in rows}) for names in (varying, others))
    return others if n_without == n_places else varying


def column_words(column: str) -> str:
    """Return what a column of places is called in a sentence."""
    return _COLUMN_WORDS.get(column, column)


def column_head(column: str) -> str:
    """Return what stands above a column of a table."""
    return _COLUMN_HEADS.get(column, column)


def listed_in_sentence(values: Sequence[str], limit: int) -> str:
    """Return values in a sentence: ``a, b and c``, or ``a, b; and c`` where one has a comma outside of quotes.

    The first of them and how many more where there are many.
    """
    values = list(dict.fromkeys(values))
    rest = len(values) - limit
    shown = [*values[:limit], *([f"{rest} more"] if rest > 0 else [])]
    if len(shown) > 1 and any("," in re.sub(r'"[^"]*"', "", value) for value in shown):
        return f"{'; '.join(shown[:-1])}; and {shown[-1]}"
    return joined_names(shown)


def lengths_words(lengths: Sequence[str], limit: int) -> str:
    """Return lengths of documents in a sentence: ``5, 10 and 15 segments``; "" where there is none."""
    lengths = list(filter(None, lengths))
    if not lengths:
        return ""
    if not all(map(str.isdigit, lengths)):
        words = (_ARROW.join(map(_segments_words, text.split(_ARROW))) for text in lengths)
        return listed_in_sentence(list(words), limit)
    return f"{listed_in_sentence(lengths, limit)} segment{'' if {*lengths} == {'1'} else 's'}"
