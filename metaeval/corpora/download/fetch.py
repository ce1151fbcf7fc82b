"""Download the files of a public corpus with pooch, or copy them; each must have the SHA-256 of its entry.

Nothing is downloaded unless :func:`fetch_files` is called.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote, urlsplit

from metaeval.corpora.directories import writing
from metaeval.corpora.download.public import PublicCorpus, PublicFile
from metaeval.errors import CorpusError, FetchError, UsageError, as_typed, listing
from metaeval.runtime.progress import Progress, Step, Tally, silent

OWNERS = "https://raw.githubusercontent.com"
RETRIES = 3  # of a file that does not come or is wrong, after waits of one, two and three seconds
TIMEOUT_S = 20.0  # until a silent server is given up
CHUNK_BYTES = 1 << 16
_ABSENT_STATUS_CODES = (404, 410)


def fetch_files(
    corpus: PublicCorpus, into: Path, origin: str | Path | None = None, progress: Progress = silent
) -> None:
    """Bring the files of a corpus to INTO/REPOSITORY/PATH, and write the corpus.toml by which they are read.

    Files that are there and right stay. Only one process at a time does this; another waits, and then finds all there.

    Parameters
    ----------
    corpus : PublicCorpus
    into : Path
        The directory of the corpus in the cache. Whatever else lies there is removed.
    origin : str or Path, optional
        A directory, or the http or https address of one, that holds the files at REPOSITORY/PATH. They are copied,
        never linked. Without it, the files come from their owners. Proxies are those of the environment.
    progress : callable, optional
        Called with a :class:`~metaeval.runtime.progress.Step` at the beginning, and as bytes come; those that are lost
        with a connection are taken back.

    Raises
    ------
    UsageError
        If the origin is neither an address nor a directory, or `into` cannot be written.
    CorpusError
        If a file is missing at the origin, or is not the one that the catalogue describes.
    FetchError
        If the network or the server fails.
    """
    from filelock import FileLock  # help must not wait for it

    source = _checked(origin)
    shown = source if isinstance(source, Path) else _without_password(source)
    step = Step("fetch", f"{corpus.name}: {len(corpus.files)} files, {corpus.bytes / 1e6:.1f} MB, from {shown}")
    progress(step)
    with writing(into):
        into.mkdir(parents=True, exist_ok=True)
        with FileLock(into.with_name(f".{into.name}.lock")):
            _remove_others(corpus, into)
            _fetch_all(corpus, into, source, Tally(progress, step, corpus.bytes))
            # It comes last: where it is, all files have been.
            new = into / "corpus.toml.new"
            new.write_bytes(description_of(corpus))
            new.replace(into / "corpus.toml")


def description_of(corpus: PublicCorpus) -> bytes:
    """Return the content of the corpus.toml that lies beside the files of a corpus."""
    import tomli_w

    keys = ("name", "title", "language", "source_language", "license", "source", "citation", "notes")
    folder = os.path.commonpath([file.name for file in corpus.files])
    content = {key: getattr(corpus, key) for key in keys if getattr(corpus, key)}
    content["criteria"] = [asdict(criterion) for criterion in corpus.criteria]
    content["files"] = [{"path": folder, "format": corpus.format}]
    return tomli_w.dumps(content).encode()


def checksums_of(corpus: PublicCorpus) -> dict[str, str]:
    """Return the SHA-256 of each file of the directory of a corpus."""
    described = hashlib.sha256(description_of(corpus)).hexdigest()
    return {**{file.name: file.sha256 for file in corpus.files}, "corpus.toml": described}


def _checked(origin: str | Path | None) -> Path | str:
    """Return the origin of the files: a directory, or an address."""
    if origin is None:
        return OWNERS
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
        return origin.rstrip("/")
    if not Path(origin).is_dir():
        state = "is a file" if Path(origin).exists() else "does not exist"
        raise UsageError(f"the origin must be a directory or an http or https address; {str(origin)!r} {state}.")
    return Path(origin)


def _remove_others(corpus: PublicCorpus, into: Path) -> None:
    """Remove what a killed process has left, and files that an earlier catalogue had."""
    names = {"corpus.toml", *(file.name for file in corpus.files)}
    for path in into.rglob("*"):
        if not path.is_dir() and path.relative_to(into).as_posix() not in names:
            path.unlink()


def _fetch_all(corpus: PublicCorpus, into: Path, source: Path | str, tally: Tally) -> None:
    """Fetch the files that are not there, or are others."""
    import pooch  # it is slow to import

    files = corpus.files
    if isinstance(source, Path):
        missing = [file.name for file in files if not (source / file.name).is_file()]
        if missing:
            raise CorpusError(
                f"{corpus.name}: {source}: lacks {len(missing)} of {len(files)} files: {listing(missing, limit=3)}. "
                "They must lie there at REPOSITORY/PATH; is a directory above or below this one meant?"
            )
    store = pooch.create(
        into,
        base_url=OWNERS,
        registry={file.name: file.sha256 for file in files},
        urls={file.name: _address(file, source) for file in files},
        retry_if_failed=0 if isinstance(source, Path) else RETRIES,
    )
    done = 0
    with _silent(pooch.get_logger()):
        for file in files:
            incoming = _Incoming(corpus, file, source, tally)
            try:
                store.fetch(file.name, downloader=incoming)
            except OSError as error:
                # Those of the network have no number: requests derives its errors from OSError.
                if error.errno is not None:
                    raise
                raise incoming.failure(error) from error
            except ValueError as error:
                raise incoming.wrong(f"{incoming.n_bytes} bytes with SHA-256 {incoming.digest.hexdigest()}") from error
            done += file.bytes
            tally.reach(done)


class _Incoming:
    """Brings the content of one file, try by try; pooch calls it with the path of a temporary file."""

    def __init__(self, corpus: PublicCorpus, file: PublicFile, source: Path | str, tally: Tally) -> None:
        self.corpus, self.file, self.source, self.tally = corpus, file, source, tally
        self.address = _address(file, source)
        self.shown = _without_password(self.address)
        self.n_bytes = 0
        self.digest = hashlib.sha256()
        self.output: BinaryIO

    def __call__(self, address: str, path: str, pooch: object) -> None:
        """Write the content to a path."""
        from pooch import HTTPDownloader

        self.tally.add(-self.n_bytes)
        self.n_bytes = 0
        self.digest = hashlib.sha256()
        with open(path, "wb") as self.output:
            if isinstance(self.source, Path):
                self.write(self.read())
                return
            # pooch leaves the connection of a download that fails open.
            responses: list[Any] = []
            hooks = {"response": lambda response, **_: responses.append(response)}
            try:
                HTTPDownloader(chunk_size=CHUNK_BYTES, timeout=TIMEOUT_S, hooks=hooks)(address, self, pooch)
            except OSError as error:
                response = getattr(error, "response", None)
                if response is not None and response.status_code in _ABSENT_STATUS_CODES:
                    raise CorpusError(
                        f"{self.corpus.name}: {self.file.name} is not at {self.shown} (the server answered "
                        f"{response.status_code}). It was moved or removed, or the address is wrong. {self.advice}"
                    ) from error
                raise
            finally:
                for response in responses:
                    response.close()

    def read(self) -> bytes:
        """Return the content of a file of a directory, at most one byte more than must be."""
        try:
            with open(self.address, "rb") as file:
                return file.read(self.file.bytes + 1)
        except OSError as error:
            raise CorpusError(f"{self.corpus.name}: {self.address}: cannot be read: {error.strerror}.") from error

    def write(self, chunk: bytes) -> None:
        """Take the next bytes."""
        self.n_bytes += len(chunk)
        self.tally.add(len(chunk))
        if self.n_bytes > self.file.bytes:
            raise self.wrong(f"more than {self.file.bytes} bytes")
        self.digest.update(chunk)
        self.output.write(chunk)

    def flush(self) -> None:
        """Do nothing; pooch calls it after each chunk."""

    def wrong(self, got: str) -> CorpusError:
        """Return the error for another content."""
        cause = "" if isinstance(self.source, Path) else ", or a proxy answered with a page of its own"
        return CorpusError(
            f"{self.corpus.name}: {self.shown}: must be {self.file.bytes} bytes with SHA-256 {self.file.sha256}; got "
            f"{got}. The file was changed there or cut short{cause}. {self.advice}"
        )

    def failure(self, error: OSError) -> FetchError:
        """Return the error for a file that does not come."""
        response: Any = getattr(error, "response", None)
        if response is None:
            reason = f"{_deepest_cause(error)}; probably the network is down, or a proxy must be named in HTTPS_PROXY"
        else:
            reason = f"the server answered {response.status_code} {response.reason or ''}".rstrip()
        return FetchError(
            f"{self.corpus.name}: {self.file.name} ({self.file.bytes} bytes) cannot be fetched from {self.shown}: "
            f"{reason} ({RETRIES + 1} tries). Try again later. {self.advice}"
        )

    @property
    def advice(self) -> str:
        """A sentence on the use of another copy."""
        option = as_typed(terminal="`--from DIR_OR_URL`", python="`origin=DIR_OR_URL`")
        return f"The files of another copy can be used with {option}; this one is DIR_OR_URL/{self.file.name} there."


def _address(file: PublicFile, source: Path | str) -> str:
    """Return the path or the address of a file."""
    if isinstance(source, Path):
        return str(source / file.name)
    name = f"{file.repository}/{file.commit}/{file.path}" if source == OWNERS else file.name
    return f"{source}/{quote(name)}"


def _without_password(address: str) -> str:
    return re.sub("//[^/]*@", "//", address, count=1)


def _deepest_cause(error: BaseException) -> str:
    """Return the text of the innermost of the errors that libraries wrap in one another."""
    inside = (getattr(error, "reason", None), *error.args, error.__cause__)
    deeper = next((item for item in inside if isinstance(item, BaseException)), None)
    return str(error) if deeper is None else _deepest_cause(deeper)


@contextmanager
def _silent(logger: logging.Logger) -> Iterator[None]:
    """Keep pooch from printing addresses, which may hold passwords, beside the progress that is shown here."""
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
