"""Full text: BM25 over passages, and how common a term is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import apsw

from genesys.errors import UsageError
from genesys.store import meta
from genesys.store.db import Db

__all__ = ["COLUMNS", "doc_frequency", "fts_quote", "merge_garbage", "search_text", "stems"]

COLUMNS = ("title", "aliases", "heading", "text")
_TOKENIZER = ("porter", ["unicode61", "remove_diacritics", "2"])
MERGE_PAGES = 2_000  # full-text pages merged in one go
GARBAGE_ROWS, GARBAGE_SHARE = 64, 0.02  # edited passages, at least and of all, that make a merge worth it
SMALL = 20_000  # passages up to which the full-text index is merged whole, at once


def fts_quote(term: str) -> str:
    """A term as an FTS5 string: whatever it holds, it is data. Several words become a phrase. Pure."""
    return '"' + term.replace("\x00", " ").replace('"', '""') + '"'


def search_text(db: Db, match: str, weights: Sequence[float], limit: int) -> list[tuple[int, int, float]]:
    """(passage id, note id, BM25) of the best passages, best first; greater is better.

    ``match`` is an FTS5 expression over folded terms (see :func:`fts_quote`), ``weights`` are those of
    title, aliases, heading and text.

    :raises UsageError: the expression can't be read.
    """
    if not match.strip():
        return []
    try:
        rows = db.all(
            """SELECT f.rowid, p.note_id, f.score FROM (
              SELECT rowid, -bm25(passages_fts, ?, ?, ?, ?) AS score FROM passages_fts
              WHERE passages_fts MATCH ? ORDER BY score DESC LIMIT ?) f
            JOIN passages p ON p.id = f.rowid ORDER BY f.score DESC, f.rowid""",
            (*weights, match, limit),
        )
    except apsw.SQLError as error:
        raise UsageError(f"the search {match!r} can't be read ({error})", hint="quote its words") from error
    return [(int(p), int(n), max(float(s), 0.0)) for p, n, s in rows]


def stems(db: Db, text: str) -> list[str]:
    """The tokens that the index keeps for a (folded) text, in order."""
    with db.lock:
        tokenizer = db.con.fts5_tokenizer(*_TOKENIZER)
        found = tokenizer(
            text.encode("utf-8", "replace"),
            apsw.FTS5_TOKENIZE_DOCUMENT,
            None,
            include_offsets=False,
            include_colocated=False,
        )
    return [str(token) for token in found]


def doc_frequency(db: Db, terms: Iterable[str]) -> dict[str, int]:
    """In how many passages each (folded) term occurs; a term of several tokens counts as a phrase."""
    found: dict[str, int] = {}
    for term in dict.fromkeys(terms):
        tokens = stems(db, term)
        if len(tokens) == 1:
            found[term] = db.value("SELECT doc FROM passages_vocab WHERE term = ?", tokens) or 0
        elif tokens:
            sql = "SELECT count(*) FROM passages_fts WHERE passages_fts MATCH ?"
            found[term] = db.value(sql, (fts_quote(term),))
        else:
            found[term] = 0
    return found


def merge_garbage(db: Db) -> None:
    """Drop the words of deleted passages from the file.

    FTS5 only marks a deleted row; its words go when segments are merged. Of edits that waits until it is
    worth the work; of removed notes nothing may stay. A small index is merged whole, a large one by a
    bounded number of pages, call by call, until nothing is left to do.
    """
    rows = meta.version(db, meta.FTS_GARBAGE)
    if not rows:
        return
    passages = db.value("SELECT count(*) FROM passages")
    if meta.get(db, meta.FTS_REMOVED) is None and rows < max(GARBAGE_ROWS, passages * GARBAGE_SHARE):
        return
    with db.transaction():
        if passages <= SMALL:
            db.run("INSERT INTO passages_fts(passages_fts) VALUES('optimize')")
            done = True
        else:
            before = db.con.total_changes()
            db.run("INSERT INTO passages_fts(passages_fts, rank) VALUES('merge', ?)", (-MERGE_PAGES,))
            done = db.con.total_changes() - before < 2  # FTS5's own sign that nothing was merged
        if done:
            meta.put(db, meta.FTS_GARBAGE, None)
            meta.put(db, meta.FTS_REMOVED, None)
