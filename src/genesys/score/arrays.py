"""The columns that scoring works on: a whole vault as flat arrays, notes numbered 0 … n−1.

Enumerations travel as small integers: the position of the member in its enumeration.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from genesys.model import CAUSAL, SUPPORTIVE, AccessKind, EdgeType, Kind, Status

__all__ = [
    "ACCESS_CODE",
    "CAUSAL_TYPE",
    "DAY",
    "KINDS",
    "KIND_CODE",
    "STATUSES",
    "STATUS_CODE",
    "SUPPORTIVE_TYPE",
    "TYPE_CODE",
    "Accesses",
    "Bools",
    "Codes",
    "Edges",
    "Floats",
    "Ints",
    "access_rows",
    "edge_rows",
    "totals",
]

DAY = 86_400.0  # seconds in a day: times come in seconds, formulas count days

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Codes: TypeAlias = npt.NDArray[np.int8]
Bools: TypeAlias = npt.NDArray[np.bool_]

ACCESS_CODE = {kind: code for code, kind in enumerate(AccessKind)}
TYPE_CODE = {kind: code for code, kind in enumerate(EdgeType)}
STATUSES = tuple(Status)
STATUS_CODE = {status: code for code, status in enumerate(STATUSES)}
KINDS = tuple(Kind)
KIND_CODE = {kind: code for code, kind in enumerate(KINDS)}

CAUSAL_TYPE: Bools = np.array([kind in CAUSAL for kind in EdgeType], dtype=np.bool_)
SUPPORTIVE_TYPE: Bools = np.array([kind in SUPPORTIVE for kind in EdgeType], dtype=np.bool_)


@dataclass(frozen=True, slots=True)
class Accesses:
    """Accesses of a vault, in any order: ``note`` int64[m], ``time`` float64[m] in UNIX seconds,
    ``weight`` float[m] ≥ 0, ``kind`` int8[m] as in :data:`ACCESS_CODE`."""

    note: Ints
    time: Floats
    weight: npt.NDArray[np.floating]
    kind: Codes

    def __len__(self) -> int:
        return len(self.note)

    def take(self, mask: Bools) -> Accesses:
        """The rows where ``mask`` is true."""
        return Accesses(self.note[mask], self.time[mask], self.weight[mask], self.kind[mask])

    def plus(self, other: Accesses) -> Accesses:
        """These rows and those of ``other``."""
        return Accesses(
            np.concatenate((self.note, other.note)),
            np.concatenate((self.time, other.time)),
            np.concatenate((self.weight, other.weight)),
            np.concatenate((self.kind, other.kind)),
        )

    def of(self, index: int) -> Accesses:
        """The rows of one note, renumbered to note 0."""
        rows = self.take(self.note == index)
        return Accesses(np.zeros(len(rows), np.int64), rows.time, rows.weight, rows.kind)


@dataclass(frozen=True, slots=True)
class Edges:
    """Edges of a vault: ``source``, ``target`` int64[m]; ``type`` int8[m] as in :data:`TYPE_CODE`;
    ``weight`` float[m] in (0, 1]."""

    source: Ints
    target: Ints
    type: Codes
    weight: npt.NDArray[np.floating]

    def __len__(self) -> int:
        return len(self.source)


def totals(n: int, note: npt.NDArray[np.integer], value: npt.NDArray[np.floating]) -> Floats:
    """``value`` added up per note, float64[n]; also where there is none (bincount alone makes integers)."""
    return np.asarray(np.bincount(note, weights=value, minlength=n), dtype=np.float64)


def access_rows(rows: Iterable[tuple[int, float, float, AccessKind]]) -> Accesses:
    """Columns from (note, UNIX seconds, weight, kind) rows."""
    listed = list(rows)
    return Accesses(
        np.array([row[0] for row in listed], dtype=np.int64),
        np.array([row[1] for row in listed], dtype=np.float64),
        np.array([row[2] for row in listed], dtype=np.float32),
        np.array([ACCESS_CODE[row[3]] for row in listed], dtype=np.int8),
    )


def edge_rows(rows: Iterable[tuple[int, int, EdgeType, float]]) -> Edges:
    """Columns from (source, target, type, weight) rows."""
    listed = list(rows)
    return Edges(
        np.array([row[0] for row in listed], dtype=np.int64),
        np.array([row[1] for row in listed], dtype=np.int64),
        np.array([TYPE_CODE[row[2]] for row in listed], dtype=np.int8),
        np.array([row[3] for row in listed], dtype=np.float32),
    )
