"""Memory: results are the same bits however little there is, and what is held grows with the corpus alone."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import metaeval
from metaeval.api.experiments import compare
from metaeval.comparison.comparison import comparison_config
from metaeval.errors import UsageError
from metaeval.experiment.panels import compute_panels
from metaeval.runtime.parallel import Executor
from metaeval.text import encoding
from metaeval.text.preprocessing import get_preprocessing

METRICS = ["bleu", "nist", "wer", "rouge-l"]


def found(level, memory, resample):
    """Return the grids and tables of a comparison on the demo corpus."""
    settings = {"corpora": ["demo"], "metrics": METRICS, "preprocessing": ["case"], "criteria": ["adequacy"]}
    how = {"coefficients": ["pearson"], "resample": resample, "n_resamples": 60, "ceiling": 5}
    config = comparison_config(settings, [level], **how, interval=None, test=None)
    run = compute_panels(config.panels, executor=Executor(1, memory))
    return run.grids, run.tables


@pytest.mark.parametrize("resample", ["segments", "both", "documents"])
@pytest.mark.parametrize("level", ["system", "segment", "documents(length=10)"])
def test_results_do_not_depend_on_memory(level, resample):
    if level.startswith("documents") and resample == "documents":
        return
    (grids, tables), (others, again) = (found(level, memory, resample) for memory in (1, 1 << 40))
    for grid, other in zip(grids, others, strict=True):
        assert grid.labels == other.labels
        assert grid.arrays.keys() == other.arrays.keys()
        for name, array in grid.arrays.items():
            np.testing.assert_array_equal(array, other.arrays[name], err_msg=name)
    assert repr(tables.correlations) == repr(again.correlations)
    assert repr(tables.tests) == repr(again.tests)
    assert repr(tables.ceiling) == repr(again.ceiling)


@pytest.mark.parametrize("name", ["case", "stem"])
@pytest.mark.parametrize("at_once", [1, 9, 25, 1000])
def test_texts_encoded_in_parts_have_the_same_tokens(name, at_once, monkeypatch):
    texts = [["a cat sat", None, "Cats \u00fcber b", ""], ["sat a", "cat sat sat", "", "x"], ["", "", "", ""]]
    preprocessing = get_preprocessing(name)
    expected = encoding.encode(preprocessing, texts)
    monkeypatch.setattr(encoding, "_CHUNK_CHARACTERS", at_once)
    for one, other in zip(encoding.encode(preprocessing, texts), expected, strict=True):
        assert (one.texts, one.tokens, list(one.vocabulary)) == (other.texts, other.tokens, list(other.vocabulary))
        np.testing.assert_array_equal(one.ids, other.ids)
        np.testing.assert_array_equal(one.offsets, other.offsets)


@pytest.mark.parametrize("memory", ["", "4", "much", "G", "100M", "nanG", "infG", "-1G"])
def test_what_is_no_size_or_too_little_is_refused(memory):
    for call in (
        lambda: compare("demo", ["wer"], memory=memory),
        lambda: metaeval.run("system-level", corpora="demo", memory=memory),
        lambda: metaeval.score("wer", ["a"], ["a"], memory=memory),
        lambda: metaeval.score_files("wer", corpus="demo", memory=memory),
    ):
        with pytest.raises(UsageError, match="`memory` must be a size such as 4G or 512M, at least 256M"):
            call()


LARGE = """
import resource, sys
import numpy as np
import metaeval

n, rng = int(sys.argv[1]), np.random.default_rng(1)
words = np.array(list("abcdefghij"))
lines = {name: [" ".join(row) for row in words[rng.integers(0, 10, (n, 4))]] for name in ("s1", "s2", "s3", "ref")}
references = {"ref": lines.pop("ref")}
rows = [
    (str(number + 1), name, "judge", "adequacy", float(place + rng.integers(0, 9)))
    for place, name in enumerate(lines)
    for number in range(0, n, 50)
]
columns = dict(zip(("segment", "system", "judge", "criterion", "score"), map(list, zip(*rows)), strict=True))
import pandas as pd
corpus = metaeval.corpus(pd.DataFrame(columns), outputs=lines, references=references, name="large")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
found = metaeval.compare(corpus, ["bleu(order=2)", "wer"], preprocessing="case", memory="256M")
assert "2000 of" not in str(found) and len(found.results.correlations) == 2
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def test_more_segments_than_a_count_can_hold_take_bounded_memory():
    # 2,000 replicates of 80,000 segments: 640 MB of random words, 320 MB of counts, 640 MB of half of them as numbers.
    told = subprocess.run([sys.executable, "-c", LARGE, "80000"], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    assert int(told.stdout.split()[-1]) < 600, told.stdout
