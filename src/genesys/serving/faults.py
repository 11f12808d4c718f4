"""The one place where an error becomes what a tool answers: ``{"error", "hint", "retryable"}``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from genesys import errors
from genesys.model import EdgeType, Json
from genesys.quote import clean, shorten

__all__ = ["Fault", "fault_of"]

MESSAGE_CHARS = 400  # an error may repeat what the caller sent, and that can be a megabyte
CANDIDATES_SHOWN = 20

# What to do next where the error itself does not say; the most derived class wins.
_HINTS: Mapping[type[errors.GenesysError], str] = {
    errors.GenesysError: "ask the person to run `genesys doctor`",
    errors.UsageError: "correct the arguments as the tool's schema describes them and call again",
    errors.NoteNotFound: "find the note with memory_search or memory_recall and use the path it gives",
    errors.AmbiguousNote: "call again with one of the candidates",
    errors.UnknownEdgeType: "use one of: " + ", ".join(EdgeType),
    errors.BusyError: "another Genesys process is writing; try again in a moment",
    errors.VaultError: "ask the person to check the vault with `genesys doctor`",
    errors.VaultNotFound: "ask the person to check the --vault of the server's configuration",
    errors.PathEscape: "use a path inside the vault, relative to its root",
    errors.WriteRefused: "leave the note as it is and tell the person why",
    errors.FileGone: "the note was moved or deleted a moment ago; look for it again with memory_search",
    errors.IndexError_: "ask the person to run `genesys doctor`",
    errors.IndexCorrupt: "the index is being rebuilt from the notes; try again in a moment",
    errors.IndexMissing: "ask the person to run `genesys index`",
    errors.IndexTooNew: "ask the person to update Genesys and to restart the server",
    errors.IndexForeign: "ask the person to run `genesys doctor`: the index was made on another machine",
    errors.IndexLocked: "the index is in use by another program; try again in a moment",
    errors.DiskFull: "ask the person to free some disk space, then try again",
    errors.ModelError: "recall works without it; ask the person to run `genesys doctor`",
    errors.SettingsError: "ask the person to correct the setting and to restart the server",
}

# Not transient in itself, but the server mends it: see Host.
_MENDED_BY_SERVER = (errors.IndexCorrupt,)


@dataclass(frozen=True, slots=True)
class Fault:
    """What went wrong, what to do next, and whether the same call may simply be repeated."""

    error: str
    hint: str
    retryable: bool
    candidates: tuple[str, ...] = ()

    def data(self) -> dict[str, Json]:
        body: dict[str, Json] = {"error": self.error, "hint": self.hint, "retryable": self.retryable}
        if self.candidates:
            body["candidates"] = list(self.candidates)
        return body

    def text(self) -> str:
        """The same for a reader; candidates one a line."""
        lines = [f"Error: {self.error}", f"Hint: {self.hint}"]
        if self.candidates:
            lines += ["Candidates:", *(f"- {path}" for path in self.candidates)]
        verdict = "yes, the same call may succeed in a moment." if self.retryable else "no."
        lines.append(f"Retryable: {verdict}")
        return "\n".join(lines)


def fault_of(error: BaseException, *, read: bool) -> Fault:
    """Translate any exception that a tool's work raised.

    ``read`` is whether the call only reads: a write is never called retryable, since the caller can't know
    how much of it was done. An exception outside the tree tells nothing of itself but that it happened.
    """
    if not isinstance(error, errors.GenesysError):
        return Fault(
            "Genesys met an error of its own and did not finish this call",
            "the details are in the server's log; ask the person to look there or to run `genesys doctor`",
            False,
        )
    hint = error.hint or _hint(type(error))
    retryable = read and (error.transient or isinstance(error, _MENDED_BY_SERVER))
    candidates: tuple[str, ...] = ()
    if isinstance(error, errors.AmbiguousNote):
        candidates = tuple(clean(path).replace("\n", " ") for path in error.candidates[:CANDIDATES_SHOWN])
    return Fault(_line(error.message), _line(hint), retryable, candidates)


def _hint(kind: type[errors.GenesysError]) -> str:
    return next(_HINTS[base] for base in kind.__mro__ if base in _HINTS)


def _line(text: str) -> str:
    """One line of bounded length: messages carry names that the caller or a note made up."""
    return shorten(" ".join(clean(text).split()), MESSAGE_CHARS)
