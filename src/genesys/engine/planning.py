"""The plan of one pass: what the disk has against what the index knows. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from genesys.model import FileStat, FileType, Move, Plan
from genesys.vault import content_hash, file_type

__all__ = ["find_moves", "make_plan"]

EMPTY = content_hash(b"")  # says nothing about which file it was


def make_plan(
    disk: Iterable[FileStat],
    known: Mapping[str, FileStat],
    *,
    keep: tuple[str, ...] = (),
    full: bool = False,
) -> Plan:
    """Compare the files on disk with the index.

    ``keep`` are paths ("" is the vault) at or below which missing files stay in the index, because they
    could not be read. With ``full`` every file is read again, whatever its time stamp
    says; only a differing content hash makes it a change in the end.
    """
    added: list[FileStat] = []
    changed: list[FileStat] = []
    seen: set[str] = set()
    unchanged = 0
    for stat in disk:
        seen.add(stat.path)
        old = known.get(stat.path)
        if old is None:
            added.append(stat)
        elif full or old.type is not stat.type or _stamp(old) != _stamp(stat):
            changed.append(stat)
        else:
            unchanged += 1
    removed = tuple(p for p in known if p not in seen and not _below(p, keep))
    return Plan(tuple(added), tuple(changed), removed, unchanged)


def _below(path: str, folders: tuple[str, ...]) -> bool:
    return any(not f or path == f or path.startswith(f + "/") for f in folders)


def _stamp(stat: FileStat) -> tuple[int, int, int]:
    return stat.size, stat.mtime_ns, stat.inode


def find_moves(old: Mapping[str, str], new: Mapping[str, str]) -> tuple[Move, ...]:
    """Pair paths that lost a content with paths that gained it.

    ``old`` and ``new`` map path → content hash: files that vanished or changed, and files that appeared
    or changed. A content that several files share is paired by file name first; what stays ambiguous is
    no move. Two empty files are the same file only by their name, and a note that became a canvas is not
    the same file at all.
    """
    gone: dict[str, list[str]] = defaultdict(list)
    for path, digest in sorted(old.items()):
        if digest and new.get(path) != digest:
            gone[digest].append(path)
    moves: list[Move] = []
    came: dict[str, list[str]] = defaultdict(list)
    for path, digest in sorted(new.items()):
        if digest in gone and old.get(path) != digest:
            came[digest].append(path)
    for digest, targets in came.items():
        for kind in FileType:
            sources = [p for p in gone[digest] if file_type(p) is kind]
            moves += _pair(sources, [p for p in targets if file_type(p) is kind], digest == EMPTY)
    return tuple(moves)


def _pair(sources: list[str], targets: list[str], by_name_only: bool) -> list[Move]:
    """Same name first (a folder was renamed), then the one pair that is left."""
    moves: list[Move] = []
    left = list(sources)
    rest: list[str] = []
    for target in targets:
        same = [s for s in left if _name(s) == _name(target)]
        if len(same) == 1:
            left.remove(same[0])
            moves.append(Move(same[0], target))
        else:
            rest.append(target)
    if len(left) == len(rest) == 1 and not by_name_only:
        moves.append(Move(left[0], rest[0]))
    return moves


def _name(path: str) -> str:
    return path.rsplit("/", 1)[-1]
