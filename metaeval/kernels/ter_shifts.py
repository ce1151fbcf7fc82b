"""The edits of TER, compiled: see `metaeval.metrics.ter_shifts`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from metaeval.kernels.segment_pairs import Texts, for_pairs

# Tables of edit distances up to this size are stored whole; of larger ones some rows are stored, and the others are
# computed again when they are needed.
_TABLE_BYTES = 1 << 22


def shift_edits(
    texts: Texts,
    places: str,
    size: int | None,
    distance: int | None,
    beam: int | None,
    choices: int | None,
    table_bytes: int = _TABLE_BYTES,
) -> npt.NDArray[np.int32] | None:
    """Return the edits of each pair of segments; None without kernels.

    Parameters
    ----------
    texts : tuple of arrays
        The ids and offsets of the candidate, then those of the reference.
    places : {"tercom", "aligned"}
    size, distance, beam, choices : int or None
        As of `metaeval.metrics.ter_shifts.ShiftSearch`; None: no limit.
    table_bytes : int
        Changes no result, only time and memory, which is up to about six times this number of bytes, or, where this is
        more, what three tables of sqrt(tokens) rows need, of which one has 4 bytes for each token and row.

    Returns
    -------
    (segments, 9) int32 array
        Edits, insertions, deletions, substitutions, shifts, words shifted, whether the search was stopped, and the
        lengths of the reference and of the candidate.
    """
    limits = [-1 if limit is None else limit for limit in (size, distance, beam, choices)]
    return for_pairs("shift_edits", texts, places == "aligned", *limits, table_bytes, dtype=np.int32, shape=(9,))
