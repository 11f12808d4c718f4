"""A language model on this machine that answers as it is told: well, badly, late, without end, or not."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["Model", "running"]

Answer = Callable[[dict[str, Any]], Any]


class Model(ThreadingHTTPServer):
    """``answer`` makes the content from a request; ``status``, ``raw`` and ``mode`` override how."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer: Answer = lambda request: {"memories": []}
        self.status = 200
        self.raw: bytes | None = None
        self.mode = ""  # "hang", "endless" or "trickle"
        self.location = ""
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.over = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Model

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(body)
        self.server.headers.append({k.lower(): v for k, v in self.headers.items()})
        self.server.paths.append(self.path)
        if self.server.mode:
            self._misbehave()
            return
        raw = self.server.raw if self.server.raw is not None else self._content(body)
        self.send_response(self.server.status)
        if self.server.location:
            self.send_header("Location", self.server.location)
        if self.server.status == 429:
            self.send_header("Retry-After", "0")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def _content(self, body: dict[str, Any]) -> bytes:
        said = self.server.answer(body)
        text = said if isinstance(said, str) else f"Here you are:\n```json\n{json.dumps(said)}\n```"
        if "system" in body:
            return json.dumps({"content": [{"type": "text", "text": text}]}).encode()
        return json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}]}).encode()

    def _misbehave(self) -> None:
        if self.server.mode == "hang":
            self.server.over.wait(30)
            return
        self.send_response(200)
        self.end_headers()
        try:
            while not self.server.over.is_set():
                self.wfile.write(b" " * (65_536 if self.server.mode == "endless" else 1))
                self.wfile.flush()
                if self.server.mode == "trickle":
                    self.server.over.wait(0.02)
        except OSError:
            pass

    def log_message(self, *args: object) -> None:
        """Quiet."""


@contextmanager
def running() -> Iterator[Model]:
    server = Model()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        server.shutdown()
        thread.join()
        server.server_close()
