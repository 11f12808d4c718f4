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
import re
import shutil
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

WIKILINK = re.compile(r"(?<!!)\[\[([^\[\]|#^]+)(?:[#^][^\[\]|]*)?(?:\|([^\[\]]*))?\]\]")
ANY_LINK = re.compile(r"!?\[\[([^\[\]|]*)(?:\|([^\[\]]*))?\]\]")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
LIST_MARK = re.compile(r"^\s*(?:[-*+>]|\d+[.)])\s*")
FENCE = re.compile(r"^\s*(```|~~~)")
WORD = re.compile(r"[^\W_]+")
CJK = re.compile(r"[぀-ヿ㐀-鿿豈-﫿가-힯]")
MIN_WORDS = 3  # words (or CJK characters, halved) that must be left for a question to mean anything


@dataclass(frozen=True, slots=True)
class Cloze:
    """One link that can be cut: ``line`` counts from 0, ``start`` and ``end`` are columns in it."""

    source: str
    target: str
    line: int
    start: int
    end: int
    query: str


def plain(text: str) -> str:
    """Links as the words a reader sees, marks of lists and emphasis left out."""
    text = ANY_LINK.sub(lambda m: m.group(2) or m.group(1).split("/")[-1], text)
    text = re.sub(r"[*_=`~]{1,3}", "", LIST_MARK.sub("", text))
    return re.sub(r"\s+", " ", text).strip()


def size(text: str) -> float:
    """How much a question says: words, or CJK characters by halves."""
    cjk = len(CJK.findall(text))
    return len([w for w in WORD.findall(CJK.sub(" ", text)) if len(w) > 1]) + cjk / 2


def sentence_around(line: str, start: int, end: int) -> str:
    """The sentence of ``line`` that holds [start, end), without what lies between them."""
    cut = 0
    for part in SENTENCE_END.split(line):
        at = line.index(part, cut)
        if at <= start < at + max(len(part), 1):
            return plain(part[: start - at] + " " + part[min(end - at, len(part)) :])
        cut = at + len(part)
    return plain(line[:start] + " " + line[end:])


def body_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines outside frontmatter and code fences, with their number from 0."""
    lines = text.split("\n")
    at = 0
    if lines and lines[0].rstrip() == "---":
        at = next((i + 1 for i in range(1, len(lines)) if lines[i].rstrip() == "---"), 0)
    fenced = False
    for i in range(at, len(lines)):
        if FENCE.match(lines[i]):
            fenced = not fenced
        elif not fenced:
            yield i, lines[i]


def name_key(target: str) -> str:
    name = unicodedata.normalize("NFC", target.strip()).split("/")[-1].lower()
    return name[:-3] if name.endswith(".md") else name


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


def candidates(notes: dict[str, str]) -> list[Cloze]:
    """Links that say enough around them, from notes that name the target nowhere else."""
    by_name: dict[str, list[str]] = defaultdict(list)
    for path in notes:
        by_name[name_key(path)].append(path)
    found = []
    for source, text in notes.items():
        if ".excalidraw" in source:
            continue
        counts = Counter(name_key(m.group(1)) for m in ANY_LINK.finditer(text) if m.group(1))
        low = text.lower()
        for i, line in body_lines(text):
            for m in WIKILINK.finditer(line):
                key = name_key(m.group(1))
                owners = by_name.get(key, [])
                if len(owners) != 1 or owners[0] == source or counts[key] != 1 or low.count(key) != 1:
                    continue
                query = sentence_around(line, m.start(), m.end())
                if size(query) >= MIN_WORDS:
                    found.append(Cloze(source, owners[0], i, m.start(), m.end(), query))
    return found


def sample(found: list[Cloze], n: int, seed: int) -> list[Cloze]:
    """``n`` links, each from another note where the vault has that many notes."""
    order = sorted(found, key=lambda c: (c.source, c.line, c.start))
    random.Random(seed).shuffle(order)
    taken: list[Cloze] = []
    used: Counter[str] = Counter()
    lines: set[tuple[str, int]] = set()
    for most in (1, 2, 4):
        for c in order:
            free = used[c.source] < most and (c.source, c.line) not in lines
            if len(taken) < n and free:
                taken.append(c)
                lines.add((c.source, c.line))
                used[c.source] += 1
    return taken


def build(vault: Path, out: Path, n: int, seed: int) -> list[Cloze]:
    """Write the copy without the sampled links, and the questions."""
    notes = read_notes(vault)
    taken = sample(candidates(notes), n, seed)
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
