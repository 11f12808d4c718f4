"""A year of use on a frozen clock."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genesys.model import AccessKind, EdgeType, Kind, Status
from genesys.score.activation import recall_weight
from genesys.score.arrays import DAY, KIND_CODE, STATUSES, access_rows, edge_rows
from genesys.score.simulate import Scene, Timeline, simulate

START = 1_800_000_000.0
HOUR = 1 / 24
WIDENING = [1, 3, 7, 15, 31, 63, 127, 255]
R, E, X = AccessKind.RECALL, AccessKind.EDIT, AccessKind.CASCADE


class Year:
    """Notes by name with their accesses by day, and links between them."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.rows: list[tuple[int, float, float, AccessKind]] = []
        self.edges: list[tuple[int, int, EdgeType, float]] = []
        self.kinds: list[Kind] = []
        self.pins: list[bool] = []

    def note(self, name, recalls=(), *, created=0.0, kind=Kind.NOTE, pinned=False, access=R):
        at = len(self.names)
        self.names.append(name)
        self.kinds.append(kind)
        self.pins.append(pinned)
        self.rows.append((at, START + created * DAY, 1.0, AccessKind.CREATE))
        weight = {R: 1.0, E: 0.5, X: 0.3}[access]
        self.rows += [(at, START + day * DAY, weight, access) for day in recalls]

    def link(self, source, target, kind=EdgeType.RELATED_TO, weight=1.0):
        self.edges.append((self.names.index(source), self.names.index(target), kind, weight))

    def scene(self, **more) -> Scene:
        return Scene(
            access_rows(self.rows),
            edge_rows(self.edges),
            np.array([KIND_CODE[k] for k in self.kinds], dtype=np.int8),
            np.array(self.pins),
            [""] * len(self.names),
            **more,
        )

    def run(self, days=365, **more) -> Timeline:
        return simulate(self.scene(**more), START, days)


def path(line: Timeline, at: int) -> list[tuple[int, Status]]:
    """(day, new status) of one note."""
    return [(round((time - START) / DAY), change.new) for time, change in line.of(at)]


def linked_pair(neighbours: int) -> Year:
    """One note recalled at widening intervals and one ten times in a day, tied to as many neighbours."""
    year = Year()
    year.note("spaced", WIDENING)
    year.note("massed")
    weights = [recall_weight(0, i) for i in range(10)]
    year.rows += [(1, START + (1 + i * HOUR) * DAY, weight, R) for i, weight in enumerate(weights)]
    for i in range(neighbours):
        year.note(f"n{i}")
        year.link("spaced", f"n{i}")
        year.link("massed", f"n{i}")
    return year


@pytest.mark.parametrize("neighbours", [1, 2, 3, 5, 8])
def test_recalls_at_widening_intervals_keep_a_note_and_a_day_of_ten_does_not(neighbours):
    """Spaced recalls end the year active; ten in one day and never again end it dormant."""
    line = linked_pair(neighbours).run()
    assert [Status.ACTIVE, Status.DORMANT] == [STATUSES[s] for s in line.status[-1, :2]]
    assert line.score[-1, 0] > 2 * line.score[-1, 1]
    assert not path(line, 0), "it never even left"


def test_a_lonely_memory_never_recalled_goes_step_by_step():
    """Dormant after a month, fading after half a year, pruned a month later."""
    year = Year()
    year.note("lonely", kind=Kind.MEMORY)
    line = year.run()
    assert [(30, Status.DORMANT), (180, Status.FADING), (210, Status.PRUNED)] == path(line, 0)


def test_a_persons_note_fades_and_is_never_pruned():
    """Ten years without a link or a look: still fading."""
    year = Year()
    year.note("old")
    line = simulate(year.scene(), START, 3650, step_days=5)
    assert [(30, Status.DORMANT), (180, Status.FADING)] == path(line, 0)


def test_a_memory_that_something_links_to_is_never_pruned():
    """One neighbour is enough; neither an unused link nor a replaced memory is thrown away."""
    year = Year()
    for name in ("cause", "effect", "old", "new"):
        year.note(name, kind=Kind.MEMORY)
    year.link("effect", "cause", EdgeType.CAUSED_BY)
    year.link("new", "old", EdgeType.SUPERSEDES)
    line = simulate(year.scene(), START, 3650, step_days=5)
    assert [Status.FADING] * 4 == [STATUSES[s] for s in line.status[-1]]


