"""Functions that others bring: what they may be, how they are named, and that their errors harm nothing else."""

from __future__ import annotations

import os
import pickle
import re
import sys
from dataclasses import replace

import numpy as np
import pytest

from metaeval import api
from metaeval.datamodel.corpus import Corpus
from metaeval.errors import MetaevalWarning, MetricError, UsageError
from metaeval.metrics import get_metric, is_metric
from metaeval.user_code import metric_from_name as loading
from metaeval.user_code.metric_from_object import held_metric
from tests.support.plugins import TEXTS, in_a_directory_of_its_own, measured, module

__all__ = ["in_a_directory_of_its_own"]

NAN = pytest.approx(np.nan, nan_ok=True)


# What a function may be.


def test_a_function_is_called_for_each_segment_with_the_references_it_has():
    module("def f(candidate, references):\n    return len(candidate) + 10 * len(references)\n")
    assert measured("mine.py:f") == [[13, 21, NAN], [11, NAN, NAN]]
    assert measured("mine.py:f", references=("q",)) == [[NAN, 11, NAN], [NAN, NAN, NAN]]


def test_what_a_function_is_given():
    module("def f(candidate, references, source):\n    return hash((candidate, *references, source)) % 1000\n")
    expected = [hash(("a b", "a", "s1")) % 1000, hash(("c", "c d", "e", "s2")) % 1000]
    assert measured("mine.py:f", replace(TEXTS, sources=("s1", "s2", "s3")))[0][:2] == expected


def test_a_source_may_be_needed_or_wanted():
    module(
        "def f(candidate, references, source): return 1\n"
        "def g(candidate, references, source=None): return len(source or '')"
    )
    with pytest.raises(MetricError, match=r"metric 'mine.py:f': it needs sources, and the corpus 'texts' has none"):
        measured("mine.py:f")
    assert measured("mine.py:g")[0][0] == 0
    assert measured("mine.py:g", replace(TEXTS, sources=("abc", "", "")))[0][0] == 3


def test_a_metric_without_references_is_measured_where_there_are_none():
    module("def f(candidate, source): return len(candidate) - len(source)")
    metric = get_metric("mine.py:f")
    assert not metric.uses_references
    assert measured("mine.py:f", replace(TEXTS, sources=("x", "", ""))) == [[2, 1, 0], [0, NAN, 5]]


def test_a_function_of_all_segments():
    module(
        "def f(candidates, references, sources=None, scale=1):\n"
        "    return [scale * (len(c) + 10 * len(r)) for c, r in zip(candidates, references, strict=True)]\n"
        "import numpy as np\n"
        "def g(candidates, references): return np.arange(len(candidates), dtype=np.float32)\n"
    )
    assert measured("mine.py:f(scale=2)") == [[26, 42, NAN], [22, NAN, NAN]]
    assert measured("mine.py:g") == [[0, 1, NAN], [0, NAN, NAN]]


def test_numbers_of_other_libraries_are_numbers():
    module(
        "import numpy as np\nfrom fractions import Fraction\n"
        "def f(candidate, references, kind): return {'f4': np.float32(0.5), 'i8': np.int64(3), 'zero': np.array(0.25), "
        "'int': 7, 'half': Fraction(1, 2)}[kind]\n"
    )
    found = [measured(f"mine.py:f(kind='{kind}')")[0][0] for kind in ("f4", "i8", "zero", "int", "half")]
    assert found == [0.5, 3, 0.25, 7, 0.5]


def test_objects_that_can_be_called_and_dotted_names():
    module(
        "import functools\n"
        "class C:\n    def __init__(self, k): self.k = k\n"
        "    def __call__(self, candidate, references): return self.k\n"
        "    def method(self, candidate, references, /): return 10 * self.k\n"
        "obj = C(3)\npart = functools.partial(lambda candidate, references, k: k, k=4)\n"
    )
    assert [measured(f"mine.py:{name}")[0][0] for name in ("obj", "obj.method", "part", "part(k=6)")] == [3, 30, 4, 6]


