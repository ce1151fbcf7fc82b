"""`metaeval score` and its Python twins."""

from __future__ import annotations

import csv
import io
import json
import math
import subprocess
import sys
from inspect import signature

import pytest

import metaeval
from metaeval.cli import main
from metaeval.components.registries import DEFAULT_PREPROCESSING
from metaeval.config.schema import Experiment
from metaeval.parameters.fields import describe
from metaeval.version import VERSION
from tests.support.gold import gold, rows


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "refs").mkdir()
    (tmp_path / "c.txt").write_text("The cat sat on the mat\n\nIt rains\n")
    (tmp_path / "d.txt").write_text("A cat sits here\nx\nRaining it is\n")
    (tmp_path / "refs/r1.txt").write_text("The cat sat on the mat\na dog\nIt rained\n")
    (tmp_path / "refs/r2.txt").write_text("A cat was on the mat\n\nIt rains today\n")
    return tmp_path


def output(capsys, *arguments):
    assert main(["score", *arguments]) == 0
    return capsys.readouterr().out


def table(text):
    return list(csv.DictReader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE))


def test_a_metric_that_fails_at_the_other_level_of_a_table_of_scores_is_named(tmp_path):
    (tmp_path / "mine.py").write_text("def f(candidates, references): return 1.0\nf.level = 'corpus'\n")
    names = ["wer", f"{tmp_path}/mine.py:f"]
    found = metaeval.score_files(names, corpus="demo", level="corpus", output=tmp_path / "scores.tsv")

    assert [scores.metric for scores in found] == names
    written = {(row["metric"], bool(row["segment"])) for row in table((tmp_path / "scores.tsv").read_text())}
    assert written == {("wer", False), ("wer", True), (names[1], False)}
    (note,) = [text for text in found.warnings if "scores.tsv" in text]
    assert note.startswith(f"not in {tmp_path / 'scores.tsv'} at level segment: ")
    assert "have scores of whole systems alone" in note


def test_segments_in_the_order_of_the_metrics(files, capsys):
    out = output(
        capsys,
        "-m",
        "gtm",
        "bleu(order=1)",
        "-c",
        "c.txt",
        "-r",
        "refs/r1.txt",
        "--level",
        "segment",
        "--format",
        "tsv",
    )
    found = table(out)

    assert list(found[0]) == ["metric", "preprocessing", "segment", "score"]
    assert [(row["metric"], row["segment"]) for row in found] == [
        *(("gtm", str(n)) for n in (1, 2, 3)), *(("bleu(order=1)", str(n)) for n in (1, 2, 3))
    ]  # fmt: skip
    # Segment 3: "It rains" against "It rained": overlap 1 of 2 and 2.
    assert [float(row["score"]) for row in found] == [1.0, 0.0, 0.5, 1.0, 0.0, 0.5]


def test_several_candidates_have_a_column(files, capsys):
    found = table(output(capsys, "-m", "bleu", "-c", "c.txt", "d.txt", "-r", "refs", "--format", "tsv"))
    assert [(row["candidate"], row["metric"]) for row in found] == [("c.txt", "bleu"), ("d.txt", "bleu")]


def test_a_directory_of_references_is_all_its_texts(files, capsys):
    one = output(capsys, "-m", "bleu", "-c", "c.txt", "-r", "refs", "--format", "tsv")
    assert one == output(capsys, "-m", "bleu", "-c", "c.txt", "-r", "refs/r1.txt", "refs/r2.txt", "--format", "tsv")


def test_statistics_are_a_block_for_each_metric(files, capsys):
    out = output(
        capsys, "-m", "bleu(order=1)", "gtm", "-c", "c.txt", "-r", "refs/r1.txt", "--statistics", "--format", "tsv"
    )
    first, second = out.split("\n\n")

    # 8 candidate tokens; matches: all 6, none, 1 of 2; reference lengths 6, 2, 2.
    assert table(first) == [
        {"metric": "bleu(order=1)", "preprocessing": DEFAULT_PREPROCESSING,
         "score": table(first)[0]["score"], "matches_1": "7", "totals_1": "8",
         "candidate_length": "8", "reference_length": "10"}
    ]  # fmt: skip
    assert [*table(second)[0]] == [
        "metric",
        "preprocessing",
        "score",
        "match_size",
        "candidate_length",
        "reference_length",
    ]


