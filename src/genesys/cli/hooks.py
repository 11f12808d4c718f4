"""``hook``, as a person meets it: help, and why nothing happens at a terminal."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from genesys.cli.common import VaultOption
from genesys.errors import UsageError

__all__ = ["hook"]


def hook(
    name: Annotated[
        Literal["session-start", "user-prompt", "stop", "pre-compact"], typer.Argument(help="Which hook.")
    ],
    vault: VaultOption = None,
) -> None:
    """What Claude Code's hooks call; see setup --hooks.

    Reads the hook's JSON on standard input, answers on standard output. Whatever goes wrong, it says nothing
    and exits 0, so that no prompt is ever held up; GENESYS_DEBUG=1 shows why.
    """
    raise UsageError(
        f"Claude Code calls the hook {name}, with JSON on standard input",
        hint=f'echo \'{{"prompt": "…"}}\' | genesys hook {name}',
    )
