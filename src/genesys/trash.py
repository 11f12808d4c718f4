"""Taking a file away so that a person can get it back; nothing is ever deleted.

The vault's ``.trash`` keeps the folder structure. The system's trash follows the freedesktop.org Trash
specification 1.0, or is the Mac's.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from urllib.parse import quote

from genesys.errors import FileGone, WriteRefused
from genesys.paths import check_path, inside, locate, unique_path
from genesys.write import make_folders, move_into, write_errors

__all__ = ["LOCAL_TRASH", "restore", "trash"]

LOCAL_TRASH = ".trash"


def trash(root: Path, path: str, option: str = "local", *, system_trash: Path | None = None) -> str:
    """Move a file to the trash; where it went, which :func:`restore` takes.

    ``option`` is Obsidian's: ``system``, ``local``, or ``none``, for which we keep the file in the vault's
    trash all the same. ``system_trash`` is the folder of the person's trash (``Trash`` with ``files`` and
    ``info``, or the Mac's ``.Trash``). Where it is missing or on another disk, the vault's trash serves.
    The answer is a vault-relative path (``.trash/…``) or an absolute one.
    Raises :class:`FileGone`, :class:`PathEscape`, :class:`WriteRefused`.
    """
    real = inside(root, path)
    if not os.path.lexists(real):
        raise FileGone(f"{path} is not there", hint="It was moved or deleted a moment ago.")
    with write_errors(path):
        if option == "system" and system_trash is not None:
            went = _to_system(real, system_trash)
            if went:
                return went
        return _to_local(root, check_path(path), real)


def restore(root: Path, trashed: str, path: str) -> None:
    """Move a trashed file back to ``path``.

    Raises :class:`FileGone` where the trash was emptied, :class:`WriteRefused` where the path is taken.
    """
    absolute = os.path.isabs(trashed)
    source = trashed if absolute else locate(root, trashed)
    if not os.path.lexists(source):
        raise FileGone(f"{trashed} is no longer in the trash", hint="It was emptied, or restored by hand.")
    target = locate(root, path)
    make_folders(root, os.path.dirname(target), path)
    with write_errors(path):
        try:
            _move(source, target)
        except FileExistsError:
            raise WriteRefused(f"{path} exists already", hint="Move that one away first.") from None
        if absolute:
            info = Path(source).parent.parent / "info" / f"{os.path.basename(source)}.trashinfo"
            info.unlink(missing_ok=True)


def _to_local(root: Path, path: str, real: str) -> str:
    while True:
        went = unique_path(f"{LOCAL_TRASH}/{path}", lambda p: os.path.lexists(locate(root, p)))
        target = locate(root, went)
        make_folders(root, os.path.dirname(target), path)
        try:
            move_into(real, target)
        except FileExistsError:
            continue  # another process took the name in between
        return went


def _to_system(real: str, folder: Path) -> str:
    """The path in the system's trash; "" where that can't take the file."""
    if not folder.parent.is_dir() or os.stat(folder.parent).st_dev != os.lstat(real).st_dev:
        return ""
    mac = sys.platform == "darwin"
    files, info = (folder, None) if mac else (folder / "files", folder / "info")
    for place in filter(None, (files, info)):
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
    while True:
        name = unique_path(os.path.basename(real), lambda n: os.path.lexists(files / n))
        target = str(files / name)
        note = info and info / f"{name}.trashinfo"
        try:
            if note:
                note.touch(exist_ok=False)
                note.write_text(_trash_info(real), encoding="utf-8")
            move_into(real, target)
        except FileExistsError:
            continue
        return target


def _trash_info(real: str) -> str:
    when = time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime())
    return f"[Trash Info]\nPath={quote(os.fsencode(real))}\nDeletionDate={when}\n"


def _move(source: str, target: str) -> None:
    if os.path.lexists(target):
        raise FileExistsError(target)
    if os.lstat(source).st_dev == os.stat(os.path.dirname(target)).st_dev:
        move_into(source, target)
    else:
        import shutil

        shutil.move(source, target)
