"""``daemon``: the process behind every session of a vault."""

from __future__ import annotations

import json as jsonlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from genesys.cli.common import JsonFlag, VaultOption, print_json, settings_for
from genesys.errors import GenesysError, UsageError

if TYPE_CHECKING:
    from genesys.settings import Settings
    from genesys.sockets import Places

__all__ = ["daemon"]

TAIL_BYTES = 256_000  # of the log that is read to show its last lines

Action = Literal["start", "stop", "status", "logs", "install"]


def daemon(
    action: Annotated[Action, typer.Argument(help="start, stop, status, logs or install.")] = "status",
    foreground: Annotated[
        bool, typer.Option("--foreground", help="start: stay here, log to stderr, never end by itself.")
    ] = False,
    lines: Annotated[int, typer.Option("--lines", "-n", min=1, help="logs: how many.")] = 40,
    show: Annotated[
        bool, typer.Option("--print", help="install: print a service file for systemd or launchd.")
    ] = False,
    vault: VaultOption = None,
    json: JsonFlag = False,
) -> None:
    """The process behind all sessions: start, stop, status, logs.

    It starts by itself when it is needed.
    """
    from genesys.sockets import places, supported

    if not supported():
        raise GenesysError("this system has no daemon", hint="genesys serve --in-process")
    settings = settings_for(vault)
    where = places(settings.vault)
    if action == "start":
        _start(settings, where, foreground)
    elif action == "stop":
        _stop(where)
    elif action == "status":
        _status(where, json)
    elif action == "logs":
        _logs(settings, lines)
    else:
        _install(settings.vault, show)


def _start(settings: Settings, where: Places, foreground: bool) -> None:
    if foreground:
        from genesys.daemon import run

        raise typer.Exit(run(settings, foreground=True))
    from genesys.starting import ensure

    link = ensure(where, "control")
    typer.echo(f"running: process {link.said['pid']}, version {link.said['version']}")
    link.close()


def _stop(where: Places) -> None:
    from genesys.starting import stop

    typer.echo("stopped" if stop(where) else "no daemon was running")


def _status(where: Places, json: bool) -> None:
    from genesys.sockets import connect

    link = connect(where, "control")
    said: dict[str, Any] = {"running": False, "vault": str(where.vault)}
    if link is not None:
        link.socket.sendall(b'{"ask": "status"}\n')
        said = jsonlib.loads(link.reader.readline() or b"{}") or said
        link.close()
    if json:
        print_json(said)
        return
    if not said["running"]:
        typer.echo("no daemon is running; the next session starts one")
        return
    typer.echo(f"running: process {said['pid']}, version {said['version']}, {said['uptime_s']:.0f} s")
    typer.echo(f"vault: {said['vault']}")
    typer.echo(
        f"clients: {said['clients']}, memory: {said['rss_bytes'] / 1e6:.0f} MB, now: {said['activity']}"
    )
    for notice in said["notices"]:
        typer.echo(f"! {notice}")


def _logs(settings: Settings, lines: int) -> None:
    from genesys.daemon import log_file

    file = log_file(settings)
    try:
        with file.open("rb") as source:
            source.seek(max(0, file.stat().st_size - TAIL_BYTES))
            text = source.read().decode("utf-8", "replace")
    except OSError as error:
        raise GenesysError(f"there is no log at {file}", hint="genesys daemon start") from error
    for line in text.splitlines()[-lines:]:
        typer.echo(line)


def _install(vault: Path, show: bool) -> None:
    from genesys.service_files import launchd, systemd

    if not show:
        raise UsageError(
            "Genesys installs no service by itself", hint="genesys daemon install --print shows the file"
        )
    typer.echo(launchd(vault) if sys.platform == "darwin" else systemd(vault), nl=False)
