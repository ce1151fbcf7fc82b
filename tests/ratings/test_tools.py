"""Files of tools for evaluation and annotation, as `metaeval judge` reads them: models are judges."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import metaeval
from metaeval.corpora.read import read_sources
from metaeval.errors import UsageError
from metaeval.ratings.judge_comparison import judge_findings
from metaeval.ratings.reading import Asked, read_tables
from tests.ratings.support import answers_by_rater

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
        assert answers_by_rater(found) == {"anna": [1, 0], "ben": [0, 0], "gpt-4o": [1, 0], "claude": [0, 0]}
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
        assert answers_by_rater(found) == {"human": [1], "openai/gpt-4o": [0.5]}

    def test_people_may_stand_in_the_metadata_of_a_sample(self, read):
        samples = {
            at: {"scores": {"match": {"value": "C"}}, "metadata": {"human_label": label, "verdict": "I"}}
            for at, label in ((1, "C"), (2, "I"))
        }
        assert answers_by_rater(read(self.log(samples))) == {"human_label": [1, 0], "match": [1, 1]}
        assert answers_by_rater(read(self.log(samples), people=("verdict",))) == {"verdict": [0, 0], "match": [1, 1]}

    def test_an_edited_score_is_the_judges_as_it_was_and_the_persons_as_it_is(self, read):
        edit = {"value": "I", "provenance": {"author": "anna", "timestamp": "2026-01-01T00:00:00Z"}}
        edited = self.graded("I", history=[{"value": "C", "provenance": None}, edit])
        samples = {1: {"model_graded_qa": edited}, 2: {"model_graded_qa": self.graded("C")}}
        found = read(self.log(samples))
        np.testing.assert_array_equal(answers_by_rater(found)["anna"], [0, NAN])
        assert answers_by_rater(found)["gpt-4o"] == [1, 1]
        assert any(note.startswith("1 score that somebody edited: the judge has what stood") for note in found.notes)

    def test_several_values_of_a_scorer_are_criteria(self, read):
        samples = {
            at: {"style": {"value": {"clear": 4, "short": at}}, "human": {"value": {"clear": 3}}} for at in (1, 2)
        }
        with pytest.raises(UsageError, match="has ratings on 'clear', 'short'; choose one"):
            read(self.log(samples))
        assert answers_by_rater(read(self.log(samples), criterion="clear")) == {"human": [3, 3], "style": [4, 4]}

    def test_epochs_are_items_of_one_sample(self, read):
        log = self.log({1: {"human": {"value": 3}, "g": {"value": 2}}, 2: {"human": {"value": 1}, "g": {"value": 2}}})
        log["samples"] += [{**one, "epoch": 2} for one in log["samples"]]
        found = read(log)
        assert (len(found.items), found.cluster.tolist()) == (4, [0, 1, 0, 1])

    def test_a_folder_has_a_log_for_each_judge(self, tmp_path):
        (tmp_path / "logs").mkdir()
        for name, grade in (("gpt-4o", "C"), ("claude", "I")):
            log = self.log({at: {"model_graded_qa": self.graded(grade, name)} for at in (1, 2)})
            (tmp_path / "logs" / f"{name}.json").write_text(json.dumps(log), encoding="utf-8")
        people = tmp_path / "people.csv"
        people.write_text("id,anna,ben\n1,C,I\n2,I,I\n", encoding="utf-8")
        found = metaeval.judge([people, tmp_path / "logs"], people=["anna", "ben"])
        assert answers_by_rater(found.ratings) == {"anna": [1, 0], "ben": [0, 0], "claude": [0, 0], "gpt-4o": [1, 1]}
        (tmp_path / "logs" / "x.eval").write_bytes(b"PK\x03\x04")
        with pytest.raises(
            UsageError, match=r"x.eval is a log of Inspect that is packed. Write JSON with `inspect log conv"
        ):
            metaeval.judge([people, tmp_path / "logs"])

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
        assert answers_by_rater(nested) == expected
        assert any("whether they are submitted, drafts or discarded" in note for note in nested.notes)
        flat = read([self.flat(record, "submitted", "submitted") for record in records])
        assert answers_by_rater(flat) == expected
        assert (flat.people, flat.judges, flat.criterion) == (self.USERS, ("llama-3",), "quality")
        assert any("agreement is too high unless they were hidden" in note for note in flat.notes)

    def test_drafts_and_missing_suggestions_are_counted(self, read):
        records = [self.record("a", (4, 5), 3), self.record("b", (2, 1), None)]
        found = read([self.flat(records[0], "submitted", "draft"), self.flat(records[1], "submitted", "submitted")])
        assert "left out: responses that are draft (1)" in found.notes
        np.testing.assert_array_equal(answers_by_rater(found)["llama-3"], [3, NAN])

    def test_records_of_version_1(self, read):
        """A FeedbackDataset at Hugging Face (argilla-v1, feedback/integrations/huggingface/dataset.py)."""
        rows = [
            {
                "prompt": f"in {at}", "external_id": f"r{at}", "metadata": "{}",
                "quality": [
                    {"user_id": user, "value": value, "status": state}
                    for user, value, state in zip(self.USERS, said, ("submitted", "submitted"), strict=True)
                ],
                "quality-suggestion": "good",
                "quality-suggestion-metadata": {"type": "model", "score": 0.7, "agent": "gpt-4"},
            }
            for at, said in enumerate((("good", "bad"), ("bad", "bad")))
        ]  # fmt: skip
        found = read(rows)
        assert answers_by_rater(found) == {self.USERS[0]: [1, 0], self.USERS[1]: [0, 0], "gpt-4": [1, 1]}
        assert (found.judges, found.items) == (("gpt-4",), ("r0", "r1"))

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
    assert answers_by_rater(found) == {"7": [1, 0], "8": [0, 0], "judge-v2": [1, 1]}
    assert found.judges == ("judge-v2",)
    assert any("agreement is too high unless they were hidden" in note for note in found.notes)


def test_a_person_who_rates_in_promptfoo_is_compared_with_the_model_that_grades(read):
    """Results of promptfoo: a rating in its viewer is an assertion of the type human (test/server/eval.test.ts)."""

    def result(at: int, rubric: bool, human: bool | None) -> dict[str, Any]:
        parts = [
            {"pass": rubric, "score": int(rubric), "assertion": {"type": "llm-rubric", "value": "is polite"}},
            {"pass": True, "score": 1, "assertion": {"type": "contains", "value": "x"}},
        ]
        if human is not None:
            parts.append({"pass": human, "score": int(human), "assertion": {"type": "human"}})
        verdict = rubric if human is None else human
        return {
            "provider": {"id": "openai:A", "label": ""}, "prompt": {"raw": "p", "label": "p"}, "promptIdx": 0,
            "testIdx": at, "vars": {"q": f"q{at}"}, "response": {"output": "x"}, "success": verdict, "score": 1,
            "namedScores": {}, "gradingResult": {"pass": verdict, "score": 1, "componentResults": parts},
        }  # fmt: skip

    results = [result(0, True, False), result(1, True, True), result(2, False, None)]
    found = read({"evalId": "e", "results": {"version": 3, "results": results, "stats": {}}, "config": {}})
    np.testing.assert_array_equal(answers_by_rater(found)["human"], [0, 1, NAN])
    assert answers_by_rater(found)["llm-rubric"] == [1, 1, 0]
    assert found.categories == ("False", "True")
    assert "left out: assertions of the type contains, in which no model judges (3)" in found.notes


def test_metrics_of_deepeval_are_judges(read):
    """A TestRun of DeepEval as its local store writes it (test_run/api.py, local_store.py: by alias, in one line)."""

    def case(at: int, *verdicts: bool) -> dict[str, Any]:
        metrics = [
            {"name": name, "threshold": 0.5, "success": verdict, "score": 0.7, "evaluationModel": "gpt-4o"}
            for name, verdict in zip(("Correctness [GEval]", "Bias"), verdicts, strict=False)
        ]
        return {"name": f"test_case_{at}", "input": f"q{at}", "actualOutput": "x", "metricsData": metrics, "order": at}

    run = {
        "testCases": [case(0, True, True), case(1, False)], "conversationalTestCases": [],
        "metricsScores": [{"metric": "Bias", "scores": [0.7], "passes": 1, "fails": 0, "errors": 0}],
    }  # fmt: skip
    people = "question,anna,ben\nq1,0,1\nq0,1,1\n"
    # A name with brackets is no pattern.
    found = read(people, run, people=("anna", "ben"), judges=("Correctness [GEval]",))
    assert answers_by_rater(found) == {"anna": [0, 1], "ben": [1, 1], "Correctness [GEval]": [0, 1]}
    assert "'False' is read as 0, 'True' is read as 1" in found.notes
    alone = read({"test_results": [{**case(at, True), "metrics_data": case(at, True)["metricsData"]} for at in (0, 1)]})
    assert answers_by_rater(alone) == {"Correctness [GEval]": [0, 0]}  # the only label


class TestOpenAI:
    def test_a_log_of_evals(self, read):
        """Events of evals/record.py; classify.py records the choice of the model that grades as metrics."""
        head = {"run_id": "r", "created_by": "", "created_at": ""}
        events: list[dict[str, Any]] = [{"spec": {"eval_name": "x"}}]
        for at, choice in enumerate(("Y", "N", "__invalid__")):
            event = {**head, "event_id": at, "sample_id": f"x.{at}"}
            events.append({**event, "type": "sampling", "data": {"prompt": [], "sampled": ["a"]}})
            events.append({**event, "type": "metrics", "data": {"choice": choice, "score": 1.0}})
        people = "sample_id,human\nx.0,Y\nx.1,Y\nx.2,N\n"
        found = read(people, [*events, {"final_report": {"counts/Y": 1}}])
        assert found.judges == ("modelgraded",)
        np.testing.assert_array_equal(answers_by_rater(found)["modelgraded"], [1, 0, NAN])
        assert any("no choice was found in the answer of the model (1)" in note for note in found.notes)

    def test_output_items_of_a_run(self, read):
        """The list of output items of https://platform.openai.com/docs/api-reference/evals/getRunOutputItems."""
        items = [
            {"object": "eval.run.output_item", "id": f"o{at}", "run_id": "r", "eval_id": "e", "status": "pass",
             "datasource_item_id": at, "datasource_item": {"input": "q", "human_label": label},
             "results": [{"name": "politeness", "passed": passed, "score": 1.0}], "sample": {"output": []}}
            for at, (label, passed) in enumerate((("correct", True), ("incorrect", True)))
        ]  # fmt: skip
        found = read({"object": "list", "data": items, "has_more": False})
        assert answers_by_rater(found) == {"human_label": [1, 0], "politeness": [1, 1]}


