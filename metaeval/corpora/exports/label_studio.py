"""Label Studio: JSON with annotations and their results, and CSV or JSON-MIN with a row for each annotation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from metaeval.corpora.exports.base import Export, LeftOut, Made, cells_of, chosen, error_of, table_of
from metaeval.corpora.tables.delimited import Frame
from metaeval.corpora.tables.headers import columns_for, is_role_but_score, names_rating
from metaeval.corpora.tables.nested import ERRORS
from metaeval.corpora.text_files import Files

# The names of controls that give one answer, with that of the answer.
_ANSWER_KEYS = {"rating": "rating", "choices": "choices", "number": "number"}
_MARK_KEYS = ("labels", "hypertextlabels")
_COLUMNS_OF_LABEL_STUDIO = ("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time")


def _is_json(frame: Frame) -> bool:
    tasks = frame.values.get("annotations")
    if "data" not in frame.values or tasks is None:
        return False
    first = next((task[0] for task in tasks if isinstance(task, list) and task), None)
    return isinstance(first, Mapping) and "result" in first


def _json(frame: Frame, files: Files) -> Frame | None:
    rows, asked, left_out = list[Made](), dict[str, None](), LeftOut()
    predictions = frame.values.get("predictions", [])
    for at, (task, data) in enumerate(zip(frame.values["annotations"], frame.values["data"], strict=True)):
        data = data if isinstance(data, Mapping) else {}
        if at < len(predictions) and isinstance(predictions[at], list):
            left_out.add("predictions of models", len(predictions[at]))
        for annotation in task if isinstance(task, list) else []:
            if not isinstance(annotation, Mapping) or annotation.get("was_cancelled"):
                left_out.add("annotations that were cancelled")
                continue
            results = annotation.get("result")
            said, errors = _results(results if isinstance(results, list) else [], data, left_out)
            asked |= dict.fromkeys(said)
            row: dict[str, Any] = {name: value for name, value in data.items() if name not in said}
            judge = annotation.get("completed_by")
            judge = judge.get("email") or judge.get("id") if isinstance(judge, Mapping) else judge
            rows.append((at, {**row, "judge": judge, ERRORS: errors, **said}))
    left_out.note(frame.place, files)
    if not rows:
        files.error(frame.place, "is an export of Label Studio without any annotation that was submitted.")
        return None
    unread = [name for name in frame.names if name not in ("annotations", "data", "predictions")]
    return table_of(frame, rows, asked, unread)


def _results(
    results: Sequence[Any], data: Mapping[str, Any], left_out: LeftOut
) -> tuple[dict[str, object], list[dict[str, Any]]]:
    """Return the answers of an annotation by the names of their controls, and the errors that it marks."""
    said, errors = dict[str, object](), list[dict[str, Any]]()
    marks = {str(one.get("id")) for one in results if isinstance(one, Mapping) and str(one.get("type")) in _MARK_KEYS}
    for one in results:
        kind, value = (str(one.get("type")), one.get("value")) if isinstance(one, Mapping) else ("", None)
        if not isinstance(value, Mapping):
            left_out.add("results without a value")
        elif kind in _MARK_KEYS:
            errors.append(_error(value, value.get(kind), data))
        elif kind not in _ANSWER_KEYS:
            left_out.add(f"results of the type {kind!r}, which are no ratings")
        elif str(one.get("id")) in marks:
            left_out.add("answers on a part of a text")
        else:
            name, answer = str(one.get("from_name") or kind), chosen(value.get(_ANSWER_KEYS[kind]))
            # Two answers are no number, which is an error.
            said[name] = f"{said[name]}, {answer}" if name in said else answer
    return said, errors


def _error(value: Mapping[str, Any], labels: object, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return an error; it is one of the source where its words stand there and not in another text."""
    start, end, words = value.get("start"), value.get("end"), value.get("text")
    label = "/".join(map(str, labels)) if isinstance(labels, list) else str(labels or "")
    where = []
    if isinstance(start, int) and isinstance(end, int) and isinstance(words, str):
        where = [name for name, text in data.items() if isinstance(text, str) and text[start:end] == words]
    sources = columns_for("source", data)
    return error_of(start, end, label, in_source=bool(where) and set(where) <= set(sources))


def _is_flat(frame: Frame) -> bool:
    return {"annotator", "annotation_id", "lead_time"} <= set(frame.names)


def _flat(frame: Frame, files: Files) -> Frame | None:
    others = [name for name in frame.names if name not in _COLUMNS_OF_LABEL_STUDIO and name not in frame.unread]
    cells = {name: cells_of(frame, name) for name in others}
    answers = {
        name: key
        for name in others
        for key in _ANSWER_KEYS
        if any(isinstance(one, list) and one and isinstance(one[0], Mapping) and key in one[0] for one in cells[name])
    }
    # Choices stand alone, without a list around.
    marks = {
        name: key
        for name in others
        for key in _MARK_KEYS
        if any(isinstance(one, list) and one and isinstance(one[0], Mapping) and key in one[0] for one in cells[name])
    }
    rows = list[Made]()
    for at, judge in enumerate(cells_of(frame, "annotator")):
        data = {name: cells[name][at] for name in others if name not in answers and name not in marks}
        row: dict[str, Any] = {**data, "judge": judge, ERRORS: []}
        for name, key in answers.items():
            given = cells[name][at]
            found = [one.get(key) for one in given if isinstance(one, Mapping)] if isinstance(given, list) else given
            row[name] = chosen(found)
        for name, key in marks.items():
            for one in cells[name][at] or ():
                if isinstance(one, Mapping):
                    row[ERRORS].append(_error(one, one.get(key), data))
        rows.append((at, row))
    return table_of(
        frame, rows, [*answers, *_plain_answers(frame, others, answers, marks)], _COLUMNS_OF_LABEL_STUDIO[3:]
    )


def _plain_answers(
    frame: Frame, names: Sequence[str], answers: Mapping[str, str], marks: Mapping[str, str]
) -> list[str]:
    """Return the columns of text that are called as ratings: choices have no list around them."""
    rest = [name for name in names if name in frame.columns and name not in answers and name not in marks]
    return [name for name in rest if names_rating(name) and not is_role_but_score(name)]


JSON = Export("Label Studio (JSON)", _is_json, _json)
FLAT = Export("Label Studio (CSV, JSON-MIN)", _is_flat, _flat)
