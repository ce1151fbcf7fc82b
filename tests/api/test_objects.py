"""Functions and objects of a program as metrics: what they get, what they give, and what is said of them."""

from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import sacrebleu

import metaeval
from metaeval.metrics import get_metric
from metaeval.parameters.calls import Signature
from metaeval.user_code.metric_from_object import digest_of

FEW = {"n_resamples": 60}
TEXTS = {"A": ["the cat sat", "a dog"], "B": ["the dog", "a dog ran"]}
REFERENCES = ["the cat sat", "the dog"]


def words(candidate, references):
    """Share of the words of the candidate that a reference has."""
    mine = set(candidate.split())
    return max(len(mine & set(text.split())) for text in references) / max(len(mine), 1)


words.higher_is_better = True


def test_a_function_scores_here_by_hand():
    """Words that the reference has: 3 of 3, 1 of 2 (dog); 1 of 2 (the), 1 of 3 (dog)."""
    table = metaeval.score(words, TEXTS, REFERENCES, level="segment")
    assert table["words"].values.tolist() == [[1, 1 / 2], [1 / 2, 1 / 3]]
    assert table.warnings == ()


def test_a_function_gives_what_its_file_gives(tmp_path):
    lines = Path(__file__).read_text(encoding="utf-8").partition("def words")[2].partition("words.higher")[0]
    (tmp_path / "mine.py").write_text(f"def words{lines}", encoding="utf-8")
    here, there = (
        metaeval.score([words], TEXTS, REFERENCES),
        metaeval.score(f"{tmp_path}/mine.py:words", TEXTS, REFERENCES),
    )
    np.testing.assert_array_equal(here[0].values, there[0].values)
    assert here[0].statistic_names == there[0].statistic_names


@pytest.mark.parametrize("engine", [sacrebleu.BLEU(), sacrebleu.CHRF(word_order=2), sacrebleu.TER()])
def test_objects_of_sacrebleu_give_the_scores_of_sacrebleu(engine):
    texts, references = (
        ["the cat sat on the mat", "it rains"],
        [["a cat sat on the mat", "rain"], ["the cat sat", "it"]],
    )
    found = metaeval.score([engine], texts, references)[0]
    assert found.values[0, 0] == pytest.approx(engine.corpus_score(texts, references).score)
    assert found.metric == type(engine).__name__
    assert "code:" not in str(found.signature)


def test_our_own_objects_are_their_names():
    table = metaeval.score([get_metric("bleu(order=2)"), get_metric("wer")], ["a b c"], ["a b d"])
    assert [one.metric for one in table] == ["bleu(order=2)", "wer"]
    np.testing.assert_array_equal(table[0].values, metaeval.score("bleu(order=2)", ["a b c"], ["a b d"])[0].values)


class Prediction(dict):
    """What COMET 2 gives: a dict whose values are attributes."""

    __getattr__ = dict.__getitem__


class Comet:
    """Follows the README of unbabel-comet: ``model.predict(data, batch_size=8, gpus=1)``.

    ``data`` is a list of dicts with the keys src, mt and ref; it gives scores, one a dict, and system_score.
    """

    def __init__(self, kind="prediction", references=True):
        self.kind, self.references = kind, references

    def requires_references(self):
        return self.references

    def predict(self, samples, batch_size=16, gpus=1, progress_bar=True):
        assert all(set(one) == {"src", "mt", *["ref"] * self.references} for one in samples)
        assert all(one["src"].startswith("source ") for one in samples)
        scores = [float(len(one["mt"]) - len(one.get("ref", ""))) for one in samples]
        if self.kind == "tuple":
            return scores, 0.0  # COMET 1
        return Prediction(scores=scores, system_score=0.0)


@pytest.mark.parametrize("kind", ["prediction", "tuple"])
def test_an_object_with_predict_gets_src_mt_and_ref_by_hand(kind):
    """The length of the candidate minus that of a reference, averaged over two references: 3 - 1 and 3 - 2."""
    corpus = metaeval.corpus(outputs={"A": ["abc"]}, references=[["x"], ["yz"]], sources=["source 1"])
    found = metaeval.score({"comet": Comet(kind)}, corpus)["comet"]
    assert found.values.tolist() == [[1.5]]


def test_an_object_with_predict_that_needs_no_references_gets_none():
    corpus = metaeval.corpus(outputs={"A": ["abc"]}, sources=["source 1"])
    assert metaeval.score(Comet(references=False), corpus)[0].values.tolist() == [[3.0]]


