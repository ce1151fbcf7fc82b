"""Numbers that a paper prints, beside ours."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from metaeval.errors import MetaevalError, UsageError, listing, unknown
from metaeval.kinds import COEFFICIENTS
from metaeval.metrics import get_metric
from metaeval.metrics.plugin_names import is_file
from metaeval.names import parse_call
from metaeval.records import INTER_JUDGE
from metaeval.resources import read_file
from metaeval.results.rows import Correlation, Published
from metaeval.text.preprocessing import get_preprocessing

REQUIRED = ("criterion", "preprocessing", "metric", "coefficient", "value")
OPTIONAL = ("lower", "upper", "printed_as", "length", "references")
_DECIMAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)")
_WHOLE = re.compile(r"[1-9][0-9]{0,8}")
_SHOWN = 12


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
        Printed limits.
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
        The first dozen of wrong lines are told at once.
    """
    rows = _table(path)
    numbers: list[PublishedNumber] = []
    errors: list[str] = []
    first: dict[tuple[object, ...], int] = {}
    for line, row in rows:
        found = _Cells(row, f"{path}:{line}: ", errors).number()
        if found is None:
            continue
        key = (
            found.criterion,
            _preprocessing(found.preprocessing),
            _metric(found.metric),
            _coefficient(found.coefficient),
            found.length,
            found.references,
        )
        if first.setdefault(key, line) != line:
            errors.append(
                f"{path}:{line}: this number stands in line {first[key]} already: {_named(found)}; "
                "is one of the two another metric or preprocessing?"
            )
        numbers.append(found)
    if errors:
        rest = len(errors) - _SHOWN
        raise UsageError("\n".join([*errors[:_SHOWN], *([f"... and {rest} more."] if rest > 0 else [])]))
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
    lines = text.replace("\r\n", "\n").split("\n")
    header = lines[0].split("\t")
    known = (*REQUIRED, *OPTIONAL)
    for place, name in enumerate(header):
        if name not in known:
            hint = " Are the columns separated by tabs?" if len(header) == 1 else ""
            raise UsageError(f"{path}:1: {unknown('column', name, known)}{hint}")
        if name in header[:place]:
            raise UsageError(f"{path}:1: has the column {name!r} twice.")
    missing = [name for name in REQUIRED if name not in header]
    if missing:
        raise UsageError(f"{path}:1: lacks {listing(missing)}; the columns {listing(REQUIRED)} are required.")
    rows: list[tuple[int, Mapping[str, str]]] = []
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) != len(header):
            raise UsageError(
                f"{path}:{number}: has {len(cells)} cells where the header has {len(header)}; is a tab missing, or are "
                "there blanks in its place?"
            )
        rows.append((number, dict(zip(header, map(str.strip, cells), strict=True))))
    return rows


@dataclass(frozen=True)
class _Cells:
    """The cells of one line, whose mistakes are added to `errors`."""

    row: Mapping[str, str]
    place: str
    errors: list[str]

    def number(self) -> PublishedNumber | None:
        """Return the printed number, or None if a cell is wrong."""
        before = len(self.errors)
        if not self.row["criterion"]:
            self.wrong("criterion", "a name such as adequacy")
        of_judges = self.row["metric"] == INTER_JUDGE
        if not of_judges:
            self.known("metric", _check_metric)
            self.known("preprocessing", get_preprocessing)
        elif self.row["preprocessing"]:
            self.wrong("preprocessing", f"empty for {INTER_JUDGE}, which reads no text")
        self.known("coefficient", COEFFICIENTS.named)
        value, lower, upper = (self.coefficient(name) for name in ("value", "lower", "upper"))
        if value is None and not self.row["value"]:
            self.wrong("value", "a number from -1 to 1")
        if ("lower" in self.row or "upper" in self.row) and bool(self.get("lower")) != bool(self.get("upper")):
            absent = "upper" if self.get("lower") else "lower"
            self.wrong(absent, "given where the other limit is, or both must be empty")
        if lower is not None and upper is not None and lower > upper:
            self.wrong("lower", f"at most the upper limit, {self.row['upper']}; are the two exchanged?")
        length, references = self.whole("length"), self.whole("references")
        if len(self.errors) > before:
            return None
        assert value is not None
        texts = {name: self.row[name] for name in ("criterion", "preprocessing", "metric", "coefficient")}
        printed_as = self.get("printed_as")
        return PublishedNumber(
            **texts,
            value=value,
            lower=lower,
            upper=upper,
            printed_as=printed_as,
            length=length,
            references=references,
        )

    def get(self, name: str) -> str:
        """Return a cell, empty if there is no such column."""
        return self.row.get(name, "")

    def wrong(self, name: str, must: str) -> None:
        """Note that a cell is not what it must be."""
        self.errors.append(f"{self.place}`{name}` must be {must}; got {self.get(name)!r}.")

    def known(self, name: str, check: Callable[[str], object]) -> None:
        """Note what is wrong with a name."""
        try:
            check(self.row[name])
        except MetaevalError as error:
            self.errors.append(f"{self.place}`{name}`: {error}")

    def coefficient(self, name: str) -> float | None:
        """Return a cell as a coefficient; None if it is empty or wrong."""
        text = self.get(name)
        if not text:
            return None
        if not _DECIMAL.fullmatch(text):
            self.wrong(name, "a plain decimal number such as 0.86")
            return None
        number = float(text)
        if abs(number) > 1:
            self.wrong(name, "from -1 to 1, as coefficients are; is the point missing, or is it a percentage?")
            return None
        return number

    def whole(self, name: str) -> int | None:
        """Return a cell as a whole number; None if it is empty or wrong."""
        text = self.get(name)
        if not text:
            return None
        if not _WHOLE.fullmatch(text):
            self.wrong(name, "a whole number from 1 on, or empty for any")
            return None
        return int(text)


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
    rows: list[tuple[int, Published]] = []
    messages = []
    places = list(dict.fromkeys((row.key.panel, row.key.corpus) for row in correlations))
    for corpus in dict.fromkeys(name for _, name in places):
        of_corpus = [row for row in correlations if row.key.corpus == corpus]
        absent: Counter[tuple[str, str]] = Counter()
        several: Counter[str] = Counter()
        for number in published:
            found = [row for row in of_corpus if all(fits(number, row) for fits in _FITS.values())]
            for panel in dict.fromkeys(row.key.panel for row in found):
                chosen = _nearest_in_words(number, [row for row in found if row.key.panel == panel])
                if len(chosen) == 1:
                    rows.append((places.index((panel, corpus)), _beside(number, chosen[0])))
                else:
                    several[_which(chosen, panel)] += 1
            if not found:
                absent[_why(number, of_corpus)] += 1
        if absent:
            messages.append(
                f"{corpus}: {absent.total()} of {len(published)} printed numbers have none of ours beside them: "
                f"{'; '.join(_reasons(absent))}."
            )
        messages.extend(
            f"{corpus}: {count} of {len(published)} printed numbers are left out, because several of ours fit each: "
            f"{which}."
            for which, count in several.items()
        )
    return [row for _, row in sorted(rows, key=lambda item: item[0])], messages


