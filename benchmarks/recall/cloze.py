"""Link cloze: can the sentence around a link find the note it linked to, once the link is gone?

A copy of a vault is made in which a sample of links is cut out of their sentences; each sentence,
without its link, becomes a question whose answer is the linked note. The copy never held the link, so
no system can know it; the note that held it is no answer either (``exclude``).

    python -m benchmarks.recall.cloze VAULT OUT --n 500 --seed 7

writes OUT/vault and OUT/questions.jsonl ({"id", "query", "gold", "exclude"}).
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
from collections import defaultdict
from pathlib import Path

from genesys.parse.cloze import Cloze, clozes, spread_out


def read_notes(vault: Path) -> dict[str, str]:
    """Every note of the vault that is UTF-8, by its path."""
    notes = {}
    for file in sorted(vault.rglob("*.md")):
        rel = file.relative_to(vault)
        if not any(part.startswith(".") for part in rel.parts):
            try:
                notes[rel.as_posix()] = file.read_bytes().decode("utf-8")
            except UnicodeDecodeError:
                continue
    return notes


def sample(notes: dict[str, str], n: int, seed: int) -> list[Cloze]:
    """``n`` links that say enough around them, each from another note where the vault has that many notes."""
    order = sorted(clozes(notes, notes.items()), key=lambda c: (c.source, c.line, c.start))
    random.Random(seed).shuffle(order)
    return spread_out(order, n)


def build(vault: Path, out: Path, n: int, seed: int) -> list[Cloze]:
    """Write the copy without the sampled links, and the questions."""
    notes = read_notes(vault)
    taken = sample(notes, n, seed)
    cuts: dict[str, list[Cloze]] = defaultdict(list)
    for c in taken:
        cuts[c.source].append(c)
    shutil.copytree(vault, out / "vault", ignore=shutil.ignore_patterns(".git", ".genesys", ".trash"))
    for source, cs in cuts.items():
        lines = notes[source].split("\n")
        for c in cs:
            lines[c.line] = lines[c.line][: c.start] + lines[c.line][c.end :]
        (out / "vault" / source).write_bytes("\n".join(lines).encode("utf-8"))
    with (out / "questions.jsonl").open("w", encoding="utf-8") as f:
        for i, c in enumerate(taken):
            row = {"id": f"cloze-{i}", "query": c.query, "gold": [c.target], "exclude": [c.source]}
            f.write(json.dumps(row, ensure_ascii=False) + "\n")
    return taken


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ap.add_argument("vault", type=Path)
    ap.add_argument("out", type=Path)
    ap.add_argument("--n", type=int, default=500)
    ap.add_argument("--seed", type=int, default=7)
    a = ap.parse_args()
    a.out.mkdir(parents=True, exist_ok=True)
    print(f"{len(build(a.vault, a.out, a.n, a.seed))} questions in {a.out / 'questions.jsonl'}")


if __name__ == "__main__":
    main()
