"""Near-duplicate memories: found by their vectors, judged by their words, merged without a loss.

One that says, statement by statement, nothing that another does not say goes to the trash, and its uses count
for the one that stays. Where each says something of its own, a new memory holds both texts; that is done only
when asked for, since two facts may be alike and better apart. What contradicts is left for a person.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from genesys.engine import inferring
from genesys.engine.embedding import model_of
from genesys.engine.forgetting import trash_note, undo_forget
from genesys.engine.indexing import resolve_links
from genesys.engine.likeness import MOST, near_pairs
from genesys.engine.maintain import is_ours
from genesys.engine.memory import Request, note_row_of, remember
from genesys.engine.names import resolve_name
from genesys.engine.proposing import Memories, proposal
from genesys.engine.writeback import wanted_values, write_now
from genesys.errors import WriteRefused
from genesys.model import CreatedBy, Json
from genesys.parse.conflicts import conflict
from genesys.parse.frontmatter import load, split
from genesys.parse.memory_text import content_of
from genesys.parse.statements import says_all
from genesys.reports import EvolveKind, Proposal
from genesys.settings import Settings
from genesys.store.index import Index
from genesys.store.rows import AccessRow, EventRow, NoteRow, StateChange
from genesys.trash import restore
from genesys.vault import file_stat, read
from genesys.write import uncreate

__all__ = ["join", "merge", "proposals", "unjoin", "unmerge"]

MERGE_LEAST = 0.7  # cosine from which words are compared; it is they that decide on a merge
NAMES = "genesys_supersedes"  # the property that names what went into a memory
_TYPED = (CreatedBy.FIELD, CreatedBy.PROPERTY, CreatedBy.TOOL)


@dataclass(frozen=True, slots=True)
class _Side:
    """A memory as merging sees it. ``links`` are its typed links as (type, path)."""

    row: NoteRow
    content: str
    links: frozenset[tuple[str, str]]
    linked: frozenset[str]
    tags: frozenset[str]


def proposals(index: Index, settings: Settings, memories: Memories) -> tuple[list[Proposal], list[str]]:
    """Pairs of memories that say nearly the same, each memory in one of them; and lines for the reader."""
    model = index.serving_model(model_of(settings)[0])
    if model is None:
        return [], ["near-duplicates can't be looked for: nothing is embedded yet"]
    found: list[Proposal] = []
    taken: set[int] = set()
    sides: dict[int, _Side | None] = {}
    least = min(MERGE_LEAST, settings.evolve_likeness)
    for first, second, cosine in near_pairs(index, model, memories.rows, least):
        if first in taken or second in taken:
            continue
        for note in (first, second):
            if note not in sides:
                sides[note] = _side(index, settings, memories.rows[note])
        one, other = sides[first], sides[second]
        made = _judged(one, other, cosine, settings.evolve_likeness) if one and other else None
        if made:
            found.append(made)
            taken |= {first, second}
    many = len(memories.rows) > MOST
    return found, [f"of the memories only the newest {MOST:,} were compared"] if many else []


def _side(index: Index, settings: Settings, row: NoteRow) -> _Side | None:
    """None where a person had a hand in it: what they wrote stays as and where it is."""
    if row.refuse_write or not is_ours(row, index, settings):
        return None
    content = content_of(read(settings.vault, row.path).decode("utf-8", "replace"))
    typed = [e for e in index.edges_of([row.id]) if e.source == row.path and e.created_by in _TYPED]
    return _Side(
        row,
        content or "",
        frozenset((e.type.value, e.target) for e in typed),
        frozenset(link.source for link in index.links_to(row.id)),
        frozenset(index.tags_of([row.id]).get(row.id, ())),
    )


def _judged(one: _Side, other: _Side, cosine: float, alike: float) -> Proposal | None:
    """What may become of two memories that are alike; None where they are better left alone."""
    if one.row.path in other.linked or other.row.path in one.linked or not (one.content and other.content):
        return None  # whoever linked one to the other meant two
    for kept, gone in sorted([(one, other), (other, one)], key=lambda pair: _weight(pair[0]), reverse=True):
        if _swallows(kept, gone):
            reason = f"says all that the other says (likeness {cosine:.2f})"
            return proposal(EvolveKind.MERGE, kept.row.path, reason, gone.row.path)
    newer, older = sorted((one, other), key=lambda side: (-side.row.created_at, side.row.path))
    lone = not (one.linked or other.linked or one.row.pinned or other.row.pinned)
    if cosine < alike or not lone or conflict(newer.content, older.content):
        return None
    reason = f"alike (likeness {cosine:.2f}), but each says something of its own; look before you join them"
    return proposal(EvolveKind.JOIN, newer.row.path, reason, older.row.path, sure=False)


def _weight(side: _Side) -> tuple[bool, int, int, float, str]:
    """Which of two to keep: pinned, linked to, recalled more, newer."""
    row = side.row
    return row.pinned, len(side.linked), row.recalls, row.created_at, row.path


def _swallows(kept: _Side, gone: _Side) -> bool:
    """Whether nothing would be missed: no statement, typed link, tag, category, pin, nor a link to it."""
    return (
        not gone.linked
        and not gone.row.pinned
        and gone.links <= kept.links
        and gone.tags <= kept.tags
        and gone.row.category in ("", kept.row.category)
        and gone.row.memory_type in (None, kept.row.memory_type)
        and says_all(kept.content, gone.content)
    )


# ------------------------------------------------------------------ one goes into the other


def merge(index: Index, settings: Settings, proposal: Proposal, now: float) -> Mapping[str, Json]:
    """The other one goes to the trash; its uses count for the one that stays, which names it.

    Raises:
        VaultError: it was changed meanwhile, or can't be moved.
    """
    kept, gone = note_row_of(index, proposal.path), note_row_of(index, proposal.other)
    _check_ours(index, settings, gone)
    uses = index.accesses_of([gone.id])
    trashed = trash_note(index, settings, gone, "merge", f"merged into {kept.path}", now, refresh=False)
    try:
        _hand_on(index, kept, [gone], uses, now)
        resolve_links(index)
        inferring.refresh(index)
        _name(index, settings, kept.path, [gone.title], now)
    except BaseException:
        restore(settings.vault, trashed.trashed_to, gone.path)
        raise
    return {
        "gone": [gone.path],
        "trash": [_number(trashed.undo)],
        "recalls": gone.recalls,
        "uses": _told(uses),
    }


def _check_ours(index: Index, settings: Settings, row: NoteRow) -> None:
    if not is_ours(row, index, settings):
        raise WriteRefused(f"{row.path} was edited by a person", hint="leave it, or amend it")


def _number(undo: str) -> int:
    """The event's number in the words of an undo."""
    return int(undo.rpartition(" ")[2])


