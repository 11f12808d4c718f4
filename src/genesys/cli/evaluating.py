"""``eval``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from genesys.cli.common import JsonFlag, VaultOption, print_json, print_lines, progress_bar, settings_for
from genesys.errors import UsageError

__all__ = ["eval_"]


def eval_(
    pairs: Annotated[
        Path | None,
        typer.Argument(
            help="Pairs of question and note (CSV, TSV or JSON lines); without, made from the vault's links.",
            show_default=False,
        ),
    ] = None,
    n: Annotated[int, typer.Option("--n", min=1, max=5_000, help="Questions to make from links.")] = 200,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Which links are drawn.")] = 7,
    k: Annotated[int, typer.Option("--k", min=1, max=100, help="Notes within which --signals counts.")] = 10,
    signals: Annotated[
        bool, typer.Option("--signals", help="Switch each signal off in turn (some 20 times as long).")
    ] = False,
    vault: VaultOption = None,
    json: JsonFlag = False,
) -> None:
    """Measure how well recall finds the right note in this vault.

    Beside it words alone and meaning alone. Reads only, in a process of its own; a running daemon is not
    asked. Without PAIRS the sentence around a link, without the link, must find the note it linked to.
    """
    from genesys.engine.session import Genesys

    given = None if pairs is None else (_text(pairs), pairs.suffix.lower().lstrip("."))
    with Genesys.open(settings_for(vault), read_only=True) as memory, progress_bar(json) as progress:
        report = memory.evaluate(given, n=n, seed=seed, k=k, signals=signals, progress=progress)
    if json:
        print_json(report)
        return
    from genesys.render_eval import eval_lines

    print_lines(eval_lines(report))


def _text(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8")
    except OSError as e:
        raise UsageError(f"can't read {file}: {e.strerror}", hint="name a file of pairs") from e
    except UnicodeDecodeError as e:
        raise UsageError(f"{file} is not UTF-8", hint="save it as UTF-8") from e
