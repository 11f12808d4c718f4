from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from genesys.store.index import Index, open_index


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".genesys" / "index.db"


@pytest.fixture
def index(path: Path) -> Iterator[Index]:
    with open_index(path) as opened:
        yield opened