@cache
def _metric(text: str) -> str:
    """Return what tells a metric from others, however it is written."""
    if not is_file(text):
        try:
            return str(get_metric(text).signature)
        except MetaevalError:
            pass
    return " ".join(text.split())


@cache
def _preprocessing(text: str) -> object:
    if not text:
        return ""  # that of judges
    preprocessing = get_preprocessing(text)
    return (preprocessing.lowercase, preprocessing.stem, preprocessing.tokenizer)


@cache
def _coefficient(text: str) -> object:
    coefficient = COEFFICIENTS.named(text)
    return (coefficient.name, coefficient.signature_items)


_call = cache(parse_call)
# What a row must have in common with a printed number.
_FITS: dict[str, Callable[[PublishedNumber, Correlation], bool]] = {
    "criterion": lambda number, row: number.criterion == row.key.criterion,
    "preprocessing": lambda number, row: _same_name(number.preprocessing, row.key.preprocessing, _preprocessing),
    "metric": lambda number, row: _metric(number.metric) == _metric(row.key.metric),
    "coefficient": lambda number, row: _same_name(number.coefficient, row.key.coefficient, _coefficient),
    "length": lambda number, row: number.length is None or _of_equal_length(number.length, row.key.length),
    "references": lambda number, row: number.references is None or number.references == row.n_references,
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
    for printed, key, canonical in (
        (number.preprocessing, "preprocessing", _preprocessing),
        (number.coefficient, "coefficient", _coefficient),
    ):
        exact = [row for row in rows if canonical(printed) == canonical(getattr(row.key, key))]
        if len(rows) > 1 and exact:
            rows = exact
    return rows


def _why(number: PublishedNumber, of_corpus: Sequence[Correlation]) -> tuple[str, str]:
    """Return what a printed number names that no row of a corpus has: the kind and the name."""
    for name, fits in _FITS.items():
        if not any(fits(number, row) for row in of_corpus):
            return name, str(getattr(number, name))
    return "together", ""


def _reasons(absent: Mapping[tuple[str, str], int]) -> Iterator[str]:
    """Give, for each kind of thing, which are absent, and how many numbers that concerns."""
    for kind in dict.fromkeys(kind for kind, _ in absent):
        count = sum(number for (other, _), number in absent.items() if other == kind)
        names = listing((name for other, name in absent if other == kind), limit=len(absent))
        words = {"together": "all that they name is there, but not together", "references": f"no {names} references"}
        yield f"{words.get(kind, f'no {kind} {names}')} ({count})"


def _which(rows: Sequence[Correlation], panel: str) -> str:
    """Return in what the rows differ that fit the same number."""
    columns = {
        "length": "length",
        "subset": "references",
        "preprocessing": "preprocessing",
        "coefficient": "coefficient",
    }
    differing = [
        f"{columns[key]} {listing(dict.fromkeys(str(getattr(row.key, key)) for row in rows), limit=4)}"
        for key in columns
        if len({str(getattr(row.key, key)) for row in rows}) > 1
    ]
    where = f"in panel {panel!r} " if panel else ""
    return f"{where}they differ in {' and in '.join(differing) or 'no column that a printed number has'}"


def _beside(number: PublishedNumber, row: Correlation) -> Published:
    lower, upper = _number(row.lower), _number(row.upper)
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
        overlap=_overlap((number.lower, number.upper), (lower, upper)),
    )


def _overlap(printed: tuple[float | None, float | None], ours: tuple[float | None, float | None]) -> bool | None:
    lower = [limits[0] for limits in (printed, ours) if limits[0] is not None]
    upper = [limits[1] for limits in (printed, ours) if limits[1] is not None]
    if len(lower) + len(upper) < 4:
        return None
    return max(lower) <= min(upper)


def _number(value: float | None) -> float | None:
    """Return a number, or None where there is none."""
    return None if value is None or value != value else float(value)


def _named(number: PublishedNumber) -> str:
    parts = (number.criterion, number.preprocessing, number.metric, number.coefficient)
    return ", ".join(filter(None, parts))


def _of_equal_length(printed: int, ours: float | None) -> bool:
    return ours is not None and ours == printed


def _check_metric(text: str) -> None:
    # The code of a metric in a file is not run to read a table; such a metric is the one of the same name.
    if not is_file(text):
        get_metric(text)
