"""Judgments of MT-Bench: an automatic judge scores an answer, turn by turn; texts stand in its prompt."""

from __future__ import annotations

import re
from typing import Any

from metaeval.corpora.exports.base import Export, LeftOut, Made, table_of
from metaeval.corpora.tables.delimited import Frame
from metaeval.corpora.text_files import Files

_COLUMNS_OF_MT_BENCH = {"question_id", "model", "judge", "user_prompt", "judgment", "score", "turn"}
_ONE_TURN = re.compile(
    r"\[Question\]\n(?P<source>.*?)\n\n.*?\[The Start of Assistant's Answer\]\n(?P<text>.*?)\n"
    r"\[The End of Assistant's Answer\]",
    re.DOTALL,
)
_TWO_TURNS = re.compile(
    r".*### User:\n(?P<source>.*?)\n\n### Assistant A:\n(?P<text>.*?)\n\n<\|The End of Assistant A's", re.DOTALL
)


def _table(frame: Frame, files: Files) -> Frame | None:
    """Return a row for each score, with the texts that stand in the prompt of the judge."""
    rows = list[Made]()
    left_out = LeftOut()
    names = ("question_id", "model", "judge", "user_prompt", "score", "turn")
    shown = zip(*(frame.columns[name] for name in names), strict=True)
    for at, (question, model, judge, prompt, score, turn) in enumerate(shown):
        if score in ("-1", "-1.0"):
            left_out.add("answers of the judge without a score (-1)")
            continue
        match = _ONE_TURN.search(prompt) or _TWO_TURNS.search(prompt)
        row: dict[str, Any] = {"document": question, "segment": f"{question} turn {turn}", "system": model}
        row |= match.groupdict() if match else {}
        # Behind the name of the judge stands that of its prompt, another for each turn.
        rows.append((at, {**row, "judge": judge.split(" ")[0], "score": score}))
    left_out.note(frame.location, files)
    return table_of(frame, rows, ["score"], ["judgment", "tstamp"] if "tstamp" in frame.names else ["judgment"])


MT_BENCH = Export("MT-Bench", lambda frame: set(frame.columns) >= _COLUMNS_OF_MT_BENCH, _table)
