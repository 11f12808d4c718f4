"""Opening: migrations, refusals, read-only, and foreign errors in our words."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from genesys.errors import (
    DiskFull,
    IndexCorrupt,
    IndexError_,
    IndexForeign,
    IndexLocked,
    IndexTooNew,
)
from genesys.store import index as index_module
from genesys.store.db import connect
from genesys.store.faults import translated
from genesys.store.index import Index, open_index, set_aside
from genesys.store.schema import MIGRATIONS, Migration, migrate
from store.factory import NOW, record
from support import child_env


def listing(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir()}


def test_first_opening_makes_a_folder_that_git_ignores(path: Path) -> None:
    """The index lies in a folder of its own with a .gitignore of one star."""
    open_index(path).close()
    assert (path.parent / ".gitignore").read_text(encoding="utf-8") == "*\n"


def test_a_folder_that_was_there_gets_no_gitignore(tmp_path: Path) -> None:
    """GENESYS_INDEX may point into a folder of other things, which git should go on seeing."""
    open_index(tmp_path / "mine.db").close()
    assert ["mine.db"] == sorted(p.name for p in tmp_path.iterdir())


def test_an_older_index_is_brought_up_to_date(path: Path) -> None:
    """A new migration runs once on an old index, keeps its notes and asks for a re-index."""
    open_index(path).close()
    later = Migration(
        "9999-later", "ALTER TABLE notes ADD COLUMN mood TEXT NOT NULL DEFAULT ''", reindex=True
    )
    db = connect(path, read_only=False, busy_ms=100)
    with Index(db) as index:
        index.put([record("a.md")], NOW)
        migrate(db, (*MIGRATIONS, later))
        migrate(db, (*MIGRATIONS, later))
        assert "" == db.value("SELECT mood FROM notes")
        assert index.reindex_due
        index.reindexed()
        assert not index.reindex_due


def test_an_older_index_is_not_changed_when_read_only(path: Path) -> None:
    """Reading never migrates; the error says what would."""
    open_index(path).close()
    db = connect(path, read_only=True, busy_ms=100)
    with pytest.raises(IndexError_) as caught:
        migrate(db, (*MIGRATIONS, Migration("9999-later", "CREATE TABLE later(a)")))
    assert "genesys index" in caught.value.hint
    db.close()


def test_a_newer_index_is_refused(path: Path) -> None:
    """What a later program has written is left alone."""
    with open_index(path) as index:
        index._db.run("INSERT INTO migrations(name, applied) VALUES('9999-future', 0)")
    with pytest.raises(IndexTooNew, match="9999-future") as caught:
        open_index(path)
    assert "update Genesys" in caught.value.hint


def test_a_failed_migration_leaves_the_old_schema(path: Path) -> None:
    """All steps or none."""
    open_index(path).close()
    db = connect(path, read_only=False, busy_ms=100)
    steps = (
        *MIGRATIONS,
        Migration("9998-good", "CREATE TABLE good(a)"),
        Migration("9999-bad", "CREATE nonsense"),
    )
    with pytest.raises(apsw.SQLError):
        migrate(db, steps)
    assert 0 == db.value("SELECT count(*) FROM sqlite_schema WHERE name = 'good'")
    db.close()


@pytest.mark.parametrize(
    "content", [b"this is no database at all, but long enough to be one" * 50, b"SQLite"]
)
def test_a_file_that_is_no_database_is_corrupt(path: Path, content: bytes) -> None:
    """The error names the way out."""
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(IndexCorrupt) as caught:
        open_index(path)
    assert "genesys index --full" in caught.value.hint


def test_a_database_of_another_program_is_refused(path: Path) -> None:
    """Tables without our migrations are somebody else's."""
    path.parent.mkdir()
    other = apsw.Connection(str(path))
    other.execute("CREATE TABLE theirs(a)")
    other.close()
    with pytest.raises(IndexCorrupt, match="no index of Genesys"):
        open_index(path)


