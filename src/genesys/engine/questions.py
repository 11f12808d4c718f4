"""Questions with known answers, from pairs or from the vault's links: what an evaluation asks."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from genesys.engine.names import resolve_name
from genesys.engine.view import View, view_of
from genesys.errors import AmbiguousNote, NoteNotFound, VaultError
from genesys.model import EdgeType
from genesys.parse.cloze import Cloze, clozes, spread_out
from genesys.parse.pairs import Pair, read_pairs
from genesys.vault import read

if TYPE_CHECKING:
    from genesys.settings import Settings
    from genesys.store.index import Index

__all__ = ["Asked", "from_links", "from_pairs"]

MAX_SOURCES = 20_000  # notes whose links are looked at; of more a seeded choice
_TYPES = tuple(EdgeType)
_NO_PATHS = (EdgeType.TEMPORAL_SEQUENCE, EdgeType.SUPERSEDES)  # these join texts or hide notes


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and its right notes; ``source`` is the note it was taken from, "" where it was written."""

    query: str
    gold: frozenset[str]
    source: str = ""


def from_pairs(index: Index, text: str, ending: str) -> tuple[list[Asked], tuple[str, ...]]:
    """The questions of a file of pairs, and a line for each that can't be asked.

    A question that stands on several lines has several right notes.
    """
    gold: dict[str, set[str]] = defaultdict(set)
    skipped = []
    for pair in read_pairs(text, ending):
        problem = pair.problem or _resolved(index, pair, gold)
        if problem:
            skipped.append(f"line {pair.line}: {problem}")
    return [Asked(query, frozenset(notes)) for query, notes in gold.items() if notes], tuple(skipped)


def _resolved(index: Index, pair: Pair, gold: dict[str, set[str]]) -> str:
    """Add the notes of a pair; what is wrong with it, "" where nothing is."""
    try:
        notes = {resolve_name(index, name) for name in pair.notes}
    except (NoteNotFound, AmbiguousNote) as error:
        return error.message
    gold[pair.question] |= notes
    return ""


def from_links(index: Index, settings: Settings, n: int, seed: int) -> list[Asked]:
    """At most ``n`` questions from links, the same for the same vault and seed."""
    view = view_of(index, settings.recall)
    paths = index.file_paths([int(note) for note in view.note_ids])
    joined = _joined(view, paths)
    draw = random.Random(seed)
    sources = sorted(paths.values())
    if len(sources) > MAX_SOURCES:
        sources = sorted(draw.sample(sources, MAX_SOURCES))
    found = [c for c in clozes(paths.values(), _texts(settings, sources)) if (c.source, c.target) in joined]
    found.sort(key=lambda c: (c.source, c.line, c.start))
    draw.shuffle(found)
    return [_asked(c) for c in spread_out(found, n)]


def _asked(cloze: Cloze) -> Asked:
    return Asked(cloze.query, frozenset({cloze.target}), cloze.source)


def _texts(settings: Settings, paths: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Notes as they are on disk; what can't be read asks nothing."""
    for path in paths:
        try:
            yield path, read(settings.vault, path, settings.parse.max_note_bytes).decode("utf-8-sig")
        except (VaultError, UnicodeDecodeError):
            continue


def _joined(view: View, paths: Mapping[int, str]) -> set[tuple[str, str]]:
    """(source, target) of edges that can be left out of the graph without a trace."""
    edges = view.edges
    fixed = np.isin(edges.type, [_TYPES.index(t) for t in _NO_PATHS])
    ends = ([paths.get(note, "") for note in end.tolist()] for end in (edges.source, edges.target))
    pairs = list(zip(*ends, strict=True))
    hard = {pair for pair, stays in zip(pairs, fixed, strict=True) if stays}
    return {(a, b) for a, b in pairs if (a, b) not in hard and (b, a) not in hard}
