"""The open memory of a daemon, for a program that asks a question and goes: the command line.

A call is one line of JSON, {"call", "given"}, and so is its answer, {"result"} or {"error"}. Values of the
vocabulary go over as JSON and become themselves again by the annotations of :class:`Genesys`' methods, so
nothing has to be said twice.
"""

from __future__ import annotations

import base64
import functools
import importlib
import inspect
import json
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Union, cast, get_args, get_origin, get_type_hints

from genesys import errors, model
from genesys.errors import BusyError, GenesysError
from genesys.model import Answer, Filters
from genesys.settings import Settings
from genesys.sockets import MAX_LINE, Link

if TYPE_CHECKING:
    from genesys.engine.session import Genesys

__all__ = ["CALLS", "Remote", "answer", "decode", "encode", "hints_of", "raised", "told"]

# What a stranger on the socket may ask for. A closed list: the daemon's own state is not on it.
CALLS = frozenset(
    {
        "amend",
        "briefing",
        "canvas",
        "change_core_preferences",
        "context",
        "core",
        "decay",
        "digest_known",
        "drop_inferred",
        "evolve",
        "explain",
        "forget",
        "graph",
        "graphml",
        "import_memories",
        "index",
        "infer_candidates",
        "is_person_note",
        "is_pinned",
        "keep_inferred",
        "outlook",
        "overview",
        "pin",
        "prompted",
        "read_note",
        "recall",
        "remember",
        "resolve",
        "search",
        "set_core_preferences",
        "stats",
        "status",
        "traverse",
        "undo_evolve",
        "undo_forget",
        "unmet",
        "unpin",
        "untold",
        "unwrite",
        "why",
        "year",
    }
)
# Calls that are about what changed, and worth waiting a moment for the first look at the vault.
FRESH = frozenset({"briefing"})
LOCAL = frozenset({"progress"})  # arguments that can't be sent
APART = {  # modules with values that few calls need
    "overview": ("overview",),
    "digest_known": ("transcripts",),
    "infer_candidates": ("inference",),
}
NO_FILTERS = Filters()

Indexer = Callable[[Mapping[str, Any]], object]


class Remote:
    """Stands in for a :class:`Genesys`: the same methods, done by the daemon."""

    def __init__(self, link: Link, settings: Settings) -> None:
        self._link = link
        self.settings = settings

    #: Whether the model is loaded is the daemon's to see to: nobody here has to wait for it.
    warmed = True

    def __enter__(self) -> Remote:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._link.close()

    def recall(
        self,
        query: str,
        k: int = 10,
        filters: Filters = NO_FILTERS,
        *,
        read_only: bool = False,
        query_date: str = "",
        with_vectors: bool | None = None,
    ) -> Answer:
        """The call that is made most, said again here: to ask it the engine need not be loaded."""
        return cast(
            Answer,
            self._call(
                "recall",
                query,
                k,
                filters,
                read_only=read_only,
                query_date=query_date,
                with_vectors=with_vectors,
            ),
        )

    def __getattr__(self, name: str) -> Any:
        if name not in CALLS:
            raise AttributeError(name)
        return functools.partial(self._call, name)

    def _call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        given = inspect.signature(_method(name)).bind(self, *args, **kwargs).arguments
        sent = {k: encode(v) for k, v in given.items() if k != "self" and k not in LOCAL}
        try:
            self._link.socket.sendall(json.dumps({"call": name, "given": sent}).encode() + b"\n")
            line = self._link.reader.readline(MAX_LINE)
            reply = json.loads(line) if line.endswith(b"\n") else None
        except (OSError, ValueError):
            reply = None
        if not isinstance(reply, dict):
            raise BusyError(
                "the vault's daemon ended during this call",
                hint="try again; if it was to write, look first whether it is done",
            )
        if "error" in reply:
            raise raised(reply["error"])
        return decode(_hints(name)["return"], reply["result"])


