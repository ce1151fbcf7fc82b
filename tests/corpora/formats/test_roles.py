"""What the columns of a table are: by their names, by what stands in them, and as the user says."""

from __future__ import annotations

import datetime
import io
import re
import shlex
import time
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.corpora.formats import recognise
from metaeval.corpora.formats.base import Glimpse
from metaeval.corpora.read import read_sources
from metaeval.corpora.tables.headers import ALIASES, columns_for, holds_scores, plain
from metaeval.errors import UsageError
from tests.support.reports import told

TEXTS = "segment,system,text\ns1,A,one\ns2,A,two\ns1,B,eins\ns2,B,zwei\n"


def read(root: Path, content: str, format_: str = "", *, texts: bool = True, name: str = "x.csv"):
    """Read a table, beside texts of two systems for two segments."""
    (root / "t.csv").write_text(TEXTS)
    (root / name).write_text(content)
    paths = [root / "t.csv", root / name] if texts else [root / name]
    corpus, problems = read_sources(paths, ["table", format_] if texts else [format_] if format_ else ())
    return corpus, {
        severity: told(problems, severity).replace(f"{root}/", "") for severity in ("error", "warning", "note")
    }


def scores(corpus) -> list[tuple[str, int, str, str, float]]:
    """Return system, segment from 0, judge, criterion and score of each judgment."""
    found = corpus.judgments
    return sorted(
        (
            corpus.systems[found.system[row]],
            int(found.segment[row]),
            found.judges[found.judge[row]],
            corpus.criteria[found.criterion[row]].name,
            float(found.score[row]),
        )
        for row in range(len(found))
    )


@given(st.sampled_from(sorted(ALIASES)), st.data())
def test_capitals_and_signs_between_letters_change_nothing(role, data):
    alias = data.draw(st.sampled_from(ALIASES[role]))
    signs = data.draw(st.lists(st.sampled_from(["", "_", "-", " ", "."]), min_size=len(alias), max_size=len(alias)))
    written = "".join(sign + letter for sign, letter in zip(signs, alias, strict=True))
    written = data.draw(st.sampled_from([written, written.upper(), written.title()]))
    assert plain(written) == alias
    assert columns_for(role, ["other", written]) == [written]


def test_no_name_stands_for_two_roles():
    names = [alias for aliases in ALIASES.values() for alias in aliases]
    assert len(names) == len(set(names))


def test_the_name_of_the_role_goes_before_others():
    assert columns_for("score", ["raw", "Score", "score"]) == ["score"]
    assert columns_for("score", ["raw", "SCORE"]) == ["SCORE"]
    assert columns_for("segment", ["id", "seg_id"]) == ["seg_id"]
    assert columns_for("segment", ["sid", "seg_id"]) == ["sid", "seg_id"]
    assert columns_for("segment", ["text"]) == []


@pytest.mark.parametrize(
    ("name", "cells", "expected"),
    [
        ("adequacy", ["1", "2.5", "", "-3e2"], True),
        ("adequacy", ["1", "2,5"], True),  # a mistake to be shown, or a decimal comma
        ("adequacy", ["1", "x", "3"], True),
        ("comment", ["1", "fine", "no"], False),
        ("adequacy", ["", ""], False),
        ("adequacy", [], False),
        ("", ["1", "3"], False),
        ("3", ["1", "3"], False),
        ("doc_id", ["1", "3"], False),
        ("year", ["2020", "2021"], False),
        ("whatever", ["0", "1", "2"], False),
        ("whatever", ["7", "8", "9"], False),
        ("whatever", ["7", "8", "10"], True),
        ("whatever", ["4", "5"], True),
    ],
)
def test_columns_of_numbers_are_scores_unless_they_count(name, cells, expected):
    assert holds_scores(name, cells, lambda cell: cell or None) is expected


def test_numbers_without_end_take_no_time(tmp_path):
    rows = "".join(f"s1,A,j{n},c,{'9' * 200_000}x\n" for n in range(3))
    start = time.process_time()
    _, said = read(tmp_path, "segment,system,judge,criterion,score\n" + rows)
    assert time.process_time() - start < 5
    assert "the score must be a finite number" in said["error"]


