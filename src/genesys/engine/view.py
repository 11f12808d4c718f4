"""What recall needs of a whole vault, as arrays: read once, kept until something in the index changes.

Passages are numbered so that those of a note stand together in order; notes are numbered in the same order.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from genesys.engine.sequence import TURN
from genesys.model import CAUSAL, WRITTEN, CreatedBy, EdgeType
from genesys.score.fuse import Floats, Ints, chain, near_places
from genesys.score.spread import Graph, build_graph
from genesys.store.index import Index
from genesys.store.keys import ATTACHED
from genesys.store.rows import EdgeArrays, PassageArrays
from genesys.tuning import RecallParams

if TYPE_CHECKING:
    from genesys.store.packed import Packed

__all__ = ["REACH", "View", "slots_of", "view_of"]

REACH = 3  # passages before and after that count as context
_TYPES, _MAKERS = tuple(EdgeType), tuple(CreatedBy)
_SEQUENCE = _TYPES.index(EdgeType.TEMPORAL_SEQUENCE)
_LIGHT = 0.5  # of a plain link: what a contradiction hands on


@dataclass(eq=False)
class View:
    """The arrays of one state of the index. ``note_ids[i]`` is the row id of note number i."""

    passage_ids: Ints
    note_ids: Ints
    start: Ints  # first passage of each note
    note_of: Ints  # note number of each passage
    near: Mapping[int, Ints]
    graph: Graph
    edges: EdgeArrays
    told: NDArray[np.bool_]  # whether a note is a turn of something told in order
    linked: Floats  # how many notes link to each in writing
    note_size: float  # passages of a note, on average
    keys: Ints  # key of each passage's vector
    _by_id: tuple[Ints, Ints] = field(repr=False)
    _lazy: dict[str, Any] = field(default_factory=dict, repr=False)

    def known(self, passage_ids: Ints) -> tuple[Ints, Ints]:
        """(passage numbers, which of the row ids they are); unknown ids (just deleted) are left out."""
        ids, order = self._by_id
        if not len(ids):
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        at = np.minimum(np.searchsorted(ids, passage_ids), len(ids) - 1)
        hit = np.nonzero(ids[at] == passage_ids)[0]
        return order[at[hit]], hit

    def notes(self, note_ids: Ints) -> Ints:
        """Note numbers of row ids; those without passages are left out."""
        if not len(self.note_ids):
            return np.zeros(0, dtype=np.int64)
        at = np.minimum(np.searchsorted(self.note_ids, note_ids), len(self.note_ids) - 1)
        found: Ints = at[self.note_ids[at] == note_ids].astype(np.int64)
        return found

    def people(self, index: Index) -> Mapping[str, Ints]:
        """Note numbers by the name of a person that their properties name."""
        if "people" not in self._lazy:
            groups: dict[str, list[int]] = defaultdict(list)
            for note, name in index.people_pairs():
                groups[name].append(note)
            arrays = {name: self.notes(np.array(notes, dtype=np.int64)) for name, notes in groups.items()}
            self._lazy["people"] = arrays
        found: Mapping[str, Ints] = self._lazy["people"]
        return found

    def person_words(self, index: Index) -> frozenset[str]:
        """Single words of people's names, as written."""
        if "person_words" not in self._lazy:
            self._lazy["person_words"] = frozenset(
                w for name in self.people(index) for w in (name, *name.split())
            )
        found: frozenset[str] = self._lazy["person_words"]
        return found

    def superseded(self) -> Mapping[int, int]:
        """Which note replaced which: {number of the old: number of the new}.

        Only where somebody said so; what a turn of phrase suggests is a path, and no reason to hide a note.
        """
        if "superseded" not in self._lazy:
            said = np.isin(self.edges.created_by, [_MAKERS.index(m) for m in WRITTEN])
            rows = np.nonzero(said & (self.edges.type == _TYPES.index(EdgeType.SUPERSEDES)))[0]
            ends = (
                (self.notes(self.edges.target[r : r + 1]), self.notes(self.edges.source[r : r + 1]))
                for r in rows
            )
            pairs = [(int(old[0]), int(new[0])) for old, new in ends if len(old) and len(new)]
            self._lazy["superseded"] = dict(sorted(pairs))
        found: Mapping[int, int] = self._lazy["superseded"]
        return found

    def vector_places(self, ids: Ints) -> tuple[Ints, Ints]:
        """:meth:`known` for the passages of a vector matrix, kept as long as the matrix is the same."""
        cached = self._lazy.get("vectors")
        if cached is None or cached[0] is not ids:
            cached = self._lazy["vectors"] = (ids, self.known(ids))
        places: tuple[Ints, Ints] = cached[1]
        return places

    def slots(self, pack: Packed) -> NDArray[np.int32]:
        """Where each passage's vector lies in a packed copy, −1 where it waits for one."""
        cached = self._lazy.get("slots")
        if cached is None or cached[0] != (id(pack), pack.stamp):
            cached = self._lazy["slots"] = ((id(pack), pack.stamp), slots_of(self.keys, pack.keys))
        slots: NDArray[np.int32] = cached[1]
        return slots


