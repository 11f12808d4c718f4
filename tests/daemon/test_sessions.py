"""Several sessions and the command line on one vault: one process behind them, which may die at any time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from daemon.helpers import DEADLINE_S, settings_of, snapshot, until
from daemon.processes import INITIALIZE, Running, alive
from genesys.engine.session import Genesys

pytestmark = pytest.mark.slow
QUERY = "why did we give up on cellular modems"
ADR = "Decisions/ADR-003 LoRa Mesh.md"


def test_three_sessions_and_a_command_share_one_process(running: Running) -> None:
    """Both eras and the command line: one daemon, and what one stores the others recall."""
    sessions = [running.session(), running.session(), running.session(modern=True)]
    for session in sessions:
        assert ADR in session.recall(QUERY)
    stored = sessions[0].call("memory_store", content="Zanzibar has the best cloves.")
    path = stored["structuredContent"]["path"]
    assert path in sessions[1].recall("cloves of Zanzibar")
    assert path in sessions[2].recall("cloves of Zanzibar")
    hits = json.loads(running.cli("recall", "cloves of Zanzibar", "--json").stdout)["hits"]
    assert path in [hit["path"] for hit in hits]
    status = running.status()
    assert 3 == status["clients"]
    assert running.daemon() == status["pid"]


@pytest.mark.parametrize("modern", [False, True], ids=["handshake", "modern"])
def test_the_daemon_may_die_in_mid_session(running: Running, modern: bool) -> None:
    """After kill -9 the next call of every session succeeds, in the same session, on a new daemon."""
    sessions = [running.session(modern=modern) for _ in range(3)]
    for session in sessions:
        session.recall(QUERY)
    for _ in range(1 + (not modern)):
        dead = running.kill_daemon()
        for session in sessions:
            assert ADR in session.recall(QUERY)
        assert dead != running.daemon()


def test_what_was_under_way_is_answered(running: Running) -> None:
    """What only reads is asked again of the next daemon; a write that the daemon took along ends with an
    error in our shape, which does not say that it may be repeated. Each is answered once."""
    session = running.session()
    session.recall(QUERY)
    pid = running.daemon()
    os.kill(pid, signal.SIGSTOP)  # it reads nothing more
    read = session.send("tools/call", {"name": "memory_recall", "arguments": {"query": QUERY}})
    write = session.send("tools/call", {"name": "memory_store", "arguments": {"content": "Lost on the way."}})
    listed = session.send("tools/list")
    resource = session.send("resources/read", {"uri": "genesys://stats"})
    until(lambda: session.unread() == 0, "the bridge has them")
    os.kill(pid, signal.SIGKILL)
    assert not session.hear(read)["result"].get("isError")
    result = session.hear(write)["result"]
    if result.get("isError"):
        assert result["structuredContent"]["retryable"] is False
        assert {"error", "hint", "retryable"} == set(result["structuredContent"])
    assert 14 == len(session.hear(listed)["result"]["tools"])
    assert "result" in session.hear(resource)
    assert ADR in session.recall(QUERY)


def test_a_dead_bridge_is_nothing_to_the_daemon(running: Running) -> None:
    """kill -9 of one session's bridge: the daemon and the other session go on."""
    one, other = running.session(), running.session()
    pid = running.daemon()
    one.kill()
    assert ADR in other.recall(QUERY)
    until(lambda: running.status()["clients"] == 1, "the dead client is noticed")
    assert pid == running.daemon()


def test_the_bridge_ends_with_its_client(running: Running) -> None:
    """Closing stdin ends the bridge at once, and well; so does a client that never said a word."""
    session = running.session()
    session.recall(QUERY)
    start = time.monotonic()
    assert 0 == session.close()
    assert time.monotonic() - start < 2
    process = subprocess.Popen(
        [sys.executable, "-m", "genesys", "serve"], env=running.env, stdin=subprocess.PIPE
    )
    assert process.stdin
    process.stdin.close()
    assert 0 == process.wait(DEADLINE_S)


def test_piped_requests_are_answered_before_the_end(running: Running) -> None:
    """A client that writes all it has and closes its end still gets its answers."""
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    running.session()  # so that the daemon is warm
    done = running.cli("serve", stdin="".join(json.dumps(line) + "\n" for line in lines))
    assert 0 == done.code
    assert [1, 2] == [json.loads(line)["id"] for line in done.stdout.splitlines()]


def test_every_byte_on_stdout_is_a_message(running: Running) -> None:
    """Garbage in, a daemon that dies, and yet JSON-RPC alone comes out (the session parses each line)."""
    session = running.session()
    assert session.process.stdin
    session.process.stdin.write(b"garbage\n{\n[]\n\n" + b"x" * 100_000 + b"\n")
    session.recall(QUERY)
    running.kill_daemon()
    session.recall(QUERY)


def test_a_vault_that_is_not_there_is_said_in_one_line(running: Running, tmp_path: Path) -> None:
    """On stderr, with an exit code, and with nothing on stdout."""
    done = running.cli("serve", "--vault", str(tmp_path / "nowhere"), stdin="")
    assert 0 != done.code
    assert "" == done.stdout
    assert "nowhere" in done.stderr
    assert "Traceback" not in done.stderr


def test_it_ends_some_time_after_its_last_client(vault: Path) -> None:
    """Not while a session is open, however idle; soon after the last is closed."""
    with Running(vault, GENESYS_IDLE_EXIT_S="1") as running:
        session = running.session()
        pid = running.daemon()
        session.recall(QUERY)
        end = time.monotonic() + 1.5
        until(lambda: time.monotonic() > end)
        assert alive(pid)
        session.close()
        until(lambda: not alive(pid), "the daemon ends")
        assert not running.places.socket.exists()
        assert ADR in running.session().recall(QUERY)


def test_the_index_is_whole_after_a_kill(running: Running) -> None:
    """What the daemon leaves when it is killed is an index like one made anew."""
    session = running.session()
    for number in range(5):
        session.call("memory_store", content=f"Fact number {number} about [[Home]].")
    running.kill_daemon()
    session.recall(QUERY)
    session.kill()
    running.cli("daemon", "stop")
    with Genesys.open(settings_of(running.vault)) as memory:
        memory.index(embed=False)
        seen = snapshot(memory)
    with Genesys.open(settings_of(running.vault, index=str(running.vault.parent / "fresh.db"))) as memory:
        memory.index(embed=False)
        assert snapshot(memory) == seen
