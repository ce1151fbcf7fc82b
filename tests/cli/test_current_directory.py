"""Whatever lies in the current directory, each verb gives the same bytes: nothing there is run or read unasked."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

# Modules that are imported late: by the verbs, by joblib's processes and by processes that check a metric.
PLANTED = ("joblib", "numpy", "pandas", "scipy", "matplotlib", "queue", "pickle", "sacrebleu", "tqdm")
SETTINGS = "font.size: 30\naxes.facecolor: red\naxes.linewidth: 7\nsavefig.facecolor: yellow\nxtick.major.size: 20\n"

RUN = """\
title = "Small"
corpora = ["demo"]
metrics = ["bleu", "wer"]
criteria = ["adequacy"]
figures = [{ kind = "correlation-by-length" }, { kind = "heat-table" }]
documents = { kind = "pseudo", lengths = [5], count = 5 }
uncertainty = { method = "bootstrap", n_resamples = 4 }
"""

# A script has its own directory on the path, not the current one, as the installed command has.
VERBS = """\
import sys
from metaeval.cli import main

out, jobs = sys.argv[1:]
run = f"{out}/run"
text = ["-c", f"{out}/a.txt", "-r", f"{out}/b.txt"]
for arguments in (
    ["corpus", "show", "demo"],
    ["metrics", "list"],
    ["metrics", "check", "mine/metric.py:same"],
    ["cite", "bleu"],
    ["completion", "bash"],
    ["score", "-m", "chrf", "mine/metric.py:same", *text],
    ["grid", "-c", "a b c", "-r", "b c a", "--output", f"{out}/grid.svg"],
    ["run", f"{out}/run.toml", "--jobs", jobs, "--output", run],
    ["report", run],
    ["diff", run, run],
    ["export", run],
    ["compare", "--corpus", "demo", "-m", "bleu", "mine/metric.py:same", "--criterion", "adequacy", "--jobs", jobs,
     "--resamples", "60"],
    ["agreement", "--corpus", "demo", "--criterion", "adequacy"],
):
    print("$", arguments[0], main(arguments), flush=True)
"""

METRIC = """\
import helper


def same(candidate, references):
    return helper.share(candidate, references)
"""
HELPER = """\
def share(candidate, references):
    return float(candidate == references[0])
"""


def prepare(directory: Path) -> Path:
    """Return a directory to work in, with what the verbs name."""
    here, out = directory / "here", directory / "out"
    (here / "mine").mkdir(parents=True)
    out.mkdir()
    (here / "mine" / "metric.py").write_text(METRIC)
    (here / "mine" / "helper.py").write_text(HELPER)
    (out / "run.toml").write_text(RUN)
    (out / "a.txt").write_text("a b c\nd\n")
    (out / "b.txt").write_text("a c\nd\n")
    (out / "verbs.py").write_text(VERBS)
    return here


def plant(here: Path) -> None:
    """Write modules that tell when they are imported, and settings of figures."""
    for name in PLANTED:
        (here / f"{name}.py").write_text(f"open({str(here / 'imported')!r}, 'a').write('{name} ')\nraise ImportError\n")
    (here / "matplotlibrc").write_text(SETTINGS)


def told(directory: Path, jobs: int, here: Path) -> dict[str, str | bytes]:
    """Return what the verbs print and write, but for dates and durations."""
    out = directory / "out"
    done = subprocess.run(
        [sys.executable, out / "verbs.py", out, str(jobs)], cwd=here, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    printed = "\n".join(line for line in done.stdout.split("\n") if "candidates a second" not in line)
    found: dict[str, str | bytes] = {"stdout": printed.replace(str(directory), "")}
    for path in sorted(out.rglob("*")):
        if path.is_file() and path.name != "times.json":
            content = path.read_bytes()
            found[str(path.relative_to(out))] = (
                re.sub(rb"<time .*?</time>", b"", content) if path.suffix == ".html" else content
            )
    return found


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    directory = tmp_path_factory.mktemp("empty")
    return told(directory, 1, prepare(directory))


@pytest.mark.parametrize("jobs", [1, 2])
def test_nothing_that_lies_there_changes_a_byte(tmp_path, expected, jobs):
    here = prepare(tmp_path)
    plant(here)
    found = told(tmp_path, jobs, here)
    assert not (here / "imported").exists(), (here / "imported").read_text()
    assert found.keys() == expected.keys()
    assert {"run/figures/correlation-by-length.png", "run/report.html", "grid.svg"} <= found.keys()
    assert [name for name in found if found[name] != expected[name]] == []


def test_the_module_does_not_import_from_there_either(tmp_path):
    for name in PLANTED:
        (tmp_path / f"{name}.py").write_text("raise ImportError('this is planted')\n")
    (tmp_path / "texts.txt").write_text("one two\n")
    command = [sys.executable, "-m", "metaeval", "score", "-m", "wer", "-c", "texts.txt", "-r", "texts.txt"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
