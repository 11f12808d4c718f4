"""Every figure of speed and size beside its floor, in one run and one table.

    python -m benchmarks.speed.run [--vault DIR] [--only NAME …] [--rounds 3] [--json FILE]

Floor and figure are measured in turn; times are CPU seconds wherever nothing has to be waited for. Ends with
1 where a target is missed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path

from benchmarks.speed.row import Row, as_json, table
from benchmarks.speed.setup import Setup, busy, machine

__all__ = ["PROVIDERS", "main"]

ROOT = Path(__file__).resolve().parents[2]
BUSY = 0.7  # processes a processor from which figures are doubtful
# Who makes the rows of a name: module:function, called with the setup; no such module, no such rows.
PROVIDERS: Mapping[str, str] = {
    "parse": "indexing:parsing",
    "first": "indexing:first",
    "embed": "embedding:embedding",
    "keywords": "answering:keywords",
    "nochange": "indexing:nochange",
    "full": "indexing:full",
    "change": "answering:change",
    "recall": "answering:recall",
    "scale": "scale:rows",
    "command": "answering:command",
    "start": "indexing:start",
    "sessions": "answering:sessions",
    "memory": "answering:memory",
    "size": "indexing:size",
    "maintenance": "upkeep:maintenance",
}


def provider(name: str) -> Callable[[Setup], Iterable[Row]] | None:
    module, _, function = PROVIDERS[name].partition(":")
    if not (Path(__file__).parent / f"{module}.py").exists():
        return None
    found: Callable[[Setup], Iterable[Row]] = getattr(import_module(f"benchmarks.speed.{module}"), function)
    return found


def measure(setup: Setup, names: Iterable[str]) -> tuple[list[Row], list[str]]:
    """The rows, and the names of what could not be measured; one failure costs the others nothing."""
    rows: list[Row] = []
    failed: list[str] = []
    for name in names:
        make = provider(name)
        if make is None:
            continue
        print(f"… {name} (load {busy():.1f} a processor)", file=sys.stderr, flush=True)
        try:
            rows += make(setup)
        except Exception:  # noqa: BLE001 - said below, and the rest goes on
            traceback.print_exc()
            failed.append(name)
    return rows, failed


def main() -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--vault", type=Path, default=ROOT / "fixtures" / "vault", help="copied, then used")
    parser.add_argument("--only", nargs="+", choices=list(PROVIDERS), default=list(PROVIDERS), metavar="NAME")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    before, about = busy(), machine()
    with tempfile.TemporaryDirectory(prefix="gs-", ignore_cleanup_errors=True) as folder:
        rows, failed = measure(Setup(given.vault, Path(folder), given.rounds), given.only)
    print(" · ".join(f"{name} {value}" for name, value in about.items()))
    most = max(before, busy())
    if most > BUSY:
        print(
            f"The machine is busy ({most:.1f} processes a processor): trust ratios, and few of those by wall."
        )
    print(table(rows))
    if given.json:
        found = {"machine": about, "vault": given.vault.name, "busy": round(most, 2), "rows": as_json(rows)}
        given.json.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    for name in failed:
        print(f"{name}: could not be measured, see above")
    return int(bool(failed) or not all(row.met for row in rows))


if __name__ == "__main__":
    sys.exit(main())