def answer(
    line: bytes,
    call: Callable[[Callable[[Genesys], Any]], Any],
    index: Indexer,
    catch_up: Callable[[], object] = lambda: None,
) -> bytes:
    """Do what one line asks, with ``call`` to reach the memory and ``index`` for a pass over the vault;
    ``catch_up`` waits for the first one."""
    try:
        asked = json.loads(line)
        name, given = asked["call"], asked["given"]
        if name not in CALLS:
            raise errors.UsageError(f"the daemon has no call {name!r}", hint="genesys daemon stop")
        hints = _hints(name)
        values = {k: decode(hints[k], v) for k, v in given.items() if k in hints}
        if name == "index" and not values.get("dry_run"):
            result = index(values)
        else:
            if name in FRESH:
                catch_up()
            result = call(lambda memory: getattr(memory, name)(**values))
        reply = {"result": encode(result)}
    except GenesysError as error:
        reply = {"error": told(error)}
    except Exception as error:  # noqa: BLE001 - told to the caller, who is the same person
        line_ = " ".join(f"{type(error).__name__}: {error}".split())
        reply = {"error": {"kind": "GenesysError", "message": f"the daemon met an error of its own ({line_})",
                           "hint": "genesys daemon logs"}}  # fmt: skip
    return json.dumps(reply).encode() + b"\n"


def told(error: GenesysError) -> dict[str, Any]:
    """An error as it goes over the line."""
    kind = next(c.__name__ for c in type(error).__mro__ if c.__name__ in errors.__all__)
    sent: dict[str, Any] = {"kind": kind, "message": error.message, "hint": error.hint}
    if isinstance(error, errors.AmbiguousNote):
        sent["candidates"] = list(error.candidates)
    return sent


def raised(sent: Mapping[str, Any]) -> GenesysError:
    """The error again."""
    kind = str(sent.get("kind"))
    found = getattr(errors, kind) if kind in errors.__all__ else GenesysError
    message, hint = str(sent.get("message")), str(sent.get("hint", ""))
    if found is errors.AmbiguousNote:
        return errors.AmbiguousNote(message, [str(c) for c in sent.get("candidates", ())], hint=hint)
    made: GenesysError = found(message, hint=hint)
    return made


@functools.cache
def _hints(name: str) -> dict[str, Any]:
    return {k: v for k, v in hints_of(_method(name)).items() if k not in LOCAL}


def _method(name: str) -> Callable[..., Any]:
    """The function whose annotations say what goes over the line."""
    if name == "recall":
        return Remote.recall
    from genesys.engine.session import Genesys

    return cast(Callable[..., Any], getattr(Genesys, name))


@functools.cache
def hints_of(of: Any) -> dict[str, Any]:
    """The annotations of a method or a class of the vocabulary, whose module may know their names only for
    type checkers. JSON's own values count as anything: they need no reading."""
    names = {"Callable": Callable, "Mapping": Mapping, "Sequence": Sequence, **vars(model)}
    if of.__module__ not in (model.__name__, __name__):
        for module in ("reports", *APART.get(of.__name__, ())):
            names |= vars(importlib.import_module(f"genesys.{module}"))
    return get_type_hints(of, localns={**names, "Progress": Any, "Embedder": Any, "Json": Any})


# ------------------------------------------------------------------ values


def encode(value: Any) -> Any:
    """A value of the vocabulary as JSON has it."""
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: encode(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, Mapping):
        return {str(encode(k)): encode(v) for k, v in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [encode(v) for v in value]
    return value


def decode(kind: Any, value: Any) -> Any:
    """The value again, by its annotation."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _one_of(inner, value)
    if kind is Any or value is None or kind is object:
        return value
    if origin is tuple and not (len(inner) == 2 and inner[1] is Ellipsis):
        return tuple(decode(k, v) for k, v in zip(inner, value, strict=True))
    if origin in (tuple, list, Sequence, set, frozenset):
        made = (decode(inner[0], v) for v in value)
        return list(made) if origin is list else origin(made) if origin in (set, frozenset) else tuple(made)
    if origin in (dict, Mapping):
        return {decode(inner[0], k): decode(inner[1], v) for k, v in value.items()}
    if kind is bytes:
        return base64.b64decode(value)
    if kind is float:
        return float(value)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    if is_dataclass(kind) and isinstance(kind, type):
        hints = hints_of(kind)
        return kind(**{k: decode(hints[k], v) for k, v in value.items() if k in hints})
    return value


def _one_of(kinds: Sequence[Any], value: Any) -> Any:
    """A value of one of several kinds; ours are unions of JSON's own, or of one kind with None."""
    if value is None:
        return None
    others = [k for k in kinds if k is not type(None)]
    return decode(others[0], value) if len(others) == 1 else value
