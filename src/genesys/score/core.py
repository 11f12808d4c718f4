"""Which notes are the vault's core: what is kept at hand whatever its age.

``consolidation = 0.4·reactivation + 0.3·hub + 0.2·schema + 0.1·stability``. Hub is a note's supportive
degree over the vault's mean, capped at 3× and scaled to [0, 1]; schema is the share of its neighbours that
are above that mean (new knowledge settles fastest where it fits what is well known: van Kesteren et al.
2012); stability is S scaled to [0, 1]. Members stay until they fall below a lower threshold, and hold their
place against a newcomer that is only slightly better, so membership does not flap.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from genesys.model import LifecycleParams, ScoreParams
from genesys.score.arrays import Bools, Edges, Floats, totals
from genesys.score.connectivity import pairs

__all__ = ["CoreChoice", "Preferences", "consolidation", "hub_and_schema", "select"]

DEFAULTS = LifecycleParams()
SCORING = ScoreParams()


@dataclass(frozen=True, slots=True)
class Preferences:
    """A person's say by category: always core, only after asking, never."""

    auto: frozenset[str] = frozenset()
    approval: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class CoreChoice:
    """Notes by number: ``core`` with the reason for each, and ``proposals`` that wait for a yes."""

    core: dict[int, str]
    proposals: dict[int, str]


NO_PREFERENCES = Preferences()


def hub_and_schema(
    n: int, edges: Edges, params: LifecycleParams = DEFAULTS, scoring: ScoreParams = SCORING
) -> tuple[Floats, Floats]:
    """(hub, schema), float64[n] each in [0, 1]; both 0 in a vault without supportive edges."""
    a, b, _ = pairs(edges, scoring)
    degree = np.bincount(a, minlength=n) + np.bincount(b, minlength=n)
    mean = float(degree.mean()) if n else 0.0
    if mean == 0.0:
        return np.zeros(n), np.zeros(n)
    hub = np.minimum(degree / mean, params.core_hub_cap) / params.core_hub_cap
    above = (degree > mean).astype(np.float64)
    shared = totals(n, a, above[b]) + totals(n, b, above[a])
    return hub, shared / np.maximum(degree, 1)


def consolidation(
    reactivation: Floats,
    hub: Floats,
    schema: Floats,
    stability: Floats,
    params: LifecycleParams = DEFAULTS,
    scoring: ScoreParams = SCORING,
) -> Floats:
    """How settled each note is, float64[n] in [0, 1]; ``stability`` is S, from 1 to its maximum."""
    reach = scoring.stability_max - 1.0
    settled = (stability - 1.0) / reach if reach > 0 else np.zeros_like(stability)
    return (
        params.core_weight_reactivation * reactivation
        + params.core_weight_hub * hub
        + params.core_weight_schema * schema
        + params.core_weight_stability * settled
    )


def select(
    value: Floats,
    pinned: Bools,
    members: Collection[int],
    category: Sequence[str],
    preferences: Preferences = NO_PREFERENCES,
    eligible: Bools | None = None,
    params: LifecycleParams = DEFAULTS,
) -> CoreChoice:
    """The core of a vault of n notes whose consolidation is ``value``.

    ``members`` are core now, ``eligible`` is false for what can't be (pruned). A pin counts before every
    preference, ``excluded`` before ``auto``. Pins and ``auto`` take none of the places given by score, of
    which there are ``core_share`` of the vault, rounded down, and at most ``core_max``.
    """
    chosen: dict[int, str] = {}
    proposals: dict[int, str] = {}
    able = np.ones(len(value), np.bool_) if eligible is None else eligible
    for at in np.flatnonzero(able & pinned).tolist():
        chosen[at] = "pinned"
    for at, name in enumerate(category):
        if name and name in preferences.auto and name not in preferences.excluded and able[at]:
            chosen.setdefault(at, f"category “{name}” is always core")
    places = min(int(len(value) * params.core_share), params.core_max)
    for at, inside in _ranked(value, able, members, params):
        if at in chosen or category[at] in preferences.excluded:
            continue
        if category[at] in preferences.approval and not inside:
            proposals[at] = f"consolidation {value[at]:.2f}; category “{category[at]}” asks first"
        elif places > 0:
            limit = params.core_leave if inside else params.core_threshold
            chosen[at] = f"consolidation {value[at]:.2f}, at least {limit:g}"
            places -= 1
    return CoreChoice(chosen, proposals)


def _ranked(
    value: Floats, able: Bools, members: Collection[int], params: LifecycleParams
) -> list[tuple[int, bool]]:
    """(note, is a member) of those above their threshold, best first; members with the gap as a bonus."""
    inside = np.zeros(len(value), np.bool_)
    inside[list(members)] = True
    limit = np.where(inside, params.core_leave, params.core_threshold)
    found = np.flatnonzero(able & (value >= limit))
    margin = value[found] - limit[found]  # a member's margin already holds its bonus
    order = found[np.argsort(-margin, kind="stable")]
    return [(at, bool(inside[at])) for at in order.tolist()]
