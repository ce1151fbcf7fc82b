"""When a run was made stands in a file of its own, and nothing else depends on the machine."""

from __future__ import annotations

import metaeval

QUICK = ["uncertainty.n_resamples=10", 'metrics=["ter"]', "figures=[]"]


def test_all_but_the_times_of_the_same_run_has_the_same_bytes(tmp_path):
    found = []
    for jobs in (1, 2):
        run = metaeval.run("system-level", overrides=QUICK, jobs=jobs, output=tmp_path / "run").directory
        files = (path for path in run.rglob("*") if path.is_file() and path.name != "times.json")
        found.append({path.relative_to(run): path.read_bytes() for path in files})
    assert found[0] == found[1]


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
