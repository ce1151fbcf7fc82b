"""Tables as people have them: read by one command, or refused with the line that reads them."""

from __future__ import annotations

import json
import re
import shlex
import time
from pathlib import Path

import pytest

from metaeval.cli import main
from metaeval.corpora.catalogue import load_corpus
from metaeval.datamodel.corpus import Corpus
from tests.support.everyday import FILES, REFERENCE, SOURCES, TEXTS, Everyday, texts

READ = [one for one in FILES if not one.refused]
TYPED = re.compile(r"(?:--source-format '(?:[^']|'\"'\"')*' ?)+")


def content(corpus: Corpus) -> tuple[object, ...]:
    """Return all that a table says."""
    found = corpus.judgments
    columns = (found.criterion, found.system, found.segment, found.judge, found.score)
    return (
        *(corpus.systems, corpus.candidates, corpus.references, corpus.sources, corpus.segment_ids, corpus.documents),
        *(found.judges, [one.name for one in corpus.criteria], [column.tolist() for column in columns]),
        corpus.segment_facts,
    )


def judgments(corpus: Corpus) -> set[tuple[int, str, str, str, float]]:
    found = corpus.judgments
    return {
        (
            int(found.segment[row]),
            corpus.systems[found.system[row]],
            found.judges[found.judge[row]],
            corpus.criteria[found.criterion[row]].name,
            float(found.score[row]),
        )
        for row in range(len(found))
    }


def written(one: Everyday) -> list[str]:
    """Write a file to the current directory, and return what is named on the command line."""
    one.write(Path(one.file))
    return [str(texts(Path("texts"))), one.file] if one.beside_texts else [one.file]


def lines_to_type(said: str) -> list[str]:
    return TYPED.findall(said)


@pytest.fixture(params=FILES, ids=[one.file for one in FILES])
def everyday(request, tmp_path, monkeypatch):
    if request.param.file.endswith((".parquet", ".feather")):
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    if request.param.file.endswith(".xlsx"):
        pytest.importorskip("xlsxwriter", reason="xlsxwriter is not installed")
    monkeypatch.chdir(tmp_path)
    return request.param


def test_a_table_is_read_or_refused_with_the_line_to_type(everyday, capsys):
    sources = written(everyday)
    start = time.process_time()
    code = main(["corpus", "convert", *sources, "out"])
    assert time.process_time() - start < 10
    said = capsys.readouterr().err
    if everyday.refused:
        assert everyday.refused in said
        assert code == 3
        if everyday.ends:
            assert said.count(everyday.refused) == 1
            assert said.count("error") <= 1
            return
        typed = lines_to_type(said[said.index(everyday.refused) :])[0]
        for old, new in (everyday.edit or {}).items():
            assert old in typed
            typed = typed.replace(old, new)
        assert main(["corpus", "convert", *sources, "out", *shlex.split(typed)]) == 0
        said = capsys.readouterr().err
    else:
        assert code == 0, said
    for words in everyday.says:
        assert words in said
    corpus = load_corpus("out")
    assert judgments(corpus) == everyday.expected
    systems = everyday.systems or TEXTS
    assert dict(zip(corpus.systems, map(list, corpus.candidates), strict=True)) == {
        name: list(lines) for name, lines in systems.items()
    }
    references = {"reference": REFERENCE} if everyday.references is None else everyday.references
    assert {name: list(lines) for name, lines in corpus.references.items()} == {
        name: list(lines) for name, lines in references.items()
    }
    if systems is TEXTS:
        assert corpus.sources in (SOURCES, None)


@pytest.mark.parametrize("everyday", READ, ids=[one.file for one in READ], indirect=True)
def test_what_was_found_can_be_typed(everyday, capsys):
    sources = written(everyday)
    assert main(["corpus", "check", *sources]) == 0
    said = [line for line in capsys.readouterr().out.split("\n") if "The same in words" in line]
    (typed,) = lines_to_type(*said)
    options = shlex.split(typed)
    again = load_corpus(sources, [value for value in options if value != "--source-format"])
    assert content(again) == content(load_corpus(sources))
    # Nothing is left to be found then.
    assert main(["corpus", "check", *sources, *options]) == 0
    assert "were found by their names" not in capsys.readouterr().out


def test_a_table_is_compared_as_it_is(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    one = next(one for one in FILES if one.file == "full.csv")
    written(one)
    for level in ("system", "segment"):
        command = ["compare", "--corpus", one.file, "-m", "chrf", "--level", level, "--resamples", "20"]
        assert main([*command, "--format", "json"]) == 0
        (row,) = json.loads(capsys.readouterr().out)
        assert row["metric"] == "chrf"
        assert row["criterion"] == "rating"


def test_rows_without_systems_are_correlated_by_segment(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    one = next(one for one in FILES if one.file == "da.csv")
    written(one)
    for level in ("system", "segment"):
        assert main(["compare", "--corpus", one.file, "-m", "chrf", "--level", level]) == 2
        said = capsys.readouterr().err
        assert "has one system, and a correlation across systems needs two" in said
    (line,) = re.findall(r"`metaeval (run .*)`", said)
    command = shlex.split(line.replace("CORPUS", one.file))
    assert main([*command, "--output", "run"]) == 0
    assert re.search(r"(?i)\nmetric .*\n-.*\nchrf .*\nbleu ", capsys.readouterr().out)
