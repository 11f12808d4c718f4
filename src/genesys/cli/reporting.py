"""``report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from genesys.cli.common import JsonFlag, VaultOption, open_memory, print_json

__all__ = ["report"]


def report(
    file: Annotated[
        Path | None,
        typer.Argument(help="Where to write the page (else beside the index).", show_default=False),
    ] = None,
    note: Annotated[
        list[str] | None, typer.Option("--note", "-n", help="A note whose life is drawn; may be repeated.")
    ] = None,
    open: Annotated[bool, typer.Option("--open", help="Show the page in the browser.")] = False,
    vault: VaultOption = None,
    json: JsonFlag = False,
) -> None:
    """Draw the whole memory as one HTML page that loads nothing.

    Statuses over time, scores, causes, loose ends.
    """
    with open_memory(vault, read_only=True) as memory:
        view = memory.overview(note or ())
        path = (file or memory.settings.index.parent / "report.html").absolute()
    if json:
        print_json(view)
        return
    from genesys.page.document import render, save
    from genesys.render import one_line

    save(render(view), path)
    typer.echo(f"wrote {one_line(str(path))}")
    if open:
        import webbrowser

        webbrowser.open(path.as_uri())
