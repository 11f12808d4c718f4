"""What ``doctor`` says of the clients: who is connected to this vault, and what leads nowhere."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from genesys.accounts import Check
from genesys.connect.entries import EVENTS, SERVERS, Server, hooks_of, same_vault, server_of
from genesys.connect.journal import load
from genesys.connect.places import (
    Client,
    claude_code,
    claude_desktop,
    code_settings,
    project,
    project_settings,
    state_folder,
)
from genesys.connect.plan import read_file
from genesys.errors import ConfigRefused
from genesys.model import Json
from genesys.parse.json_text import read_json, value_of

__all__ = ["examine_clients"]

Written = frozenset[tuple[Path, str, Server]]


@dataclass(frozen=True, slots=True)
class _Found:
    """An entry of ours in a file, and what it belongs to."""

    file: Path
    name: str
    server: Server


def examine_clients(vault: Path | None, env: Mapping[str, str], cwd: Path) -> tuple[Check, ...]:
    """A line a client that is on this machine, and one for hooks; nothing is changed."""
    code, *others = claude_code(env), *claude_desktop(env)
    clients = [client for client in (code, *others) if client.present]
    if (cwd / ".mcp.json").is_file():
        clients.append(project(cwd))
    written = frozenset(_written(env))
    checks = [check for client in clients for check in _client(client, vault, written)]
    if not clients:
        checks = [Check("clients", True, "no Claude that setup knows is on this machine")]
    files = dict.fromkeys((code_settings(env), project_settings(cwd)))
    hooks = [check for file in files for check in _hooks(file, vault, written)]
    if not hooks and code.present:
        hooks = [Check("hooks", True, "none (genesys setup --hooks adds them)")]
    return (*checks, *hooks)


def _written(env: Mapping[str, str]) -> Iterator[tuple[Path, str, Server]]:
    """What setup itself wrote: file, name, server; with ``hooks`` for a name also its hooks."""
    try:
        ours = load(state_folder(env)).ours
    except ConfigRefused:
        return
    for file, item in ours:
        if item.name and (server := server_of(item.value)) is not None:
            yield file, item.name, server
        for server, _ in hooks_of(item.value):
            yield file, "hooks", server


def _client(client: Client, vault: Path | None, written: Written) -> Iterator[Check]:
    key, title, file = client.key, client.title, client.file
    try:
        found = list(_servers(file, _content(file)))
    except ConfigRefused as refused:
        yield Check(key, True, f"{file}: {refused.message}", f'correct "{file}"', warning=True)
        return
    good = [one for one in found if vault is not None and same_vault(one.server.vault, vault)]
    for one in found:
        yield from _broken(key, one, written)
    if good:
        yield Check(key, True, f"{title} is connected to this vault ({file})")
    elif vault is not None and key != "project":
        others = ", ".join(dict.fromkeys(one.server.vault for one in found if one.server.vault))
        what = f"{title} is not connected to this vault" + (f", but to {others}" if others else "")
        more = " --name another-name" if found else ""
        fix = f"genesys setup {shlex.quote(str(vault))} --client {key}{more}"
        yield Check(key, True, what, fix, warning=True)


def _content(file: Path) -> Json:
    raw = read_file(file)
    doc = read_json(raw or b"")
    return None if doc.blank else value_of(doc)


def _servers(file: Path, content: Json) -> Iterator[_Found]:
    """Those of the person, and of single projects in Claude Code's own file."""
    if not isinstance(content, dict):
        return
    projects = content.get("projects")
    inner = projects.values() if isinstance(projects, dict) else ()
    for holder in (content, *inner):
        servers = holder.get(SERVERS) if isinstance(holder, dict) else None
        for name, entry in servers.items() if isinstance(servers, dict) else ():
            if (server := server_of(entry)) is not None:
                yield _Found(file, name, server)


def _broken(key: str, found: _Found, written: Written) -> Iterator[Check]:
    """What an entry names and is not there, and the one thing that mends it."""
    command, vault = found.server.program[0], found.server.vault
    ours = (found.file, found.name, found.server) in written
    away = f'take "{found.name}" out of "{found.file}"'
    if key == "code" and not ours:
        away = f"claude mcp remove {shlex.quote(found.name)}"
    if vault and not os.path.isdir(os.path.expanduser(vault)):
        detail = f'"{found.name}" serves {vault}, which is not there ({found.file})'
        yield Check(key, False, detail, "genesys setup --undo" if ours else away)
    elif shutil.which(command) is None:
        detail = f'"{found.name}" starts {command}, which is not there ({found.file})'
        again = f"genesys setup {shlex.quote(vault)}" + (" --hooks" if key == "hooks" else "")
        yield Check(key, False, detail, again if ours else away)


def _hooks(file: Path, vault: Path | None, written: Written) -> Iterator[Check]:
    try:
        content = _content(file)
    except ConfigRefused as refused:
        yield Check("hooks", True, f"{file}: {refused.message}", f'correct "{file}"', warning=True)
        return
    hooks = content.get("hooks") if isinstance(content, dict) else None
    found = [one for event in EVENTS for one in _of(hooks, event)]
    if not found:
        return
    for server in dict.fromkeys(server for server, _ in found):
        yield from _broken("hooks", _Found(file, "hooks", server), written)
    words = [word for server, word in found if vault is None or same_vault(server.vault, vault)]
    missing = [word for word, _ in EVENTS.values() if word not in words]
    if words and missing:
        detail = f"without {', '.join(missing)} ({file})"
        yield Check("hooks", True, detail, "genesys setup --hooks", warning=True)
    elif words:
        yield Check("hooks", True, f"{', '.join(words)} ({file})")


def _of(hooks: Json, event: str) -> Iterable[tuple[Server, str]]:
    elements = hooks.get(event) if isinstance(hooks, dict) else None
    for element in elements if isinstance(elements, list) else ():
        yield from hooks_of(element)
