"""Weights, criteria and odd tables of MQM, in Google's tables and in mt-metrics-eval."""

from __future__ import annotations

import json

import pytest

from metaeval.corpora.read import read_sources
from tests.support import examples
from tests.support.examples import MQM_FORMAT
from tests.support.reports import told

NEEDED = "system\tdoc\tseg_id\trater\tcategory\tseverity"
HEADER = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"


def table(directory, rows, header=HEADER):
    path = directory / "mqm.tsv"
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def row(system="A", segment=1, rater="r", target="text", category="No-error", severity="No-error"):
    return f"{system}\td\t{segment}\t{segment}\t{rater}\tquelle\t{target}\t{category}\t{severity}"


def penalties(corpus, criterion="mqm"):
    index = [one.name for one in corpus.criteria].index(criterion)
    return corpus.judgments.where(corpus.judgments.criterion == index).score.tolist()


@pytest.mark.parametrize(
    ("category", "severity", "penalty"),
    [
        # Of the scores published for WMT 2022 and 2023, and of those of 2020 and 2021.
        ("Source issue", "Major", 0),
        ("Source issue", "Minor", 0),
        ("Accuracy/Creative Reinterpretation", "Minor", 0),
        ("Source error", "Major", 5),
        ("Accuracy/Mistranslation", "Major", 5),
        ("Fluency/Punctuation", "Minor", 0.1),
        ("Non-translation!", "Minor", 25),
    ],
)
def test_published_weights(category, severity, penalty, tmp_path):
    corpus, _ = read_sources([table(tmp_path, [row(category=category, severity=severity)])])
    assert penalties(corpus) == [penalty]


def ratings(directory, name, errors):
    """Put ratings of one system's only segment beside its text."""
    for path, text in (
        ("sources/de-en.txt", "eins\n"),
        ("references/de-en.refA.txt", "one\n"),
        ("system-outputs/de-en/A.txt", "two\n"),
        (f"human-scores/de-en.{name}.seg.rating", f"A\t{json.dumps({'errors': errors})}\n"),
    ):
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (directory / path).write_text(text)
    return directory


def test_the_scores_of_errors_go_before_weights_unless_weights_are_given(tmp_path):
    errors = [
        {"category": "source issue", "severity": "major", "score": 0},
        {"category": "accuracy/omission", "severity": "minor", "score": 1.5},
        {"category": "accuracy/omission", "severity": "major", "score": None},
    ]
    directory = ratings(tmp_path, "mqm.rater1", errors)
    corpus, _ = read_sources([directory])
    assert penalties(corpus, "mqm-errors") == [6.5]
    corpus, _ = read_sources([directory], ['mt-metrics-eval(weights=["major=5", "minor=1"])'])
    assert penalties(corpus, "mqm-errors") == [11]


def test_collections_of_ratings_do_not_mix(tmp_path):
    error = [{"category": "x", "severity": "major"}]
    for name in ("mqm.rater1", "mqm.rater2", "mqm.merged", "esa.merged", "round2.mqm.merged"):
        ratings(tmp_path, name, error)
    corpus, problems = read_sources([tmp_path])
    assert sorted(one.name for one in corpus.criteria) == ["esa-errors", "mqm-errors", "round2.mqm-errors"]
    assert len(penalties(corpus, "mqm-errors")) == 2
    assert "these merged ones were not needed: 'de-en.mqm.merged.seg.rating'" in told(problems, "note")


def test_the_header_of_marot_and_tests_of_the_raters(tmp_path):
    rows = [row(category="Accuracy/Omission", severity="Major"), row(category="Found", severity="HOTW-test")]
    corpus, problems = read_sources([table(tmp_path, rows, HEADER + "\t#1")])
    assert penalties(corpus) == [5]
    assert "has 1 rows that test the raters (HOTW), which are left out" in told(problems, "note")


def test_quoted_texts(tmp_path):
    path = table(tmp_path, [row(target='"he said ""no"" twice"')])
    corpus, problems = read_sources([path])
    assert corpus.candidates == (('"he said ""no"" twice"',),)
    assert "mqm.tsv:2: has a text in quotation marks with doubled ones inside" in told(problems, "warning")
    corpus, problems = read_sources([path], ["mqm(quoting=True)"])
    assert corpus.candidates == (('he said "no" twice',),)
    assert told(problems, "warning") == ""


def test_quoted_sources_are_told_before_quoted_targets(tmp_path):
    quoted = '"""Ja"", sagt er"'
    rows = [row(target=quoted), row(segment=2).replace("quelle", quoted)]
    _, problems = read_sources([table(tmp_path, rows)])
    assert "mqm.tsv:3: has a text in quotation marks with doubled ones inside" in told(problems, "warning")


def test_a_quoted_text_alone_is_not_suspicious(tmp_path):
    _, problems = read_sources([table(tmp_path, [row(target='"he said no"')])])
    assert told(problems, "warning") == ""


def test_white_space_at_the_ends_alone_is_no_other_text(tmp_path):
    rows = [row(target="text"), row(target="text ", rater="s"), row(target=" text", rater="t")]
    corpus, problems = read_sources([table(tmp_path, rows)])
    assert corpus.candidates == (("text",),)
    assert "gives 2 texts again with other white space at the ends; the first was taken" in told(problems, "warning")
    _, problems = read_sources([table(tmp_path, [row(target="text"), row(target="te xt", rater="s")])])
    assert "another text than before" in told(problems, "error")


def test_what_is_not_used_and_what_looks_wrong(tmp_path):
    (path,) = examples.mqm(tmp_path)
    corpus, problems = read_sources([path], ['mqm(categories=["Style"])'])
    assert [one.name for one in corpus.criteria] == ["mqm", "Style"]
    assert "has no error of the categories 'Style'" in told(problems, "note")
    assert "has columns that are not used: 'doc_id'" in told(problems, "note")
    assert 'names are those of references: "refA", "refB"' in told(problems, "warning")
    _, problems = read_sources([path], [MQM_FORMAT])
    assert "names are those of references" not in told(problems, "warning")
    _, problems = read_sources([table(tmp_path, ["A\td\t1\tr\tAccuracy\tMajor"], NEEDED)])
    assert "not used" not in told(problems, "note")


def test_scores_of_documents_need_the_documents(tmp_path):
    (directory,) = examples.mtme(tmp_path / "set")
    (directory / "documents/de-en.docs").unlink()
    _, problems = read_sources([directory])
    assert f"has scores of documents, but {directory}/documents/de-en.docs, which lists them, is missing" in told(
        problems, "error"
    )


def test_all_bad_lines_of_a_file_are_told_and_unread_files_at_once(tmp_path):
    (directory,) = examples.mtme(tmp_path / "set")
    path = directory / "human-scores/de-en.mqm.seg.score"
    path.write_text(path.read_text().replace("A\t-10", "A -10 x").replace("B\t-20", "B"))
    for name in "abcd":
        (directory / f"metric-scores/de-en/{name}.word.score").write_text("A\tx\t1\n")
    _, problems = read_sources([directory])
    assert told(problems, "error").count("must have 2 columns") == 2
    assert told(problems, "note").count("left unread") == 1
    assert "has 4 files without scores of" in told(problems, "note")
