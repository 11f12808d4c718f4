"""Vaults of any size, made by repetition with noise: written straight into an index, as no person would.

Texts are passages of a real vault in which a part of the words is replaced by others of it; vectors are
those of the real passages, mixed with others of them and with noise, of length one again. So words have the
frequencies and vectors the neighbourhoods of real notes, and a million passages take minutes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from genesys.embed import load_embedder
from genesys.engine.reading import read_record
from genesys.model import (
    CreatedBy,
    Edge,
    EdgeType,
    FileRecord,
    FileStat,
    FileType,
    Note,
    ParseOptions,
    Passage,
)
from genesys.parse.text import fold
from genesys.settings import Settings
from genesys.store.encode import vec_key
from genesys.store.index import Index, open_index

__all__ = ["Source", "build", "read_source"]

NOW = 1_800_000_000.0
BATCH = 2_000  # notes written at once
NOTE_PASSAGES = 2.5  # passages of a note, on average
LINKS = 2  # links of a note, on average
NOISE = 0.15  # share of words replaced
BLEND, SCATTER = 0.35, 0.35  # of another passage's vector, and of pure noise, against the passage's own
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Source:
    """Passages of a real vault with their vectors, float32[n, dim], and questions that fit them."""

    texts: tuple[str, ...]
    vectors: NDArray[np.float32]
    model: str
    note_bytes: int


def read_source(vault: Path, settings: Settings, count: int, cache: Path) -> Source:
    """``count`` passages of the vault, embedded once and kept in ``cache``."""
    texts: list[str] = []
    size = 0
    files = sorted(p for p in vault.rglob("*.md") if ".genesys" not in p.parts)
    for number in np.random.default_rng(1).permutation(len(files)):
        stat = files[number].stat()
        entry = FileStat(
            files[number].relative_to(vault).as_posix(), FileType.NOTE, stat.st_size, stat.st_mtime_ns
        )
        record = read_record(vault, entry, ParseOptions())
        if isinstance(record, FileRecord) and record.note and len(texts) < count:
            texts += [p.embed_text for p in record.note.passages if p.embed_text]
            size += stat.st_size
    embedder = load_embedder(settings)
    kept = cache / f"{len(texts)}-{size}-{re.sub(r'[^a-zA-Z0-9]', '-', embedder.model_id)}.npy"
    if not kept.exists():
        np.save(kept, embedder.encode(texts))
    return Source(tuple(texts), np.load(kept), embedder.model_id, size)


def build(path: Path, source: Source, passages: int, seed: int = 7) -> Index:
    """An index with ``passages`` passages at ``path``; one that is there with as many is opened."""
    if path.exists():
        return open_index(path)
    rng = np.random.default_rng(seed)
    index = open_index(path)
    sizes = rng.geometric(1.0 / NOTE_PASSAGES, size=passages)
    sizes = sizes[: int(np.searchsorted(np.cumsum(sizes), passages)) + 1]
    words = np.array([w for text in source.texts for w in _WORD.findall(text)], dtype=object)
    for start in range(0, len(sizes), BATCH):
        picked = [rng.integers(0, len(source.texts), size=size) for size in sizes[start : start + BATCH]]
        notes = [_note(start + i, source, rows, words, rng) for i, rows in enumerate(picked)]
        index.put([FileRecord(_stat(note), note) for note in notes], NOW)
        keys = [vec_key(p.embed_text) for note in notes for p in note.passages]
        vectors = noisy_vectors(source.vectors, np.concatenate(picked), rng)
        index.put_vectors(source.model, vectors.shape[1], keys, vectors)
    for part in _parts(_links(len(sizes), rng), 50_000):
        index.add_edges(part)
    index.sync_names()
    return index


def _note(
    number: int, source: Source, rows: Sequence[int], words: NDArray[np.object_], rng: np.random.Generator
) -> Note:
    title = f"{' '.join(words[rng.integers(0, len(words), 2)])} {number}".replace("/", "-")
    passages = tuple(
        _passage(k, title, _noisy(source.texts[row], words, rng), number) for k, row in enumerate(rows)
    )
    path = _path(number)
    return Note(path, title, f"{number:064x}", passages=passages, search_title=fold(title))


def _path(number: int) -> str:
    return f"{number // 1000:04d}/{number}.md"


def _stat(note: Note) -> FileStat:
    return FileStat(note.path, FileType.NOTE, 1000, int(NOW * 1e9), content_hash=note.content_hash)


def _noisy(text: str, words: NDArray[np.object_], rng: np.random.Generator) -> str:
    own = _WORD.findall(text)
    at = np.nonzero(rng.random(len(own)) < NOISE)[0]
    for place, word in zip(at, words[rng.integers(0, len(words), len(at))], strict=True):
        own[place] = word
    return " ".join(own)


def _passage(ordinal: int, title: str, text: str, number: int) -> Passage:
    unique = f"{text} n{number}p{ordinal}"
    return Passage(
        ordinal, (), ordinal + 1, ordinal + 1, text, unique, f"{number}-{ordinal}", search_text=fold(unique)
    )


def noisy_vectors(
    real: NDArray[np.float32], rows: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.float32]:
    """Float32[len(rows), dim]: the real vectors of ``rows``, blended and scattered, of length one."""
    dim = real.shape[1]
    other = real[rng.integers(0, len(real), len(rows))]
    scatter = rng.standard_normal((len(rows), dim), dtype=np.float32) / dim**0.5
    mixed = real[rows] + BLEND * other + SCATTER * scatter
    found: NDArray[np.float32] = mixed / np.linalg.norm(mixed, axis=1, keepdims=True)
    return found


def _links(notes: int, rng: np.random.Generator) -> Iterator[Edge]:
    count = notes * LINKS
    source = rng.integers(0, notes, count)
    target = (rng.random(count) ** 3 * notes).astype(np.int64)  # some notes are hubs
    for a, b in zip(source, target, strict=True):
        if a != b:
            yield Edge(_path(a), _path(b), EdgeType.RELATED_TO, 1.0, CreatedBy.TOOL)


def _parts(edges: Iterator[Edge], size: int) -> Iterator[list[Edge]]:
    part: list[Edge] = []
    for edge in edges:
        part.append(edge)
        if len(part) == size:
            yield part
            part = []
    yield part


def change(index: Index, source: Source, number: int, seed: int) -> None:
    """Write note ``number`` anew, with passages and vectors it did not have."""
    rng = np.random.default_rng(seed)
    words = np.array([w for text in source.texts[:50] for w in _WORD.findall(text)], dtype=object)
    rows = rng.integers(0, len(source.texts), size=3)
    note = _note(number, source, rows, words, rng)
    fresh = tuple(
        replace(p, embed_text=f"{p.embed_text} {seed}", text_hash=f"{seed}-{p.ordinal}")
        for p in note.passages
    )
    note = replace(note, passages=fresh, content_hash=f"{seed:064x}")
    index.put([FileRecord(_stat(note), note)], NOW)
    keys = [vec_key(p.embed_text) for p in fresh]
    index.put_vectors(source.model, source.vectors.shape[1], keys, noisy_vectors(source.vectors, rows, rng))
    index.collect_garbage()
