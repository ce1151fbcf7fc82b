"""Of many notes on a comparison, those that can change its conclusion are among the three that are shown."""

from __future__ import annotations

import pytest

import metaeval
from metaeval.cli import main
from metaeval.errors import ReadingNote
from metaeval.report.folded_messages import brief, can_change_a_conclusion, folded, order
from metaeval.report.page.first_screen import first_screen
from metaeval.report.tabular import Noted

pytestmark = pytest.mark.filterwarnings("ignore::metaeval.MetaevalWarning")


def fails(candidate):
    raise ValueError("no model")


def judged():
    """Return a corpus of six systems, of which E was judged on a part of the segments, and F nowhere."""
    rows = [
        {"segment": segment, "system": system, "judge": judge, "criterion": "quality", "score": (segment + place) % 5}
        for segment in range(1, 31)
        for place, system in enumerate("ABCDE")
        for judge in ("ann", "bob")
        if system != "E" or segment <= 12
    ]
    texts = {name: [f"{name} a b c {number % 4}" for number in range(30)] for name in "ABCDEF"}
    return metaeval.corpus(rows, outputs=texts, references=[f"A a b c {number % 5}" for number in range(30)])


def shown(corpus, metrics=("bleu", "chrf"), **settings):
    return " ".join(brief(metaeval.compare(corpus, [*metrics], n_resamples=60, **settings).notes))


def test_a_metric_that_fails_is_among_them():
    assert "left out: metric 'fails'" in shown("demo", [fails, "bleu", "ter"], criteria=["adequacy"])


@pytest.mark.parametrize("level", ["system", "segment"])
def test_judgments_that_are_missing_and_systems_that_nobody_judged_are_among_them(level):
    notes = shown(judged(), level=level)
    # Of five systems on 30 segments, one lacks 18.
    assert "132 of 150 items were judged" in notes
    assert "nobody judged 'F', which is left out" in notes


def test_segments_that_lack_a_judgment_are_among_them():
    assert "18 lack a judgment of some system" in shown(judged(), require="all", level="segment")


@pytest.mark.parametrize(
    ("note", "is_decisive"),
    [
        ("Which metric is the best depends on single systems: without A, chrF.", True),
        ("demo: there are 12 documents and intervals are wide because they are few.", True),
        ("demo: 3 documents are too few for intervals and tests.", True),
        ("demo: 26 metrics were left out, because other references than 'refA' were used for the scores: X.", True),
        # What the user asked for is no surprise.
        ("demo: taken as systems: ref2; left out by the filter: 1 of 5 systems (D).", False),
        ("demo.txt:1: contains a byte order mark; the text is kept as it is.", False),
    ],
)
def test_what_can_change_a_conclusion(note, is_decisive):
    assert can_change_a_conclusion(note) == is_decisive


