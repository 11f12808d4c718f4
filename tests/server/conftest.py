"""A host over an indexed copy of the fixture vault, and a client of either protocol era."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from genesys.engine.session import Genesys
from genesys.server import build_server
from genesys.serving.host import Host
from genesys.settings import load_settings
from server.helpers import settings_of
from support import NOW, VAULT

ERAS = ("legacy", "auto")  # auto asks server/discover first, and is answered in the newer era

Connect = Callable[..., AbstractAsyncContextManager[Client]]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> str:
    """The handshake era (2025-11-25 and before) and the era without a handshake."""
    return str(request.param)


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The fixture vault with its index, made once; tests take a copy."""
    vault = tmp_path_factory.mktemp("indexed") / "vault"
    shutil.copytree(VAULT, vault, symlinks=True)
    env = {"GENESYS_EMBEDDER": "fake", "HOME": str(vault.parent), "GENESYS_WORKERS": "1"}
    settings = load_settings(vault, env, writeback="off")
    with Genesys.open(settings, clock=lambda: NOW) as memory:
        memory.index()
    return vault


@pytest.fixture
def vault(indexed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(indexed, tmp_path / "vault", symlinks=True))


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    """No background: what a test sees is what its own calls did."""
    made = Host(settings_of(vault), clock=lambda: NOW, background=False)
    yield made
    made.close()


@pytest.fixture
def connect(era: str, host: Host) -> Connect:
    """A client in memory, of the era at hand."""

    def client(**options: Any) -> AbstractAsyncContextManager[Client]:
        return Client(build_server(host), mode=era, **options)

    return client
