"""Corpora that are made in Python: of which shapes, what they hold, what identifies them, and what is refused."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest

import metaeval
from metaeval.datamodel.annotations import GivenScores

FEW = {"n_resamples": 60}
ROWS = [
    {"segment": 1, "system": "A", "judge": "ann", "criterion": "adequacy", "score": 4},
    {"segment": 2, "system": "A", "judge": "ann", "criterion": "adequacy", "score": 5},
    {"segment": 1, "system": "B", "judge": "bob", "criterion": "adequacy", "score": 1.5},
]
OUTPUTS = {"A": ["the cat", "a dog"], "B": ["cat", None]}
RANGES = {"adequacy": (1, 5)}


def made(judgments=ROWS, **given):
    return metaeval.corpus(judgments, **{"outputs": OUTPUTS, "criteria": RANGES, **given})


def test_what_a_corpus_holds_by_hand():
    corpus = made(references=["the cat", "the dog"], sources=["s1", "s2"], name="mine")
    assert (corpus.name, corpus.systems, corpus.segment_ids) == ("mine", ("A", "B"), ("1", "2"))
    assert corpus.candidates == (("the cat", "a dog"), ("cat", None))
    assert corpus.references == {"reference": ("the cat", "the dog")}
    assert corpus.sources == ("s1", "s2")
    assert corpus.to_frame().values.tolist() == [
        ["1", "A", "ann", "adequacy", 4.0],
        ["2", "A", "ann", "adequacy", 5.0],
        ["1", "B", "bob", "adequacy", 1.5],
    ]
    assert corpus.criteria == (metaeval.Criterion("adequacy", 1, 5, higher_is_better=True),)
    assert repr(corpus) == "Corpus('mine', 2 systems, 2 segments, 1 reference, 3 judgments)"
    assert [one for one in corpus.warnings if "has no output of 'B' for 1 of 2 segments" in one] == list(
        corpus.warnings
    )


SHAPES = {
    "list of dicts": lambda rows: rows,
    "dict of columns": lambda rows: {key: [row[key] for row in rows] for key in rows[0]},
    "pandas": pd.DataFrame,
    "pandas with numbers of one kind": lambda rows: pd.DataFrame(rows).astype({"segment": float, "judge": "category"}),
    "polars": lambda rows: pl.DataFrame([{**row, "score": float(row["score"])} for row in rows]),
    "Arrow": lambda rows: SHAPES["polars"](rows).to_arrow(),
    "Arrow's C stream alone": lambda rows: Stream(SHAPES["polars"](rows)),
}


class Stream:
    """A table of which nothing is known but that it has the C stream."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_of_a_table_gives_one_corpus(shape):
    assert made(SHAPES[shape](ROWS)).digest == made().digest


def test_texts_in_every_shape_give_one_corpus():
    plain = made(references=[["x", "y"], ["z", ""]])
    others = {"reference1": ["x", "y"], "reference2": ["z", ""]}
    series = {name: pd.Series(texts) for name, texts in OUTPUTS.items()}
    for outputs, references in (
        (pd.DataFrame(OUTPUTS), pd.DataFrame(others)),
        (pl.DataFrame({**OUTPUTS, **others}), list(others)),
        (series, [("x", "y"), ("z", "")]),
    ):
        assert made(outputs=outputs, references=references).digest == plain.digest


def test_what_a_corpus_gives_as_frames_makes_it_again():
    demo = metaeval.load_corpus("demo")
    again = metaeval.corpus(
        demo.to_frame(), outputs=demo.to_frame("texts"), references=list(demo.references), criteria=list(demo.criteria)
    )
    for one, other in ((again, demo), (again.judgments, demo.judgments)):
        pd.testing.assert_frame_equal(one.to_frame(), other.to_frame())
    for name in ("systems", "candidates", "references", "sources", "segment_ids", "documents", "criteria"):
        assert getattr(again, name) == getattr(demo, name)
    settings = {"criteria": ["adequacy"], "uncertainty": FEW}
    found, expected = (metaeval.correlate(one, "ter", **settings).to_frame() for one in (again, "demo"))
    numbers = ["mean", "lower", "upper"]
    pd.testing.assert_frame_equal(found[numbers], expected[numbers])


def test_a_table_may_have_a_column_for_each_criterion_and_the_texts():
    table = pd.DataFrame(
        {"segment": [1, 1], "system": ["A", "B"], "judge": "ann", "text": ["x", "y"], "fluency": [1, 2]}
    )
    corpus = metaeval.corpus(table, criteria={"fluency": (1, 2)})
    assert corpus.candidates == (("x",), ("y",))
    assert corpus.to_frame()["score"].tolist() == [1, 2]


