"""The MCP server: Genesys' tools, resources and prompts over the protocol. The one module that imports mcp.

Both protocol eras are served. What a tool does stands in :mod:`genesys.serving.calls`; here calls become
worker threads, answers become results, exceptions become faults (in one place, :meth:`MemoryTool.run`), and
a question to the person becomes an elicitation.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from functools import partial
from typing import Any, TypeVar

import anyio
import anyio.from_thread
import anyio.to_thread
from mcp.server import MCPServer
from mcp.server.elicitation import render_elicitation_schema
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase, FuncMetadata
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp_types import (
    CallToolResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
    TextContent,
    ToolAnnotations,
    jsonrpc_message_adapter,
)
from mcp_types.version import is_version_at_least
from pydantic import BaseModel, Field, PrivateAttr

from genesys import __version__
from genesys.errors import GenesysError, NoteNotFound, PathEscape, WriteRefused
from genesys.quote import inline
from genesys.serving import prose, results
from genesys.serving.args import read_arguments, schema_of
from genesys.serving.calls import HANDLERS, Call, Question, Reply, delete_note
from genesys.serving.catalog import TOOLS, ToolSpec
from genesys.serving.faults import fault_of
from genesys.serving.guidance import instructions, prompt_text, survey
from genesys.serving.host import Host
from genesys.serving.wire import Wire, mended

__all__ = ["build_server", "http_app", "serve_lines", "serve_stdio"]

T = TypeVar("T")

BEAT_S = 1.0  # seconds between two signs of life of a long call
MODERN = "2026-07-28"  # from this version on a server asks by returning, and before by calling back
CONFIRM = "confirm"

log = logging.getLogger(__name__)


class Confirm(BaseModel):
    """What a person is asked before a note of theirs is deleted."""

    delete: bool = Field(title="Move it to the trash", description="The note can be brought back from there.")


class MemoryTool(Tool):
    """A tool of the catalogue: its arguments read, its work done on a thread, its faults translated."""

    _host: Host = PrivateAttr()
    _spec: ToolSpec = PrivateAttr()

    @classmethod
    def of(cls, spec: ToolSpec, host: Host) -> MemoryTool:
        tool = cls(
            fn=HANDLERS[spec.name],
            name=spec.name,
            title=spec.title,
            description=spec.description,
            parameters=schema_of(spec.params),
            fn_metadata=FuncMetadata(arg_model=ArgModelBase, output_schema=spec.output),
            is_async=True,
            context_kwarg=None,
            annotations=ToolAnnotations(
                read_only_hint=spec.read,
                destructive_hint=spec.destructive,
                idempotent_hint=spec.idempotent,
                open_world_hint=False,
            ),
        )
        tool._host, tool._spec = host, spec
        return tool

    async def run(
        self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False
    ) -> CallToolResult | InputRequiredResult:
        """Answer one call. Whatever goes wrong comes back as a result with ``is_error``, never as a raise."""
        try:
            values, notices = read_arguments(self._spec.params, arguments, self._host.clock())
            reply = await self._answer(values, context)
        except MCPError:
            raise
        except Exception as error:  # noqa: BLE001 - the one translation point
            return self._failed(error)
        if isinstance(reply, InputRequiredResult):
            return reply
        notices = tuple(dict.fromkeys((*notices, *reply.notices, *self._host.notices())))
        return CallToolResult(
            content=[TextContent(type="text", text=reply.text + prose.notices_text(notices))],
            structured_content={**reply.data, "notices": list(notices)},
        )

    def _failed(self, error: Exception) -> CallToolResult:
        if isinstance(error, GenesysError):
            log.info("%s: %s", self.name, error.message)
        else:
            log.error("%s failed", self.name, exc_info=error)
        fault = fault_of(error, read=self._spec.read)
        return CallToolResult(
            content=[TextContent(type="text", text=fault.text())],
            structured_content=fault.data(),
            is_error=True,
        )

    async def _answer(
        self, values: Mapping[str, Any], context: Context[Any, Any]
    ) -> Reply | InputRequiredResult:
        if context.request_state and self.name == "delete_memory":
            return await self._after_asking(values, context)
        sent = _Progress(context)
        call = Call(self._host, values, sent.from_worker)
        work = partial(HANDLERS[self.name], call)
        reply = await _on_thread(work, sent, self._host, abandon=self._spec.read)
        return await self._ask(reply, context) if isinstance(reply, Question) else reply

    # -------------------------------------------------------------- asking a person

    async def _ask(self, question: Question, context: Context[Any, Any]) -> Reply | InputRequiredResult:
        """Ask in the way of the client's era; without a way to ask, nothing happens."""
        if not _can_ask(context):
            raise _unasked(question, "this client can't ask them")
        if _is_modern(context):
            request = ElicitRequestFormParams(
                message=question.message, requested_schema=render_elicitation_schema(Confirm)
            )
            return InputRequiredResult(
                input_requests={CONFIRM: ElicitRequest(params=request)},
                request_state=json.dumps({"path": question.path}),
            )
        try:
            answer = await context.elicit(question.message, Confirm)
        except (MCPError, ValueError) as error:
            raise _unasked(question, "asking them failed") from error
        return await self._delete(question.path, answer.action == "accept" and answer.data.delete)

    async def _after_asking(self, values: Mapping[str, Any], context: Context[Any, Any]) -> Reply:
        """The second round of the newer era. The SDK has sealed the state, so the path is the one we asked
        about; the call must still mean that note."""
        asked = json.loads(context.request_state or "{}").get("path")
        path = await anyio.to_thread.run_sync(self._host.call, lambda m: m.resolve(values["node_id"]))
        answer = (context.input_responses or {}).get(CONFIRM)
        said = answer.content if isinstance(answer, ElicitResult) and answer.action == "accept" else None
        return await self._delete(path, path == asked and bool(said) and (said or {}).get("delete") is True)

    async def _delete(self, path: str, agreed: bool) -> Reply:
        return await anyio.to_thread.run_sync(partial(delete_note, self._host, path, agreed=agreed))


