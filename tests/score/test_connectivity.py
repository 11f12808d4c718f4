"""How well a note is held by its neighbours."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genesys.model import SUPPORTIVE, EdgeType
from genesys.score.arrays import edge_rows
from genesys.score.connectivity import connectivity, degrees, orphans, support

EDGES = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6), st.sampled_from(list(EdgeType)), st.floats(0.01, 1.0)),
    max_size=40,
)


def brute(n, rows):
    """W by its definition, with dictionaries."""
    value = {EdgeType.RELATED_TO: 0.5}
    best = [{} for _ in range(n)]
    for source, target, kind, weight in rows:
        if source == target or kind not in SUPPORTIVE:
            continue
        strength = value.get(kind, 1.0) * float(np.float32(weight))
        for a, b in ((source, target), (target, source)):
            best[a][b] = max(best[a].get(b, 0.0), strength)
    return [sum(found.values()) for found in best], [len(found) for found in best]


@given(EDGES)
def test_support_adds_up_the_distinct_neighbours_at_their_strongest(rows):
    """W and degree agree with their definition, with doubled, reversed and negative edges around."""
    expected, count = brute(7, rows)
    np.testing.assert_allclose(support(7, edge_rows(rows)), expected, rtol=1e-6)
    assert count == degrees(7, edge_rows(rows)).tolist()


@pytest.mark.parametrize(
    ("expected", "total"), [(0.1, 0.0), (0.2423, 0.5), (0.3432, 1.0), (1.0, 12.0), (1.0, 500.0)]
)
def test_connectivity_rises_from_a_tenth_to_one(expected, total):
    """Nothing 0.1, one related neighbour 0.24, one cause 0.34, twelve causes 1, and no further."""
    assert expected == pytest.approx(connectivity(np.array([total]))[0], abs=1e-4)


@given(EDGES, st.integers(0, 6), st.integers(0, 6), st.sampled_from(list(EdgeType)))
def test_a_new_link_moves_no_third_note(rows, source, target, kind):
    """An edge changes the connectivity of its two ends and of nobody else, however large the vault."""
    before = support(7, edge_rows(rows))
    after = support(9, edge_rows([*rows, (source, target, kind, 1.0)]))
    others = [i for i in range(7) if i not in (source, target)]
    np.testing.assert_allclose(after[others], before[others], rtol=1e-12)
    assert (after[:7] >= before - 1e-12).all()


def test_negative_edges_hold_nothing_but_leave_no_orphan():
    """What supersedes a note gives it no support, yet the note is no orphan: it is part of a story."""
    kinds = (EdgeType.SUPERSEDES, EdgeType.TEMPORAL_SEQUENCE, EdgeType.SUPPORTS)
    ends = ((0, 1), (2, 3), (4, 4))
    edges = edge_rows([(a, b, kind, 1.0) for (a, b), kind in zip(ends, kinds, strict=True)])
    assert [0.0] * 5 == support(5, edges).tolist()
    assert [False, False, True, True, True] == orphans(5, edges).tolist()
