"""Users' functions as coefficients: Lin's concordance by hand, what refuses it, and what a function may do wrong."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import metaeval
from metaeval import api
from metaeval.cli import main
from metaeval.components.registries import COEFFICIENTS
from metaeval.errors import UsageError

CCC = """
import numpy as np

def ccc(x, y, factor=1.0):
    return factor * 2 * np.cov(x, y, bias=True)[0, 1] / (x.var() + y.var() + (x.mean() - y.mean()) ** 2)

def free(x, y):
    return np.corrcoef(x, y)[0, 1]

free.changes_with_scale = False
constant = 3
"""
# Of x = 1, 2, 3 and y = 2, 3, 4: means 2 and 3, variances and covariance 2/3; 2 (2/3) / (2/3 + 2/3 + 1) = 4/7.
BY_HAND = 4 / 7


def ccc(x, y):
    return 2 * np.cov(x, y, bias=True)[0, 1] / (x.var() + y.var() + (x.mean() - y.mean()) ** 2)


@pytest.fixture(autouse=True)
def in_a_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("my.py").write_text(CCC)


def judged(n_segments=12):
    """Return three systems whose segments all have the scores of the hand calculation."""
    people = {"a": 2, "b": 3, "c": 4}
    scores = {"copy": {name: [value - 1.0] * n_segments for name, value in people.items()}}
    rows = [
        {"system": name, "segment": str(k), "criterion": "quality", "judge": "j", "score": float(value)}
        for name, value in people.items()
        for k in range(1, n_segments + 1)
    ]
    outputs = {name: ["a text"] * n_segments for name in people}
    return metaeval.corpus(rows, outputs=outputs, scores=scores)


def value_of(coefficient, **settings):
    with pytest.warns(metaeval.MetaevalWarning):  # three systems are too few for an interval
        found = api.compare(judged(), ["precomputed:copy"], coefficient=coefficient, ceiling=0, **settings)
    return [(one.coefficient, one.value) for one in found.results.estimates]


@pytest.mark.parametrize("given", ["my.py:ccc", ccc, {"lin": ccc}])
def test_lins_concordance_by_hand(given):
    ((name, value),) = value_of(given)
    assert value == pytest.approx(BY_HAND)
    assert name == (given if isinstance(given, str) else "python:lin" if isinstance(given, dict) else "python:ccc")


def test_parameters_of_a_function():
    ((_, value),) = value_of("my.py:ccc(factor=0.5)")
    assert value == pytest.approx(BY_HAND / 2)


def test_what_does_not_change_with_the_scale_has_the_defaults_and_numbers_of_pearson():
    found = api.compare("demo", ["bleu", "ter"], coefficient=["my.py:free", "pearson"], criteria="adequacy", ceiling=0)
    free, pearson = (
        [(one.value, one.lower, one.upper) for one in found.results.estimates if one.coefficient == name]
        for name in ("my.py:free", "pearson")
    )
    assert [one[0] for one in free] == pytest.approx([one[0] for one in pearson], abs=1e-12)
    assert {one.interval for one in found.results.estimates} == {"denoised"}


def test_what_changes_with_the_scale_stands_alone_and_is_not_denoised():
    found = api.compare("demo", ["bleu", "ter"], coefficient=["my.py:ccc", "pearson"], criteria="adequacy", ceiling=0)
    assert {(one.coefficient, one.interval) for one in found.results.estimates} == {
        ("my.py:ccc", "standard-error"),
        ("pearson", "denoised"),
    }


@pytest.mark.parametrize("settings", [{"test": "permutation"}, {"interval": "denoised"}])
def test_what_puts_metrics_on_one_scale_refuses_it(settings):
    with pytest.raises(UsageError, match=r"my.py:ccc.*changes_with_scale"):
        api.compare("demo", ["bleu", "ter"], coefficient="my.py:ccc", **settings)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("my.py:nothing", "no function 'nothing' in my.py"),
        ("my.py:constant", "must be a function of two arrays.*'int'"),
        ("other.py:ccc", "no file 'other.py'"),
        ("my.py:ccc(nothing=1)", "called with two arrays.*: .*unexpected keyword argument 'nothing'"),
        ("my:ccc", r"got 'my:ccc'\. A function of yours is named FILE\.py:NAME"),
    ],
)
def test_what_is_no_function_is_told(name, message):
    with pytest.raises(UsageError, match=message):
        api.compare("demo", ["bleu"], coefficient=name)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return 1.5", r"number from -1 to 1.*got 1\.5"),
        ("return 'much'", "number from -1 to 1.*got 'much'"),
        ("return '0.5'", r"number from -1 to 1.*got '0\.5'"),
        ("return True", "number from -1 to 1.*got True"),
        ("raise SystemExit(3)", r"SystemExit: 3 \(bad.py:2\)"),
        ("return x", "number from -1 to 1"),
        ("return {}['k']", r"KeyError: 'k' \(bad.py:2\)"),
        ("raise ValueError('too few')", r"ValueError: too few \(bad.py:2\)"),
    ],
)
def test_what_a_function_does_wrong_is_told(body, message):
    Path("bad.py").write_text(f"def bad(x, y):\n    {body}\n")
    with pytest.raises(UsageError, match=f"bad.py:bad.*{message}"):
        api.compare("demo", ["bleu"], coefficient="bad.py:bad")


def test_an_undefined_value_is_none():
    Path("none.py").write_text("def none(x, y):\n    return float('nan')\n")
    with pytest.warns(metaeval.MetaevalWarning):
        found = api.compare("demo", ["bleu", "ter"], coefficient="none.py:none", criteria="adequacy")
    assert all(np.isnan(one.value) for one in found.results.estimates)


def test_a_file_that_cannot_be_loaded_is_told():
    Path("bad.py").write_text("import nothing_of_this_name\n")
    with pytest.raises(UsageError, match=r"bad.py:f.*No module named 'nothing_of_this_name' \(bad.py:1\)"):
        api.compare("demo", ["bleu"], coefficient="bad.py:f")


def test_one_function_with_several_parameters():
    names = ["my.py:ccc", "my.py:ccc(factor=0.5)"]
    whole, half = dict(value_of(names))["my.py:ccc"], dict(value_of(names))["my.py:ccc(factor=0.5)"]
    assert (whole, half) == pytest.approx((BY_HAND, BY_HAND / 2))


def test_what_a_function_prints_spoils_nothing(capsys):
    Path("loud.py").write_text("def loud(x, y):\n    print('here')\n    return 0.5\n")
    arguments = ["compare", "--corpus", "demo", "-m", "bleu", "--coefficient", "loud.py:loud", "--format", "json"]
    assert main(arguments) == 0
    told = capsys.readouterr()
    assert isinstance(json.loads(told.out), list)
    assert "here" in told.err


def test_what_a_function_makes_of_others_in_a_panel_is_told():
    config = {"title": "t", "corpora": ["demo"], "metrics": ["bleu"], "criteria": ["adequacy"], "figures": []}
    config["correlation"] = {"coefficients": ["my.py:ccc", "pearson"]}
    told = "'Pearson': intervals and tests are those that ccc allows"
    with pytest.warns(metaeval.MetaevalWarning, match=told):
        metaeval.correlate(**{key: config[key] for key in ("corpora", "metrics", "criteria", "correlation")})


def test_two_functions_of_one_name_are_told():
    with pytest.raises(UsageError, match="two functions are called 'ccc'"):
        api.compare("demo", ["bleu"], coefficient=[ccc, ccc])
    with pytest.raises(UsageError, match="a function of two arrays"):
        api.compare("demo", ["bleu"], coefficient=[object])
    with pytest.raises(UsageError, match="a text of one line without a colon; got 'segment:ccc'"):
        api.compare("demo", ["bleu"], coefficient={"segment:ccc": ccc})
    with pytest.raises(UsageError, match="a name or a function, or a list of these; got 3"):
        api.compare("demo", ["bleu"], coefficient=3)


CONFIG = """
title = "Own coefficients over pseudo-documents"
corpora = ["demo"]
metrics = ["bleu", "ter"]
criteria = ["adequacy"]
figures = []
documents = { kind = "pseudo", lengths = [5], count = 20 }
uncertainty = { n_resamples = 60 }
correlation.coefficients = ["my.py:ccc", "my.py:free"]
"""


def test_a_run_is_read_without_the_file_and_made_again_with_it(capsys):
    Path("own.toml").write_text(CONFIG)
    for jobs, output in (("1", "one"), ("2", "two")):
        assert main(["run", "own.toml", "--jobs", jobs, "--output", output, "--quiet"]) == 0
    assert Path("one/correlations.tsv").read_bytes() == Path("two/correlations.tsv").read_bytes()
    # The file of the config is named from the run's directory.
    Path("my.py").rename("away.py")
    assert main(["report", "one"]) == 0
    assert main(["run", "one/config.toml", "--output", "three", "--quiet"]) != 0
    assert "there is no file" in capsys.readouterr().err
    Path("away.py").rename("my.py")
    assert main(["run", "one/config.toml", "--output", "three", "--quiet"]) == 0
    assert Path("one/correlations.tsv").read_bytes() == Path("three/correlations.tsv").read_bytes()


def test_one_that_travels_is_loaded_where_it_arrives():
    kind = COEFFICIENTS.named("my.py:ccc")
    again = pickle.loads(pickle.dumps(kind))
    assert again == kind
    assert again(np.array([1.0, 2, 3]), np.array([2.0, 3, 4])) == pytest.approx(BY_HAND)


def test_a_function_of_a_session_is_told_where_a_run_is_made_again():
    kind = COEFFICIENTS.named("python:ccc")
    assert kind.title == "ccc"
    with pytest.raises(UsageError, match=r"metaeval.compare\(..., coefficient=ccc\)"):
        kind(np.arange(3.0), np.arange(3.0))
