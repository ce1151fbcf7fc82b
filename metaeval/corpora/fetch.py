"""Public corpora are fetched from their owners, or from a copy of their files; every byte is checked before it is used.

Nothing is fetched unless :func:`download` is called.
"""

from __future__ import annotations

import hashlib
import logging
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from metaeval.corpora.directories import remove_abandoned_parts, whole_directory
from metaeval.corpora.public import PublicCorpus, PublicFile
from metaeval.errors import CorpusError, FetchError, UsageError, listing
from metaeval.progress import Progress, Step, Tally, silent
from metaeval.version import VERSION

if TYPE_CHECKING:
    import requests

OWNERS = "https://raw.githubusercontent.com"
RETRIES = 3  # of a connection that fails or breaks, after waits of one, two and three seconds
TIMEOUT = 20.0  # seconds until a silent server is given up
SLOW_WINDOW = 20.0  # seconds over which the rate is measured
SLOWEST_RATE = 1024.0  # bytes a second; whatever is slower is given up
_CHUNK = 1 << 16
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})  # answers of a server that may be another one next time
_ABSENT = frozenset({404, 410})

Tick = Callable[[int], object]


def download(
    corpus: PublicCorpus,
    into: Path,
    origin: str | Path | None = None,
    progress: Progress = silent,
) -> None:
    """Put the files of a corpus at INTO/REPOSITORY/PATH; the directory is there only when all are there and right.

    Parameters
    ----------
    corpus : PublicCorpus
    into : Path
        A directory that does not exist yet, is empty, or holds the files already; then nothing is fetched. Several
        processes may fetch the same corpus into the same directory at once.
    origin : str or Path, optional
        A directory, or the http or https address of one, that holds the files at REPOSITORY/PATH. They are copied,
        never linked. Without it, the files come from their owners. Proxies are those of the environment.
    progress : callable, optional
        Told a :class:`~metaeval.progress.Step` at the beginning, and as bytes come; those that are lost with a
        connection are taken back.

    Raises
    ------
    UsageError
        If the origin is neither an address nor a directory, or `into` holds something else or cannot be written.
    CorpusError
        If a file is missing at the origin, or is not the one that the catalogue describes.
    FetchError
        If the network or the server fails, or is too slow.
    """
    if is_fetched(corpus, into):
        return
    source = _source(origin)
    remove_abandoned_parts(into)
    try:
        with whole_directory(into) as partial:
            step = Step(
                "fetch", f"{corpus.name}: {len(corpus.files)} files, {corpus.bytes / 1e6:.1f} MB, from {source}"
            )
            progress(step)
            source.bring(corpus, partial, Tally(progress, step, corpus.bytes).add)
    except (UsageError, OSError) as error:
        # Another process may have been faster.
        if is_fetched(corpus, into):
            return
        if isinstance(error, OSError):
            raise UsageError(f"{into}: cannot be written: {error.strerror or error}.") from error
        raise


def is_fetched(corpus: PublicCorpus, directory: Path) -> bool:
    """Return whether all files of a corpus lie in a directory at REPOSITORY/PATH, with the right bytes."""
    return all(_is_right(directory / file.name, file) for file in corpus.files)


