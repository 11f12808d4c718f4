"""``explain``, ``stats``, ``decay``, ``unwrite``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from genesys.cli.common import JsonFlag, VaultOption, open_memory, print_json, settings_for

__all__ = ["decay", "explain", "stats", "unwrite"]

PlotFlag = Annotated[bool, typer.Option("--plot", help="Draw it in the terminal.")]
PngOption = Annotated[Path | None, typer.Option("--png", help="Write the drawing to this PNG file too.")]


def explain(
    note: Annotated[str, typer.Argument(help="A note: its name, path or alias.")],
    plot: PlotFlag = False,
    png: PngOption = None,
    vault: VaultOption = None,
    json: JsonFlag = False,
) -> None:
    """Why a note has its score and status, and what would change them."""
    with open_memory(vault, read_only=True) as memory:
        report = memory.explain(note)
        curve = memory.outlook(note) if plot or png else None
    if json:
        print_json(report)
        return
    from genesys.render import console
    from genesys.render_state import print_explanation

    out = console()
    print_explanation(out, report)
    if curve is not None:
        from genesys.plot import save_png, terminal_plot

        out.print(terminal_plot(curve, out.width), markup=False)
        if png:
            save_png(curve, png)


def stats(
    plot: PlotFlag = False, png: PngOption = None, vault: VaultOption = None, json: JsonFlag = False
) -> None:
    """Numbers of the memory.

    With --plot it draws a model year, not your vault: what use does to a note.
    """
    with open_memory(vault, read_only=True) as memory:
        report = memory.stats()
        curve = memory.year() if plot or png else None
    if json:
        print_json(report)
        return
    from genesys.render import console
    from genesys.render_state import print_stats

    out = console()
    print_stats(out, report)
    if curve is not None:
        from genesys.plot import save_png, terminal_plot

        out.print(terminal_plot(curve, out.width), markup=False)
        if png:
            save_png(curve, png)


def decay(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would change and why; change nothing.")
    ] = False,
    vault: VaultOption = None,
    json: JsonFlag = False,
) -> None:
    """One maintenance pass: scores, statuses, what is written back.

    Memories that nobody used for long go to the trash.
    """
    with open_memory(vault, read_only=dry_run) as memory:
        report = memory.decay(dry_run=dry_run)
    if json:
        print_json(report)
        return
    from genesys.render import console
    from genesys.render_state import print_decay

    print_decay(console(), report)


def unwrite(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list the notes.")] = False,
    vault: VaultOption = None,
    json: JsonFlag = False,
) -> None:
    """Take every genesys_* line out of the vault's notes again."""
    from genesys.engine.writeback import unwrite_vault

    report = unwrite_vault(settings_for(vault), time.time(), dry_run=dry_run)
    if json:
        print_json(report)
        return
    verb = "would clean" if dry_run else "cleaned"
    from genesys.render import counted

    typer.echo(f"{verb} {counted(len(report.written), 'note')}")
    for item in report.refused:
        typer.echo(f"! {item.path}: {item.reason}")
    if report.written and not dry_run:
        typer.echo("set GENESYS_WRITEBACK=off to keep it so")
