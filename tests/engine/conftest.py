from __future__ import annotations

from pathlib import Path

import pytest

from engine.kit import TestVault


@pytest.fixture
def vault(tmp_path: Path) -> TestVault:
    """An empty vault."""
    root = tmp_path / "vault"
    root.mkdir()
    return TestVault(root)


@pytest.fixture
def story(fixture_vault: Path) -> TestVault:
    """A copy of the fixture vault, not indexed yet."""
    return TestVault(fixture_vault)
