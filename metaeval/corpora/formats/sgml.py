"""NIST's SGML and XML test sets, as LDC and mteval have them, and WMT's XML.

::

    <refset setid="..." srclang="..." trglang="...">
    <doc docid="..." sysid="ref1"> <hl> <seg id="1"> ... </seg>

The source stands in a srcset, references in refsets, outputs in tstsets; the name is the refid or sysid of the set or
of the document. In WMT's XML a doc holds src, ref (translator) and hyp (system) instead. Segments are matched by
document and id. Tags may be in either case, other tags unclosed, a segment may go over several lines, and ``&`` may
stand bare.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from metaeval.corpora.builder import Draft
from metaeval.corpora.formats.base import Glimpse, Reader
from metaeval.corpora.formats.markup import SKIPPED, Tag, Text, decode, events
from metaeval.corpora.judgment_rows import REFERENCE, SOURCE, SYSTEM
from metaeval.corpora.text_files import Files, stem_of

_SETS = {"srcset": SOURCE, "refset": REFERENCE, "tstset": SYSTEM}
_PARTS = {"src": SOURCE, "ref": REFERENCE, "hyp": SYSTEM}
_ORDER_OF_KINDS = (SOURCE, REFERENCE, SYSTEM)
_STRUCTURE_TAGS = {*_SETS, *_PARTS, "doc", "seg"}
# Tags that may be unclosed, and end a segment whose own end is missing.
_IGNORED_TAGS = {"mteval", "dataset", "hl", "p"}
_SIGN = re.compile(r"<\s*(srcset|refset|tstset|dataset|mteval)\b", re.IGNORECASE)


class _SegmentText(NamedTuple):
    """A segment of one text: the kind of text and its name, the document and id of the segment, and where it stands."""

    kind: str
    name: str
    key: tuple[str, str]
    text: str
    location: str
    line: int


@dataclass
class _State:
    """The state of the reader: the elements that are open in the file."""

    kind: str = ""
    set_names: tuple[str, str] = ("", "")
    document: str | None = None
    document_names: tuple[str, str] = ("", "")
    segment: str | None = None
    line: int = 0
    pieces: list[Text | Tag] = field(default_factory=list)
    count: int = 0

    @property
    def name(self) -> str:
        """The name of the text: the right attribute of the document or set goes before the wrong one."""
        (document, wrong) = self.document_names
        (of_set, wrong_of_set) = self.set_names
        return document or of_set or wrong or wrong_of_set


@dataclass(frozen=True)
class Sgml(Reader, name="sgml"):
    """NIST/LDC SGML and XML, and WMT XML: srcset, refset, tstset."""

    @classmethod
    def fits(cls, file: Glimpse) -> bool:
        """Return whether a file begins like a set."""
        return bool(_SIGN.search(file.head))

    def read(self, path: Path, draft: Draft) -> None:
        """Read all sets; the order of the segments is that of the source, or else of the first set."""
        files = draft.files
        pieces = list[_SegmentText]()
        for file in self.chosen(path, files):
            content = files.text(file)
            if content is not None:
                pieces += _Reading(files.location(file), files, stem_of(file)).run(
                    events(content.removeprefix("\ufeff"))
                )
        if not pieces:
            files.error(path, f"holds no segments; {self.title} means {self.expects}.")
        # A stable sort: within a kind, the order of the files.
        for piece in sorted(pieces, key=lambda piece: _ORDER_OF_KINDS.index(piece.kind)):
            segment = draft.segment(*piece.key)
            draft.text(piece.kind, piece.name, segment, piece.text, piece.location, piece.line, in_markup=True)


class _Reading:
    """Reads one file."""

    def __init__(self, location: str, files: Files, default_name: str) -> None:
        self.location = location
        self.problems = files.problems
        self.default_name = default_name
        self.state = _State()
        self.texts: list[_SegmentText] = []
        self.unknown_references = self.skipped = 0
        self.tags_inside = set[str]()
        self.unended: list[int] = []

    def run(self, stream: Iterable[Tag | Text]) -> list[_SegmentText]:
        """Follow the stream to its end, and return the segments."""
        for event in stream:
            if isinstance(event, Tag) and event.name in _STRUCTURE_TAGS:
                self._structure(event)
            elif self.state.segment is not None:
                self.state.pieces.append(event)
        self._end_segment(ended=False)
        left = (
            f"has {self.unknown_references} character references other than &amp; &lt; &gt; &quot; &apos; and numbers"
        )
        names = ", ".join(f"<{name}>" for name in sorted(self.tags_inside)[:8])
        for count, message in (
            (self.unknown_references, f"{left}; they stay as they are."),
            (len(self.tags_inside), f"has tags inside segments, which stay in the text: {names}."),
            (self.skipped, f"has {self.skipped} comments or instructions inside segments, which are left out."),
        ):
            if count:
                self.problems.note(self.location, message)
        if self.unended:
            such = f"({len(self.unended)} such in the file); it ends before the next tag."
            self.problems.warning(f"{self.location}:{self.unended[0]}", f"begins a segment that has no </seg> {such}")
        return self.texts

    def _structure(self, tag: Tag) -> None:
        """Follow a tag of a set, a document or a segment."""
        state = self.state
        if tag.name == "seg":
            self._end_segment(ended=tag.closes)
            if not tag.closes and not state.kind:
                where = f"{self.location}:{tag.line}"
                self.problems.error(where, "has a segment outside of srcset, refset, tstset, src, ref and hyp.")
            elif not tag.closes:
                state.count += 1
                state.segment = tag.attributes.get("id", str(state.count)).strip()
                state.line = tag.line
                state.pieces = []
            return
        self._end_segment(ended=False)
        nothing = ("", "")
        if tag.name in _SETS:
            kind = _SETS[tag.name]
            self.state = _State() if tag.closes else _State(kind=kind, set_names=_names(tag, kind))
        elif tag.name in _PARTS:
            state.kind, state.set_names = ("", nothing) if tag.closes else (_PARTS[tag.name], (_part_name(tag), ""))
        else:  # doc
            state.document = None if tag.closes else tag.attributes.get("docid", tag.attributes.get("id", ""))
            state.document_names = nothing if tag.closes else _names(tag, state.kind)
        self.state.count = 0

    def _end_segment(self, *, ended: bool) -> None:
        """Keep the text of the open segment, if there is one; `ended` says whether it has its own end."""
        state = self.state
        if state.segment is None:
            return
        pieces = state.pieces
        if not ended:
            self.unended.append(state.line)
            loose = (at for at, piece in enumerate(pieces) if isinstance(piece, Tag) and piece.name in _IGNORED_TAGS)
            pieces = pieces[: next(loose, len(pieces))]
        parts = []
        for piece in pieces:
            if isinstance(piece, Text):
                text, unknown = (piece.raw, 0) if piece.literal else decode(piece.raw)
                self.unknown_references += unknown
                parts.append(text)
            elif piece.name == SKIPPED:
                self.skipped += 1
            else:
                self.tags_inside.add(piece.name)
                parts.append(piece.raw)
        name = "" if state.kind == SOURCE else state.name or self.default_name
        key = (state.document or "", state.segment)
        self.texts.append(_SegmentText(state.kind, name, key, "".join(parts), self.location, state.line))
        state.segment = None
        state.pieces = []


def _names(tag: Tag, kind: str) -> tuple[str, str]:
    """Return the names in a tag, "" for none: by the attribute for its kind of text, and by the other one."""
    right_attribute, wrong_attribute = ("refid", "sysid") if kind == REFERENCE else ("sysid", "refid")
    return tag.attributes.get(right_attribute, "").strip(), tag.attributes.get(wrong_attribute, "").strip()


def _part_name(tag: Tag) -> str:
    """Return the name of WMT's ref or hyp: the system, or the translator; a translator A is called refA."""
    if tag.name == "hyp":
        return tag.attributes.get("system", "").strip()
    translator = tag.attributes.get("translator", "").strip()
    return f"ref{translator}" if len(translator) <= 1 else translator
