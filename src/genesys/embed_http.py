"""Vectors from an endpoint that speaks OpenAI's embeddings API; only where a setting names one."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from genesys.errors import ModelError, ModelMissing

if TYPE_CHECKING:
    from urllib.error import HTTPError

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["OpenAIEmbedder"]

_TIMEOUT_S = 60.0
_TRIES = 4
_WAIT_S = 0.5  # doubled after each try
_MAX_CHARS = 24_000  # about 8,000 tokens, the window of the usual endpoint models
_MAX_WAIT_S = 30.0


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
        self._key = key
        self._model = model
        self._batch = max(1, batch)
        self._timeout = timeout
        self._wait = wait
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
        from urllib.error import HTTPError
        from urllib.request import Request, urlopen  # with all of HTTP and TLS behind it

        body = json.dumps({"model": self._model, "input": texts, "encoding_format": "float"}).encode()
        headers = {"Content-Type": "application/json", "User-Agent": "genesys"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = Request(self._url, body, headers)
        for attempt in range(_TRIES):
            try:
                with urlopen(request, timeout=self._timeout) as answer:
                    return _vectors(self._url, answer.read(), len(texts))
            except HTTPError as error:
                with error:
                    failure = _http_error(self._url, self._model, error)
                    wait = _retry_after(error)
            except (OSError, TimeoutError) as error:
                reason = getattr(error, "reason", error)
                failure, wait = _transient(f"{self._url} can't be reached: {reason}"), None
            if not failure.transient or attempt == _TRIES - 1:
                raise failure from None
            time.sleep(self._wait * 2**attempt if wait is None else wait)
        raise AssertionError("unreachable")


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


def _transient(message: str) -> ModelError:
    failure = ModelError(message, hint="Try again later; keyword and graph recall work meanwhile.")
    failure.transient = True
    return failure


def _http_error(url: str, model: str, error: HTTPError) -> ModelError:
    """Our error for a status code. The answer's body is not repeated: it may echo what was sent."""
    if error.code in (401, 403):
        return ModelError(f"{url} refused the key ({error.code})", hint="Check GENESYS_EMBED_KEY.")
    if error.code == 404:
        hint = "Check GENESYS_EMBED_MODEL and GENESYS_EMBED_URL."
        return ModelMissing(f"{url} knows no model {model!r}", hint=hint)
    if error.code in (408, 409, 425, 429) or error.code >= 500:
        return _transient(f"{url} is busy or failing ({error.code})")
    return ModelError(f"{url} refused the request ({error.code})", hint="Check GENESYS_EMBED_MODEL.")


def _retry_after(error: HTTPError) -> float | None:
    try:
        return min(_MAX_WAIT_S, max(0.0, float(error.headers.get("Retry-After", ""))))
    except ValueError:
        return None
