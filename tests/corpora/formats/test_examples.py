"""One small test set in every format: each reader must find the same texts and the judgments that were written."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import numpy as np
import pytest

from metaeval.components.registries import READERS
from metaeval.corpora.formats import recognise
from metaeval.corpora.formats.base import Glimpse
from metaeval.corpora.read import read_sources
from metaeval.datamodel.corpus import Corpus, Judgments
from tests.support import examples
from tests.support.examples import JUDGES, REFERENCES, SOURCE, SYSTEMS, TEXTS, score

FORMATS = list(examples.SOURCES)
WITH_DOCUMENTS = ["neutral", "sgml", "wmt", "mt-metrics-eval", "mqm", "table"]


def read(paths: list[Path], formats=()) -> Corpus:
    corpus, problems = read_sources(paths, formats)
    assert corpus is not None, problems.errors
    return corpus


def made(name: str, directory: Path) -> Corpus:
    make, formats = examples.SOURCES[name]
    return read(make(directory / name), formats)


def as_set(judgments: Judgments, names, corpus: Corpus) -> dict[tuple[str, int, str, str], float]:
    """Return the judgments by system, segment position, judge and criterion."""
    keys = zip(judgments.system, judgments.segment, judgments.judge, judgments.criterion, strict=True)
    found = {
        (names[s], int(g), judgments.judges[j], corpus.criteria[c].name): float(value)
        for (s, g, j, c), value in zip(keys, judgments.score, strict=True)
    }
    assert len(found) == len(judgments)
    return found


@pytest.mark.parametrize("name", FORMATS)
def test_outputs_are_kept_to_the_character(name, tmp_path):
    corpus = made(name, tmp_path)
    assert dict(zip(corpus.systems, corpus.candidates, strict=True)) == {system: TEXTS[system] for system in SYSTEMS}


@pytest.mark.parametrize("name", FORMATS)
def test_references_are_kept_to_the_character(name, tmp_path):
    references = list(made(name, tmp_path).references.values())
    expected = [list(TEXTS[reference]) for reference in REFERENCES]
    if name == "webnlg":
        expected[1][1] = None  # entry 3 has one reference
    assert [list(texts) for texts in references] == expected


@pytest.mark.parametrize("name", [*WITH_DOCUMENTS, "webnlg"])
def test_documents_and_sources(name, tmp_path):
    corpus = made(name, tmp_path)
    if name == "webnlg":
        assert corpus.documents == ("d1:Id2", "d1:Id3", "d2:Id5", "d2:Id7")
        assert corpus.sources == tuple(f"{text} ; and | so | on" for text in SOURCE)
        return
    assert corpus.documents == examples.DOCUMENTS
    assert corpus.sources == (None if name == "table" else SOURCE)


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        # Every document counts from 1, so that the document belongs to the id.
        ("sgml", ("d1:1", "d1:2", "d2:1", "d2:2")),
        ("wmt", ("d1:1", "d1:2", "d2:1", "d2:2")),
        ("table", ("d1:1", "d1:2", "d2:1", "d2:2")),
        ("mt-metrics-eval", ("1", "2", "3", "4")),
        ("mqm", ("1", "2", "3", "4")),
        ("summeval", ("d1-1", "d1-2", "d2-1", "d2-2")),
        ("webnlg", ("Id2", "Id3", "Id5", "Id7")),
    ],
)
def test_segments_have_the_ids_of_the_format(name, ids, tmp_path):
    assert made(name, tmp_path).segment_ids == ids


@pytest.mark.parametrize(
    ("name", "criteria"),
    [
        ("sgml", ("adequacy", "fluency")),
        ("wmt", ("quality",)),
        ("table", ("adequacy",)),
        ("folder", ("adequacy",)),
        ("pearmut", ("esa",)),
        ("wmt-json", ("esa",)),
    ],
)
def test_each_score_comes_to_its_item(name, criteria, tmp_path):
    corpus = made(name, tmp_path)
    assert as_set(corpus.judgments, corpus.systems, corpus) == {
        (system, position, judge, criterion): score(system, position, judge) + 50 * (criterion == "fluency")
        for system in SYSTEMS
        for position in range(4)
        for judge in JUDGES
        for criterion in criteria
    }


def test_mqm_adds_the_published_weights_exactly(tmp_path):
    corpus = made("mqm", tmp_path)
    found = as_set(corpus.judgments, corpus.systems, corpus)
    for position in range(4):
        rater = f"rater{position % 2 + 1}"
        # A: three minor punctuation errors, 3 * 0.1, and a major omission, 5. In floats 0.1 + 0.1 + 0.1 is not 0.3.
        assert found["A", position, rater, "mqm"] == 5.3
        assert found["A", position, rater, "accuracy"] == 5
        assert found["A", position, rater, "fluency"] == 0.3
        # B: a non-translation, 25, whatever its severity.
        assert [found["B", position, rater, name] for name in ("mqm", "accuracy", "fluency")] == [25, 0, 0]
    assert len(found) == 2 * 4 * 3
    of_references = as_set(corpus.reference_judgments, corpus.judged_references, corpus)
    assert set(of_references.values()) == {0.0}
    assert len(of_references) == 2 * 4 * 3
    assert [criterion.higher_is_better for criterion in corpus.criteria] == [False] * 3
    # <v> and </v> stand round the errors: of A thrice in the output and once in the source, of B once in the output.
    spans = corpus.spans
    assert spans.names == ("A", "B")
    found = {
        (spans.names[text], int(segment), int(start), int(end), bool(in_source))
        for text, segment, start, end, in_source in zip(
            spans.text, spans.segment, spans.start, spans.end, spans.in_source, strict=True
        )
    }
    outputs = {(name, k, len(TEXTS[name][k][:1]), len(TEXTS[name][k]), False) for name in SYSTEMS for k in range(4)}
    assert found == outputs | {("A", k, 0, len(SOURCE[k]), True) for k in range(4)}
    assert len(spans) == 4 * (3 + 1 + 1)


def test_mt_metrics_eval_scores_of_all_levels(tmp_path):
    corpus = made("mt-metrics-eval", tmp_path)
    found = as_set(corpus.judgments, corpus.systems, corpus)
    mqm = {key[:2]: value for key, value in found.items() if key[3] == "mqm"}
    expected = {(system, position): -score(system, position, "ann") for system in SYSTEMS for position in range(4)}
    del expected["B", 3]  # None in the file
    assert mqm == expected
    # Three minor punctuation errors and as many major omissions as the position: 0.3 + 5 * position.
    errors = {key[:3]: value for key, value in found.items() if key[3] == "mqm-errors"}
    assert errors == {
        (system, position, f"rater{position % 2 + 1}"): 0.3 + 5 * position
        for system in SYSTEMS
        for position in range(4)
    }
    references = as_set(corpus.reference_judgments, corpus.judged_references, corpus)
    assert references == {
        ("refA", 1, "mqm", "mqm"): -1.5,
        ("refA", 2, "mqm", "mqm"): 0.0,
        ("refA", 3, "mqm", "mqm"): 0.0,
    }
    given = {(one.name, one.origin, one.level): one for one in corpus.scores}
    assert set(given) == {
        ("mqm", "human", "document"),
        ("wmt-z", "human", "system"),
        ("BLEU-refA", "metric", "segment"),
        ("BLEU-refA", "metric", "domain"),
    }
    assert given["BLEU-refA", "metric", "domain"].units == ("news",)
    np.testing.assert_array_equal(given["BLEU-refA", "metric", "domain"].values, [[0.5], [0.25]])
    assert corpus.segment_facts == {"domain": ("news",) * 4}
    # Errors of ratings are spans: three, and one more for each position, of both systems.
    assert len(corpus.spans) == 2 * (4 * 3 + 0 + 1 + 2 + 3)
    documents = given["mqm", "human", "document"]
    assert (documents.systems, documents.units) == (("A", "B"), ("d1", "d2"))
    np.testing.assert_array_equal(documents.values, [[-1, -2], [np.nan, -4]])
    np.testing.assert_array_equal(given["wmt-z", "human", "system"].values, [[0.5], [-0.25]])
    np.testing.assert_array_equal(given["BLEU-refA", "metric", "segment"].values, [[0, 0.125, 0.25, 0.375]] * 2)


def test_summeval_judges_are_places_in_the_lists(tmp_path):
    corpus = made("summeval", tmp_path)
    found = as_set(corpus.judgments, corpus.systems, corpus)
    expected = {}
    for system in SYSTEMS:
        for position in range(4):
            expected[system, position, "expert1", "coherence"] = 1 + position
            expected[system, position, "expert1", "fluency"] = 5
            expected[system, position, "expert2", "coherence"] = 2
            expected[system, position, "expert2", "fluency"] = 1 + position
            expected[system, position, "turker1", "coherence"] = 3
            expected[system, position, "turker1", "fluency"] = 4.5
    assert found == expected


def test_webnlg_keeps_ratings_of_the_reference_apart(tmp_path):
    corpus = made("webnlg", tmp_path)
    found = as_set(corpus.judgments, corpus.systems, corpus)
    expected = {}
    for position in range(4):
        for judge in JUDGES:
            expected[position, judge, "Fluency"] = 50 + position
            expected[position, judge, "Correctness"] = 60
    assert found == {(system, *key): value for system in SYSTEMS for key, value in expected.items()}
    references = as_set(corpus.reference_judgments, corpus.judged_references, corpus)
    assert references == {("WebNLG-2020-reference", *key): value for key, value in expected.items()}


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_recognised_by_content(name, tmp_path):
    make, _ = examples.SOURCES[name]
    reader = recognise(Glimpse.from_path(make(tmp_path / name)[0]))
    assert reader is not None
    assert reader.name == ("sgml" if name == "wmt" else name)


def test_scores_of_appraise_are_recognised_by_content(tmp_path):
    reader = recognise(Glimpse.from_path(examples.wmt_xml(tmp_path)[1]))
    assert reader is not None
    assert reader.name == "wmt"


def test_every_reader_has_an_example():
    assert set(READERS) == set(examples.SOURCES)


@pytest.mark.parametrize("name", FORMATS)
def test_files_may_be_packed(name, tmp_path):
    make, formats = examples.SOURCES[name]
    plain = read(make(tmp_path / "plain"), formats)
    paths = make(tmp_path / "packed")
    found = [path for path in (tmp_path / "packed").rglob("*") if path.is_file() and path.name != "corpus.toml"]
    for path in found + [path for path in paths if path.is_file() and path.parent == tmp_path]:
        path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))
        path.unlink()
    packed = read([path if path.is_dir() else path.with_name(path.name + ".gz") for path in paths], formats)
    assert packed.candidates == plain.candidates
    assert packed.references == plain.references
    np.testing.assert_array_equal(packed.judgments.score, plain.judgments.score)


def test_an_archive_is_read_like_its_directory(tmp_path):
    (directory,) = examples.mtme(tmp_path / "set")
    archive = shutil.make_archive(str(tmp_path / "set"), "gztar", root_dir=tmp_path, base_dir="set")
    assert read([Path(archive)]).candidates == read([directory]).candidates


@pytest.mark.parametrize("suffix", [".tsv", ".csv", ".jsonl", ".parquet"])
def test_tidy_tables_of_all_kinds(suffix, tmp_path):
    if suffix == ".parquet":
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    corpus = read(examples.table(tmp_path, suffix))
    assert dict(zip(corpus.systems, corpus.candidates, strict=True)) == {system: TEXTS[system] for system in SYSTEMS}
    assert as_set(corpus.judgments, corpus.systems, corpus) == {
        (system, position, judge, "adequacy"): score(system, position, judge)
        for system in SYSTEMS
        for position in range(4)
        for judge in JUDGES
    }


def test_corpus_toml_may_list_the_files_and_declare_the_criteria(tmp_path):
    examples.sgml(tmp_path / "texts")
    (tmp_path / "corpus.toml").write_text(
        f"""
        name = "mine"
        title = "My licensed corpus"
        criteria = [
            {{ name = "fluency", low = 0, high = 100, direction = "higher" }},
            {{ name = "adequacy", low = 0, high = 50, direction = "lower" }},
        ]
        [[files]]
        path = "texts"
        [[files]]
        path = "assessments.csv"
        format = '{examples.SGML_FORMATS[1]}'
        """
    )
    corpus = read([tmp_path])
    assert (corpus.name, corpus.title) == ("mine", "My licensed corpus")
    assert [(one.name, one.high, one.higher_is_better) for one in corpus.criteria] == [
        ("fluency", 100, True),
        ("adequacy", 50, False),
    ]
    assert len(corpus.judgments) == 32


def test_crowd_tables_of_wmt(tmp_path):
    """The layout of the crowd's tables: systems with a number, equal outputs sharing a score, lines of the test set."""
    texts = examples.wmt_xml(tmp_path)[0]
    header = "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time"
    rows = [
        "H1\tM1\tde\ten\tad\t4\tA.7+B.12\t1\tSYSTEM\t3\t61.5\t9.0",
        "H1\tM1\tde\ten\tad\t4\tA.7\t1\tSYSTEM\t4\t-0.25\t9.0",
        "H1\tM1\tde\ten\tad\t4\tA.7\t1\tSYSTEM\t4\t0.75\t9.0",
        "H1\tM1\tde\ten\tad\t4\tA.7\t1\tBADREF\t4\t3\t9.0",
    ]
    table = tmp_path / "ad-latest.csv"
    table.write_text("\n".join([header, *rows]) + "\n")
    corpus, problems = read_sources([texts, table])
    assert "probably standardised" in " ".join(map(str, problems.entries))
    assert corpus.criteria[0].low == -np.inf
    table.write_text("\n".join([header, *rows]).replace("-0.25", "0.25") + "\n")
    corpus, problems = read_sources([texts, table])
    assert (corpus.criteria[0].low, corpus.criteria[0].high) == (0, 100)
    assert as_set(corpus.judgments, corpus.systems, corpus) == {
        ("A", 2, "M1", "quality"): 61.5,
        ("B", 2, "M1", "quality"): 61.5,
        ("A", 3, "M1", "quality"): 0.5,  # the mean of 0.25 and 0.75
    }
    notes = " ".join(map(str, problems.entries))
    assert "1 BADREF" in notes
    assert "1 of 3 items scored several times by one annotator" in notes
