"""Names that stand for several metrics: patterns, directories, runs, and tables of `score --output`."""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import metaeval
from metaeval import api
from metaeval.cli import main
from metaeval.datamodel.annotations import GivenScores
from metaeval.errors import CorpusError, UsageError
from metaeval.metrics import get_metric
from metaeval.metrics.naming import short_call, short_name
from metaeval.metrics.selection import expanded, named_metrics
from metaeval.parameters.calls import Call, parse_call
from metaeval.runtime.files import shipped
from tests.support.gold import of_others
from tests.support.score_files import FULL, SCORES, corpus, measured, table, write

QUICK = {"uncertainty": {"method": "none"}, "tests": []}


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def names_of(*names: str, made: object = None) -> list[str]:
    found, _ = expanded(made or corpus(), named_metrics(names))
    assert [one.written for one in named_metrics([one.written for one in found])] == [one.written for one in found]
    assert all(get_metric(one.written) == one.kind for one in found)  # what is shown can be typed
    return [one.written for one in found]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(["scores", "precomputed"]),
    st.text(min_size=1) | st.sampled_from(["a (1)", "a(b", "x(metric='y')", "*"]),
    st.dictionaries(st.sampled_from(["metric", "system"]), st.text() | st.booleans() | st.lists(st.text(), max_size=2)),
)
def test_what_is_told_to_type_means_what_it_should(kind, first, arguments):
    text = short_name(kind, first, arguments)
    call = Call(kind, {{"scores": "file", "precomputed": "name"}[kind]: first, **arguments}, "")
    assert (short_call(text) or parse_call(text)) == call


def scores_of(
    name: str, level: str = "segment", origin: str = "metric", systems: tuple[str, ...] = ("A", "B")
) -> GivenScores:
    units = {"segment": ("d1", "d2", "d3"), "system": (), "document": ("p",)}[level]
    return GivenScores.of(name, origin, level, systems, units, np.ones((len(systems), len(units) or 1)))


WITH = corpus(
    scores=(
        scores_of("BLEU"),
        scores_of("BLEU", "system"),
        scores_of("BLEU-refA", "system"),
        scores_of("odd (1)"),
        scores_of("mqm", "system", "human"),
        scores_of("ofdocs", "document"),
        scores_of("half", "system", systems=("A", "refA")),
    )
)


def test_a_pattern_stands_for_the_metrics_that_came_with_the_corpus():
    assert names_of("precomputed:*", made=WITH) == [
        "precomputed:BLEU",
        "precomputed:BLEU-refA",
        'precomputed(name="odd (1)")',
    ]
    assert names_of("precomputed:BLEU*", "bleu", made=WITH) == ["precomputed:BLEU", "precomputed:BLEU-refA", "bleu"]
    # What is named by itself is not named again.
    assert names_of("precomputed:*LEU", "precomputed:BLEU", made=WITH) == ["precomputed:BLEU"]
    _, notes = expanded(WITH, named_metrics(["precomputed:*LEU", "precomputed:BLEU"]))
    assert notes[0].startswith("precomputed:*LEU: precomputed:BLEU is named already")
    (_, notes) = expanded(WITH, named_metrics(["precomputed:*"]))
    assert notes == [
        "precomputed:*: scores of documents alone, or of fewer than 2 systems, are left out: 'ofdocs', 'half'."
    ]
    low = names_of('precomputed:BLEU*(system="mean",higher_is_better=False)', made=WITH)
    assert low[1] == 'precomputed:BLEU-refA(higher_is_better=False,system="mean")'


def test_a_name_with_a_star_is_itself():
    assert names_of("precomputed:*BLEU", made=corpus(scores=(scores_of("*BLEU"), scores_of("xBLEU")))) == [
        "precomputed:*BLEU"
    ]


def test_a_pattern_that_fits_nothing():
    with pytest.raises(
        UsageError, match=r"precomputed:X\*: corpus 'texts' came with no scores .* it has 'BLEU', 'BLEU-r"
    ):
        names_of("bleu", "precomputed:X*", made=WITH)
    with pytest.raises(
        UsageError, match=r"precomputed:\*: corpus 'texts' came with no scores .* it has none\. Scores in"
    ):
        names_of("precomputed:*")
    # Of several corpora, one may have none, where there are other metrics.
    found, notes = expanded(corpus(), named_metrics(["bleu", "precomputed:*"]), several=True)
    assert ([one.written for one in found], len(notes)) == (["bleu"], 1)