def test_json_holds_all_metrics_in_one_list(files, capsys):
    out = output(
        capsys, "-m", "bleu", "gtm", "-c", "c.txt", "-r", "refs", "--statistics", "--signature", "--format", "json"
    )
    found = json.loads(out)

    assert [row["metric"] for row in found] == ["bleu", "gtm"]
    assert found[0]["signature"].endswith(f"|case:kept|tok:13a-metaeval{VERSION}|stem:none|nrefs:2")


def test_an_empty_reference_line_is_an_empty_reference(files, capsys):
    # Segment 2 of r2 is empty (0 tokens), r1 has 2; the empty candidate is closest to the empty one.
    out = output(
        capsys, "-m", "bleu", "-c", "c.txt", "-r", "refs", "--level", "segment", "--statistics", "--format", "tsv"
    )
    assert [row["reference_length"] for row in table(out)] == ["6", "0", "2"]


def test_treatments(files, capsys):
    arguments = ["-m", "gtm", "-c", "d.txt", "-r", "refs/r2.txt", "--format", "tsv", "--level", "segment"]
    plain, lower, stemmed = (
        [float(row["score"]) for row in table(output(capsys, *arguments, *options))]
        for options in ([], ["--lowercase"], ["--stem", "porter"])
    )
    # "Raining it is" and "It rains today": nothing in common, then "it", then "it" and "rain".
    assert [plain[2], lower[2], stemmed[2]] == pytest.approx([0, 1 / 3, 2 / 3], abs=1e-12)
    assert "tok:intl-sacrebleu" in output(capsys, *arguments, "--tokenize", "intl", "--signature")


def test_one_default_everywhere_that_the_output_names(files, capsys):
    # 13a separates the full stop, so that all words are those of the reference; at white space "mat." is another word.
    (files / "e.txt").write_text("The cat sat on the mat.\n")
    (files / "f.txt").write_text("The cat sat on the mat .\n")
    arguments = ["-m", "bleu(order=1)", "chrf", "-c", "e.txt", "-r", "f.txt"]
    named = {"13a": 'case(tokenizer="13a")', "none": "case"}
    for options, tokenizer, expected in (([], "13a", 1), (["--tokenize", "none"], "none", 5 / 6 * math.exp(-1 / 6))):
        bleu, chrf = table(output(capsys, *arguments, *options, "--format", "tsv"))
        assert (bleu["preprocessing"], float(bleu["score"])) == (named[tokenizer], pytest.approx(expected))
        # It reads the texts itself.
        assert (chrf["preprocessing"], float(chrf["score"])) == ("", 100)
        assert named[tokenizer] in output(capsys, *arguments, *options).splitlines()[0]
    (scored,) = metaeval.score("bleu(order=1)", ["The cat sat on the mat."], ["The cat sat on the mat ."])
    assert (scored.values[0, 0], scored.preprocessing) == (1, DEFAULT_PREPROCESSING)
    assert scored.to_frame()["preprocessing"].tolist() == [DEFAULT_PREPROCESSING]
    assert metaeval.grid("The mat.", "The mat .").f == 1
    defaults = {item.name: item.default for item in describe(Experiment)}
    assert defaults["preprocessing"] == (DEFAULT_PREPROCESSING,)
    assert signature(metaeval.compare).parameters["preprocessing"].default == DEFAULT_PREPROCESSING


