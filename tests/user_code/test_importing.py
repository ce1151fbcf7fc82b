"""What lies beside the file of a metric: each file has its own helpers, and one that was changed is imported again."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from metaeval.errors import MetricError
from metaeval.metrics import get_metric
from metaeval.metrics.naming import Target
from metaeval.user_code import importing
from tests.support.plugins import TEXTS, in_a_directory_of_its_own, measured, module

__all__ = ["in_a_directory_of_its_own"]

EAGER = "import helpers_of_a_test\ndef f(candidate, references): return helpers_of_a_test.number()\n"
LAZY = "def f(candidate, references):\n    from helpers_of_a_test import number\n    return number()\n"


def helper(folder: str, number: int) -> None:
    module(f"def number(): return {number}", f"{folder}/helpers_of_a_test.py")


@pytest.mark.parametrize("code", [EAGER, LAZY], ids=["eager", "lazy"])
def test_each_folder_has_its_own_helpers(code):
    for folder, number in (("one", 1), ("two", 2)):
        helper(folder, number)
        module(code, f"{folder}/mine.py")
    metrics = [get_metric(f"{folder}/mine.py:f") for folder in ("one", "two", "one")]
    assert [metric.measure(TEXTS, ("r",))[0, 0, 0] for metric in metrics] == [1, 2, 1]
    assert str(metrics[0].signature) == str(metrics[2].signature) != str(metrics[1].signature)
    assert "helpers_of_a_test" not in sys.modules
    assert not any(str(Path.cwd()) in entry for entry in sys.path)
    assert list(Path().rglob("__pycache__")) == []


def test_helpers_of_the_program_around_stay_its_own(monkeypatch):
    helper(".", 7)
    monkeypatch.syspath_prepend(str(Path.cwd()))
    import helpers_of_a_test

    helper("one", 1)
    module(EAGER, "one/mine.py")
    module(EAGER, "mine.py")
    assert measured("one/mine.py:f")[0][0] == 1
    helper(".", 8)
    assert measured("mine.py:f")[0][0] == 8
    assert sys.modules.pop("helpers_of_a_test") is helpers_of_a_test
    assert helpers_of_a_test.number() == 7


@pytest.mark.parametrize("code", [EAGER, LAZY], ids=["eager", "lazy"])
def test_a_helper_that_was_changed_is_imported_again(code):
    helper(".", 5)
    module(code)
    old = get_metric("mine.py:f")
    assert old.measure(TEXTS, ("r",))[0, 0, 0] == 5
    helper(".", 6)
    assert measured("mine.py:f")[0][0] == 6
    assert str(get_metric("mine.py:f").signature) != str(old.signature)
    with pytest.raises(MetricError, match=r"mine\.py has changed since the metric was named"):
        old.measure(TEXTS, ("r",))


def test_a_helper_that_no_import_names_is_watched_once_it_is_there():
    helper(".", 5)
    module(
        "import importlib\n"
        "def f(candidate, references): return importlib.import_module('helpers_' + 'of_a_test').number()\n"
    )
    assert measured("mine.py:f")[0][0] == 5
    assert measured("mine.py:f")[0][0] == 5
    helper(".", 6)
    assert measured("mine.py:f")[0][0] == 6


@pytest.mark.parametrize(
    ("line", "old", "new"),
    [
        (
            "from metaeval.names import Signature",
            "names",
            r"parameters\.calls \(Signature is also metaeval\.Signature\)",
        ),
        ("import metaeval.records", "records", r"datamodel\.corpus \(Corpus is also metaeval\.Corpus\)"),
        ("from metaeval.coefficient import Coefficient", "coefficient", r"components\.coefficient"),
        (
            "from metaeval.contracts import Test",
            "contracts",
            r"components \(interval, test, correction, documents, figure and others\)",
        ),
    ],
)
def test_a_module_that_has_moved_is_named_with_its_new_place(line, old, new):
    module(f"{line}\ndef f(candidate): return 1\n")
    expected = (
        rf"^metric 'mine\.py:f': mine\.py: loading it: .*; metaeval\.{old} is now metaeval\.{new} \(mine\.py:1\)\.$"
    )
    with pytest.raises(MetricError, match=expected):
        get_metric("mine.py:f")
    # The same inside a function, which imports when it is called.
    module(f"def f(candidate):\n    {line}\n    return 1\n")
    with pytest.raises(MetricError, match=rf"metaeval\.{old} is now metaeval\.{new} \(mine\.py:2\)"):
        measured("mine.py:f")


def test_the_parameter_of_a_metric_is_still_imported_from_metaeval_parameters():
    module("from metaeval.parameters import parameter\ndef f(candidate): return 1\n")
    assert get_metric("mine.py:f").name == "f"


def test_packages_beside_a_file_and_their_relative_imports():
    module("from .inner import number", "parts_of_a_test/__init__.py")
    module("def number(): return 3", "parts_of_a_test/inner.py")
    module("from parts_of_a_test import number\ndef f(candidate, references): return number()\n")
    assert measured("mine.py:f")[0][0] == 3
    found = importing._IMPORTED[str(Path("mine.py").resolve())]
    assert [os.path.relpath(file) for file in found.digests] == [
        "mine.py",
        "parts_of_a_test/__init__.py",
        "parts_of_a_test/inner.py",
    ]
    module("def number(): return 4", "parts_of_a_test/inner.py")
    assert measured("mine.py:f")[0][0] == 4


def test_folders_without_init_are_packages_too():
    for folder, number in (("one", 1), ("two", 2)):
        module(f"def number(): return {number}", f"{folder}/bare_of_a_test/inner.py")
        module(
            "from bare_of_a_test.inner import number\ndef f(candidate, references): return number()\n",
            f"{folder}/mine.py",
        )
    assert [measured(f"{folder}/mine.py:f")[0][0] for folder in ("one", "two", "one")] == [1, 2, 1]
    module("def number(): return 3", "one/bare_of_a_test/inner.py")
    assert measured("one/mine.py:f")[0][0] == 3


def test_a_function_may_call_metaeval_with_another():
    helper("one", 1)
    module(EAGER, "one/mine.py")
    helper(".", 10)
    module(
        "import metaeval\nfrom helpers_of_a_test import number\n"
        "def f(candidate, references):\n"
        "    (inner,) = metaeval.score('one/mine.py:f', [candidate], [references[0]])\n"
        "    import helpers_of_a_test\n    return helpers_of_a_test.number() + inner.values[0, 0]\n"
        "f.higher_is_better = True\n"
    )
    module(EAGER + "f.higher_is_better = True\n", "one/mine.py")
    assert measured("mine.py:f")[0][0] == 11


def test_what_a_file_puts_on_the_path_is_there_when_it_is_called():
    module("def number(): return 9", "elsewhere/far_from_a_test.py")
    module(
        "import os, sys\nsys.path.append(os.path.join(os.path.dirname(__file__), 'elsewhere'))\n"
        "def f(candidate, references):\n    import far_from_a_test\n    return far_from_a_test.number()\n"
    )
    before = list(sys.path)
    assert [measured("mine.py:f")[0][0] for _ in range(2)] == [9, 9]
    assert sys.path == before


def test_the_module_of_a_file_that_was_changed_goes():
    for number in range(3):
        module(f"def f(candidate, references): return {number}")
        assert measured("mine.py:f")[0][0] == number
    place = str(Path("mine.py").resolve())
    assert len([one for one in sys.modules.values() if getattr(one, "__file__", None) == place]) == 1


def test_functions_of_a_file_share_its_module():
    module(
        "from functools import cache\n@cache\ndef model():\n"
        "    with open('loads', 'a') as file: file.write('x')\n    return 2\n"
        "def f(candidate, references): return model()\n"
        "def g(candidates, references): return [model()] * len(candidates)\n"
    )
    for name in ("f", "g", "f"):
        assert measured(f"mine.py:{name}")[0][0] == 2
    assert Path("loads").read_text() == "x"


def test_an_installed_package_that_was_changed_needs_another_python(monkeypatch):
    monkeypatch.syspath_prepend(str(Path.cwd()))
    module("def f(candidate, references): return 1", "installed_for_a_test.py")
    target = Target("words 1.2", "", "installed_for_a_test", "f")
    try:
        first = importing.imported(target, "metric 'f'")
        assert importing.imported(target, "metric 'f'") is first
        module("def f(candidate, references): return 2", "installed_for_a_test.py")
        with pytest.raises(
            MetricError, match=r"words 1\.2: loading it: it has changed since .*; start Python again\.$"
        ):
            importing.imported(target, "metric 'f'")
    finally:
        del sys.modules["installed_for_a_test"]


def test_classes_and_tokenizers_have_their_helpers_too():
    from metaeval.text.preprocessing import get_preprocessing

    for folder, number in (("one", 1), ("two", 2)):
        helper(folder, number)
        module(
            "import numpy as np\nfrom metaeval.parameters.calls import Signature\nclass M:\n"
            "    name, title, higher_is_better, uses_references = 'm', 'M', True, False\n"
            "    statistic_names, signature = ('sum',), Signature('m')\n"
            "    def measure(self, corpus, references):\n        import helpers_of_a_test as helpers\n"
            "        return np.full((len(corpus.systems), corpus.n_segments, 1), helpers.number())\n"
            "    def score(self, statistics): return statistics[..., 0]\n"
            "def cut(text):\n    from helpers_of_a_test import number\n    return text.split('x' * number())\n",
            f"{folder}/mine.py",
        )
    assert [measured(f"{folder}/mine.py:M")[0][0] for folder in ("one", "two")] == [1, 2]
    tokens = [
        get_preprocessing(f'case(tokenizer="{folder}/mine.py:cut")').tokens(["axbxxc"]) for folder in ("one", "two")
    ]
    assert tokens == [[["a", "b", "c"]], [["axb", "c"]]]