def test_attributes_and_parameters():
    module(
        "def f(candidate, references, alpha=0.5, mode='x', strange=print):\n"
        "    'Says what.\\n\\nMore.'\n    return alpha\n"
        "f.higher_is_better = False\nf.title = 'F!'\nf.sources = ['popovic2015']\n"
    )
    metric = get_metric("mine.py:f(alpha=2)")
    assert (metric.title, metric.higher_is_better, metric.sources) == ("F!", False, ("popovic2015",))
    assert metric.notes(TEXTS) == ()
    assert measured("mine.py:f(alpha=2)")[0][0] == 2
    assert metric.described.startswith("Says what. The function f of mine.py gives a score for each segment.")
    assert re.fullmatch(r"f\|alpha:2\|mode:'x'\|strange:print\|file:[0-9a-f]{8}\|version:.*", str(metric.signature))
    facts, rows = api.describe_metric("mine.py:f")
    assert facts["better"] == "lower"
    assert [(row["parameter"], row["default"]) for row in rows] == [
        ("alpha", "0.5"),
        ("mode", "'x'"),
        ("strange", "print"),
    ]


def test_ways_to_bring_scores_are_listed_and_shown():
    rows = {row["name"]: row for row in api.list_metrics()}
    assert rows["program"]["parameters"] == "command, name, higher_is_better, uses_references, parallel"
    assert rows["chrf"]["package"].startswith("metaeval ")
    facts, described = api.describe_metric("scores")
    assert facts["is"].startswith("Scores of a file")
    assert described[0] == {"parameter": "file", "default": "", "allowed": "", "meaning": described[0]["meaning"]}


def test_what_is_assumed_is_noted():
    module("def f(candidate, references): return 1")
    (note,) = get_metric("mine.py:f").notes(TEXTS)
    assert note == "it is assumed that higher is better; if not, set `f.higher_is_better = False` in mine.py."
    module("class C:\n    def score(self, candidate): return 1\nc = C()\n")
    (note,) = get_metric("mine.py:c.score").notes(TEXTS)
    assert note.endswith(
        "write `def mine(candidate, references): ...` around it in mine.py, and set `mine.higher_is_better = False`."
    )
    (note,) = held_metric(lambda candidate: 1.0).item.notes(TEXTS)
    assert note.endswith("write it as `def mine(candidate, references): ...`, and set `mine.higher_is_better = False`.")


def test_paths_of_every_kind(tmp_path, monkeypatch):
    code = "def f(candidate, references): return 1"
    for name in ("sub/mine.py", "with space (1).py", "numbers.py"):
        module(code, name)
        assert measured(f"{name}:f")[0][0] == 1
        assert measured(f"{tmp_path / name}:f")[0][0] == 1
    monkeypatch.setenv("HOME", str(tmp_path))
    assert measured("~/sub/mine.py:f")[0][0] == 1
    # No path of a machine, and nothing of the way it was written, is in the signature.
    signatures = {
        str(get_metric(f"{way}:f").signature) for way in ("sub/mine.py", "~/sub/mine.py", tmp_path / "numbers.py")
    }
    assert len(signatures) == 1


def test_what_lies_beside_a_file_can_be_imported_and_is_in_the_digest():
    module("def helper(): return 5", "near_the_metric.py")
    module("def f(candidate, references):\n    import near_the_metric\n    return near_the_metric.helper()")
    module("import near_the_metric\ndef f(candidate, references): return near_the_metric.helper()", "early.py")
    assert measured("mine.py:f")[0][0] == measured("early.py:f")[0][0] == 5
    before = str(get_metric("early.py:f").signature)
    module("def helper(): return 6", "near_the_metric.py")
    assert str(get_metric("early.py:f").signature) != before
    assert measured("early.py:f")[0][0] == 6


def test_a_file_that_changes_is_loaded_again_and_a_named_metric_does_not_change():
    module("def f(candidate, references): return 1")
    old = get_metric("mine.py:f")
    module("def f(candidate, references): return 2")
    assert measured("mine.py:f")[0][0] == 2
    with pytest.raises(MetricError, match=r"mine.py has changed since the metric was named"):
        old.measure(TEXTS, ("r",))


def test_a_file_that_is_gone_is_told():
    module("def f(candidate, references): return 1")
    metric = get_metric("mine.py:f")
    os.remove("mine.py")
    with pytest.raises(MetricError, match=r"^metric 'mine.py:f': the file mine.py is no longer there\.$"):
        metric.measure(TEXTS, ("r",))