def test_overwritten_pages_are_reported_as_corrupt(path: Path) -> None:
    """Damage that shows only while reading is mapped as well."""
    with open_index(path) as index:
        index.put([record(f"{i}.md", ["text " * 200]) for i in range(50)], NOW)
    raw = bytearray(path.read_bytes())
    raw[4096:] = os.urandom(len(raw) - 4096)
    path.write_bytes(raw)
    with pytest.raises(IndexCorrupt):
        open_index(path).file_states()


def test_another_machine_s_index_is_refused(path: Path) -> None:
    """The first machine is remembered; an empty id asks nothing."""
    open_index(path, machine_id="one").close()
    open_index(path, machine_id="one").close()
    open_index(path).close()
    with pytest.raises(IndexForeign) as caught:
        open_index(path, machine_id="two")
    assert caught.value.hint


def test_a_busy_index_is_locked_not_broken(path: Path) -> None:
    """Another writer in its transaction makes us wait, then give up with a retryable error."""
    with (
        open_index(path) as one,
        open_index(path, busy_ms=30) as two,
        one.transaction(),
        pytest.raises(IndexLocked) as caught,
    ):
        two.meta_set("a", "b")
    assert caught.value.transient


@pytest.mark.parametrize(
    ("foreign", "ours"),
    [
        (apsw.CorruptError, IndexCorrupt),
        (apsw.NotADBError, IndexCorrupt),
        (apsw.BusyError, IndexLocked),
        (apsw.LockedError, IndexLocked),
        (apsw.FullError, DiskFull),
        (apsw.ReadOnlyError, IndexError_),
        (apsw.CantOpenError, IndexError_),
        (apsw.IOError, IndexError_),
        (apsw.PermissionsError, IndexError_),
    ],
)
def test_each_foreign_error_is_mapped(foreign: type[apsw.Error], ours: type[IndexError_]) -> None:
    """Every error that a disk or another process can cause has our type and a hint."""
    mapped = translated(foreign("x"), "index.db")
    assert type(mapped) is ours
    assert mapped.hint


def test_a_full_disk_is_named_and_the_index_goes_on(path: Path) -> None:
    """A database that may not grow fails the batch as a whole; what was there stays."""
    with open_index(path) as index:
        index.put([record("a.md")], NOW)
        pages = index._db.con.pragma("page_count")
        index._db.con.pragma("max_page_count", pages)
        with pytest.raises(DiskFull):
            index.put([record(f"{i}.md", ["text " * 500]) for i in range(200)], NOW)
        index._db.con.pragma("max_page_count", 1_000_000)
        assert ["a.md"] == list(index.file_states())
        index.put([record("b.md")], NOW)
        assert [] == index.check()


# ------------------------------------------------------------------ read-only


def test_reading_without_an_index_says_how_to_make_one(path: Path) -> None:
    """And makes nothing, not even the folder."""
    with pytest.raises(IndexError_) as caught:
        open_index(path, read_only=True)
    assert "genesys index" in caught.value.hint
    assert not path.parent.exists()


def test_reading_leaves_no_trace(path: Path) -> None:
    """No log, no shared memory, not a byte changed, while open and after."""
    with open_index(path) as index:
        index.put([record("a.md", ["alpha"])], NOW)
    before = listing(path.parent)
    with open_index(path, read_only=True) as index:
        assert 1 == len(index.search_text('"alpha"', (1, 1, 1, 1), 5))
        assert before == listing(path.parent)
        with pytest.raises(IndexError_):
            index.meta_set("a", "b")
    assert before == listing(path.parent)


