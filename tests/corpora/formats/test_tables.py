"""Tidy tables and WMT's tables: absent texts, roles that clash, names of references, and what is left out."""

from __future__ import annotations

import json
import sys
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
    n = 2_000_000
    columns = {"segment": pyarrow.nulls(n, pyarrow.string()), "text": pyarrow.nulls(n, pyarrow.string())}
    parquet.write_table(pyarrow.table(columns), tmp_path / "x.parquet")
    corpus, problems = read_sources([tmp_path / "x.parquet"])
    assert corpus is None
    assert "has 2000000 rows of" in told(problems, "error")


def test_objects_of_json_may_have_other_keys_than_those_before(tmp_path):
    path = jsonl(
        tmp_path / "t.jsonl",
        {"segment": "1", "system": "A", "text": "one"},
        {"segment": "1", "system": "A", "criterion": "c", "score": 2, "why": "?"},
        {"segment": "2", "system": "A", "text": "two", "score": 3, "criterion": "c"},
    )
    corpus, problems = read_sources([path])
    assert corpus.candidates == (("one", "two"),)
    assert list(zip(corpus.judgments.segment, corpus.judgments.score, strict=True)) == [(0, 2), (1, 3)]
    assert f"{path}:1: has columns that are not used: 'why'." in told(problems, "note")


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
    assert "has 2 missing scores, in lines 1, 2." in told(problems, "note")


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
        (
            "segment,system,text",
            "1,A,x",
            'table(columns=["judge=rater"])',
            "x.csv:1: unknown column 'rater'. Known columns: 'segment', 'system', 'text'.",
        ),
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
    assert corpus.candidates == (("one\r\ntwo\rthree", "x" * 200_000),)
    assert "has line feeds inside 1 text" in told(problems, "note")


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


def test_sources_beside_texts(tmp_path):
    rows = [("1", "A", "one", "eins"), ("2", "A", "two", "zwei"), ("3", "", "", "drei")]
    path = jsonl(
        tmp_path / "t.jsonl", *(dict(zip(("segment", "system", "text", "source"), row, strict=True)) for row in rows)
    )
    corpus, _ = read_sources([path])
    assert corpus.sources == ("eins", "zwei", "drei")
    assert corpus.candidates == (("one", "two", None),)
    more = jsonl(tmp_path / "more.jsonl", {"segment": "4", "system": "A", "text": "four"})
    corpus, problems = read_sources([path, more])
    assert corpus.sources == ("eins", "zwei", "drei", "")
    assert f"{tmp_path}: has no source text for 1 of 4 segments." in told(problems, "note")


def test_a_parquet_file_that_is_none(tmp_path):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    (tmp_path / "t.parquet").write_bytes(b"PAR1 and no more")
    _, problems = read_sources([tmp_path / "t.parquet"])
    assert told(problems, "error").startswith(
        f"{tmp_path}/t.parquet: is no Parquet file that can be read: Parquet magic"
    )


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.tsv", "", "t.tsv: has no rows."),
        ("t.jsonl", "\n", "t.jsonl: has no rows."),
        ("t.tsv", "line\tsystem\ttext\n1\tA\tx\n", "t.tsv:1: has texts, whose segments need ids: a column segment"),
        ("t.tsv", "segment\tsystem\ttext\ttext\n1\tA\tx\ty\n", "t.tsv:1: names columns twice: 'text'."),
        (
            "t.jsonl",
            '[1]\n{"segment": "1", "system": "A", "text": "x"}\n',
            "t.jsonl:1: must be an object in braces; got '[1]'.",
        ),
    ],
)
def test_tables_that_are_none(name, content, message, tmp_path):
    (tmp_path / name).write_text(content)
    corpus, problems = read_sources([tmp_path / name], ["table"])
    assert corpus is None
    assert told(problems, "error").startswith(f"{tmp_path}/{message}")


def test_a_table_of_judgments_without_rows_and_lines_without_anything(tmp_path):
    texts = tmp_path / "t.csv"
    texts.write_text("segment,system,text\n\n1,A,one\n\n2,A,two\n")
    (tmp_path / "s.tsv").write_text("line\tsystem\tcriterion\tscore\n")
    corpus, problems = read_sources([texts, tmp_path / "s.tsv"])
    assert corpus.candidates == (("one", "two"),)
    assert len(corpus.judgments) == 0
    assert f"{tmp_path}/s.tsv: has no rows." in told(problems, "note")
    assert f"{tmp_path}: has no judgments: metric scores can be computed" in told(problems, "note")


