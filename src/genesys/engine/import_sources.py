"""What a file or folder holds: its format found out, all of it read and checked, nothing written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from genesys.bundles import Bundle, open_bundle
from genesys.errors import UsageError
from genesys.model import Skipped
from genesys.parcels import Adopted, Foreign, Parcel
from genesys.parse.exchange import own
from genesys.parse.exchange.folders import FOLDER_FORMATS, readable
from genesys.parse.exchange.records import RECORD_FORMATS, read_records
from genesys.parse.exchange.values import MAX_RECORDS
from genesys.parse.frontmatter import load, split

__all__ = ["SOURCES", "Source", "read_source"]

SOURCES = ("json", "jsonl", "markdown", "graphml", "mcp-memory", "basic-memory", "claude", "mem0", "papez")
_OWN = ("json", "jsonl", "graphml")
_LOOK = 200  # files of a folder that are looked at to tell whose it is


@dataclass(frozen=True, slots=True)
class Source:
    """One of ``parcels``, ``records`` and ``files`` is filled; ``times`` are the files' own, by their id."""

    format: str
    mtime_ns: int
    parcels: tuple[Parcel, ...] = ()
    records: tuple[Foreign, ...] = ()
    files: tuple[Adopted, ...] = ()
    times: Mapping[str, int] | None = None
    refused: tuple[Skipped, ...] = ()
    left_out: int = 0


def read_source(path: Path, wanted: str, limit: int = MAX_RECORDS) -> Source:
    """Read and check a whole source; ``wanted`` is a format, or "auto".

    Raises:
        UsageError: what is wrong with it, and where.
    """
    if wanted not in (*SOURCES, "auto"):
        raise UsageError(f"no format is called {wanted!r}", hint=f"--from takes auto, {', '.join(SOURCES)}")
    bundle = open_bundle(path, limit, keep=(own.MANIFEST,))
    kind = _detect(bundle) if wanted == "auto" else wanted
    if bundle.is_folder != (kind in FOLDER_FORMATS):
        other = "a folder or zip archive" if kind in FOLDER_FORMATS else "a file"
        raise UsageError(
            f"{kind} is read from {other}, and {bundle.name} is none", hint="name another --from"
        )
    if bundle.is_folder:
        return _folder(bundle, kind, limit)
    if kind in RECORD_FORMATS:
        return Source(kind, bundle.mtime_ns, records=read_records(kind, bundle.lines(), limit))
    if kind == "jsonl":
        found = own.read_jsonl(bundle.lines(), limit)
    else:
        found = (own.read_json if kind == "json" else own.read_graphml)(bundle.text(), limit)
    return Source(kind, bundle.mtime_ns, parcels=found)


def _detect(bundle: Bundle) -> str:
    """The format of a source, by what it holds.

    Raises:
        UsageError: it looks like none.
    """
    if bundle.is_folder:
        return _detect_folder(bundle.files)
    first = next((line.strip() for line in bundle.lines() if line.strip()), "")
    if first.startswith("<"):
        return "graphml"
    row = _object(first)
    if isinstance(row, dict) and "genesys_export" in row and "notes" not in row:
        return "jsonl"
    if isinstance(row, dict) and row.get("type") in ("entity", "relation"):
        return "mcp-memory"
    found = _detect_json(_object(bundle.text()))
    if not found:
        raise UsageError(
            f"{bundle.name} is in no format that is known here", hint=f"--from {'|'.join(SOURCES)}"
        )
    return found


def _object(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _detect_json(value: Any) -> str:
    if isinstance(value, list):
        return "mem0"
    if not isinstance(value, dict):
        return ""
    if "genesys_export" in value:
        return "json"
    if isinstance(value.get("results"), list) or isinstance(value.get("memories"), list):
        return "mem0"
    stores = [value, *value.values()]
    return "papez" if any(isinstance(s, dict) and isinstance(s.get("nodes"), dict) for s in stores) else ""


def _detect_folder(files: Mapping[str, bytes]) -> str:
    if own.MANIFEST in files:
        return "markdown"
    if "MEMORY.md" in files:
        return "claude"
    for raw in list(files.values())[:_LOOK]:
        block = split(raw[:20_000].decode("utf-8", "replace"))
        if block and "permalink" in (load(block).values or {}):
            return "basic-memory"
    return "markdown"


def _folder(bundle: Bundle, kind: str, limit: int) -> Source:
    files = dict(bundle.files)
    manifest = files.pop(own.MANIFEST, None)
    if manifest is not None and kind == "markdown":
        lines = Bundle(own.MANIFEST, 0, manifest).lines()
        found = own.read_manifest(lines, files, limit)
        more = len(files) - len(found)
        return Source(kind, bundle.mtime_ns, parcels=found, left_out=bundle.left_out + more)
    taken: list[Adopted] = []
    refused: list[Skipped] = []
    for path, raw in files.items():
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            refused.append(Skipped(path, "not UTF-8"))
            continue
        problem = "holds NUL bytes" if "\0" in text else readable(text)
        if problem:
            refused.append(Skipped(path, problem))
        else:
            taken.append(Adopted(path, text))
    return Source(
        kind,
        bundle.mtime_ns,
        files=tuple(taken),
        times=bundle.times,
        refused=tuple(refused),
        left_out=bundle.left_out,
    )
