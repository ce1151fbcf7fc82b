"""Comparison of the numbers that a paper prints with those of a run."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from metaeval.components.registries import COEFFICIENTS
from metaeval.datamodel.corpus import INTER_JUDGE
from metaeval.errors import MetaevalError, UsageError, listing, unknown
from metaeval.metrics import get_metric
from metaeval.metrics.naming import is_file
from metaeval.papers.claims.metric_names import metric_identity
from metaeval.parameters.calls import parse_call
from metaeval.results.row_matching import meaning
from metaeval.results.rows import Correlation, Published
from metaeval.runtime.files import read_file
from metaeval.text.preprocessing import get_preprocessing

REQUIRED = ("criterion", "preprocessing", "metric", "coefficient", "value")
OPTIONAL = ("lower", "upper", "printed_as", "length", "references")
_DECIMAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)")
_POSITIVE_WHOLE = re.compile(r"[1-9][0-9]{0,8}")
_MAX_ERRORS = 12


@dataclass(frozen=True)
class PublishedNumber:
    """A coefficient that a paper prints.

    Attributes
    ----------
    criterion, preprocessing, metric, coefficient : str
        Our names; of the preprocessing and the coefficient, a name without parameters stands for any parameters.
    value : float
        From -1 to 1.
    lower, upper : float or None
        The printed interval.
    printed_as : str
        The paper's name of the metric; may be empty.
    length : int or None
        Segments in a document; None for any.
    references : int or None
        References that a score uses; None for any.
    """

    criterion: str
    preprocessing: str
    metric: str
    coefficient: str
    value: float
    lower: float | None = None
    upper: float | None = None
    printed_as: str = ""
    length: int | None = None
    references: int | None = None


def read_published(path: Path) -> list[PublishedNumber]:
    """Read a table of printed numbers.

    Parameters
    ----------
    path : Path
        Tab-separated text with a header: the columns `REQUIRED`, and any of `OPTIONAL`, in any order.

    Raises
    ------
    UsageError
        If the file cannot be read, a column is missing or unknown, a value is not allowed, or a number stands twice.
        It lists the first dozen of wrong lines.
    """
    numbers: list[PublishedNumber] = []
    errors: list[str] = []
    first_line: dict[tuple[object, ...], int] = {}
    for line, row in _table(path):
        try:
            number = _number(row)
        except MetaevalError as error:
            errors.append(f"{path}:{line}: {error}")
            continue
        names = (_preprocessing(number.preprocessing), metric_identity(number.metric), _coefficient(number.coefficient))
        key = (number.criterion, *names, number.length, number.references)
        if first_line.setdefault(key, line) != line:
            words = filter(None, (number.criterion, number.preprocessing, number.metric, number.coefficient))
            errors.append(
                f"{path}:{line}: this number is already in line {first_line[key]}: {', '.join(words)}; "
                "is one of the two another metric or preprocessing?"
            )
        numbers.append(number)
    if len(errors) > _MAX_ERRORS:
        errors[_MAX_ERRORS:] = [f"... and {len(errors) - _MAX_ERRORS} more."]
    if errors:
        raise UsageError("\n".join(errors))
    if not numbers:
        raise UsageError(f"{path}: holds no numbers, only a header.")
    return numbers


def _table(path: Path) -> list[tuple[int, Mapping[str, str]]]:
    """Return the rows of a table by the names of its columns, each with the number of its line."""
    try:
        text = read_file(path).decode("utf-8-sig")
    except FileNotFoundError as error:
        raise UsageError(
            f"{path}: is missing; `published` of a config names a TSV file relative to the config."
        ) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: is not UTF-8, at byte {error.start}; save the table as UTF-8 text.") from error
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}.") from error
    header, *lines = (line.split("\t") for line in text.replace("\r\n", "\n").split("\n"))
    known = (*REQUIRED, *OPTIONAL)
    for name in header:
        if name not in known:
            hint = " Are the columns separated by tabs?" if len(header) == 1 else ""
            raise UsageError(f"{path}:1: {unknown('column', name, known)}{hint}")
        if header.count(name) > 1:
            raise UsageError(f"{path}:1: has the column {name!r} twice.")
    missing = [name for name in REQUIRED if name not in header]
    if missing:
        raise UsageError(f"{path}:1: lacks {listing(missing)}; the columns {listing(REQUIRED)} are required.")
    rows: list[tuple[int, Mapping[str, str]]] = []
    for number, cells in enumerate(lines, start=2):
        if any(map(str.strip, cells)):
            if len(cells) != len(header):
                raise UsageError(
                    f"{path}:{number}: has {len(cells)} cells where the header has {len(header)}; is a tab missing, or "
                    "are there blanks in its place?"
                )
            rows.append((number, dict.fromkeys(known, "") | dict(zip(header, map(str.strip, cells), strict=True))))
    return rows


def _number(row: Mapping[str, str]) -> PublishedNumber:
    """Return the printed number of a line; its first wrong cell is an error."""

    def check(name: str, must: str, right: object) -> None:
        if not right:
            raise UsageError(f"`{name}` must be {must}; got {row[name]!r}.")

    check("criterion", "a name such as adequacy", row["criterion"])
    names: dict[str, Callable[[str], object]] = {"coefficient": COEFFICIENTS.named}
    if row["metric"] == INTER_JUDGE:
        check("preprocessing", f"empty for {INTER_JUDGE}, which reads no text", not row["preprocessing"])
    else:
        names = {"metric": _check_metric, "preprocessing": get_preprocessing, **names}
    for name, get in names.items():
        try:
            get(row[name])
        except MetaevalError as error:
            raise UsageError(f"`{name}`: {error}") from error
    cells: dict[str, Any] = {name: row[name] or None for name in ("value", "lower", "upper", "length", "references")}
    for name, text in cells.items():
        if text is None:
            continue
        if name in ("length", "references"):
            check(name, "a whole number from 1 on, or empty for any", _POSITIVE_WHOLE.fullmatch(text))
            cells[name] = int(text)
        else:
            check(name, "a plain decimal number such as 0.86", _DECIMAL.fullmatch(text))
            must = "from -1 to 1, as coefficients are; is the point missing, or is it a percentage?"
            check(name, must, abs(float(text)) <= 1)
            cells[name] = float(text)
    if cells["value"] is None:
        raise UsageError("`value` must be a number from -1 to 1; got ''.")
    lower, upper = cells["lower"], cells["upper"]
    if (lower is None) != (upper is None):
        check("lower" if lower is None else "upper", "given where the other bound is, or both must be empty", False)
    if lower is not None:
        check("lower", f"at most the upper bound, {row['upper']}; are the two exchanged?", lower <= upper)
    return PublishedNumber(**cells | {name: row[name] for name in (*REQUIRED[:-1], "printed_as")})


def _check_metric(text: str) -> None:
    # The code of a metric in a file is not run to read a table; such a metric is the one of the same name.
    if not is_file(text):
        get_metric(text)


def beside_published(
    published: Sequence[PublishedNumber], correlations: Sequence[Correlation]
) -> tuple[list[Published], list[str]]:
    """Return each printed number with ours, for each corpus and panel that has it.

    Parameters
    ----------
    published : sequence of PublishedNumber
    correlations : sequence of Correlation

    Returns
    -------
    rows : list of Published
        Where preprocessing, metric and coefficient are written as in the correlations. In the order of the panels and
        corpora, then of the printed numbers.
    messages : list of str
        For each corpus, how many printed numbers have none of ours, and why.
    """
    by_place: dict[tuple[str, str], list[Published]] = {(row.key.panel, row.key.corpus): [] for row in correlations}
    messages = []
    for corpus in dict.fromkeys(name for _, name in by_place):
        of_corpus = [row for row in correlations if row.key.corpus == corpus]
        absent: dict[str, list[str]] = {}
        ambiguous: Counter[str] = Counter()
        for number in published:
            matching = [row for row in of_corpus if all(fits(number, row) for fits in _MATCHES.values())]
            if not matching:
                # The first thing that it names and no row of the corpus has.
                lacking = (name for name, fits in _MATCHES.items() if not any(fits(number, row) for row in of_corpus))
                kind = next(lacking, "together")
                absent.setdefault(kind, []).append(str(getattr(number, kind, "")))
            for panel in dict.fromkeys(row.key.panel for row in matching):
                chosen = _nearest_in_words(number, [row for row in matching if row.key.panel == panel])
                if len(chosen) == 1:
                    by_place[panel, corpus].append(_beside(number, chosen[0]))
                else:
                    ambiguous[_differing(chosen, panel)] += 1
        printed = f"of {len(published)} printed numbers"
        if absent:
            count = sum(map(len, absent.values()))
            reasons = "; ".join(f"{_reason(kind, names)} ({len(names)})" for kind, names in absent.items())
            messages.append(f"{corpus}: {count} {printed} have no counterpart in this run: {reasons}.")
        messages.extend(
            f"{corpus}: {count} {printed} are left out, because several results match each: {differing}."
            for differing, count in ambiguous.items()
        )
    return [row for rows in by_place.values() for row in rows], messages


@cache
def _coefficient(text: str) -> object:
    coefficient = COEFFICIENTS.named(text)
    return (coefficient.name, coefficient.signature_items)


_call = cache(parse_call)
_preprocessing = partial(meaning, "preprocessing")
# The conditions of a match between a printed number and a row, by what they compare.
_MATCHES: dict[str, Callable[[PublishedNumber, Correlation], bool]] = {
    "criterion": lambda number, row: number.criterion.casefold() == row.key.criterion.casefold(),
    "preprocessing": lambda number, row: _same_name(number.preprocessing, row.key.preprocessing, _preprocessing),
    "metric": lambda number, row: metric_identity(number.metric) == metric_identity(row.key.metric),
    "coefficient": lambda number, row: _same_name(number.coefficient, row.key.coefficient, _coefficient),
    "length": lambda number, row: number.length in (None, row.key.length),
    "references": lambda number, row: number.references in (None, row.n_references),
}


def _same_name(printed: str, ours: str, canonical: Callable[[str], object]) -> bool:
    """Return whether a name is ours; without parameters it stands for any."""
    if not printed or not ours:
        return printed == ours
    if _call(printed).arguments:
        return canonical(printed) == canonical(ours)
    return _call(printed).name == _call(ours).name


def _nearest_in_words(number: PublishedNumber, rows: list[Correlation]) -> list[Correlation]:
    """Return the rows of which not only the names but also the parameters agree, if several fit and any do."""
    for key, canonical in (("preprocessing", _preprocessing), ("coefficient", _coefficient)):
        printed = canonical(getattr(number, key))
        exact = [row for row in rows if canonical(getattr(row.key, key)) == printed]
        if len(rows) > 1 and exact:
            rows = exact
    return rows


def _reason(kind: str, names: Sequence[str]) -> str:
    """Describe what is absent."""
    shown = listing(dict.fromkeys(names), limit=len(names))
    words = {"together": "all that they name is there, but not together", "references": f"no {shown} references"}
    return words.get(kind, f"no {kind} {shown}")


def _differing(rows: Sequence[Correlation], panel: str) -> str:
    """Return in what the rows differ that fit the same number."""
    differing = []
    for key in ("length", "subset", "preprocessing", "coefficient"):
        values = dict.fromkeys(str(getattr(row.key, key)) for row in rows)
        if len(values) > 1:
            differing.append(f"{'references' if key == 'subset' else key} {listing(values, limit=4)}")
    where = f"in panel {panel!r} " if panel else ""
    return f"{where}they differ in {' and in '.join(differing) or 'no column that a printed number has'}"


def _beside(number: PublishedNumber, row: Correlation) -> Published:
    lower, upper = (None if math.isnan(limit) else limit for limit in (row.lower, row.upper))
    overlap = None
    if number.lower is not None and number.upper is not None and lower is not None and upper is not None:
        overlap = max(number.lower, lower) <= min(number.upper, upper)
    return Published(
        key=row.key,
        printed_as=number.printed_as,
        published=number.value,
        published_lower=number.lower,
        published_upper=number.upper,
        ours=row.mean,
        lower=lower,
        upper=upper,
        difference=row.mean - number.value,
        overlap=overlap,
    )
