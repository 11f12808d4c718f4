"""From ranked notes to an answer: floors, doubles, standing, and the reason in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias
from urllib.parse import quote

import numpy as np

from genesys.engine.showing import shown
from genesys.engine.view import View
from genesys.model import CreatedBy, Edge, EdgeType, Hit, Kind, Status, Step
from genesys.parse.query import Term
from genesys.score.fuse import Floats, Ints, TermRows
from genesys.score.rank import distinct, order, standing
from genesys.score.spread import Spread
from genesys.store.index import Index
from genesys.store.rows import PassageRow
from genesys.tuning import RecallParams

__all__ = ["Found", "hits_of"]

_TELLING = 0.02  # share of a score from which a signal is worth a word
_BY_GRAPH = 0.1  # share from which the path that led to a note is shown
_CLOSE = 0.35  # share of meaning from which a note is called close in meaning
_EVIDENCE = 160  # characters of an evidence sentence in a reason
_SHOWN = 6  # matched words named in a reason


_Said: TypeAlias = Mapping[tuple[str, str, EdgeType], Edge]


@dataclass(frozen=True, slots=True)
class Found:
    """What ranking hands on. ``pool`` are note numbers, best first; ``best`` each note's passage; ``shares``
    each signal's part of each note's score; ``cosine`` of each passage, None without vectors."""

    pool: list[int]
    best: Ints
    shares: Mapping[str, Floats]
    cosine: Floats | None
    floor: float
    terms: list[tuple[Term, TermRows]]
    texts: Mapping[int, PassageRow]
    first: Spread
    second: Spread
    signals: tuple[str, ...]
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Ranked:
    note: int
    row: PassageRow
    score: float
    prior: float
    signals: Mapping[str, float]
    matched: tuple[str, ...]
    weak: bool


def hits_of(
    index: Index, view: View, found: Found, params: RecallParams, vault: str, k: int
) -> tuple[Hit, ...]:
    """The best ``k`` of the pool as hits."""
    ranked = [r for r in (_ranked(view, found, params, n) for n in found.pool) if r is not None]
    best = order(np.array([r.score for r in ranked]), [r.row.path for r in ranked])
    ranked = [replace(r, row=shown(index, r.row)) for r in (ranked[i] for i in best)]
    ranked = [ranked[i] for i in distinct([r.row.text for r in ranked])]
    strong = [r for r in ranked if not r.weak]
    if len(strong) < params.min_results:
        strong = ranked[: max(params.min_results, len(strong))]
    strong = strong[:k]
    paths = _paths_of(index, view, found, strong)
    ids = {int(view.note_ids[n]) for n in (*paths, *(r.note for r in strong))} if paths else set()
    stale = _stale(index, strong)
    said = {(e.source, e.target, e.type): e for e in index.edges_among(ids)} if ids else {}
    hits = (_hit(view, found, vault, paths, said, r) for r in strong)
    return tuple(replace(hit, stale=True) if hit.path in stale else hit for hit in hits)


def _stale(index: Index, ranked: list[_Ranked]) -> set[str]:
    """Paths of the memories among them that are marked as stale."""
    memories = [r.row.note_id for r in ranked if r.row.kind is Kind.MEMORY]
    return {row.path for row in index.note_rows(memories).values() if row.own.stale} if memories else set()


def _ranked(view: View, found: Found, params: RecallParams, note: int) -> _Ranked | None:
    row = found.texts.get(int(found.best[note]))
    if row is None:
        return None
    prior = standing(row.status, row.score, False, params.prior_weight)
    if row.status is Status.PRUNED:
        return None
    if note in view.superseded():
        prior *= params.superseded_factor
    parts = {name: round(float(share[note]), 6) for name, share in found.shares.items()}
    signals = {name: value for name, value in parts.items() if value}
    place = int(found.best[note])
    matched = tuple(term.text for term, rows in found.terms if place in rows.rows)
    weak = not _grounded(found, note) and not _led_to(found, note)
    if weak and found.cosine is None:
        return None  # nothing but the note's own standing speaks for it: that is no answer
    return _Ranked(note, row, sum(signals.values()) * prior, prior, signals, matched, weak)


def _grounded(found: Found, note: int) -> bool:
    """Whether the question itself found the note: by words, name, day, or a likeness above the floor."""
    if any(name in found.shares and found.shares[name][note] for name in ("words", "named", "date")):
        return True
    return found.cosine is not None and float(found.cosine[int(found.best[note])]) >= found.floor


def _led_to(found: Found, note: int) -> bool:
    """Whether the graph led to it from a note that the question found."""
    seeds = (int(s.via[note]) for s in (found.first, found.second) if s.via[note] >= 0)
    return any(_grounded(found, seed) for seed in seeds)


def _hit(
    view: View, found: Found, vault: str, paths: Mapping[int, PassageRow], said: _Said, r: _Ranked
) -> Hit:
    row = r.row
    newer = view.superseded().get(r.note)
    steps = _steps(view, found, paths, said, r)
    by = paths[newer].path if newer is not None and newer in paths else ""
    return Hit(
        path=row.path,
        title=row.title,
        score=r.score,
        signals=r.signals,
        prior=r.prior,
        status=row.status,
        text=row.text,
        heading_path=row.heading_path,
        line_start=row.line_start,
        line_end=row.line_end,
        why=_why(r, steps, by),
        uri=f"obsidian://open?vault={quote(vault, safe='')}&file={quote(row.path, safe='')}",
        block_id=row.block_id,
        matched=r.matched,
        via=steps,
        superseded_by=by,
        low_confidence=r.weak,
        date=row.note_date,
        kind=row.kind,
    )


# ------------------------------------------------------------------ reasons


def _paths_of(index: Index, view: View, found: Found, ranked: list[_Ranked]) -> dict[int, PassageRow]:
    """A passage of every note that a reason names: seeds of spreading, successors."""
    numbers: set[int] = set()
    for r in ranked:
        newer = view.superseded().get(r.note)
        numbers |= set() if newer is None else {newer}
        numbers |= {int(s.via[r.note]) for s in (found.first, found.second) if s.via[r.note] >= 0}
    places = {n: int(view.passage_ids[view.start[n]]) for n in sorted(numbers)}
    rows = {row.id: row for row in index.passages(list(places.values()))}
    return {n: rows[p] for n, p in places.items() if p in rows}


def _steps(
    view: View, found: Found, paths: Mapping[int, PassageRow], said: _Said, r: _Ranked
) -> tuple[Step, ...]:
    """The step from the seed to a note that owes much of its score to the graph."""
    if r.signals.get("graph", 0.0) < _BY_GRAPH * max(sum(r.signals.values()), 1e-9):
        return ()
    hop = max((found.first, found.second), key=lambda s: float(s.gain[r.note]))
    seed, arc = int(hop.via[r.note]), int(hop.arc[r.note])
    if seed not in paths:
        return ()
    number = int(view.graph.edge[arc])
    forward = int(view.edges.source[number]) == int(view.note_ids[seed])
    ends = (paths[seed].path, r.row.path) if forward else (r.row.path, paths[seed].path)
    edge = said.get((*ends, tuple(EdgeType)[int(view.edges.type[number])]))
    if edge is None:
        return ()
    return (Step(paths[seed].path, paths[seed].title, edge, 1),)


def _why(r: _Ranked, steps: tuple[Step, ...], superseded_by: str) -> str:
    """The signals in words, the strongest first."""
    parts: list[tuple[float, str]] = []
    share = r.signals
    if r.matched:
        words = ", ".join(f"“{w}”" for w in r.matched[:_SHOWN])
        parts.append((share.get("words", 0.0), f"matches {words}"))
    elif share.get("words", 0.0) > _TELLING:
        parts.append((share["words"], "next to a passage with the words"))
    if r.weak and share.get("meaning", 0.0) > 0:
        parts.append((share["meaning"], _FAR_OFF))
    elif share.get("meaning", 0.0) > _CLOSE:
        parts.append((share["meaning"], "close in meaning"))
    parts += [(share[name], text) for name, text in _PLAIN.items() if share.get(name, 0.0) > _TELLING]
    for step in steps:
        parts.append((share["graph"], _step_words(step, r.row.path)))
    reason = ", ".join(text for _, text in sorted(parts, key=lambda p: -p[0]))
    reason = reason or (_FAR_OFF if r.weak else "somewhat close in meaning")
    return f"{reason}; superseded by [[{_stem(superseded_by)}]]" if superseded_by else reason


_FAR_OFF = "nearest in meaning, but not near"
_PLAIN = {
    "named": "named in the question",
    "person": "of the person asked about",
    "when": "says when",
    "date": "of the days asked about",
}


def _step_words(step: Step, path: str) -> str:
    edge = step.edge
    verb = "linked from" if edge.target == path else "links to"
    if edge.created_by is CreatedBy.MENTION:
        verb = "mentioned by" if edge.target == path else "mentions"
    told = f": “{edge.evidence[:_EVIDENCE]}”" if edge.evidence else ""
    kind = f" ({edge.type.value}{told})" if edge.type is not EdgeType.RELATED_TO or told else ""
    return f"{verb} [[{step.title}]]{kind}"


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")
