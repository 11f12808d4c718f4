"""The vault's daemon: one memory, one writer, one watcher and one model for every session and command.

``python -m genesys.daemon --vault V`` leaves its parent and serves on the vault's socket until its last
client has been gone for a while. Only one can: it lives by a lock beside its socket, which the kernel drops
with the process, and it writes by the vault's lease.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import logging
import os
import signal
import socket
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from genesys import __version__
from genesys.errors import BusyError, GenesysError
from genesys.settings import Settings, load_settings
from genesys.sockets import Places, places

if TYPE_CHECKING:
    from genesys.daemon_clients import Daemon

__all__ = ["claim", "listen", "log_file", "main", "run"]

CLAIM_S = 20.0  # a daemon that is about to end has written back and is gone by then
PAUSE_S = 0.02
BACKLOG = 256
LOG_BYTES, LOG_FILES = 1_000_000, 2
LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
LEASE_S = 0.5  # how often a lease that another process has is asked for

log = logging.getLogger(__name__)


def main(argv: list[str] | None = None) -> int:
    """Entry point of ``python -m genesys.daemon``; 0 also where another daemon serves the vault."""
    parser = argparse.ArgumentParser(prog="genesys.daemon")
    parser.add_argument("--vault", type=Path, required=True)
    parser.add_argument("--foreground", action="store_true")
    options = parser.parse_args(argv)
    try:
        return run(load_settings(options.vault), foreground=options.foreground)
    except GenesysError as error:
        sys.stderr.write(f"genesys: {error.message}\n" + (f"  next: {error.hint}\n" if error.hint else ""))
        return error.exit_code


def run(settings: Settings, *, foreground: bool) -> int:
    """Become the daemon of a vault, unless another is. In the background this returns in the parent, at
    once; in the foreground when the daemon ends.

    Raises:
        GenesysError: its places can't be had.
    """
    where = places(settings.vault)
    if not foreground and _leave_parent(log_file(settings)):
        return 0
    held = claim(where)
    if held is None:
        if foreground:
            sys.stderr.write("genesys: a daemon serves this vault already\n")
        return 0
    try:
        _serve(settings, where, listen(where), foreground)
    except Exception:
        log.exception("the daemon failed")
        raise
    finally:
        os.close(held)
    if not foreground:
        _end()
    return 0


def log_file(settings: Settings) -> Path:
    return settings.index.parent / "daemon.log"


def _leave_parent(stray: Path) -> bool:
    """Fork; True in the parent. The child has no terminal, and whatever prints goes to ``stray``."""
    sys.stdout.flush()
    sys.stderr.flush()
    if os.fork():
        return True
    os.chdir("/")
    null = os.open(os.devnull, os.O_RDWR)
    try:
        out = os.open(stray, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    except OSError:
        out = os.dup(null)
    for number, file in ((0, null), (1, out), (2, out)):
        os.dup2(file, number)
    os.close(null)
    os.close(out)
    return False


def claim(where: Places) -> int | None:
    """The lock that makes this process the daemon; None where another serves.

    Raises:
        BusyError: another has the lock and does not serve.
    """
    import fcntl

    fd = os.open(where.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    end = time.monotonic() + CLAIM_S
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except OSError:
            if _listening(where) or time.monotonic() > end:
                os.close(fd)
                if time.monotonic() > end:
                    raise BusyError("a daemon of this vault hangs", hint="genesys daemon stop") from None
                return None
            time.sleep(PAUSE_S)
    os.ftruncate(fd, 0)
    os.pwrite(fd, json.dumps({"pid": os.getpid(), "vault": str(where.vault)}).encode(), 0)
    return fd


def _listening(where: Places) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        return line.connect_ex(str(where.socket)) == 0


def listen(where: Places) -> socket.socket:
    """The vault's socket, in place of one that a dead daemon left. Needs the lock of :func:`claim`."""
    with contextlib.suppress(FileNotFoundError):
        where.socket.unlink()
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        made.bind(str(where.socket))
    finally:
        os.umask(before)
    made.listen(BACKLOG)
    made.setblocking(False)
    return made


