"""Configs in which features meet: each runs, is read again as it was written, and has numbers computed another way."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import metaeval
from metaeval.results.store import FILES, read_run, write_run
from tests.crossings.corpora import make_corpus

CONFIGS = {path.stem: path for path in sorted(Path(__file__).parent.glob("*.toml"))}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Write the corpora and the configs side by side; return their directory."""
    directory = tmp_path_factory.mktemp("crossings")
    for name, path in CONFIGS.items():
        (directory / f"{name}.toml").write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    return directory


@pytest.fixture(scope="module")
def corpora(place):
    """Write the corpora; return what they hold, by name."""
    return {"talks": make_corpus(place / "talks")}


@pytest.fixture(scope="module")
def run(place, corpora):
    """Return a function that gives the run of a config, each made once."""
    return cache(lambda name: metaeval.run(place / f"{name}.toml", output=place / "runs" / name))


def contents(directory):
    return {path.name: path.read_bytes() for path in directory.iterdir() if path.name in {*FILES} - {"manifest.json"}}


def strings(value: Any) -> Iterator[str]:
    """Give every string in a value of JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from strings(one)


# The fields of a series that are no names of arrays.
OTHER_FIELDS = {"key", "signs", "orientation", "undefined", "systems", "documents", "subsets", "draws", "n_units"}


@pytest.mark.parametrize("name", CONFIGS)
def test_every_array_that_a_run_names_is_there(name, run):
    found = run(name)
    index = json.loads((found.directory / "documents.json").read_text(encoding="utf-8"))
    named = {text for one in index["series"] for key in {*one} - OTHER_FIELDS for text in strings(one[key])}
    with np.load(found.directory / "documents.npz") as arrays:
        assert named <= {*arrays.files}
        assert {*arrays.files} == {*found.arrays}
    panels = {one["key"]["panel"] for one in index["series"]}
    # What a panel has stands under its title.
    assert "" in panels or {text.partition("/")[0] for text in named} == panels


@pytest.mark.parametrize("name", CONFIGS)
def test_a_run_that_is_read_and_written_again_has_the_same_bytes(name, run, tmp_path):
    found = run(name)
    write_run(read_run(found.directory), tmp_path)
    assert contents(tmp_path) == contents(found.directory)


def errors_and_words(candidate, reference):
    """Return the word edits between two texts, by the textbook recurrence, and the words of the reference."""
    a, b = candidate.split(), reference.split()
    row = list(range(len(b) + 1))
    for i, one in enumerate(a, start=1):
        above, row[0] = row[0], i
        for j, other in enumerate(b, start=1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (one != other))
    return row[-1], len(b)


def error_rates(made, reference="ref1"):
    """Return WER against one reference of single segments, (systems, segments)."""
    pairs = [
        [errors_and_words(*texts) for texts in zip(made.texts[name], made.references[reference], strict=True)]
        for name in made.systems
    ]
    return np.array([[edits / words for edits, words in row] for row in pairs])


def pearson_of_segments(scores, human):
    """Return Pearson's coefficient across systems of each segment, (segments,)."""
    return np.array([stats.pearsonr(a, b).statistic for a, b in zip(scores.T, human.T, strict=True)])


def test_claims_of_panels_of_single_segments_compare_documents(run, corpora):
    made = corpora["talks"]
    human = made.human()
    wer, far = pearson_of_segments(-error_rates(made), human), pearson_of_segments(made.scores["far"], human)
    means = run("panels-single-segments").correlations.query("panel == 'one'").set_index("metric")["mean"]
    assert means["wer"] == pytest.approx(wer.mean(), abs=1e-12)
    assert means["precomputed:far"] == pytest.approx(far.mean(), abs=1e-12)
    # The units are 12 documents of 3 segments each, so this is the t interval of the means of documents.
    of_documents = (wer - far).reshape(12, 3).mean(axis=1)
    half = stats.t.ppf(0.975, 11) * stats.sem(of_documents)
    (claim,) = run("panels-single-segments").data.tables.claims
    expected = [of_documents.mean(), of_documents.mean() - half, of_documents.mean() + half]
    assert [claim.difference, claim.lower, claim.upper] == pytest.approx(expected, abs=1e-9)
    assert claim.verdict == "holds"
