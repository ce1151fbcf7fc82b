"""Scores that were computed before: every format, found by system and segment, nothing lost in silence."""

from __future__ import annotations

import gzip
import json
import os
import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metaeval import api
from metaeval.datamodel.annotations import GivenScores
from metaeval.datamodel.corpus import Corpus
from metaeval.errors import CorpusError, MetricError, UsageError
from metaeval.metrics import get_metric
from metaeval.report.answers import answers_of
from metaeval.scores.precomputed import are_means
from tests.support.score_files import BY_NUMBER, FULL, SCORES, corpus, measured, table, write

NAN = np.nan


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


FILES = {
    "ids.tsv": table(FULL),
    "numbers.tsv": table(BY_NUMBER),
    "other-order.tsv": table([(score, id_, system) for system, id_, score in FULL], "score segment system"),
    "windows.tsv": "\ufeff" + table(FULL).replace("\n", "\r\n"),
    "comma.csv": '"system","segment","score"\n' + "".join(f'"{a}",{b},{c}\n' for a, b, c in FULL),
    "lines.jsonl": "".join(
        json.dumps({"score": float(c), "segment": int(b), "system": a, "note": [1]}) + "\n" for a, b, c in BY_NUMBER
    ),
    "mtme.seg.score": "A\t1.5\nA\t-2\nA\t3e-1\nB\t4\nB\t5\nB\t6\n",
    "mixed.seg.score": "A 1.5\nB 4\nA -2\nB 5\nA 0.3\nB 6\n",
    "wmt6.seg": "".join("M\ten-de\tt21\t{}\t{}\t{}\n".format(*row) for row in BY_NUMBER),
}


@pytest.mark.parametrize("name", FILES)
def test_segments_of_every_format(name):
    write(name, FILES[name])
    np.testing.assert_array_equal(measured(f"scores:{name}"), SCORES)
    np.testing.assert_array_equal(measured(f'scores(file="{name}")'), SCORES)


def test_packed_files_and_brackets_in_names():
    with gzip.open("packed (1).tsv.gz", "wt", encoding="utf-8") as file:
        file.write(FILES["ids.tsv"])
    np.testing.assert_array_equal(measured("scores:packed (1).tsv.gz"), SCORES)
    write("a (b)", FILES["ids.tsv"])
    np.testing.assert_array_equal(measured("scores:a (b)"), SCORES)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("s.tsv", table([("B", 2), ("A", 1)], "system score")),
        ("s.csv", "system,score\nB,2\nA,1\n"),
        ("s.jsonl", '{"system": "A", "score": 1}\n{"system": "B", "score": 2}\n'),
        ("m.sys.score", "A\t1\nB\t2\n"),
        ("wmt5.sys", "M\ten-de\tt\tA\t1.0\nM\ten-de\tt\tB\t2.0\n"),
        ("wmt2019.sys", "M\ten-de\tt\tB\t2\tensemble\tyes\nM\ten-de\tt\tA\t1\tensemble\tyes\n"),
        ("wmt6.sys", "M\ten-de\tt\tref\tA\t1.0\nM\ten-de\tt\tref\tB\t2.0\n"),
        ("wmt7.sys", "M\ten-de\tt\tnews\tref\tA\t1.0\nM\ten-de\tt\tnews\tref\tB\t2.0\n"),
    ],
)
def test_whole_systems_of_every_format(name, text):
    metric = get_metric(f"scores:{write(name, text)}")
    values = metric.measure(corpus(), ("r",))
    assert metric.of_whole_systems(corpus())
    assert metric.score(values.sum(axis=1)).tolist() == [1, 2]


def test_a_missing_segment_is_not_0():
    write("gaps.tsv", table([("A", "d1", 1), ("A", "d2", "None"), ("B", "d1", 4), ("B", "d2", 5), ("B", "d3", 9)]))
    metric = get_metric("scores:gaps.tsv")
    values = metric.measure(corpus(), ("r",))
    assert values[0].tolist() == [[1, 1], [0, 0], [0, 0]]
    # The mean of the scores that are there: 1, and (4 + 5 + 9) / 3.
    assert metric.score(values.sum(axis=1)).tolist() == [1, 6]
    (note,) = metric.notes(corpus())
    assert note.startswith("2 of 6 segments of systems have no score (2 of A; the first is segment 2)")
    # Where a system has no text either, nothing is missing.
    absent = corpus(candidates=(("x", None, None), ("y", "y", "y")))
    assert metric.notes(absent) == ()
    assert np.isnan(metric.measure(absent, ("r",))[0, 1:]).all()


