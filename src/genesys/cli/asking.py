"""``recall`` and ``search``."""

from __future__ import annotations

import contextlib
import json as jsonlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from genesys.cli.common import JsonFlag, VaultOption, open_memory, print_json
from genesys.errors import UsageError
from genesys.model import Filters, Kind, Status

if TYPE_CHECKING:
    from genesys.engine.session import Genesys

__all__ = ["recall", "search"]

MAX_K = 1_000  # notes a line of a batch may ask for

FolderOption = Annotated[str, typer.Option("--folder", help="Only notes below this folder.")]
TagOption = Annotated[str, typer.Option("--tag", help="Only notes with this tag (or one below it).")]
StatusOption = Annotated[list[Status] | None, typer.Option("--status", help="Only notes of this status.")]
KindOption = Annotated[Kind | None, typer.Option("--kind", help="Only a person's notes, or only memories.")]
SinceOption = Annotated[str, typer.Option("--since", help="Only notes created since (YYYY-MM-DD, or 7d).")]


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
    """Ask the vault: the right notes, the passage, the reason, a link."""
    if (batch is None) == (not query.strip()):
        raise UsageError("recall takes a question, or --batch FILE", hint='genesys recall "why did we …"')
    filters = _filters(folder, tag, status, kind, since)
    with open_memory(vault, read_only=read_only, start=True) as memory:
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
            item = _item(line, k)
        except _BadLine as e:
            print_json({**e.id, "line": number, "error": str(e)}, indent=None)
            continue
        answer = memory.recall(item.query, item.k, filters, read_only=read_only, query_date=item.date)
        row: dict[str, Any] = {
            "id": item.id,
            "hits": answer.hits,
            "ms": round(answer.ms, 3),
            "signals": answer.signals,
        }
        print_json(row, indent=None)


@dataclass(frozen=True, slots=True)
class _Item:
    """A line of a batch; the id is handed back as it came."""

    id: Any
    query: str
    k: int
    date: str


def _item(line: str, k: int) -> _Item:
    """The question of a line.

    Raises:
        _BadLine: it is no question; the message says what is wrong with it.
    """
    try:
        data = jsonlib.loads(line)
    except (ValueError, RecursionError) as e:
        raise _BadLine({}, "not JSON" if isinstance(e, RecursionError) else f"not JSON: {e}") from e
    if not isinstance(data, dict):
        raise _BadLine({}, 'not an object: {"id", "query", "k"}')
    id = {"id": data["id"]} if "id" in data else {}
    query, date = data.get("query"), data.get("date") or ""
    if not isinstance(query, str):
        raise _BadLine(id, "query is not a text" if "query" in data else "there is no query")
    if not isinstance(date, str):
        raise _BadLine(id, "date is not a text")
    try:
        count = k if data.get("k") is None else int(data["k"])
    except (ValueError, TypeError, OverflowError) as e:
        raise _BadLine(id, "k is not a whole number") from e
    return _Item(data.get("id"), query, max(1, min(count, MAX_K)), date)


class _BadLine(Exception):
    """A line of a batch that is no question; ``id`` is the line's, where it has one."""

    def __init__(self, id: dict[str, Any], message: str) -> None:
        super().__init__(message)
        self.id = id


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    """Numbered lines of UTF-8, whatever the locale; - is standard input."""
    try:
        with contextlib.ExitStack() as stack:
            source = sys.stdin.buffer if str(file) == "-" else stack.enter_context(file.open("rb"))
            for number, line in enumerate(source, 1):
                yield number, line.decode("utf-8-sig" if number == 1 else "utf-8", "replace")
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
    """List notes by words and filters, or those last used."""
    filters = _filters(folder, tag, status, kind, since)
    with open_memory(vault, read_only=True) as memory:
        notes = memory.search(query, limit, filters)
        unmet = () if notes else memory.unmet(filters)
    for line in unmet:
        print(f"! {line}", file=sys.stderr)
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