class TestLangfuse:
    """Scores as https://langfuse.com/docs/api-and-data-platform/features/scores-api and blob storage have them."""

    def score(self, trace: int, source: str, author: str | None, value: Any, name: str = "correct") -> dict[str, Any]:
        return {
            "id": f"{trace}{source}{author}", "traceId": f"t{trace}", "observationId": None, "name": name,
            "value": value, "stringValue": None, "source": source, "authorUserId": author, "dataType": "BOOLEAN",
        }  # fmt: skip

    def test_annotations_are_of_people_and_evaluations_of_judges(self, read):
        scores = [
            self.score(at, source, who, value, name)
            for at in (0, 1)
            for source, who, value, name in (
                ("ANNOTATION", "anna", at, "correct"), ("ANNOTATION", "ben", 1, "correct"), ("EVAL", None, 1, "g-eval")
            )
        ]  # fmt: skip
        scores.append(self.score(0, "API", None, 1, "thumbs"))
        found = read({"data": scores, "meta": {"page": 1}})
        assert answers_by_rater(found) == {"anna": [0, 1], "ben": [1, 1], "g-eval": [1, 1]}
        assert any(note.startswith("left out: scores of the source API") for note in found.notes)

    def test_the_same_name_is_what_was_asked(self, read):
        scores = [
            self.score(at, source, who, value, name)
            for at in (0, 1)
            for name, value in (("correct", at), ("kind", 1))
            for source, who in (("ANNOTATION", "anna"), ("EVAL", None))
        ]
        with pytest.raises(UsageError, match="has ratings on 'correct', 'kind'; choose one of them"):
            read({"data": scores, "meta": {}})
        found = read({"data": scores, "meta": {}}, criterion="correct")
        assert answers_by_rater(found) == {"anna": [0, 1], "evaluator correct": [0, 1]}


