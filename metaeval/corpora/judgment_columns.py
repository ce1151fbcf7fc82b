"""Columns of a table become judgments: names become indices, texts become numbers, and nothing doubtful passes."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metaeval.corpora.problems import Problems
from metaeval.datamodel.corpus import FloatArray, IntArray, Judgments
from metaeval.errors import listing, unknown

NUMBER = re.compile(r"[+-]?([0-9]++\.?+[0-9]*+|\.[0-9]++)([eE][+-]?[0-9]++)?")
DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+")
PERCENT = re.compile(r"([+-]?[0-9]++(?:[.,][0-9]++)?+)\s*%")
# A number, and what it means: 4 - good, 4: good, 4 (good).
LABELLED_NUMBER = re.compile(
    r"([+-]?[0-9]++(?:\.[0-9]++)?+)(?:\s+[-\u2013\u2014:=]\s+|[.:)=]\s+|\s*\()[^\W\d].*", re.DOTALL
)
# A number of points out of some, as 4/5.
_POINTS_OUT_OF = re.compile(r"([0-9]++(?:\.[0-9]++)?+)\s*/\s*([0-9]++)")
_NO_INDICES = np.empty(0, dtype=np.int32)
# To look for the closest known name takes long, and nobody reads the hundredth of such hints.
_MAX_HINTS = 20
_MAX_COMPARED_NAMES = 5000
_MAX_COMPARED_CHARACTERS = 200
NO_JUDGMENTS = Judgments((), _NO_INDICES, _NO_INDICES, _NO_INDICES, _NO_INDICES, np.empty(0))


@dataclass(frozen=True)
class Rows:
    """The rows of one table, for messages: where each stands.

    Attributes
    ----------
    location : str
        The file.
    lines : sequence of int
        The line of each row.
    """

    location: str
    lines: Sequence[int]

    def location_of(self, row: int) -> str:
        """Return ``file:line``."""
        return f"{self.location}:{self.lines[row]}"

    def report(
        self,
        values: Sequence[Hashable],
        wrong: Collection[Hashable],
        problems: Problems,
        say: Callable[..., str],
        group_of: Callable[..., Hashable] = lambda value: value,
    ) -> None:
        """Note each wrong value once, or one of those that are alike, where it stands first, with how many lines."""
        if not wrong:
            return
        # A line is there once for each of its scores.
        lines_by_group: dict[Hashable, dict[int, Hashable]] = {}
        for row, value in enumerate(values):
            if value in wrong:
                lines_by_group.setdefault(group_of(value), {}).setdefault(self.lines[row], value)
        for lines in lines_by_group.values():
            first = min(lines)
            problems.error(f"{self.location}:{first}", say(lines[first]) + lines_in_all(len(lines)))


def whole_number(text: str) -> int | None:
    """Return the number that digits stand for, or None; Python refuses to read thousands, and nothing here has many."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def lines_in_all(count: int) -> str:
    """Return in how many lines something stands, if there are several."""
    return f" ({count} lines in all)" if count > 1 else ""


def look_up(
    values: Sequence[Hashable],
    index: Mapping[Hashable, int | None],
    rows: Rows,
    problems: Problems,
    say: Callable[..., str],
) -> IntArray:
    """Return the index of each value, -1 for those that are unknown; each of these is noted once, but for None."""
    try:
        return np.fromiter(map(index.__getitem__, values), dtype=np.int32, count=len(values))
    except (KeyError, TypeError):
        wrong = {value for value in set(values) if index.get(value) is None}
        rows.report(values, wrong - {None}, problems, say)
        return look_up(values, {**index, **dict.fromkeys(wrong, -1)}, rows, problems, say)


def positions(names: Sequence[Hashable]) -> dict[Hashable, int | None]:
    """Return the position of each name."""
    return {name: position for position, name in enumerate(names)}


def repeats(keys: npt.NDArray[np.int64]) -> list[tuple[int, int]]:
    """Return the places of equal keys: of each but the first, with the place of the one before it."""
    order = np.argsort(keys, kind="stable")
    again = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    return list(zip(order[again].tolist(), order[again + 1].tolist(), strict=True))


