"""Tables in shapes that are not read: what is said of them, and that what is proposed works."""

from __future__ import annotations

import json
import re

import pytest

import metaeval
from metaeval.cli import main
from metaeval.corpora.read import read_sources
from metaeval.errors import CorpusError, UsageError
from tests.support.reports import told

SYSTEMS = ("A", "BB", "CCC")
ITEMS = [(n, system) for n in range(1, 6) for system in SYSTEMS]


def anna(n, system):
    return (n + 2 * len(system)) % 5 + 1


def ben(n, system):
    return (2 * n + len(system)) % 5 + 1


def write(path, rows):
    import pandas as pd

    pd.DataFrame(rows).to_csv(path, index=False)


def line_of_pandas(said):
    (line,) = re.findall(r"`(import [^`]*)`", said)
    return line


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
    def test_all_columns_are_listed(self, suffix, tmp_path):
        path = tmp_path / f"arena.{suffix}"
        if suffix == "csv":
            write(path, self.ROWS)
        else:
            path.write_text("".join(json.dumps(one) + "\n" for one in self.ROWS))
        _, problems = read_sources([path])
        said = told(problems, "error")
        assert "the columns are 'question_id', 'model_a', 'model_b', 'winner', 'judge'." in said
        assert "The columns 'model_a', 'model_b' look like preferences between two systems, which are not read" in said

    def test_chosen_and_rejected(self, tmp_path):
        write(tmp_path / "x.csv", [{"id": n, "prompt": f"p {n}", "chosen": "a", "rejected": "b"} for n in range(5)])
        _, problems = read_sources([tmp_path / "x.csv"])
        assert "has no column system; the columns are 'id', 'prompt', 'chosen', 'rejected'" in told(problems, "error")
        assert "The columns 'chosen', 'rejected' look like preferences" in told(problems, "error")

    def test_agreement_says_that_no_column_names_systems(self, tmp_path):
        write(tmp_path / "x.csv", self.PAIRS)
        format_ = 'table(columns=["segment=item"],judges=["ann","ben"])'
        with pytest.raises(CorpusError, match=r"x\.csv:1: has no column system; .* add a column system with one word"):
            metaeval.agreement(tmp_path / "x.csv", source_formats=format_)
        write(tmp_path / "y.csv", [{**one, "system": "pair"} for one in self.PAIRS])
        found = metaeval.agreement(tmp_path / "y.csv", source_formats=format_)
        (row,) = found.to_frame("design").to_dict("records")
        assert row["judgments"] == 20

    def test_a_column_for_each_of_three_systems_is_none(self, tmp_path):
        write(tmp_path / "x.csv", [{"id": n, "output1": "a", "output2": "b", "output3": "c"} for n in range(5)])
        _, problems = read_sources([tmp_path / "x.csv"])
        assert "preferences" not in told(problems, "error")


