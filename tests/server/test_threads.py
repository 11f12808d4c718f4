"""Cancellation, progress and many calls at once."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import anyio
import pytest

from genesys.serving import calls
from server.helpers import VALID, call, content
from support import tree_bytes

pytestmark = pytest.mark.anyio


class Gate:
    """A handler that tells when it began, and goes on when it may."""

    def __init__(self, work: Any) -> None:
        self.work = work
        self.began = threading.Event()
        self.may_go_on = threading.Event()
        self.ended = threading.Event()

    def __call__(self, call: Any) -> Any:
        self.began.set()
        try:
            assert self.may_go_on.wait(30)
            return self.work(call)
        finally:
            self.ended.set()


def hold(monkeypatch: pytest.MonkeyPatch, tool: str) -> Gate:
    from genesys import server

    gate = Gate(calls.HANDLERS[tool])
    monkeypatch.setattr(server, "HANDLERS", {**calls.HANDLERS, tool: gate})
    return gate


async def wait(event: threading.Event) -> None:
    assert await anyio.to_thread.run_sync(event.wait, 30)


async def test_a_cancelled_write_is_done_or_not_begun(
    connect: Any, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cancelled in the middle of a store: the memory is there whole, and stored again it is the same one."""
    gate = hold(monkeypatch, "memory_store")
    async with connect() as client:
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "memory_store", VALID["memory_store"])
            await wait(gate.began)
            group.cancel_scope.cancel()
            gate.may_go_on.set()
        await wait(gate.ended)
        again = content(await call(client, "memory_store", VALID["memory_store"]))
    assert again["created"] is False
    memories = [path for path in tree_bytes(vault) if path.startswith("Memories/")]
    assert [again["path"]] == memories


async def test_a_cancelled_read_frees_the_caller(connect: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The client goes on at once, although the work still runs; the server serves the next call."""
    gate = hold(monkeypatch, "memory_recall")
    async with connect() as client:
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "memory_recall", VALID["memory_recall"])
            await wait(gate.began)
            group.cancel_scope.cancel()
        content(await call(client, "memory_search", {}))
        assert not gate.ended.is_set()
        gate.may_go_on.set()
        await wait(gate.ended)


async def test_a_long_call_shows_signs_of_life(connect: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """While it works, the client hears of it, with ever higher numbers."""
    from genesys import server

    monkeypatch.setattr(server, "BEAT_S", 0.01)
    gate = hold(monkeypatch, "memory_recall")
    heard: list[float] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        heard.append(done)
        if len(heard) == 3:
            gate.may_go_on.set()

    async with connect() as client:
        await client.call_tool("memory_recall", VALID["memory_recall"], progress_callback=progress)
    assert len(heard) >= 3
    assert sorted(set(heard)) == heard


async def test_calls_at_once_are_all_answered(connect: Any) -> None:
    """Reads and writes side by side, from one client."""
    answers: list[bool] = []

    async def one(client: Any, number: int) -> None:
        tool = "memory_store" if number % 3 == 0 else "memory_recall"
        given = {"content": f"Fact number {number}."} if number % 3 == 0 else VALID["memory_recall"]
        answers.append(bool((await call(client, tool, given)).is_error))

    async with connect() as client, anyio.create_task_group() as group:
        for number in range(12):
            group.start_soon(one, client, number)
    assert [False] * 12 == answers