def test_a_criterion_may_be_whole():
    errors = metaeval.Criterion("adequacy", 0, 25, higher_is_better=False)
    assert made(criteria=[errors]).criteria == made(criteria={"adequacy": errors}).criteria == (errors,)


def test_scores_by_hand():
    """As lists by system, as a table, and as a number for each system."""
    table = pd.DataFrame({"segment": [2, 1, 2], "system": ["A", "A", "B"], "m": [0.5, 1.0, np.nan]})
    for scores in (
        {"m": {"A": [1.0, 0.5], "B": [None, math.nan]}},
        table,
        pl.DataFrame(table.to_dict("list"), strict=False),
    ):
        corpus = made(scores=scores)
        (found,) = corpus.scores
        assert (found.name, found.level) == ("m", "segment")
        expected = {"A": [1.0, 0.5], "B": [math.nan, math.nan]}
        for system, values in zip(found.systems, found.values, strict=True):
            np.testing.assert_array_equal(values, expected[system])
    whole = made(scores={"w": {"A": 1, "B": 2.5}})
    assert metaeval.score("precomputed:w", whole)[0].values.tolist() == [[1.0], [2.5]]


# What identifies it


def test_a_corpus_is_identified_by_its_content():
    digests = [
        made().digest,
        made(ROWS[:2]).digest,
        made(outputs={**OUTPUTS, "A": ["the cat", "a dig"]}).digest,
        made(references=["a", "b"]).digest,
        made(sources=["a", "b"]).digest,
        made(criteria={"adequacy": (1, 6)}).digest,
        made(scores={"m": {"A": 1, "B": 2}}).digest,
        made(scores={"m": {"A": 1, "B": 3}}).digest,
    ]
    assert len(set(digests)) == len(digests)
    assert made(name="other").digest == made().digest
    assert all(len(one) == 64 for one in digests)


def test_a_corpus_that_was_read_keeps_its_digest_and_a_changed_one_loses_it():
    demo = metaeval.load_corpus("demo")
    changed = replace(demo, candidates=tuple(("x",) * demo.n_segments for _ in demo.systems))
    again = replace(demo, candidates=demo.candidates[:1] + changed.candidates[1:])
    settings = {"uncertainty": FEW, "criteria": ["adequacy"]}
    digests = [metaeval.correlate(one, "wer", **settings).data.corpora[0].digest for one in (demo, changed, again)]
    assert digests[0] == demo.digest == metaeval.correlate("demo", "wer", **settings).data.corpora[0].digest
    assert len(set(digests)) == 3
    (scored,) = metaeval.score("wer", changed)
    assert f"corpus:demo@{digests[1][:8]}" in str(scored.signature)


def test_the_arrays_of_a_corpus_cannot_be_written_to():
    corpus = made(scores={"m": {"A": 1, "B": 2}})
    arrays = [getattr(corpus.judgments, name) for name in ("criterion", "system", "segment", "judge", "score")]
    for array in (*arrays, corpus.scores[0].values, metaeval.load_corpus("demo").judgments.score):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    frame = corpus.to_frame()
    frame["score"] = 0  # a copy
    assert corpus.to_frame()["score"].tolist() == [4, 5, 1.5]


def test_scores_that_are_given_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        GivenScores.of("m", "metric", "system", ("A",), (), np.ones((1, 1))).values[0] = 2


# What is done with it


def test_verbs_take_a_corpus_and_a_table():
    demo = metaeval.load_corpus("demo")
    by_name, by_object = (
        metaeval.compare(one, ["ter", "wer"], criteria="adequacy", ceiling=0, **FEW) for one in ("demo", demo)
    )
    assert str(by_name) == str(by_object)
    few = {"n_resamples": 20, "n_draws": 2, "criteria": "adequacy"}
    assert str(metaeval.agreement("demo", **few)) == str(metaeval.agreement(demo, **few))
    table = pd.DataFrame([{**row, "text": "x" * number} for number, row in enumerate(ROWS, start=1)])
    found = metaeval.correlate(table, lambda hyp: len(hyp), documents={"kind": "all"}, uncertainty={"n_resamples": 20})
    assert not any("does not declare the range" in one for one in found.warnings)
    assert any("judgments: does not declare the range" in one for one in metaeval.corpus(table).notes)


