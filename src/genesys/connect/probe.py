"""The client's part of a first talk with the server: started as a client starts it, over its own pipes."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Any

from genesys import __version__
from genesys.errors import GenesysError

__all__ = ["notes_served"]

WAIT_S = 90.0  # a cold start on a loaded machine; a client waits a minute or less
VERSION = "2025-06-18"  # of MCP; a server answers with the one it prefers


def notes_served(command: Sequence[str], env: Mapping[str, str], *, wait_s: float = WAIT_S) -> int:
    """How many notes a client sees behind the server that this command starts.

    Raises :class:`GenesysError` where the server can't be started, or does not answer as one.
    """
    try:
        process = subprocess.Popen(
            list(command),
            env=dict(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except OSError as error:
        raise GenesysError(
            f"{command[0]} can't be started: {error.strerror}", hint="genesys doctor"
        ) from None
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    # Read away, or a talkative server would stand still; and what it said last is the reason, if it fails.
    said: list[bytes] = []
    listener = threading.Thread(
        target=lambda stream: said.extend(stream), args=(process.stderr,), daemon=True
    )
    listener.start()
    clock = threading.Timer(wait_s, process.kill)
    clock.start()
    try:
        return _talk(process.stdin, process.stdout)
    except (OSError, ValueError, KeyError, TypeError, StopIteration):
        process.kill()
        listener.join(1)
        last = b"".join(said[-1:]).decode("utf-8", "replace").strip() or "it said nothing"
        raise GenesysError(
            f"the server does not answer as it should ({last})", hint="genesys doctor"
        ) from None
    finally:
        clock.cancel()
        process.stdin.close()
        process.wait()
        listener.join(1)
        process.stdout.close()
        process.stderr.close()


def _talk(out: IO[bytes], back: IO[bytes]) -> int:
    client = {"name": "genesys-setup", "version": __version__}
    _ask(out, back, 1, "initialize", {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": client})
    _send(out, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    answer = _ask(out, back, 2, "tools/call", {"name": "memory_stats", "arguments": {}})
    return int(answer["structuredContent"]["notes"])


def _ask(out: IO[bytes], back: IO[bytes], number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
    _send(out, {"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    answer = next(message for message in _messages(back) if message.get("id") == number)
    result = answer["result"]
    assert isinstance(result, dict)
    return result


def _messages(back: IO[bytes]) -> Iterator[dict[str, Any]]:
    for line in back:
        yield json.loads(line)


def _send(out: IO[bytes], message: dict[str, Any]) -> None:
    out.write(json.dumps(message).encode() + b"\n")
    out.flush()
