"""The conformance report: every kind of bad metric fails its own check and no other, and ours fail none."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import metaeval
from metaeval import _kernels as kernels
from metaeval.cli import main
from metaeval.errors import UsageError
from metaeval.experiments.check_metric import MetricReport
from metaeval.experiments.conformance import case, scored
from metaeval.experiments.conformance.trial import measured_here
from metaeval.metrics import METRICS
from metaeval.metrics.text_metric import TextMetric, as_statistics
from metaeval.names import Signature
from tests.support.corpus import write
from tests.support.plugins import in_a_directory_of_its_own, module

__all__ = ["in_a_directory_of_its_own"]

# Overlap of words, from 0 to 1: a metric as it should be.
SHARE = """
def share(candidate, references):
    best = 0.0
    for reference in references:
        mine, other = set(candidate.split()), set(reference.split())
        best = max(best, 2 * len(mine & other) / max(len(mine) + len(other), 1))
    return best
"""
# The same as counts that add up.
COUNTS = """
from dataclasses import dataclass
from typing import ClassVar
import numpy as np
from metaeval.names import Signature
from metaeval.parameters import parameter

@dataclass(frozen=True)
class Counts:
    name: ClassVar[str] = "counts"
    title: ClassVar[str] = "Counts"
    higher_is_better: ClassVar[bool] = True
    statistic_names: ClassVar[tuple[str, ...]] = ("matches", "length")
    power: float = parameter(1.0, doc="what the share is raised to", minimum=0.1)

    @property
    def signature(self):
        return Signature("counts").with_items(power=self.power)

    def prepare(self, references):
        known = [set().union(*tokens) for tokens in zip(*(one.tokens for one in references), strict=True)]
        return known, np.any([one.present for one in references], axis=0)

    def statistics(self, candidates, prepared):
        pairs = zip(candidates.tokens, prepared[0], strict=True)
        rows = np.array([[len(set(mine) & known), len(set(mine) | known)] for mine, known in pairs], dtype=float)
        rows[~prepared[1]] = np.nan
        return rows

    def score(self, statistics):
        return (statistics[..., 0] / np.maximum(statistics[..., 1], 1)) ** self.power
