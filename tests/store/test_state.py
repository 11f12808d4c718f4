"""State, accesses, events, filters and lookups."""

from __future__ import annotations

import pytest

from genesys.model import AccessKind, Factors, FileStat, FileType, Filters, Kind, OwnState, Status
from genesys.store.access import ACCESS_KINDS
from genesys.store.index import Index
from genesys.store.restore import MAX_RECALLS, recall_times
from genesys.store.rows import AccessRow, Counts, NoteRow, StateChange
from store.factory import DAY, NOW, canvas, record, simple_resolver

FACTORS = Factors(0.5, 0.9, 0.8, 0.7, -0.1, 0.9, 0.2, 1.5, 2.5, 3.0)


def row(index: Index, path: str = "a.md") -> NoteRow:
    found = index.note_row(path)
    assert found is not None
    return found


def test_a_change_leaves_what_it_does_not_name(index: Index) -> None:
    """None means: as it is."""
    index.put([record("a.md")], NOW)
    index.set_states([StateChange(1, status=Status.DORMANT, score=0.5, factors=FACTORS, recalls=2)], NOW)
    index.set_states([StateChange(1, pinned=True), StateChange(99, pinned=True)], NOW)
    note = row(index)
    assert (Status.DORMANT, 0.5, FACTORS, 2, True, False) == (
        note.status,
        note.score,
        note.factors,
        note.recalls,
        note.pinned,
        note.core,
    )


def test_a_write_back_is_remembered(index: Index) -> None:
    """Hash, values and own state; lines move with the frontmatter."""
    index.put([record("a.md", ["one", "two"], links=["x"])], NOW)
    before = [p.line_start for p in index.passages_of(1)]
    stat = FileStat("a.md", FileType.NOTE, 123, 456, 7, "newhash")
    values = {"genesys_status": "fading", "genesys_score": 0.2, "genesys_core": False}
    index.set_written(1, stat, values, shift=4)
    note = row(index)
    assert ("newhash", "newhash", values) == (note.written_hash, note.content_hash, note.written)
    assert OwnState(status=Status.FADING, score=0.2, core=False) == note.own
    assert stat == index.file_states()["a.md"]
    assert [line + 4 for line in before] == [p.line_start for p in index.passages_of(1)]


def test_the_last_pre_image_is_kept_for_a_while(index: Index) -> None:
    """One a note, dropped when too old."""
    index.put([record("a.md"), record("b.md")], NOW)
    index.save_preimage(1, b"one", NOW, keep_s=DAY)
    index.save_preimage(1, b"two", NOW + 1, keep_s=DAY)
    assert (NOW + 1, b"two") == index.preimage(1)
    index.save_preimage(2, b"x", NOW + 3 * DAY, keep_s=DAY)
    assert index.preimage(1) is None


def test_accesses_come_in_columns(index: Index) -> None:
    """Ordered by note and time; those of notes that are gone are left out."""
    index.put([record("a.md"), record("b.md")], NOW)
    index.add_accesses(
        [
            AccessRow(2, NOW, AccessKind.RECALL, 1.0),
            AccessRow(1, NOW, AccessKind.CASCADE, 0.3),
            AccessRow(77, NOW, AccessKind.PIN, 1.0),
        ]
    )
    arrays = index.access_arrays()
    assert [1, 1, 2, 2] == arrays.note_id.tolist()
    assert [1.0, 0.3, 1.0, 1.0] == arrays.weight.tolist()
    assert [AccessKind.CREATE, AccessKind.CASCADE] == [ACCESS_KINDS[k] for k in arrays.kind[:2]]
    index.replace_accesses([1], [AccessRow(1, NOW, AccessKind.PIN, 1.0)])
    assert [AccessRow(1, NOW, AccessKind.PIN, 1.0)] == index.accesses_of([1])
    assert 3 == index.access_count()


def test_empty_arrays_have_their_types(index: Index) -> None:
    """An empty vault scores like any other."""
    assert "int64" == str(index.access_arrays().note_id.dtype)
    assert "float64" == str(index.edge_arrays().weight.dtype)
    assert 0 == len(index.passage_arrays().id)
    assert Counts() == index.counts()


def test_events_are_an_audit_trail(index: Index) -> None:
    """Newest first, by time, kind or path; details can be amended."""
    one = index.add_event("pin", "a.md", {"was": "active"}, NOW)
    two = index.add_event("prune", "b.md", {}, NOW + 1)
    assert [two, one] == [e.id for e in index.events()]
    assert [one, two] == [e.id for e in index.events(newest_first=False)]
    assert [one] == [e.id for e in index.events(kinds=["pin"])] == [e.id for e in index.events(path="a.md")]
    assert [two] == [e.id for e in index.events(NOW + 1)]
    index.set_event_detail(one, {"undone": True})
    assert {"undone": True} == index.events(path="a.md")[0].detail
    assert {"pin": 1, "prune": 1} == index.event_counts()
    index.remove_events([one, two])
    assert [] == index.events()


