"""Configs and overrides as mappings, with objects for metrics and corpora; what the directory of a run says of them."""

from __future__ import annotations

import json
import tomllib

import numpy as np
import pandas as pd
import pytest

import metaeval
from tests.support.corpus import TOML, write

FEW = {"n_resamples": 60}
CONFIG = {"title": "Mine", "corpora": ["demo"], "metrics": ["ter", "wer"], "criteria": ["adequacy"],
          "documents": {"kind": "all"}, "uncertainty": FEW}  # fmt: skip


def length(candidate):
    return len(candidate)


length.higher_is_better = True


def numbers(run):
    return run.correlations[["criterion", "metric", "coefficient", "mean", "lower", "upper"]]


def test_a_mapping_is_a_config(tmp_path):
    toml = (
        'title = "Mine"\ncorpora = ["demo"]\nmetrics = ["ter", "wer"]\ncriteria = ["adequacy"]\n'
        '[documents]\nkind = "all"\n[uncertainty]\nn_resamples = 60\n'
    )
    (tmp_path / "mine.toml").write_text(toml, encoding="utf-8")
    plain = {**CONFIG, "uncertainty": {"n_resamples": np.int64(60), "method": None}, "metrics": ("ter", "wer")}
    runs = [metaeval.run(one, output=tmp_path / f"run{n}") for n, one in enumerate((tmp_path / "mine.toml", plain))]
    pd.testing.assert_frame_equal(*map(numbers, runs))
    configs = [tomllib.loads((run.directory / "config.toml").read_text(encoding="utf-8")) for run in runs]
    assert configs[0] == configs[1] == tomllib.loads(toml)


def test_overrides_as_a_mapping_are_those_as_texts(tmp_path):
    texts = ['metrics=["ter"]', "uncertainty.n_resamples=60", 'filter.without=["sys1"]', "documents.count=4"]
    mapping = {"metrics": ["ter"], "uncertainty": FEW, "filter": {"without": ["sys1"]}, "documents.count": 4}
    settings = ['documents.kind="pseudo"', "documents.lengths=[5]"]
    runs = [
        metaeval.run("system-level", overrides=[*texts, *settings], output=tmp_path / "texts"),
        metaeval.run(
            "system-level",
            overrides={**mapping, "documents": {"kind": "pseudo", "lengths": [5]}},
            output=tmp_path / "mapping",
        ),
    ]
    assert metaeval.diff_runs(*runs).is_empty


def test_none_takes_a_key_away(tmp_path):
    """The config draws one of the references, of a size; without that, they are named."""
    few = {"uncertainty": {"n_resamples": 50}, "documents": {"lengths": [5], "count": 4}, "metrics": ["ter"]}
    with pytest.raises(metaeval.UsageError, match=r"`references.sizes` belongs to the subsets"):
        metaeval.run(
            "turian2003-chinese",
            corpora="demo",
            overrides={**few, "references": {"subsets": ["ref1"]}},
            output=tmp_path / "x",
        )
    without = {"subsets": ["ref1"], "sizes": None, "count": None}
    run = metaeval.run(
        "turian2003-chinese", corpora="demo", overrides={**few, "references": without}, output=tmp_path / "run"
    )
    assert set(run.correlations["subset"]) == {"ref1"}


def test_a_run_of_objects_says_what_they_were_and_how_to_run_again(tmp_path):
    demo = metaeval.load_corpus("demo")
    run = metaeval.run({**CONFIG, "corpora": demo, "metrics": [length, "ter"]}, output=tmp_path / "run")
    text = (run.directory / "config.toml").read_text(encoding="utf-8")
    held = json.loads((run.directory / "manifest.json").read_text(encoding="utf-8"))["objects"]
    assert [one.partition("@")[0] for one in held] == ["python:demo", "python:length"]
    assert held[0] == f"python:demo@{demo.digest[:8]}"
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        f"# {one} was an object: this config runs again where it is given anew." for one in held
    ]
    assert tomllib.loads(text)["metrics"] == [held[1], "ter"]
    assert set(run.correlations["metric"]) == {"length", "ter"}
    config = run.directory / "config.toml"
    message = r"config.toml:\d+: 'python:length@\w+' was an object of the Python process .* overrides={\"metrics\": "
    with pytest.raises(metaeval.UsageError, match=message):
        metaeval.run(config, output=tmp_path / "again")
    with pytest.raises(metaeval.UsageError, match=r"'python:demo@\w+' was an object of the Python process"):
        metaeval.run(config, overrides={"metrics": ["ter"]}, output=tmp_path / "again")
    again = metaeval.run(config, corpora=demo, overrides={"metrics": [length, "ter"]}, output=tmp_path / "again")
    assert metaeval.diff_runs(run, again).is_empty
    assert "objects" not in metaeval.run(CONFIG, output=tmp_path / "names").data.facts
    assert str(metaeval.load_run(run.directory)) == str(run)


