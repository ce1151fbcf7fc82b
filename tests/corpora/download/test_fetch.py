"""Everything is fetched from this machine; no test asks another one."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import threading
from contextlib import ExitStack
from dataclasses import replace

import pytest
import tomli_w

from metaeval.corpora import catalogue
from metaeval.corpora.cached import record
from metaeval.corpora.download import fetch
from metaeval.corpora.download.fetch import download
from metaeval.corpora.download.public import public_corpora
from metaeval.errors import CorpusError, UsageError
from tests.support import web
from tests.support.gold import of_others
from tests.support.processes import HANGS, started
from tests.support.public import ADDRESS, COMMIT, CONTENTS, FIRST, MIRROR, SECOND, TINY, make_corpus

pytestmark = pytest.mark.usefixtures("waits")


def assert_whole(into):
    found = {path.relative_to(into).as_posix(): path.read_bytes() for path in into.rglob("*") if path.is_file()}
    assert found == {f"owner/repo/{path}": content for path, content in CONTENTS.items()}
    assert [path.name for path in into.parent.iterdir()] == ["tiny"]


def test_from_the_owners(into, monkeypatch):
    second = f"/owner/repo/{COMMIT}/b/c%20%28d%29%20%C3%A9.txt"
    answers = {
        f"/owner/repo/{COMMIT}/a.txt": web.right(CONTENTS["a.txt"]),
        second: web.right(CONTENTS["b/c (d) é.txt"]),
    }
    with web.serving(answers) as server:
        monkeypatch.setattr(fetch, "OWNERS", server.url)
        download(TINY, into)

    assert_whole(into)
    assert server.asked == [f"/owner/repo/{COMMIT}/a.txt", second]


def test_the_owners_are_on_github():
    assert fetch.OWNERS == "https://raw.githubusercontent.com"


@pytest.mark.parametrize("slash", ["", "/"])
def test_from_a_mirror(into, slash, waits):
    with web.serving(MIRROR) as server:
        download(TINY, into, f"{server.url}/m{slash}")

    assert_whole(into)
    assert server.asked == list(MIRROR)
    assert waits == []
    assert (into / FIRST).stat().st_mode & 0o777 == 0o644
    assert into.stat().st_mode & 0o777 == 0o755


def test_from_a_directory(into, copy):
    (copy / FIRST).rename(copy / "elsewhere")
    (copy / FIRST).symlink_to(copy / "elsewhere")
    download(TINY, into, copy)

    assert_whole(into)
    for name in (FIRST, SECOND):
        assert not (into / name).is_symlink()
        assert not (into / name).samefile(copy / name)


@pytest.mark.parametrize("name", ["summeval", "webnlg2020-en", "wmt21-ted-zhen"])
def test_the_public_corpora_from_a_directory(name, tmp_path):
    corpus = public_corpora()[name]
    download(corpus, tmp_path / name, str(of_others("raw")))

    found = {path.relative_to(tmp_path / name).as_posix() for path in (tmp_path / name).rglob("*") if path.is_file()}
    assert found == {file.name for file in corpus.files}
    assert all((tmp_path / name / file).read_bytes() == (of_others("raw") / file).read_bytes() for file in found)


def test_an_empty_file(tmp_path, copy):
    corpus = make_corpus({"a.txt": b""})
    (copy / FIRST).write_bytes(b"")
    download(corpus, tmp_path / "into", copy)
    assert (tmp_path / "into" / FIRST).read_bytes() == b""


def test_an_empty_directory_is_taken(into, copy):
    into.mkdir(parents=True)
    download(TINY, into, copy)
    assert_whole(into)


def test_what_is_there_is_not_fetched_again(tmp_path, monkeypatch):
    monkeypatch.setenv("METAEVAL_CACHE", str(tmp_path))
    # What another process is about to remove does no harm: it is listed, but gone when it is looked at.
    (tmp_path / "fetched").mkdir()
    (tmp_path / "fetched" / "removed").symlink_to("gone")
    directory = catalogue.fetch_corpus("summeval", of_others("raw"))
    with web.serving({}) as server:
        assert catalogue.fetch_corpus("summeval", server.url) == directory
    assert server.asked == []
    assert catalogue.fetch_corpus("summeval", "not even a directory") == directory


@pytest.mark.parametrize("content", [None, b"x" * 300, b"x"])
def test_a_directory_with_other_things_is_refused(into, copy, content):
    download(TINY, into, copy)
    (into / FIRST).unlink()
    if content:
        (into / FIRST).write_bytes(content)

    with pytest.raises(UsageError, match="exists and is not an empty directory; choose another or remove it"):
        download(TINY, into, copy)
    assert (into / SECOND).exists()


def test_what_cannot_be_written_is_told(tmp_path, copy):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"file/tiny: cannot be written: (Not a directory|File exists)"):
        download(TINY, tmp_path / "file" / "tiny", copy)


def test_another_directory_that_appears_meanwhile_is_left_alone(into):
    def answer(handler, count):
        into.mkdir()
        (into / "precious").write_text("")
        MIRROR[ADDRESS](handler, count)

    with (
        web.serving({**MIRROR, ADDRESS: answer}) as server,
        pytest.raises(UsageError, match="cannot be written: Directory not empty"),
    ):
        download(TINY, into, f"{server.url}/m")
    assert [path.name for path in into.parent.rglob("*")] == ["tiny", "precious"]


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
        download(TINY, into, f"{server.url}/m")

    assert_whole(into)
    assert server.counts[ADDRESS] == len(broken) + 1
    assert waits == waited


def test_a_content_without_length_or_compressed_is_taken(into):
    packed = web.right(gzip.compress(CONTENTS["b/c (d) é.txt"]), Content_Encoding="gzip")
    answers = dict(zip(MIRROR, [web.without_length(CONTENTS["a.txt"]), packed], strict=True))
    with web.serving(answers) as server:
        download(TINY, into, f"{server.url}/m")

    assert_whole(into)
    assert {headers["Accept-Encoding"] for headers in server.headers} == {"identity"}


def test_a_content_in_chunks_is_taken(into):
    with web.serving({**MIRROR, ADDRESS: web.chunked(CONTENTS["a.txt"], 7)}) as server:
        download(TINY, into, f"{server.url}/m")
    assert_whole(into)


def test_a_connection_that_is_slow_but_fast_enough_is_taken(into, monkeypatch):
    # The file takes ten windows of 0.02 s, and in each of them more than one byte a second comes.
    monkeypatch.setattr(fetch, "SLOW_WINDOW", 0.02)
    monkeypatch.setattr(fetch, "SLOWEST_RATE", 1.0)
    with web.serving({**MIRROR, ADDRESS: web.trickle(CONTENTS["a.txt"], 30, 0.02)}) as server:
        download(TINY, into, f"{server.url}/m")
    assert_whole(into)


def test_a_redirection_is_followed(into):
    with web.serving({**MIRROR, ADDRESS: web.status(302, Location="/x"), "/x": MIRROR[ADDRESS]}) as server:
        download(TINY, into, f"{server.url}/m")
    assert_whole(into)


def test_the_proxy_of_the_environment_is_used(into, monkeypatch):
    with web.serving({f"http://example.invalid{path}": answer for path, answer in MIRROR.items()}) as server:
        monkeypatch.setenv("http_proxy", server.url)
        monkeypatch.setenv("no_proxy", "")
        download(TINY, into, "http://example.invalid/m")
    assert_whole(into)


# What is told meanwhile


def test_it_is_told_how_many_bytes_have_come(into):
    steps = []
    with web.serving({**MIRROR, ADDRESS: web.after(web.status(500), MIRROR[ADDRESS])}) as server:
        download(TINY, into, f"{server.url}/m", steps.append)

    assert str(steps[0]) == f"fetch      tiny: 2 files, 0.0 MB, from {server.url}/m"
    # 20 lines of 15 bytes and 30 lines of 11.
    assert steps[-1] == replace(steps[0], done=630, total=630)


def test_without_anybody_to_tell_nothing_is_shown(into, copy, capsys):
    download(TINY, into, copy)
    assert capsys.readouterr() == ("", "")


def test_bytes_that_are_lost_are_taken_back(into):
    steps = []
    answers = {**MIRROR, ADDRESS: web.after(web.cut(CONTENTS["a.txt"], 100), MIRROR[ADDRESS])}
    with web.serving(answers) as server:
        download(TINY, into, f"{server.url}/m", steps.append)

    done = [step.done for step in steps]
    assert max(done) == done[-1] == 630
    assert 100 in done


# Several processes

CHILD = """if True:
    import sys
    from pathlib import Path
    from metaeval.corpora.download.fetch import download
    from metaeval.corpora.download.public import read_entry
    download(read_entry(Path(sys.argv[1])), Path(sys.argv[2]), sys.argv[3])
