"""The MCP server over HTTP, for clients that start no processes: on this machine only, behind a token.

A browser reaches loopback, too, so a page of a stranger's could: every request must name us as its host,
come from no page but our own, and bring the vault's token.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import ipaddress
import signal
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, MutableMapping
from dataclasses import dataclass, field
from typing import Any

import uvicorn

from genesys.errors import GenesysError, UsageError
from genesys.server import http_app
from genesys.serving.host import Host

__all__ = ["Door", "Guard", "bind", "serve_until_told", "serving"]

GRACE_S = 1  # for answers under way when the server ends; an open stream never ends by itself
PAUSE_S = 0.01

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Scope]]
Send = Callable[[Scope], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Door:
    """Where to listen and what opens it; port 0 takes a free one."""

    host: str
    port: int
    token: str = field(repr=False)


class Guard:
    """Lets through to ``app`` only requests for ``hosts``, from no foreign page, with the token.

    After :meth:`close` streams that are open end as if their client had gone, but with a whole answer.
    """

    def __init__(self, app: App, token: str, hosts: frozenset[str]) -> None:
        self._app = app
        self._bearer = f"bearer {token}".encode()
        self._hosts = hosts
        self._origins = frozenset(f"http://{host}" for host in hosts)
        self._closing = asyncio.Event()

    def close(self) -> None:
        """Let no stream go on."""
        self._closing.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope["headers"])
        if refusal is None:
            await self._through(scope, receive, send)
            return
        status, text = refusal
        headers = [(b"content-type", b"text/plain; charset=utf-8")]
        if status == 401:
            headers.append((b"www-authenticate", b"Bearer"))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": text.encode()})

    async def _through(self, scope: Scope, receive: Receive, send: Send) -> None:
        whole = True

        async def sent(message: Scope) -> None:
            nonlocal whole
            whole = message["type"] == "http.response.body" and not message.get("more_body")
            await send(message)

        async def received() -> Scope:
            heard = asyncio.ensure_future(receive())
            closing = asyncio.ensure_future(self._closing.wait())
            try:
                await asyncio.wait({heard, closing}, return_when=asyncio.FIRST_COMPLETED)
                return heard.result() if heard.done() else {"type": "http.disconnect"}
            finally:
                heard.cancel()
                closing.cancel()

        await self._app(scope, received, sent)
        if self._closing.is_set() and not whole:
            await send({"type": "http.response.body", "body": b""})

    def _refusal(self, headers: list[tuple[bytes, bytes]]) -> tuple[int, str] | None:
        """The status and the words of a refusal. A header that comes twice counts as a wrong one."""

        def sent(name: bytes) -> list[bytes]:
            return [value for key, value in headers if key.lower() == name]

        if [h.decode("latin-1").lower() in self._hosts for h in sent(b"host")] != [True]:
            return 421, "this server answers on loopback only\n"
        if any(o.decode("latin-1").lower() not in self._origins for o in sent(b"origin")):
            return 403, "requests from other sites are refused\n"
        # compare_digest takes as long whatever was sent, so no time tells how much of it was right
        if [hmac.compare_digest(_plain(a), self._bearer) for a in sent(b"authorization")] != [True]:
            return 401, "the token is missing or wrong\n"
        return None


def _plain(header: bytes) -> bytes:
    """The header with the name of its scheme in lower case, which may come in any."""
    scheme, space, value = header.partition(b" ")
    return scheme.lower() + space + value


def bind(door: Door) -> socket.socket:
    """A socket at the door's address.

    Raises:
        UsageError: the address is not loopback.
        GenesysError: the port is taken.
    """
    address = "127.0.0.1" if door.host == "localhost" else door.host
    try:
        local = ipaddress.ip_address(address).is_loopback
    except ValueError:
        local = False
    if not local:
        raise UsageError(
            f"{door.host} is not an address of this machine alone",
            hint="leave --host out; who must reach it from elsewhere can use an SSH tunnel",
        )
    made = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((address, door.port))
    except (OSError, OverflowError) as error:
        made.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise GenesysError(
            f"port {door.port} can't be had: {reason}", hint="another one: --port 8378, or --port 0 for any"
        ) from error
    return made


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are the process's, not ours."""
        yield


async def _served(server: _Server, line: socket.socket) -> None:
    with contextlib.suppress(SystemExit):  # uvicorn's way to say that it could not start
        await server.serve(sockets=[line])


@contextlib.asynccontextmanager
async def serving(host: Host, door: Door) -> AsyncIterator[int]:
    """Serve the memory while the block runs; gives the port.

    Raises:
        UsageError, GenesysError: as :func:`bind`.
    """
    line = bind(door)
    try:
        port = int(line.getsockname()[1])
        names = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        names.add(f"[{door.host}]:{port}" if ":" in door.host else f"{door.host}:{port}")
        guard = Guard(await asyncio.to_thread(http_app, host, names), door.token, frozenset(names))
        server = _Server(
            uvicorn.Config(
                guard, ws="none", lifespan="on", log_config=None, log_level="warning", access_log=False,
                server_header=False, timeout_graceful_shutdown=GRACE_S,
            )
        )  # fmt: skip
        task = asyncio.create_task(_served(server, line))
        try:
            while not (server.started or task.done()):
                await asyncio.sleep(PAUSE_S)
            if task.done():
                raise GenesysError("the HTTP server did not start", hint="genesys daemon logs")
            yield port
        finally:
            guard.close()
            server.should_exit = True
            await task
    finally:
        line.close()


def serve_until_told(host: Host, door: Door, announce: Callable[[int], None]) -> None:
    """Serve in this process until SIGINT or SIGTERM; ``announce`` is told the port."""

    async def run() -> None:
        told = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(NotImplementedError):  # Windows: Ctrl-C ends asyncio.run there
                asyncio.get_running_loop().add_signal_handler(number, told.set)
        async with serving(host, door) as port:
            host.start()
            announce(port)
            await told.wait()

    asyncio.run(run())
