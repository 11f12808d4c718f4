"""What a recall does to the neighbours: a weaker access, 0.3 a hop, to depth 2.

Spreading activation weakens with the number of things a note is tied to (the fan effect: Anderson 1974,
"Retrieval of propositional information"), so a note with more than ``cascade_fan`` neighbours shares out
what it passes on; recalling a hub does not refresh half the vault.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from genesys.model import ScoreParams

__all__ = ["cascade"]

DEFAULTS = ScoreParams()


def cascade(
    adjacency: Mapping[int, Collection[int]], recalled: Iterable[int], params: ScoreParams = DEFAULTS
) -> dict[int, float]:
    """Access weight of every note within ``cascade_depth`` hops of the recalled ones, without these.

    ``adjacency`` gives the supportive neighbours, in both directions, of at least the recalled notes and
    of the notes up to one hop short of the depth. Along several ways the strongest counts. Weights under
    ``cascade_floor`` are left out.
    """
    reached = dict.fromkeys(recalled, 1.0)
    seeds = frozenset(reached)
    edge = dict(reached)
    for _ in range(params.cascade_depth):
        following: dict[int, float] = {}
        for node, strength in edge.items():
            neighbours = adjacency.get(node, ())
            passed = strength * params.access_cascade * min(1.0, params.cascade_fan / max(len(neighbours), 1))
            if passed < params.cascade_floor:
                continue
            for other in neighbours:
                if passed > reached.get(other, 0.0):
                    reached[other] = following[other] = passed
        edge = following
    return {node: weight for node, weight in reached.items() if node not in seeds}
