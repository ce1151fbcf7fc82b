"""Annotations of Potato: `annotated_instances` of versions before 2, as TSV or JSON Lines, and exports of version 2.

The system and the segment stand in the identifier of an instance alone, such as ``gpt-5__1``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from metaeval.corpora.exports.base import (
    Export,
    Made,
    cells_of,
    chosen,
    error_of,
    one_of_each_scale,
    table_of,
)
from metaeval.corpora.tables.delimited import Frame
from metaeval.corpora.tables.headers import columns_for
from metaeval.corpora.tables.nested import ERRORS
from metaeval.corpora.text_files import Files

_SEPARATORS = ("__", "::", "#", "|", "/", ":", "_", "-", ".", " ")


def _is_table(names: Collection[str]) -> bool:
    return {"user", "instance_id"} <= set(names) and any(":::" in name for name in names)


def _table(frame: Frame, files: Files) -> Frame | None:
    scales = one_of_each_scale(frame.names, ":::")
    points = {name for of in scales.values() for name in of.values()}
    others = [name for name in frame.names if name not in points and name not in ("user", "instance_id")]
    cells = {name: cells_of(frame, name) for name in (*others, *points)}
    rows = list[Made]()
    for at, user in enumerate(frame.columns["user"]):
        said: dict[str, object] = {}
        for scale, of in scales.items():
            given = {point: cells[name][at] for point, name in of.items()}
            only = next(iter(given))
            # A field for text has one column.
            said[scale] = given[only] if len(of) == 1 and not only.isdigit() else chosen(given)
        rows.append((at, {**_names_of_text({name: cells[name][at] for name in others}), "judge": user, **said}))
    return _with_systems(frame, frame.columns["instance_id"], rows, [*scales], files)


TABLE = Export("Potato", lambda frame: _is_table(frame.columns), _table, _is_table)


def _is_lines(frame: Frame) -> bool:
    return {"displayed_text", "label_annotations"} <= set(frame.names) or (
        {"instance_id", "user_id", "labels"} <= set(frame.names) and "labels" in frame.values
    )


def _lines(frame: Frame, files: Files) -> Frame | None:
    own = {"id", "instance_id", "user_id", "user", "labels", "label_annotations", "displayed_text"}
    own |= {"spans", "span_annotations", "links", "behavioral_data"}
    answers = cells_of(frame, "labels" if "instance_id" in frame.names else "label_annotations")
    spans = next((cells_of(frame, name) for name in ("span_annotations", "spans") if name in frame.names), None)
    users = next((frame.columns[name] for name in ("user_id", "user") if name in frame.columns), None)
    ids = next((frame.columns[name] for name in ("instance_id", "id") if name in frame.columns), None)
    texts = frame.columns.get("displayed_text")
    others = {name: cells_of(frame, name) for name in frame.names if name not in own and name not in frame.unread}
    rows, asked = list[Made](), dict[str, None]()
    for at, said in enumerate(answers):
        given = {str(name): chosen(one) for name, one in said.items()} if isinstance(said, Mapping) else {}
        asked |= dict.fromkeys(given)
        row = {name: cells[at] for name, cells in others.items()}
        row |= {"text": texts[at]} if texts else {}
        row |= {"judge": users[at]} if users else {}
        marked = spans[at] if spans else None
        if isinstance(marked, list) and marked:
            row[ERRORS] = [
                error_of(one.get("start"), one.get("end"), str(one.get("name") or one.get("annotation") or ""))
                for one in marked
                if isinstance(one, Mapping)
            ]
        rows.append((at, {**row, **given}))
    made = _with_systems(frame, ids or [""] * len(frame), rows, [*asked], files)
    unread = tuple(name for name in ("links", "behavioral_data") if name in frame.names)
    return None if made is None else replace(made, unread=(*made.unread, *unread))


LINES = Export("Potato (JSON Lines)", _is_lines, _lines)


def _names_of_text(row: dict[str, object]) -> dict[str, object]:
    return {"text" if name == "displayed_text" else name: value for name, value in row.items()}


def _with_systems(
    frame: Frame, ids: Sequence[str], rows: Sequence[Made], answers: Sequence[str], files: Files
) -> Frame | None:
    """Return the table with systems and segments, which stand in the identifiers; None if these hold neither."""
    names = {name for _, row in rows for name in row}
    if "system" in names and any(columns_for(role, names) for role in ("segment", "source")):
        return table_of(frame, rows, answers)
    found = systems_and_segments([*dict.fromkeys(ids)])
    if found is None:
        one = next(iter(ids), "")
        files.error(
            f"{frame.place}:{frame.lines[0]}",
            "an identifier of an instance must hold a system and a segment, such as 'gpt-5__1', with the same "
            f"segments for each system; got {one[:60]!r}. Add columns 'system' and 'segment' to the table.",
        )
        return None
    sign, of = found
    files.note(frame.place, f"systems and segments stand on both sides of {sign!r} in the identifiers of instances.")
    made = [(at, {"segment": of[ids[at]][1], "system": of[ids[at]][0], **row}) for at, row in rows]
    return table_of(frame, made, answers)


def systems_and_segments(ids: Sequence[str]) -> tuple[str, dict[str, tuple[str, str]]] | None:
    """Return the sign between the systems and segments that identifiers are made of, and both of each.

    They are cut at the first or last such sign where each of several systems has the same of several segments. Systems
    are those that are fewer, or are no numbers.
    """
    for sign in _SEPARATORS:
        for cut in (str.rpartition, str.partition):
            parts = {one: cut(one, sign)[::2] for one in ids}
            first, second = ({part[at] for part in parts.values()} for at in (0, 1))
            if "" in first | second or min(len(first), len(second)) < 2 or len(first) * len(second) != len(ids):
                continue
            numbers = [all(re.fullmatch(r"[A-Za-z]{0,8}\d+", one) for one in names) for names in (first, second)]
            flipped = numbers[0] > numbers[1] if numbers[0] != numbers[1] else len(first) > len(second)
            return sign, {one: (b, a) if flipped else (a, b) for one, (a, b) in parts.items()}
    return None
