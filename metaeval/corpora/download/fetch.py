"""Public corpora are fetched from their owners, or from a copy of their files; every byte is checked before it is used.

Nothing is fetched unless :func:`download` is called.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from metaeval.corpora.directories import whole_directory
from metaeval.corpora.download.public import PublicCorpus, PublicFile
from metaeval.corpora.problems import sentence
from metaeval.errors import CorpusError, FetchError, UsageError, as_typed, listing
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


def download(corpus: PublicCorpus, into: Path, origin: str | Path | None = None, progress: Progress = silent) -> None:
    """Put the files of a corpus at INTO/REPOSITORY/PATH; the directory is there only when all are there and right.

    Parameters
    ----------
    corpus : PublicCorpus
    into : Path
        A directory that does not exist yet, or is empty.
    origin : str or Path, optional
        A directory, or the http or https address of one, that holds the files at REPOSITORY/PATH. They are copied,
        never linked. Without it, the files come from their owners. Proxies are those of the environment.
    progress : callable, optional
        Called with a :class:`~metaeval.progress.Step` at the beginning, and as bytes come; those that are lost with a
        connection are taken back.

    Raises
    ------
    UsageError
        If the origin is neither an address nor a directory, or `into` holds something or cannot be written.
    CorpusError
        If a file is missing at the origin, or is not the one that the catalogue describes.
    FetchError
        If the network or the server fails, or is too slow.
    """
    source = _checked(origin)
    with whole_directory(into) as partial:
        shown = source if isinstance(source, Path) else _without_password(source)
        step = Step("fetch", f"{corpus.name}: {len(corpus.files)} files, {corpus.bytes / 1e6:.1f} MB, from {shown}")
        progress(step)
        download = _Download(corpus, partial, Tally(progress, step, corpus.bytes).add)
        if isinstance(source, Path):
            download.copy_all(source)
        else:
            download.fetch_all(source)


def _checked(origin: str | Path | None) -> Path | str:
    """Return where the files are taken from: a directory, or an address."""
    if origin is None:
        return OWNERS
    if isinstance(origin, str) and "://" in origin:
        try:
            parts = urlsplit(origin)
            good = parts.scheme.lower() in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            good = False
        if not good or parts.query or parts.fragment:
            raise UsageError(sentence("origin", got=_without_password(origin)))
        return origin.rstrip("/")
    if not Path(origin).is_dir():
        found = "is a file" if Path(origin).exists() else "does not exist"
        raise UsageError(f"the origin must be a directory or an http or https address; {str(origin)!r} {found}.")
    return Path(origin)


class _Download:
    """Brings the files of one corpus into a directory."""

    def __init__(self, corpus: PublicCorpus, into: Path, tick: Tick) -> None:
        self.corpus, self.into, self.tick = corpus, into, tick

    def error(self, words: str) -> CorpusError:
        """Return the error for a file that is missing, or another one."""
        return CorpusError(f"{self.corpus.name}: {words}")

    def copy_all(self, origin: Path) -> None:
        """Copy all files."""
        files = self.corpus.files
        missing = [file.name for file in files if not (origin / file.name).is_file()]
        if missing:
            names = listing(missing, limit=3)
            raise self.error(sentence("copy_lacks", origin=origin, missing=len(missing), n=len(files), names=names))
        for file in files:
            path = origin / file.name
            try:
                with path.open("rb") as source:
                    content = source.read(file.bytes + 1)
            except OSError as error:
                raise self.error(f"{path}: cannot be read: {error.strerror}.") from error
            self.write(file, content, str(path))
            self.tick(len(content))

    def fetch_all(self, origin: str) -> None:
        """Download all files, one after the other over the same connection."""
        # It is needed here alone, and slow to import.
        import requests

        with requests.Session() as session:
            # What is compressed on the way would not show its size.
            session.headers.update({"User-Agent": f"metaeval/{VERSION}", "Accept-Encoding": "identity"})
            for file in self.corpus.files:
                at = f"{file.repository}/{file.commit}/{file.path}" if origin == OWNERS else file.name
                address = f"{origin}/{quote(at)}"
                for wait in range(1, RETRIES + 2):
                    try:
                        content = self.fetch(file, address, session)
                        break
                    except requests.RequestException as error:
                        if wait > RETRIES:
                            raise self.failure(file, address, _reason(error)) from error
                        sleep(wait)
                self.write(file, content, _without_password(address))

    def fetch(self, file: PublicFile, address: str, session: requests.Session) -> bytes:
        """Return what is at an address, at most one byte more than must be; what may pass is an error of requests."""
        import requests
        from urllib3.exceptions import HTTPError, ReadTimeoutError

        content = bytearray()
        with session.get(address, stream=True, timeout=TIMEOUT) as response:
            if response.status_code in _ABSENT:
                where = {"address": _without_password(address), "answer": response.status_code}
                raise self.error(sentence("not_there", name=file.name, advice=_advice(file), **where))
            if response.status_code in _PASSING:
                raise requests.HTTPError(response=response)
            if response.status_code != 200:
                raise self.failure(file, address, _answer(response))
            try:
                start, before = monotonic(), 0
                # read1 gives what has come; read would wait for all of it, however slowly it comes.
                while chunk := response.raw.read1(min(_CHUNK, file.bytes + 1 - len(content)), decode_content=True):
                    content += chunk
                    self.tick(len(chunk))
                    seconds, came = monotonic() - start, len(content) - before
                    if seconds >= SLOW_WINDOW and came < SLOWEST_RATE * seconds:
                        reason = f"{came} bytes came in {seconds:.0f} s, and {SLOWEST_RATE:.0f} a second must come"
                        raise self.failure(file, address, f"the connection is too slow: {reason}")
                    if seconds >= SLOW_WINDOW:
                        start, before = monotonic(), len(content)
                # Where the length is not given, a connection that broke looks like the end of a file.
                if len(content) < file.bytes and "Content-Length" not in response.headers and not response.raw.chunked:
                    raise requests.ConnectionError(f"it ended after {len(content)} bytes")
            except BaseException as error:
                self.tick(-len(content))
                if isinstance(error, HTTPError):
                    late = isinstance(error, ReadTimeoutError)
                    raise (requests.ReadTimeout if late else requests.ConnectionError)(error) from error
                raise
        return bytes(content)

    def write(self, file: PublicFile, content: bytes, place: str) -> None:
        """Write a file, if its content is right."""
        digest = hashlib.sha256(content).hexdigest()
        if len(content) != file.bytes or digest != file.sha256:
            came = f"{len(content)} bytes" if len(content) != file.bytes else f"SHA-256 {digest}"
            came = f"more than {file.bytes} bytes" if len(content) > file.bytes else came
            cause = ", or a proxy answered with a page of its own" if "://" in place else ""
            facts = {"bytes": file.bytes, "sha256": file.sha256, "came": came, "cause": cause}
            raise self.error(sentence("other_content", place=place, advice=_advice(file), **facts))
        target = self.into / file.name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        target.chmod(0o644)

    def failure(self, file: PublicFile, address: str, reason: str) -> FetchError:
        """Return the error for a file that does not come."""
        where = f"{file.name} ({file.bytes} bytes) cannot be fetched from {_without_password(address)}"
        return FetchError(f"{self.corpus.name}: {where}: {reason}. Try again later. {_advice(file)}")


def _advice(file: PublicFile) -> str:
    option = as_typed(terminal="`--from DIR_OR_URL`", python="`origin=DIR_OR_URL`")
    return f"The files of another copy can be used with {option}; this one is DIR_OR_URL/{file.name} there."


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
    inside = (getattr(error, "reason", None), *error.args, error.__cause__)
    deeper = next((item for item in inside if isinstance(item, BaseException)), None)
    return str(error) if deeper is None else _root(deeper)
