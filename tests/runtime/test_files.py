"""What is no file is refused wherever a file must be: a pipe would be waited for, and a device may never end."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from metaeval.cli import main
from metaeval.errors import MetaevalError
from metaeval.runtime.files import open_file, read_file, shipped

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")

REFUSED = "cannot be read: It is a pipe, a socket or a device, where a file must be."


def pipe(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("corpus.toml", pipe),
        ("systems/new.txt", device),
        ("references/new.txt", pipe),
        ("metrics/new.tsv", device),
        ("judgments.tsv", pipe),
    ],
)
def test_a_corpus_holds_only_files(tmp_path, capsys, name, make):
    root = tmp_path / "corpus"
    shutil.copytree(shipped("data") / "demo", root)
    (root / name).unlink(missing_ok=True)
    make(root / name)
    assert main(["corpus", "check", str(root)]) == 3
    assert f"error: {root / name}: {REFUSED}\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "name", "code", "make"),
    [
        (["run", "{}"], "f.toml", 2, pipe),
        (["corpus", "check", "{}"], "f.tsv", 3, device),
        (["corpus", "check", "{}"], "f.zip", 3, pipe),
        (["score", "-m", "bleu", "-c", "{}", "-r", "{}"], "f.txt", 3, device),
    ],
)
def test_what_is_named_is_a_file(tmp_path, capsys, arguments, name, code, make):
    make(tmp_path / name)
    assert main([word.format(tmp_path / name) for word in arguments]) == code
    printed = capsys.readouterr()
    assert f"{tmp_path / name}: {REFUSED}" in printed.out + printed.err


def test_a_directory_of_references_holds_only_files(tmp_path, capsys):
    (tmp_path / "a.txt").write_text("a\n")
    (tmp_path / "refs").mkdir()
    pipe(tmp_path / "refs" / "r.txt")
    assert main(["score", "-m", "bleu", "-c", str(tmp_path / "a.txt"), "-r", str(tmp_path / "refs")]) == 3
    assert f"{tmp_path}/refs/r.txt: {REFUSED}" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="the shell hands nothing over as a path")
def test_what_the_shell_hands_over_is_read(tmp_path):
    # As `-c <(command)`; only where the path itself tells so.
    reading, writing = os.pipe()
    os.write(writing, b"a b\n")
    os.close(writing)
    path = Path(f"/dev/fd/{reading}")
    (tmp_path / "link").symlink_to(path)
    with pytest.raises(OSError, match="where a file must be"):
        open_file(tmp_path / "link")
    assert read_file(path) == b"a b\n"
    os.close(reading)


def test_a_folder_that_should_ship_and_is_not_there_is_an_error():
    with pytest.raises(MetaevalError, match=r"the folder 'nowhere' that ships .* install metaeval again"):
        shipped("nowhere")
