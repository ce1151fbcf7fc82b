"""SGML and XML as a stream of tags and texts. Forgiving, and without entities of its own.

Nothing outside the file is ever read, and a declared entity is never expanded, so that no file can grow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_TAG = re.compile(r"""<(/?)([A-Za-z][\w:.-]*+)((?:[^<>"']|"[^"<]*"|'[^'<]*')*+)>""")
_LOOSE_TAG = re.compile(r"<(/?)([A-Za-z][\w:.-]*+)([^<>]*+)>")
# A word without a value is taken as a whole too: to look for a name at each of its letters would take long.
_ATTRIBUTE = re.compile(
    r"""(?:(?![A-Za-z_:])[\w:.-])*+([A-Za-z_:][\w:.-]*+)(?:\s*+=\s*+("[^"]*"|'[^']*'|[^\s"'>]+))?+"""
)
_CHARACTER_REFERENCE = re.compile(r"&(#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{0,31});")
_NAMED_CHARACTERS = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_SKIPPED_PARTS = (("<!--", "-->"), ("<?", "?>"))
_CDATA = "<![CDATA["
SKIPPED = "!"  # the name of the tag that stands for a comment or an instruction


@dataclass(frozen=True)
class Tag:
    """A tag: its name in lower case, whether it closes, its attributes, its text as it stands, and its line."""

    name: str
    closes: bool
    attributes: Mapping[str, str] = field(repr=False)
    raw: str
    line: int


@dataclass(frozen=True)
class Text:
    """A text between tags, as it is in the file, and whether references in it are to be decoded."""

    raw: str
    line: int
    literal: bool = False


def events(content: str) -> Iterator[Tag | Text]:
    """Yield the tags and texts of a file in order; what looks like no tag is text."""
    position = 0
    line = 1
    while position < len(content):
        start = content.find("<", position)
        start = len(content) if start < 0 else start
        if start > position:
            yield Text(content[position:start], line)
            line += content.count("\n", position, start)
            position = start
            continue
        end = None
        for opening, closing in (*_SKIPPED_PARTS, (_CDATA, "]]>")):
            if content.startswith(opening, position):
                closing_at = content.find(closing, position + len(opening))
                if closing_at >= 0:
                    end = closing_at + len(closing)
                    if opening == _CDATA:
                        yield Text(content[position + len(opening) : closing_at], line, literal=True)
                    else:
                        yield Tag(SKIPPED, False, {}, "", line)
                    break
        if end is None and content.startswith("<!", position) and content[position + 2 : position + 3].isalpha():
            end = _end_of_declaration(content, position)
        if end is None:
            match = _TAG.match(content, position) or _LOOSE_TAG.match(content, position)
            if match:
                slash, name, inside = match.groups()
                end = match.end()
                yield Tag(name.lower(), bool(slash), _attributes(inside), match.group(), line)
                if inside.endswith("/") and not slash:
                    yield Tag(name.lower(), True, {}, "", line)
        if end is None:
            yield Text("<", line)
            end = position + 1
        line += content.count("\n", position, end)
        position = end


def _end_of_declaration(content: str, start: int) -> int | None:
    """Return the end of ``<!DOCTYPE ...>``, with the declarations inside its brackets; None if it is none."""
    end = content.find(">", start)
    bracket = content.find("[", start, end) if end >= 0 else content.find("[", start)
    if bracket >= 0:
        closing = content.find("]", bracket)
        end = content.find(">", closing) if closing >= 0 else -1
    return end + 1 if end >= 0 else None


def _attributes(inside: str) -> dict[str, str]:
    attributes = {}
    for name, value in _ATTRIBUTE.findall(inside):
        if not value:
            continue
        plain = value[1:-1] if value[0] in "\"'" else value.removesuffix("/")
        attributes[name.lower()] = decode(plain)[0]
    return attributes


def decode(text: str) -> tuple[str, int]:
    """Return a text with its character references replaced, and how many named ones are unknown and stay.

    ``&amp; &lt; &gt; &quot; &apos;`` and numbers are known. A bare ``&`` stays.
    """
    if "&" not in text:
        return text, 0
    unknown = 0

    def replaced(match: re.Match[str]) -> str:
        nonlocal unknown
        name = match.group(1)
        if name in _NAMED_CHARACTERS:
            return _NAMED_CHARACTERS[name]
        if name[0] == "#":
            number = int(name[2:], 16) if name[1] in "xX" else int(name[1:])
            if 0 < number < 0x110000 and not 0xD800 <= number < 0xE000:
                return chr(number)
        unknown += 1
        return match.group()

    return _CHARACTER_REFERENCE.sub(replaced, text), unknown
