"""Modules that are loaded when something of them is first used: a quick start needs few of the store's."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["Lazy"]


class Lazy:
    """Stands for a module; safe from several threads, since the import system's own lock is what waits."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(import_module(self._name), attribute)
