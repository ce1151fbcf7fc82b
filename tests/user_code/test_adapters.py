"""Classes and objects of a file that have COMET's `predict` or the `compute` of Hugging Face's evaluate."""

from __future__ import annotations

import json

import pytest

import metaeval
from metaeval.cli import main
from metaeval.errors import MetricError, UsageError
from metaeval.metrics import get_metric

FILE = '''
class Model:
    """Scores by the number of words, as COMET's models do: a dict with src, mt and ref each."""

    def __init__(self, weight=1.0):
        with open("made", "a") as made:
            made.write("x")
        self.weight = weight

    def predict(self, samples, batch_size=8, gpus=1):
        return {"scores": [self.weight * (len(one["mt"].split()) + len(one["src"])) for one in samples]}


class Computed:
    """Gives a number for each prediction, as evaluate's modules do."""

    def compute(self, predictions, references):
        return {"scores": [len(one) - len(other) for one, other in zip(predictions, references)]}


class Broken:
    def predict(self, samples):
        return {"scores": [1 / 0]}


ready = Model(2.0)
'''


@pytest.fixture(autouse=True)
def _directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(FILE)
    (tmp_path / "x.csv").write_text(
        "segment,system,text,source,ref,score\n"
        "1,A,one two,ab,x y,1\n2,A,three,cde,z,2\n1,B,four,ab,x y,3\n2,B,five six seven,cde,z,4\n"
    )


def scores(name, capsys):
    assert main(["score", "--corpus", "x.csv", "-m", name, "--level", "segment", "--format", "json"]) == 0
    return [row["score"] for row in json.loads(capsys.readouterr().out)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # Words and letters of the source: 2 + 2, 1 + 3, 1 + 2, 3 + 3.
        ("mine.py:Model", [4, 4, 3, 6]),
        ("mine.py:ready", [8, 8, 6, 12]),
        ("mine.py:Model(weight=0.5)", [2, 2, 1.5, 3]),
        # Letters beyond those of the reference: "one two" and "x y", ...
        ("mine.py:Computed", [4, 4, 1, 13]),
    ],
)
def test_they_are_metrics(name, expected, capsys):
    assert scores(name, capsys) == expected


def test_a_model_is_made_once(tmp_path, capsys):
    for _ in range(2):
        scores("mine.py:Model(weight=3)", capsys)
    # `ready` is one more, made with the module.
    assert len((tmp_path / "made").read_text()) <= 3
    metaeval.compare("x.csv", ["mine.py:Model(weight=3)"])
    assert len((tmp_path / "made").read_text()) <= 3


def test_parameters_stand_in_the_signature():
    one, other = (str(get_metric(f"mine.py:Model(weight={weight})").signature) for weight in (1, 2))
    assert "weight:1" in one
    assert one != other


def test_several_jobs_give_the_same(tmp_path):
    found = [
        metaeval.compare(
            "x.csv", ["mine.py:Model", "chrf"], jobs=jobs, level="documents(length=1,count=20)", n_resamples=20
        )
        for jobs in (1, 2)
    ]
    assert found[0].to_frame().equals(found[1].to_frame())


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("mine.py:ready(weight=2)", UsageError, "ready is an object, which takes no parameters; name its class"),
        ("mine.py:Model(size=2)", MetricError, r"making it: TypeError: .*unexpected keyword argument 'size'"),
        ("mine.py:Broken", MetricError, r"ZeroDivisionError: division by zero \(mine.py:23\)"),
        ("mine.py:", UsageError, r"name an object of the file, as in mine.py:Model; it has 'Model', 'Computed'"),
    ],
)
def test_what_is_wrong_is_said(name, error, message):
    with pytest.raises(error, match=message):
        metaeval.score(name, metaeval.load_corpus("x.csv"))
