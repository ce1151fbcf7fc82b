"""Tables in many shapes: what is read, what is said of the others, and that what is proposed works."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import metaeval
from metaeval.cli import main
from metaeval.corpora.read import read_sources
from metaeval.errors import CorpusError, UsageError
from tests.support.reports import told

SYSTEMS = ("A", "BB", "CCC")
ITEMS = [(n, system) for n in range(1, 6) for system in SYSTEMS]


def anna(n, system):
    return (3 * n + 2 * len(system)) % 5 + 1


def ben(n, system):
    return (2 * n + len(system)) % 5 + 1


def write(path, rows):
    import pandas as pd

    pd.DataFrame(rows).to_csv(path, index=False)


def formats_in(said):
    """Return the formats that are proposed for the terminal."""
    return re.findall(r"--source-format '([^']*)'", said)


class TestPreferences:
    ROWS = tuple(
        {"question_id": n, "model_a": "A", "model_b": "B", "winner": ["model_a", "tie"][n % 2], "judge": "u1"}
        for n in range(10)
    )
    PAIRS = tuple(
        {"item": n, "input": f"in {n}", "output1": f"a {n}", "output2": f"b {n}", "ann": n % 3, "ben": n * n % 3}
        for n in range(10)
    )

    @pytest.mark.parametrize("suffix", ["csv", "jsonl"])
    def test_preferences_are_refused(self, suffix, tmp_path):
        path = tmp_path / f"arena.{suffix}"
        if suffix == "csv":
            write(path, self.ROWS)
        else:
            path.write_text("".join(json.dumps(one) + "\n" for one in self.ROWS))
        _, problems = read_sources([path])
        assert told(problems, "error").partition(":1: ")[2] == (
            "holds preferences between two systems, in the columns 'model_a', 'model_b', 'winner', which cannot be "
            "read as ratings of a corpus; `metaeval judge` and `metaeval agreement` read preferences."
        )

    def test_ratings_of_two_outputs_are_no_preferences(self, tmp_path):
        rows = [{"item": n, "output_a": f"a {n}", "output_b": f"b {n}"} for n in range(5)]
        write(tmp_path / "x.csv", [{**row, "judgment_a": n % 3, "judgment_b": n % 4} for n, row in enumerate(rows)])
        _, problems = read_sources([tmp_path / "x.csv"])
        assert (
            told(problems, "error")
            .partition(":1: ")[2]
            .startswith("has columns of numbers, 'judgment_a', 'judgment_b', whose names do not say what they are.")
        )

    def test_chosen_and_rejected(self, tmp_path):
        write(tmp_path / "x.csv", [{"id": n, "prompt": f"p {n}", "chosen": "a", "rejected": "b"} for n in range(5)])
        _, problems = read_sources([tmp_path / "x.csv"])
        assert "holds preferences between two systems, in the columns 'chosen', 'rejected'" in told(problems, "error")

    def test_agreement_says_that_no_column_names_systems(self, tmp_path):
        write(tmp_path / "x.csv", self.PAIRS)
        format_ = 'table(columns=["segment=item"],judges=["ann","ben"])'
        with pytest.raises(CorpusError, match=r"x\.csv:1: has no column system; .* look like preferences"):
            metaeval.agreement(tmp_path / "x.csv", source_formats=format_)
        format_ = 'table(columns=["segment=item"],judges=["ann","ben"],system="pair")'
        found = metaeval.agreement(tmp_path / "x.csv", source_formats=format_)
        (row,) = found.to_frame("design").to_dict("records")
        assert row["judgments"] == 20

    def test_a_column_for_each_of_three_systems_is_none(self, tmp_path):
        write(tmp_path / "x.csv", [{"id": n, "output1": "a", "output2": "b", "output3": "c"} for n in range(5)])
        _, problems = read_sources([tmp_path / "x.csv"])
        assert (
            told(problems, "error")
            .partition(":1: ")[2]
            .startswith("has no column system; the columns are 'id', 'output1', 'output2', 'output3'.")
        )


class TestScoresOfMetricsInATable:
    ROWS = tuple(
        {"segment": n, "system": s, "adequacy_anna": anna(n, s), "adequacy_ben": ben(n, s)}
        | {"BLEU": 10 * n + len(s) * 1.5, "COMET": anna(n, s) / 5}
        for n, s in ITEMS
    )

    def test_scores_stand_beside_judgments(self, tmp_path, monkeypatch, capsys):
        monkeypatch.chdir(tmp_path)
        write(tmp_path / "x.csv", [row for row in self.ROWS if row["segment"] < 5])
        corpus, problems = read_sources([tmp_path / "x.csv"])
        assert "scores of the metrics 'BLEU', 'COMET'" in told(problems, "note")
        assert not corpus.has_texts
        expected = np.array([[10 * n + len(s) * 1.5 for n in range(1, 5)] for s in SYSTEMS])
        (bleu,) = [one for one in corpus.scores if one.name == "BLEU"]
        assert bleu.systems == SYSTEMS
        np.testing.assert_array_equal(bleu.values, expected)
        assert main(["compare", "--corpus", "x.csv", "-m", "precomputed:*", "--format", "json"]) == 0
        rows = json.loads(capsys.readouterr().out)
        assert {row["criterion"] for row in rows} == {"adequacy_anna", "adequacy_ben"}
        # BLEU grows with the length of the name, as 1, 2, 3 do: Pearson's correlation with the means of Anna's scores.
        means = [np.mean([anna(n, s) for n in range(1, 5)]) for s in SYSTEMS]
        (row,) = [one for one in rows if one["metric"].endswith("BLEU") and one["criterion"] == "adequacy_anna"]
        assert row["value"] == pytest.approx(np.corrcoef([1, 2, 3], means)[0, 1], abs=1e-12)

    def test_the_name_of_a_column_alone_is_no_metric(self, tmp_path, monkeypatch, capsys):
        monkeypatch.chdir(tmp_path)
        write(tmp_path / "x.csv", self.ROWS)
        assert main(["compare", "--corpus", "x.csv", "-m", "BLEU", "COMET"]) == 2
        said = capsys.readouterr().err
        told = "metric 'BLEU': there is no metric of this name, but x.csv has a column 'BLEU' of its scores"
        assert f"{told}, which are called precomputed:BLEU; bleu is computed from texts." in said
        assert "did you mean" not in said

    def test_metrics_beside_judges_that_are_named(self, tmp_path, monkeypatch, capsys):
        monkeypatch.chdir(tmp_path)
        write(tmp_path / "x.csv", [{**row, "Mine": row["BLEU"]} for row in self.ROWS])
        judges = 'table(judges=["adequacy_anna","adequacy_ben"])'
        corpus, _ = read_sources([tmp_path / "x.csv"], [judges])
        assert corpus.judgments.judges == ("adequacy_anna", "adequacy_ben")
        assert [scores.name for scores in corpus.scores] == ["BLEU", "COMET"]
        # One whose name is not known is named by the line of the message.
        assert main(["compare", "--corpus", "x.csv", "--source-format", judges, "-m", "Mine"]) == 2
        said = capsys.readouterr().err
        assert "x.csv has a column 'Mine', which is not read as scores of a metric" in said
        (format_,) = formats_in(said)
        assert format_ == 'table(judges=["adequacy_anna","adequacy_ben"],metrics=["Mine"])'
        assert main(["compare", "--corpus", "x.csv", "--source-format", format_, "-m", "precomputed:Mine"]) == 0

    def test_scores_that_are_not_there_say_how_a_column_is_read(self, tmp_path, monkeypatch, capsys):
        monkeypatch.chdir(tmp_path)
        write(tmp_path / "x.csv", TestNumbersOfSegments.ROWS)
        arguments = ["--source-format", 'table(columns=["segment=Beispiel"])', "-m", "precomputed:BLEU"]
        assert main(["compare", "--corpus", "x.csv", *arguments]) == 2
        assert 'where its format says so: table(metrics=["BLEU"]).' in capsys.readouterr().err

    @pytest.mark.parametrize("level", ["system", "segment", "documents(length=2)"])
    def test_texts_make_no_difference(self, level, tmp_path):
        write(tmp_path / "x.csv", self.ROWS)
        write(tmp_path / "y.csv", [{**row, "text": "anything"} for row in self.ROWS])
        found = [
            metaeval.compare(tmp_path / name, ["precomputed:*"], level=level, n_resamples=50).to_frame()
            for name in ("x.csv", "y.csv")
        ]
        numbers = [one.select_dtypes("number").to_numpy(dtype=float, na_value=np.nan) for one in found]
        np.testing.assert_array_equal(*numbers)

    def test_metrics_of_texts_are_refused(self, tmp_path, monkeypatch, capsys):
        monkeypatch.chdir(tmp_path)
        write(tmp_path / "x.csv", self.ROWS)
        for command in (
            ["compare", "--corpus", "x.csv", "-m", "chrf", "precomputed:BLEU"],
            ["score", "--corpus", "x.csv", "-m", "chrf"],
            ["agreement", "--corpus", "x.csv", "-m", "chrf"],
        ):
            assert main(command) == 2
            assert "metric 'chrf': corpus 'x' holds no texts of systems" in capsys.readouterr().err

    def test_one_output_with_two_scores(self, tmp_path):
        rows = [*self.ROWS, {**self.ROWS[0], "adequacy_anna": 1, "BLEU": 3}]
        write(tmp_path / "x.csv", rows)
        _, problems = read_sources([tmp_path / "x.csv"])
        told_ = "x.csv:17: gives 'A' another score by 'BLEU' than line 2: '3.0', there '11.5'."
        assert told_ in told(problems, "error")

    def test_a_metric_that_no_column_is_called_after_is_unknown(self, tmp_path):
        write(tmp_path / "x.csv", self.ROWS)
        with pytest.raises(UsageError, match="unknown metric 'ROUGE'"):
            metaeval.compare(tmp_path / "x.csv", ["ROUGE"])

    def test_a_data_frame(self):
        pd = pytest.importorskip("pandas")
        t = pd.DataFrame(self.ROWS)
        with pytest.raises(UsageError, match=r"the corpus has scores of that name, which are called precomputed:BLEU"):
            metaeval.compare(t, ["BLEU"])
        assert metaeval.compare(t, ["precomputed:BLEU"]).tables[0].rows
        with pytest.raises(UsageError, match=r"^metric 'bleu': corpus '.*' holds no texts of systems"):
            metaeval.compare(t, ["bleu"])

    def test_a_file_with_a_column_for_each_metric(self, tmp_path, monkeypatch, capsys):
        monkeypatch.chdir(tmp_path)
        write(tmp_path / "x.csv", self.ROWS)
        assert main(["compare", "--corpus", "x.csv", "-m", 'scores:x.csv(metric="*")']) == 0
        said = capsys.readouterr()
        assert "COMET " in said.out
        assert "columns of ratings are left out: 'adequacy_anna', 'adequacy_ben'" in said.err + said.out
        assert main(["compare", "--corpus", "x.csv", "-m", "scores:x.csv"]) != 0
        assert 'Type scores:x.csv(metric="BLEU") for the first of its columns of numbers.' in capsys.readouterr().err


@pytest.mark.parametrize(
    ("column", "criterion"),
    [
        ("Adequacy (1-5)", "Adequacy"),
        ("fluency", "fluency"),
        ("FLUENCY", "FLUENCY"),
        ("Rating", "Rating"),
        ("Adäquatheit", "Adäquatheit"),
        ("Flüssigkeit (1-5)", "Flüssigkeit"),
        ("Adequacy of Terms", "Adequacy of Terms"),
    ],
)
def test_names_of_criteria_keep_their_letters(column, criterion, tmp_path):
    write(tmp_path / "x.csv", [{"segment": n, "system": s, "text": "t", column: anna(n, s)} for n, s in ITEMS])
    corpus, problems = read_sources([tmp_path / "x.csv"])
    assert [one.name for one in corpus.criteria] == [criterion]
    assert f"criterion '{criterion}' = column '{column}'" in told(problems, "note")


def judged(corpus):
    """Return judge, segment, system, criterion and score of each judgment."""
    found = corpus.judgments
    return {
        (
            found.judges[found.judge[at]],
            corpus.segment_ids[found.segment[at]],
            corpus.systems[found.system[at]],
            corpus.criteria[found.criterion[at]].name,
            float(found.score[at]),
        )
        for at in range(len(found))
    }


class TestCriteriaByJudges:
    def rows(self, name):
        return [
            {"segment": n, "system": s, "text": f"{s} {n}"}
            | {
                name.format(criterion=criterion, judge=judge): (score(n, s) + bonus) % 5 + 1
                for criterion, bonus in (("Adequacy", 0), ("Fluency", 2))
                for judge, score in (("Anna", anna), ("Ben", ben))
            }
            for n, s in ITEMS
        ]

    EXPECTED = frozenset(
        (judge, str(n), s, criterion, float((score(n, s) + bonus) % 5 + 1))
        for n, s in ITEMS
        for criterion, bonus in (("Adequacy", 0), ("Fluency", 2))
        for judge, score in (("Anna", anna), ("Ben", ben))
    )

    @pytest.mark.parametrize("name", ["{criterion} {judge}", "{judge}_{criterion}", "{criterion} ({judge})"])
    def test_they_are_read_and_can_be_typed(self, name, tmp_path):
        write(tmp_path / "x.csv", self.rows(name))
        corpus, problems = read_sources([tmp_path / "x.csv"])
        said = told(problems, "note")
        assert "a column for each of the criteria 'Adequacy', 'Fluency' and judges 'Anna', 'Ben'" in said
        assert judged(corpus) == self.EXPECTED
        (format_,) = formats_in(next(line for line in said.split("\n") if "The same in words" in line))
        assert format_ == 'table(criteria=["Adequacy","Fluency"],judges=["Anna","Ben"])'
        corpus, problems = read_sources([tmp_path / "x.csv"], [format_])
        assert judged(corpus) == self.EXPECTED
        assert "were found" not in told(problems, "note")

    def test_one_criterion_of_them(self, tmp_path):
        write(tmp_path / "x.csv", self.rows("{criterion} {judge}"))
        corpus, _ = read_sources([tmp_path / "x.csv"], ['table(judges=["Anna","Ben"],criteria=["Fluency"])'])
        assert judged(corpus) == {one for one in self.EXPECTED if one[3] == "Fluency"}

    def test_names_that_no_column_has_are_an_error(self, tmp_path):
        write(tmp_path / "x.csv", self.rows("{criterion} {judge}"))
        _, problems = read_sources(
            [tmp_path / "x.csv"], ['table(judges=["Anna","Carl"],criteria=["Adequacy","Fluency"])']
        )
        assert "cross where a column is of each pair of them, such as 'Adequacy Anna'" in told(problems, "error")

    def test_systems_where_no_column_names_them(self, tmp_path):
        rows = [
            {"segment": n}
            | {
                f"{criterion}_{s}": (anna(n, s) + bonus) % 5 + 1
                for s in SYSTEMS
                for criterion, bonus in (("Adequacy", 0), ("Fluency", 2))
            }
            for n in range(1, 6)
        ]
        write(tmp_path / "x.csv", rows)
        corpus, problems = read_sources([tmp_path / "x.csv"], texts=False)
        assert "systems 'A', 'BB', 'CCC'" in told(problems, "note")
        expected = {
            ("unnamed", str(n), s, c, float((anna(n, s) + b) % 5 + 1))
            for n, s in ITEMS
            for c, b in (("Adequacy", 0), ("Fluency", 2))
        }
        assert judged(corpus) == expected
        (format_,) = formats_in(
            next(line for line in told(problems, "note").split("\n") if "The same in words" in line)
        )
        assert judged(read_sources([tmp_path / "x.csv"], [format_], texts=False)[0]) == expected

    @pytest.mark.parametrize(
        ("names", "asked"),
        [
            (
                ("Anna first", "Anna second", "Ben first", "Ben second"),
                "If 'Anna', 'Ben' are criteria and the others judges",
            ),
            (("Q1", "Q2", "Q3"), "If each is of a criterion"),
        ],
    )
    def test_where_numbers_alone_would_decide_the_user_is_asked(self, names, asked, tmp_path):
        rows = [{"segment": n, "system": s, "text": "t"} | {one: anna(n, s) for one in names} for n, s in ITEMS]
        write(tmp_path / "x.csv", rows)
        corpus, problems = read_sources([tmp_path / "x.csv"])
        assert corpus is None
        said = told(problems, "error")
        assert "whose names do not say what they are." in said
        assert asked in said
        for format_ in formats_in(said):
            corpus, problems = read_sources([tmp_path / "x.csv"], [format_])
            assert corpus is not None, told(problems, "error")
            assert len(corpus.judgments) == len(names) * len(ITEMS)

    @pytest.mark.parametrize(
        "names", [("Adequacy", "Fluency", "Style", "Grammar"), ("Quality 1", "Quality 2", "Style 1")]
    )
    def test_other_columns_are_not_called_so(self, names, tmp_path):
        rows = [{"segment": n, "system": s, "text": "t"} | {one: anna(n, s) for one in names} for n, s in ITEMS]
        write(tmp_path / "x.csv", rows)
        corpus, _ = read_sources([tmp_path / "x.csv"])
        assert [one.name for one in corpus.criteria] == [*names]
        assert corpus.judgments.judges == ("unnamed",)


@pytest.mark.parametrize(
    ("rating", "criterion"),
    [("{system} adequacy (Anna)", "adequacy"), ("{system}_score", "score"), ("adequacy {system}", "adequacy")],
)
def test_a_column_for_each_system(rating, criterion, tmp_path):
    rows = [
        {"segment": n, "source": f"s {n}", "reference": f"r {n}", "url": f"https://example.org/{n}"}
        | {s: f"{s} text {n}" for s in SYSTEMS}
        | {rating.format(system=s): anna(n, s) for s in SYSTEMS}
        for n in range(1, 6)
    ]
    write(tmp_path / "x.csv", rows)
    corpus, problems = read_sources([tmp_path / "x.csv"])
    assert "a column for each system = 'A', 'BB', 'CCC'" in told(problems, "note")
    (format_,) = formats_in(next(line for line in told(problems, "note").split("\n") if "The same in words" in line))
    for one in (corpus, read_sources([tmp_path / "x.csv"], [format_])[0]):
        assert judged(one) == {("unnamed", str(n), s, criterion, float(anna(n, s))) for n, s in ITEMS}
        assert one.candidates[1][:2] == ("BB text 1", "BB text 2")


def test_a_column_of_texts_for_each_system_that_is_named(tmp_path):
    rows = [{"segment": n, "source": f"s {n}"} | {s: f"{s} text {n}" for s in SYSTEMS} for n in range(1, 6)]
    write(tmp_path / "x.csv", rows)
    corpus, problems = read_sources([tmp_path / "x.csv"], ['table(systems=["A","BB","CCC"])'])
    assert corpus is not None, told(problems, "error")
    assert corpus.systems == SYSTEMS
    assert corpus.candidates[2] == tuple(f"CCC text {n}" for n in range(1, 6))
    _, problems = read_sources([tmp_path / "x.csv"], ['table(systems=["A","D"])'])
    assert "x.csv:1: `systems`: unknown column 'D'" in told(problems, "error")


def test_a_column_of_scores_for_each_system(tmp_path):
    write(tmp_path / "x.csv", [{"segment": n, "group": "g"} | {s: anna(n, s) for s in SYSTEMS} for n in range(1, 6)])
    _, problems = read_sources([tmp_path / "x.csv"])
    said = told(problems, "error")
    assert "has columns of numbers, 'A', 'BB', 'CCC', whose names do not say what they are." in said
    assert "If each is of a system, type" in said
    corpus, _ = read_sources([tmp_path / "x.csv"], formats_in(said)[:1], texts=False)
    expected = {("unnamed", str(n), s, "score", float(anna(n, s))) for n, s in ITEMS}
    assert judged(corpus) == expected
    # Where other files have texts of systems of these names, nothing is to be asked.
    write(tmp_path / "texts.csv", [{"segment": n, "system": s, "text": f"{s} {n}"} for n, s in ITEMS])
    corpus, problems = read_sources([tmp_path / "texts.csv", tmp_path / "x.csv"])
    assert corpus is not None, told(problems, "error")
    assert judged(corpus) == expected


class TestJudgesInFilesOfTheirOwn:
    def rows(self, score):
        return [{"segment": n, "system": s, "text": f"{s} {n}", "adequacy": score(n, s)} for n, s in ITEMS]

    def test_the_mean_is_not_proposed(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        write(tmp_path / "anna.csv", self.rows(anna))
        write(tmp_path / "ben.csv", self.rows(ben))
        paths = [(tmp_path / f"{name}.csv").relative_to(tmp_path) for name in ("anna", "ben")]
        _, problems = read_sources(paths)
        (error,) = problems.errors
        assert str(error).startswith(
            "ben.csv:2: rates what anna.csv:2 rates too (15 lines in all), and neither names its judge."
        )
        assert "mean" not in error.message
        assert "judge=..." not in error.message
        corpus, _ = read_sources(paths, formats_in(error.message))
        assert judged(corpus) == {
            (judge, str(n), s, "adequacy", float(score(n, s)))
            for judge, score in (("anna", anna), ("ben", ben))
            for n, s in ITEMS
        }

    def test_beside_texts_in_a_file_of_their_own(self, tmp_path):
        write(tmp_path / "texts.csv", [{"segment": n, "system": s, "text": f"{s} {n}"} for n, s in ITEMS])
        for name, score in (("anna", anna), ("ben", ben)):
            write(tmp_path / f"{name}.csv", [{"segment": n, "system": s, "adequacy": score(n, s)} for n, s in ITEMS])
        paths = [tmp_path / f"{name}.csv" for name in ("texts", "anna", "ben")]
        _, problems = read_sources(paths)
        corpus, _ = read_sources(paths, formats_in(problems.errors[0].message))
        assert corpus.judgments.judges == ("anna", "ben")

    def test_three_files_are_said_once(self, tmp_path):
        for name in ("anna", "ben", "carl"):
            write(tmp_path / f"{name}.csv", self.rows(anna))
        _, problems = read_sources([tmp_path / f"{name}.csv" for name in ("anna", "ben", "carl")])
        (error,) = problems.errors
        assert "and none of 3 tables names its judge." in error.message
        assert formats_in(error.message) == ['table(judge="{file}")']

    def test_within_a_table_a_column_that_is_there_is_proposed(self, tmp_path):
        twice = [*self.rows(anna), *self.rows(ben)]
        write(tmp_path / "x.csv", twice)
        _, problems = read_sources([tmp_path / "x.csv"])
        said = told(problems, "error")
        assert "If there are several judges, a column must name them. If there is one: Type " in said
        assert "judge=" not in said
        assert "judge=" not in told(problems, "note")
        write(tmp_path / "x.csv", [{**one, "who": "ann" if at < 15 else "ben"} for at, one in enumerate(twice)])
        _, problems = read_sources([tmp_path / "x.csv"])
        said = told(problems, "error")
        (format_,) = [one for one in formats_in(said) if "judge=who" in one]
        corpus, _ = read_sources([tmp_path / "x.csv"], [format_])
        assert corpus.judgments.judges == ("ann", "ben")


def test_cells_that_stand_in_the_first_row_of_a_block_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [
        {"segment": n if s == "A" else None, "reference": f"r {n}" if s == "A" else None}
        | {"system": s, "translation": f"{s} {n}", "adequacy": anna(n, s)}
        for n, s in ITEMS
    ]
    import pandas as pd

    pd.DataFrame(rows).astype({"segment": "Int64"}).to_csv(tmp_path / "x.csv", index=False)
    _, problems = read_sources([tmp_path.joinpath("x.csv").relative_to(tmp_path)])
    said = told(problems, "error")
    assert "x.csv:3: names no segment. (10 lines in all) Where it stands in the first row of a block alone" in said
    (format_,) = formats_in(said)
    assert format_ == 'table(fill_down=["segment","reference"])'
    corpus, _ = read_sources([tmp_path.joinpath("x.csv").relative_to(tmp_path)], [format_])
    assert judged(corpus) == {("unnamed", str(n), s, "adequacy", float(anna(n, s))) for n, s in ITEMS}
    assert corpus.references["reference"] == tuple(f"r {n}" for n in range(1, 6))


def test_a_segment_that_the_first_row_lacks_is_not_filled_down(tmp_path):
    (tmp_path / "x.csv").write_text("segment,system,text\n,A,t\n2,A,u\n")
    _, problems = read_sources([tmp_path / "x.csv"])
    assert told(problems, "error").endswith("x.csv:2: names no segment.")


class TestFactsOfSegments:
    def rows(self, *columns):
        every = [
            {
                "segment": n,
                "system": s,
                "text": f"{s} {n}",
                "reference": f"r {n}",
                "pair": "en-de" if n < 4 else "en-fr",
                "adequacy": anna(n, s),
            }
            for n, s in ITEMS
        ]
        return [{name: row[name] for name in row if name in columns or not columns} for row in every]

    def test_a_filter_says_how_a_column_becomes_a_fact(self, tmp_path, monkeypatch, capsys):
        monkeypatch.chdir(tmp_path)
        write(tmp_path / "x.csv", self.rows())
        command = ["compare", "--corpus", "x.csv", "-m", "chrf", "--filter"]
        assert main([*command, "where.pair=en-de"]) == 2
        said = capsys.readouterr().err
        (format_,) = re.findall(r"the format (table\(.*?\)) takes another for lp, and where\.lp asks for it", said)
        assert format_ == 'table(columns=["lp=pair"])'
        assert main([*command, "where.lp=en-de", "--source-format", format_, "--verbose"]) == 0
        assert "left out by the filter: 2 of 5 segments (where lp = en-de)" in capsys.readouterr().err

    def test_a_fact_beside_judgments_alone_does_nothing_and_is_an_error(self, tmp_path):
        write(tmp_path / "x.csv", self.rows("segment", "system", "pair", "adequacy"))
        _, problems = read_sources([tmp_path / "x.csv"], ['table(columns=["lp=pair"])'], texts=False)
        assert "x.csv:1: has no texts, and lp=pair would do nothing" in told(problems, "error")
        # One that has the name of the role is not read, and that is noted.
        write(
            tmp_path / "y.csv",
            [
                {"lp" if k == "pair" else k: v for k, v in one.items()}
                for one in self.rows("segment", "system", "pair", "adequacy")
            ],
        )
        corpus, problems = read_sources([tmp_path / "y.csv"], texts=False)
        assert corpus is not None
        assert "has columns that are not used: 'lp'" in told(problems, "note")


def test_scores_of_metrics_beside_texts_in_another_file(tmp_path):
    write(tmp_path / "texts.csv", [{"segment": n, "system": s, "text": f"{s} {n}"} for n, s in ITEMS])
    rows = [{"segment": n, "system": s, "adequacy": anna(n, s), "COMET": n + len(s)} for n, s in ITEMS]
    write(tmp_path / "scores.csv", rows)
    for paths in (("texts.csv", "scores.csv"), ("scores.csv", "texts.csv")):
        corpus, problems = read_sources([tmp_path / one for one in paths])
        assert corpus is not None, told(problems, "error")
        assert corpus.has_texts
        np.testing.assert_array_equal(corpus.scores[0].values, [[n + len(s) for n in range(1, 6)] for s in SYSTEMS])
    # By lines, and beyond the texts.
    rows = [{"line": n, "system": s, "COMET": n + len(s)} for n, s in [*ITEMS, (6, "A")]]
    write(tmp_path / "lines.csv", rows)
    corpus, problems = read_sources([tmp_path / "texts.csv", tmp_path / "lines.csv"])
    np.testing.assert_array_equal(corpus.scores[0].values, [[n + len(s) for n in range(1, 6)] for s in SYSTEMS])
    assert "has scores of 1 segment that the corpus lacks, such as '6'" in " ".join(corpus.scores[0].remarks)


def test_columns_of_systems_and_of_judges_of_each(tmp_path):
    rows = [
        {"segment": n, "reference": f"r {n}", "A": f"a {n}", "B": f"b {n}"}
        | {f"{system} adequacy ({judge})": n % 5 for system in "AB" for judge in ("Anna", "Ben")}
        for n in range(1, 9)
    ]
    write(tmp_path / "x.csv", rows)
    _, problems = read_sources([tmp_path / "x.csv"])
    error = told(problems, "error")
    assert "of the systems 'A', 'B', and for each of them columns of numbers, 'adequacy (Anna)', " in error
    # Both lines that it gives read the table: eight segments of two systems, by two judges or on two criteria.
    of_judges, of_criteria = formats_in(error)
    names = ("adequacy (Anna)", "adequacy (Ben)")
    for line, judges, criteria in ((of_judges, names, ["adequacy"]), (of_criteria, ("unnamed",), [*names])):
        corpus = metaeval.load_corpus(tmp_path / "x.csv", source_formats=line)
        assert (corpus.systems, len(corpus.judgments)) == (("A", "B"), 32)
        assert (corpus.judgments.judges, [criterion.name for criterion in corpus.criteria]) == (judges, criteria)


def test_columns_of_systems_criteria_and_judges_are_read_and_can_be_typed(tmp_path):
    scores = {"Anna": anna, "Ben": ben}
    rows = [
        {"segment": n, "reference": f"r {n}"}
        | {s: f"{s} text {n}" for s in SYSTEMS}
        | {
            f"{s} {criterion} ({judge})": (score(n, s) + bonus) % 5 + 1
            for s in SYSTEMS
            for criterion, bonus in (("adequacy", 0), ("fluency", 2))
            for judge, score in scores.items()
        }
        for n in range(1, 6)
    ]
    write(tmp_path / "x.csv", rows)
    expected = {
        (judge, str(n), s, criterion, float((score(n, s) + bonus) % 5 + 1))
        for n, s in ITEMS
        for criterion, bonus in (("adequacy", 0), ("fluency", 2))
        for judge, score in scores.items()
    }
    corpus, problems = read_sources([tmp_path / "x.csv"])
    assert judged(corpus) == expected
    (line,) = [line for line in told(problems, "note").split("\n") if "The same in words" in line]
    (format_,) = formats_in(line)
    again, problems = read_sources([tmp_path / "x.csv"], [format_])
    assert judged(again) == expected
    assert again.candidates == corpus.candidates
    assert again.candidates[1][:2] == ("BB text 1", "BB text 2")
    assert "were found" not in told(problems, "note")


@pytest.mark.parametrize(
    ("judges", "said"),
    [
        (
            ["Anna", "Carl"],
            "`judges`: unknown judge 'Carl'. Known judges: 'Anna', 'Ben'. These stand beside the names of systems in "
            "columns such as 'A Anna'.",
        ),
        (["A", "BB"], "`judges` and `systems` must have no name in common; got 'A', 'BB' in both."),
    ],
)
def test_judges_that_no_column_of_a_system_has(judges, said, tmp_path):
    scores = {"Anna": anna, "Ben": ben}
    rows = [
        {"segment": n}
        | {s: f"{s} text {n}" for s in SYSTEMS}
        | {f"{s} {judge}": score(n, s) for s in SYSTEMS for judge, score in scores.items()}
        for n in range(1, 6)
    ]
    write(tmp_path / "x.csv", rows)
    format_ = 'table(judges=["Anna","Ben"],systems=["A","BB","CCC"])'
    corpus, problems = read_sources([tmp_path / "x.csv"], [format_])
    assert corpus is not None, told(problems, "error")
    assert corpus.judgments.judges == ("Anna", "Ben")
    _, problems = read_sources([tmp_path / "x.csv"], [format_.replace('["Anna","Ben"]', json.dumps(judges))])
    assert told(problems, "error").partition(":1: ")[2] == said


class TestNumbersOfSegments:
    """A column that numbers the segments, under a name that says nothing."""

    ROWS = tuple({"Beispiel": n, "System": s, "Text": f"{s} {n}", "Güte": anna(n, s)} for n, s in ITEMS)

    def test_they_are_no_criterion_beside_the_sources(self, tmp_path):
        write(tmp_path / "x.csv", [{**row, "Quelle": f"s {row['Beispiel']}"} for row in self.ROWS])
        corpus, problems = read_sources([tmp_path / "x.csv"])
        assert [criterion.name for criterion in corpus.criteria] == ["Güte"]
        assert "has columns that are not used: 'Beispiel'" in told(problems, "note")

    def test_scores_are_a_criterion_beside_the_sources(self, tmp_path):
        # From 1 to 5, as many as there are segments, but not the same for all systems of one.
        rows = [{"Quelle": f"s {n}", "System": s, "Text": f"{s} {n}", "Güte": (n + len(s)) % 5 + 1} for n, s in ITEMS]
        write(tmp_path / "x.csv", rows)
        assert [criterion.name for criterion in read_sources([tmp_path / "x.csv"])[0].criteria] == ["Güte"]

    def test_without_sources_the_line_to_type_names_them(self, tmp_path):
        write(tmp_path / "x.csv", self.ROWS)
        _, problems = read_sources([tmp_path / "x.csv"])
        (format_,) = formats_in(told(problems, "error"))
        assert format_ == 'table(columns=["segment=Beispiel"])'
        corpus, _ = read_sources([tmp_path / "x.csv"], [format_])
        assert judged(corpus) == {("unnamed", str(n), s, "Güte", float(anna(n, s))) for n, s in ITEMS}

    def test_a_german_name_is_known(self, tmp_path):
        write(tmp_path / "x.csv", [{"Satz-Nr": row["Beispiel"], **row} for row in self.ROWS])
        corpus, _ = read_sources([tmp_path / "x.csv"])
        assert [criterion.name for criterion in corpus.criteria] == ["Güte"]

    @pytest.mark.parametrize("name", ["id", "item"])
    def test_a_column_satz_holds_sentences_and_no_segments(self, name, tmp_path):
        # Each system has a sentence of its own for each of five segments.
        rows = [{name: n, "Satz": f"{s} {n}", "system": s, "adequacy": anna(n, s)} for n, s in ITEMS]
        write(tmp_path / "x.csv", rows)
        corpus, problems = read_sources([tmp_path / "x.csv"])
        assert corpus is not None, told(problems, "error")
        assert list(corpus.segment_ids) == ["1", "2", "3", "4", "5"]

    @pytest.mark.parametrize(
        "columns",
        [
            {"adequacy": (5, 3, 4)},
            {"adequacy": (3, 4, 5)},
            {"adequacy": (5, 3, 4), "fluency": (1, 1, 2)},
            {"anna": (5, 3, 4), "ben": (1, 1, 2)},
        ],
    )
    def test_scores_in_which_systems_agree_are_a_criterion(self, columns, tmp_path):
        # Three segments, with the same scores for both systems.
        rows = [
            {"segment": f"s{n}", "system": system} | {name: scores[n] for name, scores in columns.items()}
            for n in range(3)
            for system in "AB"
        ]
        write(tmp_path / "x.csv", rows)
        corpus, problems = read_sources([tmp_path / "x.csv"])
        assert corpus is not None, told(problems, "error")
        assert judged(corpus) == {
            ("unnamed", f"s{n}", system, name, float(scores[n]))
            for name, scores in columns.items()
            for n in range(3)
            for system in "AB"
        }

    @pytest.mark.parametrize("scores", [(5, 3, 4), (3, 4, 5)])
    def test_scores_of_a_metric_in_which_systems_agree_are_read(self, scores, tmp_path):
        rows = [
            {"segment": f"s{n}", "system": s, "text": f"{s} {n}", "bleu": scores[n]} for n in range(3) for s in "AB"
        ]
        write(tmp_path / "x.csv", rows)
        corpus, problems = read_sources([tmp_path / "x.csv"])
        assert corpus is not None, told(problems, "error")
        assert [one.name for one in corpus.scores] == ["bleu"]
        np.testing.assert_array_equal(corpus.scores[0].values, [scores, scores])

    def test_the_index_of_a_data_frame_is_not_proposed(self, tmp_path):
        # As pandas writes it, without a name: it numbers segments, but cannot be typed.
        rows = [f"{n},{system},{anna(n, system)}" for n, system in ITEMS]
        (tmp_path / "x.csv").write_text("\n".join([",system,score", *rows]) + "\n")
        _, problems = read_sources([tmp_path / "x.csv"])
        assert formats_in(told(problems, "error")) == ['table(columns=["segment=..."])']
