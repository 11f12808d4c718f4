"""Why a note is as it is: chains over typed edges, and what hangs on it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from genesys.model import CAUSAL, SUPPORTIVE, WRITTEN, CreatedBy, Edge, EdgeType, Step
from genesys.reports import NoteRef, WhyReport
from genesys.store.index import Index

__all__ = ["neighbourhood", "why"]

MAX_STEPS = 60  # steps a direction: a chain that a person still reads

Neighbours = Callable[[Edge, str], str | None]


def why(
    index: Index, path: str, depth: int, refs: Callable[[Iterable[str]], dict[str, NoteRef]]
) -> WhyReport:
    """Causes upstream and effects downstream of ``path``, at most ``depth`` steps away.

    An edge ``a —caused_by→ b`` makes b upstream of a; the same holds for ``derived_from``. ``a —supports→
    b`` makes a upstream of b: what supports something is a reason for it.
    """
    upstream = _chain(index, path, depth, _cause_of)
    downstream = _chain(index, path, depth, _effect_of)
    around = _edges(index, [path])
    shown = {s.edge for s in (*upstream, *downstream)}
    related = tuple(e for e in around if e not in shown)
    names = refs({path, *(s.path for s in (*upstream, *downstream))})

    def titled(steps: list[Step]) -> tuple[Step, ...]:
        return tuple(_named(s, names) for s in steps)

    last, only = _removal_impact(index, path, around)
    return WhyReport(names[path], titled(upstream), titled(downstream), related, last, only)


def _edges(index: Index, paths: Collection[str], types: Collection[EdgeType] = ()) -> list[Edge]:
    """Edges at any of the notes, both directions; no types means all."""
    return index.edges_of(list(index.note_ids(list(paths)).values()), types or None)


def _named(step: Step, names: dict[str, NoteRef]) -> Step:
    title = names[step.path].title if step.path in names else step.path
    return Step(step.path, title, step.edge, step.depth)


def _cause_of(edge: Edge, path: str) -> str | None:
    """The other end of ``edge`` where it is a cause of ``path``."""
    if edge.type in (EdgeType.CAUSED_BY, EdgeType.DERIVED_FROM) and edge.source == path:
        return edge.target
    if edge.type is EdgeType.SUPPORTS and edge.target == path:
        return edge.source
    return None


def _effect_of(edge: Edge, path: str) -> str | None:
    if edge.type in (EdgeType.CAUSED_BY, EdgeType.DERIVED_FROM) and edge.target == path:
        return edge.source
    if edge.type is EdgeType.SUPPORTS and edge.source == path:
        return edge.target
    return None


def _chain(index: Index, start: str, depth: int, other: Neighbours) -> list[Step]:
    """Breadth first, so that each note is reached by its shortest chain, and listed as a tree: each step
    right below the one it continues. Cycles end where they began."""
    seen = {start}
    below: dict[str, list[Step]] = {}
    level = [start]
    for distance in range(1, depth + 1):
        edges = sorted(_edges(index, level, CAUSAL), key=_order)
        following: list[str] = []
        for path in level:
            for edge in edges:
                end = other(edge, path)
                if end is None or end in seen or len(seen) > MAX_STEPS:
                    continue
                seen.add(end)
                following.append(end)
                below.setdefault(path, []).append(Step(end, "", edge, distance))
        level = following
        if not level:
            break
    return _as_tree(below, start)


def _as_tree(below: Mapping[str, Sequence[Step]], start: str) -> list[Step]:
    """The steps depth first; without recursion, since a chain may be long."""
    listed: list[Step] = []
    waiting = list(reversed(below.get(start, ())))
    while waiting:
        step = waiting.pop()
        listed.append(step)
        waiting += reversed(below.get(step.path, ()))
    return listed


def _order(edge: Edge) -> tuple[float, str, str]:
    return (-edge.weight, edge.source, edge.target)


def _removal_impact(
    index: Index, path: str, around: Sequence[Edge]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Notes that would lose their last cause, or their only link, were ``path`` gone."""
    neighbours = sorted({e.target if e.source == path else e.source for e in around})
    if not neighbours:
        return (), ()
    edges = _edges(index, neighbours)
    last_cause, only_link = [], []
    for note in neighbours:
        own = [e for e in edges if note in (e.source, e.target)]
        causes = {c for e in own if (c := _cause_of(e, note))}
        if causes == {path}:
            last_cause.append(note)
        links = [e for e in own if e.type in SUPPORTIVE]
        ends = {e.target if e.source == note else e.source for e in links}
        # A likeness or a mention alone is no link that somebody could miss.
        if ends == {path} and any(e.created_by in (*WRITTEN, CreatedBy.CUE) for e in links):
            only_link.append(note)
    return tuple(last_cause), tuple(only_link)


def neighbourhood(
    index: Index,
    path: str,
    depth: int,
    types: Sequence[EdgeType],
    direction: str,
    limit: int,
) -> tuple[list[str], list[Edge], bool]:
    """Paths within ``depth`` of ``path`` and all edges among them (the induced subgraph).

    ``direction`` is ``out`` (from source to target), ``in`` or ``both``.
    """
    seen: dict[str, None] = {path: None}
    queue: deque[str] = deque([path])
    truncated = False
    for _ in range(depth):
        level = list(queue)
        queue.clear()
        reached = _edges(index, level, types) if level else []
        for end in _ends(reached, set(level), direction):
            if end in seen:
                continue
            if len(seen) >= limit:
                truncated = True
                break
            seen[end] = None
            queue.append(end)
    inside = index.edges_among(list(index.note_ids(list(seen)).values()), types or None)
    return list(seen), inside, truncated


def _ends(edges: Iterable[Edge], level: set[str], direction: str) -> Iterable[str]:
    for edge in sorted(edges, key=_order):
        if direction in ("out", "both") and edge.source in level:
            yield edge.target
        if direction in ("in", "both") and edge.target in level:
            yield edge.source
