"""A folder with a file of lines for each system, without corpus.toml."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from metaeval.corpora.read import read_sources

LINES = "one\ntwo\n"


def write(directory: Path, **files: str) -> Path:
    """Write files, in whose names two underscores stand for a slash."""
    for name, text in files.items():
        path = directory / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return directory


def found(directory: Path, *formats: str):
    corpus, problems = read_sources([directory], formats)
    return corpus, "\n".join(map(str, problems.entries))


@pytest.mark.parametrize(
    ("folder", "files", "systems"),
    [
        ("outputs", ("gpt-5.de-en.txt", "nllb-3.3b.de-en.txt"), ("gpt-5", "nllb-3.3b")),
        ("hyps", ("a.en", "b.en"), ("a", "b")),
        # Languages differ, and tell them apart.
        ("translations", ("gpt-5.de.txt", "nllb-3.3b.en.txt"), ("gpt-5.de", "nllb-3.3b.en")),
        ("systems", ("nllb-3.3b", "opus"), ("nllb-3.3b", "opus")),
    ],
)
def test_names_of_systems(folder, files, systems, tmp_path):
    corpus, said = found(
        write(tmp_path, **{f"{folder}__{name}": LINES for name in files}, **{"src.de": "eins\nzwei\n"})
    )
    assert corpus is not None, said
    assert corpus.systems == systems
    assert corpus.sources == ("eins", "zwei")


def test_references_and_what_is_not_read(tmp_path):
    files = {"outputs__A.txt": LINES, "ref.txt": LINES, "refB.txt": "1\n\n", "notes.txt": "x", "README.md": "x"}
    corpus, said = found(write(tmp_path, **files, **{"outputs__log.json": "{}", "old__A.txt": LINES}))
    assert corpus is not None, said
    assert {name: list(texts) for name, texts in corpus.references.items()} == {
        "ref": ["one", "two"],
        "refB": ["1", None],
    }
    assert said.count("is not read") == 4  # notes.txt, README.md, log.json and the folder old


def test_what_is_proposed_for_a_table_can_be_typed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sheet = "line,system,Fachfrau,adequacy\n1,A,ann,3\n2,A,ann,5\n"
    write(tmp_path / "x", **{"outputs__A.txt": LINES, "ratings.csv": sheet})
    corpus, said = found(Path("x"))
    assert corpus is not None, said
    assert corpus.judgments.judges == ("unnamed",)
    (option,) = re.findall(r"(--source-format '.*') names one", said)
    typed = shlex.split(option)[1]
    assert "judge=..." in typed
    corpus, said = found(Path("x"), typed.replace("judge=...", "judge=Fachfrau"))
    assert corpus is not None, said
    assert corpus.judgments.judges == ("ann",)


def test_texts_of_different_length_are_an_error(tmp_path):
    corpus, said = found(write(tmp_path, **{"outputs__A.txt": LINES, "outputs__B.txt": LINES, "src.txt": "one\n"}))
    assert corpus is None
    assert "src.txt: has 1 line but must have 2, as outputs/A.txt and 1 other file" in said


def test_a_folder_in_the_neutral_layout_lacks_its_corpus_toml(tmp_path):
    corpus, said = found(write(tmp_path, **{"systems__A.txt": LINES, "references__r.txt": LINES}))
    assert corpus is None
    assert "corpus.toml: is missing. It says what was judged, on which scale" in said
