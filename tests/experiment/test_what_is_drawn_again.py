"""What replicates draw, segments or documents, and by what intervals and tests count their units."""

from __future__ import annotations

import pytest

import metaeval
from tests.crossings.corpora import make_corpus


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Write 40 segments of five systems."""
    return make_corpus(tmp_path_factory.mktemp("drawn") / "made", n_systems=5, n_documents=40, length=1).directory


@pytest.mark.parametrize("kind", ["all", "segments"])
@pytest.mark.parametrize(
    ("sizes", "resampled"),
    # They say as much as (sum n)^2 / sum n^2 documents of equal size, of which ten are enough.
    [
        ([4] * 10, "documents"),  # 40^2 / (10 x 4^2) = 10
        ([5] * 8, "segments"),  # 8
        ([*[4] * 8, *[2] * 4], "documents"),  # 40^2 / (8 x 4^2 + 4 x 2^2) = 11.1
        ([20, *[2] * 10], "segments"),  # of 11 documents one has half of the text: 40^2 / (20^2 + 10 x 2^2) = 3.6
    ],
)
def test_documents_are_drawn_whole_where_they_say_as_much_as_ten_of_equal_size(corpus, sizes, resampled, kind):
    names = [f"d{number}" for number, size in enumerate(sizes) for _ in range(size)]
    rows = [f"{segment}\t{name}" for segment, name in enumerate(names, start=1)]
    (corpus / "documents.tsv").write_text("\n".join(["segment\tdocument", *rows]) + "\n")
    found = metaeval.correlate(
        corpus,
        ["precomputed:near", "precomputed:far"],
        criteria=["adequacy"],
        documents={"kind": kind},
        correlation={"coefficients": ["pearson"]},
        uncertainty={"n_resamples": 60},
    )
    assert {*found.correlations["resampled"]} == {resampled}
    assert {*found.tests["resampled"]} == {resampled}
    assert found.correlations["lower"].notna().all()
