"""Directories of mt-metrics-eval: what is missing in them, and what is not read."""

from __future__ import annotations

import pytest

from metaeval.corpora.read import read_sources
from tests.support import examples
from tests.support.reports import told


def test_an_unknown_language_pair(tmp_path):
    (directory,) = examples.mtme(tmp_path / "set")
    _, problems = read_sources([directory], ['mt-metrics-eval(pair="de-fr")'])
    assert told(problems, "error") == (
        f"{directory}: unknown language pair 'de-fr'; did you mean 'de-en'? Known language pairs: 'de-en'."
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("sources/de-en.txt", "sources/de-en.src", " has no language pair: sources/ holds no text file."),
        ("system-outputs/de-en", "system-outputs/en-de", "system-outputs/de-en: holds no text file (.txt or .jsonl)."),
        (
            "human-scores/de-en.mqm.doc.score",
            "human-scores/de-en..doc.score",
            "human-scores/de-en..doc.score: has scores without a name.",
        ),
    ],
)
def test_what_is_missing_is_told(old, new, message, tmp_path):
    (directory,) = examples.mtme(tmp_path / "set")
    (directory / old).rename(directory / new)
    corpus, problems = read_sources([directory])
    assert corpus is None
    assert told(problems, "error") == f"{directory}/{message}".replace("/ has", ": has")


def test_what_is_not_read_is_told(tmp_path):
    (directory,) = examples.mtme(tmp_path / "set")
    (directory / "metric-scores/de-en").rename(directory / "metric-scores/en-de")
    for name in ("human-scores/de-en.README", "system-outputs/de-en/A.bak", "references/de-en.refA.bak"):
        (directory / name).write_text("x\n")
    corpus, problems = read_sources([directory])
    assert corpus.systems == ("A", "B")
    assert set(told(problems, "note").split("\n")) >= {
        f"{directory}/metric-scores: has no scores for de-en.",
        f"{directory}/human-scores: has 1 file without scores of segments, "
        "documents, domains or systems, left unread: 'de-en.README'.",
        f"{directory}/system-outputs/de-en/A.bak: is not read: only files that end in .txt or .jsonl are texts.",
        f"{directory}/references/de-en.refA.bak: is not read: only files that end in .txt or .jsonl are texts.",
    }


def test_scores_without_texts_are_left_out(tmp_path):
    (directory,) = examples.mtme(tmp_path / "set")
    path = directory / "metric-scores/de-en/COMET.sys.score"
    path.write_text("A\t1\nB\tNone\nC\t2\n")
    path.with_name("BLEURT.sys.score").write_text("C\t2\nD\tNone\n")
    corpus, problems = read_sources([directory], whole=True)
    given = {one.name: (one.systems, one.values.tolist()) for one in corpus.scores if one.origin == "metric"}
    assert given["COMET"] == (("A",), [[1]])
    assert given["BLEURT"] == ((), [])
    assert [line for line in told(problems, "warning").split("\n") if "left out" in line] == [
        f"{directory}/metric-scores/de-en/{name}.sys.score: scores 'C', of which the corpus has no texts; these scores "
        "are left out."
        for name in ("BLEURT", "COMET")
    ]


def test_outputs_that_are_references_are_told_in_order(tmp_path):
    (directory,) = examples.mtme(tmp_path / "set")
    names = ["refA", "refC", "refD", "refE", "refF", "refG"]
    for name in names:
        (directory / f"references/de-en.{name}.txt").write_text("a\nb\nc\nd\n")
        (directory / f"system-outputs/de-en/{name}.txt").write_text("a\nb\nc\nx\n")
    corpus, problems = read_sources([directory])
    assert corpus.references["refC"] == ("a", "b", "c", "d")
    assert [line for line in told(problems, "warning").split("\n") if "another text" in line] == [
        f"{directory}/system-outputs/de-en/{name}.txt: has another text than {directory}/references/de-en.{name}.txt; "
        "the latter is taken."
        for name in names
    ]