"""


def child(tmp_path, into, url):
    entry = {name: value for name, value in vars(TINY).items() if name not in ("files", "criteria")}
    entry |= {"criteria": [], "files": [vars(file) for file in TINY.files]}
    (tmp_path / "tiny.toml").write_bytes(tomli_w.dumps(entry).encode())
    command = [sys.executable, "-c", CHILD, str(tmp_path / "tiny.toml"), str(into), url]
    return started(command, stderr=subprocess.PIPE)


def test_processes_that_fetch_and_convert_at_once_all_succeed(tmp_path):
    code = (
        "import sys; from metaeval.corpora.catalogue import fetch_corpus; print(fetch_corpus('summeval', sys.argv[1]))"
    )
    left = tmp_path / "fetched" / "summeval-12345678.metaeval-elsewher"
    left.mkdir(parents=True)
    os.utime(left, (0, 0))
    environment = {**os.environ, "METAEVAL_CACHE": str(tmp_path)}
    command = [sys.executable, "-c", code, str(of_others("raw"))]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with ExitStack() as stack:
        children = [stack.enter_context(started(command, env=environment, **pipes)) for _ in range(4)]
        results = [one.communicate(timeout=HANGS) for one in children]
    assert [error for _, error in results] == [b""] * 4
    assert len({out for out, _ in results}) == 1
    assert list((tmp_path / "fetched").iterdir()) == []


def test_an_error_does_not_matter_if_another_process_was_faster(tmp_path, monkeypatch):
    monkeypatch.setenv("METAEVAL_CACHE", str(tmp_path))
    directory = catalogue.public_directory("summeval")

    def download(*arguments):
        raise CorpusError("broken")

    monkeypatch.setattr(catalogue, "download", download)
    with pytest.raises(CorpusError, match="broken"):
        catalogue.fetch_corpus("summeval")

    def slower(*arguments):
        directory.mkdir(parents=True)
        (directory / "corpus.toml").write_text("")
        record(directory)
        raise CorpusError("broken")

    monkeypatch.setattr(catalogue, "download", slower)
    assert catalogue.fetch_corpus("summeval") == directory
    assert list((tmp_path / "fetched").iterdir()) == []


def test_a_process_that_is_killed_leaves_nothing_that_harms(tmp_path, into, copy):
    half, killed = threading.Event(), threading.Event()

    def answer(handler, count):
        web.cut(CONTENTS["a.txt"], 150)(handler, count)
        half.set()
        killed.wait(HANGS)

    with web.serving({**MIRROR, ADDRESS: answer}) as server, child(tmp_path, into, f"{server.url}/m") as process:
        assert half.wait(HANGS)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=HANGS)
        killed.set()

    assert process.returncode == -signal.SIGKILL
    (left,) = into.parent.iterdir()
    assert left.name.startswith(".partial-")

    # Its maker is dead, so that nobody misses it.
    download(TINY, into, copy)
    assert_whole(into)
