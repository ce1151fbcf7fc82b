"""Check a wheel in fresh environments outside the checkout, with the newest versions it is tested with and the lowest.

In each a short experiment is run. Both runs must hold the same numbers to the last bit, as `metaeval diff` tells. In
the environment of the lowest versions, the tests of what rests on other packages are run against the installed wheel.

Usage: python scripts/check_wheel.py dist/metaeval-*.whl
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXPERIMENT = ["run", "turian2003-chinese", "--corpus", "demo", "--set", "documents.count=50", "--quiet"]
TESTED = ["runs/test_run.py", "experiment/test_protocol.py", "results/test_export.py"]
TESTED += ["correlation", "judgments", "metrics/test_sacrebleu_metrics.py", "report", "sampling", "text"]
# A user's environment says nothing of ours.
ENVIRONMENT = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "METAEVAL"))}
ENVIRONMENT["METAEVAL_REQUIRE_KERNELS"] = "1"


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(list(map(str, command)), cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}\n{' '.join(map(str, command))}: exit code {done.returncode}")
    return done.stdout


def install(wheel: Path, constraints: str, place: Path) -> Path:
    """Return the folder of commands of a fresh environment that holds the wheel and what it needs."""
    venv.create(place, with_pip=True)
    commands = place / ("Scripts" if os.name == "nt" else "bin")
    pip = [commands / "python", "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    run(*pip, f"{wheel}[parquet]", "-c", ROOT / constraints, cwd=place)
    where = run(commands / "python", "-c", "import metaeval; print(metaeval.__file__)", cwd=place)
    assert where.startswith(str(place)), f"{where.strip()} is not in {place}"
    return commands


def test_installed(commands: Path, place: Path) -> None:
    """Run tests against the package that is installed, from a folder that holds no other."""
    names = ["hypothesis", "krippendorff", "pytest", "pytest-xdist"]
    pinned = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if line.split("==")[0] in names]
    assert len(pinned) == len(names), f"constraints.txt must pin {', '.join(names)}"
    run(commands / "python", "-m", "pip", "install", "-qq", "--disable-pip-version-check", *pinned, cwd=place)
    for name in ("tests", "configs", "data", "docs", "scripts"):
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", place)
    if (ROOT.parent / "shared").is_dir():
        (place.parent / "shared").symlink_to(ROOT.parent / "shared")
    # Old packages warn of newer ones, which is no concern of ours.
    options = ["-q", "-o", "filterwarnings=ignore", "-o", "addopts=--import-mode=importlib", "-p", "no:cacheprovider"]
    options += ["--numprocesses=auto", "--maxprocesses=8"]
    files = [f"tests/{name}" for name in TESTED]
    print(run(commands / "python", "-m", "pytest", *options, *files, cwd=place).splitlines()[-1], flush=True)


def main() -> None:
    wheel = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="metaeval-wheel-") as name:
        place = Path(name).resolve()
        newest = install(wheel, "constraints.txt", place / "newest")
        lowest = install(wheel, "constraints-lowest.txt", place / "lowest")
        for commands in (newest, lowest):
            version = run(commands / "metaeval", "--version", cwd=place).strip()
            run(commands / "metaeval", *EXPERIMENT, "--output", f"run-{commands.parent.name}", cwd=place)
            print(f"{commands.parent.name} versions: {version} runs an experiment", flush=True)
        told = run(newest / "metaeval", "diff", "run-lowest", "run-newest", cwd=place)
        if not any(words in told for words in ("; none changed.", "only signatures differ")):
            sys.exit(f"{told}\nThe lowest and the newest versions give other numbers.")
        print("both give the same numbers", flush=True)
        (place / "tested").mkdir()
        test_installed(lowest, place / "tested")


if __name__ == "__main__":
    main()
