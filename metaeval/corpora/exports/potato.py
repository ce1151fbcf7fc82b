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
    """Return a row for each annotation of a table, whose scales have a column for each point."""
    scales = one_of_each_scale(frame.names, ":::")
    points = {name for columns in scales.values() for name in columns.values()}
    others = [name for name in frame.names if name not in points and name not in ("user", "instance_id")]
    cells = {name: cells_of(frame, name) for name in (*others, *points)}
    rows = list[Made]()
    for at, user in enumerate(frame.columns["user"]):
        answers: dict[str, object] = {}
        for scale, column_of in scales.items():
            marks = {point: cells[name][at] for point, name in column_of.items()}
            first = next(iter(marks))
            # A field for text has one column.
            answers[scale] = marks[first] if len(marks) == 1 and not first.isdigit() else chosen(marks)
        rows.append((at, {**_names_of_text({name: cells[name][at] for name in others}), "judge": user, **answers}))
    return _with_systems(frame, frame.columns["instance_id"], rows, [*scales], files)


TABLE = Export("Potato", lambda frame: _is_table(frame.columns), _table, _is_table)


def _is_lines(frame: Frame) -> bool:
    return {"displayed_text", "label_annotations"} <= set(frame.names) or (
        {"instance_id", "user_id", "labels"} <= set(frame.names) and "labels" in frame.values
    )


def _lines(frame: Frame, files: Files) -> Frame | None:
    """Return a row for each annotation of JSON Lines."""
    own_columns = {"id", "instance_id", "user_id", "user", "labels", "label_annotations", "displayed_text"}
    own_columns |= {"spans", "span_annotations", "links", "behavioral_data"}
    answers = cells_of(frame, "labels" if "instance_id" in frame.names else "label_annotations")
    spans = next((cells_of(frame, name) for name in ("span_annotations", "spans") if name in frame.names), None)
    users = next((frame.columns[name] for name in ("user_id", "user") if name in frame.columns), None)
    ids = next((frame.columns[name] for name in ("instance_id", "id") if name in frame.columns), None)
    texts = frame.columns.get("displayed_text")
    others = {
        name: cells_of(frame, name) for name in frame.names if name not in own_columns and name not in frame.unread
    }
    rows = list[Made]()
    questions = dict[str, None]()
    for at, answer in enumerate(answers):
        labels = {str(name): chosen(value) for name, value in answer.items()} if isinstance(answer, Mapping) else {}
        questions |= dict.fromkeys(labels)
        row = {name: cells[at] for name, cells in others.items()}
        if texts:
            row["text"] = texts[at]
        if users:
            row["judge"] = users[at]
        marked = spans[at] if spans else None
        if isinstance(marked, list) and marked:
            row[ERRORS] = [
                error_of(span.get("start"), span.get("end"), str(span.get("name") or span.get("annotation") or ""))
                for span in marked
                if isinstance(span, Mapping)
            ]
        rows.append((at, {**row, **labels}))
    table = _with_systems(frame, ids or [""] * len(frame), rows, [*questions], files)
    unread = tuple(name for name in ("links", "behavioral_data") if name in frame.names)
    return None if table is None else replace(table, unread=(*table.unread, *unread))


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
    sign_and_parts = systems_and_segments([*dict.fromkeys(ids)])
    if sign_and_parts is None:
        example = next(iter(ids), "")
        files.error(
            f"{frame.location}:{frame.lines[0]}",
            "an identifier of an instance must hold a system and a segment, such as 'gpt-5__1', with the same "
            f"segments for each system; got {example[:60]!r}. Add columns 'system' and 'segment' to the table.",
        )
        return None
    sign, parts = sign_and_parts
    files.note(frame.location, f"systems and segments stand on both sides of {sign!r} in the identifiers of instances.")
    named_rows = [(at, {"segment": parts[ids[at]][1], "system": parts[ids[at]][0], **row}) for at, row in rows]
    return table_of(frame, named_rows, answers)


def systems_and_segments(ids: Sequence[str]) -> tuple[str, dict[str, tuple[str, str]]] | None:
    """Return the sign between the systems and segments that identifiers are made of, and both of each.

    They are cut at the first or last such sign where each of several systems has the same of several segments. Systems
    are those that are fewer, or are no numbers.
    """
    for sign in _SEPARATORS:
        for cut in (str.rpartition, str.partition):
            parts = {id_: cut(id_, sign)[::2] for id_ in ids}
            first = {before for before, _ in parts.values()}
            second = {after for _, after in parts.values()}
            if "" in first | second or min(len(first), len(second)) < 2 or len(first) * len(second) != len(ids):
                continue
            if _are_numbered(first) != _are_numbered(second):
                is_flipped = _are_numbered(first)
            else:
                is_flipped = len(first) > len(second)
            return sign, {id_: (b, a) if is_flipped else (a, b) for id_, (a, b) in parts.items()}
    return None


def _are_numbered(names: Collection[str]) -> bool:
    return all(re.fullmatch(r"[A-Za-z]{0,8}\d+", name) for name in names)
