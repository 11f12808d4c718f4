"""The small vault of the daemon's tests, and whatever runs on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.conftest import indexed, vault  # noqa: F401 - fixtures
from daemon.processes import Running


@pytest.fixture
def running(vault: Path) -> Iterator[Running]:  # noqa: F811 - the fixture
    """Starts processes on the vault, and leaves none behind."""
    with Running(vault, GENESYS_HOOK_DEADLINE_S="30", GENESYS_HOOK_START_DEADLINE_S="30") as made:
        yield made