def slots_of(wanted: Ints, keys: Ints) -> NDArray[np.int32]:
    """Where each of the ``wanted`` keys stands in ``keys``, −1 where it does not."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    mine = np.argsort(wanted, kind="stable")  # looked up in order: no jumping about in memory
    at = np.minimum(np.searchsorted(ordered, wanted[mine]), max(len(keys) - 1, 0))
    found = np.full(len(wanted), -1, dtype=np.int32)
    if len(keys):
        found[mine] = np.where(ordered[at] == wanted[mine], order[at], -1)
    return found


_views: WeakKeyDictionary[Index, tuple[tuple[object, ...], View]] = WeakKeyDictionary()
_lock = threading.Lock()


def view_of(index: Index, params: RecallParams) -> View:
    """The view of the index as it is now; made anew only where passages, names or edges have changed."""
    with _lock:
        stamp = (index.places_version(), index.names_version(), params)
        cached = _views.get(index)
        if cached is None or cached[0] != stamp:
            cached = _views[index] = (stamp, _build(index, params))
        return cached[1]


def _build(index: Index, params: RecallParams) -> View:
    rows, edges = index.passage_arrays(), index.edge_arrays()
    note_ids, start = np.unique(rows.note_id, return_index=True)
    start = start.astype(np.int64)
    n = len(rows.id)
    note_of = np.repeat(np.arange(len(note_ids)), np.diff(np.append(start, n))).astype(np.int64)
    source, target, known = _ends(note_ids, edges)
    order = np.argsort(rows.id, kind="stable")
    last = _last_own(rows, start)
    written = edges.created_by[known] != _MAKERS.index(CreatedBy.SEQUENCE)
    steps = np.nonzero((edges.type[known] == _SEQUENCE) & (edges.weight[known] >= TURN))[0]
    steps = _in_turn(index, note_ids, source[known], target[known], steps, ~written[steps])
    following = _following(rows, start, last, source[known][steps], target[known][steps])
    return View(
        passage_ids=rows.id,
        note_ids=note_ids.astype(np.int64),
        start=start,
        note_of=note_of,
        near=near_places(following, chain(following), REACH),
        graph=_graph(len(note_ids), source, target, known, edges, params),
        edges=edges,
        told=_told(following, start, last),
        linked=_linked(len(note_ids), target, known, edges),
        note_size=n / max(len(note_ids), 1),
        keys=rows.key,
        _by_id=(rows.id[order], order.astype(np.int64)),
    )


def _ends(note_ids: Ints, edges: EdgeArrays) -> tuple[Ints, Ints, Ints]:
    """Note numbers of both ends of every edge, and which edges have both ends among the notes."""
    if not len(note_ids):
        none = np.zeros(len(edges.source), dtype=np.int64)
        return none, none, np.zeros(0, dtype=np.int64)
    ends = [np.minimum(np.searchsorted(note_ids, e), len(note_ids) - 1) for e in (edges.source, edges.target)]
    hit = (note_ids[ends[0]] == edges.source) & (note_ids[ends[1]] == edges.target)
    return ends[0], ends[1], np.nonzero(hit)[0]


def _last_own(rows: PassageArrays, start: Ints) -> Ints:
    """The last passage of each note's own text; those of attachments stand behind it."""
    if not len(start):
        return start
    own: Ints = np.add.reduceat((rows.ordinal < ATTACHED).astype(np.int64), start)
    return start + np.maximum(own, 1) - 1


