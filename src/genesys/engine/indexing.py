"""The one path in: walk → plan → read and parse → put → resolve → embed.

``genesys index``, the watcher and the daemon's start all come through :func:`run`. Every batch is a
transaction, what still has to be resolved or embedded is recorded with it, so a kill at any moment leaves
an index that the next pass continues.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace

from genesys.accounts import IndexReport
from genesys.engine import attaching
from genesys.engine.glance import MOST as GLANCED
from genesys.engine.glance import glance
from genesys.engine.listing import OPTED_OUT
from genesys.engine.planning import find_moves, make_plan
from genesys.engine.pool import Record, parse_files, uncollected
from genesys.engine.reading import is_same
from genesys.ignore import Rules, load_rules
from genesys.model import FileStat, FileType, Move, Plan, Skipped
from genesys.settings import Settings
from genesys.store.index import Index
from genesys.store.prepare import Prepared
from genesys.vault import Walk, file_type, is_empty_folder, walk

__all__ = ["Progress", "resolve_links", "run"]

Progress = Callable[[str, int, int], None]  # phase, done, total

BATCH = 256  # files of the first transaction: words can be asked for soon
LATER = 1_024  # files of a later one: still a fifth of a second, and fewer pages are written twice
MANY = 300  # files from which a pass is worth special measures
PARSE_DIGEST = "parse_digest"  # meta: the reading settings that the index was made with
EMPTY_FOLDER_NOTES = 10  # an emptied folder that held this many notes may be a lost mount, not a deletion


@dataclass
class Pass:
    """The running counts of one pass."""

    settings: Settings
    index: Index
    now: float
    full: bool
    reparse: bool
    progress: Progress
    seconds: dict[str, float] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    skipped: list[Skipped] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    emptied: tuple[str, ...] = ()  # folders that stand there with nothing in them, where notes were
    partial: bool = False  # only some paths were looked at
    stored: list[str] = field(default_factory=list)  # paths that were put

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = round(self.seconds.get(name, 0.0) + time.perf_counter() - start, 4)


def run(
    settings: Settings,
    index: Index,
    *,
    now: float,
    full: bool = False,
    dry_run: bool = False,
    paths: Collection[str] = (),
    progress: Progress | None = None,
) -> IndexReport:
    """Bring notes, links and keywords up to date with the disk; vectors are :mod:`.embedding`'s.

    ``paths``, where any are given, are all that has changed; the rest of the vault is not looked at unless
    only that can tell what happened to them.

    Raises:
        VaultNotFound: the vault's folder is gone.
        DiskFull: nothing of the failing batch is kept, all before it is.
    """
    reparse = index.reindex_due or index.meta_get(PARSE_DIGEST) not in (None, settings.parse_digest())
    job = Pass(settings, index, now, full, reparse, progress or _silent)
    with job.phase("walk"):
        rules = load_rules(settings.vault, follow=settings.follow_links)
        some = _some(job, rules, paths) if paths and not (full or reparse) else None
        job.partial = some is not None
        found, known = some or (walk(settings.vault, rules), index.file_states())
        plan = make_plan(found.files, known, keep=found.unreadable, full=full or reparse)
        if plan.removed and not full:
            job.emptied = _emptied(job, plan.removed)
    job.kept += [f"{f}: can't be read; what was there stays in the index" for f in found.unreadable]
    job.skipped += found.skipped
    if dry_run:
        return _preview(job, plan, known)
    with uncollected() if len(plan.added) + len(plan.changed) >= MANY else nullcontext():
        _apply(job, plan, known)
    return _report(job, rules.problems)


def _some(job: Pass, rules: Rules, paths: Collection[str]) -> tuple[Walk, dict[str, FileStat]] | None:
    known = job.index.file_states(paths) if len(paths) <= GLANCED else {}
    return glance(job.settings.vault, rules, paths, known, job.index.any_below)


def _silent(phase: str, done: int, total: int) -> None:
    """Progress for nobody."""


def _emptied(job: Pass, removed: Iterable[str]) -> tuple[str, ...]:
    """Folders ("" is the vault) that are there and empty, though notes were in or below them."""
    counts: Counter[str] = Counter()
    for path in removed:
        if file_type(path) is FileType.NOTE:
            while path:
                path = path.rpartition("/")[0]
                counts[path] += 1
    root = job.settings.vault
    least = 1 if not any(root.iterdir()) else EMPTY_FOLDER_NOTES
    found = [f for f, n in counts.items() if n >= (EMPTY_FOLDER_NOTES if f else least)]
    return tuple(f for f in sorted(found) if is_empty_folder(root, f))


def _lost(job: Pass, missing: Collection[str]) -> set[str]:
    """Which of the missing files stay in the index: an emptied folder may be a disk that is not mounted.

    What moved elsewhere is not among ``missing``, so a folder whose notes were dragged to another is let go.
    """
    lost: set[str] = set()
    for folder in job.emptied:
        below = {p for p in missing if p.startswith(folder + "/") or not folder} - lost
        notes = sum(file_type(p) is FileType.NOTE for p in below)
        if notes >= EMPTY_FOLDER_NOTES or (notes and not folder):
            lost |= below
            job.kept.append(
                f"{folder or 'the vault'} is empty but held {notes} notes; they stay in the index "
                "(if you deleted them: genesys index --full)"
            )
    return lost


def _apply(job: Pass, plan: Plan, known: Mapping[str, FileStat]) -> None:
    todo = [*plan.added, *(_expecting(s, known, job.reparse) for s in plan.changed)]
    if todo or plan.removed:
        # A new parse of all has no moves to find, and too many records to hold.
        if plan.removed or (plan.changed and not job.reparse):
            _apply_with_moves(job, plan, known, todo)
        else:
            _stream(job, todo, known)
    with job.phase("resolve"):
        job.counts["resolved"] = resolve_links(job.index)
    with job.phase("write"):
        changed = job.counts["read"] + job.counts["moved"] + job.counts["removed"]
        if changed or job.counts["resolved"]:
            _infer(job)
            _restore(job)
        if not job.partial or changed or job.counts["resolved"] or job.counts["touched"]:
            attaching.refresh(job.index, job.settings)
        if changed or job.counts["resolved"]:
            job.index.collect_garbage()
        if not job.partial and job.skipped != list(job.index.skipped()):
            job.index.set_skipped(job.skipped)
        if job.reparse:
            job.index.reindexed()
        if job.index.meta_get(PARSE_DIGEST) != job.settings.parse_digest():
            job.index.meta_set(PARSE_DIGEST, job.settings.parse_digest())
        if changed or job.full or job.reparse or job.index.meta_get("indexed_at") is None:
            job.index.meta_set("indexed_at", repr(job.now))


def _expecting(stat: FileStat, known: Mapping[str, FileStat], reparse: bool) -> FileStat:
    """The file with the hash it had, so that a worker need not parse what did not change."""
    old = known[stat.path]
    return stat if reparse or old.type is not stat.type else replace(stat, content_hash=old.content_hash)


def _restore(job: Pass) -> None:
    """Take back what notes say of themselves, where this index is new (P1)."""
    if job.counts["added"] and job.index.has_unscored_own():
        from genesys.engine import restoring

        restoring.restore_written(job.index, job.settings, job.now)


def _infer(job: Pass) -> None:
    """Edges that nobody wrote: order and mentions; they follow every change of notes and titles."""
    from genesys.engine import inferring

    some = job.partial and not (job.counts["moved"] or job.counts["removed"])
    inferring.refresh(job.index, set(job.index.note_ids(job.stored).values()) if some else None)


def resolve_links(index: Index) -> int:
    """Resolve what waits for it by Obsidian's rules; how many links lead elsewhere than before."""
    return index.resolve(_resolver()).changed


