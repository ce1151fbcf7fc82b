"""Several processes compute an experiment together: what one of them left out or lost changes no byte."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import metaeval
from metaeval import store
from metaeval.cli import main
from metaeval.errors import UsageError
from metaeval.experiment.parts import WHOLE, Part

PSEUDO = {
    "title": "shards",
    "corpora": ["demo"],
    "metrics": ["bleu(order=1)", "ter"],
    "criteria": ["fluency"],
    "documents": {"kind": "pseudo", "lengths": [2, 5], "count": 10},
    "judgments": {"rule": "draw", "inter_judge": True, "ceiling": 3},
    "uncertainty": {"n_resamples": 60, "method": "bootstrap"},
    "tests": [{"method": "bootstrap"}],
    "figures": [],
}
WHOLE_SYSTEMS = {
    **PSEUDO,
    "documents": {"kind": "all"},
    "judgments": {"ceiling": 3},
    "criteria": "all",
    "tests": [{"method": "permutation"}],
}
PANELS = {**PSEUDO, "panels": [{"title": "one"}, {"title": "both", "criteria": "all"}]}
TASKS = {
    "title": "tasks",
    "corpora": ["demo"],
    "metrics": ["ter", "wer"],
    "criteria": ["adequacy"],
    "uncertainty": {"n_resamples": 60},
    "figures": [],
    "ranking": {"permutations": 20},
    "tasks": [{"coefficient": "pearson"}, {"level": "segment", "coefficient": "pairwise-accuracy"}],
}
# One that ends itself when it is at its replicates.
KILLED = """
import json, os, signal, sys
import metaeval

def progress(step):
    if step.stage == "correlate" and step.done > 0:
        os.kill(os.getpid(), signal.SIGKILL)

metaeval.run_shard(json.loads(sys.argv[1]), "3/4", progress=progress)
"""


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("METAEVAL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("METAEVAL_CACHE_LIMIT", "1G")


def corpora(n):
    """Return corpora of which each lacks a system at the end."""
    demo = metaeval.load_corpus("demo")
    return [dataclasses.replace(demo.of_systems(np.arange(8 - number)), name=f"demo-{number}") for number in range(n)]


def contents(run):
    files = {path.relative_to(run): path.read_bytes() for path in run.rglob("*") if path.is_file()}
    return {path: content for path, content in files.items() if path.name != "times.json"}


def undisturbed(config, directory, monkeypatch):
    with monkeypatch.context() as without:
        without.setenv("METAEVAL_CACHE_LIMIT", "0")
        return contents(metaeval.run(config, output=directory).directory)


def test_four_shards_of_which_one_was_killed(tmp_path, monkeypatch):
    for shard in ("4/4", "1/4", "2/4"):
        metaeval.run_shard(PSEUDO, shard)
    done = subprocess.run([sys.executable, "-c", KILLED, json.dumps(PSEUDO)], cwd=tmp_path, check=False)
    assert done.returncode == -signal.SIGKILL
    merged = metaeval.run(PSEUDO, output=tmp_path / "run").directory
    assert contents(merged) == undisturbed(PSEUDO, tmp_path / "alone", monkeypatch)


@pytest.mark.parametrize(
    ("config", "n_corpora", "of"),
    [(PSEUDO, 1, 3), (WHOLE_SYSTEMS, 1, 3), (PANELS, 3, 2), (TASKS, 1, 3), (TASKS, 3, 2)],
    ids=["pseudo", "whole", "panels", "tasks", "tasks on corpora"],
)
def test_what_shards_have_computed_is_not_computed_again(config, n_corpora, of, tmp_path, monkeypatch):
    config = config if n_corpora == 1 else {**config, "corpora": corpora(n_corpora)}
    shards = [metaeval.run_shard(config, f"{number}/{of}") for number in range(1, of + 1)]
    if n_corpora == 1:
        assert all(0 < one.made < one.tasks == sum(one.made for one in shards) for one in shards)
    kept = Counter()
    put = store.put
    monkeypatch.setattr(store, "put", lambda kind, *rest: (kept.update([kind]), put(kind, *rest)))
    monkeypatch.setattr("metaeval.experiment.measure.put", lambda kind, *_: kept.update([kind]))
    merged = metaeval.run(config, output=tmp_path / "run").directory
    assert set(kept) <= {"figures", "checks"}
    monkeypatch.undo()
    assert contents(merged) == undisturbed(config, tmp_path / "alone", monkeypatch)


FUNCTION = """
import os
def words(candidates):
    with open(os.environ["ASKED"], "a") as file:
        file.write(candidates[0].split()[0] + " ")
    return [len(one.split()) for one in candidates]
