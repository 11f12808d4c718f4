"""The commands, one small module a subject."""

from __future__ import annotations

from typing import Annotated

import typer

from genesys import __version__
from genesys.cli import asking, daemon, indexing, lasting, looking, remembering, serve

__all__ = ["app"]

app = typer.Typer(
    name="genesys",
    help="Your Obsidian vault is Claude's memory.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"genesys {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Your Obsidian vault is Claude's memory."""


for module in (indexing, asking, looking, remembering, lasting, serve, daemon):
    module.register(app)
