"""Fixtures of tests that run a verb in a terminal on a table of ratings."""

from __future__ import annotations

import pytest

from metaeval.cli import main


@pytest.fixture
def run_verb(tmp_path, monkeypatch, capsys):
    """Return a function that writes a table and runs a verb on it: the exit code, and what was printed."""
    monkeypatch.chdir(tmp_path)

    def run(verb, table, *words, name="ratings.csv"):
        text = table if isinstance(table, str) else table.to_csv(index=False)
        (tmp_path / name).write_text(text, encoding="utf-8")
        code = main([verb, name, *words])
        out, err = capsys.readouterr()
        return code, out, err

    return run
