"""Records of Argilla, as a Hugging Face dataset: the responses of several people stand in lists side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metaeval.corpora.exports.base import Export, LeftOut, Made, cells_of, chosen, error_of, table_of
from metaeval.corpora.tables.delimited import Frame
from metaeval.corpora.tables.headers import columns_for
from metaeval.corpora.tables.nested import ERRORS
from metaeval.corpora.text_files import Files

_RESPONSES_SUFFIX = ".responses"


def _questions(frame: Frame) -> list[str]:
    names = set(frame.names)
    return [
        name.removesuffix(_RESPONSES_SUFFIX)
        for name in frame.names
        if name.endswith(_RESPONSES_SUFFIX) and {f"{name}.users", f"{name}.status"} <= names
    ]


def _table(frame: Frame, files: Files) -> Frame | None:
    questions, left_out = _questions(frame), LeftOut()
    parts = [f"{question}{_RESPONSES_SUFFIX}" for question in questions]
    of_questions = {name for part in parts for name in (part, f"{part}.users", f"{part}.status")}
    suggestions = [f"{question}.suggestion" for question in questions]
    own = {name for name in frame.names if name in of_questions or name.startswith(tuple(suggestions))}
    own |= {"status", "_server_id"}
    others = {name: cells_of(frame, name) for name in frame.names if name not in own and name not in frame.unread}
    if any(columns_for(role, [name for name in others if name != "id"]) for role in ("segment", "source")):
        others.pop("id", None)  # that of a record, which is one output of a system
    cells = {name: cells_of(frame, name) for name in of_questions}
    for name in suggestions:
        if name in frame.names:
            left_out.add("suggestions of models", sum(one is not None for one in cells_of(frame, name)))
    rows = list[Made]()
    for at in range(len(frame)):
        by_user = dict[str, dict[str, Any]]()
        for question, part in zip(questions, parts, strict=True):
            lists = [cells[name][at] or [] for name in (part, f"{part}.users", f"{part}.status")]
            if not all(isinstance(one, list) for one in lists) or len({*map(len, lists)}) > 1:
                line = f"{frame.location}:{frame.lines[at]}"
                files.error(line, f"{part!r} must be a list, and as long as those of its users and states.")
                return None
            for answer, user, state in zip(*lists, strict=True):
                if state != "submitted":
                    left_out.add(f"responses that are {state}")
                    continue
                row = by_user.setdefault(str(user), {ERRORS: []})
                if isinstance(answer, list) and answer and all(map(_is_mark, answer)):
                    row[ERRORS] += [error_of(one["start"], one["end"], str(one.get("label") or "")) for one in answer]
                else:
                    row[question] = chosen(answer)
        rows += [
            (at, {**{name: of[at] for name, of in others.items()}, "judge": user, **said})
            for user, said in by_user.items()
        ]
    left_out.note(frame.location, files)
    unread = [name for name in ("id", "status", "_server_id") if name in frame.names and name not in others]
    return table_of(frame, rows, questions, unread)


def _is_mark(one: object) -> bool:
    return isinstance(one, Mapping) and {"start", "end"} <= one.keys()


ARGILLA = Export("Argilla", lambda frame: bool(_questions(frame)), _table)
