"""A corpus and its judgments as data frames, and as tables of a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from metaeval.errors import UsageError, unknown

if TYPE_CHECKING:
    import pandas as pd

# Rows that a notebook shows.
_NOTEBOOK_ROWS = 10


def judgment_frame(judgments: Any, **names: Sequence[str]) -> pd.DataFrame:
    """Return judgments as a data frame, with names in the place of indices: ``system=corpus.systems``."""
    import pandas as pd  # scoring must not wait for it

    names_of = {"judge": judgments.judges, **names}
    columns = {key: getattr(judgments, key) for key in ("segment", "system", "judge", "criterion", "score")}
    named = {key: np.array(names_of[key], dtype=object)[columns[key]] for key in columns if key in names_of}
    return pd.DataFrame({**columns, **named}).copy()


def corpus_frame(corpus: Any, table: str) -> pd.DataFrame:
    """Return the judgments or the texts of a corpus as a data frame."""
    import pandas as pd  # scoring must not wait for it

    if table not in ("judgments", "texts"):
        raise UsageError(unknown("table of a corpus", str(table), ("judgments", "texts"), "tables"))
    if table == "judgments":
        criteria = [criterion.name for criterion in corpus.criteria]
        names = {"segment": corpus.segment_ids, "system": corpus.systems, "criterion": criteria}
        return judgment_frame(corpus.judgments, **names)
    facts = {"segment": corpus.segment_ids, "document": corpus.documents, "source": corpus.sources}
    columns = {key: texts for key, texts in facts.items() if texts is not None}
    systems = dict(zip(corpus.systems, corpus.candidates, strict=True))
    return pd.DataFrame({**columns, **corpus.references, **systems}, dtype=object)


def html_of(heading: str, frame: pd.DataFrame, note: str = "") -> str:
    """Return a table for a notebook between its heading and its note; all texts are escaped."""
    import html

    above, below = (f"<p>{html.escape(text)}</p>" if text else "" for text in (heading, note))
    return f"{above}{frame.to_html(index=False, border=0)}{below}"


def judgments_html(record: Any) -> str:
    """Return the first judgments of a corpus, or of judgments alone, as a table."""
    frame = record.to_frame()
    note = f"{len(frame) - _NOTEBOOK_ROWS} more judgments; to_frame() has all." if len(frame) > _NOTEBOOK_ROWS else ""
    return html_of(repr(record), frame.head(_NOTEBOOK_ROWS), note)
