"""The one way to open a vault's memory, and its use cases as methods.

A shell opens a :class:`Genesys`, calls a method, renders the value. Each method's work is in a module of
its own beside this one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from genesys.model import Answer, EdgeType, Filters, MemoryType
from genesys.reports import (
    Check,
    ContextBlock,
    CoreList,
    DecayReport,
    Explanation,
    Forgotten,
    IndexReport,
    NoteRef,
    Remembered,
    Stats,
    StatusReport,
    Subgraph,
    WhyReport,
    WriteReport,
)
from genesys.settings import Settings

Progress = Callable[[str, int, int], None]  # phase, done, total
