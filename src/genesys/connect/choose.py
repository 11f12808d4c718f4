"""Which vaults there are to connect, and which clients to connect them to."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from genesys.connect.entries import NAME, Server
from genesys.connect.places import (
    Client,
    claude_code,
    claude_desktop,
    code_settings,
    project,
    project_settings,
)
from genesys.connect.plan import Step, hook_step, server_step
from genesys.registry import registered_vaults

__all__ = ["any_client", "clients", "known_vaults", "steps"]


def known_vaults(env: Mapping[str, str]) -> tuple[Path, ...]:
    """Obsidian's own list, the most recently opened first."""
    return registered_vaults(env)


def clients(keys: Collection[str], folder: Path | None, cwd: Path, env: Mapping[str, str]) -> list[Client]:
    """Those asked for; a project alone, if only that was named; else what is on this machine."""
    every = [claude_code(env), *claude_desktop(env)]
    chosen = [client for client in every if client.key in keys]
    if folder is not None or "project" in keys:
        chosen.append(project(folder or cwd))
    return chosen if keys or folder is not None else [client for client in every if client.present]


def any_client(server: Server, name: str) -> Step:
    """The step for a client that is not known here: only to be shown."""
    return server_step(Client("other", "your client", Path(), False), server, name)


def steps(
    chosen: Collection[Client],
    server: Server,
    env: Mapping[str, str],
    *,
    name: str = NAME,
    hooks: bool = False,
    folder: Path | None = None,
) -> list[Step]:
    """What there is to do; hooks go to the project's settings where one is named. Another kind of
    connection is one more step here."""
    made = [server_step(client, server, name) for client in chosen]
    if hooks:
        made.append(hook_step(project_settings(folder) if folder else code_settings(env), server))
    return made