def test_morgenroths_program(capsys):
    # Each effective reference length, and the lengths themselves.
    folder = gold("inputs/seg60")
    for row in rows("bleu_nist/seg60.bleu_brevity_variants.corpus.tsv"):
        if row["effective_ref_length"] not in ("closest", "shortest", "average") or row["hyp"] != "sys0":
            continue
        references = [str(folder / f"ref.{number}.txt") for number in row["refs"].split("+")]
        name = f'bleu(order={row["N"]},length="{row["effective_ref_length"]}")'
        arguments = ["-m", name, "-c", str(folder / "hyp.sys0.txt"), "-r", *references]
        (found,) = table(output(capsys, *arguments, "--tokenize", "none", "--statistics", "--format", "tsv"))
        assert float(row["BLEU_N"]) == pytest.approx(float(found["score"]), abs=1e-9)
        assert [float(row["cand_len"]), float(row["ref_len"])] == [
            float(found["candidate_length"]), float(found["reference_length"])
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["-m", "blue"], 2, "unknown metric 'blue'; did you mean 'bleu'?"),
        (["-m", "bleu", "bleu(order=4)"], 2, "are the same metric"),
        (["-m", "bleu", "--tokenize", "14a"], 2, "unknown tokenizer '14a'"),
        (["-m", "bleu", "-r", "short.txt"], 3, "short.txt: this reference has 1 line but must have 3, as c.txt"),
        (["-m", "bleu", "-c", "short.txt"], 3, "short.txt: this candidate has 1 line but must have 3, as c.txt"),
        (["-m", "bleu", "-r", "none.txt"], 3, "none.txt: is missing."),
        (["-m", "bleu", "-c", "refs"], 3, "refs: is a directory where a file must be."),
        (["-m", "bleu", "-r", "empty"], 3, "empty: holds no text file (.txt) with references."),
        (["-m", "bleu", "-c", "c.txt"], 3, "a file is named twice among c.txt, c.txt"),
        (["-m", "bleu", "-r", "latin.txt"], 3, "latin.txt:2: is not UTF-8: byte 0xe9 at offset 5"),
    ],
)
def test_errors_are_told_without_a_traceback(files, capsys, arguments, code, message):
    (files / "short.txt").write_text("x\n")
    (files / "latin.txt").write_bytes(b"one\nt\xe9\nx\n")
    (files / "empty").mkdir()
    assert main(["score", "-c", "c.txt", "-r", "refs/r1.txt", *arguments]) == code
    out, err = capsys.readouterr()

    assert out == ""
    assert message in err


def test_an_empty_text_is_refused(files, capsys):
    (files / "none.txt").write_text("")
    assert main(["score", "-m", "bleu", "-c", "none.txt", "-r", "none.txt"]) == 3
    assert "none.txt: is empty" in capsys.readouterr().err


def test_what_is_remarkable_in_the_files_is_told(files, capsys):
    (files / "bom.txt").write_text("\ufeffThe cat\nx\ny\n")
    assert main(["score", "-m", "bleu", "-c", "bom.txt", "-r", "refs"]) == 0
    err = capsys.readouterr().err

    assert "bom.txt:1: contains a byte order mark" in err
    assert "1 empty line of references: each is taken as an empty reference; in a corpus directory it would be" in err


def test_transposed_references_are_recognised(files, capsys):
    # A file for each segment with its two references, instead of a file for each reference.
    for number in range(3):
        (files / f"segment{number}.txt").write_text("one\ntwo\n")
    names = [f"segment{number}.txt" for number in range(3)]
    assert main(["score", "-m", "bleu", "-c", "c.txt", "-r", *names]) == 3
    assert "they are probably transposed" in capsys.readouterr().err


def test_one_reference_of_another_length_is_not_transposed(files, capsys):
    (files / "one.txt").write_text("The cat sat on the mat\n")
    assert main(["score", "-m", "bleu", "-c", "one.txt", "-r", "refs/r1.txt"]) == 3
    err = capsys.readouterr().err
    assert "transposed" not in err
    assert "r1.txt: this reference has 3 lines but must have 1, as one.txt" in err


