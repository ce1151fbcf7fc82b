"""A run of an earlier layout must be made again, and its directory may then be written anew."""

from __future__ import annotations

import json

import pytest

import metaeval
from metaeval.cli import main
from metaeval.errors import UsageError


def test_a_run_of_an_earlier_layout_must_be_made_again(tmp_path, capsys):
    settings = ["documents={kind='all'}", "figures=[]", "uncertainty={method='none'}", "metrics=['bleu']"]
    run = metaeval.run("system-level", overrides=settings, output=tmp_path / "run").directory
    manifest = json.loads((run / "manifest.json").read_text())
    (run / "manifest.json").write_text(json.dumps(manifest | {"layout": 4, "metaeval": "0.2.0"}))
    (run / "grids.npz").unlink()
    files = {"documents.json", "documents.npz"}
    for name in files:
        (run / name).write_text("{}")
    for verb in (["report", str(run)], ["export", str(run)], ["diff", str(run), str(run)]):
        assert main(verb) == 2
        told = capsys.readouterr()
        assert told.out == ""
        assert told.err == (
            f"metaeval: {run}: was written by metaeval 0.2.0, whose files this version does not read: they "
            f"had other names. Make them again: `metaeval run {run}/config.toml --output {run}`.\n"
        )
    with pytest.raises(UsageError, match=r"`metaeval\.run\('.*config\.toml', output='.*run'\)`\.$"):
        metaeval.load_run(run)
    # What the message says takes the place of the earlier one, whose files are known by their names.
    assert main(["run", f"{run}/config.toml", "--output", str(run)]) == 0
    assert not files & {path.name for path in run.iterdir()}
    assert len(metaeval.load_run(run).grids) == 2


def test_the_kind_of_a_figure_that_has_another_name():
    message = r"must be one of .*; got 'differences'\. It is now 'intervals' with of = \"differences\"\.$"
    with pytest.raises(UsageError, match=message):
        metaeval.correlate("demo", "bleu", figures=[{"kind": "differences"}])