WRONG = [
    (table([*FULL, ("A", "d9", 1)]), r"f.tsv:8: 1 of 4 segments are none of corpus 'texts'.*'d9'.*ids look like 'd1'"),
    (table([*FULL, ("A", "4", 1)]), r"f.tsv:8: 1 of 4 segments are none .*'4'.*ids look like 'd1', 'd2'\.$"),
    (
        table([(a, int(b) - 1, c) for a, b, c in BY_NUMBER]),
        r"f.tsv:2: 1 of 3 segments are none .*'0'.*counted from 1; where the file counts from 0, add 1 to each",
    ),
    (
        table([*FULL, ("A", "d2", 7)]),
        r"f.tsv:8: scores system 'A', segment 'd2' a second time, with 7.0 after -2.0 at f.tsv:3",
    ),
    (table(FULL[:3]), r"has no scores of the systems 'B' of corpus 'texts'"),
    (
        table([(a.lower(), b, c) for a, b, c in FULL]),
        r"no scores of the systems 'A', 'B'.*other systems: 'a' \(f.tsv:2,",
    ),
    (table([*FULL, ("A", "d1", "inf")]), r"f.tsv:8: the score must be a finite number.*got 'inf'"),
    (table([*FULL, ("A", "d1", "1,5")]), r"f.tsv:8: the score must be a finite number.*got '1,5'"),
    (
        table([*FULL, ("A", "d1")]),
        "f.tsv:8: must have 3 columns, as the first line, 'system', 'segment', 'score'; got 2",
    ),
    (table([*FULL, ("A", "", 3)]), r"f.tsv:8: has no segment"),
    (table([*FULL, (" ", "d1", 3)]), r"f.tsv:8: the system must be a name; got ' '"),
    (
        table([*FULL, *(("A", "d9", number) for number in range(5))]),
        r"'d9' \(f.tsv:8, f.tsv:9, f.tsv:10, and 2 more lines\)\.",
    ),
    ("", "f.tsv: is empty"),
    ("A\t1\n", r"has no scores of the systems 'B' of corpus 'texts'.*DIR/A.txt, DIR/B.txt, ..., and type scores:DIR"),
    ("the cat\n", "must begin with a header with the columns system, segment and score .*; got 'the\\\\tcat'"),
    ("system\tsegment\nA\td1\n", "has neither a column `score` nor one that `metric` names"),
    ("system\tscore\tsystem\n", "names columns twice: 'system'"),
    ('{"system": "A", "score": 1\n', "f.tsv:1: is not valid JSON"),
    ('{"score": 1}\n', r"f.tsv: names no system. Where a file holds one system, put .* DIR/A.txt, DIR/B.txt, ..., and"),
    ('{"line": 1}\n', r"f.tsv: must hold objects with the keys system, segment and score.*the keys are 'line'"),
    ('[{"system": "A", "score": 1}, 2]', r"f.tsv: item 2: must be an object in braces; got 2"),
    ('{"system": "A", "score": true}\n', "f.tsv:1: the score must be a finite number.*got True"),
    ('{"system": "A", "segment": 1.5, "score": 1}\n', "f.tsv:1: the segment must be an id or a number; got 1.5"),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_wrong_rows_are_told_with_file_line_and_value(text, message):
    write("f.tsv", text)
    with pytest.raises(CorpusError, match=message):
        measured("scores:f.tsv")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "x.csv",
            'system,segment,score\nA,"d1,1\n',
            r"x.csv:2: is not a table separated by ',': a quotation mark is opened and never closed\.",
        ),
        ("x.jsonl", "\n \n", r"x.jsonl: is empty\."),
    ],
)
def test_files_that_are_not_what_their_name_says(name, text, message):
    write(name, text)
    with pytest.raises(CorpusError, match=message):
        measured(f"scores:{name}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A\t1\nA\t2\nA\t3\nB\t1\nB\t2\n", "has 2 lines of system 'B' but must have 3.*by their order"),
        ("A\t1\nA\tx\n", "x.seg.score:2: the score must be a finite number"),
        ("A\t1\nA\t2\t3\n", "x.seg.score:2: must have 2 columns, as the first line, 'A', '1'; got 3"),
    ],
)
def test_positional_files_must_have_every_line(text, message):
    write("x.seg.score", text)
    with pytest.raises(CorpusError, match=message):
        measured("scores:x.seg.score")


