"""Files of tools in which models judge, as tables of ratings: DeepEval, OpenAI Evals, Langfuse, and votes of an arena.

What such files say of systems and texts is not enough for a corpus, so that `judge` alone reads them.

Sources: deepeval/test_run/api.py and evaluate/types.py of confident-ai/deepeval; evals/record.py and
elsuite/modelgraded/classify.py of openai/evals; "Get eval run output items" of OpenAI's API reference; "Scores API" of
Langfuse's documentation; the data page of the Kaggle competition "LMSYS - Chatbot Arena Human Preference Predictions".
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from metaeval.corpora.exports.base import Export, LeftOut, Made, cells_of, table_of
from metaeval.corpora.tables.delimited import Frame
from metaeval.corpora.tables.json_rows import AROUND
from metaeval.corpora.text_files import Files

# One of the three columns of votes has a 1, the others a 0.
_VOTE_COLUMNS = ("winner_model_a", "winner_model_b", "winner_tie")
_VOTE = "human_winner"


def _at(value: object, key: str) -> Any:
    return value.get(key) if isinstance(value, Mapping) else None


def _with(table: Frame, **raters: Collection[str]) -> Frame:
    """Return a table that says who of its raters is automatic (``judges``), and who a person (``people``)."""
    return replace(table, settings={**table.settings, **{kind: tuple(names) for kind, names in raters.items()}})


def _is_deepeval(names: Collection[str]) -> bool:
    return {"name", "input"} <= set(names) and bool({"metricsData", "metrics_data"} & set(names))


def _deepeval(frame: Frame, files: Files) -> Frame:
    """Return a row for each test case, with the verdict of each metric: whether its score reaches its threshold."""
    metrics = cells_of(frame, "metricsData" if "metricsData" in frame.names else "metrics_data")
    facts = {name: cells_of(frame, name) for name in frame.columns}
    rows = list[Made]()
    judges = dict[str, None]()
    left_out = LeftOut()
    for at, of_case in enumerate(metrics):
        row = {name: cells[at] for name, cells in facts.items() if name not in ("success", "flaky", "order")}
        for metric in of_case if isinstance(of_case, list) else ():
            name = str(_at(metric, "name"))
            verdict = _at(metric, "success")
            if _at(metric, "error") or verdict is None:
                left_out.add("metrics that ended in an error or have no verdict")
            else:
                judges[name] = None
                row[name] = bool(verdict)
        rows.append((at, row))
    left_out.note(frame.location, files)
    files.note(frame.location, "a metric says True where its score reaches its threshold.")
    return _with(table_of(frame, rows, (), ["success"]).without(AROUND), judges=judges)


def _is_evals_log(names: Collection[str]) -> bool:
    return {"run_id", "event_id", "sample_id", "type", "data"} <= set(names)


def _evals_log(frame: Frame, files: Files) -> Frame:
    """Return a row for each sample of a log of openai/evals: the choice of the model that grades, or a match."""
    samples, kinds, cells = (cells_of(frame, name) for name in ("sample_id", "type", "data"))
    rows = list[Made]()
    judges = dict[str, None]()
    left_out = LeftOut()
    for at, (sample, kind, data) in enumerate(zip(samples, kinds, cells, strict=True)):
        if kind == "match":
            answers = {"match": _at(data, "correct")}
        elif kind == "metrics":
            choice = _at(data, "choice")
            answers = {"modelgraded": choice if choice is not None else _at(data, "score")}
        else:
            continue
        if answers == {"modelgraded": "__invalid__"}:
            left_out.add("samples for which no choice was found in the answer of the model")
            continue
        judges |= dict.fromkeys(answers)
        rows.append((at, {"sample_id": sample, **answers}))
    left_out.note(frame.location, files)
    return _with(table_of(frame, rows, ()), judges=judges)


def _is_output_items(names: Collection[str]) -> bool:
    return {"datasource_item", "results", "run_id", "eval_id"} <= set(names)


def _output_items(frame: Frame, files: Files) -> Frame:
    """Return a row for each output item of a run of OpenAI's Evals, with its item and whether each grader passed it."""
    items, results, ids = (cells_of(frame, name) for name in ("datasource_item", "results", "datasource_item_id"))
    rows = list[Made]()
    judges = dict[str, None]()
    for at, (item, graders, id_) in enumerate(zip(items, results, ids, strict=True)):
        row: dict[str, Any] = {**item} if isinstance(item, Mapping) else {}
        row["item"] = id_
        for grader in graders if isinstance(graders, list) else ():
            name = str(_at(grader, "name"))
            judges[name] = None
            row[name] = _at(grader, "passed")
        rows.append((at, row))
    return _with(table_of(frame, rows, ()), judges=judges)


