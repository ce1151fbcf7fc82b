"""Tags, names and line ends of SGML."""

from __future__ import annotations

from pathlib import Path

import pytest

from metaeval.corpora.formats.markup import SKIPPED, Tag, events
from metaeval.corpora.read import read_sources
from tests.support.reports import told


def read(path: Path, content: str):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode())
    corpus, problems = read_sources([path], ["sgml"])
    assert corpus is not None, problems.errors
    return corpus, problems


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<seg id=1>one <p> two</seg>", ["one <p> two"]),
        ("<seg id=1>one <hl>two</hl> three</seg>", ["one <hl>two</hl> three"]),
        ("<seg id=1>one <p>\n<seg id=2>two</seg>", ["one ", "two"]),
        ("<seg id=1>one <p> lost</doc><doc docid=e><seg id=2>two</seg>", ["one ", "two"]),
        ("<p><seg id=1>one</seg><p><seg id=2>two</seg></p>", ["one", "two"]),
        ("<seg id=1/><seg id='2' /><seg id=3>three</seg>", ["", "", "three"]),
    ],
)
def test_paragraphs_end_a_segment_only_if_its_own_end_is_missing(text, expected, tmp_path):
    corpus, problems = read(tmp_path / "a.sgm", f"<tstset sysid=A><doc docid=d>{text}</doc></tstset>")
    assert list(corpus.candidates[0]) == expected
    assert ("stay in the text" in told(problems, "note")) == ("<" in expected[0])


def test_comments_inside_segments_are_counted(tmp_path):
    text = "<!-- a --><tstset sysid=A><doc docid=d><seg id=1>x<!-- b -->y<?c?></seg></doc></tstset>"
    corpus, problems = read(tmp_path / "a.sgm", text)
    assert corpus.candidates == (("xy",),)
    assert "has 2 comments or instructions inside segments, which are left out" in told(problems, "note")


def test_a_windows_line_end_is_one_space_and_a_lone_carriage_return_stays(tmp_path):
    corpus, _ = read(tmp_path / "a.sgm", "<tstset sysid=A><doc docid=d><seg id=1>a\r\nb\nc\rd</seg></doc></tstset>")
    assert corpus.candidates == (("a b c\rd",),)


@pytest.mark.parametrize(
    "declaration",
    ["<!DOCTYPE mteval>", '<!DOCTYPE mteval SYSTEM "mteval.dtd">', '<!DOCTYPE a [<!ENTITY b "c">]>', "<!DOCTYPE [ "],
)
def test_declarations_say_nothing(declaration, tmp_path):
    text = "<tstset sysid=A><doc docid=d><seg id=1>a</seg></doc></tstset>"
    corpus, _ = read(tmp_path / "a.sgm", declaration + text)
    assert corpus.candidates == (("a",),)


def test_without_a_name_the_whole_stem_is_taken(tmp_path):
    text = "<tstset><doc docid=d><seg id=1>a</seg></doc></tstset>"
    corpus, _ = read(tmp_path / "news.2001.sgm", text)
    assert corpus.systems == ("news.2001",)


def test_the_refid_of_the_set_goes_before_the_sysid_of_a_document(tmp_path):
    refset = '<refset refid="refA"><doc docid=d sysid="reference"><seg id=1>a</seg></doc></refset>'
    tstset = '<tstset><doc docid=d sysid="A"><seg id=1>b</seg></doc></tstset>'
    corpus, _ = read(tmp_path / "a.sgm", refset + tstset)
    assert (corpus.systems, list(corpus.references)) == (("A",), ["refA"])


def test_directories_inside_are_told(tmp_path):
    (tmp_path / "set" / "more").mkdir(parents=True)
    (tmp_path / "set" / "a.sgm").write_text("<tstset sysid=A><doc docid=d><seg id=1>a</seg></doc></tstset>")
    _, problems = read_sources([tmp_path / "set"])
    assert f"{tmp_path}/set/more: is a directory, and is not read." in told(problems, "note")


N = 1_000_000


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("<a " + "b" * N + ">", [("a", {})]),
        ("<a " + "b" * N + "=c>", [("a", {"b" * N: "c"})]),
        ("<a " + "1-" * N + "b=c>", [("a", {"b": "c"})]),
        ("<" + "a" * N, ["<", "a" * N]),
    ],
    ids=["word", "name", "no name", "tag"],
)
def test_a_long_word_is_looked_at_once(content, expected):
    # With a look at the rest from each of its letters this would take hours.
    found = [(one.name, one.attributes) if isinstance(one, Tag) else one.raw for one in events(content)]
    assert found == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("<!a[<!b[>]", ["<", "!a[", "<", "!b[>]"]),
        ("<!a <!b", ["<", "!a ", "<", "!b"]),
        ("<!a[ > ] ><!b[]><!c>d", ["d"]),
        ("<!a>]<!b[ > ] >d", ["]", "d"]),
        ("<!-- <!-- --><!-- d", [SKIPPED, "<", "!-- d"]),
    ],
)
def test_declarations_and_comments_end_where_they_end_or_are_text(content, expected):
    assert [one.name if isinstance(one, Tag) else one.raw for one in events(content)] == expected


def test_attributes_begin_with_a_letter_a_line_or_a_colon():
    (tag,) = events("""<seg id=1 1a = '2' -b="3" \u00e9:c=4 _d='' e f=5 g= h>""")
    assert tag.attributes == {"id": "1", "a": "2", "b": "3", ":c": "4", "_d": "", "f": "5", "g": "h"}
