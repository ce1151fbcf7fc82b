from __future__ import annotations

import gzip

import pytest

from metaeval.corpora.catalogue import check_corpus, find_corpus, load_corpus
from metaeval.corpora.read import read_sources
from metaeval.errors import CorpusError, UsageError
from tests.support.corpus import REFERENCES, SYSTEMS, TOML, judgments, write
from tests.support.gold import of_others


def messages(directory, severity="error"):
    _, problems = check_corpus(directory)
    found = [str(item) for item in problems.entries if item.severity == severity]
    return [text.replace(f"{directory}/", "").replace(str(directory), "") for text in found]


def test_a_corpus_is_read_as_it_stands(tmp_path):
    corpus = load_corpus(write(tmp_path))

    assert corpus.systems == ("A", "B", "C")
    assert [list(texts) for texts in corpus.candidates] == list(SYSTEMS.values())
    assert corpus.references["ref1"] == tuple(REFERENCES["ref1"])
    assert corpus.references["ref2"] == ("a cat was on the mat", None, "it rains", "let us go home")
    assert corpus.segment_ids == ("1", "2", "3", "4")
    assert corpus.judgments.judges == ("ann", "bob")
    assert len(corpus.judgments) == 48
    # The first data row of judgments.tsv: segment 1, system A, ann, adequacy, 5 - 0 + 0 - 1 = 4.
    first = corpus.judgments
    assert (first.segment[0], first.system[0], first.judge[0], first.criterion[0], first.score[0]) == (0, 0, 0, 0, 4.0)
    assert [(one.name, one.low, one.high, one.higher_is_better) for one in corpus.criteria] == [
        ("adequacy", 1.0, 5.0, True),
        ("errors", 0.0, 25.0, False),
    ]


def test_empty_outputs_and_absent_references_are_told(tmp_path):
    assert messages(write(tmp_path), "note") == [
        "systems/B.txt: has empty outputs, in the lines '3'.",
        "references/ref2.txt: has no reference for 1 of 4 segments (empty lines).",
    ]


def test_a_reference_that_is_really_empty_is_not_absent(tmp_path):
    corpus = load_corpus(write(tmp_path, empty_references="reference\tsegment\nref2\t2\n"))
    assert corpus.references["ref2"][1] == ""


def test_an_output_that_is_missing_is_not_empty(tmp_path):
    directory = write(tmp_path, missing_outputs="system\tsegment\nB\t3\n")
    assert load_corpus(directory).candidates[1] == ("the cat sat on a mat", "the dog barked", None, "we went home")
    assert "systems/B.txt: has no output for 1 of 4 segments: '3'." in messages(directory, "note")


def test_segment_ids_and_documents(tmp_path):
    table = "segment\tid\tdocument\n" + "".join(f"{n}\tid{n}\tdoc{n % 2}\n" for n in (2, 1, 3, 4))
    corpus = load_corpus(write(tmp_path, segments=table))

    assert corpus.segment_ids == ("id1", "id2", "id3", "id4")
    assert corpus.documents == ("doc1", "doc0", "doc1", "doc0")


def test_documents_alone(tmp_path):
    corpus = load_corpus(write(tmp_path, documents="segment\tdocument\n1\tx\n2\tx\n3\ty\n4\ty\n"))
    assert corpus.documents == ("x", "x", "y", "y")


def test_a_corpus_without_judgments_can_be_read(tmp_path):
    assert len(load_corpus(write(tmp_path, judgments=None)).judgments) == 0


def test_the_digest_changes_with_any_byte(tmp_path):
    first = load_corpus(write(tmp_path / "a"))
    again = load_corpus(write(tmp_path / "b"))
    other = load_corpus(write(tmp_path / "c", systems__A="the cat sat on the mat\nx\ny\nz\n"))

    assert first.digest == again.digest != other.digest


