"""Real vaults under git: everything is written back and taken back, and git sees only our lines.

The larger ones take minutes: ``python tests/memory/vaults.py garden-zh garden-en``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.vaults import archive, exercise


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kepano"])
def test_git_sees_only_our_lines_and_nothing_after_unwrite(name: str, tmp_path: Path) -> None:
    """The first index writes nothing, decay with write-back to all adds our lines, unwrite gives all back."""
    if not archive(name).exists():
        pytest.skip(f"no {archive(name).name} here: set GENESYS_VAULTS")
    figures = exercise(name, tmp_path)
    print(figures)
    assert [] == figures.foreign
    assert "" == figures.left
    assert figures.written == figures.changed
    assert figures.written + sum(figures.refused.values()) == figures.notes
