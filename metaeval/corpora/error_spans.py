"""Errors that were marked in texts, as tables have them, become arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from metaeval.corpora.judgment_columns import positions
from metaeval.corpora.segment_index import Key
from metaeval.corpora.text_files import Files
from metaeval.datamodel.annotations import ErrorSpans
from metaeval.datamodel.corpus import IntArray
from metaeval.errors import listing


class Span(NamedTuple):
    """An error in a text: by whom, from where to behind where, or -1 and -1 if something is missing."""

    segment: int | Key
    name: str
    judge: str
    start: int
    end: int
    severity: str
    category: str
    in_source: bool = False


# Longer texts are none.
_MAX_POSITION = 2**31 - 2


def spans_in(errors: object, of: Span, bounds: Sequence[str], files: Files, location: str) -> list[Span]:
    """Return the errors of an annotation in JSON; what is none is noted.

    Parameters
    ----------
    errors : object
        A list of objects with severity and category, and ``is_source_error`` where one is of the source; None for none.
    of : Span
        Whose errors they are.
    bounds : sequence of str
        The keys of the first character and of what lies behind the last one; neither a number: something is missing.
    files : Files
    location : str
        For messages.
    """
    if errors is None:
        return []
    if not isinstance(errors, list) or not all(isinstance(error, dict) for error in errors):
        files.error(location, f"the errors must be a list of objects; got {str(errors)[:60]!r}.")
        return []
    spans = []
    for error in errors:
        start, end = map(error.get, bounds)
        if not (isinstance(start, int) and isinstance(end, int)) or start is True or end is True:
            if start is not None and end is not None and "missing" not in (start, end):
                files.error(
                    location, f"{listing(bounds)} of an error must be whole numbers; got {start!r} and {end!r}."
                )
                continue
            start = end = -1
        elif not 0 <= start <= end <= _MAX_POSITION:
            start = end = -1
        severity, category = (" ".join(str(error.get(key) or "").split()) for key in ("severity", "category"))
        in_source = bool(error.get("is_source_error"))
        spans.append(of._replace(start=start, end=end, severity=severity, category=category, in_source=in_source))
    return spans


def spans_of(
    spans: Sequence[Span], names: Sequence[str], segment_of: Callable[[Key], int | None], files: Files
) -> ErrorSpans | None:
    """Return the errors in the texts of a corpus; those of other texts are left out, with a warning."""
    strange = sorted({span.name for span in spans}.difference(names))
    if strange:
        files.warning(
            files.directory, f"has errors marked in texts of {listing(strange)}, which the corpus has not; left out."
        )
    segments = [span.segment if isinstance(span.segment, int) else segment_of(span.segment) for span in spans]
    # A segment that is unknown is an error of the judgments beside it.
    known_spans = [
        span._replace(segment=segment)
        for span, segment in zip(spans, segments, strict=True)
        if segment is not None and span.name not in strange
    ]
    if not known_spans:
        return None
    segment, name, judge, start, end, severity, category, in_source = zip(*known_spans, strict=True)
    texts = [text_name for text_name in names if text_name in set(name)]
    judges, severities, categories = (sorted(set(values)) for values in (judge, severity, category))
    return ErrorSpans(
        names=tuple(texts),
        judges=tuple(judges),
        severities=tuple(severities),
        categories=tuple(categories),
        text=_indices(name, texts),
        segment=np.array(segment, dtype=np.int32),
        judge=_indices(judge, judges),
        start=np.array(start, dtype=np.int32),
        end=np.array(end, dtype=np.int32),
        severity=_indices(severity, severities),
        category=_indices(category, categories),
        in_source=np.array(in_source, dtype=bool),
    )


def _indices(values: Sequence[str], known: Sequence[str]) -> IntArray:
    index = positions(known)
    return np.array([index[value] for value in values], dtype=np.int32)