def test_files_of_a_directory_that_are_not_called_after_systems_are_metrics():
    os.makedirs("d/COMET")
    write("d/mine.tsv", table(FULL))
    write("d/yours.tsv", table(FULL[::-1]))
    write("d/.hidden", "")
    write("d/two.tsv", table([(name, *row) for name in ("X", "ter") for row in FULL], "metric system segment score"))
    for name, row in zip("AB", SCORES, strict=True):
        write(f"d/COMET/{name}.txt", "\n".join(map(str, row)))
    write("d/COMET/README", "")
    assert names_of("scores:d") == [
        "scores:d/COMET",
        "scores:d/mine.tsv",
        'scores:d/two.tsv(metric="X")',
        # A metric of ours of which a low score is good.
        'scores:d/two.tsv(higher_is_better=False,metric="ter")',
        "scores:d/yours.tsv",
    ]
    _, notes = expanded(corpus(), named_metrics(["scores:d"]))
    assert notes == ["scores:d: d/COMET: files that are not called after a system are left out: 'README'."]
    np.testing.assert_array_equal(measured("scores:d/COMET"), SCORES)
    assert "counts errors" in get_metric('scores:d/two.tsv(metric="ter")').notes(corpus())[0]
    write("d/notes.md", "some words\n")
    with pytest.raises(CorpusError, match=r"d/notes.md:1: must begin with a header"):
        names_of("scores:d")


def test_all_metrics_of_a_file():
    write(
        "f.tsv", table([(name, *row) for name in ("X1", "X2", "Y(a=1)") for row in FULL], "metric system segment score")
    )
    assert names_of('scores:f.tsv(metric="X*")') == ['scores:f.tsv(metric="X1")', 'scores:f.tsv(metric="X2")']
    assert names_of('scores:f.tsv(metric="Y*")') == ['scores:f.tsv(metric="Y(a=1)")']
    with pytest.raises(UsageError, match=r"f.tsv: has no metric 'Z\*'; it has 'X1', 'X2', 'Y\(a=1\)'"):
        names_of('scores:f.tsv(metric="Z*")')


DEMO = api.load_corpus("demo")


@pytest.mark.parametrize("use", ["compare", "correlate", "agreement", "score", "config"])
def test_patterns_wherever_metrics_are_named(use, capsys):
    named = [one.name for one in DEMO.scores if one.name.startswith("adequacy")]
    expected = {f"precomputed:{name}" for name in named}
    pattern = "precomputed:adequacy*"
    if use == "config":
        write("c.toml", f'title = "t"\ncorpora = ["demo"]\nmetrics = ["{pattern}"]\n[documents]\nkind = "all"\n')
        found = set(api.run("c.toml", output="out").correlations["metric"])
    elif use == "correlate":
        found = set(api.correlate("demo", pattern, **QUICK).correlations["metric"])
    elif use == "compare":
        assert main(["compare", "--corpus", "demo", "-m", pattern, "--criterion", "adequacy", "--quiet"]) == 0
        found = {
            f"precomputed:{name}" for name in re.findall(r"^(adequacy-\S+)", capsys.readouterr().out, re.MULTILINE)
        }
    elif use == "agreement":
        found = set(api.agreement("demo", metrics=pattern, criteria="adequacy").to_frame("metrics")["metric"])
    else:
        found = {one.metric for one in metaeval.score(pattern, DEMO)}
    assert found == expected


def coefficients(metrics: list[str], kind: str) -> np.ndarray:
    found = api.correlate("demo", metrics, documents={"kind": kind}, **QUICK).correlations
    return found.pivot(index="metric", columns=["criterion", "coefficient"], values="mean").loc[metrics].to_numpy()


