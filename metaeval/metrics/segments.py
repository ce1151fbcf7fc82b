"""Token ids by segment, as lists: the form that the plain definitions of the metrics read."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from metaeval.records import Segments


def segment_ids(segments: Segments) -> list[list[int]]:
    """Return the token ids of each segment."""
    ids, offsets = segments.ids.tolist(), segments.offsets.tolist()
    return [ids[start:end] for start, end in itertools.pairwise(offsets)]


def present_references(references: Sequence[Segments]) -> list[list[list[int]]]:
    """Return, for each segment, the token ids of the references that it has, in the order given."""
    ids = [segment_ids(reference) for reference in references]
    present = [reference.present.tolist() for reference in references]
    return [
        [ids[k][segment] for k in range(len(references)) if present[k][segment]]
        for segment in range(len(references[0]))
    ]
