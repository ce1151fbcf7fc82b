"""Records of Argilla: a Hugging Face dataset has responses in lists side by side, and JSON in objects."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from metaeval.corpora.exports.base import Export, LeftOut, Made, cells_of, chosen, error_of, table_of
from metaeval.corpora.tables.delimited import Frame
from metaeval.corpora.tables.headers import columns_for
from metaeval.corpora.tables.nested import ERRORS
from metaeval.corpora.text_files import Files

_RESPONSES_SUFFIX = ".responses"
_KEYS_OF_RECORDS = {"id", "fields", "responses", "suggestions"}
# The state of responses whose file does not say it.
_UNKNOWN_STATE = ""
# What a suggestion's rater is called where it has no agent.
_UNNAMED_AGENT = "suggestion"


def _questions(frame: Frame) -> list[str]:
    names = set(frame.names)
    return [
        name.removesuffix(_RESPONSES_SUFFIX)
        for name in frame.names
        if name.endswith(_RESPONSES_SUFFIX) and {f"{name}.users", f"{name}.status"} <= names
    ]


def _questions_of_version_1(names: Collection[str]) -> list[str]:
    """Return the questions of a dataset of Argilla 1: their responses are objects in a list."""
    known = set(names)
    return [name for name in names if {f"{name}-suggestion", f"{name}-suggestion-metadata"} <= known]


def _are_records(names: Collection[str]) -> bool:
    return set(names) >= _KEYS_OF_RECORDS


def _flat(frame: Frame) -> Frame:
    """Return records that are objects inside others as those of a Hugging Face dataset are."""
    if _questions(frame):
        return frame
    if questions := _questions_of_version_1(frame.names):
        return _flat_version_1(frame, questions)
    if not _are_records(frame.names):
        return frame
    cells = {name: cells_of(frame, name) for name in ("fields", "metadata", "responses", "suggestions")}
    rows = list[dict[str, Any]]()
    for at in range(len(frame)):
        fields, facts, responses, suggestions = (of[at] if isinstance(of[at], Mapping) else {} for of in cells.values())
        row: dict[str, Any] = {**facts, **fields}
        for question, responses_to_question in responses.items():
            row |= _responses(question, responses_to_question)
        for question, suggestion in suggestions.items():
            if isinstance(suggestion, Mapping):
                row |= {
                    f"{question}.suggestion": suggestion.get("value"),
                    f"{question}.suggestion.agent": suggestion.get("agent"),
                }
        rows.append(row)
    flat = frame.without("fields", "metadata", "responses", "suggestions", "vectors")
    for name in dict.fromkeys(name for row in rows for name in row):
        flat = flat.with_values(name, [row.get(name) for row in rows])
    for question in {name.removesuffix(".suggestion") for name in flat.names if name.endswith(".suggestion")}:
        for part in ("", ".users", ".status"):  # those of a question that nobody answered
            name = f"{question}{_RESPONSES_SUFFIX}{part}"
            flat = flat if name in flat.names else flat.with_values(name, [[] for _ in rows])
    return flat


def _flat_version_1(frame: Frame, questions: Collection[str]) -> Frame:
    """Return records of Argilla 1 as version 2 writes them: questions have their responses in lists side by side."""
    flat = frame
    for question in questions:
        given, metadata = cells_of(frame, question), cells_of(frame, f"{question}-suggestion-metadata")
        columns = [_responses(question, cell) for cell in given]
        suggested = cells_of(frame, f"{question}-suggestion")
        flat = flat.without(question, f"{question}-suggestion", f"{question}-suggestion-metadata")
        for name in columns[0]:
            flat = flat.with_values(name, [row[name] for row in columns])
        flat = flat.with_values(f"{question}.suggestion", suggested)
        agents = [one.get("agent") if isinstance(one, Mapping) else None for one in metadata]
        flat = flat.with_values(f"{question}.suggestion.agent", agents)
    if "external_id" in frame.columns and "id" not in frame.columns:
        flat = flat.with_column("id", frame.columns["external_id"]).without("external_id")
    return flat.without("metadata", "vectors")


def _responses(question: str, given: object) -> dict[str, list[Any]]:
    """Return responses that are objects in a list as lists of their answers, users and states."""
    name = f"{question}{_RESPONSES_SUFFIX}"
    objects = [one for one in given if isinstance(one, Mapping)] if isinstance(given, list) else []
    return {
        name: [one.get("value") for one in objects],
        f"{name}.users": [one.get("user_id") for one in objects],
        f"{name}.status": [one.get("status") or _UNKNOWN_STATE for one in objects],
    }


def _table(frame: Frame, files: Files) -> Frame | None:
    """Return the table of what people said: suggestions of models are counted."""
    return _answers(_flat(frame), files, has_models=False)


def _ratings(frame: Frame, files: Files) -> Frame | None:
    """Return the table of what people said, and what models suggested."""
    return _answers(_flat(frame), files, has_models=True)


def _answers(frame: Frame, files: Files, *, has_models: bool) -> Frame | None:
    questions = _questions(frame)
    left_out = LeftOut()
    parts = [f"{question}{_RESPONSES_SUFFIX}" for question in questions]
    of_questions = {name for part in parts for name in (part, f"{part}.users", f"{part}.status")}
    suggestions = [f"{question}.suggestion" for question in questions]
    question_columns = {name for name in frame.names if name in of_questions or name.startswith(tuple(suggestions))}
    question_columns |= {"status", "_server_id"}
    others = {
        name: cells_of(frame, name) for name in frame.names if name not in question_columns and name not in frame.unread
    }
    if not has_models and any(
        columns_for(role, [name for name in others if name != "id"]) for role in ("segment", "source")
    ):
        others.pop("id", None)  # that of a record, which is one output of a system
    cells = {name: cells_of(frame, name) for name in of_questions}
    suggested = {name: cells_of(frame, name) for name in suggestions if name in frame.names}
    agents = {name: cells_of(frame, f"{name}.agent") for name in suggested}
    if not has_models:
        for values in suggested.values():
            left_out.add("suggestions of models", sum(value is not None for value in values))
    rows = list[Made]()
    models = dict[str, None]()
    n_unknown = 0
    for at in range(len(frame)):
        by_rater = dict[str, dict[str, Any]]()
        for question, part in zip(questions, parts, strict=True):
            lists = [cells[name][at] or [] for name in (part, f"{part}.users", f"{part}.status")]
            if not all(isinstance(values, list) for values in lists) or len({*map(len, lists)}) > 1:
                line = f"{frame.location}:{frame.lines[at]}"
                files.error(line, f"{part!r} must be a list, and as long as those of its users and states.")
                return None
            for answer, user, state in zip(*lists, strict=True):
                if state not in ("submitted", _UNKNOWN_STATE):
                    left_out.add(f"responses that are {state}")
                    continue
                n_unknown += state == _UNKNOWN_STATE
                row = by_rater.setdefault(str(user), {ERRORS: []})
                if isinstance(answer, list) and answer and all(map(_is_mark, answer)):
                    row[ERRORS] += [
                        error_of(mark["start"], mark["end"], str(mark.get("label") or "")) for mark in answer
                    ]
                else:
                    row[question] = chosen(answer)
        if has_models:
            for question, name in zip(questions, suggestions, strict=True):
                value = suggested[name][at] if name in suggested else None
                is_marks = isinstance(value, list) and value and all(map(_is_mark, value))
                if value is not None and not is_marks:
                    agent = str(agents[name][at] or _UNNAMED_AGENT)
                    models[agent] = None
                    by_rater.setdefault(agent, {ERRORS: []})[question] = chosen(value)
        rows += [
            (at, {**{name: of[at] for name, of in others.items()}, "judge": rater, **answers})
            for rater, answers in by_rater.items()
        ]
    left_out.note(frame.location, files)
    if n_unknown:
        files.note(
            frame.location,
            f"of {n_unknown} responses the file does not say whether they are submitted, drafts or discarded: "
            "all of them count.",
        )
    if models:
        files.note(
            frame.location,
            "Argilla shows suggestions to people who answer, which draws their answers to those of the model: "
            "agreement is too high unless they were hidden.",
        )
    unread = [name for name in ("id", "status", "_server_id") if name in frame.names and name not in others]
    table = table_of(frame, rows, questions, unread)
    return replace(table, settings={**table.settings, "judges": tuple(models)}) if has_models else table


def _is_mark(value: object) -> bool:
    return isinstance(value, Mapping) and {"start", "end"} <= value.keys()


ARGILLA = Export(
    "Argilla",
    lambda frame: bool(_questions(frame) or _questions_of_version_1(frame.names)) or _are_records(frame.names),
    _table,
    lambda names: _are_records(names) or bool(_questions_of_version_1(names)),
    _ratings,
)