def test_a_function_with_the_name_of_a_metric_is_never_taken_for_it(tmp_path):
    def ter(candidate):
        return len(candidate)

    found = metaeval.compare("demo", [ter, "wer"], criteria="adequacy", ceiling=0, output=tmp_path / "run", **FEW)
    config = tomllib.loads((tmp_path / "run" / "config.toml").read_text(encoding="utf-8"))
    assert config["metrics"][0].startswith("python:ter@")
    signatures = {one.metric: one.signature for one in found.results.estimates}
    assert signatures["ter"].startswith("ter|code:")
    with pytest.raises(metaeval.UsageError, match=r"`metrics`: two are called 'ter'"):
        metaeval.compare("demo", [ter, "ter"])


def test_objects_stand_in_panels_too(tmp_path):
    panels = [{"title": "one", "metrics": [length]}, {"title": "two", "corpora": [metaeval.load_corpus("demo")]}]
    run = metaeval.run({**CONFIG, "panels": panels}, output=tmp_path / "run")
    assert set(zip(run.correlations["panel"], run.correlations["metric"], strict=True)) == {
        ("one", "length"), ("two", "ter"), ("two", "wer"),
    }  # fmt: skip
    assert len(run.data.facts["objects"]) == 2


def test_settings_by_corpus_know_the_name_of_a_corpus(tmp_path):
    config = {**CONFIG, "corpora": [metaeval.load_corpus("demo")], "by_corpus": {"demo": {"criteria": ["fluency"]}}}
    assert set(metaeval.run(config, output=tmp_path / "run").correlations["criterion"]) == {"fluency"}


def test_corpora_with_settings_of_their_own_keep_their_order(tmp_path):
    for name in ("first", "second", "third", "fourth"):
        write(tmp_path / name)
        (tmp_path / name / "corpus.toml").write_text(TOML.replace("tiny", name), encoding="utf-8")
    corpora = [str(tmp_path / name) for name in ("first", "second", "third", "fourth")]
    own = {"second": {"criteria": ["errors"]}, "fourth": {"correlation": {"coefficients": ["kendall"]}}}
    # One format for all corpora holds for each part of them; a name in [filter] need fit in one of them alone.
    config = {**CONFIG, "corpora": corpora, "source_formats": ["neutral"], "by_corpus": own}
    run = metaeval.run({**config, "correlation": {"coefficients": ["pearson"]}}, output=tmp_path / "run")
    found = run.correlations[["corpus", "criterion", "coefficient"]].drop_duplicates()
    assert [*found.itertuples(index=False, name=None)] == [
        ("first", "adequacy", "pearson"), ("second", "errors", "pearson"),
        ("third", "adequacy", "pearson"), ("fourth", "adequacy", "kendall"),
    ]  # fmt: skip
    with pytest.raises(metaeval.UsageError, match=r"`filter.without`, in none of the corpora: unknown system 'Z'"):
        metaeval.run({**config, "filter": {"without": ["Z"]}}, output=tmp_path / "wrong")


def test_tasks_take_a_corpus(tmp_path):
    tasks = [{"corpora": ["demo"], "level": "system", "coefficient": "pearson"}]
    config = {"title": "Tasks", "corpora": [metaeval.load_corpus("demo")], "metrics": ["ter", length],
              "criteria": ["adequacy"], "tasks": tasks}  # fmt: skip
    named = metaeval.run({**config, "corpora": ["demo"]}, output=tmp_path / "named")
    given = metaeval.run(config, output=tmp_path / "given")
    pd.testing.assert_frame_equal(given.averages, named.averages)


WRONG = {
    "key": ({**CONFIG, "documnts": {}}, "the config: unknown key 'documnts'; did you mean 'documents'"),
    "value": ({**CONFIG, "seed": "x"}, "the config: `seed` must be a whole number; got 'x'"),
    "no text": ({**CONFIG, 3: 4}, 'a config has keys of text, such as "metrics"; got 3'),
    "metric": (
        {**CONFIG, "metrics": [3]},
        r"`metrics\[0\]` must be a name, a function or an object that scores; got 3",
    ),
    "corpus": ({**CONFIG, "corpora": [3]}, r"`corpora\[0\]` must be a name or a path, a Corpus or a table; got 3"),
    "missing": ({"title": "x"}, "the config: `corpora` is missing"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_mapping_is_refused_in_words(case, tmp_path):
    config, message = WRONG[case]
    with pytest.raises(metaeval.UsageError, match=message):
        metaeval.run(config, output=tmp_path / "run")


def test_a_wrong_override_says_that_it_is_one():
    with pytest.raises(metaeval.UsageError, match=r'^`overrides` seed="x": `seed` must be a whole number'):
        metaeval.run("system-level", overrides={"seed": "x"})
