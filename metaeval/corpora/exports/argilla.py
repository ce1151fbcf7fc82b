"""Records of Argilla: a Hugging Face dataset has responses in lists side by side, and JSON in objects."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from metaeval.corpora.exports.base import Export, LeftOut, Made, cells_of, chosen, error_of, table_of, value_at
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
        if name.endswith(_RESPONSES_SUFFIX)
        and names.issuperset(_response_columns(name.removesuffix(_RESPONSES_SUFFIX)))
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
        fields, facts, responses, suggestions = (
            column[at] if isinstance(column[at], Mapping) else {} for column in cells.values()
        )
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
        for name in _response_columns(question):  # those of a question that nobody answered
            flat = flat if name in flat.names else flat.with_values(name, [[] for _ in rows])
    return flat


def _flat_version_1(frame: Frame, questions: Collection[str]) -> Frame:
    """Return records of Argilla 1 as version 2 writes them: questions have their responses in lists side by side."""
    flat = frame
    for question in questions:
        columns = [_responses(question, cell) for cell in cells_of(frame, question)]
        metadata = cells_of(frame, f"{question}-suggestion-metadata")
        suggested = cells_of(frame, f"{question}-suggestion")
        flat = flat.without(question, f"{question}-suggestion", f"{question}-suggestion-metadata")
        for name in columns[0]:
            flat = flat.with_values(name, [row[name] for row in columns])
        flat = flat.with_values(f"{question}.suggestion", suggested)
        flat = flat.with_values(f"{question}.suggestion.agent", [value_at(cell, "agent") for cell in metadata])
    if "external_id" in frame.columns and "id" not in frame.columns:
        flat = flat.with_column("id", frame.columns["external_id"]).without("external_id")
    return flat.without("metadata", "vectors")


def _responses(question: str, cell: object) -> dict[str, list[Any]]:
    """Return responses that are objects in a list as lists of their answers, users and states."""
    responses = [response for response in cell if isinstance(response, Mapping)] if isinstance(cell, list) else []
    answers, users, states = _response_columns(question)
    return {
        answers: [response.get("value") for response in responses],
        users: [response.get("user_id") for response in responses],
        states: [response.get("status") or _UNKNOWN_STATE for response in responses],
    }


def _table(frame: Frame, files: Files) -> Frame | None:
    """Return the table of what people said: suggestions of models are counted."""
    return _answers(_flat(frame), files, has_models=False)


def _ratings(frame: Frame, files: Files) -> Frame | None:
    """Return the table of what people said, and what models suggested."""
    return _answers(_flat(frame), files, has_models=True)


def _answers(frame: Frame, files: Files, *, has_models: bool) -> Frame | None:
    """Return a row for each record and rater: a person, and a model where `has_models`."""
    questions = _questions(frame)
    responses = {question: [cells_of(frame, name) for name in _response_columns(question)] for question in questions}
    suggested = {
        name: cells_of(frame, f"{name}.suggestion") for name in questions if f"{name}.suggestion" in frame.names
    }
    agents = {question: cells_of(frame, f"{question}.suggestion.agent") for question in suggested}
    others = _other_columns(frame, questions, keeps_ids=has_models)
    left_out = LeftOut()
    if not has_models:
        for values in suggested.values():
            left_out.add("suggestions of models", sum(value is not None for value in values))
    rows = list[Made]()
    models = dict[str, None]()
    for at in range(len(frame)):
        lists = {question: [cells[at] or [] for cells in columns] for question, columns in responses.items()}
        for question, of_question in lists.items():
            if not all(isinstance(values, list) for values in of_question) or len({*map(len, of_question)}) > 1:
                line = f"{frame.location}:{frame.lines[at]}"
                name = f"{question}{_RESPONSES_SUFFIX}"
                files.error(line, f"{name!r} must be a list, and as long as those of its users and states.")
                return None
        by_rater = _answers_of_people(lists, left_out)
        for question, values in suggested.items() if has_models else ():
            if values[at] is not None and not _are_marks(values[at]):
                agent = str(agents[question][at] or _UNNAMED_AGENT)
                models[agent] = None
                by_rater.setdefault(agent, {ERRORS: []})[question] = chosen(values[at])
        facts = {name: cells[at] for name, cells in others.items()}
        rows += [(at, {**facts, "judge": rater, **answers}) for rater, answers in by_rater.items()]
    left_out.note(frame.location, files)
    states = (state for _, _, column in responses.values() for cell in column for state in cell or ())
    n_unknown = sum(state == _UNKNOWN_STATE for state in states)
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


def _response_columns(question: str) -> list[str]:
    """Return the names of the columns with the answers to a question, those who gave them, and their states."""
    return [f"{question}{_RESPONSES_SUFFIX}{part}" for part in ("", ".users", ".status")]


def _other_columns(frame: Frame, questions: Sequence[str], *, keeps_ids: bool) -> dict[str, Sequence[Any]]:
    """Return the columns that are no answers: the texts and facts that were shown, and the id of a record if asked."""
    answers = {name for question in questions for name in _response_columns(question)} | {"status", "_server_id"}
    suggestions = tuple(f"{question}.suggestion" for question in questions)
    names = [
        name
        for name in frame.names
        if name not in answers and name not in frame.unread and not name.startswith(suggestions)
    ]
    if not keeps_ids and any(
        columns_for(role, [name for name in names if name != "id"]) for role in ("segment", "source")
    ):
        names = [name for name in names if name != "id"]  # that of a record, which is one output of a system
    return {name: cells_of(frame, name) for name in names}


def _answers_of_people(lists: Mapping[str, Sequence[list[Any]]], left_out: LeftOut) -> dict[str, dict[str, Any]]:
    """Return the answers in a record by person and question, and the errors that each has marked.

    Parameters
    ----------
    lists : mapping of str to sequence of list
        The answers to each question, those who gave them, and their states.
    left_out : LeftOut
        Counts drafts and answers that were discarded.
    """
    by_person = dict[str, dict[str, Any]]()
    for question, of_question in lists.items():
        for answer, user, state in zip(*of_question, strict=True):
            if state not in ("submitted", _UNKNOWN_STATE):
                left_out.add(f"responses that are {state}")
                continue
            row = by_person.setdefault(str(user), {ERRORS: []})
            if _are_marks(answer):
                row[ERRORS] += [error_of(mark["start"], mark["end"], str(mark.get("label") or "")) for mark in answer]
            else:
                row[question] = chosen(answer)
    return by_person


def _are_marks(value: object) -> bool:
    """Return whether a value is a list of errors that are marked in a text."""
    return isinstance(value, list) and bool(value) and all(map(_is_mark, value))


def _is_mark(value: object) -> bool:
    return isinstance(value, Mapping) and {"start", "end"} <= value.keys()


ARGILLA = Export(
    "Argilla",
    lambda frame: bool(_questions(frame) or _questions_of_version_1(frame.names)) or _are_records(frame.names),
    _table,
    lambda names: _are_records(names) or bool(_questions_of_version_1(names)),
    _ratings,
)
