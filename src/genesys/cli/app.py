"""The commands, one small module a subject. A call builds the one command it names: all of them together
would cost every call more than most commands take."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated

import typer

from genesys import __version__

__all__ = ["COMMANDS", "full_app", "make_app"]

#: Command → module of this package, in the order of ``--help``; the function has the command's name.
COMMANDS = {
    "setup": "setup",
    "index": "indexing",
    "status": "indexing",
    "doctor": "indexing",
    "recall": "asking",
    "search": "asking",
    "eval": "evaluating",
    "context": "looking",
    "why": "looking",
    "graph": "looking",
    "report": "reporting",
    "remember": "remembering",
    "amend": "remembering",
    "digest": "digesting",
    "infer": "digesting",
    "pin": "remembering",
    "unpin": "remembering",
    "forget": "remembering",
    "core": "remembering",
    "explain": "lasting",
    "stats": "lasting",
    "decay": "lasting",
    "unwrite": "lasting",
    "evolve": "evolving",
    "serve": "serve",
    "export": "porting",
    "import": "porting",
    "daemon": "daemon",
    "hook": "hooks",
}

_TAKEN = ("eval", "import")  # words of Python: the function has one stroke more


def make_app(argv: list[str]) -> typer.Typer:
    """The program with the command that ``argv`` names, or with all where it names none."""
    name = next((word for word in argv if not word.startswith("-")), "")
    return _app([name] if name in COMMANDS else list(COMMANDS))


def full_app() -> typer.Typer:
    """The program with every command."""
    return _app(list(COMMANDS))


def _app(names: list[str]) -> typer.Typer:
    app = typer.Typer(
        name="genesys",
        help="Your Obsidian vault is Claude's memory. Begin with: genesys setup",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_root)
    for name in names:
        module = import_module(f"genesys.cli.{COMMANDS[name]}")
        app.command(name)(getattr(module, f"{name}_" if name in _TAKEN else name))
    return app


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"genesys {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Your Obsidian vault is Claude's memory."""
