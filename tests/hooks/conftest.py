"""A small vault with an index of its own, and whatever runs on it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.helpers import settings_of
from daemon.processes import Running
from genesys.engine.session import Genesys
from support import VAULT


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The fixture vault with its index, made once; tests take a copy."""
    vault = tmp_path_factory.mktemp("indexed") / "vault"
    shutil.copytree(VAULT, vault, symlinks=True)
    with Genesys.open(settings_of(vault)) as memory:
        memory.index()
    return vault


@pytest.fixture
def vault(indexed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(indexed, tmp_path / "vault", symlinks=True))


@pytest.fixture
def running(vault: Path) -> Iterator[Running]:
    """Starts processes on the vault, and leaves none behind."""
    with Running(vault, GENESYS_HOOK_DEADLINE_S="30", GENESYS_HOOK_START_DEADLINE_S="30") as made:
        yield made