def test_positional_files_say_that_they_are():
    write("x.seg.score", FILES["mtme.seg.score"])
    assert get_metric("scores:x.seg.score").notes(corpus()) == (
        "x.seg.score: segments are identified by the order of the lines, as in this format.",
    )


def test_bytes_that_are_no_text():
    with open("f.tsv", "wb") as file:
        file.write(b"system\tscore\nA\t\xff\n")
    with pytest.raises(CorpusError, match=r"f.tsv:2: is not UTF-8: byte 0xff"):
        measured("scores:f.tsv")
    with open("f.tsv", "wb") as file:
        file.write(b"\x1f\x8bnonsense")
    with pytest.raises(CorpusError, match=r"f.tsv: cannot be unpacked with gzip"):
        measured("scores:f.tsv")


def test_rows_beyond_the_corpus_are_told():
    write("more.tsv", table([*FULL, ("refA", "d1", 9), ("refA", "d2", 9), ("A", "d1", 1.5)]))
    metric = get_metric("scores:more.tsv")
    np.testing.assert_array_equal(metric.score(metric.measure(corpus(), ())), SCORES)
    assert metric.notes(corpus()) == (
        "more.tsv: 1 systems are not in the corpus and were left out: 'refA' (more.tsv:8, 2 rows).",
        "more.tsv: 1 rows repeat an earlier one, with the same score.",
    )
    assert metric.scores_system(corpus(), "refA")
    assert not metric.scores_system(corpus(), "refB")


def test_ids_that_look_like_numbers_are_asked_about():
    shifted = corpus(ids=("2", "3", "1"))
    write("f.tsv", table(BY_NUMBER))
    with pytest.raises(
        CorpusError, match=re.escape("segment '1' may be segment 3 of corpus 'texts' (by id) or segment 1")
    ):
        measured("scores:f.tsv", shifted)
    # By id, "1" is the third segment.
    np.testing.assert_array_equal(measured('scores:f.tsv(segments="ids")', shifted), [[-2, 0.3, 1.5], [5, 6, 4]])
    np.testing.assert_array_equal(measured('scores:f.tsv(segments="numbers")', shifted), SCORES)


def test_numbers_within_documents():
    rows = [(a, {"1": "p", "2": "q", "3": "q"}[b], {"1": 1, "2": 1, "3": 2}[b], c) for a, b, c in BY_NUMBER]
    write("f.tsv", table(rows, "system document segment score"))
    made = corpus(ids=("i", "j", "k"), documents=("p", "q", "q"))
    np.testing.assert_array_equal(measured("scores:f.tsv", made), SCORES)
    wrong = corpus(ids=("i", "j", "k"), documents=("p", "p", "q"))
    with pytest.raises(CorpusError, match=r"f.tsv:.*segments are none of corpus"):
        measured("scores:f.tsv", wrong)


def test_ids_that_documents_share():
    rows = [(a, {"1": "p", "2": "q", "3": "q"}[b], {"1": "x", "2": "x", "3": "y"}[b], c) for a, b, c in BY_NUMBER]
    write("f.tsv", table(rows, "system document segment score"))
    made = corpus(ids=("p:x", "q:x", "q:y"), documents=("p", "q", "q"))
    np.testing.assert_array_equal(measured("scores:f.tsv", made), SCORES)


def test_documents_must_agree_if_the_user_does_not_say_how_segments_are_told():
    write("f.tsv", table([(a, "other", b, c) for a, b, c in BY_NUMBER], "system document segment score"))
    made = corpus(ids=("i", "j", "k"), documents=("p", "q", "q"))
    with pytest.raises(CorpusError, match=r"3 of 3 segments are none of corpus 'texts'.*'other/1'"):
        measured("scores:f.tsv", made)
    np.testing.assert_array_equal(measured('scores:f.tsv(segments="numbers")', made), SCORES)


