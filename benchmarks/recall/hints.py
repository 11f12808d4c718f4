"""Precision and recall of conflict hints: does a new memory that contradicts a note say so, and no other?

    python -m benchmarks.recall.hints [--half tuned|unseen] [--misses] [--file FILE]

Twice: the rule alone, pair by pair, and the product, in a vault of all the old notes, where the contradicted
note has to be among the nearest first and a hint at any other note is wrong. A line of the file is
{"kind", "conflict", "half", "old", "new"}; rules were mended with a look at the ``tuned`` half only.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from genesys.parse.conflicts import conflict

PAIRS = Path(__file__).with_name("hints.jsonl")
Pair = dict[str, Any]
KINDS = ("number", "negation", "preference", "none")


def load(file: Path, half: str) -> list[Pair]:
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if half in ("", row.get("half", ""))]


def by_rule(pairs: Sequence[Pair]) -> list[tuple[bool, int]]:
    """(hinted, hints at other notes) for each pair; the rule sees no other notes."""
    return [(bool(conflict(p["new"], p["old"])), 0) for p in pairs]


def by_product(pairs: Sequence[Pair]) -> list[tuple[bool, int]]:
    """The same in a vault of all old notes, with the model; a note that says the same is no other note."""
    from genesys.engine.conflicts import find_conflicts
    from genesys.engine.session import Genesys
    from genesys.settings import load_settings

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        texts = list(dict.fromkeys(p["old"] for p in pairs))
        for number, text in enumerate(texts):
            (root / f"Note {number}.md").write_text(text + "\n", encoding="utf-8")
        with Genesys.open(load_settings(root)) as memory:
            memory.index()
            model = memory.warm()
            found = []
            for p in pairs:
                hints = find_conflicts(memory._index, memory.settings, p["new"], model, memory._clock())
                hit = {texts[int(h.path.removesuffix(".md").split()[1])] for h in hints.hits}
                meant = {q["old"] for q in pairs if q["conflict"] and q["new"] == p["new"]}
                found.append((p["old"] in hit, len(hit - meant - {p["old"]})))
    return found


def lines(pairs: Sequence[Pair], found: Sequence[tuple[bool, int]]) -> Iterator[str]:
    """The table: precision over all hints, recall by kind."""
    right = sum(hint and p["conflict"] for p, (hint, _) in zip(pairs, found, strict=True))
    given = sum(hint + others for hint, others in found)
    true = sum(p["conflict"] for p in pairs)
    yield f"  precision {right / max(given, 1):.3f} ({right} of {given} hints are right)"
    yield f"  recall    {right / max(true, 1):.3f} ({right} of {true} contradictions are hinted at)"
    for kind in KINDS:
        rows = [hint for p, (hint, _) in zip(pairs, found, strict=True) if p["kind"] == kind]
        yield f"    {kind:<11s} {sum(rows)} of {len(rows)} hinted at"


def main() -> None:
    ap = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    ap.add_argument("--file", type=Path, default=PAIRS)
    ap.add_argument("--half", choices=["tuned", "unseen", ""], default="")
    ap.add_argument("--misses", action="store_true", help="each wrong hint and each that is missing")
    ap.add_argument("--rule-only", action="store_true", help="without the vault and the model")
    a = ap.parse_args()
    pairs = load(a.file, a.half)
    ways = [("rule", by_rule), *([] if a.rule_only else [("product", by_product)])]
    for name, way in ways:
        found = way(pairs)
        print(f"{name}, {len(pairs)} pairs{f', the {a.half} half' if a.half else ''}:")
        print("\n".join(lines(pairs, found)))
        for p, (hint, others) in zip(pairs, found, strict=True):
            if a.misses and (hint != p["conflict"] or others):
                print(f"  {'wrong' if hint or others else 'missing'}: {p['old']!r} — {p['new']!r}")


if __name__ == "__main__":
    main()
