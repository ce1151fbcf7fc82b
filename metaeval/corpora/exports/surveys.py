"""Surveys: Qualtrics, SurveyMonkey, forms of Google, LimeSurvey. A row is a participant, and a column an item.

A question is a segment, and its rows, which are the same in all questions, are the systems, where the words of both say
so. A survey that has codes or texts of outputs there needs a table that says which is which.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from metaeval.corpora.exports.base import Export, LeftOut, Made, table_of
from metaeval.corpora.tables.delimited import Frame
from metaeval.corpora.text_files import Files
from metaeval.errors import listing

_SEPARATORS = (": ", "“", "”", '"', "\n", "? ")  # what may stand between a question and its text
_MATRIX_ROW = re.compile(r"(?s)(?P<question>.*\S)\s*\[(?P<row>[^\[\]]+)\]\s*")
_IMPORT_ID = '{"ImportId"'


@dataclass(frozen=True)
class _Item:
    """The question that a column answers, and the row of its grid."""

    question: str
    row: str


def _read(
    frame: Frame,
    items: Mapping[str, _Item],
    judges: Sequence[str],
    rows: Sequence[int],
    who: str,
    files: Files,
    options: str | None = "",
) -> Frame | None:
    """Return the answers of participants, a row for each; None after noting that the questions do not say of what.

    Parameters
    ----------
    frame : Frame
    items : mapping of str to _Item
        What is asked in the columns.
    judges : sequence of str
        The participant of each row.
    rows : sequence of int
        Those that count.
    who : str
        The column that names participants.
    files : Files
    options : str or None
        How pandas reads the file, for what is proposed; None where it has no columns with one name each.
    """
    all_items = items
    items = _with_equal_rows(items)
    questions = _segments_of([*dict.fromkeys(item.question for item in items.values())])
    if not questions or len(questions) < 2 or len({item.row for item in items.values()}) < 2:
        files.error(f"{frame.location}:1", _refusal(frame, [*all_items] or frame.names, who, options))
        return None
    texts = dict.fromkeys(text for _, text in questions.values())
    number = {text: str(at) for at, text in enumerate(texts, start=1)}
    rows_made: list[Made] = []
    for at in rows:
        for column, item in items.items():
            criterion, text = questions[item.question]
            row = {"segment": number[text], "source": text, "system": item.row, "judge": judges[at]}
            rows_made.append((at, {**row, "criterion": criterion, "score": frame.columns[column][at]}))
    criteria = listing(dict.fromkeys(_cut(criterion) for criterion, _ in questions.values()))
    systems = listing(map(_cut, dict.fromkeys(item.row for item in items.values())), 6)
    files.note(
        f"{frame.location}:1",
        f"each question was taken for a segment, each of its rows for a system: {systems}; criteria: {criteria}.",
    )
    return table_of(frame, rows_made, (), [name for name in frame.names if name not in items and name != who])


def _with_equal_rows(items: Mapping[str, _Item]) -> Mapping[str, _Item]:
    """Return the items of the questions that have the same rows; none where others share some of these rows."""
    rows = dict[str, frozenset[str]]()
    for item in items.values():
        rows[item.question] = rows.get(item.question, frozenset()) | {item.row}
    if not rows:
        return {}
    most, _ = Counter(rows.values()).most_common(1)[0]
    if any(others != most and others & most for others in rows.values()):
        return {}
    return {name: item for name, item in items.items() if rows[item.question] == most}


def _segments_of(questions: Sequence[str]) -> dict[str, tuple[str, str]] | None:
    """Return the criterion and the text of each question, as what is common to all stands around the text; or None.

    Questions on several criteria say which before a colon.
    """
    if len(questions) > 1:
        before = _common_start(questions)
        ends_of_signs = [before.rfind(sign) + len(sign) for sign in _SEPARATORS if sign in before]
        if ends_of_signs:
            start = max(ends_of_signs)
            behind = _common_start([question[start:][::-1] for question in questions])[::-1]
            signs = [behind.find(sign) for sign in _SEPARATORS if sign in behind]
            length = len(behind) - min(signs) if signs else 0
            criterion = (before[:start] + questions[0][len(questions[0]) - length :]).strip(' \n:“”"?')
            texts = [question[start : len(question) - length].strip() for question in questions]
            if criterion and all(texts) and len(set(texts)) == len(texts):
                return {question: (criterion, text) for question, text in zip(questions, texts, strict=True)}
    parts = {question: question.partition(": ") for question in questions}
    texts_of = dict[str, set[str]]()
    for criterion, _, text in parts.values():
        texts_of.setdefault(criterion, set()).add(text)
    first = next(iter(texts_of.values()), set())
    if all(text for _, _, text in parts.values()) and all(texts == first for texts in texts_of.values()):
        return {question: (criterion.strip(), text.strip()) for question, (criterion, _, text) in parts.items()}
    return None


def _common_start(texts: Sequence[str]) -> str:
    """Return the common beginning of all texts."""
    first, last = min(texts), max(texts)
    length = next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:length]


def _refusal(frame: Frame, columns: Sequence[str], who: str, options: str | None) -> str:
    """Explain that columns do not say what they are of, and how to say it in a table."""
    problem = (
        f"has answers in {len(columns)} columns whose names do not say of which segment and system they are, such as "
        f"{listing(map(_cut, columns[:1]))}."
    )
    if options is None:
        return f"{problem} Make a table with a row for each answer: segment, system, judge, criterion and score."
    name = PurePath(frame.location).name
    return (
        f"{problem} Write columns.csv, which says it, with the columns column, segment, system and criterion; then "
        f"long.csv can be read, of: import pandas as pd; pd.read_csv({name!r}{options}).rename(columns={{{who!r}: "
        "'judge'}).melt('judge', var_name='column', value_name='score').merge(pd.read_csv('columns.csv'))"
        ".to_csv('long.csv', index=False)"
    )


def _cut(name: str) -> str:
    return name if len(name) <= 60 else f"{name[:57]}..."


def _left_out_rows(frame: Frame, why: Sequence[str], files: Files) -> list[int]:
    """Return the rows that count, those without a reason not to, and note how many do not."""
    left_out = LeftOut()
    for reason in filter(None, why):
        left_out.add(reason)
    left_out.note(frame.location, files)
    return [at for at, reason in enumerate(why) if not reason]


def _named(frame: Frame, names: Sequence[str], rows: Sequence[int]) -> str:
    """Return the first of some columns that names the participant of all rows."""
    return next((name for name in names if name in frame.columns and all(frame.columns[name][at] for at in rows)), "")


# Qualtrics: three rows of names, which are codes, questions and JSON.

_QUALTRICS_PEOPLE = ("PROLIFIC_PID", "ProlificID", "prolific_id", "workerId", "participantId", "ResponseId")
_RECORDED_STATUSES = {"0", "4", "16", "ip address", "imported", "offline response", ""}


def _is_qualtrics(frame: Frame) -> bool:
    return {"StartDate", "ResponseId"} <= set(frame.columns) and any(
        cells[1].startswith(_IMPORT_ID) for cells in frame.columns.values() if len(cells) > 1
    )


def _qualtrics(frame: Frame, files: Files) -> Frame | None:
    """Return the answers that were finished, without previews."""
    empty = [""] * len(frame)
    states = frame.columns.get("Status", empty)
    done = frame.columns.get("Finished", empty)
    channels = frame.columns.get("DistributionChannel", empty)
    why = ["", ""]  # two rows with names of columns
    for state, finished, channel in [*zip(states, done, channels, strict=True)][2:]:
        is_test = state.strip().lower() not in _RECORDED_STATUSES or channel.strip().lower() in ("preview", "test")
        reason = f"answers with the status {state}" if is_test else ""
        why.append(reason or ("answers that were not finished" if finished.lower() in ("0", "false") else ""))
    rows = _left_out_rows(frame, why, files)[2:]
    items = {}
    for name, cells in frame.columns.items():
        if '"QID' in cells[1] or "'QID" in cells[1]:
            question, sign, row = cells[0].rpartition(" - ")
            if sign:
                items[name] = _Item(question.strip(), row.strip())
    who = _named(frame, _QUALTRICS_PEOPLE, rows)
    return _read(frame, items, frame.columns.get(who, empty), rows, who or "ResponseId", files, ", skiprows=[1, 2]")


# SurveyMonkey: two rows of names, the question over the first of its columns.


def _is_surveymonkey(frame: Frame) -> bool:
    return {"Respondent ID", "Collector ID"} <= set(frame.columns) and bool(frame.headers)


def _surveymonkey(frame: Frame, files: Files) -> Frame | None:
    items = {
        name: _Item(rows[0], rows[1]) for name, rows in frame.headers.items() if len(rows) == 2 and rows[0] and rows[1]
    }
    rows = range(len(frame))
    return _read(frame, items, frame.columns["Respondent ID"], rows, "Respondent ID", files, None)


# Forms of Google, and LimeSurvey: the row of a question stands in brackets.

_TIME_COLUMNS = ("Timestamp", "Zeitstempel", "Horodateur", "Marca temporal", "Tijdstempel", "Informazioni cronologiche")
_ADDRESS_COLUMNS = ("Email Address", "Username", "E-Mail-Adresse", "Adresse e-mail", "Email", "Name")
_LIMESURVEY_COLUMNS = {"submitdate", "lastpage", "startlanguage"}


def _grid_questions(frame: Frame) -> dict[str, _Item]:
    matches = {name: _MATRIX_ROW.fullmatch(name) for name in frame.columns}
    return {name: _Item(match["question"].strip(), match["row"].strip()) for name, match in matches.items() if match}


def _is_form(frame: Frame) -> bool:
    return next(iter(frame.columns), "") in _TIME_COLUMNS and len(_grid_questions(frame)) > 2


def _form(frame: Frame, files: Files) -> Frame | None:
    rows = range(len(frame))
    who = _named(frame, _ADDRESS_COLUMNS, rows)
    judges = frame.columns[who] if who else [f"row {line}" for line in frame.lines]
    return _read(frame, _grid_questions(frame), judges, rows, who or next(iter(frame.columns)), files)


def _limesurvey(frame: Frame, files: Files) -> Frame | None:
    why = ["" if date.strip() else "answers that were not submitted" for date in frame.columns["submitdate"]]
    rows = _left_out_rows(frame, why, files)
    who = _named(frame, ("token", "id"), rows)
    judges = frame.columns[who] if who else [f"row {line}" for line in frame.lines]
    return _read(frame, _grid_questions(frame), judges, rows, who or "id", files)


QUALTRICS = Export("Qualtrics", _is_qualtrics, _qualtrics)
SURVEYMONKEY = Export("SurveyMonkey", _is_surveymonkey, _surveymonkey)
GOOGLE_FORMS = Export("Google Forms", _is_form, _form)
LIMESURVEY = Export(
    "LimeSurvey",
    lambda frame: set(frame.columns) >= _LIMESURVEY_COLUMNS and len(_grid_questions(frame)) > 2,
    _limesurvey,
)