def _serve(settings: Settings, where: Places, listener: socket.socket, foreground: bool) -> None:
    _set_up_logging(settings, foreground)
    # Clients may connect from here on; they wait while the rest is loaded.
    from genesys.daemon_clients import Daemon
    from genesys.engine.lease import Lease
    from genesys.serving.host import Host
    from genesys.watch import Watcher, needs_polling

    lease = Lease(settings.index.parent)
    note = json.dumps({"pid": os.getpid(), "socket": str(where.socket), "version": __version__}).encode()
    if not lease.take(note) and _other_daemon(where):
        log.info("another daemon serves this vault; leaving it to that one")
        where.socket.unlink(missing_ok=True)
        return
    host = Host(settings, watched=True)
    daemon = Daemon(settings, host, stays=foreground)
    keeper = host.keeper
    assert keeper is not None
    watcher = Watcher(
        settings.vault,
        keeper.changed,
        keeper.nudge,
        poll=settings.watch == "poll" or (settings.watch == "auto" and needs_polling(settings.vault)),
        cost=lambda: keeper.pass_s,
    )
    log.info("daemon %s of %s, process %d", __version__, settings.vault, os.getpid())
    stop = threading.Event()
    threading.Thread(target=_keep_lease, args=(lease, note, stop, keeper.nudge), daemon=True).start()
    try:
        watcher.start()
        host.start()
        asyncio.run(_until_done(daemon, listener, where))
    finally:
        stop.set()
        watcher.stop()
        host.close()
        lease.release()
        log.info("the daemon ends: %s", daemon.reason)


async def _until_done(daemon: Daemon, listener: socket.socket, where: Places) -> None:
    loop = asyncio.get_running_loop()
    for number, name in ((signal.SIGTERM, "SIGTERM"), (signal.SIGINT, "SIGINT")):
        loop.add_signal_handler(number, daemon.leave, f"told to by {name}")
    try:
        await daemon.serve(listener)
    finally:
        # First the name, then (with the process) the lock: who comes now starts another daemon.
        where.socket.unlink(missing_ok=True)


def _keep_lease(lease: Any, note: bytes, stop: threading.Event, nudge: Any) -> None:
    """Take the lease when `genesys index` lets go of it, and again where its disk came back another."""
    had = True
    while not stop.wait(LEASE_S if not had else 10 * LEASE_S):
        with contextlib.suppress(GenesysError):
            has = lease.folder.is_dir() and lease.take(note)
            if has and not had:
                nudge()
            had = has


def _other_daemon(where: Places) -> bool:
    """Whether the lease is held by a daemon that listens elsewhere, and not by a pass of a command."""
    from genesys.sockets import connect

    try:
        link = connect(where, "control", wait_s=5.0, elsewhere=True)
    except BusyError:
        return True
    if link is not None:
        link.close()
    return link is not None


def _set_up_logging(settings: Settings, foreground: bool) -> None:
    from logging.handlers import RotatingFileHandler

    handlers: list[logging.Handler] = []
    with contextlib.suppress(OSError):
        settings.index.parent.mkdir(exist_ok=True)
        file = RotatingFileHandler(
            log_file(settings), maxBytes=LOG_BYTES, backupCount=LOG_FILES, encoding="utf-8"
        )
        handlers.append(file)
    if foreground:
        handlers.append(logging.StreamHandler(sys.stderr))
    logging.raiseExceptions = False  # a full disk must not fill stderr
    logging.basicConfig(level=settings.log_level.upper(), handlers=handlers, format=LOG_FORMAT, force=True)
    logging.getLogger("watchfiles").setLevel(logging.WARNING)
    if not foreground:
        sys.excepthook = lambda *error: log.critical("the daemon failed", exc_info=error)


def _end() -> None:
    """End although a thread may still be inside the model's C code. Nothing is lost: the index survives a
    kill at any moment (P6)."""
    logging.shutdown()
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
