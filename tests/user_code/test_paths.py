"""Files of metrics: relative to the config that names them, on the command line to the current directory."""

from __future__ import annotations

from pathlib import Path

import pytest

from metaeval.cli import main
from metaeval.errors import UsageError
from metaeval.metrics.naming import with_path, without_directory
from metaeval.papers.config import load_config
from tests.support.plugins import in_a_directory_of_its_own, module

__all__ = ["in_a_directory_of_its_own"]

CODE = "def f(candidate, references, k=1): return {} * len(candidate) ** k\nf.higher_is_better = True\n"
TABLE = "system\tscore\n" + "".join(f"sys{number}\t{number}\n" for number in range(1, 9))
CONFIG = """\
title = "t"
corpora = ["demo"]
metrics = ["mine.py:f", "sub/mine.py:f(k=2)", "scores:given.tsv"]
tests = []
[documents]
kind = "all"
[uncertainty]
method = "none"
"""


@pytest.fixture
def config():
    """Write a config and its metrics to a directory, and other files of the same names to the current one."""
    for place, sign in (("conf", 1), (".", -1)):
        module(CODE.format(sign), f"{place}/mine.py")
        module(CODE.format(sign), f"{place}/sub/mine.py") if place == "." else Path("conf/sub").mkdir()
    module(CODE.format(1), "conf/sub/mine.py")
    module(TABLE, "conf/given.tsv")
    module(CONFIG, "conf/my.toml")
    return Path("conf/my.toml")


def metrics_of(run: str) -> dict[str, str]:
    """Return the mean coefficient of each metric of a run, by adequacy."""
    header, *rows = (line.split("\t") for line in Path(run, "correlations.tsv").read_text().splitlines())
    found = (dict(zip(header, row, strict=True)) for row in rows)
    return {row["metric"]: row["mean"] for row in found if row["criterion"] == "adequacy"}


def test_files_are_relative_to_the_config_and_keep_their_names(config, tmp_path, monkeypatch):
    assert main(["run", str(config), "--output", "out"]) == 0
    found = metrics_of("out")
    assert list(found) == ["mine.py:f", "sub/mine.py:f(k=2)", "scores:given.tsv"]
    # The files of the current directory give the opposite.
    module(CODE.format(-1), "conf/mine.py")
    assert main(["run", str(config), "--output", "other"]) == 0
    assert float(metrics_of("other")["mine.py:f"]) == -float(found["mine.py:f"])
    # The config of a run names the same files from anywhere; of a directory only the file stays in the names.
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert main(["run", str(tmp_path / "out" / "config.toml"), "--output", "again"]) == 0
    assert list(metrics_of("again")) == ["mine.py:f", "mine.py:f(k=2)", "scores:given.tsv"]
    assert metrics_of("again")["mine.py:f(k=2)"] == found["sub/mine.py:f(k=2)"]


def test_what_is_typed_is_relative_to_the_current_directory(config):
    loaded = load_config(config, overrides=["metrics=['mine.py:f']"])
    (metric,) = loaded.experiment.metrics
    assert metric.written == "mine.py:f"
    assert metric.kind.target.file == str(Path("mine.py").resolve())
    assert load_config(config).experiment.metrics[0].kind.target.file == str(Path("conf/mine.py").resolve())


def test_panels_have_paths_too(config):
    text = CONFIG.replace('metrics = ["mine.py:f", "sub/mine.py:f(k=2)", "scores:given.tsv"]\n', "")
    config.write_text(text + '[[panels]]\ntitle = "a"\nmetrics = ["mine.py:f"]\n')
    assert load_config(config).panels[0].experiments[0].metrics[0].kind.target.file == str(
        Path("conf/mine.py").resolve()
    )


def test_the_config_of_a_comparison_names_the_same_files_from_anywhere(config, tmp_path, monkeypatch):
    small = ["--resamples", "50", "--ceiling", "0", "--quiet"]
    assert main(["compare", "--corpus", "demo", "-m", "bleu", "mine.py:f", "--output", "out", *small]) == 0
    monkeypatch.chdir(tmp_path / "conf")
    assert main(["run", "../out/config.toml", "--output", "again"]) == 0
    assert metrics_of("again") == metrics_of("../out")


def test_files_of_equal_names_keep_their_directories(tmp_path):
    names = [str(tmp_path / place / "mine.py") + ":f" for place in ("a", "b")]
    for place, sign in (("a", 1), ("b", -1)):
        module(CODE.format(sign), f"{place}/mine.py")
    module(CONFIG.replace('"mine.py:f", "sub/mine.py:f(k=2)", "scores:given.tsv"', str(names)[1:-1]), "my.toml")
    assert [metric.written for metric in load_config("my.toml").experiment.metrics] == names


def test_a_missing_file_is_told_with_its_line(config):
    config.write_text(CONFIG.replace("sub/mine", "sub/none"))
    with pytest.raises(
        UsageError, match=r"^conf/my.toml:3: .*there is no file '.*/conf/sub/none.py' .*relative to the config"
    ):
        load_config(config)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bleu(order=2)", "bleu(order=2)"),
        ("a/mine.py:f( k = 2 )", "/x/mine.py:f( k = 2 )"),
        ("~/mine.py", "/x/mine.py"),
        ("scores:a/s.tsv", "/x/s.tsv"),
        ('scores:a/s.tsv(metric="A")', '/x/s.tsv(metric="A")'),
        ('scores(metric="A",file="a/s.tsv")', '/x/s.tsv(metric="A")'),
        ("precomputed:a/s.tsv", "precomputed:a/s.tsv"),
        ('program(command="python a/s.py")', 'program(command="python a/s.py")'),
        ("scores(metric=A)", "scores(metric=A)"),
    ],
)
def test_the_path_in_a_name(text, expected):
    scores = "scores:" if text.startswith("scores") and expected.startswith("/") else ""
    assert with_path(text, lambda path: f"/x/{path.name}") == scores + expected


def test_a_name_without_its_directory_is_the_same_however_it_is_written():
    assert (
        without_directory("a/b/mine.py:f( y = 2, x=1 )")
        == without_directory("mine.py:f(x=1,y=2)")
        == "mine.py:f(x=1,y=2)"
    )