def test_judges_in_columns(tmp_path):
    table = "segment,system,criterion,Anna,Ben\ns1,A,adequacy,4,5\ns1,A,fluency,3,\ns2,B,adequacy,1,2\n"
    expected = [
        ("A", 0, "Anna", "adequacy", 4),
        ("A", 0, "Anna", "fluency", 3),
        ("A", 0, "Ben", "adequacy", 5),
        ("B", 1, "Anna", "adequacy", 1),
        ("B", 1, "Ben", "adequacy", 2),
    ]
    for judges in ('["Anna", "Ben"]', '["[AB]*"]'):
        corpus, said = read(tmp_path, table, f"table(judges={judges})")
        assert scores(corpus) == expected
        assert "x.csv: has 1 missing score, in line 3." in said["note"]
    table = table.replace("criterion,", "c,")
    format_ = 'table(judges=["Anna"], criteria=["flow"], duplicates="last")'
    corpus, said = read(tmp_path, table, format_)
    assert scores(corpus) == [("A", 0, "Anna", "flow", 3), ("B", 1, "Anna", "flow", 1)]
    assert "x.csv:1: has columns that are not used: 'c', 'Ben'." in said["note"]
    assert "x.csv: has 1 judgment in several rows, in lines 2, 3; the last was taken." in said["note"]
    _, said = read(tmp_path, table, 'table(judges=["rater*"])')
    assert said["error"].startswith("x.csv:1: unknown column 'rater*'. Known columns: 'segment', 'system', 'c', 'Anna'")
    _, said = read(tmp_path, table, 'table(judges=["Anna"], criteria=["a", "b"])')
    assert "cross where a column is of each pair of them, such as 'a Anna'" in said["error"]


@pytest.mark.parametrize(("kind", "expected"), [("first", 1), ("last", 6), ("mean", 3)])
def test_judgments_given_twice(kind, expected, tmp_path):
    rows = "segment,system,judge,criterion,score\n" + "".join(f"s1,A,ann,c,{score}\n" for score in (1, 2, 6))
    corpus, said = read(tmp_path, rows + "s2,A,ann,c,4\n", f'table(duplicates="{kind}")')
    assert [score for *_, score in scores(corpus)] == [expected, 4]
    assert f"x.csv: has 1 judgment in several rows, in lines 2, 3, 4; the {kind} was taken." in said["note"]


def test_judgments_given_twice_are_an_error_with_the_line_to_type_once(tmp_path):
    rows = "segment,system,criterion,score\n" + "s1,A,c,1\n" * 3
    _, said = read(tmp_path, rows)
    (error,) = said["error"].split("\n")
    mean = """--source-format table --source-format 'table(duplicates="mean")'"""
    assert error.endswith(
        "one judge gives one score to an item. If there are several judges, a column must name them. If there is one: "
        f"Type {mean} for their mean; first and last are possible too. (2 judgments in all)"
    )


@pytest.mark.parametrize(
    ("decimal", "text", "expected"),
    [
        (",", "4,5", 4.5),
        (",", "4.5", 4.5),  # spreadsheets mix them
        (",", "-,5", -0.5),
        (",", "1.234", None),
        (",", "1.234,5", None),
        (".", "4,5", None),
        (".", "4.5", 4.5),
        (".", "4 - good", 4),
        (".", "4.5: so so", 4.5),
        (".", "4. good", 4),
        (".", "4 (good)", 4),
        (".", "4 of 5", None),
        (".", "1-A", None),
        (".", "4 - 5", None),
    ],
)
def test_decimals_and_numbers_before_words(decimal, text, expected, tmp_path):
    rows = f"segment;system;judge;criterion;score\ns1;A;ann;c;{text}\n"
    corpus, said = read(tmp_path, rows, f'table(decimal="{decimal}")')
    if expected is None:
        assert f"x.csv:2: the score must be a finite number; got '{text}" in said["error"]
    else:
        assert scores(corpus) == [("A", 0, "ann", "c", expected)]


def test_labels_and_missing_scores_in_any_case(tmp_path):
    rows = ["good", "POOR", "n/a", "N/A", "-", "None", "nan", "?", "left out"]
    table = "segment,system,judge,criterion,score\n" + "".join(f"s1,A,j{n},c,{row}\n" for n, row in enumerate(rows))
    corpus, said = read(tmp_path, table, 'table(labels=["Good=4", "poor=-1.5"], na=["?", "Left Out"])')
    assert scores(corpus) == [("A", 0, "j0", "c", 4), ("A", 0, "j1", "c", -1.5)]
    assert "x.csv: has 7 missing scores, in lines 4, 5, 6, 7, 8 and 2 more." in said["note"]
    for entry in ("good", "good=", "=4", "good=x"):
        with pytest.raises(UsageError, match=r"`labels` must hold WORDS=NUMBER"):
            read(tmp_path, table, f'table(labels=["{entry}"])')


