"""Laws of conversion: what is written reads back the same, whatever the texts and names."""

from __future__ import annotations

import json
import tempfile
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import metaeval
from metaeval.corpora.error_spans import Span, spans_of
from metaeval.corpora.judgment_columns import NO_JUDGMENTS
from metaeval.corpora.problems import Problems
from metaeval.corpora.read import read_sources
from metaeval.corpora.text_files import Files
from metaeval.corpora.write_native import file_names, write_neutral
from metaeval.datamodel.annotations import ErrorSpans, GivenScores
from metaeval.datamodel.corpus import Corpus, Criterion, Judgments
from metaeval.errors import UsageError
from tests.support import corpus as neutral
from tests.support import examples

# Everything but the line feed, which is the end of a segment, and surrogates, which are no characters.
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=20)
PARAGRAPH = st.text(st.sampled_from(["a", "é", " ", "\n", "\r", "\t", '"', "\u2028"]), max_size=8)
# No control characters, quotation marks and byte order marks: names stand in tables.
_WORD = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters='"\ufeff'), min_size=1, max_size=8)
# Ends that mean something in the names of files, and names that are longer than those may be.
_END = st.sampled_from([".document", ".system", ".segment", ".gz", ".txt", ".tsv", "/", "é" * 150, "a" * 300])
NAME = _WORD | st.builds(str.__add__, _WORD, _END)
SCORE = st.one_of(st.integers(-5, 5).map(float), st.floats(-1e6, 1e6, allow_nan=False))


@st.composite
def corpora(draw) -> Corpus:
    names = draw(st.lists(NAME, min_size=1, max_size=5, unique=True))
    cut = draw(st.integers(1, len(names)))
    n = draw(st.integers(1, 4))
    files = file_names(sorted(names))
    # Texts of several lines need the second form of the layout.
    text = draw(st.sampled_from([TEXT, PARAGRAPH]))
    systems = tuple(sorted(names[:cut], key=files.get))
    references = tuple(sorted(names[cut:], key=files.get))
    optional = st.none() | text
    # A first output of every system and reference, since a text of nothing at all has no file.
    texts = {name: (draw(text), *(draw(optional) for _ in range(n - 1))) for name in names}
    ids = draw(st.lists(NAME, min_size=n, max_size=n, unique=True))
    criteria = tuple(
        Criterion(name, low, high, draw(st.booleans()))
        for name in draw(st.lists(NAME, max_size=2, unique=True))
        for low, high in [draw(st.sampled_from([(-np.inf, np.inf), (-1e6, 1e6), (-2e6, np.inf)]))]
    )
    judges = tuple(sorted(draw(st.lists(NAME, min_size=1, max_size=2, unique=True))))

    def judgments(of: int) -> Judgments:
        cells = [
            (c, s, g, j) for c in range(len(criteria)) for s in range(of) for g in range(n) for j in range(len(judges))
        ]
        chosen = draw(st.lists(st.sampled_from(cells), unique=True, max_size=8)) if cells else []
        if not chosen:
            return NO_JUDGMENTS
        columns = np.array(chosen, dtype=np.int32).T
        used, judge = np.unique(columns[3], return_inverse=True)
        scores = np.array([draw(SCORE) for _ in chosen])
        return Judgments(
            tuple(judges[k] for k in used), columns[0], columns[1], columns[2], judge.astype(np.int32), scores
        )

    scores = ()
    if draw(st.booleans()):
        values = np.array([[draw(st.just(np.nan) | SCORE) for _ in range(n)] for _ in systems])
        values[:, 0] = 0.5
        scores = (GivenScores.of(draw(NAME), "metric", "segment", systems, tuple(ids), values),)
    of_references = judgments(len(references))
    judged = tuple(references[k] for k in sorted(set(of_references.system.tolist())))
    position = {name: k for k, name in enumerate(judged)}
    of_references = replace(
        of_references, system=np.array([position[references[k]] for k in of_references.system], dtype=np.int32)
    )
    places = st.tuples(st.integers(0, n - 1), st.sampled_from([*systems, *references]), NAME)
    bounds = st.sampled_from([(-1, -1), (0, 0), (2, 7)])
    labels = st.tuples(st.sampled_from(["", "major"]), st.just("") | NAME)
    marks = st.tuples(places, bounds, labels, st.booleans())
    known = draw(st.sampled_from([(), ("domain", "é")]))
    drawn = draw(st.lists(marks, max_size=3))
    spans = spans_of(
        [Span(*place, *bound, *words, there) for place, bound, words, there in drawn],
        (*systems, *references),
        lambda key: None,
        Files(Path(), Problems()),
    )
    documents = tuple(draw(NAME) for _ in range(n)) if draw(st.booleans()) else None
    return Corpus(
        name=draw(NAME),
        title=draw(TEXT),
        facts={"license": draw(TEXT), "source language": draw(TEXT)},
        systems=systems,
        candidates=tuple(texts[name] for name in systems),
        references={name: texts[name] for name in references},
        sources=tuple(draw(text) for _ in range(n)) if draw(st.booleans()) else None,
        segment_ids=tuple(ids),
        documents=documents,
        criteria=criteria,
        judgments=judgments(len(systems)),
        reference_judgments=of_references,
        judged_references=judged,
        digest="",
        scores=scores,
        segment_facts={name: tuple(draw(NAME) for _ in range(n)) for name in known},
        spans=spans,
    )


