"""One file of the vault, read and parsed: what the worker processes do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from genesys.errors import FileGone, VaultError
from genesys.model import FileRecord, FileStat, FileType, ParseOptions, Skipped
from genesys.vault import content_hash, read

__all__ = ["is_same", "read_record"]

CANVAS_BYTES = 50_000_000  # a canvas is JSON in memory; larger ones are not drawn by Obsidian either


def read_record(root: Path, stat: FileStat, options: ParseOptions) -> FileRecord | Skipped | None:
    """Read and parse one file. None where it vanished; a :class:`Skipped` where it can't be read.

    Where ``stat`` comes with a content hash and the bytes still have it, nothing is parsed and the record
    has neither note nor links.
    """
    if stat.type is FileType.ATTACHMENT:
        return FileRecord(stat)
    try:
        raw = read(root, stat.path)
    except FileGone:
        return None
    except VaultError as e:
        return Skipped(stat.path, e.message.removeprefix(stat.path).strip())
    digest = content_hash(raw)
    if digest == stat.content_hash:
        return FileRecord(stat)
    try:
        return _parsed(replace(stat, content_hash=digest), raw, options)
    except Exception as e:  # noqa: BLE001 - one note that trips the reader must not cost the others
        return Skipped(stat.path, f"can't be understood ({type(e).__name__}: {e}); please report it")


def is_same(root: Path, stat: FileStat) -> bool:
    """Whether the file's bytes still have the content hash that ``stat`` comes with."""
    try:
        return content_hash(read(root, stat.path)) == stat.content_hash
    except VaultError:
        return False


def _parsed(stat: FileStat, raw: bytes, options: ParseOptions) -> FileRecord:
    if stat.type is FileType.CANVAS:
        from genesys.parse.canvas import parse_canvas

        return FileRecord(stat, links=parse_canvas(stat.path, raw) if len(raw) <= CANVAS_BYTES else ())
    from genesys.parse.note import parse_note

    return FileRecord(stat, note=parse_note(stat.path, raw, options, stat.content_hash))