def spoiled(line: int, text: str) -> str:
    rows = judgments()
    rows[line - 1] = text
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {"systems__B": "one\ntwo\nthree\n"},
            "systems/B.txt: has 3 lines but must have 4, as systems/A.txt and 3 other files; each line is one segment, "
            "so a line was probably lost, added or broken.",
        ),
        (
            {"judgments": spoiled(2, "1\tD\tann\tadequacy\t4")},
            "judgments.tsv:2: unknown system 'D'. Known systems: 'A', 'B', 'C'; is systems/D.txt missing?",
        ),
        (
            {"judgments": spoiled(3, "1\tA\tann\tadequacyy\t4")},
            "judgments.tsv:3: unknown criterion 'adequacyy'; did you mean 'adequacy'? Known criteria: 'adequacy', "
            "'errors'; see corpus.toml.",
        ),
        (
            {"judgments": spoiled(4, "5\tA\tann\tadequacy\t4")},
            "judgments.tsv:4: the segment must be a line number from 1 to 4; got '5'.",
        ),
        (
            {"judgments": spoiled(4, "x\tA\tann\tadequacy\t4")},
            "judgments.tsv:4: the segment must be a line number from 1 to 4; got 'x'.",
        ),
        (
            {"judgments": spoiled(2, "1\tA\tann\tadequacy\t6")},
            "judgments.tsv:2: the score 6 is outside the range of 'adequacy', 1 to 5 in corpus.toml.",
        ),
        (
            {"judgments": spoiled(2, "1\tA\tann\tadequacy\tgood")},
            "judgments.tsv:2: the score must be a finite number; got 'good'. A missing judgment has no line.",
        ),
        (
            {"judgments": spoiled(2, "1\tA\tann\tadequacy\tnan")},
            "judgments.tsv:2: the score must be a finite number; got 'nan'. A missing judgment has no line.",
        ),
        (
            {"judgments": spoiled(4, "1\tA\tann\tadequacy\t4")},
            "judgments.tsv:4: judge 'ann' judged 'A', segment 1, on 'adequacy' already in line 2; one judge gives one "
            "score to an item.",
        ),
        (
            {"judgments": spoiled(3, "1\tA\tann\tadequacy")},
            "judgments.tsv:3: must have 5 columns, as the first line, 'segment', 'system', 'judge', 'criterion', "
            "'score'; got 4.",
        ),
        (
            {"judgments": "seg\tsystem\n"},
            "judgments.tsv:1: must begin with the columns segment, system, judge, criterion, score, separated by tabs; "
            "got ('seg', 'system').",
        ),
        (
            {"systems__A": b"the cat\ncaf\xe9 \nx\ny\n"},
            "systems/A.txt:2: is not UTF-8: byte 0xe9 at offset 11 (invalid continuation byte); convert the file, "
            "such as from Windows' Latin letters: iconv -f WINDOWS-1252 -t UTF-8 A.txt > utf8-A.txt",
        ),
        (
            {"corpus": TOML.replace('"lower"', '"down"')},
            "corpus.toml: the corpus: `criteria[1].direction` must be one of 'higher', 'lower'; got 'down'.",
        ),
        (
            {"corpus": TOML.replace("high = 5", "high = 1")},
            "corpus.toml: criterion 'adequacy': `low` must be less than",
        ),
        ({"corpus": "name = \n"}, "corpus.toml: is not valid TOML"),
        ({"corpus": "nam = 'x'\n"}, "corpus.toml: the corpus: unknown key 'nam'; did you mean 'name'?"),
        ({"corpus": None}, "corpus.toml: is missing. It says what was judged, on which scale"),
        (
            {"systems__A": None, "systems__B": None, "systems__C": None},
            "systems: must be a directory with one text file (.txt) for each system.",
        ),
        (
            {"judgments": spoiled(2, "1\tA\tann\tadequacy\t1_0")},
            "judgments.tsv:2: the score must be a finite number; got '1_0'. A missing judgment has no line.",
        ),
        (
            dict.fromkeys(("systems__A", "systems__B", "systems__C", "references__ref1", "references__ref2"), ""),
            ": has no segments: its text files are empty.",
        ),
        (
            {'systems__"A': "x\n\n\n\n"},
            "systems/\"A.txt: the name '\"A' must not contain control characters, quotation marks or",
        ),
        ({"corpus": TOML.replace('"tiny"', '"ti\\tny"')}, "corpus.toml: the name 'ti\\tny' must not contain control"),
        ({"segments": "segment\tid\n1\tx\n1\ty\n"}, "segments.tsv:3: segment 1 is listed a second time."),
        ({"segments": "segment\tid\n1\tx\n"}, "segments.tsv: has no row for the segments '2', '3', '4'."),
        (
            {"segments": "segment\tid\n1\tx\n2\tx\n3\ty\n4\tz\n"},
            "segments.tsv: gives the same id to several segments: 'x'.",
        ),
        (
            {"empty_references": "reference\tsegment\nref1\t1\n"},
            "empty_references.tsv: calls segment 1 of 'ref1' empty, but it has a text.",
        ),
        (
            {"segments": "segment\tname\n1\tx\n"},
            "segments.tsv:1: must begin with the columns segment, id, separated by",
        ),
        (
            {"segments": "segment\tid\nx\ta\n2\tb\n3\tc\n4\td\n"},
            "segments.tsv:2: the segment must be a line number from 1 to 4; got 'x'.",
        ),
        (
            {"empty_references": "reference\tsegment\nref3\t1\n"},
            "empty_references.tsv:2: unknown reference 'ref3'. Known references: 'ref1', 'ref2'.",
        ),
        (
            {"empty_references": "reference\tsegment\nref2\t0\n"},
            "empty_references.tsv:2: the segment must be a line number from 1 to 4; got '0'.",
        ),
        (
            {"missing_outputs": "system\tsegment\nA\t1\n"},
            "missing_outputs.tsv: calls segment 1 of 'A' missing, but it has a text.",
        ),
        (
            {"judgments": "segment\tsystem\tjudge\tcriterion\tscore\tscore\n"},
            "judgments.tsv:1: names columns twice: 'score'.",
        ),
        ({"corpus": TOML.replace('"errors"', '"adequacy"')}, "corpus.toml: criterion 'adequacy' is declared 2 times."),
        (
            {"corpus": TOML + "[names]\nA = 1\n"},
            "corpus.toml: `names` must be a table of texts: file name without suffix = name to be shown.",
        ),
        ({"corpus": 'names = "A"\n' + TOML}, "corpus.toml: `names` must be a table of texts: file name without suffix"),
        (
            {"corpus": TOML + '[names]\nA = "x"\nB = "x"\n'},
            "corpus.toml: `names` gives the same name to several systems: 'x'.",
        ),
        (
            {"corpus": TOML + '[names]\nref1 = "x"\nref2 = "x"\n'},
            "corpus.toml: `names` gives the same name to several references: 'x'.",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path, files, expected):
    directory = write(tmp_path, **files)
    found = messages(directory)

    assert any(message.startswith(expected) for message in found), found
    with pytest.raises(CorpusError):
        load_corpus(directory)