def test_names_or_texts_of_references(tmp_path):
    """A column `reference` has texts where each stands beside that of a system, and they are not all the same."""
    both = "segment,system,text,reference\ns1,A,one,uno\ns2,A,two,dos\n"
    corpus, _ = read(tmp_path, both, texts=False)
    assert corpus.references == {"reference": ("uno", "dos")}
    names = "segment,system,text,reference\ns1,A,one,\ns1,,uno,refA\n"
    corpus, _ = read(tmp_path, names, texts=False)
    assert corpus.references == {"refA": ("uno",)}
    same = "segment,system,text,reference\ns1,A,one,refA\ns2,A,two,refA\n"
    _, said = read(tmp_path, same, texts=False)
    assert "x.csv:2: names a system and a reference; a row is about one of them." in said["error"]
    typed = re.search(r"type --source-format ('[^']*')", said["error"])[1]
    corpus, _ = read(tmp_path, same, shlex.split(typed)[0], texts=False)
    assert corpus.references == {"reference": ("refA", "refA")}
    corpus, _ = read(tmp_path, both, 'table(reference_texts=["human=reference"])', texts=False)
    assert corpus.references == {"human": ("uno", "dos")}


@pytest.mark.parametrize(
    ("header", "row", "message"),
    [
        (
            "segment,system,text",
            "s1,A,two",
            "gives a segment another system 'A' than before: 's1', 'two', and in line 2 'one'",
        ),
        (
            "segment,system,text,source",
            "s1,B,two,y",
            "gives a segment another source than before: 's1', 'y', and in line 2 'x'",
        ),
        (
            "segment,system,text,domain",
            "s1,B,two,y",
            "gives a segment another domain than before: 's1', 'y', and in line 2 'x'",
        ),
        (
            "segment,text",
            "s1,two",
            "Where rows are of several systems, type --source-format 'table(columns=[\"system=...\"])'",
        ),
    ],
)
def test_rows_of_a_segment_that_say_different_things(header, row, message, tmp_path):
    first = {"segment": "s1", "system": "A", "text": "one", "source": "x", "domain": "x"}
    rows = ",".join(first[name] for name in header.split(","))
    _, said = read(tmp_path, f"{header}\n{rows}\n{row}\n", texts=False)
    assert said["error"].startswith("x.csv:3: ")
    assert message in said["error"]


def test_facts_of_segments(tmp_path):
    table = "segment,system,text,LP,domain\ns1,A,one,de-en,news\ns2,A,two,cs-en,talk\n"
    corpus, said = read(tmp_path, table, texts=False)
    assert corpus.segment_facts == {"lp": ("de-en", "cs-en"), "domain": ("news", "talk")}
    assert said["warning"] == (
        "x.csv:1: has 2 language pairs, 'de-en', 'cs-en'; choose one by --filter where.lp=de-en where the corpus is "
        "used."
    )
    # Without texts they are facts of nothing.
    corpus, said = read(tmp_path, "segment,system,judge,criterion,score,domain\ns1,A,ann,c,1,news\n")
    assert corpus.segment_facts == {}
    assert "has columns that are not used: 'domain'." in said["note"]


@pytest.mark.parametrize(
    ("content", "missing"),
    [
        ("system,judge,criterion,score\nA,a,c,1\n", "segment"),
        ("segment,judge,criterion,score\ns1,a,c,1\n", "system"),
        ("segment,system,why\ns1,A,x\n", "text or score"),
    ],
)
def test_columns_that_are_missing(content, missing, tmp_path):
    _, said = read(tmp_path, content)
    role = missing.partition(" ")[0]
    assert said["error"].startswith(f"x.csv:1: has no column {missing}; the columns are ")
    typed = f"""--source-format table --source-format 'table(columns=["{role}=..."])'"""
    one = """If all rows are of one system, name it: --source-format table --source-format 'table(system="NAME")'. """
    alone = one if missing == "system" else ""
    assert f"Say which it is: {typed}. {alone}If it is no such table, name its format;" in said["error"]


def test_a_score_whose_criterion_is_declared_under_another_spelling(tmp_path):
    (tmp_path / "corpus.toml").write_text(
        'criteria = [{ name = "Adequacy", low = 1, high = 5, direction = "higher" }]\n'
        '[[files]]\npath = "t.csv"\n[[files]]\npath = "x.csv"\n'
    )
    (tmp_path / "t.csv").write_text(TEXTS)
    (tmp_path / "x.csv").write_text("segment,system,judge,ADEQUACY (1-5)\ns1,A,ann,4\n")
    corpus, _ = read_sources([tmp_path])
    assert scores(corpus) == [("A", 0, "ann", "Adequacy", 4)]


