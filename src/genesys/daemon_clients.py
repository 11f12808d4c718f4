"""The daemon's clients: bridges that carry a session of MCP, commands that ask and go, and its control."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import logging
import os
import socket
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any

from genesys import __version__
from genesys.errors import GenesysError
from genesys.reports import IndexReport
from genesys.serving.catalog import TOOLS
from genesys.serving.host import Host
from genesys.settings import Settings
from genesys.sockets import MAX_LINE, is_newer

__all__ = ["Daemon"]

HELLO_S = 30.0
LOOK_S = 1.0  # between two looks whether anyone is still there
LAST_CALLS_S = 5.0  # what is under way at the end may still be answered

log = logging.getLogger(__name__)


class Daemon:
    """Who is connected, and until when the process lives. ``stays``: until it is told to end."""

    def __init__(self, settings: Settings, host: Host, *, stays: bool) -> None:
        self.reason = "its work is done"
        self._settings, self._host, self._stays = settings, host, stays
        self._began = time.monotonic()
        self._clients = 0
        self._calls = 0
        self._last = time.monotonic()  # when somebody was last there
        self._leaving = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    def leave(self, reason: str) -> None:
        """End soon."""
        if not self._leaving.is_set():
            self.reason = reason
            self._leaving.set()

    async def serve(self, listener: socket.socket) -> None:
        """Serve whoever connects, until it is time to end."""
        server = await asyncio.start_unix_server(self._connected, sock=listener, limit=MAX_LINE)
        while not self._leaving.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._leaving.wait(), LOOK_S)
            self._end_when_idle()
        server.close()
        end = time.monotonic() + LAST_CALLS_S
        while self._calls and time.monotonic() < end:
            await asyncio.sleep(0.02)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _end_when_idle(self) -> None:
        keeper = self._host.keeper
        if self._stays or self._clients or (keeper is not None and keeper.busy):
            return
        if time.monotonic() - self._last >= self._settings.idle_exit_s:
            self.leave("nobody has asked for anything for a while")

    # ------------------------------------------------------------------ one connection

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._clients += 1
        try:
            await self._greet(reader, writer)
        except (OSError, ValueError, TimeoutError, asyncio.IncompleteReadError) as error:
            log.debug("a client went: %r", error)
        except asyncio.CancelledError:
            log.debug("a client was left: the daemon ends")
        except Exception:
            log.exception("a client's session failed")
        finally:
            self._clients -= 1
            self._last = time.monotonic()
            self._tasks.discard(task)
            writer.close()

    async def _greet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        hello = json.loads(await asyncio.wait_for(reader.readline(), HELLO_S) or b"{}")
        role = hello.get("genesys")
        if hello.get("takeover", True) and is_newer(str(hello.get("version", "")), __version__):
            self.leave(f"version {hello['version']} takes over from {__version__}")
        said = {
            "genesys": "daemon",
            "version": __version__,
            "pid": os.getpid(),
            "vault": str(self._settings.vault),
            "index": str(self._settings.index),
            "leaving": self._leaving.is_set(),
            "reads": [spec.name for spec in TOOLS if spec.read],
        }
        writer.write(json.dumps(said).encode() + b"\n")
        await writer.drain()
        if said["leaving"]:
            return
        if role == "mcp":
            await self._session(reader, writer)
        elif role == "cli":
            await self._commands(reader, writer)
        elif role == "http":
            await self._door(reader, writer)
        elif role == "control":
            await self._control(reader, writer)

    async def _session(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Half a second of imports, which the other clients must not wait for.
        server = await asyncio.to_thread(importlib.import_module, "genesys.server")

        async def send(line: bytes) -> None:
            writer.write(line)
            await writer.drain()

        await server.serve_lines(self._host, _lines(reader), send)

    async def _door(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve HTTP for as long as the one who asked for it stays."""
        from genesys.remote import told

        asked = json.loads(await reader.readline())
        http = await asyncio.to_thread(importlib.import_module, "genesys.http_server")
        try:
            async with http.serving(
                self._host, http.Door(asked["host"], asked["port"], asked["token"])
            ) as port:
                log.info("listening for HTTP on port %d", port)
                writer.write(json.dumps({"port": port}).encode() + b"\n")
                await writer.drain()
                await reader.read()
        except GenesysError as error:
            writer.write(json.dumps({"error": told(error)}).encode() + b"\n")
            await writer.drain()

    async def _commands(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from genesys.remote import answer

        async for line in _lines(reader):
            self._calls += 1
            try:
                reply = await asyncio.to_thread(
                    answer, line, self._host.call, self._index, self._host.catch_up
                )
            finally:
                self._calls -= 1
            writer.write(reply)
            await writer.drain()

    def _index(self, given: Mapping[str, Any]) -> IndexReport:
        assert self._host.keeper is not None
        return self._host.keeper.order(full=bool(given.get("full")), embed=bool(given.get("embed", True)))

    async def _control(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async for line in _lines(reader):
            asked = json.loads(line)
            if asked.get("ask") == "stop":
                self._host.writes_back = bool(asked.get("write_back", True))
                self.leave("told to by `genesys daemon stop`")
            status = await asyncio.to_thread(self._status)
            writer.write(json.dumps(status).encode() + b"\n")
            await writer.drain()

    def _status(self) -> dict[str, Any]:
        return {
            "running": True,
            "pid": os.getpid(),
            "version": __version__,
            "vault": str(self._settings.vault),
            "uptime_s": round(time.monotonic() - self._began, 1),
            "clients": self._clients - 1,  # without the one that asks
            "activity": str(self._host.activity),
            "notices": list(self._host.notices()),
            "rss_bytes": _rss(),
        }


async def _lines(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """Lines until the end; one that is too long for a message is no message, and is left out."""
    while True:
        try:
            line = await reader.readline()
        except ValueError:
            log.warning("a message of more than %d bytes was left out", MAX_LINE)
            continue
        if not line.endswith(b"\n"):
            return
        yield line


def _rss() -> int:
    """Bytes of memory in use, where the system tells."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