def test_all_errors_are_told_at_once(tmp_path):
    directory = write(tmp_path, systems__A="x\n", judgments=spoiled(2, "9\tD\tann\tadequacy\t4"))
    assert len(messages(directory)) == 3


def test_rows_with_an_unknown_name_are_checked_as_far_as_it_goes(tmp_path):
    rows = [
        judgments()[0],
        "1\tA\tann\tadequacy\t6",
        "1\tD\tann\tadequacy\t7",
        "1\tD\tann\tadequacy\t4",
        "2\tA\t\terrors\t1",
        "2\tA\t\terrors\t1",
        "3\tB\tann\terrors\tx",
        "3\tB\tann\terrors\t1",
    ]
    told = [
        "judgments.tsv:3: unknown system 'D'",
        "judgments.tsv:7: the score must be a finite number; got 'x'",
        "judgments.tsv:5: the judge has no name. (2 lines in all)",
        "judgments.tsv:2: the score 6 is outside the range of 'adequacy', 1 to 5 in corpus.toml. (2 lines in all)",
        "judgments.tsv:8: judge 'ann' judged 'B', segment 3, on 'errors' already in line 7",
    ]
    found = messages(write(tmp_path, judgments="\n".join(rows)))
    assert len(found) == len(told)
    for message, start in zip(found, told, strict=True):
        assert message.startswith(start)


def test_a_file_in_place_of_a_folder_is_an_error(tmp_path):
    directory = write(tmp_path, systems__A=None, systems__B=None, systems__C=None)
    (directory / "systems").write_text("")
    assert messages(directory)[0].startswith("systems: must be a directory")
    directory = write(tmp_path / "other", references__ref1=None, references__ref2=None)
    (directory / "references").write_text("")
    assert messages(directory) == ["references: must be a directory with one text file (.txt) for each reference."]


