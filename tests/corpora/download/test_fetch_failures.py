"""Whatever goes wrong is told, and leaves nothing behind. No test asks another machine."""

from __future__ import annotations

import gzip
import socket
import threading
from pathlib import Path

import pytest

from metaeval.corpora.download import fetch
from metaeval.corpora.download.fetch import fetch_files
from metaeval.errors import CorpusError, FetchError, UsageError
from tests.support import web
from tests.support.public import ADDRESS, CONTENTS, FIRST, MIRROR, TINY

pytestmark = pytest.mark.usefixtures("waits")


def assert_nothing(into):
    assert [path.name for path in into.parent.rglob("*") if path.is_file()] in ([], [".tiny.lock"])


def failure(kind, answer, into):
    """Fetch from a mirror whose first file has a special answer; return the message, without the address."""
    with web.serving({**MIRROR, ADDRESS: answer}) as server, pytest.raises(kind) as caught:
        fetch_files(TINY, into, f"{server.url}/m")
    assert_nothing(into)
    return str(caught.value).replace(f"{server.url}/m", "URL"), server


def test_a_connection_that_keeps_breaking_is_told(into, waits):
    message, server = failure(FetchError, web.cut(CONTENTS["a.txt"], 100), into)

    assert message.startswith(
        "tiny: owner/repo/a.txt (300 bytes) cannot be fetched from URL/owner/repo/a.txt: IncompleteRead(100 bytes "
        "read, 200 more expected); probably the network is down, or a proxy must be named in HTTPS_PROXY (4 tries). "
        "Try again later. The files of another copy can be used with `--from DIR_OR_URL`; this one is "
        "DIR_OR_URL/owner/repo/a.txt there."
    )
    assert waits == [1, 2, 3]
    assert server.counts[ADDRESS] == 4


@pytest.mark.parametrize(
    ("answer", "asked", "reason"),
    [
        (web.status(500), 4, "the server answered 500 Internal Server Error (4 tries). Try again later."),
        (web.status(403), 4, "the server answered 403 Forbidden (4 tries). Try again later."),
        (web.status(302, Location="file:///etc/hosts"), 4, "No connection adapters were found for 'file:///etc/hosts'"),
    ],
)
def test_a_server_that_fails_is_told(into, answer, asked, reason):
    message, server = failure(FetchError, answer, into)
    assert reason in message
    assert server.counts[ADDRESS] == asked


def test_no_server_at_all_is_told(into):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with pytest.raises(FetchError, match=r": \[Errno \d+\] Connection refused; probably the network is down"):
            fetch_files(TINY, into, f"http://127.0.0.1:{unused.getsockname()[1]}")
    assert_nothing(into)


def test_a_server_that_is_silent_is_told(into, monkeypatch):
    monkeypatch.setattr(fetch, "TIMEOUT_S", 0.1)
    done = threading.Event()
    message, server = failure(FetchError, lambda handler, count: done.wait(0.5), into)

    assert "URL/owner/repo/a.txt: timed out; probably the network is down" in message
    assert server.counts[ADDRESS] == 4


def test_a_server_that_falls_silent_is_told(into, monkeypatch):
    monkeypatch.setattr(fetch, "TIMEOUT_S", 0.1)
    message, _ = failure(FetchError, web.trickle(CONTENTS["a.txt"], 150, 0.5), into)
    assert ": timed out; probably the network is down" in message


@pytest.mark.parametrize("code", [404, 410])
def test_a_file_that_is_not_there_is_told_and_not_asked_for_again(into, code, waits):
    message, server = failure(CorpusError, web.status(code), into)

    assert message.startswith(
        f"tiny: owner/repo/a.txt is not at URL/owner/repo/a.txt (the server answered {code}). It was moved or removed, "
        "or the address is wrong. The files of another copy can be used"
    )
    assert server.counts[ADDRESS] == 1
    assert waits == []


