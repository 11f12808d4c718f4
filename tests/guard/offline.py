"""No test, and no process that a test starts, may reach beyond this machine.

An audit hook sees every connection and name look-up that Python makes, asyncio's too, and cannot be
patched away by the code under test. Loopback and Unix sockets stay open: the daemon and the bridge use
them. ``attempts`` remembers what was tried, so that a swallowed refusal still fails the test.
"""

from __future__ import annotations

import ipaddress
import os
import sys

__all__ = ["OFFLINE", "NetworkBlocked", "attempts", "install"]

OFFLINE = {
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TRANSFORMERS_OFFLINE": "1",
}

attempts: list[str] = []

_ADDRESSED = {"socket.connect", "socket.sendto", "socket.sendmsg"}
_LOOKED_UP = {"socket.getaddrinfo", "socket.gethostbyname"}


class NetworkBlocked(RuntimeError):
    """Raised instead of touching the network."""


def _is_local(host: object) -> bool:
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    if not isinstance(host, str) or host in {"", "localhost", "ip6-localhost"}:
        return True  # no host at all: a Unix socket, or the wildcard of a server that listens
    try:
        return ipaddress.ip_address(host.split("%")[0]).is_loopback
    except ValueError:
        return False


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if event in _ADDRESSED:
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) and address else ""
    elif event in _LOOKED_UP:
        host = arguments[0]
    else:
        return
    if event == "socket.getaddrinfo" and host == "0.0.0.0":
        return  # asked of the machine itself when a server binds
    if not _is_local(host):
        attempts.append(f"{event} {host!r}")
        raise NetworkBlocked(f"{event} {host!r}: tests stay on this machine")


def install() -> None:
    """Set the environment that keeps model libraries offline, and the hook."""
    os.environ.update(OFFLINE)
    sys.addaudithook(_hook)
