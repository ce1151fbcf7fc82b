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
from metaeval import kernels
from metaeval.cli import main
from metaeval.components.registries import METRICS
from metaeval.conformance import checks, new_process
from metaeval.conformance.examples import example_corpus
from metaeval.conformance.scoring import CheckedMetric
from metaeval.errors import UsageError
from metaeval.metrics import get_metric
from metaeval.metrics.text_metric import TextMetric, as_statistics
from metaeval.parameters.calls import Signature
from metaeval.report.conformance import MetricReport
from metaeval.text.preprocessing import get_preprocessing
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
from metaeval.parameters.calls import Signature
from metaeval.parameters.fields import parameter

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
        monkeypatch.setattr(checks, "score_in_new_process", CheckedMetric.score_texts)


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
    assert len(report.findings) == 16


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


def test_what_a_function_prints_is_shown():
    report = check(SHARE + "def bad(*, candidate, references):\n    print('scoring')\n    return 1\n", "bad")
    assert failing(report) == ["standard output"]
    assert 'such as "scoring' in report.failures[0].example


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
    "adding up ": ([(QUOTIENT, f"{QUOTIENT} + (statistics.ndim > 2)")], "Many documents scored at once"),
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


@dataclass(frozen=True)
class Relative(Length):
    """Its scores are relative to those of all systems."""

    def measure(self, corpus, references):
        lengths = self.lengths(corpus)
        return as_statistics(lengths / (1 + lengths.max(axis=0)))


@dataclass(frozen=True)
class Fading(Length):
    """It has scores for a while."""

    calls: ClassVar[list[int]] = []

    def measure(self, corpus, references):
        self.calls.append(0)
        return as_statistics(self.lengths(corpus) * (1 if len(self.calls) < 2 else np.nan))


@dataclass(frozen=True)
class Failing(Length):
    """It fails after a while, by an error of no special kind."""

    calls: ClassVar[list[int]] = []
    most: ClassVar[int] = 1

    def measure(self, corpus, references):
        self.calls.append(0)
        if len(self.calls) > self.most:
            raise ValueError("tired")
        return as_statistics(self.lengths(corpus))


@dataclass(frozen=True)
class FailingLater(Failing):
    """It fails later."""

    most: ClassVar[int] = 4


@dataclass(frozen=True)
class Careless(Length):
    """It says that it needs references, and does not."""

    uses_references: ClassVar[bool] = True


@dataclass(frozen=True)
class Squeamish(Length):
    """It has no score for some words, and refuses one."""

    uses_references: ClassVar[bool] = True

    def measure(self, corpus, references):
        if any("Indeed" in texts for texts in corpus.candidates):
            raise ValueError("not that")
        lengths = self.lengths(corpus)
        for row, texts in zip(lengths, corpus.candidates, strict=True):
            row[[bool({"No", "zetch"} & set(text.split())) for text in texts]] = np.nan
        lengths[:, [not any(one[k] for one in corpus.references.values()) for k in range(corpus.n_segments)]] = np.nan
        return as_statistics(lengths)


@dataclass(frozen=True)
class Overflowing(Length):
    """A number that no score needs is infinite."""

    statistic_names: ClassVar[tuple[str, ...]] = ("sum", "count", "log")

    def measure(self, corpus, references):
        found = super().measure(corpus, references)
        return np.concatenate([found, np.full((*found.shape[:2], 1), np.inf)], axis=2)

    def score(self, statistics):
        return statistics[..., 0] / statistics[..., 1]


def test_scores_that_do_not_come_again(monkeypatch):
    # The first call finds which texts have a score.
    Fading.calls.clear()
    Failing.calls.clear()
    report = register(monkeypatch, Fading)
    assert failing(report) == ["same again"]
    assert report.failures[0].finding == "It has no score for texts that it has scored before."
    assert report.failures[0].example.startswith("segment 'plain', system 'near'")
    report = register(monkeypatch, Failing)
    assert failing(report) == ["same again"]
    assert report.failures[0].finding == "It fails on texts that it has scored before."
    assert report.failures[0].example == "metric 'bad': ValueError: tired."
    Failing.calls.clear()
    report = register(monkeypatch, FailingLater)
    assert failing(report)[:1] == ["order of segments"]
    assert report.failures[0].finding == "It fails on texts of this check."


def test_statistics_must_be_numbers(monkeypatch):
    report = register(monkeypatch, Overflowing)
    assert failing(report) == ["adding up"]
    assert report.failures[0].finding == "The statistics of a text that has a score are not finite."


def test_statistics_of_a_segment_without_a_reference(monkeypatch):
    report = register(monkeypatch, Careless)
    assert failing(report) == ["absent references"]
    found = finding(report, "absent references")
    assert found.finding.startswith("A segment without any reference has statistics; they must be nan there")
    # The last segment, without the long one, has a sum, which is the number of words of "Uh", and a count of 1.
    assert found.example == "segment 'empty reference', system 'near', \"Uh\": 1, 1"


def test_objects_that_no_guard_stands_before(monkeypatch):
    assert failing(register(monkeypatch, Good)) == []
    assert failing(register(monkeypatch, Relative)) == ["system alone"]