def test_one_of_several_metrics_and_language_pairs():
    rows = [(m, a, b, float(c) * f) for m, f in (("X", 1), ("Y", 2)) for a, b, c in FULL]
    write("f.tsv", table(rows, "metric system segment score"))
    np.testing.assert_array_equal(measured('scores:f.tsv(metric="Y")'), 2 * np.array(SCORES))
    told = """holds several metrics, 'X', 'Y'; name one, scores:f.tsv(metric="X"), or all, scores:f.tsv(metric="*")."""
    with pytest.raises(UsageError, match=re.escape(told)):
        measured("scores:f.tsv")
    with pytest.raises(UsageError, match="unknown metric 'Z'"):
        measured('scores:f.tsv(metric="Z")')
    lines = "".join(
        f"M\t{lp}\tt\tr\t{a}\t{b}\t{float(c) + k}\n" for k, lp in enumerate(("de", "cs")) for a, b, c in BY_NUMBER
    )
    write("w.seg", lines)
    with pytest.raises(UsageError, match=r"values of 'lp', 'de', 'cs'; type scores:w.seg\(only=\[\"lp=de\"\]\)"):
        measured("scores:w.seg")
    np.testing.assert_array_equal(measured('scores:w.seg(only=["lp=cs"])'), np.array(SCORES) + 1)
    with pytest.raises(UsageError, match="column 'lp' has no 'fr'; it has 'de', 'cs'"):
        measured('scores:w.seg(only=["lp=fr"])')
    for only in ("lang=cs", "lp"):
        column = only.partition("=")[0]
        with pytest.raises(UsageError, match=rf"`only` must be column=value; unknown column '{column}'.*'lp'|must be"):
            measured(f'scores:w.seg(only=["{only}"])')


def test_levels():
    write("both.tsv", table([*FULL, ("A", "", 70), ("B", "", 80)]))
    metric = get_metric('scores:both.tsv(level="system")')
    assert metric.score(metric.measure(corpus(), ()).sum(axis=1)).tolist() == [70, 80]
    write("s.tsv", table([("A", 1), ("B", 2)], "system score"))
    with pytest.raises(CorpusError, match="has no column `segment`"):
        measured('scores:s.tsv(level="segment")')
    write("x.doc.score", "A\t1\n")
    with pytest.raises(CorpusError, match="holds scores of documents"):
        measured("scores:x.doc.score")
    write("x.seg.score", FILES["mtme.seg.score"])
    with pytest.raises(CorpusError, match=r"x.seg.score: every row has a segment, so there are no system-level scores"):
        measured('scores:x.seg.score(level="system")')
    write("ids.tsv", FILES["ids.tsv"])
    with pytest.raises(CorpusError, match=r"ids.tsv: every row has a segment, so there are no system-level scores"):
        measured('scores:ids.tsv(level="system")')


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("mtme.seg.score", 'metric="M"', "has no column `metric`, so `metric` has nothing to choose from"),
        ("mtme.seg.score", 'only=["lp=x"]', "unknown column 'lp'. Known columns: 'system', 'score'"),
        ("ids.tsv", 'metric="M"', "has no column `metric`, so `metric` has nothing to choose from"),
    ],
)
def test_nothing_to_choose_from(name, arguments, message):
    write(name, FILES[name])
    with pytest.raises(UsageError, match=message):
        measured(f"scores:{name}({arguments})")


def given_corpus() -> Corpus:
    segments = GivenScores.of(
        "both", "metric", "segment", ("B", "A"), ("d1", "d2", "d3"), np.array([[4, NAN, 6], [1, 2, 3.0]])
    )
    systems = GivenScores.of("both", "metric", "system", ("A", "B"), (), np.array([[50.0], [60.0]]))
    documents = GivenScores.of("whole", "human", "document", ("A", "B"), ("p",), np.array([[1.0], [2.0]]))
    half = GivenScores.of("half", "metric", "system", ("A",), (), np.array([[50.0]]))
    return corpus(scores=(segments, systems, documents, half))


