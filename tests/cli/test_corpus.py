"""The commands that bring corpora: list, formats, check, convert, fetch; the docs' own as they stand there."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from dataclasses import fields
from pathlib import Path

import pytest

from metaeval.cli import main
from metaeval.components.registries import READERS
from tests.docs.pages import blocks, commands
from tests.support import everyday, examples
from tests.support.gold import of_others

# The steps before that are run with their files in tests/docs.
WALK, _, TEXT = (
    (Path(__file__).parents[2] / "docs" / "corpora.md").read_text(encoding="utf-8").partition("## Every way in")
)
BLOCKS = re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)
COMMANDS = [line for block in BLOCKS for line in block.splitlines()]


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A working directory with files of several formats, and a cache of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("METAEVAL_CACHE", str(tmp_path / "cache"))
    texts = examples.sgml(tmp_path / "texts")[0]
    content = "".join(path.read_text(encoding="utf-8") for path in sorted(texts.iterdir(), key=lambda path: path.name))
    Path("texts.sgm").write_text(content, encoding="utf-8")
    examples.mqm(tmp_path)
    examples.mtme(tmp_path / "set")
    examples.tree(tmp_path / "mt-metrics-eval-v2" / "wmt23")
    next(one for one in everyday.FILES if one.file == "da.csv").write(tmp_path / "da.csv")
    return tmp_path


def test_commands_of_the_docs_in_their_order(here, capsys):
    commands = [shlex.split(command, comments=True)[1:] for command in COMMANDS]
    for arguments in commands:
        if arguments[1] != "fetch":
            assert main(arguments) == 0, arguments
    out = capsys.readouterr().out
    assert "mqm-corpus: 2 systems, 4 segments, 2 references, 24 judgments on 3 criteria" in out


def test_the_toml_of_the_docs(here, capsys):
    (toml,) = (block for block in re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL) if "[[files]]" in block)
    table = Path("assessments.csv").read_text()
    # The example has scores of 10 to 77, the docs those of LDC, 1 to 5.
    Path("assessments.csv").write_text(re.sub(r"\d+,\d+$", "3,4", table, flags=re.MULTILINE))
    Path("corpus.toml").write_text(toml)
    assert main(["corpus", "check", "."]) == 0
    assert ".: 0 errors, 0 warnings, 0 notes" in capsys.readouterr().out


def test_a_spreadsheet_with_columns_of_other_names(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for block in blocks(WALK):
        if block.file is not None:
            block.write()
    (convert,) = (line for line in commands(WALK) if line.startswith("metaeval corpus convert"))
    assert main(shlex.split(convert)[1:]) == 0
    head, rows = Path("scores.csv").read_text().split("\n", 1)
    assert head == "line,system,judge,adequacy,fluency"
    Path("scores.csv").write_text("Segment no.,system,Rater,Adequacy (1-5),fluency\n" + rows)
    capsys.readouterr()
    sources = ["my-texts", "scores.csv", "renamed"]
    assert main(["corpus", "convert", *sources]) == 0
    format_ = 'columns=["segment=Segment no.","judge=Rater"],criteria=["adequacy=Adequacy (1-5)","fluency"]'
    assert f"--source-format 'table({format_})'" in capsys.readouterr().err
    assert Path("renamed/judgments.tsv").read_text() == Path("my-corpus/judgments.tsv").read_text()
    # A cell is left empty, and decimals have a comma, as the page says.
    Path("scores.csv").write_text(Path("scores.csv").read_text().replace("2,C,ben,1,2", '2,C,ben,,"1,5"'))
    assert main(["corpus", "check", *sources[:2]]) == 3
    said = "".join(capsys.readouterr())
    assert (
        "scores.csv:16: the score must be a finite number; got '1,5' in column 'fluency'. Where decimals have" in said
    )
    assert "scores.csv: has 1 missing score, in line 16." in said


def test_list_tells_what_is_on_disk(here, capsys):
    def on_disk() -> dict[str, str]:
        assert main(["corpus", "list", "--format", "json"]) == 0
        return {row["name"]: row["on_disk"] for row in json.loads(capsys.readouterr().out)}

    assert on_disk()["demo"] == "yes"
    assert on_disk()["mtc-chinese"] == "made when first used"
    assert on_disk()["summeval"] == "no: metaeval corpus fetch"


def test_a_fetched_corpus_is_on_disk(here, capsys):
    raw = str(of_others("raw"))
    fetches = [shlex.split(command, comments=True)[1:] for command in COMMANDS if " fetch " in command]
    assert fetches
    for arguments in (*fetches, ["corpus", "fetch", "summeval"]):
        assert main([*arguments, "--from", raw]) == 0
    capsys.readouterr()
    assert main(["corpus", "list", "--format", "json"]) == 0
    listed = {row["name"]: row["on_disk"] for row in json.loads(capsys.readouterr().out)}
    assert listed["summeval"] == "yes"
    assert main(["corpus", "show", "summeval"]) == 0


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (
            ["show", "summeval"],
            2,
            "is public but not downloaded yet; `metaeval corpus fetch summeval` downloads it (2.2 MB)",
        ),
        (["fetch", "sumeval"], 2, "unknown public corpus 'sumeval'; did you mean 'summeval'?"),
        (["fetch", "summeval", "--from", "nowhere"], 2, "the origin must be a directory or an http or https address"),
        (["convert", "mqm.tsv", "texts"], 2, "texts: exists and is not an empty directory"),
        (["convert", "nothing", "out"], 2, "There is no file or directory at that path either."),
        (["convert", "mqm.tsv", "out", "--source-format", "mqn"], 2, "unknown format 'mqn'; did you mean 'mqm'?"),
        (["convert", "assessments.csv", "out"], 3, "holds no texts of systems. Name the texts beside"),
        (
            ["convert", "assessments.csv", "out", "--source-format", 'table(columns=["segment=nothing"])'],
            3,
            "assessments.csv:1: unknown column 'nothing'",
        ),
    ],
)
def test_what_goes_wrong_is_told(arguments, code, told, here, capsys):
    assert main(["corpus", *arguments]) == code
    assert told in capsys.readouterr().err
    assert not Path("out").exists()


@pytest.mark.parametrize("form", ["table", "tsv", "json"])
def test_formats_and_their_parameters(form, capsys):
    assert main(["corpus", "formats", "--format", form]) == 0
    listed = capsys.readouterr().out
    for name in READERS:
        assert name in listed
    for name, reader in READERS.items():
        assert main(["corpus", "formats", name, "--format", form]) == 0
        shown = " ".join(capsys.readouterr().out.split())
        for item in fields(reader):
            assert item.name in shown
            assert item.metadata["doc"].replace('"', '\\"' if form == "json" else '"') in shown
    assert main(["corpus", "formats", "neutral", "--format", form]) == 0
    assert "a directory with corpus.toml" in capsys.readouterr().out


def test_a_format_that_is_not_known(capsys):
    assert main(["corpus", "formats", "mqn"]) == 2
    assert "unknown format 'mqn'; did you mean 'mqm'?" in capsys.readouterr().err


def test_convert_reports_what_is_remarkable_and_the_result_is_used(here, capsys):
    assert main(["corpus", "convert", "set", "out"]) == 0
    printed = capsys.readouterr()
    assert "out: 2 systems, 4 segments, 2 references, 15 judgments on 2 criteria" in printed.out
    assert "warning: " in printed.err  # a line separator in a text
    assert main(["corpus", "show", "out", "--format", "tsv"]) == 0
    shown = capsys.readouterr().out
    assert "mqm\tunknown\tunknown\thigher" in shown
    assert "BLEU-refA (domain, segment), mqm (document), wmt-z (system)" in shown


def test_a_source_can_be_run_without_converting_it(here, capsys):
    shutil.rmtree("texts")
    overrides = ["--set", 'criteria=["mqm"]', "--set", "judgments.inter_judge=false", "--set", 'metrics=["bleu"]']
    assert main(["run", "system-level", "--corpus", "set", *overrides]) == 0
    assert "note: " in (err := capsys.readouterr().err)
    assert "7 of 8 items were judged (88 %)" in err
    # Notes that are no failures are not shown where quiet is asked for.
    assert main(["run", "system-level", "--corpus", "set", "--quiet", *overrides]) == 0
    assert capsys.readouterr().err == ""