def test_arguments_may_be_lists_and_a_metric_is_still_a_key():
    module("def f(candidate, references, words=()): return len(words)\nf.higher_is_better = True\n")
    assert measured("mine.py:f(words=['a', 'b'])")[0][0] == 2
    one, same, other = (get_metric(f"mine.py:f(words={words})") for words in ("['a']", "[ 'a' ]", "['b']"))
    assert len({one, same, other}) == 2
    found = api.correlate("demo", ["mine.py:f(words=['a'])", "bleu"], uncertainty={"method": "none"})
    assert found.failures == ()
    assert set(found.correlations["metric"]) == {"mine.py:f(words=['a'])", "bleu"}


# Names that are wrong.

NAMES = [
    ("nowhere.py:f", UsageError, "there is no file 'nowhere.py' .the current directory is"),
    ("mine.py", UsageError, "name an object of the file, as in mine.py:f; it has 'f', 'g', 'obj'"),
    ("mine.py:", UsageError, "name an object of the file"),
    ("mine.py:h", UsageError, "there is no 'h' in it; there is f, g, obj"),
    ("mine.py:number", UsageError, "it is an object of the class 'int', which is not a metric"),
    ("mine.py:Class", UsageError, "it is the class 'Class', which is not a metric: write a function around it"),
    (
        "mine.py:Called",
        UsageError,
        r"'Called', which is not a metric, but an object of it is one: write `called = Called\(\)` in mine.py, and "
        r"name mine.py:called\.$",
    ),
    (
        "mine.py:Scorer",
        UsageError,
        r"the method `score` of an object of it is one: write `scorer = Scorer\(\.\.\.\)` in mine.py, and name "
        r"mine.py:scorer.score\.$",
    ),
    (
        "mine.py:Scorer.score",
        UsageError,
        r"is a method of the class 'Scorer': write `scorer = Scorer\(\.\.\.\)` in mine.py, and name "
        r"mine.py:scorer.score\.$",
    ),
    ("mine.py:Called.__call__", UsageError, r"method of the class 'Called': write `called = Called\(\)` in mine.py"),
    (
        "mine.py:Counts",
        UsageError,
        r"the method `score` of an object of it is one: write `counts = Counts\(\.\.\.\)` in mine.py, and name ",
    ),
    ("mine.py:wrapped", UsageError, "`self` is missing; wrapped has no default for it"),
    (
        "mine.py:made",
        UsageError,
        r"'Scorer', which is not a metric, but its method `score` is one: name mine.py:made.score",
    ),
    (
        "mine.py:odd",
        UsageError,
        r"must be a function with the parameters candidate, references.*; it has \(prediction, gold\)\. Write "
        r"`def odd\(candidate, references\):`, or other names \(candidate: candidate, hyp, hypothesis",
    ),
    ("mine.py:f(beta=1)", UsageError, "unknown parameter 'beta'. Known parameters: 'alpha'"),
    ("mine.py:g", UsageError, "`k` is missing; g has no default for it"),
    ("mine.py:f(1)", UsageError, "must be written parameter=value"),
    ("mine.py:stars", UsageError, r"it must name its parameters; it has \*rest"),
    ("mine.py:low", UsageError, "its attribute `higher_is_better` must be True or False; got 'no'"),
    ("broken.py:f", MetricError, r"broken.py: loading it: ZeroDivisionError: division by zero \(broken.py:2\)"),
    ("syntax.py:f", MetricError, r"syntax.py: loading it: SyntaxError: .* \(syntax.py:1\)"),
    ("lacks.py:f", MetricError, r"loading it: ModuleNotFoundError: No module named 'no_such_module' \(lacks.py:1\)"),
    ("exits.py:f", MetricError, r"loading it: it called for the end of the program, SystemExit\(0\) \(exits.py:1\)"),
    (
        "blue",
        UsageError,
        "unknown metric 'blue'; did you mean 'bleu'.*metaeval.list_metrics.*my_metric.py:name, a file of scores",
    ),
]