def unknown_name(kind: str, known: Sequence[str], plural: str | None = None, hint: str = "") -> Callable[..., str]:
    """Return a function that says that a name is unknown; ``{name}`` in the hint stands for it.

    The first names come with the closest known one and a list of all, the others without, so that many are listed soon.
    """
    n_messages = 0

    def say(name: object) -> str:
        nonlocal n_messages
        n_messages += 1
        if n_messages > _MAX_HINTS or len(str(name)) > _MAX_COMPARED_CHARACTERS:
            message = f"unknown {kind} {str(name)[:_MAX_COMPARED_CHARACTERS]!r}"
        elif len(known) > _MAX_COMPARED_NAMES:
            message = f"unknown {kind} {str(name)!r}. Known {plural or kind + 's'}: {listing(known[:5])}, ..."
        else:
            message = unknown(kind, name, known, plural).rstrip(".")
        return message + (hint.replace("{name}", str(name)) or ".")

    return say


def numbers(
    texts: Sequence[str],
    rows: Rows,
    problems: Problems,
    where: str | Callable[[str], str] = "",
    hint: str | Callable[[str], str] = "A missing judgment has no line.",
) -> FloatArray:
    """Return the numbers that stand in the texts; what is no finite number is noted once, as are decimal commas.

    `where` says where the texts stand in their lines, and `hint` what to do where a number is missing, or about a text.
    """
    value = dict.fromkeys(texts, math.nan)
    for text in value:
        # Python also reads other digits than ours, and 1_0; no other program does.
        if NUMBER.fullmatch(text) and math.isfinite(float(text)):
            value[text] = float(text)

    def say(text: str) -> str:
        if callable(hint):
            cause = hint(text)
        elif has_decimal_comma(text):
            cause = "Decimals are written with a point, not a comma."
        else:
            cause = hint
        location = where(text) if callable(where) else where
        return f"the score must be a finite number; got {text!r}{location}. {cause}".rstrip()

    # Thousands of scores may have a comma, for one reason.
    group = {text: "," for text in value if has_decimal_comma(text)}
    wrong = {text for text, number in value.items() if math.isnan(number)}
    rows.report(texts, wrong, problems, say, lambda text: group.get(text, text))
    return np.fromiter(map(value.__getitem__, texts), dtype=np.float64, count=len(texts))


def has_decimal_comma(cell: str) -> bool:
    """Return whether a cell is a number with a comma before its decimals, in percent or not."""
    return bool(DECIMAL_COMMA.fullmatch(cell.removesuffix("%").rstrip()))


def is_written_number(cell: str) -> bool:
    """Return whether a cell is a number as people write them: with a point or a comma, or in percent."""
    return any(sign.fullmatch(cell) for sign in (NUMBER, DECIMAL_COMMA, PERCENT))


def numbers_of_points(cells: Sequence[str]) -> tuple[list[str], str] | None:
    """Return numbers that people wrote as ``4 - good`` or ``4/5``, and an example; None if some cells are neither.

    A number has the same words everywhere, and points are out of the same number everywhere. Plain numbers may stand
    among them.
    """
    labelled, points = [[sign.fullmatch(cell) for cell in cells] for sign in (LABELLED_NUMBER, _POINTS_OUT_OF)]
    for matches in (labelled, points):
        written = [match for match in matches if match]
        is_plain = all(match or NUMBER.fullmatch(cell) for match, cell in zip(matches, cells, strict=True))
        if not written or not is_plain:
            continue
        words = {match[1]: match[0].lower() for match in written}
        if matches is labelled and any(words[match[1]] != match[0].lower() for match in written):
            continue
        if matches is points and len({match[2] for match in written}) > 1:
            continue
        numbers = [match[1] if match else cell for match, cell in zip(matches, cells, strict=True)]
        return numbers, f"{written[0][0]!r} is read as {written[0][1]}"
    return None
