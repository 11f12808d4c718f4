"""The whole of a vault's memory for one page: counts, the past, what lies ahead, causes, loose ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from genesys import __version__
from genesys.accounts import NoteRef
from genesys.engine.explaining import limits
from genesys.engine.listing import open_uri, to_ref
from genesys.engine.overlook_causes import graph_of_causes
from genesys.engine.overlook_time import ahead, lives, past
from genesys.engine.scoring import Columns, columns, core_choice, scores, settled
from genesys.model import Kind, Status
from genesys.overview import Forgetting, Moved, Overview, Reasoned, Unresolved
from genesys.score.connectivity import orphans
from genesys.score.core import CoreChoice
from genesys.score.decay import VaultScores
from genesys.settings import Settings
from genesys.store.index import Index
from genesys.store.rows import EventRow

__all__ = ["overview"]

BINS = 20  # bars of the score distribution
CORE, RECALLED, MOVED, FORGOTTEN, ORPHANS, UNRESOLVED = 30, 15, 20, 30, 60, 60  # rows of each list
SOURCES = 3  # notes named for a link that leads nowhere
STEPS = (
    "status",
    "pin",
    "unpin",
    "forget",
    "prune",
    "merge",
    "unforget",
)  # events that change a note's status
ALL_UNRESOLVED = 100_000
ALL_EVENTS = 100_000


def overview(index: Index, settings: Settings, now: float, chosen: Sequence[str] = ()) -> Overview:
    """Everything that the report shows at ``now``; ``chosen`` are the paths whose lives it draws."""
    with index.snapshot():
        return _overview(index, settings, now, chosen)


def _overview(index: Index, settings: Settings, now: float, chosen: Sequence[str]) -> Overview:
    cols = columns(index)
    scored = scores(index, settings, cols, now)
    choice = core_choice(index, settings, cols, scored)
    cols = settled(cols, scored, choice, settings, now)
    refs = _refs(cols, scored, settings)
    events = index.events(kinds=STEPS, limit=ALL_EVENTS, newest_first=False)
    counts = index.counts()
    graph, reasons, joined = graph_of_causes(index, cols, refs)
    alone = _orphans(cols)
    names, unresolved = _unresolved(index, {r.path: r for r in refs})
    stamp = index.meta_get("indexed_at")
    return Overview(
        vault=settings.vault.name,
        version=__version__,
        now=now,
        last_index=float(stamp) if stamp else None,
        notes=len(cols),
        memories=sum(r.kind is Kind.MEMORY for r in cols.rows),
        pinned=sum(r.pinned for r in cols.rows),
        passages=counts.passages,
        links=counts.links,
        accesses=index.access_count(),
        edges=dict(counts.edges),
        statuses=_statuses(cols),
        skipped=counts.skipped,
        problems=counts.problems,
        timeline=(*past(cols, events, now), *ahead(index, settings, cols, scored, now)),
        score_bins=_bins(cols, scored),
        lives=lives(cols, refs, settings, now, chosen),
        thresholds=limits(settings),
        graph=graph,
        reasons=reasons,
        joined=joined,
        core=_core(cols, refs, choice),
        recalled=_recalled(cols, refs),
        moved=_moved(events, settings, {r.path for r in refs}),
        forgotten=_forgotten(events),
        orphans=tuple(refs[at] for at in alone[:ORPHANS]),
        orphan_count=len(alone),
        unresolved=unresolved,
        unresolved_names=names,
        unresolved_links=counts.unresolved,
    )


def _refs(cols: Columns, scored: VaultScores, settings: Settings) -> list[NoteRef]:
    """A reference to every note, with its score as of now and not of the last pass."""
    return [
        to_ref(row, settings, score=float(score))
        for row, score in zip(cols.rows, scored.score.tolist(), strict=True)
    ]


def _statuses(cols: Columns) -> Mapping[str, int]:
    found = Counter(r.status.value for r in cols.rows)
    return {status.value: found[status.value] for status in Status if found[status.value]}


def _bins(cols: Columns, scored: VaultScores) -> Mapping[str, tuple[int, ...]]:
    bins = np.minimum((scored.score * BINS).astype(np.int64), BINS - 1)
    status = np.array([r.status.value for r in cols.rows], dtype=object)
    return {
        name: tuple(int(v) for v in np.bincount(bins[status == name], minlength=BINS))
        for name in _statuses(cols)
    }


def _core(cols: Columns, refs: Sequence[NoteRef], choice: CoreChoice) -> tuple[Reasoned, ...]:
    at = [i for i, r in enumerate(cols.rows) if r.status is Status.CORE]
    at.sort(key=lambda i: (not refs[i].pinned, -refs[i].score, refs[i].path))
    return tuple(Reasoned(refs[i], choice.core.get(i, "")) for i in at[:CORE])


def _recalled(cols: Columns, refs: Sequence[NoteRef]) -> tuple[Reasoned, ...]:
    times = {i: r.last_recalled for i, r in enumerate(cols.rows) if r.last_recalled}
    at = sorted(times, key=lambda i: (-times[i], refs[i].path))
    return tuple(
        Reasoned(refs[i], recalls=cols.rows[i].recalls, last_recalled=times[i]) for i in at[:RECALLED]
    )


def _moved(events: Sequence[EventRow], settings: Settings, known: set[str]) -> tuple[Moved, ...]:
    """Changes of status, the newest first."""
    found = [e for e in reversed(events) if e.kind == "status"][:MOVED]
    return tuple(
        Moved(
            e.time,
            e.path,
            str(e.detail.get("old", "")),
            str(e.detail.get("new", "")),
            str(e.detail.get("reason", "")),
            open_uri(settings.vault.name, e.path) if e.path in known else "",
        )
        for e in found
    )


def _forgotten(events: Sequence[EventRow]) -> tuple[Forgetting, ...]:
    found = [e for e in reversed(events) if e.kind in ("forget", "prune", "merge")][:FORGOTTEN]
    return tuple(
        Forgetting(
            e.time,
            e.path,
            e.kind != "forget",
            str(e.detail.get("reason", "")),
            "" if e.detail.get("undone") else f"genesys forget --undo {e.id}",
        )
        for e in found
    )


def _orphans(cols: Columns) -> list[int]:
    """Notes that nothing ties to another, those least lately used first."""
    at = np.flatnonzero(orphans(len(cols), cols.edges)).tolist()

    def key(i: int) -> tuple[float, str]:
        row = cols.rows[i]
        return max(row.changed_at, row.last_recalled or 0.0), row.path

    return sorted(at, key=key)


def _unresolved(index: Index, refs: Mapping[str, NoteRef]) -> tuple[int, tuple[Unresolved, ...]]:
    """How many names lead nowhere, and those that most links ask for."""
    asked: dict[str, list[str]] = {}
    spelt: dict[str, str] = {}
    for link in index.unresolved(ALL_UNRESOLVED):
        key = link.target.removeprefix("/").casefold()
        spelt.setdefault(key, link.target.removeprefix("/"))
        asked.setdefault(key, []).append(link.source)
    order = sorted(asked, key=lambda k: (-len(asked[k]), k))
    rows = [
        Unresolved(
            spelt[key],
            len(asked[key]),
            tuple(refs[s] for s in dict.fromkeys(asked[key]) if s in refs)[:SOURCES],
        )
        for key in order[:UNRESOLVED]
    ]
    return len(asked), tuple(rows)