def rows(judgments: Judgments) -> list[tuple[object, ...]]:
    columns = (judgments.criterion, judgments.system, judgments.segment, judgments.judge, judgments.score)
    return sorted(
        (int(c), int(s), int(g), judgments.judges[j], float(x)) for c, s, g, j, x in zip(*columns, strict=True)
    )


def marks_of(spans: ErrorSpans) -> list[tuple[object, ...]]:
    names = [
        [known[one] for one in column]
        for known, column in (
            (spans.names, spans.text),
            (spans.judges, spans.judge),
            (spans.severities, spans.severity),
            (spans.categories, spans.category),
        )
    ]
    numbers = [column.tolist() for column in (spans.segment, spans.start, spans.end, spans.in_source)]
    return list(zip(*names, *numbers, strict=True))


def assert_equal(first: Corpus, second: Corpus) -> None:
    for item in fields(Corpus):
        a, b = getattr(first, item.name), getattr(second, item.name)
        if item.name in ("judgments", "reference_judgments"):
            assert rows(a) == rows(b), item.name
        elif item.name == "facts":
            assert {key: value for key, value in a.items() if value} == {
                key: value for key, value in b.items() if value
            }
        elif item.name == "scores":
            first_scores, second_scores = (
                {(s.name, s.origin, s.level, s.systems, s.units): s.values for s in given} for given in (a, b)
            )
            assert set(first_scores) == set(second_scores)
            for key, values in first_scores.items():
                np.testing.assert_array_equal(values, second_scores[key])
        elif item.name == "spans" and a is not None:
            assert marks_of(a) == marks_of(b)
        elif item.init and item.name != "digest":
            assert a == b, item.name


