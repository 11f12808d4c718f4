"""``context``, ``why`` and ``graph``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from genesys.cli.common import JsonFlag, VaultOption, open_memory, print_json, print_lines
from genesys.errors import UsageError

__all__ = ["context", "graph", "why"]


def context(
    topic: Annotated[str, typer.Argument(help="A task, a topic or a question.")],
    budget: Annotated[
        int, typer.Option("--budget", "-b", min=100, max=8000, help="Size of the block, in tokens.")
    ] = 800,
    vault: VaultOption = None,
    json: JsonFlag = False,
) -> None:
    """One block for the head of a prompt, within a budget of tokens.

    Core memories, the best passages, the cause of each.
    """
    if not topic.strip():
        raise UsageError("context takes a topic", hint='genesys context "the move to LoRa"')
    with open_memory(vault, read_only=True, start=True) as memory:
        block = memory.context(topic, budget, wait=True)
    if json:
        print_json(block)
    elif block.text:
        from genesys.render import safe

        print_lines([safe(block.text)])
    else:
        print("nothing in memory for that", file=sys.stderr)


def why(
    note: Annotated[str, typer.Argument(help="A note: its name, path or alias.")],
    file: Annotated[
        str, typer.Argument(help="With --canvas: the canvas's path in the vault.", show_default=False)
    ] = "",
    canvas: Annotated[
        bool, typer.Option("--canvas", help="Draw it as an Obsidian canvas, beside the note or in FILE.")
    ] = False,
    depth: Annotated[int, typer.Option("--depth", "-d", min=1, max=20, help="Steps to follow.")] = 3,
    vault: VaultOption = None,
    json: JsonFlag = False,
) -> None:
    """What led to a note, and what it led to, in your own sentences."""
    if file and not canvas:
        raise UsageError("why takes one note", hint=f'genesys why "{note}" --canvas "{file}" draws a canvas')
    if canvas:
        _draw(note, file, depth, vault, json)
        return
    with open_memory(vault, read_only=True) as memory:
        report = memory.why(note, depth)
    if json:
        print_json(report)
        return
    from genesys.render import console, print_why

    print_why(console(), report)


def _draw(note: str, file: str, depth: int, vault: Path | None, json: bool) -> None:
    with open_memory(vault, read_only=True) as memory:
        drawing = memory.canvas(note, file, depth)
    if json:
        print_json(drawing)
        return
    from genesys.render import counted, one_line

    done = "drew" if drawing.written else "nothing has changed in"
    holds = f"{counted(drawing.notes, 'note')}, {counted(drawing.edges, 'arrow')}"
    typer.echo(f"{done} {one_line(drawing.path)}: {holds}")
    typer.echo(drawing.uri)


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
