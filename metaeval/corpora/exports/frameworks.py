"""Frameworks for evaluation: results of promptfoo, and logs of Inspect (one, or a folder with one for each model)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from metaeval.corpora.exports.base import Export, LeftOut, Made, cells_of, table_of
from metaeval.corpora.tables.delimited import Frame
from metaeval.corpora.tables.json_rows import AROUND
from metaeval.corpora.text_files import Files
from metaeval.errors import counted

PACKED_LOG = ".eval"
# What Inspect takes its grades for: correct, partly correct, incorrect, no answer.
_GRADE_VALUES = {"C": 1, "P": 0.5, "I": 0, "N": 0}


# The person who rates in the web viewer of promptfoo, of whom there is one.
_PERSON_OF_PROMPTFOO = "human"
# Assertions of promptfoo that a program decides; all others ask a model.
_PROGRAMS_OF_PROMPTFOO = frozenset({
    "equals", "contains", "icontains", "contains-all", "contains-any", "icontains-all", "icontains-any", "regex",
    "starts-with", "is-json", "contains-json", "is-xml", "contains-xml", "is-html", "contains-html", "is-sql",
    "contains-sql", "javascript", "python", "ruby", "webhook", "latency", "cost", "perplexity", "perplexity-score",
    "levenshtein", "rouge-n", "bleu", "gleu", "meteor", "word-count", "is-valid-openai-tools-call",
    "is-valid-openai-function-call", "is-valid-function-call", "is-refusal", "finish-reason", "guardrails",
})  # fmt: skip
# A rubric is cut to this length where it tells assertions of one type apart.
_MAX_RUBRIC_CHARACTERS = 40


def _at(value: object, *keys: str | int) -> Any:
    """Return the value under keys and at places of lists; None where there is nothing."""
    for key in keys:
        if isinstance(key, str):
            value = value.get(key) if isinstance(value, Mapping) else None
        else:
            value = value[key] if isinstance(value, list) and -len(value) <= key < len(value) else None
    return value


def _is_promptfoo(names: Collection[str]) -> bool:
    return {"provider", "response", "vars", "testIdx", AROUND} <= set(names)


def _promptfoo(frame: Frame, files: Files) -> Frame | None:
    around = frame.values[AROUND]
    left_out = LeftOut()
    names = ("provider", "response", "vars", "testIdx", "promptIdx", "prompt", "namedScores", "gradingResult", "score")
    cells = {name: cells_of(frame, name) if name in frame.names else [None] * len(frame) for name in names}
    providers = [cell if isinstance(cell, str) else _at(cell, "id") for cell in cells["provider"]]
    shown = [_at(cell, "label") for cell in cells["provider"]]
    prompts = [_at(cell, "label") or _at(cell, "raw") for cell in cells["prompt"]]
    columns = {*map(str, zip(providers, shown, cells["promptIdx"], strict=True))}
    systems = _system_names([str(cell) for cell in providers], shown, prompts, len(columns))
    rows = list[Made]()
    criteria = dict[str, None]()
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
        scores = {str(name): score for name, score in named.items()} if isinstance(named, Mapping) and named else {}
        if not scores:
            scores = {"score": cells["score"][at]}
        criteria |= dict.fromkeys(scores)
        by_judge: dict[str, dict[str, Any]] = {}
        for name, score in scores.items():
            by_judge.setdefault(_promptfoo_judge(name, cells["gradingResult"][at], around[at]), {})[name] = score
        rows += [(at, {**row, "judge": judge, **of}) for judge, of in by_judge.items()]
    left_out.note(frame.location, files)
    used = {*names, AROUND} - ({"score"} if "score" not in criteria else set())
    return table_of(frame, rows, criteria, [name for name in frame.names if name not in used])


def _ratings_of_promptfoo(frame: Frame, files: Files) -> Frame | None:
    """Return a row for each result, with the verdict of each model-graded assertion, and that of a person who rated it.

    A rating in the web viewer is an assertion of the type ``human``, and takes the place of the result's own verdict.
    """
    names = ("provider", "response", "vars", "testIdx", "promptIdx", "gradingResult")
    cells = {name: cells_of(frame, name) if name in frame.names else [None] * len(frame) for name in names}
    rows, judges, left_out = list[Made](), dict[str, None](), LeftOut()
    for at, grading in enumerate(cells["gradingResult"]):
        provider, variables = cells["provider"][at], cells["vars"][at]
        row: dict[str, Any] = {**variables} if isinstance(variables, Mapping) else {}
        row |= {"item": cells["testIdx"][at], "model": provider if isinstance(provider, str) else _at(provider, "id")}
        if len({str(one) for one in cells["promptIdx"]}) > 1:
            row["turn"] = cells["promptIdx"][at]
        row["output"] = _text_of(_at(cells["response"][at], "output"))
        parts = _at(grading, "componentResults")
        verdicts = dict[str, Any]()
        for part in parts if isinstance(parts, list) else ():
            assertion = _at(part, "assertion")
            kind = str(_at(assertion, "type")).removeprefix("not-")
            if kind == "human":
                row[_PERSON_OF_PROMPTFOO] = _at(part, "pass")
            elif kind in _PROGRAMS_OF_PROMPTFOO:
                left_out.add(f"assertions of the type {kind}, in which no model judges")
            else:
                name = str(_at(assertion, "metric") or kind)
                if name in verdicts:
                    name = f"{name}: {str(_at(assertion, 'value'))[:_MAX_RUBRIC_CHARACTERS]}"
                verdicts[name] = _at(part, "pass")
        judges |= dict.fromkeys(verdicts)
        rows.append((at, {**row, **verdicts}))
    left_out.note(frame.location, files)
    table = table_of(frame, rows, (), [name for name in frame.names if name not in (*names, AROUND)])
    return replace(table, settings={"judges": tuple(judges), "people": (_PERSON_OF_PROMPTFOO,)})


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


def _promptfoo_judge(name: str, grading: object, around: object) -> str:
    """Name the giver of a named score: the provider of its assertion, or of all, or else the tool itself."""
    parts = _at(grading, "componentResults")
    for part in parts if isinstance(parts, list) else ():
        if _at(part, "assertion", "metric") == name:
            provider = _at(part, "assertion", "provider")
            judge = provider if isinstance(provider, str) else _at(provider, "id")
            if judge:
                return str(judge)
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
    epochs = {str(epoch) for epoch in cells["epoch"] if epoch is not None}
    rows = list[Made]()
    criteria = dict[str, None]()
    left_out = LeftOut()
    for at, id_ in enumerate(cells["id"]):
        scores, output = cells["scores"][at], cells["output"][at]
        if cells["error"][at] or not isinstance(scores, Mapping) or not scores:
            left_out.add("samples that ended in an error or have no scores")
            continue
        row: dict[str, Any] = {"segment": id_, "system": _at(frame.values[AROUND][at], "eval", "model")}
        if len(epochs) > 1:
            row |= {"document": id_, "segment": f"{id_} epoch {cells['epoch'][at]}"}
        row |= {"source": _text_of(cells["input"][at]), "reference": _text_of(cells["target"][at])}
        row["text"] = _at(output, "completion") or _text_of(_at(output, "choices", 0, "message", "content"))
        facts = cells["metadata"][at]
        row |= {name: value for name, value in facts.items() if name not in row} if isinstance(facts, Mapping) else {}
        for scorer, score in scores.items():
            value = _at(score, "value")
            score_values = value if isinstance(value, Mapping) else {scorer: value}
            values = {
                str(name): _GRADE_VALUES.get(value, value) if isinstance(value, str) else value
                for name, value in score_values.items()
            }
            criteria |= dict.fromkeys(values)
            judge = _at(score, "metadata", "grader")
            rows.append((at, {**row, "judge": judge if isinstance(judge, str) else scorer, **values}))
    left_out.note(frame.location, files)
    table = table_of(frame, rows, criteria, [name for name in frame.names if name not in names and name != AROUND])
    is_named = "reference" in table.columns
    return replace(table, settings={**table.settings, "reference_texts": ("reference",)}) if is_named else table


def _ratings_of_inspect(frame: Frame, files: Files) -> Frame | None:
    """Return a row for each sample, with a column for each scorer and for what the sample's metadata hold.

    Scorers are automatic, unless they are called like people. A score that somebody edited is the scorer's as it was,
    and that person's as it is now.
    """
    names = ("id", "epoch", "input", "target", "scores", "output", "error", "metadata")
    cells = {name: cells_of(frame, name) if name in frame.names else [None] * len(frame) for name in names}
    raters = _raters_of_inspect(cells["scores"], frame.values[AROUND])
    n_epochs = len({str(epoch) for epoch in cells["epoch"] if epoch is not None})
    rows = list[Made]()
    authors = dict[str, None]()
    left_out = LeftOut()
    n_edited = 0
    letters = set[str]()
    has_criteria = any(
        isinstance(_at(score, "value"), Mapping)
        for scores in cells["scores"] if isinstance(scores, Mapping) for score in scores.values()
    )  # fmt: skip
    for at, id_ in enumerate(cells["id"]):
        scores, facts = cells["scores"][at], cells["metadata"][at]
        if cells["error"][at] or not isinstance(scores, Mapping) or not scores:
            left_out.add("samples that ended in an error or have no scores")
            continue
        row: dict[str, Any] = {"id": id_, "model": _at(frame.values[AROUND][at], "eval", "model")}
        if n_epochs > 1:
            row["epoch"] = cells["epoch"][at]
        row |= {"input": _text_of(cells["input"][at]), "target": _text_of(cells["target"][at])}
        row["output"] = _at(cells["output"][at], "completion") or _text_of(
            _at(cells["output"][at], "choices", 0, "message", "content")
        )
        row |= {name: value for name, value in facts.items() if name not in row} if isinstance(facts, Mapping) else {}
        by_criterion: dict[str, dict[str, Any]] = {}
        for scorer, score in scores.items():
            versions = {raters[scorer]: _at(score, "value")}
            if edits := _at(score, "history"):
                versions = {raters[scorer]: _at(edits, 0, "value"), **_edited_by(edits)}
                n_edited += 1
                authors |= dict.fromkeys(name for name in versions if name != raters[scorer])
            for rater, value in versions.items():
                values_of_rater = value if isinstance(value, Mapping) else {"score" if has_criteria else "": value}
                for criterion, rating in values_of_rater.items():
                    if isinstance(rating, list):
                        left_out.add("scores that are lists")
                    else:
                        by_criterion.setdefault(str(criterion), {})[rater] = rating
                        letters |= {rating} & _GRADE_VALUES.keys() if isinstance(rating, str) else set()
        rows += [
            (at, {**row, **({"criterion": criterion} if has_criteria else {}), **ratings})
            for criterion, ratings in by_criterion.items()
        ]
    left_out.note(frame.location, files)
    renamed = [f"{scorer} is {rater}" for scorer, rater in raters.items() if scorer != rater]
    if renamed:
        files.note(frame.location, f"scorers are called like the model that grades: {', '.join(renamed)}.")
    if n_edited:
        files.note(
            frame.location,
            f"{counted(n_edited, 'score')} that somebody edited: the judge has what stood there before, and the person "
            "what stands there now. People edit what is wrong, so agreement on these samples alone is too low.",
        )
    if letters:
        shown = ", ".join(f"{letter} is {_GRADE_VALUES[letter]:g}" for letter in sorted(letters))
        files.note(frame.location, f"as in Inspect, {shown}.")
    table = table_of(frame, rows, (), [name for name in frame.names if name not in names and name != AROUND])
    words = {word.lower(): f"{value:g}" for word, value in _GRADE_VALUES.items()} if letters else {}
    return replace(table, settings={"judges": tuple(raters.values()), "people": tuple(authors), "words": words})


def _raters_of_inspect(scores: Sequence[object], around: Sequence[object]) -> dict[str, str]:
    """Return the rater of each scorer: the model that grades where each has another that is known, else the scorer."""
    models = dict[str, set[str]]()
    for of_sample in scores:
        for scorer, score in of_sample.items() if isinstance(of_sample, Mapping) else ():
            model = _at(score, "metadata", "grader") or _at(score, "metadata", "grading", -1, "model")
            models.setdefault(str(scorer), set()).update([model] if isinstance(model, str) else [])
    declared = _at(around[0], "eval", "scorers") if around else None
    for scorer, declared_scorer in zip(models, declared if isinstance(declared, list) else (), strict=False):
        model = _at(declared_scorer, "options", "model")
        if isinstance(model, str) and scorer.startswith(str(_at(declared_scorer, "name")).rpartition("/")[2]):
            models[scorer] = {model}
    known = {scorer: next(iter(of)) for scorer, of in models.items() if len(of) == 1}
    return {
        scorer: known[scorer] if [*known.values()].count(known.get(scorer, "")) == 1 else scorer for scorer in models
    }


def _edited_by(edits: object) -> dict[str, Any]:
    """Return the version of a score by each person who edited it; the first version is the scorer's own."""
    versions = dict[str, Any]()
    for edit in edits[1:] if isinstance(edits, list) else ():
        value = _at(edit, "value")
        if value != "UNCHANGED":
            versions[str(_at(edit, "provenance", "author") or "somebody")] = value
    return versions


def _text_of(content: object) -> str | None:
    """Return a text, or the text of the last message of a conversation."""
    if isinstance(content, str) or content is None:
        return content
    if isinstance(content, list) and content:
        texts = [_at(part, "text") for part in content if isinstance(_at(part, "text"), str)]
        return "\n".join(texts) if texts else _text_of(_at(content[-1], "content") or str(content[0]))
    return str(content)


PROMPTFOO = Export(
    "promptfoo", lambda frame: _is_promptfoo(frame.names), _promptfoo, _is_promptfoo, _ratings_of_promptfoo
)
INSPECT = Export("Inspect", lambda frame: _is_inspect(frame.names), _table_of_inspect, _is_inspect, _ratings_of_inspect)