def test_a_reader_sees_what_a_later_writer_commits(path: Path) -> None:
    """A reader that opened a file at rest notices when it comes to life, open or closed again."""
    open_index(path).close()
    with open_index(path, read_only=True) as reader:
        assert {} == reader.file_states()
        with open_index(path) as writer:
            writer.put([record("a.md")], NOW)
            assert ["a.md"] == list(reader.file_states())
            writer.put([record("b.md")], NOW)
            assert ["a.md", "b.md"] == sorted(reader.file_states())


@contextmanager
def sealed(folder: Path) -> Iterator[None]:
    """A folder in which nothing can be made."""
    mode = folder.stat().st_mode
    folder.chmod(0o555)
    try:
        yield
    finally:
        folder.chmod(mode)


@pytest.mark.skipif(os.name == "nt", reason="folder modes are POSIX")
def test_an_unwritable_folder_can_be_read(path: Path) -> None:
    """A vault on a read-only disk answers."""
    with open_index(path) as index:
        index.put([record("a.md")], NOW)
    with sealed(path.parent), open_index(path, read_only=True) as reader:
        assert ["a.md"] == list(reader.file_states())


def test_a_broken_index_can_be_set_aside(path: Path) -> None:
    """The way is free, and the old file is kept once."""
    assert set_aside(path) is None
    open_index(path).close()
    aside = set_aside(path)
    assert aside is not None
    assert aside.exists()
    assert not path.exists()
    open_index(path).close()


# ------------------------------------------------------------------ transactions, start-up


def put_and_fail(index: Index, path: str) -> None:
    with index.transaction():
        index.put([record(path)], NOW)
        raise RuntimeError


def test_a_transaction_is_whole_or_nothing(index: Index) -> None:
    """An error in the middle undoes all of it, an inner one that is caught only its own part."""
    with pytest.raises(RuntimeError):
        put_and_fail(index, "a.md")
    assert {} == index.file_states()
    with index.transaction():
        index.put([record("b.md")], NOW)
        with pytest.raises(RuntimeError):
            put_and_fail(index, "c.md")
    assert ["b.md"] == list(index.file_states())


def test_opening_loads_nothing_heavy(path: Path) -> None:
    """Neither numpy nor sqlite-vec is imported until vectors are touched."""
    code = (
        "import sys; from genesys.store.index import open_index; i = open_index(sys.argv[1]);"
        "i.file_states(); i.counts(); i.vector_counts('m'); i.pending('m', 5); i.collect_garbage();"
        "i.close(); print(sorted({'numpy', 'sqlite_vec', 'torch', 'markdown_it'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True,
        env=child_env(),
        check=True,
        encoding="utf-8",
    )
    assert "[]" == done.stdout.strip()


def test_the_module_lists_every_method() -> None:
    """The list at the top of store/index.py is what other rooms code against: it can't drift."""
    listed = index_module.__doc__ or ""
    public = [name for name in dir(Index) if not name.startswith("_")]
    assert [] == [
        name for name in public if name not in listed and name not in ("close", "path", "read_only")
    ]


def test_any_change_is_another_state(path: Path) -> None:
    """By this connection, by another one, and in a file that is read at rest; a read is none."""
    with open_index(path) as index, open_index(path) as other:
        states = [index.state()]
        for number, writer in enumerate((index, other, index)):
            writer.put([record(f"{number}.md")], NOW)
            states.append(index.state())
            assert states[-1] == index.state()
        assert len(set(states)) == len(states)
    with open_index(path, read_only=True) as reader:
        before = reader.state()
        assert before == reader.state()
        with open_index(path) as writer:
            writer.put([record("late.md")], NOW)
        assert before != reader.state()


def test_stamps_tell_notes_and_their_last_change(index: Index) -> None:
    """Every note but those that opted out; no attachment."""
    index.put([record("a.md"), record("b.md", opted_out=True)], NOW)
    assert ["a.md"] == [stamp.path for stamp in index.note_stamps()]
    row = index.note_row("a.md")
    assert row is not None
    assert [(row.id, row.changed_at)] == [(s.id, s.changed_at) for s in index.note_stamps()]
