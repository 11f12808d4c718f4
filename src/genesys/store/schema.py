"""The tables, as named migrations. Each is applied once, in order, and recorded in ``migrations``."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from genesys.errors import IndexCorrupt, IndexError_, IndexForeign, IndexTooNew
from genesys.store.db import Db
from genesys.store.faults import REBUILD_HINT

__all__ = ["MIGRATIONS", "REINDEX_DUE", "Migration", "claim", "migrate"]

REINDEX_DUE = "reindex_due"  # meta: "1" where the notes must be read again to fill new columns


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema. ``reindex`` asks that every note be read again afterwards."""

    name: str
    sql: str
    reindex: bool = False


_BASE = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE files(
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  inode INTEGER NOT NULL DEFAULT 0,
  content_hash TEXT NOT NULL DEFAULT '',
  name_key TEXT NOT NULL,
  links_hash TEXT NOT NULL DEFAULT '',
  reread INTEGER NOT NULL DEFAULT 0);
CREATE INDEX files_key ON files(name_key);
CREATE INDEX files_mtime ON files(mtime_ns);

CREATE TABLE notes(
  id INTEGER PRIMARY KEY REFERENCES files(id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  kind TEXT NOT NULL,
  memory_type TEXT,
  category TEXT NOT NULL DEFAULT '',
  status TEXT NOT NULL DEFAULT 'active',
  score REAL,
  factors TEXT,
  pinned INTEGER NOT NULL DEFAULT 0,
  core INTEGER NOT NULL DEFAULT 0,
  recalls INTEGER NOT NULL DEFAULT 0,
  last_recalled REAL,
  created TEXT NOT NULL DEFAULT '',
  created_at REAL NOT NULL,
  note_date TEXT NOT NULL DEFAULT '',
  source_session TEXT NOT NULL DEFAULT '',
  people TEXT NOT NULL DEFAULT '[]',
  properties TEXT NOT NULL DEFAULT '{}',
  own TEXT NOT NULL DEFAULT '{}',
  problem TEXT NOT NULL DEFAULT '',
  refuse_write TEXT NOT NULL DEFAULT '',
  opted_out INTEGER NOT NULL DEFAULT 0,
  written_hash TEXT NOT NULL DEFAULT '',
  written TEXT NOT NULL DEFAULT '{}',
  first_seen REAL NOT NULL,
  changed_at REAL NOT NULL,
  status_since REAL NOT NULL);
CREATE INDEX notes_status ON notes(status);
CREATE INDEX notes_date ON notes(note_date) WHERE note_date <> '';
CREATE INDEX notes_session ON notes(source_session) WHERE source_session <> '';
CREATE INDEX notes_problem ON notes(problem) WHERE problem <> '';

CREATE TABLE aliases(
  note_id INTEGER NOT NULL REFERENCES notes(id) ON DELETE CASCADE,
  alias TEXT NOT NULL,
  key TEXT NOT NULL,
  bucket TEXT NOT NULL);
CREATE INDEX aliases_note ON aliases(note_id);
CREATE INDEX aliases_key ON aliases(key);

CREATE TABLE tags(
  key TEXT NOT NULL,
  note_id INTEGER NOT NULL REFERENCES notes(id) ON DELETE CASCADE,
  tag TEXT NOT NULL,
  PRIMARY KEY(key, note_id)) WITHOUT ROWID;
CREATE INDEX tags_note ON tags(note_id);

CREATE TABLE passages(
  id INTEGER PRIMARY KEY,
  note_id INTEGER NOT NULL REFERENCES notes(id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  heading TEXT NOT NULL,
  line_start INTEGER NOT NULL,
  line_end INTEGER NOT NULL,
  block_id TEXT NOT NULL DEFAULT '',
  text_hash TEXT NOT NULL,
  vec_key INTEGER NOT NULL,
  search_hash INTEGER NOT NULL,
  text TEXT NOT NULL,
  embed_text TEXT NOT NULL);
CREATE INDEX passages_note ON passages(note_id, ordinal);
CREATE INDEX passages_vec ON passages(vec_key);

CREATE VIRTUAL TABLE passages_fts USING fts5(
  title, aliases, heading, text,
  content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE passages_vocab USING fts5vocab(passages_fts, 'row');

CREATE TABLE links(
  id INTEGER PRIMARY KEY,
  source_id INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  target TEXT NOT NULL,
  target_key TEXT NOT NULL,
  subpath TEXT NOT NULL DEFAULT '',
  key TEXT NOT NULL DEFAULT '',
  line INTEGER NOT NULL DEFAULT 0,
  sentence TEXT NOT NULL DEFAULT '',
  relations TEXT NOT NULL DEFAULT '',
  target_id INTEGER,
  via_alias INTEGER NOT NULL DEFAULT 0,
  stale INTEGER NOT NULL DEFAULT 1);
CREATE INDEX links_source ON links(source_id);
CREATE INDEX links_key ON links(target_key);
CREATE INDEX links_target ON links(target_id);
CREATE INDEX links_stale ON links(id) WHERE stale = 1;

CREATE TABLE dirty_keys(key TEXT PRIMARY KEY) WITHOUT ROWID;

CREATE TABLE edges(
  id INTEGER PRIMARY KEY,
  source_id INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
  target_id INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  weight REAL NOT NULL,
  created_by TEXT NOT NULL,
  evidence TEXT NOT NULL DEFAULT '',
  link_id INTEGER REFERENCES links(id) ON DELETE CASCADE);
CREATE INDEX edges_source ON edges(source_id, target_id, type);
CREATE INDEX edges_target ON edges(target_id);
CREATE INDEX edges_link ON edges(link_id) WHERE link_id IS NOT NULL;
CREATE INDEX edges_inferred ON edges(created_by) WHERE link_id IS NULL;

CREATE TABLE accesses(
  id INTEGER PRIMARY KEY,
  note_id INTEGER NOT NULL REFERENCES notes(id) ON DELETE CASCADE,
  time REAL NOT NULL,
  kind TEXT NOT NULL,
  weight REAL NOT NULL);
CREATE INDEX accesses_note ON accesses(note_id, time);

CREATE TABLE events(
  id INTEGER PRIMARY KEY,
  time REAL NOT NULL,
  kind TEXT NOT NULL,
  path TEXT NOT NULL,
  detail TEXT NOT NULL DEFAULT '{}',
  keep INTEGER NOT NULL DEFAULT 0);
CREATE INDEX events_path ON events(path);
CREATE INDEX events_time ON events(time);

CREATE TABLE models(
  id INTEGER PRIMARY KEY,
  model TEXT NOT NULL UNIQUE,
  dim INTEGER NOT NULL);

CREATE TABLE vectors(
  model_id INTEGER NOT NULL REFERENCES models(id) ON DELETE CASCADE,
  vec_key INTEGER NOT NULL,
  PRIMARY KEY(model_id, vec_key)) WITHOUT ROWID;

CREATE TABLE loose_keys(vec_key INTEGER PRIMARY KEY);

CREATE TABLE preimages(
  note_id INTEGER PRIMARY KEY REFERENCES notes(id) ON DELETE CASCADE,
  time REAL NOT NULL,
  raw BLOB NOT NULL);

CREATE TABLE skipped(path TEXT PRIMARY KEY, reason TEXT NOT NULL) WITHOUT ROWID;
"""

# What the search for unlinked mentions has read: the state of each note's passages, and every name.
_MENTIONS = """
CREATE TABLE mention_marks(
  note_id INTEGER PRIMARY KEY REFERENCES notes(id) ON DELETE CASCADE,
  mark INTEGER NOT NULL);
CREATE TABLE mention_names(
  note_id INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY(note_id, name)) WITHOUT ROWID;
"""

# Text of attachments: what each content says, which content a file has, and which note has passages of it.
_ATTACHMENTS = """
CREATE TABLE extracts(key TEXT PRIMARY KEY, sections TEXT NOT NULL, problem TEXT NOT NULL);
CREATE TABLE extracted(
  file_id INTEGER PRIMARY KEY REFERENCES files(id) ON DELETE CASCADE,
  mark TEXT NOT NULL,
  key TEXT NOT NULL);
CREATE TABLE attached(
  note_id INTEGER NOT NULL REFERENCES notes(id) ON DELETE CASCADE,
  file_id INTEGER NOT NULL,
  slot INTEGER NOT NULL,
  mark TEXT NOT NULL,
  PRIMARY KEY(note_id, file_id)) WITHOUT ROWID;
"""

# Whose passages or outgoing edges came or went, in order: see genesys.store.touched.
_TOUCHED = """
CREATE INDEX notes_people ON notes(people) WHERE people <> '[]';
CREATE TABLE touches(id INTEGER PRIMARY KEY, note_id INTEGER NOT NULL);
""" + "\n".join(
    f"""CREATE TRIGGER {table}_{name} AFTER {event} ON {table} BEGIN
      INSERT INTO touches(note_id) VALUES({row}.{column}); END;"""
    for table, column in (("passages", "note_id"), ("edges", "source_id"))
    for name, event, row in (("come", "INSERT", "new"), ("go", "DELETE", "old"))
)

MIGRATIONS: tuple[Migration, ...] = (
    Migration("0001-base", _BASE),
    Migration("0002-mentions", _MENTIONS),
    Migration("0003-attachments", _ATTACHMENTS),
    Migration("0004-touched", _TOUCHED),
)


def migrate(db: Db, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Bring the schema up to date, all steps in one transaction.

    :raises IndexTooNew: a later version of Genesys has changed this index.
    :raises IndexCorrupt: the file is a database, but none of ours.
    :raises IndexError_: steps are due and the index was opened read-only.
    """
    due = _due(db, migrations)
    if not due:
        return
    if db.read_only:
        raise IndexError_(
            f"the index {db.path} was made by an earlier version",
            hint="run `genesys index` once to bring it up to date",
        )
    with db.transaction():
        for step in _due(db, migrations):  # another process may have been faster
            _apply(db, step)


def _due(db: Db, migrations: Sequence[Migration]) -> list[Migration]:
    tables = {name for (name,) in db.all("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    if "migrations" not in tables:
        if tables:
            raise IndexCorrupt(f"{db.path} is no index of Genesys", hint=REBUILD_HINT)
        return list(migrations)
    done = {name for (name,) in db.all("SELECT name FROM migrations")}
    unknown = sorted(done - {step.name for step in migrations})
    if unknown:
        raise IndexTooNew(
            f"the index {db.path} was made by a newer version of Genesys (it has {unknown[-1]!r})",
            hint="update Genesys, or rebuild with `genesys index --full`",
        )
    return [step for step in migrations if step.name not in done]


def _apply(db: Db, step: Migration) -> None:
    first = not db.value("SELECT count(*) FROM sqlite_schema WHERE name = 'migrations'")
    if first:
        db.script("CREATE TABLE migrations(name TEXT PRIMARY KEY, applied REAL NOT NULL) WITHOUT ROWID")
    db.script(step.sql)
    db.run("INSERT INTO migrations(name, applied) VALUES(?, ?)", (step.name, time.time()))
    if step.reindex:
        db.run("INSERT OR REPLACE INTO meta(key, value) VALUES(?, '1')", (REINDEX_DUE,))


def claim(db: Db, machine_id: str) -> None:
    """Remember the machine that made the index, and refuse another's.

    Inodes, change times and locks mean nothing across machines, and two machines that write one synced
    file destroy it. An empty ``machine_id`` skips the check.

    :raises IndexForeign: the index was made elsewhere.
    """
    if not machine_id:
        return
    owner = db.value("SELECT value FROM meta WHERE key = 'machine_id'")
    if owner is None and not db.read_only:
        db.run("INSERT OR IGNORE INTO meta(key, value) VALUES('machine_id', ?)", (machine_id,))
    elif owner is not None and owner != machine_id:
        raise IndexForeign(
            f"the index {db.path} was made on another machine",
            hint="run `genesys index --full` to make it anew here, or set GENESYS_INDEX to keep both apart",
        )
