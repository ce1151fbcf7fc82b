"""Classes that others bring, and experiments with metrics of others: one that fails takes nothing with it."""

from __future__ import annotations

import os
import pickle
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from metaeval import api
from metaeval.cli import main
from metaeval.datamodel.corpus import Corpus
from metaeval.errors import MetricError, UsageError
from metaeval.metrics import get_metric, naming
from tests.support.gold import encode
from tests.support.plugins import TEXTS, in_a_directory_of_its_own, measured, module
from tests.support.processes import HANGS, started

__all__ = ["in_a_directory_of_its_own"]

NAN = pytest.approx(np.nan, nan_ok=True)
QUICK = {"uncertainty": {"method": "none"}}


# Classes that follow a contract.

OVERLAP = '''
from __future__ import annotations
from dataclasses import dataclass
from typing import ClassVar
import numpy as np
from metaeval.parameters.calls import Signature
from metaeval.parameters.fields import parameter

@dataclass(frozen=True)
class Overlap:
    """The share of tokens."""
    name: ClassVar[str] = "overlap"
    title: ClassVar[str] = "Overlap"
    higher_is_better: ClassVar[bool] = True
    statistic_names: ClassVar[tuple[str, ...]] = ("matches", "length")
    power: float = parameter(1.0, doc="of the share", minimum=0)
    wrong: str = parameter("", doc="what goes wrong")

    @property
    def signature(self):
        return Signature("overlap").with_items(power=self.power)

    def prepare(self, references):
        return [set().union(*tokens) for tokens in zip(*(text.tokens for text in references))]

    def statistics(self, candidates, prepared):
        rows = [[sum(t in known for t in tokens), len(tokens)] for tokens, known in zip(candidates.tokens, prepared)]
        values = np.array(rows, dtype=float)
        if self.wrong == "absent": values[:] = np.nan
        if self.wrong == "inf": values[3, 0] = np.inf
        if self.wrong == "raise": raise ValueError("no")
        if self.wrong == "write": candidates.ids[0] = 3
        if self.wrong == "shape": return values[:-1]
        if self.wrong == "text": return [["x"]]
        if self.wrong == "exit": raise SystemExit(2)
        if self.wrong == "print": print("hi")
        return values

    def score(self, statistics):
        if self.wrong == "score": raise KeyError("x")
        if self.wrong == "infinite": return np.full(statistics.shape[:-1], np.inf)
        if self.wrong == "late" and statistics.ndim > 2: raise KeyError("late")
        return (statistics[..., 0] / np.maximum(statistics[..., 1], 1)) ** self.power

@dataclass(frozen=True)
class Plain(Overlap):
    other: int = 3

class Half:
    def statistics(self): ...
    def score(self): ...
    higher_is_better = True

ready = Overlap(2.0)

class Unsure(Overlap):
    higher_is_better = "yes"

class Unsigned(Overlap):
    signature = "overlap"

class Asking:
    def __init__(self, k): ...
    statistics = score = None

unsure, unsigned = Unsure(), Unsigned()
'''


def correlate(*metrics: str, **settings: object) -> api.Results:
    return api.correlate("demo", list(metrics), criteria=["adequacy"], **QUICK, **settings)


def values(found: api.Results) -> dict[str, float]:
    rows = found.correlations[found.correlations["coefficient"] == "pearson"]
    return dict(zip(rows["metric"], rows["mean"], strict=True))


def test_a_class_of_tokens_is_our_metric_of_the_same_definition():
    module(OVERLAP + "from metaeval.metrics.per import Per\nclass Mine(Per):\n    title = 'Mine'\n")
    found = correlate("mine.py:Mine(normalise='reference')", "per(normalise='reference')", preprocessing=["nocase"])
    first, second = values(found).values()
    assert first == second
    assert found.failures == ()


def test_classes_take_parameters_and_objects_none():
    module(OVERLAP)
    (squared,) = values(correlate("mine.py:Overlap(power=2)")).values()
    found = values(correlate("mine.py:Overlap", "mine.py:ready"))
    assert found["mine.py:ready"] == squared != found["mine.py:Overlap"]
    with pytest.raises(UsageError, match="are the same metric, overlap"):
        correlate("mine.py:Overlap(power=2)", "mine.py:ready")
    for text, message in [
        ("mine.py:Overlap(power=-1)", "`power` must be at least 0; got -1.0"),
        ("mine.py:Overlap(x=1)", "unknown parameter 'x'"),
        ("mine.py:ready(power=1)", "is already an instance, so it takes no parameters"),
        ("mine.py:Plain", "the fields 'other' of Plain must be declared as parameters"),
        ("mine.py:Half(x=1)", "Half is not a dataclass, so it takes no parameters"),
        ("mine.py:unsure", "`higher_is_better` must be True or False; got 'yes'"),
        ("mine.py:unsigned", "`signature` must be a metaeval.parameters.calls.Signature; got 'overlap'"),
        (
            "mine.py:Half",
            "it lacks what a metric must have: 'name', 'title', 'statistic_names', 'signature', 'prepare'",
        ),
    ]:
        with pytest.raises(UsageError, match=message):
            get_metric(text)
    facts, rows = api.describe_metric("mine.py:Overlap(power=2)")
    assert facts["is"] == "The share of tokens."
    assert re.fullmatch(r"overlap\|power:2.0\|file:[0-9a-f]{8}", facts["signature"])
    assert [row["parameter"] for row in rows] == ["power", "wrong"]