def test_predict_without_sources_says_so():
    corpus = metaeval.corpus(outputs={"A": ["abc"]}, references=["x"])
    with pytest.raises(
        metaeval.MetricError, match="metric 'Comet': it needs sources, and the corpus 'corpus' has none"
    ):
        metaeval.score([Comet()], corpus)


class Sequence:
    """Stands for ``datasets.Sequence``, which says what it holds in its attribute `feature`."""

    feature = "string"


class Module:
    """Follows the documentation of evaluate: ``compute(predictions=..., references=...)`` gives a dict."""

    def __init__(self, name, compute, features=None):
        self.name, self._compute = name, compute
        if features is not None:
            self.features = features

    def compute(self, *, predictions, references, **others):
        return self._compute(predictions, references, **others)


def test_compute_that_gives_one_number_scores_whole_systems():
    """Of two segments, one is the same as its reference: 1/2."""
    match = Module("exact_match", lambda mine, theirs: {"exact_match": sum(map(str.__eq__, mine, theirs)) / len(mine)})
    found = metaeval.score(match, ["a", "b"], ["a", "x"])["exact_match"]
    assert found.values.tolist() == [[0.5]]
    assert "it scores whole systems over all their segments, judged or not." in found.notes


def test_compute_that_gives_a_list_scores_segments():
    scores = Module("comet", lambda mine, theirs: {"mean_score": 0.0, "scores": [len(one) for one in mine]})
    assert metaeval.score(scores, ["a", "bcd"], ["a", "x"], level="segment")[0].values.tolist() == [[1, 3]]


def test_compute_gets_all_references_where_its_features_have_lists():
    """As evaluate's sacrebleu declares: a list of features, of which one has a sequence of references."""
    seen = []

    def compute(mine, theirs):
        seen.append(theirs)
        return {"score": float(len(theirs[0])), "counts": [1, 2, 3, 4], "bp": 1.0}

    module = Module(
        "sacrebleu", compute, [{"predictions": "string", "references": Sequence()}, {"references": "string"}]
    )
    assert metaeval.score(module, ["a"], [["x"], ["y"]])[0].values.tolist() == [[2.0]]
    assert seen[-1] == [["x", "y"]]


def test_compute_gets_sources_where_its_features_have_some():
    def compute(mine, theirs, sources):
        return {"scores": [len(one) for one in sources]}

    module = Module("comet", compute, {"sources": "string", "predictions": "string", "references": "string"})
    corpus = metaeval.corpus(outputs={"A": ["a"]}, references=["a"], sources=["four"])
    assert metaeval.score(module, corpus)[0].values.tolist() == [[4.0]]


