"""``why`` and ``graph``."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

import typer

from genesys.cli.common import JsonFlag, VaultOption, open_memory, print_json

__all__ = ["graph", "why"]


def why(
    note: Annotated[str, typer.Argument(help="A note: its name, path or alias.")],
    depth: Annotated[int, typer.Option("--depth", "-d", min=1, max=20, help="Steps to follow.")] = 3,
    vault: VaultOption = None,
    json: JsonFlag = False,
) -> None:
    """What led to a note and what it led to, with the sentences that say so."""
    with open_memory(vault, read_only=True) as memory:
        report = memory.why(note, depth)
    if json:
        print_json(report)
        return
    from genesys.render import console, print_why

    print_why(console(), report)


def graph(
    format: Annotated[
        Literal["json", "graphml"], typer.Option("--format", "-f", help="json or graphml.")
    ] = "json",
    inferred: Annotated[bool, typer.Option("--inferred", help="Add edges that nobody wrote down.")] = False,
    vault: VaultOption = None,
) -> None:
    """The vault as a graph: notes, links and typed edges."""
    with open_memory(vault, read_only=True) as memory:
        if format == "json":
            print_json(memory.graph(inferred=inferred), indent=None)
        else:
            sys.stdout.buffer.write(memory.graphml(inferred=inferred))
            sys.stdout.buffer.flush()
