"""Files of scores in the formats of others, recognised by what stands in them."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import random
import re
from dataclasses import replace

import numpy as np
import pytest

from metaeval.errors import CorpusError, MetaevalError, UsageError
from metaeval.metrics import get_metric
from metaeval.scores.score_files import read_rows
from tests.support.fuzz import mutate
from tests.support.score_files import (
    BY_NUMBER,
    FULL,
    SCORES,
    SEGMENTS,
    comet_items,
    corpus,
    lines,
    measured,
    metricx,
    of_system,
    printed_by_comet,
    table,
    write,
)


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def of_systems(text: str, made: object = None) -> list[float]:
    metric = get_metric(text)
    made = made or corpus()
    assert metric.of_whole_systems(made)
    return metric.score(metric.measure(made, ("r",)).sum(axis=1)).tolist()


CALLED = ["scores", "chrF.seg.score", "x.json", "x.csv", "x.tsv.gz"]


@pytest.mark.parametrize(
    ("name", "called"),
    [
        *((name, "scores") for name in SEGMENTS),
        *(("wmt2021", called) for called in CALLED[1:]),
        *(("to_json", called) for called in CALLED[1:]),
    ],
)
def test_segments_of_every_format_whatever_the_file_is_called(name, called):
    content = SEGMENTS[name].encode()
    with open(called, "wb") as file:
        file.write(gzip.compress(content) if called.endswith(".gz") else content)
    np.testing.assert_array_equal(measured(f"scores:{called}"), SCORES)


@pytest.mark.parametrize(
    ("system", "segment"),
    [
        *(("system", segment) for segment in ("segment", "segment_id", "SEGID", "seg_id", "sid", "id")),
        *((system, "segment") for system in ("System_ID", "sysid", "model")),
    ],
)
def test_names_of_keys(system, segment):
    write("f.jsonl", metricx(system, segment))
    np.testing.assert_array_equal(measured("scores:f.jsonl(higher_is_better=False)"), SCORES)


def test_an_id_beside_a_segment_is_another_number():
    rows = [{"id": 90 + number, "system": a, "seg_id": b, "score": float(c)} for number, (a, b, c) in enumerate(FULL)]
    write("f.jsonl", lines(rows))
    np.testing.assert_array_equal(measured("scores:f.jsonl"), SCORES)


def test_columns_of_metrics_are_chosen_by_name():
    write("f.tsv", table([(*row, 7) for row in FULL], "system segment COMET BLEU"))
    np.testing.assert_array_equal(measured('scores:f.tsv(metric="COMET")'), SCORES)
    with pytest.raises(CorpusError, match="has neither a column `score` nor one that `metric` names"):
        measured("scores:f.tsv")


def test_metricx_counts_errors():
    write("f.jsonl", metricx())
    (note,) = get_metric("scores:f.jsonl").notes(corpus())
    assert note == (
        "f.jsonl: MetricX, whose predictions go from 0 to 25, counts errors, so that a low score is good: type "
        "scores:f.jsonl(higher_is_better=False)."
    )
    assert get_metric("scores:f.jsonl(higher_is_better=False)").notes(corpus()) == ()


def test_what_comet_prints_has_systems_too():
    write("out.log", printed_by_comet())
    metric = get_metric("scores:out.log")
    # These are the means, rounded, so that nothing is lost with the segments.
    assert metric.at_level(corpus(), whole=True) is metric
    write("systems.log", "".join(printed_by_comet().splitlines(keepends=True)[-2:]))
    assert of_systems("scores:systems.log") == [-0.0667, 5]
    write("noise.log", "Seed set to 1\n" + printed_by_comet() + "done\n")
    assert get_metric("scores:noise.log").notes(corpus())[0] == (
        "noise.log: 2 lines are no scores and were left out, the first at noise.log:1."
    )


def test_of_the_domains_of_a_system_all_is_taken():
    rows = [("M", "de-en", "t", domain, "refA", a, b) for domain, a, b in
            (("news", "A", 7), ("all", "A", 1), ("news", "B", 8), ("all", "B", 2))]  # fmt: skip
    write("f.sys.score", "".join("\t".join(map(str, row)) + "\n" for row in rows))
    assert of_systems("scores:f.sys.score") == [1, 2]
    header = "doc_id segment_id source_lang target_lang set_id system_id domain_name method overall"
    rows = [("all", "all", "de", "en", "official", a, "all", "ESA", b) for a, b in (("A", 1), ("B", 2))]
    write("systems.tsv", table(rows, header))
    assert of_systems("scores:systems.tsv") == [1, 2]


def test_documents_and_segments_in_one():
    """WMT20 counts the segments of each document from 1."""
    made = corpus(ids=("i", "j", "k"), documents=("p", "q", "q"))
    rows = [(a, *{"1": ("p", 1), "2": ("q", 1), "3": ("q", 2)}[b], c) for a, b, c in BY_NUMBER]
    write("f", "".join("M\tde-en\tnewstest2020\tnewstest2020\t{}\t{}\t{}\t{}\n".format(*row) for row in rows))
    np.testing.assert_array_equal(measured("scores:f", made), SCORES)
    write("doc", "M\tde-en\tt\tr\tA\tp\t1\nM\tde-en\tt\tr\tB\tp\t1\n")
    with pytest.raises(CorpusError, match="doc: holds scores of documents; only those of segments and systems"):
        measured("scores:doc", made)


def pairs(*names: str, systems: str = "AB") -> str:
    """Return a submission for several language pairs, whose scores are one, two, ... higher than ours."""
    form = "M\t{3}\tt\tr\t{0}\t{1}\t{2}\n"
    own = [form.format(a, b, float(c) + k, name) for k, name in enumerate(names) for a, b, c in BY_NUMBER]
    return "".join(own) + "".join(form.format(f"{a}2", b, 9, "cs-de") for a in systems for b in (1, 2, 3))


def test_the_language_pair_that_has_the_systems_is_taken():
    write("f", pairs("de-en"))
    assert get_metric("scores:f").notes(corpus()) == (
        "f: of the column 'lp' the rows of 'de-en' fit the corpus, not 'cs-de'.",
        "f: the scores are of lp 'de-en', testset 't', reference 'r', as the file says.",
    )
    np.testing.assert_array_equal(measured("scores:f"), SCORES)


def test_the_language_pair_of_the_corpus_is_taken():
    write("f", pairs("de-en", "en-de_AT"))
    told = re.escape(
        """f: holds several values of 'lp', 'de-en', 'en-de_AT', 'cs-de'; type scores:f(only=["lp=de-en"])."""
    )
    with pytest.raises(UsageError, match=told):
        measured("scores:f")
    german = corpus(facts={"source language": "en", "language": "de"})
    np.testing.assert_array_equal(measured("scores:f", german), np.array(SCORES) + 1)
    np.testing.assert_array_equal(measured('scores:f(only=["lp=de-en"])', german), SCORES)
    # The language decides where another pair has more of the systems; a name of it that is unknown does not.
    write("g", pairs("en-de", "de-en").replace("\ten-de\tt\tr\tA\t", "\ten-de\tt\tr\tA2\t"))
    with pytest.raises(CorpusError, match=r"has no scores of the systems 'A'"):
        measured("scores:g", german)
    np.testing.assert_array_equal(measured("scores:g", corpus(facts={"language": "xx"})), np.array(SCORES) + 1)


def test_a_corpus_that_is_called_as_a_language_pair_gets_its_rows():
    """Two corpora with the same systems and segments: nothing else tells whose scores they are."""
    write("f", pairs("de-en", "en-de"))
    first, second = replace(corpus(), name="de-en"), replace(corpus(), name="wmt23.en-de")
    np.testing.assert_array_equal(measured("scores:f", first), SCORES)
    np.testing.assert_array_equal(measured("scores:f", second), np.array(SCORES) + 1)
    told = "takes the rows of 'de-en' for the corpus 'wmt23.en-de', whose name says 'en-de'"
    with pytest.raises(UsageError, match=re.escape(told)):
        measured('scores:f(only=["lp=de-en"])', second)
    with pytest.raises(UsageError, match="For corpora of several language pairs, call each as its pair"):
        measured("scores:f")


def test_a_file_without_our_systems_says_what_it_has():
    write("f", pairs("de-en").replace("\tA\t", "\ta\t").replace("\tB\t", "\tb\t"))
    with pytest.raises(
        CorpusError, match=r"f: has no scores of the systems 'A', 'B' .* names any .*'A2', 'B2', 'a' and 1 more"
    ):
        measured("scores:f")


def test_texts_beside_scores_must_be_those_of_the_corpus():
    items = {f"{name}.txt": comet_items(name) for name in "AB"}
    items["B.txt"][1]["mt"] = "other"
    write("f.json", json.dumps(items))
    with pytest.raises(
        CorpusError,
        match=r"f.json: 'B.txt', item 2: the output of system 'B' for segment '2' is 'other' in the file and 'y' in "
        "corpus 'texts'; 1 texts differ, and nothing but the order tells the segments",
    ):
        measured("scores:f.json")
    items["B.txt"].pop()
    write("f.json", json.dumps(items))
    with pytest.raises(CorpusError, match=r"f.json: has 2 lines of system 'B' but must have 3"):
        measured("scores:f.json")
    # Segments that have names are found by these.
    write("f.jsonl", metricx().replace('"y"', '"other"'))
    np.testing.assert_array_equal(measured("scores:f.jsonl"), SCORES)
    assert any("3 texts differ" in note for note in get_metric("scores:f.jsonl").notes(corpus()))


def test_files_of_outputs_are_called_after_systems():
    write("f.json", json.dumps({"out/1.txt": comet_items("A"), "out/2.txt": comet_items("B")}))
    with pytest.raises(
        CorpusError, match=r"f.json: names files of outputs, 'out/1.txt', 'out/2.txt', .* call them A.txt"
    ):
        measured("scores:f.json")


def without_systems(name: str) -> dict[str, str]:
    """Return the files of a directory with a file for each system."""
    makers = {
        "SYSTEM.txt": lambda system: "\n".join(map(str, of_system(system))) + "\n",
        "SYSTEM.de-en.scores": lambda system: "score\n" + "\n".join(map(str, of_system(system))),
        "SYSTEM.json": lambda system: json.dumps(comet_items(system)),
        "SYSTEM.de-en.json": lambda system: json.dumps({"output.txt": comet_items(system)}),
        "SYSTEM.jsonl": lambda system: lines(
            [{"hypothesis": one["mt"], "prediction": one["COMET"]} for one in comet_items(system)]
        ),
        "SYSTEM.tsv": lambda system: table([(b, c) for a, b, c in FULL if a == system], "segment score"),
    }
    return {name.replace("SYSTEM", system): makers[name](system) for system in "AB"}


@pytest.mark.parametrize(
    "name", ["SYSTEM.txt", "SYSTEM.de-en.scores", "SYSTEM.json", "SYSTEM.de-en.json", "SYSTEM.jsonl", "SYSTEM.tsv"]
)
@pytest.mark.parametrize("packed", [False, True])
def test_a_directory_with_a_file_for_each_system(name, packed):
    os.mkdir("scores")
    for file, text in without_systems(name).items():
        with open(f"scores/{file}{'.gz' * packed}", "wb") as opened:
            opened.write(gzip.compress(text.encode()) if packed else text.encode())
    metric = get_metric("scores:scores")
    assert metric.metrics_in(corpus(), []) is None
    np.testing.assert_array_equal(measured("scores:scores"), SCORES)
    three = replace(corpus(), systems=("A", "B", "C"), candidates=(*corpus().candidates, ("z",) * 3))
    assert any("has no scores of 'C'" in note for note in metric.notes(three))


def test_one_number_for_each_system_is_a_score_of_it():
    os.mkdir("d")
    for name, score in (("A", "1\n"), ("B", "2\n")):
        write(f"d/{name}.txt", score)
    assert of_systems("scores:d") == [1, 2]


def test_files_of_a_directory_must_be_alike():
    os.mkdir("d")
    write("d/A.txt", "1\n2\n3\n")
    write("d/B.tsv", table([(b, c) for a, b, c in FULL if a == "B"], "segment score"))
    with pytest.raises(CorpusError, match=r"d/B.tsv: holds scores of segments, and d/A.txt .* in order"):
        measured("scores:d")
    os.mkdir("empty")
    with pytest.raises(UsageError, match="scores: the directory 'empty' is empty"):
        measured("scores:empty")


@pytest.mark.parametrize("name", ["mine.txt", "A.txt"])
def test_one_file_of_one_system_is_refused_with_what_to_type(name):
    write(name, "1\n2\n3\n")
    with pytest.raises(CorpusError, match=r"put one for each into a directory, DIR/A.txt, DIR/B.txt, .* scores:DIR"):
        measured(f"scores:{name}")


def test_one_file_of_the_one_system():
    alone = replace(corpus(), systems=("A",), candidates=(("x",) * 3,))
    write("mine.txt", "1\nNone\n3\n")
    np.testing.assert_array_equal(measured("scores:mine.txt", alone), [[1, np.nan, 3]])


def test_the_signature_of_a_directory_tells_its_content():
    os.mkdir("d")
    for file, text in without_systems("SYSTEM.txt").items():
        write(f"d/{file}", text)
    before = str(get_metric("scores:d").signature)
    assert str(get_metric("scores:d").signature) == before
    write("d/A.txt", "7\n8\n9\n")
    assert str(get_metric("scores:d").signature) != before


def test_both_levels_in_one_table():
    rows = [*FULL, ("A", "", 70), ("B", "", 80)]
    write("f.tsv", table(rows))
    metric = get_metric("scores:f.tsv")
    np.testing.assert_array_equal(measured("scores:f.tsv"), SCORES)
    assert of_systems('scores:f.tsv(level="system")') == [70, 80]
    whole = metric.at_level(corpus(), whole=True)
    assert whole.of_whole_systems(corpus())
    assert whole.notes(corpus()) == (
        "f.tsv: its scores of whole systems are used; the means of those of segments are "
        'scores:f.tsv(level="segment").',
    )
    assert metric.at_level(corpus(), whole=False) is metric
    kept = get_metric('scores:f.tsv(level="segment")')
    assert kept.at_level(corpus(), whole=True) is kept


@pytest.mark.parametrize("name", [*SEGMENTS, "SYSTEM.json"])
def test_mutated_files_end_in_scores_or_in_an_error(name):
    rng = random.Random(name)
    content = SEGMENTS.get(name, json.dumps(comet_items("A"))).encode()
    for _ in range(150):
        with open("f", "wb") as file:
            file.write(mutate(rng, content))
        with contextlib.suppress(MetaevalError):
            metric = get_metric("scores:f")
            assert metric.metrics_in(corpus(), []) is None
            scores = measured("scores:f")
            assert scores.shape == (2, 3)
            assert not np.isinf(scores).any()


def test_a_table_without_systems_and_scores_names_its_columns(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("id,source,A,B\n1,one two,3,4\n")
    with pytest.raises(CorpusError, match=r"x.csv: has the columns 'id', 'source', 'A', 'B', and none that is called"):
        read_rows(path.read_bytes(), "x.csv", ("A", "B"))