def _is_modern(context: Context[Any, Any]) -> bool:
    return context.protocol_version is not None and is_version_at_least(context.protocol_version, MODERN)


def _can_ask(context: Context[Any, Any]) -> bool:
    """Whether the client said that it can show a form; a bare ``elicitation`` means forms."""
    capabilities = context.client_capabilities
    asking = capabilities.elicitation if capabilities else None
    return asking is not None and (asking.form is not None or asking.url is None)


def _unasked(question: Question, why: str) -> WriteRefused:
    return WriteRefused(
        f"{inline(question.path, 1000)} was written by the person, and {why}; nothing was changed",
        hint=f"if they want it deleted, they can run: {question.command}",
    )


# ------------------------------------------------------------------ threads and progress


class _Progress:
    """Progress of one call: the work's own where it reports any, else signs of life."""

    def __init__(self, context: Context[Any, Any]) -> None:
        self.context = context
        self.reported = False

    def from_worker(self, phase: str, done: int, total: int) -> None:
        """For the worker thread; must not fail the work."""
        self.reported = True
        try:
            anyio.from_thread.run(self.context.report_progress, float(done), float(total), phase)
        except Exception:
            log.debug("progress was not delivered", exc_info=True)

    async def beat(self, host: Host) -> None:
        beats = 0
        while True:
            await anyio.sleep(BEAT_S)
            beats += 1
            if not self.reported:
                await self.context.report_progress(float(beats), None, str(host.activity))


async def _on_thread(work: Callable[[], T], sent: _Progress, host: Host, *, abandon: bool) -> T:
    """Run ``work`` on a worker thread. A cancelled read is left to itself; a write is waited for, so that
    it is done or not begun, and never half."""

    def outcome() -> tuple[T | None, Exception | None]:
        try:
            return work(), None
        except Exception as error:  # noqa: BLE001 - carried out of the task group as it is
            return None, error

    async with anyio.create_task_group() as group:
        group.start_soon(sent.beat, host)
        result, error = await anyio.to_thread.run_sync(outcome, abandon_on_cancel=abandon)
        group.cancel_scope.cancel()
    if error is not None:
        raise error
    return result  # type: ignore[return-value]


# ------------------------------------------------------------------ resources and prompts


async def _resource(host: Host, work: Callable[[], str]) -> str:
    try:
        return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)
    except Exception as error:
        fault = fault_of(error, read=True)
        if not isinstance(error, GenesysError):
            log.error("a resource failed", exc_info=error)
        kind = ResourceNotFoundError if isinstance(error, NoteNotFound | PathEscape) else ResourceError
        raise kind(json.dumps(fault.data(), ensure_ascii=False)) from None


