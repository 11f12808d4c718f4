"""Genesys: your Obsidian vault is Claude's memory.

``from genesys import Memory`` is the memory for a Python program; the other names are what its methods take
and return. They are loaded when they are first asked for: to import the package costs next to nothing.
"""

TYPE_CHECKING = False  # that of typing, which costs some milliseconds
if TYPE_CHECKING:
    from genesys.api import Memory
    from genesys.errors import GenesysError
    from genesys.model import Answer, EdgeType, Filters, Hit, Kind, MemoryType, Status
    from genesys.reports import ContextBlock, Forgotten, NoteRef, Remembered, Stats, WhyReport

__all__ = [
    "Answer",
    "ContextBlock",
    "EdgeType",
    "Filters",
    "Forgotten",
    "GenesysError",
    "Hit",
    "Kind",
    "Memory",
    "MemoryType",
    "NoteRef",
    "Remembered",
    "Stats",
    "Status",
    "WhyReport",
    "__version__",
]

__version__ = "0.1.0"

_HOME = {
    "genesys.api": ("Memory",),
    "genesys.errors": ("GenesysError",),
    "genesys.model": ("Answer", "EdgeType", "Filters", "Hit", "Kind", "MemoryType", "Status"),
    "genesys.reports": ("ContextBlock", "Forgotten", "NoteRef", "Remembered", "Stats", "WhyReport"),
}


def __getattr__(name: str) -> object:
    for module, names in _HOME.items():
        if name in names:
            from importlib import import_module

            return getattr(import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
