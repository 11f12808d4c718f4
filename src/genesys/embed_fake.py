"""An embedder without a model: the same text always gives the same vector, similar texts similar ones.

For tests, and for trying Genesys out where there is no torch.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["FakeEmbedder"]

_WORD = re.compile(r"\w+")
_TRIGRAM_WEIGHT = 0.3  # words say more than their parts, but inflections must still meet


class FakeEmbedder:
    """Hashed bag of folded words and character trigrams, L2-normalised."""

    floor = 0.2

    def __init__(self, dim: int = 64) -> None:
        self.dim = dim
        self.window = 256
        self.model_id = "fake-v1" if dim == 64 else f"fake-v1-{dim}"

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in enumerate(texts):
            for feature, weight in _features(text):
                code = zlib.crc32(feature.encode("utf-8", "surrogatepass"))
                vectors[row, code % self.dim] += weight if code & 0x80000000 else -weight
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors[norms[:, 0] == 0, 0] = 1.0
        return np.asarray(vectors / np.where(norms == 0, 1.0, norms), dtype=np.float32)

    def encode_query(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self.encode([text])[0]
        return vector


def _features(text: str) -> Iterator[tuple[str, float]]:
    folded = unicodedata.normalize("NFKD", text.casefold())
    folded = "".join(c for c in folded if not unicodedata.combining(c))
    for word in _WORD.findall(folded):
        yield word, 1.0
        padded = f" {word} "
        for start in range(len(padded) - 2):
            yield padded[start : start + 3], _TRIGRAM_WEIGHT
