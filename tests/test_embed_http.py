"""An endpoint's embeddings: batches, retries, errors that say what to do, and a key that stays secret."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from genesys.embed import OpenAIEmbedder
from genesys.errors import ModelError, ModelMissing


class Endpoint(ThreadingHTTPServer):
    """A server whose next answers can be chosen; without a choice it embeds texts by their length."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.answers: list[tuple[int, Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, Endpoint)
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(body)
        self.server.keys.append(self.headers.get("Authorization"))
        data = [{"index": i, "embedding": [3.0, float(len(t))]} for i, t in enumerate(body["input"])]
        status, answer = self.server.answers.pop(0) if self.server.answers else (200, {"data": data[::-1]})
        raw = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        if status == 429:
            self.send_header("Retry-After", "0")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *args: object) -> None:
        """Quiet."""


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_texts_go_out_in_batches_and_come_back_in_order(endpoint: Endpoint) -> None:
    """Whatever order the endpoint answers in; vectors are made unit length."""
    model = OpenAIEmbedder(endpoint.url + "/embeddings", "m", "sk-1", batch=2)
    assert (2, "openai:m") == (model.dim, model.model_id)
    vectors = model.encode(["a", "bbbb", "c" * 9])
    lengths = np.array([[3.0, 1], [3, 4], [3, 9]])
    assert np.allclose(lengths / np.linalg.norm(lengths, axis=1, keepdims=True), vectors, atol=1e-6)
    assert np.float32 == vectors.dtype
    assert [["dimension"], ["a", "bbbb"], ["c" * 9]] == [request["input"] for request in endpoint.requests]
    assert {"Bearer sk-1"} == set(endpoint.keys)
    assert np.allclose(vectors[1], model.encode_query("bbbb"))
    assert (0, 2) == model.encode([]).shape


def test_long_and_empty_texts_are_sent_as_the_endpoint_takes_them(endpoint: Endpoint) -> None:
    """Nothing is cut: a long text goes in pieces; an empty one is never sent."""
    model = OpenAIEmbedder(endpoint.url, "m")
    vectors = model.encode(["x" * 50_000, ""])
    sent = [text for request in endpoint.requests[1:] for text in request["input"]]
    assert 50_000 == sum(map(len, sent[:-1]))
    assert all(0 < len(text) <= 24_000 for text in sent)
    assert np.allclose(1, np.linalg.norm(vectors, axis=1), atol=1e-5)


def test_a_busy_endpoint_is_asked_again(endpoint: Endpoint) -> None:
    """Twice busy, then an answer."""
    model = OpenAIEmbedder(endpoint.url, "m", wait=0)
    endpoint.answers = [(503, {}), (429, {})]
    assert (1, 2) == model.encode(["a"]).shape
    assert 4 == len(endpoint.requests)


@pytest.mark.parametrize(
    ("status", "answer", "kind", "hint", "transient"),
    [
        (401, {"error": "key sk-secret"}, ModelError, "GENESYS_EMBED_KEY", False),
        (404, {}, ModelMissing, "GENESYS_EMBED_MODEL", False),
        (400, {"error": "sk-secret"}, ModelError, "GENESYS_EMBED_MODEL", False),
        (500, {}, ModelError, "later", True),
        (200, b"<html>", ModelError, "GENESYS_EMBED_URL", False),
        (200, {"data": []}, ModelError, "", False),
        (200, {"data": [{"embedding": ["x"]}]}, ModelError, "GENESYS_EMBED_URL", False),
        (200, {"data": [{"embedding": [1.0, 2.0, 3.0]}]}, ModelError, "", False),
    ],
)
def test_each_failure_says_what_to_do(
    endpoint: Endpoint, status: int, answer: Any, kind: type[ModelError], hint: str, transient: bool
) -> None:
    """And neither the key nor the answer's body is in it."""
    model = OpenAIEmbedder(endpoint.url, "m", "sk-secret", wait=0)
    endpoint.answers = [(status, answer)] * 4
    with pytest.raises(kind) as caught:
        model.encode(["a"])
    assert hint in caught.value.hint
    assert transient == caught.value.transient
    assert "sk-secret" not in f"{caught.value} {caught.value.hint} {model!r}"


def test_an_endpoint_that_is_not_there_is_transient(endpoint: Endpoint) -> None:
    """It may come back; a URL that is none can't."""
    gone = endpoint.url
    endpoint.server_close()
    with pytest.raises(ModelError) as caught:
        OpenAIEmbedder(gone, "m", wait=0)
    assert caught.value.transient
    with pytest.raises(ModelError, match="no endpoint"):
        OpenAIEmbedder("", "m")