WRONG = {
    "several scores": (
        Module("rouge", lambda mine, theirs: {"rouge1": 1.0, "rouge2": 2.0}),
        r"compute gives 'rouge1', 'rouge2', and nothing says which .* Write a function: def mine\(.*\[\"rouge1\"\]",
    ),
    "a class": (sacrebleu.BLEU, r"`metrics\[0\]`: metric 'BLEU': it is a class, .* give an object of it: BLEU\(\)\."),
    "no metric": (object(), "object of the class 'object', which is not a metric"),
    "other parameters": (
        lambda x: 1,
        r"it must be a function with the parameters candidate, references .* it has \(x\)",
    ),
    "compiled": (os.getcwd, "metric 'getcwd': it must be a function with the parameters candidate"),
    "number": (3, r"`metrics\[0\]` must be a name, a function or an object that scores; got 3"),
    "nothing": (None, "must be a name, a function or an object that scores; got None"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_no_metric_is_refused_in_words(case):
    item, message = WRONG[case]
    with pytest.raises(metaeval.UsageError, match=message):
        metaeval.score([item], ["a"], ["a"])


def test_compute_that_fails_says_where():
    def compute(mine, theirs):
        raise KeyError("lang")

    with pytest.raises(metaeval.MetricError, match=r"metric 'bert': compute\(.*of three short texts: KeyError: 'lang'"):
        metaeval.score(Module("bert", compute), ["a"], ["a"])


def test_two_of_one_name_need_names():
    engines = [sacrebleu.BLEU(), sacrebleu.BLEU(tokenize="intl")]
    with pytest.raises(metaeval.UsageError, match=r"two are called 'BLEU'; give each a name: metrics={\"BLEU\": ..., "):
        metaeval.score(engines, ["a"], ["a"])
    table = metaeval.score({"13a": engines[0], "intl": engines[1], "own": "bleu"}, ["a"], ["a"])
    assert [one.metric for one in table] == ["13a", "intl", "own"]
    with pytest.raises(metaeval.UsageError, match="a metric is called by a text of one line"):
        metaeval.score({"": words}, ["a"], ["a"])


def test_an_error_names_the_segment_and_others_go_on(capsys):
    def fails(candidate):
        print("hello")
        raise ValueError("no")

    table = metaeval.score([fails, "wer"], ["a"], ["a"])
    assert re.search(r"metric 'fails', system 'candidate', segment 1: ValueError: no \(.*:\d+\)", table.failures[0])
    assert [one.metric for one in table] == ["wer"]
    assert capsys.readouterr() == ("", "hello\n")


def test_ctrl_c_in_a_function_ends_the_call():
    def stopped(candidate):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        metaeval.score(stopped, ["a"], ["a"])


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_function_runs_in_this_process_for_any_number_of_jobs(jobs):
    seen = set()

    def noted(candidate):
        seen.add(os.getpid())
        return len(candidate)

    settings = {"documents": {"kind": "pseudo", "lengths": [5], "count": 4}, "uncertainty": {"n_resamples": 50}}
    found = metaeval.correlate("demo", [noted, "ter"], criteria=["adequacy"], jobs=jobs, **settings)
    assert seen == {os.getpid()}
    assert found.failures == ()


class Lengths:
    """Follows the contract of metrics that read texts; its state is a number."""

    name, title, higher_is_better, uses_references = "lengths", "Lengths", True, False
    statistic_names = ("sum", "count")

    def __init__(self, factor):
        self.factor = factor

    signature = Signature("lengths")

    def measure(self, corpus, references):
        lengths = np.array([[len(text) for text in texts] for texts in corpus.candidates], dtype=float)
        return np.stack([lengths * self.factor, np.ones_like(lengths)], axis=-1)

    def score(self, statistics):
        return statistics[..., 0] / statistics[..., 1]


def test_an_object_of_the_contract_by_hand():
    """Twice the mean length of abc and a."""
    (found,) = metaeval.score(Lengths(2), {"A": ["abc", "a"]}, ["x", "y"])
    assert found.values.tolist() == [[4.0]]
    other = metaeval.score(Lengths(3), {"A": ["abc", "a"]}, ["x", "y"])[0]
    assert str(found.signature).split("|")[1] != str(other.signature).split("|")[1]


# What identifies code


def adding(number):
    return lambda candidate: len(candidate) + number


LIMIT = 3


def limited(candidate):
    return min(len(candidate), LIMIT)


def test_code_is_identified_with_all_that_it_uses(monkeypatch):
    assert digest_of(adding(1)) == digest_of(adding(1))
    assert digest_of(adding(1)) != digest_of(adding(2))
    one, other = [lambda candidate: 1.0, lambda candidate: 2.0]  # of one line
    assert digest_of(one) != digest_of(other)
    before = digest_of(limited)
    monkeypatch.setattr(sys.modules[__name__], "LIMIT", 4)
    assert digest_of(limited) != before
    assert digest_of(functools.partial(words, references=["a"])) != digest_of(
        functools.partial(words, references=["b"])
    )
    assert digest_of(Lengths(1)) == digest_of(Lengths(1)) != digest_of(Lengths(2))
    assert digest_of(adding(np.arange(3))) == digest_of(adding(np.arange(3))) != digest_of(adding(np.arange(4)))
    assert digest_of(adding({"a": [1]})) != digest_of(adding({"a": [2]}))


def test_what_cannot_be_taken_apart_is_another_each_time():
    generator = (number for number in range(3))
    assert digest_of(adding(generator)) != digest_of(adding(generator))


def test_the_signature_of_a_function_is_the_same_in_every_process():
    """Sets have another order in each process, and the function has another line in each file."""
    code = (
        "import metaeval\n{}"
        "def mine(candidate, limit=2):\n    return float(candidate in {{'a', 'b', 'c'}}) + limit\n"
        "print(metaeval.score(mine, ['a'], ['a'])[0].signature)"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code.format("\n" * seed)],
            capture_output=True, text=True, check=True, env={**os.environ, "PYTHONHASHSEED": str(seed)},
        ).stdout
        for seed in (1, 2)
    }  # fmt: skip
    assert len(found) == 1


def test_what_is_nested_too_deeply_is_another_each_time():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    assert digest_of(adding(deep)) != digest_of(adding(deep))
