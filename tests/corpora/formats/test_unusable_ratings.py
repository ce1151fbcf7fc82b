"""Ratings, outputs and names that stand inside other values of a file, and what is not read."""

from __future__ import annotations

import datetime
import json
import re
from collections import Counter
from decimal import Decimal

import pytest

import metaeval
from metaeval.cli import main
from metaeval.corpora.read import read_sources
from metaeval.errors import CorpusError
from tests.support.reports import told

SYSTEMS = ("A", "B")
TEXTS = {"A": ("one a", "two a", "three a"), "B": ("one b", "two b", "three b")}
SOURCES = ("eins", "zwei", "drei")
ADEQUACY = {"A": (5, 4, 3), "B": (2, 1, 2)}
FLUENCY = {"A": (4, 4, 5), "B": (3, 2, 2)}
ITEMS = [(n, system) for n in range(3) for system in SYSTEMS]
# Segment, system, criterion and score of each judgment.
BOTH = {(n, s, c, of[s][n]) for n, s in ITEMS for c, of in (("adequacy", ADEQUACY), ("fluency", FLUENCY))}
ONE = {one for one in BOTH if one[2] == "adequacy"}


def row(n, system, **more):
    return {"segment": f"s{n}", "system": system, "output": TEXTS[system][n], "judge": "ann"} | more


def nested(make):
    return [row(n, system, **make(ADEQUACY[system][n], FLUENCY[system][n])) for n, system in ITEMS]


def by_list(**lists):
    return [
        {"segment": f"s{n}", "source": SOURCES[n]} | {name: [of[s][n] for s in SYSTEMS] for name, of in lists.items()}
        for n in range(3)
    ]


def write_json(path, rows):
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")


def write_csv(path, rows):
    import pandas as pd

    pd.DataFrame(rows).to_csv(path, index=False)


def write_parquet(path, rows):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    import pandas as pd

    pd.DataFrame(rows).to_parquet(path)


def as_json(rows, name):
    return [{**one, name: json.dumps(one[name])} for one in rows]


def judgments(corpus, *, names=None, rename=None):
    """Return segment, system, criterion and score of each judgment, with systems and criteria by other names."""
    found = corpus.judgments
    systems = names or {name: name for name in corpus.systems}
    return {
        (
            int(found.segment[at]),
            systems[corpus.systems[found.system[at]]],
            (rename or {}).get(one := corpus.criteria[found.criterion[at]].name, one),
            float(found.score[at]),
        )
        for at in range(len(found))
    }


def typed(problems):
    """Return the formats that a note says are the same in words."""
    (line,) = [one for one in told(problems, "note").split("\n") if "The same in words" in one]
    return re.findall(r"--source-format '([^']*)'", line)


