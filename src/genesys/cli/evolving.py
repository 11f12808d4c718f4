"""``evolve``."""

from __future__ import annotations

from typing import Annotated

import typer

from genesys.cli.common import JsonFlag, VaultOption, open_memory, print_json
from genesys.errors import UsageError

__all__ = ["evolve"]


def evolve(
    proposal: Annotated[
        list[str] | None, typer.Argument(help="Ids of proposals, as listed; all where none is named.")
    ] = None,
    apply: Annotated[
        bool, typer.Option("--apply", help="Do what loses nothing, or the proposals that are named.")
    ] = False,
    undo: Annotated[
        int | None, typer.Option("--undo", metavar="ID", help="Take back what was done under this number.")
    ] = None,
    vault: VaultOption = None,
    json: JsonFlag = False,
) -> None:
    """Propose memories to merge, stale decisions, lessons to share.

    Nothing is done without --apply.
    """
    if undo is not None:
        if apply or proposal:
            raise UsageError("--undo stands alone", hint=f"genesys evolve --undo {undo}")
        with open_memory(vault) as memory:
            back = memory.undo_evolve(undo)
        print_json({"undone": undo, "paths": back}) if json else typer.echo(f"undone: {', '.join(back)}")
        return
    with open_memory(vault, read_only=not apply) as memory:
        report = memory.evolve(apply=apply, only=proposal or ())
    if json:
        print_json(report)
        return
    from genesys.render import console
    from genesys.render_state import print_evolve

    print_evolve(console(), report)
