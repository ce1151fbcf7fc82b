"""The verbs of `metaeval cache`."""

from __future__ import annotations

import numpy as np
import pytest

from metaeval import store
from metaeval.cli import main


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A store with an array of scores and two of statistics."""
    monkeypatch.setenv("METAEVAL_CACHE", str(tmp_path))
    monkeypatch.setenv(store.LIMIT, "1G")
    for kind, number in (("scores", 0), ("statistics", 1), ("statistics", 2)):
        store.kept(kind, (number,), lambda: np.zeros(100), (100,))


def test_info_counts_what_is_kept(kept, capsys):
    assert main(["cache", "info", "--format", "tsv"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()[1:]]
    assert [(row[0], row[1]) for row in rows if row[1] != "0"] == [("scores", "1"), ("statistics", "2")]


def test_prune_takes_kinds_or_else_all(kept, capsys):
    assert main(["cache", "prune", "statistics", "--to", "0"]) == 0
    assert main(["cache", "prune", "--to", "0"]) == 0
    assert capsys.readouterr().out == "2 files removed.\n1 file removed.\n"


def test_replicates_that_an_earlier_version_kept_are_removed(kept, tmp_path, capsys):
    former = tmp_path / "store" / "replicates"
    for name in ("aa", "bb"):
        (former / name).mkdir(parents=True)
        (former / name / f"{name}.npy").write_bytes(b"numbers")
    assert main(["cache", "info", "--format", "tsv"]) == 0
    kinds = [line.split("\t")[0] for line in capsys.readouterr().out.splitlines()[1:]]
    assert kinds == ["scores", "statistics", "figures", "checks", "corpora"]
    assert main(["cache", "prune"]) == 0
    # Of the three files that are still used, which are small, none goes.
    assert capsys.readouterr().out == "2 files removed.\n"
    assert not former.exists()
    assert len([*store.entries()]) == 3


def test_the_first_command_that_writes_removes_them_too(kept, tmp_path, monkeypatch):
    former = tmp_path / "store" / "replicates" / "aa"
    former.mkdir(parents=True)
    (former / "aa.npy").write_bytes(b"numbers")
    monkeypatch.setattr(store, "_written", {"bytes": -1})  # as in a process that has written nothing
    store.kept("scores", (3,), lambda: np.zeros(100), (100,))
    assert not former.parent.exists()


def test_prune_names_the_kinds_that_there_are(kept, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["cache", "prune", "score"])
    assert "KIND must be scores, statistics, figures or checks; got 'score'." in capsys.readouterr().err


def test_verify_fails_where_something_is_damaged(kept, capsys):
    assert main(["cache", "verify"]) == 0
    path = next(store.entries()).path
    path.write_bytes(path.read_bytes() + b"x")
    assert main(["cache", "verify"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("Nothing is damaged.\n")
    assert str(path) in out
    assert main(["cache", "verify"]) == 0
