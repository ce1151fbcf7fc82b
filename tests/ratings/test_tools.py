"""Files of tools for evaluation and annotation, as `metaeval judge` reads them: models are judges."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from metaeval.corpora.read import read_sources
from metaeval.errors import UsageError
from metaeval.ratings.judges import judge_findings
from metaeval.ratings.reading import Asked, read_tables

NAN = float("nan")


@pytest.fixture
def read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def reader(*given: Any, **asked: Any):
        paths = []
        for at, one in enumerate(given, start=1):
            path = tmp_path / (f"file{at}.csv" if isinstance(one, str) else f"file{at}.json")
            path.write_text(one if isinstance(one, str) else json.dumps(one), encoding="utf-8")
            paths.append(path.relative_to(tmp_path))
        return read_tables(paths, Asked(**asked))

    return reader


def answers(found):
    people, judges = found.matrix()
    columns = np.hstack([people, judges]).T.tolist()
    return dict(zip([*found.people, *found.judges], columns, strict=True))


class TestInspect:
    """Logs of inspect_ai: EvalSample and Score of its log schema, and what model_graded_qa writes (_model.py there)."""

    @staticmethod
    def graded(value: Any, model: str | None = "gpt-4o", **more: Any) -> dict[str, Any]:
        """Return a score of model_graded_qa: the messages of the model that grades are its metadata."""
        message = {"role": "assistant", "content": f"GRADE: {value}", **({"model": model} if model else {})}
        return {"value": value, "answer": "x", "metadata": {"grading": [{"role": "user"}, message]}, **more}

    @staticmethod
    def log(samples: dict[Any, dict[str, Any]], **more: Any) -> dict[str, Any]:
        """Return a log of samples by id, each with its scores, or with other facts besides."""
        rows = []
        for id_, of in samples.items():
            facts = of if "scores" in of else {"scores": of}
            row = {"id": id_, "epoch": 1, "input": f"in {id_}", "target": "t", "output": {"completion": "x"}, **facts}
            rows.append(row)
        head = {"version": 2, "status": "success", "eval": {"run_id": "r", "task": "t", "model": "openai/A", **more}}
        return {**head, "samples": rows}

    def test_scorers_are_judges_called_like_the_model_that_grades(self, read):
        samples = {
            1: {"model_graded_qa": self.graded("C"), "model_graded_qa1": self.graded("I", "claude")},
            2: {"model_graded_qa": self.graded("I"), "model_graded_qa1": self.graded("I", "claude")},
        }
        people = "id,anna,ben\n1,C,I\n2,I,I\n"
        found = read(people, self.log(samples), people=("anna", "ben"))
        assert answers(found) == {"anna": [1, 0], "ben": [0, 0], "gpt-4o": [1, 0], "claude": [0, 0]}
        assert found.judges == ("gpt-4o", "claude")
        assert (
            "in file2.json: scorers are called like the model that grades: model_graded_qa is gpt-4o, model_graded_qa1 "
            "is claude" in found.notes
        )
        assert "in file2.json: as in Inspect, C is 1, I is 0" in found.notes
        alone = read(self.log(samples))
        with pytest.raises(UsageError, match=r"all raters are automatic: 'gpt-4o', 'claude'. .* If they have"):
            judge_findings(alone)

    def test_two_scorers_with_the_same_model_keep_their_names(self, read):
        samples = {at: {"strict": self.graded("C"), "mild": self.graded("C"), "human": {"value": "I"}} for at in (1, 2)}
        found = read(self.log(samples))
        assert (found.people, found.judges) == (("human",), ("strict", "mild"))

    def test_the_model_may_stand_with_the_scorer(self, read):
        declared = [{"name": "inspect_ai/model_graded_fact", "options": {"model": "openai/gpt-4o"}}, {"name": "human"}]
        samples = {1: {"model_graded_fact": {"value": "P"}, "human": {"value": "C"}}}
        found = read(self.log(samples, scorers=declared))
        assert answers(found) == {"human": [1], "openai/gpt-4o": [0.5]}

    def test_people_may_stand_in_the_metadata_of_a_sample(self, read):
        samples = {
            at: {"scores": {"match": {"value": "C"}}, "metadata": {"human_label": label, "verdict": "I"}}
            for at, label in ((1, "C"), (2, "I"))
        }
        assert answers(read(self.log(samples))) == {"human_label": [1, 0], "match": [1, 1]}
        assert answers(read(self.log(samples), people=("verdict",))) == {"verdict": [0, 0], "match": [1, 1]}

    def test_an_edited_score_is_the_judges_as_it_was_and_the_persons_as_it_is(self, read):
        edit = {"value": "I", "provenance": {"author": "anna", "timestamp": "2026-01-01T00:00:00Z"}}
        edited = self.graded("I", history=[{"value": "C", "provenance": None}, edit])
        samples = {1: {"model_graded_qa": edited}, 2: {"model_graded_qa": self.graded("C")}}
        found = read(self.log(samples))
        np.testing.assert_array_equal(answers(found)["anna"], [0, NAN])
        assert answers(found)["gpt-4o"] == [1, 1]
        assert any(note.startswith("1 score that somebody edited: the judge has what stood") for note in found.notes)

    def test_several_values_of_a_scorer_are_criteria(self, read):
        samples = {
            at: {"style": {"value": {"clear": 4, "short": at}}, "human": {"value": {"clear": 3}}} for at in (1, 2)
        }
        with pytest.raises(UsageError, match="has ratings on 'clear', 'short'; choose one"):
            read(self.log(samples))
        assert answers(read(self.log(samples), criterion="clear")) == {"human": [3, 3], "style": [4, 4]}

    def test_epochs_are_items_of_one_sample(self, read):
        log = self.log({1: {"human": {"value": 3}, "g": {"value": 2}}, 2: {"human": {"value": 1}, "g": {"value": 2}}})
        log["samples"] += [{**one, "epoch": 2} for one in log["samples"]]
        found = read(log)
        assert (len(found.items), found.cluster.tolist()) == (4, [0, 1, 0, 1])

    def test_samples_that_failed_and_grades_that_were_not_found_are_counted(self, read):
        # Score.unscored of inspect_ai has NaN for a value.
        samples = {1: {"g": {"value": 1}, "human": {"value": 1}}, 2: {"g": {"value": NAN}, "human": {"value": 0}}}
        log = self.log(samples)
        log["samples"].append({**log["samples"][0], "id": 3, "error": {"message": "timeout"}})
        found = read(log)
        assert "left out: samples that ended in an error or have no scores (1)" in found.notes
        assert "1 blank cell is a missing rating" in found.notes


class TestArgilla:
    """Records of Argilla: nested as JsonIO writes them (records/_io/_json.py), or flat as GenericIO does."""

    USERS = ("11111111-aaaa", "22222222-bbbb")

    def record(self, id_: str, answers: tuple[Any, ...], suggestion: Any, **more: Any) -> dict[str, Any]:
        responses = [{"value": value, "user_id": user} for value, user in zip(answers, self.USERS, strict=False)]
        suggestions = {"quality": {"value": suggestion, "score": 0.9, "agent": "llama-3"}} if suggestion else {}
        return {
            "id": id_, "fields": {"prompt": f"in {id_}"}, "metadata": {}, "vectors": {}, "_server_id": f"s{id_}",
            "responses": {"quality": responses}, "suggestions": suggestions, **more,
        }  # fmt: skip

    def flat(self, record: dict[str, Any], *states: str) -> dict[str, Any]:
        given = record["responses"]["quality"]
        suggested = record["suggestions"].get("quality") or {"value": None, "agent": None}
        return {
            "id": record["id"], "prompt": "in", "quality.responses": [one["value"] for one in given],
            "quality.responses.users": [one["user_id"] for one in given], "quality.responses.status": [*states],
            "quality.suggestion": suggested["value"], "quality.suggestion.agent": suggested["agent"],
        }  # fmt: skip

    def test_suggestions_are_judges_and_responses_people(self, read):
        records = [self.record("a", ("good", "bad"), "good"), self.record("b", ("bad", "bad"), "bad")]
        expected = {self.USERS[0]: [1, 0], self.USERS[1]: [0, 0], "llama-3": [1, 0]}
        nested = read(records)
        assert answers(nested) == expected
        assert any("whether they are submitted, drafts or discarded" in note for note in nested.notes)
        flat = read([self.flat(record, "submitted", "submitted") for record in records])
        assert answers(flat) == expected
        assert (flat.people, flat.judges, flat.criterion) == (self.USERS, ("llama-3",), "quality")
        assert any("agreement is too high unless they were hidden" in note for note in flat.notes)

    def test_drafts_and_missing_suggestions_are_counted(self, read):
        records = [self.record("a", (4, 5), 3), self.record("b", (2, 1), None)]
        found = read([self.flat(records[0], "submitted", "draft"), self.flat(records[1], "submitted", "submitted")])
        assert "left out: responses that are draft (1)" in found.notes
        np.testing.assert_array_equal(answers(found)["llama-3"], [3, NAN])

    def test_records_as_json_are_a_corpus_too(self, tmp_path):
        records = [
            self.record(system, (score, 3), 2, fields={"prompt": "in"}, metadata={"system": system, "segment": "s"})
            for system, score in (("A", 4), ("B", 5))
        ]
        path = tmp_path / "records.json"
        path.write_text(json.dumps(records), encoding="utf-8")
        corpus, problems = read_sources([path], texts=False)
        assert corpus is not None, problems.errors
        assert sorted(corpus.judgments.score.tolist()) == [3, 3, 4, 5]
        assert "left out: suggestions of models (2)." in [one.message for one in problems.entries]


def test_predictions_of_label_studio_are_judges(read):
    """The JSON format of https://labelstud.io/guide/task_format.html: predictions name the version of their model."""

    def result(word: str) -> list[dict[str, Any]]:
        return [{"id": "r", "type": "choices", "from_name": "quality", "to_name": "t", "value": {"choices": [word]}}]

    tasks = [
        {
            "id": at, "data": {"text": f"in {at}"},
            "annotations": [{"completed_by": who, "result": result(word)} for who, word in enumerate(said, start=7)],
            "predictions": [{"model_version": "judge-v2", "score": 0.8, "result": result("good")}],
        }
        for at, said in ((1, ("good", "bad")), (2, ("bad", "bad")))
    ]  # fmt: skip
    found = read(tasks)
    assert answers(found) == {"7": [1, 0], "8": [0, 0], "judge-v2": [1, 1]}
    assert found.judges == ("judge-v2",)
    assert any("agreement is too high unless they were hidden" in note for note in found.notes)
