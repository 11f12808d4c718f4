"""Which notes a language model is asked about: new memories with what is near them, and alike episodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from genesys.embed import Embedder
from genesys.engine.recall import recall
from genesys.inference import Candidates, Excerpt, Question
from genesys.model import CAUSAL, CreatedBy, Edge, EdgeType, Filters, MemoryType
from genesys.parse.secrets import find_secret
from genesys.settings import Settings
from genesys.store.index import Index
from genesys.store.rows import NoteRow

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["FLOOR", "candidates", "drop_edges", "keep_edges"]

NEAR = 6  # notes shown beside a memory
SHOWN = 1_200  # characters of a note that the model sees
ASKED = 400  # characters of a memory that its neighbours are looked for with
EPISODES = 500  # the newest that are compared with each other
ALIKE = 0.5  # cosine of two episodes' mean vectors from which they may be one subject, with MiniLM
LEAST, MOST = 3, 10  # episodes that make a group
FLOOR = 0.6  # an edge needs more confidence than this


def candidates(
    index: Index, settings: Settings, embedder: Embedder | None, limit: int, now: float
) -> Candidates:
    """The newest ``limit`` memories with the notes near them, and groups of episodes about one subject.

    Notes that opted out are not among them, nor any with a secret in it.
    """
    newest = [path for _, path in index.memories_after(0)][::-1]
    rows = {row.path: row for row in index.notes_by_path(newest)}
    memories = [rows[path] for path in newest if path in rows and not rows[path].opted_out]
    asked = [r for r in memories if r.memory_type is not MemoryType.EPISODIC][:limit]
    questions = [q for row in asked if (q := _question(index, settings, embedder, row, now)) is not None]
    notices = () if embedder is not None else ("episodes are not compared: there are no vectors",)
    episodes = [row for row in memories if row.memory_type is MemoryType.EPISODIC][:EPISODES]
    groups = list(_groups(index, embedder, episodes)) if embedder is not None else []
    return Candidates(tuple(questions), tuple(groups), notices)


def _question(
    index: Index, settings: Settings, embedder: Embedder | None, row: NoteRow, now: float
) -> Question | None:
    note = _excerpt(index, row)
    if note is None:
        return None
    answer = recall(
        index, embedder, settings, f"{row.title}\n{note.text[:ASKED]}", 2 * NEAR, Filters(), now=now
    )
    tied = _tied(index, row)
    paths = [hit.path for hit in answer.hits if hit.path not in tied and not hit.low_confidence]
    found = {r.path: r for r in index.notes_by_path(paths)}
    near = [e for path in paths if path in found and (e := _excerpt(index, found[path])) is not None]
    return Question(note, tuple(near[:NEAR])) if near else None


def _tied(index: Index, row: NoteRow) -> set[str]:
    """The note itself, and those it has a causal edge with already."""
    edges = index.edges_of([row.id], CAUSAL)
    return {row.path} | {path for edge in edges for path in (edge.source, edge.target)}


def _excerpt(index: Index, row: NoteRow) -> Excerpt | None:
    text = "\n".join(passage.text for passage in index.passages_of(row.id))[:SHOWN]
    if row.opted_out or not text.strip() or find_secret(text) or find_secret(row.title):
        return None
    return Excerpt(row.path, row.title, text, (row.note_date or row.created)[:10])


# ------------------------------------------------------------------ groups


def _groups(index: Index, embedder: Embedder, rows: Sequence[NoteRow]) -> Iterator[tuple[Excerpt, ...]]:
    """Greedy, the newest first: an episode and those most like it, each in one group at most."""
    centres = _centres(index, embedder.model_id, {row.id for row in rows})
    open_ = {row.id: row for row in rows if row.id in centres}
    while open_:
        first = next(iter(open_))
        alike = {n: float(centres[first] @ centres[n]) for n in open_}
        members = sorted((n for n in alike if alike[n] >= ALIKE or n == first), key=lambda n: (-alike[n], n))
        members = [first, *(n for n in members if n != first)][:MOST]
        group = [open_.pop(n) for n in members] if len(members) >= LEAST else [open_.pop(first)]
        if len(group) >= LEAST and not _summed_up(index, group):
            excerpts = [e for row in group if (e := _excerpt(index, row)) is not None]
            if len(excerpts) >= LEAST:
                yield tuple(excerpts)


def _centres(index: Index, model: str, notes: set[int]) -> Mapping[int, NDArray[np.float32]]:
    """The mean vector of each note, of length one."""
    import numpy as np

    matrix = index.matrix(model)
    found: dict[int, NDArray[np.float32]] = {}
    if matrix is not None:
        for note in notes:
            mean = matrix.vectors[matrix.note_id == note].sum(axis=0)
            if (norm := float(np.linalg.norm(mean))) > 0:
                found[note] = np.asarray(mean / norm, dtype=np.float32)
    return found


def _summed_up(index: Index, rows: Sequence[NoteRow]) -> bool:
    """Whether one note is derived from all of them already."""
    sources = [{e.source for e in index.edges_of([row.id], [EdgeType.DERIVED_FROM], "in")} for row in rows]
    return bool(set.intersection(*sources))


# ------------------------------------------------------------------ edges


def keep_edges(index: Index, edges: Sequence[Edge], now: float) -> int:
    """Add a model's edges to the index, never to a note; how many were new.

    Only causal ones over the floor, with a reason, between notes that have none yet.
    """
    kept = [e for e in edges if e.type in CAUSAL and FLOOR < e.weight <= 1 and e.evidence.strip()]
    count = 0
    with index.transaction():
        for edge in kept:
            ids = [index.note_id(edge.source), index.note_id(edge.target)]
            ends = [note for note in ids if note is not None]
            if len(ends) == 2 and not index.edges_among(ends, CAUSAL):
                made = Edge(edge.source, edge.target, edge.type, edge.weight, CreatedBy.LLM, edge.evidence)
                count += index.add_edges([made])
        if count:
            index.add_event("infer", "", {"edges": count}, now=now)
    return count


def drop_edges(index: Index, now: float) -> int:
    """Take every edge of a model out again; how many there were."""
    _, removed = index.replace_inferred(CreatedBy.LLM, [])
    if removed:
        index.add_event("infer", "", {"dropped": removed}, now=now)
    return removed
