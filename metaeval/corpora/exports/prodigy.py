"""Annotations of Prodigy, as `db-out` writes them: one option of a choice, or yes and no, and marked errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metaeval.corpora.exports.base import Export, LeftOut, Made, cells_of, error_of, table_of
from metaeval.corpora.judgment_columns import NUMBER
from metaeval.corpora.tables.delimited import Frame
from metaeval.corpora.tables.nested import ERRORS
from metaeval.corpora.text_files import Files

_KEYS_THAT_TELL = {"_input_hash", "_task_hash", "answer"}
_READ_KEYS = {"answer", "accept", "options", "meta", "spans", "label", "_annotator_id", "_session_id"}
# Keys of Prodigy that say nothing of a rating.
_UNREAD_KEYS = {
    *("tokens", "config", "_view_id", "_timestamp", "_input_hash", "_task_hash", "_is_binary", "_block", "_history"),
}


def _table(frame: Frame, files: Files) -> Frame | None:
    """Return a row for each task that was accepted or rejected."""
    cells = {name: cells_of(frame, name) for name in frame.names if name == "answer" or name not in frame.unread}
    nothing = [None] * len(frame)
    others = [name for name in cells if name not in _READ_KEYS | _UNREAD_KEYS]
    rows = list[Made]()
    questions = dict[str, None]()
    left_out = LeftOut()
    for at, answer in enumerate(cells["answer"]):
        options = cells.get("options", nothing)[at]
        if answer not in ("accept", "reject") or (options and answer == "reject"):
            left_out.add(f"tasks with the answer {answer}")
            continue
        meta = cells.get("meta", nothing)[at]
        row: dict[str, Any] = {**meta} if isinstance(meta, Mapping) else {}
        row |= {name: cells[name][at] for name in others}
        judge = next((cells[name][at] for name in ("_annotator_id", "_session_id") if name in cells), None)
        row |= {} if judge is None else {"judge": judge}
        # The question has no name in the file, unless one label was asked about.
        label = cells.get("label", nothing)[at]
        if options:
            accept = cells.get("accept", nothing)[at]
            name = str(label or "choice")
            chosen_answer = _option(accept, options)
        else:
            name = str(label or "accept")
            chosen_answer = 1 if answer == "accept" else 0
        spans = cells.get("spans", nothing)[at]
        marked = [span for span in spans if isinstance(span, Mapping)] if isinstance(spans, list) else []
        row[ERRORS] = [error_of(span.get("start"), span.get("end"), str(span.get("label") or "")) for span in marked]
        if options or not marked:
            row[name] = chosen_answer
            questions[name] = None
        rows.append((at, row))
    left_out.note(frame.location, files)
    return table_of(frame, rows, questions, [name for name in frame.names if name in _UNREAD_KEYS])


def _option(accept: object, options: Any) -> object:
    """Return the option that was chosen, as a number if its name or its text begins with one; None without any."""
    if isinstance(accept, list):
        accepted = accept
    elif accept is None:
        accepted = []
    else:
        accepted = [accept]
    if len(accepted) != 1:
        return ", ".join(map(str, accepted)) or None
    known = options if isinstance(options, list) else []
    texts = {str(option.get("id")): option.get("text") for option in known if isinstance(option, Mapping)}
    text = str(texts.get(str(accepted[0])) or "")
    is_number = NUMBER.fullmatch(str(accepted[0]).strip())
    return accepted[0] if is_number or not NUMBER.match(text) else text


PRODIGY = Export("Prodigy", lambda frame: set(frame.names) >= _KEYS_THAT_TELL, _table)
