"""When a run was made: in a file of its own, and with SOURCE_DATE_EPOCH the same each time."""

from __future__ import annotations

import json

import metaeval

QUICK = ["uncertainty.n_resamples=10", 'metrics=["ter"]', "figures=[]"]


def test_with_a_given_time_the_same_run_has_the_same_bytes(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    found = []
    for jobs in (1, 2):
        run = metaeval.run("system-level", overrides=QUICK, jobs=jobs, output=tmp_path / "run").directory
        found.append({path.relative_to(run): path.read_bytes() for path in run.rglob("*") if path.is_file()})
    assert found[0] == found[1]
    # date --utc --date @1000000000
    assert json.loads((tmp_path / "run" / "times.json").read_text()) == {"started": "2001-09-09T01:46:40+00:00"}


def test_what_was_typed_is_relative_in_the_record_and_runs_again(tmp_path, monkeypatch):
    """A corpus and a metric at absolute paths, below a home directory and outside of it."""
    home, work = tmp_path / "home" / "anna", tmp_path / "work"
    monkeypatch.setenv("HOME", str(home))
    (home / "metrics").mkdir(parents=True)
    (home / "metrics" / "mine.py").write_text("def words(candidate, references):\n    return len(candidate)\n")
    corpus = metaeval.load_corpus("demo")
    metaeval.convert_corpus("demo", work / "corpora" / "mine")
    run = metaeval.run(
        "system-level",
        corpora=[work / "corpora" / "mine"],
        overrides=[*QUICK[:1], f"metrics=['{home}/metrics/mine.py:words']", "figures=[]"],
        output=work / "runs" / "one",
    )
    config = (run.directory / "config.toml").read_text()
    assert '"../../corpora/mine"' in config
    (note,) = (one for one in run.warnings if "higher is better" in one)
    assert "../" not in note
    assert '"~/metrics/mine.py:words"' in config
    for path in run.directory.rglob("*"):
        assert not path.is_file() or str(tmp_path).encode() not in path.read_bytes(), path
    monkeypatch.chdir(tmp_path)
    again = metaeval.run(run.directory / "config.toml", output=work / "runs" / "two")
    assert again.correlations.equals(run.correlations)
    assert (again.directory / "config.toml").read_text() == config
    assert corpus.systems == metaeval.load_corpus(work / "corpora" / "mine").systems
