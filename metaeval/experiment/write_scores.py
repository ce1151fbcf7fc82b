"""Write the scores of the systems of a corpus to a file that ``scores:FILE`` reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from metaeval.datamodel.corpus import Corpus
from metaeval.datamodel.pooling import settle
from metaeval.errors import UsageError

if TYPE_CHECKING:
    from metaeval.experiment.score import Scores


def write_scores(path: Path, corpus: Corpus, of_systems: Sequence[Scores], of_segments: Sequence[Scores]) -> None:
    """Write a table that ``scores:FILE`` reads back: rows of whole systems have no segment.

    Scores of segments are read back bit by bit. So are those of systems, except for rounding where a metric's score is
    the mean of its segments: then the segments are read instead.

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
            for scores in (*of_systems, *of_segments):
                for system, values in zip(scores.candidates, scores.values, strict=True):
                    # Sums are rounded as in an experiment; all other scores are written to the last bit.
                    settled = settle(values, np.abs(values)) if scores.preprocessing else values
                    file.writelines(
                        f"{scores.metric}\t{system}\t{document}\t{segment}\t{value!r}\n"
                        for (document, segment), value in zip(units[scores.level], settled.tolist(), strict=True)
                    )
    except OSError as error:
        raise UsageError(f"`output` must be a file that can be written; {path}: {error.strerror}.") from error
