"""What is added, changed, moved or gone, from names and hashes alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from genesys.engine.planning import EMPTY, find_moves, make_plan
from genesys.model import FileStat, Move
from genesys.vault import file_type


def stat(path: str, size: int = 1, mtime: int = 1, inode: int = 1) -> FileStat:
    return FileStat(path, file_type(path), size, mtime, inode)


def known(*stats: FileStat) -> dict[str, FileStat]:
    return {s.path: s for s in stats}


# ------------------------------------------------------------------ plan


def test_a_new_file_is_added_and_a_missing_one_removed() -> None:
    """Disk and index are compared by path."""
    plan = make_plan([stat("new.md"), stat("same.md")], known(stat("same.md"), stat("gone.md")))
    assert [s.path for s in plan.added] == ["new.md"]
    assert plan.removed == ("gone.md",)
    assert plan.unchanged == 1


def test_size_time_and_inode_each_make_a_file_worth_reading() -> None:
    """A replaced file may keep its size and time stamp: its inode tells."""
    old = known(stat("a.md"), stat("b.md"), stat("c.md"), stat("d.md"))
    disk = [stat("a.md", size=2), stat("b.md", mtime=2), stat("c.md", inode=2), stat("d.md")]
    assert [s.path for s in make_plan(disk, old).changed] == ["a.md", "b.md", "c.md"]


def test_a_full_pass_reads_every_file() -> None:
    """Same stat or not."""
    assert len(make_plan([stat("a.md")], known(stat("a.md")), full=True).changed) == 1


def test_what_lies_below_an_unreadable_folder_is_not_removed() -> None:
    """The folder itself, and all below it, but no folder whose name merely begins the same."""
    old = known(stat("Work/a.md"), stat("Work/deep/b.md"), stat("Workshop/c.md"), stat("Work"))
    plan = make_plan([], old, keep=("Work",))
    assert plan.removed == ("Workshop/c.md",)


def test_an_unreadable_vault_removes_nothing() -> None:
    """The empty path is the vault."""
    assert make_plan([], known(stat("a.md"), stat("x/b.md")), keep=("",)).removed == ()


# ------------------------------------------------------------------ moves


def test_a_renamed_file_is_a_move() -> None:
    """The content went from one path to another."""
    assert find_moves({"a.md": "1"}, {"b.md": "1"}) == (Move("a.md", "b.md"),)


def test_a_rename_of_case_only_is_a_move() -> None:
    """Note.md is note.md with another spelling."""
    assert find_moves({"note.md": "1"}, {"Note.md": "1"}) == (Move("note.md", "Note.md"),)


def test_a_copy_is_no_move() -> None:
    """The old path still has the content: it is not among those that lost one."""
    assert find_moves({}, {"copy.md": "1"}) == ()


def test_two_files_that_trade_names_both_move() -> None:
    """Neither loses its history."""
    moves = find_moves({"a.md": "1", "b.md": "2"}, {"a.md": "2", "b.md": "1"})
    assert set(moves) == {Move("a.md", "b.md"), Move("b.md", "a.md")}


def test_a_chain_of_renames_is_followed() -> None:
    """c ← b ← a, and a new file in the place of a."""
    moves = find_moves({"a.md": "1", "b.md": "2"}, {"a.md": "new", "b.md": "1", "c.md": "2"})
    assert set(moves) == {Move("a.md", "b.md"), Move("b.md", "c.md")}


def test_a_renamed_folder_pairs_equal_contents_by_name() -> None:
    """Two notes made from one template keep apart."""
    moves = find_moves({"old/x.md": "1", "old/y.md": "1"}, {"new/x.md": "1", "new/y.md": "1"})
    assert set(moves) == {Move("old/x.md", "new/x.md"), Move("old/y.md", "new/y.md")}


def test_a_note_renamed_in_a_renamed_folder_is_the_one_that_is_left() -> None:
    """What has its name pairs first; one source and one target remain."""
    moves = find_moves({"old/x.md": "1", "old/y.md": "1"}, {"new/x.md": "1", "new/z.md": "1"})
    assert set(moves) == {Move("old/x.md", "new/x.md"), Move("old/y.md", "new/z.md")}


def test_what_stays_ambiguous_is_no_move() -> None:
    """Two equal notes gone, two equal notes come, no name in common: a guess would mix up histories."""
    assert find_moves({"a.md": "1", "b.md": "1"}, {"c.md": "1", "d.md": "1"}) == ()


def test_empty_files_are_told_apart_by_name_only() -> None:
    """One empty note deleted and another made are two notes."""
    assert find_moves({"a.md": EMPTY}, {"b.md": EMPTY}) == ()
    assert find_moves({"x/a.md": EMPTY}, {"y/a.md": EMPTY}) == (Move("x/a.md", "y/a.md"),)


def test_a_file_of_unknown_content_never_moves() -> None:
    """An attachment is not read, so it has no hash."""
    assert find_moves({"a.png": ""}, {"b.png": ""}) == ()


def test_a_note_does_not_become_a_canvas() -> None:
    """Same bytes, another kind of file: it is read anew."""
    assert find_moves({"a.md": "1"}, {"a.canvas": "1"}) == ()


NAMES = st.sampled_from(["a.md", "b.md", "x/a.md", "x/b.md", "y/a.md", "y/c.md", "A.md", "z.canvas"])
HASHES = st.sampled_from(["", "1", "2", "3", EMPTY])
FILES = st.dictionaries(NAMES, HASHES)


@given(FILES, FILES)
def test_every_move_carries_one_content_from_one_path_to_one(
    old: dict[str, str], new: dict[str, str]
) -> None:
    """No path gives or takes twice, and the content at both ends is the same."""
    moves = find_moves(old, new)
    assert len({m.old for m in moves}) == len({m.new for m in moves}) == len(moves)
    for move in moves:
        assert old[move.old] == new[move.new] != ""
        assert new.get(move.old) != old[move.old]
        assert old.get(move.new) != new[move.new]
        assert file_type(move.old) is file_type(move.new)


@given(FILES)
def test_nothing_moves_where_nothing_changed(files: dict[str, str]) -> None:
    """The same names with the same contents."""
    assert find_moves(files, files) == ()


STATS = st.builds(stat, NAMES, st.integers(0, 2), st.integers(0, 2), st.integers(0, 2))


@given(
    st.lists(STATS, unique_by=lambda s: s.path), st.lists(STATS), st.lists(st.sampled_from(["", "x", "y"]))
)
def test_a_plan_accounts_for_every_file_once(
    disk: list[FileStat], old: list[FileStat], keep: list[str]
) -> None:
    """Added, changed, unchanged are the disk; removed are of the index and not on the disk."""
    before = known(*old)
    plan = make_plan(disk, before, keep=tuple(keep))
    assert len(plan.added) + len(plan.changed) + plan.unchanged == len(disk)
    assert not {s.path for s in plan.added} & set(before)
    assert {s.path for s in plan.changed} <= set(before)
    assert not set(plan.removed) & {s.path for s in disk}
    if "" in keep:
        assert plan.removed == ()