@pytest.mark.parametrize(
    ("content", "format_"),
    [
        ("a b\nc d\n", None),
        ("Hello, world.\nHow are you, today, then?\n", None),
        ("One line, with a comma\n", None),
        ("", None),
        ("first; second\nthird; fourth\n", "table"),
        ("SYS SID RAW.SCR\nA 1 3\n", "table"),
        ("SYS SID RAW.SCR\nA 1\n", None),
        ("system,segment,why\nA,1,well, well\n", "table"),
    ],
)
def test_what_looks_like_a_table(content, format_, tmp_path):
    (tmp_path / "x.txt").write_text(content)
    found = recognise(Glimpse.from_path(tmp_path / "x.txt"))
    assert (found and found.name) == format_


class TestExcel:
    @pytest.fixture
    def sheet(self, tmp_path):
        writer = pytest.importorskip("xlsxwriter", reason="xlsxwriter is not installed")

        def write(*rows, name: str = "x.xlsx") -> Path:
            with writer.Workbook(tmp_path / name) as book:
                page = book.add_worksheet("Scores")
                for line, row in enumerate(rows):
                    for column, value in enumerate(row):
                        if isinstance(value, datetime.date):
                            page.write_datetime(line, column, value, book.add_format({"num_format": "yyyy-mm-dd"}))
                        elif isinstance(value, str) and value.startswith("="):
                            page.write_formula(line, column, value, None, 2.5)
                        elif value is not None:
                            page.write(line, column, value)
            return tmp_path / name

        return write

    def test_cells_of_every_kind(self, sheet):
        head = ("segment", "system", "text", "domain", "judge", "score")
        path = sheet(
            (),
            head,
            (1, "A", "one", datetime.date(2024, 5, 1), "ann", 3),
            (),
            (2, "A", True, None, "ann", "=SUM(1.5,1)"),
            (3, "A", None, 0.1, "ann", None),
        )
        corpus, problems = read_sources([path])
        assert told(problems, "error") == ""
        assert corpus.segment_ids == ("1", "2", "3")
        assert corpus.candidates == (("one", "True", None),)
        assert corpus.segment_facts == {"domain": ("2024-05-01 00:00:00", "", "0.1")}
        assert [score for *_, score in scores(corpus)] == [3, 2.5]
        assert f"{path}: has 1 missing score, in line 6." in told(problems, "note")

    def test_sheets(self, sheet):
        path = sheet(("segment", "system", "text"), ("1", "A", "one"))
        corpus, _ = read_sources([path], ['table(sheet="Scores")'])
        assert corpus.candidates == (("one",),)
        _, problems = read_sources([path], ['table(sheet="scores")'])
        assert told(problems, "error") == f"{path}: has no sheet 'scores'; it has 'Scores'."

    def test_an_empty_sheet_and_a_column_twice(self, sheet):
        for rows, message in (
            ((), "has no rows."),
            ((("text", "text"), ("a", "b")), "names columns twice: 'text'."),
            ((range(2001),), "has 2001 columns; a table has at most 2000."),
        ):
            _, problems = read_sources([sheet(*rows)])
            assert message in told(problems, "error")

    def test_files_that_are_none(self, sheet, tmp_path):
        path = tmp_path / "x.xlsx"
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("xl/workbook.xml", b"a" * 30_000_000)
        for wrong, message in (
            (b"", "is no spreadsheet that can be read: Cannot detect file format."),
            (b"PK\x03\x04 and no more", "is no spreadsheet that can be read: Cannot detect file format."),
            (content.getvalue(), "unpacks to 30000000 bytes, which is too much for a file of its size."),
        ):
            path.write_bytes(wrong)
            _, problems = read_sources([path])
            assert told(problems, "error") == f"{path}: {message}"


