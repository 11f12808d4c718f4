"""``digest`` and ``infer``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from genesys.cli.common import JsonFlag, VaultOption, open_memory, print_json, print_lines, progress_bar
from genesys.errors import UsageError

__all__ = ["digest", "infer"]

OnlyOption = Annotated[str, typer.Option("--only", help="Numbers of the proposals meant: 1,3 or 2-5.")]
MAX_NUMBER = 100_000


def digest(
    files: Annotated[
        list[Path],
        typer.Argument(help="Sessions of Claude Code, exports of ChatGPT or Claude, or text with turns."),
    ],
    apply: Annotated[
        bool, typer.Option("--apply", help="Store the conversation and the proposals as memories.")
    ] = False,
    only: OnlyOption = "",
    rules: Annotated[
        bool, typer.Option("--rules", help="Ask no language model, even if a setting names one.")
    ] = False,
    vault: VaultOption = None,
    json: JsonFlag = False,
) -> int:
    """Propose what of a conversation is worth remembering.

    Decisions, preferences, facts, errors and their fixes. Nothing is stored without --apply.
    """
    from genesys.engine.digest import digest as run
    from genesys.engine.digest_llm import chat_of

    numbers = numbers_of(only)
    with (
        open_memory(vault, read_only=not apply, missing_ok=not apply, new_ok=apply) as memory,
        progress_bar(json) as progress,
    ):
        chat = None if rules else chat_of(memory.settings)
        report = run(memory, files, apply=apply, only=numbers, chat=chat, progress=progress)
    if json:
        print_json(report)
    else:
        from genesys.render_digest import digest_lines

        print_lines(digest_lines(report))
    return 1 if report.failed or not (report.conversations or only) else 0


def infer(
    apply: Annotated[
        bool, typer.Option("--apply", help="Keep edges in the index and summaries as memories.")
    ] = False,
    only: OnlyOption = "",
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=1000, help="Newest memories to ask about.")
    ] = 30,
    undo: Annotated[bool, typer.Option("--undo", help="Take all edges that were kept so out again.")] = False,
    vault: VaultOption = None,
    json: JsonFlag = False,
) -> int:
    """Ask a language model for causes among memories, and summaries.

    For contradictions too. Needs GENESYS_LLM_URL and GENESYS_LLM_MODEL. Nothing is stored without --apply.
    """
    from genesys.engine.digest_llm import chat_of

    numbers = numbers_of(only)
    with open_memory(vault, read_only=not (apply or undo)) as memory, progress_bar(json) as progress:
        if undo:
            gone = memory.drop_inferred()
            print_json({"dropped": gone}) if json else typer.echo(f"{gone} inferred edges taken out")
            return 0
        chat = chat_of(memory.settings)
        if chat is None:
            hint = "set GENESYS_LLM_URL and GENESYS_LLM_MODEL; without them nothing is ever asked"
            raise UsageError("infer asks a language model, and no setting names one", hint=hint)
        from genesys.engine.infer import infer as run

        report = run(memory, chat, apply=apply, only=numbers, limit=limit, progress=progress)
    if json:
        print_json(report)
    else:
        from genesys.render_digest import infer_lines

        print_lines(infer_lines(report))
    return 1 if report.failed else 0


def numbers_of(text: str) -> frozenset[int]:
    """``1,3,5-7`` as numbers; nothing for "".

    Raises:
        UsageError: it is no such list.
    """
    found: set[int] = set()
    for part in filter(None, re.split(r"[,\s]+", text)):
        match = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", part)
        first = int(match[1]) if match else 0
        last = int(match[2] or first) if match else 0
        if not 1 <= first <= last <= MAX_NUMBER:
            raise UsageError(f"{part!r} is no number of a proposal", hint="say --only 1,3 or --only 2-5")
        found.update(range(first, last + 1))
    return frozenset(found)