def _langfuse_columns(names: Collection[str]) -> tuple[str, str, str, str] | None:
    """Return the columns of the trace, observation, word and author: as the API names them, or blob storage."""
    for columns in (
        ("traceId", "observationId", "stringValue", "authorUserId"),
        ("trace_id", "observation_id", "string_value", "author_user_id"),
    ):
        if {columns[0], "name", "value", "source"} <= set(names) and {*columns[1:], "dataType", "data_type"} & set(
            names
        ):
            return columns
    return None


def _langfuse(frame: Frame, files: Files) -> Frame:
    """Return a row for each score: those of the source EVAL are an evaluator's, those of ANNOTATION a person's."""
    columns = _langfuse_columns(frame.names)
    assert columns is not None
    shown = (*columns, "name", "value", "source")
    cells = {name: cells_of(frame, name) if name in frame.names else [None] * len(frame) for name in shown}
    trace, observation, word, author = (cells[name] for name in columns)
    sources = [str(cell).upper() for cell in cells["source"]]
    names = list(map(str, cells["name"]))
    by_name = {name: {source for label, source in zip(names, sources, strict=True) if label == name} for name in names}
    # The same name for people and evaluators is what was asked; otherwise names tell evaluators apart.
    has_criteria = any({"ANNOTATION", "EVAL"} <= of for of in by_name.values())
    rows = list[Made]()
    judges = dict[str, None]()
    left_out = LeftOut()
    for at, source in enumerate(sources):
        if source not in ("ANNOTATION", "EVAL"):
            left_out.add(f"scores of the source {source}, which may be of users, people or programs")
            continue
        is_judge = source == "EVAL"
        if is_judge:
            rater = f"evaluator {names[at]}" if has_criteria else names[at]
        else:
            rater = str(author[at] or ("annotator" if has_criteria else names[at]))
        judges |= dict.fromkeys([rater] if is_judge else [])
        item = " / ".join(str(cell) for cell in (trace[at], observation[at]) if cell)
        answer = word[at] if word[at] not in (None, "") else cells["value"][at]
        row = {"item": item, "rater": rater, "score": answer}
        rows.append((at, {**row, "criterion": names[at]} if has_criteria else row))
    left_out.note(frame.location, files)
    return _with(table_of(frame, rows, ()), judges=judges)


def _has_votes(names: Collection[str]) -> bool:
    return {*_VOTE_COLUMNS, "model_a", "model_b"} <= set(names)


def _are_votes(frame: Frame) -> bool:
    """Return whether one of the columns of votes has a 1 in each row, as in data but not in predictions."""
    if not _has_votes(frame.columns):
        return False
    cells = zip(*(frame.columns[name] for name in _VOTE_COLUMNS), strict=True)
    return all(sorted(cell.strip().removesuffix(".0") for cell in row) == ["0", "0", "1"] for row in cells)


def _votes(frame: Frame, files: Files) -> Frame:
    """Return a table with the vote of each row in one column, and not in three."""
    answers = ("model_a", "model_b", "tie")
    rows = zip(*(frame.columns[name] for name in _VOTE_COLUMNS), strict=True)
    votes = [answers[[float(cell) for cell in row].index(1.0)] for row in rows]
    return frame.without(*_VOTE_COLUMNS).with_column(_VOTE, votes)


EXPORTS_OF_RATINGS: Sequence[Export] = (
    Export("DeepEval", lambda frame: _is_deepeval(frame.names), _deepeval, _is_deepeval),
    Export("openai/evals", lambda frame: _is_evals_log(frame.names), _evals_log, _is_evals_log),
    Export("OpenAI Evals", lambda frame: _is_output_items(frame.names), _output_items, _is_output_items),
    Export(
        "Langfuse",
        lambda frame: _langfuse_columns(frame.names) is not None,
        _langfuse,
        lambda names: _langfuse_columns(names) is not None,
    ),
    Export("Chatbot Arena (Kaggle)", _are_votes, _votes),
)