class TestArrow:
    @pytest.mark.parametrize(
        ("name", "kind"), [("x.arrow", "file"), ("x.arrow", "stream"), ("x.ipc", "stream"), ("x.feather", "file")]
    )
    def test_files_and_streams(self, name, kind, tmp_path):
        pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
        rows = [{"segment": n, "system": "A", "text": text, "tags": [1]} for n, text in enumerate(["one", None, ""])]
        table = pyarrow.Table.from_pylist(rows)
        new = pyarrow.ipc.new_file if kind == "file" else pyarrow.ipc.new_stream
        with new(str(tmp_path / name), table.schema) as writer:
            writer.write_table(table)
        corpus, problems = read_sources([tmp_path / name])
        assert corpus.candidates == (("one", None, ""),)
        assert "has columns that are not used: 'tags'" in told(problems, "note")

    def test_files_that_are_none(self, tmp_path, monkeypatch):
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
        path = tmp_path / "x.arrow"
        for content in (b"", b"ARROW1 and no more", b"more"):
            path.write_bytes(content)
            _, problems = read_sources([path])
            assert told(problems, "error").startswith(f"{path}: is no Arrow file that can be read: ")
        monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
        with pytest.raises(UsageError, match=r"^Arrow needs pyarrow: pip install 'metaeval\[parquet\]'\.$"):
            read_sources([path])

    def test_a_file_that_would_fill_the_memory_is_refused(self, tmp_path):
        pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
        n = 2_000_000
        table = pyarrow.table({name: pyarrow.nulls(n) for name in ("segment", "text", "system")})
        with pyarrow.ipc.new_file(str(tmp_path / "x.arrow"), table.schema) as writer:
            writer.write_table(table)
        _, problems = read_sources([tmp_path / "x.arrow"])
        assert "has 2000000 rows of 0 bytes together, which is too much for a file of its size." in told(
            problems, "error"
        )

    def test_columns_twice_and_too_many(self, tmp_path):
        pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
        for names, message in (
            (["segment", "text", "text"], "names columns twice: 'text'."),
            ([f"c{n}" for n in range(3000)], "has 3000 columns; a table has at most 2000."),
        ):
            table = pyarrow.Table.from_arrays([pyarrow.array(["1"])] * len(names), names)
            with pyarrow.ipc.new_file(str(tmp_path / "x.arrow"), table.schema) as writer:
                writer.write_table(table)
            _, problems = read_sources([tmp_path / "x.arrow"])
            assert message in told(problems, "error")


def test_columns_of_scores_whose_names_are_alike_keep_their_names(tmp_path):
    corpus, _ = read(tmp_path, "segment,system,judge,Fluency (1-5),Fluency (1-7)\ns1,A,ann,4,6\n")
    assert [criterion.name for criterion in corpus.criteria] == ["Fluency (1-5)", "Fluency (1-7)"]


def test_the_separator_that_a_file_names(tmp_path):
    corpus, said = read(
        tmp_path, "sep=|\r\nsegment|system|judge|criterion|score\r\ns1|A|ann|a,b;c|4\r\ns1|B|ann|a|x\r\n"
    )
    assert said["error"].startswith("x.csv:4: the score must be a finite number; got 'x'.")
    corpus, _ = read(tmp_path, "sep=|\r\nsegment|system|judge|criterion|score\r\ns1|A|ann|a,b;c|4\r\n")
    assert scores(corpus) == [("A", 0, "ann", "a,b;c", 4)]


def test_the_line_to_type_for_a_file_that_a_corpus_toml_lists(tmp_path):
    (tmp_path / "corpus.toml").write_text('[[files]]\npath = "x.csv"\nformat = "table(ignore=[\'B\'])"\n')
    (tmp_path / "x.csv").write_text("sid,seg_id,system,text\n1,2,A,one\n")
    _, problems = read_sources([tmp_path])
    assert """Say which is meant: format = 'table(columns=["segment=sid"],ignore=["B"])' in corpus.toml or""" in told(
        problems, "error"
    )


def test_lines_beside_texts_are_ids_when_asked_for(tmp_path):
    table = "line,system,text\n7,A,one\n9,A,two\n"
    _, said = read(tmp_path, table, texts=False)
    typed = re.search(r"Type --source-format ('[^']*')", said["error"])[1]
    corpus, _ = read(tmp_path, table, shlex.split(typed)[0], texts=False)
    assert corpus.segment_ids == ("7", "9")


def test_objects_with_numbers_in_columns_of_other_names(tmp_path):
    rows = '{"segment": "s1", "system": "A", "judge": "ann", "Clear?": 4, "why": {"a": 1}}\n'
    corpus, said = read(tmp_path, rows, name="x.jsonl")
    assert scores(corpus) == [("A", 0, "ann", "Clear?", 4)]
    assert "has columns that are not used: 'why'." in said["note"]


def test_blanks_between_columns_when_asked_for(tmp_path):
    corpus, _ = read(
        tmp_path, "a b c\ns1 A   4\n", 'table(separator=" ", columns=["segment=a", "system=b"], criteria=["c"])'
    )
    assert scores(corpus) == [("A", 0, "unnamed", "c", 4)]


def test_a_name_of_utf_16_that_is_cut_off(tmp_path):
    (tmp_path / "x.csv").write_bytes(TEXTS.encode("utf-16")[:-1])
    _, problems = read_sources([tmp_path / "x.csv"])
    assert "is not UTF-16: byte 0x0a at offset" in told(problems, "error")