# sha256sum of 20 lines "the first file", and of 300 times "x"
RIGHT = "ed955c4c7db9955afda6ed494e61f30977b6fcffd0c843662ff12725eab753a1"
WRONG = "0d4e2ca9e9cbced7a7a5380eb29e1a3783b9b6d0db72de36a1051038e1c1fbc7"
# Of 299 times "x", of one, and of nothing.
SHORT = "17b8309d28400639234568bed5e423f1b617e6926532f293277417aeea763734"
ONE = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.mark.parametrize(
    ("answer", "came", "asked"),
    [
        (web.right(b"x" * 300), f"300 bytes with SHA-256 {WRONG}", 4),
        (web.right(b"x" * 299), f"299 bytes with SHA-256 {SHORT}", 4),
        (web.right(b""), f"0 bytes with SHA-256 {EMPTY}", 4),
        (web.status(204), f"0 bytes with SHA-256 {EMPTY}", 4),
        (web.chunked(b"x" * 299, 100), f"299 bytes with SHA-256 {SHORT}", 4),
        (web.right(b"x" * 301), "more than 300 bytes", 1),
        (web.endless, "more than 300 bytes", 1),
        (web.right(gzip.compress(bytes(10**7)), Content_Encoding="gzip"), "more than 300 bytes", 1),
    ],
)
def test_wrong_bytes_are_refused(into, answer, came, asked, waits):
    message, server = failure(CorpusError, answer, into)

    assert message == (
        f"tiny: URL/owner/repo/a.txt: must be 300 bytes with SHA-256 {RIGHT}; got {came}. The file was changed there "
        "or cut short, or a proxy answered with a page of its own. The files of another copy can be used with `--from "
        "DIR_OR_URL`; this one is DIR_OR_URL/owner/repo/a.txt there."
    )
    assert server.counts[ADDRESS] == asked
    assert waits == [1, 2, 3][: asked - 1]


@pytest.mark.parametrize(
    ("content", "came"),
    [
        (b"x" * 300, f"300 bytes with SHA-256 {WRONG}"),
        (b"x", f"1 bytes with SHA-256 {ONE}"),
        (b"x" * 999, "more than 300 bytes"),
    ],
)
def test_wrong_bytes_in_a_directory_are_refused(into, copy, content, came):
    (copy / FIRST).write_bytes(content)
    with pytest.raises(CorpusError) as caught:
        fetch_files(TINY, into, copy)

    assert str(caught.value).startswith(
        f"tiny: {copy / FIRST}: must be 300 bytes with SHA-256 {RIGHT}; got {came}. The file was changed there or cut "
        "short. The files"
    )
    assert_nothing(into)


def test_what_a_directory_lacks_is_told_at_once(into, copy):
    (copy / FIRST).unlink()
    (copy / FIRST).mkdir()
    with pytest.raises(CorpusError) as caught:
        fetch_files(TINY, into, copy)
    assert str(caught.value) == (
        f"tiny: {copy}: lacks 1 of 2 files: 'owner/repo/a.txt'. They must lie there at REPOSITORY/PATH; is a directory "
        "above or below this one meant?"
    )

    with pytest.raises(CorpusError, match="lacks 2 of 2 files"):
        fetch_files(TINY, into, copy / "owner")
    assert_nothing(into)


@pytest.mark.skipif(
    not Path("/proc/self/mem").exists(), reason="no file is there that anybody may open and nobody read"
)
def test_a_file_that_cannot_be_read_is_told(into, copy):
    (copy / FIRST).unlink()
    (copy / FIRST).symlink_to("/proc/self/mem")
    with pytest.raises(CorpusError, match=r"tiny: .*/copy/owner/repo/a\.txt: cannot be read: Input/output error\."):
        fetch_files(TINY, into, copy)


@pytest.mark.parametrize(
    "origin", ["ftp://example.org/x", "file:///tmp", "http://", "http://h:99999/", "http://[x/", "https://h/?a", "http://h/#a"]
)  # fmt: skip
def test_an_address_of_another_kind_is_refused(into, origin):
    with pytest.raises(UsageError) as caught:
        fetch_files(TINY, into, origin)
    assert str(caught.value) == (
        "the origin must be a directory, or an address such as https://example.org/files without '?' and '#'; got "
        f"{origin!r}."
    )


def test_an_origin_that_is_no_directory_is_refused(into, copy):
    with pytest.raises(UsageError, match=r"an http or https address; 'example\.org/files' does not exist\."):
        fetch_files(TINY, into, "example.org/files")
    with pytest.raises(UsageError, match=r"a\.txt' is a file\."):
        fetch_files(TINY, into, copy / FIRST)


def test_a_password_is_used_and_never_told(into):
    steps = []
    with web.serving({}) as server, pytest.raises(CorpusError) as caught:
        fetch_files(TINY, into, server.url.replace("//", "//ann:secret@"), steps.append)

    # "ann:secret" in base 64
    assert server.headers[0]["Authorization"] == "Basic YW5uOnNlY3JldA=="
    assert "secret" not in str(caught.value) + str(steps[0])
    assert server.url in str(caught.value)
    with pytest.raises(UsageError, match="got 'ftp://h/x'"):
        fetch_files(TINY, into, "ftp://ann:secret@h/x")
