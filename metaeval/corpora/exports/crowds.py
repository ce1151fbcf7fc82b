"""Results of crowds: Toloka, and batches of Amazon Mechanical Turk.

What was shown and what was answered stand in columns with a prefix, which is taken off. Rejected and unfinished
assignments and control tasks are left out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from metaeval.corpora.exports.base import (
    Export,
    LeftOut,
    Made,
    cells_of,
    chosen,
    one_of_each_scale,
    table_of,
    without_prefix,
)
from metaeval.corpora.tables.delimited import Frame
from metaeval.corpora.text_files import Files

_DONE_STATUSES = {"APPROVED", "SUBMITTED", ""}
_MTURK_COLUMNS = {"HITId", "AssignmentId", "WorkerId", "AssignmentStatus"}


def _is_toloka(names: Collection[str]) -> bool:
    return all(any(name.startswith(prefix) for name in names) for prefix in ("INPUT:", "OUTPUT:", "ASSIGNMENT:"))


def _toloka(frame: Frame, files: Files) -> Frame | None:
    """Return a row for each task that was done, but for control tasks."""
    inputs = without_prefix(frame.names, ["INPUT:"])
    outputs = without_prefix(frame.names, ["OUTPUT:"])
    outputs = {name: name if short in inputs.values() else short for name, short in outputs.items()}
    golden = [name for name in frame.names if name.startswith("GOLDEN:")]
    cells = {name: cells_of(frame, name) for name in (*inputs, *outputs, *golden)}
    workers = frame.columns.get("ASSIGNMENT:worker_id", [""] * len(frame))
    states = frame.columns.get("ASSIGNMENT:status", [""] * len(frame))
    rows = list[Made]()
    left_out = LeftOut()
    for at, (worker, state) in enumerate(zip(workers, states, strict=True)):
        if any(cells[name][at] for name in golden):
            left_out.add("control tasks, whose answers are known")
        elif state.upper() not in _DONE_STATUSES:
            left_out.add(f"tasks with the status {state}")
        else:
            row = {short: cells[name][at] for name, short in inputs.items()}
            row |= {short: chosen(cells[name][at]) for name, short in outputs.items()}
            rows.append((at, {**row, "judge": worker} if worker else row))
    left_out.note(frame.location, files)
    unread = [name for name in frame.names if name.startswith(("HINT:", "ASSIGNMENT:"))]
    used = ("ASSIGNMENT:worker_id", "ASSIGNMENT:status")
    return table_of(frame, rows, outputs.values(), [name for name in unread if name not in used])


TOLOKA = Export("Toloka", lambda frame: _is_toloka(frame.names), _toloka, _is_toloka)


def _is_mturk(names: Collection[str]) -> bool:
    return set(names) >= _MTURK_COLUMNS and any(name.startswith("Answer.") for name in names)


def _mturk(frame: Frame, files: Files) -> Frame | None:
    """Return a row for each assignment that was not rejected."""
    inputs = without_prefix(frame.names, ["Input."])
    answers = without_prefix(frame.names, ["Answer."])
    cells = {name: cells_of(frame, name) for name in (*inputs, *answers)}
    rejected = frame.columns.get("Reject", [""] * len(frame))
    rows = list[Made]()
    questions = dict[str, None]()
    left_out = LeftOut()
    for at, (worker, state) in enumerate(
        zip(frame.columns["WorkerId"], frame.columns["AssignmentStatus"], strict=True)
    ):
        if state.strip().lower() == "rejected" or rejected[at].strip():
            left_out.add("rejected assignments")
            continue
        answers_of_row: dict[str, Any] = {}
        for name, short in answers.items():
            value = cells[name][at]
            if isinstance(value, list) and len(value) == 1 and isinstance(value[0], Mapping):
                answers_of_row |= value[0]  # a form of crowd elements has all answers in one cell
            else:
                answers_of_row[short] = value
        answers_of_row = {name: chosen(value) for name, value in _joined(answers_of_row).items()}
        questions |= dict.fromkeys(answers_of_row)
        row = {short: cells[name][at] for name, short in inputs.items()}
        row |= {
            name if name not in inputs.values() else f"Answer.{name}": value for name, value in answers_of_row.items()
        }
        rows.append((at, {**row, "judge": worker}))
    left_out.note(frame.location, files)
    unread = [name for name in frame.names if name not in inputs and name not in answers and name != "WorkerId"]
    taken = set(inputs.values())
    return table_of(frame, rows, (f"Answer.{name}" if name in taken else name for name in questions), unread)


def _joined(answers: Mapping[str, Any]) -> dict[str, Any]:
    """Return answers in which the points of a scale, ``adequacy.4`` and others that are true or false, are one."""
    scales = {
        scale: points
        for scale, points in one_of_each_scale([*answers], ".").items()
        if len(points) > 1 and {str(answers[name]).lower() for name in points.values()} <= {"true", "false"}
    }
    points = {name for columns in scales.values() for name in columns.values()}
    others = {name: value for name, value in answers.items() if name not in points}
    return others | {
        scale: {point: answers[name] for point, name in columns.items()} for scale, columns in scales.items()
    }


MTURK = Export(
    "Amazon Mechanical Turk",
    lambda frame: _is_mturk(frame.names) and set(frame.columns) >= _MTURK_COLUMNS,
    _mturk,
    _is_mturk,
)
