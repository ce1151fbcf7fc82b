"""The neutral corpus directory, which any editor and any shell can read.

===========================  ==========================================================================
corpus.toml                  name, title, language, license, source, citation, notes, [[criteria]]
source.txt                   one segment a line (optional)
references/NAME.txt          one segment a line; an empty line means: no such reference here
empty_references.tsv         reference, segment: references that are really empty (optional)
systems/NAME.txt             one segment a line; an empty line is an empty output
segments.tsv                 segment, id, document (optional)
documents.tsv                segment, document (optional)
judgments.tsv                segment, system, judge, criterion, score (optional)
reference_judgments.tsv      the same for human texts, with the column reference (optional)
===========================  ==========================================================================
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metaeval.corpora.lines import Files
from metaeval.corpora.problems import Problems
from metaeval.corpora.tables import NO_JUDGMENTS, read_empty_references, read_judgments, read_segment_columns
from metaeval.errors import UsageError, listing
from metaeval.parameters import build, parameter
from metaeval.records import Corpus, Criterion

_DIRECTIONS = ("higher", "lower")


@dataclass(frozen=True)
class _CriterionEntry:
    """One [[criteria]] of corpus.toml."""

    name: str = parameter(doc="the name used in judgments.tsv")
    low: float = parameter(doc="the lowest score possible")
    high: float = parameter(doc="the highest score possible")
    direction: str = parameter(doc="which end is good", choices=_DIRECTIONS)


@dataclass(frozen=True)
class _Description:
    """The keys of corpus.toml."""

    name: str = parameter("", doc="the short name of the corpus")
    title: str = parameter("", doc="one line for people")
    language: str = parameter("", doc="of the systems and references")
    source_language: str = parameter("", doc="of the sources")
    license: str = parameter("", doc="what may be done with it")
    source: str = parameter("", doc="where it comes from")
    citation: str = parameter("", doc="what to cite")
    notes: str = parameter("", doc="what a user must know")
    criteria: tuple[_CriterionEntry, ...] = parameter((), doc="what was judged")


def read_neutral(directory: Path) -> tuple[Corpus | None, Problems]:
    """Read a corpus directory and check all of it.

    Parameters
    ----------
    directory : Path
        The directory that holds corpus.toml.

    Returns
    -------
    Corpus or None
        None if anything makes it unusable.
    Problems
        Everything that is wrong or remarkable, each with its place.
    """
    problems = Problems()
    files = Files(directory, problems)
    if not directory.is_dir():
        found = "is a file" if directory.exists() else "does not exist"
        problems.error(directory, f"{found}; a corpus is a directory with corpus.toml, systems/ and references/.")
        return None, problems
    description = _read_description(files, directory / "corpus.toml")
    candidates = _read_folder(files, directory / "systems", required=True)
    references = _read_folder(files, directory / "references", required=False)
    texts: dict[str, tuple[str, ...]] = {f"systems/{name}.txt": lines for name, lines in candidates.items()}
    texts |= {f"references/{name}.txt": lines for name, lines in references.items()}
    sources = files.lines(directory / "source.txt") if (directory / "source.txt").exists() else None
    if sources is not None:
        texts["source.txt"] = sources
    n_segments = _common_length(texts, directory, problems)
    if n_segments == 0:
        problems.error(directory, "has no segments: its text files are empty.")
    if description is None or not n_segments:
        return None, problems

    criteria = tuple(
        Criterion(entry.name, entry.low, entry.high, entry.direction == "higher") for entry in description.criteria
    )
    systems = tuple(candidates)
    segment_ids, documents = _read_segments(files, directory, n_segments)
    judgments, reference_judgments = NO_JUDGMENTS, NO_JUDGMENTS
    judged: tuple[str, ...] = ()
    if (directory / "judgments.tsv").exists():
        judgments, _ = read_judgments(files, directory / "judgments.tsv", "system", systems, criteria, n_segments)
        for position, criterion in enumerate(criteria):
            if not (judgments.criterion == position).any():
                problems.note(directory / "judgments.tsv", f"has no judgment on {criterion.name!r}.")
    else:
        problems.note(directory, "has no judgments.tsv: metrics can be computed, but not compared with people.")
    if (directory / "reference_judgments.tsv").exists():
        path = directory / "reference_judgments.tsv"
        reference_judgments, judged = read_judgments(files, path, "reference", None, criteria, n_segments)
    optional_references = _mark_absent(files, directory, references, n_segments)
    _note_empty(directory, candidates, optional_references, problems)
    if problems.errors:
        return None, problems
    corpus = Corpus(
        name=description.name or directory.resolve().name,
        title=description.title,
        facts={
            "language": description.language,
            "source language": description.source_language,
            "license": description.license,
            "source": description.source,
            "citation": description.citation,
            "notes": description.notes,
        },
        systems=systems,
        candidates=tuple(candidates.values()),
        references=optional_references,
        sources=sources,
        segment_ids=segment_ids,
        documents=documents,
        criteria=criteria,
        judgments=judgments,
        reference_judgments=reference_judgments,
        judged_references=judged,
        digest=files.digest(),
    )
    return corpus, problems


def _read_description(files: Files, path: Path) -> _Description | None:
    text = files.text(path)
    if text is None:
        return None
    place = files.place(path)
    try:
        content: dict[str, Any] = tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        files.problems.error(place, f"is not valid TOML: {error}.")
        return None
    try:
        description = build(_Description, content, subject="the corpus", locate=lambda _: f"{place}: ", noun="key")
    except UsageError as error:
        files.problems.error(place, str(error).removeprefix(f"{place}: "))
        return None
    for entry in description.criteria:
        if not entry.low < entry.high:
            files.problems.error(
                place,
                f"criterion {entry.name!r}: `low` must be less than `high`; got {entry.low:g} and {entry.high:g}.",
            )
    for name in (description.name, *(entry.name for entry in description.criteria)):
        files.check_name(path, name)
    for name, count in Counter(entry.name for entry in description.criteria).items():
        if count > 1:
            files.problems.error(place, f"criterion {name!r} stands there {count} times.")
    return description


def _read_folder(files: Files, folder: Path, *, required: bool) -> dict[str, tuple[str, ...]]:
    """Read all NAME.txt of a folder, in alphabetical order of the names."""
    if not folder.is_dir():
        if required or folder.exists():
            files.problems.error(folder, "must be a directory with one text file (.txt) for each system.")
        return {}
    texts = {}
    for path in sorted(folder.iterdir(), key=lambda path: path.name):
        if path.name.startswith("."):
            continue
        if path.suffix != ".txt":
            files.problems.warning(path, "is not read: only files that end in .txt are texts.")
            continue
        lines = files.lines(path)
        if lines is not None and files.check_name(path, path.stem):
            texts[path.stem] = lines
    if required and not texts:
        files.problems.error(folder, "holds no text file (.txt).")
    return texts


def _common_length(texts: Mapping[str, tuple[str, ...]], directory: Path, problems: Problems) -> int | None:
    """Return the number of lines that most files have; the others are errors."""
    if not texts:
        return None
    lengths = Counter(len(lines) for lines in texts.values())
    expected = lengths.most_common(1)[0][0]
    model = next(name for name, lines in texts.items() if len(lines) == expected)
    for name, lines in texts.items():
        if len(lines) != expected:
            problems.error(
                directory / name,
                f"has {len(lines)} lines but must have {expected}, as {model} and {lengths[expected] - 1} other files; "
                "each line is one segment, so a line was probably lost, added or broken.",
            )
    return expected


def _read_segments(files: Files, directory: Path, n_segments: int) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
    ids: tuple[str, ...] | None = None
    documents: tuple[str, ...] | None = None
    if (directory / "segments.tsv").exists():
        columns = read_segment_columns(files, directory / "segments.tsv", ("segment", "id"), n_segments)
        ids, documents = columns.get("id"), columns.get("document")
    if documents is None and (directory / "documents.tsv").exists():
        path = directory / "documents.tsv"
        documents = read_segment_columns(files, path, ("segment", "document"), n_segments).get("document")
    if ids is not None and len(set(ids)) < len(ids):
        twice = [name for name, count in Counter(ids).items() if count > 1]
        files.problems.error(directory / "segments.tsv", f"gives the same id to several segments: {listing(twice)}.")
    return ids or tuple(str(number) for number in range(1, n_segments + 1)), documents


def _mark_absent(
    files: Files, directory: Path, references: Mapping[str, tuple[str, ...]], n_segments: int
) -> dict[str, tuple[str | None, ...]]:
    path = directory / "empty_references.tsv"
    really_empty = read_empty_references(files, path, list(references), n_segments) if path.exists() else set()
    for name, index in really_empty:
        if index < len(references[name]) and references[name][index]:
            files.problems.error(path, f"calls segment {index + 1} of {name!r} empty, but it has a text.")
    return {
        name: tuple(
            line if line or (name, index) in really_empty else None for index, line in enumerate(lines[:n_segments])
        )
        for name, lines in references.items()
    }


def _note_empty(
    directory: Path,
    candidates: Mapping[str, tuple[str, ...]],
    references: Mapping[str, tuple[str | None, ...]],
    problems: Problems,
) -> None:
    for name, lines in candidates.items():
        empty = [number for number, line in enumerate(lines, start=1) if not line.strip()]
        if empty:
            problems.note(directory / "systems" / f"{name}.txt", f"has empty outputs, in the lines {listing(empty)}.")
    for name, texts in references.items():
        absent = sum(text is None for text in texts)
        if absent:
            problems.note(
                directory / "references" / f"{name}.txt",
                f"has no reference for {absent} of {len(texts)} segments (empty lines).",
            )