@pytest.mark.parametrize(("text", "kind", "message"), NAMES)
def test_wrong_names_are_told(text, kind, message):
    module(
        "from os.path import join\nimport os\n"
        "def f(candidate, references, alpha=1): return 1\ndef g(candidate, references, k): return 1\n"
        "class Class: pass\ndef odd(prediction, gold): return 1\nnumber = 3\n"
        "def stars(candidate, *rest): return 1\ndef low(candidate, references): return 1\nlow.higher_is_better = 'no'\n"
        "class Called:\n    def __call__(self, candidate, references): return 2\nobj = Called()\n"
        "class Scorer:\n    def __init__(self, model): pass\n    def helper(self, x): return x\n"
        "    def score(self, candidate, references): return 2\nmade = Scorer(1)\n"
        "class Counts(dict):\n    def score(self, candidate, references): return 2\n"
        "def with_self(f):\n    def wrapper(self, candidate, references): return f(candidate, references)\n"
        "    return wrapper\n@with_self\ndef wrapped(candidate, references): return 2\n"
    )
    module("\n1 / 0\n", "broken.py")
    module("def f(:", "syntax.py")
    module("import no_such_module", "lacks.py")
    module("raise SystemExit(0)", "exits.py")
    if text == "mine.py" or text.endswith((":", ":h")):
        message = message.replace("'f', 'g', 'obj'", "'f', 'g', 'stars', 'low', 'obj'").replace(
            "f, g, obj", "f, g, stars, low, obj"
        )
    with pytest.raises(kind, match=message):
        get_metric(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bleu(order=2)", True),
        ("scores:x", True),
        ("a/b.py:f(x=1)", True),
        ("program", True),
        ("case", False),
        ("x.toml", False),
    ],
)
def test_what_looks_like_a_metric(text, expected):
    assert is_metric(text) is expected


# What goes wrong while scoring.

BODY = [
    ("raise ValueError('bad\\nnews')", r"system 'A', segment 1: ValueError: bad news \(mine.py:3\)"),
    (
        "return len(candidate) if len(candidate) != 1 else None",
        r"system 'A', segment 2: it returned None, which is not a number",
    ),
    ("return '0.5'", "segment 1: it returned '0.5', which is not a number"),
    ("return True", "segment 1: it returned True, which is not a number"),
    ("return np.bool_(True)", "segment 1: it returned True, which is not a number"),
    ("return [1.0]", r"segment 1: it returned \[1.0\], which is not a number"),
    ("return 1j", "segment 1: it returned 1j, which is not a number"),
    ("return float('nan')", "segment 1: it returned nan, which is not a finite number"),
    ("return np.float32('-inf')", "segment 1: it returned -inf, which is not a finite number"),
    ("sys.exit(3)", r"segment 1: it called for the end of the program, SystemExit\(3\) \(mine.py:3\)"),
    ("import json; return json.loads('{')", r"segment 1: json.decoder.JSONDecodeError: .* \(mine.py:3\)"),
    ("return g()", r"segment 1: KeyError: 'k' \(mine.py:4\)"),
]


@pytest.mark.parametrize(("body", "message"), BODY, ids=[body for body, _ in BODY])
def test_errors_name_metric_system_segment_and_line(body, message):
    module(f"import numpy as np, os, sys\ndef f(candidate, references):\n    {body}\ndef g(): return {{}}['k']\n")
    with pytest.raises(MetricError, match=f"^metric 'mine.py:f', .*{message}"):
        measured("mine.py:f")


MANY = [
    ("return [1.0]", "metric 'mine.py:f', system 'A': it returned 1 scores for 2 segments"),
    ("return 'ab'", "system 'A': it returned 'ab' where it must return a list of numbers, one for each of 2 segments"),
    ("return {0.1, 0.2}", "a set, which has no order; it must return a list of numbers, one for each of 2 segments"),
    ("return frozenset((1, 2))", "a set, which has no order"),
    ("return {1: 2, 3: 4}.keys()", "a set, which has no order"),
    ("return {1: 2, 3: 4}", "where it must return a list of numbers"),
    ("return None", "system 'A': it returned None where it must return a list"),
    ("return [1.0, None]", "system 'A', segment 2: it returned None, which is not a number"),
    ("return [None, 1.0]", "system 'A', segment 1: it returned None, which is not a number"),
    ("return [[1.0], [2.0]]", r"system 'A', segment 1: it returned \[1.0\], which is not a number"),
    ("raise RuntimeError('no memory')", r"system 'A': RuntimeError: no memory \(mine.py:2\)"),
]


