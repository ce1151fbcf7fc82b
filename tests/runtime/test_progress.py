"""How far work has come is told, in steps that count all of it, and changes nothing."""

from __future__ import annotations

import pytest

import metaeval
from metaeval.runtime.progress import Step, Tally, silent
from tests.support.corpus import write

SETTINGS = {
    "preprocessing": ["case", "nocase"],
    "criteria": ["adequacy"],
    "documents": {"kind": "pseudo", "lengths": [1, 2], "count": 6},
    "uncertainty": {"method": "bootstrap", "n_resamples": 7},
}


def test_the_lines_that_people_read():
    assert str(Step("correlate", "metrics")) == "correlate  metrics"
    assert str(Step("correlate", "metrics", 2, 5)) == "correlate  metrics (2 of 5)"
    assert str(Step("fetch", "files", 2)) == "fetch      files (2)"
    assert silent(Step("read", "corpus")) is None


def test_a_tally_tells_what_changes_and_only_that():
    steps = []
    tally = Tally(steps.append, Step("fetch", "files"), 10)
    tally.reach(0)
    tally.add(4)
    tally.add(0)
    tally.add(-4)
    tally.add(10)
    assert [step.done for step in steps] == [4, 10]
    tally.expect(2)
    tally.add()
    assert (steps[-1].done, steps[-1].total) == (1, 2)


def by_stage(steps):
    found = {}
    for step in steps:
        found.setdefault(step.stage, []).append(step)
    return found


def correlate(tmp_path, progress, jobs=1):
    corpus = tmp_path / "corpus"
    if not corpus.exists():
        write(corpus)
    return metaeval.correlate([str(corpus)], ["wer", "bleu(order=1)"], jobs=jobs, progress=progress, **SETTINGS)


@pytest.mark.parametrize("jobs", [1, 2])
def test_each_stage_begins_once_and_counts_to_its_end(tmp_path, jobs):
    steps = []
    correlate(tmp_path, steps.append, jobs)
    stages = by_stage(steps)

    assert list(stages) == ["read", "judge", "sample", "score", "correlate", "pool"]
    for told in stages.values():
        assert [step.done for step in told].count(0) == 1
        assert told[0].done == 0
        done = [step.done for step in told]
        assert done == sorted(set(done))
    # Two lengths are one item here: a criterion and a group of references.
    assert (stages["sample"][-1].done, stages["sample"][-1].total) == (1, 1)
    # Two metrics, two preprocessing, and as many blocks of systems as jobs.
    assert (stages["score"][-1].done, stages["score"][-1].total) == (4 * jobs, 4 * jobs)
    # For each length the coefficients, seven replicates, and the tests under two preprocessing.
    assert (stages["correlate"][-1].done, stages["correlate"][-1].total) == (20, 20)


@pytest.mark.parametrize("method", ["bootstrap", None])
@pytest.mark.parametrize(
    ("documents", "resample"), [("all", "segments"), ("segments", "systems"), ("segments", "segments"), ("all", "both")]
)
def test_the_count_is_full_for_any_kind_of_document(tmp_path, documents, resample, method):
    steps = []
    metaeval.correlate(
        [str(write(tmp_path))],
        ["wer"],
        criteria=["adequacy"],
        documents={"kind": documents},
        judgments={"ceiling": 3},
        uncertainty={"n_resamples": 30, "resample": resample, **({} if method is None else {"method": method})},
        progress=steps.append,
    )
    last = by_stage(steps)["correlate"][-1]
    # Coefficients, the ceiling, one preprocessing, and thirty replicates; three systems have fewer samples than thirty.
    # The default of means over segments, Student's t, needs none.
    n_replicates = 0 if (documents, resample, method) == ("segments", "segments", None) else 30
    assert (last.done, last.total) == (3 + n_replicates, 3 + n_replicates)


def test_telling_changes_no_number(tmp_path):
    def numbers(progress, jobs):
        found = correlate(tmp_path, progress, jobs).correlations
        return found[["mean", "sd", "lower", "upper"]].to_numpy().tobytes()

    assert numbers(silent, 1) == numbers([].append, 1) == numbers([].append, 2)


def test_panels_are_told_one_by_one(tmp_path):
    corpus = write(tmp_path / "corpus")
    config = tmp_path / "two.toml"
    config.write_text(
        'title = "Two"\n'
        f'corpora = ["{corpus.as_posix()}"]\nmetrics = ["wer"]\ncriteria = ["adequacy"]\n'
        '[documents]\nkind = "all"\n'
        '[uncertainty]\nmethod = "none"\n'
        '[[panels]]\ntitle = "first"\n'
        '[[panels]]\ntitle = "second"\npreprocessing = ["nocase"]\n',
        encoding="utf-8",
    )
    steps = []
    metaeval.run(config, output=tmp_path / "run", progress=steps.append)
    panels = [(step.what, step.done, step.total) for step in steps if step.stage == "panel"]
    assert panels == [("first", 0, 2), ("first", 1, 2), ("second", 0, 2), ("second", 2, 2)]


def test_agreement_counts_the_judges_that_are_left_out(tmp_path):
    steps = []
    metaeval.agreement(str(write(tmp_path)), criteria=["adequacy"], metrics=["wer"], n_resamples=5, n_draws=2,
                       progress=steps.append)  # fmt: skip
    last = by_stage(steps)["correlate"][-1]
    # All judges, and without each of the two.
    assert (last.done, last.total) == (3, 3)


def test_simulation_counts_segments(tmp_path):
    steps = []
    metaeval.simulate_corpus("btec", tmp_path / "made", segments=12, progress=steps.append)
    assert [step.done for step in steps] == list(range(13))
    assert steps[-1].total == 12
