"""What functions of others may be called with: names of parameters, one reference, all systems, whole systems."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from metaeval import api
from metaeval.cli import main
from metaeval.datamodel.corpus import Corpus
from metaeval.errors import MetricError, UsageError
from metaeval.metrics import get_metric
from metaeval.user_code import signatures
from tests.support.plugins import TEXTS, in_a_directory_of_its_own, measured, module

__all__ = ["in_a_directory_of_its_own"]

NAN = pytest.approx(np.nan, nan_ok=True)
SOURCED = replace(TEXTS, sources=("s", "tt", "uuu"))


# Names of parameters.


def names(*each):
    """Return names of the candidate, the references and the source: each of them once, if not the last again."""
    return [tuple(of_one[min(k, len(of_one) - 1)] for of_one in each) for k in range(max(map(len, each)))]


@pytest.mark.parametrize(
    ("candidate", "references", "source"),
    names(signatures.SINGULAR_NAMES["candidate"], ["references", "refs"], signatures.SINGULAR_NAMES["source"]),
)
def test_every_name_of_a_text_of_a_segment(candidate, references, source):
    module(
        f"def f({references}, {source}, {candidate}):\n"
        f"    return len({candidate}) + 10 * len({references}) + 100 * len({source})\n"
    )
    assert measured("mine.py:f", SOURCED) == [[113, 221, NAN], [111, NAN, NAN]]


@pytest.mark.parametrize(
    ("candidates", "references", "sources"),
    names(
        signatures.PLURAL_NAMES["candidate"], signatures.PLURAL_NAMES["references"], signatures.PLURAL_NAMES["source"]
    ),
)
def test_every_name_of_texts_of_all_segments(candidates, references, sources):
    module(
        f"def f({candidates}, {references}, {sources}):\n"
        f"    each = zip({candidates}, {references}, {sources}, strict=True)\n"
        "    return [len(one) + 10 * len(refs) + 100 * len(source) for one, refs, source in each]"
    )
    assert measured("mine.py:f", SOURCED) == [[113, 221, NAN], [111, NAN, NAN]]


def test_another_name_with_a_default_is_a_setting_but_a_source_may_be_absent():
    module(
        "def f(candidate, references, output=None, reference='x', src='de'): return len(src)\n"
        "def g(hyp, src=None): return len(src or '')\n"
        "def h(candidate, references, output): return len(output)\n"
    )
    assert measured("mine.py:h(output='abc')")[0][0] == 3
    assert measured("mine.py:f(src='abcd')", SOURCED)[0][0] == 4
    assert str(get_metric("mine.py:f").signature).startswith("f|output:None|reference:'x'|src:'de'|")
    assert (measured("mine.py:g")[0][0], measured("mine.py:g", SOURCED)[0][1]) == (0, 2)


REFUSED = [
    ("def f(hyp, mt, refs): return 1", "its parameters hyp and mt both stand for the candidate; keep one of them"),
    ("def f(hyp, reference, ref): return 1", "its parameters reference and ref both stand for the references"),
    ("def f(candidate, mt): return 1", "`mt` is missing; f has no default for it"),
    ("def f(hyps, ref): return [1]", "`ref` is missing; f has no default.*of all segments references, refs"),
    ("def f(prediction): return 1", r"it has \(prediction\)\. Write `def f\(candidate, references\):`"),
    ("def f(hyp, refs): return 1\nf.references = 'max'", "call the parameter `reference` instead of 'refs'"),
    ("def f(hyps): return 1\nf.references = 'max'", "call the parameter `reference` instead of 'leaving it out'"),
    (
        "def f(hyp, ref): return 1\nf.references = 'best'",
        "`references` must be one of 'mean', 'max', 'min'; got 'best'",
    ),
    ("def f(hyp): return 1\nf.level = 'corpus'", "are for a function of all segments at once"),
    ("def f(hyp): return 1\nf.batch = 'all'", "are for a function of all segments at once"),
    ("def f(hyps): return 1\nf.batch, f.level = 'all', 'corpus'", "exclude each other"),
]


@pytest.mark.parametrize(("code", "message"), REFUSED, ids=[code for code, _ in REFUSED])
def test_what_is_refused_says_what_to_write(code, message):
    module(code)
    with pytest.raises(UsageError, match=f"^metric 'mine.py:f': .*{message}"):
        get_metric("mine.py:f")


def test_an_attribute_that_is_no_text_is_there_for_something_else():
    module(
        "class C:\n    batch, level, sources = 32, 3, None\n    def __call__(self, hyp, refs): return 1\nobj = C()\n"
    )
    assert measured("mine.py:obj")[0][0] == 1
    assert get_metric("mine.py:obj").sources == ()


@pytest.mark.parametrize(
    ("value", "sources"),
    [
        ("'one'", ("one",)),
        ("('one', 'two')", ("one", "two")),
        ("{'two', 'one'}", ("one", "two")),
        ("(text for text in ['one', 'two'])", ("one", "two")),
        ("[1, 2]", ("1", "2")),
        ("None", ()),
        ("3", ()),
    ],
)
def test_sources_are_shown_as_text(value, sources):
    module(f"def f(candidate, references): return 1\nf.sources = {value}\n")
    assert get_metric("mine.py:f").sources == sources


# One reference.

# The first segment of A has the first reference, the second has both: "c d" of 3 letters and "e" of 1.
ONE = "def f(hyp, ref):\n    with open('calls', 'a') as file: file.write('x')\n    return len(ref)\n"


# A function of all segments that does not say how to combine them gets a list of references for each.
@pytest.mark.parametrize(
    ("said", "expected", "batch"),
    [("mean", 2, False), ("max", 3, False), ("min", 1, False), (None, 2, False), ("max", 3, True)],
)
def test_scores_of_single_references_are_combined(said, expected, batch):
    code = "def f(hyps, refs): return [len(ref) for ref in refs]\n" if batch else ONE
    module(code + (f"f.references = {said!r}\n" if said else ""))
    assert measured("mine.py:f") == [[1, expected, NAN], [1, NAN, NAN]]
    assert measured("mine.py:f", references=("q",)) == [[NAN, 1, NAN], [NAN, NAN, NAN]]
    described = get_metric("mine.py:f").described
    assert f"It takes one reference; the {said or 'mean'} over all is taken." in described


def test_a_combination_that_was_not_chosen_is_noted_where_there_are_several():
    module(ONE + "f.higher_is_better = True\n")
    metric = get_metric("mine.py:f")
    (note,) = metric.notes(TEXTS)
    assert note == (
        'it takes one reference, and of several the mean of their scores is taken; set `f.references = "max"` in '
        'mine.py for the highest, or "mean" if that is what you want.'
    )
    assert metric.notes(Corpus.of_texts({"A": ["x"]}, {"r": ["x"]})) == ()
    module(ONE + "f.higher_is_better, f.references = True, 'mean'\n")
    assert get_metric("mine.py:f").notes(TEXTS) == ()


def test_single_references_are_scored_once_for_all_subsets():
    module(ONE + "f.higher_is_better = True\n")
    subsets = ["ref1", "ref1+ref2", "ref2+ref3", "ref1+ref2+ref3"]
    found = api.correlate(
        "demo", ["mine.py:f", "bleu"], references={"subsets": subsets}, uncertainty={"method": "none"}
    )
    assert found.failures == ()
    # Eight systems of 120 segments, three references.
    assert len(Path("calls").read_text()) == 8 * 120 * 3


def test_a_subset_has_the_same_bits_alone_and_beside_others():
    module("def f(hyp, ref): return len(ref) / 7 + len(hyp) / 3\n")
    rng = np.random.default_rng(1)
    texts = Corpus.of_texts(
        {"A": ["x" * n for n in rng.integers(0, 9, 20)]},
        {name: [None if n == 8 else "y" * n for n in rng.integers(0, 9, 20)] for name in "abcd"},
    )
    metric, subsets = get_metric("mine.py:f"), [("a",), ("b", "a"), ("c", "b", "d"), ("d",)]
    for names, together in zip(subsets, metric.measure_subsets(texts, subsets), strict=True):
        assert together.tobytes() == metric.measure(texts, names).tobytes()


# All systems at once.


def test_all_systems_in_one_call():
    module(
        "def f(hyps, refs):\n    with open('calls', 'a') as file: file.write(f'{hyps}\\n')\n"
        "    return range(len(hyps))\n"
        "f.batch = 'all'\n"
    )
    assert measured("mine.py:f") == [[0, 1, NAN], [2, NAN, NAN]]
    assert Path("calls").read_text() == "['a b', 'c', 'a']\n"
    assert "a score for all segments of all systems at once" in get_metric("mine.py:f").described


def test_without_being_asked_a_call_has_one_system_and_one_reference():
    module(
        "def f(hyps, refs):\n    with open('calls', 'a') as file: file.write(f'{refs}\\n')\n"
        "    return range(len(hyps))\n"
        "f.references = 'max'\n"
    )
    measured("mine.py:f")
    assert Path("calls").read_text() == "['a', 'c d']\n['a']\n['e']\n"


def test_an_error_in_a_call_for_all_systems_names_the_system():
    module("def f(hyps, refs): return [1, 2, None]\nf.batch = 'all'\n")
    with pytest.raises(
        MetricError, match=r"^metric 'mine.py:f', system 'B', segment 1: it returned None, which is not"
    ):
        measured("mine.py:f")


# Whole systems.

CORPUS = "def f(hyps, refs): return sum(len(hyp) for hyp in hyps)\nf.level = 'corpus'\nf.higher_is_better = True\n"


def test_one_number_for_a_whole_system():
    module(CORPUS)
    metric = get_metric("mine.py:f")
    # "a b" and "c" of A have a reference, and "a" of B.
    statistics = metric.measure(TEXTS, ("r", "q"))
    assert metric.score(np.nansum(statistics, axis=1)).tolist() == [4, 1]
    assert metric.of_whole_systems(TEXTS)
    assert metric.notes(TEXTS) == ("it scores whole systems over all their segments, judged or not.",)
    assert "gives a score for a whole system. No part of a corpus has a score; higher is better." in metric.described


def test_a_number_that_was_not_announced_is_refused_with_the_line_to_write():
    module("def f(hyps, refs): return 0.5\n")
    with pytest.raises(MetricError, match=r'it returned 0.5 where it must .* needs the attribute `level = "corpus"`'):
        measured("mine.py:f")
    module("def f(hyps, refs): return [0.5]\nf.level = 'corpus'\n")
    with pytest.raises(
        MetricError, match=r"^metric 'mine.py:f', system 'A': it returned \[0.5\], which is not a number"
    ):
        measured("mine.py:f")


def test_whole_systems_are_correlated_and_nothing_else_is(capsys):
    module(CORPUS)
    small = ["--resamples", "50", "--ceiling", "0", "--quiet"]
    assert main(["compare", "--corpus", "demo", "-m", "bleu", "mine.py:f", "--level", "system", *small]) == 0
    assert re.search(r"^f ", capsys.readouterr().out, re.MULTILINE)
    assert main(["compare", "--corpus", "demo", "-m", "bleu", "mine.py:f", "--level", "segment", *small]) == 0
    assert "left out, because only whole systems have scores: mine.py:f" in capsys.readouterr().err
    assert main(["compare", "--corpus", "demo", "-m", "mine.py:f", "--level", "segment", *small]) == 1
    assert "A function scores segments if it returns a list, a number for each" in capsys.readouterr().err
    with pytest.raises(UsageError, match="one number for a whole system, and the checks need scores of segments"):
        api.check_metric("mine.py:f")


def test_a_whole_system_is_scored_as_its_author_would():
    # The mean over segments of numbers of letters, once by the function and once by adding up.
    module(
        "def whole(hyps): return sum(map(len, hyps)) / len(hyps)\nwhole.level = 'corpus'\n"
        "def each(hyp): return len(hyp)\n"
    )
    found = api.correlate("demo", ["mine.py:whole", "mine.py:each"], uncertainty={"method": "none"})
    means = found.correlations.groupby("metric")["mean"].apply(list)
    assert means["mine.py:whole"] == pytest.approx(means["mine.py:each"], abs=1e-12)


# Titles.

TITLED = "def f(hyp, refs, weight=1): return weight * len(hyp)\nf.title = 'Length'\nf.higher_is_better = True\n"


def shown(*metrics: str) -> list[str]:
    found = api.correlate("demo", list(metrics), uncertainty={"method": "none"})
    assert found.failures == ()
    return list(dict.fromkeys(found.correlations["metric"]))


def test_a_title_is_what_tables_call_a_metric():
    module(TITLED)
    program = f'program(command="{sys.executable} score.py",name="mine")'
    module(
        "import json, sys\nfor line in sys.stdin:\n    told = json.loads(line)\n"
        "    print(json.dumps({'id': told['id'], 'score': len(told['candidate']) % 7}))\n",
        "score.py",
    )
    assert shown("mine.py:f", "mine.py:f(weight=2.5)", "bleu", program) == [
        "Length",
        "Length(weight=2.5)",
        "bleu",
        "mine",
    ]


def test_a_title_that_could_mean_another_metric_is_not_used():
    module(TITLED)
    module(TITLED + "# another\n", "other.py")
    module(TITLED.replace("Length", "bleu"), "third.py")
    assert shown("mine.py:f", "other.py:f", "third.py:f") == ["mine.py:f", "other.py:f", "third.py:f"]


def test_a_title_stands_in_tables_figures_and_page_of_a_run():
    module(TITLED)
    small = ["--resamples", "50", "--ceiling", "0", "--quiet"]
    assert main(["compare", "--corpus", "demo", "-m", "bleu", "mine.py:f", "--output", "out", *small]) == 0
    assert "\tLength\t" in Path("out/correlations.tsv").read_text()
    (figure,) = (path for path in api.draw_run("out", formats="svg", output="drawn") if path.suffix == ".svg")
    for path in (Path("out/report.html"), Path("out/tables.md"), figure):
        text = path.read_text()
        assert "Length" in text
        # The config, which the page shows, has the path of the file.
        assert not re.search(r"(?<!/)mine\.py:f", text), path
