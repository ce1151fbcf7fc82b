"""Results of promptfoo."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from metaeval.corpora.exports.base import Export, LeftOut, Made, cells_of, last_text, table_of, value_at
from metaeval.corpora.tables.delimited import Frame
from metaeval.corpora.tables.json_rows import AROUND
from metaeval.corpora.text_files import Files

# The person who rates in the web viewer of promptfoo, of whom there is one.
_PERSON = "human"
# Assertions of promptfoo that a program decides; all others ask a model.
_PROGRAMS = frozenset({
    "equals", "contains", "icontains", "contains-all", "contains-any", "icontains-all", "icontains-any", "regex",
    "starts-with", "is-json", "contains-json", "is-xml", "contains-xml", "is-html", "contains-html", "is-sql",
    "contains-sql", "javascript", "python", "ruby", "webhook", "latency", "cost", "perplexity", "perplexity-score",
    "levenshtein", "rouge-n", "bleu", "gleu", "meteor", "word-count", "is-valid-openai-tools-call",
    "is-valid-openai-function-call", "is-valid-function-call", "is-refusal", "finish-reason", "guardrails",
})  # fmt: skip
# A rubric is cut to this length where it tells assertions of one type apart.
_MAX_RUBRIC_CHARACTERS = 40


def _is_promptfoo(names: Collection[str]) -> bool:
    return {"provider", "response", "vars", "testIdx", AROUND} <= set(names)


def _table(frame: Frame, files: Files) -> Frame | None:
    """Return a row for each result and giver of its scores."""
    around = frame.values[AROUND]
    left_out = LeftOut()
    names = ("provider", "response", "vars", "testIdx", "promptIdx", "prompt", "namedScores", "gradingResult", "score")
    cells = {name: cells_of(frame, name) if name in frame.names else [None] * len(frame) for name in names}
    providers = [cell if isinstance(cell, str) else value_at(cell, "id") for cell in cells["provider"]]
    shown = [value_at(cell, "label") for cell in cells["provider"]]
    prompts = [value_at(cell, "label") or value_at(cell, "raw") for cell in cells["prompt"]]
    columns = {*map(str, zip(providers, shown, cells["promptIdx"], strict=True))}
    systems = _system_names([str(cell) for cell in providers], shown, prompts, len(columns))
    rows = list[Made]()
    criteria = dict[str, None]()
    for at, response in enumerate(cells["response"]):
        output = value_at(response, "output")
        if output is None:
            left_out.add("tests without an output")
            continue
        variables = cells["vars"][at]
        row: dict[str, Any] = {**variables} if isinstance(variables, Mapping) else {}
        row |= {"segment": cells["testIdx"][at], "system": systems[at]}
        row["text"] = output if isinstance(output, str) else str(output)
        named = cells["namedScores"][at] or value_at(cells["gradingResult"][at], "namedScores")
        scores = {str(name): score for name, score in named.items()} if isinstance(named, Mapping) and named else {}
        if not scores:
            scores = {"score": cells["score"][at]}
        criteria |= dict.fromkeys(scores)
        by_judge: dict[str, dict[str, Any]] = {}
        for name, score in scores.items():
            by_judge.setdefault(_judge_of(name, cells["gradingResult"][at], around[at]), {})[name] = score
        rows += [(at, {**row, "judge": judge, **scores_of_judge}) for judge, scores_of_judge in by_judge.items()]
    left_out.note(frame.location, files)
    used = {*names, AROUND} - ({"score"} if "score" not in criteria else set())
    return table_of(frame, rows, criteria, [name for name in frame.names if name not in used])


def _ratings(frame: Frame, files: Files) -> Frame | None:
    """Return a row for each result, with the verdict of each model-graded assertion, and that of a person who rated it.

    A rating in the web viewer is an assertion of the type ``human``, and takes the place of the result's own verdict.
    """
    names = ("provider", "response", "vars", "testIdx", "promptIdx", "gradingResult")
    cells = {name: cells_of(frame, name) if name in frame.names else [None] * len(frame) for name in names}
    rows = list[Made]()
    judges = dict[str, None]()
    left_out = LeftOut()
    has_prompts = len({*map(str, cells["promptIdx"])}) > 1
    for at, grading in enumerate(cells["gradingResult"]):
        provider = cells["provider"][at]
        variables = cells["vars"][at]
        row: dict[str, Any] = {**variables} if isinstance(variables, Mapping) else {}
        row["item"] = cells["testIdx"][at]
        row["model"] = provider if isinstance(provider, str) else value_at(provider, "id")
        if has_prompts:
            row["turn"] = cells["promptIdx"][at]
        row["output"] = last_text(value_at(cells["response"][at], "output"))
        parts = value_at(grading, "componentResults")
        verdicts = dict[str, Any]()
        for part in parts if isinstance(parts, list) else ():
            assertion = value_at(part, "assertion")
            kind = str(value_at(assertion, "type")).removeprefix("not-")
            if kind == "human":
                row[_PERSON] = value_at(part, "pass")
            elif kind in _PROGRAMS:
                left_out.add(f"assertions of the type {kind}, in which no model judges")
            else:
                name = str(value_at(assertion, "metric") or kind)
                if name in verdicts:
                    name = f"{name}: {str(value_at(assertion, 'value'))[:_MAX_RUBRIC_CHARACTERS]}"
                verdicts[name] = value_at(part, "pass")
        judges |= dict.fromkeys(verdicts)
        rows.append((at, {**row, **verdicts}))
    left_out.note(frame.location, files)
    table = table_of(frame, rows, (), [name for name in frame.names if name not in (*names, AROUND)])
    return replace(table, settings={"judges": tuple(judges), "people": (_PERSON,)})


def _system_names(providers: list[str], labels: list[Any], prompts: list[Any], n_columns: int) -> list[str]:
    """Return the names of systems: providers, with their labels or prompts where one has several."""
    for extra in ([""] * len(providers), labels, prompts):
        names = [
            f"{provider} {addition}".strip() if addition else provider
            for provider, addition in zip(providers, extra, strict=True)
        ]
        if len(set(names)) >= n_columns:
            return names
    return providers


def _judge_of(name: str, grading: object, around: object) -> str:
    """Name the giver of a named score: the provider of its assertion, or of all, or else the tool itself."""
    parts = value_at(grading, "componentResults")
    for part in parts if isinstance(parts, list) else ():
        if value_at(part, "assertion", "metric") == name:
            provider = value_at(part, "assertion", "provider")
            judge = provider if isinstance(provider, str) else value_at(provider, "id")
            if judge:
                return str(judge)
    default = value_at(around, "config", "defaultTest", "options", "provider")
    return str((default if isinstance(default, str) else value_at(default, "id")) or "promptfoo")


PROMPTFOO = Export("promptfoo", lambda frame: _is_promptfoo(frame.names), _table, _is_promptfoo, _ratings)
