"""What an import would write: a place, a text and a state for each note. Nothing is written here."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime

from genesys.engine.import_sources import Source
from genesys.errors import UsageError, VaultError
from genesys.ignore import is_hidden
from genesys.model import Edge, Kind, Skipped
from genesys.parcels import Foreign, NoteState
from genesys.parse.exchange.drafts import draft_of
from genesys.parse.exchange.folders import adopt, release
from genesys.parse.exchange.foreign_notes import foreign_note, foreign_of
from genesys.parse.exchange.values import same
from genesys.parse.frontmatter import load, split
from genesys.parse.inline import scan
from genesys.parse.memory_text import memory_key
from genesys.parse.patch import unpatch
from genesys.parse.secrets import find_secret
from genesys.parse.text import name_key
from genesys.paths import check_path, safe_name, unique_path
from genesys.settings import Settings
from genesys.store.index import Index
from genesys.vault import file_stat, read

__all__ = ["Item", "Plan", "make_plan"]

_LINK = re.compile(rb"\[\[[^\[\]\n]*\]\]")


@dataclass(frozen=True, slots=True)
class Item:
    """One note of the plan. ``there``: the file stands already; ``known``: the index has it too."""

    path: str
    raw: bytes = b""
    mtime_ns: int = 0
    there: bool = False
    known: bool = False
    state: NoteState | None = None
    edges: tuple[Edge, ...] = ()


@dataclass(slots=True)
class Plan:
    """What an import would do; filled before anything is written."""

    index: Index
    settings: Settings
    source: Source
    items: list[Item] = field(default_factory=list)
    refused: list[Skipped] = field(default_factory=list)
    differs: list[str] = field(default_factory=list)
    renamed: list[tuple[str, str]] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)  # names given in this plan, as a disk may compare them
    salt: str = ""

    def raw_of(self, path: str) -> bytes | None:
        """What stands at a place of the vault now; None where nothing does."""
        with suppress(VaultError):
            return read(self.settings.vault, path)
        return None

    def find(self, key: str) -> str:
        """Where the memory with this key is; "" where the index knows none."""
        paths = self.index.notes_by_property("memory_id", key) if key else []
        return next((p for p in paths if file_stat(self.settings.vault, p)), "")

    def place(self, path: str, is_ours: Callable[[bytes], bool]) -> tuple[str, bool]:
        """A free path for a note, and whether it stands there already."""
        found = ""

        def is_taken(candidate: str) -> bool:
            nonlocal found
            if candidate.casefold() in self.taken:
                return True
            raw = self.raw_of(candidate)
            if raw is None:
                return os.path.lexists(self.settings.vault / candidate)
            if is_ours(raw):
                found = candidate
                return False
            return True

        free = unique_path(path, is_taken)
        self.taken.add(free.casefold())
        return free, free == found


def make_plan(index: Index, settings: Settings, source: Source, base: str, now: float) -> Plan:
    """The plan for a source; ``base`` is the folder asked for, or "".

    Raises:
        UsageError, PathEscape: a note would go where none may be.
    """
    plan = Plan(index, settings, source, refused=list(source.refused), salt=f"import {source.format} {base}")
    _plan_parcels(plan, base)
    base = base or f"{settings.memories_folder.strip('/')}/{source.format}"
    _plan_records(plan, base, now)
    _plan_files(plan, base)
    return plan


def _properties(text: str) -> dict[str, object]:
    block = split(text)
    return dict((load(block).values if block else None) or {})


def _key_in(raw: bytes) -> str:
    key = _properties(raw.decode("utf-8", "replace")).get("memory_id")
    return key if isinstance(key, str) else ""


# ------------------------------------------------------------------ our own exports


def _plan_parcels(plan: Plan, base: str) -> None:
    moved: dict[str, str] = {}
    for parcel in plan.source.parcels:
        text = parcel.raw.decode("utf-8", "replace")
        if parcel.state.kind is Kind.MEMORY and (what := find_secret(text)):
            plan.refused.append(Skipped(parcel.path, f"looks like {what}"))
            continue
        wanted = check_path(f"{base}/{parcel.path}" if base else parcel.path)
        if is_hidden(wanted) or wanted[-3:].lower() != ".md":
            raise UsageError(f"{parcel.path} is no place for a note", hint="nothing was changed")
        key = _key_in(parcel.raw) if parcel.state.kind is Kind.MEMORY else ""
        bare = _bare(parcel.raw)
        path = plan.find(key)
        there = bool(path)
        if not there:
            path, there = plan.place(wanted, lambda raw, key=key, bare=bare: _is_it(raw, key, bare))  # type: ignore[misc]
        if path != parcel.path:
            moved[parcel.path] = path
        if path != wanted:
            plan.renamed.append((parcel.path, path))
        known = there and plan.index.note_id(path) is not None
        item = Item(path, parcel.raw, parcel.mtime_ns, there, known, parcel.state, parcel.edges)
        plan.items.append(item)
    if moved:
        plan.items = [_with_links_moved(item, moved) for item in plan.items]
    for item in plan.items:
        if item.known and _bare(plan.raw_of(item.path) or b"") != _bare(item.raw):
            plan.differs.append(item.path)


def _is_it(raw: bytes, key: str, bare: bytes) -> bool:
    """Whether a file of the vault is the note: a memory by its key, a person's by its words. Links may have
    been moved when it came in."""
    return (bool(key) and _key_in(raw) == key) or _LINK.sub(b"", _bare(raw)) == _LINK.sub(b"", bare)


def _bare(raw: bytes) -> bytes:
    """The note without what Genesys writes into it: that changes by itself."""
    with suppress(VaultError):
        return unpatch(raw)
    return raw


def _with_links_moved(item: Item, moved: dict[str, str]) -> Item:
    """Links and edges that named a note by its old place or name name it by the new."""
    edges = tuple(replace(e, source=item.path, target=moved.get(e.target, e.target)) for e in item.edges)
    names: dict[str, str] = {}
    for old, new in moved.items():
        names[old[:-3]] = new[:-3]
        if old.rpartition("/")[2] != new.rpartition("/")[2]:
            names[old.rpartition("/")[2][:-3]] = new[:-3]
    try:
        text = item.raw.decode("utf-8")
    except UnicodeDecodeError:
        return replace(item, edges=edges)
    parts, at = [], 0
    for link in scan(text).links:
        new_name = names.get(link.target.removesuffix(".md"))
        start = text.find(link.target, link.start, link.end)
        if new_name is None or start < 0 or not text.startswith(("[[", "![["), link.start):
            continue
        parts += [text[at:start], new_name]
        at = start + len(link.target)
    return replace(item, edges=edges, raw="".join([*parts, text[at:]]).encode())


# ------------------------------------------------------------------ records of other programs


def _plan_records(plan: Plan, base: str, now: float) -> None:
    """A path for every record first, since their notes link to each other."""
    kind = plan.source.format
    wanted: list[tuple[Foreign, str, str, bool]] = []
    for item in plan.source.records:
        what = find_secret(_all_text(item))
        if what:
            plan.refused.append(Skipped(item.id[:200], f"looks like {what}"))
            continue
        key = memory_key(plan.salt, f"{item.group}\x1f{item.id}")
        path = plan.find(key)
        there = bool(path)
        if not there:
            title = item.id if item.record is None else draft_of(kind, item.id, item.record).title
            name = safe_name(title, "Memory")
            path, there = plan.place(f"{base}/{name}.md", lambda raw, key=key: _key_in(raw) == key)  # type: ignore[misc]
            if path != f"{base}/{name}.md":
                plan.renamed.append((f"{name}.md", path))
        wanted.append((item, key, path, there))
    texts = _link_texts(plan, [path for _, _, path, _ in wanted])
    where = {(item.group, item.id): texts[path] for item, _, path, _ in wanted}
    ids: dict[str, dict[str, str]] = {}
    for (group, name), text in where.items():
        ids.setdefault(group, {})[text] = name
    created = datetime.fromtimestamp(min(plan.source.mtime_ns / 1e9, now)).astimezone()
    day = created.replace(microsecond=0, tzinfo=None).isoformat()
    for item, key, path, there in wanted:
        known = there and plan.index.note_id(path) is not None
        if known and _says_other(plan, item, path):
            plan.differs.append(path)
        links = [where.get((item.group, link.target), link.target) for link in item.links]
        raw = foreign_note(kind, item, key, day, links, ids[item.group].get).encode() if not there else b""
        plan.items.append(Item(path, raw, 0, there, known))


def _all_text(item: Foreign) -> str:
    record = "" if item.record is None else json.dumps(item.record, ensure_ascii=False)
    return f"{item.id}\n{record}".replace("\\n", "\n").replace('\\"', '"')


def _says_other(plan: Plan, item: Foreign, path: str) -> bool:
    """Whether a note that was imported before says something else than the file does now."""
    text = (plan.raw_of(path) or b"").decode("utf-8", "replace")
    return not same(foreign_of(text, lambda name: None).record, item.record)


def _link_texts(plan: Plan, paths: Sequence[str]) -> dict[str, str]:
    """The shortest text that names each path: its name where no other file, here or there, has it."""
    counts: dict[str, int] = {}
    for path in paths:
        counts[name_key(path)] = counts.get(name_key(path), 0) + 1
    texts = {}
    for path in paths:
        others = [p for p in plan.index.paths_by_key(name_key(path)) if p != path]
        alone = counts[name_key(path)] == 1 and not others
        texts[path] = path[:-3].rpartition("/")[2] if alone else path[:-3]
    return texts


# ------------------------------------------------------------------ folders of other programs


def _plan_files(plan: Plan, base: str) -> None:
    for file in plan.source.files:
        if what := find_secret(file.text):
            plan.refused.append(Skipped(file.id, f"looks like {what}"))
            continue
        key = _key_in(file.text.encode()) or memory_key(plan.salt, file.id)
        path = plan.find(key)
        there = bool(path)
        if not there:
            folders = [safe_name(part, "folder") for part in file.id.split("/")[:-1]]
            name = safe_name(file.id.rpartition("/")[2][:-3], "Memory")
            wanted = "/".join([base, *folders, f"{name}.md"])
            path, there = plan.place(wanted, lambda raw, key=key: _key_in(raw) == key)  # type: ignore[misc]
            if path != wanted:
                plan.renamed.append((file.id, path))
        known = there and plan.index.note_id(path) is not None
        if known and release(_bare(plan.raw_of(path) or b"").decode("utf-8", "replace")) != file.text:
            plan.differs.append(path)
        raw = adopt(plan.source.format, key, file.id, file.text).encode()
        mtime = (plan.source.times or {}).get(file.id, 0)
        plan.items.append(Item(path, raw, mtime, there, known))
