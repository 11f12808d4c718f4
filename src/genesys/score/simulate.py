"""A vault's life on a frozen clock: the same functions as the maintenance pass, day after day.

For tests, and for "what becomes of my notes if I leave them alone". Nothing here is random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from genesys.model import LifecycleParams, ScoreParams, Status
from genesys.score.arrays import DAY, STATUS_CODE, Accesses, Bools, Codes, Edges, Floats
from genesys.score.connectivity import orphans, support
from genesys.score.core import Preferences, consolidation, hub_and_schema, select
from genesys.score.decay import VaultScores, score_vault
from genesys.score.lifecycle import Change, Roster, changes

__all__ = ["Scene", "Timeline", "simulate"]

SCORING = ScoreParams()
LIFE = LifecycleParams()
NO_PREFERENCES = Preferences()


@dataclass(frozen=True, slots=True)
class Scene:
    """n notes and all that ever happens to them; an access later than a day has not happened yet.

    ``status`` int8[n] and ``since`` float64[n] (UNIX seconds) are the state at the start; without them
    every note is active from its first access. ``focus`` float64[n] holds throughout.
    """

    accesses: Accesses
    edges: Edges
    kind: Codes
    pinned: Bools
    category: Sequence[str]
    status: Codes | None = None
    since: Floats | None = None
    focus: Floats | None = None
    preferences: Preferences = NO_PREFERENCES

    def __len__(self) -> int:
        return len(self.kind)


@dataclass(frozen=True, slots=True)
class Timeline:
    """``time`` float64[t] (UNIX seconds), ``score`` float64[t, n], ``status`` int8[t, n] after each pass,
    and every change with its time."""

    time: Floats
    score: npt.NDArray[np.float64]
    status: npt.NDArray[np.int8]
    changes: tuple[tuple[float, Change], ...]

    def of(self, index: int) -> tuple[tuple[float, Change], ...]:
        """The changes of one note."""
        return tuple(row for row in self.changes if row[1].index == index)


def simulate(
    scene: Scene,
    start: float,
    days: int,
    params: ScoreParams = SCORING,
    lifecycle: LifecycleParams = LIFE,
    step_days: float = 1.0,
) -> Timeline:
    """Run a maintenance pass every ``step_days`` from ``start`` (UNIX seconds), for ``days`` days."""
    n = len(scene)
    held = support(n, scene.edges, params)
    shape = hub_and_schema(n, scene.edges, lifecycle, params)
    alone = orphans(n, scene.edges)
    born = np.full(n, np.inf)
    np.minimum.at(born, scene.accesses.note, scene.accesses.time)
    status = np.zeros(n, np.int8) if scene.status is None else scene.status.copy()
    since = born.copy() if scene.since is None else scene.since.copy()
    times = start + DAY * np.arange(0.0, days + step_days / 2, step_days)
    scores, statuses, log = np.zeros((len(times), n)), np.zeros((len(times), n), np.int8), []
    for row, now in enumerate(times.tolist()):
        past = scene.accesses.take(scene.accesses.time <= now)
        result = score_vault(n, past, held, now, scene.focus, params)
        core = _core(scene, result, shape, status, born <= now, params, lifecycle)
        stay = np.maximum((now - since) / DAY, 0.0)
        roster = Roster(status, stay, scene.kind, scene.pinned & (born <= now), core, alone)
        for change in changes(roster, result.score, result.idle_days, lifecycle):
            status[change.index], since[change.index] = STATUS_CODE[change.new], now
            log.append((now, change))
        scores[row], statuses[row] = result.score, status
    return Timeline(times, scores, statuses, tuple(log))


def _core(
    scene: Scene,
    result: VaultScores,
    shape: tuple[Floats, Floats],
    status: Codes,
    alive: Bools,
    params: ScoreParams,
    lifecycle: LifecycleParams,
) -> Bools:
    """Who is core in this pass, pins included."""
    value = consolidation(result.reactivation, *shape, result.stability, lifecycle, params)
    members = np.flatnonzero(status == STATUS_CODE[Status.CORE]).tolist()
    eligible = alive & (status != STATUS_CODE[Status.PRUNED])
    choice = select(value, scene.pinned, members, scene.category, scene.preferences, eligible, lifecycle)
    core = np.zeros(len(scene), np.bool_)
    core[list(choice.core)] = True
    return core