def table_of_two_scores(path):
    """Write a table of six systems whose columns of scores may be of criteria or of judges."""
    lines = ["segment,system,reference,text,Adäquatheit Anna,Adäquatheit Ben"]
    lines += [
        f"{segment},{system},a b c {segment % 5},{system} a b c {segment % 4},"
        f"{(segment + place) % 5 + 1},{(segment * place) % 5 + 1}"
        for segment in range(1, 31)
        for place, system in enumerate("ABCDEF")
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_how_a_table_was_read_comes_first_and_whole(tmp_path, capsys):
    path = table_of_two_scores(tmp_path / "wide.csv")
    compared = metaeval.compare(path, ["bleu", "chrf"], n_resamples=60)
    how_to_change = 'table(judges=["Adäquatheit Anna","Adäquatheit Ben"],reference_texts=["reference"])'
    # More than three others, so that some are cut.
    assert len(compared.notes) > 3
    assert compared.notes[0].endswith(f"if they are judges, type source_formats='{how_to_change}'")
    assert f"\n\nnote: {compared.notes[0]}\n\n" in str(compared)
    assert "source_formats" in compared._repr_html_().partition("Note:")[2].partition("</p>")[0]
    arguments = ["compare", "--corpus", str(path), "-m", "bleu", "chrf", "--resamples", "60"]
    assert main(arguments) == 0
    first, *others = [line for line in capsys.readouterr().err.splitlines() if "note: " in line]
    assert first.endswith(f"type --source-format '{how_to_change}'")
    # Three others, and how many more there are: it takes none of their places.
    assert len(others) >= 3


def test_a_run_that_is_read_again_knows_how_its_corpus_was_read(tmp_path):
    path = table_of_two_scores(tmp_path / "wide.csv")
    metaeval.compare(path, ["bleu", "chrf"], n_resamples=60, output=tmp_path / "run")
    run = metaeval.load_run(tmp_path / "run")
    assert "taken for criteria" in run.notes[0]
    assert "taken for criteria" in first_screen(run.data, None).warnings[0]


def test_notes_on_reading_are_besides_the_three_that_are_shown():
    reading = [ReadingNote(f"file{number}.csv:1: was guessed. So it is.") for number in range(5)]
    others = [f"note {number}." for number in range(5)]
    assert brief([*reading, *others]) == [*reading, *others[:3], "2 more notes: `notes` has all."]


def test_lines_to_type_of_two_files_are_both_shown(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("one.csv", "two.csv"):
        table_of_two_scores(tmp_path / name)
    assert main(["compare", "--corpus", "one.csv", "two.csv", "-m", "bleu", "--resamples", "60"]) == 0
    notes = [line for line in capsys.readouterr().err.splitlines() if "if they are judges, type" in line]
    assert [note.partition("note: ")[2].partition(":1:")[0] for note in notes] == ["one.csv", "two.csv"]
    assert not any("more like this" in note for note in notes)
    # Notes on reading that have nothing to type are folded as others are.
    same = [ReadingNote(f"{name}.csv: has texts that look misplaced. See them.") for name in "ab"]
    assert folded(same, "ab") == ["a.csv: has texts that look misplaced. (and 1 more like this)"]


def test_what_a_table_warns_of_is_printed_where_the_run_has_no_warning(capsys):
    arguments = ["compare", "--corpus", "demo", "-m", "bleu", "--level", "segment", "--criterion", "adequacy"]
    assert not metaeval.compare("demo", ["bleu"], level="segment", criteria=["adequacy"], ceiling=0).warnings
    assert main([*arguments, "--ceiling", "0"]) == 0
    assert "note: Many pairs of systems are tied: by BLEU in" in capsys.readouterr().err
    # With all, it stands below its table, and once.
    assert main([*arguments, "--ceiling", "0", "--verbose"]) == 0
    output = capsys.readouterr()
    assert "Many pairs of systems are tied" in output.out
    assert "note:" not in output.err


def test_what_was_left_out_comes_before_what_the_answer_says():
    """The answer names few documents and the system that decides; what was left out stands nowhere else."""
    said = [
        "Which metric is the best depends on single systems: without A, chrF.",
        "No confidence interval of any metric: it needs at least 3 documents.",
    ]
    others = [
        "a metric: it is assumed that higher is better.",
        "demo: 20 of 30 items were judged.",
        "nobody judged 'F'.",
    ]
    notes = sorted([*said, *others], key=order)
    assert notes == [*others[1:], *said, others[0]]
    assert brief(notes) == [*notes[:3], "2 more notes, 1 of which can change a conclusion: `notes` has all."]
    assert brief([*notes, others[0]])[-1] == "3 more notes, 1 of which can change a conclusion: `notes` has all."
    assert brief([*notes[:3], said[1]])[-1] == "1 more note, which can change a conclusion: `notes` has all."
    assert brief([*notes[:3], others[0]])[-1] == "1 more note: `notes` has all."


def test_all_notes_are_in_the_order_of_the_brief_ones():
    class Result(Noted):
        warnings = (
            "demo: a note.",
            "demo: 3 are too few. Take more.",
            "nobody judged 'F'.",
            ReadingNote("a.csv: read."),
        )
        failures = ()

        def _tables_for_people(self):
            return []

    first, second, third, fourth = Result.warnings
    assert Result().notes == Result().all_notes == (fourth, third, second, first)


def test_a_notebook_shows_as_many_notes_as_a_terminal():
    compared = metaeval.compare(judged(), [fails, "bleu", "chrf"], n_resamples=60)
    assert len(compared.notes) > 4
    shown_notes = brief(compared.notes)
    assert compared._repr_html_().count("<strong>Note:</strong>") == str(compared).count("\nnote: ") == len(shown_notes)
