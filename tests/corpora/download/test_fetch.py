"""Everything is fetched from this machine; no test asks another one."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import threading
import tomllib
from contextlib import ExitStack
from dataclasses import replace

import pytest
import tomli_w

from metaeval.corpora import catalogue
from metaeval.corpora.download import fetch
from metaeval.corpora.download.fetch import fetch_files
from metaeval.corpora.download.public import public_corpora
from metaeval.errors import UsageError
from tests.support import web
from tests.support.gold import of_others
from tests.support.processes import HANGS, started
from tests.support.public import ADDRESS, COMMIT, CONTENTS, FIRST, MIRROR, SECOND, TINY, make_corpus

pytestmark = pytest.mark.usefixtures("waits")


def assert_whole(into):
    found = {path.relative_to(into).as_posix(): path.read_bytes() for path in into.rglob("*") if path.is_file()}
    described = found.pop("corpus.toml")
    assert found == {f"owner/repo/{path}": content for path, content in CONTENTS.items()}
    assert tomllib.loads(described.decode())["files"] == [{"path": "owner/repo", "format": "f"}]
    assert sorted(path.name for path in into.parent.iterdir()) == [".tiny.lock", "tiny"]


def test_from_the_owners(into, monkeypatch):
    second = f"/owner/repo/{COMMIT}/b/c%20%28d%29%20%C3%A9.txt"
    answers = {
        f"/owner/repo/{COMMIT}/a.txt": web.right(CONTENTS["a.txt"]),
        second: web.right(CONTENTS["b/c (d) é.txt"]),
    }
    with web.serving(answers) as server:
        monkeypatch.setattr(fetch, "OWNERS", server.url)
        fetch_files(TINY, into)

    assert_whole(into)
    assert server.asked == [f"/owner/repo/{COMMIT}/a.txt", second]


def test_the_owners_are_on_github():
    assert fetch.OWNERS == "https://raw.githubusercontent.com"


@pytest.mark.parametrize("slash", ["", "/"])
def test_from_a_mirror(into, slash, waits):
    with web.serving(MIRROR) as server:
        fetch_files(TINY, into, f"{server.url}/m{slash}")

    assert_whole(into)
    assert server.asked == list(MIRROR)
    assert waits == []


def test_from_a_directory(into, copy):
    (copy / FIRST).rename(copy / "elsewhere")
    (copy / FIRST).symlink_to(copy / "elsewhere")
    fetch_files(TINY, into, copy)

    assert_whole(into)
    for name in (FIRST, SECOND):
        assert not (into / name).is_symlink()
        assert not (into / name).samefile(copy / name)


@pytest.mark.parametrize("name", ["summeval", "webnlg2020-en", "wmt21-ted-zhen"])
def test_the_public_corpora_from_a_directory(name, tmp_path):
    corpus = public_corpora()[name]
    fetch_files(corpus, tmp_path / name, str(of_others("raw")))

    found = {path.relative_to(tmp_path / name).as_posix() for path in (tmp_path / name).rglob("*") if path.is_file()}
    assert found == {"corpus.toml", *(file.name for file in corpus.files)}
    found.remove("corpus.toml")
    assert all((tmp_path / name / file).read_bytes() == (of_others("raw") / file).read_bytes() for file in found)


def test_an_empty_file(tmp_path, copy):
    corpus = make_corpus({"a.txt": b""})
    (copy / FIRST).write_bytes(b"")
    fetch_files(corpus, tmp_path / "into", copy)
    assert (tmp_path / "into" / FIRST).read_bytes() == b""


def test_an_empty_directory_is_taken(into, copy):
    into.mkdir(parents=True)
    fetch_files(TINY, into, copy)
    assert_whole(into)


def test_what_is_there_is_not_fetched_again(tmp_path, monkeypatch):
    monkeypatch.setenv("METAEVAL_CACHE", str(tmp_path))
    directory = catalogue.fetch_corpus("summeval", of_others("raw"))
    with web.serving({}) as server:
        assert catalogue.fetch_corpus("summeval", server.url) == directory
    assert server.asked == []
    assert catalogue.fetch_corpus("summeval", "not even a directory") == directory


def test_files_that_are_there_and_right_are_not_asked_for(into, copy):
    fetch_files(TINY, into, copy)
    (into / FIRST).write_bytes(b"damaged")
    steps = []
    with web.serving(MIRROR) as server:
        fetch_files(TINY, into, f"{server.url}/m", steps.append)
    assert server.asked == [ADDRESS]
    assert steps[-1].done == 630
    assert_whole(into)


def test_what_is_no_part_of_the_corpus_is_removed(into, copy):
    # Half a file of a killed process, and a file that an earlier catalogue had.
    for name in ("owner/repo/tmpabcdefgh", "owner/old/x.txt"):
        (into / name).parent.mkdir(parents=True, exist_ok=True)
        (into / name).write_bytes(b"x")
    fetch_files(TINY, into, copy)
    assert_whole(into)


def test_what_cannot_be_written_is_told(tmp_path, copy):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"file/tiny: cannot be written: (Not a directory|File exists)"):
        fetch_files(TINY, tmp_path / "file" / "tiny", copy)


# What breaks, and passes


@pytest.mark.parametrize(
    ("broken", "waited"),
    [
        ([web.cut(CONTENTS["a.txt"], 100)], [1]),
        ([web.cut(CONTENTS["a.txt"], 0), web.cut(CONTENTS["a.txt"], 299)], [1, 2]),
        ([web.without_length(CONTENTS["a.txt"][:100])], [1]),
        ([web.status(500)], [1]),
        ([web.status(503), web.status(429), web.cut(CONTENTS["a.txt"], 1)], [1, 2, 3]),
    ],
)
def test_a_connection_that_breaks_is_tried_again(into, broken, waited, waits):
    with web.serving({**MIRROR, ADDRESS: web.after(*broken, MIRROR[ADDRESS])}) as server:
        fetch_files(TINY, into, f"{server.url}/m")

    assert_whole(into)
    assert server.counts[ADDRESS] == len(broken) + 1
    assert waits == waited


def test_a_content_without_length_or_compressed_is_taken(into):
    packed = web.right(gzip.compress(CONTENTS["b/c (d) é.txt"]), Content_Encoding="gzip")
    answers = dict(zip(MIRROR, [web.without_length(CONTENTS["a.txt"]), packed], strict=True))
    with web.serving(answers) as server:
        fetch_files(TINY, into, f"{server.url}/m")

    assert_whole(into)


def test_a_content_in_chunks_is_taken(into):
    with web.serving({**MIRROR, ADDRESS: web.chunked(CONTENTS["a.txt"], 7)}) as server:
        fetch_files(TINY, into, f"{server.url}/m")
    assert_whole(into)


def test_a_redirection_is_followed(into):
    with web.serving({**MIRROR, ADDRESS: web.status(302, Location="/x"), "/x": MIRROR[ADDRESS]}) as server:
        fetch_files(TINY, into, f"{server.url}/m")
    assert_whole(into)


def test_the_proxy_of_the_environment_is_used(into, monkeypatch):
    with web.serving({f"http://example.invalid{path}": answer for path, answer in MIRROR.items()}) as server:
        monkeypatch.setenv("http_proxy", server.url)
        monkeypatch.setenv("no_proxy", "")
        fetch_files(TINY, into, "http://example.invalid/m")
    assert_whole(into)


# What is told meanwhile


def test_it_is_told_how_many_bytes_have_come(into):
    steps = []
    with web.serving({**MIRROR, ADDRESS: web.after(web.status(500), MIRROR[ADDRESS])}) as server:
        fetch_files(TINY, into, f"{server.url}/m", steps.append)

    assert str(steps[0]) == f"fetch      tiny: 2 files, 0.0 MB, from {server.url}/m"
    # 20 lines of 15 bytes and 30 lines of 11.
    assert steps[-1] == replace(steps[0], done=630, total=630)


def test_without_anybody_to_tell_nothing_is_shown(into, copy, capsys):
    fetch_files(TINY, into, copy)
    assert capsys.readouterr() == ("", "")


def test_bytes_that_are_lost_are_taken_back(into, monkeypatch):
    steps = []
    monkeypatch.setattr(fetch, "CHUNK_BYTES", 50)
    answers = {**MIRROR, ADDRESS: web.after(web.cut(CONTENTS["a.txt"], 100), MIRROR[ADDRESS])}
    with web.serving(answers) as server:
        fetch_files(TINY, into, f"{server.url}/m", steps.append)

    done = [step.done for step in steps]
    assert max(done) == done[-1] == 630
    assert 100 in done


# Several processes

CHILD = """if True:
    import sys
    from pathlib import Path
    from metaeval.corpora.download.fetch import fetch_files
    from metaeval.corpora.download.public import read_entry
    fetch_files(read_entry(Path(sys.argv[1])), Path(sys.argv[2]), sys.argv[3])
