"""Label Studio: JSON with annotations and their results, and CSV or JSON-MIN with a row for each annotation."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from metaeval.corpora.exports.base import Export, LeftOut, Made, cells_of, chosen, error_of, table_of, value_at
from metaeval.corpora.tables.delimited import Frame
from metaeval.corpora.tables.headers import columns_for, is_role_but_score, names_rating
from metaeval.corpora.tables.nested import ERRORS
from metaeval.corpora.text_files import Files

# The names of controls that give one answer, with that of the answer.
_ANSWER_KEYS = {"rating": "rating", "choices": "choices", "number": "number"}
# What a prediction's rater is called where it names no version of a model.
_UNNAMED_MODEL = "prediction"
_MARK_KEYS = ("labels", "hypertextlabels")
_COLUMNS_OF_LABEL_STUDIO = ("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time")


def _is_json(frame: Frame) -> bool:
    tasks = frame.values.get("annotations")
    if "data" not in frame.values or tasks is None:
        return False
    first = next((task[0] for task in tasks if isinstance(task, list) and task), None)
    return isinstance(first, Mapping) and "result" in first


def _json(frame: Frame, files: Files) -> Frame | None:
    """Return the table of what people said: predictions of models are counted."""
    return _annotations(frame, files, has_models=False)


def _ratings_of_json(frame: Frame, files: Files) -> Frame | None:
    """Return the table of what people said, and what models predicted."""
    return _annotations(frame, files, has_models=True)


def _annotations(frame: Frame, files: Files, *, has_models: bool) -> Frame | None:
    """Return a row for each annotation, and each prediction where `has_models`."""
    rows = list[Made]()
    asked = dict[str, None]()
    left_out = LeftOut()
    models = dict[str, None]()
    predictions = frame.values.get("predictions", [])
    ids = frame.columns.get("id", [])
    for at, (task, data) in enumerate(zip(frame.values["annotations"], frame.values["data"], strict=True)):
        data = data if isinstance(data, Mapping) else {}
        of_models = predictions[at] if at < len(predictions) and isinstance(predictions[at], list) else []
        if has_models:
            if at < len(ids):
                data = {"id": ids[at], **data}
            for prediction in of_models:
                results = value_at(prediction, "result")
                answers, _ = _results(results if isinstance(results, list) else [], data, left_out)
                model = str(value_at(prediction, "model_version") or _UNNAMED_MODEL)
                if answers:
                    models[model] = None
                    asked |= dict.fromkeys(answers)
                    rows.append((at, {**data, "judge": model, **answers}))
        elif of_models:
            left_out.add("predictions of models", len(of_models))
        for annotation in task if isinstance(task, list) else []:
            if not isinstance(annotation, Mapping) or annotation.get("was_cancelled"):
                left_out.add("annotations that were cancelled")
                continue
            results = annotation.get("result")
            answers, errors = _results(results if isinstance(results, list) else [], data, left_out)
            asked |= dict.fromkeys(answers)
            row: dict[str, Any] = {name: value for name, value in data.items() if name not in answers}
            judge = annotation.get("completed_by")
            judge = judge.get("email") or judge.get("id") if isinstance(judge, Mapping) else judge
            rows.append((at, {**row, "judge": judge, ERRORS: errors, **answers}))
    left_out.note(frame.location, files)
    if not rows:
        files.error(frame.location, "is an export of Label Studio without any annotation that was submitted.")
        return None
    unread = [name for name in frame.names if name not in ("annotations", "data", "predictions")]
    table = table_of(frame, rows, asked, unread)
    if not models:
        return table
    files.note(
        frame.location,
        "Label Studio may show predictions to people who annotate, which draws their answers to those of the model: "
        "agreement is too high unless they were hidden.",
    )
    return replace(table, settings={**table.settings, "judges": tuple(models)})


def _results(
    results: Sequence[Any], data: Mapping[str, Any], left_out: LeftOut
) -> tuple[dict[str, object], list[dict[str, Any]]]:
    """Return the answers of an annotation by the names of their controls, and the errors that it marks."""
    answers = dict[str, object]()
    errors = list[dict[str, Any]]()
    objects = [result if isinstance(result, Mapping) else {} for result in results]
    marks = {str(result.get("id")) for result in objects if str(result.get("type")) in _MARK_KEYS}
    for result in objects:
        kind = str(result.get("type"))
        value = result.get("value")
        if not isinstance(value, Mapping):
            left_out.add("results without a value")
        elif kind in _MARK_KEYS:
            errors.append(_error(value, value.get(kind), data))
        elif kind not in _ANSWER_KEYS:
            left_out.add(f"results of the type {kind!r}, which are no ratings")
        elif str(result.get("id")) in marks:
            left_out.add("answers on a part of a text")
        else:
            name = str(result.get("from_name") or kind)
            answer = chosen(value.get(_ANSWER_KEYS[kind]))
            # Two answers are no number, which is an error.
            answers[name] = f"{answers[name]}, {answer}" if name in answers else answer
    return answers, errors


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
    """Return a row for each annotation of a file that has its answers in columns."""
    others = [name for name in frame.names if name not in _COLUMNS_OF_LABEL_STUDIO and name not in frame.unread]
    cells = {name: cells_of(frame, name) for name in others}
    # Choices stand alone, without a list around.
    answers = _keys_of_lists(cells, _ANSWER_KEYS)
    marks = _keys_of_lists(cells, _MARK_KEYS)
    rows = list[Made]()
    for at, judge in enumerate(cells_of(frame, "annotator")):
        data = {name: cells[name][at] for name in others if name not in answers and name not in marks}
        row: dict[str, Any] = {**data, "judge": judge, ERRORS: []}
        for name, key in answers.items():
            answer = cells[name][at]
            if isinstance(answer, list):
                answer = [item.get(key) for item in answer if isinstance(item, Mapping)]
            row[name] = chosen(answer)
        for name, key in marks.items():
            for mark in cells[name][at] or ():
                if isinstance(mark, Mapping):
                    row[ERRORS].append(_error(mark, mark.get(key), data))
        rows.append((at, row))
    return table_of(
        frame, rows, [*answers, *_plain_answers(frame, others, answers, marks)], _COLUMNS_OF_LABEL_STUDIO[3:]
    )


def _keys_of_lists(cells: Mapping[str, Sequence[Any]], keys: Collection[str]) -> dict[str, str]:
    """Return the columns with lists of objects that have one of some keys, and the key."""
    key_of = dict[str, str]()
    for name, values in cells.items():
        firsts = [value[0] for value in values if isinstance(value, list) and value and isinstance(value[0], Mapping)]
        for key in keys:
            if any(key in first for first in firsts):
                key_of[name] = key
    return key_of


def _plain_answers(
    frame: Frame, names: Sequence[str], answers: Mapping[str, str], marks: Mapping[str, str]
) -> list[str]:
    """Return the columns of text that are called as ratings: choices have no list around them."""
    others = [name for name in names if name in frame.columns and name not in answers and name not in marks]
    return [name for name in others if names_rating(name) and not is_role_but_score(name)]


JSON = Export("Label Studio (JSON)", _is_json, _json, ratings=_ratings_of_json)
FLAT = Export("Label Studio (CSV, JSON-MIN)", _is_flat, _flat)