class TestPairs:
    def test_votes_of_an_arena_and_a_judge_that_was_asked_in_both_orders(self, read):
        """lmsys/chatbot_arena_conversations (its card), and FastChat's gen_judgment.py with pairs."""
        votes = [
            {"question_id": f"q{at}", "model_a": "koala", "model_b": "vicuna", "winner": winner, "judge": f"user_{at}",
             "conversation_a": [{"content": "x", "role": "user"}], "turn": 1, "anony": True}
            for at, winner in enumerate(("model_a", "model_b", "tie (bothbad)"))
        ]  # fmt: skip
        pairs = [
            {"question_id": f"q{at}", "model_1": "koala", "model_2": "vicuna", "g1_winner": first, "g2_winner": second,
             "judge": ["gpt-4", "pair-v2"], "turn": 1}
            for at, (first, second) in enumerate((("model_1", "model_1"), ("model_2", "model_1"), ("tie", "tie")))
        ]  # fmt: skip
        found = read(votes, pairs)
        people, judges = found.matrix()
        np.testing.assert_array_equal(np.nansum(people, axis=1), [1, -1, 0])
        # In question 1 the judge contradicts itself.
        assert judges[:, 0].tolist() == [1, 0, 0]
        assert found.judges == ("gpt-4 pair-v2",)

    def test_votes_in_three_columns(self, read):
        """train.csv of the Kaggle competition LMSYS - Chatbot Arena Human Preference Predictions."""
        head = "id,model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie,gpt4"
        rows = [f"{at},x,y,p,r,s,{vote},model_a" for at, vote in enumerate(("1,0,0", "0,1,0", "0,0,1"))]
        found = read("\n".join([head, *rows, ""]))
        assert answers_by_rater(found) == {"human_winner": [1, -1, 0], "gpt4": [1, 1, 1]}
        with pytest.raises(UsageError, match="all raters are automatic"):
            # Probabilities are no votes.
            judge_findings(read("\n".join([head, "0,x,y,p,r,s,0.5,0.3,0.2,model_a", ""])))

    def test_results_of_reward_bench(self, read):
        """rewardbench/rewardbench.py writes scores beside texts, and with save_all scores under chosen and rejected."""
        rows = [
            {"prompt": f"p{at}", "results": int(a > b), "scores_chosen": a, "scores_rejected": b, "text_chosen": "c",
             "text_rejected": "r"}
            for at, (a, b) in enumerate(((2.0, 1.0), (0.5, 1.0)))
        ]  # fmt: skip
        assert answers_by_rater(read(rows)) == {"chosen": [1, 1], "judge": [1, -1]}
        alone = [{"chosen": row["scores_chosen"], "rejected": row["scores_rejected"]} for row in rows]
        assert answers_by_rater(read(alone)) == {"chosen": [1, 1], "judge": [1, -1]}
        # scripts/run_generative.py has no scores.
        generative = [{"chosen": "c", "rejected": "r", "id": at, "results": value} for at, value in enumerate((1, 0.5))]
        assert answers_by_rater(read(generative)) == {"chosen": [1, 1], "results": [1, 0]}

    def test_people_who_do_not_name_the_systems_of_a_pair(self, read):
        """annotations.json of AlpacaEval, and a file of people that has the same instructions and outputs alone."""
        judge = [
            {"instruction": f"i{at}", "output_1": "a", "generator_1": "davinci", "output_2": "b", "generator_2": "m",
             "annotator": "alpaca_eval_gpt4", "preference": preference}
            for at, preference in enumerate((1.2, 2.0, 1.5, 1.0, 2.0))
        ]  # fmt: skip
        people = [{"instruction": f"i{at}", "output_1": "a", "output_2": "b", "annotator1": 1} for at in range(5)]
        assert answers_by_rater(read(people, judge)) == {"annotator1": [1] * 5, "alpaca_eval_gpt4": [1, -1, 0, 1, -1]}