@pytest.mark.parametrize("line", ["0", "3", "x", "1.0"])
def test_lines_that_the_texts_do_not_have(line, tmp_path):
    texts = jsonl(tmp_path / "t.jsonl", *({"segment": id_, "system": "A", "text": "x"} for id_ in "ab"))
    scores = jsonl(tmp_path / "s.jsonl", {"line": line, "system": "A", "criterion": "c", "score": 1})
    _, problems = read_sources([texts, scores])
    hint = (
        " If they are counted from 0, type --source-format '' --source-format 'table(first_line=0)'."
        if line == "0"
        else ""
    )
    assert told(problems, "error") == (
        f"{tmp_path}/s.jsonl:1: the segment must be a line number from 1 to 2; got {line!r}.{hint}"
    )


def test_parquet_without_its_package_and_with_a_column_twice(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    path.write_bytes(b"PAR1")
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "pyarrow", None)
        with pytest.raises(UsageError, match=r"^Parquet needs pyarrow: pip install 'metaeval\[parquet\]'\.$"):
            read_sources([path])
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = [pyarrow.array([value]) for value in ("1", "A", "x", "y")]
    parquet.write_table(pyarrow.Table.from_arrays(columns, ["segment", "system", "text", "text"]), path)
    _, problems = read_sources([path])
    assert told(problems, "error") == f"{path}: names columns twice: 'text'."


def test_names_that_are_empty(tmp_path):
    row = {"segment": "1", "system": "A", "text": "x", "judge": "", "criterion": "", "score": 1}
    _, problems = read_sources([jsonl(tmp_path / "t.jsonl", row)])
    place = f"{tmp_path}/t.jsonl:1"
    assert told(problems, "error") == f"{place}: the judge has no name.\n{place}: the criterion has no name."


def test_appraise_references_tutorials_and_spans(tmp_path):
    texts, scores = examples.wmt_xml(tmp_path)
    spans = '[{"start_i": 1, "end_i": 3, "severity": "major"}, {"start_i": "missing", "end_i": "missing"}]'
    spans = '"' + spans.replace('"', '""') + '"'
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
    assert (corpus.spans.names, corpus.spans.severities) == (("refA",), ("", "major"))
    assert corpus.spans.segment.tolist() == [0, 0]
    assert list(zip(corpus.spans.start.tolist(), corpus.spans.end.tolist(), strict=True)) == [(1, 3), (-1, -1)]
    assert "rows of 'X', which are left out: 1" in notes
    assert told(problems, "warning").count("\n") == 0  # the line separator in a text of the example


def test_appraise_without_documents_counts_the_lines_of_the_test_set(tmp_path):
    texts, scores = examples.wmt_xml(tmp_path)
    scores.write_text("ann,A,4,TGT,deu,eng,50,1,2\nann,A,1,TGT,deu,eng,70,1,2\nann,A,2,BAD,deu,eng,9,1,2\n")
    corpus, problems = read_sources([texts, scores])
    assert corpus.judgments.segment.tolist() == [3, 0]
    assert corpus.judgments.score.tolist() == [50, 70]
    assert "rows left out, because they are no scores of systems' segments: 1 BAD." in told(problems, "note")


CROWD = "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time"


@pytest.mark.parametrize(
    ("content", "format_", "message"),
    [
        (
            "ann,A,1,TGT,deu,eng,50,1,2\n",
            'wmt(references=["B"])',
            "scores.csv: unknown system 'B'. Known systems: 'A'.",
        ),
        ("ann,A,1,TGT,deu,eng,50,1,2\n", 'wmt(ignore=["B"])', "scores.csv: unknown system 'B'. Known systems: 'A'."),
        (
            "ann,A,1,TGT,deu,eng,50,1,2\n",
            'wmt(languages="deu-fra")',
            "scores.csv: unknown language pair 'deu-fra'. Known language pairs: 'deu-eng'.",
        ),
        (
            "ann,A,1,TGT,deu,eng,50,1,2,3\n",
            "wmt",
            "scores.csv:1: must have 9, 11, 12 columns, as Appraise exports them; got 10.",
        ),
        (
            f"{CROWD}\nH M de en\n\nH M de en ad 4 A 1 SYSTEM 3 61.5 9\n",
            "wmt",
            "scores.csv:2: must have 12 columns; got 4.",
        ),
    ],
)
def test_errors_of_wmt(content, format_, message, tmp_path):
    texts, scores = examples.wmt_xml(tmp_path)
    scores.write_text(content)
    _, problems = read_sources([texts, scores], ["", format_])
    assert told(problems, "error") == f"{tmp_path}/{message}"