def test_scores_that_came_with_the_corpus():
    made = given_corpus()
    np.testing.assert_array_equal(measured("precomputed:both", made), [[1, 2, 3], [4, NAN, 6]])
    assert "1 of 6 segments" in get_metric("precomputed:both").notes(made)[0]
    given = get_metric("precomputed:both")
    whole = given.at_level(made, whole=True)
    assert (given.of_whole_systems(made), whole.of_whole_systems(made)) == (False, True)
    mean = get_metric('precomputed:both(system="mean")')
    assert mean.at_level(made, whole=True) is mean
    assert whole.score(whole.measure(made, ()).sum(axis=1)).tolist() == [50, 60]
    with pytest.raises(UsageError, match="unknown scores 'bath'; did you mean 'both'"):
        measured("precomputed:bath", made)
    with pytest.raises(UsageError, match="has 'whole' for 'documents' alone; needed are segments or systems"):
        measured("precomputed:whole", made)
    with pytest.raises(MetricError, match="lack the systems 'B'; they have 'A'"):
        measured("precomputed:half", made)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.permutations(FULL), st.booleans())
def test_the_order_of_rows_says_nothing(rows, numbers):
    write("f.tsv", table([(a, b[1:] if numbers else b, c) for a, b, c in rows]))
    np.testing.assert_array_equal(measured("scores:f.tsv"), SCORES)


def test_signature_tells_content_and_direction_and_no_path(tmp_path):
    write("f.tsv", table(FULL))
    (tmp_path / "sub").mkdir()
    write("sub/f.tsv", table(FULL))
    one, same = get_metric("scores:f.tsv"), get_metric(f"scores:{tmp_path}/sub/f.tsv")
    assert str(one.signature) == str(same.signature)
    low = get_metric('scores(file="f.tsv",higher_is_better=False)')
    assert not low.higher_is_better
    assert str(low.signature) != str(one.signature)
    write("sub/f.tsv", table(FULL[::-1]))
    assert str(get_metric("scores:sub/f.tsv").signature) != str(one.signature)


def test_a_file_that_is_gone_is_told():
    metric = get_metric(f"scores:{write('f.tsv', FILES['ids.tsv'])}")
    os.remove("f.tsv")
    for use in (lambda: metric.measure(corpus(), ("r",)), lambda: metric.signature):
        with pytest.raises(CorpusError, match=r"^f.tsv: cannot be read: No such file or directory\.$"):
            use()


def test_scores_and_digest_are_of_the_same_file():
    metric, same = (get_metric(f"scores:{write('f.tsv', FILES['ids.tsv'])}") for _ in range(2))
    np.testing.assert_array_equal(metric.score(metric.measure(corpus(), ())), SCORES)
    before = str(same.signature)
    write("f.tsv", table(FULL[::-1]))
    assert str(metric.signature) == before


def test_what_is_told_of_scores():
    write("my.scores.tsv", table([("M", *row) for row in FULL], "metric system segment score"))
    metric = get_metric("scores:my.scores.tsv")
    assert (metric.title, metric.sources) == ("my", ())
    assert get_metric('scores:my.scores.tsv(metric="M")').title == "M"
    assert metric.described == (
        "Scores that were computed before, of the file my.scores.tsv. The score of a document is the mean of the "
        "scores of its segments that are present; higher is better."
    )
    low = get_metric('precomputed(name="both",higher_is_better=False)')
    assert (low.title, low.sources) == ("both", ())
    assert str(low.signature).startswith("precomputed|name:both|system:auto|better:lower|version:")
    assert low.described == (
        "The scores both that came with the corpus. The score of a whole system is the one that is stored for it, if "
        "there is one. The score of a document is the mean of the scores of its segments "
        "that are present; lower is better."
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("scores", "`file` is missing"),
        ("scores:nowhere.tsv", "there is no file 'nowhere.tsv' .the current directory is"),
        ('scores:x.tsv(file="y")', "gives `file` twice"),
        ("precomputed", "`name` is missing"),
    ],
)
def test_wrong_names(text, message):
    with pytest.raises(UsageError, match=message):
        get_metric(text)


# Experiments, on the corpus that ships: 8 systems, 120 segments.