# File, rows, what the note must have, other names of criteria, judgments.
READ = [
    (
        "dict.jsonl",
        nested(lambda a, f: {"scores": {"adequacy": a, "fluency": f}}),
        ["'adequacy', 'fluency' = keys of 'scores'"],
        {},
        BOTH,
    ),
    (
        "deep.jsonl",
        nested(lambda a, f: {"evaluation": {"result": {"score": a}, "explanation": "Good, but"}}),
        ["'score' = keys of 'evaluation'"],
        {"score": "adequacy"},
        ONE,
    ),
    (
        "no_name_that_is_known.jsonl",
        nested(lambda a, f: {"Urteil": {"Güte": a}}),
        ["'Güte' = keys of 'Urteil'"],
        {"Güte": "adequacy"},
        ONE,
    ),
    (
        "one_of_a_list.jsonl",
        nested(lambda a, f: {"quality": [{"rating": a}]}),
        ["criterion 'quality' = column 'quality'"],
        {"quality": "adequacy"},
        ONE,
    ),
    (
        "label_studio.csv",
        as_json(nested(lambda a, f: {"quality": [{"rating": a}], "created_at": "2026-01-01T10:00"}), "quality"),
        ["criterion 'quality' = column 'quality'"],
        {"quality": "adequacy"},
        ONE,
    ),
    (
        "as_python_writes_it.csv",
        nested(lambda a, f: {"scores": {"adequacy": a, "fluency": f}}),
        ["'adequacy', 'fluency' = keys of 'scores'"],
        {},
        BOTH,
    ),
    (
        "semicolons.tsv",
        as_json(nested(lambda a, f: {"quality": {"adequacy": a, "fluency": f}}), "quality"),
        ["'adequacy', 'fluency' = keys of 'quality'"],
        {},
        BOTH,
    ),
    (
        "lists.jsonl",
        by_list(machine_summaries=TEXTS, adequacy=ADEQUACY, fluency=FLUENCY),
        ["rows of several systems, called by their places, in the lists 'machine_summaries', 'adequacy', 'fluency'"],
        {},
        BOTH,
    ),
    (
        "objects_by_system.jsonl",
        [
            {"segment": f"s{n}", "source": SOURCES[n]}
            | {name: {s: of[s][n] for s in SYSTEMS} for name, of in (("outputs", TEXTS), ("adequacy", ADEQUACY))}
            for n in range(3)
        ],
        ["rows of several systems, called by their places, in the lists 'outputs', 'adequacy'"],
        {},
        ONE,
    ),
    (
        "struct.parquet",
        nested(lambda a, f: {"scores": {"adequacy": a, "fluency": f}}),
        ["'adequacy', 'fluency' = keys of 'scores'"],
        {},
        BOTH,
    ),
    (
        "one_hot.jsonl",
        nested(lambda a, f: {"label_annotations": {"adequacy": {str(a): "true"}}}),
        ["'adequacy' = keys of 'label_annotations'"],
        {},
        ONE,
    ),
]


