"""Exports of tools: what of them is a rating, and what is left out and counted."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

import metaeval
from metaeval.corpora.exports import EXPORTS
from metaeval.corpora.exports.base import chosen
from metaeval.corpora.exports.potato import systems_and_segments
from metaeval.corpora.problems import Problems
from metaeval.corpora.read import read_sources
from metaeval.datamodel.corpus import Corpus

DOCUMENTED = Path(__file__).parents[2] / "docs" / "corpora.md"
Rating = tuple[str, int, str, str, float]


def write(path: Path, rows: Any, delimiter: str = ",") -> Path:
    """Write rows as JSON, JSON Lines, or as a table whose columns are the keys of the first."""
    if path.suffix == ".json":
        path.write_text(json.dumps(rows), encoding="utf-8")
    elif path.suffix in (".csv", ".tsv"):
        with path.open("w", newline="", encoding="utf-8") as file:
            table = csv.DictWriter(file, [*rows[0]], delimiter=delimiter)
            table.writeheader()
            table.writerows(rows)
    else:
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def read(path: Path, format_: str = "") -> tuple[Corpus, str]:
    """Return a corpus, and what was said of the file."""
    corpus, problems = read_sources([path], [format_] if format_ else (), texts=False)
    assert corpus is not None, problems.errors
    return corpus, said(problems)


def said(problems: Problems) -> str:
    return "\n".join(map(str, problems.entries))


def ratings(corpus: Corpus) -> set[Rating]:
    of = corpus.judgments
    found = {
        (corpus.systems[system], int(segment) + 1, of.judges[judge], corpus.criteria[criterion].name, float(score))
        for system, segment, judge, criterion, score in zip(
            of.system, of.segment, of.judge, of.criterion, of.score, strict=True
        )
    }
    assert len(found) == len(of)
    return found


def test_every_tool_is_documented():
    rows = re.findall(r"^\| ([^|]+) \|", DOCUMENTED.read_text(encoding="utf-8"), re.MULTILINE)
    assert {one.tool.partition(" (")[0] for one in EXPORTS} <= {name for row in rows for name in row.split(", ")}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"1": False, "4": True}, "4"),
        ({"1": 0, "4": 1}, "4"),
        ({"1": "false", "4": "true"}, "4"),
        ({"4": "4"}, "4"),
        ({"4": "on"}, "4"),
        ({"scale": "57"}, "57"),
        ({"scale": 1}, 1),
        ({"label": "good"}, "good"),  # a classifier of Amazon has its class so
        ({"good": "true"}, "good"),
        (["4"], "4"),
        (4, 4),
        ({"1": False}, None),
        ([], None),
        ({"3": True, "4": True}, "3, 4"),
    ],
)
def test_the_answer_of_a_question(answer, expected):
    assert chosen(answer) == expected


class TestLabelStudio:
    @staticmethod
    def task(*annotations: dict[str, Any], system: str = "A", **more: Any) -> dict[str, Any]:
        data = {"segment": "s1", "system": system, "source": "eins zwei", "output": f"one two by {system}"}
        return {"id": 1, "annotations": [*annotations], "data": data, **more}

    @staticmethod
    def result(kind: str, name: str, value: dict[str, Any], id_: str = "r") -> dict[str, Any]:
        return {"id": id_, "type": kind, "from_name": name, "to_name": "t", "value": value}

    def test_numbers_and_choices_are_ratings_and_other_results_are_counted(self, tmp_path):
        results = [
            self.result("rating", "adequacy", {"rating": 4}),
            self.result("choices", "fluency", {"choices": ["5"]}),
            self.result("number", "seconds read", {"number": 3}),
            self.result("textarea", "remark", {"text": ["fine"]}),
        ]
        tasks = [
            self.task(
                {"completed_by": {"id": 7, "email": "ann@example.org"}, "result": results},
                {"completed_by": 8, "result": results, "was_cancelled": True},
                predictions=[{"result": results}],
            )
        ]
        corpus, notes = read(write(tmp_path / "x.json", tasks))
        assert ratings(corpus) == {
            ("A", 1, "ann@example.org", name, score)
            for name, score in (("adequacy", 4), ("fluency", 5), ("seconds read", 3))
        }
        assert "predictions of models (1)" in notes
        assert "annotations that were cancelled (1)" in notes
        assert "results of the type 'textarea', which are no ratings (1)" in notes

    def test_an_error_in_the_source_is_one_of_the_source(self, tmp_path):
        results = [
            self.result("labels", "errors", {"start": 0, "end": 4, "text": "eins", "labels": ["minor"]}, "a"),
            self.result("labels", "errors", {"start": 0, "end": 3, "text": "one", "labels": ["major"]}, "b"),
            self.result("rating", "severity", {"rating": 2}, "b"),
        ]
        corpus, notes = read(write(tmp_path / "x.json", [self.task({"completed_by": 7, "result": results})]))
        found = corpus.spans
        assert {
            (found.severities[severity], int(start), int(end), bool(in_source))
            for severity, start, end, in_source in zip(
                found.severity, found.start, found.end, found.in_source, strict=True
            )
        } == {("minor", 0, 4, True), ("major", 0, 3, False)}
        assert "answers on a part of a text (1)" in notes

    def test_words_of_a_scale_are_an_error_until_they_are_numbers(self, tmp_path):
        def annotation(word: str) -> dict[str, Any]:
            return {"completed_by": 7, "result": [self.result("choices", "quality", {"choices": [word]})]}

        tasks = [self.task(annotation("good")), self.task(annotation("poor"), system="B")]
        path = write(tmp_path / "x.json", tasks)
        corpus, problems = read_sources([path])
        assert corpus is None
        assert "the score must be a finite number; got 'good'" in said(problems)
        corpus, _ = read(path, 'table(labels=["good=2", "poor=1"])')
        assert ratings(corpus) == {("A", 1, "7", "quality", 2), ("B", 1, "7", "quality", 1)}

    def test_tasks_that_nobody_annotated_are_an_error(self, tmp_path):
        cancelled = {"completed_by": 7, "result": [], "was_cancelled": True}
        corpus, problems = read_sources([write(tmp_path / "x.json", [self.task(cancelled)])])
        assert corpus is None
        assert "without any annotation that was submitted" in said(problems)


class TestCrowds:
    def test_rejected_tasks_of_toloka_are_left_out(self, tmp_path):
        rows = [
            {"INPUT:segment": "s1", "INPUT:system": "A", "INPUT:text": "out",
             "OUTPUT:adequacy": n, "ASSIGNMENT:worker_id": f"w{n}", "ASSIGNMENT:status": status}
            for n, status in enumerate(("APPROVED", "REJECTED", "SUBMITTED", "SKIPPED"), start=1)
        ]  # fmt: skip
        corpus, notes = read(write(tmp_path / "x.tsv", rows, "\t"))
        assert ratings(corpus) == {("A", 1, "w1", "adequacy", 1), ("A", 1, "w3", "adequacy", 3)}
        assert "tasks with the status REJECTED (1), tasks with the status SKIPPED (1)" in notes

    def test_columns_that_a_user_names_are_read_as_they_are(self, tmp_path):
        row = {"INPUT:seg": "s1", "INPUT:mt": "out", "OUTPUT:adequacy": 4, "GOLDEN:adequacy": 4}
        path = write(tmp_path / "x.tsv", [{**row, "ASSIGNMENT:worker_id": "w", "INPUT:model": "A"}], "\t")
        roles = '"segment=INPUT:seg", "text=INPUT:mt", "judge=ASSIGNMENT:worker_id", "system=INPUT:model"'
        corpus, notes = read(path, f'table(columns=[{roles}], criteria=["OUTPUT:adequacy"])')
        # The control task is read, as the file is no export for whoever names its columns.
        assert ratings(corpus) == {("A", 1, "w", "OUTPUT:adequacy", 4)}
        assert "is an export" not in notes

    def test_radio_buttons_of_mturk_are_one_scale(self, tmp_path):
        task = {"HITId": "h", "AssignmentId": "a", "Input.segment": "s1", "Input.system": "A", "Input.output": "out"}
        rows = [
            {**task, "WorkerId": f"w{score}", "AssignmentStatus": "Submitted", "Reject": "x" if score == 3 else ""}
            | {f"Answer.adequacy.{point}": str(point == score).lower() for point in (1, 2, 3)}
            for score in (1, 2, 3)
        ]
        corpus, notes = read(write(tmp_path / "x.csv", rows))
        assert ratings(corpus) == {("A", 1, "w1", "adequacy", 1), ("A", 1, "w2", "adequacy", 2)}
        assert "rejected assignments (1)" in notes


class TestPotato:
    @pytest.mark.parametrize(
        ("ids", "expected"),
        [
            (("A__1", "A__2", "B__1", "B__2"), ("__", {"A__1": ("A", "1"), "B__2": ("B", "2")})),
            (("s1_gpt_5", "s2_gpt_5", "s1_nllb", "s2_nllb"), ("_", {"s1_gpt_5": ("gpt_5", "s1")})),
            (("1.A", "2.A", "3.A", "1.B", "2.B", "3.B"), (".", {"3.A": ("A", "3")})),
            (("one", "two"), None),
            (("A_1", "A_2", "B_1"), None),  # B lacks a segment, so that nothing says what is a system
        ],
    )
    def test_systems_and_segments_of_identifiers(self, ids, expected):
        found = systems_and_segments(ids)
        if expected is None:
            assert found is None
        else:
            assert found is not None
            assert found[0] == expected[0]
            assert {one: found[1][one] for one in expected[1]} == expected[1]

    def test_identifiers_without_systems_are_an_error(self, tmp_path):
        rows = [
            {"user": "ann", "instance_id": f"x{n}", "displayed_text": "t", "adequacy:::1": 1, "adequacy:::2": ""}
            for n in range(3)
        ]
        corpus, problems = read_sources([write(tmp_path / "x.tsv", rows, "\t")])
        assert corpus is None
        assert "must hold a system and a segment, such as 'gpt-5__1'" in said(problems)


class TestProdigy:
    def test_yes_and_no_are_one_and_nought(self, tmp_path):
        rows = [
            {"text": f"out {system}", "meta": {"segment": "s1", "system": system}, "label": "FLUENT", "answer": answer}
            | {"_input_hash": 5, "_task_hash": 6, "_annotator_id": "ann"}
            for system, answer in (("A", "accept"), ("B", "reject"), ("C", "ignore"))
        ]
        corpus, notes = read(write(tmp_path / "x.jsonl", rows))
        assert ratings(corpus) == {("A", 1, "ann", "FLUENT", 1), ("B", 1, "ann", "FLUENT", 0)}
        assert "tasks with the answer ignore (1)" in notes

    def test_an_option_may_have_its_number_in_its_text(self, tmp_path):
        options = [{"id": "bad", "text": "1 - bad"}, {"id": "good", "text": "2 - good"}]
        row = {"text": "out", "meta": {"segment": "s1", "system": "A"}, "options": options, "accept": ["good"]}
        row |= {"answer": "accept", "_input_hash": 5, "_task_hash": 6, "_session_id": "ann"}
        corpus, _ = read(write(tmp_path / "x.jsonl", [row]))
        assert ratings(corpus) == {("A", 1, "ann", "choice", 2)}


def test_labels_that_sagemaker_gave_itself_are_left_out(tmp_path):
    def row(system: str, **facts: Any) -> dict[str, Any]:
        facts = {"class-name": "4", "job-name": "job", "human-annotated": "yes", **facts}
        return {"source": "out", "segment": "s1", "system": system, "adequacy": 3, "adequacy-metadata": facts}

    rows = [row("A"), row("B", **{"human-annotated": "no"}), row("C", **{"failure-reason": "timeout"})]
    corpus, notes = read(write(tmp_path / "x.manifest", rows))
    assert ratings(corpus) == {("A", 1, "unnamed", "adequacy", 4)}
    assert corpus.candidates[0] == ("out",)
    assert "labels that the tool gave itself (1), texts whose labelling failed (1)" in notes


def test_spans_of_argilla_are_errors(tmp_path):
    row: dict[str, Any] = {"segment": "s1", "system": "A", "output": "one two"}
    marks = [[{"start": 0, "end": 3, "label": "minor"}], []]
    for name, given in (("errors", marks), ("adequacy", [4, 5])):
        row |= {f"{name}.responses": given, f"{name}.responses.users": ["u", "v"]}
        row[f"{name}.responses.status"] = ["submitted", "submitted"]
    corpus, _ = read(write(tmp_path / "x.jsonl", [row]))
    assert ratings(corpus) == {("A", 1, "u", "adequacy", 4), ("A", 1, "v", "adequacy", 5)}
    assert (len(corpus.spans), corpus.spans.judges, corpus.spans.severities) == (1, ("u",), ("minor",))


class TestFrameworks:
    @staticmethod
    def log(samples: list[dict[str, Any]], model: str = "openai/A") -> dict[str, Any]:
        return {"version": 2, "status": "success", "eval": {"run_id": "r", "task": "t", "model": model}} | {
            "samples": samples
        }

    @staticmethod
    def sample(id_: str, value: Any, **more: Any) -> dict[str, Any]:
        output = {"model": "A", "choices": [{"message": {"content": f"out {id_}", "role": "assistant"}}]}
        scores = {"match": {"value": value, "answer": "x"}}
        return {"id": id_, "epoch": 1, "input": f"in {id_}", "target": "t", "output": output, "scores": scores, **more}

    def test_letters_of_inspect_are_its_numbers(self, tmp_path):
        samples = [self.sample(*one) for one in (("a", "C"), ("b", "I"), ("c", "P"), ("d", {"style": 3}))]
        samples.append(self.sample("e", "C", error={"message": "timeout"}))
        corpus, notes = read(write(tmp_path / "x.json", self.log(samples)))
        # As value_to_float of Inspect has them.
        assert {(segment, name, score) for _, segment, _, name, score in ratings(corpus)} == {
            (1, "match", 1.0),
            (2, "match", 0.0),
            (3, "match", 0.5),
            (4, "style", 3.0),
        }
        assert "samples that ended in an error or have no scores (1)" in notes
        assert corpus.systems == ("openai/A",)

    def test_epochs_are_segments_of_their_own(self, tmp_path):
        samples = [self.sample("a", epoch, epoch=epoch) for epoch in (1, 2)]
        for epoch, one in enumerate(samples):
            one["output"]["choices"][0]["message"]["content"] = f"out {epoch}"
        corpus, _ = read(write(tmp_path / "x.json", self.log(samples)))
        assert {(segment, score) for _, segment, _, _, score in ratings(corpus)} == {(1, 1.0), (2, 2.0)}
        assert corpus.documents == ("a", "a")

    def test_prompts_of_a_provider_are_systems_of_their_own(self, tmp_path):
        results = [
            {"provider": {"id": "openai:A", "label": ""}, "prompt": {"label": prompt}, "promptIdx": at, "testIdx": 0}
            | {"vars": {"source": "eins"}, "response": {"output": f"out {prompt}"}, "namedScores": {}, "score": at}
            for at, prompt in enumerate(("short", "long"))
        ]
        results.append({**results[0], "testIdx": 1, "response": {"error": "timeout"}})
        corpus, notes = read(write(tmp_path / "x.json", {"results": {"results": results}, "config": {}}))
        assert ratings(corpus) == {
            ("openai:A short", 1, "promptfoo", "score", 0),
            ("openai:A long", 1, "promptfoo", "score", 1),
        }
        assert "tests without an output (1)" in notes


class TestSurveys:
    @staticmethod
    def qualtrics(path: Path, questions: dict[str, str], answers: list[list[str]]) -> Path:
        facts = ["StartDate", "Finished", "Status", "ResponseId"]
        rows = [[*facts, *questions], [*facts, *questions.values()]]
        rows.append([*(json.dumps({"ImportId": name}) for name in facts), *('{"ImportId":"QID1"}' for _ in questions)])
        rows += [["2026", "1", "0", f"R_{at}", *given] for at, given in enumerate(answers)]
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)
        return path

    def test_questions_on_two_criteria(self, tmp_path):
        questions = {
            f"Q{at}_{row}": f"{criterion}: {text} - {system}"
            for at, (criterion, text) in enumerate(
                [(criterion, text) for criterion in ("Adequacy", "Fluency") for text in ("eins", "zwei")], start=1
            )
            for row, system in enumerate("AB", start=1)
        }
        path = self.qualtrics(tmp_path / "x.csv", questions, [["1", "2", "3", "4", "5", "6", "7", "8"]])
        corpus, _ = read(path)
        scores = iter(range(1, 9))
        assert ratings(corpus) == {
            (system, segment, "R_0", criterion, float(next(scores)))
            for criterion in ("Adequacy", "Fluency")
            for segment in (1, 2)
            for system in "AB"
        }

    def test_questions_without_systems_are_refused_with_what_helps(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        questions = {"Q1": "How good is the first one?", "Q2": "How good is the second one?"}
        path = self.qualtrics(tmp_path / "x.csv", questions, [["1", "2"], ["3", "4"]]).relative_to(tmp_path)
        corpus, problems = read_sources([path])
        assert corpus is None
        (error,) = problems.errors
        assert len(error.message) < 600
        code = error.message.partition("of: ")[2]
        write(
            tmp_path / "columns.csv",
            [{"column": f"Q{n}", "segment": n, "system": "A", "criterion": "good"} for n in (1, 2)],
        )
        exec(code, {})
        corpus, _ = read(Path("long.csv"))
        assert ratings(corpus) == {
            ("A", segment, f"R_{person}", "good", float(segment + 2 * person))
            for segment in (1, 2)
            for person in (0, 1)
        }

    def test_rows_of_a_form_may_name_systems(self, tmp_path):
        people = {"Timestamp": "3/2/2026 9:31:40", "Email Address": "ann@example.org"}
        columns = [f"How good is “{text}”? [{system}]" for text in ("eins", "zwei") for system in "AB"]
        more = {"About you [left]": "5", "About you [right]": "4"}
        path = write(tmp_path / "x.csv", [{**people, **dict(zip(columns, "1234", strict=True)), **more}])
        corpus, notes = read(path)
        assert ratings(corpus) == {
            (system, segment, "ann@example.org", "How good is", float(score))
            for score, (segment, system) in enumerate([(1, "A"), (1, "B"), (2, "A"), (2, "B")], start=1)
        }
        assert "has columns that are not used: 'Timestamp', 'About you [left]', 'About you [right]'" in notes

    def test_a_question_that_lacks_a_system_is_refused(self, tmp_path):
        columns = ["How good is “eins”? [A]", "How good is “eins”? [B]", "How good is “zwei”? [A]"]
        row = {"Timestamp": "3/2/2026 9:31:40", **dict(zip(columns, "123", strict=True))}
        corpus, problems = read_sources([write(tmp_path / "x.csv", [row])], texts=False)
        assert corpus is None
        assert "whose names do not say of which segment and system they are" in said(problems)


def test_packed_logs_of_inspect_are_refused_with_the_command_that_unpacks_them(tmp_path):
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "x.eval").write_bytes(b"PK\x03\x04")
    for path in (tmp_path / "logs", tmp_path / "logs" / "x.eval"):
        corpus, problems = read_sources([path])
        assert corpus is None
        assert f"`inspect log convert {path.name} --to json --output-dir logs-json`" in said(problems)


def test_long_names_of_columns_are_cut(tmp_path):
    row = {f"How good is the translation that you see at number {n}, {'very ' * 100}?": n for n in range(30)}
    corpus, problems = read_sources([write(tmp_path / "x.csv", [row, row])])
    assert corpus is None
    assert max(len(problem.message) for problem in problems.entries) < 2000


def test_a_data_frame_of_an_export_is_read_as_its_file(tmp_path):
    import pandas as pd

    rows = [
        {"INPUT:segment": "s1", "INPUT:system": system, "OUTPUT:adequacy": score, "ASSIGNMENT:worker_id": worker}
        for system, scores in (("A", (1, 2)), ("B", (3, 3)))
        for worker, score in zip("vw", scores, strict=True)
    ]
    found = metaeval.agreement(pd.DataFrame(rows))
    (row,) = found.to_frame("design").to_dict("records")
    assert (row["criterion"], row["judgments"], row["judges"], row["items"]) == ("adequacy", 4, 2, 2)