def test_a_folder_without_texts_is_an_error(tmp_path):
    directory = write(tmp_path, judgments=None, **dict.fromkeys((f"systems__{name}" for name in SYSTEMS), None))
    (directory / "systems").mkdir()
    (directory / "systems" / ".hidden.txt").write_text("x\n" * 4)
    assert messages(directory) == ["systems: holds no text file (.txt)."]
    for path in (directory / "references").iterdir():
        path.unlink()
    assert messages(directory) == ["systems: holds no text file (.txt)."]


def test_a_text_that_is_there_packed_and_unpacked_is_an_error(tmp_path):
    directory = write(tmp_path)
    (directory / "systems" / "A.txt.gz").write_bytes(gzip.compress(b"x\n" * 4))
    assert messages(directory) == ["systems/A.txt.gz: is there packed and unpacked; remove one of the two."]


def test_lengths_of_two_files_alone_that_differ(tmp_path):
    directory = write(tmp_path, systems__B="one\n", systems__C=None, references__ref1=None, references__ref2=None)
    assert messages(directory)[0].startswith("systems/B.txt: has 1 line but must have 4, as systems/A.txt; each line")


def test_a_corpus_is_a_directory(tmp_path):
    (tmp_path / "file").write_text("")
    layout = "; a corpus is a directory with corpus.toml, systems/ and references/"
    for name, found in (("file", f"is a file{layout}"), ("absent", "does not exist")):
        corpus, problems = read_sources([tmp_path / name], ["neutral"])
        assert corpus is None
        assert [str(problem) for problem in problems.entries] == [f"{tmp_path}/{name}: {found}."]


def test_wrong_marks_are_told_in_order(tmp_path):
    pairs = [(name, segment) for name in ("ref1", "ref2") for segment in (1, 3, 4)]
    table = "reference\tsegment\n" + "".join(f"{name}\t{segment}\n" for name, segment in reversed(pairs))
    assert messages(write(tmp_path, empty_references=table)) == [
        f"empty_references.tsv: calls segment {segment} of {name!r} empty, but it has a text."
        for name, segment in pairs
    ]


def test_the_first_twenty_errors_stand_in_the_message(tmp_path):
    rows = [f"1\tS{number}\tann\tadequacy\t4" for number in range(25)]
    directory = write(tmp_path, judgments="\n".join([judgments()[0], *rows]))
    with pytest.raises(CorpusError) as error:
        load_corpus(directory)
    lines = str(error.value).split("\n")
    assert len(lines) == 21
    assert lines[0].startswith(f"{directory}/judgments.tsv:2: unknown system 'S0'")
    assert lines[-1] == "... and 5 more; `metaeval corpus check` lists them all."


@pytest.mark.parametrize(
    ("file", "rows", "expected"),
    [
        ("metrics/m.tsv", "system\tsegment\tscore\nA\t1\t1\nA\t1\t2\n", ":3: scores 'A', segment '1', a second time."),
        ("human/z.system.tsv", "system\tscore\nA\t1\nA\t2\n", ":3: scores 'A' a second time."),
        (
            "human/z.document.tsv",
            "system\tdocument\tscore\nA\td\t1\n",
            ": has scores of documents, but neither segments.tsv nor documents.tsv gives the documents.",
        ),
        (
            "metrics/m.tsv",
            "system\tsegment\tscore\nA\t5\t1\n",
            ":2: the segment must be a line number from 1 to 4; got '5'",
        ),
        ("metrics/m.tsv", "system\tsegment\tscore\nD\t1\t1\n", ":2: unknown system 'D'"),
        ("metrics/m.tsv", "system\tsegment\tscore\nA\t1\tx\n", ":2: the score must be a finite number; got 'x'"),
        ("metrics/m.tsv", "system\tscore\n", ":1: must begin with the columns system, segment, score"),
        ('metrics/"m.tsv', "system\tsegment\tscore\n", ": the name '\"m' must not contain control characters"),
    ],
)
def test_what_is_wrong_with_scores_is_told(tmp_path, file, rows, expected):
    directory = write(tmp_path)
    (directory / file).parent.mkdir()
    (directory / file).write_text(rows)
    (message,) = messages(directory)
    assert message.startswith(file + expected)


def test_files_that_are_no_scores_are_told(tmp_path):
    directory = write(tmp_path)
    (directory / "metrics").mkdir()
    for name in ("m.csv", ".hidden"):
        (directory / "metrics" / name).write_text("")
    assert messages(directory, "warning") == ["metrics/m.csv: is not read: only files that end in .tsv are scores."]
    assert load_corpus(directory).scores == ()


