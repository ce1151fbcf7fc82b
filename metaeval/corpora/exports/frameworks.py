"""Frameworks for evaluation: results of promptfoo, and logs of Inspect (one, or a folder with one for each model)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from metaeval.corpora.exports.base import Export, LeftOut, Made, cells_of, table_of
from metaeval.corpora.tables.delimited import Frame
from metaeval.corpora.tables.json_rows import AROUND
from metaeval.corpora.text_files import Files

PACKED_LOG = ".eval"
# What Inspect takes its grades for: correct, partly correct, incorrect, no answer.
_GRADE_VALUES = {"C": 1, "P": 0.5, "I": 0, "N": 0}


def _at(value: object, *keys: str | int) -> Any:
    """Return what stands under keys and at places of lists; None where there is nothing."""
    for key in keys:
        if isinstance(key, str):
            value = value.get(key) if isinstance(value, Mapping) else None
        else:
            value = value[key] if isinstance(value, list) and -len(value) <= key < len(value) else None
    return value


def _is_promptfoo(names: Collection[str]) -> bool:
    return {"provider", "response", "vars", "testIdx", AROUND} <= set(names)


def _promptfoo(frame: Frame, files: Files) -> Frame | None:
    around, left_out = frame.values[AROUND], LeftOut()
    names = ("provider", "response", "vars", "testIdx", "promptIdx", "prompt", "namedScores", "gradingResult", "score")
    cells = {name: cells_of(frame, name) if name in frame.names else [None] * len(frame) for name in names}
    providers = [one if isinstance(one, str) else _at(one, "id") for one in cells["provider"]]
    shown = [_at(one, "label") for one in cells["provider"]]
    prompts = [_at(one, "label") or _at(one, "raw") for one in cells["prompt"]]
    columns = {*map(str, zip(providers, shown, cells["promptIdx"], strict=True))}
    systems = _system_names([str(one) for one in providers], shown, prompts, len(columns))
    rows, asked = list[Made](), dict[str, None]()
    for at, response in enumerate(cells["response"]):
        output = _at(response, "output")
        if output is None:
            left_out.add("tests without an output")
            continue
        variables = cells["vars"][at]
        row: dict[str, Any] = {**variables} if isinstance(variables, Mapping) else {}
        row |= {"segment": cells["testIdx"][at], "system": systems[at]}
        row["text"] = output if isinstance(output, str) else str(output)
        named = cells["namedScores"][at] or _at(cells["gradingResult"][at], "namedScores")
        said = {str(name): score for name, score in named.items()} if isinstance(named, Mapping) and named else {}
        if not said:
            said = {"score": cells["score"][at]}
        asked |= dict.fromkeys(said)
        by_judge: dict[str, dict[str, Any]] = {}
        for name, score in said.items():
            by_judge.setdefault(_promptfoo_judge(name, cells["gradingResult"][at], around[at]), {})[name] = score
        rows += [(at, {**row, "judge": judge, **of}) for judge, of in by_judge.items()]
    left_out.note(frame.location, files)
    used = {*names, AROUND} - ({"score"} if "score" not in asked else set())
    return table_of(frame, rows, asked, [name for name in frame.names if name not in used])


def _system_names(providers: list[str], labels: list[Any], prompts: list[Any], n_columns: int) -> list[str]:
    """Return the names of systems: providers, with their labels or prompts where one has several."""
    for extra in ([""] * len(providers), labels, prompts):
        names = [f"{one} {more}".strip() if more else one for one, more in zip(providers, extra, strict=True)]
        if len(set(names)) >= n_columns:
            return names
    return providers


def _promptfoo_judge(name: str, grading: object, around: object) -> str:
    """Return who gave a named score: the provider of its assertion, or of all; the tool itself where none is named."""
    parts = _at(grading, "componentResults")
    for part in parts if isinstance(parts, list) else ():
        if _at(part, "assertion", "metric") == name:
            provider = _at(part, "assertion", "provider")
            found = provider if isinstance(provider, str) else _at(provider, "id")
            if found:
                return str(found)
    default = _at(around, "config", "defaultTest", "options", "provider")
    return str((default if isinstance(default, str) else _at(default, "id")) or "promptfoo")


def is_log(head: str) -> bool:
    """Return whether a file that begins so is a log of Inspect."""
    return all(f'"{key}"' in head for key in ("version", "status", "eval", "run_id", "task"))


def _is_inspect(names: Collection[str]) -> bool:
    return {"input", "target", "scores", "output", "epoch", AROUND} <= set(names)


def _table_of_inspect(frame: Frame, files: Files) -> Frame | None:
    names = ("id", "epoch", "input", "target", "scores", "output", "error", "metadata")
    cells = {name: cells_of(frame, name) if name in frame.names else [None] * len(frame) for name in names}
    epochs = {str(one) for one in cells["epoch"] if one is not None}
    rows, asked, left_out = list[Made](), dict[str, None](), LeftOut()
    for at, id_ in enumerate(cells["id"]):
        scores, output = cells["scores"][at], cells["output"][at]
        if cells["error"][at] or not isinstance(scores, Mapping) or not scores:
            left_out.add("samples that ended in an error or have no scores")
            continue
        row: dict[str, Any] = {"segment": id_, "system": _at(frame.values[AROUND][at], "eval", "model")}
        if len(epochs) > 1:
            row |= {"document": id_, "segment": f"{id_} epoch {cells['epoch'][at]}"}
        row |= {"source": _said(cells["input"][at]), "reference": _said(cells["target"][at])}
        row["text"] = _at(output, "completion") or _said(_at(output, "choices", 0, "message", "content"))
        facts = cells["metadata"][at]
        row |= {name: value for name, value in facts.items() if name not in row} if isinstance(facts, Mapping) else {}
        for scorer, score in scores.items():
            value = _at(score, "value")
            found = value if isinstance(value, Mapping) else {scorer: value}
            said = {
                str(name): _GRADE_VALUES.get(one, one) if isinstance(one, str) else one for name, one in found.items()
            }
            asked |= dict.fromkeys(said)
            judge = _at(score, "metadata", "grader")
            rows.append((at, {**row, "judge": judge if isinstance(judge, str) else scorer, **said}))
    left_out.note(frame.location, files)
    table = table_of(frame, rows, asked, [name for name in frame.names if name not in names and name != AROUND])
    is_named = "reference" in table.columns
    return replace(table, settings={**table.settings, "reference_texts": ("reference",)}) if is_named else table


def _said(content: object) -> str | None:
    """Return a text, or the text of the last message of a conversation."""
    if isinstance(content, str) or content is None:
        return content
    if isinstance(content, list) and content:
        texts = [_at(one, "text") for one in content if isinstance(_at(one, "text"), str)]
        return "\n".join(texts) if texts else _said(_at(content[-1], "content") or str(content[0]))
    return str(content)


PROMPTFOO = Export("promptfoo", lambda frame: _is_promptfoo(frame.names), _promptfoo, _is_promptfoo)
INSPECT = Export("Inspect", lambda frame: _is_inspect(frame.names), _table_of_inspect, _is_inspect)