"""


def test_each_begins_with_systems_of_its_own(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(FUNCTION)
    systems = [f"S{number}" for number in range(6)]
    rows = [
        {"segment": segment, "system": name, "judge": "J", "criterion": "c", "score": segment + number % 4}
        for number, name in enumerate(systems)
        for segment in (1, 2)
    ]
    outputs = {name: [f"{name} a", f"{name} b c"] for name in systems}
    corpus = metaeval.corpus(rows, outputs=outputs, references={"r": ["a", "b"]}, name="six")
    monkeypatch.setenv("ASKED", str(tmp_path / "asked"))
    config = {
        "title": "t",
        "corpora": [corpus],
        "metrics": [f"{tmp_path / 'mine.py'}:words"],
        "documents": {"kind": "all"},
    }
    metaeval.run_shard(config, "2/3")
    # Those of the first metric of texts, which comes behind the metrics of tokens, begin one place further.
    assert (tmp_path / "asked").read_text().split() == ["S2", "S5", "S0", "S3", "S1", "S4"]
    metaeval.run_shard(config, "1/3")
    assert len((tmp_path / "asked").read_text().split()) == 6


@given(st.integers(0, 40), st.integers(1, 12))
def test_all_shards_together_do_all(n_groups, of):
    parts = [Part(number, of).of_groups([*range(n_groups)]) for number in range(of)]
    for group in range(n_groups):
        own = [one[group] for one in parts if group in one]
        assert own == [WHOLE] or own == [Part(number, of) for number in range(of)]
    tasks = [*range(n_groups)]
    assert sorted(task for number in range(of) for task in Part(number, of).of_many(tasks)) == tasks
    loads = [sum(1 / part.of for part in one.values()) for one in parts]
    assert max(loads) == pytest.approx(min(loads))


@pytest.mark.parametrize(
    ("shard", "hint"),
    [("0/4", r"counted from 1: --shard \$SLURM_ARRAY_TASK_ID/4"), ("5/4", ""), ("x", ""), ("1/0", "")],
)
def test_a_shard_is_one_of_several(shard, hint, capsys):
    assert main(["run", "system-level", "--shard", shard]) == 2
    told = capsys.readouterr().err
    assert f"`shard` must be K/N, the number of a shard and how many there are, such as 2/4; got '{shard}'" in told
    assert hint.replace("\\", "") in told


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        (
            "0",
            r"^--shard 1/2: what a shard computes is found by others in .*, and METAEVAL_CACHE_LIMIT lets it keep no",
        ),
        ("2M", r"^--shard 1/2: what the shards compute takes about .* set METAEVAL_CACHE_LIMIT=1G for all shards, and"),
    ],
)
def test_where_nothing_or_too_little_is_kept_a_shard_refuses(limit, said, monkeypatch):
    monkeypatch.setenv("METAEVAL_CACHE_LIMIT", limit)
    many = {**PSEUDO, "documents": {**PSEUDO["documents"], "count": 1000}}
    with pytest.raises(UsageError, match=said):
        metaeval.run_shard(many, "1/2")


def test_where_nothing_can_be_written_a_shard_refuses(monkeypatch):
    monkeypatch.setenv("METAEVAL_CACHE", os.devnull)
    with pytest.warns(match="cannot be written"), pytest.raises(UsageError, match="METAEVAL_CACHE=DIR names another"):
        metaeval.run_shard(PSEUDO, "1/2")


def test_the_command_line_says_what_a_shard_did(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    few = ["--set", 'metrics=["ter"]', "--set", "uncertainty.n_resamples=60"]
    assert main(["run", "system-level", *few, "--shard", "1/2", "--output", "out", "--quiet"]) == 0
    # 8 systems and 3 cells: one for each criterion, and the rest of the second shard.
    assert capsys.readouterr().out.startswith("shard 1/2: 5 of 10 tasks on demo. Once all shards have ended,")
    assert not (tmp_path / "out").exists()


def test_a_keyword_that_run_does_not_have_is_named():
    with pytest.raises(UsageError, match=r"^run_shard: unknown keyword 'overide'; did you mean 'overrides'\?"):
        metaeval.run_shard(PSEUDO, "1/2", overide=["seed=2"])