def test_written_scores_are_read_back_to_the_last_bit(capsys):
    ours = ["bleu", "gtm(exponent=2)", "precomputed:fluency-0.55"]
    assert main(["score", "--corpus", "demo", "-m", *ours, "--output", "s.tsv"]) == 0
    assert """'scores:s.tsv(metric="*")'""" in capsys.readouterr().err
    with open("s.tsv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert list(rows[0]) == ["metric", "system", "document", "segment", "score"]
    # 8 systems by themselves, and 120 segments of each, of three metrics.
    assert Counter(row["segment"] == "" for row in rows) == {True: 3 * 8, False: 3 * 8 * 120}
    theirs = names_of('scores:s.tsv(metric="*")', made=DEMO)
    assert theirs[0] == 'scores:s.tsv(metric="bleu")'
    assert len(theirs) == len(ours)
    for kind in ("all", "segments"):
        np.testing.assert_array_equal(coefficients(theirs, kind), coefficients(ours, kind), err_msg=kind)


def test_the_scores_of_a_run_are_read_back():
    ours = ["bleu", "ter"]
    settings = 'documents = { kind = "segments" }\nuncertainty = { method = "none" }\ntests = []\n'
    write("c.toml", f'title = "t"\ncorpora = ["demo"]\nmetrics = {json.dumps(ours)}\n{settings}')
    api.run("c.toml", output="runs/mine")
    theirs = names_of("scores:runs/mine", made=DEMO)
    assert theirs == [
        'scores:runs/mine/scores.tsv(metric="bleu")',
        'scores:runs/mine/scores.tsv(higher_is_better=False,metric="ter")',
    ]
    for kind in ("all", "segments"):
        # A run has them before they are settled, for people.
        np.testing.assert_allclose(coefficients(theirs, kind), coefficients(ours, kind), rtol=1e-11, err_msg=kind)
    assert names_of('scores:runs/mine(metric="bleu")', made=DEMO) == theirs[:1]
    # With another preprocessing there are two scores of each segment.
    write(
        "c.toml", f'title = "t"\ncorpora = ["demo"]\nmetrics = ["wer"]\npreprocessing = ["case", "nocase"]\n{settings}'
    )
    api.run("c.toml", output="runs/two")
    with pytest.raises(
        UsageError, match=r"several values of 'preprocessing', 'case', 'nocase'; type scores:.*\(.*only="
    ):
        measured('scores:runs/two/scores.tsv(metric="wer")', DEMO)


def test_output_goes_with_a_corpus(capsys):
    write("a.txt", "x\n")
    assert main(["score", "-m", "bleu", "-c", "a.txt", "-r", "a.txt", "--output", "s.tsv"]) == 2
    assert "`output` belongs to `corpus`" in capsys.readouterr().err
    assert main(["score", "-m", "bleu", "--corpus", "demo", "-c", "a.txt", "--output", "s.tsv"]) == 2
    assert "`candidates` are files and `corpus` has systems of its own" in capsys.readouterr().err
    assert main(["score", "-m", "bleu", "--corpus", "demo", "--output", "no/s.tsv"]) == 2
    assert "`output` must be a file in a directory that exists; got 'no/s.tsv'" in capsys.readouterr().err
    assert not Path("s.tsv").exists()


# The task of 2020: what the metrics sent, with a line for every segment of each document.


@pytest.mark.parametrize(("pair", "metric"), [("km-en", "chrF"), ("de-en", "TER"), ("ru-en", "YiSi-2")])
def test_submissions_of_wmt20(pair, metric):
    folder = of_others("corpora/wmt20-to-english")
    made = {name: api.load_corpus(folder / name) for name in dict.fromkeys((pair, "cs-en"))}
    segments, systems = [], []
    for name, one in made.items():
        within = Counter[str]()
        numbers = []
        for document in one.documents:
            within[document] += 1
            numbers.append((document, within[document]))
        for level, kept in (("segment", segments), ("system", systems)):
            (found,) = (other for other in one.scores if (other.name, other.level) == (metric, level))
            place = dict(zip(one.segment_ids, numbers, strict=True))
            for system, row in zip(found.systems, found.values, strict=True):
                head = f"{metric}\t{name}\tnewstest2020\tnewstest2020\t{system}"
                if level == "system":
                    kept.append(f"{head}\t{float(row[0])!r}")
                    continue
                kept += [
                    f"{head}\t{place[id_][0]}\t{place[id_][1]}\t{value!r}"
                    for id_, value in zip(found.units, row.tolist(), strict=True)
                    if not np.isnan(value)
                ]
    for name, kept in (("seg", segments), ("sys", systems)):
        with gzip.open(f"{metric}.{name}.score.gz", "wt", encoding="utf-8") as file:
            file.write("\n".join(kept) + "\n")
        theirs, ours = get_metric(f"scores:{metric}.{name}.score.gz"), get_metric(f"precomputed:{metric}")
        ours = ours.at_level(made[pair], whole=name == "sys")
        scores, notes = theirs.values(made[pair])
        np.testing.assert_array_equal(scores, ours.values(made[pair])[0])
        assert notes[0].endswith(f"of the column 'lp' the rows of '{pair}' fit the corpus, not 'cs-en'.")


def test_each_metric_counts_in_what_a_test_can_show():
    settings = {"uncertainty": {"method": "none", "n_resamples": 50}, "tests": [{"method": "bootstrap"}]}
    found = api.correlate("demo", "precomputed:*", criteria=["adequacy"], documents={"kind": "segments"}, **settings)
    # Six metrics came with the demo: 6 * 5 / 2 pairs.
    assert any("with 50 replicates and 15 pairs of metrics" in message for message in found.warnings)


def test_corpora_have_the_metrics_that_came_with_each():
    shutil.copytree(shipped("data") / "demo", "bare", ignore=shutil.ignore_patterns("metrics"))
    description = Path("bare/corpus.toml")
    description.write_text(description.read_text().replace('name = "demo"', 'name = "bare"', 1))
    found = api.correlate(["demo", "bare"], ["wer", "precomputed:fluency*"], **QUICK)
    metrics = found.correlations.groupby("corpus")["metric"].agg(set)
    assert metrics["bare"] == {"wer"}
    assert metrics["demo"] == {"wer", *(f"precomputed:fluency-{name}" for name in ("0.40-a", "0.40-b", "0.55"))}
    assert any(
        message.startswith("bare: precomputed:fluency*: corpus 'bare' came with no") for message in found.warnings
    )
    with pytest.raises(UsageError, match=r"corpus 'bare' came with no scores"):
        api.correlate("bare", ["wer", "precomputed:*"], **QUICK)
