"""Names of version 0.1 are errors that give the present name."""

from __future__ import annotations

import json

import pytest

import metaeval
from metaeval.cli import main
from metaeval.errors import UsageError
from metaeval.metrics import get_metric


@pytest.mark.parametrize("text", ["given:adequacy-0.55", 'given(name="adequacy-0.55")', "given"])
def test_an_old_metric(text):
    with pytest.raises(UsageError, match=r"^unknown metric 'given'\. Since version 0\.2 it is called 'precomputed'\."):
        get_metric(text)


def test_an_old_option(capsys):
    with pytest.raises(SystemExit):
        main(["corpus", "convert", "a", "b", "--format", "sgml"])
    assert "unknown option '--format'. Since version 0.2 it is called '--source-format'." in capsys.readouterr().err


def test_a_run_of_an_old_version_must_be_run_again(tmp_path, capsys):
    settings = ["documents={kind='all'}", "figures=[]", "uncertainty={method='none'}", "metrics=['bleu']"]
    run = metaeval.run("system-level", overrides=settings, output=tmp_path / "run").directory
    manifest = json.loads((run / "manifest.json").read_text())
    (run / "manifest.json").write_text(json.dumps(manifest | {"metaeval": "0.1.0"}))
    for verb in (["report", str(run)], ["export", str(run)], ["diff", str(run), str(run)]):
        assert main(verb) == 2
        told = capsys.readouterr()
        assert told.out == ""
        assert told.err == (
            f"metaeval: {run}: was written by metaeval 0.1.0, which had other names; run it again: metaeval run "
            "system-level.\n"
        )


def test_an_old_kind_of_document():
    message = r"must be one of 'all', .*'pseudo'; got 'random'\. Since version 0\.2 it is called 'pseudo'\.$"
    with pytest.raises(UsageError, match=message):
        metaeval.correlate("demo", "bleu", documents={"kind": "random", "lengths": [5]})
