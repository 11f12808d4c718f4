"""``index``, ``status``, ``doctor``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genesys.cli.common import (
    JsonFlag,
    VaultOption,
    open_memory,
    print_json,
    print_lines,
    progress_bar,
    settings_for,
)
from genesys.errors import VaultNotFound

if TYPE_CHECKING:
    from genesys.accounts import Check
    from genesys.settings import Settings

__all__ = ["doctor", "index", "status"]


def index(
    vault: VaultOption = None,
    full: Annotated[bool, typer.Option("--full", help="Compare contents, not time stamps.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would change; change nothing.")
    ] = False,
    no_embed: Annotated[
        bool, typer.Option("--no-embed", help="Words and links only; vectors later.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Read what changed in the vault since the last time.

    With --full it also makes a damaged index anew.
    """
    trouble = _mended(vault) if full and not dry_run else ""
    with (
        open_memory(vault, read_only=dry_run, missing_ok=dry_run, new_ok=True) as memory,
        progress_bar(json) as progress,
    ):
        report = memory.index(full=full, dry_run=dry_run, embed=not no_embed, progress=progress)
    if trouble:
        report = replace(report, notices=(*report.notices, f"{trouble}; it was made anew"))
    if not report.notes and not report.removed:
        report = replace(report, notices=(*report.notices, _empty(memory.settings.vault)))
    if json:
        print_json(report)
        return
    from genesys.render import index_lines

    print_lines(index_lines(report))


def _empty(vault: Path) -> str:
    if (vault / ".obsidian").is_dir():
        return f"there is no note in {vault} yet"
    return f"there is no note in {vault}, and no .obsidian: is this the folder you meant?"


def _mended(vault: Path | None) -> str:
    from genesys.engine.mending import set_aside_if_broken
    from genesys.settings import load_settings

    return set_aside_if_broken(load_settings(vault))


def status(vault: VaultOption = None, json: JsonFlag = False) -> None:
    """What the index holds, what was left out and why."""
    with open_memory(vault, read_only=True) as memory:
        report = memory.status()
    if json:
        print_json(report)
        return
    from genesys.render import status_lines

    print_lines(status_lines(report))


def doctor(vault: VaultOption = None, json: JsonFlag = False) -> None:
    """Check every part; each failing line names its fix."""
    from genesys.connect.checks import examine_clients
    from genesys.engine.doctor import examine, examine_without_vault

    try:
        settings = settings_for(vault)
        clients = examine_clients(settings.vault, os.environ, Path.cwd())
        checks = (*examine(settings), *_daemon(settings), *clients)
    except VaultNotFound as e:
        checks = (*examine_without_vault(e), *examine_clients(None, os.environ, Path.cwd()))
    if json:
        print_json(checks)
    else:
        from genesys.render import check_lines

        print_lines(check_lines(checks))
    if not all(c.ok for c in checks):
        raise typer.Exit(1)


def _daemon(settings: Settings) -> Iterator[Check]:
    from genesys.sockets import supported

    if supported():
        from genesys.starting import look

        yield look(settings.vault, settings.index)
