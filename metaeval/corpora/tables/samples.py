"""Several outputs of a system for a segment, told apart by a column such as `sample` or `seed`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metaeval.corpora.tables.delimited import Frame
from metaeval.corpora.tables.headers import columns_for, plain
from metaeval.corpora.text_files import Files
from metaeval.errors import unknown

if TYPE_CHECKING:
    from metaeval.corpora.formats.table import Table

APART = "apart"
_SAMPLE_COLUMNS = {
    *("sample", "sampleid", "sampleindex", "sampleidx", "run", "runid", "seed", "generation", "generationid"),
    *("generationindex", "trial", "trialid"),
}


def without_samples(frame: Frame, user: Table, files: Files) -> Frame | None:
    """Return a table with one output of each system for each segment; None after asking which is meant.

    Parameters
    ----------
    frame : Frame
    user : Table
        Its `samples` says what becomes of the others: each is a system of its own, or one is taken.
    files : Files
        Takes what is wrong.
    """
    column = next((name for name in frame.columns if plain(name) in _SAMPLE_COLUMNS), None)
    roles = dict(entry.split("=", 1) for entry in user.columns)
    if user.samples and column is None:
        files.error(
            f"{frame.location}:1", "`samples`: no column tells several outputs apart, such as 'sample' or 'seed'."
        )
        return None
    if column is None or column in (*roles.values(), *user.criteria, *user.judges, *user.lists):
        return frame
    column_of = {
        role: next(iter([roles[role]] if role in roles else columns_for(role, frame.columns)), None)
        for role in ("system", "text", "segment", "document")
    }
    segment = column_of["segment"] or next(iter(columns_for("source", frame.columns)), None)
    text = column_of["text"]
    system = column_of["system"]
    if system is None or text is None or segment is None or not {system, text, segment} <= frame.columns.keys():
        return frame
    keys = [frame.columns[name] for name in (column_of["document"], segment, system) if name in frame.columns]
    first = dict[tuple[str, ...], int]()
    values = frame.columns[column]
    texts = frame.columns[text]
    clash = None
    for row, key in enumerate(zip(*keys, strict=True)):
        before = first.setdefault(key, row)
        if texts[before] != texts[row] and values[before] != values[row]:
            clash = before, row
            break
    remaining = frame.without(column)
    if user.samples == APART:
        return remaining.with_column(system, [f"{name} #{value}" for name, value in zip(keys[-1], values, strict=True)])
    if user.samples:
        rows = [row for row, value in enumerate(values) if value == user.samples]
        if not rows:
            files.error(f"{frame.location}:1", f"`samples`: {unknown('sample', user.samples, dict.fromkeys(values))}")
            return None
        files.note(frame.location, f"left out: rows of other samples than {user.samples!r} ({len(frame) - len(rows)}).")
        return remaining.at(rows)
    if clash is None:
        return frame
    before, row = clash
    typed_separate = files.typed(user.written(samples=APART))
    typed_one = files.typed(user.written(samples=values[before]))
    files.error(
        f"{frame.location}:{frame.lines[row]}",
        f"is another output of {keys[-1][row]!r} for segment {frame.columns[segment][row][:60]!r} than line "
        f"{frame.lines[before]}: {texts[row][:60]!r} and {texts[before][:60]!r}, which column {column!r} tells apart "
        f"({values[row]} and {values[before]}). To make each a system of its own, type {typed_separate}; to "
        f"take one, {typed_one}.",
    )
    return None