DEMO = api.load_corpus("demo")
TRUTH = next(one for one in DEMO.scores if one.name == "adequacy-0.55")
QUICK = {"uncertainty": {"method": "none"}}


def test_a_file_and_what_came_with_the_corpus_are_one():
    rows = [(s, n + 1, TRUTH.values[k, n]) for k, s in enumerate(TRUTH.systems) for n in range(120)]
    write("f.tsv", table(rows[::-1]))
    write("low.tsv", table([(s, n, -x) for s, n, x in rows]))
    names = ["scores:f.tsv", "precomputed:adequacy-0.55", 'scores(file="low.tsv",higher_is_better=False)']
    found = api.correlate("demo", names, documents={"kind": "segments"}, **QUICK).correlations
    values = found.pivot(index="metric", columns=["criterion", "coefficient"], values="mean").loc[names].to_numpy()
    assert np.isfinite(values).all()
    np.testing.assert_allclose(values[1:], np.broadcast_to(values[0], values[1:].shape), rtol=1e-12)
    # The corpus says that this metric correlates with the truth of segments.
    assert values[0].min() > 0.05


def test_whole_systems_serve_whole_systems_alone():
    rows = [(s, float(np.mean(TRUTH.values[k]))) for k, s in enumerate(TRUTH.systems)]
    write("s.tsv", table(rows, "system score"))
    found = api.correlate("demo", ["scores:s.tsv", "precomputed:adequacy-0.55"], **QUICK)
    pairs = found.correlations.pivot(index="metric", columns=["criterion", "coefficient"], values="mean").to_numpy()
    np.testing.assert_allclose(pairs[0], pairs[1], rtol=1e-9)
    for kind in ({"kind": "segments"}, {"kind": "pseudo", "lengths": [5]}):
        found = api.correlate("demo", ["bleu", "scores:s.tsv"], documents=kind, **QUICK)
        assert set(found.correlations["metric"]) == {"bleu"}
        assert "demo: left out, because only whole systems have scores: scores:s.tsv." in found.warnings
        assert "(scores:s.tsv has scores of whole systems alone)" in answers_of(found.data)[-1]
        with pytest.raises(MetricError, match=r"'scores:s.tsv' have scores of whole systems alone"):
            api.correlate("demo", ["scores:s.tsv"], documents=kind, **QUICK)


def test_whole_systems_have_no_rows_for_segments(tmp_path):
    rows = [(s, float(np.mean(TRUTH.values[k]))) for k, s in enumerate(TRUTH.systems)]
    write("s.tsv", table(rows, "system score"))
    write("run.toml", 'title = "t"\ncorpora = ["demo"]\nmetrics = ["scores:s.tsv"]\n[documents]\nkind = "all"\n')
    run = api.run("run.toml", output=tmp_path / "out")
    header, *lines = (line.split("\t") for line in (run.directory / "scores.tsv").read_text().splitlines())
    assert {line[header.index("level")] for line in lines} == {"system"}


def test_left_out_references_without_scores_are_no_failure():
    metrics = ["precomputed:adequacy-0.55", "bleu", "chrf"]
    found = api.correlate("demo", metrics, references={"subsets": "leave-one-out"}, **QUICK)
    assert found.failures == ()
    assert set(found.correlations["metric"]) == set(metrics)


@pytest.mark.parametrize(
    ("stored", "same"),
    [
        ([0.2, 0.6, 0.7], True),  # the means
        ([0.2001, 0.6, 0.7], True),  # off by .0001, less than a hundredth of the standard deviation, .216
        ([0.21, 0.6, 0.7], False),
        ([NAN, 0.6, 0.7], True),
        ([0.2, 0.6, 0.5], False),  # the third over all segments, with 0 for the one that is missing
    ],
)
def test_scores_of_systems_that_are_means_are_told_from_others(stored, same):
    scores = np.array([[0.1, 0.3, 0.2], [0.5, 0.7, 0.6], [0.6, 0.8, NAN]])
    assert are_means(np.array(stored), scores) is same


def test_scores_of_systems_without_scores_of_segments_are_no_means():
    assert not are_means(np.array([0.1, 0.2]), np.array([[0.1], [NAN]]))
