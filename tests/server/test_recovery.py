"""The index goes away, is damaged, is locked, or the disk is full: a fault each, and the server lives on."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from genesys.errors import IndexCorrupt
from genesys.serving.host import Host
from server.helpers import READS, VALID, WRITES, call, content, fault
from support import child_env, tree_bytes

pytestmark = pytest.mark.anyio

ASK = {**VALID, "delete_memory": {"node_id": "ADR-003 LoRa Mesh"}, "promote_to_org": {"node_id": "Home"}}
DAMAGE = ("removed", "garbage", "truncated")


def index_of(vault: Path) -> Path:
    return vault / ".genesys" / "index.db"


def damage(vault: Path, how: str) -> None:
    file = index_of(vault)
    for suffix in ("-wal", "-shm"):
        file.with_name(file.name + suffix).unlink(missing_ok=True)
    if how == "removed":
        file.unlink()
    elif how == "garbage":
        file.write_bytes(os.urandom(file.stat().st_size))
    else:
        os.truncate(file, 5_000)


async def recovered(client: Client, host: Host) -> None:
    """What the background does in a server, done here in order: read the vault anew; then recall works."""
    try:
        host.call(lambda memory: memory.index(embed=False))
    except IndexCorrupt:  # only now noticed; the next round starts from nothing
        host.call(lambda memory: memory.index(embed=False))
    found = content(await call(client, "memory_recall", VALID["memory_recall"]))
    assert found["hits"]


@pytest.mark.parametrize("how", DAMAGE)
@pytest.mark.parametrize("tool", ["memory_recall", "memory_stats", "memory_explain"])
async def test_a_read_over_a_broken_index_may_be_repeated(
    connect: Any, host: Host, vault: Path, tool: str, how: str
) -> None:
    """It says so in our shape; the index is made anew from the notes, and the same server answers again."""
    async with connect() as client:
        content(await call(client, "memory_stats", {}))
        damage(vault, how)
        result = await call(client, tool, ASK[tool])
        if how != "garbage":  # pages that SQLite has in memory still answer, and truly
            assert result.is_error
        if result.is_error:
            assert fault(result)["retryable"] is True
        await recovered(client, host)


@pytest.mark.parametrize("how", DAMAGE)
@pytest.mark.parametrize("tool", ["pin_memory", "memory_amend"])
async def test_a_write_over_a_broken_index_is_not_to_be_repeated(
    connect: Any, host: Host, vault: Path, tool: str, how: str
) -> None:
    """Who writes can't know how much was done; the hint says what to do instead."""
    async with connect() as client:
        content(await call(client, "memory_stats", {}))
        damage(vault, how)
        assert fault(await call(client, tool, ASK[tool]))["retryable"] is False
        await recovered(client, host)


HOLDER = """
import sqlite3, sys
other = sqlite3.connect(sys.argv[1], isolation_level=None)
other.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.read()
"""


@contextmanager
def locked(vault: Path) -> Iterator[None]:
    """Another process writes the index, and does not come to an end. (Locks are a process's: a second
    connection in this one would not be in its own way.)"""
    command = [sys.executable, "-c", HOLDER, str(index_of(vault))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as holder:
        assert holder.stdin
        assert holder.stdout
        assert "locked" == holder.stdout.readline().strip()
        yield
        holder.stdin.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    "tool",
    [
        "memory_recall",
        "memory_store",
        "pin_memory",
        "memory_search",
    ],
)
async def test_a_locked_index_is_waited_for_and_said(connect: Any, vault: Path, tool: str) -> None:
    """A write that can't have the index is not retryable and leaves nothing; a read is answered from the
    state before the lock, or may be repeated. Once the lock is gone, all is well."""
    async with connect() as client:
        content(await call(client, "memory_stats", {}))
        before = tree_bytes(vault)
        with locked(vault):
            result = await call(client, tool, ASK[tool])
        if tool in WRITES:
            assert fault(result)["retryable"] is False
        elif result.is_error:
            assert fault(result)["retryable"] is True
        assert before == tree_bytes(vault)
        content(await call(client, tool, ASK[tool]))


@pytest.mark.slow
def test_a_disk_that_is_full_and_then_is_not(indexed: Path, tmp_path: Path) -> None:
    """On a real disk of a few megabytes, filled to the last byte: a store is refused and leaves nothing,
    a recall is answered or may be repeated, and when there is room again the same server stores."""
    mount = tmp_path / "disk"
    mount.mkdir()
    script = Path(__file__).parent / "full_disk.py"
    command = ["unshare", "-rm", sys.executable, str(script), str(mount), str(indexed)]
    try:
        done = subprocess.run(
            command, env=child_env(), capture_output=True, encoding="utf-8", timeout=120, check=False
        )
    except FileNotFoundError:
        pytest.skip("no unshare here, which mounts a small disk without root")
    if done.returncode == 77:
        pytest.skip("this system lets no one mount a small disk")
    assert 0 == done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("tool", READS + WRITES)
async def test_every_tool_translates_a_full_disk(
    connect: Any, host: Host, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the disk is full, each read says that it may be repeated and each write that it may not."""
    from genesys import server
    from genesys.errors import DiskFull
    from genesys.serving import calls

    def full(call: Any) -> Any:
        raise DiskFull("no room left", hint="free some space")

    monkeypatch.setattr(server, "HANDLERS", {**calls.HANDLERS, tool: full})
    given = ASK.get(tool, {})
    async with connect() as client:
        assert (tool in READS) == fault(await call(client, tool, given))["retryable"]
        content(await call(client, "memory_search", {})) if tool != "memory_search" else None
