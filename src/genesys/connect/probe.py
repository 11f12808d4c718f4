"""The client's part of a first talk with the server: started as a client starts it, over its own pipes."""

from __future__ import annotations

import contextlib
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
    process = _started(command, env)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    # Read away, or a talkative server would stand still; and what it said last is the reason, if it fails.
    said: list[bytes] = []
    listener = threading.Thread(target=said.extend, args=(process.stderr,), daemon=True)
    listener.start()
    clock = threading.Timer(wait_s, process.kill)
    clock.start()
    try:
        return _talk(process.stdin, process.stdout)
    except (OSError, ValueError, KeyError, TypeError, StopIteration):
        process.kill()
        listener.join(1)
        message = f"the server does not answer as it should ({_reason(said)})"
        raise GenesysError(message, hint="genesys doctor") from None
    finally:
        clock.cancel()
        _end(process)
        listener.join(1)
        process.stdout.close()
        if not listener.is_alive():  # or a child of the server's holds the line
            process.stderr.close()


def _reason(said: Sequence[bytes]) -> str:
    """The line in which the server said what is wrong: ours begins with our name, else it is the last."""
    lines = [line.decode("utf-8", "replace").strip() for line in said]
    ours = [line.removeprefix("genesys: ") for line in lines if line.startswith("genesys: ")]
    return next(iter(ours or [line for line in reversed(lines) if line]), "it said nothing")


def _started(command: Sequence[str], env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(list(command), env=dict(env), stdin=pipe, stdout=pipe, stderr=pipe)
    except OSError as error:
        reason = error.strerror or str(error)
        raise GenesysError(f"{command[0]} can't be started: {reason}", hint="genesys doctor") from None


def _end(process: subprocess.Popen[bytes]) -> None:
    """It ends when its client closes the line, as MCP has it."""
    with contextlib.suppress(OSError):  # it may have ended before
        if process.stdin:
            process.stdin.close()
    process.wait()


def _talk(out: IO[bytes], back: IO[bytes]) -> int:
    client = {"name": "genesys-setup", "version": __version__}
    _ask(out, back, 1, "initialize", {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": client})
    _send(out, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    answer = _ask(out, back, 2, "tools/call", {"name": "memory_stats", "arguments": {}})
    return int(answer["structuredContent"]["notes"])


def _ask(out: IO[bytes], back: IO[bytes], number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
    _send(out, {"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    answer = next(message for message in _messages(back) if message.get("id") == number)
    return dict(answer["result"])


def _messages(back: IO[bytes]) -> Iterator[dict[str, Any]]:
    for line in back:
        yield dict(json.loads(line))


def _send(out: IO[bytes], message: dict[str, Any]) -> None:
    out.write(json.dumps(message).encode() + b"\n")
    out.flush()
