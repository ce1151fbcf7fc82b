"""Scores that come with a corpus: ``metrics/`` holds those of metrics, ``human/`` those of whole documents or systems.

=========================  ========================
NAME.tsv                   system, segment, score
NAME.document.tsv          system, document, score
NAME.system.tsv            system, score
=========================  ========================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from metaeval.corpora.columns import Rows, look_up, numbers, positions, unknown_name
from metaeval.corpora.lines import Files, packed_or_not, stem_of
from metaeval.records import GivenScores

FOLDERS = {"metrics": "metric", "human": "human"}
LEVELS = {"segment": ("system", "segment"), "document": ("system", "document"), "system": ("system",)}


def read_given(
    files: Files, directory: Path, systems: Sequence[str], documents: Sequence[str] | None, n_segments: int
) -> tuple[GivenScores, ...]:
    """Read the folders of scores. Names are those of files here, and segments have numbers as units.

    Parameters
    ----------
    files : Files
        The reader of the corpus directory.
    directory : Path
        The corpus.
    systems : sequence of str
        Systems and references, which may be scored too.
    documents : sequence of str or None
        The document of each segment.
    n_segments : int

    Returns
    -------
    tuple of GivenScores
        In the order of folders and files. A file that is wrong is noted and left out.
    """
    units: Mapping[str, Sequence[str]] = {
        "segment": [str(number) for number in range(1, n_segments + 1)],
        "document": list(dict.fromkeys(documents or ())),
        "system": [""],
    }
    found = []
    for folder, origin in FOLDERS.items():
        for path in sorted((directory / folder).glob("*")) if (directory / folder).is_dir() else []:
            if path.name.startswith("."):
                continue
            if packed_or_not(path).suffix != ".tsv":
                files.problems.warning(path, "is not read: only files that end in .tsv are scores.")
                continue
            one = _read_one(files, path, origin, systems, units)
            if one is not None:
                found.append(one)
    return tuple(found)


def _read_one(
    files: Files, path: Path, origin: str, systems: Sequence[str], units: Mapping[str, Sequence[str]]
) -> GivenScores | None:
    name, level = stem_of(path), "segment"
    for other in ("document", "system"):
        if name.endswith(f".{other}"):
            name, level = name.removesuffix(f".{other}"), other
    table = files.table(path, (*LEVELS[level], "score"))
    if table is None or not files.check_name(path, name):
        return None
    named = table["system"]
    rows = Rows(files.place(path), range(2, len(named) + 2))
    problems, before = files.problems, len(files.problems.errors)
    if level == "document" and not units[level]:
        problems.error(
            rows.place, "has scores of documents, but neither segments.tsv nor documents.tsv tells the documents."
        )
        return None
    occurring = set(named)
    scored = [name for name in systems if name in occurring]
    system = look_up(named, positions(scored), rows, problems, unknown_name("system", systems))
    known = units[level]
    column = table[level] if level != "system" else [""] * len(named)
    unit = look_up(column, positions(known), rows, problems, unknown_name(level, known))
    score = numbers(table["score"], rows, problems)
    if len(problems.errors) > before:
        return None
    cells = system.astype(np.int64) * len(known) + unit
    order = np.argsort(cells, kind="stable")
    for row in order[1:][cells[order][1:] == cells[order][:-1]]:
        where = f", {level} {column[row]!r}," if column[row] else ""
        problems.error(rows.place_of(int(row)), f"scores {named[row]!r}{where} a second time.")
    values = np.full((len(scored), len(known)), np.nan)
    values[system, unit] = score
    shown = tuple(known) if level != "system" else ()
    return GivenScores(name, origin, level, tuple(scored), shown, values)