@pytest.mark.parametrize(("body", "message"), MANY, ids=[body for body, _ in MANY])
def test_errors_of_functions_of_all_segments(body, message):
    module(f"def f(candidates, references):\n    {body}\n")
    with pytest.raises(MetricError, match=message):
        measured("mine.py:f")


def test_a_default_is_shown_as_the_same_text_in_every_process():
    module(
        "class Odd:\n    def __repr__(self): return '1'\n"
        "def f(candidate, references, a=Odd(), b=float('nan'), c=(1, 'x')): return 1\n"
    )
    assert "|a:Odd|b:float|c:(1, 'x')|" in str(get_metric("mine.py:f").signature)


def test_ids_are_told_where_they_are_no_numbers():
    module("def f(candidate, references): raise ValueError('no')")
    with pytest.raises(MetricError, match=r"segment 1 \(id 'doc:7'\): ValueError"):
        measured("mine.py:f", replace(TEXTS, segment_ids=("doc:7", "doc:8", "doc:9")))


def test_a_limit_of_time_that_is_set_has_no_effect_and_that_is_said(monkeypatch):
    module("def f(candidate, references): return 1")
    monkeypatch.setenv("METAEVAL_METRIC_TIMEOUT", "soon")
    loading._warn_of_timeout.cache_clear()
    with pytest.warns(MetaevalWarning, match="METAEVAL_METRIC_TIMEOUT is set and has no effect any more.*unset the va"):
        get_metric("mine.py:f")
    assert measured("mine.py:f")[0][0] == 1  # without a second warning, which would be an error


def test_it_works_again_after_an_error():
    module("def f(candidate, references):\n    return 1 if candidate != 'c' else 1 / 0\n")
    for _ in range(2):
        with pytest.raises(MetricError, match="ZeroDivisionError"):
            measured("mine.py:f")
    assert measured("mine.py:f", Corpus.of_texts({"A": ["x"]}, {"r": ["y"]}), ("r",)) == [[1]]


def test_what_it_prints_does_not_reach_stdout(capfd):
    module(
        "import ctypes, os, subprocess, sys\nprint('loaded')\n"
        "def f(candidate, references):\n    print('here')\n    os.write(1, b'raw ')\n"
        "    sys.__stdout__.write('kept ')\n"
        "    subprocess.run([sys.executable, '-c', 'print(\"child\")'])\n"
        "    if os.name == 'posix': ctypes.CDLL(None).printf(b'c ')\n    return 1\n"
    )
    sys.stdout.write("ours ")  # what we have printed before stays where it is
    assert get_metric("mine.py:f").measure(TEXTS, ("r",))[0, 0, 0] == 1
    sys.stdout.flush()
    out, err = capfd.readouterr()
    assert out == "ours "
    # Two texts of the first system and one of the second have a reference.
    assert [err.count(word) for word in ("loaded", "here", "raw", "kept", "child")] == [1, 3, 3, 3, 3]
    assert os.name != "posix" or err.count("c ") == 3


def test_without_stderr_a_metric_may_print(monkeypatch):
    module("def f(candidate, references): return print('x', flush=True) or 1")
    monkeypatch.setattr(sys, "stderr", None)
    assert measured("mine.py:f")[0][0] == 1


def test_stdout_is_a_file_to_write_to():
    module("import sys\ndef f(candidate, references): return int(sys.stdout.writable())")
    assert measured("mine.py:f")[0][0] == 1


def test_changing_arguments_harms_nobody():
    module(
        "def f(candidates, references):\n    n = len(candidates)\n"
        "    candidates.clear(); references.clear()\n    return [n] * n\n"
    )
    before = pickle.dumps((TEXTS.candidates, dict(TEXTS.references)))
    for _ in range(2):
        assert measured("mine.py:f") == [[2, 2, NAN], [1, NAN, NAN]]
    assert pickle.dumps((TEXTS.candidates, dict(TEXTS.references))) == before
