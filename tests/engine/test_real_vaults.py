"""Real vaults index without a fault, and a second pass has nothing to do.

The English garden is large (some 20 s of two processors): ``GENESYS_SLOW_VAULTS=1`` takes it in.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.kit import TestVault
from engine.real_vaults import NAMES, unpacked
from support import tree_bytes

LARGE = {"garden-en"}
ALL = bool(os.environ.get("GENESYS_SLOW_VAULTS"))

if not NAMES:
    pytest.skip("the real vaults are not here: set GENESYS_VAULTS", allow_module_level=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_real_vault_is_indexed_once(name: str, tmp_path: Path) -> None:
    """No note is left out unsaid, no byte of the vault changes, and the second pass changes nothing."""
    if name in LARGE and not ALL:
        pytest.skip(f"{name} is large: GENESYS_SLOW_VAULTS=1 takes it in")
    vault = TestVault(unpacked(name, tmp_path))
    before = tree_bytes(vault.root)
    first = vault.index(embed=False)
    graph = vault.graph()
    assert first.notes == first.added > 30
    assert first.passages >= first.notes
    second = vault.index(embed=False)
    assert (second.added, second.changed, second.moved, second.removed, second.touched) == (0, 0, 0, 0, 0)
    assert (second.notes, second.passages, second.unresolved_links) == (
        first.notes,
        first.passages,
        first.unresolved_links,
    )
    assert vault.graph() == graph
    assert tree_bytes(vault.root) == before
