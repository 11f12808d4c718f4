"""Why a note has its score, what it will come to, and the numbers of the whole memory."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from genesys.engine import causes
from genesys.engine.listing import refs, to_ref
from genesys.engine.scoring import Columns, columns, core_choice, is_kept, scores, settled
from genesys.model import AccessKind, EdgeType, Status
from genesys.reports import Amount, Curve, Curves, Explanation, Stats
from genesys.score.activation import recall_weight
from genesys.score.arrays import DAY, Accesses, access_rows, edge_rows
from genesys.score.connectivity import orphans
from genesys.score.decay import VaultScores, score_note
from genesys.score.explain import Standing
from genesys.score.explain import explain as explain_note
from genesys.score.simulate import Scene, simulate
from genesys.settings import Settings
from genesys.store.index import Index

__all__ = ["explain", "limits", "outlook", "stats", "year"]

YEAR = 365
BINS = 10  # bars of the score histogram


def explain(index: Index, settings: Settings, path: str, now: float) -> Explanation:
    """The factors of one note's score at ``now`` and what would change them."""
    cols, scored, at = _scored(index, settings, path, now)
    row = cols.rows[at]
    found = explain_note(
        cols.accesses.of(at),
        float(scored.support[at]),
        now,
        _standing(cols, scored, at, now, settings),
        float(scored.focus[at]),
        settings.score,
        settings.lifecycle,
        float(time.localtime(now).tm_gmtoff or 0),
    )
    names = lambda paths: refs(index, settings, paths)  # noqa: E731 - one use, as an argument
    return Explanation(
        note=to_ref(row, settings),
        factors=found.factors,
        amounts=tuple(Amount(t.name, t.value, t.unit, t.text) for t in found.terms),
        accesses=tuple((s.time, s.kind.value, s.share) for s in found.sources),
        thresholds=tuple(t.text for t in found.thresholds),
        outlook=tuple(o.text for o in found.outlook),
        why=causes.why(index, path, 2, names),
    )


def _scored(index: Index, settings: Settings, path: str, now: float) -> tuple[Columns, VaultScores, int]:
    cols = columns(index)
    at = next(i for i, r in enumerate(cols.rows) if r.path == path)
    scored = scores(index, settings, cols, now)
    choice = core_choice(index, settings, cols, scored)
    return settled(cols, scored, choice, settings, now), scored, at


def _standing(cols: Columns, scored: VaultScores, at: int, now: float, settings: Settings) -> Standing:
    row = cols.rows[at]
    return Standing(
        status=row.status,
        days_in_status=max(0.0, (now - row.status_since) / DAY),
        kind=row.kind,
        pinned=row.pinned,
        core=row.core,
        orphan=bool(orphans(len(cols), cols.edges)[at]),
        weight=float(scored.weight[at]),
        floor=float(scored.floor[at]),
        kept=is_kept(row, settings.lifecycle),
    )


def outlook(index: Index, settings: Settings, path: str, now: float) -> Curves:
    """The note's score over the next year: left alone, and recalled today."""
    cols, scored, at = _scored(index, settings, path, now)
    rows, held = cols.accesses.of(at), float(scored.support[at])
    recalled = rows.plus(access_rows([(0, now, settings.score.access_recall, AccessKind.RECALL)]))
    days = tuple(float(d) for d in range(0, YEAR + 1, 5))

    rules = float(scored.weight[at]), float(scored.floor[at])

    def curve(label: str, accesses: Accesses) -> Curve:
        score = [score_note(accesses, held, now + d * DAY, 0.0, settings.score, *rules).score for d in days]
        return Curve(label, days, tuple(score))

    lines = (curve("left alone", rows), curve("recalled today", recalled))
    return Curves(f"{cols.rows[at].title}: the next year", lines, limits(settings))


def limits(settings: Settings) -> tuple[tuple[str, float], ...]:
    """The thresholds of the lifecycle, named."""
    life = settings.lifecycle
    return (
        ("active again", life.revive_score),
        ("dormant", life.dormant_score),
        ("fading", life.fading_score),
    )


#: Days on which the notes of the model year are recalled: what a person's use does to a note.
STORIES: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("never recalled", ()),
    ("ten times on one day", (30,) * 10),
    ("at widening intervals", (2, 7, 21, 60, 150, 300)),
    ("every month", tuple(range(30, YEAR, 30))),
)


def year(settings: Settings) -> Curves:
    """What a year does to four notes of the same links and different use."""
    n = len(STORIES)
    accesses = access_rows(
        [(i, 0.0, settings.score.access_create, AccessKind.CREATE) for i in range(n)]
        + [
            (
                i,
                day * DAY + 600.0 * turn,
                recall_weight(0, days[:turn].count(day), settings.score),
                AccessKind.RECALL,
            )
            for i, (_, days) in enumerate(STORIES)
            for turn, day in enumerate(days)
        ]
    )
    links = edge_rows([(i, n + j, EdgeType.CAUSED_BY, 1.0) for i in range(n) for j in range(3)])
    total = n + 3
    scene = Scene(accesses, links, np.zeros(total, np.int8), np.zeros(total, np.bool_), [""] * total)
    line = simulate(scene, 0.0, YEAR, settings.score, settings.lifecycle)
    days = tuple((line.time / DAY).tolist())
    lines = tuple(Curve(name, days, tuple(line.score[:, i].tolist())) for i, (name, _) in enumerate(STORIES))
    return Curves(
        "a model year, not your vault: four notes with three links each, used in four ways",
        lines,
        limits(settings),
    )


def stats(index: Index, settings: Settings) -> Stats:
    """Counts and the distribution of scores as of the last maintenance pass."""
    counts = index.counts()
    known = index.note_scores()
    return Stats(
        notes=counts.notes,
        memories=counts.memories,
        passages=counts.passages,
        edges=dict(counts.edges),
        statuses=dict(counts.statuses),
        core=counts.statuses.get(Status.CORE, 0),
        pinned=counts.pinned,
        accesses=index.access_count(),
        mean_score=float(np.mean(known)) if known else 0.0,
        score_histogram=_histogram(known),
        events=index.event_counts(),
    )


def _histogram(values: Sequence[float]) -> tuple[int, ...]:
    return tuple(int(v) for v in np.histogram(values, bins=BINS, range=(0.0, 1.0))[0])