FAILING = {
    "inf": r"system 'sys1', preprocessing 'case\(.*\)', segment 4: the statistics are infinite",
    "raise": r"system 'sys1', preprocessing 'case\(.*\)': the statistics: ValueError: no \(mine.py:\d+\)",
    "write": "the statistics: ValueError: assignment destination is read-only",
    "shape": r"statistics must have the shape \(120, 2\); got \(119, 2\)",
    "text": r"statistics must be numbers; got \[\['x'\]\]",
    "exit": r"the statistics: it called for the end of the program, SystemExit\(2\)",
    "score": "the score of pooled statistics: KeyError: 'x'",
    "infinite": "the score of pooled statistics is infinite",
    "late": "the score of pooled statistics: KeyError: 'late'",
}


@pytest.mark.parametrize("wrong", FAILING)
def test_other_metrics_go_on_without_one_that_fails(wrong):
    module(OVERLAP)
    found = correlate("bleu(order=1)", f"mine.py:Overlap(wrong='{wrong}')", jobs=2)
    alone = correlate("bleu(order=1)")
    assert values(found) == values(alone)
    (failure,) = found.failures
    assert re.search(FAILING[wrong], failure)
    assert failure in found.warnings


def test_what_classes_print_goes_to_stderr(capsys):
    module(OVERLAP)
    correlate("mine.py:Overlap(wrong='print')", jobs=2)
    # "hi" for each of 8 systems.
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "hi\n" * 8


def test_a_class_that_cannot_be_made_is_told_without_a_line_of_ours():
    module(OVERLAP)
    with pytest.raises(MetricError, match=r"making it: TypeError: .*missing 1 required positional argument: 'k'\.$"):
        get_metric("mine.py:Asking")


def test_what_is_told_of_an_object():
    module(OVERLAP)
    metric = get_metric("mine.py:Overlap")
    assert (metric.name, metric.title, metric.sources) == ("overlap", "Overlap", ())
    assert metric.described == "An object of mine.py."


def test_a_class_may_have_no_statistics_of_any_segment():
    module(OVERLAP)
    candidates, references = encode(["a", "b"], ["a", "b"])
    metric = get_metric("mine.py:Overlap(wrong='absent')")
    assert np.isnan(metric.statistics(candidates, metric.prepare([references]))).all()


def test_a_class_of_an_installed_package(tmp_path, monkeypatch):
    site = tmp_path / "site"
    module(OVERLAP.replace('"overlap"', '"shared-words"'), "site/shared_words_of_a_test.py")
    module(
        "[metaeval.metrics]\nshared-words = shared_words_of_a_test:Overlap\n",
        "site/words-1.2.dist-info/entry_points.txt",
    )
    module("Metadata-Version: 2.1\nName: words\nVersion: 1.2\n", "site/words-1.2.dist-info/METADATA")
    monkeypatch.syspath_prepend(str(site))
    naming._entry_points.cache_clear()
    try:
        metric = get_metric("shared-words(power=2)")
        (row,) = (row for row in api.list_metrics() if row["name"] == "shared-words")
    finally:
        naming._entry_points.cache_clear()
        sys.modules.pop("shared_words_of_a_test", None)
    assert row["package"] == "words 1.2"
    assert metric.described == "An object of words 1.2."
    assert re.fullmatch(r"shared-words\|power:2.0\|package:words-1.2\|file:[0-9a-f]{8}", str(metric.signature))


def test_a_metric_of_a_file_can_be_sent_to_another_process():
    module(OVERLAP)
    metric = get_metric("mine.py:Overlap(power=2)")
    assert str(pickle.loads(pickle.dumps(metric)).signature) == str(metric.signature)


TEXT_METRIC = '''
import numpy as np
from metaeval.metrics.text_metric import TextMetric, as_statistics
from metaeval.parameters.calls import Signature
class Length(TextMetric):
    """Lengths."""
    name, title, higher_is_better, uses_references, sources, described = "length", "Length", False, False, (), "Length."
    signature = Signature("length")
    def measure(self, corpus, references):
        print("hi")
        return as_statistics(np.array([[np.nan if t is None else len(t) for t in ts] for ts in corpus.candidates]))
class Odd(Length):
    higher_is_better = uses_references = True
    def measure(self, corpus, references):
        found = super().measure(corpus, references)
        if corpus.systems == ("B",): found[0, 2, 0] = np.inf
        return found
    def notes(self, corpus): return [f"{corpus.n_segments} texts were read."]
class Wrong(Length):
    def measure(self, corpus, references):
        if corpus.systems == ("B",): return super().measure(corpus, references)[:, :1]
        return super().measure(corpus, references)
from sacrebleu.metrics import CHRF
engine = CHRF(word_order=2)
'''


