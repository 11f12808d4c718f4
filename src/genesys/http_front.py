"""``genesys serve --http``: the vault's token, how a client is told of it, and the daemon kept at the door.

The daemon listens, so that there is one memory a vault; this process asks it to, asks the next one where it
ended, and when it goes itself the door is closed. Light: it waits, and loads nothing.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shlex
import signal
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from genesys.errors import GenesysError
from genesys.remote import raised
from genesys.sockets import MAX_LINE, Link, Places, short_name
from genesys.starting import ensure

__all__ = ["PATH", "Token", "hold", "snippet", "token_of"]

PATH = "/mcp"
TOKEN_BYTES = 32
CLOSE_S = 5.0  # for the daemon to close the door when we go
PAUSE_S, PAUSE_MOST_S = 0.1, 5.0  # between two daemons that end at once


@dataclass(frozen=True, slots=True)
class Token:
    """A vault's token, the file that keeps it, and whether it was made just now."""

    value: str
    file: Path
    new: bool

    def __repr__(self) -> str:
        return f"Token(file={str(self.file)!r}, new={self.new})"


def token_of(folder: Path, vault: Path, *, renew: bool = False) -> Token:
    """The vault's token, made where there is none or with ``renew``. Only this user can read its file.

    Raises:
        GenesysError: the file can't be kept, or others could have read it.
    """
    file = folder / "http" / f"{short_name(vault)}.token"
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if renew:
            file.unlink(missing_ok=True)
        with contextlib.suppress(FileExistsError):
            fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(fd, "w", encoding="ascii") as out:
                made = secrets.token_urlsafe(TOKEN_BYTES)
                out.write(made + "\n")
            return Token(made, file, True)
        state = os.lstat(file)
        value = file.read_text(encoding="ascii").strip()
    except (OSError, ValueError) as error:
        raise GenesysError(f"the token can't be kept in {file}: {error}", hint=_RENEW) from error
    if not stat.S_ISREG(state.st_mode) or (os.name == "posix" and state.st_mode & 0o077):
        raise GenesysError(f"others may read the token in {file}", hint=_RENEW)
    if len(value) < TOKEN_BYTES:
        raise GenesysError(f"there is no whole token in {file}", hint=_RENEW)
    return Token(value, file, False)


_ENDING = (signal.SIGINT, signal.SIGTERM)
_RENEW = "genesys serve --http --new-token"


def snippet(url: str, token: Token) -> str:
    """What to type or to paste, so that a client finds the server; the token itself only where it is new."""
    if not token.new:
        header = f'"Authorization: Bearer $(cat {shlex.quote(str(token.file))})"'
        return f"Claude Code:\n  claude mcp add --transport http genesys {url} --header {header}"
    bearer = f"Bearer {token.value}"
    header = shlex.quote(f"Authorization: {bearer}")
    server = {"type": "http", "url": url, "headers": {"Authorization": bearer}}
    return (
        f"Claude Code:\n  claude mcp add --transport http genesys {url} --header {header}\n"
        f"Other clients:\n{json.dumps({'mcpServers': {'genesys': server}}, indent=2)}\n"
        f"The token is not shown again. It is kept in {token.file}."
    )


class _Told(BaseException):
    """A signal said to end."""


def hold(where: Places, host: str, port: int, token: str, announce: Callable[[int], None]) -> None:
    """Have the vault's daemon listen until SIGINT or SIGTERM; ``announce`` is told the port, once.

    Raises:
        GenesysError: it can't listen there, or can't be had.
    """
    link: Link | None = None
    pause = PAUSE_S
    with _signals():
        try:
            while True:
                link = ensure(where, "http")
                began = time.monotonic()
                if opened := _ask(link, host, port, token):
                    announce(opened)
                    port, announce = opened, _silent
                    link.reader.readline()  # nothing comes; it ends with the daemon
                link.close()
                link = None
                pause = PAUSE_S if time.monotonic() - began > PAUSE_MOST_S else min(2 * pause, PAUSE_MOST_S)
                time.sleep(pause)
        except _Told:
            pass
        finally:
            if link is not None:
                _close(link)


def _silent(port: int) -> None:
    """The port was announced."""


def _ask(link: Link, host: str, port: int, token: str) -> int:
    """Have the door opened; its port, or 0 where the daemon ended meanwhile."""
    try:
        link.socket.sendall(json.dumps({"host": host, "port": port, "token": token}).encode() + b"\n")
        line = link.reader.readline(MAX_LINE)
        reply: dict[str, Any] = json.loads(line) if line.endswith(b"\n") else {"port": 0}
    except (OSError, ValueError):
        return 0
    if "error" in reply:
        raise raised(reply["error"])
    return int(reply["port"])


def _close(link: Link) -> None:
    """Leave, and wait until the door is closed: whoever starts next finds the port free."""
    import socket

    with contextlib.suppress(OSError):
        link.socket.shutdown(socket.SHUT_WR)
        link.socket.settimeout(CLOSE_S)
        link.reader.read()
    link.close()


@contextlib.contextmanager
def _signals() -> Iterator[None]:
    """SIGINT and SIGTERM raise :class:`_Told`."""

    def told(number: int, frame: FrameType | None) -> None:
        for each in _ENDING:
            signal.signal(each, signal.SIG_IGN)  # once is enough
        raise _Told

    before = {number: signal.signal(number, told) for number in _ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
