"""The command line: parse, call the engine, render, map errors. Everything heavy is imported on use."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from genesys.errors import GenesysError

__all__ = ["main", "run"]

CANDIDATES = 10  # paths shown of a name that several notes have


def main() -> None:
    """Entry point of ``genesys``; exits 0 fine, 1 a problem, 2 usage, 3 busy."""
    sys.exit(run(sys.argv[1:]))


def run(argv: list[str]) -> int:
    """Run one command and translate what goes wrong into one line on stderr and an exit code."""
    if argv[:1] == ["serve"]:
        from genesys.bridge import plain_call

        if (call := plain_call(argv[1:])) is not None:
            return _bridge(call.vault)
    if argv[:1] == ["hook"]:
        from genesys import hooks

        if hooks.wanted(argv[1:]):
            return hooks.main(argv[1:])
    from typer import Abort, BadParameter

    from genesys.cli.app import make_app
    from genesys.errors import GenesysError

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that knows few letters is no reason to fail
    # What the parser raises is named in click, or in typer's own copy of it since 0.26.
    usage: Any = next(kind for kind in BadParameter.__mro__ if kind.__name__ == "ClickException")
    try:
        result = make_app(argv)(argv, prog_name="genesys", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except GenesysError as e:
        return _say(e.message, _next(e), e.exit_code)
    except usage as e:
        return _usage(e, argv)
    except (Abort, KeyboardInterrupt):
        return _say("stopped; what was done is kept", "", 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as e:
        return _say(f"{e.strerror or e}" + (f": {e.filename}" if e.filename else ""), "", 1)
    except Exception as e:
        if os.environ.get("GENESYS_DEBUG"):
            raise
        detail = " ".join(f"{type(e).__name__}: {e}".split())
        return _say(f"unexpected fault ({detail})", "GENESYS_DEBUG=1 shows where; please report it", 1)


def _bridge(vault: str | None) -> int:
    """``serve`` without loading the command line: a session should cost little more than a bare Python."""
    from genesys.bridge import serve_vault
    from genesys.errors import GenesysError

    try:
        serve_vault(vault)
    except GenesysError as e:
        return _say(e.message, _next(e), e.exit_code)
    except KeyboardInterrupt:
        return 130
    return 0


def _next(error: GenesysError) -> str:
    """What to do next: the hint, and of a name that several notes have the paths."""
    candidates = getattr(error, "candidates", ())
    listed = "".join(f"\n    {path}" for path in candidates[:CANDIDATES])
    more = len(candidates) - CANDIDATES
    return error.hint + (":" if listed else "") + listed + (f"\n    and {more} more" if more > 0 else "")


def _usage(error: Any, argv: list[str]) -> int:
    """A command line that can't be read: one line, and where help is; a bare ``genesys`` shows the help."""
    from genesys.cli.app import COMMANDS

    context: Any = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":
        print(context.get_help())
        return 0
    words = " ".join(error.format_message().split())
    command = next((word for word in argv if word in COMMANDS), "")
    if command and getattr(error, "option_name", "") in ("--vault", "-v") and argv.index(command) > 0:
        return _say(f"--vault goes behind the command: {words}", f"genesys {command} … --vault FOLDER", 2)
    path = context.command_path if context else f"genesys {command}".strip()
    return _say(words, f"{path} --help", 2)


def _say(message: str, hint: str, code: int) -> int:
    from genesys.render import one_line, safe

    print(f"genesys: {one_line(message)}" + (f"\n  next: {safe(hint)}" if hint else ""), file=sys.stderr)
    return code