@pytest.mark.parametrize(("file", "rows", "says", "rename", "expected"), READ, ids=[one[0] for one in READ])
def test_ratings_inside_values_are_read_and_can_be_typed(file, rows, says, rename, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path, suffix = tmp_path / file, file.rpartition(".")[2]
    if suffix == "tsv":
        import pandas as pd

        pd.DataFrame(rows).to_csv(path, index=False, sep=";")
    else:
        {"jsonl": write_json, "csv": write_csv, "parquet": write_parquet}[suffix](path, rows)
    corpus, problems = read_sources([path.relative_to(tmp_path)])
    assert corpus is not None, told(problems, "error")
    for words in says:
        assert words in told(problems, "note")
    # Where lists name no systems, these are numbered.
    names = dict(zip(("1", "2"), SYSTEMS, strict=True)) if "1" in corpus.systems else None
    for one in (corpus, read_sources([path.relative_to(tmp_path)], typed(problems))[0]):
        assert judgments(one, names=names, rename=rename) == {(n, s, c, float(score)) for n, s, c, score in expected}
        assert [list(texts) for texts in one.candidates] == [list(TEXTS[s]) for s in SYSTEMS]


def test_several_ratings_of_an_item_in_a_list_are_of_several_judges(tmp_path):
    rows = [row(n, s, ratings=[ADEQUACY[s][n], FLUENCY[s][n]]) for n, s in ITEMS]
    write_json(tmp_path / "x.jsonl", [{key: one[key] for key in one if key != "judge"} for one in rows])
    corpus, problems = read_sources([tmp_path / "x.jsonl"])
    assert "rows of several judges, called by their places, in the lists 'ratings'" in told(problems, "note")
    assert corpus.judgments.judges == ("1", "2")
    first = corpus.judgments.score[corpus.judgments.judge == 0].tolist()
    assert sorted(first) == sorted(float(score) for of in ADEQUACY.values() for score in of)


def test_several_ratings_by_one_judge_are_refused(tmp_path):
    write_json(tmp_path / "x.jsonl", [row(n, s, ratings=[ADEQUACY[s][n], FLUENCY[s][n]]) for n, s in ITEMS])
    corpus, problems = read_sources([tmp_path / "x.jsonl"])
    assert corpus is None
    assert "x.jsonl:1: column 'ratings' holds ratings inside its values: [5, 4]." in told(problems, "error")


def test_objects_that_name_their_judges(tmp_path):
    rows = [
        {"segment": f"s{n}", "system": s, "output": TEXTS[s][n]}
        | {"annotations": [{"annotator": "ann", "score": ADEQUACY[s][n]}, {"annotator": "ben", "score": FLUENCY[s][n]}]}
        for n, s in ITEMS
    ]
    write_json(tmp_path / "x.jsonl", rows)
    corpus, problems = read_sources([tmp_path / "x.jsonl"])
    again, _ = read_sources([tmp_path / "x.jsonl"], typed(problems))
    for one in (corpus, again):
        found = one.judgments
        assert {
            (found.judges[found.judge[at]], one.systems[found.system[at]], int(found.segment[at]), found.score[at])
            for at in range(len(found))
        } == {(judge, s, n, float(of[s][n])) for judge, of in (("ann", ADEQUACY), ("ben", FLUENCY)) for n, s in ITEMS}


def test_lists_of_one_row_must_be_equally_long(tmp_path):
    rows = by_list(machine_summaries=TEXTS, adequacy=ADEQUACY)
    rows[1]["adequacy"].append(3)
    write_json(tmp_path / "x.jsonl", rows)
    _, problems = read_sources([tmp_path / "x.jsonl"], ['table(lists=["machine_summaries","adequacy"])'])
    assert "x.jsonl:2: the lists of one row must be equally long" in told(problems, "error")
    assert "'machine_summaries' has 2, 'adequacy' has 3" in told(problems, "error")


def test_spans_with_labels_are_errors_and_no_ratings(tmp_path):
    rows = [
        {"id": at, "text": TEXTS[s][n], "meta": {"system": s, "segment": n, "source": SOURCES[n]}}
        | {"label": [[0, 2, "Major/Accuracy"]] * (5 - ADEQUACY[s][n])}
        for at, (n, s) in enumerate(ITEMS)
    ]
    write_json(tmp_path / "doccano.jsonl", rows)
    corpus, problems = read_sources([tmp_path / "doccano.jsonl"])
    assert corpus is not None, told(problems, "error")
    assert corpus.criteria == ()
    # Each point of five that a text lacks is one of the marked errors.
    assert Counter(corpus.spans.names[text] for text in corpus.spans.text) == {
        system: sum(5 - score for score in of) for system, of in ADEQUACY.items()
    }
    assert (corpus.spans.severities, corpus.spans.categories) == (("Major",), ("Accuracy",))


def test_systems_that_are_named_inside_values(tmp_path):
    rows = [{"id": at, "text": TEXTS[s][n], "score": 1, "meta": {"model": s}} for at, (n, s) in enumerate(ITEMS)]
    write_json(tmp_path / "x.jsonl", rows)
    corpus, problems = read_sources([tmp_path / "x.jsonl"])
    assert corpus.systems == SYSTEMS
    assert "'model' = keys of 'meta'" in told(problems, "note")
    assert '"system=model"' in told(problems, "note")


WITHOUT_RATINGS = [
    ("annotation_id", [17, 3, 9]),
    ("ids", [{"hit": "a1"}, {"hit": "b2"}, {"hit": "c3"}]),
    ("comment", ["too long", "[sic]", ""]),
    ("comments", [["too long"], [], ["odd", "fine"]]),
    ("annotation_comments", [{"ann": "good"}, {"ann": "bad"}, {"ann": "good"}]),
    ("created_at", ["2026-01-01T10:00:00Z"] * 3),
    ("timestamps", [[1, 9], [2, 8], [3, 7]]),
    ("url", ["https://example.org/1", "https://example.org/2", "https://example.org/3"]),
    ("links", [{"url": "https://example.org/1"}] * 3),
    ("tags", [["news", "sport"], ["news"], []]),
    ("metadata", [{"length": 3, "temperature": 0.7}, {"length": 4, "temperature": 0.3}, {"length": 2}]),
    ("embedding", [[0.1, -0.2], [0.3, 0.1], [0.5, 0.7]]),
    ("hidden", [[0.01 * at * n for at in range(100)] for n in range(3)]),
    ("token_ids", [[5, 17], [5, 3, 9], [4]]),
    ("spans", [[[0, 2]], [[1, 5]], []]),
    ("annotators", [["u1", "u2"], ["u1", "u3"], ["u2", "u3"]]),
    ("style", ["formal", "formal", "plain"]),
    ("quality_comment", ["good", "good", "poor"]),
    ("dataset", ["news", "news", "talks"]),
    ("evaluation_set", ["news", "news", "talks"]),
    ("correction", ["one", "two words that stand here in place of what the system wrote, and more", "three"]),
]


@pytest.mark.parametrize(("name", "values"), WITHOUT_RATINGS)
def test_columns_without_ratings_are_a_note(name, values, tmp_path):
    write_json(tmp_path / "x.jsonl", [row(n, "A", **{name: value}) for n, value in enumerate(values)])
    corpus, problems = read_sources([tmp_path / "x.jsonl"])
    assert corpus is not None, told(problems, "error")
    assert corpus.criteria == ()
    assert f"has columns that are not used: '{name}'" in told(problems, "note")


def test_columns_without_ratings_beside_scores_are_a_note(tmp_path):
    columns = dict(WITHOUT_RATINGS)
    rows = [row(n, "A", score=3, **{name: values[n] for name, values in columns.items()}) for n in range(3)]
    write_json(tmp_path / "x.jsonl", rows)
    corpus, problems = read_sources([tmp_path / "x.jsonl"])
    assert corpus is not None, told(problems, "error")
    assert [one.name for one in corpus.criteria] == ["score"]
    # Of the names twelve are told.
    assert f" and {len(columns) - 12} more." in told(problems, "note").partition("has columns that are not used: ")[2]


def test_numbers_beside_scores_that_nobody_calls_ratings_are_a_note(tmp_path):
    rows = nested(lambda a, f: {"score": a, "seconds": {"reading": f}, "errors": [{"start": 0, "severity": "minor"}]})
    write_json(tmp_path / "x.jsonl", rows)
    corpus, problems = read_sources([tmp_path / "x.jsonl"])
    assert judgments(corpus) == {(n, s, "score", float(score)) for n, s, _, score in ONE}
    assert "has columns that are not used: 'seconds', 'errors'" in told(problems, "note")


@pytest.mark.parametrize("format_", ["", 'table(columns=["score=NAME"])', 'table(criteria=["NAME"])'])
@pytest.mark.parametrize(("name", "suffix"), [("score", "jsonl"), ("score", "csv"), ("points", "jsonl")])
def test_a_column_of_scores_may_hold_them_inside_its_values(name, format_, suffix, tmp_path):
    rows = nested(lambda a, f: {name: [{"stars": a}]})
    path = tmp_path / f"x.{suffix}"
    {"jsonl": write_json, "csv": write_csv}[suffix](path, rows if suffix == "jsonl" else as_json(rows, name))
    corpus, problems = read_sources([path], [format_.replace("NAME", name)] if format_ else ())
    assert corpus is not None, told(problems, "error")
    assert sorted(corpus.judgments.score.tolist()) == [1, 2, 2, 3, 4, 5]


def test_ratings_inside_values_stand_beside_others(tmp_path):
    rows = nested(lambda a, f: {"score": a, "scores": {"fluency": f}})
    write_json(tmp_path / "x.jsonl", rows)
    corpus, _ = read_sources([tmp_path / "x.jsonl"])
    assert judgments(corpus, rename={"score": "adequacy"}) == {(n, s, c, float(score)) for n, s, c, score in BOTH}
    for format_ in ('table(criteria=["score"])', 'table(columns=["score=score"])'):
        corpus, _ = read_sources([tmp_path / "x.jsonl"], [format_])
        assert len(corpus.judgments) == len(ITEMS)


def test_words_in_a_column_that_is_called_as_a_criterion(tmp_path):
    words = {1: "poor", 2: "poor", 3: "fair", 4: "good", 5: "good"}
    write_csv(tmp_path / "x.csv", nested(lambda a, f: {"adequacy": words[a]}))
    corpus, problems = read_sources([tmp_path / "x.csv"])
    assert corpus is None
    said = told(problems, "error")
    assert "x.csv:2: column 'adequacy' seems to hold ratings, but a rating must be a number; got 'good'." in said
    (typed,) = re.findall(r"--source-format '([^']*)'", said)
    typed = typed.replace("good=?", "good=3").replace("fair=?", "fair=2").replace("poor=?", "poor=1")
    corpus, _ = read_sources([tmp_path / "x.csv"], [typed])
    # good 3, fair 2, poor 1, for the ratings 5, 4, 3, 2, 1, 2
    assert sorted(corpus.judgments.score.tolist()) == [1, 1, 1, 2, 3, 3]


def test_numbers_of_json_that_come_late_or_as_text_are_read(tmp_path):
    rows = [row(0, "A", adequacy=None), row(1, "A", adequacy=3), row(2, "A", adequacy="4")]
    write_json(tmp_path / "x.jsonl", rows)
    corpus, problems = read_sources([tmp_path / "x.jsonl"])
    assert judgments(corpus) == {(1, "A", "adequacy", 3.0), (2, "A", "adequacy", 4.0)}
    assert "has 1 missing score, in line 1." in told(problems, "note")


def test_numbers_that_parquet_has_as_text_or_decimals_are_read(tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table(
        {
            "segment": ["s0", "s1"],
            "system": ["A", "A"],
            "text": ["one", "two"],
            "adequacy": ["3", "4"],
            "fluency": pyarrow.array([Decimal("2.00"), Decimal("5.00")]),
            "day": [datetime.date(2026, 1, 1)] * 2,
        }
    )
    parquet.write_table(table, tmp_path / "x.parquet")
    corpus, problems = read_sources([tmp_path / "x.parquet"])
    assert judgments(corpus) == {
        (0, "A", "adequacy", 3.0),
        (1, "A", "adequacy", 4.0),
        (0, "A", "fluency", 2.0),
        (1, "A", "fluency", 5.0),
    }
    assert "has columns that are not used: 'day'" in told(problems, "note")


def test_an_article_beside_a_summary_is_not_taken_for_the_output(tmp_path):
    rows = [{"id": n, "text": f"a long article {n}", "summary": f"short {n}", "score": n} for n in range(3)]
    write_json(tmp_path / "x.jsonl", rows)
    _, problems = read_sources([tmp_path / "x.jsonl"])
    assert "x.jsonl:1: may have the text in the columns 'text', 'summary'. Say which is meant" in told(
        problems, "error"
    )
    corpus, _ = read_sources([tmp_path / "x.jsonl"], ['table(columns=["text=summary","source=text"])'])
    assert corpus.candidates == (("short 0", "short 1", "short 2"),)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (
            [
                {"id": f"s{n}", "system": s, "output": TEXTS[s][n], "evaluation": {"score": ADEQUACY[s][n]}}
                for n, s in ITEMS
            ],
            {"score": "adequacy"},
        ),
        (
            {"data": [row(n, s, adequacy=ADEQUACY[s][n]) for n, s in ITEMS]},
            {},
        ),
        (
            {s: {f"s{n}": {"output": TEXTS[s][n], "adequacy": ADEQUACY[s][n]} for n in range(3)} for s in SYSTEMS},
            {},
        ),
    ],
    ids=["list", "list under a key", "by system and segment"],
)
def test_json_that_is_not_json_lines(value, expected, tmp_path):
    (tmp_path / "x.json").write_text(json.dumps(value, indent=1))
    corpus, problems = read_sources([tmp_path / "x.json"])
    assert corpus is not None, told(problems, "error")
    assert judgments(corpus, rename=expected) == {(n, s, c, float(score)) for n, s, c, score in ONE}


