"""The command line: parse, call the engine, render, map errors. Everything heavy is imported on use."""

from __future__ import annotations

import os
import sys

__all__ = ["main"]


def main() -> None:
    """Entry point of ``genesys``; exits 0 fine, 1 a problem, 2 usage, 3 busy."""
    sys.exit(run(sys.argv[1:]))


def run(argv: list[str]) -> int:
    """Run one command and translate what goes wrong into one line on stderr and an exit code."""
    import click

    from genesys.cli.app import app
    from genesys.errors import GenesysError

    try:
        result = app(argv, prog_name="genesys", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except GenesysError as e:
        return _say(e.message, e.hint, e.exit_code)
    except click.ClickException as e:
        e.show()
        return e.exit_code
    except (click.Abort, KeyboardInterrupt):
        return _say("stopped; what was done is kept", "", 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as e:
        if os.environ.get("GENESYS_DEBUG"):
            raise
        detail = " ".join(f"{type(e).__name__}: {e}".split())
        return _say(f"unexpected fault ({detail})", "GENESYS_DEBUG=1 shows where; please report it", 1)


def _say(message: str, hint: str, code: int) -> int:
    print(f"genesys: {message}" + (f"\n  next: {hint}" if hint else ""), file=sys.stderr)
    return code
