"""Vectors from an endpoint that speaks OpenAI's embeddings API; only where a setting names one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from genesys.endpoint import Endpoint
from genesys.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["OpenAIEmbedder"]

_TIMEOUT_S = 60.0
_WAIT_S = 0.5  # doubled after each try
_LATER = "Try again later; keyword and graph recall work meanwhile."
_MAX_CHARS = 24_000  # about 8,000 tokens, the window of the usual endpoint models


class OpenAIEmbedder:
    """Client of ``POST {url}/embeddings``. The key goes into a header and nowhere else.

    ``dim`` is learned from the first answer, so constructing it contacts the endpoint once.
    Raises :class:`ModelError` (the endpoint failed; ``transient`` where trying later may help) and
    :class:`ModelMissing` (it knows no such model).
    """

    floor = 0.0  # unknown models differ too much for one

    def __init__(
        self,
        url: str,
        model: str,
        key: str = "",
        *,
        batch: int = 64,
        timeout: float = _TIMEOUT_S,
        wait: float = _WAIT_S,
    ) -> None:
        if not url.startswith(("http://", "https://")):
            raise ModelError("no endpoint for embeddings", hint="Set GENESYS_EMBED_URL, as https://…/v1.")
        self._url = url.rstrip("/").removesuffix("/embeddings") + "/embeddings"
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._endpoint = Endpoint(self._url, model, "GENESYS_EMBED", _LATER, headers, timeout, wait)
        self._model = model
        self._batch = max(1, batch)
        self.window = 8000
        self.model_id = f"openai:{model}"
        self.dim = len(self._request(["dimension"])[0])

    def __repr__(self) -> str:
        return f"OpenAIEmbedder({self._url!r}, {self._model!r})"

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        pieces = [(row, piece) for row, text in enumerate(texts) for piece in _pieces(text)]
        sums = np.zeros((len(texts), self.dim), dtype=np.float32)
        for start in range(0, len(pieces), self._batch):
            part = pieces[start : start + self._batch]
            vectors = np.asarray(self._request([piece for _, piece in part]), dtype=np.float32)
            if vectors.shape != (len(part), self.dim) or not np.isfinite(vectors).all():
                raise ModelError(f"{self._url} answered with vectors of another shape: {vectors.shape}")
            for (row, piece), vector in zip(part, vectors, strict=True):
                sums[row] += vector * (len(piece) / max(1.0, float(np.linalg.norm(vector))))
        norms = np.linalg.norm(sums, axis=1, keepdims=True)
        return np.asarray(sums / np.where(norms == 0, 1.0, norms), dtype=np.float32)

    def encode_query(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self.encode([text])[0]
        return vector

    def _request(self, texts: list[str]) -> list[list[float]]:
        body = {"model": self._model, "input": texts, "encoding_format": "float"}
        return _vectors(self._url, self._endpoint.post(body), len(texts))


def _pieces(text: str) -> list[str]:
    """The text in pieces that the endpoint's window surely holds; never fewer than one, never empty."""
    pieces = [text[start : start + _MAX_CHARS] for start in range(0, len(text), _MAX_CHARS)]
    return [piece if piece.strip() else "-" for piece in pieces] or ["-"]


def _vectors(url: str, raw: bytes, count: int) -> list[list[float]]:
    try:
        data: list[dict[str, Any]] = json.loads(raw)["data"]
        rows = sorted(data, key=lambda item: int(item.get("index", 0)))
        vectors = [[float(value) for value in row["embedding"]] for row in rows]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ModelError(f"{url} did not answer with embeddings", hint="Check GENESYS_EMBED_URL.") from None
    if len(vectors) != count or not vectors[0]:
        raise ModelError(f"{url} answered with {len(vectors)} vectors for {count} texts")
    return vectors
