"""The guard that keeps every test offline is itself tested, in this process and in children."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import offline
from support import child_env

REACH_OUT = (
    "import socket; socket.create_connection(('192.0.2.1', 80), timeout=1)"  # TEST-NET-1, never routed
)


def test_a_connection_beyond_this_machine_is_refused() -> None:
    """An address that is not loopback raises before a packet leaves."""
    with pytest.raises(offline.NetworkBlocked), socket.socket() as sock:
        sock.connect(("192.0.2.1", 80))
    with pytest.raises(offline.NetworkBlocked):
        socket.getaddrinfo("example.invalid", 443)
    assert 2 == len(offline.attempts)
    offline.attempts.clear()


def test_loopback_and_unix_sockets_stay_open() -> None:
    """The daemon's socket and a server on this machine can be reached."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as client:
        client.connect(server.getsockname())
    path = Path(os.environ["XDG_RUNTIME_DIR"]) / "s"
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind(str(path))
        server.listen()
        client.connect(str(path))


def test_a_child_process_is_guarded_too() -> None:
    """A Python that a test starts refuses the same connection."""
    child = subprocess.run(
        [sys.executable, "-c", REACH_OUT], env=child_env(), capture_output=True, text=True, check=False
    )
    assert 1 == child.returncode
    assert "NetworkBlocked" in child.stderr


def test_no_setting_of_the_person_at_the_keyboard_is_seen() -> None:
    """GENESYS_* is stripped and home is a temporary folder."""
    assert [] == [name for name in os.environ if name.startswith("GENESYS_") and name != "GENESYS_CASES"]
    assert "home" in Path.home().name
    assert [] == list(Path.home().iterdir())