def test_json_that_is_broken(tmp_path):
    (tmp_path / "x.json").write_text('[{"a": 1')
    _, problems = read_sources([tmp_path / "x.json"])
    assert "x.json: is not valid JSON: Expecting ',' delimiter: line 1 column 9" in told(problems, "error")


def test_a_row_of_json_that_is_wrong_is_named_by_its_line(tmp_path):
    rows = [row(n, s, adequacy=ADEQUACY[s][n]) for n, s in ITEMS]
    rows[1]["adequacy"] = "good"
    (tmp_path / "x.json").write_text(json.dumps(rows, indent=1))
    _, problems = read_sources([tmp_path / "x.json"])
    # A line for the list, seven for the first object, and the second begins in the ninth.
    assert "x.json:9: the score must be a finite number; got 'good'" in told(problems, "error")


@pytest.mark.parametrize("value", [{"a": 1}, [1, 2], "text", 3, None, [], {}, {"a": [1], "b": {"c": 2}}])
def test_json_without_a_table(value, tmp_path):
    (tmp_path / "x.json").write_text(json.dumps(value))
    corpus, problems = read_sources([tmp_path / "x.json"])
    assert corpus is None
    assert "x.json: is JSON without a table in it." in told(problems, "error")


class TestSheets:
    @pytest.fixture(autouse=True)
    def _libraries(self, tmp_path, monkeypatch):
        pytest.importorskip("python_calamine", reason="python-calamine is not installed")
        pytest.importorskip("xlsxwriter", reason="xlsxwriter is not installed")
        monkeypatch.chdir(tmp_path)

    def write(self, **sheets):
        import pandas as pd

        with pd.ExcelWriter("x.xlsx", engine="xlsxwriter") as book:
            for name, rows in sheets.items():
                pd.DataFrame(rows).to_excel(book, sheet_name=name, index=False)

    def test_a_sheet_for_each_system(self, tmp_path):
        self.write(
            Readme=[{"what": "a sheet for each system"}],
            **{
                s: [{"id": n, "translation": TEXTS[s][n], "adequacy": ADEQUACY[s][n]} for n in range(3)]
                for s in SYSTEMS
            },
        )
        # Nothing is lost where the first sheet is no table: it cannot be read.
        _, problems = read_sources([tmp_path / "x.xlsx"])
        assert "has no column segment" in told(problems, "error")
        self.write(
            **{
                s: [{"id": n, "translation": TEXTS[s][n], "adequacy": ADEQUACY[s][n]} for n in range(3)]
                for s in SYSTEMS
            },
            Readme=[{"what": "a sheet for each system"}],
        )
        corpus, problems = read_sources([tmp_path / "x.xlsx"])
        assert "the sheets 'Readme' have other columns, and are not read" in told(problems, "note")
        assert "all sheets, each of a system" in told(problems, "note")
        for one in (corpus, read_sources([tmp_path / "x.xlsx"], typed(problems))[0]):
            assert judgments(one) == {(n, s, c, float(score)) for n, s, c, score in ONE}

    def test_a_sheet_for_each_judge(self, tmp_path):
        rows = [{"segment": n, "system": s, "text": TEXTS[s][n]} for n, s in ITEMS]
        scores = {"Anna": ADEQUACY, "Ben": FLUENCY}
        self.write(
            **{
                judge: [{**one, "adequacy": of[one["system"]][one["segment"]]} for one in rows]
                for judge, of in scores.items()
            }
        )
        corpus, problems = read_sources([tmp_path / "x.xlsx"])
        assert "all sheets, each of a judge" in told(problems, "note")
        found = corpus.judgments
        assert {
            (found.judges[found.judge[at]], corpus.systems[found.system[at]], int(found.segment[at]), found.score[at])
            for at in range(len(found))
        } == {(judge, s, n, float(of[s][n])) for judge, of in scores.items() for n, s in ITEMS}

    def test_texts_and_ratings_in_two_sheets(self, tmp_path):
        self.write(
            Texts=[{"segment": n, "system": s, "text": TEXTS[s][n]} for n, s in ITEMS],
            Ratings=[{"segment": n, "system": s, "adequacy": ADEQUACY[s][n]} for n, s in ITEMS],
        )
        _, problems = read_sources([tmp_path / "x.xlsx"])
        said = told(problems, "error")
        assert "the ratings of 'Ratings' lost, whose columns are others. Name the file once" in said
        formats = re.findall(r"--source-format '([^']*)'", said)[:2]
        corpus, _ = read_sources([tmp_path / "x.xlsx"] * 2, formats)
        assert judgments(corpus) == {(n, s, c, float(score)) for n, s, c, score in ONE}

    def test_other_sheets_are_a_note(self, tmp_path):
        self.write(
            Data=[row(n, s, adequacy=ADEQUACY[s][n]) for n, s in ITEMS],
            Summary=[{"system": s, "mean adequacy": sum(ADEQUACY[s]) / 3} for s in SYSTEMS],
            Judges=[{"id": 1, "name": "ann", "years": 3}],
        )
        corpus, problems = read_sources([tmp_path / "x.xlsx"])
        assert judgments(corpus) == {(n, s, c, float(score)) for n, s, c, score in ONE}
        assert "Of the sheets 'Data', 'Summary', 'Judges', 'Data' was read" in told(problems, "note")


