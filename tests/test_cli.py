from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from metaeval.cli import main
from tests.support.configs import BY_LENGTH
from tests.support.corpus import write

QUICK = ["--set", "documents.count=5", "--set", "documents.lengths=[1, 2]", "--set", "figures=[]"]


@pytest.mark.parametrize("group", ["corpus", "metrics"])
def test_a_group_alone_shows_its_verbs(group, capsys):
    assert main([group]) == 0
    assert "show" in capsys.readouterr().out


def test_run_prints_results_to_stdout_and_progress_to_stderr(tmp_path, capsys):
    assert main(["run", str(BY_LENGTH), *QUICK, "--output", str(tmp_path / "run")]) == 0
    out, err = capsys.readouterr()

    assert (
        "demo (simulated data), adequacy: Spearman correlation across 8 systems; reference ref1; "
        "13a tokens, case kept; by document length"
    ) in " ".join(out.split())
    assert str(tmp_path / "run") in out
    assert "metaeval: read" in err
    assert "metaeval: done" in err


def test_run_on_another_corpus(tmp_path, capsys):
    corpus = write(tmp_path / "corpus")
    arguments = ["--corpus", str(corpus), "--set", 'criteria=["adequacy"]', "--quiet", "--jobs", "2"]
    assert main(["run", str(BY_LENGTH), *QUICK, *arguments, "--output", str(tmp_path / "run")]) == 0
    assert "tiny, adequacy" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["run", "nonsense"], 2, "unknown config 'nonsense'"),
        (["run", "system-level", "--corpus", "nonsense"], 2, "unknown corpus 'nonsense'"),
        (["run", "system-level", "--set", "seed=-1"], 2, "`seed` must be at least 0; got -1"),
        (["corpus", "show", "{spoiled}"], 3, "systems/A.txt: has 1 line but must have 4"),
        (["metrics", "show", "blue"], 2, "unknown metric 'blue'; did you mean 'bleu'?"),
    ],
)
def test_errors_are_told_without_a_traceback(tmp_path, capsys, arguments, code, message):
    spoiled = write(tmp_path / "spoiled", systems__A="x\n")
    assert main([argument.format(spoiled=spoiled) for argument in arguments]) == code
    out, err = capsys.readouterr()

    assert out == ""
    assert err.startswith("metaeval: ")
    assert message in err


def test_corpus_check_tells_everything_and_exits_with_3(tmp_path, capsys):
    directory = write(tmp_path, systems__A="x\n", corpus="name = 1")
    assert main(["corpus", "check", str(directory)]) == 3
    out = capsys.readouterr().out

    assert "error: " in out
    assert "2 errors, 0 warnings, 2 notes" in out


def test_corpus_check_in_order(tmp_path, capsys):
    assert main(["corpus", "check", str(write(tmp_path)), "--format", "json"]) == 0
    assert [item["severity"] for item in json.loads(capsys.readouterr().out)] == ["note", "note"]


def test_corpus_list_and_show(capsys):
    assert main(["corpus", "list", "--format", "tsv"]) == 0
    assert "demo\t8\t120\t4\t11\tadequacy, fluency\tMIT\tsimulated\tyes" in capsys.readouterr().out
    assert main(["corpus", "show", "demo"]) == 0
    out = capsys.readouterr().out
    assert "8 (sys1, sys2" in out
    assert "adequacy" in out
    assert main(["corpus", "show", "demo", "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["criteria"][1]["criterion"] == "fluency"
    assert shown["license"] == "MIT, as metaeval itself"
    assert len(shown["digest"]) == 64
    assert main(["corpus", "show", "demo", "--format", "tsv"]) == 0
    assert "digest\t" in capsys.readouterr().out


def test_metrics_list_and_show(capsys):
    assert main(["metrics", "list"]) == 0
    assert "bleu" in capsys.readouterr().out
    assert main(["metrics", "show", "bleu(order=2)"]) == 0
    out = capsys.readouterr().out
    assert "BLEU|order:2" in out
    assert "(closest, shortest, average)" in " ".join(out.split())
    assert main(["metrics", "show", "bleu", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["parameters"][0]["parameter"] == "order"


def test_the_module_can_be_run():
    done = subprocess.run([sys.executable, "-m", "metaeval", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("metaeval ")


def test_a_reader_that_leaves_is_no_error():
    done = subprocess.run(
        f"{sys.executable} -m metaeval metrics show bleu | true",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""


def test_too_little_memory_is_told(capsys, monkeypatch):
    def full():
        raise MemoryError("8 GB asked for")

    monkeypatch.setattr("metaeval.api.list_metrics", full)
    assert main(["metrics", "list"]) == 1
    assert "there is not enough memory (8 GB asked for); fewer replicates" in capsys.readouterr().err


def test_a_stream_that_was_closed_is_no_terminal(tmp_path):
    from metaeval.cli.console import is_terminal

    with (tmp_path / "file").open("w") as file:
        pass
    assert not is_terminal(file)
    assert not is_terminal(None)


def run(code: str, *arguments: str, **streams) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, after some code."""
    command = [sys.executable, "-c", f"{code}\nimport sys\nfrom metaeval.cli import main\nsys.exit(main())", *arguments]
    return subprocess.run(
        command, text=True, check=False, **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
@pytest.mark.parametrize("arguments", [[], ["--help"], ["--version"], ["corpus"], ["metrics", "list"]])
def test_a_stdout_that_is_full_is_told(arguments):
    with open("/dev/full", "w") as full:
        done = run("", *arguments, stdout=full)
    assert (done.returncode, done.stderr) == (
        1,
        "metaeval: stdout or a file cannot be written: No space left on device.\n",
    )


def test_a_stdout_that_is_closed_is_told():
    done = run("import sys; sys.stdout = None", "metrics", "list")
    assert done.returncode == 1
    assert done.stderr == "metaeval: stdout is closed, so no result can be printed; `> /dev/null` if none is wanted.\n"


def test_without_stderr_nothing_else_is_printed_to_stdout():
    done = run("import sys; sys.stderr = None", "metrics", "show", "no-such-metric")
    assert (done.returncode, done.stdout) == (2, "")


def test_a_lack_of_threads_is_told():
    code = """\
import threading

def none(*_):
    raise RuntimeError("can't start new thread")

threading._start_new_thread = none
"""
    compare = ["compare", "--corpus", "demo", "-m", "bleu", "ter", "--jobs", "2", "--quiet"]
    done = run(code, *compare)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("metaeval: no more threads can be started;")
    assert done.stderr.count("\n") == 1


def test_scores_that_are_too_large_to_be_added_leave_their_metric_out(tmp_path, capsys):
    (tmp_path / "mine.py").write_text("def huge(candidate): return 1e308\n")
    metric = f"{tmp_path}/mine.py:huge"
    small = ["--criterion", "adequacy", "--resamples", "20", "--ceiling", "0", "--quiet"]
    assert main(["compare", "--corpus", "demo", "-m", "bleu", metric, *small]) == 1
    printed = capsys.readouterr()
    assert f"left out: metric {metric!r}: the score of a document is infinite" in printed.err
    assert "BLEU has " in printed.out
    assert f"; it is the only metric that could be scored ({metric} failed)." in " ".join(printed.out.split())