def _resolver() -> Callable[[str, str, Sequence[str], Sequence[str]], tuple[str | None, bool]]:
    from genesys.parse.resolve import resolve

    def resolver(
        target: str, source: str, candidates: Sequence[str], owners: Sequence[str]
    ) -> tuple[str | None, bool]:
        found = resolve(target, source, candidates, owners)
        return found.path, found.via_alias

    return resolver


def _stream(job: Pass, todo: Sequence[FileStat], known: Mapping[str, FileStat]) -> None:
    """Parse and put as it comes: keyword answers are possible from the first batch."""
    batch: list[Prepared] = []
    done = 0
    for records in _parsed(job, todo):
        for record in records:
            done += 1
            if isinstance(record, Skipped):
                job.skipped.append(record)
            else:
                batch.append(record)
        if len(batch) >= (LATER if job.stored else BATCH):
            _put(job, batch, known)
            batch = []
        job.progress("read", done, len(todo))
    _put(job, batch, known)


def _parsed(job: Pass, todo: Sequence[FileStat]) -> Iterator[list[Record]]:
    files = [s for s in todo if s.type is not FileType.ATTACHMENT]
    others: list[Record] = [Prepared(s) for s in todo if s.type is FileType.ATTACHMENT]
    if others:
        yield others
    root = job.settings.vault
    with job.phase("read"):
        # To compare contents is quicker here than in processes that have to start first.
        same = {s.path for s in files if s.content_hash and is_same(root, s)}
    yield [Prepared(s) for s in files if s.path in same]
    files = [s for s in files if s.path not in same]
    source = parse_files(root, files, job.settings.parse, job.settings.workers)
    while True:
        with job.phase("read"):
            records = next(source, None)
        if records is None:
            return
        yield records


