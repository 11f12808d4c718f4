"""What Claude starts: a thin bridge between its stdin and stdout and the vault's daemon.

It holds no memory of the vault. When the daemon dies it starts another, repeats the handshake and what only
reads, and answers the rest of what was under way with an error that says what to do. Only the standard
library is imported, so a session costs little more than a bare Python.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from genesys.errors import GenesysError
from genesys.sockets import Link, Places, places, supported
from genesys.starting import ensure, named_vault

__all__ = ["Bridge", "Call", "plain_call", "serve_vault"]

LAST_ANSWERS_S = 2.0  # what is under way when the client closes its end may still be answered
LOST = "the memory's process ended during this call, and was started anew"
INTERNAL_ERROR = -32603  # JSON-RPC 2.0


@dataclass(frozen=True, slots=True)
class Call:
    """``genesys serve`` with nothing but a vault, if that."""

    vault: str | None


def plain_call(argv: list[str]) -> Call | None:
    """What is asked for, where that can be served here; None is for the whole command line."""
    if not supported():
        return None
    match argv:
        case []:
            return Call(None)
        case ["--vault" | "-v", vault]:
            return Call(vault)
        case [one] if one.startswith("--vault="):
            return Call(one.removeprefix("--vault="))
    return None


def serve_vault(vault: str | None) -> None:
    """Serve the vault that is meant, until the client closes its end.

    Raises:
        GenesysError: there is no such vault, or its daemon can't be started.
    """
    root = named_vault(vault)
    try:
        where = places(root)
    except GenesysError as error:
        sys.stderr.write(f"genesys: {error.message}; serving without a daemon\n")
        sys.stderr.flush()
        own = [sys.executable, "-P", "-m", "genesys", "serve", "--in-process", "--vault", str(root)]
        os.execv(sys.executable, own)
    _pump(where)


def _pump(where: Places) -> None:
    """Pump messages between our stdin and stdout and the daemon, until the client closes its end."""
    inward, outward = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # from here on stdout carries MCP alone (P7)
    Bridge(where, ensure(where, "mcp"), inward, outward).run()
    sys.stderr.flush()
    os._exit(0)  # the other thread waits for a socket that is of no more use


@dataclass(slots=True)
class Request:
    """One request of the client that is not answered yet."""

    id: Any
    method: str
    tool: str
    line: bytes
    sent: bool = False
    repeated: bool = False

    def reads(self, said: Mapping[str, Any]) -> bool:
        """Whether it has no effect; ``said`` names the tools that only read."""
        return self.method != "tools/call" or self.tool in said.get("reads", ())


class Bridge:
    """One client's line to the daemon. Two threads: the client's words, and the daemon's.

    ``_gate`` serialises sending with changing the connection, so that at its change every request is
    known to be sent or not; ``_books`` guards what is under way.
    """

    def __init__(self, where: Places, link: Link, inward: BinaryIO, outward: Any) -> None:
        self._where, self._link = where, link
        self._in, self._out = inward, outward
        self._gate = threading.Condition()
        self._books = threading.Condition()
        self._waiting: dict[str, Request] = {}
        self._asked: set[str] = set()  # what the daemon asked the client
        self._initialize: Request | None = None
        self._initialized: bytes | None = None
        self._greeted = False  # the client has had its answer to initialize
        self._closing = False

    def run(self) -> None:
        """Until the client closes its end."""
        threading.Thread(target=self._outbound, daemon=True).start()
        for line in self._in:
            self._from_client(line if line.endswith(b"\n") else line + b"\n")
        with self._books:
            self._closing = True
            self._books.wait_for(lambda: not self._waiting, LAST_ANSWERS_S)

    # ------------------------------------------------------------------ the client's words

    def _from_client(self, line: bytes) -> None:
        with self._gate:
            request, wanted = self._noted(line)
            while wanted:
                link = self._link
                try:
                    link.socket.sendall(line)
                except OSError:
                    # A line that went out in part was not understood, so it may go out again: to the next
                    # daemon, which the other thread is about to reach.
                    self._gate.wait_for(lambda link=link: self._link is not link)  # type: ignore[misc]
                    continue
                if request is not None:
                    request.sent = True
                return

    def _noted(self, line: bytes) -> tuple[Request | None, bool]:
        """What is asked, if anything, and whether to send it: an answer to a dead daemon is of no use."""
        message = _parsed(line)
        if message is None:
            return None, True
        method, key = message.get("method"), _key(message.get("id"))
        with self._books:
            if method == "notifications/initialized":
                self._initialized = line
            if method is None:
                known = key in self._asked
                self._asked.discard(key)
                return None, known
            params = message.get("params")
            if method == "notifications/cancelled" and isinstance(params, dict):
                self._waiting.pop(_key(params.get("requestId")), None)  # it may remain without an answer
            if "id" not in message:
                return None, True
            tool = params.get("name") if method == "tools/call" and isinstance(params, dict) else ""
            request = Request(message["id"], str(method), str(tool), line)
            self._waiting[key] = request
            if method == "initialize":
                self._initialize, self._greeted = request, False
        return request, True

    # ------------------------------------------------------------------ the daemon's words

    def _outbound(self) -> None:
        try:
            while True:
                self._listen(self._link)
                if self._closing:
                    os._exit(0)
                self._reconnect()
        except GenesysError as error:
            sys.stderr.write(f"genesys: {error.message}\n  next: {error.hint}\n")
            os._exit(1)

    def _listen(self, link: Link) -> None:
        """Hand on what the daemon says until its end closes."""
        while True:
            try:
                line = link.reader.readline()
            except (OSError, ValueError):
                return
            if not line.endswith(b"\n"):
                return
            self._from_daemon(line)

    def _from_daemon(self, line: bytes) -> None:
        message = _parsed(line)
        self._write(line)
        if message is None or "id" not in message:
            return
        key = _key(message["id"])
        with self._books:
            if "method" in message:
                self._asked.add(key)
                return
            self._waiting.pop(key, None)
            if self._initialize is not None and key == _key(self._initialize.id):
                self._greeted = True
            self._books.notify_all()

    def _write(self, line: bytes) -> None:
        view = memoryview(line)
        try:
            while view:
                view = view[self._out.write(view) :]
        except OSError:  # the client is gone
            os._exit(0)

    # ------------------------------------------------------------------ the daemon's death

    def _reconnect(self) -> None:
        """On to another daemon, with the handshake repeated and every request sent again or answered."""
        _shut(self._link)  # whoever is sending to it, stop
        with self._gate:
            self._link.close()
            while True:
                link = ensure(self._where, "mcp")
                try:
                    self._replay(link)
                    break
                except OSError:  # this one died as well
                    link.close()
            self._link = link
            self._gate.notify_all()

    def _replay(self, link: Link) -> None:
        with self._books:
            self._asked.clear()
            requests = list(self._waiting.values())
        if self._initialize is not None and self._greeted:
            self._greet(link, self._initialize)
        for request in requests:
            if not request.sent:
                continue  # the thread that was sending it goes on to
            # What has no effect is simply sent again; but not for ever, in case it is what kills.
            if request.reads(link.said) and not request.repeated:
                request.repeated = True
                link.socket.sendall(request.line)
                continue
            with self._books:
                del self._waiting[_key(request.id)]
                self._books.notify_all()
            self._write(_lost(request, link.said, modern=self._initialize is None))

    def _greet(self, link: Link, initialize: Request) -> None:
        """Repeat the handshake; the client has had its answer, so this one is dropped."""
        link.socket.sendall(initialize.line)
        while True:
            line = link.reader.readline()
            if not line.endswith(b"\n"):
                raise ConnectionResetError
            if _key((_parsed(line) or {}).get("id")) == _key(initialize.id):
                break
        if self._initialized is not None:
            link.socket.sendall(self._initialized)


def _lost(request: Request, said: Mapping[str, Any], *, modern: bool) -> bytes:
    """The answer to a request that the daemon took along. Only what reads may be repeated unseen."""
    again = request.reads(said)
    hint = (
        "call again with the same arguments"
        if again
        else "it may have been done: look with memory_search before you do it again"
    )
    fault = {"error": LOST, "hint": hint, "retryable": again}
    answer: dict[str, Any] = {"jsonrpc": "2.0", "id": request.id}
    if request.method != "tools/call":
        answer["error"] = {"code": INTERNAL_ERROR, "message": LOST, "data": fault}
    else:
        verdict = "yes, the same call may succeed in a moment." if again else "no."
        text = f"Error: {LOST}\nHint: {hint}\nRetryable: {verdict}"
        result = {"content": [{"type": "text", "text": text}], "structuredContent": fault, "isError": True}
        answer["result"] = {"resultType": "complete", **result} if modern else result
    return json.dumps(answer, ensure_ascii=False).encode() + b"\n"


def _parsed(line: bytes) -> dict[str, Any] | None:
    """The message; None for what is none, which the daemon may judge."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) else None


def _key(number: Any) -> str:
    """JSON's 1 and "1" are different ids."""
    return json.dumps(number)


def _shut(link: Link) -> None:
    """Wake whoever waits on a dead connection."""
    with contextlib.suppress(OSError):
        link.socket.shutdown(2)
