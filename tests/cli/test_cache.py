"""The verbs of `metaeval cache`."""

from __future__ import annotations

import numpy as np
import pytest

import metaeval
from metaeval.cli import main
from metaeval.errors import MetaevalWarning
from metaeval.runtime import cache
from metaeval.version import VERSION


@pytest.fixture
def filled(tmp_path, monkeypatch):
    """A cache with an array of scores and two of statistics."""
    monkeypatch.setenv("METAEVAL_CACHE", str(tmp_path))
    monkeypatch.setenv(cache.LIMIT_VARIABLE, "1G")
    for kind, number in (("scores", 0), ("statistics", 1), ("statistics", 2)):
        cache.cached(kind, (number,), lambda: np.zeros(100), (100,))


def test_info_counts_what_is_there(filled, capsys):
    assert main(["cache", "info", "--format", "tsv"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()[1:]]
    assert [(row[0], row[1]) for row in rows if row[1] != "0"] == [("scores", "1"), ("statistics", "2")]


def test_prune_takes_kinds_or_else_all(filled, capsys):
    assert main(["cache", "prune", "statistics", "--to", "0"]) == 0
    assert main(["cache", "prune", "--to", "0"]) == 0
    assert capsys.readouterr().out == "2 files removed.\n1 file removed.\n"


@pytest.fixture
def earlier(tmp_path):
    """The directory of an earlier version, with two files."""
    for kind, name in (("replicates", "aa"), ("figures", "bb")):
        folder = tmp_path / "store" / kind / name
        folder.mkdir(parents=True)
        (folder / f"{name}.npy").write_bytes(b"numbers")
    return tmp_path / "store"


def test_what_an_earlier_version_kept_is_named_and_pruned(filled, earlier, capsys):
    assert main(["cache", "info"]) == 0
    *_, row, note = capsys.readouterr().out.splitlines()
    assert row.split() == ["obsolete", "2", "14", "bytes", str(earlier)]
    assert note.endswith("does not use them; `metaeval cache prune` removes them.")
    assert main(["cache", "prune"]) == 0
    # Of the three files that are still used, which are small, none goes.
    assert capsys.readouterr().out == "2 files removed.\n"
    assert not earlier.exists()
    assert len([*cache.entries()]) == 3
    assert main(["cache", "info"]) == 0
    assert "bsolete" not in capsys.readouterr().out


def test_corpora_of_other_versions_are_named_and_pruned_and_those_of_this_one_stay(filled, tmp_path, capsys):
    # The folders in which 0.1.0 and 0.2.0 kept corpora, and those in which this version does.
    others = [tmp_path / name for name in ("fetched/summeval", "public-0.2.0", "simulated-0.1.0")]
    ours = [tmp_path / name for name in ("public", f"simulated-{VERSION}")]
    for folder in (*others, *ours):
        (folder / "mine").mkdir(parents=True)
        (folder / "mine" / "corpus.toml").write_bytes(b"1234567")
    assert main(["cache", "info", "--format", "tsv"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()[1:]]
    assert [row for row in rows if row[0] == "obsolete"] == [["obsolete", "1", "7", str(folder)] for folder in others]
    assert [row[1:3] for row in rows if row[0] == "corpora"] == [["2", "14"]]
    assert main(["cache", "prune"]) == 0
    assert capsys.readouterr().out == "3 files removed.\n"
    assert [folder.exists() for folder in (*others, *ours)] == [False, False, False, True, True]


def test_prune_leaves_what_only_has_a_similar_name(filled, tmp_path):
    # METAEVAL_CACHE may be a directory that holds other things.
    names = ("public-datasets/a.txt", "public-2024/a.txt", "simulated-results/a.txt", "fetched/thesis.docx")
    others = [tmp_path / name for name in (*names, "fetched/mine/a.txt")]
    for path in others:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"1234567")
    assert [row["kind"] for row in metaeval.cache_info()] == ["scores", "statistics", "corpora"]
    assert metaeval.prune_cache() == []
    assert all(path.exists() for path in others)


def test_prune_of_some_kinds_leaves_what_other_versions_kept(filled, earlier, tmp_path):
    corpus = tmp_path / "public-0.2.0" / "mine" / "corpus.toml"
    corpus.parent.mkdir(parents=True)
    corpus.write_bytes(b"1234567")
    assert metaeval.prune_cache(["scores"]) == []
    assert earlier.exists()
    assert corpus.exists()


def test_the_first_command_that_writes_names_them_once(earlier, tmp_path, monkeypatch):
    monkeypatch.setenv("METAEVAL_CACHE", str(tmp_path))
    monkeypatch.setenv(cache.LIMIT_VARIABLE, "1G")
    monkeypatch.setattr(cache, "_written", {})  # as in a process that has written nothing
    with pytest.warns(MetaevalWarning, match=r"store: an earlier version kept 14 bytes .* `metaeval.prune_cache"):
        cache.cached("scores", (3,), lambda: np.zeros(100), (100,))
    monkeypatch.setattr(cache, "_written", {})
    for kind in cache.KINDS:
        cache.cached(kind, (4,), lambda: np.zeros(100), (100,))
    assert earlier.exists()


def test_prune_names_the_kinds_that_there_are(filled, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["cache", "prune", "score"])
    assert "KIND must be scores or statistics; got 'score'." in capsys.readouterr().err


def test_verify_fails_where_something_is_damaged(filled, capsys):
    assert main(["cache", "verify"]) == 0
    path = next(cache.entries()).path
    path.write_bytes(path.read_bytes() + b"x")
    assert main(["cache", "verify"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("Nothing is damaged.\n")
    assert str(path) in out
    assert main(["cache", "verify"]) == 0