def test_a_byte_order_mark_before_a_table_of_the_crowd(tmp_path):
    texts, scores = examples.wmt_xml(tmp_path)
    scores.write_text(f"\ufeff{CROWD}\nH M de en ad 4 A.7 1 SYSTEM 3 61.5 9\n", encoding="utf-8")
    corpus, problems = read_sources([texts, scores])
    assert told(problems, "error") == ""
    assert corpus.judgments.score.tolist() == [61.5]


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


class TestDatasetsOfHuggingFace:
    """Folders that `datasets.Dataset.save_to_disk` writes: streams of Arrow, and state.json, which lists them."""

    def write(self, directory, *parts):
        pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
        directory.mkdir(parents=True)
        names = [f"data-{at:05}-of-{len(parts):05}.arrow" for at in range(len(parts))]
        for name, rows in zip(names, parts, strict=True):
            table = pyarrow.Table.from_pylist(rows)
            with pyarrow.OSFile(str(directory / name), "wb") as sink, pyarrow.ipc.new_stream(sink, table.schema) as out:
                out.write_table(table)
        (directory / "dataset_info.json").write_text("{}")
        (directory / "state.json").write_text(json.dumps({"_data_files": [{"filename": name} for name in names]}))

    ROWS = tuple({"segment": n, "system": s, "text": f"{s} {n}", "score": n} for n in range(1, 4) for s in "AB")

    def test_all_files_are_read(self, tmp_path):
        self.write(tmp_path / "data", self.ROWS[:4], self.ROWS[4:])
        corpus, problems = read_sources([tmp_path / "data"])
        assert corpus is not None, told(problems, "error")
        assert corpus.systems == ("A", "B")
        assert corpus.judgments.score.tolist() == [1, 1, 2, 2, 3, 3]

    def test_rows_count_in_all_files_together(self, tmp_path):
        self.write(tmp_path / "data", self.ROWS[:4], [{**self.ROWS[4], "score": "good"}])
        _, problems = read_sources([tmp_path / "data"])
        assert f"{tmp_path / 'data'}:5: the score must be a finite number; got 'good'" in told(problems, "error")

    def test_several_splits(self, tmp_path):
        for split in ("test", "train"):
            self.write(tmp_path / "data" / split, self.ROWS)
        (tmp_path / "data" / "dataset_dict.json").write_text('{"splits": ["train", "test"]}')
        _, problems = read_sources([tmp_path / "data"])
        assert "holds a data set for each of 'test', 'train'. Name one of these directories" in told(problems, "error")
        corpus, _ = read_sources([tmp_path / "data" / "test"])
        assert len(corpus.judgments) == 6

    @pytest.mark.parametrize("state", ["", "{", "[]", '{"_data_files": [{"filename": "../x.arrow"}]}'])
    def test_what_is_no_data_set(self, state, tmp_path):
        self.write(tmp_path / "data", self.ROWS)
        (tmp_path / "data" / "state.json").write_text(state)
        corpus, problems = read_sources([tmp_path / "data"])
        assert corpus is None
        assert str(tmp_path / "data") in told(problems, "error")


def test_percentages_are_no_second_row_of_names(tmp_path):
    # As pandas writes an index without a name; four ratings, of which the first is 85 %.
    rows = ["a,A,s1,85%", "b,B,s1,70%", "c,A,s2,65%", "d,B,s2,50%"]
    (tmp_path / "t.csv").write_text("\n".join([",system,segment,score", *rows]) + "\n")
    corpus, problems = read_sources([tmp_path / "t.csv"])
    assert corpus is not None, problems.errors
    assert corpus.judgments.score.tolist() == [85, 70, 65, 50]


def test_a_column_for_segments_that_is_not_there_is_an_error_beside_a_column_of_numbers(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("seg,system,text,adequacy\n1,a,x,2\n1,b,y,3\n2,a,x,3\n2,b,y,2\n")
    corpus, problems = read_sources([path], ['table(columns=["segment=segg"])'])
    assert corpus is None
    assert "x.csv:1: unknown column 'segg'; did you mean 'seg'?" in told(problems, "error")
    assert "columns were typed or found by their names: segment = 'segg'" in told(problems, "note")


def test_percentages_with_decimal_commas_need_the_sign_before_decimals(tmp_path):
    (tmp_path / "t.csv").write_text("segment;system;Adequacy\n1;A;85,5 %\n1;B;70 %\n")
    _, problems = read_sources([tmp_path / "t.csv"])
    assert "Where decimals have a comma, type --source-format 'table(" in told(problems, "error")
    corpus, problems = read_sources([tmp_path / "t.csv"], ['table(decimal=",")'])
    assert corpus is not None, problems.errors
    assert corpus.judgments.score.tolist() == [85.5, 70]
