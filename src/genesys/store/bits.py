"""Vectors as sign bits: one bit a dimension, compared by counting those that differ. Pure.

The angle between two vectors is near π times the share of signs in which they differ; taken about the
vectors' mean, so that no bit says the same of all of them. Bits are kept in planes, word by word
(``planes[w]`` holds word w of every vector): a scan then reads memory in order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["FAR", "differing", "nearest", "sign_words", "words_of"]

WORD = 64
FAR = 65_535  # a distance beyond every real one
_BLOCK = 65_536  # vectors compared at once: what the processor's cache holds
_SUMMED = 3  # words whose counts one byte can add up


def words_of(dim: int) -> int:
    """Words that the signs of ``dim`` dimensions take."""
    return -(-dim // WORD)


def sign_words(vectors: NDArray[np.float32], centre: NDArray[np.float32]) -> NDArray[np.uint64]:
    """Which dimensions lie above ``centre``: uint64[n, words], bits beyond the last dimension 0."""
    import numpy as np

    n, dim = vectors.shape
    padded = np.zeros((n, words_of(dim) * WORD), dtype=np.bool_)
    np.greater(vectors, centre, out=padded[:, :dim])
    return np.packbits(padded, axis=1).view(np.uint64)


def differing(planes: NDArray[np.uint64], query: NDArray[np.uint64], n: int) -> NDArray[np.uint16]:
    """In how many bits each of the first ``n`` vectors differs from ``query`` (uint64[words])."""
    import numpy as np

    out = np.zeros(n, dtype=np.uint16)
    size = min(_BLOCK, n)
    mixed, count = np.empty(size, dtype=np.uint64), np.empty(size, dtype=np.uint8)
    total = np.empty(size, dtype=np.uint8)
    for at in range(0, n, size or 1):
        m = min(size, n - at)
        for first in range(0, len(query), _SUMMED):
            total[:m] = 0
            for word in range(first, min(first + _SUMMED, len(query))):
                np.bitwise_xor(planes[word, at : at + m], query[word], out=mixed[:m])
                np.bitwise_count(mixed[:m], out=count[:m])
                np.add(total[:m], count[:m], out=total[:m])
            np.add(out[at : at + m], total[:m], out=out[at : at + m])
    return out


def nearest(distance: NDArray[np.uint16], count: int) -> NDArray[np.int64]:
    """Numbers of the ``count`` least distances, and of all that equal the last; in order of number."""
    import numpy as np

    if count <= 0:
        return np.zeros(0, dtype=np.int64)
    upto = np.cumsum(np.bincount(distance))
    cut = min(int(np.searchsorted(upto, count)), FAR - 1)
    return np.nonzero(distance <= cut)[0]