def read(paths, formats=()) -> Corpus:
    corpus, problems = read_sources(paths, formats)
    assert corpus is not None, problems.errors
    return corpus


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(corpora())
def test_what_is_written_reads_back_the_same(corpus):
    with tempfile.TemporaryDirectory() as scratch:
        directory = Path(scratch) / "corpus"
        write_neutral(corpus, directory)
        assert_equal(corpus, read([directory]))


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(corpora())
def test_tidy_tables_keep_every_text_and_judgment(corpus):
    """The reader of tables against a writer of a few lines, that of this test."""
    # A segment that nobody has a text for is not in a table.
    first = tuple(text or "" for text in corpus.candidates[0])
    corpus = replace(corpus, candidates=(first, *corpus.candidates[1:]))
    with tempfile.TemporaryDirectory() as scratch:
        documents = corpus.documents or ("",) * corpus.n_segments
        keys = [
            {"segment": id_, "document": document} for id_, document in zip(corpus.segment_ids, documents, strict=True)
        ]
        texts = [("system", name, of) for name, of in zip(corpus.systems, corpus.candidates, strict=True)]
        texts += [("reference", name, of) for name, of in corpus.references.items()]
        lines = [
            {**key, "system": "", "reference": "", "text": text, kind: name}
            for kind, name, of in texts
            for key, text in zip(keys, of, strict=True)
            if text is not None
        ]
        # The first mention of a segment gives its place.
        lines.sort(key=lambda line: corpus.segment_ids.index(line["segment"]))
        judged = [
            {**keys[g], kind: names[s], "judge": of.judges[j], "criterion": corpus.criteria[c].name, "score": float(x)}
            for kind, of, names in (
                ("system", corpus.judgments, corpus.systems),
                ("reference", corpus.reference_judgments, corpus.judged_references),
            )
            for c, s, g, j, x in zip(of.criterion, of.system, of.segment, of.judge, of.score, strict=True)
        ]
        paths = [Path(scratch) / "texts.jsonl", Path(scratch) / "judgments.jsonl"]
        for path, content in zip(paths, (lines, judged), strict=True):
            path.write_bytes("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in content).encode())
        found = read(paths if judged else paths[:1], ["table"])
    assert found.segment_ids == corpus.segment_ids
    assert found.candidates == corpus.candidates
    assert found.references == corpus.references
    for mine, theirs, names in (
        (found.judgments, corpus.judgments, corpus.systems),
        (found.reference_judgments, corpus.reference_judgments, corpus.judged_references),
    ):
        of_mine, of_theirs = (
            sorted((whole.criteria[c].name, names[s], g, j, x) for c, s, g, j, x in rows(judgments))
            for whole, judgments in ((found, mine), (corpus, theirs))
        )
        assert of_mine == of_theirs


@pytest.mark.parametrize("name", list(examples.SOURCES))
def test_conversion_of_each_format_loses_nothing(name, tmp_path):
    make, formats = examples.SOURCES[name]
    corpus = read(make(tmp_path / "source"), formats)
    write_neutral(corpus, tmp_path / "neutral")
    assert_equal(corpus, read([tmp_path / "neutral"]))


def test_converting_twice_gives_the_same_bytes(tmp_path):
    corpus = read(examples.mtme(tmp_path / "source"))
    write_neutral(corpus, tmp_path / "first")
    write_neutral(read([tmp_path / "first"]), tmp_path / "second")
    first = {path.relative_to(tmp_path / "first"): path.read_bytes() for path in (tmp_path / "first").rglob("*.*")}
    second = {path.relative_to(tmp_path / "second"): path.read_bytes() for path in (tmp_path / "second").rglob("*.*")}
    assert first == second


def test_a_corpus_without_a_name_is_called_as_its_directory(tmp_path):
    """Headings of reports have the name that the user chose, not that of a spreadsheet."""
    (tmp_path / "export (3).csv").write_text("segment,system,text,score\n1,A,a b,3\n1,B,a c,4\n")
    corpus, _ = metaeval.convert_corpus(tmp_path / "export (3).csv", tmp_path / "wmt-pilot")
    assert corpus.name == "wmt-pilot"
    assert metaeval.load_corpus(tmp_path / "wmt-pilot").name == "wmt-pilot"
    # What has a name keeps it.
    assert metaeval.convert_corpus("demo", tmp_path / "other")[0].name == "demo"


def test_the_texts_and_tables_of_a_neutral_corpus_stay_as_they_are(tmp_path):
    before = neutral.write(tmp_path / "before")
    write_neutral(read([before]), tmp_path / "after")
    files = [
        {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*.t[xs]?")}
        for root in (before, tmp_path / "after")
    ]
    assert sorted(files[0]) == [
        "judgments.tsv",
        *(f"references/{name}.txt" for name in neutral.REFERENCES),
        *(f"systems/{name}.txt" for name in neutral.SYSTEMS),
    ]
    assert files[0] == files[1]


def test_a_failed_conversion_leaves_nothing(tmp_path, monkeypatch):
    corpus = read(examples.mqm(tmp_path), [examples.MQM_FORMAT])
    monkeypatch.setattr("metaeval.corpora.write_native._Writer._scores", None)
    monkeypatch.setattr("metaeval.corpora.write_native._Writer._segments", lambda self: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_neutral(corpus, tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["mqm.tsv"]


def test_a_directory_that_holds_something_is_never_written_to(tmp_path):
    corpus = read(examples.mqm(tmp_path), [examples.MQM_FORMAT])
    with pytest.raises(UsageError, match="exists and is not an empty directory"):
        write_neutral(corpus, tmp_path)


def test_names_of_files_differ_in_more_than_case():
    assert file_names(["a/b", "a b", "A-B", "..", "x", "X"]) == {
        "a/b": "a-b",
        "a b": "a-b-2",
        "A-B": "A-B-3",
        "..": "unnamed",
        "x": "x",
        "X": "X-2",
    }


def test_names_of_files_are_short_and_tell_no_level():
    # An é has two bytes.
    assert file_names(["é" * 300, "m.document", "m.system"]) == {
        "é" * 300: "é" * 100,
        "m.document": "m-document",
        "m.system": "m-system",
    }
