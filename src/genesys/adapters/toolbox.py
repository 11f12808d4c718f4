"""The tools of the MCP server over a :class:`~genesys.Memory`, without a protocol: a name and arguments in,
text out."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

from genesys.api import Memory
from genesys.engine.session import Genesys
from genesys.errors import GenesysError, UsageError, WriteRefused
from genesys.quote import inline
from genesys.serving.args import read_arguments
from genesys.serving.calls import HANDLERS, Call, Question
from genesys.serving.catalog import TOOLS, ToolSpec
from genesys.serving.faults import fault_of
from genesys.serving.prose import notices_text

__all__ = ["Toolbox"]

T = TypeVar("T")
_LEFT_OUT = frozenset({"promote_to_org"})  # needs a second vault, which a Memory does not have

log = logging.getLogger(__name__)


class Toolbox:
    """The tools by name. ``only`` limits them: the names of those that a model may use.

    Raises:
        UsageError: a name in ``only`` is no tool's.
    """

    def __init__(self, memory: Memory, only: Collection[str] = ()) -> None:
        offered = {spec.name: spec for spec in TOOLS if spec.name not in _LEFT_OUT}
        if unknown := sorted(set(only) - set(offered)):
            raise UsageError(f"no tool is called {unknown[0]}", hint="use some of: " + ", ".join(offered))
        self.specs: tuple[ToolSpec, ...] = tuple(s for s in offered.values() if not only or s.name in only)
        self._memory = memory

    def call(self, name: str, arguments: str | Mapping[str, Any] | None = None) -> str:
        """What the tool answers, as text for the model. ``arguments`` are an object, or its JSON.

        Never raises: what went wrong, and what to do next, is the answer then.
        """
        spec = next((s for s in self.specs if s.name == name), None)
        try:
            if spec is None:
                raise UsageError(f"no tool is called {inline(name, 60)}", hint="use one of those offered")
            return self._answer(spec, _object(arguments))
        except Exception as error:
            if not isinstance(error, GenesysError):
                log.error("%s failed", name, exc_info=error)
            return fault_of(error, read=spec is None or spec.read).text()

    def _answer(self, spec: ToolSpec, given: Mapping[str, Any]) -> str:
        values, notices = read_arguments(spec.params, given, time.time())
        reply = HANDLERS[spec.name](Call(_Place(self._memory, spec), values))
        if isinstance(reply, Question):
            raise WriteRefused(
                f"{inline(reply.path, 1000)} was written by the person; nothing was changed",
                hint=f"if they want it deleted, they can run: {reply.command}",
            )
        return reply.text + notices_text(dict.fromkeys((*notices, *reply.notices)))


class _Place:
    """Where one call's work is done."""

    activity = "idle"

    def __init__(self, memory: Memory, spec: ToolSpec) -> None:
        self._memory, self._spec = memory, spec

    def call(self, work: Callable[[Genesys], T]) -> T:
        makes = self._spec.name == "memory_store"
        return self._memory.use(work, writes=not self._spec.read, makes=makes)

    def org(self) -> Genesys:
        raise UsageError("there is no shared vault here", hint="leave scope out, or ask for personal")


def _object(arguments: str | Mapping[str, Any] | None) -> Mapping[str, Any]:
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}")
        except (ValueError, RecursionError):
            raise UsageError("the arguments are no JSON", hint="send one JSON object") from None
    if not isinstance(arguments, Mapping | None):
        raise UsageError("the arguments are no object", hint="send one JSON object")
    return arguments or {}