def test_the_order_of_a_session_does_not_keep_a_memory():
    """Memories only tied by their session's order are as lonely as any."""
    year = Year()
    for name in ("first", "second"):
        year.note(name, kind=Kind.MEMORY)
    year.link("first", "second", EdgeType.TEMPORAL_SEQUENCE)
    assert [Status.PRUNED] * 2 == [STATUSES[s] for s in year.run().status[-1]]


def test_a_recalled_memory_comes_back_from_fading():
    """One recall at day 200 makes it active; then it takes the whole way down again."""
    year = Year()
    year.note("again", [200.5], kind=Kind.MEMORY)
    line = simulate(year.scene(), START, 900)
    assert [
        (30, Status.DORMANT),
        (180, Status.FADING),
        (201, Status.ACTIVE),
        (231, Status.DORMANT),
        (381, Status.FADING),
        (609, Status.PRUNED),
    ] == path(line, 0)


def test_a_pinned_note_is_core_all_along():
    """Core stays, though nobody looks at it."""
    year = Year()
    year.note("rule", pinned=True, kind=Kind.MEMORY)
    line = simulate(year.scene(), START, 3650, step_days=5)
    assert [(0, Status.CORE)] == path(line, 0)


def test_a_hub_in_use_becomes_core_once_and_stays():
    """The centre of a vault, used every fortnight, is promoted and never leaves."""
    year = Year()
    for i in range(100):
        year.note(f"n{i}")
    year.note("hub", range(0, 365, 14))
    for i in range(30):
        year.link("hub", f"n{i}")
        year.link(f"n{i}", f"n{i + 1}")
    line = year.run()
    assert [Status.CORE] == [status for _, status in path(line, 100)]


def flaps(changes: list[tuple[int, Status]], within: int = 30) -> int:
    """The most flaps in so many days; a flap is a return to a status left less than that ago."""
    steps = [(0, Status.ACTIVE), *changes]
    triples = zip(steps, steps[1:], steps[2:], strict=False)
    returns = [back for (_, one), (left, _), (back, two) in triples if one is two and back - left < within]
    return max((sum(day <= other < day + within for other in returns) for day in returns), default=0)


HISTORY = st.lists(st.tuples(st.floats(0, 400), st.sampled_from([R, E, X])), max_size=25)


LINKS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12)


@settings(max_examples=20)
@given(st.lists(HISTORY, min_size=1, max_size=6), LINKS)
def test_no_status_flaps_whatever_the_use(histories, links):
    """Any notes, used at any times: never more than one flap in 30 days."""
    year = Year()
    for i, history in enumerate(histories):
        year.note(f"n{i}", kind=list(Kind)[i % 2])
        year.rows += [(i, START + day * DAY, {R: 1.0, E: 0.5, X: 0.3}[kind], kind) for day, kind in history]
    for a, b in links:
        if a < len(histories) and b < len(histories):
            year.link(f"n{a}", f"n{b}")
    line = simulate(year.scene(), START, 400)
    assert all(flaps(path(line, i)) <= 1 for i in range(len(histories)))


def test_a_score_that_swings_around_the_thresholds_does_not_flap():
    """A focus that comes and goes daily moves a note up at once and down only after a month."""
    year = Year()
    year.note("swinging")
    for i in range(4):
        year.note(f"n{i}")
        year.link("swinging", f"n{i}")
    moves, status, since = [], None, None
    for day in range(300, 420):
        focus = np.array([0.9 if day % 2 else 0.0] + [0.0] * 4)
        line = simulate(year.scene(status=status, since=since, focus=focus), START + day * DAY, 0)
        status = line.status[-1]
        since = np.full(5, START) if since is None else since
        for time, change in line.changes:
            since[change.index] = time
            if change.index == 0:
                moves.append((day, change.new))
    assert flaps(moves) <= 1
    assert len(moves) <= 10


def test_the_same_scene_has_the_same_year():
    """Nothing in a simulation is left to chance."""
    one, two = linked_pair(2).run(), linked_pair(2).run()
    assert one.changes == two.changes
    np.testing.assert_array_equal(one.score, two.score)
