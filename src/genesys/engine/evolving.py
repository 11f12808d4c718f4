"""What may become of memories besides decay: near-duplicates merged, old decisions marked, lessons shared.

Proposals first; what is asked for is done, each act an event with an undo. Only memories are looked at, never
what a person wrote. What was undone is not proposed again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from genesys.engine import merging, sharing, staleness
from genesys.engine.proposing import Memories, memories_of
from genesys.errors import GenesysError, IndexMissing, UsageError
from genesys.model import Json
from genesys.reports import EvolveKind, EvolveReport, Proposal
from genesys.settings import Settings
from genesys.store.index import Index
from genesys.store.rows import EventRow

__all__ = ["EVENT", "carry_out", "evolve", "look", "undo"]

EVENT = "evolve"
EVENTS_MOST = 100_000  # acts looked back at

Work = Callable[[Index, Settings, Proposal, float], Mapping[str, Json]]
Undo = Callable[[Index, Settings, EventRow, float], Sequence[str]]

_WORK: Mapping[EvolveKind, tuple[Work, Undo]] = {
    EvolveKind.MERGE: (merging.merge, merging.unmerge),
    EvolveKind.JOIN: (merging.join, merging.unjoin),
    EvolveKind.STALE: (staleness.mark, staleness.unmark),
    EvolveKind.FRESH: (staleness.mark, staleness.unmark),
    EvolveKind.SHARE: (sharing.share, sharing.unshare),
}


def evolve(
    index: Index, settings: Settings, now: float, *, apply: bool = False, only: Collection[str] = ()
) -> EvolveReport:
    """What may be done, and with ``apply`` what was: all that is sure, or those whose ids ``only`` names.

    Raises:
        IndexMissing: the vault was never indexed. UsageError: an id in ``only`` is no proposal's.
    """
    found = look(index, settings, now, only)
    return carry_out(index, settings, found, now, named=bool(only)) if apply else found


def look(index: Index, settings: Settings, now: float, only: Collection[str] = ()) -> EvolveReport:
    """The first half of :func:`evolve`, which only reads; some seconds where there are many memories."""
    if index.meta_get("indexed_at") is None:
        raise IndexMissing("this vault is not indexed yet", hint="genesys index")
    start = time.perf_counter()
    memories = memories_of(index)
    found, notices = _proposals(index, settings, memories, now)
    if unknown := sorted(set(only) - {p.id for p in found}):
        raise UsageError(f"there is no proposal {unknown[0]}", hint="genesys evolve lists them")
    if only:
        found = [p for p in found if p.id in only]
    return EvolveReport(tuple(found), tuple(notices), False, time.perf_counter() - start)


def carry_out(
    index: Index, settings: Settings, found: EvolveReport, now: float, *, named: bool
) -> EvolveReport:
    """The second half: what is sure, or all of it where a person ``named`` it."""
    start = time.perf_counter()
    done = tuple(_done(index, settings, p, now) if named or p.sure else p for p in found.proposals)
    return replace(found, proposals=done, applied=True, seconds=found.seconds + time.perf_counter() - start)


def _proposals(
    index: Index, settings: Settings, memories: Memories, now: float
) -> tuple[list[Proposal], list[str]]:
    merges, notices = merging.proposals(index, settings, memories)
    shares, more = sharing.proposals(index, settings, memories)
    stale = staleness.proposals(index, settings, memories, now)
    settled = _settled(_events(index))
    return [p for p in (*merges, *stale, *shares) if p.id not in settled], [*notices, *more]


def _events(index: Index) -> list[EventRow]:
    return index.events(kinds=(EVENT,), limit=EVENTS_MOST)


def _settled(events: Iterable[EventRow]) -> set[str]:
    """What a person has undone, and what was shared once, whatever became of the copy."""
    shared = EvolveKind.SHARE.value
    return {str(e.detail["id"]) for e in events if e.detail.get("undone") or e.detail["kind"] == shared}


def _done(index: Index, settings: Settings, proposal: Proposal, now: float) -> Proposal:
    try:
        with index.transaction():
            work, _ = _WORK[proposal.kind]
            detail = {"id": proposal.id, "kind": proposal.kind.value, **work(index, settings, proposal, now)}
            number = index.add_event(EVENT, proposal.path, detail, now=now, keep=True)
    except GenesysError as error:
        return replace(proposal, refused=error.message)
    return replace(proposal, done=True, undo=number)


def undo(index: Index, settings: Settings, number: int, now: float) -> tuple[str, ...]:
    """Take back one act, by the number of its event; the paths of what is again as it was.

    Raises:
        UsageError: no act has this number, or it is undone already.
        VaultError: it can't be taken back, because of what a person did since.
    """
    event = next((e for e in _events(index) if e.id == number), None)
    if event is None:
        raise UsageError(
            f"nothing evolved under the number {number}", hint="genesys evolve --apply says them"
        )
    if event.detail.get("undone"):
        raise UsageError(f"{number} is undone already")
    _, back = _WORK[EvolveKind(str(event.detail["kind"]))]
    with index.transaction():
        paths = tuple(back(index, settings, event, now))
        index.set_event_detail(event.id, {**event.detail, "undone": now})
    return paths
