"""The verb ``report``: it hands a directory on, and says where the page is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import metaeval
from metaeval.cli import main
from metaeval.errors import CorpusError, UsageError
from metaeval.results.rows import Claim
from metaeval.results.tables import text_of
from tests.support.results import claim, run_of, signed


@pytest.fixture
def calls(monkeypatch):
    """Put another reader of runs and another writer of pages in the place of ours, and give what they were given."""
    found, run = [], run_of()

    def read_run(directory):
        if directory.name == "none":
            raise UsageError(f"{directory}: is no directory of a run.")
        return run

    monkeypatch.setattr("metaeval.runs.page.read_run", read_run)
    monkeypatch.setattr("metaeval.runs.page.render", lambda given, *_: repr(given is run))
    monkeypatch.setattr("metaeval.runs.page.replace_files", lambda *written: found.append(written))
    return found


def test_the_verb_prints_where_the_page_is(calls, capsys):
    assert main(["report", "runs/mine"]) == 0
    assert calls == [(Path("runs/mine"), {"report.html": b"True"})]
    assert capsys.readouterr().out == f"{Path('runs/mine/report.html')}\n"


def test_the_function_takes_paths_and_texts(calls):
    assert metaeval.report_run("runs/a") == metaeval.report_run(Path("runs/a")) == Path("runs/a/report.html")
    assert calls == [(Path("runs/a"), {"report.html": b"True"})] * 2


def test_an_error_is_told_without_a_traceback(calls, capsys):
    assert main(["report", "runs/none"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("metaeval: ")


def test_a_run_gets_its_page_again(tmp_path, capsys):
    quick = ["uncertainty.n_resamples=10", 'metrics=["ter"]', "figures=[]"]
    run = metaeval.run("system-level", overrides=quick, output=tmp_path / "run")
    page = run.directory / "report.html"
    page.unlink()
    with pytest.raises(CorpusError, match=r"report\.html: cannot be read"):
        metaeval.load_run(run)
    page.write_text("")
    signed(run.directory)
    assert main(["report", str(run.directory)]) == 0
    assert capsys.readouterr().out == f"{page}\n"
    assert "<html" in page.read_text(encoding="utf-8")
    assert metaeval.report_run(run) == page


def test_what_is_no_run_gets_no_page(tmp_path, capsys):
    assert main(["report", str(tmp_path)]) == 2
    assert "is no directory of a run" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    quick = ["uncertainty.n_resamples=10", 'metrics=["ter"]', "figures=[]"]
    run = metaeval.run("system-level", overrides=quick, output=tmp_path_factory.mktemp("runs") / "run")
    return run.directory


def without_column(name):
    def spoil(path):
        rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
        at = rows[0].index(name)
        path.write_text("".join("\t".join(row[:at] + row[at + 1 :]) + "\n" for row in rows), encoding="utf-8")

    return spoil


def with_cell(name, value):
    def spoil(path):
        header, first, *others = path.read_text(encoding="utf-8").splitlines()
        cells = first.split("\t")
        cells[header.split("\t").index(name)] = value
        path.write_text("\n".join([header, "\t".join(cells), *others]) + "\n", encoding="utf-8")

    return spoil


def holding(content):
    return lambda path: path.write_bytes(content)


def manifest(**changes):
    """Change keys of a manifest; those of its corpus begin with corpus_, and None removes one."""

    def spoil(path):
        told = json.loads(path.read_text(encoding="utf-8"))
        for key, value in changes.items():
            place = told["corpora"][0] if key.startswith("corpus_") else told
            place[key.removeprefix("corpus_")] = value
            if value is None:
                del place[key.removeprefix("corpus_")]
        path.write_text(json.dumps(told), encoding="utf-8")

    return spoil


def claims(spoil):
    """Write claims.tsv with a claim, and spoil it."""

    def write(path):
        path.write_text(text_of(Claim, [claim(1, "ter above 0", "holds")]), encoding="utf-8")
        spoil(path)

    return write


@pytest.mark.parametrize(
    ("name", "spoil", "error", "cause"),
    [
        ("correlations.tsv", with_cell("length", "long"), CorpusError, "is not what a run writes: .*'long'"),
        ("claims.tsv", claims(without_column("label")), CorpusError, "is not what a run writes: its columns are"),
        ("claims.tsv", claims(with_cell("reading", "maybe")), CorpusError, "is not what a run writes"),
        ("claims.tsv", claims(with_cell("label", "a\tb")), CorpusError, "is not what a run writes"),
        ("config.toml", holding(b'title = "\xff"\n'), CorpusError, "is not UTF-8, at byte 9"),
        ("manifest.json", holding(b"\xff"), CorpusError, "is not what a run writes"),
        ("manifest.json", manifest(corpora=3), CorpusError, "`corpora` must be a list; got 3"),
        ("manifest.json", manifest(corpus_name=None), CorpusError, r"`corpora\[0\]\.name` is missing"),
        ("manifest.json", manifest(corpus_digest=3), CorpusError, r"`corpora\[0\]\.digest` must be text; got 3"),
        ("manifest.json", manifest(corpus_references=3), CorpusError, r"`corpora\[0\]\.references` must be a list"),
        ("manifest.json", manifest(corpus_signatures=[]), CorpusError, r"`corpora\[0\]\.signatures` must be a table"),
        ("times.json", holding(b'{"started": 3}'), CorpusError, "`started` must be text; got 3"),
        ("manifest.json", manifest(packages=3), CorpusError, "`packages` must be a table; got 3"),
        ("manifest.json", manifest(warnings=3), CorpusError, "`warnings` must be a list; got 3"),
    ],
)
def test_spoilt_files_are_named_with_their_cause(finished, tmp_path, name, spoil, error, cause):
    directory = tmp_path / "spoilt"
    shutil.copytree(finished, directory)
    spoil(directory / name)
    if name != "manifest.json":
        signed(directory)
    with pytest.raises(error, match=rf"spoilt/{name}: {cause}"):
        metaeval.report_run(directory)
