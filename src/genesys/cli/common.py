"""What every command needs: the vault option, an open memory, output as text or JSON, progress."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

if TYPE_CHECKING:
    from genesys.engine.session import Genesys, Progress
    from genesys.settings import Settings

__all__ = [
    "JsonFlag",
    "VaultOption",
    "open_memory",
    "print_json",
    "print_lines",
    "progress_bar",
    "settings_for",
]

# json leaves these as they are: DEL and C1 controls, marks that turn text around, lone surrogates.
_UNSAFE = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

VaultOption = Annotated[
    Path | None,
    typer.Option(
        "--vault",
        "-v",
        help="The vault's folder (else GENESYS_VAULT, the enclosing vault, or Obsidian's only one).",
        show_default=False,
    ),
]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


def settings_for(vault: Path | None) -> Settings:
    """The settings of the vault a command is about; what had no effect is said on stderr."""
    from genesys.settings import load_settings

    settings = load_settings(vault)
    for notice in settings.notices:
        print(f"! {notice}", file=sys.stderr)
    return settings


@contextmanager
def open_memory(
    vault: Path | None,
    *,
    read_only: bool = False,
    missing_ok: bool = False,
    new_ok: bool = False,
    start: bool = False,
) -> Iterator[Genesys]:
    """The memory of a vault: its daemon's, where one runs (there is one writer), else opened here.

    ``new_ok`` is for commands that make an index where there is none; any other says so and leaves nothing
    behind. With ``start`` a daemon may be started, if the person's settings say so.
    """
    from genesys.starting import find

    settings = settings_for(vault)
    link = find(settings.vault, settings.index, start=start and settings.recall_daemon)
    if link is not None:
        from genesys.remote import Remote

        with Remote(link, settings) as far:
            yield cast("Genesys", far)
        return
    from genesys.engine.session import Genesys  # which who asks a daemon does without

    if not (new_ok or missing_ok or settings.index.exists()):
        read_only = True  # which says that there is none, and makes none
    with Genesys.open(settings, read_only=read_only, missing_ok=missing_ok) as memory:
        yield memory


def print_json(value: Any, *, indent: int | None = 2) -> None:
    """One JSON document on stdout, UTF-8 whatever the locale says.

    Characters that could drive a terminal are written as escapes, which JSON reads as the same text.
    """
    from genesys.render import as_json

    text = json.dumps(as_json(value), ensure_ascii=False, indent=indent, allow_nan=False)
    text = _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode() + b"\n")
    sys.stdout.buffer.flush()


def print_lines(lines: Iterable[str]) -> None:
    """Plain lines on stdout; rich is not loaded for what has no colour."""
    for line in lines:
        print(line)


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Progress]:
    """A bar with rate and time left on stderr, where that is a terminal; else nothing."""
    if quiet or not sys.stderr.isatty():
        yield lambda phase, done, total: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from genesys.render import console

    columns = (
        TextColumn("{task.description:<6}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console(stderr=True), transient=True) as bar:
        yield _updater(bar)


def _updater(bar: Any) -> Callable[[str, int, int], None]:
    tasks: dict[str, Any] = {}

    def update(phase: str, done: int, total: int) -> None:
        if phase not in tasks:
            tasks[phase] = bar.add_task(phase, total=total, rate="")
        task = bar.tasks[tasks[phase]]
        rate = f"{task.speed:.0f}/s" if task.speed else ""
        bar.update(tasks[phase], completed=done, total=total, rate=rate)

    return update