def _told(uses: Sequence[AccessRow]) -> list[Json]:
    return [[a.time, a.kind.value, a.weight] for a in uses]


def _hand_on(
    index: Index, kept: NoteRow, gone: Sequence[NoteRow], uses: Sequence[AccessRow], now: float
) -> None:
    index.add_accesses(AccessRow(kept.id, a.time, a.kind, a.weight) for a in uses)
    last = [r.last_recalled for r in (kept, *gone) if r.last_recalled is not None]
    recalls = kept.recalls + sum(r.recalls for r in gone)
    change = StateChange(kept.id, recalls=recalls, last_recalled=max(last) if last else None)
    index.set_states([change], now)


def _name(index: Index, settings: Settings, path: str, titles: Sequence[str], now: float) -> None:
    """Name in the memory what went into it, beside what it names already. What can't be said stays unsaid:
    the event knows it."""
    if settings.writeback == "off":
        return
    row = note_row_of(index, path)
    before = _named(settings, path)
    names = "; ".join(filter(None, [before, *titles]))
    _write(index, settings, row, names, now)


def _named(settings: Settings, path: str) -> str:
    block = split(read(settings.vault, path).decode("utf-8", "replace"))
    values = (load(block).values if block else None) or {}
    said = values.get(NAMES)
    return said if isinstance(said, str) else ""


def _write(index: Index, settings: Settings, row: NoteRow, names: str, now: float) -> None:
    try:
        write_now(index, settings, row, {**wanted_values(row), NAMES: names or None}, now)
    except WriteRefused:
        return


