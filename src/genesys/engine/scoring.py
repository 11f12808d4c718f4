"""From the store's rows to the score room's columns and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from genesys.engine.embedding import model_of
from genesys.engine.view import slots_of
from genesys.model import SUPPORTIVE, LifecycleParams, ScoreParams
from genesys.score.arrays import Accesses, Edges, Floats
from genesys.score.connectivity import support
from genesys.score.core import CoreChoice, Preferences, consolidation, hub_and_schema, select
from genesys.score.decay import VaultScores, score_vault
from genesys.score.lifecycle import settled_status
from genesys.score.relevance import best_cosine, centroid, cosine_to, focus, overlap, recent_work
from genesys.settings import Settings
from genesys.store.index import Index
from genesys.store.rows import NoteRow

__all__ = ["Columns", "columns", "core_choice", "is_kept", "preferences", "rules_of", "scores", "settled"]

PREFERENCES = ("auto", "approval", "excluded")


@dataclass(frozen=True, slots=True)
class Columns:
    """Every note of the vault, numbered 0 … n−1 in the order of ``rows``, with accesses and edges."""

    rows: list[NoteRow]
    accesses: Accesses
    edges: Edges

    def __len__(self) -> int:
        return len(self.rows)

    def number(self, ids: np.ndarray) -> np.ndarray:
        """Row ids → numbers."""
        return np.searchsorted(self.ids, ids)

    @property
    def ids(self) -> np.ndarray:
        return np.array([r.id for r in self.rows], dtype=np.int64)


def columns(index: Index) -> Columns:
    """Read all that scoring needs, in one snapshot."""
    rows = sorted((r for r in index.all_notes() if not r.opted_out), key=lambda r: r.id)
    ids = np.array([r.id for r in rows], dtype=np.int64)
    acc = index.access_arrays()
    kept = np.isin(acc.note_id, ids)
    edges = index.edge_arrays()
    inner = np.isin(edges.source, ids) & np.isin(edges.target, ids)
    return Columns(
        rows,
        Accesses(np.searchsorted(ids, acc.note_id[kept]), acc.time[kept], acc.weight[kept], acc.kind[kept]),
        Edges(
            np.searchsorted(ids, edges.source[inner]),
            np.searchsorted(ids, edges.target[inner]),
            edges.type[inner],
            edges.weight[inner],
        ),
    )


def scores(index: Index, settings: Settings, cols: Columns, now: float) -> VaultScores:
    """Score every note at ``now``."""
    weights = support(len(cols), cols.edges, settings.score)
    return score_vault(
        len(cols),
        cols.accesses,
        weights,
        now,
        _focus(index, settings, cols, now),
        settings.score,
        *rules_of(cols.rows, settings.score),
    )


def rules_of(rows: Sequence[NoteRow], params: ScoreParams) -> tuple[Floats | None, Floats | None]:
    """The person's factor and least score for each note's category, float64[n]; None without such rules."""
    return (
        _by_category(rows, params.category_weight, 1.0),
        _by_category(rows, params.category_floor, 0.0),
    )


def _by_category(
    rows: Sequence[NoteRow], rules: Sequence[tuple[str, float]], default: float
) -> Floats | None:
    if not rules:
        return None
    told = {name.casefold(): value for name, value in rules}
    return np.array([told.get(row.category.casefold(), default) for row in rows], dtype=np.float64)


def is_kept(row: NoteRow, params: LifecycleParams) -> bool:
    """Whether the person said that its category is never forgotten."""
    return bool(row.category) and row.category.casefold() in {n.casefold() for n in params.never_forget}


def _focus(index: Index, settings: Settings, cols: Columns, now: float) -> Floats:
    """How close each note is to the last fortnight's work, float64[n] in [0, 1]."""
    n = len(cols)
    recent, weights = recent_work(cols.accesses, now, settings.score)
    if not len(recent):
        return np.zeros(n)
    weight = np.zeros(n)
    weight[recent] = weights
    model = index.serving_model(model_of(settings)[0])
    cosine = _cosine(index, settings, cols, model, weight) if model else np.zeros(n)
    note_of, term = _terms(index, cols)
    return focus(cosine, overlap(n, note_of, term, recent, weights), settings.score)