def test_metrics_stand_side_by_side(files, capsys):
    assert main(["score", "-m", "bleu,ter", "-c", "c.txt", "-r", "refs"]) == 2
    assert "got 'bleu,ter'. Several names stand side by side: bleu ter." in capsys.readouterr().err


def test_an_unfinished_exact_search_is_told(files, capsys):
    (files / "x.txt").write_text(" ".join("ab"[(n * n) % 7 % 2] for n in range(60)) + "\n")
    (files / "y.txt").write_text(" ".join("ab"[(n * n * n) % 11 % 2] for n in range(60)) + "\n")
    metric = 'gtm(exponent=2,search="exact",time_limit=0)'
    assert main(["score", "-m", metric, "-c", "x.txt", "-r", "y.txt"]) == 0
    assert "did not finish for 1 segment(s)" in capsys.readouterr().err


@pytest.mark.parametrize("level", ["segment", "corpus"])
def test_a_stopped_search_for_shifts_is_told(files, capsys, level):
    # Two shifts lead from "b a" to "a b"; none is needed for the other segment.
    for name, text in (("x", "b a"), ("z", "b a"), ("y", "a b")):
        (files / f"{name}.txt").write_text(f"{text}\na\n")
    for choices, told in ((1, True), (2, False)):
        metric = f"ter(shift_choices={choices})"
        assert main(["score", "-m", metric, "-c", "x.txt", "z.txt", "-r", "y.txt", "--level", level]) == 0
        message = f"{metric}: the search met more electable shifts than the limit in 2 segment(s)"
        assert (message in capsys.readouterr().err) == told


def test_python():
    bleu, gtm = metaeval.score(
        ["bleu(order=1)", "gtm"], {"mine": ["a b c d", "x"]}, {"r": ["a b x d", "x"]}, level="segment"
    )

    assert bleu.values.tolist() == [[0.75, 1.0]]
    assert gtm.statistics.tolist() == [[[3, 4, 4], [1, 1, 1]]]
    (one,) = metaeval.score("gtm", {"mine": ["a"]}, {"r": ["a"]})
    assert one.metric == "gtm"
    with pytest.raises(metaeval.UsageError, match="must be a list with one text for each segment; got 'a b'"):
        metaeval.score(["bleu"], {"mine": "a b"}, {"r": ["a", "b", "c"]})
    half = b"caf\xe9".decode(errors="surrogateescape")
    for kind, texts in (("candidates", ({"mine": ["a", half]}, {"r": ["a", "b"]})),
                        ("references", ({"mine": ["a", "b"]}, {"mine": ["a", half]}))):  # fmt: skip
        with pytest.raises(
            metaeval.UsageError, match=rf"`{kind}\['mine'\]`, segment 2: has a lone surrogate, .* not UTF-8"
        ):
            metaeval.score(["bleu"], *texts)
    with pytest.raises(metaeval.UsageError, match="segment 1 has no reference"):
        metaeval.score(["bleu"], {"mine": ["a"]}, {"r": [None]})
    with pytest.raises(metaeval.UsageError, match="equally many segments"):
        metaeval.score(["bleu"], {"mine": ["a"]}, {"r": ["a", "b"]})
    with pytest.raises(metaeval.UsageError, match="`level` must be segment or corpus"):
        metaeval.score(["bleu"], {"mine": ["a"]}, {"r": ["a"]}, level="document")


def test_scoring_does_not_wait_for_what_it_does_not_need(tmp_path):
    (tmp_path / "c.txt").write_text("a b c d\n")
    code = (
        "import sys; from metaeval.cli import main\n"
        "main(['score', '-m', 'bleu', '-c', 'c.txt', '-r', 'c.txt'])\n"
        "packages = {'scipy', 'pandas', 'matplotlib', 'joblib', 'sacrebleu'}\n"
        "ours = {'metaeval.results.rows', 'metaeval.experiment.measure'}\n"
        "print(sorted((packages | ours) & set(sys.modules)))"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.endswith("\n[]\n")
