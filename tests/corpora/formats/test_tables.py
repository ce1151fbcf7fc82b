"""Tidy tables and WMT's tables: absent texts, roles that clash, names of references, and what is left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metaeval.corpora.read import read_sources
from metaeval.errors import UsageError
from tests.support import examples
from tests.support.reports import told


def jsonl(path: Path, *rows: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_an_absent_text_is_not_an_empty_one(tmp_path):
    path = jsonl(
        tmp_path / "texts.jsonl",
        {"segment": "1", "system": "A", "output": "one"},
        {"segment": "2", "system": "A", "output": None},
        {"segment": "3", "system": "A", "output": float("nan")},
        {"segment": "4", "system": "A"},
        {"segment": "5", "system": "A", "output": ""},
    )
    corpus, _ = read_sources([path], ['table(columns=["text=output"])'])
    assert corpus.candidates == (("one", None, None, None, ""),)


def test_an_absent_text_of_parquet_is_not_an_empty_one(tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [{"segment": n, "system": "A", "text": text, "more": [1]} for n, text in enumerate(["one", None, ""])]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "texts.parquet")
    corpus, problems = read_sources([tmp_path / "texts.parquet"])
    assert corpus.candidates == (("one", None, ""),)
    assert "has columns that are not used: 'more'" in told(problems, "note")


def test_a_parquet_file_that_would_fill_the_memory_is_refused(tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    parquet = pytest.importorskip("pyarrow.parquet")
    n = 20_000_000
    columns = {"segment": pyarrow.nulls(n, pyarrow.string()), "text": pyarrow.nulls(n, pyarrow.string())}
    parquet.write_table(pyarrow.table(columns), tmp_path / "x.parquet")
    corpus, problems = read_sources([tmp_path / "x.parquet"])
    assert corpus is None
    assert "has 20000000 rows of" in told(problems, "error")


def test_missing_scores_of_json_are_missing(tmp_path):
    texts = jsonl(tmp_path / "texts.jsonl", {"segment": "1", "system": "A", "text": "one"})
    row = {"segment": "1", "system": "A", "criterion": "c"}
    scores = jsonl(
        tmp_path / "scores.jsonl",
        {**row, "judge": "a", "score": None},
        {**row, "judge": "b", "score": float("nan")},
        {**row, "judge": "c", "score": 3},
    )
    corpus, problems = read_sources([texts, scores])
    assert corpus.judgments.score.tolist() == [3]
    assert "has 2 missing scores" in told(problems, "note")


def test_keys_that_stand_twice_in_an_object(tmp_path):
    path = tmp_path / "texts.jsonl"
    path.write_text('{"segment": "1", "system": "A", "text": "a", "text": "b"}\n')
    _, problems = read_sources([path])
    assert "texts.jsonl:1: is not valid JSON: it names 'text' twice" in told(problems, "error")


def test_values_that_are_no_text_are_told_by_column(tmp_path):
    path = jsonl(tmp_path / "t.jsonl", *({"segment": [n], "system": {}, "text": "x", "tags": []} for n in range(3)))
    _, problems = read_sources([path])
    found = told(problems, "error")
    assert "t.jsonl:1: 'segment' must be a text or a number; got '[0]' (3 rows in all)" in found
    assert "'system' must be a text or a number" in found
    assert "tags" not in found


@pytest.mark.parametrize(
    ("header", "row", "format_", "message"),
    [
        ("segment,system,reference,text", "1,A,refA,x", "", "names a system and a reference; a row is about one"),
        ("segment,system,text", "1,,x", "", "x.csv:2: names neither a system nor a reference. (2 lines in all)"),
        ("segment,system,text", ",A,x", "", "x.csv:2: names no segment. (2 lines in all)"),
        ("segment,system,text", "1,A,x\rx", "", "a carriage return stands outside of quotation marks"),
        ("segment,system,text", '1,A,"x"x', "", "something stands between a closing quotation mark and the next"),
        ("segment,system,text", "1,A,x", 'table(references=["B"])', "unknown system 'B'. Known systems: 'A'"),
        ("segment,system,text", "1,A,x", 'table(ignore=["B"])', "unknown name 'B'. Known names: 'A'"),
    ],
)
def test_errors(header, row, format_, message, tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(f"{header}\n{row}\n{row}\n".encode())
    _, problems = read_sources([path], [format_] if format_ else ())
    assert message in told(problems, "error")


def test_a_quotation_mark_that_is_never_closed(tmp_path):
    (tmp_path / "x.csv").write_text('segment,system,text\n1,A,x\n2,A,"x\n3,A,x\n')
    _, problems = read_sources([tmp_path / "x.csv"])
    assert "x.csv:3: is not a table separated by ',': a quotation mark is opened and never closed" in told(
        problems, "error"
    )


def test_long_fields_and_line_ends_in_quotation_marks(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(f'segment,system,text\r\n1,A,"one\r\ntwo\rthree"\r\n2,A,"{"x" * 200_000}"\r\n'.encode())
    corpus, problems = read_sources([path])
    assert corpus.candidates == (("one two\rthree", "x" * 200_000),)
    assert "has line feeds inside 1 text(s)" in told(problems, "note")


@pytest.mark.parametrize(
    ("columns", "format_", "unused"),
    [
        ("line,segment,system,criterion,score", "table", "'segment'"),
        ("sid,segment,system,criterion,score", 'table(columns=["line=sid"])', "'segment'"),
        ("line,score,system,criterion,fluency", 'table(criteria=["fluency"])', "'score', 'criterion'"),
    ],
)
def test_columns_that_are_displaced_are_told(columns, format_, unused, tmp_path):
    texts = jsonl(tmp_path / "texts.jsonl", {"segment": "s", "system": "A", "text": "one"})
    (tmp_path / "x.csv").write_text(f"{columns}\n1,9,A,c,3\n")
    corpus, problems = read_sources([texts, tmp_path / "x.csv"], ["", format_])
    assert corpus.judgments.score.tolist() == [3]
    assert f"x.csv:1: has columns that are not used: {unused}." in told(problems, "note")


def test_references_and_what_is_left_out(tmp_path):
    rows = [{"segment": "1", "system": name, "text": name, "criterion": "c", "score": 1} for name in ("A", "H", "X")]
    path = jsonl(tmp_path / "t.jsonl", *rows)
    corpus, problems = read_sources([path], ['table(references=["H=refA"], ignore=["X"])'])
    assert (corpus.systems, list(corpus.references)) == (("A",), ["refA"])
    assert (len(corpus.judgments), len(corpus.reference_judgments)) == (1, 1)
    assert "rows of 'X', which are left out: 1" in told(problems, "note")
    with pytest.raises(UsageError, match="`references` and `ignore` both name 'H'"):
        read_sources([path], ['table(references=["H"], ignore=["H"])'])


def test_names_that_are_empty(tmp_path):
    row = {"segment": "1", "system": "A", "text": "x", "judge": "", "criterion": "", "score": 1}
    _, problems = read_sources([jsonl(tmp_path / "t.jsonl", row)])
    place = f"{tmp_path}/t.jsonl:1"
    assert told(problems, "error") == f"{place}: the judge has no name.\n{place}: the criterion has no name."


def test_appraise_references_tutorials_and_spans(tmp_path):
    texts, scores = examples.wmt_xml(tmp_path)
    spans = '"[{""start_i"": 1}, {""start_i"": 2}]"'
    more = [
        f"ann,tiny.HUMAN,1,TGT,deu,eng,90,d1#HUMAN,False,{spans},1,2",
        "ann,tiny.X,1,TGT,deu,eng,90,d1#X,False,[],1,2",
        "ann,ende-tutorial1,5,TGT,deu,eng,80,ende-tutorial1,False,[],1,2",
    ]
    scores.write_text(scores.read_text() + "\n".join(more) + "\n")
    corpus, problems = read_sources(
        [texts, scores], ["", 'wmt(prefix="tiny.", references=["HUMAN=refA"], ignore=["X"])']
    )
    assert corpus.judged_references == ("refA",)
    assert len(corpus.judgments) == 16
    notes = told(problems, "note")
    assert "1 of the tutorial" in notes
    assert "has 2 error spans, which are not kept" in notes
    assert "rows of 'X', which are left out: 1" in notes
    assert told(problems, "warning").count("\n") == 0  # the line separator in a text of the example


def test_an_export_without_scores_is_told(tmp_path):
    texts, scores = examples.wmt_xml(tmp_path)
    scores.write_text('ann,A,1,TGT,deu,eng,0,d1#A,False,"[{""start_i"": 1}]",1,2\n')
    _, problems = read_sources([texts, scores])
    assert "it is probably an export of MQM, without scores" in told(problems, "warning")


def test_items_of_a_batch_are_no_segments(tmp_path):
    texts, scores = examples.wmt_xml(tmp_path)
    scores.write_text("ann,A,98,TGT,deu,eng,50,d1#A,False,[],1,2\n")
    _, problems = read_sources([texts, scores])
    assert "unknown segment 'd1:98'" in told(problems, "error")
    assert "have there the place of the item in its batch" in told(problems, "error")


def test_summeval_references_have_one_width(tmp_path):
    rows = [
        {"id": "1", "model_id": "A", "decoded": "x", "references": ["r"] * 11, "expert_annotations": [], "more": 1},
        {"id": "2", "model_id": "A", "decoded": "x", "references": ["r"], "expert_annotations": []},
    ]
    corpus, problems = read_sources([jsonl(tmp_path / "s.jsonl", *rows)])
    assert list(corpus.references) == [f"ref{n:02d}" for n in range(1, 12)]
    assert corpus.references["ref01"] == ("r", "r")
    assert "has objects with keys that are not used: 'more'" in told(problems, "note")
