"""Tables with a column for each criterion: names of columns, missing scores, and all that is wrong at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metaeval.corpora.read import read_sources
from metaeval.errors import UsageError
from tests.support.reports import told


def jsonl(path: Path, *rows: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


HEAD = "segment,system,judge,Adequacy (1-5),fluency"
WIDE = 'table(criteria=["adequacy=Adequacy (1-5)", "fluency"])'


def wide(root: Path, *rows: str, format_: str = WIDE, head: str = HEAD):
    """Read a table with a column for each criterion, beside texts of A and B and a declared adequacy of 1 to 5."""
    texts = [{"segment": f"s{n}", "system": name, "text": f"{name}{n}"} for n in (1, 2) for name in "AB"]
    jsonl(root / "t.jsonl", *texts)
    (root / "x.csv").write_text("\n".join([head, *rows]) + "\n")
    (root / "corpus.toml").write_text(
        'name = "mine"\ncriteria = [{ name = "adequacy", low = 1, high = 5, direction = "higher" }]\n'
        '[[files]]\npath = "t.jsonl"\n'
    )
    return read_sources([root, root / "x.csv"], ["", format_])


def test_a_column_of_scores_gets_the_name_of_its_criterion(tmp_path):
    corpus, problems = wide(tmp_path, "s1,A,ann,4,2", "s2,B,ann,3,1")
    assert told(problems, "error") == ""
    assert [criterion.name for criterion in corpus.criteria] == ["adequacy", "fluency"]
    assert corpus.criteria[0].high == 5
    found = corpus.judgments
    assert list(zip(found.criterion, found.segment, found.system, found.score, strict=True)) == [
        (0, 0, 0, 4),
        (0, 1, 1, 3),
        (1, 0, 0, 2),
        (1, 1, 1, 1),
    ]
    assert "not used" not in told(problems, "note")
    # The range that is declared holds.
    _, problems = wide(tmp_path, "s1,A,ann,6,2")
    assert told(problems, "error") == f"{tmp_path}/x.csv:2: the score 6 is outside the range of 'adequacy', 1 to 5."


def test_a_column_of_scores_of_json_is_renamed(tmp_path):
    row = {"segment": "1", "system": "A", "text": "x", "judge": "ann", "Adequacy (1-5)": 4, "more": [1]}
    corpus, problems = read_sources([jsonl(tmp_path / "t.jsonl", row)], ['table(criteria=["adequacy=Adequacy (1-5)"])'])
    assert ([one.name for one in corpus.criteria], corpus.judgments.score.tolist()) == (["adequacy"], [4])
    assert "t.jsonl:1: has columns that are not used: 'more'." in told(problems, "note")


def test_a_column_with_an_equals_sign_in_its_name(tmp_path):
    for entry, name in (("q=1", "q=1"), ("quality=q=1", "quality")):
        corpus, _ = wide(
            tmp_path, "s1,A,ann,4", head="segment,system,judge,q=1", format_=f'table(criteria=["{entry}"])'
        )
        assert corpus.criteria[-1].name == name
        assert corpus.judgments.score.tolist() == [4]


@pytest.mark.parametrize(
    ("format_", "message"),
    [
        (
            'table(columns=["judge=Judge"], criteria=["adequacy=Adequacy", "flow=Fluency"])',
            ["unknown column 'Judge'; did", "unknown column 'Adequacy'; did you mean", "unknown column 'Fluency'; did"],
        ),
        ('table(criteria=["a=fluency", "a=segment"])', ["`criteria` gives the same name to several columns: 'a'."]),
        ('table(criteria=["=fluency"])', ["unknown column '=fluency'; did you mean 'fluency'?"]),
        ('table(criteria=["fluency="])', ["unknown column 'fluency='; did you mean 'fluency'?"]),
    ],
)
def test_columns_of_scores_that_are_not_there(format_, message, tmp_path):
    _, problems = wide(tmp_path, "s1,A,ann,4,2", format_=format_)
    found = told(problems, "error").split("\n")
    assert len(found) == len(message)
    for one, start in zip(found, message, strict=True):
        assert one.startswith(f"{tmp_path}/x.csv:1: {start}")


def test_a_criterion_among_the_roles_is_sent_to_its_place(tmp_path):
    with pytest.raises(UsageError) as error:
        wide(tmp_path, format_='table(columns=["adequacy=Adequacy (1-5)"])')
    assert str(error.value).endswith(
        "judge, criterion, score, lp, domain; got 'adequacy=Adequacy (1-5)'. A criterion belongs in `criteria`, as in "
        'criteria=["adequacy=Adequacy (1-5)"].'
    )
    for entry in ("adequacy", "judge=", "=Rater"):
        with pytest.raises(UsageError) as error:
            wide(tmp_path, format_=f'table(columns=["{entry}"])')
        assert str(error.value).endswith(f"got {entry!r}.")


def test_a_score_that_is_missing_or_written_with_a_comma(tmp_path):
    rows = ["s1,A,ann,left out,2", 's1,B,ann,"4,5",?', "s2,A,ann,left out,", "s2,B,ann,n/a,-"]
    _, problems = wide(tmp_path, *rows)
    must = "the score must be a finite number; got"
    criteria = 'criteria=["adequacy=Adequacy (1-5)","fluency"]'

    # Parameters stand in the order of their names.
    missing = f"""--source-format '' --source-format 'table({criteria},na=["left out","?"])'"""
    number = f"""--source-format '' --source-format 'table({criteria},labels=["left out=?","?=?"])'"""
    stand = f"Where these words stand for numbers, type {number}, with a number in the place of each ?"
    words = f"{stand}; where they are missing scores, {missing}."
    comma = f"""--source-format '' --source-format 'table({criteria},decimal=",")'"""
    assert told(problems, "error").replace(f"{tmp_path}/", "").split("\n") == [
        f"x.csv:2: {must} 'left out' in column 'Adequacy (1-5)'. {words} (2 lines in all)",
        f"x.csv:3: {must} '4,5' in column 'Adequacy (1-5)'. Where decimals have a comma, type {comma}.",
        f"x.csv:3: {must} '?' in column 'fluency'.",
    ]
    long = "segment;system;judge;criterion;score"
    _, problems = wide(tmp_path, "s1;B;ann;adequacy;-,5", head=long, format_="table")
    comma = """--source-format '' --source-format 'table(decimal=",")'"""
    assert told(problems, "error").replace(f"{tmp_path}/", "").split("\n") == [
        f"x.csv:2: {must} '-,5'. Where decimals have a comma, type {comma}."
    ]


def test_the_same_in_the_columns_of_several_judges_is_told_once(tmp_path):
    rows = ['s1,A,"4,0","3,5",good', 's1,B,"4,5",good,fair', 's2,A,bad,"5,0","1,0"', "s2,B,good,fair,good"]
    _, problems = wide(tmp_path, *rows, head="segment,system,Ann,Bob,Cem", format_='table(judges=["Ann","Bob","Cem"])')
    found = told(problems, "error").replace(f"{tmp_path}/x.csv:", "").split("\n")
    must = "the score must be a finite number; got"
    assert [one.partition(" Where ")[0] for one in found] == [
        f"2: {must} '4,0' in column 'Ann'.",
        f"4: {must} 'bad' in column 'Ann'.",
        f"2: {must} 'good' in column 'Cem'. (3 lines in all)",
        f"3: {must} 'fair' in column 'Cem'. (2 lines in all)",
    ]
    assert found[0].endswith("(3 lines in all)")
    assert 'labels=["bad=?","good=?","fair=?"]' in found[1]


def test_words_that_were_read_as_numbers_are_told_once(tmp_path):
    rows = ["s1,A,1 - bad,1 - bad", "s1,B,5 - good,5 - good"]
    _, problems = wide(tmp_path, *rows, head="segment,system,Ann,Bob", format_='table(judges=["Ann","Bob"])')
    assert "read as numbers: '1 - bad' as 1, '5 - good' as 5." in told(problems, "note")


def test_what_a_spreadsheet_has_around_its_rows(tmp_path):
    head, rows = "nr;system;Ann;Bob", ["s1;A;4;5", "s1;B;3;3", "s2;A;1;2", "s2;B;4;4"]
    titled, problems = wide(
        tmp_path, head, *rows, head="Ratings of spring;;;", format_='table(columns=["segment=nr"],judges=["Ann","Bob"])'
    )
    assert "1 row above the names of columns" in told(problems, "note")
    assert titled.judgments.score.tolist() == [4, 3, 1, 4, 5, 3, 2, 4]
    named = 'table(columns=["segment=nr"],judges=["Ann","Bob"])'
    blank, _ = wide(tmp_path, *rows[:2], ";;;", *rows[2:], ";;;", head=head, format_=named)
    assert blank.judgments.score.tolist() == [4, 3, 1, 4, 5, 3, 2, 4]
    _, problems = wide(tmp_path, *rows, ";;3.0;3.5", head=head, format_=named)
    assert told(problems, "error").endswith(
        "x.csv:6: names neither a segment nor a system; delete rows of means, totals or remarks."
    )


def test_texts_in_columns_of_unknown_names_are_looked_for(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("segment,system,judge,score,Satz\ns1,A,ann,4,one\ns1,B,ann,3,two\n")
    _, problems = read_sources([path])
    typed = """table(columns=["text=..."],reference_texts=["..."])"""
    assert f"If they hold texts of systems and references, type --source-format '{typed}'." in told(problems, "note")
    assert f"{path}: holds no texts of systems: judges can be compared" in told(problems, "note")


def test_a_column_of_numbers_that_may_be_the_segment_is_not_proposed_as_a_judge(tmp_path):
    _, problems = wide(tmp_path, "1,A,4,5", "1,B,3,3", head="nr,system,Ann,Bob", format_="table")
    assert 'columns=["segment=..."]' in told(problems, "error")
    assert not told(problems, "warning")


def test_a_name_that_is_unknown_is_told_once_for_all_criteria(tmp_path):
    rows = ["s1,A,,4,2", "s1,C,ann,,2", "s2,C,ann,3,2", "s9,A,ann,3,2"]
    _, problems = wide(tmp_path, *rows)
    found = told(problems, "error").replace(f"{tmp_path}/", "").split("\n")
    assert found[0] == "x.csv:2: the judge has no name."
    # Its first score stands in line 4, its first row in line 3.
    assert found[1].startswith("x.csv:3: unknown system 'C'.")
    assert found[1].endswith("(2 lines in all)")
    assert found[2].startswith("x.csv:5: unknown segment 's9'")
    assert len(found) == 3


def test_the_lines_of_missing_scores_are_told(tmp_path):
    _, problems = wide(tmp_path, "s1,A,ann,,3", "s1,B,ann,4,3")
    assert f"{tmp_path}/x.csv: has 1 missing score, in line 2." in told(problems, "note")
    rows = [f"s1,A,judge {n},,NA" for n in range(7)]
    _, problems = wide(tmp_path, *rows, "s1,B,ann,4,3")
    assert f"{tmp_path}/x.csv: has 14 missing scores, in lines 2, 3, 4, 5, 6 and 2 more." in told(problems, "note")
    # A row that is left out misses nothing.
    _, problems = wide(tmp_path, "s1,A,ann,,3", "s1,X,ann,,", format_=f'{WIDE[:-1]}, ignore=["X"])')
    assert f"{tmp_path}/x.csv: has 1 missing score, in line 2." in told(problems, "note")


def test_all_errors_of_a_table_are_told_at_once(tmp_path):
    rows = [
        ",A,ann,4,2",  # no segment
        "s1,,ann,4,2",  # no system
        "s1,C,ann,4,2",  # unknown
        "s9,A,ann,4,2",  # unknown
        "s1,A,ann,x,2",
        "s1,B,ann,7,2",  # out of range
        "s2,A,ann,4,2",
        "s2,A,ann,3,",  # again
        "s2,C,ann,8,2",  # unknown, and out of range
        "s1,C,ann,4,",  # the same unknown one again
    ]
    corpus, problems = wide(tmp_path, *rows)
    assert corpus is None
    found = told(problems, "error").replace(f"{tmp_path}/x.csv:", "").split("\n")
    assert sorted(one.partition(". ")[0].partition("; ")[0] for one in found) == [
        "2: names no segment.",
        "3: names neither a system nor a reference.",
        "4: unknown system 'C'",
        "5: unknown segment 's9'",
        "6: the score must be a finite number",
        "7: the score 7 is outside the range of 'adequacy', 1 to 5",
        "9: judge 'ann' judged 'A', segment 2, on 'adequacy' already in line 8",
    ]
