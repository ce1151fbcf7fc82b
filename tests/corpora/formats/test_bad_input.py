"""Bad input: each message names the place, what is wrong, what is allowed, and often what to do."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import pytest

import metaeval
from metaeval.corpora.formats import base as contract
from metaeval.corpora.read import read_sources
from metaeval.errors import CorpusError, UsageError
from metaeval.runtime.files import open_file
from tests.support import examples
from tests.support.reports import told


def messages(paths: list[Path], formats=(), severity: str = "error") -> list[str]:
    corpus, problems = read_sources(paths, formats)
    assert (corpus is None) == bool(problems.errors)
    return [str(problem) for problem in problems.entries if problem.severity == severity]


def replaced(path: Path, old: str, new: str, count: int = 1) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_bytes(text.replace(old, new, count).encode())


# Format, file to change, old, new, what must be told.
CASES = [
    ("mqm", "mqm.tsv", "severity", "Severity", "mqm.tsv:1: has no column 'severity'"),
    ("mqm", "mqm.tsv", "Punctuation\tMinor", "Punctuation\tHuge", "mqm.tsv:2: unknown severity 'Huge'"),
    ("mqm", "mqm.tsv", "o<v>ne & two", "o<v>ne & tow", "mqm.tsv:3: gives segment 'd1:1' of system 'A' another text"),
    ("mqm", "mqm.tsv", "\tNo-error\tNo-error", "\tNo-error", "must have 9 columns, as the first line, "),
    (
        "sgml",
        "tstset-A.sgm",
        "<seg id=1>",
        "<seg id=1></tstset><seg>",
        "tstset-A.sgm:5: has a segment outside of srcset",
    ),
    ("sgml", "tstset-B.sgm", "<seg id=2>", "<seg id=1>", "gives segment 'd1:1' of system 'B' another text than before"),
    ("sgml", "../assessments.csv", "d1,1,A", "d9,1,A", "assessments.csv:2: unknown segment 'd9:1'"),
    (
        "sgml",
        "../assessments.csv",
        "d1,1,A",
        "d1,1,C",
        "unknown system 'C'. Known systems: 'A', 'B'; the corpus has no",
    ),
    ("sgml", "../assessments.csv", "ann,10,", "ann,ten,", "the score must be a finite number; got 'ten'"),
    (
        "sgml",
        "../assessments.csv",
        "bob,11,",
        "ann,11,",
        "judge 'ann' judged 'A', segment 1, on 'adequacy' already in line 2",
    ),
    ("wmt", "scores.csv", "deu,eng,10", "deu,fra,10", "has the language pairs 'deu-fra', 'deu-eng'; name one"),
    ("wmt", "scores.csv", ",1.5,2.5\n", ",1.5\n", "must have 11 columns, as the first line, "),
    ("wmt", "scores.csv", ",10,d1#A", ",high,d1#A", "scores.csv:1: the score must be a finite number; got 'high'"),
    (
        "mt-metrics-eval",
        "references/de-en.refA.txt",
        "three\n",
        "",
        "de-en.refA.txt: has 3 lines but must have 4, as system-outputs/de-en/A.txt and 4 other files; each line",
    ),
    ("mt-metrics-eval", "documents/de-en.docs", "news d2\n", "d2\n", "de-en.docs:3: must have a domain and a document"),
    ("mt-metrics-eval", "human-scores/de-en.mqm.seg.score", "A\t-12", "A\tlow", "must be a finite number; got 'low'"),
    ("mt-metrics-eval", "human-scores/de-en.mqm.seg.score", "A\t-12\n", "", "has 3 lines of 'A' but must have 4"),
    (
        "mt-metrics-eval",
        "human-scores/de-en.mqm.rater1.seg.rating",
        '{"errors"',
        '{"faults"',
        "a rating must look like",
    ),
    ("mt-metrics-eval", "human-scores/de-en.mqm.rater1.seg.rating", "minor", "tiny", "unknown severity 'tiny'"),
    ("summeval", "model_annotations.aligned.jsonl", '"id"', '"Id"', "jsonl:1: must have seg_id or id"),
    (
        "summeval",
        "model_annotations.aligned.jsonl",
        '"coherence": 1',
        '"coherence": "1"',
        "must be a finite number; got '1'",
    ),
    (
        "summeval",
        "model_annotations.aligned.jsonl",
        '"coherence": 1',
        '"coherence": 9',
        "is outside the range of 'coherence'",
    ),
    ("webnlg", "evaluation/human-evaluation/results/en/A/primary.json", '"2":', '"9":', "rates the entries '9'"),
    (
        "webnlg",
        "evaluation/human-evaluation/results/en/A/primary.json",
        "60",
        "true",
        "must be a finite number; got 'True'",
    ),
    (
        "webnlg",
        "submissions/rdf2text/en/A/primary.en",
        "unused\n",
        "",
        "has 7 lines but must have 8, one for each entry",
    ),
    ("webnlg", "data/en/test/rdf-to-text-generation-test-data-with-refs-en.xml", "Id5", "Id2", "an eid of its own"),
    (
        "webnlg",
        "evaluation/human-evaluation/results/en/A/primary.json",
        '{"2": {',
        '{"two": {',
        "must hold an object: number of the entry, worker, criterion, score.",
    ),
    (
        "webnlg",
        "evaluation/human-evaluation/results/en/A/primary.json",
        '{"Fluency": 50, "Correctness": 60, "feedback": "why?"}',
        "5",
        "entry 2: the rating of 'ann' must be an object.",
    ),
    ("webnlg", "evaluation/human-evaluation/results/en/A/primary.json", "{", "{{", "primary.json: is not valid JSON: "),
    (
        "webnlg",
        "data/en/test/rdf-to-text-generation-test-data-with-refs-en.xml",
        "eid",
        "id",
        "an eid of its own, such",
    ),
    (
        "summeval",
        "model_annotations.aligned.jsonl",
        '"model_id": "A", "decoded": "one & two", "references": ["one and two", "1 and 2"]',
        '"decoded": "one & two"',
        "jsonl:1: must have SYS or model_id, or references.",
    ),
    ("summeval", "model_annotations.aligned.jsonl", '"id": "d1-1"', '"id": ""', "source: has a segment without an id."),
    (
        "summeval",
        "model_annotations.aligned.jsonl",
        '"model_id": "A"',
        '"model_id": ""',
        "jsonl:1: has a text of a system without a name.",
    ),
    (
        "mt-metrics-eval",
        "human-scores/de-en.mqm.rater1.seg.rating",
        '{"errors"',
        '{errors"',
        "rating:1: is not valid JSON",
    ),
    (
        "mt-metrics-eval",
        "documents/de-en.docs",
        "news d2\n",
        "",
        "de-en.docs: has 3 lines but must have 4, one for each",
    ),
    (
        "summeval",
        "model_annotations.aligned.jsonl",
        '["one and two", "1 and 2"]',
        '"one and two"',
        "jsonl:1: the references must be a list of texts.",
    ),
    (
        "summeval",
        "model_annotations.aligned.jsonl",
        '[{"coherence": 3, "fluency": 4.5}]',
        "[3, 4.5]",
        "jsonl:1: turker_annotations must be a list of objects.",
    ),
    ("summeval", "model_annotations.aligned.jsonl", '"model_id": "A"', '"model_id": 7', "and hyp or decoded as texts."),
    ("table", "texts.tsv", "segment", "sentence", "texts.tsv:1: has no column segment; the columns are"),
    ("table", "texts.tsv", "\tA\t\t", "\t\t\t", "texts.tsv:2: names neither a system nor a reference"),
    ("table", "judgments.tsv", "d1:1\tA", "1\tA", "segment '1' is in several documents; the table must name"),
]


@pytest.mark.parametrize(("name", "file", "old", "new", "told"), CASES)
def test_errors_name_place_and_cause(name, file, old, new, told, tmp_path):
    make, formats = examples.SOURCES[name]
    paths = make(tmp_path / "source")
    replaced(tmp_path / "source" / file, old, new)
    found = messages(paths, formats)
    assert any(told in message for message in found), found


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("sgml", "tstset-A.sgm"),
        ("sgml", "../assessments.csv"),
        ("wmt", "scores.csv"),
        ("mt-metrics-eval", "sources/de-en.txt"),
        ("mt-metrics-eval", "system-outputs/de-en/A.txt"),
        ("mqm", "mqm.tsv"),
        ("summeval", "model_annotations.aligned.jsonl"),
        ("webnlg", "evaluation/human-evaluation/results/en/A/primary.json"),
        ("webnlg", "submissions/rdf2text/en/A/primary.en"),
        ("webnlg", "data/en/test/rdf-to-text-generation-test-data-with-refs-en.xml"),
        ("table", "texts.tsv"),
    ],
)
def test_files_that_are_not_utf8(name, file, tmp_path):
    make, formats = examples.SOURCES[name]
    paths = make(tmp_path / "source")
    path = (tmp_path / "source" / file).resolve()
    offset, line = path.stat().st_size, path.read_bytes().count(b"\n") + 1
    path.write_bytes(path.read_bytes() + b"\xff\n")
    (found,) = [message for message in messages(paths, formats) if "UTF-8" in message]
    excel = 'in Excel save it as "CSV UTF-8", or ' if path.suffix == ".csv" else ""
    assert found == (
        f"{path}:{line}: is not UTF-8: byte 0xff at offset {offset} (invalid start byte); {excel}convert the file, "
        f"such as from Windows' Latin letters: iconv -f WINDOWS-1252 -t UTF-8 {path.name} > utf8-{path.name}"
    )


def test_an_xml_file_of_webnlg_without_entries(tmp_path):
    (directory,) = examples.webnlg(tmp_path / "tree")
    (path,) = (directory / "data/en/test").iterdir()
    path.write_text("<benchmark><entries><lex>lost</lex></entries></benchmark>")
    assert messages([directory]) == [f"{path}: holds no <entry> with an eid such as Id1."]


def test_check_reports_all_problems_at_once(tmp_path):
    paths = examples.sgml(tmp_path / "source")
    for old, new in (("d1,1,A,ann", "d9,1,A,ann"), ("d1,1,A,bob", "d1,1,C,bob"), ("d2,2,B,bob,27", "d2,2,B,bob,x")):
        replaced(paths[1], old, new)
    found = messages(paths, examples.SGML_FORMATS)
    # The score is met first, while the table is read; names are looked up later, once for all columns of scores.
    assert [message.split(": ")[0].rpartition("/")[2] for message in found] == [
        "assessments.csv:17",
        "assessments.csv:3",
        "assessments.csv:2",
    ]


@pytest.mark.parametrize(
    ("formats", "told"),
    [
        (["sgm"], "unknown format 'sgm'; did you mean 'sgml'?"),
        (["mqm(weight=[])"], "format 'mqm': unknown parameter 'weight'; did you mean 'weights'?"),
        (['mqm(weights=["major"])'], "a weight must look like major=5"),
        (['mqm(weights=["major=many"])'], "a weight must look like major=5"),
        (['table(columns=["sentence=segment"])'], "`columns` must hold ROLE=COLUMN with a role of segment, document"),
        (['table(separator="--")'], "`separator` must be one character"),
        (["table(column=[])"], "format 'table': unknown parameter 'column'; did you mean 'columns'?"),
        (["sgml", "sgml"], "give one format for all sources, or one for each of the 1; got 2"),
    ],
)
def test_wrong_formats_are_refused(formats, told, tmp_path):
    with pytest.raises(UsageError) as error:
        read_sources([tmp_path], formats)
    assert told in str(error.value)


def test_a_source_of_no_known_format(tmp_path):
    (tmp_path / "a.txt").write_text("hello\n")
    (message,) = messages([tmp_path / "a.txt"])
    assert "a.txt: is in no format that is recognised. Name the format, with parameters where it needs some" in message
    assert "sgml: a file, or a directory of files, with <srcset>" in message


def test_a_directory_of_no_known_format(tmp_path):
    (tmp_path / "a.tsv").write_text("segment\tsystem\ttext\n1\tA\tx\n")
    (message,) = messages([tmp_path])
    assert message.startswith(f"{tmp_path}: is in no format that is recognised. Name the format")


def test_a_source_that_is_not_there(tmp_path):
    assert messages([tmp_path / "a", tmp_path / "b"])[:2] == [
        f"{tmp_path}/a: does not exist.",
        f"{tmp_path}/b: does not exist.",
    ]


def test_judgments_without_texts_tell_what_to_do(tmp_path):
    corpus, problems = read_sources(examples.wmt_xml(tmp_path)[1:])
    assert not corpus.has_texts
    assert "holds no texts of systems: judges can be compared" in told(problems, "note")
    with pytest.raises(CorpusError, match="metaeval corpus convert TEXTS JUDGMENTS DIR"):
        metaeval.convert_corpus(examples.wmt_xml(tmp_path)[1:], tmp_path / "out")


def test_several_language_pairs(tmp_path):
    (directory,) = examples.mtme(tmp_path / "set")
    for name in ("sources/en-de.txt", "references/en-de.refA.txt"):
        (directory / name).write_text("a\nb\nc\nd\n")
    message = messages([directory])[0]
    assert "has the language pairs 'de-en', 'en-de'; name one of them, as in " + f"{directory}.de-en." in message
    assert messages([directory], ['mt-metrics-eval(pair="de-en")']) == []


def test_references_that_are_not_in_the_table(tmp_path):
    (path,) = examples.mqm(tmp_path)
    (message,) = messages([path], ['mqm(references=["refC"])'])
    assert "unknown system 'refC'" in message


def test_systems_without_some_outputs_are_told_and_kept_apart(tmp_path):
    (path,) = examples.mqm(tmp_path)
    lines = path.read_text(encoding="utf-8").split("\n")
    path.write_bytes("\n".join(line for line in lines if "B\td1\t2\t2" not in line).encode())
    corpus, problems = read_sources([path], [examples.MQM_FORMAT])
    assert corpus.candidates[1] == ("one and two", None, "four\u2028or so", "עברית 🙂")
    assert corpus.complete.tolist() == [True, False, True, True]
    assert [str(problem) for problem in problems.entries if problem.severity == "warning"] == [
        f"{path}: has no output of 'B' for 1 of 4 segments; they count as missing, not as empty, and documents are "
        "drawn from the other segments."
    ]


def test_line_feeds_inside_a_segment_are_kept_and_counted(tmp_path):
    paths = examples.table(tmp_path, ".jsonl")
    replaced(paths[0], '"text": "three"', '"text": "th\\r\\nree\\n"')
    corpus, problems = read_sources(paths)
    assert corpus.candidates[0][1] == "th\r\nree\n"
    assert f"{paths[0]}: has line feeds inside 1 text; they are kept." in map(str, problems.entries)


def test_lone_surrogates_are_no_characters(tmp_path):
    paths = examples.table(tmp_path, ".jsonl")
    replaced(paths[0], '"text": "three"', '"text": "\\ud800"')
    (message,) = messages(paths)
    assert message.startswith(f"{paths[0]}:2: has a lone surrogate")


def test_names_that_cannot_stand_in_a_table(tmp_path):
    paths = examples.table(tmp_path, ".jsonl")
    for path in paths:
        text = path.read_text(encoding="utf-8")
        path.write_bytes(text.replace('"system": "A"', '"system": "A\\t1"').encode())
    (message,) = messages(paths)
    assert "the name 'A\\t1' must not contain control characters" in message


class TestMarkup:
    def read(self, tmp_path: Path, text: str) -> tuple[str | None, list[str]]:
        path = tmp_path / "a.sgm"
        path.write_bytes(f'<tstset sysid="A"><doc docid="d"><seg id="1">{text}</seg></doc></tstset>'.encode())
        corpus, problems = read_sources([path])
        assert corpus is not None, problems.errors
        return corpus.candidates[0][0], [str(problem) for problem in problems.entries]

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("a & b &amp; c &lt; d &#x41;&#65;", "a & b & c < d AA"),
            ("1 < 2 > 0", "1 < 2 > 0"),
            ("AT&T &amp;lt; &nbsp; &#0; &#xD800;", "AT&T &lt; &nbsp; &#0; &#xD800;"),
            ("  spaces \t stay ", "  spaces \t stay "),
            ("two\nlines", "two lines"),
            ("a <b>bold</b> word", "a <b>bold</b> word"),
            ("<![CDATA[<raw> &amp; kept]]>", "<raw> &amp; kept"),
            ("a<!-- comment -->b<?php x ?>", "ab"),
            ("<!-- never closed", "<!-- never closed"),
            ("e\u0301 \u00e9 \u200f \U0001f469\u200d\U0001f52c", "e\u0301 \u00e9 \u200f \U0001f469\u200d\U0001f52c"),
        ],
    )
    def test_texts(self, text, expected, tmp_path):
        assert self.read(tmp_path, text)[0] == expected

    def test_unknown_references_stay_and_are_told(self, tmp_path):
        _, found = self.read(tmp_path, "&nbsp; and &copy;")
        assert any("has 2 character references other than" in message for message in found)

    def test_a_segment_without_its_end(self, tmp_path):
        path = tmp_path / "a.sgm"
        path.write_text("<tstset sysid=A><doc docid=d>\n<seg id=1>one\n<seg id=2>two</seg></doc></tstset>")
        corpus, problems = read_sources([path])
        assert corpus.candidates == (("one ", "two"),)
        assert "a.sgm:2: begins a segment that has no </seg> (1 such in the file)" in str(problems.entries[0])

    def test_no_external_entity_is_read(self, tmp_path):
        secret = tmp_path / "secret.txt"
        secret.write_text("password")
        path = tmp_path / "a.xml"
        path.write_text(
            f'<?xml version="1.0"?><!DOCTYPE tstset [<!ENTITY x SYSTEM "file://{secret}">]>'
            '<tstset sysid="A"><doc docid="d"><seg id="1">&x;</seg></doc></tstset>'
        )
        corpus, _ = read_sources([path])
        assert corpus.candidates == (("&x;",),)

    def test_declared_entities_do_not_grow(self, tmp_path):
        entities = '<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
        path = tmp_path / "a.xml"
        path.write_text(
            f"<!DOCTYPE tstset [{entities}]><tstset sysid='A'><doc docid='d'><seg id='1'>&a11;</seg></doc></tstset>"
        )
        corpus, _ = read_sources([path])
        assert corpus.candidates == (("&a11;",),)


class TestPacked:
    def test_cut_off(self, tmp_path):
        (path,) = examples.mqm(tmp_path)
        packed = tmp_path / "mqm.tsv.gz"
        packed.write_bytes(gzip.compress(path.read_bytes())[:-20])
        (message,) = messages([packed], [examples.MQM_FORMAT])[:1]
        assert "cannot be unpacked with gzip: it ends too early, so it was probably cut off" in message

    def test_bomb(self, tmp_path):
        packed = tmp_path / "mqm.tsv.gz"
        packed.write_bytes(gzip.compress(b"a" * 30_000_000, compresslevel=9))
        (message,) = messages([packed], [examples.MQM_FORMAT])[:1]
        assert "which no text does" in message

    def test_two_members(self, tmp_path):
        (path,) = examples.mqm(tmp_path)
        content = path.read_bytes()
        packed = tmp_path / "mqm.tsv.gz"
        packed.write_bytes(gzip.compress(content[:100]) + gzip.compress(content[100:]))
        assert messages([packed], [examples.MQM_FORMAT]) == []

    def test_a_broken_archive(self, tmp_path):
        archive = tmp_path / "set.tar.gz"
        archive.write_bytes(b"\x1f\x8b no archive")
        (message,) = messages([archive])[:1]
        assert message.startswith(f"{archive}: ")

    def test_messages_about_an_archive_name_the_archive(self, tmp_path):
        (directory,) = examples.mtme(tmp_path / "set")
        replaced(directory / "human-scores/de-en.mqm.seg.score", "A\t-12", "A\tlow")
        archive = Path(shutil.make_archive(str(tmp_path / "set"), "zip", root_dir=tmp_path, base_dir="set"))
        (message,) = messages([archive])
        assert message.startswith(f"{archive}/human-scores/de-en.mqm.seg.score:2: the score must be a finite number")


def test_quotation_marks_in_tables_with_tabs_are_kept_and_told(tmp_path):
    paths = examples.table(tmp_path)
    replaced(paths[0], "\tthree\n", '\t"three"\n')
    corpus, problems = read_sources(paths)
    assert corpus.candidates[0][1] == '"three"'
    assert any("quoting=True" in str(problem) for problem in problems.entries)
    corpus, problems = read_sources(paths, ["table(quoting=True)"])
    assert corpus.candidates[0][1] == "three"
    assert not any("quoting=True" in str(problem) for problem in problems.entries)


def test_tables_without_a_header_and_with_lines(tmp_path):
    (texts, _) = examples.table(tmp_path)
    judgments = tmp_path / "j.csv"
    judgments.write_text("1;A;4\n4;B;\n4;A;2.5\n")
    corpus, problems = read_sources(
        [texts, judgments], ["", 'table(columns=["line=1", "system=2"], criteria=["3"], header_rows=0)']
    )
    found = corpus.judgments
    assert list(zip(found.segment, found.system, found.score, strict=True)) == [(0, 0, 4.0), (3, 0, 2.5)]
    assert f"{judgments}: has 1 missing score, in line 2." in map(str, problems.entries)


def test_numbers_of_json_are_numbers(tmp_path):
    (texts, judgments) = examples.table(tmp_path, ".jsonl")
    rows = [json.loads(line) for line in judgments.read_text(encoding="utf-8").splitlines()]
    judgments.write_text("".join(json.dumps({**row, "score": 1e400}) + "\n" for row in rows))
    assert "'score' must be a text or a number" in messages([texts, judgments])[0]


def test_a_table_without_the_columns(tmp_path):
    (texts, _) = examples.table(tmp_path)
    replaced(texts, "segment", "sentence")
    (message,) = messages([texts], ["table"])
    assert message.startswith(f"{texts}:1: has no column segment; the columns are 'document', 'sentence', 'system'")


@pytest.mark.parametrize(
    ("file", "format_", "message"),
    [
        ("texts.jsonl", "table", "is not valid JSON: Expecting value: line 1 column 2 (char 1)."),
        ("texts.tsv", "sgml", "holds no segments; NIST/LDC SGML or XML, and WMT XML means a file, or a directory of"),
        ("texts.tsv", "wmt", "must have 9, 11, 12 columns, as Appraise exports them; got 3."),
    ],
)
def test_a_format_that_is_named_but_not_that_of_the_file(file, format_, message, tmp_path):
    (tmp_path / file).write_text("[a,b,c\n")
    (found,) = messages([tmp_path / file], [format_])
    assert found.removeprefix(f"{tmp_path}/{file}:").removeprefix("1:").strip().startswith(message)


@pytest.mark.parametrize(
    ("change", "format_", "message"),
    [
        (None, 'webnlg(language="ru")', "results/ru: holds no SYSTEM/primary.json with ratings."),
        ("rename", "webnlg", "data/en/test: must hold one file *refs-en.xml; got none."),
        (
            "copy",
            "webnlg",
            "data/en/test: must hold one file *refs-en.xml; got 'new-refs-en.xml', 'rdf-to-text-generation",
        ),
    ],
)
def test_files_of_webnlg_that_are_missing_or_too_many(change, format_, message, tmp_path):
    (directory,) = examples.webnlg(tmp_path / "tree")
    (path,) = (directory / "data/en/test").iterdir()
    if change == "rename":
        path.rename(path.with_suffix(".txt"))
    if change == "copy":
        shutil.copy(path, path.with_name("new-refs-en.xml"))
    assert message in messages([directory], [format_])[0]


def test_ratings_without_comments_have_nothing_to_be_left_out(tmp_path):
    (directory,) = examples.webnlg(tmp_path / "tree")
    assert "has 8 comments of raters (feedback), which are not kept." in messages([directory], severity="note")[0]
    for path in directory.rglob("primary.json"):
        path.write_text(path.read_text().replace(', "feedback": "why?"', ""))
    assert messages([directory], severity="note") == []


def test_files_that_are_not_read_are_told(tmp_path):
    paths = examples.sgml(tmp_path / "source")
    (tmp_path / "source" / "README").write_text("hello")
    notes = messages(paths, examples.SGML_FORMATS, severity="note")
    assert f"{tmp_path}/source/README: is not read: it does not look like one of the files wanted." in notes


def test_a_directory_of_many_files_is_recognised_by_the_first_of_them(tmp_path, monkeypatch):
    # 1,200 files of no format: 1,000 are opened, each once, and the message says that these were not all.
    for number in range(1200):
        (tmp_path / f"{number:04}.txt").write_text("x")
    opened = []

    def counted(path):
        opened.append(path)
        return open_file(path)

    monkeypatch.setattr(contract, "open_file", counted)
    _, problems = metaeval.check_corpus(tmp_path)
    (problem,) = problems.errors
    assert "is in no format that is recognised, by the first 1,000 of its files." in problem.message
    assert len(opened) == len(set(opened)) == 1000
