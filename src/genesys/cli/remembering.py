"""``remember``, ``amend``, ``pin``, ``unpin``, ``forget``, ``core``."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Annotated

import typer

from genesys.cli.common import JsonFlag, VaultOption, open_memory, print_json
from genesys.errors import UsageError
from genesys.model import EdgeType, MemoryType

__all__ = ["amend", "core", "forget", "parse_related", "pin", "remember", "unpin"]

NoteArgument = Annotated[str, typer.Argument(help="A note: its name, path or alias.")]
ContentArgument = Annotated[str, typer.Argument(help="The text; - reads it from standard input.")]
SessionOption = Annotated[str, typer.Option("--session", help="The conversation it comes from.")]
TitleOption = Annotated[str, typer.Option("--title", help="The note's name (else the first sentence).")]


def remember(
    content: ContentArgument,
    title: TitleOption = "",
    link: Annotated[
        list[str] | None,
        typer.Option("--link", "-l", help="TYPE:NOTE, say caused_by:Budget cut. May be given several times."),
    ] = None,
    category: Annotated[str, typer.Option("--category", help="A word of yours, say decision.")] = "",
    type: Annotated[
        MemoryType, typer.Option("--type", help="What kind of memory it is.")
    ] = MemoryType.SEMANTIC,
    tag: Annotated[list[str] | None, typer.Option("--tag", help="A tag. May be given several times.")] = None,
    session: SessionOption = "",
    vault: VaultOption = None,
    json: JsonFlag = False,
) -> None:
    """Write a memory as a note of its own under Memories/."""
    with open_memory(vault, new_ok=True) as memory:
        result = memory.remember(
            _text(content),
            title=title,
            related=[parse_related(item, memory.settings.parse.relation_keys) for item in link or ()],
            category=category,
            memory_type=type,
            source_session=session,
            tags=tag or (),
        )
    if json:
        print_json(result)
        return
    typer.echo(("remembered: " if result.created else "known already: ") + result.path)
    for reason in result.conflict_reasons:
        typer.echo(f"! may contradict {reason}")


def _text(content: str) -> str:
    return sys.stdin.read() if content == "-" else content


def parse_related(item: str, own: Iterable[tuple[str, str]] = ()) -> tuple[str, EdgeType]:
    """``caused_by:Some note`` → (note, type); synonyms as notes have them, and the person's ``own``, do too.

    Raises:
        UsageError: there is no colon; UnknownEdgeType: the type is none of the seven, or the inverse of one.
    """
    kind, colon, note = item.partition(":")
    if not colon or not note.strip():
        raise UsageError(f"{item!r} is no link", hint="write TYPE:NOTE, say caused_by:Budget cut")
    from genesys.engine.names import edge_type

    return note.strip(), edge_type(kind, own)


def amend(
    note: NoteArgument,
    content: ContentArgument,
    title: TitleOption = "",
    session: SessionOption = "",
    vault: VaultOption = None,
    json: JsonFlag = False,
) -> None:
    """Correct a note: a new memory that supersedes it. The old one stays as it is."""
    with open_memory(vault) as memory:
        result = memory.amend(note, _text(content), title=title, source_session=session)
    if json:
        print_json(result)
    else:
        typer.echo(f"remembered: {result.path}, supersedes {result.supersedes}")


def pin(note: NoteArgument, vault: VaultOption = None, json: JsonFlag = False) -> None:
    """Keep a note at hand for good: it is core and never fades."""
    with open_memory(vault) as memory:
        result = memory.pin(note)
    print_json(result) if json else typer.echo(f"pinned: {result.path}")


def unpin(note: NoteArgument, vault: VaultOption = None, json: JsonFlag = False) -> None:
    """Let a pinned note go its own way again."""
    with open_memory(vault) as memory:
        pinned = memory.is_pinned(note)
        result = memory.unpin(note)
    done = "unpinned" if pinned else "was not pinned"
    print_json(result) if json else typer.echo(f"{done}: {result.path} ({result.status.value})")


def forget(
    note: Annotated[
        str, typer.Argument(help="A note: its name, path or alias; with --undo an event's number.")
    ] = "",
    undo: Annotated[
        bool, typer.Option("--undo", help="Bring the last forgotten note (or the named one) back.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Don't ask before a note that you wrote yourself.")
    ] = False,
    vault: VaultOption = None,
    json: JsonFlag = False,
) -> None:
    """Move a note to the vault's trash; --undo brings it back."""
    with open_memory(vault) as memory:
        if undo:
            back = memory.undo_forget(note)
            print_json({"restored": back}) if json else typer.echo(f"restored: {back}")
            return
        if not note:
            raise UsageError("forget takes a note", hint="genesys forget NOTE, or genesys forget --undo")
        path = memory.resolve(note)
        own = memory.is_person_note(path)
        if own and not yes:
            _confirm(path)
        result = memory.forget(path, allow_person_note=own)
    if json:
        print_json(result)
        return
    typer.echo(f"forgotten: {result.path} → {result.trashed_to}\nundo: {result.undo}")
    for source in result.links_broken[:5]:
        typer.echo(f"  {source} still links to it")


def _confirm(path: str) -> None:
    if not sys.stdin.isatty():
        raise UsageError(
            f"{path} was written by a person", hint=f'to move it to the trash: genesys forget "{path}" --yes'
        )
    typer.confirm(f"You wrote {path} yourself. Move it to the trash?", abort=True)


def core(
    category: Annotated[str, typer.Option("--category", help="Only notes of this category.")] = "",
    auto: Annotated[
        list[str] | None, typer.Option("--auto", help="Category whose notes are always core.")
    ] = None,
    approval: Annotated[
        list[str] | None, typer.Option("--approval", help="Category that is only proposed.")
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option("--exclude", help="Category that is never core.")
    ] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Forget all preferences first.")] = False,
    vault: VaultOption = None,
    json: JsonFlag = False,
) -> None:
    """Core notes, proposals for it, and your preferences by category."""
    changes = bool(auto or approval or exclude or clear)
    with open_memory(vault, read_only=not changes) as memory:
        if changes:
            memory.change_core_preferences(auto or (), approval or (), exclude or (), clear=clear)
        result = memory.core(category)
    if json:
        print_json(result)
        return
    from genesys.render import console
    from genesys.render_state import print_core

    print_core(console(), result)
    if changes:
        typer.echo("preferences are kept; statuses follow at the next pass: genesys decay")
