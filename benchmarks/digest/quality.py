"""Precision and recall of `genesys digest` by kind, on labelled conversations.

``python -m benchmarks.digest.quality [--misses] [FOLDER…]``; a folder holds transcripts and ``labels.jsonl``.
The rules were written against the first set. ``heldout`` was written before any rule, ``unseen`` before the
last ones; each was looked at once, afterwards. ``benchmarks/README.md`` has those figures.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from genesys.parse.digest.collect import conversations
from genesys.parse.digest.formats import read_events
from genesys.transcripts import Conversation, Proposal

ROOT = Path(__file__).resolve().parents[2] / "fixtures" / "digest"
LABELS = "labels.jsonl"


def proposals_of(file: Path) -> list[Proposal]:
    """Everything the rules propose for a file."""
    found = conversations(read_events([file.read_bytes()], file.stem), file.name)
    return [p for talk in found if isinstance(talk, Conversation) for p in talk.proposals]


def labels_of(folder: Path) -> list[dict[str, Any]]:
    """The labels: file, kind, and words that the right proposal holds."""
    return [json.loads(line) for line in (folder / LABELS).read_text(encoding="utf-8").splitlines()]


def is_right(proposal: Proposal, label: dict[str, Any]) -> bool:
    """The kind is right, and its words or its sources hold what the label names."""
    text = "\n".join([proposal.text, *(place.quote for place in proposal.places)])
    return proposal.kind.value == label["kind"] and label["words"] in text


def judge(folder: Path, misses: bool) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """(right, proposed, labelled) by kind; a label counts once."""
    right: Counter[str] = Counter()
    proposed: Counter[str] = Counter()
    labelled: Counter[str] = Counter()
    labels = labels_of(folder)
    for name in sorted({label["file"].rpartition("/")[2] for label in labels}):
        open_ = [label for label in labels if label["file"].endswith(name)]
        labelled.update(label["kind"] for label in open_)
        for proposal in proposals_of(folder / name):
            proposed[proposal.kind.value] += 1
            hit = next((label for label in open_ if is_right(proposal, label)), None)
            if hit is not None:
                open_.remove(hit)
                right[proposal.kind.value] += 1
            elif misses:
                print(f"  wrong   {name}: {proposal.kind.value}: {proposal.text}")
        if misses:
            for label in open_:
                print(f"  missed  {name}: {label['kind']}: {label['words']}")
    return right, proposed, labelled


def rows(right: Counter[str], proposed: Counter[str], labelled: Counter[str]) -> Iterator[str]:
    """A line a kind and one for all."""
    kinds = sorted(labelled | proposed)
    for kind in [*kinds, "all"]:
        r, p, n = (c.total() if kind == "all" else c[kind] for c in (right, proposed, labelled))
        precision = f"{r / p:.2f}" if p else "-"
        yield f"{kind:<12} {precision:>9} {r / max(n, 1):>7.2f} {p:>9} {n:>9}"


def main(argv: list[str]) -> None:
    misses = "--misses" in argv
    folders = [Path(a) for a in argv if not a.startswith("--")] or [ROOT, ROOT / "heldout", ROOT / "unseen"]
    for folder in folders:
        figures = judge(folder, misses)
        print(f"\n{folder.name}\n{'kind':<12} precision  recall  proposed  labelled")
        print("\n".join(rows(*figures)))


if __name__ == "__main__":
    main(sys.argv[1:])