def _add_resources(server: MCPServer[Any], host: Host) -> None:
    @server.resource(
        "genesys://note/{+path}",
        name="note",
        title="A note",
        description="The text of a note, by its path or anything a wikilink accepts.",
        mime_type="text/markdown",
    )
    async def note(path: str) -> str:
        return await _resource(host, lambda: host.call(lambda memory: memory.read_note(path)))

    @server.resource(
        "genesys://core",
        name="core",
        title="Core memories",
        description="The notes that matter most, with the reason for each.",
        mime_type="text/plain",
    )
    async def core() -> str:
        return await _resource(host, lambda: prose.core_text(host.call(lambda memory: memory.core())))

    @server.resource(
        "genesys://stats",
        name="stats",
        title="Memory statistics",
        description="Numbers of the memory, as JSON.",
        mime_type="application/json",
    )
    async def stats() -> str:
        def numbers() -> str:
            found, status = host.call(lambda memory: (memory.stats(), memory.status()))
            return json.dumps(results.stats_data(found, status.pending, str(host.activity)))

        return await _resource(host, numbers)


def _add_prompts(server: MCPServer[Any]) -> None:
    @server.prompt(title="Recall", description="Answer from memory, with sources.")
    def recall(topic: str) -> str:
        return prompt_text("recall", topic)

    @server.prompt(title="Reflect", description="Find patterns, causes and contradictions.")
    def reflection(topic: str = "") -> str:
        return prompt_text("reflection", topic)

    @server.prompt(title="Weekly review", description="Go through the week's notes and memories together.")
    def weekly_review() -> str:
        return prompt_text("weekly_review")


# ------------------------------------------------------------------ the server


def build_server(host: Host) -> MCPServer[Any]:
    """A server for one connection, its instructions made from the state of the vault now."""
    server: MCPServer[Any] = MCPServer(
        "genesys",
        title="Genesys",
        version=__version__,
        instructions=instructions(survey(host)),
        tools=[MemoryTool.of(spec, host) for spec in TOOLS],
        log_level="WARNING",
        subscriptions=False,
    )
    _add_resources(server, host)
    _add_prompts(server)
    return server


def http_app(host: Host, names: Collection[str]) -> Callable[..., Awaitable[None]]:
    """The server as an ASGI application (streamable HTTP at ``/mcp``); ``names`` are what its requests may
    call it: host and port."""
    security = TransportSecuritySettings(
        allowed_hosts=list(names), allowed_origins=[f"http://{name}" for name in names]
    )
    return build_server(host).streamable_http_app(transport_security=security)


def serve_stdio(host: Host, wire: Wire) -> None:
    """Serve one client over ``wire`` until it closes its end."""

    async def run() -> None:
        server = build_server(host)
        host.start()
        reader, writer = anyio.wrap_file(wire.reader), anyio.wrap_file(wire.writer)
        async with stdio_server(reader, writer) as (incoming, outgoing):
            inner = server._lowlevel_server
            await inner.run(incoming, outgoing, inner.create_initialization_options())

    anyio.run(run)


async def serve_lines(
    host: Host, lines: AsyncIterator[bytes], send: Callable[[bytes], Awaitable[None]]
) -> None:
    """Serve one of several clients of a host that is started already: messages as ``lines`` come, until
    they end; answers go to ``send``, a line each."""
    server = await anyio.to_thread.run_sync(build_server, host)
    into, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, out = anyio.create_memory_object_stream[SessionMessage](0)

    async def read() -> None:
        async with into:
            async for line in lines:
                try:
                    text = mended(line.decode("utf-8", "replace"))
                    message = jsonrpc_message_adapter.validate_json(text, by_name=False)
                except ValueError as error:
                    await into.send(error)
                    continue
                await into.send(SessionMessage(message))

    async def write() -> None:
        async with out:
            async for sent in out:
                line = sent.message.model_dump_json(by_alias=True, exclude_unset=True)
                await send(line.encode() + b"\n")

    async with anyio.create_task_group() as group:
        group.start_soon(read)
        group.start_soon(write)
        inner = server._lowlevel_server
        await inner.run(incoming, outgoing, inner.create_initialization_options())
        group.cancel_scope.cancel()
