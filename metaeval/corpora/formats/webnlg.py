"""The WebNLG+ 2020 challenge, as its repository has it: ratings, submissions and references in one directory tree.

::

    evaluation/human-evaluation/results/LANG/SYSTEM/primary.json    {eid: {worker: {criterion: score}}}
    submissions/rdf2text/LANG/SYSTEM/primary.LANG                   line n is the output for entry n
    data/LANG/test/*-with-refs-LANG.xml                             entries with triples and references

The segments are the entries that were rated, in ascending order. A source is its modified triples, joined by `` ; ``. A
rated text without submission is a human one, and its ratings are kept apart.

Source: Castro Ferreira, Gardent, Ilinykh, van der Lee, Mille, Moussallem, Shimorina (2020): WebNLG+ 2020. WebNLG+.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from metaeval.corpora.builder import Draft
from metaeval.corpora.formats.base import DESCRIBED, Glimpse, Reader, Source
from metaeval.corpora.formats.markup import Tag, Text, decode, events
from metaeval.corpora.judgment_columns import whole_number
from metaeval.corpora.judgment_rows import REFERENCE, SOURCE, SYSTEM
from metaeval.corpora.tables.delimited import BROKEN, parse_json
from metaeval.corpora.text_files import Files, existing, packed_or_not
from metaeval.datamodel.corpus import Criterion
from metaeval.errors import counted, listing
from metaeval.parameters.fields import parameter

_DOCS = DESCRIBED["webnlg"]

CRITERIA = ("Correctness", "DataCoverage", "Relevance", "Fluency", "TextStructure")
_COMMENT_KEY = "feedback"
_RESULTS_FOLDER = Path("evaluation/human-evaluation/results")
_SUBMISSIONS_FOLDER = Path("submissions/rdf2text")


@dataclass
class _Entry:
    """An entry of the test set."""

    category: str
    triples: list[str] = field(default_factory=list)
    references: list[str] = field(default_factory=list)
    line: int = 0


@dataclass(frozen=True)
class Webnlg(Reader, name="webnlg"):
    """WebNLG+ 2020: ratings in JSON, submissions, references in XML."""

    language: str = parameter("en", doc=_DOCS["language"])

    @classmethod
    def recognises(cls, glimpse: Glimpse) -> bool:
        """Return whether a directory has the three folders."""
        return {"evaluation", "submissions", "data"} <= set(glimpse.entries)

    def read(self, path: Path, draft: Draft) -> None:
        """Read the rated entries."""
        files = draft.files
        ratings = self._ratings(path / _RESULTS_FOLDER / self.language, files)
        entries = self._entries(path / "data" / self.language / "test", files)
        if not ratings or not entries:
            return
        rated = sorted({number for _, of_system in ratings.values() for number in of_system})
        unknown = [number for number in rated if number not in entries]
        if unknown:
            files.error(path, f"rates the entries {listing(unknown)}, which the test set does not have.")
            return
        location = files.location(path / "data" / self.language / "test")
        segments = {}
        for number in rated:
            entry = entries[number]
            segment = segments[number] = draft.segment(f"{entry.category}:Id{number}", f"Id{number}")
            texts = [(SOURCE, "", " ; ".join(entry.triples))]
            texts += [(REFERENCE, f"ref{position}", text) for position, text in enumerate(entry.references, start=1)]
            for kind, name, text in texts:
                draft.text(kind, name, segment, text, location, entry.line, in_markup=True)
        for criterion in CRITERIA:
            draft.declare(Criterion(criterion, 0.0, 100.0, higher_is_better=True), files.location(path))
        for system, (file, of_system) in ratings.items():
            submission = existing(path / _SUBMISSIONS_FOLDER / self.language / system / f"primary.{self.language}")
            lines = files.lines(submission) if submission else None
            if submission and lines is not None and len(lines) < len(entries):
                few = f"has {counted(len(lines), 'line')} but must have {len(entries)}, one for each entry."
                files.error(submission, few)
            elif submission and lines is not None:
                for number, segment in segments.items():
                    draft.text(SYSTEM, system, segment, lines[number - 1], files.location(submission), number)
            _rate(system, of_system, segments, Source(file, draft), SYSTEM if submission else REFERENCE)

    def _ratings(self, folder: Path, files: Files) -> dict[str, tuple[Path, dict[int, dict[str, Any]]]]:
        """Return the file of each system, and its ratings by the number of the entry."""
        ratings_of_system = {}
        paths = sorted([*folder.glob("*/primary.json"), *folder.glob("*/primary.json.gz")])
        if not paths:
            files.error(folder, "holds no SYSTEM/primary.json with ratings.")
        for path in paths:
            text = files.text(path)
            value = BROKEN if text is None else parse_json(text, files.location(path), files.problems)
            pairs: list[tuple[str, Any]] = list(value.items()) if isinstance(value, dict) else [("", value)]
            if all(whole_number(key) is not None and isinstance(of_entry, dict) for key, of_entry in pairs):
                ratings_of_system[path.parent.name] = path, {int(key): of_entry for key, of_entry in pairs}
            elif value is not BROKEN:
                files.error(path, "must hold an object: number of the entry, worker, criterion, score.")
        return ratings_of_system

    def _entries(self, folder: Path, files: Files) -> dict[int, _Entry]:
        """Return the entries of the test set by number."""
        end = f"refs-{self.language}.xml"
        paths = sorted(path for path in folder.glob("*") if packed_or_not(path).name.endswith(end))
        if len(paths) != 1:
            files.error(folder, f"must hold one file *{end}; got {listing(path.name for path in paths)}.")
            return {}
        text = files.text(paths[0])
        return {} if text is None else _read_entries(text, files.location(paths[0]), files)


def _rate(
    system: str, ratings: Mapping[int, dict[str, Any]], segments: Mapping[int, int], file: Source, kind: str
) -> None:
    """Add the judgments of a system."""
    comments = 0
    for number in sorted(ratings):
        for judge, rating in ratings[number].items():
            if not isinstance(rating, dict):
                file.error(None, f"entry {number}: the rating of {judge!r} must be an object.")
                continue
            comments += _COMMENT_KEY in rating
            others = (name for name in rating if name not in (*CRITERIA, _COMMENT_KEY))
            for criterion in (*(name for name in CRITERIA if name in rating), *others):
                noun = f"entry {number}, {judge}, {criterion}"
                file.score(None, segments[number], system, judge, criterion, rating[criterion], noun)
    if comments:
        file.files.note(file.location, f"has {comments} comments of raters ({_COMMENT_KEY}), which are not kept.")
    file.judge(kind)


def _read_entries(content: str, location: str, files: Files) -> dict[int, _Entry]:
    """Return the entries of a test set by their numbers."""
    entries: dict[int, _Entry] = {}
    entry: _Entry | None = None
    part = ""
    pieces = list[str]()
    for event in events(content.removeprefix("\ufeff")):
        if isinstance(event, Text):
            if part:
                pieces.append(event.raw if event.literal else decode(event.raw)[0])
        elif event.name == "entry":
            entry = None if event.closes else _new_entry(event, entries, location, files)
        elif event.name in ("mtriple", "lex") and not event.closes:
            part = event.name
            pieces = []
        elif event.name == part and event.closes:
            if entry is not None:
                (entry.triples if part == "mtriple" else entry.references).append("".join(pieces))
            part = ""
    if not entries:
        files.error(location, "holds no <entry> with an eid such as Id1.")
    return entries


def _new_entry(tag: Tag, entries: dict[int, _Entry], location: str, files: Files) -> _Entry:
    entry = _Entry(tag.attributes.get("category", ""), line=tag.line)
    id_ = tag.attributes.get("eid", "").removeprefix("Id")
    number = whole_number(id_)
    if number is None or number in entries:
        files.error(f"{location}:{tag.line}", f"an entry must have an eid of its own, such as Id7; got {id_!r}.")
    else:
        entries[number] = entry
    return entry