def test_a_folder_in_place_of_a_file_is_an_error(tmp_path):
    directory = write(tmp_path, judgments=None)
    (directory / "judgments.tsv").mkdir()
    assert "judgments.tsv: is a directory where a file must be." in messages(directory)


def test_only_newline_ends_a_line_and_other_separators_are_told(tmp_path):
    text = "a\u2028b\x85c\x0bd\r\n\ufeffx\x00\n3\n4"
    directory = write(tmp_path, systems__A=text)
    corpus = load_corpus(directory)

    assert corpus.candidates[0] == ("a\u2028b\x85c\x0bd\r", "\ufeffx\x00", "3", "4")
    warnings = "\n".join(messages(directory, "warning"))
    for words in ("carriage return", "NUL", "byte order mark", "vertical tab", "U+0085", "U+2028"):
        assert words in warnings
    assert "systems/A.txt:2: contains a NUL character" in warnings


def test_tables_with_a_byte_order_mark_and_windows_line_ends_are_read(tmp_path):
    text = "\ufeff" + "\r\n".join(judgments()) + "\r\n"
    directory = write(tmp_path, judgments=text)

    assert len(load_corpus(directory).judgments) == 48
    assert messages(directory, "warning") == []


def test_a_file_that_is_no_text_is_told(tmp_path):
    directory = write(tmp_path)
    (directory / "systems" / "A.txt.bak").write_text("x")
    assert messages(directory, "warning") == ["systems/A.txt.bak: is not read: only files that end in .txt are texts."]


def test_a_file_name_that_is_not_utf8_is_told(tmp_path):
    directory = write(tmp_path)
    (directory / "systems" / "caf\udce9.txt").write_text("x\n" * 4)
    assert "must not contain control characters, quotation marks or what is not UTF-8" in messages(directory)[0]


def test_a_byte_order_mark_in_a_name_is_an_error(tmp_path):
    path = tmp_path / "judged.csv"
    path.write_text("\ufeff\ufeffquality,system,segment,candidate\n4,A,1,a b\n3,B,1,a c\n", "utf-8")
    (message,) = messages(path)
    assert "the name '\\ufeffquality' has a byte order mark (U+FEFF) in it" in message


def test_criteria_without_judgments_are_told(tmp_path):
    rows = [row for row in judgments() if "\terrors\t" not in row]
    assert "judgments.tsv: has no judgment on 'errors'." in messages(write(tmp_path, judgments="\n".join(rows)), "note")


def test_an_unknown_corpus_is_refused_with_the_known_ones():
    with pytest.raises(UsageError, match=r"unknown corpus 'deno'; did you mean 'demo'\? Known corpora: 'demo'"):
        find_corpus("deno")


@pytest.mark.parametrize(
    ("name", "systems", "segments", "references", "judgments"),
    # Counts by wc -l over the files of the corpora.
    [("summeval", 17, 100, 11, 52400), ("webnlg2020-en", 16, 178, 4, 39710), ("wmt21-ted-zhen", 13, 529, 2, 20631)],
)
def test_real_corpora_are_in_order(name, systems, segments, references, judgments):
    corpus, problems = check_corpus(of_others("corpora") / name)

    assert [item for item in problems.entries if item.severity != "note"] == []
    assert (len(corpus.systems), corpus.n_segments, len(corpus.references)) == (systems, segments, references)
    assert len(corpus.judgments) == judgments


@pytest.mark.parametrize(("start", "end"), [("x", "3"), ("1", ""), ("0.5", "3"), ("4", "3"), ("-1", "3"), ("1", "1e9")])
def test_a_place_in_a_text_that_is_none_is_said_once(start, end, tmp_path):
    row = f"1\tA\tann\toutput\t{start}\t{end}\tminor\tgrammar"
    directory = write(tmp_path)
    head = "segment\tsystem\tjudge\ttext\tstart\tend\tseverity\tcategory"
    (directory / "error_spans.tsv").write_text(f"{head}\n{row}\n")
    assert messages(directory) == [
        "error_spans.tsv:2: start and end must be whole numbers, the end not before the start, or both -1; got "
        f"{start!r} and {end!r}."
    ]