def _put(job: Pass, batch: Sequence[Prepared], known: Mapping[str, FileStat]) -> None:
    """One transaction. A file whose bytes are what the index has is only stamped anew."""
    fresh: list[Prepared] = []
    same: list[FileStat] = []
    for record in batch:
        old = known.get(record.stat.path)
        if _unchanged(old, record):
            same.append(record.stat)
        else:
            fresh.append(record)
            if record.note is not None:
                differs = old is None or old.content_hash != record.stat.content_hash
                job.counts["read"] += 1
                if old is not None or not record.note.opted_out:
                    job.counts["added" if old is None else "changed" if differs else "reread"] += 1
    with job.phase("write"):
        if same:
            job.index.touch(same)
            job.counts["touched"] += sum(_stamped(known[s.path], s) for s in same)
        if fresh:
            job.index.put(fresh, job.now)
            job.stored += [record.stat.path for record in fresh]


def _stamped(old: FileStat, new: FileStat) -> bool:
    return (old.size, old.mtime_ns, old.inode) != (new.size, new.mtime_ns, new.inode)


def _unchanged(old: FileStat | None, record: Prepared) -> bool:
    """An unparsed record of a known file: its bytes are the ones the index has."""
    if old is None or old.type is not record.stat.type:
        return False
    if record.stat.type is FileType.ATTACHMENT:
        return True
    return record.note is None and not record.links and old.content_hash == record.stat.content_hash


def _apply_with_moves(job: Pass, plan: Plan, known: Mapping[str, FileStat], todo: Sequence[FileStat]) -> None:
    """With files gone or changed, everything new is read first, so that a move is seen as one."""
    records: list[Prepared] = []
    for group in _parsed(job, todo):
        job.skipped += [r for r in group if isinstance(r, Skipped)]
        records += [r for r in group if not isinstance(r, Skipped)]
        job.progress("read", len(records), len(todo))
    moves = _moves(plan, known, records)
    gone = set(plan.removed) - {m.old for m in moves}
    gone -= _lost(job, gone)
    gone |= {m.new for m in moves if m.new in known} - {m.old for m in moves}
    _drop(job, gone, moves, known)
    moved = {m.new: known[m.old] for m in moves}
    before = {p: s for p, s in known.items() if p not in gone} | moved
    for start in range(0, len(records), BATCH):
        batch = records[start : start + BATCH]
        with job.phase("write"):
            job.index.put([r for r in batch if r.stat.path in moved], job.now)
        _put(job, [r for r in batch if r.stat.path not in moved], before)


def _moves(plan: Plan, known: Mapping[str, FileStat], records: Iterable[Prepared]) -> tuple[Move, ...]:
    records = list(records)
    read = {r.stat.path for r in records}
    changed = [
        s.path for s in plan.changed if s.path in read
    ]  # one that can't be read has not lost its content
    old = {p: known[p].content_hash for p in (*plan.removed, *changed)}
    new = {r.stat.path: r.stat.content_hash for r in records if r.stat.type is not FileType.ATTACHMENT}
    return find_moves(old, new)


def _drop(job: Pass, gone: set[str], moves: Sequence[Move], known: Mapping[str, FileStat]) -> None:
    with job.phase("write"):
        if gone:
            job.index.remove(sorted(gone))
        if moves:
            job.index.move(moves)
    notes = {p for p, s in known.items() if s.type is FileType.NOTE}
    job.counts["removed"] += len(gone & notes)
    job.counts["moved"] += sum(m.old in notes for m in moves)


def _preview(job: Pass, plan: Plan, known: Mapping[str, FileStat]) -> IndexReport:
    """What a pass would do, as far as that shows without reading the files."""
    before = sum(s.type is FileType.NOTE for s in known.values())
    gone = set(plan.removed) - _lost(job, plan.removed)
    job.counts["added"] = sum(s.type is FileType.NOTE for s in plan.added)
    job.counts["changed"] = sum(s.type is FileType.NOTE for s in plan.changed)
    job.counts["removed"] = sum(file_type(p) is FileType.NOTE for p in gone)
    report = _report(job)
    return replace(
        report, notes=before + report.added - report.removed, passages=0, unresolved_links=0, dry_run=True
    )


def _report(job: Pass, notices: Sequence[str] = ()) -> IndexReport:
    totals = job.index.counts()
    skipped = [*(s.reason for s in job.skipped), *(OPTED_OUT for _ in job.index.opted_out())]
    return IndexReport(
        notes=totals.notes,
        added=job.counts["added"],
        changed=job.counts["changed"],
        moved=job.counts["moved"],
        removed=job.counts["removed"],
        touched=job.counts["touched"],
        skipped=dict(Counter(skipped)),
        problems=totals.problems,
        unresolved_links=totals.unresolved,
        passages=totals.passages,
        kept=tuple(job.kept),
        notices=tuple(notices),
        seconds=dict(job.seconds),
    )
