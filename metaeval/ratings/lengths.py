"""Read the lengths of what was rated: from a column of numbers, or from one of texts, whose characters are counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from metaeval.corpora.judgment_columns import NUMBER
from metaeval.corpora.tables.delimited import Frame
from metaeval.errors import CorpusError, listing
from metaeval.ratings.table import LENGTHS

Facts = dict[str, dict[str, str]]


def lengths_of_items(
    frame: Frame,
    roles: Mapping[str, str],
    rows: Sequence[int],
    items: Mapping[int, str],
    systems: Mapping[int, tuple[str, str]],
    first_systems: Mapping[str, tuple[str, str]],
    *,
    is_asked: bool,
) -> tuple[Facts, list[str]]:
    """Return the length of each item, or of both outputs of a pair, as text; and what to say of them.

    Parameters
    ----------
    frame : Frame
    roles : mapping of str to str
        The columns of lengths, or of texts, under ``length``, or ``length_a`` and ``length_b``.
    rows : sequence of int
    items : mapping of int to str
        The item of each row.
    systems : mapping of int to (str, str)
        The systems of each row.
    first_systems : mapping of str to (str, str)
        The two systems of each pair, in the order of its ratings; empty where items are no pairs.
    is_asked : bool
        Whether a user named the columns, so that what cannot be read is an error.

    Raises
    ------
    CorpusError
        If a column that a user named holds no lengths, or two of an item.
    """
    columns = [roles[name] for name in LENGTHS if name in roles]
    if not columns:
        return {}, []
    in_characters = [name for name in columns if not _are_numbers(frame, name, rows, is_asked=is_asked)]
    lengths_of = dict[str, tuple[str, ...]]()
    for row in rows:
        lengths = tuple(_length(frame.columns[name][row].strip(), as_text=name in in_characters) for name in columns)
        item = items[row]
        if len(lengths) == 2 and first_systems.get(item, systems[row]) != systems[row]:
            lengths = lengths[::-1]
        known = lengths_of.setdefault(item, lengths)
        if any(first and second and first != second for first, second in zip(known, lengths, strict=True)):
            if not is_asked:
                differ = "differs" if len(columns) == 1 else "differ"
                return {}, [f"{listing(columns)} {differ} between the rows of an item, which gives no lengths"]
            raise CorpusError(
                f"{frame.location_of(row)}: the item {item!r} must have one length; got {listing(lengths)} from "
                f"{listing(columns)}, and {listing(known)} above."
            )
        # A row without a length may be on an item whose length stands in another.
        lengths_of[item] = tuple(first or second for first, second in zip(known, lengths, strict=True))
    names = [name for name in LENGTHS if name in roles]
    facts = {name: {item: of[at] for item, of in lengths_of.items()} for at, name in enumerate(names)}
    in_unit = ", in characters" if in_characters else ""
    return facts, [f"lengths are those of {listing(columns)}{in_unit}"]


def _are_numbers(frame: Frame, name: str, rows: Sequence[int], *, is_asked: bool) -> bool:
    """Return whether a column holds numbers, and not texts."""
    texts = {row: text for row in rows if (text := frame.columns[name][row].strip())}
    wrong = [row for row, text in texts.items() if not NUMBER.fullmatch(text) or float(text) < 0]
    if wrong and is_asked and 2 * len(wrong) <= len(texts):
        must = f"{frame.location_of(wrong[0])}: a length in {name!r} must be a number above 0, as most others are"
        raise CorpusError(f"{must}; got {texts[wrong[0]][:40]!r}.")
    return not wrong


def _length(text: str, *, as_text: bool) -> str:
    if not as_text:
        return text
    return str(len(text)) if text else ""