def test_a_notebook_shows_a_table_whose_texts_are_escaped():
    corpus = made([{**ROWS[0], "judge": "<b>"}])
    for record in (corpus, corpus.judgments):
        shown = record._repr_html_()
        assert shown.count("<table") == shown.count("</table>") == 1
        assert "&lt;b&gt;" in shown
        assert "<b>" not in shown
    assert "4748 more judgments; to_frame() has all." in metaeval.load_corpus("demo").judgments._repr_html_()
    with pytest.raises(metaeval.UsageError, match="unknown table of a corpus 'text'; did you mean 'texts'"):
        corpus.to_frame("text")


# Wrong input

WRONG = {
    "nothing": (metaeval.corpus, "`outputs` is missing: there are no texts"),
    "segments from 0": (
        lambda: made([{**row, "segment": row["segment"] - 1} for row in ROWS]),
        r"`judgments`, row 1: segments are counted from 1; got 0. .*judgments.assign\(segment=judgments.segment \+ 1\)",
    ),
    "unknown segment": (lambda: made([*ROWS, {**ROWS[0], "segment": 9}]), "judgments:4: unknown segment '9'"),
    "no number": (
        lambda: made([{**ROWS[0], "score": "good"}]),
        "judgments:1: the score must be a finite number; got 'good'",
    ),
    "out of range": (
        lambda: made([{**ROWS[0], "score": 9}]),
        "judgments:1: the score 9 is outside the range of 'adequacy'",
    ),
    "twice": (lambda: made([*ROWS, ROWS[0]]), "judgments:4: judge 'ann' judged 'A', segment 1, .* in line 1"),
    "no table": (lambda: made(5), "`judgments` must be a table of pandas, polars or Arrow"),
    "column without a name": (
        lambda: made(pd.DataFrame([[1]])),
        "`judgments`: each column must have a name of its own",
    ),
    "lengths": (
        lambda: made({"segment": [1, 2], "system": ["A"]}),
        "`judgments` must be a table .*: All arrays must be",
    ),
    "length": (lambda: made(references=["x"]), r"`references\['reference'\]` must have 2 segments, .*; got 1"),
    "a text": (lambda: made(references="xy"), "`references` must be a list with one text for each segment; got 'xy'"),
    "a number": (
        lambda: made(references=["x", 3]),
        "`references`, segment 2: must be text, or None where there is none; got 3",
    ),
    "two sources": (lambda: made(sources={"a": ["x", "y"], "b": ["x", "y"]}), "`sources` must be one list, .*; got 2"),
    "no output": (lambda: made(outputs={}), "`outputs` must hold a text of a segment at least; got none"),
    "surrogate": (lambda: made(outputs={"A": ["\ud800", "x"]}), r"`outputs\['A'\]`, segment 1: has a lone surrogate"),
    "an id twice": (
        lambda: made(outputs=pd.DataFrame({"segment": ["x", "x"], "A": ["a", "b"]})),
        "`outputs`, row 2: the segment 'x' stands there already",
    ),
    "criteria": (
        lambda: made(criteria="adequacy"),
        r"`criteria` must be ranges by name, such as \{'adequacy': \(1, 5\)\}",
    ),
    "a range": (lambda: made(criteria={"adequacy": (5, 1)}), r"`criteria` must be .*; got \(5, 1\) for 'adequacy'"),
    "a column of references twice": (
        lambda: made(outputs=pd.DataFrame({"A": ["a", "b"], "ref": ["x", "y"]}), references=["ref", "ref"]),
        r"`references` must name each column once; got \['ref', 'ref'\]",
    ),
    "scores": (
        lambda: made(scores=[1]),
        r"`scores` must be as \{'mine': \{'A': \[0.1, ...\]\}\}, or a table; got \[1\]",
    ),
    "number of scores": (
        lambda: made(scores={"m": {"A": [1]}}),
        r"`scores\['m'\]\['A'\]` must have 2 scores, .*; got \[1\]",
    ),
    "name": (lambda: made(name="a\tb"), "`name` must be a text that can stand in a table; got"),
    "frame as references of a corpus": (
        lambda: metaeval.score("wer", made(), pd.DataFrame({"a": ["x"]})),
        "`references` must be a name, or a list of these",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_a_corpus_is_refused_in_words(case):
    call, message = WRONG[case]
    with pytest.raises(metaeval.MetaevalError, match=message):
        call()


class Fuzz:
    """Arguments of a corpus, some of them right."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def one(self, *choices):
        found = self.random.choice(choices)
        return found(self) if callable(found) else found

    def scalar(self):
        numbers = (0, 1, -1.5, math.nan, math.inf, np.float64(2), 10**400, 3j, True)
        others = (None, b"x", object(), pd.NA, pd.NaT, pd.Timestamp("2020-01-01"), [], {}, (1, 5), ["a"], {1})
        return self.random.choice((*numbers, *others, "a", "", "A", "x\ny", "\ud800"))

    def column(self, n):
        kinds = (["a b"] * n, [1] * n, [self.scalar() for _ in range(n)], [None] * n, ["A", "B"] * (n // 2))
        return self.random.choice(kinds)

    def table(self):
        n = self.random.choice((0, 1, 2, 2, 4))
        names = ("segment", "system", "judge", "criterion", "score", "document", "text", "source", "line", 1, None, "x")
        columns = {self.random.choice(names): self.column(n) for _ in range(self.random.randrange(6))}
        if self.random.random() < 0.7:
            columns = {key: [row[key] for row in ROWS] for key in ROWS[0]}
            columns |= {self.random.choice(names): self.column(3)} if self.random.random() < 0.3 else {}
        return self.random.choice((pd.DataFrame, pl.DataFrame, dict))(columns)

    def texts(self):
        kinds = (list, tuple, np.array, pd.Series, pl.Series)
        texts = self.random.choice(kinds)(["x", "y"])
        return self.random.choice((texts, ["x", None], self.column(2), self.scalar()))

    def by_name(self):
        return {
            self.random.choice(("A", "B", "C", 1, None, "", "a\tb")): self.texts()
            for _ in range(self.random.randrange(4))
        }

    def arguments(self):
        right = self.random.random() < 0.5
        outputs = (
            OUTPUTS if right else self.one({"A": ["x", "y"], "B": ["x", None]}, Fuzz.by_name, Fuzz.table, Fuzz.texts)
        )
        found = {"judgments": self.one(None, Fuzz.table, Fuzz.table, Fuzz.scalar), "outputs": outputs}
        others = {
            "references": (["r", "s"], [["r", "s"], ["t", None]], Fuzz.by_name, Fuzz.table, Fuzz.texts, "A"),
            "sources": (["r", "s"], Fuzz.texts, Fuzz.by_name, "A"),
            "scores": (
                {"m": {"A": [1, 2]}},
                {"m": {"A": 1}},
                {"m": {"A": "ab"}},
                Fuzz.table,
                Fuzz.by_name,
                Fuzz.scalar,
            ),
            "criteria": (RANGES, {"adequacy": (math.nan, 1)}, Fuzz.scalar, Fuzz.by_name),
            "name": ("mine", Fuzz.scalar),
        }
        return found | {key: self.one(*of) for key, of in others.items() if self.random.random() < 0.4}


def test_whatever_is_given_becomes_a_corpus_or_a_message_that_names_the_argument():
    made_well, unnamed = 0, []
    for seed in range(400):
        try:
            given = Fuzz(seed).arguments()
        except Exception:  # a library of frames refuses it first
            continue
        try:
            corpus = metaeval.corpus(**given)
        except metaeval.MetaevalError as error:
            unnamed += [str(error)] * (not any(name in str(error) for name in (*given, "corpus:", "mine:")))
        else:
            made_well += 1
            assert corpus.to_frame("texts").shape[0] == corpus.n_segments
            assert corpus._repr_html_()
    assert not unnamed
    assert made_well > 20


def test_a_table_is_read_as_the_format_says():
    table = pd.DataFrame({"segment": [1, 2], "system": ["A", "A"], "Anna": ["good", "poor"], "Ben": ["poor", "good"]})
    texts = {"A": ["a b", "c d"]}
    with pytest.raises(metaeval.CorpusError, match=r"has no column text or score; .* source_format='table\(columns="):
        metaeval.corpus(table, outputs=texts)
    asked = 'table(judges=["Anna", "Ben"], labels=["poor=1", "good=4"])'
    corpus = metaeval.corpus(table, outputs=texts, source_format=asked)
    assert corpus.judgments.judges == ("Anna", "Ben")
    found = corpus.judgments
    scores = {
        (found.judges[judge], segment): score
        for judge, segment, score in zip(found.judge, found.segment, found.score, strict=True)
    }
    assert scores == {("Anna", 0): 4, ("Anna", 1): 1, ("Ben", 0): 1, ("Ben", 1): 4}
    with pytest.raises(metaeval.UsageError, match="`source_format` must be table"):
        metaeval.corpus(table, outputs=texts, source_format="sgml")
