"""Tasks with and without a filter that leaves out nothing, so that two of them have the same numbers."""

from __future__ import annotations

import pytest

import metaeval
from metaeval.errors import ReadingNote

# The median of the means is 3, and their median distance from it is 1, so that 9 is an outlier and 5 is none.
MEANS = {"with_outlier": (1, 2, 3, 4, 9), "even": (1, 2, 3, 4, 5)}


@pytest.fixture
def config(tmp_path, monkeypatch):
    """Write two corpora of five systems, and a config that compares them with and without outliers."""
    monkeypatch.chdir(tmp_path)
    for name, means in MEANS.items():
        rows = ["segment,system,adequacy,BLEU,TER"]
        for segment in range(1, 13):
            for place, mean in enumerate(means):
                bleu, ter = place * 3 + segment % 4, (place * segment) % 5
                rows.append(f"{segment},{'ABCDE'[place]},{mean + segment % 2},{bleu},{ter}")
        (tmp_path / f"{name}.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    path = tmp_path / "tasks.toml"

    def written(filters, corpora=(*MEANS,), more=""):
        listed = ", ".join(f'"{name}.csv"' for name in corpora)
        path.write_text(
            f'title = "t"\ncorpora = [{listed}]\nmetrics = ["precomputed:*"]\nuncertainty.n_resamples = 60\n'
            f"ranking.permutations = 0\n[[tasks]]\nfilters = {filters}\n{more}",
            encoding="utf-8",
        )
        return path

    return written


def notes_of(path, tmp_path):
    with pytest.warns(metaeval.MetaevalWarning):
        run = metaeval.run(path, output=tmp_path / "run")
    return run, [note for note in run.notes if "count in the averages" in note]


def test_a_filter_that_leaves_out_nothing_of_a_corpus_is_said(config, tmp_path):
    run, notes = notes_of(config('[{}, { outliers = "mad" }]'), tmp_path)
    assert notes == [
        "The filter `outliers = mad` leaves out nothing of 'even.csv': there the tasks with it have the numbers of "
        "those without it, and both count in the averages. To count them once, give the filter a [[tasks]] of its own "
        "with "
        '`corpora = ["with_outlier.csv"]`.'
    ]
    # It is not among the three that are shown of many, but besides.
    assert isinstance(notes[0], ReadingNote)
    values = run.tasks.pivot_table(index="metric", columns="task", values="value")
    of_even = [name for name in values.columns if "even" in name]
    assert len(of_even) == 2
    assert (values[of_even[0]] == values[of_even[1]]).all()


def test_what_it_proposes_counts_each_once(config, tmp_path):
    own = '[[tasks]]\nfilters = [{ outliers = "mad" }]\ncorpora = ["with_outlier.csv"]\n'
    run, notes = notes_of(config("[{}]", more=own), tmp_path)
    assert not notes
    assert len(run.tasks["task"].unique()) == 3


def test_a_filter_that_leaves_out_nothing_anywhere_is_to_be_left_out(config, tmp_path):
    _, notes = notes_of(config('[{}, { outliers = "mad" }]', corpora=("even",)), tmp_path)
    assert [note.partition("To count them once, ")[2] for note in notes] == ["leave the filter out."]


def test_no_filter_has_no_such_note(config, tmp_path):
    assert not notes_of(config("[{}]"), tmp_path)[1]