def wer_in_new_process():
    metric = get_metric("wer")
    checked = CheckedMetric("wer", metric, get_preprocessing("case"))
    return new_process.score_in_new_process(checked, example_corpus())


@pytest.mark.parametrize(
    ("child", "failure"),
    [("raise SystemExit(3)", "exit code 3"), ("import sys; sys.exit('no memory\\n')", "no memory")],
)
def test_a_new_process_that_breaks_off(monkeypatch, child, failure):
    monkeypatch.setattr(new_process, "_CHILD_PROGRAM", child)
    assert wer_in_new_process() == failure


def test_a_new_process_that_takes_long(monkeypatch):
    monkeypatch.setattr(new_process, "_TIMEOUT_SECONDS", 0.0015)
    assert wer_in_new_process() == "it took more than 0.0015 seconds"


def test_a_metric_that_no_new_process_can_make(monkeypatch):
    monkeypatch.setattr(checks, "score_in_new_process", lambda *_: "exit code 3")
    found = finding(check(SHARE, "share"), "same again")
    assert (found.outcome, found.example) == ("note", "exit code 3")
    assert found.finding.endswith("; in a new process it could not be made.")


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


def test_sources_and_no_references():
    report = check("def quality(candidate, source): return -abs(len(candidate) - len(source))\n", "quality")
    assert finding(report, "order of references").finding == "It does not read references."
    assert finding(report, "texts").outcome == "ok"


def test_scores_that_exist_already_cannot_be_checked():
    module("system\tsegment\tscore\nA\t1\t0.5\n", "mine.tsv")
    with pytest.raises(UsageError, match="stands for scores that were computed before"):
        metaeval.check_metric("scores:mine.tsv")


def test_a_segment_that_fails_is_looked_at_system_by_system():
    # Of the segment 'one token' the second candidate is refused, and the third has no score.
    metric = CheckedMetric("squeamish", Squeamish(), get_preprocessing("case"))
    problems = checks.unscored_texts(metric, example_corpus())
    place, empty = map(example_corpus().segment_ids.index, ("one token", "empty reference"))
    assert problems == {
        (1, place): "metric 'squeamish': ValueError: not that.",
        (2, place): "its score is nan",
        **{(system, empty): "its score is nan" for system in range(3)},
    }


def test_long_texts_are_scored_once():
    # The function counts the calls that hold a text of more than 100 words.
    code = """
from pathlib import Path
calls = []
def slow(candidates, references):
    if any(len(one.split()) > 100 for one in candidates):
        calls.append(1)
        Path("calls").write_text(str(len(calls)))
    return [share(*pair) for pair in zip(candidates, references)]
"""
    report = check(SHARE + code, "slow")
    assert failing(report) == []
    # Once for each of the three systems.
    assert Path("calls").read_text(encoding="utf-8") == "3"
    # Fifteen segments of three systems remain.
    assert "(45 in" in finding(report, "speed").finding


def test_damaged_texts_may_have_no_score(monkeypatch):
    # 'zetch' is one of the words that stand for others.
    report = register(monkeypatch, Squeamish)
    assert finding(report, "direction").finding == "Not checked: damaged texts have no score."


def test_a_corpus_of_one_system_one_reference_and_one_short_segment(tmp_path):
    corpus = write(
        tmp_path / "corpus",
        systems__A="a dog\n",
        systems__B=None,
        systems__C=None,
        references__ref1="a dog barked\n",
        references__ref2=None,
        judgments=None,
    )
    report = metaeval.check_metric("wer", corpus)
    found = {one.check: one.finding for one in report.findings if one.texts == "tiny"}
    assert found["order of references"] == "There is only one reference."
    assert found["system alone"] == "There is only one system."
    assert found["absent references"] == "Without any reference a segment has no statistics."
    assert found["direction"] == "Not checked: no reference has enough words."
    assert report.failures == ()


def test_equal_candidates_are_no_ties(tmp_path):
    # A and B are the reference; C is so too in the first segment, and has an error or two in each of the others.
    texts = {f"systems__{name}": "a b\n" * 4 for name in "AB"} | {"systems__C": "a b\na x\nx y\nb\n"}
    corpus = write(tmp_path / "corpus", **texts, references__ref1="a b\n" * 4, references__ref2=None)
    report = metaeval.check_metric("wer", corpus)
    (found,) = [one for one in report.findings if (one.check, one.texts) == ("ties", "tiny")]
    assert found.finding == "Different candidates of a segment have different scores (6 pairs)."


def test_a_corpus_is_tried_too(tmp_path):
    report = metaeval.check_metric("wer", write(tmp_path / "tiny"))
    assert list(dict.fromkeys(row["texts"] for row in report.rows)) == ["", "examples", "tiny"]
    assert report.failures == ()


def test_the_command_prints_a_report_and_fails_with_the_metric(capsys):
    module(SHARE + BAD["direction"][0])
    assert main(["metrics", "check", "wer", "mine.py:bad"]) == 1
    out, err = capsys.readouterr()
    assert "\nfails  direction" in out
    assert "15 ok, 1 to note, 0 failed" in out
    assert "metaeval: check      wer: direction, on examples" in err
    assert main(["metrics", "check", "wer", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["outcome"] for row in rows].count("ok") == 15
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
