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


# The layout of a version, and its files that have other names now.
OLD_RUNS = {
    "0.1.0": (None, ["flips.json", "smallest_differences.tsv"]),
    "0.2.0": (4, ["documents.json", "documents.npz"]),
}


@pytest.mark.parametrize("version", OLD_RUNS)
def test_a_run_of_an_old_version_must_be_run_again(version, tmp_path, capsys):
    layout, files = OLD_RUNS[version]
    settings = ["documents={kind='all'}", "figures=[]", "uncertainty={method='none'}", "metrics=['bleu']"]
    run = metaeval.run("system-level", overrides=settings, output=tmp_path / "run").directory
    manifest = json.loads((run / "manifest.json").read_text())
    del manifest["layout"]
    of_version = {"metaeval": version} if layout is None else {"layout": layout, "metaeval": version}
    (run / "manifest.json").write_text(json.dumps(manifest | of_version))
    (run / "grids.npz").unlink()
    for name in files:
        (run / name).write_text("{}")
    for verb in (["report", str(run)], ["export", str(run)], ["diff", str(run), str(run)]):
        assert main(verb) == 2
        told = capsys.readouterr()
        assert told.out == ""
        assert told.err == (
            f"metaeval: {run}: was written by metaeval {version}, whose files this version does not read: they "
            f"had other names. Make them again: `metaeval run {run}/config.toml --output {run}`.\n"
        )
    with pytest.raises(UsageError, match=r"`metaeval\.run\('.*config\.toml', output='.*run'\)`\.$"):
        metaeval.load_run(run)
    # What the message says takes the place of the old one, whose files are known by their names.
    assert main(["run", f"{run}/config.toml", "--output", str(run)]) == 0
    assert not {*files} & {path.name for path in run.iterdir()}
    assert len(metaeval.load_run(run).grids) == 2


def test_an_old_kind_of_document():
    message = r"must be one of 'all', .*'pseudo'; got 'random'\. Since version 0\.2 it is called 'pseudo'\.$"
    with pytest.raises(UsageError, match=message):
        metaeval.correlate("demo", "bleu", documents={"kind": "random", "lengths": [5]})


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"conditions": ["case"]}, "keyword 'conditions'. Since version 0.2 it is called 'preprocessing'."),
        ({"grouping": "pooled"}, "Since version 0.2 it is called \"correlation={'average_by': ...}\"."),
        (
            {"correlation": {"grouping": "pooled"}},
            "unknown key 'grouping'. Since version 0.2 it is called 'average_by', with 'item' for 'system', 'system' "
            "for 'document', 'none' for 'pooled', 'none' for 'grid'.",
        ),
        ({"correlation": {"average_by": "document"}}, "got 'document'. Since version 0.2 it is called 'system'."),
        ({"correlation": {"average_by": "pooled"}}, "got 'pooled'. Since version 0.2 it is called 'none'."),
    ],
)
def test_old_keys_and_values(settings, told):
    with pytest.raises(UsageError) as error:
        metaeval.correlate("demo", "bleu", **settings)
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ({"statement": "bleu[condition=stem] above ter"}, "unknown key 'condition'. Since version 0.2 it is called"),
        ({"statement": "bleu above ter", "conditions": ["case"]}, "unknown key 'conditions'. Since version 0.2 it is"),
        (
            {"statement": "smallest-difference at most 0.1", "quantity": "smallest-difference"},
            "Since version 0.2 it is called 'minimum-significant-difference'.",
        ),
        ({"statement": "equals-of-best above 1", "quantity": "equals-of-best"}, "it is called 'top-cluster'."),
    ],
)
def test_old_words_of_claims(claim, told, tmp_path):
    overrides = f"claims={tomli_w_list([{'paper': 'x', **claim}])}"
    with pytest.raises(UsageError) as error:
        metaeval.run("system-level", overrides=[overrides], output=tmp_path / "run")
    assert told in str(error.value)


def tomli_w_list(tables):
    """Return tables as an inline list of TOML, whose strings are those of JSON."""
    inner = (", ".join(f"{key} = {json.dumps(value)}" for key, value in one.items()) for one in tables)
    return f"[{', '.join(f'{{{one}}}' for one in inner)}]"


def test_an_old_option_of_compare(capsys):
    with pytest.raises(SystemExit):
        main(["compare", "--corpus", "demo", "-m", "bleu", "--condition", "case"])
    assert "unknown option '--condition'. Since version 0.2 it is called '--preprocessing'." in capsys.readouterr().err