def _cosine(index: Index, settings: Settings, cols: Columns, model: str, weight: Floats) -> Floats:
    """Each note's best cosine to the work that has ``weight``, float64[n]; a large vault's from its copy."""
    n, rows = len(cols), index.passage_arrays()
    pack = index.packed(model) if len(rows.id) > settings.recall.exact_passages else None
    if pack is not None:
        found = slots_of(rows.key, pack.keys)
        slot, note = found[found >= 0].astype(np.int64), cols.number(rows.note_id[found >= 0])
        each = _share(note, weight)
        unit = centroid(pack.vectors(slot[each > 0]), each[each > 0])
        return best_cosine(n, note, pack.sweep(unit)[slot])
    matrix = index.matrix(model)
    if matrix is None or not len(matrix.vectors):
        return np.zeros(n)
    note = cols.number(matrix.note_id)
    each = _share(note, weight)
    unit = centroid(matrix.vectors[each > 0], each[each > 0])
    return cosine_to(n, note, matrix.vectors, unit)


def _share(note: np.ndarray, weight: Floats) -> Floats:
    """What each passage has of its note's weight."""
    passages = np.bincount(note, minlength=len(weight))
    share: Floats = weight[note] / np.maximum(passages[note], 1)
    return share


def _terms(index: Index, cols: Columns) -> tuple[np.ndarray, np.ndarray]:
    """The distinct (note, term) pairs: tags, and the notes that a note links to."""
    tags = index.tag_pairs()
    keys = {key: i for i, key in enumerate(sorted({tag for _, tag in tags}))}
    pairs = {(note, keys[tag]) for note, tag in tags}
    supportive = [i for i, kind in enumerate(_edge_types()) if kind in SUPPORTIVE]
    linked = np.isin(cols.edges.type, supportive)
    base = len(keys)
    numbers = dict(zip(cols.ids.tolist(), range(len(cols)), strict=True))
    numbered = {(numbers[n], t) for n, t in pairs if n in numbers}
    numbered |= {
        (int(s), base + int(t))
        for s, t in zip(cols.edges.source[linked], cols.edges.target[linked], strict=True)
    }
    if not numbered:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    array = np.array(sorted(numbered), dtype=np.int64)
    return array[:, 0], array[:, 1]


def _edge_types() -> list[object]:
    from genesys.model import EdgeType

    return list(EdgeType)


def preferences(index: Index) -> Preferences:
    """What the person said of core by category."""
    import json

    stored = json.loads(index.meta_get("core_preferences") or "{}")
    return Preferences(*(frozenset(stored.get(name, ())) for name in PREFERENCES))


def core_choice(index: Index, settings: Settings, cols: Columns, scored: VaultScores) -> CoreChoice:
    """Which notes are core at this pass."""
    n = len(cols)
    hub, schema = hub_and_schema(n, cols.edges, settings.lifecycle, settings.score)
    value = consolidation(
        scored.reactivation, hub, schema, scored.stability, settings.lifecycle, settings.score
    )
    return select(
        value,
        np.array([r.pinned for r in cols.rows], dtype=np.bool_),
        [i for i, r in enumerate(cols.rows) if r.core],
        [r.category for r in cols.rows],
        preferences(index),
        None,
        settings.lifecycle,
    )


def settled(
    cols: Columns, scored: VaultScores, choice: CoreChoice, settings: Settings, now: float
) -> Columns:
    """The columns with every note that was never scored where its age and use have brought it."""
    rows = list(cols.rows)
    for at, row in enumerate(rows):
        if row.factors is None and row.own.status is None:
            status = settled_status(
                float(scored.score[at]),
                float(scored.idle_days[at]),
                row.pinned,
                at in choice.core,
                settings.lifecycle,
                is_kept(row, settings.lifecycle),
            )
            since = row.status_since if status is row.status else now
            rows[at] = replace(row, status=status, status_since=since)
    return replace(cols, rows=rows)
