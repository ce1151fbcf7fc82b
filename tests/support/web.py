"""A web server on this machine alone, whose answers a test chooses."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Gets the handler of a request and how often the path was asked for, from 1 on.
Answer = Callable[[BaseHTTPRequestHandler, int], None]


class Server(ThreadingHTTPServer):
    """Answers paths as told, everything else with 404, and keeps what was asked."""

    daemon_threads = True

    def __init__(self, answers: Mapping[str, Answer]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers = dict(answers)
        self.asked: list[str] = []
        self.headers: list[Mapping[str, str]] = []
        self.counts: Counter[str] = Counter()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that leave, as those under test must."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        server = self.server
        assert isinstance(server, Server)
        server.asked.append(self.path)
        server.headers.append(dict(self.headers.items()))
        server.counts[self.path] += 1
        server.answers.get(self.path, status(404))(self, server.counts[self.path])

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


@contextmanager
def serving(answers: Mapping[str, Answer]) -> Iterator[Server]:
    """Run a server as long as the block lasts."""
    with Server(answers) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def right(content: bytes, **headers: str) -> Answer:
    """Answer with a content."""
    return lambda handler, count: _send(handler, 200, {"Content-Length": str(len(content)), **headers}, content)


def status(code: int, **headers: str) -> Answer:
    """Answer with a status and no content."""
    return lambda handler, count: _send(handler, code, {"Content-Length": "0", **headers}, b"")


def cut(content: bytes, length: int) -> Answer:
    """Promise a content, send the beginning and close the connection."""

    def answer(handler: BaseHTTPRequestHandler, count: int) -> None:
        _send(handler, 200, {"Content-Length": str(len(content))}, content[:length])
        handler.close_connection = True

    return answer


def without_length(content: bytes) -> Answer:
    """Send a content whose end is that of the connection."""

    def answer(handler: BaseHTTPRequestHandler, count: int) -> None:
        _send(handler, 200, {"Connection": "close"}, content)

    return answer


def chunked(content: bytes, size: int) -> Answer:
    """Send a content in chunks of `size` bytes."""
    chunks = [content[start : start + size] for start in range(0, len(content), size)]
    body = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in [*chunks, b""])
    return lambda handler, count: _send(handler, 200, {"Transfer-Encoding": "chunked"}, body)


def endless(handler: BaseHTTPRequestHandler, count: int) -> None:
    """Send without end, until the client leaves."""
    _send(handler, 200, {"Connection": "close"}, b"")
    while True:
        handler.wfile.write(b"x" * 65536)


def trickle(content: bytes, size: int, seconds: float, first: int = 0) -> Answer:
    """Send the first bytes at once, then `size` at a time with pauses of so many seconds."""

    def answer(handler: BaseHTTPRequestHandler, count: int) -> None:
        _send(handler, 200, {"Content-Length": str(len(content))}, content[:first])
        pause = threading.Event()
        for start in range(first, len(content), size):
            handler.wfile.write(content[start : start + size])
            pause.wait(seconds)

    return answer


def after(*answers: Answer) -> Answer:
    """Give one answer after the other, and the last one for ever."""
    return lambda handler, count: answers[min(count, len(answers)) - 1](handler, count)


def _send(handler: BaseHTTPRequestHandler, code: int, headers: Mapping[str, str], content: bytes) -> None:
    handler.send_response(code)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(content)
