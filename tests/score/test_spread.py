"""Spreading: one hop, along the strongest path, from good seeds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genesys.score.spread import Graph, build_graph, spread, top_of


def graph(n: int, *arcs: tuple[int, int, float]) -> Graph:
    source = np.array([a[0] for a in arcs], dtype=np.int64)
    target = np.array([a[1] for a in arcs], dtype=np.int64)
    return build_graph(n, source, target, np.array([a[2] for a in arcs], dtype=float), np.arange(len(arcs)))


def test_a_note_gains_by_the_best_arc_and_not_by_their_sum() -> None:
    """A hub that three seeds link to gains what the best of them gives."""
    hub = graph(4, (0, 3, 1.0), (1, 3, 1.0), (2, 3, 0.5))
    found = spread(hub, np.array([1.0, 0.5, 0.2, 0.0]), 10, 0.4, 3)
    assert 0.4 * 0.5 == pytest.approx(found.gain[3])
    assert found.via[3] in (0, 1)


def test_strength_falls_with_the_power_of_the_relative_score() -> None:
    """weight · s · (s/r)^power · strength, r the runner-up's score."""
    found = spread(graph(4, (2, 3, 0.5)), np.array([1.0, 0.8, 0.4, 0.0]), 10, 0.4, 3)
    assert 0.4 * 0.4 * 0.5**3 * 0.5 == pytest.approx(found.gain[3])


def test_a_note_far_above_the_rest_does_not_silence_them() -> None:
    """It speaks as loud as the runner-up, at least by half: the question may be its own sentence."""
    scores = np.array([1.0, 0.8, 0.0, 0.0])
    found = spread(graph(4, (0, 2, 1.0), (1, 3, 1.0)), scores, 10, 0.4, 3)
    assert 0.4 * 0.8 == pytest.approx(found.gain[2]) == pytest.approx(found.gain[3])
    alone = spread(graph(4, (0, 2, 1.0)), np.array([1.0, 0.0, 0.0, 0.0]), 10, 0.4, 3)
    assert 0.4 * 0.5 == pytest.approx(alone.gain[2])


def test_of_two_arcs_to_one_note_the_stronger_counts() -> None:
    """Parallel edges are one path, the best."""
    found = spread(graph(2, (0, 1, 0.9), (0, 1, 0.3)), np.array([1.0, 0.0]), 1, 1.0, 1)
    assert 0.9 == pytest.approx(found.gain[1])


def test_loops_and_arcs_without_strength_are_no_arcs() -> None:
    """A note does not recommend itself."""
    assert 0 == len(graph(2, (0, 0, 1.0), (0, 1, 0.0)).target)


def test_only_seeds_speak() -> None:
    """The second best has no say where one seed is asked for."""
    found = spread(graph(3, (1, 2, 1.0)), np.array([1.0, 0.9, 0.0]), 1, 1.0, 1)
    assert [0.0, 0.0, 0.0] == found.gain.tolist()
    assert [-1, -1, -1] == found.via.tolist()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.integers(1, 25))
def test_top_of_is_a_stable_sort(values: list[float], count: int) -> None:
    """Best first, equals by number."""
    scores = np.array(values)
    assert np.argsort(-scores, kind="stable")[:count].tolist() == top_of(scores, count).tolist()


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.floats(0, 1)), max_size=15))
def test_gain_never_exceeds_what_the_best_seed_can_give(arcs: list[tuple[int, int, float]]) -> None:
    """So spreading can't bury the seeds themselves."""
    scores = np.linspace(1, 0.1, 6)
    found = spread(graph(6, *arcs), scores, 10, 0.4, 3)
    assert found.gain.max(initial=0.0) <= 0.4 + 1e-12
    assert ((found.gain > 0) == (found.via >= 0)).all()
