"""What replicates draw, segments or documents, and by what intervals and tests count their units."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest

import metaeval
from tests.crossings.corpora import make_corpus


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Write 40 segments of five systems."""
    return make_corpus(tmp_path_factory.mktemp("drawn") / "made", n_systems=5, n_documents=40, length=1).directory


SETTINGS = {"criteria": ["adequacy"], "correlation": {"coefficients": ["pearson"]}, "uncertainty": {"n_resamples": 60}}
PSEUDO = {"kind": "pseudo", "lengths": [3], "count": 20}


def name_documents(corpus, sizes):
    names = [f"d{number}" for number, size in enumerate(sizes) for _ in range(size)]
    rows = [f"{segment}\t{name}" for segment, name in enumerate(names, start=1)]
    (corpus / "documents.tsv").write_text("\n".join(["segment\tdocument", *rows]) + "\n")


def correlated(corpus, documents, **settings):
    return metaeval.correlate(
        corpus, ["precomputed:near", "precomputed:far"], documents=documents, **{**SETTINGS, **settings}
    )


@pytest.mark.parametrize("rule", ["mean", "draw"])
@pytest.mark.parametrize("documents", [{"kind": "all"}, {"kind": "segments"}, PSEUDO], ids=lambda one: one["kind"])
@pytest.mark.parametrize(
    ("sizes", "told"),
    # They say as much as (sum n)^2 / sum n^2 documents of equal size, of which three are the least.
    [
        ([1] * 40, ""),  # each segment is one
        ([4] * 10, ""),  # 40^2 / (10 x 4^2) = 10
        ([5] * 8, "there are 8 documents and intervals are wide because they are few"),
        ([20, *[2] * 10], "there are 11 documents, as good as 3.6 of equal size, and intervals are wide"),
        ([20, 20], "2 documents are too few"),
        ([34, *[1] * 6], "7 documents, as good as 1.4 of equal size, are too few"),  # 40^2 / (34^2 + 6) = 1.38
    ],
)
def test_documents_are_drawn_whole_however_few_they_are(corpus, sizes, told, documents, rule):
    name_documents(corpus, sizes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = correlated(corpus, documents, judgments={"rule": rule})
    resampled = "segments" if len(sizes) == 40 else "documents"
    assert {*found.correlations["resampled"]} == {resampled} == {*found.tests["resampled"]}
    notes = [note for note in found.warnings if "as if those of a document were independent" in note]
    assert len(notes) == bool(told)
    assert all(told in note for note in notes)
    undecided = "are too few" in told
    assert found.correlations["lower"].isna().all() == undecided
    assert found.tests["p"].isna().all() == undecided
    for reasons in (found.correlations["no_interval_because"], found.tests["untested_because"]):
        assert {*reasons} == ({f"undecided: {told.replace(' are too few', '')} are too few"} if undecided else {""})


def test_intervals_that_are_not_there_are_not_called_wide(tmp_path):
    """Systems that were judged on two of four documents each have no interval, and the note says why."""
    corpus = make_corpus(tmp_path / "made", n_systems=4, n_documents=40, length=1).directory
    name_documents(corpus, [10] * 4)
    head, *rows = (corpus / "judgments.tsv").read_text().splitlines()
    columns = head.split("\t")

    def is_kept(row):
        cells = dict(zip(columns, row.split("\t"), strict=True))
        system, document = int(cells["system"].removeprefix("S")), (int(cells["segment"]) - 1) // 10
        return document in {system % 4, (system + 1) % 4}

    (corpus / "judgments.tsv").write_text("\n".join([head, *filter(is_kept, rows), ""]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = correlated(corpus, {"kind": "all"}, judgments={"require": "any"})
    assert found.correlations["lower"].isna().all()
    assert not any("intervals are wide" in note for note in found.warnings)
    (note,) = (note for note in found.warnings if "as if those of a document were independent" in note)
    assert note.startswith(
        "made: a system was judged on 2.0 of the 4 documents on average, too few for intervals and tests: what other"
    )


def test_segments_are_drawn_by_name(corpus):
    name_documents(corpus, [20, 20])
    found = correlated(corpus, {"kind": "segments"}, uncertainty={"resample": "segments", "n_resamples": 60})
    assert found.correlations["lower"].notna().all()
    assert {*found.correlations["resampled"]} == {"segments"}
    assert not any("documents" in note for note in found.warnings)


@pytest.mark.parametrize("documents", [{"kind": "all"}, {"kind": "segments"}, PSEUDO], ids=lambda one: one["kind"])
def test_without_named_documents_nothing_else_than_segments_is_drawn(corpus, documents):
    (corpus / "documents.tsv").unlink(missing_ok=True)
    unnamed, by_choice = (
        correlated(corpus, documents, uncertainty={"resample": resample, "n_resamples": 60})
        for resample in ("text", "segments")
    )
    for name, columns in (("correlations", ["mean", "lower", "upper"]), ("tests", ["p", "lower", "upper"])):
        one, other = (getattr(found, name)[columns].to_numpy(dtype=float) for found in (unnamed, by_choice))
        assert np.isfinite(one).all()
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("documents", "sizes", "said"),
    [
        (PSEUDO, [4] * 10, "there are 10 documents."),
        (PSEUDO, [20, *[2] * 10], "there are 11 documents, as good as 3.6 of equal size."),
        (PSEUDO, [2] * 20, ""),
        (PSEUDO, [20, 20], ""),  # there are no intervals
        ({"kind": "segments"}, [4] * 10, ""),
    ],
)
def test_a_note_on_intervals_of_pseudo_documents_of_fewer_than_twenty_documents(corpus, documents, sizes, said):
    name_documents(corpus, sizes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = correlated(corpus, documents)
    notes = [note for note in found.warnings if "means over pseudo-documents contain" in note]
    assert len(notes) == bool(said)
    assert all(note.endswith(said) for note in notes)


@pytest.mark.parametrize(("interval", "test"), [("standard-error", "standard-error"), ("bootstrap", "bootstrap")])
def test_a_half_without_enough_segments_has_no_replicates(corpus, interval, test):
    # Half of five documents, rounded down, are two, of which the largest have 12 + 10 segments: fewer than 25.
    name_documents(corpus, [12, 10, 6, 6, 6])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = correlated(
            corpus,
            {**PSEUDO, "lengths": [20, 25]},
            uncertainty={"n_resamples": 60, "method": interval},
            tests=[{"method": test}],
        )
    because = (
        "a replicate draws from half of the 5 documents, which have at most 22 segments, fewer than the 25 of a "
        "pseudo-document; choose a length of at most 22, or `uncertainty.resample` = 'segments', which takes the "
        "segments of a document as independent"
    )
    for rows, reasons, bound in (
        (found.correlations, "no_interval_because", "lower"),
        (found.tests, "untested_because", "p"),
    ):
        short, long = (rows[rows["length"] == length] for length in (20, 25))
        assert short[bound].notna().all()
        assert {*short[reasons]} == {""}
        assert long[bound].isna().all()
        assert {*long[reasons]} == {because}


@pytest.mark.parametrize(("resample", "from_half"), [("text", True), ("documents", True), ("segments", False)])
def test_the_note_on_percentiles_says_what_a_replicate_holds(corpus, resample, from_half):
    name_documents(corpus, [4] * 10)
    found = correlated(corpus, PSEUDO, uncertainty={"n_resamples": 60, "method": "bootstrap", "resample": resample})
    (note,) = (note for note in found.warnings if "holds some segments twice" in note)
    assert ("half of the documents" in note) == from_half


def test_means_over_pseudo_documents_vary_as_those_of_halves_of_the_documents(corpus):
    """Of single segments that are judged each by itself, all drawn: the mean of a half, stretched by f / (1 - f)."""
    sizes = [4, 4, 8, 8, 8, 8]
    name_documents(corpus, sizes)
    one_each = {"kind": "pseudo", "lengths": [1], "count": 4000}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = correlated(corpus, one_each, uncertainty={"n_resamples": 200, "method": "standard-error"})
        single = correlated(corpus, {"kind": "segments"}, uncertainty={"n_resamples": 60})
    (values, _), groups = single.grids[0].coefficients("pearson"), np.repeat(np.arange(6), sizes)
    expected = []
    for half in itertools.combinations(range(6), 3):
        held = np.isin(groups, half)
        share = held.mean()
        expected.append(share / (1 - share) * (np.nanmean(values[held]) - np.nanmean(values)) ** 2)
    replicates = found.grids[0].replicates("pearson")[0]
    # 200 of the 20 halves, and 4,000 draws of each: within a tenth.
    assert replicates.std(ddof=1) == pytest.approx(np.sqrt(np.mean(expected)), rel=0.12)
