"""``genesys doctor``: each part looked at once; a failing line names the one thing that mends it."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from genesys.accounts import Check
from genesys.errors import GenesysError, VaultNotFound
from genesys.paths import safe_name
from genesys.settings import VAULT_FILE, Settings, load_settings

if TYPE_CHECKING:
    from genesys.store.index import Index

__all__ = ["examine", "examine_without_vault"]

Part = Callable[[Settings], Iterator[Check]]

FREE_BYTES = 200_000_000  # below this an index of a middling vault may not fit
SYNCED = (
    "dropbox",
    "onedrive",
    "icloud",
    "mobile documents",
    "google drive",
    "nextcloud",
    "syncthing",
    "cloudstorage",
)


def examine(settings: Settings) -> tuple[Check, ...]:
    """All checks, in the order in which one thing needs the other; none of them changes anything."""
    return _run(
        settings, (_python, _sqlite, _sqlite_vec, _model, _vault, _index, _attachments, _place, _disk)
    )


def examine_without_vault(error: VaultNotFound) -> tuple[Check, ...]:
    """What can be said where no vault was found: the parts that every vault needs, and how to name one."""
    with tempfile.TemporaryDirectory() as nowhere:
        checks = _run(load_settings(Path(nowhere)), (_python, _sqlite, _sqlite_vec, _model))
    return (*checks, Check("vault", False, error.message, 'genesys setup "/path/to/your vault"'))


def _run(settings: Settings, parts: Iterable[Part]) -> tuple[Check, ...]:
    checks: list[Check] = []
    for check in parts:
        try:
            checks += list(check(settings))
        except GenesysError as e:
            checks.append(Check(check.__name__.strip("_").replace("_", "-"), False, e.message, e.hint))
    return tuple(checks)


def _python(settings: Settings) -> Iterator[Check]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield Check("python", sys.version_info >= (3, 11), version, "install Python 3.11 or newer")


def _sqlite(settings: Settings) -> Iterator[Check]:
    try:
        from genesys.store.db import sqlite_version
    except ImportError:
        yield Check("sqlite", False, "apsw is not installed", "pip install apsw")
        return
    version, full_text = sqlite_version()
    detail = f"{version} through apsw, " + ("with FTS5" if full_text else "without FTS5")
    yield Check("sqlite", full_text, detail, "pip install --upgrade apsw")


def _sqlite_vec(settings: Settings) -> Iterator[Check]:
    from genesys.store.db import vec_version

    try:
        yield Check("sqlite-vec", True, vec_version())
    except Exception as e:  # noqa: BLE001 - whatever keeps the extension from loading is the finding
        yield Check("sqlite-vec", False, f"does not load: {e}", "pip install --force-reinstall sqlite-vec")


def _model(settings: Settings) -> Iterator[Check]:
    from genesys.embed import model_presence

    present, detail, fix = model_presence(settings)
    yield Check("model", present, detail, fix)


def _vault(settings: Settings) -> Iterator[Check]:
    root = settings.vault
    if not root.is_dir():
        yield Check("vault", False, f"{root} is not a folder", 'genesys setup "/path/to/your vault"')
        return
    readable = os.access(root, os.R_OK | os.X_OK)
    yield Check("vault", readable, str(root), f"chmod u+rx {quote(str(root))}")
    if readable and not os.access(root, os.W_OK):
        detail = "read-only: recall works, memories can't be stored"
        yield Check("vault-writable", True, detail, f"chmod u+w {quote(str(root))}", warning=True)


def _index(settings: Settings) -> Iterator[Check]:
    from genesys.store.index import open_index

    path = settings.index
    if not path.exists():
        yield Check("index", False, "none yet", f"genesys index --vault {quote(str(settings.vault))}")
        return
    with open_index(path, read_only=True) as index:
        problems = index.check()
        counts = index.counts()
        detail = f"{counts.notes} notes, {counts.passages} passages: {problems[0] if problems else 'sound'}"
        again = f"genesys index --full --vault {quote(str(settings.vault))}"
        yield Check("index", not problems, detail, again)
        if not problems:
            yield from _completeness(index, settings)


def _completeness(index: Index, settings: Settings) -> Iterator[Check]:
    """What is sound and not whole: recall works, and would be better."""
    from genesys.engine.embedding import model_of

    fix = f"genesys index --vault {quote(str(settings.vault))}"
    name, missing = model_of(settings)
    have, total = index.vector_counts(name)
    if not missing and have < total:
        yield Check("vectors", True, f"{total - have} passages wait for theirs", fix, warning=True)
    if index.counts().stale_links:
        yield Check("links", True, "a pass was interrupted", fix, warning=True)
    if troubled := len(index.problems()):
        detail = f"{troubled} could be read only in part, and are never written to"
        yield Check(
            "notes", True, detail, f"genesys status --vault {quote(str(settings.vault))}", warning=True
        )


def _attachments(settings: Settings) -> Iterator[Check]:
    """Whether text of PDF and Word files is read, and of which files it was not."""
    from genesys.extract import available
    from genesys.store.index import open_index

    if settings.attachments == "off" or not available():
        why = (
            "switched off"
            if settings.attachments == "off"
            else "pip install 'genesys-vault[attachments]' does"
        )
        yield Check("attachments", True, f"text of PDF and Word files is not read ({why})")
    elif settings.index.exists():
        with open_index(settings.index, read_only=True) as index:
            problems = index.extract_problems()
        detail = "text of PDF and Word files is read"
        if problems:
            more = f", and {len(problems) - 1} more (genesys status)" if len(problems) > 1 else ""
            detail += f"; not all of {problems[0][0]} ({problems[0][1]}){more}"
        yield Check("attachments", True, detail)


def _place(settings: Settings) -> Iterator[Check]:
    """A database in a synced folder is changed under SQLite's feet."""
    low = str(settings.index).lower()
    if any(name in low for name in SYNCED):
        line = f'index = "~/.local/share/genesys/{safe_name(settings.vault.name)}.db"'
        yield Check(
            "sync",
            True,
            f"the index lies in a synced folder: {settings.index.parent}",
            f"echo {quote(line)} >> {quote(str(settings.vault / VAULT_FILE))}",
            warning=True,
        )


def _disk(settings: Settings) -> Iterator[Check]:
    folder = next((p for p in (settings.index.parent, *settings.index.parents) if p.exists()), None)
    if folder is None:
        return
    free = shutil.disk_usage(folder).free
    yield Check("disk", free > FREE_BYTES, f"{free / 1e9:.1f} GB free", f'free 200 MB beside "{folder}"')
