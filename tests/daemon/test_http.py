"""The server over HTTP: a real client on a real port, on this machine only, behind a token."""

from __future__ import annotations

import http.client
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from daemon.helpers import DEADLINE_S, until
from daemon.processes import Running
from genesys.errors import GenesysError, UsageError
from genesys.http_front import token_of
from genesys.http_server import Door, Guard, bind

TOKEN = "right"
HOST = "127.0.0.1:8377"
GOOD = {"host": HOST, "authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@dataclass
class Served:
    """``genesys serve --http``, running."""

    process: subprocess.Popen[str]
    url: str
    said: str

    @property
    def port(self) -> int:
        return int(re.findall(r":(\d+)/", self.url)[0])

    @property
    def token(self) -> str:
        return re.findall(r"Bearer ([\w-]{40,})", self.said)[0]

    def status(self, **headers: str) -> int:
        """What a bare request with these headers is answered."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE_S)
        line.putrequest("POST", "/mcp", skip_host="host" in headers)
        for name, value in headers.items():
            line.putheader(name, value)
        line.putheader("Content-Length", "0")
        line.endheaders()
        try:
            return line.getresponse().status
        finally:
            line.close()

    @asynccontextmanager
    async def client(self, mode: str) -> AsyncIterator[Client]:
        headers = {"Authorization": f"Bearer {self.token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=DEADLINE_S) as web,
            Client(streamable_http_client(self.url, http_client=web), mode=mode) as client,
        ):
            yield client


class Start:
    """Starts servers over HTTP and ends them."""

    def __init__(self, running: Running) -> None:
        self.running = running
        self.made: list[subprocess.Popen[str]] = []

    def __call__(self, *args: str) -> Served:
        process = subprocess.Popen(
            [sys.executable, "-m", "genesys", "serve", "--http", "--vault", str(self.running.vault), *args],
            env=self.running.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
        )  # fmt: skip
        self.made.append(process)
        assert process.stdout
        said = process.stdout.readline()
        assert "is served at" in said, process.communicate()
        url = re.findall(r"http://\S+", said)[0]
        for line in process.stdout:
            said += line
            if "kept in" in line or "$(cat" in line:
                break
        return Served(process, url, said)

    def end(self) -> None:
        for process in self.made:
            process.kill()
            process.communicate()


@pytest.fixture
def start(running: Running) -> Iterator[Start]:
    made = Start(running)
    yield made
    made.end()


@pytest.mark.anyio
@pytest.mark.slow
@pytest.mark.parametrize("how", [(), ("--in-process",)], ids=["daemon", "in process"])
async def test_a_real_client_over_real_http(start: Start, vault: Path, how: tuple[str, ...]) -> None:
    """List, recall and store in both eras; wrong callers are refused meanwhile; a signal ends it cleanly,
    an open session notwithstanding, and frees the port; the token is in no log."""
    served = start("--port", "0", *how)
    for mode in ("legacy", "auto"):
        async with served.client(mode) as client:
            assert 14 == len((await client.list_tools()).tools)
            found = await client.call_tool("memory_recall", {"query": "why no cellular modems"})
            assert found.structured_content
            assert found.structured_content["hits"]
            stored = await client.call_tool("memory_store", {"content": f"Quokkas guard the {mode} sluice."})
            assert stored.structured_content
            assert (vault / stored.structured_content["path"]).is_file()
    bearer = f"Bearer {served.token}"
    assert 401 == await anyio.to_thread.run_sync(served.status)
    wrong = {"Authorization": "Bearer " + served.token[::-1]}
    assert 401 == await anyio.to_thread.run_sync(lambda: served.status(**wrong))
    foreign = {"Authorization": bearer, "Origin": "https://evil.example"}
    assert 403 == await anyio.to_thread.run_sync(lambda: served.status(**foreign))
    rebound = {"Authorization": bearer, "host": f"evil.example:{served.port}"}
    assert 421 == await anyio.to_thread.run_sync(lambda: served.status(**rebound))
    async with served.client("legacy") as client:
        await client.list_tools()
        served.process.send_signal(signal.SIGTERM)
        out, err = await anyio.to_thread.run_sync(served.process.communicate)
    assert (0, "") == (served.process.returncode, out)
    with socket.socket() as line:
        assert 0 != line.connect_ex(("127.0.0.1", served.port))
    log = vault / ".genesys" / "daemon.log"
    logs = err + (log.read_text(encoding="utf-8") if log.exists() else "")
    assert " ERROR " not in logs, logs
    assert served.token not in logs


@pytest.mark.anyio
@pytest.mark.model
async def test_recall_by_meaning_over_http(tmp_path: Path) -> None:
    """With the real model: words at once, and meaning as soon as the vectors are there."""
    vault = tmp_path / "small"
    vault.mkdir()
    (vault / "Ana.md").write_text("Ana is allergic to peanuts.\n", encoding="utf-8")
    (vault / "Pump.md").write_text("The pump was late.\n", encoding="utf-8")
    with Running(vault, GENESYS_EMBEDDER="local") as running:
        start = Start(running)
        try:
            served = await anyio.to_thread.run_sync(lambda: start("--port", "0"))
            async with served.client("auto") as client:
                signals: set[str] = set()
                with anyio.fail_after(3 * DEADLINE_S):
                    while "vectors" not in signals:
                        asked = {"query": "which food makes her ill", "read_only": True}
                        found = (await client.call_tool("memory_recall", asked)).structured_content
                        assert found
                        signals = set(found.get("signals", ()))
                assert "Ana.md" == found["hits"][0]["path"]
        finally:
            start.end()


@pytest.mark.slow
def test_the_door_outlives_the_daemon_and_its_token_is_shown_once(start: Start, running: Running) -> None:
    """A second start only tells where the token is, a taken port is said in a line. The daemon is killed:
    another listens at the same port, with the same token."""
    served = start("--port", "0")
    taken = running.cli("serve", "--http", "--port", str(served.port), "--in-process")
    assert (1, "") == (taken.code, taken.stdout)
    assert f"port {served.port}" in taken.stderr
    again = start("--port", "0")
    assert served.token not in again.said
    assert "$(cat" in again.said
    bearer = {"Authorization": f"Bearer {served.token}"}
    assert 401 != again.status(**bearer)
    running.kill_daemon()

    def answered() -> bool:
        try:
            return served.status(**bearer) != 401
        except OSError:
            return False

    until(answered, "another daemon listens")
    assert 401 == served.status(Authorization="Bearer x")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "example.com", ""])
def test_only_loopback_is_bound(host: str) -> None:
    """Anything else is refused before a port is open, with a way to do without."""
    with pytest.raises(UsageError) as refused:
        bind(Door(host, 0, TOKEN))
    assert "tunnel" in refused.value.hint


def test_options_of_http_alone_are_refused_without_it(running: Running) -> None:
    """A --port without --http is no server on stdio that ignores it."""
    assert 2 == running.cli("serve", "--port", "8000").code


async def answer(headers: list[tuple[str, str]]) -> int:
    """The status of a request with these headers; 200 is what stands behind the guard."""
    sent: list[dict[str, object]] = []

    async def behind(scope: object, receive: object, send: object) -> None:
        sent.append({"status": 200})

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    guard = Guard(behind, TOKEN, frozenset({HOST, "localhost:8377"}))
    raw = [(k.encode(), v.encode()) for k, v in headers]
    await guard({"type": "http", "headers": raw}, None, send)  # type: ignore[arg-type]
    return int(str(sent[0]["status"]))


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("status", "changes"),
    [
        (200, {}),
        (200, {"origin": f"http://{HOST}"}),
        (200, {"host": "LOCALHOST:8377"}),
        (200, {"authorization": "bearer right"}),
        (401, {"authorization": "Bearer RIGHT"}),
        (401, {"authorization": "Bearer wrong"}),
        (401, {"authorization": "Bearer right "}),
        (401, {"authorization": "right"}),
        (401, {"authorization": "Basic right"}),
        (401, {"authorization": None}),
        (401, {"authorization": "Bearer räight"}),
        (403, {"origin": "https://evil.example"}),
        (403, {"origin": "null"}),
        (403, {"origin": "http://localhost:1"}),
        (403, {"origin": f"https://{HOST}"}),
        (421, {"host": "evil.example:8377"}),
        (421, {"host": "127.0.0.1"}),
        (421, {"host": None}),
    ],
)
async def test_the_guard_lets_in_who_is_right_in_everything(
    status: int, changes: dict[str, str | None]
) -> None:
    """One wrong header is enough, and a header that comes twice is a wrong one."""
    headers = [(k, v) for k, v in (GOOD | changes).items() if v is not None]
    assert status == await answer(headers)
    for name, value in headers:
        if name != "origin" and status == 200:
            assert 200 != await answer([*headers, (name, value)])


def test_a_token_that_others_may_read_is_refused(tmp_path: Path) -> None:
    """Also one that is no token; --new-token mends both."""
    token = token_of(tmp_path, tmp_path / "vault")
    assert 0o600 == token.file.stat().st_mode & 0o777
    assert 0o700 == token.file.parent.stat().st_mode & 0o777
    assert token.value not in repr(token)
    assert token.value == token_of(tmp_path, tmp_path / "vault").value
    assert token.value != token_of(tmp_path, tmp_path / "other").value
    token.file.chmod(0o644)
    with pytest.raises(GenesysError):
        token_of(tmp_path, tmp_path / "vault")
    renewed = token_of(tmp_path, tmp_path / "vault", renew=True)
    assert renewed.value != token.value
    renewed.file.write_text("", encoding="ascii")
    with pytest.raises(GenesysError):
        token_of(tmp_path, tmp_path / "vault")