def _is_right(path: Path, file: PublicFile) -> bool:
    try:
        if not path.is_file() or path.stat().st_size != file.bytes:
            return False
        with path.open("rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest() == file.sha256
    except OSError:
        return False


@dataclass(frozen=True)
class _Directory:
    """A directory with a copy of the files."""

    path: Path

    def __str__(self) -> str:
        return str(self.path)

    def bring(self, corpus: PublicCorpus, into: Path, tick: Tick) -> None:
        """Copy all files of a corpus."""
        missing = [file.name for file in corpus.files if not (self.path / file.name).is_file()]
        if missing:
            raise CorpusError(
                f"{corpus.name}: {self.path}: lacks {len(missing)} of {len(corpus.files)} files: "
                f"{listing(missing, limit=3)}. They must lie there at REPOSITORY/PATH; is a directory above or below "
                "this one meant?"
            )
        for file in corpus.files:
            target = into / file.name
            target.parent.mkdir(parents=True, exist_ok=True)
            self.copy(corpus, file, target, tick)

    def copy(self, corpus: PublicCorpus, file: PublicFile, target: Path, tick: Tick) -> None:
        """Copy one file."""
        path = self.path / file.name

        def read(size: int) -> bytes:
            with _reading(corpus, path):
                return content.read(size)

        with _reading(corpus, path):
            content = path.open("rb")
        with content:
            _receive(corpus, file, read, str(path), target, tick)


@dataclass(frozen=True)
class _Web:
    """The owners' repositories, or a mirror of them."""

    mirror: str | None

    def __str__(self) -> str:
        return OWNERS if self.mirror is None else _without_password(self.mirror)

    def address(self, file: PublicFile) -> str:
        """Return the address of a file."""
        if self.mirror is None:
            return f"{OWNERS}/{file.repository}/{file.commit}/{quote(file.path)}"
        return f"{self.mirror.rstrip('/')}/{quote(file.name)}"

    def bring(self, corpus: PublicCorpus, into: Path, tick: Tick) -> None:
        """Download all files of a corpus, one after the other over the same connection."""
        # They are needed here alone, and slow to import.
        import pooch
        import requests

        store = pooch.create(
            path=into,
            base_url="",
            registry={file.name: f"sha256:{file.sha256}" for file in corpus.files},
            urls={file.name: self.address(file) for file in corpus.files},
            retry_if_failed=RETRIES,
        )
        with requests.Session() as session, _silent(pooch.get_logger()):
            # What is compressed on the way would not tell its size.
            session.headers.update({"User-Agent": f"metaeval/{VERSION}", "Accept-Encoding": "identity"})
            for file in corpus.files:
                downloader = _Downloader(corpus, file, session, tick)
                try:
                    store.fetch(file.name, downloader=downloader)
                except requests.RequestException as error:
                    raise downloader.failure(self.address(file), _reason(error)) from error


@contextmanager
def _reading(corpus: PublicCorpus, path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CorpusError(f"{corpus.name}: {path}: cannot be read: {error.strerror}.") from error


def _source(origin: str | Path | None) -> _Directory | _Web:
    """Return where the files are taken from."""
    if origin is None:
        return _Web(None)
    if isinstance(origin, str) and "://" in origin:
        try:
            parts = urlsplit(origin)
            good = parts.scheme.lower() in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            good = False
        if not good or parts.query or parts.fragment:
            raise UsageError(
                "the origin must be a directory, or an address such as https://example.org/files without '?' and '#'; "
                f"got {_without_password(origin)!r}."
            )
        return _Web(origin)
    if not Path(origin).is_dir():
        found = "is a file" if Path(origin).exists() else "does not exist"
        raise UsageError(f"the origin must be a directory or an http or https address; {str(origin)!r} {found}.")
    return _Directory(Path(origin))


@dataclass(frozen=True)
class _Downloader:
    """Downloads one file for pooch, which tries again after what :mod:`requests` raises and nothing else."""

    corpus: PublicCorpus
    file: PublicFile
    session: requests.Session
    tick: Tick

    def __call__(self, url: str, output_file: str, pooch: object, *, check_only: bool | None = None) -> None:
        """Write the file that is at an address."""
        import requests
        from urllib3.exceptions import HTTPError, ReadTimeoutError

        pace, came = _Pace(), 0

        def read(size: int) -> bytes:
            nonlocal came
            try:
                # read1 gives what has come; read would wait for all of it, however slowly it comes.
                chunk: bytes = response.raw.read1(size, decode_content=True)
            except ReadTimeoutError as error:
                raise requests.ReadTimeout(error) from error
            except HTTPError as error:
                raise requests.ConnectionError(error) from error
            slow = pace.add(len(chunk))
            if slow:
                raise self.failure(url, slow)
            came += len(chunk)
            if size and not chunk and came < self.file.bytes and not tells_length:
                # Where the length is not told, a connection that broke looks like the end of a file.
                raise requests.ConnectionError(f"it ended after {came} bytes")
            return chunk

        with self.session.get(url, stream=True, timeout=TIMEOUT) as response:
            tells_length = "Content-Length" in response.headers or response.raw.chunked
            if response.status_code in _ABSENT:
                raise CorpusError(
                    f"{self.corpus.name}: {self.file.name} is not at {_without_password(url)} (the server answered "
                    f"{response.status_code}). It was moved or removed, or the address is wrong. {_advice(self.file)}"
                )
            if response.status_code in _PASSING:
                raise requests.HTTPError(response=response)
            if response.status_code != 200:
                raise self.failure(url, _answer(response))
            _receive(self.corpus, self.file, read, _without_password(url), Path(output_file), self.tick)

    def failure(self, address: str, reason: str) -> FetchError:
        """Return the error for a file that could not be fetched."""
        return FetchError(
            f"{self.corpus.name}: {self.file.name} ({self.file.bytes} bytes) cannot be fetched from "
            f"{_without_password(address)}: {reason}. Try again later. {_advice(self.file)}"
        )


@dataclass
class _Pace:
    """Measures how fast bytes come, window after window."""

    start: float = field(default_factory=time.monotonic)
    count: int = 0

    def add(self, count: int) -> str | None:
        """Count bytes that came; return what is wrong if they came too slowly."""
        self.count += count
        seconds = time.monotonic() - self.start
        if seconds < SLOW_WINDOW:
            return None
        if self.count < SLOWEST_RATE * seconds:
            return (
                f"the connection is too slow: {self.count} bytes came in {seconds:.0f} s, and {SLOWEST_RATE:.0f} a "
                "second must come"
            )
        self.start, self.count = time.monotonic(), 0
        return None


def _receive(
    corpus: PublicCorpus, file: PublicFile, read: Callable[[int], bytes], place: str, target: Path, tick: Tick
) -> None:
    """Write what `read` gives, at most one byte more than there must be, and check it."""
    digest, count = hashlib.sha256(), 0
    try:
        with target.open("wb") as output:
            while chunk := read(min(_CHUNK, file.bytes + 1 - count)):
                output.write(chunk)
                digest.update(chunk)
                count += len(chunk)
                tick(len(chunk))
        target.chmod(0o644)
        if count != file.bytes:
            came = f"more than {file.bytes} bytes" if count > file.bytes else f"{count} bytes"
        elif digest.hexdigest() != file.sha256:
            came = f"SHA-256 {digest.hexdigest()}"
        else:
            return
        cause = ", or a proxy answered with a page of its own" if "://" in place else ""
        raise CorpusError(
            f"{corpus.name}: {place}: must be {file.bytes} bytes with SHA-256 {file.sha256}; got {came}. The file was "
            f"changed there or cut short{cause}. {_advice(file)}"
        )
    except BaseException:
        tick(-count)
        raise


@contextmanager
def _silent(logger: logging.Logger) -> Iterator[None]:
    """Keep a logger from telling what goes well, and leave it as it was."""
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)


def _advice(file: PublicFile) -> str:
    return f"The files of another copy can be used with `--from DIR_OR_URL`; this one is DIR_OR_URL/{file.name} there."


def _without_password(address: str) -> str:
    return re.sub("//[^/]*@", "//", address, count=1)


def _answer(response: requests.Response) -> str:
    return f"the server answered {response.status_code} {response.reason or ''}".rstrip()


def _reason(error: requests.RequestException) -> str:
    """Return what went wrong, in words, with what the system said of it."""
    import requests

    if isinstance(error, requests.HTTPError) and error.response is not None:
        return f"{_answer(error.response)}, {RETRIES + 1} times"
    if isinstance(error, requests.ReadTimeout):
        return f"the server was silent for {TIMEOUT:g} s"
    kinds = {
        requests.ConnectTimeout: f"there was no connection within {TIMEOUT:g} s",
        requests.exceptions.ProxyError: "the proxy cannot be reached, or refuses",
        requests.exceptions.SSLError: "the certificate of the server cannot be verified",
        requests.ConnectionError: "there is no connection, or it broke",
    }
    words = next((words for kind, words in kinds.items() if isinstance(error, kind)), "the request failed")
    return f"{words} ({_root(error)}); probably the network is down, or a proxy must be named in HTTPS_PROXY"


def _root(error: BaseException) -> str:
    """Return the text of the innermost of the errors that libraries wrap in one another."""
    while True:
        inside = (getattr(error, "reason", None), *error.args, error.__cause__)
        deeper = next((item for item in inside if isinstance(item, BaseException)), None)
        if deeper is None:
            return str(error)
        error = deeper
