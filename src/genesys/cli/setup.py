"""``setup``: from a vault to a connected Claude, and back."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genesys.cli.common import VaultOption, print_lines

if TYPE_CHECKING:
    from genesys.connect.entries import Server
    from genesys.connect.journal import Journal
    from genesys.connect.plan import Change, Refusal, Step
    from genesys.settings import Settings

__all__ = ["setup"]

BEFORE = frozenset({"sqlite", "sqlite-vec", "model", "vault-writable", "sync", "disk"})
GLIMPSE = 12  # lines of a new file


class Which(StrEnum):
    CODE = "code"
    DESKTOP = "desktop"
    PROJECT = "project"


def setup(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[VAULT]", help="The vault's folder.", show_default=False)
    ] = None,
    vault: VaultOption = None,
    client: Annotated[
        list[Which] | None,
        typer.Option("--client", "-c", help="Only this one: code, desktop, project.", show_default=False),
    ] = None,
    project: Annotated[
        Path | None,
        typer.Option("--project", help="Connect this project, by its .mcp.json.", file_okay=False),
    ] = None,
    hooks: Annotated[bool, typer.Option("--hooks", help="Add hooks to Claude Code's settings.")] = False,
    dashboard: Annotated[
        bool,
        typer.Option("--dashboard", help="Add Genesys.base: the memory as views in Obsidian."),
    ] = False,
    name: Annotated[str, typer.Option("--name", help="What the server is called there.")] = "genesys",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")] = False,
    print_only: Annotated[
        bool, typer.Option("--print", "--dry-run", help="Show what would be written; write nothing.")
    ] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take back everything that setup did.")] = False,
) -> None:
    """Connect a vault to Claude, and check that it works.

    Indexes the vault and tells Claude Code and Claude Desktop of it; shows what it would write, and asks.
    """
    from genesys.connect.journal import load, locked
    from genesys.connect.places import state_folder

    place = state_folder(os.environ)
    if undo:
        from genesys.cli.undo import undo_setup

        with locked(place):
            undo_setup(load(place), print_only=print_only)
        return
    from genesys.cli.common import settings_for
    from genesys.connect.choose import clients, steps
    from genesys.connect.entries import check_name

    check_name(name)
    settings = settings_for(_chosen(folder or vault))
    print(f"vault: {settings.vault}")
    _warn(settings)
    server = _server(settings)
    where = project.resolve() if project else None
    chosen = clients(client or (), where, Path.cwd(), os.environ)
    todo = steps(chosen, server, os.environ, name=name, hooks=hooks, folder=where)
    if dashboard:
        todo.append(_dashboard(settings))
    with locked(place):
        changes, refused = _connect(todo, load(place), settings, server, name, yes=yes, print_only=print_only)
    _index(settings)
    _check(server)
    _say_what_next(changes, load(place))
    raise typer.Exit(bool(refused))


def _connect(
    todo: Sequence[Step],
    journal: Journal,
    settings: Settings,
    server: Server,
    name: str,
    *,
    yes: bool,
    print_only: bool,
) -> tuple[int, int]:
    """Plan, show, ask, write; how many files were written and how many refused. Exits where that is all."""
    planned = plan_shown(todo, journal, full=print_only)
    planned = _renamed(planned, journal, server, ask=not (yes or print_only))
    refused = _say_what_to_paste(planned, server, name)
    if print_only or (refused and refused == len(planned)):
        raise typer.Exit(bool(refused))
    changes = _agreed(planned, yes=yes)
    _with_trees(_applied(changes, journal), settings)
    return len(changes), refused


# ------------------------------------------------------------------ which vault


def _chosen(named: Path | None) -> Path:
    """The vault that is meant; a person is asked where that is open."""
    from genesys.connect.choose import known_vaults
    from genesys.errors import VaultNotFound
    from genesys.settings import find_vault

    try:
        return find_vault(named, Path.cwd(), os.environ)
    except VaultNotFound:
        if named is not None or not _someone_is_there():
            raise
    known = known_vaults(os.environ)
    for number, path in enumerate(known, 1):
        print(f"{number:>3}  {path}")
    if known:
        typed = typer.prompt("Which vault? (number, or a folder)", err=True)
    else:
        typed = typer.prompt("No vault found here or in Obsidian's list. Its folder", err=True)
    if typed.isdigit() and 0 < int(typed) <= len(known):
        return known[int(typed) - 1]
    return find_vault(Path(typed), Path.cwd(), {})


def _server(settings: Settings) -> Server:
    from genesys.connect.entries import Server, program
    from genesys.settings import lasting_variables

    env = lasting_variables(os.environ, settings)
    for key in (name for name in os.environ if name.startswith("GENESYS_") and name.endswith("_KEY")):
        print(f"! {key} is not copied into other programs' files; genesys/config.toml is the place for it")
    return Server(program(sys.argv[0], sys.executable), str(settings.vault), env)


def _dashboard(settings: Settings) -> Step:
    from genesys.connect.plan import Step
    from genesys.engine.dashboard import DASHBOARD, is_ours, text

    note = "open it in Obsidian; it fills as Genesys writes genesys_* properties"
    content = text().encode()
    return Step("dashboard", settings.vault / DASHBOARD, content=content, note=note, replaceable=is_ours)


def _warn(settings: Settings) -> None:
    """What doctor finds that had better be mended before the vault is read."""
    from genesys.engine.doctor import examine
    from genesys.render import check_lines

    print_lines(check_lines(c for c in examine(settings) if (c.warning or not c.ok) and c.name in BEFORE))


# ------------------------------------------------------------------ plan, show, ask


def plan_shown(todo: Sequence[Step], journal: Journal, *, full: bool = False) -> list[Change | Refusal]:
    """The plan, after it was printed: each change as a diff, each refusal with its reason. Of a whole file
    of ours that is long only the beginning is shown, unless ``full``."""
    from genesys.connect.plan import Change, diff, plan
    from genesys.render import one_line

    planned = plan(todo, journal.ours)
    for item in planned:
        if not isinstance(item, Change):
            print(f"! {item.step.title}: left alone, {item.reason} ({item.step.file})")
            print_lines([f"  {item.hint}"] if item.hint else [])
        elif not item.needed:
            print(f"{item.step.title}: connected already ({item.step.file})")
        else:
            print(f"{item.step.title}:")
            lines = [f"  {one_line(line)}" for line in diff(item)]
            whole = full or item.step.content is None or len(lines) <= GLIMPSE
            print_lines(lines if whole else lines[:GLIMPSE])
            print_lines([] if whole else [f"  … and {len(lines) - GLIMPSE} lines more (--print shows all)"])
            print_lines(f"! {note}" for note in item.notes)
    return list(planned)


def _renamed(
    planned: list[Change | Refusal], journal: Journal, server: Server, *, ask: bool
) -> list[Change | Refusal]:
    """The plan with another name where ours is taken and the person agrees to one."""
    from genesys.connect.entries import other_name, server_addition
    from genesys.connect.plan import Refusal

    taken = [item for item in planned if isinstance(item, Refusal) and item.taken]
    other = other_name(server.vault)
    if not (taken and ask and _someone_is_there()) or not typer.confirm(
        f"Connect it as {other} beside that?", err=True
    ):
        return planned
    steps = [replace(item.step, additions=(server_addition(server, other),)) for item in taken]
    return [item for item in planned if item not in taken] + plan_shown(steps, journal)


def _say_what_to_paste(planned: Iterable[Change | Refusal], server: Server, name: str) -> int:
    """How many were refused; for each what to paste instead, and where there is no client at all, too."""
    from genesys.connect.plan import Refusal, paste

    refused = [item for item in planned if isinstance(item, Refusal)]
    by_hand = {
        paste(item.step): str(item.step.file) for item in refused if item.step.additions and not item.taken
    }
    if not any(item.step.additions for item in planned):
        from genesys.connect.choose import any_client

        print("There is no Claude on this machine that setup knows.")
        by_hand[paste(any_client(server, name))] = "your client's file of MCP servers"
    for text, where in by_hand.items():
        print(f"To do it by hand, put this into {where}:")
        print_lines(f"  {line}" for line in text.splitlines())
    return len(refused)


def _agreed(planned: Iterable[Change | Refusal], *, yes: bool) -> list[Change]:
    """What is to be written, after the person was asked."""
    from genesys.connect.plan import Change
    from genesys.errors import UsageError

    changes = [item for item in planned if isinstance(item, Change) and item.needed]
    if changes and not yes:
        if not _someone_is_there():
            raise UsageError("there is nobody to ask whether to write this", hint="genesys setup --yes")
        if not typer.confirm("Write this?", default=True, err=True):
            print("nothing was written")
            raise typer.Exit(1)
    return changes


def _applied(changes: Iterable[Change], journal: Journal) -> Journal:
    from genesys.connect.apply import apply

    for change in changes:
        journal = apply(change, journal)
        print(f"written: {change.step.file}")
    return journal


def _someone_is_there() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


# ------------------------------------------------------------------ index, check


def _with_trees(journal: Journal, settings: Settings) -> None:
    """Write down the folders that indexing will make and that are not there yet."""
    from genesys.connect.journal import missing_folders

    own = settings.vault / ".genesys"
    fresh = [own] if settings.index.parent == own and not own.exists() else []
    if not settings.cache_dir.exists():
        fresh.append(settings.cache_dir)
    if not fresh:
        return
    journal = journal.save()
    above = missing_folders(settings.cache_dir.parent)
    trees = tuple(dict.fromkeys((*journal.trees, *map(str, fresh))))
    replace(journal, trees=trees, folders=(*journal.folders, *above)).save()


def _index(settings: Settings) -> None:
    from genesys.cli.common import open_memory, progress_bar
    from genesys.render import index_lines

    with open_memory(settings.vault, new_ok=True) as memory, progress_bar(False) as progress:
        report = memory.index(progress=progress)
    print_lines([line for line in index_lines(report) if not line[0].isdigit()])
    if report.skipped:
        print(f"left out: {', '.join(sorted(report.skipped))}; genesys status names each")


def _check(server: Server) -> None:
    """Start the server as a client does, and say in a line what Claude will see."""
    from genesys.connect.probe import notes_served
    from genesys.render import counted

    env = {name: value for name, value in os.environ.items() if not name.startswith("GENESYS_")}
    command = [*server.program, "serve", "--vault", server.vault]
    notes = notes_served(command, env | dict(server.env))
    print(f"It works: Claude will see {counted(notes, 'note')}.")
    if not notes:
        print(f"! there is none in {server.vault}; is it the right folder?")


def _say_what_next(written: int, journal: Journal) -> None:
    if written:
        print('Next: restart Claude, then ask it "what do my notes say about …?"')
    if journal.exists:
        print("To take it all back: genesys setup --undo")