def test_the_exit_code_is_3(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_json(tmp_path / "x.jsonl", nested(lambda a, f: {"scores": [{"adequacy": [a, f]}]}))
    assert main(["corpus", "check", "x.jsonl"]) == 3
    assert "error: x.jsonl:1: column 'scores' holds ratings inside its values" in capsys.readouterr().out
    assert main(["compare", "--corpus", "x.jsonl", "-m", "bleu"]) == 3
    assert "x.jsonl:1: column 'scores' holds ratings inside its values" in capsys.readouterr().err


class TestPython:
    def test_ratings_inside_values(self):
        pd = pytest.importorskip("pandas")
        corpus = metaeval.corpus(pd.DataFrame(nested(lambda a, f: {"scores": {"adequacy": a, "fluency": f}})))
        assert judgments(corpus) == {(n, s, c, float(score)) for n, s, c, score in BOTH}
        assert any("'adequacy', 'fluency' = keys of 'scores'" in one for one in corpus.notes)

    def test_arrays_and_times(self):
        np, pd = pytest.importorskip("numpy"), pytest.importorskip("pandas")
        t = pd.DataFrame(nested(lambda a, f: {"adequacy": a, "embedding": np.array([0.1, 0.2 * a])}))
        t["finished"] = pd.Timestamp("2026-01-01")
        corpus = metaeval.corpus(t)
        assert judgments(corpus) == {(n, s, c, float(score)) for n, s, c, score in ONE}
        assert any("columns that are not used: 'embedding', 'finished'" in one for one in corpus.notes)
        t["ratings"] = [np.array([1, 2])] * len(t)
        with pytest.raises(CorpusError, match=r"column 'ratings' holds ratings inside its values: \[1, 2\]"):
            metaeval.corpus(t)


@pytest.mark.parametrize(("name", "found"), [("references", 1), ("human_summaries", 2), ("refs", 2)])
def test_lists_of_references(name, found, tmp_path):
    # The third segment has one reference less than others.
    texts = [[f"r{n} {k}" for k in range(found - (found > 1 and n == 2))] for n in range(3)]
    rows = [row(n, system, score=ADEQUACY[system][n]) | {name: texts[n]} for n, system in ITEMS]
    write_json(tmp_path / "x.jsonl", rows)
    corpus, problems = read_sources([tmp_path / "x.jsonl"])
    assert corpus is not None, told(problems, "error")
    again, _ = read_sources([tmp_path / "x.jsonl"], typed(problems))
    for one in (corpus, again):
        assert [*one.references.values()] == [
            tuple(of[k] if k < len(of) else None for of in texts) for k in range(found)
        ]


def test_a_proposed_line_is_refused_until_it_has_numbers(tmp_path):
    write_csv(tmp_path / "x.csv", nested(lambda a, f: {"adequacy": {5: "good"}.get(a, "poor")}))
    _, problems = read_sources([tmp_path / "x.csv"])
    (format_,) = re.findall(r"--source-format '([^']*labels[^']*)'", told(problems, "error"))
    corpus, problems = read_sources([tmp_path / "x.csv"], [format_])
    assert corpus is None
    assert "`labels`: put a number in the place of the question mark in 'good=?', 'poor=?'." in told(problems, "error")


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_long_vectors_are_left_out(suffix, tmp_path):
    # 65 numbers, one more than ratings of one text can be.
    rows = [row(n, s, adequacy=ADEQUACY[s][n], states=[0.5 * n] * 65) for n, s in ITEMS]
    path = tmp_path / f"x.{suffix}"
    {"jsonl": write_json, "csv": write_csv, "parquet": write_parquet}[suffix](path, rows)
    corpus, problems = read_sources([path])
    assert judgments(corpus) == {(n, s, c, float(score)) for n, s, c, score in ONE}
    assert "has columns that are not used: 'states'" in told(problems, "note")
