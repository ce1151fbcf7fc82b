"""What is read of the files of `strangers`: all ratings that are in a file, or none and an error that says why."""

from __future__ import annotations

import csv
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from metaeval.corpora.read import read_sources
from metaeval.datamodel.corpus import Corpus
from tests.corpora.strangers import content
from tests.corpora.strangers.content import SYSTEMS, Truth
from tests.corpora.strangers.make import FILES, make

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytest.importorskip("xlsxwriter", reason="xlsxwriter is not installed")

NAMES = [file.name for file in FILES]
# What must be typed beside the file: the words of errors, or columns that nothing says.
TYPED = {
    "01_german.csv": 'table(decimal=",", columns=["text=Übersetzung", "source=Quelle"], reference_texts=["Referenz"])',
    "03_score_matrix.csv": 'table(systems=["gpt-5", "nllb-3.3b", "madlad-400", "opus-mt"])',
    "07b_qualtrics_text.csv": 'table(labels=["Very bad=1", "Bad=2", "Fair=3", "Good=4", "Very good=5"])',
}
# Words of an error of each file that is not read as it is.
REFUSED = {
    "01_german.csv": "Where decimals have a comma",
    "03_score_matrix.csv": "If each is of a system, type",
    "06_arena.jsonl": "holds preferences between two systems, in the columns 'model_a', 'model_b', 'winner'",
    "07b_qualtrics_text.csv": "Where these words stand for numbers",
    "10b_potato.jsonl": "If there are several judges, a column must name them",
    "14_cp1252.csv": "is not UTF-8",
    "19_best_worst.csv": "holds best-worst choices between 4 outputs",
    "20_wmt14_ranking.csv": "holds ranks of up to 5 systems",
    "28_limesurvey.csv": "whose names do not say of which segment and system they are, such as 'adequacy1[SQ001]'",
    "29_google_forms.csv": "whose names do not say of which segment and system they are",
    "32_alpaca_eval.json": "preferences between two systems, in the columns 'output_1', 'output_2', 'preference'",
    "33_mt_bench_human.parquet": "preferences between two systems, in the columns 'model_a', 'model_b', 'winner'",
}
# Ratings that a note says to be left: those of `raw` are those of `score` on another scale.
LEFT = {"37_comet_da.csv": ("raw", "has columns that are not used: 'raw'")}
# Criteria that a file calls otherwise than the format of the field, or that stand with their scale.
CRITERIA = {"11_wmt25.jsonl": "esa", "13_sheet_per_system.xlsx": "score"}


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> tuple[Path, dict[str, Truth]]:
    directory = tmp_path_factory.mktemp("strangers")
    return directory, make(directory)


def ratings_of(corpus: Corpus, truth: Truth, name: str) -> Counter[tuple[object, ...]]:
    """Return the ratings of a corpus as segment, system, judge, criterion and score, without what the file lacks.

    Segments are mentioned in their order in all files.
    """
    rows, judgments = corpus.judgments, corpus.judgments
    # Systems without names are numbered in the order of the file.
    systems = dict(zip(corpus.systems, SYSTEMS, strict=False)) if "system" in truth.missing else {}
    return Counter(
        (
            None if "segment" in truth.missing else int(segment) + 1,
            None if "segment" in truth.missing else systems.get(corpus.systems[system], corpus.systems[system]),
            None if "judge" in truth.missing else judgments.judges[judge],
            None if "criterion" in truth.missing else corpus.criteria[criterion].name.lower(),
            round(float(score), 6),
        )
        for segment, system, judge, criterion, score in zip(
            rows.segment, rows.system, rows.judge, rows.criterion, rows.score, strict=True
        )
    )


def ratings_in(truth: Truth, name: str) -> Counter[tuple[object, ...]]:
    return Counter(
        (
            None if "segment" in truth.missing else one.segment,
            None if "segment" in truth.missing else one.system,
            None if "judge" in truth.missing else one.judge,
            None if "criterion" in truth.missing else CRITERIA.get(name, one.criterion.lower()),
            round(float(one.score), 6),
        )
        for one in truth.ratings
        if one.criterion != LEFT.get(name, ("",))[0]
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_read_whole_or_refused(name, made):
    directory, truths = made
    corpus, problems = read_sources([directory / name], texts=False)
    told = "\n".join(map(str, problems.errors))
    assert (name in REFUSED) == (corpus is None), told
    if corpus is None:
        assert REFUSED[name] in told
        assert max(len(problem.message) for problem in problems.entries) < 1000
    else:
        assert not truths[name].comparisons
        if name in LEFT:
            assert LEFT[name][1] in "\n".join(map(str, problems.entries))
        assert ratings_of(corpus, truths[name], name) == ratings_in(truths[name], name)


@pytest.mark.parametrize("name", TYPED)
def test_what_errors_propose_reads_all(name, made):
    directory, truths = made
    corpus, problems = read_sources([directory / name], [TYPED[name]], texts=False)
    assert corpus is not None, problems.errors
    assert ratings_of(corpus, truths[name], name) == ratings_in(truths[name], name)


@pytest.mark.parametrize(
    ("name", "format_"),
    [
        ("28_limesurvey.csv", 'table(labels=["A1=1", "A2=2", "A3=3", "A4=4", "A5=5"])'),
        ("29_google_forms.csv", "table"),
    ],
)
def test_the_line_of_an_error_joins_a_survey_with_what_its_columns_are(name, format_, made, tmp_path, monkeypatch):
    directory, truths = made
    monkeypatch.chdir(tmp_path)
    shutil.copy(directory / name, name)
    _, problems = read_sources([Path(name)])
    (error,) = problems.errors
    assert len(error.message) < 600
    with Path(name).open(newline="", encoding="utf-8-sig") as file:
        columns = [column for column in next(csv.reader(file)) if "[" in column]
    (criterion,) = {one.criterion for one in truths[name].ratings}
    with Path("columns.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("column", "segment", "system", "criterion")])
        csv.writer(file).writerows(
            (column, *item, criterion) for column, item in zip(columns, content.items(), strict=True)
        )
    exec(error.message[error.message.index("import pandas") :], {})
    corpus, problems = read_sources([Path("long.csv")], [format_], texts=False)
    assert corpus is not None, problems.errors
    named = replace(truths[name], missing=())
    assert ratings_of(corpus, named, name) == ratings_in(named, name)


@pytest.mark.parametrize("file", [file for file in FILES if file.name in {"08_label_studio.json", "18_doccano.jsonl"}])
def test_marked_errors_are_read(file, made):
    directory, truths = made
    corpus, problems = read_sources([directory / file.name])
    assert corpus is not None, problems.errors
    spans, truth = corpus.spans, truths[file.name]
    assert spans is not None
    found = {
        (int(segment) + 1, spans.names[text], int(start), int(end))
        for segment, text, start, end in zip(spans.segment, spans.text, spans.start, spans.end, strict=True)
    }
    assert found == {(one.segment, one.system, one.start, one.end) for one in truth.spans}
    assert len(spans) == len(truth.spans)
    if "judge" not in truth.missing:
        assert set(spans.judges) == {one.judge for one in truth.spans}
    assert {severity.lower() for severity in spans.severities} == {"major"}
