from __future__ import annotations

from engine.conftest import story, vault

__all__ = ["story", "vault"]