"""


@pytest.fixture(autouse=True)
def measured_in_this_process(request, monkeypatch):
    if "in_a_new_process" not in request.fixturenames:
        monkeypatch.setattr(case, "elsewhere", measured_here)


@pytest.fixture
def in_a_new_process():
    """Ask for a new process, which the other tests do without because it takes time."""


def failing(report: MetricReport) -> list[str]:
    return [finding.check for finding in report.failures]


def finding(report: MetricReport, check: str):
    (found,) = [one for one in report.findings if one.check == check]
    return found


def check(code: str, name: str) -> MetricReport:
    module(code)
    return metaeval.check_metric(f"mine.py:{name}")


def register(monkeypatch: pytest.MonkeyPatch, cls: type) -> MetricReport:
    monkeypatch.setitem(METRICS, "bad", cls)
    return metaeval.check_metric("bad")


# TER takes a minute for texts of 300 tokens unless it is compiled; sacreBLEU's, a second for each of many checks.
OURS = [name for name in METRICS if name != "sacrebleu-ter" and (kernels.COMPILED or name != "ter")]


@pytest.mark.parametrize("name", OURS)
def test_our_metrics_fail_nothing(name):
    report = metaeval.check_metric(name)
    assert report.failures == ()
    assert len(report.findings) == 20


def test_what_is_known_of_ours_is_found():
    """NIST weighs by all references; an error rate has no score without reference words; BLEU is 0 below 4 tokens."""
    assert (
        "their candidates, but on their references" in finding(metaeval.check_metric("nist"), "segment alone").finding
    )
    assert "undefined where all references are empty" in finding(metaeval.check_metric("wer"), "empty or short").finding
    assert "'one token', system 'the reference itself'" in (
        finding(metaeval.check_metric("bleu"), "identical candidate").example
    )
    assert "shuffling them changes nothing" in finding(metaeval.check_metric("per"), "direction").finding
    assert finding(metaeval.check_metric("gtm"), "reference twice").outcome == "note"


def test_good_metrics_of_others_fail_nothing():
    module(SHARE + COUNTS)
    assert failing(metaeval.check_metric("mine.py:share")) == []
    assert failing(metaeval.check_metric("mine.py:Counts(power=2)")) == []


# Bad functions: the check that each fails, and what the report tells of it.
BAD = {
    "order of segments": (
        "def bad(candidates, references):\n"
        "    return [share(*pair) + 0.01 * i for i, pair in enumerate(zip(candidates, references))]\n",
        "another score",
    ),
    "same again": (
        "import random\ndef bad(candidate, references): return share(candidate, references) + random.random()\n",
        "Two calls with the same texts give different scores",
    ),
    "arguments": (
        "def bad(candidate, references):\n    references.sort(reverse=True)\n    return share(candidate, references)\n",
        "It changes what it is given",
    ),
    "standard output": (
        "def bad(candidate, references):\n    print('scoring')\n    return share(candidate, references)\n",
        "It prints to stdout",
    ),
    "direction": (
        "def bad(candidate, references): return share(candidate, references)\nbad.higher_is_better = False\n",
        "Is lower really better?",
    ),
    "segment alone": (
        "import statistics\ndef bad(candidates, references):\n"
        "    found = [share(*pair) for pair in zip(candidates, references)]\n"
        "    return [one - sum(found) / len(found) for one in found]\n",
        "depends on the candidates of other segments",
    ),
    "empty or short": (
        "def bad(candidate, references):\n    return share(candidate, references) if candidate else float('nan')\n",
        "in the segments 'empty candidate', 'empty reference'",
    ),
    "empty or short ": (
        "def bad(candidate, references):\n"
        "    return share(candidate, references) * len(candidate.split()) / len(candidate.split())\n",
        "in the segments 'empty candidate', 'empty reference'",
    ),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_function_fails_its_check_alone(kind):
    code, told = BAD[kind]
    report = check(SHARE + code, "bad")
    assert failing(report) == [kind.strip()]
    (failure,) = report.failures
    assert told in failure.finding
    if kind != "standard output":
        assert failure.example


def test_what_only_a_new_process_shows(in_a_new_process):
    """`hash` of a text is another number in each process, as the order of a set is."""
    module(SHARE + "def bad(candidate, references): return share(candidate, references) + hash(candidate) % 97 / 1e5\n")
    report = metaeval.check_metric("mine.py:bad")
    assert failing(report) == ["same again"]
    assert "A new process gives other scores" in report.failures[0].finding


def test_a_new_process_watches_functions(in_a_new_process):
    code = "def bad(candidate, references):\n    print('scoring')\n    references.clear()\n    return 1\n"
    report = check(code, "bad")
    assert failing(report) == ["arguments", "standard output"]
    assert "`references` was ['The train" in report.failures[0].example
    assert 'such as "scoring' in report.failures[1].example


def test_a_refusal_on_purpose_is_no_failure():
    code = "def bad(candidate, references):\n    if not candidate:\n        raise ValueError('nothing to score')\n"
    report = check(SHARE + code + "    return share(candidate, references)\n", "bad")
    assert failing(report) == []
    refused = finding(report, "empty or short")
    assert refused.outcome == "note"
    assert "nothing to score" in refused.example


def test_a_metric_that_always_fails_is_told_once():
    report = check("def bad(candidate, references): return references[7]\n", "bad")
    assert failing(report) == ["texts", "empty or short"]
    assert "IndexError" in report.failures[0].example


def test_a_constant_is_noted():
    report = check("def bad(candidate, references): return 0.5\n", "bad")
    assert failing(report) == []
    assert finding(report, "range").finding == "All scores are 0.5."
    assert finding(report, "direction").finding == "Damage to the texts does not change their score."
    assert finding(report, "ties").outcome == "note"


def changed(*changes: tuple[str, str]) -> str:
    code = COUNTS
    for old, new in changes:
        assert old in code
        code = code.replace(old, new)
    return code


# Bad classes, as changes of a good one.
QUOTIENT = "(statistics[..., 0] / np.maximum(statistics[..., 1], 1)) ** self.power"
ABSENT = "rows[~prepared[1]] = np.nan"
BAD_CLASSES = {
    "adding up": ([(QUOTIENT, "statistics.sum(axis=-1) ** self.power")], "twice the score"),
    "adding up ": ([("return rows", "return rows / [len(rows), 1]")], "'matches' of a segment is half as large"),
    "adding up  ": ([(QUOTIENT, f"{QUOTIENT} + (statistics.ndim > 2)")], "Many documents scored at once"),
    "signature": (
        [(".with_items(power=self.power)", "")],
        "The parameter `power` changes scores but not the signature",
    ),
}


@pytest.mark.parametrize("kind", BAD_CLASSES)
def test_a_bad_class_fails_its_check_alone(kind):
    changes, told = BAD_CLASSES[kind]
    report = check(changed(*changes), "Counts")
    assert failing(report) == [kind.strip()]
    assert told in report.failures[0].finding


def test_a_class_need_not_think_of_absent_references():
    report = check(changed((ABSENT, "pass")), "Counts")
    assert failing(report) == []
    assert finding(report, "absent references").outcome == "ok"


def test_writing_into_the_texts_is_found_though_a_guard_refuses_it():
    report = check(changed(("pairs = zip", "candidates.ids[:] = 0\n        pairs = zip")), "Counts")
    assert finding(report, "arguments").outcome == "fails"
    assert "read-only" in finding(report, "texts").example


# What only our own code can be: objects that no guard stands before.


class Length(TextMetric):
    """The number of words."""

    name: ClassVar[str] = "bad"
    title: ClassVar[str] = "Bad"
    higher_is_better: ClassVar[bool] = True
    uses_references: ClassVar[bool] = False
    sources: ClassVar[tuple[str, ...]] = ()
    described: ClassVar[str] = "A length."
    signature: ClassVar[Signature] = Signature("bad")

    def lengths(self, corpus):
        return np.array([[float(len(text.split())) for text in texts] for texts in corpus.candidates])

    def measure(self, corpus, references):
        return as_statistics(self.lengths(corpus))


@dataclass(frozen=True)
class Good(Length):
    """With a hash."""


@dataclass
class Unhashable(Length):
    """A dataclass that is not frozen has none."""


@dataclass(frozen=True)
class Relative(Length):
    """Its scores are relative to those of all systems."""

    def measure(self, corpus, references):
        lengths = self.lengths(corpus)
        return as_statistics(lengths / (1 + lengths.max(axis=0)))


@dataclass(frozen=True)
class Greedy(Length):
    """It eats the references."""

    def measure(self, corpus, references):
        corpus.references.clear()
        return super().measure(corpus, references)


def test_objects_that_no_guard_stands_before(monkeypatch):
    assert failing(register(monkeypatch, Good)) == []
    assert failing(register(monkeypatch, Relative)) == ["system alone"]
    report = register(monkeypatch, Unhashable)
    assert failing(report) == ["hashing"]
    assert "unhashable" in report.failures[0].example


def test_no_pickle(monkeypatch, in_a_new_process):
    namespace = {"__name__": __name__}
    exec(COUNTS, namespace)  # a class that no other process can import
    report = register(monkeypatch, namespace["Counts"])
    assert failing(report) == ["pickling"]
    assert "could not be made" in finding(report, "same again").finding


def test_texts_are_not_a_metrics_to_change(monkeypatch):
    assert finding(register(monkeypatch, Greedy), "arguments").finding.startswith("It changes the references")


# The report, and what surrounds it.


def test_a_program():
    module(
        "import json, sys\nfor line in sys.stdin:\n    told = json.loads(line)\n"
        "    words = [set(text.split()) for text in [told['candidate'], *told['references']]]\n"
        "    score = max(len(words[0] & one) / max(len(words[0] | one), 1) for one in words[1:])\n"
        "    print(json.dumps({'id': told['id'], 'score': score}))\n",
        "score.py",
    )
    report = metaeval.check_metric(f'program(command="{sys.executable} score.py")')
    assert failing(report) == []
    assert finding(report, "signature").finding.endswith("timeout is not in it and changes no score.")


def test_sources_and_no_references():
    report = check("def quality(candidate, source): return -abs(len(candidate) - len(source))\n", "quality")
    assert finding(report, "order of references").finding == "It does not read references."
    assert finding(report, "texts").outcome == "ok"


def test_long_segments_that_take_long_are_left_out(monkeypatch):
    monkeypatch.setattr(scored, "_SLOW", 0.0)
    code = "import time\ndef slow(candidate, references):\n    time.sleep(1e-4 * max(0, len(candidate) - 200))\n"
    report = check(SHARE + code + "    return share(candidate, references)\n", "slow")
    assert "leave out '300 tokens', because of the time" in finding(report, "texts").finding
    assert "45 in" in finding(report, "speed").finding


def test_scores_that_exist_already_cannot_be_checked():
    module("system\tsegment\tscore\nA\t1\t0.5\n", "mine.tsv")
    with pytest.raises(UsageError, match="stands for scores that were computed before"):
        metaeval.check_metric("scores:mine.tsv")


def test_a_corpus_is_tried_too(tmp_path):
    report = metaeval.check_metric("wer", write(tmp_path / "tiny"))
    assert list(dict.fromkeys(row["texts"] for row in report.rows)) == ["", "examples", "tiny"]
    assert report.failures == ()


def test_the_command_prints_a_report_and_fails_with_the_metric(capsys):
    module(SHARE + BAD["direction"][0])
    assert main(["metrics", "check", "wer", "mine.py:bad"]) == 1
    out, err = capsys.readouterr()
    assert "\nfails  direction" in out
    assert "19 ok, 1 to note, 0 failed" in out
    assert "metaeval: check    wer: direction, on examples" in err
    assert main(["metrics", "check", "wer", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["outcome"] for row in rows].count("ok") == 19
    assert set(rows[0]) == {"metric", "check", "texts", "outcome", "finding", "example"}
    assert main(["metrics", "check", "wer", "--format", "md"]) == 0
    assert capsys.readouterr().out.startswith("| metric | check |")
    assert main(["metrics", "check", "nonsense"]) == 2


def test_what_the_guide_shows():
    guide = (Path(__file__).parents[2] / "docs" / "your-metric.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```text\n(fails  .*?)```", guide, re.DOTALL)
    module(
        "def precision(candidate, references):\n    words = candidate.split()\n"
        "    known = set(' '.join(references).split())\n"
        "    return sum(word in known for word in words) / len(words)\n",
        "careless.py",
    )
    report = metaeval.check_metric("careless.py:precision")
    assert shown in report.text()
    # Every check has its place in the table of the guide.
    table = guide.partition("| check | fails if")[2]
    assert all(re.search(rf"^\|.*{name}.*\|", table, re.MULTILINE) for name in {one.check for one in report.findings})
