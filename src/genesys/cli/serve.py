"""``serve``: the MCP server that Claude starts."""

from __future__ import annotations

import logging
import os
import sys
import threading
from typing import Annotated

import typer

from genesys.cli.common import VaultOption, settings_for

__all__ = ["serve", "serve_in_process"]

LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def serve(
    in_process: Annotated[
        bool, typer.Option("--in-process", help="Hold the memory in this process, without a daemon.")
    ] = False,
    vault: VaultOption = None,
) -> None:
    """Serve Claude over stdin and stdout (MCP)."""
    from genesys.sockets import supported

    if in_process or not supported():
        serve_in_process(settings_for(vault))
    else:
        from genesys.bridge import serve_vault

        serve_vault(str(vault) if vault else None)


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
