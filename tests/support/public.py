"""A public corpus of two small files, as its owner, a mirror and a directory have it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest

from metaeval.corpora.download.public import PublicCorpus, PublicFile
from tests.support import web

COMMIT = "0123456789abcdef0123456789abcdef01234567"
CONTENTS = {"a.txt": b"the first file\n" * 20, "b/c (d) é.txt": b"the second\n" * 30}
FIRST, SECOND = "owner/repo/a.txt", "owner/repo/b/c (d) é.txt"


def make_corpus(contents: Mapping[str, bytes]) -> PublicCorpus:
    """Return the entry for files of these contents."""
    files = tuple(
        PublicFile("owner/repo", COMMIT, path, len(content), hashlib.sha256(content).hexdigest())
        for path, content in contents.items()
    )
    return PublicCorpus(
        name="tiny", title="t", language="en", license="l", source="s", citation="c", notes="n", format="f",
        systems=1, segments=1, references=1, judges=1, judgments=1, criteria=(), files=files,
    )  # fmt: skip


TINY = make_corpus(CONTENTS)
# The path of the first file on the mirror, and what the mirror answers.
ADDRESS = "/m/owner/repo/a.txt"
MIRROR = {
    ADDRESS: web.right(CONTENTS["a.txt"]),
    "/m/owner/repo/b/c%20%28d%29%20%C3%A9.txt": web.right(CONTENTS["b/c (d) é.txt"]),
}


def write_copy(directory: Path) -> Path:
    """Write the files as ``--from`` wants them."""
    for path, content in CONTENTS.items():
        target = directory / "owner" / "repo" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return directory


def isolated(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Let no proxy of the environment stand between, and note waits instead of waiting; return the list of them."""
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    noted: list[float] = []
    monkeypatch.setattr("pooch.core.time", SimpleNamespace(sleep=noted.append))
    return noted