def test_counts_say_what_there_is(index: Index) -> None:
    """The figures of status."""
    index.put(
        [record("a.md", links=["b", "gone"]), record("b.md", kind=Kind.MEMORY), canvas("c.canvas", ["a"])],
        NOW,
    )
    index.resolve(simple_resolver)
    counts = index.counts()
    assert (2, 1, 3, 2, 3, 1) == (
        counts.notes,
        counts.memories,
        counts.files,
        counts.passages,
        counts.links,
        counts.unresolved,
    )
    assert ({"related_to": 2}, {"active": 2}) == (counts.edges, counts.statuses)


@pytest.fixture
def vault(index: Index) -> Index:
    index.put(
        [
            record(
                "Work/plan.md",
                tags=("Project/Alpha",),
                people=("Ann Lee",),
                created="2026-01-01",
                mtime=NOW - 9,
            ),
            record(
                "Work2/x.md", tags=("projects",), links=["Ann Lee"], note_date="2026-03-04", mtime=NOW - 8
            ),
            record("me.md", kind=Kind.MEMORY, category="Health", aliases=("Boss",), mtime=NOW - 7),
            record("y.md", links=["me"], note_date="2026-03-05T10:00", mtime=NOW - 6),
        ],
        NOW,
    )
    index.resolve(simple_resolver)
    index.set_states([StateChange(4, status=Status.FADING)], NOW)
    return index


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(tag="#project"), [1]),
        (Filters(tag="PROJECTS"), [2]),
        (Filters(folder="Work/"), [1]),
        (Filters(kinds=(Kind.MEMORY,)), [3]),
        (Filters(category="health"), [3]),
        (Filters(statuses=(Status.FADING, Status.CORE)), [4]),
        (Filters(entity="ann lee"), [2, 1]),
        (Filters(entity="boss"), [4, 3]),
        (Filters(entity="me"), [4, 3]),
        (Filters(active_since=NOW - 7.5), [4, 3]),
        (Filters(tag="'; DROP TABLE notes; --"), []),
        (Filters(), [4, 3, 2, 1]),
    ],
)
def test_filters_limit_a_listing(vault: Index, filters: Filters, expected: list[int]) -> None:
    """Each alone, newest activity first, and the same notes as a set."""
    assert expected == [r.id for r in vault.list_notes(filters, 10)]
    ids = vault.matching(filters)
    assert ids is None if filters == Filters() else ids == set(expected)
    assert expected[1:2] == [r.id for r in vault.list_notes(filters, 1, 1)]


def test_since_looks_at_creation(vault: Index) -> None:
    """A note made before does not pass."""
    assert {2, 3, 4} == vault.matching(Filters(since=NOW - DAY))


def test_notes_are_found_by_tag_folder_date_and_name(vault: Index) -> None:
    """Nested tags and folders count, look-alikes do not."""
    assert [1] == vault.notes_by_tag("project")
    assert [1] == vault.notes_in_folder("Work")
    assert [(2, "2026-03-04"), (4, "2026-03-05T10:00")] == vault.notes_by_date("2026-03-04", "2026-03-05")
    assert ["me.md"] == vault.notes_by_alias("BOSS")
    assert ["Work/plan.md"] == vault.notes_by_key("plan")
    assert [3, 1] == [r.id for r in vault.notes_by_path(["me.md", "gone.md", "Work/plan.md"])]


def test_neighbours_stay_within_a_note(index: Index) -> None:
    """Passages before and after, with their offset."""
    index.put([record("a.md", ["0", "1", "2", "3"]), record("b.md", ["0"])], NOW)
    assert [(2, 1, -1), (2, 3, 1), (2, 4, 2)] == index.passages_around([2], 2)
    arrays = index.passage_arrays()
    assert arrays is index.passage_arrays()
    assert [0, 1, 2, 3, 0] == arrays.ordinal.tolist()
    assert [5, 1] == [p.id for p in index.passages([5, 99, 1])]


def test_notes_are_found_by_a_property(index: Index) -> None:
    """By exact text, whatever else holds the same words."""
    index.put([record("a.md", properties={"memory_id": "k1"}), record("b.md", properties={"x": "k1"})], NOW)
    assert ["a.md"] == index.notes_by_property("memory_id", "k1")


def test_restored_recalls_lie_between_creation_and_the_last() -> None:
    """In order, ending with the last, as many as said up to a limit."""
    times = recall_times(NOW - 100 * DAY, NOW, 10)
    assert (10, NOW) == (len(times), times[-1])
    assert sorted(times) == list(times)
    assert NOW - 100 * DAY <= times[0]
    assert (NOW, NOW) == recall_times(NOW, NOW, 2)
    assert () == recall_times(NOW - DAY, NOW, 0)
    assert MAX_RECALLS == len(recall_times(NOW - DAY, NOW, 10**9))