def unmerge(index: Index, settings: Settings, event: EventRow, now: float) -> tuple[str, ...]:
    """The one that went comes back, with its uses; the one that stayed counts its own again.

    Raises:
        VaultError: the trash was emptied, or the place is taken.
    """
    detail: Any = event.detail
    back = undo_forget(index, settings, str(detail["trash"][0]), now)
    kept = index.notes_by_path([event.path])
    if kept:
        row = kept[0]
        moved = Counter((t, kind, w) for t, kind, w in detail["uses"])
        rows = []
        for access in index.accesses_of([row.id]):
            key = (access.time, access.kind.value, access.weight)
            if moved[key]:
                moved[key] -= 1
            else:
                rows.append(access)
        index.replace_accesses([row.id], rows)
        index.set_states([StateChange(row.id, recalls=max(0, row.recalls - detail["recalls"]))], now)
        if settings.writeback != "off":
            gone = note_row_of(index, back).title
            names = [n for n in _named(settings, row.path).split("; ") if n and n != gone]
            _write(index, settings, note_row_of(index, row.path), "; ".join(names), now)
    return (back,)


# ------------------------------------------------------------------ a new one of both


def join(index: Index, settings: Settings, proposal: Proposal, now: float) -> Mapping[str, Json]:
    """A new memory with the newer text first and the older below, and both links, tags and uses; both go.

    It is written first: whoever is killed in between has three memories, and loses none.

    Raises:
        VaultError: one was changed meanwhile, or can't be moved. UsageError: together they are too long.
    """
    rows = [note_row_of(index, path) for path in (proposal.path, proposal.other)]
    for row in rows:
        _check_ours(index, settings, row)
    request = _both(index, settings, rows)
    uses = index.accesses_of([row.id for row in rows])
    made = remember(index, settings, request, now, partial(resolve_name, index), None)
    trashed = []
    try:
        _hand_on(index, note_row_of(index, made.path), rows, uses, now)
        for row in rows:
            trashed.append(
                trash_note(index, settings, row, "merge", f"joined in {made.path}", now, refresh=False)
            )
        resolve_links(index)
        inferring.refresh(index)
    except BaseException:
        for gone in trashed:
            restore(settings.vault, gone.trashed_to, gone.path)
        _take_back(index, settings, made.path)
        raise
    _name(index, settings, made.path, [row.title for row in rows], now)
    return {
        "made": made.path,
        "gone": [row.path for row in rows],
        "trash": [_number(gone.undo) for gone in trashed],
    }


def _take_back(index: Index, settings: Settings, path: str) -> None:
    """Remove what was written a moment ago, unless somebody has touched it since."""
    stat = file_stat(settings.vault, path)
    if stat is not None:
        uncreate(settings.vault, replace(stat, content_hash=note_row_of(index, path).content_hash))


def _both(index: Index, settings: Settings, rows: Sequence[NoteRow]) -> Request:
    sides = [_side(index, settings, row) for row in rows]
    if None in sides:
        raise WriteRefused("one of them was changed meanwhile")
    both = [side for side in sides if side is not None]
    newer = both[0].row
    own = {row.path for row in rows}
    edges = [e for row in rows for e in index.edges_of([row.id]) if e.source == row.path]
    related = {(e.target, e.type): None for e in edges if e.created_by in _TYPED and e.target not in own}
    return Request(
        content="\n\n".join(side.content.strip("\n") for side in both),
        title=newer.title,
        related=tuple(related),
        category=newer.category or both[1].row.category,
        memory_type=newer.memory_type,
        source_session=newer.source_session,
        tags=tuple(sorted(both[0].tags | both[1].tags)),
    )


def unjoin(index: Index, settings: Settings, event: EventRow, now: float) -> tuple[str, ...]:
    """Both come back, and the memory that was made of them goes to the trash.

    Raises:
        WriteRefused: a person has edited it since.
    """
    detail: Any = event.detail
    made = index.notes_by_path([detail["made"]])
    if made:
        _check_ours(index, settings, made[0])
        trash_note(index, settings, made[0], "merge", "the join was undone", now)
    return tuple(undo_forget(index, settings, str(number), now) for number in detail["trash"])
