"""Averages over corpora whose documents have the same names, and what is said of documents."""

from __future__ import annotations

import math
import shutil

import pytest

import metaeval
from tests.crossings.corpora import make_corpus

CONFIG = """
title = "Tasks"
corpora = []
metrics = ["precomputed:near", "precomputed:far"]
criteria = ["adequacy"]
uncertainty.n_resamples = 60
figures = []

[ranking]
permutations = {permutations}

[[tasks]]
coefficient = "pearson"

[[tasks]]
level = "{level}"
coefficient = "acc_eq"
"""
N_DOCUMENTS = 10


@pytest.fixture(scope="module")
def corpora(tmp_path_factory):
    """Write one corpus under several names, with documents of four segments, and with each segment a document."""
    directory = tmp_path_factory.mktemp("shared")
    made = make_corpus(directory / "made", n_systems=5, n_documents=40, length=1).directory
    names = [f"d{number}" for number in range(N_DOCUMENTS)]
    named = {
        "one": names,
        "same": names,
        "other": [f"e{number}" for number in range(N_DOCUMENTS)],
        "partly": [*names[:-1], "e0"],
        "turned": names[::-1],
    }
    for corpus, of_corpus in named.items():
        in_fours = [name for name in of_corpus for _ in range(4)]
        single = [f"{name}-{place}" for name in of_corpus for place in range(4)]
        for folder, of_segments in ((directory / "fours", in_fours), (directory / "single", single)):
            shutil.copytree(made, folder / corpus)
            rows = [f"{segment}\t{name}" for segment, name in enumerate(of_segments, start=1)]
            text = "\n".join(["segment\tdocument", *rows]) + "\n"
            (folder / corpus / "documents.tsv").write_text(text, encoding="utf-8")
    return directory


def run(tmp_path, corpora, names, *, level="segment", permutations=0, **settings):
    path = tmp_path / "mine.toml"
    path.write_text(CONFIG.format(level=level, permutations=permutations), encoding="utf-8")
    given = [str(corpora / name) for name in names]
    return metaeval.run(path, corpora=given, overrides=settings, output=tmp_path / "-".join(names))


def half_widths(found):
    """Return how far the interval of the average of each metric reaches below it; none is cut at 0 here."""
    widths = {}
    for row in found.data.tables.averages:
        assert 0 < row.lower < row.average_correlation
        widths[row.metric] = row.average_correlation - row.lower
    assert len(widths) == 2
    return widths


@pytest.mark.parametrize(
    ("second", "share"),
    [
        # The same errors in both: those of one corpus.
        ("same", 1.0),
        # As if they were independent: (e / 2) ** 2 + (e / 2) ** 2 = e ** 2 / 2.
        ("other", math.sqrt(0.5)),
        # As if they were wholly correlated: e / 2 + e / 2 = e.
        ("partly", 1.0),
        ("turned", 1.0),
    ],
)
@pytest.mark.parametrize("folder", ["fours", "single"])
def test_the_error_of_an_average_of_a_corpus_and_its_copy(second, share, folder, tmp_path, corpora):
    alone, both = (run(tmp_path, corpora / folder, names) for names in (["one"], ["one", second]))
    expected = {metric: width * share for metric, width in half_widths(alone).items()}
    assert half_widths(both) == pytest.approx(expected, rel=1e-9)
    notes = [note for note in both.warnings if "documents of the same names" in note]
    assert len(notes) == (second in ("partly", "turned"))
    assert all(note.startswith(f"'one', '{second}': ") for note in notes)


def test_documents_that_are_compared_are_drawn_together_too(tmp_path, corpora):
    widths = {}
    for names in (["one"], ["one", "same"], ["one", "other"]):
        widths[names[-1]] = half_widths(run(tmp_path, corpora / "fours", names, level="document"))
    assert widths["same"] == pytest.approx(widths["one"], rel=1e-9)
    assert widths["other"] == pytest.approx({name: one * math.sqrt(0.5) for name, one in widths["one"].items()})


def test_segments_by_choice_are_independent_in_all_corpora(tmp_path, corpora):
    by_choice = {"uncertainty": {"n_resamples": 60, "resample": "segments"}}
    alone, both = (run(tmp_path, corpora / "fours", names, **by_choice) for names in (["one"], ["one", "partly"]))
    assert half_widths(both) == pytest.approx(
        {metric: width * math.sqrt(0.5) for metric, width in half_widths(alone).items()}
    )
    assert not [note for note in both.warnings if "documents of the same names" in note]


@pytest.mark.parametrize(
    ("folder", "permutations", "is_said"), [("fours", 20, True), ("fours", 0, False), ("single", 20, False)]
)
def test_how_often_the_published_test_errs_where_segments_are_in_documents(
    folder, permutations, is_said, tmp_path, corpora
):
    found = run(tmp_path, corpora / folder, ["one", "other"], permutations=permutations)
    notes = [note for note in found.warnings if "PERM-BOTH" in note]
    assert len(notes) == is_said
    assert all(note.startswith("one, other: ") and "62 % by acc_eq" in note for note in notes)
