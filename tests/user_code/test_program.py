"""Programs of any kind as metrics: lines of JSON in, lines of JSON out."""

from __future__ import annotations

import io
import os
import shutil
import sys
from dataclasses import replace

import numpy as np
import pytest

from metaeval.datamodel.corpus import Corpus
from metaeval.errors import MetricError, UsageError
from metaeval.metrics import get_metric

HEAD = """\
import json, os, sys, time
def answers():
    for line in sys.stdin:
        yield json.loads(line)
def answer(told, score):
    print(json.dumps({"id": told["id"], "score": score}))
"""
LOOP = "for told in answers():\n    "


def corpus(n: int = 4, systems: int = 2) -> Corpus:
    texts = {f"s{k}": ["x" * (i + k + 1) for i in range(n)] for k in range(systems)}
    return Corpus.of_texts(texts, {"r1": ["r"] * n, "r2": [None, *["q"] * (n - 1)]})


@pytest.fixture
def program(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def make(code: str, settings: str = "parallel=False"):
        (tmp_path / "score.py").write_text(HEAD + code)
        return get_metric(f'program(command="{sys.executable} score.py",name="mine",{settings})')

    return make


def test_scores_are_those_of_the_program(program):
    metric = program(LOOP + "answer(told, len(told['candidate']) + 100 * len(told['references']))")
    values = metric.measure(corpus(), ("r1", "r2"))
    # The length of the candidate, and 100 for each reference that is there: the second lacks the first segment.
    assert values[..., 0].tolist() == [[101, 202, 203, 204], [102, 203, 204, 205]]
    assert (values[..., 1] == 1).all()
    assert metric.score(values.sum(axis=1)).tolist() == [177.5, 178.5]


def test_what_it_is_told(program):
    metric = program(LOOP + "print(json.dumps(told), file=open('told', 'a'))\n    answer(told, 1)")
    one = Corpus.of_texts({"a": ['q " \n \u2028 \U0001f600']}, {"r": ["x\ty"]})
    metric.measure(one, ("r",))
    with open("told", encoding="utf-8") as told:
        line = told.read()
    assert line == (
        '{"id": "1", "segment": "1", "system": "a", "candidate": "q \\" \\n \\u2028 \\ud83d\\ude00", '
        '"references": ["x\\ty"]}\n'
    )


def test_it_is_told_the_source_where_there_is_one(program):
    metric = program(LOOP + "answer(told, len(told['source']))")
    one = replace(Corpus.of_texts({"a": ["x", "y"]}, {"r": ["x", "y"]}), sources=("abc", ""))
    assert metric.measure(one, ("r",))[0, :, 0].tolist() == [3, 0]


def test_segments_without_a_text_or_a_reference_are_not_told(program):
    made = Corpus.of_texts({"a": ["x", None, "y"]}, {"r": ["1", "2", None]})
    metric = program(LOOP + "answer(told, 5)")
    np.testing.assert_array_equal(metric.measure(made, ("r",))[0, :, 0], [5, np.nan, np.nan])
    without = program(LOOP + "answer(told, 'references' in told)", "uses_references=False")
    with pytest.raises(MetricError, match="False, which is not a number"):
        without.measure(made, ("r",))


def test_ids_are_unique_in_the_whole_stream_and_answers_may_come_in_any_order(program):
    # Two sets of references, two systems of four segments: the second reference lacks the first segment.
    code = "rows = list(answers())\nfor told in reversed(rows): answer(told, int(told['id']))\n"
    metric = program("open('starts', 'a').write('x')\n" + code)
    first, second = metric.measure_subsets(corpus(), [("r1",), ("r2",)])
    assert first[..., 0].tolist() == [[1, 2, 3, 4], [5, 6, 7, 8]]
    np.testing.assert_array_equal(second[..., 0], [[np.nan, 9, 10, 11], [np.nan, 12, 13, 14]])
    with open("starts") as starts:
        assert starts.read() == "x"


def test_the_id_of_the_corpus_goes_along(program):
    metric = program(LOOP + "answer(told, len(told['segment']))")
    one = replace(Corpus.of_texts({"a": ["x", "y"]}, {"r": ["x", "y"]}), segment_ids=("doc:7", "d"))
    assert metric.measure(one, ("r",))[0, :, 0].tolist() == [5, 1]


def test_lots_are_no_deadlock(program):
    # A program that answers only once it has all, in reverse: 4000 segments of 1000 characters fill pipes.
    metric = program(
        "waiting = list(answers())\nfor one in reversed(waiting): answer(one, len(one['candidate']) * 1.5)\n"
    )
    made = Corpus.of_texts({k: ["y" * (1000 + i) for i in range(2000)] for k in "ab"}, {"r": ["z"] * 2000})
    values = metric.measure(made, ("r",))
    assert values[1, :3, 0].tolist() == [1500, 1501.5, 1503]


def test_it_ends_when_all_is_answered(program):
    metric = program(LOOP + "answer(told, os.getpid())")
    pid = int(metric.measure(corpus(1, 1), ("r1",))[0, 0, 0])
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_what_it_leaves_behind_holds_up_nobody(program):
    # A child that inherits the output and goes on sleeping; the program itself ends before all is answered.
    metric = program("import subprocess\nsubprocess.Popen(['sleep', '1000'])\nsys.exit(3)")
    with pytest.raises(MetricError, match="it ended with exit code 3; it has answered 0 of 4 segments"):
        metric.measure(corpus(4, 1), ("r1",))


@pytest.mark.skipif(shutil.which("awk") is None, reason="there is no awk")
def test_a_program_of_awk_that_answers_at_the_end(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = 'match($0, /"id": "[^"]*"/) { id[NR] = substr($0, RSTART, RLENGTH); n[NR] = length($0) }\n'
    end = 'END { for (k = 1; k <= NR; k++) printf "{%s, \\"score\\": %d}\\n", id[k], n[k] }\n'
    (tmp_path / "score.awk").write_text(code + end)
    metric = get_metric('program(command="awk -f score.awk",uses_references=False)')
    # {"id": "1", "segment": "1", "system": "s0", "candidate": "x"} has 61 letters.
    assert metric.measure(corpus(), ())[..., 0].tolist() == [[61, 62, 63, 64], [62, 63, 64, 65]]


@pytest.mark.parametrize(("name", "value"), [("stdin", '"close"'), ("timeout", "20")])
def test_parameters_that_are_no_longer_there_say_so(name, value):
    with pytest.raises(UsageError, match=f"^metric 'program': `{name}` is no longer .*, leave it out: a program "):
        get_metric(f'program(command="{sys.executable} x.py",{name}={value})')


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_bar_of_a_program_is_shown_as_it_grows(program, monkeypatch):
    # The program goes on when its bar was seen, whose line has not ended.
    os.mkfifo("go")
    seen = []

    class Watched(io.StringIO):
        def write(self, text):
            seen.append(text)
            if "".join(seen).endswith(" 50%\r"):
                with open("go", "w"):
                    pass
            return len(text)

    monkeypatch.setattr(sys, "stderr", Watched())
    metric = program(
        "sys.stderr.write('\\r 50%\\r')\nopen('go').read()\nsys.stderr.write('100%\\n')\n" + LOOP + "answer(told, 1)"
    )
    assert metric.measure(corpus(), ("r1",))[0, 0, 0] == 1
    assert "".join(seen) == "\r 50%\r100%\n"


WRONG = [
    ("answer(told, None)", "system 's0', segment 1: it returned None, which is not a number"),
    ("answer(told, 'high')", "system 's0', segment 1: it returned 'high', which is not a number"),
    ("answer(told, float('inf'))", "system 's0', segment 1: it returned inf, which is not a finite number"),
    ("print('hello')", "an answer must look like .*; got 'hello'. Anything else belongs on stderr"),
    ("print('[1]')", r"an answer must look like .*; got '\[1\]'"),
    ("print(json.dumps({'id': 'x', 'score': 1}))", "the id 'x' which no segment has"),
    ("answer(told, 1); answer(told, 1)", "the id '1' a second time"),
    (
        "sys.stderr.write('no model\\n'); sys.exit(4)",
        "exit code 4; it has answered 0 of 8 segments and not yet the id '1' .*segment 1.* on stderr: no model",
    ),
    ("os.kill(os.getpid(), 11)", "was ended by signal SIGSEGV"),
    (
        "answer(told, 1)\n    if told['id'] == '3': sys.exit()",
        "exit code 0; it has answered 3 of 8 .* not yet the id '4' .system 's0', segment 4",
    ),
    ("raise ValueError('bad weights')", "ended with exit code 1; .* ValueError: bad weights"),
]


@pytest.mark.parametrize(("code", "message"), WRONG, ids=[code for code, _ in WRONG])
def test_what_goes_wrong_is_told(program, code, message):
    with pytest.raises(MetricError, match=f"program 'mine'.*{message}"):
        program(LOOP + code).measure(corpus(), ("r1",))


def test_after_an_error_it_is_started_again(program):
    metric = program(
        LOOP + "n = open('starts', 'a+'); n.seek(0); first = not n.read(); n.write('x'); n.close()\n"
        "    answer(told, None if first else 2)"
    )
    with pytest.raises(MetricError, match="it returned None"):
        metric.measure(corpus(), ("r1",))
    assert metric.measure(corpus(), ("r1",))[0, 0, 0] == 2


def test_signature_has_digests_and_no_path(program, tmp_path):
    first = str(program("pass").signature)
    assert first.startswith(f"mine|command:{sys.executable.rpartition('/')[2]} score.py@")
    assert str(tmp_path) not in first
    assert sys.executable not in first
    assert str(program("pass # other").signature) != first


def test_what_is_told_of_a_program():
    metric = get_metric(f'program(command="{sys.executable} x.py",higher_is_better=False,uses_references=False)')
    assert (metric.title, metric.sources) == ("program", ())
    assert metric.described == (
        f"The program {sys.executable} gives a score for each segment, of which it gets the candidate, and the "
        "source where there is one. The score of a document is the mean of the scores of its segments; lower is better."
    )
    assert "it gets candidate and references, and the source" in get_metric('program(command="python3 x.py")').described


@pytest.mark.skipif(os.name != "posix", reason="what can be run is known by its rights")
def test_a_program_that_cannot_be_started_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken").write_bytes(b"\x00\x01")
    (tmp_path / "broken").chmod(0o755)
    metric = get_metric('program(command="./broken --fast",name="mine")')
    # What is no text has no digest.
    assert str(metric.signature).startswith("mine|command:broken --fast|")
    with pytest.raises(
        MetricError, match=r"^program 'mine': cannot be started: Exec format error \(./broken --fast\)\.$"
    ):
        metric.measure(corpus(), ("r1",))


def test_a_program_that_closes_its_output_and_goes_on_is_ended(program, monkeypatch):
    monkeypatch.setattr("metaeval.user_code.program._EXIT_TIMEOUT_SECONDS", 0.1)
    metric = program("open('pid', 'w').write(str(os.getpid()))\nos.close(1)\ntime.sleep(60)")
    with pytest.raises(MetricError, match=r"closed its output and went on; it has answered 0 of 8 segments"):
        metric.measure(corpus(), ("r1",))
    with open("pid") as file, pytest.raises(ProcessLookupError):
        os.kill(int(file.read()), 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("program", "`command` is missing"),
        ('program(command="")', "must name a program; got nothing"),
        ('program(command="no-such-program x")', "there is no program 'no-such-program'"),
        ('program(command="python \'x")', "must be a command line; got .*No closing quotation"),
    ],
)
def test_wrong_commands(text, message):
    with pytest.raises(UsageError, match=message):
        get_metric(text)
