"""``serve``: the MCP server that Claude starts."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from genesys.cli.common import VaultOption, settings_for
from genesys.errors import UsageError

if TYPE_CHECKING:
    from genesys.http_front import Token
    from genesys.settings import Settings

__all__ = ["serve", "serve_in_process"]

HTTP_PORT = 8377
LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def serve(
    in_process: Annotated[
        bool, typer.Option("--in-process", help="Hold the memory in this process, without a daemon.")
    ] = False,
    http: Annotated[
        bool, typer.Option("--http", help="Serve over HTTP, on this machine only, behind a token.")
    ] = False,
    port: Annotated[
        int | None, typer.Option("--port", min=0, max=65535, help="For --http; 0 takes a free one. [8377]")
    ] = None,
    host: Annotated[
        str | None, typer.Option("--host", help="For --http: another loopback address. [127.0.0.1]")
    ] = None,
    new_token: Annotated[
        bool, typer.Option("--new-token", help="For --http: make the token anew; the old one is void.")
    ] = False,
    vault: VaultOption = None,
) -> None:
    """Serve Claude over stdin and stdout, or over HTTP (MCP)."""
    from genesys.sockets import supported

    if http:
        wanted = HTTP_PORT if port is None else port
        _serve_http(settings_for(vault), host or "127.0.0.1", wanted, new_token, in_process)
    elif port is not None or host or new_token:
        raise UsageError("--port, --host and --new-token are for --http", hint="genesys serve --http")
    elif in_process or not supported():
        serve_in_process(settings_for(vault))
    else:
        from genesys.bridge import serve_vault

        serve_vault(str(vault) if vault else None)


def _serve_http(settings: Settings, host: str, port: int, renew: bool, in_process: bool) -> None:
    from genesys.http_front import hold, token_of
    from genesys.sockets import places, supported

    token = token_of(settings.state_dir, settings.vault, renew=renew)
    announce = _announcer(settings, host, token)
    if supported() and not in_process:
        hold(places(settings.vault), host, port, token.value, announce)
        return
    logging.basicConfig(level=settings.log_level.upper(), stream=sys.stderr, format=LOG_FORMAT)
    from genesys.http_server import Door, serve_until_told
    from genesys.serving.host import Host

    memory = Host(settings)
    try:
        serve_until_told(memory, Door(host, port, token.value), announce)
    finally:
        memory.close()
    _end()


def _announcer(settings: Settings, host: str, token: Token) -> Callable[[int], None]:
    """Says where the server is; the token is shown once, when it was made."""
    from genesys.http_front import PATH, snippet

    def announce(port: int) -> None:
        url = f"http://[{host}]:{port}{PATH}" if ":" in host else f"http://{host}:{port}{PATH}"
        print(f"{settings.vault} is served at {url} (Ctrl-C ends it)\n{snippet(url, token)}", flush=True)

    return announce


def serve_in_process(settings: object) -> None:
    """Serve until stdin closes, then end the process."""
    from genesys.serving.wire import claim

    wire = claim()  # first: whatever is imported from here on may print
    from genesys.settings import Settings

    assert isinstance(settings, Settings)
    logging.basicConfig(level=settings.log_level.upper(), stream=sys.stderr, format=LOG_FORMAT)
    from genesys.serving.host import Host

    host = Host(settings)
    try:
        from genesys.server import serve_stdio

        serve_stdio(host, wire)
    finally:
        host.close()
    _end()


def _end() -> None:
    """End although a thread may still be inside the model's C code, which an orderly exit would wait for
    or crash in. Nothing is lost: the index survives a kill at any moment (P6)."""
    if any(thread is not threading.main_thread() for thread in threading.enumerate()):
        sys.stderr.flush()
        os._exit(0)
