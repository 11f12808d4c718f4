"""A small vault with an index of its own, and processes on it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.helpers import settings_of
from daemon.processes import Running
from genesys import Memory
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


@pytest.fixture(autouse=True)
def _toy_model(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if request.node.get_closest_marker("model") is None:
        monkeypatch.setenv("GENESYS_EMBEDDER", "fake")
    monkeypatch.setenv("GENESYS_WORKERS", "1")


@pytest.fixture
def vault(indexed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(indexed, tmp_path / "vault", symlinks=True))


@pytest.fixture
def memory(vault: Path) -> Iterator[Memory]:
    with Memory(vault) as made:
        yield made


@pytest.fixture
def running(vault: Path) -> Iterator[Running]:
    """Starts processes on the vault, and leaves none behind."""
    with Running(vault) as made:
        yield made