class TestQualityControl:
    """Appraise's ExportSystemScoresToCSV (types TGT, BAD, REF, CHK; documents called d#bad), and logs of Pearmut."""

    HEAD = "user,system,segment,type,src,tgt,score,document,whole,spans,start,end"

    def rows(self) -> list[str]:
        rows = []
        for user, score in (("anna", 50), ("ben", 60), ("gemba", 70)):
            rows += [
                f"{user},{system},{at},TGT,eng,deu,{score + at},d,False,[],1,2" for system in "AB" for at in (1, 2)
            ]
            rows += [
                f"{user},ende-tutorial1,1,TGT,eng,deu,100,ende-tutorial1,False,[],1,2",
                f"{user},A,9,BAD,eng,deu,3,d#bad,False,[],1,2",
                f"{user},A,8,BAD.2,eng,deu,3,d#bad,False,[],1,2",
                f"{user},A,1,CHK,eng,deu,51,d,False,[],1,2",
                f"{user},refA,1,REF,eng,deu,99,d,False,[],1,2",
            ]
        return rows

    def expected(self) -> dict[str, list[float]]:
        return {"anna": [51, 52] * 2, "ben": [61, 62] * 2, "gemba": [71, 72] * 2}

    def test_an_export_of_appraise_is_read_as_a_corpus_is(self, tmp_path):
        path = tmp_path / "scores.csv"
        path.write_text("\n".join([*self.rows(), ""]), encoding="utf-8")
        found = metaeval.judge(path, judges=["gemba"])
        assert answers_by_rater(found.ratings) == self.expected()
        assert "are no scores of systems' segments: 6 BAD, 3 CHK, 3 REF, 3 of the tutorial" in found.reading
        corpus, problems = read_sources([path])
        assert corpus is not None
        assert len(corpus.judgments) == 12
        assert "6 BAD, 3 CHK, 3 REF, 3 of the tutorial" in problems.entries[0].message

    def test_an_export_that_was_given_a_header_is_read_the_same(self, tmp_path, read):
        text = "\n".join([self.HEAD, *self.rows(), ""])
        found = read(text, judges=("gemba",))
        assert answers_by_rater(found) == self.expected()
        expected = {
            "3 rows of tutorials left out", "6 rows of quality control (BAD) left out",
            "3 rows of quality control (REF) left out", "3 rows of quality control (CHK) left out",
        }  # fmt: skip
        assert expected <= {*found.notes}
        corpus, problems = read_sources([tmp_path / "file1.csv"])
        assert corpus is not None, problems.errors
        assert (len(corpus.judgments), corpus.systems) == (12, ("A", "B"))
        assert {f"{note}." for note in expected} <= {problem.message for problem in problems.entries}

    def test_checks_and_tutorials_of_pearmut_are_counted(self, tmp_path):
        items = [{"item_id": f"en-de_#_news_#_d_###_{at}", "src": "x", "tgt": {"A": f"y{at}"}} for at in (1, 2)]
        check = {"item_id": "attention_check_1", "src": "x", "tgt": {"A": "z"}}
        pages = [
            {"annotation": [{"A": {"score": score, "error_spans": []}} for _ in shown], "item": shown, "user_id": user,
             "item_i": place, "actions": []}
            for user, score in (("anna", 50), ("ben", 60), ("gpt-4o", 70))
            for place, shown in (("welcome_0", [check]), (0, [*items, check]))
        ]  # fmt: skip
        path = tmp_path / "log.jsonl"
        path.write_text("".join(json.dumps(page) + "\n" for page in pages), encoding="utf-8")
        found = metaeval.judge(path)
        assert answers_by_rater(found.ratings) == {"anna": [50, 50], "ben": [60, 60], "gpt-4o": [70, 70]}
        assert "left out: 6 items that are tutorials or checks." in found.reading
