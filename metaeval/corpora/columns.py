"""Columns of a table become judgments: names become indices, texts become numbers, and nothing doubtful passes."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.corpora.problems import Problems, counted
from metaeval.errors import listing, unknown
from metaeval.records import Criterion, FloatArray, IntArray, Judgments

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+")
_NONE = np.empty(0, dtype=np.int32)
# To look for the closest known name takes long, and nobody reads the hundredth of such hints.
_MOST_HINTS = 20
_MOST_KNOWN = 5000
_LONGEST_NAME = 200
NO_JUDGMENTS = Judgments((), _NONE, _NONE, _NONE, _NONE, np.empty(0))


@dataclass(frozen=True)
class Rows:
    """The rows of one table, for messages: where each stands.

    Attributes
    ----------
    place : str
        The file.
    lines : sequence of int
        The line of each row.
    """

    place: str
    lines: Sequence[int]

    def place_of(self, row: int) -> str:
        """Return ``file:line``."""
        return f"{self.place}:{self.lines[row]}"

    def report(
        self, values: Sequence[Hashable], wrong: Collection[Hashable], problems: Problems, say: Callable[..., str]
    ) -> None:
        """Note each wrong value once, where it stands first, with the number of its lines."""
        if not wrong:
            return
        # A line is there once for each of its scores.
        found: dict[Hashable, set[int]] = {}
        for row, value in enumerate(values):
            if value in wrong:
                found.setdefault(value, set()).add(self.lines[row])
        for value, lines in found.items():
            problems.error(f"{self.place}:{min(lines)}", say(value) + more(len(lines)))


def more(count: int) -> str:
    """Return in how many lines something stands, if there are several."""
    return f" ({count} lines in all)" if count > 1 else ""


def check_widths(widths: Sequence[int], right: int, model: str, rows: Rows, problems: Problems) -> bool:
    """Check that each row has as many columns as `model`, and note those that have not."""
    must = f"must have {counted(right, 'column')}, as {model}; got"
    rows.report(widths, set(widths) - {right}, problems, lambda width: f"{must} {width}.")
    return set(widths) <= {right}


def look_up(
    values: Sequence[Hashable],
    index: Mapping[Hashable, int | None],
    rows: Rows,
    problems: Problems,
    say: Callable[..., str],
) -> IntArray:
    """Return the index of each value, -1 for those that are unknown; each of these is noted once."""
    wrong = {value for value in set(values) if index.get(value) is None}
    rows.report(values, wrong, problems, say)
    found = {**index, **dict.fromkeys(wrong, -1)}
    return np.fromiter(map(found.__getitem__, values), dtype=np.int32, count=len(values))


def positions(names: Sequence[str]) -> dict[Hashable, int | None]:
    """Return the position of each name."""
    return {name: position for position, name in enumerate(names)}


def unknown_name(kind: str, known: Sequence[str], plural: str | None = None, hint: str = "") -> Callable[..., str]:
    """Return a function that says that a name is unknown; ``{name}`` in the hint stands for it.

    The first names come with the closest known one and a list of all, the others without, so that many are told soon.
    """
    told = 0

    def say(name: object) -> str:
        nonlocal told
        told += 1
        if told > _MOST_HINTS or len(str(name)) > _LONGEST_NAME:
            message = f"unknown {kind} {str(name)[:_LONGEST_NAME]!r}"
        elif len(known) > _MOST_KNOWN:
            message = f"unknown {kind} {str(name)!r}. Known {plural or kind + 's'}: {listing(known[:5])}, ..."
        else:
            message = unknown(kind, name, known, plural).rstrip(".")
        return message + (hint.replace("{name}", str(name)) or ".")

    return say


def numbers(
    texts: Sequence[str],
    rows: Rows,
    problems: Problems,
    where: str = "",
    hint: str = "A missing judgment has no line.",
) -> FloatArray:
    """Return the numbers that stand in the texts; what is no finite number is noted once.

    `where` tells the place of the texts in their lines, and `hint` what to do where a number is missing.
    """
    value: dict[Hashable, float] = {}
    for text in set(texts):
        # Python also reads other digits than ours, and 1_0; no other program does.
        if _NUMBER.fullmatch(text) and np.isfinite(float(text)):
            value[text] = float(text)

    def say(text: str) -> str:
        told = "Decimals are written with a point, not a comma." if _DECIMAL_COMMA.fullmatch(text) else hint
        return f"the score must be a finite number; got {text!r}{where}. {told}"

    rows.report(texts, set(texts) - set(value), problems, say)
    return np.fromiter((value.get(text, np.nan) for text in texts), dtype=np.float64, count=len(texts))


def check_judgments(
    judgments: Judgments,
    names: Sequence[str],
    criteria: Sequence[Criterion],
    place_of: Callable[[int], str],
    problems: Problems,
    where: str = "",
) -> None:
    """Note scores outside their range, and items that a judge judged twice.

    A row of which something is unknown (-1) is checked too, as far as it goes, so that all errors are told at once.
    """
    check_ranges(judgments, criteria, place_of, problems, where)
    named = np.array([bool(judge) for judge in judgments.judges], dtype=bool)
    known = np.flatnonzero(
        (judgments.criterion >= 0) & (judgments.system >= 0) & (judgments.segment >= 0) & named[judgments.judge]
    )
    if len(known):
        check_duplicates(
            judgments.where(known),
            names,
            [criterion.name for criterion in criteria],
            lambda row: place_of(int(known[row])),
            problems,
        )


def check_ranges(
    judgments: Judgments,
    criteria: Sequence[Criterion],
    place_of: Callable[[int], str],
    problems: Problems,
    where: str = "",
) -> None:
    """Note scores outside the range of their criterion; `where` tells where it is declared."""
    for position, criterion in enumerate(criteria):
        outside = (judgments.criterion == position) & (
            (judgments.score < criterion.low) | (judgments.score > criterion.high)
        )
        rows = np.flatnonzero(outside)
        if len(rows):
            problems.error(
                place_of(int(rows[0])),
                f"the score {judgments.score[rows[0]]:g} is outside the range of {criterion.name!r}, "
                f"{criterion.low:g} to {criterion.high:g}{where}.{more(len(rows))}",
            )


def check_duplicates(
    judgments: Judgments,
    names: Sequence[str],
    criteria: Sequence[str],
    place_of: Callable[[int], str],
    problems: Problems,
) -> None:
    """Note judges who judged an item twice on one criterion; there must be a judgment at least."""
    sizes = (len(criteria), len(names), int(judgments.segment.max()) + 1, len(judgments.judges))
    keys = np.ravel_multi_index((judgments.criterion, judgments.system, judgments.segment, judgments.judge), sizes)
    order = np.argsort(keys, kind="stable")
    again = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    for position in again:
        first, second = int(order[position]), int(order[position + 1])
        problems.error(
            place_of(second),
            f"judge {judgments.judges[judgments.judge[second]]!r} judged {names[judgments.system[second]]!r}, segment "
            f"{judgments.segment[second] + 1}, on {criteria[judgments.criterion[second]]!r} already in "
            f"{_same_file(place_of(first), place_of(second))}; one judge gives one score to an item.",
        )


def _same_file(first: str, second: str) -> str:
    file, _, line = first.rpartition(":")
    return f"line {line}" if file == second.rpartition(":")[0] else first
