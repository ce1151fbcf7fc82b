"""The scores of the systems of a corpus as a file, which ``scores:FILE`` reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from metaeval.errors import UsageError
from metaeval.pooling import settle
from metaeval.records import Corpus

if TYPE_CHECKING:
    from metaeval.experiment.score import Scores


def write_scores(path: Path, corpus: Corpus, of_systems: Sequence[Scores], of_segments: Sequence[Scores]) -> None:
    """Write a table that ``scores:FILE`` reads back: rows of whole systems have no segment.

    Segments have the same bits again, and so have systems, but for rounding where a metric's score is the mean of its
    segments, which are then read instead.

    Raises
    ------
    UsageError
        If the file cannot be written.
    """
    documents = corpus.documents or ("",) * corpus.n_segments
    units = {"corpus": [("", "")], "segment": list(zip(documents, corpus.segment_ids, strict=True))}
    try:
        with path.open("w", encoding="utf-8") as file:
            file.write("metric\tsystem\tdocument\tsegment\tscore\n")
            for one in (*of_systems, *of_segments):
                for system, values in zip(one.candidates, one.values, strict=True):
                    # As an experiment compares them, which settles what a metric adds and takes all other scores to the
                    # last bit.
                    settled = settle(values, np.abs(values)) if one.preprocessing else values
                    file.writelines(
                        f"{one.metric}\t{system}\t{document}\t{segment}\t{value!r}\n"
                        for (document, segment), value in zip(units[one.level], settled.tolist(), strict=True)
                    )
    except OSError as error:
        raise UsageError(f"`output` must be a file that can be written; {path}: {error.strerror}.") from error
