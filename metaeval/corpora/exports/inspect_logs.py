"""Logs of Inspect: one, or a folder with one for each model."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from metaeval.corpora.exports.base import Export, LeftOut, Made, cells_of, last_text, table_of, value_at
from metaeval.corpora.tables.delimited import Frame
from metaeval.corpora.tables.json_rows import AROUND
from metaeval.corpora.text_files import Files
from metaeval.errors import counted

PACKED_LOG = ".eval"
# What Inspect takes its grades for: correct, partly correct, incorrect, no answer.
_GRADE_VALUES = {"C": 1, "P": 0.5, "I": 0, "N": 0}
_SAMPLE_COLUMNS = ("id", "epoch", "input", "target", "scores", "output", "error", "metadata")


def is_log(head: str) -> bool:
    """Return whether a file that begins so is a log of Inspect."""
    return all(f'"{key}"' in head for key in ("version", "status", "eval", "run_id", "task"))


def _is_inspect(names: Collection[str]) -> bool:
    return {"input", "target", "scores", "output", "epoch", AROUND} <= set(names)


class _Sample(NamedTuple):
    """A sample of a log that has scores; the epoch is None where all samples are of the same."""

    row: int
    id: Any
    epoch: Any
    model: Any
    input: str | None
    target: str | None
    output: Any
    scores: Mapping[str, Any]
    facts: Mapping[str, Any]


def _samples(frame: Frame, left_out: LeftOut) -> Iterator[_Sample]:
    """Yield the samples that have scores; the others are counted."""
    nothing = [None] * len(frame)
    cells = {name: cells_of(frame, name) if name in frame.names else nothing for name in _SAMPLE_COLUMNS}
    has_epochs = len({str(epoch) for epoch in cells["epoch"] if epoch is not None}) > 1
    for row in range(len(frame)):
        scores = cells["scores"][row]
        output = cells["output"][row]
        facts = cells["metadata"][row]
        if cells["error"][row] or not isinstance(scores, Mapping) or not scores:
            left_out.add("samples that ended in an error or have no scores")
            continue
        yield _Sample(
            row,
            cells["id"][row],
            cells["epoch"][row] if has_epochs else None,
            value_at(frame.values[AROUND][row], "eval", "model"),
            last_text(cells["input"][row]),
            last_text(cells["target"][row]),
            value_at(output, "completion") or last_text(value_at(output, "choices", 0, "message", "content")),
            scores,
            facts if isinstance(facts, Mapping) else {},
        )


def _unread(frame: Frame) -> list[str]:
    return [name for name in frame.names if name not in (*_SAMPLE_COLUMNS, AROUND)]


def _table(frame: Frame, files: Files) -> Frame | None:
    """Return a row for each sample and scorer."""
    rows = list[Made]()
    criteria = dict[str, None]()
    left_out = LeftOut()
    for sample in _samples(frame, left_out):
        row: dict[str, Any] = {"segment": sample.id, "system": sample.model}
        if sample.epoch is not None:
            row |= {"document": sample.id, "segment": f"{sample.id} epoch {sample.epoch}"}
        row |= {"source": sample.input, "reference": sample.target, "text": sample.output}
        row |= {name: value for name, value in sample.facts.items() if name not in row}
        for scorer, score in sample.scores.items():
            value = value_at(score, "value")
            score_values = value if isinstance(value, Mapping) else {scorer: value}
            values = {
                str(name): _GRADE_VALUES.get(value, value) if isinstance(value, str) else value
                for name, value in score_values.items()
            }
            criteria |= dict.fromkeys(values)
            judge = value_at(score, "metadata", "grader")
            rows.append((sample.row, {**row, "judge": judge if isinstance(judge, str) else scorer, **values}))
    left_out.note(frame.location, files)
    table = table_of(frame, rows, criteria, _unread(frame))
    is_named = "reference" in table.columns
    return replace(table, settings={**table.settings, "reference_texts": ("reference",)}) if is_named else table


def _ratings(frame: Frame, files: Files) -> Frame | None:
    """Return a row for each sample, with a column for each scorer and for what the sample's metadata hold.

    Scorers are automatic, unless they are called like people. A score that somebody edited is the scorer's as it was,
    and that person's as it is now.
    """
    scores = cells_of(frame, "scores")
    raters = _raters(scores, frame.values[AROUND])
    has_criteria = any(
        isinstance(value_at(score, "value"), Mapping)
        for of_sample in scores
        if isinstance(of_sample, Mapping)
        for score in of_sample.values()
    )
    rows = list[Made]()
    authors = dict[str, None]()
    letters = set[str]()
    left_out = LeftOut()
    n_edited = 0
    for sample in _samples(frame, left_out):
        row: dict[str, Any] = {"id": sample.id, "model": sample.model}
        if sample.epoch is not None:
            row["epoch"] = sample.epoch
        row |= {"input": sample.input, "target": sample.target, "output": sample.output}
        row |= {name: value for name, value in sample.facts.items() if name not in row}
        by_criterion: dict[str, dict[str, Any]] = {}
        for scorer, score in sample.scores.items():
            versions = _versions(score, raters[scorer])
            n_edited += bool(value_at(score, "history"))
            authors |= dict.fromkeys(name for name in versions if name != raters[scorer])
            for rater, value in versions.items():
                for criterion, rating in _by_criterion(value, "score" if has_criteria else "", left_out).items():
                    by_criterion.setdefault(criterion, {})[rater] = rating
                    letters |= {rating} & _GRADE_VALUES.keys() if isinstance(rating, str) else set()
        rows += [
            (sample.row, {**row, **({"criterion": criterion} if has_criteria else {}), **ratings})
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
    table = table_of(frame, rows, (), _unread(frame))
    words = {word.lower(): f"{value:g}" for word, value in _GRADE_VALUES.items()} if letters else {}
    return replace(table, settings={"judges": tuple(raters.values()), "people": tuple(authors), "words": words})


def _raters(scores: Sequence[object], around: Sequence[object]) -> dict[str, str]:
    """Return the rater of each scorer: the model that grades where each has another that is known, else the scorer."""
    models = dict[str, set[str]]()
    for of_sample in scores:
        for scorer, score in of_sample.items() if isinstance(of_sample, Mapping) else ():
            model = value_at(score, "metadata", "grader") or value_at(score, "metadata", "grading", -1, "model")
            models.setdefault(str(scorer), set()).update([model] if isinstance(model, str) else [])
    declared = value_at(around[0], "eval", "scorers") if around else None
    for scorer, declared_scorer in zip(models, declared if isinstance(declared, list) else (), strict=False):
        model = value_at(declared_scorer, "options", "model")
        if isinstance(model, str) and scorer.startswith(str(value_at(declared_scorer, "name")).rpartition("/")[2]):
            models[scorer] = {model}
    known = {scorer: next(iter(names)) for scorer, names in models.items() if len(names) == 1}
    return {
        scorer: known[scorer] if [*known.values()].count(known.get(scorer, "")) == 1 else scorer for scorer in models
    }


def _versions(score: object, scorer: str) -> dict[str, Any]:
    """Return what a scorer said, and what each person said who edited it, by their names."""
    edits = value_at(score, "history")
    if not edits:
        return {scorer: value_at(score, "value")}
    versions = {scorer: value_at(edits, 0, "value")}
    for edit in edits[1:] if isinstance(edits, list) else ():
        value = value_at(edit, "value")
        if value != "UNCHANGED":
            versions[str(value_at(edit, "provenance", "author") or "somebody")] = value
    return versions


def _by_criterion(value: object, criterion: str, left_out: LeftOut) -> dict[str, Any]:
    """Return the ratings in a score by their criteria, or the only one by a given criterion; lists are counted."""
    ratings = value if isinstance(value, Mapping) else {criterion: value}
    left_out.add("scores that are lists", sum(isinstance(rating, list) for rating in ratings.values()))
    return {str(name): rating for name, rating in ratings.items() if not isinstance(rating, list)}


INSPECT = Export("Inspect", lambda frame: _is_inspect(frame.names), _table, _is_inspect, _ratings)
