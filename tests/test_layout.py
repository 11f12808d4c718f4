"""Drawings: columns run with the arrows, boxes never overlap, the same input gives the same picture."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from genesys.layout import components, layers, place, route, stack

NAMES = [f"n{i}" for i in range(12)]
ARROWS = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=40)


def test_a_chain_runs_from_left_to_right() -> None:
    """Each name stands one column right of what points to it, also where a shorter way leads there."""
    assert {"a": 0, "b": 1, "c": 2} == layers(["c", "a", "b"], [("a", "b"), ("b", "c"), ("a", "c")])


def test_a_cycle_is_cut_where_it_closes() -> None:
    """Two notes that cause each other still get two columns, and nothing hangs."""
    assert [0, 1] == sorted(layers(["a", "b"], [("a", "b"), ("b", "a")]).values())


def test_a_long_chain_needs_no_recursion() -> None:
    """Ten thousand notes in a row are ten thousand columns."""
    names = [str(i) for i in range(10_000)]
    assert 9_999 == layers(names, list(pairwise(names)))["9999"]


@given(ARROWS)
def test_boxes_never_overlap(arrows: list[tuple[str, str]]) -> None:
    """Boxes of a column keep their distance, whatever the arrows are; the picture is the same twice."""
    column = layers(NAMES, arrows)
    height = {name: 20.0 + 7 * at for at, name in enumerate(NAMES)}
    top = place(column, arrows, height, 10)
    assert top == place(column, arrows, height, 10)
    for at in set(column.values()):
        boxes = sorted((top[n], height[n]) for n in NAMES if column[n] == at)
        for (upper, size), (lower, _) in pairwise(boxes):
            assert upper + size + 10 <= lower + 1e-6


@given(ARROWS)
def test_an_arrow_that_passes_a_column_gets_a_lane(arrows: list[tuple[str, str]]) -> None:
    """One lane in each column between its ends, clear of every box there."""
    column = layers(NAMES, arrows)
    top, lanes = route(column, arrows, dict.fromkeys(NAMES, 30.0), 8, 4)
    for (start, end), points in lanes.items():
        assert list(range(column[start] + 1, column[end])) == [at for at, _ in points]
        for at, middle in points:
            boxes = [top[name] for name in NAMES if column[name] == at]
            assert all(middle <= upper - 2 or upper + 32 <= middle for upper in boxes)


@given(ARROWS)
def test_groups_hold_everything_once(arrows: list[tuple[str, str]]) -> None:
    """Every name is in one group, and no arrow leads from one group to another."""
    groups = components(NAMES, arrows)
    assert sorted(NAMES) == sorted(name for group in groups for name in group)
    home = {name: at for at, group in enumerate(groups) for name in group}
    assert all(home[a] == home[b] for a, b in arrows)


@given(st.lists(st.tuples(st.floats(-1e4, 1e4), st.floats(1, 500)), max_size=20))
def test_a_stack_keeps_order_and_distance(rows: list[tuple[float, float]]) -> None:
    """Boxes follow each other at least the gap apart; one alone stands exactly where it wants."""
    tops = stack([want for want, _ in rows], [size for _, size in rows], 5)
    for (a, (_, size)), b in zip(zip(tops, rows, strict=True), tops[1:], strict=False):
        assert a + size + 5 <= b + 1e-6
    if len(rows) == 1:
        assert abs(tops[0] + rows[0][1] / 2 - rows[0][0]) < 1e-6