class TestScoresOfMetricsInATable:
    ROWS = tuple(
        {"segment": n, "system": s, "adequacy_anna": anna(n, s), "adequacy_ben": ben(n, s)}
        | {"BLEU": 10 * n + len(s) * 1.5, "COMET": anna(n, s) / 5}
        for n, s in ITEMS
    )

    def test_a_column_is_no_metric(self, tmp_path, monkeypatch, capsys):
        monkeypatch.chdir(tmp_path)
        write(tmp_path / "x.csv", self.ROWS)
        assert main(["compare", "--corpus", "x.csv", "-m", "BLEU", "COMET"]) == 2
        said = capsys.readouterr().err
        assert "metric 'BLEU': there is no metric of this name, but x.csv has a column 'BLEU'" in said
        assert "did you mean" not in said
        # What is proposed works, where the table has texts.
        (metric,) = re.findall(r"scores:x\.csv\(metric=\"BLEU\"\)", said)
        (format_,) = re.findall(r"table\(criteria=.*?\)", said)
        assert format_ == 'table(criteria=["adequacy_anna","adequacy_ben"])'
        write(tmp_path / "x.csv", [{**row, "text": "anything"} for row in self.ROWS])
        command = ["compare", "--corpus", "x.csv", "-m", metric, "--source-format", format_, "--format", "json"]
        assert main(command) == 0
        assert {row["criterion"] for row in json.loads(capsys.readouterr().out)} == {"adequacy_anna", "adequacy_ben"}

    def test_a_metric_that_no_column_is_called_after_is_unknown(self, tmp_path):
        write(tmp_path / "x.csv", self.ROWS)
        with pytest.raises(UsageError, match=r"^unknown metric 'ROUGE'|unknown metric 'ROUGE'"):
            metaeval.compare(tmp_path / "x.csv", ["ROUGE"])

    def test_a_column_of_a_data_frame_is_no_metric(self):
        pd = pytest.importorskip("pandas")
        t = pd.DataFrame(self.ROWS).assign(text="anything")
        with pytest.raises(UsageError, match=r"the column 'BLEU' of the table was read as human judgments") as error:
            metaeval.compare(t, ["BLEU"])
        assert "precomputed:BLEU" in str(error.value)
        made = metaeval.corpus(
            t[["segment", "system", "text", "adequacy_anna"]], scores=t[["segment", "system", "BLEU"]]
        )
        assert metaeval.compare(made, ["precomputed:BLEU"]).tables[0].rows

    def test_texts_are_needed_but_any_will_do(self, tmp_path, monkeypatch, capsys):
        monkeypatch.chdir(tmp_path)
        write(tmp_path / "x.csv", self.ROWS)
        assert main(["compare", "--corpus", "x.csv", "-m", "scores:x.csv"]) == 3
        said = capsys.readouterr().err
        assert "Where all metrics are scores of files, a column text with anything in it does." in said

    def test_python_names_no_keyword_that_compare_lacks(self):
        pd = pytest.importorskip("pandas")
        with pytest.raises(UsageError) as error:
            metaeval.compare(pd.DataFrame(self.ROWS), ["bleu"])
        said = str(error.value)
        assert said.startswith("`corpora`: the table has no texts of systems. Give it a column `text`")
        assert "metaeval.corpus(table, outputs=" in said
        assert "`outputs` is missing" not in said

    @pytest.mark.parametrize(
        ("metric", "message"),
        [
            (
                'scores:x.csv(metric="*")',
                "x.csv: has no column `metric`, whose names '*' could stand for; the columns of numbers are 'BLEU', "
                "'COMET', 'adequacy_anna', 'adequacy_ben'. Type scores:x.csv(metric=\"BLEU\").",
            ),
            ("scores:x.csv", 'Type scores:x.csv(metric="BLEU") for the first of its columns of numbers.'),
        ],
    )
    def test_a_file_with_a_column_for_each_metric(self, metric, message, tmp_path, monkeypatch, capsys):
        monkeypatch.chdir(tmp_path)
        write(tmp_path / "x.csv", [{**row, "text": "anything"} for row in self.ROWS])
        assert main(["compare", "--corpus", "x.csv", "-m", metric]) != 0
        assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("column", "criterion"),
    [
        # As presets and other corpora call them.
        ("Adequacy (1-5)", "adequacy"),
        ("FLUENCY", "fluency"),
        ("MQM", "mqm"),
        ("Rating", "rating"),
        # As the file has them.
        ("Adäquatheit", "Adäquatheit"),
        ("Flüssigkeit (1-5)", "Flüssigkeit"),
        ("BLEU", "BLEU"),
        ("Adequacy of Terms", "Adequacy of Terms"),
    ],
)
def test_names_of_criteria_keep_their_letters_unless_others_write_them_so(column, criterion, tmp_path):
    write(tmp_path / "x.csv", [{"segment": n, "system": s, "text": "t", column: anna(n, s)} for n, s in ITEMS])
    corpus, problems = read_sources([tmp_path / "x.csv"])
    assert [one.name for one in corpus.criteria] == [criterion]
    assert f"criterion '{criterion}' = column '{column}'" in told(problems, "note")
