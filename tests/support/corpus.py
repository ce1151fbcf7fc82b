"""A small corpus on disk that tests can spoil."""

from __future__ import annotations

from pathlib import Path

TOML = """\
name = "tiny"
title = "Three systems, four segments"

[[criteria]]
name = "adequacy"
low = 1
high = 5
direction = "higher"

[[criteria]]
name = "errors"
low = 0
high = 25
direction = "lower"
"""
SYSTEMS = {
    "A": ["the cat sat on the mat", "a dog barked", "it rains today", "we go home"],
    "B": ["the cat sat on a mat", "the dog barked", "", "we went home"],
    "C": ["cat mat", "dog", "rain", "home we"],
}
REFERENCES = {
    "ref1": ["the cat sat on the mat", "a dog barked", "it is raining today", "we go home"],
    "ref2": ["a cat was on the mat", "", "it rains", "let us go home"],
}
JUDGES = ("ann", "bob")


def judgments() -> list[str]:
    """Return rows of judgments.tsv: two judges, both criteria, every item."""
    rows = ["segment\tsystem\tjudge\tcriterion\tscore"]
    for position, system in enumerate(SYSTEMS):
        for segment in range(1, 5):
            for judge, shift in zip(JUDGES, (0, 1), strict=True):
                adequacy = max(1, min(5, 5 - 2 * position + shift - segment % 2))
                rows.append(f"{segment}\t{system}\t{judge}\tadequacy\t{adequacy}")
                rows.append(f"{segment}\t{system}\t{judge}\terrors\t{3 * position + segment + shift}")
    return rows


def write(directory: Path, **files: object) -> Path:
    """Write the corpus; `files` replace or remove (None) files, with `__` for `/` and the suffix left out."""
    contents: dict[str, object] = {"corpus": TOML, "judgments": "\n".join(judgments()) + "\n"}
    contents |= {f"systems__{name}": "\n".join(lines) + "\n" for name, lines in SYSTEMS.items()}
    contents |= {f"references__{name}": "\n".join(lines) + "\n" for name, lines in REFERENCES.items()}
    for name, content in (contents | files).items():
        folder, _, stem = name.rpartition("__")
        is_text = folder in ("systems", "references") or stem == "source"
        suffix = ".toml" if stem == "corpus" else ".txt" if is_text else ".tsv"
        if content is None:
            continue
        path = directory / folder / f"{stem}{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else str(content).encode())
    return directory