def _told(following: Ints, start: Ints, last: Ints) -> NDArray[np.bool_]:
    n = len(following)
    told = np.zeros(len(start), dtype=np.bool_)
    onward = following[last] < n
    told |= onward
    told[np.searchsorted(start, following[last[onward]])] = True
    return told


def _linked(n: int, target: Ints, known: Ints, edges: EdgeArrays) -> Floats:
    written = np.isin(edges.created_by[known], [_MAKERS.index(m) for m in WRITTEN])
    written &= edges.type[known] != _SEQUENCE
    return np.bincount(target[known][written], minlength=n).astype(np.float64)


def _in_turn(
    index: Index, note_ids: Ints, source: Ints, target: Ints, steps: Ints, inferred: NDArray[np.bool_]
) -> Ints:
    """Steps in time, what a person wrote first. Where several lead from a note or to one, their paths decide
    and no row id, which another index of the same vault would have otherwise."""
    ends = source[steps], target[steps]
    twice = np.zeros(len(steps), dtype=np.bool_)
    for end in ends:
        twice |= np.bincount(end, minlength=len(note_ids))[end] > 1
    rank = np.zeros(len(note_ids), dtype=np.int64)
    if twice.any():
        notes = np.unique(np.concatenate([end[twice] for end in ends]))
        paths = index.file_paths([int(n) for n in note_ids[notes]])
        rank[sorted(notes, key=lambda n: paths.get(int(note_ids[n]), ""))] = np.arange(len(notes))
    return steps[np.lexsort((rank[ends[1]], rank[ends[0]], inferred))]


def _following(rows: PassageArrays, start: Ints, last: Ints, source: Ints, target: Ints) -> Ints:
    """The passage after each: in the same text, or the first of the note that comes next in time.

    ``source`` and ``target`` are the steps in time, those that count most first.
    """
    n = len(rows.id)
    following = np.arange(1, n + 1, dtype=np.int64)
    if not n:
        return following
    ends = (np.diff(rows.note_id) != 0) | (np.diff(rows.ordinal) > 1)
    following[np.append(np.nonzero(ends)[0], n - 1)] = n
    taken = np.zeros(len(start), dtype=bool)
    for a, b in zip(source, target, strict=True):
        if following[last[a]] == n and not taken[b] and a != b:
            following[last[a]] = start[b]
            taken[b] = True
    return following


def _graph(n: int, source: Ints, target: Ints, known: Ints, edges: EdgeArrays, params: RecallParams) -> Graph:
    """Arcs both ways, as strong as the edge's type and maker allow."""
    forward, back = strengths(edges, params)
    forward, back = forward[known], back[known]
    source, target = source[known], target[known]
    arcs = np.bincount(np.concatenate([source[forward > 0], target[back > 0]]), minlength=n)
    thin = np.maximum(arcs, 1) ** -params.spread_thin
    return build_graph(
        n,
        np.concatenate([source, target]),
        np.concatenate([target, source]),
        np.concatenate([forward * thin[source], back * thin[target]]),
        np.concatenate([known, known]),
    )


def strengths(edges: EdgeArrays, params: RecallParams) -> tuple[Floats, Floats]:
    """Strength of every edge along and against its direction, in [0, 1].

    Order in time is context and no path; a superseded note leads to what replaced it in full.
    """
    makers = {
        CreatedBy.MENTION: 2.0 * params.mention_strength,  # its weight is 0.5 with one namesake
        CreatedBy.AUTO: params.auto_strength,
    }
    factor = np.array([makers.get(m, 1.0) for m in _MAKERS])[edges.created_by]
    along = np.array([_along(t) for t in _TYPES])[edges.type]
    against = np.array([_against(t, params.spread_back) for t in _TYPES])[edges.type]
    against = np.where(edges.created_by == _MAKERS.index(CreatedBy.MENTION), params.mention_back, against)
    base = np.minimum(edges.weight * factor, 1.0)
    return base * along, base * against


def _along(kind: EdgeType) -> float:
    if kind is EdgeType.TEMPORAL_SEQUENCE:
        return 0.0
    return 1.0 if kind in CAUSAL or kind is EdgeType.RELATED_TO else _LIGHT


def _against(kind: EdgeType, back: float) -> float:
    if kind is EdgeType.TEMPORAL_SEQUENCE:
        return 0.0
    return 1.0 if kind is EdgeType.SUPERSEDES else back if kind is not EdgeType.CONTRADICTS else _LIGHT
