"""Several outputs of a system for a segment."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from metaeval.corpora.read import read_sources

# Each system has two outputs for each of two segments, in runs 1 and 2.
ROWS = [(segment, system, run) for segment in ("s1", "s2") for system in ("GPT", "NLLB") for run in ("1", "2")]
SCORES = {row: float(3 * at % 8) for at, row in enumerate(ROWS)}


def table(path: Path, column: str = "run", text: str = "{system} {segment} {run}") -> Path:
    lines = [f"segment;system;{column};output;judge;adequacy"]
    lines += [
        f"{segment};{system};{run};{text.format(segment=segment, system=system, run=run)};ann;{SCORES[row]:g}"
        for row in ROWS
        for segment, system, run in [row]
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def found(path: Path, format_: str = ""):
    corpus, problems = read_sources([path], [format_] if format_ else ())
    return corpus, "\n".join(map(str, problems.entries))


def scores(corpus) -> dict[tuple[str, str], float]:
    of = corpus.judgments
    return {
        (corpus.segment_ids[segment], corpus.systems[system]): float(score)
        for segment, system, score in zip(of.segment, of.system, of.score, strict=True)
    }


@pytest.mark.parametrize("column", ["run", "sample_id", "Seed", "generation"])
def test_outputs_are_not_mixed_up(column, tmp_path):
    corpus, said = found(table(tmp_path / "x.csv", column))
    assert corpus is None
    assert "x.csv:3: is another output of 'GPT' for segment 's1' than line 2: 'GPT s1 2' and 'GPT s1 1'" in said
    formats = [shlex.split(option)[1] for option in re.findall(r"--source-format '[^']*'", said)]
    apart, one = (found(tmp_path / "x.csv", format_)[0] for format_ in formats)
    assert scores(apart) == {
        (segment, f"{system} #{run}"): SCORES[segment, system, run] for segment, system, run in ROWS
    }
    assert scores(one) == {(segment, system): SCORES[segment, system, "1"] for segment, system, run in ROWS}
    assert [one.name for one in apart.criteria] == ["adequacy"]


def test_another_sample_may_be_taken_and_must_be_there(tmp_path):
    corpus, said = found(table(tmp_path / "x.csv"), 'table(samples="2")')
    assert scores(corpus) == {(segment, system): SCORES[segment, system, "2"] for segment, system, run in ROWS}
    assert "left out: rows of other samples than '2' (4)" in said
    corpus, said = found(tmp_path / "x.csv", 'table(samples="3")')
    assert corpus is None
    assert "`samples`: unknown sample '3'. Known samples: '1', '2'" in said


def test_no_column_of_samples(tmp_path):
    corpus, said = found(table(tmp_path / "x.csv", "number"), 'table(samples="apart")')
    assert corpus is None
    assert "`samples`: no column tells several outputs apart" in said
