"""``export`` and ``import``."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Annotated

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
from genesys.errors import UsageError

__all__ = ["export", "import_"]


def export(
    file: Annotated[Path, typer.Argument(help="The file or folder to write; - is standard output.")],
    format: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            help="json, jsonl, markdown, graphml (else by the file's extension); or another program's: "
            "mcp-memory, mem0, papez, basic-memory, claude.",
        ),
    ] = "",
    notes: Annotated[bool, typer.Option("--notes", help="A person's notes too, not only memories.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an older export.")] = False,
    vault: VaultOption = None,
    json: JsonFlag = False,
) -> None:
    """Write all memories to a file that import reads again.

    With their history and their edges.
    """
    from genesys.engine.exporting import format_of
    from genesys.engine.session import Genesys

    to_stdout = str(file) == "-"
    kind = format_of(file, format or ("json" if to_stdout else ""))
    if to_stdout and kind in ("markdown", "basic-memory", "claude"):
        raise UsageError(f"{kind} is a folder", hint="name one, or a file that ends in .zip")
    with Genesys.open(settings_for(vault), read_only=True) as memory:
        if not to_stdout:
            report = memory.export(str(file.absolute()), kind, notes=notes, force=force)
        else:
            with tempfile.TemporaryDirectory() as folder:
                whole = Path(folder, "export")
                memory.export(str(whole), kind, notes=notes)
                sys.stdout.flush()
                with whole.open("rb") as stream:
                    while block := stream.read(1 << 20):
                        sys.stdout.buffer.write(block)
            sys.stdout.buffer.flush()
            return
    if json:
        print_json(report)
        return
    from genesys.render import counted

    count = counted(report.memories, "memory") + (f", {counted(report.notes, 'note')}" if notes else "")
    typer.echo(f"exported {count} as {report.format}: {report.file}")


def import_(
    file: Annotated[Path, typer.Argument(help="A file, folder or zip archive.")],
    source: Annotated[
        str,
        typer.Option(
            "--from",
            help="auto, or json, jsonl, markdown, graphml, mcp-memory, basic-memory, claude, mem0, papez.",
        ),
    ] = "auto",
    folder: Annotated[
        str, typer.Option("--folder", help="Folder of the vault for them (else one in Memories/).")
    ] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would come in; write nothing.")
    ] = False,
    no_embed: Annotated[
        bool, typer.Option("--no-embed", help="Words and links only; vectors later.")
    ] = False,
    vault: VaultOption = None,
    json: JsonFlag = False,
) -> None:
    """Bring memories in from an export or another memory program.

    All or nothing, and never twice.
    """
    place = file.expanduser().absolute()
    if not place.exists():  # before an index is made for it
        raise UsageError(f"nothing at {place}", hint="name a file or folder")
    with (
        open_memory(vault, read_only=dry_run, missing_ok=dry_run, new_ok=True) as memory,
        progress_bar(json) as progress,
    ):
        report = memory.import_memories(
            str(place),
            source=source,
            folder=folder,
            dry_run=dry_run,
            progress=progress,
        )
        if report.added and not (dry_run or no_embed):
            memory.index(progress=progress)
    if json:
        print_json(report)
        return
    from genesys.render_state import import_lines

    print_lines(import_lines(report))
