"""What proposals of every kind start from: the memories, and how a proposal is called."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from genesys.model import EdgeType, Kind, Status
from genesys.reports import EvolveKind, Proposal
from genesys.store.index import Index
from genesys.store.rows import NoteRow

__all__ = ["Memories", "memories_of", "proposal"]

_SUPERSEDES = tuple(EdgeType).index(EdgeType.SUPERSEDES)


@dataclass(frozen=True, slots=True)
class Memories:
    """The memories that hold, by id: not those that a person keeps from us, nor those superseded."""

    rows: Mapping[int, NoteRow]


def memories_of(index: Index) -> Memories:
    """The memories of a vault that evolve may touch."""
    edges = index.edge_arrays()
    superseded = set(np.unique(edges.target[edges.type == _SUPERSEDES]).tolist())
    return Memories(
        {
            row.id: row
            for row in index.all_notes()
            if row.kind is Kind.MEMORY
            and not row.opted_out
            and row.status is not Status.PRUNED
            and row.id not in superseded
        }
    )


def proposal(
    kind: EvolveKind, path: str, reason: str, other: str = "", *, sure: bool = True, mark: str = ""
) -> Proposal:
    """A proposal under a name of its own, the same each time; ``mark`` tells apart what comes again.

    Where a copy would go is no part of the name: the shared vault may be another one day.
    """
    text = "\0".join((kind.value, path, "" if kind is EvolveKind.SHARE else other, mark))
    return Proposal(
        hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=4).hexdigest(),
        kind,
        path,
        reason,
        other,
        sure,
    )
