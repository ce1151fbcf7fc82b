"""Data that a page holds for its script."""

from __future__ import annotations

import json

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def json_for_html(value: object) -> str:
    """Return JSON that cannot end the element it stands in, nor begin another."""
    text = _ENCODER.encode(value)
    for sign in "<>&\N{LINE SEPARATOR}\N{PARAGRAPH SEPARATOR}":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def size_of(value: object) -> int:
    """Return the number of bytes that a value takes in a page, with the comma behind it."""
    return len(json_for_html(value).encode()) + 1
