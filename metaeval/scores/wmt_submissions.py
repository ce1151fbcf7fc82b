"""Columns of submissions to the metrics task of WMT, which have no header.

The formats of the years differ in what stands between test set and system, and agree in their order::

    2019  metric lp testset                             system            [segment] score [ensemble available]
    2020  metric lp testset                   reference system [document] [segment] score
    2021  metric lp testset                   reference system            [segment] score
    2022  metric lp testset domain [document] reference system            [segment] score

The number of columns does not tell them apart. The column of systems does, which names systems of the corpus, and that
of the scores, the last that has numbers.

Sources
-------
Calls of the metrics tasks of WMT19 to WMT24, and the files of WMT20.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from metaeval.errors import CorpusError, listing

_FIRST_COLUMNS = ("metric", "lp", "testset")
# Columns that may stand between test set and system, by their number, and behind the score.
_COLUMNS_BEFORE_SYSTEM = ((), ("reference",), ("domain", "reference"), ("domain", "document", "reference"))
_LAST_COLUMNS = ("ensemble", "available")
_MAX_SHOWN_CHARACTERS = 80
# Rows that are read to recognise columns of numbers.
_MAX_READ_ROWS = 10_000


def submission_columns(
    columns: Sequence[Sequence[str]], location: str, systems: Sequence[str], is_score: Callable[[str], bool]
) -> tuple[str, ...]:
    """Return the names of the columns of a file without a header.

    Parameters
    ----------
    columns : sequence of sequence of str
        What stands in each column of the file, line by line.
    location : str
        The file as messages name it.
    systems : sequence of str
        Those of the corpus.
    is_score : callable
        Whether a text is a number, or says that there is none.

    Raises
    ------
    CorpusError
        If no column names a system of the corpus, or the file has scores of documents or is no submission.
    """
    values = [set(map(str.strip, set(column))) for column in columns]
    first = [tuple(map(str.strip, column[:_MAX_READ_ROWS])) for column in columns]
    hits = [len(texts & set(systems)) for texts in values]
    scored = [
        number
        for number, column in enumerate(first)
        # A wrong score among right ones is reported with its line, later.
        if 2 * sum(map(is_score, column)) >= len(column) and any(column)
    ]
    system = max(range(len(columns)), key=lambda number: (hits[number], number in (0, 3, 4)))
    score = max(scored, default=-1)
    shown = "\t".join(column[0] for column in columns)[:_MAX_SHOWN_CHARACTERS]
    if score > 0 and not hits[system]:
        names = [listing(sorted(texts), 3) for texts in values[:score] if 1 < len(texts) < 99]
        written = "; ".join(names) or listing([shown])
        raise CorpusError(
            f"{location}: has no scores of the systems {listing(systems, 3)} of the corpus: no column names any of "
            f"them. Its columns have {written}. Are names spelt alike?"
        )
    before = system - len(_FIRST_COLUMNS)
    after = len(columns) - score - 1
    between = first[system + 1 : max(score, system)]
    is_known = (
        score > system and before < len(_COLUMNS_BEFORE_SYSTEM) and after <= len(_LAST_COLUMNS) and len(between) <= 2
    )
    if not is_known:
        raise CorpusError(
            f"{location}:1: must begin with a header with the columns system, segment and score (system and score at "
            "system level), or be a submission to the metrics task of WMT (metric, lp, testset, ..., system, segment "
            f"number, score), system and score, or one score a line; got {shown!r}."
        )
    of_documents = len(columns) == 2 and location.removesuffix(".gz").endswith(".doc.score")
    if between:
        of_documents = 2 * sum(field.isdigit() for field in between[-1]) <= len(between[-1])
    if of_documents:
        raise CorpusError(f"{location}: holds scores of documents; only those of segments and systems can be used.")
    names_between = ("document", "segment")[2 - len(between) :]
    first_names = (*_FIRST_COLUMNS[:system], *_COLUMNS_BEFORE_SYSTEM[max(before, 0)])
    return (*first_names, "system", *names_between, "score", *_LAST_COLUMNS[:after])
