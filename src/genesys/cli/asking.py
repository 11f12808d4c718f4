"""``recall`` and ``search``."""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from genesys.cli.common import JsonFlag, VaultOption, open_memory, print_json
from genesys.errors import UsageError
from genesys.model import Filters, Kind, Status

if TYPE_CHECKING:
    from genesys.engine.session import Genesys

__all__ = ["register"]

FolderOption = Annotated[str, typer.Option("--folder", help="Only notes below this folder.")]
TagOption = Annotated[str, typer.Option("--tag", help="Only notes with this tag (or one below it).")]
StatusOption = Annotated[list[Status] | None, typer.Option("--status", help="Only notes of this status.")]
KindOption = Annotated[Kind | None, typer.Option("--kind", help="Only a person's notes, or only memories.")]
SinceOption = Annotated[str, typer.Option("--since", help="Only notes created since (YYYY-MM-DD, or 7d).")]


def register(app: typer.Typer) -> None:
    app.command()(recall)
    app.command()(search)


def recall(
    query: Annotated[str, typer.Argument(help="A question, or a few words.")] = "",
    k: Annotated[int, typer.Option("-k", min=1, max=200, help="Notes to return.")] = 5,
    batch: Annotated[
        Path | None, typer.Option("--batch", help='Questions from a file, a line each: {"id", "query", "k"}.')
    ] = None,
    folder: FolderOption = "",
    tag: TagOption = "",
    status: StatusOption = None,
    kind: KindOption = None,
    since: SinceOption = "",
    read_only: Annotated[bool, typer.Option("--read-only", help="Leave no trace of the question.")] = False,
    vault: VaultOption = None,
    json: JsonFlag = False,
) -> None:
    """Ask the vault: the right notes, the passage, the reason and a link."""
    if (batch is None) == (not query.strip()):
        raise UsageError("recall takes a question, or --batch FILE", hint='genesys recall "why did we …"')
    filters = _filters(folder, tag, status, kind, since)
    with open_memory(vault, read_only=read_only) as memory:
        if batch is not None:
            _recall_batch(memory, batch, k, filters, read_only)
            return
        answer = memory.recall(query, k, filters, read_only=read_only)
    if json:
        print_json(answer)
        return
    from genesys.render import console, print_answer

    print_answer(console(), answer)


def _recall_batch(memory: Genesys, file: Path, k: int, filters: Filters, read_only: bool) -> None:
    """One answer line a question line; a bad line answers with its error and costs no other."""
    for number, line in _lines(file):
        if not line.strip():
            continue
        try:
            item = jsonlib.loads(line)
            query, count = str(item["query"]), int(item.get("k") or k)
        except (ValueError, KeyError, TypeError, AttributeError):
            print_json({"line": number, "error": 'not {"id", "query", "k"}'}, indent=None)
            continue
        answer = memory.recall(
            query,
            max(1, min(count, 1000)),
            filters,
            read_only=read_only,
            query_date=str(item.get("date") or ""),
        )
        row: dict[str, Any] = {
            "id": item.get("id"),
            "hits": answer.hits,
            "ms": round(answer.ms, 3),
            "signals": answer.signals,
        }
        print_json(row, indent=None)


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    if str(file) == "-":
        yield from enumerate(sys.stdin, 1)
        return
    try:
        with file.open(encoding="utf-8-sig", errors="replace") as source:
            yield from enumerate(source, 1)
    except OSError as e:
        raise UsageError(f"can't read {file}: {e.strerror}", hint="name a file of JSON lines") from e


def search(
    query: Annotated[str, typer.Argument(help="Words of a title or a passage; none lists the newest.")] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="Notes to list.")] = 20,
    folder: FolderOption = "",
    tag: TagOption = "",
    status: StatusOption = None,
    kind: KindOption = None,
    since: SinceOption = "",
    vault: VaultOption = None,
    json: JsonFlag = False,
) -> None:
    """List notes by words and filters; without words, the newest first."""
    with open_memory(vault, read_only=True) as memory:
        notes = memory.search(query, limit, _filters(folder, tag, status, kind, since))
    if json:
        print_json(notes)
        return
    from genesys.render import console, print_notes

    print_notes(console(), notes)


def _filters(folder: str, tag: str, status: list[Status] | None, kind: Kind | None, since: str) -> Filters:
    from genesys.cli.times import parse_since

    return Filters(
        statuses=tuple(status or ()),
        kinds=(kind,) if kind else (),
        tag=tag.lstrip("#"),
        folder=folder.strip("/"),
        since=parse_since(since) if since else None,
    )
