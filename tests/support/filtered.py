"""A corpus of four systems and eight segments in two domains, written whole or with some of them alone."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from pathlib import Path

SYSTEMS = ("A", "B", "C", "D")
REFERENCES = ("ref1", "ref2")
SEGMENTS = tuple(range(1, 9))
# Two segments in each document, and two documents in each domain.
DOCUMENT = {number: f"d{(number + 1) // 2}" for number in SEGMENTS}
DOMAIN = {number: "news" if DOCUMENT[number] in ("d1", "d3") else "social" for number in SEGMENTS}
# From 1 to 8 characters.
SOURCE = {number: "x" * number for number in SEGMENTS}
JUDGES = ("ann", "bob")
TOML = """\
name = "mine"
criteria = [{ name = "adequacy", low = 0, high = 100, direction = "higher" }]
"""


def judged(name: str, number: int, judge: str) -> int | None:
    """Return a score, none for every seventh item."""
    place = (*SYSTEMS, *REFERENCES).index(name)
    item = 13 * place + 5 * number + 3 * JUDGES.index(judge)
    return None if (place + number) % 7 == 0 else item % 41


def whole(units: dict[int, str], segments: Iterable[int]) -> list[str]:
    """Return the documents or domains that have all their segments."""
    left = set(segments)
    return [unit for unit in dict.fromkeys(units.values()) if {k for k in units if units[k] == unit} <= left]


def stored(system: str, unit: str) -> float:
    """Return what a file says of a system on a document, a domain or everything ("")."""
    return round(10 * SYSTEMS.index(system) + sum(map(ord, unit)) / 7, 3)


def write(
    directory: Path, systems: Sequence[str] = SYSTEMS, segments: Sequence[int] = SEGMENTS, humans: Sequence[str] = ()
) -> Path:
    """Write the corpus; scores of whole systems are those of what is written."""
    tables: dict[str, list[Sequence[object]]] = {
        "segments.tsv": [("segment", "id", "document", "domain")],
        "judgments.tsv": [("segment", "system", "judge", "criterion", "score")],
        "reference_judgments.tsv": [("segment", "reference", "judge", "criterion", "score")],
        "error_spans.tsv": [("segment", "system", "judge", "text", "start", "end", "severity", "category")],
    }
    spans = [(k, name) for k, name in enumerate(SYSTEMS) if name in systems]
    for line, number in enumerate(segments, start=1):
        tables["segments.tsv"].append((line, f"s{number}", DOCUMENT[number], DOMAIN[number]))
        tables["error_spans.tsv"] += [(line, name, "ann", "output", k, number + 3, "minor", "") for k, name in spans]
        for name, judge in itertools.product((*systems, *REFERENCES), JUDGES):
            kind = "judgments" if name in (*systems, *humans) else "reference_judgments"
            if (score := judged(name, number, judge)) is not None:
                tables[f"{kind}.tsv"].append((line, name, judge, "adequacy", score))
    exact = whole(DOMAIN, segments)
    total = "" if len(segments) == len(SEGMENTS) else exact[0] if _is_unit(DOMAIN, segments) else None
    for folder in ("metrics/m", "human/adequacy"):
        tables[f"{folder}.document.tsv"] = [("system", "document", "score")]
        tables[f"{folder}.domain.tsv"] = [("system", "domain", "score")]
        tables[f"{folder}.system.tsv"] = [("system", "score")]
        for name in systems:
            units = whole(DOCUMENT, segments)
            tables[f"{folder}.document.tsv"] += [(name, unit, stored(name, unit)) for unit in units]
            tables[f"{folder}.domain.tsv"] += [(name, unit, stored(name, unit)) for unit in exact]
            if total is not None:
                tables[f"{folder}.system.tsv"].append((name, stored(name, total)))
    tables["metrics/m.tsv"] = [("system", "segment", "score")]
    tables["metrics/m.tsv"] += [
        (name, line, 100 * SYSTEMS.index(name) + number)
        for name in systems
        for line, number in enumerate(segments, start=1)
    ]
    texts = {f"systems/{name}": [f"{name} {number}" for number in segments] for name in (*systems, *humans)}
    texts |= {f"references/{name}": [f"{name} {k}" for k in segments] for name in REFERENCES if name not in humans}
    texts["source"] = [SOURCE[number] for number in segments]
    contents = {"corpus.toml": TOML} | {f"{name}.txt": "\n".join(lines) + "\n" for name, lines in texts.items()}
    for name, rows in tables.items():
        if len(rows) > 1:
            contents[name] = "\n".join("\t".join(map(str, row)) for row in rows) + "\n"
    for name, content in contents.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return directory


def _is_unit(units: dict[int, str], segments: Iterable[int]) -> bool:
    """Return whether segments are exactly those of one unit."""
    left = set(segments)
    return any({k for k in units if units[k] == unit} == left for unit in units.values())
