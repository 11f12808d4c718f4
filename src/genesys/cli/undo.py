"""``setup --undo``: every file as it was, and nothing of setup left behind."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from genesys.connect.journal import Journal

__all__ = ["undo_setup"]

HOW = {
    "restored": "as it was before",
    "removed": "removed, as there was none before",
    "cut": "only our entry taken out; it was edited since",
    "gone": "nothing of ours is in it",
    "kept": "it was changed since, so it is yours and stays",
}


def undo_setup(journal: Journal, *, print_only: bool) -> None:
    """Undo what the record has, then remove the record. It can be run again after any interruption."""
    from genesys.connect.apply import undo_all

    if not journal.exists:
        print("setup has nothing to undo")
        return
    if print_only:
        for name in dict.fromkeys([entry.file for entry in journal.entries] + list(journal.trees)):
            print(f"would undo: {name}")
        return
    results, left = undo_all(journal)
    for result in results:
        print(f"{result.file}: {HOW.get(result.how) or f'left alone, {result.reason}'}")
    if left.entries:
        left.save()
        print("put right by hand what was left alone, then run genesys setup --undo again")
        raise typer.Exit(1)
    for tree in journal.trees:
        _drop(Path(tree))
    journal.close()


def _drop(tree: Path) -> None:
    """Remove a folder that came with setup; an index in which there is more than in the vault stays."""
    away = tree.with_name(f"{tree.name}-removed")  # so that what is half removed is not taken for whole
    if tree.is_dir():
        if tree.name == ".genesys" and not _disposable(tree.parent):
            print(f"{tree}: kept, as it knows what was written, pinned or forgotten")
            print("  genesys unwrite takes its properties out of your notes; then the folder may be deleted")
            return
        os.rename(tree, away)
        print(f"{tree}: removed")
    shutil.rmtree(away, ignore_errors=True)


def _disposable(vault: Path) -> bool:
    from genesys.engine.leaving import only_read
    from genesys.settings import load_settings
    from genesys.sockets import places, supported

    settings = load_settings(vault)
    if settings.index.exists() and not only_read(settings):
        return False
    if supported():
        from genesys.starting import stop

        stop(places(vault), write_back=False)
    return not settings.index.exists() or only_read(settings)
