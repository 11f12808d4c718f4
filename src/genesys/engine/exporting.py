"""Memories to a file: everything, in our own formats, or as another program keeps them."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from genesys.bundles import write_file, write_folder, write_zip
from genesys.errors import UsageError, VaultError
from genesys.model import AccessKind, Json, Kind
from genesys.parcels import Foreign, NoteState, Parcel
from genesys.parse.exchange import own
from genesys.parse.exchange.folders import FOLDER_FORMATS, release
from genesys.parse.exchange.foreign_notes import foreign_of, native_of
from genesys.parse.exchange.records import RECORD_FORMATS, write_records
from genesys.parse.patch import unpatch
from genesys.paths import is_within
from genesys.reports import ExportReport
from genesys.settings import Settings
from genesys.store.index import Index
from genesys.store.rows import NoteRow
from genesys.vault import file_stat, read_and_hash

__all__ = ["FORMATS", "format_of", "parcels_of", "run"]

OWN_FORMATS = ("json", "jsonl", "markdown", "graphml")
FORMATS = (*OWN_FORMATS, "mcp-memory", "mem0", "papez", "basic-memory", "claude")
_BY_SUFFIX = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".graphml": "graphml",
    ".xml": "graphml",
    ".zip": "markdown",
    "": "markdown",
}
BATCH = 500  # notes held at once


def format_of(path: Path, wanted: str) -> str:
    """The format asked for, else what the file's extension says.

    Raises:
        UsageError: neither says one.
    """
    found = wanted or _BY_SUFFIX.get(path.suffix.lower(), "")
    if found not in FORMATS:
        raise UsageError(f"no format for {path.name}", hint=f"--format takes {', '.join(FORMATS)}")
    return found


def run(
    index: Index, settings: Settings, path: Path, kind: str, *, notes: bool = False, force: bool = False
) -> ExportReport:
    """Write all memories, with ``notes`` a person's notes too; as another program's, only memories.

    Raises:
        UsageError, WriteRefused, DiskFull: nothing was written.
        VaultError: a note went away meanwhile.
    """
    _check(settings, path, kind, notes)
    rows = _rows(index, settings, notes)
    memories = sum(row.kind is Kind.MEMORY for row in rows)
    if kind == "markdown" or kind in FOLDER_FORMATS:
        files = _markdown(index, settings, rows) if kind == "markdown" else _folder(settings, rows, kind)
        if path.suffix.lower() == ".zip":
            size = write_zip(path, files, force=force)
        else:
            size = write_folder(path, files, own.MANIFEST if kind == "markdown" else "", force=force)
    else:
        size = write_file(path, _parts(index, settings, rows, kind), force=force)
    return ExportReport(str(path), kind, len(rows) - memories, memories, size)


def _check(settings: Settings, path: Path, kind: str, notes: bool) -> None:
    """What would go wrong before anything is written."""
    if notes and kind not in OWN_FORMATS:
        raise UsageError(
            f"{kind} holds memories, not notes", hint=f"--notes goes with {', '.join(OWN_FORMATS)}"
        )
    folder = (kind == "markdown" or kind in FOLDER_FORMATS) and path.suffix.lower() != ".zip"
    if folder and is_within(os.path.realpath(path), os.path.realpath(settings.vault)):
        raise UsageError(
            f"{path} lies in the vault, and every note would be there twice",
            hint="name a folder outside of it",
        )


def _rows(index: Index, settings: Settings, notes: bool) -> list[NoteRow]:
    """Notes in the order of their paths, without those that opted out or are gone from the disk."""
    rows = [r for r in index.all_notes() if (notes or r.kind is Kind.MEMORY) and not r.opted_out]
    return sorted((r for r in rows if file_stat(settings.vault, r.path)), key=lambda row: row.path)


def _parts(index: Index, settings: Settings, rows: Sequence[NoteRow], kind: str) -> Iterable[str]:
    if kind in RECORD_FORMATS:
        return write_records(kind, _records(index, settings, rows, kind))
    found = parcels_of(index, settings, rows)
    if kind == "json":
        return own.json_parts(found, len(rows))
    return (own.jsonl_parts if kind == "jsonl" else own.graphml_parts)(found, len(rows))


def parcels_of(index: Index, settings: Settings, rows: Sequence[NoteRow]) -> Iterator[Parcel]:
    """Notes with everything about them, a few hundred in memory at once."""
    for start in range(0, len(rows), BATCH):
        batch = rows[start : start + BATCH]
        ids = [row.id for row in batch]
        tags = index.tags_of(ids)
        accesses, edges = defaultdict(list), defaultdict(list)
        for access in index.accesses_of(ids):
            accesses[access.note_id].append((access.time, access.kind, access.weight))
        for edge in index.edges_of(ids, direction="out"):
            edges[edge.source].append(edge)
        for row in batch:
            raw, stat = read_and_hash(settings.vault, row.path)
            yield Parcel(
                path=row.path,
                raw=raw,
                mtime_ns=stat.mtime_ns,
                title=row.title,
                tags=tags.get(row.id, ()),
                properties=_properties(raw),
                state=_state(row, tuple(accesses[row.id])),
                edges=tuple(edges[row.path]),
            )


def _state(row: NoteRow, accesses: tuple[tuple[float, AccessKind, float], ...]) -> NoteState:
    return NoteState(
        kind=row.kind,
        status=row.status,
        score=row.score,
        factors=row.factors,
        pinned=row.pinned,
        core=row.core,
        recalls=row.recalls,
        last_recalled=row.last_recalled,
        first_seen=row.first_seen,
        changed_at=row.changed_at,
        status_since=row.status_since,
        accesses=accesses,
    )


def _markdown(index: Index, settings: Settings, rows: Sequence[NoteRow]) -> Iterator[tuple[str, bytes]]:
    """The notes as files, then the manifest: a folder that was cut short has none."""
    manifest = []
    for parcel in parcels_of(index, settings, rows):
        manifest += list(own.jsonl_parts([parcel], len(rows), text=False))[1:]
        yield parcel.path, parcel.raw
    yield own.MANIFEST, "".join([*own.jsonl_parts([], len(rows)), *manifest]).encode()


def _folder(settings: Settings, rows: Sequence[NoteRow], kind: str) -> Iterator[tuple[str, bytes]]:
    """Files as that program had them; other memories as they are, below a folder of their own."""
    base = settings.memories_folder.strip("/") + "/"
    for row in rows:
        raw, _ = read_and_hash(settings.vault, row.path)
        values = _properties(raw)
        if values.get("import_from") == kind:
            yield str(values["import_id"]), release(unpatch(raw).decode("utf-8")).encode()
        else:
            yield "genesys/" + row.path.removeprefix(base), unpatch(raw)


def _properties(raw: bytes) -> dict[str, Json]:
    from genesys.parse.frontmatter import load, split

    text = raw.decode("utf-8", "replace")
    block = split(text)
    return (load(block).values if block else None) or {}


# ------------------------------------------------------------------ as another program's records


def _records(index: Index, settings: Settings, rows: Sequence[NoteRow], kind: str) -> list[Foreign]:
    """Memories as records: those of that program as it had them, others as it would have them."""
    texts = {row.path: _text(settings, row.path) for row in rows}
    values = {path: _properties(text.encode()) for path, text in texts.items()}
    taken: set[str] = set()
    ids: dict[str, str] = {}
    for row in rows:
        mine = values[row.path]
        imported = mine.get("import_from") == kind
        wanted = str(mine.get("import_id")) if imported else _native_id(kind, row, mine, taken)
        if imported and "import_id_json" in mine:
            wanted = foreign_of(texts[row.path], lambda text: None).id
        taken.add(wanted)
        ids[row.path] = wanted
    found = []
    for row in rows:
        leads = {link.target: ids.get(link.target_path or "") for link in index.links_from(row.id)}
        if values[row.path].get("import_from") == kind:
            found.append(foreign_of(texts[row.path], leads.get))
        else:
            found.append(native_of(kind, ids[row.path], row.title, texts[row.path], leads.get))
    return _grouped(found)


def _text(settings: Settings, path: str) -> str:
    raw, _ = read_and_hash(settings.vault, path)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise VaultError(f"{path} is not UTF-8", hint="save it as UTF-8, or export as json") from None


def _native_id(kind: str, row: NoteRow, values: dict[str, Json], taken: set[str]) -> str:
    if kind != "mcp-memory":
        return str(values.get("memory_id") or row.path)
    return row.title if row.title not in taken else row.path


def _grouped(found: list[Foreign]) -> list[Foreign]:
    """Records without a user join the first one's, where a file knows users."""
    first = next((item.group for item in found if item.group), "")
    return [item if item.group else replace(item, group=first) for item in found]