"""


def child(tmp_path, into, url):
    entry = {name: value for name, value in vars(TINY).items() if name not in ("files", "criteria")}
    entry |= {"criteria": [], "files": [vars(file) for file in TINY.files]}
    (tmp_path / "tiny.toml").write_bytes(tomli_w.dumps(entry).encode())
    command = [sys.executable, "-c", CHILD, str(tmp_path / "tiny.toml"), str(into), url]
    return started(command, stderr=subprocess.PIPE)


def test_processes_that_fetch_at_once_all_succeed(tmp_path):
    code = (
        "import sys; from metaeval.corpora.catalogue import fetch_corpus; print(fetch_corpus('summeval', sys.argv[1]))"
    )
    environment = {**os.environ, "METAEVAL_CACHE": str(tmp_path)}
    command = [sys.executable, "-c", code, str(of_others("raw"))]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with ExitStack() as stack:
        children = [stack.enter_context(started(command, env=environment, **pipes)) for _ in range(4)]
        results = [one.communicate(timeout=HANGS) for one in children]
    assert [error for _, error in results] == [b""] * 4
    assert len({out for out, _ in results}) == 1
    assert sorted(path.name for path in (tmp_path / "public").iterdir()) == [".summeval.lock", "summeval"]


def test_of_two_that_fetch_at_once_the_second_waits_and_downloads_nothing(tmp_path, into):
    asked, go = threading.Event(), threading.Event()

    def answer(handler, count):
        asked.set()
        go.wait(HANGS)
        MIRROR[ADDRESS](handler, count)

    with web.serving({**MIRROR, ADDRESS: answer}) as server, ExitStack() as stack:
        first = stack.enter_context(child(tmp_path, into, f"{server.url}/m"))
        assert asked.wait(HANGS)
        second = stack.enter_context(child(tmp_path, into, f"{server.url}/m"))
        go.set()
        assert [one.communicate(timeout=HANGS)[1] for one in (first, second)] == [b"", b""]
        assert server.asked == list(MIRROR)
    assert_whole(into)


def test_a_process_that_is_killed_leaves_nothing_that_harms(tmp_path, into):
    half, killed = threading.Event(), threading.Event()
    second = next(path for path in MIRROR if path != ADDRESS)

    def answer(handler, count):
        web.cut(CONTENTS["b/c (d) é.txt"], 150)(handler, count)
        half.set()
        killed.wait(HANGS)

    with web.serving({**MIRROR, second: answer}) as server, child(tmp_path, into, f"{server.url}/m") as process:
        assert half.wait(HANGS)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=HANGS)
        killed.set()

    assert process.returncode == -signal.SIGKILL
    assert not (into / "corpus.toml").exists()
    assert not (into / SECOND).exists()

    # What has come is not asked for again.
    with web.serving(MIRROR) as server:
        fetch_files(TINY, into, f"{server.url}/m")
    assert server.asked == [second]
    assert_whole(into)