def test_classes_of_texts_and_objects_of_sacrebleu(capsys):
    module(TEXT_METRIC)
    assert measured("mine.py:Length") == [[3, 1, 0], [1, NAN, 5]]
    with pytest.raises(MetricError, match=r"'mine.py:Wrong', system 'B': statistics must have the shape \(1, 3, 2\)"):
        measured("mine.py:Wrong")
    with pytest.raises(MetricError, match=r"'mine.py:Odd', system 'B', segment 3: the statistics are infinite\."):
        measured("mine.py:Odd")
    odd = get_metric("mine.py:Odd")
    assert odd.uses_references
    nothing = odd.measure(Corpus.of_texts({"A": [None, None]}, {"r": ["x", "y"]}), ("r",))
    assert np.isnan(nothing).all()
    assert odd.notes(TEXTS) == ("3 texts were read.",)
    ours, theirs = get_metric("chrf(word_order=2)"), get_metric("mine.py:engine")
    for references in (("r",), ("r", "q")):
        np.testing.assert_array_equal(theirs.measure(TEXTS, references), ours.measure(TEXTS, references))
    statistics = ours.measure(TEXTS, ("r",))[:, 0]
    np.testing.assert_allclose(theirs.score(statistics), ours.score(statistics), atol=1e-12)
    assert np.isnan(theirs.score(np.full_like(statistics, np.nan))).all()
    assert theirs.higher_is_better
    assert capsys.readouterr().out == ""


# Experiments and the command line.

GOOD_AND_BAD = (
    "def words(candidate, references): return len(set(candidate.split()) & set(references[0].split()))\n"
    "words.higher_is_better = True\n"
    "def bad(candidate, references): return 1 / 0\n"
)


def test_a_run_writes_everything_and_says_that_a_metric_failed(capsys):
    module(GOOD_AND_BAD)
    module(
        'title="t"\ncorpora=["demo"]\nmetrics=["mine.py:bad","bleu","mine.py:words"]\n[documents]\nkind="all"\n',
        "r.toml",
    )
    assert main(["run", "r.toml", "--output", "out"]) == 1
    out, err = capsys.readouterr()
    assert "note: demo: left out: metric 'mine.py:bad', system 'sys1', segment 1: ZeroDivisionError" in err
    table = Path("out/correlations.tsv").read_text()
    assert "\tmine.py:words\t" in table
    assert "mine.py:bad" not in table
    assert "left out" in Path("out/manifest.json").read_text()
    assert re.search(r"^words ", out, re.MULTILINE)


def test_if_every_metric_fails_so_does_the_run(capsys):
    module(GOOD_AND_BAD)
    with pytest.raises(MetricError, match="ZeroDivisionError"):
        correlate("mine.py:bad")
    assert main(["compare", "--corpus", "demo", "-m", "mine.py:bad"]) == 1
    assert "ZeroDivisionError: division by zero (mine.py:3)" in capsys.readouterr().err


def test_a_metric_is_measured_once_for_all_preprocessing_and_once_for_each_subset():
    module(
        "def f(candidate, references):\n    with open('calls', 'a') as file: file.write('x')\n"
        "    return len(references)\n"
        "f.higher_is_better = True\n"
        "def g(candidate):\n    with open('free', 'a') as file: file.write('x')\n    return len(candidate)\n"
        "g.higher_is_better = True\n"
    )
    correlate("mine.py:f", "mine.py:g", preprocessing=["case", "nocase"], references={"subsets": ["ref1", "ref1+ref2"]})
    assert len(Path("calls").read_text()) == 2 * 8 * 120
    assert len(Path("free").read_text()) == 8 * 120


def test_scores_of_plain_files(capsys):
    module(GOOD_AND_BAD)
    Path("c.txt").write_text("a b c\nd\n")
    Path("r.txt").write_text("a b\nd e\n")
    assert main(["score", "-m", "mine.py:words", "chrf", "-c", "c.txt", "-r", "r.txt", "--format", "tsv"]) == 0
    out, _ = capsys.readouterr()
    assert out.splitlines()[1] == "mine.py:words\t\t1.5"
    assert main(["score", "-m", "mine.py:bad", "-c", "c.txt", "-r", "r.txt"]) == 1
    assert "metric 'mine.py:bad', system 'c.txt', segment 1: ZeroDivisionError" in capsys.readouterr().err


def test_sources_of_a_plugin_are_cited():
    module("def f(candidate, references): return 1\nf.sources = ['popovic2015', 'Doe (2024): A metric.']")
    text = api.cite(["mine.py:f"])
    assert "Popović" in text
    assert "Doe (2024): A metric." in text


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_ends_a_function_that_sleeps():
    module(
        "import time\ndef f(candidate, references):\n"
        "    with open('begun', 'w') as file: file.write('x')\n    time.sleep(1000)\n"
    )
    command = [sys.executable, "-m", "metaeval", "compare", "--corpus", "demo", "-m", "mine.py:f"]
    with started(command, stderr=subprocess.PIPE) as process:
        while not (Path("begun").exists() and Path("begun").read_text()):
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        # The function sleeps for longer than this.
        _, err = process.communicate(timeout=HANGS)
    assert process.returncode == 130
    assert b"metaeval: interrupted" in err
